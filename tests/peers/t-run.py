#!/usr/bin/env python3
"""tare run with real processes: every source of notices -> a checkpoint -> 85 -> started again it goes on; and what must not happen."""
import csv, datetime, json, os, pathlib, random, shutil, signal, subprocess, sys, tempfile, time
import run_peer, s3_server
from run_peer import Meta

build = pathlib.Path(sys.argv[1])
TARE = str(build / "src/cli/tare-agent")
if len(sys.argv) > 2:
    TARE = sys.argv[2]
tmp = tempfile.TemporaryDirectory(prefix="tare-run-test.")
os.chdir(tmp.name)
os.environ.pop("TARE_CHECKPOINT_DIR", None)
count = failed = 0


def ok(good, what, more=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)
    if not good and more:
        for line in str(more)[-3000:].splitlines():
            print("#  ", line)


url = run_peer.serve()
n = 0


def fresh():
    global n
    n += 1
    d = pathlib.Path(tmp.name) / f"d{n}"
    d.mkdir()
    (d / "train.py").write_text(run_peer.train(50))
    (d / "tok").write_text("tok\n")
    return d


def start(d, *opt, cmd=("python3", "train.py", "100000"), **kw):
    status = open(d / "status", "a")
    p = subprocess.Popen([TARE, "run", "--status-fd", str(status.fileno()), "--watch", "out", "--checkpoint-signal", "USR1", *opt, "--", *cmd], cwd=d, pass_fds=[status.fileno()],
                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(d / "err", "a"), **kw)
    status.close()
    return p


def end(p, seconds=150):
    try:
        return p.wait(seconds)
    except subprocess.TimeoutExpired:
        p.kill()
        p.wait()
        return "hung"


def events(d):
    return [json.loads(x) for x in (d / "status").read_text().splitlines()]


def wait_for(what, seconds=60):
    """The first true value of what(), or the last one after so long."""
    until = time.monotonic() + seconds
    while not (got := what()) and time.monotonic() < until:
        time.sleep(0.02)
    return got


def put(path, text):
    """Whole or not at all, for who looks at it meanwhile."""
    new = path.with_name(path.name + ".new")
    new.write_text(text)
    os.rename(new, path)


def started(d):
    wait_for(lambda: (d / "from").exists() and (d / "from").read_text())
    time.sleep(0.3)


def told(d, kind, n=1):
    """Wait until so many events of this kind were told."""
    return wait_for(lambda: sum(e["event"] == kind for e in events(d)) >= n)


