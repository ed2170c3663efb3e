When and where to run, on public price histories.

One job over nine zones of spot price windows (ticks without a machine have no price): start and pieces are exact; tests/unit/opt/t-schedule.c compares both
with all possibilities on small series, here with every start on a fine grid.

  needs: $TARE_SHARED/data/spot_cant_be_late/multi_region_9zones_100windows.csv.gz
  $ tare plan schedule --prices $TARE_SHARED/data/spot_cant_be_late/multi_region_9zones_100windows.csv.gz --window 3 --length 6h --deadline 24h
  Cheapest: us-east-2a_v100_1 from 2023-03-10 10:23 to 2023-03-10 16:23 UTC, 5.5080 $/job.
  
  place              start (UTC)          run    data   $/job  at once
  us-east-2a_v100_1  2023-03-10 10:23  5.5080  0.0000  5.5080   5.5080
  us-east-2b_v100_1  2023-03-10 10:23  5.5080  0.0000  5.5080   5.5080
  us-west-2c_v100_1  2023-03-10 10:23  5.5234  0.0000  5.5234   5.5234
  us-west-2a_v100_1  2023-03-10 10:23  5.5294  0.0000  5.5294   5.5294
  us-west-2b_v100_1  2023-03-10 10:23  5.5305  0.0000  5.5305   5.5305
  us-east-1f_v100_1  2023-03-10 10:23  7.3629  0.0000  7.3629   7.3629
  us-east-1d_v100_1  2023-03-10 22:18  7.3698  0.0000  7.3698        -
  us-east-1c_v100_1  2023-03-10 22:08  7.5240  0.0000  7.5240        -
  us-east-1a_v100_1  no price in time       -  0.0000       -        -
  
  No data is charged: say what follows the job with --egress-gb.
  $ cat > brute.py <<'END'
  > import csv, datetime as dt, gzip, json, subprocess, sys
  > def series(row):
  >     t = dt.datetime.fromisoformat(row["start_time"] + "+00:00").timestamp(); out = []
  >     bits = row["preempted_bits"]
  >     for run in row["spot_price_rle_usd_hour"].split():
  >         p, n = run.split("x"); out += [float(p)] * int(n)
  >     return t, [None if bits[i:i + 1] == "1" else p for i, p in enumerate(out)]
  > rows = list(csv.DictReader(gzip.open(sys.argv[1], "rt"))); checked = 0
  > for window in "3", "17", "42", "77":
  >     for ticks in 37, 110:                 # of 195 s
  >         j = json.loads(subprocess.run(["tare", "plan", "schedule", "--prices", sys.argv[1], "--window", window, "--length", f"{ticks * 195}s", "-o", "json"],
  >                                       capture_output=True).stdout)
  >         got = {p["place"]: p["run_cost"] for p in j["places"]}
  >         for r in rows:
  >             if r["window"] != window: continue
  >             t, s = series(r); best = None
  >             for i in range(len(s) - ticks + 1):
  >                 w = s[i:i + ticks]
  >                 if None not in w:
  >                     c = sum(w) * 195 / 3600; best = c if best is None or c < best else best
  >             g = got[r["zone_gpu"]]
  >             assert (best is None) == (g is None) and (best is None or abs(float(g) - best) < 1e-6), (window, r["zone_gpu"], best, g)
  >             checked += 1
  > print(checked, "zone windows agree")
  > END
  $ python3 brute.py $TARE_SHARED/data/spot_cant_be_late/multi_region_9zones_100windows.csv.gz
  72 zone windows agree

A fleet: the first jobs of a public trace on 5 and on 16 machines a zone, with the bounds; within 1 % of the min-cost-flow bound.

  $ for w in 3 42; do for c in 5 16; do tare plan schedule --prices $TARE_SHARED/data/spot_cant_be_late/multi_region_9zones_100windows.csv.gz --window $w --jobs $TARE_SHARED/data/trace_alibaba_pai_v2020/pai-100k.csv.gz --capacity $c --slot 15m -o json |
  >   $FILES/get 'jobs' 'left_out' 'cost' 'flow_bound' 'price_bound' 'gap_frac' 'float(cost) <= 1.01 * float(flow_bound)' | tr '\n' ' '; echo; done; done
  125 11 394.955559166 394.5105 394.510499999 0.001128 True 
  125 2 476.2125 476.2125 476.212499999 0 True 
  125 12 335.7585 335.7585 335.758499999 0 True 
  125 3 417.4605 417.4605 417.460499999 0 True 

Every sixtieth job of another trace on Google's monthly spot prices, by days, in four regions; 30 machines a region are hardly enough.

  $ zcat $TARE_SHARED/data/trace_philly/philly.csv.gz | awk 'NR == 1 || NR % 60 == 0' > jobs.csv
  $ for c in 60 30; do tare plan schedule --prices $TARE_SHARED/data/prices_gcp/gcp_gpu_price_history_monthly.csv.gz --machine a2-highgpu-8g --spot --from 2025-06-01 --jobs jobs.csv --slack 45d --slot 24h --capacity $c --allow 'us-central1,us-east1,us-west4,us-east4' -o json |
  >   $FILES/get 'jobs' 'left_out' 'cost' 'at_once_cost' 'flow_bound' 'gap_frac' 'float(cost) <= 1.01 * float(flow_bound)' | tr '\n' ' '; echo; done
  1370 0 527698.68864 633330.26496 527582.4576 0.00022 True 
  1370 1 544264.78848 633330.26496 539661.58848 0.00853 True 

