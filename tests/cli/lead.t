A lead with a job list and telemetry, and no price yet: from a clean home to a plan towards 40 %. In 28 days vision holds 4 GPUs for 24 h, of which 2 work
for 6 h (2,688 GPU-hours), nlp 2 for 10 h (560): 3,248, or 3,528 in a month of 730 h. Booked for 7.5 h instead of 24, vision holds 840.

  $ sh $FILES/files/jobs-and-readings.sh; tare import jobs.csv readings.csv
  jobs.csv: allocations, 56 rows kept, 3,248.00 GPU·h
  readings.csv: samples, 3248 rows kept, 3,248.00 GPU·h
  You see   idle time of each job; right size, booked time: tare plan
            busy, half-used and idle GPUs: tare report --by state
            GPU time by team, user and job; failed work: tare report --by team
  Add       a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
            the machines (nodes.csv, Prometheus): machines that nobody holds
  $ tare plan --target-frac 0.4 --within 21d
  Today      3,528 GPU·h/month (730 h)        replayed on 28 days, 56 jobs
  After all  1,561 GPU·h/month   -56 %        9 of 10 cases: -51 to -59 %
  
                          saves GPU·h/month   after it
    Ready       (can be undone)       1,967       -56 %
    Try first   (a trial decides)         -           -
    Commit      (binds money)             -           -
  
   #  do                             saves GPU·h/month      range  tier    days
   1  train-*: book 7.5 h, not 24 h              1,967  1.6-2.4 K  Ready      1
  
  Target -40 % by 2026-12-12: met with a probability of 100 % by these steps,
  those with the least risk and the least that binds; -56 % in force then.
  
   start       in force     #  owner         do
   2026-11-21  2026-11-22   1  vision        train-*: book 7.5 h, not 24 h
  
  Carried out as printed, on your own history: 0 jobs cut, 0 late, 0 out of
  memory.
  The same plan would save 56 % with load -20 %.
  
  What the history does not tell:
    nothing has a price: amounts are GPU-hours, and what compares prices (another
    GPU, region, spot, commitments) is left out; with a price
    (tare import --set usd_gpu_hour=PRICE --replace FILE) they are money; --map
    and --as are said again where FILE took one
  
  tare explain 1   why, evidence, replay    tare plan apply 1   how to do it
  $ tare plan apply 1
  # train-_: book 7.5 h, not 24 h
  # This version of tare does not carry it out: these lines do, where you put them.
  # do
  # for team="vision" user="ann" workload="training" cluster="c" name="train-*" gpu_model="A100-SXM4-80GB" gpus=4
  # Kubernetes Job: spec: {activeDeadlineSeconds: 27000}
  # undo
  # for team="vision" user="ann" workload="training" cluster="c" name="train-*" gpu_model="A100-SXM4-80GB" gpus=4
  # Kubernetes Job: spec: {activeDeadlineSeconds: 86400}
  $ tare explain advice-gpus-asked-unused
  -  28 jobs held GPUs that never worked and held no memory: 1,344 GPU·h in 28
     days
     advice-gpus-asked-unused
  
  About       1,460 GPU·h/month (730 h)
  May save    0 to 1,460 GPU·h/month (730 h): estimated, and in no sum
  Effort      0.5 days of work by platform, in force after 1 day
  
  Why
    readings                                                  3248 rows  measured
    history                                                   28.0 days  measured
    vision, train-#: 2 of 4 GPUs used, 28 jobs: unused     1344.0 GPU·h  measured
    From: telemetry
  
  What there is says so; nothing of it is in a sum.
  
  $ tare plan --findings
  What was observed, GPU·h/month (730 h). Findings overlap: they are no sum.
  
  vision holds its GPUs after the last work, until the booked time           2,190
    is over
    overbooked, assumed · jobs 28 · GPU time 2016.0 GPU·h · acted on by trim_time
  vision books more GPUs than its jobs use                                     365
    too_many_gpus, assumed · jobs 28 · GPU time 336.0 GPU·h · by hand: ask for as
    many GPUs as the job uses
  
  nothing has a price: amounts are GPU-hours, and what compares prices (another
  GPU, region, spot, commitments) is left out; with a price
  (tare import --set usd_gpu_hour=PRICE --replace FILE) they are money; --map and
  --as are said again where FILE took one
  
  tare plan   what to change    tare report --by state   where the time went