def child_of(pid):
    """The process that it has started, also where the kernel keeps no list of children."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            if stat.read_text().rsplit(")", 1)[1].split()[1] == str(pid):
                return int(stat.parent.name)
        except (OSError, IndexError):
            pass
    return 0


def safe_there(d):
    """What is called safe is in the folder, with every byte."""
    said = [e["step"] for e in events(d) if e["event"] == "safe"]
    have = sorted(int(f.name.split("-")[0]) for f in (d / "checkpoints/ckpt").iterdir() if "." not in f.name)
    return bool(said) and bool(have) and have[-1] >= said[-1]


def goes_on(name, opts, trigger):
    d = fresh()
    Meta.mode = "none"
    p = start(d, *opts)
    started(d)
    trigger(d, p)
    code = end(p)
    ev = events(d)
    notice = [e for e in ev if e["event"] == "notice" and e["kind"] == "stop"]
    ok(code == 85 and notice and safe_there(d), f"{name}: notice, checkpoint, 85", (code, ev, (d / "err").read_text()))
    Meta.mode = "none"
    (d / "go").unlink(missing_ok=True)
    total = str(max([e["step"] for e in ev if e["event"] == "safe"], default=0) + 60)
    code = end(start(d, *opts, cmd=("python3", "train.py", total)))
    first = (d / "from").read_text().split()
    ok(code == 0 and (d / "done").read_text() == total and len(first) == 2 and int(first[1]) > 0, f"{name}: started again it goes on from step {first[-1]}", (code, first))
    rows = (d / "checkpoints/attempts.csv").read_text()
    ok(",PREEMPTED,0," in rows and ",COMPLETED,1," in rows, f"{name}: what was lost stands in attempts.csv", rows)
    return d


def announce(d, p):
    Meta.mode = "stop"


kube = ["--notice", "kubernetes", "--kube-url", url, "--kube-node", "n1", "--kube-token-file", "tok"]
goes_on("SIGTERM", ["--notice", "none", "--grace", "10s"], lambda d, p: p.terminate())
d = goes_on("file", ["--notice-file", "go", "--on-interrupt", "exec:tee told.json"], lambda d, p: put(d / "go", "10s\n"))
word = json.loads((d / "told.json").read_text() or "{}") if (d / "told.json").exists() else {}
last = [e["safe_step"] for e in events(d) if e["event"] == "end"][:1]
ok(word.get("why") == "interrupted" and [word["safe_step"]] == last and word["command"] == ["python3", "train.py", "100000"], "file: the program that starts the next attempt is told", (word, last))
goes_on("command", ["--notice-command", "test -e go", "--notice-poll", "200ms", "--grace", "10s"], lambda d, p: (d / "go").write_text(""))
goes_on("slurm signal", ["--notice-signal", "USR2", "--notice-span", "10s"], lambda d, p: p.send_signal(signal.SIGUSR2))
goes_on("aws", ["--notice", "aws", "--aws-url", url, "--notice-poll", "200ms"], announce)
goes_on("gcp", ["--notice", "gcp", "--gcp-url", url, "--notice-poll", "100ms"], announce)
d = goes_on("azure", ["--notice", "azure", "--azure-url", url, "--ack", "--notice-poll", "200ms"], announce)
ok([a for a in Meta.acks if a[1] == "true" and a[2] == {"StartRequests": [{"EventId": "A1-b2"}]}], "azure: the event is acknowledged, when the state is safe", Meta.acks)
goes_on("kubernetes taint", kube + ["--notice-poll", "200ms", "--grace", "10s"], announce)

# Services that are slow, refuse, or talk rubbish end nothing, and a notice is still heard afterwards.
d = fresh()
Meta.mode = "garbage"
p = start(d, "--notice", "aws,gcp,azure,kubernetes", "--aws-url", url, "--gcp-url", url, "--azure-url", url, *kube[2:], "--notice-poll", "100ms")
started(d)
time.sleep(0.5)
Meta.mode = "refuse"
time.sleep(0.5)
alive = p.poll() is None and not [e for e in events(d) if e["event"] == "notice"]
Meta.mode = "slow"
code = end(p)
ok(alive and code == 85 and safe_there(d), "rubbish, refusals and delays: no notice is made up, and the real one is heard", (alive, code, events(d)))
Meta.mode = "none"

# Who is asked and does not answer is told, once; and when he answers again.
d = fresh()
Meta.mode = "refuse"
p = start(d, "--notice", "aws", "--aws-url", url, "--notice-poll", "100ms")
deaf = wait_for(lambda: "no notice can be heard: aws" in (d / "err").read_text(), 20)
Meta.mode = "none"
p.terminate()
code = end(p)
told_once = [e for e in events(d) if e["event"] == "problem"]
ok(deaf and len(told_once) == 1, "a metadata service that does not answer is told", (code, (d / "err").read_text()))

# A child that ignores everything is killed in time; nothing is called safe that is not.
d = fresh()
p = start(d, "--grace", "2s", cmd=("python3", "-c", "import signal,time\nfor s in (1,2,10,12,15): signal.signal(s, signal.SIG_IGN)\nopen('from','w').write('0')\ntime.sleep(90)"))
started(d)
t0 = time.monotonic()
p.terminate()
code = end(p)
ok(code == 137 and time.monotonic() - t0 < 30 and events(d)[-1]["safe_step"] is None, "a child that ignores everything is killed, and it is not said to be safe", (code, events(d)))

# Two runners.
d = fresh()
a = start(d, "--grace", "10s")
started(d)
b = subprocess.run([TARE, "run", "--watch", "out", "--", "true"], cwd=d, capture_output=True, text=True, timeout=120)
ok(b.returncode == 125 and "another tare run" in b.stderr and f"pid {a.pid}" in b.stderr, "the second runner of a folder is refused, with the name of the first", b)
a.terminate()
end(a)

# Exit codes as if tare were not there.
for cmd, want in ((["sh", "-c", "exit 7"], 7), (["sh", "-c", "kill -9 $$"], 137), (["true"], 0), (["./nosuch"], 127), (["/etc/passwd"], 126)):
    r = subprocess.run([TARE, "run", "-q", "--", *cmd], cwd=d, capture_output=True, timeout=120)
    ok(r.returncode == want, f"exit code of {' '.join(cmd)} is {want}", r)
r = subprocess.run([TARE, "run", "-q", "--", "cat"], cwd=d, input=b"x" * 300000, capture_output=True, timeout=120)
ok(r.stdout == b"x" * 300000 and not r.stderr, "stdin and stdout are the command's")
back, given = os.pipe()
with s3_server.Server() as s3:
    r = subprocess.run([TARE, "run", "-q", "--store", f"s3://bkt/fds?endpoint={s3.url}", "--", "sh", "-c", "ls /proc/$$/fd"], cwd=d, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                       pass_fds=[given], env=dict(os.environ, AWS_ACCESS_KEY_ID="AKIATEST", AWS_SECRET_ACCESS_KEY="secret/With+Chars"))
ok(r.returncode == 0 and sorted(r.stdout.split()) == sorted(["0", "1", "2", str(given)]), "the command has the descriptors that were given to tare, and none of tare's own", r)
os.close(back), os.close(given)
probe = ["grep", "-E", "^Sig(Ign|Blk)", "/proc/self/status"]
for restored in (True, False):  # False: this program's SIGPIPE and SIGXFSZ, which it ignores, are inherited
    plain, under = (subprocess.run([*words, *probe], cwd=d, capture_output=True, text=True, timeout=120, restore_signals=restored).stdout for words in ([], [TARE, "run", "-q", "--"]))
    ok(plain == under and "SigIgn" in plain, f"signals are ignored and blocked for the command as they were for tare ({plain.split()[3]})", (plain, under))
p = subprocess.Popen([TARE, "run", "-q", "--", "sh", "-c", "echo >up; exec sleep 100"], cwd=d)
wait_for((d / "up").exists)
p.send_signal(signal.SIGINT)
ok(end(p) == 130, "SIGINT is handed on")

# Limits.
d = fresh()
code = end(start(d, "--deadline", "36s"))
ok(code == 1 and events(d)[-1]["why"] == "deadline" and safe_there(d), "deadline: saved, then stopped, exit 1", (code, events(d)))
d = fresh()
code = end(start(d, "--budget", "24.01", "--usd-hour", "3600"))
ok(code == 1 and events(d)[-1]["why"] == "budget" and safe_there(d) and float(events(d)[-1]["spent"]) < 24.01, "budget: saved, then stopped below it, exit 1", (code, events(d)[-1]))
r = subprocess.run([TARE, "run", "--max-hourly", "2", "--usd-hour", "3", "--", "touch", "ran"], cwd=d, capture_output=True, timeout=120)
ok(r.returncode == 1 and not (d / "ran").exists(), "a machine that costs more than --max-hourly is not begun on")

# The price while it runs: a file that changes, a command that fails, what is counted, and the most that an hour may cost.
d = fresh()
(d / "price").write_text("1800\n")
p = start(d, "--price-file", "price", "--price-every", "100ms", "--max-hourly", "4000", "--gpus", "2")
started(d)
time.sleep(1)
put(d / "price", "3600")
told(d, "price")
time.sleep(1)
put(d / "price", "not yet written")
told(d, "problem")
time.sleep(0.3)
going = p.poll() is None
put(d / "price", "5400")
code = end(p)
ev, last = events(d), events(d)[-1]
prices = [e["usd_hour"] for e in ev if e["event"] == "price"]
ok(going and code == 1 and last["why"] == "max-hourly" and safe_there(d), "--max-hourly: the price rises above it: saved, then stopped, exit 1", (going, code, ev))
ok(prices == ["3600", "5400"] and sum("price" in e.get("what", "") for e in ev if e["event"] == "problem") == 1, "a price that cannot be read is told once, and changes nothing", ev)
rows = list(csv.DictReader(open(d / "checkpoints/attempts.csv")))


def at(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def hours(row):
    return (at(row["end"]) - at(row["start"])) / 3600


paid = sum(hours(x) * float(x["usd_gpu_hour"]) * int(x["gpus"]) for x in rows)
all_h = sum(hours(x) for x in rows)
ok(abs(paid - float(last["spent"])) < 0.002 and all_h * 1800 < paid < all_h * 5400, "each hour counts at the price it had, in the counter and in attempts.csv", (paid, last, rows))
code = end(start(d, "--price-file", "price", "--max-hourly", "4000", cmd=("touch", "ran")))
ok(code == 1 and not (d / "ran").exists(), "... and it is not begun at that price", code)
d = fresh()
p = start(d, "--price-command", "test -e dear && echo 90000 || echo 36", "--price-every", "100ms", "--budget", "60")
started(d)
(d / "dear").write_text("")
code, last = end(p), None
last = events(d)[-1]
ok(code == 1 and last["why"] == "budget" and safe_there(d), "--budget: the price of a command, which rises", (code, last))

# The catalogue's price, whose files change meanwhile.
data = pathlib.Path(os.environ.get("TARE_DATA", ""))
if (data / "prices_aws.csv").exists():
    d = fresh()
    shutil.copytree(data, d / "data")
    p = start(d, "--instance-type", "p3.2xlarge", "--region", "us-east-1", "--gpus", "1", "--max-hourly", "20", "--price-every", "200ms",
              env=dict(os.environ, TARE_DATA=str(d / "data")))
    started(d)
    f = d / "data/prices_aws.csv"
    lines = [x.replace(",3.06,", ",30.6,") if ",p3.2xlarge," in x else x for x in f.read_text().splitlines(True)]
    (d / "new.csv").write_text("".join(lines))
    os.replace(d / "new.csv", f)
    code, ev = end(p), events(d)
    ok(code == 1 and [(e["was"], e["usd_hour"]) for e in ev if e["event"] == "price"] == [("3.06", "30.6")] and ev[-1]["why"] == "max-hourly", "the catalogue's price is read again when its files change", (code, ev))
else:
    print("# no TARE_DATA: the catalogue's price left out")

# The training's own count of its cost follows.
top = pathlib.Path(__file__).resolve().parent.parent.parent
libtare = build / "src/libtare.so"
if libtare.exists() and b"__asan_init" not in libtare.read_bytes():  # a Python that is not sanitized loads it as it is
    d = fresh()
    (d / "price").write_text("3600")
    (d / "count.py").write_text("""import json, os, time, tare
