Google's export has the fee of a committed use as a line of its own and credits on the use that it covers. n1 is covered; n2 is on demand. The fee is for 8 GPUs, as
many as are covered; for 16, of which half are; and of GPUs of which the file has no use.

  $ python3 - <<'X'
  > import json
  > def line(sku, hour, cost, quantity, vm=None, credit=0, unit='hour'):
  >   return json.dumps({'billing_account_id': 'A', 'service': {'description': 'Compute Engine'}, 'sku': {'id': sku[:4], 'description': sku},
  >     'usage_start_time': f'2026-10-26 {hour:02}:00:00 UTC', 'usage_end_time': f'2026-10-26 {hour + 1:02}:00:00 UTC', 'project': {'id': 'p'},
  >     'labels': [{'key': 'team', 'value': 'vision' if vm == 'n1' else 'nlp'}] if vm else [], 'location': {'region': 'europe-west4'},
  >     'system_labels': [{'key': 'compute.googleapis.com/machine_spec', 'value': 'a2-highgpu-8g'}] if vm else [],
  >     'resource': {'name': vm, 'global_name': vm and '//compute/instances/' + vm}, 'cost': cost, 'cost_at_list': cost, 'currency': 'EUR',
  >     'usage': {'amount_in_pricing_units': quantity, 'pricing_unit': unit}, 'invoice': {'month': '202610'}, 'cost_type': 'regular',
  >     'credits': [{'type': 'COMMITTED_USAGE_DISCOUNT', 'amount': -credit}] if credit else []})
  > for name, fee, gpus in ('all', 'A100', 8), ('half', 'A100', 16), ('untold', 'V100', 8):
  >   rows = []
  >   for hour in range(2):
  >     rows.append(line(f'Commitment v1: Nvidia Tesla {fee} GPU in EMEA for 1 Year', hour, 1.7 * gpus, gpus))
  >     for vm in 'n1', 'n2':
  >       rows.append(line('Nvidia Tesla A100 GPU running in EMEA', hour, 21.6, 8, vm, 21.6 if vm == 'n1' else 0))
  >       rows.append(line('A2 Instance Core running in EMEA', hour, 2.4, 96, vm))
  >   open(name + '.json', 'w').write('\n'.join(rows) + '\n')
  > X
  $ for f in all half untold; do tare import -q --db $f $f.json; echo $f; for cost in effective billed list; do tare report --db $f --cost $cost --by kind,team,purchase -o csv | cut -d, -f1-3,5,6; done 2> /dev/null; tare report --db $f --kpi | tail -1; tare report --db $f --kpi -o json | python3 -c 'import json, sys; k = json.load(sys.stdin)["commitments"]; print(k["utilisation_frac"], k["unused_cost"])'; done
  all
  kind,team,purchase,gpu_seconds,cost
  gpu,nlp,on_demand,57600,48
  gpu,vision,Committed use discount,57600,32
  kind,team,purchase,gpu_seconds,cost
  gpu,nlp,on_demand,57600,48
  other,,committed_1y,0,27.2
  gpu,vision,Committed use discount,57600,4.8
  kind,team,purchase,gpu_seconds,cost
  gpu,nlp,on_demand,57600,48
  gpu,vision,Committed use discount,57600,48
  commitments, used              100 %  of their cost, 0.00 EUR unused
  1 0
  half
  kind,team,purchase,gpu_seconds,cost
  gpu,nlp,on_demand,57600,48
  gpu,vision,Committed use discount,57600,32
  commitment_unused,,committed_1y,0,27.2
  kind,team,purchase,gpu_seconds,cost
  other,,committed_1y,0,54.4
  gpu,nlp,on_demand,57600,48
  gpu,vision,Committed use discount,57600,4.8
  kind,team,purchase,gpu_seconds,cost
  gpu,nlp,on_demand,57600,48
  gpu,vision,Committed use discount,57600,48
  commitments, used               50 %  of their cost, 27.20 EUR unused
  0.5 27.2
  untold
  kind,team,purchase,gpu_seconds,cost
  gpu,nlp,on_demand,57600,48
  other,,committed_1y,0,27.2
  gpu,vision,Committed use discount,57600,4.8
  kind,team,purchase,gpu_seconds,cost
  gpu,nlp,on_demand,57600,48
  other,,committed_1y,0,27.2
  gpu,vision,Committed use discount,57600,4.8
  kind,team,purchase,gpu_seconds,cost
  gpu,nlp,on_demand,57600,48
  gpu,vision,Committed use discount,57600,48
  commitments, used                  -  a fee's use is on no line
  None None

