"""What a team's own runs say of how it trains: planted early stops, repeats, early failures, sweeps, and traps.

Advice has no action: its figure is checked, and the rule it states is replayed on runs of the month after.
"""

import json
import math
import re

from places import END, HOUR, Place, iso, month

LOST, DELTA, NEAR, SOON = 0.01, 0.001, 0.01, 600  # defaults of the settings, docs/CONFIG.md
EVALS = 40


# --- curves: the metric at each of EVALS evaluations, lower is better
def flat(r, at):
    """all is gained by evaluation `at`, give or take; noise below what counts as better"""
    tau = at / 6
    top, low = r.uniform(2.2, 2.6), r.uniform(0.8, 1.0)
    return [low + (top - low) * math.exp(-k / tau) + (r.uniform(0, 0.0004) if k > at else 0) for k in range(EVALS)]


def late(r, at):
    """flat from evaluation 8 on, and a fifth better again from `at` on, when the rate is lowered"""
    x = flat(r, 8)
    return [v if k < at else v * (0.8 + 0.1 * math.exp(-(k - at) / 1.5)) for k, v in enumerate(x)]


def patience_of(curve):
    """the least patience, in evaluations, with which no more than LOST of what was gained is lost"""
    gain = curve[0] - min(curve)
    good = next(k for k, v in enumerate(curve) if curve[0] - v >= (1 - LOST) * gain)
    best, since, worst = curve[0], 0, 0
    for v in curve[1:good + 1]:
        if v < best - DELTA * abs(best):
            best, since = v, 0
        else:
            since += 1
            worst = max(worst, since)
    return worst + 1


def stop_at(curve, patience):
    """evaluations made under this patience"""
    best, since = curve[0], 0
    for k, v in enumerate(curve[1:], 1):
        if v < best - DELTA * abs(best):
            best, since = v, 0
        else:
            since += 1
            if since >= patience:
                return k + 1
    return len(curve)


def lost(curve, n):
    gain = curve[0] - min(curve)
    return 1 - (curve[0] - min(curve[:n])) / gain


