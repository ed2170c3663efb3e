#!/usr/bin/env python3
"""Alerts over the wire: a real Alertmanager (Debian's prometheus-alertmanager 0.25), and small local servers with faults for webhook, Slack's shape and mail.

usage: t-alertmanager.py BUILD_DIR. The Alertmanager part wants prometheus-alertmanager in PATH or deps/ (tools/setup --test); the package's templates have to
be at /usr/share/prometheus/alertmanager: where the package is only unpacked, a mount namespace of our own puts them there. Skips without.
"""
import base64
import email
import email.header
import email.policy
import http.server
import json
import os
import pathlib
import shutil
import socket
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

from ports import free_port

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
TEMPLATES = pathlib.Path("/usr/share/prometheus/alertmanager")
failed = number = 0


def check(what, good, seen=""):
    global failed, number
    number += 1
    print(f"{'ok' if good else 'not ok'} {number} - {what}", flush=True)
    if not good:
        failed += 1
        print("# " + str(seen)[:1500].replace("\n", "\n# "), flush=True)
    return good


def skip(what, why):
    global number
    number += 1
    print(f"ok {number} - {what} # SKIP {why}", flush=True)


def wait_for(what, limit_s=60):
    """The first true value of what(), or the last one after limit_s."""
    end = time.monotonic() + limit_s
    while True:
        v = what()
        if v or time.monotonic() > end:
            return v
        time.sleep(0.05)


# ---- a web server with faults ---------------------------------------------------------------------------------------------------------------


class Web(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.got = {}  # path -> parsed bodies that were taken
        self.tries = {}
        self.auth = {}
        self.lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def of(self, path):
        with self.lock:
            return list(self.got.get(path, []))


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def answer(self, status, headers=(), body=b"ok"):
        self.send_response(status)
        for k, v in headers:
            self.send_header(k, v)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        s = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with s.lock:
            n = s.tries[self.path] = s.tries.get(self.path, 0) + 1
            s.auth[self.path] = self.headers.get("Authorization")
        if self.path == "/f500" and n <= 2:
            return self.answer(500 if n == 1 else 429, [("Retry-After", "1")] if n == 2 else [])
        if self.path == "/hang":
            time.sleep(3)
            try:
                return self.answer(200)
            except OSError:  # nobody waits any more
                return None
        if self.path == "/loop":
            return self.answer(307, [("Location", "/loop")])
        if self.path == "/moved":
            return self.answer(302, [("Location", "/moved-to")])
        if self.path == "/cut":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
            self.wfile.flush()
            return self.connection.shutdown(socket.SHUT_RDWR)
        if self.path == "/no":
            return self.answer(400, body=b"bad \x1b[2J request")
        with s.lock:
            s.got.setdefault(self.path, []).append(json.loads(body))
        self.answer(200)

    def do_GET(self):  # a redirect that turns a POST into a GET would end here
        with self.server.lock:
            self.server.tries[self.path + " GET"] = 1
        self.answer(200)


# ---- a mail server ---------------------------------------------------------------------------------------------------------------------------


class Mail(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, tls=None, later=0):
        super().__init__(("127.0.0.1", 0), MailHandler)
        self.tls, self.later = tls, later
        self.got, self.seen = [], []
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()


class MailHandler(socketserver.StreamRequestHandler):
    def say(self, text):
        self.wfile.write(text.encode() + b"\r\n")
        self.wfile.flush()

    def handle(self):
        try:
            self.talk()
        except (OSError, ValueError):
            pass

    def talk(self):
        s, secure, user, rcpt, sender = self.server, False, None, [], None
        self.say("220 test ready")
        for _ in range(100):
            line = self.rfile.readline(4096).decode("latin-1").rstrip("\r\n")
            if not line:
                return
            word = line.split(" ")[0].upper()
            s.seen.append(line)
            if word == "EHLO":
                more = (["STARTTLS"] if s.tls and not secure else []) + (["AUTH PLAIN LOGIN"] if secure else [])
                for i, x in enumerate(["test"] + more):
                    self.say(f"250{'-' if i < len(more) else ' '}{x}")
            elif word == "STARTTLS" and s.tls:
                self.say("220 go")
                self.connection = s.tls.wrap_socket(self.connection, server_side=True)
                self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)
                secure = True
            elif word == "AUTH":
                user = base64.b64decode(line.split(" ")[2] if len(line.split(" ")) > 2 else self.ask()).decode()
                self.say("235 ok" if user == "\0tare\0geheim" else "535 no")
            elif word == "MAIL":
                if s.later > 0:
                    s.later -= 1
                    self.say("451 later")
                    continue
                sender = line
                self.say("250 ok")
            elif word == "RCPT":
                rcpt.append(line)
                self.say("250 ok")
            elif word == "DATA":
                self.say("354 go")
                text = b""
                while (l := self.rfile.readline(4096)) not in (b".\r\n", b""):
                    text += l[1:] if l.startswith(b".") else l
                s.got.append({"from": sender, "to": rcpt, "user": user, "secure": secure, "text": text})
                self.say("250 taken")
            elif word == "QUIT":
                self.say("221 bye")
                return
            else:
                self.say("250 ok" if word in ("RSET", "NOOP") else "502 what?")

    def ask(self):
        self.say("334 ")
        return self.rfile.readline(4096).decode().strip()


