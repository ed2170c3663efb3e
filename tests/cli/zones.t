Times of bills in any zone, and dates alone, in one file: each line in its hour, each bill in its month.

  $ cat > rewrite.py <<'X'
  > """The same instants otherwise: rewrite.py SEED < FILE, times ending in Z at columns that look like one; billing periods at the zone's own midnight."""
  > import csv, datetime, random, sys
  > rnd = random.Random(int(sys.argv[1]))
  > rows = list(csv.reader(sys.stdin))
  > out = csv.writer(sys.stdout, lineterminator="\n")
  > out.writerow(rows[0])
  > for row in rows[1:]:
  >     for i, cell in enumerate(row):
  >         if len(cell) != 20 or cell[10] != "T" or cell[19] != "Z":
  >             continue
  >         t = datetime.datetime.strptime(cell, "%Y-%m-%dT%H:%M:%SZ")
  >         off = rnd.choice([-720, -480, -210, 0, 0, 60, 330, 345, 840])
  >         sign = f"{'-' if off < 0 else '+'}{abs(off) // 60:02}"
  >         zone = rnd.choice([f"{sign}:{abs(off) % 60:02}", f"{sign}{abs(off) % 60:02}"] + ([sign] if off % 60 == 0 else []) + (["Z", "z", " UTC"] if off == 0 else []))
  >         period = "eriod" in rows[0][i] and "illing" in rows[0][i] or "billing_period" in rows[0][i]
  >         local = t if period else t + datetime.timedelta(minutes=off)
  >         date_alone = off == 0 and t.hour == 0 and rnd.random() < 0.5
  >         row[i] = str(t.date()) if date_alone else local.strftime(rnd.choice(["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.000"])) + zone
  >     out.writerow(row)
  > X
  $ python3 - <<'X'
  > import datetime
  > def at(h): return (datetime.datetime(2026, 9, 1) + datetime.timedelta(hours=h)).strftime("%Y-%m-%dT%H:%M:%SZ")
  > def month(h): return ("2026-09-01T00:00:00Z", "2026-10-01T00:00:00Z") if h < 720 else ("2026-10-01T00:00:00Z", "2026-11-01T00:00:00Z")
  > hours = [0, 1, 5, 23, 24, 360, 708, 714, 718, 719, 720, 721, 726, 735, 760]
  > with open("focus.csv", "w") as f:
  >     f.write("BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,ProviderName,ServiceCategory,ResourceId,SkuPriceDetails,ConsumedQuantity,ConsumedUnit,ServiceName\n")
  >     for i, h in enumerate(hours):
  >         f.write(f"{i + 1},{i + 1},USD,1,Usage,{at(h)},{at(h + 1)},{month(h)[0]},{month(h)[1]},AWS,Storage,b,,,,S3\n")
  >         f.write(f"{i + 1}.5,{i + 1}.5,USD,1,Usage,{at(h)},{at(h + 1)},{month(h)[0]},{month(h)[1]},AWS,Compute,i-1,\"{{\"\"InstanceType\"\":\"\"p3.2xlarge\"\"}}\",1,Hours,Amazon Elastic Compute Cloud\n")
  > with open("cur.csv", "w") as f:
  >     f.write("line_item_line_item_type,line_item_unblended_cost,line_item_usage_start_date,line_item_usage_end_date,line_item_currency_code,bill_billing_period_start_date,bill_billing_period_end_date,bill_payer_account_id\n")
  >     for i, h in enumerate(hours): f.write(f"Usage,{i + 1},{at(h)},{at(h + 1)},USD,{month(h)[0]},{month(h)[1]},1\n")
  > with open("gcp.csv", "w") as f:
  >     f.write("cost,usage_start_time,usage_end_time,currency,billing_account_id,sku.description,invoice.month\n")
  >     for i, h in enumerate(hours): f.write(f"{i + 1},{at(h)},{at(h + 1)},USD,A,Disk,{month(h)[0][:7].replace('-', '')}\n")
  > X
  $ for k in focus cur gcp; do tare import -q --db $k $k.csv; tare report --db $k --by hour,kind --cost billed -o csv > $k.want; for seed in 1 2 3; do python3 rewrite.py $seed < $k.csv > $k-$seed.csv; tare import --db $k --replace $k-$seed.csv | grep -c 'of its rows are of days that say what the store has already, and stay as they are (.* 2026-09, .* 2026-10)'; tare report --db $k --by hour,kind --cost billed -o csv | cmp - $k.want && tare report --db $k --cost billed | sed -n '1p;$p'; done; done
  1
  2026-09-01 00:00 to 2026-10-02 17:00 UTC · billed cost, USD · 15.0 GPU·h paid ·
  Bill 247.50 · ledger 247.50 · difference 0.00 · unpriced 0 GPU·h
  1
  2026-09-01 00:00 to 2026-10-02 17:00 UTC · billed cost, USD · 15.0 GPU·h paid ·
  Bill 247.50 · ledger 247.50 · difference 0.00 · unpriced 0 GPU·h
  1
  2026-09-01 00:00 to 2026-10-02 17:00 UTC · billed cost, USD · 15.0 GPU·h paid ·
  Bill 247.50 · ledger 247.50 · difference 0.00 · unpriced 0 GPU·h
  1
  2026-09-01 00:00 to 2026-10-02 17:00 UTC · billed cost, USD · no GPU time
  Bill 120.00 · ledger 120.00 · difference 0.00 · unpriced 0 GPU·h
  1
  2026-09-01 00:00 to 2026-10-02 17:00 UTC · billed cost, USD · no GPU time
  Bill 120.00 · ledger 120.00 · difference 0.00 · unpriced 0 GPU·h
  1
  2026-09-01 00:00 to 2026-10-02 17:00 UTC · billed cost, USD · no GPU time
  Bill 120.00 · ledger 120.00 · difference 0.00 · unpriced 0 GPU·h
  1
  2026-09-01 00:00 to 2026-10-02 17:00 UTC · billed cost, USD · no GPU time
  Bill 120.00 · ledger 120.00 · difference 0.00 · unpriced 0 GPU·h
  1
  2026-09-01 00:00 to 2026-10-02 17:00 UTC · billed cost, USD · no GPU time
  Bill 120.00 · ledger 120.00 · difference 0.00 · unpriced 0 GPU·h
  1
  2026-09-01 00:00 to 2026-10-02 17:00 UTC · billed cost, USD · no GPU time
  Bill 120.00 · ledger 120.00 · difference 0.00 · unpriced 0 GPU·h

