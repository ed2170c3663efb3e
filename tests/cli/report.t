A bill of three hours of one g5.12xlarge (4 A10G) at 5.672 an hour and of its disk; two jobs on it; a request log.

  $ cat > bill.csv <<EOF
  > BilledCost,EffectiveCost,ListCost,ContractedCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,ProviderName,ServiceName,ServiceCategory,ResourceId,RegionId,ConsumedQuantity,ConsumedUnit,SkuPriceDetails,ChargeDescription,Tags
  > 5.672,5.672,5.672,5.672,USD,1,Usage,2024-10-01T00:00:00Z,2024-10-01T01:00:00Z,2024-10-01T00:00:00Z,2024-11-01T00:00:00Z,AWS,Amazon Elastic Compute Cloud,Compute,i-0a1,us-east-1,1,Hours,"{""InstanceType"":""g5.12xlarge""}",g5.12xlarge hour,"{""Name"":""gpu-9""}"
  > 5.672,5.672,5.672,5.672,USD,1,Usage,2024-10-01T01:00:00Z,2024-10-01T02:00:00Z,2024-10-01T00:00:00Z,2024-11-01T00:00:00Z,AWS,Amazon Elastic Compute Cloud,Compute,i-0a1,us-east-1,1,Hours,"{""InstanceType"":""g5.12xlarge""}",g5.12xlarge hour,"{""Name"":""gpu-9""}"
  > 5.672,5.672,5.672,5.672,USD,1,Usage,2024-10-01T02:00:00Z,2024-10-01T03:00:00Z,2024-10-01T00:00:00Z,2024-11-01T00:00:00Z,AWS,Amazon Elastic Compute Cloud,Compute,i-0a1,us-east-1,1,Hours,"{""InstanceType"":""g5.12xlarge""}",g5.12xlarge hour,"{""Name"":""gpu-9""}"
  > 0.100000000001,0.100000000001,0.1,0.1,USD,1,Usage,2024-10-01T00:00:00Z,2024-10-01T03:00:00Z,2024-10-01T00:00:00Z,2024-11-01T00:00:00Z,AWS,Amazon Elastic Block Store,Storage,vol-7,us-east-1,3,GB-Hours,,EBS volume,"{""Name"":""gpu-9""}"
  > EOF

  $ cat > jobs.csv <<EOF
  > job_id,user,team,project,workload,gpus,submit,start,end,state,node
  > 41,ann,vision,detector,training,2,2024-09-30T23:00:00Z,2024-10-01T00:00:00Z,2024-10-01T02:00:00Z,COMPLETED,gpu-9
  > ranker,svc,search,ranker,inference,1,2024-10-01T00:00:00Z,2024-10-01T00:30:00Z,2024-10-01T03:00:00Z,COMPLETED,gpu-9
  > EOF

  $ cat > requests.csv <<EOF
  > time,service,count,latency_ms,tokens_in,tokens_out
  > 2024-10-01T00:40:00Z,ranker,1000,12,50000,30000
  > 2024-10-01T02:10:00Z,ranker,500,15,10000,10000
  > EOF

  $ cat > nodes.csv <<EOF
  > node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,resource_id
  > gpu-9,aws,us-east-1,g5.12xlarge,A10G,4,on_demand,2024-10-01T00:00:00Z,2024-10-01T03:00:00Z,i-0a1
  > EOF

  $ tare import bill.csv nodes.csv jobs.csv requests.csv -q

  $ tare report --by team
  3 h to 2024-10-01 03:00 UTC · effective cost, USD · 12.0 GPU·h paid · 0 %
  measured, 46 % assumed
  
  team      GPU·h   cost  busy  underused   idle  lost  unknown
  (nobody)    5.5   7.90     -          -  100 %     -        -
  vision      4.0   5.67     -          -      -   0 %    100 %
  search      2.5   3.54     -          -      -   0 %    100 %
  ─────────────────────────────────────────────────────────────
             12.0  17.12     -          -   46 %   0 %     54 %
  
  Bill 17.12 · ledger 17.12 · difference 0.00 · unpriced 0 GPU·h
  Idle alone costs 7.80 USD in these 3 h. Most of it: (nobody), 7.80, paid for and
  held by nobody (tare report --by node --sort waste).

  $ tare report --by kind -o csv | cut -d, -f1-4
  kind,currency,gpu_seconds,cost
  gpu,USD,43200,17.016
  storage,USD,0,0.1

  $ tare report --by hour --where kind=gpu -o csv | cut -d, -f1-4
  hour,currency,gpu_seconds,cost
  2024-10-01T00:00:00Z,USD,14400,5.672
  2024-10-01T01:00:00Z,USD,14400,5.672
  2024-10-01T02:00:00Z,USD,14400,5.672

  $ tare report --by job --where team=vision,search --where 'workload!=inference' -o csv | cut -d, -f1-4
  job,currency,gpu_seconds,cost
  41,USD,14400,5.672

  $ tare report --by team --split-idle proportional -o csv | cut -d, -f1-6
  team,currency,gpu_seconds,cost,direct_cost,idle_share_cost
  vision,USD,26584.615,10.471384615,5.672,4.799384615
  search,USD,16615.385,6.544615385,3.545,2.999615385
  ,USD,0,0.1,0.1,0

  $ tare report --showback --split-idle proportional
  3 h to 2024-10-01 03:00 UTC · effective cost, USD · 12.0 GPU·h paid · 0 %
  measured, 46 % assumed · idle split: proportional
  
  team      GPU·h  direct  idle share  shared  total  of all
  vision      4.0    5.67        4.80    0.00  10.47    61 %
  search      2.5    3.55        3.00    0.00   6.55    38 %
  (nobody)    0.0    0.10        0.00    0.00   0.10     1 %
  ──────────────────────────────────────────────────────────
              6.5    9.32        7.80    0.00  17.12   100 %
  
  Bill 17.12 · ledger 17.12 · difference 0.00 · unpriced 0 GPU·h

  $ tare report --chargeback --split-idle proportional -o csv
  since,until,team,line,kind,gpu_seconds,amount,currency,basis,split_idle,cost_center
  2024-10-01T00:00:00Z,2024-10-01T03:00:00Z,vision,direct,gpu,14400,5.672,USD,effective,proportional,
  2024-10-01T00:00:00Z,2024-10-01T03:00:00Z,vision,idle_share,,12184.615,4.799384615,USD,effective,proportional,
  2024-10-01T00:00:00Z,2024-10-01T03:00:00Z,search,direct,gpu,9000,3.545,USD,effective,proportional,
  2024-10-01T00:00:00Z,2024-10-01T03:00:00Z,search,idle_share,,7615.385,2.999615385,USD,effective,proportional,
  2024-10-01T00:00:00Z,2024-10-01T03:00:00Z,,direct,storage,0,0.1,USD,effective,proportional,
  2024-10-01T00:00:00Z,2024-10-01T03:00:00Z,,difference,,0,0.000000000001,USD,effective,proportional,

  $ tare report --kpi
  3 h to 2024-10-01 03:00 UTC · effective cost, USD
  
  kpi                                    value
  GPU utilisation (busy)                     -  of 12.0 GPU·h paid
  allocation rate                         54 %  of 12.0 GPU·h paid
  goodput                                    -  busy and not lost, of paid
  unknown                                 54 %  unread or unwatched, of paid
  cost per training job, mean             5.67  USD/job, 1 job, all attempts
  cost per training job, median           5.67  USD/job, 1 job, all attempts
  cost per training job, p90              5.67  USD/job, 1 job, all attempts
  time-to-value, median             3 h 00 min  submit to first success, 1 job
  time-to-value, p90                3 h 00 min  submit to first success, 1 job
  lost work                                0 %  of paid GPU time
  cost of lost work                       0.00  USD in the window
  ranker: cost per 1,000 requests         2.36  USD, successful ones
  ranker: cost per million tokens        35.45  USD, in and out together
  ranker: time-to-value            40 min 00 s  submit to first served request

  $ tare report --tags --limit 1
  3 h to 2024-10-01 03:00 UTC · effective cost · no tags.required in the settings:
  the usual ones
  
  tag            has it  cost without  GPU·h without  largest without  cost
  team      USD    54 %          7.90            5.5  gpu-9            7.80
  project   USD    54 %          7.90            5.5  gpu-9            7.80
  env       USD     0 %         17.12           12.0  gpu-9            7.80
  workload  USD    54 %          7.90            5.5  gpu-9            7.80