def subject_of(got):
    m = email.message_from_bytes(got["text"], policy=email.policy.default)
    return str(m["Subject"]), m.get_content()


def certificate(work):
    """A certificate for 127.0.0.1 that is its own root, or None."""
    if not shutil.which("openssl"):
        return None
    key, cert = f"{work}/key.pem", f"{work}/cert.pem"
    run = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                          "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", cert], capture_output=True)
    if run.returncode:
        return None
    ctx = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ctx.load_cert_chain(cert, key)
    return ctx, cert


# ---- Alertmanager -----------------------------------------------------------------------------------------------------------------------------


def find_alertmanager():
    """(command prefix, why not)."""
    here = shutil.which("prometheus-alertmanager")
    if here and TEMPLATES.is_dir():
        return [here], None
    prog, tmpl = TOP / "deps/bin/prometheus-alertmanager", TOP / "deps/share/alertmanager"
    if not prog.exists() or not tmpl.is_dir():
        return None, "no prometheus-alertmanager here (tools/setup --test unpacks it)"
    if TEMPLATES.is_dir():
        return [str(prog)], None
    # a file system of its own over /usr/share, in a namespace of its own: as root and, where the kernel lets users, as a user
    script = 'mount -t tmpfs none /usr/share && mkdir -p /usr/share/prometheus && cp -r "$1" /usr/share/prometheus/alertmanager && shift && exec "$@"'
    for how in (["unshare", "-m"], ["unshare", "-rm"]) if shutil.which("unshare") else []:
        prefix = how + ["sh", "-c", script, "sh", str(tmpl)]
        if subprocess.run(prefix + ["true"], capture_output=True).returncode == 0:
            return prefix + [str(prog)], None
    return None, "its templates cannot be put at /usr/share/prometheus/alertmanager (no mount namespace allowed here)"


