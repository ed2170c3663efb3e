"""weeks.py DIR SEED [DAYS]: a small fleet whose jobs overlap over weeks, as a cron job sees it: jobs-DAY.csv has those that touched the day, as sacct -S tells
them, running ones without an end; samples-DAY.csv and bill-DAY.csv are of the day, nodes.csv of all. Imported day by day or at once, the ledger must be the
same (chains.t)."""
import csv
import datetime
import pathlib
import random
import sys

out, seed, days = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int((sys.argv[3:] or [12])[0])
out.mkdir(exist_ok=True)
r = random.Random(seed)
T0 = datetime.datetime(2024, 9, 1)
DAY = 1440


def at(minutes):
    return (T0 + datetime.timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def write(name, header, rows):
    with open(out / name, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(header.split())
        w.writerows(rows)


# name, cards, how jobs hold them, what readings name, what a record does not say
NODES = [("whole", 2, "cards", "card", ""), ("share", 2, "share", "card", "zone"), ("free", 3, "free", "card", "region"), ("told", 2, "cards", "job", ""),
         ("pool", 2, "free", "", "zone"), ("part", 1, "cards", "card", "")]
nodes = [(n, "aws", "" if lacks == "region" else "us-east-1", "" if lacks else "us-east-1a", "p3.8xlarge", "V100", "0.46" if n == "part" else g, "on_demand",
          at(r.choice([0, 37])), r.choice(["", at(days * DAY - 200)]), f"i-0{n}", "3.7" if n == "pool" else "") for n, g, _, _, lacks in NODES]
write("nodes.csv", "node provider region zone instance_type gpu_model gpu_count purchase from to resource_id usd_hour", nodes)

jobs = []  # start, end, row
for n, g, hold, *_ in NODES:
    for k in range(g if hold in ("cards", "share") else 3):
        t = r.randrange(0, 900)
        while t < days * DAY - 60:
            end = min(days * DAY, t + r.choice([90, 400, 400, 1500, 1500, 4000]))
            j = len(jobs)
            base = r.choice([f"{j}", f"{j}", f"9{k}_{j}"])
            jobs.append((t, end, {"job_id": base, "user": r.choice("ab"), "name": r.choice(["train-1", "train-2", "once", ""]), "team": r.choice(["x", "y"]), "node": n,
                                  "gpus": 1, "gpu_ids": "" if hold == "free" else k, "share_kind": "timeslice" if hold == "share" else "whole",
                                  "state": r.choice(["COMPLETED"] * 5 + ["FAILED", "CANCELLED"]), "serial": j}))
            # on a shared card they overlap, else one follows the other
            t = r.randrange(t + 30, end + 10) if hold == "share" else end + r.choice([0, 0, 5, 300, 1800])
for d in range(days):
    rows = []
    for a, b, row in jobs:
        if a < (d + 1) * DAY and b > d * DAY:
            running = b > (d + 1) * DAY
            rows.append([*list(row.values())[:-2], at(a), "" if running else at(b), "RUNNING" if running else row["state"]])
    write(f"jobs-{d:02}.csv", "job_id user name team node gpus gpu_ids share_kind start end state", rows)


def busy(row, a, b, m):
    """at first and then never again, with days between, all the time or never: what an hour was may be known days later"""
    kind = row["serial"] % 5
    idle = [True, m > a + 700, (m - a) % 4000 > 900, m > b - 900, False][kind]
    return 0 if idle else r.choice([10, 60, 100])


for d in range(days):
    rows = []
    for n, g, hold, names, _ in NODES:
        for k in range(g if names else 0):
            for m in range(d * DAY, (d + 1) * DAY, 20):
                if r.random() < 0.05:
                    continue
                held = [x for x in jobs if x[2]["node"] == n and x[0] <= m < x[1] and x[2]["gpu_ids"] in ("", k)]
                util = busy(held[0][2], held[0][0], held[0][1], m) if held else 0
                memory = [8000000000, 100000000][held[0][2]["serial"] // 5 % 2] if held else 0
                rows.append((at(m), n, k, held[0][2]["job_id"] if held and names == "job" else "", util, memory, 1200))
    write(f"samples-{d:02}.csv", "time node gpu job_id gpu_util_pct mem_used_bytes step_s", rows)
head = ("BilledCost EffectiveCost ListCost BillingCurrency ChargePeriodStart ChargePeriodEnd BillingPeriodStart BillingPeriodEnd ChargeCategory ResourceId "
        "ProviderName RegionId AvailabilityZone ServiceCategory ServiceName ChargeDescription ConsumedQuantity ConsumedUnit PricingCategory SkuPriceDetails")
for d in range(days):
    rows = []
    for n, g, hold, *_ in NODES[:4]:
        spans = [(d * DAY + h * 60, d * DAY + h * 60 + 60) for h in range(24)] if r.random() < 0.5 else [(d * DAY, (d + 1) * DAY)] if r.random() < 0.8 else []
        lines = [(f"{(b - a) / 60 * 1.000000000007 * g:.12f}", a, b, "Usage", (b - a) / 60) for a, b in spans]
        if r.random() < 0.3:
            lines.append(("-0.333333333333", max(0, d - 2) * DAY, (d + 1) * DAY, "Credit", ""))
        rows += [(c, c, c, "USD", at(a), at(b), "2024-09-01T00:00:00Z", "2024-10-01T00:00:00Z", what, f"arn:aws:ec2:us-east-1:1:instance/i-0{n}", "AWS", "us-east-1",
                  "us-east-1a", "Compute", "Amazon Elastic Compute Cloud", "p3.8xlarge Linux hour", q, "Hours", "Standard", '{"InstanceType":"p3.8xlarge"}')
                 for c, a, b, what, q in lines]
    write(f"bill-{d:02}.csv", head, rows)
