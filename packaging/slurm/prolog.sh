#!/bin/sh
# Slurm Prolog (slurm.conf: PrologFlags=Alloc, Prolog=/etc/slurm/prolog.d/*): an agent watches the node before the job's first second.
# Slurm runs it where it may be executed: chmod +x.
# Never fails a job and never waits: whatever happens, exit 0. The agent itself finds out which job has which GPU (cgroup, scontrol).
command -v tare-agent >/dev/null 2>&1 || exit 0
if command -v systemctl >/dev/null 2>&1 && systemctl cat tare-agent.service >/dev/null 2>&1; then
  systemctl is-active --quiet tare-agent.service || systemctl start --no-block tare-agent.service
  exit 0
fi
# Without systemd: one agent a node. Of two that start at once the second finds the lock taken and ends.
state=${TARE_STATE:-/var/lib/tare-agent}
pid=$(sed -n 's/^pid //p' "$state/lock" 2>/dev/null)
[ -n "$pid" ] && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = tare-agent ] && exit 0
mkdir -p "$state" 2>/dev/null
: >"$state/by-slurm" 2>/dev/null
TARE_STATE=$state setsid tare-agent agent -q </dev/null >>"$state/log" 2>&1 &
exit 0
