#!/usr/bin/env python3
"""
Record what a run hears and does, for t-run-machine.c: record-traces.py TARE-AGENT LIB-TRAIN [NAME ...]

Each case is a real run of a few seconds, written by TARE_RUN_TRACE (src/run/run_trace.h) to traces/NAME.txt beside this file. Those that are there were
recorded with the program before it had a machine, by the same lines at the same places; a case is recorded again only where what a run does was meant to change.
"""
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "peers"))
import run_peer

TARE, LIB_TRAIN = (os.path.abspath(x) for x in sys.argv[1:3])
TRAIN = ("python3", "train.py")
STORE = """root=$1 what=$2 key=$3
case $what in
put|put-new) sleep 30 ;;
get|size) exit 3 ;;
esac
"""
DEAF = "import signal, time\nsignal.signal(15, signal.SIG_IGN)\nopen('from', 'w').write('1')\ntime.sleep(60)"
LOOP = "import signal, time\nsignal.signal(10, lambda *a: None)\nopen('from', 'w').write('1')\ntime.sleep(60)"


class Case:
    def __init__(self, name):
        self.name = name
        self.tmp = tempfile.TemporaryDirectory(prefix="tare-trace.")
        self.d = pathlib.Path(self.tmp.name)
        self.trace = HERE / "traces" / f"{name}.txt"
        (self.d / "train.py").write_text(run_peer.train(200))

    def start(self, *options, cmd=TRAIN + ("100000",), watch=True, traced=True, own=False, **kw):
        env = {k: v for k, v in os.environ.items() if not k.startswith("TARE_")}
        if traced:
            self.trace.unlink(missing_ok=True)
            env["TARE_RUN_TRACE"] = str(self.trace)
        notice = () if any(str(x).startswith("--notice") for x in options) else ("--notice", "none")
        more = ("--watch", "out", "--checkpoint-signal", "USR1") if watch else ()
        argv = [TARE, "run", "-q", *notice, *more, *map(str, options), "--", *cmd]
        return subprocess.Popen(argv, cwd=self.d, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=own, **kw)

    def on_terminal(self, *options, cmd):
        """A Ctrl-C on it is the kernel's."""
        self.trace.unlink(missing_ok=True)
        env = {k: v for k, v in os.environ.items() if not k.startswith("TARE_")} | {"TARE_RUN_TRACE": str(self.trace)}
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(self.d)
            os.execve(TARE, [TARE, "run", "-q", "--notice", "none", *map(str, options), "--", *cmd], env)
        return pid, fd

    def until(self, what, seconds=30):
        end = time.monotonic() + seconds
        while not what() and time.monotonic() < end:
            time.sleep(0.02)

    def has(self, text):
        self.until(lambda: self.trace.exists() and text in self.trace.read_text())

    def started(self):
        self.until(lambda: (self.d / "from").exists())
        time.sleep(0.3)

    def end(self, p):
        print(f"{self.name}: {p.wait(60)}", flush=True)


def done(c):
    c.end(c.start(cmd=TRAIN + ("120",)))


def crash(c):
    c.end(c.start(cmd=("sh", "-c", "python3 train.py 120; python3 train.py 100000 & sleep 2; kill $!; exit 3")))


def resumed(c):
    c.start(cmd=TRAIN + ("120",), traced=False).wait(60)
    c.end(c.start("--every", "1s", cmd=TRAIN + ("320",)))


def notice(c):
    p = c.start("--notice-file", "go", "--notice-poll", "100ms")
    c.started()
    (c.d / "go").write_text("32s\n")
    c.has("say-safe")
    (c.d / "go").write_text("4s\n")  # sooner: the second one
    c.end(p)


def withdrawn(c):
    p = c.start("--notice-file", "go", "--notice-poll", "100ms")
    c.started()
    (c.d / "go").write_text("50s\n")
    c.has("say-safe")
    (c.d / "go").unlink()
    c.has("kind=gone")
    p.send_signal(signal.SIGHUP)
    c.end(p)


def save_fails(c):
    p = c.start("--notice-file", "go", "--notice-poll", "100ms")
    c.started()
    c.until(lambda: (c.d / "checkpoints").exists())
    (c.d / "checkpoints/data").rename(c.d / "data") if (c.d / "checkpoints/data").exists() else None
    (c.d / "checkpoints/data").write_text("in the way")
    c.has("result job=commit")
    (c.d / "go").write_text("3s\n")
    c.end(p)


