Two nodes of two GPUs for six hours, one with a price (4.00 an hour), one without; three jobs; telemetry of one GPU with a gap of ten minutes.

  $ tare import $FILES/files/nodes.csv $FILES/files/jobs.csv $FILES/files/samples.csv
  $FILES/files/nodes.csv: nodes, 2 rows kept, 24.00 GPU·h
  $FILES/files/jobs.csv: allocations, 3 rows kept, 12.50 GPU·h
  $FILES/files/samples.csv: samples, 230 rows kept, 3.83 GPU·h
  You see   idle time of each job; right size, booked time: tare plan
            busy, half-used and idle GPUs: tare report --by state
            machines that nobody holds: tare report --by state
  Add       a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
            a request log (requests.csv, Prometheus): replicas, sharing, latency
            kept

  $ tare report --by team
  6 h to 2024-10-01 06:00 UTC · effective cost, USD · 24.0 GPU·h paid · 27 %
  measured, 31 % assumed
  
  team      GPU·h   cost  busy  underused  idle   lost  unknown
  (nobody)   17.5  11.00     -          -  43 %    0 %     57 %
  vision      4.0   8.00  46 %       25 %  25 %    0 %      4 %
  nlp         2.5   5.00     -          -     -  100 %      0 %
  ─────────────────────────────────────────────────────────────
             24.0  24.00   8 %        4 %  36 %   10 %     42 %
  
  no bill · ledger 24.00 · unpriced 12.0 GPU·h
  Idle alone costs 9.00 USD in these 6 h. Most of it: (nobody), 7.00, paid for and
  held by nobody (tare report --by node --sort waste).

  $ tare report --by node,state -o csv
  node,state,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  gpu-1,unallocated,USD,12600,7,7,0,0,7,0,0,,,,,,,,,12600,7,,,,,,
  gpu-1,lost,USD,9000,5,5,0,0,5,0,9000,,,,,,,,,0,0,9000,5,0,0,0,0
  gpu-1,unknown,USD,7800,4.333333333,4.333333333,0,0,,0,0,,,,,,,,,,,0,0,0,0,7800,4.333333333
  gpu-1,busy,USD,6600,3.666666667,3.666666667,0,0,0,0,6600,6600,3.666666667,0,0,0,0,0,0,0,0,0,0,0,0,0,0
  gpu-1,idle_held,USD,3600,2,2,0,0,2,0,3600,0,0,0,0,3600,2,0,0,0,0,0,0,0,0,0,0
  gpu-1,underused,USD,3600,2,2,0,0,1.8,0,3600,0,0,3600,2,0,0,0,0,0,0,0,0,0,0,0,0
  gpu-2,unknown,USD,28800,,,,0,,28800,0,,,,,,,,,,,0,0,0,0,28800,
  gpu-2,unallocated,USD,14400,,,,0,,14400,0,,,,,,,,,14400,,,,,,,

The GPU that has telemetry: 110 minutes busy, 10 unknown, 60 idle with memory held, 60 underused; then 2 hours nobody holds it.

  $ tare report --by gpu,state,cause --where node=gpu-1 -o csv
  gpu,state,cause,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  gpu-1/1,lost,failed,USD,9000,5,5,0,0,5,0,9000,,,,,,,,,0,0,9000,5,0,0,0,0
  gpu-1/1,unallocated,free,USD,9000,5,5,0,0,5,0,0,,,,,,,,,9000,5,,,,,,
  gpu-1/0,busy,,USD,6600,3.666666667,3.666666667,0,0,0,0,6600,6600,3.666666667,0,0,0,0,0,0,0,0,0,0,0,0,0,0
  gpu-1/0,idle_held,,USD,3600,2,2,0,0,2,0,3600,0,0,0,0,3600,2,0,0,0,0,0,0,0,0,0,0
  gpu-1/0,unallocated,free,USD,3600,2,2,0,0,2,0,0,,,,,,,,,3600,2,,,,,,
  gpu-1/0,underused,unknown,USD,3600,2,2,0,0,1.8,0,3600,0,0,3600,2,0,0,0,0,0,0,0,0,0,0,0,0
  gpu-1/0,unknown,unwatched,USD,3600,2,2,0,0,,0,0,,,,,,,,,,,,,,,3600,2
  gpu-1/1,unknown,unwatched,USD,3600,2,2,0,0,,0,0,,,,,,,,,,,,,,,3600,2
  gpu-1/0,unknown,unread,USD,600,0.333333333,0.333333333,0,0,,0,0,,,,,,,,,0,0,0,0,0,0,600,0.333333333

