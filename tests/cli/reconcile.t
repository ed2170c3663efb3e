Reconcile: amounts of two currencies are never added, whether of a day, a resource or a list; the
amounts of a window are of its lines.

  $ cat > b.csv <<X
  > BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ServiceName,ProviderName,RegionId,x_InstanceType,SkuMeter
  > 10,10,USD,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,Usage,i-1,EC2,AWS,us-east-1,p3.2xlarge,BoxUsage:p3.2xlarge
  > 10,10,EUR,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,Usage,i-1,EC2,AWS,us-east-1,p3.2xlarge,BoxUsage:p3.2xlarge
  > 5,5,EUR,2024-09-02T00:00:00Z,2024-09-02T01:00:00Z,Usage,i-1,EC2,AWS,us-east-1,p3.2xlarge,BoxUsage:p3.2xlarge
  > 10,10,EUR,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,Usage,,EC2,AWS,us-east-1,p3.2xlarge,BoxUsage:p3.2xlarge
  > X
  $ tare import -q b.csv
  $ tare reconcile
  Bills, EUR: 25.00 billed, 25.00 effective, 3 lines
  Bills, USD: 10.00 billed, 10.00 effective, 1 lines
  
  In a bill, no node known (map each to its node under nodes: in the configuration): 2
    i-1                                p3.2xlarge                  15.00 EUR   2024-09-01 to 2024-09-02
    i-1                                p3.2xlarge                  10.00 USD   2024-09-01 to 2024-09-01
    sum (effective)                                                15.00 EUR
    sum (effective)                                                10.00 USD
  
  Billed (effective) beside the catalogue, EUR, 2 resource-days, 0 with a known price:
    nothing to compare: the catalogue knows no price of them in this currency
  
  Billed (effective) beside the catalogue, USD, 1 resource-days, 1 with a known price:
    billed 10.00   catalogue 3.06   difference 6.94
    day         resource                         type                   billed    catalogue
    2024-09-01  i-1                              p3.2xlarge              10.00         3.06
  $ tare reconcile -o csv
  day,resource,instance_type,currency,billed,effective,catalogue
  2024-09-01,i-1,p3.2xlarge,EUR,10,10,
  2024-09-01,i-1,p3.2xlarge,USD,10,10,3.06
  2024-09-02,i-1,p3.2xlarge,EUR,5,5,
  $ tare reconcile -o json --since 2024-09-02 | $FILES/../data/get bills bill_only
  [{'currency': 'EUR', 'billed': '5', 'effective': '5', 'lines': 1}]
  [{'name': 'i-1', 'instance_type': 'p3.2xlarge', 'currency': 'EUR', 'effective': '5', 'from': '2024-09-02T00:00:00Z', 'to': '2024-09-02T01:00:00Z'}]

Nodes are those of the window too, billed or not in it.

  $ { echo node,gpu_model,gpu_count,provider,region,purchase,from,to,resource_id; echo i-1,V100-SXM2-16GB,1,aws,us-east-1,on_demand,2024-09-01T00:00:00Z,2024-09-03T00:00:00Z,i-1; echo old,V100-SXM2-16GB,1,aws,us-east-1,on_demand,2024-08-01T00:00:00Z,2024-09-01T00:00:00Z,; } > nodes.csv
  $ tare import -q nodes.csv; for w in 2024-09-02 2024-09-02T02:00:00Z 2024-08; do tare reconcile --since $w --until 2024-09-02T03:00:00Z -o json | $FILES/../data/get node_only; done; tare reconcile | sed -n '/no bill/,$p'
  []
  [{'name': 'i-1', 'instance_type': None, 'currency': None, 'effective': None, 'from': '2024-09-01T00:00:00Z', 'to': '2024-09-03T00:00:00Z'}]
  [{'name': 'old', 'instance_type': None, 'currency': None, 'effective': None, 'from': '2024-08-01T00:00:00Z', 'to': '2024-09-01T00:00:00Z'}]
  Nodes that no bill line names: 1
    old                                                                -   2024-08-01 to 2024-08-31
  
  Billed (effective) beside the catalogue, EUR, 2 resource-days, 0 with a known price:
    nothing to compare: the catalogue knows no price of them in this currency
  
  Billed (effective) beside the catalogue, USD, 1 resource-days, 1 with a known price:
    billed 10.00   catalogue 3.06   difference 6.94
    day         resource                         type                   billed    catalogue
    2024-09-01  i-1                              p3.2xlarge              10.00         3.06

A machine that several lines charge for one period is priced once: Google's GPUs, cores and memory; and what a bill counts in GPUs comes back from FOCUS.
  $ cat > gcp.json <<'END'
  > {"billing_account_id":"A","service":{"description":"Compute Engine"},"sku":{"id":"G1","description":"Nvidia H100 80GB GPU running in Americas"},"usage_start_time":"2026-10-04T23:00:00Z","usage_end_time":"2026-10-05T00:00:00Z","project":{"id":"p"},"location":{"region":"us-central1","zone":"us-central1-a"},"resource":{"global_name":"//compute.googleapis.com/projects/p/instances/a3-1"},"system_labels":[{"key":"compute.googleapis.com/machine_spec","value":"a3-highgpu-8g"}],"cost":70,"currency":"USD","usage":{"amount_in_pricing_units":8,"pricing_unit":"hour"},"invoice":{"month":"202610"},"cost_type":"regular"}
  > {"billing_account_id":"A","service":{"description":"Compute Engine"},"sku":{"id":"G2","description":"A3 Instance Core running in Americas"},"usage_start_time":"2026-10-04T23:00:00Z","usage_end_time":"2026-10-05T00:00:00Z","project":{"id":"p"},"location":{"region":"us-central1","zone":"us-central1-a"},"resource":{"global_name":"//compute.googleapis.com/projects/p/instances/a3-1"},"system_labels":[{"key":"compute.googleapis.com/machine_spec","value":"a3-highgpu-8g"}],"cost":6,"currency":"USD","usage":{"amount_in_pricing_units":208,"pricing_unit":"hour"},"invoice":{"month":"202610"},"cost_type":"regular"}
  > END
  $ tare import -q --db gcp gcp.json && tare reconcile --db gcp -o csv
  day,resource,instance_type,currency,billed,effective,catalogue
  2026-10-04,//compute.googleapis.com/projects/p/instances/a3-1,a3-highgpu-8g,USD,76,76,88.489999902575
  $ tare price --instance a3-highgpu-8g --region us-central1 -o csv | grep on_demand | cut -d, -f1-8
  gcp,us-central1,,a3-highgpu-8g,H100-SXM5-80GB,8,on_demand,
  $ tare report --db gcp --focus gcp.csv && tare import -q --db again gcp.csv && tare report --db again -o csv | cut -d, -f1-4
  team,currency,gpu_seconds,cost
  ,USD,28800,76
  ! Wrote gcp.csv (2 FOCUS rows of 2 charges)
