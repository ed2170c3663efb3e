Whom the labels of an exporter name as the owner of a GPU (tare import reads the same ones) holds it: idle_empty, not free. The exporter's own pod holds nothing.

  $ mkdir web; g() { echo "DCGM_FI_DEV_$1{gpu=\"$2\",UUID=\"GPU-$2\",modelName=\"NVIDIA A100-SXM4-80GB\",Hostname=\"k8s-a\",namespace=\"ml\",pod=\"$3\"} $4"; }
  > for m in 'GPU_UTIL 83 0 0' 'FB_USED 40000 0 0' 'FB_FREE 41920 81920 81920'; do set -- $m; g $1 0 train-0 $2; g $1 1 train-1 $3; g $1 2 dcgm-exporter-x $4; done > web/metrics
  $ python3 -u -c "import functools, http.server as h; s = h.HTTPServer(('127.0.0.1', 0), functools.partial(h.SimpleHTTPRequestHandler, directory='web')); print(s.server_port); s.serve_forever()" > port 2> /dev/null & until grep -q . port; do sleep 0.05; done
  > TARE_METADATA=off tare top --once --scrape http://127.0.0.1:$(cat port)/metrics -o json | python3 -c "import json, sys; [print(g['uuid'], *(h[k] for h in g['holders'] for k in ('job_id', 'state', 'cause'))) for g in json.load(sys.stdin)['gpus']]"; kill $!
  GPU-0 ml/train-0 busy None
  GPU-1 ml/train-1 idle_empty waiting
  GPU-2 None unallocated free

A log of nvidia-smi is a recording as it is.

  $ printf 'timestamp, uuid, utilization.gpu [%%], memory.used [MiB], memory.total [MiB], power.draw [W]\n' > smi.csv
  > for m in 0 1 2 3; do echo "2026/11/20 08:0$m:00.123, GPU-10aa, 92 %, 60000 MiB, 81920 MiB, 300.50 W"; done >> smi.csv
  $ TARE_METADATA=off TARE_GPU_REPLAY=smi.csv tare top --once | grep -c ' 92%'
  1
  $ printf 'a,b\n1,2\n' > other.csv; TARE_METADATA=off TARE_GPU_REPLAY=other.csv tare top --once
  ! tare: cannot play 'other.csv': 'other.csv' has no columns time, gpu, which samples needs
  !       A recording is a table of samples (its columns: man tare-import) or a log of nvidia-smi
  [2]
