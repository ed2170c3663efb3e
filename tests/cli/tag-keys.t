One tag is one key, however a bill spells it.

  $ echo BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory,Tags > bill.csv
  > n=1; for t in cost-center:a Cost_Center:a user:COST-CENTER:b resourceTags/user:cost_center:b labels.cost_center:c 'costcenter:d'; do k=${t%:*}; echo $n,$n,USD,1,Usage,2024-09-02T00:00:00Z,2024-09-02T01:00:00Z,2024-09-01T00:00:00Z,AWS,Storage,"\"{\"\"$k\"\":\"\"${t##*:}\"\",\"\"x\"\":\"\"y\"\"}\"" >> bill.csv; n=$((n * 2)); done
  > tare import -q bill.csv; for k in cost-center cost_center Cost-Center user:cost-center; do echo $k; tare report --by tag:$k --cost billed -o csv | cut -d, -f1,4; done
  > tare report --by kind --where tag:cost_center=b --cost billed -o csv | cut -d, -f1,4
  cost-center
  tag:cost-center,cost
  ,32
  c,16
  b,12
  a,3
  cost_center
  tag:cost_center,cost
  ,32
  c,16
  b,12
  a,3
  Cost-Center
  tag:Cost-Center,cost
  ,32
  c,16
  b,12
  a,3
  user:cost-center
  tag:user:cost-center,cost
  ,32
  c,16
  b,12
  a,3
  kind,cost
  storage,12

A key that nothing has.

  $ tare report --by tag:cost-centre --cost billed -o csv | cut -d, -f1,4; tare report --where tag:owner=b --cost billed -o csv | cut -d, -f1,4
  tag:cost-centre,cost
  ,63
  team,cost
  ! tare: nothing has a tag 'cost-centre': did you mean tag:cost-center?
  !       Tags that there are: Cost_Center, cost-center, costcenter, labels.cost_center, resourceTags/user:cost_center, user:COST-CENTER, x
  ! tare: nothing has a tag 'owner'
  !       Tags that there are: Cost_Center, cost-center, costcenter, labels.cost_center, resourceTags/user:cost_center, user:COST-CENTER, x
