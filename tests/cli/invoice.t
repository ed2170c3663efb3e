Invoices of a chargeback. A machine of three GPUs, 10.01 an hour for a day: 240.24. vision used 17
GPU-hours (56.72), the team with a hostile name 19 (63.40), infra, which the others share, 3 (10.01):
33 of 72 GPU-hours idled (110.11).

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\nn1,aws,us-east-1,A100-SXM4-80GB,3,on_demand,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,main,10.01\n' > nodes.csv
  > { echo 'job_id,name,team,project,user,gpus,node,cluster,start,end'
  > echo '1,train <b>,vision,"R&D <script>alert(1)</script>",ann,1,n1,main,2024-09-01T00:00:00Z,2024-09-01T10:00:00Z'
  > echo '2,x,vision,detect,bob,1,n1,main,2024-09-01T00:00:00Z,2024-09-01T07:00:00Z'
  > echo '3,chat,"a""><img src=x onerror=alert(1)>",serve,eve,1,n1,main,2024-09-01T05:00:00Z,2024-09-02T00:00:00Z'
  > echo '4,etl,infra,lake,io,1,n1,main,2024-09-01T10:00:00Z,2024-09-01T13:00:00Z'; } > jobs.csv
  > { echo 'version: 1'; echo 'shared_teams: [infra]'; echo 'invoice:'; echo '  issuer: "ACME GPU <Platform>"'
  > echo '  address: ["Main St 1"]'; echo '  cost_centers: { vision: CC-100, "a*": "=CC-200" }'; } > c.yaml
  > tare import -q --db db nodes.csv jobs.csv
  $ tare report --db db --config c.yaml --chargeback --split-idle proportional --html out.html
  ! Wrote out.html (10 KiB)
  $ python3 $FILES/files/invoice.py out.html -v
  all: 240.24 rows add up: True
  a"><img src=x onerror=alert(1)>: 126.79 USD lines add up: True details add up: True (1 rows)
    Number: 2024-09-01/a"><img src=x onerror=alert(1)>/USD
    Date: 2026-11-21
    Period: 2024-09-01 to 2024-09-01
    Cost centre: =CC-200
    Basis: effective cost, USD
    Idle GPUs: shared out: proportional
  vision: 113.45 USD lines add up: True details add up: True (2 rows)
    Number: 2024-09-01/vision/USD
    Date: 2026-11-21
    Period: 2024-09-01 to 2024-09-01
    Cost centre: CC-100
    Basis: effective cost, USD
    Idle GPUs: shared out: proportional
  infra: 0.00 USD lines add up: True details add up: True (1 rows)
    Number: 2024-09-01/infra/USD
    Date: 2026-11-21
    Period: 2024-09-01 to 2024-09-01
    Basis: effective cost, USD
    Idle GPUs: shared out: proportional
  a page each: True paper: True
  $ tare report --db db --config c.yaml --by team --split-idle proportional -o csv | cut -d, -f1,4
  team,cost
  "a""><img src=x onerror=alert(1)>",117.039999998
  vision,104.720000002
  infra,18.48
  $ grep -c 'ACME GPU &lt;Platform&gt;<br/>Main St 1' out.html
  3

The table adds up too: the lines of a team to its total, the totals to that of all. What each cost centre comes to stands below, to check a journal by.

  $ tare report --db db --config c.yaml --chargeback --split-idle proportional | tee t | tail -n +3; python3 - <<'E'
  > import decimal, re
  > row = [re.findall(r"-?[0-9,]+\.[0-9]{2}(?= |$)", l) for l in open("t").read().split("\n\n")[1].splitlines()[1:]]
  > n = [[decimal.Decimal(x.replace(",", "")) for x in r] for r in row if r]
  > print(sum(r[0] for r in n[:-1]) == sum(r[1] for r in n[:-1] if len(r) > 1) == n[-1][0])
  > E
  
  team                             line                          GPU·h  amount   total
  a"><img src=x onerror=alert(1)>  GPU time                       19.0   63.40
                                   share of idle (proportional)   17.4   58.11
                                   share of shared teams                  5.28  126.79
  vision                           GPU time                       17.0   56.72
                                   share of idle (proportional)   15.6   52.00
                                   share of shared teams                  4.73  113.45
  infra                            GPU time                        3.0   10.01
                                   given to the other teams             -10.01    0.00
  ────────────────────────────────────────────────────────────────────────────────────
                                                                  72.0          240.24
  
  Cost centres: =CC-200 126.79 · CC-100 113.45 · none 0.00
  no bill · ledger 240.24 · unpriced 0 GPU·h
  True

