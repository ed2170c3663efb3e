tare top without a GPU and without a terminal: says why there is nothing and what to do; wrong options are named. The page itself: tests/unit/agent/t-top.c, tests/peers/t-top.py.

  $ tare top extra
  ! tare: top takes no arguments, and was given 'extra'
  !       See: tare top --help
  [2]
  $ tare top -o csv
  ! tare: top prints a table or json
  !       See: tare top --help
  [2]
  $ tare top --interval 1ms
  ! tare: --interval: 1ms is not between 100 ms and 1 h 00 min
  [2]
  $ tare top --usd-gpu-hour free
  ! tare: --usd-gpu-hour: 'free' is not a price of an hour, such as 2.50
  [2]
  $ TARE_NVML=/nonexistent NODE_NAME=node-a tare top --once
  tare top  node-a · 00:00:00 UTC · 0 GPUs
  
  No GPU to watch here.
  there is no NVIDIA driver: '/nonexistent' cannot be opened
  
  tare doctor   says what tare can and cannot see on this machine, and what to do about it
  TARE_GPU_REPLAY=samples.csv tare top   shows a recording instead
  $ TARE_NVML=/nonexistent NODE_NAME=node-a tare top -o json | python3 -c 'import json,sys; d = json.load(sys.stdin); print(d["schema"], d["node"], d["time"], d["gpus"], d["problem"], d["rate"]["usd_gpu_hour"], d["wasted"]["source"])'
  tare.top/1 node-a 2026-11-21T00:00:00Z [] there is no NVIDIA driver: '/nonexistent' cannot be opened None since_start

A recording of two machines, which is shipped: the GPUs say whose they are; in JSON too.

  $ export TARE_METADATA=off TARE_GPU_REPLAY=$SRC/examples/samples.csv; tare top --once | grep -o '^ train-[12]/[0-9] H100-SXM5-80GB *[0-9]*%'
  > tare top -o json | python3 -c 'import json,sys; print(sorted({(g["node"], g["index"]) for g in json.load(sys.stdin)["gpus"]})[3:5])'
   train-1/0 H100-SXM5-80GB  96%
   train-1/1 H100-SXM5-80GB  94%
   train-1/2 H100-SXM5-80GB  50%
   train-1/3 H100-SXM5-80GB  12%
   train-2/0 H100-SXM5-80GB   0%
   train-2/1 H100-SXM5-80GB   0%
   train-2/2 H100-SXM5-80GB  88%
   train-2/3 H100-SXM5-80GB  70%
  [('train-1', 3), ('train-2', 0)]
