"""Judges a plan of the fleets of traps.py with the frozen auditor, and by what a class expects of it."""

import fnmatch
import re

import audit
import model
from fleet import DAY, HOUR

VERDICT, STOPS = model.verdict, ("stop", "suspend", "off", "drain", "delete")


def verdict(run, t, gpus):
    """what was built for x86 does not start on Graviton, nor bf16 on a card without it"""
    if t["name"].startswith("g5g.") or (run.get("bf16") and not t["bf16"]):
        return "architecture"
    return VERDICT(run, t, gpus)


def speaks_of(op, c):
    where = op["scope"].get("cluster")
    return not where or any(fnmatch.fnmatchcase(c["name"], w) for w in where)


def chained(ops):
    """A second move says what the first made of the runs ("was g6e.16xlarge"): it is for the same runs."""
    out = []
    for op in ops:
        asks = op["scope"].get("instance_type")
        for before in out if op["kind"] in ("time", "shape", "spot") and asks else []:
            same = all(before["scope"].get(k, v) == v for k, v in op["scope"].items()
                if k not in ("instance_type", "gpus"))
            if before["kind"] == "shape" and [before["itype"]] == asks and same:
                scope = {k: v for k, v in op["scope"].items() if k not in ("instance_type", "gpus")}
                op = dict(op, scope=dict(before["scope"], **scope))
                break
        out.append(op)
    return out


class Execution(audit.Execution):
    """a line that names a cluster is carried out there only; some people come on a Saturday"""

    def __init__(self, fleet, ops, hidden, **kw):
        super().__init__(fleet, chained(ops), hidden, **kw)

    def serving(self, c, t):
        every, self.ops = self.ops, [op for op in self.ops if speaks_of(op, c)]
        super().serving(c, t)
        self.ops = every

    def plain(self, c, *rest):
        self.at = c
        super().plain(c, *rest)

    def used_days(self):
        days = super().used_days()
        if self.at["truth"].get("saturday"):
            d = int(self.t0) + 12 * DAY
            days.append((d + 10 * HOUR, d + 16 * HOUR))
        return sorted(days)


class Audit(audit.Audit):
    def __init__(self, folder, cat, plan):
        super().__init__(folder, cat, plan)
        for c in self.fleet.clusters.values():
            for item in self.items:
                self.expect(c, item)
            self.reach(c)

    def break_rule(self, c, item, text):
        self.rules.append((item.id if item else c["name"], item.tier if item else "-",
            f"{c['klass']}: {text}"))

    def hits(self, op, c):
        """whether this operation changes something of the cluster"""
        if op["kind"] == "stop":
            return any(self.fleet.node_of.get(i, (None, 0))[0] == c["name"] for i in op["nodes"])
        if op["kind"] in ("suspend", "off", "on", "drain", "delete"):
            return bool(op["scope"].get("cluster")) and speaks_of(op, c)
        home = self.fleet.cat.types[c["itype"]]
        return any(audit.matches(op["scope"], x, c, home) for x in c["past"])

    def expect(self, c, item):
        told = c["truth"]
        for op in item.ops:
            kind = op["kind"]
            if kind not in STOPS + ("time", "shape", "spot") or not self.hits(op, c):
                continue
            if kind in told.get("never", []):
                self.break_rule(c, item, f"{kind} is against the table")
            if item.tier == "sure" and kind in told.get("not_sure", []):
                self.break_rule(c, item, f"{kind} as Ready")
            if told.get("keep") and kind in STOPS:
                self.break_rule(c, item, "stops what works")
            if kind == "shape" and told.get("risk"):
                self.risk(c, item, op, told["risk"])

    def risk(self, c, item, op, word):
        new = self.fleet.cat.types.get(op["itype"] or c["itype"])
        old = self.fleet.cat.types[c["itype"]]
        text = " ".join(item.rec.get("risks") or [])
        if new and model.nvlink(old) and not model.nvlink(new) and not re.search(word, text, re.I):
            self.break_rule(c, item, f"no risk line with {word}")

    def reach(self, c):
        """what has to be found on the allowed side of a wall"""
        told, name = c["truth"], c["name"]
        base, ready = self.base[True].cost.get(name, 0), self.ready[True].cost.get(name, 0)
        most, got = self.oracle.by_cluster.get(name, 0.0), self.saved_at(name)
        if told.get("ready") and base - ready < 0.5 * most:
            self.break_rule(c, None, f"Ready saves {base - ready:.0f} of {most:.0f}")
        want = max(0.5 * most if c["kind"] == "waste" else 0.0, told.get("least", 0.0) * base)
        if want > 0 and got < want:
            self.break_rule(c, None, f"saves {got:.0f}, at least {want:.0f} is there")


model.verdict = verdict
audit.Execution = Execution
