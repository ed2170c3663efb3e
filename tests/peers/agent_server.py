"""A server for agents that only remembers: POST /v1/agent with zstd JSON lines, as docs/AGENT-FORMAT.md has it."""
import hashlib
import http.server
import json
import subprocess
import threading


class Server:
    def __init__(self, token=None):
        self.status, self.drop_answers = 200, 0
        self.tries = self.twice = self.bodies_differ = 0
        self.seen = {}  # key -> (hash of the body, lines)
        self.lock = threading.Lock()
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status = outer.take(self, body, token)
                if status is None:  # the answer is lost on the way
                    self.close_connection = True
                    self.connection.close()
                    return
                self.send_response(status)
                self.send_header("Content-Length", "0")
                if status == 503:
                    self.send_header("Retry-After", "1")
                self.end_headers()

            def log_message(self, *args):
                pass

        self.httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.httpd.server_address[1]}"
        threading.Thread(target=self.httpd.serve_forever, daemon=True).start()

    def take(self, h, body, token):
        with self.lock:
            self.tries += 1
            if self.status != 200:
                return self.status
            if token and h.headers.get("Authorization") != f"Bearer {token}":
                return 401
            if h.path != "/v1/agent" or h.headers.get("Content-Encoding") != "zstd":
                return 400
            text = subprocess.run(["zstd", "-dc"], input=body, capture_output=True, check=True).stdout.decode()
            lines = [json.loads(x) for x in text.splitlines()]
            key = h.headers["Idempotency-Key"]
            if lines[0]["schema"] != "tare.agent/1" or lines[0]["key"] != key:
                return 400
            # Allocations that have changed since come with a later batch: what must be the same are minutes and events.
            digest = hashlib.sha256("\n".join(x for x in text.splitlines() if '"type":"minute"' in x or '"type":"event"' in x).encode()).hexdigest()
            if key in self.seen:
                self.twice += 1
                self.bodies_differ += self.seen[key][0] != digest
            self.seen[key] = (digest, lines)
            if self.drop_answers > 0:
                self.drop_answers -= 1
                return None
            return 200

    def rows(self, kind):
        return [x for _, lines in self.seen.values() for x in lines if x.get("type") == kind]

    def batches(self):
        return [lines[0]["batch"] for _, lines in self.seen.values()]

    def close(self):
        self.httpd.shutdown()
        self.httpd.server_close()
