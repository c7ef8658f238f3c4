"""hostile.py WALK DRT [--cases N] [--seed S] [--slow] [--keep]: hostile input, and what drt makes of it.

1. Each case of generate.py is walked by WALK (walk_each.c) in a process of its own: it ends in time and within memory, and
   every member has a status, with a reason unless all of it is in; its text is normalised and from no other file.
2. The cases are ingested by DRT in batches with a witness before and behind them, with a tiny model: the witnesses are in,
   every file is told of, the library verifies, no control byte is printed, no file is made elsewhere.
3. The same for a folder of odd names, links and pipes.
--slow: also lines of 500 MB. --keep: the scratch folder stays. CI runs a seeded share; `--cases 10000` is for people.
Cases that fail are named; put their files into seeds/ once they are mended."""
import argparse
import gzip
import json
import os
import pty
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import collections

import generate

SECONDS, MEGABYTES = 60, 1024
BATCH, BATCH_SECONDS, LARGEST = 400, 600, 1 << 20  # cases of a batch, and bytes of one in it
BATCH_MEGABYTES = 2048
CONTROL = re.compile(rb"[\0-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
ODD_NAMES = [b"esc\x1b[31mred.txt", b"osc\x1b]0;t\x07.txt", b"line\nfeed.txt", b"cr\r.txt", b"c1\xc2\x9b31m.txt", b"bad\xff\xfe.txt", b"del\x7f.txt",
             b"n" * 251 + b".txt", b"-rf.txt", b"--help", b"%s%n.txt", b" .txt", b"rlo\xe2\x80\xaetxt.exe", b"$(id).txt", b"*.txt", b"\\.txt"]


class Failures(list):
    def note(self, where, what):
        self.append((where, what))
        print("FAULT %s: %s" % (where, what), flush=True)


def walk_all(walk, names, faults, seconds):
    """Every case by itself."""
    given = "\n".join(names) + "\n"
    out = subprocess.run([walk, str(seconds), str(MEGABYTES)], input=given.encode(), stdout=subprocess.PIPE).stdout.decode("utf-8", "replace")
    lines = out.splitlines()
    if len(lines) != len(names):
        faults.note("walk_each", "%d lines for %d cases" % (len(lines), len(names)))
    statuses, slowest, largest = collections.Counter(), (0, ""), (0, "")
    for line in lines:
        end, milliseconds, megabytes, ok, partial, skipped, path = line.split("\t")
        if end != "done":
            faults.note(os.path.basename(path), end)
        slowest = max(slowest, (int(milliseconds), os.path.basename(path)))
        largest = max(largest, (int(megabytes), os.path.basename(path)))
        statuses.update(ok=int(ok), partial=int(partial), skipped=int(skipped))
    print("%d cases walked: members %s; slowest %d ms (%s), largest %d MiB (%s)" % (
        len(lines), ", ".join("%d %s" % (n, s) for s, n in sorted(statuses.items())), *slowest, *largest), flush=True)


class Program:
    def __init__(self, drt, model, scratch, faults):
        self.drt, self.model, self.scratch, self.faults = drt, model, scratch, faults
        self.environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": scratch, "TMPDIR": scratch, "NO_COLOR": "1", "DRT_MODEL": model,
                            **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}

    def run(self, where, *arguments, codes=(0,)):
        start = time.monotonic()
        p = subprocess.Popen([self.drt, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=self.environment)
        timer = threading.Timer(BATCH_SECONDS, p.kill)
        timer.start()
        out, err = p.communicate()
        timer.cancel()
        if p.returncode not in codes:
            self.faults.note(where, "drt %s: exit %d after %.0f s: %r" % (arguments[0], p.returncode, time.monotonic() - start, err[-500:]))
        for stream in out, err:
            found = CONTROL.search(stream)
            if found:
                self.faults.note(where, "drt %s prints %r" % (arguments[0], stream[max(0, found.start() - 40):found.end()]))
        return out

    def on_terminal(self, where, *arguments):
        """Standard output and error on a terminal; progress begins its line again."""
        master, slave = pty.openpty()
        p = subprocess.Popen([self.drt, *arguments], stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=self.environment)
        os.close(slave)
        out = b""
        while True:
            try:
                block = os.read(master, 65536)
            except OSError:
                break
            if not block:
                break
            out += block
        os.close(master)
        p.wait()
        found = CONTROL.search(out.replace(b"\r", b"\n"))
        if found:
            self.faults.note(where, "drt %s on a terminal prints %r" % (arguments[0], out[max(0, found.start() - 40):found.end()]))

    def files(self):
        return {os.path.join(folder, name) for folder, folders, names in os.walk(self.scratch) for name in folders + names}

    def ingest(self, where, folder, expected):
        """A folder whose witnesses are *-witness.txt; expected: names of files that must be told of."""
        library, report = os.path.join(self.scratch, "library.drt"), os.path.join(self.scratch, "report.jsonl")
        before = self.files()
        self.run(where, "ingest", "--report", report, library, folder, codes=(0, 1))
        for path in self.files() ^ before:
            if not path.startswith((library, report)):
                self.faults.note(where, "drt ingest makes or removes %r" % path)
        rows = []
        try:
            with open(report, "rb") as f:
                rows = [json.loads(line) for line in f]
        except (OSError, ValueError) as e:
            self.faults.note(where, "the report: %s" % e)
        told = {row["document"].split("/")[1] for row in rows if "/" in row["document"]}
        for row in rows:
            if row["status"] != "ok" and not row["reason"]:
                self.faults.note(where, "%s without a reason: %s" % (row["status"], row["document"]))
        for witness in [row for row in rows if row["document"].endswith("-witness.txt")]:
            if witness["status"] != "ok":
                self.faults.note(where, "a witness is %s" % witness["status"])
        for name in expected - told:
            self.faults.note(where, "nothing is told of %s" % name)
        self.run(where, "verify", library)
        listed = self.run(where, "ls", "--json", "--all", library) if "--all" in self.run(where, "ls", "--help").decode() else self.run(where, "ls", "--json", library)
        for line in listed.splitlines():
            json.loads(line)
        self.on_terminal(where, "ls", library)
        self.on_terminal(where, "ingest", library, folder)
        self.on_terminal(where, "search", "--retriever", "bm25", library, "lamp of Harrow Fen")
        text = self.run(where, "show", "--text", library, "%s/000-witness.txt" % os.path.basename(folder))
        if generate.WITNESS.encode() not in text:
            self.faults.note(where, "the witness's text is %r" % text[:200])
        shutil.rmtree(library, True)
        return collections.Counter(row["status"] for row in rows)


def put_witnesses(folder):
    for name in "000-witness.txt", "zzz-witness.txt":
        with open(os.path.join(folder, name), "w") as f:
            f.write(generate.WITNESS + (" First." if name < "1" else " Last.") + "\n")


def ingest_batches(program, cases, paths):
    """Files are moved into folders of BATCH, large ones left out."""
    small = [p for p in paths if os.path.getsize(p) <= LARGEST]
    statuses, start = collections.Counter(), time.monotonic()
    for first in range(0, len(small), BATCH):
        folder = os.path.join(program.scratch, "batch")
        os.mkdir(folder)
        put_witnesses(folder)
        names = set()
        for path in small[first:first + BATCH]:
            names.add(os.path.basename(path))
            os.rename(path, os.path.join(folder, os.path.basename(path)))
        statuses += program.ingest("batch %d" % (first // BATCH), folder, names | {"000-witness.txt", "zzz-witness.txt"})
        shutil.rmtree(folder)
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
    if largest > BATCH_MEGABYTES:
        program.faults.note("batches", "drt takes %d MiB" % largest)
    print("%d cases ingested in batches: members %s; %.0f s, at most %d MiB" % (
        len(small), ", ".join("%d %s" % (n, s) for s, n in sorted(statuses.items())), time.monotonic() - start, largest), flush=True)


def ingest_odd_folder(program):
    folder = os.path.join(program.scratch, "odd")
    os.mkdir(folder)
    put_witnesses(folder)
    for i, name in enumerate(ODD_NAMES):
        with open(os.path.join(os.fsencode(folder), name), "w") as f:
            f.write("File %d with an odd name.\n" % i)
    os.symlink("loop", os.path.join(folder, "loop"))
    os.symlink(".", os.path.join(folder, "self"))
    os.symlink("/etc", os.path.join(folder, "etc"))
    os.mkfifo(os.path.join(folder, "pipe"))
    deep = folder
    for _ in range(150):
        deep = os.path.join(deep, "d")
        os.mkdir(deep)
    with open(os.path.join(deep, "deep.txt"), "w") as f:
        f.write("A text far down.\n")
    os.mkdir(os.path.join(folder, "nothing"))
    print("odd names: %s" % dict(program.ingest("odd names", folder, {"loop", "self", "etc", "pipe", "-rf.txt", "--help", "%s%n.txt"})), flush=True)
    shutil.rmtree(folder)


def walk_long_lines(walk, scratch, faults):
    """500 MB without a line end: as a text, as a text with words, packed, as a hole, and between the messages of a mailbox; and
    lines that are just short enough to be read, 240 MB in several encodings."""
    names = [os.path.join(scratch, name) for name in ("letters.txt", "words.txt", "words.txt.gz", "hole.txt", "line.mbox", "utf-8.txt",
                                                      "latin-1.txt", "utf-16.txt")]
    with open(names[0], "wb") as f:
        for _ in range(500):
            f.write(b"w" * (1 << 20))
    with open(names[1], "wb") as f, gzip.open(names[2], "wb", 1) as packed:
        for _ in range(250):
            f.write(b"word " * (200 << 10))
            packed.write(b"word " * (400 << 10))
    with open(names[3], "wb") as f:
        f.truncate(500 << 20)
    message = b"From a@b Thu Jan  1 00:00:00 1970\nFrom: a@b\n\n"
    with open(names[4], "wb") as f:
        f.write(message + b"one\n\n" + message)
        for _ in range(500):
            f.write(b"w" * (1 << 20))
        f.write(b"\n\n" + message + b"three\n")
    for name, word in zip(names[5:], (b"word ", b"w\xf6rd ", "word ".encode("utf-16-le"))):
        with open(name, "wb") as f:
            f.write(b"\xff\xfe" if len(word) > 5 else b"")
            for _ in range(240):
                f.write(word * ((1 << 20) // len(word)))
    walk_all(walk, names, faults, 300)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("walk")
    ap.add_argument("drt")
    ap.add_argument("--cases", type=int, default=600)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--slow", action="store_true")
    ap.add_argument("--keep", action="store_true")
    o = ap.parse_args()
    walk, drt = os.path.abspath(o.walk), os.path.abspath(o.drt)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faults, scratch = Failures(), tempfile.mkdtemp(prefix="hostile-")
    try:
        model, folder = os.path.join(scratch, "model"), os.path.join(scratch, "cases")
        os.mkdir(model)
        os.mkdir(folder)
        subprocess.run([walk, "--model", model], check=True)
        start, paths = time.monotonic(), []
        for name, data in generate.cases(o.cases, o.seed):
            paths.append(os.path.join(folder, re.sub(r"[^ -~]|\\", "?", name)))
            with open(paths[-1], "wb") as f:
                f.write(data)
        print("%d cases made in %.0f s" % (len(paths), time.monotonic() - start), flush=True)
        walk_all(walk, paths, faults, SECONDS)
        program = Program(drt, model, scratch, faults)
        ingest_batches(program, o.cases, paths)
        ingest_odd_folder(program)
        if o.slow:
            walk_long_lines(walk, scratch, faults)
    finally:
        if o.keep:
            print("kept: " + scratch)
        else:
            shutil.rmtree(scratch, True)
    print("%d faults" % len(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
