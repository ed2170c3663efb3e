What people meet who bring in what they have for the first time.

A table that a shipped map reads is told so; one of two columns, or one that several maps read alike, is not.

  $ echo arrival_time,length,cpus > cut.csv; echo 0.5,2,4 >> cut.csv; tare import cut.csv
  ! tare: 'cut.csv' is of no kind that can be told from its columns
  !       Nothing was imported. The shipped map alibaba-pai-100k reads these columns: --map alibaba-pai-100k (docs/MAPS.md)
  [2]
  $ tare import --map alibaba-pai-100k -q cut.csv; tare report --by job -o csv | cut -d, -f1,3
  job,gpu_seconds
  pai-2,28800
  $ echo timestamp_anon,value,container_ip > anon.csv; echo 1,2,3 >> anon.csv; tare import anon.csv 2>&1 | cut -c1-80
  tare: 'anon.csv' is of no kind that can be told from its columns
        Nothing was imported. Name the kind with --as (focus, aws-cur, azure-cost,

A request log alone: what is said that can be seen is there.

  $ printf 'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n' > llm.csv
  $ tare import --db log --map azure-llm llm.csv | grep -A1 'You see'
  You see   requests and tokens by service: tare report --serving
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): replicas, sharing,
  $ tare report --db log --serving | sed -n 3,4p
  service    requests     ok  p50  p95  p99  tok in  tok out  cost  /1,000
  azure-llm         2  100 %    -    -    -     770      153     -       -

What tare run wrote of two attempts, the first with a part that nothing safe came of: two, and not three.

  $ cat > attempts.csv <<'X'
  > job_id,name,user,gpus,gpu_ids,gpu_model,node,start,end,state,attempt,usd_gpu_hour,currency
  > jx,,u,1,,,vm,2026-11-20T10:00:00Z,2026-11-20T11:00:00Z,COMPLETED,0,2,USD
  > jx,,u,1,,,vm,2026-11-20T11:00:00Z,2026-11-20T11:30:00Z,PREEMPTED,0,2,USD
  > jx,,u,1,,,vm,2026-11-20T11:40:00Z,2026-11-20T14:00:00Z,COMPLETED,1,2,USD
  > X
  $ tare import -q --db run attempts.csv; tare explain --db run jx | grep -E 'Ended|Did|Cost'
  Ended       COMPLETED after 2 attempts
  Cost        7.67 USD for 3.8 GPU·h in the window
  Did         lost 13 % (1.00), unknown 87 % (6.67)

Requeued without a number, one straight after the other: two as well.

  $ printf 'job_id,gpus,node,start,end,state\nr,1,n,2026-11-20T10:00:00Z,2026-11-20T11:00:00Z,NODE_FAIL\nr,1,n,2026-11-20T11:01:00Z,2026-11-20T12:00:00Z,COMPLETED\n' > again.csv
  $ tare import -q --db again again.csv; tare explain --db again r | grep Ended
  Ended       COMPLETED after 2 attempts
