A bill alone, as an analyst has it on the first day: from a clean home to what changed, what is biggest, what has no team, what could be committed.

The bill is made by the day. p4d 800 a day in September, 900 in October; two m5.xlarge 5 a day each; a bucket 10 a day, 25 in October; egress 12; a savings plan
used 15 and unused 5 a day until October 20. business_unit stands on the machines alone.

  $ cat > bill.py <<'X'
  > import datetime as d, sys
  > a, n = d.date.fromisoformat(sys.argv[1]), int(sys.argv[2])
  > print("BilledCost,EffectiveCost,ListCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ResourceId,ProviderName,RegionId,ServiceCategory,ServiceName,ChargeDescription,ConsumedQuantity,ConsumedUnit,PricingCategory,CommitmentDiscountId,CommitmentDiscountType,CommitmentDiscountStatus,SkuPriceDetails,Tags")
  > for day in (a + d.timedelta(i) for i in range(n)):
  >     oct = day >= d.date(2026, 10, 1)
  >     def line(cost, service, what, resource, category="Compute", hours="", pricing="Standard", plan=",,", type="", tags=""):
  >         t = '"{""InstanceType"":""%s""}"' % type if type else ""
  >         print(cost, cost, cost, "USD", 1, "Usage", f"{day}T00:00:00Z", f"{day + d.timedelta(1)}T00:00:00Z", resource, "AWS", "us-east-1", category, service, what, hours, "Hours" if hours else "", pricing, plan, t, tags, sep=",")
  >     bu = '"{""business_unit"":""Vision"",""application"":""maps""}"'
  >     line(900 if oct else 800, "Amazon Elastic Compute Cloud", "p4d", "i-1", hours=24, type="p4d.24xlarge", tags=bu)
  >     for i in (2, 3):
  >         line(5, "Amazon Elastic Compute Cloud", "m5", f"i-{i}", hours=24, type="m5.xlarge", tags=bu)
  >     line(25 if oct else 10, "Amazon Simple Storage Service", "GB-month", "arn:aws:s3:::runs", category="Storage")
  >     line(12, "AWS Data Transfer", "data transfer out to the internet", "", category="Networking")
  >     if day <= d.date(2026, 10, 20):
  >         for cost, status in ((15, "Used"), (5, "Unused")):
  >             line(cost, "Amazon Elastic Compute Cloud", "plan", "i-9" if status == "Used" else "", hours=24, pricing="Committed", plan=f"arn:aws:savingsplans::1:savingsplan/sp-7,Savings Plan,{status}", type="g5.xlarge" if status == "Used" else "")
  > X
  $ python3 bill.py 2026-09-01 61 > bill.csv; python3 bill.py 2026-09-01 21 > short.csv
  $ tare import -q bill.csv
  $ tare plan -o json > p.json
  $ cat > plan <<'X'
  > python3 -c 'import json, sys; p = json.load(open(sys.argv[1])); [print(a["kind"], a["cost_month"] and round(float(a["cost_month"]), 2), "|", a["title"]) for a in p["advice"] if a["kind"]]; [print(r["id"], r["lever"], r["tier"]) for r in p["recommendations"]]' "$1"
  > X
  $ bash plan p.json
  bill_unused 124.66 | 25 % of the commitment 'sp-7' is paid and not used: move on-demand work onto it, renew less of it
  bill_no_team 27582.93 | 100 % of the bill names no team, but the tag 'business_unit' stands on 183 of its 405 lines: let it mean the team
  bill_shares 27582.93 | 95 % of the bill is GPU time; the most: Amazon Elastic Compute Cloud 97 %, Amazon Simple Storage Service 2 %
  bill_card 25879.1 | the work of p4d.24xlarge in us-east-1 may cost less on p5en.48xlarge (H200-SXM5-141GB)
  bill_spot 25879.1 | p4d.24xlarge in us-east-1 is 80 % cheaper as spot, for what may be interrupted
  bill_change 4197.0 | 2026-10 was 4,197 $ (16 %) more expensive than 2026-09: Amazon Elastic Compute Cloud +3,710 $, Amazon Simple Storage Service +475.00 $
  bill_storage 456.25 | storage grew by 150 % in 61 days, most of it 'arn:aws:s3:::runs': see what may expire
  bill_ending 373.98 | the commitment 'sp-7' has no line after 2026-10-21: what it covered may be paid on demand since
  bill_always_on 304.17 | 2.0 machines of m5.xlarge in us-east-1 run day and night on demand: ask for a committed price, the catalogue has none
  commit-p4d.24xlarge-us-east-1 commit binds

