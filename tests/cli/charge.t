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

One hour of a machine on two invoices, half of it on each, a discount on a third: the cost by invoice, account and category is what the lines of each add up to, of a machine alone, of one whose jobs name its GPUs or none, and of one in a pool beside a machine without a bill.

  $ h=BilledCost,EffectiveCost,BillingCurrency,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ProviderName,BillingAccountId,ServiceName,ServiceCategory,ResourceId,ConsumedQuantity,ConsumedUnit,x_InstanceType,InvoiceId,Tags,RegionId
  > line() { echo "$3,$3,USD,2024-09-01T00:00:00Z,2024-10-01T00:00:00Z,2024-09-0$1,2024-09-0$2,$4,AWS,$5,Amazon EC2,Compute,i-1,$6,Hours,p4d.24xlarge,$7,$8,us-east-1"; }
  > { echo $h; for x in 00 01 02 03 04 05 06; do line 2T$x:00:00Z 2T$x:30:00Z 16.38610013 Usage 1 0.5 A; line 2T$x:00:00Z 2T$x:30:00Z 4.3863 Usage 2 0.5 B; line 2T$x:30:00Z 2T$x:59:59Z 9.0001 Usage 2 0.5 B; done
  > line 2T00:00:00Z 3T00:00:00Z -11.03 Adjustment 1 "" D; } > two.csv
  > printf 'node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,resource_id,cluster,usd_hour\nn1,aws,us-east-1,p4d.24xlarge,A100-SXM4-40GB,8,on_demand,2024-09-02T00:00:00Z,2024-09-03T00:00:00Z,i-1,hpc,\n' > one.csv
  > { cat one.csv; echo n2,,,,A100-SXM4-40GB,8,owned,2024-09-02T00:00:00Z,2024-09-03T00:00:00Z,,hpc,1.00; } > both.csv
  > printf 'job_id,team,gpus,gpu_ids,node,start,end\n7,vision,3,0;1;2,n1,2024-09-02T00:10:00Z,2024-09-02T05:00:00Z\n' > named.csv; printf 'job_id,team,gpus,node,start,end\n7,vision,3,n1,2024-09-02T00:10:00Z,2024-09-02T05:00:00Z\n8,speech,2,n1,2024-09-02T00:20:00Z,2024-09-02T05:00:00Z\n' > unnamed.csv
  > printf 'job_id,team,gpus,gpu_model,cluster,start,end\n7,vision,3,A100-SXM4-40GB,hpc,2024-09-02T00:10:00Z,2024-09-02T05:00:00Z\n' > any.csv
  $ for f in "two.csv" "two.csv one.csv named.csv" "two.csv one.csv unnamed.csv" "two.csv both.csv any.csv"; do rm -rf two; tare import -q --db two $f; echo "$f"
  > tare report --db two --by invoice,billing_account,charge_category -o csv --sort name | cut -d, -f1-3,6 | sed 1d; done
  two.csv
  A,1,Usage,114.70270091
  B,2,Usage,93.7048
  D,1,Adjustment,-11.03
  two.csv one.csv named.csv
  A,1,Usage,114.70270091
  B,2,Usage,93.7048
  D,1,Adjustment,-11.03
  two.csv one.csv unnamed.csv
  A,1,Usage,114.70270091
  B,2,Usage,93.7048
  D,1,Adjustment,-11.03
  two.csv both.csv any.csv
  ,,,24
  A,1,Usage,114.70270091
  B,2,Usage,93.7048
  D,1,Adjustment,-11.03

A credit or correction without tags is of all whose the time of its machine was, as the cost of the time is; one with tags of who they name.

  $ line() { echo "$2,$2,USD,2024-09-01T00:00:00Z,2024-10-01T00:00:00Z,2024-09-02T$1:00Z,$3,AWS,1,Amazon EC2,Compute,i-1,1,Hours,p4d.24xlarge,A,$4,us-east-1"; }
  > { head -1 two.csv; for x in 00 01 02 03; do line $x:00:00Z,2024-09-02T$x:59 8 Usage; done; line 00:00:00Z,2024-09-02T04:00 -3.2 Credit; line 00:00:00Z,2024-09-02T04:00 -1 Credit '"{""team"":""gift""}"'; } > credit.csv
  > printf 'job_id,team,gpus,node,start,end\n7,vision,6,n1,2024-09-02T00:00:00Z,2024-09-02T02:00:00Z\n8,speech,2,n1,2024-09-02T00:00:00Z,2024-09-02T01:00:00Z\n' > pods.csv; sed 's/3T00:00:00Z/2T04:00:00Z/' one.csv > four.csv
  > for f in "credit.csv four.csv pods.csv" "pods.csv four.csv credit.csv"; do rm -rf cr; for x in $f; do tare import -q --db cr $x; done; tare report --db cr --by kind,team -o csv --sort name | cut -d, -f1,2,5 | sed 1d; done
  gpu,,18
  gpu,speech,2
  gpu,vision,12
  other,,-1.8
  other,gift,-1
  other,speech,-0.2
  other,vision,-1.2
  gpu,,18
  gpu,speech,2
  gpu,vision,12
  other,,-1.8
  other,gift,-1
  other,speech,-0.2
  other,vision,-1.2

Showback is rounded together, too: three teams of 1.384 are 4.15, and rows, columns and total agree.

  $ printf 'node,provider,region,purchase,gpu_model,gpu_count,from,to,cluster,usd_hour\nn1,dc,x,on_demand,A100-SXM4-80GB,3,2026-11-02T00:00:00Z,2026-11-03T00:00:00Z,c,1.01\n' > thirds.csv
  > { echo job_id,user,team,gpus,node,start,end,cluster; for t in a b c; do for k in 1 2 3; do echo $t$k,u$k,$t,0.3333,n1,2026-11-02T00:00:00Z,2026-11-02T0$((k+2)):07:00Z,c; done; done; } > parts.csv
  > tare import -q --db thirds thirds.csv; tare import -q --db thirds --covers c parts.csv; tare report --db thirds --showback | sed -n '/^team/,/^$/p'
  team           GPU·h  direct  idle share  shared  total  of all
  (nobody)        56.6   19.07        0.00    0.00  19.07    78 %
  a                4.1    1.39        0.00    0.00   1.39     6 %
  b                4.1    1.39        0.00    0.00   1.39     6 %
  c                4.1    1.38        0.00    0.00   1.38     6 %
  (unallocated)    3.0    0.00        1.01    0.00   1.01     4 %
  ───────────────────────────────────────────────────────────────
                  72.0   23.23        1.01    0.00  24.24   100 %
  
