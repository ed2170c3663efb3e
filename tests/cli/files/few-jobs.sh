# Three weeks of jobs, with sums that can be checked by hand: vision trains 4 GPUs for 6 of 24 booked hours after an hour of wait;
# nlp fails with 2 GPUs after an hour and tries again, from 2026-09-14 on for 5 h instead of 4. Writes jobs.csv.
awk 'BEGIN {
  print "job_id,user,team,name,gpus,submit,start,end,state,limit_s,cluster"
  for (d = 0; d < 22; d++) {
    row("v", d, "ann,vision,train", 4, 0, 1, 7, "COMPLETED,86400")
    row("f", d, "bob,nlp,tune", 2, 8, 8, 9, "FAILED,43200")
    row("t", d, "bob,nlp,tune", 2, 9.5, 9.5, d < 8 ? 13.5 : 14.5, "COMPLETED,43200")
  }
  row("c", 0, "carl,misc,look", 1, 12, 12, 13, "COMPLETED,")
  row("d", 0, "dora,misc,look", 1, 12, 12, 13, "COMPLETED,")
}
function row(id, d, who, gpus, submit, start, end, how) {
  printf "%s%d,%s,%d,%s,%s,%s,%s,c\n", id, d, who, gpus, at(d, submit), at(d, start), at(d, end), how
}
function at(d, h) { return sprintf("2026-09-%02dT%02d:%02d:00Z", 6 + d, h, (h - int(h)) * 60) }' > jobs.csv
