A fleet that pays in two currencies without rates is planned in that of most GPU time, here of the larger sum; amounts of different currencies are never added, and prices in dollars say
nothing of machines paid in euros.

  $ cat > make.py <<'END'
  > import datetime as d
  > t0, h = d.datetime(2026, 10, 5), d.timedelta(hours=1)
  > z = lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ")
  > n, j, s = open("nodes.csv", "w"), open("jobs.csv", "w"), open("samples.csv", "w")
  > n.write("node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour,currency\n")
  > j.write("job_id,user,team,workload,name,gpus,gpu_ids,start,end,state,node,cluster,checkpointable\n")
  > s.write("time,step_s,node,gpu,gpu_util_pct,mem_used_bytes\n")
  > for name, usd, currency in (("de", 20, "EUR"), ("us", 12.24, "USD")):
  >     n.write(f"{name},aws,us-east-1,p3.8xlarge,V100-SXM2-16GB,4,on_demand,{z(t0)},{z(t0 + 21 * 24 * h)},{name},{usd},{currency}\n")
  >     for k in range(21):
  >         a, b = t0 + 24 * h * k, t0 + (24 * k + 10) * h
  >         j.write(f"{name}-{k},ann,{name},training,run-{k},4,0;1;2;3,{z(a)},{z(b)},COMPLETED,{name},{name},true\n")
  >         for i in range(144):
  >             for g in range(4):
  >                 s.write(f"{z(a + i * h / 6)},600,{name},{g},{90 if i < 60 else 0},9000000000\n")
  > END
  $ python3 make.py
  $ tare import -q --db s nodes.csv jobs.csv samples.csv
  $ tare report --db s --by cluster -o csv | cut -d, -f1-4
  cluster,currency,gpu_seconds,cost
  us,USD,7257600,6168.96
  de,EUR,7257600,10080
  $ tare plan --db s
  Today      14,600 EUR/month (730 h)         replayed on 21 days, 21 jobs
  
  Nothing to change: no proposal would save money on this history within these
  limits.
  
  What the history does not tell:
    6,168.96 USD (2,016 GPU·h) are not planned: amounts of different currencies
    are not added (tare import --as rates)
    21 allocations without an entry in the ledger in EUR were left out
    spot: no market is known for the machines of 21 jobs: a listed or advised
    price is none, it takes prices recorded over plan.gates.spot_market_weeks
    (`tare price update`, `tare import --as prices`).
    commit: 3.0 weeks of use are too few to be bound for a year: 4 are the least,
    and 8 for all of what always runs
    planned in EUR: machines of families that you pay for are priced at what you
    pay for a dollar of list (aws p3 1.634)
    planned in EUR: spot markets and machines of other families lack an exchange
    rate of USD to EUR, their prices were not used; tare import --as rates brings
    it
    one file more that would open most: a cloud bill (FOCUS, CUR, Azure, GCP):
    cost by team and job
  
  Looked at, nothing to propose:
    trim_time (runs: 21): 21 without a limit in the job list (limit_s)
    input_bound (jobs: 21): 21 that do not wait for their input
    rightsize_count (runs: 21): 21 with work on all 4 GPUs they asked for
    (readings of 21 days)
    rightsize_gpu (runs: 21): 21 on the GPU that costs least for them, as far as
    is known
  
  tare plan --db s --findings   what was seen
  tare report --by state --db s   what it did
  $ tare plan --db s -o json | python3 -c 'import json,sys; p=json.load(sys.stdin); print(p["currency"], p["baseline"]["cost_month"], {r["lever"] for r in p["recommendations"]}, {e["unit"] for r in p["recommendations"] for e in r["evidence"] if "GPU-h" in (e["unit"] or "")})'
  EUR 14600 set() set()

With a price in euros the levers that need one work too.

  $ printf 'provider,region,instance_type,gpu_model,gpu_count,purchase,usd_hour,currency,from\naws,us-east-1,p3.8xlarge,V100-SXM2-16GB,4,spot,6,EUR,2026-01-01\n' > eur.csv
  $ tare import -q --db s eur.csv
  $ tare plan --db s -o json | python3 -c 'import json,sys; p=json.load(sys.stdin); print([(r["id"], r["title"]) for r in p["recommendations"] if r["lever"] == "spot"])'
  []
