What a profiler's trace says: traces whose shares are known by construction (files/make-trace.py).

  $ for k in busy loader sync copies comm small; do python3 $FILES/files/make-trace.py $k > $k.json; done; python3 $FILES/files/make-trace.py launch 1 > launch.json

60 of 100 ms are waits for data.

  $ tare explain --trace loader.json --usd-gpu-hour 2.50
  loader.json: 1.00 s, 10 steps of 100.0 ms (longest 100.0 ms)
  The loop waited for data 10 times, 600.0 ms together (60 % of the time).
  
  GPU 0  NVIDIA A100-SXM4-80GB
    kernels run            40 % of the time
    copies to the GPU      0 %, with no kernel beside them 0 %
    copies from the GPU    0 %, with no kernel beside them 0 %
    nothing runs           60 % in 10 gaps
         60 %  waits for the data loader
    400 kernels, median 1.0 ms, 0 % of them under 10 us, 400 a second
    kernels with less than a block per SM: 0 % of kernel time
    estimated occupancy    50 %
  
     time  count  kernel or copy
  400.0 ms    400  ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn
  
  Matrix products whose shapes are known: 55 TFLOP, 1365 FLOP per byte, 137.4 TFLOP/s in 400.0 ms of kernels
  A100-SXM4-80GB at half precision: 312 TFLOP/s, reached from 153 FLOP per byte on: bound by arithmetic
  
  1. waits for data: 60 % of the time, costs 36.00 USD/day
     gap_loader_frac 0.6 > 0.1, gpu_busy_frac 0.4 < 0.9
     Prepare further ahead: more loader workers, prefetch_factor, pin_memory;
     where these processors are busy cheaper preprocessing, else faster
     storage.

Kernels of 4 us every 10 us; the price is not known.

  $ tare explain --trace launch.json
  launch.json: 100.0 ms, 1 step of 100.0 ms (longest 100.0 ms)
  
  GPU 0  NVIDIA A100-SXM4-80GB
    kernels run            40 % of the time
    copies to the GPU      0 %, with no kernel beside them 0 %
    copies from the GPU    0 %, with no kernel beside them 0 %
    nothing runs           60 % in 10000 gaps
         60 %  the host starts kernels late
         <1 %  not known
    10000 kernels, median 3.9 us, 100 % of them under 10 us, 100000 a second
    kernels with less than a block per SM: 100 % of kernel time
  
     time  count  kernel or copy
  40.0 ms  10000  void at::native::vectorized_ele… at::native::AddFunctor<float>>
  
  1. kernels too short for the host to keep up: 60 % of the time
     gap_launch_and_sync_frac 0.5999 > 0.1, tiny_kernels_frac 1 > 0.5
     Fuse or capture them: torch.compile, CUDA graphs, larger batches, no
     .item() or print in the step.
  2. batch too small: 20 % of the time
     kernels_below_one_block_per_sm_frac 1 > 0.1
     Raise the batch size (or batch requests dynamically): the kernels fill a
     part of the GPU; double it until memory or latency says stop.

The host waits for the GPU after each kernel.

  $ tare explain --trace sync.json
  sync.json: 1.00 s, 10 steps of 100.0 ms (longest 100.0 ms)
  
  GPU 0  NVIDIA A100-SXM4-80GB
    kernels run            50 % of the time
    copies to the GPU      0 %, with no kernel beside them 0 %
    copies from the GPU    0 %, with no kernel beside them 0 %
    nothing runs           50 % in 1000 gaps
         50 %  the host waits for the GPU first, then starts late
         <1 %  not known
    1000 kernels, median 502.1 us, 0 % of them under 10 us, 1000 a second
    kernels with less than a block per SM: 0 % of kernel time
    estimated occupancy    50 %
  
     time  count  kernel or copy
  500.0 ms   1000  ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn
  
  Matrix products whose shapes are known: 137 TFLOP, 1365 FLOP per byte, 274.9 TFLOP/s in 500.0 ms of kernels
  A100-SXM4-80GB at half precision: 312 TFLOP/s, reached from 153 FLOP per byte on: bound by arithmetic
  
  1. the host waits for the GPU, then starts late: 50 % of the time
     gap_launch_and_sync_frac 0.4995 > 0.1, tiny_kernels_frac 0 < 0.5
     Do not wait within the step: no .item(), .cpu(), print of a loss or
     torch.cuda.synchronize() that is not needed every time.

