"""More classes of traps and of waste, each beside a wall: one rule of the gate decides there.

Blocks as in ../fleet.py, which makes and writes them. A trap is what one rule forbids and all others
allow; its pair, a waste, lies on the allowed side of the same wall, so that a rule that is too strict
shows as well. What a class expects beyond the frozen table stands in `truth` of its cluster:

  never     kinds of operations that no item may have on it
  not_sure  kinds that no Ready item may have on it
  keep      nothing of it may be stopped, given back or switched off
  ready     half of what the oracle saves has to be saved by Ready
  least     so much of its bill has to be saved, where the oracle (one scope a cluster) sees less
  risk      a word that the item's risks must have where its shape changes
"""

import csv
import functools
import os
from datetime import datetime

import fleet
import model
from fleet import DAY, END, HOUR, iso


class Catalogue(model.Catalogue):
    """A card with GDDR keeps its check bits in its own memory, a sixteenth of it: nvidia-smi says 23034 MiB
    of an L4, 23028 of an A10G, 15360 of a T4, 46068 of an L40S."""

    def __init__(self, data):
        super().__init__(data)
        for t in self.types.values():
            if not any(x in t["model"] for x in ("V100", "A100", "H100", "H200", "B200", "B300")):
                t["mem"] *= 15 / 16
        with open(os.path.join(data, "gpus.csv"), newline="") as f:
            bf16 = {g["model"]: bool(g["bf16_tflops"]) for g in csv.DictReader(f)}
        for t in self.types.values():
            t["bf16"] = bf16.get(t["model"], False)


model.Catalogue = Catalogue


class Fleet(fleet.Fleet):
    """a fleet of named blocks with a length and an interval of samples of its own"""

    def __init__(self, seed, data, blocks, step=60, weeks=4):
        self.every, self.long = step, weeks
        super().__init__(seed, data, only=blocks)

    # The generator draws the one and reckons the other by size; here a fleet is about them.
    @property
    def step(self):
        return self.every

    @step.setter
    def step(self, _):
        pass

    @property
    def weeks(self):
        return self.long

    @weeks.setter
    def weeks(self, _):
        pass

    def table(self, name, keys, rows, call=None):
        """what a class says of its files is done to their rows"""
        home = {n: c for c in self.clusters for n in c.ids}
        runs = {x["id"]: x for c in self.clusters for x in c.past}
        if name == "samples.csv":
            keys = keys + ["cluster"]
            rows = [self.sample(r, home[r[1]]) for r in rows]
            rows = [r for r in rows if r]
        elif name == "jobs.csv":
            rows = [self.job(list(r), runs.get(r[0]), home.get(r[16])) for r in rows]
            call = dict(call, covers=[n for n in call["covers"] if not self.told(n).get("unlisted")])
        elif name == "requests.csv":
            rows = one_log(rows)
        super().table(name, keys, rows, call)

    def told(self, cluster):
        return next(getattr(c, "truth", {}) for c in self.clusters if c.name == cluster)

    def sample(self, r, c):
        told = getattr(c, "truth", {})
        at = self.at(r[0])
        if any(a <= at < b for a, b in told.get("gaps", [])):
            return None
        if any(x.get("unread") and x["start"] <= at < x["end"] and x["where"][0][0] == r[1]
                for x in c.past):
            return None
        if told.get("no_memory"):
            r[4] = r[5] = ""
        if told.get("no_host"):
            r[7] = ""
        return r + [c.name]

    @staticmethod
    def at(text):
        return instant(text)

    @staticmethod
    def job(r, x, c):
        told = getattr(c, "truth", {}) if c else {}
        if x and x.get("state"):
            r[14] = x["state"]
        if x and x.get("shown"):
            r[7] = x["shown"]
        if told.get("no_host"):
            r[19] = r[20] = ""
        return r


