"""same.py DB ...: the same figures in every format of tare report, cell by cell.

What the table shows as `-` is an empty cell of CSV, null in JSON and an empty cell of the workbook, and the other way round.
"""
import csv
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from decimal import Decimal
from xml.etree import ElementTree

STATES = ["busy", "underused", "idle_held", "idle_empty", "unallocated", "lost", "overhead", "unknown"]
SHOWN = {"busy": ["busy"], "underused": ["underused"], "lost": ["lost"], "overhead": ["overhead"], "unknown": ["unknown"],
         "idle": ["idle_held", "idle_empty", "unallocated"]}
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
bad = 0
looked = 0


def say(*what):
    global bad
    bad += 1
    if bad <= 20:
        print(*what)


def tare(*args):
    run = subprocess.run(["tare", *args], capture_output=True, env={**os.environ, "COLUMNS": "1000"})
    if run.returncode:
        say(*args, run.stderr.decode())
    return run.stdout


def rows_csv(args):
    return list(csv.DictReader(io.StringIO(tare(*args, "-o", "csv").decode())))


def rows_md(args):
    """The rows of the Markdown table, which is the table without a width; no sums."""
    lines = [[c.strip() for c in line.strip("|").split(" | ")] for line in tare(*args, "-o", "md").decode().splitlines() if line.startswith("|")]
    body = [line for line in lines[2:] if not any("**" in c for c in line)]
    return [dict(zip(lines[0], line)) for line in body if len(line) == len(lines[0])]


def rows_xlsx(args, folder):
    path = os.path.join(folder, "same.xlsx")
    with open(path, "wb") as f:
        f.write(tare(*args, "-o", "xlsx"))
    with zipfile.ZipFile(path) as z:
        text = []
        if "xl/sharedStrings.xml" in z.namelist():
            text = ["".join(t.itertext()) for t in ElementTree.fromstring(z.read("xl/sharedStrings.xml"))]
        sheet = ElementTree.fromstring(z.read("xl/worksheets/sheet1.xml"))
    rows = []
    for row in sheet.iter(SHEET + "row"):
        cells = {}
        for c in row:
            v = c.find(SHEET + "v")
            kind = c.get("t")
            if v is not None and v.text is not None:
                cells[re.sub(r"\d", "", c.get("r"))] = text[int(v.text)] if kind == "s" else v.text
        rows.append(cells)
    heads = rows[0]
    return [{heads[k]: v for k, v in r.items() if k in heads} for r in rows[1:]]


def same(name, where, a, b):
    """a as CSV has it, b as another: both unknown or both the same number."""
    global looked
    looked += 1
    b = "" if b is None else str(b)
    if (a == "") != (b == "") or (a and abs(Decimal(a) - Decimal(b)) > abs(Decimal(a)) / 10**9):
        say(f"{where}: {name} is '{a}' in CSV and '{b}' there")


def check(db, by, more):
    args = ["report", "--db", db, "--by", by, *more]
    where = " ".join(args[3:])
    lines, doc, shown = rows_csv(args), json.loads(tare(*args, "-o", "json")), rows_md(args)
    book = rows_xlsx(args, os.path.dirname(db) or ".")
    if not len(lines) == len(doc["rows"]) == len(shown):
        say(f"{where}: {len(lines)} rows in CSV, {len(doc['rows'])} in JSON, {len(shown)} in the table")
    for c, j, t, x in zip(lines, doc["rows"], shown, book):
        for key in ("gpu_seconds", "cost", "other_cost", "waste_cost", "unpriced_gpu_seconds"):
            same(key, where + " json", c[key], j[key])
        for s in STATES:
            seconds, cost = s + "_gpu_seconds", s + "_cost"
            # a state known to have none is left out of the object
            of = j["states"].get(s, {"gpu_seconds": "0", "cost": "0"})
            same(seconds, where + " json", c[seconds], of["gpu_seconds"])
            same(cost, where + " json", c[cost], of["cost"])
        for key in c:
            if key.endswith(("_seconds", "cost")) and not key.startswith("cost_"):
                same(key, where + " xlsx", c[key], x.get(key, ""))
        if c["gpu_seconds"] in ("", "0"):
            continue  # a share of nothing is `-`
        for head, states in SHOWN.items():
            if head not in t:
                continue
            known = [c[s + "_gpu_seconds"] for s in states]
            unknown = all(k in ("", "0") for k in known) and "" in known
            if (t[head] == "-") != unknown:
                say(f"{where} table: {head} is '{t[head]}', {known} in CSV")


for db in sys.argv[1:]:
    for by in ("job", "node", "hour", "team,state"):
        check(db, by, [])
    check(db, "team", ["--split-idle", "proportional"])
    check(db, "job", ["--top", "2"])
    kpi = json.loads(tare("report", "--db", db, "--kpi", "-o", "json"))
    flat = {r["kpi"].strip(): r["value"] for r in rows_csv(["report", "--db", db, "--kpi"])}
    for name, value in (("lost work", kpi.get("lost", {}).get("frac")), ("GPU utilisation (busy)", kpi.get("utilisation_frac")),
                        ("goodput", kpi.get("goodput_frac")), ("cost of lost work", kpi.get("lost", {}).get("cost")),
                        ("allocation rate", kpi.get("allocation_frac"))):
        looked += 1
        if (flat[name] == "-") != (value is None):
            say(f"{db} kpi: {name} is '{flat[name]}', {value} in JSON")
print("%s figures, %d differ" % ("many" if looked > 500 else looked, bad))
