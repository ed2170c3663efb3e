"""Development boxes that are held day and night: the hours in which nobody needs them, and traps beside.

`windows` are the truth: when somebody needs the box, in the history and the month after it. Their ends lie
within one hour of the clock, so that four weeks show each hour of the week that is ever needed.
"""

import math

import audit
from places import DAY, END, HOUR, MONTH, WEEK, Place, month, weekday

WEEKS = 0.03  # a month of 730 h is 4.35 weeks and may begin on any day: its nights and days differ by so much


def days(a, b):
    return range(int(a), int(b) - DAY + 1, DAY)


def workdays(first, last, on=range(5)):
    """from some time in the hour `first` to some time in the hour `last` on these weekdays"""
    def make(r, a, b):
        return [(d + first * HOUR + r.randint(5, 55) * 60, d + last * HOUR + r.randint(5, 55) * 60, "gpu")
            for d in days(a, b) if weekday(d) in on]
    return make


def odd(r, a, b):
    """six hours of a day and night, somewhere, of any day"""
    return sorted((d + h * HOUR + r.randint(0, 20) * 60, d + h * HOUR + r.randint(35, 55) * 60, "gpu")
        for d in days(a, b) for h in r.sample(range(24), 6))


def nights(what):
    """somebody by day, who leaves a job behind that works until the next day, every day"""
    def make(r, a, b):
        out = [(d + 9 * HOUR, d + 15 * HOUR, "gpu") for d in days(a, b) if weekday(d) < 5]
        free = [(x, y) for x, y in zip([a] + [q for _, q, _ in out], [p for p, _, _ in out] + [b]) if y > x]
        return sorted(out + [(x, y, what) for x, y in free])
    return make


