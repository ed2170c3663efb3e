Sources begin at different times. What was there before the first record of a machine's source is not known, neither zero nor "not there": a plan looks at
the time in which all of them are known, and saves the same with an older bill of something else beside it.

  $ cat > make.py <<'END'
  > import datetime as d
  > t0, day = d.datetime(2026, 9, 21), d.timedelta(days=1)
  > z = lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ")
  > n = open("nodes.csv", "w")
  > n.write("node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\n")
  > for k in range(3):
  >     n.write(f"n{k},aws,us-east-1,p3.8xlarge,V100-SXM2-16GB,4,on_demand,{z(t0)},{z(t0 + 42 * day)},c,12.24\n")
  > j = open("jobs.csv", "w")
  > j.write("job_id,user,team,workload,name,gpus,gpu_ids,start,end,state,node,cluster\n")
  > for k in range(42):
  >     for m in range(2):
  >         j.write(f"{k}-{m},ann,nlp,training,run-{k},4,0;1;2;3,{z(t0 + k * day)},{z(t0 + (k + 1) * day)},COMPLETED,n{m},c\n")
  > o = open("other.csv", "w")
  > o.write("node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\n")
  > o.write(f"x,lambda,us-east-1,gpu_1x_a10,A10,1,owned,{z(t0 - 40 * day)},{z(t0 + 42 * day)},x,1.00\n")
  > f = open("storage.csv", "w")
  > f.write("BillingAccountId,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,BillingCurrency,BilledCost,EffectiveCost,ListCost,ChargeCategory,ChargeDescription,ProviderName,ServiceCategory,ServiceName,ResourceId,RegionId,SkuId\n")
  > for k in range(62):
  >     a = d.datetime(2026, 7, 1) + k * day
  >     m = a.replace(day=1)
  >     e = (m + 31 * day).replace(day=1)
  >     f.write(f"s3,{z(m)},{z(e)},{z(a)},{z(a + day)},USD,1.00,1.00,1.00,Usage,object storage,Wasabi,Storage,Object Storage,bucket,eu-north1,st\n")
  > END
  $ python3 make.py
  $ cat > items.py <<'END'
  > import json, sys
  > p = json.load(sys.stdin)
  > for r in p["recommendations"]:
  >     print(r["id"], round(float(r["saving_month"]), 2))
  > END
  $ tare import -q --db one nodes.csv; tare import -q --db one --covers c jobs.csv
  $ tare plan --db one -o json | python3 items.py | tee one.items
  stop_idle-c 8935.2
  $ cp -r one two; tare import -q --db two storage.csv
  $ tare plan --db two -o json | python3 items.py | diff one.items -
  $ tare plan --db two | sed -n 1,2p; tare plan --db two -o json | grep -o "'aws' is recorded[^\"]*"
  Today      26,806 $/month (730 h)           replayed on 42 days, 84 jobs
  After all  17,870 $/month   -33 %           9 of 10 cases: -30 to -37 %
  'aws' is recorded from 2026-09-21 on, other things from 2026-07-01 on: the plan looks at the 42 days in which all of it is known ('--since' says otherwise)

A machine of another provider that is recorded for longer costs what it costs, and changes nothing of the rest.

  $ cp -r one three; tare import -q --db three other.csv
  $ tare plan --db three -o json | python3 items.py | diff one.items -
  $ tare plan --db three -o json | grep -o "'aws' is recorded[^\"]*"
  'aws' is recorded from 2026-09-21 on, other things from 2026-08-12 on: the plan looks at the 42 days in which all of it is known ('--since' says otherwise)

Who asks for a longer window gets it, and is told.

  $ tare plan --db three --since 2026-08-12 -o json | grep -o "'aws' is recorded[^\"]*"
  'aws' is recorded from 2026-09-21 on, for 42 of the 82 days that the plan looks at: what it costs a month, and what changes of it save, is more than is told here ('--since 2026-09-21')
