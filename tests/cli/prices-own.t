The customer's own rates: what the bill shows is paid of list for a family scales the catalogue; of other families the list price is said to be one; what is not sold has no price.

A fleet that books machines of 4 V100 and uses one GPU, at 70 % of list; and one H100 machine, of which nobody sells reservations.

  $ cat > make.py <<'END'
  > import datetime as d, sys
  > part, currency, name = float(sys.argv[1]), sys.argv[2], sys.argv[3]
  > t0, h = d.datetime(2026, 8, 3), d.timedelta(hours=1)
  > z = lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ")
  > n, j, s = (open(f"{name}-{k}.csv", "w") for k in ("nodes", "jobs", "samples"))
  > n.write("node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour,currency\n")
  > j.write("job_id,user,team,workload,name,gpus,gpu_ids,start,end,state,node,cluster,checkpointable,limit_s,cpus,ram_gib\n")
  > s.write("time,step_s,node,gpu,gpu_util_pct,mem_used_bytes,mem_total_bytes,sm_active_frac,tensor_active_frac,dram_active_frac\n")
  > for k in range(42):
  >     for i in range(2):
  >         a, node = t0 + 24 * h * k + 3 * h * i, f"m-{k}-{i}"
  >         n.write(f"{node},aws,us-east-1,p3.8xlarge,V100-SXM2-16GB,4,on_demand,{z(a)},{z(a + 8 * h)},c,{12.24 * part},{currency}\n")
  >         j.write(f"{k}-{i},ann,vision,training,run-{i},4,0;1;2;3,{z(a)},{z(a + 8 * h)},COMPLETED,{node},c,false,57600,4,30\n")
  >         for q in range(48):
  >             for g in range(4):
  >                 s.write(f"{z(a + q * h / 6)},600,{node},{g},{70 if g == 0 else 0},{4000000000 if g == 0 else 0},17179869184,{0.5 if g == 0 else 0},0,{0.1 if g == 0 else 0}\n")
  > n.write(f"big,aws,us-east-1,p5.48xlarge,H100-SXM5-80GB,8,on_demand,{z(t0)},{z(t0 + 42 * 24 * h)},c,{55.04 * part},{currency}\n")
  > j.write(f"svc,bob,nlp,inference,chat,8,0;1;2;3;4;5;6;7,{z(t0)},{z(t0 + 42 * 24 * h)},RUNNING,big,c,false,,8,60\n")
  > for q in range(42 * 24):
  >     for g in range(8):
  >         s.write(f"{z(t0 + q * h)},3600,big,{g},80,60000000000,85899345920,,,\n")
  > END
  $ python3 make.py 0.7 USD usd
  $ tare import -q --db usd usd-nodes.csv usd-jobs.csv usd-samples.csv
  $ cat > show.py <<'X'
  > import json, sys
  > p = json.load(sys.stdin)
  > print(p["currency"], p["saving_frac"])
  > for r in p["own_rates"]: print("own rate", *(r[k] for k in ("provider", "family", "factor", "list_currency", "basis", "gpu_hours")))
  > for r in p["recommendations"]:
  >     print(r["lever"], r["title"])
  >     for e in r["evidence"]:
  >         if "/GPU" in (e["unit"] or ""): print("  ", e["metric"], e["value"], e["unit"], "|", e["source"])
  > for n in p["notes"]:
  >     if any(w in n for w in ("list", "not sold", "planned", "rate")): print("-", n)
  > X
  $ tare plan --db usd -o json | python3 show.py
  USD 0.098883
  own rate aws p3 0.7 USD catalogue 2688
  own rate aws p5 0.7 USD catalogue 8064
  rightsize_count run-*: 1 GPU, not 4 (p3.8xlarge -> p3.2xlarge)
     p3.2xlarge us-east-1, on_demand 2.1420 $/GPU·h | karpenter-provider-aws@1d92708, 2026-07-20; 0.7 of list, as is paid for its family
  rightsize_gpu run-*: L40S, not V100-SXM2-16GB (p3.2xlarge -> g6e.xlarge)
     g6e.xlarge us-east-1, on_demand 1.8610 $/GPU·h | karpenter-provider-aws@1d92708, 2026-07-20; list price
  - spot: no market is known for the machines of 84 jobs: a listed or advised price is none, it takes prices recorded over plan.gates.spot_market_weeks (`tare price update`, `tare import --as prices`).
  - commit: not sold as a reservation: p5.48xlarge in us-east-1 (instances.vantage.sh 2026-01-21)
  - machines you do not have yet are priced at what you pay of list (aws p3 0.7, aws p5 0.7), families that you do not pay for at list price

