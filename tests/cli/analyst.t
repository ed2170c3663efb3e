A month of an analyst with bills alone: two currencies, two months, three accounts of one payer, a savings plan that is used in part.

  $ cat > bill.py <<'X'
  > import datetime as d, sys
  > year_month, fx = sys.argv[1], sys.argv[2]
  > first = d.date.fromisoformat(year_month + "-01")
  > days = [first + d.timedelta(i) for i in range(31) if (first + d.timedelta(i)).month == first.month]
  > print("BilledCost,EffectiveCost,ListCost,BillingCurrency,BillingAccountId,SubAccountId,SubAccountName,ChargeCategory,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,ResourceId,ProviderName,RegionId,ServiceCategory,ServiceName,ConsumedQuantity,ConsumedUnit,PricingCategory,CommitmentDiscountId,CommitmentDiscountType,CommitmentDiscountStatus,SkuPriceDetails,Tags")
  > def line(cost, a, b, sub="1,payer", category="Compute", service="EC2", resource="", hours="", plan="Standard,,,", type="", team="", money="USD,111", provider="AWS,us-east-1"):
  >     t = '"{""InstanceType"":""%s""}"' % type if type else ""
  >     tag = '"{""team"":""%s""}"' % team if team else ""
  >     print(cost, cost, cost, money, sub, "Usage", f"{a}T00:00:00Z", f"{b}T00:00:00Z", f"{first}T00:00:00Z", resource, provider, category, service, hours, "Hours" if hours else "", plan, t, tag, sep=",")
  > for day in days:
  >     end = day + d.timedelta(1)
  >     line(480, day, end, "201,research", resource="i-1", hours=24, type="p4d.24xlarge", team="nlp")
  >     line(120, day, end, "202,prod", resource="i-2", hours=24, type="g5.12xlarge", team="search")
  >     line(8, day, end, "202,prod", category="Storage", service="S3", resource="b", team="search")
  >     line(30, day, end, service="Savings Plans", plan="Committed,sp-1,Savings Plan,Unused")
  >     line(float(fx) * 100, day, end, "s-9,eu", service="Virtual Machines", resource="vm-1", hours=24, type="Standard_NC24ads_A100_v4", team="nlp", money="EUR,222", provider="Microsoft,westeurope")
  > line(900, first, days[-1] + d.timedelta(1), category="Other", service="Support")
  > X
  $ python3 bill.py 2026-09 0.92 > sep.csv; python3 bill.py 2026-10 0.9 > oct.csv
  $ printf 'version: 1\nshared_teams: [platform]\nvirtual_tags:\n  - when: {sub_account: "1"}\n    set: {team: platform}\n' > shared.yaml
  $ tare import -q --config shared.yaml sep.csv oct.csv

A rule names an account as the report does: by its id, or by its name. An account of a rule was the billing account, and a sub account was its name where it had one.

  $ tare report --by account --since 2026-10-01 -o csv | cut -d, -f1,2,4
  account,currency,cost
  201,USD,14880
  202,USD,3968
  1,USD,1830
  s-9,EUR,2790
  $ grep -E '^Billed|,2026-10-03T00:00:00Z,2026-10-04' oct.csv > day.csv
  $ for a in 'account: "202"' 'account: prod' 'sub_account: pr?d' 'account: "111"' 'account: s-9'; do printf 'version: 1\nvirtual_tags:\n  - when: {%s}\n    set: {project: x}\n' "$a" > rule.yaml; tare import -q --db rules --replace --config rule.yaml day.csv; echo "$a:" $(tare report --db rules --by project --where project=x -o csv | sed 1d | cut -d, -f2,4); done
  account: "202": USD,128
  account: prod: USD,128
  sub_account: pr?d: USD,128
  account: "111": USD,638
  account: s-9: EUR,90

Nobody's use is known from a bill: what is shared goes by the cost of the machines that it gives each team, 480 to 120, and the title says so. It stayed with the shared team.

  $ tare report --config shared.yaml --since 2026-10-01 --chargeback --split-idle proportional
  31 days to 2026-10-31 · effective cost, USD · 8,928 GPU·h paid · 0 % measured ·
  idle split: proportional · shares by cost, as nobody's use is known
  
  team      line                          GPU·h     amount      total
  nlp       GPU time                      5,952  14,880.00
            share of idle (proportional)            744.00
            share of shared teams                   720.00  16,344.00
  search    GPU time                      2,976   3,720.00
            storage                                 248.00
            share of idle (proportional)            186.00
            share of shared teams                   180.00   4,334.00
  platform  other                                   900.00
            given to the other teams               -900.00       0.00
  ───────────────────────────────────────────────────────────────────
                                          8,928             20,678.00
  
  Bill 20,678.00 · ledger 20,678.00 · difference 0.00 · unpriced 0 GPU·h
  
  31 days to 2026-10-31 · effective cost, EUR · 744.0 GPU·h paid · 0 % measured ·
  idle split: proportional
  
  team  line      GPU·h    amount     total
  nlp   GPU time  744.0  2,790.00  2,790.00
  ─────────────────────────────────────────
                  744.0            2,790.00
  
  Bill 2,790.00 · ledger 2,790.00 · difference 0.00 · unpriced 0 GPU·h

