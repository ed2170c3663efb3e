What tare plan says where it cannot know: no store, an empty ledger, a day of history, nothing measured; and rubbish.

  $ tare plan
  ! tare: there is no store in '$TMP/db' yet
  !       Bring something in with `tare import FILE`, or try `tare demo`
  [2]

  $ tare explain 1
  ! tare: there is no store in '$TMP/db' yet
  !       Bring something in with `tare import FILE`, or try `tare demo`
  [2]

  $ tare plan dismiss spot-vision --reason no
  ! tare: there is no store in '$TMP/db' yet
  !       Bring something in with `tare import FILE`, or try `tare demo`
  [2]

  $ tare plan --risk none
  ! tare: --risk does not know 'none': it takes low|medium|high
  !       See: tare plan --help
  [2]

  $ tare plan --lever spit
  ! tare: --lever: 'spit' is not a lever. Did you mean 'spot'?
  !       See: tare plan --help
  [2]

  $ tare plan --lever autoscale
  ! tare: --lever: 'autoscale' is not in this version of tare
  !       See: tare plan --help
  [2]

  $ tare plan --lever ,
  ! tare: --lever names none
  !       See: tare plan --help
  [2]

  $ for e in -1 nan 1e9 x; do tare plan --effort=$e; done
  ! tare: --effort: '-1' is not a number of days from 0 to 1000000, such as 2
  !       See: tare plan --help
  ! tare: --effort: 'nan' is not a number of days from 0 to 1000000, such as 2
  !       See: tare plan --help
  ! tare: --effort: '1e9' is not a number of days from 0 to 1000000, such as 2
  !       See: tare plan --help
  ! tare: --effort: 'x' is not a number of days from 0 to 1000000, such as 2
  !       See: tare plan --help
  [2]

  $ tare plan --min-saving 99999999999999999
  ! tare: --min-saving: '99999999999999999' is not an amount a month from 0 to 9000000000, such as 1
  !       See: tare plan --help
  [2]

  $ tare plan --min-saving=-5
  ! tare: --min-saving: '-5' is not an amount a month from 0 to 9000000000, such as 1
  !       See: tare plan --help
  [2]

  $ tare plan --horizon 1h
  ! tare: --horizon: '1h' is not a duration of a day or more, such as 90d or 1y
  !       See: tare plan --help
  [2]

  $ tare plan --target-frac 0.4
  ! tare: --target-frac and --within go together, such as --target-frac 0.4 --within 21d
  !       See: tare plan --help
  [2]

  $ tare plan --within 3d
  ! tare: --target-frac and --within go together, such as --target-frac 0.4 --within 21d
  !       See: tare plan --help
  [2]

  $ for f in 0 1 -0.4 40 nan; do tare plan --target-frac=$f --within 21d 2>&1 | head -1; done
  tare: --target-frac: '0' is not a share between 0 and 1, such as 0.4
  tare: --target-frac: '1' is not a share between 0 and 1, such as 0.4
  tare: --target-frac: '-0.4' is not a share between 0 and 1, such as 0.4
  tare: --target-frac: '40' is not a share between 0 and 1, such as 0.4
  tare: --target-frac: 'nan' is not a share between 0 and 1, such as 0.4

  $ tare plan --target-frac 0.4 --within soon
  ! tare: --within: 'soon' is not a duration such as 21d
  !       See: tare plan --help
  [2]

  $ tare plan --seed x
  ! tare: --seed: 'x' is not a whole number of 0 or more, such as 1
  !       See: tare plan --help
  [2]

  $ tare plan --by color
  ! tare: --by does not know 'color': it takes workload|team|project|env|cluster|user|service|purchase|gpu_model|kind|lever
  !       See: tare plan --help
  [2]

  $ tare plan --findings --refused
  ! tare: only one of --by, --calendar, --case-study, --findings, --refused, --backtest and --html at a time
  !       See: tare plan --help
  [2]

  $ tare plan -o focus
  ! tare: a plan has no FOCUS rows: -o takes table, json, csv or md here
  !       See: tare plan --help
  [2]

  $ tare plan nothing
  ! tare: plan has no 'nothing'
  !       See: tare plan --help
  [2]

  $ tare plan dismiss 1
  ! tare: a dismissal needs a --reason: it is shown with the next plans
  !       See: tare plan dismiss --help
  [2]

  $ tare plan accept
  ! tare: which one? name its number in the last plan, or its id
  !       See: tare plan accept --help
  [2]

  $ tare plan accept 1 2
  ! tare: one recommendation at a time: '2' is too much
  !       See: tare plan accept --help
  [2]

  $ tare explain
  ! tare: what? name a number or an id of the last plan, or a job
  !       See: tare explain --help
  [2]

  $ tare explain 1 2
  ! tare: one at a time
  !       See: tare explain --help
  [2]

  $ cat > bad.yaml <<'EOT'
  > version: 1
  > plan:
  >   max_term: 2y
  > EOT

Settings of the plan are read when there is something to plan.

  $ cat > prices.csv <<'EOT'
  > provider,region,instance_type,gpu_model,gpu_count,purchase,usd_hour,from
  > aws,us-east-1,p3.2xlarge,V100-SXM2-16GB,1,on_demand,3.06,2026-01-01T00:00:00Z
  > EOT

  $ tare import -q prices.csv

  $ tare plan --config bad.yaml
  ! tare: 'bad.yaml' line 3: 'max_term' must be none, 1y or 3y, not '2y'
  !       Did you mean '1y'?
  [2]

  $ tare plan
  ! tare: the ledger is empty: there is nothing to plan from
  !       Bring in bills, job lists and telemetry: tare import FILE...   Or see it on an example: tare demo
  [3]

  $ tare plan -o json
  ! tare: the ledger is empty: there is nothing to plan from
  !       Bring in bills, job lists and telemetry: tare import FILE...   Or see it on an example: tare demo
  [3]

