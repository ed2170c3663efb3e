#!/usr/bin/env python3
"""tare run drill with real programs: t-drill.py BUILDDIR

Programs with libtare (examples/plain.py, and ones that do not go on, or do not listen) and one whose files are watched. What passed, and nothing else, is evidence
that it resumes: a drill that failed says so, one that is killed half-way leaves nothing.
"""
import concurrent.futures
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import run_peer

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
AGENT = str(BUILD / "src/cli/tare-agent")
tmp = pathlib.Path(tempfile.mkdtemp(prefix="tare-drill."))
ENV = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "PYTHONPATH": str(TOP / "python"), "TARE_LIBTARE": str(BUILD / "src/libtare.so"), "PYTHONDONTWRITEBYTECODE": "1",
       "TARE_DATA": str(TOP / "data")}
ENV |= {k: v for k, v in os.environ.items() if k in ("XDG_RUNTIME_DIR", "PYENV_VERSION", "GLIBC_TUNABLES")}
count, failed, lock = 0, 0, threading.Lock()

# With libtare, and each wrong in one way: argv[1] says how.
WRONG = '''
import os, sys, time
import tare
how = sys.argv[1]
saver = tare.Saver(keep_last=3)
step, state = saver.load_latest()
n = state["n"] if state else 0
if how == "zero":                     # loads, and begins anew
    step = n = 0
if how == "later" and state:
    step += 1000
if how == "crash" and state:
    sys.exit(7)
if how == "late-crash":
    end = step + 150 if state else 10 ** 6
else:
    end = 10 ** 6 if how == "long" or not state else step + 60
while step < end:
    time.sleep(0.01)
    step, n = step + 1, n + 1
    tare.step_done(step)
    if how == "deaf":                 # saves now and then, and hears nothing
        if step == 50:
            saver.save(step, {"n": n})
        continue
    if tare.should_save() or step % 50 == 0:
        saver.save(step, {"n": n})
    if tare.should_stop():
        saver.save(step, {"n": n})
        saver.close()
        sys.exit(85)
saver.close()
open("result", "w").write(str(n - step + (how == "other")))
sys.exit(9 if how == "late-crash" else 0)
'''


def ok(good, what, more=""):
    global count, failed
    with lock:
        count += 1
        failed += not good
        print(f"{'ok' if good else 'not ok'} {count} - {what}" + "".join("\n#   " + x for x in str(more)[-3000:].splitlines() if not good), flush=True)


def fresh(name):
    d = tmp / name
    (d / "db").mkdir(parents=True)
    (d / "wrong.py").write_text(WRONG)
    (d / "train.py").write_text(run_peer.train(100))
    return d


def command(d, *opts, argv):
    return [AGENT, "run", "drill", "--db", "db", "--name", d.name, "--grace", "20s", "--gpus", "1", "-o", "json", *opts, "--", *argv]


