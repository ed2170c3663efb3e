A machine known from its bill alone: nobody can say what its time was used for. Once jobs name it, what no job holds is free, on all its days, in
whatever order bills and jobs come.

  $ head='BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ResourceName,ProviderName,RegionId,ServiceCategory,ServiceName,ConsumedQuantity,ConsumedUnit,SkuPriceDetails'
  > for d in 1 2; do { echo "$head"; echo "293.76,293.76,USD,2024-09-0${d}T00:00:00Z,2024-09-0$((d + 1))T00:00:00Z,Usage,i-0abc,gpu-01,AWS,us-east-1,Compute,Amazon Elastic Compute Cloud,24,Hours,\"{\"\"InstanceType\"\":\"\"p3.8xlarge\"\"}\""; } > bill-$d.csv; done
  > printf 'job_id,team,gpus,node,start,end\n1,vision,4,gpu-01,2024-09-01T06:00:00Z,2024-09-01T12:00:00Z\n' > jobs.csv
  $ tare import -q --db a bill-1.csv; tare report --db a --by day,team,state -o csv | cut -d, -f1-5
  day,team,state,currency,gpu_seconds
  2024-09-01,,unknown,USD,345600
  $ tare import -q --db a jobs.csv; tare import -q --db a bill-2.csv; tare report --db a --by day,team,state -o csv --sort name | cut -d, -f1-5
  day,team,state,currency,gpu_seconds
  2024-09-01,,unknown,USD,259200
  2024-09-01,vision,unknown,USD,86400
  2024-09-02,,unknown,USD,345600
  $ tare import -q --db b bill-1.csv bill-2.csv jobs.csv; tare import -q --db c jobs.csv; tare import -q --db c bill-2.csv; tare import -q --db c bill-1.csv
  $ for d in a b c; do tare report --db $d --by day,team,state,cause -o csv --sort name | md5sum; done | uniq | wc -l
  1
