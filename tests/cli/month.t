Two weeks of two machines: the team nlp does more in the second, on a machine of another class; a disk is on a bill.

  $ cat > nodes.csv <<EOF
  > node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour
  > a,own,eu,L4,2,on_demand,2026-03-02T00:00:00Z,2026-03-16T00:00:00Z,2
  > b,own,eu,A10,1,spot,2026-03-09T00:00:00Z,2026-03-16T00:00:00Z,0.5
  > EOF

  $ python3 - <<EOF
  > jobs = [("j1", "vision", "a", 0, "02T00", "04T00"), ("j2", "nlp", "a", 1, "02T00", "03T00"), ("j3", "nlp", "b", 0, "09T00", "12T00"),
  >         ("j4", "vision", "a", 0, "09T00", "11T00"), ("j5", "search", "a", 1, "10T00", "10T12"), ("j6", "nlp", "a", 1, "15T12", "15T23")]
  > with open("jobs.csv", "w") as f:
  >     print("job_id,team,node,gpus,gpu_ids,start,end,state", file=f)
  >     for j, team, node, gpu, s, e in jobs:
  >         print(f"{j},{team},{node},1,{gpu},2026-03-{s}:00:00Z,2026-03-{e}:00:00Z,COMPLETED", file=f)
  > use = {"j1": 80, "j2": 10, "j3": 50, "j4": 40, "j5": 60, "j6": 100}
  > with open("samples.csv", "w") as f:
  >     print("time,node,gpu,gpu_util_pct,mem_used_bytes,mem_total_bytes", file=f)
  >     for day in range(2, 16):
  >         for h in range(24):
  >             at = f"{day:02d}T{h:02d}"
  >             for node, gpu in ("a", 0), ("a", 1), ("b", 0):
  >                 if node == "b" and day < 9:
  >                     continue
  >                 on = [use[j] for j, _, n, g, s, e in jobs if (n, g) == (node, gpu) and s <= at < e]
  >                 print(f"2026-03-{at}:00:00Z,{node},{gpu},{on[0] if on else 0},{10**10 if on else 0},{24 * 10**9}", file=f)
  > EOF

  $ cat > bill.csv <<EOF
  > BilledCost,EffectiveCost,ListCost,ContractedCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,ProviderName,ServiceName,ServiceCategory,ResourceId,RegionId,ChargeDescription,Tags
  > 3,3,3,3,USD,1,Usage,2026-03-03T00:00:00Z,2026-03-03T01:00:00Z,2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,AWS,Amazon Elastic Block Store,Storage,vol-7,eu,EBS volume,"{""team"":""vision""}"
  > 5,5,5,5,USD,1,Usage,2026-03-13T00:00:00Z,2026-03-13T01:00:00Z,2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,AWS,Amazon Elastic Block Store,Storage,vol-7,eu,EBS volume,"{""team"":""vision""}"
  > EOF

  $ tare import -q nodes.csv jobs.csv samples.csv bill.csv

The week beside the week before: what is not in one of them is 0 there, and a new row is volume.

  $ COLUMNS=100 tare report --compare previous --since 2026-03-09
  2026-03-09 to 2026-03-15 (7 days) beside 2026-03-02 to 2026-03-08 (7 days) · effective cost, USD
  
  team      before     now  change      %   volume  efficiency     mix  other
  (nobody)  264.00  313.00  +49.00  +19 %   +97.00           -  -48.00   0.00
  nlp        24.00   47.00  +23.00  +96 %  +806.00     -747.00  -36.00   0.00
  search      0.00   12.00  +12.00    new   +12.00           -    0.00   0.00
  vision     51.00   53.00   +2.00   +4 %     0.00        0.00    0.00  +2.00
  ───────────────────────────────────────────────────────────────────────────
            339.00  425.00  +86.00  +25 %  +915.00     -747.00  -84.00  +2.00
  
  Up 86.00 USD (+25 %): volume +915.00, efficiency -747.00, mix -84.00, other +2.00. The largest
  change: (nobody), +49.00: volume +97.00, mix -48.00
  (tare report --since 2026-03-09 --by node --where team='' --compare previous).

