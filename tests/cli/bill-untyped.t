A bill line that names a recorded machine with GPUs is that machine's bill, also where no column says its type: the machine is not priced beside it. What is
billed under its name and is no time of it (traffic, a disk, a licence, monitoring, tax, a fee) stays a line of its own, and so do lines of other machines.

  $ cat > nodes.csv <<'END'
  > node,provider,region,gpu_model,gpu_count,instance_type,purchase,from,to,resource_id
  > gpu-1,aws,us-east-1,A100-SXM4-40GB,8,p4d.24xlarge,on_demand,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z,i-0abc
  > END
  $ cat > focus.csv <<'END'
  > BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ProviderName,ServiceCategory,ServiceName,ChargeDescription
  > 700,700,USD,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,i-0abc,AWS,Compute,Amazon Elastic Compute Cloud,
  > 68,68,USD,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,i-0abc,AWS,,,
  > -10,-10,USD,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Credit,i-0abc,AWS,Compute,Amazon Elastic Compute Cloud,
  > 5,5,USD,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,i-0abc,AWS,Networking,AWS Data Transfer,data transfer out
  > 4,4,USD,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,i-0abc,AWS,Storage,Amazon Elastic Block Store,
  > 3,3,USD,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,i-0abc,AWS,Compute,AWS Marketplace,
  > 2,2,USD,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,i-0abc,AWS,Management and Governance,Amazon CloudWatch,
  > 1,1,USD,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Tax,i-0abc,AWS,Compute,Amazon Elastic Compute Cloud,
  > 9,9,USD,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Purchase,i-0abc,AWS,Compute,Amazon Elastic Compute Cloud,
  > 7,7,USD,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,i-0cpu,AWS,Compute,Amazon Elastic Compute Cloud,
  > END
  $ echo 'tare report --db $1 --by kind,node -o csv --sort name | cut -d, -f1-5' > look
  $ tare import -q --db a nodes.csv focus.csv; bash look a
  kind,node,currency,gpu_seconds,cost
  egress,,USD,0,5
  gpu,gpu-1,USD,1382400,1294.983408
  licence,,USD,0,3
  other,,USD,0,19
  other,gpu-1,USD,0,-10
  storage,,USD,0,4

The second day has no line and costs what the catalogue says. Whatever came first, the ledger is the same; also where an older export is replaced, and where the
machine is taken out of the node list and told again.

  $ sed 's/^700,700/600,600/' focus.csv > older.csv; sed 's/gpu-1,aws,us-east-1/x-1,lambda,x/; s/i-0abc/x-1/' nodes.csv > other.csv
  $ tare import -q --db b focus.csv; bash look b; tare import -q --db b nodes.csv
  kind,node,currency,gpu_seconds,cost
  egress,,USD,0,5
  licence,,USD,0,3
  other,,USD,0,777
  storage,,USD,0,4
  $ tare import -q --db c older.csv; tare import -q --db c nodes.csv; tare import -q --db c --replace focus.csv
  $ cp nodes.csv own.csv; tare import -q --db d nodes.csv focus.csv; cp other.csv nodes.csv; tare import -q --db d --replace nodes.csv; bash look d | grep -v lambda; cp own.csv nodes.csv; tare import -q --db d --replace nodes.csv
  kind,node,currency,gpu_seconds,cost
  egress,,USD,0,5
  gpu,x-1,USD,1382400,
  licence,,USD,0,3
  other,,USD,0,777
  storage,,USD,0,4
  $ for d in a b c d; do tare report --db $d --by hour,kind,node,purchase,cloud_service -o csv --sort name | md5sum; tare reconcile --db $d -o csv | md5sum; done | sort | uniq -c | wc -l
  2
  $ tare doctor --db d > d.txt; echo $?
  0

