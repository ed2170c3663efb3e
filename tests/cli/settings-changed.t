Settings that act when the ledger is written, changed after an import: import and doctor say which, and how they come to hold for what is there.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\nn1,aws,us-east-1,A100-SXM4-80GB,1,on_demand,2026-11-20T00:00:00Z,2026-11-20T04:00:00Z,8\n' > nodes.csv
  > printf 'job_id,user,gpus,gpu_ids,node,start,end,tags\n7,ann,1,0,n1,2026-11-20T00:00:00Z,2026-11-20T04:00:00Z,squad=vision\n' > jobs.csv
  > echo 'version: 1' > c.yaml; tare import -q --config c.yaml nodes.csv jobs.csv; tare report --config c.yaml --by team -o csv | cut -d, -f1,4
  > printf 'version: 1\ntags:\n  alias:\n    team: [squad]\nthresholds: {underused_util_pct: 30}\n' > c.yaml
  > tare doctor --config c.yaml | grep -A2 '^no   settings'; tare report --config c.yaml --by team -o csv | cut -d, -f1,4
  team,cost
  ,32
  no   settings               changed since what is in the store was imported: thresholds, tags
                              -> tare import --replace jobs.csv applies them to it
  no   GPUs                   there is no NVIDIA driver: 'libnvidia-ml.so.1' cannot be opened
  team,cost
  ,32
  $ sed 's/n1/n2/' nodes.csv > more.csv; tare import --config c.yaml more.csv > /dev/null
  ! tare: settings changed since what is in the store was imported (thresholds, tags): they hold for what is new;
  !       for the rest import its files again: tare import --replace jobs.csv
  $ tare import --replace --config c.yaml nodes.csv more.csv jobs.csv > /dev/null; tare report --config c.yaml --by team -o csv | cut -d, -f1,4; tare doctor --config c.yaml | grep -c settings
  team,cost
  ,32
  vision,32
  1

Files are read again one at a time: the hint stays, and names what is left, until all are of the new settings. What comes again unchanged is not read, and settings of before are nothing to hint at.

  $ printf 'version: 1\ntags:\n  alias:\n    team: [group]\n' > c.yaml; tare import --replace --config c.yaml nodes.csv > /dev/null
  ! tare: settings changed since what is in the store was imported (tags, thresholds): they hold for what is new;
  !       for the rest import its files again: tare import --replace jobs.csv
  $ tare import --config c.yaml jobs.csv > /dev/null
  ! tare: settings changed since what is in the store was imported (tags, thresholds): they hold for what is new;
  !       for the rest import its files again: tare import --replace jobs.csv
  $ tare import --replace --config c.yaml jobs.csv > /dev/null; tare doctor --config c.yaml | grep -A1 '^no   settings'
  [1]
  $ tare import --replace --config c.yaml more.csv > /dev/null; tare doctor --config c.yaml | grep -A1 '^no   settings'
  [1]
  $ echo 'version: 1' > c.yaml; tare doctor --config c.yaml | grep -A1 '^no   settings'
  no   settings               changed since what is in the store was imported: tags
                              -> tare import --replace jobs.csv applies them to it
  $ tare import --replace --config c.yaml more.csv nodes.csv jobs.csv > /dev/null; tare doctor --config c.yaml | grep -A1 '^no   settings'
  [1]

A bill in whose place a newer one came is not named.

  $ { echo BilledCost,BillingCurrency,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,EffectiveCost,ProviderName,BillingAccountId,ServiceName; echo 5,USD,2026-11-01T00:00:00Z,2026-12-01T00:00:00Z,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,5,AWS,1,S3; } > a.csv
  > sed 's/5,USD/6,USD/' a.csv > b.csv; tare import -q --db bill --config c.yaml a.csv; printf 'version: 1\ntags:\n  alias:\n    team: [group]\n' > c.yaml
  > tare import --db bill --config c.yaml --replace b.csv > /dev/null; tare doctor --db bill --config c.yaml | grep -A1 '^no   settings'
  [1]
