#!/usr/bin/env python3
"""Object stores and the way of checkpoints to them: against a strict small server of our own (signatures, conditions, faults) and, where they are
there, real S3-compatible servers (OpenStack Swift, s3rver) and independent clients (awscli, rclone) that read what was uploaded."""
import hashlib
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
from http.server import BaseHTTPRequestHandler, HTTPServer
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import swift_peer
from s3_server import KEYS, SAS, Fault, Server

BUILD = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "build").resolve()
TOOL = pathlib.Path(os.environ.get("OBJECT_TOOL", BUILD / "tests/peers/object-tool"))
TOP = pathlib.Path(__file__).resolve().parents[2]
DEPS = TOP / "deps"
MIB = 1 << 20
PLAIN = {"PATH": "/usr/bin"} | {k: v for k, v in os.environ.items() if k == "GLIBC_TUNABLES"}
KILLS = int(os.environ.get("TARE_KILLS", "12"))


class Result:
    def __init__(self, p):
        self.rc, self.out, self.err = p.returncode, p.stdout, p.stderr

    def __getitem__(self, name):
        for line in self.out.splitlines():
            if line.startswith(name + " "):
                return line[len(name) + 1 :]
        raise KeyError(name)

    def number(self, name):
        return float(self[name])


def env_of(server=None, **more):
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "AWS_EC2_METADATA_DISABLED": "true", "OT_PART": str(5 * MIB)}
    if server and server.azure:
        env |= {"AZURE_STORAGE_SAS_TOKEN": SAS}
    elif server:
        env |= {"AWS_ACCESS_KEY_ID": "AKIATEST", "AWS_SECRET_ACCESS_KEY": KEYS["AKIATEST"]}
    if server:
        env["OT_ENDPOINT"] = server.url
    for k in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "GLIBC_TUNABLES"):
        if k in os.environ:
            env[k] = os.environ[k]
    return env | {k: str(v) for k, v in more.items()}


def tool(env, *args, timeout=300):
    return Result(subprocess.run([str(TOOL), *map(str, args)], env=env, capture_output=True, text=True, timeout=timeout))


class Base(unittest.TestCase):
    def setUp(self):
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="tare-object-"))
        self.addCleanup(shutil.rmtree, self.dir, ignore_errors=True)

    def file(self, name, size, seed=1):
        p = self.dir / name
        p.write_bytes(random.Random(seed).randbytes(size))
        return p

    def ok(self, env, *args, **more):
        r = tool(env, *args, **more)
        self.assertEqual(r.rc, 0, f"{args}: {r.err}")
        return r

    def bad(self, env, *args, **more):
        r = tool(env, *args, **more)
        self.assertEqual(r.rc, 1, f"{args}: {r.out}{r.err}")
        return r

    def save(self, folder, step, mib=16, changed=10):
        return self.ok(PLAIN, "save", self.dir / folder, step, mib, changed)["id"]

    def sum(self, folder, *id):
        return self.ok(PLAIN, "sum", self.dir / folder, *id).out


class Stores(Base):
    """The same on every kind of store."""

    def all_of(self, env, url):
        small, big, none = self.file("small", 1000), self.file("big", 17 * MIB + 3, 2), self.file("none", 0)
        self.assertEqual(self.ok(env, "put", url, "a/small one+&=ä", small)["sent"], "1000")
        self.assertEqual(self.ok(env, "put", url, "a/big", big, "tag=t1").number("sent"), big.stat().st_size)
        self.ok(env, "put", url, "none", none)
        for key, f in (("a/small one+&=ä", small), ("a/big", big), ("none", none)):
            self.assertEqual(self.ok(env, "size", url, key).out.strip(), str(f.stat().st_size))
            self.ok(env, "get", url, key, self.dir / "back")
            self.assertEqual((self.dir / "back").read_bytes(), f.read_bytes(), key)
        self.ok(env, "get", url, "a/big", self.dir / "back", 5 * MIB - 1, 7 * MIB)
        self.assertEqual((self.dir / "back").read_bytes(), big.read_bytes()[5 * MIB - 1 : 12 * MIB - 1])
        self.assertEqual(self.ok(env, "get", url, "a/small one+&=ä", self.dir / "back", 990, 100)["got"], "10")
        self.assertEqual(self.ok(env, "list", url, "a/").out.split("\n")[0:2], [f"{big.stat().st_size} a/big", "1000 a/small one+&=ä"])
        self.assertIn("error: -2 ", self.bad(env, "size", url, "missing").err)
        self.assertIn("error: -2 ", self.bad(env, "get", url, "missing", self.dir / "back").err)
        self.assertIn("error: -17 ", self.bad(env, "put", url, "a/small one+&=ä", none, "new").err)
        self.ok(env, "put", url, "fresh", small, "new")
        self.assertIn("error: -17 ", self.bad(env, "put", url, "a/big", big, "new").err)
        self.ok(env, "delete", url, "a/big")
        self.ok(env, "delete", url, "a/big")
        self.assertEqual(len(self.ok(env, "list", url).out.splitlines()), 3)
        for key in ("../x", "a//b", "/a", "a/.", "x\n"):
            self.assertIn("error: -22 ", self.bad(env, "put", url, key, small).err)

    def test_s3(self):
        with Server() as s:
            self.all_of(env_of(s), "s3://bkt/some/prefix")
            self.assertTrue(all(k.startswith("some/prefix/") for _, k in s.objects))

    def test_s3_pages(self):
        with Server(page=2) as s:
            self.all_of(env_of(s), "s3://bkt")

    def test_google_hmac(self):
        with Server() as s:
            env = env_of(s, GS_ACCESS_KEY_ID="AKIATEST", GS_SECRET_ACCESS_KEY=KEYS["AKIATEST"])
            del env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]
            self.all_of(env, "gs://bkt/p")

    def test_azure(self):
        with Server(azure=True) as s:
            self.all_of(env_of(s), "azblob://acct/bkt/p q")

    def test_azure_pages(self):
        with Server(azure=True, page=1) as s:
            self.all_of(env_of(s), "azblob://acct/bkt")

    def test_folder(self):
        self.all_of(env_of(), f"file://{self.dir}/store")
        self.all_of(env_of(), f"{self.dir}/store2/")

    def test_command(self):
        prog = self.dir / "prog"
        prog.write_text(COMMAND)
        prog.chmod(0o755)
        self.all_of(env_of(), f"cmd:{prog} {self.dir}/cmd-store")

    def test_rclone_as_in_the_docs(self):
        rclone, docs = DEPS / "bin/rclone", (TOP / "docs/SURVIVE.md")
        if not rclone.exists():
            self.skipTest("rclone is not there (tools/setup --test unpacks it)")
        prog = self.dir / "rclone-store"
        prog.write_text(docs.read_text().split("```sh\n#!/bin/sh\n# rclone-store")[1].split("```")[0].join(["#!/bin/sh\n#", ""]))
        prog.chmod(0o755)
        env = env_of(PATH=f"{rclone.parent}:/usr/bin:/bin", RCLONE_CONFIG="/dev/null")
        self.all_of(env, f"cmd:{prog} {self.dir}/rclone-there")

    def test_command_that_fails(self):
        small = self.file("small", 3 * MIB)
        for text, told in (("echo 'no such remote' >&2; exit 9", "exit code 9: no such remote"), ("kill -9 $$", "ended by signal 9"), ("exec cat >/dev/null; exit 0", None)):
            prog = self.dir / "bad"
            prog.write_text(f"#!/bin/sh\n{text}\n")
            prog.chmod(0o755)
            if told:
                self.assertIn(told, self.bad(env_of(), "put", f"cmd:{prog}", "k", small).err)
        self.assertIn("did not read all", self.bad(env_of(), "put", "cmd:true", "k", small).err)
        self.assertIn("exit code 127", self.bad(env_of(), "put", "cmd:/nonexistent/x", "k", small).err)
        self.assertIn("not SIZE KEY", self.bad(env_of(), "list", "cmd:echo hello").err)
        start = time.time()
        prog.write_text("#!/bin/sh\nexec sleep 60\n")
        self.assertIn("error: -62 ", self.bad(env_of(OT_DEADLINE_MS=300), "put", f"cmd:{prog}", "k", small).err)
        self.assertLess(time.time() - start, 30)


