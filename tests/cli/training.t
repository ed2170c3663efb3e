What a team's own training runs say. Curves come in beside jobs and bills; what is not tied to a job is said.
  $ python3 $FILES/files/training.py; tare import nodes.csv jobs.csv curves.csv
  nodes.csv: nodes, 1 row kept, 4,032.00 GPU·h
  jobs.csv: allocations, 32 rows kept, 2,179.47 GPU·h
  curves.csv: curves, 484 rows kept
  You see   machines that nobody holds: tare report --by state
            GPU time by team, user and job; failed work: tare report --by team
            machines and what they cost: tare report --by node
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): idle time of each
            job; right size, booked time
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
  $ tare import curves.csv
  curves.csv: already imported (batch 1); nothing changed (--replace reads it again)
  You see   machines that nobody holds: tare report --by state
            GPU time by team, user and job; failed work: tare report --by team
            machines and what they cost: tare report --by node
  Add       telemetry (DCGM, Prometheus, nvidia-smi, any CSV): idle time of each
            job; right size, booked time
            a cloud bill (FOCUS, CUR, Azure, GCP): cost by team and job
  $ tare plan --quality
  Today      23,360 $/month (730 h)           replayed on 21 days, 32 jobs
  
  Nothing to change: no proposal would save money on this history within these
  limits.
  
  Not replayed, so in no sum above; measure first:
    stop runs of resnet-* after 5 evaluations without a better val_loss
      4,032 to 6,535 $/month (730 h), tare explain
      advice-early-stopping-vision-resnet---val_loss
    keep and reuse results: 4 runs of nlp repeat one that had completed
      440 to 813 $/month (730 h), tare explain advice-reuse-nlp
    check a run before it takes its GPUs: 13 runs of nlp failed within 10 min
      0 to 87 $/month (730 h), tare explain advice-check-first-nlp
    stop runs when the validation loss no longer falls
      71 to 637 $/month (730 h), tare explain advice-early-stopping
    and 2 more: tare plan --quality -o json
  
  What the history does not tell:
    the job list does not tell what they booked (limit_s)
    curves of 1 of 16 training runs belong to no job that is known ('orphan'): a
    column job ties them, or a run that is called as its job is
    1606.5 GPU·h belong to no job that is known and have no readings: job lists
    and telemetry would tell what they did
    94 % of the GPU time has no readings: what it did is unknown, and unknown is
    never waste
    'lab' (1 machine, 6,426 USD in the window) was watched by nobody for 1607
    GPU·h of the time: no job list covers it and nothing read it then, so it is
    never stopped; import its jobs (tare import --covers) or its readings
    spot: too few runs or GPU-hours of their habit (plan.gates.spot_runs,
    spot_gpu_hours): 32 jobs.
    commit: 3.0 weeks of use are too few to be bound for a year: 4 are the least,
    and 8 for all of what always runs
    machines you do not have yet are priced at what you pay of list (aws p4d
    1.457), families that you do not pay for at list price
    one file more that would open most: telemetry (DCGM, Prometheus, nvidia-smi,
    any CSV): idle time of each job; right size, booked time
  
  Looked at, nothing to propose:
    trim_time (runs: 32): 32 of a kind that seems to be over
    input_bound (jobs: 32): 32 without readings of their work, or not for long
    enough
    rightsize_count (runs: 32): 32 of a kind that seems to be over
    rightsize_gpu (runs: 32): 32 of a kind that seems to be over
  
  tare plan --quality --findings   what was seen
  tare report --by state   what it did
