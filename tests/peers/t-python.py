#!/usr/bin/env python3
"""The Python side of libtare: t-python.py BUILDDIR [TIMES]

The examples interrupted 20 times (train.py, which takes seconds to start, TIMES), by SIGTERM and by kill -9, end with the same result bit for bit as without; what is saved comes back; damaged files are
passed over. examples/train.py and what needs tensors run where some Python 3 of this machine has PyTorch, else they are skipped and say so.
"""
import functools
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
LIB = BUILD / "src/libtare.so"
SKIP = 77
ENV = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(TOP / "python"), "TARE_LIBTARE": str(LIB), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1",
       **{k: os.environ[k] for k in ("HOME", "PYENV_VERSION", "LSAN_OPTIONS", "LD_PRELOAD", "GLIBC_TUNABLES") if k in os.environ}}
INTERRUPTIONS = 20
OF_TRAIN = int(sys.argv[2]) if len(sys.argv) > 2 else INTERRUPTIONS
done = 0


def check(ok, what, more=""):
    global done
    done += 1
    print(f"{'ok' if ok else 'not ok'} {done} - {what}", flush=True)
    if not ok:
        raise SystemExit(str(more)[-4000:] or 1)


def skip(what, why):
    global done
    done += 1
    print(f"ok {done} - {what} # SKIP {why}", flush=True)


@functools.lru_cache(None)
def with_module(name):
    """A Python that has it, or None. A package of Debian belongs to /usr/bin/python3, which need not be the one that runs this."""
    for python in dict.fromkeys([sys.executable, "/usr/bin/python3", "/usr/local/bin/python3"]):
        if os.path.exists(python) and subprocess.run([python, "-c", f"import {name}"], env=ENV, capture_output=True).returncode == 0:
            return python
    return None


def manifests(folder):
    try:
        return {n for n in os.listdir(folder / "ckpt") if not n.endswith(".tmp")}
    except FileNotFoundError:
        return set()


def whole(argv):
    p = subprocess.run(argv, env=ENV, capture_output=True, text=True, timeout=300)
    if p.returncode:
        raise SystemExit(p.stderr)
    return p.stdout


def interrupted(argv, folder, how_many, seed, slow=()):
    """Run again and again, ended a random while after each new checkpoint; (output of the last, exit codes). slow: what makes steps so long that a test
    that gets no processor for a while does not find it at its end."""
    rnd, codes = random.Random(seed), []
    for i in range(how_many + 1):
        before = manifests(folder)
        p = subprocess.Popen([*argv, *slow] if i < how_many else argv, env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if i < how_many:
            until = time.monotonic() + 60
            while not manifests(folder) - before and p.poll() is None and time.monotonic() < until:
                time.sleep(0.002)
            time.sleep(rnd.random() * 0.02)
            p.send_signal(signal.SIGKILL if rnd.random() < 0.5 else signal.SIGTERM)
        out, err = p.communicate(timeout=300)
        codes.append(p.returncode)
        if p.returncode not in (0, 85, -signal.SIGKILL, -signal.SIGTERM):
            raise SystemExit(f"exit {p.returncode}: {err}")
        if p.returncode == 0:
            return out, codes
    return "", codes


def kill_loop(python, script, work, *args, times=INTERRUPTIONS, slow=()):
    straight = whole([python, TOP / "examples" / script, "--dir", work / "straight", *args])
    out, codes = interrupted([python, TOP / "examples" / script, "--dir", work / "killed", *args], work / "killed", times, 5, slow)
    killed, asked = codes.count(-signal.SIGKILL), codes.count(85)
    check(codes[-1] == 0 and killed + asked >= times, f"{script}: {killed} times killed, {asked} times asked to stop, then to the end", codes)
    check(straight.startswith("result ") and out == straight, f"{script}: the same result bit for bit: {out.strip()[:60]}", f"{straight}\n{out}")


def snippets():
    """What a user would copy."""
    section = (TOP / "docs/SURVIVE.md").read_text().split("## From Python\n")[1].split("\n## ")[0]
    return re.findall(r"```python\n(.*?)```", section, re.S)


def snippet_runs(python, folder, text):
    """As it stands, in a file of its own; again: it goes on where it was, which is the end; and told to stop, it says 85."""
    folder.mkdir()
    (folder / "train.py").write_text(text)
    said = [subprocess.run([python, "train.py"], env=ENV, cwd=folder, capture_output=True, text=True, timeout=300) for _ in range(2)]
    check(all(p.returncode == 0 for p in said), "docs/SURVIVE.md: a snippet runs as it stands, twice: " + " ".join((said[0].stdout or said[0].stderr).split())[-60:], said)
    if "total=500" in text:
        check("resumed at step 500" in said[1].stderr, "the second time there is nothing left to do", said[1].stderr)
        (folder / "train.py").write_text(text.replace("total=500", "total=5_000_000").replace('"checkpoints"', '"others"'))
        p = subprocess.Popen([python, "train.py"], env=ENV, cwd=folder, stderr=subprocess.PIPE, text=True)
        p.stderr.readline()  # it has begun
        time.sleep(0.5)
        p.terminate()
        err = p.communicate(timeout=300)[1]
        check(p.returncode == 85 and "interrupted at step" in err, "told to stop it saves and ends with 85", err)


def main():
    if not LIB.exists():
        print(f"1..0 # SKIP {LIB} is not built")
        return SKIP
    work = pathlib.Path(tempfile.mkdtemp(prefix="tare-python-", dir=os.environ.get("TMPDIR")))
    try:
        kill_loop(sys.executable, "plain.py", work / "plain", "--steps", "4000", "--every", "25", "--sleep", "0.0005", slow=("--sleep", "0.004"))
        python = with_module("torch")
        if python:
            kill_loop(python, "train.py", work / "torch", "--steps", "4000", "--every", "25", times=OF_TRAIN)
        else:
            skip("train.py", "no Python here has PyTorch (Debian: apt install python3-torch)")
        if python:  # what `tare init python` writes, as it is
            (work / "init").mkdir()
            p = subprocess.run([python, TOP / "packaging/init/train.py"], env={**ENV, "STEPS": "40"}, cwd=work / "init", capture_output=True, text=True, timeout=300)
            check(p.returncode == 0 and "finished at step 40 of 40" in p.stderr and (work / "init/model.pt").exists(), "the script of tare init python runs", p.stderr)
        for i, text in enumerate(snippets()):
            needs = "torch" if "import torch" in text else None
            python = with_module(needs) if needs else sys.executable
            if python:
                snippet_runs(python, work / f"snippet{i}", text)
            else:
                skip(f"docs/SURVIVE.md, snippet {i + 1}", f"no Python here has {needs}")
        for script, module in [("unit", None), ("frameworks", None), ("arrays", "torch"), ("ranks", "torch.distributed; torch.distributed.init_process_group")]:
            path = TOP / "tests/peers/python" / f"{script}.py"
            python = with_module(module) if module else sys.executable
            if not path.exists():
                continue
            if not python:
                skip(f"{script}.py", f"no Python here has {module}")
                continue
            p = subprocess.run([python, path, str(work / script)], env=ENV, capture_output=True, text=True, timeout=300)
            check(p.returncode == 0, f"{script}.py: {p.stdout.strip().splitlines()[-1] if p.stdout.strip() else ''}", p.stdout + p.stderr)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print(f"1..{done}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
