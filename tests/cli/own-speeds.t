Own measured speeds (what tare profile --workload NAME --steps N keeps) come before tables; a name of one's own is enough.
  $ mkdir -p own
  $ cat > own/speeds.csv <<EOF
  > time,workload,gpu,gpus,speed,steps,seconds,vram_p99_bytes,run
  > 2026-11-20T14:00:00Z,ranker-v2,A100-SXM4-80GB,1,3.5,7000,2000,12884901888,p-20261120-130131
  > 2026-11-20T15:00:00Z,ranker-v2,A100-SXM4-80GB,1,3.7,7400,2000,12884901888,p-20261120-140131
  > 2026-11-20T16:00:00Z,ranker-v2,A100-SXM4-80GB,4,14.4,28800,2000,11884901888,p-20261120-150131
  > 2026-11-20T17:00:00Z,Ranker-V2,L4,1,1.8,3600,2000,12884901888,p-20261120-160131
  > EOF
  $ tare plan gpu --db own --workload ranker-v2 --provider gcp --region us-central1 --limit 3
  Needs 13.2 GiB (12.0 used, with 10 % room).
  Measured, ranker-v2, steps a second of one GPU: A100-SXM4-80GB 3.6, L4 1.8.
  Speed of one GPU against A100-SXM4-80GB; on_demand prices.
  
  GPU              $/h             speed  $/1k steps  vs now        cheapest at
  L4              0.71              0.50      0.1091   -72 %  fits  gcp us-central1
  A100-SXM4-40GB  3.48  0.80 (0.43-1.79)      0.3367   -14 %  fits  gcp us-central1
  RTX-PRO-6000    4.50  0.98 (0.52-2.22)      0.3553    -9 %  fits  gcp us-central1
  ... and 2 more (--limit 0)
  
  $/1k steps: what 1,000 steps cost there, 3.6 a second on A100-SXM4-80GB. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from published speeds of such work, data sheets and what was measured.
The GPU it runs on and its memory can still be told; a broken line is named.
  $ tare plan gpu --db own --workload ranker-v2 --on L4 --vram-gib 30 --provider gcp --region us-central1 --limit 2
  Needs 33.0 GiB (30.0 used, with 10 % room).
  Measured, ranker-v2, steps a second of one GPU: A100-SXM4-80GB 3.6, L4 1.8.
  Speed of one GPU against L4; on_demand prices.
  
  GPU              $/h             speed  $/1k steps  vs now        cheapest at
  A100-SXM4-40GB  3.48  1.60 (0.86-3.59)      0.3367  +209 %  fits  gcp us-central1
  RTX-PRO-6000    4.50  1.95 (1.05-4.45)      0.3553  +226 %  fits  gcp us-central1
  ... and 3 more (--limit 0)
  
  $/1k steps: what 1,000 steps cost there, 1.8 a second on L4. Speeds without a range are measured.
  Ranges are estimates (5th to 95th percentile) from published speeds of such work, data sheets and what was measured.
  $ echo 'x,y,L4,1,fast,,,,' >> own/speeds.csv; tare plan gpu --db own --workload ranker-v2
  ! tare: 'own/speeds.csv': line 6, column speed: 'fast' is not a number above 0
  [2]
A workload that nobody measured and no table has:
  $ tare plan gpu --workload ranker-v3
  ! tare: no workload 'ranker-v3' in the table of speeds
  !       It has nlp, recommendation, vision, speech, bert_base_squad, bert_large_squad, gnmt, ncf, resnet50, ssd, tacotron2, transformerxlbase, transformerxllarge, waveglow; your own joins it by tare profile --workload NAME -- COMMAND
  [2]
