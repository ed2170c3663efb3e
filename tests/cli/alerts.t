Alerts from the store: what fired, whose it was, for how long, what it cost. Two GPUs for four hours: the first is held and left alone by job 7, then worked by job 8;
the second is hot for a while and has a gap in its readings.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\nn1,aws,us-east-1,A100-SXM4-80GB,2,on_demand,2026-11-20T00:00:00Z,2026-11-20T04:00:00Z,8\n' > nodes.csv
  $ printf 'job_id,team,user,workload,gpus,gpu_ids,node,start,end\n7,vision,ann,training,1,0,n1,2026-11-20T00:00:00Z,2026-11-20T02:00:00Z\n8,nlp,bob,inference,1,0,n1,2026-11-20T02:00:00Z,2026-11-20T04:00:00Z\n9,nlp,bob,inference,1,1,n1,2026-11-20T00:00:00Z,2026-11-20T04:00:00Z\n' > jobs.csv
  $ python3 -c 'print("time,node,gpu,gpu_util_pct,mem_used_bytes,mem_total_bytes,temp_celsius,step_s")
  > for m in range(240):
  >     t = f"2026-11-20T{m//60:02}:{m%60:02}:00Z"
  >     print(f"{t},n1,0,{0 if m < 120 else 98},{0 if m < 120 else 70000000000},80000000000,40,60")
  >     if not 100 <= m < 130: print(f"{t},n1,1,70,40000000000,80000000000,{88 if 60 <= m < 100 else 50},60")' > s.csv
  $ tare import -q nodes.csv jobs.csv s.csv
  $ tare alerts
    GPU   job  team    since           for   worst  state  cost USD
  gpu_memory_high · warning · GPU memory is nearly full
    n1/0  8    nlp     11-20 02:10   1.8 h  87.5 %  fires      7.33
  gpu_held_no_process · warning · GPU is allocated and nothing runs on it
    n1/0  7    vision  11-20 00:16   1.8 h          over       7.00
  gpu_hot · warning · GPU is hot
    n1/1  9    nlp     11-20 01:02   1.2 h    88 C  over       4.93
  gpu_at_capacity · info · GPU is at capacity
    n1/0  8    nlp     11-20 03:01  59 min  98.0 %  fires      3.93
  
  2 firing at the end, 2 over; 2 GPUs watched, 1 day to 2026-11-20 04:00 UTC
  Not told: 1 that follow from another alert on the same GPU, 0 silenced (--all
  shows them)

