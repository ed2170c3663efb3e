"""
Requests that two readers could understand differently, and those that no server may refuse. Each malformed one is refused with its status, the connection is closed,
and the bytes after it are never run. Sources: RFC 9112 (sections 2.2, 3, 5, 6), and what libmicrohttpd 0.9.75, evhttp 2.1.12, h2o 2.2.5, civetweb 1.15, nginx or haproxy let through.
"""
H = b"Host: 127.0.0.1\r\n"
L = b"GET /healthz HTTP/1.1\r\n"
SMUGGLED = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "


def framed(*fields, line=L, body=b""):
    return line + H + b"".join(f + b"\r\n" for f in fields) + b"\r\n" + body


def chunked(*fields, line=L):
    return framed(*fields, line=line, body=b"0\r\n\r\n")


# name, bytes, statuses that refuse it
MALFORMED = [
    (
        "two Content-Length that differ",
        framed(b"Content-Length: 0", b"Content-Length: 45", body=SMUGGLED),
        400,
    ),
    ("two Content-Length that agree", framed(b"Content-Length: 0", b"Content-Length: 0"), 400),
    ("Content-Length as a list", framed(b"Content-Length: 0, 0"), 400),
    ("Content-Length with a sign", framed(b"Content-Length: +0"), 400),
    ("Content-Length below zero", framed(b"Content-Length: -1"), 400),
    ("Content-Length in hex", framed(b"Content-Length: 0x0"), 400),
    ("Content-Length without digits", framed(b"Content-Length:"), 400),
    ("Content-Length of two numbers", framed(b"Content-Length: 0 0"), 400),
    ("Content-Length over 64 bits", framed(b"Content-Length: 18446744073709551616"), 400),
    (
        "Content-Length beside chunked",
        chunked(b"Content-Length: 5", b"Transfer-Encoding: chunked"),
        400,
    ),
    (
        "chunked beside Content-Length",
        chunked(b"Transfer-Encoding: chunked", b"Content-Length: 5"),
        400,
    ),
    (
        "two Transfer-Encoding",
        chunked(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked"),
        400,
    ),
    ("Transfer-Encoding of two codings", chunked(b"Transfer-Encoding: gzip, chunked"), 400),
    ("chunked not last", chunked(b"Transfer-Encoding: chunked, identity"), 400),
    ("unknown Transfer-Encoding", chunked(b"Transfer-Encoding: xchunked"), 400),
    ("Transfer-Encoding identity", chunked(b"Transfer-Encoding: identity"), 400),
    ("chunked behind a vertical tab", chunked(b"Transfer-Encoding: \x0bchunked"), 400),
    ("chunked in quotes", chunked(b'Transfer-Encoding: "chunked"'), 400),
    (
        "chunked in HTTP/1.0",
        chunked(b"Transfer-Encoding: chunked", line=b"GET /healthz HTTP/1.0\r\n"),
        400,
    ),
    ("two Host", framed(b"Host: evil.example.com"), 400),
    ("two equal Host", framed(b"Host: 127.0.0.1"), 400),
    ("no Host", L + b"\r\n", 400),
    ("no Host in HTTP/1.0", b"GET /healthz HTTP/1.0\r\n\r\n", 400),
    ("empty Host", L + b"Host:\r\n\r\n", 400),
    ("Host with a blank", L + b"Host: 127.0.0.1 evil\r\n\r\n", 400),
    ("Host with a user", L + b"Host: evil@127.0.0.1\r\n\r\n", 400),
    ("Host as a list", L + b"Host: 127.0.0.1, evil\r\n\r\n", 400),
    ("Host with a path", L + b"Host: 127.0.0.1/evil\r\n\r\n", 400),
    ("Host with a port over 65535", L + b"Host: 127.0.0.1:99999\r\n\r\n", 400),
    ("Host with a port that is none", L + b"Host: 127.0.0.1:8o\r\n\r\n", 400),
    ("Host of half an address", L + b"Host: [::1\r\n\r\n", 400),
    ("blank before a colon", framed(b"X-A : b"), 400),
    (
        "Content-Length with a blank before the colon",
        framed(b"Content-Length : 45", body=SMUGGLED),
        400,
    ),
    (
        "Transfer-Encoding with a blank before the colon",
        chunked(b"Transfer-Encoding : chunked"),
        400,
    ),
    ("tab before a colon", framed(b"X-A\t: b"), 400),
    ("blank before the first name", L + b" Host: 127.0.0.1\r\n\r\n", 400),
    ("folded line by a blank", framed(b"X-A: b", b" c"), 400),
    ("folded line by a tab", chunked(b"Transfer-Encoding:", b"\tchunked"), 400),
    ("bare LF everywhere", L.replace(b"\r", b"") + H.replace(b"\r", b"") + b"\n", 400),
    ("bare LF behind one field", L + H + b"X-A: b\nX-B: c\r\n\r\n", 400),
    ("bare LF as the empty line", L + H + b"\n", 400),
    ("bare LF behind the request line", L.replace(b"\r", b"") + H + b"\r\n", 400),
    ("bare CR in a value", framed(b"X-A: b\rTransfer-Encoding: chunked"), 400),
    ("bare CR at the end of a line", L + H + b"X-A: b\rX-B: c\r\n\r\n", 400),
    ("two CR", L + H + b"X-A: b\r\r\n\r\n", 400),
    ("NUL in a value", framed(b"X-A: b\0c"), 400),
    ("NUL in a name", framed(b"X\0A: b"), 400),
    ("control character in a value", framed(b"X-A: b\x01c"), 400),
    ("DEL in a value", framed(b"X-A: b\x7fc"), 400),
    ("empty name", framed(b": b"), 400),
    ("line without a colon", framed(b"X-A"), 400),
    ("bracket in a name", framed(b"X(A: b"), 400),
    ("blank in a name", framed(b"X A: b"), 400),
    ("byte over 127 in a name", framed(b"X\xe4: b"), 400),
    ("escaped NUL in the path", framed(line=b"GET /healthz%00.html HTTP/1.1\r\n"), 400),
    ("escaped line end in the path", framed(line=b"GET /healthz%0d%0aX HTTP/1.1\r\n"), 400),
    ("escaped slash in the path", framed(line=b"GET /%2e%2e%2fhealthz HTTP/1.1\r\n"), 400),
    ("escape that is no hex", framed(line=b"GET /healthz%zz HTTP/1.1\r\n"), 400),
    ("escape cut short", framed(line=b"GET /healthz%4 HTTP/1.1\r\n"), 400),
    ("fragment in the target", framed(line=b"GET /healthz#a HTTP/1.1\r\n"), 400),
    ("byte over 127 in the target", framed(line=b"GET /healthz\xe4 HTTP/1.1\r\n"), 400),
    ("blank in the target", framed(line=b"GET /healthz x HTTP/1.1\r\n"), 400),
    ("two blanks before the version", framed(line=b"GET /healthz  HTTP/1.1\r\n"), 400),
    ("tab for a blank", framed(line=b"GET\t/healthz\tHTTP/1.1\r\n"), 400),
    ("blank behind the version", framed(line=b"GET /healthz HTTP/1.1 \r\n"), 400),
    ("blank before the method", framed(line=b" GET /healthz HTTP/1.1\r\n"), 400),
    (
        "whole URL as the target",
        framed(line=b"GET http://evil.example.com/healthz HTTP/1.1\r\n"),
        400,
    ),
    ("host and port as the target", framed(line=b"CONNECT 127.0.0.1:80 HTTP/1.1\r\n"), 400),
    ("star as the target", framed(line=b"OPTIONS * HTTP/1.1\r\n"), 400),
    ("HTTP/0.9", b"GET /healthz\r\n\r\n", 400),
    ("version in small letters", framed(line=b"GET /healthz http/1.1\r\n"), 400),
    ("version of three digits", framed(line=b"GET /healthz HTTP/1.10\r\n"), 400),
    ("HTTP/2.0", framed(line=b"GET /healthz HTTP/2.0\r\n"), 505),
    ("the preface of HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400),
    ("an empty line first", b"\r\n" + framed(), 400),
    ("bracket in the method", framed(line=b"G(T /healthz HTTP/1.1\r\n"), 400),
    ("unknown method", framed(line=b"BREW /healthz HTTP/1.1\r\n"), 501),
    (
        "hello of TLS",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(64) + b"\r\n\r\n",
        400,
    ),
    ("8 KiB of fields", framed(b"X-A: " + b"b" * 8192), 431),
    ("65 lines", framed(*[b"X-%d: b" % i for i in range(65)]), 431),
    ("target over 4 KiB", framed(line=b"GET /" + b"a" * 4096 + b" HTTP/1.1\r\n"), 414),
]
# A body is never read here: whole requests whose bytes might be taken for the next one.
BODIES = [
    ("GET with a body", framed(b"Content-Length: 45", body=SMUGGLED), 413),
    ("GET that is chunked", chunked(b"Transfer-Encoding: chunked"), 413),
    (
        "POST with a body",
        framed(b"Content-Length: 2", line=b"POST /healthz HTTP/1.1\r\n", body=b"ab"),
        405,
    ),
]
# What is asked, and the Host of another page (DNS rebinding).
WRONG_HOST = [
    b"evil.example.com",
    b"evil.example.com:9757",
    b"localhost.evil.example.com",
    b"127.0.0.1.evil.example.com",
    b"0.0.0.0",
    b"8.8.8.8",
    b"127.0.0.2",
    b"[::2]",
    b"[::]",
    b"2130706433",
    b"127.1",
]
GOOD = [
    ("plain", framed(), 200),
    ("names in small letters", framed().replace(b"Host", b"host"), 200),
    ("no blank behind a colon", framed(b"X-A:b"), 200),
    ("blanks around a value", framed(b"X-A: \t b \t "), 200),
    ("empty value", framed(b"X-A:"), 200),
    ("bytes over 127 in a value", framed(b"X-A: \xc3\xa4"), 200),
    ("port in Host", L + b"Host: 127.0.0.1:9757\r\n\r\n", 200),
    ("localhost", L + b"Host: localhost\r\n\r\n", 200),
    ("localhost in capitals, port", L + b"Host: LOCALHOST:1\r\n\r\n", 200),
    ("query", framed(line=b"GET /healthz?a=b%20c&d=/ HTTP/1.1\r\n"), 200),
    ("HTTP/1.0", framed(line=b"GET /healthz HTTP/1.0\r\n"), 200),
    ("no body, said so", framed(b"Content-Length: 0"), 200),
    ("Connection: close", framed(b"Connection: close"), 200),
    ("Expect without a body", framed(b"Expect: 100-continue"), 200),
    ("64 lines", framed(*[b"X-%d: b" % i for i in range(62)]), 200),
    ("another path", framed(line=b"GET /nothing HTTP/1.1\r\n"), 404),
    ("escaped letter in another path", framed(line=b"GET /nothing%20here HTTP/1.1\r\n"), 404),
    ("POST", framed(line=b"POST /healthz HTTP/1.1\r\n"), 405),
    ("DELETE", framed(line=b"DELETE /metrics HTTP/1.1\r\n"), 405),
]
