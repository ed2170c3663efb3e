What people meet who bring in what they have for the first time.

A table that a shipped map reads is told so; one of two columns, or one that several maps read alike, is not.

  $ echo arrival_time,length,cpus > cut.csv; echo 0.5,2,4 >> cut.csv; tare import cut.csv
  ! tare: 'cut.csv' is of no kind that can be told from its columns
  !       Nothing was imported. Its columns are those of the map 'alibaba-pai-100k': tare import --map alibaba-pai-100k 'cut.csv'
  [2]
  $ tare import --map alibaba-pai-100k -q cut.csv; tare report --by job -o csv | cut -d, -f1,3
  job,gpu_seconds
  pai-2,28800
  $ echo timestamp_anon,value,container_ip > anon.csv; echo 1,2,3 >> anon.csv; tare import anon.csv 2>&1 | cut -c1-80
  tare: 'anon.csv' is of no kind that can be told from its columns
        Nothing was imported. Its columns are those of the maps 'alibaba-gentd26-d

A request log alone: what is said that can be seen is there.

  $ printf 'TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n2023-11-16 18:15:50.9951690,396,109\n' > llm.csv
  $ tare import --db log --map azure-llm llm.csv | grep -A1 'You see'
  You see   requests and tokens by service: tare report --serving --db log
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): replicas, sharing,
  $ tare report --db log --serving | sed -n 3,4p
  service    requests     ok  p50  p95  p99  tok in  tok out  cost  /1,000  /M  /M in  /M out
  azure-llm         2  100 %    -    -    -     770      153     -       -   -      -       -

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

A job of which a list tells little: what is not told has no dash in its place.

  $ printf 'job_id,gpus,start,end\nlone,2,2026-11-20T10:00:00Z,2026-11-20T11:00:00Z\n' > lone.csv
  $ tare import -q --db lone lone.csv; tare explain --db lone lone | grep -E 'On|Ended'
  On          2 x GPU
  Ended       not told how, after 1 attempt

A drill of a run that had come to its end before: it begins at its last step.

  $ cat > work.sh <<'X'
  > s=${TARE_RESUME_STEP:-0}; mkdir -p out
  > while [ $s -lt 3 ]; do s=$((s + 1)); sleep 0.1; done
  > echo $s > out/ck-$s.part; mv out/ck-$s.part out/ck-$s.pt; sleep 0.3
  > X
  $ tare run -q --notice none --watch out --checkpoint-glob '*.pt' -- sh work.sh
  $ tare run drill --name w --notice none --watch out --checkpoint-glob '*.pt' --after 1h -- sh work.sh 2>&1 | grep -A1 drill
  tare: the restore drill was not made: it ended with code 0 before the drill could interrupt it
        It went on from step 3 of an earlier run: name another --checkpoint-dir, or interrupt it sooner: --after SPAN
