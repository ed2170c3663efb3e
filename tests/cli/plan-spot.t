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
  {"schema":"tare.plan-spot/1","currency":"USD","decision":"spot","reason":"cheaper, and in time","hours":48,"deadline_h":70,"machines":1,"mean_hours_between_interruptions":10,"on_demand_cost":"146.88","spot":{"cost":"49.1991","p05":"47.9792","p50":"49.1194","p95":"50.6547","finish_frac":1,"hours":50.559141,"hours_p95":52.055016,"interruptions":5.07275,"lost_h":0.831987,"restart_h":0.921382,"checkpoint_h":0.805772,"moved_to_on_demand_frac":0,"on_demand_cost_frac":0,"waited_h":0},"saving_frac":0.665039,"checkpoint":{"every_h":0.32964,"stall_h":0.005556,"young_h":0.333333,"daly_h":0.32964,"exact_h":0.32964},"places":[{"name":null,"order":1,"machines":1,"spot_hour":"0.9731","on_demand_hour":"3.06","mean_hours_between_interruptions":10,"alone":{"cost":"49.1991","finish_frac":1,"checkpoint_every_h":0.32964},"seen":null,"hours_there":50.559141}],"left_out":[],"away_h":0,"seen":null,"runs":4000}

The same bytes for the same seed; other draws for another.

  $ tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h -o json > a
  $ tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h -o json | cmp - a
  $ tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h -o json --seed 2 | cmp -s - a
  [1]

Without checkpoints: a short trial may well use spot; a long run would be more expensive and late.

  $ tare plan spot --hours 2 --deadline 8h --on-demand 3.06 --spot 0.9731 --mtbf 10h --no-checkpoint | head -1
  Spot: cheaper, and in time.
  $ tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h --no-checkpoint | head -8
  On demand: spot would be more expensive and late.
  
    on demand        $146.88/job
    spot             $174.50/job, $168.91 to $193.52 (p05 to p95), 19 % more; prices given
    in time          2.38 % of the runs, deadline after 2 d 22 h
    done after       3 d 6 h, p95 3 d 23 h
    interruptions    3.17 a run, one every 10 h 00 min
    hours lost       29.87 h done again, 0.58 h restarts, 0.00 h checkpoints a run

A run that is interrupted again and again is not followed without end: the answer says so, and gives no cost it does not know.

  $ tare plan spot --hours 1000000 --mtbf 1m --on-demand 3.06 --spot 0.9731
  On demand: on spot it would be interrupted again and again, and not be done.
  
    on demand        $3,060,000.00/job
    spot             100.00 % of the runs are not done after 100000 interruptions; at least $1,622.68/job; prices given
    interruptions    100000.00 a run, one every 1 min 00 s
    hours lost       0.01 h done again, 1667.50 h restarts, 0.01 h checkpoints a run
    checkpoint       every 36 s (chosen)
  
  20 runs replayed. Taken for granted: on-demand machines are to be had, and a new spot machine within the restart time.
  $ tare plan spot --hours 48 --mtbf 1h --on-demand 3.06 --spot 0.9731 --no-checkpoint -o json | grep -o '"decision.*reason[^,]*,[^"]*"\|"cost":null\|"saving_frac":null\|"runs":[0-9]*'
  "decision":"on_demand","reason":"on spot it would be interrupted again and again, and not be done"
  "cost":null
  "saving_frac":null
  "cost":null
  "runs":20

A notice long enough to save in leaves nothing to be done again. Eight machines stop when one of them goes.

  $ tare plan spot --hours 48 --on-demand 3.06 --spot 0.9731 --mtbf 10h --checkpoint-every 2h --notice 120s | grep 'hours lost'
    hours lost       0.00 h done again, 0.89 h restarts, 0.12 h checkpoints a run
  $ tare plan spot --hours 48 --on-demand 3.06 --spot 0.9731 --mtbf 10h --checkpoint-every 2h | grep 'hours lost'
    hours lost       5.16 h done again, 0.99 h restarts, 0.13 h checkpoints a run
  $ tare plan spot --hours 48 --on-demand 3.06 --spot 0.9731 --interruption 5..10 --machines 8 | grep interruptions
    interruptions    0.05 a run, one every 48 d 12 h

No slack: spot would only be on demand.

  $ tare plan spot --hours 48 --deadline 48h --on-demand 3.06 --spot 0.9731 --mtbf 10h | head -1
  On demand: spot would be more expensive.

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

