"""test_usage.py: options, operands, help, exit codes of wrong usage; help, man page and completions agree."""
import os, re

import cli

ROOT = os.path.join(cli.HERE, "..", "..")
LEAST = {"open", "ingest", "ask", "search", "show", "ls", "rm", "verify", "info", "sessions", "model info", "model quantize",
         "bench ingest", "bench ask"}


class Usage(cli.Case):
    def commands(self):
        listed = self.drt("--help").out.decode().split("Commands:\n")[1].split("\n\n")[0]
        return re.findall(r"(?m)^  (\w+(?: \w+)?)  +\w", listed)

    def test_front_end_needs_a_terminal(self):
        says = "drt: the front end needs a terminal, but standard input is none; ask from the command line instead: drt ask LIB QUESTION\n"
        self.exactly(code=2, err="drt: no library has been opened yet; open or begin one with: drt open LIB; drt --help lists all commands\n")
        self.exactly("open", "books.drt", code=2, err=says)
        self.exactly("./books.drt", code=2, err=says)
        os.symlink(self.library("town"), self.path("ls"))
        self.exactly("ls", code=2, err=says)        # a library of that name wins

    def test_unknown_words(self):
        self.exactly("frobnicate", code=2, err="drt: there is no command 'frobnicate'; drt --help lists them\n")
        self.exactly("--frob", "ls", code=2, err="drt: there is no option '--frob' in front of a command; drt --help lists what there is\n")
        model = "Usage: drt model info [OPTION]... DIR\n       drt model quantize [OPTION]... DIR OUT\n"
        self.exactly("model", code=2, err=model)
        self.exactly("model", "frob", code=2, err=model)
        self.exactly("model", "--help", out=model)
        self.exactly("\x1b]0;x\x07", code=2, err="drt: there is no command '\\x1B]0;x\\x07'; drt --help lists them\n")

    def test_wrong_options(self):
        hint = "Try 'drt ask --help'.\n"
        for args, says in (
                (("--nope",), "there is no option '--nope', or it stands for several"),
                (("--t", "1"), "there is no option '--t', or it stands for several"),
                (("-x",), "there is no option '-x'"),
                (("--json=1",), "'--json=1': this option takes no argument"),
                (("--seed", "x"), "--seed takes a whole number from 0 to 9000000000000000, not 'x'"),
                (("--max-tokens=0",), "--max-tokens takes a whole number from 1 to 100000, not '0'"),
                (("--temperature", "nan"), "--temperature takes a number from 0 to 100, not 'nan'"),
                (("--top-p", "0,5"), "--top-p takes a number from 0 to 1, not '0,5'"),
                (("--retriever", "magic"), "--retriever takes learned, bm25, both or random, not 'magic'"),
                (("--device", "tpu"), "--device takes auto, cpu, cuda or cuda:N, not 'tpu'"),
                (("--device", "cuda:x"), "--device takes auto, cpu, cuda or cuda:N, not 'cuda:x'")):
            self.exactly("ask", "lib", "x", *args, code=2, err="drt: ask: " + says + "\n" + hint)
        self.exactly("ask", "lib", "x", "--seed", code=2, err="drt: ask: option '--seed' needs an argument\n" + hint)

    def test_wrong_operands(self):
        for args, says in (
                (("ingest",), "something is missing: drt ingest LIB PATH..."), (("ingest", "lib"), "something is missing: drt ingest LIB PATH..."),
                (("ask",), "something is missing: drt ask LIB [QUESTION]"), (("search", "lib"), "something is missing: drt search LIB QUERY"),
                (("ask", "lib", "who", "was", "it"), "too many operands (a text with spaces needs quotes): drt ask LIB [QUESTION]"),
                (("show", "lib"), "something is missing: drt show LIB CHUNK|DOC"), (("ls",), "something is missing: drt ls LIB"),
                (("rm", "lib"), "something is missing: drt rm LIB DOC..."), (("verify",), "something is missing: drt verify LIB")):
            self.exactly(*args, code=2, err="drt: %s: %s\nTry 'drt %s --help'.\n" % (args[0], says, args[0]))

    def test_no_library(self):
        os.mkdir(self.path("folder"))
        self.write("file", "x")
        for lib in "nosuch.drt", "folder", "file", os.devnull:
            for args in ("ask", lib, "x"), ("search", lib, "x"), ("ls", lib), ("show", lib, "1"), ("rm", lib, "x"), ("verify", lib), ("info", lib), ("sessions", lib):
                ran = self.drt(*args, code=2)
                self.assertEqual(ran.out, b"", args)
                self.assertEqual(len(ran.err.splitlines()), 1, ran)
                self.assertIn(lib.encode(), ran.err)
        self.assertEqual(sorted(os.listdir(self.dir)), ["file", "folder"])
        self.assertEqual(os.listdir(self.path("folder")), [])

    def test_no_model(self):
        ran = self.drt("ask", "--model", "nosuch", self.library("town"), "x", code=2)
        self.assertIn(b"nosuch", ran.err)
        ran = self.drt("ask", self.library("town"), "x", code=2, env={"DRT_MODEL": "/no/such/model"})
        self.assertIn(b"/no/such/model", ran.err)

    def test_help(self):
        ran = self.drt("--help")
        self.assertEqual(ran.err, b"")
        self.assertLessEqual(LEAST, set(self.commands()))
        for name in self.commands():
            one = self.drt(*name.split(), "--help")
            self.assertEqual(one.err, b"")
            self.assertTrue(one.out.startswith(b"Usage: drt %s [OPTION]..." % name.encode()), one.out)
            self.assertEqual(self.drt(*name.split(), "--help", "lib", "--nope", code=None).code, 0)
            self.assertLessEqual(max(map(len, one.out.decode().splitlines())), 110)

    def test_version(self):
        ran = self.drt("--version")
        self.assertRegex(ran.out.decode(), r"\Adrt \d+\.\d+\.\d+\n(.*cpu.*\n)")
        self.assertEqual(ran.err, b"")

    def test_no_network(self):
        """what is asked and read stays here: the program has no code that could send it"""
        with open(cli.DRT, "rb") as f:
            program = f.read()
        if b"__asan_init" in program:
            self.skipTest("the sanitizer's own code talks of sockets")
        for name in b"socket", b"connect", b"getaddrinfo", b"sendto":
            self.assertNotIn(b"\0" + name + b"\0", program)

    def test_manual_and_completions_agree_with_help(self):
        def read(*name):
            with open(os.path.join(ROOT, *name), encoding="utf-8") as f:
                return f.read()
        manual = read("man", "drt.1")
        shells = {n: read("completions", n) for n in ("drt.bash", "_drt", "drt.fish")}
        known = {"help", "version"}
        synopsis, _, rest = manual.partition(".Sh SYNOPSIS")[2].partition(".Sh DESCRIPTION")
        shared = set(re.findall(r"\.It Fl -([a-z-]+)", rest.partition(".Ss Compute options")[2].partition(".Ss")[0]))
        for name in self.commands():
            options = re.findall(r"(?m)^  --([a-z-]+)", self.drt(*name.split(), "--help").out.decode())
            known.update(options)
            block = (synopsis.partition(".Nm drt %s\n" % name)[2] + "\n.Nm").partition("\n.Nm")[0]
            self.assertTrue(block, name)
            listed = set(re.findall(r"Fl -([a-z-]+)", block.replace(" | -", " Fl -")))
            if not name.startswith("eval"):                                 # whose common options have a name there
                self.assertLessEqual(set(options) - {"help"} - shared, listed, name)
            for o in options:
                self.assertRegex(manual, r"\.(It|Op) Fl -" + re.escape(o) + r"\b")
                self.assertRegex(shells["drt.bash"], r"--%s\b" % re.escape(o))
                self.assertRegex(shells["_drt"], r"--%s\[" % re.escape(o))
                self.assertRegex(shells["drt.fish"], r"-l %s\b" % re.escape(o))
            for shell in shells.values():
                self.assertRegex(shell, r"\b%s\b" % name.split()[-1])
        for text, pattern in (manual, r"\bFl -([a-z-]+)"), (shells["drt.bash"], r"--([a-z][a-z-]*)"), (shells["_drt"], r"'--([a-z-]+)\["), (shells["drt.fish"], r"(?m)^complete .* -l ([a-z-]+)"):
            self.assertLessEqual(set(re.findall(pattern, text)), known)


cli.main()
