What a day's import computes again is as wide as what it changes. The same rows of the ledger, whichever order files came in.

  $ cat > rows <<'EOF'
  > same() { for d in "$@"; do tare sql --limit 10000 -o csv --db $d "SELECT * EXCLUDE (gpu_seconds, used_gpu_seconds, billed_cost, effective_cost, list_cost), sum(gpu_seconds) s, sum(billed_cost) c FROM entries GROUP BY ALL HAVING s <> 0 OR c <> 0 ORDER BY ALL" > $d.csv; done
  > test -s $1.csv && cmp $1.csv $2.csv && echo same; }
  > node() { echo node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour; printf '%s\n' "$@"; }
  > EOF
  $ export TARE_NOW=2024-09-13T00:00:00Z

A late reading says which GPU a job held: others that name none move to what is left, on all of their days.

  $ . ./rows; node n1,x,r,H100,4,on_demand,2024-09-01T00:00:00Z,2024-09-12T00:00:00Z,8 > nodes.csv
  $ printf 'job_id,user,gpus,node,start,end\n1,a,1,n1,2024-09-01T00:00:00Z,2024-09-05T12:00:00Z\n2,a,1,n1,2024-09-02T00:00:00Z,2024-09-08T00:00:00Z\n3,a,1,n1,2024-09-06T00:00:00Z,2024-09-10T00:00:00Z\n' > jobs.csv
  $ (echo time,node,gpu,job_id,gpu_util_pct,step_s; for g in 0 1 2 3; do echo 2024-09-01T00:00:00Z,n1,$g,,0,1200; done) > base.csv
  $ printf 'time,node,gpu,job_id,gpu_util_pct,step_s\n2024-09-05T01:00:00Z,n1,3,1,50,1200\n' > late.csv
  $ . ./rows; tare import -q --db a nodes.csv jobs.csv base.csv; tare import -q --db a late.csv; tare import -q --db b nodes.csv jobs.csv base.csv late.csv; same a b
  same

Readings that name a job claim its GPU until a list tells when it ended: then not on the day after either.

  $ . ./rows; node n1,x,r,H100,1,on_demand,2024-09-01T00:00:00Z,2024-09-04T00:00:00Z,2 > nodes.csv
  $ printf 'job_id,user,gpus,gpu_ids,node,start,end\n1,a,1,0,n1,2024-09-01T01:00:00Z,2024-09-01T02:00:00Z\n' > first.csv
  $ (echo time,node,gpu,job_id,gpu_util_pct,step_s; for t in 01T23:00 01T23:20 01T23:40 02T00:00 02T00:20 02T00:40; do echo 2024-09-$t:00Z,n1,0,7,50,1200; done) > read.csv
  $ printf 'job_id,user,gpus,gpu_ids,node,start,end\n7,a,1,0,n1,2024-09-01T20:00:00Z,2024-09-01T23:30:00Z\n' > ended.csv
  $ . ./rows; tare import -q --db c nodes.csv first.csv read.csv; tare import -q --db c ended.csv; tare import -q --db d nodes.csv first.csv read.csv ended.csv; same c d
  same

A machine that was rented and then bought: energy is measured of the days it is owned, day by day or at once.

  $ printf 'version: 1\nowned:\n  - gpu_model: H100-SXM5-80GB\n    purchase: 30000\n    residual: 3000\n    years: 4\n    kwh: 0.20\n    pue: 1.5\n    measured_power: true\n' > c.yaml
  $ . ./rows; node n1,x,r,H100-SXM5-80GB,1,on_demand,2024-09-01T00:00:00Z,2024-09-03T00:00:00Z,2 n1,x,r,H100-SXM5-80GB,1,owned,2024-09-03T00:00:00Z,2024-09-05T00:00:00Z, > nodes.csv
  $ for d in 1 2 3 4; do (echo time,node,gpu,gpu_util_pct,power_w,step_s; for h in 00 01 02; do echo 2024-09-0${d}T$h:00:00Z,n1,0,50,400,3600; done) > p$d.csv; done
  $ . ./rows; tare import -q --db e --config c.yaml nodes.csv; for d in 1 2 3 4; do tare import -q --db e --config c.yaml p$d.csv; done; tare import -q --db f --config c.yaml nodes.csv p1.csv p2.csv p3.csv p4.csv; same e f
  same
  $ tare report --db e --config c.yaml --by kind,day -o csv | cut -d, -f1-5 | grep energy
  energy,2024-09-01,USD,0,0
  energy,2024-09-02,USD,0,0
  energy,2024-09-03,USD,0,0.36
  energy,2024-09-04,USD,0,0.36

