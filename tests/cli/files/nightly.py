"""30 nights of one job on one machine that stays on: it works for 4 h and holds its GPU for HOURS.

usage: nightly.py HOURS: writes nodes.csv, jobs.csv and samples.csv
"""
import datetime as D
import sys

HOURS = int(sys.argv[1])
SINCE = D.datetime(2026, 5, 1)
STEP = D.timedelta(minutes=10)


def rfc(t):
    return t.strftime("%Y-%m-%dT%H:%M:%SZ")


with open("nodes.csv", "w") as out:
    print("node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour", file=out)
    print("n1,aws,us-east-1,g5.xlarge,A10G,1,on_demand", rfc(SINCE), rfc(SINCE + D.timedelta(days=30)), "c1,1.006",
          sep=",", file=out)
with open("jobs.csv", "w") as jobs, open("samples.csv", "w") as samples:
    print("job_id,user,team,workload,name,gpus,gpu_ids,start,end,state,limit_s,node,cluster", file=jobs)
    print("time,node,gpu,job_id,gpu_util_pct,mem_used_bytes,mem_total_bytes", file=samples)
    for day in range(30):
        at = SINCE + D.timedelta(days=day)
        end = at + D.timedelta(hours=HOURS)
        print(f"j{day},ann,vision,training,nightly,1,0,{rfc(at)},{rfc(end)},TIMEOUT,{HOURS * 3600},n1,c1", file=jobs)
        done = at + D.timedelta(hours=4)
        while at < end:
            print(f"{rfc(at)},n1,0,j{day},{90 if at < done else 0},10000000000,24000000000", file=samples)
            at += STEP
