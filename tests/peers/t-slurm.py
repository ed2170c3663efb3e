#!/usr/bin/env python3
"""A real Slurm on loopback (munged, mariadbd, slurmdbd, slurmctld, one slurmd with four fake cards): whose finds the owners of real jobs, the
allocation in which nothing runs, and believes no process that only pretends.

usage: t-slurm.py BUILD_DIR. Wants Slurm unpacked by tools/setup --test in deps/slurm (or TARE_SLURM_ROOT) and root, else it skips. Starts no
service: each daemon is a child in the foreground and is ended here.
"""
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOT = os.environ.get("TARE_SLURM_ROOT") or os.path.join(TOP, "deps/slurm")
LIB = ROOT + "/usr/lib/x86_64-linux-gnu"
LIMIT = time.time() + 240  # 25 s where nothing else runs
failed = number = 0
children = []


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


def port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(*argv):
    p = subprocess.Popen(argv, env=ENV, stdin=subprocess.DEVNULL, stdout=open(DIR + "/log/out", "a"), stderr=subprocess.STDOUT)
    children.append(p)
    return p


def run(*argv, **more):
    left = max(1, min(20, LIMIT - time.time()))
    return subprocess.run(argv, env=dict(ENV, **more), stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=left)


def until(what, fn, limit=30):
    """Call fn until it gives something true; the last answer otherwise."""
    end, got = min(time.time() + 2 * limit, LIMIT), None
    while time.time() < end:
        try:
            got = fn()
        except subprocess.TimeoutExpired:
            got = None
        if got:
            return got
        time.sleep(0.15)
    print(f"# gave up on: {what}", flush=True)
    return got


def stop():
    for p in reversed(children):
        if p.poll() is None:
            p.terminate()
    for p in reversed(children):
        try:
            p.wait(8)
        except subprocess.TimeoutExpired:
            p.kill()
            p.wait()


def write(name, text, mode=0o644):
    path = os.path.join(DIR, name)
    with open(path, "w") as f:
        f.write(text)
    os.chmod(path, mode)
    return path


def accounting(db_port, dbd_port):
    write("my.cnf", f"""[mysqld]
datadir={DIR}/db
socket={DIR}/run/my.sock
pid-file={DIR}/run/my.pid
port={db_port}
bind-address=127.0.0.1
user=root
lc-messages-dir={ROOT}/usr/share/mysql
character-sets-dir={ROOT}/usr/share/mysql/charsets
innodb_buffer_pool_size=32M
innodb_flush_log_at_trx_commit=0
""")
    r = run(ROOT + "/usr/bin/mariadb-install-db", f"--defaults-file={DIR}/my.cnf", f"--basedir={ROOT}/usr", "--auth-root-authentication-method=normal",
            "--skip-test-db", "--user=root")
    if r.returncode:
        return f"mariadb-install-db: {r.stdout[-300:]} {r.stderr[-300:]}"
    start(ROOT + "/usr/sbin/mariadbd", f"--defaults-file={DIR}/my.cnf")
    sql = ("create database slurm_acct_db; create user slurm@localhost identified by 'test-only'; create user slurm@'127.0.0.1' identified by 'test-only';"
           "grant all on slurm_acct_db.* to slurm@localhost; grant all on slurm_acct_db.* to slurm@'127.0.0.1'")
    if not until("mariadbd", lambda: run("mariadb", "--no-defaults", f"--socket={DIR}/run/my.sock", "-uroot", "-e", sql).returncode == 0, 15):
        return "mariadbd does not come up"
    write("slurmdbd.conf", f"""AuthType=auth/munge
AuthInfo=socket={DIR}/run/munge.sock
DbdHost=localhost
DbdPort={dbd_port}
SlurmUser=root
LogFile={DIR}/log/slurmdbd.log
PidFile={DIR}/run/slurmdbd.pid
PluginDir={LIB}/slurm-wlm
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={db_port}
StorageUser=slurm
StoragePass=test-only
StorageLoc=slurm_acct_db
""", 0o600)
    start(ROOT + "/usr/sbin/slurmdbd", "-D")
    if not until("slurmdbd", lambda: run("sacctmgr", "-i", "add", "cluster", "tare").returncode == 0, 20):
        return "slurmdbd does not come up"
    run("sacctmgr", "-i", "add", "account", "team-ml")
    run("sacctmgr", "-i", "add", "user", "root", "account=team-ml")
    return None


