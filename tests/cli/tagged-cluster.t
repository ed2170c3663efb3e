The cluster of machines that only a bill knows is that of its tags, a label of GKE here and a tag of EKS: in reports, and for --covers. Two
machines each of prod, poc and of the cluster eks run on demand for 30 days; pods hold those of prod, and nobody the others.

  $ python3 - <<EOF
  > import csv, datetime as d, json
  > day = lambda i: f"{d.date(2026, 5, 1) + d.timedelta(i)}T00:00:00Z"
  > with open("bill.csv", "w") as f:
  >     w = csv.writer(f)
  >     w.writerow("BilledCost EffectiveCost BillingCurrency BillingPeriodStart BillingPeriodEnd ChargePeriodStart ChargePeriodEnd ChargeCategory ResourceId ProviderName RegionId ServiceName ServiceCategory ConsumedUnit ConsumedQuantity PricingCategory x_InstanceType Tags".split())
  >     for i in range(30):
  >         for cluster, type, key in ("prod", "g2-standard-24", "goog-k8s-cluster-name"), ("poc", "g2-standard-48", "goog-k8s-cluster-name"), ("eks", "g5.xlarge", "aws:eks:cluster-name"):
  >             for m in 0, 1:
  >                 where = ("AWS", "us-east-1", f"i-{m}") if cluster == "eks" else ("Google Cloud", "us-central1", f"//compute.googleapis.com/projects/p/zones/us-central1-a/instances/{cluster}-{m}")
  >                 tags = json.dumps({key: cluster}) if i > 2 else "" # labelled from the fourth day on
  >                 w.writerow([cost := 96 if cluster == "poc" else 48, cost, "USD", day(0), day(31), day(i), day(i + 1), "Usage", where[2], where[0], where[1], "Virtual Machines", "Compute", "Hours", 24, "Standard", type, tags])
  > with open("pods.csv", "w") as f:
  >     f.write("job_id,name,user,team,gpus,node,cluster,start,end\n")
  >     for m in 0, 1:
  >         for i in range(30):
  >             f.write(f"{m}-{i},train,ada,vision,2,prod-{m},prod,{day(i)},{day(i + 1)}\n")
  > EOF
  $ tare import -q --db bill bill.csv; tare report --db bill --by cluster,state -o csv | cut -d, -f1-4
  cluster,state,currency,gpu_seconds
  poc,unknown,USD,20736000
  prod,unknown,USD,10368000
  eks,unknown,USD,5184000
  $ tare import -q --db list bill.csv; tare import -q --db list --covers prod pods.csv; tare report --db list --by cluster,state -o csv | cut -d, -f1-4
  cluster,state,currency,gpu_seconds
  poc,unknown,USD,20736000
  prod,unknown,USD,10368000
  eks,unknown,USD,5184000
  $ tare import -q --db all --covers prod --covers poc --covers eks --covers new pods.csv; tare import --db all bill.csv | grep note; tare report --db all --by cluster,state -o csv | cut -d, -f1-4
      note: columns of FOCUS 1.0
  cluster,state,currency,gpu_seconds
  poc,unallocated,USD,20736000
  prod,unknown,USD,10368000
  eks,unallocated,USD,5184000
  $ tare import -q --db too bill.csv; tare import --db too --covers prod --covers poc --covers eks --covers new pods.csv | grep note
      note: --covers new: no machine and no job here is of a cluster of this name, so it covers nothing; give them one (column cluster, --set cluster=new)
  $ tare report --db too --by cluster,state,node,hour -o csv > too.csv; tare report --db all --by cluster,state,node,hour -o csv | diff - too.csv

What nobody is known to use is not committed to while somebody can still be asked; what is known to be free is stopped. Of a bill alone
its own time is all that is known.

  $ for db in bill list all; do echo $db; tare plan --db $db -o json 2>/dev/null | python3 -c '
  > import json, sys
  > d = json.load(sys.stdin)
  > print(*[x["title"] for x in d["recommendations"]], *[x for x in d["notes"] if "nobody is known" in x], sep="\n")'; done
  bill
  L4: commit to 4 GPUs of g2-standard-48 for 1y
  L4: commit to 2 GPUs of g2-standard-24 for 1y
  A10G: commit to 1 GPU of g5.xlarge for 1y
  list
  L4: commit to 2 GPUs of g2-standard-24 for 1y
  commit: machines that nobody is known to use are not committed to, find out who does first (tare import --covers): g5.xlarge in us-east-1, g2-standard-48 in us-central1
  all
  stop poc: 2 machines that no job has held for 30 days
  stop eks: 2 machines that no job has held for 30 days
  L4: commit to 2 GPUs of g2-standard-24 for 1y

A list says otherwise of the cluster, and the bill comes off again.

  $ printf 'node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,cluster,resource_id\npoc-0,gcp,us-central1,g2-standard-48,L4,4,on_demand,2026-05-01,lab,\n' > nodes.csv
  $ tare import -q --db all nodes.csv; tare report --db all --by cluster,state -o csv | cut -d, -f1-4; tare import --db all --undo nodes.csv > undone; tare report --db all --by cluster,state,node,hour -o csv | diff - too.csv
  cluster,state,currency,gpu_seconds
  lab,unknown,USD,10368000
  poc,unallocated,USD,10368000
  prod,unknown,USD,10368000
  eks,unallocated,USD,5184000

An alert is of the job that holds all GPUs of the machine, which the bill tells.

  $ python3 - > read.csv <<EOF
  > print("time,node,gpu,gpu_util_pct,mem_used_bytes,step_s")
  > for d in 28, 29, 30:
  >     for h in range(24):
  >         for g in 0, 1:
  >             print(f"2026-05-{d}T{h:02}:00:00Z,prod-0,{g},0,40000000000,3600")
  > EOF
  $ tare import -q --db list read.csv; tare alerts --db list --match rule=gpu_underused -o csv | cut -d, -f1-9
  rule,severity,GPU,job,team,since,seconds,worst,state
  gpu_underused,warning,prod-0/0,0-28,vision,2026-05-29T23:00:00Z,7200,0,over
  gpu_underused,warning,prod-0/1,0-28,vision,2026-05-29T23:00:00Z,7200,0,over
  gpu_underused,warning,prod-0/0,0-29,vision,2026-05-30T01:00:00Z,82800,0,fires
  gpu_underused,warning,prod-0/1,0-29,vision,2026-05-30T01:00:00Z,82800,0,fires
