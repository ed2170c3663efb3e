Accounts are grouped by id and shown with the name that the latest line of the bill gives them, whichever format the bill is in.

  $ for m in 09:research 10:nlp-research; do cat > focus-${m%:*}.csv <<Y
  > BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,BillingAccountName,SubAccountId,SubAccountName,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ResourceId,ProviderName,RegionId,ServiceCategory,ServiceName,ConsumedQuantity,ConsumedUnit,SkuPriceDetails
  > 480,480,USD,1,the payer,201,${m#*:},Usage,2026-${m%:*}-01T00:00:00Z,2026-${m%:*}-02T00:00:00Z,i-1,AWS,us-east-1,Compute,EC2,24,Hours,"{""InstanceType"":""p4d.24xlarge""}"
  > 120,120,USD,1,the payer,202,prod,Usage,2026-${m%:*}-01T00:00:00Z,2026-${m%:*}-02T00:00:00Z,i-2,AWS,us-east-1,Compute,EC2,24,Hours,"{""InstanceType"":""g5.12xlarge""}"
  > 9,9,USD,1,the payer,,,Usage,2026-${m%:*}-01T00:00:00Z,2026-${m%:*}-02T00:00:00Z,,AWS,us-east-1,Other,Support,,,
  > Y
  > done
  $ cat > cur.csv <<'Y'
  > bill_payer_account_id,bill_payer_account_name,line_item_usage_account_id,line_item_usage_account_name,bill_billing_period_start_date,line_item_line_item_type,line_item_usage_start_date,line_item_usage_end_date,line_item_product_code,line_item_usage_type,line_item_operation,line_item_resource_id,line_item_usage_amount,line_item_unblended_cost,line_item_currency_code,pricing_unit,product_instance_type,product_region_code
  > 310,cur payer,311,prod,2026-10-01T00:00:00Z,Usage,2026-10-01T00:00:00Z,2026-10-01T01:00:00Z,AmazonEC2,BoxUsage:g5.12xlarge,RunInstances,i-3,1,5.67,USD,Hrs,g5.12xlarge,us-east-1
  > Y
  $ cat > azure.csv <<'Y'
  > BillingAccountId,BillingAccountName,SubscriptionId,SubscriptionName,BillingPeriodStartDate,Date,ChargeType,MeterCategory,MeterName,ConsumedService,Quantity,UnitOfMeasure,CostInBillingCurrency,BillingCurrency,ResourceId,ResourceLocation,AdditionalInfo
  > 77,contoso,8b0c1f5e-0000-4000-8000-0000000000aa,eu-training,2026-10-01,2026-10-01,Usage,Virtual Machines,NC24ads A100 v4,Microsoft.Compute,24,1 Hour,88,USD,/subscriptions/8b0c1f5e-0000-4000-8000-0000000000aa/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/vm1,westeurope,"{""ServiceType"":""Standard_NC24ads_A100_v4""}"
  > Y
  $ cat > gcp.csv <<'Y'
  > billing_account_id,service.description,sku.id,sku.description,usage_start_time,usage_end_time,project.id,project.name,location.region,cost,currency,usage.amount,usage.unit,usage.amount_in_pricing_units,usage.pricing_unit,cost_type,invoice.month
  > 01-AB,Compute Engine,S1,Nvidia L4 GPU running in Americas,2026-10-01 00:00:00 UTC,2026-10-01 01:00:00 UTC,vision-42,Vision team,us-central1,0.70,USD,3600,seconds,1,hour,regular,202610
  > Y
  $ tare import -q --db db focus-09.csv cur.csv azure.csv gcp.csv focus-10.csv
  $ tare report --db db --by account --sort name
  31 days to 2026-10-01 · effective cost, USD · 605.0 GPU·h paid · 0 % measured
  
  account                               account_name  GPU·h      cost  busy  underused  idle  lost  unknown
  1                                     the payer         -     18.00     -          -     -     -        -
  201                                   nlp-research  384.0    960.00     -          -     -     -    100 %
  202                                   prod          192.0    240.00     -          -     -     -    100 %
  311                                   prod            4.0      5.67     -          -     -     -    100 %
  8b0c1f5e-0000-4000-8000-0000000000aa  eu-training    24.0     88.00     -          -     -     -    100 %
  vision-42                             Vision team     1.0      0.70     -          -     -     -    100 %
  ─────────────────────────────────────────────────────────────────────────────────────────────────────────
                                                      605.0  1,312.37     -          -     -     -    100 %
  
  Bill 1,312.37 · ledger 1,312.37 · difference 0.00 · unpriced 0 GPU·h
  $ tare report --db db --by account,month --sort name -o csv | awk -F, -v OFS=, '{ print $1, $2, $5, $NF }'
  account,month,cost,account_name
  1,2026-09,9,the payer
  1,2026-10,9,the payer
  201,2026-09,480,nlp-research
  201,2026-10,480,nlp-research
  202,2026-09,120,prod
  202,2026-10,120,prod
  311,2026-09,0,prod
  311,2026-10,5.67,prod
  8b0c1f5e-0000-4000-8000-0000000000aa,2026-09,0,eu-training
  8b0c1f5e-0000-4000-8000-0000000000aa,2026-10,88,eu-training
  vision-42,2026-09,0,Vision team
  vision-42,2026-10,0.7,Vision team
  $ tare report --db db --by account --where account=201 -o json | python3 -c 'import json, sys; r = json.load(sys.stdin)["rows"][0]; print(r["account"], r["account_name"], r["cost"])'
  201 nlp-research 960

A filter takes an id, a name, or a name of before; two accounts may be called the same. What is none is named, with the id or name that is written most like it.

  $ for w in account=research account=prod,vision-42 account!=prod account_name=eu-training; do echo "$w:" $(tare report --db db --by account --where "$w" --sort name -o csv | sed 1d | cut -d, -f1 | cut -c1-12); done
  account=research: 201
  account=prod,vision-42: 202 311 vision-42
  account!=prod: 1 201 8b0c1f5e-000 vision-42
  account_name=eu-training: 8b0c1f5e-000
  $ tare report --db db --by account --where account=eutraining | tail -1
  No account is 'eutraining'. Did you mean 'eu-training'?
  $ tare report --db db --by account --where account=2011 | tail -1
  No account is '2011'. Did you mean '201'?

An id that is called like another account is taken for the id.

  $ sed 's/,202,prod,/,prod,201,/' focus-10.csv > ids.csv; tare import -q --db ids ids.csv; for w in prod 201; do echo $w: $(tare report --db ids --by account --where account=$w -o csv | sed 1d | sed 's/,.*,/ /'); done
  prod: prod 201
  201: 201 nlp-research

Every view of a report has the names; its groups are the ids, also where one asks for names.

  $ tare report --db db --by account_name --since 2026-10-01 --sort name -o csv | awk -F, -v OFS=, '{ print $1, $4, $NF }'
  account,cost,account_name
  1,9,the payer
  201,480,nlp-research
  202,120,prod
  311,5.67,prod
  8b0c1f5e-0000-4000-8000-0000000000aa,88,eu-training
  vision-42,0.7,Vision team
  $ tare report --db db --chargeback --by account --since 2026-10-01 -o csv | cut -d, -f3-5,7,12 | head -3
  account,line,kind,amount,account_name
  201,direct,gpu,480,nlp-research
  202,direct,gpu,120,prod
  $ tare report --db db --by account --since 2026-10-01 --compare lastmonth --where account=201 | grep '^account\|^201'
  account  account_name  before     now  change    %
  201      nlp-research  480.00  480.00    0.00  0 %
  $ tare sql --db db "SELECT account, account_name, from_utc FROM accounts WHERE provider = 'aws' ORDER BY ALL" -o csv
  account,account_name,from_utc
  1,the payer,2026-09-01T00:00:00Z
  201,nlp-research,2026-10-01T00:00:00Z
  201,research,2026-09-01T00:00:00Z
  202,prod,2026-09-01T00:00:00Z
  311,prod,2026-10-01T00:00:00Z

Where no bill says a name, the table is as it was; JSON says null.

  $ sed 's/SubAccountName/x_a/; s/BillingAccountName/x_b/' focus-10.csv > bare.csv; tare import -q --db bare bare.csv; tare report --db bare --by account | sed -n 3,4p
  account  GPU·h    cost  busy  underused  idle  lost  unknown
  201      192.0  480.00     -          -     -     -    100 %
  $ tare report --db bare --by account -o json | python3 -c 'import json, sys; print([(r["account"], r["account_name"]) for r in json.load(sys.stdin)["rows"]])'
  [('201', None), ('202', None), ('1', None)]

Google names its invoices by their month.

  $ tare sql --db db "SELECT invoice, count(*) AS lines FROM bill_lines WHERE provider = 'gcp' GROUP BY ALL" -o csv
  invoice,lines
  202610,1

What a bill calls a service is another dimension here, and the table says so.

  $ tare report --db db --by service --cost billed | tail -2
  Nothing here has a service: a request log names services
  (tare import --as requests); those of a bill are --by cloud_service.
