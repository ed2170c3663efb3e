#!/usr/bin/env python3
"""The agent from stub cards to the ledger: owners, states and money; a kill; a server that is away; /metrics read by promtool and a real
Prometheus.

usage: t-agent.py BUILD_DIR [to_ledger killed full faults hangs away refused metrics]. Time in the agent runs 30 or 60 times as fast (TARE_AGENT_SPEED) where nothing
depends on the processor; with TARE_FAULT_SECONDS=3600 and TARE_FAULT_SPEED=1 part faults is the hour under faults in real time.
"""
import datetime
import fractions
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from agent_server import Server
from ports import free_port

STATES = ["busy", "underused", "idle_held", "idle_empty", "unallocated", "lost", "overhead", "unknown"]  # in the order of ties

failed = number = 0


def check(what, good, seen=""):
    global failed, number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {what}", flush=True)
    if not good:
        failed += 1
        print("# " + str(seen)[:2000].replace("\n", "\n# "))


class Bench:
    def __init__(self, build):
        self.build, self.work = build, tempfile.mkdtemp(prefix="tare-agent-")
        self.tare, self.agent = f"{build}/src/cli/tare", f"{build}/src/cli/tare-agent"
        self.children = []
        self.epoch_ms = int(time.time() * 1000)
        self.env = {**os.environ, "TARE_NVML": f"{build}/tests/stub/nvml/libnvidia-ml.so.1", "HOME": self.work, "TARE_METADATA": "off"}
        self.env.pop("TARE_GPU_REPLAY", None)

    def worker(self, **env):
        p = subprocess.Popen(["sleep", "600"], env={**os.environ, **env})
        self.children.append(p)
        return p.pid

    def script(self, text):
        path = f"{self.work}/cards"
        open(path, "w").write(text)
        self.env["TARE_STUB_NVML"] = path

    def start(self, state, *args, speed=30):
        env = {**self.env, "TARE_AGENT_SPEED": f"{speed}@{self.epoch_ms}"}
        p = subprocess.Popen([self.agent, "agent", "--state", state, *args], env=env, stderr=subprocess.PIPE, text=True)
        self.children.append(p)
        return p

    def run(self, *args):
        # The agent's time ran ahead of the clock: for the ledger it is already later.
        late = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 30 * 86400))
        return subprocess.run([self.tare, *args], env={**self.env, "TARE_NOW": late}, capture_output=True, text=True)

    def json(self, *args):
        r = self.run(*args, "-o", "json")
        return json.loads(r.stdout) if r.returncode == 0 else {"error": r.stderr}

    def end(self):
        for p in self.children:
            if p.poll() is None:
                p.kill()
                p.wait()
        if not os.environ.get("TARE_KEEP"):
            shutil.rmtree(self.work, ignore_errors=True)


def ms(text):
    """Milliseconds of a time as the export has it: with or without a fraction."""
    at = datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
    return round(at.timestamp() * 1000)


def wait_for(what, seconds=60):
    """The first true value of what(), or the last one after so long."""
    end = time.monotonic() + seconds
    while not (got := what()) and time.monotonic() < end:
        time.sleep(0.05)
    return got


def ready(p):
    """Until it takes SIGTERM its own way: it is at work."""
    def takes():
        try:
            masks = {w[0]: int(w[1], 16) for w in map(str.split, open(f"/proc/{p.pid}/status")) if w[0] in ("SigCgt:", "SigBlk:")}
        except OSError:
            return True
        return p.poll() is not None or (masks.get("SigCgt:", 0) | masks.get("SigBlk:", 0)) >> (signal.SIGTERM - 1) & 1

    wait_for(takes)


def stop(p):
    ready(p)
    p.send_signal(signal.SIGTERM)
    try:
        return p.communicate(timeout=120)[1], p.returncode
    except subprocess.TimeoutExpired:
        p.kill()
        return p.communicate()[1], -1


