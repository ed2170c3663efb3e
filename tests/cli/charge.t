Where on the bill an amount stands goes into the ledger: service, account, instance type and commitment of each line, and the service that a job serves.

  $ export TARE_NOW=2024-10-01T00:00:00Z
  > head='BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ResourceName,ProviderName,RegionId,AvailabilityZone,BillingAccountId,SubAccountId,ServiceCategory,ServiceName,ConsumedQuantity,ConsumedUnit,CommitmentDiscountId,CommitmentDiscountStatus,CommitmentDiscountType,SkuPriceDetails'
  > at='2024-09-01T00:00:00Z,2024-09-02T00:00:00Z'
  > gpu='"{""InstanceType"":""p3.8xlarge""}"'
  > ec2='Compute,Amazon Elastic Compute Cloud,24,Hours'
  > { echo "$head"
  > echo "240,240,USD,$at,Usage,i-0abc,gpu-01,AWS,us-east-1,us-east-1a,payer,research,$ec2,,,,$gpu"
  > echo "0,120,USD,$at,Usage,i-0def,gpu-02,AWS,us-east-1,us-east-1b,payer,,$ec2,arn:sp/1,Used,Savings Plan,$gpu"
  > echo "0,30,USD,$at,Usage,,,AWS,us-east-1,,payer,,Compute,Amazon Elastic Compute Cloud,,,arn:sp/1,Unused,Savings Plan,"
  > echo "5,5,USD,$at,Usage,vol-1,,AWS,us-east-1,,payer,research,Storage,Amazon Simple Storage Service,,,,,,"; } > bill.csv
  > printf 'job_id,name,team,gpus,node,start,end\n1,chat,serving,2,gpu-01,2024-09-01T06:00:00Z,2024-09-01T12:00:00Z\n2,train,vision,2,gpu-01,2024-09-01T06:00:00Z,2024-09-01T12:00:00Z\n' > jobs.csv
  > printf 'time,service,count,latency_ms\n2024-09-01T06:00:30Z,chat,10,20\n' > requests.csv
  $ tare import -q --db db bill.csv requests.csv jobs.csv
  $ tare report --db db --cost effective --by cloud_service,account,instance_type,commitment,kind,zone -o csv --sort name | cut -d, -f1-9
  cloud_service,account,instance_type,commitment,kind,zone,currency,gpu_seconds,cost
  Amazon Elastic Compute Cloud,payer,,arn:sp/1,commitment_unused,,USD,0,30
  Amazon Elastic Compute Cloud,payer,p3.8xlarge,arn:sp/1,gpu,us-east-1b,USD,345600,120
  Amazon Elastic Compute Cloud,research,p3.8xlarge,,gpu,us-east-1a,USD,345600,240
  Amazon Simple Storage Service,research,,,storage,,USD,0,5
  $ tare report --db db --by service,team -o csv --sort name | cut -d, -f1-5
  service,team,currency,gpu_seconds,cost
  ,,USD,604800,335
  ,vision,USD,43200,30
  chat,serving,USD,43200,30
  $ tare report --db db --by account --where commitment=arn:sp/1 --cost effective -o csv | cut -d, -f1-4
  account,currency,gpu_seconds,cost
  payer,USD,345600,150

A corrected bill takes the old entries out with all that they say.

  $ sed 's/research/platform/' bill.csv > next.csv; tare import -q --db db --replace --whole next.csv
  $ tare report --db db --by account -o csv --sort name | cut -d, -f1-4
  account,currency,gpu_seconds,cost
  payer,USD,345600,150
  platform,USD,345600,245

