One job on spot machines, before it runs.

A run of two days that has 70 hours, saved every 20 minutes, interrupted every ten hours in the mean.

  $ tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h
  Spot: cheaper, and in time.
  
    on demand        $146.88/job
    spot             $49.20/job, $47.98 to $50.65 (p05 to p95), 67 % less; prices given
    in time          100.00 % of the runs, deadline after 2 d 22 h
    done after       2 d 2 h, p95 2 d 4 h
    interruptions    5.07 a run, one every 10 h 00 min
    hours lost       0.83 h done again, 0.92 h restarts, 0.81 h checkpoints a run
    checkpoint       every 19 min 46 s (chosen)
  
  4000 runs replayed. Taken for granted: on-demand machines are to be had, and a new spot machine within the restart time.
  $ tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h -o json
  {"schema":"tare.plan-spot/1","currency":"USD","decision":"spot","reason":"cheaper, and in time","hours":48,"deadline_h":70,"machines":1,"mean_hours_between_interruptions":10,"on_demand_cost":"146.88","spot":{"cost":"49.1991","p05":"47.9792","p50":"49.1194","p95":"50.6547","finish_frac":1,"hours":50.559141,"hours_p95":52.055016,"interruptions":5.07275,"lost_h":0.831987,"restart_h":0.921382,"checkpoint_h":0.805772,"moved_to_on_demand_frac":0,"on_demand_cost_frac":0},"saving_frac":0.665039,"checkpoint":{"every_h":0.32964,"stall_h":0.005556,"young_h":0.333333,"daly_h":0.32964,"exact_h":0.32964},"runs":4000}

The same bytes for the same seed; other draws for another.

  $ tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h -o json > a
  $ tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h -o json | cmp - a
  $ tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h -o json --seed 2 | cmp -s - a
  [1]

Without checkpoints: a short trial may well use spot; a long run would be dearer and late.

  $ tare plan spot --hours 2 --deadline 8h --on-demand 3.06 --spot 0.9731 --mtbf 10h --no-checkpoint | head -1
  Spot: cheaper, and in time.
  $ tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h --no-checkpoint | head -8
  On demand: spot would be dearer and late.
  
    on demand        $146.88/job
    spot             $174.50/job, $168.91 to $193.52 (p05 to p95), 19 % more; prices given
    in time          2.38 % of the runs, deadline after 2 d 22 h
    done after       3 d 6 h, p95 3 d 23 h
    interruptions    3.17 a run, one every 10 h 00 min
    hours lost       29.87 h done again, 0.58 h restarts, 0.00 h checkpoints a run

A notice long enough to save in leaves nothing to be done again. Eight machines stop when one of them goes.

  $ tare plan spot --hours 48 --on-demand 3.06 --spot 0.9731 --mtbf 10h --checkpoint-every 2h --notice 120s | grep 'hours lost'
    hours lost       0.00 h done again, 0.89 h restarts, 0.12 h checkpoints a run
  $ tare plan spot --hours 48 --on-demand 3.06 --spot 0.9731 --mtbf 10h --checkpoint-every 2h | grep 'hours lost'
    hours lost       5.16 h done again, 0.99 h restarts, 0.13 h checkpoints a run
  $ tare plan spot --hours 48 --on-demand 3.06 --spot 0.9731 --interruption 5..10 --machines 8 | grep interruptions
    interruptions    0.05 a run, one every 48 d 12 h

No slack: spot would only be on demand.

  $ tare plan spot --hours 48 --deadline 48h --on-demand 3.06 --spot 0.9731 --mtbf 10h | head -1
  On demand: spot would be dearer.

Prices and interruptions from the catalogue.

  $ tare plan spot --hours 30 --deadline 40h --instance p3.8xlarge --region us-east-1
  Spot: cheaper, and in time.
  
    on demand        $367.20/job
    spot             $51.61/job, $38.34 to $80.92 (p05 to p95), 86 % less; prices advised: an estimate
    in time          100.00 % of the runs, deadline after 1 d 16 h
    done after       1 d 6 h, p95 1 d 6 h
    interruptions    0.04 a run, one every 33 d 4 h
    hours lost       0.04 h done again, 0.01 h restarts, 0.07 h checkpoints a run
    checkpoint       every 2 h 27 min (chosen)
  
  4000 runs replayed. Taken for granted: on-demand machines are to be had, and a new spot machine within the restart time.

