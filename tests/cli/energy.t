Owned hardware: (30,000 - 3,000) / (4 x 8,760 h) per GPU-hour, and the energy that its power readings show, as lines of their own.

  $ printf 'version: 1\nowned:\n  - gpu_model: H100-SXM5-80GB\n    purchase: 30000\n    residual: 3000\n    years: 4\n    kwh: 0.20\n    pue: 1.5\n    measured_power: true\n' > c.yaml
  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to\ndgx-1,onprem,here,H100,1,owned,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z\n' > nodes.csv
  $ printf 'job_id,team,gpus,gpu_ids,node,start,end\n7,vision,1,0,dgx-1,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z\n' > jobs.csv
  $ python3 -c 'print("time,node,gpu,gpu_util_pct,power_w,step_s"); [print(f"2024-09-01T{m//60:02}:{m%60:02}:00Z,dgx-1,0,{90 if m<60 else 0},{600 if m<60 else 60},60") for m in range(120)]' > s.csv
  $ export TARE_CONFIG=c.yaml; tare import -q nodes.csv jobs.csv s.csv; tare report --by kind,team -o csv | cut -d, -f1-5
  kind,team,currency,gpu_seconds,cost
  gpu,,USD,3600,0.770547945
  gpu,vision,USD,3600,0.770547945
  energy,vision,USD,0,0.18
  energy,,USD,0,0.018

600 W for an hour x 1.5 x 0.20 $/kWh is 0.18 $, 60 W a tenth of that. Where the job names no machine the GPU's hour is its too, and so is the energy.

  $ printf 'job_id,team,gpus,gpu_model,start,end\n7,vision,1,H100,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z\n' > any.csv
  $ export TARE_CONFIG=$PWD/c.yaml; tare import -q --db any nodes.csv any.csv s.csv; tare report --db any --by kind,team -o csv | cut -d, -f1-5
  kind,team,currency,gpu_seconds,cost
  gpu,,USD,3600,0.770547945
  gpu,vision,USD,3600,0.770547945
  energy,vision,USD,0,0.18
  energy,,USD,0,0.018

Energy and carbon beside dollars. n1 in Paris reads 600 W for an hour of a job (0.6 kWh x 56.04 g = 33.6 g) and 60 W for an hour that nobody holds; n2 in Iowa has no readings
(2 h x 700 W of TDP x 385.98 g = 540 g, estimated); n3 stands where no table knows, and was read for half an hour of two (400 W, also for the rest: 0.8 kWh).

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\nn1,aws,eu-west-3,H100,1,on_demand,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,4\nn2,gcp,us-central1,H100,1,on_demand,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,4\nn3,onprem,cellar,H100,1,on_demand,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,1\nn4,aws,eu-west-3,H100,1,on_demand,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,4\n' > n.csv
  $ printf 'job_id,team,gpus,gpu_ids,node,start,end\n7,vision,1,0,n1,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z\n8,nlp,1,0,n2,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z\n9,nlp,1,0,n3,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z\n' > j.csv
  $ python3 -c '
  > print("time,node,gpu,gpu_util_pct,power_w,step_s")
  > for m in range(120): print(f"2024-09-01T{m//60:02}:{m%60:02}:00Z,n1,0,{90 if m<60 else 0},{600 if m<60 else 60},60")
  > for m in range(30): print(f"2024-09-01T00:{m:02}:00Z,n3,0,90,400,60")' > p.csv
  $ tare import --db e -q n.csv j.csv p.csv; tare report --db e --energy --by team,region
  team    region       GPU-h    USD   kWh  kgCO2e  measured  estimated
  nlp     us-central1    2.0   8.00  1.40    0.54       0 %      100 %
  nlp     cellar         2.0   2.00  0.80       -      25 %       75 %
  vision  eu-west-3      1.0   4.00  0.60    0.03     100 %        0 %
  -       eu-west-3      3.0  12.00  0.06   <0.01      33 %        0 %
  ────────────────────────────────────────────────────────────────────
  total   -              8.0  26.00  2.86    0.58      31 %       44 %
  
  Of the GPUs alone, x PUE 1 (setting energy.pue). 31 % of the GPU time has a power reading; 44 % is estimated at
  its own mean power or the GPU's TDP, which is high; the rest is unknown and in no sum.
  CO2e: 72 % of the kWh, by the mean of the region's country and year (Ember), or energy.carbon of the settings.

