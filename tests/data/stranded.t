GPUs that nobody can use because CPU or memory of the host are gone: openb's machines and pods. The trace does not say on which machine a pod ran; tests/data/place
puts each onto the machine with the least room left that takes it, and counts on its own what this leaves stranded: free GPUs on machines that somebody holds
in part, beyond what the CPU and memory left there can serve with the cluster's median job.

Full: pods at random, for one hour, until they ask for as many GPUs as there are. The published best fit holds 92.86 % of the GPUs then (mean of ten runs; README
of the trace), random placement 86.3 %, the best policy 95.23 %; a fifth of what this one leaves free is left for want of CPU, not of GPUs.

  needs: $TARE_SHARED/data/trace_alibaba_gpu_v2023/openb_pod_list_default.csv.gz
  $ $FILES/place $TARE_SHARED/data/trace_alibaba_gpu_v2023/openb_node_list_gpu_node.csv $TARE_SHARED/data/trace_alibaba_gpu_v2023/openb_pod_list_default.csv.gz full.csv 1
  93.7 % of the GPUs held, stranded by the host 78.0 of 6212 (73.0 for want of CPU beside a job with more than its part)
  $ tare import --db full -q --map alibaba-openb-nodes --set usd_hour=10 --set to=2023-01-01T01:00:00Z $TARE_SHARED/data/trace_alibaba_gpu_v2023/openb_node_list_gpu_node.csv
  $ tare import --db full -q full.csv
  $ tare plan --db full --findings -o json > f.json
  ! tare: nothing can be decided from this history; "notes" say why
  [3]
  $ $FILES/get '[(f.cause, round(float(f.gpu_seconds) / 3600, 1)) for f in findings if "stranded" in f.cause]' '[e.value for f in findings if f.cause == "stranded/cpu" for e in f.evidence if e.metric == "median job of the cluster"]' < f.json
  [('stranded/cpu', 73.0), ('stranded/memory', 5.0)]
  ['1 GPU, 11.3 CPUs, 47 GiB']

Without the columns of CPU and memory nothing is stranded.

  $ cut -d, -f1-9,12 full.csv > bare.csv
  $ tare import --db bare -q --map alibaba-openb-nodes --set usd_hour=10 --set to=2023-01-01T01:00:00Z $TARE_SHARED/data/trace_alibaba_gpu_v2023/openb_node_list_gpu_node.csv
  $ tare import --db bare -q bare.csv
  $ tare plan --db bare --findings -o json > f.json
  ! tare: nothing can be decided from this history; "notes" say why
  [3]
  $ $FILES/get '[f.cause for f in findings]' < f.json
  ['unallocated', 'fragmented']
