Charges over several days: the rows of each add up to the charge rounded half-even to a nano-dollar, of every kind and sign, on every basis; rows and remainder are the bill.

  $ python3 - > long.csv <<'X'
  > import datetime, random
  > r = random.Random(5)
  > print("BilledCost,EffectiveCost,ListCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory,ServiceName,ChargeDescription,CommitmentDiscountId,CommitmentDiscountType,CommitmentDiscountStatus,Tags")
  > kinds = [("Tax", "Other", "Tax", ""), ("Usage", "Storage", "S3", ""), ("Usage", "Networking", "Data Transfer", ""), ("Credit", "Compute", "EC2", ""), ("Usage", "Compute", "EC2", "Unused"), ("Adjustment", "Other", "Support", ""), ("Usage", "Other", "License", ""), ("Purchase", "Compute", "EC2", "")]
  > for i in range(200):
  >     cat, sc, sn, status = r.choice(kinds)
  >     a = datetime.datetime(2026, 9, 1) + datetime.timedelta(minutes=r.choice([0, 0, r.randint(0, 10000)]))
  >     b = a + datetime.timedelta(minutes=r.choice([1440, 43200, 44640, r.randint(1, 50000)]))
  >     m = [f"{r.choice([1, 1, -1]) * r.choice([5, 1, r.random(), r.random() * 1e6, 1e-9, 5e-10, 1.5e-9, 3e-12]):.12f}" for _ in range(3)]
  >     print(*m, "USD", 1, cat, a.isoformat() + "Z", b.isoformat() + "Z", "2026-09-01T00:00:00Z", "AWS", sc, sn, "x", "c" if status else "", "Savings Plan" if status else "", status, '"{""team"":""t%d""}"' % i, sep=",")
  > X
  $ cat > compare.py <<'X'
  > import csv, decimal, sys
  > decimal.getcontext().prec = 40
  > D, nano = decimal.Decimal, decimal.Decimal("1e-9")
  > column = {"billed": "BilledCost", "effective": "EffectiveCost", "list": "ListCost"}[sys.argv[1]]
  > want = {"t%d" % i: D(l[column]).quantize(nano, decimal.ROUND_HALF_EVEN) for i, l in enumerate(csv.DictReader(open("long.csv")))}
  > got, rows = {}, 0
  > for l in csv.DictReader(sys.stdin):
  >     got[l["team"]] = got.get(l["team"], 0) + D(l["cost"] or 0)
  >     rows += 1
  > off = [(t, str(want[t]), str(got.get(t, 0))) for t in want if got.get(t, 0) != want[t]]
  > print(len(want), "charges,", "many" if rows > 1000 else rows, "rows,", len(off), "off", *off[:3])
  > X
  $ tare import -q long.csv; for b in billed effective list; do tare report --by team,day --cost $b -o csv | python3 compare.py $b; tare report --cost $b | tail -1 | grep -o 'difference.*'; done
  200 charges, many rows, 0 off
  difference 0.00 · unpriced 0 GPU·h
  200 charges, many rows, 0 off
  difference 0.00 · unpriced 0 GPU·h
  200 charges, many rows, 0 off
  difference 0.00 · unpriced 0 GPU·h

The window is what the data in force cover, to the end of the month where a charge is for the month, whatever was imported before.

  $ head() { echo BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory; }; declare -f head > head.sh
  $ . ./head.sh; (head; echo 5,5,USD,1,Tax,2026-09-01T00:00:00Z,2026-10-01T00:00:00Z,2026-09-01T00:00:00Z,AWS,Other) > tax.csv
  $ . ./head.sh; (head; echo 1,1,USD,1,Usage,2026-09-01T00:00:00Z,2026-09-01T01:00:00Z,2026-09-01T00:00:00Z,AWS,Storage; echo 0,0,USD,1,Usage,2026-09-30T23:00:00Z,2026-10-01T00:00:00Z,2026-09-01T00:00:00Z,AWS,Storage) > zero.csv
  $ . ./head.sh; (head; echo 1,1,USD,1,Usage,2026-09-01T00:00:00Z,2026-09-01T01:00:00Z,2026-09-01T00:00:00Z,AWS,Storage; echo 2,2,USD,1,Usage,2026-09-30T23:00:00Z,2026-10-01T00:00:00Z,2026-09-01T00:00:00Z,AWS,Storage; echo -2,-2,USD,1,Credit,2026-09-30T23:00:00Z,2026-10-01T00:00:00Z,2026-09-01T00:00:00Z,AWS,Other) > credit.csv
  $ for f in tax zero credit; do for again in '' --replace --replace; do tare import -q --db $f $again $f.csv; tare report --db $f | head -1; done; done
  30 days to 2026-09-30 · effective cost, USD · no GPU time
  30 days to 2026-09-30 · effective cost, USD · no GPU time
  30 days to 2026-09-30 · effective cost, USD · no GPU time
  30 days to 2026-09-30 · effective cost, USD · no GPU time
  30 days to 2026-09-30 · effective cost, USD · no GPU time
  30 days to 2026-09-30 · effective cost, USD · no GPU time
  30 days to 2026-09-30 · effective cost, USD · no GPU time
  30 days to 2026-09-30 · effective cost, USD · no GPU time
  30 days to 2026-09-30 · effective cost, USD · no GPU time