n4, which nobody held nor watched, has no energy: unknown, not 0, and not its TDP. PUE and places of one's own are settings.

  $ tare report --db e --energy --by node -o csv
  node,gpu_seconds,cost,kwh,co2_kg,measured_frac,estimated_frac,placed_frac,unpriced_gpu_seconds
  n2,7200,8,1.4,0.54,0,1,1,0
  n3,7200,2,0.8,,0.25,0.75,0,0
  n1,7200,8,0.66,0.037,1,0,1,0
  n4,7200,8,,,0,0,,0
  $ printf 'version: 1\nenergy:\n  pue: 1.5\n  carbon:\n    - {region: "cell*", g_kwh: 100}\n    - {region: us-central1, g_kwh: 10}\n' > e.yaml; tare report --db e --config e.yaml --energy --by region -o csv
  region,gpu_seconds,cost,kwh,co2_kg,measured_frac,estimated_frac,placed_frac,unpriced_gpu_seconds
  us-central1,7200,8,2.1,0.021,0,1,1,0
  cellar,7200,2,1.2,0.12,0.25,0.75,1,0
  eu-west-3,14400,16,0.99,0.055,0.5,0,1,0
  $ tare report --db e --energy -o json | python3 -c 'import json, sys; r = json.load(sys.stdin); print(r["schema"], r["pue"], r["currency"], r["total"]["kwh"], [(x["dims"], x["kwh"]) for x in r["rows"]])'
  tare.report-energy/1 1 USD 2.86 [({'team': 'nlp'}, 2.2), ({'team': 'vision'}, 0.6), ({'team': None}, 0.06)]
  $ tare report --db e --energy --by state
  ! tare: --energy: there are no rows by 'state'
  !       It takes team project env workload user job service cluster node provider region zone gpu_model instance_type purchase
  [2]
  $ tare report --db e --energy --where team=nlp
  ! tare: --energy takes no --where: choose rows with --by
  !       See: tare report --help
  [2]
  $ printf 'version: 1\nenergy: {carbon: [{region: x}]}\n' > bad.yaml; tare report --db e --config bad.yaml --energy
  ! tare: 'bad.yaml' line 2: carbon needs 'region' (a pattern) and 'g_kwh'
  [2]

A shared GPU has its energy once: 400 W for an hour and 100 W for the next are 0.5 kWh, whether a and b (in the first hour alone) hold fractions, instances or time
slices of it; what they leave is nobody's. A job list that ends, and a GPU that is read on, extrapolate to nobody.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,usd_hour\nn1,aws,eu-west-3,A100-SXM4-80GB,1,on_demand,2024-09-01T00:00:00Z,2024-09-01T04:00:00Z,4\n' > one.csv
  $ python3 -c 'print("time,node,gpu,gpu_util_pct,power_w,step_s"); [print(f"2024-09-01T{m//60:02}:{m%60:02}:00Z,n1,0,90,{400 if m<60 else 100},60") for m in range(120)]' > read.csv
  $ for how in 'fraction,0.5,, fraction,0.25,,' 'mig,,3g.40gb,0 mig,,2g.20gb,4' 'timeslice,,, timeslice,,,'; do
  >   set -- $how; printf "job_id,team,gpus,gpu_ids,node,start,end,share_kind,gpu_share,mig_profile,mig_start\n1,a,1,0,n1,2024-09-01T00:00:00Z,2024-09-01T02:00:00Z,$1\n2,b,1,0,n1,2024-09-01T00:00:00Z,2024-09-01T01:00:00Z,$2\n" > shared.csv
  >   d=s-${1%%,*}; tare import --db $d -q one.csv shared.csv read.csv; tare report --db $d --energy --by team -o csv | sort | cut -d, -f1,2,4,6,7; done
  ,9900,0.15,0.2727,0
  a,3600,0.25,1,0
  b,900,0.1,1,0
  team,gpu_seconds,kwh,measured_frac,estimated_frac
  ,10285.714,0.171,0.3,0
  a,3085.714,0.214,1,0
  b,1028.572,0.114,1,0
  team,gpu_seconds,kwh,measured_frac,estimated_frac
  ,7200,,0,0
  a,5400,0.3,1,0
  b,1800,0.2,1,0
  team,gpu_seconds,kwh,measured_frac,estimated_frac

The power that is read of an element of an array or a part of a job, which an exporter knows by the number that Slurm gives it, is its own: three equal jobs of 500 W, 10 h x 2 GPUs.

  $ printf 'node,provider,region,gpu_model,gpu_count,purchase,from,to,cluster,usd_hour\nn1,lambda,us-east-1,H100,6,on_demand,2026-11-02T00:00:00Z,2026-11-02T10:00:00Z,c1,6\n' > r-nodes.csv
  $ python3 - <<'X'
  > with open('r-sacct.txt', 'w') as f:
  >   print('JobID|JobIDRaw|JobName|User|Account|Cluster|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|NodeList|AllocTRES', file=f)
  >   for job, raw, user in ('500_3', 507, 'ada'), ('600+1', 601, 'bob'), ('700', 700, 'cy'):
  >     print(f'{job}|{raw}|x|{user}|ml|c1|COMPLETED|2026-11-02T00:00:00|2026-11-02T00:00:00|2026-11-02T10:00:00|36000|700|n1|cpu=8,gres/gpu=2,node=1', file=f)
  > with open('r.prom', 'w') as f:
  >   for name, value in ('GPU_UTIL', 90), ('POWER_USAGE', 500):
  >     print(f'# TYPE DCGM_FI_DEV_{name} gauge', file=f)
  >     for m in range(600):
  >       for gpu in range(6):
  >         print(f'DCGM_FI_DEV_{name}{{gpu="{gpu}",UUID="GPU-{gpu}",modelName="NVIDIA H100 80GB HBM3",Hostname="n1",hpc_job="{(507, 601, 700)[gpu // 2]}"}} {value} {1793577600000 + m * 60000}', file=f)
  > X
  $ tare import --db r -q r-nodes.csv r-sacct.txt r.prom; tare report --db r --energy --by user -o csv | cut -d, -f1,2,4,6,7
  user,gpu_seconds,kwh,measured_frac,estimated_frac
  ada,72000,10,1,0
  bob,72000,10,1,0
  cy,72000,10,1,0
