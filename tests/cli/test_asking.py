"""test_asking.py: ask and search: JSON fields, plain output, batches on stdin."""
import os, select

import cli

HIT = {"chunk": int, "rank": int, "score": float, "weight": float, "document": str, "title": (str, type(None)), "authors": list,
       "date": (str, type(None)), "page": (int, type(None)), "start": int, "end": int, "text": str}
ANSWER = {"question": str, "answer": str, "n_tokens": int, "finish": str, "events": list, "timing_ms": dict, "device": str, "model": str, "library": str}


class Asking(cli.Case):
    shown = {}      # chunk of the town's library -> what show says of it

    def ask(self, *args, **more):
        return self.drt("ask", self.library("town"), "--no-store", *args, **more)

    def shaped(self, o, fields):
        for name, kind in fields.items():
            self.assertIsInstance(o.get(name), (kind, int) if kind is float else kind, (name, o.get(name)))

    def hits(self, lib, hits):
        """a list of hits as it must be; their texts are what show prints"""
        self.assertEqual([h["rank"] for h in hits], list(range(1, len(hits) + 1)))
        for h in hits:
            self.shaped(h, HIT)
            if h["chunk"] not in self.shown:
                self.shown[h["chunk"]] = self.objects(self.drt("show", "--json", lib, str(h["chunk"])).out, 1)[0]
            shown = self.shown[h["chunk"]]
            self.assertEqual([shown[f] for f in ("document", "start", "end", "text")], [h[f] for f in ("document", "start", "end", "text")])

    def test_json(self):
        lib = self.library("town")
        o = self.objects(self.ask("--json", cli.QUESTION).out, 1)[0]
        self.shaped(o, ANSWER)
        self.assertEqual((o["question"], o["answer"], o["n_tokens"], o["finish"], o["library"]), (cli.QUESTION, cli.ANSWER, 4, "end", lib))
        self.assertGreater(o["timing_ms"]["total"], 0)
        self.assertLessEqual(o["timing_ms"]["first_token"], o["timing_ms"]["total"])
        self.assertEqual([(e["step"], e["group"]) for e in o["events"]], [(0, 0), (0, 1)])
        for e in o["events"]:
            self.assertTrue(0 <= e["null_mass"] <= 1)
            self.assertAlmostEqual(sum(h["weight"] for h in e["hits"]), 1, places=4)
        self.hits(lib, o["events"][0]["hits"])

    def test_plain(self):
        out = self.ask(cli.QUESTION).out.decode()
        answer, *passages = out.split("\n\n[")
        self.assertEqual(answer, cli.ANSWER)
        self.assertTrue(1 <= len(passages) <= 5)
        weights = []
        for i, p in enumerate(passages):
            self.assertRegex(p, r"\A%d\] town/\d_\w+\.txt, bytes \d+-\d+, chunk \d+, weight [01]\.\d\d\n    \S" % (i + 1))
            weights.append(float(p.split("\n")[0].split()[-1]))
        self.assertEqual(weights, sorted(weights, reverse=True))
        self.assertGreaterEqual(weights[-1], .05)
        self.assertIn("Margaret Sillitoe", "".join(passages))

    def test_on_a_terminal_the_answer_streams(self):
        out = self.terminal("ask", self.library("town"), "--no-store", cli.QUESTION, env={"NO_COLOR": "1"}, size=(24, 50))
        self.assertEqual(out.split(), self.ask(cli.QUESTION).out.split())      # the same words, but lines that fit
        self.assertLessEqual(max(len(line) for line in out.decode().split("\n") if line.startswith("    ")), 50)
        coloured = self.terminal("ask", self.library("town"), "--no-store", cli.QUESTION)
        self.assertIn(b"\x1b[1m[1]\x1b[0m ", coloured)
        for env in {"TERM": "dumb"}, {"TERM": None}, {"NO_COLOR": "x"}:
            self.assertNotIn(b"\x1b", self.terminal("search", self.library("town"), "--retriever", "bm25", "lighthouse", env=env))

    def test_context(self):
        lib = self.library("town")
        o = self.objects(self.ask("--json", "--context", "30", cli.QUESTION).out, 1)[0]
        for h in o["events"][0]["hits"]:
            doc = self.drt("show", "--text", lib, h["document"]).out[:-1]
            around = h["before"].encode() + h["text"].encode() + h["after"].encode()
            self.assertIn(around, doc)
            self.assertTrue(len(h["before"]) == 30 or doc.startswith(around))
            self.assertTrue(len(h["after"]) == 30 or doc.endswith(around))
        self.assertRegex(self.ask("--context", "30", cli.QUESTION).out.decode(), r"(?s)\[\[.*Margaret.*\]\]")

    def test_retrievers(self):
        lib = self.library("town")
        chunks = {}
        for way in "learned", "bm25", "both", "random":
            o = self.objects(self.drt("search", lib, "--json", "--retriever", way, "--top", "3", "keeper of the lighthouse").out, 1)[0]
            self.assertEqual((o["query"], o["retriever"]), ("keeper of the lighthouse", way))
            self.assertEqual([g["group"] for g in o["groups"]], [0, 1] if way in ("learned", "both") else [0])
            for g in o["groups"]:
                self.hits(lib, g["hits"])
                self.assertLessEqual(len(g["hits"]), 3)
            chunks[way] = [h["chunk"] for h in o["groups"][0]["hits"]]
            a = self.objects(self.ask("--json", "--retriever", way, cli.QUESTION).out, 1)[0]
            self.assertEqual((a["retriever"], len(a["events"]) % 2), (way, 0))
        self.assertEqual(chunks["both"][0], chunks["learned"][0])
        self.assertLessEqual(set(chunks["both"]), set(chunks["learned"] + chunks["bm25"]))

    def test_search_plain(self):
        out = self.drt("search", self.library("town"), "--top", "2", "keeper").out.decode()
        self.assertRegex(out, r"\Agroup 1\n  1\. score -?\d+\.\d\d town/\S+, bytes \d+-\d+, chunk \d+, weight \d\.\d\d\n    \S")
        self.assertRegex(out, r"\n\ngroup 2\n  1\. ")

    def test_document_glob(self):
        lib = self.library("town")
        for g in self.objects(self.drt("search", lib, "--json", "--document", "*/3_*", "lighthouse").out, 1)[0]["groups"]:
            self.assertEqual({h["document"] for h in g["hits"]}, {"town/3_bridge.txt"})
        for e in self.objects(self.ask("--json", "--document", "*bridge*", cli.QUESTION).out, 1)[0]["events"]:
            self.assertEqual({h["document"] for h in e["hits"]}, {"town/3_bridge.txt"})

    def test_sampling_repeats_with_its_seed(self):
        args = "--json", "--temperature", "1.5", "--max-tokens", "12", "--seed"
        one, again = (self.objects(self.ask(*args, "7", cli.QUESTION).out, 1)[0]["answer"] for _ in range(2))
        self.assertEqual(one, again)
        self.assertGreater(len({self.objects(self.ask(*args, str(s), cli.QUESTION).out, 1)[0]["answer"] for s in range(3)}), 1)

    def test_longest_answer(self):
        ran = self.ask("--json", "--max-tokens", "2", cli.QUESTION)
        o = self.objects(ran.out, 1)[0]
        self.assertEqual((o["n_tokens"], o["finish"]), (2, "length"))

    def test_a_long_question_is_not_cut_silently(self):
        q = "word " * 1000 + "Who was the first keeper of the lighthouse?"
        ran = self.ask("--json", "--max-tokens", "4", q)
        self.assertEqual(self.objects(ran.out, 1)[0]["question"], q)
        self.assertEqual(len(ran.err.splitlines()), 1, ran)
        self.assertIn(b"62", ran.err)

    def test_dashes(self):
        o = self.objects(self.drt("ask", "--json", "--no-store", self.library("town"), "--", "-what is the cost?").out, 1)[0]
        self.assertEqual(o["question"], "-what is the cost?")
        self.drt("search", self.library("town"), "--", "--retriever")

    def test_environment(self):
        lib = self.library("town")
        expected = self.drt("search", lib, "--json", "lighthouse").out
        for env in ({"HOME": None, "TERM": None, "LC_ALL": None}, {"HOME": "", "LC_ALL": "C"}, {"HOME": "relative", "LC_ALL": "xx"},
                    {"HOME": "/" + "x" * 5000}, {"LC_ALL": "de_DE.UTF-8", "POSIXLY_CORRECT": "1"}):
            self.assertEqual(self.drt("search", lib, "--json", "lighthouse", env=env).out, expected, env)
        self.assertEqual(os.listdir(self.dir), [])


