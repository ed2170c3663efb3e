A job without GPUs holds none, but its machine is not free: the one on which it runs is not stopped, nor is one that it left a day ago.
Without these jobs, and when the list is replaced by one that has them no more, their machines go.

  $ { echo node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster; for n in 1 2 3 4; do echo m$n,aws,us-east-1,p3.8xlarge,V100-SXM2-16GB,4,on_demand,2026-09-01T00:00:00Z,2026-10-11T00:00:00Z,c; done; } > nodes.csv
  > row() { echo "$1|ann|$2|2026-09-01T00:00:00|2026-09-01T00:00:00|$3|$4|m$1|cpu=8,$5node=1|c"; }
  > { echo 'JobID|User|State|Submit|Start|End|Elapsed|NodeList|AllocTRES|Cluster'; row 1 COMPLETED 2026-10-11T00:00:00 40-00:00:00 gres/gpu=4,; row 2 RUNNING Unknown 40-00:00:00; row 3 COMPLETED 2026-10-10T00:00:00 39-00:00:00; } > jobs.txt
  > { echo job_id,user,gpus,node,start,end,cluster,state; echo 2,ann,0,m2,2026-09-01T00:00:00Z,,c,RUNNING; echo 3,ann,0,m3,2026-09-01T00:00:00Z,2026-10-10T00:00:00Z,c,COMPLETED; echo 1,ann,4,m1,2026-09-01T00:00:00Z,2026-10-11T00:00:00Z,c,COMPLETED; } > jobs.csv
  > sed '/^[23]|/d' jobs.txt > gone.txt
  > for f in jobs.txt jobs.csv gone.txt replaced; do db=db-$f; tare import -q --db $db nodes.csv
  > [ $f != replaced ] || { tare import -q --db $db --covers c jobs.txt; cp gone.txt jobs.txt; f='--replace jobs.txt'; }; tare import -q --db $db --covers c $f
  > tare plan --db $db --lever stop_idle -o json 2> /dev/null | $FILES/../data/get '[a.node for r in recommendations for a in r.actions if a.do == "stop"]'; done
  ['m4']
  ['m4']
  ['m2', 'm3', 'm4']
  ['m2', 'm3', 'm4']
