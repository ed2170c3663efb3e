"""Two answers by hand: one that finds nothing, and one that claims all of it everywhere.

With the first every fleet with a saving must turn red, with the second every fleet with a trap.
"""

MONTH = dict(cost_month="1000", p05="900", p95="1000")


def plan(**kw):
    empty = dict(recommendations=[], advice=[], refused=[], notes=[], findings=[], idle_while_queued=[])
    return dict(empty, baseline=dict(cost_month="1000"), after=MONTH, **kw)


def item(lever, team, apply, **subject):
    return dict(id=f"{lever}-{team}", lever=lever, title=lever, subject=dict(subject, team=team), saving_month="100",
        p05="50", p95="150", tier="sure", risk="low", owner=team, team=team, apply=apply, actions=[], risks=[])


def alone(made):
    """each on a card of its own, and no word why"""
    cards = [dict(how="whole", why=None, tenants=[tenant(x)]) for x in getattr(made, "tenants", [])]
    return dict(layout=cards, not_shared=[], worth_month=None)


def tenant(x):
    return dict(name=x.name, owner=x.team, kind=x.kind, profile=None, mem_limit_mib=None)


def mute(made):
    return dict(plan=plan(), quality=plan(), share=alone(made))


def greedy(made):
    recs, cluster = [], "batch"
    for box in getattr(made, "boxes", []):
        ids = " ".join(i for i, n in made.ids.items() if n == box.node)
        recs.append(item("schedule", box.team, [f"0 9 * * 1-5 root aws ec2 start-instances --instance-ids {ids}",
            f"0 17 * * 1-5 root aws ec2 stop-instances --instance-ids {ids}"]))
    if hasattr(made, "made"):  # a fleet of the frozen auditor
        for c in made.made.clusters:
            recs.append(item("rightsize_gpu", c.team, ["aws autoscaling create-auto-scaling-group --min-size 0 "
                "--max-size 64 --instance-types g6e.2xlarge", f"#SBATCH --constraint=g6e.2xlarge # was {c.itype}"],
                cluster=c.name))
    share = alone(made)
    if getattr(made, "tenants", []):
        share["layout"] = [dict(how="mps", why=None, tenants=[tenant(x) for x in made.tenants])]
        recs.append(item("share", made.tenants[0].team, []))
    waits = [dict(held_by="amber", cluster=cluster, gpu_seconds="36000", cost_month="100", wait_seconds="36000", jobs=3,
        waited=[dict(team="cedar", jobs=3, wait_seconds="36000")])]
    advice = [dict(id="early-stop repeat fail budget", title="", lever="advice", subject=dict(team="amber"), team="amber", owner="amber",
        may_save_p05_month="1", may_save_p95_month="1000", evidence=[{}], actions=[], apply=[])]
    told = plan(recommendations=recs, idle_while_queued=waits, advice=advice)
    return dict(plan=told, quality=told, share=share)
