"""test_ingest.py: which members an ingest takes, what it would do, what it does with what has vanished."""
import io, os, signal, tarfile, time, zipfile

import cli


# Of files whose names are all but names.
NAMES = [b"esc\x1b[31m.txt", b"new\nline.txt", b"bad\xff.txt", b"quote\"'\\.txt", b"\xe2\x80\xaertl.txt", b"tab\t.txt", b" .txt"]


class Ingest(cli.Case):
    def documents(self, library="lib"):
        return sorted(d["document"] for d in self.ls(library))

    def tree(self):
        """a folder with a text in each place, and a broken archive"""
        for name in "a.txt", "a.md", "drafts/b.txt", "deep/er/c.txt":
            self.write("d/" + name, "This is %s of the mill." % name)
        with tarfile.open(self.path("d", "box.tar.gz"), "w:gz") as archive:
            for name in "in/e.txt", "in/e.md":
                data = ("This is %s in a box." % name).encode()
                info = tarfile.TarInfo(name)
                info.size = len(data)
                archive.addfile(info, io.BytesIO(data))

    def test_globs(self):
        self.tree()
        ran = self.drt("ingest", "lib", "d", "--include", "*.txt", "--exclude", "drafts", "--include=a.md", "--report", "report")
        self.assertEqual(self.documents(), ["d/a.md", "d/a.txt", "d/box.tar.gz/in/e.txt", "d/deep/er/c.txt"])
        self.assertRegex(ran.err.decode(), r"\A4 new documents in lib, 0 known, 0 skipped, 2 passed over; ")
        with open(self.path("report"), "rb") as f:
            self.objects(f.read(), 4)
        ran = self.drt("ingest", "lib", "d", "--exclude", "d/box*")
        self.assertRegex(ran.err.decode(), r"\A1 new documents in lib, 3 known, 0 skipped, 1 passed over; ")

    def test_globs_and_broken_members(self):
        self.write("d/a.txt", "The mill burned.")
        self.write("d/noise.bin", bytes(range(256)) * 8)
        self.write("d/bad.zip", b"PK\x03\x04nothing")
        self.drt("ingest", "lib", "d", "--include", "*.txt", code=1)      # something may be in the archive
        self.assertEqual(self.documents(), ["d/a.txt", "d/bad.zip"])
        self.drt("ingest", "lib2", "d", "--include", "*.txt", "--exclude", "*.zip")
        self.assertEqual(self.documents("lib2"), ["d/a.txt"])

    def test_jobs(self):
        for i in range(12):
            self.write("many/d%02d.txt" % i, ("The keeper number %d is Odo. " % i) * 40)
        p = self.start("ingest", "lib", "many", "--jobs", "30")
        most = 0
        while p.poll() is None and most <= 30:
            try:
                most = max(most, len(os.listdir("/proc/%d/task" % p.pid)))
            except FileNotFoundError:
                pass
        self.assertEqual(p.wait(cli.SECONDS), 0)
        self.assertGreater(most, 30)
        self.drt("ingest", "lib1", "many", "--jobs=1")
        self.assertEqual(self.ls("lib"), self.ls("lib1"))
        self.exactly("ingest", "lib", "many", "--jobs", "-1", code=2,
                     err="drt: ingest: --jobs takes a whole number from 0 to 256, not '-1'\nTry 'drt ingest --help'.\n")

    def sync(self, *args, code=0):
        """what was removed"""
        ran = self.drt("ingest", "--sync", "--report", "report", *args, code=code)
        with open(self.path("report"), "rb") as f:
            removed = [d for d in self.objects(f.read()) if d["status"] == "removed"]
        self.assertEqual(b", %d removed" % len(removed) in ran.err, bool(removed), ran)
        self.drt("verify", "lib")
        return sorted(d["document"] for d in removed)

    def test_sync(self):
        self.tree()
        self.write("other/e.txt", "The bridge is closed.")
        self.drt("ingest", "lib", "d", "other")
        self.assertEqual(self.sync("lib", "d"), [])
        os.remove(self.path("d", "a.md"))
        os.rename(self.path("d", "a.txt"), self.path("d", "z.txt"))
        os.remove(self.path("other", "e.txt"))
        self.write("d/drafts/b.txt", "Something else.")
        self.drt("ingest", "lib", "d")                                      # without --sync all stays
        self.assertIn("d/a.md", self.documents())
        self.assertEqual(self.sync("lib", "d"), ["d/a.md", "d/a.txt"])
        self.assertEqual(self.documents(), ["d/box.tar.gz/in/e.md", "d/box.tar.gz/in/e.txt", "d/deep/er/c.txt", "d/drafts/b.txt",
                                            "d/z.txt", "other/e.txt"])
        self.assertEqual(self.sync("lib", "other"), [])                     # it is empty: is it there at all?
        self.write("other/f.txt", "The bridge is open.")
        self.assertEqual(self.sync("lib", "other"), ["other/e.txt"])

    def test_sync_removes_nothing_that_may_be_there(self):
        self.tree()
        self.drt("ingest", "lib", "d")
        all_of_it = self.documents()
        os.remove(self.path("d", "a.md"))
        self.assertEqual(self.sync("lib", "d", "--exclude", "*.md"), [])    # it is not looked for
        self.assertEqual(self.sync("lib", "d", "--include", "*.txt"), [])
        with open(self.path("d", "box.tar.gz"), "r+b") as f:
            f.truncate(60)
        self.assertEqual(self.sync("lib", "d/drafts"), [])                  # other archives, other paths
        self.assertEqual(self.sync("lib", "d", code=1), ["d/a.md"])         # not what the damaged archive had
        os.rename(self.path("d"), self.path("away"))
        self.drt("ingest", "lib", "--sync", "d", code=2)
        self.assertLessEqual(set(all_of_it) - {"d/a.md"}, set(self.documents()))

    def test_sync_keeps_what_damage_hides(self):
        """the index of a sound archive, with damaged data inside: a mailbox, a message with files, an archive"""
        message = "From ada@x Tue Mar  3 10:00:00 2020\nFrom: Ada\nSubject: Number %d\n\nThe mill number %d burned %s.\n\n"
        box = "".join(message % (i, i, os.urandom(9).hex()) for i in range(80)).encode()
        letter = b"From: Ada\nSubject: Bridges\nContent-Type: multipart/mixed; boundary=b\n\n" + b"".join(
            b"--b\nContent-Disposition: attachment; filename=%d.txt\n\nThe bridge %d is closed %s.\n" % (i, i, os.urandom(9).hex().encode())
            for i in range(20)) + b"--b--\n"
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w") as archive:
            archive.writestr("in.txt", "The lamp was lit.")
            archive.writestr("out.txt", "The lamp went out.")
        path = self.path("box.zip")
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("mail.mbox", box)
            archive.writestr("letter.eml", letter)
            archive.writestr("inner.zip", inner.getvalue())
            archive.writestr("plain.txt", "A plain text.")
            offsets = {info.filename: info.header_offset + 30 + len(info.filename) + info.compress_size // 2 for info in archive.infolist()}
        self.drt("ingest", "lib", "box.zip")
        before = self.documents()
        self.assertEqual(len(before), 80 + 21 + 2 + 1)
        with open(path, "r+b") as f:
            for name in "mail.mbox", "letter.eml", "inner.zip":
                f.seek(offsets[name])
                f.write(b"\0" * 40)
        would = self.would("lib", "box.zip", "--sync", code=1)
        self.assertNotIn("removed", would.values())
        self.assertEqual(self.sync("lib", "box.zip", code=1), [])
        self.assertLessEqual(set(before), set(self.documents()))
        ran = self.drt("ingest", "lib", "box.zip", "--sync", code=1)
        self.assertRegex(ran.err.decode(), r"skipped: box.zip/mail.mbox: it is damaged ")
        self.assertRegex(ran.err.decode(), r", [0-9]+ kept \(what holds them could not be read wholly, or is empty\)[,;]")

    def test_sync_keeps_what_stands_behind_other_things_now(self):
        """folders and mailboxes that became links, or aren't looked into"""
        self.write("d/sub/a.txt", "The mill burned.")
        self.write("d/inbox", "From a@x Tue Mar  3 10:00:00 2020\nFrom: Ada\nSubject: x\n\nThe bridge is closed.\n")
        self.write("d/b.txt", "The lamp was lit.")
        self.drt("ingest", "lib", "d")
        before = self.documents()
        self.assertIn("d/inbox/1.eml", before)
        os.rename(self.path("d", "sub"), self.path("sub"))
        os.symlink("../sub", self.path("d", "sub"))
        os.remove(self.path("d", "inbox"))
        os.symlink("nowhere", self.path("d", "inbox"))
        self.assertEqual(self.sync("lib", "d", code=1), [])
        self.assertEqual(self.sync("lib", "d", "--include", "*.eml", "--include", "*.txt"), [])
        self.assertLessEqual(set(before), set(self.documents()))
        os.remove(self.path("d", "sub"))
        os.remove(self.path("d", "inbox"))
        self.assertEqual(self.sync("lib", "d"), ["d/inbox", "d/inbox/1.eml", "d/sub", "d/sub/a.txt"])

    def test_sync_of_a_tar_that_was_cut_between_members(self):
        self.tree()
        with tarfile.open(self.path("d", "plain.tar"), "w", format=tarfile.USTAR_FORMAT) as archive:
            for name in "x.txt", "y.txt":
                archive.add(self.path("d", "a.txt"), arcname=name)
        self.drt("ingest", "lib", "d")
        with open(self.path("d", "plain.tar"), "r+b") as f:
            f.truncate(1024)
        self.assertEqual(self.sync("lib", "d"), [])
        os.remove(self.path("d", "plain.tar"))
        self.assertEqual(self.sync("lib", "d"), ["d/plain.tar/x.txt", "d/plain.tar/y.txt"])

    def test_sync_keeps_other_paths_of_the_same_content(self):
        self.write("d/a.txt", "The mill burned.")
        self.write("e/copy.txt", "The mill burned.")
        self.write("d/b.txt", "The bridge is closed.")
        self.drt("ingest", "lib", "d", "e")
        os.remove(self.path("d", "a.txt"))
        self.assertEqual(self.sync("lib", "d"), ["d/a.txt"])
        self.assertEqual(self.documents(), ["d/b.txt", "e/copy.txt"])

    def test_interrupted_sync_removes_nothing(self):
        for i in range(24):
            self.write("d/%02d.txt" % i, ("The keeper number %d is Odo. " % i) * 20)
        self.drt("ingest", "lib", "d/00.txt", "d")
        os.remove(self.path("d", "23.txt"))
        for i in range(23):
            self.write("d/%02d.txt" % i, ("The keeper number %d is Anna. " % i) * 20)
        p = self.start("ingest", "lib", "--sync", "d")
        time.sleep(.1)
        p.send_signal(signal.SIGINT)
        out, err = p.communicate(timeout=cli.SECONDS)
        self.drt("verify", "lib")
        if p.returncode == 0:                                               # too late
            self.assertNotIn("d/23.txt", self.documents())
        elif b"removed" not in err:
            self.assertIn("d/23.txt", self.documents())

    def would(self, *args, code=0, **more):
        """what it says of each path, the same in its report"""
        ran = self.drt("ingest", "--dry-run", "--report", "report", *args, code=code, **more)
        said = [line.split(None, 1) for line in ran.out.decode().splitlines()]
        with open(self.path("report"), "rb") as f:
            report = [(d["would"], d["document"], d["reason"]) for d in self.objects(f.read())]
        self.reasons = {d: r for w, d, r in report}
        told = [[w, d + (": " + r if r else "")] for w, d, r in report]
        def plain(lines):
            return [line for line in lines if line[1].isascii() and line[1].isprintable() and "\\" not in line[1]]
        self.assertEqual(plain(said), plain(told))
        self.assertEqual(len(said), len(told))
        return {d: w for w, d, r in report}

    def test_dry_run(self):
        self.tree()
        self.write("d/drafts/same.txt", "This is a.txt of the mill.")
        self.write("d/noise.bin", bytes(range(256)) * 8)
        first = self.would("lib", "d", code=1, env={"DRT_MODEL": "/no/such/model"})     # it needs none
        self.assertEqual(first, {"d/a.md": "new", "d/a.txt": "new", "d/box.tar.gz/in/e.md": "new", "d/box.tar.gz/in/e.txt": "new",
                                 "d/deep/er/c.txt": "new", "d/drafts/b.txt": "new", "d/drafts/same.txt": "alias", "d/noise.bin": "skipped"})
        self.assertFalse(os.path.exists(self.path("lib")))
        self.drt("ingest", "lib", "d", code=1)
        self.assertEqual(set(self.would("lib", "d", code=1).values()), {"known", "skipped"})
        self.write("d/a.txt", "This is something else.")            # its old content is still that of drafts/same.txt
        os.rename(self.path("d", "a.md"), self.path("d", "b.md"))
        os.remove(self.path("d", "deep", "er", "c.txt"))
        before = self.ls("lib")
        changed = self.would("lib", "d", "--exclude", "*.bin", "--exclude", "drafts", "--sync")
        self.assertEqual(changed, {"d/a.txt": "changed", "d/b.md": "alias", "d/box.tar.gz/in/e.md": "known", "d/box.tar.gz/in/e.txt": "known",
                                   "d/a.md": "removed", "d/deep/er/c.txt": "removed"})
        self.assertEqual(self.ls("lib"), before)
        self.assertEqual(self.sync("lib", "d", "--exclude", "*.bin", "--exclude", "drafts"), ["d/a.md", "d/deep/er/c.txt"])

    def test_dry_run_where_no_library_can_be(self):
        self.write("d/a.txt", "The mill burned.")
        os.mkdir(self.path("empty"))
        self.assertEqual(self.would("empty", "d"), {"d/a.txt": "new"})
        self.assertEqual(os.listdir(self.path("empty")), [])
        for library in "d", "d/a.txt":
            ran = self.drt("ingest", "--dry-run", library, "d", code=2)
            self.assertEqual((ran.out, ran.err.count(b"\n")), (b"", 1), ran)

    def test_dry_run_foresees_what_the_ingest_does(self):
        """two files that change places: the second has content that lost its only path to the first"""
        self.write("d/a.txt", "The mill burned.")
        self.write("d/b.txt", "The bridge is closed.")
        self.drt("ingest", "lib", "d")
        self.write("d/a.txt", "The lamp was lit.")
        self.write("d/b.txt", "The mill burned.")
        self.assertEqual(self.would("lib", "d"), {"d/a.txt": "changed", "d/b.txt": "changed"})
        self.assertRegex(self.drt("ingest", "lib", "d").err.decode(), r"\A2 new documents in lib, 0 known")

    def compared(self, *args, code):
        """What a dry run says, and what then happens, in the same words."""
        would = self.would(*args, code=code)
        reasons = self.reasons
        self.drt("ingest", "--report", "report", *args, code=code)
        with open(self.path("report"), "rb") as f:
            done = self.objects(f.read())
        for d in done:
            status, path = d["status"], d["document"]
            self.assertIn(would.get(path), {"removed": ["removed"], "skipped": ["skipped"]}.get(
                status, ["known", "alias"] if d.get("known") else ["new", "changed"]), d)
            if status != "removed" and not d["known"]:
                self.assertEqual(reasons[path], d["reason"], d)
        self.assertEqual(len(done), len(would))
        return would

    def test_dry_run_says_what_the_ingest_does(self):
        self.tree()
        self.write("d/blank.txt", "   \n\n")
        self.write("d/bytes.txt", b"Text with bytes \xff\xfe that are none, and the rest is letters.")
        self.write("d/locked.eml", "From: a@b\nContent-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--\n")
        self.write("d/cut.eml", "From: a@b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nOne part of a letter.\n")
        self.write("d/no.pdf", "%PDF-1.4 nothing")
        self.write("d/noise.bin", bytes(range(256)) * 8)
        self.write("d/copy.txt", "This is a.txt of the mill.")
        for name in NAMES:
            with open(os.path.join(os.fsencode(self.path("d")), name), "wb") as f:
                f.write(b"In " + name.hex().encode())
        with zipfile.ZipFile(self.path("d", "box.zip"), "w") as archive:
            archive.writestr("x.txt", "The bridge is closed since the flood.")
            archive.writestr("y.txt", "The mill is closed since the fire.")
        first = self.compared("lib", "d", "--sync", code=1)
        self.assertEqual({first["d/" + n] for n in ("blank.txt", "locked.eml", "no.pdf", "noise.bin")}, {"skipped"})
        self.assertEqual(set(self.compared("lib", "d", "--sync", code=1).values()), {"known", "skipped"})
        self.write("d/blank.txt", "Not blank any more.")
        self.write("d/a.txt", "  ")                                # what was in stays
        os.rename(self.path("d", "a.md"), self.path("d", "moved.md"))
        os.utime(self.write("d/deep/er/c.txt", "This is d.txt of the mill."), (0, 0))     # as long as before, and older
        os.remove(self.path("d", "copy.txt"))
        with open(self.path("d", "box.zip"), "r+b") as f:
            f.seek(f.read().index(b"flood"))
            f.write(b"FLOOD")                                      # its sum is wrong now
        text = self.drt("show", "--text", "lib", "d/box.zip/x.txt").out
        second = self.compared("lib", "d", "--sync", code=1)
        self.assertEqual([second["d/" + n] for n in ("blank.txt", "a.txt", "moved.md", "deep/er/c.txt", "copy.txt", "a.md", "box.zip/x.txt")],
                         ["new", "skipped", "alias", "changed", "removed", "removed", "skipped"])
        self.assertEqual(self.drt("show", "--text", "lib", "d/box.zip/x.txt").out, text)
        self.assertEqual(self.drt("show", "--text", "lib", "d/a.txt").out, b"This is a.txt of the mill.\n")
        self.assertEqual(self.drt("show", "--text", "lib", "d/deep/er/c.txt").out, b"This is d.txt of the mill.\n")
        self.drt("verify", "lib")

    def test_report_that_cannot_be_written(self):
        self.write("a.txt", "The mill burned.")
        ran = self.drt("ingest", "lib", "a.txt", "--report", "no/such/folder/report", code=2)
        self.assertRegex(ran.err.decode(), r"\Adrt: cannot write the report no/such/folder/report: [^\n]*\n\Z")
        self.assertFalse(os.path.exists(self.path("lib")))
        ran = self.drt("ingest", "lib", "a.txt", "--report", "/dev/full", code=2)
        self.assertRegex(ran.err.decode(), r"the report /dev/full is not whole: No space left on device\n\Z")
        self.assertEqual(self.documents(), ["a.txt"])
        for report in "lib", "lib/catalog.sqlite", "./lib/../lib/catalog.sqlite", "lib/memory.bin":
            ran = self.drt("ingest", "lib", "a.txt", "--report", report, code=2)
            self.assertEqual(ran.err.count(b"\n"), 1, ran)
        self.drt("verify", "lib")
        self.drt("ingest", "lib", "a.txt", "--report", "a.txt", code=2)
        self.assertEqual(os.path.getsize(self.path("a.txt")), len("The mill burned."))

    def test_too_many_globs(self):
        self.write("a.txt", "The mill burned.")
        self.exactly("ingest", "lib", "a.txt", *["--include=*"] * 65, code=2,
                     err="drt: ingest: --include can be given 64 times, not more\nTry 'drt ingest --help'.\n")


cli.main()
