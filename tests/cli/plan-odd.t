Histories in which something is odd: the plan counts what it knows, says what it does not, and never makes up a saving.

  $ header=job_id,user,team,workload,name,gpu_model,gpus,gpu_ids,start,end,state,limit_s,node,cluster
  > echo node,provider,region,zone,instance_type,gpu_model,gpu_count,purchase,from,to,cluster > nodes.csv
  > echo n1,aws,us-east-1,us-east-1a,p3.8xlarge,V100-SXM2-16GB,4,on_demand,2026-10-01T00:00:00Z,2026-10-11T00:00:00Z,c >> nodes.csv
  > echo $header > allocations.csv
  > echo "1,ann,vision,training,a-1,V100-SXM2-16GB,4,0;1;2;3,2026-10-01T00:00:00Z,2026-10-06T00:00:00Z,COMPLETED,864000,n1,c" >> allocations.csv

Two jobs say that they hold the same GPUs at the same time: shares are scaled, no time is idle twice or negative.

  $ cp allocations.csv twice.csv; echo "2,bob,nlp,training,b-1,V100-SXM2-16GB,4,0;1;2;3,2026-10-04T00:00:00Z,2026-10-09T00:00:00Z,COMPLETED,864000,n1,c" >> twice.csv
  > tare import -q --db twice nodes.csv --as nodes; tare import -q --db twice twice.csv --as allocations --covers c --since 2026-10-01 --until 2026-11-21
  > tare plan --db twice --findings
  What was observed, $/month (730 h). Findings overlap: they are no sum.
  
  c has machines that wait between jobs                                      1,787
    unallocated, assumed · machines 1 · GPU time 192.0 GPU·h · acted on by
    stop_idle
  
  the job list does not tell how long they waited (submit)
  spot: no market is known for the machines of 2 jobs: a listed or advised price
  is none, it takes prices recorded over plan.gates.spot_market_weeks
  (`tare price update`, `tare import --as prices`).
  commit: 1.4 weeks of use are too few to be bound for a year: 4 are the least,
  and 8 for all of what always runs
  10.0 days of history: ranges are drawn from days, not weeks, and weekends weigh
  little; import more
  
  tare plan --db twice   what to change
  tare report --by state --db twice   where the time went

A job that began before the data and goes on after it.

  $ head -1 allocations.csv > long.csv; echo "3,ann,vision,training,a-1,V100-SXM2-16GB,4,0;1;2;3,2026-08-01T00:00:00Z,2026-11-20T00:00:00Z,RUNNING,,n1,c" >> long.csv
  > tare import -q --db long nodes.csv --as nodes; tare import -q --db long long.csv --as allocations --covers c --since 2026-10-01 --until 2026-11-21
  > tare plan --db long
  Today      8,935 $/month (730 h)            replayed on 10 days, 1 job
  
  Nothing can be decided from what is known here.
  
  What the history does not tell:
    the job list does not tell what they booked (limit_s), how long they waited
    (submit)
    1 job began before the data or went on after it: only the part in the window
    is known
    100 % of the GPU time has no readings: what it did is unknown, and unknown is
    never waste
    commit: 1.4 weeks of use are too few to be bound for a year: 4 are the least,
    and 8 for all of what always runs
    10.0 days of history: ranges are drawn from days, not weeks, and weekends
    weigh little; import more
    no reading says what the GPUs did, and no saving can be proven without
    one file more that would open most: telemetry (DCGM, Prometheus, nvidia-smi,
    any CSV): idle time of each job; right size, booked time
  
  Looked at, nothing to propose:
    input_bound (jobs: 1): 1 without readings of their work, or not for long
    enough
  
  tare plan --db long --findings   what was seen
  tare report --by state --db long   what it did
  [3]

