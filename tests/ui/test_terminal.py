"""test_terminal.py DRT: the front end in a pseudo-terminal: start, help, sizes, signals, locale, kinds of terminal."""
import os, random, shutil, signal, sys, tempfile, time, unittest

from terminal import Terminal

DRT = os.path.abspath(sys.argv.pop(1))


class Case(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp(prefix="drt-ui-")
        self.addCleanup(shutil.rmtree, self.dir)

    def open(self, rows=24, columns=80, ready="drt", **env):
        t = Terminal([DRT, "open", os.path.join(self.dir, "new.drt")], rows, columns, dict({"HOME": self.dir}, **env))
        self.addCleanup(t.end)
        if ready:
            t.wait_for(ready)
        t.settle()
        return t

    def quit(self, t, key="q"):
        t.press(key, settle=False)
        self.assertEqual(t.wait(), 0)
        t.check_restored()


class Life(Case):
    def test_start_help_quit(self):
        t = self.open(ready="no library yet")
        before = t.text()
        t.press("?")
        self.assertIn("Everywhere", t.text())
        began = time.time()
        t.press("esc", settle=False)
        while "Everywhere" in t.text():
            t.pump(.02)
            self.assertLess(time.time() - began, .5)
        t.settle()
        self.assertEqual(t.text(), before)
        self.quit(t)

    def test_signals_restore_the_terminal(self):
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT, signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGFPE):
            t = self.open()
            t.kill(number)
            status = t.wait()
            t.check_restored()
            self.assertTrue(os.WIFSIGNALED(status) and os.WTERMSIG(status) == number or os.WIFEXITED(status) and os.WEXITSTATUS(status) > 0, (number, status))
            off = t.raw.rindex(b"\x1b[?1049l")
            for mode in (b"\x1b[?2004l", b"\x1b[?1000l", b"\x1b[?1006l"):
                self.assertLess(t.raw.rindex(mode), off)

    def test_sizes(self):
        t = self.open(5, 20, ready="too small")
        r = random.Random(3)
        for i in range(150):
            t.resize(r.choice((1, 2, 11, 12, 24, 60, 100)), r.choice((1, 2, 39, 40, 80, 200, 300)))
            t.press(r.choice(("up", "down", "tab", "?", "esc")), settle=False)
            t.pump(.01)
        t.resize(24, 80)
        t.settle()
        for key in "esc", "esc", "1":
            t.press(key)
        t.wait_for("documents")
        t.press("\x0c")
        t.wait_for("documents")

    def test_idle_is_quiet(self):
        t = self.open()
        sent = len(t.raw)
        t.settle(quiet=1.2, limit=2)
        self.assertEqual(len(t.raw), sent)

    def test_mouse_can_be_left_to_the_terminal(self):
        t = self.open()
        self.assertTrue(t.screen.modes.get(1000))
        t.press("M")
        self.assertFalse(t.screen.modes.get(1000))
        self.assertNotIn(1003, t.screen.modes)
        self.quit(t)


class Text(Case):
    def test_typing_and_pasting(self):
        t = self.open()
        t.press("tab", "12三四", "left", "x")
        self.assertIn("12三x四", t.text())
        t.press("\x1b[200~one\rtwo q?\x1b[31m\x1b[201~")
        self.assertIn("two q?[31m四", t.text())
        self.assertNotIn("Everywhere", t.text())
        t.press("esc")
        self.quit(t)

    def test_the_c_locale_gets_ascii(self):
        for env in ({"LC_ALL": "C"}, {"LC_ALL": "C", "NCURSES_NO_UTF8_ACS": "1"}, {"LC_ALL": "de_DE.ISO-8859-1"}):
            t = self.open(**env)
            t.press("?", "esc", "tab", "caf\u00e9")
            self.assertEqual([b for b in t.raw if b >= 0x80], [], env)

    def test_a_locale_that_is_not_installed_still_tells_utf8(self):
        t = self.open(LC_ALL="xx_XX.UTF-8")
        self.assertIn("┌", t.text())

    def test_no_color(self):
        import re
        t = self.open(NO_COLOR="1")
        t.press("?")
        self.assertEqual(re.findall(rb"\x1b\[[0-9;]*(?:3[0-9]|4[0-9]|9[0-7])[0-9;]*m", t.raw), [])


class Unusable(Case):
    def check(self, t, *words):
        self.assertEqual(os.WEXITSTATUS(t.wait()), 2)
        self.assertNotIn(b"\x1b", t.raw)
        for word in words + ("drt ask",):
            self.assertIn(word.encode(), t.raw.replace(b"\r\n", b""))

    def test_terminal_types(self):
        for term in ("", "dumb", "nonsense-term", "../../etc/passwd", "x" * 5000):
            self.check(self.open(ready=None, TERM=term), "TERM")

    def test_no_terminal(self):
        import subprocess
        ran = subprocess.run([DRT, "open", "x.drt"], stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual((ran.returncode, ran.stdout), (2, b""))
        self.assertIn(b"needs a terminal", ran.stderr)


unittest.main()
