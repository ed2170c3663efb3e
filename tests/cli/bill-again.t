A bill that came before is told by what its rows say, not by how they are spelled: tags as a MAP of Parquet has them, times, decimals, nothing as NULL.

  $ printf 'BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory,ResourceId,Region,Tags\n' > head
  $ (cat head; for i in 1 2 3 4 5 6 7 8 9 10 11; do echo "$i.50,$i.50,USD,7,Usage,2026-11-01T00:00:00Z,2026-11-01T01:00:00Z,2026-11-01T00:00:00Z,AWS,Storage,vol-$i,,\"{\"\"team\"\": \"\"vision\"\", \"\"app\"\": \"\"caf\\u00e9\"\", \"\"x\"\": null}\""; done) > cell.csv
  $ (cat head; for i in 1 2 3 4 5 6 7 8 9 10 11; do echo "$i.5,$i.5,USD,7,Usage,2026-11-01 00:00:00+00:00,2026-11-01T02:00:00+01:00,2026-11-01,AWS,Storage,vol-$i,NULL,\"{\"\"app\"\":\"\"café\"\",\"\"team\"\":\"\"vision\"\"}\""; done) > map.csv
  $ tare import -q cell.csv; tare import -q map.csv; tare sql -o csv 'SELECT tags_json, count(*) AS n FROM bill_lines GROUP BY ALL'
  tags_json,n
  "{""app"":""café"",""team"":""vision""}",11
  ! tare: 'map.csv': all of its 11 rows are, word for word, in the store already
  !       Nothing was imported. It is the same bill again, and would count twice: leave it out, or let it take the place of the one before with --replace.

Daily files: what two of them have word for word counts once, however few rows. The day before beside the new one; a day that came again; a correction of it; of two files that agree and do not the newer is to be taken.

  $ day() { f=$1; shift; cp head $f; for d; do for v in a b c; do echo "${d#*:},${d#*:},USD,7,Usage,2026-11-0${d%:*}T00:00:00Z,2026-11-0${d%:*}T12:00:00Z,2026-11-01T00:00:00Z,AWS,Storage,vol-$v,," >> $f; done; done; }; total() { tare report --db $1 | tail -1; }; declare -f day total > lib
  $ . ./lib; day d1.csv 1:10; day d2.csv 2:20; day d3.csv 2:20 3:30; day d3a.csv 3:30; sed 's/^30,30/29,29/;4q' d3a.csv > d3b.csv; sed '4s/^30,30/31,31/' d3a.csv > d3c.csv
  $ . ./lib; tare import --db days d1.csv d2.csv d3.csv | grep note; total days
      note: columns of FOCUS 1.0
      note: columns of FOCUS 1.0
      note: columns of FOCUS 1.0
      note: 3 of its rows (2026-11-02) are, word for word, in 'd2.csv' of this call too, and count once
  Bill 180.00 · ledger 180.00 · difference 0.00 · unpriced 0 GPU·h
  $ . ./lib; tare import -q --db days d3a.csv; day d4.csv 3:30 4:40; tare import --db days d4.csv | grep note; total days
      note: columns of FOCUS 1.0
      note: 3 of its rows (2026-11-03) are, word for word, in the store already, and count once
  Bill 300.00 · ledger 300.00 · difference 0.00 · unpriced 0 GPU·h
  ! tare: 'd3a.csv': all of its 3 rows are, word for word, in the store already
  !       Nothing was imported. It is the same bill again, and would count twice: leave it out, or let it take the place of the one before with --replace.
  $ . ./lib; tare import -q --db days d3c.csv; tare import -q --db days d3c.csv d4.csv; tare import -q --db days --replace --partial d3c.csv; total days
  Bill 301.00 · ledger 301.00 · difference 0.00 · unpriced 0 GPU·h
  ! tare: 'd3c.csv': 2 rows are, word for word, in the store already, and of 2026-11-03 there are others than in the store: a newer export of a bill that was imported before
  !       Nothing was imported. Import all its files in one call with --replace, so that they take the place of the older ones (--partial: of the sub accounts and days alone that they have).
  ! tare: 'd3c.csv': 2 rows are, word for word, in the store already, and of 2026-11-03 there are others than in the store: a newer export of a bill that was imported before
  !       Nothing was imported. Import all its files in one call with --replace, so that they take the place of the older ones (--partial: of the sub accounts and days alone that they have).
  $ . ./lib; tare import -q --db two d3a.csv d3c.csv; (head -1 d3a.csv; tail -1 d3a.csv) > one.csv; tare import -q --db two d3a.csv one.csv
  ! tare: 'd3c.csv': 2 of its 3 charges are, word for word, those of 'd3a.csv', which this call has too
  !       Nothing was imported. Leave the older of the two out.
  ! tare: 'one.csv': 1 of its 1 charges are, word for word, those of 'd3a.csv', which this call has too
  !       Nothing was imported. Leave 'one.csv' out: the other has all of it.
  [2]

