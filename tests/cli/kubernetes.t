A cluster seen from three sides: OpenCost's allocation JSON, dcgm-exporter's metrics, and the bill of the machine under another name.

  $ cat > alloc.json <<'X'
  > {"code":200,"data":[{"c1/ns/pod-a":{"name":"c1/ns/pod-a","properties":{"cluster":"c1","node":"ip-10-0-3-17.ec2.internal","namespace":"research","pod":"pod-a","controller":"train-a","controllerKind":"job","providerID":"i-0feed","labels":{"team":"vision","app":"x"}},"window":{"start":"2024-09-01T00:00:00Z","end":"2024-09-01T02:00:00Z"},"start":"2024-09-01T00:00:00Z","end":"2024-09-01T02:00:00Z","minutes":120,"gpuCount":1,"gpuHours":2,"gpuCost":1.9},"__idle__":{"name":"__idle__","properties":{"cluster":"c1"},"window":{"start":"2024-09-01T00:00:00Z","end":"2024-09-01T02:00:00Z"},"start":"2024-09-01T00:00:00Z","end":"2024-09-01T02:00:00Z","minutes":120,"gpuHours":2,"gpuCost":1.9}}]}
  > X
  $ cat > bill.csv <<'X'
  > BilledCost,EffectiveCost,ListCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,ChargeCategory,ResourceId,ProviderName,RegionId,ServiceCategory,ServiceName,ChargeDescription,ConsumedQuantity,ConsumedUnit,PricingCategory,SkuPriceDetails,Tags
  > 2.424,2.424,2.424,USD,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,2024-09-01T00:00:00Z,2024-10-01T00:00:00Z,Usage,arn:aws:ec2:us-east-1:1:instance/i-0feed,AWS,us-east-1,Compute,Amazon Elastic Compute Cloud,"$1.212 per On Demand Linux g5.2xlarge Instance Hour",2,Hours,Standard,"{""InstanceType"":""g5.2xlarge""}",
  > X
  $ printf 'node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,resource_id\nip-10-0-3-17.ec2.internal,aws,us-east-1,g5.2xlarge,A10G,1,on_demand,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,c1,aws:///us-east-1a/i-0feed\n' > nodes.csv
  $ python3 - > m.prom <<'X'
  > l = 'gpu="0",UUID="GPU-1",Hostname="ip-10-0-3-17.ec2.internal",pod="pod-a",namespace="research",container="main"'
  > for name, values in (("DCGM_FI_DEV_GPU_UTIL", (85, 85, 0, 9223372036854775794)), ("DCGM_FI_DEV_FB_USED", (8000, 8000, 8000, 8000))):
  >     for i, v in enumerate(values):
  >         print(f"{name}{{{l}}} {v} {1725148800000 + i * 1800000}")
  > X
  $ tare import -q bill.csv nodes.csv alloc.json
  $ tare import -q --as dcgm --set step_s=1800 m.prom; tare report --by team,node,job,state,purchase -o csv | cut -d, -f1-7
  team,node,job,state,purchase,currency,gpu_seconds
  vision,ip-10-0-3-17.ec2.internal,research/pod-a,busy,on_demand,USD,3600
  vision,ip-10-0-3-17.ec2.internal,research/pod-a,idle_held,on_demand,USD,1800
  vision,ip-10-0-3-17.ec2.internal,research/pod-a,unknown,on_demand,USD,1800

  $ tare reconcile | head -3
  Bills, USD: 2.42 billed, 2.42 effective, 1 lines
  
  Billed (effective) beside the catalogue, 1 resource-days, 1 with a known price:

Machines of a node pool, by the labels on the bill: a stop would not hold, so the one that nobody held is drained and leaves the pool; a timetable would change its size.

  $ python3 - <<'X'
  > import datetime as d
  > day = [d.date(2026, 10, 1) + d.timedelta(i) for i in range(29)]
  > with open("pool-nodes.csv", "w") as f:
  >     print("node,provider,region,zone,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,price_per_hour", file=f)
  >     for n in 0, 1:
  >         print(f"gke-eu-l4-{n},gcp,europe-west4,europe-west4-a,g2-standard-24,L4,2,on_demand,{day[0]}T00:00:00Z,{day[28]}T00:00:00Z,eu,2", file=f)
  > with open("pool-jobs.csv", "w") as f:
  >     print("job_id,team,node,cluster,gpus,submit,start,end,state", file=f)
  >     for i in range(28):
  >         print(f"j{i},ml,gke-eu-l4-0,eu,2,{day[i]}T00:00:00Z,{day[i]}T00:00:00Z,{day[i + 1]}T00:00:00Z,COMPLETED", file=f)
  > with open("pool-bill.csv", "w") as f:
  >     print("BilledCost,EffectiveCost,ListCost,ContractedCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,ProviderName,ServiceName,ServiceCategory,ResourceId,ResourceName,RegionId,ChargeDescription,Tags", file=f)
  >     tags = '"{""goog-k8s-node-pool-name"":""l4"",""goog-k8s-cluster-name"":""eu""}"'
  >     for n in 0, 1:
  >         print(f"48,48,48,48,USD,1,Usage,{day[0]}T00:00:00Z,{day[1]}T00:00:00Z,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,Google Cloud,Compute Engine,Compute,gke-eu-l4-{n},gke-eu-l4-{n},europe-west4,G2 core,{tags}", file=f)
  > X
  $ tare import -q --db pool pool-nodes.csv pool-bill.csv; tare import -q --db pool --covers eu --since 2026-10-01 --until 2026-10-29 pool-jobs.csv; tare plan -q --db pool --lever stop_idle > plan.txt
  $ tare plan apply --db pool 1; tare plan --db pool --lever stop_idle -o json | $FILES/../data/get '[(a.do, a.get("node_pool")) for a in recommendations[0].actions]'
  # stop eu: 1 machine that no job has held for 28 days
  # This version of tare does not carry it out: these lines do, where you put them.
  # do
  # tell whoever answers for eu, 3 days before: gke-eu-l4-1 will be stopped, what lies on its own disks is saved by then, and what is still needed stays on
  kubectl cordon gke-eu-l4-1
  # a drain evicts what still runs, jobs too: wait until this shows none of theirs: kubectl get pods -A --field-selector spec.nodeName=gke-eu-l4-1
  kubectl drain gke-eu-l4-1 --ignore-daemonsets --delete-emptydir-data
  # gke-eu-l4-1 is of node pool l4 of cluster eu: stopped alone it would be started again. It leaves the pool, which is one smaller then (its minimum must allow that)
  # GROUP: gcloud container node-pools describe l4 --cluster eu --region europe-west4 --format='value(instanceGroupUrls)' (--zone of a zonal cluster)
  gcloud compute instance-groups managed delete-instances GROUP --zone europe-west4-a --instances gke-eu-l4-1
  # undo
  # N: machines of node pool l4 now, and one more
  gcloud container clusters resize eu --node-pool l4 --region europe-west4 --num-nodes N --quiet
  # the machine that comes in place of gke-eu-l4-1 has another name and takes pods at once
  [('tell', None), ('cordon', 'l4'), ('drain', 'l4'), ('stop', 'l4')]
  $ tare explain --db pool 1 | sed -n '/What could go wrong/,/^$/p'
  What could go wrong
    A machine of a node pool is deleted, not stopped: what lies on its own disks
    goes with it.
  