The later half of the ledger where nothing says which window.

  $ tare report --compare previous -o json | python3 -c "
  > import json, sys
  > d = json.load(sys.stdin)
  > print(d['schema'], d['compare'], d['compare_windows'])
  > for r in d['rows'] + [d['total']]:
  >     print(r.get('team', 'total'), *[r[k] for k in 'before now difference volume efficiency mix price other'.split()])
  > "
  tare.report/1 previous {'before_since': '2026-03-02T00:00:00Z', 'before_until': '2026-03-09T00:00:00Z', 'before_hours': 168, 'now_since': '2026-03-09T00:00:00Z', 'now_until': '2026-03-16T00:00:00Z', 'now_hours': 168}
  None 264 313 49 97 None -48 0 0
  nlp 24 47 23 806 -747 -36 0 0
  search 0 12 12 12 None 0 0 0
  vision 51 53 2 0 0 0 0 2
  total 339 425 86 915 -747 -84 0 2

  $ tare report --compare 7d --since 2026-03-09 --until 2026-03-12 --where team=nlp -o csv
  team,currency,before,now,difference,volume,efficiency,mix,price,other,before_booked,before_gpu_seconds,now_gpu_seconds,before_busy_gpu_seconds,now_busy_gpu_seconds,before_read_frac,now_read_frac,before_unpriced_gpu_seconds,now_unpriced_gpu_seconds
  nlp,USD,24,36,12,696,-648,-36,0,0,24,86400,259200,8640,259200,1,1,0,0

Narrow: the largest part alone.

  $ COLUMNS=60 tare report --compare previous | tail -n +4
  team      now  change  most by
  (nobody)  313     +49  volume +97
  nlp        47     +23  volume +806
  search     12     +12  volume +12
  vision     53      +2  other +2
  ──────────────────────────────────
            425     +86  volume +915
  
  Up 86.00 USD (+25 %): volume +915.00, efficiency -747.00,
  mix -84.00, other +2.00. The largest change: (nobody),
  +49.00: volume +97.00, mix -48.00
  (tare report --by node --where team='' --compare previous).

Another number of hours: the window before is put on those of this one. Of its 8 days the ledger holds 6.

  $ tare report --since 2026-03-08 --until 2026-03-16 --compare previous | head -3
  2026-03-08 to 2026-03-15 (8 days) beside 2026-02-28 to 2026-03-07 (8 days) ·
  effective cost, USD · before: 144 h recorded, scaled to 192 h
  

  $ tare report --since 2026-03-02 --until 2026-03-09 --compare lastmonth
  ! tare: the ledger holds nothing of the window before, 2026-02-02T00:00:00Z to 2026-02-09T00:00:00Z
  !       It reaches from 2026-03-02T00:00:00Z to 2026-03-16T00:00:00Z: choose two windows in it with --since, --until and --compare
  [3]

  $ tare report --since 2026-03-05 --compare 3d
  ! tare: the two windows overlap: the other one begins earlier by less than the window is long
  !       Use --compare previous, or a shorter window with --since
  [2]

  $ tare report --compare lastweek
  ! tare: --compare does not know 'lastweek'
  !       It takes previous, lastmonth, lastquarter, lastyear, or a duration (7d): how much earlier the other window is
  [2]

  $ tare report --by team,day --compare previous
  ! tare: --compare has no row by day: no two windows share one
  !       For a course over time leave --compare out, or see --pivot day
  [2]

  $ tare report --compare previous --split-idle proportional
  ! tare: --compare shows what was used: it does not go with --split-idle
  !       See: tare report --help
  [2]

Rows that are left out are a row in every format, and a line with --limit.

  $ tare report --by job --top 2
  14 days to 2026-03-15 · effective cost, USD · 840.0 GPU·h paid · 26 % measured,
  74 % estimated
  
  job       GPU·h    cost   busy  underused   idle  lost  unknown
  (nobody)  625.0  585.00      -          -  100 %     -        -
  j1         48.0   48.00  100 %        0 %    0 %   0 %      0 %
  (5 more)  167.0  131.00   86 %       14 %    0 %   0 %      0 %
  ───────────────────────────────────────────────────────────────
            840.0  764.00   23 %        3 %   74 %   0 %      0 %
  
  Bill 8.00 · ledger 8.00 · difference 0.00 · unpriced 0 GPU·h
  A further 756.00 is on no bill: priced from the catalogue, node records or at
  import.
  Idle alone costs 577.00 USD in these 14 days. Most of it: (nobody), 577.00, paid
  for and held by nobody (tare report --by node --sort waste).

  $ tare report --by job --top 2 -o csv | cut -d, -f1-4
  job,currency,gpu_seconds,cost
  ,USD,2250000,585
  j1,USD,172800,48
  (rest),USD,601200,131

  $ tare report --by job --top 2 -o json | python3 -c "import json,sys; d = json.load(sys.stdin); print([(r['job'], r.get('rest_rows'), r['cost']) for r in d['rows']], d['total']['cost'])"
  [(None, None, '585'), ('j1', None, '48'), (None, 5, '131')] 764

  $ tare report --by job --top 2 --limit 2
  ! tare: --top and --limit both say how many rows
  !       --top N has a row of the rest in every format, --limit N leaves the rest out of CSV and JSON rows
  [2]

