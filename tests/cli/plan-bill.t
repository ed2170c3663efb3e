What a plan makes of a bill that has more than GPUs in it. The rows are made by the day: cost, currency, tags, type or service, resource.

  $ cat > bill.py <<'X'
  > import datetime as d, sys
  > print("BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ResourceId,ProviderName,RegionId,ServiceCategory,ServiceName,ChargeDescription,ConsumedQuantity,ConsumedUnit,SkuPriceDetails,Tags")
  > for i in range(40):
  >     a = d.date(2026, 9, 1) + d.timedelta(i)
  >     for row in sys.argv[1:]:
  >         cost, currency, tags, what, resource = row.split("/", 4)
  >         gpu = "." in what
  >         tags = ",".join('""%s"":""%s""' % tuple(t.split("=")) for t in tags.split(",") if t)
  >         kind = "Compute,Amazon EC2,run,24,Hours" if gpu else "Storage,Amazon S3,GB-month,,"
  >         print(cost, cost, currency, 1, "Usage", f"{a}T00:00:00Z", f"{a + d.timedelta(1)}T00:00:00Z", resource, "AWS", "us-east-1", kind, '"{""InstanceType"":""%s""}"' % what if gpu else "", '"{%s}"' % tags, sep=",")
  > X

The lines to paste keep the keys that count by now before the new one: only what has no team gets one.

  $ python3 bill.py 90/USD/team=nlp,cost_center=9/p5.48xlarge/i-1 30/USD/cost_center=9/g5.xlarge/i-2 > tags.csv
  $ tare import -q --db tags tags.csv; tare explain --db tags advice-bill-no-team > e.txt; sed -n '/^tags/,/^END/p' e.txt
  tags:
    alias:
      team: ["team", "cost_center"]
  END
  $ (echo version: 1; sed -n '/^tags:/,/^END/p' e.txt | sed /END/d) > c.yaml
  $ tare import -q --db tags --config c.yaml --replace tags.csv; tare report --db tags --config c.yaml -o csv | cut -d, -f1,4
  team,cost
  nlp,3600
  9,1200

A team that has no GPU at all is no evidence against its storage, nor is a live one whose tag is written otherwise; what has no resource id, or several of one name, is never proposed, and the reason is told.

  $ python3 bill.py 90/USD/team=nlp/p5.48xlarge/i-1 4/USD/team=web/s/arn:aws:s3:::b1 4/USD/team=NLP,Name=data/s/vol-1 4/USD/Name=i-1-old/s/vol-2 4/USD/Name=i-1-old/s/vol-3 4/USD/Name=i-1-gone/s/ > disk.csv
  $ tare import -q --db disk disk.csv; tare plan --db disk -o json > p.json; python3 -c 'import json; p = json.load(open("p.json")); print(p["recommendations"], [n for n in p["notes"] if "storage" in n])'
  [] ['storage (bill lines of storage: 4): 1 of which the bill names no resource, 1 whose tag `Name` several resources of the bill have, 1 of machines or owners that work, or gone, 1 without a tag `Name`, by which the resource is found']
  ! tare: nothing can be decided from this history; "notes" say why

Credits make the bill smaller than its GPU time. What is printed to be pasted keeps the store.

  $ python3 bill.py 90/USD/team=nlp/p5.48xlarge/i-1 -20/USD//s/ > credit.csv
  $ tare import -q --db credit credit.csv; tare plan --db credit -o json > p.json; python3 -c 'import json; [print(a["title"]) for a in json.load(open("p.json"))["advice"] if a["kind"] == "bill_shares"]'
  the GPU time costs 800.00 $ more than the whole bill, which credits and refunds lower; the most: Amazon EC2 3,600 $, Amazon S3 -800.00 $
  ! tare: nothing can be decided from this history; "notes" say why
  $ tare plan dismiss advice-bill-shares --db credit --reason known
  Dismissed advice-bill-shares; it is not shown again until it says something else, or: tare plan reset advice-bill-shares --db credit