Two rows that are alike within a file stay two; parts of one export that have one row alike add up, and say so.

  $ . ./lib; (cat d1.csv; tail -1 d1.csv) > p1.csv; (head -1 d1.csv; tail -1 d1.csv; sed 1d d2.csv) > p2.csv; tare import --db parts p1.csv p2.csv | grep word; total parts; tare import --db parts2 p1.csv > /dev/null; total parts2
      note: 1 of its 4 charges are, word for word, in 'p1.csv' too and count twice now (aws 7 2026-11: 1 row, 10 USD): where it is a newer export of the same bill, import it with --replace
  Bill 110.00 · ledger 110.00 · difference 0.00 · unpriced 0 GPU·h
  Bill 40.00 · ledger 40.00 · difference 0.00 · unpriced 0 GPU·h

Azure exports a bill as what is invoiced (actual) and as what use costs (amortised). Both in one call: billed cost is from the first, effective cost from the second; the other way round too. One after the other is refused, with what each is; --replace alone is not what is said.

  $ row() { echo "$1,1234,sub-1,2026-11-0$2,2026-11-01,2026-11-30,USD,$3,$4,Virtual Machines,$5,24,1 Hour,/subscriptions/sub-1/vm-$6,$7,$8"; }; declare -f row > row
  $ . ./row; echo CostInBillingCurrency,BillingAccountId,SubscriptionId,Date,BillingPeriodStartDate,BillingPeriodEndDate,BillingCurrency,ChargeType,PricingModel,MeterCategory,MeterName,Quantity,UnitOfMeasure,ResourceId,ReservationId,Term | tee actual.csv > amortised.csv
  $ . ./row; for d in 1 2; do row 88.15 $d Usage OnDemand "NC24ads A100 v4" a | tee -a actual.csv >> amortised.csv; row 0 $d Usage Reservation "NC24ads A100 v4" b res-1 >> actual.csv; row 50 $d Usage Reservation "NC24ads A100 v4" b res-1 >> amortised.csv; row 10 $d UnusedReservation Reservation "NC24ads A100 v4" "" res-1 P1Y >> amortised.csv; done; row 1800 1 Purchase Reservation "NC24ads A100 v4" "" res-1 P1Y >> actual.csv
  $ money() { for c in billed effective; do tare report --db $1 --cost $c -o csv --by kind | cut -d, -f1,3,4; done; tare report --db $1 | tail -1; }; declare -f money >> row
  $ . ./row; tare import --db ab actual.csv amortised.csv | grep note; money ab; tare import -q --db ba amortised.csv actual.csv; money ba | tail -1
      note: rows of the bill do not say the term of 'Reservation': kept as it is, as time that cannot be given back, where no node list says more
      note: rows covered by a commitment without a cost, whose effective cost is unknown (the amortised export has it): 2
      note: rows of the bill do not say the term of 'Reservation': kept as it is, as time that cannot be given back, where no node list says more
      note: the amortised export of the bill of which 'actual.csv' is the actual one: billed cost is from that, effective cost from this one; 4 rows that both have count once
  kind,gpu_seconds,cost
  other,0,1800
  gpu,345600,176.3
  kind,gpu_seconds,cost
  gpu,345600,276.3
  commitment_unused,0,20
  Bill 296.30 · ledger 296.30 · difference 0.00 · unpriced 0 GPU·h
  Bill 296.30 · ledger 296.30 · difference 0.00 · unpriced 0 GPU·h
  $ . ./row; tare import -q --db one actual.csv; tare import -q --db one amortised.csv; tare import -q --db one --replace amortised.csv actual.csv; money one | tail -1; tare import -q --db one actual.csv; tare import -q --db one --replace actual.csv amortised.csv; money one | tail -1
  Bill 296.30 · ledger 296.30 · difference 0.00 · unpriced 0 GPU·h
  Bill 296.30 · ledger 296.30 · difference 0.00 · unpriced 0 GPU·h
  ! tare: 'amortised.csv' is the amortised export of a bill of which the store has the actual one: the actual one has what is invoiced (the fees of reservations), the amortised one what the use cost (what they cover, and what nobody used of it)
  !       Nothing was imported. Import the files of both in one call with --replace: then billed cost is what is invoiced and effective cost what the use cost. With --replace alone the other is lost.

