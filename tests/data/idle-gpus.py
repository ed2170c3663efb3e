"""Idle GPU-hours, and the most GPUs with any use at one instant, within and outside of hours of the day (UTC).
usage: idle-gpus.py DUTY.csv.gz FROM TO"""
import collections
import csv
import gzip
import sys

STEP = 57
path, start, end = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
idle = collections.Counter()
read = collections.Counter()
works = collections.defaultdict(list)
busy = collections.Counter()
by_hour = collections.Counter()
for r in csv.DictReader(gzip.open(path, "rt")):
    t, util = float(r["timestamp_anon"]), float(r["value"])
    quiet = (int(t % 86400 // 3600) - start) % 24 < (end - start) % 24
    read[quiet] += STEP
    idle[quiet] += STEP * (util == 0)
    if quiet:
        by_hour[t // 3600] += STEP
    if util > 0:
        works[r["container_ip"]].append(t)
    at = t
    while at < t + STEP:  # a reading may reach into the next five minutes
        until = min(t + STEP, (at // 300 + 1) * 300)
        busy[at // 300] += util / 100 * (until - at)
        at = until
most = collections.Counter()
now, edges = 0, []
for times in works.values():
    times.sort()
    for t, after in zip(times, times[1:] + [float("inf")]):
        edges += [(t, 1), (min(t + STEP, after), -1)]
for t, more in sorted(edges):  # one that ends makes room for one that begins
    quiet = (int(t % 86400 // 3600) - start) % 24 < (end - start) % 24
    now += more
    most[quiet] = max(most[quiet], now)
print(f"idle {sum(idle.values()) / 3600:.1f} GPU-hours, {100 * sum(idle.values()) / sum(read.values()):.0f} %")
print(f"{start:02}:00 to {end:02}:00: at most {most[True]} at work, idle {100 * idle[True] / read[True]:.0f} %; else {most[False]}, {100 * idle[False] / read[False]:.0f} %")
above = sum(max(0, s / 3600 - most[True]) for s in by_hour.values())
print(f"above {most[True]}: {above:.1f} GPU-hours; busiest five minutes {max(busy.values()) / 300:.1f}")
