A job list that says how many GPUs a job holds and not which, beside readings of each GPU: nothing is charged to a job that they contradict.

A machine of four GPUs for four hours. Job a holds two of them in the first and in the third hour; GPUs 2 and 3 work just then.

  $ cat > nodes.csv <<'CSV'
  > node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour,cluster
  > n1,lambda,us-east-1,A100-SXM4-80GB,4,on_demand,2026-11-02T00:00:00Z,2026-11-02T04:00:00Z,4,c1
  > CSV
  $ cat > a.txt <<'TXT'
  > JobID|User|Cluster|State|Submit|Start|End|NodeList|AllocTRES
  > 100|ada|c1|COMPLETED|2026-11-02T00:00:00|2026-11-02T00:00:00|2026-11-02T01:00:00|n1|gres/gpu=2
  > 101|ada|c1|COMPLETED|2026-11-02T02:00:00|2026-11-02T02:00:00|2026-11-02T03:00:00|n1|gres/gpu=2
  > TXT
  $ cat > read.sh <<'S'
  > awk "BEGIN { print \"time,node,gpu,gpu_util_pct,mem_used_bytes,step_s\"
  >   for (m = 0; m < 240; m++) for (g = 0; g < 4; g++) { b = ($1)
  >     printf \"2026-11-02T%02d:%02d:00Z,n1,%d,%d,%s,60\n\", m / 60, m % 60, g, b ? 92 : 0, b ? \"50e9\" : \"0\" } }"
  > S
  $ bash read.sh 'g >= 2 && int(m / 60) % 2 == 0' > s.csv
  $ tare import -q --as sacct --covers c1 a.txt && tare import -q nodes.csv s.csv && tare report --by user,state,cause -o csv | cut -d, -f1-3,6
  user,state,cause,cost
  ,unallocated,free,12
  ada,busy,,4
  $ tare plan --findings | grep -c "held by nobody\|nothing was ever started"
  0
  [1]

Two jobs of two GPUs. One runs an hour longer, and the GPUs that work then are its own; it does nothing in the hour before.

  $ cat > b.txt <<'TXT'
  > JobID|User|Cluster|State|Submit|Start|End|NodeList|AllocTRES
  > 100|ada|c1|COMPLETED|2026-11-02T00:00:00|2026-11-02T00:00:00|2026-11-02T03:00:00|n1|gres/gpu=2
  > 101|bob|c1|COMPLETED|2026-11-02T00:00:00|2026-11-02T00:00:00|2026-11-02T02:00:00|n1|gres/gpu=2
  > TXT
  $ bash read.sh 'g % 2 == 0 && m >= 60 && m < 180' > s.csv
  $ tare import -q --db two --as sacct --covers c1 b.txt && tare import -q --db two nodes.csv s.csv && tare report --db two --by user,state,cause -o csv | cut -d, -f1-3,6
  user,state,cause,cost
  ,unallocated,free,6
  ada,busy,,4
  bob,idle_empty,never_launched,4
  ada,idle_empty,waiting,2

Both over the same time: who has the two that work cannot be told, and nobody is said to be idle. Where three of four work, one GPU of each is open.

  $ sed -i 's/T03:00:00|n1/T02:00:00|n1/' b.txt
  $ bash read.sh 'g % 2 == 0 && m < 120' > s.csv
  $ tare import -q --db same --as sacct --covers c1 b.txt && tare import -q --db same nodes.csv s.csv && tare report --db same --by user,state,cause -o csv | cut -d, -f1-3,6
  user,state,cause,cost
  ,unallocated,free,8
  ada,unknown,unread,4
  bob,unknown,unread,4
  $ bash read.sh 'g && m < 120' > s.csv
  $ tare import -q --db three --as sacct --covers c1 b.txt && tare import -q --db three nodes.csv s.csv && tare report --db three --by user,state,cause -o csv | cut -d, -f1-3,6
  user,state,cause,cost
  ,unallocated,free,8
  ada,busy,,2
  ada,unknown,unread,2
  bob,busy,,2
  bob,unknown,unread,2

Nor where both work and one works more, or has more memory in use: of 20 % and 6 % nobody knows whose is which. Nearly alike, they are read as they are.

  $ sed 's/gpu=2$/gpu=1/' b.txt > c.txt
  $ for m in '20 6 12e9 12e9' '20 20 12e9 4e9' '20 18 12e9 11e9'; do set -- $m
  >   awk "BEGIN { print \"time,node,gpu,gpu_util_pct,mem_used_bytes,step_s\"; split(\"$1 $2 0 0\", u, \" \"); split(\"$3 $4 0 0\", b, \" \")
  >     for (m = 0; m < 240; m++) for (g = 1; g <= 4; g++) printf \"2026-11-02T%02d:%02d:00Z,n1,%d,%s,%s,60\\n\", m / 60, m % 60, g - 1, m < 120 ? u[g] : 0, m < 120 ? b[g] : 0 }" > t.csv
  >   tare import -q --db more-$2-$4 --as sacct --covers c1 c.txt && tare import -q --db more-$2-$4 nodes.csv t.csv && tare report --db more-$2-$4 --by user,state,cause -o csv | cut -d, -f1-3,6; done
  user,state,cause,cost
  ,unallocated,free,12
  ada,unknown,unread,2
  bob,unknown,unread,2
  user,state,cause,cost
  ,unallocated,free,12
  ada,unknown,unread,2
  bob,unknown,unread,2
  user,state,cause,cost
  ,unallocated,free,12
  ada,underused,unknown,2
  bob,underused,unknown,2

A reading that names its job says which GPU it is, and those of others are not this one's.

  $ awk -F, 'NR == 1 { print $0 ",job_id"; next } { print $0 "," ($3 % 2 && $2 ? "101" : "") }' s.csv | sed '/T0[2-3]:/s/,101$/,/' > named.csv
  $ tare import -q --db named --as sacct --covers c1 b.txt && tare import -q --db named nodes.csv named.csv && tare report --db named --by user,state,cause -o csv | cut -d, -f1-3,6
  user,state,cause,cost
  ,unallocated,free,8
  bob,busy,,4
  ada,busy,,2
  ada,idle_empty,never_launched,2

A notebook holds one GPU, with memory and no work, for four days; each day a job holds two others that work. What later jobs would lose by the
notebook's choice adds up where they follow each other: it holds the GPU that nobody else can.

  $ cat > days.py <<'X'
  > import datetime as d
  > a = d.datetime(2026, 11, 2)
  > t = lambda h: f"{a + d.timedelta(hours=h):%FT%TZ}"
  > open("dn.csv", "w").write(f"node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour,cluster\nn1,lambda,us-east-1,A100-SXM4-80GB,4,on_demand,{t(0)},{t(96)},4,c1\n")
  > with open("dj.csv", "w") as f:
  >     print("job_id,user,gpus,start,end,node,cluster,name,state", file=f)
  >     print(f"1,ann,1,{t(0)},{t(96)},n1,c1,jupyter,COMPLETED", file=f)
  >     for i in range(4):
  >         print(f"{i + 2},bob,2,{t(24 * i + 2)},{t(24 * i + 22)},n1,c1,train,COMPLETED", file=f)
  > with open("ds.csv", "w") as f:
  >     print("time,node,gpu,gpu_util_pct,mem_used_bytes,mem_total_bytes,step_s", file=f)
  >     for h in range(96 * 4):
  >         work = 2 <= h // 4 % 24 < 22
  >         for g in range(4):
  >             busy = work and g in (1, 2)
  >             print(t(h / 4), "n1", g, 90 if busy else 0, 60e9 if busy else 20e9 if g == 0 else 0, 80e9, 900, sep=",", file=f)
  > X
  $ python3 days.py; tare import -q --db days dn.csv ds.csv && tare import -q --db days --covers c1 dj.csv && tare report --db days --by user,state,cause -o csv | cut -d, -f1-3,6
  user,state,cause,cost
  bob,busy,,160
  ,unallocated,free,128
  ann,idle_held,notebook,96
