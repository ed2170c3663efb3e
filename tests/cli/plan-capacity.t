One question each, from numbers: capacity and batches.

500 requests a second, 200 a GPU: 3 GPUs, and a fifth more of whole GPUs is 4.

  $ tare plan capacity --qps 500 --gpu-qps 200 --headroom 0.2
  500 requests/s at 200 per GPU: 3 GPUs, 4 with 20 % head-room.
  Head-room is taken on whole GPUs: 3 just serve 20 % more requests.
  Each then runs at 62.5 %: healthy; room for peaks without waste: leave it.
  
  Bands of serving: below 40 % consolidate, 60-80 % healthy, above 85 % at risk.
  $ tare plan capacity --qps 500 --gpu-qps 200 --headroom 0.2 -o json
  {"schema":"tare.plan-capacity/1","qps":500,"gpu_qps":200,"headroom_frac":0.2,"gpus_without_headroom":3,"gpus":4,"gpus_for_peak":3,"load_frac":0.625,"util_frac":null,"band":"healthy","advice":"room for peaks without waste: leave it"}
  $ tare plan capacity --qps 500 --gpu-qps 200 --headroom 0 -o json | grep -o '"gpus":[0-9]*'
  "gpus":3
  $ tare plan capacity --qps 110 --gpu-qps 100; tare plan capacity --qps 110 --gpu-qps 100 -o json | $FILES/../data/get gpus_for_peak gpus band advice
  110 requests/s at 100 per GPU: 2 GPUs, 3 with 20 % head-room.
  Head-room is taken on whole GPUs: 2 just serve 20 % more requests.
  Each then runs at 36.7 %: consolidate; what is more than a peak needs is for the loss of one: start with fewer.
  
  Bands of serving: below 40 % consolidate, 60-80 % healthy, above 85 % at risk.
  2
  3
  consolidate
  what is more than a peak needs is for the loss of one: start with fewer

The bands.

  $ for u in 0.2 0.5 0.7 0.83 0.9; do tare plan capacity --util $u | head -1; done
  Utilisation 20.0 %: consolidate; fewer or smaller GPUs would do: consolidate.
  Utilisation 50.0 %: low; room for more work on the same GPUs.
  Utilisation 70.0 %: healthy; room for peaks without waste: leave it.
  Utilisation 83.0 %: busy; little room for peaks: watch the 99th percentile of latency.
  Utilisation 90.0 %: at risk; a peak will raise latency or run out of memory: scale out.

Bad input.

  $ tare plan capacity --qps 500
  ! tare: --qps and --gpu-qps are needed, or --util alone
  !       See: tare plan capacity --help
  [2]
  $ tare plan capacity --qps -5 --gpu-qps 200
  ! tare: --qps: '-5' is not a number from 1e-06 to 1000000000000, such as 500
  [2]
  $ tare plan capacity --qps nan --gpu-qps 200
  ! tare: --qps: 'nan' is not a number from 1e-06 to 1000000000000, such as 500
  [2]
  $ tare plan capacity --qps 5 --gpu-qps 0
  ! tare: --gpu-qps: '0' is not a number from 1e-06 to 1000000000000, such as 200
  [2]
  $ tare plan capacity --util 20
  ! tare: --util: '20' is not a share from 0 to 1, such as 0.2
  [2]

