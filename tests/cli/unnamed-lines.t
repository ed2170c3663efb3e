A bill line without a resource id and the node list may speak of the same machine: said at import.
  $ cat > bill.csv <<'END'
  > identity/LineItemId,bill/PayerAccountId,lineItem/UsageAccountId,lineItem/LineItemType,lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/ProductCode,lineItem/UsageType,lineItem/Operation,lineItem/UsageAmount,lineItem/UnblendedCost,lineItem/CurrencyCode,product/instanceType,product/region,pricing/unit,lineItem/ResourceId,bill/BillingPeriodStartDate
  > a,1,1,Usage,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z,AmazonEC2,BoxUsage:p4d.24xlarge,RunInstances,2,65.54,USD,p4d.24xlarge,us-east-1,Hrs,,2026-11-01T00:00:00Z
  > END
  $ cat > nodes.csv <<'END'
  > node,provider,region,gpu_model,gpu_count,instance_type,purchase,from,to
  > gpu-1,aws,us-east-1,A100-SXM4-40GB,8,p4d.24xlarge,on_demand,2026-11-01T00:00:00Z,2026-11-01T02:00:00Z
  > END
  $ tare import bill.csv
  bill.csv: aws-cur, 1 row kept
      BilledCost       65.54 USD
      EffectiveCost    65.54 USD
  You see   cost by service, kind, region and tag: tare report --by cloud_service
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  $ tare report --by hour -o csv | cut -d, -f1-4
  hour,currency,gpu_seconds,cost
  2026-11-01T00:00:00Z,USD,28800,32.77
  2026-11-01T01:00:00Z,USD,28800,32.77
  $ tare import nodes.csv
  nodes.csv: nodes, 1 row kept, 16.00 GPU·h
      note: 16.0 GPU·h of p4d.24xlarge stand on bill lines without a resource id, and 1 recorded node is of that type: the same machines may stand twice, in GPU·h and at their own price; export the bill with resource ids, then lines find their nodes
  You see   machines and what they cost: tare report --by node
            cost by service, kind, region and tag: tare report --by cloud_service
  Add       a job list (sacct, OpenCost, any CSV): machines that nobody holds
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  $ tare report --by node -o csv | cut -d, -f1-4
  node,currency,gpu_seconds,cost
  ,USD,57600,65.54
  gpu-1,USD,57600,43.915284
  $ tare reconcile; tare reconcile -o json | $FILES/../data/get unnamed
  Bills, USD: 65.54 billed, 65.54 effective, 1 lines
  
  Nodes that no bill line names: 1
    gpu-1                              p4d.24xlarge                    -   2026-11-01 to 2026-11-01
  
  On lines without a resource id, with no machine to compare with (export the bill with resource ids):
    p4d.24xlarge                               16.0 GPU·h          65.54
  [{'instance_type': 'p4d.24xlarge', 'currency': 'USD', 'effective': '65.54', 'gpu_seconds': '57600'}]
