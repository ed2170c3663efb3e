Azure cost exports with every header the field has seen: byte order mark, camel case, German, pay-as-you-go, enterprise.

  needs: $TARE_SHARED/data/bills_opencost
  $ for f in $TARE_SHARED/data/bills_opencost/azure_*.csv; do tare import --dry-run --max-rejects 1 -o json $f | $FILES/get 'files[0].file.split("__")[-1] + " " + files[0].kind + " " + str(files[0].rows_read) + " " + str(files[0].rows_kept)'; done
  BOM.csv azure-cost 1 1
  Enterprise.csv azure-cost 1 1
  EnterpriseCamel.csv azure-cost 1 1
  German.csv azure-cost 1 1
  PayAsYouGo.csv azure-cost 1 1
  YA.csv azure-cost 1 1
  MissingBrackets.csv azure-cost 1 1
  Template.csv azure-cost 87 87
  VirtualMachine.csv azure-cost 1 1
