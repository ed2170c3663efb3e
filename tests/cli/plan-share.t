Who may share a GPU, how, and why others do not: eight services and sessions of five owners.

  $ cat > tenants.csv <<'END'
  > name,kind,owner,mem_gib,load_frac,replicas,share_with
  > chat,service,ads,9.5,0.2,2,
  > rank,service,ads,4,0.1,,
  > embed,service,search,6,0.15,,
  > asr,service,voice,20,0.5,,
  > lab-ann,notebook,vision,6,0.05,,
  > lab-ben,notebook,vision,5,0.05,,
  > train-dev,dev,nlp,30,0.3,,nobody
  > dark,service,ads,,0.1,,
  > END
  $ tare plan share --tenants tenants.csv --usd-gpu-hour 2.5
  9 tenants: 5 GPUs in place of 9; fewer is impossible (proven).
  The 4 GPUs freed are worth 7,300.00 $/month (730 h).
  
  GPU  how    tenant     kind      owner    GiB  load  part
    1  whole  asr        service   voice   20.0  0.50
    2  mig    chat       service   ads      9.5  0.20  2g.20gb
              embed      service   search   6.0  0.15  2g.20gb
              lab-ann    notebook  vision   6.0  0.05  1g.10gb
              lab-ben    notebook  vision   5.0  0.05  1g.10gb
              rank       service   ads      4.0  0.10  1g.10gb
    3  whole  chat       service   ads      9.5  0.20
    4  whole  dark       service   ads        -  0.10
    5  whole  train-dev  notebook  nlp     30.0  0.30
  
    GPU 1, 3: nobody that may be beside it has room left: see what is not shared
    GPU 2: MIG: each instance has memory, cache and compute slices of its own, and
    faults stay inside
    GPU 4: its memory or load is not known: nothing is shared unseen
    GPU 5: its owner wants no neighbour on the GPU
  
  Not shared:
    asr with chat and 5 more: different teams need MIG, and no legal layout has
    room for all
    chat with asr: different teams need MIG, and no legal layout has room for all
    chat with chat: replicas of one service stay on different GPUs: one GPU lost
    must not end both
    chat with embed and 3 more: they could share, but not with all that are on
    that GPU now

