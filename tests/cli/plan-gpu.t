The cheapest GPU that a workload fits on.

A server that keeps its A100 20 % busy needs a fifth of it.

  $ tare plan gpu --vram-gib 14 --on A100-40GB --busy 0.2 --provider gcp --region us-central1
  Needs 15.4 GiB (14.0 used, with 10 % room).
  Uses 20 % of a A100-SXM4-40GB: a GPU of that share of its speed is as good.
  Speed of one GPU against A100-SXM4-40GB; on_demand prices.
  
  GPU               $/h             speed  $/work  vs now        cheapest at
  L4               0.71  0.31 (0.13-1.19)   0.707   -80 %  fits  gcp us-central1
  A100-SXM4-40GB   3.48              1.00   3.484     now  fits  gcp us-central1
  RTX-PRO-6000     4.50  1.04 (0.46-3.31)   4.500   +29 %  fits  gcp us-central1
  A100-SXM4-80GB   5.07  1.07 (0.57-2.50)   5.069   +45 %  fits  gcp us-central1
  H100-SXM5-80GB  11.06  1.94 (0.99-4.79)  11.061  +218 %  fits  gcp us-central1
  
  $/work: what an hour of work on A100-SXM4-40GB costs there. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from data sheets and published speeds of other work (name yours: --workload).

What was measured is measured; the rest is learned from published speeds and the two measurements.

  $ tare plan gpu --vram-gib 11 --workload resnet50 --on V100-SXM2-16GB --step-time 0.31 --measured T4=1.4 --max-slowdown 3 --provider aws --region us-east-1 --limit 4
  Needs 12.1 GiB (11.0 used, with 10 % room).
  Speed of one GPU against V100-SXM2-16GB, workload resnet50; on_demand prices.
  
  GPU    $/h             speed  $/1k steps  vs now        cheapest at
  T4    0.53              0.43      0.1044   -60 %  fits  aws us-east-1
  L4    0.80  0.56 (0.30-1.30)      0.1230   -53 %  fits  aws us-east-1
  L40S  1.86  1.20 (0.66-2.63)      0.1332   -49 %  fits  aws us-east-1
  A10G  1.01  0.62 (0.34-1.39)      0.1386   -47 %  fits  aws us-east-1
  ... and 13 more (--limit 0)
  
  $/1k steps: what 1,000 steps cost there, 3.226 a second on V100-SXM2-16GB. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from published speeds of such work, data sheets and what was measured.
  Left out, sold with ARM processors only: T4G (--cpu any shows them).
  $ tare plan gpu --vram-gib 11 --workload resnet50 --on V100 --step-time 0.31 --measured T4=1.4 --provider aws --region us-east-1 -o json | $FILES/../data/get 'schema' 'against' '[(c.gpu_model, c.speed, c.quality) for c in candidates if c.quality == "measured"]' '[c.usd_per_1000_steps for c in candidates if c.gpu_model == "T4"]'
  tare.plan-gpu/1
  V100-SXM2-16GB
  [('T4', 0.434, 'measured'), ('V100-SXM2-16GB', 1, 'measured')]
  ['0.104365079']

The unit of a step changes no ratio: seconds, milliseconds, an hour's worth; one measurement says no more of GPUs than none.

  $ cat > ratios.sh <<'X'
  > tare plan gpu --vram-gib 11 --workload resnet50 --on H100 "$@" -o json | python3 -c "
  > import json, sys
  > for c in sorted(json.load(sys.stdin)['candidates'], key=lambda c: c['gpu_model']): print(c['gpu_model'], c['speed'], c['speed_p05'], c['speed_p95'])" | md5sum
  > X
  $ for s in 0.31 310 0.00031 1e-9 1116; do bash ratios.sh --step-time $s; done > all; bash ratios.sh >> all; sort -u all | wc -l
  1
  $ for f in 1 1000 0.003; do bash ratios.sh --step-time $(python3 -c "print(.31 / $f)") --measured A100=$(python3 -c "print(1.8 * $f)") --measured L4=$(python3 -c "print(.6 * $f)"); done > all; sort -u all | wc -l
  1

