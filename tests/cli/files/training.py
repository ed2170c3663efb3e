#!/usr/bin/env python3
"""Writes nodes.csv, jobs.csv, curves.csv: 21 days of one machine of 8 GPUs at 32 $ an hour, and what its training runs logged.

vision: 12 runs of 20 h, 20 evaluations each; the loss falls until the 8th, and in run 3 again at the 13th. nlp: two rows of runs that fail within
ten minutes, three runs with one configuration, three of equal length without one."""
import datetime

t0 = datetime.datetime(2026, 6, 1, tzinfo=datetime.timezone.utc)


def say(t):
    return t.strftime("%Y-%m-%dT%H:%M:%SZ")


jobs = ["job_id,user,team,workload,name,gpus,submit,start,end,state,node,cluster"]
curves = ["run,job,metric,step,value,time,config"]
t = t0


def run(job, user, team, name, minutes, state, config="", pause=60):
    global t
    end = t + datetime.timedelta(minutes=minutes)
    jobs.append(f"{job},{user},{team},training,{name},8,{say(t)},{say(t)},{say(end)},{state},n1,lab")
    if config:
        curves.append(f"{name}-{job},{job},val_loss,0,1,{say(t)},{config}")
    start, t = t, end + datetime.timedelta(minutes=pause)
    return start


for i in range(12):
    start = run(100 + i, "ann", "vision", f"resnet-{i}", 1200, "COMPLETED")
    for k in range(20):
        loss = 2 * 0.7 ** min(k, 7) + (0.02 * i if k >= 7 else 0)
        loss -= 0.05 if i == 3 and k >= 12 else 0
        at = say(start + datetime.timedelta(hours=k + 1))
        curves.append(f"resnet-{i},{100 + i},val_loss,{k},{loss:.4f},{at},lr={i}")
        curves.append(f"resnet-{i},{100 + i},lr,{k},0.1,{at},lr={i}")
for i in range(9):
    run(200 + i, "ben", "nlp", "bert", 9, "FAILED", pause=5)
run(210, "ben", "nlp", "bert", 300, "COMPLETED")
for i in range(4):
    run(220 + i, "ben", "nlp", "bert", 8, "FAILED", pause=5)
for i in range(3):
    run(300 + i, "ben", "nlp", "sweep", 240 + 30 * i, "COMPLETED", "lr=1;seed=7", 60 + 200 * i)
for i in range(3):
    run(310 + i, "ben", "nlp", "score", 240 + i, "COMPLETED", "", 60 + 100 * i)
curves.append("orphan,,val_loss,0,1,,")
open("nodes.csv", "w").write(
    "node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour,instance_type\n"
    f"n1,aws,us-east-1,A100-SXM4-40GB,8,on_demand,{say(t0)},{say(t0 + datetime.timedelta(days=21))},lab,32,p4d.24xlarge\n"
)
open("jobs.csv", "w").write("\n".join(jobs) + "\n")
open("curves.csv", "w").write("\n".join(curves) + "\n")
