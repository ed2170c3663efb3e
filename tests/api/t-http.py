#!/usr/bin/env python3
"""The agent's /metrics over raw sockets: malformed requests alone and behind nginx and haproxy, Host values, slow and many clients, a real Prometheus among them.

usage: t-http.py BUILD_DIR [malformed good hosts names slow readers many descriptors proxies prometheus]
nginx, haproxy and Prometheus are those of PATH or deps/bin; a part whose server is not there is skipped with that reason.
"""
import http.client
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../peers")]
from http_corpus import BODIES, GOOD, H, L, MALFORMED, WRONG_HOST, framed
from ports import free_port

DEPS = os.path.realpath(os.path.join(HERE, "../../deps"))
failed = number = 0


def check(what, good, seen=""):
    global failed, number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {what}", flush=True)
    if not good:
        failed += 1
        print("# " + str(seen)[:2000].replace("\n", "\n# "))


def skip(what, why):
    global number
    number += 1
    print(f"ok {number} - {what} # SKIP {why}", flush=True)


def exchange(port, data, wait=60):
    """What comes back until the server closes; None where it does not in `wait` seconds."""
    with socket.create_connection(("127.0.0.1", port), wait) as s:
        got = b""
        try:
            s.sendall(data)
            while more := s.recv(65536):
                got += more
        except TimeoutError:
            return None
        except ConnectionError:
            pass
    return got


def statuses(got):
    return [int(m) for m in re.findall(rb"HTTP/1\.[01] (\d\d\d) ", got or b"")]


class Agent:
    def __init__(self, build, work, *args, descriptors=None):
        self.port = free_port()
        env = {
            **os.environ,
            "TARE_NVML": f"{build}/tests/stub/nvml/libnvidia-ml.so.1",
            "TARE_STUB_NVML": f"{work}/cards",
            "HOME": work,
            "TARE_METADATA": "off",
        }
        env.pop("TARE_GPU_REPLAY", None)
        with open(f"{work}/cards", "w") as f:
            f.write("cards 4\n")
        state = tempfile.mkdtemp(dir=work)
        self.p = subprocess.Popen(
            [
                f"{build}/src/cli/tare-agent",
                "agent",
                "--state",
                state,
                "--listen",
                f"127.0.0.1:{self.port}",
                "-q",
                *args,
            ],
            env=env,
            preexec_fn=descriptors
            and (lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))),
        )
        while True:
            try:
                if b" 200 " in exchange(self.port, framed())[:20]:
                    break
            except ConnectionRefusedError:
                pass
            if self.p.poll() is not None:
                raise SystemExit("not ok - the agent does not start")
            time.sleep(0.1)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.p.pid}/fd"))

    def memory_kib(self):
        with open(f"/proc/{self.p.pid}/status") as f:
            return int(re.search(r"RssAnon:\s+(\d+)", f.read())[1])

    def scrape(self):
        c = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            c.request("GET", "/metrics")
            r = c.getresponse()
            return r.status == 200 and b"tare_gpu_present" in r.read()
        except OSError:
            return False
        finally:
            c.close()

    def end(self):
        self.p.send_signal(signal.SIGTERM)
        return self.p.wait(120)


def malformed(a):
    after = framed(b"X-After: 1")
    for name, data, want in MALFORMED + BODIES:
        got = exchange(a.port, data + after)
        check(
            f"{name}: {want}, closed, what follows is not run",
            got is not None and statuses(got) == [want] and b"\nok\n" not in got,
            got,
        )
    seen = []
    for (
        name,
        data,
        want,
    ) in MALFORMED:  # a byte at a time: the verdict does not depend on how it comes
        if len(data) > 300:
            continue
        with socket.create_connection(("127.0.0.1", a.port), 60) as s:
            s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            got = b""
            try:
                for i in range(len(data)):
                    s.sendall(data[i : i + 1])
                while more := s.recv(65536):
                    got += more
            except ConnectionError:
                pass
        # the answer may be lost where bytes arrived behind it; another answer may not come
        if statuses(got) not in ([want], []):
            seen.append((name, got))
    check("the same a byte at a time", not seen, seen)
    check("it still answers", a.scrape())


