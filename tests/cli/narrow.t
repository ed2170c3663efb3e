The same figures on every width and in every format. Three jobs on two machines, readings of two GPUs of one of them, a node that nobody watched.

  $ cat > jobs.csv <<'X'
  > job_id,user,team,workload,gpus,submit,start,end,state,node
  > 41,ann,vision,training,2,2026-10-01T00:00:00Z,2026-10-01T00:00:00Z,2026-10-01T02:00:00Z,COMPLETED,gpu-9
  > 42,ann,vision,training,2,2026-10-01T02:00:00Z,2026-10-01T02:00:00Z,2026-10-01T03:00:00Z,FAILED,gpu-9
  > 43,bob,a-team-with-a-name-that-is-rather-long,training,1,2026-10-01T00:00:00Z,2026-10-01T00:15:00Z,2026-10-01T03:10:00Z,COMPLETED,gpu-8
  > X
  $ python3 - > samples.csv <<'X'
  > print("time,node,gpu,gpu_util_pct,mem_used_bytes,mem_total_bytes,power_w")
  > for m in range(180):
  >     print(f"2026-10-01T{m // 60:02}:{m % 60:02}:00Z,gpu-9,0,{m % 90},8000000000,24000000000,200")
  >     if m < 60:
  >         print(f"2026-10-01T{m // 60:02}:{m % 60:02}:00Z,gpu-9,1,0,0,24000000000,30")
  > X
  $ cat > nodes.csv <<'X'
  > node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to
  > gpu-7,aws,us-east-1,g5.12xlarge,A10G,4,on_demand,2026-10-01T00:15:00Z,2026-10-01T03:00:00Z
  > X
  $ printf 'time,service,tenant,count,latency_ms,tokens_in,tokens_out\n2026-10-01T00:40:00Z,ranker,a,1000,12,50000,30000\n' > requests.csv
  $ for i in jobs nodes; do tare import -q --db $i $i.csv; done; tare import -q --db all jobs.csv samples.csv nodes.csv requests.csv

What is `-` in the table is an empty cell in CSV and workbook and null in JSON, and nothing else is: jobs alone, nodes alone, and all.

  $ python3 $FILES/files/same.py jobs nodes all
  many figures, 0 differ

  $ tare report --db jobs --by team -o csv | cut -d, -f1,3,11,13,15,21
  team,gpu_seconds,busy_gpu_seconds,underused_gpu_seconds,idle_held_gpu_seconds,lost_gpu_seconds
  vision,21600,,,,7200
  a-team-with-a-name-that-is-rather-long,10500,,,,0

  $ tare report --db nodes --kpi -o csv | grep lost; tare report --db nodes --kpi -o json | $FILES/../data/get lost
  USD,goodput,-,"busy and not lost, of paid"
  USD,lost work,-,of paid GPU time
  USD,cost of lost work,-,USD in the window
  {'gpu_seconds': None, 'cost': None, 'frac': None, 'causes': []}

