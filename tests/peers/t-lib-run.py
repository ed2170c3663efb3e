#!/usr/bin/env python3
"""Programs with libtare under a real tare run: t-lib-run.py BUILDDIR [TARE-AGENT LIB-TRAIN]

A program in C (lib-train.c) and one in Python (examples/plain.py) are asked to save over the socket, end with 85 and go on; supervisor or program are killed with
kill -9 at random moments (TARE_KILLS turns each, default 4): never older than the last step reported safe, and the same result in the end. And stores that
refuse, redirect without end, or cut every upload at 99 %: never 85, as nothing is safe there.
"""
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from s3_server import KEYS, Fault, Server

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
AGENT = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else BUILD / "src/cli/tare-agent")
TRAIN = os.path.abspath(sys.argv[3] if len(sys.argv) > 3 else BUILD / "tests/peers/lib-train")
KILLS = int(os.environ.get("TARE_KILLS", "4"))
tmp = pathlib.Path(tempfile.mkdtemp(prefix="tare-lib-run."))
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONPATH": str(TOP / "python"), "TARE_LIBTARE": str(BUILD / "src/libtare.so"), "PYTHONDONTWRITEBYTECODE": "1", "AWS_EC2_METADATA_DISABLED": "true"}
ENV |= {k: v for k, v in os.environ.items() if k in ("XDG_RUNTIME_DIR", "PYENV_VERSION") or k.endswith(("SAN_OPTIONS", "_TUNABLES"))}
count, failed, lock = 0, 0, threading.Lock()


def ok(good, what, more=""):
    global count, failed
    with lock:
        count += 1
        failed += not good
        print_one(good, what, more)


def print_one(good, what, more):
    print(f"{'ok' if good else 'not ok'} {count} - {what}" + "".join("\n#   " + x for x in str(more)[-3000:].splitlines() if not good), flush=True)


class C:
    name, steps = "C", 400 + 600 * KILLS
    argv = [TRAIN, str(steps), "1000"]
    slow = [TRAIN, str(steps), "50000"]  # the same, and longer than anything here waits


class Python:
    name, steps = "Python", 100 + 160 * KILLS
    argv = [sys.executable, str(TOP / "examples/plain.py"), "--dir", "checkpoints", "--steps", str(steps), "--every", "1000000", "--sleep", "0.004"]
    slow = argv[:-1] + ["0.1"]


