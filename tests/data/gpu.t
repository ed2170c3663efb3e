How good the choice of a GPU is, on published measurements.
  needs: $TARE_SHARED/data/perf_lambda_training/pytorch-train-throughput-v2-fp16.csv
  needs: $TARE_SHARED/data/perf_gavel_throughputs/simulation_throughputs.json.gz
  needs: $TARE_SHARED/data/perf_mlperf_inference_v5.1/mlperf_v5.1_datacenter_gpu.csv

Speed on a GPU model that was left out of all tables, from two own measurements. Lambda v2 with the older table to learn from too, which holds the same
works: at most 10 %, and 20 % below the one-factor model. Alone it does not reach that.

  $ tare plan gpu --evaluate $TARE_SHARED/data/perf_lambda_training/pytorch-train-throughput-v2-fp16.csv --also $TARE_SHARED/data/perf_lambda_training/pytorch-train-throughput-fp16.csv
  Speed on a GPU model that the table has not, from two own measurements: mean absolute
  relative error over 20 random pairs for each system.
  
  left out         predictions    error  one-factor  in range
  B200                     400  28.68 %     37.24 %      64 %
  GH200-96GB               380  21.35 %     14.83 %      79 %
  H100-PCIE-80GB           100   5.93 %      4.45 %     100 %
  H100-SXM5-80GB          7700   7.20 %     12.88 %     100 %
  H200-SXM5-141GB          700  17.04 %     30.92 %      90 %
  ───────────────────────────────────────────────────────────
  all                     9280   9.43 %     15.28 %      97 %
  
  Mean over GPU models: 16.04 %, one-factor 20.06 %. All: 38 % below the one-factor model.
  $ tare plan gpu --evaluate $TARE_SHARED/data/perf_lambda_training/pytorch-train-throughput-v2-fp16.csv -o json | $FILES/get 'round(mape_frac, 3)' 'round(one_factor_mape_frac, 3)'
  0.12
  0.168

Lambda v1: at most 25 %.

  $ tare plan gpu --evaluate $TARE_SHARED/data/perf_lambda_training/pytorch-train-throughput-fp16.csv
  Speed on a GPU model that the table has not, from two own measurements: mean absolute
  relative error over 20 random pairs for each system.
  
  left out         predictions    error  one-factor  in range
  A10                      160  11.44 %     23.20 %      88 %
  A100-PCIE-40GB           160   6.95 %     18.10 %     100 %
  A100-PCIE-80GB           320   8.77 %     33.47 %     100 %
  A100-SXM4-80GB           640  11.80 %     32.21 %     100 %
  H100-PCIE-80GB           800  11.92 %     38.01 %      94 %
  H100-SXM5-80GB          3200  19.84 %     59.04 %      87 %
  Quadro-RTX-8000          160  18.43 %     26.77 %      81 %
  RTX-3090                 320  16.15 %     24.12 %      97 %
  RTX-4090                 320  15.16 %     23.61 %      81 %
  RTX-6000-Ada             640  22.67 %     28.65 %      78 %
  RTX-A6000                320  12.09 %     19.46 %      94 %
  V100-SXM2-16GB           640  25.94 %     32.25 %      69 %
  ───────────────────────────────────────────────────────────
  all                     7680  17.48 %     41.93 %      88 %
  
  Mean over GPU models: 15.09 %, one-factor 29.91 %. All: 58 % below the one-factor model.

Gavel: 20 % below the one-factor model; the 30 % asked for are not reached. The best single factor for each run, chosen with all its values known, leaves
35.1 and 33.4 %: a one-factor model cannot do better than that, two measurements say little more.

  $ tare plan gpu --evaluate $TARE_SHARED/data/perf_gavel_throughputs/simulation_throughputs.json.gz
  Speed on a GPU model that the table has not, from two own measurements: mean absolute
  relative error over 20 random pairs for each system.
  
  left out        predictions    error  one-factor  in range
  K80                    3060  39.20 %     51.61 %      95 %
  P100-PCIE-16GB         3240  22.94 %     29.53 %      99 %
  V100-SXM2-16GB         3240  37.65 %     58.38 %      87 %
  ──────────────────────────────────────────────────────────
  all                    9540  33.15 %     46.41 %      94 %
  
  Mean over GPU models: 33.26 %, one-factor 46.51 %. All: 29 % below the one-factor model.
  $ tare plan gpu --evaluate $TARE_SHARED/data/perf_gavel_throughputs/physical_cluster_throughputs.json.gz
  Speed on a GPU model that the table has not, from two own measurements: mean absolute
  relative error over 20 random pairs for each system.
  
  left out        predictions    error  one-factor  in range
  K80                    3040  44.15 %     47.70 %      79 %
  P100-PCIE-16GB         3240  23.50 %     30.83 %     100 %
  V100-SXM2-16GB         3240  36.19 %     51.17 %      83 %
  ──────────────────────────────────────────────────────────
  all                    9520  34.41 %     43.14 %      88 %
  
  Mean over GPU models: 34.61 %, one-factor 43.23 %. All: 20 % below the one-factor model.

The cost of the GPU chosen by prediction: at most 3 % above the cheapest.

  $ tare plan gpu --evaluate $TARE_SHARED/data/perf_mlperf_inference_v5.1/mlperf_v5.1_datacenter_gpu.csv
  Cost of the work on the GPU chosen by prediction, above that on the GPU that measured cheapest.
  
  held out   choices  cheapest found  cost regret   worst  by $/h alone  by speed alone
  submitter     1046            97 %       0.86 %  62.9 %        18.7 %          99.2 %
  GPU model     1500            94 %       1.12 %  89.5 %        26.3 %         316.4 %
  
  Cheapest on_demand price per GPU, $/h: B200 5.98, GB200 27.04, H100-NVL-94GB 2.53, H100-SXM5-80GB 2.69, H200-SXM5-141GB 3.59, L4 0.70, L40S 0.60, MI300X 0.50, RTX-PRO-6000 1.13.
  No price, left out: GB300, GH200-96GB, H200-NVL-141GB, MI325X, RTX-4090.
  $ tare plan gpu --evaluate $TARE_SHARED/data/perf_mlperf_inference_v5.1/mlperf_v5.1_datacenter_gpu.csv -o json | $FILES/get 'held_out_submitter.mean_cost_regret_frac <= 0.03' 'held_out_gpu.mean_cost_regret_frac <= 0.03'
  True
  True
