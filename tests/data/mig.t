Eleven models profiled on MIG instances of an A100-80GB, six scenarios of latency bounds and rates. A published packer needs 2, 3, 5, 7, 13 and
17 GPUs; the fewest, each proven by a bound:

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

The columns by name: in any order, and a service without one is not asked for.

  $ cat > named.py <<'PY'
  > import csv, os
  > top = os.environ["TARE_SHARED"] + "/data/perf_mig_parvagpu/"
  > names = sorted(f[:-4] for f in os.listdir(top + "prof_data")); order = names[::-1]
  > for f in ("SLO_latency", "SLO_req_rate"):
  >     rows = list(csv.reader(open(f"{top}SLO/{f}.csv")))
  >     w = csv.writer(open(f + ".csv", "w")); w.writerow(order); w.writerows([[r[names.index(n)] for n in order] for r in rows])
  >     w = csv.writer(open(f + "_few.csv", "w")); few = ["vgg16", "bert"] if f == "SLO_latency" else ["bert", "vgg16"]
  >     w.writerow(few); w.writerows([[r[names.index(n)] for n in few] for r in rows])
  > PY
  $ python3 named.py; . ./mig.sh; mig > by_place; mig --slo-latency SLO_latency.csv --slo-rate SLO_req_rate.csv | diff - by_place && echo same
  same
  $ . ./mig.sh; mig --slo-latency SLO_latency_few.csv --slo-rate SLO_req_rate_few.csv --scenario 6 | head -1
  Scenario 6: 2 services on A100-SXM4-80GB need 3 GPUs; fewer is impossible (proven).
  $ . ./mig.sh; sed '1s/vgg16/vgg61/' SLO_latency_few.csv > wrong.csv; mig --slo-latency wrong.csv --slo-rate SLO_req_rate_few.csv
  ! tare: 'wrong.csv': column 'vgg61' names no profile
  !       Did you mean 'vgg16'?
  [2]
  $ . ./mig.sh; sed 1d SLO_latency_few.csv > bare.csv; mig --slo-latency bare.csv --slo-rate SLO_req_rate_few.csv
  ! tare: 'bare.csv': 2 columns without names, but 11 profiles
  !       Name the columns in a first line; without one there is a column per profile, in the order of their names
  [2]
  $ . ./mig.sh; sed '1s/vgg16/7/' SLO_latency_few.csv > half.csv; mig --slo-latency half.csv --slo-rate SLO_req_rate_few.csv
  ! tare: 'half.csv': line 1: some columns have a name and others none: a header names every column, numbers and N/A are a scenario
  [2]

