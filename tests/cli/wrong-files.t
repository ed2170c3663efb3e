Files that a newcomer has: cut off, saved by a spreadsheet, told twice. Each was a wrong sum without a word or an error without a next step.

  $ cat > azure.py <<'X'
  > import sys
  > print("SubscriptionId,Date,MeterCategory,MeterName,UnitOfMeasure,Quantity,EffectivePrice,CostInBillingCurrency,ConsumedService,ResourceId,AdditionalInfo,ChargeType,PricingModel,BillingCurrencyCode,BillingPeriodStartDate,Tags")
  > for day in range(1, int(sys.argv[1]) + 1):
  >     print(f's1,10/{day:02}/2026,Virtual Machines,ND96asr A100 v4,1 Hour,24,27.20,652.80,Microsoft.Compute,/subscriptions/s1/x/virtualMachines/nd-1,"{{""ServiceType"":""Standard_ND96asr_v4""}}",Usage,OnDemand,EUR,10/01/2026,"""team"": ""nlp"""')
  > X
  $ python3 azure.py 31 > oct.csv

A bill that ends in the middle of a row was a smaller bill where short rows are filled.

  $ head -c -25 oct.csv > cut.csv; tare import -q cut.csv
  ! tare: 'cut.csv': 1 row cannot be read: line 32, row: the row has 15 cells where the header has 16; the file ends in the middle of it
  !       Nothing was imported. Fetch the file again: what follows that line is missing.
  [2]

The month so far, then the whole month: all of the first stood in the second, and counted twice with a note.

  $ python3 azure.py 12 > sofar.csv; tare import -q sofar.csv; tare import -q oct.csv
  $ tare import -q --replace oct.csv; tare report --by month -o csv | cut -d, -f1,2,4
  month,currency,cost
  2026-10,EUR,20236.8

Quantity and cost in each other's place: 744 EUR for 162 thousand GPU-hours.

  $ awk -F, -v OFS=, '{t = $6; $6 = $8; $8 = t; print}' oct.csv | sed '1s/.*/'"$(head -1 oct.csv)"/ > swap.csv; tare import --dry-run swap.csv | grep -A1 note
      note: in 31 of 31 rows price times quantity is not the cost, not by half: look whether the columns of quantity and cost changed places before you trust a sum
      note: 2 earlier files are of the same bill and month (azure 2026-10), with rows of the same days (azure 2026-10: 31 rows, 20236.8 EUR): if this is a newer export of it, those count twice; then import it with --replace (--partial: of these days alone)
      note: whether its charges are word for word those of a file before shows only when it is imported: with half of either or more it is refused (--replace takes it instead)