Copies with nothing beside them.

  $ tare explain --trace copies.json
  copies.json: 1.00 s, 10 steps of 100.0 ms (longest 100.0 ms)
  
  GPU 0  NVIDIA A100-SXM4-80GB
    kernels run            50 % of the time
    copies to the GPU     50 %, with no kernel beside them 50 %  (6.0 GB/s)
    copies from the GPU    0 %, with no kernel beside them 0 %
    nothing runs            0 % in 0 gaps
    500 kernels, median 1.0 ms, 0 % of them under 10 us, 500 a second
    kernels with less than a block per SM: 0 % of kernel time
    estimated occupancy    50 %
  
     time  count  kernel or copy
  500.0 ms     10  Memcpy HtoD (Pageable -> Device)
  500.0 ms    500  ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn
  
  Matrix products whose shapes are known: 68.7 TFLOP, 1365 FLOP per byte, 137.4 TFLOP/s in 500.0 ms of kernels
  A100-SXM4-80GB at half precision: 312 TFLOP/s, reached from 153 FLOP per byte on: bound by arithmetic
  
  1. waits for copies from the host: 50 % of the time
     copies_without_kernels_frac 0.5 > 0.1
     Pin host memory, copy ahead on another stream, send smaller types (bytes,
     not floats), keep what is used again on the GPU.

A collective of 50 ms, 10 of them hidden.

  $ tare explain --trace comm.json
  comm.json: 1.00 s, 10 steps of 100.0 ms (longest 100.0 ms)
  
  GPU 0  NVIDIA A100-SXM4-80GB
    kernels run           100 % of the time
    collectives            50 %, not hidden by computing 40 %
    copies to the GPU      0 %, with no kernel beside them 0 %
    copies from the GPU    0 %, with no kernel beside them 0 %
    nothing runs            0 % in 0 gaps
    610 kernels, median 1.0 ms, 0 % of them under 10 us, 610 a second
    kernels with less than a block per SM: 0 % of kernel time
    estimated occupancy    50 %
  
     time  count  kernel or copy
  600.0 ms    600  ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn
  500.0 ms     10  ncclDevKernel_AllReduce_Sum_f32…omm*, unsigned long, ncclWork*)
  
  Matrix products whose shapes are known: 82.5 TFLOP, 1365 FLOP per byte, 137.4 TFLOP/s in 600.0 ms of kernels
  A100-SXM4-80GB at half precision: 312 TFLOP/s, reached from 153 FLOP per byte on: bound by arithmetic
  
  1. waits for other GPUs: 40 % of the time
     collectives_without_compute_frac 0.4 > 0.1
     Send less or hide it: larger local batch or gradient accumulation, overlap
     of backward and reduction, jobs on GPUs with faster links.

Nothing wrong; and kernels that leave SMs empty.

  $ tare explain --trace busy.json
  busy.json: 1.00 s, 10 steps of 100.0 ms (longest 100.0 ms)
  
  GPU 0  NVIDIA A100-SXM4-80GB
    kernels run           100 % of the time
    copies to the GPU      0 %, with no kernel beside them 0 %
    copies from the GPU    0 %, with no kernel beside them 0 %
    nothing runs            0 % in 0 gaps
    1000 kernels, median 1.0 ms, 0 % of them under 10 us, 1000 a second
    kernels with less than a block per SM: 0 % of kernel time
    estimated occupancy    50 %
  
     time  count  kernel or copy
   1.00 s   1000  ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn
  
  Matrix products whose shapes are known: 137 TFLOP, 1365 FLOP per byte, 137.4 TFLOP/s in 1.00 s of kernels
  A100-SXM4-80GB at half precision: 312 TFLOP/s, reached from 153 FLOP per byte on: bound by arithmetic
  
  Nothing in it costs a tenth of the time.
  $ tare explain --trace small.json | tail -4
  1. batch too small: 50 % of the time
     kernels_below_one_block_per_sm_frac 1 > 0.1
     Raise the batch size (or batch requests dynamically): the kernels fill a
     part of the GPU; double it until memory or latency says stop.