Without MIG owners who differ stay apart, services of one owner go by MPS, its notebooks take turns; with --across all everybody may.

  $ tare plan share --tenants tenants.csv --gpu L4
  9 tenants: 7 GPUs in place of 9; fewer is impossible (proven).
  1 of them fits no such GPU at all: see below.
  
  GPU  how        tenant     kind      owner    GiB  load  part
    1  whole      asr        service   voice   20.0  0.50
    2  mps        chat       service   ads      9.5  0.20  67 % of threads, 10701 MiB
                  rank       service   ads      4.0  0.10  34 % of threads, 4506 MiB
    3  whole      chat       service   ads      9.5  0.20
    4  whole      dark       service   ads        -  0.10
    5  whole      embed      service   search   6.0  0.15
    6  timeslice  lab-ann    notebook  vision   6.0  0.05
                  lab-ben    notebook  vision   5.0  0.05
    7  whole      train-dev  notebook  nlp     30.0  0.30
  
    GPU 1, 3, 5: nobody that may be beside it has room left: see what is not
    shared
    GPU 2: MPS: kernels run at the same time and memory is protected, but a fatal
    fault of one ends all: same team only
    GPU 4: its memory or load is not known: nothing is shared unseen
    GPU 6: time slices: a notebook that crashes ends no other, but nothing keeps
    one from taking the memory of all: one owner, no latency promised
    GPU 7: its owner wants no neighbour on the GPU
  
  Not shared:
    asr with chat and 5 more: different teams need MIG, which this GPU does not
    have
    chat with asr and 3 more: different teams need MIG, which this GPU does not
    have
    chat with chat: replicas of one service stay on different GPUs: one GPU lost
    must not end both
    chat with rank: they could share, but not with all that are on that GPU now
    embed with asr and 5 more: different teams need MIG, which this GPU does not
    have
  [1]
  $ tare plan share --tenants tenants.csv --gpu L4 --across all -o csv
  GPU,how,tenant,kind,owner,GiB,load,part
  1,whole,asr,service,voice,20.0,0.50,
  2,mps,chat,service,ads,9.5,0.20,"45 % of threads, 10701 MiB"
  2,mps,embed,service,search,6.0,0.15,"34 % of threads, 6759 MiB"
  2,mps,rank,service,ads,4.0,0.10,"23 % of threads, 4506 MiB"
  3,whole,chat,service,ads,9.5,0.20,
  4,whole,dark,service,ads,-,0.10,
  5,timeslice,lab-ann,notebook,vision,6.0,0.05,
  5,timeslice,lab-ben,notebook,vision,5.0,0.05,
  6,whole,train-dev,notebook,nlp,30.0,0.30,
  [1]
  $ tare plan share --tenants tenants.csv --gpu T4 -o json
  {"schema":"tare.plan-share/1","tenants":9,"cards":7,"lower_bound":7,"proven":true,"too_large":2,"worth_month":null,"currency":null,"layout":[{"card":1,"gpu_model":"T4","how":"whole","why":"its memory, with a tenth more, is more than the GPU has","tenants":[{"name":"asr","owner":"voice","kind":"service","mem_gib":20,"load_frac":0.5,"profile":null,"threads_pct":null,"mem_limit_mib":null}]},{"card":2,"gpu_model":"T4","how":"mps","why":"MPS: kernels run at the same time and memory is protected, but a fatal fault of one ends all: same team only","tenants":[{"name":"chat","owner":"ads","kind":"service","mem_gib":9.5,"load_frac":0.2,"profile":null,"threads_pct":67,"mem_limit_mib":10701},{"name":"rank","owner":"ads","kind":"service","mem_gib":4,"load_frac":0.1,"profile":null,"threads_pct":34,"mem_limit_mib":4506}]},{"card":3,"gpu_model":"T4","how":"whole","why":"nobody that may be beside it has room left: see what is not shared","tenants":[{"name":"chat","owner":"ads","kind":"service","mem_gib":9.5,"load_frac":0.2,"profile":null,"threads_pct":null,"mem_limit_mib":null}]},{"card":4,"gpu_model":"T4","how":"whole","why":"its memory or load is not known: nothing is shared unseen","tenants":[{"name":"dark","owner":"ads","kind":"service","mem_gib":null,"load_frac":0.1,"profile":null,"threads_pct":null,"mem_limit_mib":null}]},{"card":5,"gpu_model":"T4","how":"whole","why":"nobody that may be beside it has room left: see what is not shared","tenants":[{"name":"embed","owner":"search","kind":"service","mem_gib":6,"load_frac":0.15,"profile":null,"threads_pct":null,"mem_limit_mib":null}]},{"card":6,"gpu_model":"T4","how":"timeslice","why":"time slices: a notebook that crashes ends no other, but nothing keeps one from taking the memory of all: one owner, no latency promised","tenants":[{"name":"lab-ann","owner":"vision","kind":"notebook","mem_gib":6,"load_frac":0.05,"profile":null,"threads_pct":null,"mem_limit_mib":null},{"name":"lab-ben","owner":"vision","kind":"notebook","mem_gib":5,"load_frac":0.05,"profile":null,"threads_pct":null,"mem_limit_mib":null}]},{"card":7,"gpu_model":"T4","how":"whole","why":"its owner wants no neighbour on the GPU","tenants":[{"name":"train-dev","owner":"nlp","kind":"notebook","mem_gib":30,"load_frac":0.3,"profile":null,"threads_pct":null,"mem_limit_mib":null}]}],"not_shared":[{"tenant":"chat","with":"chat","others":0,"why":"replicas of one service stay on different GPUs: one GPU lost must not end both"},{"tenant":"chat","with":"embed","others":2,"why":"different teams need MIG, which this GPU does not have"},{"tenant":"chat","with":"rank","others":0,"why":"they could share, but not with all that are on that GPU now"},{"tenant":"embed","with":"chat","others":4,"why":"different teams need MIG, which this GPU does not have"}],"notes":[]}
  [1]
  $ tare plan share --tenants tenants.csv --across none -o md | head -5
  9 tenants: 7 GPUs in place of 9; fewer is impossible (proven).
  
  | GPU | how | tenant | kind | owner | GiB | load | part |
  | ---: | --- | --- | --- | --- | ---: | ---: | --- |
  | 1 | whole | asr | service | voice | 20.0 | 0.50 |  |

