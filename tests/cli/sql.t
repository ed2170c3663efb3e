One SELECT over the views of the store. Three GPUs at 10.01 an hour for a day, jobs of 10, 7 and 3
GPU-hours; costs add up to 240.24 less what rounding hours left.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\nn1,aws,us-east-1,A100-SXM4-80GB,3,on_demand,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,main,10.01\n' > nodes.csv
  > printf 'job_id,name,team,user,gpus,node,cluster,start,end\n1,train,vision,ann,1,n1,main,2024-09-01T00:00:00Z,2024-09-01T10:00:00Z\n2,x,vision,bob,1,n1,main,2024-09-01T00:00:00Z,2024-09-01T07:00:00Z\n3,etl,infra,io,1,n1,main,2024-09-01T10:00:00Z,2024-09-01T13:00:00Z\n' > jobs.csv
  > printf 'time,service,tenant,count,latency_ms,tokens_in,tokens_out,status\n2024-09-01T06:00:30Z,chat,a,10,20,100,50,200\n2024-09-01T06:00:40Z,chat,a,2,20,,,500\n' > requests.csv
  > tare import -q --db db nodes.csv jobs.csv requests.csv; sha256sum db/*.d* > before
  $ tare sql --db db 'SELECT team, currency, sum(gpu_seconds) AS s, round(sum(effective_cost), 2) AS cost FROM entries GROUP BY ALL ORDER BY cost DESC'
  team    currency       s    cost
  -       USD       187200  173.51
  vision  USD        61200   56.72
  infra   USD        10800   10.01
  $ tare sql --db db "SELECT team, currency, sum(gpu_seconds) AS s, sum(effective_cost) AS cost, max(hour_utc) AS last, max(day_utc) AS day, true AS yes, 1/4 AS x, NULL AS nothing FROM entries WHERE team = 'infra' GROUP BY ALL" -o json
  {"schema":"tare.sql/1","columns":[{"name":"team","type":"text"},{"name":"currency","type":"text"},{"name":"s","type":"decimal"},{"name":"cost","type":"decimal"},{"name":"last","type":"time"},{"name":"day","type":"date"},{"name":"yes","type":"boolean"},{"name":"x","type":"number"},{"name":"nothing","type":"integer"}],"rows":[{"team":"infra","currency":"USD","s":"10800","cost":"10.010000001","last":"2024-09-01T12:00:00Z","day":"2024-09-01","yes":true,"x":0.25,"nothing":null}],"limit_reached":false}
  $ tare sql --db db "SELECT job, gpus, start_utc, end_utc, share_kind, running FROM jobs ORDER BY job" -o csv
  job,gpus,start_utc,end_utc,share_kind,running
  1,1,2024-09-01T00:00:00Z,2024-09-01T10:00:00Z,whole,false
  2,1,2024-09-01T00:00:00Z,2024-09-01T07:00:00Z,whole,false
  3,1,2024-09-01T10:00:00Z,2024-09-01T13:00:00Z,whole,false
  $ tare sql --db db "SELECT minute_utc, service, tenant, ok, requests, tokens_in, tokens_out FROM request_minutes ORDER BY ok" -o md
  | minute\_utc | service | tenant | ok | requests | tokens\_in | tokens\_out |
  | --- | --- | --- | --- | ---: | ---: | ---: |
  | 2024-09-01T06:00:00Z | chat | a | false | 2 | - | - |
  | 2024-09-01T06:00:00Z | chat | a | true | 10 | 100 | 50 |
  $ echo "SELECT node, gpus, price_per_hour FROM nodes" | tare sql --db db -
  node  gpus  price_per_hour
  n1       3           10.01
  $ tare sql --db db "SELECT path, in_force FROM imports ORDER BY path" -o csv
  path,in_force
  jobs.csv,true
  nodes.csv,true
  requests.csv,true

What was replaced is in no view but imports.

  $ mkdir later; cp jobs.csv later; sed '2s/T10/T11/' later/jobs.csv > jobs.csv
  > cp -r db db2; tare import -q --db db2 --replace jobs.csv; cp later/jobs.csv .
  > tare sql --db db2 "SELECT count(*) AS jobs, max(end_utc) FILTER (job = '1') AS ends FROM jobs" -o csv
  jobs,ends
  3,2024-09-01T11:00:00Z
  $ tare sql --db db2 "SELECT sum(gpu_seconds) / 3600 AS hours FROM entries WHERE job = '1'" -o csv
  hours
  11

Every view can be read, and is documented.

  $ for v in $(tare sql --views -o csv | tail -n +2 | cut -d, -f1 | uniq); do tare sql --db db "SELECT * FROM $v" -o json > /dev/null || echo $v; done
  $ tare sql --views -o md | diff - <(sed -n '/^| view/,$p' $FILES/../../docs/SQL.md)

The limit is said.

  $ tare sql --db db 'SELECT range AS n FROM range(5)' --limit 3
  n
  0
  1
  2
  ! tare: there are more rows than these 3: --limit N shows more, or add up
  $ tare sql --db db 'SELECT range AS n FROM range(3)' --limit 3 -o json
  {"schema":"tare.sql/1","columns":[{"name":"n","type":"integer"}],"rows":[{"n":0},{"n":1},{"n":2}],"limit_reached":false}
  $ tare sql --db db 'SELECT range AS n FROM range(4)' --limit 3 -o json | grep -o limit_reached.*
  limit_reached":true}
  ! tare: there are more rows than these 3: --limit N shows more, or add up
  $ tare sql --db db 'SELECT 1 AS a, 2 AS a' -o json
  ! tare: two columns are called 'a': name one of them with AS
  [2]
  $ tare sql --db db "SELECT [1, 2] AS list"
  ! tare: column 'list' is of a type that has no text here
  !       Write it as text: (...)::VARCHAR
  [2]
  $ tare sql --db db "SELECT repeat('x', 2000000) AS long"
  ! tare: column 1 has a string of more than 1 MiB
  !       Take a part of it: left(..., 1000)
  [2]
  $ tare sql --db db "SELECT 'a,b' AS t, '=1+1' AS f, NULL AS n, 1.50 AS d, -0.05 AS e, 170141183460469231731687303715884105727 AS h, 0.1::DOUBLE AS x" -o csv
  t,f,n,d,e,h,x
  "a,b",'=1+1,,1.5,-0.05,170141183460469231731687303715884105727,0.1

Questions of an analyst say what the report says: cost by month and team, utilisation, price of a GPU-hour, untagged spend. A word of the trade that is
no column is told what to write; `user`, which would be the engine's own, is refused.

  $ cat > same.py <<'X'
  > import csv, json, sys
  > key, sql, said = sys.argv[1].split(","), {}, {}
  > for r in csv.DictReader(open(0)):
  >     sql[tuple(r[k][:7] for k in key)] = float(r["x"] or "nan")
  > for r in json.load(open("a.json"))["rows"]:
  >     said[tuple((r[k] or "")[:7] for k in key)] = float(r[sys.argv[2]] or "nan")
  > print(len(said), all(abs(sql[k] - v) < 1e-5 for k, v in said.items() if v == v and v))
  > X
  $ tare report --db db --by month,team -o json > a.json; tare sql --db db "SELECT date_trunc('month', day_utc) AS month, team, sum(effective_cost) AS x FROM entries GROUP BY ALL" -o csv | python3 same.py month,team cost
  3 True
  $ tare report --db db --by gpu_model -o json > a.json; tare sql --db db "SELECT gpu_model, sum(used_gpu_seconds) / sum(gpu_seconds) AS x FROM entries WHERE state IN ('busy', 'underused', 'idle_held', 'idle_empty') GROUP BY gpu_model" -o csv | python3 same.py gpu_model utilisation_frac
  1 True
  $ for w in cost month gpu_hours kwh p95; do tare sql --db db "SELECT $w FROM entries" 2>&1 | sed -n 2p; done
        The costs of the view entries are effective_cost, billed_cost and list_cost. All columns: tare sql --views
        Times of the view entries are hour_utc and day_utc; a month is date_trunc('month', day_utc). All columns: tare sql --views
        GPU time of the view entries is gpu_seconds, hours are sum(gpu_seconds) / 3600. All columns: tare sql --views
        Energy is not in the views: tare report --energy --by team -o csv says it. All columns: tare sql --views
        Latencies are kept as histograms, not in the views: tare report --serving -o csv says them. All columns: tare sql --views
  $ tare sql --db db 'SELECT user, sum(effective_cost) FROM entries GROUP BY 1'
  ! tare: 'user' is the user of the database engine, 'duckdb' in each row
  !       The column is user_name; as a name of your own it is "user"
  [2]
  $ tare sql --db db "SELECT user_name AS \"user\", 'user' AS t FROM entries /* user */ WHERE user_name = 'user'"; rm a.json same.py
  user  t