JSON, and packed files say the same.

  $ gzip -k loader.json; tare explain --trace loader.json.gz -o json --usd-gpu-hour 2.50
  {"schema":"tare.explain.trace/1","file":"loader.json.gz","device":"NVIDIA A100-SXM4-80GB","complete":true,"window_s":1,"steps":10,"step_s":0.1,"loader_wait_frac":0.6,"gpus":[{"device":0,"busy_frac":0.4,"compute_frac":0.4,"collectives_frac":0,"collectives_exposed_frac":0,"h2d_frac":0,"h2d_exposed_frac":0,"d2h_frac":0,"d2h_exposed_frac":0,"gap_frac":0.6,"gap_loader_frac":0.6,"gap_launch_frac":0,"gap_sync_frac":0,"gap_queued_frac":0,"gap_unknown_frac":0,"gaps":10,"kernels":400,"tiny_kernels_frac":0,"kernel_median_us":1004.12,"below_one_block_per_sm_frac":0,"occupancy_frac":0.5}],"top":[{"name":"ampere_fp16_s16816gemm_fp16_128x128_ldg8_f2f_stages_32x5_nn","count":400,"seconds":0.4}],"matrix_products":{"flop_per_byte":1365.333333,"tflops":137.438953,"card_tflops":312,"ridge_flop_per_byte":153.016184},"currency":"USD","findings":[{"cause":"loader_stall","lost_frac":0.6,"confidence":0.9,"cost_day":"36","evidence":[{"metric":"gap_loader_frac","value":0.6,"limit":0.1},{"metric":"gpu_busy_frac","value":0.4,"limit":0.9}],"change":"Prepare further ahead: more loader workers, prefetch_factor, pin_memory; where these processors are busy cheaper preprocessing, else faster storage."}]}
  $ tare explain --trace - -o json --usd-gpu-hour 2.50 < loader.json.gz | md5sum > a; tare explain --trace loader.json.gz -o json --usd-gpu-hour 2.50 | sed 's/loader.json.gz/-/' | md5sum | cmp - a

An array of events alone; older writers' categories; names that mean no good.

  $ printf '[{"ph":"X","cat":"Kernel","name":"k\\u001b[31m\\n<b>","ts":0,"dur":10.5,"args":{"device":0,"stream":7}},{"ph":"X","cat":"Memcpy","name":"Memcpy HtoD","ts":5.25,"dur":10,"args":{"device":0}}]' > old.json
  $ tare explain --trace old.json
  old.json: 15.2 us
  
  GPU 0
    kernels run            69 % of the time
    copies to the GPU     66 %, with no kernel beside them 31 %
    copies from the GPU    0 %, with no kernel beside them 0 %
    nothing runs            0 % in 0 gaps
    1 kernel, median 10.2 us, 0 % of them under 10 us, 65574 a second
  
     time  count  kernel or copy
  10.5 us      1  k?[31m?<b>
  10.0 us      1  Memcpy HtoD
  
  1. waits for copies from the host: 31 % of the time
     copies_without_kernels_frac 0.3115 > 0.1
     Pin host memory, copy ahead on another stream, send smaller types (bytes,
     not floats), keep what is used again on the GPU.
  $ tare explain --trace old.json -o json | grep -c $'\033'
  0
  [1]

No GPU in it, no trace, cut short, not there.

  $ printf '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"aten::add","ts":1,"dur":2,"args":{}}]}' > cpu.json
  $ tare explain --trace cpu.json
  cpu.json: 0.0 us
  No kernels in it: nothing ran on a GPU, or it was not recorded (ProfilerActivity.CUDA).
  [3]
  $ echo '{"a": 1}' > none.json
  $ tare explain --trace none.json
  ! tare: cannot read 'none.json': no trace events: neither an array of them nor an object with "traceEvents"
  !       Write one with torch.profiler: prof.export_chrome_trace("trace.json")
  [2]
  $ head -c 1000 loader.json > cut.json
  $ tare explain --trace cut.json
  ! tare: cannot read 'cut.json': not JSON at byte 1000: the text ends too early
  !       It is cut short: copy it again whole, or write it again and let the profiler end before the program does
  [2]
  $ tare explain --trace gone.json
  ! tare: cannot open 'gone.json': No such file or directory
  !       Check the name; '-' reads standard input
  [2]
  $ tare explain --trace loader.json --usd-gpu-hour free
  ! tare: --usd-gpu-hour: 'free' is not a price of a GPU-hour of 0 or more, such as 2.50
  [2]
  $ tare explain 4 --trace loader.json
  ! tare: a trace, or an id: not both
  !       See: tare explain --help
  [2]

A trace that torch 1.13 wrote itself, of a run without a GPU (without Kineto, so without categories).

  $ tare explain --trace $FILES/files/torch-cpu-trace.json | sed "s|$FILES/||"
  files/torch-cpu-trace.json: 28.0 us, 1 step of 28.0 us (longest 28.0 us)
  The loop waited for data 1 time, 11.0 us together (39 % of the time).
  No kernels in it: nothing ran on a GPU, or it was not recorded (ProfilerActivity.CUDA).
