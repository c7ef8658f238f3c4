"""cli.py: what the command-line tests share: running drt, pseudo-terminals, strict JSON. Python's standard library only.

    cli.py DRT FIXTURE          makes the libraries that the tests read (ctest's fixture)
    test_NAME.py DRT FIXTURE    runs one group of tests; further arguments go to unittest (-v, a test's name)

Each run of drt happens in a scratch folder of its own with a small environment of its own.
"""
import errno, fcntl, json, os, pty, re, select, shutil, struct, subprocess, sys, tarfile, tempfile, termios, time, unittest

HERE = os.path.dirname(os.path.abspath(__file__))
DOCUMENTS = os.path.join(HERE, "..", "golden", "trained", "documents")
QUESTION = "Who was the first keeper of the lighthouse?"
ANSWER = "Margaret Sillitoe"
SECONDS = 120       # for one run; they take a fraction of it, but sanitizers and busy machines are slow
DRT = FIXTURE = None

# Names that drive terminals, and what in them must never get there raw.
NAMES = {b"esc\x1b[31mred.txt": b"\x1b[31m", b"osc\x1b]0;TITLE\x07.txt": b"\x1b]0;", b"bel\x07.txt": b"\x07", b"cr\rXX.txt": b"cr\r",
         b"c1\xc2\x9b31m.txt": b"\xc2\x9b", b"del\x7f.txt": b"\x7f", b"rlo\xe2\x80\xaetxt.exe.txt": b"\xe2\x80\xae",
         b"new\nline.txt": b"new\n", b"bad\xff\xe9.txt": b"\xff", b" two  spaces .txt": b"\xff", b"quote\"'\\.txt": b"\xff",
         b"$HOME `id`.txt": b"\xff", b"*.txt": b"\xff", b"-rf.txt": b"\xff", b"--json": b"\xff", b"n" * 240 + b".txt": b"\xff"}
# The same in texts.
TEXTS = [b"\x1b[2J\x1b[H", b"\x1b]52;c;cHduZWQ=\x07", b"\x1b]8;;http://x.example/\x1b\\", b"\x1bP1$tx\x1b\\", b"\x1b[?9001h", b"\x1b[31;5m",
         b"\x08\x08\x08", b"\x0e", b"\xc2\x9b31m", b"\x07", b"\x7f", b"\x1b[6n", b"\xe2\x80\xae"]


def environment(**more):
    env = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"}
    env.update({k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}, **more)
    return {k: v for k, v in env.items() if v is not None}


