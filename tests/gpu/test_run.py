#!/usr/bin/env python3
"""Tests bundle.sh and run.sh on the CPU: what is packed, how steps are chosen, bounded and told. Standard library only.

    test_run.py DRT [unittest's arguments]
"""
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
DOCUMENTS = os.path.join(HERE, "..", "golden", "trained", "documents")
DRT = None


class Run(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="gpu-run-")
        self.addCleanup(shutil.rmtree, self.dir, True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def sh(self, script, *args, code=0):
        """-> (standard output, standard error)"""
        os.makedirs(self.path("scratch"), exist_ok=True)
        p = subprocess.run(["sh", os.path.join(HERE, script), *args], encoding="utf-8", timeout=300, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, env={**os.environ, "XZ_OPT": "-0", "TMPDIR": self.path("scratch")})
        self.assertEqual(p.returncode, code, p.stdout[-2000:] + p.stderr[-2000:])
        self.assertEqual(os.listdir(self.path("scratch")), [])      # whatever happened, nothing is left
        return p.stdout, p.stderr

    def table(self, *args, code=0):
        """Rows of the table: name -> (result, detail)."""
        out, _ = self.sh("run.sh", *args, "--device", "cpu", self.path("build"), code=code)
        with open(os.path.join(self.path("build"), "logs", "table.txt"), encoding="utf-8") as f:
            table = f.read()
        self.assertTrue(out.endswith(table))
        rows = [line.split(None, 2) for line in table.splitlines() if line and line[0] != " "]
        return {name: (result, detail) for name, result, detail in rows}

    def test_bundle_and_what_runs_from_it(self):
        bundle = self.path("b.tar.xz")
        self.sh("bundle.sh", "--program", DRT, "--texts", DOCUMENTS, bundle)
        with tarfile.open(bundle) as archive:
            names = set(archive.getnames())
        self.assertTrue({"drt-bundle/drt", "drt-bundle/bin/drt", "drt-bundle/texts/documents/3_bridge.txt"} <= names, names)
        libraries = {name.split("/")[-1].split(".so")[0] for name in names if name.startswith("drt-bundle/lib/")}
        self.assertTrue({"libsentencepiece", "libarchive", "libsqlite3"} <= libraries, libraries)
        self.assertFalse({"libc", "libm", "libpthread", "ld-linux-x86-64"} & libraries, libraries)
        self.assertFalse([name for name in names if "model" in name])     # the tree has it
        rows = self.table("--bundle", bundle, "--only", "golden,ask", "--chunks", "40,80")
        self.assertEqual(list(rows), ["golden", "ask-40", "ask-80"])
        self.assertEqual({result for result, _ in rows.values()}, {"ok"})
        self.assertIn("12 of 12 golden answers", rows["golden"][1])

    def test_bundle_refuses(self):
        for args in [], ["--program", DRT], ["--nosuch", "a"], ["a", "b"], ["--texts", self.path("nosuch"), "a"], ["--texts"]:
            self.sh("bundle.sh", *args, code=2)
        self.assertFalse(os.path.exists("a"))

    def test_usage(self):
        out, _ = self.sh("run.sh", "--help")
        self.assertIn("--bundle FILE", out)
        self.assertNotIn("set -u", out)
        for args in ["--nosuch"], ["--only"], ["--only", "build,nosuch"], ["--limit", "1x"], ["--chunks", "10,x"], ["a", "b", "c"], \
                ["--bundle", self.path("nosuch")]:
            out, err = self.sh("run.sh", *args, code=2)
            self.assertTrue(err.startswith("run.sh: "), err)

    def test_a_failing_step_does_not_stop_the_rest(self):
        program = self.path("drt")
        with open(program, "w") as f:
            f.write('#!/bin/sh\n[ "$2" != ops ] || { echo no such kernel; exit 2; }\necho "time  all of it"\n')
        os.chmod(program, 0o755)
        rows = self.table("--program", program, "--only", "ingest,ops,ask", "--chunks", "5", code=1)
        self.assertEqual({name: result for name, (result, _) in rows.items()}, {"ops": "FAILED", "ingest": "ok", "ask-5": "ok"})
        self.assertIn("exit code 2", rows["ops"][1])
        self.assertIn("all of it", rows["ingest"][1])

    def test_time_limit(self):
        program = self.path("drt")
        with open(program, "w") as f:
            f.write("#!/bin/sh\nexec sleep 30\n")
        os.chmod(program, 0o755)
        rows = self.table("--program", program, "--only", "ops,ingest", "--limit", "1", code=1)
        self.assertIn("stopped after", rows["ops"][1])
        self.assertEqual(rows["ingest"], ("skipped", "no time left"))

    def test_program_needed(self):
        rows = self.table("--only", "golden", code=1)
        self.assertEqual(rows["golden"], ("FAILED", "needs --bundle or --program"))


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    DRT = os.path.abspath(sys.argv.pop(1))
    unittest.main()
