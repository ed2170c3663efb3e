#!/usr/bin/env python3
"""`tare top` on a terminal of its own, with the library that plays cards: t-top.py BUILDDIR STUBLIBRARY

The page and its keys, nothing sent where nothing changed, resize, stop and go on, the terminal as it was after every end, hostile names.
"""
import curses
import os
import pathlib
import signal
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import vt  # noqa: E402

TARE, STUB = pathlib.Path(sys.argv[1]) / "src/cli/tare", sys.argv[2]
SKIP = 77
WORK = tempfile.TemporaryDirectory()
done = 0


def check(ok, what, term=None):
    global done
    done += 1
    print(f"{'ok' if ok else 'not ok'} {done} - {what}", flush=True)
    if not ok:
        raise SystemExit(term.screen.text() if term else 1)


def start(script, *args, w=80, h=24, deaf=False, **env):
    path = pathlib.Path(WORK.name) / f"stub{done}"
    path.write_text(script)
    quiet = pathlib.Path(WORK.name) / "lsan"
    quiet.write_text("leak:libtinfo\nleak:libncursesw\n")  # curses keeps its description of the terminal to the end
    env = {"PATH": "/usr/bin:/bin", "HOME": WORK.name, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TARE_NVML": STUB, "TARE_STUB_NVML": str(path),
           "TARE_DATA": os.environ.get("TARE_DATA", "data"), "NODE_NAME": "node-a",
           "LSAN_OPTIONS": f"suppressions={quiet}:print_suppressions=0", **env}
    if deaf:  # the search for leaks that ends a sanitized program can spin for ever over a signal that is pending and blocked
        env["ASAN_OPTIONS"] = "detect_leaks=0"
    return vt.Terminal([str(TARE), "top", "--usd-gpu-hour", "3.10", *args], env, w, h, deaf)


BUSY = 'cards 4\ncard * name="NVIDIA H100 80GB HBM3" mem_gib=80 power_limit=700 util=90 amp=0 mem_gib_used=61 procs=0 pids=self\n'
MIXED = BUSY + "card 1 util=0\ncard 2 util=0 mem_gib_used=0 procs=0\ncard 3 util=12\n"


def page_and_keys():
    t = start(MIXED, "-i", "200ms")
    text = t.until(lambda s: "wasted 0.0" in s or "wasted <" in s)
    check("node-a" in text and "4 GPUs" in text and "12.40 $/h" in text, "head", t)
    check("> 0" in text and "busy" in text and "idle_held" in text and "underused" in text, "a line a GPU", t)
    check("compute" in text and str(t.child) in text, "its processes", t)
    check(t.screen.alt and not t.screen.cursor, "on a page of its own, without a cursor", t)
    t.key("j")
    t.until("> 1")
    t.key("\r")
    text = t.until("What says so")
    check("GPU 1" in text and "What to do" in text and "$/day" in text, "Enter explains", t)
    t.key("\x1b")
    t.until("> 1")
    t.key("?")
    t.until("Keys")
    t.key("q")
    t.until("> 1")
    check(True, "help comes and goes")
    t.key("w")
    t.until("sort: wasted")
    t.key("/underused\r")
    t.until("filter 'underused'")
    check(" 0   90%" not in t.screen.text() and "underused" in t.screen.text(), "filter", t)
    t.key("\x1b")
    t.until(" 0   90%")
    t.key("\x1b[B\x1bOB")
    t.key("+")
    t.until("every 0.5 s")
    t.key("p")
    t.until("PAUSED")
    t.key("p")
    t.until("every 0.5 s")
    check(not t.screen.unknown, f"only sequences that are known: {t.screen.unknown[:3]}")
    t.key("q")
    check(t.status("end") == "0" and t.restored(), "q: the terminal is as it was", t)
    t.close()


def no_flicker():
    t = start(BUSY.replace("procs=0 pids=self", "procs=0"), "-i", "100ms", TARE_NOW="2026-11-21T14:00:00Z")
    t.until("▇▇▇▇▇")
    t.read(1)
    clears, got = t.screen.clears, t.read(2)
    check(len(got) == 0, f"20 polls in which nothing changed: {len(got)} bytes", t)
    t.key("j")
    got = t.read_some()
    check(0 < len(got) < 1200 and t.screen.clears == clears, f"a step of the selection: {len(got)} bytes, no clearing", t)
    t.key("q")
    t.status("end")
    t.close()
    t = start(MIXED, "-i", "1s")
    t.until("▇")
    t.read(2)
    clears, got = t.screen.clears, t.read(5)
    check(0 < len(got) < 5 * 400 and t.screen.clears == clears, f"5 polls of a live page: {len(got)} bytes, no clearing", t)
    t.key("q")
    t.status("end")
    t.close()


