Exchange rates by day: tare import --as rates; a charge is planned at the rate of its day, what has none is listed apart.

  $ cat > make.py <<'END'
  > import datetime as d
  > t0, h = d.datetime(2026, 10, 1), d.timedelta(hours=1)
  > z = lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ")
  > n, j = open("nodes.csv", "w"), open("jobs.csv", "w")
  > n.write("node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour,currency\n")
  > j.write("job_id,user,team,workload,name,gpus,gpu_ids,start,end,state,node,cluster\n")
  > for name, usd, currency, days in (("de", 20, "EUR", 20), ("us", 10, "USD", 20), ("jp", 1000, "JPY", 1)):
  >     n.write(f"{name},aws,us-east-1,p3.8xlarge,V100-SXM2-16GB,4,on_demand,{z(t0)},{z(t0 + days * 24 * h)},{name},{usd},{currency}\n")
  >     j.write(f"{name},ann,{name},training,run,4,0;1;2;3,{z(t0)},{z(t0 + days * 24 * h)},COMPLETED,{name},{name}\n")
  > END
  $ python3 make.py
  $ tare import -q --db s nodes.csv jobs.csv
  $ cat > notes.py <<'X'
  > import json, sys
  > p = json.load(sys.stdin)
  > print(p["currency"], p["baseline"]["cost_month"])
  > for n in p["notes"]:
  >     if "planned" in n: print("-", n)
  > X

Without rates the numbers alone choose the currency (24,000 yen are few euros), and nothing is added.

  $ tare plan --db s -o json 2>/dev/null | python3 notes.py
  EUR 14600
  - 24,000.00 JPY (96 GPU·h) are not planned: amounts of different currencies are not added (tare import --as rates)
  - 4,800.00 USD (1,920 GPU·h) are not planned: amounts of different currencies are not added (tare import --as rates)
  - planned in EUR: machines of families that you pay for are priced at what you pay for a dollar of list (aws p3 1.634)
  - planned in EUR: spot markets and machines of other families lack an exchange rate of USD to EUR, their prices were not used; tare import --as rates brings it

The dollar was 0.80 until the 5th, then 0.90; the yen is not in the file and is listed apart. 9,600 EUR + 960 USD x 0.80 + 3,840 USD x 0.90 = 13,824 EUR in 20 days (a month: 730 h / 480 h x 13,824 = 21,024).

  $ cat > rates.csv <<'X'
  > date,from,to,rate
  > 2026-10-01,USD,EUR,0.80
  > 2026-10-05,USD,EUR,0.90
  > 2026-10-12,EUR,USD,1.1111111111111111
  > 2026-10-19,USD,EUR,0.90
  > X
  $ tare import --db s rates.csv | head -1
  rates.csv: rates, 4 rows kept
  $ tare plan --db s -o json 2>/dev/null | python3 notes.py
  EUR 21024
  - 4,800.00 USD are planned in EUR, each charge at the rate of its day
  - 24,000.00 JPY (96 GPU·h) are not planned: no exchange rate to EUR is known of their days
  - planned in EUR: machines of families that you pay for are priced at what you pay for a dollar of list (aws p3 1.176)
  - planned in EUR: other prices in USD x 0.9000, the rate of 2026-10-19
  $ tare import -q --db s rates.csv; tare doctor --db s -o json | python3 -c 'import json,sys; print("doctor runs")'
  doctor runs

The same by way of a third currency, each day again.

  $ cat > way.csv <<'X'
  > date,from,to,rate
  > 2026-10-01,USD,CHF,1.6
  > 2026-10-01,CHF,EUR,0.5
  > 2026-10-05,USD,CHF,1.8
  > 2026-10-05,CHF,EUR,0.5
  > 2026-10-12,USD,CHF,1.8
  > 2026-10-12,CHF,EUR,0.5
  > 2026-10-19,USD,CHF,1.8
  > 2026-10-19,CHF,EUR,0.5
  > X
  $ tare import -q --db way nodes.csv jobs.csv way.csv; tare plan --db way -o json 2>/dev/null | python3 notes.py
  EUR 21024
  - 4,800.00 USD are planned in EUR, each charge at the rate of its day
  - 24,000.00 JPY (96 GPU·h) are not planned: no exchange rate to EUR is known of their days
  - planned in EUR: machines of families that you pay for are priced at what you pay for a dollar of list (aws p3 1.176)
  - planned in EUR: other prices in USD x 0.9000, the rate of 2026-10-19

A file of which one row is wrong brings nothing in; each field is named.

  $ cat > bad.csv <<'X'
  > date,from,to,rate
  > 2026-10-01,JPY,EUR,0.006
  > 2026-10-32,JPY,EUR,0.006
  > 2026-10-01,yen,EUR,0.006
  > 2026-10-01,EUR,EUR,1
  > 2026-10-01,JPY,EUR,0
  > 2026-10-01,JPY,EUR,
  > X
  $ tare import --as rates --db s bad.csv; echo $?
  2
  ! tare: 'bad.csv': 5 rows cannot be read: line 3, date: '2026-10-32' is not a time; write 2026-11-21T10:00:00Z; line 4, from: 'yen' is not a currency: three capital letters as on the bill, such as EUR; line 5, to: is the same currency as 'from'; ...
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  $ tare plan --db s -o json 2>/dev/null | python3 notes.py | head -1
  EUR 21024
  $ printf 'date,from,rate\n2026-10-01,JPY,1\n' > short.csv; tare import --as rates --db s short.csv; echo $?
  2
  ! tare: 'short.csv' has no column to, which rates needs
  !       Nothing was imported. Give a constant with --set NAME=VALUE, or the columns' names with --map (docs/MAPS.md).

A yen rate of the day it was charged, and all of it is planned.

  $ printf 'date,from,to,rate\n2026-09-30,JPY,USD,0.0064\n' > yen.csv
  $ tare import -q --db s yen.csv; tare plan --db s -o json 2>/dev/null | python3 notes.py
  EUR 21210.88
  - 24,000.00 JPY are planned in EUR, each charge at the rate of its day
  - 4,800.00 USD are planned in EUR, each charge at the rate of its day
  - planned in EUR: machines of families that you pay for are priced at what you pay for a dollar of list (aws p3 1.158)
  - planned in EUR: other prices in USD x 0.9000, the rate of 2026-10-19

A currency that the settings say is planned in, where rates reach it.

  $ printf 'version: 1\ncurrency: USD\n' > usd.yaml; tare plan --db s --config usd.yaml -o json 2>/dev/null | python3 notes.py | head -1
  USD 24161.377778816
