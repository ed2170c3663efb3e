OpenCost answers for windows that were asked for: in those, and only in those, somebody would have
seen who held a GPU, also where nothing but pods without GPUs ran. Hours 0, 3 and 5 were not asked.
  $ cat > nodes.csv <<'END'
  > node,provider,region,cluster,gpu_model,gpu_count,purchase,from,to,usd_hour
  > gpu-1,lab,r1,prod,A100-SXM4-80GB,2,owned,2026-11-01T00:00:00Z,2026-11-01T06:00:00Z,8
  > END
  $ python3 - <<'END'
  > import json
  > def rec(pod, hour, gpus):
  >     at = [f"2026-11-01T{h:02}:00:00Z" for h in (hour, hour + 1)]
  >     return {"name": pod, "window": {"start": at[0], "end": at[1]}, "start": at[0], "end": at[1],
  >             "properties": {"cluster": "prod", "node": "gpu-1", "namespace": "ml", "pod": pod},
  >             "gpuHours": gpus, "gpuCount": gpus, "cpuCoreHours": 1}
  > steps = [{"web": rec("web", 1, 0)}, {"a": rec("train-0", 2, 1), "web": rec("web", 2, 0)}, None,
  >          {"web": rec("web", 4, 0)}]
  > json.dump({"code": 200, "data": steps}, open("allocation.json", "w"))
  > END
  $ tare import -q nodes.csv allocation.json
  $ tare report --by hour,state,cause -o csv | cut -d, -f1-3,5
  hour,state,cause,gpu_seconds
  2026-11-01T00:00:00Z,unknown,unwatched,7200
  2026-11-01T01:00:00Z,unallocated,free,7200
  2026-11-01T02:00:00Z,unallocated,free,3600
  2026-11-01T02:00:00Z,unknown,unread,3600
  2026-11-01T03:00:00Z,unknown,unwatched,7200
  2026-11-01T04:00:00Z,unallocated,free,7200
  2026-11-01T05:00:00Z,unknown,unwatched,7200
  $ tare report --by state,quality -o csv | cut -d, -f1,2,4 | grep unallocated
  unallocated,measured,18000

Pods tell which machine of a bill their node is, whichever comes first; without its id the same time may stand twice, and it is said.

  $ cat > bill.csv <<'EOF'
  > BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,BillingPeriodStart,BillingPeriodEnd,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ProviderName,RegionId,ServiceName,ServiceCategory,ConsumedUnit,ConsumedQuantity,x_InstanceType
  > 100,100,USD,1,2026-03-01T00:00:00Z,2026-04-01T00:00:00Z,2026-03-02T00:00:00Z,2026-03-03T00:00:00Z,Usage,i-0abc,AWS,us-east-1,Amazon Elastic Compute Cloud,Compute,Hours,24,p4d.24xlarge
  > EOF
  > pods() { printf '{"code":200,"data":[{"p":{"name":"p","properties":{"cluster":"k","namespace":"ml","pod":"p","node":"ip-10-0-1-5.ec2.internal"%s},"window":{"start":"2026-03-02T00:00:00Z","end":"2026-03-03T00:00:00Z"},"start":"2026-03-02T00:00:00Z","end":"2026-03-02T12:00:00Z","gpuHours":96,"gpuAllocation":{"gpuModel":"NVIDIA-A100-SXM4-40GB"}}}]}' "$1"; }
  > pods ',"providerID":"aws:///us-east-1a/i-0abc"' > named.json; pods '' > bare.json
  > tare import -q --db x bill.csv; tare import -q --db x named.json; tare import -q --db y named.json; tare import -q --db y bill.csv
  > for d in x y; do tare report --db $d --by node,state -o csv | cut -d, -f1-4; done
  > tare import --db z bill.csv bare.json | grep twice; tare report --db z --by node -o csv | cut -d, -f1-3; tare doctor --db z | grep -c twice
  > printf 'node,provider,region,gpu_model,gpu_count,purchase,from,resource_id\nip-10-0-1-5.ec2.internal,aws,us-east-1,A100-SXM4-40GB,8,on_demand,2026-03-02,i-0abc\n' > nodes.csv
  > tare import --db z nodes.csv | grep twice; tare report --db z --by node -o csv | cut -d, -f1-3; tare doctor --db z | grep -c twice
  node,state,currency,gpu_seconds
  ip-10-0-1-5.ec2.internal,unallocated,USD,345600
  ip-10-0-1-5.ec2.internal,unknown,USD,345600
  node,state,currency,gpu_seconds
  ip-10-0-1-5.ec2.internal,unallocated,USD,345600
  ip-10-0-1-5.ec2.internal,unknown,USD,345600
      note: 96.0 GPU·h may stand twice: of machines that jobs or readings name and no bill or node list knows (such as ip-10-0-1-5.ec2.internal), beside machines with the same GPU, paid on the same days, that no job or reading names (such as i-0abc); a node list says which is which: import one with each node's resource_id as on the bill
  node,currency,gpu_seconds
  i-0abc,USD,691200
  ip-10-0-1-5.ec2.internal,USD,345600
  1
  node,currency,gpu_seconds
  ip-10-0-1-5.ec2.internal,USD,691200
  0
  [1]

