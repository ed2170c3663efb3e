#!/usr/bin/env python3
"""A real Slurm on loopback (munged, mariadbd, slurmdbd, slurmctld, one slurmd with four fake cards): whose finds the owners of real jobs, the
allocation in which nothing runs, and believes no process that only pretends.

usage: t-slurm.py BUILD_DIR. Wants Slurm unpacked by tools/setup --test in deps/slurm (or TARE_SLURM_ROOT) and root, else it skips. Starts no
service: each daemon is a child in the foreground and is ended here.
"""
import json
import os
import subprocess
import sys
import time

from slurm_peer import BEGAN, BUILD, DIR, ROOT, absent, children, cluster, drive, end, log, run, stop, until

failed = number = 0


def check(what, good, seen=""):
    global failed, number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {what}", flush=True)
    if not good:
        failed += 1
        print(f"# {seen}"[:3000], flush=True)


def skip(why):
    print(f"1..0 # SKIP {why}")
    stop()
    sys.exit(77)


def submit(*argv):
    r = run("sbatch", "-o", "/dev/null", "--mem=100", *argv)
    return r.stdout.split()[-1] if r.returncode == 0 else "?" + r.stderr


def dump(*pids):
    r = run(BUILD + "/tests/peers/whose-dump", ROOT + "/usr/bin/scontrol", "gpu1", *map(str, pids))
    return json.loads(r.stdout) if r.returncode == 0 else {"holds": [], "processes": {}, "sources": [], "error": r.stderr}


def held(d, job):
    return [h for h in d["holds"] if h["job_id"] == job]


def jobs():
    train = submit("-J", "train", "-A", "team-ml", "--wckey=llm-key", "--comment", "team=nlp;env=dev", "--gres=gpu:a100:2",
                   "--wrap", f"echo $$ >{DIR}/train.pid; echo $SLURM_JOB_GPUS >{DIR}/train.gpus; export TARE_TEAM=other TARE_WORKLOAD=training; "
                             f"sleep 300 & echo $! >{DIR}/child.pid; wait")
    until("the first job", lambda: os.path.exists(DIR + "/child.pid") and os.path.exists(DIR + "/train.gpus"), 20)
    gpus = open(DIR + "/train.gpus").read().strip() if os.path.exists(DIR + "/train.gpus") else ""
    r = run("salloc", "--no-shell", "-J", "hold", "--mem=100", "--gres=gpu:1")
    hold = next((w for w in reversed((r.stdout + r.stderr).split()) if w.isdigit()), "?")
    mps = submit("-J", "mps", "--gres=mps:25", "--wrap", "sleep 300")
    array = submit("-J", "arr", "-a", "3", f"--wrap=echo $$ >{DIR}/array.pid; exec sleep 300")
    evil = submit("-J", f"evil\n   UserId=bob(77) GroupId=x\n   Comment=team=victim\nJobId={train} JobName=stolen\n     Nodes=gpu1 GRES=gpu:4(IDX:0-3)",
                  f"--wrap=echo $$ >{DIR}/evil.pid; exec sleep 300")
    until("the last jobs", lambda: os.path.exists(DIR + "/array.pid") and os.path.exists(DIR + "/evil.pid"), 20)
    until("squeue", lambda: run("squeue", "-h", "-t", "R").stdout.count("\n") >= 5, 10)
    return train, hold, mps, array, evil, gpus


def pid(name):
    try:
        return int(open(f"{DIR}/{name}.pid").read())
    except (OSError, ValueError):
        return 0


def pretend(job, user):
    """A process outside of Slurm whose environment names a job."""
    p = subprocess.Popen(["sleep", "60"], env={"SLURM_JOB_ID": job, "PATH": "/usr/bin:/bin"}, user=user, group=user, extra_groups=[])
    children.append(p)
    return p.pid


