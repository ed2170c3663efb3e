GPUs that idled while jobs that would have fitted waited: a week of Philly's jobs, its virtual clusters on machines of their own, first come first served.
tests/data/queue makes starts and machines, as the trace has none, and counts on its own, from its own queue; a GPU-hour costs a dollar.

  needs: $TARE_SHARED/data/trace_philly/philly.csv.gz
  $ $FILES/queue $TARE_SHARED/data/trace_philly/philly.csv.gz nodes.csv jobs.csv 2017-10-02 7 1.3
  10983 jobs, 800 GPUs: 1337.9 GPU-hours idled for 378 jobs, 889.7 of 101208.4 hours of wait
  $ tare import --db q -q nodes.csv jobs.csv
  $ tare plan --db q --findings -o json > f.json
  ! tare: nothing can be decided from this history; "notes" say why
  [3]
  $ $FILES/get 'round(sum([float(q.gpu_seconds) for q in idle_while_queued]) / 3600, 1), sum([q.jobs for q in idle_while_queued]), round(sum([float(q.wait_seconds) for q in idle_while_queued]) / 3600, 1)' < f.json
  (1337.9, 378, 889.7)
  $ $FILES/get '[(q.cluster, q.held_by, q.jobs, round(float(q.gpu_seconds) / 3600, 1), round(float(q.wait_seconds) / 3600, 1), q.waited[0].team) for q in idle_while_queued]' < f.json
  [('6c71a0', None, 63, 659.5, 659.5, '6c71a0'), ('2869ce', None, 4, 458.6, 57.3, '2869ce'), ('6214e9', None, 292, 125.0, 125.0, '6214e9'), ('ee9e8c', None, 2, 58.5, 14.6, 'ee9e8c'), ('11cb48', None, 13, 23.5, 20.5, '11cb48'), ('103959', None, 4, 12.7, 12.7, '103959')]

Of them the dollars are those of these hours: 730 / 168 of them a month.

  $ $FILES/get 'round(sum([float(q.cost_month) for q in idle_while_queued]) * 168 / 730, 1)' < f.json
  1337.9

Without machines nothing is known of idle GPUs, and that is said.

  $ cut -d, -f1-10,12 jobs.csv | awk -F, '!seen[$1]++' > bare.csv; tare import --db bare -q bare.csv --set usd_gpu_hour=1
  $ tare plan --db bare --findings -o json > f.json
  ! tare: nothing can be decided from this history; "notes" say why
  [3]
  $ $FILES/get 'len(idle_while_queued), [n for n in notes if "waited" in n]' < f.json
  (0, ['8780 jobs waited 101208.4 h in clusters whose node list is not there: whether GPUs idled for them is not known (tare import --as nodes).'])
