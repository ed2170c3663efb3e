Importing twice changes nothing; --replace takes the earlier file out; --dry-run keeps nothing.

  $ printf 'job_id,team,gpus,start,end,gpu_model\na,vision,2,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,A100\n' > jobs.csv
  $ tare import --dry-run --as allocations jobs.csv; tare report 2>&1 | sed "s|'[^']*/db'|DB|"
  jobs.csv: allocations, 1 row would be kept, 4.00 GPU·h
  tare: there is no store in DB yet
        Bring something in with `tare import FILE`, or try `tare demo`

  $ tare import --as allocations --set usd_gpu_hour=2.50 jobs.csv
  jobs.csv: allocations, 1 row kept, 4.00 GPU·h
  Next: tare report

  $ tare import --as allocations --set usd_gpu_hour=2.50 jobs.csv
  jobs.csv: already imported (batch 1); nothing changed
  Next: tare report

  $ tare report -o csv
  team,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  vision,USD,14400,10,10,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,14400,10

  $ printf 'job_id,team,gpus,start,end,gpu_model\na,vision,1,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,A100\n' > jobs.csv
  $ tare import --replace --as allocations --set usd_gpu_hour=2.50 jobs.csv
  jobs.csv: allocations, 1 row kept, 2.00 GPU·h
      note: 1 earlier file of 'file:jobs.csv' taken out
  Next: tare report

  $ tare report -o csv
  team,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  vision,USD,7200,5,5,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,7200,5

A second command while one holds the store.

  $ flock $TARE_DB/lock -c 'tare import --as allocations jobs.csv' 2>&1 | sed "s|pid [0-9]*|pid N|; s|'[^']*/db'|DB|"
  tare: the store DB is in use by another process
        Nothing was imported. Wait for it with --wait
