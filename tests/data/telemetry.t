One day of a serving fleet: 157,417 samples of 57 s, 105,229 at exactly 0. Gaps are unknown time that nobody paid for here; cost and remainder
are seconds x price exactly, whichever column order a file has.

  needs: $TARE_SHARED/data/telemetry_alibaba_gentd26/pod_gpu_duty_cycle_anon.csv.gz
  $ tare import -o json --map alibaba-gentd26-duty --set usd_gpu_hour=1.234567890123 --set gpu_model=A10 $TARE_SHARED/data/telemetry_alibaba_gentd26/pod_gpu_duty_cycle_anon.csv.gz | $FILES/get 'files[0].rows_kept'
  157417
  $ tare report --by state -o json > r.json; $FILES/get 'total.gpu_seconds' < r.json
  8972769
  $ $FILES/get '[(r.state, r.gpu_seconds) for r in rows if r.state.startswith("idle")]' < r.json
  [('idle_held', '5998053')]
  $ python3 - <<'PY'
  > import json, fractions
  > r = json.load(open("r.json"))
  > F = fractions.Fraction
  > cost = F(r["total"]["cost"]); rest = r["reconcile"]["remainder_exact"]; rest = F(int(rest["numerator"]), int(rest["denominator"]))
  > print(cost + rest == F("1.234567890123") * 8972769 / 3600)
  > PY
  True

With the memory held beside it the idle time splits: over 10 GB at 0 % is 66.5 % of all samples.

  $ printf 'version: 1\nthresholds:\n  empty_mib: 9536.74316406\n' > c.yaml
  $ TARE_CONFIG=c.yaml tare import -q --map alibaba-gentd26-memory --set usd_gpu_hour=1.234567890123 --set gpu_model=A10 $TARE_SHARED/data/telemetry_alibaba_gentd26/pod_gpu_memory_used_bytes_anon.csv.gz
  $ tare report --by state -o json | $FILES/get 'round(sum(float(r.gpu_seconds) for r in rows if r.state == "idle_held") / 8972769, 3)'
  0.665
