"""A second bookkeeper: the ledger of docs/LEDGER.md once more, small, slow and exact, to compare the program with.

It shares no line with the program. Time is cut at every boundary, shares and money are fractions, nothing is rounded
before the comparison. What the definitions leave open is decided here and said:

 1. A job source is one imported file. Its time is per cluster, from the first submit or start to the last end of its
    rows of that cluster; it witnesses for the nodes that its rows name, and for pools that its rows are entered against.
 2. A list is partial for a cluster if all its rows of that cluster name one and the same user.
 3. A witness by readings is a reading with utilisation at the idle bound and memory known and at or below the empty
    bound. Where the memory is unknown and nobody holds the card: unallocated if a job source covers it, else idle_held
    without an owner, estimated, as the table of states says.
 4. Several witnesses: the best quality of theirs counts (measured, then estimated, then assumed).
 5. The part of a card that nobody holds while others hold the rest is unallocated if a job source covers it, or if a
    reading of the whole card shows neither use nor memory; a reading that shows the others' use says nothing about it.
 6. Without any node record an allocation's own share is all that is known to be paid; the rest of the card is not. A reading
    of a card that nobody holds makes the whole card paid over its step, but for one that began while the card was held.
 7. A reading that names a job says nothing about other jobs, also after its job ended. Like a reading of the card, it is
    left out of unallocated time if it began while the card was held.
 8. An idle run is as long as its readings are: gaps in it do not make it "half an hour or more".
 9. --covers replaces what is guessed of that list for that cluster, also outside of --since and --until. Of a cluster
    without jobs in the list it is over the time of all jobs of the list.
10. A job's own reading that is not valid leaves room for the card's (the program: it does not; not generated).
11. MPS clients without a percentage where nothing is left by those with one: a part as if all were equal, then all shrink.
12. Without a job source over it, an allocation is still a fact: its holder is entered; the card's rest is unwatched.
13. The cards of a node are of one model: that of its record, else of its earliest job that says one.
14. Where several hold a card at prices of their own, that of the first to start counts, then by the job's name.
15. A share with sevenths of a card without a record may leave a part of 10^-12 / 3,600,000 of the currency in an hour:
    no remainder holds less.
"""
import csv
import datetime
import fnmatch
import hashlib
import io
import os
import re
from fractions import Fraction as F

HOUR = 3600 * 1000
MIB = 1024 * 1024

LOST = {
    "failed": "failed",
    "cancelled": "cancelled",
    "preempted": "preempted",
    "evicted": "evicted",
    "node_fail": "node_failure",
    "timeout": None,
    "completed": None,
    "": None,
    "running": None,
}


class Reject(Exception):
    pass


def time_ms(text):
    """RFC 3339, also with a blank, a date alone; no zone is UTC."""
    text = text.strip()
    if not text:
        return None
    m = re.fullmatch(
        r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|[+-]\d\d:\d\d)?)?",
        text,
    )
    if not m:
        raise Reject(f"time {text!r}")
    y, mo, d, h, mi, s, frac, zone = m.groups()
    base = datetime.datetime(
        int(y),
        int(mo),
        int(d),
        int(h or 0),
        int(mi or 0),
        int(s or 0),
        tzinfo=datetime.timezone.utc,
    )
    ms = int(base.timestamp()) * 1000
    if frac:
        ms += int(frac.ljust(3, "0")[:3])
    if zone and zone != "Z":
        sign = 1 if zone[0] == "+" else -1
        ms -= sign * (int(zone[1:3]) * 60 + int(zone[4:6])) * 60000
    return ms


