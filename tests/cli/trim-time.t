A nightly job that works for 4 hours of those it books, on one machine that stays on: a shorter limit alone saves no dollar, and the
plan says so.

  $ export TARE_NOW=2026-05-31T00:00:00Z
  > for hours in 8 24; do
  >   python3 "$FILES/files/nightly.py" $hours
  >   tare import -q --db $hours --covers c1 --since 2026-05-01 --until 2026-05-31 nodes.csv jobs.csv samples.csv
  >   tare plan --db $hours --lever trim_time | sed -n '/^Looked/,/^$/p'
  > done
  Looked at, nothing to propose:
    trim_time (runs: 30): 30 that hold GPUs after their last work, on machines
    that stay paid without them: it saves once these are given back (stop_idle)
  
  Looked at, nothing to propose:
    trim_time (runs: 30): 30 that hold GPUs after their last work, on machines
    that stay paid without them: it saves once these are given back (stop_idle)
  

Where the machine is given back between two nights it saves.

  $ tare plan --db 8 --lever stop_idle,trim_time --risk high | sed -n '/^ *[12]  /p'
   1  c1: give free machines back after 15           479.68  442-517  Try        2
   2  nightly: book 5 h, not 8 h (after 1)            91.72   74-113  Try        1

Jobs that hold parts of machines which stay on. With the GPUs that they hold two of the three machines carry them all at their time,
with those that they use one does: nothing is booted and nobody waits. What a finding says is acted on by a lever is in the plan or was
refused; and a job that ends by itself long before the time it booked is not told to book less.

  $ python3 "$FILES/files/parts.py"; tare import -q --db parts --covers c1 --since 2026-05-01 --until 2026-05-17 nodes.csv jobs.csv samples.csv
  > tare plan --db parts | sed -n '/^ *#/,/^Carried/p'; tare plan --db parts --refused; tare plan --db parts --findings | sed '/^tare plan/,$d'
   #  do                                    saves $/month      range  tier    days
   1  c1: unet-* with 1 GPU, not 2, and             5,832  5.7-6.1 K  Try        3
      all jobs onto 1 of 3 A10G machines,
      2 stop
  
  Carried out as printed, on your own history: 0 jobs cut, 0 late, 0 out of
  Proposed and not taken. What each would save, $/month (730 h):
  
  c1: give free machines back after 15 minutes, boot them when a job         3,330
    asks
    stop_idle-c1-between-jobs: risk is high: in replay 16 of 48 jobs end after
    their deadline
  c1: jobs onto 2 of 3 A10G machines, 1 stops                                2,920
    rightsize_count-c1-a10g-stay: 'rightsize_count-c1-a10g-stay-less' changes the
    same work and saves more in the end
  c1: pack jobs that hold parts of A10G machines onto fewer machines         5,272
    (1152 machine-hours -> 459)
    rightsize_count-c1-a10g-pack: risk is high: in replay 15 of 48 jobs end after
    their deadline
  
  Looked at, and left as it is:
    trim_time (runs: 64): 32 booked hardly beyond the longest run and head-room,
    16 that end by themselves long before their limit, 16 that hold GPUs after
    their last work, on machines that stay paid without them: it saves once these
    are given back (stop_idle)
    input_bound (jobs: 64): 64 that do not wait for their input
    rightsize_count (runs: 32): 32 on one GPU or a part of one
    rightsize_gpu (runs: 64): 48 on a part of a machine, 16 moved among machines,
    or on one without a known price
  What was observed, $/month (730 h). Findings overlap: they are no sum.
  
  c1 has machines that wait between jobs                                     3,468
    unallocated, measured · machines 4 · GPU time 1824.0 GPU·h · acted on by
    stop_idle
  c1 has free GPUs on machines that others hold in part                      3,163
    fragmented, measured · machines 3 · GPU time 1664.0 GPU·h · acted on by
    rightsize_count
  vera books more GPUs than its jobs use                                     1,217
    too_many_gpus, measured · jobs 32 · GPU time 640.0 GPU·h · acted on by
    rightsize_count
  walt holds its GPUs after the last work, and ends by itself later            122
    idle_after_work, measured · jobs 16 · GPU time 64.0 GPU·h · by hand: see what
    it does after the last work (copies, uploads, a shell left open) and do that
    without GPUs; have an idle limit end it: a shorter booking would not
  
  spot: a machine is moved as a whole; left alone for holding a part of one: 48
  jobs.
  spot: too few runs or GPU-hours of their habit (plan.gates.spot_runs,
  spot_gpu_hours): 16 jobs.
  commit: 2.3 weeks of use are too few to be bound for a year: 4 are the least,
  and 8 for all of what always runs
  16.0 days of history: ranges are drawn from days, not weeks, and weekends weigh
  little; import more
  
  $ tare plan apply 1 --db parts
  # c1: unet-_ with 1 GPU, not 2, and all jobs onto 1 of 3 A10G machines, 2 stop
  # This version of tare does not carry it out: these lines do, where you put them.
  # do
  # for team="vera" user="vera" workload="training" cluster="c1" name="unet-*" gpu_model="A10G" gpus=2
  #SBATCH --gres=gpu:1
  # slurm.conf: SelectType=select/cons_tres, SelectTypeParameters=CR_Core_Memory without CR_LLN: fill a node before the next
  # Kubernetes: KubeSchedulerConfiguration: NodeResourcesFit scoringStrategy: {type: MostAllocated, resources: [{name: nvidia.com/gpu, weight: 5}]}
  # tell whoever answers for c1, 3 days before: n2, n3 will be stopped, what lies on its own disks is saved by then, and what is still needed stays on
  scontrol update nodename=n2 state=drain reason='fewer machines'
  # until this shows nothing: squeue -w n2
  # stop n2,  dc1
  scontrol update nodename=n3 state=drain reason='fewer machines'
  # until this shows nothing: squeue -w n3
  # stop n3,  dc1
  # undo
  # start n3,  dc1
  scontrol update nodename=n3 state=resume
  # start n2,  dc1
  scontrol update nodename=n2 state=resume
  # Kubernetes: scoringStrategy: {type: LeastAllocated}, Slurm: CR_LLN again
  # for team="vera" user="vera" workload="training" cluster="c1" name="unet-*" gpu_model="A10G" gpus=2
  #SBATCH --gres=gpu:2
