#!/usr/bin/env python3
"""
What tare prints to be pasted, with hostile names in it, run line by line in sh, bash and zsh, in scripts and as at a terminal: nothing but the commands that
were printed may run, and a name arrives as one argument or not at all. The commands are stubs that write down their arguments.

usage: t-hostile.py TARE
"""
import csv, io, json, os, pathlib, re, shlex, shutil, subprocess, sys, tempfile

TARE = os.path.abspath(sys.argv[1])
tmp = tempfile.TemporaryDirectory(prefix="tare-hostile-test.", ignore_cleanup_errors=True)
top = pathlib.Path(tmp.name)
count = failed = 0
os.environ.pop("TARE_SHARED", None)  # where the tests find data; to tare run it is --shared
BIDI, ZERO_WIDTH = "\u202e", "\u200b"
HOSTILE = [
    "--all",
    "-rf",
    "$(touch x)",
    "`touch x`",
    "a\ntouch x",
    "'",
    "''",
    "'; touch x; '",
    '"',
    '"; touch x; "',
    ";touch x",
    "a;touch x;",
    "&& touch x",
    "|touch x",
    "&touch x",
    "*",
    "?",
    "[a-z]",
    "~",
    "~root",
    "#",
    "a #b",
    "!",
    "!!",
    "!touch",
    "a\rtouch x",
    "\x1b[2J",
    f"{BIDI}evil",
    f"a{ZERO_WIDTH}b",
    "\U0001f600",
    "a b",
    "x" * 4096,
    "%n",
    "%1",
    "=ls",
    "=touch",
    "==",
    "{a,b}",
    "$HOME",
    "${x}",
    "$'\\n'",
    "(touch x)",
    ">x",
    "<x",
    ">>x",
    "2>x",
    "a=b",
    "ALL",
    "all",
    "n[1-999]",
    "a,b",
    "file:///etc/passwd",
    "@/etc/passwd",
    "http://evil/x",
    "-oProxyCommand=touch x",
    "--",
    "-",
    ".",
    "..",
    "/",
    "\\",
    "a\\",
    "\\n",
    "END",
    "if",
    "time",
    "x;",
    "../../x",
    "a\tb",
    "ü\u2028b",
    "日本",
]
STUBS = [
    "aws",
    "gcloud",
    "az",
    "kubectl",
    "scontrol",
    "scancel",
    "sbatch",
    "ssh",
    "tare",
    "at",
    "rm",
]
TRAPS = ["touch", "ls", "id", "reboot", "x", "b", "n", "sky", "evil"]
OPTIONS = re.compile(
    r"--(region|instance-ids|zone|ids|replicas=\d+|volume-id|description|snapshot-id|storage-tier|permanent-restore|availability-zone|bucket|lifecycle-configuration|filters|query|output|"
    r"overwrite|ignore-daemonsets|delete-emptydir-data|for=.*|timeout=15m|plan-types|durations|commitment|savings-plan-offering-id|instance-type|product-description|min-duration|"
    r"max-duration|instance-count|reserved-instances-offering-id|region=.*|plan=.*|resources=.*|resources-accelerator=.*|local|patch-file|force|notice-signal|notice-span|every|hours|"
    r"instance|no-checkpoint|prices|length|deadline|by|where|sort|db|config|cluster-name|nodegroup-name|instance-types|capacity-type|scaling-config|subnets|"
    r"node-role|cluster|machine-type|spot|enable-autoscaling|num-nodes|min-nodes|max-nodes|name|node-vm-size|priority|enable-cluster-autoscaler|node-count|min-count|"
    r"max-count|timeout=.*|workload|steps-file)|--|-f|-o|-"
)


def ok(good, what, more=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)
    for line in [] if good else str(more)[-4000:].splitlines():
        print("#  ", ascii(line))


def tare(*args, **kw):
    return subprocess.run(
        [TARE, *map(str, args)],
        capture_output=True,
        cwd=top,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(top),
            "TARE_DATA": os.environ["TARE_DATA"],
            "COLUMNS": "4000",
            "TARE_THREADS": "1",
            **{k: v for k, v in os.environ.items() if k in ("TARE_LIBDUCKDB", "GLIBC_TUNABLES")},
        },
        **kw,
    )


# ---- the fleet of tare demo under hostile names


def unpack(path):
    return (
        subprocess.run(["zstd", "-dqc", path], capture_output=True, check=True).stdout
        if path.suffix == ".zst"
        else path.read_bytes()
    )


def cell(name):
    return '"' + name.replace('"', '""') + '"'


