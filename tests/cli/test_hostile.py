"""test_hostile.py: names and texts that drive terminals never get there; JSON of them is strict."""
import cli


class Hostile(cli.Case):
    def untouched(self, seen, bad, what):
        for b in bad:
            self.assertNotIn(b, seen.replace(b"\x1b[1m", b"").replace(b"\x1b[0m", b""), what)
        self.assertIsNone(cli.control(seen.replace(b"\x1b[1m", b"").replace(b"\x1b[0m", b"").replace(b"\r", b"")), what)
        seen.decode("utf-8")

    def test_names_on_a_terminal(self):
        lib, bad = self.library("evil"), set(cli.NAMES.values())
        numbers = [d["id"] for d in self.ls(lib)]
        runs = [("ls", lib), ("info", lib), ("search", lib, "lighthouse keeper"), ("verify", lib), ("ask", "--no-store", lib, cli.QUESTION)]
        runs += [("show", lib, "doc:%d" % n) for n in numbers]
        for args in runs:
            self.untouched(self.terminal(*args), bad, args)

    def test_names_in_errors(self):
        lib = self.copy("evil")
        for args, code in ((("ingest", lib, "/no/\x1b]0;TITLE\x07"), 2), (("rm", lib, "\x1b]0;TITLE\x07\n\u202e"), 1), (("show", lib, "\x1b[31m\udcff"), 1),
                           (("ls", "/no/\x1b[31m\x9b"), 2), (("ask", "--model", "\x1b[31m", lib, "x"), 2), (("ingest", "--report", "no/\x1b[2J", lib, "/etc/hostname"), 2)):
            seen = self.terminal(*args, code=code)
            self.untouched(seen, cli.NAMES.values(), args)
            self.assertEqual(seen.count(b"\n"), 1, seen)

    def test_ingest_on_a_terminal(self):
        for name in cli.NAMES:
            self.write(b"evil/" + name, b"The keeper of %r is Odo." % name)
            self.write(b"evil/" + name + b".zip", b"PK\x03\x04nothing")     # skipped: named with its reason
        seen = self.terminal("ingest", "lib", "evil", code=1)
        self.untouched(seen, set(cli.NAMES.values()) - {b"cr\r"}, "ingest")

    def test_names_in_lists(self):
        """one row for each, whatever its name"""
        lib = self.library("evil")
        listed = self.ls(lib)
        rows = self.drt("ls", lib).out
        self.assertIsNone(cli.control(rows))
        self.assertEqual(len(rows.decode("utf-8").split("\n")), len(listed) + 1)
        self.assertEqual(len(listed), 2 * len(cli.NAMES))
        self.assertEqual({d["status"] for d in listed}, {"ok"})
        for name in cli.NAMES:
            try:
                self.assertIn("evil/" + name.decode("utf-8"), {d["document"] for d in listed})
            except UnicodeDecodeError:
                pass

    def test_texts(self):
        lib = self.library("texts")
        runs = [("show", lib, "doc:%d" % d["id"]) for d in self.ls(lib)] + [("search", lib, "keeper of the lighthouse"), ("ls", lib)]
        runs += [("ask", "--no-store", lib, "Who is \x1b]52;c;cHduZWQ=\x07Odo?"), ("ask", "--no-store", lib, cli.QUESTION)]
        for args in runs:
            self.untouched(self.terminal(*args, code=None), cli.TEXTS, args)    # one is binary to the reader: skipped
            ran = self.drt(*args, code=None)
            self.assertIsNone(cli.control(ran.out + ran.err), args)

    def test_json(self):
        for name in "evil", "texts":
            lib = self.library(name)
            for args in ("search", lib, "lighthouse keeper", "--json"), ("search", lib, "Odo", "--json", "--retriever", "bm25"), ("ls", lib, "--json"):
                self.objects(self.drt(*args).out)
            for e in self.objects(self.drt("ask", "--no-store", "--json", lib, cli.QUESTION).out, 1)[0]["events"]:
                for h in e["hits"]:
                    self.assertTrue(0 <= h["start"] < h["end"])

    def test_names_that_begin_with_a_dash(self):
        self.write("-rf.txt", "The mill of Tarn burned.")
        self.write("--json", "The keeper is Odo.")
        self.drt("ingest", "lib", "--", "-rf.txt", "--json")
        self.assertEqual(sorted(d["document"] for d in self.ls("lib")), ["--json", "-rf.txt"])
        self.exactly("rm", "lib", "--", "-rf.txt", out="removed -rf.txt\n")
        self.exactly("show", "--text", "lib", "--", "--json", out="The keeper is Odo.\n")


cli.main()
