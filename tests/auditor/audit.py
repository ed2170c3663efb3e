"""Carries out what a plan prints on the model cluster, and says what came of it.

Only lines are obeyed that a cluster, a cloud or the owner of a job script could obey. A comment that
is no setting does nothing. README.md lists the lines that are understood; what is not understood
saves nothing and is reported.
"""

import csv
import fnmatch
import heapq
import json
import math
import os
import re
from collections import defaultdict

import model
from model import DAY, HOUR, MONTH, WEEK, chance

TIERS = ["sure", "trial", "binds"]
SCOPE_KEYS = "user team project name workload cluster job instance_type gpu_model gpus habit".split(
    )
WHERE_WORDS = dict(job_name="name", model="gpu_model", job_id="job", itype="instance_type")


class Fleet:
    """raw files and truth of one generated fleet"""

    def __init__(self, folder, cat):
        with open(os.path.join(folder, "truth.json")) as f:
            self.truth = json.load(f)
        self.cat = cat
        self.begin, self.end = self.truth["begin"], self.truth["end"]
        self.days = (self.end - self.begin) / DAY
        self.step = self.truth["step"]
        self.clusters = {c["name"]: c for c in self.truth["clusters"]}
        self.node_of = {}
        with open(os.path.join(folder, "nodes.csv"), newline="") as f:
            for row in csv.DictReader(f):
                self.node_of[row["resource_id"]] = (row["cluster"], row["node"])
                self.node_of[row["node"]] = (row["cluster"], row["node"])
        self.rates = {}  # of commitments: family -> part of the on-demand price
        for p in self.truth["prices"]:
            if p[6] == "savings_plan":
                self.rates[family(p[3])] = float(p[9]) / cat.types[p[3]]["price"]
        self.hand = os.path.join(folder, "jobs.csv")

    def home(self, run):
        return self.cat.types[self.clusters[run["cluster"]]["itype"]]


def family(itype):
    return itype.split(".")[0]


def seconds(text):
    """of a Slurm time: MM, MM:SS, H:MM:SS, D-H, D-H:MM, D-H:MM:SS"""
    days, _, rest = text.rpartition("-")
    p = [int(x) for x in rest.split(":")]
    if days:
        p += [0] * (3 - len(p))
        return int(days) * DAY + p[0] * 3600 + p[1] * 60 + p[2]
    if len(p) == 1:
        return p[0] * 60
    if len(p) == 2:
        return p[0] * 60 + p[1]
    return p[0] * 3600 + p[1] * 60 + p[2]


# --- from what is printed to what is done
SCOPE_LINE = re.compile(r"^#\s*(?:for|only|submissions?|jobs?|where|runs?)\b", re.I)
PAIR = re.compile(
    r"\b(user|team|project|job_name|name|workload|cluster|job_id|job|instance_type|gpu_model|gpus)\s*[=:]\s*"
                  r"(\"[^\"]*\"|'[^']*'|[^\s,;]+)")
CREATE = re.compile(
    r"\b(run-instances|create-nodegroup|create nodegroup|create-auto-scaling-group|create-fleet|"
                    r"node-pools create|NodeName=)", re.I)
REMOVE = re.compile(r"\b(stop-instances|terminate-instances)\b")
ELASTIC = re.compile(
    r"State=CLOUD|min-size[= ]0\b|minSize[\"']?[=:]\s*0\b|nodes-min[= ]0\b|desired-capacity[= ]0\b|min-nodes[= ]0\b")
CRON = re.compile(
    r"cron\(\s*(\d+)\s+(\d+)\s+\S+\s+\S+\s+(\S+)(?:\s+\S+)?\s*\)|(?:^|--recurrence[= ][\"'])\s*(\d+)\s+(\d+)\s+\S+\s+\S+\s+([^\s\"']+)")
IDLE = re.compile(
    r"\s*(tare |trap |wait|cat |END$|spec:|aws (ec2|savingsplans) (describe|create-snapshot)|kubectl (uncordon|get|patch)|"
                  r"[a-zA-Z]+: |- |rules:|podFailurePolicy|template:|containers:)")
# settings with which a framework takes only the memory that it needs
REVEALS = re.compile(r"PREALLOCATE|ALLOW_GROWTH|allow_growth|gpu[-_]memory[-_]utili[sz]ation")
WEEKDAYS = "MON TUE WED THU FRI SAT SUN".split()


def number(pattern, line, default=None):
    m = re.search(pattern, line)
    return int(m.group(1)) if m else default


def weekdays(text):
    """of the fifth field of a cron line: Monday is 0"""
    out = set()
    for part in text.upper().split(","):
        if part in ("*", "?"):
            return set(range(7))
        ends = [WEEKDAYS.index(x) if x in WEEKDAYS else (int(x) - 1) % 7 for x in part.split("-")]
        out |= {d % 7 for d in range(ends[0], ends[-1] + 1 + (7 if ends[-1] < ends[0] else 0))}
    return out


