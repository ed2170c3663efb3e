#include "net/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "net/curl_priv.h"

#ifndef TARE_VERSION
#define TARE_VERSION "0"
#endif
#define MAX_REDIRECTS 5L
/* without a byte for this long a request without a time limit ends */
#define STALL_S 60L
/* of the body of an answer that is no 2xx and that on_body does not get */
#define KEEP_ERROR_BYTES 65536
#define HEADER_VALUE_MAX 8192

struct http {
	CURL *curl;
	char *user_agent, *ca_file, *proxy;
	bool insecure;
};

/* One request under way. */
struct flight {
	struct http *h;
	const struct http_req *q;
	struct http_res *res;
	struct err *err;
	size_t body_max;
	int stop; /* negative errno that ended it from our side */
};

int http_new(const struct http_opt *opt, struct http **ret, struct err *err)
{
	int rc = curl_ready(err);
	if (rc < 0)
		return rc;
	CURL *c = curl_easy_init();
	if (!c)
		return err_nomem(err);
	static const struct http_opt none;
	if (!opt)
		opt = &none;
	struct http *h = xcalloc(1, sizeof *h);
	h->curl = c;
	h->user_agent = xstrdup(text_or(opt->user_agent, "tare/" TARE_VERSION));
	h->ca_file = xstrsv(sv_of(opt->ca_file));
	h->proxy = xstrsv(sv_of(opt->proxy));
	h->insecure = opt->insecure;
	*ret = h;
	return 0;
}

void http_free(struct http *h)
{
	if (!h)
		return;
	curl_easy_cleanup(h->curl);
	free(h->user_agent);
	free(h->ca_file);
	free(h->proxy);
	free(h);
}

static void http_res_clear(struct http_res *r)
{
	str_clear(&r->body);
	str_clear(&r->content_type);
	str_clear(&r->header);
	r->status = 0;
	r->retry_after_ms = -1;
	r->body_bytes = 0;
}

void http_res_free(struct http_res *r)
{
	str_free(&r->body);
	str_free(&r->content_type);
	str_free(&r->header);
	memset(r, 0, sizeof *r);
}

static int flight_status(const struct flight *f)
{
	long status = 0;
	curl_easy_getinfo(f->h->curl, CURLINFO_RESPONSE_CODE, &status);
	return (int)status;
}

static size_t on_bytes(char *p, size_t size, size_t n, void *ctx)
{
	struct flight *f = ctx;
	int status = flight_status(f);

	n *= size;
	f->res->body_bytes += (int64_t)n;
	if ((size_t)f->res->body_bytes > f->body_max) {
		f->stop = -EMSGSIZE;
		return 0;
	}
	if (f->q->on_body && status >= 200 && status < 300) {
		f->stop = f->q->on_body(f->q->ctx, (struct sv){ p, n }, f->err);
		if (f->stop < 0)
			return 0;
		return n;
	}
	if (f->q->on_body && f->res->body.n + n > KEEP_ERROR_BYTES)
		return n;
	str_add(&f->res->body, p, n);
	return n;
}

/* "120" or an HTTP date; -1 where neither. */
static int64_t retry_after_parse(struct sv v)
{
	int64_t s, at_ms;

	if (!sv_i64(v, &s)) {
		if (s < 0)
			return -1;
		if (s > 86400)
			return 86400 * 1000LL;
		return s * 1000;
	}
	if (tm_parse_http(v, &at_ms) < 0)
		return -1;
	return max_i64(at_ms - (int64_t)time(NULL) * 1000, 0);
}

static size_t on_header(char *p, size_t size, size_t n, void *ctx)
{
	struct flight *f = ctx;
	struct sv value, name;

	n *= size;
	struct sv line = sv_trim((struct sv){ p, n });
	if (sv_starts(line, SV("HTTP/"))) { /* each answer of a chain of redirects starts again */
		f->res->retry_after_ms = -1;
		str_clear(&f->res->header);
		str_clear(&f->res->content_type);
		return n;
	}
	name = sv_cut(line, ':', &value);
	if (!value.p)
		return n;
	value = sv_trim(value);
	if (value.n > HEADER_VALUE_MAX)
		return n;
	if (sv_ieq(name, SV("retry-after")))
		f->res->retry_after_ms = retry_after_parse(value);
	if (sv_ieq(name, SV("content-type"))) {
		str_clear(&f->res->content_type);
		str_addsv(&f->res->content_type, value);
	}
	if (f->q->keep_header && sv_ieq(name, sv_of(f->q->keep_header))) {
		str_clear(&f->res->header);
		str_addsv(&f->res->header, value);
	}
	return n;
}

static bool is_https(const char *url)
{
	return !strncasecmp(url, "https://", 8);
}

static struct curl_slist *header_add(struct curl_slist *list, const char *line)
{
	struct curl_slist *more = curl_slist_append(list, line);
	if (!more)
		curl_slist_free_all(list);
	return more;
}

