Bills take the place of others by provider, account and month, line by line.

  $ cat > bill <<'EOF'
  > # bill NAME COST:ACCOUNT:DAY...
  > bill() { out=$1; shift; echo BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory > $out
  > for l; do IFS=: read c a d <<< "$l"; echo $c,$c,USD,$a,Usage,${d}T00:00:00Z,${d}T01:00:00Z,${d%-*}-01T00:00:00Z,AWS,Storage >> $out; done; }
  > sums() { tare report --by month --cost billed -o csv | cut -d, -f1,4; tare report --cost billed | tail -1; }
  > EOF

One file of two months and two accounts; then a newer October of account 1, first without --replace.

  $ . ./bill; bill all.csv 1:1:2024-09-03 2:1:2024-10-03 4:2:2024-10-03; tare import -q all.csv; sums
  month,cost
  2024-09,1
  2024-10,6
  Bill 7.00 · ledger 7.00 · difference 0.00 · unpriced 0 GPU·h
  $ . ./bill; bill oct.csv 20:1:2024-10-03; tare import oct.csv; sums
  oct.csv: focus, 1 row kept
      BilledCost       20 USD
      EffectiveCost    20 USD
      note: columns of FOCUS 1.0
      note: 1 earlier file is of the same bill and month (aws 1 2024-10), with rows of the same days (aws 1 2024-10: 1 row, 2 USD): if this is a newer export of it, those count twice; then import it with --replace (--partial: of these days alone)
  You see   cost by service, kind, region and tag: tare report --by cloud_service
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  month,cost
  2024-09,1
  2024-10,26
  Bill 27.00 · ledger 27.00 · difference 0.00 · unpriced 0 GPU·h
  $ . ./bill; tare import --replace oct.csv; sums
  oct.csv: focus, 1 row kept
      BilledCost       20 USD
      EffectiveCost    20 USD
      note: columns of FOCUS 1.0
      note: 1 earlier file of the same bill and month taken out (aws 1 2024-10: 20 USD)
      note: of 1 earlier file these rows taken out (aws 1 2024-10: 2 USD); its other months and accounts stay
  You see   cost by service, kind, region and tag: tare report --by cloud_service
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  month,cost
  2024-09,1
  2024-10,24
  Bill 25.00 · ledger 25.00 · difference 0.00 · unpriced 0 GPU·h

The rest of the first file goes month by month; two files of one call are one set.

  $ . ./bill; bill sep.csv 10:1:2024-09-03; bill oct2.csv 40:2:2024-10-03; tare import --replace sep.csv oct2.csv; sums
  sep.csv: focus, 1 row kept
      BilledCost       10 USD
      EffectiveCost    10 USD
      note: columns of FOCUS 1.0
      note: 1 earlier file of the same bill and month taken out (aws 1 2024-09: 1 USD, aws 2 2024-10: 4 USD)
  oct2.csv: focus, 1 row kept
      BilledCost       40 USD
      EffectiveCost    40 USD
      note: columns of FOCUS 1.0
  You see   cost by service, kind, region and tag: tare report --by cloud_service
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  month,cost
  2024-09,10
  2024-10,60
  Bill 70.00 · ledger 70.00 · difference 0.00 · unpriced 0 GPU·h

The other way round: one file takes the place of three.

  $ . ./bill; tare import --replace all.csv; sums
  all.csv: focus, 3 rows kept
      BilledCost       7 USD
      EffectiveCost    7 USD
      note: columns of FOCUS 1.0
      note: 3 earlier files of the same bill and month taken out (aws 1 2024-09: 10 USD, aws 1 2024-10: 20 USD, aws 2 2024-10: 40 USD)
  You see   cost by service, kind, region and tag: tare report --by cloud_service
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  month,cost
  2024-09,1
  2024-10,6
  Bill 7.00 · ledger 7.00 · difference 0.00 · unpriced 0 GPU·h

In another format: a CUR takes the place of FOCUS.

  $ printf 'line_item_line_item_type,line_item_unblended_cost,line_item_usage_start_date,line_item_usage_end_date,line_item_currency_code,bill_billing_period_start_date,bill_payer_account_id\nUsage,3.50,2024-10-03T05:00:00Z,2024-10-03T06:00:00Z,USD,2024-10-01T00:00:00Z,1\n' > cur.csv
  $ . ./bill; tare import --replace cur.csv; sums
  cur.csv: aws-cur, 1 row kept
      BilledCost       3.5 USD
      EffectiveCost    3.5 USD
      note: of 1 earlier file these rows taken out (aws 1 2024-10: 2 USD); its other months and accounts stay
  You see   cost by service, kind, region and tag: tare report --by cloud_service
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  month,cost
  2024-09,1
  2024-10,7.5
  Bill 8.50 · ledger 8.50 · difference 0.00 · unpriced 0 GPU·h

