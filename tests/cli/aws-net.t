An AWS account with a discount of 8 % (Enterprise Discount Program): the export has net columns, after the discount, and lines of the discount whose own net cost is 0.
A p4d.24xlarge under a savings plan (20 of the plan's 22 an hour are used), a g5.12xlarge under a reservation of three of which one is not used, and a g4dn.xlarge on demand.

  $ python3 - <<'X'
  > import csv
  > ri, sp = 'arn:aws:ec2:us-east-1:2:reserved-instances/r-1', 'arn:aws:savingsplans::1:savingsplan/s-1'
  > L, R, S = 'line_item_', 'reservation_', 'savings_plan_'
  > rows = []
  > def row(kind, cost, net, usage, resource, **more):
  >   rows.append({L + 'line_item_type': kind, L + 'unblended_cost': cost, L + 'net_unblended_cost': net, L + 'usage_type': usage, L + 'resource_id': resource,
  >     L + 'usage_start_date': '2026-10-05T00:00:00Z', L + 'usage_end_date': '2026-10-05T01:00:00Z', L + 'currency_code': 'USD',
  >     'bill_billing_period_start_date': '2026-10-01T00:00:00Z', 'bill_billing_period_end_date': '2026-11-01T00:00:00Z', L + 'usage_account_id': '1',
  >     L + 'product_code': 'AmazonEC2', 'pricing_unit': 'Hrs', L + 'usage_amount': '1', **more})
  > box = lambda t: {'usage': 'BoxUsage:' + t, 'product_instance_type': t}
  > row('SavingsPlanCoveredUsage', 32.77, 32.77, resource='i-1', **box('p4d.24xlarge'), **{S + 'savings_plan_a_r_n': sp, S + 'savings_plan_effective_cost': 20, S + 'net_savings_plan_effective_cost': 18.4})
  > row('SavingsPlanNegation', -32.77, -32.77, resource='', **box('p4d.24xlarge'), **{S + 'savings_plan_a_r_n': sp})
  > row('SavingsPlanRecurringFee', 22, 20.24, 'ComputeSP:1yrNoUpfront', sp, **{S + 'savings_plan_a_r_n': sp, S + 'total_commitment_to_date': 22, S + 'used_commitment': 20, S + 'recurring_commitment_for_billing_period': 22, S + 'net_recurring_commitment_for_billing_period': 20.24})
  > row('EdpDiscount', -1.76, 0, 'ComputeSP:1yrNoUpfront', sp)
  > for i in '23': row('DiscountedUsage', 0, 0, resource='i-' + i, **box('g5.12xlarge'), **{R + 'reservation_a_r_n': ri, R + 'effective_cost': 3.5, R + 'net_effective_cost': 3.22})
  > row('RIFee', 10.5, 9.66, 'HeavyUsage:g5.12xlarge', ri, product_instance_type='g5.12xlarge', **{R + 'reservation_a_r_n': ri, R + 'unused_recurring_fee': 3.5, R + 'net_unused_recurring_fee': 3.22})
  > row('EdpDiscount', -0.84, 0, 'HeavyUsage:g5.12xlarge', ri)
  > row('Usage', 1, 0.92, resource='i-4', **box('g4dn.xlarge'))
  > row('EdpDiscount', -0.08, 0, resource='i-4', **box('g4dn.xlarge'))
  > def write(name, left_out):
  >   names = [n for n in dict.fromkeys(n for r in rows for n in r) if not left_out(n)]
  >   w = csv.DictWriter(open(name, 'w'), names, extrasaction='ignore'); w.writeheader(); w.writerows(rows)
  > write('net.csv', lambda n: False)
  > write('gross.csv', lambda n: 'net_' in n)
  > write('half.csv', lambda n: n == R + 'net_effective_cost')
  > X
  $ for f in net gross half; do tare import -q --db $f $f.csv; echo $f; for cost in effective billed; do tare report --db $f --cost $cost --by kind,instance_type,purchase -o csv | cut -d, -f1-3,5,6 | sed 1d | sort; echo; done; tare report --db $f --kpi -o json | python3 -c 'import json, sys; k = json.load(sys.stdin)["commitments"]; print(k["utilisation_frac"], k["unused_cost"])'; done
  net
  commitment_unused,,savings_plan,0,1.84
  commitment_unused,g5.12xlarge,Reserved Instance,0,3.22
  gpu,g4dn.xlarge,on_demand,3600,0.92
  gpu,g5.12xlarge,Reserved Instance,28800,6.44
  gpu,p4d.24xlarge,savings_plan,28800,18.4
  
  gpu,g4dn.xlarge,on_demand,3600,0.92
  gpu,g5.12xlarge,Reserved Instance,28800,0
  gpu,p4d.24xlarge,savings_plan,28800,0
  other,,savings_plan,0,20.24
  other,g5.12xlarge,Reserved Instance,0,9.66
  
  0.830769 5.06
  gross
  commitment_unused,,savings_plan,0,2
  commitment_unused,g5.12xlarge,Reserved Instance,0,3.5
  gpu,g4dn.xlarge,on_demand,3600,0.92
  gpu,g5.12xlarge,Reserved Instance,28800,7
  gpu,p4d.24xlarge,savings_plan,28800,20
  other,,savings_plan,0,-1.76
  other,g5.12xlarge,Reserved Instance,0,-0.84
  
  gpu,g4dn.xlarge,on_demand,3600,0.92
  gpu,g5.12xlarge,Reserved Instance,28800,0
  gpu,p4d.24xlarge,savings_plan,28800,0
  other,,savings_plan,0,20.24
  other,g5.12xlarge,Reserved Instance,0,9.66
  
  0.830769 5.5
  half
  commitment_unused,,savings_plan,0,2
  commitment_unused,g5.12xlarge,Reserved Instance,0,3.5
  gpu,g4dn.xlarge,on_demand,3600,0.92
  gpu,g5.12xlarge,Reserved Instance,28800,7
  gpu,p4d.24xlarge,savings_plan,28800,20
  other,,savings_plan,0,-1.76
  other,g5.12xlarge,Reserved Instance,0,-0.84
  
  gpu,g4dn.xlarge,on_demand,3600,0.92
  gpu,g5.12xlarge,Reserved Instance,28800,0
  gpu,p4d.24xlarge,savings_plan,28800,0
  other,,savings_plan,0,20.24
  other,g5.12xlarge,Reserved Instance,0,9.66
  
  0.830769 5.5

What a commitment's fee has taken off is no GPU time either: it names the commitment, not a machine.

  $ tare reconcile --db gross -o json | python3 -c 'import json, sys; r = json.load(sys.stdin); print(sorted({x["resource"] for x in r["resource_days"]}), [x["name"] for x in r["bill_only"]])'
  ['i-1', 'i-2', 'i-3', 'i-4'] ['i-1', 'i-2', 'i-3', 'i-4']

As billed, what a plan covers is at list price, and who reads that is told so.

  $ tare report --db net --cost billed --by instance_type
  1 h to 2026-10-05 01:00 UTC · billed cost, USD · 17.0 GPU·h paid · 0 % measured
  
  instance_type  GPU·h   cost  busy  underused  idle  lost  unknown
  -                  -  20.24     -          -     -     -        -
  g5.12xlarge      8.0   9.66     -          -     -     -    100 %
  g4dn.xlarge      1.0   0.92     -          -     -     -    100 %
  p4d.24xlarge     8.0   0.00     -          -     -     -    100 %
  ─────────────────────────────────────────────────────────────────
                  17.0  30.82     -          -     -     -    100 %
  
  Bill 30.82 · ledger 30.82 · difference 0.00 · unpriced 0 GPU·h
  Commitments are billed by their fees, which are nobody's; what they cover stands
  here as its own line says, 0 or at list price (that a line of nobody's takes
  back). What use cost: --cost effective.

Split cost allocation: rows of pods divide the line of their machine, whatever the order, and add nothing to it. In the first hour two pods have 9 of 10 $ of a machine
with four GPUs and a discount of 10 %, in the second, which a savings plan pays, one has all of it; what is left is the machine's. A machine without GPUs is divided
alike; a pod whose machine is not there is said. Namespaces are what rules call so.

  $ cat > split.py <<'X'
  > import json
  > cols = "line_item_line_item_type line_item_usage_start_date line_item_usage_end_date bill_billing_period_start_date bill_payer_account_id line_item_currency_code line_item_unblended_cost line_item_resource_id line_item_usage_type line_item_usage_amount line_item_product_code savings_plan_savings_plan_a_r_n savings_plan_savings_plan_effective_cost split_line_item_parent_resource_id split_line_item_split_cost split_line_item_unused_cost resource_tags".split()
  > def row(t, h, cost, res, usage, sp="", parent="", split="", unused="", **tags):
  >     v = [t, f"2026-10-01T{h:02}:00:00Z", f"2026-10-01T{h + 1:02}:00:00Z", "2026-10-01T00:00:00Z", 1, "USD", cost, res, usage, 1, "AmazonEKS" if parent else "AmazonEC2", "arn:sp" if sp else "", sp, parent, split, unused, '"' + json.dumps(tags).replace('"', '""') + '"']
  >     print(*v, sep=",")
  > print(*cols, sep=",")
  > def pod(h, ns, parent, split, unused):
  >     row("Usage", h, 0, f"arn:aws:eks:pod/{ns}", "EKS-EC2-GPU-Hours", parent=parent, split=split, unused=unused, aws_eks_namespace=ns)
  > pod(0, "search", "i-1", 4, 2)
  > row("Usage", 0, 10, "i-1", "BoxUsage:g6e.12xlarge", user_env="prod")
  > row("EdpDiscount", 0, -1, "i-1", "BoxUsage:g6e.12xlarge", user_env="prod")
  > row("SavingsPlanCoveredUsage", 1, 10, "i-1", "BoxUsage:g6e.12xlarge", 6, user_env="prod")
  > pod(0, "vision-prod", "i-1", 2, 1)
  > pod(1, "search", "i-1", 3.333333333333, 2.666666666667)
  > row("Usage", 0, 0.2, "i-2", "BoxUsage:m5.xlarge", user_env="prod")
  > pod(0, "search", "i-2", 0.05, 0.05)
  > pod(0, "search", "i-9", 7, 1)
  > X
  $ python3 split.py > split.csv
  $ printf '%s\n' 'version: 1' 'virtual_tags:' '  - {when: {namespace: "vision*"}, set: {team: vision}}' '  - {when: {namespace: search}, set: {team: search}}' > ns.yaml
  $ tare import --db split --config ns.yaml split.csv | sed 5q; for c in effective billed; do tare report --db split --config ns.yaml --cost $c --by kind,team,hour -o csv --sort name | cut -d, -f1-6; done; tare doctor --db split --config ns.yaml > d.txt; echo $?
  split.csv: aws-cur, 9 rows kept, 8.00 GPU·h
      BilledCost       19.2 USD
      EffectiveCost    15.2 USD
      note: rows of split cost allocation, which divide the cost of their machines between pods and tasks: 4
      note: rows of split cost allocation whose machine has no line of their period in this file, not used: 1; what they divide stays the machine's: put the files of the export together in one
  kind,team,hour,currency,gpu_seconds,cost
  gpu,,2026-10-01T00:00:00Z,USD,1440,0.9
  gpu,,2026-10-01T01:00:00Z,USD,0,0
  gpu,search,2026-10-01T00:00:00Z,USD,8640,5.4
  gpu,search,2026-10-01T01:00:00Z,USD,14400,6
  gpu,vision,2026-10-01T00:00:00Z,USD,4320,2.7
  gpu,vision,2026-10-01T01:00:00Z,USD,0,0
  other,,2026-10-01T00:00:00Z,USD,0,0.1
  other,,2026-10-01T01:00:00Z,USD,0,0
  other,search,2026-10-01T00:00:00Z,USD,0,0.1
  other,search,2026-10-01T01:00:00Z,USD,0,0
  kind,team,hour,currency,gpu_seconds,cost
  gpu,,2026-10-01T00:00:00Z,USD,1440,0.9
  gpu,,2026-10-01T01:00:00Z,USD,0,0
  gpu,search,2026-10-01T00:00:00Z,USD,8640,5.4
  gpu,search,2026-10-01T01:00:00Z,USD,14400,10
  gpu,vision,2026-10-01T00:00:00Z,USD,4320,2.7
  gpu,vision,2026-10-01T01:00:00Z,USD,0,0
  other,,2026-10-01T00:00:00Z,USD,0,0.1
  other,,2026-10-01T01:00:00Z,USD,0,0
  other,search,2026-10-01T00:00:00Z,USD,0,0.1
  other,search,2026-10-01T01:00:00Z,USD,0,0
  0
  $ tare sql --db split "SELECT resource_id, sum(billed_cost) AS billed, sum(effective_cost) AS effective, sum(quantity) AS hours FROM bill_lines GROUP BY ALL ORDER BY 1" -o csv
  resource_id,billed,effective,hours
  i-1,19,15,2
  i-2,0.2,0.2,1

Rows are counted as the file has them, not by the lines that they were made of: all but the one that is not used.

  $ tare import --db split --undo last --dry-run
  split.csv: aws-cur of batch 1, would be taken out (8 rows, billed 19.2 USD)