Without a split the idle time is a line of the first page and nobody's; the direct cost of each row is all of it.

  $ tare report --db db --config c.yaml --chargeback --html - | python3 $FILES/files/invoice.py /dev/stdin
  all: 240.24 rows add up: True
  a"><img src=x onerror=alert(1)>: 68.68 USD lines add up: True details add up: True (1 rows)
  vision: 61.45 USD lines add up: True details add up: True (2 rows)
  infra: 0.00 USD lines add up: True details add up: True (1 rows)
  a page each: True paper: True
  $ tare report --db db --config c.yaml --chargeback --by team,project --split-idle proportional --html - | python3 $FILES/files/invoice.py /dev/stdin
  all: 240.24 rows add up: True
  a"><img src=x onerror=alert(1)>: 126.79 USD lines add up: True details add up: True (1 rows)
  vision: 113.45 USD lines add up: True details add up: True (2 rows)
  infra: 0.00 USD lines add up: True details add up: True (1 rows)
  a page each: True paper: True
  $ tare report --db db --config c.yaml --chargeback --limit 1 --html - | python3 $FILES/files/invoice.py /dev/stdin | grep vision
  vision: 61.45 USD lines add up: True details add up: True (2 rows)

The journal: exact, a line each, with its cost centre; a code that a spreadsheet would run is quoted.

  $ tare report --db db --config c.yaml --chargeback --split-idle proportional -o csv | cut -d, -f3-
  team,line,kind,gpu_seconds,amount,currency,basis,split_idle,cost_center
  "a""><img src=x onerror=alert(1)>",direct,gpu,68400,63.396666671,USD,effective,proportional,'=CC-200
  "a""><img src=x onerror=alert(1)>",idle_share,,62700,58.113611104,USD,effective,proportional,'=CC-200
  "a""><img src=x onerror=alert(1)>",shared_share,,0,5.283055556,USD,effective,proportional,'=CC-200
  vision,direct,gpu,61200,56.723333339,USD,effective,proportional,CC-100
  vision,idle_share,,56100,51.996388885,USD,effective,proportional,CC-100
  vision,shared_share,,0,4.726944445,USD,effective,proportional,CC-100
  infra,direct,gpu,10800,10.010000001,USD,effective,proportional,
  infra,shared_share,,0,-10.010000001,USD,effective,proportional,
  $ tare report --db db --config c.yaml --chargeback --split-idle proportional -o csv --raw | cut -d, -f7- | sort -u
  -10.010000001,USD,effective,proportional,
  10.010000001,USD,effective,proportional,
  4.726944445,USD,effective,proportional,CC-100
  5.283055556,USD,effective,proportional,=CC-200
  51.996388885,USD,effective,proportional,CC-100
  56.723333339,USD,effective,proportional,CC-100
  58.113611104,USD,effective,proportional,=CC-200
  63.396666671,USD,effective,proportional,=CC-200
  amount,currency,basis,split_idle,cost_center

A tag as the cost centre: lines of a bill by it; settings that are wrong; what does not go together.

  $ { echo 'BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ProviderName,ServiceCategory,ServiceName,Tags'
  > echo '7,7,USD,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Usage,vol-1,AWS,Storage,S3,"{""cc"":""4711""}"'
  > echo '5,5,USD,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Usage,vol-2,AWS,Storage,S3,"{""cc"":""4712"",""team"":""nlp""}"'; } > bill.csv
  > { echo 'version: 1'; echo 'invoice: { cost_center_tag: cc, cost_centers: { nlp: CC-3 } }'; } > tag.yaml
  > tare import -q --db tags bill.csv; tare report --db tags --config tag.yaml --chargeback --by tag:cc -o csv | cut -d, -f3-
  tag:cc,line,kind,gpu_seconds,amount,currency,basis,split_idle,cost_center
  4711,direct,storage,0,7,USD,effective,none,4711
  4712,direct,storage,0,5,USD,effective,none,4712
  $ tare report --db tags --config tag.yaml --chargeback -o csv | cut -d, -f3-
  team,line,kind,gpu_seconds,amount,currency,basis,split_idle,cost_center
  ,direct,storage,0,7,USD,effective,none,
  nlp,direct,storage,0,5,USD,effective,none,CC-3

  $ { echo 'version: 1'; echo 'invoice: { cost_center_tag: cc, cost_centers: [x] }'; } > bad.yaml; tare report --db db --config bad.yaml --chargeback
  ! tare: 'bad.yaml' line 2: a mapping (team: cost centre) is wanted here
  [2]
  $ { echo 'version: 1'; echo 'invoice: { cost_center_tag: project, cost_center: x }'; } > bad.yaml; tare report --db db --config bad.yaml --chargeback
  ! tare: 'bad.yaml' line 2: 'cost_center' is not a key known here
  !       Did you mean 'cost_centers'?
  [2]
  $ tare report --db db --showback --html x.html
  ! tare: only one of --showback, --chargeback, --kpi, --tags, --energy, --serving, --hidden, --html and --focus at a time
  !       See: tare report --help
  [2]

