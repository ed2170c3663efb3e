A reading that names a job is evidence for that job while it holds the GPU, and for nobody afterwards. Job 7 runs for 3,610 seconds;
samples of 300 s name it, and the last one begins ten seconds before its end.

  $ cat > rows <<'R'
  > job() { echo job_id,user,gpus,gpu_ids,node,start,end,state; printf '%s\n' "$@"; }
  > record() { echo node,provider,region,gpu_model,gpu_count,gpu_ids,purchase,from,to,usd_hour; printf '%s\n' "$@"; }
  > samples() { echo time,node,gpu,job_id,gpu_util_pct,mem_used_bytes,step_s; for t in 10:{00,05,10,15,20,25,30,35,40,45,50,55} 11:00; do echo 2025-03-03T$t:00Z,$1,GPU-a,$2,80,9e9,300; done; }
  > show() { tare report --db $1 --by job,state -o csv | cut -d, -f1-4; }
  > R
  $ . ./rows; job 7,ada,1,GPU-a,n0,2025-03-03T10:00:00Z,2025-03-03T11:00:10Z,COMPLETED > job.csv
  $ . ./rows; samples n0 7 > samples.csv
  $ . ./rows; tare import -q --db card job.csv samples.csv; show card
  job,state,currency,gpu_seconds
  7,busy,USD,3610
  $ . ./rows; tare import -q --db rev samples.csv; tare import -q --db rev job.csv; show rev
  job,state,currency,gpu_seconds
  7,busy,USD,3610

On a recorded machine the rest of that sample is nobody's, and the job that comes next is not busy by it.

  $ . ./rows; record n1,on-prem,here,A100,1,GPU-a,owned,2025-03-03T10:00:00Z,2025-03-03T12:00:00Z,2 > node.csv
  $ . ./rows; job 7,ada,1,GPU-a,n1,2025-03-03T10:00:00Z,2025-03-03T11:00:10Z,COMPLETED 8,bob,1,GPU-a,n1,2025-03-03T11:00:40Z,2025-03-03T11:30:00Z,COMPLETED > jobs.csv
  $ . ./rows; samples n1 7 > samples.csv
  $ . ./rows; tare import -q --db node node.csv jobs.csv samples.csv; show node
  job,state,currency,gpu_seconds
  7,busy,USD,3610
  ,unknown,USD,1800
  8,unknown,USD,1760
  ,unallocated,USD,30

An exporter knows element 7 of job 1234 by the number 1241; element 70 is another one. A job list that names no GPUs: readings say which GPU it was.

  $ printf '%s\n' 'JobID|JobIDRaw|User|State|Start|End|AllocTRES|NodeList' '1234_7|1241|ada|COMPLETED|2025-03-03T10:00:00|2025-03-03T11:00:10|gres/gpu=1|n2' '1234_70|1304|bob|COMPLETED|2025-03-03T11:00:40|2025-03-03T11:30:00|gres/gpu=1|n2' > sacct.txt
  $ . ./rows; record 'n2,on-prem,here,A100,2,GPU-b;GPU-a,owned,2025-03-03T10:00:00Z,2025-03-03T12:00:00Z,2' > node.csv
  $ . ./rows; samples n2 1241 > samples.csv
  $ . ./rows; tare import -q --db array node.csv sacct.txt samples.csv; show array
  job,state,currency,gpu_seconds
  ,unallocated,USD,5430
  1234_7,busy,USD,3610
  ,unknown,USD,3600
  1234_70,unknown,USD,1760
