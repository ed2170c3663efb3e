Prices: what the tables say, users' files over them, owned hardware, and what the providers answer (a stand-in on loopback).

The cut of 2025-06-23, and what a3-highgpu-8g cost as spot.

  $ for t in 2025-06-22 2025-06-24; do tare price --instance p5.48xlarge --region us-east-1 --purchase on_demand --at $t -o csv | tail -1 | cut -d, -f1-11,17; done
  aws,us-east-1,,p5.48xlarge,H100-SXM5-80GB,8,on_demand,,98.32,12.29,USD,2025-06-22T00:00:00Z
  aws,us-east-1,,p5.48xlarge,H100-SXM5-80GB,8,on_demand,,55.04,6.88,USD,2025-06-24T00:00:00Z

  $ for t in 2025-10-15 2026-07-02 2026-07-30; do tare price --instance a3-highgpu-8g --region us-central1 --purchase spot --at $t -o csv | tail -1 | cut -d, -f9; done
  20.36549939726
  43.80439890411
  50.609540821918

  $ tare price --instance p5.48xlarge --region us-east-1 --history
  Prices over time · aws · p5.48xlarge · H100-SXM5-80GB · 8 GPUs · 13 rows
  
  region                     purchase                          $/h  $/GPU-h  lost/month  from        to
  us-east-1                  capacity_block (all upfront)  39.3300   4.9162              2024-12-31  2025-01-01
  us-east-1                  capacity_block (all upfront)  31.4640   3.9330              2026-01-31  2026-07-22
  us-east-1                  capacity_block (all upfront)  41.5280   5.1910              2026-07-22
  us-east-1                  on_demand                     98.3200  12.2900              2023-07-31  2025-06-23
  us-east-1                  on_demand                     55.0400   6.8800              2025-06-23
  us-east-1                  spot (advised)                26.4192   3.3024       >20 %  2025-06-28
  us-east-1 (use1-atl2-az1)  spot (day not known)          17.0252   2.1282       >20 %  2026-07-31  2026-08-01
  us-east-1 (use1-az1)       spot (day not known)          55.0400   6.8800       >20 %  2026-07-31  2026-08-01
  us-east-1 (use1-az2)       spot (day not known)          18.7340   2.3418       >20 %  2026-07-31  2026-08-01
  us-east-1 (use1-az3)       spot (day not known)          18.1597   2.2700       >20 %  2026-07-31  2026-08-01
  us-east-1 (use1-az4)       spot (day not known)          55.0400   6.8800       >20 %  2026-07-31  2026-08-01
  us-east-1 (use1-az5)       spot (day not known)          18.6838   2.3355       >20 %  2026-07-31  2026-08-01
  us-east-1 (use1-az6)       spot (day not known)          16.9508   2.1188       >20 %  2026-07-31  2026-08-01
  
  not offered: aws p5.48xlarge, reserved (instances.vantage.sh 2026-01-21, 2026-01-21)

  $ tare price --gpu H100 --count 8 --provider oracle --at 2026-10-11 -o json
  {"schema":"tare.price/1","at":"2026-10-11T00:00:00Z","rows":[{"provider":"oracle","region":"global","zone":null,"instance_type":"BM.GPU.H100.8","gpu_model":"H100-SXM5-80GB","gpu_count":8,"purchase":"on_demand","term":null,"usd_hour":"80","usd_gpu_hour":"10","currency":"USD","hour":"80","gpu_hour":"10","upfront":"0","from":"2026-10-10T00:00:00Z","to":null,"as_of":"2026-10-10T00:00:00Z","interruption_lo_pct":null,"interruption_hi_pct":null,"interruption_per":null,"interruption_as_of":null,"source":"gpu-price-index 2026-10-10"}],"not_offered":[],"commitment_terms":[],"rows_in_other_currencies":0}

