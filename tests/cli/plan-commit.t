One question each, without a store: commitments from demand by the hour, reserved against on demand, rent or own.

The seeds' numbers: 8 x p3.2xlarge in months of 30 days.

  $ tare plan reserved --on-demand 3.06 --reserved-1y 1.82 --reserved-3y 1.31 --instances 8 --hours-month 720
  8 instances at 3.06 $/h on demand, 720 h a month
  
  offer       term  upfront    $/month    $ a year       saves          pays off
  on demand                  17,625.60  211,507.20
  1y         12 mo     0.00  10,483.20  125,798.40   85,708.80  40.5 %     429 h
  3y         36 mo     0.00   7,545.60   90,547.20  120,960.00  57.2 %     309 h
  
  "saves": $ a year. "pays off": from so many hours used a month on, of each instance.
  Least over its term: 3y, if the machines are needed that long.
  $ tare plan reserved --on-demand 3.06 --reserved-1y 1.82 --reserved-3y 1.31 --instances 8 --hours-month 720 -o json
  {"schema":"tare.plan-reserved/1","instances":8,"hours_month":720,"util_frac":1,"on_demand_hour":"3.06","on_demand_month":"17625.6","on_demand_year":"211507.2","offers":[{"name":"1y","term_months":12,"upfront_instance":"0","hour_instance":"1.82","month":"10483.2","upfront":"0","total":"125798.4","annual":"125798.4","saving":"85708.8","saving_year":"85708.8","saving_frac":0.405229,"break_even_hours_month":428.235294,"break_even_months":0,"upfront_capital_cost":"0","saving_after_capital_frac":0.405229},{"name":"3y","term_months":36,"upfront_instance":"0","hour_instance":"1.31","month":"7545.6","upfront":"0","total":"271641.6","annual":"90547.2","saving":"362880","saving_year":"120960","saving_frac":0.571895,"break_even_hours_month":308.235294,"break_even_months":0,"upfront_capital_cost":"0","saving_after_capital_frac":0.571895}],"best":"3y"}
  $ tare plan reserved --on-demand 3.06 --upfront-1y 7500 --reserved-1y 0.86 --util 0.67 --wacc 0.08 --offer 'all upfront:12:15200:0'
  1 instance at 3.06 $/h on demand, 730 h a month, used 67 % of them
  
  offer         term    upfront   $/month   $ a year     saves          pays off
  on demand                      1,496.65  17,959.75
  1y           12 mo   7,500.00    627.80  15,033.60  2,926.15  16.3 %     410 h
  all upfront  12 mo  15,200.00      0.00  15,200.00  2,759.75  15.4 %     414 h
  
  1y: 7,500.00 upfront is back after 8.6 months; it costs 300.00 of capital over the term.
  all upfront: 15,200.00 upfront is back after 10.2 months; it costs 608.00 of capital over the term.
  "saves": $ a year. "pays off": from so many hours used a month on, of each instance.
  Least over its term: 1y, if the machines are needed that long.

Wrong or missing numbers say which.

  $ tare plan reserved --reserved-1y 1.82
  ! tare: --on-demand is needed
  !       See: tare plan reserved --help
  [2]
  $ tare plan reserved --on-demand 3.06
  ! tare: no offer: give --reserved-1y, --reserved-3y or --offer
  !       See: tare plan reserved --help
  [2]
  $ tare plan reserved --on-demand 3,06 --reserved-1y 1.82
  ! tare: --on-demand: '3,06' is not an amount from 1e-06 to 1000000, such as 3.06
  [2]
  $ tare plan reserved --on-demand -1 --reserved-1y 1.82
  ! tare: --on-demand: '-1' is not an amount from 1e-06 to 1000000, such as 3.06
  [2]
  $ tare plan reserved --on-demand 3.06 --reserved-1y 1.82 --util 2
  ! tare: --util: '2' is not a share from 0 to 1, such as 0.67
  [2]
  $ tare plan reserved --on-demand 3.06 --reserved-1y 1.82 --hours-month 800
  ! tare: --hours-month: '800' is not a number of hours up to 744, such as 720
  [2]
  $ tare plan reserved --on-demand 3.06 --offer partial:12
  ! tare: --offer: 'partial:12' is not an offer
  !       Write NAME:MONTHS:UPFRONT:HOUR, for example 'partial:12:7500:0.91'
  [2]
  $ tare plan reserved --on-demand 3.06 --reserved-1y 1.82 --instances many
  ! tare: --instances: 'many' is not a number of machines from 1 to 1000000, such as 8
  [2]