A service that nobody asks, in a namespace that OpenCost tells: kubectl is told of it. Its twin of that name in another is a deployment of its own.

  $ python3 - <<'X'
  > import datetime as d, json
  > day = [d.date(2026, 10, 1) + d.timedelta(i) for i in range(29)]
  > with open("ns-nodes.csv", "w") as f:
  >     print("node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,price_per_hour", file=f)
  >     for n in range(3):
  >         print(f"eu-{n},gcp,europe-west4,g2-standard-8,L4,1,on_demand,{day[0]}T00:00:00Z,{day[28]}T00:00:00Z,eu,1", file=f)
  > steps = []
  > for i in range(28):
  >     w = {"start": f"{day[i]}T00:00:00Z", "end": f"{day[i + 1]}T00:00:00Z"}
  >     steps.append({f"{ns}-{n}": {"name": f"{ns}-{n}", "properties": {"cluster": "eu", "node": f"eu-{n}", "namespace": ns, "pod": f"api-{n}", "controller": "api", "controllerKind": "deployment", "labels": {"team": "chat", "workload": "inference"}}, "window": w, **w, "minutes": 1440, "gpuCount": 1, "gpuHours": 24, "gpuCost": 24} for n, ns in enumerate(("chat", "chat", "chat-test"))})
  > json.dump({"code": 200, "data": steps}, open("ns-alloc.json", "w"))
  > with open("ns-samples.csv", "w") as f:
  >     print("time,node,gpu,job_id,gpu_util_pct,mem_used_bytes,mem_total_bytes,step_s", file=f)
  >     for i in range(28):
  >         for n, ns in enumerate(("chat", "chat", "chat-test")):
  >             print(f"{day[i]}T00:00:00Z,eu-{n},0,{ns}/api-{n},0,8000000000,24000000000,86400", file=f)
  > X
  $ tare import -q --db ns ns-nodes.csv ns-alloc.json ns-samples.csv; tare plan -q --db ns --lever stop_idle > plan.txt; tare plan apply --db ns 1
  # stop api: warm and without a request
  # This version of tare does not carry it out: these lines do, where you put them.
  # do
  kubectl -n chat scale deployment api --replicas=0
  kubectl -n chat-test scale deployment api --replicas=0
  # GKE: gcloud container node-pools update POOL --cluster eu --enable-autoscaling --min-nodes 0 --max-nodes 3
  # GKE itself says when a machine is not needed, sooner with gcloud container clusters update eu --autoscaling-profile optimize-utilization
  # undo
  # Kubernetes: set the minimum size of the group to 3 again
  kubectl -n chat-test scale deployment api --replicas=1
  kubectl -n chat scale deployment api --replicas=2
  $ tare plan --db ns --lever stop_idle -o json | $FILES/../data/get '[(a.service, a.namespace, a.was) for a in recommendations[0].actions if a.do == "replicas"]'
  [('api', 'chat', 2), ('api', 'chat-test', 1)]
  $ tare plan --db ns --lever stop_idle -o json | $FILES/../data/get '[(a.to, a.machines) for a in recommendations[0].actions if a.do == "release"]'
  [('kubernetes', 3)]

The kind of its controller, as OpenCost tells it: a StatefulSet is scaled as one, a DaemonSet cannot be and finds no machine, of a Job no pod runs.

  $ for kind in statefulset daemonset job; do
  >   sed "s/\"controllerKind\": \"deployment\"/\"controllerKind\": \"$kind\"/g" ns-alloc.json > kind-alloc.json
  >   tare import -q --db $kind ns-nodes.csv kind-alloc.json ns-samples.csv
  >   tare plan -q --db $kind --lever stop_idle > plan.txt; tare plan apply --db $kind 1 | grep kubectl
  >   tare plan --db $kind --lever stop_idle -o json | $FILES/../data/get '[a.controller for a in recommendations[0].actions if a.do == "replicas"]'
  > done
  kubectl -n chat scale statefulset api --replicas=0
  kubectl -n chat-test scale statefulset api --replicas=0
  kubectl -n chat-test scale statefulset api --replicas=1
  kubectl -n chat scale statefulset api --replicas=2
  ['statefulset', 'statefulset']
  kubectl -n chat patch daemonset api --type=merge -p '{"spec":{"template":{"spec":{"nodeSelector":{"tare-none":"true"}}}}}'
  kubectl -n chat-test patch daemonset api --type=merge -p '{"spec":{"template":{"spec":{"nodeSelector":{"tare-none":"true"}}}}}'
  kubectl -n chat-test patch daemonset api --type=merge -p '{"spec":{"template":{"spec":{"nodeSelector":{"tare-on":null,"tare-none":null}}}}}'
  kubectl -n chat patch daemonset api --type=merge -p '{"spec":{"template":{"spec":{"nodeSelector":{"tare-on":null,"tare-none":null}}}}}'
  ['daemonset', 'daemonset']
  kubectl -n chat patch job api --type=merge -p '{"spec":{"parallelism":0}}'
  kubectl -n chat-test patch job api --type=merge -p '{"spec":{"parallelism":0}}'
  kubectl -n chat-test patch job api --type=merge -p '{"spec":{"parallelism":1}}'
  kubectl -n chat patch job api --type=merge -p '{"spec":{"parallelism":2}}'
  ['job', 'job']