Regions by Google's monthly history of spot prices, with the data's way: cheaper months and places, less what moving 2,000 GB costs.

  $ tare plan schedule --prices $TARE_SHARED/data/prices_gcp/gcp_gpu_price_history_monthly.csv.gz --machine a3-highgpu-8g --spot --length 720h --from 2025-09-01 --deadline 200d --home us-central1 --allow 'us-*' --egress-gb 2000
  Cheapest: us-west3 from 2026-02-18 00:00 to 2026-03-20 00:00 UTC, 10,323.8243 $/job (14,682.6292 at home, at once: 29.7 % less).
  
  place        start (UTC)             run     data      $/job    at once
  us-west3     2026-02-18 00:00  10,283.82  40.0000  10,323.82  53,831.62
  us-west2     2026-02-18 00:00  10,389.24  40.0000  10,429.24  53,849.78
  us-east4     2025-10-02 00:00  11,590.87  40.0000  11,630.87  11,787.10
  us-west4     2025-10-02 00:00  12,926.73  40.0000  12,966.73  12,987.92
  us-east5     2025-09-01 00:00  13,007.21  40.0000  13,047.21  13,047.21
  us-south1    2025-11-06 00:00  13,651.65  40.0000  13,691.65  52,864.48
  us-central1  2025-10-02 00:00  14,663.16   0.0000  14,663.16  14,682.63
  us-east1     2025-10-02 00:00  14,663.16  40.0000  14,703.16  14,722.63
  us-west1     2025-10-02 00:00  14,663.16  40.0000  14,703.16  14,722.63
  $ tare plan schedule --prices $TARE_SHARED/data/prices_gcp/gcp_gpu_price_history_monthly.csv.gz --machine a3-highgpu-8g --length 720h --from 2025-09-01 --home us-central1 --allow 'us-central1'
  Cheapest: us-central1 from 2025-09-01 00:00 to 2025-10-01 00:00 UTC, 63,712.7999 $/job (63,712.7999 at home, at once: 0.0 % less).
  
  place        start (UTC)             run    data      $/job    at once
  us-central1  2025-09-01 00:00  63,712.80  0.0000  63,712.80  63,712.80
  $ tare plan schedule --prices $TARE_SHARED/data/prices_gcp/gcp_gpu_price_history_monthly.csv.gz --length 720h
  ! tare: the prices of 'africa-south1' are of several machines
  !       Choose one, such as --machine a2-highgpu-1g
  [2]

A timetable for a fleet that is used six hours a day, five days a week; one night of work in the third week is a miss of that week's test.

  $ python3 -c "
  > print('time,units')
  > for i in range(6 * 168):
  >     print(f'{96 + i},{4 if i % 168 < 120 and 9 <= i % 24 < 15 or i == 2 * 168 + 26 else 0}')" > usage.csv
  $ tare plan schedule --usage usage.csv
  On 43 of 168 hours a week; 74.4 % of the hours of 6 weeks are switched off.
  
    mon  08:00-16:00
    tue  01:00-04:00, 08:00-16:00
    wed  08:00-16:00
    thu  08:00-16:00
    fri  08:00-16:00
    sat  off
    sun  off
  
  Tested on each week with a timetable of the others: 1 of 1008 known hours were in use and would have been off.
  
  As cron lines (UTC+0:00), START and STOP being what scales the fleet up and to zero:
  
    0 8 * * 1  START
    0 16 * * 1  STOP
    0 1 * * 2  START
    0 4 * * 2  STOP
    0 8 * * 2  START
    0 16 * * 2  STOP
    0 8 * * 3  START
    0 16 * * 3  STOP
    0 8 * * 4  START
    0 16 * * 4  STOP
    0 8 * * 5  START
    0 16 * * 5  STOP
  $ tare plan schedule --usage usage.csv --utc-offset +02:00 --headroom 0 -o json | $FILES/get on_hours_week misses off_frac 'on[0]'
  31
  1
  0.815476
  {'day': 'mon', 'from': '11:00', 'to': '17:00'}
  $ head -100 usage.csv > short.csv; tare plan schedule --usage short.csv
  Too little for a timetable: 99 hours of history; a timetable takes two weeks (336).
  [3]
  $ tare plan schedule --length 6h
  ! tare: --prices with --length (one job) or --jobs (many), or --usage (a timetable) is needed
  !       See: tare plan schedule --help
  [2]
  $ printf 'time,usd_hour\n2026-01-01,1\n2026-01-01,2\n' > twice.csv; tare plan schedule --prices twice.csv --length 6h
  ! tare: two prices of '' for the same instant
  [2]
  $ printf 'time,usd_hour\n2026-01-01,1\n' > one.csv; tare plan schedule --prices one.csv --length 6h --deadline 3h
  No place has prices for the whole of the job before its deadline.
  [3]

  $ printf 'time,usd_hour\n2026-01-01,1,5\n' > ragged.csv; tare plan schedule --prices ragged.csv --length 6h
  ! tare: 'ragged.csv' line 2: the row has 3 cells where the header has 2
  [2]
  $ tare plan schedule --prices one.csv --length 6h --from 2030-01-01
  ! tare: no price lies behind --from
  [3]
