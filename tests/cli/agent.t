tare agent: what is wrong is said before it watches anything. GPUs are those of the stub library (tests/stub/nvml).
  $ cat > env.sh <<EOF
  > export TARE_METADATA=off TARE_NVML=$BIN/../../tests/stub/nvml/libnvidia-ml.so.1 NODE_NAME=n1
  > EOF
  $ . ./env.sh; tare agent --state st --for 1s --listen 127.0.0.1:99999
  ! tare: '127.0.0.1:99999' is not an ADDRESS:PORT
  !       Such as 127.0.0.1:9757; none to listen nowhere
  [2]
  $ . ./env.sh; tare agent --state st --for 1s --listen localhost
  ! tare: 'localhost' is not an ADDRESS:PORT
  !       Such as 127.0.0.1:9757; none to listen nowhere
  [2]
  $ . ./env.sh; tare agent --state st --for 1s --listen 192.0.2.1:9757
  ! tare: cannot listen on '192.0.2.1:9757': Cannot assign requested address
  !       This machine has no such address; 127.0.0.1 is itself alone, 0.0.0.0 all of its addresses
  [2]
  $ . ./env.sh; tare agent --state st --for 1s --interval 5ms
  ! tare: --interval: 5ms is not between 100 ms and 1 h 00 min
  [2]
  $ . ./env.sh; tare agent --state st --for 1s --server tare.example.org
  ! tare: --server: 'tare.example.org' is not an address that begins with http:// or https://
  [2]
  $ . ./env.sh; tare agent --state st --for 1s --usd-gpu-hour free
  ! tare: --usd-gpu-hour: 'free' is not a price of an hour, such as 2.50
  [2]
  $ printf 'version: 1\nagent:\n  node: {purchase: stolen}\n' > c.yaml; tare agent --config c.yaml --state st
  ! tare: 'c.yaml' line 3: agent: purchase is no way to buy
  !       The words are on_demand spot reserved_1y reserved_3y committed_1y committed_3y savings_plan owned
  [2]
  $ . ./env.sh; tare agent --state /proc/nothing --for 1s
  ! tare: cannot make the folder '/proc/nothing': No such file or directory
  !       Name another one with --state
  [2]
  $ . ./env.sh; tare agent start
  ! tare: tare agent has no command 'start': it has status, export and init
  !       See: tare agent --help
  [2]
  $ tare agent init
  ! tare: name one: systemd, kubernetes, slurm, slurm-prolog or slurm-epilog
  !       See: tare agent init --help
  [2]
  $ tare agent status --state nothere
  ! tare: there is no 'nothere/agent.db'
  !       Has an agent run here? Start one with: tare agent --state nothere
  [2]
The unit starts the program from where it lies.
  $ tare agent init systemd | sed -n "s|^ExecStart=$BIN/|HERE/|p"
  HERE/tare-agent agent
Without a GPU it watches all the same: one may come.
  $ TARE_METADATA=off TARE_NVML=/nonexistent tare agent -q --state st --listen none --for 1s; tare agent status --state st | tail -1
  No GPU was seen. tare doctor says what is missing.
Whether one is at work there is said, too.
  $ tare agent status --state st | grep ^agent; tare agent status --state st -o json | grep -o '"running":[a-z]*'
  agent     not running: nothing is seen now
  "running":false
  $ TARE_METADATA=off TARE_NVML=/nonexistent TARE_STATE=st tare doctor | grep -A1 '^.. *agent  '
  no   agent                  not running, 'st'
                              -> tare agent status says what it has kept
  $ tare doctor -o csv
  ! tare: doctor prints a table or json
  !       See: tare doctor --help
  [2]
  $ TARE_METADATA=off TARE_NVML=/nonexistent tare agent -q --state st --listen none --for 20s & for i in $(seq 100); do tare agent status --state st | grep -q "^agent.*  running" && break; sleep 0.1; done
  > tare agent status --state st | grep ^agent; tare agent status --state st -o json | grep -o '"running":[a-z]*'; kill %1; wait %1
  agent     running
  "running":true
