The kind of a file is found whatever the case, spelling and order of its columns, and `--as` reads the same: bills of every provider, the native kinds,
price lists, Slurm's accounting. (tests/data/headers.t does it to real files.)

  $ $FILES/files/headers.py 1
  380 files of 11 kinds, 0 off

An EA export of Azure calls its cost Cost; FOCUS in small letters.

  $ printf 'SubscriptionId,ResourceGroup,Date,MeterCategory,MeterId,Quantity,UnitOfMeasure,Cost,BillingCurrency\ns,g,10/01/2026,Storage,m,1,1 GB,1.25,EUR\n' > ea.csv
  $ printf 'billedcost,effectivecost,chargeperiodstart,chargeperiodend,billingcurrency,providername\n2.5,2.5,2026-10-01,2026-10-02,USD,AWS\n' > focus.csv
  $ tare import --dry-run ea.csv focus.csv
  ea.csv: azure-cost, 1 row would be kept
      BilledCost       1.25 EUR
      EffectiveCost    1.25 EUR
      note: no day of the file is above 12 and no billing period tells: '10/01/2026' is read as month/day/year
  focus.csv: focus, 1 row would be kept
      BilledCost       2.5 USD
      EffectiveCost    2.5 USD
      note: columns of FOCUS 1.0

What anybody may have stays nobody's: a cost and a date alone.

  $ printf 'Date,Cost,Team\n10/01/2026,1,a\n' > own.csv; tare import --dry-run own.csv; tare import --dry-run --as azure-cost own.csv
  own.csv: azure-cost, 1 row would be kept
      BilledCost       1 USD
      EffectiveCost    1 USD
      note: no day of the file is above 12 and no billing period tells: '10/01/2026' is read as month/day/year
      note: rows without a currency are taken as USD; say another with --set BillingCurrency=CODE
  ! tare: 'own.csv' is of no kind that can be told from its columns
  !       Nothing was imported. Name the kind with --as (focus, aws-cur, azure-cost, gcp-billing, opencost, sacct, nvidia-smi, dcgm, skypilot, samples, allocations, nodes, requests, prices, rates, agent, curves, mlflow, wandb, tensorboard), or the columns with --map. The columns of each: man tare-import.