One of the two in the place of both: what goes with the other is said.

  $ for f in actual amortised; do tare import -q --db one --replace actual.csv amortised.csv; tare import --db one --replace $f.csv | grep "takes the place of the"; done
      note: it is the actual export of the bill (azure 1234 2026-11) and takes the place of the amortised one too, without which the effective cost of what commitments cover is not known: name both in one call, tare import --replace ACTUAL AMORTISED
      note: it is the amortised export of the bill (azure 1234 2026-11) and takes the place of the actual one too, without which the fees of commitments are not on it: name both in one call, tare import --replace ACTUAL AMORTISED

Lines that count GPU hours and name the GPU are GPU time, as Oracle's. A node list that knows the term of a reservation wins over a bill that does not say it.

  $ (echo BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory,ServiceName,ResourceId,ConsumedQuantity,ConsumedUnit,ChargeDescription; echo 960,960,JPY,7,Usage,2026-11-01T00:00:00Z,2026-11-01T12:00:00Z,2026-11-01T00:00:00Z,Oracle,Compute,COMPUTE,ocid1.a,96,GPU Hours,Compute - GPU - H100; echo 5,5,JPY,7,Usage,2026-11-01T00:00:00Z,2026-11-01T12:00:00Z,2026-11-01T00:00:00Z,Oracle,Compute,COMPUTE,ocid1.b,96,OCPU Hours,Compute - Standard - E4) > oci.csv
  $ tare import -q --db oci oci.csv; tare report --db oci -o csv --by kind,gpu_model | cut -d, -f1,2,4,5
  kind,gpu_model,gpu_seconds,cost
  gpu,H100-SXM5-80GB,345600,960
  other,,0,5
  $ (echo node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,resource_id; echo b,azure,eastus,Standard_NC24ads_A100_v4,A100-PCIE-80GB,1,reserved_1y,2026-11-01,/subscriptions/sub-1/vm-b) > nodes.csv
  $ tare import -q --db term amortised.csv nodes.csv; tare report --db term -o csv --by purchase --since 2026-11-01 --until 2026-11-03 | cut -d, -f1,3,4
  purchase,gpu_seconds,cost
  on_demand,172800,176.3
  reserved_1y,172800,120

