A machine held day and night, in use from 9 to 15 on weekdays: the timetable, with how to do it and how to undo it.

  $ python3 - <<'END'
  > import datetime as dt
  > o = dt.datetime(2026, 10, 5)
  > at = lambda h: (o + dt.timedelta(hours=h)).isoformat() + "Z"
  > open("nodes.csv", "w").write("node,provider,region,zone,instance_type,gpu_model,gpu_count,purchase,from,to,cluster\n"
  >     f"dev1,aws,us-east-1,us-east-1a,p3.2xlarge,V100-SXM2-16GB,1,on_demand,{at(0)},{at(672)},dev\n")
  > open("allocations.csv", "w").write("job_id,user,team,workload,name,gpu_model,gpus,start,end,state,node\n"
  >     f"nb1,ann,vision,research,lab,V100-SXM2-16GB,1,{at(0)},{at(672)},COMPLETED,dev1\n")
  > with open("samples.csv", "w") as f:
  >     f.write("time,node,gpu,gpu_util_pct,mem_used_bytes,step_s\n")
  >     for k in range(672 * 2):
  >         t = o + dt.timedelta(minutes=30 * k)
  >         f.write(f"{t.isoformat()}Z,dev1,0,{80 if t.weekday() < 5 and 9 <= t.hour < 15 else 0},8000000000,1800\n")
  > END
  $ tare import -q --as nodes nodes.csv; tare import -q --as allocations allocations.csv; tare import -q --as samples samples.csv
  $ tare plan --lever schedule
  Today      2,234 $/month (730 h)            replayed on 28 days, 1 job
  After all    537 $/month   -76 %            9 of 10 cases: -68 to -76 %
  
                              saves $/month   after it
    Ready       (can be undone)       1,697       -76 %
    Try first   (a trial decides)         -           -
    Commit      (binds money)             -           -
  
   #  do                                    saves $/month      range  tier    days
   1  vision: on 40 of 168 hours a week in          1,697  1.4-2.0 K  Ready      1
      dev, by timetable
  
  Carried out as printed, on your own history: 0 jobs cut, 0 late, 0 out of
  memory.
  The same plan would save 76 % with prices -10 %.
  
  tare explain 1   why, evidence, replay    tare plan apply 1   how to do it
  $ tare explain 1 -o json | python3 -c "import json, sys; r = json.load(sys.stdin); r = r.get('recommendation', r); print(*r['apply'][:4], *r['undo'], sep='\n')"
  cat > /etc/cron.d/tare-schedule-vision-dev <<'END'
  CRON_TZ=UTC
  0 8 * * 1,2,3,4,5 root aws ec2 start-instances --region us-east-1 --instance-ids $(aws ec2 describe-instances --region us-east-1 --filters Name=tag:Name,Values=dev1 --query 'Reservations[].Instances[].InstanceId' --output text)
  0 16 * * 1,2,3,4,5 root aws ec2 stop-instances --region us-east-1 --instance-ids $(aws ec2 describe-instances --region us-east-1 --filters Name=tag:Name,Values=dev1 --query 'Reservations[].Instances[].InstanceId' --output text)
  rm /etc/cron.d/tare-schedule-vision-dev
  aws ec2 start-instances --region us-east-1 --instance-ids $(aws ec2 describe-instances --region us-east-1 --filters Name=tag:Name,Values=dev1 --query 'Reservations[].Instances[].InstanceId' --output text)

Its demand to come, with a project that no history knows of.

  $ tare plan forecast --horizon 48h --add nlp:H100:16:2026-11-02:2026-11-03T12:00:00Z
  GPUs held: 672 hours of history to 2026-11-02T00:00 · forecast of 2 days from there, by the hour
  
  team    GPU             last 7 d  mean  10 %  90 %  peak 95 %  MASE  planned  method
  nlp     H100                   -     -     -     -          -     -     16.0  -
  vision  V100-SXM2-16GB       1.0   1.0   1.0   1.0        1.0     -      0.0  held
  nlp H100 (planned work aside): too little to forecast: no hour of the series is known.
  At what their GPU-hours cost in the last 7 days: 146.88 USD in all (10 % 146.88, 90 % 146.88 if all came together).
  nlp H100: what is planned of it is in no sum: nothing tells its price.
  $ tare plan forecast --horizon 30d
  GPUs held: 672 hours of history to 2026-11-02T00:00 · forecast of 30 days from there, by the hour
  
  team    GPU             last 7 d  mean  10 %  90 %  peak 95 %  MASE  method
  vision  V100-SXM2-16GB       1.0     -     -     -          -     -  -
  vision V100-SXM2-16GB: too little to forecast: 672 hours of history; to test forecasts of 720 hours it takes 1200; up to 8 days can be tested.
  
  cost of the hours ahead, effective                       USD      10 %      90 %
  paid by the hour, not in it: as in the last 7 days  2,203.20  2,203.20  2,203.20
  ────────────────────────────────────────────────────────────────────────────────
  in all                                              2,203.20  2,203.20  2,203.20
  10 % and 90 %: if those of all series came together.
  
  [3]
  $ tare plan forecast --horizon 24h -o csv | sed -n 1,3p
  time,team,gpu_model,units,p05,p10,p50,p90,p95,planned
  2026-11-02T00:00:00Z,vision,V100-SXM2-16GB,1.000,1.000,1.000,1.000,1.000,1.000,0.000
  2026-11-02T01:00:00Z,vision,V100-SXM2-16GB,1.000,1.000,1.000,1.000,1.000,1.000,0.000
  $ tare plan forecast --db nowhere
  ! tare: there is no store in 'nowhere' yet
  !       Bring something in with `tare import FILE`, or try `tare demo`
  [2]

