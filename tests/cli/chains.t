Jobs that overlap over weeks, imported day by day with bills and telemetry that come late: the ledger is that of a single import, run by run and hour by hour. (What
was read and is taken back leaves 0 in a sum, where a single import has nothing.)

  $ cat > chains.sh <<'S'
  > python3 $FILES/files/weeks.py f$1 $1 8 && cd f$1
  > export TARE_NOW=2024-09-09T05:00:00Z TARE_NVML=/nonexistent TARE_METADATA=off
  > tare import -q --db whole nodes.csv bill-*.csv jobs-*.csv samples-*.csv
  > tare import -q --db daily nodes.csv
  > while read day f; do TARE_NOW=2024-09-0${day}T05:00:00Z tare import -q --db daily $(printf '%s.csv ' $f); done << X
  > 2 jobs-00
  > 3 jobs-01 bill-00 samples-00 bill-01 samples-01
  > 4 jobs-02 bill-02
  > 6 jobs-03 bill-03 samples-03 jobs-04 samples-04
  > 6 samples-02
  > 7 jobs-05 bill-05 samples-05
  > 8 bill-04 jobs-06 bill-06 samples-06
  > 9 jobs-07 bill-07 samples-07
  > X
  > for db in daily whole; do tare sql --limit 100000 -o csv --db $db "SELECT * EXCLUDE (gpu_seconds, used_gpu_seconds, billed_cost, effective_cost, list_cost), sum(gpu_seconds) AS s, coalesce(sum(used_gpu_seconds), 0) AS u, sum(billed_cost) AS b, sum(effective_cost) AS e, sum(list_cost) AS l FROM entries GROUP BY ALL HAVING s <> 0 OR b <> 0 ORDER BY ALL" > $db.csv; done
  > tare doctor --db daily | grep '^.. *ledger ' | sed 's/[0-9.]* s$/N s/'
  > cmp daily.csv whole.csv && tail -n +2 whole.csv | wc -l
  > S
  $ for s in 1 3; do bash chains.sh $s; done
  ok   ledger                 closes, checked in N s
  3578
  ok   ledger                 closes, checked in N s
  3701