Day 1, then day 2 alone: refused, nothing is changed. Both days as one set; day 2 alone with --partial.

  $ . ./bill; bill d1.csv 10:1:2024-11-01; bill d2.csv 10.5:1:2024-11-02; tare import -q d1.csv; tare import --replace d2.csv; sums | tail -1; tare import --replace d1.csv d2.csv; sums | tail -1
  Bill 18.50 · ledger 18.50 · difference 0.00 · unpriced 0 GPU·h
  d1.csv: focus, 1 row kept
      BilledCost       10 USD
      EffectiveCost    10 USD
      note: columns of FOCUS 1.0
      note: 1 of its rows are of days that say what the store has already, and stay as they are (aws 1 2024-11)
  d2.csv: focus, 1 row kept
      BilledCost       10.5 USD
      EffectiveCost    10.5 USD
      note: columns of FOCUS 1.0
  You see   cost by service, kind, region and tag: tare report --by cloud_service
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  Bill 29.00 · ledger 29.00 · difference 0.00 · unpriced 0 GPU·h
  ! tare: --replace: the bill that is in the store (aws 1 2024-11) has rows of 1 day that is not here, billed 10 USD, the first 2024-11-01
  !       Nothing was imported. Name all files of the newer bill in one call; or say --partial to replace only the sub accounts and days that they have, --whole if the other rows are to go.
  $ . ./bill; tare import --replace --partial d2.csv; sums | tail -1; tare import --partial d2.csv
  d2.csv: focus, 1 row kept
      BilledCost       10.5 USD
      EffectiveCost    10.5 USD
      note: columns of FOCUS 1.0
      note: 1 of its rows are of days that say what the store has already, and stay as they are (aws 1 2024-11)
  You see   cost by service, kind, region and tag: tare report --by cloud_service
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  Bill 29.00 · ledger 29.00 · difference 0.00 · unpriced 0 GPU·h
  ! tare: --partial goes with --replace
  !       See: tare import --help
  [2]

Two exports of one month in one call; the same file twice is one.

  $ . ./bill; bill x.csv 1:9:2024-10-01; bill y.csv 1.5:9:2024-10-01; tare import --dry-run x.csv y.csv x.csv
  x.csv: focus, 1 row would be kept
      BilledCost       1 USD
      EffectiveCost    1 USD
      note: columns of FOCUS 1.0
  y.csv: focus, 1 row would be kept
      BilledCost       1.5 USD
      EffectiveCost    1.5 USD
      note: columns of FOCUS 1.0
      note: 2 files of this call have rows of the same bill and days (aws 9 2024-10): parts of one export add up; of two exports of it rows count twice, then import the newer alone
  x.csv: already imported (batch 0); nothing would change (--replace reads it again)