def agent_ms(b, state):
    """Milliseconds by state as the agent's own roll-ups have them (tare agent status)."""
    got = {}
    for g in b.json("agent", "status", "--state", state).get("gpus", []):
        for k, v in g["seconds"].items():
            got[k] = got.get(k, 0) + round(v * 1000)
    return got


def export_ms(lines):
    """The same from the lines of an export, by the rule of docs/LEDGER.md: parts of a card added up exactly, each hour rounded to what
    was watched so far, its states by largest remainder, the first of equal ones first."""
    hours, got = {}, {}
    for x in lines:
        for use in x["uses"] if x.get("type") == "minute" else ():
            states = hours.setdefault((x["gpu"], x.get("mig") or "", ms(x["from"]) // 3600000), {})
            for s in use["states"]:
                states[s["state"]] = states.get(s["state"], 0) + s["ms"] * fractions.Fraction(str(use["share_frac"]))
    card, so_far, before = None, 0, 0
    for (gpu, mig, _), states in sorted(hours.items()):
        if (gpu, mig) != card:
            card, so_far, before = (gpu, mig), 0, 0
        so_far += sum(states.values())
        upto = math.floor(so_far + fractions.Fraction(1, 2))
        left = upto - before - sum(math.floor(v) for v in states.values())
        order = sorted(states, key=lambda s: (-(states[s] % 1), STATES.index(s)))
        for i, state in enumerate(order):
            got[state] = got.get(state, 0) + math.floor(states[state]) + (i < left)
        before = upto
    return {k: v for k, v in got.items() if v}


def ledger_ms(b, db):
    return {row["state"]: round(float(row["gpu_seconds"]) * 1000) for row in b.json("report", "--db", db, "--by", "state").get("rows", [])}


def agent_seconds(b, state):
    return {k: v / 1000 for k, v in agent_ms(b, state).items()}


def ledger_seconds(b, db):
    return {k: v / 1000 for k, v in ledger_ms(b, db).items()}


def closes(b, state, name):
    """Status, export and ledger have the same milliseconds in every state. What differs, or nothing."""
    out, db = f"{b.work}/{name}.jsonl", f"{b.work}/{name}-db"
    r = b.run("agent", "export", "--state", state, "-o", out)
    if r.returncode:
        return r.stderr
    r = b.run("import", "--db", db, out)
    lines = [json.loads(x) for x in open(out)]
    status, export, ledger = agent_ms(b, state), export_ms(lines), ledger_ms(b, db)
    shutil.rmtree(db, ignore_errors=True)
    good = r.returncode == 0 and status and status == export == ledger
    return None if good else f"{r.stderr}status {status}\nexport {export}\nledger {ledger}"


def shared_card(b):
    """Four cards, one of them shared in halves: parts of odd milliseconds."""
    vision, nlp = b.worker(TARE_TEAM="vision", TARE_PROJECT="seg", TARE_JOB="train-7"), b.worker(TARE_TEAM="nlp", TARE_JOB="idle-1")
    b.script(f"""cards 4
card * procs=0 util=0 amp=0 mem_gib_used=0
card 0 util=90 amp=5 period=7 pids={vision} mem_gib_used=40
card 1 util=0 pids={nlp} mem_gib_used=30
card 2 util=12 pids={vision},{nlp} mem_gib_used=30 proc_sm=-1
""")


def to_ledger(b):
    shared_card(b)
    state, db = f"{b.work}/state", f"{b.work}/db"
    p = b.start(state, "--listen", "none", "--usd-gpu-hour", "2.5")
    ready(p)
    time.sleep(9)
    text, code = stop(p)
    check("SIGTERM ends it cleanly", code == 0, text)
    own = agent_ms(b, state)
    out = f"{b.work}/node.jsonl.zst"
    r = b.run("agent", "export", "--state", state, "-o", out)
    check("export", r.returncode == 0, r.stderr)
    r = b.run("import", "--db", db, out)
    check("import knows the file by its header", r.returncode == 0 and "agent" in r.stdout, r.stdout + r.stderr)
    ledger = ledger_ms(b, db)
    check("the ledger has the agent's milliseconds in the agent's states", len(own) >= 3 and own == ledger, f"agent {own}\nledger {ledger}")
    rows = b.json("report", "--db", db, "--by", "team,state")
    teams = {(x["team"], x["state"]) for x in rows.get("rows", [])}
    check("owners and states", {("vision", "busy"), ("nlp", "idle_held"), ("vision", "underused"), ("nlp", "underused")} <= teams and
          any(s == "unallocated" for _, s in teams), teams)
    total = rows.get("total", {})
    want = sum(own.values()) / 3600000 * 2.5
    check("cost = seconds x price", abs(float(total.get("cost", 0)) - want) < 1e-5 * 4 and want > 0, f"{total} want {want}")
    again = b.run("import", "--db", db, out)
    check("the same file again changes nothing", again.returncode == 0 and ledger == ledger_ms(b, db), again.stderr)


def minutes(b, state):
    r = b.run("agent", "export", "--state", state)
    return {(x["gpu"], x.get("mig"), ms(x["from"])): ms(x["to"]) for x in map(json.loads, r.stdout.splitlines()) if x.get("type") == "minute"}


def killed(b):
    """kill -9 at random moments: no closed minute is lost, no second is there twice, and when it was started again status, export and ledger say
    the same to the millisecond. TARE_KILLS: how many."""
    state, kills = f"{b.work}/killed", int(os.environ.get("TARE_KILLS", 6))
    kept, lost, differ, told = {}, [], [], ""
    shared_card(b)
    for i in range(kills):
        p = b.start(state, "--listen", "none", "-q", speed=60)
        ready(p)
        time.sleep(0.9 + (i * 37 % 10) / 7)
        p.kill()
        p.communicate()
        time.sleep(0.3)
        now = minutes(b, state)
        lost += [k for k, to in kept.items() if now.get(k, 0) < to]
        kept = now
        text, code = stop(b.start(state, "--listen", "none", "-q", speed=60))
        told += text if code else ""
        why = closes(b, state, f"killed{i}")
        differ += [f"kill {i + 1}: {why}"] if why else []
    check("no minute that was there before a kill is gone after it", kept and not lost, lost[:3])
    check("starts again after kills", not told, told)
    spans = {}
    for (gpu, mig, since), until in minutes(b, state).items():
        spans.setdefault((gpu, mig), []).append((since, until))
    double = [(a, c) for v in spans.values() for a, c in zip(sorted(v), sorted(v)[1:]) if c[0] < a[1]]
    check("no second twice", len(spans) >= 2 and not double, double[:3])
    check(f"after each of {kills} kills what is left closes in the ledger", not differ, f"{len(differ)} differ, the first:\n" + "".join(differ[:1]))


def fill(path):
    """Until nothing fits any more."""
    with open(path, "wb", buffering=0) as f:
        for size in (1 << 20, 1 << 16, 4096, 512, 1):
            try:
                while True:
                    f.write(b"x" * size)
            except OSError:
                pass


def full(b):
    """A disk that fills up twice: minutes follow each other without a hole when there is room again."""
    disk = f"{b.work}/disk"
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], capture_output=True).returncode:
        print("# no right to mount a small disk here: the full disk is left out")
        return
    try:
        b.env.pop("TARE_STUB_NVML", None)
        p = b.start(f"{disk}/state", "--listen", "none", "-q", "--flush", "10s", speed=60)
        ready(p)
        reserve = wait_for(lambda: os.path.exists(f"{disk}/state/reserve"))
        time.sleep(2.5)
        for i in range(2):
            fill(f"{disk}/filler{i}")
            time.sleep(4)
        gone = wait_for(lambda: not os.path.exists(f"{disk}/state/reserve"))
        os.unlink(f"{disk}/filler0")
        os.unlink(f"{disk}/filler1")
        time.sleep(3)
        text, code = stop(p)
        check("it lives through a full disk", code == 0, text)
        check("it says that it is full, and that it is over", "cannot keep what was seen" in text and "kept again" in text, text)
        check("the reserve was there, and was given up", reserve and gone, f"{reserve} {gone}")
        r = b.run("agent", "export", "--state", f"{disk}/state")
        spans = {}
        for x in map(json.loads, r.stdout.splitlines()):
            if x.get("type") == "minute":
                spans.setdefault(x["gpu"], []).append((ms(x["from"]), ms(x["to"])))
        holes = [(a, c) for v in spans.values() for a, c in zip(sorted(v), sorted(v)[1:]) if a[1] != c[0]]
        check("minutes without a hole", len(spans) == 8 and min(map(len, spans.values())) >= 10 and not holes, f"{[len(v) for v in spans.values()]} {holes[:3]}")
        kept = f"{disk}/state/reserve"
        if not os.path.exists(kept):
            with open(kept, "wb") as f:
                f.write(bytes(2 << 20))
        fill(f"{disk}/filler2")
        p = b.start(f"{disk}/state", "--listen", "none", "-q")
        ready(p)
        wait_for(lambda: not os.path.exists(kept))
        time.sleep(1)
        text, code = stop(p)
        check("it starts on a full disk: the reserve is given up for that", code == 0 and not os.path.exists(kept), f"{code} {text}")
        os.unlink(f"{disk}/filler2")
        p = b.start(f"{disk}/other", "--listen", "none", "-q")
        ready(p)
        if os.path.exists(f"{disk}/other/reserve"):
            os.unlink(f"{disk}/other/reserve")
        fill(f"{disk}/filler3")
        time.sleep(1)
        text, code = stop(p)
        check("what could not be kept to the end is said, and is an error", code == 2 and "is not kept" in text, f"{code} {text}")
    finally:
        for child in b.children:
            if child.poll() is None:
                child.kill()
                child.wait()
        subprocess.run(["umount", disk], capture_output=True)


