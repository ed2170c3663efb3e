Job lists of other people's clusters, read by shipped maps. GPU-hours are the sources' own sums.

  needs: $TARE_SHARED/data/trace_philly/philly.csv.gz
  $ tare import --db philly -q --map philly $TARE_SHARED/data/trace_philly/philly.csv.gz
  $ tare report --db philly --by cluster -o json | $FILES/get 'round(float(total.gpu_seconds) / 3600, 2)' 'len([r for r in rows if r.cluster])'
  978078.47
  15

Alibaba's GPU-sharing cluster: fractions count as fractions; GPU pods without times are named as skipped.

  $ tare import --db openb -o json --map alibaba-openb-pods $TARE_SHARED/data/trace_alibaba_gpu_v2023/openb_pod_list_default.csv.gz > i.json
  $ $FILES/get 'files[0].rows_kept' 'len([s for s in files[0].skipped if "time" in s.reason])' < i.json
  6203
  861
  $ tare report --db openb -o json | $FILES/get 'round(float(total.gpu_seconds) / 3600, 2)'
  51470.67

156 inference services: open ends are the end of the trace.

  $ tare import --db dlrm -q --map alibaba-dlrm $TARE_SHARED/data/trace_alibaba_dlrm_v2025/disaggregated_DLRM_trace.csv.gz
  $ tare report --db dlrm --by project -o json | $FILES/get 'round(float(total.gpu_seconds) / 3600, 2)'
  2375875.48