Two zones, one cheap and often interrupted: it is started in, and the other is where it goes on. A third is too expensive to wait in.

  $ tare plan spot --hours 48 --deadline 60h --on-demand 3.06 --place us-east-1a=0.97@6h --place us-east-1c=1.20@30h --place us-east-1d=2.9@300h
  Spot, us-east-1a first, then us-east-1c while it has no machines: cheaper, and in time.
  
    on demand        $146.88/job
    spot             $57.22/job, $53.63 to $59.43 (p05 to p95), 61 % less; prices given
    in time          100.00 % of the runs, deadline after 2 d 12 h
    done after       2 d 2 h, p95 2 d 3 h
    interruptions    3.34 a run, one every 6 h 00 min in the first place
    hours lost       0.43 h done again, 0.61 h restarts, 1.04 h checkpoints a run
    checkpoint       every 15 min 16 s (chosen)
    waiting          0.13 h a run for a place to have machines again
  
  order  place       spot $/h  on demand   one every  alone $  in time  hours
      1  us-east-1a      0.97       3.06  6 h 00 min    62.66  100.0 %   12.5
      2  us-east-1c      1.20       3.06     1 d 6 h    59.11  100.0 %   37.6
      -  us-east-1d      2.90       3.06   12 d 12 h   140.14  100.0 %      -
  
  4000 runs replayed. Taken for granted: on-demand machines are to be had, and a place that took its machines back has some again after 1 h 00 min.
  $ tare plan spot --hours 48 --deadline 60h --on-demand 3.06 --place us-east-1a=0.97@6h --place us-east-1c=1.20@30h -o json
  {"schema":"tare.plan-spot/1","currency":"USD","decision":"spot","reason":"cheaper, and in time","hours":48,"deadline_h":60,"machines":1,"mean_hours_between_interruptions":6,"on_demand_cost":"146.88","spot":{"cost":"57.2194","p05":"53.6341","p50":"57.6394","p95":"59.431","finish_frac":1,"hours":50.206354,"hours_p95":51.615376,"interruptions":3.3355,"lost_h":0.427096,"restart_h":0.60679,"checkpoint_h":1.044661,"moved_to_on_demand_frac":0,"on_demand_cost_frac":0,"waited_h":0.127807},"saving_frac":0.610435,"checkpoint":{"every_h":0.254509,"stall_h":0.005556,"young_h":0.258199,"daly_h":0.254508,"exact_h":0.254509},"places":[{"name":"us-east-1a","order":1,"machines":1,"spot_hour":"0.97","on_demand_hour":"3.06","mean_hours_between_interruptions":6,"alone":{"cost":"62.6632","finish_frac":1,"checkpoint_every_h":0.254509},"seen":null,"hours_there":12.499545},{"name":"us-east-1c","order":2,"machines":1,"spot_hour":"1.2","on_demand_hour":"3.06","mean_hours_between_interruptions":30,"alone":{"cost":"59.1058","finish_frac":1,"checkpoint_every_h":0.573653},"seen":null,"hours_there":37.579001}],"left_out":[],"away_h":1,"seen":null,"runs":4000}
  $ tare plan spot --hours 48 --deadline 60h --place a=0.97/3.06@30h --place b=0.95/2.9@5..10% --place c=2.95@1h | grep -E '^Spot|^  +[0-9-]+  '
  Spot, b alone: cheaper, and in time.
      1  b          0.95       2.90   388 d 7 h    45.69  100.0 %   48.1
      -  a          0.97       3.06     1 d 6 h    47.78  100.0 %      -
      -  c          2.95          -  1 h 00 min   147.08  100.0 %      -
  $ tare plan spot --hours 48 --deadline 48h --place a=0.97/3.06@20m --place b=0.95/2.9@20m | head -1
  On demand in b: spot would be more expensive.
  $ tare plan spot --hours 4 --runs 100 --place a=9/3.5@1h --place b=8/9@30h | head -1
  On demand in a: spot would be more expensive.

