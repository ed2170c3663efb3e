#!/usr/bin/env python3
"""Write a small random fleet into a folder, one file per day and kind: random-fleet.py DIR SEED. Whatever the order and grouping in which the files are
imported, the ledger must be the same."""
import csv
import datetime
import pathlib
import random
import sys

out, seed = pathlib.Path(sys.argv[1]), int(sys.argv[2])
out.mkdir(exist_ok=True)
r = random.Random(seed)
T0 = datetime.datetime(2024, 9, 1)
DAYS, NODES = 4, 4


def at(minutes):
    return (T0 + datetime.timedelta(minutes=minutes)).strftime("%Y-%m-%dT%H:%M:%SZ")


def write(name, header, rows):
    with open(out / name, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(header)
        w.writerows(rows)


end = DAYS * 1440
nodes = []
for n in range(NODES):
    frm, to = r.choice([0, 37, 600]), end if n == 2 else r.choice([end, end - 605])
    nodes.append((f"n{n}", frm, to, r.choice([1, 2, 4])))
write("nodes.csv", "node provider region instance_type gpu_model gpu_count purchase from to resource_id usd_hour".split(),
      [(n, "aws", "us-east-1", "p3.8xlarge", "V100", g, "on_demand", at(f), "" if n == "n2" and t == end else at(t), f"i-0{n}", "3.6" if n == "n3" else "") for n, f, t, g in nodes])
head = ("BilledCost EffectiveCost ListCost BillingCurrency ChargePeriodStart ChargePeriodEnd BillingPeriodStart BillingPeriodEnd ChargeCategory ResourceId "
        "ProviderName RegionId ServiceCategory ServiceName ChargeDescription ConsumedQuantity ConsumedUnit PricingCategory SkuPriceDetails Tags").split()
for d in range(DAYS):
    rows = []
    for n, f, t, g in nodes[:3]:
        hours = range(max(f, d * 1440) // 60, (min(t, (d + 1) * 1440) + 59) // 60)
        # some days one line for all of it, others a line an hour; amounts that no nano divides
        spans = [(h * 60, h * 60 + 60) for h in hours] if r.random() < 0.5 else [(hours[0] * 60, hours[-1] * 60 + 60)] if len(hours) else []
        for a, b in spans:
            q = (b - a) / 60
            c = f"{q * 1.000000000007 * (1 + g):.12f}"
            rows.append((c, c, c, "USD", at(a), at(b), "2024-09-01T00:00:00Z", "2024-10-01T00:00:00Z", "Usage", f"arn:aws:ec2:us-east-1:1:instance/i-0{n}",
                         "AWS", "us-east-1", "Compute", "Amazon Elastic Compute Cloud", "p3.8xlarge Linux hour", q, "Hours", "Standard",
                         '{"InstanceType":"p3.8xlarge"}', '{"team":"infra"}'))
    # a machine that only bills and jobs know; credits, some for time that nobody used; another currency
    extra = [("n4", 2.000000000003, "USD", "Usage", d * 1440, d * 1440 + 1440, 24)]
    extra += [(f"n{d % 5}", -0.333333333333, "USD", "Credit", d * 1440, d * 1440 + r.choice([60, 1440]), "")]
    extra += [("n1", 0.500000000009, "EUR", "Usage", d * 1440 + 720, d * 1440 + 780, 1)] if d % 2 else []
    for n, c, cur, cat, a, b, q in extra:
        rows.append((f"{c:.12f}", f"{c:.12f}", "", cur, at(a), at(b), "2024-09-01T00:00:00Z", "2024-10-01T00:00:00Z", cat, f"arn:aws:ec2:us-east-1:1:instance/i-0{n}",
                     "AWS", "us-east-1", "Compute", "Amazon Elastic Compute Cloud", "p3.8xlarge Linux hour", q, "Hours", "Standard",
                     '{"InstanceType":"p3.8xlarge"}', '{"Name":"n4"}' if n == "n4" else '{"team":"infra"}'))
    rows.append(("0.777777777777", "0.777777777777", "", "USD", at(d * 1440), at(d * 1440 + 1440), "2024-09-01T00:00:00Z", "2024-10-01T00:00:00Z", "Usage",
                 f"vol-{d}", "AWS", "us-east-1", "Storage", "Amazon Elastic Block Store", "gp3", 1, "GB-Mo", "Standard", "", '{"team":"data"}'))
    write(f"bill-{d}.csv", head, rows)
jobs = []
for j in range(60):
    n, f, t, g = r.choice([*nodes, ("n4", 0, end, 4)])
    a = r.randrange(0, end - 100)
    b = min(end, a + r.choice([7, 45, 300, 2000]))
    kind = r.random()
    row = {"job_id": j, "user": r.choice("abc"), "team": r.choice(["x", "y", ""]), "node": n, "start": at(a), "end": at(b) if j % 10 else "",
           "state": r.choice(["COMPLETED", "COMPLETED", "FAILED", "CANCELLED"]), "gpus": 1, "gpu_ids": r.randrange(g), "share_kind": "whole", "gpu_share": ""}
    if kind < 0.2:
        row.update(gpu_ids=";".join(map(str, range(g))), gpus=g)
    elif kind < 0.4:
        row.update(share_kind="timeslice", gpu_share=r.choice(["", "0.25", "0.46"]))
    jobs.append((a, row))
for d in range(DAYS):
    rows = [list(x.values()) for a, x in jobs if d * 1440 <= a < (d + 1) * 1440]
    write(f"jobs-{d}.csv", jobs[0][1].keys(), rows)
for d in range(DAYS):
    rows = []
    for n, f, t, g in nodes:
        for k in range(g):
            for m in range(max(f, d * 1440), min(t, (d + 1) * 1440), 5):
                if r.random() < 0.9:
                    rows.append((at(m), n, k, r.choice([0, 0, 10, 60, 100]), r.choice(["", 100000000, 8000000000]), 300))
    r.shuffle(rows)
    write(f"samples-{d}.csv", "time node gpu gpu_util_pct mem_used_bytes step_s".split(), rows)