Readings of a pod by its bare name are its own, where no other pod of the machine is called so: readings that name another job than the GPU's count for nothing, and the import says it.

  $ printf 'node,provider,region,cluster,gpu_model,gpu_count,purchase,from,to,usd_hour\ngpu-1,lab,r1,prod,A100-SXM4-80GB,4,owned,2026-11-01T00:00:00Z,2026-11-01T06:00:00Z,8\n' > four.csv
  $ python3 - <<'END'
  > import json
  > at = ["2026-11-01T00:00:00Z", "2026-11-01T06:00:00Z"]
  > rec = lambda ns, pod, gpus: {"name": pod, "window": dict(zip(("start", "end"), at)), "start": at[0], "end": at[1],
  >        "properties": {"cluster": "prod", "node": "gpu-1", "namespace": ns, "pod": pod}, "gpuHours": 6 * gpus, "gpuCount": gpus}
  > json.dump({"code": 200, "data": [{"a": rec("ml", "train-0", 4)}]}, open("one.json", "w"))
  > json.dump({"code": 200, "data": [{"a": rec("ml", "train-0", 2), "b": rec("qa", "train-0", 2)}]}, open("two.json", "w"))
  > for name in "train-0", "other":
  >     with open(name + ".csv", "w") as f:
  >         print("time,node,gpu,job_id,gpu_util_pct,step_s", *(f"{at[0]},gpu-1,{g},{name},90,21600" for g in range(4)), sep="\n", file=f)
  > END
  $ for d in 'p four.csv one.json train-0.csv' 'q four.csv train-0.csv one.json' 'r four.csv two.json train-0.csv' 's four.csv one.json other.csv'; do
  >   set -- $d; for f in $2 $3 $4; do tare import --db $1 $f 2>&1 | grep -o 'readings name .*are they one'; done; tare report --db $1 --by job,state -o csv | cut -d, -f1,2,4 | tail -n +2; done
  ml/train-0,busy,86400
  ml/train-0,busy,86400
  readings name 1 job that no list has on the machine, and count for nothing while another holds the GPU: on gpu-1 'train-0' beside 'ml/train-0'; are they one
  ml/train-0,unknown,43200
  qa/train-0,unknown,43200
  readings name 1 job that no list has on the machine, and count for nothing while another holds the GPU: on gpu-1 'other' beside 'ml/train-0'; are they one
  ml/train-0,unknown,86400
  $ tare explain --db p ml/train-0 | grep ^Used
  Used        4 of 4 GPUs; utilisation 90 % on average
