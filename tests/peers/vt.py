"""A terminal for tests of `tare top`: a program in a pseudo-terminal, and the screen that it paints (xterm's sequences, as far as ncurses uses them)."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time

TOKEN = re.compile(rb"\x1b\[([?>=!]?)([0-9;:]*)([ -/]*)([@-~])|\x1b\]([^\x07\x1b]*)(?:\x07|\x1b\\)|\x1b[()*+]([A-Z0-9])|\x1b([^\[\]()*+])|([\x00-\x1a\x1c-\x1f\x7f])|"
                   rb"([\x20-\x7e])|([\xc2-\xf4][\x80-\xbf]+)|([\x80-\xff])", re.S)


def wide(ch):
    import unicodedata
    return unicodedata.east_asian_width(ch) in "WF"


class Screen:
    """cells[y][x] = (character, attributes)"""

    def __init__(self, w, h):
        self.alt, self.cursor, self.title, self.unknown = False, True, None, []
        self.x = self.y = 0
        self.attr, self.rest, self.last = (), b"", " "
        self.clears = 0  # of the whole screen
        self.resize(w, h)

    def resize(self, w, h):
        old = getattr(self, "cells", [])
        self.w, self.h, self.top, self.bottom = w, h, 0, h - 1
        self.cells = [[old[y][x] if y < len(old) and x < len(old[y]) else (" ", ()) for x in range(w)] for y in range(h)]
        self.x, self.y = min(self.x, w - 1), min(self.y, h - 1)

    def text(self):
        return "\n".join("".join(c for c, _ in row).rstrip() for row in self.cells)

    def feed(self, data):
        data = self.rest + data
        self.rest = b""
        at = 0
        while at < len(data):
            m = TOKEN.match(data, at)
            tail = data[at:]
            if (tail[:1] == b"\x1b" and not m) or (tail[:1] >= b"\xc2" and len(tail) < 4 and (not m or m.end() == len(data))):
                if not (m and self._whole(m.group(10))):
                    self.rest = tail
                    return
            at = m.end()
            self._token(m)

    @staticmethod
    def _whole(b):
        try:
            return b is not None and bool(b.decode())
        except UnicodeDecodeError:
            return False

    def _token(self, m):
        private, args, _, final, osc, _, esc, control, ascii_, utf8, _ = m.groups()
        if ascii_ or utf8:
            for ch in (ascii_ or utf8).decode(errors="replace"):
                self._put(ch)
        elif control:
            self._control(control)
        elif osc is not None:
            self.title = osc
        elif esc:
            if esc == b"M":
                self._scroll(-1) if self.y == self.top else self._move(self.x, self.y - 1)
            elif esc in (b"7", b"8", b"=", b">"):
                pass
            else:
                self.unknown.append(m.group(0))
        elif final:
            self._csi(private.decode(), [int(a) if a else 0 for a in re.split(rb"[;:]", args)], final.decode(), m.group(0))

    def _put(self, ch):
        if self.x >= self.w:
            self.x = 0
            self._down()
        self.cells[self.y][self.x] = (ch, self.attr)
        self.last = ch
        self.x += 1
        if wide(ch) and self.x < self.w:
            self.cells[self.y][self.x] = ("", self.attr)
            self.x += 1

    def _down(self):
        if self.y == self.bottom:
            self._scroll(1)
        else:
            self.y = min(self.y + 1, self.h - 1)

    def _control(self, c):
        if c == b"\r":
            self.x = 0
        elif c == b"\n":
            self._down()
        elif c == b"\x08":
            self.x = max(0, min(self.x, self.w) - 1)
        elif c == b"\t":
            self.x = min(self.w - 1, self.x // 8 * 8 + 8)

    def _move(self, x, y):
        self.x, self.y = max(0, min(x, self.w - 1)), max(0, min(y, self.h - 1))

    def _scroll(self, n):
        for _ in range(abs(n)):
            if n > 0:
                self.cells.insert(self.bottom + 1, [(" ", self.attr)] * self.w)
                self.cells.pop(self.top)
            else:
                self.cells.pop(self.bottom)
                self.cells.insert(self.top, [(" ", self.attr)] * self.w)
        self.cells = [list(r) for r in self.cells]

    def _erase(self, y, x0, x1):
        for x in range(max(0, x0), min(x1, self.w)):
            self.cells[y][x] = (" ", self.attr)

    def _csi(self, private, a, f, raw):
        n = a[0] or 1
        x, y = min(self.x, self.w - 1), self.y
        if private == "?" and f in "hl":
            for p in a:
                if p in (1049, 47, 1047):
                    self.alt = f == "h"
                elif p == 25:
                    self.cursor = f == "h"
        elif f in "Hf":
            self._move((a[1] or 1) - 1 if len(a) > 1 else 0, n - 1)
        elif f == "A": self._move(x, y - n)
        elif f == "B": self._move(x, y + n)
        elif f == "C": self._move(x + n, y)
        elif f == "D": self._move(x - n, y)
        elif f in "G`": self._move(n - 1, y)
        elif f == "d": self._move(x, n - 1)
        elif f == "J":
            self.clears += a[0] == 2 or (a[0] == 0 and (x, y) == (0, 0))
            for r in range(self.h):
                if a[0] == 2 or r > y or (r == y and a[0] == 0):
                    self._erase(r, x if r == y and a[0] == 0 else 0, self.w)
        elif f == "K": self._erase(y, 0 if a[0] else x, x + 1 if a[0] == 1 else self.w)
        elif f == "X": self._erase(y, x, x + n)
        elif f == "P": self.cells[y] = self.cells[y][:x] + self.cells[y][x + n:] + [(" ", self.attr)] * min(n, self.w - x)
        elif f == "@": self.cells[y] = (self.cells[y][:x] + [(" ", self.attr)] * n + self.cells[y][x:])[:self.w]
        elif f == "b":
            for _ in range(n):
                self._put(self.last)
        elif f == "r":
            self.top, self.bottom = n - 1, (a[1] if len(a) > 1 and a[1] else self.h) - 1
            self._move(0, 0)
        elif f == "S": self._scroll(n)
        elif f == "T": self._scroll(-n)
        elif f in "LM":
            top, self.top = self.top, y
            self._scroll(-n if f == "L" else n)
            self.top = top
        elif f == "m": self.attr = () if a == [0] else self.attr + tuple(a) if 0 not in a else tuple(a[len(a) - a[::-1].index(0):])
        elif f not in "thlcn": self.unknown.append(raw)


class Terminal:
    """A program with a terminal of its own, under a small shell of ours: so that it can be stopped and go on."""

    def __init__(self, argv, env, w=80, h=24, deaf=False):
        report_r, self.report_w = os.pipe()
        self.report = report_r
        self.pid, self.fd = pty.fork()
        if not self.pid:
            try:
                self._shell(argv, env, self.report_w, deaf)
            finally:
                os._exit(0)  # what the tests clean up at their end is theirs
        os.close(self.report_w)
        self.screen, self.raw = Screen(w, h), b""
        self._size(w, h)
        self.before = termios.tcgetattr(self.fd)
        self.before[3] |= termios.ECHO  # the shell may have put it out already, for the line below alone
        os.write(self.fd, b"\n")  # the size is set: begin
        self.child = int(self.status("pid"))

    @staticmethod
    def _shell(argv, env, out, deaf):
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        before = termios.tcgetattr(0)
        quiet = before[:3] + [before[3] & ~termios.ECHO] + before[4:]
        termios.tcsetattr(0, termios.TCSANOW, quiet)
        os.read(0, 1)
        termios.tcsetattr(0, termios.TCSANOW, before)
        pid = os.fork()
        if not pid:
            os.setpgid(0, 0)
            os.tcsetpgrp(0, os.getpid())
            signal.signal(signal.SIGTTOU, signal.SIG_DFL)
            os.close(out)
            if deaf:  # the program is not told of a hang-up by signal
                signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP])
            os.execve(argv[0], argv, env)
        try:
            os.setpgid(pid, pid)
        except OSError:
            pass
        os.write(out, f"pid {pid}\n".encode())
        while True:
            _, status = os.waitpid(pid, os.WUNTRACED)
            if os.WIFSTOPPED(status):
                os.write(out, b"stopped\n")
                continue
            os.write(out, f"end {os.waitstatus_to_exitcode(status)}\n".encode())
            os.read(0, 1)  # keep the terminal until it was looked at
            os._exit(0)

    def _size(self, w, h):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", h, w, 0, 0))

    def status(self, word, within=60):
        """The next line of the shell that begins with word: what stands behind it."""
        end, line = time.monotonic() + within, b""
        while time.monotonic() < end:
            self.read(0)
            if select.select([self.report], [], [], 0.05)[0]:
                c = os.read(self.report, 1)
                if not c:
                    break
                line += c
                if c == b"\n":
                    words = line.decode().split()
                    line = b""
                    if words[0] == word:
                        self.read(0.1)
                        return words[1] if len(words) > 1 else ""
        raise SystemExit(f"no '{word}' within {within} s\n{self.screen.text()}")

    def read(self, seconds):
        """Read what is written for so long; returns it."""
        end, got = time.monotonic() + seconds, b""
        while True:
            left = end - time.monotonic()
            if not select.select([self.fd], [], [], max(0, left))[0]:
                break
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                break
            if not data:
                break
            got += data
            self.screen.feed(data)
            if left <= 0:
                break
        self.raw += got
        return got

    def read_some(self, within=30):
        """What comes next, until nothing has come for half a second."""
        end, got = time.monotonic() + within, b""
        while time.monotonic() < end:
            more = self.read(0.5)
            got += more
            if got and not more:
                break
        return got

    def until(self, what, within=60):
        """Read until the screen has this text (or it answers true)."""
        end = time.monotonic() + within
        seen = what if callable(what) else lambda s: what in s
        while not seen(self.screen.text()):
            if time.monotonic() > end:
                raise SystemExit(f"the screen never had {what!r}:\n{self.screen.text()}")
            self.read(0.05)
        return self.screen.text()

    def key(self, text):
        os.write(self.fd, text.encode())

    def resize(self, w, h):
        self.screen.resize(w, h)
        self._size(w, h)

    def restored(self, within=30):
        """The terminal is as it was before the program came (what was written last may still be on its way)."""
        end = time.monotonic() + within
        while time.monotonic() < end:
            if termios.tcgetattr(self.fd) == self.before and not self.screen.alt and self.screen.cursor:
                return True
            self.read(0.1)
        return False

    def hang_up(self, within=60):
        """The terminal goes away; true if the program then ends."""
        os.close(self.fd)
        end = time.monotonic() + within
        while time.monotonic() < end:
            try:
                state = open(f"/proc/{self.child}/stat").read().rsplit(")", 1)[1].split()[0]
            except OSError:
                return True
            if state == "Z":
                return True
            time.sleep(0.05)
        os.kill(self.child, signal.SIGKILL)
        return False

    def close(self):
        try:
            os.write(self.fd, b"\n")
            os.close(self.fd)
        except OSError:
            pass
        os.close(self.report)
        os.waitpid(self.pid, 0)