The unit of the columns is in their names; what is no tenant is said.

  $ printf 'service,mem_bytes,util_pct\na,4000000000,20\nb,4000000000,25\n' > two.csv; tare plan share --tenants two.csv --gpu A30 -o csv
  GPU,how,tenant,kind,owner,GiB,load,part
  1,mig,a,service,-,3.7,0.20,2g.12gb
  1,mig,b,service,-,3.7,0.25,2g.12gb
  $ printf 'name,load_frac\na,0.2\n' > bad.csv; tare plan share --tenants bad.csv
  ! tare: 'bad.csv': no column mem_gib or mem_bytes
  !       The first line must name the columns
  [2]
  $ printf 'name,mem_gib,load_frac,kind\na,4,1.2,\n' > bad.csv; tare plan share --tenants bad.csv
  ! tare: 'bad.csv' line 2: load_frac: '1.2' is not a number in the range that this can have
  [2]
  $ printf 'name,mem_gib,load_frac,kind\na,4,1,batch\n' > bad.csv; tare plan share --tenants bad.csv
  ! tare: 'bad.csv' line 2: kind: 'batch' is none of service, notebook, dev
  [2]
  $ printf 'name,mem_gib,load_frac,replicas\na,4,1,600\n' > many.csv; tare plan share --tenants many.csv
  ! tare: 'many.csv': row 1, 'a': 600 tenants up to here, each replica one: at most 512 are decided at once
  !       Ask for each pool of GPUs on its own, with a file of its tenants
  [2]
  $ { echo name,mem_gib,load_frac,replicas; seq 100000 | sed 's/$/,4,0.5,10000/;1s/10000/500/'; } > many.csv; tare plan share --tenants many.csv
  ! tare: 'many.csv': row 2, '2': 10500 tenants up to here, each replica one: at most 512 are decided at once
  !       Ask for each pool of GPUs on its own, with a file of its tenants
  [2]
  $ tare plan share --tenants tenants.csv --gpu Z9
  ! tare: 'Z9' is not a GPU that the catalogue knows
  !       Name one that tare price knows, such as --gpu A100-80GB
  [2]
  $ tare plan share --tenants tenants.csv --across some
  ! tare: --across does not know 'some': it takes mig|none|all
  !       See: tare plan share --help
  [2]
  $ tare plan share tenants.csv
  ! tare: unknown argument 'tenants.csv'
  !       See: tare plan share --help
  [2]