What it cost is that of the GPU whatever readings call it: by a uuid of which the list of machines knows nothing, by a place where it has
the uuids.

  $ sed 's/,n1,\([01]\),/,n1,GPU-\1,/' s.csv > uuid.csv; sed '1s/gpu_count,/&gpu_ids,/; 2s/,2,on/,2,GPU-b;GPU-a,on/' nodes.csv > ids.csv
  $ for f in 'nodes.csv uuid.csv' 'ids.csv s.csv'; do tare import -q --db named jobs.csv $f; tare alerts --db named -o json | python3 -c '
  > import json, sys
  > for a in json.load(sys.stdin)["alerts"]: print(a["gpu"], a["cost"], end="; ")'; echo; rm -r named; done
  GPU-0 7; GPU-1 4.933333333334; GPU-0 7.333333333333; GPU-0 3.933333333333; 
  0 7; 1 4.933333333334; 0 7.333333333333; 0 3.933333333333; 

  $ tare alerts --all --match gpu=0
    GPU   job  team    since           for   worst  state            cost USD
  gpu_memory_high · warning · GPU memory is nearly full
    n1/0  8    nlp     11-20 02:10   1.8 h  87.5 %  fires                7.33
  gpu_held_no_process · warning · GPU is allocated and nothing runs on it
    n1/0  7    vision  11-20 00:16   1.8 h          over                 7.00
  gpu_underused · warning · GPU utilisation is low
    n1/0  7    vision  11-20 00:30   1.5 h   0.0 %  over, held back      6.07
  gpu_at_capacity · info · GPU is at capacity
    n1/0  8    nlp     11-20 03:01  59 min  98.0 %  fires                3.93
  
  2 firing at the end, 1 over; 2 GPUs watched, 1 day to 2026-11-20 04:00 UTC
  Not told: 1 that follow from another alert on the same GPU, 0 silenced (--all
  shows them)
  $ tare alerts --by team,rule
  team    rule                 alerts  firing          for  cost
  nlp     gpu_memory_high           1       1   1 h 50 min  7.33
  vision  gpu_held_no_process       1       0   1 h 45 min  7.00
  nlp     gpu_hot                   1       0   1 h 14 min  4.93
  nlp     gpu_at_capacity           1       1  59 min 00 s  3.93
  
  2 firing at the end, 2 over; 2 GPUs watched, 1 day to 2026-11-20 04:00 UTC
  Not told: 1 that follow from another alert on the same GPU, 0 silenced (--all
  shows them)
  $ tare alerts -o json --match rule=gpu_hot
  {"schema":"tare.alerts/1","window":{"since":"2026-11-19T04:00:00Z","until":"2026-11-20T04:00:00Z"},"gpus":2,"samples":450,"firing":0,"alerts":[{"rule":"gpu_hot","severity":"warning","state":"over","node":"n1","gpu":"1","mig":null,"gpu_model":"A100-SXM4-80GB","cluster":null,"job":"9","user":"bob","team":"nlp","project":null,"env":null,"workload":"inference","since":"2026-11-20T01:02:00Z","until":"2026-11-20T02:16:00Z","seconds":4440,"signal":"temp_celsius","comparison":"above","threshold":83,"worst":88,"told":true,"follows":null,"silenced":false,"why_over":"cleared","cost":"4.933333333334","currency":"USD"}]}
  $ tare alerts -o csv --by job
  job,alerts,firing,seconds,cost
  8,2,2,10140,11.266666666666
  7,1,0,6300,7
  9,1,0,4440,4.933333333334
  $ tare alerts --fail --match gpu=1 > /dev/null
  $ tare alerts --fail --match rule=gpu_at_capacity > /dev/null
  [1]
  $ tare alerts --since 2026-11-20T00:00:00Z --until 2026-11-20T01:00:00Z
    GPU   job  team    since           for  worst  state  cost USD
  gpu_held_no_process · warning · GPU is allocated and nothing runs on it
    n1/0  7    vision  11-20 00:16  44 min         fires      2.93
  
  1 firing at the end, 0 over; 2 GPUs watched, 1 h to 2026-11-20 01:00 UTC
  Not told: 1 that follow from another alert on the same GPU, 0 silenced (--all
  shows them)

A window without readings says where the last ones are.

  $ tare alerts --since 2026-11-20T12:00:00Z
  No readings of GPUs in 12 h to 2026-11-20. The last ones are of
  2026-11-20T04:00:00Z: --since 2026-11-20
  [3]
GPUs of one job that began within a minute stand in one line.

  $ python3 -c 'print("time,node,gpu,job_id,gpu_util_pct,mem_used_bytes,mem_total_bytes,temp_celsius,step_s")
  > for m in range(60):
  >     for g in (0, 1, 2, 5): print(f"2026-11-19T02:{m:02}:00Z,n2,{g},77,80,40000000000,80000000000,{90 + g},60")' > s2.csv
  $ tare import -q --db two s2.csv && tare alerts --db two
    GPU       job  team  since           for  worst  state  cost
  gpu_hot · warning · GPU is hot
    n2/0-2,5  77   -     11-19 02:02  58 min   95 C  fires     -
  
  4 firing at the end, 0 over; 4 GPUs watched, 1 day to 2026-11-19 03:00 UTC

