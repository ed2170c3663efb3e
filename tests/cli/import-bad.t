Bad input: a clear error that names file, line and field, exit 2, and the store as it was.

  $ printf 'job_id,gpus,start,end\n1,1,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z\n' > good.csv
  $ tare import -q --as allocations good.csv && tare report -o json | $FILES/../data/get total.gpu_seconds
  7200

  $ printf 'job_id,gpus,start,end\n2,1,2024-09-01T03:00:00Z,2024-09-01T02:00:00Z\n' > back.csv; tare import --as allocations back.csv
  ! tare: 'back.csv': 1 row cannot be read: line 2, end: is before 'start'
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  [2]

  $ printf 'job_id,gpus,start,end\n3,many,2024-09-01T03:00:00Z,2024-09-01T04:00:00Z\n' > many.csv; tare import --as allocations many.csv
  ! tare: 'many.csv': 1 row cannot be read: line 2, gpus: 'many' is not a decimal such as 12.24
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  [2]

  $ printf 'job_id,gpus,start,end,gpus\n' > twice.csv; tare import --as allocations twice.csv
  ! tare: 'twice.csv' line 1: the header names the column 'gpus' twice
  !       Nothing was imported.
  [2]

  $ printf 'job_id,gpus\n1,1\n' > short.csv; tare import --as allocations short.csv
  ! tare: 'short.csv' has no column start, which allocations needs
  !       Nothing was imported. Give a constant with --set NAME=VALUE, or the columns' names with --map (docs/MAPS.md).
  [2]

  $ head -c 4000 /dev/urandom > rubbish.csv; tare import rubbish.csv 2>&1 | head -c 26; echo
  tare: 'rubbish.csv' is nei

  $ gzip -c good.csv | head -c 40 > cut.csv.gz; tare import --as allocations cut.csv.gz
  ! tare: 'cut.csv.gz' is truncated: its gzip data ends after 40 bytes in the middle of a stream
  !       Nothing was imported. Fetch the file again
  [2]

  $ tare import --as nonsense good.csv
  ! tare: --as does not know 'nonsense': it takes focus|aws-cur|azure-cost|gcp-billing|opencost|sacct|nvidia-smi|dcgm|skypilot|samples|allocations|nodes|requests|prices|rates|agent|curves|mlflow|wandb|tensorboard
  !       See: tare import --help
  [2]

  $ tare import nothere.csv
  ! tare: cannot open 'nothere.csv': No such file or directory
  !       Nothing was imported. Check the name; '-' reads standard input
  [2]

  $ tare import
  ! tare: name the files to import, or - for standard input
  !       See: tare import --help
  [2]

  $ printf '' > empty.csv; tare import empty.csv
  ! tare: 'empty.csv' is empty
  !       Nothing was imported.
  [2]

  $ printf 'BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory\n"1.204,50",1,USD,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,Usage\n' > comma.csv; tare import --as focus comma.csv
  ! tare: 'comma.csv': 1 row cannot be read: line 2, BilledCost: '1.204,50' is not a decimal
  !       Nothing was imported. The numbers have decimal commas, as a spreadsheet saves them. Take the file as the provider wrote it; or a FOCUS bill with --map focus-comma, an Azure bill with --map azure-comma, other tables with a map that says number: comma (docs/MAPS.md).
  [2]

  $ printf 'BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory\n1,"1,204.5O",USD,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,Usage\n' > letter.csv; tare import --as focus letter.csv
  ! tare: 'letter.csv': 1 row cannot be read: line 2, EffectiveCost: '1,204.5O' is not a decimal
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  [2]

A row of a gigabyte is refused before it is read in.

  $ (printf 'job_id,gpus,start,end\n'; head -c 40000000 /dev/zero | tr '\0' x) | tare import --as allocations -
  ! tare: '-' line 2: the row is longer than 16777216 bytes
  !       Nothing was imported. An unclosed quote or a file that is no CSV looks like this; look at that line
  [2]

A JSON array where JSON lines are read.

  $ printf '[{"job_id":"1","gpus":1}]\n' > array.json; tare import --as allocations array.json
  ! tare: 'array.json' is one JSON array; tables are read as JSON lines, one object a line
  !       Nothing was imported. Turn it with: jq -c '.[]'
  [2]

