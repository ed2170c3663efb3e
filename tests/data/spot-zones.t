Spot in several zones, each at its own price of the tick: 100 windows of 60 hours of nine zones (V100, ticks of 195 s). Each tick is billed at the price of
the zone held in it and every change of zone is a whole restart of 12 minutes. The bound is the published one, 67.93; asked of tare: at most 72.0, none late.
It knows windows 50 to 99, the ticks it has seen, and what time it is.

  needs: $TARE_SHARED/data/spot_cant_be_late/multi_region_9zones_100windows.csv.gz
  $ echo 'tare simulate spot --scenarios $TARE_SHARED/data/spot_cant_be_late/multi_region_9zones_100windows.csv.gz --restart 12m --deadline 52h --task 48h --on-demand 3.06 "$@"' > run
  $ echo '$FILES/../score/score-zones --scenarios $TARE_SHARED/data/spot_cant_be_late/multi_region_9zones_100windows.csv.gz --restart 12m --deadline 52h --task 48h --on-demand 3.06 "$@"' > score
  $ echo 'sh score --zones us-east-1a+us-east-1c=8,us-east-2a+us-west-2a=8,us-east-1a+us-east-2b+us-west-2c=6,us-east-1a+us-east-1c+us-east-1d=6,us-east-1a+us-east-1f+us-west-2a+us-west-2b+us-east-2b=4,all=2 "$@"' > all
  $ sh all
  policy      scenarios      mean $/task   late  interruptions      moves   to bound to uniform
  greedy             34         80.03727      0           4.03       2.44    +17.83%     +4.31%
  uniform            34         76.73171      0           5.65       3.47    +12.96%     +0.00%
  on_demand          34        147.51750      0           0.00       0.00   +117.17%    +92.25%
  offline            34         67.92749      0              -          -     +0.00%    -11.47%
  tare               34         72.04597      0           6.15       3.62     +6.06%     -6.11%
  
  zones together, mean $/task                               runs     greedy    uniform  on_demand    offline       tare
  us-east-1a+us-east-1c                                        8     134.29     130.47     147.52     113.25     120.71
  us-east-2a+us-west-2a                                        8      62.49      56.60     147.52      49.50      52.37
  us-east-1a+us-east-2b+us-west-2c                             6      61.46      59.17     147.52      49.20      52.87
  us-east-1a+us-east-1c+us-east-1d                             6     127.45     119.62     147.52     102.44     112.21
  us-east-1a+us-east-1f+us-west-2a+us-west-2b+us-east-2b       4      46.64      46.64     147.52      45.99      46.35
  all                                                          2      47.89      47.89     147.52      47.18      47.76
  
  The mean is that of the groups' means. offline knows every tick beforehand: the bound, not a policy.

Some of the windows known cover the same days as those run. Without these (all six scenarios: docs/ALGORITHMS.md), and every time the same:

  $ sh run --zones us-east-1a+us-east-1c=4 --policy tare --known-apart | head -2
  policy      scenarios      mean $/task   late  interruptions      moves   to bound to uniform
  tare                4        113.69123      0           8.00       2.75          -          -
  $ sh run --zones us-east-1a+us-east-1c=3 --policy tare -o json > a
  $ sh run --zones us-east-1a+us-east-1c=3 --policy tare -o json | cmp - a

The choices were made on windows 8 to 49 of all six groups (docs/ALGORITHMS.md). Here three of two groups:

  $ sh score --zones us-east-1a+us-east-1c=8-10,us-east-2a+us-west-2a=8-10 --policy uniform,tare
  policy      scenarios      mean $/task   late  interruptions      moves   to bound to uniform
  uniform             6         95.87558      0           6.00       1.67          -     +0.00%
  tare                6         90.86671      0           6.00       2.17          -     -5.22%
  
  zones together, mean $/task                               runs    uniform       tare
  us-east-1a+us-east-1c                                        3     140.69     134.75
  us-east-2a+us-west-2a                                        3      51.06      46.99

Where a checkpoint costs 20 $ to another region, what that region would save is not worth the way (by replay of the windows known): us-west-2a is used alone:

  $ sh run --zones us-east-1d+us-west-2a=4 --policy greedy,tare | head -3
  policy      scenarios      mean $/task   late  interruptions      moves   to bound to uniform
  greedy              4         82.28301      0           5.75       3.75          -          -
  tare                4         58.47048      0           6.50       4.50          -          -
  $ sh run --zones us-east-1d+us-west-2a=4 --move 20 --policy greedy,tare | head -3
  policy      scenarios      mean $/task   late  interruptions      moves   to bound to uniform
  greedy              4        157.28301      0           5.75       3.75          -          -
  tare                4         62.21144      0           6.00       0.00          -          -

  $ sh run --zones us-west-2a=4 --policy tare | head -2 | tail -1
  tare                4         62.21144      0           6.00       0.00          -          -

  $ sh run --zones us-north-1
  ! tare: --zones: no zone of the file begins with 'us-north-1'
  !       Zones are joined by +: --zones us-east-1a+us-east-1c; all: every zone
  [2]
  $ sh run --zones us-east-1a=120
  ! tare: the file has no window 100 of all zones of 'us-east-1a=120' with ticks of one length
  [2]
  $ sh run --zones us-east-1a=x
  ! tare: --zones: 'x' is neither a number of windows nor a range such as 8-49
  [2]
  $ sh run --zones us-east-1a --known 200-300
  ! tare: the file has none of the windows 200 to 300 for all zones of 'us-east-1a'
  [3]
