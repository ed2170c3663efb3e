A change of level inside the history: what stands idle, or is gone, since then is not drawn from the time before. Four weeks of three
machines at 10 $/h (7,300 $ a month): 'work' is held all the time; 'idle' was for ten days and by nobody since; 'gone' was given back
after two weeks, on which it was held on three days.

  $ cat > nodes.csv <<EOF
  > node,provider,region,cluster,gpu_model,gpu_count,purchase,from,to,usd_hour
  > work,own,eu,c1,L4,4,on_demand,2026-03-02T00:00:00Z,2026-03-30T00:00:00Z,10
  > idle,own,eu,c1,L4,4,on_demand,2026-03-02T00:00:00Z,2026-03-30T00:00:00Z,10
  > gone,own,eu,c1,L4,4,on_demand,2026-03-02T00:00:00Z,2026-03-16T00:00:00Z,10
  > EOF
  $ python3 - <<EOF
  > days = [("work", d) for d in range(2, 30)] + [("idle", d) for d in range(2, 12)] + [("gone", d) for d in (2, 8, 12)]
  > with open("jobs.csv", "w") as f:
  >     print("job_id,user,team,name,cluster,node,gpus,submit,start,end,state", file=f)
  >     for i, (n, d) in enumerate(days):
  >         print(f"{i},u,t,train-{i},c1,{n},4,2026-03-{d:02d}T00:00:00Z,2026-03-{d:02d}T00:00:00Z,2026-03-{d + 1:02d}T00:00:00Z,COMPLETED", file=f)
  > EOF
  $ tare import -q nodes.csv; tare import -q --covers c1 jobs.csv

The stop saves what the machine costs, and no more in any case; what is gone costs nothing today, and is not sold again.

  $ tare plan 2>/dev/null | head -12
  Today      14,600 $/month (730 h)           replayed on 28 days, 41 jobs
  After all   7,351 $/month   -50 %           9 of 10 cases: -45 to -54 %
  
                              saves $/month   after it
    Ready       (can be undone)       7,249       -50 %
    Try first   (a trial decides)         -           -
    Commit      (binds money)             -           -
  
   #  do                                    saves $/month      range  tier    days
   1  stop c1: 1 machine that no job has            7,249  7.2-7.3 K  Ready      1
      held for 18 days
  
  $ tare plan -o json | python3 -c '
  > import json, sys
  > d = json.load(sys.stdin)
  > print(d["baseline"]["cost_month"], d["replayed_month"])
  > for r in d["recommendations"]: print(r["id"], r["saving_month"], r["p05"], r["p95"], r["tier"])
  > print([n for n in d["notes"] if "gone" in n])'
  14600 7300
  stop_idle-c1 7249.2749718 7249.2749718 7299.989122152679 sure
  ["'gone' was given back permanently (2026-03-16): 3,360 USD that this cost before is no cost of today"]

So it answers a target.

  $ tare plan --target-frac 0.4 --within 30d 2>/dev/null | head -2
  Today      14,600 $/month (730 h)           replayed on 28 days, 41 jobs
  After all   7,351 $/month   -50 %           9 of 10 cases: -45 to -54 %

The ledger itself keeps what was.

  $ tare report --by node -o csv | cut -d, -f1,3,4
  node,gpu_seconds,cost
  idle,9676800,6720
  work,9676800,6720
  gone,4838400,3360

Machines that come and go, each for some days, are the level: none is gone permanently while its like comes.

  $ (head -1 nodes.csv; for k in 0 1 2; do echo "w$k,own,eu,c1,L4,4,on_demand,2026-03-$(printf %02d $((2 + 9 * k)))T00:00:00Z,2026-03-$(printf %02d $((11 + 9 * k)))T00:00:00Z,10"; done) > come.csv
  $ tare import -q --db come come.csv; sed 's/,work,/,w0,/' jobs.csv | head -9 > j.csv; tare import -q --db come --covers c1 j.csv; tare plan --db come -o json 2>/dev/null | python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["baseline"]["cost_month"])'
  7300

A machine that nobody ever held saves its price, also where what the fleet cost was high in one week and the medians of all draws are below
its mean.

  $ python3 - <<EOF
  > with open("burst.csv", "w") as f:
  >     print("node,provider,region,cluster,gpu_model,gpu_count,purchase,from,to,usd_hour", file=f)
  >     for n in ("work", "idle"): print(f"{n},own,eu,c1,L4,4,on_demand,2026-03-02T00:00:00Z,2026-03-30T00:00:00Z,10", file=f)
  >     for k in range(6): print(f"burst{k},own,eu,c1,L4,4,spot,2026-03-03T00:00:00Z,2026-03-06T00:00:00Z,10", file=f)
  > with open("bursts.csv", "w") as f:
  >     print("job_id,user,team,name,cluster,node,gpus,submit,start,end,state", file=f)
  >     for i, (n, a, b) in enumerate([("work", d, d + 1) for d in range(2, 30)] + [(f"burst{k}", 3, 6) for k in range(6)]):
  >         print(f"{i},u,t,train-{i},c1,{n},4,2026-03-{a:02d}T00:00:00Z,2026-03-{a:02d}T00:00:00Z,2026-03-{b:02d}T00:00:00Z,COMPLETED", file=f)
  > EOF
  $ tare import -q --db burst burst.csv; tare import -q --db burst --covers c1 bursts.csv
  $ tare plan --db burst -o json 2>/dev/null | python3 -c 'import json, sys; [print(r["id"], r["saving_month"], r["p95"]) for r in json.load(sys.stdin)["recommendations"]]'
  stop_idle-c1 7299.9999927 7299.9999927