def faults(b):
    """Cards that are lost and come back, a driver that is reloaded, MIG that is cut anew, XIDs, settings read again and kills, all together: every
    second is there once, and the ledger has what the agent had."""
    seconds, speed = float(os.environ.get("TARE_FAULT_SECONDS", 15)), float(os.environ.get("TARE_FAULT_SPEED", 30))
    rnd, state, db = random.Random(4), f"{b.work}/faults", f"{b.work}/faults-db"
    vision = b.worker(TARE_TEAM="vision", TARE_JOB="train-9")
    text = f"cards 4\ncard * procs=0\ncard 0 pids={vision} util=80\ncard 3 mem_gib_used=0 util=0 amp=0\n"
    for t in range(1, int(seconds), 3):  # seconds since the library was loaded: each start begins anew
        text += rnd.choice([f"at {t} card 1 lost\nat {t + 1} card 1 back\n", f"at {t} driver lost\nat {t + 1} driver back\n",
                            f"at {t} card 2 mig 3g.40gb@0 2g.20gb@4\nat {t + 2} card 2 mig off\n", f"at {t} card 0 xid 31\n", f"at {t} card 3 mig 1g.10gb@0\n"])
    b.script(text)
    end, starts, hups = time.time() + seconds, 0, 0
    p = None
    while time.time() < end:
        if not p:
            p = b.start(state, "--listen", "none", "-q", "--usd-gpu-hour", "2", speed=speed)
            ready(p)
            starts += 1
        time.sleep(min(max(0.3, end - time.time()), rnd.uniform(0.5, max(4, seconds / 60))))
        if rnd.random() < 0.5:
            p.send_signal(signal.SIGHUP)
            hups += 1
        else:
            p.kill()
            p.communicate()
            p = None
            time.sleep(0.5)
    p = p or b.start(state, "--listen", "none", "-q", speed=speed)
    ready(p)
    time.sleep(1)
    text, code = stop(p)
    check(f"it lives ({starts} starts, {hups} times SIGHUP, {seconds:.0f} s at {speed:.0f} times the speed)", code == 0, text)
    spans = {}
    for (gpu, mig, since), until in minutes(b, state).items():
        spans.setdefault((gpu, mig), []).append((since, until))
    double = [(a, c) for v in spans.values() for a, c in zip(sorted(v), sorted(v)[1:]) if c[0] < a[1]]
    check("no second twice", len(spans) >= 4 and not double, double[:3])
    out = f"{b.work}/faults.jsonl"
    b.run("agent", "export", "--state", state, "-o", out)
    events = {x["event"] for x in map(json.loads, open(out)) if x.get("type") == "event"}
    check("events are told", "gap" in events and len(events) >= 3, events)
    r = b.run("import", "--db", db, out)
    own, ledger = agent_seconds(b, state), ledger_seconds(b, db)
    check("the ledger closes over it", r.returncode == 0 and abs(own.get("busy", 0) - ledger.get("busy", 0)) < 1 and own.get("busy", 0) > 0, f"{r.stderr}{own}\n{ledger}")
    held = [sum(v for k, v in x.items() if k not in ("unallocated", "unknown")) for x in (own, ledger)]
    check("with the agent's seconds", abs(held[0] - held[1]) < 1, f"{own}\n{ledger}")