A correction of its use is one of the kind other, like the credit; by what came first too.

  $ (sed -n '1,2p;4p' focus.csv | sed '1s/$/,ChargeClass/; 2,$s/$/,/; 3s/Credit/Usage/; 3s/$/Correction/') > corr.csv; for d in "nodes.csv corr.csv" "corr.csv nodes.csv"; do for f in $d; do tare import -q --db "${d%%.*}-c" $f; done; bash look "${d%%.*}-c"; tare sql --db "${d%%.*}-c" 'SELECT kind, billed_cost FROM bill_lines ORDER BY ALL' -o csv; tare doctor --db "${d%%.*}-c" > d.txt; echo $?; done
  kind,node,currency,gpu_seconds,cost
  gpu,gpu-1,USD,1382400,1226.983408
  other,gpu-1,USD,0,-10
  kind,billed_cost
  gpu,700
  other,-10
  0
  kind,node,currency,gpu_seconds,cost
  gpu,gpu-1,USD,1382400,1226.983408
  other,gpu-1,USD,0,-10
  kind,billed_cost
  gpu,700
  other,-10
  0

The same machine on the bills of AWS, Azure and Google. A machine's cores and memory are lines of their own there, and ride with its GPUs.

  $ cat > cur.csv <<'END'
  > lineItem/LineItemType,lineItem/UsageStartDate,lineItem/UsageEndDate,bill/BillingPeriodStartDate,bill/PayerAccountId,lineItem/UsageAccountId,lineItem/CurrencyCode,lineItem/UnblendedCost,lineItem/ResourceId,lineItem/UsageType,lineItem/UsageAmount,lineItem/ProductCode
  > Usage,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z,2026-10-01T00:00:00Z,1,1,USD,700,i-0abc,USE1-BoxUsage,48,AmazonEC2
  > Usage,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z,2026-10-01T00:00:00Z,1,1,USD,2,i-0abc,USE1-CPUCredits:p,48,AmazonEC2
  > EdpDiscount,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z,2026-10-01T00:00:00Z,1,1,USD,-70,i-0abc,USE1-BoxUsage,48,AmazonEC2
  > END
  $ cat > azure.csv <<'END'
  > Date,BillingPeriodStartDate,BillingAccountId,SubscriptionId,BillingCurrencyCode,CostInBillingCurrency,ResourceId,MeterCategory,MeterName,ChargeType,Quantity,UnitOfMeasure
  > 10/01/2026,10/01/2026,1,s,USD,400,/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/gpu-1,Virtual Machines,m,Usage,24,1 Hour
  > 10/02/2026,10/01/2026,1,s,USD,230,/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/gpu-1,Virtual Machines,m,Usage,24,1 Hour
  > 10/02/2026,10/01/2026,1,s,USD,3,/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/gpu-1,Virtual Machines Licenses,m,Usage,24,1 Hour
  > END
  $ cat > gcp.jsonl <<'END'
  > {"billing_account_id":"1","service":{"description":"Compute Engine"},"sku":{"id":"c","description":"A2 Instance Core running in Americas"},"usage_start_time":"2026-10-01T00:00:00Z","usage_end_time":"2026-10-03T00:00:00Z","cost":200,"currency":"USD","usage":{"amount":4608,"unit":"hour","amount_in_pricing_units":4608,"pricing_unit":"hour"},"credits":[],"invoice":{"month":"202610"},"resource":{"name":"gpu-1"}}
  > {"billing_account_id":"1","service":{"description":"Compute Engine"},"sku":{"id":"r","description":"A2 Instance Ram running in Americas"},"usage_start_time":"2026-10-01T00:00:00Z","usage_end_time":"2026-10-03T00:00:00Z","cost":30,"currency":"USD","usage":{"amount":9000,"unit":"gibibyte hour","amount_in_pricing_units":9000,"pricing_unit":"gibibyte hour"},"credits":[],"invoice":{"month":"202610"},"resource":{"name":"gpu-1"}}
  > {"billing_account_id":"1","service":{"description":"Compute Engine"},"sku":{"id":"g","description":"Nvidia Tesla A100 GPU running in Americas"},"usage_start_time":"2026-10-01T00:00:00Z","usage_end_time":"2026-10-03T00:00:00Z","cost":400,"currency":"USD","usage":{"amount":384,"unit":"hour","amount_in_pricing_units":384,"pricing_unit":"hour"},"credits":[],"invoice":{"month":"202610"},"resource":{"name":"gpu-1"}}
  > END
  $ for f in cur.csv azure.csv gcp.jsonl; do p=${f%%.*}; sed "s/,aws,/,${p/cur/aws},/" nodes.csv > n-$p.csv; tare import -q --db $p n-$p.csv $f; bash look $p | tail -n +2; done
  gpu,gpu-1,USD,1382400,630
  other,,USD,0,2
  gpu,gpu-1,USD,1382400,630
  licence,,USD,0,3
  gpu,gpu-1,USD,1382400,630

