The jobs of Philly on machines that come and go: their GPU-hours are the trace's own sum, 978,078.47.

  needs: $TARE_SHARED/data/trace_philly/philly.csv.gz
  $ tare simulate jobs --jobs $TARE_SHARED/data/trace_philly/philly.csv.gz -o json
  {
    "schema": "tare.simulate-jobs/1",
    "jobs": 82247,
    "too_large": 0,
    "rounded_up": 0,
    "gpus": 0,
    "gpus_node": 8,
    "deadline_misses": 0,
    "oom": 0,
    "interruptions": 0,
    "fallbacks": 0,
    "job_gpu_hours": 978078.4728,
    "paid_gpu_hours": 1105790.8089,
    "lost_gpu_hours": 0,
    "used_frac": 0.8845,
    "wait_mean_s": 0,
    "wait_p95_s": 0,
    "makespan_h": 2613.5428,
    "peak_gpus": 1243,
    "cost": null,
    "seed": 1,
    "digest": "fe875fd97b127ff9"
  }

On a cluster of 1,000 GPUs they wait.

  $ tare simulate jobs --jobs $TARE_SHARED/data/trace_philly/philly.csv.gz --gpus 1000
  82247 jobs on 1000 GPUs in machines of 8
  
  GPU-hours paid            2613542.8
            of jobs          978078.5  37.4 %
            lost                  0.0  to restarts, checkpoints, work done again
  most at once                 1000    GPUs
  first to last end            2613.5  h
  wait                           18.6  s on average, 95 % under 0 s
  deadlines missed                0
  out of memory                   0
  interruptions                   0    0 jobs moved to on-demand machines
  digest           a35adbfd41c80ae0    seed 1: equal runs are equal here

A million jobs on 10,000 GPUs take about ten CPU seconds at most (bench/run replay times it).

  $ tare simulate jobs --generate 1000000 --gpus 10000 --load-frac 1.05 --hazard 0.02 --checkpoint 30m --timing -o json | awk -F'[:,]' '/cpu_s/ { print $2 < 10 ? "in time" : "too slow" } !/cpu_s/'
  {
    "schema": "tare.simulate-jobs/1",
    "jobs": 1000000,
    "too_large": 0,
    "rounded_up": 0,
    "gpus": 10000,
    "gpus_node": 8,
    "deadline_misses": 0,
    "oom": 0,
    "interruptions": 45028,
    "fallbacks": 0,
    "job_gpu_hours": 8672092.1021,
    "paid_gpu_hours": 9534509.4611,
    "lost_gpu_hours": 143508.4029,
    "used_frac": 0.9095,
    "wait_mean_s": 105527.7803,
    "wait_p95_s": 217509.9771,
    "makespan_h": 953.4509,
    "peak_gpus": 10000,
    "cost": null,
    "seed": 1,
    "digest": "a2f4beb5f9e0d2db",
  in time
  }
