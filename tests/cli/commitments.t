Whatever a bill calls a reservation, a committed use or a savings plan, with a term or without: the same use has the same coverage
and utilisation. One hour under the commitment at 10, one hour on demand at 10, and 5 of the commitment that nobody used.

  $ head='BilledCost,BillingAccountId,BillingCurrency,BillingPeriodStart,BillingPeriodEnd,ChargeCategory,ChargeDescription,ChargePeriodStart,ChargePeriodEnd,CommitmentDiscountId,CommitmentDiscountType,CommitmentDiscountStatus,EffectiveCost,ListCost,ConsumedQuantity,ConsumedUnit,PricingCategory,ProviderName,RegionId,ResourceId,ServiceCategory,ServiceName,SkuPriceId'
  > focus() { # provider, description, pricing category, id, type
  >   echo "$head"
  >   line() { echo "$2,a,USD,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,Usage,$3,2026-10-05T0$1:00:00Z,2026-10-05T0$(($1 + 1)):00:00Z,$4,$5,$6,$2,$2,1,Hours,$7,$8,r,$9,Compute,${10},"; }
  >   local service='Amazon Elastic Compute Cloud'
  >   line 1 10 "p4d.24xlarge" "$4" "$5" Used Committed "$1" i-1 "$service"
  >   line 2 10 "p4d.24xlarge" '' '' '' Standard "$1" i-2 "$service"
  >   line 3 5 "p4d.24xlarge" "$4" "$5" Unused Committed "$1" "$4" "$service"
  > }
  > kpi() { tare report --db "$1" --kpi -o json | python3 -c 'import json, sys; k = json.load(sys.stdin)["commitments"]; print(k["coverage_frac"], k["utilisation_frac"], k["unused_cost"])'; }
  > n=0; while IFS='|' read -r id type; do n=$((n + 1)); focus AWS x x "$id" "$type" > f$n.csv
  > tare import -q --db d$n f$n.csv > /dev/null && echo "$(kpi d$n)  $id|$type"; done <<'X'
  > arn:aws:ec2:us-east-1:1:reserved-instances/abc|Reserved Instance
  > arn:aws:ec2:us-east-1:1:reserved-instances/abc|
  > ri-1|Standard RI
  > sp-1|SavingsPlan
  > arn:aws:savingsplans::1:savingsplan/abc|
  > c-1|Compute Flexible CUD
  > c-1|
  > x-1|Flex Slots
  > X
  0.5 0.666667 5  arn:aws:ec2:us-east-1:1:reserved-instances/abc|Reserved Instance
  0.5 0.666667 5  arn:aws:ec2:us-east-1:1:reserved-instances/abc|
  0.5 0.666667 5  ri-1|Standard RI
  0.5 0.666667 5  sp-1|SavingsPlan
  0.5 0.666667 5  arn:aws:savingsplans::1:savingsplan/abc|
  0.5 0.666667 5  c-1|Compute Flexible CUD
  0.5 0.666667 5  c-1|
  0.5 0.666667 5  x-1|Flex Slots

Lines of a whole month, used and unused, count in half of it by half.

  $ sed 's/2026-10-05T0[0-9]:00:00Z,2026-10-05T0[0-9]:00:00Z/2026-10-01T00:00:00Z,2026-11-01T00:00:00Z/' f4.csv > month.csv; tare import -q --db month month.csv
  $ for w in '2026-10-01 2026-11-01' '2026-10-01 2026-10-16T12:00:00Z' '2026-10-16T12:00:00Z 2026-11-01' '2026-10-10 2026-10-11'; do set -- $w; tare report --db month --kpi --since $1 --until $2 -o json | python3 -c 'import json, sys; k = json.load(sys.stdin)["commitments"]; print(k["utilisation_frac"], k["unused_cost"])'; done
  0.666667 5
  0.666667 2.580645161
  0.666667 2.419354839
  0.666667 0.161290323
