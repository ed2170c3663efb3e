Jobs on the virtual clock. Two machines of 4 GPUs: the third job waits for the first, the fourth slips into the gap.

  $ cat > jobs.csv <<X
  > start,length,gpus
  > 2026-11-01T00:00:00Z,2,4
  > 2026-11-01T00:00:00Z,3,3
  > 2026-11-01T00:10:00Z,1,4
  > 2026-11-01T00:20:00Z,0.5,1
  > 2026-11-01T00:30:00Z,1,9
  > X
  $ tare simulate jobs --jobs jobs.csv --gpus 8 --gpus-node 4 --usd-gpu-hour 2
  4 jobs on 8 GPUs in machines of 4
  
  left out                        1 jobs that want more than there is
  GPU-hours paid                 24.0
            of jobs              21.5  89.6 %
            lost                  0.0  to restarts, checkpoints, work done again
  cost                          48.00  $ in all
  most at once                    8    GPUs
  first to last end               3.0  h
  wait                         1650.0  s on average, 95 % under 6634 s
  deadlines missed                0
  out of memory                   0
  interruptions                   0    0 jobs moved to on-demand machines
  digest           25e2c230482c5cca    seed 1: equal runs are equal here

GPUs are simulated whole: a job of a part takes one, and that is said. A list's demand keeps the parts.

  $ printf 'start,length,gpus\n0,2,0.4\n0,1,1.5\n0,2,1\n' > parts.csv
  $ tare simulate jobs --jobs parts.csv --gpus 8 --gpus-node 4 | sed -n 3,5p
  rounded up                      2 jobs that want a part of a GPU
  GPU-hours paid                 16.0
            of jobs               6.0  37.5 %
  $ printf 'time,price\n0,1\n9,1\n' > hours.csv
  $ tare plan schedule --jobs parts.csv --prices hours.csv --slack 4h | grep part
  2 jobs of a part of a machine: each was given the whole of it.

The same seed gives the same bytes, another seed others; interruptions cost work, the fallback keeps the deadlines.

  $ tare simulate jobs --generate 2000 --gpus 400 --hazard 0.05 --checkpoint 30m -o json > a; tare simulate jobs --generate 2000 --gpus 400 --hazard 0.05 --checkpoint 30m -o json > b
  $ cmp a b; tare simulate jobs --generate 2000 --gpus 400 --hazard 0.05 --checkpoint 30m --seed 2 -o json | cmp -s a -; echo $?
  1
  $ tare simulate jobs --generate 500 --hazard 0.2 --checkpoint 30m --deadline-slack 0.5 --usd-gpu-hour 1 -o json | grep -E 'misses|fallbacks'
    "deadline_misses": 14,
    "fallbacks": 0,
  $ tare simulate jobs --generate 500 --hazard 0.2 --checkpoint 30m --deadline-slack 0.5 --usd-gpu-hour 1 --fallback-usd-gpu-hour 3 -o json | grep -E 'misses|fallbacks|cost|digest'
    "deadline_misses": 0,
    "fallbacks": 364,
    "cost": "4794.98",
    "digest": "e13077ca667bfd14"

What makes no sense is said.

  $ tare simulate jobs
  ! tare: one of --jobs and --generate is needed
  !       See: tare simulate jobs --help
  [2]
  $ tare simulate jobs --generate 5 --gpus -3
  ! tare: --gpus: '-3' is not a whole number from 0 to 100000000, such as 2400
  [2]
  $ tare simulate jobs --generate 5 --hazard often
  ! tare: --hazard: 'often' is not a number from 0 to 3600, such as 0.05
  [2]
  $ printf 'start,length,gpus\n' > none.csv; tare simulate jobs --jobs none.csv
  ! tare: 'none.csv': no job in it
  [3]
  $ printf 'start,length,gpus\n2026-11-01,-4,1\n' > bad.csv; tare simulate jobs --jobs bad.csv
  ! tare: 'bad.csv' line 2: length: '-4' is not a length that a job can have
  [2]

