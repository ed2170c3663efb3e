Job lists of Slurm as sacct prints them. A job of 4 H100 and 2 A100 on one machine for 10 h is 60 GPU-hours; one of 2 A100 and 3 GPUs that
accounting has no type of 50. Told while they ran and again as they ended, in one file, each counts once: the 4 h of before are not added.

  $ mixed=gres/gpu:h100=4,gres/gpu:a100=2,gres/gpu=6 untyped=gres/gpu:a100=2,gres/gpu=5
  > sh $FILES/files/sacct.sh "1 $mixed n1 4+" "2 $untyped n2 4+" "1 $mixed n1 10" "2 $untyped n2 10" > types.txt
  > tare import --as sacct --covers c types.txt | grep twice; tare report --by job,node -o csv | cut -d, -f1,2,4
      note: 4 rows tell the same job, machine, GPUs and start as a later row, which holds: they are not counted twice
  job,node,gpu_seconds
  1,n1,216000
  2,n2,180000

The same from another list, which does not say the cluster, is no second time.

  $ sed 's/|c$//;s/|Cluster//' types.txt > again.txt; tare import -q --as sacct again.txt; tare report --by job -o csv | cut -d, -f1,3
  job,gpu_seconds
  1,216000
  2,180000

MIG types as Slurm's AutoDetect names them: seven sevenths of an H100, one of an A100 of 80 GB, twice three sevenths, ...; 10 h each.

  $ n=0; for t in h100_1g.10gb=7 nvidia_a100_80gb_pcie_1g.10gb=1 a100_3g.20gb=2 mig_1g.5gb=1 1c.3g.20gb=1; do
  > set -- "$@" "$((n += 1)) gres/gpu:$t n$n 10"; done; sh $FILES/files/sacct.sh "$@" > mig.txt
  > tare import -q --db mig --as sacct mig.txt; tare report --db mig --by node,job,gpu_model -o csv | cut -d, -f1-3,5
  > tare sql --db mig 'SELECT job, gpu_model, mig_profile FROM jobs ORDER BY node' -o csv
  node,job,gpu_model,gpu_seconds
  n1,1,H100-SXM5-80GB,36000
  n3,3,A100-SXM4-40GB,30857.143
  n2,2,A100-PCIE-80GB,5142.857
  n4,4,,5142.857
  n5,5,,5142.857
  job,gpu_model,mig_profile
  1,h100,1g.10gb
  2,nvidia_a100_80gb_pcie,1g.10gb
  3,a100,3g.20gb
  4,,1g.5gb
  5,,1c.3g.20gb

A list in which the profile was stored behind the model, as older versions did: whole GPUs they are not, and told again by sacct they count once.

  $ { echo job_id,user,gpus,gpu_model,start,end,state,cluster,node
  > echo 1,ada,7,h100_1g.10gb,2026-11-02T00:00:00Z,2026-11-02T10:00:00Z,COMPLETED,c,n1; } > old.csv
  $ for f in old.csv mig.txt; do tare import -q --db old $f; tare report --db old --by node,job,gpu_model -o csv | cut -d, -f1-3,5 | grep n1; done
  n1,1,h100_1g.10gb,36000
  n1,1,H100-SXM5-80GB,36000

Jobs of one instance each, which name no GPU, on a machine of which readings name the instances: two H100 of seven each and a whole one. Each GPU is filled
before the next, and the whole one stays free: n jobs hold n sevenths. What the instances did is theirs.

  $ { echo node,provider,region,purchase,gpu_model,gpu_count,from,to,cluster,usd_hour; echo m1,dc,x,on_demand,H100-SXM5-80GB,3,2026-11-02T00:00:00Z,2026-11-02T10:00:00Z,c,6; } > m1.csv
  > { echo time,node,gpu,mig,step_s,gpu_util_pct,mem_used_bytes; echo 2026-11-02T00:00:00Z,m1,2,,36000,0,0
  > for g in 0 1; do for i in 7 8 9 10 11 12 13; do echo 2026-11-02T00:00:00Z,m1,$g,$i,36000,90,9000000000; done; done; } > instances.csv
  > for n in 14 10 7 3; do set --; for j in $(seq $n); do set -- "$@" "$j gres/gpu:1g.10gb=1 m1 10"; done
  > sh $FILES/files/sacct.sh "$@" > m1.txt; tare import --db m$n m1.csv instances.csv | grep oversubscribed; tare import --db m$n --as sacct m1.txt | grep oversubscribed
  > tare report --db m$n --by user,state -o csv | grep ada | cut -d, -f1,2,4,5; done
  ada,busy,72000,40
  ada,busy,51428.57,28.57142857
  ada,busy,36000,20
  ada,busy,15428.57,8.57142857

