Held day and night, used six hours a day: two dev boxes of 4 V100, four weeks, one used from 10 to 16 and one from 9 to 15 on working days. They are a finding of
their own, with the hours in which they are used, not jobs that wait for their input; the lever it names takes the money.

  $ cat > make.py <<'END'
  > import datetime as d
  > t0, h = d.datetime(2026, 10, 19), d.timedelta(hours=1)
  > z = lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ")
  > n, j, s = open("nodes.csv", "w"), open("jobs.csv", "w"), open("samples.csv", "w")
  > n.write("node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\n")
  > j.write("job_id,user,team,workload,name,gpus,gpu_ids,submit,start,end,state,node,cluster\n")
  > s.write("time,step_s,node,gpu,gpu_util_pct,mem_used_bytes\n")
  > end = t0 + 28 * 24 * h
  > for k, first in ((0, 10), (1, 9)):
  >     n.write(f"dev{k},aws,us-east-1,p3.8xlarge,V100-SXM2-16GB,4,on_demand,{z(t0)},{z(end)},lab,12.24\n")
  >     j.write(f"{k},ann,vision,research,dev-{k},4,0;1;2;3,{z(t0)},{z(t0)},{z(end)},RUNNING,dev{k},lab\n")
  >     for i in range(28 * 24 * 4):
  >         t = t0 + i * h / 4
  >         used = first <= t.hour < first + 6 and t.weekday() < 5
  >         for g in range(4):
  >             s.write(f"{z(t)},900,dev{k},{g},{40 if used else 0},4000000000\n")
  > END
  $ python3 make.py
  $ tare import -q --db s nodes.csv jobs.csv samples.csv --covers lab
  $ tare plan --db s --findings
  What was observed, $/month (730 h). Findings overlap: they are no sum.
  
  vision holds GPUs day and night, used 6 h a day, mostly                   14,679
    09:00-15:00 UTC on working days
    always_on, measured · jobs 2 · GPU time 4416.0 GPU·h · acted on by schedule
  
  spot: no market is known for the machines of 2 jobs: a listed or advised price
  is none, it takes prices recorded over plan.gates.spot_market_weeks
  (`tare price update`, `tare import --as prices`).
  
  tare plan --db s   what to change
  tare report --by state --db s   where the time went
  $ tare plan --db s --findings -o json | $FILES/../data/get '[(f.cause, f.lever, f.cost_month) for f in findings]'
  [('always_on', 'schedule', '14679.257142857143')]
  $ tare plan --db s --lever schedule -o json | $FILES/../data/get '[(r.id, r.tier, r.saving_month) for r in recommendations]'
  [('schedule-vision-lab', 'sure', '13033.6906943952')]

A notebook holds one GPU of four: with it the whole machine goes off, where it is seen that nobody is on the other three.

  $ mkdir one; sed '3d' nodes.csv > one/nodes.csv; sed '/dev1/d; s/,4,0;1;2;3,/,1,0,/; s/research,dev-0/notebook,jupyter-0/' jobs.csv > one/jobs.csv; grep -v 'dev1\|dev0,[123]' samples.csv > one/samples.csv
  $ for as in "--covers lab" ""; do tare import -q --db one/s${#as} one/*.csv $as; tare plan --db one/s${#as} -o json | $FILES/../data/get '[(r.id, r.tier, r.saving_month) for r in recommendations]' 'baseline.cost_month'; done
  [('schedule-vision-lab', 'sure', '6782.3455493952')]
  8935.2
  []
  8935.2

Another cluster's log ends 0.112 s or five hours later, and the machines are paid until then: what is known of these ends where their own data do.

  $ sed 's/,[^,]*,lab/,,lab/' nodes.csv > open.csv; printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\no,own,here,V100-SXM2-16GB,1,owned,2026-10-19T00:00:00Z,,other,1\n' > other.csv
  $ for at in 15T23:50:00.112Z 16T04:50:00Z; do printf "time,step_s,node,gpu,gpu_util_pct\n2026-11-$at,600,o,0,50\n" > last.csv; tare import -q --db d${at%%T*} open.csv jobs.csv other.csv samples.csv last.csv --covers lab; tare plan --db d${at%%T*} --lever schedule -o json | $FILES/../data/get '[(r.id, r.tier, r.saving_month) for r in recommendations]' '[n for n in notes if "no job that" in n]'; done
  [('schedule-vision-lab', 'sure', '12947.429896564716')]
  []
  [('schedule-vision-lab', 'sure', '12742.4275410068')]
  ['40.0 GPU·h belong to no job that is known and have no readings: job lists and telemetry would tell what they did']

Readings with milliseconds reach into the hour after the last use: that is no use of it.

  $ sed 's/Z,900/.112Z,900/' samples.csv > late.csv; tare import -q --db late open.csv jobs.csv late.csv --covers lab; for db in s late; do tare plan --db $db --lever schedule | grep -o 'on .* a week'; done
  on 45 of 168 hours a week
  on 45 of 168 hours a week

What is applied is kept with what was told, and looked at in the ledger: nothing is known of the days since. A yes takes away none of the lines given out, and they no yes.

  $ tare plan apply --db s schedule-vision-lab > /dev/null
  $ tare plan trial --db s --scores -o json | $FILES/../data/get '[(o.id, o.saving_month, o.realised_month, o.together, o.why) for o in outcomes]' '[(l.lever, l.applied, l.realised, l.realised_ratio) for l in levers]'
  [('schedule-vision-lab', '13033.690694395', None, 1, 'too early: 0 of 7 days since it is in force')]
  [('schedule', 1, 0, None)]
  $ tare plan accept -q --db s schedule-vision-lab; tare plan trial --db s --scores -o csv | cut -d, -f1-4
  lever,accepted,applied,dismissed
  schedule,1,1,0
  $ tare explain --db s schedule-vision-lab | grep -o 'accepted, lines given out'
  accepted, lines given out
  $ tare plan apply --db s schedule-vision-lab > /dev/null; tare plan trial --db s --scores -o csv | cut -d, -f1-4
  lever,accepted,applied,dismissed
  schedule,1,1,0
  $ tare plan dismiss -q --db s schedule-vision-lab --reason no; tare plan trial --db s --scores -o csv | cut -d, -f1-4
  lever,accepted,applied,dismissed
  schedule,0,1,1
  $ tare plan reset -q --db s schedule-vision-lab
  $ tare plan trial --db s --scores
  Nothing was decided and nothing was tried yet: tare plan trial ID
