#!/usr/bin/env python3
"""Programs that hold tokens and keys leave no core dump; commands under tare run do, as the user's limit has it: t-cores.py BUILD_DIR"""
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

build = os.path.abspath(sys.argv[1])
tare, agent = f"{build}/src/cli/tare", f"{build}/src/cli/tare-agent"
number = failed = 0


def check(what, good, seen=""):
    global number, failed
    number += 1
    failed += not good
    print(
        f"{'ok' if good else 'not ok'} {number} - {what}" + ("" if good else f"\n# {seen}"),
        flush=True,
    )


def start(work, *argv):
    return subprocess.Popen(
        argv,
        cwd=work,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_CORE, (resource.getrlimit(resource.RLIMIT_CORE)[1],) * 2
        ),
        env={**os.environ, "HOME": work, "TARE_METADATA": "off"},
    )


def dumps(p):
    """Sent a SIGSEGV: was a core dump written?"""
    os.kill(p.pid, signal.SIGSEGV)
    return os.WCOREDUMP(os.waitpid(p.pid, 0)[1])


def end(p):
    """What is left of it after a check that failed."""
    if p.returncode is None:
        try:
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        p.wait(60)


def wait_for(what, seconds=60):
    end = time.monotonic() + seconds
    while not (got := what()) and time.monotonic() < end:
        time.sleep(0.05)
    return got


def started(p):
    """What it started: its first child that is another program already."""
    for child in open(f"/proc/{p.pid}/task/{p.pid}/children").read().split():
        try:
            if open(f"/proc/{child}/comm").read().strip() == "sleep":
                return int(child)
        except OSError:
            pass
    return None


def cores(work):
    return [x for x in os.listdir(work) if x.startswith("core")]


with tempfile.TemporaryDirectory(prefix="tare-cores.") as work:
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0 or not dumps(start(work, "sleep", "60")):
        print("1..0 # SKIP core dumps are off on this machine")
        sys.exit(0)
    p = start(work, agent, "agent", "--state", "state", "--listen", "none")
    wait_for(
        lambda: os.path.exists(f"{work}/state/agent.db-wal")
        and "agent" in open(f"/proc/{p.pid}/comm").read()
    )
    check("the agent leaves none", not dumps(p))
    p = start(work, tare, "import", "--db", "db", "-")
    wait_for(lambda: os.path.exists(f"{work}/db/lock"))
    check("tare leaves none", not dumps(p))
    for x in cores(work):
        os.unlink(f"{work}/{x}")
    p = start(work, agent, "run", "-q", "--", "sleep", "60")
    child = wait_for(lambda: started(p))
    if child:
        os.kill(child, signal.SIGSEGV)
        p.wait(60)
    else:
        end(p)
    pattern = open("/proc/sys/kernel/core_pattern").read().strip()
    if not child:
        check("a command under tare run does", False, "the command was not started in time")
    elif pattern.startswith(("|", "/")):
        print("# cores do not go into the folder here: the command under tare run is left out")
    else:
        check("a command under tare run does", len(cores(work)) == 1, os.listdir(work))
    p = start(work, agent, "run", "-q", "--", "sleep", "60")
    child = wait_for(lambda: started(p))
    check("tare run leaves none", child and not dumps(p), f"the command: {child}")
    end(p)
    try:
        if child:
            os.kill(child, signal.SIGKILL)
    except ProcessLookupError:
        pass
print(f"1..{number}")
sys.exit(failed != 0)