What lies unused of a commitment says where on-demand work beside it can fit.

  $ tare plan -o json | $FILES/../data/get '[a.risks for a in advice if a.kind == "bill_unused"]'
  [['It covers by itself what matches it: machines of this kind on demand beside it run in other hours, or are of another size, zone, account or scope. Work of other hours fits when it runs in its hours; for the rest change its scope, or exchange it.']]

A commitment cannot be tried: its lines bind.

  $ tare plan trial commit-p4d.24xlarge-us-east-1
  ! tare: 'commit-p4d.24xlarge-us-east-1' binds money to its end: it cannot be tried
  !       What it rests on, and what each part of it would cost unused: tare explain commit-p4d.24xlarge-us-east-1
  [2]

The same sums, from the bill alone.

  $ python3 - <<'X'
  > import collections, csv, json
  > rows = list(csv.DictReader(open("bill.csv")))
  > cost, by, month = 0, collections.Counter(), collections.Counter()
  > for r in rows:
  >     c = float(r["EffectiveCost"]); cost += c; month[r["ChargePeriodStart"][:7]] += c; by[r["ServiceName"]] += c
  >     by["no team"] += c; by["egress"] += c * (r["ServiceName"] == "AWS Data Transfer"); by["unused"] += c * (r["CommitmentDiscountStatus"] == "Unused")
  >     by["used"] += c * (r["CommitmentDiscountStatus"] == "Used"); by["rows"] += 1; by["tagged"] += "business_unit" in r["Tags"]
  > m = 730 / (61 * 24)
  > print("all", round(cost * m, 2), "change", month["2026-10"] - month["2026-09"], "egress", round(by["egress"] * m, 2), "unused", round(by["unused"] * m, 2), "used", round(by["used"] * m, 2))
  > print(by["tagged"], "of", by["rows"], "rows;", f'{(month["2026-10"] / month["2026-09"] - 1):.0%}')
  > X
  all 27582.93 change 4197.0 egress 365.0 unused 124.66 used 373.98
  183 of 405 rows; 16%