Bad input; and what cannot be known.

  $ tare plan spot
  ! tare: --hours is needed: how long the job runs when nothing interrupts it
  !       See: tare plan spot --help
  [2]
  $ tare plan spot --hours 48 --on-demand 3.06 --spot 0.9731
  ! tare: how often such machines are interrupted is not known
  !       --interruption 5..10 (percent a month, as the provider says) or --mtbf 30h
  [3]
  $ tare plan spot --hours 48 --mtbf 10h
  ! tare: prices are needed
  !       --instance p3.2xlarge --region us-east-1, or --on-demand 3.06 --spot 0.97
  [2]
  $ tare plan spot --hours nan --on-demand 3.06 --spot 0.9731 --mtbf 10h
  ! tare: --hours: 'nan' is no span such as 6m, 20s or 48h
  [2]
  $ tare plan spot --hours 48 --on-demand -1 --spot 0.9731 --mtbf 10h
  ! tare: --on-demand: '-1' is no number from 0 to 1e+06
  [2]
  $ tare plan spot --hours 48 --on-demand 3.06 --spot 0.9731 --interruption 10..5
  ! tare: --interruption: '10..5' is no chance of 0 to below 100 percent a month
  !       As in 7 or 5..10; --mtbf 30h says the mean time between interruptions instead
  [2]
  $ tare plan spot --hours 48 --on-demand 3.06 --spot 0.9731 --mtbf 0
  ! tare: --mtbf: nothing runs for no time
  [2]
  $ tare plan spot --hours 48 --instance p99.huge
  ! tare: --instance: 'p99.huge' is no instance type with GPUs that is known
  !       `tare price --gpu MODEL` lists them; --on-demand and --spot give prices instead
  [2]

Which replays there are, and a small history.

  $ tare simulate pack
  ! tare: 'pack' is nothing that can be simulated
  !       See: tare simulate --help
  [2]
  $ printf 'env,gap_seconds,preempted_bits\na,3600,00110000\n' > m.csv
  $ tare simulate spot --scenarios m.csv --restart 20m --task 3h --deadline 7h --on-demand 4 --spot 1 --policy greedy,uniform,on_demand,offline
  policy      scenarios      mean $/task   late  interruptions   to bound to uniform
  greedy              1          4.00000      0           1.00     +0.00%     +0.00%
  uniform             1          4.00000      0           1.00     +0.00%     +0.00%
  on_demand           1         16.00000      0           0.00   +300.00%   +300.00%
  offline             1          4.00000      0              -     +0.00%     +0.00%
  
  offline knows every tick beforehand: the bound, not a policy.
  $ tare simulate spot --scenarios m.csv --task 3h --deadline 7h --on-demand 4 --spot 1
  ! tare: 'm.csv' does not say how long a restart takes
  !       --restart 6m gives it, or a column restart_overhead_hours
  [2]
  $ tare simulate spot --scenarios m.csv --restart 20m --task 3h --deadline 7h --on-demand 4 --spot 1 --policy tare
  ! tare: nothing is known of markets with ticks of 3600 s
  !       --history CSV gives the turns of other markets in ticks of this length
  [3]
  $ tare simulate spot --scenarios m.csv --restart 20m --task 3h --deadline 7h --on-demand 4 --spot 1 --policy best
  ! tare: --policy: 'best' is no policy
  !       Policies are greedy, uniform, on_demand, offline, tare; or all
  [2]
  $ printf 'env,gap_seconds,preempted_bits\na,3600,0011x\n' > bad.csv
  $ tare simulate spot --scenarios bad.csv --restart 20m --task 3h --deadline 7h --on-demand 4 --spot 1
  ! tare: 'bad.csv': line 2, column preempted_bits: '0011x' is no row of 0 and 1
  [2]
