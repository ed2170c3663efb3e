"""Turn a public trace into native samples for tare explain --samples: to-samples.py lambda STEP_S FILE | gentd26 DUTY MEMORY (on standard output)."""
import csv
import datetime
import gzip
import re
import sys

out = csv.writer(sys.stdout, lineterminator="\n")
out.writerow("time node gpu job_id gpu_model gpu_util_pct temp_celsius mem_used_bytes step_s workload".split())


def stamp(seconds):
    return (datetime.datetime(2026, 1, 1) + datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


if sys.argv[1] == "lambda":  # the log interleaves the cards of a machine ("4xA100"); its interval is not stated: STEP_S is an assumption
    step = int(sys.argv[2])
    for r in csv.DictReader(gzip.open(sys.argv[3], "rt")):
        m = re.match(r"(\d+)x_?(.*)", r["system"])
        n, i = int(m.group(1)) if m else 1, int(r["sample"])
        out.writerow([stamp(i // n * step), r["system"], i % n, r["task"] + " " + r["run_start"], (m.group(2) if m else r["system"]).split("_")[0],
                      r["gpu_util_pct"], r["gpu_temp_c"], int(float(r["gpu_mem_used_mib"] or 0)) * 1048576 or "", step, "training"])
else:  # a container is a card; two files, one reading
    memory = {(r["container_ip"], r["timestamp_anon"]): r["value"] for r in csv.DictReader(gzip.open(sys.argv[3], "rt"))}
    base = 1662854400
    for r in csv.DictReader(gzip.open(sys.argv[2], "rt")):
        key = r["container_ip"], r["timestamp_anon"]
        out.writerow([stamp(int(float(key[1])) - base), key[0][:8], 0, "", "", r["value"], "", memory.get(key, ""), 57, "inference"])