@functools.lru_cache(maxsize=1 << 17)
def instant(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def one_log(rows):
    """a service of two clusters has one log: the requests of a minute are counted together"""
    out = {}
    for time, service, n, bins, status in rows:
        have = out.setdefault((time, service, status), [0, {}])
        have[0] += n
        for b in bins.split(";"):
            ms, k = b.split(":")
            have[1][ms] = have[1].get(ms, 0) + int(k)
    return [[t, s, n, ";".join(f"{ms}:{k}" for ms, k in bins.items()), status]
        for (t, s, status), (n, bins) in out.items()]


READING = fleet.reading


def reading(span, at, t, r, step):
    """as the frozen one, with a GPU that works a part of every second, and GPUs that work a little"""
    x, k = span[2], span[3]
    util, held, cpu = READING(span, at, t, r, step)
    part = (at - x["start"]) / x["work"]
    if "steady" in x:
        on = part < 1 and k < x["active"]
        util = min(100, 100 * x["busy"] + r.uniform(-2, 2)) if on else 0
    if "blink" in x and 0.5 <= part < 0.5 + 1.9 * step / x["work"]:
        held = int(x["blink"] * fleet.GIB)
    if "faint" in x and k > 0:
        pct, a, b = x["faint"]
        util = pct if a <= part < b else 0
    return util, held, cpu


fleet.reading = reading


def often(f, n):
    """runs a week, so that the history has n"""
    return n / f.weeks


def steady(x, k=0):
    """kernels in a part of every second: each reading shows that part"""
    x["steady"] = True


# --- head-room of memory: 1.10 (>= 20 runs, samples <= 10 s), 1.15 (>= 10 runs, <= 60 s), else 1.25 (>= 5)
def head(f, klass, kind, runs, read, top, hours=5.0):
    """45 GiB now, 22.5 on an L4: `read` is the most ever read, `top` is needed in one of next month's four runs"""
    c = f.cluster(klass, kind, "g6e.xlarge", 8)

    def peak(x, k):
        steady(x)
        x["mem"] = [read if k % 3 == 1 else read * f.r.uniform(0.95, 0.99)]
        if x["hidden"] and k % 4 == 1:
            x["mem"] = [top]

    f.habit(c, "embed", often(f, runs), hours, hours * 5, 1, cores=2, ram=8, busy=0.22, compute=0.5,
        rare=peak)


def block_head_fine(f):
    head(f, "head_fine", "trap", 24, 20.9, 22.8, hours=2)


def block_head_fine_room(f):
    head(f, "head_fine_room", "waste", 24, 20.2, 22.2, hours=2)


def block_head_fine_few(f):
    """every ten seconds, but 12 runs"""
    head(f, "head_fine_few", "trap", 12, 19.9, 22.8, hours=2)


def block_head_mid(f):
    head(f, "head_mid", "trap", 12, 19.9, 22.8)


def block_head_mid_room(f):
    head(f, "head_mid_room", "waste", 12, 19.3, 22.1)


def block_head_many(f):
    """24 runs, but a minute between two readings"""
    head(f, "head_many", "trap", 24, 19.9, 22.8)


def block_head_few(f):
    head(f, "head_few", "trap", 7, 18.6, 23.0)


def block_head_few_room(f):
    head(f, "head_few_room", "waste", 7, 17.7, 22.0)


def block_head_coarse(f):
    """24 runs, but five minutes between two readings: the peak was between them"""
    head(f, "head_coarse", "trap", 24, 18.6, 23.0)


# --- memory elsewhere
def block_mem_skew(f):
    """one of four cards holds the tables, the others a third of that"""
    c = f.cluster("mem_skew", "trap", "g6e.12xlarge", 6)

    def skew(x, k):
        steady(x)
        x["mem"] = [9.0, 9.0, 9.0, 36.0]

    f.habit(c, "recsys", often(f, 24), 5, 25, 4, cores=12, ram=60, busy=0.22, compute=0.5, rare=skew)


def block_mem_idle(f):
    """three cards work, the fourth keeps the tables and never does"""
    c = f.cluster("mem_idle", "trap", "g6e.12xlarge", 6)

    def idle(x, k):
        steady(x)
        x["active"], x["mem"] = 3, [9.0, 9.0, 9.0, 36.0]

    f.habit(c, "lookup", often(f, 24), 5, 25, 4, cores=12, ram=60, busy=0.22, compute=0.5, rare=idle)


def block_mem_blink(f):
    """two readings of three hundred show the need: no percentile of a run does"""
    c = f.cluster("mem_blink", "trap", "g6e.xlarge", 8)

    def blink(x, k):
        steady(x)
        x["blink"] = 36.0
        if x["hidden"]:
            x["mem"] = [36.0]

    f.habit(c, "save", often(f, 24), 5, 25, 1, mem=9, cores=2, ram=8, busy=0.22, compute=0.5,
        rare=blink)


def block_mem_hundred(f):
    """150 short runs, and one of them needs it all: no percentile shows it"""
    c = f.cluster("mem_hundred", "trap", "g6e.xlarge", 8)

    def once(x, k):
        steady(x)
        if k == 73 or (x["hidden"] and k % 40 == 9):
            x["peak"], x["mem"] = 36.0, [36.0]

    f.habit(c, "shard-index", often(f, 150), 1.0, 5.0, 1, mem=9, cores=2, ram=8, busy=0.22,
        compute=0.5, rare=once)


def block_mem_unknown(f):
    """an exporter without memory: what is not read is not small"""
    c = f.cluster("mem_unknown", "trap", "g6e.xlarge", 8)
    f.habit(c, "caption", often(f, 24), 5, 25, 1, mem=36, cores=2, ram=8, busy=0.22,
        compute=0.5, rare=steady)
    c.truth = dict(no_memory=True)


def block_precision(f):
    """its numbers are bf16, which a T4 does not have"""
    c = f.cluster("precision", "trap", "g5.xlarge", 8)

    def bf16(x, k):
        steady(x)
        x["bf16"] = True

    f.habit(c, "tune-bf16", often(f, 24), 5, 30, 1, mem=8, cores=2, ram=8, busy=0.15, compute=0.5,
        rare=bf16)


# --- the limit, at the slow end of the range
def slow(f, klass, kind, compute, times, **kw):
    """V100 to T4: 1.9 times as long by its arithmetic, 2.8 by its memory; utilisation does not tell which it is"""
    c = f.cluster(klass, kind, "p3.2xlarge", 8)
    f.habit(c, "stencil", often(f, 30), 5, 5 * 1.05 * times, 1, mem=8, cores=2, ram=8, busy=0.98,
        util=96, compute=compute, spread=0.05, **kw)
    return c


def block_slow_limit(f):
    """its limit lies between the middle and the slow end, and so does it"""
    slow(f, "slow_limit", "trap", 0.03, 2.55)


def block_slow_middle(f):
    """its limit lies between the fast end and the middle"""
    slow(f, "slow_middle", "trap", 0.1, 2.15)


def block_slow_room(f):
    """the same work with time to spare"""
    slow(f, "slow_room", "waste", 0.5, 6)


def block_limit_mixed(f):
    """one run in five is booked for a third of the others' time, and takes as long as they do"""

    def short(x, k):
        if k % 5 == 2:
            x["limit"] = int(5 * 1.05 * 2.3 * HOUR)

    slow(f, "limit_mixed", "trap", 0.05, 7, rare=short)


def block_spot_tight(f):
    """checkpoints, and a limit that leaves no time to lose any work"""
    c = f.cluster("spot_tight", "trap", "g6e.xlarge", 8)
    f.habit(c, "anneal", often(f, 30), 9, 9 * 1.05 * 1.1, 1, mem=41, cores=2.5, ram=20, busy=0.97,
        util=95, compute=0.9, ckpt=True, spread=0.05)
    c.truth = dict(hazard=0.05, spot_frac=0.4, never=["spot"])
    f.rules.append((f"team: {c.team}", "checkpointable: true"))
    price = f.cat.types["g6e.xlarge"]["price"]
    for k in range(f.weeks + 1):
        at = f.begin + k * 7 * DAY
        f.prices.append(["aws", "us-east-1", "us-east-1a", "g6e.xlarge", "L40S", 1, "spot", "", "",
            f"{price * 0.4 * f.r.uniform(0.94, 1.06):.4f}", iso(at), iso(at + 7 * DAY)])


# --- NVLink to PCIe
def block_nvlink_limit(f):
    """a sixth of its time is arithmetic, which takes 2.7 times as long on four T4; over PCIe it takes twice that"""
    c = f.cluster("nvlink_limit", "trap", "p3.8xlarge", 5)
    f.habit(c, "pipeline", often(f, 20), 6, 6 * 1.05 * 1.45, 4, mem=11, cores=16, ram=90, busy=0.15,
        compute=0.1, spread=0.05, rare=steady)
    for x in c.runs:
        x["comm"] = 0.5


def block_nvlink_slow(f):
    """the limit lies between what PCIe costs in the middle and at its slow end, and so does it"""
    c = f.cluster("nvlink_slow", "trap", "p3.8xlarge", 5)
    f.habit(c, "tensors", often(f, 20), 6, 6 * 1.05 * 2.1, 4, mem=11, cores=16, ram=90, busy=0.25,
        compute=0.1, spread=0.05, rare=steady)
    for x in c.runs:
        x["comm"] = 0.7


def block_nvlink_room(f):
    """the limit is far, so it may be tried; what may be slower is said"""
    c = f.cluster("nvlink_room", "waste", "p3.8xlarge", 5)
    f.habit(c, "replicas", often(f, 20), 6, 36, 4, mem=11, cores=16, ram=90, busy=0.15, compute=0.5,
        spread=0.05, rare=steady)
    c.truth = dict(risk="nvlink|pcie|interconnect")


# --- how many GPUs, and whose
def block_count_floor(f):
    """three of four GPUs work at 7 % for a twentieth of the run, with hardly any memory"""
    c = f.cluster("count_floor", "trap", "g6e.12xlarge", 6)

    def faint(x, k):
        x["need"] = x["active"] = 4
        x["mem"] = [36.0, 0.5, 0.5, 0.5]
        x["faint"] = (7, 0.5, 0.55)

    f.habit(c, "gather", often(f, 24), 6, 10, 4, need=1, cores=2, ram=12, util=94, rare=faint)


def block_count_noise(f):
    """three of four show 2 %, as a screen does: nobody needs them"""
    c = f.cluster("count_noise", "waste", "g6e.12xlarge", 6)

    def noise(x, k):
        x["faint"] = (2, 0.0, 1.0)

    f.habit(c, "solo", often(f, 24), 6, 10, 4, need=1, cores=2, ram=12, mem=36, util=94, rare=noise)


def block_count_who(f):
    """two people, one name: one of them uses four GPUs"""
    c = f.cluster("count_who", "waste", "g6e.12xlarge", 8)
    other = f.people.pop()
    f.habit(c, "train", often(f, 24), 6, 10, 4, need=1, cores=2, mem=36, ram=12, util=94)
    f.habit(c, "train", often(f, 16), 6, 10, 4, need=4, cores=20, mem=36, ram=90, util=94, user=other)
    c.truth = dict(least=0.25)


def block_count_pods(f):
    """pods, whose names end in letters that nobody chose; one deployment uses four GPUs"""
    c = f.cluster("count_pods", "waste", "g6e.12xlarge", 8)

    def tail(n):
        return "".join(f.r.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(n))

    mine, theirs = tail(10), tail(10)
    f.habit(c, "prep", often(f, 24), 6, 10, 4, need=1, cores=2, mem=36, ram=12, util=94,
        rare=lambda x, k: x.update(name=f"prep-{mine}-{tail(5)}"))
    f.habit(c, "pretrain", often(f, 16), 6, 10, 4, need=4, cores=20, mem=36, ram=90, util=94,
        rare=lambda x, k: x.update(name=f"pretrain-{theirs}-{tail(5)}"))
    c.truth = dict(least=0.25)


def block_pods_alike(f):
    """two deployments whose names begin alike: the pattern of the one must not take the other's pods"""
    c = f.cluster("pods_alike", "trap", "g6e.12xlarge", 8)

    def tail(n):
        return "".join(f.r.choice("bcdfghjklmnpqrstvwxz2456789") for _ in range(n))

    f.habit(c, "train", often(f, 24), 6, 10, 4, need=1, cores=2, mem=36, ram=12, util=94,
        rare=lambda x, k: x.update(name=f"train-{tail(5)}"))
    f.habit(c, "train-full", often(f, 12), 6, 10, 4, need=4, cores=20, mem=36, ram=90, util=94,
        rare=lambda x, k: x.update(name=f"train-full-{tail(5)}"))


def block_names_alike(f):
    """a number at the end, and a word: who is meant by the pattern of the one is not the other"""
    c = f.cluster("names_alike", "trap", "g6e.12xlarge", 8)
    f.habit(c, "train", often(f, 24), 6, 10, 4, need=1, cores=2, mem=36, ram=12, util=94,
        rare=lambda x, k: x.update(name=f"train-{k + 17}"))
    f.habit(c, "train-full", often(f, 12), 6, 10, 4, need=4, cores=20, mem=36, ram=90, util=94)


def block_gang_thin(f):
    """two machines, one GPU of each: a job on several machines keeps its shape"""
    c = f.cluster("gang_thin", "trap", "g6e.12xlarge", 6)
    f.habit(c, "pair", often(f, 14), 6, 10, 4, need=1, nodes=2, cores=2, mem=36, ram=12, util=94)
    c.truth = dict(never=["shape"])


def block_unread_half(f):
    """every other run is on a machine without an exporter, and those use all four GPUs"""
    c = f.cluster("unread_half", "trap", "g6e.12xlarge", 6)

    def dark(x, k):
        if k % 2:
            fleet.more(x)
            x["unread"] = True

    f.habit(c, "mixed", often(f, 24), 6, 10, 4, need=1, cores=2, mem=36, ram=12, util=94, rare=dark)


def block_host_unknown(f):
    """CPUs and RAM are in no file: fewer GPUs may be tried and are never Ready"""
    c = f.cluster("host_unknown", "trap", "g6e.12xlarge", 6)
    f.habit(c, "opaque", often(f, 24), 6, 10, 4, need=1, cores=2, mem=36, ram=12, util=94)
    c.truth = dict(no_host=True, not_sure=["shape"])


def block_cpu_wall(f):
    """one GPU and 3.5 cores: 87 % of the small machine's four"""
    c = f.cluster("cpu_wall", "trap", "g6e.12xlarge", 6)
    f.habit(c, "feed", often(f, 24), 6, 10, 4, need=1, cores=3.5, mem=36, ram=12, util=94)


def block_ram_wall(f):
    """28 GiB were booked, next month's data are 15 % more, and the small machine has 32"""
    c = f.cluster("ram_wall", "trap", "g6e.12xlarge", 6)

    def grown(x, k):
        if x["hidden"] and k % 4 == 1:
            x["ram"] = 32.4

    f.habit(c, "load", often(f, 24), 6, 10, 4, need=1, cores=2, mem=36, ram=28, util=94, rare=grown)


# --- how much evidence
def trim(f, klass, kind, runs, name="nightly", **kw):
    c = f.cluster(klass, kind, "g6e.12xlarge", 6)
    f.habit(c, name, often(f, runs), 3, 12, 4, hold=True, util=94, busy=0.95, mem=40, cores=20,
        ram=160, **kw)
    return c


def block_trim_19(f):
    trim(f, "trim_19", "trap", 18).truth = dict(not_sure=["time"])


def block_trim_21(f):
    trim(f, "trim_21", "waste", 22).truth = dict(ready=True)


def block_trim_failed(f):
    """twenty runs that fell over within minutes say nothing of those that did not"""

    def fell(x, k):
        if not x["hidden"] and k % 8:
            x["work"], x["state"], x["hold"] = 900, "FAILED", False
        elif x["hidden"]:
            x["work"] = 9.5 * HOUR

    trim(f, "trim_failed", "trap", 24, rare=fell).truth = dict(not_sure=["time"])


def block_count_9(f):
    c = f.cluster("count_9", "trap", "g6e.12xlarge", 6)
    f.habit(c, "tune", often(f, 9), 6, 10, 4, need=1, cores=2, mem=36, ram=12, util=94)
    c.truth = dict(not_sure=["shape"])


def block_count_4(f):
    c = f.cluster("count_4", "trap", "g6e.12xlarge", 6)

    def later(x, k):
        if x["hidden"] and k % 2:
            fleet.more(x)

    f.habit(c, "tune", often(f, 4), 6, 10, 4, need=1, cores=2, mem=36, ram=12, util=94, rare=later)
    c.truth = dict(never=["shape"])


def block_gpu_4(f):
    c = f.cluster("gpu_4", "trap", "p3.2xlarge", 6)
    f.habit(c, "pilot", often(f, 4), 6, 30, 1, cores=2, mem=7, ram=10, busy=0.6, util=85,
        compute=0.6)
    c.truth = dict(never=["shape"])


# --- machines
def last_used(f, klass, kind, days, again):
    c = f.cluster(klass, kind, "g5.12xlarge", 1, elastic=False)
    f.habit(c, "release", often(f, 6), 8, 20, 4, mem=21, cores=30, ram=120, busy=0.97, util=95,
        spread=0.05)
    past = [x for x in c.runs if not x["hidden"]]
    for i, x in enumerate(reversed(past)):
        x["submit"] = END - int(days * DAY) - i * 2 * DAY - 9 * HOUR
    c.runs = [x for x in c.runs if x["submit"] > f.begin and (again or not x["hidden"])]
    return c


def block_unheld_13(f):
    """free for 13 days, and used again after them"""
    last_used(f, "unheld_13", "trap", 13.2, True).truth = dict(not_sure=["stop"])


def block_unheld_15(f):
    last_used(f, "unheld_15", "waste", 15.2, False).truth = dict(ready=True)


def block_before(f):
    """a job that began before the history and still runs"""
    c = f.cluster("before", "trap", "g5.12xlarge", 1, elastic=False)
    node = f"{c.name}-01"
    c.extra.append([f"long-{c.name}", c.user, c.team, c.name, "research", "training", "foundation",
        "A10G", 4, "0;1;2;3", "whole", iso(f.begin - 10 * DAY), iso(f.begin - 10 * DAY), "",
        "RUNNING", 60 * 24 * 3600, node, "", c.name, 40, 150])
    c.dev = [(node, f.begin, END)]
    c.truth = dict(keep=True)


def block_gap(f):
    """nobody lists its jobs, and its readings miss the two days on which it was used by hand"""
    c = f.cluster("gap", "trap", "g5.12xlarge", 1, elastic=False)
    f.habit(c, "by-hand", 3, 8, 20, 4, mem=21, cores=30, ram=120)
    c.runs = [x for x in c.runs if x["hidden"]]
    c.truth = dict(unlisted=True, gaps=[(END - 5 * DAY, END - 3 * DAY)], not_sure=["stop"])


def block_no_start(f):
    """a machine that was never given back, so that nobody knows whether such a one comes again; it does not"""
    c = f.cluster("no_start", "trap", "g6.12xlarge", 1, elastic=False, scarce=True)
    f.habit(c, "fold", often(f, 30), 9, 10.5, 4, mem=22.5, cores=36, ram=150, busy=0.98, util=96,
        compute=0.9, spread=0.05, even=True)
    c.truth = dict(not_sure=["suspend"])


def block_start_room(f):
    """the same of a kind that does come again, and with time to wait for it"""
    c = f.cluster("start_room", "waste", "g6.12xlarge", 1, elastic=False)
    f.habit(c, "fold-slow", often(f, 30), 9, 20, 4, mem=22.5, cores=36, ram=150, busy=0.98, util=96,
        compute=0.9, spread=0.05, even=True)
    c.truth = dict(not_sure=["suspend"])


def block_amd(f):
    """hardly any work, and the cheapest machine of all has a card that does not run CUDA"""
    c = f.cluster("amd", "trap", "g4dn.xlarge", 8)
    f.habit(c, "watch", often(f, 24), 6, 30, 1, mem=3, cores=1.5, ram=6, busy=0.07, compute=0.5,
        rare=steady)


def block_arm(f):
    """12 GiB, little work: the cheapest NVIDIA card sits beside an ARM processor"""
    c = f.cluster("arm", "trap", "g4dn.xlarge", 8)
    f.habit(c, "classify", often(f, 30), 6, 30, 1, mem=6, cores=1.5, ram=4, busy=0.07, compute=0.5,
        rare=steady)


def block_schedule_once(f):
    """dev machines by day, and one Saturday of the four"""
    c = f.cluster("schedule_once", "trap", "g5.2xlarge", 3, elastic=False)
    for i in range(c.count):
        fleet.dev(f, c, f"{c.name}-{i + 1:02d}", f.people[i])
    at = f.begin + 12 * DAY + 10 * HOUR  # the second Saturday
    c.dev += [(f"{c.name}-01", at, at + 6 * HOUR)]
    c.truth = dict(saturday=True)


def block_service_twice(f):
    """one service in two clusters, one log for both; each carries its half"""
    a = f.cluster("service_east", "waste", "g5.xlarge", 4, elastic=False)
    b = f.cluster("service_west", "waste", "g5.xlarge", 4, elastic=False)
    name = f"{a.name}-api"
    for c in (a, b):
        fleet.service(f, c, name, [(f"{c.name}-{i + 1:02d}", 0) for i in range(4)], 30, 1.6)
    for i, row in enumerate(b.extra):
        row[0] = f"{name}-b{i}"


def block_drain_last(f):
    """the frozen serving_last, with an order of drains that a plan has to find"""
    fleet.block_serving_last(f)
    f.clusters[-1].klass, f.clusters[-1].truth = "drain_last", dict(least=0.2)


def block_replicas(f):
    """eight replicas are busy in the busiest minute: one machine lost wants nine, a quarter more wants ten"""
    c = f.cluster("replicas", "waste", "g5.xlarge", 13, elastic=False)
    fleet.service(f, c, f"{c.name}-api", [(f"{c.name}-{i + 1:02d}", 0) for i in range(13)], 30, 7.9)


BLOCKS = {k[6:]: v for k, v in list(globals().items()) if k.startswith("block_")}
fleet.BLOCKS.update(BLOCKS)

# name -> (blocks, seconds between two samples, weeks)
FLEETS = dict(
    head10=(["head_fine", "head_fine_room", "head_fine_few"], 10, 4),
    head60=(["head_mid", "head_mid_room", "head_many", "head_few", "head_few_room"], 60, 4),
    head300=(["head_coarse"], 300, 4),
    limit=(["slow_limit", "slow_middle", "slow_room", "limit_mixed", "spot_tight"], 120, 4),
    nvlink=(["nvlink_limit", "nvlink_slow", "nvlink_room"], 120, 4),
    memory=(["mem_skew", "mem_idle", "mem_unknown", "precision"], 120, 4),
    rarely=(["mem_hundred", "mem_blink"], 60, 4),
    count=(["count_floor", "count_noise", "host_unknown", "cpu_wall", "ram_wall", "unread_half"], 120, 4),
    who=(["count_who", "count_pods", "names_alike", "pods_alike", "gang_thin"], 120, 4),
    evidence=(["trim_19", "trim_21", "trim_failed", "count_9", "count_4", "gpu_4"], 120, 4),
    machines=(["unheld_13", "unheld_15", "before", "gap"], 300, 4),
    host=(["arm", "amd", "schedule_once"], 300, 4),
    start=(["no_start", "start_room"], 300, 4),
    services=(["service_twice"], 300, 4),
    term=(["commit"], 300, 5),
    young=(["commit_short"], 300, 3),
)
# with a catalogue that sells savings plans alone (../no-offers): the model cluster knows no others
PLANS = ["term", "young"]
# classes of the frozen generator, alone, for the mutants
AGAIN = dict(
    cards=(["count_mem0", "count_late", "count_mixed", "count_default"], 120, 4),
    shapes=(["gang", "count_cpu", "count_ram", "count_shape"], 120, 4),
    prealloc=(["gpu_prealloc", "gpu_mem_once"], 120, 4),
    serving=(["serving", "drain_last"], 300, 4),
    replicas=(["replicas"], 300, 4),
    coarse=(["serving_coarse"], 300, 4),
    market=(["spot", "spot_lost"], 120, 4),
    undone=(["undo", "unheld_short"], 300, 4),
)
EVERY = {**FLEETS, **AGAIN}