Columns.

  $ tare report --by team --pivot week
  14 days to 2026-03-15 · effective cost, USD · 840.0 GPU·h paid · 26 % measured,
  74 % estimated
  
  team         W10     W11   total
  (nobody)  264.00  313.00  577.00
  vision     51.00   53.00  104.00
  nlp        24.00   47.00   71.00
  search      0.00   12.00   12.00
  ────────────────────────────────
            339.00  425.00  764.00
  
  Bill 8.00 · ledger 8.00 · difference 0.00 · unpriced 0 GPU·h
  A further 756.00 is on no bill: priced from the catalogue, node records or at
  import.

  $ tare report --by team --pivot day | head -9
  14 days to 2026-03-15 · effective cost, USD · 840.0 GPU·h paid · 26 % measured,
  74 % estimated
  
  team      (7 before)  03-09  03-10  03-11  03-12  03-13  03-14  03-15  total
  (nobody)         264     24     12     48     60     60     60     49    577
  vision            51     24     24      0      0      5      0      0    104
  nlp               24     12     12     12      0      0      0     11     71
  search             0      0     12      0      0      0      0      0     12
  ────────────────────────────────────────────────────────────────────────────

  $ tare report --by gpu_model --pivot team -o csv
  gpu_model,currency,(nobody),vision,nlp,search,total
  L4,USD,529,96,35,12,672
  A10,USD,48,0,36,0,84
  ,USD,0,8,0,0,8

  $ tare report --by gpu_model --pivot team --where team!=vision -o json | python3 -c "
  > import json, sys
  > d = json.load(sys.stdin)
  > print(d['pivot_by'], d['total']['pivot'])
  > for r in d['rows']:
  >     print(r['gpu_model'], r['cost'], [(c['value'], c['cost']) for c in r['pivot']])
  > "
  team [{'value': None, 'cost': '577', 'gpu_seconds': '2250000'}, {'value': 'nlp', 'cost': '71', 'gpu_seconds': '385200'}, {'value': 'search', 'cost': '12', 'gpu_seconds': '43200'}]
  L4 576 [(None, '529'), ('nlp', '35'), ('search', '12')]
  A10 84 [(None, '48'), ('nlp', '36'), ('search', '0')]

  $ tare report --by team --pivot team
  ! tare: dimension 'team' is named twice
  !       See: tare report --help
  [2]