From a store: what runs at the end of its history on a whole GPU. Two notebooks of one owner, one of another, two replicas of a service, a job that has ended.

  $ cat > make.py <<'END'
  > import datetime as d
  > t0, h = d.datetime(2026, 11, 6), d.timedelta(hours=1)
  > z = lambda t: t.strftime("%Y-%m-%dT%H:%M:%SZ")
  > end = t0 + 14 * 24 * h
  > j, s = open("jobs.csv", "w"), open("samples.csv", "w")
  > j.write("job_id,user,team,workload,name,gpus,gpu_ids,submit,start,end,state,node,cluster,gpu_model\n")
  > s.write("time,step_s,node,gpu,gpu_util_pct,mem_used_bytes,mem_total_bytes\n")
  > rows = [("ann", "vision", "research", "jupyter-ann", 6e9, end), ("ben", "vision", "research", "jupyter-ben", 5e9, end), ("eve", "nlp", "research", "jupyter-eve", 4e9, end),
  >         ("", "ads", "inference", "rank", 7e9, end), ("", "ads", "inference", "rank", 7e9, end), ("ann", "vision", "training", "old", 9e9, t0 + 9 * 24 * h)]
  > for k, (user, team, what, name, mem, last) in enumerate(rows):
  >     j.write(f"{k},{user},{team},{what},{name},1,0,{z(t0)},{z(t0)},{z(last)},RUNNING,n{k},c,L4\n")
  >     for i in range(int((last - t0) / h)):
  >         util = 20 if what == "inference" else 30 if i % 24 == 10 else 0
  >         s.write(f"{z(t0 + i * h)},3600,n{k},0,{util},{mem:.0f},24000000000\n")
  > END
  $ python3 make.py; tare import -q --db s jobs.csv samples.csv --set usd_gpu_hour=0.8
  $ tare plan share --db s
  5 tenants: 4 GPUs in place of 5; fewer is impossible (proven).
  The 1 GPU freed is worth 584.00 $/month (730 h).
  
  GPU  how        tenant       kind      owner   GiB  load  part
    1  timeslice  jupyter-ann  notebook  vision  5.6  0.00
                  jupyter-ben  notebook  vision  4.7  0.00
    2  whole      jupyter-eve  notebook  nlp     3.7  0.00
  3-4  whole      rank         service   ads     6.5  0.20
  
    GPU 1: time slices: a notebook that crashes ends no other, but nothing keeps
    one from taking the memory of all: one owner, no latency promised
    GPU 2-4: nobody that may be beside it has room left: see what is not shared
  
  Not shared:
    jupyter-eve with jupyter-ann and 3 more: different teams need MIG, which this
    GPU does not have
    rank with jupyter-ann and 2 more: different teams need MIG, which this GPU
    does not have
    rank with rank: replicas of one service stay on different GPUs: one GPU lost
    must not end both
  $ tare plan --db s --lever share | sed -n '/Not replayed/,/^$/p'
  Not replayed, so in no sum above; measure first:
    2 of 5 notebooks and services on L4 could share GPUs by time slices
      584 $/month (730 h), tare explain share-sessions-c-l4 --db s
  
  $ tare explain share-sessions-c-l4 --db s
  -  2 of 5 notebooks and services on L4 could share GPUs by time slices
     share-sessions-c-l4
  
  May save    584 $/month (730 h): estimated, and in no sum
  Tier        Try first: a small experiment decides
  Risk        medium; the saving lies in its range with confidence 0.50
  Effort      3 days of work by vision, in force after 14 days
  
  Why
    they have now                                                5 GPUs  measured
    who could share                            jupyter-ann, jupyter-ben  estimated
    GPUs that this frees                                         1 GPUs  estimated
    the same with 1.25 times their load                          1 GPUs  estimated
    From: job list; readings; readings; tare plan share prints the layout;
    readings, plan.gates.replicas_peak_factor
  
  Not replayed: an estimate. It is in no sum; measure first.
  
  What could go wrong
    Neighbours on a GPU take time from each other: waits and latency are what the
    trial shows, before any GPU is given up.
    Nothing keeps one of several sessions on a GPU from taking the memory of all.
  
  Do
    # measure first: a day of two of them on one GPU: waits of sessions, p99 of services
    # tare plan share: who goes with whom, MIG profiles, limits of MPS
  
  Undo
    # each on a GPU of its own again
  
  tare plan trial share-sessions-c-l4 --db s
  $ tare plan trial share-sessions-c-l4 --db s
  -  2 of 5 notebooks and services on L4 could share GPUs by time slices
     share-sessions-c-l4
  
  Decides   584 $/month (730 h), estimated; in no sum
  Try       one step of it, for a day
  Costs     nothing beyond the work of looking
  Who       vision
  So far    open: no run on it yet
  
  Do
    # measure first: a day of two of them on one GPU: waits of sessions, p99 of services
    # tare plan share: who goes with whom, MIG profiles, limits of MPS
    # leave it so for a day and look at the 99th percentile of its latency
  
  Go if
    steps/s >= 0.67 of today's (of a cell or a request beside its neighbours;
      plan.slo_p99_growth_frac)
    exit code 0 (none ends for the memory of another)
  
  Else undo
    # each on a GPU of its own again
  
  With what people saw:
  tare plan trial share-sessions-c-l4 --verdict go|no-go --reason TEXT --db s
  $ printf 'version: 1\nplan:\n  rules:\n    - when: { name: "jupyter-ben" }\n      share_with: nobody\n' > c.yaml; tare plan share --db s --config c.yaml -o csv
  GPU,how,tenant,kind,owner,GiB,load,part
  1,whole,jupyter-ann,notebook,vision,5.6,0.00,
  2,whole,jupyter-ben,notebook,vision,4.7,0.00,
  3,whole,jupyter-eve,notebook,nlp,3.7,0.00,
  4,whole,rank,service,ads,6.5,0.20,
  5,whole,rank,service,ads,6.5,0.20,
  $ tare plan share --db s --gpu H100
  ! tare: no service or notebook with a GPU of its own
  [3]

