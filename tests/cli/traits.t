What a machine is does not hang on the order in which files came: a part of its time is posted by what
is known of all of it.

  $ cat > same <<X
  > for d in one two; do
  >   tare report --db \$d --by hour,cluster,node,gpu,job,state,cause -o csv > \$d.csv
  >   tare doctor --db \$d | grep -c 'ledger  *closes' || echo 'does not close'
  > done
  > cmp one.csv two.csv && echo same
  > X

A node is known by its record alone for two days; then a job names one of its GPUs, in one hour.

  $ cat > nodes.csv <<X
  > node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour
  > n1,lab,r1,H100-SXM5-80GB,2,owned,2026-10-25T21:07:00Z,2026-10-27T01:07:00Z,c1,2
  > X
  $ cat > jobs.csv <<X
  > job_id,user,gpu_model,gpus,gpu_ids,start,end,node,cluster
  > j2,cyd,H100-SXM5-80GB,1,0,2026-10-25T21:36:21Z,2026-10-25T22:28:21Z,n1,c1
  > X
  $ tare import -q --db one nodes.csv jobs.csv; tare import -q --db two nodes.csv; tare import -q --db two jobs.csv; sh same
  2
  2
  same

Readings of a machine without a record; a job says its cluster and model on another day.

  $ cat > samples.csv <<X
  > time,node,gpu,gpu_util_pct,mem_used_bytes,mem_total_bytes,power_w,step_s
  > 2026-10-24T23:00:00Z,n2,0,100,40000000000,80000000000,100,600
  > 2026-10-25T10:00:00Z,n2,0,100,40000000000,80000000000,100,600
  > X
  $ sed 's/n1,c1/n2,c1/; s/,0,2026/,1,2026/' jobs.csv > jobs2.csv
  $ rm -rf one two; tare import -q --db one samples.csv jobs2.csv; tare import -q --db two samples.csv; tare import -q --db two jobs2.csv; sh same
  2
  2
  same

A reading that began under a job reaches into the next day, of which something is told later.

  $ cat > jobs3.csv <<X
  > job_id,user,gpu_model,gpus,gpu_ids,start,end,node,cluster
  > j3,cyd,H100-SXM5-80GB,1,0,2026-10-25T21:36:21Z,2026-10-26T00:00:00Z,n1,c1
  > X
  $ sed 's/j3/j4/; s/2026-10-25T21:36:21Z,2026-10-26T00:00:00Z/2026-10-26T10:00:00Z,2026-10-26T11:00:00Z/' jobs3.csv > jobs4.csv
  $ printf 'time,node,gpu,gpu_util_pct,step_s\n2026-10-25T23:59:17Z,n1,0,100,60\n' > samples2.csv
  $ rm -rf one two; tare import -q --db one nodes.csv jobs3.csv samples2.csv jobs4.csv; tare import -q --db two nodes.csv jobs3.csv samples2.csv; tare import -q --db two jobs4.csv; sh same
  2
  2
  same

A record that comes later pays for other hours than those of the job; a job told again.

  $ sed 's/,0,2026-10-25T21:36:21Z,2026-10-25T22:28:21Z/,,2026-10-24T10:00:00Z,2026-10-24T12:00:00Z/' jobs.csv > before.csv
  $ rm -rf one two; tare import -q --db one nodes.csv before.csv; tare import -q --db two before.csv; tare import -q --db two nodes.csv; sh same
  2
  2
  same

A pool whose nodes are not paid in the days of a job, told of together or apart.

  $ sed 's/n1,lab/n7,lab/; s/c1,2$/c7,2/' nodes.csv > n7.csv
  $ printf 'job_id,user,gpu_model,gpus,start,end,cluster\na,u,H100-SXM5-80GB,1,2026-10-26T01:00:00Z,2026-10-26T02:00:00Z,c7\n' > in.csv; printf 'job_id,user,gpu_model,gpus,start,end,cluster\nb,v,H100-SXM5-80GB,1,2026-10-29T01:00:00Z,2026-10-29T02:00:00Z,c7\n' > out.csv
  $ rm -rf one two; tare import -q --db one n7.csv in.csv out.csv; tare import -q --db two n7.csv in.csv; tare import -q --db two out.csv; sh same
  2
  2
  same

A node whose name begins as the key of another kind of scope does.

  $ sed 's/^n1/node:9100/' nodes.csv > n8.csv; sed 's/^n1/node:9100/; s/,2,owned,2026-10-25T21:07:00Z,2026-10-27/,4,owned,2026-10-28T00:00:00Z,2026-10-29/' nodes.csv > n4.csv
  $ rm -rf one two; tare import -q --db one n8.csv n4.csv; tare import -q --db two n8.csv; tare import -q --db two n4.csv; sh same
  2
  2
  same