static void flight_client(const struct http *h)
{
	CURL *c = h->curl;

	curl_own(c);
	curl_easy_setopt(c, CURLOPT_USERAGENT, h->user_agent);
	curl_easy_setopt(c, CURLOPT_ACCEPT_ENCODING, "");
	if (h->ca_file)
		curl_easy_setopt(c, CURLOPT_CAINFO, h->ca_file);
	if (h->proxy)
		curl_easy_setopt(c, CURLOPT_PROXY, h->proxy);
	if (h->insecure) {
		curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 0L);
	}
}

/* After flight_client(): a socket has no proxy. */
static void flight_request(struct flight *f, struct curl_slist *headers)
{
	CURL *c = f->h->curl;
	const struct http_req *q = f->q;

	/* limits */
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS,
			 (long)(q->connect_timeout_ms > 0 ? q->connect_timeout_ms : 10000));
	if (q->timeout_ms >= 0)
		curl_easy_setopt(c, CURLOPT_TIMEOUT_MS,
				 (long)(q->timeout_ms > 0 ? q->timeout_ms : 120000));
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, STALL_S);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(c, CURLOPT_REDIR_PROTOCOLS_STR, is_https(q->url) ? "https" : "http,https");
	/* libcurl would carry a body anywhere: those are followed here */
	curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, q->stay || q->body.p ? 0L : 1L);
	curl_easy_setopt(c, CURLOPT_MAXREDIRS, MAX_REDIRECTS);
	f->body_max = q->body_max ? q->body_max : HTTP_BODY_MAX_DEFAULT;

	/* what is asked */
	curl_easy_setopt(c, CURLOPT_URL, q->url);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
	if (q->bearer) {
		curl_easy_setopt(c, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
		curl_easy_setopt(c, CURLOPT_XOAUTH2_BEARER, q->bearer);
	}
	if (q->body.p) {
		curl_easy_setopt(c, CURLOPT_POSTFIELDS, q->body.p);
		curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)q->body.n);
	}
	if (q->method && !strcmp(q->method, "HEAD"))
		curl_easy_setopt(c, CURLOPT_NOBODY, 1L);
	else if (q->method && strcmp(q->method, q->body.p ? "POST" : "GET") != 0)
		curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, q->method);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_bytes);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, f);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, f);

	/* the way there */
	if (q->unix_socket) {
		curl_easy_setopt(c, CURLOPT_UNIX_SOCKET_PATH, q->unix_socket);
		curl_easy_setopt(c, CURLOPT_PROXY, "");
	}
	if (q->http2_only) {
		curl_easy_setopt(c, CURLOPT_HTTP_VERSION,
				 (long)CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE);
		/* libcurl 7.88 fails on the second request of such a connection */
		curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, 1L);
		curl_easy_setopt(c, CURLOPT_FORBID_REUSE, 1L);
	}
}

static int flight_failed(struct flight *f, CURLcode rc, const char *detail)
{
	struct str mem = { 0 };
	struct sv shown = curl_shown(f->q->url, &mem);
	const char *method = "GET";
	int code = f->stop;

	if (f->q->method)
		method = f->q->method;
	else if (f->q->body.p)
		method = "POST";
	if (f->stop == -EMSGSIZE && !f->err->msg[0])
		err_set(f->err, code, "%s '%.*s': the answer is longer than the %zu bytes allowed",
			method, SVF(shown), f->body_max);
	else if (!f->stop)
		code = err_set(f->err, curl_code(rc), "%s '%.*s': %s", method, SVF(shown),
			       detail[0] ? detail : curl_easy_strerror(rc));
	else if (!f->err->msg[0])
		err_set(f->err, code, "%s '%.*s': stopped: %s", method, SVF(shown),
			strerror(-code));
	str_free(&mem);
	return code;
}

struct place { /* parts of a URL; of curl_free() */
	char *scheme, *host, *port;
};

static void place_free(struct place *p)
{
	curl_free(p->scheme);
	curl_free(p->host);
	curl_free(p->port);
}

static bool place_of(const char *url, struct place *ret)
{
	CURLU *u = curl_url();
	*ret = (struct place){ 0 };
	bool good = u && !curl_url_set(u, CURLUPART_URL, url, 0) &&
		    !curl_url_get(u, CURLUPART_SCHEME, &ret->scheme, 0) &&
		    !curl_url_get(u, CURLUPART_HOST, &ret->host, 0) &&
		    !curl_url_get(u, CURLUPART_PORT, &ret->port, CURLU_DEFAULT_PORT);
	curl_url_cleanup(u);
	return good;
}

/* The same host at the same port, or at its usual one for TLS. */
static bool same_place(const char *url, const char *as)
{
	struct place a, b;
	bool good = place_of(url, &a);
	good &= place_of(as, &b);
	if (good) {
		bool same = !strcasecmp(a.scheme, b.scheme) && !strcmp(a.port, b.port);
		bool up = !strcasecmp(b.scheme, "http") && !strcasecmp(a.scheme, "https") &&
			  !strcmp(b.port, "80") && !strcmp(a.port, "443");
		good = !strcasecmp(a.host, b.host) && (same || up);
	}
	place_free(&a);
	place_free(&b);
	return good;
}

