Google bills a machine by its parts: cores, memory and GPUs, each in hours of its own. Two machines of 8 cores, 30 GB and one T4, for 15
days, are two machines that run day and night, not 78 (2 x (8 + 30 + 1)).

  $ python3 - <<EOF
  > import datetime as d, json
  > parts = [("D699-49DB-3C4F", "N1 Predefined Instance Core running in EMEA", 0.264, 28800, "seconds", 8, "hour"),
  >          ("9DF1-5C88-34C3", "N1 Predefined Instance Ram running in EMEA", 0.132, 30 * 2**30 * 3600, "byte-seconds", 30, "gibibyte hour"),
  >          ("6030-BEAA-31E2", "Nvidia Tesla T4 GPU running in EMEA", 0.35, 3600, "seconds", 1, "hour")]
  > with open("gcp.json", "w") as f:
  >     for h in range(15 * 24):
  >         a = d.datetime(2026, 3, 1) + d.timedelta(hours=h)
  >         for m in range(2):
  >             for sku, what, cost, amount, unit, pricing, pricing_unit in parts:
  >                 print(json.dumps({"billing_account_id": "01A2B3-C4D5E6-F7A8B9", "service": {"id": "6F81-5844-456A", "description": "Compute Engine"}, "sku": {"id": sku, "description": what},
  >                     "usage_start_time": f"{a} UTC", "usage_end_time": f"{a + d.timedelta(hours=1)} UTC", "project": {"id": "p", "number": "1", "name": "p", "labels": []}, "labels": [],
  >                     "system_labels": [{"key": "compute.googleapis.com/machine_spec", "value": "n1-standard-8"}], "location": {"location": "europe-west4", "region": "europe-west4", "zone": "europe-west4-a"},
  >                     "resource": {"name": f"vm-{m}", "global_name": f"//compute.googleapis.com/projects/p/zones/europe-west4-a/instances/{m + 1}"}, "cost": cost, "currency": "USD", "currency_conversion_rate": 1,
  >                     "usage": {"amount": amount, "unit": unit, "amount_in_pricing_units": pricing, "pricing_unit": pricing_unit}, "credits": [], "invoice": {"month": "202603"}, "cost_type": "regular"}), file=f)
  > EOF
  $ tare import -q gcp.json; tare plan -o json 2>/dev/null | python3 -c '
  > import json, sys
  > for a in json.load(sys.stdin)["advice"]:
  >     if "always-on" in a["id"]: print(a["title"])'
  2.0 machines of n1-standard-8 in europe-west4 run day and night on demand: a commitment wants 4 weeks of use, the bill has 2.1

GKE's cost allocation divides a machine's rows by label: each namespace has its part of the cost, and of the time by cost; in a list of
machines and beside a job that holds one of the two GPUs too, of the other.

  $ python3 - > gke.json <<EOF
  > import json
  > for h in 0, 1:
  >   for sku, amount in ("G2 Instance Core", 24), ("Nvidia L4 GPU", 2):
  >     for space, part, credit in ("search", .75, -.5), ("kube:unallocated", .25, 0):
  >       print(json.dumps({"billing_account_id": "A", "service": {"description": "Compute Engine"}, "sku": {"id": sku, "description": sku + " running in EMEA"},
  >         "usage_start_time": f"2026-10-26 0{h}:00:00 UTC", "usage_end_time": f"2026-10-26 0{h + 1}:00:00 UTC", "project": {"id": "p"}, "location": {"region": "europe-west4"},
  >         "labels": [{"key": "goog-k8s-cluster-name", "value": "eu"}, {"key": "k8s-namespace", "value": space}] + [{"key": "team", "value": space}] * (space == "search"),
  >         "system_labels": [{"key": "compute.googleapis.com/machine_spec", "value": "g2-standard-24"}], "resource": {"name": "l4-0", "global_name": "//compute/instances/l4-0"},
  >         "cost": amount * part, "cost_at_list": amount * part, "currency": "EUR", "usage": {"amount_in_pricing_units": amount * part, "pricing_unit": "hour"},
  >         "credits": [{"type": "DISCOUNT", "amount": credit}] if credit else [], "invoice": {"month": "202610"}, "cost_type": "regular"}))
  > EOF
  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster\nl4-0,gcp,europe-west4,L4,2,on_demand,2026-10-26,2026-10-26T02:00:00Z,eu\n' > l4.csv
  $ printf 'job_id,team,gpus,gpu_ids,node,start,end\n1,nlp,1,0,l4-0,2026-10-26T00:00:00Z,2026-10-26T01:00:00Z\n' > job.csv
  $ for f in gke.json l4.csv job.csv; do tare import -q --db gke $f; for c in effective list; do tare report --db gke --by team,tag:k8s-namespace --cost $c -o csv; done | cut -d, -f1-5 | grep -v ^team; echo; done
  search,search,EUR,10656,37
  ,kube:unallocated,EUR,3744,13
  search,search,EUR,10656,39
  ,kube:unallocated,EUR,3744,13
  
  search,search,EUR,10656,37
  ,kube:unallocated,EUR,3744,13
  search,search,EUR,10656,39
  ,kube:unallocated,EUR,3744,13
  
  search,search,EUR,7992,27.75
  nlp,,EUR,3600,12.5
  ,kube:unallocated,EUR,2808,9.75
  search,search,EUR,7992,29.25
  nlp,,EUR,3600,13
  ,kube:unallocated,EUR,2808,9.75
  
  $ tare report --db gke --by tag:goog-k8s-cluster-name,kind -o csv | cut -d, -f1-5
  tag:goog-k8s-cluster-name,kind,currency,gpu_seconds,cost
  eu,gpu,EUR,10800,37.5
  ,gpu,EUR,3600,12.5
