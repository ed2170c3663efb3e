Why was a GPU underused? Where the samples tell enough, the ledger's entries say it; times and money are as without.

A machine of four GPUs for two hours: on 0 the processors of the machine are at their limit while the GPU waits; on 1 copies from the host fill a third of its
link; on 2 nothing but utilisation is known; on 3 the readings tell no cause. Job w is underused in the first hour alone.

  $ cat > nodes.csv <<'CSV'
  > node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour
  > n1,aws,us-east-1,A100-SXM4-40GB,4,on_demand,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,16
  > CSV
  $ cat > jobs.csv <<'CSV'
  > job_id,user,team,gpus,gpu_ids,start,end,node
  > w,ann,vision,1,0,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,n1
  > x,ann,vision,1,1,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,n1
  > y,bob,nlp,1,2,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,n1
  > z,bob,nlp,1,3,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,n1
  > CSV
  $ awk 'BEGIN { print "time,node,gpu,gpu_util_pct,sm_active_frac,cpu_util_pct,pcie_rx_bytes_s,mem_used_bytes,step_s"
  >   for (m = 0; m < 120; m++) { t = sprintf("2026-11-01T%02d:%02d:00Z", m / 60, m % 60)
  >     print t ",n1,0," (m < 60 ? 15 + m % 5 : 90) "," (m < 60 ? 0.15 : 0.8) "," (m < 60 ? 97 : 40) ",2e8,20e9,60"
  >     print t ",n1,1," 18 + m % 3 ",0.18,30,10e9,20e9,60"
  >     print t ",n1,2,20,,,,20e9,60"
  >     print t ",n1,3,20,0.15,30,2e8,20e9,60" } }' > samples.csv
  $ tare import -q nodes.csv jobs.csv samples.csv
  $ tare report --by job,state,cause
  2 h to 2026-11-01 02:00 UTC · effective cost, USD · 8.000 GPU·h paid · 100 %
  measured
  
  job  state      cause     GPU·h   cost  of time
  x    underused  transfer  2.000   8.00     25 %
  y    underused  unknown   2.000   8.00     25 %
  z    underused  unknown   2.000   8.00     25 %
  w    busy       -         1.000   4.00     13 %
  w    underused  input     1.000   4.00     12 %
  ───────────────────────────────────────────────
                            8.000  32.00    100 %
  
  no bill · ledger 32.00 · unpriced 0 GPU·h
  $ tare report --by state,cause -o json | $FILES/../data/get '(total.gpu_seconds, total.cost, reconcile.difference)'
  ('28800', '32', '0')
