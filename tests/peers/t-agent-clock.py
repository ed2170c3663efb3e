#!/usr/bin/env python3
"""The wall clock is set by hours, back and ahead, while the agent is at work, and it is killed and its disk fills up as well.

usage: t-agent-clock.py BUILD_DIR CLOCK_LIBRARY. Time runs 60 times as fast (TARE_AGENT_SPEED), the ten steady minutes too; tests/fault/clock.c
moves the wall clock of the agent alone.
"""
import importlib.util
import json
import os
import random
import struct
import subprocess
import sys
import time
import urllib.request

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
spec = importlib.util.spec_from_file_location("t_agent", f"{here}/t-agent.py")
t = importlib.util.module_from_spec(spec)
spec.loader.exec_module(t)
from ports import free_port

SPEED, HOUR = 60, 3600


class Clocked(t.Bench):
    def __init__(self, build, library):
        super().__init__(build)
        self.clock = f"{self.work}/clock"
        open(self.clock, "wb").write(struct.pack("q", 0))
        self.preload = {"LD_PRELOAD": os.path.abspath(library), "FAULT_CLOCK": self.clock}

    def set(self, seconds):
        """The clock is off by so many seconds of the agent's time from now on."""
        with open(self.clock, "r+b") as f:
            f.write(struct.pack("q", round(seconds * 1000 / SPEED)))
        self.off, self.set_at = seconds, time.monotonic()

    def agent_on(self, state, *args):
        env, self.env = self.env, {**self.env, **self.preload}
        try:
            p = self.start(state, *args, speed=SPEED)
        finally:
            self.env = env
        t.ready(p)
        return p

    def lines(self, state):
        return [
            json.loads(x) for x in self.run("agent", "export", "--state", state).stdout.splitlines()
        ]

    def status(self, state):
        return self.json("agent", "status", "--state", state)


def rows(lines):
    got = {}
    for x in lines:
        if x.get("type") == "minute":
            got.setdefault(x["gpu"], []).append((t.ms(x["from"]), t.ms(x["to"])))
    return {k: sorted(v) for k, v in got.items()}


def double(spans):
    return [(a, c) for v in spans.values() for a, c in zip(v, v[1:]) if c[0] < a[1]]


def holes(spans):
    return [(a, c) for v in spans.values() for a, c in zip(v, v[1:]) if c[0] > a[1]]


def set_once(b, name, hours):
    """Set by hours, once: what was kept stays, what comes waits ten minutes, and has the clock's time then."""
    state, port = f"{b.work}/{name}", free_port()
    b.set(0)
    p = b.agent_on(state, "--listen", f"127.0.0.1:{port}")
    t.wait_for(lambda: b.status(state).get("minutes", 0) >= 8)
    b.set(hours * HOUR)
    t.wait_for(lambda: b.status(state).get("held_seconds", 0) > 0)
    before = rows(b.lines(state))
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30).read().decode()
    gauge = [
        float(x.split()[1])
        for x in text.splitlines()
        if x.startswith("tare_agent_clock_held_seconds ")
    ]
    told = b.run("agent", "status", "--state", state).stdout
    t.check(
        f"{name}: held back, and status and /metrics say so",
        gauge and gauge[0] > 0 and "\nclock     was set: " in told,
        f"{gauge} {told}",
    )
    t.wait_for(lambda: b.status(state).get("held_seconds") == 0)
    time.sleep(3)
    said, code = t.stop(p)
    after = rows(b.lines(state))
    kept = before and all(r in after.get(g, []) for g, v in before.items() for r in v)
    t.check(
        f"{name}: nothing that was kept is gone", code == 0 and kept, f"{code} {before} {after}"
    )
    t.check(f"{name}: no second twice", not double(after), double(after)[:3])
    moved = [round((y[0] - x[1]) / 1000) for x, y in holes(after)]
    if hours > 0:
        t.check(
            f"{name}: what came later has the new time",
            len(moved) == len(after) and all(m == hours * HOUR for m in moved),
            moved,
        )
        new = [r for v in after.values() for r in v if r[0] >= max(y[0] for _, y in holes(after))]
    else:
        end = min(v[-1][1] for v in before.values()) + hours * HOUR * 1000
        new = [r for v in after.values() for r in v if r[1] <= end + 1800000]
        t.check(
            f"{name}: what came later has the new time",
            new and moved and all(m > 0 for m in moved),
            (new[:2], moved),
        )
    t.check(
        f"{name}: ten minutes of it and more",
        sum(y - x for x, y in new) / len(after) >= 600000,
        len(new),
    )
    t.check(
        f"{name}: said once, and once when it was steady",
        said.count("was set ") == 1 and said.count("is steady") == 1,
        said,
    )
    why = t.closes(b, state, name)
    t.check(f"{name}: and it closes in the ledger", not why, why)


