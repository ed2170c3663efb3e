A report as a workbook, read back from its XML and compared with the CSV, to the last digit: two
currencies, an amount of 19 digits (more than a spreadsheet keeps), names that a spreadsheet would
run, hours and days as dates.

  $ { echo 'BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ProviderName,ServiceCategory,ServiceName,Tags'
  > echo '1234567890.123456789,1234567890.123456789,USD,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,Usage,vol-1,AWS,Storage,S3,"{""team"":""=cmd|calc""}"'
  > echo '5.25,5.25,USD,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Usage,vol-2,AWS,Storage,S3,"{""team"":""<b>&\u0001""}"'
  > echo '-0.1,-0.1,USD,2024-09-02T00:00:00Z,2024-09-02T01:00:00Z,Credit,vol-2,AWS,Storage,S3,"{""team"":""x""}"'
  > echo '7,7,EUR,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Usage,vol-3,AWS,Storage,S3,"{""team"":""x""}"'; } > bill.csv
  > printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\nn1,aws,us-east-1,A100-SXM4-80GB,3,on_demand,2024-09-01T00:00:00Z,2024-09-01T05:00:00Z,main,10.01\nn2,aws,us-east-1,A100-SXM4-80GB,1,on_demand,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,main,\n' > nodes.csv
  > printf 'job_id,team,gpus,node,cluster,start,end\n1,vision,1,n1,main,2024-09-01T00:00:00Z,2024-09-01T05:00:00Z\n2,x,1,n2,main,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z\n' > jobs.csv
  > tare import -q --db db bill.csv nodes.csv jobs.csv
  $ tare report --db db --by team -o xlsx > r.xlsx; tare report --db db --by team -o csv --raw > r.csv; python3 $FILES/files/xlsx.py r.xlsx r.csv
  sheet USD: 7 rows frozen head filter
    columns: team gpu_hours gpu_seconds cost cost exact direct_cost direct_cost exact idle_share_cost other_cost other_cost exact waste_cost unpriced_gpu_seconds measured_gpu_seconds busy_gpu_seconds busy_cost underused_gpu_seconds underused_cost idle_held_gpu_seconds idle_held_cost idle_empty_gpu_seconds idle_empty_cost unallocated_gpu_seconds unallocated_cost lost_gpu_seconds lost_cost overhead_gpu_seconds overhead_cost unknown_gpu_seconds unknown_cost
    total row: True (15 sums)
    the same as CSV: True (5 rows)
  sheet EUR: 3 rows frozen head filter
    columns: team gpu_hours gpu_seconds cost direct_cost idle_share_cost other_cost waste_cost unpriced_gpu_seconds measured_gpu_seconds busy_gpu_seconds busy_cost underused_gpu_seconds underused_cost idle_held_gpu_seconds idle_held_cost idle_empty_gpu_seconds idle_empty_cost unallocated_gpu_seconds unallocated_cost lost_gpu_seconds lost_cost overhead_gpu_seconds overhead_cost unknown_gpu_seconds unknown_cost
    total row: True (25 sums)
    the same as CSV: True (1 rows)
  sheet about: 6 rows  
  $ cut -d, -f1-3 r.csv
  team,currency,gpu_seconds
  =cmd|calc,USD,0
  ,USD,36000
  vision,USD,18000
  <b>&,USD,0
  x,USD,3600
  x,EUR,0
  $ tare report --db db --by day,hour,team,kind -o xlsx > r.xlsx; tare report --db db --by day,hour,team,kind -o csv --raw > r.csv; python3 $FILES/files/xlsx.py r.xlsx r.csv | grep -v columns
  sheet USD: 16 rows frozen head filter
    total row: True (15 sums)
    the same as CSV: True (14 rows)
  sheet EUR: 3 rows frozen head filter
    total row: True (25 sums)
    the same as CSV: True (1 rows)
  sheet about: 6 rows  
  $ tare report --db db --by team --split-idle proportional -o xlsx > r.xlsx; tare report --db db --by team --split-idle proportional -o csv --raw > r.csv; python3 $FILES/files/xlsx.py r.xlsx r.csv | grep same
    the same as CSV: True (4 rows)
    the same as CSV: True (1 rows)
  $ tare report --db db --by team --limit 1 -o xlsx > r.xlsx; python3 $FILES/files/xlsx.py r.xlsx | grep -v columns
  sheet USD: 4 rows frozen head filter
    total row: True (15 sums)
  sheet EUR: 3 rows frozen head filter
    total row: True (25 sums)
  sheet about: 6 rows  
  $ tare report --db db --by team --since 2024-09-01 --until 2024-09-02 -o xlsx > a.xlsx; tare report --db db --by team --since 2024-09-01 --until 2024-09-02 -o xlsx > b.xlsx; cmp a.xlsx b.xlsx; python3 $FILES/files/xlsx.py a.xlsx -v | sed -n '/about/,$p'
  sheet about: 6 rows  
     USD | 1 day to 2024-09-01 · effective cost, USD · 16.0 GPU·h paid · 0 % measured, 63 % assumed
     None | Bill 1,234,567,895.37 · ledger 1,234,567,895.37 · difference 0.00 · unpriced 0 GPU·h A further 55.17 is on no bill: priced from the catalogue, node records or at import.
     EUR | 1 day to 2024-09-01 · effective cost, EUR · no GPU time
     None | Bill 7.00 · ledger 7.00 · difference 0.00 · unpriced 0 GPU·h
     numbers | An amount is a number where its decimal has at most 15 digits, which spreadsheets keep; where one has more, the column 'exact' behind it has its text. Empty is unknown, not zero.
     made by | tare 0.1.0
  $ tare report --db db --since 2025-01-01 --until 2025-01-02 -o xlsx > r.xlsx; python3 $FILES/files/xlsx.py r.xlsx | grep sheet
  sheet USD: 1 rows frozen head 
  sheet about: 3 rows  