def ctrl_c(c):
    pid, fd = c.on_terminal("--checkpoint-dir", "ck", cmd=("python3", "train.py", "100000"))
    c.started()
    os.write(fd, b"\x03")
    os.waitpid(pid, 0)
    print(f"{c.name}: ended", flush=True)


def ctrl_c_twice(c):
    (c.d / "store").write_text(STORE)
    p = c.start("--store", "cmd:sh store away", cmd=TRAIN + ("60",))
    c.has("ended")
    c.has("job job=push")
    p.send_signal(signal.SIGHUP)  # no reason to leave it behind
    time.sleep(0.3)
    p.send_signal(signal.SIGINT)
    c.end(p)


def ignores(c):
    p = c.start("--grace", "3s", cmd=("python3", "-c", DEAF), watch=False)
    c.started()
    p.terminate()
    c.end(p)


def asked_twice(c):
    p = c.start("--grace", "20s", "--checkpoint-signal", "USR1", cmd=("python3", "-c", LOOP), watch=False)
    c.started()
    p.terminate()
    c.has("say-asked")
    time.sleep(0.2)
    p.terminate()
    c.end(p)


def deadline(c):
    c.end(c.start("--deadline", "32s", "--work", "1h", "--on-demand", "3", "--spot", "1", "--purchase", "spot"))


def budget(c):
    (c.d / "price").write_text("1800\n")
    p = c.start("--price-file", "price", "--price-every", "100ms", "--budget", "24")
    c.started()
    (c.d / "price.new").write_text("3600")
    os.rename(c.d / "price.new", c.d / "price")
    c.has("price nano_hour=36")
    (c.d / "price").write_text("not a price")
    c.end(p)


def max_hourly(c):
    (c.d / "price").write_text("2\n")
    p = c.start("--price-file", "price", "--price-every", "100ms", "--max-hourly", "3")
    c.started()
    (c.d / "price.new").write_text("4")
    os.rename(c.d / "price.new", c.d / "price")
    c.end(p)


def speaks(c):
    """A program with libtare, and a folder as a store."""
    (c.d / "price").write_text("2\n")
    p = c.start("--price-file", "price", "--price-every", "100ms", "--store", c.d / "store", "--every", "1s", "--grace", "10s", cmd=(LIB_TRAIN, "90", "50000"), watch=False)
    c.has("say-stored")
    (c.d / "price.new").write_text("2.5")
    os.rename(c.d / "price.new", c.d / "price")
    c.has("tell-price")
    p.terminate()
    c.end(p)


def elsewhere(c):
    cmd = ("sh", "-c", f"unset TARE_CHECKPOINT_DIR; mkdir -p o; TARE_CHECKPOINT_DIR=o exec {LIB_TRAIN} 35 50000")
    c.end(c.start("--every", "1s", cmd=cmd, watch=False))


def quit_in_restore(c):
    (c.d / "store").write_text("sleep 5; exit 1\n")
    p = c.start("--store", "cmd:sh store away")
    c.has("wait")
    time.sleep(0.3)
    p.send_signal(signal.SIGINT)
    c.end(p)


def rebalance(c):
    url = run_peer.serve()
    run_peer.Meta.mode = "refuse"
    p = c.start("--notice", "aws", "--aws-url", url, "--notice-poll", "50ms")
    c.has("say-deaf")
    run_peer.Meta.mode = "rebalance"
    c.has("say-safe")
    p.send_signal(signal.SIGUSR2)  # handed on; it ends it
    c.end(p)


def drilled(c):
    """Both attempts of a drill are in it, one after the other."""
    c.trace.unlink(missing_ok=True)
    env = {k: v for k, v in os.environ.items() if not k.startswith("TARE_")} | {"TARE_RUN_TRACE": str(c.trace)}
    argv = [TARE, "run", "drill", "--stop", "--watch", "out", "--checkpoint-signal", "USR1", "--notice", "none", "--grace", "5s", "--after", "1s", "--", *TRAIN, "100000"]
    c.end(subprocess.Popen(argv, cwd=c.d, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))


def cannot_run(c):
    c.end(c.start(cmd=("./no-such-program",)))


CASES = {f.__name__: f for f in (done, crash, resumed, notice, withdrawn, save_fails, ctrl_c, ctrl_c_twice, ignores, asked_twice, deadline, budget, max_hourly, speaks, elsewhere,
                                 quit_in_restore, rebalance, drilled, cannot_run)}
(HERE / "traces").mkdir(exist_ok=True)
for name in sys.argv[3:] or CASES:
    CASES[name](Case(name))