A spreadsheet's "sep=;", decimal commas and days; a title above the header; line ends of an old Macintosh; packed twice; a JSON array; one table behind another.

  $ (echo 'sep=,'; cat oct.csv) > sep.csv; tare import -q --db sep sep.csv && tare report --db sep --by month -o csv | cut -d, -f1,2,4
  month,currency,cost
  2026-10,EUR,20236.8
  $ python3 - <<'X'
  > import csv
  > rows = list(csv.reader(open("oct.csv")))
  > with open("excel.csv", "w", newline="", encoding="utf-8-sig") as f:
  >     w = csv.writer(f, delimiter=";", lineterminator="\r\n"); w.writerow(rows[0])
  >     for r in rows[1:]:
  >         m, d, y = r[1].split("/"); w.writerow([r[0], f"{d}.{m}.{y}", *r[2:6], r[6].replace(".", ","), r[7].replace(".", ","), *r[8:14], f"01.{m}.{y}", r[15]])
  > X
  $ tare import -q --db excel excel.csv; tare import -q --db excel --map azure-comma excel.csv; tare report --db excel --by month -o csv | cut -d, -f1,2,4
  month,currency,cost
  2026-10,EUR,20236.8
  ! tare: 'excel.csv': more than 20 rows cannot be read: line 2, CostInBillingCurrency: '652,80' is not a decimal; line 3, CostInBillingCurrency: '652,80' is not a decimal; line 4, CostInBillingCurrency: '652,80' is not a decimal; ...
  !       Nothing was imported. The numbers have decimal commas, as a spreadsheet saves them. Take the file as the provider wrote it; or a FOCUS bill with --map focus-comma, an Azure bill with --map azure-comma, other tables with a map that says number: comma (docs/MAPS.md).
  $ printf 'job_id,user,gpus,start,end\n1,ann,2,2026-10-01T00:00:00Z,2026-10-01T10:00:00Z\n' > jobs.csv
  $ (echo 'Jobs of October'; echo; cat jobs.csv) > title.csv; tr '\n' '\r' < jobs.csv > mac.csv; gzip -c jobs.csv | gzip -c > twice.csv.gz; cat jobs.csv jobs.csv > behind.csv
  $ printf '[{"job_id":"1","gpus":2,"start":"2026-10-01T00:00:00Z"}]' > array.json; sed 's/2026-10-01T/1.10.2026 /g' jobs.csv > days.csv; sed 's/,2,/,"1,000.00",/' jobs.csv > groups.csv
  $ for f in title.csv mac.csv twice.csv.gz behind.csv array.json days.csv groups.csv; do tare import -q --db never $f; done
  ! tare: 'title.csv' is of no kind that can be told from its first bytes
  !       Nothing was imported. The header seems to be line 3: take the lines above it out, tail -n +3 'title.csv' | tare import -
  ! tare: 'mac.csv': its lines end with CR alone, as of an old Macintosh
  !       Nothing was imported. Convert it first: tr '\r' '\n' < FILE
  ! tare: 'twice.csv.gz' is neither text nor a Parquet file
  !       Nothing was imported. It is packed twice: unpack it once, with gzip -dc FILE > once.gz
  ! tare: 'behind.csv': 1 row cannot be read: line 3, gpus: 'gpus' is not a decimal such as 12.24
  !       Nothing was imported. It is the header again, of a table that was put behind another: take that line out.
  ! tare: 'array.json' is of no kind that can be told from its first bytes
  !       Nothing was imported. It is one JSON array; JSON lines are read: jq -c '.[]' 'array.json' | tare import -
  ! tare: 'days.csv': 1 row cannot be read: line 2, start: '1.10.2026 00:00:00Z' is not a time; write 2026-11-21T10:00:00Z
  !       Nothing was imported. The days are written as a spreadsheet shows them. Save them as 2026-10-31 00:00, or say how they are meant in a map: time: dmy or time: mdy, with keep: true for the rest (docs/MAPS.md).
  ! tare: 'groups.csv': 1 row cannot be read: line 2, gpus: '1,000.00' is not a decimal such as 12.24
  !       Nothing was imported. The numbers have separators of thousands or a currency sign. Take the file as the provider wrote it; or a map that says number: grouped, with keep: true for the rest (docs/MAPS.md).
  [2]

A log of requests again under another name of the service, and two exports that overlap, counted twice without a word. Another replica is told apart.

  $ (echo time,service,latency_ms,tokens_in; for m in $(seq 10 49); do echo "2026-10-01T00:$m:00Z,chat,$m.5,1$m"; done) > log.csv
  $ head -31 log.csv > one.csv; (head -1 log.csv; tail -n 25 log.csv) > two.csv
  $ tare import -q --db log log.csv; tare import -q --db log --set service=talk log.csv; tare import -q --db log one.csv; tare import -q --db log --set tenant=b one.csv; tare report --db log --serving -o csv | cut -d, -f1-3
  service,tenant,currency
  chat,,USD
  ! tare: 'log.csv': 40 of its 40 requests are, minute by minute, those of 'log.csv', which was imported before
  !       Nothing was imported. They would count twice: leave one of the two out, or let a file of the same name take its place with --replace. Requests of another replica are told apart by a tenant: --set tenant=NAME
  ! tare: 'one.csv': 30 of its 30 requests are, minute by minute, those of 'log.csv', which was imported before
  !       Nothing was imported. They would count twice: leave one of the two out, or let a file of the same name take its place with --replace. Requests of another replica are told apart by a tenant: --set tenant=NAME
  $ tare import -q --db parts one.csv two.csv
  ! tare: 'two.csv': 15 of its 25 requests are, minute by minute, those of 'one.csv', which this call has too
  !       Nothing was imported. They would count twice: leave one of the two out. Requests of another replica are told apart by a tenant: --set tenant=NAME
  [2]