A machine that nobody has a price for.

  $ sed 's/aws,us-east-1,us-east-1a,p3.8xlarge/lab,cellar,,own-4/' nodes.csv > lab.csv
  > tare import -q --db lab lab.csv --as nodes; tare import -q --db lab allocations.csv --as allocations
  > tare plan --db lab
  Today      2,920 GPU·h/month (730 h)        replayed on 10 days, 1 job
  
  No change can be decided from what is known here; this is what it says.
  
  What the jobs say, GPU·h/month (730 h), in no sum:
               1 job books 960 GPU·h and run 480 GPU·h, 50 % of it: shorter limits
               start sooner
  tare explain advice-over-booked --db lab   what it rests on
  
  What the history does not tell:
    the job list does not tell how long they waited (submit)
    nothing has a price: amounts are GPU-hours, and what compares prices (another
    GPU, region, spot, commitments) is left out; with a price
    (tare import --set usd_gpu_hour=PRICE --replace FILE) they are money; --map
    and --as are said again where FILE took one
    480.0 GPU·h belong to no job that is known and have no readings: job lists and
    telemetry would tell what they did
    100 % of the GPU time has no readings: what it did is unknown, and unknown is
    never waste
    'c' (1 machine, 480 GPU·h in the window) was watched by nobody for 480 GPU·h
    of the time: no job list covers it and nothing read it then, so it is never
    stopped; import its jobs (tare import --covers) or its readings
    10.0 days of history: ranges are drawn from days, not weeks, and weekends
    weigh little; import more
    no reading says what the GPUs did, and no saving can be proven without
    one file more that would open most: telemetry (DCGM, Prometheus, nvidia-smi,
    any CSV): idle time of each job; right size, booked time
  
  Looked at, nothing to propose:
    trim_time (runs: 1): 1 run once
    input_bound (jobs: 1): 1 without readings of their work, or not for long
    enough
    rightsize_count (runs: 1): 1 without readings of each GPU
  
  tare plan --db lab --findings   what was seen
  tare report --by state --db lab   what it did
  [3]

Half a day.

  $ sed 's/10-11T/10-01T/; s/,2026-10-01T00:00:00Z,c$/,2026-10-01T12:00:00Z,c/' nodes.csv > short.csv
  > tare import -q --db short short.csv --as nodes
  > tare plan --db short
  Today      8,935 $/month (730 h)            replayed on 12 h
  
  Nothing can be decided from what is known here.
  
  What the history does not tell:
    less than one day of history: nothing can be told from it; import more
    48.0 GPU·h belong to no job that is known and have no readings: job lists and
    telemetry would tell what they did
    100 % of the GPU time has no readings: what it did is unknown, and unknown is
    never waste
    the window is shorter than a week: what repeats by the week cannot be seen
    one file more that would open most: a job list (sacct, OpenCost, any CSV):
    machines that nobody holds
  
  tare plan --db short --findings   what was seen
  tare report --by state --db short   what it did
  [3]

A machine without jobs, telemetry or a job list: it may be idle, and it may not.

  $ tare import -q --db alone nodes.csv --as nodes
  > tare plan --db alone
  Today      8,935 $/month (730 h)            replayed on 10 days
  
  Nothing can be decided from what is known here.
  
  What the history does not tell:
    960.0 GPU·h belong to no job that is known and have no readings: job lists and
    telemetry would tell what they did
    100 % of the GPU time has no readings: what it did is unknown, and unknown is
    never waste
    'c' (1 machine, 2,938 USD in the window) was watched by nobody: no job list
    covers it and nothing read it, so it is never stopped; import its jobs
    (tare import --covers) or its readings
    commit: 1.4 weeks of use are too few to be bound for a year: 4 are the least,
    and 8 for all of what always runs
    10.0 days of history: ranges are drawn from days, not weeks, and weekends
    weigh little; import more
    nobody says who held the GPUs, nor what they did, and no saving can be proven
    without
    one file more that would open most: a job list (sacct, OpenCost, any CSV):
    machines that nobody holds
  
  tare plan --db alone --findings   what was seen
  tare report --by state --db alone   what it did
  [3]