A job list of one machine, i-2 of search, does not change what the others are charged: the bill's tags say whose the rest is. All of the unused plan and of the support went to search.

  $ cp -r "$TARE_DB" listed; printf 'job_id,team,gpus,start,end,node\ns1,search,4,2026-10-01T00:00:00Z,2026-11-01T00:00:00Z,i-2\n' > jobs.csv; tare import -q --db listed --config shared.yaml jobs.csv
  $ tare report --db listed --config shared.yaml --since 2026-10-01 --showback --split-idle proportional | head -9
  31 days to 2026-10-31 · effective cost, USD · 8,928 GPU·h paid · 0 % measured ·
  idle split: proportional · shares by cost of their machines where nobody knows
  the use
  
  team      GPU·h     direct  idle share   shared      total  of all
  nlp       5,952  14,880.00      744.00   720.00  16,344.00    79 %
  search    2,976   3,968.00      186.00   180.00   4,334.00    21 %
  platform      0     900.00        0.00  -900.00       0.00     0 %
  ──────────────────────────────────────────────────────────────────

A month beside the one before: 31 days beside 30, so the table scales what was before; the sums of the two bills stand below it.

  $ for f in sep oct; do python3 -c "import csv; print('$f', *(round(sum(float(r['EffectiveCost']) for r in csv.DictReader(open('$f.csv')) if r['BillingCurrency'] == c), 2) for c in ('USD', 'EUR')))"; done
  sep 20040.0 2760.0
  oct 20678.0 2790.0
  $ tare report --since 2026-10-01 --compare lastmonth
  2026-10-01 to 2026-10-31 (31 days) beside 2026-09-01 to 2026-09-30 (30 days) ·
  effective cost, USD · not of one length: the 720 h before are scaled to the 744
  h now
  
  team           before        now  change       %   other
  platform *   1,860.00   1,830.00  -30.00    -2 %  -30.00
  nlp         14,880.00  14,880.00    0.00     0 %    0.00
  search *     3,968.00   3,968.00    0.00     0 %    0.00
  ────────────────────────────────────────────────────────
              20,708.00  20,678.00  -30.00  -0.1 %  -30.00
  
  Down 30.00 USD (-0.1 %): other -30.00. The largest change: platform, -30.00:
  other -30.00
  (tare report --since 2026-10-01 --by cloud_service --where team=platform --compare lastmonth).
  Not scaled: 20,040.00 USD in the 720 h before, 20,678.00 in the 744 h now,
  +638.00 (+3 %).
  * with charges that are no GPU time (fees, support, storage), 2,040.00 USD
  before: scaled as the rest, though a charge by the month does not grow with its
  days.
  Without readings in both windows nobody knows how busy the time was: volume is
  by paid GPU-hours, efficiency is not known.
  
  2026-10-01 to 2026-10-31 (31 days) beside 2026-09-01 to 2026-09-30 (30 days) ·
  effective cost, EUR · not of one length: the 720 h before are scaled to the 744
  h now
  
  team    before       now  change     %   price
  nlp   2,852.00  2,790.00  -62.00  -2 %  -62.00
  ──────────────────────────────────────────────
        2,852.00  2,790.00  -62.00  -2 %  -62.00
  
  Down 62.00 EUR (-2 %): price -62.00. The largest change: nlp, -62.00: price
  -62.00
  (tare report --since 2026-10-01 --by node --where team=nlp --compare lastmonth).
  Not scaled: 2,760.00 EUR in the 720 h before, 2,790.00 in the 744 h now, +30.00
  (+1 %).
  Without readings in both windows nobody knows how busy the time was: volume is
  by paid GPU-hours, efficiency is not known.
  
  Currencies are not added. All in one: --currency USD, with the exchange rates of tare import --as rates.