def drill(d, *opts, argv, **env):
    p = subprocess.run(command(d, *opts, argv=argv), cwd=d, env=ENV | env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = [json.loads(x) for x in p.stdout.splitlines() if x.startswith("{")]
    return p.returncode, said[-1] if said else {}, p.stderr


def kept(d):
    f = d / "db/drills.jsonl"
    return [json.loads(x) for x in f.read_text().splitlines()] if f.exists() else []


def wrong(how):
    return [sys.executable, "wrong.py", how]


def passes():
    d = fresh("walk-3")
    argv = [sys.executable, str(TOP / "examples/plain.py"), "--steps", "400", "--sleep", "0.01"]
    alone = subprocess.run([*argv, "--dir", "alone"], cwd=d, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    p = subprocess.run(command(d, argv=argv), cwd=d, env=ENV, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = p.stdout.splitlines()
    r = json.loads(lines[-1])
    ok(p.returncode == 0 and lines[0] == alone.strip(), "a program with libtare ends with the result of a run that nothing happened to", (p.returncode, p.stdout, p.stderr, alone))
    ok(r["passed"] and r["verdict"] == "passed" and 0 < r["step_saved"] < 400 and r["step_resumed"] == r["step_saved"] and r["steps_redone"] == 0, "it passed, from the step that was saved", r)
    ok(0 <= r["save_s"] < 30 and 0 < r["restart_s"] < 60 and 0 <= r["lost_s"] < 30 and r["checkpoint_bytes"] > 1000, "times and size were measured", r)
    ok(kept(d) == [r] and json.loads((d / "checkpoints/drill.json").read_text()) == r, "kept in the folder and beside the store", kept(d))
    rows = (d / "checkpoints/attempts.csv").read_text().splitlines()
    known = (d / "checkpoints/measured").read_text().splitlines()
    ok(any(",PREEMPTED,0," in x for x in rows) and "interruptions 0" in known and not [x for x in known if x.startswith("ran ") and x.endswith(" 1")],
       "what it lost is in the ledger's rows, and it counts as no interruption of the machine", (rows, known))


def stops():
    d = fresh("stop-1")
    code, r, err = drill(d, "--stop", argv=wrong("long"))
    ok(code == 0 and r.get("passed") and kept(d) == [r], "--stop: saved and ended when it has gone on", (code, r, err))
    code, r, err = drill(d, "--after", "100ms", "--max-lost", "20s", "--stop", argv=wrong("long"))
    ok(code == 0 and r.get("passed") and len(kept(d)) == 2, "and once more on the same folder, before it has saved anything new", (code, r, err))


def fails(how, verdict, what, *opts, code=1):
    d = fresh("w-" + how)
    got, r, err = drill(d, *opts, argv=wrong(how))
    ok(got == code and r.get("verdict") == verdict and not r["passed"] and kept(d)[-1:] == [r] and "FAILED" in err, what, (got, r, err))
    return d, err


def zero():
    d, err = fails("zero", "earlier_step", "one that begins at step 0 again fails")
    ok("went on from step 0" in err and "TARE_RESUME_STEP" in err, "it is said from where, and what to do", err)


def deaf():
    fails("deaf", "lost_too_much", "one that ignores the notice and loses work fails", "--grace", "2s")
    d = fresh("deaf-2")
    code, r, err = drill(d, "--grace", "2s", "--max-lost", "1m", argv=wrong("deaf"))
    ok(code == 0 and r.get("passed") and r["step_saved"] == 50 == r["step_resumed"] and r["steps_redone"] > 0 and r["lost_s"] > 0 and r["save_s"] is None,
       "with --max-lost it passes, and what it lost is told", (code, r, err))


def check():
    d = fresh("other-1")
    code, r, err = drill(d, "--check", "test \"$(cat result)\" = 0", argv=wrong("other"))
    ok(code == 1 and r.get("verdict") == "other_result" and kept(d) == [r], "another result fails, and nothing else was kept before", (code, r, err, kept(d)))
    d = fresh("other-2")
    code, r, err = drill(d, "--check", "test \"$(cat result)\" = 0", argv=wrong("right"))
    ok(code == 0 and r.get("passed") and kept(d) == [r], "the same result passes", (code, r, err))


def late():
    d = fresh("late-1")
    code, r, err = drill(d, argv=wrong("late-crash"))
    lines = kept(d)
    ok(code == 1 and [x["passed"] for x in lines] == [True, False] and r["verdict"] == "ended_badly", "one that has gone on and fails afterwards takes its word back", (code, r, err, lines))


def silent():
    d = fresh("none-1")
    code, r, err = drill(d, "--after", "500ms", "--grace", "2s", argv=["sleep", "60"])
    ok(code == 1 and r.get("verdict") == "not_saved" and kept(d) == [r] and "libtare" in err, "one that saves nothing fails, and what to do is said", (code, r, err))
    d = fresh("none-2")
    code, r, err = drill(d, argv=["true"])
    ok(code == 3 and r.get("verdict") == "not_made" and not kept(d), "one that ends before proves nothing, and nothing is kept", (code, r, err))


def watched():
    opts = ("--watch", "out", "--checkpoint-signal", "USR1", "--after", "1s")
    resume = "step = int(files[-1][5:-3]) if files else 0"
    d = fresh("watch-1")
    (d / "train.py").write_text((d / "train.py").read_text().replace(resume, resume + "\nfiles and open(f'{out}/{files[-1]}').read()"))
    code, r, err = drill(d, *opts, argv=[sys.executable, "train.py", "700"])
    first = (d / "from").read_text().split()
    ok(code == 0 and r.get("passed") and len(first) == 2 and int(first[1]) == r["step_saved"] and (d / "done").read_text() == "700", "files of a framework: by the steps in their names", (code, r, err, first))
    d = fresh("watch-2")
    (d / "train.py").write_text((d / "train.py").read_text().replace(resume, "step = 0"))
    code, r, err = drill(d, *opts, "--stop", argv=[sys.executable, "train.py", "100000"])
    ok(code == 1 and r.get("verdict") == "earlier_step" and kept(d)[-1:] == [r], "one that writes the same steps again fails", (code, r, err))
    d = fresh("watch-3")  # the time of day in the names: they grow whatever it begins from
    (d / "train.py").write_text((d / "train.py").read_text().replace(resume, "step = 0").replace("step_{step:06d}.pt", "at_{int(time.time() * 10)}.pt"))
    code, r, err = drill(d, *opts, "--stop", argv=[sys.executable, "train.py", "100000"])
    ok(code == 1 and r.get("verdict") == "not_read" and kept(d)[-1:] == [r], "one that opens none of the files put back fails", (code, r, err))


def killed():
    """kill -9 of the drill at moments before it is decided: nothing that counts is left, and the command ends."""
    for i, seconds in enumerate((0.3, 0.9, 1.4)):
        d = fresh(f"kill-{i}")
        p = subprocess.Popen(command(d, "--after", "700ms", "--check", "true", argv=[sys.executable, str(TOP / "examples/plain.py"), "--steps", "100000", "--every", "50"]), cwd=d, env=ENV,
                             stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(d / "err", "w"))
        time.sleep(seconds)
        p.send_signal(signal.SIGKILL)
        p.wait()
        until, left = time.monotonic() + 30, ["?"]
        while left and time.monotonic() < until:
            left = [x for x in pathlib.Path("/proc").glob("[0-9]*/cwd") if os.path.exists(x) and os.path.realpath(x) == str(d.resolve())]
            time.sleep(0.05)
        ok(not kept(d) and not (d / "checkpoints/drill.json").exists() and not left, f"killed after {seconds} s: nothing is kept, and nothing goes on", (kept(d), left, (d / "err").read_text()))


def bring():
    d = fresh("bring-1")
    code, r, err = drill(d, "--stop", argv=wrong("long"))
    (d / "there").mkdir()
    line = [AGENT, "run", "drill", "--db", "there", "--bring", "checkpoints/drill.json"]
    said = [subprocess.run(line, cwd=d, env=ENV, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    ok([x.returncode for x in said] == [0, 0] and (d / "there/drills.jsonl").read_text() == (d / "checkpoints/drill.json").read_text(), "brought to another store, once", [x.stderr for x in said])


cases = [passes, stops, zero, deaf, check, late, silent, watched, killed, bring, lambda: fails("later", "later_step", "one that skips steps fails"),
         lambda: fails("crash", "ended_badly", "one that dies at its second start fails")]
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for f in [pool.submit(c) for c in cases]:
        f.result()
subprocess.run(["rm", "-rf", str(tmp)], check=True)
print(f"1..{count}")
sys.exit(failed > 0)