How long a place has no machines: alone it waits, and goes on demand where there is no time for it.

  $ tare plan spot --hours 48 --deadline 60h --on-demand 3.06 --spot 0.9731 --mtbf 10h --away 3h | grep -E 'waiting|back on|in time'
  Spot: cheaper, and in time.
    in time          100.00 % of the runs, deadline after 2 d 12 h
    waiting          8.46 h a run for a place to have machines again
    back on demand   74.1 % of the runs, to be in time; 56.3 % of the cost
  $ tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --place a=0.9731 --mtbf 10h -o json > b
  $ tare plan spot --hours 48 --deadline 70h --on-demand 3.06 --spot 0.9731 --mtbf 10h -o json | sed 's/"name":null/"name":"a"/' | cmp - b

Instance types and regions of the catalogue; what has no price there is named. Other GPUs are another job.

  $ tare plan spot --hours 30 --deadline 40h --gpus 8 --instance p3.8xlarge,p3.16xlarge --region us-east-1,us-west-2
  Spot, p3.8xlarge in us-east-1 alone: cheaper, and in time.
  
    on demand        $734.40/job
    spot             $103.38/job, $76.76 to $162.01 (p05 to p95), 86 % less; prices advised: an estimate
    in time          100.00 % of the runs, deadline after 1 d 16 h
    done after       1 d 6 h, p95 1 d 7 h
    interruptions    0.07 a run, one every 16 d 14 h
    hours lost       0.07 h done again, 0.01 h restarts, 0.08 h checkpoints a run
    checkpoint       every 2 h 06 min (chosen)
    waiting          0.07 h a run for a place to have machines again
  
  order  place                     spot $/h  on demand  one every  alone $  in time  hours
      1  p3.8xlarge in us-east-1       3.43      24.48  16 d 14 h   103.38  100.0 %   30.2
      -  p3.16xlarge in us-east-1      4.16      24.48   33 d 4 h   125.33  100.0 %      -
  
  Left out: p3.8xlarge in us-west-2: no price is known.
  Left out: p3.16xlarge in us-west-2: no price is known.
  
  4000 runs replayed. Taken for granted: on-demand machines are to be had, and a place that took its machines back has some again after 1 h 00 min.
  $ tare plan spot --hours 30 --deadline 40h --gpus 8 --instance p3.8xlarge,p4d.24xlarge
  ! tare: --instance: 'p4d.24xlarge' has other GPUs (A100-SXM4-40GB) than 'p3.8xlarge' (V100-SXM2-16GB): the job takes other hours there
  !       `tare plan gpu` compares GPUs; plan each kind by itself with its own --hours
  [2]
  $ tare plan spot --hours 30 --instance p3.8xlarge,p3.16xlarge --region mars-1
  ! tare: none of these places can be compared (p3.8xlarge in mars-1: no price is known)
  !       --interruption 5..10 or --mtbf 30h says how often; --place NAME=USD@SPAN names a place by its price
  [3]

  $ tare plan spot --hours 30 --instance p3.8xlarge,p3.8xlarge --region us-east-1
  ! tare: 'p3.8xlarge in us-east-1' is named twice
  [2]
  $ tare plan spot --hours 30 --instance p3.8xlarge --region us-east-1,
  ! tare: --region: a name is empty in 'us-east-1,'
  [2]

