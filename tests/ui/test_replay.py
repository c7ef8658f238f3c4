"""test_replay.py DRT SOURCE: past questions in a pseudo-terminal, where no model can be loaded: replayed with their
trace, looked at token by token, exported, deleted; and the command palette."""
import json, os, shutil, subprocess, sys, tempfile, unittest

from terminal import Terminal

SOURCE = os.path.abspath(sys.argv.pop())
DRT = os.path.abspath(sys.argv.pop(1))
DOCUMENTS = os.path.join(SOURCE, "tests/golden/trained/documents")
QUESTIONS = "Who built the lighthouse?", "Who was the first keeper?"


def drt(*arguments, **options):
    return subprocess.run([DRT, *arguments], capture_output=True, check=True, timeout=120, **options).stdout


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix="drt-ui-")
        cls.addClassCleanup(shutil.rmtree, cls.made)
        model, library = os.path.join(SOURCE, "samples/model"), os.path.join(cls.made, "town.drt")
        drt("ingest", "--model", model, library, DOCUMENTS)
        for question in QUESTIONS:
            drt("ask", "--model", model, "--max-tokens", "8", library, question)

    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="drt-ui-")
        self.addCleanup(shutil.rmtree, self.dir)
        self.library = os.path.join(self.dir, "town.drt")
        shutil.copytree(os.path.join(self.made, "town.drt"), self.library)

    def open(self, rows=40, columns=120):
        t = Terminal([DRT, "open", "--model", os.path.join(self.dir, "no-model"), self.library], rows, columns,
                     {"HOME": self.dir}, cwd=self.dir)
        self.addCleanup(t.end)
        t.wait_for("3 documents")
        t.settle()
        return t

    def replay(self, t, *keys):
        t.press("s", *keys, "enter")
        t.wait_for("first after")

    def quit(self, t):
        t.press("q", settle=False)
        self.assertEqual(t.wait(), 0)
        t.check_restored()

    def test_a_question_is_found_and_shown_again(self):
        t = self.open()
        self.replay(t, "/", "FIRST", "down")
        self.assertIn(QUESTIONS[1], t.text())
        self.assertNotIn(QUESTIONS[0], t.text())
        t.press("esc")
        t.press("4")
        t.wait_for("of 4  Margaret")
        t.press("home", "<", "<", "<", "<")
        t.wait_for("token 1 of 4")
        t.press(".", ".")
        t.wait_for("token 3 of 4")
        self.assertIn(" 8 = ", t.text())
        self.assertIn("hit 1 of", t.text())
        t.press("]")
        t.wait_for("hit 2 of")
        self.quit(t)

    def test_export(self):
        t = self.open()
        self.replay(t)
        t.press("esc")
        session = json.loads(drt("sessions", "--json", self.library).splitlines()[0])["session"]
        name = "answer-%d.json" % session
        t.press("E")
        t.wait_for(name)
        t.press("enter")
        t.wait_for("Written: " + name)
        with open(os.path.join(self.dir, name), "rb") as file:
            written = file.read()
        self.assertEqual(written, drt("sessions", "--json", self.library, str(session)))
        self.assertEqual(len(json.loads(written)["attention"]), 4)
        with open(os.path.join(self.dir, name), "w") as file:
            file.write("mine")
        t.press("E", "enter")
        t.wait_for("There is such a file already.")
        t.press("esc")
        t.press("esc")
        with open(os.path.join(self.dir, name)) as file:
            self.assertEqual(file.read(), "mine")
        t.press("E", "enter", "enter")
        t.wait_for("Written: " + name)
        with open(os.path.join(self.dir, name), "rb") as file:
            self.assertEqual(file.read(), written)
        self.assertFalse(os.path.exists(os.path.join(self.dir, name + ".part")))
        t.press("e", "\x15", "no/such/folder/a.txt", "enter")
        t.wait_for("Cannot write no/such/folder/a.txt: No such file or directory.")
        t.press("e", "\x15", "~/a.txt", "enter")
        t.wait_for("Written: ")
        with open(os.path.join(self.dir, "a.txt")) as file:
            self.assertIn("\nAnswer\n", file.read())
        self.quit(t)

    def test_delete(self):
        t = self.open(24, 80)
        t.press("s", "d")
        t.wait_for("Delete this question")
        t.press("esc")
        self.assertIn(QUESTIONS[1], t.text())
        t.press("d", "enter")
        t.settle(.4)
        self.assertNotIn(QUESTIONS[1], t.text())
        self.assertIn(QUESTIONS[0], t.text())
        t.press("esc")
        self.quit(t)
        self.assertEqual(len(drt("sessions", "--json", self.library).splitlines()), 1)

    def test_palette(self):
        t = self.open(24, 80)
        t.press(":", "past", "enter")
        t.wait_for("past questions")
        t.press("esc")
        t.press(":", "theme", "enter")
        t.wait_for("Theme: light.")
        t.press(":")
        t.press("esc")
        t.press(":", "quit")
        t.press("enter", settle=False)
        self.assertEqual(t.wait(), 0)
        t.check_restored()


unittest.main()