Rent or own.

  $ tare plan own --purchase 30000 --residual 3000 --years 4 --power-w 700 --idle-power-w 100 --usd-kwh 0.12 --other-month 150 --cloud 3.5 --util 0.6
  Own    724.76 $/month (730 h) whether used or not, and 0.1008 $ for each hour used
         1.0936 $/h when it never stops
  Rent   3.5 $/h
  
  Owning costs less above 29.2 % use (213 h a month).
  Used 60 %: own 768.91, rent 1,533.00 $/month: owning saves 764.09.
  The purchase is paid back after 22.6 months.
  $ tare plan own --purchase 30000 --cloud 2.2 --wacc 0.08 -o json
  {"schema":"tare.plan-own/1","month_hours":730,"own_fixed_month":"725","own_hour_full":"0.993151","rent_hour":"2.2","break_even_util_frac":0.451432,"break_even_hours_month":329.545455,"util_frac":null,"own_month":null,"rent_month":null,"saving_month":null,"own_hour_used":null,"payback_months":null,"answer":null}
  $ tare plan own --purchase 30000 --cloud 0.4 --util 1
  Own    625.00 $/month (730 h) whether used or not
         0.8562 $/h when it never stops
  Rent   0.4 $/h
  
  Renting costs less, even for a GPU that never stops.
  Used 100 %: own 625.00, rent 292.00 $/month: renting saves 333.00.
  The purchase is not paid back within 4 years.
  $ tare plan own --purchase 30000 --cloud 3 --power-w 700
  ! tare: --power-w needs --usd-kwh: what a kilowatt-hour costs is not known
  [2]
  $ tare plan own --purchase 30000 --cloud 3 --util 60
  ! tare: --util: '60' is not a number from 0 to 1, such as 0.6
  [2]
  $ tare plan own --purchase 30000
  ! tare: --purchase and --cloud are needed
  !       See: tare plan own --help
  [2]

