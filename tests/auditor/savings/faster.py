"""Jobs that a dearer card ends so much sooner that a finished one costs less, and jobs that gain nothing by it.

Fleets and model cluster are the frozen auditor's; a block says what its jobs spend their time on, and the
readings show it: tensor cores and memory of the card work for the part that the truth has of either.
"""

import audit
import model
import traps

COUNTERS = "sm_active_frac tensor_active_frac dram_active_frac".split()


def job(f, klass, kind, itype, hours, compute, **kw):
    c = f.cluster(klass, kind, itype, 8)
    kw = dict(dict(mem=9, cores=2, ram=8, busy=0.97, util=96, spread=0.06), **kw)
    f.habit(c, "train-net", traps.often(f, 14), hours, hours * 2.2, 1, compute=compute, **kw)
    return c


def block_fast_tensor(f):
    """A10G to L40S: tensor cores do it all, five times as many for less than twice the price"""
    job(f, "fast_tensor", "waste", "g5.xlarge", 8, 0.95)


def block_fast_t4(f):
    """T4 to L4 or L40S: a third of the time and less, for one and a half to three and a half times the price"""
    job(f, "fast_t4", "waste", "g4dn.xlarge", 20, 0.95)


def block_fast_input(f):
    """the card waits for the CPUs seven tenths of the time, and they are as many there"""
    job(f, "fast_input", "trap", "g5.xlarge", 8, 0.95, busy=0.3, cores=4, input=True)


def block_fast_memory(f):
    """bound by the memory of the card: 1.44 times the bandwidth for 1.85 times the price"""
    job(f, "fast_memory", "trap", "g5.xlarge", 8, 0.0)


def block_fast_blind(f):
    """96 % by nvidia-smi, no counters: nobody knows that it is bound by memory"""
    job(f, "fast_blind", "trap", "g5.xlarge", 8, 0.05).truth = dict(counters=False)


def block_fast_few(f):
    """as fast_tensor, but four runs"""
    c = f.cluster("fast_few", "trap", "g5.xlarge", 8)
    f.habit(c, "train-net", traps.often(f, 4), 8, 17, 1, compute=0.95, mem=9, cores=2, ram=8, busy=0.97, util=96,
        spread=0.06)


FLEETS = dict(fast_tensor="waste", fast_t4="waste", fast_input="trap", fast_memory="trap", fast_blind="trap",
    fast_few="trap")
# A fifth less in truth, and counters tell a time on another card to a third: nobody can be sure without a run.
CLOSE = ["fast_t4"]
for name in FLEETS:
    traps.fleet.BLOCKS[name] = globals()[f"block_{name}"]


class Fleet(traps.Fleet):
    """the readings have the counters of DCGM too"""

    def table(self, name, keys, rows, call=None):
        if name == "samples.csv":
            keys, rows = keys + COUNTERS, [list(r) for r in rows]
            held = {}
            for c in self.clusters:
                for x in c.past:
                    for node, _ in x["where"]:
                        held.setdefault(node, []).append((x["start"], x["start"] + x["work"], x, c))
            for r in rows:
                r += self.counters(r, held.get(r[1], []))
        super(traps.Fleet, self).table(name, keys, rows, call)

    def counters(self, r, spans):
        """the part of the time in which tensor cores, and the memory of the card, are what is waited for"""
        at = self.at(r[0])
        for a, b, x, c in spans:
            if getattr(c, "truth", {}).get("counters") is False:
                return ["", "", ""]
            if a <= at < b and r[3] > 1:
                on = r[3] / 100
                return [f"{0.96 * on:.3f}", f"{on * x['compute'] * 0.92:.3f}", f"{on * (1 - x['compute']) * 0.92:.3f}"]
        return ["0", "0", "0"]