A machine that the bill tags as vision's and that nlp held for half of the day: without a split nobody pays for the other half, which is a line; its owner does
where the split says so.

  $ cat > owned.csv <<'END'
  > BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ProviderName,RegionId,ServiceCategory,ServiceName,ConsumedQuantity,ConsumedUnit,SkuPriceDetails,Tags
  > 240,240,USD,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Usage,gpu-1,AWS,us-east-1,Compute,Amazon Elastic Compute Cloud,24,Hours,"{""InstanceType"":""p4d.24xlarge""}","{""team"":""vision""}"
  > END
  $ printf 'job_id,team,gpus,node,cluster,start,end\n1,nlp,8,gpu-1,c,2024-09-01T00:00:00Z,2024-09-01T12:00:00Z\n' > held.csv
  $ tare import -q --db owned --covers c --since 2024-09-01 --until 2024-09-02 held.csv; tare import -q --db owned owned.csv
  $ for how in none owner; do tare report --db owned --chargeback --split-idle $how -o csv | cut -d, -f3-7; done
  team,line,kind,gpu_seconds,amount
  nlp,direct,gpu,345600,120
  ,unallocated,,345600,120
  team,line,kind,gpu_seconds,amount
  nlp,direct,gpu,345600,120
  vision,idle_share,,345600,120
  $ tare report --db owned --showback
  1 day to 2024-09-01 · effective cost, USD · 192.0 GPU·h paid · 50 % measured
  
  team           GPU·h  direct  idle share  shared   total  of all
  nlp             96.0  120.00        0.00    0.00  120.00    50 %
  (unallocated)   96.0    0.00      120.00    0.00  120.00    50 %
  ────────────────────────────────────────────────────────────────
                 192.0  120.00      120.00    0.00  240.00   100 %
  
  Bill 240.00 · ledger 240.00 · difference 0.00 · unpriced 0 GPU·h
  $ tare report --db owned --chargeback --html - | python3 $FILES/files/invoice.py /dev/stdin
  all: 240.00 rows add up: True
  nlp: 120.00 USD lines add up: True details add up: True (1 rows)
  a page each: True paper: True

What lies unused of a commitment is its owner's without a split, nobody's where no tag names one.

  $ { head -1 owned.csv | sed 's/$/,CommitmentDiscountId,CommitmentDiscountType,CommitmentDiscountStatus/'; for o in '"{""team"":""nlp""}",sp-1' ',sp-2'; do echo "0,30,USD,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Usage,,AWS,us-east-1,Compute,Amazon Elastic Compute Cloud,,,,$o,Savings Plan,Unused"; done; } > unused.csv
  $ tare import -q --db owned unused.csv
  $ for how in none owner; do tare report --db owned --chargeback --split-idle $how -o csv | cut -d, -f3-7; done
  team,line,kind,gpu_seconds,amount
  nlp,direct,gpu,345600,120
  nlp,direct,commitment_unused,0,30
  ,direct,commitment_unused,0,30
  ,unallocated,,345600,120
  team,line,kind,gpu_seconds,amount
  nlp,direct,gpu,345600,120
  nlp,idle_share,,0,30
  vision,idle_share,,345600,120
  ,unallocated,,0,30