def start_alertmanager(command, work, hook):
    conf = f"{work}/am.yml"
    with open(conf, "w") as f:
        f.write("route: {receiver: hook, group_by: [alertname, job], group_wait: 1s, group_interval: 1s, repeat_interval: 1h}\n"
                f"receivers:\n- name: hook\n  webhook_configs: [{{url: '{hook}', send_resolved: true}}]\n")
    port = free_port()
    log = open(f"{work}/am.log", "w")
    p = subprocess.Popen(command + [f"--config.file={conf}", f"--storage.path={work}/am", f"--web.listen-address=127.0.0.1:{port}",
                                    "--cluster.listen-address="], stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"

    def ready():
        try:
            return urllib.request.urlopen(url + "/-/ready", timeout=5).status == 200
        except OSError:
            return p.poll() is not None

    wait_for(ready)
    return p, url


def alerts_at(url):
    return json.loads(urllib.request.urlopen(url + "/api/v2/alerts", timeout=60).read())


# ---- the tests --------------------------------------------------------------------------------------------------------------------------------

RULES = """version: 1
alerts:
  rules:
    - {name: gpu_hot, aggregate: last, window: 0, for: 300ms, clear_for: 300ms}
"""


def agent(build, conf, state):
    return subprocess.Popen([f"{build}/tests/peers/alert-agent", conf, state], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def tell(p, line):
    p.stdin.write(line + "\n")
    p.stdin.flush()


def quit_agent(p):
    try:
        out, err = p.communicate("quit\n", timeout=30)
    except subprocess.TimeoutExpired:
        p.kill()
        out, err = p.communicate()
    return out + err


def write(path, text):
    with open(path, "w") as f:
        f.write(text)
    return path


def test_receivers(build, work, web):
    mail, slow_mail = Mail(), Mail(later=1)
    write(f"{work}/token", "secret-token\n")
    conf = write(f"{work}/a.yaml", RULES + f"""  receivers:
    - {{name: web, kind: webhook, url: '{web.url}/web', bearer_file: {work}/token}}
    - {{name: slack, kind: slack, url: '{web.url}/slack'}}
    - {{name: mail, kind: email, url: 'smtp://127.0.0.1:{mail.port}', from: tare@example.com, to: [a@example.com, b@example.com], tls: never}}
    - {{name: mail2, kind: email, url: 'smtp://127.0.0.1:{slow_mail.port}', from: tare@example.com, to: c@example.com, tls: if_offered, resolved: false}}
    - {{name: f500, kind: webhook, url: '{web.url}/f500', resolved: false}}
    - {{name: moved, kind: webhook, url: '{web.url}/moved', resolved: false}}
    - {{name: no, kind: webhook, url: '{web.url}/no', resolved: false}}
    - {{name: cut, kind: webhook, url: '{web.url}/cut', resolved: false}}
    - {{name: loop, kind: webhook, url: '{web.url}/loop', resolved: false}}
    - {{name: hang, kind: webhook, url: '{web.url}/hang', timeout: 500ms, resolved: false}}
""")
    p = agent(build, conf, work)
    tell(p, "temp 0 90\ntemp 1 91")  # seen by the same poll
    wait_for(lambda: web.of("/web") and web.of("/slack") and mail.got and slow_mail.got and web.of("/f500") and web.of("/moved-to") and
             web.tries.get("/no") and web.tries.get("/cut", 0) >= 2 and web.tries.get("/hang", 0) >= 2 and web.tries.get("/loop", 0) >= 6)
    seen = web.of("/web")
    if check("webhook: two cards of a job are one message", len(seen) == 1 and len(seen[0]["alerts"]) == 2, seen):
        check("its shape", seen[0]["schema"] == "tare.notice/1" and seen[0]["status"] == "firing" and seen[0]["alerts"][0]["labels"]["job"] == "4711", seen)
    check("a token is sent", web.auth.get("/web") == "Bearer secret-token", web.auth)
    seen = web.of("/slack")
    check("Slack's shape", len(seen) == 1 and "GPU is hot" in seen[0]["text"] and seen[0]["attachments"][0]["color"] == "warning", seen)
    if check("a mail", len(mail.got) == 1, mail.seen):
        subject, text = subject_of(mail.got[0])
        check("its words", "GPU is hot: n1/GPU-" in subject and "above 83 C" in text and mail.got[0]["to"] == ["RCPT TO:<a@example.com>", "RCPT TO:<b@example.com>"],
              (subject, text, mail.got[0]["to"]))
    check("a mail server that says later is asked again", len(slow_mail.got) == 1, slow_mail.seen)
    check("a server's 500 and 429 are tried again, and it is told once", len(web.of("/f500")) == 1 and web.tries["/f500"] == 3, web.tries)
    check("what was moved arrives as a message", len(web.of("/moved-to")) == 1 and "/moved-to GET" not in web.tries, web.tries)
    check("a refusal is not repeated", web.tries.get("/no") == 1, web.tries)
    check("what is cut off, hangs or goes in circles is tried again, and bounded", web.tries.get("/cut", 0) >= 2 and 2 <= web.tries.get("/hang", 0) < 20 and
          6 <= web.tries.get("/loop", 0) < 200, web.tries)
    tell(p, "temp 2 95")
    wait_for(lambda: len(web.of("/web")) == 2)
    seen = web.of("/web")[-1]["alerts"][0]["labels"]
    check("hostile names are harmless", seen["job"] == 'x??<!channel>?[2J"&' and seen["team"] == "nlp?", seen)
    check("no mention for Slack", wait_for(lambda: len(web.of("/slack")) == 2) and "<" not in web.of("/slack")[-1]["text"], web.of("/slack"))
    time.sleep(1)  # that it was taken is kept at the next poll
    p.kill()  # and back
    p.wait()
    p = agent(build, conf, work)
    for i, t in ((0, 90), (1, 91), (2, 95)):
        tell(p, f"temp {i} {t}")
    time.sleep(1.5)
    time.sleep(1)
    check("after kill -9 nothing is told twice", len(web.of("/web")) == 2, web.of("/web"))
    tell(p, "temp all 40")
    wait_for(lambda: sum(len(m["alerts"]) for m in web.of("/web") if m["status"] == "resolved") == 3)
    over = [m for m in web.of("/web") if m["status"] == "resolved"]
    check("the end is told", sum(len(m["alerts"]) for m in over) == 3 and over[0]["alerts"][0]["ends_at"], over)
    check("... with what it cost", all(a["cost"] is not None and a["currency"] == "USD" for m in over for a in m["alerts"]), over)
    check("it ends well", "sent=" in quit_agent(p))


def test_mail_tls(build, tare, work):
    made = certificate(work)
    if not made:
        skip("mail over TLS with a login", "no openssl program to make a certificate with")
        return
    server = Mail(tls=made[0])
    write(f"{work}/password", "geheim\n")
    text = """version: 1
alerts:
  receivers:
    - {name: m, kind: email, url: 'smtp://127.0.0.1:%d', from: a@b.example, to: c@d.example, user: tare, password_file: %s/password, tls: required%s}
"""
    conf = write(f"{work}/tls.yaml", text % (server.port, work, f", ca_file: {made[1]}"))
    run = subprocess.run([tare, "alerts", "test", "m", "--config", conf], capture_output=True, text=True)
    check("mail over TLS with a login", run.returncode == 0 and len(server.got) == 1 and server.got[0]["secure"] and server.got[0]["user"] == "\0tare\0geheim",
          (run.stderr, server.seen))
    before = len(server.got)
    run = subprocess.run([tare, "alerts", "test", "m", "--config", write(f"{work}/tls2.yaml", text % (server.port, work, ""))], capture_output=True, text=True)
    check("a certificate nobody vouches for is refused", run.returncode == 2 and len(server.got) == before and "geheim" not in run.stderr, run.stderr)
    plain = Mail()
    run = subprocess.run([tare, "alerts", "test", "m", "--config", write(f"{work}/tls3.yaml", text % (plain.port, work, ""))], capture_output=True, text=True)
    check("no password to a server without TLS", run.returncode == 2 and not any(l.upper().startswith("AUTH") for l in plain.seen), plain.seen)


def test_alertmanager(build, tare, work, web):
    command, why = find_alertmanager()
    if not command:
        skip("Alertmanager", why)
        return
    server, url = start_alertmanager(command, work, web.url + "/hook")
    os.makedirs(f"{work}/am-state")
    try:
        if not check("Alertmanager starts", server.poll() is None, open(f"{work}/am.log").read()):
            return
        conf = write(f"{work}/am-tare.yaml", RULES + f"  receivers:\n    - {{name: am, kind: alertmanager, url: '{url}', resend: 2s}}\n")
        run = subprocess.run([tare, "alerts", "test", "am", "--config", conf], capture_output=True, text=True)
        check("tare alerts test", run.returncode == 0 and any(a["labels"]["alertname"] == "tare_test" for a in alerts_at(url)), run.stderr)
        p = agent(build, conf, f"{work}/am-state")
        tell(p, "temp all 99")
        hot = lambda: [a for a in alerts_at(url) if a["labels"]["alertname"] == "gpu_hot"]
        wait_for(lambda: len(hot()) == 4)
        seen = hot()
        check("four alerts are there", len(seen) == 4 and all(a["status"]["state"] == "active" for a in seen), seen)
        check("their labels and words", {a["labels"]["gpu"] for a in seen} == {f"GPU-{i}" for i in range(4)} and
              {a["labels"]["team"] for a in seen} == {"vision", "nlp?"} and all("99 C" in a["annotations"]["description"] for a in seen), seen)
        groups = lambda: [m for m in web.of("/hook") if m["groupLabels"].get("alertname") == "gpu_hot"]
        wait_for(lambda: sum(len(m["alerts"]) for m in groups()) >= 4)
        check("it groups them by job", len(groups()) == 2 and all(len(m["alerts"]) == 2 and m["status"] == "firing" for m in groups()), groups())
        first = {a["fingerprint"]: a["endsAt"] for a in hot()}
        wait_for(lambda: all(a["endsAt"] > first[a["fingerprint"]] for a in hot()))
        check("what still fires is said again", all(a["endsAt"] > first[a["fingerprint"]] for a in hot()), hot())
        tell(p, "temp 0 40\ntemp 1 40")
        wait_for(lambda: any(m["status"] == "resolved" for m in groups()))
        check("it resolves", any(m["status"] == "resolved" and len(m["alerts"]) == 2 for m in groups()) and len(hot()) == 2, groups())
        p.kill()  # the machine is gone: its alerts end by themselves after four resends
        p.wait()
        wait_for(lambda: not hot())
        check("alerts of a machine that is gone end by themselves", not hot(), hot())
    finally:
        server.terminate()
        server.wait()


def test_agent(build, tare, work, web):
    """The agent itself, over a recording; one machine is silenced in the agent's own folder."""
    program = f"{build}/src/cli/tare-agent"
    if not os.access(program, os.X_OK):
        skip("the agent tells", "no tare-agent in the build folder")
        return
    replay = write(f"{work}/replay.csv", "time,node,gpu,gpu_util_pct,temp_celsius,mem_used_bytes,mem_total_bytes,step_s\n" + "".join(
        f"2026-06-30T00:00:{t:02}Z,n1,GPU-{g},70,{95 if g == 0 else 40},40000000000,80000000000,1\n" for t in range(40) for g in (0, 1)))
    runs = []
    for name in ("loud", "quiet"):
        state = f"{work}/agent-{name}"
        os.makedirs(state)
        conf = write(f"{work}/{name}.yaml", RULES + f"  receivers:\n    - {{name: web, kind: webhook, url: '{web.url}/{name}'}}\n")
        if name == "quiet":
            run = subprocess.run([tare, "alerts", "silence", "rule=gpu_hot", "--for", "1h", "--why", "test", "--db", state], capture_output=True, text=True)
            check("a silence in an agent's folder", run.returncode == 0, run.stderr)
        runs.append(subprocess.Popen([program, "agent", "--state", state, "--config", conf, "--listen", "none", "--interval", "200ms"],
                                     env=dict(os.environ, TARE_GPU_REPLAY=replay), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
    wait_for(lambda: web.of("/loud"))
    time.sleep(2)  # for what must not come
    said = []
    for p in runs:
        p.terminate()
        try:
            said.append(p.communicate(timeout=60)[0])
        except subprocess.TimeoutExpired:
            p.kill()
            said.append(p.communicate()[0])
    got = [a for m in web.of("/loud") for a in m["alerts"]]
    check("the agent tells of a hot card, and of that alone", [(a["rule"], a["value"]) for a in got] == [("gpu_hot", 95)], (got, said))
    check("it keeps still where it is silenced", not web.of("/quiet"), web.of("/quiet"))


def main():
    build = sys.argv[1] if len(sys.argv) > 1 else "build"
    tare = f"{build}/src/cli/tare"
    if not os.access(f"{build}/tests/peers/alert-agent", os.X_OK) or not os.access(tare, os.X_OK):
        print("1..0 # SKIP no alert-agent and tare in the build folder: build them first")
        return 0
    os.environ.pop("TARE_NOW", None)  # real servers have the real time
    web = Web()
    with tempfile.TemporaryDirectory(prefix="tare-alerts-") as work:
        test_receivers(build, work, web)
        test_mail_tls(build, tare, work)
        test_agent(build, tare, work, web)
        test_alertmanager(build, tare, work, web)
    print(f"1..{number}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
