"""crash_ingest.py DRT MODEL [KILLS]: kills `drt ingest` (SIGKILL) again and again, at random moments and while it
commits. After each kill the library must verify, hold whole documents only, and have lost none that was there
before; the same command then completes it. Python's standard library only."""
import json, os, random, shutil, subprocess, sys, tempfile, time, zipfile

DRT, MODEL = sys.argv[1:3]
KILLS = int(sys.argv[3]) if len(sys.argv) > 3 else 12
N_MEMBERS = 90
WORDS = "harbour lantern bridge winter council letter garden stone river ship mill tower market bell road field".split()
SECONDS = 120  # for one run of drt


def text_of(number):
    words = random.Random(number)
    return "Record %d. %s." % (number, " ".join(words.choice(WORDS) for _ in range(words.randrange(20, 200))))


def run(*arguments, codes=(0,)):
    done = subprocess.run([DRT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS)
    if done.returncode not in codes:
        sys.exit("drt %s: exit %s\n%s" % (" ".join(arguments), done.returncode, done.stderr.decode("utf-8", "replace")))
    return done.stdout.decode("utf-8")


class Crash:
    def __init__(self, folder):
        self.library = os.path.join(folder, "lib.drt")
        self.sources = [os.path.join(folder, "records.zip"), os.path.join(folder, "notes")]
        self.expected = {}  # path -> text
        self.seen = {}      # path -> document id, of those whose text was compared
        os.mkdir(self.sources[1])
        with zipfile.ZipFile(self.sources[0], "w") as archive:
            for number in range(N_MEMBERS):
                name = "%d.txt" % number
                if number % 3:
                    archive.writestr(name, text_of(number))
                    self.expected["records.zip/" + name] = text_of(number)
                else:
                    with open(os.path.join(self.sources[1], name), "w", encoding="utf-8") as note:
                        note.write(text_of(number))
                    self.expected["notes/" + name] = text_of(number)

    def command(self):
        return ["ingest", "--model", MODEL, self.library, *self.sources]

    def exists(self):
        return os.path.exists(os.path.join(self.library, "catalog.sqlite"))

    def start_and_kill(self, choice):
        """kills after some time, or some moments after a transaction has begun"""
        child = subprocess.Popen([DRT, *self.command()], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        journal = os.path.join(self.library, "catalog.sqlite-journal")
        end = time.monotonic() + choice.uniform(0.1, 3)
        if choice.random() < 0.6:
            while child.poll() is None and not os.path.exists(journal):
                time.sleep(0.0005)
            end = time.monotonic() + choice.choice([0, 0.001, 0.005, 0.02, 0.1])
        while child.poll() is None and time.monotonic() < end:
            time.sleep(0.0005)
        child.kill()
        return child.wait() < 0

    def check(self):
        """whole documents only, and all that were there before; returns how many"""
        run("verify", self.library)
        documents = [json.loads(line) for line in run("ls", "--json", self.library).splitlines()]
        paths = {d["document"]: d["id"] for d in documents}
        assert len(paths) == len(documents), "a path is listed twice"
        assert not set(self.seen.items()) - set(paths.items()), "a committed document is gone"
        assert not set(paths) - set(self.expected), "a document that was never given"
        for path in set(paths) - set(self.seen):
            shown = run("show", self.library, "doc:%d" % paths[path])
            assert shown.split("\n\n", 1)[1].rstrip("\n") == self.expected[path], path + " is not whole"
        self.seen = paths
        return len(paths)


def main(folder):
    choice = random.Random(7)
    crash = Crash(folder)
    kills = 0
    while kills < KILLS:
        if len(crash.seen) == N_MEMBERS:  # complete: from the start again
            shutil.rmtree(crash.library)
            crash.seen = {}
        kills += crash.start_and_kill(choice)
        if crash.exists():
            crash.check()
        else:
            run("verify", crash.library, codes=(2,))
    run(*crash.command())
    assert crash.check() == N_MEMBERS, "the last run has not completed the library"
    found = json.loads(run("search", "--model", MODEL, "--json", "--retriever", "bm25", crash.library, "Record 41"))
    assert found["groups"][0]["hits"][0]["document"] == "records.zip/41.txt"
    print("%d kills, %d documents at the end" % (kills, len(crash.seen)))


scratch = tempfile.mkdtemp(prefix="drt-crash-")
try:
    main(scratch)
finally:
    shutil.rmtree(scratch, True)
