An import that was a mistake is taken out again, and the ledger is what it would be without it.

  $ cat > lib <<'END'
  > bill() { out=$1; shift; echo BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory > $out
  > for l; do IFS=: read c a d <<< "$l"; echo $c,$c,USD,$a,Usage,${d}T00:00:00Z,${d}T01:00:00Z,${d%-*}-01T00:00:00Z,AWS,Storage >> $out; done; }
  > nodes() { echo node,gpu_model,gpu_count,usd_hour,provider,region,purchase,from,to; for n; do echo $n,A10,2,2,onprem,x,owned,2024-09-02T00:00:00Z,2024-09-02T10:00:00Z; done; }
  > jobs() { echo job_id,user,node,gpus,start,end; for j; do IFS=: read i u n g h <<< "$j"; echo $i,$u,$n,$g,2024-09-02T00:00:00Z,2024-09-02T0$h:00:00Z; done; }
  > gpu() { out=$1; shift; echo BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory,ServiceName,ResourceId,SkuId,x_SkuDescription,ConsumedQuantity,ConsumedUnit > $out; echo "$1,$1,USD,1,Usage,2024-09-02T00:00:00Z,2024-09-02T10:00:00Z,2024-09-01T00:00:00Z,AWS,Compute,Amazon EC2,n1,g5.xlarge,g5.xlarge,10,Hours" >> $out; }
  > sums() { tare report --by month,kind,user,node -o csv | cut -d, -f1-7; }
  > END

A job list, a node, bills: each is taken out and leaves what was there before.

  $ . ./lib; bill sep.csv 10:1:2024-09-02; bill oct.csv 7:1:2024-10-02; nodes n1 > nodes.csv; jobs 1:ann:n1:2:4 > jobs.csv
  > tare import -q --as nodes nodes.csv; sums > 1; tare import -q --as allocations jobs.csv; sums > 2; tare import -q sep.csv; sums > 3; tare import -q oct.csv; cat 3
  > sums > 4; tare import --list; tare import --undo last --dry-run; sums | cmp - 4 && tare import --undo last; sums | cmp - 3; tare import --undo sep.csv; sums | cmp - 2; tare import --undo jobs.csv; sums | cmp - 1
  > tare import -q --as allocations jobs.csv; sums | cmp - 2 && tare import --undo nodes.csv -o json; sums; tare import --list | cut -c1-80
  month,kind,user,node,currency,gpu_seconds,cost
  2024-09,gpu,,n1,USD,43200,12
  2024-09,gpu,ann,n1,USD,28800,8
  2024-09,storage,,,USD,0,10
  batch    imported  kind         file             from          to  counts
      1  2026-11-21  nodes        nodes.csv  2024-09-02  2024-09-02  yes
      2  2026-11-21  allocations  jobs.csv   2024-09-02  2024-09-02  yes
      3  2026-11-21  focus        sep.csv    2024-09-02  2024-09-02  yes
      4  2026-11-21  focus        oct.csv    2024-10-02  2024-10-02  yes
  oct.csv: focus of batch 4, would be taken out (1 row, billed 7 USD)
  oct.csv: focus of batch 4, taken out (1 row, billed 7 USD)
  sep.csv: focus of batch 3, taken out (1 row, billed 10 USD)
  jobs.csv: allocations of batch 2, taken out
  {"schema":"tare.undo/1","files":[{"batch":1,"imported":"2026-11-21T00:00:00Z","file":"nodes.csv","kind":"nodes","from":"2024-09-02T00:00:00Z","to":"2024-09-02T10:00:00Z","in_force":true}],"billed":[],"replaced":[],"replaced_billed":[],"again":null}
  month,kind,user,node,currency,gpu_seconds,cost
  2024-09,gpu,ann,n1,USD,28800,
  batch    imported  kind         file             from          to  counts
      1  2026-11-21  nodes        nodes.csv  2024-09-02  2024-09-02  no
      2  2026-11-21  allocations  jobs.csv   2024-09-02  2024-09-02  no
      3  2026-11-21  focus        sep.csv    2024-09-02  2024-09-02  no
      4  2026-11-21  focus        oct.csv    2024-10-02  2024-10-02  no
      8  2026-11-21  allocations  jobs.csv   2024-09-02  2024-09-02  yes

Machines of a bill go back to what the node list says, and what was replaced stays out until it is imported again.

  $ . ./lib; rm -rf $TARE_DB; gpu b1.csv 30; gpu b2.csv 50; tare import -q --as nodes nodes.csv; sums > 0; tare import -q b1.csv; sums > 1; cat 1; tare import -q --replace b2.csv; sums | tail -1
  > tare import --undo b2.csv; sums | cmp - 0; tare import -q b1.csv; sums | cmp - 1 && echo same
  month,kind,user,node,currency,gpu_seconds,cost
  2024-09,gpu,,n1,USD,72000,30
  2024-09,gpu,,n1,USD,72000,50
  b2.csv: focus of batch 3, taken out (1 row, billed 50 USD)
      note: it had taken the place of 'b1.csv' (1 row, billed 30 USD), which stays out: import that again where it is to count
  same

