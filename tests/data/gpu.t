How good the choice of a GPU is, on published measurements.
  needs: $TARE_SHARED/data/perf_lambda_training/pytorch-train-throughput-v2-fp16.csv
  needs: $TARE_SHARED/data/perf_gavel_throughputs/simulation_throughputs.json.gz
  needs: $TARE_SHARED/data/perf_mlperf_inference_v5.1/mlperf_v5.1_datacenter_gpu.csv

Speed on a GPU model that was left out of all tables, from two own measurements. Lambda v2 with the older table to learn from too, which holds the same
works: at most 10 %, and 20 % below the one-factor model. Alone it does not reach that.

  $ $BIN/../../tests/score/score-gpu $TARE_SHARED/data/perf_lambda_training/pytorch-train-throughput-v2-fp16.csv --also $TARE_SHARED/data/perf_lambda_training/pytorch-train-throughput-fp16.csv
  Speed on a GPU model that the table has not, from two own measurements: mean absolute
  relative error over 20 random pairs for each system.
  
  left out         predictions    error  one-factor  in range
  B200                     400  28.67 %     37.24 %      64 %
  GH200-96GB               380  21.34 %     14.83 %      79 %
  H100-PCIE-80GB           100   5.93 %      4.45 %     100 %
  H100-SXM5-80GB          7700   7.20 %     12.88 %     100 %
  H200-SXM5-141GB          700  17.04 %     30.92 %      90 %
  ───────────────────────────────────────────────────────────
  all                     9280   9.43 %     15.28 %      97 %
  
  Mean over GPU models: 16.04 %, one-factor 20.06 %. All: 38 % below the one-factor model.
  $ $BIN/../../tests/score/score-gpu $TARE_SHARED/data/perf_lambda_training/pytorch-train-throughput-v2-fp16.csv --json | $FILES/get 'round(mape_frac, 3)' 'round(one_factor_mape_frac, 3)'
  0.12
  0.168

Lambda v1: at most 25 %.

  $ $BIN/../../tests/score/score-gpu $TARE_SHARED/data/perf_lambda_training/pytorch-train-throughput-fp16.csv
  Speed on a GPU model that the table has not, from two own measurements: mean absolute
  relative error over 20 random pairs for each system.
  
  left out         predictions    error  one-factor  in range
  A10                      160  11.48 %     23.20 %      88 %
  A100-PCIE-40GB           160   6.99 %     18.10 %     100 %
  A100-PCIE-80GB           320   8.82 %     33.47 %     100 %
  A100-SXM4-80GB           640  11.85 %     32.21 %     100 %
  H100-PCIE-80GB           800  11.95 %     38.01 %      94 %
  H100-SXM5-80GB          3200  19.84 %     59.04 %      87 %
  Quadro-RTX-8000          160  18.45 %     26.77 %      81 %
  RTX-3090                 320  14.80 %     24.12 %      97 %
  RTX-4090                 320  13.54 %     23.61 %      81 %
  RTX-6000-Ada             640  22.76 %     28.65 %      78 %
  RTX-A6000                320  10.53 %     19.46 %      94 %
  V100-SXM2-16GB           640  25.94 %     32.25 %      70 %
  ───────────────────────────────────────────────────────────
  all                     7680  17.31 %     41.93 %      88 %
  
  Mean over GPU models: 14.74 %, one-factor 29.91 %. All: 59 % below the one-factor model.

Gavel: at most 30 %, and 20 % below the one-factor model.

  $ $BIN/../../tests/score/score-gpu $TARE_SHARED/data/perf_gavel_throughputs/simulation_throughputs.json.gz
  Speed on a GPU model that the table has not, from two own measurements: mean absolute
  relative error over 20 random pairs for each system.
  
  left out        predictions    error  one-factor  in range
  K80                    3060  28.46 %     51.61 %      96 %
  P100-PCIE-16GB         3240  17.86 %     29.53 %      99 %
  V100-SXM2-16GB         3240  36.44 %     58.38 %      75 %
  ──────────────────────────────────────────────────────────
  all                    9540  27.57 %     46.41 %      90 %
  
  Mean over GPU models: 27.59 %, one-factor 46.51 %. All: 41 % below the one-factor model.
  $ $BIN/../../tests/score/score-gpu $TARE_SHARED/data/perf_gavel_throughputs/physical_cluster_throughputs.json.gz
  Speed on a GPU model that the table has not, from two own measurements: mean absolute
  relative error over 20 random pairs for each system.
  
  left out        predictions    error  one-factor  in range
  K80                    3040  32.24 %     47.70 %      88 %
  P100-PCIE-16GB         3240  19.07 %     30.83 %     100 %
  V100-SXM2-16GB         3240  34.49 %     51.17 %      78 %
  ──────────────────────────────────────────────────────────
  all                    9520  28.52 %     43.14 %      88 %
  
  Mean over GPU models: 28.60 %, one-factor 43.23 %. All: 34 % below the one-factor model.

Other pairs, and more of them, say the same.

  $ $BIN/../../tests/score/score-gpu $TARE_SHARED/data/perf_gavel_throughputs/simulation_throughputs.json.gz --pairs 300 --json | $FILES/get 'mape_frac < 0.295' 'mape_frac < 0.8 * one_factor_mape_frac'
  True
  True
  $ $BIN/../../tests/score/score-gpu $TARE_SHARED/data/perf_gavel_throughputs/physical_cluster_throughputs.json.gz --pairs 300 --json | $FILES/get 'mape_frac < 0.3' 'mape_frac < 0.8 * one_factor_mape_frac'
  True
  True

The cost of the GPU chosen by prediction: at most 3 % above the cheapest.

  $ $BIN/../../tests/score/score-gpu $TARE_SHARED/data/perf_mlperf_inference_v5.1/mlperf_v5.1_datacenter_gpu.csv
  Cost of the work on the GPU chosen by prediction, above that on the GPU that measured cheapest.
  
  held out   choices  cheapest found  cost regret   worst  by $/h alone  by speed alone
  submitter     1046            97 %       0.86 %  62.9 %        35.5 %          64.1 %
  GPU model     1500            91 %       2.86 %  79.9 %        47.1 %         132.2 %
  
  Cheapest on_demand price per GPU, $/h: B200 5.98, GB200 27.04, H100-NVL-94GB 2.53, H100-SXM5-80GB 2.69, H200-SXM5-141GB 3.59, L4 0.70, L40S 0.60, MI300X 2.39, RTX-PRO-6000 3.36.
  No price, left out: GB300, GH200-96GB, H200-NVL-141GB, MI325X, RTX-4090.
  $ $BIN/../../tests/score/score-gpu $TARE_SHARED/data/perf_mlperf_inference_v5.1/mlperf_v5.1_datacenter_gpu.csv --json | $FILES/get 'submitter_regret_frac <= 0.03' 'gpu_regret_frac <= 0.03'
  True
  True