def at_start(b):
    """Started with a clock that is hours back, as after an empty battery, and set right while it is held back."""
    state = f"{b.work}/start"
    b.set(0)
    p = b.agent_on(state, "--listen", "none")
    t.wait_for(lambda: b.status(state).get("minutes", 0) >= 8)
    t.stop(p)
    before = rows(b.lines(state))
    b.set(-5 * HOUR)
    p = b.agent_on(state, "--listen", "none")
    t.wait_for(lambda: b.status(state).get("held_seconds", 0) > 60)
    b.set(0)
    t.wait_for(lambda: b.status(state).get("held_seconds") == 0)
    said, code = t.stop(p)
    after = rows(b.lines(state))
    kept = before and all(r in after.get(g, []) for g, v in before.items() for r in v)
    t.check(
        "started hours back: nothing that was kept is gone",
        code == 0 and kept and said.count("held back until") == 1,
        said,
    )
    t.check(
        "and what came has its right time",
        len(after) == len(before) and not double(after) and not holes(after),
        f"{double(after)[:2]} {holes(after)[:2]}",
    )


def all_together(b, jumps=30, kills=30):
    """Jumps, kills and a full disk in one run. The clock is right in the end: every second is there once."""
    rnd, disk = random.Random(7), f"{b.work}/disk"
    os.mkdir(disk)
    small = (
        subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", disk], capture_output=True
        ).returncode
        == 0
    )
    if not small:
        print("# no right to mount a small disk here: the full disk is left out")
    state, acts = f"{disk}/state", ["jump"] * jumps + ["kill"] * kills
    rnd.shuffle(acts)
    acts.insert(len(acts) // 2, "full")
    b.set(0)
    t.shared_card(b)
    p, said = b.agent_on(state, "--listen", "none", "-q"), ""

    def jump():
        b.set(rnd.choice((-1, 1)) * rnd.choice((30, 300, 2 * HOUR, 9 * HOUR, 400 * 24 * HOUR)))

    def pause(seconds):
        """Never so long with a wrong clock that it passes for a steady one."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if b.off and time.monotonic() - b.set_at > 4:
                b.set(0)
            time.sleep(min(left, 0.3))

    try:
        for act in acts:
            pause(rnd.uniform(0.3, 1.0))
            if act == "jump":
                jump()
            elif act == "kill":
                p.kill()
                said += p.communicate()[1]
                p = b.agent_on(state, "--listen", "none", "-q")
            elif small:
                jump()
                t.fill(f"{disk}/filler")
                pause(4)
                os.unlink(f"{disk}/filler")
                pause(2)
        b.set(0)
        t.wait_for(lambda: b.status(state).get("held_seconds") == 0)
        time.sleep(3)
        more, code = t.stop(p)
        said += more
        lines = b.lines(state)
        spans = rows(lines)
        long = min((v[-1][1] - v[0][0] for v in spans.values()), default=0) / 1000
        t.check(
            f"{jumps} jumps, {kills} kills{' and a full disk' if small else ''}: it lives, over {long / 60:.0f} min",
            code == 0 and long > 1200,
            f"{code} {more}",
        )
        t.check("the disk was full", not small or "cannot keep what was seen" in said, said)
        t.check(
            "every second once: none twice",
            len(spans) == 4 and not double(spans),
            double(spans)[:3],
        )
        t.check("every second once: none missing", not holes(spans), holes(spans)[:3])
        sums = {sum(y - x for x, y in v) for v in spans.values()}
        t.check("and all cards have the same time", len(sums) == 1, sums)
        told = sum(x.get("event") == "clock_jump" for x in lines)
        t.check("the jumps are among the events", told >= jumps // 3, told)
        why = t.closes(b, state, "all")
        t.check("status, export and ledger have the same milliseconds", not why, why)
    finally:
        for child in b.children:
            if child.poll() is None:
                child.kill()
                child.wait()
        if small:
            subprocess.run(["umount", disk], capture_output=True)


def main():
    b = Clocked(os.path.abspath(sys.argv[1]), sys.argv[2])
    if not os.path.exists(b.env["TARE_NVML"]):
        print("1..0 # SKIP the stub NVML is not built")
        return 0
    parts = {
        "back": lambda: set_once(b, "back", -2),
        "ahead": lambda: set_once(b, "ahead", 3),
        "start": lambda: at_start(b),
        "all": lambda: all_together(b),
    }
    try:
        b.script("cards 2\n")
        for name, part in parts.items():
            if len(sys.argv) < 4 or name in sys.argv[3:]:
                part()
    finally:
        b.end()
    print(f"1..{t.number}")
    return 1 if t.failed else 0


sys.exit(main())
