Prices over time and place.

  $ tare price --provider aws --region us-east-1 --at 2025-06-22 --purchase on_demand -o json | $FILES/get '[r.usd_hour for r in rows if r.instance_type == "p5.48xlarge"]'
  ['98.32']
  $ tare price --provider aws --region us-east-1 --at 2025-06-24 --purchase on_demand -o json | $FILES/get '[r.usd_hour for r in rows if r.instance_type == "p5.48xlarge"]'
  ['55.04']
  $ for t in 2025-10-15 2026-07-02 2026-07-30; do tare price --provider gcp --region us-central1 --purchase spot --at $t -o json | $FILES/get '[round(float(r.usd_hour), 4) for r in rows if r.instance_type == "a3-highgpu-8g"]'; done
  [20.3655]
  [43.8044]
  [50.6095]

A slice is not a GPU, an FPGA is not a GPU, yuan are not dollars.

  $ tare price --at 2026-10-11 -o json > all.json; $FILES/get '[r for r in rows if r.gpu_model == "B300" and float(r.usd_gpu_hour) < 1]' '[r for r in rows if (r.instance_type or "").startswith("Standard_NP")]' '[r for r in rows if (r.region or "").startswith("cn-")]' '[r.gpu_count for r in rows if r.instance_type == "g4-standard-6"][0]' < all.json
  []
  []
  []
  0.125