A day of a machine, and a job that nobody measured: the plan says what it cannot know, and no amount after.

  $ cat > nodes.csv <<'EOT'
  > node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,usd_hour
  > n1,aws,us-east-1,p3.8xlarge,V100-SXM2-16GB,4,on_demand,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,12.24
  > EOT

  $ cat > jobs.csv <<'EOT'
  > job_id,user,team,gpus,submit,start,end,state,node
  > 41,ann,vision,4,2026-11-01T00:00:00Z,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,COMPLETED,n1
  > EOT

  $ tare import -q nodes.csv jobs.csv

  $ tare plan
  Today      8,935 $/month (730 h)            replayed on 24 h, 1 job
  
  Nothing can be decided from what is known here.
  
  What the history does not tell:
    the job list does not tell what they booked (limit_s)
    100 % of the GPU time has no readings: what it did is unknown, and unknown is
    never waste
    the window is shorter than a week: what repeats by the week cannot be seen
    spot: too few runs or GPU-hours of their habit (plan.gates.spot_runs,
    spot_gpu_hours): 1 job.
    commit: 0.1 weeks of use are too few to be bound for a year: 4 are the least,
    and 8 for all of what always runs
    1.0 days of history show no spread: ranges go from nothing to twice the
    saving; import more
    no reading says what the GPUs did, and no saving can be proven without
    one file more that would open most: telemetry (DCGM, Prometheus, nvidia-smi,
    any CSV): idle time of each job; right size, booked time
  
  Looked at, nothing to propose:
    trim_time (runs: 1): 1 run once
    input_bound (jobs: 1): 1 without readings of their work, or not for long
    enough
    rightsize_count (runs: 1): 1 without readings of each GPU
    rightsize_gpu (runs: 1): 1 of too few of a kind (plan.gates.gpu_runs,
    gpu_weeks)
  
  tare plan --findings   what was seen    tare report --by state   what it did
  [3]

  $ tare plan -o json > plan.json
  ! tare: nothing can be decided from this history; "notes" say why
  [3]

  $ python3 -c 'import json; d=json.load(open("plan.json")); print(d["baseline"], d["after"], d["saving_frac"], d["recommendations"], d["undecidable"])'
  {'cost_month': '8935.2', 'recent_month': None} {'cost_month': None, 'p05': None, 'p95': None} None [] True

  $ tare plan --findings
  What was observed, $/month (730 h). Findings overlap: they are no sum.
  
  Without readings nothing can be found.
  
  the job list does not tell what they booked (limit_s)
  100 % of the GPU time has no readings: what it did is unknown, and unknown is
  never waste
  the window is shorter than a week: what repeats by the week cannot be seen
  spot: too few runs or GPU-hours of their habit (plan.gates.spot_runs,
  spot_gpu_hours): 1 job.
  commit: 0.1 weeks of use are too few to be bound for a year: 4 are the least,
  and 8 for all of what always runs
  1.0 days of history show no spread: ranges go from nothing to twice the saving;
  import more
  no reading says what the GPUs did, and no saving can be proven without
  one file more that would open most: telemetry (DCGM, Prometheus, nvidia-smi, any
  CSV): idle time of each job; right size, booked time
  
  tare plan   what to change    tare report --by state   where the time went
  [3]

  $ tare plan -o md | head -3
  Today      8,935 $/month (730 h)            replayed on 24 h, 1 job
  
  Nothing can be decided from what is known here.
  ! tare: nothing can be decided from this history; "notes" say why

  $ tare plan --html - 2>/dev/null | grep -c 'nothing can be decided'
  1

  $ tare explain 41
  Job 41
  Whose       ann, team vision, training
  
  On          n1, p3.8xlarge, 4 x V100-SXM2-16GB, on_demand
  Ran         2026-11-01T00:00 to 2026-11-02T00:00, 1 d 0 h
  Ended       COMPLETED after 1 attempt
  Cost        293.76 USD for 96.0 GPU·h in the window
  Did         unknown 100 % (293.76)
  Used        unknown: no reading
  If stopped  not known whether it saves its state

  $ tare explain 1
  ! tare: '1' is neither a recommendation of the plan nor a job of the history
  !       Numbers and ids are those of: tare plan
  [2]

  $ tare explain nothing -o json
  ! tare: 'nothing' is neither a recommendation of the plan nor a job of the history
  !       Numbers and ids are those of: tare plan
  [2]

  $ tare plan accept 1
  ! tare: the last plan recommends nothing: there is no number 1
  !       See: tare plan
  [2]

  $ tare plan dismiss spot-vision --reason "not ours"
  ! tare: the last plan has no 'spot-vision'
  !       Its ids: tare plan -o csv
  [2]

  $ tare plan reset spot-vision
  ! tare: the last plan has no 'spot-vision'
  !       Its ids: tare plan -o csv
  [2]

A machine of one's own cannot be given back.

  $ cat > own.csv <<'EOT'
  > node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour
  > own1,,,A100-SXM4-80GB,8,owned,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,5
  > EOT

  $ tare import -q --db own own.csv

  $ tare plan --db own | head -4
  Today      3,650 $/month (730 h)            replayed on 24 h
  
  Nothing can be decided from what is known here.
  

A team of the settings that nobody is called freezes nothing: that is said.

  $ printf 'version: 1\nplan:\n  frozen_teams: [visoin]\n' > frozen.yaml; tare plan --config frozen.yaml | grep visoin
    frozen_teams: no team of this history is called 'visoin'
