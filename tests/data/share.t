Who may share a GPU, on public measurements.

Lucid: 66 training jobs on an RTX 3090, alone, and 1,388 pairs of them on one GPU. Of all pairs 56.1 % keep both above 0.9 of their speed; of those that are put on
one GPU by what each did alone, measured afterwards:

  needs: $TARE_SHARED/data/perf_colocation_lucid/colocate_info.csv
  $ cat > jobs.py <<'PY'
  > import csv, os
  > top = os.environ["TARE_SHARED"] + "/data/perf_colocation_lucid/"
  > with open("lucid.csv", "w") as f:
  >     f.write("name,kind,owner,mem_gib,load_frac\n")
  >     for r in csv.DictReader(open(top + "single_job_profile.csv")):
  >         f.write("%s|%s|%s|%s,service,lab,%.3f,%.4f\n" % (r["model"], r["dataset"], r["batchsize"], r["amp"], float(r["gmem"]) / 1024, float(r["gpu_util"]) / 100))
  > PY
  $ cat > measured.py <<'PY'
  > import csv, itertools, json, os, sys
  > top = os.environ["TARE_SHARED"] + "/data/perf_colocation_lucid/"
  > key = lambda r, k: "|".join(r[c + k] for c in ("model", "dataset", "batchsize", "amp"))
  > slow = {}
  > for r in csv.DictReader(open(top + "colocate_info.csv")):
  >     slow[frozenset((key(r, "1"), key(r, "2")))] = min(float(r["speed1"]), float(r["speed2"]))
  > d = json.load(sys.stdin)
  > say = lambda what, v: print(f"{what}: {len(v)} measured, {100 * sum(x > 0.9 for x in v) / len(v):.1f} % keep both above 0.9, worst {min(v):.3f}")
  > say("all pairs", list(slow.values()))
  > say("on one GPU", [slow[frozenset(p)] for c in d["layout"] for p in itertools.combinations([t["name"] for t in c["tenants"]], 2) if frozenset(p) in slow])
  > PY
  $ python3 jobs.py; tare plan share --tenants lucid.csv --gpu RTX-3090 | head -1
  66 tenants: 41 GPUs in place of 66; fewer than 40 is impossible.
  $ tare plan share --tenants lucid.csv --gpu RTX-3090 -o json | python3 measured.py
  all pairs: 1388 measured, 56.1 % keep both above 0.9, worst 0.444
  on one GPU: 23 measured, 87.0 % keep both above 0.9, worst 0.877
  $ tare plan share --tenants lucid.csv --gpu RTX-3090 --target-frac 1 -o json | python3 measured.py
  all pairs: 1388 measured, 56.1 % keep both above 0.9, worst 0.444
  on one GPU: 39 measured, 71.8 % keep both above 0.9, worst 0.818

