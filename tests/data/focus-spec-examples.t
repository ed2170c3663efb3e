The specification's worked examples: byte order mark, literal null, M/D/YY, "$10,000.00 ", no currency, blank lines. Per file the sums of billed
and effective cost are compared with an independent reader; two rows at hour 30:00 are impossible and are named.

  needs: $TARE_SHARED/data/bills_focus/spec_examples
  $ E=$TARE_SHARED/data/bills_focus/spec_examples; cat > sums.py <<'PY'
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
  $ for f in $E/*.csv; do tare import --dry-run --map focus-spec-examples --max-rejects 2 -o json $f | $FILES/get "files[0].sums.BilledCost + ' ' + files[0].sums.EffectiveCost"; done > got
  $ python3 sums.py $E/*.csv > want; diff want got && wc -l < got
  26
  $ for f in $E/*.csv; do tare import --dry-run --map focus-spec-examples --max-rejects 9 -o json $f | $FILES/get 'files[0].rows_rejected'; done | sort | uniq -c
       25 0
        1 2
