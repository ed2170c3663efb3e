"""A real Slurm on loopback for the tests of it: munged, slurmctld, one slurmd with four fake cards, and with accounting mariadbd and slurmdbd.

Importing it makes a folder (DIR); the daemons are children in the foreground, and end() ends them and removes the folder. Starts no service.
"""
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import time

from ports import free_port

BEGAN = time.time()
BUILD = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""  # of the test that imports this
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ROOT = os.environ.get("TARE_SLURM_ROOT") or os.path.join(TOP, "deps/slurm")
LIB = ROOT + "/usr/lib/x86_64-linux-gnu"
LIMIT = time.time() + 480  # 25 s where nothing else runs
DIR = tempfile.mkdtemp(prefix="tare-slurm.")
os.chmod(DIR, 0o755)
for sub in ("run", "state", "spool/gpu1", "log", "dev", "db"):
    os.makedirs(os.path.join(DIR, sub))
ENV = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "SBATCH", "SQUEUE", "SALLOC", "LD_", "ASAN", "LSAN", "TARE_TEAM"))}
ENV.update(LD_LIBRARY_PATH=f"{LIB}:{LIB}/slurm-wlm:{ROOT}/lib/x86_64-linux-gnu", SLURM_CONF=DIR + "/slurm.conf", HOME=DIR, PATH=f"{ROOT}/usr/bin:{ROOT}/usr/sbin:/usr/sbin:/usr/bin:/bin")
children = []


def absent(accounts=True):
    """Why there can be no Slurm here, or None."""
    if os.geteuid() != 0:
        return "Slurm's daemons are started as root only"
    for need in ["usr/sbin/slurmctld", "usr/sbin/slurmd", "usr/sbin/munged", "usr/bin/sbatch"] + ["usr/sbin/slurmdbd", "usr/sbin/mariadbd"] * accounts:
        if not os.path.exists(os.path.join(ROOT, need)):
            return f"no {need} in {ROOT}: run tools/setup --test"
    return None


def start(*argv):
    p = subprocess.Popen(argv, env=ENV, stdin=subprocess.DEVNULL, stdout=open(DIR + "/log/out", "a"), stderr=subprocess.STDOUT)
    children.append(p)
    return p


def run(*argv, **more):
    left = max(1, min(60, LIMIT - time.time()))
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
            p.wait(20)
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


def cluster(accounts=True, kill_wait=2, more="", partitions=""):
    """Start it: None, or why it does not come up. more and partitions are lines of slurm.conf."""
    ctld, slurmd, dbd, db = (free_port() for _ in range(4))
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
    accounting_lines = "AccountingStorageType=accounting_storage/none\n"
    if accounts:
        accounting_lines = f"""AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=localhost
AccountingStoragePort={dbd}
AccountingStoragePass={DIR}/run/munge.sock
AccountingStorageTRES=gres/gpu,gres/gpu:a100
AccountingStoreFlags=job_comment
TrackWCKey=yes
"""
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
{accounting_lines}KillWait={kill_wait}
MpiDefault=none
{more}ReturnToService=2
NodeName=gpu1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={slurmd} CPUs=8 SocketsPerBoard=1 CoresPerSocket=8 ThreadsPerCore=1 RealMemory=8000 Gres=gpu:a100:4,mps:400,shard:16 State=UNKNOWN
PartitionName=gpu Nodes=gpu1 Default=YES MaxTime=INFINITE State=UP
{partitions}""")
    with open(DIR + "/munge.key", "wb") as f:
        f.write(os.urandom(128))
    os.chmod(DIR + "/munge.key", 0o400)
    start(ROOT + "/usr/sbin/munged", "-F", "--force", f"--socket={DIR}/run/munge.sock", f"--key-file={DIR}/munge.key", f"--pid-file={DIR}/run/munge.pid",
          f"--log-file={DIR}/log/munged.log", f"--seed-file={DIR}/run/seed")
    if not until("munged", lambda: os.path.exists(DIR + "/run/munge.sock"), 10):
        return "munged does not come up"
    why = accounting(db, dbd) if accounts else None
    if why:
        return why
    # slurmctld and its plugins know what they are by the name they were started under
    start(ROOT + "/usr/sbin/slurmctld", "-D", "-f", DIR + "/slurm.conf")
    start(ROOT + "/usr/sbin/slurmd", "-D", "-N", "gpu1", "-f", DIR + "/slurm.conf", "-d", ROOT + "/usr/sbin/slurmstepd")
    if not until("slurmd", lambda: run("sinfo", "-h", "-o", "%T").stdout.strip() == "idle", 30):
        return "the node does not become idle: " + run("sinfo", "-R").stdout
    return None


def log():
    """The ends of the daemons' logs."""
    return "".join(open(f"{DIR}/log/{n}", errors="replace").read()[-700:] for n in os.listdir(DIR + "/log"))


def end():
    stop()
    shutil.rmtree(DIR, ignore_errors=True)


def drive(main):
    """Run the test and end the daemons, whatever comes."""
    code = 1
    try:
        code = main()
    finally:
        end()
    sys.exit(code)
