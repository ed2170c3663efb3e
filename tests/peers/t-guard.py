#!/usr/bin/env python3
"""
What tare run leaves and touches on a machine with other users: folders of sockets, links in the folder of checkpoints, who may read them, files of keys that
anybody may write.

usage: t-guard.py AGENT TARE
"""
import json, os, pathlib, shutil, signal, socket, stat, subprocess, sys, tempfile, time
import s3_server

TARE = os.path.abspath(sys.argv[1])
tmp = tempfile.TemporaryDirectory(prefix="tare-guard.", dir="/tmp")
top = pathlib.Path(tmp.name)
count = failed = 0
os.environ.pop("TARE_SHARED", None)  # where the tests find data; to tare run it is --shared
os.umask(0o022)


def ok(good, what, more=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)
    for line in [] if good else str(more)[-3000:].splitlines():
        print("#  ", line)


def run(d, *args, cmd=("true",), **env):
    d.mkdir(exist_ok=True)
    return subprocess.run(
        [TARE, "run", "--notice", "none", *args, "--", *cmd],
        cwd=d,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **env},
    )


# ---- folders of sockets

runtime = top / "r"
runtime.mkdir()
env = {"XDG_RUNTIME_DIR": str(runtime)}


def left():
    return sorted(p.name for p in runtime.iterdir())


def begun(name):
    d = top / name
    d.mkdir()
    p = subprocess.Popen(
        [TARE, "run", "--notice", "none", "--", "sh", "-c", "echo >here; exec sleep 600"],
        cwd=d,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **env},
    )
    until = time.monotonic() + 60
    while not (d / "here").exists() and time.monotonic() < until:
        time.sleep(0.02)
    return p


def old(p):
    os.utime(p, (time.time() - 3600, time.time() - 3600), follow_symlinks=False)


killed = [begun(f"killed{i}") for i in range(3)]
alive = begun("alive")
for p in killed:
    p.kill()
    p.wait()
ok(len(left()) == 4, "a supervisor that is killed leaves its folder", left())
for p in runtime.iterdir():
    old(p)
(runtime / "tare-run.fresh0").mkdir()
(runtime / "tare-run.things").mkdir()
(runtime / "tare-run.things/precious").write_text("x")
victim = top / "victim"
victim.mkdir()
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind(str(victim / "socket"))  # nobody listens: it would be taken for stale
os.symlink(victim, runtime / "tare-run.linked")
(runtime / "tare-run.file00").write_text("x")
listened = runtime / "tare-run.listen"
listened.mkdir()
heard = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
heard.bind(str(listened / "socket"))
heard.listen(5)
other = runtime / "tare-run.others"
if os.geteuid() == 0:
    other.mkdir()
    os.chown(other, 65534, 65534)
    old(other)
old(victim)
for name in ("tare-run.things", "tare-run.listen"):
    old(runtime / name)
r = run(top / "sweeper", **env)
mine = {
    p.name
    for p in runtime.iterdir()
    if (p / "socket").exists() and p.name not in ("tare-run.linked", "tare-run.listen")
}
ok(
    r.returncode == 0 and len(mine) == 1,
    "the next start removes those of the killed, not that of one that runs",
    (r, left()),
)
kept = {
    "tare-run.fresh0",
    "tare-run.things",
    "tare-run.linked",
    "tare-run.file00",
    "tare-run.listen",
} | ({"tare-run.others"} if os.geteuid() == 0 else set())
ok(
    set(left()) == mine | kept
    and (runtime / "tare-run.things/precious").exists()
    and (victim / "socket").exists(),
    "a fresh one, one with things in it, a link, a file, one that somebody listens in and one of another user stay",
    left(),
)
alive.terminate()
alive.wait(60)
ok(set(left()) == kept, "one that ends removes its own", left())

# ---- links in the folder of checkpoints