Days in their order without holes: a day in which a team paid for nothing cost 0, a day that nobody recorded is not known.

  $ tare report --by team,day --where team=nlp,search -o csv | cut -d, -f1-5
  team,day,currency,gpu_seconds,cost
  nlp,2026-03-02,USD,86400,24
  nlp,2026-03-03,USD,0,0
  nlp,2026-03-04,USD,0,0
  nlp,2026-03-05,USD,0,0
  nlp,2026-03-06,USD,0,0
  nlp,2026-03-07,USD,0,0
  nlp,2026-03-08,USD,0,0
  nlp,2026-03-09,USD,86400,12
  nlp,2026-03-10,USD,86400,12
  nlp,2026-03-11,USD,86400,12
  nlp,2026-03-12,USD,0,0
  nlp,2026-03-13,USD,0,0
  nlp,2026-03-14,USD,0,0
  nlp,2026-03-15,USD,39600,11
  search,2026-03-02,USD,0,0
  search,2026-03-03,USD,0,0
  search,2026-03-04,USD,0,0
  search,2026-03-05,USD,0,0
  search,2026-03-06,USD,0,0
  search,2026-03-07,USD,0,0
  search,2026-03-08,USD,0,0
  search,2026-03-09,USD,0,0
  search,2026-03-10,USD,43200,12
  search,2026-03-11,USD,0,0
  search,2026-03-12,USD,0,0
  search,2026-03-13,USD,0,0
  search,2026-03-14,USD,0,0
  search,2026-03-15,USD,0,0

  $ tare report --by day --since 2026-02-28 --until 2026-03-04
  4 days to 2026-03-03 · effective cost, USD · 96.0 GPU·h paid · 75 % measured, 25
  % estimated
  
  day         GPU·h   cost  busy  underused  idle  lost  unknown
  2026-02-28      -      -     -          -     -     -        -
  2026-03-01      -      -     -          -     -     -        -
  2026-03-02   48.0  48.00  50 %       50 %   0 %   0 %      0 %
  2026-03-03   48.0  51.00  50 %        0 %  50 %   0 %      0 %
  ──────────────────────────────────────────────────────────────
               96.0  99.00  50 %       25 %  25 %   0 %      0 %
  
  Bill 3.00 · ledger 3.00 · difference 0.00 · unpriced 0 GPU·h
  A further 96.00 is on no bill: priced from the catalogue, node records or at
  import.
  Idle alone costs 24.00 USD in these 4 days. Most of it: 2026-03-03, 24.00, paid
  for and held by nobody
  (tare report --since 2026-02-28 --until 2026-03-04 --by node --sort waste).

  $ tare report --by day --since 2026-02-28 --until 2026-03-04 -o json | python3 -c "import json,sys; print([(r['day'], r['gpu_seconds'], r['cost']) for r in json.load(sys.stdin)['rows']])"
  [('2026-02-28', None, None), ('2026-03-01', None, None), ('2026-03-02', '172800', '48'), ('2026-03-03', '172800', '51')]

  $ tare report --by day --where day=2026-03-05 -o csv | cut -d, -f1-4
  day,currency,gpu_seconds,cost
  2026-03-05,USD,172800,48

  $ for d in week quarter service cloud_service account instance_type commitment zone; do tare report --by $d -o csv | cut -d, -f1-4 | tail -n +2; done
  2026-W10,USD,1209600,339
  2026-W11,USD,1814400,425
  2026-Q1,USD,3024000,764
  ,USD,3024000,764
  ,USD,3024000,756
  Amazon Elastic Block Store,USD,0,8
  ,USD,3024000,756
  1,USD,0,8
  ,USD,3024000,764
  ,USD,3024000,764
  ,USD,3024000,764

A course beside each row: from 0 to its own highest.

  $ COLUMNS=100 tare report --trend --by team | sed -n '3,8p'
  team      GPU·h    cost   busy  underused   idle  lost  unknown  by day
  (nobody)  625.0  577.00      -          -  100 %     -        -  ▁▄▇▇▇▇▇▄▃▇███▇
  vision     96.0  104.00  100 %        0 %    0 %   0 %      0 %  ██▁▁▁▁▁██▁▁▃▁▁
  nlp       107.0   71.00   78 %       22 %    0 %   0 %      0 %  █▁▁▁▁▁▁▅▅▅▁▁▁▅
  search     12.0   12.00  100 %        0 %    0 %   0 %      0 %  ▁▁▁▁▁▁▁▁█▁▁▁▁▁
  ───────────────────────────────────────────────────────────────────────────────

  $ tare report --trend --by team --where team=nlp --since 2026-03-09 -o json | python3 -c "import json,sys; r = json.load(sys.stdin)['rows'][0]; print(r['team'], [(c['value'], c['cost']) for c in r['trend']])"
  nlp [('2026-03-09', '12'), ('2026-03-10', '12'), ('2026-03-11', '12'), ('2026-03-12', '0'), ('2026-03-13', '0'), ('2026-03-14', '0'), ('2026-03-15', '11')]

Views.

  $ tare report --views
  No views yet. Save one: tare report --by team --since month --save NAME

  $ tare report --by team --where team=nlp --pivot week -o csv --save nlp-weeks
  team,currency,2026-W10,2026-W11,total
  nlp,USD,24,47,71
  ! Saved: tare report @nlp-weeks

  $ tare report @nlp-weeks
  team,currency,2026-W10,2026-W11,total
  nlp,USD,24,47,71

  $ tare report @nlp-weeks -o table --by job | sed -n '3,4p'
  
  job    W10    W11  total

  $ tare report --views -o csv
  name,options,file
  nlp-weeks,'--by team --where team=nlp --pivot week --output csv,$TMP/home/.config/tare/views.yaml

  $ tare report @nlp-week
  ! tare: there is no view 'nlp-week'
  !       Did you mean: tare report @nlp-weeks
  [2]

  $ printf 'version: 1\nviews:\n  idle:\n    by: [team, job]\n    srt: waste\n' > mine.yaml

  $ tare report --config mine.yaml @idle
  ! tare: 'mine.yaml' line 3: view 'idle' has an option 'srt' that tare report does not know
  !       Did you mean: sort
  [2]

  $ printf 'version: 1\nviews:\n  idle:\n    by: [team, gpu_model]\n    sort: name\n    output: csv\n    trend: false\n' > mine.yaml

  $ tare report --config mine.yaml @idle | cut -d, -f1-4
  team,gpu_model,currency,gpu_seconds
  ,A10,USD,345600
  ,L4,USD,1904400
  nlp,A10,USD,259200
  nlp,L4,USD,126000
  search,L4,USD,43200
  vision,,USD,0
  vision,L4,USD,345600

  $ tare report --config mine.yaml --by team --save idle -q > /dev/null
  ! tare: the view 'idle' stands in 'mine.yaml'
  !       Change it there, or take another name
  [2]

  $ tare report --forget nlp-weeks
  ! Forgotten: @nlp-weeks

  $ tare report --save 'no name' > /dev/null
  ! tare: --save: 'no name' is not a name of a view
  !       Letters, digits, '-', '_' and '.', at most 60 of them
  [2]

  $ tare report --top 3 --save ../x > /dev/null
  ! tare: --save: '../x' is not a name of a view
  !       Letters, digits, '-', '_' and '.', at most 60 of them
  [2]

