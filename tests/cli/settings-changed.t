Settings that act when the ledger is written, changed after an import: import and doctor say which, and how they come to hold for what is there.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\nn1,aws,us-east-1,A100-SXM4-80GB,1,on_demand,2026-11-20T00:00:00Z,2026-11-20T04:00:00Z,8\n' > nodes.csv
  > printf 'job_id,user,gpus,gpu_ids,node,start,end,tags\n7,ann,1,0,n1,2026-11-20T00:00:00Z,2026-11-20T04:00:00Z,squad=vision\n' > jobs.csv
  > echo 'version: 1' > c.yaml; tare import -q --config c.yaml nodes.csv jobs.csv; tare report --config c.yaml --by team -o csv | cut -d, -f1,4
  > printf 'version: 1\ntags:\n  alias:\n    team: [squad]\nthresholds: {underused_util_pct: 30}\n' > c.yaml
  > tare doctor --config c.yaml | grep -A2 '^no   settings'; tare report --config c.yaml --by team -o csv | cut -d, -f1,4
  team,cost
  ,32
  no   settings               changed since what is in the store was imported: thresholds, tags
                              -> tare import --repost --config c.yaml applies them to it
  no   GPUs                   there is no NVIDIA driver: 'libnvidia-ml.so.1' cannot be opened
  team,cost
  ,32
  $ sed 's/n1/n2/' nodes.csv > more.csv; tare import --config c.yaml more.csv > /dev/null
  ! tare: settings changed since what is in the store was imported (thresholds, tags): they hold for what is new;
  !       for the rest: tare import --repost --config c.yaml
  $ tare import --replace --config c.yaml nodes.csv more.csv jobs.csv > /dev/null; tare report --config c.yaml --by team -o csv | cut -d, -f1,4; tare doctor --config c.yaml | grep -c settings
  team,cost
  ,32
  vision,32
  1

Files are read again one at a time: the hint stays, and names what is left, until all are of the new settings. What comes again unchanged is not read, and settings of before are nothing to hint at.

  $ printf 'version: 1\ntags:\n  alias:\n    team: [group]\n' > c.yaml; tare import --replace --config c.yaml nodes.csv > /dev/null
  ! tare: settings changed since what is in the store was imported (tags, thresholds): they hold for what is new;
  !       for the rest: tare import --repost --config c.yaml
  $ tare import --config c.yaml jobs.csv > /dev/null
  ! tare: settings changed since what is in the store was imported (tags, thresholds): they hold for what is new;
  !       for the rest: tare import --repost --config c.yaml
  $ tare import --replace --config c.yaml jobs.csv > /dev/null; tare doctor --config c.yaml | grep -A1 '^no   settings'
  [1]
  $ tare import --replace --config c.yaml more.csv > /dev/null; tare doctor --config c.yaml | grep -A1 '^no   settings'
  [1]
  $ echo 'version: 1' > c.yaml; tare doctor --config c.yaml | grep -A1 '^no   settings'
  no   settings               changed since what is in the store was imported: tags
                              -> tare import --repost --config c.yaml applies them to it
  $ tare import --replace --config c.yaml more.csv nodes.csv jobs.csv > /dev/null; tare doctor --config c.yaml | grep -A1 '^no   settings'
  [1]

A bill in whose place a newer one came is not named.

  $ { echo BilledCost,BillingCurrency,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,EffectiveCost,ProviderName,BillingAccountId,ServiceName; echo 5,USD,2026-11-01T00:00:00Z,2026-12-01T00:00:00Z,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z,Usage,5,AWS,1,S3; } > a.csv
  > sed 's/5,USD/6,USD/' a.csv > b.csv; tare import -q --db bill --config c.yaml a.csv; printf 'version: 1\ntags:\n  alias:\n    team: [group]\n' > c.yaml
  > tare import --db bill --config c.yaml --replace b.csv > /dev/null; tare doctor --db bill --config c.yaml | grep -A1 '^no   settings'
  [1]

Posted again from what is there: the files are gone, and how each was read (a map, a constant column, a witness) stays. The line that is advised is the one to paste.

  $ printf 'job,who,from,to\n7,ann,2026-11-20T00:00:00Z,2026-11-20T02:00:00Z\n' > odd.csv
  > printf 'version: 1\nkind: allocations\ncolumns: {job_id: job, user: who, start: from, end: to}\n' > odd.yaml
  > echo 'version: 1' > c.yaml; tare import -q --db again --config c.yaml nodes.csv; tare import -q --db again --config c.yaml --map odd.yaml --set node=n1 --set gpus=1 --set 'tags=squad=vision' --covers hpc odd.csv
  > tare report --db again --config c.yaml --by team,state -o csv | cut -d, -f1,2,5; rm odd.csv odd.yaml
  > printf 'version: 1\ntags:\n  alias:\n    team: [squad]\n' > c.yaml; tare doctor --db again --config c.yaml | sed -n 's/.*-> \(tare import.*\) applies them to it/\1/p' | tee line
  > sh line; tare report --db again --config c.yaml --by team,state -o csv | cut -d, -f1,2,5; tare doctor --db again --config c.yaml | grep -A1 '^no   settings'
  > tare import --db again --repost --dry-run; tare import --db again --repost nodes.csv; tare import --db none --repost
  team,state,cost
  ,unknown,32
  tare import --repost --db again --config c.yaml
  team,state,cost
  ,unknown,16
  vision,unknown,16
  ! tare: the ledger was posted again from what had been imported:
  ! tare:   USD billed             32 before, 32 now (0)
  ! tare:   USD effective          32 before, 32 now (0)
  ! tare:   USD list               32 before, 32 now (0)
  ! tare:   USD GPU-hours          4 before, 4 now (0)
  ! tare: --repost has no dry run: see tare doctor for what changed
  !       See: tare import --help
  ! tare: --list, --undo and --repost import nothing: 'nodes.csv' is one too many
  !       See: tare import --help
  ! tare: there is no store in 'none' yet
  !       Bring something in with `tare import FILE`, or try `tare demo`
  [2]
