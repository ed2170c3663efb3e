Jobs and readings that name GPUs but no machine: the GPU is one, its hour is one, in any order.
  $ cat > jobs.csv <<'END'
  > job_id,user,team,gpus,gpu_ids,start,end,state
  > j1,ada,a,2,GPU-00000000-0000-0000-0000-00000000000a;GPU-00000000-0000-0000-0000-00000000000b,2026-11-01T00:00:00Z,2026-11-01T01:00:00Z,completed
  > END
  $ echo time,gpu,gpu_util_pct,step_s >samples.csv
  $ for m in $(seq -w 0 59); do echo 2026-11-01T00:$m:00Z,GPU-00000000-0000-0000-0000-00000000000a,80,60; done >>samples.csv
  $ tare import -q jobs.csv samples.csv
  $ tare import -q --db other samples.csv && tare import -q --db other jobs.csv
  $ for db in "$TARE_DB" other; do tare report --db $db --by job,state -o csv | cut -d, -f1,2,4; done
  job,state,gpu_seconds
  j1,busy,3600
  j1,unknown,3600
  job,state,gpu_seconds
  j1,busy,3600
  j1,unknown,3600

Jobs of no machine and no cluster are on the machines of no cluster that have their GPU, as no other can be meant; of one cluster where the store knows one.
  $ cat > nodes.csv <<'END'
  > node,provider,region,gpu_model,gpu_count,instance_type,purchase,from,to,usd_hour
  > gpu-1,aws,us-east-1,A100-SXM4-40GB,8,p4d.24xlarge,on_demand,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,30
  > gpu-2,aws,us-east-1,A100-SXM4-40GB,8,p4d.24xlarge,on_demand,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,30
  > END
  $ cat > list.csv <<'END'
  > job_id,user,gpu_model,gpus,start,end,team
  > j1,ada,A100-SXM4-40GB,8,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,vis
  > j2,bob,A100-SXM4-40GB,8,2026-11-01T00:00:00Z,2026-11-01T01:00:00Z,nlp
  > END
  $ sed '1s/$/,cluster/; 2,$s/$/,c1/' nodes.csv >named.csv
  $ tare import -q --db one nodes.csv list.csv && tare import -q --db two list.csv && tare import -q --db two named.csv
  $ for db in one two; do tare report --db $db --by team,state -o csv | cut -d, -f1,2,4,5; done
  team,state,gpu_seconds,cost
  vis,unknown,57600,60
  ,unallocated,28800,30
  nlp,unknown,28800,30
  team,state,gpu_seconds,cost
  vis,unknown,57600,60
  ,unknown,28800,30
  nlp,unknown,28800,30

Beside machines that are closed alone, as those of a bill, they are said to be: the list does not call these free.
  $ cat > bill.csv <<'END'
  > identity/LineItemId,bill/PayerAccountId,lineItem/UsageAccountId,lineItem/LineItemType,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/ProductCode,lineItem/UsageType,lineItem/Operation,lineItem/UsageAmount,lineItem/UnblendedCost,lineItem/CurrencyCode,product/instanceType,product/region,pricing/unit,lineItem/ResourceId,bill/BillingPeriodStartDate
  > a,1,1,Usage,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,AmazonEC2,BoxUsage:p4d.24xlarge,RunInstances,2,65.54,USD,p4d.24xlarge,us-east-1,Hrs,i-0a,2026-11-01T00:00:00Z
  > END
  $ tare import -q --db three bill.csv && tare import --db three list.csv | grep note
      note: jobs that name no machine may be of 1 machine that is closed without them: this time may stand twice in GPU·h, and nobody is called idle by it; give the jobs their node, or record the machines that no job names as nodes (docs/MAPS.md)
  $ tare import -q --db four list.csv && tare import -q --db four bill.csv
  $ for db in three four; do tare report --db $db --by team,state -o csv | cut -d, -f1,2,4,5; done
  team,state,gpu_seconds,cost
  ,unknown,57600,65.54
  vis,unknown,57600,
  nlp,unknown,28800,
  team,state,gpu_seconds,cost
  ,unknown,57600,65.54
  vis,unknown,57600,
  nlp,unknown,28800,
  $ sed '2s/$/,i-0a/; 1s/$/,resource_id/; 3d' nodes.csv >own.csv
  $ tare import -q --db three own.csv && tare report --db three --by team,state -o csv | cut -d, -f1,2,4,5
  team,state,gpu_seconds,cost
  vis,unknown,43200,49.155
  nlp,unknown,14400,16.385