Azure's column CostCenter is a tag of its lines, beside theirs.

  $ printf '%s\n' 'Date,CostInBillingCurrency,BillingCurrency,CostCenter,Tags,MeterCategory,SubscriptionId,ResourceId,ChargeType' '10/01/2026,5,USD,CC-7,"{""team"":""nlp""}",Virtual Machines,s,/r/vm1,Usage' '10/01/2026,3,USD,"C ""8""",,Virtual Machines,s,/r/vm2,Usage' '10/01/2026,2,USD,,,Storage,s,/r/d,Usage' > azure.csv
  $ tare import -q --db azure azure.csv; tare report --db azure --cost billed --by team,tag:cost_center
  1 day to 2026-10-01 · billed cost, USD · no GPU time
  
  team      tag:cost_center  GPU·h   cost
  nlp       CC-7               0.0   5.00
  (nobody)  C "8"              0.0   3.00
  (nobody)  -                  0.0   2.00
  ───────────────────────────────────────
                               0.0  10.00
  
  Bill 10.00 · ledger 10.00 · difference 0.00 · unpriced 0 GPU·h

A bill alone names no job: a page says what its cost is of as the bill calls it, by service, account (with its name) and region, and adds up. What a job held of the same bill is the job's.

  $ cat > alone.csv <<'END'
  > BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ProviderName,RegionId,SubAccountId,SubAccountName,ServiceCategory,ServiceName,ConsumedQuantity,ConsumedUnit,SkuPriceDetails,Tags
  > 240.005,240.005,USD,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Usage,gpu-1,AWS,us-east-1,111,research,Compute,Amazon Elastic Compute Cloud,24,Hours,"{""InstanceType"":""p4d.24xlarge""}","{""team"":""vision""}"
  > 7.005,7.005,USD,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Usage,vol-1,AWS,us-east-1,111,research,Storage,Amazon Simple Storage Service,1,GB,,"{""team"":""vision""}"
  > 5.005,5.005,USD,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Usage,vol-2,AWS,eu-west-1,222,,Storage,Amazon Simple Storage Service,1,GB,,"{""team"":""vision"",""project"":""p<1>""}"
  > 3,3,USD,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Purchase,,AWS,,111,research,Other,AWS Support,,,,
  > END
  $ tare import -q --db alone alone.csv; tare report --db alone --chargeback --html - | python3 $FILES/files/invoice.py /dev/stdin -d
  all: 255.02 rows add up: True
  vision: 252.02 USD lines add up: True details add up: True (3 rows)
    project | cloud_service | account | account_name | region | GPU·h | direct cost
    (nobody) | Amazon Elastic Compute Cloud | 111 | research | us-east-1 | 192.0 | 240.01
    (nobody) | Amazon Simple Storage Service | 111 | research | us-east-1 | 0.0 | 7.01
    p<1> | Amazon Simple Storage Service | 222 | - | eu-west-1 | 0.0 | 5.00
     |  |  |  |  |  | 252.02
  Not allocated: 3.00 USD lines add up: True details add up: True (1 rows)
    cloud_service | account | account_name | GPU·h | direct cost
    AWS Support | 111 | research | 0.0 | 3.00
     |  |  |  | 3.00
  a page each: True paper: True
  $ tare report --db alone --chargeback --by account,team --html - | python3 $FILES/files/invoice.py /dev/stdin -d
  all: 255.02 rows add up: True
  111: 250.01 USD lines add up: True details add up: True (3 rows)
    account_name | team | cloud_service | region | GPU·h | direct cost
    research | vision | Amazon Elastic Compute Cloud | us-east-1 | 192.0 | 240.01
    research | vision | Amazon Simple Storage Service | us-east-1 | 0.0 | 7.00
    research | (nobody) | AWS Support | - | 0.0 | 3.00
     |  |  |  |  | 250.01
  222: 5.01 USD lines add up: True details add up: True (1 rows)
    account_name | team | project | cloud_service | region | GPU·h | direct cost
    - | vision | p<1> | Amazon Simple Storage Service | eu-west-1 | 0.0 | 5.01
     |  |  |  |  |  | 5.01
  a page each: True paper: True
  $ tare report --db alone --chargeback --limit 1 --html - | python3 $FILES/files/invoice.py /dev/stdin -d | sed -n '/vision/,/^Not/p'
  vision: 252.02 USD lines add up: True details add up: True (2 rows)
    project | cloud_service | account | account_name | region | GPU·h | direct cost
    (nobody) | Amazon Elastic Compute Cloud | 111 | research | us-east-1 | 192.0 | 240.01
    (2 more) |  |  |  |  | 0.0 | 12.01
     |  |  |  |  |  | 252.02
  Not allocated: 3.00 USD lines add up: True details add up: True (1 rows)
  $ tare import -q --db alone --covers c --since 2024-09-01 --until 2024-09-02 held.csv; tare report --db alone --chargeback --html - | python3 $FILES/files/invoice.py /dev/stdin -d
  all: 255.02 rows add up: True
  nlp: 120.01 USD lines add up: True details add up: True (1 rows)
    job | GPU·h | direct cost
    1 | 96.0 | 120.01
     |  | 120.01
  vision: 12.01 USD lines add up: True details add up: True (2 rows)
    project | cloud_service | account | account_name | region | GPU·h | direct cost
    (nobody) | Amazon Simple Storage Service | 111 | research | us-east-1 | 0.0 | 7.01
    p<1> | Amazon Simple Storage Service | 222 | - | eu-west-1 | 0.0 | 5.00
     |  |  |  |  |  | 12.01
  Not allocated: 3.00 USD lines add up: True details add up: True (1 rows)
    cloud_service | account | account_name | GPU·h | direct cost
    AWS Support | 111 | research | 0.0 | 3.00
     |  |  |  | 3.00
  a page each: True paper: True
  $ tare report --db alone --chargeback --by team,project,env,workload,user,node,provider,zone,gpu_model,instance_type,purchase --html - | python3 $FILES/files/invoice.py /dev/stdin | head -3
  all: 255.02 rows add up: True
  nlp: 120.01 USD lines add up: True details add up: True (1 rows)
  vision: 12.01 USD lines add up: True details add up: True (2 rows)

