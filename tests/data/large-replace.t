A bill of more lines than are summed up at a time: replaced in part, what stays is posted again while
it is read.

  $ python3 - <<X
  > head = 'BilledCost,EffectiveCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,ChargeCategory,ResourceId,ServiceName,ServiceCategory,ProviderName,RegionId\n'
  > with open('all.csv', 'w') as f:
  >     f.write(head)
  >     for i in range(540000):
  >         f.write(f'0.01,0.01,USD,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,Usage,v{i},S3,Storage,AWS,r{i}\n')
  >     f.write('1,1,USD,2024-09-20T00:00:00Z,2024-09-20T01:00:00Z,Usage,v,S3,Storage,AWS,r\n')
  > open('day.csv', 'w').write(head + '2,2,USD,2024-09-20T00:00:00Z,2024-09-20T01:00:00Z,Usage,v,S3,Storage,AWS,r\n')
  > X
  $ tare import -q all.csv && tare import -q --replace --partial day.csv && tare report --by day -o csv | cut -d, -f1-4 | grep -v ',,$'
  day,currency,gpu_seconds,cost
  2024-09-01,USD,0,5400
  2024-09-20,USD,0,2
