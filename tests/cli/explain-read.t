A job that only telemetry tells of: its GPUs are those that were read, its time is theirs, and no list says when it began.

  $ for m in 'GPU_UTIL 0' 'FB_USED 20000' 'FB_FREE 61920'; do set -- $m
  >   for g in 0 1; do echo "DCGM_FI_DEV_$1{gpu=\"$g\",UUID=\"GPU-$g\",modelName=\"NVIDIA A100-SXM4-80GB\",Hostname=\"k8s-a\",namespace=\"ml\",pod=\"train-1\"} $2"; done; done > dcgm.prom
  $ tare import -q --as dcgm --set step_s=60 --at 2026-11-20T08:00:00Z dcgm.prom; tare explain ml/train-1 | grep -E '^(On|Ran|Ended|Used)'; tare explain ml/train-1 -o json | grep -o '"gpus":[0-9.]*'
  On          k8s-a, 2 x NVIDIA A100-SXM4-80GB
  Ran         within 2026-11-20T08:00 to 2026-11-20T09:00, each GPU 1 min 00 s on
  Ended       not told
  Used        0 of 2 GPUs; utilisation 0 % on average, memory 19.5 GiB (p99 of its
  "gpus":2
