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
