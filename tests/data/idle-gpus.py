"""Idle GPU-hours, and the most GPUs with any use in the same five minutes, within and outside of hours of the day (UTC).
usage: idle-gpus.py DUTY.csv.gz FROM TO"""
import collections
import csv
import gzip
import sys

STEP = 57
path, start, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
idle = collections.Counter()
read = collections.Counter()
at_work = collections.defaultdict(set)
busy = collections.Counter()
by_hour = collections.Counter()
for r in csv.DictReader(gzip.open(path, "rt")):
    t, util = float(r["timestamp_anon"]), float(r["value"])
    quiet = (int(t % 86400 // 3600) - start) % 24 < (end - start) % 24
    read[quiet] += STEP
    idle[quiet] += STEP * (util == 0)
    if quiet:
        by_hour[t // 3600] += STEP
    at = t
    while at < t + STEP:  # a reading may reach into the next five minutes
        until = min(t + STEP, (at // 300 + 1) * 300)
        busy[at // 300] += util / 100 * (until - at)
        if util > 0:
            at_work[at // 300].add(r["container_ip"])
        at = until
most = collections.Counter()
for bucket, cards in at_work.items():
    quiet = (int(bucket * 300 % 86400 // 3600) - start) % 24 < (end - start) % 24
    most[quiet] = max(most[quiet], len(cards))
print(f"idle {sum(idle.values()) / 3600:.1f} GPU-hours, {100 * sum(idle.values()) / sum(read.values()):.0f} %")
print(f"{start:02}:00 to {end:02}:00: at most {most[True]} at work, idle {100 * idle[True] / read[True]:.0f} %; else {most[False]}, {100 * idle[False] / read[False]:.0f} %")
above = sum(max(0, s / 3600 - most[True]) for s in by_hour.values())
print(f"above {most[True]}: {above:.1f} GPU-hours; busiest five minutes {max(busy.values()) / 300:.1f}")