Each 24.00 of gpu-1 is somebody's or nobody's; 12 GPU-hours have no price and are counted, not guessed.

  $ tare report -o json
  {"schema":"tare.report/1","window":{"since":"2024-10-01T00:00:00Z","until":"2024-10-01T06:00:00Z"},"currency":"USD","basis":"effective","split_idle":"none","where":null,"rows":[{"team":null,"currency":"USD","gpu_seconds":"63000","cost":"11","other_cost":"0","waste_cost":"7","unpriced_gpu_seconds":"43200","measured_frac":0,"estimated_frac":0,"utilisation_frac":null,"states":{"busy":{"gpu_seconds":null,"cost":null},"underused":{"gpu_seconds":null,"cost":null},"idle_held":{"gpu_seconds":null,"cost":null},"idle_empty":{"gpu_seconds":null,"cost":null},"unallocated":{"gpu_seconds":"27000","cost":"7"},"unknown":{"gpu_seconds":"36000","cost":"4"}}},{"team":"vision","currency":"USD","gpu_seconds":"14400","cost":"8","other_cost":"0","waste_cost":"3.8","unpriced_gpu_seconds":"0","measured_frac":0.958333,"estimated_frac":0,"utilisation_frac":0.456522,"states":{"busy":{"gpu_seconds":"6600","cost":"3.666666667"},"underused":{"gpu_seconds":"3600","cost":"2"},"idle_held":{"gpu_seconds":"3600","cost":"2"},"unknown":{"gpu_seconds":"600","cost":"0.333333333"}}},{"team":"nlp","currency":"USD","gpu_seconds":"9000","cost":"5","other_cost":"0","waste_cost":"5","unpriced_gpu_seconds":"0","measured_frac":1,"estimated_frac":0,"utilisation_frac":null,"states":{"busy":{"gpu_seconds":null,"cost":null},"underused":{"gpu_seconds":null,"cost":null},"idle_held":{"gpu_seconds":null,"cost":null},"idle_empty":{"gpu_seconds":null,"cost":null},"lost":{"gpu_seconds":"9000","cost":"5"}}}],"total":{"gpu_seconds":"86400","cost":"24","other_cost":"0","waste_cost":"15.8","unpriced_gpu_seconds":"43200","measured_frac":0.263889,"estimated_frac":0,"utilisation_frac":0.456522,"states":{"busy":{"gpu_seconds":"6600","cost":"3.666666667"},"underused":{"gpu_seconds":"3600","cost":"2"},"idle_held":{"gpu_seconds":"3600","cost":"2"},"unallocated":{"gpu_seconds":"27000","cost":"7"},"lost":{"gpu_seconds":"9000","cost":"5"},"unknown":{"gpu_seconds":"36600","cost":"4.333333333"}}},"reconcile":{"billed":null,"ledger":"24","difference":"0","unpriced_gpu_seconds":"43200","unbilled":"24","remainder":"0","remainder_exact":{"numerator":"0","denominator":"1"},"partial":false,"lines_without_cost":0},"coverage_frac":0.576389,"measured_frac":0.263889}

The same files again change nothing.

  $ tare import $FILES/files/jobs.csv
  $FILES/files/jobs.csv: already imported (batch 1); nothing changed (--replace reads it again)
  You see   idle time of each job; right size, booked time: tare plan
            busy, half-used and idle GPUs: tare report --by state
            machines that nobody holds: tare report --by state
  Add       a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
            a request log (requests.csv, Prometheus): replicas, sharing, latency
            kept

  $ tare report --by team -o csv
  team,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  ,USD,63000,11,11,0,0,7,43200,0,,,,,,,,,27000,7,0,0,0,0,36000,4
  vision,USD,14400,8,8,0,0,3.8,0,13800,6600,3.666666667,3600,2,3600,2,0,0,0,0,0,0,0,0,600,0.333333333
  nlp,USD,9000,5,5,0,0,5,0,9000,,,,,,,,,0,0,9000,5,0,0,0,0

