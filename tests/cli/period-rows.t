Rows of a bill that span a whole billing period (fees, their discount, credits, taxes, what was not used of a commitment) say nothing of
its days. One GPU runs from 2 March on and has not ended; its bill has hours up to 12 March and four rows for all of the month.

  $ python3 - <<EOF
  > import datetime as d
  > head = "BilledCost,EffectiveCost,ListCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,ProviderName,ServiceName,ServiceCategory,ResourceId,RegionId,ChargeDescription,SkuMeter,ConsumedQuantity,ConsumedUnit,CommitmentDiscountId,CommitmentDiscountType,CommitmentDiscountStatus"
  > t = lambda x: x.strftime("%Y-%m-%dT%H:%M:%SZ")
  > first, end = d.datetime(2026, 3, 1), d.datetime(2026, 4, 1)
  > ec2 = "AWS,Amazon Elastic Compute Cloud,Compute"
  > def row(cost, category, a, b, res, what, q="", c=",,"):
  >     return f"{cost},{cost},{cost},USD,1,{category},{t(a)},{t(b)},{t(first)},{t(end)},{ec2},{res},us-east-1,{what},BoxUsage:g5.xlarge,{q},{'Hrs' if q else ''},{c}"
  > ri = "arn:aws:ec2:us-east-1:1:reserved-instances/r1"
  > day = d.datetime(2026, 3, 2)
  > hours = [row(1, "Usage", day + d.timedelta(hours=h), day + d.timedelta(hours=h + 1), "i-1", "g5.xlarge", 1) for h in range(10 * 24)]
  > month = [row(31, "Purchase", first, end, ri, "USD 0.50 hourly fee per g5.xlarge", "", f"{ri},Reserved Instance,"), row(-3.1, "Adjustment", first, end, ri, "Enterprise discount"),
  >          row(15.5, "Usage", first, end, ri, "g5.xlarge", "", f"{ri},Reserved Instance,Unused"), row(6.2, "Tax", first, end, "", "VAT"), row(-3.1, "Credit", first, end, "", "Promotion"),
  >          row(0.5, "Usage", first, end, "", "HostedZone").replace(ec2, "AWS,Amazon Route 53,Networking").replace("BoxUsage:g5.xlarge", "HostedZone")]
  > open("hours.csv", "w").write("\n".join([head] + hours) + "\n")
  > open("all.csv", "w").write("\n".join([head] + hours + month) + "\n")
  > EOF
  $ echo 'node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,resource_id
  > a,aws,us-east-1,g5.xlarge,A10G,1,on_demand,2026-03-02T00:00:00Z,,i-1
  > b,aws,us-east-1,g5.xlarge,A10G,1,on_demand,2026-03-02T00:00:00Z,,i-2' > nodes.csv
  $ for b in hours all; do tare import -q --db $b nodes.csv $b.csv; done

Machines without an end are paid up to the last hour of usage: both for ten days, with those rows or without.

  $ for b in hours all; do tare report --db $b --by node -o csv | cut -d, -f1,3; done
  node,gpu_seconds
  b,864000
  a,864000
  node,gpu_seconds
  b,864000
  a,864000
  ,0

So far goes what a plan learns from, and a comparison.

  $ for b in hours all; do tare plan --db $b -o json | python3 -c 'import json, sys; w = json.load(sys.stdin)["window"]; print(w)' 2>&1; done
  {'since': '2026-03-02T00:00:00Z', 'until': '2026-03-12T00:00:00Z'}
  {'since': '2026-03-02T00:00:00Z', 'until': '2026-03-12T00:00:00Z'}
  ! tare: nothing can be decided from this history; "notes" say why
  ! tare: nothing can be decided from this history; "notes" say why
  $ tare report --db all --by node --compare lastmonth
  ! tare: the ledger holds nothing of the window before, 2026-02-01T00:00:00Z to 2026-02-12T00:00:00Z
  !       It reaches from 2026-03-02T00:00:00Z to 2026-03-12T00:00:00Z: choose two windows in it with --since, --until and --compare
  [3]