Rows that a later import found there already are kept once: they are not taken out under it.

  $ . ./lib; rm -rf $TARE_DB; bill m1.csv 1:1:2024-09-03 2:1:2024-09-04; bill m2.csv 1:1:2024-09-03 2:1:2024-09-04 4:1:2024-09-05
  > tare import -q m1.csv; tare import -q --replace m2.csv; tare import --undo m1.csv; tare import -q --undo 2 && tare import -q --undo 1 && tare import -q m2.csv; tare import --list | cut -c1-60; sums
  batch    imported  kind   file          from          to  co
      1  2026-11-21  focus  m1.csv  2024-09-03  2024-09-04  no
      2  2026-11-21  focus  m2.csv  2024-09-03  2024-09-05  no
      5  2026-11-21  focus  m2.csv  2024-09-03  2024-09-05  ye
  month,kind,user,node,currency,gpu_seconds,cost
  2024-09,storage,,,USD,0,7
  ! tare: 'm2.csv' (batch 2) has rows that were in 'm1.csv' already and are kept there alone
  !       Take out both, and import again what is to stay: tare import --undo 2 && tare import --undo 1 && tare import m2.csv

That bars no other bill of the time; two files of one call are taken out together.

  $ . ./lib; rm -rf $TARE_DB; bill g.csv 3:9:2024-09-03; bill m3.csv 8:1:2024-09-06
  > tare import -q g.csv; tare import -q m1.csv; tare import -q --replace m2.csv; tare import --undo g.csv
  > rm -rf $TARE_DB; tare import -q m1.csv m2.csv m3.csv; sums; tare import --undo m1.csv; tare import -q --undo 1 && tare import -q m2.csv m3.csv; sums
  g.csv: focus of batch 1, taken out (1 row, billed 3 USD)
  month,kind,user,node,currency,gpu_seconds,cost
  2024-09,storage,,,USD,0,15
  month,kind,user,node,currency,gpu_seconds,cost
  2024-09,storage,,,USD,0,15
  ! tare: 'm2.csv' (batch 1) has rows that were in 'm1.csv' already and are kept there alone
  !       Take out both, and import again what is to stay: tare import --undo 1 && tare import m2.csv m3.csv

Of a call that took out files of two months, one of its files is taken out: what the other replaced is none of its business.

  $ . ./lib; rm -rf $TARE_DB; bill s1.csv 5:1:2024-09-03; bill o1.csv 6:1:2024-10-03; bill s2.csv 7:1:2024-09-03; bill o2.csv 8:1:2024-10-03
  > tare import -q s1.csv o1.csv; tare import -q --replace s2.csv o2.csv; tare import --undo o2.csv
  o2.csv: focus of batch 2, taken out (1 row, billed 8 USD)
      note: it had taken the place of 'o1.csv' (1 row, billed 6 USD), which stays out: import that again where it is to count

A file that has more than what comes free, or of which a part counts: imported again as it is, rows would count twice, or nothing come back.

  $ . ./lib; rm -rf $TARE_DB; bill old.csv 5:1:2024-09-03 6:1:2024-10-03; tare import -q old.csv; tare import -q --replace s2.csv o2.csv; tare import --undo o2.csv
  > tare import -q --undo s2.csv && tare import -q old.csv; sums; tare import -q --replace o2.csv; tare import --undo o2.csv -o json; tare import --undo old.csv && tare import -q old.csv; sums | tail -2
  o2.csv: focus of batch 2, taken out (1 row, billed 8 USD)
      note: it had taken the place of 'old.csv' (2 rows, billed 11 USD), which stays out: 's2.csv' has rows of the same days, and both would count
      note: back to what counted before: tare import --undo s2.csv && tare import old.csv
  month,kind,user,node,currency,gpu_seconds,cost
  2024-09,storage,,,USD,0,5
  2024-10,storage,,,USD,0,6
  {"schema":"tare.undo/1","files":[{"batch":6,"imported":"2026-11-21T00:00:00Z","file":"o2.csv","kind":"focus","from":"2024-10-03T00:00:00Z","to":"2024-10-03T01:00:00Z","in_force":true}],"billed":[{"file":"o2.csv","currency":"USD","rows":1,"billed":"8"}],"replaced":["old.csv"],"replaced_billed":[{"file":"old.csv","currency":"USD","rows":1,"billed":"6"}],"again":"tare import --undo old.csv && tare import old.csv"}
  old.csv: focus of batch 5, taken out (1 row, billed 5 USD)
  2024-09,storage,,,USD,0,5
  2024-10,storage,,,USD,0,6

What is not there.

  $ tare import --undo nothing.csv; tare import --undo 99; tare import --undo last x.csv; tare import --list --db empty
  ! tare: no import that counts is called 'nothing.csv'
  !       See what was imported: tare import --list.
  ! tare: no import that counts is called '99'
  !       See what was imported: tare import --list.
  ! tare: --list, --undo and --repost import nothing: 'x.csv' is one too many
  !       See: tare import --help
  ! tare: there is no store in 'empty' yet
  !       Bring something in with `tare import FILE`, or try `tare demo`
  [2]

A list of nodes, twice the same name.

  $ . ./lib; mkdir -p a b; nodes n1 > a/n.csv; nodes n2 > b/n.csv; tare import -q --db two --as nodes a/n.csv; tare import -q --db two --as nodes b/n.csv
  > tare import --db two --undo n.csv; tare import --db two --undo b/n.csv; tare report --db two --by node -o csv | cut -d, -f1,3
  b/n.csv: nodes of batch 2, taken out
  node,gpu_seconds
  n1,72000
  ! tare: 'n.csv' was imported 2 times, in batches 1, 2
  !       Name the batch; what each brought: tare import --list --db two.

Advice to import again says how each file was read.

  $ rm -rf $TARE_DB; tare import -q --max-rejects 3 m1.csv; tare import -q --as focus --max-rejects 2 m2.csv; tare import --undo m1.csv
  ! tare: 'm2.csv' (batch 2) has rows that were in 'm1.csv' already and are kept there alone
  !       Take out both, and import again what is to stay: tare import --undo 2 && tare import --undo 1 && tare import --as focus --max-rejects 2 m2.csv
  [2]
