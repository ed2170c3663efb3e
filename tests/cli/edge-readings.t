Jobs begin and end within a step of the readings: what is read beside them is theirs, and does not make a machine one that works while nobody holds it.

A machine of two GPUs for 14 days at 5 dollars a GPU-hour, said by --set usd_gpu_hour; a job of 6 h 51 min a day; a reading each ten minutes, busy wherever the job has a
part of it.

  $ python3 - <<'X'
  > from datetime import datetime, timedelta
  > t0, step, day = datetime(2026, 10, 1), timedelta(minutes=10), timedelta(days=1)
  > z = lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ")
  > def csv(name, head, rows): open(name, "w").write("\n".join([head] + rows) + "\n")
  > span = [(t0 + d * day + timedelta(hours=9, minutes=3), t0 + d * day + timedelta(hours=15, minutes=54)) for d in range(14)]
  > works = lambda t: any(a < t + step and t < b for a, b in span)
  > csv("nodes.csv", "node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster", [f"n,own,here,box,A100-SXM4-40GB,2,on_demand,{z(t0)},{z(t0 + 14 * day)},c"])
  > csv("jobs.csv", "job_id,user,team,gpus,node,submit,start,end,limit_s,state,cluster", [f"j{i},u{i % 2},t,2,n,{z(a)},{z(a)},{z(b)},259200,COMPLETED,c" for i, (a, b) in enumerate(span)])
  > csv("samples.csv", "time,node,gpu,gpu_util_pct,mem_used_bytes,step_s", [f"{z(t)},n,{g},{90 * works(t)},{(9 << 30) * works(t)},600" for k in range(14 * 144) for t in [t0 + k * step] for g in range(2)])
  > X
  $ tare import -q --set usd_gpu_hour=5 nodes.csv; tare import -q jobs.csv samples.csv
  $ tare report --by team | grep -E 'no bill|nobody'
  (nobody)  480.2  2,401.00   <1 %        0 %  >99 %   0 %     <1 %
  no bill · ledger 3,360.00 · unpriced 0 GPU·h
  Idle alone costs 2,393.00 USD in these 14 days. Most of it: (nobody), 2,393.00,
  paid for and held by nobody (tare report --by node --sort waste).
  $ tare plan | sed -n '/ #  do/,/^$/p'
   #  do                                        saves $/month  range  tier    days
   1  c: give free machines back after 15               5,102  5.1 K  Try        2
      minutes, boot them when a job asks
  
  $ tare plan | grep -c 'cards work'
  0
  [1]

By hand, of the whole machine: 13 nights of 17 h less 15 minutes to let go and 5 to boot, 9 h before the first job, 8 h after the last: 233 h of 336, 10 dollars each.

  $ python3 -c 'print(round((13 * (17 - 1 / 3) + 9 - 1 / 3 + 8 - 1 / 4) * 10 * 730 / 336))'
  5064
  $ tare plan -o json | python3 -c 'import json, sys; r = json.load(sys.stdin)["recommendations"]; print(len(r), 5000 < float(r[0]["saving_month"]) < 5150)'
  1 True

usd_hour is the machine's and stands above usd_gpu_hour; both are prices.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\na,own,here,A10,8,owned,2026-10-01,2026-10-02,\nb,own,here,A10,4,owned,2026-10-01,2026-10-02,3\n' > two.csv
  $ tare import -q --db two --set usd_gpu_hour=0.5 two.csv; tare report --db two --by node -o csv | cut -d, -f1,4
  node,cost
  a,96
  b,72
  $ tare import --db three --set usd_gpu_hour=-1 two.csv
  ! tare: 'two.csv': 1 row cannot be read: line 2, usd_gpu_hour: a price cannot be below 0
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  [2]

Two GPUs under one name: what is lost is said.

  $ printf 'time,node,gpu,gpu_util_pct,step_s\n2026-10-01T00:00:00Z,n,0,80,60\n2026-10-01T00:01:00Z,n,0,80,60\n2026-10-01T00:00:00Z,n,0,20,60\n2026-10-01T00:01:00Z,n,0,80,60\n' > two.csv
  $ tare import --db two --set gpu_model=A10 --set usd_gpu_hour=1 two.csv
  two.csv: samples, 4 rows kept, 0.07 GPU·h
      note: 1 of the readings told here are contradicted by a later row of the same machine, GPU and time, which holds: are two GPUs or machines under one name (columns node, gpu, mig, cluster)?
  You see   busy, half-used and idle GPUs: tare report --by state --db two
            machines and what they cost: tare report --by node --db two
  Add       a job list (sacct, OpenCost, any CSV): idle time of each job; right
            size, booked time
            a request log (requests.csv, Prometheus): replicas, sharing, latency
            kept

One scrape a minute, each a file of its own: each reading lasts as long as it is since the one before, of the same GPU, whoever holds it. Three in one
call, then one by one; none for nine minutes is a gap.

  $ scrape() { printf "DCGM_FI_DEV_GPU_UTIL{gpu=\"0\",UUID=\"GPU-0\",Hostname=\"s\",hpc_job=\"$2\"} 90 $(( $(date -ud 2026-11-02T00:$1:00Z +%s) * 1000 ))\n" > s$1.prom; }
  > for m in 00 01 02; do scrape $m 7; done; scrape 03 8; scrape 12 8; scrape 13 8
  $ tare import --db scrapes s00.prom s01.prom s02.prom | grep -e note; for m in 03 12 13; do tare import -q --db scrapes s$m.prom; done; tare report --db scrapes --by job,state -o csv | cut -d, -f1-4
      note: no two readings of one GPU to tell the step from: 30 s assumed; --set step_s=N says it
      note: one reading of each GPU: the time since the reading before, in another file, was assumed as its step (60 s); --set step_s=N says it
      note: one reading of each GPU: the time since the reading before, in another file, was assumed as its step (60 s); --set step_s=N says it
  job,state,currency,gpu_seconds
  7,busy,USD,150
  8,busy,USD,150