A price that is none by its own source is nobody's first choice, and work that runs on CUDA is not moved to another maker's GPU unasked.

  $ tare plan gpu --vram-gib 60 --on H100 --max-slowdown 1.2 --limit 3
  Needs 66.0 GiB (60.0 used, with 10 % room).
  Speed of one GPU against H100-SXM5-80GB; on_demand prices.
  
  GPU               $/h             speed  $/work  vs now        cheapest at
  H100-SXM5-80GB   2.69              1.00   2.690     now  fits  runpod global
  H200-SXM5-141GB  3.59  1.08 (0.82-1.48)   3.328   +24 %  fits  runpod global
  B300             6.94  1.44 (0.70-3.86)   4.833   +80 %  fits  runpod global
  ... and 24 more (--limit 0)
  
  $/work: what an hour of work on H100-SXM5-80GB costs there. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from data sheets and published speeds of other work (name yours: --workload).
  The work runs on CUDA; a port of the program is needed for MI300X: ranked after the others (--any-maker ranks them among these).
  Left out, sold with ARM processors only: GB200, T4G (--cpu any shows them).
  Price left out: MI300X at 0.50 $/h, runpod community; by its source no quote (placeholder).
  $ tare plan gpu --vram-gib 60 --on H100 --max-slowdown 1.2 --limit 2 --any-maker | head -6
  Needs 66.0 GiB (60.0 used, with 10 % room).
  Speed of one GPU against H100-SXM5-80GB; on_demand prices.
  
  GPU              $/h             speed  $/work  vs now        cheapest at
  MI300X          2.39  1.04 (0.53-2.59)   2.289   -15 %  fits  runpod global
  H100-SXM5-80GB  2.69              1.00   2.690     now  fits  runpod global
  $ tare plan gpu --vram-gib 60 --on MI300X --max-slowdown 1.2 --provider azure --limit 3 | tail -4
  $/work: what an hour of work on MI300X costs there. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from data sheets and published speeds of other work (name yours: --workload).
  The work runs on ROCm; a port of the program is needed for H200-SXM5-141GB: ranked after the others (--any-maker ranks them among these).
  Left out, sold with ARM processors only: GB200 (--cpu any shows them).
  $ tare plan gpu --vram-gib 60 --on H100 -o json | $FILES/../data/get 'maker' '[(n.gpu_model, n.usd_gpu_hour, n.term) for n in no_quotes]' 'candidates[0].maker' '[c.needs_port for c in candidates if c.gpu_model == "MI300X"]'
  nvidia
  [('MI300X', '0.5', 'placeholder')]
  nvidia
  [True]

Counters of a profile give a roofline; utilisation alone a wide one.

  $ tare plan gpu --vram-gib 30 --on H100 --util 0.9 --tensor 0.1 --dram 0.6 --provider aws --region us-east-1 --limit 3
  Needs 33.0 GiB (30.0 used, with 10 % room).
  Speed of one GPU against H100-SXM5-80GB; on_demand prices.
  
  GPU               $/h             speed  $/work  vs now        cheapest at
  RTX-PRO-6000     3.36  0.56 (0.39-0.80)   6.058   -12 %  fits  aws us-east-1
  A100-SXM4-40GB   2.74  0.45 (0.31-0.64)   6.154   -11 %  fits  aws us-east-1
  H200-SXM5-141GB  7.91  1.27 (0.88-1.83)   6.239    -9 %  fits  aws us-east-1
  ... and 14 more (--limit 0)
  
  $/work: what an hour of work on H100-SXM5-80GB costs there. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from the shares of time given and the data sheets (a roofline).
  Left out, sold with ARM processors only: T4G (--cpu any shows them).
  $ tare plan gpu --vram-gib 30 --on H100 --util 0.9 --provider aws --region us-east-1 --limit 3
  Needs 33.0 GiB (30.0 used, with 10 % room).
  Speed of one GPU against H100-SXM5-80GB; on_demand prices.
  
  GPU               $/h             speed  $/work  vs now        cheapest at
  L40S             1.86  0.33 (0.16-0.64)   5.721   -17 %  fits  aws us-east-1
  RTX-PRO-6000     3.36  0.55 (0.28-1.08)   6.136   -11 %  fits  aws us-east-1
  H200-SXM5-141GB  7.91  1.16 (0.59-2.28)   6.836    -1 %  fits  aws us-east-1
  ... and 14 more (--limit 0)
  
  $/work: what an hour of work on H100-SXM5-80GB costs there. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from the shares of time given and the data sheets (a roofline).
  Left out, sold with ARM processors only: T4G (--cpu any shows them).