def hangs(b):
    """A driver that does not come back: the agent goes on looking at the rest, and books unknown, never idle, for as long as it lasts."""
    worker, port = b.worker(TARE_TEAM="vision", TARE_JOB="train-9"), free_port()
    b.script(f"cards 2\ncard * procs=0 util=0 amp=0 mem_gib_used=0\ncard 0 util=90 pids={worker} mem_gib_used=40\nat 4 driver hang 13\n")
    state = f"{b.work}/hangs"
    p = b.start(state, "--listen", f"127.0.0.1:{port}", "--usd-gpu-hour", "1", speed=1)
    url = f"http://127.0.0.1:{port}"
    got = ""

    def value(name):
        return [float(x.split()[1]) for x in got.splitlines() if x.startswith(name + " ")]

    def look():
        nonlocal got
        try:
            got = urllib.request.urlopen(f"{url}/metrics", timeout=30).read().decode()
        except (urllib.error.URLError, ConnectionError):
            got = ""
        return got

    ready(p)
    wait_for(lambda: look() and (value("tare_agent_driver_stuck_seconds") or [0])[0] >= 3)
    ticks, stuck = value("tare_agent_ticks_total"), value("tare_agent_driver_stuck_seconds")
    check("/metrics answers while the driver hangs", ticks and ticks[0] >= 6 and stuck and stuck[0] >= 3 and 'tare_gpu_present{gpu="0"' in got, f"{ticks} {stuck}")
    check("healthy: it looks on", urllib.request.urlopen(f"{url}/healthz").status == 200)
    check("its cards do not answer", all(x.endswith(" 0") for x in got.splitlines() if x.startswith("tare_gpu_present{")) and "tare_gpu_utilization_ratio{" not in got)
    wait_for(lambda: look() and (value("tare_agent_driver_stuck_seconds") or [1])[0] == 0)
    time.sleep(3.5)
    text, code = stop(p)
    own = agent_seconds(b, state)
    said = re.search(r"has not answered for (1\d) s", text), re.search(r"answers again after (1\d) s", text)
    check("it says so, and that it is over", code == 0 and all(said), text)
    check("unknown for as long as it lasts, of both cards: nobody looked at the free one either", 21 < own.get("unknown", 0) < 39, own)
    check("busy before and after, never idle", own.get("busy", 0) > 5 and not any(k.startswith("idle") for k in own), own)
    r = b.run("agent", "export", "--state", state)
    lines = [json.loads(x) for x in r.stdout.splitlines()]
    events = [x["event"] for x in lines if x.get("type") == "event"]
    held = {x["id"] for x in lines if x.get("type") == "allocation"}
    check("events", "driver_stuck" in events and "driver_back" in events and "lost" not in events and "gap" not in events, events)
    check("who held it held it all the while", len(held) == 1, held)