Commitments: four weeks of 10 units, half as many again on weekdays by day; two hours are missing and count as 0.

  $ python3 - > hours.csv <<'PY'
  > print("time,units")
  > for h in range(24 * 28):
  >     if h not in (100, 101):
  >         print("2026-09-%02dT%02d:00:00Z,%d" % (1 + h // 24, h % 24, 15 if h // 24 % 7 < 5 and 8 <= h % 24 < 20 else 10))
  > PY
  $ tare plan commit --demand hours.csv --rate-frac 0.6 --term 168h --compare
  672 hours of demand; amounts in hours of one unit on demand
  
  2 of these hours have no row or no value and count as 0.
  
  rule                       on-demand h   ratio  coverage     used  purchases
  tare                             5,328  1.0183    81.8 %   99.7 %          4
  on_demand                        7,900  1.5099     0.0 %        -          0
  break_even                       6,224  1.1896    53.0 %  100.0 %          5
  seven_day                        5,328  1.0183    81.8 %   99.7 %          4
  seven_day_quarter                6,034  1.1534    59.3 %   99.7 %         26
  seven_and_28_day                 5,328  1.0183    81.8 %   99.7 %          4
  ────────────────────────────────────────────────────────────────────────────
  optimum, known afterwards        5,232  1.0000    84.8 %   99.7 %          4
  
  A unit at 60.0 % over 168 h pays off when used 101 h of them (438 h of a 730 h month).
  
  Purchases
  hour  date        units  term     rate
    24  2026-09-02     10  168 h  60.0 %
   192  2026-09-09     10  168 h  60.0 %
   360  2026-09-16     10  168 h  60.0 %
   528  2026-09-23     10  168 h  60.0 %
  $ tare plan commit --demand hours.csv --rate-frac 0.6 --term 168h -o json
  {"schema":"tare.plan-commit/1","policy":"tare","hours":672,"hours_without_row":2,"unit":"on-demand hours of one unit","cost":"5328","on_demand_cost":"7900","optimum_cost":"5232","ratio":1.018349,"coverage_frac":0.817722,"utilisation_frac":0.996914,"terms":[{"term_hours":168,"rate_frac":0.6,"break_even_hours":100.8,"static_level_hindsight":10}],"purchases":[{"hour":24,"time":"2026-09-02T00:00:00Z","term_hours":168,"rate_frac":0.6,"units":10},{"hour":192,"time":"2026-09-09T00:00:00Z","term_hours":168,"rate_frac":0.6,"units":10},{"hour":360,"time":"2026-09-16T00:00:00Z","term_hours":168,"rate_frac":0.6,"units":10},{"hour":528,"time":"2026-09-23T00:00:00Z","term_hours":168,"rate_frac":0.6,"units":10}]}
  $ tare plan commit --demand hours.csv --rate-frac 0.6,0.5 --term 168h,336h --on-demand 3.06 -o csv
  hour,term_hours,rate_frac,units
  24,336,0.5,10
  360,336,0.5,10
  $ tare plan commit --demand hours.csv --rate-frac 0.6 --term 168h --policy on_demand --on-demand 3.06
  672 hours of demand
  
  2 of these hours have no row or no value and count as 0.
  
  rule                             USD   ratio  coverage    used  purchases
  on_demand                  24,174.00  1.5099     0.0 %       -          0
  ─────────────────────────────────────────────────────────────────────────
  optimum, known afterwards  16,009.92  1.0000    84.8 %  99.7 %          4
  
  A unit at 60.0 % over 168 h pays off when used 101 h of them (438 h of a 730 h month).
  
  Nothing to buy.

Offers with money upfront: what the rule would have bought all along, and what to hold from now on under a cap.

  $ tare plan commit --demand hours.csv --on-demand 3.06 --offer none:1y:0:1.95 --offer part:1y:7500:0.9 --offer all:1y:15000:0 --offer long:3y:0:1.31 --wacc 0.08 --upfront-cap 50000 --outdated 0.2
  672 hours of demand
  
  2 of these hours have no row or no value and count as 0.
  
  rule                             USD   ratio  coverage     used  purchases
  tare                       18,714.00  1.5001    39.5 %  100.0 %          1
  on_demand                  24,174.00  1.9378     0.0 %        -          0
  ──────────────────────────────────────────────────────────────────────────
  optimum, known afterwards  12,475.20  1.0000    84.8 %   99.7 %          1
  
  A unit at 63.7 % over 8760 h pays off when used 5583 h of them (466 h of a 730 h month).
  
  A unit at 58.5 % over 8760 h pays off when used 5126 h of them (428 h of a 730 h month).
  
  A unit at 58.2 % over 8760 h pays off when used 5099 h of them (425 h of a 730 h month).
  
  A unit at 42.8 % over 26280 h pays off when used 11251 h of them (313 h of a 730 h month).
  
  To hold from now on, by the forecast at the end of these hours: 10 units
  offer  units     $/h  pays off    upfront
  none       0  1.9500    71.1 %       0.00
  part       6  1.7904    65.3 %  45,000.00
  all        0  1.7808    64.9 %       0.00
  long       4  1.3100    58.7 %       0.00
  "pays off": share of its hours that a unit must be used; $/h with upfront money and what it costs.
  
  Purchases
  hour  date        units  term       rate
   360  2026-09-16     10  26280 h  42.8 %
  $ tare plan commit --demand hours.csv --on-demand 3.06 --offer none:1y:0:1.95 --offer all:1y:15000:0 --upfront-cap 50000 -o json | tr ',' '\n' | grep -A 100 today | head -22 | tr '\n' ','
  "today":{"units":10,"upfront":"45000","coverage_frac":0.848101,"utilisation_frac":0.997024,"expected_saving_hour":"11.714354","offers":[{"name":"none","units":7,"effective_hour":1.95,"break_even_frac":0.637255},{"name":"all","units":3,"effective_hour":1.712328767,"break_even_frac":0.559585}]},"purchases":[{"hour":288,"time":"2026-09-13T00:00:00Z","term_hours":8760,"rate_frac":0.559584564,"units":10}]}, (no newline)
  $ tare plan commit --demand hours.csv --offer none:1y:0:1.95
  ! tare: --offer needs --on-demand: its prices are compared with that
  [2]
  $ tare plan commit --demand hours.csv --on-demand 3.06 --offer none:1y:0
  ! tare: --offer: 'none:1y:0' is not an offer
  !       Write NAME:TERM:UPFRONT:HOUR, for example 'partial:1y:7500:0.91'
  [2]
  $ tare plan commit --demand hours.csv --on-demand 3.06 --offer dear:1y:20000:2
  ! tare: --offer: 'dear' costs 4.28311 an hour with its upfront money, and on demand 3.06
  [2]
  $ tare plan commit --demand hours.csv --on-demand 3.06 --offer none:1y:0:1.95 --wacc 8
  ! tare: --wacc: '8' is not a number from 0 to 1, such as 0.08
  [2]

No demand at all is an answer.

  $ printf 'time,units\n0,0\n1,0\n' > none.csv; tare plan commit --demand none.csv --rate-frac 0.6 --term 24h
  2 hours of demand; amounts in hours of one unit on demand
  
  rule                       on-demand h  ratio  coverage  used  purchases
  tare                                 0      -         -     -          0
  on_demand                            0      -     0.0 %     -          0
  ────────────────────────────────────────────────────────────────────────
  optimum, known afterwards            0      -         -     -          0
  
  A unit at 60.0 % over 24 h pays off when used 15 h of them (438 h of a 730 h month).
  
  Nothing to buy.

Wrong input.

  $ tare plan commit --demand hours.csv
  ! tare: --rate-frac and --term are needed, or --offer, or --instance
  !       See: tare plan commit --help
  [2]
  $ tare plan commit --demand hours.csv --rate-frac 1.2 --term 720h
  ! tare: --rate-frac: '1.2' is not a share of the on-demand price between 0 and 1
  [2]
  $ tare plan commit --demand hours.csv --rate-frac 0.6,0.5 --term 720h
  ! tare: --rate-frac and --term want as many values as each other
  [2]
  $ tare plan commit --demand hours.csv --rate-frac 0.6 --term 90m
  ! tare: --term: '90m' is not a duration of whole hours up to ten years, such as 720h or 1y
  [2]
  $ tare plan commit --demand nothing.csv --rate-frac 0.6 --term 720h
  ! tare: cannot open 'nothing.csv': No such file or directory
  !       Check the name; '-' reads standard input
  [2]
  $ printf 'time,units\n0,-3\n' > bad.csv; tare plan commit --demand bad.csv --rate-frac 0.6 --term 720h
  ! tare: 'bad.csv' line 2: units: '-3' is not a number in the range that this can have
  [2]
  $ printf 'a,b\n1,2\n' > bad.csv; tare plan commit --demand bad.csv --rate-frac 0.6 --term 720h
  ! tare: 'bad.csv': no column time
  !       The first line must name the columns
  [2]
  $ : > bad.csv; tare plan commit --demand bad.csv --rate-frac 0.6 --term 720h
  ! tare: 'bad.csv' is empty: there is not even a header line
  [2]
  $ tare plan commit --demand hours.csv --rate-frac 0.6 --term 720h --policy best
  ! tare: --policy does not know 'best': it takes tare|on_demand|break_even|seven_day|seven_day_quarter|seven_and_28_day
  !       See: tare plan commit --help
  [2]
