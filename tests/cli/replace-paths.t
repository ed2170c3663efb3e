--replace goes by the path of a file: the logs of two machines are of one name. Each has an hour at 90 %; gpu01 is read again at 50 %, and gpu02 stays.

  $ log() { mkdir -p $1; printf 'timestamp, index, name, utilization.gpu [%%], memory.used [MiB], memory.total [MiB]\n' > $1/log.csv; for m in 00 20 40; do echo "2026/11/02 00:$m:00.000, 0, NVIDIA A100-SXM4-40GB, $2 %, 9000 MiB, 40960 MiB" >> $1/log.csv; done; }
  > log a 90; log b 90; tare import -q --set node=gpu01 a/log.csv; tare import -q --set node=gpu02 b/log.csv
  > log a 50; tare import --replace --set node=gpu01 a/log.csv | grep -e 'taken out' -e stay
  > tare report --by node,state -o csv | cut -d, -f1,2,4; tare sql "SELECT path, in_force FROM imports ORDER BY batch" -o csv
      note: 1 earlier file of 'a/log.csv' taken out
      note: 1 earlier file called 'log.csv' of another folder stays ($TMP/b/log.csv): --replace goes by the whole path
  node,state,gpu_seconds
  gpu01,busy,3600
  gpu02,busy,3600
  path,in_force
  a/log.csv,false
  b/log.csv,true
  a/log.csv,true

So it is with ./a/log.csv or from within the folder; a file that was moved takes out nothing, and that is said.

  $ cd a; echo >> log.csv; tare import --replace --set node=gpu01 log.csv | grep -e 'taken out' -e stay
  > cd ..; mv a c; echo >> c/log.csv; tare import --replace --set node=gpu01 ./c/log.csv | grep -e 'taken out' -e stay
      note: 1 earlier file of 'log.csv' taken out
      note: 1 earlier file called 'log.csv' of another folder stays ($TMP/b/log.csv): --replace goes by the whole path
      note: 2 earlier files called 'log.csv' of another folder stay ($TMP/b/log.csv, ...): --replace goes by the whole path

Standard input has no path. A list that tells all of the time and machines of an earlier one takes its place; pieces one after the other, and lists of
other machines, do not.

  $ list() { sh $FILES/files/sacct.sh "$@"; }; put() { tare import --db pipe --as sacct --replace - | grep -e 'taken out' -e stay; }
  > list '1 gres/gpu=1 n1 5' | put; list '2 gres/gpu=1 n2 4' | put; list '1 gres/gpu=1 n1 5' '3 gres/gpu=1 n1 9' | put
  > list '1 gres/gpu=1 n1 5' '3 gres/gpu=1 n1 9' | put; tare report --db pipe --by job -o csv | cut -d, -f1,3
      note: 1 earlier file of standard input stays, as this does not tell all of their time and machines again
      note: 1 earlier file of standard input stays, as this does not tell all of their time and machines again
      note: 1 earlier file of 'standard input' taken out
      note: 1 earlier file of standard input stays, as this does not tell all of their time and machines again
      note: 1 earlier file of 'standard input' taken out
  job,gpu_seconds
  3,32400
  1,18000
  2,14400

So with what belongs to no machine: requests of another service (or tenant), rates of another currency.

  $ log() { echo time,service,count; for m in 00 10 20; do echo 2026-11-02T00:$m:00Z,$1,$2; done; }; put() { tare import --db log --replace "$@" - | grep -e 'taken out' -e stay; }
  > log ranker 100 | put; log search 50 | put; log ranker 120 | put; tare sql --db log "SELECT service, sum(requests) AS n FROM request_minutes GROUP BY ALL ORDER BY ALL" -o csv
  > rate() { printf "date,from,to,rate\n2026-11-02,$1,USD,$2\n"; }; rate EUR 1.1 | put --as rates; rate GBP 1.3 | put --as rates; rate EUR 1.2 | put --as rates
      note: 1 earlier file of standard input stays, as this does not tell all of their time and machines again
      note: 1 earlier file of standard input stays, as this does not tell all of their time and machines again
      note: 1 earlier file of 'standard input' taken out
  service,n
  ranker,360
  search,150
      note: 1 earlier file of standard input stays, as this does not tell all of their time and machines again
      note: 1 earlier file of standard input stays, as this does not tell all of their time and machines again
      note: 1 earlier file of 'standard input' taken out
