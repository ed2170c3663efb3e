Whatever the order and grouping in which files come, the ledger is the same: bills before jobs, telemetry last or first, a day at a time.

  $ cat > orders.sh <<'X'
  > python3 $FILES/files/random-fleet.py fleet$1 $1
  > cd fleet$1
  > sums() { tare report --db $1 --by node,gpu,day,team,job,state,cause,purchase,quality,instance_type,account,commitment -o csv --sort name | md5sum; tare report --db $1 -o json --cost billed | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["total"]["gpu_seconds"], *[(c["currency"], c["reconcile"]["billed"], c["reconcile"]["difference"] == c["reconcile"]["remainder"]) for c in r["currencies"]])'; }
  > tare import -q --db all nodes.csv bill-*.csv jobs-*.csv samples-*.csv
  > for f in samples-2.csv jobs-0.csv bill-1.csv samples-0.csv nodes.csv bill-0.csv jobs-3.csv jobs-2.csv bill-3.csv samples-1.csv jobs-1.csv bill-2.csv samples-3.csv; do tare import -q --db mixed $f; done
  > tare import -q --db daily nodes.csv; for d in 0 1 2 3; do tare import -q --db daily bill-$d.csv jobs-$d.csv samples-$d.csv; done
  > sums all > a; sums mixed > b; sums daily > c; cmp a b && cmp a c && tail -n +2 a
  > X
  $ for s in 1 2; do bash orders.sh $s; done
  4409100 ('USD', '1035.77777778497', True) ('EUR', '1.000000000018', True)
  5094240 ('USD', '939.777777784298', True) ('EUR', '1.000000000018', True)

Two files of one bill with lines of the same machine and hours, paid in two ways and by two accounts: what they say decides, not which came last.

  $ b() { echo BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,SubAccountId,InvoiceId,BillingPeriodStart,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ProviderName,ServiceCategory,ServiceName,ConsumedUnit,ConsumedQuantity,x_InstanceType,PricingCategory,CommitmentDiscountId,CommitmentDiscountType,CommitmentDiscountStatus; echo "$1,$1,USD,42,$2,I-$2,2026-10-01T00:00:00Z,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,i-0abc,AWS,Compute,Amazon Elastic Compute Cloud,Hours,12,p4d.24xlarge,$3"; }
  > b 300 7 Standard,,, >od.csv; b 100 8 "Committed,sp-1,Savings Plan,Used" >sp.csv; printf '%s\n' node,provider,region,gpu_model,gpu_count,purchase,from,to,resource_id gpu-1,aws,us-east-1,A100-SXM4-40GB,8,on_demand,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,i-0abc >rec.csv
  $ for o in "od sp" "sp od"; do rm -rf two; tare import -q --db two rec.csv; for f in $o; do tare import -q --db two $f.csv; done; tare report --db two --by node,purchase,account,invoice -o csv | cut -d, -f1-4,6,7; done
  node,purchase,account,invoice,gpu_seconds,cost
  gpu-1,on_demand,7,I-7,345600,300
  gpu-1,savings_plan,8,I-8,345600,100
  node,purchase,account,invoice,gpu_seconds,cost
  gpu-1,on_demand,7,I-7,345600,300
  gpu-1,savings_plan,8,I-8,345600,100