They are spread over their period alike, the fee too: of ten days of 31 each has 10/31. A purchase for a year stands on its day.

  $ tare report --db all --since 2026-03-01 --until 2026-03-11 --by kind -o csv | cut -d, -f1,4
  kind,cost
  gpu,433.296
  other,10
  commitment_unused,5
  network,0.161290323
  $ (cat all.csv; echo 365,0,0,USD,1,Purchase,2026-03-05T00:00:00Z,2027-03-05T00:00:00Z,2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,AWS,Reserved,Compute,,us-east-1,upfront,,,,ri,Reserved Instance,) > year.csv; tare import -q --db year nodes.csv year.csv
  $ for d in 5 6; do tare report --db year --cost billed --since 2026-03-0$d --until 2026-03-0$((d + 1)) --by kind --where kind=other -o csv | cut -d, -f1,4; done; tare doctor --db year > d.txt; echo $?
  kind,cost
  other,366
  kind,cost
  other,1
  0

A bill of such rows alone still speaks of its period.

  $ head -1 all.csv > rows.csv; tail -5 all.csv >> rows.csv; tare import -q --db rows rows.csv; tare report --db rows --by kind | head -1
  31 days to 2026-03-31 · effective cost, USD · no GPU time

A credit that names no owner is of all whose time it was: of a month in which the machine changes hands each has the part of the hours that were paid for.

  $ (head -1 all.csv | sed 's/$/,Tags/'; for d in 03:a 04:b 06:b; do echo "24,24,24,USD,1,Usage,2026-03-${d%:*}T12:00:00Z,2026-03-${d%:*}T18:00:00Z,2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,AWS,Amazon Elastic Compute Cloud,Compute,i-1,us-east-1,g5.xlarge,BoxUsage:g5.xlarge,6,Hrs,,,,{\"team\":\"${d#*:}\"}"; done; echo "-31,-31,,USD,1,Credit,2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,AWS,Amazon Elastic Compute Cloud,Compute,i-1,us-east-1,g5.xlarge,BoxUsage:g5.xlarge,,,,,,") > hands.csv; tare import -q --db hands hands.csv; tare report --db hands --by team,kind -o csv | cut -d, -f1,2,5; tare report --db hands --since 2026-03-04 --until 2026-03-06 --by day,team,kind -o csv | cut -d, -f1-3,6
  team,kind,cost
  b,gpu,48
  a,gpu,24
  a,other,-10.333333333
  b,other,-20.666666667
  day,team,kind,cost
  2026-03-04,b,gpu,24
  2026-03-04,b,other,-10.333333334

A correction of its use, of less hours, is no GPU time, nor is the discount of a reservation's fee, which names no machine; both are of the kind other.

  $ (sed -n 1,4p hands.csv | sed 's/$/,/; 1s/$/ChargeClass/'; sed -n '4s/24,24,24/-8,-8,/; 4s/BoxUsage:g5.xlarge,6/BoxUsage:g5.xlarge,-2/; 4s/$/,Correction/p' hands.csv) > less.csv; tare import --db less less.csv | head -1; tare report --db less --by kind,team -o csv | cut -d, -f1,2,4,5
  less.csv: focus, 4 rows kept, 18.00 GPU·h
  kind,team,gpu_seconds,cost
  gpu,b,43200,48
  gpu,a,21600,24
  other,b,0,-8
  $ printf '%s\n' lineItem/LineItemType,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/ProductCode,lineItem/UsageType,lineItem/UsageAmount,lineItem/UnblendedCost,lineItem/CurrencyCode,product/instanceType,product/region,reservation/ReservationARN RIFee,2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,AmazonEC2,HeavyUsage:p3.16xlarge,744,3720,USD,p3.16xlarge,us-east-1,arn:ri/1 EdpDiscount,2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,AmazonEC2,HeavyUsage:p3.16xlarge,,-372,USD,,us-east-1, > edp.csv; tare import -q --db edp edp.csv; tare report --db edp --cost billed --by kind -o csv | cut -d, -f1,3,4
  kind,gpu_seconds,cost
  other,0,3348