COMMAND = """#!/bin/sh
root=$1 what=$2 key=$3
case $what in
put) mkdir -p "$(dirname "$root/$key")" && cat >"$root/$key.part" && mv "$root/$key.part" "$root/$key" ;;
put-new) mkdir -p "$(dirname "$root/$key")" && cat >"$root/$key.part" || exit 1
  ln "$root/$key.part" "$root/$key" 2>/dev/null; rc=$?; rm "$root/$key.part"; [ $rc = 0 ] || exit 4 ;;
get) [ -f "$root/$key" ] || exit 3
  if [ "$5" = - ]; then tail -c +$(($4 + 1)) "$root/$key"; else tail -c +$(($4 + 1)) "$root/$key" | head -c "$5"; fi ;;
size) [ -f "$root/$key" ] || exit 3; stat -c %s "$root/$key" ;;
list) mkdir -p "$root" && cd "$root" && find . -type f -printf '%s %P\\n' ;;
delete) rm -f "$root/$key" ;;
*) exit 64 ;;
esac
"""


class Faults(Base):
    def test_tried_again(self):
        big = self.file("big", 17 * MIB)
        with Server() as s:
            s.faults = [Fault("status", "PUT", "partNumber=2"), Fault("cut", "PUT", "partNumber=3", after=5 * MIB - 50000), Fault("status", "POST", "uploads", 2, status=500, code="InternalError"),
                        Fault("status", "GET", "list-type", status=503), Fault("error200", "POST", "uploadId")]
            self.ok(env_of(s), "put", "s3://bkt", "big", big, "tag=x")
            self.assertEqual(s.objects["bkt", "big"].body, big.read_bytes())
            self.assertEqual(s.uploads, {})
            self.ok(env_of(s), "list", "s3://bkt")

    def test_lost_answers(self):
        """The work was done, only the answer was lost: the next try finds that out instead of taking its own work for somebody else's."""
        small, big = self.file("small", 1000), self.file("big", 12 * MIB)
        with Server() as s:
            s.faults = [Fault("lost", "PUT", "/small"), Fault("lost", "POST", "uploadId")]
            self.ok(env_of(s), "put", "s3://bkt", "warm", small, "new")
            self.ok(env_of(s), "put", "s3://bkt", "small", small, "new", "tag=a")
            self.ok(env_of(s), "put", "s3://bkt", "big", big, "new", "tag=b")
            self.assertEqual(s.objects["bkt", "big"].body, big.read_bytes())

    def test_resume(self):
        """A server that cuts at 99 %, for good: then a second call sends only what is missing."""
        big = self.file("big", 40 * MIB)
        for azure in (False, True):
            with Server(azure=azure) as s:
                url, last = ("azblob://a/bkt", "comp=block&.*") if azure else ("s3://bkt", "partNumber=8")
                s.faults = [Fault("cut", "PUT", "comp=block&" if azure else last, None, skip=7 if azure else 0, after=5 * MIB - 40000)]
                env = env_of(s, OT_TRIES=2, OT_STREAMS=1)
                r = self.bad(env, "put", url, "big", big, "tag=t")
                self.assertIn("gave up after 2 tries", r.err)
                self.assertNotIn(("bkt", "big"), s.objects)
                s.faults = []
                r = self.ok(env, "put", url, "big", big, "tag=t")
                self.assertEqual(r.number("sent"), 5 * MIB, "only the last part")
                self.assertEqual(s.objects["bkt", "big"].body, big.read_bytes())

    def test_resume_of_other_bytes(self):
        """Parts of another content under the same key are not taken."""
        one, two = self.file("one", 15 * MIB, 1), self.file("two", 15 * MIB, 2)
        for azure, kms in ((False, False), (False, True), (True, False)):
            with Server(azure=azure, kms=kms) as s:
                url = "azblob://a/bkt" if azure else "s3://bkt"
                s.faults = [Fault("status", "PUT" if azure else "POST", "comp=blocklist" if azure else "uploadId", None, status=400, code="InvalidPart")]
                self.bad(env_of(s), "put", url, "k", one, "tag=1")
                s.faults = []
                self.ok(env_of(s), "put", url, "k", two, "tag=2")
                self.assertEqual(s.objects["bkt", "k"].body, two.read_bytes())

    def test_given_up_upload(self):
        big = self.file("big", 12 * MIB)
        with Server() as s:
            s.faults = [Fault("status", "PUT", "partNumber=2", None, status=400, code="InvalidRequest")]
            self.bad(env_of(s), "put", "s3://bkt", "k", big)
            self.assertEqual(s.uploads, {}, "without a tag nothing is left")
            self.bad(env_of(s), "put", "s3://bkt", "k", big, "tag=1")
            self.assertEqual(len(s.uploads), 1)

    def test_wrong_credentials(self):
        f = self.file("f", 10)
        with Server() as s:
            r = self.bad(env_of(s, AWS_SECRET_ACCESS_KEY="wrong"), "put", "s3://bkt", "k", f)
            self.assertIn("error: -13 ", r.err)
            self.assertIn("SignatureDoesNotMatch", r.err)
            self.assertIn("hint: the key or the secret is wrong: it came from the environment", r.err)
            self.assertNotIn("wrong\n", r.err.replace("is wrong", ""))
            r = self.bad(env_of(s, AWS_ACCESS_KEY_ID="AKIAOTHER"), "list", "s3://bkt")
            self.assertIn("InvalidAccessKeyId", r.err)
            self.assertEqual(len(s.log), 2, "no second try")
            r = self.bad(env_of(s), "list", "s3://nobucket")
            self.assertIn("NoSuchBucket", r.err)
        with Server(azure=True) as s:
            r = self.bad(env_of(s, AZURE_STORAGE_SAS_TOKEN="sv=2021-12-02&sig=no"), "put", "azblob://a/bkt", "k", f)
            self.assertIn("hint: the SAS must", r.err)
            self.assertNotIn("sig=", r.err)
        r = self.bad(env_of(), "list", "s3://bkt")
        self.assertIn("no credentials", r.err)
        self.assertIn("AWS_ACCESS_KEY_ID", r.err)

    def test_clock(self):
        f = self.file("f", 10)
        with Server(skew=7200) as s:
            self.ok(env_of(s), "put", "s3://bkt", "k", f)
            self.ok(env_of(s), "put", "s3://bkt", "big", self.file("big", 12 * MIB))
        with Server() as s:
            s.faults = [Fault("status", None, "", None, status=403, code="RequestTimeTooSkewed")]
            s.skew = 3600
            r = self.bad(env_of(s), "put", "s3://bkt", "k", f)
            self.assertRegex(r.err, "hint: the clock of this machine differs by 3[56]..? s")
            self.assertLessEqual(len(s.log), 2)

    def test_redirect(self):
        f = self.file("f", 10)
        with Server() as s:
            s.faults = [Fault("redirect", times=None)]
            r = self.bad(env_of(s), "put", "s3://bkt", "k", f)
            self.assertIn("status 307", r.err)
            self.assertIn("hint: give the address and the region", r.err)
            self.assertLessEqual(len(s.log), 2)

    def test_deadline(self):
        big = self.file("big", 20 * MIB)
        with Server() as s:
            s.faults = [Fault("slow", "PUT", "", None, value=MIB // 4)]  # 20 s, four parts at a time
            start = time.time()
            r = self.bad(env_of(s, OT_DEADLINE_MS=2500), "put", "s3://bkt", "k", big, "tag=t")
            self.assertLess(time.time() - start, 12)
            self.assertIn("error: -62 ", r.err)
            self.assertNotIn(("bkt", "k"), s.objects)

    def test_stall(self):
        f = self.file("f", 10)
        with Server() as s:
            s.faults = [Fault("stall", "PUT", "", 1, value=90)]
            start = time.time()
            self.ok(env_of(s, OT_STALL_MS=1000), "put", "s3://bkt", "k", f)
            self.assertLess(time.time() - start, 60)

    def test_nobody_there(self):
        f = self.file("f", 10)
        r = self.bad(env_of(None, OT_ENDPOINT="http://127.0.0.1:9", AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b", OT_TRIES=2), "put", "s3://bkt", "k", f)
        self.assertIn("gave up after 2 tries", r.err)

    def test_store_without_conditions(self):
        f = self.file("f", 10)
        with Server(ignore_conditions=True) as s:
            r = self.ok(env_of(s), "put", "s3://bkt", "k", f, "new")
            self.assertEqual(r["condition"], "0")
            self.assertIn("error: -17 ", self.bad(env_of(s), "put", "s3://bkt", "k", f, "new").err)
            self.assertEqual([k for _, k in s.objects], ["k"], "the probe is removed")

    def test_cut_download(self):
        big = self.file("big", 12 * MIB)
        with Server() as s:
            self.ok(env_of(s), "put", "s3://bkt", "k", big)
            s.faults = [Fault("cutget", "GET", "", 2, after=MIB)]
            self.ok(env_of(s), "get", "s3://bkt", "k", self.dir / "back")
            self.assertEqual((self.dir / "back").read_bytes(), big.read_bytes())

    def test_full_disk(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with Server() as s:
            self.ok(env_of(s), "put", "s3://bkt", "k", self.file("f", 1000))
            self.assertIn("error: -28 ", self.bad(env_of(s), "get", "s3://bkt", "k", "/dev/full").err)


class Roles(Base):
    """A machine's role by IMDSv2, a container's, Google's: played by a small server."""

    def metadata(self, routes):
        log = []

        class H(BaseHTTPRequestHandler):
            def do(self):
                log.append((self.command, self.path, dict(self.headers)))
                sent = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                status, body = routes(self.command, self.path, self.headers, *([sent] if routes.__code__.co_argcount == 4 else []))
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body.encode())

            do_GET = do_PUT = do_POST = do

            def log_message(self, *_):
                pass

        h = HTTPServer(("127.0.0.1", 0), H)
        threading.Thread(target=h.serve_forever, args=(0.05,), daemon=True).start()
        self.addCleanup(h.server_close)
        self.addCleanup(h.shutdown)
        return f"http://127.0.0.1:{h.server_address[1]}", log

    def test_machine(self):
        f = self.file("f", 10)
        calls = [0]

        def routes(method, path, headers):
            if path == "/latest/api/token" and method == "PUT" and "X-aws-ec2-metadata-token-ttl-seconds" in headers:
                return 200, "tok-1"
            if headers.get("X-aws-ec2-metadata-token") != "tok-1":
                return 401, ""
            if path.endswith("/security-credentials/"):
                return 200, "my role"
            if path.endswith("/security-credentials/my%20role"):
                calls[0] += 1
                return 200, json.dumps({"Code": "Success", "AccessKeyId": "AKIATEST", "SecretAccessKey": KEYS["AKIATEST"], "Token": f"session-{calls[0]}", "Expiration": "2099-01-01T00:00:00Z"}, indent=2)
            return 404, ""

        url, _ = self.metadata(routes)
        with Server(token="session-2") as s:  # the first that the role gives is over: a new one is fetched
            env = env_of(s, AWS_EC2_METADATA_SERVICE_ENDPOINT=url, AWS_EC2_METADATA_DISABLED="false")
            del env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]
            self.ok(env, "put", "s3://bkt", "k", f)
            self.assertEqual(calls[0], 2)

    def test_container(self):
        url, log = self.metadata(lambda m, p, h: (200, json.dumps({"AccessKeyId": "AKIATEST", "SecretAccessKey": KEYS["AKIATEST"], "Token": "t", "Expiration": "2099-01-01T00:00:00Z"})) if h.get("Authorization") == "sesame" else (401, ""))
        token = self.dir / "token"
        token.write_text("sesame\n")
        with Server(token="t") as s:
            env = env_of(s, AWS_CONTAINER_CREDENTIALS_FULL_URI=url + "/v1/credentials", AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE=token)
            del env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]
            self.ok(env, "list", "s3://bkt")

    def test_google(self):
        url, log = self.metadata(lambda m, p, h: (200, json.dumps({"access_token": "ya29.x", "expires_in": 3000, "token_type": "Bearer"})) if h.get("Metadata-Flavor") == "Google" else (403, ""))
        with Server(bearers={"ya29.x"}) as s:
            env = env_of(s, GCE_METADATA_HOST=url[7:])
            del env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]
            self.ok(env, "put", "gs://bkt", "k", self.file("f", 10), "new")

    def without_keys(self, s, **more):
        env = env_of(s, **more)
        del env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]
        return env

    def sts(self, tokens, end="2099-01-01T00:00:00Z", log=None):
        """AssumeRoleWithWebIdentity as STS answers it: a form by POST; the n-th answer's session token is session-n."""
        calls = []

        def routes(method, path, headers, body):
            q = dict(urllib.parse.parse_qsl(body))
            calls.append(q)
            error = None
            if method != "POST" or q.get("Action") != "AssumeRoleWithWebIdentity" or q.get("Version") != "2011-06-15" or not re.fullmatch(r"[\w+=,.@-]{2,64}", q.get("RoleSessionName", "")):
                error = 400, "ValidationError", "request"
            elif q["WebIdentityToken"] not in tokens:
                error = 400, "InvalidIdentityToken", "No OpenIDConnect provider found in your account for https://oidc.example"
            elif q["RoleArn"] != "arn:aws:iam::123456789012:role/ckpt":
                error = 403, "AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity"
            if error:
                return error[0], f'<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>{error[1]}</Code><Message>{error[2]}</Message></Error></ErrorResponse>'
            return 200, f"""<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
  <AssumeRoleWithWebIdentityResult>
    <SubjectFromWebIdentityToken>system:serviceaccount:ml:train</SubjectFromWebIdentityToken>
    <AssumedRoleUser><Arn>arn:aws:sts::123456789012:assumed-role/ckpt/x</Arn><AssumedRoleId>AROA:x</AssumedRoleId></AssumedRoleUser>
    <Credentials>
      <AccessKeyId>AKIATEST</AccessKeyId><SecretAccessKey>{KEYS["AKIATEST"]}</SecretAccessKey>
      <SessionToken>session-{len(calls)}</SessionToken><Expiration>{end}</Expiration>
    </Credentials>
  </AssumeRoleWithWebIdentityResult>
</AssumeRoleWithWebIdentityResponse>"""

        url, _ = self.metadata(routes)
        return url, calls

    def test_web_identity(self):
        """EKS (IRSA): the token of the pod for keys of the role; over: asked for anew, the file read anew."""
        token = self.dir / "token"
        token.write_text("eyJ.one\n")
        url, calls = self.sts({"eyJ.one"})
        arn = "arn:aws:iam::123456789012:role/ckpt"
        with Server(token="session-2") as s:
            env = self.without_keys(s, AWS_WEB_IDENTITY_TOKEN_FILE=token, AWS_ROLE_ARN=arn, AWS_ROLE_SESSION_NAME="job-7", AWS_ENDPOINT_URL_STS=url)
            self.ok(env, "list", "s3://bkt")
            self.assertEqual([c["RoleSessionName"] for c in calls], ["job-7", "job-7"], "the first keys were over: asked once more")
            del env["AWS_ROLE_SESSION_NAME"]
            s.token = "session-3"
            self.ok(env, "put", "s3://bkt", "k", self.file("f", 6 * MIB))
            r = self.bad(env | {"AWS_ROLE_ARN": arn + "x"}, "list", "s3://bkt")
            self.assertIn("AccessDenied: Not authorized", r.err)
            self.assertIn("hint: the role's trust policy", r.err)
            token.write_text("eyJ.two")
            self.assertIn("hint: the account has no identity provider", self.bad(env, "list", "s3://bkt").err)
            token.unlink()
            self.assertRegex(self.bad(env, "list", "s3://bkt").err, r"cannot read the token .*\nhint: it is put there by the cluster")
            token.write_text("eyJ.one\r\nX-Evil: 1")
            self.assertIn("no usable token", self.bad(env, "list", "s3://bkt").err)

    def test_web_identity_soon_over(self):
        """Keys that end in four minutes are not waited for until they are over; but not each part asks."""
        token = self.dir / "token"
        token.write_text("t")
        url, calls = self.sts({"t"}, time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 240)))
        with Server() as s:
            env = self.without_keys(s, AWS_WEB_IDENTITY_TOKEN_FILE=token, AWS_ROLE_ARN="arn:aws:iam::123456789012:role/ckpt", AWS_ENDPOINT_URL_STS=url)
            self.ok(env, "put", "s3://bkt", "k", self.file("f", 40 * MIB))
            self.assertEqual(len(calls), 2)

    def test_profile_of_config(self):
        """~/.aws/config: web identity, credential_process, region; what is not spoken is said."""
        token, config, answer = self.dir / "token", self.dir / "config", self.dir / "answer.json"
        token.write_text("t")
        answer.write_text(json.dumps({"Version": 1, "AccessKeyId": "AKIATEST", "SecretAccessKey": KEYS["AKIATEST"], "SessionToken": "p" * 3000, "Expiration": "2099-01-01T00:00:00Z"}, indent=1))
        url, calls = self.sts({"t"})
        config.write_text(f"""[profile irsa]
role_arn = arn:aws:iam::123456789012:role/ckpt
web_identity_token_file = {token}
region = eu-north-1
[profile proc]
credential_process = cat '{answer}'
[profile sso]
sso_session = corp
sso_account_id = 1
[profile fails]
credential_process = echo no >&2; exit 3
""")
        with Server(region="eu-north-1", token="session-1") as s:
            env = self.without_keys(s, AWS_CONFIG_FILE=config, AWS_PROFILE="irsa", AWS_ENDPOINT_URL_STS=url)
            self.ok(env, "list", "s3://bkt")
            self.assertEqual(len(calls), 1)
        with Server(token="p" * 3000) as s:
            env = self.without_keys(s, AWS_CONFIG_FILE=config, AWS_PROFILE="proc")
            self.ok(env, "list", "s3://bkt")
            self.ok(self.without_keys(s, AWS_CONFIG_FILE=config), "list", "s3://bkt?profile=proc")
            self.assertRegex(self.bad(env | {"AWS_PROFILE": "sso"}, "list", "s3://bkt").err, r"names the sso_session 'corp', which ~/.aws/config does not have\nhint: 'aws configure sso-session' makes it")
            self.assertRegex(self.bad(env | {"AWS_PROFILE": "fails"}, "list", "s3://bkt").err, r"credential_process .* failed\nhint: run it by hand")
            self.assertRegex(self.bad(env | {"AWS_PROFILE": "none"}, "list", "s3://bkt").err, r"no profile 'none'.*\nhint: make it: aws configure --profile none")

    def test_container_elsewhere(self):
        """The token of a container is told to nobody over plain HTTP but ECS, EKS and this machine."""
        with Server() as s:
            for url in ("http://10.1.2.3/x", "http://127.0.0.1@evil.example/x", "http://localhost.evil.example/", "http://127.evil.example/", "http://127.0.0.1.evil.example/", "http://[::1].evil.example/", "http://169.254.170.23.evil.example/", "ftp://127.0.0.1/"):
                r = self.bad(self.without_keys(s, AWS_CONTAINER_CREDENTIALS_FULL_URI=url, AWS_CONTAINER_AUTHORIZATION_TOKEN="x"), "list", "s3://bkt")
                self.assertIn("is neither https nor", r.err)

    def azure_server(self):
        """Azure's blobs by a token instead of a SAS."""
        return Server(azure=True, bearers={"eyA.storage"})

    def azure_env(self, s, **more):
        env = env_of(s, **more)
        env.pop("AZURE_STORAGE_SAS_TOKEN")
        return env

    def test_azure_workload_identity(self):
        token = self.dir / "token"
        token.write_text("eyK8s\n")

        def routes(method, path, headers, body):
            q = dict(urllib.parse.parse_qsl(body))
            if (method, path) != ("POST", "/tenant-1/oauth2/v2.0/token") or q.get("scope") != "https://storage.azure.com/.default" or q.get("grant_type") != "client_credentials":
                return 400, "{}"
            if q.get("client_assertion") != "eyK8s" or q.get("client_assertion_type") != "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" or q.get("client_id") != "app-1":
                return 401, json.dumps({"error": "invalid_client", "error_description": "AADSTS700213: No matching federated identity record found"})
            return 200, json.dumps({"token_type": "Bearer", "expires_in": 86399, "access_token": "eyA.storage"})

        url, _ = self.metadata(routes)
        with self.azure_server() as s:
            env = self.azure_env(s, AZURE_FEDERATED_TOKEN_FILE=token, AZURE_CLIENT_ID="app-1", AZURE_TENANT_ID="tenant-1", AZURE_AUTHORITY_HOST=url + "/")
            f = self.file("f", 12 * MIB)
            self.ok(env, "put", "azblob://a/bkt/p", "k", f, "new")
            self.ok(env, "get", "azblob://a/bkt/p", "k", self.dir / "back")
            self.assertEqual((self.dir / "back").read_bytes(), f.read_bytes())
            r = self.bad(env | {"AZURE_CLIENT_ID": "app-2"}, "list", "azblob://a/bkt")
            self.assertRegex(r.err, r"AADSTS700213(.|\n)*hint: AZURE_CLIENT_ID and AZURE_TENANT_ID must be")
            for host in ("http://login.example", "http://127.evil.example/", "login.example"):
                self.assertRegex(self.bad(env | {"AZURE_AUTHORITY_HOST": host}, "list", "azblob://a/bkt").err, r"AZURE_AUTHORITY_HOST '.*' is not https.*\nhint: it is https://")
            s.bearers = set()
            self.assertIn("hint: give the identity (the workload identity) the role 'Storage Blob Data Contributor'", self.bad(env, "list", "azblob://a/bkt").err)

    def test_azure_managed_identity(self):
        seen = []

        def routes(method, path, headers):
            seen.append(path)
            u = urllib.parse.urlsplit(path)
            q = dict(urllib.parse.parse_qsl(u.query))
            if headers.get("Metadata") != "true" or u.path != "/metadata/identity/oauth2/token" or q.get("resource") != "https://storage.azure.com/" or q.get("api-version") != "2018-02-01":
                return 400, "{}"
            return 200, json.dumps({"access_token": "eyA.storage", "expires_in": "86399", "expires_on": "4102444800", "token_type": "Bearer", "client_id": q.get("client_id", "")})

        url, _ = self.metadata(routes)
        with self.azure_server() as s:
            self.ok(self.azure_env(s, AZURE_POD_IDENTITY_AUTHORITY_HOST=url, AZURE_CLIENT_ID="mine"), "list", "azblob://a/bkt")
            self.assertIn("client_id=mine", seen[0])

        def app(method, path, headers):
            return (200, json.dumps({"access_token": "eyA.storage", "expires_in": "600"})) if headers.get("X-IDENTITY-HEADER") == "h" and "api-version=2019-08-01" in path else (401, "")

        url, _ = self.metadata(app)
        with self.azure_server() as s:
            self.ok(self.azure_env(s, IDENTITY_ENDPOINT=url + "/token", IDENTITY_HEADER="h"), "list", "azblob://a/bkt")

    def test_file(self):
        cred = self.dir / "credentials"
        cred.write_text(f"[default]\naws_access_key_id = no\naws_secret_access_key = no\n\n[work]\naws_access_key_id = AKIATEST\naws_secret_access_key={KEYS['AKIATEST']}\n")
        with Server() as s:
            env = env_of(s, AWS_SHARED_CREDENTIALS_FILE=cred, AWS_PROFILE="work")
            del env["AWS_ACCESS_KEY_ID"], env["AWS_SECRET_ACCESS_KEY"]
            self.ok(env, "list", "s3://bkt")
            self.assertIn("no profile 'other'", self.bad(env | {"AWS_PROFILE": "other"}, "list", "s3://bkt").err)

    def test_region(self):
        with Server(region="eu-central-1") as s:
            self.ok(env_of(s, OT_REGION="eu-central-1"), "list", "s3://bkt")
            self.assertIn("AuthorizationHeaderMalformed", self.bad(env_of(s), "list", "s3://bkt").err)