A tag counts for the money of a machine that nobody held also where none of its tags names an owner, of one machine and of a pool alike: all that its machines say the same.

  $ { echo 'BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ResourceId,ProviderName,RegionId,ServiceCategory,ServiceName,ConsumedQuantity,ConsumedUnit,SkuPriceDetails,Tags'
  > for i in 1 2; do echo "20,20,USD,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,i-$i,AWS,us-east-1,Compute,EC2,2,Hours,\"{\"\"InstanceType\"\":\"\"p3.8xlarge\"\"}\",\"{\"\"Name\"\":\"\"gpu-$i\"\",\"\"costcode\"\":\"\"X9\"\"}\""; done; } > tags.csv
  > { echo node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,resource_id
  > for i in 1 2; do echo "gpu-$i,aws,us-east-1,V100-SXM2-16GB,4,on_demand,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,hpc,i-$i"; done; } > nodes.csv
  > printf 'job_id,gpus,gpu_model,cluster,start,end,team\n1,4,V100-SXM2-16GB,hpc,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,vision\n' > pool.csv
  $ tare import -q --db tags tags.csv
  $ tare report --db tags --by tag:costcode,tag:Name,team -o csv --sort name | cut -d, -f1-6
  tag:costcode,tag:Name,team,currency,gpu_seconds,cost
  X9,gpu-1,,USD,28800,20
  X9,gpu-2,,USD,28800,20
  $ tare import -q --db tags nodes.csv pool.csv
  $ tare report --db tags --by tag:costcode,tag:Name,team -o csv --sort name | cut -d, -f1-6
  tag:costcode,tag:Name,team,currency,gpu_seconds,cost
  ,,vision,USD,14400,10
  X9,,,USD,43200,30

Invoice, billing account and charge category of each line: a machine's hours are on the invoice of their lines, also where tax and the rest of a plan are on another one.

  $ sed '1s/$/,InvoiceId/; 2,3s/$/,INV-1/; 4,$s/$/,INV-2/' bill.csv > inv.csv; echo "9,9,USD,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Tax,,,AWS,us-east-1,,payer,,Other,Tax,,,,,,,INV-2" >> inv.csv
  $ tare import -q --db inv inv.csv jobs.csv
  $ tare report --db inv --by invoice,billing_account,charge_category,kind -o csv --sort name | cut -d, -f1-7
  invoice,billing_account,charge_category,kind,currency,gpu_seconds,cost
  INV-1,payer,Usage,gpu,USD,691200,360
  INV-2,payer,Tax,other,USD,0,9
  INV-2,payer,Usage,commitment_unused,USD,0,30
  INV-2,payer,Usage,storage,USD,0,5
  $ tare report --db inv --by charge_category --where invoice=INV-2 -o csv --cost billed | cut -d, -f1-4
  charge_category,currency,gpu_seconds,cost
  Tax,USD,0,9
  Usage,USD,0,5
  $ tare report --db inv --by charge_categry
  ! tare: 'charge_categry' is not a dimension
  !       Did you mean 'charge_category'?
  [2]
  $ tare sql --db inv "SELECT invoice, charge_category, sum(effective_cost) AS cost FROM entries GROUP BY ALL ORDER BY ALL" -o csv
  invoice,charge_category,cost
  INV-1,Usage,360
  INV-2,Tax,9
  INV-2,Usage,35

A tag is found under its exact key, else under one that is written otherwise, as rules find it: bills say the same tag in several ways.

  $ sed 's/""costcode""/""COST_CODE""/; 3s/COST_CODE/user:Cost-Code/' tags.csv > ways.csv
  $ sed -n '2,3s/.*gpu-/gpu-/p' ways.csv
  gpu-1"",""COST_CODE"":""X9""}"
  gpu-2"",""user:Cost-Code"":""X9""}"
  $ tare import -q --db ways ways.csv
  $ tare report --db ways --by tag:cost-code -o csv | cut -d, -f1-4
  tag:cost-code,currency,gpu_seconds,cost
  X9,USD,57600,40
  $ tare report --db ways --by tag:COST_CODE -o csv --sort name | cut -d, -f1-4
  tag:COST_CODE,currency,gpu_seconds,cost
  X9,USD,57600,40
  $ tare report --db ways --by node --where tag:cost.code=X9 -o csv --sort name | cut -d, -f1-4
  node,currency,gpu_seconds,cost
  i-1,USD,28800,20
  i-2,USD,28800,20
  $ tare report --db ways --by tag:cost -o csv | cut -d, -f1-4
  tag:cost,currency,gpu_seconds,cost
  ,USD,57600,40
  ! tare: nothing has a tag 'cost'
  !       Tags that there are: COST_CODE, Name, user:Cost-Code
