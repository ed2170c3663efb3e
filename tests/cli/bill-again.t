A bill that came before is told by what its rows say, not by how they are spelled: tags as a MAP of Parquet has them, times, decimals, nothing as NULL.

  $ printf 'BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory,ResourceId,Region,Tags\n' > head
  $ (cat head; for i in 1 2 3 4 5 6 7 8 9 10 11; do echo "$i.50,$i.50,USD,7,Usage,2026-11-01T00:00:00Z,2026-11-01T01:00:00Z,2026-11-01T00:00:00Z,AWS,Storage,vol-$i,,\"{\"\"team\"\": \"\"vision\"\", \"\"app\"\": \"\"caf\\u00e9\"\", \"\"x\"\": null}\""; done) > cell.csv
  $ (cat head; for i in 1 2 3 4 5 6 7 8 9 10 11; do echo "$i.5,$i.5,USD,7,Usage,2026-11-01 00:00:00+00:00,2026-11-01T02:00:00+01:00,2026-11-01,AWS,Storage,vol-$i,NULL,\"{\"\"app\"\":\"\"café\"\",\"\"team\"\":\"\"vision\"\"}\""; done) > map.csv
  $ tare import -q cell.csv; tare import -q map.csv; tare sql -o csv 'SELECT tags_json, count(*) AS n FROM bill_lines GROUP BY ALL'
  tags_json,n
  "{""app"":""café"",""team"":""vision""}",11
  ! tare: 'map.csv': 11 of its 11 charges are, word for word, those of 'cell.csv', which was imported before
  !       Nothing was imported. It is the same bill again, and would count twice: leave it out, or let it take the place of the one before with --replace.