As text: what can be acted on first, the rest on request; without anything to act on it stands below the head.

  $ tare plan | sed -n '1,/do  /p'; tare plan --all | sed -n '/What the bill says/,/tare explain/p'
  Today      27,583 $/month (730 h)           replayed on 61 days
             the mean of 61 days; the last 28 came to 29,174 $/month
  After all  12,352 $/month   -55 %           9 of 10 cases: -32 to -60 %
  
                              saves $/month   after it
    Ready       (can be undone)           -           -
    Try first   (a trial decides)         -           -
    Commit      (binds money)        15,231       -55 %
                binds 121,949 $ for a year
  
   #  do                                       saves $/month   range  tier    days
  What the bill says, $/month (730 h), in no sum:
          125  25 % of the commitment 'sp-7' is paid and not used: move on-demand
               work onto it, renew less of it
       27,583  100 % of the bill names no team, but the tag 'business_unit' stands
               on 183 of its 405 lines: let it mean the team
       27,583  95 % of the bill is GPU time; the most: Amazon Elastic Compute
               Cloud 97 %, Amazon Simple Storage Service 2 %
       25,879  the work of p4d.24xlarge in us-east-1 may cost less on
               p5en.48xlarge (H200-SXM5-141GB), may save 10,910 to 11,302 $/month
               (730 h)
       25,879  p4d.24xlarge in us-east-1 is 80 % cheaper as spot, for what may be
               interrupted, may save 0 to 20,590 $/month (730 h)
        4,197  2026-10 was 4,197 $ (16 %) more expensive than 2026-09: Amazon
               Elastic Compute Cloud +3,710 $, Amazon Simple Storage Service
               +475.00 $
          456  storage grew by 150 % in 61 days, most of it 'arn:aws:s3:::runs':
               see what may expire
          374  the commitment 'sp-7' has no line after 2026-10-21: what it covered
               may be paid on demand since
          304  2.0 machines of m5.xlarge in us-east-1 run day and night on demand:
               ask for a committed price, the catalogue has none
  tare explain advice-bill-no-team   what it rests on, and lines to paste
  $ tare explain advice-bill-no-team > e.txt; sed -n '/Why/,/From/p' e.txt; sed -n '/^Do/,/^Undo/p' e.txt
  Why
    lines without a team                                     405 of 405  measured
    lines with the tag application                    183 with 1 values  measured
    lines with the tag business_unit                  183 with 1 values  measured
    From: bill
  Do
    # into the settings (tare config says which file, a new one begins with: version: 1)
    cat <<'END'
  tags:
    alias:
      team: ["team", "business_unit"]
      project: ["project", "application"]
  END
    # settings act when the ledger is written: tare import --repost
  
  Undo

The snippet as it is printed, into the settings, and the bill once more: now a team is known where the tag stands.

  $ mkdir -p "$HOME/.config/tare"; (echo version: 1; sed -n "/^tags:/,/^END/p" e.txt | sed '/END/d') > "$HOME/.config/tare/config.yaml"; cat "$HOME/.config/tare/config.yaml"
  version: 1
  tags:
    alias:
      team: ["team", "business_unit"]
      project: ["project", "application"]
  $ tare import -q --replace bill.csv; tare report --by team -o csv | cut -d, -f1 | sort
  
  Vision
  team
  $ tare plan -o json > p2.json; bash plan p2.json | grep team
  bill_no_team 1399.67 | 5 % of the bill names no team, and no tag on a tenth of it is called like one

Three weeks are too few for a commitment and one month has none before it: said with what it would need.

  $ tare import -q --db short short.csv; tare plan --db short
  Today      25,915 $/month (730 h)           replayed on 21 days
  
  No change can be decided from what is known here; this is what it says.
  
  What the bill says, $/month (730 h), in no sum:
          152  25 % of the commitment 'sp-7' is paid and not used: move on-demand
               work onto it, renew less of it
       25,915  96 % of the bill is GPU time; the most: Amazon Elastic Compute
               Cloud 97 %, AWS Data Transfer 1 %
       24,333  the work of p4d.24xlarge in us-east-1 may cost less on
               p5en.48xlarge (H200-SXM5-141GB), may save 9,364 to 9,757 $/month
               (730 h)
       24,333  p4d.24xlarge in us-east-1 is 78 % cheaper as spot, for what may be
               interrupted, may save 0 to 19,044 $/month (730 h)
       24,333  1.0 machines of p4d.24xlarge in us-east-1 run day and night on
               demand: a commitment wants 4 weeks of use, the bill has 3.0, may
               save 14,171 $/month (730 h)
          304  2.0 machines of m5.xlarge in us-east-1 run day and night on demand:
               a commitment wants 4 weeks of use, the bill has 3.0
  tare explain advice-bill-unused-arn-aws-savingsplans--1-savingsplan-sp-7-8901a138 --db short   what it rests on
  
  What the history does not tell:
    month over month: the bill has no two whole months that follow each other;
    import the month before too
    4536.0 GPU·h belong to no job that is known and have no readings: job lists
    and telemetry would tell what they did
    100 % of the GPU time has no readings: what it did is unknown, and unknown is
    never waste
    'i-1' (1 machine, 16,800 USD in the window) was watched by nobody: no job list
    covers it and nothing read it, so it is never stopped; import its jobs
    (tare import --covers) or its readings
    storage without a name or an owner is left alone: tag it, and what belongs to
    nothing shows
    commit: 3.0 weeks of use are too few to be bound for a year: 4 are the least,
    and 8 for all of what always runs
    nobody says who held the GPUs, nor what they did, and no saving can be proven
    without
    one file more that would open most: a job list (sacct, OpenCost, any CSV):
    cost by team and job
  
  tare plan --db short --findings   what was seen
  tare report --by state --db short   what it did
  [3]
  $ tare explain --db short advice-bill-always-on-p4d-us-east-1 | sed -n '/Why/,$p'
  Why
    on demand in 90 % of the hours, at least                  33.33 $/h  measured
    on demand in all                                         16800.00 $  measured
    time of the bill                                          3.0 weeks  measured
    weeks of use for half of it, for all of it               4, 8 weeks  assumed
    machines in 90 % of the hours, at least                         1.0  measured
    committed for a year, of what is paid             0.42 to 0.42 frac  measured
    From: bill; bill, effective cost; plan.gates; instances.vantage.sh 2026-01-21
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    What a commitment covers must still be wanted when it ends: clean up first.
  