class Settings(Base):
    """What stands behind an address, and what the environment says of the way there."""

    def heads(self, s, method, match=""):
        return [h for (m, path, _), h in zip(s.log, s.heads) if m == method and re.search(match, path)]

    def test_headers(self):
        big = self.file("big", 12 * MIB)
        with Server() as s:
            url = "s3://bkt/p?sse=aws:kms&sse-kms-key-id=arn%3Aaws%3Akms:eu-west-1:1:key/ab&storage-class=STANDARD_IA&request-payer=requester"
            self.ok(env_of(s), "put", url, "k", self.file("f", 10), "new")
            self.ok(env_of(s), "put", url, "big", big, "tag=t")
            self.ok(env_of(s), "list", url)
            for method, match in (("PUT", r"/p/k$"), ("POST", r"\?uploads")):
                h = self.heads(s, method, match)[0]
                self.assertEqual((h["x-amz-server-side-encryption"], h["x-amz-server-side-encryption-aws-kms-key-id"], h["x-amz-storage-class"]),
                                 ("aws:kms", "arn:aws:kms:eu-west-1:1:key/ab", "STANDARD_IA"))
            self.assertTrue(all(h["x-amz-request-payer"] == "requester" for h in s.heads))
            self.assertFalse([h for h in self.heads(s, "PUT", "partNumber") if "x-amz-server-side-encryption" in h])
            self.assertIn(("bkt", "p/big"), s.objects)

    def test_mistakes(self):
        with Server() as s, Server(azure=True) as az:
            for url, told in (("s3://bkt/p?sse=rot13", "'rot13' is not a value of 'sse'(.|\n)*it may be: AES256 aws:kms"), ("s3://bkt?storage-class=GLACIER", "not a value of 'storage-class'"),
                              ("s3://bkt?colour=red", "'colour' is not a setting(.|\n)*there are endpoint"), ("s3://bkt?sse-kms-key-id=x", "wants sse=aws:kms"), ("s3://bkt?sse=", "not a value of 'sse'"),
                              ("s3://bkt?request-payer=a%0d%0aX-Evil:1", "not a value of 'request-payer'"), ("s3://bkt?region=a%0d%0aX-Evil:1", "not a value of 'region'")):
                self.assertRegex(self.bad(env_of(s), "list", url).err, told)
            r = self.bad(env_of(az), "list", "azblob://a/bkt?sv=2021&sig=geheim")
            self.assertIn("hint: a SAS goes into AZURE_STORAGE_SAS_TOKEN", r.err)
            self.assertNotIn("geheim", r.err)
            self.assertIn("settings of S3", self.bad(env_of(az), "list", "azblob://a/bkt?sse=AES256").err)
            env = env_of(s)
            del env["OT_ENDPOINT"]
            self.ok(env, "list", f"s3://bkt?endpoint={s.url}&region=us-east-1")

    def test_payload_signing(self):
        """Over plain HTTP the hashes of bodies are signed, unless told otherwise."""
        big, config = self.file("big", 6 * MIB), self.dir / "config"
        config.write_text("[default]\ns3 =\n  payload_signing_enabled = false\noutput = json\n[profile on]\ns3 =\n  payload_signing_enabled = true\n")
        unsigned = {"AWS_S3_PAYLOAD_SIGNING_ENABLED": "false"}
        for more, url, expect in (({}, "s3://bkt", False), (unsigned, "s3://bkt", True), (unsigned, "s3://bkt?payload-signing=on", False), ({}, "s3://bkt?payload-signing=off", True),
                                  ({"AWS_CONFIG_FILE": config}, "s3://bkt", True), ({"AWS_CONFIG_FILE": config, "AWS_PROFILE": "on"}, "s3://bkt", False)):
            with Server() as s:
                env = env_of(s, **more)
                self.ok(env, "put", url, "big", big)
                told = {h["X-Amz-Content-SHA256"] for h in self.heads(s, "PUT", "partNumber")}
                self.assertEqual(told == {"UNSIGNED-PAYLOAD"}, expect, (more, url))
                self.assertEqual(s.objects["bkt", "big"].body, big.read_bytes())

    def test_proxy(self):
        """http_proxy and no_proxy, as curl reads them."""
        seen = []

        class Proxy(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                seen.append(self.path)
                self.send_response(503)
                self.send_header("Content-Length", "0")
                self.end_headers()

            do_CONNECT = do_GET

            def log_message(self, *_):
                pass

        h = HTTPServer(("127.0.0.1", 0), Proxy)
        threading.Thread(target=h.serve_forever, args=(0.05,), daemon=True).start()
        self.addCleanup(h.server_close)
        self.addCleanup(h.shutdown)
        proxy = f"http://127.0.0.1:{h.server_address[1]}"
        with Server() as s:
            self.bad(env_of(s, http_proxy=proxy, OT_TRIES=1), "list", "s3://bkt")
            self.assertTrue(seen[0].startswith(s.url), seen)
            self.ok(env_of(s, http_proxy=proxy, no_proxy="127.0.0.1"), "list", "s3://bkt")
            self.bad(env_of(None, AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="y", OT_TRIES=1, HTTPS_PROXY=proxy), "list", "s3://bkt?region=eu-west-1")
            self.assertEqual(seen[-1], "bkt.s3.eu-west-1.amazonaws.com:443")

    def test_own_certificates(self):
        """A store with a certificate of one's own: refused until its root is named."""
        if not shutil.which("openssl"):
            self.skipTest("no openssl")
        cert, other = self.dir / "cert.pem", self.dir / "other.pem"
        for c in (cert, other):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=t", "-addext", "subjectAltName=IP:127.0.0.1",
                            "-keyout", f"{c}.key", "-out", str(c)], check=True, capture_output=True)
            c.write_text(c.read_text() + pathlib.Path(f"{c}.key").read_text())
        big = self.file("big", 12 * MIB)
        with Server(tls=cert) as s:
            self.assertRegex(self.bad(env_of(s), "list", "s3://bkt").err, "certificate(.|\n)*hint: .*AWS_CA_BUNDLE")
            for name in ("AWS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"):
                self.ok(env_of(s, **{name: cert}), "put", "s3://bkt", "big", big)
            self.assertEqual({h["X-Amz-Content-SHA256"] for h in self.heads(s, "PUT", "partNumber")}, {"UNSIGNED-PAYLOAD"})
            self.bad(env_of(s, AWS_CA_BUNDLE=other), "list", "s3://bkt")