run = tare.Training(total=1000000, parts={}, log=None)
for _ in run:
    time.sleep(0.01)
    if os.path.exists("enough"): break
    if run.steps.done == 2: open("from", "w").write("0")
run.cost.tick()
json.dump([run.cost.attempts, list(run.cost.state_dict().values()), str(run.cost.usd)], open("count", "w"))
""")
    status = open(d / "status", "a")
    p = subprocess.Popen([TARE, "run", "--status-fd", str(status.fileno()), "--price-file", "price", "--price-every", "100ms", "--", "python3", "count.py"], cwd=d, pass_fds=[status.fileno()],
                         stdin=subprocess.DEVNULL, stderr=open(d / "err", "a"), env=dict(os.environ, PYTHONPATH=str(top / "python"), TARE_LIBTARE=str(build / "src/libtare.so")))
    status.close()
    started(d)
    time.sleep(1)
    put(d / "price", "36000")
    told(d, "price")
    time.sleep(1)
    (d / "enough").touch()
    code = end(p)
    got = json.loads((d / "count").read_text()) if (d / "count").exists() else None
    parts = {float(a["usd_hour"]): a["seconds"] for a in got[1]} if got else {}
    ok(code == 0 and got[0] == 1 and sorted(parts) == [3600, 36000] and min(parts.values()) > 0.5 and abs(float(got[2]) - parts[3600] - 10 * parts[36000]) < 0.01,
       "the training's own count goes on at the new price", (code, got, (d / "err").read_text()))
else:
    print("# no libtare built, or with a sanitizer: the training's own count left out")

# What attempts have measured is what the next one begins with; a damaged file begins anew and is told.
d = fresh()
for turn in range(3):
    if turn == 2:
        (d / "checkpoints/measured").write_text((d / "checkpoints/measured").read_text().replace("stall", "stell"))
    (d / "from").unlink(missing_ok=True)
    p = start(d, "--grace", "10s", "--deadline", "5h", "--steps", "2000000", "--on-demand", "3", "--spot", "1", "--purchase", "spot", "--on-interrupt", "exec:tee told.json",
              cmd=("python3", "train.py", "100000"))
    started(d)
    time.sleep(0.7)
    p.terminate()
    if end(p) != 85:
        break
ev = events(d)
starts = [e for e in ev if e["event"] == "start"]
ok(len(starts) == 3 and starts[0]["interval_s"] == 300 and starts[0]["stall_s"] is None and starts[1]["interval_s"] < 300 and starts[1]["stall_s"] > 0,
   "the second attempt's first interval comes from the first one's checkpoints", starts)
ok(len(starts) == 3 and starts[2]["interval_s"] == 300 and any("measured" in e.get("what", "") for e in ev if e["event"] == "problem"), "a damaged file of what was measured: begun anew, and told", ev)
ok(len(starts) == 3 and abs(at(starts[0]["deadline"]) - at(starts[1]["deadline"])) < 2, "a deadline of so many hours counts from the first attempt", starts)
late, last_late = d, ev[-1]

# A folder that was lost with its machine: the store brings it back.
d = fresh()
for turn in range(2):
    (d / "from").unlink(missing_ok=True)
    p = start(d, "--grace", "10s", "--store", str(d / "store"), "--usd-hour", "3600", cmd=("python3", "train.py", "100000"))
    started(d)
    time.sleep(0.7)
    p.terminate()
    end(p)
    if not turn:
        shutil.rmtree(d / "checkpoints")
        shutil.rmtree(d / "out")
ev = events(d)
starts, ends = [[e for e in ev if e["event"] == w] for w in ("start", "end")]
ok(len(ends) == 2 and starts[1]["interval_s"] < 300 and starts[1]["attempt"] == 1 and starts[1]["resume_step"] == ends[0]["safe_step"] and float(ends[1]["spent"]) > float(ends[0]["spent"]) + 0.7 > 1.4,
   "a folder that was lost with its machine: state, times and what was spent come back from the store", (starts, ends))

# A program as a store is ours: it is not told what the command is told, and how it ended is known.
d = fresh()
store = d / "store"
store.write_text("""root=$1 what=$2 key=$3
trap 'echo $what >>told' TERM USR1 INT HUP
case $what in
put|put-new) while [ -e "$(dirname "$root")/slow" ]; do sleep 0.1; done; mkdir -p "$(dirname "$root/$key")"; [ $what = put ] || [ ! -e "$root/$key" ] || exit 4
  cat >"$root/$key.part"; sleep 0.2; mv "$root/$key.part" "$root/$key" ;;
