Only a job list, without prices, machines or readings: what it tells, in GPU-hours. The sums are those of files/few-jobs.sh: 22 days of 24 GPU-hours of
vision (528), 22 failed hours on 2 GPUs (44), 8 days of 8 and 14 of 10 GPU-hours of the second tries (204), and 2 more: 778.

  $ sh $FILES/files/few-jobs.sh; tare import -q --db jobs jobs.csv; tare plan --db jobs
  Today      1,097 GPU·h/month (730 h)        replayed on 22 days, 68 jobs
  
  No change can be decided from what is known here; this is what it says.
  
  What the jobs say, GPU·h/month (730 h), in no sum:
        1,096  3 of 4 hold 100 % of the GPU time: ann, bob, carl
           62  22 of 68 jobs failed or ran into their limit: 44 GPU·h in 22 days,
               6 % of all, may save 0 to 62 GPU·h/month (730 h)
               no GPU is held in 1 of 10 hours or more, 1.5 in the mean, 4 in the
               mean of the busiest hour: nothing is held all the time, so nothing
               to commit to
               3 owners take up to 8 GPUs in the mean of an hour, each at its own
               time; together up to 4: a difference of 4 that one pool shares
               66 jobs book 3,168 GPU·h and run 776 GPU·h, 24 % of it: shorter
               limits start sooner
               22 of 68 jobs waited 5 minutes or more for their GPUs: 88 GPU·h in
               22 days of work came that much later
               the last full week took 252 GPU·h, +6 % on the one before; most of
               the change: nlp
  tare explain advice-who --db jobs   what it rests on
  
  Not replayed, so in no sum above; measure first:
    keep and reuse results: 20 runs of nlp may repeat one that had completed
      0 to 262 GPU·h/month (730 h), tare explain advice-reuse-nlp --db jobs
  
  What the history does not tell:
    nothing has a price: amounts are GPU-hours, and what compares prices (another
    GPU, region, spot, commitments) is left out; with a price
    (tare import --set usd_gpu_hour=PRICE --replace FILE) they are money; --map
    and --as are said again where FILE took one
    94 % of the GPU time has no readings: what it did is unknown, and unknown is
    never waste
    no reading says what the GPUs did, and no saving can be proven without
    21 jobs waited 21.0 h in clusters whose node list is not there: whether GPUs
    idled for them is not known (tare import --as nodes).
    one file more that would open most: telemetry (DCGM, Prometheus, nvidia-smi,
    any CSV): idle time of each job; right size, booked time
  
  Looked at, nothing to propose:
    trim_time (runs: 68): 66 not watched to the end (plan.gates.watched_frac), 2
    run once
    input_bound (jobs: 44): 44 without readings of their work, or not for long
    enough
    rightsize_count (runs: 68): 66 on a part of a machine, or on one of no known
    type, 2 on one GPU or a part of one
  
  tare plan --db jobs --findings   what was seen
  tare report --by state --db jobs   what it did
  [3]

The evidence. A limit for 19 of 20 runs and a quarter is 7.5 h and 6.25 h; 3,168 GPU-hours are 22 x 4 x 24 and 44 x 2 x 12.

  $ for i in failed-jobs over-booked queue-wait week-over-week never-together; do tare explain --db jobs advice-$i; done
  -  22 of 68 jobs failed or ran into their limit: 44 GPU·h in 22 days, 6 % of all
     advice-failed-jobs
  
  About       62 GPU·h/month (730 h)
  May save    0 to 62 GPU·h/month (730 h): estimated, and in no sum
  Effort      0.5 days of work by nlp, in force after 1 day
  
  Why
    jobs that were read                                         68 rows  measured
    history                                                   21.6 days  measured
    nlp: failed, 22 jobs                                     44.0 GPU·h  measured
    ran into their limit                                      0.0 GPU·h  measured
    cancelled by somebody                                     0.0 GPU·h  measured
    begun again within a day under the name of one that failed  22 jobs  measured
    From: job list
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    Some failures are the result: what can be saved is what a check or a
    checkpoint would have kept.
  
  -  66 jobs book 3,168 GPU·h and run 776 GPU·h, 24 % of it: shorter limits start
     sooner
     advice-over-booked
  
  Effort      0.5 days of work by platform, in force after 1 day
  
  Why
    jobs that were read                                         68 rows  measured
    history                                                   21.6 days  measured
    ann, train: 22 jobs book up to 24 h; 19 of 20 end within        6 h  measured
    a limit for them: that and a quarter                          7.5 h  estimated
    bob, tune: 44 jobs book up to 12 h; 19 of 20 end within         5 h  measured
    a limit for them: that and a quarter                         6.25 h  estimated
    From: job list; estimate
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    A limit kills: what takes longer than it did before is lost, without
    checkpoints.
  
  -  22 of 68 jobs waited 5 minutes or more for their GPUs: 88 GPU·h in 22 days of
     work came that much later
     advice-queue-wait
  
  Effort      0.5 days of work by vision, in force after 1 day
  
  Why
    jobs that were read                                         68 rows  measured
    history                                                   21.6 days  measured
    wait, median                                                    0 h  measured
    wait, 95th percentile                                           1 h  measured
    wait of all jobs, whoever sat before it                      22.0 h  measured
    vision: GPUs x wait, 22 jobs                             88.0 GPU·h  measured
    From: job list
  
  What there is says so; nothing of it is in a sum.
  
  -  the last full week took 252 GPU·h, +6 % on the one before; most of the
     change: nlp
     advice-week-over-week
  
  Effort      0.5 days of work by platform, in force after 1 day
  
  Why
    jobs that were read                                         68 rows  measured
    history                                                   21.6 days  measured
    week from 2026-09-07                                    238.0 GPU·h  measured
    week from 2026-09-14                                    252.0 GPU·h  measured
    nlp, change                                             +14.0 GPU·h  measured
    From: job list
  
  What there is says so; nothing of it is in a sum.
  
  -  3 owners take up to 8 GPUs in the mean of an hour, each at its own time;
     together up to 4: a difference of 4 that one pool shares
     advice-never-together
  
  Effort      0.5 days of work by platform, in force after 1 day
  
  Why
    jobs that were read                                         68 rows  measured
    history                                                   21.6 days  measured
    vision: most in one hour                                   4.0 GPUs  measured
    misc: most in one hour                                     2.0 GPUs  measured
    nlp: most in one hour                                      2.0 GPUs  measured
    From: job list
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    Whoever waits in a common pool had a share of its own before: agree on
    priorities first.
  