Rules are changed by the settings; a silence holds back.

  $ printf 'version: 1\nalerts:\n  rules:\n    - {name: gpu_hot, above: 90}\n    - {name: gpu_at_capacity, enabled: false}\n  receivers:\n    - {name: chat, kind: slack, url: "https://hooks.example/T/B/secret"}\n  silences:\n    - {when: {team: vision}, until: 2026-12-01, why: moving}\n' > c.yaml
  $ tare alerts --config c.yaml
    GPU   job  team  since          for   worst  state  cost USD
  gpu_memory_high · warning · GPU memory is nearly full
    n1/0  8    nlp   11-20 02:10  1.8 h  87.5 %  fires      7.33
  
  1 firing at the end, 0 over; 2 GPUs watched, 1 day to 2026-11-20 04:00 UTC
  Not told: 0 that follow from another alert on the same GPU, 2 silenced (--all
  shows them)
  $ tare alerts rules --config c.yaml
  gpu_lost · critical · GPU is gone
    lost; over once it is not for 1 min
  gpu_fault · critical · GPU reports a hardware error
    fault; over once it is not for 1 h
  gpu_held_no_process · warning · GPU is allocated and nothing runs on it
    held_no_process, for 15 min; over once it is not for 1 min
  gpu_underused · warning · GPU utilisation is low
    mean of gpu_util_pct over 30 min below 40.0 %; only where not known to be
      free; over at 45.0 % for 5 min
  gpu_at_capacity · off · GPU is at capacity
    max of gpu_util_pct over 1 min above 95.0 %, for 1 h; over at 90.0 % for 5
      min
  gpu_memory_high · warning · GPU memory is nearly full
    min of mem_used_frac over 10 min above 85.0 %; over at 80.0 % for 15 min
  gpu_hot · warning · GPU is hot
    mean of temp_celsius over 1 min above 90 C, for 1 min; over at 87 C for 5
      min
  gpu_power_high · info · GPU power is near its limit
    mean of power_frac_of_tdp over 5 min above 90.0 %, for 10 min; over at
      85.0 % for 5 min
  gpu_low_occupancy · info · kernels fill less than half of the SMs
    mean of occupancy_frac over 30 min below 50.0 %; only where
      workload=training; over at 55.0 % for 5 min
  $ tare alerts test chat --config c.yaml --dry-run
  chat (slack): POST https://hooks.example/...
  {"text":"[test] this is a test of tare: -/none","attachments":[{"color":"good","title":"tare_test","text":"-/none, since 2026-11-21T00:00:00Z\nWhat to do: nothing: tare alerts test sent it","fallback":"[test] this is a test of tare: -/none"}]}
  $ tare alerts test chit --config c.yaml
  ! tare: no receiver is called 'chit'
  !       Did you mean 'chat'?
  [2]
  $ tare alerts test chat
  ! tare: no receiver is called 'chat'
  !       There are none: name them under alerts: receivers: in the configuration.
  [2]
  $ tare alerts silence 'rule=gpu_hot,node=n*' --for 2h --why 'fan is changed' --dry-run
  would be silent until 2026-11-21T02:00:00Z: rule=gpu_hot,node=n*
  $ tare alerts test xyzzy --config c.yaml
  ! tare: no receiver is called 'xyzzy'
  !       There is: chat
  [2]
  $ tare alerts silence 'rule=gpu_hot,node=n*' --for 2h --why 'fan is changed' | sed '/^Undo/s/[0-9a-f]*$//'
  Silent until 2026-11-21T02:00:00Z.
  Undo: tare alerts unsilence 
  An agent minds it where its settings name this store (agent: silences: DIR).
  To silence the agent of a machine: the same with --state DIR, its folder.
  $ tare alerts silences --config c.yaml | cut -d' ' -f3- | tail -2 | cut -c1-23
        team=vision      
  rule=gpu_hot,node=n*  2
  $ tare alerts silences -o json | sed 's/"id":"[0-9a-f]*"/"id":"ID"/; s/"by":"[a-z]*"/"by":"ME"/'
  {"schema":"tare.alerts.silences/1","silences":[{"id":"ID","match":"rule=gpu_hot,node=n*","until":"2026-11-21T02:00:00Z","by":"ME","why":"fan is changed"}]}
  $ ID=$(tare alerts silences -o csv | tail -1 | cut -d, -f1); tare alerts unsilence $ID -q; tare alerts silences
  No silence is in force.
  $ tare alerts unsilence 0123456789abcdef
  ! tare: no silence has the id '0123456789abcdef'
  !       See them: tare alerts silences
  [2]

