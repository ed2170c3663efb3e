Power that was read is the energy, also of jobs whose list says how many GPUs they hold and not which, of work that was lost, and of elements of arrays that readings
know by Slurm's own number: 1 GPU at 500 W for two hours is 1 kWh each.

  $ cat > nodes.csv <<'CSV'
  > node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour,cluster
  > n1,lambda,us-east-1,NVIDIA H100 80GB HBM3,4,on_demand,2026-11-02T00:00:00Z,2026-11-02T06:00:00Z,4,c1
  > n2,lambda,us-east-1,NVIDIA H100 80GB HBM3,4,on_demand,2026-11-02T00:00:00Z,2026-11-02T06:00:00Z,4,c1
  > CSV
  $ cat > sacct.txt <<'TXT'
  > JobID|JobIDRaw|JobName|User|Cluster|State|Submit|Start|End|NodeList|AllocTRES
  > 100|100|train-a|ada|c1|COMPLETED|2026-11-02T00:00:00|2026-11-02T00:00:00|2026-11-02T02:00:00|n1|gres/gpu=1
  > 101|101|train-b|bob|c1|FAILED|2026-11-02T03:00:00|2026-11-02T03:00:00|2026-11-02T05:00:00|n1|gres/gpu=1
  > 500_3|507|arr|cy|c1|COMPLETED|2026-11-02T00:00:00|2026-11-02T00:00:00|2026-11-02T02:00:00|n2|gres/gpu=1
  > 600+1|601|het|dan|c1|CANCELLED|2026-11-02T00:00:00|2026-11-02T00:00:00|2026-11-02T02:00:00|n2|gres/gpu=1
  > TXT
  $ awk 'BEGIN { print "time,node,gpu,job_id,gpu_util_pct,mem_used_bytes,power_w,step_s"
  >   for (m = 0; m < 360; m += 2) for (n = 1; n < 3; n++) for (g = 0; g < 4; g++) { a = n == 1 && g == 2 && m < 120; b = n == 1 && g == 3 && m >= 180 && m < 300
  >     j = n == 2 && m < 120 ? (g == 2 ? 507 : g == 3 ? 601 : "") : ""; w = a || b || j
  >     printf "2026-11-02T%02d:%02d:00Z,n%d,%d,%s,%d,%s,%d,120\n", m / 60, m % 60, n, g, j, w ? 92 : 0, w ? "50e9" : "0", w ? 500 : 0 } }' > s.csv
  $ tare import -q --as sacct --covers c1 sacct.txt && tare import -q nodes.csv s.csv
  $ tare report --energy --by user,job -o csv
  user,job,gpu_seconds,cost,kwh,co2_kg,measured_frac,estimated_frac,placed_frac,unpriced_gpu_seconds
  ada,100,7200,2,1,,1,0,0,0
  bob,101,7200,2,1,,1,0,0,0
  cy,500_3,7200,2,1,,1,0,0,0
  dan,600+1,7200,2,1,,1,0,0,0
  ,,144000,40,0,,1,0,,0
  $ tare report --by user,state,cause -o csv | cut -d, -f1-3,6
  user,state,cause,cost
  ,unallocated,free,40
  ada,busy,,2
  bob,lost,failed,2
  cy,busy,,2
  dan,lost,cancelled,2
  $ for j in 100 500_3 600+1; do tare explain $j | grep -A1 '^Used'; done
  Used        1 of 1 GPU; utilisation 92 % on average, memory 46.6 GiB (p99 of its
              fullest GPU)
  Used        1 of 1 GPU; utilisation 92 % on average, memory 46.6 GiB (p99 of its
              fullest GPU)
  Used        1 of 1 GPU; utilisation 92 % on average, memory 46.6 GiB (p99 of its
              fullest GPU)
