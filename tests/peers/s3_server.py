"""A small strict object store for tests: S3 (SigV4 checked by this file's own code), Google's XML interface (GOOG4) and Azure's blobs (SAS), over HTTP/1.1.

Strict: no signature, no clock within 15 minutes, no known key, a wrong hash of the body: refused, as the real ones do. Conditions (If-None-Match: *,
x-goog-if-generation-match: 0) are honoured under one lock. Parts but the last below min_part: EntityTooSmall. Faults are asked for by rules.

    with Server() as s: s.url, s.objects[(bucket, key)], s.log, s.faults.append(Fault(...))
"""
import base64
import datetime
import email.utils
import hashlib
import hmac
import re
import socket
import ssl
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from xml.sax.saxutils import escape

from cred_servers import sharedkey_ok

KEYS = {"AKIATEST": "secret/With+Chars"}
SAS = "sv=2021-12-02&sr=c&sp=rcwdl&sig=abc%2Bdef%3D"


class Fault:
    """What goes wrong: at requests whose method and URL match, `times` times (None: always), after `skip` that match.

    kind: "status" (code, S3 error code), "cut" (the connection is closed after `after` bytes of the body were read), "lost" (done, but the answer is
    never sent), "slow" (bytes a second), "redirect" (to itself), "skew" (the clock of the server, seconds), "stall" (no answer for so many seconds),
    "error200" (200 with an error inside)"""

    def __init__(self, kind, method=None, match="", times=1, skip=0, status=503, code="SlowDown", after=0, value=0):
        self.kind, self.method, self.match, self.times, self.skip = kind, method, re.compile(match), times, skip
        self.status, self.code, self.after, self.value = status, code, after, value


class Answer(Exception):
    def __init__(self, status, code="", message="", headers=None):
        self.status, self.code, self.message, self.headers = status, code, message, headers or {}


class Upload:
    def __init__(self, bucket, key, meta):
        self.bucket, self.key, self.meta, self.parts = bucket, key, meta, {}


class Object:
    def __init__(self, body, meta, etag):
        self.body, self.meta, self.etag = body, meta, etag