def away(b):
    """The server answers 503, is away, is back: every row arrives; a batch that came twice came under one key."""
    server = Server()
    b.env.pop("TARE_STUB_NVML", None)
    state = f"{b.work}/sent"
    server.status = 503
    p = b.start(state, "--listen", "none", "-q", "--server", server.url, "--send-every", "1s")
    seen = wait_for(lambda: server.tries)
    server.status, server.drop_answers = 200, 1
    wait_for(lambda: server.twice)
    time.sleep(5)
    text, code = stop(p)
    time.sleep(0.3)
    r = b.run("agent", "export", "--state", state)
    rows = [x for x in map(json.loads, r.stdout.splitlines()) if x.get("type") == "minute"]
    got = server.rows("minute")
    want = {(x["gpu"], x.get("mig"), x["from"]) for x in rows}
    have = {(x["gpu"], x.get("mig"), x["from"]) for x in got}
    check("it tried while the server was away", seen >= 1, seen)
    check("what arrived is what was seen", have and have <= want and len(got) == len(have), f"{len(have)} of {len(want)}, {len(got)} rows")
    check("nothing but the last seconds is missing", len(want - have) <= 2 * len({g for g, _, _ in want}), len(want - have))
    check("an answer that was lost: the same batch under the same key", server.twice >= 1 and server.bodies_differ == 0,
          f"twice {server.twice} differ {server.bodies_differ}")
    check("batches count up", server.batches() == sorted(server.batches()) and server.batches()[:1] == [1], server.batches())
    server.close()


