GPUs that idled while jobs that would have fitted waited, by who held them. Two machines of 4 GPUs at 3 $ a GPU-hour; by hand:

  n1  0 to 20 "box" of team ads, 4 GPUs, does nothing from 10 to 20; from 30 to 48 one half of "twin"
  n2  0 to 14 "train" of team nlp, 2 GPUs; 8 to 14 "small" of team a, 1 GPU; 14 to 30 "big" of team b, 4 GPUs; from 30 to 48 the other half of "twin"

"small" waits from 4 to 8, when n2 has two free GPUs: 1 GPU x 4 h. "big" waits from 6 to 14; n1 is held and still from 10 on: 4 GPUs x 4 h of ads. "twin"
waits from 10 to 30 for both machines and never could have had them together: 0. So 4 GPU-hours (12 $) were free and 16 (48 $) were held for 4 h of wait each.

  $ cat > make.py <<'END'
  > import datetime as d
  > t0, h = d.datetime(2026, 11, 2), d.timedelta(hours=1)
  > z = lambda t: (t0 + t * h).strftime("%Y-%m-%dT%H:%M:%SZ")
  > n, j, s = open("nodes.csv", "w"), open("jobs.csv", "w"), open("samples.csv", "w")
  > n.write("node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\n")
  > j.write("job_id,user,team,workload,name,gpus,gpu_ids,gpu_model,submit,start,end,state,node,cluster\n")
  > s.write("time,step_s,node,gpu,gpu_util_pct,mem_used_bytes\n")
  > for m in ("n1", "n2"):
  >     n.write(f"{m},aws,us-east-1,V100-SXM2-16GB,4,on_demand,{z(0)},{z(48)},c,12\n")
  > rows = [("box", "ads", "n1", "0;1;2;3", 0, 0, 20), ("train", "nlp", "n2", "0;1", 0, 0, 14), ("small", "a", "n2", "2", 4, 8, 14), ("big", "b", "n2", "0;1;2;3", 6, 14, 30),
  >         ("twin", "c", "n1", "0;1;2;3", 10, 30, 48), ("twin", "c", "n2", "0;1;2;3", 10, 30, 48)]
  > for name, team, m, ids, sub, a, b in rows:
  >     j.write(f"{name},{team}1,{team},training,{name},{len(ids.split(';'))},{ids},V100-SXM2-16GB,{z(sub)},{z(a)},{z(b)},COMPLETED,{m},c\n")
  >     for t in range(a, b):
  >         for g in ids.split(";"):
  >             s.write(f"{z(t)},3600,{m},{g},{0 if name == 'box' and t >= 10 else 80},9000000000\n")
  > END
  $ python3 make.py; tare import -q --db s nodes.csv jobs.csv samples.csv --covers c --since 2026-11-02 --until 2026-11-04
  $ tare plan --db s --findings -o json | $FILES/../data/get '[(q.held_by, q.cluster, float(q.gpu_seconds) / 3600, float(q.wait_seconds) / 3600, q.jobs, round(float(q.cost_month) * 48 / 730, 6), q.waited) for q in idle_while_queued]'
  [('ads', 'c', 16.0, 4.0, 1, 48.0, [{'team': 'b', 'jobs': 1, 'wait_seconds': '14400'}]), (None, 'c', 4.0, 4.0, 1, 12.0, [{'team': 'a', 'jobs': 1, 'wait_seconds': '14400'}])]
  $ tare plan --db s --findings | grep -A 3 "that fit on them"
  ads held GPUs that did nothing while jobs that fit on them waited            730
    idle_while_queued/held, measured · waits that need not have been 4.0 h · jobs
    that waited 1 · by hand: end what holds GPUs and does nothing while others
    wait
  c had free GPUs while jobs that fit on them waited                           182
    idle_while_queued/free, measured · waits that need not have been 4.0 h · jobs
    that waited 1 · by hand: let these jobs in: look at the limits of queue,
    account and partition that kept them out, and at backfill
  $ tare explain --db s big | head -4
  Job big: big
  Whose       b1, team b, training
  Waited      8.0 h, 4.0 h of it while GPUs idled on which it would have fitted:
              0.0 h free ones, 4.0 h held and not used, most by ads
  $ tare explain --db s big -o json | $FILES/../data/get waited
  {'wait_seconds': '28800', 'free_seconds': '0', 'held_seconds': '14400', 'held_by': 'ads'}
  $ tare explain --db s twin -o json | $FILES/../data/get waited
  None