class Job:
    def __init__(self, program, *options, env=None):
        self.d = pathlib.Path(tempfile.mkdtemp(dir=tmp))
        self.program, self.options, self.env = program, options, ENV | (env or {})

    def start(self, slow=False):
        with open(self.d / "status", "a") as status, open(self.d / "out", "a") as out, open(self.d / "err", "a") as err:
            self.p = subprocess.Popen([AGENT, "run", "-q", "--notice", "file", "--notice-file", "go", "--status-fd", str(status.fileno()), *self.options, "--", *(self.program.slow if slow else self.program.argv)], cwd=self.d,
                                      env=self.env, pass_fds=[status.fileno()], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        return self

    def events(self, kind):
        got = []
        for line in (self.d / "status").read_text().splitlines():
            try:
                e = json.loads(line)
            except ValueError:
                continue  # cut by a kill
            if e["event"] == kind:
                got.append(e)
        return got

    def wait_for(self, good, seconds=90):
        end = time.monotonic() + seconds
        while time.monotonic() < end and not good() and self.p.poll() is None:
            time.sleep(0.01)
        return bool(good())

    def runs(self):
        """Until the program itself is at its steps: one that is told to end before it can hear that ends as any program does."""
        def steps():
            return (self.d / "from").exists() and (self.d / "from").read_text() or "begun" in (self.d / "err").read_text()
        return self.wait_for(steps) and time.sleep(0.4) is None

    def end(self, seconds=300):
        try:
            return self.p.wait(seconds)
        except subprocess.TimeoutExpired:
            self.p.kill()
            self.p.wait()
            return "hung"

    def program_pid(self):
        try:
            return int(pathlib.Path(f"/proc/{self.p.pid}/task/{self.p.pid}/children").read_text().split()[0])
        except (OSError, IndexError):
            return 0

    def safe(self):
        """The newest step that any line has called safe."""
        return max([e["step"] for e in self.events("safe")] + [e["safe_step"] or 0 for e in self.events("end")], default=0)

    def resumed(self):
        return [e["resume_step"] or 0 for e in self.events("start")]

    def safe_before(self, starts):
        """The newest step called safe before the start of that number (from 0)."""
        best = seen = 0
        for line in (self.d / "status").read_text().splitlines():
            e = json.loads(line)
            seen += e["event"] == "start"
            if seen > starts:
                break
            if e["event"] == "safe":
                best = max(best, e["step"])
        return best

    def result(self):
        lines = [x for x in (self.d / "out").read_text().splitlines() if x.startswith("result ")]
        return lines[-1] if lines else None

    def told(self):
        return (self.events("asked"), self.events("safe"), self.events("end"), self.events("problem"), (self.d / "err").read_text()[-800:])


def asked(program, straight):
    j = Job(program).start(slow=True)
    j.runs()
    (j.d / "go.new").write_text("8s\n")
    os.rename(j.d / "go.new", j.d / "go")
    code = j.end()
    said = j.events("asked")
    ok(code == 85 and said and all(e["by"] == "socket" for e in said) and j.safe() > 0 and j.events("end")[-1]["safe_step"] == j.safe(), f"{program.name}: asked over the socket, saved, 85", (code, j.told()))
    os.unlink(j.d / "go")
    code = j.start().end()
    ok(code == 0 and j.resumed()[-1] == j.safe_before(1) and j.result() == straight, f"{program.name}: started again it goes on from step {j.resumed()[-1]} to the same result", (code, j.resumed(), j.result(), straight, j.told()))


def killed(program, straight):
    rnd, j, bad, who = random.Random(11), Job(program, "--every", "1s"), [], []
    for turn in range(KILLS):
        before, starts = j.safe() if turn else 0, len(j.events("start")) if turn else 0
        j.start(slow=not turn).wait_for(lambda: len(j.events("start")) > starts)
        if not turn:  # something to be older than
            j.wait_for(lambda: j.events("safe"))
        time.sleep(0.5 + rnd.random() * 1.5)
        victim = rnd.choice(["supervisor", "program"])
        pid = j.p.pid if victim == "supervisor" else j.program_pid()
        if pid and j.p.poll() is None:
            os.kill(pid, signal.SIGKILL)
            who.append(victim)
        code = j.end()
        if code not in (-9, 137, 0) or (j.resumed() and j.resumed()[-1] < before):
            bad.append((turn, victim, code, before, j.resumed()))
        if code == 0:
            break
    best, code = j.safe(), j.start().end()  # at once: a program whose supervisor was killed may just be saving its last
    good = code == 0 and j.resumed()[-1] >= best and j.result() == straight
    ok(good and not bad and best > 0, f"{program.name}: {who.count('supervisor')} supervisors and {who.count('program')} programs killed: never older than what was safe (step {best}), the same result", (code, bad, best, j.resumed(), j.result(), straight, j.told()))


def s3(server, **more):
    return {"AWS_ENDPOINT_URL_S3": server.url, "AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": KEYS["AKIATEST"]} | more


def stores():
    with Server() as s:
        for what, env, fault in (("wrong credentials", {"AWS_SECRET_ACCESS_KEY": "no"}, None), ("an endless redirect", {}, Fault("redirect", times=None))):
            s.faults = [fault] if fault else []
            began = time.monotonic()
            j = Job(C, "--store", "s3://bkt/x", env=s3(s, **env)).start()
            code = j.end()
            ok(code == 125 and not (j.d / "from").exists() and time.monotonic() - began < 60 and "store" in (j.d / "err").read_text(), f"{what}: nothing is begun that could not be brought back, with what to do",
               (code, j.told()))
        s.faults = [Fault("cut", "PUT", "data/", None, after=1000000)]
        j = Job(C, "--store", "s3://bkt/y", env=s3(s)).start(slow=True)
        j.runs()
        (j.d / "go.new").write_text("5s\n")
        os.rename(j.d / "go.new", j.d / "go")
        code = j.end()
        last = j.events("end")[-1]
        ok(code not in (0, 85) and last["safe_step"] is None and last["local_step"] and not [k for _, k in s.objects if k.startswith("y/ckpt/")], "every upload cut at 99 %: saved here, not safe there, not 85", (code, j.told(), list(s.objects)))
        s.faults, had = [], last["local_step"]
        os.unlink(j.d / "go")
        code = j.start().end()
        ok(code == 0 and j.resumed()[-1] == had and j.events("end")[-1]["stored_step"] == C.steps, "the store is well again: it goes on from what is here, and all is there at the end", (code, j.resumed(), j.told()))
        j2 = Job(C, "--store", "s3://bkt/y", env=s3(s)).start()
        code = j2.end()
        ok(code == 0 and j2.resumed() == [C.steps] and j2.result() == j.result(), "another machine gets it from the store, bit for bit", (code, j2.resumed(), j2.told()))
        shutil.copytree(j2.d / "checkpoints", j2.d / "x")
        copy = j2.d / "copy"
        for (_, k), o in s.objects.items():
            if k.startswith("y/"):
                (copy / k[2:]).parent.mkdir(parents=True, exist_ok=True)
                (copy / k[2:]).write_bytes(o.body)
        p = subprocess.run([sys.executable, "-c", "import ctypes, sys\nl = ctypes.CDLL(sys.argv[1])\np = ctypes.c_void_p()\ne = ctypes.create_string_buffer(300)\n"
                            "r = l.tare_load_latest(sys.argv[2].encode(), ctypes.byref(p), e, ctypes.c_size_t(300))\nl.tare_loaded_step.restype = ctypes.c_int64\nprint(r, r > 0 and l.tare_loaded_step(p), e.value)",
                            str(BUILD / "src/libtare.so"), str(copy)], capture_output=True, text=True)
        ok(p.stdout.split()[:2] == ["1", str(C.steps)] and not (copy / "part").exists(), "libtare loads from a raw copy of the store, which has no empty folders", p)


def with_program(program):
    whole = Job(program).start()
    code = whole.end()
    straight = whole.result()
    ok(code == 0 and straight, f"{program.name}: to the end, {straight}", (code, whole.told()))
    asked(program, straight)
    killed(program, straight)


def main():
    lib = BUILD / "src/libtare.so"
    if not lib.exists():
        print(f"1..0 # SKIP {lib} is not built")
        return 77
    try:
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for f in [pool.submit(with_program, C), pool.submit(with_program, Python), pool.submit(stores)]:
                f.result()
        print(f"1..{count}")
    finally:
        shutil.rmtree(tmp, ignore_errors=True)
    return failed != 0


sys.exit(main())
