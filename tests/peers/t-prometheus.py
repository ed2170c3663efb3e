#!/usr/bin/env python3
"""A real Prometheus server, loaded with two days of known history: what tare reads from it must be that history.

usage: t-prometheus.py BUILD_DIR. Wants prometheus and promtool (Debian: prometheus) in PATH or in TARE_PROMETHEUS_BIN; skips without.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

from ports import free_port

T0 = 1782777600  # 2026-06-30T00:00:00Z
DAY = 86400
UNTIL = T0 + 2 * DAY
UUID = ["GPU-604ac76c-d9cf-fef3-62e9-d92044ab6e52", "GPU-11111111-2222-3333-4444-555555555555"]
GAP = (T0 + 10 * 3600, T0 + 11 * 3600)  # the exporter was down
KUBE_GAP = (T0 + 30 * 3600, T0 + 31 * 3600)  # kube-state-metrics was down
KUBE_BLINK = (T0 + 40 * 3600, T0 + 40 * 3600 + 180)  # and here for three steps
failed = 0
number = 0


def check(what, good, seen=""):
    global failed, number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {what}")
    if not good:
        failed += 1
        print(f"# {seen}"[:2000])


def find(name):
    where = os.environ.get("TARE_PROMETHEUS_BIN")
    path = os.path.join(where, name) if where else shutil.which(name)
    return path if path and os.access(path, os.X_OK) else None


def iso(t):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(t))


def util(gpu, t):
    """GPU 0 works 6 hours of each 12, GPU 1 is idle at exactly 0."""
    return 80 if gpu == 0 and (t - T0) // 21600 % 2 == 0 else 0


def pod_of(gpu, t):
    """GPU 0: train-0 holds it during the first day but its first hour; GPU 1: serve-0 all the time."""
    if gpu == 1:
        return "serve-0"
    return "train-0" if T0 + 3600 <= t < T0 + DAY else ""


def history():
    """Families of OpenMetrics text, each: type, then samples (name, labels, time, value)."""
    fam = {}

    def add(family, name, labels, t, v):
        fam.setdefault(family, []).append((name, labels, t, v))

    def card(gpu, t):
        pod = pod_of(gpu, t)
        l = {"gpu": str(gpu), "UUID": UUID[gpu], "modelName": "NVIDIA A100-SXM4-80GB", "Hostname": "node-a", "instance": "10.0.0.1:9400"}
        if pod:
            l.update(exported_namespace="ml", exported_pod=pod, exported_container="main")
        l.update(namespace="gpu-operator", pod="nvidia-dcgm-exporter-x7k2p", container="nvidia-dcgm-exporter")
        return l

    for t in range(T0 + 7, UNTIL, 30):
        for gpu in (0, 1):
            if GAP[0] <= t < GAP[1]:
                continue
            add("DCGM_FI_DEV_GPU_UTIL", None, card(gpu, t), t, util(gpu, t))
            add("DCGM_FI_DEV_FB_USED", None, card(gpu, t), t, 40000)
            add("DCGM_FI_DEV_FB_FREE", None, card(gpu, t), t, 41000)
            add("DCGM_FI_DEV_POWER_USAGE", None, card(gpu, t), t, 300 if util(gpu, t) else 60.5)
            add("DCGM_FI_DEV_GPU_TEMP", None, card(gpu, t), t, 9223372036854775794 if gpu else 55)
    for t in range(T0 + 11, UNTIL, 60):
        if any(a <= t < b for a, b in (KUBE_GAP, KUBE_BLINK)):
            continue
        node = {"node": "node-a"}
        add("kube_node_status_capacity", None, dict(node, resource="nvidia_com_gpu", unit="integer"), t, 2)
        add("kube_node_status_capacity", None, dict(node, resource="cpu", unit="core"), t, 96)
        add("kube_node_status_allocatable", None, dict(node, resource="cpu", unit="core"), t, 95.5)
        add("kube_node_status_allocatable", None, dict(node, resource="memory", unit="byte"), t, 1100 << 30)
        add("kube_node_info", None, dict(node, provider_id="aws:///us-east-1a/i-0abc"), t, 1)
        add("kube_node_labels", None, dict(node, label_node_kubernetes_io_instance_type="p4d.24xlarge",
                                          label_topology_kubernetes_io_region="us-east-1", label_topology_kubernetes_io_zone="us-east-1a",
                                          label_eks_amazonaws_com_capacityType="ON_DEMAND",
                                          label_nvidia_com_gpu_product="NVIDIA-A100-SXM4-80GB"), t, 1)
        for gpu, pod, team in ((0, "train-0", "nlp"), (1, "serve-0", "search"), (2, "web-0", "web")):
            if pod == "train-0" and not T0 + 1800 <= t < T0 + DAY + 7200:
                continue  # created half an hour before it runs, kept two hours after its end
            who = {"namespace": "ml", "pod": pod, "uid": "uid-" + pod}
            runs = pod != "train-0" or T0 + 3600 <= t < T0 + DAY
            phase = "Running" if runs else "Pending" if t < T0 + DAY else "Failed"
            for p in ("Running", "Pending", "Succeeded", "Failed"):
                add("kube_pod_status_phase", None, dict(who, phase=p), t, int(p == phase))
            res = dict(who, container="main", node="node-a", resource="nvidia_com_gpu" if gpu < 2 else "cpu", unit="integer")
            if phase == "Pending":
                res["node"] = ""
            add("kube_pod_container_resource_requests", None, res, t, 1)
            if pod == "serve-0":  # and a container beside the one with the GPU
                for c, cpu in (("main", 8), ("proxy", 0.5)):
                    add("kube_pod_container_resource_requests", None, dict(res, container=c, resource="cpu", unit="core"), t, cpu)
                add("kube_pod_container_resource_requests", None, dict(res, resource="memory", unit="byte"), t, 64 << 30)
            add("kube_pod_labels", None, dict(who, label_team=team, label_project="p1"), t, 1)
            add("kube_pod_info", None, dict(who, created_by_kind="Job", created_by_name=pod.rsplit("-")[0], node="node-a"), t, 1)
            add("kube_pod_created", None, who, t, T0 + 1800 if pod == "train-0" else T0 - 5000)
    # vLLM: 10 requests a minute, 7 of them within 0.5 s; the server starts again after a day
    for i, t in enumerate(range(T0 + 3, UNTIL, 60)):
        n = (i if t < T0 + DAY else i - 1440) * 10 + 1000 * (t < T0 + DAY)
        m = {"model_name": "llama", "instance": "s:8000"}
        add("vllm:request_success", "vllm:request_success_total", dict(m, finished_reason="stop"), t, n)
        add("vllm:prompt_tokens", "vllm:prompt_tokens_total", m, t, n * 200)
        add("vllm:generation_tokens", "vllm:generation_tokens_total", m, t, n * 50)
        add("vllm:request_prefill_time_seconds_sum", None, m, t, n * 0.25)
        add("vllm:request_decode_time_seconds_sum", None, m, t, n * 1.5)
        for le, share in (("0.5", 0.7), ("2.0", 0.9), ("+Inf", 1.0)):
            add("vllm:e2e_request_latency_seconds", "vllm:e2e_request_latency_seconds_bucket", dict(m, le=le), t, round(n * share))
        add("nv_inference_request_success", None, {"model": "resnet", "version": "1"}, t, 600 * i)
        add("nv_inference_request_duration_us", None, {"model": "resnet", "version": "1"}, t, 600 * i * 4000)
        add("nv_inference_compute_infer_duration_us", None, {"model": "resnet", "version": "1"}, t, 600 * i * 1500)
    return fam


def write_openmetrics(path):
    with open(path, "w") as f:
        for family, samples in history().items():
            counter = family in ("vllm:request_success", "vllm:prompt_tokens", "vllm:generation_tokens")
            kind = "counter" if counter else "unknown"
            if family.startswith("vllm:e2e"):  # a histogram without _sum and _count is none to the reader
                kind, family = "unknown", "vllm:e2e_request_latency_seconds_bucket"
            f.write(f"# TYPE {family} {kind}\n")
            for name, labels, t, v in samples:
                text = ",".join(f'{k}="{x}"' for k, x in labels.items())
                f.write(f"{name or family}{{{text}}} {v} {t}\n")
        f.write("# EOF\n")


def start(prometheus, promtool, work):
    data = os.path.join(work, "data")
    text = os.path.join(work, "history.txt")
    write_openmetrics(text)
    subprocess.run([promtool, "tsdb", "create-blocks-from", "openmetrics", "-q", text, data], check=True, stdout=subprocess.DEVNULL)
    conf = os.path.join(work, "prometheus.yml")
    with open(conf, "w") as f:
        f.write("global: {scrape_interval: 1h}\n")
    port = free_port()
    log = open(os.path.join(work, "log"), "w")
    server = subprocess.Popen([prometheus, f"--config.file={conf}", f"--storage.tsdb.path={data}", f"--web.listen-address=127.0.0.1:{port}",
                               "--storage.tsdb.retention.time=100y", "--query.max-samples=4000"], stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    for _ in range(1200):
        try:
            urllib.request.urlopen(url + "/-/ready", timeout=5).read()
            return server, url
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.1)
    server.kill()
    raise SystemExit("not ok 1 - prometheus does not start: " + open(os.path.join(work, "log")).read()[-500:])


def rows(text):
    out = []
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        out.append((kind, dict(w.split("=", 1) for w in rest.split(" ") if "=" in w) if kind != "note" else rest))
    return out


def of(all_rows, kind):
    return [r for k, r in all_rows if k == kind]


def check_samples(got):
    s = of(got, "sample")
    per_gpu = {u: [r for r in s if r["gpu"] == u] for u in UUID}
    check("every minute but the hour without readings, of both GPUs", all(len(v) == 2 * 1440 - 60 for v in per_gpu.values()),
          {u: len(v) for u, v in per_gpu.items()})
    check("no sample lies in the gap", not [r for r in s if GAP[0] <= int(r["t"]) < GAP[1]])
    wrong = [r for r in s if float(r["gpu_util_pct"]) != util(UUID.index(r["gpu"]), int(r["t"]))]
    check("utilisation is what was written", not wrong, wrong[:3])
    check("memory is bytes", all(float(r["mem_used_bytes"]) == 40000 * 1048576 and abs(float(r["mem_total_bytes"]) - 81000 * 1048576) < 1e6 for r in s),
          s[0])
    check("'not supported' is unknown", all(("temp_celsius" in r) == (r["gpu"] == UUID[0]) for r in s), s[0])
    wrong = [r for r in s if r.get("job", "") != ("ml/" + pod_of(UUID.index(r["gpu"]), int(r["t"]))).rstrip("/").replace("ml", "ml", 1)
             and pod_of(UUID.index(r["gpu"]), int(r["t"]))]
    check("readings name their pod", not wrong, wrong[:3])
    check("the exporter's own pod holds nothing", not [r for r in s if "dcgm-exporter" in r.get("job", "")])


def check_kube(got):
    node = of(got, "node")
    want = {"node": "node-a", "provider": "aws", "region": "us-east-1", "zone": "us-east-1a", "type": "p4d.24xlarge", "purchase": "on_demand",
            "model": "NVIDIA-A100-SXM4-80GB", "id": "aws:///us-east-1a/i-0abc", "gpus": "2000", "from": str(T0), "to": str(UNTIL),
            "gpu_ids": ";".join(UUID), "cpu": "95500", "ram": str(1100 * 1024)}
    check("one node, paid all the time", node == [want], node)
    seen = [(w["node"], w.get("cluster"), int(w["from"]), int(w["to"])) for w in of(got, "witness")]
    want = [("node-a", None, T0, KUBE_GAP[0]), ("node-a", None, KUBE_GAP[1], UNTIL)]
    check("holders were seen while it was scraped, three steps are no gap", seen == want, seen)
    jobs = {r["job"]: r for r in of(got, "allocation")}
    check("two pods hold GPUs", sorted(jobs) == ["ml/serve-0", "ml/train-0"], jobs)
    check("CPU and memory of all its containers", (jobs["ml/serve-0"].get("cpu"), jobs["ml/serve-0"].get("ram")) == ("8500", str(64 * 1024)), jobs["ml/serve-0"])
    check("who asks for none holds none that is known", "cpu" not in jobs["ml/train-0"] and "ram" not in jobs["ml/train-0"], jobs["ml/train-0"])
    t = jobs.get("ml/train-0", {})
    check("a pod holds its GPU while it runs", (t.get("start"), t.get("end"), t.get("open")) == (str(T0 + 3600), str(T0 + DAY), "0"), t)
    check("its owner, card, state and creation", (t.get("team"), t.get("project"), t.get("gpu_ids"), t.get("state"), t.get("submit"), t.get("name"))
          == ("nlp", "p1", UUID[0], "FAILED", str(T0 + 1800), "train"), t)
    s = jobs.get("ml/serve-0", {})
    check("a pod that still runs is open", (s.get("start"), s.get("end"), s.get("open"), s.get("state")) == (str(T0), str(UNTIL), "1", "RUNNING"), s)


def check_requests(got):
    r = of(got, "request")
    llama = [x for x in r if x["service"] == "llama"]
    resnet = [x for x in r if x["service"] == "resnet"]
    # 1,439 steps of growth on each day; the step of the restart counts from 0 and finds 0
    check("requests of vLLM, a restart between", sum(int(x["count"]) for x in llama) == 2 * 1439 * 10, sum(int(x["count"]) for x in llama))
    check("its tokens", (sum(int(x["in"]) for x in llama), sum(int(x["out"]) for x in llama)) == (2 * 14390 * 200, 2 * 14390 * 50))
    check("its time of prefill and decode", (sum(int(x["prefill_ms"]) for x in llama), sum(int(x["decode_ms"]) for x in llama)) == (2 * 14390 * 250, 2 * 14390 * 1500))
    check("its latencies", all(x["histogram"] == "500:7;2000:2;+Inf:1" for x in llama), llama[:2])
    check("requests of Triton", sum(int(x["count"]) for x in resnet) == 2879 * 600, sum(int(x["count"]) for x in resnet))
    check("their mean latency and GPU time", all(x["latency_ms"] == "4" and x["gpu_ms"] == "900" for x in resnet), resnet[:2])


def check_import(build, url, work):
    tare = os.path.join(build, "tare")
    if not os.access(tare, os.X_OK):
        tare = os.path.join(build, "src", "cli", "tare")
    if not os.access(tare, os.X_OK):
        global number
        number += 1
        print(f"ok {number} - import by the program # SKIP no tare in the build folder")
        return
    db = os.path.join(work, "db")
    env = dict(os.environ, TARE_NOW=iso(UNTIL))
    run = subprocess.run([tare, "import", "--db", db, "--prometheus", url, "--since", "2d", "-o", "json"], capture_output=True, text=True, env=env)
    check("tare import --prometheus", run.returncode == 0, run.stderr)
    if run.returncode:
        return
    file = json.loads(run.stdout)["files"][0]
    check("its report counts the rows", file["rows_kept"] == 2 * (2880 - 60) + 3 + 2 * 1439 + 2879, file)
    run = subprocess.run([tare, "report", "--db", db, "--by", "team,state", "-o", "json"], capture_output=True, text=True, env=env)
    check("tare report", run.returncode == 0, run.stderr)
    if run.returncode:
        return
    report = json.loads(run.stdout)
    cell = {(r["team"], r["state"]): float(r["gpu_seconds"]) for r in report["rows"]}
    check("the ledger closes: two cards for two days", float(report["total"]["gpu_seconds"]) == 2 * 2 * DAY, report["total"])
    # the pod ran hours 1 to 24 and failed; the card worked in hours 0-6 and 12-18 of both days, 13 of those hours without a pod
    check("time of the failed pod is lost", cell.get(("nlp", "lost")) == 23 * 3600, cell)
    check("what ran outside of pods is nobody's", cell.get((None, "busy")) == 13 * 3600, cell)
    check("idle while memory is held", cell.get(("search", "idle_held")) == 2 * DAY - 3600, cell)
    check("time without readings is unknown", cell.get(("search", "unknown")) == 3600, cell)


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    prometheus, promtool = find("prometheus"), find("promtool")
    dump = os.path.join(build, "tests", "unit", "feed", "prom-dump")
    if not prometheus or not promtool:
        print("1..0 # SKIP no prometheus and promtool here (Debian: apt-get install prometheus, or TARE_PROMETHEUS_BIN=DIR)")
        return 0
    if not os.access(dump, os.X_OK):
        print(f"1..0 # SKIP no {dump}: build it first")
        return 0
    with tempfile.TemporaryDirectory(prefix="tare-prom-") as work:
        server, url = start(prometheus, promtool, work)
        try:
            # the server takes 4,000 samples a query at most, so that large windows are refused and cut; points are limited too
            for limits in ([], ["500"], ["100000", "1000"]):
                run = subprocess.run([dump, url, iso(T0), iso(UNTIL), "60"] + limits, capture_output=True, text=True)
                check(f"history is read {'with limits ' + ' '.join(limits) if limits else ''}".strip(), run.returncode == 0, run.stderr)
                got = rows(run.stdout)
                if not limits:
                    first = got
                    check_samples(got)
                    check_kube(got)
                    check_requests(got)
                else:
                    plain = lambda g: sorted((k, sorted(r.items())) for k, r in g if k not in ("note", "report"))
                    check("smaller windows give the same rows", plain(got) == plain(first))
            metrics = urllib.request.urlopen(url + "/metrics", timeout=60).read().decode()
            refused = [l for l in metrics.splitlines() if l.startswith("prometheus_http_requests_total") and 'code="422"' in l]
            check("the server did refuse some windows", refused and float(refused[0].split()[-1]) > 0, refused)
            none = subprocess.run([dump, url, "2020-01-01", "2020-01-02", "60"], capture_output=True, text=True)
            check("a time without data is an error that says so", none.returncode == 2 and "holds no series" in none.stderr, none.stderr)
            check_import(build, url, work)
        finally:
            server.terminate()
            server.wait()
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