What the next day costs is 852, of which 5 lie unused of the plan; a second cloud whose bill ends two days earlier doubles it.

  $ tare plan forecast --horizon 1d --db short
  GPUs held: 504 hours of history to 2026-09-22T00:00 · forecast of 1 day from there, by the hour
  
  team      GPU             last 7 d  mean  10 %  90 %  peak 95 %  MASE  method
  (nobody)  A10G                 1.0   1.0   1.0   1.0        1.0     -  held
  Vision    A100-SXM4-40GB       8.0   8.0   8.0   8.0        8.0     -  held
  
  cost of the hours ahead, effective                       USD    10 %    90 %
  forecast, at what a GPU-hour cost in the last 7 days  815.00  815.00  815.00
  paid in any case (commitments, owned), not in it        5.00    5.00    5.00
  storage: as in the last 28 days                        10.00   10.00   10.00
  egress: as in the last 28 days                         12.00   12.00   12.00
  other: as in the last 28 days                          10.00   10.00   10.00
  ────────────────────────────────────────────────────────────────────────────
  in all                                                852.00  852.00  852.00
  10 % and 90 %: if those of all series came together.
  
  $ python3 bill.py 2026-09-01 19 | sed 's/,USD,1,/,USD,2,/; s/,AWS,us-east-1,/,Azure,eastus,/; s/p4d.24xlarge/Standard_ND96isr_H100_v5/; s/g5.xlarge/Standard_NC4as_T4_v3/' > azure.csv
  $ tare import -q --db short azure.csv; tare plan forecast --horizon 1d --db short | sed -n '/^team/,$p'; tare plan forecast --horizon 1d --db short -o json | $FILES/../data/get costs
  team      GPU             last 7 d  mean  10 %  90 %  peak 95 %  MASE  method
  (nobody)  A10G                 1.0   1.0   1.0   1.0        1.0     -  held
  (nobody)  T4                   1.0   1.0   1.0   1.0        1.0     -  held
  Vision    A100-SXM4-40GB       8.0   8.0   8.0   8.0        8.0     -  held
  Vision    H100-SXM5-80GB       8.0   8.0   8.0   8.0        8.0     -  held
  
  cost of the hours ahead, effective                         USD      10 %      90 %
  forecast, at what a GPU-hour cost in the last 7 days  1,630.00  1,630.00  1,630.00
  paid in any case (commitments, owned), not in it         10.00     10.00     10.00
  storage: as in the last 28 days                          20.00     20.00     20.00
  egress: as in the last 28 days                           24.00     24.00     24.00
  other: as in the last 28 days                            20.00     20.00     20.00
  ──────────────────────────────────────────────────────────────────────────────────
  in all                                                1,704.00  1,704.00  1,704.00
  10 % and 90 %: if those of all series came together.
  
  azure: nothing is known from 2026-09-20T00:00 on: what was held then is not counted.
  [{'currency': 'USD', 'total': '1704', 'total_p10': '1704', 'total_p90': '1704', 'held': '1630', 'held_p10': '1630', 'held_p90': '1630', 'fixed_unheld': '10', 'fixed_unheld_p10': '10', 'fixed_unheld_p90': '10', 'rented_unheld': '0', 'rented_unheld_p10': '0', 'rented_unheld_p90': '0', 'other': [{'kind': 'storage', 'cost': '20'}, {'kind': 'egress', 'cost': '24'}, {'kind': 'other', 'cost': '20'}]}]