def resize():
    t = start(MIXED, "-i", "200ms")
    t.until("> 0")
    t.resize(140, 40)
    t.until(lambda s: "network in" in s and "model" in s)
    t.resize(40, 8)
    t.until("needs 60x10")
    t.resize(80, 24)
    text = t.until("> 0")
    check(text.splitlines()[-1].startswith("Enter explain"), "resize to large, tiny and back", t)
    t.key("q")
    t.status("end")
    t.close()


def stop_and_go_on():
    t = start(MIXED, "-i", "200ms")
    t.until("> 0")
    t.key("\x1a")
    t.status("stopped")
    check(t.restored(), "Ctrl-Z: the terminal is the shell's again", t)
    t.resize(100, 30)
    t.raw = b""
    os.kill(t.child, signal.SIGCONT)
    t.until(lambda s: "> 0" in s and "network in" in s)
    check(t.screen.alt and not t.screen.cursor, "fg: the page is back, in the new size", t)
    t.key("j")
    t.until("> 1")
    os.kill(t.child, signal.SIGSTOP)
    t.status("stopped")
    os.kill(t.child, signal.SIGCONT)
    t.key("k")
    t.until("> 0")
    t.key("q")
    check(t.status("end") == "0" and t.restored(), "and leaves as ever", t)
    t.close()


def ends():
    for sig in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGSEGV):
        t = start(MIXED, "-i", "200ms")
        t.until("> 0")
        os.kill(t.child, sig)
        code = int(t.status("end"))
        check(code == -sig, f"{sig.name} ends it as {sig.name} ({code})", t)
        check(t.restored(), f"{sig.name}: the terminal is as it was", t)
        t.close()
    t = start(MIXED, "-i", "200ms")
    t.until("> 0")
    t.key("\x03")
    check(t.status("end") == "0" and t.restored(), "Ctrl-C leaves like q", t)
    t.close()


def terminal_gone():
    for deaf in (False, True):
        t = start(MIXED, "-i", "200ms", deaf=deaf)
        t.until("> 0")
        check(t.hang_up(), f"the terminal goes away{', without a signal' if deaf else ''}: it ends")
        t.close()


def looks():
    t = start(MIXED, "-i", "200ms", "--no-color")
    t.until("> 0")
    t.read(0.5)
    check(b"38;5" not in t.raw and b"[33" not in t.raw and b"[36" not in t.raw, "--no-color: none", t)
    t.key("q")
    t.status("end")
    t.close()
    t = start(MIXED, "-i", "200ms")
    t.until(lambda _: b"38;5;208" in t.raw)
    check(True, "else orange marks waste")
    t.key("q")
    t.status("end")
    t.close()
    t = start(MIXED, "-i", "200ms", LC_ALL="C")
    t.until("> 0")
    t.read(0.5)
    check(all(c < 0x80 for c in t.raw), "locale C: ASCII alone", t)
    t.key("q")
    t.status("end")
    t.close()


def hostile():
    t = start(BUSY + 'card 0 name="\\e]0;owned\\e\\\\ \\e[2J\\nX"\n', "-i", "200ms", w=140, h=30)
    t.until("> 0")
    clears = t.screen.clears
    t.key("e")
    t.until("What says so")
    check(t.screen.title is None and t.screen.clears == clears and "?" in t.screen.text(), "names cannot write to the terminal", t)
    t.key("q"), t.key("q")
    t.status("end")
    t.close()


def nothing_there():
    t = start("cards 0\n")
    text = t.until("No GPU to watch here")
    check("tare doctor" in text, "no GPU: why, and what to do", t)
    t.key("q")
    t.status("end")
    t.close()
    t = start(MIXED, "-i", "100ms", "--usd-gpu-hour", "x")
    check(t.status("end") == "2" and "is not a price of" in t.screen.text(), "a wrong option is an error before the page opens", t)
    t.close()
    t = start(MIXED, "-i", "100ms", TERM="dumb")
    check(t.status("end") == "2" and "does not place its cursor" in t.screen.text(), "a terminal that cannot show a page is told of", t)
    t.close()


def main():
    try:
        curses.setupterm("xterm-256color", 2)
    except curses.error:
        print("skipped: no description of the terminal xterm-256color")
        return SKIP
    start_s = time.monotonic()
    for f in (page_and_keys, no_flicker, resize, stop_and_go_on, ends, terminal_gone, looks, hostile, nothing_there):
        f()
    print(f"1..{done}\n# {time.monotonic() - start_s:.0f} s")
    return 0


sys.exit(main())
