#!/usr/bin/env python3
"""
Checkpoints that cannot be used, in the folder and in the store: each is named with its reason on stderr and on --status-fd, an older one is taken, and where
none can be used nothing begins anew unless told so.

usage: t-damage.py BUILD AGENT LIB-TRAIN
"""
import json, os, pathlib, shutil, subprocess, sys, tempfile
import run_peer, s3_server

TARE, TRAIN = map(os.path.abspath, sys.argv[2:4])
tmp = tempfile.TemporaryDirectory(prefix="tare-damage-test.")
os.chdir(tmp.name)
for name in ("TARE_CHECKPOINT_DIR", "TARE_FROM_ZERO"):
    os.environ.pop(name, None)
count = failed = 0
DONE = (0, 85)


def ok(good, what, more=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)
    for line in [] if good else str(more)[-3000:].splitlines():
        print("#  ", line)


class Ran:
    """One `tare run`."""

    def __init__(self, d, *opt, cmd, env=None):
        r, w = os.pipe()
        os.set_inheritable(w, True)
        os.set_blocking(w, False)
        p = subprocess.Popen(
            [TARE, "run", "--notice", "none", "--status-fd", str(w), *opt, "--", *cmd],
            cwd=d,
            pass_fds=[w],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=env or os.environ,
        )
        os.close(w)
        status = open(r)
        self.out, self.err = p.communicate(timeout=120)
        self.code, self.events = p.returncode, [json.loads(x) for x in status.read().splitlines()]
        status.close()

    def damaged(self, where):
        return [e for e in self.events if e["event"] == "damaged" and e["where"] == where]

    def __str__(self):
        return f"{self.code} {self.err} {self.events}"


def manifests(d):
    return sorted((d / "ckpt").iterdir())


def flip(path, at=100):
    b = bytearray(path.read_bytes())
    b[at] ^= 1
    path.write_bytes(b)


def cut(path):
    path.write_bytes(path.read_bytes()[:-1])


def watched(d, total, *opt):
    return Ran(
        d,
        "--watch",
        "out",
        "--checkpoint-signal",
        "USR1",
        *opt,
        cmd=("python3", "train.py", str(total)),
    )


def trained(name, *opt):
    """A folder with checkpoints of steps 20 and 40, and a copy of both in its store where it has one."""
    d = pathlib.Path(tmp.name) / name
    d.mkdir()
    (d / "train.py").write_text(run_peer.train(0))
    for total in (20, 40):
        r = watched(d, total, *opt)
        assert r.code == 0, r
    return d


def begun(d):
    return [int(x) for x in (d / "from").read_text().split()]


# ---- the folder

d = trained("folder")
one, two = manifests(d / "checkpoints")
cut(two)
shutil.rmtree(d / "out")
r = watched(d, 60)
named = r.damaged("folder")
ok(
    r.code == 0
    and begun(d)[-1] == 20
    and [e["id"] for e in named] == [two.name]
    and named[0]["step"] == 40
    and "hash" in named[0]["what"],
    "folder: a damaged newest is on --status-fd with its reason, the one before is used",
    r,
)
ok(
    "step 40 in the folder cannot be used and is passed over" in r.err and "hash" in r.err,
    "folder: ... and on stderr",
    r,
)
ok(
    [e["step"] for e in r.events if e["event"] == "safe"] == [60],
    "folder: only what holds is called safe afterwards",
    r,
)
for f in manifests(d / "checkpoints"):
    cut(f)
before = begun(d)
r = watched(d, 80)
ok(
    r.code == 125
    and begun(d) == before
    and "none of the 3 checkpoints" in r.err
    and "--from-zero" in r.err
    and len(r.damaged("folder")) == 3,
    "folder: all damaged: 125, nothing is run, and what to do is said",
    r,
)
r = watched(d, 80, "-q")
ok(r.code == 125 and r.err.count("passed over") == 3, "folder: ... which --quiet does not hide", r)
r = watched(d, 80, "--from-zero")
ok(
    r.code == 0
    and begun(d)[-1] == 0
    and "begun at step 0" in r.err
    and len(r.damaged("folder")) == 3,
    "folder: --from-zero begins anew and says so",
    r,
)
r = watched(d, 100, "--from-zero")
ok(
    r.code == 0 and begun(d)[-1] == 80,
    "folder: ... and the next attempt goes on from what was saved since, with the same words",
    r,
)

d = trained("mark")
(d / "checkpoints/tare-checkpoints").unlink()
r = Ran(d, cmd=("sh", "-c", "echo step $TARE_RESUME_STEP"))
ok(r.code == 0 and r.out == "step 40\n", "folder: checkpoints whose mark is lost are found", r)

# ---- the store