class Item:
    def __init__(self, rec, fleet):
        self.rec, self.id, self.lever = rec, rec["id"], rec["lever"]
        self.tier = rec.get("tier") or self.guess_tier()
        self.ops, self.unread = [], []
        self.scope = self.read_scope(rec.get("subject") or {})
        self.text = "\n".join(rec["apply"])
        self.requeue = bool(re.search(r"requeue", self.text)) and self.lever != "spot"
        for a in rec.get("actions") or []:
            for key in ("match", "for", "scope", "where", "submissions"):
                if isinstance(a.get(key), dict):
                    self.scope.update(self.read_scope(a[key]))
        scope = dict(self.scope)
        for line in rec["apply"]:
            if SCOPE_LINE.match(line) and PAIR.search(line):
                scope = dict(self.scope, **self.read_scope(dict(PAIR.findall(line))))
                continue
            self.read(line, scope, fleet)

    def guess_tier(self):
        """of a plan that has no tiers yet"""
        if self.lever == "commit":
            return "binds"
        return "sure" if self.rec["risk"] == "low" else "trial"

    @staticmethod
    def read_scope(d):
        out = {}
        for k, v in d.items():
            k = WHERE_WORDS.get(k, k)
            if k in SCOPE_KEYS and v is not None:
                out[k] = [str(x).strip("\"'") for x in (v if isinstance(v, list) else [v])]
        return out

    def op(self, kind, scope, **kw):
        self.ops.append(dict(kind=kind, scope=scope, item=self.id, tier=self.tier, lever=self.lever,
            **kw))

    def read(self, line, scope, fleet):
        body, tail = (re.split(r"\s+#\s", line,
            maxsplit=1) + [""])[:2] if line.startswith("#SBATCH") else (line, "")
        was = re.search(r"\bwas (\S+)", tail)
        if was and was.group(1) in fleet.cat.types:
            scope = dict(scope, instance_type=[was.group(1)])
        if body.startswith("#SBATCH"):
            return self.read_sbatch(body, scope)
        if re.match(r"^#\s*(Kubernetes|alternatively|or)\b", line, re.I):
            return None  # another way to do the same
        if line.startswith("#") and not re.match(r"^#\s*\S*(slurm\.conf|gres\.conf|crontab)\b",
                line):
            if "jupyterhub" in line.lower() and (n := number(r"timeout=(\d+)", line)):
                return self.op("cull", scope, after=n)
            return None
        text = re.sub(r"^#\s*\S*(slurm\.conf|crontab)\S*\s*", "", line)
        cron = CRON.search(text)
        names = re.findall(r"\bi-[0-9a-f]+\b", text)
        if cron and re.search(r"stop|start|suspend|resume|replicas|desired-capacity", text):
            m, h, days = [x for x in cron.groups() if x is not None]
            what = "off" if re.search(r"stop|suspend|replicas=0|desired-capacity[= ]0",
                text) else "on"
            return self.op(what, scope, hour=int(h) + int(m) / 60, days=weekdays(days), nodes=names)
        if REMOVE.search(text) and names:
            return self.op("stop", scope, nodes=names)
        if re.search(r"SuspendTime=\d+", text):
            return self.op("suspend", scope, after=number(r"SuspendTime=(\d+)", text))
        if CREATE.search(text):
            types = [x for x in re.findall(r"[a-z0-9-]+\.[a-z0-9]+", text) if x in fleet.cat.types]
            if types:
                most = number(r"(?:max-size|maxSize[\"']?|nodes-max|max-nodes)[= :]+(\d+)", text)
                span = re.search(r"NodeName=\S*\[(\d+)-(\d+)\]", text)
                if span:
                    most = int(span.group(2)) - int(span.group(1)) + 1
                count = number(r"(?:--count|--nodes|desired-capacity|desiredSize[\"']?)[= :]+(\d+)",
                    text, 1)
                return self.op("pool", scope, itype=types[0], elastic=bool(ELASTIC.search(text)),
                    count=most or count,
                               spot=bool(re.search(r"\bspot\b", text, re.I)))
        m = re.match(
            r"\s*kubectl (?:-n \S+ )?(cordon|drain|scale|rollout status|wait|delete node)\b(.*)",
            text)
        if m:
            verb, rest = m.groups()
            if verb == "scale":
                s = re.search(r"(?:deployment|deploy|statefulset)[/ ](\S+).*--replicas=(\d+)", rest)
                if s:
                    return self.op("scale", scope, service=s.group(1), replicas=int(s.group(2)))
            elif verb in ("cordon", "drain", "delete node"):
                return self.op(verb.split()[0], scope, node=rest.split()[0])
            else:
                return self.op("await", scope)
        if m := re.search(r"create-savings-plan\b.*--commitment[= ]([\d.]+)", text):
            three = "94608000" in self.text or re.search(r"\b3y\b", self.text)
            subject = self.rec.get("subject") or {}
            fam = re.search(r"instanceFamily,values=(\w+)", self.text)
            return self.op("commit", scope, usd=float(m.group(1)), years=3 if three else 1,
                           family=fam.group(1) if fam
                           else family(subject.get("instance_type") or ""))
        if m := re.search(r"delete-volume\b.*--volume-id[= ](\S+)", text):
            return self.op("volume", scope, volume=m.group(1), kept="create-snapshot" in self.text)
        if m := re.search(r"scontrol update PartitionName=(\S+).*DefaultTime=(\S+)", text):
            return self.op("time", scope, limit=seconds(m.group(2)))
        if not IDLE.match(text):
            self.unread.append(line)
        return None

    def read_sbatch(self, line, scope):
        if m := re.search(r"(?:--time[= ]|-t )(\S+)", line):
            self.op("time", scope, limit=seconds(m.group(1)))
        part = re.search(r"--partition=(\S+)", line)
        if part and "spot" in part.group(1):
            self.op("spot", scope, requeue="--requeue" in line,
                saves=bool(re.search(r"tare run|checkpoint", self.text)))
        gpus = number(r"--(?:gres=gpu(?::[A-Za-z]\w*)?:|gpus(?:-per-node)?=)(\d+)", line)
        kind = re.search(r"--constraint=(\S+)", line)
        if gpus or kind:
            self.op("shape", scope, gpus=gpus, itype=kind.group(1).strip("\"'") if kind else None,
                requeue=self.requeue, reveals=bool(REVEALS.search(self.text)))


def matches(scope, run, c, home):
    for key, want in scope.items():
        have = dict(
            job=run["id"], instance_type=c["itype"], gpu_model=home["model"], cluster=c["name"],
            gpus=str(run["gpus"]),
        ).get(key, run.get(key))
        if not any(fnmatch.fnmatchcase(str(have), w) for w in want):
            return False
    return True


