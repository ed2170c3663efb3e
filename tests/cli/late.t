What comes late is told as if it had come at once. Each case is imported file by file and, into a second store, in one call.

  $ cat > same.sh <<'S'
  > rm -rf steps whole; for f in "$@"; do tare import -q --db steps $f; done; tare import -q --db whole "$@"
  > for d in steps whole; do tare report --db $d --by node,day,job,state,purchase -o csv --sort name --cost billed | cut -d, -f1-8 > $d.csv; done
  > cmp steps.csv whole.csv && tare report --db steps --by state -o csv --sort name --cost billed | cut -d, -f1-4
  > S
  $ cat > rows <<'R'
  > node() { echo node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,resource_id,cluster,usd_hour; printf '%s\n' "$@"; }
  > job() { echo job_id,user,team,gpus,gpu_ids,node,cluster,gpu_model,start,end,state; printf '%s\n' "$@"; }
  > sample() { echo time,node,gpu,gpu_util_pct,mem_used_bytes,step_s,cluster; printf '%s\n' "$@"; }
  > line() { echo "$3,$3,$3,$4,$1,$2,2024-09-01T00:00:00Z,2024-10-01T00:00:00Z,$5,$7,AWS,us-east-1,Compute,Amazon Elastic Compute Cloud,p3.8xlarge Linux hour,$6,Hours,Standard,\"{\"\"InstanceType\"\":\"\"p3.8xlarge\"\"}\","; }
  > bill() { echo BilledCost,EffectiveCost,ListCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,ChargeCategory,ResourceId,ProviderName,RegionId,ServiceCategory,ServiceName,ChargeDescription,ConsumedQuantity,ConsumedUnit,PricingCategory,SkuPriceDetails,Tags; cat; }
  > R

Jobs that overlap like the scales of a fish, over four weeks; a sample of one of the first days.

  $ . ./rows; node g1,aws,us-east-1,p3.8xlarge,V100,4,on_demand,2024-09-01T00:00:00Z,2024-09-30T00:00:00Z,i-01,,2 > nodes.csv
  $ . ./rows; job $(for k in $(seq 1 28); do printf '%d,ann,t,4,0;1;2;3,g1,,,2024-09-%02dT12:00:00Z,2024-09-%02dT12:00:00Z,COMPLETED ' $k $k $((k+1)); done) > jobs.csv
  $ . ./rows; sample 2024-09-02T00:00:00Z,g1,0,80,8000000000,60, > sample.csv
  $ bash same.sh nodes.csv jobs.csv sample.csv
  state,currency,gpu_seconds,cost
  busy,USD,60,0.008333333
  unknown,USD,10022340,1391.991666667

A node that was closed in a pool gets telemetry of its own; two pools that a node matches.

  $ . ./rows; node g1,aws,us-east-1,p3.8xlarge,V100,4,on_demand,2024-09-01T00:00:00Z,2024-09-05T00:00:00Z,i-1,c,2 g2,aws,us-east-1,p3.8xlarge,V100,4,on_demand,2024-09-01T00:00:00Z,2024-09-05T00:00:00Z,i-2,c,2 > pool.csv
  $ . ./rows; job 1,ann,t,4,,,c,V100,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,COMPLETED > a.csv
  $ . ./rows; job 2,ann,t,4,,,c,,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,COMPLETED > b.csv
  $ . ./rows; sample 2024-09-02T00:00:00Z,g1,0,80,8000000000,60,c > g1.csv
  $ bash same.sh pool.csv a.csv g1.csv
  state,currency,gpu_seconds,cost
  busy,USD,60,0.008333333
  unknown,USD,2764740,383.991666667
  $ bash same.sh pool.csv a.csv b.csv
  state,currency,gpu_seconds,cost
  unknown,USD,3110400,384
  $ bash same.sh pool.csv b.csv a.csv g1.csv
  state,currency,gpu_seconds,cost
  busy,USD,60,0.008333333
  unknown,USD,3110340,383.991666667

An open node, and a job that ran, go on with the data; then both are told to have ended.

  $ . ./rows; node g1,aws,us-east-1,p3.8xlarge,V100,4,on_demand,2024-09-01T00:00:00Z,,i-1,,2 > open.csv
  $ . ./rows; node g1,aws,us-east-1,p3.8xlarge,V100,4,on_demand,2024-09-01T00:00:00Z,2024-09-03T00:00:00Z,i-1,,2 > closed.csv
  $ . ./rows; job 1,ann,t,4,,g3,,,2024-09-01T00:00:00Z,,RUNNING > runs.csv
  $ . ./rows; job 1,ann,t,4,,g3,,,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,COMPLETED > ended.csv
  $ . ./rows; sample 2024-09-06T00:00:00Z,g9,0,80,8000000000,60, > other.csv
  $ bash same.sh open.csv runs.csv other.csv
  state,currency,gpu_seconds,cost
  busy,USD,60,
  unknown,USD,3456480,240.033333333
  $ bash same.sh open.csv runs.csv other.csv ended.csv closed.csv
  state,currency,gpu_seconds,cost
  busy,USD,60,
  unknown,USD,1036800,96

Samples of a GPU without a node are replaced by fewer.

  $ . ./rows; sample 2024-09-02T00:00:00Z,,GPU-1,80,,60, 2024-09-02T00:01:00Z,,GPU-1,80,,60, > card.csv
  $ tare import -q --db cards card.csv; . ./rows; sample 2024-09-02T00:00:00Z,,GPU-1,80,,60, > card.csv; tare import -q --db cards --replace card.csv; tare report --db cards --by state -o csv | cut -d, -f1-3
  state,currency,gpu_seconds
  busy,USD,60

Two currencies on one machine are not added; a credit for time that was not used makes no time.

  $ . ./rows; (line 2024-09-01T00:00:00Z 2024-09-01T01:00:00Z 12 USD Usage 1 i-e; line 2024-09-01T00:00:00Z 2024-09-01T01:00:00Z 5.000000000007 EUR Usage 1 i-e; line 2024-09-01T02:00:00Z 2024-09-03T00:00:00Z -7 USD Credit "" i-e) | bill > two.csv
  $ bash same.sh two.csv
  state,currency,gpu_seconds,cost
  ,USD,0,-7
  unknown,USD,0,12
  unknown,EUR,14400,5
  $ tare report --db whole --cost billed -o json | python3 -c 'import json, sys; [print(c["currency"], c["reconcile"]["billed"], c["reconcile"]["difference"] == c["reconcile"]["remainder"]) for c in json.load(sys.stdin)["currencies"]]'
  USD 5 True
  EUR 5.000000000007 True

A price that a newer list has no more prices nothing.

  $ . ./rows; node g1,aws,us-east-1,p3.8xlarge,V100,4,on_demand,2024-09-01T00:00:00Z,2024-09-03T00:00:00Z,i-1,, > priced.csv
  $ prices() { echo provider,region,instance_type,purchase,usd_hour,from; printf 'aws,us-east-1,%s,on_demand,100,2024-01-01\n' "$@"; }; prices p3.8xlarge p3.2xlarge > prices.csv; tare import -q --db priced priced.csv; tare import -q --db priced --as prices prices.csv; tare report --db priced --by node -o csv | cut -d, -f1-4; prices p3.2xlarge > prices.csv; tare import -q --db priced --as prices --replace prices.csv; tare report --db priced --by node -o csv | cut -d, -f1-4
  node,currency,gpu_seconds,cost
  g1,USD,691200,4800
  node,currency,gpu_seconds,cost
  g1,USD,691200,587.52