Machines of which the job list names none: much of them is free, but nobody knows which.

  $ printf 'node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\n' > pool.csv
  > for i in 1 2 3 4; do echo "m$i,aws,us-east-1,p3.8xlarge,V100,4,on_demand,2026-11-01T00:00:00Z,2026-11-11T00:00:00Z,lab,12.24" >> pool.csv; done
  > printf 'job_id,team,gpus,gpu_model,cluster,start,end\n1,vision,4,V100,lab,2026-11-02T00:00:00Z,2026-11-03T00:00:00Z\n' > pooled.csv
  > tare import -q --db pool pool.csv --as nodes; tare import -q --db pool pooled.csv --as allocations --covers lab --since 2026-10-01 --until 2026-11-21
  > tare plan --db pool | sed -n '/tell:/,/^$/p'
  What the history does not tell:
    the job list does not tell how jobs ended (state), what they booked (limit_s),
    how long they waited (submit)
    11,457 USD of the window's cost is time that nobody held and is left alone:
    the job lists name no machine there, so none can be called free: name the node
    of each job
    spot: too few runs or GPU-hours of their habit (plan.gates.spot_runs,
    spot_gpu_hours): 1 job.
    commit: 1.4 weeks of use are too few to be bound for a year: 4 are the least,
    and 8 for all of what always runs
    10.0 days of history: ranges are drawn from days, not weeks, and weekends
    weigh little; import more
    one file more that would open most: telemetry (DCGM, Prometheus, nvidia-smi,
    any CSV): idle time of each job; right size, booked time
  

A commitment that ends soon: only the settings know.

  $ printf 'version: 1\nplan:\n  commitments:\n    - {name: compute-1y, ends: 2026-12-24, usd_hour: 34.90}\n    - {name: later, ends: 2027-12-24, usd_hour: 10}\n' > ends.yaml
  $ tare plan --db long --config ends.yaml --findings | sed -n '/^commitment/,/^$/p'
  commitment 'compute-1y' ends in 33 days: resize it, renew it or           25,477
    let it go
    commitment_expiring, measured · ends 2026-12-24 · committed 34.90 $/h · by
    hand: commit again to what always runs, not to what was committed: tare plan
    commit
  

A name of 256 bytes is cut where people read, and whole where programs do.

  $ head -1 allocations.csv > wide.csv; echo "job-1,ann,$(printf 'x%.0s' $(seq 256)),training,a-1,V100-SXM2-16GB,4,0;1;2;3,2026-10-01T00:00:00Z,2026-10-06T00:00:00Z,FAILED,864000,n1,c" >> wide.csv
  > tare import -q --db wide nodes.csv --as nodes; tare import -q --db wide wide.csv --as allocations --covers c --since 2026-10-01 --until 2026-11-21
  > tare explain --db wide job-1 | head -2
  > tare plan --db wide --findings | wc -L; tare explain --db wide job-1 | wc -L
  > tare plan --db wide --findings -o json | grep -c "$(printf 'x%.0s' $(seq 256))"
  Job job-1: a-1
  Whose       ann, team
  80
  80
  1

