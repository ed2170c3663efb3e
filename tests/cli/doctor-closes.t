tare doctor checks that the whole ledger closes, and says by which rules it was made. Pools, two currencies, prices of records and of the catalogue.

  $ python3 $FILES/files/random-fleet.py fleet 1; cd fleet; tare import -q --db db nodes.csv bill-*.csv jobs-*.csv samples-*.csv
  $ export TARE_NVML=/nonexistent TARE_METADATA=off
  $ tare doctor --db fleet/db | grep -e '^.. *rules of' -e '^.. *ledger ' | sed 's/[0-9.]* s$/N s/'
  ok   rules of the ledger    11
  ok   ledger                 closes, checked in N s
  $ tare doctor --db fleet/db -o json | python3 -c 'import json, sys; print(*[c["ok"] for c in json.load(sys.stdin)["checks"] if c["check"] in ("ledger", "rules of the ledger")])'
  True True