A month in two formats, the cloud's own and FOCUS, is told by what its days, or its resources of a day, cost: one after the other and together. A day of another account that costs the same is another bill.

  $ two() { echo line_item_line_item_type,line_item_unblended_cost,line_item_usage_start_date,line_item_usage_end_date,bill_billing_period_start_date,line_item_currency_code,bill_payer_account_id,line_item_usage_account_id,line_item_product_code,line_item_resource_id > cur.csv; cp head fo.csv; for d in $1; do for v in a b; do echo "Usage,$d.001,2026-11-0${d}T00:00:00Z,2026-11-0${d}T01:00:00Z,2026-11-01T00:00:00Z,USD,7,$2,AmazonS3,$v" >> cur.csv; done; echo "$((d * 2)).00,$d,USD,7,Usage,2026-11-0${d}T00:00:00Z,2026-11-0$((d + 1))T00:00:00Z,2026-11-01T00:00:00Z,AWS,Storage,$3,," >> fo.csv; done; }; declare -f two >> lib
  $ . ./lib; two "1 2 3" 7; tare import -q --db f cur.csv; tare import -q --db f fo.csv; tare import -q --db g cur.csv fo.csv; tare import -q --db f --replace fo.csv; tare import -q --db f cur.csv; total f
  Bill 6.00 · ledger 6.00 · difference 0.00 · unpriced 0 GPU·h
  ! tare: 'fo.csv' (focus without resources) is aws 7 2026-11 in another format: 'cur.csv' (aws-cur), which was imported before, has to the cent what it bills on 3 of 3 days of its accounts
  !       Nothing was imported. It would count twice: leave it out, or let it take the place of the one before with --replace.
  ! tare: 'fo.csv' (focus without resources) is aws 7 2026-11 in another format: 'cur.csv' (aws-cur), which this call has too, has to the cent what it bills on 3 of 3 days of its accounts
  !       Nothing was imported. It would count twice: leave one of the two out.
  ! tare: 'cur.csv' (aws-cur) is aws 7 2026-11 in another format: 'fo.csv' (focus without resources), which was imported before, has to the cent what it bills on 3 of 3 days of its accounts
  !       Nothing was imported. It would count twice: leave it out, or let it take the place of the one before with --replace.
  $ . ./lib; two "1 2" 7; tare import -q --db h cur.csv fo.csv; total h
  Bill 9.00 · ledger 9.00 · difference 0.00 · unpriced 0 GPU·h
  $ . ./lib; two "1 2 3" 7 c; sed -i '1!s/001/002/; 1!s/,[0-9.]*,2026/,1.00,2026/' cur.csv; sed -i '1!s/^[0-9.]*,[0-9]*/2,2/' fo.csv; tare import -q --db i cur.csv fo.csv; total i; sed -i '1!s/^2,2/1,1/; s/,c,,/,b,,/' fo.csv; tare import -q --db j fo.csv cur.csv; sed -i 's/,b,,/,arn:aws:s3:::B,,/' fo.csv; tare import -q --db k cur.csv && tare import -q --db k fo.csv
  Bill 12.00 · ledger 12.00 · difference 0.00 · unpriced 0 GPU·h
  ! tare: 'fo.csv' (focus) is aws 7 2026-11 in another format: 'cur.csv' (aws-cur), which this call has too, has to the cent what it bills each resource on 3 of 3 days of its accounts
  !       Nothing was imported. It would count twice: leave one of the two out.
  ! tare: 'fo.csv' (focus) is aws 7 2026-11 in another format: 'cur.csv' (aws-cur), which was imported before, has to the cent what it bills each resource on 3 of 3 days of its accounts
  !       Nothing was imported. It would count twice: leave it out, or let it take the place of the one before with --replace.
  [2]

