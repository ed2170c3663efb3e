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