The same month again, packed, and a newer export of it: word for word the same charges do not count twice. Parts of one export, which share none, add up.

  $ gzip -k oct.csv; sed 's/^900,900,900/950,950,950/' oct.csv > newer.csv; (head -1 oct.csv; tail -n +80 oct.csv) > part2.csv; head -79 oct.csv > part1.csv
  $ tare import -q oct.csv.gz; tare import -q newer.csv; tare report --by month --cost billed -o csv | cut -d, -f1,2,4
  month,currency,cost
  2026-09,USD,20040
  2026-10,USD,20678
  2026-09,EUR,2760
  2026-10,EUR,2790
  ! tare: 'oct.csv.gz': all of its 156 rows are, word for word, in the store already
  !       Nothing was imported. It is the same bill again, and would count twice: leave it out, or let it take the place of the one before with --replace.
  ! tare: 'newer.csv': 124 rows are, word for word, in the store already, and of 2026-10-01 there are others than in the store: a newer export of a bill that was imported before
  !       Nothing was imported. Import all its files in one call with --replace, so that they take the place of the older ones (--partial: of the sub accounts and days alone that they have).
  $ tare import -q --db parts oct.csv newer.csv; tare import -q --db parts part1.csv; tare import -q --db parts part2.csv; tare report --db parts -o csv --by month | cut -d, -f1,2,4
  month,currency,cost
  2026-10,USD,20678
  2026-10,EUR,2790
  ! tare: 'newer.csv': 124 of its 125 charges are, word for word, those of 'oct.csv', which this call has too
  !       Nothing was imported. Leave the older of the two out.
  $ tare import --replace newer.csv | grep note; tare report --by month --cost billed -o csv | cut -d, -f1,2,4
      note: columns of FOCUS 1.1
      note: several currencies: each has sums of its own here, and a report of its own
      note: 1 earlier file of the same bill and month taken out (aws 111 2026-10: 20678 USD, azure 222 2026-10: 2790 EUR)
  month,currency,cost
  2026-09,USD,20040
  2026-10,USD,20728
  2026-09,EUR,2760
  2026-10,EUR,2790
  ! tare: settings changed since what is in the store was imported (virtual_tags): they hold for what is new;
  !       for the rest: tare import --repost

As a spreadsheet saves it: semicolons, CR LF, decimal commas, days with dots. And cut off, as a workbook, as an archive.

  $ python3 - <<'X'
  > import csv, datetime as d
  > rows = list(csv.DictReader(open("oct.csv")))
  > with open("excel.csv", "w", newline="", encoding="utf-8-sig") as f:
  >     w = csv.DictWriter(f, rows[0].keys(), delimiter=";", lineterminator="\r\n"); w.writeheader()
  >     for r in rows:
  >         for c in r:
  >             r[c] = r[c].replace(".", ",") if c.endswith("Cost") else d.datetime.fromisoformat(r[c][:-1]).strftime("%d.%m.%Y %H:%M") if c.endswith(("Start", "End")) else r[c]
  >         w.writerow(dict(r, BilledCost=r["BilledCost"] + ",0" * ("," not in r["BilledCost"])))
  > X
  $ head -c -200 oct.csv > cut.csv; head -c -40 oct.csv > short.csv; printf 'PK\3\4\0\0' > bill.xlsx
  $ for f in excel.csv cut.csv short.csv bill.xlsx; do tare import -q --db excel $f; done
  ! tare: 'excel.csv': more than 20 rows cannot be read: line 2, BilledCost: '480,0' is not a decimal; line 3, BilledCost: '120,0' is not a decimal; line 4, BilledCost: '8,0' is not a decimal; ...
  !       Nothing was imported. The numbers have decimal commas, as a spreadsheet saves them. Take the file as the provider wrote it; or a FOCUS bill with --map focus-comma, an Azure bill with --map azure-comma, other tables with a map that says number: comma (docs/MAPS.md).
  ! tare: 'cut.csv' line 156: a quote is opened in the row that starts here and never closed
  !       Nothing was imported. The file is truncated there, or a quote inside quotes is not written twice
  ! tare: 'short.csv': 1 row cannot be read: line 157, row: the row has 14 cells where the header has 24; the file ends in the middle of it
  !       Nothing was imported. Fetch the file again: what follows that line is missing.
  ! tare: 'bill.xlsx' is neither text nor a Parquet file
  !       Nothing was imported. It looks like a zip archive or a workbook (.xlsx): unpack it, or save the sheet as CSV (UTF-8)
  [2]
  $ tare import -q --db excel --map focus-comma excel.csv; tare report --db excel --by month -o csv | cut -d, -f1,2,4
  month,currency,cost
  2026-10,USD,20678
  2026-10,EUR,2790

A filter that leaves one currency shows that one; it showed an empty block for the other.

  $ tare report --since 2026-10-01 --by cloud_service --where account=202
  31 days to 2026-10-31 · effective cost, USD · 2,976 GPU·h paid · 0 % measured ·
  account=202
  
  cloud_service  GPU·h      cost  busy  underused  idle  lost  unknown
  EC2            2,976  3,720.00     -          -     -     -    100 %
  S3                 -    248.00     -          -     -     -        -
  ────────────────────────────────────────────────────────────────────
                 2,976  3,968.00     -          -     -     -    100 %
  
  Whole window: bill 20,728.00 · ledger 20,728.00 · difference 0.00 · unpriced 0
  GPU·h
