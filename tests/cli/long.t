Long work says what it does and how far it is; stopped, it says what is kept. Off a terminal a line comes every ten seconds, so that this file asks for each step.

  $ mkfifo readings
  $ cat > nodes.csv <<'END'
  > node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour
  > n1,aws,us-east-1,V100-SXM2-16GB,4,on_demand,2026-11-02T00:00:00Z,2026-11-04T00:00:00Z,c,12
  > END
  $ cat > jobs.csv <<'END'
  > job_id,user,team,gpus,gpu_ids,start,end,state,node,cluster
  > 1,ann,a,4,0;1;2;3,2026-11-02T00:00:00Z,2026-11-03T00:00:00Z,COMPLETED,n1,c
  > END
  $ tare import -q nodes.csv jobs.csv
  $ TARE_PROGRESS=1 tare plan 2>&1 >plan.txt | sed 's/: [0-9].*/ .../' | LC_ALL=C sort -u
  ledger ...
  plan: other prices, another load ...
  plan: replaying all of it together ...
  plan: replaying it on the history ...
  plan: what each lever proposes ...
  plan: what goes with what ...
  plan: what was observed ...
  $ tare plan > again.txt; cmp plan.txt again.txt

An import that is stopped while it reads.

  $ tare import --as samples readings 2> said & exec 3> readings; kill -TERM $!; wait $!; echo $?; cat said
  143
  tare: interrupted: an import is all or nothing: nothing of these files was kept, what was in the store is as it was; start it again as it was
  $ tare report --by team -o csv | cut -d, -f1-3
  team,currency,gpu_seconds
  ,USD,345600
  a,USD,345600

A map that is not there: the nearest, and all there are.

  $ tare import --map phily jobs.csv
  ! tare: there is no map 'phily'
  !       Nothing was imported. Did you mean --map philly? Shipped are: acme, alibaba-dlrm, alibaba-gentd26-duty, alibaba-gentd26-memory, alibaba-openb-nodes, alibaba-openb-pods, alibaba-pai-100k, alibaba-pai-2020, alibaba-spot26-jobs, alibaba-spot26-nodes, azure-comma, azure-llm, focus-comma, focus-spec-examples, philly, prices-azure, prices-gcp, prices-neocloud; others are given by the path of a YAML file (docs/MAPS.md)
  [2]
  $ tare import --map nosuch jobs.csv
  ! tare: there is no map 'nosuch'
  !       Nothing was imported. Shipped are: acme, alibaba-dlrm, alibaba-gentd26-duty, alibaba-gentd26-memory, alibaba-openb-nodes, alibaba-openb-pods, alibaba-pai-100k, alibaba-pai-2020, alibaba-spot26-jobs, alibaba-spot26-nodes, azure-comma, azure-llm, focus-comma, focus-spec-examples, philly, prices-azure, prices-gcp, prices-neocloud; others are given by the path of a YAML file (docs/MAPS.md)
  [2]
