#!/bin/sh
# Slurm Epilog (slurm.conf: Epilog=/etc/slurm/epilog.d/*; chmod +x): what the job's GPUs did, in one line into the node's log (journalctl -t 'tare[job 4711]'); an agent that the prolog started ends with the last job.
# In a job's own script the last line may be: tare explain "$SLURM_JOB_ID" --state /var/lib/tare-agent   (where the agent's folder may be read).
# Never fails a node: whatever happens, exit 0.
command -v tare-agent >/dev/null 2>&1 || exit 0
state=${TARE_STATE:-/var/lib/tare-agent}
if command -v logger >/dev/null 2>&1; then
  { tare explain "${SLURM_JOB_ID:-?}" --state "$state" 2>/dev/null ||
    tare-agent agent status --state "$state" --since 1h 2>/dev/null | sed -n '/^GPU/,$p'; } |
    logger -t "tare[job ${SLURM_JOB_ID:-?}]" 2>/dev/null
fi
[ -e "$state/by-slurm" ] || exit 0
others=$(squeue -h -w "${SLURMD_NODENAME:-$(hostname -s)}" -t running -o %A 2>/dev/null | grep -vx "${SLURM_JOB_ID:-0}" | wc -l)
if [ "${others:-1}" -eq 0 ]; then
  pid=$(sed -n 's/^pid //p' "$state/lock" 2>/dev/null)
  # Only what is still the agent: numbers are used again.
  [ -n "$pid" ] && [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = tare-agent ] && kill -TERM "$pid"
  rm -f "$state/by-slurm"
fi
exit 0