Markdown and the page.

  $ tare report --by purchase -o md
  3 h to 2024-10-01 03:00 UTC · effective cost, USD · 12.0 GPU·h paid · 0 % measured, 46 % assumed
  
  | purchase | GPU·h | cost | busy | underused | idle | lost | unknown |
  | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
  | on\_demand | 12.0 | 17.02 | - | - | 46 % | 0 % | 54 % |
  | - | - | 0.10 | - | - | - | - | - |
  |  | **12.0** | **17.12** | **-** | **-** | **46 %** | **0 %** | **54 %** |
  
  Bill 17.12 · ledger 17.12 · difference 0.00 · unpriced 0 GPU·h
  
  Idle alone costs 7.80 USD in these 3 h. Most of it: on_demand, 7.80, paid for and held by nobody (tare report --by node --sort waste).

  $ tare report --html page.html; grep -c '<svg' page.html; grep -ci '<script\|src=\|href=' page.html
  4
  0
  ! Wrote page.html (8 KiB)
  [1]

FOCUS rows: each hour of the node is a row per job and one for what nobody held; what was written is read back with the same sums.

  $ tare report --focus out.csv; python3 -c 'import csv; [print(r["ChargePeriodStart"], r["ResourceId"], r["AllocatedResourceId"] or "-", r["EffectiveCost"], r["AllocatedMethodDetails"]) for r in csv.DictReader(open("out.csv"))]'
  2024-10-01T00:00:00Z i-0a1 41 2.836 {"Elements":[{"AllocatedRatio":0.5,"UsageUnit":"GPU-Seconds","UsageQuantity":7200}]}
  2024-10-01T00:00:00Z i-0a1 ranker 0.709 {"Elements":[{"AllocatedRatio":0.125,"UsageUnit":"GPU-Seconds","UsageQuantity":1800}]}
  2024-10-01T00:00:00Z i-0a1 idle 2.127 {"Elements":[{"AllocatedRatio":0.375,"UsageUnit":"GPU-Seconds","UsageQuantity":5400}]}
  2024-10-01T00:00:00Z vol-7 - 0.100000000001 
  2024-10-01T01:00:00Z i-0a1 41 2.836 {"Elements":[{"AllocatedRatio":0.5,"UsageUnit":"GPU-Seconds","UsageQuantity":7200}]}
  2024-10-01T01:00:00Z i-0a1 ranker 1.418 {"Elements":[{"AllocatedRatio":0.25,"UsageUnit":"GPU-Seconds","UsageQuantity":3600}]}
  2024-10-01T01:00:00Z i-0a1 idle 1.418 {"Elements":[{"AllocatedRatio":0.25,"UsageUnit":"GPU-Seconds","UsageQuantity":3600}]}
  2024-10-01T02:00:00Z i-0a1 ranker 1.418 {"Elements":[{"AllocatedRatio":0.25,"UsageUnit":"GPU-Seconds","UsageQuantity":3600}]}
  2024-10-01T02:00:00Z i-0a1 idle 4.254 {"Elements":[{"AllocatedRatio":0.75,"UsageUnit":"GPU-Seconds","UsageQuantity":10800}]}
  ! Wrote out.csv (9 FOCUS rows of 4 charges)

  $ tare import --db again out.csv -o json | python3 -c 'import json,sys; print(json.load(sys.stdin)["files"][0]["sums"])'
  {'BilledCost': '17.116000000001', 'EffectiveCost': '17.116000000001', 'ListCost': '17.116', 'ContractedCost': '17.116'}