def refused(b):
    """A server that refuses the first batches for good: they are set aside, what comes later arrives, and status and /metrics say so."""
    server, port = Server(), free_port()
    b.env.pop("TARE_STUB_NVML", None)
    state = f"{b.work}/refused"
    server.status = 400
    p = b.start(state, "--listen", f"127.0.0.1:{port}", "-q", "--server", server.url, "--send-every", "1s")
    aside = f"{state}/refused"
    wait_for(lambda: os.path.exists(aside) and any(x.endswith(".zst") for x in os.listdir(aside)))
    server.status = 200
    wait_for(server.batches)
    text = ""

    def counted():
        nonlocal text
        text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=30).read().decode()
        return "tare_agent_send_tries_failed 0\n" in text

    wait_for(counted)
    told, code = stop(p)
    kept = sorted(x for x in os.listdir(aside) if x.endswith(".zst"))
    check("a batch that is refused for good is set aside", kept == ["1.jsonl.zst"] and server.tries >= 6, f"{kept} {server.tries}")
    check("and the next ones arrive", code == 0 and server.batches()[:1] == [2] and server.rows("minute"), server.batches())
    check("it says so", "refused batch 1" in told and "status 400" in told, told)
    check("/metrics counts it", "tare_agent_batches_refused_total 1\n" in text and "tare_agent_send_tries_failed 0\n" in text, [x for x in text.split("\n") if "agent_batches" in x])
    status = b.json("agent", "status", "--state", state)
    shown = b.run("agent", "status", "--state", state).stdout
    check("status counts it", status.get("refused_batches") == 1 and status.get("sent_batches", 0) >= 1 and "refused   1 batch, the last with status 400" in shown, shown)
    r = b.run("import", "--db", f"{b.work}/refused-db", f"{aside}/1.jsonl.zst")
    check("what was set aside can be imported", r.returncode == 0, r.stderr)
    server.close()