Yuan are no dollars, a slice is no GPU, an FPGA no GPU.

  $ tare price --provider aws --region 'cn-*' --gpu V100 --at 2024-10-01
  Prices at 2024-10-01T00:00:00Z · 0 rows, cheapest per GPU-hour first
  
  none known: other words for the GPU, --region '*', --at another day, or: tare price update
  
  3 rows priced in CNY are not shown: --currency CNY

  $ tare price --provider aws --region 'cn-*' --gpu V100 --at 2024-10-01 --currency CNY
  Prices at 2024-10-01T00:00:00Z · aws · cn-north-1 · V100-SXM2-16GB · on_demand ·
  3 rows, cheapest per GPU-hour first
  
  instance type  GPUs           $/h      $/GPU-h
  p3.2xlarge        1   CNY 36.0780  CNY 36.0780
  p3.16xlarge       8  CNY 288.6270  CNY 36.0784
  p3.8xlarge        4  CNY 144.3140  CNY 36.0785
  
  as of 2024-10-01

  $ tare price --gpu B300 --provider runpod --at 2026-10-11 -o csv | cut -d, -f3,5,6,10
  zone,gpu_model,gpu_count,usd_gpu_hour
  community,B300,1,6.94
  secure,B300,1,8.99

  $ tare price --instance Standard_NP10s --region eastus --at 2026-10-11 -o csv | cut -d, -f3-6,9,10
  zone,instance_type,gpu_model,gpu_count,usd_hour,usd_gpu_hour
  ,Standard_NP10s,,,1.65,

Your own hardware, alone and beside the market.

  $ tare price --owned purchase=30000,years=4,residual=3000,power_w=700,pue=1.5,usd_kwh=0.1
  Prices at 2026-11-21T00:00:00Z · owned · 1 GPU · owned · 1 row, cheapest per
  GPU-hour first
  
     $/h  $/GPU-h
  0.8755   0.8755
  
  as of 2026-11-21

  $ tare price --gpu H100 --provider nebius --at 2026-10-11 --owned purchase=30000,years=4,residual=3000,power_w=700,pue=1.5,usd_kwh=0.1 -o csv | cut -d, -f1,5,7,10
  provider,gpu_model,purchase,usd_gpu_hour
  owned,H100-SXM5-80GB,owned,0.875547945205
  nebius,H100-SXM5-80GB,on_demand,4.5

A price file wins where it holds.

  $ cat > contract.csv <<'X'
  > provider,region,instance_type,gpu_model,gpu_count,purchase,usd_hour,from,to
  > aws,us-east-1,p5.48xlarge,H100,8,on_demand,60,2024-09-01T00:00:00Z,2024-10-15T00:00:00Z
  > X
  $ tare import -q contract.csv; for t in 2024-08-31 2024-09-01 2024-10-15; do tare price --instance p5.48xlarge --region us-east-1 --purchase on_demand --at $t -o csv | tail -1 | cut -d, -f9,21; done
  98.32,karpenter-provider-aws@1d92708
  60,contract.csv
  98.32,karpenter-provider-aws@1d92708

A node that was paid over the cut of 2025-06-23 (13:18:30) costs both prices; a node whose time has no price is counted and not guessed.

  $ cat > nodes.csv <<'X'
  > node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to
  > big-1,aws,us-east-1,p5.48xlarge,H100,8,on_demand,2025-06-23T12:00:00Z,2025-06-23T15:00:00Z
  > odd-1,aws,eu-west-1,p5.48xlarge,H100,8,on_demand,2025-06-23T12:00:00Z,2025-06-23T15:00:00Z
  > X
  $ export TARE_NOW=2025-07-01T00:00:00Z TARE_DB=$PWD/cut; tare import -q nodes.csv; tare report --by node,hour -o csv | cut -d, -f1-5,10
  node,hour,currency,gpu_seconds,cost,unpriced_gpu_seconds
  big-1,2025-06-23T12:00:00Z,USD,28800,98.32,0
  big-1,2025-06-23T13:00:00Z,USD,28800,68.384666667,0
  big-1,2025-06-23T14:00:00Z,USD,28800,55.04,0
  odd-1,2025-06-23T12:00:00Z,USD,28800,,28800
  odd-1,2025-06-23T13:00:00Z,USD,28800,,28800
  odd-1,2025-06-23T14:00:00Z,USD,28800,,28800