A newer export of one sub account alone: refused; --dry-run says what would go; what it does not have stays with --partial and goes with --whole.

  $ sub() { echo BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,SubAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory > $1; f=$1; shift; for l; do IFS=: read c s d <<< "$l"; echo $c,$c,USD,acc,$s,Usage,2024-10-0${d}T00:00:00Z,2024-10-0${d}T01:00:00Z,2024-10-01T00:00:00Z,AWS,Storage >> $f; done; }; declare -f sub > sub; sub two.csv 100:s1:1 250:s2:1 7:s2:2; sub one.csv 101:s1:1; tare import -q --db subs two.csv
  $ tare import --db subs --dry-run --replace one.csv; tare import --db subs --replace one.csv
  ! tare: --replace: the bill that is in the store has rows of 1 sub account that is not here (aws acc 2024-10), billed 257 USD: s2
  !       Nothing was imported. Name all files of the newer bill in one call; or say --partial to replace only the sub accounts and days that they have, --whole if the other rows are to go.
  ! tare: --replace: the bill that is in the store has rows of 1 sub account that is not here (aws acc 2024-10), billed 257 USD: s2
  !       Nothing was imported. Name all files of the newer bill in one call; or say --partial to replace only the sub accounts and days that they have, --whole if the other rows are to go.
  [2]
  $ tare import --db subs --dry-run --replace --partial one.csv; tare import --db subs --replace --partial one.csv; tare report --db subs --by account --cost billed
  one.csv: focus, 1 row would be kept
      BilledCost       101 USD
      EffectiveCost    101 USD
      note: columns of FOCUS 1.0
      note: of 1 earlier file these rows would be taken out (aws acc 2024-10: 100 USD); what else it has stays
  one.csv: focus, 1 row kept
      BilledCost       101 USD
      EffectiveCost    101 USD
      note: columns of FOCUS 1.0
      note: of 1 earlier file these rows taken out (aws acc 2024-10: 100 USD); what else it has stays
  You see   cost by service, kind, region and tag:
            tare report --by cloud_service --db subs
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  25 h to 2024-10-02 01:00 UTC · billed cost, USD · no GPU time
  
  account  GPU·h    cost
  s2         0.0  257.00
  s1         0.0  101.00
  ──────────────────────
             0.0  358.00
  
  Bill 358.00 · ledger 358.00 · difference 0.00 · unpriced 0 GPU·h
  $ . ./sub; sub day.csv 102:s1:1 8:s2:2; tare import --db subs --replace day.csv
  ! tare: --replace: the bill that is in the store (aws acc 2024-10) has rows of 1 day that is not here, billed 250 USD, the first 2024-10-01 of sub account s2
  !       Nothing was imported. Name all files of the newer bill in one call; or say --partial to replace only the sub accounts and days that they have, --whole if the other rows are to go.
  [2]
  $ tare import --db subs --dry-run --replace --whole day.csv; tare import --db subs -q --replace --whole day.csv; tare report --db subs --by account --cost billed; tare import --replace --partial --whole day.csv
  day.csv: focus, 2 rows would be kept
      BilledCost       110 USD
      EffectiveCost    110 USD
      note: columns of FOCUS 1.0
      note: 2 earlier files of the same bill and month would be taken out (aws acc 2024-10: 358 USD)
  25 h to 2024-10-02 01:00 UTC · billed cost, USD · no GPU time
  
  account  GPU·h    cost
  s1         0.0  102.00
  s2         0.0    8.00
  ──────────────────────
             0.0  110.00
  
  Bill 110.00 · ledger 110.00 · difference 0.00 · unpriced 0 GPU·h
  ! tare: --partial keeps what --whole takes out: say one of them
  !       See: tare import --help
  [2]

A bill that tells no sub accounts stands for those of all.

  $ . ./bill; bill none.csv 9:acc:2024-10-01 9:acc:2024-10-02; tare import --db subs --replace none.csv; tare import --db subs --dry-run --replace day.csv; tare import --db new --dry-run --replace day.csv; ls new
  none.csv: focus, 2 rows kept
      BilledCost       18 USD
      EffectiveCost    18 USD
      note: columns of FOCUS 1.0
      note: 1 earlier file of the same bill and month taken out (aws acc 2024-10: 110 USD)
  You see   cost by service, kind, region and tag:
            tare report --by cloud_service --db subs
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  day.csv: focus, 2 rows would be kept
      BilledCost       110 USD
      EffectiveCost    110 USD
      note: columns of FOCUS 1.0
      note: 1 earlier file of the same bill and month would be taken out (aws acc 2024-10: 18 USD)
  day.csv: focus, 2 rows would be kept
      BilledCost       110 USD
      EffectiveCost    110 USD
      note: columns of FOCUS 1.0
  ! ls: cannot access 'new': No such file or directory
  [2]

