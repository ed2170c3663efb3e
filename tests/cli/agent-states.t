What an agent books is what the report says after its export was imported: every state and cause that it knows.

  $ python3 $FILES/files/agent-states.py export.jsonl > agent.csv; cat agent.csv
  GPU-a,busy,,80
  GPU-a,idle_empty,,60
  GPU-a,idle_held,,85
  GPU-a,idle_held,stalled,60
  GPU-a,unallocated,down,60
  GPU-a,unallocated,free,325
  GPU-a,underused,unknown,60
  GPU-a,unknown,unread,75
  GPU-a,unknown,unwatched,95
  GPU-b,busy,,120
  GPU-b,idle_held,,60
  GPU-b,idle_held,stalled,60
  GPU-b,unallocated,down,120
  GPU-b,unallocated,free,325
  GPU-b,underused,unknown,60
  GPU-b,unknown,unwatched,155
  $ tare import -q export.jsonl
  $ tare report --by gpu,state,cause -o csv | cut -d, -f1-3,5 | sed -E '/GPU-a,idle_(held|empty),(waiting|exited|never_launched)/s/,[a-z_]*,([0-9]*)$/,,\1/' | tail -n +2 | sort > report.csv; diff agent.csv report.csv && echo the same
  the same

A gap in the middle of a minute: its readings stand around it, so the ledger has what the agent had
(the whole minute was unallocated).

  $ cat > gap.jsonl <<X
  > {"schema":"tare.agent/1","agent_id":"a1","node":"n1","version":"1"}
  > {"type":"node","node":"n1","gpu_ids":["GPU-1"],"gpus":1,"gpu_model":"A100-SXM4-80GB","from":"2026-10-05T06:52:00Z","to":"2026-10-05T06:52:42.261Z"}
  > {"type":"event","at":"2026-10-05T06:52:21.441Z","event":"gap","code":4637}
  > {"type":"minute","gpu":"GPU-1","from":"2026-10-05T06:52:00Z","to":"2026-10-05T06:52:42.261Z","uses":[{"share_frac":1,"states":[{"state":"unallocated","cause":"free","ms":37624,"gpu_util_pct":0,"mem_used_bytes":0},{"state":"unknown","cause":"unwatched","ms":4637}]}]}
  > X
  $ tare import -q --db gap gap.jsonl; tare report --db gap --by state,cause -o csv | cut -d, -f1-4
  state,cause,currency,gpu_seconds
  unallocated,free,USD,37.624
  unknown,unwatched,USD,4.637

A GPU in MIG mode has power and no utilisation: its power is measured. While somebody unknown is in
one of its instances what nobody is known to hold is unknown, and not free; then, and where the
instance is gone, it is free again.

  $ cat > mig.jsonl <<X
  > {"schema":"tare.agent/1","agent_id":"a1","node":"n1","version":"1"}
  > {"type":"node","node":"n1","gpu_ids":["GPU-1"],"gpus":1,"gpu_model":"A100-SXM4-80GB","from":"2026-10-05T06:52:00Z","to":"2026-10-05T06:54:00Z"}
  > {"type":"event","at":"2026-10-05T06:52:00Z","event":"start"}
  > {"type":"event","at":"2026-10-05T06:52:00Z","event":"blind","gpu":"GPU-1","mig":"MIG-1"}
  > {"type":"event","at":"2026-10-05T06:52:00Z","event":"blind","gpu":"GPU-1","mig":"MIG-2"}
  > {"type":"event","at":"2026-10-05T06:52:30Z","event":"sighted","gpu":"GPU-1","mig":"MIG-1"}
  > {"type":"event","at":"2026-10-05T06:53:00Z","event":"sighted","gpu":"GPU-1","mig":"MIG-2"}
  > {"type":"minute","gpu":"GPU-1","from":"2026-10-05T06:52:00Z","to":"2026-10-05T06:53:00Z","uses":[{"share_frac":0.5,"states":[{"state":"unallocated","cause":"free","ms":60000,"power_w":300}]}]}
  > {"type":"minute","gpu":"GPU-1","from":"2026-10-05T06:53:00Z","to":"2026-10-05T06:54:00Z","uses":[{"share_frac":0.5,"states":[{"state":"unallocated","cause":"free","ms":60000,"power_w":60}]}]}
  > X
  $ tare import -q --db mig mig.jsonl; tare report --db mig --by state,cause -o csv | cut -d, -f1-4; tare report --db mig --energy -o csv
  state,cause,currency,gpu_seconds
  unallocated,free,USD,60
  unknown,unwatched,USD,60
  team,gpu_seconds,cost,kwh,co2_kg,measured_frac,estimated_frac,placed_frac,unpriced_gpu_seconds
  ,120,,0.006,,1,0,0,120

A GPU of which nothing was read and which nobody held is what the agent told of it too: not seen, gone, or with a driver that hung.

  $ for e in blind lost driver_stuck; do
  >   cat > $e.jsonl <<X
  > {"schema":"tare.agent/1","agent_id":"a1","node":"n1","version":"1"}
  > {"type":"node","node":"n1","gpu_ids":["GPU-1"],"gpus":1,"gpu_model":"A100-SXM4-80GB","from":"2026-10-05T06:52:00Z","to":"2026-10-05T06:54:00Z"}
  > {"type":"event","at":"2026-10-05T06:52:00Z","event":"start"}
  > {"type":"event","at":"2026-10-05T06:53:00Z","event":"$e","gpu":"GPU-1"}
  > X
  >   tare import -q --db $e $e.jsonl; tare report --db $e --by gpu,state,cause -o csv | cut -d, -f1-3,5 | tail -n +2
  > done
  GPU-1,unallocated,free,60
  GPU-1,unknown,unwatched,60
  GPU-1,unallocated,down,60
  GPU-1,unallocated,free,60
  GPU-1,unallocated,free,60
  GPU-1,unknown,unwatched,60