A commitment that was looked at and does not pay is said with its numbers: more expensive than what is paid, and of what always ran less than a machine is left.

  $ sed 's/2026-10-01T/2026-09-11T/; s/2026-10-11T/2026-11-20T/' nodes.csv > two.csv; sed 1d two.csv | sed 's/^n1/n2/; s/p3.8xlarge/p4d.24xlarge/; s/V100-SXM2-16GB,4/A100-SXM4-40GB,8/; s/2026-11-20T/2026-11-15T/' >> two.csv
  > head -1 allocations.csv > two-jobs.csv; echo "1,ann,vision,training,a-1,V100-SXM2-16GB,4,0;1;2;3,2026-09-11T00:00:00Z,2026-11-20T00:00:00Z,RUNNING,,n1,c" >> two-jobs.csv
  > echo "2,ann,vision,training,a-2,A100-SXM4-40GB,8,0;1;2;3;4;5;6;7,2026-09-11T00:00:00Z,2026-11-15T00:00:00Z,RUNNING,,n2,c" >> two-jobs.csv
  > echo provider,region,instance_type,gpu_model,gpu_count,purchase,term,usd_hour,from > rates.csv
  > echo aws,us-east-1,p3.8xlarge,V100-SXM2-16GB,4,on_demand,,12.24,2026-01-01 >> rates.csv; echo aws,us-east-1,p3.8xlarge,V100-SXM2-16GB,4,reserved_1y,1y,12.48,2026-01-01 >> rates.csv
  > echo aws,us-east-1,p4d.24xlarge,A100-SXM4-40GB,8,on_demand,,24,2026-01-01 >> rates.csv; echo aws,us-east-1,p4d.24xlarge,A100-SXM4-40GB,8,reserved_1y,1y,16,2026-01-01 >> rates.csv
  > tare import -q --db two rates.csv --as prices; tare import -q --db two two.csv --as nodes; tare import -q --db two two-jobs.csv --as allocations
  > tare plan --db two --lever commit -o json > two.json; $FILES/../data/get 'refused[0].id' 'refused[0].title' 'refused[0].why' 'refused[0].alone_month' 'len(refused)' '[n for n in d.notes if n.startswith("commit")]' < two.json
  > tare plan trial --db two commit-p4d.24xlarge-us-east-1
  commit-p4d.24xlarge-us-east-1
  A100-SXM4-40GB: commit to 8 GPUs of p4d.24xlarge for 1y
  of the 8.00 GPUs that always ran, use as it changed supports 0.00 over 1y at this price: less than a machine
  None
  1
  ['commit: no cheaper than what is paid: p3.8xlarge in us-east-1 (3.1200 for 1y, 3.0600 $/GPU·h paid)']
  ! tare: nothing can be decided from this history; "notes" say why
  ! tare: 'commit-p4d.24xlarge-us-east-1' has nothing to try: of the 8.00 GPUs that always ran, use as it changed supports 0.00 over 1y at this price: less than a machine
  !       All that was not taken: tare plan --refused --db two
  [2]

Advice has no lines to carry out, and can be dismissed: it is not shown again until it says something else.

  $ tare plan --db lab > plan.txt; for c in accept apply; do tare plan $c --db lab advice-over-booked; done; tare plan trial --db lab advice-over-booked
  ! tare: 'advice-over-booked' is advice: it was not replayed, is in no sum and has no lines to carry out
  !       What it rests on: tare explain advice-over-booked --db lab; not to see it again: tare plan dismiss advice-over-booked --db lab --reason TEXT
  ! tare: 'advice-over-booked' is advice: it was not replayed, is in no sum and has no lines to carry out
  !       What it rests on: tare explain advice-over-booked --db lab; not to see it again: tare plan dismiss advice-over-booked --db lab --reason TEXT
  ! tare: 'advice-over-booked' says what was seen: there is nothing to try
  !       All of it: tare explain advice-over-booked --db lab
  [2]
  $ USER=ann tare plan dismiss --db lab advice-over-booked --reason "they book what they want"; tare plan --db lab | grep -c "1 job books"; tare plan --db lab --refused | sed -n 1,7p
  > tare explain --db lab advice-over-booked; tare plan dismiss --db lab advice-over-book --reason x
  Dismissed advice-over-booked; it is not shown again until it says something else, or: tare plan reset advice-over-booked --db lab
  0
  Proposed and not taken. What each would save, GPU·h/month (730 h):
  
  1 job books 960 GPU·h and run 480 GPU·h, 50 % of it: shorter                   -
    limits start sooner
    advice-over-booked: dismissed by ann on 2026-11-21: they book what they want
  
  Looked at, and left as it is:
  -  1 job books 960 GPU·h and run 480 GPU·h, 50 % of it: shorter limits start
     sooner
     advice-over-booked
  
  Effort      0.5 days of work by platform, in force after 1 day
  Decided     dismissed by ann on 2026-11-21: they book what they want
  
  Why
    jobs that were read                                          1 rows  measured
    history                                                    5.0 days  measured
    From: job list
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    A limit kills: what takes longer than it did before is lost, without
    checkpoints.
  
  Not shown with plans, as long as it says the same and is about as much. To see
  it again:
  tare plan reset advice-over-booked --db lab
  ! tare: the last plan has no 'advice-over-book'
  !       Its ids: tare plan -o csv --db lab
  [2]
  $ tare plan reset --db lab advice-over-booked; tare plan --db lab | grep "1 job books"
  Forgot what was decided about advice-over-booked.
               1 job books 960 GPU·h and run 480 GPU·h, 50 % of it: shorter limits
  $ tare plan --db two --lever commit -q > plan.txt; tare explain --db two commit-p4d.24xlarge-us-east-1; tare plan apply --db two commit-p4d.24xlarge-us-east-1
  ! tare: 'commit-p4d.24xlarge-us-east-1' (A100-SXM4-40GB: commit to 8 GPUs of p4d.24xlarge for 1y) is not in the plan: of the 8.00 GPUs that always ran, use as it changed supports 0.00 over 1y at this price: less than a machine
  !       All that was not taken: tare plan --refused --db two
  ! tare: 'commit-p4d.24xlarge-us-east-1' is not in the plan: of the 8.00 GPUs that always ran, use as it changed supports 0.00 over 1y at this price: less than a machine
  !       All that was not taken: tare plan --refused --db two
  [2]