As JSON, with its types: amounts are GPU-hours, and each says where it comes from.

  $ tare plan --db jobs -o json > plan.json; $FILES/../data/get 'currency, undecidable, after.cost_month' '[(a.kind, a.id, a.gpu_seconds, a.cost_month) for a in advice if a.kind]' < plan.json
  ('GPU·h', True, None)
  [('jobs_who', 'advice-who', '2797200', '1096.057971014'), ('jobs_failed', 'advice-failed-jobs', '158400', '62.06763285'), ('jobs_held', 'advice-held-at-once', None, None), ('jobs_apart', 'advice-never-together', None, None), ('jobs_booked', 'advice-over-booked', None, None), ('jobs_wait', 'advice-queue-wait', None, None), ('jobs_week', 'advice-week-over-week', '907200', None)]
  ! tare: nothing can be decided from this history; "notes" say why

There is nothing to try about what was seen.

  $ tare plan trial --db jobs advice-who
  ! tare: 'advice-who' says what was seen: there is nothing to try
  !       All of it: tare explain advice-who --db jobs
  [2]

With a price the same is money.

  $ tare import -q --db jobs --replace --set usd_gpu_hour=2 jobs.csv; tare plan --db jobs | head -8
  Today      2,195 $/month (730 h)            replayed on 22 days, 68 jobs
  
  No change can be decided from what is known here; this is what it says.
  
  What the jobs say, $/month (730 h), in no sum:
        2,192  3 of 4 hold 100 % of the GPU time: ann, bob, carl
          124  22 of 68 jobs failed or ran into their limit: 44 GPU·h (88 USD) in
               22 days, 6 % of all, may save 0 to 124 $/month (730 h)

A list that tells less says what it lacks, and is told of telemetry only, which would open most.

  $ cut -d, -f1-5,7-8,11 jobs.csv > few.csv; tare import -q --db few few.csv; tare plan --db few | sed -n '/What the history/,$p'
  What the history does not tell:
    the job list does not tell how jobs ended (state), what they booked (limit_s),
    how long they waited (submit)
    nothing has a price: amounts are GPU-hours, and what compares prices (another
    GPU, region, spot, commitments) is left out; with a price
    (tare import --set usd_gpu_hour=PRICE --replace FILE) they are money; --map
    and --as are said again where FILE took one
    100 % of the GPU time has no readings: what it did is unknown, and unknown is
    never waste
    no reading says what the GPUs did, and no saving can be proven without
    one file more that would open most: telemetry (DCGM, Prometheus, nvidia-smi,
    any CSV): idle time of each job; right size, booked time
  
  Looked at, nothing to propose:
    trim_time (runs: 68): 66 not watched to the end (plan.gates.watched_frac), 2
    run once
    input_bound (jobs: 44): 44 without readings of their work, or not for long
    enough
    rightsize_count (runs: 68): 66 on a part of a machine, or on one of no known
    type, 2 on one GPU or a part of one
  
  tare plan --db few --findings   what was seen
  tare report --by state --db few   what it did