A bound of 200 ms and a model of 30 ms.

  $ tare plan batch --slo-ms 200 --model-ms 30
  Bound 200 ms: up to 170 ms for waiting and everything else.
  Start with a wait of 20-30 ms and tune it on measured percentiles.
  
  With a profile of several batch sizes (--profile, or --item-ms) the batch and the replicas follow too.
  $ tare plan batch --slo-ms 200 --model-ms 30 -o json
  {"schema":"tare.plan-batch/1","slo_ms":200,"qps":null,"alpha_ms":30,"beta_ms":null,"fit_r2":null,"feasible":true,"wait_bound_ms":170,"start_wait_lo_ms":20,"start_wait_hi_ms":30,"safe_batch":null,"largest_batch":null,"capacity_qps":null,"replicas":null,"staggered_batch":null,"load_frac":null,"arrivals":null,"replayed_requests":null,"p99_ms":null,"p99_one_fewer_ms":null,"p99_staggered_ms":null,"poisson_replicas":null}
  $ tare plan batch --slo-ms 200 --model-ms 12 --item-ms 2 --qps 1000
  Bound 200 ms: up to 100 ms for waiting and everything else.
  Start with a wait of 20-30 ms and tune it on measured percentiles.
  
  Latency of a batch: 10 + 2 ms per request
  Largest batch  45 safe (waits for a running batch, then its own), 95 if nothing waits
  Capacity       450 requests/s a replica at batch 45; at full load never wait
  Replicas       3 for 1000 requests/s, each at 74 %; a safe batch fills in 135 ms
  Replayed       p99 186.8 ms of 200; with 2 it would be 2.668e+04 ms
                 800000 requests, independent, and in bursts of 0.7 to 1.3 times the rate; one queue, and given out in turn
                 p99 195.2 ms with batches of up to 65
  $ printf 'slices,batch,procs,throughput,latency_ms\n7,1,1,80,12\n7,2,1,140,14\n7,4,1,220,18\n7,8,1,300,26\n' > p.csv; tare plan batch --slo-ms 200 --profile p.csv --qps 100
  Bound 200 ms: up to 174 ms for waiting and everything else.
  Start with a wait of 20-30 ms and tune it on measured percentiles.
  
  Latency of a batch: 10 + 2 ms per request (fit, R2 1.000)
  Largest batch  8 safe (waits for a running batch, then its own), 8 if nothing waits
  Capacity       307.7 requests/s a replica at batch 8; at full load never wait
  Replicas       1 for 100 requests/s, each at 32 %; a safe batch fills in 80 ms
  Replayed       p99 35.7 ms of 200
                 240000 requests, independent, and in bursts of 0.7 to 1.3 times the rate; one queue, and given out in turn
  $ tare plan batch --slo-ms 20 --model-ms 30
  A bound of 20 ms cannot be met: one request alone takes 30 ms.
  [1]
  $ tare plan batch --slo-ms 200 --profile p.csv --slices 3
  ! tare: the profile has no measurement with 3 slices and 1 processes
  [2]
  $ printf 'slices,batch,procs,throughput,latency_ms\n7,1,1,80,twelve\n' > bad.csv; tare plan batch --slo-ms 200 --profile bad.csv
  ! tare: 'bad.csv': line 2, column latency_ms: 'twelve' is not a number from 0 to 1e+09
  [2]

A trace of requests: as they came, or at another rate.

  $ printf 't\n0\n0.001\n0.002\n0.5\n0.501\n' > r.csv; tare plan batch --slo-ms 200 --profile p.csv --requests r.csv | tail -4
  Capacity       307.7 requests/s a replica at batch 8; at full load never wait
  Replicas       1 for 7.984 requests/s, each at 3 %; a safe batch fills in 1002 ms
  Replayed       p99 25 ms of 200
                 5 requests, as the file has them; one queue, and given out in turn
  $ tare plan batch --slo-ms 200 --profile p.csv --requests r.csv --qps 1000 -o json | $FILES/../data/get 'replicas' 'arrivals' 'replayed_requests' 'p99_ms <= 200' 'p99_one_fewer_ms'
  1
  requests
  5
  True
  None
  $ printf 't\n0\nsoon\n' > r.csv; tare plan batch --slo-ms 200 --profile p.csv --requests r.csv
  ! tare: 'r.csv': line 3, column t: 'soon' is not a time
  !       Write seconds (12.0347) or an instant (2026-11-16T18:17:03Z), or leave the line out
  [2]
  $ printf 'x\n0\n' > r.csv; tare plan batch --slo-ms 200 --profile p.csv --requests r.csv
  ! tare: 'r.csv': no column 'time' in the header: x
  !       A trace is a CSV with a row per request and its time (or timestamp, arrival, t): seconds or an instant
  [2]
  $ printf 't\n7\n7\n' > r.csv; tare plan batch --slo-ms 200 --profile p.csv --requests r.csv
  ! tare: 'r.csv': all requests at one time: no rate follows from it
  !       Give the trace of an hour or more, or the rate alone: --qps N
  [2]
  $ tare plan batch --slo-ms 200 --profile p.csv --requests r.csv --arrivals poisson
  ! tare: --requests says how they come: --arrivals does not go with it
  !       See: tare plan batch --help
  [2]
  $ tare plan batch --slo-ms 200 --profile p.csv --qps 1e12
  ! tare: 1e+12 requests a second need more than 1,000,000 replicas
  [2]
  $ tare plan batch --slo-ms 200 --model-ms 12 --item-ms 2 --qps 1e-305
  ! tare: --qps: '1e-305' is not a rate from 0.000001 requests per second (one in twelve days), such as 500
  [2]
  $ tare plan batch --slo-ms 200 --model-ms 12 --item-ms 2 --qps 1e-6 -o json | $FILES/../data/get replicas 'round(p99_ms)' arrivals
  1
  12
  bursts
  $ tare plan batch --slo-ms 200 --model-ms 12 --item-ms 2 --qps 1000 --arrivals poisson | tail -4
  Replicas       3 for 1000 requests/s, each at 74 %; a safe batch fills in 135 ms
  Replayed       p99 96.36 ms of 200; with 2 it would be 2.233e+04 ms
                 400000 requests, independent of each other; one queue, and given out in turn
                 p99 95.23 ms with batches of up to 70

