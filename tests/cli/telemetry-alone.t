Only readings, of files/four-gpus.sh: 4 GPUs for 14 days are 1,344 GPU-hours. Idle are 236 + 308 + 336 = 880. From 18 to 08 one GPU works: 14 h x 14 days
x 3 others are 588. At weekends two do: 96 h x 2 are 192. 1 and 3 fit on one (15 + 30 %), 0 and 1 do not (80 + 15 %).

  $ sh $FILES/files/four-gpus.sh; tare import -q --db four readings.csv; tare plan --db four
  Today      2,920 GPU·h/month (730 h)        replayed on 14 days
  
  No change is proposed on this history within these limits; this is what it says.
  
  What the telemetry says, GPU·h/month (730 h), in no sum:
        1,912  4 GPUs are idle 65 % of the time: 880 GPU·h in 14 days
        1,278  from 18:00 to 08:00 UTC at most 1 of 4 GPUs work at once, 3 in the
               other hours: 588 GPU·h in 14 days above that, may save 852 to 1,278
               GPU·h/month (730 h)
          730  1 of 4 GPUs work less than 5 % of the time, none of them at all:
               336 GPU·h in 14 days, may save 730 GPU·h/month (730 h)
          730  3 GPUs that work fit together on 2, by their highs of use and
               memory: 336 GPU·h in 14 days, may save 0 to 730 GPU·h/month (730 h)
          417  at weekends at most 2 of 4 GPUs work at once, 3 on other days: 192
               GPU·h in 14 days above that, may save 209 to 417 GPU·h/month (730
               h)
           61  1 GPU works below 25 % for half of the working time or more; of
               all: 28 GPU·h in 14 days
               the busiest five minutes need 1.2 GPUs' worth of work; 4 GPUs were
               there
               2 of 4 GPUs never hold more than a GPU of 16 GiB has, a tenth to
               spare
  tare explain advice-idle-gpus --db four   what it rests on
  
  What the history does not tell:
    nothing has a price: amounts are GPU-hours, and what compares prices (another
    GPU, region, spot, commitments) is left out; with a price
    (tare import --set usd_gpu_hour=PRICE --replace FILE) they are money; --map
    and --as are said again where FILE took one
    14.0 days of history: ranges are drawn from days, not weeks, and weekends
    weigh little; import more
    one file more that would open most: a job list (sacct, OpenCost, any CSV):
    idle time of each job; right size, booked time
  
  Looked at, nothing to propose:
    stop_idle (machines with free time: 1): 1 never free for longer than a release
    and a boot take
    schedule (workloads held day and night: 1): 1 on a machine with what is not to
    be switched off
  
  tare plan --db four --findings   what was seen
  tare report --by state --db four   what it did
  $ for i in idle-gpus hardly-used-gpus quiet-hours weekends share-gpus oversized smaller-gpus; do tare explain --db four advice-$i; done
  -  4 GPUs are idle 65 % of the time: 880 GPU·h in 14 days
     advice-idle-gpus
  
  About       1,912 GPU·h/month (730 h)
  Effort      0.5 days of work by platform, in force after 1 day
  
  Why
    readings                                                  1344 rows  measured
    history                                                   14.0 days  measured
    idle Monday to Friday, 06:00 to 22:00 UTC                      56 %  measured
    idle Monday to Friday, 22:00 to 06:00 UTC                      75 %  measured
    idle at weekends (UTC)                                         73 %  measured
    idle from 00:00 UTC for an hour, the most                      75 %  measured
    idle from 10:00 UTC for an hour, the least                     32 %  measured
    From: telemetry
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    A loaded model that waits for requests is idle too: what may go is told apart.
  
  -  1 of 4 GPUs work less than 5 % of the time, none of them at all: 336 GPU·h in
     14 days
     advice-hardly-used-gpus
  
  About       730 GPU·h/month (730 h)
  May save    730 GPU·h/month (730 h): estimated, and in no sum
  Effort      0.5 days of work by platform, in force after 1 day
  
  Why
    readings                                                  1344 rows  measured
    history                                                   14.0 days  measured
    n1 GPU 2, idle                                              336.0 h  measured
    of them with 1 GiB or more held: a loaded model              0 GPUs  measured
    From: telemetry
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    A service that waits for requests looks the same: ask its owner first.
  
  -  from 18:00 to 08:00 UTC at most 1 of 4 GPUs work at once, 3 in the other
     hours: 588 GPU·h in 14 days above that
     advice-quiet-hours
  
  About       1,278 GPU·h/month (730 h)
  May save    852 to 1,278 GPU·h/month (730 h): estimated, and in no sum
  Effort      0.5 days of work by platform, in force after 1 day
  
  Why
    readings                                                  1344 rows  measured
    history                                                   14.0 days  measured
    idle in these hours                                            75 %  measured
    idle in the others                                             52 %  measured
    From: telemetry
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    Who is used in these hours may be others from day to day: switch off by
    demand, not by name.
  
  -  at weekends at most 2 of 4 GPUs work at once, 3 on other days: 192 GPU·h in
     14 days above that
     advice-weekends
  
  About       417 GPU·h/month (730 h)
  May save    209 to 417 GPU·h/month (730 h): estimated, and in no sum
  Effort      0.5 days of work by platform, in force after 1 day
  
  Why
    readings                                                  1344 rows  measured
    history                                                   14.0 days  measured
    idle at weekends (UTC)                                         73 %  measured
    idle on other days                                             62 %  measured
    From: telemetry
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    Who is used in these hours may be others from day to day: switch off by
    demand, not by name.
  
  -  3 GPUs that work fit together on 2, by their highs of use and memory: 336
     GPU·h in 14 days
     advice-share-gpus
  
  About       730 GPU·h/month (730 h)
  May save    0 to 730 GPU·h/month (730 h): estimated, and in no sum
  Effort      5 days of work by platform, in force after 1 day
  
  Why
    readings                                                  1344 rows  measured
    history                                                   14.0 days  measured
    for example together: n1:1 + n1:3                            2 GPUs  measured
    of a shared GPU in use at most, as the sum of 99th             80 %  assumed
      percentiles
    most memory that one held                                  27.9 GiB  measured
    From: telemetry; estimate
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    Neighbours wait for each other and share one fault: try one pair for a day,
    with latencies beside it.
  
  -  the busiest five minutes need 1.2 GPUs' worth of work; 4 GPUs were there
     advice-oversized
  
  Effort      0.5 days of work by platform, in force after 1 day
  
  Why
    readings                                                  1344 rows  measured
    history                                                   14.0 days  measured
    the busiest five minutes begin                 2026-09-07T10:00:00Z  measured
    GPUs for that at 80 % of use, if work could move             2 GPUs  estimated
    From: telemetry; estimate
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    A model has to be loaded where its requests go: memory decides, see what could
    share.
  
  -  2 of 4 GPUs never hold more than a GPU of 16 GiB has, a tenth to spare
     advice-smaller-gpus
  
  Effort      0.5 days of work by platform, in force after 1 day
  
  Why
    readings                                                  1344 rows  measured
    history                                                   14.0 days  measured
    most memory of any                                         80.0 GiB  measured
    From: telemetry
  
  What there is says so; nothing of it is in a sum.
  

  $ tare plan --db four -o json | $FILES/../data/get 'currency, undecidable' '[(a.kind, a.gpu_seconds, a.cost_month) for a in advice]' '[(e.metric, e.value, e.unit, e.source, e.quality) for e in advice[0].evidence[:2]]'
  ('GPU·h', False)
  [('cards_idle', '3168000', '1911.904761905'), ('cards_quiet', '2116800', '1277.5'), ('cards_hardly_used', '1209600', '730'), ('cards_share', '1209600', '730'), ('cards_weekend', '691200', '417.142857143'), ('cards_half', '100800', '60.833333333'), ('cards_peak', None, None), ('cards_smaller', None, None)]
  [('readings', '1344', 'rows', 'telemetry', 'measured'), ('history', '14.0', 'days', 'telemetry', 'measured')]