With 24 of n2's 32 CPUs taken by "train", "small", which asks for 10, would not have fitted.

  $ sed '1s/$/,cpus/;2,$s/$/,32/' nodes.csv > n.csv; sed '1s/$/,cpus/;2,$s/$/,10/;s/^\(train.*\),10$/\1,24/' jobs.csv > j.csv
  $ tare import -q --db u n.csv j.csv samples.csv --covers c --since 2026-11-02 --until 2026-11-04
  $ tare plan --db u --findings -o json | $FILES/../data/get '[(q.held_by, float(q.gpu_seconds) / 3600) for q in idle_while_queued]'
  [('ads', 16.0)]

A job that was requeued two days later: a limit is of each of its attempts, and the days in which it held nothing are no run time.

  $ sh $FILES/files/jobs-and-readings.sh; awk 'BEGIN {
  >   for (k = 0; k < 2; k++) {
  >     printf "v99,ann,vision,training,train-99,A100-SXM4-80GB,4,0;1;2;3,2026-10-%02dT00:00:00Z,2026-10-%02dT00:00:00Z,2026-10-%02dT%s:00:00Z,%s,86400,n1,c\n", 1, 5 + 2 * k, 5 + 3 * k, k ? "00" : "03", k ? "COMPLETED" : "NODE_FAIL" >> "jobs.csv"
  >     for (g = 0; g < 4; g++) for (h = 0; h < (k ? 24 : 3); h++)
  >       printf "2026-10-%02dT%02d:00:00Z,3600,n1,%d,v99,%d,%.0f\n", 5 + 2 * k, h, g, h < 6 && g < 2 ? 90 : 0, g < 2 ? 30e9 : 400e6 >> "readings.csv"
  >   } }'
  $ tare import -q --db rq --set usd_gpu_hour=2.50 jobs.csv; tare import -q --db rq readings.csv; tare plan -q --db rq --lever trim_time -o json | $FILES/../data/get '[(r.title, [a.now.limit_ms for a in r.actions]) for r in d.recommendations]'
  [('train-*: book 7.5 h, not 24 h', [27000000])]

Rented while owned machines stand free: o1 is taken, o2 free for seven days and half of it then. Ten hours of 8 GPUs a day, rented for 32 $ an hour,
would have run on o2 on the first seven (7 x 320 $ of 14 days); a gang of two machines finds one only, and the days behind find four GPUs.

  $ cat > rented.py <<'END'
  > import datetime as d
  > t0, h = d.datetime(2026, 11, 2), d.timedelta(hours=1)
  > z = lambda t: (t0 + t * h).strftime("%Y-%m-%dT%H:%M:%SZ")
  > n, j = open("rn.csv", "w"), open("rj.csv", "w")
  > n.write("node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\n")
  > j.write("job_id,user,team,workload,name,gpus,gpu_model,submit,start,end,state,node,cluster\n")
  > def node(m, what, a, b):
  >     n.write(f"{m},{'own,hq' if what == 'owned' else 'aws,us-east-1'},A100-SXM4-80GB,8,{what},{z(a)},{z(b)},{'hq,0' if what == 'owned' else 'cloud,32'}\n")
  > def job(i, m, c, g, a, b):
  >     j.write(f"{i},ann,vision,training,train-{i},{g},A100-SXM4-80GB,{z(a)},{z(a)},{z(b)},COMPLETED,{m},{c}\n")
  > for m in ("o1", "o2"):
  >     node(m, "owned", 0, 336)
  > job("own", "o1", "hq", 8, 0, 335); job("half", "o2", "hq", 4, 168, 335)
  > for k in range(13):
  >     node(f"r{k}", "on_demand", k * 24 + 6, k * 24 + 16); job(f"d{k}", f"r{k}", "cloud", 8, k * 24 + 6, k * 24 + 16)
  > for k in (0, 1):
  >     node(f"g{k}", "on_demand", 40, 44); job("gang", f"g{k}", "cloud", 8, 40, 44)
  > END
  $ python3 rented.py; tare import -q --db r rn.csv rj.csv --covers hq --covers cloud
  $ tare plan --db r -o json | $FILES/../data/get '[(a.id, round(float(a.may_save_p05_month) * 336 / 730, 6), round(float(a.may_save_p95_month) * 336 / 730, 6), [e.value for e in a.evidence if "would have run" in e.metric]) for a in advice if "room" in a.id]' '[r.id for r in recommendations]'
  [('stop_idle-room-hq-a100-sxm4-80gb', 2240.0, 2240.0, ['7 of 14'])]
  []