The agent of a machine, which pages, is silenced in its own folder, and not by the store of the reports.

  $ tare agent --for 1s -q --listen none --state st 2>/dev/null; tare alerts silence 'rule=gpu_hot' --for 2h --why x --state st | sed '/^Undo/s/[0-9a-f]*$//'; tare alerts silences
  > tare alerts silences --state st -o csv | cut -d, -f2,5; ID=$(tare alerts silences --state st -o csv | tail -1 | cut -d, -f1); tare alerts --state st unsilence $ID -q; tare alerts silences --state st
  Silent until 2026-11-21T02:00:00Z.
  Undo: tare alerts --state st unsilence 
  No silence is in force.
  match,why
  rule=gpu_hot,x
  No silence is in force.

What is wrong is said.

  $ tare alerts silence team=vision --for 2h
  ! tare: a silence needs --for SPAN and --why TEXT: it ends by itself, and others can read why it is there
  !       See: tare alerts --help
  [2]
  $ tare alerts silence teem=vision --for 2h --why x
  ! tare: 'teem' is nothing that an alert can be told by
  !       Did you mean 'team'?
  [2]
  $ tare alerts silence team=vision --for ever --why x
  ! tare: --for: 'ever' is not a duration up to a year, such as 2h or 3d
  [2]
  $ tare alerts rulez
  ! tare: 'rulez' is nothing that tare alerts does; did you mean 'rules'?
  !       See: tare alerts --help
  [2]
  $ tare alerts --by teem
  ! tare: 'teem' is nothing to add up over; did you mean 'team'?
  !       See: tare alerts --help
  [2]
  $ tare alerts --match nonsense
  ! tare: 'nonsense' is not a FIELD=PATTERN or FIELD!=PATTERN, such as team=vision
  [2]
  $ printf 'version: 1\nalerts:\n  rules:\n    - {name: gpu_hot, abuve: 90}\n' > bad.yaml; tare alerts rules --config bad.yaml
  ! tare: 'bad.yaml' line 4: 'abuve' is not a key known here
  !       Did you mean 'above'?
  [2]
  $ printf 'version: 1\nalerts:\n  rules:\n    - {name: gpu_hott, above: 90}\n' > bad.yaml; tare alerts rules --config bad.yaml
  ! tare: 'bad.yaml' line 4: a rule of one's own needs a 'signal'
  !       Did you mean the rule 'gpu_hot'?
  [2]
  $ printf 'version: 1\nalerts:\n  rules:\n    - {name: ours, signal: loudness, above: 90}\n' > bad.yaml; tare alerts rules --config bad.yaml
  ! tare: 'bad.yaml' line 4: 'loudness' is not a signal
  !       The signals are listed in docs/CONFIG.md, at alerts: rules: signal
  [2]
  $ TARE_DB=empty tare alerts
  ! tare: there is no store in 'empty' yet
  !       Bring something in with `tare import FILE`, or try `tare demo`
  [2]