Azure writes dates alone, in the American order or in that of ISO, with a time or without: a day is the same day.

  $ cat > az <<'X'
  > head=SubscriptionId,Date,MeterCategory,MeterId,Quantity,UnitOfMeasure,CostInBillingCurrency,BillingCurrency,BillingPeriodStartDate,BillingPeriodEndDate
  > X
  $ . ./az; printf "$head\ns,2026-09-30,Storage,m,1,1 GB,1,USD,2026-09-01,2026-09-30\ns,2026-10-01,Storage,m,1,1 GB,2,USD,2026-10-01,2026-10-31\n" > a.csv
  $ . ./az; printf "$head\ns,09/30/2026,Storage,m,1,1 GB,1,USD,09/01/2026,09/30/2026\ns,2026-10-01T00:00:00Z,Storage,m,1,1 GB,2,USD,2026-10-01T00:00:00Z,2026-10-31T00:00:00Z\n" > b.csv
  $ tare import -q --db azure a.csv; tare report --db azure --by day --cost billed -o csv | cut -d, -f1-4; tare import --db azure --replace b.csv; tare report --db azure --by day --cost billed -o csv | cut -d, -f1-4
  day,currency,gpu_seconds,cost
  2026-09-30,USD,0,1
  2026-10-01,USD,0,2
  b.csv: azure-cost, 2 rows kept
      BilledCost       3 USD
      EffectiveCost    3 USD
      note: 2 of its rows are of days that say what the store has already, and stay as they are (azure 2026-09, azure 2026-10)
  You see   cost by service, kind, region and tag:
            tare report --by cloud_service --db azure
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  day,currency,gpu_seconds,cost
  2026-09-30,USD,0,1
  2026-10-01,USD,0,2
