A cluster seen from three sides: OpenCost's allocation JSON, dcgm-exporter's metrics, and the bill of the machine under another name.

  $ cat > alloc.json <<'X'
  > {"code":200,"data":[{"c1/ns/pod-a":{"name":"c1/ns/pod-a","properties":{"cluster":"c1","node":"ip-10-0-3-17.ec2.internal","namespace":"research","pod":"pod-a","controller":"train-a","controllerKind":"job","providerID":"i-0feed","labels":{"team":"vision","app":"x"}},"window":{"start":"2024-09-01T00:00:00Z","end":"2024-09-01T02:00:00Z"},"start":"2024-09-01T00:00:00Z","end":"2024-09-01T02:00:00Z","minutes":120,"gpuCount":1,"gpuHours":2,"gpuCost":1.9},"__idle__":{"name":"__idle__","properties":{"cluster":"c1"},"window":{"start":"2024-09-01T00:00:00Z","end":"2024-09-01T02:00:00Z"},"start":"2024-09-01T00:00:00Z","end":"2024-09-01T02:00:00Z","minutes":120,"gpuHours":2,"gpuCost":1.9}}]}
  > X
  $ cat > bill.csv <<'X'
  > BilledCost,EffectiveCost,ListCost,BillingCurrency,ChargePeriodStart,ChargePeriodEnd,BillingPeriodStart,BillingPeriodEnd,ChargeCategory,ResourceId,ProviderName,RegionId,ServiceCategory,ServiceName,ChargeDescription,ConsumedQuantity,ConsumedUnit,PricingCategory,SkuPriceDetails,Tags
  > 2.424,2.424,2.424,USD,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,2024-09-01T00:00:00Z,2024-10-01T00:00:00Z,Usage,arn:aws:ec2:us-east-1:1:instance/i-0feed,AWS,us-east-1,Compute,Amazon Elastic Compute Cloud,"$1.212 per On Demand Linux g5.2xlarge Instance Hour",2,Hours,Standard,"{""InstanceType"":""g5.2xlarge""}",
  > X
  $ printf 'node,provider,region,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,resource_id\nip-10-0-3-17.ec2.internal,aws,us-east-1,g5.2xlarge,A10G,1,on_demand,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,c1,aws:///us-east-1a/i-0feed\n' > nodes.csv
  $ python3 - > m.prom <<'X'
  > l = 'gpu="0",UUID="GPU-1",Hostname="ip-10-0-3-17.ec2.internal",pod="pod-a",namespace="research",container="main"'
  > for name, values in (("DCGM_FI_DEV_GPU_UTIL", (85, 85, 0, 9223372036854775794)), ("DCGM_FI_DEV_FB_USED", (8000, 8000, 8000, 8000))):
  >     for i, v in enumerate(values):
  >         print(f"{name}{{{l}}} {v} {1725148800000 + i * 1800000}")
  > X
  $ tare import -q bill.csv nodes.csv alloc.json
  $ tare import -q --as dcgm --set step_s=1800 m.prom; tare report --by team,node,job,state,purchase -o csv | cut -d, -f1-7
  team,node,job,state,purchase,currency,gpu_seconds
  vision,ip-10-0-3-17.ec2.internal,research/pod-a,busy,on_demand,USD,3600
  vision,ip-10-0-3-17.ec2.internal,research/pod-a,idle_held,on_demand,USD,1800
  vision,ip-10-0-3-17.ec2.internal,research/pod-a,unknown,on_demand,USD,1800

  $ tare reconcile | head -3
  Bills, USD: 2.42 billed, 2.42 effective, 1 lines
  
  Billed (effective) beside the catalogue, 1 resource-days, 1 with a known price:
