Machines and jobs without a word on which machine each ran: how many GPUs were held at once, what the median job cannot use, what parts leave over.

Ten machines of four T4 with 16 CPUs, ten of eight A100 with 128, for two days. Twenty jobs of one GPU, 8 CPUs and 16 GiB in the first day's first hour, twelve of 0.4 of a
GPU for a day, one that wants more CPUs than any machine has.

  $ python3 - <<'X'
  > def csv(name, head, rows): open(name, "w").write("\n".join([head] + rows) + "\n")
  > csv("nodes.csv", "node,provider,region,gpu_count,gpu_model,cpus,ram_gib,cluster,from,to,usd_hour,purchase",
  >     [f"t{i},own,here,4,T4,16,128,c,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z,2,owned" for i in range(10)] + [f"a{i},own,here,8,A100-SXM4-80GB,128,1024,c,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z,16,owned" for i in range(10)])
  > job = lambda i, gpus, kind, share, a, b, cpus, ram: f"j{i},u,{gpus},{kind},{share},{a},{a},{b},COMPLETED,c,{cpus},{ram}"
  > csv("jobs.csv", "job_id,user,gpus,share_kind,gpu_share,submit,start,end,state,cluster,cpus,ram_gib",
  >     [job(i, 1, "", "", "2026-10-01T00:00:00Z", "2026-10-01T01:00:00Z", 8, 16) for i in range(20)] + [job(i, 1, "fraction", 0.4, "2026-10-01T00:00:00Z", "2026-10-02T00:00:00Z", 8, 16) for i in range(20, 32)] + [job(99, 1, "", "", "2026-10-02T00:00:00Z", "2026-10-02T01:00:00Z", 200, 16)])
  > X
  $ tare import -q --covers c nodes.csv jobs.csv
  $ tare plan
  Today      131,400 $/month (730 h)          replayed on 2 days, 33 jobs
  
  No change is proposed on this history within these limits; this is what it says.
  
  What the machines say, $/month (730 h), in no sum:
      104,244  at most 25 of 120 GPUs were held in the mean of an hour, 3 in the
               mean of all: 95 more were there, in the 52 % of the hours that are
               known
        7,300  20 of 120 GPUs cannot be filled with the median job (1 GPU, 8 CPUs,
               16 GiB): 20 of 40 T4, for want of CPU
               jobs that at most 5 % of the machines could take, were they empty:
               1 (of these 1 fit on none); most ask for 1 GPU, 200 CPUs, 16 GiB,
               which 0 of 20 can give
               12 jobs ask for a part of a GPU and leave 20 % of it when equal
               ones fill it; most is 0.4 of a GPU: 2 fit
  tare explain advice-nodes-held   what it rests on
  
  What the history does not tell:
    the job list does not tell what they booked (limit_s)
    2760.0 GPU·h belong to no job that is known and have no readings: job lists
    and telemetry would tell what they did
    the window is shorter than a week: what repeats by the week cannot be seen
    4,296 USD of the window's cost is time that nobody held and is left alone: the
    job lists name no machine there, so none can be called free: name the node of
    each job
    commit: 0.3 weeks of use are too few to be bound for a year: 4 are the least,
    and 8 for all of what always runs
    2.0 days of history: ranges are drawn from days, not weeks, and weekends weigh
    little; import more
    one file more that would open most: telemetry (DCGM, Prometheus, nvidia-smi,
    any CSV): idle time of each job; right size, booked time
  
  Looked at, nothing to propose:
    trim_time (runs: 21): 21 not watched to the end (plan.gates.watched_frac)
    rightsize_count (runs: 21): 21 on one GPU or a part of one
    rightsize_gpu (runs: 21): 21 of too few of a kind (plan.gates.gpu_runs,
    gpu_weeks)
  
  tare plan --findings   what was seen    tare report --by state   what it did

The same list as a part of one, of a single user: whoever else held the GPUs is not known, so nothing is said of the most.

  $ tare import -q --db part nodes.csv jobs.csv; tare plan --db part | grep -c "were held"
  0
  [1]

By hand: 20 + 12 x 0.4 = 24.8 held in the first hour of 120; a job of 8 CPUs uses two of four T4; two parts of 0.4 leave a fifth.

  $ tare plan -o json 2> /dev/null | python3 -c 'import json, sys; p = json.load(sys.stdin); [print(a["kind"], a["cost_month"], [(e["metric"], e["value"]) for e in a["evidence"]][:4]) for a in p["advice"] if a["kind"]]'
  nodes_held 104244 [('machines', '20'), ('GPUs, in the mean', '120'), ('held in the busiest hour, 2026-10-01', '24.8'), ('held in the mean', '2.8')]
  nodes_stranded 7300 [('T4: of 40 GPUs, for want of CPU, of memory', '20, 0')]
  nodes_no_fit None [('1 GPU, 200 CPUs, 16 GiB: jobs, machines that take one', '1, 0')]
  nodes_parts None [('jobs with a part of a GPU', '12 of 33'), ('their GPU time', '115.2'), ('left over beside them, filled with equal ones', '28.8')]

