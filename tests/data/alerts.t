Rules of alerts replayed over a real service: 15 hours of a cluster's pods, utilisation and memory (Alibaba GenTD26), containers as GPUs.

  needs: $TARE_SHARED/data/telemetry_alibaba_gentd26/pod_gpu_duty_cycle_anon.csv.gz
  $ G=$TARE_SHARED/data/telemetry_alibaba_gentd26; tare import -q --map alibaba-gentd26-duty --set usd_gpu_hour=1.2 --set gpu_model=A10 $G/pod_gpu_duty_cycle_anon.csv.gz; tare import -q --map alibaba-gentd26-memory --set usd_gpu_hour=1.2 --set gpu_model=A10 $G/pod_gpu_memory_used_bytes_anon.csv.gz
  $ tare alerts --since 2022-09-11 --by rule
  rule                 alerts  firing         for      cost
  gpu_underused           135     133  103 d 19 h  2,970.90
  gpu_memory_high         896     112   69 d 13 h  1,996.98
  gpu_held_no_process       6       0  1 h 53 min      2.26
  
  245 firing at the end, 792 over; 144 GPUs watched, 2022-09-11T00:00:00Z to
  2022-09-12T00:00:57Z
  $ tare alerts --since 2022-09-11 --by rule -o json
  {"schema":"tare.alerts/1","window":{"since":"2022-09-11T00:00:00Z","until":"2022-09-12T00:00:57Z"},"gpus":144,"samples":161415,"firing":245,"rows":[{"rule":"gpu_underused","alerts":135,"firing":133,"seconds":8968950,"cost":"2970.897000000009","currency":"USD"},{"rule":"gpu_memory_high","alerts":896,"firing":112,"seconds":6008598,"cost":"1996.975999999994","currency":"USD"},{"rule":"gpu_held_no_process","alerts":6,"firing":0,"seconds":6783,"cost":"2.261","currency":"USD"}]}
  $ tare alerts --since 2022-09-11 --all --by rule -o csv
  rule,alerts,firing,seconds,cost
  gpu_underused,135,133,8968950,2970.897000000009
  gpu_memory_high,896,112,6008598,1996.975999999994
  gpu_held_no_process,6,0,6783,2.261
  $ tare alerts --since 2022-09-11 --match rule=gpu_underused --by job | head -4
  job                               alerts  firing          for   cost
  35e82ff20955837d507171422a46cbab       1       1  22 h 18 min  26.77
  53004baba968bc88ad49ca6e047a0733       1       1  22 h 18 min  26.77
  572e877aee4f4b6fe8a4f1fab4aa5dd4       1       1  22 h 18 min  26.77

With a threshold of 10 % it is less time, but more alerts: many GPUs hover around it.

  $ printf 'version: 1\nalerts:\n  rules:\n    - {name: gpu_underused, below: 10}\n' > c.yaml; tare alerts --config c.yaml --since 2022-09-11 --by rule
  rule                 alerts  firing         for      cost
  gpu_underused           371     123    80 d 4 h  2,302.76
  gpu_memory_high         896     112   69 d 13 h  1,996.98
  gpu_held_no_process       6       0  1 h 53 min      2.26
  
  235 firing at the end, 1038 over; 144 GPUs watched, 2022-09-11T00:00:00Z to
  2022-09-12T00:00:57Z
  Not told: 1 that follow from another alert on the same GPU, 0 silenced (--all
  shows them)
