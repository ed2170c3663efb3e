The GPU·h that import prints of a job list are those of the ledger: MIG instances by their slices, jobs that still run to the end of the data.

  $ cat > lists.sh <<'S'
  > h='JobID|User|Cluster|State|Submit|Start|End|NodeList|AllocTRES'; s=2026-11-02T00:00:00; e=2026-11-02T10:00:00
  > printf '%s\n' "$h" "1|ada|c|COMPLETED|$s|$s|$e|n1|gres/gpu:1g.10gb=2" > mig.txt
  > printf '%s\n' "$h" "2|ada|c|COMPLETED|$s|$s|$e|n2|gres/gpu=8" "3|bob|c|RUNNING|$s|$s|Unknown|n3|gres/gpu=8" > run.txt
  > printf '%s\n' "$h" "4|ada|c|COMPLETED|$s|$s|$e|a30|gres/gpu:1g.6gb=1" > a30.txt
  > printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\na30,lambda,us-east-1,NVIDIA A30,1,on_demand,2026-11-02,2026-11-03,1\n' > nodes.csv
  > S
  $ bash lists.sh
  $ for f in mig run; do tare import --db $f --as sacct $f.txt | head -1; tare sql --db $f -o csv "SELECT user_name, round(sum(gpu_seconds) / 3600, 2) AS h FROM entries GROUP BY ALL ORDER BY ALL"; done
  mig.txt: sacct, 1 row kept, 2.86 GPU·h
  user_name,h
  ada,2.86
  run.txt: sacct, 2 rows kept, 160.00 GPU·h
  user_name,h
  ada,80
  bob,80
  $ tare import -q --db a nodes.csv && tare import --db a --as sacct a30.txt | head -1 && tare sql --db a -o csv "SELECT round(sum(gpu_seconds) / 3600, 2) AS h FROM entries WHERE job <> ''"
  a30.txt: sacct, 1 row kept, 2.50 GPU·h
  h
  2.5