def iso(ms):
    t = datetime.datetime.fromtimestamp(ms // 1000, datetime.timezone.utc)
    return t.strftime("%Y-%m-%dT%H:%M:%SZ")


def num(text):
    text = (text or "").strip()
    return F(text) if text else None


class Row(dict):
    def __getattr__(self, name):
        return self.get(name)


# ---- catalogue facts the definitions point at (data/ of the project) ----


class Catalogue:
    def __init__(self, folder):
        self.tdp, self.mem, self.mig_set, self.slices = {}, {}, {}, {}
        with open(os.path.join(folder, "gpus.csv")) as f:
            for r in csv.DictReader(f):
                self.tdp[r["model"]] = num(r["tdp_w"])
                self.mem[r["model"]] = num(r["memory_gib"])
                if r["mig_set"]:
                    self.mig_set[r["model"]] = r["mig_set"]
                    self.slices[r["model"]] = (
                        int(r["mig_compute_slices"]),
                        int(r["mig_memory_slices"]),
                    )
        self.profiles = {}
        with open(os.path.join(folder, "mig_profiles.csv")) as f:
            for r in csv.DictReader(f):
                self.profiles.setdefault(r["mig_set"], {})[r["profile"]] = (
                    int(r["compute_slices"]),
                    int(r["memory_slices"]),
                    int(r["max_instances"]),
                    [int(x) for x in r["starts"].split()],
                )


# ---- what was imported ----


class Store:
    """Files in the order they were imported; the newest telling of one thing counts."""

    def __init__(self, catalogue):
        self.cat = catalogue
        self.nodes, self.allocs, self.samples = {}, {}, {}
        self.sources = []  # job lists: dict(cluster -> [from, to]), nodes, users, rows
        self.covers = []  # (cluster, since, until, source): this list is complete
        self.seen = set()

    def load(self, path, set_=None, covers=None):
        raw = open(path, "rb").read()
        digest = hashlib.sha256(raw + repr(sorted((set_ or {}).items())).encode()).hexdigest()
        if digest in self.seen:
            return
        self.seen.add(digest)
        rows = []
        for r in csv.DictReader(io.StringIO(raw.decode())):
            row = Row({k.lower(): (v or "").strip() for k, v in r.items()})
            for k, v in (set_ or {}).items():
                row[k] = v
            rows.append(row)
        if not rows:
            return
        head = rows[0]
        if "gpu_count" in head and "purchase" in head:
            self._nodes(rows)
        elif "job_id" in head and "start" in head:
            self._allocs(rows)
            if covers:
                self.covers.append(
                    (
                        covers[0],
                        time_ms(covers[1] or ""),
                        time_ms(covers[2] or ""),
                        self.sources[-1],
                    )
                )
        elif "time" in head and "gpu" in head:
            self._samples(rows)
        else:
            raise Reject("kind of " + path)

    def _nodes(self, rows):
        for r in rows:
            n = Row(
                node=r.node,
                cluster=r.cluster or "",
                provider=r.provider,
                region=r.region,
                model=r.gpu_model,
                count=int(r.gpu_count),
                ids=[x for x in (r.gpu_ids or "").split(";") if x],
                purchase=r.purchase,
                t0=time_ms(r["from"]),
                t1=time_ms(r.to or ""),
                usd_hour=num(r.usd_hour),
                resource_id=r.resource_id or "",
            )
            self.nodes[(n.node, n.cluster, n.provider, n.t0)] = n

    def _allocs(self, rows):
        src = {"spans": {}, "nodes": set(), "pools": set(), "users": set()}
        clusters = {n.node: n.cluster for n in self.nodes.values()}
        for r in rows:
            a = Row(
                job=r.job_id,
                user=r.user or None,
                team=r.team or None,
                project=r.project or None,
                env=r.env or None,
                workload=r.workload or None,
                name=r.name or None,
                model=r.gpu_model or None,
                gpus=num(r.gpus),
                ids=[x for x in (r.gpu_ids or "").split(";") if x],
                kind=r.share_kind or "",
                share=num(r.gpu_share),
                profile=r.mig_profile or None,
                mig_start=int(r.mig_start) if r.mig_start else None,
                submit=time_ms(r.submit or ""),
                t0=time_ms(r.start),
                t1=time_ms(r.end or ""),
                state=r.state or "",
                node=r.node or None,
                cluster=r.cluster or "",
                usd_gpu_hour=num(r.usd_gpu_hour),
                src=src,
            )
            self.allocs[(a.job, a.name, a.cluster, a.node, tuple(a.ids), a.mig_start, a.t0)] = a
            src["users"].add(a.user)
            src.setdefault("rows", []).append(a)
        self.sources.append(src)

    def _samples(self, rows):
        for r in rows:
            t = time_ms(r.time)
            s = Row(
                t=t,
                node=r.node or None,
                gpu=r.gpu,
                mig=r.mig or None,
                job=r.job_id or None,
                util=num(r.gpu_util_pct),
                sm=num(r.sm_active_frac),
                used=num(r.mem_used_bytes),
                total=num(r.mem_total_bytes),
                power=num(r.power_w),
                step=int(num(r.step_s) * 1000) if r.step_s else None,
                usd_gpu_hour=num(r.usd_gpu_hour),
                model=r.gpu_model,
            )
            key = (s.node, s.gpu, s.mig, s.job, t)
            old = self.samples.get(key)
            if old:
                for k, v in s.items():
                    if v is not None:
                        old[k] = v
            else:
                self.samples[key] = s


# ---- the ledger ----

QUALITY = ["measured", "estimated", "assumed"]


class Entry:
    __slots__ = ("ms", "cost", "priced_ms", "cuts")

    def __init__(self):
        self.ms, self.cost, self.priced_ms, self.cuts = F(0), F(0), F(0), 0


class Book:
    """entries: key (hour, cluster, node, gpu, job, user, team, project, state, cause, quality, purchase) -> Entry
    hours: (hour, cluster, node, gpu) -> [paid ms, exact cost]"""

    def __init__(self, store, config=None):
        self.s, self.cat = store, store.cat
        self.cfg = dict(
            idle=F(0),
            under=F(25),
            empty_mib=F(500),
            empty_frac=F(1, 100),
            stalled_sm=F(1, 100),
            stalled_power=F(22, 100),
            finished=30 * 60000,
            mig_share="compute",
            witnesses=True,
        )
        self.cfg.update(config or {})
        self._rules()
        self.entries, self.hours = {}, {}
        self.unpaid_held = F(0)
        self.oversubscribed = F(0)
        self._cards()
        self._witnesses()
        # A node is entered card by card where something names one of its cards; else it is one pool: no card is invented.
        pooled = {a.node for a in store.allocs.values() if not a.ids}
        named = {c.node for c in self.cards.values() if c.allocs or c.samples}
        self.pool_nodes = pooled | (set(self.by_node) - named)
        for card in self.cards.values():
            if card.node not in self.pool_nodes:
                self._post_card(card)
        self._post_pools()

    def _rules(self):
        """virtual_tags: first to last, all patterns must match what is known; later rules see what earlier ones set"""
        for a in self.s.allocs.values():
            for when, put, override in self.cfg.get("rules", []):
                seen = dict(
                    user=a.user,
                    team=a.team,
                    project=a.project,
                    node=a.node,
                    job=a.job,
                    cluster=a.cluster or None,
                )
                if all(
                    seen[k] is not None and fnmatch.fnmatchcase(seen[k], v) for k, v in when.items()
                ):
                    for k, v in put.items():
                        if override or a[k] is None:
                            a[k] = v

    # -- cards and who touches them --

    def _cards(self):
        self.cards = (
            {}
        )  # id -> Row(node, cluster, paid [(t0,t1,rate,purchase,model)], allocs, samples)
        self.by_node = {}  # node -> [records]
        self.index = {}  # (node, idx) -> card id
        for n in sorted(self.s.nodes.values(), key=lambda n: n.t0):
            self.by_node.setdefault(n.node, []).append(n)
            for i in range(n.count):
                cid = n.ids[i] if i < len(n.ids) else f"{n.node}/{i}"
                self.index[(n.node, str(i))] = cid
                c = self.cards.setdefault(
                    cid,
                    Row(
                        id=cid,
                        node=n.node,
                        cluster=n.cluster,
                        paid=[],
                        allocs=[],
                        samples=[],
                        recorded=True,
                        model=n.model,
                    ),
                )
                rate = None if n.usd_hour is None else n.usd_hour / n.count
                c.paid.append((n.t0, n.t1, rate, n.purchase))
        self.node_cluster = {n: r[0].cluster for n, r in self.by_node.items()}
        for a in self.s.allocs.values():
            if a.node and a.cluster:
                self.node_cluster.setdefault(a.node, a.cluster)
        self.node_model = {}
        for a in sorted(self.s.allocs.values(), key=lambda a: a.t0):
            if a.node and a.model:
                self.node_model.setdefault(a.node, a.model)
        for a in self.s.allocs.values():
            a.pooled = not a.ids
            if a.pooled:
                continue
            for g in a.ids:
                self._card(a.node, g, a.cluster, a.model).allocs.append(a)
        for smp in self.s.samples.values():
            self._card(smp.node, smp.gpu, "", smp.model).samples.append(smp)

    def _card(self, node, gpu, cluster, model):
        cid = self.index.get(
            (node, gpu), gpu if gpu in self.cards or not gpu.isdigit() else f"{node}/{gpu}"
        )
        c = self.cards.get(cid)
        if not c:
            recs = self.by_node.get(node)
            c = self.cards[cid] = Row(
                id=cid,
                node=node,
                cluster=self.node_cluster.get(node) or cluster or (recs[0].cluster if recs else ""),
                paid=[],
                allocs=[],
                samples=[],
                recorded=bool(recs),
                model=self.node_model.get(node) or model,
            )
        if cluster and not c.cluster:
            c.cluster = cluster
        return c

    # -- witnesses --

    def _witnesses(self):
        self.watch = []  # (t0, t1, nodes, quality)
        node_cluster = self.node_cluster
        for src in self.s.sources:
            spans, nodes, users = {}, {}, {}
            for a in src["rows"]:
                cl = a.cluster or node_cluster.get(a.node, "")
                t0 = a.t0 if a.submit is None else min(a.submit, a.t0)
                lo, hi = spans.get(cl, (t0, a.t1))
                spans[cl] = (min(lo, t0), max(hi, a.t1))
                nodes.setdefault(cl, set()).add(a.node)
                users.setdefault(cl, set()).add(a.user)
            for cl, (t0, t1) in spans.items():
                if any(c[3] is src and c[0] == cl for c in self.s.covers):
                    continue  # told, not guessed
                if len(users[cl]) == 1 and users[cl] != {None}:
                    continue  # partial
                self.watch.append((t0, t1, nodes[cl], "assumed"))
        for cl, t0, t1, src in self.s.covers:
            mine = [a for a in src["rows"] if (a.cluster or node_cluster.get(a.node, "")) == cl]
            mine = mine or src["rows"]  # a cluster in which nothing runs
            if t0 is None and mine:
                t0 = min(a.t0 if a.submit is None else min(a.submit, a.t0) for a in mine)
            if t1 is None and mine:
                t1 = max(a.t1 for a in mine)
            if t0 is not None and t1 is not None:
                self.watch.append(
                    (t0, t1, {n for n, c in node_cluster.items() if c == cl}, "measured")
                )

    def _witness(self, node, t0, t1):
        if not self.cfg["witnesses"]:
            return "measured"
        best = None
        for w0, w1, nodes, q in self.watch:
            if w0 <= t0 and t1 <= w1 and node in nodes:
                if best is None or QUALITY.index(q) < QUALITY.index(best):
                    best = q
        return best

    # -- one card --

    def _series(self, card):
        by = {}
        for s in card.samples:
            by.setdefault((s.job, s.mig), []).append(s)
        out = []
        for key, ss in by.items():
            ss.sort(key=lambda s: s.t)
            for i, s in enumerate(ss):
                end = s.t + s.step
                if i + 1 < len(ss):
                    end = min(end, ss[i + 1].t)
                out.append((s.t, end, s))
        return out

    def _post_card(self, card):
        series = self._series(card)
        cuts = set()
        for t0, t1, *_ in card.paid:
            cuts |= {t0, t1}
        for a in card.allocs:
            cuts |= {a.t0, a.t1}
        for t0, t1, _ in series:
            cuts |= {t0, t1}
        if not cuts:
            return
        for w0, w1, *_ in self.watch:
            cuts |= {w0, w1}
        lo, hi = min(cuts), max(cuts)
        h = lo - lo % HOUR
        while h < hi:
            h += HOUR
            cuts.add(h)
        cuts = sorted(cuts)
        for t0, t1 in zip(cuts, cuts[1:]):
            self._piece(card, t0, t1, series)

    def _piece(self, card, t0, t1, series):
        paid = [p for p in card.paid if p[0] <= t0 and t1 <= p[1]]
        holders = [a for a in card.allocs if a.t0 <= t0 and t1 <= a.t1]
        readings = [(s0, s) for s0, s1, s in series if s0 <= t0 and t1 <= s1]
        assumed = False
        if paid:
            rate, purchase = paid[-1][2], paid[-1][3]
        else:
            tail = readings and all(
                any(a.t0 <= s0 < a.t1 for a in card.allocs) for s0, _ in readings
            )
            if card.recorded or not holders and (not readings or tail):
                if holders:
                    self.unpaid_held += (t1 - t0) * len(holders)
                return
            assumed, purchase = True, None
            first = sorted(holders, key=lambda a: (a.t0, a.job))
            rates = [a.usd_gpu_hour for a in first if a.usd_gpu_hour is not None] + [
                s.usd_gpu_hour for _, s in readings if s.usd_gpu_hour is not None
            ]
            rate = rates[0] if rates else None
        ms = t1 - t0
        shares, rest, rest_cause = self._shares(card, holders)
        for a, share in shares:
            if share == 0:
                continue
            state, cause, q = self._state(card, a, holders, readings)
            if (state, cause) in (("idle_held", None), ("idle_empty", None)):
                cause = self._idle_cause(card, a, t0, state, series)
            if assumed:
                q = "assumed"
            self._post(card, t0, t1, ms * share, rate, purchase, a, state, cause, q)
        if assumed and holders:
            rest = F(0)  # no record says that the card was paid beyond what was held
        if rest > 0:
            owner, state, cause, q = self._nobody(
                card, holders, readings, t0, t1, series, rest_cause
            )
            if assumed:
                q = "assumed"
            self._post(card, t0, t1, ms * rest, rate, purchase, owner, state, cause, q)

    def _shares(self, card, holders):
        """[(allocation, share)], what nobody holds, its cause"""
        if not holders:
            return [], F(1), "free"
        want, open_ = {}, []
        mig = [a for a in holders if a.kind == "mig"]
        cause = "free"
        for i, a in enumerate(holders):
            if a.kind in ("", "whole"):
                want[i] = a.share if a.share is not None else F(1)
            elif a.kind == "mig":
                comp, mem, _, _ = self.cat.profiles[self.cat.mig_set[card.model]][a.profile]
                total = self.cat.slices[card.model]
                want[i] = (
                    F(comp, total[0]) if self.cfg["mig_share"] == "compute" else F(mem, total[1])
                )
                same = [
                    b
                    for b in mig
                    if b.mig_start is not None
                    and b.mig_start == a.mig_start
                    and b.profile == a.profile
                ]
                if len(same) > 1:
                    want[i] /= len(same)
            elif a.share is not None:
                want[i] = a.share
            else:
                open_.append(i)
        left = max(F(0), 1 - sum(want.values(), F(0)))
        for i in open_:
            want[i] = left / len(open_) if left else F(1, len(holders))
        total = sum(want.values(), F(0))
        if total > 1:
            want = {i: w / total for i, w in want.items()}
            self.oversubscribed += 1
            total = F(1)
        if mig and total < 1 and len(mig) == len(holders):
            cause = self._stranded(card, mig)
        return [(holders[i], want[i]) for i in sorted(want)], 1 - total, cause

    def _stranded(self, card, mig):
        """free if at least one more instance of any profile can be made"""
        profs = self.cat.profiles[self.cat.mig_set[card.model]]
        comp_total, mem_total = self.cat.slices[card.model]
        seen = {(a.mig_start, a.profile) for a in mig}
        if any(s is None for s, _ in seen):
            return "free"
        used = set()
        comp = 0
        count = {}
        for s, p in seen:
            c, m, _, _ = profs[p]
            comp += c
            used |= set(range(s, s + m))
            count[p] = count.get(p, 0) + 1
        for p, (c, m, most, starts) in profs.items():
            if comp + c > comp_total or count.get(p, 0) >= most:
                continue
            for s in starts:
                if not used & set(range(s, s + m)):
                    return "free"
        return "stranded"

    def _classify(self, card, s):
        """state, cause, quality of one reading; None where it is not valid"""
        util, q, cfg = s.util, "measured", self.cfg
        if util is None and s.sm is None:
            return None
        if util is None:
            util, q = s.sm * 100, "estimated"
        elif util <= cfg["idle"] and s.sm is not None and s.sm > cfg["stalled_sm"]:
            util, q = s.sm * 100, "estimated"
        elif util >= cfg["under"] and s.sm is not None and s.sm <= cfg["stalled_sm"]:
            return "idle_held", "stalled", "estimated"
        elif util >= 90 and s.sm is None and s.power is not None and card.model in self.cat.tdp:
            if s.power <= cfg["stalled_power"] * self.cat.tdp[card.model]:
                return "idle_held", "stalled", "estimated"
        if util > cfg["idle"]:
            if util >= cfg["under"]:
                return "busy", None, q
            return "underused", "*", q
        if s.used is None:
            return "idle_held", None, "estimated"
        total = s.total
        if total is None and card.model in self.cat.mem:
            total = self.cat.mem[card.model] * 1024 * MIB
        bound = max(
            cfg["empty_mib"] * MIB, cfg["empty_frac"] * total if total is not None else F(0)
        )
        if s.used > bound:
            return "idle_held", None, q
        return "idle_empty", None, q

    def _state(self, card, a, holders, readings):
        lost = LOST[a.state]
        if lost:
            return "lost", lost, "measured"
        own = [s for _, s in readings if s.job == a.job]
        if own:
            got = self._classify(card, own[0])
            if got:
                return got
        whole = [s for _, s in readings if s.job is None and s.mig is None]
        if whole:
            got = self._classify(card, whole[0])
            if got:
                state, cause, q = got
                return state, cause, "estimated" if len(holders) > 1 else q
        return "unknown", "unread" if self.cfg["witnesses"] else None, "estimated"

    def _nobody(self, card, holders, readings, t0, t1, series, cause):
        if not holders:
            for s0, s in readings:
                if s.job is not None and not any(a.job == s.job for a in card.allocs):
                    got = self._classify(card, s)
                    if got:
                        owner = Row(job=s.job)
                        return (owner,) + got
            for s0, s in readings:
                if s.job is not None or s.mig is not None:
                    continue
                if any(a.t0 <= s0 < a.t1 for a in card.allocs):
                    continue  # it began while the card was held
                got = self._classify(card, s)
                if got is None:
                    continue
                state, c, q = got
                if state in ("busy", "underused"):
                    return None, state, c, q
                if state == "idle_held" and (s.used is not None or c == "stalled"):
                    return None, state, c, q
                if state == "idle_held" and not self._witness(card.node, t0, t1):
                    return None, state, c, q
        q = self._witness(card.node, t0, t1)
        for s0, s in readings:
            if not holders and any(a.t0 <= s0 < a.t1 for a in card.allocs):
                continue
            if (
                s.job is None
                and s.mig is None
                and (self._classify(card, s) or [None])[0] == "idle_empty"
            ):
                q = "measured" if q == "measured" else "estimated"
        if q:
            return None, "unallocated", cause, q
        return None, "unknown", "unwatched", "estimated"

    def _post(self, card, t0, t1, ms, rate, purchase, owner, state, cause, q):
        hour = t0 - t0 % HOUR
        o = owner or Row()
        key = (
            hour,
            card.cluster,
            card.node,
            card.id,
            o.job,
            o.user,
            o.team,
            o.project,
            state,
            cause,
            q,
            purchase,
        )
        e = self.entries.setdefault(key, Entry())
        e.ms += ms
        e.cuts += 1
        hours = self.hours.setdefault((hour, card.cluster, card.node, card.id), [F(0), F(0), F(0)])
        hours[0] += ms
        if rate is not None:
            e.cost += ms * rate / HOUR
            e.priced_ms += ms
            hours[1] += ms * rate / HOUR
            hours[2] += ms

    # -- GPUs without names --

    def _post_pools(self):
        pools = {}
        for a in self.s.allocs.values():
            if a.pooled:
                cl = a.cluster or (
                    self.node_cluster.get(a.node, "") if a.node else ""
                )
                key = ("node", cl, a.node) if a.node else ("model", cl, a.model)
                pools.setdefault(key, []).append(a)
        for node in self.pool_nodes:
            if node in self.by_node:
                pools.setdefault(("node", self.by_node[node][0].cluster, node), [])
        for (kind, cl, what), allocs in pools.items():
            self._post_pool(kind, cl, what, allocs)

    def _post_pool(self, kind, cluster, what, allocs):
        node = what if kind == "node" else None
        records = self.by_node.get(node, []) if node else []
        cuts = {t for a in allocs for t in (a.t0, a.t1)}
        cuts |= {t for n in records for t in (n.t0, n.t1)}
        cuts |= {t for w in self.watch for t in w[:2]}
        h = min(cuts) - min(cuts) % HOUR
        while h < max(cuts):
            h += HOUR
            cuts.add(h)
        cuts = sorted(cuts)
        for t0, t1 in zip(cuts, cuts[1:]):
            holders = [a for a in allocs if a.t0 <= t0 and t1 <= a.t1]
            paid = [n for n in records if n.t0 <= t0 and t1 <= n.t1]
            pool = Row(cluster=cluster, node=node, id=None)
            ms = t1 - t0
            if not paid:
                if records:
                    self.unpaid_held += sum((a.gpus * (a.share or 1) for a in holders), F(0)) * ms
                    continue
                for a in holders:
                    lost = LOST[a.state]
                    self._post(
                        pool,
                        t0,
                        t1,
                        ms * a.gpus * (a.share or 1),
                        a.usd_gpu_hour,
                        None,
                        a,
                        "lost" if lost else "unknown",
                        lost or ("unread" if self.cfg["witnesses"] else None),
                        "assumed",
                    )
                continue
            n = paid[-1]
            rate = None if n.usd_hour is None else n.usd_hour / n.count
            held = sum((a.gpus * (a.share or 1) for a in holders), F(0))
            scale = F(1) if held <= n.count else F(n.count) / held
            for a in holders:
                lost = LOST[a.state]
                self._post(
                    pool,
                    t0,
                    t1,
                    ms * a.gpus * (a.share or 1) * scale,
                    rate,
                    n.purchase,
                    a,
                    "lost" if lost else "unknown",
                    lost or ("unread" if self.cfg["witnesses"] else None),
                    "measured" if lost else "estimated",
                )
            rest = n.count - held * scale
            if rest > 0:
                q = self._witness(node, t0, t1)
                state, cause = ("unallocated", "free") if q else ("unknown", "unwatched")
                self._post(
                    pool, t0, t1, ms * rest, rate, n.purchase, None, state, cause, q or "estimated"
                )

    def _line(self, card, a, series):
        """[(t0, t1, state)] of an allocation on a card: what its readings said"""
        lines = self.__dict__.setdefault("lines", {})
        key = (card.id, id(a))
        if key not in lines:
            cuts = (
                {a.t0, a.t1}
                | {t for b in card.allocs for t in (b.t0, b.t1)}
                | {t for s0, s1, _ in series for t in (s0, s1)}
            )
            cuts |= {t for p in card.paid for t in p[:2]}
            cuts = sorted(t for t in cuts if a.t0 <= t <= a.t1)
            out = []
            for t0, t1 in zip(cuts, cuts[1:]):
                holders = [b for b in card.allocs if b.t0 <= t0 and t1 <= b.t1]
                paid = not card.recorded or any(p[0] <= t0 and t1 <= p[1] for p in card.paid)
                readings = [(s0, s) for s0, s1, s in series if s0 <= t0 and t1 <= s1]
                out.append(
                    (t0, t1, self._state(card, a, holders, readings)[0] if paid else "unpaid")
                )
            lines[key] = out
        return lines[key]

    def _idle_cause(self, card, a, t, state, series):
        line = self._line(card, a, series)
        work = [(t0, t1) for t0, t1, st in line if st in ("busy", "underused")]
        if state == "idle_empty":
            if any(t0 >= t for t0, _ in work):
                return "waiting"
            return "exited" if work else "never_launched"
        if any(t0 >= t for t0, _ in work):
            return None
        last = max((t1 for _, t1 in work), default=a.t0)
        if (
            sum(t1 - t0 for t0, t1, st in line if t0 >= last and st.startswith("idle"))
            >= self.cfg["finished"]
        ):
            return "finished"
        return None