Where the input tells no namespace, the line says so and does not hit another one by chance.

  $ printf 'job_id,team,workload,name,node,cluster,gpus,start,end\na,chat,inference,api,eu-0,eu,1,2026-10-01T00:00:00Z,2026-10-29T00:00:00Z\nb,chat,inference,api,eu-1,eu,1,2026-10-01T00:00:00Z,2026-10-29T00:00:00Z\n' > ns-jobs.csv
  $ sed 's;chat/api-0;a;; s;chat/api-1;b;; /chat-test/d' ns-samples.csv > ns-samples-2.csv
  $ tare import -q --db ns2 ns-nodes.csv ns-jobs.csv ns-samples-2.csv; tare plan -q --db ns2 --lever stop_idle > plan.txt; tare plan apply --db ns2 $(grep -o '^ *[0-9]*  *stop api' plan.txt | grep -o '[0-9]*') | grep -i namespace
  # NAMESPACE: none is told, or several: kubectl get deployments -A --field-selector metadata.name=api
  kubectl -n NAMESPACE scale deployment api --replicas=0
  # NAMESPACE: none is told, or several: kubectl get deployments -A --field-selector metadata.name=api
  kubectl -n NAMESPACE scale deployment api --replicas=2

A timetable of machines of Kubernetes, by what OpenCost alone tells: of AKS the machine's name has the node pool, and its size changes. Where no cloud is told the machines are drained. No line is Slurm's.

  $ cat > aks.py <<'X'
  > import datetime as d, json, sys
  > name, provider_id = sys.argv[1:]
  > day = [d.date(2026, 10, 5) + d.timedelta(i) for i in range(29)]
  > steps, samples = [], ["time,node,gpu,job_id,gpu_util_pct,cpu_util_pct,mem_used_bytes,mem_total_bytes,step_s"]
  > for i in range(28):
  >     w = {"start": f"{day[i]}T00:00:00Z", "end": f"{day[i + 1]}T00:00:00Z"}
  >     steps.append({"nb": {"name": "nb", "properties": {"cluster": "lab", "node": name, "namespace": "hub", "pod": "jupyter-ann", "providerID": provider_id, "labels": {"team": "vision"}}, "window": w, **w, "minutes": 1440, "gpuCount": 1, "gpuHours": 24, "gpuCost": 48}})
  >     for h in range(24):
  >         used = day[i].weekday() < 5 and 9 <= h < 15
  >         samples.append(f"{day[i]}T{h:02}:00:00Z,{name},0,hub/jupyter-ann,{60 if used else 0},{30 if used else 0},9000000000,24000000000,3600")
  > json.dump({"code": 200, "data": steps}, open("alloc.json", "w"))
  > open("samples.csv", "w").write("\n".join(samples) + "\n")
  > X
  $ set_id=/subscriptions/1/resourceGroups/mc_lab/providers/Microsoft.Compute/virtualMachineScaleSets; echo "$set_id" > set_id
  $ set_id=$(cat set_id); python3 aks.py aks-gpu-12345678-vmss000003 azure://$set_id/aks-gpu-12345678-vmss/virtualMachines/3
  $ tare import -q --db aks alloc.json samples.csv; tare plan -q --db aks --lever schedule > plan.txt; tare plan apply --db aks 1
  # vision: on 40 of 168 hours a week in lab, by timetable
  # This version of tare does not carry it out: these lines do, where you put them.
  # do
  # node pool gpu, 1 machine of 1: stopped alone they would be started again, so its size changes, and pods are drained by that
  cat > /etc/cron.d/tare-schedule-vision-lab <<'END'
  CRON_TZ=UTC
  0 8 * * 1,2,3,4,5 root az aks nodepool scale --resource-group $(az aks list --query "[?name=='lab'].resourceGroup" -o tsv) --cluster-name lab --name gpu --node-count 1
  0 16 * * 1,2,3,4,5 root az aks nodepool scale --resource-group $(az aks list --query "[?name=='lab'].resourceGroup" -o tsv) --cluster-name lab --name gpu --node-count 0
  END
  # where the pool autoscales by itself, its minimum must not be above these sizes
  # undo
  rm /etc/cron.d/tare-schedule-vision-lab
  az aks nodepool scale --resource-group $(az aks list --query "[?name=='lab'].resourceGroup" -o tsv) --cluster-name lab --name gpu --node-count 1
  $ tare plan --db aks --lever schedule -o json | $FILES/../data/get '[(a.to, a.pools) for a in recommendations[0].actions if a.do == "timetable"]'
  [('kubernetes', [{'pool': 'gpu', 'cluster': 'lab', 'all': 1, 'these': 1}])]