A charge of two days is split over both of them, whatever jobs the days had.

  $ cat > long.csv <<EOF
  > BilledCost,EffectiveCost,ListCost,ContractedCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ProviderName,ServiceName,ServiceCategory,ResourceId,RegionId,ConsumedQuantity,ConsumedUnit,SkuPriceDetails
  > 96,96.000000000007,96,96,EUR,1,Usage,2024-10-01T00:00:00Z,2024-10-03T00:00:00Z,AWS,Amazon Elastic Compute Cloud,Compute,i-0b2,us-east-1,48,Hours,"{""InstanceType"":""g4dn.xlarge""}"
  > EOF

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,resource_id\ngpu-7,aws,us-east-1,T4,1,on_demand,2024-10-01,2024-10-03,i-0b2\n' > n.csv

  $ printf 'job_id,team,gpus,start,end,node\na,x,1,2024-10-01,2024-10-01T12:00:00Z,gpu-7\nb,y,1,2024-10-02T00:00:00Z,2024-10-02T06:00:00Z,gpu-7\na,x,1,2024-10-02T12:00:00Z,2024-10-02T18:00:00Z,gpu-7\n' > j.csv

  $ tare import --db long long.csv n.csv j.csv -q

  $ tare report --db long --by job -o csv | cut -d, -f1-4
  job,currency,gpu_seconds,cost
  ,EUR,86400,48
  a,EUR,64800,36
  b,EUR,21600,12

  $ tare report --db long -o focus | python3 -c 'import csv,sys; [print(r["AllocatedResourceId"], r["BilledCost"], r["EffectiveCost"], r["ConsumedQuantity"], r["x_GpuSeconds"]) for r in csv.DictReader(sys.stdin)]'
  unknown 12 12.000000000001 6 21600
  a 36 36.000000000003 18 64800
  b 12 12.000000000001 6 21600
  idle 36 36.000000000002 18 64800

  $ tare report --db long --by job --where team= -o csv | cut -d, -f1-4
  job,currency,gpu_seconds,cost
  ,EUR,86400,48

