"""Random fleets: files that `tare import` reads, and the calls that bring them in. One seed, one fleet."""
import os
import random

from bookkeeper import HOUR, iso, time_ms

MIN = 60000
MODELS = ["A100-SXM4-80GB", "H100-SXM5-80GB", "L4", "T4", "A10"]
MIG_PROFILES = {
    "A100-SXM4-80GB": [
        ("1g.10gb", 1),
        ("2g.20gb", 2),
        ("3g.40gb", 4),
        ("4g.40gb", 4),
        ("1g.20gb", 2),
    ],
    "H100-SXM5-80GB": [("1g.10gb", 1), ("2g.20gb", 2), ("3g.40gb", 4), ("4g.40gb", 4)],
}
STARTS = {
    "1g.10gb": [0, 1, 2, 3, 4, 5, 6],
    "1g.20gb": [0, 2, 4, 6],
    "2g.20gb": [0, 2, 4],
    "3g.40gb": [0, 4],
    "4g.40gb": [0],
}
DAYS = [
    "2026-03-01",
    "2026-03-31",
    "2026-03-29",
    "2026-10-25",
    "2025-12-31",
    "2024-02-29",
    "2026-06-15",
]


class Fleet:
    def __init__(self, seed, without=()):
        self.r = r = random.Random(seed)
        self.seed = seed
        self.features = {
            f
            for f, p in dict(
                gaps=0.6,
                holes=0.3,
                prices=0.3,
                mig=0.25,
                mps=0.2,
                timeslice=0.25,
                fraction=0.2,
                oversub=0.15,
                pools=0.2,
                gangs=0.2,
                offsets=0.3,
                lost=0.4,
                jobsamples=0.25,
                late=0.3,
                partial=0.15,
                nodesonly=0.06,
                unrecorded=0.15,
                covers=0.15,
                several=0.5,
                unpriced=0.2,
                mem_unknown=0.2,
                sm=0.2,
                power=0.1,
                retold=0.25,
                memslices=0.3,
                bounds=0.2,
                rules=0.3,
                ms=0.3,
                uuids=0.4,
                submit=0.4,
                nosamples=0.2,
                sparse=0.2,
                ownprice=0.3,
            ).items()
            if r.random() < p
        }
        self.features -= set(without)
        self.files, self.calls, self.config = {}, [], None
        self.zero = (
            time_ms(r.choice(DAYS))
            + r.choice([0, 0, 18, 20, 21, 22]) * HOUR
            + r.choice([0, 0, 7 * MIN, 1800000])
        )
        self.hours = r.choice([2, 3, 4, 6])
        self.end = self.zero + self.hours * HOUR
        self.make()

    def has(self, f):
        return f in self.features

    def time(self, ms):
        """RFC 3339, in one of many offsets"""
        import datetime

        z = self.r.choice([0, 0, 60, 120, -300, 330, -480]) if self.has("offsets") else 0
        t = datetime.datetime.fromtimestamp(ms // 1000, datetime.timezone.utc) + datetime.timedelta(
            minutes=z
        )
        text = t.strftime("%Y-%m-%dT%H:%M:%S") + (f".{ms % 1000:03d}" if ms % 1000 else "")
        if not z:
            return text + self.r.choice(["Z", "Z", "Z", "+00:00"])
        return text + f"{'+' if z > 0 else '-'}{abs(z) // 60:02d}:{abs(z) % 60:02d}"

    def moment(self, lo, hi):
        r = self.r
        step = 1 if self.has("ms") and r.random() < 0.3 else 1000 if r.random() < 0.3 else MIN
        if hi - lo < 2 * step:
            return lo
        return lo + r.randrange((hi - lo) // step) * step

    def make(self):
        r = self.r
        self.nodes, node_rows = [], []
        clusters = ["c1"] if r.random() < 0.6 else ["c1", "c2"]
        for i in range(r.choice([1, 1, 2, 3])):
            name, model = f"n{i}", r.choice(MODELS[:2] if self.has("mig") else MODELS)
            count = r.choice([1, 2, 2, 4])
            ids = (
                [f"GPU-{self.seed}-{i}-{k}" for k in range(count)]
                if self.has("uuids") and r.random() < 0.7
                else []
            )
            node = dict(
                name=name, model=model, count=count, ids=ids, cluster=r.choice(clusters), pool=False
            )
            if self.has("unrecorded") and r.random() < 0.4:
                self.nodes.append(dict(node, ids=[], recorded=False, spans=[(self.zero, self.end)]))
                continue
            cuts = {self.zero + r.choice([0, 0, 13 * MIN]), self.end - r.choice([0, 0, 17 * MIN])}
            if self.has("prices"):
                cuts |= {
                    self.moment(self.zero + HOUR // 2, self.end - HOUR // 2)
                    for _ in range(r.choice([1, 2]))
                }
            cuts = sorted(cuts)
            spans = [s for s in zip(cuts, cuts[1:]) if s[0] < s[1]]
            if self.has("holes") and len(spans) > 1 and r.random() < 0.6:
                spans.pop(r.randrange(len(spans)))
            elif self.has("holes"):
                a, b = spans[-1]
                mid, gap = self.moment(a, b), r.choice([5, 20, 70]) * MIN
                spans[-1:] = [s for s in ((a, mid), (mid + gap, b)) if s[0] < s[1]]
            purchase = r.choice(["on_demand", "spot", "reserved_1y", "owned"])
            for a, b in spans:
                price = (
                    ""
                    if self.has("unpriced") and r.random() < 0.5
                    else r.choice(
                        [
                            "3.6",
                            "4.1",
                            "32.7726",
                            "0.7",
                            "98.32",
                            "2.123456789012",
                            "7",
                            "0.000000001",
                        ]
                    )
                )
                if purchase == "owned" and price == "":
                    price = "1.9"
                node_rows.append(
                    [
                        name,
                        "lab",
                        "r1",
                        model,
                        count,
                        ";".join(ids),
                        purchase if r.random() < 0.8 else "spot",
                        self.time(a),
                        self.time(b),
                        node["cluster"],
                        price,
                    ]
                )
            self.nodes.append(dict(node, recorded=True, spans=spans))
        if node_rows:
            self.files["nodes.csv"] = [
                [
                    "node",
                    "provider",
                    "region",
                    "gpu_model",
                    "gpu_count",
                    "gpu_ids",
                    "purchase",
                    "from",
                    "to",
                    "cluster",
                    "usd_hour",
                ]
            ] + node_rows
        jobs = [] if self.has("nodesonly") else self.jobs()
        samples = [] if self.has("nodesonly") or self.has("nosamples") else self.samples()
        self.pack(jobs, samples)

    def jobs(self):
        r, rows = self.r, []
        users = [("ada", "vision"), ("bob", "nlp"), ("cyd", "vision"), ("", "ops")]
        if self.has("partial"):
            users = [("ada", "vision")]
        self.held, job = [], 0
        for node in self.nodes:
            node["pool"] = self.has("pools") and r.random() < 0.5
            if node["pool"]:
                for _ in range(r.choice([1, 2, 4])):
                    job += 1
                    a = self.moment(self.zero - r.choice([0, 20 * MIN]), self.end - 10 * MIN)
                    b = min(self.end + r.choice([0, 0, 15 * MIN]), a + r.randrange(5, 200) * MIN)
                    rows.append(
                        self.row(
                            job,
                            r.choice(users),
                            node,
                            None,
                            a,
                            b,
                            gpus=r.choice([1, 1, 2, node["count"]]),
                        )
                    )
                continue
            for k in range(node["count"]):
                job = self.card_jobs(node, k, rows, users, job)
        if self.has("gangs") and len(self.nodes) > 1:
            # one job on cards of several nodes, told row by row
            for row in r.sample(rows, min(2, len(rows))):
                other = r.choice(self.nodes)
                if (
                    row["share_kind"] == ""
                    and other["name"] != row["node"]
                    and not other["pool"]
                    and row["gpu_ids"] != ""
                ):
                    rows.append(
                        dict(
                            row,
                            node=other["name"],
                            gpu_ids=0,
                            gpu_model=other["model"],
                            cluster=other["cluster"],
                        )
                    )
        return rows

    def card_jobs(self, node, k, rows, users, job):
        r = self.r
        kinds = ["whole"] + [f for f in ("mig", "mps", "timeslice", "fraction") if self.has(f)]
        kind = r.choice(kinds)
        if kind == "mig" and node["model"] not in MIG_PROFILES:
            kind = "whole"
        lo, hi = self.zero - r.choice([0, 0, 25 * MIN]), self.end + r.choice([0, 0, 12 * MIN])
        if kind == "mig":
            free, slices = set(range(8)), 7
            for _ in range(r.choice([1, 2, 3])):
                profile, mem = r.choice(MIG_PROFILES[node["model"]])
                g = int(profile[0])
                starts = [s for s in STARTS[profile] if set(range(s, s + mem)) <= free]
                if not starts or g > slices:
                    continue
                s = r.choice(starts)
                free -= set(range(s, s + mem))
                slices -= g
                t = lo
                for _ in range(r.choice([1, 2])):
                    a = self.moment(t, hi - 5 * MIN)
                    b = self.moment(a + 3 * MIN, hi)
                    if b <= a:
                        break
                    job += 1
                    rows.append(
                        self.row(
                            job,
                            r.choice(users),
                            node,
                            k,
                            a,
                            b,
                            kind="mig",
                            profile=profile,
                            start=s,
                        )
                    )
                    t = b
                    if t >= hi - 10 * MIN:
                        break
            return job
        if kind in ("mps", "timeslice", "fraction"):
            for _ in range(r.choice([1, 2, 3, 4])):
                a = self.moment(lo, hi - 5 * MIN)
                b = self.moment(a + 3 * MIN, hi)
                if b <= a:
                    continue
                job += 1
                share = (
                    r.choice(["", "0.25", "0.3", "0.5", "0.125", "0.333"])
                    if kind != "fraction"
                    else r.choice(["0.25", "0.5", "0.1"])
                )
                rows.append(self.row(job, r.choice(users), node, k, a, b, kind=kind, share=share))
            return job
        t = lo
        while r.random() < 0.8:
            a = self.moment(t, hi - 5 * MIN) if r.random() < 0.7 else t
            b = self.moment(a + 3 * MIN, hi)
            if b <= a:
                break
            job += 1
            rows.append(self.row(job, r.choice(users), node, k, a, b))
            t = b if not (self.has("oversub") and r.random() < 0.4) else a + (b - a) // 2
            if t >= hi - 6 * MIN:
                break
        return job

    def row(self, job, who, node, k, a, b, kind="", profile="", start="", share="", gpus=1):
        r = self.r
        state = (
            r.choice(["failed", "cancelled", "preempted", "completed"])
            if self.has("lost") and r.random() < 0.3
            else "completed"
        )
        gid = "" if k is None else (node["ids"][k] if node["ids"] and r.random() < 0.5 else str(k))
        submit = (
            self.time(a - r.choice([0, 5, 30]) * MIN)
            if self.has("submit") and r.random() < 0.5
            else ""
        )
        self.held.append((node["name"], k, a, b, f"j{job}"))
        return dict(
            job_id=f"j{job}",
            user=who[0],
            team=who[1],
            project=r.choice(["", "", "p1"]),
            gpu_model=node["model"],
            gpus=gpus,
            gpu_ids=gid,
            share_kind=kind,
            gpu_share=share,
            mig_profile=profile,
            mig_start=start,
            submit=submit,
            start=self.time(a),
            end=self.time(b),
            state=state,
            node=node["name"],
            cluster=node["cluster"] if r.random() < 0.9 else "",
            usd_gpu_hour=self.own_price(node),
        )

    def own_price(self, node):
        """of a job on a machine without a record: given at import, not the same for all"""
        if not self.has("ownprice") or node.get("recorded", True):
            return ""
        return self.r.choice(["", "1", "2.75", "1.234567890123"])

    def samples(self):
        r, rows = self.r, []
        for node in self.nodes:
            if node["pool"]:
                continue
            for k in range(node["count"]):
                if r.random() < 0.2:
                    continue
                step = r.choice([60, 120, 300, 57])
                t = self.zero - r.choice([0, 10 * MIN]) + r.choice([0, 0, 17000])
                end = self.end + r.choice([0, 0, 8 * MIN])
                mode, total = "work", 80 * 10**9
                while t < end:
                    if r.random() < 0.08:
                        mode = r.choice(["work", "low", "held", "empty", "empty"])
                    if self.has("gaps") and r.random() < 0.05:
                        t += r.choice([1, 7, 45]) * step * 1000
                        continue
                    util = {
                        "work": r.choice([25, 55, 99.5, 100]),
                        "low": r.choice([1, 24.99, 7]),
                        "held": 0,
                        "empty": 0,
                    }[mode]
                    mem = {
                        "work": 40 * 10**9,
                        "low": 10**9,
                        "held": r.choice([800000001, 2 * 10**9]),
                        "empty": r.choice([0, 524288000, 800000000]),
                    }[mode]
                    row = dict(
                        time=self.time(t),
                        node=node["name"],
                        gpu=node["ids"][k] if node["ids"] and r.random() < 0.5 else k,
                        job_id="",
                        gpu_util_pct=util,
                        mem_used_bytes=mem,
                        mem_total_bytes=total,
                        step_s=step,
                    )
                    if self.has("mem_unknown") and r.random() < 0.3:
                        row["mem_used_bytes"] = ""
                    if self.has("sm") and r.random() < 0.5:
                        row["sm_active_frac"] = (
                            r.choice([0, 0.01, 0.011, 0.5, 0.9])
                            if mode == "work"
                            else r.choice([0, 0, 0.3])
                        )
                        if r.random() < 0.1:
                            row["gpu_util_pct"] = ""
                            if row["sm_active_frac"] == "":
                                row["mem_used_bytes"] = ""
                    elif r.random() < 0.02:
                        row["gpu_util_pct"], row["mem_used_bytes"] = "", ""
                    if self.has("power"):
                        row["power_w"] = r.choice([40, 60, 88, 89, 150, 350])
                    if self.has("jobsamples"):
                        mine = [
                            h
                            for h in self.held
                            if h[0] == node["name"] and h[1] == k and h[2] <= t < h[3]
                        ]
                        if mine and row["gpu_util_pct"] != "" and r.random() < 0.5:
                            row["job_id"] = r.choice(mine)[4]
                    rows.append(row)
                    t += (
                        step * 1000 if not (self.has("sparse") and r.random() < 0.1) else step * 500
                    )
        return rows

    def pack(self, jobs, samples):
        """files and calls: everything at once, or one after another in any order"""
        r = self.r

        def table(rows, parts, stem):
            if not rows:
                return
            keys = []
            for row in rows:
                keys += [k for k in row if k not in keys]
            bins = [[] for _ in range(parts)]
            for row in rows:
                r.choice(bins).append(row)
            for i, b in enumerate(b for b in bins if b):
                self.files[f"{stem}{i}.csv"] = [keys] + [
                    [row.get(k, "") for k in keys] for row in b
                ]

        table(jobs, r.choice([1, 1, 2]) if self.has("several") else 1, "jobs")
        table(samples, r.choice([1, 2]) if self.has("several") else 1, "samples")
        names = list(self.files)
        r.shuffle(names)
        if self.has("several") and len(names) > 1 and r.random() < 0.6:
            cut = r.randrange(1, len(names))
            groups = [names[:cut], names[cut:]]
        else:
            groups = [names]
        self.calls = []
        self.configure()
        for g in groups:
            lists = [n for n in g if n.startswith("jobs")]
            if self.has("covers") and lists:
                # which lists are complete is said by the call that brings them
                span = r.choice(
                    [
                        (None, None),
                        (self.zero, self.end),
                        (self.zero + 40 * MIN, self.end - 20 * MIN),
                    ]
                )
                said = [r.choice(self.nodes)["cluster"]] + [
                    None if t is None else iso(t) for t in span
                ]
                self.calls.append(dict(files=lists, covers=said))
                g = [n for n in g if n not in lists]
            if g:
                self.calls.append(dict(files=g))
        if self.has("retold") and jobs:
            # some jobs are told again, later, with how they ended
            again = [
                dict(row, state=r.choice(["failed", "cancelled", "completed"]))
                for row in jobs
                if r.random() < 0.4
            ]
            if again:
                keys = list(again[0])
                self.files["jobs-again.csv"] = [keys] + [
                    [row.get(k, "") for k in keys] for row in again
                ]
                self.calls.append(dict(files=["jobs-again.csv"]))

    def configure(self):
        """config.yaml, and the same for the model"""
        self.model, text = {}, "version: 1\n"
        if self.has("memslices") and self.has("mig"):
            self.model["mig_share"] = "memory"
            text += "mig_share: memory\n"
        if self.has("bounds"):
            self.model.update(idle=5, under=40, empty_mib=800)
            text += "thresholds:\n  idle_util_pct: 5\n  underused_util_pct: 40\n  empty_mib: 800\n"
        if self.has("rules"):
            self.model["rules"] = [
                (dict(user="a*"), dict(project="alpha"), False),
                (dict(node="n0", team="vision"), dict(project="beta"), True),
                (dict(project="beta"), dict(team="late"), False),
                (dict(team="ops"), dict(team="opera"), True),
            ]
            text += "virtual_tags:\n"
            for when, put, override in self.model["rules"]:
                text += (
                    "  - when: {"
                    + ", ".join(f'{k}: "{v}"' for k, v in when.items())
                    + "}\n    set: {"
                )
                text += (
                    ", ".join(f"{k}: {v}" for k, v in put.items())
                    + "}\n"
                    + ("    override: true\n" if override else "")
                )
        if text != "version: 1\n":
            self.config = text

    def write(self, folder):
        if self.config:
            with open(os.path.join(folder, "config.yaml"), "w") as f:
                f.write(self.config)
        for name, rows in self.files.items():
            with open(os.path.join(folder, name), "w") as f:
                for row in rows:
                    f.write(",".join(str(x) for x in row) + "\n")
