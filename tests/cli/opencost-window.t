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