def good(a):
    for name, data, want in GOOD:
        got = exchange(a.port, data)
        check(f"good: {name}: {want}", statuses(got) == [want], got)
    got = exchange(a.port, framed() + framed())
    check(
        "one request a connection: the second of two is not run",
        statuses(got) == [200] and b"Connection: close" in got,
        got,
    )
    head = exchange(a.port, framed(line=b"HEAD /metrics HTTP/1.1\r\n"))
    check(
        "HEAD has the length and no body",
        statuses(head) == [200] and head.endswith(b"\r\n\r\n") and b"Content-Length: " in head,
        head,
    )
    with socket.create_connection(("127.0.0.1", a.port), 60) as s:
        for i in range(len(framed())):
            s.sendall(framed()[i : i + 1])
        s.shutdown(socket.SHUT_WR)
        got = b"".join(iter(lambda: s.recv(65536), b""))
    check("a byte at a time, then closed on that side", statuses(got) == [200], got)


def hosts(a):
    for host in WRONG_HOST:
        got = exchange(a.port, L + b"Host: " + host + b"\r\n\r\n" + framed())
        check(f"Host: {host.decode()}: 421", statuses(got) == [421], got)
    name = socket.gethostname().encode()
    got = exchange(a.port, L + b"Host: " + name + b":9757\r\n\r\n")
    check("the machine's own name", statuses(got) == [200], got)


def names(a, build, work):
    b = Agent(build, work, "--hosts", "gpu7.example.org, 10.1.2.3,fd00::7")
    for host, want in (
        (b"gpu7.example.org", 200),
        (b"GPU7.Example.org:80", 200),
        (b"10.1.2.3:9757", 200),
        (b"[fd00::7]:1", 200),
        (b"gpu7.example.or", 421),
        (b"7.example.org", 421),
    ):
        got = exchange(b.port, L + b"Host: " + host + b"\r\n\r\n")
        check(f"--hosts, {host.decode()}: {want}", statuses(got) == [want], got)
    check("it ends", b.end() == 0)


def hold(port, n, data):
    """n connections that sent this and do nothing; those that the server closes meanwhile stay in the list."""
    held = []
    for _ in range(n):
        s = socket.create_connection(("127.0.0.1", port), 60)
        try:
            s.sendall(data)
        except ConnectionError:
            pass
        held.append(s)
    return held


def drip(held, stop):
    while not stop.is_set():
        for s in held:
            try:
                s.send(b"a")
            except OSError:
                pass
        stop.wait(0.05)


def slow(a):
    """80 clients blocked 11 of 12 scrapes once."""
    for n, data in ((80, b"GET /metr"), (80, b""), (400, L + H + b"X-A: ")):
        stop, held = threading.Event(), hold(a.port, n, data)
        t = threading.Thread(target=drip, args=(held, stop))
        t.start()
        through = sum(a.scrape() for _ in range(12))
        stop.set()
        t.join()
        check(
            f"{n} clients that stop after {len(data)} bytes and drip: 12 of 12 scrapes",
            through == 12,
            through,
        )
        for s in held:
            s.close()
    with socket.create_connection(
        ("127.0.0.1", a.port), 60
    ) as s:  # it drips for good and is ended all the same
        begun = time.monotonic()
        stop = threading.Event()
        t = threading.Thread(target=drip, args=([s], stop))
        s.sendall(L + H + b"X-A: ")
        t.start()
        try:
            while s.recv(100):
                pass
        except ConnectionError:
            pass
        stop.set()
        t.join()
        check(
            "a head that never ends is ended, though bytes keep coming",
            time.monotonic() - begun > 4,
            time.monotonic() - begun,
        )


def readers(a):
    """They ask and do not read: the next one is answered, memory stays."""
    before = a.memory_kib()
    held = []
    for _ in range(300):
        s = socket.socket()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        s.connect(("127.0.0.1", a.port))
        s.sendall(L.replace(b"/healthz", b"/metrics") + H + b"\r\n")
        held.append(s)
    through = sum(a.scrape() for _ in range(12))
    check("300 clients that do not read their answers: 12 of 12 scrapes", through == 12, through)
    if os.environ.get("TARE_SANITIZED"):
        skip("and no memory for them", "a sanitizer keeps what was freed")
    else:
        check("and no memory for them", a.memory_kib() - before < 4096, (before, a.memory_kib()))
    for s in held:
        s.close()


