#!/usr/bin/env python3
"""What rules of `tare plan commit` cost against the optimum, on demands of public traces and on seeded bursty ones.

usage: commit-rows.py tuned|unseen   every other demand of a group was used to choose the constants of the rule, the rest was looked at once
Prints the mean ratio of each rule in each group. Terms of 168, 336, 720 and 2,160 h at 0.4 and 0.6 of the on-demand price, where the demand is
at least two terms long (336 h from 700 h on)."""
import csv
import datetime
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile

DATA = os.environ["TARE_SHARED"] + "/data/"
ALWAYS_TUNED = ("philly_all", "pai")  # tests/data/commit.t: chosen on before
BURSTS = [(6, 24, 0), (12, 48, 10), (24, 72, 5), (36, 120, 0), (72, 168, 10), (72, 72, 0), (120, 336, 5), (240, 480, 0)]  # mean hours on, off; base


def rows(path):
    return csv.DictReader(gzip.open(DATA + path, "rt"))


def hourly(jobs, hours):
    """Units of all jobs (start, end, units) that overlap each hour."""
    change = [0.0] * (hours + 1)
    for start, end, units in jobs:
        first, last = max(int(start), 0), max(math.ceil(end), int(start) + 1)
        if first < hours:
            change[first] += units
            change[min(last, hours)] -= units
    total, out = 0.0, []
    for c in change[:hours]:
        total += c
        out.append(total)
    return out


def used(jobs, hours=math.inf):
    return sum((min(end, hours) - start) * units for start, end, units in jobs)


def grouped(jobs):
    by = {}
    for key, job in jobs:
        by.setdefault(key, []).append(job)
    return by


def philly():
    def job(r):
        start = datetime.datetime.fromisoformat(r["timestamp"]).timestamp() / 3600
        return r["cluster"], (start, start + float(r["duration"]) / 3600, int(r["num_gpus"]))
    jobs = [job(r) for r in rows("trace_philly/philly.csv.gz")]
    first = min(j[0] for _, j in jobs)
    by = grouped((c, (s - first, e - first, u)) for c, (s, e, u) in jobs)
    by = {c: v for c, v in by.items() if used(v) > 20000}
    by["all"] = [(s - first, e - first, u) for _, (s, e, u) in jobs]
    return {"philly_" + c: hourly(v, 2614) for c, v in by.items()}


def gpu23():
    by = grouped((r["qos"], (float(r["creation_time"]) / 3600, float(r["deletion_time"]) / 3600, int(r["num_gpu"]) * int(r["gpu_milli"]) / 1000))
                 for r in rows("trace_alibaba_gpu_v2023/openb_pod_list_default.csv.gz") if r["deletion_time"] and int(r["num_gpu"]))
    by["all"] = [j for v in by.values() for j in v]
    return {"gpu23_" + q: hourly(v, int(max(j[0] for j in v)) + 1) for q, v in by.items() if used(v) > 5000}


def dlrm():
    all_rows = [r for r in rows("trace_alibaba_dlrm_v2025/disaggregated_DLRM_trace.csv.gz") if float(r["gpu_request"])]
    hours = int(max(float(r["deletion_time"] or 0) for r in all_rows) / 3600)
    by = grouped((r["app_name"], (float(r["creation_time"] or 0) / 3600, float(r["deletion_time"] or 1e9) / 3600, float(r["gpu_request"]))) for r in all_rows)
    large = sorted(by, key=lambda k: -used(by[k], hours))[:6]
    pick = {"dlrm_" + k: hourly(by[k], hours) for k in large}
    pick["dlrm_all"] = hourly([j for v in by.values() for j in v], hours)
    return pick


def pai():
    jobs = [(int(r["cpus"]), (float(r["arrival_time"]), float(r["arrival_time"]) + float(r["length"]), int(r["cpus"])))
            for r in rows("trace_alibaba_pai_v2020/pai-100k.csv.gz")]
    by = grouped(jobs)
    pick = {"pai_%d" % k: hourly(by[k], 8760) for k in (1, 2, 4)}
    pick["pai"] = hourly([j for _, j in jobs], 8760)
    return pick


def m4():
    """Every 20th hourly series, scaled to a mean of 100 units."""
    series = {}
    for part in ("train", "test"):
        for r in rows("forecast_m4_hourly_weekly/hourly_%s.csv.gz" % part):
            series.setdefault(r["id"], []).append(float(r["value"]))
    return {"m4_" + k: [round(x / (sum(series[k]) / len(series[k])) * 100) for x in series[k]] for k in sorted(series)[::20]}


def draws(seed):
    """splitmix64, in [0, 1)"""
    mask = (1 << 64) - 1
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        yield ((z ^ (z >> 31)) >> 11) / 2**53


def bursts():
    """A base, and bursts of exponential length and gap whose height has a heavy tail."""
    out = {}
    for i, (on, off, base) in enumerate(BURSTS):
        for j in range(2):
            u, v = draws(1000 + 10 * i + j), []
            while len(v) < 4380:
                v += [base] * (int(-off * math.log(1 - next(u))) + 1)
                height = min(200, int(20 / (1 - next(u)) ** 0.6))
                v += [base + height] * (int(-on * math.log(1 - next(u))) + 1)
            out["burst_%d_%d_%d_%s" % (on, off, base, "ab"[j])] = v[:4380]
    return out


def ratios(demand, term, rate):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as f:
        f.write("time,units\n" + "".join("%d,%g\n" % (t, round(v, 3)) for t, v in enumerate(demand)))
        f.flush()
        a = json.loads(subprocess.run(["tare", "plan", "commit", "--demand", f.name, "--term", "%dh" % term, "--rate-frac", rate, "--compare", "-o", "json"],
                                      check=True, capture_output=True).stdout)
    return {p["policy"]: p["ratio"] for p in a["policies"]}


def main():
    half = {"unseen": 0, "tuned": 1}[sys.argv[1]]
    rules, groups = ("tare", "break_even", "on_demand", "seven_day"), []
    print("%-12s %4s %4s " % ("", "of", "rows"), *("%10s" % r for r in rules))
    for name, read in ("philly", philly), ("gpu_v2023", gpu23), ("dlrm_v2025", dlrm), ("pai_v2020", pai), ("m4_hourly", m4), ("bursty", bursts):
        demands, got, n = read(), [], 0
        for i, key in enumerate(sorted(demands), 1):
            if (1 if key in ALWAYS_TUNED else i % 2) != half:
                continue
            n += 1
            for term in (168, 336, 720, 2160):
                if 2 * term > len(demands[key]) and not (term == 336 and len(demands[key]) >= 700):
                    continue
                got += [ratios(demands[key], term, rate) for rate in ("0.4", "0.6")]
        means = [sum(g[r] for g in got) / len(got) for r in rules]
        groups.append((len(got), means))
        print("%-12s %4d %4d " % (name, n, len(got)), *("%10.4f" % m for m in means))
    total = sum(n for n, _ in groups)
    print("%-12s %4s %4d " % ("all rows", "", total), *("%10.4f" % (sum(n * m[i] for n, m in groups) / total) for i in range(len(rules))))
    print("%-12s %4s %4s " % ("mean group", "", ""), *("%10.4f" % (sum(m[i] for _, m in groups) / len(groups)) for i in range(len(rules))))


main()
