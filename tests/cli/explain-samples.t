Causes in recorded readings: a window after the other.

  $ awk 'BEGIN { print "time,node,gpu,job_id,gpu_model,gpu_util_pct,sm_active_frac,dram_active_frac,tensor_active_frac,power_w,loaders,loader_cpu_pct,main_cpu_pct,step_s"
  >   for (s = 0; s < 1200; s++) { t = sprintf("2026-11-01T00:%02d:%02dZ", s / 60, s % 60)
  >     print t ",n1,0,train,A100-SXM4-80GB," (s < 600 ? "40,0.36,0.2,0.2,200,4,390,45" : "97,0.9,0.5,0.5,380,4,150,99") ",1"
  >     print t ",n2,0,odd,A100-SXM4-80GB,35,,,,,,,,1" } }' > s.csv
  $ tare explain --samples s.csv
  s.csv: 4 windows of 10 min 00 s, 2 GPUs
  
         1   25.0 %       0.2 GPU·h  well used
         1   25.0 %       0.2 GPU·h  cause found
         0    0.0 %       0.0 GPU·h  idle
         2   50.0 %       0.3 GPU·h  not enough signals
  
   windows     GPU·h  lost GPU·h  cause
         1       0.2         0.1  cpu_preprocessing: waits for preprocessing on the CPU
  
  missing, in windows of not enough signals: loader_cpu_pct 2, main_cpu_pct 2, sm_active_frac 2, power_w 2, pcie_rx_bytes_s 2
  $ tare explain --samples s.csv -o csv
  time,node,job,cards,verdict,util_pct,cause,confidence,why
  2026-11-01T00:00:00Z,n1,train,1,found,40.0,cpu_preprocessing,1.00,"gpu_util_pct 40 < 95, loader_cpu_each 0.975 > 0.75, main_cpu 0.45 < 0.85"
  2026-11-01T00:10:00Z,n1,train,1,healthy,97.0,,,""
  2026-11-01T00:00:00Z,n2,odd,1,unknown,35.0,,,"missing loader_cpu_pct main_cpu_pct sm_active_frac power_w pcie_rx_bytes_s"
  2026-11-01T00:10:00Z,n2,odd,1,unknown,35.0,,,"missing loader_cpu_pct main_cpu_pct sm_active_frac power_w pcie_rx_bytes_s"
  $ tare explain --samples s.csv -o json
  {"schema":"tare.explain.samples/1","windows":4,"window_s":600,"verdicts":{"healthy":1,"found":1,"idle":0,"unknown":2},"causes":[{"cause":"cpu_preprocessing","windows":1,"gpu_hours":0.167,"lost_gpu_hours":0.1,"change":"Give it more processors and loader workers, prepare the data once beforehand, or move decoding and augmentation to the GPU."}],"missing":{"loader_cpu_pct":2,"main_cpu_pct":2,"sm_active_frac":2,"power_w":2,"pcie_rx_bytes_s":2}}

Bad input.

  $ printf 'a,b\n1,2\n' > bad.csv; tare explain --samples bad.csv
  ! tare: no samples: columns time, gpu and gpu_util_pct are needed
  !       The columns are those of: tare import --as samples
  [2]
  $ printf 'time,gpu,gpu_util_pct\nsoon,0,5\n' > bad.csv; tare explain --samples bad.csv
  ! tare: 'bad.csv', line 2: 'soon' is not a time
  [2]
  $ tare explain --samples s.csv --window 5s
  ! tare: --window: '5s' is not a duration of a minute or more, such as 10m
  [2]
  $ tare explain --samples gone.csv
  ! tare: cannot open 'gone.csv': No such file or directory
  !       Check the name; '-' reads standard input
  [2]
