"""What stands behind credentials, played strictly and by this file's own code: Azure's Shared Key, STS (AssumeRole signed by SigV4), IAM Identity Center
(portal and OIDC), Google's OAuth token endpoint (JWT checked by openssl). Each refuses what the real one refuses, and remembers what it was asked."""
import base64
import datetime
import email.utils
import hashlib
import hmac
import json
import pathlib
import re
import subprocess
import tempfile
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape


# --- Azure ---------------------------------------------------------------------------------------------------------------------------------
def sharedkey(account, key, method, path, query, headers, length):
    """The signature of Microsoft's "Authorize with Shared Key" for blobs since 2015-02-21; headers: a dict in lower case."""
    fields = [headers.get(h, "") for h in ("content-encoding", "content-language")] + [str(length) if length else ""]
    fields += [headers.get(h, "") for h in ("content-md5", "content-type")]
    fields += ["" if "x-ms-date" in headers else headers.get("date", "")]
    fields += [headers.get(h, "") for h in ("if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range")]
    ms = sorted((k, " ".join(v.split())) for k, v in headers.items() if k.startswith("x-ms-"))
    values = {}
    for name, value in urllib.parse.parse_qsl(query, keep_blank_values=True):
        values.setdefault(name.lower(), []).append(value)
    text = "\n".join([method, *fields]) + "\n" + "".join(f"{k}:{v}\n" for k, v in ms) + f"/{account}{path}" + "".join(f"\n{k}:{','.join(sorted(values[k]))}" for k in sorted(values))
    return base64.b64encode(hmac.new(base64.b64decode(key), text.encode(), hashlib.sha256).digest()).decode()


def sharedkey_ok(accounts, method, path_query, headers, now):
    """None, or why a request is refused."""
    m = re.fullmatch(r"SharedKey ([a-z0-9]+):([A-Za-z0-9+/]{43}=)", headers.get("authorization", ""))
    if not m:
        return "the Authorization header is not SharedKey ACCOUNT:SIGNATURE"
    date = headers.get("x-ms-date", "")
    if not re.fullmatch(r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT", date) or email.utils.formatdate(email.utils.parsedate_to_datetime(date).timestamp(), usegmt=True) != date:
        return "x-ms-date is no date"
    if abs(email.utils.parsedate_to_datetime(date).timestamp() - now) > 900:
        return "Request date header too old"
    if m[1] not in accounts:
        return "the account is not known"
    u = urllib.parse.urlsplit(path_query)
    want = sharedkey(m[1], accounts[m[1]], method, u.path, u.query, headers, int(headers.get("content-length") or 0))
    return None if hmac.compare_digest(want, m[2]) else "The MAC signature found in the HTTP request is not the same as any computed signature"


# --- SigV4 of services that are not S3 -------------------------------------------------------------------------------------------------------
def sigv4_why(keys, tokens, service, region, method, path, headers, body, now):
    """None, or the code of the refusal. keys: id -> secret, tokens: id -> session token."""
    m = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/([^/]+)/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})", headers.get("authorization", ""))
    if not m:
        return "IncompleteSignature"
    key_id, day, told_region, told_service, names, signature = m.groups()
    if key_id not in keys or headers.get("x-amz-security-token") != tokens.get(key_id):
        return "InvalidClientTokenId"
    stamp = headers.get("x-amz-date", "")
    at = datetime.datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()
    if abs(at - now) > 300:
        return "SignatureDoesNotMatch: Signature expired" if at < now else "SignatureDoesNotMatch: Signature not yet current"
    signed = names.split(";")
    must = {"host", "x-amz-date", "content-type"} | ({"x-amz-security-token"} if key_id in tokens else set())
    if (told_service, told_region) != (service, region) or signed != sorted(signed) or not must <= set(signed) or not stamp.startswith(day):
        return "SignatureDoesNotMatch"
    canonical = "\n".join([method, path, "", *(f"{h}:{' '.join(headers.get(h, '').split())}" for h in signed), "", names, hashlib.sha256(body).hexdigest()])
    k = ("AWS4" + keys[key_id]).encode()
    for word in (day, told_region, told_service, "aws4_request"):
        k = hmac.new(k, word.encode(), hashlib.sha256).digest()
    to_sign = "\n".join(["AWS4-HMAC-SHA256", stamp, f"{day}/{told_region}/{told_service}/aws4_request", hashlib.sha256(canonical.encode()).hexdigest()])
    return None if hmac.new(k, to_sign.encode(), hashlib.sha256).hexdigest() == signature else "SignatureDoesNotMatch"


