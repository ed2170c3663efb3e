#!/usr/bin/env python3
"""Break-even and the optimum of `tare plan commit`, written again from their definitions and held against the program's.

break-even: algorithm 1 of Wang, Li & Liang (ICAC 2013), one unit at a time. The optimum: the least cost to cover every unit of demand, by
successive shortest paths (Bellman-Ford) in a graph of hours; no code and no method is shared with the program. Prints the largest difference."""
import csv
import datetime
import gzip
import json
import os
import subprocess
import sys
import tempfile

INF = float("inf")


def break_even(demand, term, rate):
    hours, fee = len(demand), rate * term
    phantom, bought = [0] * (hours + term), [0] * hours
    for t in range(hours):
        window = range(max(0, t - term + 1), t + 1)
        while demand[t] > phantom[t] and sum(demand[i] > phantom[i] for i in window) > fee:
            bought[t] += 1
            for i in range(window[0], t + term):
                phantom[i] += 1
    return cost(demand, bought, term, rate)


def cost(demand, bought, term, rate):
    total = 0.0
    for t, d in enumerate(demand):
        held = sum(bought[max(0, t - term + 1):t + 1])
        total += rate * held + max(0, d - held)
    return total


def optimum(demand, term, rate):
    """Covers the demand unit by unit: the n-th unit of flow from the first hour to the last takes the cheapest way that is left. Hour t must carry
    demand[t] units over its own arcs; an arc that spans it (a purchase) carries them too. Written as a transport of max(demand) units of flow, of
    which an hour needs demand[t] and may let the rest pass free of charge (capacity peak - demand[t])."""
    hours, peak = len(demand), max(demand)
    arcs, out = [], [[] for _ in range(hours + 1)]

    def arc(a, b, cap, price):
        out[a].append(len(arcs))
        arcs.append([b, cap, price])
        out[b].append(len(arcs))
        arcs.append([a, 0, -price])

    for t in range(hours):
        arc(t, t + 1, peak - demand[t], 0.0)  # not needed in this hour
        arc(t, t + 1, peak, 1.0)  # on demand
        end = min(t + term, hours)
        arc(t, end, peak, rate * (end - t))
    total = 0.0
    for _ in range(peak):
        far, by = [INF] * (hours + 1), [None] * (hours + 1)
        far[0], queue, inside = 0.0, [0], [False] * (hours + 1)
        while queue:
            a = queue.pop(0)
            inside[a] = False
            for i in out[a]:
                b, cap, price = arcs[i]
                if cap > 0 and far[a] + price < far[b] - 1e-9:
                    far[b], by[b] = far[a] + price, i
                    if not inside[b]:
                        inside[b] = True
                        queue.append(b)
        node = hours
        while node:
            arcs[by[node]][1] -= 1
            arcs[by[node] ^ 1][1] += 1
            node = arcs[by[node] ^ 1][0]
        total += far[hours]
    return total


def program(demand, term, rate):
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as f:
        f.write("time,units\n" + "".join("%d,%d\n" % x for x in enumerate(demand)))
        f.flush()
        a = json.loads(subprocess.run(["tare", "plan", "commit", "--demand", f.name, "--term", "%dh" % term, "--rate-frac", str(rate), "--compare",
                                       "-o", "json"], check=True, capture_output=True).stdout)
    return float(a["optimum_cost"]), {p["policy"]: float(p["cost"]) for p in a["policies"]}["break_even"]


def main():
    jobs = []
    for r in csv.DictReader(gzip.open(os.environ["TARE_SHARED"] + "/data/trace_philly/philly.csv.gz", "rt")):
        start = datetime.datetime.fromisoformat(r["timestamp"]).timestamp() / 3600
        jobs.append((r["cluster"], start, start + float(r["duration"]) / 3600, int(r["num_gpus"])))
    first, worst, n = min(j[1] for j in jobs), [0.0, 0.0], 0
    for cluster in sorted({j[0] for j in jobs}):
        demand = [0] * 2614
        for c, start, end, units in jobs:
            if c == cluster:
                for t in range(int(start - first), min(2614, int(end - first) + 1)):
                    demand[t] += units
        demand = demand[600:900]
        if not 0 < max(demand) <= 150:
            continue
        for term, rate in (24, 0.6), (48, 0.4), (72, 0.5), (168, 0.4):
            want = optimum(demand, term, rate), break_even(demand, term, rate)
            got = program(demand, term, rate)
            worst = [max(w, abs(a - b)) for w, a, b in zip(worst, want, got)]
            n += 1
    print("%d rows; largest difference: optimum %.6f, break-even %.6f on-demand hours" % (n, *worst))
    sys.exit(n == 0 or max(worst) > 1e-5)


main()