A month that is not over, or not all there: the heading names the days that there are, of the report and of the comparison.

  $ tare report --since 2026-03-01 --until 2026-04-01 | head -1; tare report --kpi --since 2026-03-01 --until 2026-04-01 | head -1; tare report --since 2026-03-09 --until 2026-04-01 --compare previous 2>&1 | head -2
  15 days to 2026-03-15 · effective cost, USD · 840.0 GPU·h paid · 26 % measured,
  15 days to 2026-03-15 · effective cost, USD
  2026-03-09 to 2026-03-15 (7 days) beside 2026-02-14 to 2026-03-08 (23 days) ·
  effective cost, USD

A GPU at 1 an hour from January to 10 October, and a tax of 31 for all of October. Before a whole quarter, month or year "previous" is the
calendar's one before; what of the tax falls behind the last record is told.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\na,own,eu,L4,1,on_demand,2026-01-01T00:00:00Z,2026-10-11T00:00:00Z,1\n' > year.csv
  > { head -1 bill.csv; echo '31,31,31,31,USD,1,Tax,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,AWS,Tax,Other,,,VAT,'; } > tax.csv
  > tare import -q --db year year.csv tax.csv
  $ for w in '--since 2026-Q3 --compare previous' '--since 2026-08 --compare previous' '--since 2026-03-02 --until 2026-03-04 --compare previous' '--since 2026-Q2 --compare lastquarter' '--compare lastquarter'; do echo "$w: $(tare report --db year $w -o json | python3 -c 'import json, sys; w = json.load(sys.stdin)["compare_windows"]; print(*[w[k][:10] for k in ("before_since", "before_until", "now_since", "now_until")])')"; done
  --since 2026-Q3 --compare previous: 2026-04-01 2026-07-01 2026-07-01 2026-10-01
  --since 2026-08 --compare previous: 2026-07-01 2026-08-01 2026-08-01 2026-09-01
  --since 2026-03-02 --until 2026-03-04 --compare previous: 2026-02-28 2026-03-02 2026-03-02 2026-03-04
  --since 2026-Q2 --compare lastquarter: 2026-01-01 2026-04-01 2026-04-01 2026-07-01
  --compare lastquarter: 2026-07-01 2026-07-11 2026-10-01 2026-10-11
  $ tare report --db year --since 2026-10 --compare lastmonth
  2026-10-01 to 2026-10-10 (10 days) beside 2026-09-01 to 2026-09-30 (30 days) ·
  effective cost, USD · not of one length: the 720 h before are scaled to the 240
  h now
  
  team      before     now  change     %   other
  (nobody)  240.00  250.00  +10.00  +4 %  +10.00
  ──────────────────────────────────────────────
            240.00  250.00  +10.00  +4 %  +10.00
  
  Up 10.00 USD (+4 %): other +10.00. The largest change: (nobody), +10.00: other
  +10.00
  (tare report --db year --since 2026-10 --by cloud_service --where team='' --compare lastmonth).
  Not scaled: 720.00 USD in the 720 h before, 250.00 in the 240 h now, -470.00
  (-65 %).
  A further 21.00 USD of the window now is charged for hours that nobody has
  recorded yet (after 2026-10-11 00:00 UTC, as by fees of all of a month): in no
  figure above.
  Without readings in both windows nobody knows how busy the time was: volume is
  by paid GPU-hours, efficiency is not known.