What looks back has what the work did cost then: the ten days on 'idle', and the three on 'gone', came to nothing.

  $ sed '/,\(idle\|gone\),/s/COMPLETED/FAILED/' jobs.csv > lost.csv; tare import -q --db lost nodes.csv; tare import -q --db lost --covers c1 lost.csv
  $ tare plan --db lost --findings -o json 2>/dev/null | python3 -c 'import json, sys; [print(x["cause"], x["cost_month"]) for x in json.load(sys.stdin)["findings"]]'
  unallocated 7560.714285714286
  lost/failed 3389.285714285714
  $ tare plan --db lost -o json 2>/dev/null | python3 -c 'import json, sys; [print(a["title"]) for a in json.load(sys.stdin)["advice"] if "failed" in a["title"]]'
  13 of 41 jobs failed or ran into their limit: 1,248 GPU·h (3,120 USD) in 28 days, 32 % of all

`tare explain JOB` has it too.

  $ tare explain --db lost 28 | grep -E '^(Cost|Did)'
  Cost        240.00 USD for 96.0 GPU·h in the window
  Did         lost 100 % (240.00)

Of machines that only a bill knows: one that ended six weeks ago is no cost of today, another way of buying is; the head says what the last weeks came to.

  $ python3 - > bill.csv <<'X'
  > import datetime as d
  > print("BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ResourceId,ProviderName,RegionId,ServiceCategory,ServiceName,ConsumedQuantity,ConsumedUnit,SkuPriceDetails")
  > for i in range(100):
  >     a = d.date(2026, 6, 1) + d.timedelta(i)
  >     for vm, cost in (("i-gone", 700 if i < 58 else 0), ("i-here", 700 if i < 50 else 400)):
  >         if cost:
  >             print(cost, cost, "USD", 1, "Usage", f"{a}T00:00:00Z", f"{a + d.timedelta(1)}T00:00:00Z", vm, "AWS", "us-east-1", "Compute", "Amazon EC2", 24, "Hours", '"{""InstanceType"":""p5.48xlarge""}"', sep=",")
  > X
  $ tare import -q --db gone bill.csv; tare plan --db gone | sed -n '1,2p;/given back/,/today/p'
  Today      16,729 $/month (730 h)           replayed on 100 days
             the mean of 100 days; the last 28 came to 12,167 $/month
    'i-gone' was given back permanently (2026-07-29): 40,600 USD that this cost
    before is no cost of today
  $ tare plan --db gone -o json 2> /dev/null | python3 -c 'import json, sys; print(json.load(sys.stdin)["baseline"])'
  {'cost_month': '16729.166666666667', 'recent_month': '12166.666666666667'}

A bill that ends before the others do says of no machine that it went.

  $ (cat bill.csv; grep i-here bill.csv | sed 's/,1,Usage/,2,Usage/; s/i-here/g-here/; s/AWS,us-east-1/Google Cloud,us-central1/; s/Amazon EC2/Compute Engine/' | sed 's/2026-0[678]-../&/') > both.csv; awk -F, 'NR == 1 || $9 != "AWS" || $6 < "2026-08-01"' both.csv > lags.csv
  $ tare import -q --db lags lags.csv; tare plan --db lags | grep -E '^Today|given back'
  Today      41,062 $/month (730 h)           replayed on 100 days

Nor do the machines that stay get the price of one that is gone: of three, 'gone' went on the 20th, and two are as many as jobs of four and
of two GPUs day and night need.

  $ mkdir packed; cd packed
  $ cat > nodes.csv <<EOF
  > node,provider,region,cluster,gpu_model,gpu_count,purchase,from,to,usd_hour
  > a,aws,eu,c2,L4,4,on_demand,2026-03-02T00:00:00Z,2026-03-30T00:00:00Z,10
  > b,aws,eu,c2,L4,4,on_demand,2026-03-02T00:00:00Z,2026-03-30T00:00:00Z,10
  > gone,aws,eu,c2,L4,4,on_demand,2026-03-02T00:00:00Z,2026-03-20T00:00:00Z,10
  > EOF
  $ python3 - <<EOF
  > with open("jobs.csv", "w") as f:
  >     print("job_id,user,team,name,cluster,node,gpus,start,end,state", file=f)
  >     for d in range(2, 30):
  >         for n, g in (("a", 4), ("b", 2)):
  >             print(f"{n}{d},u,t,{n}-train,c2,{n},{g},2026-03-{d:02d}T00:00:00Z,2026-03-{d + 1:02d}T00:00:00Z,COMPLETED", file=f)
  > EOF
  $ tare import -q --db s nodes.csv; tare import -q --db s --covers c2 jobs.csv
  $ tare plan --db s 2>/dev/null | head -3
  Today      14,600 $/month (730 h)           replayed on 28 days, 56 jobs
  
  No change is proposed on this history within these limits; this is what it says.
  $ cd ..
