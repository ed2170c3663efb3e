"""A small fleet as files that tare imports: machines, who holds them, what they read, requests, curves.

Blocks of ../fleet.py are about runs of a scheduler; these fleets are about what is held, waited for,
shared and trained, so that they say each of it themselves.
"""

import csv
import math
import os
import random

import fleet
import model
from fleet import DAY, END, GIB, HOUR, MONTH, WEEK, iso  # noqa: F401

NODE = ("node provider region zone instance_type gpu_model gpu_count purchase from to cluster usd_hour "
        "resource_id cpus ram_gib").split()
JOB = ("job_id user team project env workload name gpu_model gpus gpu_ids share_kind submit start end state "
       "limit_s node checkpointable cluster cpus ram_gib").split()
SAMPLE = ("time node gpu gpu_util_pct sm_active_frac tensor_active_frac dram_active_frac mem_used_bytes "
          "mem_total_bytes power_w cpu_util_pct step_s cluster").split()
REQUEST = "time service count latency_histogram status".split()
CURVE = "run job metric step value time config better".split()
EMPTY = 3145728  # bytes that a card shows with nothing on it


class Place:
    """one fleet: `days` of history until END, readings every `step` seconds"""

    def __init__(self, name, seed, cat, days=28, step=300):
        self.name, self.cat, self.days, self.step = name, cat, days, step
        self.r = random.Random(f"savings-{name}-{seed}")
        self.seed = seed
        self.begin = END - days * DAY
        self.hours = days * 24
        self.nodes, self.jobs, self.samples, self.requests, self.curves = {}, [], [], [], []
        self.rules, self.covers, self.files = [], [], []
        self.people = self.r.sample(fleet.PEOPLE, len(fleet.PEOPLE))
        self.ids = {}

    # --- what there is
    def machine(self, name, itype, cluster, a=None, b=None, provider="aws", model_=None, usd=None,
                gpus=1, mem=None, vcpu=8, ram=64.0):
        """a machine that is paid from a to b; other providers' are told in full"""
        t = self.cat.types.get(itype) or dict(name=itype, model=model_, gpus=gpus, mem=mem, price=usd,
            vcpu=vcpu, ram=ram, tdp=300.0)
        rid = f"i-{len(self.nodes) + 1:04x}{self.seed & 0xFFFF:04x}{len(name):02x}"
        self.nodes[name] = dict(node=name, t=t, price=t["price"], cluster=cluster, provider=provider,
            a=a or self.begin, b=b or END, id=rid)
        self.ids[rid] = name
        if cluster not in self.covers:
            self.covers.append(cluster)
        return self.nodes[name]

    def hold(self, jid, node, gpus, start, end, user, team, name, workload="training", submit=None,
             state="COMPLETED", limit_h=None, cores=2, ram=8, gpu_model=None):
        n = self.nodes[node]
        self.jobs.append(dict(job_id=jid, user=user, team=team, project=f"{team}-main", env="research",
            workload=workload, name=name, gpu_model=gpu_model or n["t"]["model"], gpus=len(gpus),
            gpu_ids=";".join(map(str, gpus)), share_kind="whole", submit=submit or start, start=start,
            end=end, state=state, limit_s=int(limit_h * HOUR) if limit_h else "", node=node,
            checkpointable="", cluster=n["cluster"], cpus=cores, ram_gib=ram))
        return self.jobs[-1]

    def read(self, node, gpu, fn, a=None, b=None):
        """fn(t) -> dict of util, mem (GiB), cpu and, where known, sm, tensor, dram; None: nobody read it"""
        n = self.nodes[node]
        t, total = n["t"], int(n["t"]["mem"] * GIB)
        at, step = int(a or n["a"]), self.step
        while at < (b or n["b"]):
            x = fn(at)
            if x is not None:
                util = max(0, min(100, round(x["util"])))
                mem = x.get("mem")
                used = "" if mem is None else min(int(mem * GIB) if mem else EMPTY, total - 1)
                frac = [f"{x[k]:.3f}" if k in x else "" for k in ("sm", "tensor", "dram")]
                cpu = "" if x.get("cpu") is None else round(min(100, max(0, x["cpu"])), 1)
                self.samples.append([iso(at), node, gpu, util, *frac, used, total if used != "" else "",
                    round(t["tdp"] * (0.15 + 0.007 * util)), cpu, step, n["cluster"]])
            at += step

    def filler(self):
        """a card that works, so that there is something which nothing is to be found on"""
        r, user = self.r, self.people.pop()
        self.machine("steady-01", "g6e.xlarge", "steady")
        at, k = self.begin, 0
        while at + 12 * HOUR <= END:
            self.hold(f"steady-{k}", "steady-01", [0], at, at + 12 * HOUR, user, "steady", "pretrain",
                limit_h=13, cores=3, ram=26)
            at, k = at + 12 * HOUR, k + 1
        self.read("steady-01", 0, lambda t: dict(util=r.uniform(91, 99), mem=40, cpu=70))

    # --- files
    def write(self, folder):
        self.files = []
        self.table(folder, "nodes.csv", NODE, [[n["node"], n["provider"], "us-east-1", "us-east-1a",
            n["t"]["name"], n["t"]["model"], n["t"]["gpus"], "on_demand", iso(n["a"]), iso(n["b"]),
            n["cluster"], f"{n['price']:.6f}", n["id"], n["t"]["vcpu"], f"{n['t']['ram']:g}"]
            for n in self.nodes.values()])
        rows = sorted(self.jobs, key=lambda j: (j["submit"], j["job_id"]))
        self.table(folder, "jobs.csv", JOB, [[iso(j[k]) if k in ("submit", "start", "end") else j[k]
            for k in JOB] for j in rows])
        self.table(folder, "samples.csv", SAMPLE, self.samples)
        self.table(folder, "requests.csv", REQUEST, self.requests)
        self.table(folder, "curves.csv", CURVE, self.curves)
        with open(os.path.join(folder, "config.yaml"), "w") as f:
            f.write("version: 1\ncurrency: USD\nmonth_hours: 730\n")
            if self.rules:
                f.write("plan:\n  rules:\n")
                for when, what in self.rules:
                    f.write(f"    - when: {{{when}}}\n      {what}\n")

    def table(self, folder, name, keys, rows):
        if rows:
            with open(os.path.join(folder, name), "w", newline="") as f:
                w = csv.writer(f)
                w.writerow(keys)
                w.writerows(rows)
            self.files.append(name)


def weekday(t):
    return (int(t) // DAY + 3) % 7


def percentile(values, frac):
    s = sorted(values)
    return s[min(len(s) - 1, max(0, math.ceil(frac * len(s)) - 1))]


def month(usd, hours):
    """dollars of so many hours of history, a month of 730 h"""
    return usd * 730 / hours


Catalogue = model.Catalogue
