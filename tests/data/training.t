Early stopping on published validation curves: 40 runs of six models of the Sia and Pollux artifacts, a model at one batch size a run, each as a
job of a day at 1 $ an hour. bert's runs have two evaluations each, which show no plateau.

  needs: $TARE_SHARED/data/perf_sia_pollux/sia_traces_and_workloads.tar.gz
  $ python3 $FILES/sia-curves.py $TARE_SHARED/data/perf_sia_pollux/sia_traces_and_workloads.tar.gz; tare import --db db jobs.csv curves.csv
  40 runs
  jobs.csv: allocations, 40 rows kept, 960.00 GPU·h
      note: all jobs of cluster '(no cluster)' are of one user, 'sia': taken for a part of the list, so nothing is called unallocated by it; if the list is complete, import it with --covers
  curves.csv: curves, 2152 rows kept
  You see   GPU time by team, user and job; failed work:
            tare report --by team --db db
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): idle time of each
            job; right size, booked time
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
  $ printf 'version: 1\nplan:\n  gates:\n    fold_frac: 0\n' > all.yaml; tare plan --db db --config all.yaml --quality -o json > p.json
  ! tare: nothing can be decided from this history; "notes" say why
  [3]
  $ cat > table.py <<'END'
  > import json, sys
  > for a in json.load(open("p.json"))["advice"]:
  >     e = {x["metric"]: x["value"] for x in a["evidence"]}
  >     if "least patience of which no run loses too much" in e:
  >         print("%-55s %3s evaluations, %s runs, %s of %s $ behind; worst %s, unseen mean %s, worst %s" % (a["id"], e["least patience of which no run loses too much"], e["runs that would have ended before"], e["cost behind these points"], e["what they cost in the window"], e["lost by the run that lost most"], e["mean loss of runs that did not choose"], e["most that such a run lost"]))
  > END
  $ python3 table.py
  advice-early-stopping-cifar10-cifar--bs--val_acc         14 evaluations, 3 runs, 4.32 of 144.00 $ behind; worst 0.0009, unseen mean 0.0193, worst 0.1341
  advice-early-stopping-deepspeech2-deepspeech--bs--val_wer   4 evaluations, 6 runs, 64.20 of 144.00 $ behind; worst 0.0063, unseen mean 0.0131, worst 0.1693
  advice-early-stopping-ncf-ncf-bs--val_hit_rate            2 evaluations, 8 runs, 38.40 of 192.00 $ behind; worst 0.0000, unseen mean 0.0160, worst 0.1243
Of imagenet and yolov3 no run would have ended sooner: their metric still rises near the end. Each patience a second time, by trying one after the other.
  $ $FILES/get '[n for n in notes if "early stopping" in n or "patience" in n]' < p.json
  ["early stopping would have ended no run of 14 sooner without losing more than plan.early_stop_lost_frac of another's gain"]
  $ cat > trial.py <<'END'
  > import collections, csv
  > runs = collections.defaultdict(lambda: collections.defaultdict(list))
  > for r in csv.DictReader(open("curves.csv")):
  >     v = float(r["value"])
  >     runs[r["run"].split("-")[0]][r["run"]].append(v if r["better"] == "lower" else -v)
  > def stop(v, p):
  >     best, wait = v[0], 0
  >     for i, x in enumerate(v[1:], 1):
  >         best, wait = (x, 0) if x < best - 0.001 * abs(best) else (best, wait + 1)
  >         if wait >= p:
  >             return i
  >     return len(v)
  > def lost(v, at):
  >     return (min(v[: at + 1]) - min(v)) / (v[0] - min(v))
  > for model, group in sorted(runs.items()):
  >     v = list(group.values())
  >     p = next(p for p in range(1, 1000) if all(lost(x, stop(x, p)) <= 0.01 for x in v))
  >     print(model, p, "%.2f" % sum(24 * (len(x) - 1 - stop(x, p)) / len(x) for x in v if stop(x, p) < len(x)))
  > END
  $ python3 trial.py
  bert 1 0.00
  cifar10 14 4.32
  deepspeech2 4 64.20
  imagenet 26 0.00
  ncf 2 38.40
  yolov3 12 0.00
What a looser bound is worth: 5 % of a run's gain instead of 1 %.
  $ sed 's/  gates:/  early_stop_lost_frac: 0.05\n  gates:/' all.yaml > five.yaml; tare plan --db db --config five.yaml --quality -o json > p.json; python3 table.py
  advice-early-stopping-cifar10-cifar--bs--val_acc         14 evaluations, 3 runs, 4.32 of 144.00 $ behind; worst 0.0009, unseen mean 0.0207, worst 0.2117
  advice-early-stopping-deepspeech2-deepspeech--bs--val_wer   4 evaluations, 6 runs, 64.20 of 144.00 $ behind; worst 0.0063, unseen mean 0.0131, worst 0.1693
  advice-early-stopping-ncf-ncf-bs--val_hit_rate            2 evaluations, 8 runs, 38.40 of 192.00 $ behind; worst 0.0000, unseen mean 0.0160, worst 0.1243
  ! tare: nothing can be decided from this history; "notes" say why

Runs that failed soon: pods of Alibaba's GPU-sharing cluster, at 1 $ a GPU-hour. Counted a second time from the file.
  needs: $TARE_SHARED/data/trace_alibaba_gpu_v2023/openb_pod_list_default.csv.gz
  $ tare import --db openb -q --map alibaba-openb-pods --set usd_gpu_hour=1 --set workload=training --set team=openb $TARE_SHARED/data/trace_alibaba_gpu_v2023/openb_pod_list_default.csv.gz
  $ tare plan --db openb --config all.yaml -o json > p.json
  ! tare: nothing can be decided from this history; "notes" say why
  [3]
  $ $FILES/get '[(a.id, e.metric, e.value) for a in advice if a.id.startswith("advice-check-first") for e in a.evidence]' < p.json
  [('advice-check-first-openb', 'runs looked at', '6203'), ('advice-check-first-openb', 'what they cost in the window', '51470.67'), ('advice-check-first-openb', 'their GPU time', '51471'), ('advice-check-first-openb', 'failed soon after their start', '1332'), ('advice-check-first-openb', 'rows of them, and the longest', '230, 54'), ('advice-check-first-openb', 'what they cost', '76.16'), ('advice-check-first-openb', 'all but the first of each row', '47.83')]
  $ python3 - <<'END'
  > import csv, gzip, os
  > n = usd = 0
  > for r in csv.DictReader(gzip.open(os.environ["TARE_SHARED"] + "/data/trace_alibaba_gpu_v2023/openb_pod_list_default.csv.gz", "rt")):
  >     if r["pod_phase"] != "Failed" or r["num_gpu"] == "0" or not r["scheduled_time"] or not r["deletion_time"]:
  >         continue
  >     s = float(r["deletion_time"]) - float(r["scheduled_time"])
  >     if s <= 600:
  >         n += 1
  >         usd += s / 3600 * int(r["num_gpu"]) * (int(r["gpu_milli"]) / 1000 if r["num_gpu"] == "1" else 1)
  > print(n, "%.2f" % usd)
  > END
  1332 76.16