# --- servers ---------------------------------------------------------------------------------------------------------------------------------
class Web:
    """A small HTTP server: answer(method, path, headers in lower case, body) -> (status, body) or (status, body, headers). `broken`: answers that go before."""

    def __init__(self):
        self.calls, self.broken, self.skew, self.delay_s = [], [], 0, 0
        web = self

        class H(BaseHTTPRequestHandler):
            def do(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                time.sleep(web.delay_s)
                answer = web.broken.pop(0) if web.broken else web.answer(self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
                status, out, more = (*answer, {})[:3]
                out = out if isinstance(out, bytes) else out.encode()
                self.send_response(status)
                for k, v in {**more, "Content-Length": str(len(out))}.items():
                    self.send_header(k, v)
                self.end_headers()
                self.wfile.write(out)

            do_GET = do_POST = do_PUT = do

            def date_time_string(self, timestamp=None):
                return super().date_time_string(web.now())

            def log_message(self, *_):
                pass

        self.httpd = ThreadingHTTPServer(("127.0.0.1", 0), H)
        self.httpd.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.httpd.server_address[1]}"

    def now(self):
        return time.time() + self.skew

    def __enter__(self):
        threading.Thread(target=self.httpd.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.httpd.shutdown()
        self.httpd.server_close()


class Sts(Web):
    """AssumeRole. keys: who may ask; roles: arn -> (who may take it: a key id, external id or None, secret); the n-th keys of a role last `life_s`."""

    def __init__(self, keys, roles, region="us-east-1", **more):
        super().__init__()
        self.keys, self.tokens, self.roles, self.region, self.life_s, self.given = dict(keys), {}, roles, region, 3600, {}
        self.__dict__.update(more)

    def error(self, status, code, message=""):
        return status, f'<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>{code}</Code><Message>{escape(message)}</Message></Error></ErrorResponse>'

    def answer(self, method, path, headers, body):
        q = dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True))
        self.calls.append(q)
        if method != "POST" or path != "/" or q.get("Version") != "2011-06-15" or q.get("Action") != "AssumeRole":
            return self.error(400, "InvalidAction")
        if headers.get("content-type", "").split(";")[0] != "application/x-www-form-urlencoded":
            return self.error(400, "MalformedInput")
        if why := sigv4_why(self.keys, self.tokens, "sts", self.region, method, path, headers, body, self.now()):
            return self.error(403, *why.split(": "))
        asks = re.search(r"Credential=([^/]+)/", headers["authorization"])[1]
        if not re.fullmatch(r"[\w+=,.@-]{2,64}", q.get("RoleSessionName", "")):
            return self.error(400, "ValidationError", "roleSessionName")
        role = self.roles.get(q.get("RoleArn"))
        if not role or asks.rstrip("0123456789") != role[0] or q.get("ExternalId") != role[1]:
            return self.error(403, "AccessDenied", f"User: {asks} is not authorized to perform: sts:AssumeRole on resource: {q.get('RoleArn')}")
        seconds = int(q.get("DurationSeconds", 3600))
        if not 900 <= seconds <= (3600 if asks in self.tokens else 43200):
            return self.error(400, "ValidationError", "The requested DurationSeconds exceeds the 1 hour session limit for roles assumed by role chaining")
        n = self.given[q["RoleArn"]] = self.given.get(q["RoleArn"], 0) + 1
        key, token = f"{role[2]}{n}", f"token/{role[2]}/{n}+=="
        self.keys[key], self.tokens[key] = f"secret-of-{key}/+", token
        end = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.now() + min(seconds, self.life_s)))
        return 200, f"""<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult>
  <AssumedRoleUser><Arn>{q['RoleArn']}/x</Arn><AssumedRoleId>AROA:x</AssumedRoleId></AssumedRoleUser>
  <Credentials><AccessKeyId>{key}</AccessKeyId><SecretAccessKey>{self.keys[key]}</SecretAccessKey><SessionToken>{token}</SessionToken><Expiration>{end}</Expiration></Credentials>
</AssumeRoleResult></AssumeRoleResponse>"""


class Sso(Web):
    """The portal (GetRoleCredentials) and OIDC (CreateToken by a refresh token, which each use replaces)."""

    def __init__(self, tokens, key_id, secret, session_token):
        super().__init__()
        self.tokens, self.refresh, self.client, self.key, self.count = set(tokens), None, ("client-1", "client-secret"), (key_id, secret, session_token), 0

    def answer(self, method, path, headers, body):
        u = urllib.parse.urlsplit(path)
        q = dict(urllib.parse.parse_qsl(u.query))
        self.calls.append((method, u.path, q, body.decode()))
        if (method, u.path) == ("POST", "/token"):
            return self.create_token(headers, body)
        if (method, u.path) != ("GET", "/federation/credentials"):
            return 404, "{}"
        if headers.get("x-amz-sso_bearer_token") not in self.tokens or "authorization" in headers:
            return 401, json.dumps({"message": "Session token not found or invalid", "__type": "com.amazonaws.switchboard.portal#UnauthorizedException"})
        if (q.get("role_name"), q.get("account_id")) != ("Train Role", "123456789012"):
            return 403, json.dumps({"message": "No access", "__type": "com.amazonaws.switchboard.portal#ForbiddenException"})
        names = ("accessKeyId", "secretAccessKey", "sessionToken")
        return 200, json.dumps({"roleCredentials": {**dict(zip(names, self.key)), "expiration": int((self.now() + 3600) * 1000)}})

    def create_token(self, headers, body):
        q = json.loads(body) if headers.get("content-type") in ("application/json", "application/x-amz-json-1.1") else {}
        if (q.get("clientId"), q.get("clientSecret")) != self.client:
            return 401, json.dumps({"error": "invalid_client", "error_description": "Invalid client provided"})
        if q.get("grantType") != "refresh_token" or q.get("refreshToken") != self.refresh:
            return 400, json.dumps({"error": "invalid_grant", "error_description": "Invalid refresh token provided"})
        self.count += 1
        token, self.refresh = f"access-{self.count}", f"refresh-{self.count}"
        self.tokens = {token}
        return 200, json.dumps({"accessToken": token, "tokenType": "Bearer", "expiresIn": 28800, "refreshToken": self.refresh})


