A machine of two GPUs for four hours; a job list covers the first two, in which team a holds one GPU for
an hour. What nobody watched is nobody's: it takes no share of the idle cost, and it is not held.
  $ cat > nodes.csv <<'END'
  > node,provider,region,cluster,gpu_model,gpu_count,purchase,from,to,usd_hour
  > gpu-1,lab,r1,prod,A100-SXM4-80GB,2,owned,2026-11-01T00:00:00Z,2026-11-01T04:00:00Z,8
  > END
  $ cat > jobs.csv <<'END'
  > job_id,user,team,gpus,gpu_ids,start,end,state,node,cluster
  > j1,ada,a,1,0,2026-11-01T00:00:00Z,2026-11-01T01:00:00Z,completed,gpu-1,prod
  > END
  $ tare import -q nodes.csv
  $ tare import -q jobs.csv --covers prod --since 2026-11-01T00:00:00Z --until 2026-11-01T02:00:00Z
  $ tare report --by state,cause -o csv | cut -d, -f1,2,4,5
  state,cause,gpu_seconds,cost
  unknown,unwatched,14400,16
  unallocated,free,10800,12
  unknown,unread,3600,4
  $ tare report --by team --split-idle proportional -o csv | cut -d, -f1,3-6
  team,gpu_seconds,cost,direct_cost,idle_share_cost
  ,14400,16,16,0
  a,14400,16,4,12
  $ tare report --kpi | grep -E 'allocation|unknown'
  allocation rate                 25 %  of paid time that anybody watched
  unknown                         63 %  unread or unwatched, of paid