A credit, a refund and an adjustment are no price of the machine that they name, also where their usage type says a machine: kind other, of that machine. A discount
of a contract (AWS takes it off line by line) and what a commitment's fee pays are its price. What names no tags is of who has the machine.

  $ cat > typed.csv <<'END'
  > lineItem/LineItemType,lineItem/UsageStartDate,lineItem/UsageEndDate,bill/PayerAccountId,lineItem/CurrencyCode,lineItem/UnblendedCost,lineItem/ResourceId,lineItem/UsageType,lineItem/UsageAmount,lineItem/ProductCode,resourceTags/user:team
  > Usage,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z,1,USD,700,i-1,BoxUsage:p4d.24xlarge,48,AmazonEC2,nlp
  > EdpDiscount,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z,1,USD,-70,i-1,BoxUsage:p4d.24xlarge,48,AmazonEC2,nlp
  > Credit,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z,1,USD,-30,i-1,BoxUsage:p4d.24xlarge,48,AmazonEC2,
  > Refund,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z,1,USD,-20,i-1,BoxUsage:p4d.24xlarge,48,AmazonEC2,nlp
  > Credit,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z,1,USD,-6,,BoxUsage:p4d.24xlarge,48,AmazonEC2,
  > Credit,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z,1,USD,-4,b,TimedStorage-ByteHrs,1,AmazonS3,
  > END
  $ cat > azure.csv <<'END'
  > Date,BillingPeriodStartDate,BillingAccountId,SubscriptionId,BillingCurrencyCode,CostInBillingCurrency,ResourceId,MeterCategory,MeterName,ChargeType,Quantity,UnitOfMeasure,AdditionalInfo,Tags
  > 10/01/2026,10/01/2026,1,s,USD,630,/subscriptions/s/virtualMachines/v,Virtual Machines,m,Usage,24,1 Hour,"{""ServiceType"":""Standard_ND96asr_v4""}","{""team"":""nlp""}"
  > 10/01/2026,10/01/2026,1,s,USD,-50,/subscriptions/s/virtualMachines/v,Virtual Machines,m,Refund,24,1 Hour,"{""ServiceType"":""Standard_ND96asr_v4""}",
  > 10/01/2026,10/01/2026,1,s,USD,-10,,Virtual Machines,m,RoundingAdjustment,,,,
  > END
  $ cat > gcp.jsonl <<'END'
  > {"billing_account_id":"1","service":{"description":"Compute Engine"},"sku":{"id":"g","description":"Nvidia Tesla A100 GPU running in Americas"},"usage_start_time":"2026-10-01T00:00:00Z","usage_end_time":"2026-10-03T00:00:00Z","cost":700,"currency":"USD","usage":{"amount":384,"unit":"hour","amount_in_pricing_units":384,"pricing_unit":"hour"},"credits":[{"type":"DISCOUNT","amount":-70},{"type":"PROMOTION","amount":-50}],"labels":[{"key":"team","value":"nlp"}],"invoice":{"month":"202610"},"resource":{"name":"gpu-1"}}
  > {"billing_account_id":"1","cost_type":"adjustment","service":{"description":"Compute Engine"},"sku":{"id":"g","description":"Nvidia Tesla A100 GPU running in Americas"},"usage_start_time":"2026-10-01T00:00:00Z","usage_end_time":"2026-10-03T00:00:00Z","cost":-10,"currency":"USD","credits":[],"invoice":{"month":"202610"}}
  > END
  $ (head -1 focus.csv; echo '700,630,USD,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,i-1,AWS,Compute,EC2,p4d.24xlarge'; echo '-50,-50,USD,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Credit,i-1,AWS,Compute,EC2,p4d.24xlarge') > f.csv
  $ for f in typed.csv azure.csv gcp.jsonl f.csv; do d=c-${f%%.*}; tare import -q --db $d $f; tare report --db $d --by kind,team,node -o csv --sort name | cut -d, -f1-6 | tail -n +2; tare sql --db $d "SELECT kind, sum(effective_cost) AS cost FROM bill_lines GROUP BY ALL ORDER BY ALL" -o csv | tail -n +2; tare doctor --db $d > d.txt; echo $?; done
  gpu,nlp,i-1,USD,1382400,630
  other,,,USD,0,-10
  other,nlp,i-1,USD,0,-50
  gpu,630
  other,-60
  0
  gpu,nlp,v,USD,691200,630
  other,,,USD,0,-10
  other,nlp,v,USD,0,-50
  gpu,630
  other,-60
  0
  gpu,nlp,gpu-1,USD,1382400,630
  other,,,USD,0,-10
  other,nlp,gpu-1,USD,0,-50
  gpu,630
  other,-60
  0
  gpu,,i-1,USD,691200,630
  other,,i-1,USD,0,-50
  gpu,630
  other,-50
  0

