"""test_documents.py DRT: documents in a pseudo-terminal: ingest with completion, failures, stop and go on, filter, read, remove."""
import os, shutil, sys, tempfile, unittest, zipfile

from terminal import Terminal

DRT = os.path.abspath(sys.argv.pop(1))
LINES = "The keeper of the lighthouse at Marn is Odo Veldt. He trims the lamp at dusk and writes the weather down.\n"


class Documents(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="drt-documents-")
        self.addCleanup(shutil.rmtree, self.dir)

    def open(self):
        t = Terminal([DRT, "open", os.path.join(self.dir, "new.drt")], 24, 100, {"HOME": self.dir})
        self.addCleanup(t.end)
        self.see(t, "no library yet")
        return t

    def see(self, t, what, limit=20):
        """The text is on the screen, and this whole."""
        t.wait_for(what, limit)
        t.settle()

    def test_from_an_empty_library_to_a_removed_document(self):
        with zipfile.ZipFile(os.path.join(self.dir, "papers.zip"), "w") as z:
            z.writestr("Котик.txt", LINES)
            z.writestr("inner/Mill.txt", LINES + "The miller is Anna.\n" * 30)
            z.writestr("photo.png", b"\x89PNG\r\n\x1a\n" + bytes(200))
        t = self.open()
        t.press("i", "~/pap", "\t")
        self.see(t, "~/papers.zip")
        t.press("enter")
        self.see(t, "done in", 60)
        self.see(t, "1 skipped")
        self.assertIn("photo.png", t.text())
        t.press("esc")
        self.see(t, "2 documents")
        t.press("/", "КОТ")
        self.assertIn("Котик.txt", t.text())
        self.assertNotIn("Mill.txt", t.text())
        t.press("esc")
        t.press("/", "mill", "enter", "enter")
        self.see(t, "The miller is Anna.")
        t.press("/", "MILLER", "enter")
        self.see(t, "bytes ")
        t.press("esc")
        t.press("d")
        self.see(t, "remove this document?")
        t.press("enter")
        self.see(t, "1 document ")
        t.press("esc")
        self.see(t, "Котик.txt")
        self.assertNotIn("Mill.txt", t.text())
        t.press("q", settle=False)
        self.assertEqual(t.wait(), 0)
        t.check_restored()

    def test_an_ingest_is_stopped_and_goes_on_while_one_reads(self):
        os.mkdir(os.path.join(self.dir, "many"))
        for i in range(120):
            with open(os.path.join(self.dir, "many", "%03d.txt" % i), "w") as f:
                f.write("This is letter %d. " % i + LINES * 6)
        t = self.open()
        t.press("i", "~/many", "enter")
        self.see(t, "Ctrl-C stops it")
        t.press("esc")
        self.see(t, "\u2713 000.txt", 60) # listed while the ingest goes on
        self.assertIn("tokens/s", t.text())
        t.press("down", "enter")
        self.see(t, "This is letter 0.")
        t.press("esc")
        t.press("\x03", "I")
        self.see(t, "stopped after", 60)
        t.press("r")
        self.see(t, " known · ", 120) # the counts of the end
        self.assertIn("done in", t.text())
        self.assertNotIn(", 0 known", t.text())
        t.press("esc")
        self.see(t, "120 documents")


unittest.main()