Slurm's prolog starts one, the next job's finds it, and the epilog of the last job ends it.
  $ mkdir bin; printf '#!/bin/sh\nexit 1\n' > bin/systemctl; printf '#!/bin/sh\ncat jobs\n' > bin/squeue; chmod +x bin/*; printf '5\n6\n' > jobs
  > export PATH="$PWD/bin:$BIN:$PATH" TARE_STATE=$PWD/slurm TARE_LISTEN=none TARE_METADATA=off TARE_NVML=/nonexistent
  > for i in prolog epilog; do tare agent init slurm-$i > $i.sh; done; sh prolog.sh
  > for i in $(seq 100); do grep -qs pid slurm/lock && break; sleep 0.1; done; sh prolog.sh; sleep 0.3; cat slurm/log
  > SLURM_JOB_ID=5 sh epilog.sh; tare agent status | grep ^agent; echo 6 > jobs
  > SLURM_JOB_ID=6 sh epilog.sh; for i in $(seq 100); do tare agent status | grep -q 'not running' && break; sleep 0.1; done; tare agent status | grep ^agent; ls slurm | grep by-slurm
  agent     running
  agent     not running: nothing is seen now
  [1]
The service without a settings file starts: the folder of settings is named to it, not a file that has to be there.
  $ tare agent init systemd | grep -c '^Environment=TARE_CONFIG'; tare agent init systemd | grep XDG_CONFIG_HOME=
  0
  Environment=XDG_CONFIG_HOME=/etc
  $ tare agent status --state st -o csv
  gpu,index,gpu_model,mig_profile,util_mean_pct,util_p50_pct,util_p95_pct,readings,busy_s,underused_s,idle_held_s,idle_empty_s,unallocated_s,unknown_s

What it exported, in a store: GPU time is the machine's, once, and alerts see what the minutes tell of the GPU: here a hot one, and an error of its hardware
in the first minute of the second half hour.

  $ mkdir exp && cd exp && python3 -c 'import json
  > def at(m): return f"2026-11-20T{m//60:02}:{m%60:02}:00Z"
  > print(json.dumps({"schema":"tare.agent/1","agent_id":"a","node":"n1"}))
  > print(json.dumps({"type":"node","node":"n1","gpu_ids":["G0"],"gpus":1,"from":at(0),"to":at(60)}))
  > print(json.dumps({"type":"allocation","id":"a-1","job_id":"7","team":"vision","workload":"training","gpu":"G0","share_kind":"whole","share_frac":1,"from":at(0),"to":at(60)}))
  > for m in range(60):
  >     print(json.dumps({"type":"minute","gpu":"G0","from":at(m),"to":at(m+1),"uses":[{"allocation":"a-1","job_id":"7","share_frac":1,"states":[{"state":"busy","ms":45000,"gpu_util_pct":80},{"state":"busy","ms":15000,"gpu_util_pct":70}]}],
  >         "metrics":{"temp_celsius":[60,80,92,60*(88 if m < 30 else 60)],"occupancy_frac":[60,0.1,0.4,18],"xid":[60,0,79 if m == 30 else 0,79 if m == 30 else 0]}}))' > n1.jsonl
  $ cd exp && tare import --db agent n1.jsonl
  n1.jsonl: agent, 122 rows kept, 1.00 GPU·h
  You see   idle time of each job; right size, booked time: tare plan --db agent
            busy, half-used and idle GPUs: tare report --by state --db agent
            machines that nobody holds: tare report --by state --db agent
  Add       a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
            a request log (requests.csv, Prometheus): replicas, sharing, latency
            kept
  $ cd exp && tare report --db agent -o json | grep -o '"total":{"gpu_seconds":"[^"]*"'
  "total":{"gpu_seconds":"3600"
  $ cd exp && tare alerts --db agent
    GPU    job  team    since           for   worst  state  cost
  gpu_fault · critical · GPU reports a hardware error
    n1/G0  7    vision  11-20 00:30  29 min          fires     -
  gpu_hot · warning · GPU is hot
    n1/G0  7    vision  11-20 00:02  34 min    88 C  over      -
  gpu_low_occupancy · info · kernels fill less than half of the SMs
    n1/G0  7    vision  11-20 00:30  30 min  30.0 %  fires     -
  
  2 firing at the end, 1 over; 1 GPU watched, 1 day to 2026-11-20 01:00 UTC

What fires stands in the status.

  $ printf 'version: 1\nalerts:\n  rules:\n    - {name: gpu_hot, window: 1s, for: 1s}\n' > hot.yaml; printf 'cards 1\ncard * temp=95 amp=0 util=50\n' > cards
  > export TARE_STUB_NVML=$PWD/cards TARE_METADATA=off TARE_NVML=$BIN/../../tests/stub/nvml/libnvidia-ml.so.1
  > tare agent -q --config hot.yaml --state hot --listen none --interval 250ms --for 6s
  > tare agent status --config hot.yaml --state hot | grep -A1 ^alerts | sed 's/20[-0-9]*T[0-9:.]*Z/TIME/; s/GPU-[-0-9a-f]*/GPU-ID/'
  > tare agent status --config hot.yaml --state hot -o json | grep -o '"alerts":.*' | sed 's/20[-0-9]*T[0-9:.]*Z/TIME/g; s/GPU-[-0-9a-f]*/GPU-ID/g; s/,"gpus.*//'
  alerts    1 fires (TIME)
            gpu_hot · warning, GPU GPU-ID since TIME
  "alerts":[{"rule":"gpu_hot","severity":"warning","summary":"GPU is hot","gpu":"GPU-ID","mig":null,"job":null,"since":"TIME"}],"alerts_as_of":"TIME"
