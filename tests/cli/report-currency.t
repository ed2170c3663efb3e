A report over several currencies: amounts are never added, until exchange rates say what they are worth, each on its day.

  $ cat > nodes.csv <<'END'
  > node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour,currency
  > de,aws,eu-central-1,p3.2xlarge,V100-SXM2-16GB,1,on_demand,2026-10-05T00:00:00Z,2026-10-08T00:00:00Z,de,2,EUR
  > us,aws,us-east-1,p3.2xlarge,V100-SXM2-16GB,1,on_demand,2026-10-05T00:00:00Z,2026-10-07T00:00:00Z,us,3,USD
  > END
  $ tare import -q --db s nodes.csv
  $ tare report --db s --by cluster
  3 days to 2026-10-07 · effective cost, USD · 48.0 GPU·h paid · 0 % measured
  
  cluster  GPU·h    cost  busy  underused  idle  lost  unknown
  us        48.0  144.00     -          -     -     -    100 %
  ────────────────────────────────────────────────────────────
            48.0  144.00     -          -     -     -    100 %
  
  no bill · ledger 144.00 · unpriced 0 GPU·h
  
  3 days to 2026-10-07 · effective cost, EUR · 72.0 GPU·h paid · 0 % measured
  
  cluster  GPU·h    cost  busy  underused  idle  lost  unknown
  de        72.0  144.00     -          -     -     -    100 %
  ────────────────────────────────────────────────────────────
            72.0  144.00     -          -     -     -    100 %
  
  no bill · ledger 144.00 · unpriced 0 GPU·h
  
  Currencies are not added. All in one: --currency USD, with the exchange rates of tare import --as rates.
  $ tare report --db s --by kind --pivot cluster
  3 days to 2026-10-07 · effective cost, USD · 48.0 GPU·h paid · 0 % measured
  
  kind    de      us   total
  gpu   0.00  144.00  144.00
  ──────────────────────────
        0.00  144.00  144.00
  
  no bill · ledger 144.00 · unpriced 0 GPU·h
  
  3 days to 2026-10-07 · effective cost, EUR · 72.0 GPU·h paid · 0 % measured
  
  kind      de    us   total
  gpu   144.00  0.00  144.00
  ──────────────────────────
        144.00  0.00  144.00
  
  no bill · ledger 144.00 · unpriced 0 GPU·h
  
  Currencies are not added. All in one: --currency USD, with the exchange rates of tare import --as rates.
  $ tare report --db s --by cluster --currency USD
  3 days to 2026-10-07 · effective cost, USD · 48.0 GPU·h paid · 0 % measured
  
  cluster  GPU·h    cost  busy  underused  idle  lost  unknown
  us        48.0  144.00     -          -     -     -    100 %
  ────────────────────────────────────────────────────────────
            48.0  144.00     -          -     -     -    100 %
  
  In USD: no bill · ledger 144.00 · unpriced 0 GPU·h
  
  3 days to 2026-10-07 · effective cost, EUR · 72.0 GPU·h paid · 0 % measured
  
  cluster  GPU·h    cost  busy  underused  idle  lost  unknown
  de        72.0  144.00     -          -     -     -    100 %
  ────────────────────────────────────────────────────────────
            72.0  144.00     -          -     -     -    100 %
  
  144.00 EUR are not added: no exchange rate to USD is known of 2026-10-05 to
  2026-10-07. tare import --as rates FILE brings it, with lines such as
  date,from,to,rate and 2026-10-05,EUR,USD,RATE.
  In EUR: no bill · ledger 144.00 · unpriced 0 GPU·h
  ! tare: no exchange rate of EUR to USD is known of 2026-10-05 to 2026-10-07: 144.00 EUR are not added
  !       Bring it in: tare import --as rates FILE, a CSV of date,from,to,rate such as 2026-10-05,EUR,USD,RATE
  [3]
  $ cat > rates.csv <<'END'
  > date,from,to,rate
  > 2026-10-05,EUR,USD,1.10
  > 2026-10-07,EUR,USD,1.25
  > END
  $ tare import -q --db s --as rates rates.csv