A GPU's name that may be several ("a100") is that of the machines there are; where nobody knows it, jobs may be on any machine of their cluster, and not even a list that is said to be complete calls these free.
  $ printf '%s\n' node,provider,region,cluster,gpu_model,gpu_count,purchase,from,to,usd_hour n1,on-prem,r,hpc,A100-SXM4-80GB,8,owned,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,16 >n.csv
  $ for gpu in a100 a100x; do printf '%s\n' job_id,user,cluster,gpu_model,gpus,start,end "1,ada,hpc,$gpu,4,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z" "2,bob,hpc,$gpu,4,2026-11-01T00:00:00Z,2026-11-01T01:00:00Z" >j.csv; tare import -q --db $gpu n.csv && tare import -q --db $gpu --covers hpc j.csv; tare report --db $gpu --by user,gpu_model,state -o csv | cut -d, -f1-3,5,6; done
  user,gpu_model,state,gpu_seconds,cost
  ada,A100-SXM4-80GB,unknown,28800,16
  ,A100-SXM4-80GB,unallocated,14400,8
  bob,A100-SXM4-80GB,unknown,14400,8
  user,gpu_model,state,gpu_seconds,cost
  ,A100-SXM4-80GB,unknown,57600,32
  ada,a100x,unknown,28800,
  bob,a100x,unknown,14400,

Readings of machines whose jobs name none are of the same time, in any order: what the jobs did is unknown, their cost is not, and work that they cannot have done is nobody's.
  $ (echo node,provider,region,cluster,gpu_model,gpu_count,purchase,from,to,usd_hour; for n in n1 n2; do echo $n,on-prem,r,hpc,A100-SXM4-80GB,2,owned,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,4; done) >n2.csv
  $ printf '%s\n' job_id,user,cluster,gpu_model,gpus,start,end 1,ada,hpc,A100-SXM4-80GB,2,2026-11-01T00:00:00Z,2026-11-01T00:30:00Z 2,bob,hpc,A100-SXM4-80GB,1,2026-11-01T00:15:00Z,2026-11-01T01:30:00Z >j2.csv
  $ echo time,node,gpu,gpu_util_pct,mem_used_bytes,step_s >s2.csv; for t in 00:00 00:30 01:00 01:30; do for g in n1,0,80 n1,1,80 n2,0,0 n2,1,0; do echo 2026-11-01T$t:00Z,$g,0,1800; done; done >>s2.csv
  $ tare import -q --db r1 n2.csv && tare import -q --db r1 --covers hpc j2.csv && tare import --db r1 s2.csv | grep note
      note: jobs that name no machine hold GPUs of 2 machines with readings: on which of them they ran is not known, so their time is theirs and unknown in what it did, and the readings tell of the rest; give the jobs their node
  $ tare import -q --db r2 s2.csv && tare import -q --db r2 j2.csv && tare import -q --db r2 n2.csv
  $ for db in r1 r2; do tare report --db $db --by user,state -o csv | cut -d, -f1,2,4,5; done
  user,state,gpu_seconds,cost
  ,unallocated,13500,7.5
  ,busy,7200,4
  bob,unknown,4500,2.5
  ada,unknown,3600,2
  user,state,gpu_seconds,cost
  ,unallocated,13500,7.5
  ,busy,7200,4
  bob,unknown,4500,2.5
  ada,unknown,3600,2

A list that names machines watches them on all its days, also behind one that names none.
  $ sed 's/01T02/04T00/' n2.csv >n3.csv; head -1 j2.csv >j3.csv; sed '1q' j2.csv | sed 's/$/,node/' | tee j4.csv >j5.csv
  $ put() { echo "$2,$3,hpc,A100-SXM4-80GB,1,2026-11-0$4:00:00Z,2026-11-0$5:00:00Z$6" >>j$1.csv; }; put 3 1 ada 1T00 1T01; put 3 2 bob 3T12 3T13; put 4 3 ada 1T01 1T02 ,n1; put 4 4 bob 1T02 1T03 ,n1; put 5 5 ada 1T04 1T05 ,; put 5 6 bob 3T10 3T11 ,n1
  $ tare import -q --db w1 n3.csv j3.csv j4.csv j5.csv; for f in n3 j3 j4 j5; do tare import -q --db w2 $f.csv; done
  $ for db in w1 w2; do tare report --db $db --by node,state -o csv | cut -d, -f1,2,4,5; done
  node,state,gpu_seconds,cost
  ,unallocated,428400,238
  n1,unallocated,399600,222
  n1,unknown,118800,66
  ,unknown,90000,50
  node,state,gpu_seconds,cost
  ,unallocated,428400,238
  n1,unallocated,399600,222
  n1,unknown,118800,66
  ,unknown,90000,50

