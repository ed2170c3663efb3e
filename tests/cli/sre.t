Who keeps the machines running, from a clean home: an agent on a node whose GPU is hot, what it keeps, tare top, and what fires. GPUs are those of the stub library (tests/stub/nvml).

  $ unset TARE_DB; mkdir state; printf 'version: 1\nalerts:\n  rules:\n    - {name: gpu_hot, window: 1s, for: 1s}\n' > hot.yaml
  > printf 'cards 2\ncard * procs=0 util=0 amp=0 mem_gib_used=1 mem_gib=80 name="NVIDIA H100 80GB HBM3" arch=9 power_limit=700\ncard 1 temp=95\n' > cards
  > cat > env.sh <<EOF
  > export TARE_METADATA=off TARE_NVML=$BIN/../../tests/stub/nvml/libnvidia-ml.so.1 TARE_STUB_NVML=$PWD/cards NODE_NAME=n1
  > EOF
  > . ./env.sh; tare agent --config hot.yaml --state state --usd-gpu-hour 2.50 --interval 100ms --listen none --for 4s 2>&1 | grep -v 'pprof' | sed 's/, kept in.*//' | head -1
  > tare doctor --state state | grep -E "^ *(-|!|ok|no)? *agent" | sed 's/ *$//'
  > tare agent status --state state --config hot.yaml | grep -c '^alerts'
  tare agent: 2 GPUs on n1 every 100 ms
  no   agent                  not running, 'state'
  1

The page of the GPUs: both hold memory and do nothing.

  $ . ./env.sh; tare top --once --usd-gpu-hour 2.50 | sed -n '4,6p' | awk '{ print $1, $2, $3, $NF }'
  GPU model util why
  0 H100-SXM5-80GB 0% idle_held
  1 H100-SXM5-80GB 0% idle_held

What fires now is asked of the agent's folder; the store, which is not there, is not needed.

  $ . ./env.sh; tare agent -q --config hot.yaml --state state --listen none --interval 250ms --for 20s & for i in $(seq 100); do tare agent status --state state | grep -q "^agent.*  running" && break; sleep 0.1; done
  > tare alerts --state state --config hot.yaml | sed 's/[0-9-]* [0-9][0-9]:[0-9][0-9] /TIME /; s/[0-9]* min /N min /; s/GPU-[0-9a-f-]*…*[0-9a-f-]*/GPU-ID/; s/watched, .*/watched/; /^20.*Z$/d'
  > tare alerts --state state --config hot.yaml --match severity=warning --fail -q >/dev/null; echo $?; tare alerts --state state --config hot.yaml --match severity=critical --fail >/dev/null; echo $?
  > tare alerts --state state --config hot.yaml -o json | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["schema"], [(a["rule"], a["state"], a["cost"]) for a in d["alerts"]])'
  > kill %1; wait %1; tare alerts --state nowhere
    GPU                                          job  team  since          for  worst  state  cost
  gpu_hot · warning · GPU is hot
    n1/GPU-ID  -    -     TIME  N min   95 C  fires     -
  
  1 firing at the end, 0 over; 2 GPUs watched
  1
  0
  tare.alerts/1 [('gpu_hot', 'firing', None)]
  ! tare: cannot open the folder 'nowhere': No such file or directory
  !       One that runs writes them once a minute: tare agent --state DIR
  [2]

An agent that is no more: what it saw last is not what fires now.

  $ . ./env.sh; tare alerts --state state --config hot.yaml | sed 's/20[-0-9]*T[0-9:.]*Z/TIME/; s/TIME, [^ ]* ago/TIME, N ago/' | head -3; tare alerts --state state --config hot.yaml --fail -o json 2> /dev/null | python3 -c 'import json,sys; d=json.load(sys.stdin)["agent"]; print(d["running"], d["stale"])'
  > tare alerts --state state --config hot.yaml --fail -o csv > /dev/null 2>&1; echo $?
  No agent runs in 'state': below is what fired when one last wrote,
  TIME, 0 s ago. What fires now is not known; start one: tare
  agent --state state
  False True
  3

What one job did, as the last line of its script or of the Slurm epilog that is shipped.

  $ . ./env.sh; printf 'cards 2\ncard * procs=0 util=0 amp=0 mem_gib_used=1 mem_gib=80 name="NVIDIA H100 80GB HBM3" arch=9 power_limit=700\ncard 1 procs=1 pidfile=%s/pid util=60 mem_gib_used=14\n' $PWD > cards
  > (exec env SLURM_JOB_ID=4711 SLURM_JOB_UID=$(id -u) TARE_TEAM=vision sleep 20) & echo $! > pid
  > tare agent -q --state job --listen none --interval 200ms --for 3s; kill $(cat pid)
  > tare explain 4711 --state job --usd-gpu-hour 2500 | sed 's/[0-9.]* s:/N s:/; s/: busy .* USD/: busy .. N USD/'
  > tare explain 4711 --state job | sed 's/.* · //; s/[0-9][0-9.,]*/N/g; s/(.*)/(PLACE)/'
  > tare explain 4712 --state job
  job 4711: 1 GPU for N s: busy .. N USD, 0.00 of it idle
  about <N USD, N of it idle at N $/GPU-h, the cheapest HN-SXMN-NGB on demand of the catalogue (PLACE); its own price: --usd-gpu-hour
  ! tare: the agent has seen no job '4712' on this machine
  [2]
  $ printf '#!/bin/sh\necho "$@"; cat\n' > logger; chmod +x logger; PATH=$PWD:$PATH:$BIN SLURM_JOB_ID=4711 TARE_STATE=$PWD/job sh $SRC/packaging/slurm/epilog.sh | sed 's/[0-9.]* s: busy.*/N s: busy ../'
  -t tare[job 4711]
  job 4711: 1 GPU for N s: busy ..

A recording of two machines has GPUs 0 to 3 twice: they are told apart. Without a GPU the agent says what to do.

  $ TARE_GPU_REPLAY=$SRC/examples/samples.csv TARE_GPU_REPLAY_SPEED=60 tare agent --listen none -q --state rep --for 2s; tare agent status --state rep | sed -n '/^GPU/,$p' | cut -c1-24 | sed 's/ *$//'
  GPU       model
  train-1/0 H100-SXM5-80GB
  train-1/1 H100-SXM5-80GB
  train-1/2 H100-SXM5-80GB
  train-1/3 H100-SXM5-80GB
  train-2/0 H100-SXM5-80GB
  train-2/1 H100-SXM5-80GB
  train-2/2 H100-SXM5-80GB
  train-2/3 H100-SXM5-80GB
  $ TARE_NVML=/nothing.so tare agent --listen none --state none --for 1s 2>&1 | tail -1
  tare agent: it goes on and looks for them again; tare doctor says what is missing, TARE_GPU_REPLAY=samples.csv plays a recording instead