class Batch(cli.Case):
    def batch(self, data, code=0, n=None, args=()):
        ran = self.drt("ask", "--json", "--no-store", "--max-tokens", "8", *args, self.library("town"), input=data, code=code)
        return self.objects(ran.out, n)

    def test_lines(self):
        q = cli.QUESTION
        found = self.batch(b"\xef\xbb\xbf" + q.encode() + b"\r\n\n \t\n  " + q.encode() + b"\xc2\xa0\n\r\n" + q.encode(), n=3)
        for o in found:
            self.assertEqual((o["question"], o["answer"]), (q, cli.ANSWER))
        for data in b"", b"\n", b"\xef\xbb\xbf", b"  \r\n":
            self.assertEqual(self.batch(data), [])

    def test_failing_questions_do_not_stop_the_rest(self):
        lines = [b"Caf\xe9 where?", b"nul\0in the middle?", b"\xff\xfe\xfd", b"\xed\xa0\x80 surrogate", cli.QUESTION.encode()]
        found = self.batch(b"\n".join(lines), code=1, n=5)
        for o in found[0], found[2], found[3]:
            self.assertEqual(set(o), {"question", "error"})
        self.assertEqual(found[1]["question"], "nul\0in the middle?")
        self.assertIn("answer", found[1])       # a NUL separates words, it ends nothing
        self.assertEqual(found[4]["answer"], cli.ANSWER)

    def test_control_characters(self):
        found = self.batch(b'Who \x1b[31mis\x7f "Odo" \\ \t?\n', code=None, n=1)
        self.assertEqual(found[0]["question"], 'Who \x1b[31mis\x7f "Odo" \\ \t?')

    def test_megabyte_lines(self):
        q = cli.QUESTION.encode()
        found = self.batch(q + b"\n" + b"word " * 200000 + b"\n" + b"x" * 1000000 + b"\n" + b"y" * (5 << 20) + b"\n" + q + b"\n", code=1, n=5)
        self.assertEqual((found[0]["answer"], found[4]["answer"]), (cli.ANSWER, cli.ANSWER))
        self.assertIn("4 MiB", found[3]["error"])

    def test_each_answer_at_once(self):
        p = self.start("ask", self.library("town"), "--json", "--no-store")
        for _ in range(3):
            p.stdin.write(cli.QUESTION.encode() + b"\n")
            p.stdin.flush()
            self.assertTrue(select.select([p.stdout], [], [], cli.SECONDS)[0])
            self.assertEqual(self.objects(p.stdout.readline(), 1)[0]["answer"], cli.ANSWER)
        p.stdin.close()
        self.assertEqual(p.wait(cli.SECONDS), 0)

    def test_an_answer_does_not_wait_for_the_rest_of_a_line(self):
        p = self.start("ask", self.library("town"), "--json", "--no-store")
        q = cli.QUESTION.encode()
        for sent in q + b"\n" + q[:9], q[9:] + b"\n\n \n", q + b"\n":
            p.stdin.write(sent)
            p.stdin.flush()
            self.assertTrue(select.select([p.stdout], [], [], cli.SECONDS)[0])
            self.assertEqual(self.objects(p.stdout.readline(), 1)[0]["answer"], cli.ANSWER)
        p.stdin.close()
        self.assertEqual(p.wait(cli.SECONDS), 0)

    def test_many_at_once_are_as_one_by_one(self):
        """more lines than are answered at a time, bad ones among them: each in its place, the same as alone"""
        good = [cli.QUESTION, "Who?", "What is closed in winter?", "How old is the bridge over the river?"]
        alone = {q: self.objects(self.ask_one(q).out, 1)[0] for q in good}
        lines = [good[i % 4].encode() if i % 5 else b"\xff bad %d" % i for i in range(16)]
        for line, o in zip(lines, self.batch(b"\n".join(lines), code=1, n=16)):
            if line.startswith(b"\xff"):
                self.assertEqual(set(o), {"question", "error"})
                self.assertTrue(o["question"].endswith(line[1:].decode()), o)
                continue
            one = alone[line.decode()]
            for field in "question", "answer", "n_tokens", "finish", "retriever":
                self.assertEqual(o[field], one[field])
            self.assertEqual([[h["chunk"] for h in e["hits"]] for e in o["events"]], [[h["chunk"] for h in e["hits"]] for e in one["events"]])
            self.assertTrue(0 < o["timing_ms"]["first_token"] <= o["timing_ms"]["total"])

    def ask_one(self, question):
        return self.drt("ask", "--json", "--no-store", "--max-tokens", "8", self.library("town"), question)

    def test_on_a_terminal_answers_keep_their_order(self):
        """streamed or whole, each below its question"""
        lines = [cli.QUESTION, "Who?", "What is closed in winter?"] * 2
        plain = self.drt("ask", "--no-store", self.library("town"), input="\n".join(lines).encode()).out
        out = self.terminal("ask", "--no-store", self.library("town"), env={"NO_COLOR": "1"}, input="\n".join(lines).encode())
        self.assertEqual(out.split(), plain.split())

    def test_plain(self):
        ran = self.drt("ask", "--no-store", self.library("town"), input=cli.QUESTION.encode() + b"\nWho?\n")
        self.assertTrue(ran.out.startswith(b"> %s\n%s\n\n[1] " % (cli.QUESTION.encode(), cli.ANSWER.encode())), ran)
        self.assertIn(b"\n\n> Who?\n", ran.out)

    def test_library_that_cannot_be_written(self):
        """the answers come, with one warning"""
        lib = self.copy("town")
        for folder, _, files in os.walk(lib):
            for name in files:
                os.chmod(os.path.join(folder, name), 0o444)
            os.chmod(folder, 0o555)
        os.chmod(self.dir, 0o755)

        def ordinary():
            if os.geteuid() == 0:
                os.setgid(65534)
                os.setuid(65534)
        try:
            self.drt("--version", preexec_fn=ordinary)
        except PermissionError:
            self.skipTest("an ordinary user cannot run this build")
        ran = self.drt("ask", "--json", lib, input=(cli.QUESTION + "\n").encode() * 2, preexec_fn=ordinary)
        os.chmod(lib, 0o755)
        for o in self.objects(ran.out, 2):
            self.assertEqual((o["answer"], o["session"]), (cli.ANSWER, 0))
        self.assertRegex(ran.err.decode(), r"\Adrt: warning: .*stored.*\n\Z")

    def test_one_failing_question(self):
        for q in "", "   ", "Caf\udce9?":
            ran = self.drt("ask", "--json", "--no-store", self.library("town"), q, code=1)
            self.assertEqual(set(self.objects(ran.out, 1)[0]), {"question", "error"})
            self.assertEqual(len(ran.err.splitlines()), 1)


cli.main()
