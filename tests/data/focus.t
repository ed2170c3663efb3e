A real, anonymised FOCUS 1.0 bill of 1,000 rows: NULL texts, an extra column, JSON tags. The sums are the source's own, to the last digit.

  needs: $TARE_SHARED/data/bills_focus/focus_1.0_sample_1000.csv.gz
  $ B=$TARE_SHARED/data/bills_focus/focus_1.0_sample_1000.csv.gz; tare import -o json $B > i.json
  $ $FILES/get 'files[0].kind' 'files[0].rows_kept' 'files[0].rows_rejected' < i.json
  focus
  1000
  0
  $ $FILES/get 'files[0].sums.BilledCost' 'files[0].sums.EffectiveCost' 'files[0].sums.ListCost' 'files[0].sums.ContractedCost' < i.json
  20.52022672899
  14.97651418586
  20.39090575119
  14.97626039326
  $ $FILES/get 'files[0].unknown.ContractedCost' < i.json
  7

The ledger's total and what rounding to nano-dollars left are the bill, whatever the report is by.

  $ for by in team kind day 'tag:application'; do tare report --cost billed --by $by -o json | $FILES/get 'reconcile.billed' 'reconcile.difference == reconcile.remainder' 'round(float(total.cost), 7)'; done
  20.52022672899
  True
  20.5202267
  20.52022672899
  True
  20.5202267
  20.52022672899
  True
  20.5202267
  20.52022672899
  True
  20.5202267
  $ tare report --cost effective -o json | $FILES/get reconcile.billed
  14.97651418586

Importing the same file twice changes nothing.

  $ tare import -q $TARE_SHARED/data/bills_focus/focus_1.0_sample_1000.csv.gz; tare report --cost billed -o json | $FILES/get reconcile.billed
  20.52022672899

From standard input the same; that it came before would be said.

  $ tare import --db fresh --dry-run -o json - < $TARE_SHARED/data/bills_focus/focus_1.0_sample_1000.csv.gz | $FILES/get 'files[0].sums.BilledCost'
  20.52022672899

A commitment bought and used in one file: amortised cost is the use's effective cost, what was bought shows only as billed.

  $ tare import -q --db c --map focus-spec-examples $TARE_SHARED/data/bills_focus/spec_examples/commitment_discount_flexibility__one_hundred_percent_utilization_with_commitment_discount_flexibility_with_1_resource.csv
  $ for c in billed effective; do tare report --db c --cost $c -o json | $FILES/get total.cost reconcile.billed reconcile.difference; done
  2.75
  2.75
  0
  2.75
  2.75
  0