A label of the bill that names the pool and no cluster leaves the cluster that is known.

  $ printf 'BilledCost,EffectiveCost,BillingCurrency,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,ProviderName,ServiceCategory,ConsumedQuantity,ConsumedUnit,ResourceId,RegionId,SkuPriceDetails,Tags\n' > aks-bill.csv
  > printf '1344,1344,USD,Usage,2026-10-05T00:00:00Z,2026-11-02T00:00:00Z,Microsoft,Compute,672,Hours,'$(cat set_id)/aks-gpu-12345678-vmss/virtualMachines/3',eastus,"{""InstanceType"":""Standard_NC24ads_A100_v4""}","{""aks-managed-poolName"":""gpu""}"\n' >> aks-bill.csv
  $ tare import -q --db aks aks-bill.csv; tare plan -q --db aks --lever schedule > plan.txt; tare plan apply --db aks 1 | grep -o 'nodepool scale .*count 1' | uniq -c
        2 nodepool scale --resource-group $(az aks list --query "[?name=='lab'].resourceGroup" -o tsv) --cluster-name lab --name gpu --node-count 1
  $ rm alloc.json samples.csv; python3 aks.py gpu-1 ''
  $ tare import -q --db hub alloc.json samples.csv; tare plan -q --db hub --lever schedule > plan.txt; tare plan apply --db hub 1
  # vision: on 40 of 168 hours a week in lab, by timetable
  # This version of tare does not carry it out: these lines do, where you put them.
  # do
  # the cloud of this cluster is not known: its machines are drained, and its autoscaler gives empty ones back (Cluster Autoscaler, Karpenter), without one their pool is to be made smaller at these hours. Pods without a controller, as JupyterHub's, end by --force
  cat > /etc/cron.d/tare-schedule-vision-lab <<'END'
  CRON_TZ=UTC
  0 8 * * 1,2,3,4,5 root for n in gpu-1; do kubectl uncordon $n; done
  0 16 * * 1,2,3,4,5 root for n in gpu-1; do kubectl drain $n --ignore-daemonsets --delete-emptydir-data --force; done
  END
  # undo
  rm /etc/cron.d/tare-schedule-vision-lab
  for n in gpu-1; do kubectl uncordon $n; done