The same in euros at 90 cents a dollar, without an exchange rate: what is saved by the count is the same part; the GPU of another family lacks the rate, and that is said.

  $ python3 make.py 0.63 EUR eur
  $ tare import -q --db eur eur-nodes.csv eur-jobs.csv eur-samples.csv
  $ tare plan --db eur -o json | python3 show.py
  EUR 0.095025
  own rate aws p3 0.63 USD catalogue 2688
  own rate aws p5 0.63 USD catalogue 8064
  rightsize_count run-*: 1 GPU, not 4 (p3.8xlarge -> p3.2xlarge)
     p3.2xlarge us-east-1, on_demand 1.9278 EUR/GPU·h | karpenter-provider-aws@1d92708, 2026-07-20; list in USD x 0.63 EUR, as is paid for its family
  - spot: no market is known for the machines of 84 jobs: a listed or advised price is none, it takes prices recorded over plan.gates.spot_market_weeks (`tare price update`, `tare import --as prices`).
  - commit: not sold as a reservation: p3.2xlarge in us-east-1 (instances.vantage.sh 2026-01-21), p5.48xlarge in us-east-1 (instances.vantage.sh 2026-01-21)
  - planned in EUR: machines of families that you pay for are priced at what you pay for a dollar of list (aws p3 0.63, aws p5 0.63)
  - planned in EUR: spot markets and machines of other families lack an exchange rate of USD to EUR, their prices were not used; tare import --as rates brings it

What can be bought, and what is known not to be sold.

  $ tare price --instance p5.48xlarge --region us-east-1 --purchase reserved; tare price --instance p4d.24xlarge --region us-east-1 --purchase reserved -o csv | cut -d, -f4,7-9,17,21
  Prices at 2026-11-21T00:00:00Z · 0 rows, cheapest per GPU-hour first
  
  none known: other words for the GPU, --region '*', --at another day, or: tare price update
  
  not offered: aws p5.48xlarge, reserved (instances.vantage.sh 2026-01-21, 2026-01-21)
  instance_type,purchase,term,usd_hour,as_of,source
  p4d.24xlarge,reserved_1y,standard; no upfront,13.921094,2026-01-21T00:00:00Z,instances.vantage.sh 2026-01-21
  $ tare price --instance Standard_ND96isr_H100_v5 --region eastus --purchase commit -o json | python3 -c 'import json,sys; p=json.load(sys.stdin); print([(r["purchase"], r["term"], r["usd_hour"]) for r in p["rows"]], p["not_offered"])'
  [('reserved_1y', 'paid either way', '62.9248')] [{'provider': 'azure', 'region': 'eastus', 'instance_type': 'Standard_ND96isr_H100_v5', 'purchase': 'savings_plan', 'as_of': '2024-03-25', 'source': 'instances.vantage.sh/azure 2024-03-25'}]
  $ tare price --provider nebius --purchase commit | tail -1
  nebius, commitment discounts: agreed with sales; company accounts only; generally prepaid on agreed dates; up to 35% less (2026-10-07)
  $ tare price --provider aws --region us-east-2 --gpu B200 --purchase capacity_block,spot -o csv | cut -d, -f3,4,7-10,17
  zone,instance_type,purchase,term,usd_hour,usd_gpu_hour,as_of
  ,p6-b200.48xlarge,capacity_block,all upfront,98.84,12.355,2026-07-22T00:00:00Z
  $ python3 -c "print('time,units'); [print(f'{h},{4 if h % 24 < 12 else 2}') for h in range(2880)]" > hours.csv
  $ tare plan commit --demand hours.csv --instance p4d.24xlarge --region us-east-1 | grep -A2 hold; tare plan commit --demand hours.csv --instance p5.48xlarge --region us-east-1; echo $?
  To hold from now on, by the forecast at the end of these hours: 2 units
  offer                             units      $/h  pays off  upfront
  reserved_1y standard; no upfront      2  13.9211    63.4 %     0.00
  2
  ! tare: 'p5.48xlarge' is not sold as a reservation in 'us-east-1': instances.vantage.sh 2026-01-21, 2026-01-21
  !       --offer NAME:TERM:UPFRONT:HOUR gives what you were offered
  $ tare plan commit --demand hours.csv --instance p4d.24xlarge; tare plan commit --demand hours.csv --instance p4d --region us-east-1; tare plan commit --demand hours.csv --instance p4d.24xlarge --region us-east-1 --term 1y --rate-frac 0.5
  ! tare: --instance needs --region: prices are those of a place
  ! tare: --instance: the catalogue knows no 'p4d'
  ! tare: either --instance, whose offers the catalogue has, or --offer, or --rate-frac and --term
  [2]

Each item says where its price is from.

  $ tare explain --db usd 1 | grep 'of list'; tare explain --db usd 2 | grep 'list price'
    karpenter-provider-aws@1d92708, 2026-07-20; 0.7 of list, as is paid for its
    karpenter-provider-aws@1d92708, 2026-07-20; list price