A rented machine that is never given back costs as much when less of it is used, or nobody says who uses it: 16 $/h, 384.00 a day, used 23 h
a day, then an hour less each other day; and the same list without a word of the hours between.

  $ cat > on.py <<'X'
  > import datetime as d
  > print("node,provider,region,gpu_model,gpu_count,from,to,purchase,usd_gpu_hour")
  > print("n1,aws,us-east-1,A100-SXM4-40GB,8,2026-09-01T00:00:00Z,2026-10-13T00:00:00Z,on_demand,2")
  > with open("on-jobs.csv", "w") as f:
  >     print("job_id,user,team,node,gpus,start,end,state", file=f)
  >     for i in range(42):
  >         day = d.datetime(2026, 9, 1) + d.timedelta(i)
  >         print(f"j{i},ann,maps,n1,8,{day:%FT%TZ},{day + d.timedelta(hours=23 - i // 2):%FT%TZ},COMPLETED", file=f)
  > X
  $ python3 on.py > on-nodes.csv; tare import -q --db on on-nodes.csv on-jobs.csv --covers ''; tare plan forecast --horizon 10d --db on | sed -n '/^team/,/in all/p'
  team  GPU             last 7 d  mean  10 %  90 %  peak 95 %  MASE  method
  maps  A100-SXM4-40GB       1.6   1.0   0.6   1.1        7.7  5.64  seasonal_day
  
  cost of the hours ahead, effective                         USD      10 %      90 %
  forecast, at what a GPU-hour cost in the last 7 days    462.42    270.76    504.64
  paid by the hour, not in it: as in the last 7 days    3,377.58  3,569.24  3,335.36
  ──────────────────────────────────────────────────────────────────────────────────
  in all                                                3,840.00  3,840.00  3,840.00
  $ tare import -q --db on2 on-nodes.csv on-jobs.csv; tare plan forecast --horizon 10d --db on2 | sed -n '/^team/,/in all/p'
  team  GPU             last 7 d  mean  10 %  90 %  peak 95 %  MASE  method
  maps  A100-SXM4-40GB       8.0     -     -     -          -     -  -
  maps A100-SXM4-40GB: too little to forecast: only 266 of the last 672 hours are known.
  
  cost of the hours ahead, effective                       USD      10 %      90 %
  paid by the hour, not in it: as in the last 7 days  3,840.00  3,840.00  3,840.00
  ────────────────────────────────────────────────────────────────────────────────
  in all                                              3,840.00  3,840.00  3,840.00