On two instances, of which one works and one idles, a job that ran alone until 5 had the one that works; which of the two that ran later had it is open.
Beside a job of another profile nothing says which instance is whose.

  $ { echo time,node,gpu,mig,step_s,gpu_util_pct,mem_used_bytes; for h in 0 1 2 3 4 5 6 7 8 9; do for i in 7 8; do echo 2026-11-02T0$h:00:00Z,m1,0,$i,3600,$((i == 7 ? 90 : 0)),9000000; done; done; } > two.csv
  > one() { echo "$1|$1|COMPLETED|2026-11-02T0$3:00:00|2026-11-02T0$4:00:00|m1|gres/gpu:$2=1|c"; }; head='JobID|User|State|Start|End|NodeList|AllocTRES|Cluster'
  > { echo $head; one ada 1g.10gb 0 5; one bob 1g.10gb 5 9; one cy 1g.10gb 5 9; } > alike.txt; { echo $head; one ada 1g.10gb 0 5; one bob 2g.20gb 1 9; } > profiles.txt
  > for f in alike profiles; do tare import -q --db $f m1.csv two.csv; tare import -q --db $f --as sacct $f.txt; tare report --db $f --by user,state,cause -o csv | cut -d, -f1-3,5 | grep ^[a-c]; done
  ada,busy,,2571.43
  bob,unknown,unread,2057.144
  cy,unknown,unread,2057.14
  bob,unknown,unread,8228.568
  ada,unknown,unread,2571.43

One job of seven instances, or of ten, has as many sevenths; four of 3g.40gb fill two GPUs, and 22 of 1g.10gb are more than three have.

  $ for t in 1g.10gb=7 1g.10gb=10 3g.40gb=4 1g.10gb=22; do sh $FILES/files/sacct.sh "1 gres/gpu:$t m1 10" > several.txt; tare import -q --db "$t" m1.csv instances.csv
  > tare import --db "$t" --as sacct several.txt | grep oversubscribed; tare report --db "$t" --by user,state -o csv | grep ada | cut -d, -f1,2,4; done
  ada,busy,36000
  ada,busy,51428.57
  ada,busy,61714.28
      note: oversubscribed: for 10.0 hours jobs held more than the GPUs there were, and their shares were scaled down to these; are GPUs of jobs or nodes wrong, or machines missing?
  ada,busy,67500
  ada,idle_empty,36000
  ada,unknown,4500

Without -D sacct leaves earlier attempts of a requeued job out; where it counts restarts, the import says so. Jobs that hold no
GPU (4) are left out of that.

  $ tare import --help | grep -c 'sacct -a -X -D -P'
  2
  $ row() { echo "$1|$2|ada|COMPLETED|2026-11-02T0$3:00:00|2026-11-02T09:00:00|n1|gres/gpu=1"; }
  > { echo 'JobID|Restarts|User|State|Start|End|NodeList|AllocTRES'; row 1 2 5; row 2 0 1; row 3 0 1; row 3 1 4; row 4 3 1 | sed s,gres/gpu=1,cpu=4,; } > restarts.txt
  > tare import --db restarts --as sacct restarts.txt | grep attempt
      note: 1 job begun again without a row for each earlier attempt, so what was lost then is not in: sacct -D (--duplicates) lists them