Cost centres from a table that finance keeps, beside the settings; these go before it. What is wrong there is said with file, line and field, and no invoice is made.

  $ mkdir -p conf; { echo 'version: 1'; echo 'invoice: { cost_centers: { vision: CC-100 }, cost_centers_file: centers.csv }'; } > conf/f.yaml
  $ printf 'owner,Cost Center,team\nx,CC-1,vision\ny,"CC ""2""",inf*\ny,"CC ""2""",inf*\n\nz,CC-3,*\n' > conf/centers.csv
  $ tare report --db db --config conf/f.yaml --chargeback -o csv | cut -d, -f3-5,7,11
  team,line,kind,amount,cost_center
  "a""><img src=x onerror=alert(1)>",direct,gpu,63.396666671,CC-3
  vision,direct,gpu,56.723333339,CC-100
  infra,direct,gpu,10.010000001,"CC ""2"""
  ,unallocated,,110.109999989,
  $ tare report --db db --config conf/f.yaml --chargeback --html - | python3 $FILES/files/invoice.py /dev/stdin -v | grep centre
    Cost centre: CC-3
    Cost centre: CC-100
    Cost centre: CC "2"
  $ for csv in 'team,cost_center\nvision,\n' 'team,cost_center\n\n ,CC-1\n' 'team,cost_center\na,CC-1\nb,CC-1\na,CC-2\n' 'team,code\na,CC-1\n' 'team,cost_center\na,CC-1,x\n' ''; do
  > printf "$csv" > conf/centers.csv; tare report --db db --config conf/f.yaml --chargeback --html no.html; done
  ! tare: 'conf/centers.csv' line 2: 'cost_center' is empty
  !       The settings name it: invoice, cost_centers_file.
  ! tare: 'conf/centers.csv' line 3: 'team' is empty
  !       The settings name it: invoice, cost_centers_file.
  ! tare: 'conf/centers.csv' line 4: 'cost_center' of team 'a' is 'CC-2', but 'CC-1' in a line before
  !       The settings name it: invoice, cost_centers_file.
  ! tare: 'conf/centers.csv' line 1: there is no column 'cost_center'
  !       The first line of a table of cost centres is: team,cost_center
  ! tare: 'conf/centers.csv' line 2: the row has 3 cells where the header has 2
  !       The settings name it: invoice, cost_centers_file.
  ! tare: 'conf/centers.csv' line 1: there is no column 'team'
  !       The first line of a table of cost centres is: team,cost_center
  [2]
  $ rm conf/centers.csv; tare report --db db --config conf/f.yaml --chargeback
  ! tare: cannot open 'conf/centers.csv': No such file or directory
  !       Check the name; '-' reads standard input
  [2]
  $ ls no.html; tare report --db db --config conf/f.yaml -q -o csv | wc -l
  5
  ! ls: cannot access 'no.html': No such file or directory
