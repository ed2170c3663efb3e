"""OpenStack Swift with s3api and tempauth on loopback, for a test alone: four servers, one replica, its disk a temporary folder. Swift is unpacked into
deps/swift by tools/setup --test. No root, no memcached, no syslog, no rsync; the daemons that keep replicas equal are not started.

    with Swift(folder) as s: s.url, s.key, s.secret
"""
import datetime
import getpass
import hashlib
import hmac
import os
import pathlib
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

from ports import free_port

DEPS = pathlib.Path(__file__).resolve().parents[2] / "deps/swift"
MODULES = DEPS / "usr/lib/python3/dist-packages"
KINDS = ("object", "container", "account")
# the path of swift.conf is a constant of the module: set before anything reads it
START = """
import sys
sys.path.insert(0, sys.argv.pop(1))
conf = sys.argv.pop(1)
import swift.common.utils as utils
utils.SWIFT_CONF_FILE = conf
sys.argv[0] = sys.argv[1]
exec(compile(open(sys.argv.pop(1)).read(), sys.argv[0], "exec"))
"""


def why_not(folder):
    """None, or why it cannot be run here."""
    if not (DEPS / ".complete").exists():
        return "no OpenStack Swift (tools/setup --test)"
    probe = pathlib.Path(folder) / "xattr-probe"
    probe.write_bytes(b"")
    try:
        os.setxattr(probe, "user.swift.metadata", b"x" * 1000)
    except OSError as e:
        return f"Swift keeps what it knows of objects in extended attributes, which '{folder}' does not take: {e}"
    tried = "import sys; sys.path.insert(0, sys.argv[1]); import swift.proxy.server, swift.obj.server, swift.common.middleware.s3api.s3api"
    p = subprocess.run([sys.executable, "-c", tried, MODULES], capture_output=True, text=True, env=env_of())
    return None if p.returncode == 0 else f"Swift does not start with this Python: {(p.stderr.strip().splitlines() or ['?'])[-1]}"


def env_of():
    libs = ":".join(str(p) for p in (DEPS / "usr/lib").glob("*-linux-gnu"))
    return {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LD_LIBRARY_PATH": libs, "PYTHONWARNINGS": "ignore", "EVENTLET_NO_GREENDNS": "yes"}


class Swift:
    key, secret = "test:tester", "testing"

    def __init__(self, folder):
        self.dir, self.procs = pathlib.Path(folder), []
        (self.dir / "srv/d1").mkdir(parents=True)
        self.ports = [free_port() for _ in range(4)]
        self.port = self.ports[3]
        self.url = f"http://127.0.0.1:{self.port}"
        self.nobody = socket.socket()  # tempauth insists on a memcached, and does without one that refuses: bound, never listened to
        self.nobody.bind(("127.0.0.1", 0))
        (self.dir / "swift.conf").write_text("[swift-hash]\nswift_hash_path_suffix = tare\nswift_hash_path_prefix = test\n")
        for kind, port in zip(KINDS, self.ports):
            self.ring(kind, port)
            self.conf(kind, port, kind + "-server", f"[app:{kind}-server]\nuse = egg:swift#{kind}\n", f"devices = {self.dir}/srv\nmount_check = false\ndisable_fallocate = true\n")
        self.conf("proxy", self.port, "catch_errors gatekeeper cache listing_formats s3api tempauth copy slo dlo versioned_writes proxy-server", f"""[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true

[filter:s3api]
use = egg:swift#s3api
location = us-east-1

[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = {self.secret} .admin

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:{self.nobody.getsockname()[1]}

[filter:copy]
use = egg:swift#copy

[filter:dlo]
use = egg:swift#dlo

[filter:versioned_writes]
use = egg:swift#versioned_writes

[filter:gatekeeper]
use = egg:swift#gatekeeper

[filter:listing_formats]
use = egg:swift#listing_formats

[filter:slo]
use = egg:swift#slo
""")

    def conf(self, name, port, pipeline, rest, more=""):
        (self.dir / f"{name}.conf").write_text(f"[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = {port}\nworkers = 0\nuser = {getpass.getuser()}\nswift_dir = {self.dir}\n"
                                               f"log_address = /nonexistent\nlog_level = WARNING\n{more}\n[pipeline:main]\npipeline = {pipeline}\n\n{rest}")

    def python(self, program, *args, **more):
        return [sys.executable, "-c", START, str(MODULES), str(self.dir / "swift.conf"), str(DEPS / "usr/bin" / program), *map(str, args)]

    def ring(self, kind, port):
        for args in (("create", 4, 1, 0), ("add", f"r1z1-127.0.0.1:{port}/d1", 1), ("rebalance",)):
            subprocess.run(self.python("swift-ring-builder", self.dir / f"{kind}.builder", *args), cwd=self.dir, env=env_of(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True)

    def __enter__(self):
        try:
            for name in (*KINDS, "proxy"):
                log = open(self.dir / f"{name}.log", "wb")
                self.procs.append(subprocess.Popen(self.python(f"swift-{name}-server", self.dir / f"{name}.conf", "-v"), env=env_of(), cwd=self.dir, stdout=log, stderr=log))
                log.close()
            self.wait()
        except BaseException:
            self.__exit__()
            raise
        return self

    def ask(self, method, path, body=b"", told=None, **headers):
        """A request signed by this file's own code (no query); told: the hash of the body that is signed, whatever the body is. (status, body)"""
        now = datetime.datetime.now(datetime.timezone.utc)
        stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
        told = told or hashlib.sha256(body).hexdigest()
        h = {"host": self.url[7:], "x-amz-content-sha256": told, "x-amz-date": stamp, **{k.replace("_", "-"): v for k, v in headers.items()}}
        names = ";".join(sorted(h))
        canonical = "\n".join([method, path, "", *(f"{k}:{h[k]}" for k in sorted(h)), "", names, told])
        scope = f"{day}/us-east-1/s3/aws4_request"
        k = ("AWS4" + self.secret).encode()
        for word in (*scope.split("/"), "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(canonical.encode()).hexdigest()])):
            k = hmac.new(k, word.encode(), hashlib.sha256).digest()
        h["authorization"] = f"AWS4-HMAC-SHA256 Credential={self.key}/{scope}, SignedHeaders={names}, Signature={k.hex()}"
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url + path, body if method == "PUT" else None, h, method=method), timeout=120) as r:
                return r.status, r.read()
        except urllib.error.HTTPError as e:
            return e.code, e.read()

    def wait(self):
        """For all four: the proxy passes over a server that once refused."""
        for port in self.ports:
            for _ in range(900):
                try:
                    socket.create_connection(("127.0.0.1", port), 2).close()
                    break
                except OSError:
                    time.sleep(0.1)
                if gone := next((p for p in self.procs if p.poll() is not None), None):
                    raise RuntimeError(f"a server of Swift ended with {gone.returncode}: " + self.words())
            else:
                raise RuntimeError("Swift does not answer: " + self.words())

    def words(self):
        return " | ".join(p.read_text(errors="replace").strip()[-300:] for p in sorted(self.dir.glob("*.log")) if p.stat().st_size)

    def __exit__(self, *_):
        self.nobody.close()
        for p in self.procs:
            p.terminate()
        for p in self.procs:
            try:
                p.wait(20)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()


if __name__ == "__main__":  # by hand: prints its address, runs until its input ends
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        if no := why_not(folder):
            sys.exit(no)
        with Swift(folder) as swift:
            print(swift.url, swift.key, swift.secret, flush=True)
            sys.stdin.read()