What the providers say: each answer once, a busy server is asked again, a broken one leaves everything as it was.

  $ python3 $FILES/../peers/price_server.py port >/dev/null 2>&1 & for i in $(seq 600); do [ -f port ] && break; sleep 0.1; done
  $ cat > env <<'X'
  > B=http://127.0.0.1:$(cat port)$1; export no_proxy=127.0.0.1 AWS_ACCESS_KEY_ID=AKIDEXAMPLE AWS_SECRET_ACCESS_KEY=s TARE_GOOGLE_API_KEY=k
  > export TARE_PRICE_URL_AWS=$B/aws TARE_PRICE_URL_AWS_EC2=$B/ec2 TARE_PRICE_URL_AWS_ADVISOR=$B/advisor.json TARE_PRICE_URL_AZURE=$B/azure TARE_PRICE_URL_GCP=$B/gcp
  > X
  $ . ./env /broken; tare price update --provider azure --region eastus 2>&1 | sed 's/127.0.0.1:[0-9]*/HOST/'; echo ${PIPESTATUS[0]}
  tare: 'http://HOST/broken/azure' answered with status 500: out of order
  2

  $ . ./env /cut; tare price update --provider aws --region us-east-1 2>&1 | sed 's/127.0.0.1:[0-9]*/HOST/'; echo ${PIPESTATUS[0]}
  tare: price list of 'us-east-1': GET 'http://HOST/cut/aws/offers/v1.0/aws/AmazonEC2/1/us-east-1/index.json': transfer closed with 1192 bytes remaining to read
  2

  $ . ./env; tare price --instance p5.48xlarge --region us-east-1 --purchase reserved_3y -o csv | wc -l
  1

  $ . ./env /flaky; tare price update --region us-east-1,eastus,us-central1 --provider azure,gcp
  azure  4 rows read, 3 new prices, 0 known already, 1 of no GPU machine
  gcp    3 rows read, 9 new prices, 0 known already, 0 of no GPU machine

Without --region it is the regions of the store's nodes, of a dry run too, which keeps nothing.

  $ head -2 nodes.csv > one.csv; tare import -q --db one one.csv; . ./env; for i in --dry-run --dry-run '' ''; do tare price update --db one --provider aws $i; done
  aws    6 rows read, 6 new prices (not kept), 0 known already, 0 of no GPU machine
  aws    6 rows read, 6 new prices (not kept), 0 known already, 0 of no GPU machine
  aws    6 rows read, 6 new prices, 0 known already, 0 of no GPU machine
  aws    6 rows read, 0 new prices, 6 known already, 0 of no GPU machine

  $ . ./env; tare price update --region us-east-1 --provider aws
  aws    6 rows read, 6 new prices, 0 known already, 0 of no GPU machine

  $ . ./env; tare price update --region us-east-1 --provider aws -o json
  {"schema":"tare.price-update/1","providers":[{"provider":"aws","rows_read":6,"rows_added":0,"rows_known":6,"rows_skipped":0,"notes":[]}]}

  $ tare price --instance p5.48xlarge --region us-east-1 -o csv | cut -d, -f7-10,14,21
  purchase,term,usd_hour,usd_gpu_hour,upfront,source
  reserved_3y,standard; all upfront,20,2.5,525600,prices:aws:2026-11-21
  spot,advised,26.4192,3.3024,0,aws spot advisor 2025-06-28
  capacity_block,all upfront,41.528,5.191,0,aws capacity blocks 2026-07-22
  on_demand,,97.12,12.14,0,prices:aws:2026-11-21

  $ tare price --instance g5.xlarge --region us-east-1 --purchase spot --history -o csv | cut -d, -f3,9,15,16,18-21
  zone,usd_hour,from,to,interruption_lo_pct,interruption_hi_pct,interruption_as_of,source
  ,0.41246,2025-06-28T00:00:00Z,,20,100,2025-06-28T00:00:00Z,aws spot advisor 2025-06-28
  us-east-1a,0.41,2024-10-29T00:00:00Z,2024-10-31T00:00:00Z,20,100,2025-06-28T00:00:00Z,prices:aws:2026-11-21
  us-east-1a,0.45,2024-10-31T00:00:00Z,,20,100,2025-06-28T00:00:00Z,prices:aws:2026-11-21
  use1-az1,0.4328,2026-07-31T00:00:00Z,2026-08-01T00:00:00Z,20,100,2025-06-28T00:00:00Z,skypilot-catalog@2c3d7ea
  use1-az2,0.3387,2022-05-31T21:09:56Z,2022-06-01T00:00:00Z,20,100,2025-06-28T00:00:00Z,aws-spot-price-history 2022-05-31
  use1-az2,0.4516,2026-07-31T00:00:00Z,2026-08-01T00:00:00Z,20,100,2025-06-28T00:00:00Z,skypilot-catalog@2c3d7ea
  use1-az4,0.3477,2022-05-31T20:43:19Z,2022-06-01T00:00:00Z,20,100,2025-06-28T00:00:00Z,aws-spot-price-history 2022-05-31
  use1-az4,0.4473,2026-07-31T00:00:00Z,2026-08-01T00:00:00Z,20,100,2025-06-28T00:00:00Z,skypilot-catalog@2c3d7ea
  use1-az5,0.3382,2022-05-31T21:35:25Z,2022-06-01T00:00:00Z,20,100,2025-06-28T00:00:00Z,aws-spot-price-history 2022-05-31
  use1-az5,0.4353,2026-07-31T00:00:00Z,2026-08-01T00:00:00Z,20,100,2025-06-28T00:00:00Z,skypilot-catalog@2c3d7ea
  use1-az6,0.3701,2022-05-31T23:54:49Z,2022-06-01T00:00:00Z,20,100,2025-06-28T00:00:00Z,aws-spot-price-history 2022-05-31
  use1-az6,0.4423,2026-07-31T00:00:00Z,2026-08-01T00:00:00Z,20,100,2025-06-28T00:00:00Z,skypilot-catalog@2c3d7ea

  $ tare price --instance g2-standard-4 --region us-central1 --purchase on_demand -o csv | cut -d, -f9,21
  usd_hour,source
  0.706824,prices:gcp:2026-11-21

  $ tare price --instance Standard_ND96isr_H100_v5 --region eastus -o csv | cut -d, -f7,9,21
  purchase,usd_hour,source
  spot,29.496,prices:azure:2026-11-21
  reserved_1y,60,prices:azure:2026-11-21
  on_demand,98.32,prices:azure:2026-11-21