def many(a):
    """Numbers at which libmicrohttpd with its own thread stalls: all ask at once, then idle ones are held."""
    before = a.descriptors()
    for n in (31, 32, 33, 63, 64):
        held = hold(a.port, n, b"")
        for s in held:
            s.sendall(framed())
        got = [statuses(b"".join(iter(lambda: s.recv(65536), b""))) for s in held]
        check(
            f"{n} sockets that ask at once are all answered",
            got == [[200]] * n,
            [g for g in got if g != [200]][:5],
        )
    numbers = [127, 128, 129, 256, 2000]
    allowed = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if allowed != resource.RLIM_INFINITY and allowed < 2200:
        skip("2000 sockets", f"{allowed} descriptors at most here")
        numbers.pop()
    for n in numbers:
        held = []
        for _ in range(n):  # each asks as soon as it is connected, nobody closes
            held += hold(a.port, 1, framed())
        got = [statuses(s.recv(65536)) for s in held]
        check(
            f"{n} sockets that ask one after the other are all answered",
            got == [[200]] * n,
            [g for g in got if g != [200]][:5],
        )
        for s in held:
            s.close()
        held = hold(a.port, n, b"")
        through = sum(a.scrape() for _ in range(12))
        check(
            f"{n} idle sockets: 12 of 12 scrapes, at most 64 are kept for one peer",
            through == 12 and a.descriptors() <= before + 66,
            (through, a.descriptors() - before),
        )
        for s in held:
            s.close()


def descriptors(a, build, work):
    """So few that clients have them all: the oldest gives its own to the newest, and what the agent keeps is kept."""
    b = Agent(build, work, descriptors=a.descriptors() + 12)
    held = hold(b.port, 60, b"GET /metr")
    through = sum(b.scrape() for _ in range(12))
    check("60 idle clients and 12 descriptors: 12 of 12 scrapes", through == 12, through)
    for s in held:
        s.close()
    check("it ends", b.end() == 0)


NGINX = """daemon off; master_process off; error_log stderr crit; pid {work}/nginx.pid;
events {{ worker_connections 64; }}
http {{ access_log off; client_body_temp_path {work}/b; proxy_temp_path {work}/p; fastcgi_temp_path {work}/f; uwsgi_temp_path {work}/u; scgi_temp_path {work}/s;
  upstream agent {{ server 127.0.0.1:{agent}; keepalive 4; }}
  server {{ listen 127.0.0.1:{port};
    location / {{ proxy_pass http://agent; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host 127.0.0.1; proxy_request_buffering off; }} }} }}
"""
HAPROXY = """global
  maxconn 64
defaults
  mode http
  timeout connect 60s
  timeout client 60s
  timeout server 60s
  http-reuse always
frontend f
  bind 127.0.0.1:{port}
  default_backend agent
backend agent
  server a 127.0.0.1:{agent}
"""


