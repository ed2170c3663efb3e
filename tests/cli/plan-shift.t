Jobs that can wait start in cheaper hours: four weeks of one job a day, six hours from 10 in the morning, booked for a day, on machines whose price file
says 16 $ from 8 to 20 and 4 $ at night.

  $ cat > make.py <<'END'
  > import datetime as d
  > t0, h = d.datetime(2026, 10, 5), d.timedelta(hours=1)
  > z = lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ")
  > j, s, p = open("jobs.csv", "w"), open("samples.csv", "w"), open("prices.csv", "w")
  > j.write("job_id,user,team,workload,name,gpus,gpu_ids,submit,start,end,state,limit_s,node,cluster\n")
  > s.write("time,step_s,node,gpu,gpu_util_pct,mem_used_bytes\n")
  > p.write("provider,region,instance_type,gpu_model,gpu_count,purchase,usd_hour,from,to\n")
  > n = open("nodes.csv", "w")
  > n.write("node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster\n")
  > for k in range(28):
  >     day = t0 + 24 * h * k
  >     for a, b, usd in ((0, 8, 4), (8, 20, 16), (20, 24, 4)):
  >         p.write(f"acme,hq,box,V100-SXM2-16GB,4,on_demand,{usd},{z(day + a * h)},{z(day + b * h)}\n")
  >     a, b = day + 10 * h, day + 16 * h
  >     n.write(f"b{k},acme,hq,box,V100-SXM2-16GB,4,on_demand,{z(a)},{z(b)},c\n")
  >     j.write(f"{k},ann,vision,training,nightly-{k},4,0;1;2;3,{z(a)},{z(a)},{z(b)},COMPLETED,86400,b{k},c\n")
  >     for i in range(36):
  >         for g in range(4):
  >             s.write(f"{z(a + i * h / 6)},600,b{k},{g},90,9000000000\n")
  > END
  $ python3 make.py
  $ tare import -q --db s prices.csv
  $ tare import -q --db s nodes.csv jobs.csv samples.csv
  $ tare plan --db s --lever schedule
  Today      3,000 $/month (730 h)            replayed on 27 days, 28 jobs
  After all    830 $/month   -72 %            9 of 10 cases: -63 to -81 %
  
                              saves $/month   after it
    Ready       (can be undone)           -           -
    Try first   (a trial decides)     2,170       -72 %
    Commit      (binds money)             -           -
  
   #  do                                    saves $/month      range  tier    days
   1  vision: start 27 jobs on box                  2,170  1.7-2.7 K  Try        1
      (on_demand) in cheaper hours, most
      at 20:00 UTC
  
  Carried out as printed, on your own history: 0 jobs cut, 0 late, 0 out of
  memory.
  The same plan would save 72 % in all cases tried, from prices -10 % to load +20
  %.
  
  tare explain 1 --db s   why, evidence, replay
  tare plan trial 1 --db s   what to try first
  $ tare explain --db s 1
  1  vision: start 27 jobs on box (on_demand) in cheaper hours, most at 20:00 UTC
     schedule-vision-c-hours-box-on_demand
  
  Saves       2,170 $/month (730 h), 1,683 to 2,654 (5th to 95th percentile)
  Tier        Try first: a small experiment decides
  Risk        medium; the saving lies in its range with confidence 0.90
  Effort      1 day of work by vision, in force after 2 days
  Touches     27 jobs
  
  Why
    jobs that can wait                                     28, moved 27  measured
    what they cost at the prices of the new hours, of what they    25 %  estimated
      cost
    not moved: no room within the machines of the peak           0 jobs  measured
    most GPUs in use at a time                                      4.0  measured
    From: job list, deadlines; price history, each week by the others; replay;
    ledger
  
  Replayed on 654 h to 2026-11-01 16:00 UTC, 27 jobs.
  Carried out as printed, on your own history: 0 jobs cut, 0 late, 0 out of
  memory.
  
  What could go wrong
    Results come later, within each job's deadline: 0 of 27 would have missed it
    in replay.
  
  Do
    # for team="vision" cluster="c" instance_type="box"
    # Slurm: the next 20:00 of the clock of the cluster, the hours here are UTC
    #SBATCH --begin=20:00
    # anywhere else, and for every day a line '0 20 * * * sbatch job.sh' in crontab, with CRON_TZ=UTC
    echo 'sbatch job.sh' | at 20:00
    # one job at a time, with the prices of the day:
    tare plan schedule --prices PRICES.csv --length 6h --deadline 24h
  
  Undo
    # for team="vision" cluster="c" instance_type="box"
    # take the line --begin out of the job scripts, and what waits out of atq or crontab
  
  tare plan accept schedule-vision-c-hours-box-on_demand --db s
  tare plan dismiss schedule-vision-c-hours-box-on_demand --reason TEXT --db s
  tare plan trial schedule-vision-c-hours-box-on_demand --db s
  $ tare plan --db s --lever schedule -o json > p.json
  $ python3 -c 'import json; p=json.load(open("p.json")); r=p["recommendations"][0]; print(r["replay"]["deadline_misses"], r["works"], float(p["baseline"]["cost_month"]) - float(p["after"]["cost_month"]) - float(r["saving_month"]))'
  0 27 0.0

The same fleet at one price: nothing is proposed.

  $ sed 's/,16,/,4,/' prices.csv > flat.csv
  $ tare import -q --db f flat.csv
  $ tare import -q --db f nodes.csv jobs.csv samples.csv
  $ tare plan --db f --lever schedule -o json | python3 -c 'import json,sys; p=json.load(sys.stdin); print(len(p["recommendations"]), len(p["refused"]))'
  0 0