Slurm's own number of an element of an array is the one that its exporters know. It finds the job, and the readings under it are the job's; the number
of the array, or of a heterogeneous job, names its jobs.

  $ row() { echo "$1|$2|ada|COMPLETED|2026-11-02T00:00:00|2026-11-02T01:00:00|n1|gres/gpu=1"; }
  > { echo 'JobID|JobIDRaw|User|State|Start|End|NodeList|AllocTRES'; row 500_3 507; row 500_4 500; row 600+1 601; } > array.txt
  > { echo time,node,gpu,job_id,step_s,gpu_util_pct,mem_used_bytes; echo 2026-11-02T00:00:00Z,n1,GPU-a,507,3600,92,50000000000; } > array.csv
  > tare import -q --db array --as sacct array.txt; tare import -q --db array array.csv
  > for j in 507 500_3 601 600 500 50; do tare explain --db array $j 2>&1 | grep -e ^Job -e ^Used -e ^tare; done
  Job 500_3
  Used        1 of 1 GPU; utilisation 92 % on average, memory 46.6 GiB (p99 of its
  Job 500_3
  Used        1 of 1 GPU; utilisation 92 % on average, memory 46.6 GiB (p99 of its
  Job 600+1
  Used        unknown: no reading
  Job 600
  Used        unknown: no reading
  tare: '500' is 2 jobs: 500_3, 500_4
  tare: '50' is neither a recommendation of the plan nor a job of the history

Times without a zone are read as UTC, which is said; of those that have one, or count seconds, nothing is. No offset fits a list over a change of summer time.

  $ list() { { echo 'JobID|User|State|Start|End|NodeList|AllocTRES'; echo "1|ada|COMPLETED|$1|$2|n1|gres/gpu=1"; } | tare import --db "zone$3" --as sacct - | grep 'without a zone'; }
  > list 2026-10-25T02:00:00 2026-10-25T04:00:00 1; list 2026-10-25T02:00:00+0200 2026-10-25T04:00:00+0100 2; list 1793577600 1793581200 3
      note: sacct writes times without a zone: read as UTC, as TZ=UTC sacct ... writes them (--set utc_offset=+02:00 says otherwise)
  [1]
  $ tare import --as sacct --set utc_offset=Europe/Berlin types.txt
  ! tare: 'types.txt': --set utc_offset: 'Europe/Berlin' is not an offset such as +02:00
  !       Nothing was imported. Where summer time changes no offset fits: have the times written in UTC, TZ=UTC sacct ...
  [2]

In local time a job over the end of summer time seems an hour too short, or to end before it began; Elapsed says how long it took. A word that nobody knows is told.

  $ row() { echo "$1|ada|$2|$3|$4|$5|n$1|gres/gpu=1"; }
  > { echo 'JobID|User|State|Start|End|Elapsed|NodeList|AllocTRES'; row 1 COMPLETED 2026-10-25T02:50:00 2026-10-25T02:10:00 00:20:00; row 2 COMPLETED 2026-10-25T01:00:00 2026-10-25T04:00:00 04:00:00; row 3 VANISHED 2026-10-25T01:00:00 2026-10-25T02:00:00 01:00:00; } > clocks.txt
  > tare import --db clocks --as sacct clocks.txt | grep 'note: .* \(clocks\|word\)'; tare report --db clocks --by job -o csv | cut -d, -f1,3
      note: 2 jobs began before a change of clocks and ended after it, in local time: the end is the start and Elapsed. All other times on one side of the change are an hour off, as one offset fits only the other: have them written in UTC, TZ=UTC sacct ...
      note: state 'VANISHED' of 1 row is no word that is known: these jobs are taken to have ended well, nothing of them is lost
  job,gpu_seconds
  2,14400
  3,3600
  1,1200

A job that was suspended for an hour lasted as long as its start and end say, by the column Suspended or on a day on which no clocks are put forward.

  $ row() { echo "$1|ada|COMPLETED|2026-$2|2026-$3|$4|n$1|gres/gpu=1$5"; }; head='JobID|User|State|Start|End|Elapsed|NodeList|AllocTRES'
  > { echo "$head"; row 1 11-03T08:00:00 11-03T12:00:00 03:00:00; row 2 03-29T01:00:00 03-29T05:00:00 03:00:00; } > paused.txt
  > { echo "$head|Suspended"; row 1 11-03T08:00:00 11-03T12:00:00 03:00:00 '|01:00:00'; row 2 03-29T01:00:00 03-29T05:00:00 02:00:00 '|01:00:00'; } > told.txt
  > for f in paused told; do tare import --db $f --as sacct $f.txt | grep clocks; tare report --db $f --by job -o csv | cut -d, -f1,3; done
      note: 1 job began before a change of clocks and ended after it, in local time: the end is the start and Elapsed. All other times on one side of the change are an hour off, as one offset fits only the other: have them written in UTC, TZ=UTC sacct ...
  job,gpu_seconds
  1,14400
  2,10800
      note: 1 job began before a change of clocks and ended after it, in local time: the end is the start and Elapsed. All other times on one side of the change are an hour off, as one offset fits only the other: have them written in UTC, TZ=UTC sacct ...
  job,gpu_seconds
  1,14400
  2,10800

One job in several places is one answer with its parts: attempts on two machines, and the components of a heterogeneous job. An array is several jobs.

  $ { echo node,provider,region,purchase,gpu_model,gpu_count,from,to,cluster,usd_hour; for n in n1 n2; do echo $n,dc,x,on_demand,A100-SXM4-80GB,4,2026-11-02T00:00:00Z,2026-11-04T00:00:00Z,c,8; done; } > two.csv
  > row() { echo "$1|$2|bob|$3|2026-11-0$4:00:00|2026-11-0$5:00:00|$6|gres/gpu=$7|c"; }
  > { echo 'JobID|JobName|User|State|Start|End|NodeList|AllocTRES|Cluster'; row 7 moved NODE_FAIL 2T01 2T05 n1 4; row 7 moved COMPLETED 2T06 2T16 n2 4
  > row 12+0 het COMPLETED 3T00 3T10 n1 4; row 12+1 het FAILED 3T00 3T10 n2 2; row 20_1 array COMPLETED 3T12 3T13 n1 1; row 20_2 array COMPLETED 3T12 3T13 n1 1; } > parts.txt
  > tare import -q --db parts two.csv; tare import -q --db parts --as sacct --covers c parts.txt
  $ tare explain --db parts 7; tare explain --db parts 12 | grep -v Used; tare explain --db parts 12+1 | sed -n 1,3p; tare explain --db parts 20
  Job 7: moved
  Whose       bob, training
  In all      2 machines
  Ran         2026-11-02T01:00 to 2026-11-02T16:00, 14 h 00 min
  Ended       COMPLETED after 2 attempts
  Cost        112.00 USD for 56.0 GPU·h in the window
  Did         lost 29 % (32.00), unknown 71 % (80.00)
  
  On          n1, 4 x A100-SXM4-80GB, on_demand
  Ran         2026-11-02T01:00 to 2026-11-02T05:00, 4 h 00 min
  Ended       NODE_FAIL after 1 attempt
  Cost        32.00 USD for 16.0 GPU·h in the window
  Did         lost 100 % (32.00)
  Used        unknown: no reading
  If stopped  not known whether it saves its state
  
  On          n2, 4 x A100-SXM4-80GB, on_demand
  Ran         2026-11-02T06:00 to 2026-11-02T16:00, 10 h 00 min
  Ended       COMPLETED after 1 attempt
  Cost        80.00 USD for 40.0 GPU·h in the window
  Did         unknown 100 % (80.00)
  Used        unknown: no reading
  If stopped  not known whether it saves its state
  Job 12: het
  Whose       bob, training
  In all      2 components on 2 machines
  Ran         2026-11-03T00:00 to 2026-11-03T10:00, 10 h 00 min
  Ended       COMPLETED, FAILED after 1 attempt
  Cost        120.00 USD for 60.0 GPU·h in the window
  Did         lost 33 % (40.00), unknown 67 % (80.00)
  
  Component   12+0
  On          n1, 4 x A100-SXM4-80GB, on_demand
  Ran         2026-11-03T00:00 to 2026-11-03T10:00, 10 h 00 min
  Ended       COMPLETED after 1 attempt
  Cost        80.00 USD for 40.0 GPU·h in the window
  Did         unknown 100 % (80.00)
  If stopped  not known whether it saves its state
  
  Component   12+1
  On          n2, 2 x A100-SXM4-80GB, on_demand
  Ran         2026-11-03T00:00 to 2026-11-03T10:00, 10 h 00 min
  Ended       FAILED after 1 attempt
  Cost        40.00 USD for 20.0 GPU·h in the window
  Did         lost 100 % (40.00)
  If stopped  not known whether it saves its state
  Job 12+1: het
  Whose       bob, training
  Part of     12, a heterogeneous job; all of it: tare explain 12 --db parts
  ! tare: '20' is 2 jobs: 20_1, 20_2
  !       Ask for one: tare explain 20_1 --db parts. Arrays as a whole: tare report --by run --db parts
  [2]
  $ for j in 7 12 12+0; do tare explain --db parts $j -o json | grep -oE '"job":"[^"]*"|"whole":[^}]*}'; done
  "job":"7"
  "whole":{"machines":2,"attempts":2,"start":"2026-11-02T01:00:00Z","end":"2026-11-02T16:00:00Z","held_seconds":"50400","state":"COMPLETED","cost":"112","gpu_seconds":"201600"}
  "job":"7"
  "job":"7"
  "job":"12"
  "whole":{"machines":2,"attempts":1,"start":"2026-11-03T00:00:00Z","end":"2026-11-03T10:00:00Z","held_seconds":"36000","state":"COMPLETED, FAILED","cost":"120","gpu_seconds":"216000"}
  "job":"12+0"
  "job":"12+1"
  "job":"12+0"
  "whole":{"machines":1,"attempts":1,"start":"2026-11-03T00:00:00Z","end":"2026-11-03T10:00:00Z","held_seconds":"36000","state":"COMPLETED","cost":"80","gpu_seconds":"144000"}
  "job":"12+0"