demo = top / "demo"
r = tare("demo", "--dir", demo, "-q")
assert r.returncode == 0, r.stderr
allocations = list(csv.DictReader(io.StringIO((demo / "allocations.csv").read_text())))
nodes = list(csv.DictReader(io.StringIO((demo / "nodes.csv").read_text())))
turn = iter(HOSTILE * 60)
names = {}
for kind, column, rows in (
    ("node", "node", nodes),
    ("user", "user", allocations),
    ("team", "team", allocations),
    ("project", "project", allocations),
    ("service", "name", allocations),
):
    for row in rows:
        old = row[column]
        if old and old not in names and (kind != "service" or row["workload"] == "serving"):
            new = next(turn)
            names[old] = new if new not in names.values() else f"{new}{len(names)}"
resource = {
    row["resource_id"]: (f"--all{i}", f"i-0{i}", f"$(touch x){i}", f"@/etc/x{i}")[i % 4]
    for i, row in enumerate(nodes)
    if row["resource_id"]
}
provider = {row["node"]: ("aws", "aws", "gcp", "azure")[i % 4] for i, row in enumerate(nodes)}
zones = ["us-east-1a", "--all", "$(touch x)", "us-east-1b"]
cells = {old: cell(new) for old, new in {**names, **resource}.items()}


def rewrite(text, cuts=-1):
    """Each cell that is such a name; none of the demo's has a comma. Readings, of which there are millions, have it in the second."""
    rows = (row.split(",", cuts) for row in text.split("\n"))
    return "\n".join([",".join([cells.get(c, c) for c in row]) for row in rows])


files = []
evil = top / "evil"
evil.mkdir()
for path in sorted(demo.iterdir()):
    if ".csv" not in path.name:
        continue
    text = unpack(path).decode()
    if path.name == "nodes.csv":
        out = io.StringIO()
        w = csv.DictWriter(out, nodes[0].keys(), lineterminator="\n")
        w.writeheader()
        for i, row in enumerate(nodes):
            w.writerow(
                {
                    **row,
                    "provider": provider[row["node"]],
                    "zone": zones[i % len(zones)],
                    "node": names[row["node"]],
                    "resource_id": resource.get(row["resource_id"], ""),
                }
            )
        text = out.getvalue()
    else:
        text = rewrite(text, 2 if path.name.startswith(("samples", "requests")) else -1)
    (evil / path.name.removesuffix(".zst")).write_text(text)
    files.append(evil / path.name.removesuffix(".zst"))
# Few runs have the same hostile names: gates that ask for one, so that each lever has lines to print; a market, so that some go to spot.
config = top / "config.yaml"
config.write_text(
    (demo / "config.yaml")
    .read_text()
    .replace(
        "plan:\n",
        "plan:\n  gates: {trim_trial_runs: 1, count_trial_runs: 1, count_more_frac: 1, gpu_runs: 1, gpu_weeks: 0, memory_few_runs: 1, memory_few_factor: 1, "
        "watched_frac: 0, spot_runs: 1, spot_gpu_hours: 0, spot_market_weeks: 1, spot_slack_frac: 0, stop_trial_days: 1, storage_days: 1}\n",
    )
    + "    - when: {cluster: training}\n      checkpointable: true\n"
)
market = top / "market.csv"
market.write_text(
    "provider,region,instance_type,gpu_model,gpu_count,purchase,usd_hour,from,to\n"
    + "".join(
        f"aws,us-east-1,{kind},V100-SXM2-16GB,{cards},spot,{cards * (0.4 + 0.01 * week):.2f},2026-10-{1 + 7 * week:02}T00:00:00Z,2026-10-{8 + 7 * week if week < 3 else 31:02}T00:00:00Z\n"
        for kind, cards in (("p3.8xlarge", 4), ("p3.2xlarge", 1), ("p3.16xlarge", 8))
        for week in range(4)
    )
)
db = top / "db"
r = tare("import", "--db", db, "--config", config, *files, market)
ok(r.returncode == 0, f"a fleet with {len(names)} hostile names is imported", r.stderr)

# ---- what is printed

blocks = {}
for what, args in (("plan", ["plan"]), ("findings", ["plan", "--findings"])):
    r = tare(*args, "--db", db, "--config", config, "-o", "json")
    assert r.returncode == 0, (r.returncode, r.stderr)
    doc = json.loads(r.stdout)
    for i, rec in enumerate(doc.get("recommendations") or doc.get("findings")):
        for how in ("apply", "undo"):
            if rec.get(how):
                blocks[f"{what} {i + 1} {rec.get('lever', '')} {how}"] = rec[how]