Each can be explained, and has the trial that prices it; none is in a sum.
  $ tare explain advice-early-stopping-vision-resnet---val_loss
  -  stop runs of resnet-* after 5 evaluations without a better val_loss
     advice-early-stopping-vision-resnet---val_loss
  
  May save    4,032 to 6,535 $/month (730 h): estimated, and in no sum
  Tier        Try first: a small experiment decides
  Risk        high; the saving lies in its range with confidence 0.50
  Effort      2 days of work by vision, in force after 30 days
  Quality     may change the quality of the model: measure before and after
  
  Why
    runs looked at                                                   12  measured
    what they cost in the window                            7680.00 USD  measured
    their GPU time                                           1920 GPU·h  measured
    least patience of which no run loses too much         5 evaluations  estimated
    of its gain that a run may lose                                 1 %  assumed
    lost by the run that lost most                                  0 %  estimated
    runs that would have ended before                                12  estimated
    cost behind these points                                2784.00 USD  estimated
    mean loss of runs that did not choose                        0.23 %  estimated
    most that such a run lost                                    2.74 %  estimated
    From: job list, curves; ledger; its own curves, replayed (Prechelt 1998);
    plan.early_stop_lost_frac; 400 draws of the runs
  
  Not replayed: an estimate. It is in no sum; measure first.
  
  What could go wrong
    A loss may fall again after a plateau: a run that did not choose the patience
    lost up to 2.7 % of its gain.
  
  Do
    # measure first: the epoch at which each run came within 0.1 % of its lowest loss
    # EarlyStopping(monitor='val_loss', mode='min', patience=5, restore_best_weights=True)
    # better: by more than 0.1 % of the best so far (min_delta of Keras is an amount, not a part)
  
  Undo
    # take the setting back, models trained meanwhile stay as they are
  
  tare plan trial advice-early-stopping-vision-resnet---val_loss
  $ tare plan trial advice-early-stopping-vision-resnet---val_loss
  -  stop runs of resnet-* after 5 evaluations without a better val_loss
     advice-early-stopping-vision-resnet---val_loss
  
  Decides   4,032 to 6,535 $/month (730 h), estimated; in no sum
  Try       3 runs of: team vision, name resnet-*
  Costs     nothing beyond the work of looking
  Who       vision
  So far    open: no run on it yet
  
  Do
    # measure first: the epoch at which each run came within 0.1 % of its lowest loss
    # EarlyStopping(monitor='val_loss', mode='min', patience=5, restore_best_weights=True)
    # better: by more than 0.1 % of the best so far (min_delta of Keras is an amount, not a part)
  
  Go if
    metric >= 0.99 of today's (beside one run to its end;
      plan.early_stop_lost_frac)
  
  Else undo
    # take the setting back, models trained meanwhile stay as they are
  
  With what people saw:
  tare plan trial advice-early-stopping-vision-resnet---val_loss --verdict go|no-go --reason TEXT
  $ tare explain advice-check-first-nlp
  -  check a run before it takes its GPUs: 13 runs of nlp failed within 10 min
     advice-check-first-nlp
  
  May save    0 to 87 $/month (730 h): estimated, and in no sum
  Tier        Try first: a small experiment decides
  Risk        high; the saving lies in its range with confidence 0.50
  Effort      2 days of work by nlp, in force after 30 days
  
  Why
    runs looked at                                                   20  measured
    what they cost in the window                            1037.87 USD  measured
    their GPU time                                            259 GPU·h  measured
    failed soon after their start                               13 runs  measured
    rows of them, and the longest                             2, 9 runs  measured
    what they cost                                            60.27 USD  measured
    all but the first of each row                             51.20 USD  estimated
    From: job list, curves; ledger; job list, plan.failed_soon_minutes; job list
  
  Not replayed: an estimate. It is in no sum; measure first.
  
  What could go wrong
    Not every failure shows in a step on one GPU.
  
  Do
    # measure first: how many of these failures one step on one GPU shows
    # in the job script, before the whole run: srun -n 1 --gpus=1 python train.py --max-steps 1
  
  Undo
    # take the setting back, models trained meanwhile stay as they are
  
  tare plan trial advice-check-first-nlp
  $ tare explain advice-reuse-nlp -o json | $FILES/../data/get 'number' 'recommendation.saving_month' 'recommendation.may_save_p05_month' 'recommendation.may_save_p95_month' '[(e.metric, e.value) for e in recommendation.evidence]'
  None
  None
  440.31746031746
  813.42857143002
  [('runs looked at', '20'), ('what they cost in the window', '1037.87'), ('their GPU time', '259'), ('cost of runs with the configuration of one before', '304.00'), ('cost of runs with name, GPUs and length of one before', '257.60')]
  $ tare plan trial advice-mixed-precision
  -  train in 16 bits where runs still use 32: autocast, bf16
     advice-mixed-precision
  
  Decides   125 to 6,771 $/month (730 h), estimated; in no sum
  Try       1 run of: any of them; one more where the speed is within 10 % of the
            bound
  Costs     nothing beyond the work of looking
  Who       platform
  So far    open: no run on it yet
  
  Do
    # measure first: steps/s and the final loss of one run, before and after
    # torch.autocast('cuda', dtype=torch.bfloat16), bf16=True of a Trainer
    # in the job, its command under:
    tare profile --workload NAME --steps-file steps.txt -- COMMAND
    # one run as today under the same line, to compare with: today's machine
  
  Go if
    steps/s >= 1.05 of today's (two runs of one program may differ by 5 %)
    metric >= 0.99 of today's (final metric beside a run as today;
      plan.sweep_near_frac)
    exit code 0 (its loss stays finite to the end)
  
  Else undo
    # take the setting back, models trained meanwhile stay as they are
  
  With what people saw:
  tare plan trial advice-mixed-precision --verdict go|no-go --reason TEXT
  $ tare explain advice-nothing
  ! tare: 'advice-nothing' is neither a recommendation of the plan nor a job of the history
  !       Numbers are those of: tare plan. Ids of advice: advice-early-stopping-vision-resnet---val_loss, advice-reuse-nlp, advice-check-first-nlp, advice-early-stopping, advice-tuning-budget, advice-mixed-precision
  [2]
  $ tare plan trial advice-nothing
  ! tare: the last plan has no 'advice-nothing'
  !       Its ids: tare plan -o csv
  [2]
