tare agent: what is wrong is said before it watches anything. Cards are those of the stub library (tests/stub/nvml).
  $ cat > env.sh <<EOF
  > export TARE_METADATA=off TARE_NVML=$(dirname $(readlink -f $(command -v tare)))/../../tests/stub/nvml/libnvidia-ml.so.1 NODE_NAME=n1
  > EOF
  $ . ./env.sh; tare agent --state st --for 1s --listen 127.0.0.1:99999
  ! tare: '127.0.0.1:99999' is no ADDRESS:PORT
  !       Such as 127.0.0.1:9757; none to listen nowhere
  [2]
  $ . ./env.sh; tare agent --state st --for 1s --listen localhost
  ! tare: 'localhost' is no ADDRESS:PORT
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
  ! tare: --server: 'tare.example.org' is no address that begins with http:// or https://
  [2]
  $ . ./env.sh; tare agent --state st --for 1s --usd-gpu-hour free
  ! tare: --usd-gpu-hour: 'free' is no price of an hour, such as 2.50
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
  $ tare agent init systemd | sed -n "s|^ExecStart=$(dirname $(readlink -f $(command -v tare)))/|HERE/|p"
  HERE/tare-agent agent
Without a GPU it watches all the same: one may come.
  $ TARE_METADATA=off TARE_NVML=/nonexistent tare agent -q --state st --listen none --for 1s; tare agent status --state st | tail -1
  No GPU was seen. tare doctor says what is missing.
  $ tare agent status --state st -o csv
  gpu,index,gpu_model,mig_profile,util_mean_pct,util_p50_pct,util_p95_pct,readings,busy_s,underused_s,idle_held_s,idle_empty_s,unallocated_s,unknown_s