Mistakes: what and where.

  $ tare sql --db db 'SELECT nope FROM entries'
  ! tare: cannot run the statement: Binder Error: Referenced column "nope" not found in FROM clause!
  !       Candidate bindings: "node", "zone", "project", "provider", "invoice"
  !       LINE 1: SELECT nope FROM entries
  !                      ^
  [2]
  $ tare sql --db db 'SELECT * FROM entires'
  ! tare: cannot run the statement: Catalog Error: Table with name entires does not exist!
  !       Did you mean "entries"?
  !       LINE 1: SELECT * FROM entires
  !                             ^
  [2]
  $ tare sql --db db
  ! tare: sql takes one statement in quotes, or - to read it: tare sql 'SELECT ...'
  !       See: tare sql --help
  [2]
  $ tare sql --db db 'SELECT 1; SELECT 2'
  ! tare: tare sql runs one statement; these are 2
  [2]
  $ tare sql --db db ''
  ! tare: tare sql runs one statement; these are 0
  [2]
  $ head -c 300000 /dev/zero | tr '\0' ' ' | tare sql --db db -
  ! tare: the statement has more than 256 KiB
  [2]

What it must not do: each of these fails, and nothing is written anywhere.

  $ secret=$PWD/secret.csv; echo 'a,b' > secret.csv; touch here
  > while read -r s; do if tare sql --db db "$s" > got 2>&1; then echo "ran: $s"; cat got; fi; done <<END
  > COPY (SELECT 1) TO '$PWD/evil.csv'
  > COPY (SELECT 1) TO '/dev/stdout'
  > ATTACH '$PWD/evil.db'
  > SELECT * FROM read_csv('$secret')
  > SELECT * FROM read_text('$secret')
  > SELECT * FROM read_blob('$secret')
  > SELECT * FROM read_parquet('$secret')
  > SELECT * FROM glob('$PWD/*')
  > SELECT * FROM '$secret'
  > SELECT * FROM 'https://example.org/x.csv'
  > SELECT * FROM query('SELECT * FROM read_text(''$secret'')')
  > SELECT getenv('HOME')
  > INSTALL httpfs
  > LOAD '$PWD/evil.so'
  > SET enable_external_access = true
  > SET lock_configuration = false
  > SET temp_directory = '$PWD/evil'
  > PRAGMA enable_profiling
  > PRAGMA profiling_output = '$PWD/evil'
  > PRAGMA log_query_path = '$PWD/evil'
  > SELECT 1; DROP TABLE node
  > SELECT 1; COPY (SELECT 1) TO '$PWD/evil.csv'
  > DROP TABLE facts.main.node
  > DELETE FROM facts.main.ledger
  > INSERT INTO facts.main.node SELECT * FROM facts.main.node
  > MERGE INTO facts.main.node n USING facts.main.node o ON true WHEN MATCHED THEN DELETE
  > WITH x AS (DELETE FROM facts.main.node RETURNING *) SELECT * FROM x
  > CREATE TABLE x AS SELECT 1
  > CREATE TEMP TABLE x AS SELECT 1
  > CREATE MACRO m() AS TABLE SELECT * FROM read_text('$secret')
  > EXPORT DATABASE '$PWD/evil'
  > IMPORT DATABASE '$PWD/evil'
  > CALL enable_logging()
  > SELECT \$1
  > END
  > ls; sha256sum --quiet -c before
  before
  db
  db2
  got
  here
  jobs.csv
  later
  nodes.csv
  requests.csv
  secret.csv
  $ tare sql --db db "SELECT l.n FROM enable_logging(level='trace', storage='file', storage_path='$PWD/evil') e, (SELECT count(write_log('x' || range)) AS n FROM range(10000)) l" -o csv; ls
  n
  before
  db
  db2
  got
  here
  jobs.csv
  later
  nodes.csv
  requests.csv
  secret.csv
  $ python3 -c "print('SELECT ' + '(' * 100000 + '1' + ')' * 100000)" | tare sql --db db - 2>&1 | head -c 60
  tare: cannot run the statement: Parser Error: memory exhaust (no newline)
  $ python3 -c "print('SELECT ' + '+'.join(['1'] * 20000))" | tare sql --db db -
  ! tare: cannot run the statement: Parser Error: Max expression depth limit of 1000 exceeded. Use "SET max_expression_depth TO x" to increase the maximum expression depth.
  !       What can be read: tare sql --views
  [2]
  $ TARE_MEMORY=60MB tare sql --db db "SELECT count(*) FROM (SELECT range, hash(range) AS h FROM range(5000000) ORDER BY h)"; ls; sha256sum --quiet -c before
  before
  db
  db2
  got
  here
  jobs.csv
  later
  nodes.csv
  requests.csv
  secret.csv
  ! tare: cannot run the statement: not enough memory
  !       Set TARE_MEMORY to a higher limit, such as TARE_MEMORY=4GB