get) [ -f "$root/$key" ] || exit 3; tail -c +$(($4 + 1)) "$root/$key" | if [ "$5" = - ]; then cat; else head -c "$5"; fi ;;
size) [ -f "$root/$key" ] || exit 3; stat -c %s "$root/$key" ;;
list) mkdir -p "$root" && cd "$root" && find . -type f ! -name '*.part' -printf '%s %P\\n' ;;
delete) rm -f "$root/$key" ;;
*) exit 64 ;;
esac
""")
p = start(d, "--store", f"cmd:sh {d}/store {d}/away", "--grace", "15s", "--every", "1s", cmd=("python3", "train.py", "100000"))
started(d)
time.sleep(2)
p.terminate()
code, last = end(p), events(d)[-1]
ok(code == 85 and last["stored_step"] == last["safe_step"] >= 0 and not (d / "told").exists() and list((d / "away/ckpt").glob("*")), "a program as a store goes on when the command is told to save and to end", (code, last, list(d.glob("told"))))

# The command is done and its last upload hangs: who ends tare is heard, and told what is not in the store.
for sig, options in (signal.SIGINT, ()), (signal.SIGTERM, ("--grace", "2s")):
    d = fresh()
    shutil.copy(store, d / "store")
    (d / "slow").touch()
    p = start(d, "--store", f"cmd:sh {d}/store {d}/away", *options, cmd=("sh", "-c", "echo $$ >pid; exec python3 train.py 60"))
    wait_for(lambda: (d / "done").exists() and not pathlib.Path("/proc", (d / "pid").read_text().strip()).exists())
    p.send_signal(sig)
    code, last, text = end(p), events(d)[-1], (d / "err").read_text()
    ok(code == 128 + sig and last["child_code"] == 0 and last["stored_step"] is None and f"{sig.name}: the last upload is given up" in text, f"{sig.name} in the last upload: {128 + sig}, and what is not in the store is said", (code, last, text))
    (d / "slow").unlink()
    code, last = end(start(d, "--store", f"cmd:sh {d}/store {d}/away", cmd=("python3", "train.py", "60"))), events(d)[-1]
    ok(code == 0 and last["stored_step"] >= 60, "... and started again it goes there", (code, last))

# Where the next attempt runs: 20,000 s of work and 18,000 s to the deadline are late; half of it is not.
last, word = last_late, json.loads((late / "told.json").read_text())
ok(last["next"]["late"] is True and last["next"]["hold"] == "on_demand" and word["next"] == last["next"] and "next attempt: on demand (even on demand" in (late / "err").read_text(),
   "the last line, the program that starts the next attempt and people are told where it should run", (last, word))
d = fresh()
p = start(d, "--grace", "10s", "--deadline", "20h", "--work", "5h", "--on-demand", "3", "--spot", "1", "--purchase", "spot", cmd=("python3", "train.py", "100000"))
started(d)
p.terminate()
code, nxt = end(p), events(d)[-1]["next"]
ok(code == 85 and nxt["hold"] == "wait" and nxt["rule"] == "tare" and 5 < float(nxt["expected"]) < 15 and not nxt["late"], "much time is left: wait for spot, until a time that is told", nxt)
d = fresh()
end(start(d, "--deadline", "1h", "--work", "2h", cmd=("true",)))
ok("deadline will be missed" in (d / "err").read_text(), "a deadline that not even on demand can keep is told at the start", (d / "err").read_text())

# Tasks of a Slurm array: a folder for each.
d = fresh()
for task in "12":
    end(start(d, cmd=("python3", "train.py", "60"), env=dict(os.environ, SLURM_ARRAY_JOB_ID="7", SLURM_ARRAY_TASK_ID=task)))
    (d / "out").rename(d / f"out{task}")
ok((d / "from").read_text() == "0\n0\n" and (d / "checkpoints/task-2/ckpt").is_dir(), "the tasks of a Slurm array do not go on from each other's checkpoints", list(d.glob("checkpoints/*")))
r = subprocess.run([TARE, "run", "--store", "cmd:copy", "--", "true"], cwd=d, capture_output=True, text=True, timeout=120, env=dict(os.environ, SLURM_ARRAY_TASK_ID="3"))
ok(r.returncode != 0 and "SLURM_ARRAY_TASK_ID" in r.stderr, "... and a store they would share is refused with what to do", r)

# kill -9 of the supervisor or of the child at random: what was safe is there, and the next one goes on from it.
rnd, bad = random.Random(5), []
d = fresh()
best = 0
for turn in range(int(os.environ.get("TARE_KILLS", "6"))):
    (d / "from").unlink(missing_ok=True)
    p = start(d, "--every", "1s", cmd=("python3", "train.py", "100000"))
    started(d)
    if not turn:
        told(d, "safe")
    time.sleep(rnd.random() * 2)
    who = p.pid
    if turn % 2:
        who = child_of(p.pid)
    if who:
        os.kill(who, signal.SIGKILL)
    code = end(p)
    time.sleep(0.2)
    first = int((d / "from").read_text().split()[0])
    safe = [e["step"] for e in events(d) if e["event"] == "safe"]
    if first < best or code == "hung":
        bad.append((turn, first, best, code))
    best = max(safe, default=0)
ok(not bad and best > 0, f"kill -9 at random: never older than the last one reported safe (step {best})", bad)
rows = (d / "checkpoints/attempts.csv").read_text()
ok(rows.count(",FAILED,") >= 3, "attempts that were killed are in attempts.csv", rows)

# A folder that cannot be written, and a full disk.
if os.getuid() == 0:
    full = pathlib.Path(tmp.name) / "full"
    full.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", str(full)], capture_output=True).returncode == 0:
        try:
            d = fresh()
            p = start(d, "--checkpoint-dir", str(full / "c"), "--grace", "3s", cmd=("python3", "train.py", "100000"))
            started(d)
            time.sleep(4)
            p.terminate()
            code = end(p)
            ev = events(d)
            said = [e["step"] for e in ev if e["event"] == "safe"]
            there = sorted(int(f.name.split("-")[0]) for f in (full / "c/ckpt").iterdir() if "." not in f.name)
            ok(any("space" in e.get("what", "") for e in ev) and (not said or there[-1] >= said[-1]) and code == (85 if said else 143),
               "full disk: said so, and only what is there is called safe", (code, said, there, ev[-4:]))
            subprocess.run(["mount", "-o", "remount,ro", str(full)], capture_output=True)
            r = subprocess.run([TARE, "run", "--checkpoint-dir", str(full / "c"), "--", "true"], capture_output=True, text=True, timeout=120)
            ok(r.returncode == 125 and "checkpoint-dir" in r.stderr, "a read-only folder is refused with what to do", r)
        finally:
            subprocess.run(["umount", str(full)])
    else:
        print("# no mount: full disk and read-only folder left out")

# What the supervisor costs, and how fast it is (reported).
d = fresh()
(d / "price").write_text("2.5")
p = start(d, "--notice-file", "go", "--price-file", "price", "--max-hourly", "9", cmd=("python3", "-c", "import signal,time,sys,os\ndef f(*a): open('at','w').write(repr(time.time())); os._exit(0)\nsignal.signal(10,f)\nopen('from','w').write('0')\ntime.sleep(60)"))
started(d)


def cpu(pid):
    """Seconds of all its threads, to the nanosecond."""
    return sum(int(open(f).read().split()[0]) for f in pathlib.Path(f"/proc/{pid}/task").glob("*/schedstat")) / 1e9


c0, t0 = cpu(p.pid), time.time()
time.sleep(5)
c1, t1 = cpu(p.pid), time.time()
anon = sum(int(x.split()[1]) for x in open(f"/proc/{p.pid}/smaps_rollup") if x.startswith("Anonymous:"))
(d / "go.new").write_text("10s\n")
t = time.time()
os.rename(d / "go.new", d / "go")
end(p)
at = float((d / "at").read_text()) if (d / "at").exists() else float("nan")
print(f"# supervisor: {anon} kB anonymous, {(c1 - c0) / (t1 - t0) * 100:.3f} % of a processor, {(at - t) * 1000:.1f} ms from the notice to the handler of the signal")
if b"__asan_init" in pathlib.Path(TARE).read_bytes():
    print("# built with a sanitizer: its memory is not tare's, how much it is says nothing")
else:
    ok(anon < 16384, "the supervisor is small")
print(f"1..{count}")
sys.exit(failed != 0)
