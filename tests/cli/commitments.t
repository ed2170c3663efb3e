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

A reserved machine of Azure for a day, 8 GPUs: used for 60, and 40 that nobody used; its fee, 3,000, is in the export of actual cost, where
neither use nor rest has a cost. An export of amortised cost does not tell what was invoiced: that was 0.

  $ azure() { # the rows of one export
  >   echo 'Date,CostInBillingCurrency,BillingCurrency,ChargeType,PricingModel,MeterCategory,MeterName,ResourceId,AdditionalInfo,Quantity,UnitOfMeasure,Term,ReservationId'
  >   echo "2026-10-05,$1,USD,Usage,Reservation,Virtual Machines,ND96isr H100 v5,/vm/c,\"{\"\"ServiceType\"\":\"\"Standard_ND96isr_H100_v5\"\"}\",24,1 Hour,12,r-1"
  >   echo "2026-10-05,$2,12,r-1"; }
  > azure 60 '40,USD,UnusedReservation,Reservation,Virtual Machines,ND96isr H100 v5,,,24,1 Hour' > amortised.csv
  > azure 0 '3000,USD,Purchase,Reservation,,,,,1,1' > actual.csv
  $ for f in amortised actual; do tare import -q --db $f $f.csv; for cost in billed effective; do tare report --db $f --cost $cost --by purchase | tail -n +3; tare report --db $f --cost $cost --kpi | tail -1; done; tare report --db $f --kpi -o json | grep -o '"commitments[^}]*'; done
  purchase     GPU·h  cost  busy  underused  idle  lost  unknown
  reserved_1y  192.0     -     -          -     -     -    100 %
  ──────────────────────────────────────────────────────────────
               192.0     -     -          -     -     -    100 %
  
  Bill - · ledger - · difference - · unpriced 192.0 GPU·h
  2 lines of the USD bill have no billed cost and are in no sum here. An export of
  amortised cost has no fees of commitments: it does not tell what was invoiced,
  that of actual cost does.
  commitments, used                  -  of their effective cost
  purchase     GPU·h    cost  busy  underused  idle  lost  unknown
  reserved_1y  192.0  100.00     -          -     -     -    100 %
  ────────────────────────────────────────────────────────────────
               192.0  100.00     -          -     -     -    100 %
  
  Bill 100.00 · ledger 100.00 · difference 0.00 · unpriced 0 GPU·h
  commitments, used               60 %  of their cost, 40.00 USD unused
  "commitments":{"gpu_seconds":"691200","coverage_frac":1,"cost":"60","used_cost":"60","unused_cost":"40","utilisation_frac":0.6
  purchase     GPU·h      cost  busy  underused  idle  lost  unknown
  reserved_1y  192.0  3,000.00     -          -     -     -    100 %
  ──────────────────────────────────────────────────────────────────
               192.0  3,000.00     -          -     -     -    100 %
  
  Bill 3,000.00 · ledger 3,000.00 · difference 0.00 · unpriced 0 GPU·h
  commitments, used                  -  of their effective cost
  purchase     GPU·h  cost  busy  underused  idle  lost  unknown
  reserved_1y  192.0     -     -          -     -     -    100 %
  ──────────────────────────────────────────────────────────────
               192.0     -     -          -     -     -    100 %
  
  Bill - · ledger - · difference - · unpriced 192.0 GPU·h
  1 line of the USD bill has no effective cost and is in no sum here. What was
  invoiced is 3,000.00 USD: --cost billed.
  commitments, used                  -  what they cover has no cost in the bill
  "commitments":{"gpu_seconds":"691200","coverage_frac":1,"cost":null,"used_cost":null,"unused_cost":null,"utilisation_frac":null

What is reserved elsewhere, on no bill, was used too: 24 more.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\nn1,neo,eu,H100-SXM5-80GB,1,reserved_1y,2026-10-05T00:00:00Z,2026-10-06T00:00:00Z,1\n' > nodes.csv; tare import -q --db amortised nodes.csv; tare report --db amortised --kpi -o json | grep -o '"commitments[^}]*'
  "commitments":{"gpu_seconds":"777600","coverage_frac":1,"cost":"84","used_cost":"84","unused_cost":"40","utilisation_frac":0.677419

On a narrow terminal no amount is cut: it makes way as a whole. In a pipe it is there.

  $ for w in 46 50 54 58; do COLUMNS=$w tare report --db amortised --kpi | grep 'ments, used'; done; tare report --db amortised --kpi | grep 'ments, used'
  commitments, used    68 %  of their …SD unused
  commitments, used      68 %  of their c…USD unused
  commitments, used        68 %  of their co… USD unused
  commitments, used          68 %  of their cos… USD unused
  commitments, used               68 %  of their cost, 40.00 USD unused

A machine is paid on demand until noon and by a reservation from then on, in a line of a day each, and one hour of the next day half and
half, in lines of an hour beside that of the day: 12.5 of 48 hours are on demand, with a record of the machine and without, and beside
another machine in one pool, whose 48 hours have no line.

  $ focus() { # category, from, to, cost, list, hours, commitment
  >   echo "$4,a,USD,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,Usage,p4d.24xlarge,2026-10-0$2:00:00Z,2026-10-0$3:00:00Z,$7,${7:+Reservation},${7:+Used},$4,$5,$6,Hours,$1,AWS,r,i-7,Compute,Amazon Elastic Compute Cloud,"; }
  > (head -1 f1.csv; focus Standard 1T00 2T00 240 240 12; focus Committed 1T00 2T00 120 240 12 ri-1; focus Standard 2T05 2T06 10 10 0.5; focus Committed 2T00 3T00 235 470 23.5 ri-1) > noon.csv
  > echo node,cluster,provider,region,gpu_model,gpu_count,instance_type,purchase,from,to,resource_id > one.csv
  > echo w1,c,aws,us-east-1,A100-SXM4-40GB,8,p4d.24xlarge,on_demand,2026-10-01,2026-10-03,i-7 | tee -a one.csv | sed 's/w1/w2/; s/i-7/i-8/' > w2; cat one.csv w2 > two.csv
  > printf '%s\n' job_id,user,cluster,gpu_model,gpus,start,end,state 1,ada,c,A100-SXM4-40GB,4,2026-10-01T01:00:00Z,2026-10-02T20:00:00Z,completed > job.csv
  $ kpi() { tare report --db "$1" --kpi -o json | grep -o '"coverage_frac":[^,]*'; }
  > for f in 'noon.csv' 'one.csv noon.csv' 'noon.csv one.csv' 'two.csv job.csv noon.csv'; do tare import -q --db "n $f" $f; tare report --db "n $f" --cost effective --by purchase,commitment --sort name -o csv | cut -d, -f1,2,4,5; kpi "n $f"; done
  purchase,commitment,gpu_seconds,cost
  Reservation,ri-1,1022400,355
  on_demand,,360000,250
  "coverage_frac":0.739583
  purchase,commitment,gpu_seconds,cost
  Reservation,ri-1,1022400,355
  on_demand,,360000,250
  "coverage_frac":0.739583
  purchase,commitment,gpu_seconds,cost
  Reservation,ri-1,1022400,355
  on_demand,,360000,250
  "coverage_frac":0.739583
  purchase,commitment,gpu_seconds,cost
  Reservation,ri-1,1022400,355
  on_demand,,1742400,1303.966816
  "coverage_frac":0.369792
  $ tare report --db 'n one.csv noon.csv' --cost effective --by hour,purchase --since 2026-10-02T04:00:00Z --until 2026-10-02T07:00:00Z --sort name -o csv | cut -d, -f1,2,4,5
  hour,purchase,gpu_seconds,cost
  2026-10-02T04:00:00Z,Reservation,28800,10
  2026-10-02T05:00:00Z,Reservation,14400,5
  2026-10-02T05:00:00Z,on_demand,14400,10
  2026-10-02T06:00:00Z,Reservation,28800,10

Money of a commitment under which no time of the machine was paid is the commitment's, and says nothing of the time: that was on demand, all
of it or but for the half of a plan.

  $ line() { # category, cost, commitment, its status, hours, pricing category
  >   echo "$2,a,USD,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,$1,p4d.24xlarge,2026-10-05T00:00:00Z,2026-10-05T02:00:00Z,$3,${3:+SavingsPlan},$4,$2,$2,$5,Hours,$6,AWS,r,i-1,Compute,Amazon Elastic Compute Cloud,"; }
  > (head -1 f1.csv; line Usage 20 '' '' 2 Standard; line Adjustment -3 sp-1 '' '' '') > credit.csv
  > (head -1 f1.csv; line Usage 20 '' '' 2 Standard; line Usage 3 sp-1 '' '' Committed) > cores.csv
  > (head -1 f1.csv; line Usage 10 '' '' 1 Standard; line Usage 8 sp-1 Used 1 Committed; line Adjustment -3 sp-1 '' '' ''; line Adjustment -1 sp-2 '' '' '') > half.csv
  > for f in credit cores half; do tare import -q --db $f $f.csv; tare report --db $f --cost billed --by commitment,purchase --sort name -o csv | cut -d, -f1,2,4,5; done
  commitment,purchase,gpu_seconds,cost
  ,on_demand,57600,20
  sp-1,savings_plan,0,-3
  commitment,purchase,gpu_seconds,cost
  ,on_demand,57600,20
  sp-1,savings_plan,0,3
  commitment,purchase,gpu_seconds,cost
  ,on_demand,28800,10
  sp-1,savings_plan,28800,5
  sp-2,savings_plan,0,-1