Clocks: a little ahead of this machine's is kept and told, more than a day is refused.

  $ printf 'time,node,gpu,gpu_util_pct,step_s\n2024-09-02T00:05:00Z,n,0,50,60\n' > ahead.csv; TARE_NOW=2024-09-02T00:00:00Z tare import --db skew --as samples ahead.csv
  ahead.csv: samples, 1 row kept, 0.02 GPU·h
      note: some rows are ahead of this machine's clock (by 5 min 00 s and more): clocks differ; kept as they are
  You see   busy, half-used and idle GPUs: tare report --by state --db skew
  Add       a job list (sacct, OpenCost, any CSV): idle time of each job; right
            size, booked time
            a request log (requests.csv, Prometheus): replicas, sharing, latency
            kept

  $ printf 'time,node,gpu,gpu_util_pct,step_s\n2024-09-04T00:05:00Z,n,0,50,60\n' > future.csv; TARE_NOW=2024-09-02T00:00:00Z tare import --as samples future.csv
  ! tare: 'future.csv': row 1: a sample of '0' is of 2024-09-04T00:05:00Z, which lies in the future
  !       Nothing was imported. Is a clock wrong, or the unit of the times (seconds, milliseconds; see --map)?
  [2]

All of it left the store as it was.

  $ tare report -o json | $FILES/../data/get total.gpu_seconds
  7200

One bad file of two: nothing of either.

  $ printf 'job_id,gpus,start,end\n9,1,2024-09-02T00:00:00Z,2024-09-02T02:00:00Z\n' > more.csv; tare import --as allocations more.csv many.csv; tare report -o json | $FILES/../data/get total.gpu_seconds
  7200
  ! tare: 'many.csv': 1 row cannot be read: line 2, gpus: 'many' is not a decimal such as 12.24
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.

Unless it may be left out.

  $ tare import --as allocations --max-rejects 1 more.csv many.csv; tare report -o json | $FILES/../data/get total.gpu_seconds
  more.csv: allocations, 1 row kept, 2.00 GPU·h
  many.csv: allocations, 0 rows kept, 1 rejected
      rejected: line 2, gpus: 'many' is not a decimal such as 12.24
  You see   GPU time by team, user and job; failed work: tare report --by team
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): idle time of each
            job; right size, booked time
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
  14400

Numbers that no machine has: a price that would not count exactly, a time of no time, GPUs that are not as many as the row says.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\nn1,aws,us-east-1,A100,8,on_demand,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,100000000000000000000\nn2,aws,us-east-1,A100,8,on_demand,0001-01-01T00:00:00Z,2024-09-01T02:00:00Z,32\n' > rich.csv; tare import --db odd rich.csv
  ! tare: 'rich.csv': 2 rows cannot be read: line 2, usd_hour: '100000000000000000000' is more than 10 million an hour; line 3, from: '0001-01-01T00:00:00Z' lies before 1970; leave it empty if it is not known
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  [2]

  $ printf 'job_id,gpus,start,end,node,gpu_ids\nj,1,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,n1,0;1;2;3\nk,2,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,n1,0;0\n' > ids.csv; tare import --db odd ids.csv
  ! tare: 'ids.csv': 2 rows cannot be read: line 2, gpu_ids: names 4 GPUs, gpus says 1; line 3, gpu_ids: names GPU '0' twice
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  [2]

  $ tare import --db odd --as nvidia-smi - < /dev/null
  ! tare: '-' is empty: there is not even a header line
  !       Nothing was imported.
  [2]

Charges of one hour that together are more than an entry of the ledger holds still add up.

  $ { echo BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ServiceName; for i in 1 2 3; do echo 9000000000,9000000000,USD,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,Usage,i-1,EC2; done; } > large.csv; tare import -q --db large --as focus large.csv && tare report --db large -o json | $FILES/../data/get reconcile.billed reconcile.ledger
  27000000000
  27000000000

A name that is no UTF-8 is read as Latin-1, in each kind: two names stay two.

  $ printf 'job_id,gpus,start,end,node\nj\344,1,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,n\377\nj\366,1,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,n\377\n' > latin.csv; tare import --db latin latin.csv && tare report --db latin --by job,node -o csv | cut -d, -f1-4
  latin.csv: allocations, 2 rows kept, 3.00 GPU·h
  You see   GPU time by team, user and job; failed work:
            tare report --by team --db latin
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): idle time of each
            job; right size, booked time
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
  job,node,currency,gpu_seconds
  jä,nÿ,USD,7200
  jö,nÿ,USD,3600