Two rows of one owner and name are one tenant told twice; one that fits no GPU is said, and the exit code is 1.

  $ printf 'name,mem_gib,load_frac\nchat,5,0.1\nchat,5,0.1\n' > twice.csv; tare plan share --tenants twice.csv
  ! tare: 'twice.csv' line 3: name: 'chat' is there already; say how many with a column replicas
  [2]
  $ printf 'name,mem_gib,load_frac\nbig,90,0.1\nsmall,5,0.1\n' > big.csv; tare plan share --tenants big.csv
  2 tenants: 2 GPUs in place of 2; fewer is impossible (proven).
  1 of them fits no such GPU at all: see below.
  
  GPU  how    tenant  kind     owner   GiB  load  part
    1  whole  big     service  -      90.0  0.10
    2  whole  small   service  -       5.0  0.10
  
    GPU 1: its memory, with a tenth more, is more than the GPU has
    GPU 2: nobody that may be beside it has room left: see what is not shared
  [1]

One compute slice comes with one memory slice or with two: all profiles of NVIDIA's table are used, so that four tenants of 4.9 GiB go on one A100-40GB. Where the places of instances are not known nothing is proven.

  $ { echo name,mem_gib,load_frac,owner; seq 4 | sed 's/.*/s&,4.9,0.1,t&/'; } > four.csv; tare plan share --tenants four.csv --gpu A100-40GB | head -6
  4 tenants: 1 GPU in place of 4; fewer is impossible (proven).
  
  GPU  how  tenant  kind     owner  GiB  load  part
    1  mig  s1      service  t1     4.9  0.10  2g.10gb
            s2      service  t2     4.9  0.10  2g.10gb
            s3      service  t3     4.9  0.10  2g.10gb
  $ { echo name,mem_gib,load_frac,owner; seq 7 | sed 's/.*/s&,4.9,0.1,t&/'; } > seven.csv; tare plan share --tenants seven.csv --gpu A100-40GB | head -1
  7 tenants: 2 GPUs in place of 7; fewer is impossible (proven).
  $ sed 's/4.9/9/' four.csv > nine.csv; tare plan share --tenants nine.csv --gpu A100-80GB | head -6
  4 tenants: 1 GPU in place of 4; fewer is impossible (proven).
  
  GPU  how  tenant  kind     owner  GiB  load  part
    1  mig  s1      service  t1     9.0  0.10  2g.20gb
            s2      service  t2     9.0  0.10  2g.20gb
            s3      service  t3     9.0  0.10  2g.20gb
  $ tare plan share --tenants four.csv --gpu RTX-PRO-6000 | sed -n '1p;/Not shared/,$p'
  4 tenants: 4 GPUs in place of 4; fewer than 1 is impossible.
  Not shared:
    s1 with s2 and 2 more: different teams need MIG, and where its instances may
    lie on this GPU is not known
    s2 with s1 and 2 more: different teams need MIG, and where its instances may
    lie on this GPU is not known
    s3 with s1 and 2 more: different teams need MIG, and where its instances may
    lie on this GPU is not known
    s4 with s1 and 2 more: different teams need MIG, and where its instances may
    lie on this GPU is not known