From what runs today: the layout of a scenario is where the next one starts. Every way is checked from the files: what stays is today's, all that is
not listed as drained stays, places are legal, rates reached.

  $ cat > moved.py <<'PY'
  > import csv, json, os, sys
  > top = os.environ["TARE_SHARED"] + "/data/perf_mig_parvagpu/"
  > names = sorted(f[:-4] for f in os.listdir(top + "prof_data"))
  > rows = {n: list(csv.DictReader(open(f"{top}prof_data/{n}.csv"))) for n in names}
  > slo = list(csv.reader(open(top + "SLO/SLO_latency.csv"))); rate = list(csv.reader(open(top + "SLO/SLO_req_rate.csv")))
  > starts = {1: range(7), 2: (0, 2, 4), 3: (0, 4), 4: (0,), 7: (0,)}; memory = {1: 1, 2: 2, 3: 4, 4: 4, 7: 8}
  > before, after = int(sys.argv[1]), int(sys.argv[2])
  > today = {(int(r["gpu"]), int(r["start"]), r["profile"], r["service"]) for r in csv.DictReader(open(f"today{before}.csv"))}
  > asked = {n for n, r in zip(names, rate[after - 1]) if r.strip() != "N/A"}
  > d = json.load(sys.stdin); stays = set(); got = dict.fromkeys(names, 0.0)
  > for g in d["layout"]:
  >     used = []
  >     for i in g["instances"]:
  >         n = int(i["profile"].split("g")[0]); me = (g["gpu"], i["start"], i["profile"], i["service"])
  >         assert i["stays"] == (me in today); stays |= {me} if i["stays"] else set()
  >         assert i["start"] in starts[n]; used += range(i["start"], i["start"] + memory[n])
  >         w = [x for x in rows[i["service"]] if (int(x["Mig instance"]), int(x["Batch size"]), int(x["Workload Number"])) == (n, i["batch"], i["procs"])][0]
  >         assert float(w["Latency"]) * 1000 < 0.45 * float(slo[after - 1][names.index(i["service"])])
  >         got[i["service"]] += float(w["Throughput"]) * i["procs"]
  >     assert len(used) == len(set(used)) <= 8
  > for m, n in zip(names, rate[after - 1]): assert n.strip() == "N/A" or got[m] >= float(n)
  > drained = {(x["gpu"], x["start"], x["profile"], x["service"]) for x in d["drained"]}
  > assert drained == {t for t in today - stays if t[3] in asked}
  > w = [w for w in d["ways"] if w["taken"]][0]
  > assert (w["kept"], w["drained"], w["gpus"]) == (len(stays), len(drained), len(d["layout"]))
  > naive = sum(1 for t in today if t[3] in asked) - len({(g["gpu"], i["start"], i["profile"], i["service"]) for g in json.load(open(f"plain{after}.json"))["layout"] for i in g["instances"]} & today)
  > print(f"{before} -> {after}: {d['gpus']} GPUs, {len(stays)} stay, {len(drained)} drained (the layout as packed without a look at today: {naive})")
  > PY
  $ . ./mig.sh; for s in 1 2 3 4 5 6; do mig --scenario $s -o csv > today$s.csv; mig --scenario $s -o json > plain$s.json; done; for m in "2 3" "3 2" "3 4" "4 3" "4 5" "5 6" "6 5" "6 1"; do set -- $m; mig --scenario $2 --current today$1.csv -o json | python3 moved.py $1 $2; done
  2 -> 3: 5 GPUs, 13 stay, 0 drained (the layout as packed without a look at today: 13)
  3 -> 2: 3 GPUs, 6 stay, 12 drained (the layout as packed without a look at today: 18)
  3 -> 4: 7 GPUs, 18 stay, 0 drained (the layout as packed without a look at today: 18)
  4 -> 3: 5 GPUs, 10 stay, 12 drained (the layout as packed without a look at today: 22)
  4 -> 5: 12 GPUs, 17 stay, 5 drained (the layout as packed without a look at today: 22)
  5 -> 6: 15 GPUs, 7 stay, 20 drained (the layout as packed without a look at today: 26)
  6 -> 5: 12 GPUs, 26 stay, 17 drained (the layout as packed without a look at today: 42)
  6 -> 1: 2 GPUs, 5 stay, 19 drained (the layout as packed without a look at today: 23)
  $ . ./mig.sh; mig --scenario 5 --current today6.csv | tail -8
  
  From today's 15 GPUs, what fewer cost in instances drained (lowest: part of its rate that a service keeps):
  GPUs  stay  drained  made  lowest
    12    26       17    15    59 %  this layout
    13    32       11     9    69 %
    14    38        5     7    78 %
    15    42        1     4    85 %
  --max-drained N takes the fewest GPUs that drain at most N.
  $ . ./mig.sh; mig --scenario 5 --current today6.csv --max-drained 5 -o json | $FILES/get '[(w.gpus, w.drained) for w in ways if w.taken]' 'gpus'
  [(14, 5)]
  12
  $ . ./mig.sh; mig --scenario 5 --current today6.csv --max-drained 0 | tail -1
  No way drains as few as asked: this one drains least.
  $ . ./mig.sh; mig --scenario 2 --current today2.csv | sed -n 2p
  From today's layout, 3 GPUs: 13 instances stay, 0 are drained, 0 made.
  $ . ./mig.sh; printf 'gpu,start,profile,service\n0,0,2g.20gb,bert\n0,1,1g.10gb,bert\n' > overlap.csv; mig --scenario 2 --current overlap.csv
  ! tare: 'overlap.csv': line 3: beside what runs on that GPU, at that start, there is no place for '1g.10gb'
  [2]
  $ . ./mig.sh; printf 'gpu,start,profile,service\n0,0,2g.20gb,gpt\n' > other.csv; mig --scenario 2 --current other.csv
  ! tare: 'other.csv': line 2: no profile of the service 'gpt'
  !       A profile is a file NAME.csv of --profiles; without one nothing can be said of where it may run
  [2]
  $ . ./mig.sh; printf 'gpu,start,profile,service\n0,0,2g.30gb,bert\n' > other.csv; mig --scenario 2 --current other.csv
  ! tare: 'other.csv': line 2: the GPU has no profile '2g.30gb'
  [2]
  $ . ./mig.sh; printf 'gpu,start,profile,service\n3,6,1g.20gb,bert\n3,0,3g.40gb,vgg16\n' > wide.csv; mig --scenario 2 --current wide.csv | grep stays
           6  1g.20gb  bert           128      3       183.6  stays