Beside another window, with columns of a dimension, with a course over time, and the first rows with one of the rest: the same as CSV too.

  $ for o in '--compare previous --since 2024-09-01T01:00:00Z --until 2024-09-01T02:00:00Z' '--pivot kind' '--pivot day --top 1' --trend '--top 1 --by team,day'; do tare report --db db $o -o xlsx > r.xlsx; tare report --db db $o -o csv --raw > r.csv; python3 $FILES/files/xlsx.py r.xlsx r.csv | grep -v -e columns -e about; done
  sheet USD: 7 rows frozen head filter
    total row: True (12 sums)
    the same as CSV: True (5 rows)
  sheet EUR: 3 rows frozen head filter
    total row: True (12 sums)
    the same as CSV: True (1 rows)
  sheet USD: 7 rows frozen head filter
    total row: True (4 sums)
    the same as CSV: True (5 rows)
  sheet EUR: 3 rows frozen head filter
    total row: True (4 sums)
    the same as CSV: True (1 rows)
  sheet USD: 4 rows frozen head filter
    total row: True (3 sums)
    the same as CSV: True (2 rows)
  sheet EUR: 3 rows frozen head filter
    total row: True (3 sums)
    the same as CSV: True (1 rows)
  sheet USD: 7 rows frozen head filter
    total row: True (21 sums)
    the same as CSV: True (5 rows)
  sheet EUR: 3 rows frozen head filter
    total row: True (31 sums)
    the same as CSV: True (1 rows)
  sheet USD: 4 rows frozen head filter
    total row: True (15 sums)
    the same as CSV: True (2 rows)
  sheet EUR: 3 rows frozen head filter
    total row: True (25 sums)
    the same as CSV: True (1 rows)
  $ tare report --db db --compare previous --since 2024-09-01T01:00:00Z --until 2024-09-01T02:00:00Z -o xlsx > r.xlsx; python3 $FILES/files/xlsx.py r.xlsx -v | sed -n '/about/,$p'
  sheet about: 7 rows  
     USD | 2024-09-01 01:00 to 2024-09-01 02:00 UTC (1 h) beside 2024-09-01 00:00 to 2024-09-01 01:00 UTC (1 h) · effective cost, USD
     None | Down 1,234,567,900.49 USD (-100 %): other -1,234,567,895.37, volume -5.12. The largest change: =cmd|calc, -1,234,567,890.12: other -1,234,567,890.12 (tare report --db db --since 2024-09-01T01:00:00Z --until 2024-09-01T02:00:00Z --by cloud_service --where team='=cmd|calc' --compare previous).
     None | Without readings in both windows nobody knows how busy the time was: volume is by paid GPU-hours, efficiency is not known.
     EUR | 2024-09-01 01:00 to 2024-09-01 02:00 UTC (1 h) beside 2024-09-01 00:00 to 2024-09-01 01:00 UTC (1 h) · effective cost, EUR
     None | Down 7.00 EUR (-100 %): other -7.00. The largest change: x, -7.00: other -7.00 (tare report --db db --since 2024-09-01T01:00:00Z --until 2024-09-01T02:00:00Z --by cloud_service --where team=x --compare previous).
     numbers | An amount is a number where its decimal has at most 15 digits, which spreadsheets keep; where one has more, the column 'exact' behind it has its text. Empty is unknown, not zero.
     made by | tare 0.1.0

The journal of a chargeback: its lines add up to the bill.

  $ tare report --db db --chargeback --split-idle proportional -o xlsx > r.xlsx; python3 $FILES/files/xlsx.py r.xlsx | grep -v 'direct_cost'
  sheet USD: 9 rows frozen head filter
    columns: team line kind gpu_hours amount amount exact currency basis split_idle cost_center since until
    total row: True (2 sums)
  sheet EUR: 3 rows frozen head filter
    columns: team line kind gpu_hours amount currency basis split_idle cost_center since until
    total row: True (2 sums)
  sheet about: 4 rows  
  $ tare report --db db --chargeback --html r.html -o xlsx
  ! tare: -o xlsx writes the rows of a report or a --chargeback, no other view
  !       See: tare report --help
  [2]

A file alone, of a report alone.

  $ script -qec 'tare report --db db -o xlsx' /dev/null | tr -d '\r'
  tare: an xlsx file is nothing for a terminal
        Write it to a file: tare report -o xlsx > report.xlsx
  $ tare report --db db --kpi -o xlsx
  ! tare: -o xlsx writes the rows of a report or a --chargeback, no other view
  !       See: tare report --help
  [2]
  $ tare price -o xlsx
  ! tare: only tare report writes xlsx
  !       See: tare price --help
  [2]
  $ TMPDIR=/nonexistent tare report --db db -o xlsx
  ! tare: cannot make a temporary file in '/nonexistent': No such file or directory
  !       Name a folder that can be written: TMPDIR=DIR
  [2]
  $ ls
  a.xlsx
  b.xlsx
  bill.csv
  db
  jobs.csv
  nodes.csv
  r.csv
  r.xlsx

What cannot be is said in a sentence.

  $ tare report --db db --views -o xlsx
  ! tare: -o xlsx writes the rows of a report, not --views
  !       See: tare report --help
  [2]
  $ tare report --db db --html - -o json
  ! tare: --html - writes to standard output, where -o json would: leave one out
  !       See: tare report --help
  [2]
  $ tare report --db db --focus - -o md
  ! tare: --focus - writes to standard output, where -o md would: leave one out
  !       See: tare report --help
  [2]