Machines that only jobs name: nobody says how many GPUs they have, so nothing is said of what they could take.

  $ python3 - <<'X'
  > rows = [f"k{i},u{i % 3},1,m{i},2026-10-01T00:00:00Z,2026-10-01T0{2 * (i == 0)}:10:00Z,COMPLETED,c" for i in range(40)]
  > open("short.csv", "w").write("\n".join(["job_id,user,gpus,node,start,end,state,cluster"] + rows) + "\n")
  > X
  $ tare import -q --db short short.csv; tare plan --db short | grep -c 'could take'
  0
  [1]

A mixed fleet whose jobs and readings name their machines, for a day: two GPUs at 1 $/h of a machine that is owned, of which jobs use one, and a free one at 4 $/h with too few
CPUs. By hand: 24 GPU-hours at 1 $ never worked (the mean of the fleet is 2 $), and give back no cash; what nobody held costs 4 x 730 $.

  $ python3 - <<'X'
  > def csv(name, head, rows): open(name, "w").write("\n".join([head] + rows) + "\n")
  > at = lambda h: f"2026-10-0{1 + h // 24}T{h % 24:02}:00:00Z"
  > csv("mixed.csv", "node,provider,region,gpu_count,gpu_model,gpu_ids,cpus,ram_gib,cluster,from,to,usd_hour,purchase", [f"o,own,here,2,A100-SXM4-80GB,A;B,64,512,c,{at(0)},{at(24)},2,owned", f"d,own,here,1,L4,D,4,64,c,{at(0)},{at(24)},4,on_demand"])
  > csv("placed.csv", "job_id,user,name,gpus,gpu_ids,node,start,end,state,cluster,cpus,ram_gib", [f"j{h},u,train,2,A;B,o,{at(h)},{at(h + 2)},COMPLETED,c,8,16" for h in range(0, 24, 2)])
  > csv("read.csv", "time,node,gpu,gpu_util_pct,mem_used_bytes,step_s", [f"{at(h)[:14]}{m:02}:00Z,{n},{g},{90 * (g == 'A')},{(9 << 30) * (g == 'A')},600" for h in range(24) for m in range(0, 60, 10) for n, g in (("o", "A"), ("o", "B"), ("d", "D"))])
  > X
  $ tare import -q --db mixed --covers c mixed.csv placed.csv read.csv; tare plan --all --db mixed | sed -n '/^What the [tm]/,/^$/p'
  What the telemetry says, $/month (730 h), in no sum:
          730  12 jobs held GPUs that never worked and held no memory: 24 GPU·h
               (24 USD) in 24 h
  
  What the machines say, $/month (730 h), in no sum:
        2,920  at most 2 of 3 GPUs were held in the mean of an hour, 2 in the mean
               of all: 1 more were there
  tare explain advice-nodes-held --db mixed   what it rests on
  

A machine that only a list of jobs calls free is left alone until somebody says that the list is complete.
  $ printf '%s\n' node,provider,region,cluster,gpu_model,gpu_count,purchase,from,to,usd_hour n1,aws,us-east-1,c,A100-SXM4-40GB,8,on_demand,2026-10-01T00:00:00Z,2026-10-29T00:00:00Z,30 n2,aws,us-east-1,c,A100-SXM4-40GB,8,on_demand,2026-10-01T00:00:00Z,2026-10-29T00:00:00Z,30 >two.csv
  $ echo job_id,user,cluster,node,gpus,submit,start,end,state >list.csv
  $ for d in $(seq -w 1 28); do echo $d,ada,c,n1,8,2026-10-${d}T00:00:00Z,2026-10-${d}T00:00:00Z,2026-10-${d}T23:30:00Z,completed; done >>list.csv
  $ echo 99,bob,c,n2,8,2026-10-01T00:00:00Z,2026-10-01T00:00:00Z,2026-10-01T05:00:00Z,completed >>list.csv
  $ tare import -q --db part two.csv list.csv && tare import -q --db whole --covers c --since 2026-10-01 --until 2026-10-29 two.csv list.csv
  $ for db in part whole; do tare plan --db $db | grep -e '^ 1 ' -e '1 machine that the job' -A2; done
    1 machine that the job list leaves free for days (19,995 USD of the window's
    cost; 'n2' is one) is not stopped, as nobody says that the list is complete:
    say so (tare import --covers c --replace FILE), or bring readings
   1  stop c: 1 machine that no job has held           21,900   22 K  Ready      1
      for 27 days
  