ParvaGPU: eleven models of as many owners, load = rate of a scenario / best rate on the whole GPU. MIG alone may put owners who differ together. What each got is
looked up in the profiles measured on that instance; tare plan mig, which has these profiles, needs 2, 3, 5 and 7 GPUs.

  $ cat > services.py <<'PY'
  > import csv, json, os, sys
  > top = os.environ["TARE_SHARED"] + "/data/perf_mig_parvagpu/"
  > names = sorted(f[:-4] for f in os.listdir(top + "prof_data"))
  > slo = list(csv.reader(open(top + "SLO/SLO_latency.csv"))); rate = list(csv.reader(open(top + "SLO/SLO_req_rate.csv")))
  > gib = {1: 9.625, 2: 19.5, 3: 39.25, 4: 39.25, 7: 78.5}
  > def best(m, n, bound):      # requests a second on an instance of n slices, within the bound
  >     rows = csv.DictReader(open(f"{top}prof_data/{m}.csv"))
  >     return max([float(r["Throughput"]) * int(r["Workload Number"]) for r in rows if int(r["Mig instance"]) == n and 0 < float(r["Latency"]) * 1000 < 0.45 * bound] or [0])
  > ask = {m: (float(l), float(r)) for m, l, r in zip(names, slo[int(sys.argv[1]) - 1], rate[int(sys.argv[1]) - 1]) if r.strip() != "N/A"}
  > if len(sys.argv) == 2:
  >     print("name,owner,mem_gib,load_frac")
  >     for m, (bound, r) in ask.items():
  >         fits = min(n for n in gib if best(m, n, bound) > 0)
  >         print(f"{m},team-{m},{gib[fits] / 1.1 - 0.01:.2f},{r / best(m, 7, bound):.4f}")
  > else:
  >     d = json.load(open(sys.argv[2])); n = ok = 0
  >     for c in d["layout"]:
  >         for t in c["tenants"]:
  >             s = int(t["profile"][0]) if t["profile"] else 7
  >             n += 1; ok += best(t["name"], s, ask[t["name"]][0]) >= ask[t["name"]][1]
  >     print(f"{d['cards']} GPUs, {ok} of {n} services serve their rate within their bound on what they got, as measured")
  > PY
  $ for s in 1 2 3 4; do python3 services.py $s > p$s.csv; tare plan share --tenants p$s.csv -o json > p$s.json; python3 services.py $s p$s.json; done
  2 GPUs, 6 of 6 services serve their rate within their bound on what they got, as measured
  4 GPUs, 10 of 11 services serve their rate within their bound on what they got, as measured
  6 GPUs, 11 of 11 services serve their rate within their bound on what they got, as measured
  10 GPUs, 11 of 11 services serve their rate within their bound on what they got, as measured
  $ tare plan share --tenants p4.csv --across none -o json | $FILES/get cards proven '{c.how for c in layout}'
  11
  True
  {'whole'}

A day of 143 containers of a diffusion service, a GPU each; memory is the highest reading, load the 99th percentile.

  $ cat > containers.py <<'PY'
  > import csv, gzip, os, math
  > top = os.environ["TARE_SHARED"] + "/data/telemetry_alibaba_gentd26/"
  > duty, mem = {}, {}
  > for r in csv.DictReader(gzip.open(top + "pod_gpu_duty_cycle_anon.csv.gz", "rt")):
  >     duty.setdefault(r["container_ip"], []).append(float(r["value"]))
  > for r in csv.DictReader(gzip.open(top + "pod_gpu_memory_used_bytes_anon.csv.gz", "rt")):
  >     mem[r["container_ip"]] = max(mem.get(r["container_ip"], 0), float(r["value"]))
  > with open("gentd.csv", "w") as f:
  >     f.write("name,kind,owner,mem_bytes,util_pct\n")
  >     for c in sorted(duty):
  >         v = sorted(duty[c])
  >         f.write(f"{c},service,diffusion,{mem[c]:.0f},{v[math.ceil(len(v) * 0.99) - 1]:g}\n")
  > PY
  $ python3 containers.py; for g in A100-80GB H200; do tare plan share --tenants gentd.csv --gpu $g | head -1; done
  143 tenants: 82 GPUs in place of 143; fewer than 79 is impossible.
  143 tenants: 73 GPUs in place of 143; fewer than 70 is impossible.

Each GPU holds its tenants: from the two files alone.

  $ tare plan share --tenants gentd.csv -o json > d.json; cat > check.py <<'PY'
  > import csv, json
  > t = {r["name"]: (float(r["mem_bytes"]), float(r["util_pct"]) / 100) for r in csv.DictReader(open("gentd.csv"))}
  > cards = [[t.pop(x["name"]) for x in c["tenants"]] for c in json.load(open("d.json"))["layout"]]
  > shared = [c for c in cards if len(c) > 1]
  > print(len(t), len(shared), all(sum(m for m, _ in c) * 1.1 <= 80 * 2**30 and sum(u for _, u in c) <= 0.8 for c in shared))
  > PY
  $ python3 check.py
  0 58 True
