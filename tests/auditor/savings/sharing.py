"""Small services and notebooks, each on a card of its own: who may share one, and who may not.

The truth of the month after: highest memory up to 2 % over what was ever read, the same loads. On a card
shared without walls a request takes 1 + the others' load of its time, and what is asked over 100 % of the
card waits. A wall of MIG keeps memory and time apart.
"""

import functools
import itertools
import re

import model
from places import DAY, END, HOUR, Place, iso, percentile

TARGET = 0.8  # of a card, in the busiest minutes
ROOM = 1.1  # of the highest reading
SLICES = {"A100-80GB": [("1g.10gb", 1, 9.5), ("2g.20gb", 2, 19.5), ("3g.40gb", 3, 39.5), ("4g.40gb", 4, 39.5),
    ("7g.80gb", 7, 79.0)]}
CARD = dict(L4=("g6.xlarge", 22.4), A100=("a2-ultragpu-1g", 80.0))


class Tenant:
    def __init__(self, name, kind, team, mem, load, **kw):
        self.name, self.kind, self.team, self.mem, self.load = name, kind, team, mem, load
        self.peak = kw.get("peak", mem)  # read in one hour of the month
        self.burst = kw.get("burst")  # load in five minutes of each hour, together with the others'
        self.p99_ms, self.slo_ms = kw.get("p99", 40), kw.get("slo")
        self.unread, self.share_with, self.replica = kw.get("unread"), kw.get("share_with"), kw.get("replica")
        self.idle_days = kw.get("idle_days")


def service(name, team, mem, load, **kw):
    return Tenant(name, "service", team, mem, load, **kw)


def notebook(name, team, mem, load, **kw):
    return Tenant(name, "notebook", team, mem, load, **kw)


# name: kind, card, tenants, reason that must be given for those who stay alone
FLEETS = dict(
    share_notebooks=("waste", "L4", [notebook(f"jupyter-{n}", "amber", m, 0.14) for n, m in
        (("ada", 4.0), ("ben", 4.4), ("col", 3.6), ("dot", 4.2))], ""),
    share_dev=("waste", "L4", [notebook(f"devbox-{n}", "amber", m, 0.2) for n, m in
        (("ada", 5.0), ("ben", 6.0), ("col", 5.5))], ""),
    share_services=("waste", "L4", [service(f"{n}-api", "birch", m, 0.18) for n, m in
        (("tag", 5.0), ("rank", 4.0), ("ocr", 6.0))], ""),
    share_five=("waste", "L4", [service(f"{n}-api", "birch", m, p) for n, m, p in (("tag", 8.0, 0.2),
        ("rank", 9.0, 0.25), ("ocr", 8.5, 0.2), ("asr", 9.5, 0.3), ("geo", 3.5, 0.15))], ""),
    share_mig=("waste", "A100", [service("tag-api", "birch", 15.0, 0.12), service("ocr-api", "cedar", 14.0, 0.1),
        service("asr-api", "ebony", 13.0, 0.14)], ""),
    share_mixed=("waste", "L4", [notebook("jupyter-ada", "amber", 4.0, 0.1), notebook("jupyter-ben", "amber", 4.0, 0.1),
        service("tag-api", "amber", 5.0, 0.15), service("rank-api", "amber", 4.0, 0.15)], ""),
    share_memory=("trap", "L4", [service("tag-api", "birch", 4.0, 0.1, peak=13.0), service("rank-api", "birch", 4.0,
        0.1, peak=12.0), service("ocr-api", "birch", 5.0, 0.1, peak=14.0)], "memory"),
    share_load=("trap", "L4", [service(f"{n}-api", "birch", 4.0, 0.06, burst=0.5) for n in ("tag", "rank", "ocr")],
        "load|busy|compute|0.8|80"),
    share_teams=("trap", "L4", [service("tag-api", "birch", 4.0, 0.1), service("ocr-api", "cedar", 4.0, 0.1),
        notebook("jupyter-ada", "amber", 4.0, 0.1)], "team|owner|MIG"),
    share_nobody=("trap", "A100", [service("tag-api", "birch", 9.0, 0.1, share_with="nobody"),
        service("ocr-api", "birch", 9.0, 0.1, share_with="nobody")], "neighbour|nobody|alone|rule"),
    share_tight=("trap", "L4", [service("tag-api", "birch", 4.0, 0.3, p99=40, slo=42), service("ocr-api", "birch",
        4.0, 0.3, p99=40, slo=42)], "latency|p99"),
    share_replicas=("trap", "L4", [service("tag-api", "birch", 4.0, 0.1, replica=1), service("tag-api", "birch", 4.0,
        0.1, replica=2)], "replica"),
    share_unread=("trap", "L4", [service("tag-api", "birch", 4.0, 0.1, unread="mem"), service("ocr-api", "birch", 4.0,
        0.1, unread="mem")], "memory|known|read"),
)


