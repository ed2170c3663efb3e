"""Two windows side by side, from raw rows: the formulas of the ledger's "Comparing two windows", in
Fractions, without a line of the program. Small on purpose: whole cards, five-minute edges, a reading
every ten minutes on every card.

A row of the report is a team; a class is (model, purchase, region). Of a row and window:
    C  cost of its GPU time       G  its paid GPU-hours; without a price they have no part in it
    B  busy + underused x utilisation, None where it has no reading
    O  what is no GPU time
"""
from collections import defaultdict
from fractions import Fraction as F

HOUR = 3600
PARTS = ("volume", "efficiency", "mix", "price", "other")
DIGITS = 12


def rounded(x):
    """Half-even to DIGITS fraction digits, as a Fraction."""
    scale = 10**DIGITS
    return F(round(x * scale), scale)  # round() of a Fraction is half-even


def text(x):
    """A decimal without trailing zeros; None is null."""
    if x is None:
        return None
    n = x * 10**DIGITS
    assert n.denominator == 1, x
    sign, n = ("-" if n < 0 else ""), abs(int(n))
    whole, rest = divmod(n, 10**DIGITS)
    frac = f"{rest:0{DIGITS}d}".rstrip("0")
    return f"{sign}{whole}" + (f".{frac}" if frac else "")


class Sums:
    """What one row has in one window."""

    def __init__(self):
        self.cost = F(0)
        self.hours = F(0)
        self.busy = None
        self.other = F(0)
        self.klass = defaultdict(lambda: [F(0), F(0)])  # class -> [cost, hours]
        self.unpriced = F(0)

    def add(self, klass, hours, usd_h, busy):
        if usd_h is None:  # counted, shown, never guessed: no cost to explain
            self.unpriced += hours
            return
        self.hours += hours
        self.cost += hours * usd_h
        self.klass[klass][0] += hours * usd_h
        self.klass[klass][1] += hours
        if busy is not None:
            self.busy = (self.busy or F(0)) + busy

    def any(self):
        return bool(self.hours or self.other or self.unpriced or self.cost)

    def known(self):
        return not self.unpriced or self.hours or self.other


def window(fleet, since, until):
    """team -> Sums of [since, until), by steps of five minutes."""
    rows = defaultdict(Sums)
    step = 300
    held = defaultdict(dict)  # (node, gpu) -> {step: job}
    for job in fleet["jobs"]:
        for t in range(job["start"], job["end"], step):
            for gpu in job["gpus"]:
                held[job["node"], gpu][t] = job
    for node in fleet["nodes"]:
        klass = (node["model"], node["purchase"], node["region"])
        usd_h = None if node["usd_hour"] is None else node["usd_hour"] / node["count"]
        for t in range(max(node["from"], since), min(node["to"], until), step):
            for gpu in range(node["count"]):
                job = held[node["name"], gpu].get(t)
                pct = fleet["pct"].get((node["name"], gpu, t - t % 600))
                busy = None
                if job and job["state"] == "COMPLETED" and pct is not None:
                    # at or above 25 % busy, below it as much as it was used, at 0 idle
                    busy = F(step, HOUR) * (1 if pct >= 25 else F(pct, 100))
                rows[job["team"] if job else ""].add(klass, F(step, HOUR), usd_h, busy)
    for line in fleet["other"]:
        if since <= line["time"] < until:
            rows[line["team"]].other += line["cost"]
    return rows


def compare_row(old, new, scale):
    """One row of the comparison; `old` is put on the hours of `new` by `scale`."""
    if not (old.known() and new.known()):
        # nothing in one window and no price in the other: no price is known at all
        before = rounded(scale * (old.cost + old.other)) if old.known() and old.any() else None
        now = new.cost + new.other if new.known() and new.any() else None
        return {"before": before, "now": now, "difference": None, **{p: None for p in PARTS}}
    c0, g0, o0 = scale * old.cost, scale * old.hours, scale * old.other
    b0 = None if old.busy is None else scale * old.busy
    c1, g1, b1, o1 = new.cost, new.hours, new.busy, new.other
    p1 = c1 / g1 if g1 else F(0)
    # a row that was not there has no old price: what it brings is volume, at the new one
    p0 = c0 / g0 if g0 else p1
    p_star = F(0)
    for k, (cost, hours) in new.klass.items():
        if g0 and k in old.klass:
            was_cost, was_hours = old.klass[k]
            p_star += hours * was_cost / was_hours / g1
        elif g0:
            p_star += cost / g1  # a class without an old price: at its new one
    if not g0:
        p_star = p1
    exact = {}
    if b0 and b1:
        exact["volume"] = (b1 - b0) * g0 / b0 * p0
        exact["efficiency"] = b1 * (g1 / b1 - g0 / b0) * p0
    else:
        exact["volume"] = (g1 - g0) * p0
        exact["efficiency"] = None
    exact["mix"] = g1 * (p_star - p0)
    exact["price"] = g1 * (p1 - p_star)
    exact["other"] = o1 - o0
    assert sum(v for v in exact.values() if v is not None) == c1 + o1 - c0 - o0
    before, now = rounded(c0 + o0), rounded(c1 + o1)
    parts = {p: None if v is None else rounded(v) for p, v in exact.items()}
    known = [p for p in PARTS if parts[p] is not None]
    largest = max(known, key=lambda p: (abs(parts[p]), -PARTS.index(p)))
    parts[largest] += now - before - sum(parts[p] for p in known)
    return {"before": before, "now": now, "difference": now - before, **parts}


def compare(fleet, before, now):
    """team -> row; before and now are (since, until), already cut to what the ledger covers."""
    old, new = window(fleet, *before), window(fleet, *now)
    scale = F(now[1] - now[0], before[1] - before[0])
    return {
        team: {k: text(v) for k, v in compare_row(old[team], new[team], scale).items()}
        for team in sorted(set(old) | set(new))
    }