With a price the same is money.

  $ tare import -q --db four --replace --set usd_gpu_hour=1.5 readings.csv; tare plan --db four | head -9
  Today      4,380 $/month (730 h)            replayed on 14 days
  
  No change is proposed on this history within these limits; this is what it says.
  
  What the telemetry says, $/month (730 h), in no sum:
        2,868  4 GPUs are idle 65 % of the time: 880 GPU·h (1,320 USD) in 14 days
        1,916  from 18:00 to 08:00 UTC at most 1 of 4 GPUs work at once, 3 in the
               other hours: 588 GPU·h (882 USD) in 14 days above that, may save
               1,278 to 1,916 $/month (730 h)
  $ tare plan --db four -o md | sed -n '/says by itself/,/weekends/p'
  What there is says by itself, in no sum above:
  
  - 4 GPUs are idle 65 % of the time: 880 GPU·h (1,320 USD) in 14 days
  - from 18:00 to 08:00 UTC at most 1 of 4 GPUs work at once, 3 in the other hours: 588 GPU·h (882 USD) in 14 days above that
  - 1 of 4 GPUs work less than 5 % of the time, none of them at all: 336 GPU·h (504 USD) in 14 days
  - 3 GPUs that work fit together on 2, by their highs of use and memory: 336 GPU·h (504 USD) in 14 days
  - at weekends at most 2 of 4 GPUs work at once, 3 on other days: 192 GPU·h (288 USD) in 14 days above that