With readings nobody is told to import telemetry.

  $ (echo time,step_s,node,gpu,job_id,gpu_util_pct; for h in 01 02 03 04 05 06; do echo 2026-09-06T$h:00:00Z,3600,,0,v0,90; done) > readings.csv; tare import -q --db jobs readings.csv; tare plan --db jobs | grep -ciE 'telemetry \(|import telemetry'
  0
  [1]

A job is one, on however many machines and in however many attempts. Job 1 has three machines for 2 h (48 GPU-hours) and waited an hour (24);
job 2 was preempted after an hour (8), came to its end on another machine in 2 h (16), and waited an hour and two (24); job 3 ran 2 h (16). The
four minutes that it waited are no long wait, and the hours between two attempts no run.

  $ cat > again.txt <<EOF
  > JobID|JobName|User|Account|Cluster|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|NodeList|AllocTRES
  > 1|t1|ada|ml|c1|COMPLETED|2026-11-02T00:00:00|2026-11-02T01:00:00|2026-11-02T03:00:00|7200|600|n[1-3]|cpu=24,gres/gpu=24,node=3
  > 2|t2|ada|ml|c1|PREEMPTED|2026-11-03T00:00:00|2026-11-03T01:00:00|2026-11-03T02:00:00|3600|600|n1|cpu=8,gres/gpu=8,node=1
  > 2|t2|ada|ml|c1|COMPLETED|2026-11-03T02:00:00|2026-11-03T04:00:00|2026-11-03T06:00:00|7200|600|n2|cpu=8,gres/gpu=8,node=1
  > 3|t3|bob|ml|c1|COMPLETED|2026-11-06T23:56:00|2026-11-07T00:00:00|2026-11-07T02:00:00|7200|600|n1|cpu=8,gres/gpu=8,node=1
  > EOF
  $ tare import -q --db again --as sacct --covers c1 again.txt; tare plan --db again | grep -E 'replayed|book|waited|came that|failed|input_bound|does not tell'
  Today      530.91 GPU·h/month (730 h)       replayed on 5 days, 3 jobs
               3 jobs book 400 GPU·h and run 88 GPU·h, 22 % of it: shorter limits
               2 of 3 jobs waited 5 minutes or more for their GPUs: 48 GPU·h in 5
               days of work came that much later
  tare explain advice-over-booked --db again   what it rests on
  What the history does not tell:
    any CSV): idle time of each job; right size, booked time
    input_bound (jobs: 3): 3 without readings of their work, or not for long
  $ tare explain --db again advice-queue-wait | grep wait
  -  2 of 3 jobs waited 5 minutes or more for their GPUs: 48 GPU·h in 5 days of
     advice-queue-wait
    wait, median                                                    1 h  measured
    wait, 95th percentile                                           3 h  measured
    wait of all jobs, whoever sat before it                       4.1 h  measured
    ada: GPUs x wait, 2 jobs                                 48.0 GPU·h  measured

Two attempts on one machine: it ran for as long as it held its GPUs.

  $ sed 's/|n2|/|n1|/' again.txt > once.txt; tare import -q --db once --as sacct --covers c1 once.txt; tare explain --db once 2 | grep -A1 -E '^(Ran|Ended)'
  Ran         2026-11-03T01:00 to 2026-11-03T06:00, 3 h 00 min, booked for 10 h 00
              min
  Ended       COMPLETED after 2 attempts
  Cost        24.00 GPU·h for 24.0 GPU·h in the window

Why no shorter limit is told: runs that end by themselves after 6 of 24 hours, and runs that book what they take.

  $ python3 - <<EOF
  > with open("limits.txt", "w") as j, open("limits.csv", "w") as r:
  >     print("JobID|JobName|User|Account|Cluster|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|NodeList|AllocTRES", file=j)
  >     print("time,step_s,node,gpu,gpu_util_pct", file=r)
  >     for i in range(16):
  >         day, (who, node, limit) = f"2026-10-{i // 2 + 1:02d}", (("ada", "n1", 1440), ("bob", "n2", 400))[i % 2]
  >         print(f"{i}|{who}-{i}|{who}|ml|c1|COMPLETED|{day}T00:00:00|{day}T00:00:00|{day}T06:00:00|21600|{limit}|{node}|cpu=8,gres/gpu=1,node=1", file=j)
  >         for h in range(24): print(f"{day}T{h:02d}:00:00Z,3600,{node},0,{90 if h < 6 else 0}", file=r)
  > EOF
  $ tare import -q --db limits --as sacct --covers c1 --set usd_gpu_hour=2 limits.txt; tare import -q --db limits limits.csv; tare plan --db limits --lever trim_time | sed -n '/^Looked/,/^$/p'
  Looked at, nothing to propose:
    trim_time (runs: 16): 8 that end by themselves long before their limit, 8
    booked hardly beyond the longest run and head-room
  
