#!/usr/bin/env python3
"""What a workbook says, read from its XML: of each sheet its head, rows and whether the numbers are the decimals of the same report as CSV.

usage: xlsx.py FILE [CSV] [-v]     CSV: of the same report; every amount must be there, to the last digit
"""
import csv
import datetime
import re
import sys
import xml.etree.ElementTree as ET
import zipfile
from decimal import Decimal

NS = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
text = []
if "xl/sharedStrings.xml" in z.namelist():
    text = ["".join(t.text or "" for t in si.iter("{%s}t" % NS["m"])) for si in ET.fromstring(z.read("xl/sharedStrings.xml"))]
formats = [x.get("numFmtId") for x in ET.fromstring(z.read("xl/styles.xml")).find("m:cellXfs", NS)]
codes = {x.get("numFmtId"): x.get("formatCode") for x in ET.fromstring(z.read("xl/styles.xml")).iter("{%s}numFmt" % NS["m"])}
rels = {r.get("Id"): r.get("Target") for r in ET.fromstring(z.read("xl/_rels/workbook.xml.rels"))}


def column(ref):
    n = 0
    for c in re.match(r"[A-Z]+", ref)[0]:
        n = n * 26 + ord(c) - 64
    return n - 1


def value(c):
    v, code = c.find("m:v", NS), codes.get(formats[int(c.get("s", 0))], "")
    if v is None:
        return None
    if c.get("t") == "s":
        return text[int(v.text)]
    if code.startswith("yyyy"):
        return (datetime.datetime(1899, 12, 30) + datetime.timedelta(seconds=round(float(v.text) * 86400))).strftime("%Y-%m-%dT%H:%M:%SZ" if "hh" in code else "%Y-%m-%d")
    return Decimal(format(float(v.text), ".15g"))


verbose = "-v" in sys.argv
want = list(csv.DictReader(open(sys.argv[2], encoding="utf-8", newline=""))) if len(sys.argv) > 2 and sys.argv[2] != "-v" else None
for s in ET.fromstring(z.read("xl/workbook.xml")).find("m:sheets", NS):
    root = ET.fromstring(z.read("xl/" + rels[s.get(R)]))
    rows, formulas = [], {}
    for r in root.find("m:sheetData", NS):
        row = {}
        for c in r:
            row[column(c.get("r"))] = value(c)
            if c.find("m:f", NS) is not None:
                formulas[column(c.get("r"))] = c.find("m:f", NS).text
        rows.append(row)
    pane = root.find(".//m:pane", NS)
    print(f"sheet {s.get('name')}: {len(rows)} rows", "frozen head" if pane is not None and pane.get("ySplit") == "1" else "", "filter" if root.find("m:autoFilter", NS) is not None else "")
    if s.get("name") == "about":
        for r in rows if verbose else []:
            print("  ", r.get(0), "|", r.get(1))
        continue
    head = rows[0]
    total = rows[-1]
    print("  columns:", " ".join(head[i] for i in sorted(head)))
    body = [{head[i]: v for i, v in r.items()} for r in rows[1:-1]]
    for r in body if verbose else []:
        print("  ", {k: str(v) for k, v in r.items()})
    adds = all(formulas[i].startswith("SUBTOTAL(109,") and abs(sum(Decimal(r.get(i) or 0) for r in rows[1:-1]) - total[i]) <= max(Decimal("1e-6"), abs(total[i]) * Decimal("1e-14")) for i in formulas)
    print("  total row:", adds, f"({len(formulas)} sums)")
    if want is None:
        continue
    mine = [r for r in want if r["currency"] == s.get("name")]
    same = len(mine) == len(body)
    for w, g in zip(mine, body):
        for k, v in w.items():
            if k == "currency":
                continue
            if k.endswith(("_cost", "_seconds")) or k in ("cost", "gpu_seconds") or isinstance(g.get(k), Decimal):
                got = g.get(k + " exact") or g.get(k)
                ok = (v == "") == (got is None) and (v == "" or Decimal(v) == Decimal(got))
            else:
                ok = (g.get(k) or "") == re.sub(r"[\x00-\x1f\x7f]", "?", v)
            if not ok:
                same = False
                print("   differs:", k, repr(v), repr(g.get(k)))
    print("  the same as CSV:", same, f"({len(mine)} rows)")