Mistakes are named.

  $ tare report --by teem
  ! tare: 'teem' is not a dimension
  !       Did you mean 'team'?
  [2]

  $ tare report --by team,team
  ! tare: dimension 'team' is named twice
  !       See: tare report --help
  [2]

  $ tare report --where team
  ! tare: --where: 'team' is not a condition
  !       Write dim=value[,value...] or dim!=value, such as --where team=vision
  [2]

  $ tare report --kpi --tags
  ! tare: only one of --showback, --chargeback, --kpi, --tags, --energy, --serving, --hidden, --html and --focus at a time
  !       See: tare report --help
  [2]

  $ tare report --limit 0
  ! tare: --limit: '0' is not a number above 0, such as 20
  !       See: tare report --help
  [2]

  $ tare report --by user --split-idle rule
  ! tare: the settings have no idle_rules: what nobody used stays a row of its own (docs/CONFIG.md)
  ! tare: idle cost can be split by rule only over teams or projects
  !       Use --by team or --by project
  [2]

  $ tare report --split-idle owner --where team=vision
  ! tare: --split-idle splits what nobody held, which --where team leaves out
  !       Leave one of them out, or filter by cluster, node, provider, region, gpu_model or purchase
  [2]

  $ tare report --focus f.csv --where team=vision
  ! tare: --focus writes whole charges and takes no --where
  !       See: tare report --help
  [2]

A window without data, and no store.

  $ tare report --since 2023-01-01 --until 2023-01-02; tare report --since 2031-01-01 | head -1; tare report --where team=vison | tail -2
  1 day to 2023-01-01 · effective cost, USD · no GPU time
  
  Nothing in the ledger here.
  
  The ledger holds 3 h to 2024-10-01 03:00 UTC.
  since 2031-01-01 · effective cost, USD · no GPU time
  The ledger holds 3 h to 2024-10-01 03:00 UTC.
  No team is 'vison'. Did you mean 'vision'?

A value that nothing has is told with the one that is written most like it; a tag filters as any other dimension.

  $ tare report --where team=Vision | tail -1; tare report --where team=vision,nobody-like-this --where user=bob | tail -1; tare report --where tag:Name=gpu-8 | tail -1; tare report --where tag:Name=gpu-9 -o csv --by kind | cut -d, -f1-4
  No team is 'Vision'. Did you mean 'vision'?
  No team is 'nobody-like-this'. Those that there are: tare report --by team
  No tag:Name is 'gpu-8'. Did you mean 'gpu-9'?
  kind,currency,gpu_seconds,cost
  gpu,USD,19800,7.799
  storage,USD,0,0.1

  $ tare report --db nowhere
  ! tare: there is no store in 'nowhere' yet
  !       Bring something in with `tare import FILE`, or try `tare demo`
  [2]

A page is put in the place of a file only: a link stays one, and a pipe or a device is written to.

  $ ln -s real.html link.html; tare report -q --html link.html; test -L link.html && head -c 15 real.html; echo; tare report -q --html /dev/stdout | cat > page; head -c 15 page; echo; tare report -q --focus /dev/stdout | cat > rows; head -c 9 rows; echo
  <!DOCTYPE html>
  <!DOCTYPE html>
  Allocated