What fits a GPU with MIG: the seeds' table among it, and another GPU.

  $ tare plan mig --gpu A100-80GB
  A100-SXM4-80GB in instances
  
  profile     most  GiB each  compute  memory  may start at
  1g.10gb        7     9.625   1 of 7  1 of 8  0 1 2 3 4 5 6
  1g.10gb+me     1     9.625   1 of 7  1 of 8  0 1 2 3 4 5 6
  1g.20gb        4      19.5   1 of 7  2 of 8  0 2 4 6
  2g.20gb        3      19.5   2 of 7  2 of 8  0 2 4
  3g.40gb        2     39.25   3 of 7  4 of 8  0 4
  4g.40gb        1     39.25   4 of 7  4 of 8  0
  7g.80gb        1      78.5   7 of 7  8 of 8  0
  
  38 sets of plain profiles fill the GPU (78 ways to place them):
    7 x 1g.10gb
    1 x 1g.20gb + 6 x 1g.10gb
    2 x 1g.20gb + 4 x 1g.10gb
    1 x 2g.20gb + 5 x 1g.10gb
    1 x 2g.20gb + 1 x 1g.20gb + 4 x 1g.10gb
    1 x 3g.40gb + 4 x 1g.10gb
    3 x 1g.20gb + 2 x 1g.10gb
    1 x 2g.20gb + 2 x 1g.20gb + 2 x 1g.10gb
    1 x 3g.40gb + 1 x 1g.20gb + 2 x 1g.10gb
    2 x 2g.20gb + 3 x 1g.10gb
    2 x 2g.20gb + 1 x 1g.20gb + 2 x 1g.10gb
    1 x 3g.40gb + 1 x 2g.20gb + 2 x 1g.10gb
    4 x 1g.20gb
    1 x 2g.20gb + 3 x 1g.20gb
    1 x 3g.40gb + 2 x 1g.20gb
    2 x 2g.20gb + 2 x 1g.20gb
    1 x 3g.40gb + 1 x 2g.20gb + 1 x 1g.20gb
    3 x 2g.20gb + 1 x 1g.10gb
    3 x 2g.20gb + 1 x 1g.20gb
    1 x 3g.40gb + 2 x 2g.20gb
    2 x 3g.40gb
    1 x 4g.40gb + 3 x 1g.10gb
    1 x 4g.40gb + 1 x 1g.20gb + 2 x 1g.10gb
    1 x 4g.40gb + 2 x 1g.20gb
    1 x 4g.40gb + 1 x 2g.20gb + 1 x 1g.10gb
    1 x 4g.40gb + 1 x 2g.20gb + 1 x 1g.20gb
    1 x 4g.40gb + 1 x 3g.40gb
    1 x 7g.80gb
    1 x 1g.20gb + 5 x 1g.10gb
    2 x 1g.20gb + 3 x 1g.10gb
    1 x 2g.20gb + 1 x 1g.20gb + 3 x 1g.10gb
    3 x 1g.20gb + 1 x 1g.10gb
    1 x 2g.20gb + 2 x 1g.20gb + 1 x 1g.10gb
    2 x 2g.20gb + 1 x 1g.20gb + 1 x 1g.10gb
    1 x 3g.40gb + 3 x 1g.10gb
    1 x 3g.40gb + 1 x 1g.20gb + 1 x 1g.10gb
    1 x 3g.40gb + 1 x 2g.20gb + 1 x 1g.10gb
    1 x 4g.40gb + 1 x 1g.20gb + 1 x 1g.10gb
  $ tare plan mig --gpu A30
  A30 in instances
  
  profile     most  GiB each  compute  memory  may start at
  1g.6gb         4     5.699   1 of 4  1 of 4  0 1 2 3
  1g.6gb+me      1     5.699   1 of 4  1 of 4  0 1 2 3
  2g.12gb        2      11.4   2 of 4  2 of 4  0 2
  2g.12gb+me     1      11.4   2 of 4  2 of 4  0 2
  4g.24gb        1      22.8   4 of 4  4 of 4  0
  
  4 sets of plain profiles fill the GPU (5 ways to place them):
    4 x 1g.6gb
    1 x 2g.12gb + 2 x 1g.6gb
    2 x 2g.12gb
    1 x 4g.24gb
  $ tare plan mig --gpu A30 -o csv
  profile,most,GiB each,compute,memory,may start at
  1g.6gb,4,5.699,1 of 4,1 of 4,0 1 2 3
  1g.6gb+me,1,5.699,1 of 4,1 of 4,0 1 2 3
  2g.12gb,2,11.4,2 of 4,2 of 4,0 2
  2g.12gb+me,1,11.4,2 of 4,2 of 4,0 2
  4g.24gb,1,22.8,4 of 4,4 of 4,0
  $ tare plan capacity --util 0.2 -o csv
  ! tare: this command prints text or -o json
  !       See: tare plan capacity --help
  [2]
  $ tare plan mig --gpu A100-80GB -o json
  {"schema":"tare.plan-mig/1","gpu_model":"A100-SXM4-80GB","profiles":[{"profile":"1g.10gb","compute_slices":1,"memory_slices":1,"memory_gib":9.625,"most":7,"starts":[0,1,2,3,4,5,6]},{"profile":"1g.10gb+me","compute_slices":1,"memory_slices":1,"memory_gib":9.625,"most":1,"starts":[0,1,2,3,4,5,6]},{"profile":"1g.20gb","compute_slices":1,"memory_slices":2,"memory_gib":19.5,"most":4,"starts":[0,2,4,6]},{"profile":"2g.20gb","compute_slices":2,"memory_slices":2,"memory_gib":19.5,"most":3,"starts":[0,2,4]},{"profile":"3g.40gb","compute_slices":3,"memory_slices":4,"memory_gib":39.25,"most":2,"starts":[0,4]},{"profile":"4g.40gb","compute_slices":4,"memory_slices":4,"memory_gib":39.25,"most":1,"starts":[0]},{"profile":"7g.80gb","compute_slices":7,"memory_slices":8,"memory_gib":78.5,"most":1,"starts":[0]}],"sets":[["1g.10gb","1g.10gb","1g.10gb","1g.10gb","1g.10gb","1g.10gb","1g.10gb"],["1g.10gb","1g.10gb","1g.10gb","1g.10gb","1g.10gb","1g.10gb","1g.20gb"],["1g.10gb","1g.10gb","1g.10gb","1g.10gb","1g.20gb","1g.20gb"],["2g.20gb","1g.10gb","1g.10gb","1g.10gb","1g.10gb","1g.10gb"],["2g.20gb","1g.10gb","1g.10gb","1g.10gb","1g.10gb","1g.20gb"],["3g.40gb","1g.10gb","1g.10gb","1g.10gb","1g.10gb"],["1g.10gb","1g.10gb","1g.20gb","1g.20gb","1g.20gb"],["2g.20gb","1g.10gb","1g.10gb","1g.20gb","1g.20gb"],["3g.40gb","1g.10gb","1g.10gb","1g.20gb"],["2g.20gb","2g.20gb","1g.10gb","1g.10gb","1g.10gb"],["2g.20gb","2g.20gb","1g.10gb","1g.10gb","1g.20gb"],["3g.40gb","2g.20gb","1g.10gb","1g.10gb"],["1g.20gb","1g.20gb","1g.20gb","1g.20gb"],["2g.20gb","1g.20gb","1g.20gb","1g.20gb"],["3g.40gb","1g.20gb","1g.20gb"],["2g.20gb","2g.20gb","1g.20gb","1g.20gb"],["3g.40gb","2g.20gb","1g.20gb"],["2g.20gb","2g.20gb","2g.20gb","1g.10gb"],["2g.20gb","2g.20gb","2g.20gb","1g.20gb"],["3g.40gb","2g.20gb","2g.20gb"],["3g.40gb","3g.40gb"],["4g.40gb","1g.10gb","1g.10gb","1g.10gb"],["4g.40gb","1g.10gb","1g.10gb","1g.20gb"],["4g.40gb","1g.20gb","1g.20gb"],["4g.40gb","2g.20gb","1g.10gb"],["4g.40gb","2g.20gb","1g.20gb"],["4g.40gb","3g.40gb"],["7g.80gb"],["1g.10gb","1g.10gb","1g.10gb","1g.10gb","1g.20gb","1g.10gb"],["1g.10gb","1g.10gb","1g.20gb","1g.20gb","1g.10gb"],["2g.20gb","1g.10gb","1g.10gb","1g.20gb","1g.10gb"],["1g.20gb","1g.20gb","1g.20gb","1g.10gb"],["2g.20gb","1g.20gb","1g.20gb","1g.10gb"],["2g.20gb","2g.20gb","1g.20gb","1g.10gb"],["3g.40gb","1g.10gb","1g.10gb","1g.10gb"],["3g.40gb","1g.20gb","1g.10gb"],["3g.40gb","2g.20gb","1g.10gb"],["4g.40gb","1g.20gb","1g.10gb"]],"placements":78}