Machines of Azure that are in no cluster: by their ids, and by their names where the list of machines has none.

  $ for id in "$(cat set_id)/workers/virtualMachines/7" /subscriptions/1/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/gpu-1 ''; do printf "node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour,resource_id\ngpu-1,azure,westeurope,Standard_NC24ads_A100_v4,A100-80GB,1,on_demand,2026-10-05,2026-11-02,lab,4,$id\n" > nodes.csv
  > printf 'job_id,team,name,node,cluster,gpus,start,end\n7,vision,train,gpu-1,lab,1,2026-10-05T00:00:00Z,2026-10-06T00:00:00Z\n' > jobs.csv
  > rm -rf vm; tare import -q --db vm nodes.csv; tare import -q --db vm --covers lab --since 2026-10-05 --until 2026-11-02 jobs.csv; tare plan -q --db vm --lever stop_idle > plan.txt; tare plan apply --db vm 1 | grep '^az'; done
  az vmss deallocate --ids /subscriptions/1/resourceGroups/mc_lab/providers/Microsoft.Compute/virtualMachineScaleSets/workers --instance-ids 7
  az vmss start --ids /subscriptions/1/resourceGroups/mc_lab/providers/Microsoft.Compute/virtualMachineScaleSets/workers --instance-ids 7
  az vm deallocate --ids /subscriptions/1/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/gpu-1
  az vm start --ids /subscriptions/1/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/gpu-1
  az vm deallocate --ids $(az vm list --query "[?name=='gpu-1'].id" -o tsv)
  az vm start --ids $(az vm list --query "[?name=='gpu-1'].id" -o tsv)

The nodes of a scale set are the bill that names it and not its machines, whichever came first; hours beyond those of its nodes stay with the set. So are several nodes that the configuration maps to one id. Use of days to come is said.
  $ cat > set.csv <<'END'
  > Date,ResourceId,MeterCategory,MeterName,MeterSubCategory,Quantity,UnitOfMeasure,CostInBillingCurrency,BillingCurrencyCode,ChargeType,PricingModel,ResourceLocation,AdditionalInfo,SubscriptionId
  > 2026-11-01,/subscriptions/S/resourceGroups/MC_rg_c1_eastus/providers/Microsoft.Compute/virtualMachineScaleSets/aks-gpu-1-vmss,Virtual Machines,NC24ads A100 v4,NCads,48,1 Hour,176.30,USD,Usage,OnDemand,eastus,"{""ServiceType"":""Standard_NC24ads_A100_v4""}",S
  > END
  $ printf '%s\n' job_id,node,user,team,gpus,start,end j1,aks-gpu-1-vmss000000,ada,a,1,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z j2,aks-gpu-1-vmss000001,bob,b,1,2026-11-01T00:00:00Z,2026-11-02T00:00:00Z >pods.csv
  $ tare import -q --db set pods.csv && tare import -q --db set set.csv && tare report --db set --by node
  1 day to 2026-11-01 · effective cost, USD · 48.0 GPU·h paid · 0 % measured
  
  node                  GPU·h    cost  busy  underused  idle  lost  unknown
  aks-gpu-1-vmss000000   24.0   88.15     -          -     -     -    100 %
  aks-gpu-1-vmss000001   24.0   88.15     -          -     -     -    100 %
  ─────────────────────────────────────────────────────────────────────────
                         48.0  176.30     -          -     -     -    100 %
  
  Bill 176.30 · ledger 176.30 · difference 0.00 · unpriced 0 GPU·h
  $ tare reconcile --db set | sed -n 3p; tare doctor --db set | grep 'ledger  *closes' | cut -d, -f1
  Billed (effective) beside the catalogue, 1 resource-days, 1 with a known price:
  ok   ledger                 closes
  The store is whole and its ledger closes.
  $ tare import -q --db back set.csv && tare import -q --db back pods.csv && diff <(tare report --db set --by hour,node,team -o csv) <(tare report --db back --by hour,node,team -o csv)
  $ sed s/,48,1/,72,1/ set.csv >more.csv; tare import -q --db more more.csv pods.csv && tare report --db more --by node -o csv | cut -d, -f1,3,4; tare reconcile --db more | sed -n 3,5p
  node,gpu_seconds,cost
  aks-gpu-1-vmss,86400,58.766666667
  aks-gpu-1-vmss000000,86400,58.766666667
  aks-gpu-1-vmss000001,86400,58.766666667
  In a bill, no node known (map each to its node under nodes: in the configuration): 1
    /subscriptions/S…ts/aks-gpu-1-vmss Standard…s_A100_v4          58.77   2026-11-01 to 2026-11-01
    sum (effective)                                                58.77
  $ tare import -q --db more --undo pods.csv && tare report --db more --by node -o csv | cut -d, -f1,3,4
  node,gpu_seconds,cost
  aks-gpu-1-vmss,259200,176.3
  $ sed 's/aks-gpu-1-vmss00000/w/' pods.csv >map.csv; printf '%s\n' 'version: 1' 'nodes:' '  w0: aks-gpu-1-vmss' '  w1: aks-gpu-1-vmss' >map.yaml
  $ tare import -q --db map map.csv && tare import -q --config map.yaml --db map set.csv && tare report --config map.yaml --db map --by node -o csv | cut -d, -f1,3,4
  node,gpu_seconds,cost
  w0,86400,88.15
  w1,86400,88.15
  $ TARE_NOW=2026-10-15T00:00:00Z tare import --db ahead set.csv | grep note
      note: row 1 and perhaps more are of use on 2026-11-01, which lies in the future: is a clock wrong, or is it a forecast? GPU time of such days is counted once they have come, other lines are at once