What could change a model is shown only where it is asked for.
  $ tare plan -o json | $FILES/../data/get '[a.id for a in advice]'
  ['advice-reuse-nlp', 'advice-check-first-nlp']
A trial that said no is remembered, and the advice does not come again.
  $ tare plan trial advice-reuse-nlp --verdict no-go --reason 'seeds differ' | tail -n 4; tare plan -o json | $FILES/../data/get '[a.id for a in advice]'
    # take the setting back, models trained meanwhile stay as they are
  
  With what people saw:
  tare plan trial advice-reuse-nlp --verdict go|no-go --reason TEXT
  ['advice-check-first-nlp']
Trackers: TensorBoard, MLflow, W&B. The folder is the run; a tag or --set says the job.
  $ mkdir -p logs/r1/validation mlruns/1/0af2/metrics/val mlruns/1/0af2/params mlruns/1/0af2/tags
  $ python3 $FILES/files/tfevents.py logs/r1/validation/events.out.tfevents.1.h loss:0:1.5 loss:1:1.25:tensor loss:2:1.125:double note:0:0:text
  $ printf '1780272000000 0.5 0\n1780272060000 nan 1\n' > mlruns/1/0af2/metrics/val/loss; cp mlruns/1/0af2/metrics/val/loss mlruns/1/0af2/metrics/loss
  $ printf 100 > mlruns/1/0af2/tags/slurm_job_id; printf 0.1 > mlruns/1/0af2/params/lr
  $ printf '_step,_timestamp,_runtime,val_loss,note\n0,1780272000.5,1,0.5,x\n1,1780272001.5,2,0.4,\n' > fine-owl.csv
  $ tare import --db two logs/r1/validation/events.out.tfevents.1.h mlruns/1/0af2/metrics/loss mlruns/1/0af2/metrics/val/loss; tare import --db two --set job=101 fine-owl.csv
  logs/r1/validation/events.out.tfevents.1.h: tensorboard, 3 rows kept, 1 skipped
      skipped: 1, is no scalar
  mlruns/1/0af2/metrics/loss: mlflow, 1 row kept, 1 skipped
      skipped: 1, its value is no finite number
  mlruns/1/0af2/metrics/val/loss: mlflow, 1 row kept, 1 skipped
      skipped: 1, its value is no finite number
  Add       a job list (sacct, OpenCost, any CSV): GPU time by team, user and job;
            failed work
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  fine-owl.csv: wandb, 2 rows kept
      note: _timestamp: plain numbers were read as seconds (13 digits: milliseconds) since 1970
  Add       a job list (sacct, OpenCost, any CSV): GPU time by team, user and job;
            failed work
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
The same again changes nothing; a run that went on takes the place of what it was.
  $ tare import --db two mlruns/1/0af2/metrics/val/loss; printf '1780272120000 0.25 2\n' >> mlruns/1/0af2/metrics/val/loss; tare import --db two --replace mlruns/1/0af2/metrics/val/loss
  mlruns/1/0af2/metrics/val/loss: already imported (batch 1); nothing changed (--replace reads it again)
  Add       a job list (sacct, OpenCost, any CSV): GPU time by team, user and job;
            failed work
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  mlruns/1/0af2/metrics/val/loss: mlflow, 2 rows kept, 1 skipped
      skipped: 1, its value is no finite number
      note: 1 earlier file of 'mlruns/1/0af2/metrics/val/loss' taken out
  Add       a job list (sacct, OpenCost, any CSV): GPU time by team, user and job;
            failed work
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
What cannot be read is named, and then nothing is imported.
  $ printf '1780272000000 0.5 0\n1780272060000 x 1\n' > mlruns/1/0af2/metrics/bad; tare import --db two mlruns/1/0af2/metrics/loss mlruns/1/0af2/metrics/bad
  ! tare: 'mlruns/1/0af2/metrics/bad': 1 row cannot be read: line 2, value: 'x' is not a number
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  [2]
  $ printf 'run,metric,step,value\nr,loss,0,1\nr,loss,one,1\n' > bad.csv; tare import --db two bad.csv
  ! tare: 'bad.csv': 1 row cannot be read: line 3, step: 'one' is not a whole number from -9223372036854775807 to 9223372036854775807
  !       Nothing was imported. Correct the rows, or leave out up to N of them with --max-rejects N.
  [2]
  $ head -c 100 logs/r1/validation/events.out.tfevents.1.h > cut; tare import --db three cut
  cut: tensorboard, 1 row kept
      note: ends within record 3; all before it is kept
  Add       a job list (sacct, OpenCost, any CSV): GPU time by team, user and job;
            failed work
            telemetry (DCGM, Prometheus, nvidia-smi, any CSV): busy, half-used and
            idle GPUs
  $ (head -c 40 logs/r1/validation/events.out.tfevents.1.h; echo abcdefghijklmnopqrst) > broken; tare import --db three broken
  ! tare: 'broken' record 2: the checksum of its length is wrong
  !       Nothing was imported. Copy the file again from where it was written.
  [2]
