A log of nvidia-smi names GPUs by uuid and no node; a node's record names them too. They are the same GPUs, whichever file came first.

  $ cat > nodes.csv <<'CSV'
  > node,provider,region,gpu_model,gpu_count,gpu_ids,purchase,from,to,usd_hour,cluster
  > n1,lambda,us-east-1,NVIDIA H100 80GB HBM3,2,GPU-a0;GPU-a1,on_demand,2026-11-02T00:00:00Z,2026-11-02T04:00:00Z,4,c1
  > n2,lambda,us-east-1,NVIDIA H100 80GB HBM3,1,GPU-b0,on_demand,2026-11-02T00:00:00Z,2026-11-02T04:00:00Z,2,c1
  > CSV
  $ cat > smi.sh <<'S'
  > echo 'timestamp, uuid, utilization.gpu [%], memory.used [MiB]'
  > for h in $1; do for m in 00 10 20 30 40 50; do for g in a0 a1 b0 c0; do echo "2026/11/02 0$h:$m:00.000, GPU-$g, 92 %, 50000 MiB"; done; done; done
  > S
  $ bash smi.sh '0 1' > one.csv; bash smi.sh '2 3' > two.csv
  $ tare import -q --db a nodes.csv one.csv two.csv && tare report --db a --by node,state -o csv | cut -d, -f1,2,5
  node,state,cost
  n1,busy,16
  n2,busy,8
  ,busy,
  $ tare import -q --db b one.csv && tare report --db b --by node -o csv | cut -d, -f1,4
  node,cost
  ,
  $ tare import -q --db b nodes.csv && tare import -q --db b two.csv
  $ for d in a b; do tare sql --db $d -o csv 'SELECT hour_utc, node, gpu, state, sum(gpu_seconds) AS s, sum(effective_cost) AS c FROM entries GROUP BY ALL HAVING s <> 0 ORDER BY ALL' > $d.csv; done; cmp a.csv b.csv && wc -l < a.csv
  17
  $ tare doctor --db b | grep '^.. *ledger ' | sed 's/[0-9.]* s$/N s/'
  ok   ledger                 closes, checked in N s

Any name that both have is one, but a place: each machine has a GPU 0.

  $ for g in GPU-b0 card-7 6bd1f0e9 0; do sed "1p; /^n2/!d; s/GPU-b0/$g/" nodes.csv > n.csv; bash smi.sh 0 | sed "1p; /GPU-b0/!d; s/GPU-b0/$g/" > s.csv; tare import -q --db d-$g n.csv s.csv && tare report --db d-$g --by node,state -o csv | tail -n +2 | cut -d, -f1,2,4,5; done
  n2,unknown,10800,6
  n2,busy,3600,2
  n2,unknown,10800,6
  n2,busy,3600,2
  n2,unknown,10800,6
  n2,busy,3600,2
  n2,unknown,14400,8
  ,busy,3600,

What names no machine beside recorded ones may be told twice: not only the import says so.

  $ tare report --db d-0 | tail -n 3; tare doctor --db d-0 | grep -c '^no *GPUs without a machine'; tare plan --db d-0 2>&1 | grep -A2 'readings of'
  In doubt: readings of 1 GPU (1.0 GPU·h) name no machine that is known, beside 1
  recorded: their time may stand twice; say whose they are (--replace --set
  node=NAME), or which GPUs a machine has (gpu_ids of the node list).
  1
    readings of 1 GPU (1.0 GPU·h) name no machine that is known, beside 1
    recorded: their time may stand twice; say whose they are (--replace --set
    node=NAME), or which GPUs a machine has (gpu_ids of the node list)

Where two nodes' records name one uuid nothing says whose it is, and where a job holds the GPU by its uuid alone the two stay together.

  $ sed '2!d;s/n1/n9/' nodes.csv | cat <(head -1 nodes.csv) - > twice.csv && tare import -q --db b twice.csv && tare report --db b --by node -o csv | cut -d, -f1,4
  node,cost
  n1,16
  n9,16
  n2,8
  ,
  $ printf 'job_id,user,gpus,gpu_ids,start,end\nj1,ada,1,GPU-b0,2026-11-02T00:00:00Z,2026-11-02T01:00:00Z\n' > jobs.csv
  $ tare import -q --db a jobs.csv && tare report --db a --by node,user,state -o csv | cut -d, -f1-3,6
  node,user,state,cost
  n1,,busy,16
  n2,,unknown,8
  ,,busy,
  ,ada,busy,

A GPU that breaks is replaced by one with another uuid: by the readings where the records say how many there are, by the records where they say which.

  $ r() { echo "n1,lab,b,A100-SXM4-80GB,2,$1,owned,2026-11-02T0$2:00:00Z,2026-11-02T0$3:00:00Z,1,c1"; }; head -1 nodes.csv > counted.csv; cp counted.csv listed.csv
  > r '' 0 6 >> counted.csv; r 'GPU-0;GPU-old' 0 3 >> listed.csv; r 'GPU-0;GPU-new' 3 6 >> listed.csv
  $ { echo time,node,gpu,job_id,gpu_util_pct,mem_used_bytes,step_s; for h in 0 1 2 3 4 5; do t=2026-11-02T0$h:00:00Z g=old j=; [ $h -gt 2 ] && g=new; case $h in 1 | 4) j=j$h ;; esac; echo "$t,n1,GPU-0,,0,0,3600"; echo "$t,n1,GPU-$g,$j,${j:+9}0,0,3600"; done; } > read.csv
  $ { echo job_id,user,gpus,node,start,end,cluster; for h in 1 4; do echo j$h,ada,1,n1,2026-11-02T0$h:00:00Z,2026-11-02T0$((h + 1)):00:00Z,c1; done; } > held.csv
  $ for d in counted listed; do tare import -q --db $d $d.csv read.csv && tare import -q --db $d --covers c1 held.csv && tare report --db $d --by gpu,job,state -o csv | cut -d, -f1-3,5; done
  gpu,job,state,gpu_seconds
  n1/0,,unallocated,21600
  n1/1,,unallocated,14400
  n1/1,j1,busy,3600
  n1/1,j4,busy,3600
  gpu,job,state,gpu_seconds
  GPU-0,,unallocated,21600
  GPU-new,,unallocated,7200
  GPU-old,,unallocated,7200
  GPU-new,j4,busy,3600
  GPU-old,j1,busy,3600