Without memory nothing is said of sharing but why.

  $ cut -d, -f1-6 readings.csv > bare.csv; tare import -q --db bare bare.csv; tare plan --db bare | grep -c 'fit together'; tare plan --db bare | grep -A1 'do not tell'
  0
    the readings do not tell memory (mem_used_bytes): which GPUs could share is
    not known

Readings of two hours beside jobs of eleven days, other GPUs with a price: what is told is of two hours, in no money and no month, and two hours show no
habit of the day. Users of jobs are the owners, not who is read.

  $ printf 'job_id,user,gpus,start,end,gpu_model\na,ana,2,2026-09-01T08:00:00Z,2026-09-01T10:00:00Z,H100\nb,ben,2,2026-09-12T08:00:00Z,2026-09-12T10:00:00Z,H100\n' > two.csv
  $ (echo time,step_s,gpu,gpu_util_pct,mem_used_bytes; for h in 08 09; do printf '2026-09-07T%s:00:00Z,3600,%s\n' $h 0,0,2e9 $h 1,90,2e9; done) > short.csv
  $ tare import -q --db short --set usd_gpu_hour=9 two.csv; tare import -q --db short short.csv; tare plan --db short | sed -n '1p;/telemetry says/,/^tare/p;/no price/p'; tare plan --db short -o json | python3 -c 'import json, sys; print(*((a["cost_month"], a["gpu_seconds"]) for a in json.load(sys.stdin)["advice"] if a["kind"] == "cards_idle"))'
  Today      197.59 $/month (730 h)           replayed on 11 days, 2 jobs
  What the telemetry says, $/month (730 h), in no sum:
               1 of 2 GPUs work less than 5 % of the time, none of them at all:
               2.00 GPU·h in 2 h
               2 GPUs are idle 50 % of the time: 2.00 GPU·h in 2 h
  tare explain advice-hardly-used-gpus --db short   what it rests on
    4.0 GPU·h have no price and are in no amount: import a bill, or prices ('tare
  (None, '7200')
With a price of their own they have an amount, but still no month.

  $ tare import -q --db short --replace --set usd_gpu_hour=2 short.csv; tare plan --db short | grep 'are idle'
               2 GPUs are idle 50 % of the time: 2.00 GPU·h (4 USD) in 2 h