What past attempts under `tare run` have seen: two interruptions in 13.7 hours, 0.7 of them lost.

  $ mkdir ck
  $ echo 'job_id,name,user,gpus,gpu_ids,gpu_model,node,start,end,state,attempt,usd_gpu_hour,currency' > ck/attempts.csv
  $ echo 'j,,u,1,,,n1,2026-11-18T00:00:00Z,2026-11-18T05:00:00Z,COMPLETED,0,,' >> ck/attempts.csv
  $ echo 'j,,u,1,,,n1,2026-11-18T05:00:00Z,2026-11-18T05:30:00Z,PREEMPTED,0,,' >> ck/attempts.csv
  $ echo 'j,,u,1,,,n2,2026-11-18T06:00:00Z,2026-11-18T14:00:00Z,COMPLETED,1,,' >> ck/attempts.csv
  $ echo 'j,,u,1,,,n2,2026-11-18T14:00:00Z,2026-11-18T14:12:00Z,NODE_FAIL,1,,' >> ck/attempts.csv
  $ tare plan spot --hours 20 --on-demand 3.06 --spot 0.97 --checkpoint-dir ck | grep -E 'interruptions'
    interruptions    1.68 a run, one every 12 h 34 min
    seen so far      2 interruptions in 13.7 h of 2 attempts, 0.70 h of them lost; counted above
  $ tare plan spot --hours 20 --on-demand 3.06 --spot 0.97 --mtbf 100h --checkpoint-dir ck | grep -E 'interruptions'
    interruptions    0.55 a run, one every 1 d 13 h
    seen so far      2 interruptions in 13.7 h of 2 attempts, 0.70 h of them lost; counted above
  $ tare plan spot --hours 20 --on-demand 3.06 --spot 0.97 --mtbf 100h --checkpoint-dir ck -o json | grep -o '"mean_hours_between_interruptions":[0-9.]*,"on\|"seen":{[^}]*}'
  "mean_hours_between_interruptions":37.9,"on
  "seen":{"hours":13.7,"interruptions":2}
  "seen":{"attempts":2,"hours":13.7,"interruptions":2,"lost_h":0.7}
  $ mkdir empty && tare plan spot --hours 20 --on-demand 3.06 --spot 0.97 --checkpoint-dir empty
  ! tare: --checkpoint-dir: 'empty' has no attempts of a run
  !       `tare run --checkpoint-dir DIR -- CMD` writes attempts.csv there
  [2]
  $ echo nonsense > empty/attempts.csv && tare plan spot --hours 20 --on-demand 3.06 --spot 0.97 --checkpoint-dir empty
  ! tare: 'empty/attempts.csv': it has no columns start, end, state and attempt
  [2]
  $ rm empty/attempts.csv && echo tare-run-measured 1 > empty/measured && tare plan spot --hours 20 --on-demand 3.06 --spot 0.97 --checkpoint-dir empty
  ! tare: --checkpoint-dir: 'empty/measured': its hash is not that of what stands in it, or it is of another version
  !       Without --checkpoint-dir, --mtbf says how often it is interrupted
  [2]
  $ tare plan spot --hours 20 --on-demand 3.06 --place x=a
  ! tare: --place: 'x=a' is not a place with a price
  !       NAME=USD@SPAN as in us-east-1a=0.97@10h (spot price of a machine and hour, mean time between interruptions), or us-east-1a=0.97/3.06@5..10%
  [2]
  $ tare plan spot --hours 20 --on-demand 3.06 --place x=1@0h
  ! tare: --place: 'x=1@0h' is not a place with a price
  !       NAME=USD@SPAN as in us-east-1a=0.97@10h (spot price of a machine and hour, mean time between interruptions), or us-east-1a=0.97/3.06@5..10%
  [2]
  $ tare plan spot --hours 20 --on-demand 3.06 --place x=1 --place y=2
  ! tare: how often one of the places is interrupted is not known
  !       --interruption 5..10 (percent a month, as the provider says) or --mtbf 30h
  [3]
  $ tare plan spot --hours 20 --on-demand 3.06 --place x=1@5h --place x=2@5h
  ! tare: 'x' is named twice
  [2]
  $ tare plan spot --hours 20 --place x=1@5h --place y=2@1..2%
  ! tare: the price on demand is needed
  !       --on-demand 3.06, or NAME=SPOT/ON-DEMAND@SPAN in one --place at least
  [2]

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
  ! tare: --hours: 'nan' is not a duration such as 6m, 20s or 48h
  [2]
  $ tare plan spot --hours 48 --on-demand -1 --spot 0.9731 --mtbf 10h
  ! tare: --on-demand: '-1' is not a number from 0 to 1000000, such as 3.06
  [2]
  $ tare plan spot --hours 48 --on-demand 3.06 --spot 0.9731 --interruption 10..5
  ! tare: --interruption: '10..5' is not a chance of 0 to below 100 percent a month
  !       As in 7 or 5..10; --mtbf 30h says the mean time between interruptions instead
  [2]
  $ tare plan spot --hours 48 --on-demand 3.06 --spot 0.9731 --mtbf 0
  ! tare: --mtbf: nothing runs for no time
  [2]
  $ tare plan spot --hours 48 --instance p99.huge
  ! tare: --instance: 'p99.huge' is not an instance type with GPUs that is known
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
  ! tare: --policy: 'best' is not a policy
  !       Policies are greedy, uniform, on_demand, offline, tare; or all
  [2]
  $ printf 'env,gap_seconds,preempted_bits\na,3600,0011x\n' > bad.csv
  $ tare simulate spot --scenarios bad.csv --restart 20m --task 3h --deadline 7h --on-demand 4 --spot 1
  ! tare: 'bad.csv': line 2, column preempted_bits: '0011x' is not a row of 0 and 1
  [2]
