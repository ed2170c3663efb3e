Real data with one input alone: a general bill (FOCUS sample, 1,000 rows), an Azure export, openb's machines and pods. Sums beside a calculation of their own.

  needs: $TARE_SHARED/data/bills_focus/focus_1.0_sample_1000.csv.gz
  $ B=$TARE_SHARED/data/bills_focus/focus_1.0_sample_1000.csv.gz; tare import --db focus -q $B; tare plan --db focus -o json > p.json
  ! tare: nothing can be decided from this history; "notes" say why
  [3]
  $ $FILES/get '[(a.kind, a.title) for a in advice if a.kind in ("bill_shares", "bill_no_team")]' '[(e.metric, e.value) for a in advice if a.kind == "bill_shares" for e in a.evidence][:4]' '[a.cost_month for a in advice if a.kind == "bill_shares"][0][:12]' '[a.actions for a in advice if a.kind == "bill_no_team"]' < p.json
  [('bill_no_team', "100 % of the bill names no team, but the tag 'business_unit' stands on 660 of its 1,000 lines: let it mean the team"), ('bill_shares', '87 % of the bill is GPU time; the most: Amazon Elastic Compute Cloud 87 %, Azure Kubernetes Service 11 %')]
  [('lines of the bill', '1,000'), ('days it speaks of', '30'), ('all of it', '14.98'), ('GPU time', '13.00')]
  15.184521327
  [[{'do': 'tag_alias', 'team': 'business_unit', 'project': 'application', 'team_before': ['team'], 'project_before': ['project']}]]
  $ gzip -dc $TARE_SHARED/data/bills_focus/focus_1.0_sample_1000.csv.gz | python3 -c '
  > import csv, json, sys
  > from decimal import Decimal as D
  > rows = list(csv.DictReader(sys.stdin)); c = lambda r: D(r["EffectiveCost"]); total = sum(map(c, rows))
  > keys = lambda r: json.loads(r["Tags"]) if r["Tags"] not in ("NULL", "") else {}
  > print(sum("business_unit" in keys(r) for r in rows), "of", len(rows), total, "a month", str(total * 730 / 720)[:12], "EC2", round(sum(c(r) for r in rows if r["ServiceName"] == "Amazon Elastic Compute Cloud") / total, 2))'
  660 of 1000 14.97651418586 a month 15.184521327 EC2 0.87

An Azure export of two days by the day: the month is of 48 hours.

  $ A=$TARE_SHARED/data/bills_opencost/azure_billingexports__values__Template.csv; tare import --db az -q $A; tare plan --db az -o json | $FILES/get 'baseline.cost_month' '[(a.kind, a.title) for a in advice if a.kind]'
  249.317906974167
  [('bill_no_team', '100 % of the bill names no team, and no tag on a tenth of it is called like one'), ('bill_shares', '0 % of the bill is GPU time; the most: Virtual Machines 67 %, Storage 21 %')]
  $ python3 -c 'import csv, sys; print(round(sum(float(r["costinbillingcurrency"]) for r in csv.DictReader(open(sys.argv[1], encoding="utf-8-sig"))) * 730 / 48, 4))' $TARE_SHARED/data/bills_opencost/azure_billingexports__values__Template.csv
  249.3179

openb: pods, then machines at 8 $ an hour each.

  $ T=$TARE_SHARED/data/trace_alibaba_gpu_v2023; tare import --db openb -q --map alibaba-openb-pods $T/openb_pod_list_default.csv.gz; tare import --db openb -q --map alibaba-openb-nodes --set usd_hour=8 $T/openb_node_list_gpu_node.csv
  $ tare plan --db openb | sed -n '/^No change/,/^What the history/p'
  No change is proposed on this history within these limits; this is what it says.
  
  What the jobs say, $/month (730 h), in no sum:
          298  1869 of 6203 jobs failed or ran into their limit: 936 GPU·h (1,462
               USD) in 149 days, 2 % of all
               the last full month took 12,877 GPU·h, +75 % on the one before;
               most of the change: jobs that name no owner
               the last full week took 7,217 GPU·h, +10 % on the one before; most
               of the change: jobs that name no owner
  
  What the machines say, $/month (730 h), in no sum:
    7,016,332  at most 59 of 6,212 GPUs were held in the mean of an hour, 14 in
               the mean of all: 6,153 more were there
      550,420  211 of 6,212 GPUs cannot be filled with the median job (1 GPU, 11.3
               CPUs, 47 GiB): 114 of 265 P100, for want of CPU
               jobs that at most 5 % of the machines could take, were they empty:
               5; most ask for 8 GPU, 120 CPUs, 720 GiB, which 39 of 1,213 can
               give
               2,573 jobs ask for a part of a GPU and leave 10 % of it when equal
               ones fill it; most is 0.46 of a GPU: 2 fit
  tare explain advice-nodes-held --db openb   what it rests on
  
  What the history does not tell:
  $ tare plan --db openb -o json | $FILES/get '[e.value for a in advice if a.kind == "nodes_held" for e in a.evidence]' '[(e.metric, e.value) for a in advice if a.kind == "nodes_stranded" for e in a.evidence]'
  ['1,213', '6212', '59.3', '14.4', '2.3, 35.1']
  [('P100: of 265 GPUs, for want of CPU, of memory', '114, 0'), ('V100-SXM2-16GB: of 195 GPUs, for want of CPU, of memory', '97, 0')]
  $ python3 - $TARE_SHARED/data/trace_alibaba_gpu_v2023 <<'X'
  > import csv, gzip, sys
  > pods = [p for p in csv.DictReader(gzip.open(sys.argv[1] + "/openb_pod_list_default.csv.gz", "rt")) if p["num_gpu"] != "0" and p["scheduled_time"] and p["deletion_time"]]
  > nodes = [n for n in csv.DictReader(open(sys.argv[1] + "/openb_node_list_gpu_node.csv")) if n["gpu"] != "0"]
  > hours, held = [0.0] * 3600, lambda p: int(p["num_gpu"]) * (int(p["gpu_milli"]) if p["num_gpu"] == "1" else 1000) / 1000
  > for p in pods:
  >     a, b = int(float(p["scheduled_time"])), int(float(p["deletion_time"]))
  >     for h in range(a // 3600, (b + 3599) // 3600):
  >         hours[h] += held(p) * max(0, min(b, h * 3600 + 3600) - max(a, h * 3600)) / 3600
  > n = 12902960 // 3600 + 1
  > print(len(nodes), sum(int(x["gpu"]) for x in nodes), "GPUs, busiest hour", round(max(hours), 1), "mean", round(sum(hours) / n, 1), "quarters", round(sum(hours[:n // 4]) / (n // 4), 1), round(sum(hours[n - n // 4:n]) / (n // 4), 1))
  > med = lambda v: sorted(v)[(len(v) - 1) // 2]
  > cpu, ram = med([int(p["cpu_milli"]) / held(p) for p in pods]), med([int(p["memory_mib"]) / held(p) for p in pods])
  > short = {}
  > for x in nodes:
  >     g, c, m = int(x["gpu"]), int(x["cpu_milli"]) // cpu, int(x["memory_mib"]) // ram
  >     short[x["model"]] = short.get(x["model"], 0) + max(0, g - min(c, m))
  > print({k: int(v) for k, v in short.items() if v})
  > X
  1213 6212 GPUs, busiest hour 59.3 mean 14.4 quarters 2.3 35.1
  {'P100': 114, 'V100M16': 97}