Names of machines that differ in the middle are cut so that they stay apart; the largest part of what idled is said of all rows, those beyond the limit too.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\n' > far.csv
  $ for i in 31 32 33; do echo ip-10-0-3-$i.us-east-1.compute.internal,aws,us-east-1,A10G,4,on_demand,2024-10-01T00:00:00Z,2024-10-01T03:00:00Z,$i.25; done >> far.csv
  $ printf 'job_id,user,gpus,start,end,node\n9,ann,4,2024-10-01T00:00:00Z,2024-10-01T03:00:00Z,ip-10-0-3-33.us-east-1.compute.internal\n' > held.csv
  $ tare import --db far -q far.csv held.csv; COLUMNS=80 tare report --db far --by node --limit 1; COLUMNS=68 tare report --db far --by node | head -7
  3 h to 2024-10-01 03:00 UTC · effective cost, USD · 36.0 GPU·h paid · 0 %
  measured
  
  node                         GPU·h    cost  busy  underused  idle  lost  unknown
  ip-10-0-3-33.…pute.internal   12.0   99.75     -          -     -     -    100 %
  (2 more)                      24.0  190.50     -          -     -     -    100 %
  ────────────────────────────────────────────────────────────────────────────────
                                36.0  290.25     -          -     -     -    100 %
  
  no bill · ledger 290.25 · unpriced 0 GPU·h
  3 h to 2024-10-01 03:00 UTC · effective cost, USD · 36.0 GPU·h paid
  · 0 % measured
  
  node             GPU·h    cost  busy  underused  idle  lost  unknown
  ip-10-0-3-33.u…   12.0   99.75     -          -     -     -    100 %
  ip-10-0-3-32.u…   12.0   96.75     -          -     -     -    100 %
  ip-10-0-3-31.u…   12.0   93.75     -          -     -     -    100 %

A list price that no bill says is not 0; a commitment of a bill that does not say its term is no mistake of whoever imports it.

  $ cat > gcp.json <<EOF
  > {"billing_account_id":"A1","service":{"id":"6F81","description":"Compute Engine"},"sku":{"id":"S1","description":"Nvidia Tesla A100 GPU running in Americas"},"usage_start_time":"2024-10-01T00:00:00Z","usage_end_time":"2024-10-01T01:00:00Z","project":{"id":"p1"},"location":{"region":"us-central1"},"cost":2.933908,"currency":"USD","usage":{"amount":3600,"unit":"seconds","amount_in_pricing_units":1,"pricing_unit":"hour"},"credits":[{"name":"CUD","amount":-1.0,"type":"COMMITTED_USAGE_DISCOUNT"}],"resource":{"name":"vm-1"},"invoice":{"month":"202410"},"cost_type":"regular"}
  > EOF
  $ tare import --db gcp gcp.json; tare report --db gcp --cost list | grep Bill; tare report --db gcp | tail -1
  gcp.json: gcp-billing, 1 row kept, 1.00 GPU·h
      BilledCost       1.933908 USD
      EffectiveCost    1.933908 USD
      ContractedCost   2.933908 USD
      note: rows of the bill do not say the term of 'Committed use discount': kept as it is, as time that cannot be given back, where no node list says more
  You see   cost by service, kind, region and tag:
            tare report --by cloud_service --db gcp
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  Bill - · ledger - · difference - · unpriced 1.000 GPU·h
  Bill 1.93 · ledger 1.93 · difference 0.00 · unpriced 0 GPU·h

Idle time by rules of the settings, of which there are none.

  $ tare report --by team --split-idle rule -o csv | cut -d, -f1-4
  team,currency,gpu_seconds,cost
  vision,USD,14400,5.672
  search,USD,9000,3.545
  ,USD,0,0.1
  (unallocated),USD,19800,7.799
  ! tare: the settings have no idle_rules: what nobody used stays a row of its own (docs/CONFIG.md)

Who reads only the beginning gets it, and no error.

  $ set -o pipefail; (trap '' PIPE; tare report --by node,state,hour -o csv; echo $? >code) | true; cat code
  0

The command that is proposed asks for what was asked, and the next step in it.

  $ COLUMNS=300 tare report --by team --since 2024-10-01 --cost billed --where 'env!=none' | sed -n 's/.*(tare/tare/p'
  tare report --since 2024-10-01 --cost billed --where 'env!=none' --by node --sort waste).

Nothing is wider than a narrow terminal.

  $ for c in "report" "report --by user,node" "report --by state" "plan --findings" "price --gpu A10 --limit 3 --at 2026-10-01"; do COLUMNS=60 tare $c; done | python3 -c 'import sys; print([x for x in sys.stdin if len(x.rstrip()) > 60])'
  []
