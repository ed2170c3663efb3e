"""GPUs that idled while jobs waited that would have fitted: counted by the minute from the truth, and traps.

A card idles in an hour of the clock in which its holder did nothing, or nobody held it. Jobs that wait are
placed in order of submission, on free cards first, each on one machine of its cluster and card.
"""

from places import DAY, END, HOUR, Place, month

NEAR = 0.01  # of hours and dollars: readings stand on five minutes, jobs on one


class Queued(Place):
    """a cluster in which jobs wait for one machine, and others hold or have what they do not use"""
    ask = ["plan"]
    FLEETS = dict(
        queued_held="waste", queued_two="waste", queued_free="waste", queued_gang="waste", queued_part="waste",
        queued_model="trap", queued_wide="trap", queued_nodes="trap", queued_ram="trap", queued_used="trap",
        queued_unread="trap", queued_once="trap",
    )

    def __init__(self, name, seed, cat):
        super().__init__(name, seed, cat, days=14)
        self.kind = self.FLEETS[name]
        self.idle = []  # (node, GPUs, holder or None, hours of the clock in which they idle)
        self.want = dict(gpus=1, nodes=1, itype="g5.xlarge", cores=3, ram=12)
        self.filler()
        getattr(self, name)()

    # --- what is there
    def box(self, node, itype, gpus, team, uses, low=None, blind=False):
        """held all the time by one of the team; used in the hours for which uses(day, hour) is true"""
        user, r = self.people.pop(), self.r
        if node not in self.nodes:
            self.machine(node, itype, "batch")
        t = self.cat.types[itype]
        self.hold(f"lab-{user}", node, gpus, self.begin, END, user, team, f"lab-{user}", "research", state="RUNNING",
            cores=1, ram=4)
        hours = set()
        for h in range(int(self.begin // HOUR), int(END // HOUR)):
            if not uses(h // 24, h % 24):
                hours.add(h)

        def reading(at):
            if int(at // HOUR) in hours:
                if low:
                    return dict(util=r.uniform(*low), mem=5, cpu=3)
                return None if blind else dict(util=0, mem=5, cpu=1)
            return dict(util=r.uniform(30, 80), mem=6, cpu=25)

        for g in gpus:
            self.read(node, g, reading)
        if not low and not blind:
            self.idle.append((node, gpus, team, hours))
        return t

    def free(self, node, itype):
        """nobody's, all the time"""
        self.machine(node, itype, "batch")
        n = self.cat.types[itype]["gpus"]
        for g in range(n):
            self.read(node, g, lambda t: dict(util=0, mem=0, cpu=1))
        self.idle.append((node, list(range(n)), None, set(range(int(self.begin // HOUR), int(END // HOUR)))))

    def works(self, node, itype, gpus, team="holly"):
        """cards of a machine that work all the time"""
        user, r = self.people.pop(), self.r
        if node not in self.nodes:
            self.machine(node, itype, "batch")
        at, k = self.begin, 0
        while at < END:
            end = min(END, at + 24 * HOUR)
            self.hold(f"run-{user}-{k}", node, gpus, at, end, user, team, "fit", limit_h=25,
                cores=2 * len(gpus), ram=8)
            at, k = end, k + 1
        for g in gpus:
            self.read(node, g, lambda t: dict(util=r.uniform(90, 98), mem=14, cpu=60))

    def line(self, node, itype, team, per_day, hours, gpus=1, cores=3, ram=12, at_once=False):
        """jobs of a team on this machine alone, one after the other; those that come together wait"""
        user, r, free = self.people.pop(), self.r, self.begin
        self.machine(node, itype, "batch")
        self.waits, runs = [], []
        for d in range(self.days):
            day = self.begin + d * DAY
            for k in range(per_day):
                submit = day + (0 if at_once else 8 * HOUR) + (k * HOUR * 5 if at_once else k * 60 * r.randint(7, 40))
                start = submit if at_once else max(submit, free)
                end = start + int(hours * HOUR * r.uniform(0.9, 1.0)) // 60 * 60
                if end > END - 2 * HOUR:
                    continue
                free = end
                runs.append((start, end))
                self.hold(f"{team}-{d}-{k}", node, list(range(gpus)), start, end, user, team, f"train-{d}-{k}",
                    submit=submit, limit_h=hours + 1, cores=cores, ram=ram)
                self.waits.append((submit, start, f"{team}-{d}-{k}", team))
        self.want = dict(gpus=gpus, itype=itype)

        def reading(at):
            on = any(a <= at < b for a, b in runs)
            return dict(util=r.uniform(88, 97), mem=15, cpu=50) if on else dict(util=0, mem=0, cpu=1)

        for g in range(gpus):
            self.read(node, g, reading)
        busy = set()
        for a, b in runs:
            busy |= set(range(int(a // 60), int(b // 60)))
        self.own = (node, gpus, busy)  # its own machine is free when nobody waits

    # --- the fleets
    def queued_held(self):
        self.box("lab-01", "g5.xlarge", [0], "amber", lambda d, h: 9 <= h < 15)
        self.line("gpu-01", "g5.xlarge", "cedar", 3, 6)

    def queued_two(self):
        """two owners, idle at other hours"""
        self.box("lab-01", "g5.xlarge", [0], "amber", lambda d, h: 6 <= h < 20)
        self.box("lab-02", "g5.xlarge", [0], "birch", lambda d, h: not 10 <= h < 16)
        self.line("gpu-01", "g5.xlarge", "cedar", 3, 6)

    def queued_free(self):
        self.free("spare-01", "g5.xlarge")
        self.line("gpu-01", "g5.xlarge", "cedar", 3, 6)

    def queued_gang(self):
        """four cards together, and four idle ones on one machine"""
        self.box("lab-01", "g5.12xlarge", [0, 1, 2, 3], "amber", lambda d, h: 9 <= h < 15)
        self.line("gpu-01", "g5.12xlarge", "cedar", 3, 6, gpus=4, cores=20, ram=60)

    def queued_part(self):
        """two of four cards idle on a machine whose other two work; jobs of two cards wait"""
        self.box("lab-01", "g5.12xlarge", [0, 1], "amber", lambda d, h: 9 <= h < 15)
        self.works("lab-01", "g5.12xlarge", [2, 3])
        self.line("gpu-01", "g5.12xlarge", "cedar", 3, 6, gpus=2, cores=10, ram=30)
        self.works_rest("gpu-01", [2, 3])

    def works_rest(self, node, gpus):
        self.works(node, self.nodes[node]["t"]["name"], gpus, "ivory")

    def queued_model(self):
        """idle T4s, jobs for A10Gs"""
        self.box("lab-01", "g4dn.xlarge", [0], "amber", lambda d, h: 9 <= h < 15)
        self.line("gpu-01", "g5.xlarge", "cedar", 3, 6)
        self.idle = []

    def queued_wide(self):
        """four idle cards, one on each machine; the jobs want four on one"""
        for i in range(4):
            self.works(f"lab-{i + 1:02d}", "g5.12xlarge", [1, 2, 3])
            self.box(f"lab-{i + 1:02d}", "g5.12xlarge", [0], "amber", lambda d, h: 9 <= h < 15)
        self.line("gpu-01", "g5.12xlarge", "cedar", 3, 6, gpus=4, cores=20, ram=60)
        self.idle = []

    def queued_nodes(self):
        """idle cards in another cluster"""
        self.box("lab-01", "g5.xlarge", [0], "amber", lambda d, h: 9 <= h < 15)
        self.line("gpu-01", "g5.xlarge", "cedar", 3, 6)
        self.nodes["lab-01"]["cluster"] = "desk"
        self.covers.append("desk")
        for j in self.jobs:
            if j["node"] == "lab-01":
                j["cluster"] = "desk"
        for s in self.samples:
            if s[1] == "lab-01":
                s[-1] = "desk"
        self.idle = []

    def queued_ram(self):
        """the same card, in a machine with a quarter of the memory that the jobs book"""
        self.box("lab-01", "g5.xlarge", [0], "amber", lambda d, h: 9 <= h < 15)
        self.line("gpu-01", "g5.4xlarge", "cedar", 3, 6, cores=4, ram=50)
        self.idle = []

    def queued_used(self):
        """a little in every hour is use"""
        self.box("lab-01", "g5.xlarge", [0], "amber", lambda d, h: 9 <= h < 15, low=(3, 8))
        self.line("gpu-01", "g5.xlarge", "cedar", 3, 6)

    def queued_unread(self):
        self.box("lab-01", "g5.xlarge", [0], "amber", lambda d, h: 9 <= h < 15, blind=True)
        self.line("gpu-01", "g5.xlarge", "cedar", 3, 6)

    def queued_once(self):
        """jobs that start when they are submitted"""
        self.box("lab-01", "g5.xlarge", [0], "amber", lambda d, h: 9 <= h < 15)
        self.line("gpu-01", "g5.xlarge", "cedar", 3, 4, at_once=True)

    # --- the count
    def count(self):
        """{holder: [GPU seconds, dollars, seconds of wait, jobs]}, by the minute"""
        out, n = {}, self.want["gpus"]
        for minute in range(self.begin // 60, END // 60):
            queue = sorted(w for w in self.waits if w[0] // 60 <= minute < w[1] // 60)
            if not queue:
                continue
            left = {}  # machine -> [(holder, GPU)], free ones first
            for node, gpus, holder, hours in self.idle:
                if minute // 60 in hours:
                    left.setdefault(node, []).extend((holder is not None, str(holder), g) for g in gpus)
            for w in queue:
                fits = [(sum(x[0] for x in sorted(v)[:n]), node) for node, v in sorted(left.items()) if len(v) >= n]
                if not fits:
                    break
                node = min(fits)[1]
                left[node].sort()
                taken, left[node] = left[node][:n], left[node][n:]
                for held, holder, _ in taken:
                    x = out.setdefault(holder if held else None, [0, 0.0, 0, set()])
                    x[0] += 60
                    x[1] += self.nodes[node]["price"] / self.nodes[node]["t"]["gpus"] / 60
                    x[2] += 60 / n
                    x[3].add(w[2])
        return out

    def judge(self, told, say):
        rows = [q for q in told["plan"]["idle_while_queued"] if q["cluster"] != "steady"]
        want, who = self.count(), self.name
        for holder, (gpu_s, usd, wait, jobs) in sorted(want.items(), key=str):
            mine = [q for q in rows if q["held_by"] == holder]
            name = holder or "nobody"
            say(f"{who}/{name}: found, by owner", bool(mine), name, ", ".join(str(q["held_by"]) for q in rows) or "-")
            got = [sum(float(q[k]) for q in mine) for k in ("gpu_seconds", "cost_month", "wait_seconds", "jobs")]
            asked = (gpu_s, month(usd, self.hours), wait, len(jobs))
            for what, a, b, scale in zip(("GPU-hours", "dollars a month", "hours of wait", "jobs"), asked, got,
                    (HOUR, 1, HOUR, 1)):
                say(f"{who}/{name}: {what}", abs(a - b) <= (0 if what == "jobs" else NEAR * a), f"{a / scale:.1f}",
                    f"{b / scale:.1f}")
            teams = {w["team"] for q in mine for w in q["waited"]}
            say(f"{who}/{name}: who waited", teams == {"cedar"}, "cedar", " ".join(sorted(map(str, teams))) or "-")
        strange = [q for q in rows if q["held_by"] not in want]
        say(f"{who}: nobody else", not strange, "none", "; ".join(f"{q['held_by']} {q['gpu_seconds']}" for q in strange)
            or "none")
        self.found(told["plan"], want, who, say)

    def found(self, plan, want, who, say):
        """the findings say the same, and neither is in a sum of what the plan saves"""
        causes = [f for f in plan["findings"] if f["cause"].startswith("idle_while_queued")
            and f["subject"].get("cluster") != "steady"]
        kinds = {"free" if h is None else "held" for h in want}
        said = {f["cause"].split("/")[-1] for f in causes}
        say(f"{who}: in the findings", said == kinds, " ".join(sorted(kinds)) or "none", " ".join(sorted(said)) or "none")