How a machine is paid its GPUs say: cores at list beside covered GPUs, before them by SKU or behind them, are on demand themselves and do not make the machine so.

  $ sed 's/"id": "Nvid"/"id": "1"/' all.json > first.json; for f in all first; do tare import -q --db p-$f $f.json; tare report --db p-$f --by team,purchase -o csv | cut -d, -f1,2,4,5; tare report --db p-$f --kpi | grep coverage; done
  team,purchase,gpu_seconds,cost
  nlp,on_demand,57600,48
  vision,Committed use discount,57600,32
  commitments, coverage           50 %  of paid GPU time
  team,purchase,gpu_seconds,cost
  nlp,on_demand,57600,48
  vision,Committed use discount,57600,32
  commitments, coverage           50 %  of paid GPU time

A machine may be covered in part, and cores and memory have commitments of their own.

  $ python3 - <<'X'
  > import json
  > rows = [json.loads(l) for l in open('half.json')]
  > for r in rows:
  >   if r['sku']['description'].startswith('Commitment'): r['sku']['description'] = 'Commitment v1: A2 Cpu in EMEA for 3 Years'; r['cost'] = 2; r['usage']['amount_in_pricing_units'] = 100
  >   elif 'Core' in r['sku']['description'] and r['resource']['name'] == 'n2': r['credits'] = [{'type': 'COMMITTED_USAGE_DISCOUNT', 'amount': -1.2}]
  > open('cores.json', 'w').write('\n'.join(map(json.dumps, rows)) + '\n')
  > X
  $ tare import -q --db cores cores.json; tare sql --db cores "SELECT charge_category, usage_type, commitment_status, sum(billed_cost) AS billed, sum(effective_cost) AS effective FROM bill_lines WHERE usage_type LIKE '%Cpu%' OR usage_type LIKE '%Core%' GROUP BY ALL ORDER BY ALL" -o csv
  charge_category,usage_type,commitment_status,billed,effective
  Adjustment,A2 Instance Core running in EMEA,Used,0,1.92
  Purchase,Commitment v1: A2 Cpu in EMEA for 3 Years,,4,0
  Usage,A2 Instance Core running in EMEA,,7.2,7.2
  Usage,Commitment v1: A2 Cpu in EMEA for 3 Years,Unused,0,2.08

What of two commitments nobody used is of the project that has it. Where projects share them, as the credits of q show, each pays first for
its own use.

  $ python3 - <<'X'
  > import json
  > rows = [json.loads(l) for l in open('all.json')]
  > fees = [json.loads(json.dumps(r)) for r in rows if r['sku']['description'].startswith('Commitment')]
  > for r in fees: r['project'], r['labels'], r['cost'] = {'id': 'q'}, [{'key': 'team', 'value': 'nlp'}], 20
  > def q(n2):
  >   for r in rows:
  >     if r['resource']['name'] == 'n2': r['project'] = {'id': 'q'}
  >     if r['resource']['name'] == 'n2' and 'GPU' in r['sku']['description']: r['credits'] = [{'type': 'COMMITTED_USAGE_DISCOUNT', 'amount': -21.6 * n2}] if n2 else []
  >   return rows + fees
  > def write(name, rows): open(name + '.json', 'w').write('\n'.join(map(json.dumps, rows)) + '\n')
  > write('own', q(0)); write('half-own', q(.5))
  > for r in rows:
  >   if r['sku']['description'].startswith('Commitment'): r['cost'] = 17; r['usage']['amount_in_pricing_units'] = 10
  > for r in fees: r['usage']['amount_in_pricing_units'] = 4
  > write('shared', q(.625))
  > X
  $ for f in own half-own shared; do tare import -q --db two-$f $f.json; echo $f; tare report --db two-$f --by account,kind,team -o csv | cut -d, -f1-3,6 | grep -v ^account; done
  own
  q,gpu,nlp,48
  q,commitment_unused,nlp,40
  p,gpu,vision,32
  half-own
  q,gpu,nlp,46.4
  p,gpu,vision,32
  q,commitment_unused,nlp,20
  shared
  q,gpu,nlp,64.4
  p,gpu,vision,32
  p,commitment_unused,,3.4
