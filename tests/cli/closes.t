A node of four GPUs, billed by the hour, with jobs and telemetry: the ledger closes with the bill.

  $ cat > nodes.csv <<'X'
  > node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,resource_id
  > gpu-01,aws,us-east-1,p3.8xlarge,V100,4,on_demand,2024-09-01T00:00:00Z,2024-09-01T03:00:00Z,i-0abc
  > X
  $ cat > bill.csv <<'X'
  > BilledCost,EffectiveCost,ListCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,ChargeCategory,ResourceId,ProviderName,RegionId,ServiceCategory,ServiceName,ChargeDescription,ConsumedQuantity,ConsumedUnit,PricingCategory,SkuPriceDetails,Tags
  > 12.24,12.24,12.24,USD,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,2024-09-01T00:00:00Z,2024-10-01T00:00:00Z,Usage,arn:aws:ec2:us-east-1:1:instance/i-0abc,AWS,us-east-1,Compute,Amazon Elastic Compute Cloud,"$12.24 per On Demand Linux p3.8xlarge Instance Hour",1,Hours,Standard,"{""InstanceType"":""p3.8xlarge""}",
  > 12.24,12.24,12.24,USD,2024-09-01T01:00:00Z,2024-09-01T02:00:00Z,2024-09-01T00:00:00Z,2024-10-01T00:00:00Z,Usage,arn:aws:ec2:us-east-1:1:instance/i-0abc,AWS,us-east-1,Compute,Amazon Elastic Compute Cloud,"$12.24 per On Demand Linux p3.8xlarge Instance Hour",1,Hours,Standard,"{""InstanceType"":""p3.8xlarge""}",
  > 12.24,12.24,12.24,USD,2024-09-01T02:00:00Z,2024-09-01T03:00:00Z,2024-09-01T00:00:00Z,2024-10-01T00:00:00Z,Usage,arn:aws:ec2:us-east-1:1:instance/i-0abc,AWS,us-east-1,Compute,Amazon Elastic Compute Cloud,"$12.24 per On Demand Linux p3.8xlarge Instance Hour",1,Hours,Standard,"{""InstanceType"":""p3.8xlarge""}",
  > 0.31,0.31,0.31,USD,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,2024-09-01T00:00:00Z,2024-10-01T00:00:00Z,Usage,vol-1,AWS,us-east-1,Storage,Amazon Elastic Block Store,"$0.08 per GB-month of gp3",3.9,GB-Mo,Standard,,"{""team"":""vision""}"
  > X
  $ cat > jobs.csv <<'X'
  > job_id,user,team,gpus,gpu_ids,node,start,end,state
  > 1,ann,vision,1,0,gpu-01,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,COMPLETED
  > 2,bob,nlp,2,1;2,gpu-01,2024-09-01T00:30:00Z,2024-09-01T01:30:00Z,FAILED
  > X
  $ python3 - > samples.csv <<'X'
  > print("time,node,gpu,gpu_util_pct,mem_used_bytes,step_s")
  > for m in range(120):
  >     print(f"2024-09-01T{m // 60:02}:{m % 60:02}:00Z,gpu-01,0,{80 if m < 60 else 0},8000000000,60")
  > X
  $ tare import -q bill.csv nodes.csv jobs.csv samples.csv
  $ tare report --by state -o csv
  state,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  unallocated,USD,14400,12.24,12.24,0,0,12.24,0,0,,,,,,,,,14400,12.24,,,,,,
  unknown,USD,14400,12.24,12.24,0,0,,0,0,,,,,,,,,,,,,,,14400,12.24
  lost,USD,7200,6.12,6.12,0,0,6.12,0,7200,,,,,,,,,0,0,7200,6.12,0,0,0,0
  busy,USD,3600,3.06,3.06,0,0,0,0,3600,3600,3.06,0,0,0,0,0,0,0,0,0,0,0,0,0,0
  idle_held,USD,3600,3.06,3.06,0,0,3.06,0,3600,0,0,0,0,3600,3.06,0,0,0,0,0,0,0,0,0,0
  ,USD,0,0.31,0.31,0,0.31,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0

  $ tare report --by team,job -o csv
  team,job,currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds,busy_gpu_seconds,busy_cost,underused_gpu_seconds,underused_cost,idle_held_gpu_seconds,idle_held_cost,idle_empty_gpu_seconds,idle_empty_cost,unallocated_gpu_seconds,unallocated_cost,lost_gpu_seconds,lost_cost,overhead_gpu_seconds,overhead_cost,unknown_gpu_seconds,unknown_cost
  ,,USD,28800,24.48,24.48,0,0,12.24,0,0,,,,,,,,,14400,12.24,,,,,14400,12.24
  nlp,2,USD,7200,6.12,6.12,0,0,6.12,0,7200,,,,,,,,,0,0,7200,6.12,0,0,0,0
  vision,1,USD,7200,6.12,6.12,0,0,3.06,0,7200,3600,3.06,0,0,3600,3.06,0,0,0,0,0,0,0,0,0,0
  vision,,USD,0,0.31,0.31,0,0.31,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0

  $ tare report --by kind --cost billed
  1 day to 2024-09-01 · billed cost, USD · 12.0 GPU·h paid · 34 % measured, 33 %
  assumed
  
  kind     GPU·h   cost  busy  underused  idle  lost  unknown
  gpu       12.0  36.72   8 %        0 %  42 %  17 %     33 %
  storage      -   0.31     -          -     -     -        -
  ───────────────────────────────────────────────────────────
            12.0  37.03   8 %        0 %  42 %  17 %     33 %
  
  Bill 37.03 · ledger 37.03 · difference 0.00 · unpriced 0 GPU·h
  Idle alone costs 15.30 USD in this day. Most of it: gpu, 15.30, mostly paid for
  and held by nobody (tare report --cost billed --by node --sort waste).