class Faster:
    ask = ["plan"]

    def __init__(self, name, seed, cat):
        self.name, self.cat, self.kind = name, cat, FLEETS[name]
        self.made = Fleet(seed * 100 + list(FLEETS).index(name), str(self.data), [name], 300, 4)

    def write(self, folder):
        self.folder = folder
        self.made.write(folder)
        self.files = [f for call in self.made.calls for f in call["files"]]
        self.covers = [c for call in self.made.calls for c in call.get("covers") or []]
        self.begin = self.made.begin

    def judge(self, told, say):
        plan, who = told["plan"], self.name
        f = audit.Fleet(self.folder, self.cat)
        c = next(c for c in f.clusters.values() if c["klass"] == self.name)
        a = audit.Audit(self.folder, self.cat, plan)
        home = self.cat.types[c["itype"]]
        moves = [(i, op) for i in a.items for op in i.ops if op["kind"] == "shape" and op["itype"] in self.cat.types
            and any(audit.matches(op["scope"], x, c, home) for x in c["past"])]
        dearer = [(i, op) for i, op in moves if self.cat.types[op["itype"]]["price"] > home["price"] * 1.001]
        harm = {k: v for k, v in a.harm(a.all).items() if k in ("cut", "oom", "stuck", "late") and v}
        say(f"{who}: no job cut, out of memory, stuck or late", not harm, "none",
            " ".join(f"{k} {len(v)}" for k, v in harm.items()) or "none")
        if self.kind == "trap":
            say(f"{who}: no dearer card", not dearer, "no item", "; ".join(f"{i.id} {op['itype']}" for i, op in dearer)
                or "-")
            lost = -min(0.0, a.saved_at(c["name"]))
            say(f"{who}: costs no more in the month", lost < 0.005 * a.bill, "0", f"{lost:.0f}")
            return
        best, got = a.oracle.by_cluster[c["name"]], a.saved_at(c["name"])
        if self.name in CLOSE and not dearer:
            return self.told_why(plan, c, home, best, say)
        say(f"{who}: found", bool(dearer), "a dearer card", "; ".join(f"{i.id} {op['itype']}" for i, op in moves) or "-")
        say(f"{who}: realised of the oracle's", got >= 0.85 * best, f">= 85 % of {best:.0f}", f"{got:.0f}")
        recs = {i.id: i.rec for i, _ in dearer}.values()
        low, high = [sum(float(r[k]) for r in recs) for k in ("p05", "p95")]
        base = a.base[True].cost[c["name"]]
        # its own range, and a tenth of what the jobs cost for the load of one month
        low, high = min(low, high) - 0.1 * base, max(low, high) + 0.1 * base
        say(f"{who}: its range holds what came", bool(recs) and low <= got <= high, f"{got:.0f} a month",
            f"{low:.0f} to {high:.0f}")
        say(f"{who}: to be tried first", bool(recs) and all(r["tier"] == "trial" for r in recs), "trial",
            " ".join(r["tier"] for r in recs) or "-")
        owner = " ".join(str(r["owner"] or r["team"]) for r in recs)
        say(f"{who}: owner", bool(recs) and c["team"] in owner, c["team"], owner or "-")
        return None

    def told_why(self, plan, c, home, best, say):
        """not claimed, and not passed over: the card is named, with a range that holds the truth"""
        mine = [r for r in plan["advice"] if r["lever"] == "rightsize_gpu" and r["subject"].get("team") == c["team"]]
        dearer = {r["id"]: op for r in mine for op in [a.get("instance_type") for a in r["actions"]]
            if op in self.cat.types and self.cat.types[op]["price"] > home["price"]}
        mine = [r for r in mine if r["id"] in dearer]
        low, high = [sum(float(r[f"may_save_{k}_month"]) for r in mine) for k in ("p05", "p95")]
        say(f"{self.name}: named as what a run there decides", len(mine) == 1, "advice, a dearer card",
            "; ".join(dearer.values()) or "-")
        say(f"{self.name}: its range holds the oracle's", bool(mine) and low <= best <= high, f"{best:.0f} a month",
            f"{low:.0f} to {high:.0f}")
        say(f"{self.name}: owner", bool(mine) and c["team"] in str(mine[0]["owner"]), c["team"],
            str(mine[0]["owner"]) if mine else "-")