def proxies(a, work):
    """What a proxy lets through never mixes up answers: after each malformed request other clients of the proxy get their own."""
    for name, text, command in (
        ("nginx", NGINX, lambda exe, conf: [exe, "-p", work, "-e", "stderr", "-c", conf]),
        ("haproxy", HAPROXY, lambda exe, conf: [exe, "-db", "-q", "-f", conf]),
    ):
        exe = shutil.which(name) or (
            f"{DEPS}/bin/{name}" if os.path.exists(f"{DEPS}/bin/{name}") else None
        )
        if not exe:
            skip(f"behind {name}", f"no {name} here")
            continue
        port, conf = free_port(), f"{work}/{name}.conf"
        with open(conf, "w") as f:
            f.write(text.format(work=work, agent=a.port, port=port))
        env = {**os.environ, "LD_LIBRARY_PATH": f"{DEPS}/{name}"} if os.path.realpath(exe).startswith(DEPS + "/") else None
        p = subprocess.Popen(
            command(exe, conf), env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            while p.poll() is None:
                try:
                    if statuses(exchange(port, framed(b"Connection: close"))) == [200]:
                        break
                except ConnectionRefusedError:
                    time.sleep(0.1)
            if p.poll() is not None:
                check(f"behind {name}", False, f"it ends with {p.returncode}")
                continue
            mixed, passed = [], 0
            for what, data, want in MALFORMED + BODIES:
                with socket.create_connection(("127.0.0.1", port), 60) as s:
                    s.settimeout(
                        0.2
                    )  # what is left open by a proxy that waits for more is closed here
                    got = b""
                    try:
                        s.sendall(
                            data.replace(b"/healthz", b"/metrics")
                            + L.replace(b"/healthz", b"/metrics")
                            + H
                            + b"Connection: close\r\n\r\n"
                        )
                        while more := s.recv(65536):
                            got += more
                    except OSError:
                        pass
                passed += 200 in statuses(got)
                for _ in range(2):  # the victims
                    mine = exchange(port, framed(b"Connection: close"))
                    if statuses(mine) != [200] or not mine.endswith(b"\r\n\r\nok\n"):
                        mixed.append((what, mine[:200]))
            check(
                f"behind {name}: nobody gets another's answer after any of {len(MALFORMED) + len(BODIES)}",
                p.poll() is None and not mixed,
                mixed,
            )
            print(f"# {name} makes {passed} of them good on the way", flush=True)
        finally:
            p.terminate()
            p.wait(60)


def prometheus(a, work):
    """A working Prometheus among slow clients: its scrapes get through, all of them after the slow ones came.

    On a loaded machine one may come late, which says nothing of the agent."""
    exe = shutil.which("prometheus") or (
        f"{DEPS}/bin/prometheus" if os.path.exists(f"{DEPS}/bin/prometheus") else None
    )
    if not exe:
        skip("a real Prometheus among slow clients", "no prometheus here")
        return
    own = free_port()
    with open(f"{work}/prom.yaml", "w") as f:
        jobs = "".join(
            f"- job_name: tare{i}\n  static_configs:\n  - targets: ['127.0.0.1:{a.port}']\n"
            for i in range(6)
        )
        f.write(f"global: {{scrape_interval: 20s, scrape_timeout: 20s}}\nscrape_configs:\n{jobs}")
    stop, held = threading.Event(), hold(a.port, 80, b"GET /metr")
    t = threading.Thread(target=drip, args=(held, stop))
    t.start()
    p = subprocess.Popen(
        [
            exe,
            f"--config.file={work}/prom.yaml",
            f"--storage.tsdb.path={work}/tsdb",
            f"--web.listen-address=127.0.0.1:{own}",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def ask(query):
        try:
            r = json.load(
                urllib.request.urlopen(
                    f"http://127.0.0.1:{own}/api/v1/query?query={query}", timeout=60
                )
            )["data"]["result"]
            return float(r[0]["value"][1]) if r else 0
        except (urllib.error.URLError, ConnectionError):
            return 0

    good, last = "sum(sum_over_time(up[10m]))", time.monotonic() + 300
    up = 0
    while p.poll() is None and (up := ask(good)) < 12 and time.monotonic() < last:
        time.sleep(0.5)
        held += hold(a.port, 10, b"GET /metr")  # in place of those that were ended
    all_of_them = ask("sum(count_over_time(up[10m]))")
    check(
        "a real Prometheus among 80 slow clients: 12 of its scrapes get through",
        p.poll() is None and up >= 12,
        (up, all_of_them),
    )
    p.terminate()
    p.wait(120)
    stop.set()
    t.join()
    for s in held:
        s.close()


def allow_descriptors(n):
    """As many as the 2,000 sockets of many() need, where that is allowed; servers get them, too."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = n if hard == resource.RLIM_INFINITY else min(hard, n)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def main():
    allow_descriptors(4096)
    build, parts = os.path.abspath(sys.argv[1]), sys.argv[2:]
    if not os.path.exists(f"{build}/tests/stub/nvml/libnvidia-ml.so.1"):
        print("1..0 # SKIP the stub NVML is not built")
        return 0
    work = tempfile.mkdtemp(prefix="tare-http-")
    a = Agent(build, work)
    try:
        for part, args in (
            (malformed, ()),
            (good, ()),
            (hosts, ()),
            (names, (build, work)),
            (slow, ()),
            (readers, ()),
            (many, ()),
            (descriptors, (build, work)),
            (proxies, (work,)),
            (prometheus, (work,)),
        ):
            if not parts or part.__name__ in parts:
                part(a, *args)
        check("it ends", a.end() == 0)
    finally:
        if a.p.poll() is None:
            a.p.kill()
        shutil.rmtree(work, ignore_errors=True)
    print(f"1..{number}")
    return 1 if failed else 0


sys.exit(main())
