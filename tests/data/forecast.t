Demand by the hour of two public traces, forecast 24 and 168 hours ahead at every day; the first four weeks train, all later origins count.
The combined forecast is not above the best single method of the same run (held and revert are our own, median is a combination).

  needs: $TARE_SHARED/data/trace_philly/philly.csv.gz
  $ cat > rows.py <<'END'
  > import json, subprocess, sys, os
  > D = os.environ["TARE_SHARED"] + "/data/"
  > for name, file, hours in ("pai", "trace_alibaba_pai_v2020/pai-100k.csv.gz", 8760), ("philly", "trace_philly/philly.csv.gz", 2614):
  >     for h in 24, 168:
  >         j = json.loads(subprocess.run(["tare", "plan", "forecast", "--jobs", D + file, "--hours", str(hours), "--horizon", f"{h}h", "-o", "json"],
  >                                       capture_output=True, check=True).stdout)
  >         b = j["series"][0]["backtest"]
  >         m = {x["method"]: x["mase"] for x in b["methods"]}
  >         best = min((v, k) for k, v in m.items() if k not in ("held", "revert", "median"))
  >         print(f"{name} h={h}: {b['scored']} origins, combined {b['mase']:.3f}, best single {best[1]} {best[0]:.3f}, not above: {b['mase'] <= best[0]};",
  >               " ".join(f"{k} {v:.3f}" for k, v in m.items()), f"| 80 % band holds {b['covered_frac']:.2f}")
  > END
  $ python3 rows.py
  pai h=24: 337 origins, combined 0.769, best single holt_winters_day 0.807, not above: True; naive 0.945 seasonal_day 0.999 seasonal_week 1.064 mean_7d 0.812 ses 0.813 holt_winters_day 0.807 holt_winters_week 0.844 theta 0.948 held 0.945 revert 0.754 median 0.786 | 80 % band holds 0.78
  pai h=168: 331 origins, combined 0.820, best single mean_7d 0.823, not above: True; naive 1.084 seasonal_day 1.065 seasonal_week 1.063 mean_7d 0.823 ses 0.850 holt_winters_day 0.843 holt_winters_week 0.881 theta 1.086 held 1.084 revert 0.798 median 0.835 | 80 % band holds 0.79
  philly h=24: 80 origins, combined 0.909, best single theta 0.919, not above: True; naive 0.928 seasonal_day 1.204 seasonal_week 1.620 mean_7d 1.268 ses 0.956 holt_winters_day 1.048 holt_winters_week 1.010 theta 0.919 held 0.928 revert 0.904 median 0.932 | 80 % band holds 0.83
  philly h=168: 74 origins, combined 1.471, best single mean_7d 1.480, not above: True; naive 1.571 seasonal_day 1.645 seasonal_week 1.651 mean_7d 1.480 ses 1.523 holt_winters_day 1.574 holt_winters_week 1.549 theta 1.590 held 1.571 revert 1.511 median 1.454 | 80 % band holds 0.79

Every sixteenth of 311 public series, most a month long, beside nine simple methods written again (bench/forecast; all sets there): the mean is not above that of
the best of them in any half and in all, and no series is above 1.25 times it.

  $ $FILES/../../bench/forecast --tare tare --every 16 --worst 1.25 philly_short openb dlrm nab ms_cloud | cut -c1-64
  set                   n     tare  best single             ratio 
  philly_short          3    0.573  ses             0.566   1.013 
  openb                 2    0.824  ses_season      0.793   1.039 
  dlrm                 12    0.700  naive           0.703   0.995 
  nab                   2    0.858  seasonal_day    1.099   0.781 
  ms_cloud              3    0.664  theta_season    0.823   0.807 
  tune                  7    0.831  ses_season      0.968   0.859 
  check                15    0.643  naive           0.702   0.917 
  all                  22    0.703  holt_winters    0.884   0.795 

Too little is said, not forecast.

  $ printf 'time,units\n0,3\n1,4\n2,5\n' > short.csv
  $ tare plan forecast --demand short.csv
  short.csv: 3 hours of history to 1970-01-01T03:00 · forecast of 7 days from there, by the hour
  
  short.csv: too little to forecast: 3 known hours; two weeks (336) are the least.
  [3]
  $ seq 0 400 | sed '1s/^/time,units\n/; s/$/,/; s/time,units,/time,units/' > unknown.csv
  $ tare plan forecast --demand unknown.csv --horizon 24h
  unknown.csv: 401 hours of history to 1970-01-17T17:00 · forecast of 1 day from there, by the hour
  
  unknown.csv: too little to forecast: no hour of the series is known.
  [3]
  $ tare plan forecast --demand $TARE_SHARED/data/trace_philly/philly.csv.gz
  ! tare: '$TARE_SHARED/data/trace_philly/philly.csv.gz': no column units
  !       The first line must name the columns
  [2]
  $ printf 'time,units\n0,-3\n' > bad.csv; tare plan forecast --demand bad.csv
  ! tare: 'bad.csv' line 2: units: '-3' is not a number in the range that this can have
  [2]
  $ tare plan forecast --demand short.csv --add nlp:H100:16:2026-12-01:2026-11-01
  ! tare: --add: 'nlp:H100:16:2026-12-01:2026-11-01' ends before it begins
  [2]
  $ tare plan forecast --demand short.csv --horizon 0h
  ! tare: --horizon: '0h' is not a duration from 1h to 1y, such as 7d
  [2]

Fractions of a GPU are kept, of a series as of jobs that overlap.

  $ { echo time,units; seq 0 699 | awk '{ print $1 "," ($1 % 24 < 12 ? 0.4 : 0.6) }'; } > parts.csv
  $ tare plan forecast --demand parts.csv --horizon 24h -o csv | cut -d, -f1,4,7 | sed -n '2p;$p'
  1970-01-30T04:00:00Z,0.400,0.400
  1970-01-31T03:00:00Z,0.400,0.400
  $ { echo start,length,gpus; seq 0 699 | awk '{ print $1 ",1,0.1"; print $1 ",0.5,0.25" }'; } > part-jobs.csv
  $ tare plan forecast --jobs part-jobs.csv --horizon 24h -o csv | cut -d, -f1,4,7 | sed -n '2p;$p'
  1970-01-30T04:00:00Z,0.350,0.350
  1970-01-31T03:00:00Z,0.350,0.350
