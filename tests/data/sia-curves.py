#!/usr/bin/env python3
"""Validation curves of the Sia and Pollux artifacts as jobs and curves: sia-curves.py ARCHIVE -> jobs.csv, curves.csv, nodes.csv.

A run is a model at a batch size: a job of one GPU for a day at 1 $ an hour, whose evaluations lie evenly in it. Word error rate
(deepspeech2) and the loss of yolov3 fall, the others' metrics are scores of accuracy."""
import csv
import datetime
import io
import re
import sys
import tarfile

t0 = datetime.datetime(2026, 3, 1, tzinfo=datetime.timezone.utc)
metric = {"deepspeech2": "val_wer", "yolov3": "val_loss", "cifar10": "val_acc", "imagenet": "val_acc", "ncf": "val_hit_rate", "bert": "val_f1"}
runs = []
with tarfile.open(sys.argv[1]) as tar:
    for m in tar.getmembers():
        found = re.search(r"traces/(\w+)/validation-(\d+)\.csv$", m.name)
        if found and found[1] in metric:
            rows = list(csv.DictReader(io.TextIOWrapper(tar.extractfile(m))))
            runs.append((found[1], int(found[2]), [r["metric"] for r in rows]))


def say(day):
    return (t0 + datetime.timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ")


with open("jobs.csv", "w") as jobs, open("curves.csv", "w") as curves:
    jobs.write("job_id,user,team,workload,name,gpus,start,end,state,node,usd_gpu_hour\n")
    curves.write("run,metric,step,value,better\n")
    for i, (model, batch, values) in enumerate(sorted(runs)):
        name = f"{model}-bs{batch}"
        jobs.write(f"{i + 1},sia,{model},training,{name},1,{say(i)},{say(i + 1)},COMPLETED,n1,1\n")
        for step, v in enumerate(values):
            curves.write(f"{name},{metric[model]},{step},{v},{'lower' if model in ('deepspeech2', 'yolov3') else 'higher'}\n")
print(len(runs), "runs")
