"""Fleets with a seed: raw files that tare imports, and the truth that tare never sees.

A fleet is a few blocks, each a cluster of its own with its own team: a filler that is well used,
planted waste, and traps (work that looks like waste). See README.md for the classes.
"""

import csv
import functools
import json
import math
import os
import random
from datetime import datetime, timezone

import model
from model import DAY, HOUR, MONTH, WEEK

END = int(datetime(2026, 11, 2, tzinfo=timezone.utc).timestamp())  # a Monday
GIB = 1 << 30
NOUNS = (
    "otter heron maple cedar basil ember fjord gusto hazel indigo jasper kite lotus mango nimbus onyx"
).split()
PEOPLE = (
    "ann bo cai dee eli fay gus hal ivy joe kim lou max nia oli pam quin ros sam tia uma val wes"
).split()


@functools.lru_cache(maxsize=1 << 17)
def iso(t):
    return datetime.fromtimestamp(int(t), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


class Cluster:
    def __init__(self, f, name, itype, count, elastic, scarce=False, purchase="on_demand"):
        self.f, self.name, self.itype, self.count = f, name, itype, count
        self.elastic, self.scarce, self.purchase = elastic, scarce, purchase
        self.runs, self.services, self.extra = [], [], []
        self.klass = self.kind = None
        self.next_count = count  # machines of a pool that does not boot them, in the hidden month
        self.price = f.cat.types[itype]["price"] * (0.62 if purchase == "reserved_1y" else 1)

    def pool(self, hidden=False):
        return model.Pool(
            self.name, self.f.cat.types[self.itype], self.next_count if hidden else self.count,
            self.elastic, self.scarce,
            names={i: f"{self.name}-{i + 1:02d}" for i in range(self.count)},
        )


class Fleet:
    def __init__(self, seed, data, only=None):
        self.seed, self.r = seed, random.Random(f"fleet-{seed}")
        self.cat = model.Catalogue(data)
        self.clusters, self.rules, self.prices, self.storage = [], [], [], []
        self.names = self.r.sample(NOUNS, len(NOUNS))
        self.people = self.r.sample(PEOPLE, len(PEOPLE))
        self.seq = 1000
        r = self.r
        short = r.random() < 0.08 if only is None else "short" in only
        self.weeks = r.choice([4, 4, 4, 5]) if not short else 0
        young = only is None and not short and r.random() < 0.06
        if young:
            self.weeks = 2
        if only and any(x.startswith("commit") for x in only):
            self.weeks = 2 if "commit_short" in only else 8
        self.begin = END - (self.weeks * WEEK if self.weeks else 2 * DAY)
        self.growth = r.uniform(0.92, 1.12)  # of the load, in the hidden month
        if only is not None:
            for name in only:
                BLOCKS[name](self)
        elif young:
            for name in ("filler", "commit_short", "trim_few", "unheld"):
                BLOCKS[name](self)
        elif short:
            block_short(self)
            block_filler(self)
        else:
            if r.random() < 0.12:  # a tidy fleet: nothing to find
                chosen = r.sample(TRAPS, 2)
            else:
                ready, tried = r.sample(READY, r.choice([2, 2, 3])), r.sample(TRIED,
                    r.choice([0, 1, 1]))
                if "commit" in tried:
                    self.weeks, ready = 8, r.sample(["unheld", "trim", "count"], 2)
                    self.begin = END - 8 * WEEK
                chosen = ready + tried + r.sample(TRAPS, r.choice([2, 3, 3]))
            if self.weeks > 5:
                chosen = [x for x in chosen if not x.startswith("serving")]
            for name in ["filler"] + chosen:
                BLOCKS[name](self)
        self.finish()

    # --- what blocks are made of
    def cluster(self, klass, kind, itype, count, elastic=True, **kw):
        c = Cluster(self, f"{self.names.pop()}-{'abcdefgh'[len(self.clusters) % 8]}", itype, count,
            elastic, **kw)
        c.klass, c.kind, c.team = klass, kind, f"team-{c.name.split('-')[0]}"
        c.user = self.people.pop()
        self.clusters.append(c)
        return c

    def habit(
        self, c, name, per_week, hours, limit_h, gpus,
        need=None, spread=0.12, mem=33.0, mem_only=False, cores=1.5, ram=6.0, busy=0.9, util=92,
        compute=0.8, hold=False, ckpt=None, nodes=1, late_min=0, rare=None, prealloc=False,
        times=None, input=False, even=False, user=None,
    ):
        """runs of one habit, in the history and the hidden month; `rare(run, k)` changes the k-th"""
        r, t = self.r, self.cat.types[c.itype]
        need = need or gpus
        user = user or c.user
        spans = [(self.begin, END, per_week, False),
            (END, END + MONTH, per_week * self.growth, True)]
        k = 0
        for a, b, rate, hidden in spans:
            n = max(1, round(rate * (b - a) / WEEK))
            n = times if times and not hidden else n
            step = (b - a - (limit_h + 2) * HOUR) / n
            for i in range(n):
                at = a + int(i * step + (0.1 if even else r.uniform(0.05, 0.75)) * step)
                # the spread is bounded: what 20 runs show is what the next month does
                h = hours * (1 + r.uniform(-spread, spread))
                self.seq += 1
                run = dict(
                    id=str(self.seq), cluster=c.name, habit=f"{c.name}/{name}", user=user,
                    team=c.team, project=c.team[5:], name=name, workload="training", submit=at,
                    limit=int(limit_h * HOUR), work=h * HOUR, busy=busy, util=util, gpus=gpus,
                    nodes=nodes, need=need, mem_only=mem_only, active=1 if mem_only else need,
                    mem=[
                        mem * r.uniform(0.97, 1.0) if g < need or mem_only else 0.0
                        for g in range(gpus)
                    ],
                    cores=cores, ram=ram, compute=compute, hold=hold, ckpt=ckpt,
                    late=late_min * 60, prealloc=prealloc, input=input, knows=True,
                    hidden=hidden, peak=0.0,
                )
                if rare:
                    rare(run, k)
                k += 1
                c.runs.append(run)

    def finish(self):
        """the history, as a scheduler made it"""
        for c in self.clusters:
            for hidden in (False, True):
                pool = c.pool(hidden)
                mine = sorted((x for x in c.runs if x["hidden"] == hidden),
                    key=lambda x: (x["submit"], x["id"]))
                keep = []
                for x in mine:
                    dur = x["limit"] if x["hold"] else x["work"]
                    assert x["work"] <= x["limit"], (c.klass, x["work"] / HOUR, x["limit"] / HOUR)
                    start, where = pool.place(x["submit"], x["gpus"], x["nodes"], dur, c.name)
                    x["start"], x["end"] = start, start + dur
                    x["where"] = [(n["name"], g) for n, g in where]
                    if not hidden and x["end"] > END - HOUR:
                        for n, g in where:  # not begun before the list was taken: it never was
                            for i in g:
                                n["free"][i] = start
                            n["to"] = max(n["free"]) + pool.release if c.elastic else None
                        continue
                    keep.append(x)
                if hidden:
                    c.next = keep
                else:
                    c.past, c.paid = keep, [
                        p for p in pool.paid(self.begin, END)
                        if not c.elastic or any(p[0] == n for x in keep for n, _ in x["where"])
                    ]
        for i, c in enumerate(self.clusters):
            c.ids = {name: f"i-{self.seed & 0xFFFF:04x}{i:03x}{k:010x}" for k,
                (name, _, _) in enumerate(c.paid)}

    # --- files
    def write(self, folder):
        self.folder = folder
        self.calls = []
        self.write_nodes()
        self.write_jobs()
        self.write_samples()
        self.write_requests()
        self.write_prices()
        self.write_bill()
        with open(os.path.join(folder, "config.yaml"), "w") as f:
            f.write("version: 1\ncurrency: USD\nmonth_hours: 730\n")
            teams = sorted({c.team for c in self.clusters if any(x["nodes"] > 1 for x in c.runs)})
            if teams:  # Slurm's account is the team here
                f.write("virtual_tags:\n")
                for t in teams:
                    f.write(f"  - when: {{account: {t}}}\n    set: {{team: {t}, project: {t[5:]}}}\n")
            if self.rules:
                f.write("plan:\n  rules:\n")
                for when, what in self.rules:
                    f.write(f"    - when: {{{when}}}\n      {what}\n")
        with open(os.path.join(folder, "truth.json"), "w") as f:
            json.dump(self.truth(), f)

    def table(self, name, keys, rows, call=None):
        if not rows:
            return
        with open(os.path.join(self.folder, name), "w", newline="") as f:
            w = csv.writer(f)
            w.writerow(keys)
            w.writerows(rows)
        self.calls.append(dict(files=[name], **(call or {})))

    def write_nodes(self):
        keys = ("node provider region zone instance_type gpu_model gpu_count purchase from to cluster usd_hour "
                "resource_id cpus ram_gib").split()
        rows = []
        for c in self.clusters:
            t = self.cat.types[c.itype]
            for name, a, b in c.paid:
                rows.append([name, "aws", "us-east-1", "us-east-1a", c.itype, t["model"], t["gpus"],
                    c.purchase, iso(a),
                             iso(b), c.name, f"{c.price:.6f}".rstrip("0"), c.ids[name], t["vcpu"],
                             f"{t['ram']:g}"])
        self.table("nodes.csv", keys, rows)

    def write_jobs(self):
        keys = ("job_id user team project env workload name gpu_model gpus gpu_ids share_kind submit start end state "
                "limit_s node checkpointable cluster cpus ram_gib").split()
        rows, gangs = [], []
        for c in self.clusters:
            t = self.cat.types[c.itype]
            for x in c.past:
                if x["nodes"] > 1:
                    gangs.append((c, x))
                    continue
                node, g = x["where"][0]
                rows.append([x["id"], x["user"], x["team"], x["project"], "research", x["workload"],
                    x["name"],
                             t["model"], x["gpus"], ";".join(map(str, g)), "whole",
                             iso(x["submit"]), iso(x["start"]),
                             iso(x["end"]), "COMPLETED", x["limit"], node,
                             "" if x["ckpt"] is None else str(x["ckpt"]).lower(), c.name,
                             math.ceil(x["cores"]), math.ceil(x["ram"])])
            rows += c.extra
        covers = [c.name for c in self.clusters if c.klass != "unwatched"]
        self.table("jobs.csv", keys, rows, dict(covers=covers))
        if gangs:
            head = "JobID User Account JobName Partition Cluster State Submit Start End Timelimit NNodes AllocCPUS AllocTRES NodeList".split()
            with open(os.path.join(self.folder, "gangs.sacct"), "w") as f:
                f.write("|".join(head) + "\n")
                for c, x in gangs:
                    t = self.cat.types[c.itype]
                    lim = x["limit"]
                    n = x["nodes"] * x["gpus"]
                    vals = [x["id"], x["user"], x["team"], x["name"], "gpu", c.name, "COMPLETED",
                        iso(x["submit"])[:-1],
                            iso(x["start"])[:-1], iso(x["end"])[:-1],
                            f"{lim // 86400}-{lim // 3600 % 24:02d}:{lim // 60 % 60:02d}:{lim % 60:02d}", x["nodes"],
                            x["cores"] * x["nodes"],
                            f"billing={n},cpu={x['cores'] * x['nodes']},gres/gpu={n},mem={x['ram'] * x['nodes']}G,node={x['nodes']}",
                            ",".join(n for n, _ in x["where"])]
                    f.write("|".join(map(str, vals)) + "\n")
            self.calls.append(dict(files=["gangs.sacct"], kind="sacct",
                covers=sorted({c.name for c, _ in gangs})))

    def write_samples(self):
        hours = sum((b - a) / HOUR * self.cat.types[c.itype]["gpus"] for c in self.clusters for _,
            a, b in c.paid)
        self.step = next((s for s in (60, 120, 180, 300) if hours * HOUR / s < 90000), 300)
        keys = "time node gpu gpu_util_pct mem_used_bytes mem_total_bytes power_w cpu_util_pct step_s".split()
        rows, step = [], self.step
        r = random.Random(f"samples-{self.seed}")
        for c in self.clusters:
            if c.klass == "unwatched":
                continue
            t = self.cat.types[c.itype]
            held = {}
            for x in c.past:
                for n, (node, gs) in enumerate(x["where"]):
                    for k, g in enumerate(gs):
                        held.setdefault((node, g), []).append((x["start"], x["end"], x, k, n))
            live = {}
            for s in c.services:
                for i, (node, g) in enumerate(s["where"]):
                    live[(node, g)] = s
            total = int(t["mem"] * GIB)
            used = {}
            for node, p, q in getattr(c, "dev", []):
                used.setdefault(node, []).append((p, q))
            for name, a, b in c.paid:
                for g in range(t["gpus"]):
                    spans = sorted(held.get((name, g), []), key=lambda s: s[0])
                    s, i = live.get((name, g)), 0
                    at = int(a)
                    while at < b:
                        while i < len(spans) and spans[i][1] <= at:
                            i += 1
                        util, mem, cpu = 0, 3145728, 1
                        if s:
                            m = min(int((at - self.begin) // 60), len(s["minutes"]) - 1)
                            util = min(100,
                                100 * s["minutes"][m] * s["gpu_ms"] / 60000 / len(s["where"]))
                            util, mem, cpu = max(0,
                                util + r.uniform(-2, 2)), int(s["mem"] * GIB), 12
                        elif name in used:
                            if any(p <= at < q for p, q in used[name]):
                                util, cpu = r.choice([0, 35, 60, 80]), 30
                            mem = 4 * GIB
                        elif i < len(spans) and spans[i][0] <= at:
                            util, mem, cpu = reading(spans[i], at, t, r, step)
                        util = round(util)
                        rows.append([iso(at), name, g, util, min(mem, total - 1), total,
                                     round(t["tdp"] * (0.15 + 0.007 * util)), round(min(100, cpu)),
                                     step])
                        at += step
        self.table("samples.csv", keys, rows)

    def write_requests(self):
        rows = []
        for c in self.clusters:
            for s in c.services:
                if s.get("unlogged"):
                    continue
                per = s["log_s"] // 60
                for m in range(0, len(s["minutes"]) - per + 1, per):
                    n = int(sum(s["minutes"][m : m + per]))
                    a, b = n * 7 // 10, n * 2 // 10
                    q = s["ms"]
                    rows.append([iso(self.begin + m * 60), s["name"], n,
                        f"{q}:{a};{2 * q}:{b};{4 * q}:{n - a - b}", "ok"])
        self.table("requests.csv", "time service count latency_histogram status".split(), rows)

    def write_prices(self):
        keys = "provider region zone instance_type gpu_model gpu_count purchase term upfront_usd usd_hour from to".split()
        self.table("prices.csv", keys, self.prices)

    def write_bill(self):
        if not self.storage:
            return
        keys = ("BillingAccountId,BillingAccountName,BillingCurrency,BillingPeriodStart,BillingPeriodEnd,ChargeCategory,"
                "ChargeDescription,ChargeFrequency,ChargePeriodStart,ChargePeriodEnd,BilledCost,EffectiveCost,ListCost,"
                "ContractedCost,ListUnitPrice,ContractedUnitPrice,PricingCategory,PricingQuantity,PricingUnit,"
                "ConsumedQuantity,ConsumedUnit,ProviderName,PublisherName,InvoiceIssuerName,RegionId,RegionName,"
                "ResourceId,ResourceName,ResourceType,ServiceCategory,ServiceName,SkuId,SkuPriceId,SubAccountId,"
                "SubAccountName,Tags").split(",")
        rows = []
        for s in self.storage:
            for d in range(int((END - self.begin) // DAY)):
                at = self.begin + d * DAY
                when = datetime.fromtimestamp(at, timezone.utc)
                m0 = datetime(when.year, when.month, 1, tzinfo=timezone.utc)
                m1 = datetime(when.year + when.month // 12, when.month % 12 + 1, 1,
                    tzinfo=timezone.utc)
                cost = f"{s['usd_month'] / 730 * 24:.2f}"
                rows.append(["210987654321", "Example", "USD", iso(m0.timestamp()),
                    iso(m1.timestamp()), "Usage",
                             "General Purpose gp3 provisioned storage", "Usage-Based", iso(at),
                             iso(at + DAY), cost, cost,
                             cost, cost, "0.08", "0.08", "Standard", "1", "GB-Mo", "1", "GB-Mo",
                             "AWS", "AWS", "AWS",
                             "us-east-1", "US East (N. Virginia)",
                             f"arn:aws:ec2:us-east-1:210987654321:volume/{s['id']}", "", "Volume",
                             "Storage",
                             "Amazon Elastic Block Store", "SKU1", "SKU1.P1", "210987654321", "ml",
                             json.dumps({"Name": s["name"]})])
        self.table("bill.csv", keys, rows)

    def truth(self):
        return dict(
            seed=self.seed, begin=self.begin, end=END, growth=self.growth, step=self.step,
            weeks=self.weeks,
            storage=self.storage, rules=[list(x) for x in self.rules], prices=self.prices,
            clusters=[
                dict(
                    name=c.name, klass=c.klass, kind=c.kind, itype=c.itype, count=c.count,
                    next_count=c.next_count, elastic=c.elastic,
                    scarce=c.scarce, purchase=c.purchase, price=c.price, ids=c.ids, past=c.past,
                    next=c.next,
                    services=c.services, paid=c.paid, team=c.team, truth=getattr(c, "truth", {}),
                )
                for c in self.clusters
            ],
        )


def reading(span, at, t, r, step):
    """(utilisation, bytes, CPU %) of the k-th GPU on the n-th machine of a run at a time"""
    x, k, n = span[2:]
    into, left = at - x["start"], x["start"] + x["work"] - at
    working = left > 0
    mem = x["mem"][k] if k < len(x["mem"]) else 0.0
    if x["peak"] and k < x["need"] and 0.5 < into / x["work"] < 0.62:
        mem = x["peak"]
    elif x["peak"] and k < x["need"]:
        mem = mem * 0.55
    if x["prealloc"]:
        mem = x["prealloc"] * t["mem"]
    on = working and k < x["active"]
    if x["late"] and k > 0:
        on = working and left <= x["late"]
        mem = mem if on else 0.0
    if x.get("quiet") and n > 0:
        on = on and left < 0.1 * x["work"]
    if into < 2 * step and not x["prealloc"]:
        mem *= 0.6
    held = int(mem * GIB) if mem else 3145728
    cores = 100.0 * x["cores"] / t["vcpu"] if working else 1
    if not on:
        return 0, held, cores
    busy = r.random() < x["busy"]
    return (x["util"] + r.uniform(-4, 4) if busy
        else r.uniform(0, 1)), held, cores * r.uniform(0.93, 1.0)


# --- blocks: kind is filler, waste (something to save) or trap (looks like waste; the work needs what it has)
def busy_machines(f, klass, kind, n, itype="g6e.xlarge", weeks_left=1.0):
    c = f.cluster(klass, kind, itype, n, elastic=False)
    t = f.cat.types[itype]
    hours = f.r.uniform(9, 14)
    f.habit(c, "pretrain", n * 168 / hours * 0.975 / f.growth**0.5, hours, hours * 1.35, t["gpus"],
        mem=t["mem"] * 0.89,
            busy=0.985, util=95, compute=0.9, cores=t["vcpu"] * 0.7, ram=t["ram"] * 0.8, even=True,
            spread=0.06)
    return c


def block_filler(f):
    busy_machines(f, "filler", "filler", f.r.randint(3, 5))


def block_unheld(f):
    f.cluster("unheld", "waste", f.r.choice(["g5.12xlarge", "g4dn.12xlarge"]), f.r.randint(1, 2),
              elastic=False)


def block_trim(f):
    c = f.cluster("trim", "waste", "g6e.12xlarge", 6)
    h = f.r.uniform(2.5, 4)
    f.habit(c, "nightly-eval", f.r.uniform(7, 10), h, h * f.r.uniform(3.2, 5), 4, hold=True,
        util=94, busy=0.95,
            mem=40, cores=20, ram=160)


def block_count(f):
    c = f.cluster("count", "waste", "g6e.12xlarge", 6)
    h = f.r.uniform(5, 9)
    f.habit(c, "finetune", f.r.uniform(5, 8), h, h * 1.7, 4, need=1, cores=2.0, mem=36, ram=12,
        busy=0.95, util=94)


def block_serving(f, klass="serving", kind="waste", log_s=60, coarse=False):
    n = 6
    c = f.cluster(klass, kind, "g5.xlarge", n, elastic=False)
    r = f.r
    ms = r.uniform(20, 40)
    peak = r.uniform(1.1, 1.5) if not coarse else r.uniform(4.3,
        4.7)  # replicas that the busiest minute needs
    service(f, c, f"{c.name}-api", [(f"{c.name}-{i + 1:02d}", 0) for i in range(n)], ms, peak,
        log_s, coarse)


def service(f, c, name, where, ms, peak, log_s=60, coarse=False, mem=9.0):
    r = random.Random(f"load-{f.seed}-{name}")
    top = peak * 60000 / ms
    out = []
    for k in range(int((END + MONTH - f.begin) // 60)):
        at = k * 60
        day = 0.45 + 0.4 * max(0.0, 1 - abs((at % DAY) / HOUR - 14) / 8) - (0.1
            if (at // DAY) % 7 > 4 else 0)
        if coarse:
            # a burst of two minutes each hour; the mean of the hour hides it
            v = top if (at // 60) % 60 in (7, 8) else top * 0.12 * (0.6 + day)
        else:
            v = top * min(1.0, day * r.uniform(0.95, 1.1))
        out.append(int(v))
    past = int((END - f.begin) // 60)
    s = dict(name=name, where=where, gpu_ms=ms, minutes=out[:past],
        next=[int(v * min(f.growth, 1.05)) for v in out[past:]],
             log_s=log_s, ms=round(ms * 1.5), mem=mem, cluster=c.name)
    c.services.append(s)
    f.rules.append((f"service: {name}", f"slo_p99_ms: {round(ms * 1.5) * 10}"))
    t = f.cat.types[c.itype]
    for i, (node, g) in enumerate(where):
        c.extra.append([f"{name}-{i}", f"svc-{c.name}", c.team, c.name, "production", "inference",
            name, t["model"], 1, g,
                        "whole", iso(f.begin), iso(f.begin), iso(END), "RUNNING", "", node, "",
                        c.name,
                        max(1, t["vcpu"] // t["gpus"]), f"{t['ram'] / t['gpus']:g}"])


def block_serving_coarse(f):
    block_serving(f, "serving_coarse", "trap", log_s=3600, coarse=True)


def block_serving_last(f):
    """every replica of the small services stands on one machine: a drain of it is an outage"""
    c = f.cluster("serving_last", "trap", "g4dn.12xlarge", 3, elastic=False)
    nodes = [f"{c.name}-{i + 1:02d}" for i in range(3)]
    service(f, c, f"{c.name}-rank",
        [(nodes[0], g) for g in range(3)] + [(nodes[1], 0), (nodes[2], 0)], 25, 1.2)
    service(f, c, f"{c.name}-embed", [(nodes[1], 1), (nodes[1], 2)], 20, 0.5)
    service(f, c, f"{c.name}-chat", [(nodes[2], 1), (nodes[2], 2)], 30, 0.5)


def block_schedule(f):
    c = f.cluster("schedule", "waste", "g5.2xlarge", f.r.randint(3, 4), elastic=False)
    f.r.shuffle(f.people)
    for i in range(c.count):
        node = f"{c.name}-{i + 1:02d}"
        dev(f, c, node, f.people[i % len(f.people)])
    c.truth = dict(on=[8, 20])


def dev(f, c, node, user):
    """a machine of somebody's own: held all day and night, used from nine to six on weekdays"""
    t = f.cat.types[c.itype]
    c.extra.append([f"dev-{node}", user, c.team, c.name, "development", "research", "notebook",
        t["model"], 1, 0, "whole",
                    iso(f.begin), iso(f.begin), iso(END), "RUNNING", "", node, "", c.name,
                    t["vcpu"], f"{t['ram']:g}"])
    for d in range(int((END - f.begin) // DAY)):
        at = f.begin + d * DAY
        if datetime.fromtimestamp(at, timezone.utc).weekday() > 4:
            continue
        h = 9 + f.r.uniform(0, 0.5)
        c.dev = getattr(c, "dev",
            []) + [(node, at + h * HOUR, at + (17.5 + f.r.uniform(0, 0.5)) * HOUR)]


def block_gpu(f):
    c = f.cluster("gpu", "waste", "p3.2xlarge", 8)
    h = f.r.uniform(5, 8)
    f.habit(c, "distil", f.r.uniform(9, 14), h, h * 4, 1, mem=6.5, cores=2, ram=10,
        busy=f.r.uniform(0.5, 0.9), util=85,
            compute=f.r.uniform(0.5, 0.8))


def block_spot(f, klass="spot", kind="waste", ckpt=True, hazard=0.01):
    c = f.cluster(klass, kind, "g6e.xlarge", 8)
    h = f.r.uniform(7, 10) if ckpt else f.r.uniform(26, 34)
    f.habit(c, "sweep" if ckpt else "solver", f.r.uniform(9, 12) if ckpt else 4, h, h * 2.2, 1,
        mem=41, cores=2.5, ram=20,
            busy=0.97, util=95, compute=0.9, ckpt=ckpt)
    c.truth = dict(hazard=hazard, spot_frac=f.r.uniform(0.34, 0.46))
    if ckpt:
        f.rules.append((f"team: {c.team}", "checkpointable: true"))
    price = f.cat.types["g6e.xlarge"]["price"]
    for k in range(int((END - f.begin) // WEEK) + 1):  # the market of the history, by week
        at = f.begin + k * WEEK
        f.prices.append(["aws", "us-east-1", "us-east-1a", "g6e.xlarge", "L40S", 1, "spot", "", "",
                         f"{price * c.truth['spot_frac'] * f.r.uniform(0.94, 1.06):.4f}", iso(at),
                         iso(at + WEEK)])


def block_spot_lost(f):
    """long runs without checkpoints: every interruption is the whole run again"""
    block_spot(f, "spot_lost", "trap", ckpt=False, hazard=0.05)


def block_storage(f):
    c = f.cluster("storage", "waste", "g4dn.12xlarge", 1, elastic=False)
    c.truth = dict(volume=f"vol-0{f.seed & 0xFFFFFF:06x}c0ffee0001")
    f.storage.append(dict(id=c.truth["volume"], name=f"{c.name}-scratch",
        usd_month=f.r.uniform(900, 1500), cluster=c.name))


def block_commit(f):
    """steady for eight weeks, and a price for a year"""
    c = busy_machines(f, "commit", "waste", 3)
    plan_price(f, c)


def plan_price(f, c):
    t = f.cat.types[c.itype]
    c.truth = dict(rate=0.63)
    f.prices.append(["aws", "us-east-1", "", c.itype, t["model"], t["gpus"], "savings_plan", "1y",
        0,
                     f"{t['price'] * 0.63:.6f}", iso(f.begin), ""])


def block_commit_short(f):
    """two weeks of history; the project ends with the month"""
    c = busy_machines(f, "commit_short", "trap", 4)
    c.next_count = 1
    plan_price(f, c)


def block_unheld_short(f):
    """used every ten days; free for eight when the list was taken"""
    c = f.cluster("unheld_short", "trap", "g5.12xlarge", 1, elastic=False, scarce=True)
    f.habit(c, "release", 0.7, 10, 20, 4, mem=21, cores=30, ram=120, busy=0.97, util=95,
        spread=0.05)
    for i, x in enumerate(x for x in c.runs if not x["hidden"]):
        x["submit"] = END - int(8.4 * DAY) - i * 10 * DAY
    c.runs = [x for x in c.runs if x["submit"] > f.begin]


def block_trim_rare(f):
    """one run in nine takes nearly what is booked, and nobody knows beforehand which"""
    c = f.cluster("trim_rare", "trap", "g6e.12xlarge", 6)
    h = f.r.uniform(2.5, 4)

    def rare(x, k):
        if k % 9 == 4:
            x["work"] = x["limit"] * f.r.uniform(0.9, 0.95)

    f.habit(c, "nightly-check", f.r.uniform(7, 10), h, h * 3.2, 4, hold=True, util=94, busy=0.95,
        mem=40, cores=20,
            ram=160, rare=rare)


def block_trim_few(f):
    """three runs are no habit; the next are longer"""
    c = f.cluster("trim_few", "trap", "g6e.12xlarge", 4)

    def longer(x, k):
        if x["hidden"]:
            x["work"] = x["limit"] * 0.85

    f.habit(c, "audit-run", 2, 4, 14, 4, hold=True, util=94, busy=0.95, mem=40, cores=20, ram=160,
        times=3, rare=longer)


def more(x, need=4, mem=36.0):
    x["need"] = x["active"] = need
    x["mem"] = [mem] * need


def block_count_mixed(f):
    """one name, one user: a third of the runs use all four"""
    c = f.cluster("count_mixed", "trap", "g6e.12xlarge", 6)
    f.habit(c, "train", f.r.uniform(6, 8), 6, 10, 4, need=1, cores=2.0, mem=36, ram=12, util=94,
            rare=lambda x, k: more(x) if k % 3 == 1 else None)


def block_count_default(f):
    """one run in eight uses all four: a default with a requeue saves, a rule for all cuts"""
    c = f.cluster("count_default", "waste", "g6e.12xlarge", 6)
    f.habit(c, "train", f.r.uniform(7, 9), 6, 10, 4, need=1, cores=2.0, mem=36, ram=12, util=94,
            rare=lambda x, k: more(x) if k % 8 == 5 else None)


def block_count_late(f):
    """three of four GPUs work in the last 24 minutes only"""
    c = f.cluster("count_late", "trap", "g6e.12xlarge", 4)
    f.habit(c, "merge", 3, 30, 48, 4, need=4, late_min=24, cores=2.0, mem=36, ram=12, util=94)


def block_count_mem0(f):
    """the model lies on four GPUs; three only keep it"""
    c = f.cluster("count_mem0", "trap", "g6e.12xlarge", 6)
    f.habit(c, "shard", f.r.uniform(5, 7), 7, 12, 4, need=4, mem_only=True, cores=2.0, mem=36,
        ram=12, util=94)


def block_count_cpu(f):
    """one GPU, but forty cores feed it"""
    c = f.cluster("count_cpu", "trap", "g6e.12xlarge", 6)
    f.habit(c, "decode", f.r.uniform(5, 7), 7, 11, 4, need=1, cores=40, mem=36, ram=90, input=True,
        busy=0.5, util=90)


def block_count_ram(f):
    """one GPU, but the data lie in more memory than the small machine has"""
    c = f.cluster("count_ram", "trap", "g6e.12xlarge", 6)
    f.habit(c, "graph", f.r.uniform(5, 7), 7, 11, 4, need=1, cores=2.5, mem=36, ram=85, busy=0.95,
        util=94)


def block_count_shape(f):
    """nobody sells one GPU out of a p4d.24xlarge"""
    c = f.cluster("count_shape", "trap", "p4d.24xlarge", 3)
    f.habit(c, "probe", 3, 3, 5, 8, need=1, cores=8, mem=39.5, ram=90, util=94, compute=0.3)


def block_gpu_limit(f):
    """the limit is close: on a slower GPU it kills"""
    c = f.cluster("gpu_limit", "trap", "g5.xlarge", 8)
    h = f.r.uniform(6, 9)
    f.habit(c, "render", f.r.uniform(10, 14), h, h * 1.2, 1, mem=8, cores=2, ram=8, busy=0.97,
        util=95, compute=0.15,
            spread=0.05)


def block_gpu_mean(f):
    """half of the booking idle: the mean of it says nothing of the speed that is needed"""
    c = f.cluster("gpu_mean", "trap", "p3.2xlarge", 6)

    def rare(x, k):
        x["work"] = x["limit"] * f.r.uniform(0.56, 0.6)

    f.habit(c, "report", f.r.uniform(7, 10), 6, 10, 1, mem=9, cores=2, ram=10, busy=0.97, util=95,
        compute=0.6, hold=True,
            rare=rare)


def block_gpu_quarter(f):
    """95 % on one of four GPUs is 24 % of the booking, and no room for a slower card"""
    c = f.cluster("gpu_quarter", "trap", "p3.8xlarge", 6)
    f.habit(c, "tune", f.r.uniform(5, 7), 6, 7.2, 4, need=1, mem=9, cores=2, ram=10, busy=0.97,
        util=95, compute=0.5,
            spread=0.05)


def block_trim_gpu(f):
    """a shorter limit and a slower card are each fine, and both at once kill"""
    c = f.cluster("trim_gpu", "waste", "p3.2xlarge", 8)
    h = f.r.uniform(4, 5)
    f.habit(c, "score", f.r.uniform(8, 11), h, h * 4.5, 1, mem=7, cores=2, ram=10, busy=0.95,
        util=92, compute=0.5,
            hold=True)


def block_gpu_mem_once(f):
    """the memory is needed in one run of ten"""
    c = f.cluster("gpu_mem_once", "trap", "g6e.xlarge", 8)

    def rare(x, k):
        if k % 10 == 6:
            x["peak"], x["mem"] = 36.0, [36.0]

    f.habit(c, "embed-corpus", f.r.uniform(8, 12), 7, 35, 1, mem=9, cores=2, ram=8, busy=0.35,
        util=70, compute=0.2,
            rare=rare)


def block_gpu_prealloc(f):
    """88 % from the start: the need is not to be read, and it is most of it"""
    c = f.cluster("gpu_prealloc", "trap", "g6e.xlarge", 8)
    f.habit(c, "jax-fit", f.r.uniform(8, 12), 6, 30, 1, mem=35, cores=2, ram=8, busy=0.35, util=60,
        compute=0.2,
            prealloc=0.88)


def block_gpu_amd(f):
    """little memory, and the cheapest card is not made for CUDA"""
    c = f.cluster("gpu_amd", "trap", "g4dn.xlarge", 10)
    f.habit(c, "classify", f.r.uniform(20, 30), 8, 24, 1, mem=3, cores=2, ram=6, busy=0.9, util=80,
        compute=0.5)


def block_gang(f):
    """two machines, one job; the second is quiet until the end"""
    c = f.cluster("gang", "trap", "g6e.12xlarge", 6)

    def rare(x, k):
        x["quiet"] = True

    f.habit(c, "pretrain-2n", 3, 9, 14, 4, need=4, nodes=2, mem=41, cores=30, ram=200, busy=0.97,
        util=95, compute=0.9,
            rare=rare)


def block_gpu_nvlink(f):
    """four GPUs that talk over NVLink; the cheaper ones do not have it, and the limit is near"""
    c = f.cluster("gpu_nvlink", "trap", "p3.8xlarge", 5)
    f.habit(c, "tensor-par", f.r.uniform(4, 6), 6, 10.2, 4, mem=11, cores=16, ram=90, busy=0.97,
        util=93, compute=0.8,
            spread=0.05)
    for x in c.runs:
        x["comm"] = 0.35


def block_unwatched(f):
    """no job list and no readings: nobody knows that it is used, and it is"""
    c = f.cluster("unwatched", "trap", "g5.12xlarge", 1, elastic=False)
    f.habit(c, "by-hand", 3, 8, 20, 4, mem=21, cores=30, ram=120)
    c.runs = [x for x in c.runs if x["hidden"]]


def block_undo(f):
    """idle half of the time, of a kind that is not had again when it is wanted"""
    c = f.cluster("undo", "trap", "g6.12xlarge", 1, elastic=False, scarce=True)
    f.habit(c, "align", 7, 11, 12.5, 4, mem=22.5, cores=36, ram=150, busy=0.98, util=96,
        compute=0.9, spread=0.05, even=True)


def block_reserved(f):
    """paid until the term ends: to stop it saves no cash"""
    f.cluster("reserved", "trap", "g5.12xlarge", 1, elastic=False, purchase="reserved_1y")


def block_short(f):
    """two days of history: one run each is no habit"""
    c = f.cluster("short", "trap", "g6e.12xlarge", 4)

    def alone(x, k):
        if x["hidden"] and k % 2:
            more(x)
            x["work"] = x["limit"] * 0.9

    f.habit(c, "pilot", 5, 5, 14, 4, need=1, cores=2, mem=36, ram=12, hold=True, times=1,
        rare=alone)
    d = f.cluster("short", "trap", "p3.2xlarge", 4)
    f.habit(d, "pilot-b", 5, 5, 7, 1, cores=2, mem=8, ram=12, times=1, busy=0.6, util=60)


READY = ["unheld", "trim", "count", "serving", "schedule"]
TRIED = ["gpu", "spot", "storage", "count_default", "commit", "trim_gpu"]
TRAPS = ["unheld_short", "trim_rare", "trim_few", "count_mixed", "count_late", "count_mem0",
    "count_cpu", "count_ram", "count_shape",
         "gpu_limit", "gpu_mean", "gpu_mem_once", "gpu_prealloc", "gpu_amd", "gang",
         "serving_coarse", "serving_last",
         "undo", "reserved", "spot_lost", "gpu_nvlink", "gpu_quarter", "unwatched"]
BLOCKS = {k[6:]: v for k, v in list(globals().items()) if k.startswith("block_")}