A lost GPU, by what an agent exported: the driver no longer saw G0 at 00:30 until 01:10, and again from 01:30 on, until the agent was switched off at 02:00: what is lost then is not
known. G1 has no readings from 00:40 to 01:10, and nobody said that it was lost. In the second half of the night the agent is a new one that never saw G0.

  $ python3 -c '
  > import json
  > def t(m): return f"2026-11-18T{m // 60:02}:{m % 60:02}:00Z"
  > def line(**k): print(json.dumps(k))
  > line(schema="tare.agent/1", agent_id="a", node="n3")
  > for a, b in ((0, 120), (240, 300)): line(type="node", node="n3", gpus=2, gpu_ids=["G0", "G1"], gpu_model="A100-SXM4-80GB", usd_gpu_hour="4", **{"from": t(a), "to": t(b)})
  > for at, event, gpu in ((0, "start", None), (30, "lost", "G0"), (70, "back", "G0"), (90, "lost", "G0"), (240, "start", None)):
  >     line(type="event", at=t(at), event=event, **({"gpu": gpu} if gpu else {}))
  > line(type="allocation", id="1", job_id="31", team="vision", gpu="G0", share_kind="whole", share_frac=1, open=True, **{"from": t(0), "to": t(120)})
  > for m in range(300):
  >     for gpu in ("G0", "G1"):
  >         if 120 <= m < 240 or (gpu == "G0" and (30 <= m < 70 or m >= 90)) or (gpu == "G1" and 40 <= m < 70): continue
  >         use = {"states": [{"state": "busy", "ms": 60000, "gpu_util_pct": 77}], "share_frac": 1}
  >         if gpu == "G0": use |= {"allocation": "1", "job_id": "31"}
  >         line(type="minute", gpu=gpu, uses=[use], metrics={}, **{"from": t(m), "to": t(m + 1)})' > agent.jsonl
  $ tare import -q --db lost agent.jsonl && tare alerts --db lost
    GPU    job  team    since           for  worst  state    cost USD
  gpu_lost · critical · GPU is gone
    n3/G0  31   vision  11-18 00:30  42 min         over         2.80
    n3/G0  31   vision  11-18 01:30  30 min         no data      2.00
  
  1 firing at the end, 1 over; 2 GPUs watched, 1 day to 2026-11-18 05:00 UTC
  $ tare alerts --db lost --until 2026-11-18T01:45:00Z
    GPU    job  team    since           for  worst  state  cost USD
  gpu_lost · critical · GPU is gone
    n3/G0  31   vision  11-18 00:30  42 min         over       2.80
    n3/G0  31   vision  11-18 01:30  15 min         fires      1.00
  
  1 firing at the end, 1 over; 2 GPUs watched, 1 day to 2026-11-18 01:45 UTC
  $ tare alerts --db lost --since 2026-11-18T00:50:00Z --until 2026-11-18T01:00:00Z -o json
  {"schema":"tare.alerts/1","window":{"since":"2026-11-18T00:50:00Z","until":"2026-11-18T01:00:00Z"},"gpus":2,"samples":70,"firing":1,"alerts":[{"rule":"gpu_lost","severity":"critical","state":"firing","node":"n3","gpu":"G0","mig":null,"gpu_model":"A100-SXM4-80GB","cluster":null,"job":"31","user":null,"team":"vision","project":null,"env":null,"workload":null,"since":"2026-11-18T00:30:00Z","until":"2026-11-18T01:00:00Z","seconds":1800,"signal":"lost","comparison":"above","threshold":0.5,"worst":1,"told":true,"follows":null,"silenced":false,"why_over":null,"cost":"2","currency":"USD"}]}

Agents before this told of no start: a GPU that has readings again is back, though nobody said so, and no reading later is no loss.

  $ grep -v '"event": "start"\|"event": "back"\|"at": "2026-11-18T01' agent.jsonl | grep -v '"gpu": "G0".*"from": "2026-11-18T04:[23]' > older.jsonl
  $ tare import -q --db older older.jsonl && tare alerts --db older --match rule=gpu_lost
    GPU    job  team    since           for  worst  state  cost USD
  gpu_lost · critical · GPU is gone
    n3/G0  31   vision  11-18 00:30  42 min         over       2.80
  
  0 firing at the end, 1 over; 2 GPUs watched, 1 day to 2026-11-18 05:00 UTC

The driver as a whole: every GPU that was there is gone with it; G1, which was not seen for a quarter of an hour before, is not counted.

  $ sed -e 's/"event": "lost", "gpu": "G0"/"event": "driver_lost"/' -e 's/"event": "back", "gpu": "G0"/"event": "driver_back"/' agent.jsonl |
  >     grep -v '"gpu": "G1".*"from": "2026-11-18T00:[1-3]' > driver.jsonl
  $ tare import -q --db driver driver.jsonl && tare alerts --db driver --match rule=gpu_lost --until 2026-11-18T01:20:00Z
    GPU    job  team    since           for  worst  state  cost USD
  gpu_lost · critical · GPU is gone
    n3/G0  31   vision  11-18 00:30  42 min         over       2.80
  
  0 firing at the end, 1 over; 2 GPUs watched, 1 day to 2026-11-18 01:20 UTC

