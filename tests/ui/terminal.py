"""terminal.py: runs the front end in a pseudo-terminal and keeps its screen, for end-to-end tests.

    t = Terminal([drt, "town.drt"]); t.wait_for("documents"); t.press("?"); t.row(0); t.end()

The screen understands what ncurses sends for xterm-256color; anything else fails the test. Standard library only."""
import fcntl, os, re, select, signal, struct, termios, time, unicodedata

KEYS = {"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
        "pgup": "\x1b[5~", "pgdn": "\x1b[6~", "esc": "\x1b", "enter": "\r", "tab": "\t", "backspace": "\x7f"}


def width(char):
    if unicodedata.category(char) in ("Mn", "Me", "Cf") or 0x1160 <= ord(char) <= 0x11ff:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


class Screen:
    def __init__(self, rows, columns):
        self.modes = {}
        self.resize(rows, columns)

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.clear()

    def clear(self):
        self.cells = [[" "] * self.columns for _ in range(self.rows)]
        self.y = self.x = 0
        self.top, self.bottom = 0, self.rows - 1

    def put(self, char):
        w = width(char)
        if w == 0:
            if self.x > 0:
                x = self.x - 1
                while x > 0 and self.cells[self.y][x] == "":
                    x -= 1
                self.cells[self.y][x] += char
            return
        if self.x + w > self.columns:
            self.x, self.y = 0, min(self.y + 1, self.rows - 1)
        if w > self.columns:
            return
        self.cells[self.y][self.x] = char
        if w == 2:
            self.cells[self.y][self.x + 1] = ""
        self.x += w
        self.last = char

    def control(self, byte):
        if byte == "\r":
            self.x = 0
        elif byte == "\n":
            self.line_feed()
        elif byte == "\b":
            self.x = max(0, min(self.x, self.columns) - 1)
        elif byte == "\t":
            self.x = min(self.columns - 1, (self.x // 8 + 1) * 8)

    def line_feed(self):
        if self.y == self.bottom:
            self.scroll(1)
        else:
            self.y = min(self.y + 1, self.rows - 1)

    def scroll(self, n):
        blank = [[" "] * self.columns for _ in range(abs(n))]
        part = self.cells[self.top:self.bottom + 1]
        part = part[n:] + blank if n > 0 else blank + part[:n]
        self.cells[self.top:self.bottom + 1] = part

    def sequence(self, lead, text, final):
        numbers = [int(n) if n.isdigit() else 0 for n in text.split(";")]
        n = max(1, numbers[0])
        row = self.cells[self.y]
        self.x = min(self.x, self.columns - 1) if final not in "m" else self.x
        if lead == "?" and final in "hl":
            for number in numbers:
                self.modes[number] = final == "h"
                if number == 1049:
                    self.clear()
        elif lead or final in "mtlhn":
            pass
        elif final == "H" or final == "f":
            self.y = min(n, self.rows) - 1
            self.x = min(max(1, numbers[1] if len(numbers) > 1 else 1), self.columns) - 1
        elif final == "A":
            self.y = max(0, self.y - n)
        elif final == "B":
            self.y = min(self.rows - 1, self.y + n)
        elif final == "C":
            self.x = min(self.columns - 1, self.x + n)
        elif final == "D":
            self.x = max(0, self.x - n)
        elif final == "G":
            self.x = min(n, self.columns) - 1
        elif final == "d":
            self.y = min(n, self.rows) - 1
        elif final == "J":
            if numbers[0] == 0:
                row[self.x:] = [" "] * (self.columns - self.x)
                self.cells[self.y + 1:] = [[" "] * self.columns for _ in range(self.rows - self.y - 1)]
            elif numbers[0] == 2:
                self.cells = [[" "] * self.columns for _ in range(self.rows)]
        elif final == "K":
            if numbers[0] == 1:
                row[:self.x + 1] = [" "] * (self.x + 1)
            else:
                row[self.x:] = [" "] * (self.columns - self.x)
        elif final == "X":
            row[self.x:self.x + n] = [" "] * min(n, self.columns - self.x)
        elif final == "@":
            row[self.x:self.x] = [" "] * n
            del row[self.columns:]
        elif final == "P":
            del row[self.x:self.x + n]
            row += [" "] * (self.columns - len(row))
        elif final == "b":
            for _ in range(n):
                self.put(self.last)
        elif final == "r":
            self.top = n - 1
            self.bottom = (numbers[1] if len(numbers) > 1 and numbers[1] else self.rows) - 1
            self.y = self.x = 0
        elif final in "LM":
            top, self.top = self.top, self.y
            for _ in range(n):
                self.scroll(-1 if final == "L" else 1)
            self.top = top
        elif final in "ST":
            self.scroll(n if final == "S" else -n)
        else:
            raise AssertionError("unknown sequence: CSI %s%s%s" % (lead, text, final))

    TOKEN = re.compile(r"\x1b\[([?>]?)([\d;]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[()][0-9AB]|\x1b[=>78M]|[\s\S]")
    PARTIAL = re.compile(r"\x1b(\[[?>]?[\d;]*|\][^\x07\x1b]*\x1b?|[()])?\Z")

    def feed(self, text):
        """What could not be read yet is given back."""
        at = 0
        while at < len(text):
            if text[at] == "\x1b" and self.PARTIAL.match(text, at):
                return text[at:]
            token = self.TOKEN.match(text, at)
            at = token.end()
            if token.group(3):
                self.sequence(*token.groups())
            elif token.group() == "\x1bM":
                if self.y == self.top:
                    self.scroll(-1)
                else:
                    self.y -= 1
            elif token.group()[0] == "\x1b":
                assert len(token.group()) > 1, "a lone ESC"
            elif token.group() < " ":
                self.control(token.group())
            else:
                self.put(token.group())
        return ""


class Terminal:
    def __init__(self, argv, rows=24, columns=80, env=None, cwd=None):
        self.screen = Screen(rows, columns)
        self.raw, self.unread, self.status = b"", "", None
        self.master, slave = os.openpty()
        self.size(rows, columns)
        self.settings = termios.tcgetattr(slave)
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
            for fd in range(3):
                os.dup2(slave, fd)
            os.closerange(3, 64)
            if cwd:
                os.chdir(cwd)
            os.execvpe(argv[0], argv, dict({"PATH": os.environ["PATH"], "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}, **(env or {})))
        self.slave = slave # kept: settings can be read after the end
        self.bytes = b""

    def size(self, rows, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        self.size(rows, columns)

    def pump(self, seconds):
        if not select.select([self.master], [], [], seconds)[0]:
            if self.status is None:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                self.status = status if pid else None
            return False
        data = os.read(self.master, 65536)
        self.raw += data
        data = self.bytes + data
        text = data.decode("utf-8", "ignore")
        for cut in range(4): # a character cut by the read
            try:
                text, self.bytes = data[:len(data) - cut].decode(), data[len(data) - cut:]
                break
            except UnicodeDecodeError:
                self.bytes = b""
        self.unread = self.screen.feed(self.unread + text)
        return True

    def settle(self, quiet=.15, limit=5):
        end = time.time() + limit
        while time.time() < end and self.pump(quiet):
            pass

    def text(self):
        return "\n".join(self.row(y) for y in range(self.screen.rows))

    def row(self, y):
        return "".join(self.screen.cells[y]).rstrip()

    def wait_for(self, what, limit=20):
        end = time.time() + limit
        while what not in self.text():
            assert time.time() < end and self.status is None, "no %r on the screen (status %s):\n%s" % (what, self.status, self.text())
            self.pump(.05)

    def press(self, *keys, settle=True):
        for key in keys:
            os.write(self.master, KEYS.get(key, key).encode())
        if settle:
            self.settle()

    def kill(self, number):
        os.kill(self.pid, number)

    def wait(self, limit=5):
        end = time.time() + limit
        while self.status is None and time.time() < end:
            self.pump(.05)
        assert self.status is not None, "it does not end:\n" + self.text()
        self.settle(.05, 1)
        return self.status

    def check_restored(self):
        on = [m for m in (1, 1000, 1002, 1003, 1006, 1049, 2004) if self.screen.modes.get(m)]
        assert not on, "modes left on: %s" % on
        assert self.screen.modes.get(25, True), "the cursor is hidden"
        assert termios.tcgetattr(self.slave)[:4] == self.settings[:4], "settings not restored"

    def end(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)
        os.close(self.slave)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()