The order in which the files came does not matter.

  $ for order in 'jobs.csv samples.csv nodes.csv bill.csv' 'samples.csv bill.csv jobs.csv nodes.csv'; do d=$(mktemp -d -p .); for f in $order; do tare import -q --db $d $f; done; tare report --db $d --by team,job,state -o csv | md5sum; done; tare report --by team,job,state -o csv | md5sum
  7d30d1d91052fd2060cf6efd9710447f  -
  7d30d1d91052fd2060cf6efd9710447f  -
  7d30d1d91052fd2060cf6efd9710447f  -

  $ tare reconcile
  Bills, USD: 37.03 billed, 37.03 effective, 4 lines
  
  Billed (effective) beside the catalogue, 1 resource-days, 1 with a known price:
    billed 36.72   catalogue 36.72   difference 0.00

More than an hour of a machine can hold is refused; it was cut, and called rounding.

  $ cat > vnd.csv <<X
  > BillingAccountId,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,BillingCurrency,BilledCost,EffectiveCost,ListCost,ContractedCost,ProviderName,ServiceName,ResourceId,PricingQuantity,PricingUnit,x_InstanceType
  > A,2024-03-01T00:00:00Z,2024-04-01T00:00:00Z,2024-03-01T00:00:00Z,2024-03-01T01:00:00Z,Usage,VND,3000000000,3000000000,3000000000,3000000000,AWS,EC2,i-1,1,Hours,p3.2xlarge
  > A,2024-03-01T00:00:00Z,2024-04-01T00:00:00Z,2024-03-01T00:00:00Z,2024-03-01T01:00:00Z,Usage,VND,3000000000,3000000000,3000000000,3000000000,AWS,EC2,i-1,0,Hours,p3.2xlarge
  > X
  $ tare import -q --db vnd vnd.csv
  ! tare: 'i-1' is charged more than 4.6 billion in one hour, at 2024-03-01T00:00:00Z
  !       Nothing was imported. That is the most there can be at one time; correct the bill's lines of it
  [2]

A window that begins inside a charge knows of its bill.

  $ cat > long.csv <<X
  > BillingAccountId,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,BillingCurrency,BilledCost,EffectiveCost,ListCost,ContractedCost,ProviderName,ServiceName,ResourceId
  > A,2024-03-01T00:00:00Z,2024-04-01T00:00:00Z,2024-03-01T00:00:00Z,2024-03-03T00:00:00Z,Usage,USD,10,10,10,10,AWS,S3,vol-1
  > X
  $ tare import -q --db long long.csv; for d in 1 2 3; do tare report --db long --by kind --since 2024-03-0$d --until 2024-03-0$((d + 1)) -o json | $FILES/../data/get reconcile.billed reconcile.ledger reconcile.partial; done
  10
  5
  True
  0
  5
  True
  None
  0
  False