def saturday_night(r, a, b):
    """as others by day, and every second Saturday a job from 22:00 to Sunday 3:30"""
    out = workdays(9, 15)(r, a, b)
    out += [(d + 22 * HOUR + 300, d + 27 * HOUR + 1800, "gpu") for d in days(a, b)
        if weekday(d) == 5 and (int(d) // WEEK) % 2]
    return sorted(out)


class Box:
    def __init__(self, p, node, itype, cluster, make, name, workload, gpus=None, blind=False):
        self.p, self.node, self.price = p, node, p.machine(node, itype, cluster)["price"]
        t = p.cat.types[itype]
        self.team, self.user, r = cluster.split("-")[0], p.people.pop(), p.r
        self.past, self.next = make(r, p.begin, END), make(r, END, END + MONTH)
        p.hold(f"{name}-{self.user}", node, list(range(t["gpus"])), p.begin, END, self.user, self.team,
            f"{name}-{self.user}", workload, state="RUNNING", cores=t["vcpu"] - 1, ram=int(t["ram"] * 0.8))
        spans = iter(self.past + [(END + DAY, END + DAY, "")])
        now = [next(spans)]

        def reading(at):
            while now[0][1] <= at:
                now[0] = next(spans)
            a, _, what = now[0]
            if at < a:
                asleep = dict(util=0, mem=4, cpu=r.uniform(0.5, 2))
                return None if blind and not 8 <= at % DAY / HOUR < 18 else asleep
            return dict(gpu=dict(util=r.choice([0, 35, 60, 80]), mem=6, cpu=30),
                low=dict(util=r.uniform(4, 9), mem=6, cpu=14),
                cpu=dict(util=0, mem=4, cpu=r.uniform(60, 80)))[what]

        # One card is read with its truth; the others of the box work when it does.
        kept = {}
        p.read(node, 0, lambda at: kept.setdefault(at, reading(at)))
        for g in range(1, t["gpus"]):
            p.read(node, g, lambda at: kept[at])
        self.idle_usd = sum(self.price * p.step / HOUR for x in kept.values() if x and x["util"] == 0)
        self.night_usd = self.price * (p.hours - sum(b - a for a, b, _ in self.past) / HOUR)

    def hours_of_week(self):
        out = set()
        for a, b, _ in self.past + self.next:
            out |= {(weekday(h * HOUR), h % 24) for h in range(int(a // HOUR), math.ceil(b / HOUR))}
        return out

    def best(self):
        """saved a month by a timetable that is on in each hour of the week that is ever needed"""
        return self.price * (168 - len(self.hours_of_week())) * 730 / 168


# name: kind, [(machine, what it is called, its use, ...)]
FLEETS = dict(
    dev_days=("waste", "g5.xlarge", [("devbox", "research", workdays(9, 15)), ("devbox", "research", workdays(10, 15))]),
    dev_four=("waste", "g5.12xlarge", [("workstation", "research", workdays(8, 14))]),
    dev_shifts=("waste", "g6.xlarge", [("jupyter", "research", workdays(7, 12)), ("jupyter", "research", workdays(15, 21))]),
    dev_once=("waste", "g6.xlarge", [("devbox", "research", saturday_night)]),
    dev_odd=("trap", "g6.xlarge", [("devbox", "research", odd)]),
    dev_train=("trap", "g6.xlarge", [("devbox", "research", nights("low"))]),
    dev_cpu=("trap", "g6.xlarge", [("devbox", "research", nights("cpu"))]),
    dev_blind=("trap", "g6.xlarge", [("devbox", "research", workdays(9, 15))]),
)


class Schedule(Place):
    ask = ["plan"]

    def __init__(self, name, seed, cat):
        super().__init__(name, seed, cat)
        self.kind, itype, boxes = FLEETS[name]
        self.filler()
        self.boxes = [Box(self, f"{w}-{i + 1:02d}", itype, f"{'amber birch cedar'.split()[i]}-dev", make, w,
            kind, blind=name == "dev_blind") for i, (w, kind, make) in enumerate(boxes)]

    def judge(self, told, say):
        plan = told["plan"]
        items = [audit.Item(r, self) for r in plan["recommendations"]]
        ready = [i for i in items if i.tier == "sure"]
        for box in self.boxes:
            who = f"{self.name}/{box.node}"
            mine = [i for i in items if any(self.hits(op, box) for op in i.ops)]
            claimed = sum(float(i.rec["saving_month"]) for i in mine)
            gain, misses, touched = self.realise(box, [op for i in items for op in i.ops])
            _, ready_misses, _ = self.realise(box, [op for i in ready for op in i.ops])
            if self.kind == "trap":
                say(f"{who}: nothing switched off", not mine, "no item", text(mine))
                say(f"{who}: what is off when it is needed", misses == 0, "0", misses)
                continue
            say(f"{who}: found", any(i.lever == "schedule" for i in mine), "schedule", text(mine))
            say(f"{who}: dollars a month", abs(claimed - gain) <= WEEKS * gain, f"{gain:.0f}, as its timetable saves",
                f"{claimed:.0f}")
            say(f"{who}: owner", bool(mine) and all(owns(i.rec, box.team, box.user) for i in mine), box.team,
                "; ".join(str(i.rec["owner"] or i.rec["team"]) for i in mine) or "-")
            say(f"{who}: misses of Ready", ready_misses == 0, "0", ready_misses)
            say(f"{who}: misses of all", misses <= 0.01 * touched, f"at most 1 % of {touched}", misses)
            say(f"{who}: realised of the oracle's", gain >= 0.85 * box.best(), f">= 85 % of {box.best():.0f}",
                f"{gain:.0f}")
            self.finding(plan, box, who, say)

    def finding(self, plan, box, who, say):
        """named as what it is held and not used, with the money of the time outside the hours of use"""
        mine = [f for f in plan["findings"] if f["subject"].get("team") == box.team]
        named = [f for f in mine if f["lever"] == "schedule"]
        usd = sum(float(f["cost_month"]) for f in named)
        low, high = month(box.night_usd, self.hours), month(box.idle_usd, self.hours)
        first = max(mine, key=lambda f: float(f["cost_month"]), default=None)
        say(f"{who}: named as held and not used", bool(named) and first in named, "first, for schedule",
            "; ".join(f["cause"] for f in mine) or "-")
        fed = [r["id"] for k in ("recommendations", "advice") for r in plan[k]
            if r["lever"] == "input_bound" and r["subject"].get("team") == box.team]
        say(f"{who}: nobody is sent to its data loaders", not fed, "none", "; ".join(fed) or "none")
        say(f"{who}: its dollars", 0.98 * low <= usd <= 1.02 * high, f"{low:.0f} to {high:.0f}", f"{usd:.0f}")

    def hits(self, op, box):
        if op["kind"] in ("on", "off", "stop"):
            scope = op["scope"].get("cluster")
            mine = [self.ids.get(i) for i in op["nodes"]]
            return box.node in mine or (not mine and scope == [self.nodes[box.node]["cluster"]])
        where = op["scope"].get("cluster")
        return op["kind"] in ("cull", "suspend") and bool(where) and where[0] == self.nodes[box.node]["cluster"]

    def realise(self, box, ops):
        """(dollars saved in the month, times it was off when somebody came or worked, times somebody did)"""
        mine = [op for op in ops if self.hits(op, box)]
        spans = [(END, END + MONTH)]
        turns = [op for op in mine if op["kind"] in ("on", "off")]
        if {op["kind"] for op in turns} == {"on", "off"}:
            spans = on_spans(turns)
        if any(op["kind"] == "stop" and op["tier"] == "sure" for op in mine):
            spans = []
        miss = sum(not any(a <= x and y <= b for a, b in spans) for x, y, _ in box.next)
        paid = sum(b - a for a, b in spans) / HOUR * box.price
        return box.price * 730 - paid, miss, len(box.next)


def on_spans(ops):
    """when the machine is on in the month: it is at its begin, as it was"""
    turns = sorted((d + op["hour"] * HOUR, op["kind"]) for d in days(END, END + MONTH + DAY) for op in ops
        if weekday(d) in op["days"])
    spans, since = [], END
    for at, kind in turns:
        if kind == "on" and since is None:
            since = at
        elif kind == "off" and since is not None:
            spans.append((since, min(at, END + MONTH)))
            since = None
    if since is not None:
        spans.append((since, END + MONTH))
    return [(a, b) for a, b in spans if b > a]


def text(items):
    return "; ".join(f"{i.id} {float(i.rec['saving_month']):.0f}" for i in items) or "-"


def owns(rec, team, user):
    return any(x and (team in str(x) or user in str(x)) for x in (rec["owner"], rec["team"], rec["subject"]))