What it is worth at a price.

  $ tare import -q --replace --set usd_gpu_hour=2.50 jobs.csv; tare plan | head -3
  Today      8,821 $/month (730 h)            replayed on 28 days, 56 jobs
  After all  3,903 $/month   -56 %            9 of 10 cases: -51 to -59 %
  

A target out of reach: the nearest set is printed with what it is short of, and the exit code says that a threshold is violated.

  $ tare plan --target-frac 0.8 --within 21d | grep -A4 ^Target; tare plan --target-frac 0.8 --within 21d -q > plan.txt; echo $?
  > tare plan --target-frac 0.8 --within 21d -o json | $FILES/../data/get 'd.target.reached' 'd.target.reached_frac' 'd.target.gap_frac'; tare plan --target-frac 0.4 --within 21d > plan.txt; echo $?
  Target -80 % by 2026-12-12: out of reach. These steps come nearest: -56 % in
  force then, 2,138 $/month (730 h) short of it, the target met with a probability
  of 0 % (95 % are asked for). No limit of time, risk, effort, levers or least
  saving holds anything back.
  
  1
  False
  0.557574
  0.242426
  0
  ! tare: the target is out of reach: 55.8 % of 80.0 % are in force by then, 24.2 % short, met with a probability of 0 %. No limit of time, risk, effort, levers or least saving holds anything back.
  $ tare plan --target-frac 0.8 --within 21d --lever rightsize_count --effort 0.5 | grep -A9 ^Target; tare plan --target-frac 0.8 --within 21d --lever share --effort 0.5 -o json | $FILES/../data/get 'd.target.limits_add_frac'
  Target -80 % by 2026-12-12: out of reach. These steps come nearest: 0 % in force
  then, 7,057 $/month (730 h) short of it, the target met with a probability of 0
  % (95 % are asked for). Held back by limits: together 55.8 % (4,918 $/month (730
  h)). Without these: tare plan --target-frac 0.8 --within 21d --risk high
  --min-saving 0
  
  What the history does not tell:
    80 % is out of reach within 21 days: what comes nearest saves 0.0 % and meets
    it with a probability of 0 %; more time saves no more, without the other
    limits 55.8 % more in time
  0.557574
  ! tare: the target is out of reach: 0.0 % of 80.0 % are in force by then, 80.0 % short, met with a probability of 0 %. Held back by limits: together 55.8 % (4,918 $/month (730 h)). Without these: tare plan --target-frac 0.8 --within 21d --risk high --min-saving 0
  $ tare plan --target-frac 0.2 --within 6h | sed -n '3,7p; /out of reach within/,+1p'; tare plan --target-frac 0.2 --within 6h --refused -q | grep in.force
  No change that is known is in force by the day asked for.
  
  Target -20 % by 2026-11-21, 1,764 $/month (730 h) less: out of reach, as nothing
  is in force by then. The first of what is known is on 2026-11-22; all of it
  saves 55.8 % (4,918 $/month (730 h)) with more time.
    20 % is out of reach within 0.25 days: what comes nearest saves 0.0 % and
    meets it with a probability of 0 %; with more time it is 55.8 %
    trim_time-vision-train---ann-4xa100-sxm4-80gb: is in force after 1 day only
  $ tare plan --target-frac 0.8 --within 21d --by team
  $/month (730 h), the plan as replayed against today; tare plan heads with the
  median
  
  team    today  after  saves  change
  vision  7,300  2,382  4,918   -67 %
  nlp     1,521  1,521      0     0 %
  ───────────────────────────────────
          8,821  3,903  4,918   -56 %
  ! tare: the target is out of reach: 55.8 % of 80.0 % are in force by then, 24.2 % short, met with a probability of 0 %. No limit of time, risk, effort, levers or least saving holds anything back.
  [1]
