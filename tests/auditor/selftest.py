"""Hand-written plans: good ones must pass, and for each class of trap a bad one must turn red."""

import os
import tempfile

import audit
import fleet
import model

POOL = "aws eks create-nodegroup --nodegroup-name {0} --instance-types {0} --scaling-config minSize=0,maxSize=64,desiredSize=0"
SPOT = POOL + " --capacity-type SPOT"


def rec(lever, tier, subject, *apply, **more):
    return dict(id=f"{lever}-hand", lever=lever, tier=tier, title=lever, subject=subject,
        saving_month="1", p05="0", p95="2",
                risk="low", apply=list(apply), undo=[], depends_on=[], **more)


def plan(*recs):
    return dict(baseline=dict(cost_month="100"), after=dict(cost_month="90", p05="10", p95="100"),
        recommendations=list(recs))


def hours(h):
    return f"#SBATCH --time={int(h):02d}:{int(h * 60) % 60:02d}:00"


class Made:
    def __init__(self, data, block, seed):
        self.f = fleet.Fleet(seed, data, only=[block] if isinstance(block, str) else block)
        self.c = self.f.clusters[0]
        self.name = dict(cluster=self.c.name)
        self.longest = max((x["work"] for x in self.c.past), default=0) / 3600

    def ids(self):
        return " ".join(self.c.ids.values())

    def nodes(self):
        return list(self.c.ids.items())


def best(m):
    """the type of machine that the oracle takes"""
    with tempfile.TemporaryDirectory(prefix="auditor-self-") as folder:
        m.f.write(folder)
        ops = audit.Oracle(audit.Fleet(folder, m.f.cat)).ops
    return next(op["itype"] for op in ops if op["kind"] == "shape")


# block -> (what, plan): what is expected of each
def good(m):
    n = m.name
    return dict(
        unheld=lambda: [rec("stop_idle", "sure", n,
            f"aws ec2 stop-instances --region us-east-1 --instance-ids {m.ids()}")],
        trim=lambda: [rec("trim_time", "sure", n, hours(m.longest * 1.26 + 0.02))],
        count=lambda: [rec("rightsize_count", "sure", n, POOL.format("g6e.xlarge"),
                           "#SBATCH --gres=gpu:1 --constraint=g6e.xlarge")],
        count_default=lambda: [rec("rightsize_count", "trial", n, POOL.format("g6e.xlarge"),
                                   "#SBATCH --gres=gpu:1 --constraint=g6e.xlarge",
                                   "# a run that fails for want of GPUs: scontrol requeue, on g6e.12xlarge again")],
        serving=lambda: [rec("share", "sure", n,
            f"kubectl scale deployment {m.c.name}-api --replicas=3", *(
            line for node, i in m.nodes()[3:] for line in (
                f"kubectl drain {node} --ignore-daemonsets",
                f"kubectl rollout status deployment/{m.c.name}-api",
                f"aws ec2 terminate-instances --instance-ids {i}")))],
        schedule=lambda: [rec("schedule", "sure", n,
                              f"0 19 * * 1-5 aws ec2 stop-instances --instance-ids {m.ids()}",
                              f"0 8 * * 1-5 aws ec2 start-instances --instance-ids {m.ids()}")],
        spot=lambda: [rec("spot", "trial", n, SPOT.format("g6e.xlarge"),
            "#SBATCH --partition=spot --requeue",
                          "tare run --every 30m -- COMMAND")],
        storage=lambda: [rec("stop_idle", "sure", n,
            f"aws ec2 stop-instances --instance-ids {m.ids()}"),
                         rec("storage", "trial", {},
                             f"aws ec2 create-snapshot --volume-id {m.c.truth['volume']}",
                             f"aws ec2 delete-volume --volume-id {m.c.truth['volume']}")],
        commit=lambda: [rec("commit", "binds", dict(instance_type="g6e.xlarge"),
                            f"aws savingsplans create-savings-plan --commitment {3 * 1.861 * 0.63:.3f} "
                            "--savings-plan-offering-id ID", bound="30000")],
        gpu=lambda: [rec("rightsize_gpu", "trial", n, POOL.format(best(m)),
            f"#SBATCH --gres=gpu:1 --constraint={best(m)}")],
    )


