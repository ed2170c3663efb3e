Who keeps the machines running, from a clean home: an agent on a node whose card is hot, what it keeps, tare top, and what fires. Cards are those of the stub library (tests/stub/nvml).

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

What fires now is asked of the agent's folder; the store, which is not there, is not needed.

  $ . ./env.sh; tare alerts --state state --config hot.yaml | sed 's/[0-9-]* [0-9][0-9]:[0-9][0-9] /TIME /; s/[0-9]* min /N min /; s/GPU-[0-9a-f-]*…*[0-9a-f-]*/GPU-ID/; s/watched, .*/watched/; /^20.*Z$/d'
  > tare alerts --state state --config hot.yaml --match severity=warning --fail -q >/dev/null; echo $?; tare alerts --state state --config hot.yaml --match severity=critical --fail >/dev/null; echo $?
  > tare alerts --state state --config hot.yaml -o json | python3 -c 'import json,sys; d=json.load(sys.stdin); print(d["schema"], [(a["rule"], a["state"], a["cost"]) for a in d["alerts"]])'
  > tare alerts --state nowhere
    GPU                          job  team  since          for  worst  state  cost
  gpu_hot · warning · GPU is hot
    n1/GPU-ID  -    -     TIME  N min   95 C  fires     -
  
  1 firing at the end, 0 over; 2 GPUs watched
  1
  0
  tare.alerts/1 [('gpu_hot', 'firing', None)]
  ! tare: cannot open the folder 'nowhere': No such file or directory
  !       One that runs writes them once a minute: tare agent --state DIR
  [2]
