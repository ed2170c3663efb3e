Eleven models profiled on MIG instances of an A100-80GB, six scenarios of latency bounds and rates. A published packer needs 2, 3, 5, 7, 13 and
17 cards; the fewest, each proven by a bound:

  needs: $TARE_SHARED/data/perf_mig_parvagpu/prof_data/bert.csv
  $ mig() { tare plan mig --profiles $TARE_SHARED/data/perf_mig_parvagpu/prof_data --slo-latency $TARE_SHARED/data/perf_mig_parvagpu/SLO/SLO_latency.csv --slo-rate $TARE_SHARED/data/perf_mig_parvagpu/SLO/SLO_req_rate.csv "$@"; }; declare -f mig > mig.sh
  $ . ./mig.sh; mig
  scenario  services  GPUs  bound  proven
         1         6     2      2     yes
         2        11     3      3     yes
         3        11     5      5     yes
         4        11     7      7     yes
         5        11    12     12     yes
         6        11    15     15     yes
  ───────────────────────────────────────
                        44     44  6 of 6

A layout as printed, and for NVIDIA's mig-parted.

  $ . ./mig.sh; mig --scenario 2
  Scenario 2: 11 services on A100-SXM4-80GB need 3 GPUs; fewer is impossible (proven).
  
  gpu  start  profile  service      batch  procs  requests/s
    0      0  2g.20gb  densenet121     16      3       668.9
           2  2g.20gb  densenet169     16      3       526.3
           4  2g.20gb  densenet201     16      2       423.9
           6  1g.10gb  bert           128      3       183.6
    1      0  2g.20gb  resnet101       32      1       516.1
           2  2g.20gb  resnet152       16      2       381.8
           4  2g.20gb  vgg16           32      2       532.8
           6  1g.10gb  inceptionv3     64      1       583.9
    2      4  2g.20gb  vgg19           32      2       448.9
           0  1g.10gb  mobilenetv2      4      2       771.2
           1  1g.10gb  resnet50        32      1       412.1
           2  1g.10gb  resnet50        32      1       412.1
           3  1g.10gb  resnet50        32      1       412.1
  $ . ./mig.sh; mig --scenario 1 -o csv
  gpu,start,profile,service,batch,procs,requests/s
  0,0,2g.20gb,bert,128,4,351.8
  0,2,2g.20gb,densenet121,16,3,668.9
  0,4,2g.20gb,inceptionv3,8,5,1244.9
  0,6,1g.10gb,resnet50,32,1,412.1
  1,0,2g.20gb,mobilenetv2,16,2,1572.7
  1,2,2g.20gb,resnet50,32,2,819.8
  1,4,2g.20gb,vgg19,32,2,448.9
  $ . ./mig.sh; mig -o csv
  scenario,services,GPUs,bound,proven
  1,6,2,2,yes
  2,11,3,3,yes
  3,11,5,5,yes
  4,11,7,7,yes
  5,11,12,12,yes
  6,11,15,15,yes
  $ . ./mig.sh; mig --scenario 1 --parted
  version: v1
  mig-configs:
    tare:
      - devices: [0]
        mig-enabled: true
        mig-devices:
          "2g.20gb": 3
          "1g.10gb": 1
      - devices: [1]
        mig-enabled: true
        mig-devices:
          "2g.20gb": 3

Every layout is checked here once more, from the files alone: legal starts, no slice twice, no more than seven compute slices, every rate reached
within 0.45 of its bound.

  $ cat > check.py <<'PY'
  > import csv, json, os, sys
  > top = os.environ["TARE_SHARED"] + "/data/perf_mig_parvagpu/"
  > names = sorted(f[:-4] for f in os.listdir(top + "prof_data"))
  > rows = {n: list(csv.DictReader(open(f"{top}prof_data/{n}.csv"))) for n in names}
  > slo = list(csv.reader(open(top + "SLO/SLO_latency.csv"))); rate = list(csv.reader(open(top + "SLO/SLO_req_rate.csv")))
  > starts = {1: range(7), 2: (0, 2, 4), 3: (0, 4), 4: (0,), 7: (0,)}; memory = {1: 1, 2: 2, 3: 4, 4: 4, 7: 8}
  > for s in range(6):
  >     r = json.load(open(f"{s + 1}.json")); got = dict.fromkeys(names, 0.0)
  >     assert r["proven"] and r["lower_bound"] == r["gpus"] == len(r["layout"])
  >     for g in r["layout"]:
  >         used = []
  >         for i in g["instances"]:
  >             n = int(i["profile"].split("g")[0]); m = i["service"]
  >             assert i["start"] in starts[n]
  >             used += range(i["start"], i["start"] + memory[n])
  >             w = [x for x in rows[m] if (int(x["Mig instance"]), int(x["Batch size"]), int(x["Workload Number"])) == (n, i["batch"], i["procs"])][0]
  >             assert float(w["Latency"]) * 1000 < 0.45 * float(slo[s][names.index(m)])
  >             got[m] += float(w["Throughput"]) * i["procs"]
  >         assert len(used) == len(set(used)) <= 8 and sum(int(i["profile"].split("g")[0]) for i in g["instances"]) <= 7
  >     for m, n in zip(names, rate[s]):
  >         assert n.strip() == "N/A" or got[m] >= float(n), (s, m, got[m], n)
  > print("all legal, all rates reached")
  > PY
  $ . ./mig.sh; for s in 1 2 3 4 5 6; do mig --scenario $s -o json > $s.json; done; python3 check.py
  all legal, all rates reached

48 random mixes of the models (three in four of them, bounds of a scenario drawn for each, 0.1 to 3 times the largest rate), all proven; another seed,
other mixes; none of them takes 50 ms.

  $ . ./mig.sh; mig --random-mixes 48 --seed 1 | tail -3
   48         8    16     16       yes
  ────────────────────────────────────
                  916    916  48 of 48
  $ . ./mig.sh; mig --random-mixes 48 --seed 1 --timing -o json | $FILES/get 'proven, gpus == lower_bound, slowest_ms < 50'
  (48, True, True)
  $ . ./mig.sh; mig --random-mixes 48 --seed 2 -o json | $FILES/get 'proven, gpus == lower_bound'
  (48, True)

Other cards have other rules: the same requests on one with the same throughput per slice and the geometry of an H200.

  $ . ./mig.sh; mig --gpu H200 --scenario 1 -o json | $FILES/get '(gpu_model, gpus, sorted({i.profile for g in layout for i in g.instances}))'
  ('H200-SXM5-141GB', 2, ['1g.18gb', '2g.35gb'])

What cannot be is said.

  $ . ./mig.sh; mig --slo-frac 0.01 --scenario 1
  ! tare: no instance serves 'densenet121' within its latency bound
  !       Raise its bound, or profile smaller batches or larger instances
  [1]
  $ . ./mig.sh; mig --gpu T4
  ! tare: --gpu: 'T4' is no GPU with MIG that the catalogue knows
  !       A100, A30, H100, H200, B200 have MIG; see data/mig_profiles.csv
  [2]
  $ . ./mig.sh; mig --scenario 7
  ! tare: --scenario: '7' is no whole number from 1 to 6
  [2]