A bill of GPU machines alone is a bill, and a list of prices may say when it was seen.

  $ tare import --db gpu oct.csv | grep -A2 '^You see'
  You see   cost by service, kind, region and tag:
            tare report --by cloud_service --db gpu
  Add       a job list (sacct, OpenCost, any CSV): cost by team and job
  $ printf 'provider,region,instance_type,purchase,usd_hour,as_of\naws,us-east-1,p4d.24xlarge,spot,9.5,2026-10-10\n' > seen.csv; tare import --db gpu seen.csv | grep note; cut -d, -f1-5 seen.csv > undated.csv; tare import --db gpu undated.csv
      note: prices count from their as_of on: there is no column from
  ! tare: 'undated.csv' has no column from, which prices need
  !       Nothing was imported. Give a constant with --set from=2026-01-31, or the column's name with --map (docs/MAPS.md).
  [2]

Days that mean the day first, all of them up to the 12th: the month told by each row's billing period was spread over twelve. Without a period nothing tells, and it is said how they were read.

  $ python3 azure.py 12 | sed 's,10/\(..\)/2026\,Virt,\1/10/2026\,Virt,' > dmy.csv; sed -n 3p dmy.csv | cut -d, -f2,15; tare import -q --db dmy dmy.csv
  02/10/2026,10/01/2026
  ! tare: 'dmy.csv': 11 rows are outside of the billing period as month/day/year and inside as day/month/year, the first in line 2: '01/10/2026'
  !       Nothing was imported. The days are written as a spreadsheet shows them. Save them as 2026-10-31 00:00, or say how they are meant in a map: time: dmy or time: mdy, with keep: true for the rest (docs/MAPS.md).
  [2]
  $ printf 'version: 1\nkind: azure-cost\nkeep: true\ncolumns:\n  Date: {from: Date, time: dmy}\n' > dmy.yaml; tare import -q --db dmy --map dmy.yaml dmy.csv; tare report --db dmy --by month -o csv | cut -d, -f1,2,4
  month,currency,cost
  2026-10,EUR,7833.6
  $ cut -d, -f1-14,16- dmy.csv > noperiod.csv; tare import --dry-run noperiod.csv | grep month/day; cut -d, -f1-14,16- oct.csv > noperiod.csv; tare import --dry-run noperiod.csv | grep -c month/day
      note: no day of the file is above 12 and no billing period tells: '01/10/2026' is read as month/day/year
  0
  [1]

Sums of consoles are no bills: what to take instead. One column in common with a kind is a chance.

  $ printf 'Billing account name,Project ID,Service description,SKU description,Cost type,Usage start date,Usage end date,Usage amount,Cost ($)\nA,p,Compute Engine,Nvidia L4 GPU,Usage,2026-10-01,2026-10-31,744,520.80\n' > console.csv
  $ printf '"Service","EC2-Instances($)","Total costs($)"\n"2026-10-01","100.1","105.3"\n' > explorer.csv; printf 'service,colour\na,red\n' > chance.csv
  $ for f in console.csv explorer.csv chance.csv; do tare import -q --db never $f; done
  ! tare: 'console.csv' is of no kind that can be told from its columns
  !       Nothing was imported. It is the cost table of Google's console, which has neither days nor machines: export the bill to BigQuery (detailed usage cost) and bring that table, as CSV or JSON lines.
  ! tare: 'explorer.csv' is of no kind that can be told from its columns
  !       Nothing was imported. It is a table of AWS Cost Explorer, sums of days and services: let Data Exports write a CUR 2.0 or FOCUS report, and bring that.
  ! tare: 'chance.csv' is of no kind that can be told from its columns
  !       Nothing was imported. Name the kind with --as (focus, aws-cur, azure-cost, gcp-billing, opencost, sacct, nvidia-smi, dcgm, skypilot, samples, allocations, nodes, requests, prices, rates, agent, curves, mlflow, wandb, tensorboard), or the columns with --map. The columns of each: man tare-import.
  [2]
  $ printf 'generated_at,region,vm_size,usd_hour\n2026-06-18T03:43:41Z,eastus,Standard_NC24ads_A100_v4,3.673\n' > vm.csv; tare import -q --db never vm.csv; tare import --db vm --map prices-azure vm.csv | head -1
  vm.csv: prices, 1 row kept
  ! tare: 'vm.csv' is of no kind that can be told from its columns
  !       Nothing was imported. Its columns are those of the map 'prices-azure': tare import --map prices-azure 'vm.csv'
