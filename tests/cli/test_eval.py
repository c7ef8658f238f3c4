"""test_eval.py: drt eval needle and passkey: what they print, that seeds repeat, and that nothing is left behind."""
import os, resource, signal, time

import cli

TEXTS = os.path.join(cli.HERE, "..", "..", "samples", "texts")
FIELDS = {"task", "length", "tokens", "chunks", "text_tokens", "passes", "libraries", "together", "seed", "top_k", "scores",
          "ingest_tokens_per_second", "ingest_seconds", "ask_seconds", "retrieval_ms", "first_token_ms", "slowest_ms", "answer_ms",
          "library_bytes", "peak_bytes", "anonymous_bytes", "device_bytes", "lanes", "seconds", "memory", "device", "processor", "model", "fingerprint"}
SCORE = {"kind", "asked", "right", "accuracy", "low", "high", "recall"}
CPU = ["--device", "cpu"]


class Eval(cli.Case):
    def setUp(self):
        super().setUp()
        self.scratch = self.path("scratch")
        os.mkdir(self.scratch)

    def tearDown(self):
        self.assertEqual(os.listdir(self.scratch), [])

    def eval(self, task, *args, **more):
        return self.drt("eval", task, "--scratch", self.scratch, *CPU, *args, **more)

    def test_needle(self):
        answers = self.path("answers.jsonl")
        found, = self.objects(self.eval("needle", TEXTS, "--tokens", "4K", "--facts", "12", "--json", "--answers", answers).out, 1)
        self.assertEqual(set(found), FIELDS)
        self.assertEqual((found["task"], found["length"], found["libraries"], found["together"], found["seed"]), ("needle", 4096, 1, 12, 1))
        self.assertTrue(4096 - 63 <= found["tokens"] <= 4096 + 63, found)
        one, two = found["scores"]
        for score in one, two:
            self.assertEqual(set(score), SCORE)
            self.assertEqual(score["accuracy"], score["right"] / score["asked"])
            self.assertTrue(0 <= score["low"] <= score["accuracy"] <= score["high"] <= 1, score)
        self.assertEqual((one["kind"], two["kind"]), ("one-hop", "two-hop"))
        self.assertEqual(one["asked"] + two["asked"], 12)
        self.assertGreaterEqual(one["right"], one["asked"] - 1)
        self.assertEqual([set(g) for g in one["recall"]], 2 * [{"group", "first", "any"}])
        self.assertEqual([set(g) for g in two["recall"]], 2 * [{"group", "first", "second", "any"}])

        with open(answers, "rb") as f:
            rows = self.objects(f.read(), 12)
        for kind, score in ("one-hop", one), ("two-hop", two):
            mine = [r for r in rows if r["kind"] == kind]
            self.assertEqual([len(mine), sum(r["right"] for r in mine)], [score["asked"], score["right"]])
            for group in range(2):
                self.assertEqual(sum(r["sentences"][0]["ranks"][group] > 0 for r in mine) / len(mine), score["recall"][group]["first"])
        for r in rows:
            self.assertIn(r["expected"], r["sentences"][-1]["text"])
            self.assertTrue(0 <= r["sentences"][0]["first_chunk"] <= r["sentences"][0]["last_chunk"] < found["chunks"], r)
            if r["right"]:
                self.assertEqual(r["answer"].strip(" .").lower(), r["expected"].lower())

    def test_seeds(self):
        paths = [self.path(name) for name in ("1.jsonl", "again.jsonl", "2.jsonl")]
        for path, seed, lanes in zip(paths, ("1", "1", "2"), ("1", "0", "2")):
            self.eval("needle", "--tokens", "1K", "--facts", "3", "--seed", seed, "--lanes", lanes, "--answers", path)
        asked = []
        for path in paths:
            with open(path, "rb") as f:
                asked.append([(r["question"], r["answer"], r["sentences"]) for r in self.objects(f.read(), 3)])
        self.assertEqual(asked[0], asked[1])
        self.assertNotEqual(asked[0], asked[2])

    def test_table(self):
        out = self.eval("needle", "--tokens", "1K,2048", "--facts", "4").out.decode().splitlines()
        self.assertIn("made up for the purpose", out[0])
        heading, *rows = [line.split() for line in out[1:]]
        self.assertEqual(heading[:3], ["tokens", "chunks", "one-hop"])
        self.assertEqual(len(rows), 2)
        for row, length in zip(rows, (1024, 2048)):
            self.assertTrue(abs(int(row[0]) - length) <= 63, row)
            one, two = (tuple(map(int, row[i].split("/"))) for i in (2, 7))
            self.assertEqual(one[1] + two[1], 4)

    def test_passkey(self):
        found, = self.objects(self.eval("passkey", TEXTS, "--tokens", "1K", "--keys", "6", "--json", "--memory", "bf16").out, 1)
        self.assertEqual(set(found), FIELDS)
        self.assertEqual((found["task"], found["memory"]), ("passkey", "bf16"))
        score, = found["scores"]
        self.assertEqual((score["kind"], score["asked"]), ("pass key", 6))
        self.assertGreaterEqual(score["right"], 5)
        rows = self.eval("passkey", TEXTS, "--tokens", "1K", "--keys", "2").out.decode().splitlines()
        self.assertEqual(rows[1].split()[2:4], ["pass", "key"])
        self.assertEqual(rows[2].split()[2].split("/")[1], "2")

    def test_what_it_refuses(self):
        for wrong in "0", "K", "1K,", "4X", "-1K", "1K,,2K", ",".join(33 * ["1K"]):
            ran = self.eval("needle", "--tokens=" + wrong, code=2)
            self.assertIn(b"lengths like", ran.err)
        self.assertIn(b"1000 to", self.eval("needle", "--tokens", "999", code=2).err)
        self.assertIn(b"nosuch", self.eval("needle", self.path("nosuch"), code=2).err)
        os.mkdir(self.path("nothing"))
        self.assertIn(b"no text", self.eval("passkey", self.path("nothing"), "--tokens", "1K", code=2).err)
        self.assertIn(b"nosuch", self.drt("eval", "needle", "--scratch", self.path("nosuch"), *CPU, code=2).err)
        self.assertIn(b"answers", self.eval("needle", "--tokens", "1K", "--answers", self.path("no", "answers"), code=2).err)
        self.eval("needle", "--facts", "0", code=2)
        self.eval("passkey", "--keys", "2001", code=2)

    def test_a_disk_that_is_too_small(self):
        free = os.statvfs(self.scratch)
        self.assertLess(free.f_bavail * free.f_frsize, 1.5e12, "this test takes 4,000M tokens for too many")
        ran = self.eval("needle", "--tokens", "1K,4000M", code=2)
        self.assertEqual(ran.out, b"")                  # said before anything was read or tried
        self.assertRegex(ran.err, rb"takes about 1[0-9]{3}\.[0-9] GB and .*/scratch has [0-9.]+ GB free")

    def test_a_disk_that_fills_up(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (300000, 300000))
        ran = self.eval("needle", "--tokens", "4K", "--facts", "2", code=2, preexec_fn=limit)
        self.assertIn(b"drt: ", ran.err)

    def test_interrupt(self):
        run = self.start("eval", "needle", "--tokens", "128K", "--scratch", self.scratch, *CPU)
        until = time.time() + cli.SECONDS
        while not os.listdir(self.scratch) and time.time() < until:
            time.sleep(0.05)
        time.sleep(1)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(cli.SECONDS), 130)


cli.main()
