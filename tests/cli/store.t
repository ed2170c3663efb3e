The store: one command writes at a time, and a store of a newer version is left alone.

  $ tare import -q $FILES/files/nodes.csv $FILES/files/jobs.csv; ls $TARE_DB
  control.db
  facts.duckdb
  lock
  telemetry.db

A command that holds the store: others say who, and wait if told to.

  $ exec 9<> $TARE_DB/lock; flock -x 9; tare import $FILES/files/samples.csv; tare report | head -3
  ! tare: the store '$TMP/db' is in use by another process
  !       Nothing was imported. Wait for it with --wait
  ! tare: the store '$TMP/db' is in use by another process
  !       Wait for it with --wait

  $ (exec 9<> $TARE_DB/lock; flock -x 9; sleep 1.5) & sleep 0.3; tare import -q --wait 20s $FILES/files/samples.csv && echo in; wait
  in

Damage is an error with exit 2, never a crash.

  $ cp -r $TARE_DB broken; head -c 4096 /dev/urandom > broken/facts.duckdb; tare report --db broken 2>&1 | sed 's/:.*//' ; echo ${PIPESTATUS[0]}
  tare
        Put back a copy of the store, or import everything into a new one (--db)
  2

