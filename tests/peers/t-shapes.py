#!/usr/bin/env python3
"""
Whatever stands where a checkpoint's folder, manifest, data or object should be, it is never taken for "nothing was saved": each place of a folder and of a
store gets each shape, and after it either a checkpoint is used and those passed over are named, or nothing is run (125), which is said on stderr and on
--status-fd. Where really nothing is there a job begins.

usage: t-shapes.py BUILD AGENT LIB-TRAIN [WORD...]   only the cases in whose name each word stands
"""
import json, os, pathlib, re, shutil, socket, subprocess, sys, tempfile
import s3_server

TARE, TRAIN = map(os.path.abspath, sys.argv[2:4])
only = sys.argv[4:]
tmp = tempfile.TemporaryDirectory(prefix="tare-shapes-test.")
top = pathlib.Path(tmp.name)
os.chdir(top)
for name in ("TARE_CHECKPOINT_DIR", "TARE_FROM_ZERO"):
    os.environ.pop(name, None)
count = failed = 0
HANG_S = 60


def ok(good, what, more=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)
    for line in [] if good else str(more)[-2500:].splitlines():
        print("#  ", line)


class Ran:
    """One `tare run` of a command that says from where it begins: step is "" for the start, None where it was not run."""

    def __init__(self, d, *opt, cmd=""):
        r, w = os.pipe()
        os.set_inheritable(w, True)
        os.set_blocking(w, False)
        cmd = [TARE, "run", "--notice", "none", "--status-fd", str(w), *opt, "--", "sh", "-c", "echo begun $TARE_RESUME_STEP.; " + cmd]
        p = subprocess.Popen(cmd, cwd=d, pass_fds=[w], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        os.close(w)
        try:
            self.out, self.err = p.communicate(timeout=HANG_S)
        except subprocess.TimeoutExpired:
            p.kill()
            self.out, self.err = p.communicate()
            self.err += "\nHANGS"
        with open(r) as f:
            self.events = [json.loads(x) for x in f.read().splitlines()]
        self.code = p.returncode
        m = re.search(r"^begun ?(\d*)\.$", self.out, re.M)
        self.step = m[1] if m else None
        self.damaged = [e for e in self.events if e["event"] == "damaged"]

    def __str__(self):
        return f"code {self.code} step {self.step!r}\n{self.err}\n{self.events}"


# ---- the shapes


def remove(p):
    if p.is_dir() and not p.is_symlink():
        shutil.rmtree(p)
    elif p.exists() or p.is_symlink():
        p.unlink()


def aside(p):
    to = top / "aside" / str(len(list((top / "aside").iterdir())))
    p.rename(to)
    return to


def unix_socket(p):
    s = socket.socket(socket.AF_UNIX)
    here = os.getcwd()
    os.chdir(p.parent)  # its path may be too long
    try:
        s.bind(p.name)
    finally:
        os.chdir(here)
    s.close()


def full_folder(p):
    p.mkdir()
    (p / "x").write_text("x")


SHAPES = {
    "gone": lambda p: None,
    "empty file": lambda p: p.write_bytes(b""),
    "file": lambda p: p.write_text("rubbish\n"),
    "pipe": lambda p: os.mkfifo(p),
    "socket": unix_socket,
    "link to nothing": lambda p: p.symlink_to("nowhere"),
    "link to itself": lambda p: p.symlink_to(p.name),
    "folder": lambda p: p.mkdir(),
    "folder with a file": full_folder,
    "link to it": None,
}
(top / "aside").mkdir()


def put(p, shape):
    """The shape in the place of p."""
    if shape == "link to it":
        p.symlink_to(aside(p))
    else:
        remove(p)
        SHAPES[shape](p)


def places(d, what):
    """What a row of the table names in the folder d: "ckpt/newest", "ckpt/each", "a b" both."""
    for word in what.split():
        at, _, which = word.partition("/")
        if which in ("newest", "each"):
            names = sorted((d / at).iterdir())
            yield from names if which == "each" else names[-1:]
        else:
            yield d / word


# ---- what may come of it


def begins(r):
    return r.code == 0 and r.step == ""


def is_said(r):
    """Nothing is run, and it is said on both."""
    return r.code == 125 and r.step is None and "tare" in r.err and any(e["event"] in ("damaged", "problem") for e in r.events)


def judge(r, whole):
    """One is used and what is passed over is named, or nothing is run. whole: what is newest."""
    if r.step is None:
        return is_said(r)
    passed = r.step != whole
    return r.code == 0 and r.step != "" and (not passed or (r.damaged and "cannot be used" in r.err))


def wanted(name):
    return all(w in name for w in only)


def case(name, d, opt, whole="40"):
    """With what was done to d: never begun at 0 in silence; with --from-zero it begins and says so, or cannot be saved to at all, which is said."""
    r = Ran(d, *opt)
    ok("HANGS" not in r.err and judge(r, whole), name, r)
    if r.step is not None:
        return
    again = Ran(d, *opt)
    ok(is_said(again), f"{name}: at the next start too", again)
    z = Ran(d, *opt, "--from-zero")
    good = (z.step == "" and "--from-zero" in z.err) or (is_said(z) and not r.damaged)
    ok(good, f"{name}: --from-zero", z)


# ---- templates: steps 20 and 40, in the folder and in a store


def saved(d, *opt):
    d.mkdir()
    for step in (20, 40):
        r = Ran(d, "--watch", "out", *opt, cmd=f"mkdir -p out; seq {step} 9000 >out/step_{step}.pt")
        assert r.code == 0, r
    shutil.rmtree(d / "out")
    return d


with_folder = saved(top / "t-folder")
with_store = saved(top / "t-store", "--store", "store")
shutil.rmtree(with_store / "checkpoints")
r = Ran(with_store, "--store", "store")
assert r.step == "40", r
shutil.rmtree(with_store / "checkpoints")


def copy(of):
    d = top / "case"
    remove(d)
    shutil.copytree(of, d, symlinks=True)
    return d


ROOT = os.geteuid() == 0
PLACES = [
    "ckpt", "ckpt/newest", "ckpt/each", "data", "data/newest", "data/each", "ckpt data", "latest", "run", "tare-checkpoints", "lock", "part", "none-yet", "remote",
    "attempt", "ckpt latest", "ckpt data latest", "ckpt data latest part remote", "ckpt data latest run tare-checkpoints", "tare-checkpoints ckpt data latest",
]

for what in PLACES:
    for shape in SHAPES:
        for how, opt in (("", ()), (", watched", ("--watch", "out"))):
            name = f"folder: {shape} in place of {what}{how}"
            if not wanted(name) or (opt and shape not in ("gone", "file", "pipe", "folder", "link to it")):
                continue
            d = copy(with_folder)
            there = [p for p in places(d / "checkpoints", what) if p.exists() or shape != "link to it"]
            for p in there:
                put(p, shape)
            if there:
                case(name, d, opt)

for what in ("ckpt", "ckpt/newest", "ckpt/each", "data", "data/newest"):
    name = f"folder: unreadable {what}"
    if ROOT or not wanted(name):
        continue
    d = copy(with_folder)
    for p in places(d / "checkpoints", what):
        p.chmod(0)
    case(name, d, ())
    for p in places(d / "checkpoints", what):
        p.chmod(0o700)

for shape in SHAPES:
    name = f"folder: {shape} in place of the folder itself"
    if not wanted(name):
        continue
    d = copy(with_folder)
    put(d / "checkpoints", shape)
    if shape in ("gone", "folder", "folder with a file"):
        r = Ran(d)
        ok(begins(r), f"{name}: nothing was saved there", r)
    else:
        case(name, d, ())

# ---- the program's own view: libtare without tare run

for what in PLACES:
    for shape in SHAPES:
        name = f"libtare: {shape} in place of {what}"
        if not wanted(name) or what in ("attempt", "ckpt data latest run tare-checkpoints"):
            continue
        d = copy(with_folder)
        shutil.rmtree(d / "checkpoints")
        shutil.copytree(top / "t-lib", d / "checkpoints") if (top / "t-lib").exists() else None
        env = dict(os.environ, TARE_CHECKPOINT_DIR="checkpoints")
        if not (top / "t-lib").exists():
            for total in ("20", "40"):
                assert subprocess.run([TRAIN, total, "100"], cwd=d, env=env, capture_output=True).returncode == 0
            shutil.copytree(d / "checkpoints", top / "t-lib")
            (d / "from").unlink()
        there = [p for p in places(d / "checkpoints", what) if p.exists() or shape != "link to it"]
        for p in there:
            put(p, shape)
        if not there:
            continue
        r = subprocess.run([TRAIN, "41", "100"], cwd=d, env=env, capture_output=True, text=True, timeout=HANG_S)
        begun = (d / "from").read_text().split() if (d / "from").exists() else []
        ok((r.returncode == 2 and "lib-train: " in r.stderr and not begun) or (r.returncode == 0 and begun in (["20"], ["40"])), name, f"{r} {begun}")

# ---- a folder as a store, where the machine's own is gone

STORED = [
    "ckpt", "ckpt/newest", "ckpt/each", "data", "data/newest", "data/each", "ckpt data", "runs", "runs/each", "latest", "measured", "tare-checkpoints", "none-yet",
    "ckpt latest", "ckpt data latest", "ckpt data latest runs", "ckpt data latest runs measured",
]
STORE = ("--store", "store")
for what in STORED:
    for shape in SHAPES:
        name = f"store: {shape} in place of {what}"
        if not wanted(name):
            continue
        d = copy(with_store)
        there = [p for p in places(d / "store", what) if p.exists() or shape != "link to it"]
        for p in there:
            put(p, shape)
        if there:
            case(name, d, STORE)

for shape in SHAPES:
    name = f"store: {shape} in place of the store"
    if not wanted(name):
        continue
    d = copy(with_store)
    put(d / "store", shape)
    if shape in ("gone", "folder", "folder with a file"):
        r = Ran(d, *STORE)
        ok(begins(r), f"{name}: nothing was saved there", r)
    else:
        case(name, d, STORE)

for what in ("ckpt", "ckpt/newest", "data", "data/newest"):
    name = f"store: unreadable {what}"
    if ROOT or not wanted(name):
        continue
    d = copy(with_store)
    for p in places(d / "store", what):
        p.chmod(0)
    case(name, d, STORE)
    for p in places(d / "store", what):
        p.chmod(0o700)

# What is lost there and whole here is used, and sent again.
name = "store: lost there, whole here"
if wanted(name):
    for what in ("ckpt", "ckpt/newest", "ckpt data", "ckpt data latest", "ckpt data latest runs measured tare-checkpoints"):
        d = saved(top / f"whole-{what.replace('/', '-').replace(' ', '-')}", *STORE)
        for p in places(d / "store", what):
            remove(p)
        r = Ran(d, *STORE)
        ok(r.code == 0 and r.step == "40" and r.events[-1]["stored_step"] == 40, f"{name}: {what}", r)
        shutil.rmtree(d / "checkpoints")
        r = Ran(d, *STORE)
        ok(r.code == 0 and r.step == "40", f"{name}: {what}: ... and comes back", r)

# ---- objects over HTTP

name = "s3: "
if wanted(name):
    with s3_server.Server() as s3:
        os.environ.update(
            AWS_ACCESS_KEY_ID=list(s3_server.KEYS)[0],
            AWS_SECRET_ACCESS_KEY=list(s3_server.KEYS.values())[0],
            AWS_EC2_METADATA_DISABLED="true",
        )

        def lose(n, *prefixes):
            """A store with two checkpoints that loses what begins so."""
            opt = ("--store", f"s3://bkt/{n}?endpoint={s3.url}")
            d = saved(top / f"s3-{n}", *opt)
            shutil.rmtree(d / "checkpoints")
            for key in [k for k in s3.objects if k[1].startswith(tuple(f"{n}/{p}" for p in prefixes))]:
                del s3.objects[key]
            return d, opt

        NEWEST = "ckpt/000000000040"
        for n, gone in enumerate(
            [["ckpt/"], [NEWEST], ["ckpt/", "latest"], ["ckpt/", "data/"], ["ckpt/", "data/", "latest"], ["ckpt/", "data/", "latest", "runs/"], ["data/"]]
        ):
            d, opt = lose(n, *gone)
            case(f"s3: without {' '.join(gone)}", d, opt)
        # another's objects beside it are no sign of ours
        opt = ("--store", f"s3://bkt/other?endpoint={s3.url}")
        for key in ("config.yaml", "data/train.parquet", "ckpt/epoch=3.ckpt", "runs/mlflow/1"):
            s3.objects["bkt", f"other/{key}"] = list(s3.objects.values())[0]
        d = top / "s3-other"
        d.mkdir()
        r = Ran(d, *opt)
        ok(begins(r), "s3: the objects of others are no checkpoint that is lost", r)

# ---- nothing was saved: it begins

def fresh(name, d, opt=()):
    if wanted(name):
        r = Ran(d, *opt)
        ok(begins(r) and not r.damaged, name, r)


def new(name):
    d = top / name
    remove(d)
    d.mkdir()
    return d


fresh("fresh: no folder", new("f1"))
d = new("f2")
(d / "checkpoints").mkdir()
fresh("fresh: an empty folder", d)
(d / "checkpoints/notes.txt").write_text("x")
fresh("fresh: a folder with something else in it", d)
d = new("f3")
for i in range(3):
    fresh(f"fresh: opened {i} times, and nothing was saved", d, ("--watch", "out"))
    fresh(f"fresh: opened {i} times, and nothing was saved (only read)", d)
if wanted("fresh: the first save died"):
    (d / "checkpoints/data").mkdir(parents=True, exist_ok=True)
    (d / "checkpoints/none-yet").write_text("1\n")
    (d / "checkpoints/data/000000000001-0000000000000001.r0").write_text("x")
fresh("fresh: the first save died", d)
fresh("fresh: the first save died, watched", d, ("--watch", "out"))
d = new("f4")
fresh("fresh: no store", d, STORE)
fresh("fresh: an empty store", d, STORE)
d = new("f5")
for key in ("config.yaml", "data/train.parquet", "ckpt/epoch=3.ckpt", "runs/mlflow/1"):
    (d / "store" / key).parent.mkdir(parents=True, exist_ok=True)
    (d / "store" / key).write_text("x")
fresh("fresh: a store with something else in it", d, STORE)
print(f"1..{count}")
sys.exit(failed > 0)
