Texts from outside stay texts: no formula in a CSV, no escape sequence on a terminal, and our own export comes back as it was.

  $ head='BilledCost,BillingAccountId,BillingCurrency,BillingPeriodEnd,BillingPeriodStart,ChargeCategory,ChargePeriodEnd,ChargePeriodStart,ContractedCost,EffectiveCost,ListCost,ProviderName,ServiceCategory,ServiceName,ResourceId,RegionId,ChargeDescription,Tags'
  > row() { printf '%s,a,USD,2026-11-01T00:00:00Z,2026-10-01T00:00:00Z,Usage,2026-10-01T12:00:00Z,2026-10-01T00:00:00Z,%s,%s,%s,AWS,Storage,S3,=1+1,us-east-1,%s,"{""team"":""%s""}"\n' "$1" "$1" "$1" "$1" "$2" "$3"; }
  > { echo "$head"; row -3.00 "$(printf '@x \033[31mred \u202e')" '=HYPERLINK(1)'; row 1 x '+cmd'; row 2 y "'=quoted"; row 4 z -plain; } > "$(printf 'na\033[31mme.csv')"
  $ tare import na*.csv | head -1
  na?[31mme.csv: focus, 4 rows kept
  $ tare report -o csv | cut -d, -f1-4
  team,currency,gpu_seconds,cost
  '-plain,USD,0,4
  ''=quoted,USD,0,2
  '+cmd,USD,0,1
  '=HYPERLINK(1),USD,0,-3
  $ tare report -o csv --raw | cut -d, -f1-4
  team,currency,gpu_seconds,cost
  -plain,USD,0,4
  '=quoted,USD,0,2
  +cmd,USD,0,1
  =HYPERLINK(1),USD,0,-3
  $ tare report -q --focus out.csv && LC_ALL=C grep -c "$(printf '\033')" out.csv
  0
  [1]
  $ tare import -q --db again out.csv > /dev/null && tare report --db again -o csv --raw | cut -d, -f1-4
  team,currency,gpu_seconds,cost
  -plain,USD,0,4
  '=quoted,USD,0,2
  +cmd,USD,0,1
  =HYPERLINK(1),USD,0,-3
  $ tare report -q --focus raw.csv --raw && LC_ALL=C grep -c "$(printf '\033')" raw.csv
  1
  $ tare import /dev/zero
  ! tare: '/dev/zero' is neither text nor a Parquet file
  !       Nothing was imported. CSV, JSON lines and Parquet are read, plain or packed by gzip or zstd
  [2]
  $ tare import /dev/urandom
  ! tare: '/dev/urandom' is neither text nor a Parquet file
  !       Nothing was imported. CSV, JSON lines and Parquet are read, plain or packed by gzip or zstd
  [2]
  $ mkfifo pipe && { cat out.csv > pipe & } ; tare import -q --db fifo pipe > /dev/null && tare report --db fifo --by team -o csv | wc -l
  5