No line is wider than the terminal, but for what a shell takes.

  $ python3 - <<'X'
  > import datetime as d
  > hour = lambda h: f"{d.datetime(2026, 9, 1) + d.timedelta(hours=h):%Y-%m-%dT%H:%M:%SZ}"
  > print("time,units", *(f"{hour(h)},{10 + h % 24 // 4}" for h in range(672)), sep="\n", file=open("demand.csv", "w"))
  > print("provider,region,purchase,instance_type,gpu_model,gpu_count,usd_hour,from,to",
  >       *(f"gcp,us-east1,spot,a2-highgpu-1g,A100,1,{1 + h % 24 / 10},{hour(h + 1944)},{hour(h + 1945)}" for h in range(48)), sep="\n", file=open("hours.csv", "w"))
  > X
  $ cat > commands <<'X'
  > tare report --by team
  > tare report --by team,job,node
  > tare report --by team,job,node,gpu_model,user
  > tare report --by hour,team --trend
  > tare report --by job --top 1
  > tare report --by team,job --pivot hour
  > tare report --by team,job --since 2026-10-01T02:00:00Z --until 2026-10-01T03:00:00Z --compare 1h
  > tare report --chargeback
  > tare report --showback --split-idle proportional
  > tare report --hidden --by team,job,node
  > tare report --energy --by team,job,node
  > tare report --serving --by service,tenant
  > tare report --kpi
  > tare report --tags
  > tare plan
  > tare plan --findings
  > tare plan --by team
  > tare plan capacity --qps 500 --gpu-qps 200 --headroom 0.2
  > tare plan reserved --on-demand 3.06 --reserved-1y 1.82 --reserved-3y 1.31 --instances 8 --hours-month 720
  > tare plan spot --hours 48 --deadline 60h --on-demand 3.06 --place us-east-1a=0.97@6h --place us-east-1c=1.20@30h
  > tare plan gpu --vram-gib 14 --on A100-40GB --busy 0.2 --provider gcp --region us-central1
  > tare plan own --purchase 30000 --cloud 2.2 --wacc 0.08
  > tare plan mig --gpu A100-80GB
  > tare plan batch --slo-ms 200 --model-ms 12 --item-ms 2 --qps 500
  > tare plan forecast --demand demand.csv --horizon 7d
  > tare plan schedule --prices hours.csv --length 6h --deadline 24h
  > tare plan commit --demand demand.csv --rate-frac 0.6 --term 720h
  > TARE_GPU_REPLAY=samples.csv tare top --once
  > tare price H100
  > tare price --instance p5.48xlarge --region us-east-1 --history
  > tare alerts
  > tare alerts rules
  > tare config
  > tare reconcile
  > tare explain 43
  > tare sql --views
  > tare sql 'SELECT * FROM entries LIMIT 3'
  > tare schema
  > tare
  > tare help report
  > tare help plan gpu
  > X
  $ TARE_DB=all python3 $FILES/files/narrow.py 60 < commands
  outputs looked at

What has no room is said, and a table is not wider than it has to be.

  $ COLUMNS=60 tare report --db all --by team,job,node
  4 h to 2026-10-01 04:00 UTC · effective cost, USD · 19.9
  GPU·h paid · 0 % measured, 25 % assumed
  
  team                     job       node   GPU·h   cost  idle
  (nobody)                 (nobody)  gpu-7   11.0  15.60     -
  vision                   41        gpu-9    4.0      -  26 %
  a-team-with…rather-long  43        gpu-8    2.9      -     -
  vision                   42        gpu-9    2.0      -     -
  ────────────────────────────────────────────────────────────
                                             19.9  15.60   5 %
  No room for busy, underused, lost, unknown in 60 columns.
  
  no bill · ledger 15.60 · unpriced 8.917 GPU·h
  In doubt: 8.9 GPU·h may stand twice: of machines that jobs
  or readings name and no bill or node list knows (such as
  gpu-8), beside machines with the same GPU, paid on the same
  days, that no job or reading names (such as gpu-7); a node
  list says which is which: import one with each node's
  resource_id as on the bill.
  $ COLUMNS=200 tare report --db all --by team
  4 h to 2026-10-01 04:00 UTC · effective cost, USD · 19.9 GPU·h paid · 0 % measured, 25 % assumed
  
  team                                    GPU·h   cost  busy  underused  idle  lost  unknown
  (nobody)                                 11.0  15.60     -          -     -     -    100 %
  vision                                    6.0      -  20 %       13 %  17 %  33 %     17 %
  a-team-with-a-name-that-is-rather-long    2.9      -     -          -     -   0 %    100 %
  ──────────────────────────────────────────────────────────────────────────────────────────
                                           19.9  15.60   6 %        4 %   5 %  10 %     75 %
  
  no bill · ledger 15.60 · unpriced 8.917 GPU·h
  In doubt: 8.9 GPU·h may stand twice: of machines that jobs or readings name and no bill or node list knows (such as gpu-8), beside machines with the same GPU, paid on the same days, that no job or
  reading names (such as gpu-7); a node list says which is which: import one with each node's resource_id as on the bill.

