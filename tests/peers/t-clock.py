#!/usr/bin/env python3
"""The wall clock is set by hours while tare run is at work: t-clock.py TARE-AGENT CLOCK-LIBRARY

What was told as a time from now stays so: deadlines, budgets, the notice, the upload before the end, the interval. Rows and costs count what really went by.
tests/fault/clock.c moves the clock of the supervisor and of all it starts; nothing else on the machine sees it. Cases run side by side.
"""
import concurrent.futures
import csv
import datetime
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

import run_peer
from run_peer import Meta

AGENT, CLOCK = map(os.path.abspath, sys.argv[1:3])
HOUR = 3600
url = run_peer.serve()
tmp = tempfile.TemporaryDirectory(prefix="tare-clock.")


class Job:
    def __init__(self, name, *options, total=100000):
        self.d, self.name, self.options, self.total = pathlib.Path(tmp.name) / name, name, options, total
        self.d.mkdir()
        (self.d / "train.py").write_text(run_peer.train())
        self.ahead(0)

    def ahead(self, seconds):
        with open(self.d / "clock", "r+b" if (self.d / "clock").exists() else "wb") as f:
            f.write(struct.pack("q", int(seconds * 1000)))

    def start(self):
        with open(self.d / "status", "a") as status:
            self.p = subprocess.Popen([AGENT, "run", "-q", "--notice-poll", "200ms", *(() if any(o.startswith("--notice") for o in self.options) else ("--notice", "none")), "--status-fd", str(status.fileno()), "--watch", "out",
                                       "--checkpoint-signal", "USR1", *self.options, "--", sys.executable, "train.py", str(self.total)],
                                      cwd=self.d, pass_fds=[status.fileno()], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(self.d / "err", "a"),
                                      env=os.environ | {"LD_PRELOAD": CLOCK, "FAULT_CLOCK": str(self.d / "clock")})
        self.began = time.monotonic()
        self.wait_for(lambda: (self.d / "from").exists() and (self.d / "from").read_text())
        time.sleep(0.5)
        return self

    def wait_for(self, good, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not good() and self.p.poll() is None:
            time.sleep(0.02)
        return bool(good())

    def end(self, seconds=120):
        try:
            code = self.p.wait(seconds)
        except subprocess.TimeoutExpired:
            self.p.kill()
            self.p.wait()
            code = "hung"
        self.took = time.monotonic() - self.began
        return code

    def events(self, kind=None):
        got = [json.loads(x) for x in (self.d / "status").read_text().splitlines()]
        return [e for e in got if not kind or e["event"] == kind]

    def rows(self):
        """Seconds of each row of attempts.csv."""
        got = []
        for r in csv.DictReader(open(self.d / "checkpoints/attempts.csv")):
            a, b = (datetime.datetime.fromisoformat(r[k].replace("Z", "+00:00")) for k in ("start", "end"))
            got.append((b - a).total_seconds())
        return got

    def sane(self):
        """Rows and money tell the time that went by, not what the clock said."""
        rows, spent = self.rows(), float(self.events("end")[-1]["spent"])
        return all(0 <= r <= self.took + 1 for r in rows) and sum(rows) <= self.took + 1.5 and 0 <= spent <= self.took + 1.5


def at(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + seconds))


DOLLAR = ("--usd-hour", "3600")  # a second


def works_on(name, *options):
    """Hours ahead, then hours back: it is not ended, and a SIGTERM then makes it save and end with 85; the next start goes on."""
    j = Job(name, *options, *DOLLAR, "--grace", "10s").start()
    alive = []
    for seconds in (5 * HOUR, -7 * HOUR, 0):
        j.ahead(seconds)
        time.sleep(1.3)
        alive.append(j.p.poll() is None)
    j.p.terminate()
    code, last = j.end(), j.events("end")[-1:]
    good = alive == [True] * 3 and code == 85 and last[0]["safe_step"] and j.sane()
    yield good, f"{name}: set by hours, it works on; then 85", (alive, code, j.events(), j.rows(), j.took)
    j.total = 50
    (j.d / "from").unlink()
    code = j.start().end()
    first = int((j.d / "from").read_text().split()[0])
    yield code == 0 and first == last[0]["safe_step"], f"{name}: the next start goes on from {first}", (code, last)