A list that was made while a job ran and comes in after the one that tells its end: the job has ended, whichever order they came in.

  $ . ./rows; node n1,x,r,H100,1,on_demand,2024-09-01T00:00:00Z,2024-09-06T00:00:00Z,2 > nodes.csv
  $ printf 'job_id,user,gpus,gpu_ids,node,state,start,end\n7,a,1,0,n1,FAILED,2024-09-01T20:00:00Z,2024-09-03T01:30:00Z\n' > ended.csv
  $ printf 'job_id,user,gpus,gpu_ids,node,state,start,end\n7,a,1,0,n1,RUNNING,2024-09-01T20:00:00Z,\n' > running.csv
  $ . ./rows; for f in nodes ended running; do tare import -q --db g $f.csv; done; for f in nodes running ended; do tare import -q --db h $f.csv; done; same g h
  same
  $ tare sql --db g -o csv "SELECT job, state, end_utc, running FROM jobs"
  job,state,end_utc,running
  7,FAILED,2024-09-03T01:30:00Z,false

A reading that reaches over midnight ends where the next of its series begins, also where that comes in later and ends before.

  $ . ./rows; node n1,x,r,H100,1,on_demand,2024-09-01T00:00:00Z,2024-09-04T00:00:00Z,2 > nodes.csv
  $ printf 'job_id,user,gpus,gpu_ids,node,start,end\n1,a,1,0,n1,2024-09-01T01:00:00Z,2024-09-03T02:00:00Z\n' > job.csv
  $ printf 'time,node,gpu,job_id,gpu_util_pct,step_s\n2024-09-01T22:00:00Z,n1,0,,80,10800\n' > long.csv
  $ printf 'time,node,gpu,job_id,gpu_util_pct,step_s\n2024-09-01T23:00:00Z,n1,0,,80,600\n' > short.csv
  $ . ./rows; for f in nodes job long short; do tare import -q --db i $f.csv; done; tare import -q --db j nodes.csv job.csv long.csv short.csv; same i j
  same
  $ for f in short long job nodes; do tare import -q --db k $f.csv; done; . ./rows; same k j
  same
  $ tare sql --db k -o csv "SELECT state, round(sum(gpu_seconds) / 60) AS minutes FROM entries WHERE job = '1' GROUP BY ALL ORDER BY ALL"
  state,minutes
  busy,70
  unknown,2870

A list knows nothing of the time after it was made: a job that it saw running (Slurm's Elapsed says how long) holds its machine so far, and the machines of the list were watched so far.

  $ . ./rows; node n1,x,r,H100,1,on_demand,2024-09-01T00:00:00Z,2024-09-11T00:00:00Z,2 n2,x,r,H100,1,on_demand,2024-09-01T00:00:00Z,2024-09-11T00:00:00Z,2 > nodes.csv
  $ printf 'JobID|User|State|Submit|Start|End|Elapsed|AllocTRES|NodeList\n1|bo|COMPLETED|2024-09-01T00:00:00|2024-09-01T00:00:00|2024-09-02T00:00:00|1-00:00:00|gres/gpu=1|n2\n2|ana|RUNNING|2024-09-02T00:00:00|2024-09-02T00:00:00|Unknown|01:00:00|gres/gpu=1|n1\n' > old.txt
  $ tare import -q --db l nodes.csv old.txt; tare report --db l --by node,state -o csv | cut -d, -f1,2,4 | sort
  n1,unallocated,86400
  n1,unknown,777600
  n2,unallocated,3600
  n2,unknown,860400
  node,state,gpu_seconds
  $ tare sql --db l -o csv "SELECT job, end_utc, running FROM jobs ORDER BY job"
  job,end_utc,running
  1,2024-09-02T00:00:00Z,false
  2,2024-09-02T01:00:00Z,true