# --- what comes of it
class Outcome:
    def __init__(self):
        self.cost = defaultdict(float)  # by cluster, and "storage", "commitment"
        self.cut, self.oom, self.stuck, self.late, self.requeued, self.slow = [], [], [], [], [], []
        self.interrupted = 0
        self.touched = set()
        self.broken = []  # services: outages and overload
        self.lost_load = {}
        self.hours = defaultdict(lambda: defaultdict(float))  # family -> hour -> on-demand dollars

    @property
    def total(self):
        return sum(self.cost.values())

    def failed(self):
        return set(self.cut) | set(self.oom) | set(self.stuck)


class Execution:
    """one month, with a list of operations"""

    def __init__(self, fleet, ops, hidden, only=None, assume_pools=False):
        self.f, self.ops, self.hidden, self.assume = fleet, ops, hidden, assume_pools
        self.t0, self.t1 = (fleet.end, fleet.end + MONTH) if hidden else (fleet.begin, fleet.end)
        self.out, self.tried = Outcome(), set()
        for c in fleet.clusters.values():
            if only is None or c["name"] == only:
                self.cluster(c)
        if only is None:
            self.storage()
            self.commitments()

    def of(self, c, *kinds):
        """operations of these kinds that speak of this cluster"""
        out = []
        for op in self.ops:
            where = op["scope"].get("cluster")
            if op["kind"] in kinds and (not where
                    or any(fnmatch.fnmatchcase(c["name"], w) for w in where)):
                out.append(op)
        return out

    def stopped(self, c):
        names = set()
        for op in self.of(c, "stop"):
            if c["past"] and not self.hidden:
                continue  # what was held was held before the stop
            if op["tier"] == "trial" and c["next"]:
                continue  # the owner was told three days before, and said that it is needed
            for i in op["nodes"]:
                cl, node = self.f.node_of.get(i, (None, None))
                if cl == c["name"]:
                    names.add(node)
        return names

    def cluster(self, c):
        t = self.f.cat.types[c["itype"]]
        if c["services"]:
            return self.serving(c, t)
        count = c["next_count"] if self.hidden else c["count"]
        names = [f"{c['name']}-{i + 1:02d}" for i in range(count)]
        gone = self.stopped(c)
        term = c["purchase"].startswith("reserved")
        suspend = [op for op in self.of(c, "suspend") if op["scope"].get("cluster")]
        runs = sorted(c["next"] if self.hidden else c["past"], key=lambda x: (x["submit"], x["id"]))
        if not c["elastic"]:
            left = [n for n in names if n not in gone]
            if term:
                self.out.cost[c["name"]] += len(names) * c["price"] * (self.t1 - self.t0) / HOUR
            if not runs:
                self.plain(c, t, left, suspend, term)
                return None
            home = model.Pool(c["name"], t, len(left), bool(suspend), c["scarce"],
                names=dict(enumerate(left)))
        else:
            home = model.Pool(c["name"], t, c["count"], True, c["scarce"])
        if suspend:
            home.release = suspend[-1]["after"]
        pools = {(c["itype"], False): home}
        for op in self.of(c, "pool"):
            key = (op["itype"], op["spot"])
            if key not in pools:
                pools[key] = model.Pool(f"{c['name']}+", self.f.cat.types[op["itype"]], op["count"],
                    op["elastic"],
                                        spot=op["spot"])
        self.run_all(c, t, runs, pools, bool(suspend), bool(gone))
        for (itype, spot), pool in pools.items():
            if term and pool is home:
                continue
            price = pool.type["price"] if not spot else self.spot_price(c, pool.type)
            if pool is home:
                price = c["price"]
            for _, a, b in pool.paid(self.t0, self.t1):
                self.pay(c["name"], pool.type["name"], price, a, b, committable=not spot)
        return None

    def pay(self, where, itype, price, a, b, committable=True):
        self.out.cost[where] += price * (b - a) / HOUR
        if committable:
            h = self.out.hours[family(itype)]
            t = a
            while t < b:
                n = min(b, (t // HOUR + 1) * HOUR)
                h[t // HOUR] += price * (n - t) / HOUR
                t = n

    def plain(self, c, t, left, suspend, term):
        """machines without jobs of a scheduler: nobody's, or somebody's own"""
        on = self.of(c, "on", "off")
        cull = self.of(c, "cull")
        for node in left:
            spans = [(self.t0, self.t1)]
            mine = [op for op in on if (not op["nodes"] and op["scope"].get("cluster"))
                or any(self.f.node_of.get(i, (0, 0))[1] == node for i in op["nodes"])]
            if any(op["kind"] == "off" for op in mine) and any(op["kind"] == "on" for op in mine):
                spans = self.on_spans(mine)
            elif suspend and (c["klass"] != "schedule" or cull):
                spans = []
                if c["klass"] == "schedule":
                    tail = cull[-1]["after"] + suspend[-1]["after"]
                    spans = [(a, b + tail) for a, b in self.used_days()]
            if c["klass"] == "schedule":
                for a, b in self.used_days():
                    if not any(x <= a and b <= y for x, y in spans):
                        self.out.stuck.append(f"{node}@{int(a)}")
            if not term:
                for a, b in spans:
                    self.pay(c["name"], t["name"], c["price"], max(a, self.t0), min(b, self.t1))
        if c["klass"] == "schedule":
            for node in set(f"{c['name']}-{i + 1:02d}" for i in range(c["count"])) - set(left):
                self.out.stuck += [f"{node}@{int(a)}" for a, _ in self.used_days()]
            if on or cull or suspend:
                self.out.touched |= {f"{c['name']}@{int(a)}" for a, _ in self.used_days()}

    def used_days(self):
        return [(d + 9 * HOUR, d + 18 * HOUR)
            for d in range(int(self.t0), int(self.t1) - DAY + 1, DAY)
                if (d // DAY + 3) % 7 < 5]

    def on_spans(self, ops):
        turns = []
        for d in range(int(self.t0), int(self.t1), DAY):
            for op in ops:
                if (d // DAY + 3) % 7 in op["days"]:
                    turns.append((d + op["hour"] * HOUR, op["kind"]))
        spans, since = [], None
        for at, kind in sorted(turns):
            if kind == "on" and since is None:
                since = at
            if kind == "off" and since is not None:
                spans.append((since, at))
                since = None
            if kind == "off" and not spans and since is None:
                spans.append((self.t0, at))
        if since is not None:
            spans.append((since, self.t1))
        return spans

    def spot_price(self, c, t):
        frac = c["truth"].get("spot_frac")
        if frac is None:
            frac = min(0.9, (t["spot"]
                or 0.5 * t["price"]) / t["price"] * (0.9 + 0.8 * chance(c["name"], "market")))
        return frac * t["price"]

    def run_all(self, c, home, runs, pools, suspended, thinned):
        queue = []
        for x in runs:
            heapq.heappush(queue, (x["submit"], x["id"], 0, x, self.wish(c, home, x, pools)))
        while queue:
            at, key, attempt, x, w = heapq.heappop(queue)
            if w["stuck"]:  # refused or never started: as it was an hour later, when somebody looks
                self.out.stuck.append(x["id"])
                heapq.heappush(queue, (at + HOUR, key, attempt + 1, x, self.as_before(c, x)))
                continue
            pool = pools[w["pool"]]
            why = model.verdict(x, pool.type, w["gpus"]) if w["moved"] else None
            took = model.time_on(x, home, pool.type, w["gpus"]) if not why else x["work"]
            dur = w["limit"] if x["hold"] else took
            again = None
            if why:
                # out of memory at its peak, or at once for the want of a GPU
                dur = 0.55 * x["work"] if why == "oom" and x["peak"] else 600
                again = "oom" if why == "oom" else "cut"
            elif took > w["limit"]:
                dur, again = w["limit"], "cut"
            elif w["spot"]:
                dur, again = self.on_spot(c, x, w, dur)
            place = pool.place(at, w["gpus"], x["nodes"], dur, f"{c['name']}-{pool.type['name']}")
            if place is None:  # its machines are gone: others are rented for it
                self.out.stuck.append(x["id"])
                self.out.cost[c["name"]] += dur / HOUR * home["price"] * x["nodes"]
                continue
            end = place[0] + dur
            if again:
                if w["requeue"] and again != "market":
                    self.out.requeued.append(x["id"])
                else:
                    getattr(self.out, "oom" if again == "oom" else "cut").append(x["id"])
                heapq.heappush(queue, (end + 60, key, attempt + 1, x, self.as_before(c, x)))
                continue
            if (suspended or thinned) and place[0] > x["start"] + 900:
                self.out.touched.add(x["id"])
            base = x["start"] + max(x["limit"], 1.25 * (x["end"] - x["start"]))
            if end > base + 60:
                self.out.late.append(x["id"])
            if place[0] - x["start"] > 900 and attempt == 0:
                self.out.slow.append(x["id"])

    @staticmethod
    def as_before(c, x):
        return dict(pool=(c["itype"], False), gpus=x["gpus"], limit=x["limit"], moved=False,
            spot=False, stuck=False,
                    requeue=False)

    def wish(self, c, home, x, pools):
        """how this run is submitted after the changes: one limit, one shape"""
        w = self.as_before(c, x)
        itype, saves = c["itype"], False
        for op in self.ops:
            if op["kind"] not in ("time", "shape", "spot") or not matches(op["scope"], x, c, home):
                continue
            self.out.touched.add(x["id"])
            if op["kind"] == "time":
                w["limit"] = op["limit"]
            elif op["kind"] == "spot":
                w["spot"], w["spot_requeue"], saves = True, op["requeue"], saves or op["saves"]
            else:
                if op["reveals"] and x["prealloc"]:
                    # the first run with the setting shows the need; the others only follow if it fits
                    small = self.f.cat.types.get(op["itype"] or itype)
                    if small and model.verdict(x, small, op["gpus"] or x["gpus"]):
                        if id(op) in self.tried:
                            continue
                        self.tried.add(id(op))
                fewer = op["gpus"] is not None and op["gpus"] < x["need"]
                if fewer and x["knows"] and chance("forget", self.f.truth["seed"], x["id"]) >= 0.1:
                    continue  # whoever needs all GPUs asks for them; one in ten forgets
                w["moved"] = True
                w["requeue"] = w["requeue"] or op["requeue"]
                w["gpus"] = op["gpus"] or w["gpus"]
                itype = op["itype"] or itype
        w["saves"] = saves and bool(x["ckpt"])
        if itype not in self.f.cat.types:
            w["stuck"] = True
            return w
        w["pool"] = (itype, w["spot"])
        if w["pool"] not in pools:
            if not self.assume:
                w["stuck"] = True  # sbatch: no machine like this in this cluster
                return w
            pools[w["pool"]] = model.Pool(f"{c['name']}+", self.f.cat.types[itype], 64, True,
                spot=w["spot"])
        if w["gpus"] > self.f.cat.types[itype]["gpus"]:
            w["stuck"] = True
        return w

    def on_spot(self, c, x, w, work):
        """(seconds held, None or "market"): with the truth's interruptions; a gang is interrupted whole"""
        hazard = c["truth"].get("hazard", 0.02) * x["nodes"]
        done = held = 0.0
        for k in range(60):
            until = -math.log(1 - chance("spot", self.f.truth["seed"], x["id"], k)) / hazard * HOUR
            left = work - done
            if until >= left:
                return held + left, None
            self.out.interrupted += 1
            if not w.get("spot_requeue"):
                return held + until, "market"
            held += until + 360 + 1200 * chance("back", x["id"], k)
            if w["saves"]:
                done += max(0.0, until - 1800 * chance("since", x["id"], k))
        return held, "market"

    # --- services
    def serving(self, c, t):
        nodes = {f"{c['name']}-{i + 1:02d}": True for i in range(c["count"])}
        replicas = {s["name"]: [dict(node=n, live=True) for n, _ in s["where"]]
            for s in c["services"]}
        cordoned, changed = set(), False

        def room(node):
            return t["gpus"] - sum(r["node"] == node for rs in replicas.values() for r in rs)

        def settle():
            for rs in replicas.values():
                for r in rs:
                    if r["node"] is None:
                        free = [n for n, up in nodes.items() if up and n not in cordoned
                            and room(n) > 0]
                        if free:
                            r["node"] = max(free,
                                key=lambda n: (-sum(q["node"] == n for q in rs), room(n), n))

        def evict(node, why):
            for name, rs in replicas.items():
                if any(r["node"] == node for r in rs):
                    for r in rs:
                        if r["node"] == node:
                            r["node"], r["live"] = None, False
                    if not any(r["live"] for r in rs):
                        self.out.broken.append(f"{name}: {why} {node} leaves no replica")
            settle()

        for op in self.ops:
            if op["kind"] == "await":
                for rs in replicas.values():
                    for r in rs:
                        r["live"] = r["node"] is not None
            elif op["kind"] == "scale" and op["service"] in replicas:
                rs, changed = replicas[op["service"]], True
                while len(rs) > op["replicas"]:
                    # as the controller does: from machines with most of them, the youngest first
                    rs.remove(max(rs, key=lambda r: (r["node"] is None,
                        sum(q["node"] == r["node"] for q in rs), rs.index(r))))
                while len(rs) < op["replicas"]:
                    rs.append(dict(node=None, live=False))
                if not rs:
                    self.out.broken.append(f"{op['service']}: scaled to none")
                settle()
            elif op["kind"] in ("cordon", "drain", "delete") and op["node"] in nodes:
                cordoned.add(op["node"])
                if op["kind"] != "cordon":
                    changed = True
                    evict(op["node"], op["kind"])
            elif op["kind"] == "stop":
                for i in op["nodes"]:
                    cl, node = self.f.node_of.get(i, (None, None))
                    if cl == c["name"] and nodes.get(node):
                        nodes[node], changed = False, True
                        evict(node, "stop")
        for node, up in nodes.items():
            if up:
                self.pay(c["name"], t["name"], c["price"], self.t0, self.t1)
        for s in c["services"]:
            rs = [r for r in replicas[s["name"]] if r["node"]]
            minutes = s["next"] if self.hidden else s["minutes"]
            peak = max(minutes, default=0) * s["gpu_ms"] / 60000
            over = sum(m * s["gpu_ms"] / 60000 > len(rs) for m in minutes)
            if over:
                self.out.broken.append(
                    f"{s['name']}: {over} minutes over what {len(rs)} replicas can do")
            worst = max((sum(r["node"] == n for r in rs) for n in nodes), default=0)
            if changed:
                self.out.touched.add(s["name"])
                left = len(rs) - worst
                self.out.lost_load[s["name"]] = peak / left if left else math.inf

    def storage(self):
        for s in self.f.truth["storage"]:
            usd = s["usd_month"] * (self.t1 - self.t0) / MONTH
            for op in self.ops:
                if op["kind"] == "volume" and op["volume"] == s["id"]:
                    usd *= 0.16  # an archived snapshot
                    if not op["kept"]:
                        self.out.cut.append(s["id"])
            self.out.cost["storage"] += usd

    def commitments(self):
        for op in self.ops:
            if op["kind"] != "commit":
                continue
            rate = self.f.rates.get(op["family"])
            hours = self.out.hours.get(op["family"], {})
            n = int((self.t1 - self.t0) / HOUR)
            bill = 0.0
            for h in range(int(self.t0 // HOUR), int(self.t0 // HOUR) + n):
                use = hours.get(h, 0.0)
                covered = min(use, op["usd"] / rate) if rate else 0.0
                hours[h] = use - covered
                bill += op["usd"] - covered
            self.out.cost["commitment"] += bill


# --- what the table of the requirement allows
def headroom(n, step):
    if n >= 20 and step <= 10:
        return 1.10
    return 1.15 if n >= 10 and step <= 60 else 1.25


def peak_read(x, t):
    if x["prealloc"]:
        return x["prealloc"] * t["mem"]
    return max([x["peak"]] + x["mem"])


def span_weeks(runs):
    return (max(x["start"] for x in runs) - min(x["start"] for x in runs)) / WEEK if runs else 0


def least(what, have, want, out, slack=0.0):
    if have + slack < want:
        out.append(f"{what} {have:g} < {want:g}")


def had_again(f, model_):
    """machines with this GPU were had within 15 minutes in 19 of 20 starts, and there were 20"""
    waits = [
        x["start"] - x["submit"] for c in f.clusters.values()
        if c["elastic"] and f.cat.types[c["itype"]]["model"] == model_ for x in c["past"]
    ]
    return len(waits) >= 20 and sum(w <= 900 for w in waits) >= 0.95 * len(waits)


def against_table(item, f, every=()):
    """what the requirement's section 1 and table forbid of this item, judged by the history"""
    out, tier = [], item.tier
    lever = item.lever
    if tier == "sure" and item.ops:
        if lever in ("rightsize_gpu", "spot", "region", "storage"):
            out.append(f"{lever} is never sure")
        if re.search(r"\bmig\b|nvidia\.com/mig|\bmps\b|time-?slic", item.text, re.I):
            out.append("MIG, MPS and time slices are never sure")
    if (lever == "commit") != (tier == "binds") and any(op["kind"] == "commit" for op in item.ops):
        out.append(f"commit as {tier}")
    if tier == "binds" and item.rec.get("bound", "0") is None:
        out.append("binds nothing that is said")
    for op in item.ops:
        past = [(x, c) for c in f.clusters.values() for x in c["past"]
            if matches(op["scope"], x, c, f.home(x))]
        runs = [x for x, _ in past]
        if op["kind"] in ("time", "shape", "spot") and not runs:
            continue
        if op["kind"] == "time":
            longest = max(x["work"] for x in runs)
            least("runs", len(runs), 20 if tier == "sure" else 4, out)
            if tier == "sure":
                least("weeks", span_weeks(runs), 3, out, 0.5)
            moved = any(o["kind"] == "shape"
                and any(matches(o["scope"], x, c, f.home(x)) for x, c in past) for o in every)
            if moved:
                continue  # on another machine the time is another: the outcome judges
            if lever == "trim_time" or op["limit"] < max(x["limit"] for x in runs):
                f_ = 1.25 if tier == "sure" else 1.5
                least("hours of limit", op["limit"] / HOUR,
                    min(f_ * longest, max(x["limit"] for x in runs)) / HOUR, out, 0.02)
        elif op["kind"] == "shape":
            check_shape(op, past, f, tier, out)
        elif op["kind"] == "spot":
            hours = sum((x["end"] - x["start"]) / HOUR * x["gpus"] * x["nodes"] for x in runs)
            if len(runs) < 20 and hours < 200:
                out.append(f"spot on {len(runs)} runs, {hours:.0f} GPU-h")
            market = {p[3] for p in f.truth["prices"] if p[6] == "spot"}
            if f.days < 14 or not all(c["itype"] in market for _, c in past):
                out.append("spot without two weeks of its market")
            if not all(x["ckpt"] for x in runs):
                out.append("spot without a verified restore")
        elif op["kind"] == "stop":
            check_stop(op, f, tier, out)
            where = [f.node_of[i][0] for i in op["nodes"] if i in f.node_of]
            held = [f.clusters[c]["purchase"] for c in where]
            if held and all(p.startswith("reserved") for p in held):
                if float(item.rec.get("saving_month") or 0) > 0:
                    out.append("counts cash of a machine that is paid until its term ends")
        elif op["kind"] == "suspend":
            for c in f.clusters.values():
                if op["scope"].get("cluster") == [c["name"]] and not c["elastic"] and c[
                        "past"] and tier == "sure":
                    if not had_again(f, f.cat.types[c["itype"]]["model"]):
                        out.append("sure gives back what history never had again")
        elif op["kind"] == "scale":
            for c in f.clusters.values():
                for s in c["services"]:
                    if s["name"] == op["service"] and op["replicas"] < len(s["where"]):
                        if tier == "sure" and (f.days < 27.9 or s["log_s"] > 60):
                            out.append(
                                f"fewer replicas from {f.days:.0f} days, a log of {s['log_s']} s")
                        least("days", f.days, 14, out)
                        if s["log_s"] <= 60:
                            peak = max(s["minutes"]) * s["gpu_ms"] / 60000
                            least("replicas", op["replicas"], math.ceil(1.25 * peak - 0.05), out)
        elif op["kind"] in ("on", "off"):
            least("days", f.days, 28 if tier == "sure" else 14, out, 0.1)
        elif op["kind"] == "commit":
            check_commit(op, f, out)
        elif op["kind"] == "volume" and not op["kept"]:
            out.append("storage deleted without a snapshot")
    return sorted(set(out))


def check_shape(op, past, f, tier, out):
    runs = [x for x, _ in past]
    for itype in {c["itype"] for _, c in past}:
        old = f.cat.types[itype]
        mine = [x for x, c in past if c["itype"] == itype]
        new = f.cat.types.get(op["itype"] or itype)
        if new is None:
            out.append(f"no such machine: {op['itype']}")
            continue
        if new["vendor"] != "nvidia":
            out.append(f"CUDA work to {new['model']}")
        fewer = op["gpus"] is not None and op["gpus"] < max(x["gpus"] for x in mine)
        if op["gpus"] and op["gpus"] > new["gpus"]:
            out.append(f"{op['gpus']} GPUs of a {new['name']}")
        stay = mine
        if fewer:
            more = [x for x in mine if x["need"] > op["gpus"]]
            least("runs", len(runs), 10 if tier == "sure" else 5, out)
            least("weeks", span_weeks(runs), 2 if tier == "sure" else 0, out, 0.3)
            if more and tier == "sure":
                out.append(f"{len(more)} of {len(mine)} runs used more")
            elif len(more) > 0.2 * len(mine):
                out.append(f"{len(more)} of {len(mine)} runs used more: over 20 %")
            elif more and not op["requeue"]:
                out.append("a default without a requeue")
            stay = [x for x in mine if x["need"] <= op["gpus"]]
            cores = new["vcpu"] * min(1, op["gpus"] / new["gpus"])
            if tier == "sure" and any(x["cores"] > 0.8 * cores * 1.02 for x in stay):
                out.append(f"CPUs: {max(x['cores'] for x in stay):.0f} of {cores:.0f}")
            ram = new["ram"] * min(1, op["gpus"] / new["gpus"])
            if tier == "sure" and any(1.2 * x["ram"] > ram * 1.02 for x in stay):
                out.append(f"RAM: {max(x['ram'] for x in stay):.0f} of {ram:.0f} GiB")
        if new["model"] != old["model"]:
            if tier == "sure":
                out.append("another GPU is never sure")
            least("runs", len(runs), 5, out)
            least("weeks", span_weeks(runs), 2, out, 0.3)
            read = [peak_read(x, old) for x in stay if not (op["reveals"] and x["prealloc"])]
            need = max(read, default=0) * headroom(len(runs), f.step)
            if need > new["mem"] * 1.001:
                out.append(f"memory {need:.1f} GiB with headroom, {new['name']} has {new['mem']:g}")


def check_stop(op, f, tier, out):
    for i in op["nodes"]:
        cl, node = f.node_of.get(i, (None, None))
        c = f.clusters.get(cl)
        if not c:
            out.append(f"stops {i}, which is not there")
        elif c["klass"] == "unwatched":
            out.append("stops what nobody watched")
        elif c["services"] or c["klass"] == "schedule" or c["elastic"]:
            continue
        else:
            last = max([f.begin] + [x["end"] for x in c["past"]
                if any(n == node for n, _ in x["where"])])
            free = (f.end - last) / DAY
            want = 14 if tier == "sure" else 7
            if f.days >= want:
                least("days unheld", round(free, 1), want, out)


def check_commit(op, f, out):
    if f.days < 27.9:
        out.append(f"commitment on {f.days:.0f} days")
        return
    use = defaultdict(float)
    for c in f.clusters.values():
        if family(c["itype"]) == op["family"]:
            for _, a, b in c["paid"]:
                for h in range(int(a // HOUR), int(b // HOUR)):
                    use[h] += c["price"]
    hours = sorted(use.get(h, 0.0) for h in range(int(f.begin // HOUR), int(f.end // HOUR)))
    p10 = hours[len(hours) // 10] * f.rates.get(op["family"], 1)
    most = p10 if f.days >= 55.9 else p10 / 2
    if op["years"] == 3:
        out.append("three years on less than 26 weeks")
    if op["usd"] > most * 1.03:
        out.append(f"commits {op['usd']:.2f} $/h, the table allows {most:.2f}")


# --- an oracle that knows the truth, within the same table
class Oracle:
    def __init__(self, fleet):
        self.f = fleet
        self.ops, self.by_cluster = [], {}
        for c in fleet.clusters.values():
            base = Execution(fleet, [], True, only=c["name"]).out.total
            best = (base, [])
            for ops in self.candidates(c):
                out = Execution(fleet, ops, True, only=c["name"]).out
                if out.failed() or out.broken or out.late:
                    continue
                if out.total < best[0] - 0.5:
                    best = (out.total, ops)
            self.by_cluster[c["name"]] = base - best[0]
            self.ops += best[1]
        for s in fleet.truth["storage"]:
            self.ops.append(self.op("storage", "trial", "volume", {}, volume=s["id"], kept=True))
            self.by_cluster[s["cluster"]] += s["usd_month"] * 0.84
        self.commit()

    @staticmethod
    def op(lever, tier, kind, scope, **kw):
        return dict(kind=kind, scope=scope, item=f"oracle-{lever}", tier=tier, lever=lever, **kw)

    def candidates(self, c):
        f, name = self.f, {"cluster": [c["name"]]}
        ids = [i for i, (_, n) in ((i, f.node_of[i]) for i in c["ids"].values())]
        if c["services"]:
            ops = self.serve(c)
            return [ops] if ops else []
        if not c["elastic"] and not c["past"] and not c["next"]:
            if c["klass"] == "schedule":
                days = {0, 1, 2, 3, 4}
                return [[self.op("schedule", "sure", k, name, hour=h, days=days, nodes=[]) for k,
                    h in (("off", 18.1), ("on", 8.9))]]
            return [[self.op("stop_idle", "sure", "stop", name, nodes=ids)]] if f.days >= 7 else []
        if c["klass"] == "unwatched":
            return []
        if not c["elastic"]:
            return [[self.op("stop_idle", "trial", "suspend", name,
                after=600)]] if not c["scarce"] else []
        return self.jobs(c, name)

    def jobs(self, c, name):
        f = self.f
        old = f.cat.types[c["itype"]]
        past, every = c["past"], c["past"] + c["next"]
        n, weeks = len(past), span_weeks(past)
        if n < 4:
            return []
        hold = any(x["hold"] for x in every)
        found = []
        least_gpus = min(x["need"] for x in past)
        for gpus in sorted({old["gpus"], least_gpus}):
            more = sum(x["need"] > gpus for x in past)
            if gpus < old["gpus"] and (n < 5 or more > 0.2 * n):
                continue
            stay = [x for x in every if x["need"] <= gpus]
            for t in f.cat.types.values():
                moved = t["model"] != old["model"]
                if moved and (n < 5 or weeks < 1.7 or max(peak_read(x, old) for x in past
                        if x["need"] <= gpus) * headroom(n, f.step) > t["mem"]):
                    continue
                if t["vendor"] != "nvidia" or t["gpus"] < gpus or any(model.verdict(x, t, gpus)
                        for x in stay):
                    continue
                longest = max(model.time_on(x, old, t, gpus) for x in stay)
                if longest > min(x["limit"] for x in stay):
                    continue
                mean = sum(model.time_on(x, old, t, gpus) for x in stay) / len(stay)
                held = longest if hold else mean
                found.append((t["price"] * (held + model.BOOT_S + model.RELEASE_S), t["name"], gpus,
                    longest, bool(more)))
        ckpt = all(x["ckpt"] for x in every) and "spot_frac" in c["truth"] and n >= 20
        for _, itype, gpus, longest, more in sorted(found)[:3]:
            ops, plain = [], itype == c["itype"] and gpus == old["gpus"]
            kind = "rightsize_gpu" if f.cat.types[itype]["model"] != old[
                "model"] else "rightsize_count"
            tier = "trial" if kind == "rightsize_gpu" or more else "sure"
            cores = f.cat.types[itype]["vcpu"] * min(1, gpus / f.cat.types[itype]["gpus"])
            ram = f.cat.types[itype]["ram"] * min(1, gpus / f.cat.types[itype]["gpus"])
            if any(x["cores"] > 0.8 * cores or 1.2 * x["ram"] > ram for x in past
                    if x["need"] <= gpus):
                tier = "trial"
            if not plain:
                ops.append(self.op(kind, tier, "pool", name, itype=itype, elastic=True, count=64,
                    spot=False))
                ops.append(self.op(kind, tier, "shape", name, gpus=gpus, itype=itype, requeue=True,
                    reveals=False))
            if hold:
                ops.append(self.op("trim_time", "sure" if n >= 20 and not ops else "trial", "time",
                    name,
                                   limit=math.ceil(longest * 1.001 / 300) * 300))
            if ops:
                yield ops
            if ckpt:
                yield ops + [
                    self.op("spot", "trial", "pool", name, itype=itype, elastic=True, count=64,
                        spot=True),
                    self.op("spot", "trial", "spot", name, requeue=True, saves=True),
                ]

    def serve(self, c):
        f = self.f
        g = f.cat.types[c["itype"]]["gpus"]
        if any(s["log_s"] > 60 for s in c["services"]) or f.days < 14:
            return None
        peaks = {s["name"]: max(s["minutes"] + s["next"]) * s["gpu_ms"] / 60000
            for s in c["services"]}
        for k in range(2, c["count"]):
            need = {}
            for s, p in peaks.items():
                m = max(2, math.ceil(1.25 * p))
                while m - math.ceil(m / k) < p:
                    m += 1
                need[s] = m
            if sum(need.values()) <= k * g:
                break
        else:
            return None
        name, ids = {"cluster": [c["name"]]}, {n: i for n, i in c["ids"].items()}
        ops = [self.op("share", "sure", "scale", name, service=s, replicas=m) for s,
            m in need.items()]
        for i in range(k, c["count"]):
            node = f"{c['name']}-{i + 1:02d}"
            ops += [self.op("share", "sure", "drain", name, node=node),
                self.op("share", "sure", "await", name),
                    self.op("share", "sure", "stop", name, nodes=[ids[node]])]
        return ops

    def commit(self):
        f = self.f
        if f.days < 27.9:
            return
        for fam, rate in f.rates.items():
            hours = Execution(f, self.ops, True).out.hours.get(fam, {})
            n = int(MONTH / HOUR)
            use = sorted(hours.get(h, 0.0)
                for h in range(int(f.end // HOUR), int(f.end // HOUR) + n))
            usd = use[n // 10] * rate * (1 if f.days >= 55.9 else 0.5)
            if usd > 0:
                self.ops.append(self.op("commit", "binds", "commit", {}, usd=usd, years=1,
                    family=fam))
                where = [c["name"] for c in f.clusters.values() if c["klass"].startswith("commit")]
                self.by_cluster[where[0] if where else "commitment"] += usd / rate * (1 - rate) * n


class Audit:
    """one fleet, one plan"""

    def __init__(self, folder, cat, plan, assume_pools=False):
        f = self.fleet = Fleet(folder, cat)
        self.items = [Item(r, f) for r in plan["recommendations"]]
        self.items.sort(key=lambda i: TIERS.index(i.tier))
        self.plan = plan
        ops = [op for i in self.items for op in i.ops]
        ready = [op for op in ops if op["tier"] == "sure"]

        def run(o, hidden):
            return Execution(f, o, hidden, assume_pools=assume_pools).out

        self.base = {h: run([], h) for h in (False, True)}
        self.ready = {h: run(ready, h) for h in (False, True)}
        self.all = {h: run(ops, h) for h in (False, True)}
        self.oracle = Oracle(f)
        self.best = run(self.oracle.ops, True)
        self.rules = [(i.id, i.tier, t) for i in self.items for t in against_table(i, f, ops)]
        logs = {s["name"]: s["log_s"] for c in f.clusters.values() for s in c["services"]}
        for name, load in self.all[False].lost_load.items():
            if load > 1.0 and logs[name] <= 60:
                self.rules.append((name, "-", "overload with one machine lost"))
        self.unread = [(i.id, line) for i in self.items for line in i.unread]
        month = self.base[True].total
        self.bill = month
        self.saved = month - self.all[True].total
        self.saved_ready = month - self.ready[True].total
        self.oracle_saved = month - self.best.total
        self.planted = sum(v for c, v in self.oracle.by_cluster.items()
                           if c in f.clusters and f.clusters[c]["kind"] == "waste")
        self.planted_found = sum(
            min(v, max(0.0, self.saved_at(c))) for c, v in self.oracle.by_cluster.items()
            if c in f.clusters and f.clusters[c]["kind"] == "waste")
        a, b = plan["after"], float(plan["baseline"]["cost_month"])
        self.median = 1 - float(a["cost_month"]) / b
        self.low, self.high = 1 - float(a["p95"]) / b, 1 - float(a["p05"]) / b
        if not self.low - 1e-9 <= self.median <= self.high + 1e-9:
            self.rules.append(("plan", "-", "the headline is outside its own range"))
        self.outcome = self.saved / month
        self.inside = self.low - 1e-6 <= self.outcome <= self.high + 1e-6

    def saved_at(self, cluster):
        """of this cluster, its volume, and its commitment"""
        base, after = self.base[True], self.all[True]
        out = base.cost.get(cluster, 0) - after.cost.get(cluster, 0)
        if any(s["cluster"] == cluster for s in self.fleet.truth["storage"]):
            out += base.cost.get("storage", 0) - after.cost.get("storage", 0)
        if self.fleet.clusters[cluster]["klass"].startswith("commit"):
            out -= after.cost.get("commitment", 0)
        return out

    def harm(self, which):
        """{kind: [ids]} over both months; what is not of the baseline"""
        out = {}
        for kind in ("cut", "oom", "stuck", "late", "requeued", "slow", "broken"):
            out[kind] = []
            for h in (False, True):
                was = set(getattr(self.base[h], kind))
                out[kind] += [x for x in dict.fromkeys(getattr(which[h], kind)) if x not in was]
        return out