Readings that name a job and no machine are of the job, whether that names a machine, the GPU by the same text, or nothing; in any order.
  $ printf 'time,gpu,job_id,gpu_util_pct,mem_used_bytes,step_s\n2026-11-01T10:00:00Z,aaaa,aaaa,80,9000000000,3600\n2026-11-01T11:00:00Z,aaaa,aaaa,0,9000000000,3600\n' >s.csv
  $ printf 'job_id,user,team,gpus,start,end,state\naaaa,ann,nlp,1,2026-11-01T10:00:00Z,2026-11-01T12:00:00Z,COMPLETED\nbbbb,bob,vis,2,2026-11-01T10:00:00Z,2026-11-01T12:00:00Z,COMPLETED\n' >j.csv
  $ sed 's/gpus,start/gpus,gpu_ids,start/; s/nlp,1,/nlp,1,aaaa,/; s/vis,2,/vis,2,,/' j.csv >jg.csv
  $ sed 's/gpus,start/gpus,node,start/; s/nlp,1,/nlp,1,n1,/; s/vis,2,/vis,2,,/' j.csv >jn.csv
  $ sed 's/nlp,1,/nlp,3,/' j.csv >j3.csv
  $ sed 's/aaaa,aaaa/aaaa,/' s.csv >sg.csv
  $ cat >by <<'END'
  > tare import -q --db $1 $2 && tare import -q --db $1 $3 && tare report --db $1 --by team,job,node,state -o csv | cut -d, -f1-4,6 >$1.txt && cat $1.txt
  > END
  $ bash by l1 s.csv j.csv
  team,job,node,state,gpu_seconds
  vis,bbbb,,unknown,14400
  nlp,aaaa,,busy,3600
  nlp,aaaa,,idle_held,3600
  $ bash by l2 j.csv s.csv | cmp - l1.txt
  $ bash by l3 s.csv jg.csv | cmp - l1.txt
  $ bash by l4 jg.csv sg.csv | cmp - l1.txt
  $ bash by l5 s.csv jn.csv
  team,job,node,state,gpu_seconds
  vis,bbbb,,unknown,14400
  nlp,aaaa,n1,busy,3600
  nlp,aaaa,n1,idle_held,3600
  $ bash by l6 jn.csv s.csv | cmp - l5.txt

One of three GPUs is read; without the list, or without the readings, all is as before.
  $ bash by l7 s.csv j3.csv
  team,job,node,state,gpu_seconds
  nlp,aaaa,,unknown,14400
  vis,bbbb,,unknown,14400
  nlp,aaaa,,busy,3600
  nlp,aaaa,,idle_held,3600
  $ tare import --undo j3.csv --db l7 -q && tare report --db l7 --by team,job,state -o csv | cut -d, -f1-3,5
  team,job,state,gpu_seconds
  ,aaaa,busy,3600
  ,aaaa,idle_held,3600
  $ tare import --undo s.csv --db l1 -q && tare report --db l1 --by team,job,state -o csv | cut -d, -f1-3,5
  team,job,state,gpu_seconds
  vis,bbbb,unknown,14400
  nlp,aaaa,unknown,7200

Jobs of two clusters have the name: which of them it is is not known.
  $ (sed '1s/$/,cluster/; 2,$s/$/,east/' j.csv; sed '1d; s/$/,west/' j.csv) >two.csv
  $ tare import -q --db l8 two.csv && tare import --db l8 s.csv | grep several
      note: readings of 1 GPU name no machine and jobs of several machines or clusters: which of them has this time is not known, and it may stand twice; give the readings their node (tare import --set node=NAME)

The machines of the jobs are recorded: their time is there without the readings.
  $ sed 's/T0/T1/g' nodes.csv >then.csv
  $ tare import -q --db la then.csv && bash by la j.csv s.csv
  team,job,node,state,gpu_seconds
  ,,,unallocated,93600
  vis,bbbb,,unknown,14400
  nlp,aaaa,,unknown,7200
  $ tare import -q --db lb s.csv && bash by lb j.csv then.csv | cmp - la.txt

Machines behind "(1 more)" have names.
  $ tare import -q --db lc nodes.csv && tare report --db lc --by node --top 1 >top.txt; grep -c 'more)' top.txt; grep -c 'name no node' top.txt
  1
  0
  [1]