Memory of a transformer: seven billion parameters on eight GPUs with ZeRO-3, and served in eight bits.

  $ tare plan gpu --params 7e9 --train --seq 2048 --batch 1 --zero 3 --gpus 8 --provider aws --region us-east-1 --limit 3
  Memory, estimated: 25.6 GiB a GPU = weights 1.6, gradients 1.6, optimizer 9.8, activations 9.0, context 1.4, fragmentation 2.2. Layers and heads assumed from the size.
  Speed of one GPU against A100-SXM4-80GB (--on names yours); on_demand prices.
  
  GPU              $/h             speed  $/work  vs now        cheapest at
  L40S            1.86  0.63 (0.32-1.57)   2.956       -  fits  aws us-east-1
  A100-SXM4-80GB  3.43              1.00   3.431       -  fits  aws us-east-1
  RTX-PRO-6000    3.36  0.93 (0.49-2.21)   3.599       -  fits  aws us-east-1
  ... and 14 more (--limit 0)
  
  $/work: what an hour of work on A100-SXM4-80GB costs there. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from data sheets and published speeds of other work (name yours: --workload).
  Left out, sold with ARM processors only: T4G (--cpu any shows them).
  $ tare plan gpu --params 7e9 --layers 32 --hidden 4096 --heads 32 --serve --bytes-per-param 1 --seq 4096 --batch 16 --provider aws --region us-east-1 --limit 3
  Memory, estimated: 43.8 GiB a GPU = weights 6.5, KV cache 32.0, context 1.4, fragmentation 3.9.
  Speed of one GPU against A100-SXM4-80GB (--on names yours); on_demand prices.
  
  GPU                $/h              speed  $/work  vs now        cheapest at
  RTX-PRO-6000      3.36   1.84 (0.77-6.83)   1.832       -  fits  aws us-east-1
  B200             14.24  6.77 (2.71-28.19)   2.103       -  fits  aws us-east-1
  H200-SXM5-141GB   7.91   2.58 (1.06-9.93)   3.072       -  fits  aws us-east-1
  ... and 14 more (--limit 0)
  
  $/work: what an hour of work on A100-SXM4-80GB costs there. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from data sheets and published speeds of other work (name yours: --workload).
  Left out, sold with ARM processors only: T4G (--cpu any shows them).
  $ tare plan gpu --params 7e9 --layers 32 --hidden 4096 --heads 32 --train --seq 2048 --recompute none -o json | $FILES/../data/get 'memory'
  {'weights_bytes': 14000000000, 'gradients_bytes': 14000000000, 'optimizer_bytes': 84000000000, 'activations_bytes': 30601641984, 'kv_cache_bytes': 0, 'context_bytes': 1500000000, 'fragmentation_bytes': 14260164198, 'total_bytes': 158361806182, 'shape_assumed': False}

Nothing fits: an answer. Memory that is not known: nothing can be said to fit.

  $ tare plan gpu --vram-gib 2000 --on H100 --provider aws --limit 2
  Needs 2200.0 GiB (2000.0 used, with 10 % room).
  Speed of one GPU against H100-SXM5-80GB; on_demand prices.
  
  GPU   $/h             speed  $/work  vs now                     cheapest at
  T4   0.53  0.12 (0.05-0.44)   4.360   -37 %  too little memory  aws us-east-1
  L4   0.80  0.15 (0.06-0.51)   5.459   -21 %  too little memory  aws us-east-1
  ... and 15 more (--limit 0)
  
  $/work: what an hour of work on H100-SXM5-80GB costs there. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from data sheets and published speeds of other work (name yours: --workload).
  Left out, sold with ARM processors only: T4G (--cpu any shows them).
  No GPU sold there fits.
  $ tare plan gpu --on H100 --provider aws --region us-east-1 --limit 2
  Memory need not known: nothing can be said to fit. Give --vram-gib or --params.
  Speed of one GPU against H100-SXM5-80GB; on_demand prices.
  
  GPU   $/h             speed  $/work  vs now                         cheapest at
  T4   0.53  0.12 (0.05-0.44)   4.360   -37 %  memory need not known  aws us-east-1
  L4   0.80  0.15 (0.06-0.51)   5.459   -21 %  memory need not known  aws us-east-1
  ... and 15 more (--limit 0)
  
  $/work: what an hour of work on H100-SXM5-80GB costs there. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from data sheets and published speeds of other work (name yours: --workload).
  Left out, sold with ARM processors only: T4G (--cpu any shows them).
  [3]