A cloud whose types the catalogue does not have: its GPUs are what a column, the type, the SKU or the description says, else what --set does. Of a machine of which
nothing says it, GPU time is unknown and not 0.

  $ cat > neo.csv <<'END'
  > BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ProviderName,ServiceCategory,ServiceName,ChargeDescription,SkuId,ConsumedQuantity,ConsumedUnit,SkuPriceDetails,Tags
  > 576,576,EUR,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,a,Nebula,Compute,VMs,"8x NVIDIA H100 SXM, 128 vCPU",s1,24,Hours,,"{""team"":""nlp""}"
  > 60,60,EUR,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,b,Nebula,Compute,VMs,GPU machine,gpu-l40s.2gpu,24,Hours,,"{""team"":""nlp""}"
  > 70,70,EUR,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,c,Nebula,Compute,VMs,machine,s2,24,Hours,"{""GpuCount"":4,""GpuModel"":""NVIDIA A100 80GB PCIe""}","{""team"":""nlp""}"
  > 80,80,EUR,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,d,Nebula,Compute,VMs,machine,s3,24,Hours,"{""InstanceType"":""big""}","{""team"":""web""}"
  > 9,9,EUR,2026-10-01T00:00:00Z,2026-10-02T00:00:00Z,Usage,e,Nebula,Storage,Disk for H100 8x,disk,s4,24,GB-Days,,"{""team"":""ops""}"
  > END
  $ tare import --db neo neo.csv; tare report --db neo --by gpu_model,instance_type -o csv --sort name | cut -d, -f1-5
  neo.csv: focus, 5 rows kept, 336.00 GPU·h
      BilledCost       795 EUR
      EffectiveCost    795 EUR
      note: columns of FOCUS 1.1
      note: rows of machines of which nothing says whether they have GPUs: 1, the first 'big'; their GPU time is unknown, not 0: say it with --set gpu_model=MODEL --set gpu_count=N, or in a node list with their resource ids
  You see   cost by service, kind, region and tag:
            tare report --by cloud_service --db neo
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  gpu_model,instance_type,currency,gpu_seconds,cost
  ,,EUR,0,9
  ,big,EUR,,80
  A100-PCIE-80GB,,EUR,345600,70
  H100-SXM5-80GB,,EUR,691200,576
  L40S,,EUR,172800,60
  $ tare report --db neo --by team; tare report --db neo --by team -o csv | cut -d, -f1-4; tare report --db neo --by state -o csv | cut -d, -f1-4; tare report --db neo --where team=web
  1 day to 2026-10-01 · effective cost, EUR · 336.0 GPU·h paid · 0 % measured
  
  team  GPU·h    cost  busy  underused  idle  lost  unknown
  nlp   336.0  706.00     -          -     -     -    100 %
  web       -   80.00     -          -     -     -        -
  ops       -    9.00     -          -     -     -        -
  ─────────────────────────────────────────────────────────
        336.0  795.00     -          -     -     -    100 %
  
  Bill 795.00 · ledger 795.00 · difference 0.00 · unpriced 0 GPU·h
  80.00 EUR is for machines of which nothing says whether they have GPUs: their
  GPU time is unknown and in no sum here (say it to tare import: --set
  gpu_model=MODEL --set gpu_count=N, or nodes with their resource ids).
  team,currency,gpu_seconds,cost
  nlp,EUR,1209600,706
  web,EUR,,80
  ops,EUR,0,9
  state,currency,gpu_seconds,cost
  unknown,EUR,1209600,786
  ,EUR,0,9
  1 day to 2026-10-01 · effective cost, EUR · GPU time unknown · team=web
  
  team  GPU·h   cost
  web       -  80.00
  ──────────────────
            -  80.00
  
  Whole window: bill 795.00 · ledger 795.00 · difference 0.00 · unpriced 0 GPU·h
  80.00 EUR is for machines of which nothing says whether they have GPUs: their
  GPU time is unknown and in no sum here (say it to tare import: --set
  gpu_model=MODEL --set gpu_count=N, or nodes with their resource ids).
  $ tare import -q --db told --set gpu_model=H200 --set gpu_count=2 neo.csv; tare report --db told --by gpu_model,instance_type -o csv --sort name | grep big
  H200-SXM5-141GB,big,EUR,172800,80,80,0,0,,0,0,,,,,,,,,,,,,,,172800,80
  $ tare import --db not --set gpu_model=H200 --set gpu_count=8 focus.csv | grep -- --set; tare import --db not --set gpu_modell=H200 neo.csv; tare import --db not --set gpu_count=many neo.csv; tare import --db not --set gpu_model=H200 typed.csv
      note: --set gpu_model, gpu_count: no row needs it; it is for machines of which the bill does not say which GPUs they have, and not of AWS, Azure or Google, whose types say it
  ! tare: 'neo.csv': --set gpu_modell: this kind has no such column
  !       Nothing was imported.
  ! tare: 'neo.csv': --set gpu_count: 'many' is not a number from 1 to 1024
  !       Nothing was imported.
  ! tare: 'typed.csv': --set gpu_model: this kind has no such column
  !       Nothing was imported.
  [2]

A bill whose machines have no type says so where commitments are asked for: how many lines, what they cost, and which column it is.

  $ python3 - > hours.csv <<'END'
  > import datetime
  > print("BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ProviderName,ServiceCategory,ServiceName,ConsumedQuantity,ConsumedUnit")
  > for d in range(30):
  >     a, b = (datetime.date(2026, 10, 1) + datetime.timedelta(days=d + k) for k in (0, 1))
  >     for k in range(3): print(f"780,780,USD,{a}T00:00:00Z,{b}T00:00:00Z,Usage,i-{k},AWS,Compute,Amazon Elastic Compute Cloud,24,Hours")
  > END
  $ tare import -q --db hours hours.csv; tare plan --db hours --lever commit | grep -A3 'commit: '
    commit: 90 lines of the bill, 70,200 USD on demand (Amazon Elastic Compute
    Cloud), name no instance type, so it is not known what could be committed:
    SkuPriceDetails (InstanceType) or x_InstanceType of FOCUS,
    product_instance_type of a CUR