Without rates the currency is that of the GPU time, whatever the numbers say; with rates that of the settings.

  $ python3 bill.py 90/USD/team=nlp/p5.48xlarge/i-1 70000/JPY/team=nlp/s/arn:aws:s3:::b1 > yen.csv
  $ tare import -q --db yen yen.csv; tare plan --db yen -o json > p.json; python3 -c 'import json; p = json.load(open("p.json")); print(p["currency"], p["baseline"]["cost_month"], [n for n in p["notes"] if "JPY" in n])'
  USD 2737.5 ['what the bill says is of its lines in USD alone: 40 lines in JPY are left out, no exchange rate to USD is known of their days (tare import --as rates)', '2,800,000.00 JPY are not planned: amounts of different currencies are not added (tare import --as rates)']
  ! tare: nothing can be decided from this history; "notes" say why
  $ printf 'date,from,to,rate\n2026-08-30,JPY,USD,0.01\n2026-09-06,JPY,USD,0.01\n2026-09-13,JPY,USD,0.01\n2026-09-20,JPY,USD,0.01\n2026-09-27,JPY,USD,0.01\n2026-10-04,JPY,USD,0.01\n' > rates.csv
  $ tare import -q --db yen --as rates rates.csv
  $ for c in USD JPY; do printf "version: 1\ncurrency: $c\n" > c.yaml; tare plan --db yen --config c.yaml -o json > p.json; python3 -c 'import json; p = json.load(open("p.json")); print(p["currency"], p["baseline"]["cost_month"], [n for n in p["notes"] if "rate of its day" in n])'; done
  USD 24029.166666666667 ['2,800,000.00 JPY are planned in USD, each charge at the rate of its day']
  JPY 2402916.666666666667 ['3,600.00 USD are planned in JPY, each charge at the rate of its day']
  ! tare: nothing can be decided from this history; "notes" say why
  ! tare: nothing can be decided from this history; "notes" say why
  $ for c in USD JPY; do printf "version: 1\ncurrency: $c\n" > c.yaml; tare explain advice-bill-shares --db yen --config c.yaml | sed -n '/^About/p;/lines of/p;/all of/p;/GPU time  /p'; done
  About       24,029 $/month (730 h)
    lines of the bill                                                80  measured
    all of it                                                31600.00 $  measured
    GPU time                                                  3600.00 $  measured
  About       2,402,917 JPY/month (730 h)
    lines of the bill                                                80  measured
    all of it                                            3160000.00 JPY  measured
    GPU time                                              360000.00 JPY  measured

GPUs that stand apart are counted by their time, whatever each of them costs; that the catalogue has committed prices of whole machines is said.

  $ python3 - > gcp.csv <<'X'
  > import datetime as d, json
  > print("billing_account_id,service.description,sku.description,usage_start_time,usage_end_time,project.id,location.region,cost,currency,usage.amount,usage.unit,usage.amount_in_pricing_units,usage.pricing_unit,cost_type")
  > for i in range(40):
  >     a = d.date(2026, 9, 1) + d.timedelta(i)
  >     for project, cost in (("a", 310), ("b", 122)):
  >         if project == "a" or not i % 3:
  >             print("x,Compute Engine,Nvidia Tesla A100 GPU running in EMEA", a, a + d.timedelta(1), project, "europe-west4", cost, "EUR,345600,seconds,96,hour,regular", sep=",")
  > X
  $ tare import -q --db gcp gcp.csv; tare plan --db gcp -o json > p.json; python3 -c 'import json; [print(a["title"]) for a in json.load(open("p.json"))["advice"] if a["kind"] == "bill_always_on"]'
  4.0 GPUs of A100-SXM4-40GB in europe-west4 run day and night on demand: see a commitment, the catalogue has whole machines from 2.23 USD/GPU-h for a year
  ! tare: nothing can be decided from this history; "notes" say why

Of a reservation's use an export of actual cost has no cost: that is unknown, no 0. What cannot be decided has no saving of 0 in any view.

  $ python3 - > ri.csv <<'X'
  > import datetime as d
  > print("SubscriptionId,Date,MeterCategory,MeterName,Quantity,EffectivePrice,CostInBillingCurrency,ResourceLocation,ResourceId,ResourceName,Tags,AdditionalInfo,ChargeType,Frequency,PricingModel,ReservationId,ReservationName,Term,UnitOfMeasure,BillingAccountId,BillingCurrencyCode,BillingPeriodStartDate,BillingPeriodEndDate")
  > vm = ',"{""ServiceType"":""Standard_NC96ads_A100_v4""}",Usage,UsageBased,Reservation,r-1,NC96 1y,12,1 Hour'
  > for i in range(1, 31):
  >     end = "B1,GBP,09/01/2026,09/30/2026"
  >     print(f's,09/{i:02}/2026,Virtual Machines,NC96ads A100 v4,24,0,0,uksouth,/s/vm/nc96-1,nc96-1,"{{""team"":""nlp""}}"{vm}', end, sep=",")
  >     print(f"s,09/{i:02}/2026,Storage,P30 LRS Disk,24,0.15,3.6,uksouth,/s/disk1,disk1,,,Usage,UsageBased,OnDemand,,,,1 Hour", end, sep=",")
  > print(f"s,09/01/2026,Reservations,NC96 1y,1,6000,6000,uksouth,,,,,Purchase,OneTime,Reservation,r-1,NC96 1y,12,1", end, sep=",")
  > X
  $ tare import -q --db ri ri.csv; tare plan --db ri | sed -n '1p;/does not tell/,/GPU·h/p'
  Today      109.50 GBP/month (730 h)         replayed on 30 days
  What the history does not tell:
    30 lines of the bill have no effective cost, as in an export of actual cost,
    which has reservations and plans where they were bought: 6,108 GBP were billed
    and 108.00 GBP are planned; the amortised export has the rest
    month over month: the bill has no two whole months that follow each other;
    import the month before too
    2880.0 GPU·h have no price and are in no amount: import a bill, or prices
  $ tare plan --db ri --by team; tare plan --db ri --calendar; tare plan --db ri --by team -o csv
  GBP/month (730 h), the plan as replayed against today; tare plan heads with the
  median
  
  team            today  after  saves  change
  (no GPU time)  109.50      -      -       -
  nlp                 -      -      -       -
  ───────────────────────────────────────────
                 109.50      -      -       -
  Today      109.50 GBP/month (730 h)         replayed on 30 days
  
  No change can be decided from what is known here, so nothing has a date. Why
  says: tare plan --db ri
  team,currency,baseline_month,after_month,saving_month
  (no GPU time),GBP,109.5,,
  nlp,GBP,,,
  ! tare: nothing can be decided from this history; why says: tare plan --db ri
  [3]

