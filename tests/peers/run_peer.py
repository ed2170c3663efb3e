"""
What tests of tare run share: a program that trains, slowly and to be gone on with, and the metadata services of the clouds, which announce the end of a machine when they are told to.
"""
import http.server
import json
import random
import threading
import time

TRAIN = """
import os, signal, sys, time
out, total = "out", int(sys.argv[1])
os.makedirs(out, exist_ok=True)
files = sorted(f for f in os.listdir(out) if f.endswith(".pt"))
step = int(files[-1][5:-3]) if files else 0
want = []
signal.signal(signal.SIGUSR1, lambda *a: want.append(1))
def save():
    p = f"{out}/step_{step:06d}.pt"
    with open(p + ".tmp", "wb") as f:
        f.write(b"%d" % step * 20000)
    os.rename(p + ".tmp", p)
open("from", "a").write("%d\\n" % step)
while step < total:
    time.sleep(0.01)
    step += 1
    if want or EVERY and step % EVERY == 0:
        want.clear()
        save()
save()
open("done", "w").write(str(step))
"""


def train(every=0):
    """The program: train.py TOTAL, a step every 10 ms; it saves at SIGUSR1, at the end, and after so many steps."""
    return TRAIN.replace("EVERY", str(every))


class Meta(http.server.BaseHTTPRequestHandler):
    """
    The metadata services as the facts say, in what `mode` says: nothing announced, announced, garbage, refused, slow. For cases side by side a path may begin with
    a name: AWS's end is then what is announced of it.
    """
    protocol_version = "HTTP/1.1"
    mode, acks, tokens, announced = "none", [], set(), {}

    def log_message(self, *a):
        pass

    def say(self, status, body=b"", **head):
        try:
            self.send_response(status)
            for k, v in head.items():
                self.send_header(k.replace("_", "-"), v)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass

    def case(self):
        """The name that the path begins with, or None; and the path without it."""
        first, _, rest = self.path[1:].partition("/")
        return (None, self.path) if first in ("latest", "computeMetadata", "metadata", "api") else (first, "/" + rest)

    def do_PUT(self):
        ttl = self.headers.get("X-aws-ec2-metadata-token-ttl-seconds", "")
        if self.case()[1] != "/latest/api/token" or not ttl.isdigit() or not 1 <= int(ttl) <= 21600:
            return self.say(400)
        token = f"T{random.random()}"
        Meta.tokens.add(token)
        self.say(200, token.encode(), X_aws_ec2_metadata_token_ttl_seconds=ttl)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        Meta.acks.append((self.path, self.headers.get("Metadata"), json.loads(body)))
        self.say(200)

    def do_GET(self):
        mode, (case, path) = Meta.mode, self.case()
        if mode == "garbage":
            return self.say(200, b"\x00\xff<html>" * 1000, ETag="x")
        if mode == "refuse":
            return self.say(503)
        if mode == "slow":
            time.sleep(0.7)
        on = mode in ("stop", "slow")
        if path.startswith("/latest/"):
            if self.headers.get("X-aws-ec2-metadata-token") not in Meta.tokens:
                return self.say(401)
            if path.endswith("spot/instance-action") and (on if case is None else case in Meta.announced):
                when = Meta.announced[case] if case else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 12))
                return self.say(200, json.dumps({"action": "terminate", "time": when}).encode())
            if path.endswith("events/recommendations/rebalance") and mode == "rebalance":
                return self.say(200, b'{"noticeTime":"2026-11-21T10:00:00Z"}')
            return self.say(404)
        if path.startswith("/computeMetadata/"):
            if self.headers.get("Metadata-Flavor") != "Google":
                return self.say(403)
            word, wait = path.split("/instance/")[1].split("?")[0], "wait_for_change=true" in path
            etag = "e1" if on else "e0"
            if wait and f"last_etag={etag}" in path:
                end = time.time() + 3
                while time.time() < end and Meta.mode == mode:
                    time.sleep(0.02)
                on = Meta.mode in ("stop", "slow")
                etag = "e1" if on else "e0"
            body = ("TRUE" if on else "FALSE") if word == "preempted" else "NONE"
            return self.say(200, body.encode(), ETag=etag)
        if path.startswith("/metadata/"):
            if self.headers.get("Metadata") != "true":
                return self.say(400)
            if "/instance/compute/name" in path:
                return self.say(200, b"vm-7")
            at = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 12))
            ev = {"EventId": "A1-b2", "EventType": "Preempt", "ResourceType": "VirtualMachine", "Resources": ["vm-7"], "EventStatus": "Scheduled", "NotBefore": at,
                  "Description": "", "EventSource": "Platform", "DurationInSeconds": -1}
            other = dict(ev, EventId="zz", Resources=["vm-8"])
            return self.say(200, json.dumps({"DocumentIncarnation": 2, "Events": [other] + ([ev] if on else [])}).encode())
        if path.startswith("/api/v1/nodes/n1"):
            if self.headers.get("Authorization") != "Bearer tok":
                return self.say(401)
            taints = [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}] + ([{"key": "aws-node-termination-handler/spot-itn", "effect": "NoSchedule"}] if on else [])
            return self.say(200, json.dumps({"kind": "Node", "metadata": {"name": "n1"}, "spec": {"taints": taints}}).encode())
        self.say(404)


def serve():
    """Meta in a thread, until the program ends; its URL."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Meta)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}"