def metrics(b):
    port = free_port()
    hostile = b.worker(TARE_TEAM='a"b\\c\nx{y="z"}', TARE_JOB="j" * 5000)
    b.script(f"cards 2\ncard 0 util=50 pids={hostile} name=\"evil\\e[31m\\nname\"\n")
    p = b.start(f"{b.work}/metrics", "--listen", f"127.0.0.1:{port}", "-q", "--dcgm-names", "--usd-gpu-hour", "1", speed=1)
    url = f"http://127.0.0.1:{port}"
    text = ""
    for _ in range(300):
        try:
            text = urllib.request.urlopen(f"{url}/metrics", timeout=30).read().decode()
            if "tare_gpu_state_seconds_total" in text:
                break
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.2)
    check("metrics", 'tare_gpu_utilization_ratio{gpu="0"' in text and "DCGM_FI_DEV_GPU_UTIL" in text, text[:500])
    check("hostile texts are bounded and escaped", "\x1b" not in text and "j" * 200 not in text and 'team="a\\"b\\\\c' in text, [x for x in text.split("\n") if "team" in x][:2])
    check("healthz", urllib.request.urlopen(f"{url}/healthz").status == 200)
    for method, path, want in (("POST", "/metrics", 405), ("DELETE", "/metrics", 405), ("GET", "/", 404)):
        try:
            got = urllib.request.urlopen(urllib.request.Request(url + path, method=method, data=b"x" if method == "POST" else None)).status
        except urllib.error.HTTPError as e:
            got = e.code
        check(f"{method} {path} is {want}", got == want, got)
    promtool, prometheus = shutil.which("promtool"), shutil.which("prometheus")
    if promtool:
        # DCGM's label names (modelName, UUID) are its own and not to promtool's taste.
        own = "".join(x + "\n" for x in text.splitlines() if "DCGM_FI_" not in x)
        r = subprocess.run([promtool, "check", "metrics"], input=own, capture_output=True, text=True)
        check("promtool check metrics", r.returncode == 0 and not r.stderr.strip() and not r.stdout.strip(), r.stdout + r.stderr)
    if prometheus:
        scrape(b, prometheus, port)
    else:
        print("# no prometheus here: the scrape is left out")
    stop(p)


def scrape(b, prometheus, port):
    own, data = free_port(), f"{b.work}/prom"
    open(f"{b.work}/prom.yaml", "w").write(f"global: {{scrape_interval: 1s}}\nscrape_configs:\n- job_name: tare\n  static_configs:\n  - targets: ['127.0.0.1:{port}']\n")
    p = subprocess.Popen([prometheus, f"--config.file={b.work}/prom.yaml", f"--storage.tsdb.path={data}", f"--web.listen-address=127.0.0.1:{own}"],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    b.children.append(p)

    def ask(query):
        try:
            r = urllib.request.urlopen(f"http://127.0.0.1:{own}/api/v1/query?query={query}", timeout=30)
            return json.load(r)["data"]["result"]
        except (urllib.error.URLError, ConnectionError):
            return []

    got = []
    for _ in range(240):
        got = ask("tare_gpu_utilization_ratio")
        if len(got) == 2:
            break
        time.sleep(0.5)
    check("a real Prometheus has the readings", len(got) == 2 and {x["metric"]["gpu"] for x in got} == {"0", "1"}, got)
    held = ask("tare_gpu_held_ratio%7Bstate=%22busy%22%7D")
    check("and the holder", any(x["metric"].get("team", "").startswith('a"b') for x in held), held)
    check("and DCGM's names", len(ask("DCGM_FI_DEV_GPU_UTIL")) == 2)
    p.terminate()
    p.wait(120)


def main():
    b = Bench(os.path.abspath(sys.argv[1]))
    if not os.path.exists(b.env["TARE_NVML"]):
        print("1..0 # SKIP the stub NVML is not built")
        return 0
    try:
        for part in (to_ledger, killed, full, faults, hangs, away, refused, metrics):
            if len(sys.argv) < 3 or part.__name__ in sys.argv[2:]:
                part(b)
    finally:
        b.end()
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
