"""test_journey.py DRT SOURCE: a new user's way through the front end in a pseudo-terminal: ingest, ask, inspect,
export, quit; with windows of every size and text in many scripts."""
import json, os, random, shutil, sys, tempfile, time, unittest

from terminal import Terminal

SOURCE = os.path.abspath(sys.argv.pop())
DRT = os.path.abspath(sys.argv.pop(1))
DOCUMENTS = os.path.join(SOURCE, "tests/golden/trained/documents")
QUESTION = "Who built the lighthouse?"


class Journey(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="drt-ui-")
        self.addCleanup(shutil.rmtree, self.dir)

    def open(self, rows=24, columns=80):
        t = Terminal([DRT, "open", "--model", os.path.join(SOURCE, "samples/model"), os.path.join(self.dir, "new.drt")],
                     rows, columns, {"HOME": self.dir}, cwd=self.dir)
        self.addCleanup(t.end)
        t.wait_for("drt")
        t.settle()
        return t

    def ingest(self, t, path):
        t.press("1", "i")
        t.press("\x1b[200~" + path + "\x1b[201~", settle=False)
        t.press("enter", settle=False)
        t.wait_for("Ingest done", limit=60)
        t.press("esc")

    def type_question(self, t, question):
        t.press("esc")
        t.press("a", question)

    def ask(self, t, question):
        self.type_question(t, question)
        t.press("enter", settle=False)
        t.wait_for(" tokens, first after", limit=60)

    def quit(self, t):
        t.press("esc")
        t.press("q", settle=False)
        self.assertEqual(t.wait(), 0)
        t.check_restored()

    def test_from_an_empty_library_to_an_exported_answer(self):
        t = self.open(40, 120)
        self.ingest(t, DOCUMENTS)
        t.wait_for("3 documents")
        self.ask(t, QUESTION)
        self.assertIn("[1]", t.text())
        t.press("esc")
        t.press("]", "enter")
        t.wait_for("Ardley, had never worked")
        t.press("3")
        t.wait_for("group")
        t.press("2", "E")
        t.press("\x15", "answer.json", "enter")
        t.wait_for("Written")
        t.press("e")
        t.press("\x15", "answer.txt", "enter")
        t.wait_for("answer.txt")
        self.quit(t)
        with open(os.path.join(self.dir, "answer.json"), encoding="utf-8") as file:
            answer = json.load(file)
        self.assertEqual(answer["question"], QUESTION)
        self.assertIn("Ardley", answer["answer"])
        with open(os.path.join(self.dir, "answer.txt"), encoding="utf-8") as file:
            self.assertIn("Step 0, group 2", file.read())
        t = self.open(40, 120)  # the answer is kept
        t.wait_for("3 documents")
        t.press("s")
        t.wait_for(QUESTION)
        t.press("enter")
        t.wait_for(" tokens, first after")
        self.quit(t)

    def test_sizes_change_while_an_answer_is_written(self):
        t = self.open()
        self.ingest(t, DOCUMENTS)
        r = random.Random(7)
        self.type_question(t, QUESTION)
        t.press("enter", settle=False)
        for _ in range(120):
            t.resize(r.choice((1, 2, 5, 12, 24, 40, 77, 100)), r.choice((1, 2, 20, 40, 80, 133, 300)))
            t.press(r.choice(("tab", "down", "up", "z", "?", "pgdn")), settle=False)
            t.pump(.01)
        t.resize(24, 80)
        t.settle()
        for _ in range(3):
            t.press("esc")
        self.ask(t, "Who was the first keeper?")
        self.quit(t)

    def test_scripts(self):
        folder = os.path.join(self.dir, "texts")
        os.mkdir(folder)
        for name, text in (("灯台.txt", "番人はオドです。"), ("e\u0301.txt", "z\u0301a\u030a\u0323 combining"), ("\U0001F469\u200d\U0001F680.txt", "\U0001F3F3\ufe0f emoji")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write((text + "\n\n") * 20)
        t = self.open()
        self.ingest(t, folder)
        t.wait_for("灯台.txt")
        self.ask(t, "番人は誰ですか？ \U0001F469\u200d\U0001F680 e\u0301")
        self.assertIn("番人は誰ですか", t.text())
        self.quit(t)

    def test_stopping_an_answer(self):
        t = self.open()
        self.ingest(t, DOCUMENTS)
        self.type_question(t, QUESTION)
        t.press("enter", "\x03", settle=False)
        deadline = time.time() + 30
        while "Ctrl-C stops" in t.text() and time.time() < deadline:
            t.pump(.05)
        self.ask(t, QUESTION)
        self.quit(t)

    def test_a_long_paste_shows_its_end(self):
        t = self.open()
        self.type_question(t, "")
        text = "".join("word%d " % i for i in range(900))[:6590] + " the-end"
        began = time.time()
        t.press("\x1b[200~" + text + "\x1b[201~", settle=False)
        t.wait_for("the-end", limit=3)
        self.assertLess(time.time() - began, 3)
        self.quit(t)


unittest.main()
