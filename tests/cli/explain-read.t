A job that only telemetry tells of: its GPUs are those that were read, its time is theirs, and no list says when it began.

  $ for m in 'GPU_UTIL 0' 'FB_USED 20000' 'FB_FREE 61920'; do set -- $m
  >   for g in 0 1; do echo "DCGM_FI_DEV_$1{gpu=\"$g\",UUID=\"GPU-$g\",modelName=\"NVIDIA A100-SXM4-80GB\",Hostname=\"k8s-a\",namespace=\"ml\",pod=\"train-1\"} $2"; done; done > dcgm.prom
  $ tare import -q --as dcgm --set step_s=60 --at 2026-11-20T08:00:00Z dcgm.prom; tare explain ml/train-1 | grep -E '^(On|Ran|Ended|Used)'; tare explain ml/train-1 -o json | grep -o '"gpus":[0-9.]*'
  On          k8s-a, 2 x NVIDIA A100-SXM4-80GB
  Ran         within 2026-11-20T08:00 to 2026-11-20T09:00, each GPU 1 min 00 s on
  Ended       not told
  Used        0 of 2 GPUs; utilisation 0 % on average, memory 19.5 GiB (p99 of its
  "gpus":2

A machine that only a bill knows is as large as all its jobs together in one hour, not as the largest of them: two pods of four GPUs fill no machine of eight, and readings of the others' GPUs, or of nobody's, are none of theirs.

  $ cat > bill.csv <<'EOF'
  > BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ProviderName,RegionId,ServiceName,ServiceCategory,ConsumedUnit,ConsumedQuantity,x_InstanceType
  > 100,100,USD,1,2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,2026-03-02T00:00:00Z,2026-03-03T00:00:00Z,Usage,i-0abc,AWS,us-east-1,Amazon Elastic Compute Cloud,Compute,Hours,24,p4d.24xlarge
  > EOF
  $ python3 - <<'EOF'
  > import json
  > def pod(name, hours):
  >     at = ["2026-03-02T00:00:00Z", "2026-03-03T00:00:00Z"]
  >     return {"name": name, "properties": {"cluster": "k", "namespace": "ml", "pod": name, "node": "ip-1", "providerID": "i-0abc"},
  >             "window": dict(zip(("start", "end"), at)), "start": at[0], "end": f"2026-03-02T{hours:02}:00:00Z" if hours < 24 else at[1], "gpuHours": 4 * hours}
  > json.dump({"code": 200, "data": [{"a": pod("chat-0", 24), "b": pod("fit-0", 12)}]}, open("pods.json", "w"))
  > with open("read.csv", "w") as f:
  >     print("time,node,gpu,job_id,gpu_util_pct,mem_used_bytes,step_s", file=f)
  >     for h in range(24):
  >         for g in range(8):
  >             job, util = ("ml/chat-0", 20) if g < 4 else ("ml/fit-0", 90) if h < 12 else ("", 0)
  >             print(f"2026-03-02T{h:02}:00:00Z,ip-1,{g},{job},{util},{(20 << 30) * (job != '')},3600", file=f)
  > EOF
  $ tare import -q --db w bill.csv pods.json read.csv; for j in chat-0 fit-0; do tare explain --db w ml/$j | grep -E '^(On|Used)'; done
  On          ip-1, p4d.24xlarge, 4 x A100-SXM4-40GB
  Used        4 of 4 GPUs; utilisation 20 % on average, memory 20.0 GiB (p99 of
  On          ip-1, p4d.24xlarge, 4 x A100-SXM4-40GB
  Used        4 of 4 GPUs; utilisation 90 % on average, memory 20.0 GiB (p99 of