for name in (
    "attempt",
    "attempt.new",
    "attempts.csv",
    "runner",
    "measured",
    "measured.new",
    "asked",
    "lock",
    "run",
    "run.tmp",
    "latest",
    "latest.tmp",
    "tare-checkpoints.tmp",
):
    d = top / f"link-{name}"
    (d / "checkpoints").mkdir(parents=True)
    precious = d / "precious"
    precious.write_text("precious")
    (d / "checkpoints" / name).symlink_to(precious)
    r = run(
        d,
        "--watch",
        "out",
        "--gpus",
        "1",
        cmd=("sh", "-c", "mkdir -p out; echo state >out/step_1.pt"),
    )
    ok(
        precious.read_text() == "precious",
        f"a link in the place of '{name}' is not written through",
        r,
    )
    if name in ("attempts.csv", "runner", "lock"):
        ok(name in r.stderr and "link" in r.stderr, f"... and '{name}' is said to be one", r)
d = top / "fifo"
(d / "checkpoints").mkdir(parents=True)
os.mkfifo(d / "checkpoints/attempt")
r = run(d)
ok(r.returncode == 0, "a pipe in the place of the state holds nobody up", r)

# ---- who may read

for opts, mode in (((), 0o600), (("--shared",), 0o644)):
    d = top / f"mode{mode:o}"
    r = run(
        d,
        "--watch",
        "out",
        "--gpus",
        "1",
        "--store",
        "store",
        *opts,
        cmd=("sh", "-c", "mkdir -p out; echo state >out/step_1.pt"),
    )
    wrong = [
        (str(p.relative_to(d)), oct(p.stat().st_mode))
        for root in ("checkpoints", "store")
        for p in [d / root, *(d / root).rglob("*")]
        if stat.S_IMODE(p.stat().st_mode)
        != (mode | (0o100 if mode == 0o600 else 0o111) if p.is_dir() else mode)
    ]
    ok(
        r.returncode == 0 and not wrong and (d / "store/ckpt").exists(),
        f"{' '.join(opts) or 'without an option'}: all of folder and store is {mode:o}",
        (wrong, r),
    )

# ---- keys

with s3_server.Server() as s3:
    home = top / "home"
    (home / ".aws").mkdir(parents=True)
    keys = home / ".aws/credentials"
    keys.write_text(
        f"[default]\naws_access_key_id = {list(s3_server.KEYS)[0]}\naws_secret_access_key = {list(s3_server.KEYS.values())[0]}\n"
    )
    clean = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
    os.environ.clear()
    os.environ.update(clean, HOME=str(home), AWS_EC2_METADATA_DISABLED="true")
    url = f"s3://bkt/x?endpoint={s3.url}"
    for mode, code, word in (
        (0o600, 0, None),
        (0o644, 0, "chmod 600"),
        (0o640, 0, "chmod 600"),
        (0o666, 125, "everybody may write it"),
        (0o602, 125, "everybody may write it"),
    ):
        keys.chmod(mode)
        r = run(top / f"keys{mode:o}", "--store", url)
        ok(
            r.returncode == code and (word in r.stderr if word else "chmod" not in r.stderr),
            f"a file of keys with mode {mode:o}: {word or 'nothing to say'}",
            r,
        )
    keys.chmod(0o600)
    (home / ".aws/config").write_text("[default]\nregion = us-east-1\n")
    (home / ".aws/config").chmod(0o666)
    r = run(top / "config", "--store", url)
    ok(
        r.returncode == 125 and "everybody may write it" in r.stderr,
        "settings that anybody may write are refused, too",
        r,
    )
# ---- another user's store

if os.getuid() == 0:
    with tempfile.TemporaryDirectory(prefix="tare-guard.", dir="/tmp") as name:
        place = pathlib.Path(name)
        place.chmod(0o755)
        program = shutil.copy2(sys.argv[2], place / "tare")
        (place / "db").mkdir(0o700)
        (place / "db" / "control.db").touch()

        def other():
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)

        r = subprocess.run(
            [program, "report", "--db", str(place / "db")],
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=120,
            preexec_fn=other,
            env={"PATH": os.environ["PATH"], "HOME": "/nowhere", "LC_ALL": "C.UTF-8"},
        )
        ok(
            r.returncode == 2
            and "permission denied" in r.stderr
            and "belongs to user 0" in r.stderr
            and "no store" not in r.stderr,
            "a store of another user is not called missing",
            r,
        )
else:
    count += 1
    print(f"ok {count} - a store of another user is not called missing # SKIP not root")
print(f"1..{count}")
sys.exit(failed > 0)
