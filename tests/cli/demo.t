The demo's fleet adds up to 200,000.00 to the cent, as written by the bill and as read back from the ledger.

  $ tare demo --dir fleet -q > out.txt; echo $?; cat fleet/demo.txt; ls fleet

  $ TARE_DB=fleet/db tare report --by kind -o csv | cut -d, -f1-3

  $ TARE_DB=fleet/db tare report -o json | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["total"]["cost"], d["reconcile"], d["coverage_frac"])'

  $ TARE_DB=fleet/db tare report --by workload --where kind=gpu -o csv

  $ TARE_DB=fleet/db tare report --by cluster,state --where kind=gpu -o csv

The same seed gives the same bytes, and the same import again changes nothing.

  $ sha256sum fleet/*.csv* | cut -c1-64 > one; tare demo --dir fleet -q > again.txt; sha256sum fleet/*.csv* | cut -c1-64 | cmp - one && cmp out.txt again.txt && echo same

  $ tare demo --dir other --seed 2 -q > other.txt; cmp -s fleet/bill.csv.zst other/bill.csv.zst || echo another; TARE_DB=other/db tare report -o json | python3 -c 'import json,sys; print(json.load(sys.stdin)["reconcile"]["billed"])'

The tidy fleet: a savings plan is billed as a fee and spread over what it covers.

  $ tare demo --dir tidy --fleet tidy -q > tidy.txt; for c in billed effective; do TARE_DB=tidy/db tare report --cost $c -o json | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["total"]["cost"], d["reconcile"]["difference"])'; done

A store that no demo made is left alone.

  $ mkdir -p mine/db; tare demo --dir mine

  $ tare demo --fleet messy --dir x

  $ tare demo --seed one --dir x