def bad(m):
    n = m.name
    fewer = [POOL.format("g6e.xlarge"), "#SBATCH --gres=gpu:1 --constraint=g6e.xlarge"]

    def other(itype, gpus=1):
        return [POOL.format(itype), f"#SBATCH --gres=gpu:{gpus} --constraint={itype}"]

    stop = f"aws ec2 stop-instances --instance-ids {m.ids()}"
    return dict(
        unheld_short=lambda: [rec("stop_idle", "sure", n, stop)],
        trim_rare=lambda: [rec("trim_time", "sure", n,
            hours(sorted(x["work"] for x in m.c.past)[len(m.c.past) // 2] / 3600 * 1.3))],
        trim_few=lambda: [rec("trim_time", "sure", n, hours(m.longest * 1.125))],
        count_mixed=lambda: [rec("rightsize_count", "sure", n, *fewer)],
        count_late=lambda: [rec("rightsize_count", "sure", n, *fewer)],
        count_mem0=lambda: [rec("rightsize_count", "sure", n, *fewer)],
        count_cpu=lambda: [rec("rightsize_count", "sure", n, *fewer)],
        count_shape=lambda: [rec("rightsize_count", "sure", n, POOL.format("p4d.2xlarge"),
                                 "#SBATCH --gres=gpu:1 --constraint=p4d.2xlarge")],
        count=lambda: [rec("rightsize_count", "sure", n, fewer[1])],  # no line makes such machines
        count_default=lambda: [rec("rightsize_count", "trial", n, *fewer)],  # and no requeue
        gpu_limit=lambda: [rec("rightsize_gpu", "trial", n, *other("g4dn.xlarge"))],
        gpu_mean=lambda: [rec("rightsize_gpu", "trial", n, *other("g4dn.xlarge"))],
        gpu_mem_once=lambda: [rec("rightsize_gpu", "trial", n, *other("g5.xlarge"))],
        gpu_prealloc=lambda: [rec("rightsize_gpu", "trial", n, *other("g5.xlarge"))],
        gpu_amd=lambda: [rec("rightsize_gpu", "trial", n, *other("g4ad.xlarge"))],
        gpu=lambda: [rec("rightsize_gpu", "sure", n, *other("g6e.xlarge"))],  # never sure
        gang=lambda: [rec("rightsize_count", "sure", n, *fewer)],
        serving_coarse=lambda: [rec("share", "sure", n,
            f"kubectl scale deployment {m.c.name}-api --replicas=3")],
        serving_last=lambda: [rec("share", "trial", n,
            *(f"kubectl drain {node}" for node, _ in m.nodes()[2:]))],
        serving=lambda: [rec("share", "sure", n,
            f"kubectl scale deployment {m.c.name}-api --replicas=1")],
        undo=lambda: [rec("stop_idle", "sure", n, "# slurm.conf: SuspendTime=900")],
        spot_lost=lambda: [rec("spot", "trial", n, SPOT.format("g6e.xlarge"),
            "#SBATCH --partition=spot --requeue")],
        spot=lambda: [rec("spot", "sure", n, SPOT.format("g6e.xlarge"),
            "#SBATCH --partition=spot")],
        commit_short=lambda: [rec("commit", "binds", dict(instance_type="g6e.xlarge"),
                                  "aws savingsplans create-savings-plan --commitment 4.5 --savings-plan-offering-id ID")],
        commit=lambda: [rec("commit", "sure", dict(instance_type="g6e.xlarge"),
                            "aws savingsplans create-savings-plan --commitment 6 --savings-plan-offering-id ID")],
        short=lambda: [rec("rightsize_count", "sure", n, *fewer),
            rec("trim_time", "sure", n, hours(m.longest * 1.125))],
        storage=lambda: [rec("storage", "sure", {},
            f"aws ec2 delete-volume --volume-id {m.c.truth['volume']}")],
        schedule=lambda: [rec("schedule", "sure", n,
            f"0 16 * * 1-5 aws ec2 stop-instances --instance-ids {m.ids()}",
                              f"0 11 * * 1-5 aws ec2 start-instances --instance-ids {m.ids()}")],
        trim=lambda: [rec("trim_time", "sure", n, hours(m.longest * 1.125))],  # below the table
        count_ram=lambda: [rec("rightsize_count", "sure", n, *fewer)],
        gpu_quarter=lambda: [rec("rightsize_gpu", "trial", n, *other("g4dn.xlarge"))],
        trim_gpu=lambda: [rec("trim_time", "sure", n, hours(m.longest * 1.26)),
                          rec("rightsize_gpu", "trial", n, *other("g4dn.xlarge"))],
        gpu_nvlink=lambda: [rec("rightsize_gpu", "trial", n, *other("g6.12xlarge", 4))],
        unwatched=lambda: [rec("stop_idle", "sure", n, stop)],
        reserved=lambda: [rec("stop_idle", "sure", n, stop)],
    )


def main(data, verbose=False):
    cat = model.Catalogue(data)
    failed = 0
    for kind, plans in (("good", good), ("bad", bad)):
        blocks = list(plans(Made(data, "unheld", 1)))
        for k, block in enumerate(blocks):
            m = Made(data, block, 7000 + k)
            with tempfile.TemporaryDirectory(prefix="auditor-self-") as folder:
                m.f.write(folder)
                a = audit.Audit(folder, cat, plan(*plans(m)[block]()))
            harm = {k: len(v) for k, v in a.harm(a.all).items() if v
                and k not in ("requeued", "slow")}
            lost = a.outcome < -0.001
            red = "; ".join([f"{k} {v}" for k, v in harm.items()] + ["dearer"] * lost)
            rules = sorted({t for _, _, t in a.rules})
            part = a.saved / a.oracle_saved if a.oracle_saved > 1 else 0.0
            if kind == "good":
                ok = not harm and not rules and part >= 0.85
            else:
                ok = bool(red or rules)
            failed += not ok
            note = f"{100 * part:.0f} % of the oracle" if kind == "good" else f"outcome: {red or '-'}"
            print(f"{'ok  ' if ok else 'FAIL'} {kind:4} {block:15} {note} | table: {'; '.join(rules) or '-'}"
                  + (f" | {harm}" if kind == "good" and harm else ""))
            # the oracle itself is harmless, on both months, and within the table
            if kind == "bad":
                o = [audit.Execution(a.fleet, a.oracle.ops, h).out for h in (False, True)]
                base = [a.base[False], a.base[True]]
                ill = {x for q, b in zip(o, base) for x in (q.failed() - b.failed())} | {x
                    for q in o for x in q.broken}
                if ill:
                    failed += 1
                    print(f"FAIL oracle {block}: {sorted(ill)[:4]}")
    print(f"auditor: self-test, {failed} failed")
    return 1 if failed else 0


def slurm(s):
    return f"{int(s // 3600):02d}:{int(s % 3600 // 60):02d}:00"


def render(f, oracle):
    """the oracle's operations as the lines of a plan that keeps to the table: every criterion can be met"""
    out = []
    for key in dict.fromkeys((op["scope"].get("cluster", [""])[0], op["lever"])
            for op in oracle.ops):
        ops = [op for op in oracle.ops if (op["scope"].get("cluster", [""])[0], op["lever"]) == key]
        c, lines, subject, tier = f.clusters.get(key[0]), [], {}, ops[0]["tier"]
        if c:
            subject = dict(cluster=c["name"])
        for op in ops:
            k = op["kind"]
            if k == "stop":
                lines.append("aws ec2 stop-instances --instance-ids " + " ".join(op["nodes"]))
            elif k == "suspend":
                lines.append(f"# slurm.conf: SuspendTime={op['after']}")
            elif k == "pool":
                lines.append((SPOT if op["spot"] else POOL).format(op["itype"]))
            elif k == "shape":
                lines.append(f"#SBATCH --gres=gpu:{op['gpus']} --constraint={op['itype']}")
                lines.append("# a run that fails for want of GPUs: scontrol requeue, as before")
            elif k == "time":
                # the factor of the table is on what the history shows
                old, sure = f.cat.types[c["itype"]], tier == "sure"
                shape = next((o for o in oracle.ops if o["kind"] == "shape"
                    and o["scope"] == op["scope"]), None)
                t, gpus = (f.cat.types[shape["itype"]], shape["gpus"]) if shape else (old,
                    old["gpus"])
                longest = max(model.time_on(x, old, t, gpus) for x in c["past"]
                    if x["need"] <= gpus)
                limit = min(c["past"][0]["limit"], longest * (1.25 if sure else 1.5) + 120)
                lines.append(f"#SBATCH --time={slurm(limit)}")
            elif k == "spot":
                lines += ["#SBATCH --partition=spot --requeue", "tare run --every 30m -- COMMAND"]
            elif k == "scale":
                lines.append(
                    f"kubectl scale deployment {op['service']} --replicas={op['replicas']}")
            elif k == "drain":
                lines.append(f"kubectl drain {op['node']} --ignore-daemonsets")
            elif k == "await":
                lines.append("kubectl wait --for=condition=available deployment --all")
            elif k == "volume":
                lines += [f"aws ec2 create-snapshot --volume-id {op['volume']}",
                    f"aws ec2 delete-volume --volume-id {op['volume']}"]
            elif k == "commit":
                subject = dict(instance_type=op["family"] + ".xlarge")
                lines.append(
                    f"aws savingsplans create-savings-plan --commitment {op['usd']:.4f} --savings-plan-offering-id ID")
            elif k in ("off", "on"):
                days, h = "1-5", op["hour"]
                verb = "stop" if k == "off" else "start"
                lines.append(
                    f"{int(h % 1 * 60)} {int(h)} * * {days} aws ec2 {verb}-instances --instance-ids " + " ".join(c["ids"].values()))
        out.append(dict(rec(key[1], tier, subject, *lines), id=f"{key[1]}-{key[0]}", bound="1"
            if tier == "binds" else None))
    return out


class Part(Made):
    """one cluster of a whole fleet, for the plans by hand"""

    def __init__(self, made, c):
        self.f, self.c, self.name = made, c, dict(cluster=c.name)
        self.longest = max((x["work"] for x in c.past), default=0) / 3600


def sensitivity(data, seeds, judge, criteria):
    """the oracle's plan for all fleets, and in turn one class of bad item in those that have it"""
    base, made, best, failed = {}, {}, {}, 0
    empty = dict(baseline=dict(cost_month="1"), after=dict(cost_month="1", p05="1", p95="1"))

    def red(rows):
        out = [name for name, met, _ in criteria(rows) if not met]
        return [name for name in out if not name.startswith("range")]  # nobody said one

    with tempfile.TemporaryDirectory(prefix="auditor-all-") as top:
        cat = model.Catalogue(data)

        def run(seed, recs):
            p = dict(empty, recommendations=recs)
            return judge(seed, audit.Audit(f"{top}/{seed}", cat, p))

        for seed in seeds:
            os.mkdir(f"{top}/{seed}")
            made[seed] = fleet.Fleet(seed, data)
            made[seed].write(f"{top}/{seed}")
            f = audit.Fleet(f"{top}/{seed}", cat)
            best[seed] = render(f, audit.Oracle(f))
            base[seed] = run(seed, best[seed])
        first = red(list(base.values()))
        failed += bool(first)
        print(f"{'FAIL' if first else 'ok  '} the oracle's plan, {len(seeds)} fleets: {first}")
        for klass in sorted({c.klass for m in made.values() for c in m.clusters}):
            rows, n = dict(base), 0
            for seed in seeds:
                c = next((c for c in made[seed].clusters if c.klass == klass), None)
                worse = c and bad(Part(made[seed], c)).get(klass)
                if not worse:
                    continue
                kept = [
                    r for r in best[seed]
                    if r["subject"].get("cluster") != c.name
                    and not (klass.startswith("commit") and r["lever"] == "commit")
                ]
                rows[seed], n = run(seed, kept + worse()), n + 1
            if n:
                found = red(list(rows.values()))
                failed += not found
                print(f"{'ok  ' if found else 'FAIL'} {klass:16} in {n:2} fleets: {' '.join(found)}",
                    flush=True)
    print(f"auditor: sensitivity, {failed} failed")
    return 1 if failed else 0