/* What has a body. 1: the answer points on, *url (which is the request's at first, of the heap
 * later) is where; 0: it is the answer. */
static int flight_follow(struct flight *f, int hops, char **url)
{
	char *to = NULL;
	struct str mem[2] = { 0 };
	int status = flight_status(f);
	bool redirect = within_int(status, 301, 303) || status == 307 || status == 308;

	if (!f->q->body.p || f->q->stay || !redirect)
		return 0;
	curl_easy_getinfo(f->h->curl, CURLINFO_REDIRECT_URL, &to);
	if (!to)
		return 0;
	struct sv shown = curl_shown(f->q->url, &mem[0]), there = curl_shown(to, &mem[1]);
	int r = 1;
	if (!same_place(to, *url ? *url : f->q->url)) {
		r = err_set(
			f->err, -EPERM,
			"'%.*s' points to '%.*s': what is sent goes to the address that was named only",
			SVF(shown), SVF(there));
		err_hint(f->err, "If it has moved there, name the new address");
	} else if (hops >= MAX_REDIRECTS) {
		r = err_set(f->err, -EPROTO, "'%.*s' points on more than %ld times", SVF(shown),
			    MAX_REDIRECTS);
	} else {
		free(*url);
		*url = xstrdup(to);
		curl_easy_setopt(f->h->curl, CURLOPT_URL, *url);
		http_res_clear(f->res);
	}
	str_free(&mem[0]);
	str_free(&mem[1]);
	return r;
}

int http_do(struct http *h, const struct http_req *q, struct http_res *ret, struct err *err)
{
	char detail[CURL_ERROR_SIZE] = "";
	struct err own;
	struct flight f = { h, q, ret, err ? err : &own, 0, 0 };

	err_clear(f.err);
	http_res_clear(ret);
	bool web = q->url && (!strncasecmp(q->url, "http://", 7) || is_https(q->url));
	if (!web)
		return err_set(err, -EINVAL, "'%s' is not an http:// or https:// address",
			       text_or(q->url, ""));
	struct curl_slist *headers = header_add(NULL, "Expect:"); /* no 100-continue round trip */
	for (size_t i = 0; headers && i < q->nheader; i++)
		headers = header_add(headers, q->header[i]);
	if (headers && q->body.p) {
		struct str line = { 0 };
		str_addf(&line, "Content-Type: %s",
			 text_or(q->content_type, "application/x-www-form-urlencoded"));
		headers = header_add(headers, line.p);
		str_free(&line);
	}
	if (!headers)
		return err_nomem(err);
	curl_easy_reset(h->curl); /* keeps connections */
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, detail);
	flight_client(h);
	flight_request(&f, headers);

	char *url = NULL; /* where the answer pointed to */
	int code, hops = 0;
	CURLcode rc;
	do {
		rc = curl_easy_perform(h->curl);
		if (rc == CURLE_OK)
			code = flight_follow(&f, hops++, &url);
		else
			code = flight_failed(&f, rc, detail);
	} while (code > 0);
	ret->status = code < 0 && rc == CURLE_OK ? 0 : flight_status(&f);
	free(url);
	curl_slist_free_all(headers);
	curl_easy_setopt(h->curl, CURLOPT_ERRORBUFFER, NULL);
	return code;
}

int http_status_err(const char *url, const struct http_res *r, struct err *err)
{
	struct str mem = { 0 };
	struct sv shown = curl_shown(url, &mem), text = sv_trim(str_sv(&r->body));
	int code = -EPROTO;

	if (r->status == 404)
		code = -ENOENT;
	else if (r->status == 401 || r->status == 403)
		code = -EACCES;
	else if (r->status == 429 || r->status >= 500)
		code = -EAGAIN;
	if (text.n > 200)
		text.n = 200;
	err_set(err, code, "'%.*s' answered with status %d%s%.*s", SVF(shown), r->status,
		text_if(text.n, ": "), SVF(text));
	if (code == -EACCES)
		err_hint(err, "give a token the server accepts");
	str_free(&mem);
	return code;
}

int http_get(struct http *h, const char *url, struct http_res *ret, struct err *err)
{
	struct http_req q = { .url = url };
	int rc = http_do(h, &q, ret, err);

	if (rc < 0)
		return rc;
	if (ret->status >= 200 && ret->status < 300)
		return 0;
	return http_status_err(url, ret, err);
}

void http_quote(struct str *out, struct sv text)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		if (within_int(c, 'a', 'z') || within_int(c, 'A', 'Z') || within_int(c, '0', '9') ||
		    (c && strchr("-._~", c))) {
			str_addc(out, (char)c);
		} else {
			str_addc(out, '%');
			str_addc(out, hex[c >> 4]);
			str_addc(out, hex[c & 15]);
		}
	}
}

int64_t http_backoff_ms(int attempt, int64_t retry_after_ms)
{
	if (retry_after_ms >= 0)
		return min_i64(retry_after_ms, MS_MINUTE);
	if (attempt >= 6)
		return 30000;
	return 500LL << max_int(attempt, 0);
}