Bad input.

  $ tare plan gpu --vram-gib nan
  ! tare: --vram-gib: 'nan' is not a number from 0 to 1000000, such as 14
  [2]
  $ tare plan gpu --vram-gib -3
  ! tare: --vram-gib: '-3' is not a number from 0 to 1000000, such as 14
  [2]
  $ tare plan gpu --vram-gib 10 --on Voodoo2
  ! tare: --on: no GPU 'Voodoo2' in the catalogue
  !       Any usual spelling is fine: "A100 80GB", l4, V100-SXM2-16GB; see tare price
  [2]
  $ tare plan gpu --vram-gib 10 --step-time 2
  ! tare: --step-time needs --on: the GPU that it was measured on
  [2]
  $ tare plan gpu --vram-gib 10 --util 0.5
  ! tare: shares of time (--util, --tensor, --dram ...) need --on: the GPU that they were measured on
  [2]
  $ tare plan gpu --vram-gib 10 --on T4 --util 50
  ! tare: --util: '50' is not a number from 0 to 1, such as 0.9
  [2]
  $ tare plan gpu --vram-gib 10 --on T4 --measured A100=
  ! tare: --measured: 'A100=' is not a GPU=STEPS_PER_SECOND
  [2]
  $ tare plan gpu --vram-gib 10 --on T4 --step-time 0
  ! tare: --step-time: '0' is not a number from 1e-09 to 1000000000, such as 0.31
  [2]
  $ tare plan gpu --train --zero 3
  ! tare: --params is needed to estimate memory, such as --params 7e9
  [2]
  $ tare plan gpu --params -7e9
  ! tare: --params: '-7e9' is not a number from 1000 to 1e+15, such as 7e9
  [2]
  $ tare plan gpu --vram-gib 10 --workload chess 2>&1 | cut -c1-120
  tare: no workload 'chess' in the table of speeds
        It has nlp, recommendation, vision, speech, bert_base_squad, bert_large_squad, gnmt, ncf, resnet50, ssd, tacotron2
  $ tare plan gpu --vram-gib 10 --purchase rent
  ! tare: --purchase: 'rent' is not a way to buy
  !       The words are on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan owned
  [2]
  $ tare plan gpu extra
  ! tare: unknown argument 'extra'
  !       See: tare plan gpu --help
  [2]

