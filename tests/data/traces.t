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

100,000 jobs of Alibaba's PAI, units of a resource taken as GPUs; counted apart. And the nodes of its cluster of 2026 by GPU, for a day.

  $ tare import --db pai -q --map alibaba-pai-100k $TARE_SHARED/data/trace_alibaba_pai_v2020/pai-100k.csv.gz
  $ tare report --db pai -o json | $FILES/get 'round(float(total.gpu_seconds) / 3600, 2)'; zcat $TARE_SHARED/data/trace_alibaba_pai_v2020/pai-100k.csv.gz | awk -F, 'NR > 1 { s += $2 * $3 } END { printf "%.2f\n", s }'
  1011245.85
  1011245.85
  $ tare import --db spot26 -q --map alibaba-spot26-nodes $TARE_SHARED/data/trace_alibaba_spot_v2026/node_info_df.csv
  $ tare report --db spot26 --by gpu_model -o json | $FILES/get '[(r.gpu_model, float(r.gpu_seconds) / 86400) for r in rows]'; awk -F, 'NR > 1 { n[$1] += $2 } END { for (m in n) print n[m], m }' $TARE_SHARED/data/trace_alibaba_spot_v2026/node_info_df.csv | sort -rn
  [('A100-SXM4-80GB', 3456.0), ('A10', 2494.0), ('H800-SXM5-80GB', 1752.0), ('GPU-series-1', 1558.0), ('GPU-series-2', 976.0), ('A800-SXM4-80GB', 176.0)]
  3456 A100-SXM4-80GB
  2494 A10
  1752 H800
  1558 GPU-series-1
  976 GPU-series-2
  176 A800-SXM4-80GB

What a job list alone tells: Philly's virtual clusters and when they hold how much, in GPU-hours.

  $ tare plan --db philly | sed -n '1p;/What the jobs say/,/^What the history/p'
  Today      273,191 GPU·h/month (730 h)      replayed on 109 days, 82,247 jobs
  What the jobs say, GPU·h/month (730 h), in no sum:
      152,724  3 of 15 hold 56 % of the GPU time: ee9e8c, 7f04ca, b436b2
               at least 16 GPUs are held in 9 of 10 hours, 374 in the mean, 1,080
               in the mean of the busiest hour: own or commit to the first, rent
               the rest
               the last full month took 295,880 GPU·h, -33 % on the one before;
               most of the change: 7f04ca
               15 owners take up to 2,665 GPUs in the mean of an hour, each at its
               own time; together up to 1,080: a difference of 1,585 that one pool
               shares
               the last full week took 9,234 GPU·h, -85 % on the one before; most
               of the change: ee9e8c
  tare explain advice-who --db philly   what it rests on
  
  What the history does not tell:
  $ zcat $TARE_SHARED/data/trace_philly/philly.csv.gz | awk -F, 'NR > 1 { n[$5] += $4; all += $4; big += $3 >= 8 ? $4 : 0; brief += $2 > 0 && $2 < 300 } END { for (c in n) printf "%.1f %s\n", n[c] / 3600, c | "sort -rn | head -3"; close("sort -rn | head -3"); printf "%.0f %% by 8 GPUs or more, %d within 5 minutes\n", 100 * big / all, brief }'
  256112.2 ee9e8c
  164930.7 7f04ca
  125739.5 b436b2
  62 % by 8 GPUs or more, 26898 within 5 minutes
  $ tare explain --db philly advice-who
  -  3 of 15 hold 56 % of the GPU time: ee9e8c, 7f04ca, b436b2
     advice-who
  
  About       152,724 GPU·h/month (730 h)
  Effort      0.5 days of work by ee9e8c, in force after 1 day
  
  Why
    jobs that were read                                      82247 rows  measured
    history                                                  108.9 days  measured
    ee9e8c: held, 1511 jobs                              256112.2 GPU·h  measured
    7f04ca: held, 723 jobs                               164930.7 GPU·h  measured
    b436b2: held, 7423 jobs                              125739.5 GPU·h  measured
    GPU time of jobs of 8 GPUs or more                             62 %  measured
    GPU time of jobs of a day or more                              84 %  measured
    jobs that ended within 5 minutes                         26898 jobs  measured
    From: job list
  
  What there is says so; nothing of it is in a sum.
  