MIG with half of what it reads.

  $ tare plan mig --profiles .
  ! tare: --profiles, --slo-latency and --slo-rate go together; without them the GPU's table is printed
  !       See: tare plan mig --help
  [2]
  $ mkdir empty; tare plan mig --profiles empty --slo-latency p.csv --slo-rate p.csv
  ! tare: no profile NAME.csv in 'empty'
  !       A profile has the columns slices, batch, procs, throughput, latency_ms: a row per measurement
  [2]

A replay that has nothing to replay.

  $ printf 'time,value,container\n60,0,a\n120,3,a\n' > d.csv; printf 'time,value,container\n60,1,\n' > q.csv; tare simulate requests --duty d.csv --qps q.csv --latency q.csv
  ! tare: no request names a container: nothing can be replayed
  [3]
  $ printf 'time,value,container\n60,x,a\n' > bad.csv; tare simulate requests --duty bad.csv --qps q.csv --latency q.csv
  ! tare: 'bad.csv': line 2, column value: 'x' is not a number of 0 or more
  [2]

A rate above the one on demand pays off never, not in an hour that no month has.

  $ tare plan reserved --on-demand 3.06 --reserved-1y 4 | grep ^1y
  1y         12 mo     0.00  2,920.00  35,040.00  -8,234.40  -30.7 %     never

