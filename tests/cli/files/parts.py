"""16 days of a cluster of three machines with 4 GPUs that stay on: vera's two jobs a day hold 2 GPUs and use one, each on a machine of
its own, for 20 h; ida's holds one of the third. walt's holds the fourth machine's GPU, works for 2 h, and ends by itself 4 h later.

writes nodes.csv, jobs.csv and samples.csv
"""
import datetime as D

SINCE = D.datetime(2026, 5, 1)
DAYS = 16


def rfc(t):
    return t.strftime("%Y-%m-%dT%H:%M:%SZ")


held = {}
with open("jobs.csv", "w") as jobs:
    print("job_id,user,team,workload,name,gpus,gpu_ids,start,end,state,limit_s,node,cluster", file=jobs)
    n = 0
    for day in range(DAYS):
        for user, name, node, gpus, at, work, end in (
            ("vera", "unet", "n1", 2, 1, 20, 20),
            ("vera", "unet", "n2", 2, 1, 20, 20),
            ("ida", "eval", "n3", 1, 9, 8, 8),
            ("walt", "bert", "n4", 1, 2, 2, 6),
        ):
            n += 1
            start = SINCE + D.timedelta(days=day, hours=at)
            ids = ";".join(str(g) for g in range(gpus))
            print(f"{n},{user},{user},training,{name}-{day},{gpus},{ids},{rfc(start)},{rfc(start + D.timedelta(hours=end))},COMPLETED,"
                  f"{24 * 3600},{node},c1", file=jobs)
            for g in range(gpus):
                for h in range(end):
                    held[node, g, start + D.timedelta(hours=h)] = (n, 90 if g == 0 and h < work else 0)
with open("nodes.csv", "w") as out:
    print("node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour", file=out)
    for node, gpus in ("n1", 4), ("n2", 4), ("n3", 4), ("n4", 1):
        print(f"{node},onprem,dc1,{'A10G' if gpus == 4 else 'T4'},{gpus},on_demand,{rfc(SINCE)},{rfc(SINCE + D.timedelta(days=DAYS))},c1,"
              f"{gpus}", file=out)
with open("samples.csv", "w") as samples:
    print("time,node,gpu,job_id,gpu_util_pct,mem_used_bytes,mem_total_bytes", file=samples)
    for k in range(DAYS * 48):
        at = SINCE + D.timedelta(minutes=30 * k)
        for node, gpus in ("n1", 4), ("n2", 4), ("n3", 4), ("n4", 1):
            for g in range(gpus):
                job, util = held.get((node, g, at.replace(minute=0)), ("", 0))
                print(f"{rfc(at)},{node},{g},{job},{util},{3000000},24000000000", file=samples)
