Whatever the order and grouping in which files come, the ledger is the same: bills before jobs, telemetry last or first, a day at a time.

  $ cat > orders.sh <<'X'
  > python3 $FILES/files/random-fleet.py fleet$1 $1
  > cd fleet$1
  > sums() { tare report --db $1 --by node,gpu,day,team,job,state,cause,purchase,quality,instance_type,account,commitment -o csv --sort name | md5sum; tare report --db $1 -o json --cost billed | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["total"]["gpu_seconds"], *[(c["currency"], c["reconcile"]["billed"], c["reconcile"]["difference"] == c["reconcile"]["remainder"]) for c in r["currencies"]])'; }
  > tare import -q --db all nodes.csv bill-*.csv jobs-*.csv samples-*.csv
  > for f in samples-2.csv jobs-0.csv bill-1.csv samples-0.csv nodes.csv bill-0.csv jobs-3.csv jobs-2.csv bill-3.csv samples-1.csv jobs-1.csv bill-2.csv samples-3.csv; do tare import -q --db mixed $f; done
  > tare import -q --db daily nodes.csv; for d in 0 1 2 3; do tare import -q --db daily bill-$d.csv jobs-$d.csv samples-$d.csv; done
  > sums all > a; sums mixed > b; sums daily > c; cmp a b && cmp a c && tail -n +2 a
  > X
  $ for s in 1 2; do bash orders.sh $s; done
  4409100 ('USD', '1035.77777778497', True) ('EUR', '1.000000000018', True)
  5094240 ('USD', '939.777777784298', True) ('EUR', '1.000000000018', True)