What has no price costs an unknown amount, not 0: of two teams of a job list one is on a machine without a price.

  $ cat > nodes.csv <<EOF
  > node,provider,region,cluster,gpu_model,gpu_count,purchase,from,to,usd_hour
  > a1,own,eu,c1,L4,4,owned,2026-03-02T00:00:00Z,2026-03-16T00:00:00Z,
  > b1,own,eu,c1,L4,4,on_demand,2026-03-02T00:00:00Z,2026-03-16T00:00:00Z,10
  > EOF
  $ cat > jobs.csv <<EOF
  > job_id,user,team,name,cluster,node,gpus,submit,start,end,state
  > 1,u,ours,train-1,c1,a1,4,2026-03-03T00:00:00Z,2026-03-03T00:00:00Z,2026-03-03T08:00:00Z,COMPLETED
  > 2,u,rented,train-2,c1,b1,4,2026-03-03T00:00:00Z,2026-03-03T00:00:00Z,2026-03-03T08:00:00Z,COMPLETED
  > EOF
  $ tare import -q --db unpriced nodes.csv; tare import -q --db unpriced --covers c1 jobs.csv; tare plan --db unpriced --by team -o csv; tare plan --db unpriced --by team | grep ours
  team,currency,baseline_month,after_month,saving_month
  (nobody),USD,7126.190476190476,,
  rented,USD,173.809523809524,,
  ours,USD,,,
  ours          -      -      -       -
  ! tare: nothing can be decided from this history; why says: tare plan --db unpriced
  $ tare explain --db unpriced 1 | grep -E '^(Cost|Did)'; tare explain --db unpriced 1 -o json | grep -o '"cost":[^,]*'
  Cost        - for 32.0 GPU·h in the window: without a price
  Did         unknown 100 %
  "cost":null
  "cost":null

