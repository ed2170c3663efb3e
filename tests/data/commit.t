Commitments on two public traces: eight rows of trace, term and rate. Demand of an hour = units of all jobs that overlap it; the online rules
know only the hours before (break_even: and the present one); the optimum knows all and is exact. Ratios to the optimum. Asked: a mean of
at most 1.10, better 1.08.

  needs: $TARE_SHARED/data/trace_alibaba_pai_v2020/pai-100k.csv.gz
  needs: $TARE_SHARED/data/trace_philly/philly.csv.gz
  $ cat > rows.py <<'PY'
  > import json, os, subprocess
  > data = os.environ["TARE_SHARED"] + "/data/"
  > pai, philly = ("pai", "trace_alibaba_pai_v2020/pai-100k.csv.gz", "8760"), ("philly", "trace_philly/philly.csv.gz", "2614")
  > rows = [(pai, t, f) for t in ("720h", "2160h") for f in ("0.6", "0.4")] + [(philly, t, f) for t in ("336h", "720h") for f in ("0.6", "0.4")]
  > names, sums = [], []
  > for (name, path, hours), term, rate in rows:
  >     a = json.loads(subprocess.run(["tare", "plan", "commit", "--jobs", data + path, "--hours", hours, "--term", term, "--rate-frac", rate, "--compare",
  >                                    "-o", "json"], check=True, capture_output=True).stdout)
  >     if not names:
  >         names = [p["policy"] for p in a["policies"]]
  >         sums = [0] * len(names)
  >         print("%-15s" % "", *names)
  >     print("%-15s" % f"{name} {term} {rate}", *("%*.4f" % (len(p["policy"]), p["ratio"]) for p in a["policies"]))
  >     sums = [s + p["ratio"] for s, p in zip(sums, a["policies"])]
  > print("%-15s" % "mean", *("%*.4f" % (len(n), s / len(rows)) for n, s in zip(names, sums)))
  > PY
  $ python3 rows.py
                  tare on_demand break_even seven_day seven_day_quarter seven_and_28_day
  pai 720h 0.6    1.0281    1.3306     1.0813    1.0357            1.0316           1.0252
  pai 720h 0.4    1.0472    1.7784     1.1471    1.0492            1.0517           1.0411
  pai 2160h 0.6   1.0257    1.3116     1.0884    1.0334            1.0252           1.0117
  pai 2160h 0.4   1.0457    1.7411     1.1662    1.0382            1.0333           1.0206
  philly 336h 0.6 1.1152    1.4682     1.2201    1.1638            1.1424           1.2277
  philly 336h 0.4 1.1375    2.0474     1.2968    1.2030            1.2296           1.2943
  philly 720h 0.6 1.0925    1.3838     1.1701    1.1581            1.1244           1.1678
  philly 720h 0.4 1.1145    1.8977     1.2622    1.1693            1.1936           1.2567
  mean            1.0758    1.6198     1.1790    1.1063            1.1040           1.1306

A year of hours, its exact optimum and the rule: seconds, and bounded.

  $ timeout 120 tare plan commit --jobs $TARE_SHARED/data/trace_alibaba_pai_v2020/pai-100k.csv.gz --hours 8760 --rate-frac 0.6 --term 720h
  8760 hours of demand; amounts in hours of one unit on demand
  
  rule                       on-demand h   ratio  coverage    used  purchases
  tare                         1,046,007  1.0281    72.9 %  87.2 %        184
  on_demand                    1,353,785  1.3306     0.0 %       -          0
  ───────────────────────────────────────────────────────────────────────────
  optimum, known afterwards    1,017,433  1.0000    75.4 %  89.5 %        167
  
  A unit at 60.0 % over 720 h pays off when used 432 h of them (438 h of a 730 h month).
  
  Purchases
  hour  date  units  term     rate
    24  -         2  720 h  60.0 %
    96  -        28  720 h  60.0 %
   120  -         2  720 h  60.0 %
   144  -         5  720 h  60.0 %
   168  -         9  720 h  60.0 %
   192  -         8  720 h  60.0 %
   216  -         5  720 h  60.0 %
   240  -        12  720 h  60.0 %
   264  -         3  720 h  60.0 %
   312  -        10  720 h  60.0 %
   336  -         6  720 h  60.0 %
   360  -         4  720 h  60.0 %
   384  -         5  720 h  60.0 %
   408  -        10  720 h  60.0 %
   528  -         5  720 h  60.0 %
  ... and 169 more; all of them: -o json