Before more is committed, what is committed and lies unused of the same chip at the place is filled: with 8 GPUs unused day and night none is bought, with half of the
hours four less. The line of it stands on every page.

  $ cat > unused.py <<'X'
  > import datetime as d, sys
  > print("BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ResourceId,ProviderName,RegionId,ServiceCategory,ServiceName,ConsumedQuantity,ConsumedUnit,SkuPriceDetails,CommitmentDiscountId,CommitmentDiscountStatus,CommitmentDiscountType,PricingCategory,Tags")
  > for i in range(40):
  >     a = d.date(2026, 9, 1) + d.timedelta(i)
  >     row = lambda cost, what, hours, resource, rest: print(cost, cost, "USD", 1, "Usage", f"{a}T00:00:00Z", f"{a + d.timedelta(1)}T00:00:00Z", resource, "Microsoft", "eastus", "Compute", "Virtual Machines", hours, "Hours", '"{""InstanceType"":""%s""}"' % what, rest, '"{""team"":""nlp""}"', sep=",")
  >     for k in range(4):
  >         row(352.61, "Standard_NC96ads_A100_v4", 24, f"vm-{k}", ",,,Standard")
  >     row(511.2 * int(sys.argv[1]) / 24, "Standard_ND96amsr_A100_v4", sys.argv[1], "/r/nd-1", "/r/nd-1,Unused,Reservation,Committed")
  > X
  $ for h in 24 12; do python3 unused.py $h > $h.csv; tare import -q --db unused$h $h.csv; done
  $ tare plan --db unused24 --refused | grep -A3 commit-
    commit-standard_nc96ads_a100_v4-eastus: move work onto what is paid and not
    used first: 8.0 GPUs of Standard_ND96amsr_A100_v4 in eastus (commitment
    'nd-1')
  $ python3 -c "
  > print('job_id,user,team,node,gpus,start,end,state')
  > for k in range(4):
  >     print(f'{k},ann,nlp,vm-{k},4,2026-09-01T00:00:00Z,2026-10-11T00:00:00Z,COMPLETED')" > jobs.csv
  $ tare import -q --db unused12 jobs.csv; tare plan --db unused12 | sed -n '/^ 1/,/^$/p;/What the bill/,/^$/p'
   1  A100-PCIE-80GB: commit to 4 GPUs of           3,687  1.4-6.3 K  Commit     1
      Standard_NC96ads_A100_v4 for 1y
  
  What the bill says, $/month (730 h), in no sum:
        7,774  100 % of the commitment 'nd-1' (4.0 GPUs of
               Standard_ND96amsr_A100_v4 in eastus) is paid and not used: move
               on-demand work onto it, renew less of it
  
  $ tare explain 1 --db unused12 | grep -A3 -e 'not used  ' -e 'are paid' -e 'rests on'
    paid by commitments and not used                           4.00 GPU  measured
    utilisation of the commitment                               100.0 %  measured
    coverage of the demand                                       25.0 %  measured
    break-even use                                   478 of 730 h/month  estimated
  --
    the price it rests on is of 2024-03-25, 31 months before the history ends: it
    may have moved by 20 % or more, ask for today's first
    4.0 GPUs of Standard_ND96amsr_A100_v4 in eastus (commitment 'nd-1') are paid
    and not used: 4 fewer GPUs are bought than always run, for that work can move
    onto them
    A100-PCIE-80GB may be outdated before that: a chance of 10 % a year is counted