Half-hours: the ledger has whole ones.

  $ tare report --db all --by team --since 2026-10-01T01:20:00Z --until 2026-10-01T01:50:00Z
  1 h to 2026-10-01 02:00 UTC · effective cost, USD · 7.000 GPU·h paid · 0 %
  measured, 14 % assumed
  
  team                                    GPU·h  cost  busy  underused  idle  lost  unknown
  (nobody)                                4.000  5.67     -          -     -     -    100 %
  vision                                  2.000     -  29 %       20 %   1 %   0 %     50 %
  a-team-with-a-name-that-is-rather-long  1.000     -     -          -     -   0 %    100 %
  ─────────────────────────────────────────────────────────────────────────────────────────
                                          7.000  5.67   8 %        6 %  <1 %   0 %     86 %
  
  no bill · ledger 5.67 · unpriced 3.000 GPU·h
  In doubt: 3.0 GPU·h may stand twice: of machines that jobs or readings name and
  no bill or node list knows (such as gpu-8), beside machines with the same GPU,
  paid on the same days, that no job or reading names (such as gpu-7); a node list
  says which is which: import one with each node's resource_id as on the bill.
  ! tare: the ledger has whole hours: this is from 2026-10-01T01:00:00Z to 2026-10-01T02:00:00Z
  $ tare report --db all --by hour --since 2026-10-01T01:20:00Z --until 2026-10-01T01:50:00Z -q -o json | $FILES/../data/get window total.gpu_seconds
  {'since': '2026-10-01T01:00:00Z', 'until': '2026-10-01T02:00:00Z'}
  25200

A plan at 10:37, of machines that began at 10:15 some days ago and of whom the last word is of 10:15: its months are of the time between.

  $ cat > late.csv <<'X'
  > node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,usd_hour
  > a-1,,,,A100,4,on_demand,2026-10-01T06:15:00Z,,8
  > a-2,,,,A100,4,on_demand,2026-10-01T06:15:00Z,2026-10-01T10:15:00Z,8
  > X
  $ printf 'job_id,team,gpus,start,end,state,node\n1,x,4,2026-10-01T06:15:00Z,2026-10-01T10:15:00Z,COMPLETED,a-2\n' > j.csv
  $ export TARE_NOW=2026-10-01T10:37:00Z; tare import -q --db late late.csv j.csv; tare report --db late --by kind -o csv | cut -d, -f1-4; tare plan --db late | head -1; python3 -c 'print(64 / 4 * 730)'
  kind,currency,gpu_seconds,cost
  gpu,USD,115200,64
  Today      11,680 $/month (730 h)           replayed on 5 h
  11680.0

A limit of rows holds in each format.

  $ for f in csv md table; do tare price --gpu H100 --limit 7 --at 2026-10-01 -o $f | grep -c highgpu; done; tare price --gpu H100 --limit 7 --at 2026-10-01 -o json | $FILES/../data/get 'len(rows)'
  7
  7
  7
  7

The sum of the rest is in each format, and it adds up.

  $ for o in '' '--pivot hour' '--since 2026-10-01T02:00:00Z --until 2026-10-01T03:00:00Z --compare 1h'; do for t in '' '--top 1'; do tare report --db all --by job $o $t -o csv | python3 -c '
  > import csv, sys
  > from decimal import Decimal
  > print({k: str(sum(Decimal(r[k] or 0) for r in rows)) for rows in [list(csv.DictReader(sys.stdin))] for k in rows[0] if k in ("cost", "now", "total", "total_cost", "gpu_seconds")})'; done; done
  {'gpu_seconds': '71700', 'cost': '15.598'}
  {'gpu_seconds': '71700', 'cost': '15.598'}
  {'total': '15.598'}
  {'total': '15.598'}
  {'now': '5.672'}
  {'now': '5.672'}