The pieces of a pool's hour add up to the hour rounded, 0.1366666673 here, not to rounded pieces.

  $ cat > pool.csv <<X
  > node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour
  > n3,lab,r1,A100-SXM4-80GB,2,spot,2026-03-01T20:20:00Z,2026-03-01T20:58:00Z,c3,0.000000001
  > n3,lab,r1,A100-SXM4-80GB,2,spot,2026-03-01T20:58:00Z,2026-03-01T21:00:00Z,c3,4.1
  > X
  $ cat > jobs5.csv <<X
  > job_id,user,gpu_model,gpus,start,end,node,cluster
  > j7,,A100-SXM4-80GB,1,2026-03-01T20:08:00Z,2026-03-01T22:02:00Z,n3,c3
  > j5,bob,A100-SXM4-80GB,1,2026-03-01T20:16:07Z,2026-03-01T21:03:07Z,n3,c3
  > X
  $ tare import -q --db pool pool.csv jobs5.csv; tare report --db pool -o json | $FILES/../data/get total.cost reconcile.remainder
  0.136666667
  0.0000000003

A bill in dollars for a node whose prices are in the configured currency, and a job that names a GPU
four thousand times.

  $ printf 'version: 1\ncurrency: EUR\n' > eur.yaml
  $ cat > gpu-01.csv <<X
  > node,provider,region,gpu_model,gpu_count,purchase,from,to,resource_id
  > gpu-01,aws,us-east-1,A100-SXM4-40GB,8,on_demand,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,i-0aaa
  > X
  $ cat > bill.csv <<X
  > BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ServiceName,ProviderName,RegionId,x_InstanceType
  > 32.77,32.77,USD,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,Usage,i-0aaa,EC2,AWS,us-east-1,p4d.24xlarge
  > X
  $ python3 -c "print('job_id,gpus,gpu_ids,share_kind,node,start,end\nj2,4,' + ';'.join(['0'] * 4000) + ',timeslice,gpu-01,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z')" > repeated.csv
  $ export TARE_CONFIG=eur.yaml; tare import -q --db eur gpu-01.csv bill.csv repeated.csv; tare report --db eur --by job -o csv | cut -d, -f1-4; tare doctor --db eur | grep 'ledger  *closes' | cut -d, -f1; unset TARE_CONFIG
  job,currency,gpu_seconds,cost
  ,USD,50400,57.349775
  j2,USD,7200,8.192825
  ok   ledger                 closes
  The store is whole and its ledger closes.

A quantity that is no number of hours of one machine, and an account with a control character.

  $ sed '1s/$/,PricingQuantity,PricingUnit/; 2s/$/,1000000,Hours/; s/i-0aaa/i-0bbb/' bill.csv > hours.csv; tare import -q --db hours hours.csv
  ! tare: resource 'i-0bbb' has hours for 1000000 machines at once in one charge period
  !       Nothing was imported. At most 10000 are taken; correct the quantity or the unit of its lines
  [2]
  $ python3 - <<X
  > t = open('bill.csv').read().split('\n')
  > open('account.csv', 'w').write(t[0] + ',BillingAccountId\n' + t[1] + ',a\x1fb\n')
  > X
  $ tare import -q --db account account.csv
  ! tare: 'account.csv': the account of a bill line has the control character 0x1f
  !       Nothing was imported.
  [2]

The doctor looks for the readings too.

  $ rm -f one/telemetry.db; rm -rf one; tare import -q --db one nodes.csv samples2.csv; rm one/telemetry.db; tare doctor --db one > doctor.txt; echo $?; grep -A1 'telemetry' doctor.txt | head -2
  2
  no   store                  'one/telemetry.db' is missing, which has the readings of 'samples2.csv'
                              -> put back a copy of that file of the time of the last import, or import these files and all others into a new store (--db)

A machine that only a bill tells of: in a month that has lines of it all of its paid time is known; of
another nothing, so jobs there are paid time of their own, as always where there is no record.

  $ sed 's/USD,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z/USD,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z/' bill.csv > sept.csv
  $ printf 'job_id,user,gpus,node,start,end\nj1,u,8,i-0aaa,2024-09-01T00:10:00Z,2024-09-01T00:40:00Z\nj2,v,8,i-0aaa,2024-10-05T00:10:00Z,2024-10-05T00:40:00Z\n' > two-months.csv
  $ rm -rf one two; tare import -q --db one sept.csv two-months.csv; tare import -q --db two two-months.csv; tare import -q --db two sept.csv; sh same
  2
  2
  same
  $ tare report --db one --by day,job,quality -o csv | cut -d, -f1-6
  day,job,quality,currency,gpu_seconds,cost
  2024-09-01,,assumed,USD,38400,21.846666667
  2024-09-01,,estimated,USD,4800,2.730833333
  2024-09-01,j1,estimated,USD,14400,8.1925
  2024-10-05,j2,assumed,USD,14400,

Jobs on a GPU without a record, each at the price given with it, whatever came with it.

  $ printf 'job_id,user,gpu_model,gpus,gpu_ids,start,end,node,cluster,usd_gpu_hour\na,u,A100,1,0,2026-10-01T01:00:00Z,2026-10-01T02:00:00Z,n9,c9,1\n' > cheap.csv; sed 's/^a,/b,/; s/2026-10-01/2026-10-05/g; s/,1$/,3/' cheap.csv > dear.csv
  $ rm -rf one two; tare import -q --db one cheap.csv dear.csv; tare import -q --db two dear.csv; tare import -q --db two cheap.csv; sh same; tare report --db one --by job -o csv | cut -d, -f1-4
  2
  2
  same
  job,currency,gpu_seconds,cost
  b,USD,3600,3
  a,USD,3600,1