for kind in ("folder", "s3"):
    if kind == "s3":
        server = s3_server.Server()
        s3 = server.__enter__()
        url = f"s3://bkt/x?endpoint={s3.url}"
        os.environ.update(
            AWS_ACCESS_KEY_ID=list(s3_server.KEYS)[0],
            AWS_SECRET_ACCESS_KEY=list(s3_server.KEYS.values())[0],
            AWS_EC2_METADATA_DISABLED="true",
        )

    def objects(d, what):
        if kind == "folder":
            return sorted((d / "store" / what).iterdir())
        return sorted(k for k in s3.objects if k[1].startswith(f"x/{what}/"))

    def harm(o):
        if kind == "folder":
            flip(o)
        else:
            b = s3.objects[o].body
            s3.objects[o].body = b[:100] + bytes([b[100] ^ 1]) + b[101:]

    where = url if kind == "s3" else "store"
    d = trained(f"store-{kind}", "--store", where)
    shutil.rmtree(d / "checkpoints")
    shutil.rmtree(d / "out")
    harm(objects(d, "data")[-1])
    r = watched(d, 60, "--store", where)
    named = r.damaged("store")
    ok(
        r.code == 0
        and begun(d)[-1] == 20
        and [e["step"] for e in named] == [40]
        and "not those that were saved" in named[0]["what"],
        f"store ({kind}): a damaged newest is on --status-fd with its reason, the one before is used",
        r,
    )
    ok(
        "step 40 in the object store cannot be used and is passed over" in r.err,
        f"store ({kind}): ... and on stderr",
        r,
    )
    ok(
        [e["step"] for e in r.events if e["event"] == "safe" and e["where"] == "store"] == [60]
        and r.events[-1]["stored_step"] == 60,
        f"store ({kind}): a damaged one is never called safe",
        r,
    )
    for o in objects(d, "ckpt"):
        harm(o)
    r = watched(d, 60, "--store", where)
    ok(
        r.code == 0 and begun(d)[-1] == 60 and len(r.damaged("store")) == 3,
        f"store ({kind}): all damaged there and a whole one here: it is used, they are named",
        r,
    )
    shutil.rmtree(d / "checkpoints")
    shutil.rmtree(d / "out")
    harm(objects(d, "ckpt")[-1])
    n, before = len(objects(d, "ckpt")), begun(d)
    r = watched(d, 80, "--store", where)
    ok(
        r.code == 125
        and begun(d) == before
        and f"none of the {n} checkpoints" in r.err
        and "--from-zero" in r.err
        and len(r.damaged("store")) == n,
        f"store ({kind}): all damaged: 125, nothing is run",
        r,
    )
    r = watched(d, 80, "--store", where, "--from-zero")
    ok(
        r.code == 0
        and begun(d)[-1] == 0
        and "begun at step 0" in r.err
        and r.events[-1]["stored_step"] == 80,
        f"store ({kind}): --from-zero begins anew, and what it saves is safe there",
        r,
    )
    shutil.rmtree(d / "checkpoints")
    shutil.rmtree(d / "out")
    r = watched(d, 100, "--store", where)
    ok(r.code == 0 and begun(d)[-1] == 80, f"store ({kind}): ... and comes back", r)
server.__exit__(None, None, None)

# ---- here damaged, there whole

d = trained("mended", "--store", "store")
flip(sorted((d / "checkpoints/data").iterdir())[-1])
r = watched(d, 60, "--store", "store")
named = r.damaged("folder")
ok(
    r.code == 0
    and begun(d)[-1] == 40
    and [(e["step"], e["mended"]) for e in named] == [(40, True)],
    "damaged here and whole in the store: fetched again, and said",
    r,
)

# A program with libtare: what lies in its folder is looked at after every save.
d = pathlib.Path(tmp.name) / "mended-lib"
d.mkdir()
opt = ("--every", "1s", "--store", "store")
r = Ran(d, *opt, cmd=(TRAIN, "1500", "1000"))
assert r.code == 0 and len(manifests(d / "checkpoints")) > 1, r
flip(sorted((d / "checkpoints/data").iterdir())[-1])
r = Ran(d, *opt, cmd=(TRAIN, "6000", "1000"))
saves = [e for e in r.events if e["event"] == "safe" and e["where"] == "folder"]
ok(
    r.code == 0
    and int((d / "from").read_text().split()[-1]) == 1500
    and len(saves) > 2
    and [(e["step"], e["mended"]) for e in r.damaged("folder")] == [(1500, True)]
    and r.err.count("was fetched again") == 1,
    "damaged here and whole in the store, under libtare: said once, however often it saves",
    r,
)

# ---- a program with libtare

d = pathlib.Path(tmp.name) / "lib"
d.mkdir()
train = lambda total, *opt: Ran(d, "--every", "1s", *opt, cmd=(TRAIN, str(total), "1000"))
r = train(3000)
assert r.code in DONE and manifests(d / "checkpoints"), r
for f in manifests(d / "checkpoints"):
    cut(f)
alone = subprocess.run(
    [TRAIN, "10", "100"],
    cwd=d,
    capture_output=True,
    text=True,
    env=dict(os.environ, TARE_CHECKPOINT_DIR="checkpoints"),
)
ok(
    alone.returncode == 2 and "can be used" in alone.stderr and "TARE_FROM_ZERO" in alone.stderr,
    "libtare: all damaged is an error that says what to do",
    alone,
)
lines = (d / "from").read_text()
r = train(3000)
ok(
    r.code == 125 and (d / "from").read_text() == lines,
    "libtare: under tare run nothing is begun",
    r,
)
r = train(3000, "--from-zero")
ok(
    r.code == 0 and (d / "from").read_text().split()[-1] == "0",
    "libtare: with --from-zero it begins at 0",
    r,
)
r = train(3100)
ok(
    r.code == 0 and 0 < int((d / "from").read_text().split()[-1]) <= 3000,
    "libtare: ... and goes on from what holds",
    r,
)
print(f"1..{count}")
sys.exit(failed > 0)
