One day of a serving fleet, 143 containers with a GPU each: where the 66.85 % of minutes at exactly 0 % come from, and how many containers would have
served the same requests with percentiles no worse. Rows of the request log that name no container are counted, not replayed.

  needs: $TARE_SHARED/data/telemetry_alibaba_gentd26/qps.csv.gz
  $ replay() { G=$TARE_SHARED/data/telemetry_alibaba_gentd26; tare simulate requests --duty $G/pod_gpu_duty_cycle_anon.csv.gz --memory $G/pod_gpu_memory_used_bytes_anon.csv.gz --qps $G/qps.csv.gz --latency $G/pipeline_inference_data_anon.csv.gz --queue $G/queue_rt_raw_anon.csv.gz --update $G/pipeline_update_latency_anon.csv.gz "$@"; }; declare -f replay > replay.sh
  $ . ./replay.sh; replay
  143 containers, 157417 container-minutes of 57 s, 2492.4 GPU-hours, busy 7.0 %
  
  minutes at 0 %   of all  why
           1,020   0.65 %  a request was served; the reading met a pause
              18   0.01 %  a model was being loaded
          69,278  44.01 %  model held, waiting between requests of an hour
          34,382  21.84 %  model held, no request in the whole hour
             530   0.34 %  nothing loaded: little memory held
               1  <0.01 %  memory not known
  ────────────────────────────────────────────────────────────────────────
         105,229  66.85 %
  
  35649 requests (1022 without a latency, at the median), 6894 loads without a request; 1114 rows name no container: unassigned.
  Check: requests take 178.7 GPU-hours, the GPUs were busy for 175.1.
  
                       before    after
  containers              114       80   fewest 66, and 20 % head-room
  GPU-hours            2492.4   1825.3   -26.8 %
  p99 of requests, s    74.62    74.62
  p99 in queue, ms        659      659
  
  Each container keeps a GPU of its own: memory (at most 47.3 GiB) is as before.
  $ . ./replay.sh; replay -o json | $FILES/get 'round(zero.frac, 4), zero.minutes, zero.minutes - zero.serving - zero.loading - zero.warm_between_requests - zero.warm_no_request_in_hour - zero.empty - zero.unknown'
  (0.6685, 105229, 0)

The instants within a minute are drawn: with any draw the percentiles are no worse; the fewest containers are 60 to 66, which is what the head-room is for.

  $ . ./replay.sh; for s in 2 3 4; do replay --seed $s -o json | $FILES/get 'fewest, after.p99_ms <= before.p99_ms, after.queue_p99_ms <= before.queue_p99_ms'; done
  (64, True, True)
  (63, True, True)
  (60, True, True)

Same seed, same bytes.

  $ . ./replay.sh; replay -o json > a; replay -o json > b; cmp a b && echo same
  same

Imported without a price or a job list, the readings say what is idle and when, in GPU-hours. Counted apart: idle readings, GPUs that work at once.

  $ D=$TARE_SHARED/data/telemetry_alibaba_gentd26; tare import -q --map alibaba-gentd26-duty $D/pod_gpu_duty_cycle_anon.csv.gz; tare import -q --map alibaba-gentd26-memory $D/pod_gpu_memory_used_bytes_anon.csv.gz; tare plan
  Today      77,737 GPU·h/month (730 h)       replayed on 24 h, 144 jobs
  
  No change is proposed on this history within these limits; this is what it says.
  
  What the telemetry says, GPU·h/month (730 h), in no sum:
       50,678  143 GPUs are idle 67 % of the time: 1,666 GPU·h in 24 h
       22,870  from 12:00 to 02:00 UTC at most 49 of 143 GPUs work at once, 106 in
               the other hours: 752 GPU·h in 24 h above that, may save 17,730 to
               22,870 GPU·h/month (730 h)
       17,852  124 GPUs work below 25 % for half of the working time or more; of
               all: 587 GPU·h in 24 h
        7,422  143 GPUs that work fit together on 129, by their highs of use and
               memory: 244 GPU·h in 24 h, may save 0 to 7,422 GPU·h/month (730 h)
        2,800  12 of 143 GPUs work less than 5 % of the time, 12 of them at all:
               92 GPU·h in 24 h, may save 0 to 2,800 GPU·h/month (730 h)
               the busiest five minutes need 25.6 GPUs' worth of work; 143 GPUs
               were there
               67 of 143 GPUs never hold more than a GPU of 40 GiB has, a tenth to
               spare
  tare explain advice-idle-gpus   what it rests on
  
  What the history does not tell:
    nothing has a price: amounts are GPU-hours, and what compares prices (another
    GPU, region, spot, commitments) is left out; with a price
    (tare import --set usd_gpu_hour=PRICE --replace FILE) they are money; --map
    and --as are said again where FILE took one
    the window is shorter than a week: what repeats by the week cannot be seen
    1.0 days of history show no spread: ranges go from nothing to twice the
    saving; import more
    one file more that would open most: a job list (sacct, OpenCost, any CSV):
    idle time of each job; right size, booked time
  
  Looked at, nothing to propose:
    trim_time (runs: 144): 132 without a limit in the job list (limit_s), 10 run
    once, 2 not watched to the end (plan.gates.watched_frac)
    rightsize_count (runs: 144): 144 on one GPU or a part of one
  
  tare plan --findings   what was seen    tare report --by state   what it did
  $ D=$TARE_SHARED/data/telemetry_alibaba_gentd26; python3 $FILES/idle-gpus.py $D/pod_gpu_duty_cycle_anon.csv.gz 12 2
  idle 1666.1 GPU-hours, 67 %
  12:00 to 02:00: at most 49 at work, idle 89 %; else 106, 39 %
  above 49: 751.9 GPU-hours; busiest five minutes 25.6
  $ tare explain advice-quiet-hours; tare explain advice-share-gpus
  -  from 12:00 to 02:00 UTC at most 49 of 143 GPUs work at once, 106 in the other
     hours: 752 GPU·h in 24 h above that
     advice-quiet-hours
  
  About       22,870 GPU·h/month (730 h)
  May save    17,730 to 22,870 GPU·h/month (730 h): estimated, and in no sum
  Effort      0.5 days of work by platform, in force after 1 day
  
  Why
    readings                                                161415 rows  measured
    history                                                    1.0 days  measured
    idle in these hours                                            89 %  measured
    idle in the others                                             39 %  measured
    From: telemetry
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    Who is used in these hours may be others from day to day: switch off by
    demand, not by name.
  
  -  143 GPUs that work fit together on 129, by their highs of use and memory: 244
     GPU·h in 24 h
     advice-share-gpus
  
  About       7,422 GPU·h/month (730 h)
  May save    0 to 7,422 GPU·h/month (730 h): estimated, and in no sum
  Effort      5 days of work by platform, in force after 1 day
  
  Why
    readings                                                161415 rows  measured
    history                                                    1.0 days  measured
    for example together: 081177dd05d7 + 9032a0105d8d            2 GPUs  measured
    of a shared GPU in use at most, as the sum of 99th             80 %  assumed
      percentiles
    memory of a GPU: not told (gpu_model, mem_total_bytes);    52.1 GiB  assumed
      the most that any held, and a tenth
    if they have 80 GiB: GPUs that would do                     81 GPUs  assumed
    From: telemetry; estimate
  
  What there is says so; nothing of it is in a sum.
  
  What could go wrong
    Neighbours wait for each other and share one fault: try one pair for a day,
    with latencies beside it.
  