In a pipe no line has an end: nothing is cut. A PIVOT that takes its columns from the data is two statements to the engine.

  $ tare sql --db db "SELECT repeat('long ', 30) || job AS x, '99999999999999999999999999.000000000001' AS y FROM jobs WHERE job = '1'"
  x                                                                                                                                                        y
  long long long long long long long long long long long long long long long long long long long long long long long long long long long long long long 1  99999999999999999999999999.000000000001
  $ tare sql --db db "PIVOT jobs ON team USING count(*) GROUP BY user_name"
  ! tare: tare sql runs one statement; these are 2
  !       A PIVOT is one where it names its columns: PIVOT entries ON state IN ('busy', 'lost') USING sum(effective_cost) GROUP BY team
  [2]
  $ tare sql --db db "PIVOT jobs ON team IN ('vision') USING count(*) GROUP BY user_name" -o csv | sort
  ann,1
  bob,1
  io,0
  user_name,vision

A statement has an end: by its time, and by what one function may make.

  $ tare sql --db db --timeout 1s 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t'
  ! tare: the statement took longer than 1 s
  !       Ask for less (a WHERE on the time), or give it longer: --timeout SPAN
  [2]
  $ tare sql --db db "SELECT length(repeat('x', 3000000000))"
  ! tare: cannot run the statement: not enough memory
  !       Set TARE_MEMORY to a higher limit, such as TARE_MEMORY=4GB
  [2]
