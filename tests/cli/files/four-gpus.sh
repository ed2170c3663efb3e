# Two weeks of readings of four GPUs, from Monday 2026-09-07, one an hour, that can be added up by hand: 0 works at 80 % from 08 to 18
# Monday to Friday, 1 at 15 % from 10 to 12 each day, 2 never, 3 always at 30 %. Writes readings.csv.
awk 'BEGIN {
  print "time,step_s,node,gpu,gpu_model,gpu_util_pct,mem_used_bytes"
  for (d = 0; d < 14; d++) for (h = 0; h < 24; h++) {
    row(d, h, 0, d % 7 < 5 && h >= 8 && h < 18 ? 80 : 0, 20e9)
    row(d, h, 1, h >= 10 && h < 12 ? 15 : 0, 10e9)
    row(d, h, 2, 0, 400e6)
    row(d, h, 3, 30, 30e9)
  }
}
function row(d, h, g, util, mem) {
  printf "2026-09-%02dT%02d:00:00Z,3600,n1,%d,A100-SXM4-80GB,%d,%.0f\n", 7 + d, h, g, util, mem
}' > readings.csv