A home that no price knows is mostly a typing error: all places would pay for moving the data.

  $ printf 'time,region,usd_hour\n2026-01-01T00:00:00Z,eu,2\n2026-01-01T00:00:00Z,us,1\n2026-01-03T00:00:00Z,us,1\n2026-01-03T00:00:00Z,eu,2\n' > two.csv; tare plan schedule --prices two.csv --length 8h --egress-gb 500 --home EU
  ! tare: --home: the prices have no 'EU'
  !       Did you mean 'eu'?
  [2]

Hours that the job list does not cover are nobody's demand: the machines' list goes on for eight hours after the last job.

  $ printf 'node,cluster,provider,instance_type,region,gpu_model,gpu_count,from,to,purchase,usd_gpu_hour\nh1,hpc,onprem,,,H100,8,2026-06-01T00:00:00Z,2026-06-25T08:00:00Z,owned,2\n' > nodes.csv
  $ python3 -c "
  > print('job_id,user,team,cluster,node,gpus,submit,start,end,state')
  > for d in range(1, 25):
  >     print(f'{d},ann,nlp,hpc,h1,4,2026-06-{d:02}T00:00:00Z,2026-06-{d:02}T00:00:00Z,2026-06-{d + 1:02}T00:00:00Z,COMPLETED')" > jobs.csv
  $ tare import nodes.csv jobs.csv --covers hpc --db ends -q 2> import.txt
  $ tare plan forecast --horizon 24h --db ends
  GPUs held: 584 hours of history to 2026-06-25T08:00 · forecast of 1 day from there, by the hour
  
  team  GPU             last 7 d  mean  10 %  90 %  peak 95 %  MASE  method
  nlp   H100-SXM5-80GB       4.0   4.0   4.0   4.0        4.0     -  held
  
  cost of the hours ahead, effective                       USD    10 %    90 %
  forecast, at what a GPU-hour cost in the last 7 days  192.00  192.00  192.00
  paid in any case (commitments, owned), not in it      192.00  192.00  192.00
  ────────────────────────────────────────────────────────────────────────────
  in all                                                384.00  384.00  384.00
  10 % and 90 %: if those of all series came together.
  
  H100-SXM5-80GB in hpc: nobody watched 8 of 584 hours (no job list or readings of them): who held what then is not known, and not counted.

A level that steps twice in nine weeks is not foreseen a month ahead by anything: the error is said in words.

  $ { echo time,units; seq 0 1511 | awk '{ print $1 "," ($1 < 700 ? 8 : $1 < 1100 ? 16 : 24) }'; } > steps.csv; tare plan forecast --demand steps.csv --horizon 30d | grep MASE
  method                    MASE  weight now
  20 origins, 20 of them scored; MASE against "as 24 hours before" (0.3 units an hour off).
  steps.csv: so far ahead the forecast was off by 27 times what a day is off from the day before (MASE), and so was 'naive' (27), the last hour going on: read the range, not the mean.

An option that another way of asking reads is not ignored in silence.

  $ for o in '--length 6h --capacity 4' '--length 6h --slack 4h' '--jobs two.csv --units 3' '--length 6h --headroom 2h'; do tare plan schedule --prices two.csv $o; done; tare plan schedule --usage two.csv --allow eu
  ! tare: --capacity goes with --jobs
  !       See: tare plan schedule --help
  ! tare: --slack goes with --jobs
  !       See: tare plan schedule --help
  ! tare: --units goes with --length
  !       See: tare plan schedule --help
  ! tare: --headroom goes with --usage
  !       See: tare plan schedule --help
  ! tare: --allow goes with --length or --jobs
  !       See: tare plan schedule --help
  [2]