A program for x86 does not run beside an ARM processor: such GPUs are left out and named, unless the program is said to run there.

  $ tare plan gpu --vram-gib 14 --on T4 --provider aws --limit 3
  Needs 15.4 GiB (14.0 used, with 10 % room).
  Speed of one GPU against T4; on_demand prices.
  
  GPU    $/h             speed  $/work  vs now        cheapest at
  L4    0.80  1.00 (0.44-3.28)   0.805   +53 %  fits  aws us-east-1
  L40S  1.86  2.08 (0.87-7.67)   0.895   +70 %  fits  aws us-east-1
  A10G  1.01  1.08 (0.48-3.52)   0.936   +78 %  fits  aws us-east-1
  ... and 14 more (--limit 0)
  
  $/work: what an hour of work on T4 costs there. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from data sheets and published speeds of other work (name yours: --workload).
  Left out, sold with ARM processors only: T4G (--cpu any shows them).
  $ tare plan gpu --vram-gib 14 --on T4 --provider aws --limit 0 --cpu any | grep ARM
  T4G (ARM)         0.42   0.84 (0.38-2.64)   0.501    -5 %  too little memory  aws us-east-1
  $ tare plan gpu --vram-gib 14 --on T4G --provider aws --limit 3
  Needs 15.4 GiB (14.0 used, with 10 % room).
  Speed of one GPU against T4G; on_demand prices.
  
  GPU         $/h  speed  $/work  vs now                     cheapest at
  T4G (ARM)  0.42   1.00   0.420     now  too little memory  aws us-east-1
  
  $/work: what an hour of work on T4G costs there. Speeds without a range are measured.
  Left out, sold with x86 processors only: A100-SXM4-40GB, A100-SXM4-80GB, A10G, B200, B300, H100-SXM5-80GB and 11 more (--cpu any shows them).
  No GPU sold there fits.
  $ tare plan gpu --vram-gib 14 --on T4 --provider aws -o json | python3 -c "
  > import json,sys
  > d = json.load(sys.stdin); print(d['cpu'], d['other_cpu'], {c['cpu'] for c in d['candidates']})"
  x86_64 ['T4G'] {'x86_64'}
  $ tare plan gpu --vram-gib 14 --cpu sparc
  ! tare: --cpu does not know 'sparc': it takes x86|arm64|any
  !       See: tare plan gpu --help
  [2]

A part of a GPU is no GPU: of Azure's RTX PRO 6000 sizes the small ones hold a part of one, nobody says how large; two names of one machine are one machine.

  $ tare plan gpu --vram-gib 72 --on A100-80GB --busy 0.36 --provider azure --region eastus --limit 3
  Needs 79.2 GiB (72.0 used, with 10 % room).
  Uses 36 % of a A100-SXM4-80GB: a GPU of that share of its speed is as good.
  Speed of one GPU against A100-SXM4-80GB; on_demand prices.
  
  GPU              $/h             speed  $/work  vs now        cheapest at
  A100-PCIE-80GB  3.67  0.94 (0.72-1.28)   3.673   -10 %  fits  azure eastus
  A100-SXM4-80GB  4.10              1.00   4.096     now  fits  azure eastus
  RTX-PRO-6000    5.50  0.93 (0.49-2.21)   5.500   +34 %  fits  azure eastus
  ... and 11 more (--limit 0)
  
  $/work: what an hour of work on A100-SXM4-80GB costs there. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from data sheets and published speeds of other work (name yours: --workload).
  Left out, sold with ARM processors only: GB200 (--cpu any shows them).
  $ tare price --instance Standard_NC24lds_xl_RTXPRO6000BSE_v6 --region eastus -o csv | cut -d, -f4-7,10; tare price --min-vram 72 --provider azure --region eastus --purchase on_demand --limit 3 -o csv | cut -d, -f4,5,10
  instance_type,gpu_model,gpu_count,purchase,usd_gpu_hour
  Standard_NC24lds_xl_RTXPRO6000BSE_v6,RTX-PRO-6000,,on_demand,
  instance_type,gpu_model,usd_gpu_hour
  Standard_NC24ads_A100_v4,A100-PCIE-80GB,3.673
  Standard_NC48ads_A100_v4,A100-PCIE-80GB,3.673
  Standard_NC96ads_A100_v4,A100-PCIE-80GB,3.673

No cloud's cheapest GPU of a model costs less than three eighths of what the other clouds take: that would be a part counted as a whole.

  $ for c in aws azure gcp; do tare price --provider $c --purchase on_demand -o csv --limit 0; done | python3 -c "
  > import csv, sys
  > least = {}
  > for r in csv.DictReader(sys.stdin):
  >     if r['gpu_count'] not in ('', 'gpu_count') and float(r['gpu_count']) >= 1 and r['usd_gpu_hour']:
  >         by = least.setdefault(r['gpu_model'], {})
  >         by[r['provider']] = min(by.get(r['provider'], 9e9), float(r['usd_gpu_hour']))
  > print(sum(len(by) > 1 for by in least.values()) > 8)
  > for m, by in sorted(least.items()):
  >     low = sorted(by.values())
  >     if len(low) > 1 and low[0] < .375 * low[1]: print(m, by)"
  True