class Training(Place):
    ask = ["quality"]
    FLEETS = dict(
        stop_early="waste", stop_long="waste", repeat_same="waste", fail_soon="waste", sweep_wide="waste",
        stop_late="trap", stop_few="trap", repeat_seed="trap", repeat_nightly="trap", fail_late="trap",
        sweep_needed="trap",
    )

    def __init__(self, name, seed, cat):
        super().__init__(name, seed, cat, step=300 if name.startswith("fail") else 600)
        self.kind = self.FLEETS[name]
        self.user, self.team = self.people.pop(), "amber"
        self.machine("gpu-01", "g6e.12xlarge", "train")
        self.price = self.nodes["gpu-01"]["price"] / 4  # of a card
        self.at, self.busy, self.paid = self.begin + 9 * HOUR, [], {}
        self.filler()
        getattr(self, name.split("_")[0])(name)
        r = self.r
        for g in range(4):
            self.read("gpu-01", g, lambda t: dict(util=r.uniform(90, 97), mem=30, cpu=50)
                if any(a <= t < b for a, b in self.busy) else dict(util=0, mem=0, cpu=1))

    def run(self, k, name, hours, state="COMPLETED", gap=None, curve=None, config=None, cards=4, metric="val_loss"):
        r, jid = self.r, f"{self.team}-{k}"
        a = self.at
        b = a + round(hours * HOUR)
        self.hold(jid, "gpu-01", list(range(cards)), a, b, self.user, self.team, name, state=state, limit_h=hours + 2,
            cores=20, ram=80)
        self.busy.append((a, b))
        self.paid[jid] = hours * cards * self.price
        for i, v in enumerate(curve or []):
            at = a + (b - a) * (i + 1) // (len(curve) + 1)
            self.curves.append([jid, jid, metric, i, f"{v:.6f}", iso(at), config or "", "lower"])
        self.at = b + round((gap if gap is not None else r.uniform(0.3, 2.5)) * HOUR)
        return jid

    # --- the fleets
    def stop(self, name):
        """runs of one kind, with other seeds, that go on long after nothing is gained"""
        r = self.r
        make = dict(stop_early=lambda: flat(r, r.randint(9, 13)), stop_long=lambda: flat(r, r.randint(18, 24)),
            stop_late=lambda: late(r, r.randint(30, 34)), stop_few=lambda: flat(r, r.randint(9, 13)))[name]
        n = 4 if name == "stop_few" else 16
        self.shapes = [make() for _ in range(n)]
        self.next = [make() for _ in range(n)]
        ids = [self.run(k, "fit-resnet", 10, curve=c, config=f"lr=0.1 seed={k}") for k, c in enumerate(self.shapes)]
        p = max(patience_of(c) for c in self.shapes)
        self.figure = sum(self.paid[j] * (1 - stop_at(c, p) / EVALS) for j, c in zip(ids, self.shapes))
        self.what = "early.?stop"

    def repeat(self, name):
        """the same again, after it had completed"""
        r, usd = self.r, 0.0
        for k in range(24):
            hours = 6 * r.uniform(0.99, 1.01)
            config = dict(repeat_same=f"lr=0.1 data=v{k // 4}", repeat_seed=f"lr=0.1 data=v{k // 4} seed={k}",
                repeat_nightly="lr=0.1 data=v1")[name]
            curve = [v * r.uniform(0.999, 1.001) for v in flat(r, 30)][:8]
            if name == "repeat_nightly":
                self.at = self.begin + (k + 1) * 24 * HOUR + 2 * HOUR
            jid = self.run(k, "fit-bert", hours, curve=curve, config=config)
            usd += self.paid[jid] if name == "repeat_same" and k % 4 else 0
        self.figure, self.what = usd, "repeat|again|identical|same|reuse"

    def fail(self, name):
        """rows of runs that fail in the first minutes, and then one that does not"""
        usd, k, self.every = 0.0, 0, 0.0
        for row in range(12):
            for i in range(6):
                hours = (0.1 if name == "fail_soon" else 3) * self.r.uniform(0.85, 1.0)
                jid = self.run(k, "fit-llm", hours, state="FAILED", gap=0.05)
                usd += self.paid[jid] if name == "fail_soon" and i else 0
                self.every += self.paid[jid]
                k += 1
            self.run(k, "fit-llm", 8, gap=20)
            k += 1
        if name == "fail_late":
            self.busy, self.jobs = [], [j for j in self.jobs if j["end"] < END]
            self.busy = [(j["start"], j["end"]) for j in self.jobs if j["node"] == "gpu-01"]
        self.figure, self.what = usd, "fail"

    def sweep(self, name):
        """sixty settings: half of them near the best, or one alone, the last"""
        r, ids, ends = self.r, [], []
        for k in range(60):
            low = 0.9 * (1 + r.uniform(0, 0.008)) if k % 2 else 0.9 * r.uniform(1.05, 1.4)
            if name == "sweep_needed":
                low = 0.9 * r.uniform(1.05, 1.4) if k != 59 else 0.9
            curve = [low + 1.4 * math.exp(-i / 2) * (i < 15) for i in range(16)]
            ids.append(self.run(k, f"grid-{k:02d}", 4, curve=curve, config=f"lr={0.001 * (k + 1):.3f}", gap=0.1))
            ends.append(min(curve))
        n, m = len(ends), sum(e <= min(ends) * (1 + NEAR) for e in ends)
        k = next(k for k in range(1, n + 1) if k > n - m or math.comb(n - m, k) <= 0.05 * math.comb(n, k))
        self.figure = sum(self.paid.values()) * (n - k) / n if name == "sweep_wide" else 0.0
        self.what = "sweep|budget|settings"

    # --- what is said
    def judge(self, told, say):
        plan, who = told["quality"], self.name
        here = [a for a in plan["advice"] if self.team in json.dumps([a["subject"], a["team"], a["owner"]])
            or self.user in json.dumps(a["subject"])]
        mine = [a for a in here if re.search(self.what, f"{a['id']} {a['title']}", re.I)
            and (a["may_save_p95_month"] is None or float(a["may_save_p95_month"]) > 0)]
        sure = [a for a in mine if a["evidence"]]
        shown = "; ".join(f"{a['id']} {a['may_save_p05_month']} to {a['may_save_p95_month']}" for a in mine) or "-"
        if self.kind == "trap":
            say(f"{who}: no such advice", not mine, "none", shown)
            return
        want = month(self.figure, self.hours)
        say(f"{who}: found", bool(sure), "advice with evidence", shown)
        low = sum(float(a["may_save_p05_month"] or 0) for a in mine)
        high = sum(float(a["may_save_p95_month"] or 0) for a in mine)
        # out of sample and in sample differ by what one run of those there are decides
        room = 0.1 if who.startswith("stop") else 0.02
        say(f"{who}: dollars a month", bool(mine) and low - room * want <= want <= high + room * want,
            f"{want:.0f}", f"{low:.0f} to {high:.0f}")
        if who == "fail_soon":  # what a check lets through nobody knows: no more than all of it
            most = month(self.every, self.hours)
            say(f"{who}: no more than they cost", high <= 1.02 * most, f"<= {most:.0f}", f"{high:.0f}")
        else:
            say(f"{who}: the figure is narrow", bool(mine) and high - low <= 0.6 * want, f"within {0.6 * want:.0f}",
                f"{high - low:.0f}")
        say(f"{who}: owner", bool(mine) and all(self.team in str(a["owner"]) + str(a["team"]) or self.user
            in str(a["owner"]) for a in mine), self.team, " ".join(str(a["owner"] or a["team"]) for a in mine) or "-")
        say(f"{who}: in no sum", not any(a["id"] == r["id"] for a in mine for r in plan["recommendations"]), "advice only",
            "advice only")
        if who.startswith("stop"):
            self.replay(mine, want, who, say)

    def replay(self, mine, want, who, say):
        """the patience that is said, on the runs of the month after"""
        words = " ".join(json.dumps([a["title"], a["actions"], a["evidence"], a["apply"]]) for a in mine)
        found = re.search(r"patience\D{0,40}?(\d+)", words)
        p = int(found.group(1)) if found else None
        say(f"{who}: a patience is said", p is not None, "a number of evaluations", p if p is not None else "-")
        if p is None:
            return
        ends = [stop_at(c, p) for c in self.next]
        gone = [lost(c, n) for c, n in zip(self.next, ends)]
        usd = month(sum(10 * 4 * self.price * (1 - n / EVALS) for n in ends), self.hours)
        say(f"{who}: realised of what was there", usd >= 0.85 * want, f">= 85 % of {want:.0f}", f"{usd:.0f}")
        bad = sum(x > 2 * LOST for x in gone)
        say(f"{who}: runs that lose more than twice 1 %", bad == 0, f"0 of {len(gone)}", bad)