class Ran:
    """What one run left: code (negative: signal), out, err (bytes)."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return "exit %s\nstdout: %r\nstderr: %r" % (self.code, self.out[-2000:], self.err[-2000:])


def control(data):
    """the first raw control byte that is no line end or tab, or nothing"""
    found = re.search(rb"[\0-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", data)
    return found and found.group()


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.dir = os.path.realpath(tempfile.mkdtemp(prefix="cli-"))
        self.addCleanup(shutil.rmtree, self.dir, True)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def write(self, name, data):
        path = os.path.join(os.fsencode(self.dir), os.fsencode(name))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(data if isinstance(data, bytes) else data.encode())
        return os.fsdecode(path)

    def library(self, name):
        """a library of the fixture: read only by agreement, ask with --no-store"""
        return os.path.join(FIXTURE, name + ".drt")

    def copy(self, name):
        """one that the test may change"""
        to = self.path(name + ".drt")
        shutil.copytree(self.library(name), to)
        return to

    def drt(self, *args, input=b"", code=0, env={}, **more):
        """Runs it; code None: any."""
        p = subprocess.run([DRT, *args], input=input, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir, timeout=SECONDS,
                           env=environment(**env), **more)
        ran = Ran(p.returncode, p.stdout, p.stderr)
        if code is not None:
            self.assertEqual(ran.code, code, ran)
        return ran

    def start(self, *args, **more):
        p = subprocess.Popen([DRT, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.dir,
                             env=environment(), **more)
        self.addCleanup(self.end, p)
        return p

    def end(self, p):
        if p.poll() is None:
            p.kill()
        p.wait()
        for f in p.stdin, p.stdout, p.stderr:
            f.close()

    def exactly(self, *args, code=0, out="", err="", **more):
        ran = self.drt(*args, code=code, **more)
        self.assertEqual(ran.out.decode(), out)
        self.assertEqual(ran.err.decode(), err)

    def terminal(self, *args, code=0, env={}, size=(50, 200), input=None):
        """Runs it with a terminal as stdin (unless there is input), stdout and stderr; what was written there, CR LF as LF. code None: any."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        p = subprocess.Popen([DRT, *args], stdin=slave if input is None else subprocess.PIPE, stdout=slave, stderr=slave, cwd=self.dir,
                             env=environment(**env), start_new_session=True)
        os.close(slave)
        if input is not None:
            p.stdin.write(input)
            p.stdin.close()
        out, until = b"", time.time() + SECONDS
        while time.time() < until:
            if not select.select([master], [], [], 1)[0]:
                continue
            try:
                data = os.read(master, 65536)
            except OSError as e:
                if e.errno != errno.EIO:
                    raise
                data = b""
            if not data:
                break
            out += data
        os.close(master)
        if p.poll() is None and time.time() >= until:
            p.kill()
        p.wait()
        if code is not None:
            self.assertEqual(p.returncode, code, out)
        return out.replace(b"\r\n", b"\n")

    def objects(self, out, n=None):
        """JSON lines, strictly"""
        def refuse(constant):
            raise ValueError(constant + " is not JSON")
        self.assertTrue(out == b"" or out.endswith(b"\n"), out[-80:])
        self.assertIsNone(control(out))
        found = [json.loads(line, parse_constant=refuse) for line in out.decode("utf-8").split("\n")[:-1]]
        for o in found:
            json.dumps(o, ensure_ascii=False).encode("utf-8")   # no half surrogate pairs
        if n is not None:
            self.assertEqual(len(found), n, out[:2000])
        return found

    def ls(self, library):
        return self.objects(self.drt("ls", "--json", library).out)


def make_fixture():
    """town: the golden documents. evil: hostile names, in a folder and in a tar. texts: hostile texts."""
    shutil.rmtree(FIXTURE, ignore_errors=True)
    town, evil, texts = (os.path.join(FIXTURE, n) for n in ("town", "evil", "texts"))
    shutil.copytree(DOCUMENTS, town)
    os.mkdir(evil)
    os.mkdir(texts)
    tar = os.path.join(FIXTURE, "evil.tar")
    with tarfile.open(tar, "w", errors="surrogateescape") as archive:
        for i, name in enumerate(NAMES):
            path = os.path.join(os.fsencode(evil), name)
            with open(path, "wb") as f:
                f.write(b"The lighthouse keeper in document %d is Odo.\n" % i)
            inside = path + b"2"
            with open(inside, "wb") as f:
                f.write(b"The miller in document %d is Anna.\n" % i)
            archive.add(os.fsdecode(inside), arcname=os.fsdecode(b"in/" + name))
            os.remove(inside)
    for i, bad in enumerate(TEXTS):
        with open(os.path.join(texts, "a%02d.txt" % i), "wb") as f:
            f.write(b"The keeper of the lighthouse at Marn is " + bad + b"Odo Veldt" + bad + b". The lamp is lit at dusk.\n")
    for name, paths, codes in ("town", [town], (0,)), ("evil", [evil, tar], (0, 1)), ("texts", [texts], (0, 1)):
        p = subprocess.run([DRT, "ingest", os.path.join(FIXTURE, name + ".drt"), *paths], env=environment(), stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, timeout=SECONDS)
        if p.returncode not in codes:
            sys.exit("cannot make the library %s: exit %d\n%s" % (name, p.returncode, p.stdout.decode("utf-8", "replace")))


def main():
    global DRT, FIXTURE
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    DRT, FIXTURE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    unittest.main("__main__", argv=[sys.argv[0], *sys.argv[3:]])


if __name__ == "__main__":
    DRT, FIXTURE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    make_fixture()