Every profile of every GPU as the fact book has it: names, slices, how many, where they may start.

  needs: $TARE_SHARED/facts/mig_profiles.json
  $ cat > facts.py <<'PY'
  > import json, os, subprocess
  > gpu = {"A30-24GB": "A30", "A100-40GB": "A100-SXM4-40GB", "A100-80GB": "A100-80GB", "H100-80GB": "H100", "H100-94GB": "H100-NVL-94GB", "H100-96GB-GH200": "GH200-96GB",
  >        "GH200-144GB": "GH200-144GB", "H200-141GB": "H200", "B200-180GB": "B200", "GB200-186GB": "GB200", "B300-269GB": "B300", "GB300-278GB": "GB300", "RTX-PRO-6000-96GB": "RTX-PRO-6000"}
  > facts = json.load(open(os.environ["TARE_SHARED"] + "/facts/mig_profiles.json"))["gpus"]; n = 0
  > for name, f in facts.items():
  >     r = subprocess.run(["tare", "plan", "mig", "--gpu", gpu[name], "-o", "json"], capture_output=True, text=True)
  >     if r.returncode: print(name, r.stderr.strip()); continue
  >     got = {p["profile"]: (p["compute_slices"], p["memory_slices"], p["most"], p["starts"]) for p in json.loads(r.stdout)["profiles"]}
  >     want = {p["name"]: (p["compute_slices"], p["memory_slices"], p["max_instances"], p["placements"] and p["placements"]["starts"]) for p in f["profiles"]}
  >     n += len(want)
  >     if got != want: print(name, "differs", sorted(set(got) ^ set(want)), [(k, got[k], want[k]) for k in got if k in want and got[k] != want[k]])
  > print(len(facts), "GPUs,", n, "profiles")
  > PY
  $ python3 facts.py
  13 GPUs, 93 profiles

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

Other GPUs have other rules: the same requests on one with the same throughput per slice and the geometry of an H200.

  $ . ./mig.sh; mig --gpu H200 --scenario 1 -o json | $FILES/get '(gpu_model, gpus, sorted({i.profile for g in layout for i in g.instances}))'
  ('H200-SXM5-141GB', 2, ['1g.18gb', '2g.35gb'])

What cannot be is said.

  $ . ./mig.sh; mig --slo-frac 0.01 --scenario 1
  ! tare: no instance serves 'densenet121' within its latency bound
  !       Raise its bound, or profile smaller batches or larger instances
  [1]
  $ . ./mig.sh; mig --gpu T4
  ! tare: --gpu: 'T4' is not a GPU with MIG that the catalogue knows
  !       A100, A30, H100, H200, B200 have MIG; see data/mig_profiles.csv
  [2]
  $ . ./mig.sh; mig --scenario 7
  ! tare: --scenario: '7' is not a whole number from 1 to 6
  [2]
