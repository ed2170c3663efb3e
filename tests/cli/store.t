The store: one command writes at a time, and a store of a newer version is left alone.

  $ tare import -q $FILES/files/nodes.csv $FILES/files/jobs.csv; ls $TARE_DB
  control.db
  facts.duckdb
  lock
  telemetry.db

A command that writes in the store: others that want to say who, and wait if told to; who reads does not mind.

  $ exec 9<> $TARE_DB/lock; flock -x 9; tare import $FILES/files/samples.csv; tare report -q | head -2
  6 h to 2024-10-01 06:00 UTC · effective cost, USD · 24.0 GPU·h paid · 11 %
  measured, 31 % assumed
  ! tare: the store '$TMP/db' is in use by another process
  !       Nothing was imported. Wait for it with --wait

  $ (exec 9<> $TARE_DB/lock; flock -x 9; sleep 1.5) & sleep 0.3; tare import -q --wait 20s $FILES/files/samples.csv && echo in; wait
  in

Damage is an error with exit 2, never a crash.

  $ cp -r $TARE_DB broken; head -c 4096 /dev/urandom > broken/facts.duckdb; tare report --db broken 2>&1 | sed 's/:.*//' ; echo ${PIPESTATUS[0]}
  tare
        Put back a copy of the store, or import everything into a new one (--db)
  2


Files of a store that are gone or are none: said, never another store over what is left.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster\nn1,lab,r1,A100,2,owned,2026-01-01T00:00:00Z,2026-01-02T00:00:00Z,c1\n' > nodes.csv
  $ printf 'time,node,gpu,gpu_util_pct,step_s\n2026-01-01T00:00:00Z,n1,0,50,60\n' > samples.csv
  $ tare import -q --db lost nodes.csv samples.csv; cp -r lost lost2; rm lost/facts.duckdb; tare import --db lost nodes.csv
  ! tare: 'lost/facts.duckdb' is missing, which has what was imported
  !       Nothing was imported. Put back a copy of that file, or import into a new store (--db)
  [2]
  $ tare report --db lost -q
  ! tare: 'lost/facts.duckdb' is missing, which has what was imported
  !       Put back a copy of that file, or import into a new store (--db)
  [2]
  $ ln -s nowhere lost/facts.duckdb; tare report --db lost -q
  ! tare: 'lost/facts.duckdb' is a symbolic link
  !       A store's own files are files; only the folder may be a link
  [2]
  $ rm lost2/control.db; tare report --db lost2 -q | head -1
  1 day to 2026-01-01 · effective cost, USD · 48.0 GPU·h paid · <1 % measured
  ! tare: 'lost2/control.db' is missing: what was decided about plans, and which alerts are silenced, is not known any more
  $ mkdir link; echo precious > kept; ln -s ../kept link/lock; tare import -q --db link nodes.csv; cat kept
  precious
  ! tare: 'link/lock' is a symbolic link
  !       Nothing was imported. A store's own files are files; only the folder may be a link
  $ cp -r lost2 pipe; mkfifo pipe/facts.duckdb.wal; timeout 20 tare report --db pipe
  ! tare: 'pipe/facts.duckdb.wal' is not a file
  !       A store's own files are files; only the folder may be a link
  [2]

A name with a comma in --where, and as the report prints it.

  $ printf 'job_id,user,team,gpus,node,start,end\nj1,u,"a,b",2,n1,2026-01-01T01:00:00Z,2026-01-01T02:00:00Z\nj2,v,a,2,n1,2026-01-01T03:00:00Z,2026-01-01T04:00:00Z\n' > jobs.csv
  $ tare import -q --db comma nodes.csv jobs.csv; tare report --db comma --by team --where 'team=a\,b' -o csv | cut -d, -f1-5; tare report --db comma --by team --where 'team=a,b' -o csv | cut -d, -f1-5
  team,currency,gpu_seconds,cost,direct_cost
  "a,b",USD,7200,
  team,currency,gpu_seconds,cost,direct_cost
  a,USD,7200,,

A copy of the facts from before, put back beside files that went on: never reported as if it were all.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster\nn2,lab,r1,A100,2,owned,2026-01-01T00:00:00Z,2026-01-02T00:00:00Z,c1\n' > nodes2.csv
  $ tare import -q --db aged nodes.csv; cp aged/facts.duckdb before.duckdb; tare import -q --db aged nodes2.csv; cp before.duckdb aged/facts.duckdb; tare report --db aged -q; tare import -q --db aged samples.csv
  ! tare: 'aged/facts.duckdb' is older than 'control.db': batch 2, which was imported, is not in it
  !       Put back all files of the store as they were at one time, or import everything into a new one (--db)
  ! tare: 'aged/facts.duckdb' is older than 'control.db': batch 2, which was imported, is not in it
  !       Nothing was imported. Put back all files of the store as they were at one time, or import everything into a new one (--db)
  [2]

What the environment says is checked.

  $ TARE_THREADS=99999999999 tare report -q
  ! tare: TARE_THREADS is '99999999999', which is no number of threads from 1 to 1024
  [2]
  $ TARE_MEMORY=-1GB tare report -q
  ! tare: TARE_MEMORY is '-1GB', which is no amount of memory such as 2GB
  [2]
  $ TARE_NOW=yesterday tare report -q
  ! tare: TARE_NOW is 'yesterday', which is no time
  !       RFC 3339, such as 2026-10-08T00:00:00Z; unset it for the time of the clock
  [2]
