"""The model cluster: machines, pools, a scheduler, limits, memory walls. Standard library only.

Times are seconds since the epoch, money is float dollars: the auditor weighs outcomes, it keeps no
books.
"""

import csv
import hashlib
import math
import os

HOUR, DAY, WEEK = 3600, 86400, 7 * 86400
MONTH = 730 * HOUR
BOOT_S = 300  # of a machine, paid
RELEASE_S = 900  # a free machine of an elastic pool is given back after this
FLOOR_PCT = 5  # a GPU that a run drove above this is needed


def chance(*key):
    """a number in [0, 1) that only depends on the key: the same for every plan that is tried"""
    h = hashlib.blake2b("/".join(map(str, key)).encode(), digest_size=7).digest()
    return int.from_bytes(h, "big") / 2**56


class Catalogue:
    """what the provider sells in us-east-1, on demand, as the project's own tables say"""

    def __init__(self, data):
        def rows(name):
            with open(os.path.join(data, name), newline="") as f:
                return list(csv.DictReader(f))

        gpus = {g["model"]: g for g in rows("gpus.csv")}
        price, spot, since = {}, {}, {}
        for p in rows("prices_aws.csv"):
            if p["region"] != "us-east-1" or p["gpu_model"]:
                continue
            if p["purchase"] == "on_demand" and p["from"] > since.get(p["instance_type"], ""):
                price[p["instance_type"]] = float(p["price_hour"])
                since[p["instance_type"]] = p["from"]
            if p["purchase"] == "spot" and p["term"] == "advised":
                spot[p["instance_type"]] = float(p["price_hour"])
        self.types = {}
        for t in rows("instance_types.csv"):
            g = gpus.get(t["gpu_model"])
            n = int(t["gpu_count"]) if t["gpu_count"].isdigit() else 0
            name = t["instance_type"]
            if t["provider"] != "aws" or not g or not n or name not in price:
                continue
            self.types[name] = dict(
                name=name,
                model=t["gpu_model"],
                vendor=g["vendor"],
                gpus=n,
                mem=float(g["memory_gib"]),
                tflops=float(g["fp16_tflops"] or g["fp32_tflops"] or 10),
                bandwidth=float(g["bandwidth_gb_s"]),
                tdp=float(g["tdp_w"] or 250),
                vcpu=int(t["vcpu"]),
                ram=float(t["ram_gib"]),
                price=price[name],
                spot=spot.get(name),
            )


def gpu_factor(a, b, compute):
    """time of the GPU's work on type b, in units of that on type a: a roofline of two parts"""
    return compute * a["tflops"] / b["tflops"] + (1 - compute) * a["bandwidth"] / b["bandwidth"]


def nvlink(t):
    return "SXM" in t["model"] or t["model"].startswith("B")


def time_on(run, home, t, gpus):
    """seconds that this run's work takes on `gpus` GPUs of each machine of type t, in truth"""
    if t["name"] == home["name"] and gpus == run["gpus"]:
        return run["work"]
    f = 1.0
    if t["model"] != home["model"]:
        f = gpu_factor(home, t, run["compute"]) * math.exp(
            0.06 * (2 * chance(run["habit"], t["model"]) - 1)
        )
    if gpus > 1 and nvlink(home) and not nvlink(t):
        f *= 1 + 2 * run.get("comm", 0.1)  # what the GPUs tell each other goes over PCIe
    # the waiting is for the CPUs: their share of the machine, by GPUs, or what is booked there
    cores = t["vcpu"] * min(1.0, gpus / t["gpus"])
    c = max(1.0, run["cores"] / cores)
    return run["work"] * (run["busy"] * max(f, 0) * (c if run["input"]
        else 1) + (1 - run["busy"]) * c)


def verdict(run, t, gpus):
    """None if the run can live on this type with so many GPUs of each machine, else why not"""
    if t["vendor"] != "nvidia":
        return "architecture"
    if gpus > t["gpus"]:
        return "shape"
    mem = sorted((m for m in run["mem"]), reverse=True)
    if gpus < run["need"]:
        return "oom" if run["mem_only"] else "gpus"
    if mem[0] > t["mem"]:
        return "oom"
    if run["ram"] > t["ram"] * min(1.0, gpus / t["gpus"]) * 1.0001:
        return "ram"
    return None


class Pool:
    """machines of one type in one cluster: always there, or booted when a job asks"""

    def __init__(self, cluster, t, count, elastic, scarce=False, spot=False, names=None):
        self.cluster, self.type, self.count, self.elastic = cluster, t, count, elastic
        self.scarce, self.spot, self.release = scarce, spot, RELEASE_S
        self.nodes = []
        if not elastic:
            for i in range(count):
                self.nodes.append(
                    dict(name=(names or {}).get(i, f"n{i}"), free=[0.0] * t["gpus"], since=None)
                )

    def delay(self, t):
        """from the wish for a machine to the machine, in truth"""
        k = chance("capacity", self.cluster, self.type["model"], int(t) // 600)
        if self.scarce and k < 0.4:
            return BOOT_S + 2 * HOUR + 10 * HOUR * k / 0.4
        return BOOT_S + 60 * k

    def place(self, t, gpus, nodes, dur, key):
        """first fit in the order of submission; returns (start, [(node, [gpu])]) or None: never"""
        if gpus > self.type["gpus"] or (not self.elastic and nodes > len(self.nodes)):
            return None
        if self.elastic and nodes > self.count:
            return None
        chosen = []
        ready = []
        for n in self.nodes:
            if self.elastic and n["to"] < t:
                continue
            at = sorted(n["free"])[gpus - 1]
            ready.append((max(at, t), n))
        ready.sort(key=lambda x: (x[0], x[1]["name"]))
        if self.elastic:
            now = [x for x in ready if x[0] <= max(t, x[1]["since"]) + 1][:nodes]
            alive = sum(1 for n in self.nodes if n["to"] >= t)
            while len(now) < nodes and alive < self.count:
                d = self.delay(t)
                n = dict(
                    name=f"{key}-{len(self.nodes)}",
                    free=[t + d] * self.type["gpus"],
                    since=t + d - BOOT_S,
                    to=t + d + self.release,
                    asked=t,
                )
                self.nodes.append(n)
                now.append((t + d, n))
                alive += 1
            if len(now) < nodes:
                now = ready[:nodes]
            chosen = now
        else:
            chosen = ready[:nodes]
        start = max(x[0] for x in chosen)
        where = []
        for _, n in chosen:
            order = sorted(range(len(n["free"])), key=lambda i: (n["free"][i], i))[:gpus]
            for i in order:
                n["free"][i] = start + dur
            if self.elastic:
                n["to"] = max(n["to"], start + dur + self.release)
            where.append((n, sorted(order)))
        return start, where

    def paid(self, t0, t1):
        """[(node name, from, to)] within the window"""
        out = []
        for n in self.nodes:
            a, b = (n["since"], n["to"]) if self.elastic else (t0, t1)
            a, b = max(a, t0), min(b, t1)
            if b > a:
                out.append((n["name"], a, b))
        return out

    def cost(self, t0, t1):
        p = self.type["price"]
        return sum((b - a) / HOUR * p for _, a, b in self.paid(t0, t1))