Two formats that cost differently have the same hours of their machines: before and after a discount, Google's export with resources and without, Azure's actual cost beside FOCUS. Other machines, accounts and months, and the same format again, are beside each other.

  $ python3 - <<'P'
  > def write(name, head, rows): open(name, "w").write("\n".join([head, *rows]) + "\n")
  > day = lambda d, m="11": f"2026-{m}-{d:02}T00:00:00Z"
  > def cur(name, price, machines="ab"):
  >     write(name, "line_item_line_item_type,line_item_unblended_cost,line_item_usage_start_date,line_item_usage_end_date,bill_billing_period_start_date,line_item_currency_code,bill_payer_account_id,line_item_usage_account_id,line_item_usage_type,line_item_resource_id,product_instance_type,line_item_usage_amount",
  >           [f"Usage,{price},{day(d)},{day(d + 1)},{day(1)},USD,7,8,BoxUsage:p5.48xlarge,i-{v},p5.48xlarge,24" for d in (1, 2) for v in machines])
  > def focus(name, cost, provider="AWS", machines="ab", sub="8", month="11", kind="p5.48xlarge", place="arn:aws:ec2:us-east-1:8:instance/i-", paid=None, days=(1, 2)):
  >     write(name, "BilledCost,EffectiveCost,BillingCurrency,BillingAccountId,SubAccountId,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ProviderName,ServiceCategory,ResourceId,ConsumedQuantity,ConsumedUnit,SkuPriceDetails",
  >           [f'{cost if paid is None else paid},{cost},USD,7,{sub},Usage,{day(d, month)},{day(d + 1, month)},{day(1, month)},{provider},Compute,{place}{v},24,Hours,"{{""InstanceType"":""{kind}""}}"' for d in days for v in machines])
  > cur("net.csv", 90); cur("net2.csv", 80); focus("gross.csv", 100); focus("others.csv", 100, machines="cd"); focus("account.csv", 100, sub="9"); focus("month.csv", 100, month="10")
  > def google(name, credit, named):
  >     write(name, "cost,credits_amount,usage_start_time,usage_end_time,currency,billing_account_id,project.id,service.description,sku.description,machine_type,usage.amount_in_pricing_units,usage.pricing_unit,invoice.month" + ",resource.name" * named,
  >           [f"30,{credit},{day(d)},{day(d + 1)},USD,B,p,Compute Engine,{sku},a2-highgpu-1g,{n},hour,202611" + f",vm-{v}" * named for d in (1, 2, 3) for v in "ab" for sku, n in (("Nvidia Tesla A100 GPU running in Iowa", 24), ("A2 Instance Core running in Iowa", 288))])
  > google("standard.csv", -3, False); google("detailed.csv", 0, True)
  > vm = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/"
  > write("actual.csv", "CostInBillingCurrency,Date,BillingCurrency,BillingAccountId,SubscriptionId,ChargeType,MeterCategory,MeterName,ResourceId,ReservationId,PricingModel,Quantity,UnitOfMeasure,AdditionalInfo,BillingPeriodStartDate",
  >       [f'0,11/0{d}/2026,USD,7,s,Usage,Virtual Machines,ND96isr H100 v5,{vm}virtualMachineScaleSets/s-vmss,R,Reservation,24,1 Hour,"{{""ServiceType"":""Standard_ND96isr_H100_v5"",""VMName"":""s-vmss_{v}""}}",11/01/2026' for d in (1, 2, 3) for v in "12"])
  > focus("amortised.csv", 60, "Microsoft", ["", ""], "s", kind="Standard_ND96isr_H100_v5", place=vm + "virtualMachineScaleSets/s-vmss", paid=0, days=(1, 2, 3))
  > P
  $ tare import -q --db n net.csv; tare import -q --db n gross.csv; tare import -q --db o gross.csv net.csv; tare import -q --db n --replace gross.csv; . ./lib; total n
  Bill 400.00 · ledger 400.00 · difference 0.00 · unpriced 0 GPU·h
  ! tare: 'gross.csv' (focus) is aws 7 2026-11 in another format: 'net.csv' (aws-cur), which was imported before, has the hours that it has of the machines on 4 of 4 days of its accounts
  !       Nothing was imported. It would count twice: leave it out, or let it take the place of the one before with --replace.
  ! tare: 'gross.csv' (focus) is aws 7 2026-11 in another format: 'net.csv' (aws-cur), which this call has too, has the hours that it has of the machines on 4 of 4 days of its accounts
  !       Nothing was imported. It would count twice: leave one of the two out.
  $ tare import -q --db p standard.csv; tare import -q --db p detailed.csv; tare import -q --db q detailed.csv standard.csv
  ! tare: 'detailed.csv' (gcp-billing) is gcp B 2026-11 in another format: 'standard.csv' (gcp-billing without resources), which was imported before, has the hours that it has of the machines on 3 of 3 days of its accounts
  !       Nothing was imported. It would count twice: leave it out, or let it take the place of the one before with --replace.
  ! tare: 'standard.csv' (gcp-billing without resources) is gcp B 2026-11 in another format: 'detailed.csv' (gcp-billing), which this call has too, has the hours that it has of the machines on 3 of 3 days of its accounts
  !       Nothing was imported. It would count twice: leave one of the two out.
  [2]
  $ tare import -q --db r actual.csv; tare import -q --db r amortised.csv
  ! tare: 'amortised.csv' (focus) is azure 7 2026-11 in another format: 'actual.csv' (azure-cost), which was imported before, has the hours that it has of the machines on 3 of 3 days of its accounts
  !       Nothing was imported. It would count twice: leave it out, or let it take the place of the one before with --replace.
  [2]
  $ . ./lib; tare import -q --db s net.csv others.csv account.csv month.csv; total s; tare import -q --db t net.csv; for f in others account month; do tare import -q --db t $f.csv; done; total t; tare import -q --db t --replace net2.csv others.csv account.csv; total t
  Bill 1,560.00 · ledger 1,560.00 · difference 0.00 · unpriced 0 GPU·h
  Bill 1,560.00 · ledger 1,560.00 · difference 0.00 · unpriced 0 GPU·h
  Bill 1,520.00 · ledger 1,520.00 · difference 0.00 · unpriced 0 GPU·h
