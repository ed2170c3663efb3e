A bill that is told again each morning: days that say what the store has already stay as they are, and only what changed is posted. The ledger is that of the newest
bill, whichever way it came.

  $ cat > nodes.csv <<'END'
  > node,provider,region,gpu_model,gpu_count,instance_type,purchase,from,to,resource_id
  > gpu-1,aws,us-east-1,A100-SXM4-40GB,8,p4d.24xlarge,on_demand,2026-10-01T00:00:00Z,2026-10-04T00:00:00Z,i-0abc
  > END
  $ cat > bill <<'END'
  > #!/bin/bash
  > # bill DAYS [CHANGED-DAY]: lines of the days 1 to DAYS of October
  > echo BilledCost,EffectiveCost,BillingAccountId,BillingCurrency,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ProviderName,ServiceCategory,ServiceName,Tags
  > period=2026-10-01T00:00:00Z,2026-11-01T00:00:00Z
  > for ((d = 1; d <= $1; d++)); do
  >   day=2026-10-0${d}T00:00:00Z,2026-10-0$((d + 1))T00:00:00Z cost=700.00
  >   [[ $d == ${2-} ]] && cost=650.50
  >   echo "$cost,$cost,42,USD,$period,$day,Usage,i-0abc,AWS,Compute,Amazon Elastic Compute Cloud,"
  >   echo "5.00,5.00,42,USD,$period,$day,Usage,b-1,AWS,Storage,Amazon Simple Storage Service,\"{\"\"owner\"\": \"\"red\"\"}\""
  >   echo "0.00,0.00,42,USD,$period,$day,Usage,q-1,AWS,Integration,Amazon Simple Queue Service,"
  > done
  > END
  $ chmod +x bill; for d in 1 2 3; do ./bill $d > day-$d.csv; done; ./bill 3 2 > changed.csv
  $ tare import -q --db a nodes.csv day-1.csv
  $ tare import --db a --replace day-2.csv | grep 'note: [^c]'
      note: 3 of its rows are of days that say what the store has already, and stay as they are (aws 42 2026-10)
  $ tare import -q --db a --replace day-3.csv
  $ tare import --db a --replace changed.csv | grep 'note: [^c]'
      note: 6 of its rows are of days that say what the store has already, and stay as they are (aws 42 2026-10)
      note: 1 earlier file of the same bill and month taken out (aws 42 2026-10: 705 USD)
  $ tare import -q --db whole nodes.csv changed.csv
  $ for by in day,kind team,cloud_service node,hour; do for db in a whole; do tare report --db $db --by $by -o csv > $db.csv; done; cmp a.csv whole.csv; done
  $ tare report --db a --by day,cloud_service -o csv --sort name | cut -d, -f1-5
  day,cloud_service,currency,gpu_seconds,cost
  2026-10-01,Amazon Elastic Compute Cloud,USD,691200,700
  2026-10-01,Amazon Simple Storage Service,USD,0,5
  2026-10-02,Amazon Elastic Compute Cloud,USD,691200,650.5
  2026-10-02,Amazon Simple Storage Service,USD,0,5
  2026-10-03,Amazon Elastic Compute Cloud,USD,691200,700
  2026-10-03,Amazon Simple Storage Service,USD,0,5

Rules of the settings hold for a bill that is read with them: then all of it is read again, also what says the same. What was read with them stays, also where the file comes again as it was.

  $ cat > team.yaml <<'END'
  > version: 1
  > tags:
  >   alias:
  >     team: [owner]
  > END
  $ ./bill 3 1 > other.csv; tare import --db a --config team.yaml --replace other.csv | grep 'note: [^c]'
      note: 3 earlier files of the same bill and month taken out (aws 42 2026-10: 2065.5 USD)
  $ tare report --db a --by team -o csv --where cloud_service='Amazon Simple Storage Service' | cut -d, -f1-4
  team,currency,gpu_seconds,cost
  red,USD,0,15
  $ tare import --db a --config team.yaml --replace other.csv | grep 'note: [^c]'
      note: 9 of its rows are of days that say what the store has already, and stay as they are (aws 42 2026-10)

What a bill no longer has goes, with --whole, and the rest stays.

  $ ./bill 2 1 > less.csv; tare import --db a --config team.yaml --replace --whole less.csv | grep 'note: [^c]'
      note: 6 of its rows are of days that say what the store has already, and stay as they are (aws 42 2026-10)
      note: of 1 earlier file these rows taken out (aws 42 2026-10: 705 USD); what else it has stays
  $ tare import --db a --list | sed 's/^.*focus//; s/  */ /g'
  batch imported kind file from to counts
   1 2026-11-21 nodes nodes.csv 2026-10-01 2026-10-03 yes
   day-1.csv 2026-10-01 2026-10-01 no
   day-2.csv 2026-10-01 2026-10-02 no
   day-3.csv 2026-10-01 2026-10-03 no
   changed.csv 2026-10-01 2026-10-03 no
   other.csv 2026-10-01 2026-10-03 in part (6 of 9 rows)
   other.csv 2026-10-01 2026-10-03 yes
   less.csv 2026-10-01 2026-10-02 yes
  $ tare report --db a --config team.yaml --by day -o csv --sort name | cut -d, -f1-4
  day,currency,gpu_seconds,cost
  2026-10-01,USD,691200,655.5
  2026-10-02,USD,691200,705
  2026-10-03,USD,691200,526.983408
