Jobs that waited and name neither a machine nor a GPU model, beside a node list: the plan does not say that the list is not there, and their free time is on no machine in particular.

  $ echo node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster > nodes.csv
  > echo n1,lab,cellar,box,V100-SXM2-16GB,4,owned,2026-10-01T00:00:00Z,2026-10-11T00:00:00Z,c >> nodes.csv
  > echo job_id,user,gpus,submit,start,end,cluster > jobs.csv
  > echo 1,ann,4,2026-10-01T00:00:00Z,2026-10-01T00:00:00Z,2026-10-05T00:00:00Z,c >> jobs.csv; echo 2,bob,2,2026-10-05T00:00:00Z,2026-10-05T02:00:00Z,2026-10-08T00:00:00Z,c >> jobs.csv
  > tare import -q --db s nodes.csv --as nodes; tare import -q --db s jobs.csv --as allocations --covers c --since 2026-10-01 --until 2026-10-11
  > tare plan --db s --findings; grep -v ^n1 nodes.csv > none.csv; tare import -q --db t jobs.csv --as allocations; tare plan --db t --findings | grep -A1 waited
  What was observed, GPU·h/month (730 h). Findings overlap: they are no sum.
  
  c has room on machines that are paid until a term ends                     1,326
    unallocated, estimated · GPU time 436.0 GPU·h · largest c, 436.00 GPU·h · by
    hand: fewer machines kept for peaks, or work that can wait put on them
  
  the job list does not tell how jobs ended (state), what they booked (limit_s)
  nothing has a price: amounts are GPU-hours, and what compares prices (another
  GPU, region, spot, commitments) is left out; with a price
  (tare import --set usd_gpu_hour=PRICE --replace FILE) they are money; --map and
  --as are said again where FILE took one
  436 GPU·h of the window's cost is time that nobody held and is left alone: the
  job lists name no machine there, so none can be called free: name the node of
  each job
  10.0 days of history: ranges are drawn from days, not weeks, and weekends weigh
  little; import more
  1 job waited 2.0 h in clusters whose machines are known, naming neither a
  machine nor a GPU model that is there: whether GPUs idled for them is not known
  (columns node, gpu_model).
  one file more that would open most: telemetry (DCGM, Prometheus, nvidia-smi, any
  CSV): idle time of each job; right size, booked time
  
  tare plan --db s   what to change
  tare report --by state --db s   where the time went
  1 job waited 2.0 h in clusters whose node list is not there: whether GPUs idled
  for them is not known (tare import --as nodes).
