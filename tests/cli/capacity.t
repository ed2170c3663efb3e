Reservations of capacity: a p4d.24xlarge (8 GPUs) ran in one for two hours of four at 30 an hour, and a machine of the same type by a
savings plan beside it. AWS's lines that count the reservation at a rate of 0 are no machine; what was not used is nobody's, free: 16
GPU hours each.

  $ head='line_item_line_item_type,line_item_usage_start_date,line_item_usage_end_date,bill_payer_account_id,line_item_usage_account_id,line_item_product_code,line_item_usage_type,line_item_availability_zone,line_item_resource_id,line_item_usage_amount,line_item_currency_code,line_item_unblended_cost,product_instance_type,pricing_public_on_demand_cost,reservation_reservation_a_r_n,savings_plan_savings_plan_a_r_n,savings_plan_savings_plan_effective_cost,resource_tags'
  > cr=arn:aws:ec2:us-east-1:1:capacity-reservation/cr-0c
  > cur() { # ARN of the machine's lines, more columns and their cells
  >   echo "$head$2"
  >   line() { echo "$1,2026-10-05T0$2:00:00Z,2026-10-05T0$(($2 + 1)):00:00Z,1,1,AmazonEC2,$3:p4d.24xlarge,us-east-1a,$4,1,USD,$5,p4d.24xlarge,$5,$6,$7,$8,$9"; }
  >   for h in 1 2 3 4; do
  >     if [ $h -lt 3 ]; then line Usage $h USE1-BoxUsage i-0aaaaaaaaaaaaaaa1 30 "$1" '' '' "$3"; else line Usage $h USE1-UnusedBox $cr 30 '' '' '' "\"{\"\"user_team\"\": \"\"nlp\"\"}\"$4"; fi
  >     line Usage $h USE1-Reservation $cr 0 '' '' '' "$5"
  >     line SavingsPlanCoveredUsage $h USE1-BoxUsage i-0bbbbbbbbbbbbbbb2 30 '' arn:aws:savingsplans::1:savingsplan/sp-1 20 "$6"
  >     line SavingsPlanNegation $h USE1-BoxUsage i-0bbbbbbbbbbbbbbb2 -30 '' arn:aws:savingsplans::1:savingsplan/sp-1 0 "$6"
  >   done
  > }
  > cols=,capacity_reservation_capacity_reservation_arn,capacity_reservation_capacity_reservation_status
  > cur > plain.csv; cur $cr > arn.csv; cur '' $cols ",$cr,Used" ",$cr,Unused" ",$cr,Reserved" ,, > cols.csv
  > for n in plain arn cols; do tare import -q --db $n $n.csv > /dev/null; tare report --db $n --by node,team,purchase,state -o csv | cut -d, -f1-6 > $n.out; done; cat plain.out; cmp plain.out arn.out; cmp plain.out cols.out
  node,team,purchase,state,currency,gpu_seconds
  i-0bbbbbbbbbbbbbbb2,,savings_plan,unknown,USD,115200
  ,nlp,on_demand,unallocated,USD,57600
  i-0aaaaaaaaaaaaaaa1,,on_demand,unknown,USD,57600
  $ for n in plain arn cols; do tare report --db $n --kpi -o json | python3 -c 'import json, sys; print(json.load(sys.stdin)["commitments"]["coverage_frac"])'; done
  0.5
  0.5
  0.5
  $ tare plan --db plain -o json | python3 -c 'import json, sys; print(*[a["title"] for a in json.load(sys.stdin)["advice"] if a["kind"] == "bill_empty"], sep="\n")'
  the reservation of capacity 'cr-0c' of p4d.24xlarge stood empty for 2 machine-hours, which are paid: cancel it, or make it smaller
  ! tare: nothing can be decided from this history; "notes" say why

FOCUS says it in two columns, Azure by the resource.

  $ focus() { echo "2,2,a,USD,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,Usage,2026-10-05T0$1:00:00Z,2026-10-05T0$(($1 + 1)):00:00Z,Standard,$2,r,$3,Compute,Virtual Machines,$4,1,Hours,$5,$6"; }
  > { echo BilledCost,EffectiveCost,BillingAccountId,BillingCurrency,BillingPeriodStart,BillingPeriodEnd,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,PricingCategory,ProviderName,RegionId,ResourceId,ServiceCategory,ServiceName,x_InstanceType,ConsumedQuantity,ConsumedUnit,CapacityReservationId,CapacityReservationStatus
  >   focus 1 AWS i-0ccccccccccccccc3 g6.12xlarge cr-1 Used; focus 2 AWS '' g6.12xlarge cr-1 Unused
  >   focus 1 Microsoft /subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/capacityReservationGroups/c/capacityReservations/r Standard_ND96isr_H100_v5 '' ''; } > focus.csv
  > tare import -q --db focus focus.csv > /dev/null; tare report --db focus --by node,gpu_model,state -o csv | cut -d, -f1-5
  node,gpu_model,state,currency,gpu_seconds
  ,H100-SXM5-80GB,unallocated,USD,28800
  ,L4,unallocated,USD,14400
  i-0ccccccccccccccc3,L4,unknown,USD,14400