Who pays for what nobody used: each way adds up to the same.

  $ for how in none proportional owner; do tare report --split-idle $how -o csv; done
  team,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  ,USD,63000,11,11,0,0,7,43200,0,,,,,,,,,27000,7,0,0,0,0,36000,4
  vision,USD,14400,8,8,0,0,3.8,0,13800,6600,3.666666667,3600,2,3600,2,0,0,0,0,0,0,0,0,600,0.333333333
  nlp,USD,9000,5,5,0,0,5,0,9000,,,,,,,,,0,0,9000,5,0,0,0,0
  team,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  vision,USD,31015.385,12.307692308,8,4.307692308,0,8.107692308,8861.538,13800,6600,3.666666667,3600,2,3600,2,0,0,16615.385,4.307692308,0,0,0,0,600,0.333333333
  nlp,USD,19384.615,7.692307692,5,2.692307692,0,7.692307692,5538.462,9000,,,,,,,,,10384.615,2.692307692,9000,5,0,0,0,0
  ,USD,36000,4,4,0,0,,28800,0,,,,,,,,,,,0,0,0,0,36000,4
  team,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  vision,USD,14400,8,8,0,0,3.8,0,13800,6600,3.666666667,3600,2,3600,2,0,0,0,0,0,0,0,0,600,0.333333333
  nlp,USD,9000,5,5,0,0,5,0,9000,,,,,,,,,0,0,9000,5,0,0,0,0
  ,USD,36000,4,4,0,0,,28800,0,,,,,,,,,,,0,0,0,0,36000,4
  (unallocated),USD,27000,7,0,7,0,7,14400,0,,,,,,,,,27000,7,,,,,,

  $ tare report --by team --showback
  6 h to 2024-10-01 06:00 UTC · effective cost, USD · 24.0 GPU·h paid · 27 %
  measured, 31 % assumed
  
  team           GPU·h  direct  idle share  shared  total  of all
  vision           4.0    8.00        0.00    0.00   8.00    33 %
  nlp              2.5    5.00        0.00    0.00   5.00    21 %
  (nobody)        10.0    4.00        0.00    0.00   4.00    17 %
  (unallocated)    7.5    0.00        7.00    0.00   7.00    29 %
  ───────────────────────────────────────────────────────────────
                  24.0   17.00        7.00    0.00  24.00   100 %
  
  no bill · ledger 24.00 · unpriced 12.0 GPU·h

A window: [03:00, 04:00) alone.

  $ tare report --by state --since 2024-10-01T03:00:00Z --until 2024-10-01T04:00:00Z -o csv
  state,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  underused,USD,3600,2,2,0,0,1.8,0,3600,0,0,3600,2,0,0,0,0,0,0,0,0,0,0,0,0
  lost,USD,1800,1,1,0,0,1,0,1800,,,,,,,,,0,0,1800,1,0,0,0,0
  unallocated,USD,1800,1,1,0,0,1,0,0,,,,,,,,,1800,1,,,,,,
  unknown,USD,7200,,,,0,,7200,0,,,,,,,,,0,0,0,0,0,0,7200,

Late knowledge: telemetry of the second GPU of gpu-2 arrives by pipe, and the ledger is rewritten there and nowhere else.

  $ { head -1 $FILES/files/samples.csv; for m in 00 15 30 45; do echo "2024-10-01T02:$m:00Z,gpu-2,1,55,1000000000,900"; done; } | tare import --as samples -
  -: samples, 4 rows kept, 1.00 GPU·h
  You see   idle time of each job; right size, booked time: tare plan
            busy, half-used and idle GPUs: tare report --by state
            machines that nobody holds: tare report --by state
  Add       a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
            a request log (requests.csv, Prometheus): replicas, sharing, latency
            kept

  $ tare report --by gpu,state --where node=gpu-2 -o csv
  gpu,state,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  gpu-2/0,unknown,USD,14400,,,,0,,14400,0,,,,,,,,,,,0,0,0,0,14400,
  gpu-2/1,unknown,USD,10800,,,,0,,10800,0,,,,,,,,,,,0,0,0,0,10800,
  gpu-2/0,unallocated,USD,7200,,,,0,,7200,0,,,,,,,,,7200,,,,,,,
  gpu-2/1,unallocated,USD,7200,,,,0,,7200,0,,,,,,,,,7200,,,,,,,
  gpu-2/1,busy,USD,3600,,,,0,,3600,3600,3600,,0,0,0,0,0,0,0,0,0,0,0,0,0,0

