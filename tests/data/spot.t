A task of 48 hours on the published scenarios of spot markets: 540 traces, deadlines of 52 and 70 hours. Greedy has the published mean to the last digit.
The bound is exact; in single precision it comes out as 92.16168. Asked of tare: at most 94.9, none late, no knowledge of the future: it starts from the
turns of the other markets and then sees only the ticks of its own run.

  needs: $TARE_SHARED/data/spot_cant_be_late/scenarios_540_traces.csv.gz
  $ tare simulate spot --scenarios $TARE_SHARED/data/spot_cant_be_late/scenarios_540_traces.csv.gz --deadline 52h,70h --task 48h --on-demand 3.06 --spot 0.9731 --policy all
  policy      scenarios      mean $/task   late  interruptions   to bound to uniform
  greedy           1080        119.03454      0           9.05    +29.16%    +17.06%
  uniform          1080        101.68271      0          14.88    +10.33%     +0.00%
  on_demand        1080        147.39000      0           0.00    +59.93%    +44.95%
  offline          1080         92.16166      0              -     +0.00%     -9.36%
  tare             1080         94.80270      0          18.78     +2.87%     -6.77%
  
  offline knows every tick beforehand: the bound, not a policy.
  $ tare simulate spot --scenarios $TARE_SHARED/data/spot_cant_be_late/scenarios_540_traces.csv.gz --deadline 52h,70h --task 48h --on-demand 3.06 --spot 0.9731 --policy greedy -o json | $FILES/get 'policies[0].mean_cost' 'policies[0].late'
  119.034538765432
  0

What is shipped as known of the other markets are the counts of this history; the history itself gives the same.

  $ tare simulate spot --scenarios $TARE_SHARED/data/spot_cant_be_late/scenarios_540_traces.csv.gz --deadline 52h,70h --task 48h --on-demand 3.06 --spot 0.9731 --policy tare -o json > a
  $ tare simulate spot --scenarios $TARE_SHARED/data/spot_cant_be_late/scenarios_540_traces.csv.gz --deadline 52h,70h --task 48h --on-demand 3.06 --spot 0.9731 --policy tare --history $TARE_SHARED/data/spot_cant_be_late/base_preempt_10min.csv -o json | cmp - a

With a restart longer than a tick what is remembered of the runs before counts, too; shipped and counted again they are the same again.

  $ tare simulate spot --scenarios $TARE_SHARED/data/spot_cant_be_late/base_preempt_10min.csv --windows 8 --restart 20m --deadline 12h --task 8h --on-demand 3.06 --spot 0.9731 --policy tare -o json > a
  $ tare simulate spot --scenarios $TARE_SHARED/data/spot_cant_be_late/base_preempt_10min.csv --windows 8 --restart 20m --deadline 12h --task 8h --on-demand 3.06 --spot 0.9731 --policy tare --history $TARE_SHARED/data/spot_cant_be_late/base_preempt_10min.csv -o json | cmp - a

Restarts of 6 to 30 minutes are what machines with GPUs take: 4 starts in each of the 8 markets; all 5,040 runs are in docs/ALGORITHMS.md.

  $ tare simulate spot --scenarios $TARE_SHARED/data/spot_cant_be_late/base_preempt_10min.csv --windows 4 --restart 6m,18m,30m --deadline 52h,70h,92h --task 48h --on-demand 3.06 --spot 0.9731 --policy uniform,tare
  policy      scenarios      mean $/task   late  interruptions   to bound to uniform
  uniform           288        106.17166      0          16.23          -     +0.00%
  tare              288        101.27091      0          17.08          -     -4.62%

The plans of a market are made once for each restart: 6 markets, 2 restarts, 540 histories that alternate between them. Each restart alone costs the
same. (Made again for each history, 540 x 2 times, this took more than two minutes of a core, now a quarter of one.)

  $ tare simulate spot --scenarios $TARE_SHARED/data/spot_cant_be_late/scenarios_540_traces.csv.gz --restart 6m,18m --deadline 52h --task 48h --on-demand 3.06 --spot 0.9731 --policy uniform,tare -o json > both
  $ $FILES/get 'plans_made' '[(b.restart_h, b.mean_cost) for b in d.policies[1].by]' < both
  12
  [(0.1, '109.71054287037'), (0.3, '130.485922685185')]
  $ for r in 6m 18m; do tare simulate spot --scenarios $TARE_SHARED/data/spot_cant_be_late/scenarios_540_traces.csv.gz --restart $r --deadline 52h --task 48h --on-demand 3.06 --spot 0.9731 --policy tare -o json | $FILES/get 'plans_made' 'policies[0].mean_cost'; done
  6
  109.71054287037
  6
  130.485922685185