Azure writes one account in several ways: the export of the agreement, then FOCUS, without and with --replace.

  $ printf '%s\n' SubscriptionId,Date,MeterCategory,CostInBillingCurrency,BillingAccountId,BillingCurrencyCode,BillingPeriodStartDate 8A0C0000-0000-0000-0000-00000000000B,06/01/2025,Storage,5,acc,USD,06/01/2025 > ea.csv; printf '%s\n' BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,SubAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory 5.5,5.5,USD,/providers/microsoft.billing/BillingAccounts/ACC/billingProfiles/p,/subscriptions/8a0c0000-0000-0000-0000-00000000000b,Usage,2025-06-01T00:00:00Z,2025-06-02T00:00:00Z,2025-06-01T00:00:00Z,Microsoft,Storage > afocus.csv
  $ tare import --db az -q ea.csv; tare import --db az afocus.csv; tare report --db az --by account --cost billed | head -4; tare import --db az --replace afocus.csv; tare import --db az --replace ea.csv; tare report --db az --by account --cost billed
  afocus.csv: focus, 1 row kept
      BilledCost       5.5 USD
      EffectiveCost    5.5 USD
      note: columns of FOCUS 1.0
      note: 1 earlier file is of the same bill and month (azure acc 2025-06), with rows of the same days (azure acc 2025-06: 1 row, 5 USD): if this is a newer export of it, those count twice; then import it with --replace (--partial: of these days alone)
  You see   cost by service, kind, region and tag:
            tare report --by cloud_service --db az
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  1 day to 2025-06-01 · billed cost, USD · no GPU time
  
  account                               GPU·h   cost
  8a0c0000-0000-0000-0000-00000000000b    0.0  10.50
  afocus.csv: focus, 1 row kept
      BilledCost       5.5 USD
      EffectiveCost    5.5 USD
      note: columns of FOCUS 1.0
      note: 2 earlier files of the same bill and month taken out (azure acc 2025-06: 10.5 USD)
  You see   cost by service, kind, region and tag:
            tare report --by cloud_service --db az
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  ea.csv: azure-cost, 1 row kept
      BilledCost       5 USD
      EffectiveCost    5 USD
      note: 1 earlier file of the same bill and month taken out (azure acc 2025-06: 5.5 USD)
  You see   cost by service, kind, region and tag:
            tare report --by cloud_service --db az
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  1 day to 2025-06-01 · billed cost, USD · no GPU time
  
  account                               GPU·h  cost
  8a0c0000-0000-0000-0000-00000000000b    0.0  5.00
  ─────────────────────────────────────────────────
                                          0.0  5.00
  
  Bill 5.00 · ledger 5.00 · difference 0.00 · unpriced 0 GPU·h

At random against a model of lists of lines: formats, accounts, months, exports to date, several files, GPU time, taxes, credits.

  $ TARE_DB=random $FILES/files/replace-days.py 1 12
  8 replaced, 1 beside others, 3 refused; 0 off

A bill whose charges are in part those of one before is in, and what counts twice is told by month and account, the most expensive first. A dry run looks at the store too.

  $ cat > mk.py <<'END'
  > import sys
  > first, last, month, accounts = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
  > print("BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,ProviderName,ServiceCategory,ResourceId")
  > for i in range(first, last + 1):
  >     for a in accounts:
  >         print(f"{int(a) * i},{int(a) * i},USD,{a},Usage,{month}-02T00:00:00Z,{month}-02T03:00:00Z,{month}-01T00:00:00Z,{month}-28T00:00:00Z,AWS,Storage,r{i}")
  > END
  $ python3 mk.py 1 30 2024-10 1 5 > old.csv; python3 mk.py 25 80 2024-10 1 5 > new.csv; python3 mk.py 1 30 2024-11 1 > other.csv
  $ tare import -q --db twice old.csv
  $ tare import --db twice --dry-run old.csv new.csv other.csv
  old.csv: already imported (batch 1); nothing would change (--replace reads it again)
  new.csv: focus, 112 rows would be kept
      BilledCost       17640 USD
      EffectiveCost    17640 USD
      note: columns of FOCUS 1.0
      note: 1 earlier file is of the same bill and month (aws 1 2024-10, aws 5 2024-10), with rows of the same days (aws 5 2024-10: 30 rows, 2325 USD, aws 1 2024-10: 30 rows, 465 USD): if this is a newer export of it, those count twice; then import it with --replace (--partial: of these days alone)
      note: whether its charges are word for word those of a file before shows only when it is imported: with half of either or more it is refused (--replace takes it instead)
  other.csv: focus, 30 rows would be kept
      BilledCost       465 USD
      EffectiveCost    465 USD
      note: columns of FOCUS 1.0
  $ tare import --db twice new.csv | grep note:
      note: columns of FOCUS 1.0
      note: 1 earlier file is of the same bill and month (aws 1 2024-10, aws 5 2024-10), with rows of the same days (aws 5 2024-10: 30 rows, 2325 USD, aws 1 2024-10: 30 rows, 465 USD): if this is a newer export of it, those count twice; then import it with --replace (--partial: of these days alone)
      note: 12 of its 112 charges are, word for word, in 'old.csv' too and count twice now (aws 5 2024-10: 6 rows, 825 USD, aws 1 2024-10: 6 rows, 165 USD): where it is a newer export of the same bill, import it with --replace
  $ tare import --db twice --dry-run --replace new.csv
  new.csv: focus, 112 rows would be kept
      BilledCost       17640 USD
      EffectiveCost    17640 USD
      note: columns of FOCUS 1.0
      note: 2 earlier files of the same bill and month would be taken out (aws 1 2024-10: 3405 USD, aws 5 2024-10: 17025 USD)
