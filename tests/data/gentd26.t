One day of a serving fleet, 143 containers with a card each: where the 66.85 % of minutes at exactly 0 % come from, and how many containers would have
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
  Check: requests take 178.7 GPU-hours, the cards were busy for 175.1.
  
                       before    after
  containers              114       80   fewest 66, and 20 % head-room
  GPU-hours            2492.4   1825.3   -26.8 %
  p99 of requests, s    74.62    74.62
  p99 in queue, ms        659      659
  
  Each container keeps a card of its own: memory (at most 47.3 GiB) is as before.
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