Time that nobody watched makes no plan look safer. A job of 20 h (booked: 24) each second day on a; z is held by nobody. The list covers its own
time, or all of it: an hour before the first job, and the time after the last, are unknown or known to be free.

  $ mkdir edges; python3 - <<'X'
  > import datetime as dt
  > at, hour = dt.datetime(2026, 10, 1), dt.timedelta(hours=1)
  > iso = lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ")
  > with open("edges/nodes.csv", "w") as f:
  >     f.write("node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour,cluster\n")
  >     for node in "az": f.write(f"{node},own,here,A100-SXM4-80GB,8,on_demand,2026-10-01,2026-10-29,16,c\n")
  > with open("edges/jobs.csv", "w") as f:
  >     f.write("job_id,user,gpus,node,submit,start,end,limit_s,state,cluster\n")
  >     for i, h in enumerate([*range(1, 640, 48), 649]):
  >         start, end = at + h * hour, at + (h + 20) * hour
  >         f.write(f"j{i},u,8,a,{iso(start)},{iso(start)},{iso(end)},86400,COMPLETED,c\n")
  > X
  $ tare import -q --db e1 edges/nodes.csv; tare import -q --db e1 --covers c edges/jobs.csv
  $ tare import -q --db e2 edges/nodes.csv; tare import -q --db e2 --covers c --since 2026-10-01 --until 2026-10-29 edges/jobs.csv
  $ for s in e1 e2; do tare report --db $s --by state -o csv | grep unknown | cut -d, -f1-3; tare plan --db $s | sed -n '/ #  do/,/^$/p'; tare plan --db $s --refused | sed -n '3,6p'; done
  state,currency,gpu_seconds
  unknown,USD,8870400
   #  do                                      saves $/month    range  tier    days
   1  stop c: 1 machine that no job has held         11,607  11-12 K  Ready      1
      for 27 days
  
  c: give free machines back after 15 minutes, boot them when a job          6,315
    asks
    stop_idle-c-between-jobs: risk is high: in replay 14 of 15 jobs end after
    their deadline
  state,currency,gpu_seconds
  unknown,USD,8640000
   #  do                                        saves $/month  range  tier    days
   1  stop c: 1 machine that no job has held           11,680   12 K  Ready      1
      for 28 days
  
  c: give free machines back after 15 minutes, boot them when a job          6,374
    asks
    stop_idle-c-between-jobs: risk is high: in replay 14 of 15 jobs end after
    their deadline

The stop is scored on what is known of the second half, its days are fewer than 14. Where that was not watched, nobody can tell: unknown is not 0.

  $ head -9 edges/jobs.csv > edges/first.csv; tare import -q --db e3 edges/nodes.csv; tare import -q --db e3 --covers c --since 2026-10-01 --until 2026-10-16 edges/first.csv
  $ for s in e1 e2 e3; do tare plan --db $s --backtest; done
  Planned on the first half of the history, scored on the second; $/month (730 h)
  
  planned on the first half                           foretold  range    came  within
  stop c: 1 machine that no job has held for 14 days    11,648   12 K  11,680  yes
  ───────────────────────────────────────────────────────────────────────────────────
                                                        11,648         11,680
  
  1 of 1 outcomes lie within their range (100 %; 90 % would be perfect).
  Planned on the first half of the history, scored on the second; $/month (730 h)
  
  planned on the first half                           foretold  range    came  within
  stop c: 1 machine that no job has held for 14 days    11,680   sure  11,680  yes
  ───────────────────────────────────────────────────────────────────────────────────
                                                        11,680         11,680
  
  1 of 1 outcomes lie within their range (100 %; 90 % would be perfect).
  Planned on the first half of the history, scored on the second; $/month (730 h)
  
  planned on the first half                           foretold  range  came  within
  stop c: 1 machine that no job has held for 14 days    11,680   sure     -  unknown
  ──────────────────────────────────────────────────────────────────────────────────
                                                             0            0
  
  0 of 0 outcomes lie within their range (-; 90 % would be perfect).
  1 more cannot be told, and is in no sum: the machines were not watched in the second half.
  $ tare plan --db e3 --backtest -o json | python3 -c 'import json, sys; b = json.load(sys.stdin); print(b["outcomes"], b["unknown"], [(r["realised_month"], r["within"]) for r in b["rows"]])'
  0 1 [(None, None)]
