What is paid beside the GPUs, over bare compute. Two machines at 240 and 100 a day: vision's job 1 held
all of the first, its data cost 180 of storage and 60 of transfer: 480 over 240 is 2.00 x. nlp's job 2
held the second for half a day (50), and nobody the rest of it; 25 of storage is nlp's: 1.50 x.

  $ { echo 'BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ChargeDescription,ResourceId,ResourceName,ProviderName,RegionId,ServiceCategory,ServiceName,ConsumedQuantity,ConsumedUnit,SkuPriceDetails,Tags'
  > day=2024-09-01T00:00:00Z,2024-09-02T00:00:00Z; gpu='"{""InstanceType"":""p3.8xlarge""}"'
  > echo "240,240,USD,$day,Usage,,i-0abc,gpu-01,AWS,us-east-1,Compute,Amazon Elastic Compute Cloud,24,Hours,$gpu,"
  > echo "100,100,USD,$day,Usage,,i-0def,gpu-02,AWS,us-east-1,Compute,Amazon Elastic Compute Cloud,24,Hours,$gpu,"
  > echo "180,180,USD,$day,Usage,,vol-1,,AWS,us-east-1,Storage,Amazon Simple Storage Service,,,,\"{\"\"team\"\":\"\"vision\"\"}\""
  > echo "60,60,USD,$day,Usage,data transfer out to the internet,vol-1,,AWS,us-east-1,Networking,AWS Data Transfer,,,,\"{\"\"team\"\":\"\"vision\"\"}\""
  > echo "25,25,USD,$day,Usage,,vol-2,,AWS,us-east-1,Storage,Amazon Simple Storage Service,,,,\"{\"\"team\"\":\"\"nlp\"\"}\""; } > bill.csv
  > printf 'job_id,team,gpus,node,start,end\n1,vision,4,gpu-01,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z\n2,nlp,4,gpu-02,2024-09-01T00:00:00Z,2024-09-01T12:00:00Z\n' > jobs.csv
  > tare import -q --db db bill.csv jobs.csv
  $ tare report --db db --hidden
  1 day to 2024-09-01 · effective cost, USD · 192.0 GPU·h paid · 0 % measured, 25
  % assumed
  
  team      compute  storage  egress   total  of compute
  vision     240.00   180.00   60.00  480.00      2.00 x
  nlp         50.00    25.00    0.00   75.00      1.50 x
  (nobody)    50.00     0.00    0.00   50.00      1.00 x
  ──────────────────────────────────────────────────────
             340.00   205.00   60.00  605.00      1.78 x
  
  of compute: the total over the cost of the row's own GPU time. '-': no GPU time,
  or some without a price.
  $ tare report --db db --hidden --split-idle proportional
  1 day to 2024-09-01 · effective cost, USD · 192.0 GPU·h paid · 0 % measured, 25
  % assumed · idle split: proportional
  
  team    compute  storage  egress  idle share   total  of compute
  vision   240.00   180.00   60.00       41.38  521.38      2.17 x
  nlp       50.00    25.00    0.00        8.62   83.62      1.67 x
  ────────────────────────────────────────────────────────────────
           290.00   205.00   60.00       50.00  605.00      2.09 x
  
  of compute: the total over the cost of the row's own GPU time. '-': no GPU time,
  or some without a price.
  $ tare report --db db --hidden --by team,job -o csv
  team,job,currency,compute_cost,storage_cost,egress_cost,cross_zone_cost,network_cost,licence_cost,energy_cost,commitment_unused_cost,other_cost,idle_share_cost,cost,multiplier
  vision,1,USD,240,0,0,0,0,0,0,0,0,0,240,1
  vision,,USD,0,180,60,0,0,0,0,0,0,0,240,
  ,,USD,50,0,0,0,0,0,0,0,0,0,50,1
  nlp,2,USD,50,0,0,0,0,0,0,0,0,0,50,1
  nlp,,USD,0,25,0,0,0,0,0,0,0,0,25,
  $ tare report --db db --hidden -o json
  {"schema":"tare.hidden/1","window":{"since":"2024-09-01T00:00:00Z","until":"2024-09-02T00:00:00Z"},"basis":"effective","split_idle":"none","rows":[{"team":"vision","currency":"USD","compute_cost":"240","storage_cost":"180","egress_cost":"60","cross_zone_cost":"0","network_cost":"0","licence_cost":"0","energy_cost":"0","commitment_unused_cost":"0","other_cost":"0","idle_share_cost":"0","cost":"480","multiplier":2},{"team":"nlp","currency":"USD","compute_cost":"50","storage_cost":"25","egress_cost":"0","cross_zone_cost":"0","network_cost":"0","licence_cost":"0","energy_cost":"0","commitment_unused_cost":"0","other_cost":"0","idle_share_cost":"0","cost":"75","multiplier":1.5},{"team":null,"currency":"USD","compute_cost":"50","storage_cost":"0","egress_cost":"0","cross_zone_cost":"0","network_cost":"0","licence_cost":"0","energy_cost":"0","commitment_unused_cost":"0","other_cost":"0","idle_share_cost":"0","cost":"50","multiplier":1}],"totals":[{"currency":"USD","compute_cost":"340","storage_cost":"205","egress_cost":"60","cross_zone_cost":"0","network_cost":"0","licence_cost":"0","energy_cost":"0","commitment_unused_cost":"0","other_cost":"0","idle_share_cost":"0","cost":"605","multiplier":1.7794}]}
  $ tare report --db db --hidden --by job --where kind=gpu
  1 day to 2024-09-01 · effective cost, USD · 192.0 GPU·h paid · 0 % measured, 25
  % assumed · kind=gpu
  
  job       compute   total  of compute
  1          240.00  240.00      1.00 x
  (nobody)    50.00   50.00      1.00 x
  2           50.00   50.00      1.00 x
  ─────────────────────────────────────
             340.00  340.00      1.00 x
  
  Nothing but GPU time is known here: storage, transfer, licences come with a
  whole bill (tare import bill.csv), energy with settings (owned).
  $ tare report --db db --hidden --limit 1 -o md
  1 day to 2024-09-01 · effective cost, USD · 192.0 GPU·h paid · 0 % measured, 25 % assumed
  
  | team | compute | storage | egress | total | of compute |
  | --- | ---: | ---: | ---: | ---: | ---: |
  | vision | 240.00 | 180.00 | 60.00 | 480.00 | 2.00 x |
  | (2 more) | 100.00 | 25.00 | 0.00 | 125.00 | 1.25 x |
  |  | **340.00** | **205.00** | **60.00** | **605.00** | **1.78 x** |
  
  of compute: the total over the cost of the row's own GPU time. '-': no GPU time, or some without a price.
  $ tare report --db db --hidden -o xlsx
  ! tare: -o xlsx writes the rows of a report or a --chargeback, no other view
  !       See: tare report --help
  [2]
