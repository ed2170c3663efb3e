Readings of MIG instances without any job: DCGM tells the profile of an instance, so it has its slices of the GPU, and what no instance
covers is nobody's. One 1g instance of a recorded A100 is read for a day: a seventh of it.

  $ python3 - <<'P'
  > from datetime import datetime, timedelta, timezone
  > t0 = datetime(2026, 10, 1, tzinfo=timezone.utc)
  > at = [t0 + timedelta(minutes=m) for m in range(0, 1440, 5)]
  > open("nodes.csv", "w").write("node,provider,region,gpu_count,gpu_model,gpu_ids,cluster,from,to,usd_hour,purchase\n"
  >     "n1,own,here,1,A100-SXM4-80GB,GPU-a,c,2026-10-01,2026-10-02,7,owned\n")
  > open("one.csv", "w").write("time,node,gpu,mig,mig_profile,cluster,gpu_util_pct,mem_used_bytes,step_s\n" + "".join(
  >     f"{t:%FT%TZ},n1,GPU-a,7,1g.10gb,c,85,{5 << 30},300\n" for t in at))
  > label = 'gpu="0",UUID="GPU-a",modelName="NVIDIA A100-SXM4-80GB",Hostname="n1"'
  > two = lambda t: "".join(f'DCGM_FI_PROF_GR_ENGINE_ACTIVE{{{label},GPU_I_ID="{i}",GPU_I_PROFILE="{p}"}} {u} {t.timestamp():.0f}\n'
  >     f'DCGM_FI_DEV_FB_USED{{{label},GPU_I_ID="{i}",GPU_I_PROFILE="{p}"}} 5000 {t.timestamp():.0f}\n' for i, p, u in ((7, "1g.10gb", 0.85), (3, "3g.40gb", 0.0)))
  > open("two.prom", "w").write("".join(map(two, at)))
  > minute = lambda t: ('{"type":"minute","gpu":"GPU-a","mig":"MIG-1","from":"%s","to":"%s","uses":[{"states":[{"state":"busy","ms":60000,"gpu_util_pct":90}]}]}\n'
  >     % (f"{t:%FT%TZ}", f"{t + timedelta(minutes=1):%FT%TZ}"))
  > open("agent.jsonl", "w").write('{"schema":"tare.agent/1","node":"n1"}\n{"type":"device","gpu":"GPU-a","gpu_model":"A100-SXM4-80GB"}\n'
  >     '{"type":"device","gpu":"GPU-a","mig":"MIG-1","mig_profile":"2g.20gb"}\n' + "".join(minute(t0 + timedelta(minutes=m)) for m in range(1440)))
  > P
  $ echo 'tare report --db $1 --by state,cause --sort name -o csv | cut -d, -f1,2,4' > states
  $ tare import -q --db one nodes.csv one.csv; sh states one
  state,cause,gpu_seconds
  busy,,12342.864
  unallocated,free,74057.136

The order and going back do not matter, and without a record of the machine its time is what was read.

  $ tare import -q --db order one.csv; sh states order; tare import -q --db order nodes.csv; sh states order
  state,cause,gpu_seconds
  busy,,12342.857
  state,cause,gpu_seconds
  busy,,12342.864
  unallocated,free,74057.136
  $ tare import -q --db one --undo one.csv; sh states one; tare import -q --db one one.csv; sh states one
  state,cause,gpu_seconds
  unknown,unwatched,86400
  state,cause,gpu_seconds
  busy,,12342.864
  unallocated,free,74057.136

Two instances, one of them idle: three sevenths of the GPU are held by somebody who does nothing, three are free.

  $ tare import -q --db two nodes.csv two.prom; sh states two
  state,cause,gpu_seconds
  busy,,12342.864
  idle_held,,37028.568
  unallocated,free,37028.568

What the agent writes has the profile in the line of the device.

  $ tare import -q --db agent nodes.csv agent.jsonl; sh states agent
  state,cause,gpu_seconds
  busy,,24685.704
  unallocated,free,61714.296
