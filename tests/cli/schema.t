The JSON Schema of what commands print, from the tables that print it.

  $ tare schema | grep reconcile
  tare.reconcile/1          tare reconcile            where bills, nodes and the catalogue disagree
  $ tare schema reconcile | head -13
  {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "tare.reconcile/1",
    "description": "where bills, nodes and the catalogue disagree",
    "type": "object",
    "required": [
      "schema",
      "bills",
      "bill_only",
      "node_only",
      "unnamed",
      "resource_days"
    ],
  $ tare schema tare.reconcile/1 | cmp - <(tare schema reconcile) && tare schema price update | head -3 | tail -1
    "title": "tare.price-update/1",
  $ tare schema kpi | sed -n 3p; tare schema plan-own | cmp - <(tare schema plan own)
    "title": "tare.kpi/1",
  $ tare schema nothing such
  ! tare: no schema is known for 'nothing such': `tare schema` lists them
  !       See: tare schema --help
  [2]