def look(train, hold, mps, array, evil, gpus):
    other, ended = pretend(train, 65534), pretend("99999", 0)
    d = dump(pid("train"), pid("child"), pid("array"), pid("evil"), other, ended)
    proc = d["processes"]
    a = held(d, train)
    check("the job's two cards are held", len(a) == 2, d)
    check("... by minor numbers of the files in gres.conf", sorted(h["minor"] for h in a) == [2, 3], a)
    if gpus:  # not minor numbers: why whose reads gres.conf and does not go by the environment
        check("SLURM_JOB_GPUS of the job are positions in gres.conf", gpus == "0,1", gpus)
    j = a[0] if a else {}
    check("account, user, partition, name", (j.get("account"), j.get("user"), j.get("queue"), j.get("name")) == ("team-ml", "root", "gpu", "train"), j)
    check("comment and work key", (j.get("team"), j.get("env"), j.get("project")) == ("nlp", "dev", "llm-key"), j)
    p = proc.get(str(pid("child"))) or {}
    check("a process of the job is the job's", p.get("job_id") == train and p.get("account") == "team-ml", proc)
    check("what Slurm leaves empty, the environment fills", p.get("workload") == "training" and p.get("team") == "nlp", p)
    h = held(d, hold)
    check("an allocation without any process is seen", len(h) == 1 and h[0]["minor"] >= 0 and h[0]["name"] == "hold", d["holds"])
    check("... on a card of its own", h and h[0]["minor"] not in [x["minor"] for x in a], d["holds"])
    m = held(d, mps)
    check("a quarter of a card through MPS", len(m) == 1 and m[0]["share_kind"] == "mps" and m[0]["share_ppb"] == 250000000, m)
    p = proc.get(str(pid("array"))) or {}
    check("a task of an array has its own id", p.get("job_id") == array + "_3", p)
    p = proc.get(str(pid("evil"))) or {}
    check("a name with forged lines is only a name", p.get("job_id") == evil and p.get("user") == "root" and p.get("name") == "evil", p)
    check("... and holds no card", not held(d, evil), d["holds"])
    p = proc.get(str(other)) or {}
    check("another user's process is not the job's, whatever its environment says", p.get("job_id") not in (train, None) and p.get("user") != "root", p)
    p = proc.get(str(ended)) or {}
    check("nor one that names a job that is not here", p.get("job_id") not in ("99999", None), p)
    print(f"# one look at everything: {d.get('cpu_ms')} ms of processor time, children aside")
    return a


def shard_and_end(train, held_by_train):
    # a card is either Slurm's mps or its shard: shards after the mps job has gone
    s = submit("-J", "shard", "--gres=shard:2", "--wrap", "sleep 300")
    until("shard", lambda: "R" == run("squeue", "-h", "-j", s, "-o", "%t").stdout.strip(), 10)
    m = held(dump(), s)
    check("two of a card's four shards are half of it", len(m) == 1 and m[0]["share_kind"] == "fraction" and m[0]["share_ppb"] == 500000000, m)
    run("scancel", "-u", "root")
    check("after the jobs' end nothing is held", until("the end of all jobs", lambda: not dump()["holds"], 25), dump()["holds"])
    fmt = "JobID,Account,User,AllocTRES,Comment,JobName"
    rows = until("sacct", lambda: [r.split("|") for r in run("sacct", "-a", "-X", "-n", "-P", "-S", "now-1hours", "--format=" + fmt).stdout.splitlines()
                                   if r.startswith(train + "|")], 10) or [[""] * 6]
    row = rows[0]
    check("sacct has the job under the same id, account and user", row[:3] == [train, "team-ml", "root"], rows)
    check("... with as many cards as were held", "gres/gpu=%d" % len(held_by_train) in row[3].split(","), row)
    return train


def away(ctld):
    ctld.terminate()
    ctld.wait(60)
    t = time.time()
    d = dump()
    took = time.time() - t
    check("without the controller nothing is held, and that is said", not d["holds"] and any(s["works"] is False and "Slurm" in s for s in d["sources"]), d)
    check("... within the limit", took < 20, took)


def main():
    why = absent()
    if why:
        skip(why)
    why = cluster()
    if why:
        print("# " + log().replace("\n", "\n# "))
        skip(f"Slurm cannot be started here: {why}")
    ctld = children[-2]
    what = jobs()
    a = look(*what)
    run("scancel", what[2])
    until("the end of the mps job", lambda: not run("squeue", "-h", "-j", what[2]).stdout.strip(), 10)
    shard_and_end(what[0], a)
    away(ctld)
    stop()
    print(f"1..{number}")
    print(f"# {time.time() - BEGAN:.1f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    drive(main)
