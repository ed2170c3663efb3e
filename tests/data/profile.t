Recorded runs of one GPU (nvidia-smi monitors of a training benchmark): quantiles and means are those that sorting gives, the verdict by
utilisation is the band of the mean, and with no second signal beside it no verdict is sure.
  needs: $TARE_SHARED/data/perf_lambda_training/lambda_nvidia_smi_monitor.csv.gz
  $ python3 $FILES/profile-runs.py $TARE_SHARED/data/perf_lambda_training/lambda_nvidia_smi_monitor.csv.gz 40
  40 runs, 9053 readings, 0 differ
  overprovisioned 9, underutilized 1, well_utilized 30
