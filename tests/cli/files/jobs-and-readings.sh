# Four weeks from Monday 2026-09-07: vision books 4 GPUs for 24 h each day, 2 of them work for 6 h; nlp works for 10 h on 2 GPUs.
# Writes jobs.csv and readings.csv, one reading an hour.
awk 'BEGIN {
  j = "jobs.csv"; s = "readings.csv"
  print "job_id,user,team,workload,name,gpu_model,gpus,gpu_ids,submit,start,end,state,limit_s,node,cluster" > j
  print "time,step_s,node,gpu,job_id,gpu_util_pct,mem_used_bytes" > s
  for (d = 0; d < 28; d++) {
    printf "v%d,ann,vision,training,train-%d,A100-SXM4-80GB,4,0;1;2;3,%s,%s,%s,COMPLETED,86400,n1,c\n", d, d, at(d, 0), at(d, 0), at(d + 1, 0) > j
    for (g = 0; g < 4; g++) for (h = 0; h < 24; h++)
      printf "%s,3600,n1,%d,v%d,%d,%.0f\n", at(d, h), g, d, h < 6 && g < 2 ? 90 : 0, g < 2 ? 30e9 : 400e6 > s
    printf "n%d,bob,nlp,training,tune-%d,A100-SXM4-80GB,2,0;1,%s,%s,%s,COMPLETED,43200,n2,c\n", d, d, at(d, 0), at(d, 0), at(d, 10) > j
    for (g = 0; g < 2; g++) for (h = 0; h < 10; h++)
      printf "%s,3600,n2,%d,n%d,80,50000000000\n", at(d, h), g, d > s
  }
}
function at(d, h) { return d < 24 ? sprintf("2026-09-%02dT%02d:00:00Z", 7 + d, h) : sprintf("2026-10-%02dT%02d:00:00Z", d - 23, h) }'
