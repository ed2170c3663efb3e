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

600 W for an hour x 1.5 x 0.20 $/kWh is 0.18 $, 60 W a tenth of that.