class Sharing(Place):
    ask = ["share", "plan"]

    def __init__(self, name, seed, cat):
        super().__init__(name, seed, cat, days=15)
        self.kind, card, self.tenants, self.reason = FLEETS[name]
        self.itype, self.usable = CARD[card]
        self.filler()
        for i, x in enumerate(self.tenants):
            self.place(x, i)
        self.usd = self.nodes["card-01"]["price"]

    def place(self, x, i):
        r, node, cluster = self.r, f"card-{i + 1:02d}", "serve"
        if self.itype in self.cat.types:
            self.machine(node, self.itype, cluster)
        else:
            self.machine(node, self.itype, cluster, provider="gcp", model_="A100-80GB", usd=5.07, mem=80.0, vcpu=12,
                ram=170.0)
        user = f"svc-{x.team}" if x.kind == "service" else x.name.split("-")[1]
        jid = x.name if not x.replica else f"{x.name}-{x.replica}"
        self.hold(jid, node, [0], self.begin, END, user, x.team, x.name, "inference" if x.kind == "service"
            else "research", state="RUNNING", cores=2, ram=6)
        once = self.begin + r.randrange(3, self.days - 3) * DAY + 11 * HOUR
        x.seen = []

        def reading(at):
            hour = at % DAY / HOUR
            if x.kind == "service":
                util = 100 * x.load * (0.55 + 0.45 * max(0.0, 1 - abs(hour - 14) / 9)) * r.uniform(0.92, 1.0)
                if x.burst and int(at) % HOUR < 300:
                    util = 100 * x.burst * r.uniform(0.97, 1.0)
            else:  # some hours of most days, in bursts
                busy = 8 <= hour < 19 and (int(at) // HOUR * 7 + i * 3) % 5 < 3
                util = 100 * x.load * r.uniform(0.6, 1.0) if busy and r.random() < 0.7 else 0
            mem = x.peak if once <= at < once + HOUR else x.mem * r.uniform(0.96, 1.0)
            x.seen.append(util / 100)
            return dict(util=util, mem=None if x.unread else mem, cpu=12 if util else r.uniform(0.5, 2))

        self.read(node, 0, reading)
        x.high, x.p = x.peak, percentile(x.seen, 0.99 if x.kind == "service" else 0.95)
        if x.kind == "service" and not (x.replica or 1) > 1:
            self.log(x)
        if x.slo_ms:
            self.rules.append((f"service: {x.name}", f"slo_p99_ms: {x.slo_ms}"))
        if x.share_with:
            self.rules.append((f"service: {x.name}", f"share_with: {x.share_with}"))

    def log(self, x):
        """minute by minute where it matters: a request is a fiftieth of a second of the card, one of fifty takes p99_ms"""
        fine = 1 if self.name in ("share_services", "share_tight") else 5
        for k in range(0, self.days * 1440, fine):
            at = self.begin + k * 60
            n = max(1, round(x.seen[min(len(x.seen) - 1, k * 60 // self.step)] * fine * 60 * 50))
            slow = max(1, n // 50)
            self.requests.append([iso(at), x.name, n, f"{x.p99_ms // 2}:{n - slow};{x.p99_ms - 1}:0;{x.p99_ms}:{slow}", "ok"])

    # --- the answer, by every partition of the tenants
    def may(self, group):
        """the ways in which these may be on one card, of {MIG, MPS, time slice}"""
        if len(group) == 1:
            return {"whole"}
        out = set()
        if any(x.share_with == "nobody" or x.unread for x in group) or len({x.name for x in group}) < len(group):
            return out
        kinds, teams = {x.kind for x in group}, {x.team for x in group}
        together = (sum(x.high * ROOM for x in group) <= self.usable and sum(x.p for x in group) <= TARGET
            and len(teams) == 1 and all(self.in_time(x, group) for x in group))
        if together and kinds == {"service"}:
            out.add("mps")
        if together and kinds == {"notebook"}:
            out.add("timeslice")
        model_ = self.nodes["card-01"]["t"]["model"]
        if model_ in SLICES:
            need = [min((s for _, s, m in SLICES[model_] if x.high * ROOM <= m and x.p <= TARGET * s / 7),
                default=99) for x in group]
            if sum(need) <= 7:
                out.add("mig")
        return out

    def in_time(self, x, group):
        """in truth, p99 beside these neighbours keeps what was promised: half as much again, if nothing was"""
        return x.kind != "service" or self.p99(x, group) <= (x.slo_ms or 1.5 * x.p99_ms)

    @staticmethod
    def p99(x, group):
        return x.p99_ms * (1 + sum(y.p for y in group if y is not x))

    def fewest(self):
        n = len(self.tenants)

        @functools.lru_cache(None)
        def best(left):
            if not left:
                return 0
            first, rest = left[0], left[1:]
            out = n
            for k in range(len(rest) + 1):
                for more in itertools.combinations(rest, k):
                    if self.may([self.tenants[i] for i in (first,) + more]):
                        out = min(out, 1 + best(tuple(i for i in rest if i not in more)))
            return out

        return best(tuple(range(n)))

    # --- what is said
    def judge(self, told, say):
        share, plan, who = told["share"], told["plan"], self.name
        cards = [c for c in share["layout"] if not any("steady" in t["name"] or "pretrain" in t["name"]
            for t in c["tenants"])]
        want = self.fewest()
        say(f"{who}: cards", len(cards) == want, want, len(cards))
        usd = (len(self.tenants) - want) * self.usd * 730
        said = float(share["worth_month"] or 0)
        say(f"{who}: dollars a month", abs(said - usd) < 0.01, f"{usd:.2f}", f"{said:.2f}")
        groups = [(c["how"].lower().replace(" ", "").replace("_", ""), self.of(c), c["tenants"]) for c in cards]
        wrong = [f"{how} {' '.join(x.name for x in g)}" for how, g, _ in groups if how not in self.may(g)]
        say(f"{who}: only what may share does", not wrong, "none", "; ".join(wrong) or "none")
        named = {t["name"] for c in cards for t in c["tenants"]}
        say(f"{who}: all are placed", named == {x.name for x in self.tenants}, len({x.name for x in self.tenants}),
            len(named))
        owners = [t["owner"] for c in cards for t in c["tenants"]]
        say(f"{who}: owners", sorted(map(str, owners)) == sorted(x.team for x in self.tenants),
            " ".join(sorted(x.team for x in self.tenants)), " ".join(sorted(map(str, owners))))
        oom, late = self.realise(groups)
        say(f"{who}: out of memory in the month", oom == 0, "0", oom)
        say(f"{who}: over the latency", late == 0, "0", late)
        alone = {x.name for _, g, _ in groups if len(g) == 1 for x in g}
        reasons = {n["tenant"]: [] for n in share["not_shared"]}
        for n in share["not_shared"]:
            reasons[n["tenant"]].append(n["why"])
        for c in cards:
            for t in c["tenants"]:
                if t["name"] in alone:
                    reasons.setdefault(t["name"], []).append(c["why"])
        mute = [x for x in alone if not any(reasons.get(x, []))]
        say(f"{who}: why alone", not mute, "a reason each", " ".join(mute) or "each")
        if self.kind == "trap":
            off = [x for x in alone if not re.search(self.reason, " ".join(map(str, reasons.get(x, []))), re.I)]
            say(f"{who}: the right reason", not off, self.reason, "; ".join(map(str, reasons.get(off[0], ["-"]))) if off
                else "it is")
        self.lever(plan, who, want, say)

    def lever(self, plan, who, want, say):
        """the plan itself shares, or says why it does not; never what may not be shared"""
        def speaks(x):
            words = f"{x['title']} {x['subject']} {x['id']}"
            return x["lever"] == "share" and any(t.name in words or t.team in words or "serve" in words
                for t in self.tenants)

        recs = [r for r in plan["recommendations"] if speaks(r)]
        others = [r for k in ("advice", "refused") for r in plan[k] if speaks(r)]
        notes = [n for n in plan["notes"] if re.search(r"\bshar|\bMIG\b|\bMPS\b|time.?slice", n)]
        if self.kind == "trap":
            say(f"{who}: the plan shares nothing", not recs, "no item", "; ".join(r["id"] for r in recs) or "-")
            return
        say(f"{who}: the plan says it, or why not", bool(recs or others or notes), "item, advice, refused or note",
            "; ".join([r["id"] for r in recs + others] + notes[:1]) or "mute")
        most = (len(self.tenants) - want) * self.usd * 730
        said = sum(float(r["saving_month"]) for r in recs)
        say(f"{who}: the plan counts no more than is there", said <= most * 1.01, f"<= {most:.0f}", f"{said:.0f}")
        say(f"{who}: and not as Ready", all(r["tier"] == "trial" for r in recs), "trial",
            " ".join(r["tier"] for r in recs) or "-")

    def of(self, card):
        left = list(self.tenants)
        out = []
        for t in card["tenants"]:
            x = next((y for y in left if y.name == t["name"] and all(y is not o for o in out)), None)
            if x:
                out.append(x)
        return out

    def room(self, told):
        """GiB that what is printed leaves to one on a shared card"""
        if told["profile"]:
            sizes = {p: m for p, _, m in SLICES.get(self.nodes["card-01"]["t"]["model"], [])}
            return sizes.get(told["profile"], 0)
        return told["mem_limit_mib"] / 1024 if told["mem_limit_mib"] else None

    def realise(self, groups):
        """(tenants out of memory, services over their latency) of the month after"""
        oom = late = 0
        for how, g, told in groups:
            if len(g) < 2:
                continue
            need = [x.high * (1 + 0.02 * model.chance("next", self.name, x.name)) for x in g]
            room = [self.room(t) for t in told]
            oom += sum(n > m for n, m in zip(need, room) if m is not None)
            if how != "mig":
                oom += len(g) if sum(need) > self.usable else 0
                late += sum(not self.in_time(x, g) for x in g)
            else:
                oom += sum(m is None for m in room)
        return oom, late