Machines, jobs and readings of such a name meet.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_gpu_hour\nn\344,own,here,A10,1,on_demand,2026-10-01T00:00:00Z,2026-10-01T04:00:00Z,1\n' > ln.csv
  $ printf 'job_id,team,gpus,start,end,node\nj,t,1,2026-10-01T00:00:00Z,2026-10-01T04:00:00Z,n\344\n' > lj.csv
  $ printf 'time,node,gpu,gpu_util_pct,step_s\n2026-10-01T00:00:00Z,n\344,0,80,14400\n' > ls.csv
  $ tare import -q --db meet ln.csv lj.csv ls.csv; tare report --db meet --by node,team,state -o csv | cut -d, -f1-5
  node,team,state,currency,gpu_seconds
  nä,t,busy,USD,14400

A folder, a header without rows, a row that is too short, the job list of another scheduler: each says what to do next.

  $ mkdir -p folder; tare import folder
  ! tare: cannot open 'folder': Is a directory
  !       Nothing was imported. Name the files in it: folder/*
  [2]

  $ printf 'job_id,gpus,start,end\n' > heads.csv; tare import --db h --as allocations heads.csv
  heads.csv: allocations, 0 rows kept
      note: a header and no rows
  Add       a job list (sacct, OpenCost, any CSV): GPU time by team, user and job;
            failed work
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs

  $ printf 'job_id,gpus,start,end\n1\n' > torn.csv; tare import --as allocations torn.csv
  ! tare: 'torn.csv': 1 row cannot be read: line 2, row: the row has 1 cell where the header has 4
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  [2]

  $ printf 'job_id|gpus\n1|1\n' > other.txt; tare import --as sacct other.txt
  ! tare: 'other.txt' has no column JobID (or JobIDRaw), which sacct needs
  !       Nothing was imported. Ask for them all: TZ=UTC sacct -a -X -D -P --format=JobID,JobIDRaw,User,Account,Partition,QOS,WCKey,State,Submit,Start,End,TimelimitRaw,AllocTRES,NodeList,Cluster,Comment,JobName
  [2]

A machine is known by its name: two clusters with one of the same name at the same time would be one machine, and half of what is paid gone.

  $ cat > nodes.py <<'END'
  > import sys
  > print("node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour")
  > for x in sys.argv[1:]:
  >     first, last, cluster = x.split("-")
  >     print(f"gpu-01,aws,us-east-1,A10G,4,on_demand,2024-08-0{first}T00:00:00Z,{last and f'2024-08-0{last}T00:00:00Z'},{cluster},3")
  > END
  $ python3 nodes.py 1-3-a 2-4-b > twins.csv; tare import --db twins twins.csv
  ! tare: 'twins.csv': row 2: machine 'gpu-01' is in cluster 'a' and in 'b' at the same time
  !       Nothing was imported. A machine is known by its name: give one of them another, in its jobs and readings too, such as CLUSTER/NAME
  [2]
  $ tare report --db twins
  ! tare: there is no store in 'twins' yet
  !       Bring something in with `tare import FILE`, or try `tare demo`
  [2]

One that moved to another cluster is no twin, whether its first record has an end or not; nor is one whose cluster nobody told.

  $ python3 nodes.py 1-3-a 3-4-b > moved.csv; python3 nodes.py 1--a 3-4-b > open.csv; python3 nodes.py 1-3-a 2-4- > told.csv
  $ for f in moved open told; do tare import --db $f -q $f.csv; tare report --db $f -o csv --by kind | cut -d, -f1-4 | tail -1; done
  gpu,USD,1036800,216
  gpu,USD,1036800,216
  gpu,USD,1036800,216

A GPU is an index from 0 or a uuid; a number that is neither was taken for the first GPU.

  $ printf 'time,node,gpu,gpu_util_pct\n2024-08-01T00:00:00Z,n1,-1,80\n2024-08-01T00:01:00Z,n1,1.5,80\n2024-08-01T00:01:00Z,n1,0,80\n' > odd.csv; tare import --db odd odd.csv
  ! tare: 'odd.csv': 2 rows cannot be read: line 2, gpu: '-1' is not a GPU: an index on the node from 0, or a uuid; line 3, gpu: '1.5' is not a GPU: an index on the node from 0, or a uuid
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  [2]

What is told twice, or held beyond what there is, is said: a job's later row holds, and shares are scaled down to the GPUs.

  $ printf 'job_id,user,gpus,start,end,node\nA,u,1,2024-08-01T00:00:00Z,2024-08-01T04:00:00Z,gpu-01\nA,u,1,2024-08-01T00:00:00Z,2024-08-01T03:00:00Z,gpu-01\nB,v,8,2024-08-02T00:00:00Z,2024-08-02T06:00:00Z,gpu-01\n' > again.csv
  $ python3 nodes.py 1-3-a > one.csv; tare import --db again one.csv again.csv; tare report --db again --by job -o csv | cut -d, -f1-4
  one.csv: nodes, 1 row kept, 192.00 GPU·h
      note: oversubscribed: for 6.0 hours jobs held more than the GPUs there were, and their shares were scaled down to these; are GPUs of jobs or nodes wrong, or machines missing?
  again.csv: allocations, 3 rows kept, 55.00 GPU·h
      note: 1 row tells the same job, machine, GPUs and start as a later row, which holds: it is not counted twice
  You see   machines that nobody holds: tare report --by state --db again
            GPU time by team, user and job; failed work:
            tare report --by team --db again
            machines and what they cost: tare report --by node --db again
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): idle time of each
            job; right size, booked time
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
  job,currency,gpu_seconds,cost
  ,USD,594000,123.75
  B,USD,86400,18
  A,USD,10800,2.25

A first import that fails leaves no store behind; a folder with something else in it stays, and so does a store.

  $ echo 'x,y' > odd.csv; tare import --db first/db odd.csv 2>&1 | head -1; ls first; mkdir mine; touch mine/notes; tare import -q --db mine odd.csv 2>/dev/null; ls mine
  > printf 'node,provider,region,gpu_model,gpu_count,purchase,from\nn1,aws,us-east-1,A100-SXM4-80GB,1,on_demand,2026-11-20T00:00:00Z\n' > one.csv
  > tare import -q --db mine one.csv; tare import -q --db mine odd.csv 2>/dev/null; ls mine
  tare: 'odd.csv' is of no kind that can be told from its columns
  notes
  control.db
  facts.duckdb
  lock
  notes
  telemetry.db

A constant that the kind has no column for is an error before the rows are read; with several files another may know it.

  $ tare import --db set --set usd_an_hour=1.20 one.csv; ls set
  ! tare: 'one.csv': --set usd_an_hour: this kind has no such column
  !       Nothing was imported. Did you mean usd_hour?
  ! ls: cannot access 'set': No such file or directory
  [2]
  $ cp one.csv two.csv; tare import --db set --set usd_an_hour=1.20 one.csv two.csv | grep note | sort -u
      note: --set usd_an_hour: this kind has no such column; did you mean usd_hour?

A table of no known kind: the shipped map that its columns fit, else the nearest kind and what it lacks.

  $ printf 'name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\np,1,1,1,1000,,LS,Running,0,5,1\n' > pods.csv
  > printf 'job_id,start,end,user\n1,2026-01-01,2026-01-02,ann\n' > jobs.csv; printf 'node,provider,region,gpu_model,from\nn,aws,r,A10,2026-01-01\n' > nodes.csv; printf 'a,b,c\n1,2,3\n' > abc.csv
  > for f in pods jobs nodes abc; do tare import --db suggest $f.csv; done
  ! tare: 'pods.csv' is of no kind that can be told from its columns
  !       Nothing was imported. Its columns are those of the map 'alibaba-openb-pods': tare import --map alibaba-openb-pods 'pods.csv'
  ! tare: 'jobs.csv' is of no kind that can be told from its columns
  !       Nothing was imported. Nearest is allocations, which needs the column gpus, called so: a constant is --as allocations --set gpus=VALUE, another name is told by --map FILE (columns: {gpus: NAME}, docs/MAPS.md)
  ! tare: 'nodes.csv' is of no kind that can be told from its columns
  !       Nothing was imported. Nearest is nodes, which needs the columns gpu_count, purchase, called so: a constant is --as nodes --set gpu_count=VALUE, another name is told by --map FILE (columns: {gpu_count: NAME}, docs/MAPS.md)
  ! tare: 'abc.csv' is of no kind that can be told from its columns
  !       Nothing was imported. Name the kind with --as (focus, aws-cur, azure-cost, gcp-billing, opencost, sacct, nvidia-smi, dcgm, skypilot, samples, allocations, nodes, requests, prices, rates, agent, curves, mlflow, wandb, tensorboard), or the columns with --map. The columns of each: man tare-import.
  [2]