Whose it was where no list of jobs names the GPU: a notebook on one of two GPUs, by what is read of them; the team by a rule of the settings. A GPU
that the list says is free is nobody's fault: it is not underused. Without a list that covers it nobody knows.

  $ printf 'version: 1\nvirtual_tags: [{when: {user: dana}, set: {team: research}}]\n' > team.yaml
  > printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour,cluster\nnb,gcp,us-east1,A100-SXM4-80GB,2,on_demand,2026-11-20T00:00:00Z,2026-11-20T04:00:00Z,4,k\nfree,gcp,us-east1,A100-SXM4-80GB,1,on_demand,2026-11-20T00:00:00Z,2026-11-20T04:00:00Z,4,k\n' > k-nodes.csv
  > printf 'job_id,user,gpus,node,start,end,cluster\njupyter-dana,dana,1,nb,2026-11-20T00:00:00Z,2026-11-20T04:00:00Z,k\n' > pods.csv
  > python3 -c 'print("time,node,gpu,gpu_util_pct,mem_used_bytes,mem_total_bytes,step_s")
  > for m in range(240):
  >     for g, used in ("nb,0", 9000000000), ("nb,1", 0), ("free,0", 0): print(f"2026-11-20T{m//60:02}:{m%60:02}:00Z,{g},0,{used},80000000000,60")' > k.csv
  > tare import -q --db k k-nodes.csv k.csv; tare alerts --db k --since 2026-11-20; tare import -q --db k --config team.yaml --covers k pods.csv
  > tare alerts --db k --since 2026-11-20; tare report --db k --by team,job,state -o csv | cut -d, -f1-5
    GPU   job  team  since          for  worst  state  cost USD
  gpu_underused · warning · GPU utilisation is low
    nb/0  -    -     11-20 00:30  3.5 h  0.0 %  fires      7.00
  
  1 firing at the end, 0 over; 3 GPUs watched, 4 h to 2026-11-20 04:00 UTC
    GPU   job           team      since          for  worst  state  cost USD
  gpu_underused · warning · GPU utilisation is low
    nb/0  jupyter-dana  research  11-20 00:30  3.5 h  0.0 %  fires      7.00
  
  1 firing at the end, 0 over; 3 GPUs watched, 4 h to 2026-11-20 04:00 UTC
  team,job,state,currency,gpu_seconds
  ,,unallocated,USD,28800
  research,jupyter-dana,idle_held,USD,14400

Of each rule the most expensive lines, and what the others come to with the command that shows them: nothing that was asked is lost in it.

  $ python3 - <<'EOF'
  > print("time,node,gpu,gpu_util_pct,mem_used_bytes,mem_total_bytes,step_s", file=(s := open("many.csv", "w")))
  > print("node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour", file=(n := open("many-nodes.csv", "w")))
  > for k in range(9):
  >     print(f"m{k},aws,us-east-1,A100-SXM4-80GB,1,on_demand,2026-11-20T00:00:00Z,2026-11-20T04:00:00Z,{k + 1}", file=n)
  >     for m in range(240): print(f"2026-11-20T{m//60:02}:{m%60:02}:00Z,m{k},0,0,1000000000,80000000000,60", file=s)
  > EOF
  > tare import -q --db many many-nodes.csv many.csv; tare alerts --db many --since 2026-11-20; tare alerts --db many --match 'node=m[1-8]' --limit 1 | head -4; tare alerts --db many --limit 0 | grep -c ' m[0-9]/'
    GPU   job  team  since          for  worst  state  cost USD
  gpu_underused · warning · GPU utilisation is low
    m8/0  -    -     11-20 00:30  3.5 h  0.0 %  fires     31.50
    m7/0  -    -     11-20 00:30  3.5 h  0.0 %  fires     28.00
    m6/0  -    -     11-20 00:30  3.5 h  0.0 %  fires     24.50
    m5/0  -    -     11-20 00:30  3.5 h  0.0 %  fires     21.00
    m4/0  -    -     11-20 00:30  3.5 h  0.0 %  fires     17.50
    and 4 more, 35.00 USD: tare alerts --db many --since 2026-11-20 --match rule=gpu_underused --limit 0
  
  9 firing at the end, 0 over; 9 GPUs watched, 4 h to 2026-11-20 04:00 UTC
  0 firing at the end, 0 over; 9 GPUs watched, 1 day to 2026-11-20 04:00 UTC
  9