A trace of requests that cannot be replayed says where and what to do: no times, two kinds of times, sums by the minute, no rate.

  $ printf 'printf "$1" > trace.csv; tare plan batch --slo-ms 200 --model-ms 12 --item-ms 2 --requests trace.csv\n' > batch
  $ bash batch ''
  ! tare: 'trace.csv' is empty: there is not even a header line
  [2]
  $ bash batch 'time\n'
  ! tare: 'trace.csv': no rows: a trace has a row per request
  !       Without a trace leave --requests out: bursts are replayed then
  [2]
  $ bash batch 'when,latency_ms\n1,2\n'
  ! tare: 'trace.csv': no column 'time' in the header: when, latency_ms
  !       A trace is a CSV with a row per request and its time (or timestamp, arrival, t): seconds or an instant
  [2]
  $ bash batch 'time\n2026-11-01T00:00:00Z\nyesterday\n'
  ! tare: 'trace.csv': line 3, column time: 'yesterday' is not a time
  !       Write seconds (12.0347) or an instant (2026-11-16T18:17:03Z), or leave the line out
  [2]
  $ bash batch 'time,x\n5,1\n,2\n'
  ! tare: 'trace.csv': line 3, column time: empty
  !       Write seconds (12.0347) or an instant (2026-11-16T18:17:03Z), or leave the line out
  [2]
  $ bash batch 'time\n2026-11-01T00:00:00Z\n17\n'
  ! tare: 'trace.csv': line 3, column time: seconds, where the first row has an instant
  !       Write all times of the column in one way
  [2]
  $ bash batch 'time,service,count\n2026-11-01T00:00:00Z,chat,1\n2026-11-01T00:01:00Z,chat,400\n'
  ! tare: 'trace.csv': line 3, column count: '400' requests in one row
  !       A trace has a row per request with its own time; for sums by the minute give the busiest minute's rate with --qps
  [2]
  $ bash batch 't\n1\n'
  ! tare: 'trace.csv': one request: no rate follows from it
  !       Give the trace of an hour or more, or the rate alone: --qps N
  [2]
  $ bash batch 't\n9\n2\n5\n' | grep Replicas
  Replicas       1 for 0.2857 requests/s, each at 0 %; a safe batch fills in 1.575e+05 ms
