The demo's fleet adds up to 200,000.00 to the cent, as written by the bill and as read back from the ledger.

  $ tare demo --dir fleet -q > out.txt; echo $?; cat fleet/demo.txt; ls fleet
  0
  tare 0.1.0 demo, fleet wasteful, seed 1
  allocations.csv
  bill.csv.zst
  config.yaml
  db
  demo.txt
  nodes.csv
  prices.csv
  requests.csv.zst
  samples-evaluation.csv.zst
  samples-gpu-legacy.csv.zst
  samples-serving.csv.zst
  samples-training.csv.zst

  $ TARE_DB=fleet/db tare report --by kind -o csv | cut -d, -f1-4
  kind,currency,gpu_seconds,cost
  gpu,USD,255555760,195856.9133
  storage,USD,0,2830
  egress,USD,0,640
  cross_zone,USD,0,310
  network,USD,0,217.0867
  other,USD,0,146

  $ TARE_DB=fleet/db tare report -o json | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["total"]["cost"], d["reconcile"], d["coverage_frac"])'
  200000 {'billed': '200000', 'ledger': '200000', 'difference': '0', 'unpriced_gpu_seconds': '0', 'unbilled': '0', 'remainder': '0', 'remainder_exact': {'numerator': '0', 'denominator': '1'}, 'partial': False, 'lines_without_cost': 0} 0.998223

  $ TARE_DB=fleet/db tare report --by workload --where kind=gpu -o csv | cut -d, -f1-4
  workload,currency,gpu_seconds,cost
  training,USD,104455364,88787.061
  inference,USD,105120000,80145.3933
  evaluation,USD,17280000,14688.00117264
  ,USD,25912872,9867.06242736
  research,USD,2787524,2369.3954

  $ TARE_DB=fleet/db tare report --by cluster,state --where kind=gpu -o csv | cut -d, -f1-5
  cluster,state,currency,gpu_seconds,cost
  training,idle_empty,USD,62068659,52758.361337817
  serving,underused,USD,58089360,44288.380933956
  serving,busy,USD,45686460,34832.18517309
  training,busy,USD,26636086,22640.673435025
  evaluation,idle_empty,USD,11519580,9791.64417264
  training,lost,USD,11049132,9391.7622
  gpu-legacy,unallocated,USD,21024000,5711.52
  evaluation,busy,USD,5701140,4845.969
  training,idle_held,USD,4997841,4248.16485
  training,unallocated,USD,4521816,3843.5436
  training,underused,USD,2283047,1940.590010914
  serving,idle_held,USD,1128840,860.648075493
  evaluation,unallocated,USD,367056,311.99882736
  training,unknown,USD,208123,176.904566244
  serving,unknown,USD,210540,160.519510461
  evaluation,unknown,USD,35400,30.09
  evaluation,idle_held,USD,23880,20.298
  serving,idle_empty,USD,4800,3.659607

The same seed gives the same bytes, and the same import again changes nothing.

  $ sha256sum fleet/*.csv* | cut -c1-64 > one; tare demo --dir fleet -q > again.txt; sha256sum fleet/*.csv* | cut -c1-64 | cmp - one && cmp out.txt again.txt && echo same
  same

  $ tare demo --dir other --seed 2 -q > other.txt; cmp -s fleet/bill.csv.zst other/bill.csv.zst || echo another; TARE_DB=other/db tare report -o json | python3 -c 'import json,sys; print(json.load(sys.stdin)["reconcile"]["billed"])'
  another
  200000

The tidy fleet: a savings plan is billed as a fee and spread over what it covers.

  $ tare demo --dir tidy --fleet tidy -q > tidy.txt; for c in billed effective; do TARE_DB=tidy/db tare report --cost $c -o json | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["total"]["cost"], d["reconcile"]["difference"])'; done
  79778.64598 0
  79778.64598 0

Nobody else's file is written over: a folder must be empty or be the demo's own.

  $ mkdir mine; echo x >mine/allocations.csv; tare demo --dir mine; cat mine/allocations.csv
  x
  ! tare: 'mine' has files that the demo did not make
  !       Name a folder that is empty or not there yet: tare demo --dir DIR

  $ mkdir -p theirs/db; tare demo --dir theirs
  ! tare: 'theirs' has files that the demo did not make
  !       Name a folder that is empty or not there yet: tare demo --dir DIR
  [2]

The demo's store is asked with --demo; on a terminal by itself while there is no other, and what is printed says so.

  $ unset TARE_DB; export XDG_DATA_HOME=$PWD/home; tare report --demo
  ! tare: there is no demo in '$TMP/home/tare-demo' yet (glob)
  !       Make it, in half a minute: tare demo
  [2]

  $ unset TARE_DB; export XDG_DATA_HOME=$PWD/home; mkdir -p home; mv tidy home/tare-demo; tare report
  ! tare: there is no store in '*/home/tare' yet (glob)
  !       Bring something in with `tare import FILE`, or ask the demo: --demo
  [2]

  $ unset TARE_DB; export XDG_DATA_HOME=$PWD/home; tare report --demo --by kind | head -1; tare report --demo --by kind -o json | cut -c1-39; tare report --demo --by kind -o csv | head -1 | cut -d, -f1-4
  The demo: an invented fleet. Your own: tare import FILE...
  {"schema":"tare.report/1","demo":true,"
  kind,currency,gpu_seconds,cost

  $ unset TARE_DB; export XDG_DATA_HOME=$PWD/home; script -qec 'tare report --by kind' /dev/null | head -1 | tr -d '\r'
  The demo: an invented fleet. Your own: tare import FILE...

A store of one's own, or one that is named, comes first.

  $ tare report --demo --db fleet/db
  ! tare: --demo and --db name two stores: give one of them
  !       See: tare report --help
  [2]

  $ unset TARE_DB; export XDG_DATA_HOME=$PWD/home; cp -r fleet/db home/tare; script -qec 'tare report --by kind' /dev/null | head -1 | tr -d '\r'
  730 h to 2026-10-31 10:00 UTC · effective cost, USD · 70,988 GPU·h paid · >99 %

  $ tare demo --fleet messy --dir x
  ! tare: --fleet does not know 'messy': it takes wasteful|tidy
  !       See: tare demo --help
  [2]

  $ tare demo --seed one --dir x
  ! tare: --seed: 'one' is not a whole number from 0, such as 1
  [2]

