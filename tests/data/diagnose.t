Causes of low utilisation on real traces that know little: utilisation, temperature and memory of benchmark runs (their interval is not stated; 10 s is assumed), and
a day of a serving fleet. Nothing that these readings cannot tell is claimed; what would tell it is counted.

  needs: $TARE_SHARED/data/perf_lambda_training/lambda_nvidia_smi_monitor.csv.gz
  $ python3 $FILES/to-samples.py lambda 10 $TARE_SHARED/data/perf_lambda_training/lambda_nvidia_smi_monitor.csv.gz > lambda.csv
  $ tare explain --samples lambda.csv --window 1h
  lambda.csv: 2402 windows of 1 h 00 min, 7881 GPUs
  
         0    0.0 %       0.0 GPU·h  well used
         0    0.0 %       0.0 GPU·h  cause found
       952   39.6 %     233.2 GPU·h  idle
      1450   60.4 %     368.0 GPU·h  not enough signals
  
  missing, in windows of not enough signals: 60 s of readings 339, sm_active_frac 1111, power_w 1111, pcie_rx_bytes_s 1111, loader_cpu_pct 839, main_cpu_pct 839, disk_write_bytes_s 398
  $ G=$TARE_SHARED/data/telemetry_alibaba_gentd26; python3 $FILES/to-samples.py gentd26 $G/pod_gpu_duty_cycle_anon.csv.gz $G/pod_gpu_memory_used_bytes_anon.csv.gz > gentd26.csv
  $ tare explain --samples gentd26.csv --window 1h
  gentd26.csv: 2599 windows of 1 h 00 min, 143 GPUs
  
         0    0.0 %       0.0 GPU·h  well used
         0    0.0 %       0.0 GPU·h  cause found
       689   26.5 %     626.9 GPU·h  idle
      1910   73.5 %    1865.5 GPU·h  not enough signals
  
  missing, in windows of not enough signals: queue 1909, sm_active_frac 1909, power_w 1909, pcie_rx_bytes_s 1909, 60 s of readings 1
  $ tare explain --samples gentd26.csv --window 1h -o json | $FILES/get 'verdicts.found, sum(c.windows for c in causes)'
  (0, 0)
