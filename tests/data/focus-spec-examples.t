The specification's worked examples: byte order mark, literal null, M/D/YY, "$10,000.00 ", no currency, blank lines. Per file the sums of billed
and effective cost are compared with an independent reader; two rows at hour 30:00 are impossible and are named.

  needs: $TARE_SHARED/data/bills_focus/spec_examples
  $ cat > sums.py <<'PY'
  > import csv, decimal, re, sys
  > def num(s):
  >     s = (s or "").strip().replace("$", "").replace(",", "")
  >     return decimal.Decimal(s) if s and s.lower() != "null" else None
  > for f in sys.argv[1:]:
  >     rows = [r for r in csv.DictReader(open(f, encoding="utf-8-sig")) if any((v or "").strip() for v in r.values() if isinstance(v, str))]
  >     rows = [r for r in rows if not any(re.search(r"T30:", str(v)) for v in r.values())]
  >     s = {c: sum((num(r[c]) or 0 for r in rows), decimal.Decimal(0)) for c in ("BilledCost", "EffectiveCost")}
  >     t = lambda v: (format(v.normalize(), "f") if v else "0")
  >     print(t(s["BilledCost"]), t(s["EffectiveCost"]))
  > PY
  $ for f in $TARE_SHARED/data/bills_focus/spec_examples/*.csv; do tare import --dry-run --map focus-spec-examples --max-rejects 1 -o json $f | $FILES/get "files[0].sums.BilledCost + ' ' + files[0].sums.EffectiveCost"; done > got
  $ python3 sums.py $TARE_SHARED/data/bills_focus/spec_examples/*.csv > want; diff want got && wc -l < got
  26
  $ for f in $TARE_SHARED/data/bills_focus/spec_examples/*.csv; do tare import --dry-run --map focus-spec-examples --max-rejects 1 -o json $f | $FILES/get 'files[0].rows_rejected'; done | sort | uniq -c
       24 0
        2 1
  $ tare import --dry-run --map focus-spec-examples $TARE_SHARED/data/bills_focus/spec_examples/commitment_discount_scenarios__commitment_discount_purchase_scenario_3.csv
  ! tare: '$TARE_SHARED/data/bills_focus/spec_examples/commitment_discount_scenarios__commitment_discount_purchase_scenario_3.csv': 1 row cannot be read: line 5, ChargePeriodEnd: '2023-02-01T30:00:00Z' is not a time
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  [2]
