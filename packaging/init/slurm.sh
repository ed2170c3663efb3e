#!/bin/bash
# A Slurm job that preemption and the time limit cannot hurt: sbatch THIS-FILE. Lines with YOURS are to be looked at.
#SBATCH --job-name=train
#SBATCH --output=%x-%j.log
#SBATCH --open-mode=append
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --gres=gpu:1                # YOURS
#SBATCH --time=24:00:00             # YOURS: of one attempt; the training goes on in the next
# May be put back into the queue, by Slurm when it is preempted and by the last lines below when the time is up.
#SBATCH --requeue
# SIGTERM to the steps this many seconds before the limit (Slurm may be a minute early): longer than saving and copying away take.
#SBATCH --signal=TERM@300
set -euo pipefail

# YOURS: a folder that all nodes see
export TARE_CHECKPOINT_DIR="${TARE_CHECKPOINT_DIR:-$SLURM_SUBMIT_DIR/checkpoints-$SLURM_JOB_NAME}"
# New at each start, the same on all ranks: parts of two attempts are never put together.
export TARE_ATTEMPT="$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}"
# Attempts that end without getting anywhere are not repeated for ever.
MAX_RESTARTS=200

# Under srun, because a preempted job's first signal goes to its steps and not to this script.
code=0
srun --kill-on-bad-exit=0 tare run -- python3 train.py || code=$?

# 85: saved and not finished. After a preemption Slurm has put the job back already; then this line is not reached or does no harm.
if ((code == 85 && ${SLURM_RESTART_COUNT:-0} < MAX_RESTARTS)); then
  scontrol requeue "$SLURM_JOB_ID"
  exit 0
fi
exit "$code"
