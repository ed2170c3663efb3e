What tare run would do next, without doing it. What it does: tests/peers/t-run.py and, on a real Slurm, tests/peers/t-slurm-run.py.

  $ unset SLURM_JOB_ID; tare run --dry-run -- python3 train.py
  would run: python3 train.py
  exit code 85, interrupted and safe: nothing more
  $ tare run --dry-run --on-interrupt 'exec:next-one --again' -- python3 train.py
  would run: python3 train.py
  exit code 85, interrupted and safe: would run: next-one --again
  $ SLURM_JOB_ID=4711 tare run --dry-run --on-interrupt requeue -- python3 train.py
  would run: python3 train.py
  exit code 85, interrupted and safe: would run: scontrol requeue 4711
  $ tare run --on-interrupt requeue -- touch started
  ! tare: this is no job of Slurm's (SLURM_JOB_ID is not set): there is nothing to put back into the queue
  !       With exec:PROGRAM a program of yours starts the next attempt
  [2]
  $ tare run --on-interrupt again -- touch started
  ! tare: 'again' is neither requeue nor exec:PROGRAM nor none
  [2]
  $ ls