Wrong words are told.

  $ tare price --gpu H10; tare price --purchase spto; tare price --owned years=3; tare price update --provider aws; tare price upddate
  ! tare: the catalogue knows no GPU 'H10'
  !       Did you mean 'A10'?
  ! tare: --purchase: 'spto' is not a way to buy
  !       The words are on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan capacity_block owned; reserved and commit stand for all of these
  ! tare: --owned wants a purchase price, years, and a residual value between nothing and the price
  ! tare: aws: say which regions with --region
  ! tare: 'upddate': did you mean tare price update?
  !       See: tare price --help
  [2]

The title says what all rows have in common, and apart from it what only those shown have.

  $ tare price --gpu H100 --provider gcp --limit 2
  Prices at 2026-11-21T00:00:00Z · gcp · H100-SXM5-80GB · 676 rows, cheapest per
  GPU-hour first; all shown: northamerica-northeast1 · spot
  
  instance type  GPUs     $/h  $/GPU-h  lost/month
  a3-highgpu-1g     1  1.1332   1.1332           -
  a3-highgpu-8g     8  9.0658   1.1332           -
  
  as of 2026-07-30
  
  674 more rows: --limit 0 shows all, -o csv has their sources

  $ tare price --gpu A1000
  ! tare: the catalogue knows no GPU 'A1000'
  !       Did you mean 'A100'?
  [2]

  $ tare price --gpu RTX
  ! tare: the catalogue knows no GPU 'RTX'
  !       Its names: tare price -o csv | cut -d, -f5 | sort -u
  [2]

A GPU may be named without --gpu; --limit holds in every format, and only a table has one by itself.

  $ tare price H100 --count 8 --provider oracle --at 2026-10-11 | head -1
  Prices at 2026-10-11T00:00:00Z · oracle · global · BM.GPU.H100.8 ·
  $ tare price H100 --at 2026-10-11 --limit 2 -o csv | wc -l; tare price H100 --at 2026-10-11 -o csv | sed -n '43,44p' | wc -l; tare price H100 --at 2026-10-11 --limit 3 -o json | python3 -c 'import json,sys; print(len(json.load(sys.stdin)["rows"]))'
  3
  2
  3
  $ tare price H100 --gpu A100; tare price H100 A100
  ! tare: 'H100' and --gpu A100: which of them?
  !       See: tare price --help
  ! tare: one GPU at a time: tare price --gpu H100
  !       See: tare price --help
  [2]
