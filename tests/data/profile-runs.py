#!/usr/bin/env python3
"""Recorded runs (Lambda's nvidia-smi monitors) as kept runs of tare profile: `tare explain --profile` must give the quantiles that are computed
here by sorting, and its verdict is counted. usage: profile-runs.py CSV.gz RUNS"""
import collections
import csv
import gzip
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MIB = 1 << 20
T0 = 1795219200000
runs = collections.OrderedDict()
with gzip.open(sys.argv[1], "rt") as f:
    for row in csv.DictReader(f):
        count = re.search(r"(?:^|_)(\d+)x", row["system"])
        if count and count[1] != "1":
            continue  # several cards in one stream
        try:
            runs.setdefault((row["system"], row["task"], row["run_start"]), []).append((float(row["gpu_util_pct"]), float(row["gpu_mem_used_mib"]), float(row["gpu_temp_c"])))
        except ValueError:
            pass
chosen = [(k, v) for k, v in runs.items() if len(v) >= 60][: int(sys.argv[2])]
tmp = pathlib.Path(tempfile.mkdtemp())
bad, verdicts = 0, collections.Counter()


def rank(v, q):
    return sorted(v)[max(0, math.ceil(q * len(v) - 1e-9) - 1)]


for i, (key, v) in enumerate(chosen):
    base = tmp / f"r{i}"
    n = len(v)
    dev = {"uuid": "GPU-1", "index": 0, "name": "V100", "gpu_model": "V100-SXM2-16GB", "how": 1, "first_ms": T0, "last_ms": T0 + n * 1000, "mem_total_bytes": 32 << 30}
    meta = {"schema": "tare.profile-run/1", "id": f"r{i}", "command": " ".join(key), "start_ms": T0, "end_ms": T0 + n * 1000, "interval_ms": 1000, "devices": [dev]}
    base.with_suffix(".json").write_text(json.dumps(meta) + "\n")
    with open(f"{base}.samples.csv.zst", "w") as out:  # not packed: what is inside counts
        out.write("time,step_s,gpu,mig,gpu_util_pct,mem_used_bytes,temp_celsius\n")
        for k, (util, mem, temp) in enumerate(v):
            h, m, s = k // 3600, k // 60 % 60, k % 60
            out.write(f"2026-11-21T{h:02}:{m:02}:{s:02}Z,1,GPU-1,,{util:g},{mem * MIB:.0f},{temp:g}\n")
    p = subprocess.run(["tare", "explain", "--profile", f"{base}.json", "-o", "json"], capture_output=True, text=True)
    r = json.loads(p.stdout)
    for name, values in (("gpu_util_pct", [x[0] for x in v]), ("mem_used_bytes", [x[1] * MIB for x in v]), ("temp_celsius", [x[2] for x in v])):
        got, want = r[name], {"p50": rank(values, 0.5), "p95": rank(values, 0.95), "p99": rank(values, 0.99), "peak": max(values), "mean": sum(values) / n}
        if got["readings"] != n or any(abs(got[q] - w) > 1e-4 * max(1, abs(w) * 1e-6) for q, w in want.items()):
            bad += 1
            print(key, name, got, want)
    mean = sum(x[0] for x in v) / n
    band = "overprovisioned" if mean < 25 else "underutilized" if mean < 60 else "well_utilized"
    bad += r["verdict"]["by_utilisation"] != band or r["verdict"]["confidence"] != "low"
    verdicts[r["verdict"]["verdict"]] += 1
print(f"{len(chosen)} runs, {sum(len(v) for _, v in chosen)} readings, {bad} differ")
print(", ".join(f"{k} {n}" for k, n in sorted(verdicts.items())))
shutil.rmtree(tmp)