r = tare("plan", "apply", "1", "--db", db, "--config", config)
blocks["plan apply 1"] = r.stdout.decode().splitlines()
said = tare("explain", "1", "--db", db, "--config", config).stdout.decode()
blocks["explain 1"] = [
    x[2:] for x in said.splitlines() if x.startswith("  ") and x[2:].split(" ")[0] in STUBS
]
for dim in ("node", "job", "team", "user", "project"):
    r = tare("report", "--db", db, "--by", dim)
    for m in re.finditer(r"\((tare report .*?)\)\.?\n", r.stdout.decode()):
        blocks[f"report --by {dim}"] = [m[1]]
lines = sum(map(len, blocks.values()))
printed = [x for b in blocks.values() for x in b]
ok(
    len(blocks) > 20
    and all(
        any(x.startswith(y) for x in printed)
        for y in ("aws ec2 stop", "tare plan spot", "tare report", "#SBATCH --partition")
    ),
    f"{len(blocks)} blocks with {lines} lines are printed",
    "\n".join(x[:150] for x in printed),
)
broken = [
    (k, x)
    for k, b in blocks.items()
    for x in b
    if any(ord(c) < 32 or c in f"\x7f{BIDI}{ZERO_WIDTH}\u2028" for c in x)
]
ok(not broken, "none has a control character or one that hides or turns text", broken[:5])

# ---- and run

stubs = top / "stubs"
stubs.mkdir()
for name in STUBS + TRAPS:
    (stubs / name).write_text(
        # a file each: both sides of a pipe run at once
        '#!/bin/sh\n{ printf \'%s\\0\' "${0##*/}" "$@"; printf \'\\1\'; } >>"$STUB_LOG/$$"\n'
    )
    (stubs / name).chmod(0o755)
(stubs / "cat").symlink_to(shutil.which("cat"))
SHELLS = [
    ["sh"],
    ["bash", "--norc"],
    ["zsh", "-f"],
    ["sh", "-i"],
    ["bash", "--norc", "-i"],
    ["zsh", "-f", "-i"],
]
SHELLS = [s for s in SHELLS if shutil.which(s[0])]
FILES = {"spot.yaml", "tare-share.yaml"}


def wanted(block):
    """The commands of a block as sh takes them, with their words; those inside $(...) and behind && and | are words of lines of our own."""
    got, inside = [], False
    for line in block:
        if inside:
            inside = line != "END"
        elif line.endswith("<<'END'"):
            inside = True
        elif (
            line.split(" ")[0] in STUBS and "&" not in line and "|" not in line and "$(" not in line
        ):
            got.append(shlex.split(line))
    return got


def played(shell, block):
    """Every command that ran, and what it left in its folder."""
    d = pathlib.Path(tempfile.mkdtemp(dir=top))
    log = pathlib.Path(tempfile.mkdtemp(dir=top))
    text = "".join(x.replace("/etc/cron.d/", "cron-") + "\n" for x in block) + "exit\n"
    p = subprocess.run(
        [shutil.which(shell[0]), *shell[1:]],
        input=text.encode(),
        capture_output=True,
        cwd=d,
        timeout=60,
        start_new_session=True,
        env={
            "PATH": str(stubs),
            "STUB_LOG": str(log),
            "HOME": str(d),
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
            "HISTFILE": "/dev/null",
        },
    )
    said = b"".join(x.read_bytes() for x in log.iterdir())
    ran = [[w.decode() for w in x.split(b"\0")[:-1]] for x in said.split(b"\1")[:-1]]
    left = {x.name for x in d.iterdir()} - FILES - {".zcompdump", ".bash_history", ".zsh_history"}
    shutil.rmtree(d)
    shutil.rmtree(log)
    return ran, {x for x in left if not x.startswith("cron-tare-schedule")}, p


for shell in SHELLS:
    bad, n = [], 0
    for name, block in blocks.items():
        ran, left, p = played(shell, block)
        n += len(ran)
        strange = [
            c
            for c in ran
            if c[0] not in STUBS
            or any(w.startswith("-") and not OPTIONS.fullmatch(w) for w in c[1:])
        ]
        if strange or left:
            bad.append((name, block, strange, left))
        missing = [
            c for c in wanted(block) if [w.replace("/etc/cron.d/", "cron-") for w in c] not in ran
        ]
        if missing and not any("COMMAND" in x for x in block):
            bad.append((name, "did not arrive", missing, ran, p.stderr[-500:]))
    ok(
        not bad and n > 20,
        f"{' '.join(shell)}: {n} commands ran, each one that was printed, each name one argument",
        "\n".join(map(repr, bad[:4])),
    )
for name in sorted({"sh", "bash", "zsh"} - {s[0] for s in SHELLS}):
    print(f"# no {name}: left out")
print(f"1..{count}")
sys.exit(failed > 0)
