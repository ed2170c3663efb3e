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
  $ . ./env.sh; tare agent start
  ! tare: tare agent has no command 'start': it has status, export and init
  !       See: tare agent --help
  [2]
  $ tare agent init
  ! tare: name one: systemd, kubernetes, slurm-prolog or slurm-epilog
  !       See: tare agent init --help
  [2]
  $ tare agent status --state nothere
  ! tare: there is no 'nothere/agent.db'
  !       Has an agent run here? Start one with: tare agent --state nothere
  [2]