A longer bill was there before: what is left counts.

  $ tare import -q --db cut zero.csv; sed -i 2q zero.csv; tare import -q --db cut --replace --whole zero.csv; tare report --db cut | head -1
  1 h to 2026-09-01 01:00 UTC · effective cost, USD · no GPU time

The id of an invoice is empty until the month is closed: the final bill is the provisional one again.

  $ python3 - <<'E'
  > for name, inv, payer, team, cost in (("draft.csv", "", "", "", .5), ("final.csv", "INV-1", "Acme", "", .5), ("net.csv", "INV-1", "Acme", "", .25), ("tags.csv", "INV-1", "Acme", '"{""team"":""x""}"', .5)):
  >     with open(name, "w") as f:
  >         print("BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory,ResourceId,InvoiceId,BillingAccountName,Tags,ConsumedQuantity,ConsumedUnit", file=f)
  >         for d in range(1, 21):
  >             print(f"{d + cost},{d + cost},USD,1,Usage,2025-03-{d:02d}T00:00:00Z,2025-03-{d + 1:02d}T00:00:00Z,2025-03-01T00:00:00Z,AWS,Storage,r{d},{inv},{payer},{team},24,Hours", file=f)
  > E
  $ tare import -q --db inv draft.csv; tare import --db inv final.csv > out; grep -o 'note: 20.*' out; tare import -q --db inv --replace final.csv; tare report --db inv --by month -o csv | cut -d, -f1,2,4
  month,currency,cost
  2025-03,USD,220
  ! tare: 'final.csv': all of its 20 rows are, word for word, in the store already
  !       Nothing was imported. It is the same bill again, and would count twice: leave it out, or let it take the place of the one before with --replace.

Nor do other amounts, after a discount say, or tags that came later make other use of it; that is to take the place of the older one.

  $ tare import --db inv net.csv; tare import --db inv tags.csv; tare import --db new net.csv tags.csv; tare import -q --db inv --replace net.csv; tare report --db inv --by month -o csv | cut -d, -f1,2,4
  month,currency,cost
  2025-03,USD,215
  ! tare: 'net.csv': 20 rows tell the same use of the same resources as rows in the store, with other amounts, tags or words (the first of 2025-03-01): a newer export of a bill that was imported before
  !       Nothing was imported. Import all its files in one call with --replace, so that they take the place of the older ones (--partial: of the sub accounts and days alone that they have).
  ! tare: 'tags.csv': 20 rows tell the same use of the same resources as rows in the store, with other amounts, tags or words (the first of 2025-03-01): a newer export of a bill that was imported before
  !       Nothing was imported. Import all its files in one call with --replace, so that they take the place of the older ones (--partial: of the sub accounts and days alone that they have).
  ! tare: 'net.csv' and 'tags.csv' of this call: 20 rows tell the same use of the same resources, with other amounts, tags or words: two exports of one bill
  !       Nothing was imported. Leave the older of the two out.

A correction of that use is no newer export.

  $ sed 's/,Tags,/,ChargeClass,/; s/,Acme,,/,Acme,Correction,/; s/^[0-9]*[.]25,[^,]*/0.25,0.25/' net.csv > corrected.csv; tare import -q --db inv corrected.csv; tare report --db inv --by month -o csv | cut -d, -f1,2,4
  month,currency,cost
  2025-03,USD,220

Nor are several discounts or credits of that use, each in a file of its own.

  $ for n in 1 2; do sed "s/,Usage,/,Credit,/; 2,\$s/^[0-9.]*,[0-9.]*/-$n,-$n/" net.csv > credit$n.csv; done; tare import -q --db inv credit1.csv; tare import -q --db inv credit2.csv; tare import -q --db both credit1.csv credit2.csv; for s in inv both; do tare report --db $s --by month -o csv | tail -1; done | cut -d, -f1,2,4
  2025-03,USD,160
  2025-03,USD,-60

A fee of which a part was not used is two lines of one row: the same bill again is told by its lines.

  $ for inv in "" I-1; do { echo bill_invoice_id,bill_payer_account_id,bill_billing_period_start_date,line_item_usage_account_id,line_item_line_item_type,line_item_usage_start_date,line_item_usage_end_date,line_item_product_code,line_item_usage_type,line_item_unblended_cost,line_item_currency_code,savings_plan_savings_plan_a_r_n,savings_plan_total_commitment_to_date,savings_plan_used_commitment
  > for h in 10 11 12; do echo "$inv,1,2025-03-01T00:00:00Z,1,SavingsPlanRecurringFee,2025-03-01T$h:00:00Z,2025-03-01T$h:59:59Z,ComputeSavingsPlans,SP,5,USD,arn:sp/1,5,2"; done; } > "cur$inv.csv"; done
  $ tare import -q --db fees cur.csv; tare import -q --db fees curI-1.csv; tare report --db fees --by kind --cost effective -o csv | cut -d, -f1,4
  kind,cost
  commitment_unused,9
  ! tare: 'curI-1.csv': all of its 3 rows are, word for word, in the store already
  !       Nothing was imported. It is the same bill again, and would count twice: leave it out, or let it take the place of the one before with --replace.
