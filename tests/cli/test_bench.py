"""test_bench.py: drt bench ops, ingest and ask: their fields, plain output, and that nothing is left behind."""
import os, signal, time, unittest

import cli

INGEST = {"tokens", "chunks", "seconds", "tokens_per_second", "flop_per_token", "gemm_flop_per_second", "share_of_gemm",
          "encoder_tokens_per_second", "stages", "peak_bytes", "anonymous_bytes", "device_bytes", "device"}
ASK = {"chunks", "questions", "first_token_ms", "p95_ms", "slowest_ms", "token_ms", "total_ms", "tokens", "batch",
       "batch_questions_per_second", "library_bytes",
       "peak_bytes", "anonymous_bytes", "device_bytes", "device"}


OPS = {"operation", "shape", "seconds", "bytes", "link_bytes", "flop", "bound_seconds", "limit", "share_of_bound",
       "copy_bytes_per_second", "link_bytes_per_second", "gemm_flop_per_second"}
TABLE = {"upload", "download", "embed", "rms_norm", "unit_rms", "linear", "add", "swiglu", "split_qkv", "window_attention",
         "chunk_attention", "cross_attention", "landmarks_scan", "landmarks_histogram"}     # of kernels/backend.h, all that the CPU has


class Bench(cli.Case):
    def test_ops(self):
        found = self.objects(self.drt("bench", "ops", "--slots", "64", "--chunks", "500", "--json").out)
        self.assertEqual({o["operation"] for o in found}, TABLE)
        for o in found:
            self.assertEqual(set(o), OPS)
            self.assertAlmostEqual(o["share_of_bound"] * o["seconds"] / o["bound_seconds"], 1, 6)
        self.assertEqual({o["shape"] for o in found if o["operation"] == "landmarks_scan"}, {"500 chunks x %d" % q for q in (1, 2, 8, 32)})

    @unittest.skipIf(os.path.exists("/dev/nvidiactl"), "there may be a GPU")
    def test_cuda_without_a_gpu(self):
        """With the module (what CI builds where nvcc is) and without it: a sentence, nothing measured."""
        ran = self.drt("bench", "ops", "--device", "cuda", code=2)
        self.assertEqual(ran.out, b"")
        self.assertRegex(ran.err, rb"^drt: --device cuda: (this installation has no CUDA module|cannot use CUDA) [^\n]+\n$")

    def test_ops_in_words(self):
        lines = self.drt("bench", "ops", "--slots", "64", "--chunks", "500").out.decode().splitlines()
        self.assertTrue(lines[0].startswith("copy "), lines[0])
        self.assertEqual(lines[2].split()[:3], ["operation", "shape", "ms"])
        self.assertEqual({line.split()[0] for line in lines[3:]}, TABLE)
        ran = self.drt("bench", "ops", "--slots", "65", code=2)
        self.assertIn(b"64 slots", ran.err)

    def scratch(self):
        folder = self.path("scratch")
        os.mkdir(folder)
        return folder

    def test_ingest_of_made_up_text(self):
        folder = self.scratch()
        found, = self.objects(self.drt("bench", "ingest", "--tokens", "300", "--json", env={"TMPDIR": folder}).out, 1)
        self.assertEqual(set(found), INGEST)
        self.assertTrue(200 < found["tokens"] < 400, found)
        self.assertEqual(list(found["stages"]), ["read", "tokenise", "encode", "write", "index"])
        for stage in found["stages"].values():
            self.assertTrue(stage["amount"] > 0 and stage["busy_seconds"] > 0 and stage["threads"] >= 1, found)
        self.assertTrue(found["encoder_tokens_per_second"] > 0)
        self.assertAlmostEqual(found["tokens_per_second"] * found["seconds"] / found["tokens"], 1, 6)
        self.assertEqual(os.listdir(folder), [])

    def test_ingest_of_files(self):
        folder = self.scratch()
        ran = self.drt("bench", "ingest", "--scratch", folder, cli.DOCUMENTS)
        self.assertEqual([line.split()[0] for line in ran.out.decode().splitlines()], ["device", "tokens", "time", "model", "matrix", "read",
                         "tokenise", "encode", "write", "index", "encoder", "memory"])
        self.assertEqual(ran.err, b"")
        self.assertIn(b" 13 chunks", ran.out)       # as in tests/golden/trained
        self.assertEqual(os.listdir(folder), [])

    def test_ask(self):
        folder = self.scratch()
        found, = self.objects(self.drt("bench", "ask", "--chunks", "70", "--questions", "2", "--batch", "3", "--json", "--scratch",
                                        folder).out, 1)
        self.assertEqual(set(found), ASK)
        self.assertEqual((found["chunks"], found["questions"]), (70, 2))
        self.assertTrue(0 < found["first_token_ms"] <= found["p95_ms"] <= found["slowest_ms"], found)
        self.assertTrue(1 <= found["tokens"] <= 24 and found["total_ms"] >= found["first_token_ms"], found)
        self.assertTrue(found["batch"] == 3 and found["batch_questions_per_second"] > 0, found)
        self.assertEqual(found["device_bytes"], 0)
        self.assertEqual(os.listdir(folder), [])

    def test_nothing_to_measure(self):
        folder = self.scratch()
        self.drt("bench", "ask", "--scratch", self.path("nosuch"), "--chunks", "5", code=2)
        ran = self.drt("bench", "ingest", "--scratch", folder, self.path("nosuch"), code=2)
        self.assertIn(b"nosuch", ran.err)
        self.assertEqual(os.listdir(folder), [])
        self.drt("bench", "ask", "--chunks", "0", code=2)
        ran = self.drt("bench", "ask", "--chunks", "100000000", "--scratch", folder, code=2)
        self.assertRegex(ran.err, rb"takes about 2[0-9]{3}\.[0-9] GB and .*/scratch has [0-9.]+ GB free")

    def test_interrupt(self):
        folder = self.scratch()
        run = self.start("bench", "ask", "--chunks", "1000000", "--scratch", folder)
        until = time.time() + cli.SECONDS
        while not os.listdir(folder) and time.time() < until:
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        self.assertEqual(run.wait(cli.SECONDS), 130)
        self.assertEqual(os.listdir(folder), [])


cli.main()