A table that is no list of jobs says what one is, and how another table becomes one.

  $ printf 'BilledCost,x\n1,2\n' > bill.csv; tare simulate jobs --jobs bill.csv
  ! tare: 'bill.csv': no column submit or start (or timestamp, arrival_time)
  !       A list of jobs is a CSV or JSON lines with submit (or start), length in hours (or duration in seconds, or start and end), gpus. Another table (sacct's too) becomes one so:
  !       tare import FILE (--map NAME|FILE where it wants one, docs/MAPS.md), then
  !       tare sql -o csv 'SELECT job, submit_utc AS submit, start_utc AS start, end_utc AS "end", gpus FROM jobs WHERE NOT running' > jobs.csv
  [2]
  $ printf 'job_id,start,end\na,2026-11-01T00:00:00Z,2026-11-01T10:00:00Z\n' > silent.csv; tare simulate jobs --jobs silent.csv --gpus 16 2>&1 | head -1
  tare: 'silent.csv': no column gpus (or num_gpus, units)
  $ printf 'start,length,gpus\n0,2,\n' > empty.csv; tare simulate jobs --jobs empty.csv --gpus 16
  ! tare: 'empty.csv' line 2: gpus: '' is not a number in the range that this can have
  [2]

What sacct writes is brought in first: its GPUs are in AllocTRES, and a job that still runs has no end.

  $ cat > sacct.txt <<X
  > JobID|User|State|Submit|Start|End|Elapsed|AllocTRES
  > 1|ana|COMPLETED|2026-11-01T00:00:00|2026-11-01T00:00:00|2026-11-01T02:00:00|02:00:00|gres/gpu=4
  > 2|ana|RUNNING|2026-11-01T00:00:00|2026-11-01T00:00:00|Unknown|03:00:00|gres/gpu=2
  > X
  $ tare simulate jobs --jobs sacct.txt --gpus 16
  ! tare: 'sacct.txt': no column gpus (or num_gpus, units)
  !       A list of jobs is a CSV or JSON lines with submit (or start), length in hours (or duration in seconds, or start and end), gpus. Another table (sacct's too) becomes one so:
  !       tare import FILE (--map NAME|FILE where it wants one, docs/MAPS.md), then
  !       tare sql -o csv 'SELECT job, submit_utc AS submit, start_utc AS start, end_utc AS "end", gpus FROM jobs WHERE NOT running' > jobs.csv
  [2]
  $ tare import -q --db slurm sacct.txt; tare sql --db slurm -o csv 'SELECT job, submit_utc AS submit, start_utc AS start, end_utc AS "end", gpus FROM jobs WHERE NOT running' > list.csv; tare simulate jobs --jobs list.csv --gpus 16 | grep 'of jobs'
            of jobs               8.0  25.0 %
  $ tare simulate jobs bill.csv
  ! tare: unknown argument 'bill.csv': a list of jobs is given as --jobs bill.csv
  !       See: tare simulate jobs --help
  [2]
  $ printf 'job_id,gpus,start,end\n1,2,2026-03-01T00:00:00Z,2026-03-01T04:00:00Z\n' > jobs.csv; tare import -q --db db jobs.csv; tare sql --db db -o csv 'SELECT job, submit_utc AS submit, start_utc AS start, end_utc AS "end", gpus FROM jobs' > list.csv; tare simulate jobs --jobs list.csv | head -3
  1 job on machines of 8 GPUs that come and go
  
  GPU-hours paid                 32.0

Jobs come when they were submitted, not when the queue of then let them start; from submit to end is no run time. Three jobs of one hour at once wait 1 h on average.

  $ printf 'submit,start,end,gpus\n0,0,1,8\n0,1,2,8\n0,2,3,8\n' > at_once.csv; tare simulate jobs --jobs at_once.csv --gpus 8 | grep -E 'of jobs|^wait'
            of jobs              24.0  100.0 %
  wait                         3600.0  s on average, 95 % under 7259 s
  $ printf 'start,end,gpus\n0,1,8\n1,2,8\n2,3,8\n' > began.csv; tare simulate jobs --jobs began.csv --gpus 8 | grep -E 'of jobs|^wait'
            of jobs              24.0  100.0 %
  wait                            0.0  s on average, 95 % under 0 s
  $ printf 'submit,end,gpus\n0,1,8\n0,2,8\n' > no_start.csv; tare simulate jobs --jobs no_start.csv --gpus 8
  ! tare: 'no_start.csv': no column start, length (hours) or duration (seconds) beside submit and end
  !       A list of jobs is a CSV or JSON lines with submit (or start), length in hours (or duration in seconds, or start and end), gpus. Another table (sacct's too) becomes one so:
  !       tare import FILE (--map NAME|FILE where it wants one, docs/MAPS.md), then
  !       tare sql -o csv 'SELECT job, submit_utc AS submit, start_utc AS start, end_utc AS "end", gpus FROM jobs WHERE NOT running' > jobs.csv
  [2]
  $ printf 'submit,start,end,gpus\n1,0,1,8\n' > late.csv; tare simulate jobs --jobs late.csv --gpus 8
  ! tare: 'late.csv' line 2: submit: '1' is after the start
  [2]
  $ cat > queued.txt <<X
  > JobID|User|State|Submit|Start|End|Elapsed|AllocTRES
  > 1|ana|COMPLETED|2026-11-01T00:00:00|2026-11-01T00:00:00|2026-11-01T01:00:00|01:00:00|gres/gpu=8
  > 2|ana|COMPLETED|2026-11-01T00:00:00|2026-11-01T01:00:00|2026-11-01T02:00:00|01:00:00|gres/gpu=8
  > 3|ana|COMPLETED|2026-11-01T00:00:00|2026-11-01T02:00:00|2026-11-01T03:00:00|01:00:00|gres/gpu=8
  > X
  $ tare import -q --db queued queued.txt; tare sql --db queued -o csv 'SELECT job, submit_utc AS submit, start_utc AS start, end_utc AS "end", gpus FROM jobs WHERE NOT running' > list.csv; tare simulate jobs --jobs list.csv --gpus 8 | grep -E 'of jobs|^wait'
            of jobs              24.0  100.0 %
  wait                         3600.0  s on average, 95 % under 7259 s