def limits(name, jump, *options, why):
    """The limit comes when it is due by the time that goes by."""
    j = Job(name, *options, *DOLLAR).start()
    j.ahead(jump)
    code, last = j.end(), j.events("end")[-1:]
    yield code == 1 and last[0]["why"] == why and last[0]["safe_step"] and j.sane() and j.took > 1, f"{name}: set by {jump // HOUR:+} h, it ends when it is due", (code, last, j.rows(), j.took)


def noticed(name, jump):
    """A notice of AWS, by the time of day, after the clock was set: heard, saved, 85."""
    j = Job(name, "--notice", "aws", "--aws-url", f"{url}/{name}", "--store", "store", *DOLLAR).start()
    j.ahead(jump)
    time.sleep(0.5)
    Meta.announced[name] = at(12)
    code, last = j.end(), j.events("end")[-1:]
    yield code == 85 and last[0]["stored_step"] and j.sane(), f"{name}: set by {jump // HOUR:+} h before the notice: saved and in the store, 85", (code, j.events(), j.took)


def in_the_notice(name, jump):
    """The clock is set when the notice has come: what is left of it stays, and the upload gets its time."""
    j = Job(name, "--notice-file", "go", "--store", "store", *DOLLAR).start()
    (j.d / "go.new").write_text("8s\n")
    os.rename(j.d / "go.new", j.d / "go")
    told = j.wait_for(lambda: j.events("notice"))
    j.ahead(jump)
    noticed_at = time.monotonic()
    code, last = j.end(), j.events("end")[-1:]
    took = time.monotonic() - noticed_at
    yield code == 85 and told and last[0]["stored_step"] and j.sane() and took < 14, f"{name}: set by {jump // HOUR:+} h in the notice: in the store in time, 85", (code, j.events(), j.took)


def in_turn(name):
    """Checkpoints in turn go on coming after the clock was set back."""
    j = Job(name, "--every", "1s", *DOLLAR).start()
    j.ahead(-9 * HOUR)
    time.sleep(1)
    before = len(j.events("safe"))
    j.wait_for(lambda: len(j.events("safe")) >= before + 2)
    after = len(j.events("safe"))
    j.p.send_signal(signal.SIGTERM)
    code = j.end()
    yield after >= before + 2 and code == 85 and j.sane(), f"{name}: set by -9 h, it is asked to save in turn", (before, after, code)


cases = [
    works_on("a deadline in 4 h", "--deadline", "4h"),
    works_on("a deadline at a time 4 h away", "--deadline", at(4 * HOUR)),
    works_on("a budget for 4 h", "--budget", str(4 * HOUR)),
    limits("a deadline in 38 s", -5 * HOUR, "--deadline", "38s", why="deadline"),
    limits("a deadline in 38 s, ahead", 5 * HOUR, "--deadline", "38s", why="deadline"),
    limits("a budget of 25", -5 * HOUR, "--budget", "25", why="budget"),
    limits("a budget of 26", 5 * HOUR, "--budget", "26", why="budget"),
    noticed("ahead", 3 * HOUR),
    noticed("back", -3 * HOUR),
    in_the_notice("notice-ahead", 3 * HOUR),
    in_the_notice("notice-back", -3 * HOUR),
    in_turn("every second"),
]
count = failed = 0
with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
    for f in [pool.submit(list, c) for c in cases]:
        for good, what, more in f.result():
            count += 1
            failed += not good
            print(f"{'ok' if good else 'not ok'} {count} - {what}" + ("" if good else "\n#   " + str(more)[-2500:]), flush=True)
print(f"1..{count}")
sys.exit(failed != 0)
