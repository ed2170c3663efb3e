Lines of a bill without a cost in the basis asked for are in no sum, and every report says how many
they are: hours under a reservation, of which the export says what was invoiced alone.

  $ { echo 'BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ProviderName,ServiceCategory,ServiceName'
  > echo '60,0,EUR,2024-09-01T00:00:00Z,2024-10-01T00:00:00Z,Purchase,,Microsoft,Compute,Reservations'
  > echo '0,,EUR,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Usage,vm-1,Microsoft,Compute,Virtual Machines'
  > echo '0,,EUR,2024-09-02T00:00:00Z,2024-09-03T00:00:00Z,Usage,vm-1,Microsoft,Compute,Virtual Machines'
  > echo '5,5,EUR,2024-09-01T00:00:00Z,2024-09-02T00:00:00Z,Usage,disk-1,Microsoft,Storage,Storage'; } > bill.csv
  > tare import -q --db db bill.csv
  $ tare report --db db | tail -3
  Bill 5.00 · ledger 5.00 · difference 0.00 · unpriced 0 GPU·h
  2 lines of the EUR bill have no effective cost and are in no sum here. What was
  invoiced is 65.00 EUR: --cost billed.
  $ tare report --db db --cost billed | tail -1
  Bill 65.00 · ledger 65.00 · difference 0.00 · unpriced 0 GPU·h
  $ tare report --db db --hidden | tail -2
  2 lines of the EUR bill have no effective cost and are in no sum here. What was
  invoiced is 65.00 EUR: --cost billed.
  $ tare report --db db --pivot day | tail -2
  2 lines of the EUR bill have no effective cost and are in no sum here. What was
  invoiced is 65.00 EUR: --cost billed.
  $ tare report --db db -o csv | cut -d, -f1-4
  team,currency,gpu_seconds,cost
  ,EUR,0,5
  ! tare: 2 lines of the EUR bill have no effective cost and are in no sum here. What was invoiced is 65.00 EUR: --cost billed.
  $ tare report --db db -o json | $FILES/../data/get reconcile.billed reconcile.lines_without_cost
  5
  2

A bill of which no line says a cost: not an empty ledger that wants a bill, and no sum that is 0.

  $ sed -n '1p;3,4p' bill.csv > none.csv; tare import -q --db none none.csv
  $ tare report --db none
  all of the ledger · effective cost, EUR · no GPU time
  
  Nothing in the ledger here.
  
  Bill - · ledger - · difference - · unpriced 0 GPU·h
  2 lines of the EUR bill have no effective cost and are in no sum here.
  ! tare: the ledger in 'none' is empty: no line of its bills (2) says a cost other than 0.
  !       An export of amortised cost may: tare import FILE...
  $ tare report --db none -q -o json | $FILES/../data/get reconcile.billed reconcile.ledger reconcile.lines_without_cost
  None
  None
  2

Nobody said a price: an invoice of it has no amount, and a workbook no sum of empty cells.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster\nn1,onprem,here,Testcard,1,on_demand,2024-09-01T00:00:00Z,2024-09-01T05:00:00Z,main\n' > nodes.csv
  > printf 'job_id,team,gpus,node,cluster,start,end\n1,vision,1,n1,main,2024-09-01T00:00:00Z,2024-09-01T05:00:00Z\n' > jobs.csv
  > tare import -q --db unpriced nodes.csv jobs.csv
  $ tare report --db unpriced --chargeback --html - | sed -n 's/.*class="due">\([^<]*\).*/\1/p; s/<[^>]*>/ /g; /total/p'
     team  cost centre  GPU·h  direct  idle share  shared  total   
    total            -  
  - USD
    total  5.000  -  
  $ tare report --db unpriced -o xlsx > u.xlsx; python3 $FILES/files/xlsx.py u.xlsx | tail -2
    total row: True (10 sums)
  sheet about: 4 rows  
  $ tare report --db unpriced --chargeback -o xlsx > u.xlsx; python3 $FILES/files/xlsx.py u.xlsx | tail -2
    total row: True (1 sums)
  sheet about: 2 rows  

Nor has what lacks a tag; one owner of it on several machines is named once.

  $ tare report --db unpriced --tags -o json | python3 -c "import json, sys; print(*((t['tag'], t['cost_without'], [(o['team'], o['node'], o['cost']) for o in t['largest_without']]) for t in json.load(sys.stdin)['tags']), sep='\n')"
  ('team', '0', [])
  ('project', None, [('vision', None, None)])
  ('env', None, [('vision', None, None)])
  ('workload', None, [('vision', None, None)])
  $ tare report --db unpriced --tags | tail -3
  project   USD       -             -          5.000  vision              -
  env       USD       -             -          5.000  vision              -
  workload  USD       -             -          5.000  vision              -