def unbase64url(text):
    if re.search("[^A-Za-z0-9_-]", text):
        raise ValueError
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Google(Web):
    """The token endpoint: a JWT of the account signed with RS256 by a key it knows, or a refresh token."""

    def __init__(self, public_key, email_of="train@project.iam.gserviceaccount.com", kid="kid-1", life_s=3600):
        super().__init__()
        self.public_key, self.email, self.kid, self.life_s, self.refresh, self.bearers, self.count = public_key, email_of, kid, life_s, "1//refresh", {}, 0
        self.bearers_of_pool, self.impersonated = set(), False

    def why(self, jwt):
        try:
            head, claims, signature = jwt.split(".")
            h, c = json.loads(unbase64url(head)), json.loads(unbase64url(claims))
            signed = unbase64url(signature)
        except ValueError:
            return "Invalid JWT: it is none"
        with tempfile.TemporaryDirectory() as d:
            sig = pathlib.Path(d) / "sig"
            sig.write_bytes(signed)
            p = subprocess.run(["openssl", "dgst", "-sha256", "-verify", str(self.public_key), "-signature", str(sig)], input=f"{head}.{claims}".encode(), capture_output=True)
        if h != {"alg": "RS256", "typ": "JWT", "kid": self.kid} or p.returncode:
            return "Invalid JWT Signature."
        if set(c) != {"iss", "scope", "aud", "iat", "exp"} or c["aud"] != self.url + "/token" or c["iss"] != self.email or c["scope"] != "https://www.googleapis.com/auth/" + ("cloud-platform" if self.impersonated else "devstorage.read_write"):
            return "Invalid JWT: its claims"
        if not isinstance(c["iat"], int) or c["exp"] - c["iat"] > 3600 or abs(c["iat"] - self.now()) > 300:
            return "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe."
        return None

    def exchange(self, q):
        """Google's STS: the token of a pool's provider (AIP-4117)."""
        scope = "https://www.googleapis.com/auth/" + ("cloud-platform" if self.impersonated else "devstorage.read_write")
        want = {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "requested_token_type": "urn:ietf:params:oauth:token-type:access_token", "audience": "//iam.googleapis.com/pool",
                "scope": scope, "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "subject_token": "eyPool"}
        if q != want:
            return 400, json.dumps({"error": "invalid_grant", "error_description": "The audience in ID Token does not match"})
        self.bearers_of_pool.add("pool-token")
        if not self.impersonated:
            self.bearers["pool-token"] = time.time() + self.life_s
        return 200, json.dumps({"access_token": "pool-token", "issued_token_type": want["requested_token_type"], "token_type": "Bearer", "expires_in": self.life_s})

    def impersonate(self, method, headers, q):
        if headers.get("authorization", "")[7:] not in self.bearers_of_pool or not headers["authorization"].startswith("Bearer "):
            return 401, "{}"
        if method != "POST" or headers.get("content-type") != "application/json" or q != {"scope": ["https://www.googleapis.com/auth/devstorage.read_write"], "lifetime": "3600s"}:
            return 400, "{}"
        self.bearers["as-account"] = time.time() + self.life_s
        return 200, json.dumps({"accessToken": "as-account", "expireTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + self.life_s))})

    def answer(self, method, path, headers, body):
        if path == "/impersonate":
            return self.impersonate(method, headers, json.loads(body))
        q = dict(urllib.parse.parse_qsl(body.decode()))
        self.calls.append(q)
        error = "invalid_request", "request"
        if (method, path) == ("POST", "/exchange"):
            return self.exchange(q)
        if (method, path) == ("POST", "/token") and q.get("grant_type") == "urn:ietf:params:oauth:grant-type:jwt-bearer":
            error = (why := self.why(q.get("assertion", ""))) and ("invalid_grant", why)
        elif (method, path) == ("POST", "/token") and q.get("grant_type") == "refresh_token":
            good = (q.get("client_id"), q.get("client_secret"), q.get("refresh_token")) == ("id.apps.googleusercontent.com", "d-secret", self.refresh)
            error = None if good else ("invalid_grant", "Token has been expired or revoked.")
        if error:
            return 400, json.dumps({"error": error[0], "error_description": error[1]})
        self.count += 1
        token = f"ya29.{self.count}-._~+/"
        self.bearers[token] = time.time() + self.life_s
        return 200, json.dumps({"access_token": token, "expires_in": self.life_s, "token_type": "Bearer", "scope": "x"}, indent=2)
