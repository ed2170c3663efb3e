Two nodes of two cards for six hours, one with a price (4.00 an hour), one without; three jobs; telemetry of one card with a gap of ten minutes.

  $ tare import $FILES/files/nodes.csv $FILES/files/jobs.csv $FILES/files/samples.csv

  $ tare report --by team

  $ tare report --by node,state -o csv

The card that has telemetry: 110 minutes busy, 10 unknown, 60 idle with memory held, 60 underused; then 2 hours nobody holds it.

  $ tare report --by gpu,state,cause --where node=gpu-1 -o csv

Each 24.00 of gpu-1 is somebody's or nobody's; 12 GPU-hours have no price and are counted, not guessed.

  $ tare report -o json

The same files again change nothing.

  $ tare import $FILES/files/jobs.csv

  $ tare report --by team -o csv

Who pays for what nobody used: each way adds up to the same.

  $ for how in none proportional owner; do tare report --split-idle $how -o csv; done

  $ tare report --by team --showback

A window: [03:00, 04:00) alone.

  $ tare report --by state --since 2024-10-01T03:00:00Z --until 2024-10-01T04:00:00Z -o csv

Late knowledge: telemetry of the second card of gpu-1 arrives by pipe, and the ledger is rewritten there and nowhere else.

  $ { head -1 $FILES/files/samples.csv; for m in 00 15 30 45; do echo "2024-10-01T01:$m:00Z,gpu-1,1,55,1000000000,900"; done; } | tare import --as samples -

  $ tare report --by gpu,state --where node=gpu-1 -o csv

