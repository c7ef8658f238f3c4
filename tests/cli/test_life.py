"""test_life.py: signals, readers that go away, full disks, closed streams."""
import os, resource, shutil, signal, subprocess, time

import cli


def limit(size):
    def set():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return set


class Life(cli.Case):
    def stop(self, numbers, code):
        """a batch that signals stop: whole lines, the library intact"""
        lib = self.copy("town")
        p = self.start("ask", lib, "--json")
        p.stdin.write((cli.QUESTION + "\n").encode() * 500)
        p.stdin.flush()
        first = p.stdout.readline()
        for number in numbers:
            p.send_signal(number)
            time.sleep(.1)
        out, err = p.communicate(timeout=cli.SECONDS)
        found = self.objects(first + out)
        self.assertLess(len(found), 500)
        self.assertEqual(p.returncode, code, err)
        self.drt("verify", lib)

    def test_one_interrupt_ends_a_batch(self):
        self.stop([signal.SIGINT], 130)

    def test_two_interrupts_end_a_batch(self):
        self.stop([signal.SIGINT, signal.SIGINT], 130)

    def test_termination(self):
        self.stop([signal.SIGTERM], 143)

    def test_interrupt_while_waiting_for_a_question(self):
        p = self.start("ask", self.library("town"), "--json", "--no-store")
        p.stdin.write(cli.QUESTION.encode() + b"\n")
        p.stdin.flush()
        self.objects(p.stdout.readline(), 1)
        time.sleep(.2)
        p.send_signal(signal.SIGINT)
        self.assertEqual(p.wait(cli.SECONDS), 130)

    def test_interrupted_ingest_goes_on_later(self):
        for i in range(24):
            self.write("many/d%02d.txt" % i, ("The keeper number %d is Odo. " % i) * 20)
        p = self.start("ingest", "lib", "many")
        until = time.time() + cli.SECONDS
        while not os.path.exists(self.path("lib", "catalog.sqlite")) and time.time() < until:
            time.sleep(.01)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=cli.SECONDS)
        self.assertIn(p.returncode, (130, 0), err)
        self.drt("verify", "lib")
        self.drt("ingest", "lib", "many")
        self.assertEqual(len(self.ls("lib")), 24)
        self.drt("verify", "lib")

    def test_reader_goes_away(self):
        p = self.start("ask", self.library("town"), "--json", "--no-store")
        p.stdin.write((cli.QUESTION + "\n").encode() * 300)
        p.stdin.flush()
        p.stdout.readline()
        p.stdout.close()
        self.assertEqual(p.wait(cli.SECONDS), -signal.SIGPIPE)
        self.assertEqual(p.stderr.read(), b"")
        for args in ("ls", self.library("town")), ("--help",), ("info",), ("show", self.library("town"), "doc:1"):
            p = self.start(*args)
            p.stdout.close()
            self.assertIn(p.wait(cli.SECONDS), (-signal.SIGPIPE, 0))
            self.assertEqual(p.stderr.read(), b"")

    def test_full_output(self):
        lib = self.library("town")
        for args in ("ls", lib), ("--help",), ("ask", lib, "--no-store", cli.QUESTION), ("search", lib, "--json", "x"), ("show", lib, "doc:1"), ("ask", "--help"):
            with open("/dev/full", "wb") as full:
                p = subprocess.run([cli.DRT, *args], stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, env=cli.environment(), timeout=cli.SECONDS)
            self.assertEqual((p.returncode, p.stderr), (2, b"drt: cannot write to standard output: No space left on device\n"), args)
        with open("/dev/full", "wb") as full:       # a batch ends at the first answer that is lost
            p = subprocess.run([cli.DRT, "ask", lib, "--no-store", "--json"], input=(cli.QUESTION + "\n").encode() * 50, stdout=full, stderr=subprocess.PIPE,
                               env=cli.environment(), timeout=cli.SECONDS)
        self.assertEqual((p.returncode, p.stderr.count(b"\n")), (2, 1))

    def test_closed_streams(self):
        """their numbers go to no file of the library"""
        lib = self.copy("town")
        self.write("mill.txt", "The mill of Tarn burned in the dry summer.")

        def close(*fds):
            def do():
                for fd in fds:
                    os.close(fd)
            return do
        for fds, args, code in ((1,), ("ls", lib), 2), ((0, 1, 2), ("ls", lib), 2), ((0, 1, 2), ("ingest", lib, "mill.txt"), 0), ((0,), ("ask", lib), 2):
            p = subprocess.run([cli.DRT, *args], cwd=self.dir, env=cli.environment(), preexec_fn=close(*fds), close_fds=True, timeout=cli.SECONDS)
            self.assertEqual(p.returncode, code, args)
        self.drt("verify", lib)
        self.assertIn("mill.txt", [d["document"] for d in self.ls(lib)])

    def test_files_that_cannot_grow(self):
        for i in range(20):
            self.write("full/d%02d.txt" % i, ("The keeper number %d is Odo. " % i) * 40)
        for size in 64 << 10, 400 << 10:
            lib = self.copy("town")
            ran = self.drt("ingest", lib, "full", code=None, preexec_fn=limit(size))
            self.assertIn(ran.code, (1, 2), ran)
            self.assertNotEqual(ran.err.strip(), b"")
            self.drt("verify", lib)
            self.assertIn("town/1_lighthouse.txt", [d["document"] for d in self.ls(lib)])
            shutil.rmtree(lib)

    def test_nothing_outside_the_library(self):
        os.mkdir(self.path("home"))
        self.write("mill.txt", "The mill of Tarn burned in the dry summer.")
        env = {"HOME": self.path("home"), "TMPDIR": self.path("home")}
        self.drt("ingest", "lib", "mill.txt", env=env)
        self.drt("ask", "lib", "What burned?", env=env)
        self.assertEqual(sorted(os.listdir(self.dir)), ["home", "lib", "mill.txt"])
        self.assertEqual(os.listdir(self.path("home")), [])


cli.main()
