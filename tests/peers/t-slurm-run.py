#!/usr/bin/env python3
"""Jobs under tare run on a real Slurm: preempted with a signal, and put back by an administrator; each goes on where it was and ends with the result of
a run that nothing happened to, bit for bit. The scripts are what `tare init slurm` writes and what `tare run --help` shows.

usage: t-slurm-run.py BUILD_DIR. Wants what t-slurm.py wants (no accounting), else it skips. 25 s where nothing else runs.
"""
import os
import re
import subprocess
import sys
import time

import slurm_peer
from slurm_peer import BEGAN, BUILD, DIR, TOP, absent, cluster, drive, end, run, until, write

STEPS = 500
failed = number = 0


def check(what, good, seen=""):
    global failed, number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {what}", flush=True)
    if not good:
        failed += 1
        print("# " + str(seen)[-3000:].replace("\n", "\n# "), flush=True)


def skip(why):
    print(f"1..0 # SKIP {why}")
    end()
    sys.exit(77)


def read(path):
    try:
        with open(path, errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def prepare():
    """A folder with the training and a `tare` for the scripts. Checkpoints are made only when something happens: without one on the notice all is lost."""
    os.makedirs(DIR + "/bin")
    os.symlink(BUILD + "/src/cli/tare-agent", DIR + "/bin/tare")
    slurm_peer.ENV["PATH"] = DIR + "/bin:" + slurm_peer.ENV["PATH"]
    slurm_peer.ENV.update(PYTHONPATH=TOP + "/python", TARE_LIBTARE=BUILD + "/src/libtare.so", PYTHONDONTWRITEBYTECODE="1")
    os.makedirs(DIR + "/work")
    write("work/hold", "")  # what starts while this is there takes so long that it is interrupted, however long Slurm takes for that
    write("work/ranks.py", f"""import os, runpy, sys
hold = os.path.exists("hold") and "SLURM_JOB_ID" in os.environ
if os.environ.get("SLURM_PROCID") == "1":  # as on another node: the supervisor's socket is not there
    os.environ["TARE_RUN_SOCKET"] = "/elsewhere"
sys.argv = ["plain.py", "--dir", os.environ["TARE_CHECKPOINT_DIR"], "--steps", "{2 * STEPS}", "--every", "1000000", "--sleep", "0.1" if hold else "0.01" if os.environ.get("SLURM_PROCID", "0") == "0" else "0.012"]
open(os.environ["TARE_CHECKPOINT_DIR"] + ".starts", "a").write(str(os.getpid()) + "\\n")
runpy.run_path("{TOP}/examples/plain.py", run_name="__main__")
""")
    write("work/train.py", f"""import os, runpy, sys
hold = os.path.exists("hold") and "SLURM_JOB_ID" in os.environ
sys.argv = ["plain.py", "--dir", os.environ["TARE_CHECKPOINT_DIR"], "--steps", os.environ.get("STEPS", "{STEPS}"), "--every", "1000000", "--sleep", "0.1" if hold else "0.01"]
open(os.environ["TARE_CHECKPOINT_DIR"] + ".starts", "a").write(str(os.getpid()) + "\\n")
runpy.run_path("{TOP}/examples/plain.py", run_name="__main__")
""")


def undisturbed(program="train.py", name="alone", **more):
    env = dict(slurm_peer.ENV, TARE_CHECKPOINT_DIR=DIR + "/work/" + name, **more)
    p = subprocess.Popen([sys.executable, program], cwd=DIR + "/work", env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    slurm_peer.children.append(p)
    return p


def submit(name, script, *argv):
    """The job's log and checkpoints are in a folder of its own name; what stands on the command line goes before the script's own lines."""
    r = run("sbatch", "--parsable", f"--chdir={DIR}/work", "-J", name, f"--output={DIR}/work/{name}.log", "--mem=100", *argv, script,
            TARE_CHECKPOINT_DIR=f"{DIR}/work/{name}")
    if r.returncode:
        check(f"{name}: Slurm takes the script", False, r.stderr)
    return r.stdout.strip()


def job(i):
    return dict(w.split("=", 1) for w in run("scontrol", "-o", "show", "job", i).stdout.split() if "=" in w)


def state(i):
    return job(i).get("JobState", "")


def started(name, times):
    return read(f"{DIR}/work/{name}.starts").count("\n") >= times


def interrupted(name, i):
    check(f"{name}: Slurm has it in the queue again", until(f"the requeue of {name}", lambda: job(i).get("Restarts") == "1" and state(i) == "PENDING", 25), job(i))
    steps = [int(m[1]) for m in (re.match(r"0*(\d+)\b", f) for f in os.listdir(f"{DIR}/work/{name}/ckpt")) if m]
    check("... with a checkpoint of where it was", len(steps) == 1 and 0 < steps[0] < STEPS * (1 + (name == "ranks")), os.listdir(f"{DIR}/work/{name}/ckpt"))


def goes_on(name, i, starts=2, result=None):
    until(f"the end of {name}", lambda: state(i) in ("COMPLETED", "FAILED", "TIMEOUT", "CANCELLED"), 30)
    j, log = job(i), read(f"{DIR}/work/{name}.log")
    check(f"{name}: ends well in its second attempt", j.get("JobState") == "COMPLETED" and j.get("Restarts") == "1" and j.get("ExitCode") == "0:0", (j, log))
    got = re.findall(r"^result .*$", log, re.M)
    check("... with the result of a run that nothing happened to", sorted(got) == (result or [RESULT]), (got, result or RESULT, log))
    rows = read(f"{DIR}/work/{name}/attempts.csv")
    check("... and both attempts are in the ledger's file", rows.count("COMPLETED") == 2 and started(name, starts), rows)


def guarded(i):
    """The job that waits for spot has one beside it, whose time is that of the last start on demand; when it comes, the job is moved."""
    got = until("the guard", lambda: run("squeue", "-h", "-n", "tare-move-" + i, "-o", "%i %P %t").stdout.split(), 5)
    check("the one that waits for spot has a guard", got and got[1:] == ["gpu", "PD"] and job(i).get("Partition") == "spot", (got, read(f"{DIR}/work/ranks.log")))
    begin = job(got[0]).get("StartTime", "") if got else ""
    at = time.mktime(time.strptime(begin, "%Y-%m-%dT%H:%M:%S")) if begin[:2] == "20" else 0
    check("... for a day from now", 27 * 3600 < at - time.time() < 28 * 3600, begin)
    if got:
        run("scontrol", "update", f"JobId={got[0]}", "StartTime=now")
        check("... which moves it to where it is in time", until("the move", lambda: job(i).get("Partition") == "gpu", 15), job(i))


def more_jobs():
    """An array whose tasks run one after the other, and a job whose time is a minute: its signal comes at once or in half a minute, as Slurm looks."""
    array = submit("array", write("work/array.sbatch", "#!/bin/bash\nSTEPS=60 exec tare run -- python3 train.py\n"), "-p", "gpu", "--array=1-2%1", "--open-mode=append")
    limit = submit("limit", write("work/limit.sbatch", "#!/bin/bash\n#SBATCH --requeue --time=1 --signal=B:USR1@50\n"
                   "STEPS=100000 exec tare run --notice-signal USR1 --notice-span 20s --on-interrupt requeue -- python3 train.py\n"), "-p", "gpu")
    return array, limit


def tasks_apart(i):
    check("an array of two tasks ends", until("the array", lambda: not run("squeue", "-h", "-j", i).stdout.strip(), 20), run("squeue").stdout)
    got, log = [sorted(os.listdir(f"{DIR}/work/array/task-{t}/ckpt")) for t in "12"], read(f"{DIR}/work/array.log")
    check("... each in a folder of its own, both from the start", all(got) and log.count("begun: 60 steps") == 2 and len(set(re.findall(r"^result .*$", log, re.M))) == 1, (got, log))


def at_the_limit(i):
    check("before its time is up: saved and back in the queue", until("the requeue of limit", lambda: job(i).get("Restarts") == "1" and state(i) == "PENDING", 40), (job(i), read(f"{DIR}/work/limit.log")))
    log = read(f"{DIR}/work/limit.log")
    check("... the limit was known without a signal, and the signal came before it", "notice from slurm: the time limit of the job" in log and "USR1" in log and "is safe" in log, log)
    run("scancel", i)


def main():
    global RESULT
    why = absent(accounts=False)
    if why:
        skip(why)
    why = cluster(accounts=False, kill_wait=15, more="PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\nSlurmctldParameters=preempt_send_user_signal\n",
                  partitions="PartitionName=spot Nodes=gpu1 MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=60\n"
                             "PartitionName=urgent Nodes=gpu1 MaxTime=INFINITE State=UP PriorityTier=9 PreemptMode=OFF\n")
    if why:
        print("# " + slurm_peer.log().replace("\n", "\n# "))
        skip(f"Slurm cannot be started here: {why}")
    prepare()
    alone = undisturbed()
    template = TOP + "/packaging/init/slurm.sh"  # what tare init slurm writes
    batch = write("work/batch.sbatch", "#!/bin/bash\n#SBATCH --requeue --open-mode=append\n#SBATCH --signal=B:USR1@20\n"
                  "exec tare run --notice-signal USR1 --notice-span 20s --on-interrupt requeue --deadline 1h --work 2h --on-demand-partition gpu "
                  "-- python3 train.py\n")  # as tare run --help says; the notice so short that it stops at once; late on spot, so the next attempt is to be on demand
    ranks = write("work/ranks.sbatch", "#!/bin/bash\n#SBATCH --requeue --open-mode=append --signal=B:USR1@20\n"
                  "exec tare run --notice-signal USR1 --notice-span 20s --on-interrupt requeue --deadline 30h --work 2h --on-demand-partition gpu -- srun --kill-on-bad-exit=0 -n 2 --mem=50 python3 ranks.py\n")
    both = [undisturbed("ranks.py", "both", RANK=str(r), WORLD_SIZE="2") for r in range(2)]
    jobs = {n: submit(n, s, "-p", "spot") for n, s in (("preempted", template), ("requeued", template), ("batch-signal", batch))}
    jobs["ranks"] = submit("ranks", ranks, "-p", "spot", "-n", "2")
    check("all start", until("the start of the jobs", lambda: all(started(n, 1 + (n == "ranks")) for n in jobs), 15), [read(f"{DIR}/work/{n}.log") for n in jobs])
    if failed:
        return 1
    time.sleep(1.5)
    run("scontrol", "requeue", jobs["requeued"])
    urgent = submit("urgent", write("work/urgent.sh", "#!/bin/sh\nsleep 1\n"), "-p", "urgent", "--exclusive")
    for name, i in jobs.items():
        interrupted(name, i)
    check("the urgent job has had its turn", until("the urgent job", lambda: state(urgent) == "COMPLETED", 20), state(urgent))
    os.unlink(DIR + "/work/hold")
    RESULT = alone.communicate(timeout=120)[0].strip()
    check("a run that nothing happened to has a result", RESULT.startswith("result "), RESULT)
    check("the one that spot makes late waits for on demand", job(jobs["batch-signal"]).get("Partition") == "gpu" and job(jobs["preempted"]).get("Partition") == "spot", job(jobs["batch-signal"]))
    guarded(jobs["ranks"])
    array, limit = more_jobs()
    for i in jobs.values():
        run("scontrol", "update", f"JobId={i}", "StartTime=now")  # Slurm waits two minutes before it starts a job again
    two = sorted(p.communicate(timeout=120)[0].strip() for p in both)
    for name, i in jobs.items():
        goes_on(name, i, *((4, two) if name == "ranks" else ()))
    tasks_apart(array)
    at_the_limit(limit)
    check("the batch shell's signal was tare's notice", "USR1" in read(f"{DIR}/work/batch-signal.log"), read(f"{DIR}/work/batch-signal.log"))
    if failed:
        print("# " + slurm_peer.log().replace("\n", "\n# "))
    print(f"1..{number}\n# {time.time() - BEGAN:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    drive(main)