How many machines a set has is asked of each charge period: 72 h of a day are 3 machines for 24 h, whatever another day has. With its GPUs told apart they are the first ones, and the hours of all ways to pay add up.
  $ q() { sed -n 2p set.csv | sed "s/2026-11-01/2026-10-0$1/; s/,48,1 Hour,176.30,/,$2,1 Hour,$3,/; s/OnDemand/$4/"; }; (sed -n 1p set.csv; q 1 72 288 OnDemand; q 2 120 480 OnDemand; q 3 72 288 OnDemand; q 3 24 24 Spot) >days.csv; (sed -n 1p set.csv; q 4 24 96 Spot; q 4 24 96 OnDemand) >ways.csv
  $ tare import -q --db days days.csv && tare report --db days --by hour -o csv | tail -n +2 | cut -d, -f1,3,4 | sed 's/T..:00:00Z//' | uniq -c
       24 2026-10-01,10800,12
       24 2026-10-02,18000,20
       18 2026-10-03,14400,16
        6 2026-10-03,14400,4
  $ tare import -q --db ways ways.csv && tare report --db ways --by purchase -o csv | cut -d, -f1,3,4
  purchase,gpu_seconds,cost
  on_demand,86400,96
  spot,86400,96
  $ printf '%s\n' 'version: 1' 'nodes:' '  set: aks-gpu-1-vmss' >set.yaml
  $ printf '%s\n' job_id,node,user,team,gpus,gpu_ids,start,end j1,set,ada,a,1,0,2026-10-01T00:00:00Z,2026-10-03T00:00:00Z j2,set,bob,b,1,4,2026-10-02T00:00:00Z,2026-10-03T00:00:00Z >on.csv
  $ tare import -q --config set.yaml --db on days.csv on.csv && tare report --config set.yaml --db on --by team,day -o csv | cut -d, -f1,2,4,5; tare doctor --db on | grep 'ledger  *closes' | cut -d, -f1
  team,day,gpu_seconds,cost
  ,2026-10-01,172800,192
  ,2026-10-02,259200,288
  ,2026-10-03,345600,312
  a,2026-10-01,86400,96
  a,2026-10-02,86400,96
  a,2026-10-03,0,0
  b,2026-10-01,0,0
  b,2026-10-02,86400,96
  b,2026-10-03,0,0
  ok   ledger                 closes
  The store is whole and its ledger closes.