24 h at 1.10, 24 h at the rate of the day before, 24 h at 1.25; and the other way round.

  $ tare report --db s --by cluster --currency usd
  3 days to 2026-10-07 · effective cost, USD · 120.0 GPU·h paid · 0 % measured
  
  cluster  GPU·h    cost  busy  underused  idle  lost  unknown
  de        72.0  165.60     -          -     -     -    100 %
  us        48.0  144.00     -          -     -     -    100 %
  ────────────────────────────────────────────────────────────
           120.0  309.60     -          -     -     -    100 %
  
  144.00 EUR are 165.60 USD here, each charge at the rate of its day (2026-10-05
  to 2026-10-07; tare import --as rates).
  In EUR: no bill · ledger 144.00 · unpriced 0 GPU·h
  In USD: no bill · ledger 144.00 · unpriced 0 GPU·h
  $ tare report --db s --by cluster --currency USD --where cluster=du
  3 days to 2026-10-07 · effective cost, USD · no GPU time · cluster=du
  
  Nothing in the ledger here.
  
  Whole window, in EUR: no bill · ledger 144.00 · unpriced 0 GPU·h
  Whole window, in USD: no bill · ledger 144.00 · unpriced 0 GPU·h
  
  The ledger holds 3 days to 2026-10-07.
  No cluster is 'du'. Did you mean 'de'?
  $ tare report --db s --by day --currency EUR -o csv | cut -d, -f1-4
  day,currency,gpu_seconds,cost
  2026-10-05,EUR,172800,113.454545454552
  2026-10-06,EUR,172800,113.454545454552
  2026-10-07,EUR,86400,48
  $ tare report --db s --by cluster --currency USD -o json | python3 -c 'import json,sys; r=json.load(sys.stdin); print(r["currency"], r["total"]["cost"], r["reconcile"], [(x["currency"], x["cost"], x["converted"], x["reconcile"]["ledger"]) for x in r["exchanged"]])'
  USD 309.6 None [('EUR', '144', '165.6', '144'), ('USD', '144', '144', '144')]
  $ tare report --db s --by cluster --pivot day --currency EUR -o csv
  cluster,currency,2026-10-05,2026-10-06,2026-10-07,total
  de,EUR,48,48,48,144
  us,EUR,65.454545454552,65.454545454552,0,130.909090909104
  $ tare report --db s --chargeback --currency USD -o csv | cut -d, -f3-9
  team,line,kind,gpu_seconds,amount,currency,basis
  ,direct,gpu,432000,309.6,USD,effective

What has no rate stays in its own currency and is told; the exit status says that something lacks.

  $ tare report --db s --by cluster --currency GBP -o csv | cut -d, -f1-4
  cluster,currency,gpu_seconds,cost
  us,USD,172800,144
  de,EUR,259200,144
  ! tare: no exchange rate of EUR to GBP is known of 2026-10-05 to 2026-10-07: 144.00 EUR are not added
  !       Bring it in: tare import --as rates FILE, a CSV of date,from,to,rate such as 2026-10-05,EUR,GBP,RATE
  ! tare: no exchange rate of USD to GBP is known of 2026-10-05 to 2026-10-06: 144.00 USD are not added
  !       Bring it in: tare import --as rates FILE, a CSV of date,from,to,rate such as 2026-10-05,USD,GBP,RATE
  $ tare report --db s --by cluster --currency GBP -o csv >/dev/null 2>&1
  [3]
  $ tare report --db s --currency EURO
  ! tare: --currency: 'EURO' is not a currency
  !       Three letters as on the bill, such as EUR
  [2]
  $ tare report --db s --energy --by cluster --currency USD
  ! tare: --energy has amounts as they are billed: no --currency
  !       See: tare report --help
  [2]

Energy has rows in one currency; the others are named where no rate is known.

  $ tare import -q --db t nodes.csv
  $ tare report --db t --energy --by cluster
  cluster  GPU-h     EUR  kWh  kgCO2e  measured  estimated
  de        72.0  144.00    -       -       0 %        0 %
  ────────────────────────────────────────────────────────
  total     72.0  144.00    -       -       0 %        0 %
  
  Of the GPUs alone, x PUE 1 (setting energy.pue). 0 % of the GPU time has a power reading; 0 % is estimated at
  its own mean power or the GPU's TDP, which is high; the rest is unknown and in no sum.
  Left out: 48.0 GPU-h that are charged in USD (144.00), as no exchange rate to EUR is known of their days: tare import --as rates.
  No region has a known weight of a kWh: say it in the settings (energy.carbon).

A bill in two currencies has sums in each.

  $ head='BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ProviderName,ServiceName'; at='2026-10-05T00:00:00Z,2026-10-06T00:00:00Z'
  > printf "$head\n10,9,JPY,$at,AWS,S3\n1.5,,EUR,$at,AWS,S3\n20,18,JPY,$at,AWS,S3\n" > two.csv; tare import --dry-run two.csv
  two.csv: focus, 3 rows would be kept
      BilledCost       30 JPY
      BilledCost       1.5 EUR
      EffectiveCost    27 JPY
      EffectiveCost    -   (1 row without)
      note: columns of FOCUS 1.0
      note: several currencies: each has sums of its own here, and a report of its own
  $ tare import --dry-run two.csv -o json | python3 -c 'import json, sys; f = json.load(sys.stdin)["files"][0]; print(f["sums"], f["unknown"]); [print(*s.values()) for s in f["sums_by_currency"]]'
  {'BilledCost': '31.5', 'EffectiveCost': '27'} {'EffectiveCost': 1}
  JPY BilledCost 30
  EUR BilledCost 1.5
  JPY EffectiveCost 27
  EUR EffectiveCost 0