def cluster():
    ctld, slurmd, dbd, db = (port() for _ in range(4))
    for i in range(4):  # Slurm names the cards of a job in its environment only where their files are devices
        try:
            os.mknod(f"{DIR}/dev/nvidia{i}", 0o600 | stat.S_IFCHR, os.makedev(195, i))
        except OSError:
            write(f"dev/nvidia{i}", "")
    # No job is in a cgroup here (the plugins below); without the folder of cgroups mounted, looking for the version would end slurmd.
    write("cgroup.conf", f"CgroupPlugin=cgroup/v1\nCgroupMountpoint={DIR}/cgroup\n")
    # the order is on purpose not that of the minor numbers
    write("gres.conf", f"NodeName=gpu1 Name=gpu Type=a100 File={DIR}/dev/nvidia[2-3]\nNodeName=gpu1 Name=gpu Type=a100 File={DIR}/dev/nvidia[0-1]\n"
                       "NodeName=gpu1 Name=mps Count=400\nNodeName=gpu1 Name=shard Count=16\n")
    write("slurm.conf", f"""ClusterName=tare
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ctld}
AuthType=auth/munge
AuthInfo=socket={DIR}/run/munge.sock
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={DIR}/state
SlurmdSpoolDir={DIR}/spool/%n
SlurmctldPidFile={DIR}/run/slurmctld.pid
SlurmdPidFile={DIR}/run/slurmd.%n.pid
SlurmctldLogFile={DIR}/log/slurmctld.log
SlurmdLogFile={DIR}/log/slurmd.%n.log
PluginDir={LIB}/slurm-wlm
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0
SlurmdParameters=config_overrides
GresTypes=gpu,mps,shard
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort={dbd}
AccountingStoragePass={DIR}/run/munge.sock
AccountingStorageTRES=gres/gpu,gres/gpu:a100
AccountingStoreFlags=job_comment
TrackWCKey=yes
KillWait=2
MpiDefault=none
ReturnToService=2
NodeName=gpu1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={slurmd} CPUs=8 SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=8000 Gres=gpu:a100:4,mps:400,shard:16 State=UNKNOWN
PartitionName=gpu Nodes=gpu1 Default=YES MaxTime=INFINITE State=UP
""")
    with open(DIR + "/munge.key", "wb") as f:
        f.write(os.urandom(128))
    os.chmod(DIR + "/munge.key", 0o400)
    start(ROOT + "/usr/sbin/munged", "-F", "--force", f"--socket={DIR}/run/munge.sock", f"--key-file={DIR}/munge.key", f"--pid-file={DIR}/run/munge.pid",
          f"--log-file={DIR}/log/munged.log", f"--seed-file={DIR}/run/seed")
    if not until("munged", lambda: os.path.exists(DIR + "/run/munge.sock"), 10):
        return "munged does not come up"
    why = accounting(db, dbd)
    if why:
        return why
    # slurmctld and its plugins know what they are by the name they were started under
    start(ROOT + "/usr/sbin/slurmctld", "-D", "-f", DIR + "/slurm.conf")
    start(ROOT + "/usr/sbin/slurmd", "-D", "-N", "gpu1", "-f", DIR + "/slurm.conf", "-d", ROOT + "/usr/sbin/slurmstepd")
    if not until("slurmd", lambda: run("sinfo", "-h", "-o", "%T").stdout.strip() == "idle", 30):
        return "the node does not become idle: " + run("sinfo", "-R").stdout
    return None


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
    ctld.wait(10)
    t = time.time()
    d = dump()
    took = time.time() - t
    check("without the controller nothing is held, and that is said", not d["holds"] and any(s["works"] is False and "Slurm" in s for s in d["sources"]), d)
    check("... within the limit", took < 8, took)


def main():
    if os.geteuid() != 0:
        skip("Slurm's daemons are started as root only")
    for need in ("usr/sbin/slurmctld", "usr/sbin/slurmd", "usr/sbin/slurmdbd", "usr/sbin/munged", "usr/sbin/mariadbd", "usr/bin/sbatch"):
        if not os.path.exists(os.path.join(ROOT, need)):
            skip(f"no {need} in {ROOT}: run tools/setup --test")
    why = cluster()
    if why:
        log = "".join(open(DIR + "/log/" + n, errors="replace").read()[-700:] for n in os.listdir(DIR + "/log"))
        print("# " + log.replace("\n", "\n# "))
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
    BEGAN = time.time()
    BUILD = os.path.abspath(sys.argv[1])
    DIR = tempfile.mkdtemp(prefix="tare-slurm.")
    os.chmod(DIR, 0o755)
    for sub in ("run", "state", "spool/gpu1", "log", "dev", "db"):
        os.makedirs(os.path.join(DIR, sub))
    ENV = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH", "SQUEUE", "SALLOC", "LD_", "ASAN", "LSAN", "TARE_TEAM"))}
    ENV.update(LD_LIBRARY_PATH=f"{LIB}:{LIB}/slurm-wlm:{ROOT}/lib/x86_64-linux-gnu", SLURM_CONF=DIR + "/slurm.conf", HOME=DIR, PATH=f"{ROOT}/usr/bin:{ROOT}/usr/sbin:/usr/sbin:/usr/bin:/bin")
    code = 1
    try:
        code = main()
    finally:
        stop()
        shutil.rmtree(DIR, ignore_errors=True)
    sys.exit(code)