def hmac256(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16

    def log_message(self, *_):
        pass

    # --- signatures ------------------------------------------------------------------------------------------------------------------------
    def check_sigv4(self, body_hash):
        st, google = self.server.state, False
        auth = self.headers.get("Authorization", "")
        if auth.startswith("Bearer "):
            if not st.knows(auth[7:]):
                raise Answer(401, "AuthenticationRequired", "wrong token")
            return
        m = re.fullmatch(r"(AWS4|GOOG4)-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/(s3|storage)/(aws4_request|goog4_request), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})", auth)
        if not m:
            raise Answer(403, "AccessDenied", "no or unknown Authorization")
        kind, key_id, day, region, service, end, names, signature = m.groups()
        google = kind == "GOOG4"
        x = "x-goog-" if google else "x-amz-"
        if key_id not in st.keys:
            raise Answer(403, "InvalidAccessKeyId", "the key is not known")
        if not google and region != st.region:
            raise Answer(400, "AuthorizationHeaderMalformed", f"the region is wrong; expecting '{st.region}'", {"x-amz-bucket-region": st.region})
        stamp = self.headers.get(x + "date", "")
        at = datetime.datetime.strptime(stamp, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc).timestamp()
        if abs(at - st.now()) > 900:
            raise Answer(403, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large.")
        if st.token is not None and self.headers.get("x-amz-security-token") != st.token:
            raise Answer(400, "ExpiredToken", "The provided token has expired.")
        if key_id in st.ends and st.ends[key_id] < time.time():
            raise Answer(400, "ExpiredToken", "The provided token has expired.")
        if key_id in st.tokens and self.headers.get("x-amz-security-token") != st.tokens[key_id]:
            raise Answer(403, "InvalidToken", "The provided token is malformed or otherwise invalid.")
        signed = names.split(";")
        if signed != sorted(signed) or "host" not in signed or any(h.lower() not in signed for h in self.headers if h.lower().startswith((x, "x-amz-", "x-goog-"))):
            raise Answer(403, "AccessDenied", "headers that must be signed are not")
        told = self.headers.get(x + "content-sha256", "")
        if told != "UNSIGNED-PAYLOAD" and told != body_hash:
            raise Answer(400, "XAmzContentSHA256Mismatch", "the body is not that of the hash")
        parts = urllib.parse.urlsplit(self.path)
        query = "&".join(sorted("=".join(urllib.parse.quote(urllib.parse.unquote(v), safe="-_.~") for v in (p.split("=", 1) + [""])[:2]) for p in parts.query.split("&") if p))
        canonical = "\n".join([self.command, urllib.parse.quote(urllib.parse.unquote(parts.path), safe="/-_.~"), query,
                               *(f"{h}:{' '.join(self.headers.get(h, '').split())}" for h in signed), "", names, told])
        to_sign = "\n".join([f"{kind}-HMAC-SHA256", stamp, f"{day}/{region}/{service}/{end}", hashlib.sha256(canonical.encode()).hexdigest()])
        k = hmac256((kind + st.keys[key_id]).encode(), day)
        for word in (region, service, end):
            k = hmac256(k, word)
        if hmac256(k, to_sign).hex() != signature:
            raise Answer(403, "SignatureDoesNotMatch", "The request signature we calculated does not match the signature you provided.")

    # --- one request -----------------------------------------------------------------------------------------------------------------------
    def fault(self, kind):
        st = self.server.state
        with st.lock:
            for f in st.faults:
                if f.kind == kind and (not f.method or f.method == self.command) and f.match.search(self.path) and (f.times is None or f.times > 0):
                    if f.skip:
                        f.skip -= 1
                        continue
                    if f.times is not None:
                        f.times -= 1
                    return f
        return None

    def read_body(self):
        left, pieces = int(self.headers.get("Content-Length") or 0), []
        cut, slow, got = self.fault("cut"), self.fault("slow"), 0
        while left:
            piece = self.rfile.read(min(left, 65536 if slow or cut else 1 << 20))
            if not piece:
                raise ConnectionError
            pieces.append(piece)
            left, got = left - len(piece), got + len(piece)
            if cut and got >= cut.after:
                raise ConnectionError
            if slow:
                time.sleep(len(piece) / slow.value)
        if cut:
            raise ConnectionError
        return b"".join(pieces)

    def do(self):
        st = self.server.state
        try:
            if f := self.fault("stall"):
                time.sleep(f.value)
            body = self.read_body()
            with st.lock:
                st.log.append((self.command, self.path, len(body)))
                st.heads.append(dict(self.headers.items()))
                st.received += len(body)
            if f := self.fault("status"):
                raise Answer(f.status, f.code, "as the test wants it", {"Retry-After": "0"})
            if self.fault("redirect"):
                raise Answer(307, "TemporaryRedirect", "go there", {"Location": f"{st.url}{self.path}"})
            with st.lock:
                status, headers, out = self.azure(body) if st.azure else self.s3(body)
            if self.fault("lost"):
                raise ConnectionError
            if self.fault("error200"):
                status, out = 200, b"<?xml version=\"1.0\"?>\n<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>"
            self.answer(status, headers, out)
        except Answer as a:
            text = f"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>{a.code}</Code><Message>{escape(a.message)}</Message></Error>".encode() if a.code else b""
            self.answer(a.status, {"Content-Type": "application/xml", **({"x-ms-error-code": a.code} if st.azure else {}), **a.headers}, text)
        except (ConnectionError, TimeoutError):
            self.close_connection = True
            try:
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do

    def answer(self, status, headers, out):
        self.send_response(status)
        length = headers.pop("Content-Length", len(out))
        for k, v in headers.items():
            self.send_header(k, v)
        self.send_header("Content-Length", length)
        self.end_headers()
        if self.command != "HEAD":
            if cut := (self.command == "GET" and self.fault("cutget")):
                out = out[: cut.after]
                self.close_connection = True
            self.wfile.write(out)
        self.wfile.flush()

    def date_time_string(self, timestamp=None):
        return super().date_time_string(self.server.state.now())

    # --- S3 --------------------------------------------------------------------------------------------------------------------------------
    def meta(self):
        return {k.lower(): v for k, v in self.headers.items() if k.lower().startswith(("x-amz-meta-", "x-goog-meta-", "x-ms-meta-"))}

    def must_be_new(self, at):
        st = self.server.state
        if st.ignore_conditions:
            return
        if (self.headers.get("If-None-Match") == "*" or self.headers.get("x-goog-if-generation-match") == "0") and at in st.objects:
            raise Answer(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")

    def s3(self, body):
        st = self.server.state
        self.check_sigv4(hashlib.sha256(body).hexdigest())
        parts = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        bucket, _, key = urllib.parse.unquote(parts.path)[1:].partition("/")
        if bucket not in st.buckets:
            raise Answer(404, "NoSuchBucket", "The specified bucket does not exist")
        at = (bucket, key)
        if not key:
            return self.list_uploads(bucket, query) if "uploads" in query else self.list(bucket, query)
        if "uploads" in query and self.command == "POST":
            st.count += 1
            st.uploads[f"up-{st.count}~"] = Upload(bucket, key, self.meta())
            return 200, {}, f"<InitiateMultipartUploadResult><Bucket>{bucket}</Bucket><Key>{escape(key)}</Key><UploadId>up-{st.count}~</UploadId></InitiateMultipartUploadResult>".encode()
        if "uploadId" in query:
            return self.part(at, query, body)
        if self.command == "PUT":
            self.must_be_new(at)
            st.objects[at] = Object(body, self.meta(), hashlib.md5(body).hexdigest())
            return 200, {"ETag": f'"{st.objects[at].etag}"'}, b""
        if self.command == "DELETE":
            st.objects.pop(at, None)
            return 204, {}, b""
        return self.get(at)

    def get(self, at):
        st = self.server.state
        if at not in st.objects:
            raise Answer(404, "NoSuchKey", "The specified key does not exist.")
        o = st.objects[at]
        headers = {"ETag": f'"{o.etag}"', "Content-Type": "application/octet-stream", "Last-Modified": self.date_time_string(), "Accept-Ranges": "bytes", **o.meta}
        m = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if self.command == "HEAD":
            return 200, {**headers, "Content-Length": len(o.body)}, b""
        if not m:
            return 200, headers, o.body
        first, last = int(m[1]), min(int(m[2] or len(o.body)), len(o.body) - 1)
        if first >= len(o.body):
            raise Answer(416, "InvalidRange", "The requested range is not satisfiable")
        return 206, {**headers, "Content-Range": f"bytes {first}-{last}/{len(o.body)}"}, o.body[first : last + 1]

    def part(self, at, query, body):
        st, uid = self.server.state, query["uploadId"]
        up = st.uploads.get(uid)
        if not up or (up.bucket, up.key) != at:
            raise Answer(404, "NoSuchUpload", "The specified upload does not exist.")
        if self.command == "PUT":
            etag = "kms-" + hashlib.md5(b"x" + body).hexdigest()[:28] if st.kms else hashlib.md5(body).hexdigest()
            up.parts[int(query["partNumber"])] = (etag, body)
            return 200, {"ETag": f'"{etag}"'}, b""
        if self.command == "DELETE":
            del st.uploads[uid]
            return 204, {}, b""
        if self.command == "GET":
            return self.list_parts(up, query)
        self.must_be_new(at)
        wanted = re.findall(r"<Part><PartNumber>(\d+)</PartNumber><ETag>&quot;([^<&]*)&quot;</ETag></Part>", body.decode())
        if not wanted or [int(n) for n, _ in wanted] != list(range(1, len(wanted) + 1)) or any(int(n) not in up.parts or up.parts[int(n)][0] != e for n, e in wanted):
            raise Answer(400, "InvalidPart", "One or more of the specified parts could not be found.")
        whole = [up.parts[int(n)][1] for n, _ in wanted]
        if any(len(p) < st.min_part for p in whole[:-1]):
            raise Answer(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
        if f := self.fault("error200"):
            return 200, {}, b"\n \n<Error><Code>InternalError</Code><Message>again</Message></Error>"
        st.objects[at] = Object(b"".join(whole), up.meta, f"{hashlib.md5(b''.join(bytes.fromhex(e) if len(e) == 32 and not st.kms else e.encode() for _, e in wanted)).hexdigest()}-{len(wanted)}")
        del st.uploads[uid]
        return 200, {}, b"<CompleteMultipartUploadResult><ETag>x</ETag></CompleteMultipartUploadResult>"

    def list_parts(self, up, query):
        after, most = int(query.get("part-number-marker") or 0), min(int(query.get("max-parts") or 1000), self.server.state.page)
        rest = sorted(n for n in up.parts if n > after)
        page = rest[:most]
        rows = "".join(f"<Part><PartNumber>{n}</PartNumber><ETag>&quot;{up.parts[n][0]}&quot;</ETag><Size>{len(up.parts[n][1])}</Size></Part>" for n in page)
        more = len(rest) > len(page)
        return 200, {}, f"<ListPartsResult>{rows}<IsTruncated>{str(more).lower()}</IsTruncated><NextPartNumberMarker>{page[-1] if page else 0}</NextPartNumberMarker></ListPartsResult>".encode()

    def list_uploads(self, bucket, query):
        rows = "".join(f"<Upload><Key>{escape(u.key)}</Key><UploadId>{i}</UploadId></Upload>" for i, u in self.server.state.uploads.items() if u.bucket == bucket and u.key.startswith(query.get("prefix", "")))
        return 200, {}, f"<ListMultipartUploadsResult>{rows}<IsTruncated>false</IsTruncated></ListMultipartUploadsResult>".encode()

    def list(self, bucket, query):
        st = self.server.state
        if query.get("list-type") != "2":
            raise Answer(400, "InvalidArgument", "version 2 of the list is spoken here")
        after = base64.b64decode(query["continuation-token"]).decode() if "continuation-token" in query else ""
        keys = sorted(k for b, k in st.objects if b == bucket and k.startswith(query.get("prefix", "")) and k > after)
        page = keys[: st.page]
        rows = "".join(f"<Contents><Key>{escape(k)}</Key><ETag>&quot;x&quot;</ETag><Size>{len(st.objects[bucket, k].body)}</Size><LastModified>2026-11-21T00:00:00.000Z</LastModified></Contents>" for k in page)
        more = f"<NextContinuationToken>{base64.b64encode(page[-1].encode()).decode()}</NextContinuationToken>" if len(keys) > len(page) else ""
        return 200, {}, f'<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>{str(bool(more)).lower()}</IsTruncated>{rows}{more}</ListBucketResult>'.encode()

    # --- Azure -----------------------------------------------------------------------------------------------------------------------------
    def azure(self, body):
        st = self.server.state
        parts = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        token = self.headers.get("Authorization", "")
        if token.startswith("SharedKey "):
            if (why := sharedkey_ok(st.accounts, self.command, self.path, {k.lower(): v for k, v in self.headers.items()}, st.now())) or "sig" in query:
                raise Answer(403, "AuthenticationFailed", f"Server failed to authenticate the request: {why}")
        elif token and (not st.knows(token[7:]) or not token.startswith("Bearer ") or "sig" in query):
            raise Answer(403 if st.bearers else 401, "AuthenticationFailed", "Server failed to authenticate the request.")
        if token.startswith("Bearer ") and abs(email.utils.parsedate_to_datetime(self.headers.get("x-ms-date", "")).timestamp() - st.now()) > 900:
            raise Answer(403, "AuthenticationFailed", "Request date header too old.")
        if not token and any(query.get(k) != v for k, v in urllib.parse.parse_qsl(st.sas)):
            raise Answer(403, "AuthenticationFailed", "Server failed to authenticate the request.")
        if not self.headers.get("x-ms-version"):
            raise Answer(400, "MissingRequiredHeader", "x-ms-version")
        container, _, key = urllib.parse.unquote(parts.path)[1:].partition("/")
        if container not in st.buckets:
            raise Answer(404, "ContainerNotFound", "The specified container does not exist.")
        at, comp = (container, key), query.get("comp")
        if not key and comp == "list":
            after = query.get("marker", "")
            keys = sorted(k for b, k in st.objects if b == container and k.startswith(query.get("prefix", "")) and k > after)
            page = keys[: st.page]
            rows = "".join(f"<Blob><Name>{escape(k)}</Name><Properties><Content-Length>{len(st.objects[container, k].body)}</Content-Length></Properties></Blob>" for k in page)
            return 200, {}, f'\ufeff<?xml version="1.0" encoding="utf-8"?><EnumerationResults><Blobs>{rows}</Blobs><NextMarker>{escape(page[-1]) if len(keys) > len(page) else ""}</NextMarker></EnumerationResults>'.encode()
        if comp == "block":
            blocks = st.uploads.setdefault(at, {})
            if blocks and len(next(iter(blocks))) != len(query["blockid"]):
                raise Answer(400, "InvalidBlobOrBlock", "The specified block id is invalid: another length")
            base64.b64decode(query["blockid"], validate=True)
            blocks[query["blockid"]] = body
            return 201, {}, b""
        if comp == "blocklist" and self.command == "GET":
            if at not in st.uploads and at not in st.objects:
                raise Answer(404, "BlobNotFound", "The specified blob does not exist.")
            rows = "".join(f"<Block><Name>{n}</Name><Size>{len(b)}</Size></Block>" for n, b in st.uploads.get(at, {}).items())
            return 200, {}, f"<BlockList><UncommittedBlocks>{rows}</UncommittedBlocks></BlockList>".encode()
        if self.command == "PUT":
            if self.headers.get("If-None-Match") == "*" and at in st.objects:
                raise Answer(409, "BlobAlreadyExists", "The specified blob already exists.")
            if comp == "blocklist":
                names = re.findall(r"<Latest>([^<]+)</Latest>", body.decode())
                blocks = st.uploads.get(at, {})
                if any(n not in blocks for n in names):
                    raise Answer(400, "InvalidBlockList", "The specified block list is invalid.")
                body = b"".join(blocks[n] for n in names)
                st.uploads.pop(at, None)
            elif self.headers.get("x-ms-blob-type") != "BlockBlob":
                raise Answer(400, "InvalidHeaderValue", "x-ms-blob-type")
            st.objects[at] = Object(body, self.meta(), hashlib.md5(body).hexdigest())
            return 201, {}, b""
        if self.command == "DELETE":
            if st.objects.pop(at, None) is None:
                raise Answer(404, "BlobNotFound", "The specified blob does not exist.")
            return 202, {}, b""
        return self.get(at)


class Server:
    def __init__(self, azure=False, port=0, **more):
        self.azure, self.keys, self.bearers, self.region, self.token = azure, dict(KEYS), set(), "us-east-1", None
        self.buckets, self.objects, self.uploads, self.faults, self.log = {"bkt"}, {}, {}, [], []
        self.sas, self.page, self.min_part, self.kms, self.ignore_conditions, self.skew, self.count, self.received = SAS, 1000, 5 << 20, False, False, 0, 0, 0
        self.heads, self.tls, self.accounts, self.tokens, self.ends = [], None, {}, {}, {}  # of keys: their session tokens, when they end
        self.lock = threading.RLock()
        self.__dict__.update(more)

        class Http(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 64

            def handle_error(self, *_):
                pass

        self.httpd = Http(("127.0.0.1", port), Handler)
        self.httpd.state = self
        self.url = f"http{'s' if self.tls else ''}://127.0.0.1:{self.httpd.server_address[1]}"
        if self.tls:  # path of a certificate with its key
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(self.tls)
            self.httpd.socket = context.wrap_socket(self.httpd.socket, server_side=True)
        self.thread = threading.Thread(target=self.httpd.serve_forever, args=(0.05,), daemon=True)

    def now(self):
        return time.time() + self.skew

    def knows(self, bearer):
        """bearers: a set of tokens, or until when each is good."""
        return bearer in self.bearers and (not isinstance(self.bearers, dict) or self.bearers[bearer] > time.time())

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.httpd.shutdown()
        self.httpd.server_close()


if __name__ == "__main__":  # by hand: prints its address, runs until it is ended
    import sys

    with Server(azure="azure" in sys.argv) as server:
        print(server.url, flush=True)
        try:
            sys.stdin.read()
        except KeyboardInterrupt:
            pass