A bill without a GPU gets an answer too.

  $ grep -v -e p4d -e g5 bill.csv > cpu.csv; tare import -q --db cpu cpu.csv; tare plan --db cpu
  Today      1,330 $/month (730 h)            replayed on 61 days
             the mean of 61 days; the last 28 came to 1,522 $/month
  
  No change is proposed on this history within these limits; this is what it says.
  
  What the bill says, $/month (730 h), in no sum:
          125  100 % of the commitment 'sp-7' is paid and not used: move on-demand
               work onto it, renew less of it
        1,330  0 % of the bill is GPU time; the most: Amazon Simple Storage
               Service 40 %, Amazon Elastic Compute Cloud 32 %
        1,026  77 % of the bill names no team, and no tag on a tenth of it is
               called like one
          456  storage grew by 150 % in 61 days, most of it 'arn:aws:s3:::runs':
               see what may expire
          447  2026-10 was 447.00 $ (40 %) more expensive than 2026-09: Amazon
               Simple Storage Service +475.00 $, Amazon Elastic Compute Cloud
               -40.00 $
          365  27 % of the bill is traffic: 732.00 $ out, 0.00 $ between zones
          304  2.0 machines of m5.xlarge in us-east-1 run day and night on demand:
               ask for a committed price, the catalogue has none
  tare explain advice-bill-unused-arn-aws-savingsplans--1-savingsplan-sp-7-8901a138 --db cpu   what it rests on
  
  What the history does not tell:
    storage without a name or an owner is left alone: tag it, and what belongs to
    nothing shows
    one file more that would open most: a job list (sacct, OpenCost, any CSV):
    cost by team and job
  
  tare plan --db cpu --findings   what was seen
  tare report --by state --db cpu   what it did

  $ tare schema plan | python3 -c 'import json, sys; a = json.load(sys.stdin)["properties"]["advice"]["items"]["properties"]; print(a["kind"]["description"]); print(a["cost_month"]["description"])'
  of advice that says what an input tells by itself; null: of the rest
  of what such advice is about, in no sum; null: not an amount

Google's bill has its GPUs apart from the machines: what runs 23 hours of each day is still said, and costs no more than the bill.

  $ python3 - > gpus.csv <<'X'
  > from datetime import datetime, timedelta
  > print("cost,usage_start_time,usage_end_time,currency,billing_account_id,cost_type,service.description,sku.id,sku.description,location.region,resource.global_name,usage.amount_in_pricing_units,usage.pricing_unit")
  > z = lambda t: t.strftime("%Y-%m-%d %H:%M:%S UTC")
  > for d in range(30):
  >     for h in range(23):
  >         t = datetime(2026, 10, 1) + timedelta(days=d, hours=h)
  >         print(f"23.47,{z(t)},{z(t + timedelta(hours=1))},USD,A-1,regular,Compute Engine,S1,Nvidia Tesla A100 GPU running in Americas,us-central1,//c/1,8,hour")
  > X
  $ tare import -q --db gpus gpus.csv; tare plan --db gpus 2>/dev/null | grep -A1 'day and night'
       16,442  8.0 GPUs of A100-SXM4-40GB in us-central1 run day and night on
               demand: see a commitment, the catalogue has whole machines from

A machine that is billed in another money: what always runs is valued at the rates of its days, not at the least of them (10 EUR/h x 730 h x 1.15).

  $ { echo BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,RegionId,ServiceCategory,ServiceName,ResourceId,ChargeDescription,ConsumedQuantity,ConsumedUnit,SkuPriceDetails
  > for d in $(seq 0 29); do echo "240,240,EUR,1,Usage,$(date -ud "2026-10-01 $d days" +%F)T00:00:00Z,$(date -ud "2026-10-02 $d days" +%F)T00:00:00Z,2026-10-01T00:00:00Z,Cloud X,eu,Compute,VMs,m-1,big box,24,Hours,\"{\"\"InstanceType\"\":\"\"big-8\"\"}\""; done; } > eur.csv; sed 's/240,240,EUR/720,720,USD/; s/m-1/m-2/; s/,eu,/,us,/; s/big/huge/g' eur.csv > usd.csv
  > { echo date,from,to,rate; for d in $(seq 0 29); do echo $(date -ud "2026-10-01 $d days" +%F),EUR,USD,1.$((d < 15 ? 1 : 2)); done; } > rates.csv
  $ tare import -q --db eur eur.csv usd.csv; tare import -q --db eur --as rates rates.csv; tare plan --db eur 2>/dev/null | grep -A1 'day and night'
       21,900  1.0 machines of huge-8 in us run day and night on demand: ask for a
               committed price, the catalogue has none
        8,395  1.0 machines of big-8 in eu run day and night on demand: ask for a
               committed price, the catalogue has none