class RealSwift(Stores, Base):
    """OpenStack Swift with s3api and tempauth: a server of others that checks signatures and hashes of bodies."""

    for inherited in [n for n in vars(Stores) if n.startswith("test_")]:
        locals()[inherited] = None
    del inherited

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="tare-swift-", dir=BUILD)  # /tmp may be a file system without extended attributes
        cls.addClassCleanup(shutil.rmtree, cls.folder, ignore_errors=True)
        if no := swift_peer.why_not(cls.folder):
            raise unittest.SkipTest(no)
        cls.swift = swift_peer.Swift(cls.folder)
        cls.swift.__enter__()
        cls.addClassCleanup(cls.swift.__exit__)

    def bucket(self, name):
        self.assertEqual(self.swift.ask("PUT", "/" + name)[0], 200, self.swift.words())
        return "s3://" + name, self.env_of()

    def env_of(self, **more):
        return env_of(None, OT_ENDPOINT=self.swift.url, **({"AWS_ACCESS_KEY_ID": self.swift.key, "AWS_SECRET_ACCESS_KEY": self.swift.secret} | more))

    def test_swift_checks(self):
        """That it is a peer at all: wrong signatures and bodies of another hash are refused; what it does with a condition."""
        url, env = self.bucket("checks")
        f = self.file("f", 100)
        for more in ({"AWS_SECRET_ACCESS_KEY": "wrong"}, {"AWS_ACCESS_KEY_ID": "test:nobody"}):
            self.assertIn("SignatureDoesNotMatch", self.bad(self.env_of(**more), "put", url, "k", f).err)
        self.assertEqual(self.swift.ask("PUT", "/checks/a", b"12", hashlib.sha256(b"12").hexdigest())[0], 200)
        status, body = self.swift.ask("PUT", "/checks/b", b"12", hashlib.sha256(b"13").hexdigest())
        self.assertEqual(status, 400, body)
        self.assertEqual(self.ok(env, "list", url).out, "2 a\n")
        status, body = self.swift.ask("PUT", "/checks/a", b"34", None, if_none_match="*")
        self.assertIn((status, b"NotImplemented" in body), ((501, True), (412, False)))
        print(f"\nSwift answers a put with If-None-Match with {status}", flush=True)

    def test_swift_store(self):
        url, env = self.bucket("store")
        self.all_of(env, url + "/some/prefix")

    def test_swift_resume(self):
        """Uploads that were cut go on there, by its own list of parts."""
        url, env = self.bucket("resume")
        big, objects = self.file("big", 80 * MIB), pathlib.Path(self.folder) / "srv/d1/objects"
        before = len(list(objects.glob("**/*.data")))
        p = subprocess.Popen([str(TOOL), "put", url, "big", str(big), "tag=t"], env=env | {"OT_STREAMS": "1"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(12000):
            if len(list(objects.glob("**/*.data"))) >= before + 3 or p.poll() is not None:
                break
            time.sleep(0.005)
        p.kill()
        p.wait()
        sent = self.ok(env, "put", url, "big", big, "tag=t").number("sent")
        print(f"\nSwift: after the kill {sent / big.stat().st_size * 100:.0f} % of the bytes were sent again", flush=True)
        self.assertLess(sent, 80 * MIB)
        self.ok(env, "get", url, "big", self.dir / "back")
        self.assertEqual((self.dir / "back").read_bytes(), big.read_bytes())

    def test_swift_checkpoints(self):
        """There and back, bit-equal; a tenth changed; a second runner; what is removed; read by others."""
        url, env = self.bucket("ckpt")
        self.save("a", 1, 160)
        whole = self.ok(env, "push", url, self.dir / "a").number("sent")
        self.save("a", 2, 160, 10)
        self.assertLessEqual(self.ok(env, "push", url, self.dir / "a").number("sent") / whole, 0.12)
        self.ok(env, "pull", url, self.dir / "b")
        self.assertEqual(self.sum("a"), self.sum("b"))
        self.save("other", 3)
        self.assertIn("error: -16 another runner writes", self.bad(env, "push", url, self.dir / "other").err)
        for step in (3, 4):
            self.save("a", step, 16)
            self.ok(env, "push", url, self.dir / "a")
        self.assertEqual(self.ok(env, "retain", url, self.dir / "a", 2)["removed"], "2")
        self.ok(env, "pull", url, self.dir / "c")
        self.assertEqual(self.sum("a"), self.sum("c"))

    def test_swift_kill(self):
        url, env = self.bucket("kill")
        rnd, safe = random.Random(3), ""
        for i in range(max(2, KILLS // 4)):
            self.save("k", i + 1, 24, 50)
            p = subprocess.Popen([str(TOOL), "push", url, str(self.dir / "k")], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            time.sleep(rnd.random())
            p.kill()
            safe = next((line[5:] for line in p.communicate()[0].splitlines() if line.startswith("safe ")), safe)
            r = self.ok(env, "pull", url, self.dir / f"back-{i}")
            self.assertGreaterEqual(r["id"], safe)
            self.assertEqual(r["skipped"], "0")
            if r["id"]:
                self.assertEqual(self.sum("k", r["id"]), self.sum(f"back-{i}", r["id"]))
        last = self.ok(env, "push", url, self.dir / "k")["safe"]
        self.assertEqual(self.ok(env, "pull", url, self.dir / "end")["id"], last)

    def test_swift_read_by_others(self):
        url, env = self.bucket("clients")
        Peers.check_reading(self, self.swift.url, env, {"PATH": os.environ["PATH"], "HOME": str(self.dir), "AWS_ACCESS_KEY_ID": self.swift.key, "AWS_SECRET_ACCESS_KEY": self.swift.secret,
                                                        "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"}, "clients")

    def clients(self):
        return Peers.clients(self)

    def read_by(self, *args):
        Peers.read_by(self, *args)


class Push(Base):
    def where(self):
        yield "s3://bkt/run", Server()
        yield "azblob://a/bkt/run", Server(azure=True)
        yield f"{self.dir}/remote-dir", None

    def test_there_and_back(self):
        for url, s in self.where():
            with s or open(os.devnull) as _:
                env = env_of(s)
                name = f"here-{url[:3].strip('/')}"
                self.save(name, 1)
                r = self.ok(env, "push", url, self.dir / name)
                whole = r.number("sent")
                two = self.save(name, 2)
                r = self.ok(env, "push", url, self.dir / name)
                self.assertEqual(r["safe"], two)
                self.assertLessEqual(r.number("sent"), 0.12 * whole if whole > 100 * MIB else 0.30 * whole)
                self.assertEqual(self.ok(env, "push", url, self.dir / name).number("sent"), 0)
                r = self.ok(env, "pull", url, self.dir / (name + "-back"))
                self.assertEqual(r["id"], two)
                self.assertEqual(self.sum(name), self.sum(name + "-back"))
                self.assertEqual(self.ok(env, "pull", url, self.dir / (name + "-back"))["local"], "1")

    def test_local_is_newer(self):
        """What lies here and was never sent is the newest, and is not called safe there."""
        for url, s in self.where():
            with s or open(os.devnull) as _:
                env, name = env_of(s), f"newer-{url[:3].strip('/')}"
                one = self.save(name, 1)
                self.ok(env, "push", url, self.dir / name)
                two = self.save(name, 2)
                r = self.ok(env, "pull", url, self.dir / name)
                self.assertEqual((r["id"], r["local"], r["stored"]), (two, "1", one))
                self.ok(env, "push", url, self.dir / name)
                self.assertEqual(self.ok(env, "pull", url, self.dir / name)["stored"], two)
                key = self.ok(env, "list", url, f"data/{two}").out.split()[1]
                self.ok(env, "delete", url, key)
                r = self.ok(env, "pull", url, self.dir / name)
                self.assertEqual((r["id"], r["stored"]), (two, one), "its data are gone there")

    def test_raw_copy(self):
        """What is below a prefix, copied as it is, can be read: object stores have no empty folders."""
        for url, s in self.where():
            with s or open(os.devnull) as _:
                env, name = env_of(s), f"raw-{url[:3].strip('/')}"
                copy = self.dir / (name + "-copy")
                if s is None:
                    (self.dir / "one").write_text("1\n")
                    (self.dir / "remote-dir").mkdir()
                    self.ok(env, "put", url, "tare-checkpoints", self.dir / "one")
                    self.assertEqual(self.sum("remote-dir"), "id \n", "nothing but the mark: no checkpoints, and no error")
                self.save(name, 1)
                self.ok(env, "push", url, self.dir / name)
                if s:
                    for (_, k), o in s.objects.items():
                        p = copy / k[len("run/"):]
                        p.parent.mkdir(parents=True, exist_ok=True)
                        p.write_bytes(o.body)
                else:
                    shutil.copytree(self.dir / "remote-dir", copy)
                self.assertFalse((copy / "part").exists())
                for p in [copy, *copy.rglob("*")]:
                    p.chmod(0o555 if p.is_dir() else 0o444)
                self.assertEqual(self.sum(copy.name), self.sum(name))

    def test_tenth_changed(self):
        with Server() as s:
            self.save("a", 1, 160)
            whole = self.ok(env_of(s), "push", "s3://bkt", self.dir / "a").number("sent")
            self.save("a", 2, 160, 10)
            r = self.ok(env_of(s), "push", "s3://bkt", self.dir / "a")
            self.assertLessEqual(r.number("sent") / whole, 0.12)
            print(f"\n10 % changed: {r.number('sent') / whole * 100:.2f} % of the bytes sent")

    def test_damaged_newest(self):
        with Server() as s:
            self.save("a", 1)
            self.ok(env_of(s), "push", "s3://bkt", self.dir / "a")
            before = self.sum("a")
            one = self.save("a", 2)
            self.ok(env_of(s), "push", "s3://bkt", self.dir / "a")
            key = next(k for b, k in s.objects if k.startswith(f"data/{one}"))
            o = s.objects["bkt", key]
            o.body = o.body[:1000] + bytes([o.body[1000] ^ 1]) + o.body[1001:]
            r = self.ok(env_of(s), "pull", "s3://bkt", self.dir / "b")
            self.assertEqual(r["skipped"], "1")
            self.assertIn("damaged", r["told"])
            self.assertEqual(self.sum("b").replace("2-", "1-"), before.replace("2-", "1-"))
            del s.objects["bkt", key]
            self.assertEqual(self.ok(env_of(s), "pull", "s3://bkt", self.dir / "c")["skipped"], "1")
            for k in [k for k in s.objects if k[1].startswith("ckpt/")]:
                s.objects[k].body = b"garbage"
            r = self.bad(env_of(s), "pull", "s3://bkt", self.dir / "d")
            self.assertEqual((r["id"], r["skipped"]), ("", "2"))
            self.assertIn("none of the 2 checkpoints", r.err)

    def test_damaged_here(self):
        """What does not hold here is not sent; the one before is."""
        with Server() as s:
            one = self.save("a", 1)
            two = self.save("a", 2)
            p = next((self.dir / "a/data").glob(two + "*"))
            b = bytearray(p.read_bytes())
            b[5] ^= 1
            p.write_bytes(b)
            self.assertIn("is damaged", self.bad(env_of(s), "push", "s3://bkt", self.dir / "a", two).err)
            self.assertEqual(self.ok(env_of(s), "push", "s3://bkt", self.dir / "a")["safe"], one)
            self.assertNotIn(("bkt", f"ckpt/{two}"), s.objects)

    def test_damaged_at_the_end(self):
        """Found in the last part, when the others are on their way: nothing of it stays. Hashed and not, and on a store that copies by itself."""
        three = self.save("a", 3, 41, 100)
        p = next((self.dir / "a/data").glob(three + "*"))
        b = bytearray(p.read_bytes())
        b[41 * MIB - 9] ^= 1
        for signing in ("on", "off"):
            with Server() as s:
                p.write_bytes(b)
                r = self.bad(env_of(s, OT_STREAMS=2), "push", f"s3://bkt?payload-signing={signing}", self.dir / "a")
                self.assertIn(f"'{p.name}' is damaged", r.err)
                self.assertEqual((s.uploads, [k for k in s.objects if k[1].startswith(("data/", "ckpt/"))]), ({}, []))
                b2 = bytearray(b)
                b2[41 * MIB - 9] ^= 1
                p.write_bytes(b2)
                self.ok(env_of(s), "push", f"s3://bkt?payload-signing={signing}", self.dir / "a")
        p.write_bytes(b)
        self.assertIn("is damaged", self.bad(env_of(None), "push", self.dir / "store", self.dir / "a").err)
        self.assertFalse(list((self.dir / "store").glob("data/*")))

    def test_two_runners(self):
        for s in (Server(), Server(azure=True), Server(ignore_conditions=True)):
            url = "azblob://a/bkt" if s.azure else "s3://bkt"
            with s:
                self.save(f"a{id(s)}", 1)
                self.save(f"b{id(s)}", 2)
                a, b = self.dir / f"a{id(s)}", self.dir / f"b{id(s)}"
                self.ok(env_of(s), "push", url, a)
                before = {k: o.body for k, o in s.objects.items()}
                r = self.bad(env_of(s), "push", url, b)
                self.assertIn("error: -16 another runner writes", r.err)
                self.assertEqual(before, {k: o.body for k, o in s.objects.items()})
                # one that fetched what is there comes after: it may write, the old one no more
                self.ok(env_of(s), "pull", url, self.dir / f"c{id(s)}")
                new = self.save(f"c{id(s)}", 5)
                self.assertEqual(self.ok(env_of(s), "push", url, self.dir / f"c{id(s)}")["safe"], new)
                # two saves: of the same run number as the new one, and a later one that is not
                ctl = self.dir / f"a{id(s)}"
                old = self.ok(PLAIN, "save", ctl, 9, 16, 10)["id"]
                r = self.bad(env_of(s), "push", url, ctl, old) if int(old[13:], 16) <= int(new[13:], 16) else None
                if r:
                    self.assertIn("error: -16 ", r.err)

    def test_retain(self):
        for url, s in self.where():
            with s or open(os.devnull) as _:
                env, name = env_of(s), f"keep-{url[:3].strip('/')}"
                for step in range(1, 6):
                    self.save(name, step)
                    self.ok(env, "push", url, self.dir / name)
                self.assertEqual(self.ok(env, "retain", url, self.dir / name, 2)["removed"], "3")
                self.assertEqual(len(self.ok(env, "list", url, "ckpt/").out.splitlines()), 2)
                self.ok(env, "pull", url, self.dir / (name + "-back"))
                self.assertEqual(self.sum(name), self.sum(name + "-back"))

    def test_retain_keeps_the_last_good(self):
        with Server() as s:
            ids = []
            for step in range(1, 5):
                ids.append(self.save("a", step, 16, 100))
                self.ok(env_of(s), "push", "s3://bkt", self.dir / "a")
            for i in ids[2:]:
                for k in [k for k in s.objects if k[1].startswith(f"data/{i}")]:
                    del s.objects[k]
            self.assertEqual(self.ok(env_of(s), "retain", "s3://bkt", self.dir / "a", 1)["removed"], "2")
            self.assertIn(("bkt", f"ckpt/{ids[1]}"), s.objects)
            self.assertEqual(self.ok(env_of(s), "pull", "s3://bkt", self.dir / "b")["id"], ids[1])
            for k in [k for k in s.objects if k[1].startswith("data/")]:
                del s.objects[k]
            r = self.bad(env_of(s), "retain", "s3://bkt", self.dir / "a", 1)
            self.assertIn("nothing is removed", r.err)

    def test_deadline(self):
        """In time or not at all: what is called safe is there, what does not fit is said."""
        with Server() as s:
            self.save("a", 1, 32, 100)
            r = self.ok(env_of(s), "estimate", "s3://bkt", self.dir / "a", 10**12, 5000)
            self.assertEqual(r["fits"], "0")
            self.assertEqual(self.ok(env_of(s), "estimate", "s3://bkt", self.dir / "a", 10**6, 30000)["fits"], "1")
            s.faults = [Fault("slow", "PUT", "", None, value=MIB // 4)]  # 32 s, four parts at a time
            start = time.time()
            r = self.bad(env_of(s, OT_DEADLINE_MS=2500), "push", "s3://bkt", self.dir / "a")
            self.assertLess(time.time() - start, 20)
            self.assertIn("was not in 's3://bkt' before the deadline: 33 MB of it were missing", r.err)
            self.assertFalse([k for k in s.objects if k[1].startswith("ckpt/")])
            # the transfer's own time is over a moment before the deadline is
            r = self.bad(env_of(s, OT_DEADLINE_MS=2500, OT_SLOW_PCT=5), "push", "s3://bkt", self.dir / "a")
            self.assertRegex(r.err, r"^error: -62 checkpoint '.*' was not in 's3://bkt' before the deadline: \d+ MB of it were missing")
            s.faults = []
            r = self.ok(env_of(s), "push", "s3://bkt", self.dir / "a")
            self.assertEqual(self.ok(env_of(s), "pull", "s3://bkt", self.dir / "b")["id"], r["safe"])

    def slowness(self, azure):
        """1 where saving and sending 80 MiB takes less than a third of what the server below gives it; else how many times as slow the server has to be."""
        with Server(azure=azure) as s, tempfile.TemporaryDirectory() as d:
            began = time.monotonic()
            self.ok(PLAIN, "save", pathlib.Path(d) / "a", 1, 80, 100)
            self.ok(env_of(s, OT_STREAMS=2, OT_PART=1 * MIB if azure else 5 * MIB), "push", "azblob://a/bkt" if azure else "s3://bkt", pathlib.Path(d) / "a")
            took = time.monotonic() - began
        slower = min(8, max(1, 3 * took / 8))
        print(f"\n80 MiB in {took:.1f} s: times {slower:.1f}", flush=True)
        return slower

    def test_notice_in_a_push(self):
        """A notice while an older checkpoint is on its way: what is worth most gets the time. The server takes 10 MiB a second, less where the machine is
        too busy for that: all times are as much longer."""
        for azure in (False, True):
            slower = self.slowness(azure)
            url = "azblob://a/bkt" if azure else "s3://bkt"
            for old, new, left, first, last, name in ((40, 4, 2500, 2, 2, "cut: only the new one fits"), (15, 5, 20000, 1, 2, "both fit, one after the other"), (20, 80, 3500, 1, 1, "only the old one fits")):
                with self.subTest(name, azure=azure), Server(azure=azure) as s, tempfile.TemporaryDirectory() as d:
                    folder, env = pathlib.Path(d) / "a", env_of(s, OT_STREAMS=2, OT_PART=1 * MIB if azure else 5 * MIB)
                    self.ok(PLAIN, "save", folder, 1, old, 100)
                    s.faults = [Fault("slow", "PUT", "", None, value=5 * MIB / slower)]
                    r = self.ok(env, "turn", url, folder, 2, new, round(700 * slower), round(left * slower))
                    self.assertLess(r.number("late_ms"), 1500 * slower)
                    self.assertEqual((int(r["first"].split()[1].split("-")[0]), int(r["safe"].split("-")[0])), (first, last), r.out)
                    s.faults, before = [], s.received
                    self.assertEqual(self.ok(env, "pull", url, pathlib.Path(d) / "b")["id"], r["safe"])
                    self.assertEqual(self.ok(PLAIN, "sum", folder, r["safe"]).out, self.ok(PLAIN, "sum", pathlib.Path(d) / "b", r["safe"]).out)
                    if first == 2:  # the one that was given up goes on where it was
                        one = next(p.name for p in (folder / "ckpt").iterdir() if p.name.startswith("000000000001"))
                        sent = self.ok(env, "push", url, folder, one).number("sent")
                        self.assertLess(sent, (old - 4) * MIB if azure else old * MIB - 1)
                        print(f"\n{url[:2]}: of the checkpoint that was given up {sent / old / MIB * 100:.0f} % were still to be sent", flush=True)

    def test_notice_in_a_push_of_tare_run(self):
        """The same with tare run: 96 MiB on their way at 12 MiB/s when the notice comes, a small newer checkpoint; 85 and the newer one is in the store."""
        agent = BUILD / "src/cli/tare-agent"
        if not agent.exists():
            self.skipTest("no tare-agent")
        (self.dir / "train.py").write_text("""
import os, signal, sys, time
def save(name, mib):
    with open("out/tmp.part", "wb") as f:
        f.write(os.urandom(mib << 20))
    os.rename("out/tmp.part", f"out/{name}")
def asked(*_):
    if not os.path.exists("out/ckpt-2.pt"):
        os.remove("out/ckpt-1.pt")
        save("ckpt-2.pt", 2)
os.makedirs("out")
signal.signal(signal.SIGUSR1, asked)
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
save("ckpt-1.pt", 96)
time.sleep(300)
""")
        with Server() as s:
            s.faults = [Fault("slow", "PUT", "partNumber", None, value=2 * MIB), Fault("slow", "PUT", "data/", None, value=2 * MIB)]
            env = env_of(s) | {"AWS_ENDPOINT_URL_S3": s.url}
            log = open(self.dir / "log", "w+")
            self.addCleanup(log.close)
            p = subprocess.Popen([str(agent), "run", "--store", "s3://bkt/run", "--watch", "out", "--checkpoint-signal", "USR1", "--every", "never", "--notice-file", "notice", "--", sys.executable, "train.py"],
                                 cwd=self.dir, env=env, stdout=log, stderr=log)
            self.addCleanup(lambda: p.poll() is None and p.kill())
            for _ in range(1200):
                if any("partNumber" in x[1] or "uploads" in x[1] and x[0] == "POST" for x in list(s.log)):
                    break
                time.sleep(0.05)
            time.sleep(1)
            (self.dir / "notice.new").write_text("7s")
            os.rename(self.dir / "notice.new", self.dir / "notice")
            start = time.time()
            code = p.wait(120)
            log.seek(0)
            said = log.read()
            self.assertEqual(code, 85, said)
            self.assertLess(time.time() - start, 12, said)
            there = [k[1] for k in s.objects if k[1].startswith("run/ckpt/")]
            self.assertEqual([k.split("/")[-1].split("-")[0] for k in there], ["000000000002"], said)

    def test_kill(self):
        """kill -9 of the uploader at random moments: what is there is whole, never older than what was called safe, and the next one goes on."""
        rnd, seen = random.Random(7), 0
        for azure in (False, True):
            with Server(azure=azure) as s:
                url, env, safe = "azblob://a/bkt" if azure else "s3://bkt", env_of(s, OT_STREAMS=2), ""
                s.faults = [Fault("slow", "PUT", "", None, value=80 * MIB)]
                for i in range(KILLS):
                    self.save("k" if not azure else "z", i + 1, 24, 50)
                    p = subprocess.Popen([str(TOOL), "push", url, str(self.dir / ("z" if azure else "k"))], env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                    time.sleep(rnd.random() * 0.6)
                    p.send_signal(signal.SIGKILL)
                    out = p.communicate()[0]
                    for line in out.splitlines():
                        if line.startswith("safe "):
                            safe, seen = line[5:], seen + 1
                    back = self.dir / f"back-{azure}-{i}"
                    r = self.ok(env, "pull", url, back)
                    self.assertGreaterEqual(r["id"], safe)
                    self.assertEqual(r["skipped"], "0", "a manifest without its data")
                    if r["id"]:
                        self.assertEqual(self.sum("z" if azure else "k", r["id"]), self.sum(back.name, r["id"]))
                    shutil.rmtree(back, ignore_errors=True)
                s.faults = []
                last = self.ok(env, "push", url, self.dir / ("z" if azure else "k"))["safe"]
                self.assertEqual(self.ok(env, "pull", url, self.dir / f"end-{azure}")["id"], last)
        print(f"\nkilled {2 * KILLS} times, {seen} of them after it had said safe")


class Peers(Base):
    """Servers and clients that others wrote."""

    def client_env(self, s):
        return {"PATH": os.environ["PATH"], "HOME": str(self.dir), "AWS_ACCESS_KEY_ID": "AKIATEST" if s else "S3RVER", "AWS_SECRET_ACCESS_KEY": KEYS["AKIATEST"] if s else "S3RVER",
                "AWS_DEFAULT_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true", "PYENV_VERSION": os.environ.get("PYENV_VERSION", ""), "PYENV_ROOT": os.environ.get("PYENV_ROOT", "")}

    def read_by(self, client, env, endpoint, bucket, key, to):
        if client == "aws":
            argv = ["aws", "--endpoint-url", endpoint, "s3", "cp", "--no-progress", f"s3://{bucket}/{key}", str(to)]
        else:
            argv = [str(DEPS / "bin/rclone"), "--config", "/dev/null", "--s3-provider", "Other", "--s3-env-auth", "--s3-endpoint", endpoint, "copyto", f":s3:{bucket}/{key}", str(to)]
        p = subprocess.run(argv, env={k: v for k, v in env.items() if v}, capture_output=True, text=True, timeout=300)
        self.assertEqual(p.returncode, 0, p.stderr[-2000:])

    def clients(self):
        got = []
        if shutil.which("aws"):
            got.append("aws")
        if (DEPS / "bin/rclone").exists():
            got.append("rclone")
        if not got:
            self.skipTest("neither awscli nor rclone is there (tools/setup --test unpacks rclone)")
        return got

    def check_reading(self, endpoint, env, client_env, bucket):
        self.save("a", 1, 24, 100)
        self.ok(env, "push", f"s3://{bucket}/x", self.dir / "a")
        name = next((self.dir / "a/data").iterdir())
        for c in self.clients():
            self.read_by(c, client_env, endpoint, bucket, f"x/data/{name.name}", self.dir / f"by-{c}")
            self.assertEqual(hashlib.sha256((self.dir / f"by-{c}").read_bytes()).digest(), hashlib.sha256(name.read_bytes()).digest(), c)
            print(f"\nread by {c}: equal", flush=True)

    def test_clients_read_ours(self):
        with Server() as s:
            self.check_reading(s.url, env_of(s), self.client_env(s), "bkt")

    def test_s3rver(self):
        main = DEPS / "s3rver/node_modules/s3rver/bin/s3rver.js"
        if not main.exists() or not shutil.which("node"):
            self.skipTest("s3rver is not there (tools/setup --test fetches it where npm is)")
        p = subprocess.Popen(["node", str(main), "-a", "127.0.0.1", "-p", "0", "-d", str(self.dir / "s3rver"), "--configure-bucket", "bkt"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            url, end = None, time.time() + 120
            while not url and time.time() < end:
                line = p.stdout.readline()
                if not line:
                    break
                if "istening on" in line:
                    url = "http://" + line.strip().split()[-1].replace("http://", "")
            self.assertTrue(url, "s3rver did not start")
            threading.Thread(target=lambda: p.stdout.read(), daemon=True).start()
            env = env_of(None, AWS_ACCESS_KEY_ID="S3RVER", AWS_SECRET_ACCESS_KEY="S3RVER", OT_ENDPOINT=url)
            Stores.all_of(self, env, "s3://bkt/pre")
            self.check_reading(url, env, self.client_env(None), "bkt")
            self.ok(env, "pull", "s3://bkt/x", self.dir / "pulled")
            self.assertEqual(self.sum("a"), self.sum("pulled"))
        finally:
            p.kill()
            p.wait()
            p.stdout.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
