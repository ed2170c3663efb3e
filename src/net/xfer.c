#include "net/xfer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/tm.h"
#include "net/curl_priv.h"

#ifndef TARE_VERSION
#define TARE_VERSION "0"
#endif
#define TEXT_MAX       ((size_t)16 << 20)
#define ERROR_TEXT_MAX ((size_t)64 << 10)
#define HEADERS_MAX    ((size_t)32 << 10)
#define SEND_BUFFER    262144L /* one read and one send a quarter MiB: fewer turns of the loop */
#define IDLE_MAX       64

/* One transfer; stays in x->live until it is done. */
struct move {
	CURL *c;
	struct curl_slist *headers;
	struct xfer_req q; /* without the texts */
	char *method, *shown;
	char detail[CURL_ERROR_SIZE];
	uint64_t read; /* of the body, from its start */
	int stop;      /* negative errno that ended it from our side */
	struct xfer_done *d;
	size_t place; /* in x->live */
};

struct xfer {
	CURLM *m;
	char *user_agent, *ca_file;
	int64_t stall_ms;
	atomic_bool woken;
	VEC(struct move *) live;
	VEC(CURL *) idle;
};

int xfer_new(const struct xfer_opt *opt, struct xfer **ret, struct err *err)
{
	int rc = curl_ready(err);
	if (rc < 0)
		return rc;
	CURLM *m = curl_multi_init();
	if (!m)
		return err_nomem(err);
	static const struct xfer_opt none;
	if (!opt)
		opt = &none;
	struct xfer *x = xcalloc(1, sizeof *x);
	x->m = m;
	x->user_agent = xstrdup(text_or(opt->user_agent, "tare/" TARE_VERSION));
	x->ca_file = xstrsv(sv_of(opt->ca_file));
	x->stall_ms = opt->stall_ms > 0 ? opt->stall_ms : 30000;
	*ret = x;
	return 0;
}

static void move_free(struct xfer *x, struct move *v)
{
	if (v->c) {
		curl_multi_remove_handle(x->m, v->c);
		if (x->idle.n < IDLE_MAX)
			*vec_push(&x->idle) = v->c;
		else
			curl_easy_cleanup(v->c);
	}
	curl_slist_free_all(v->headers);
	xfer_done_free(v->d);
	free(v->method);
	free(v->shown);
	free(v);
}

void xfer_cancel(struct xfer *x)
{
	for (size_t i = 0; i < x->live.n; i++)
		move_free(x, x->live.v[i]);
	vec_clear(&x->live);
}

void xfer_free(struct xfer *x)
{
	if (!x)
		return;
	xfer_cancel(x);
	for (size_t i = 0; i < x->idle.n; i++)
		curl_easy_cleanup(x->idle.v[i]);
	curl_multi_cleanup(x->m);
	vec_free(&x->live);
	vec_free(&x->idle);
	free(x->user_agent);
	free(x->ca_file);
	free(x);
}

/* ---- bytes ------------------------------------------------------------------------------- */

static size_t on_read(char *p, size_t size, size_t n, void *ctx)
{
	struct move *v = ctx;
	uint64_t left = v->q.bytes - v->read;
	ssize_t got;

	n *= size;
	if (n > left)
		n = left;
	if (!n)
		return 0;
	if (v->q.mem) {
		memcpy(p, (const char *)v->q.mem + v->read, n);
		v->read += n;
		return n;
	}
	do
		got = pread(v->q.fd, p, n, (off_t)(v->q.offset + v->read));
	while (got < 0 && errno == EINTR);
	if (got <= 0) {
		v->stop = got < 0 ? -errno : -ENODATA;
		return CURL_READFUNC_ABORT;
	}
	v->read += (uint64_t)got;
	return (size_t)got;
}

/* libcurl begins again where a kept connection turned out to be dead. */
static int on_seek(void *ctx, curl_off_t offset, int origin)
{
	struct move *v = ctx;

	if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > v->q.bytes)
		return CURL_SEEKFUNC_CANTSEEK;
	v->read = (uint64_t)offset;
	return CURL_SEEKFUNC_OK;
}

static int put_file(struct move *v, const char *p, size_t n)
{
	uint64_t at = v->q.to_offset + v->d->got_bytes;

	while (n) {
		ssize_t put = pwrite(v->q.to_fd, p, n, (off_t)at);
		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return -errno;
		p += put;
		n -= (size_t)put;
		at += (uint64_t)put;
	}
	return 0;
}

static size_t on_write(char *p, size_t size, size_t n, void *ctx)
{
	struct move *v = ctx;
	long status = 0;

	n *= size;
	curl_easy_getinfo(v->c, CURLINFO_RESPONSE_CODE, &status);
	if (status >= 200 && status < 300 && (v->q.to_mem || v->q.to_file)) {
		if (n > v->q.to_max - v->d->got_bytes)
			v->stop = -EMSGSIZE;
		else if (v->q.to_mem)
			memcpy((char *)v->q.to_mem + v->d->got_bytes, p, n);
		else
			v->stop = put_file(v, p, n);
	} else {
		bool good = status >= 200 && status < 300;
		size_t max = TEXT_MAX;
		if (!good)
			max = ERROR_TEXT_MAX;
		else if (v->q.text_max)
			max = v->q.text_max;
		if (v->d->text.n + n <= max)
			str_add(&v->d->text, p, n);
		else if (good)
			v->stop = -EMSGSIZE; /* of an error the start says enough */
	}
	if (v->stop)
		return 0;
	v->d->got_bytes += n;
	return n;
}

static size_t on_header(char *p, size_t size, size_t n, void *ctx)
{
	struct move *v = ctx;
	struct str *h = &v->d->header;
	struct sv value, name, line;

	n *= size;
	line = sv_trim((struct sv){ p, n });
	if (sv_starts(line, SV("HTTP/"))) {
		str_clear(h);
		return n;
	}
	name = sv_cut(line, ':', &value);
	if (!value.p || h->n + line.n + 2 > HEADERS_MAX || memchr(line.p, 0, line.n))
		return n;
	for (size_t i = 0; i < name.n; i++)
		str_addc(h,
			 name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] + 32) : name.p[i]);
	str_addz(h, ": ");
	str_addsv(h, sv_trim(value));
	str_addc(h, '\n');
	return n;
}

/* ---- start ------------------------------------------------------------------------------- */

static void set_options(struct xfer *x, struct move *v, const char *url)
{
	CURL *c = v->c;
	bool get = !strcmp(v->method, "GET");

	curl_own(c);
	curl_easy_setopt(c, CURLOPT_USERAGENT, x->user_agent);
	curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
	/* several connections carry more than streams of one */
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, 10000L);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, (long)((x->stall_ms + 999) / 1000));
	curl_easy_setopt(c, CURLOPT_TCP_KEEPALIVE, 1L);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, v->detail);
	if (x->ca_file)
		curl_easy_setopt(c, CURLOPT_CAINFO, x->ca_file);
	if (v->q.timeout_ms > 0)
		curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)v->q.timeout_ms);

	curl_easy_setopt(c, CURLOPT_URL, url);
	curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L); /* what was signed is what is sent */
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, v->headers);
	if (v->q.has_body) {
		curl_easy_setopt(c, CURLOPT_UPLOAD, 1L);
		curl_easy_setopt(c, CURLOPT_INFILESIZE_LARGE, (curl_off_t)v->q.bytes);
		curl_easy_setopt(c, CURLOPT_UPLOAD_BUFFERSIZE, SEND_BUFFER);
		curl_easy_setopt(c, CURLOPT_READFUNCTION, on_read);
		curl_easy_setopt(c, CURLOPT_READDATA, v);
		curl_easy_setopt(c, CURLOPT_SEEKFUNCTION, on_seek);
		curl_easy_setopt(c, CURLOPT_SEEKDATA, v);
	}
	if (!strcmp(v->method, "HEAD"))
		curl_easy_setopt(c, CURLOPT_NOBODY, 1L);
	else if (!get)
		curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, v->method);
	if (v->q.to_mem || v->q.to_file)
		curl_easy_setopt(c, CURLOPT_BUFFERSIZE, SEND_BUFFER);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_write);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, v);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, v);
	curl_easy_setopt(c, CURLOPT_PRIVATE, v);
}

/* What libcurl would add by itself. */
static const char *const no_header[] = { "Expect:", "Accept:", "Content-Type:",
					 "Transfer-Encoding:" };
#define NNO_HEADER (sizeof no_header / sizeof *no_header)

int xfer_start(struct xfer *x, const struct xfer_req *q, void *ctx, struct err *err)
{
	struct move *v = xcalloc(1, sizeof *v);

	v->q = *q;
	v->method = xstrdup(q->method);
	struct str mem = { 0 };
	struct sv shown = curl_shown(q->url, &mem);
	v->shown = xstrndup(shown.p, shown.n);
	str_free(&mem);
	v->d = xcalloc(1, sizeof *v->d);
	v->d->ctx = ctx;
	if (x->idle.n) {
		v->c = x->idle.v[--x->idle.n];
		curl_easy_reset(v->c);
	} else {
		v->c = curl_easy_init();
	}
	if (!v->c)
		goto nomem;
	for (size_t i = 0; i < NNO_HEADER + q->nheader; i++) {
		const char *line = i < NNO_HEADER ? no_header[i] : q->header[i - NNO_HEADER];
		struct curl_slist *more = curl_slist_append(v->headers, line);
		if (!more)
			goto nomem;
		v->headers = more;
	}
	set_options(x, v, q->url);
	if (curl_multi_add_handle(x->m, v->c) != CURLM_OK)
		goto nomem;
	v->place = x->live.n;
	*vec_push(&x->live) = v;
	return 0;
nomem:
	move_free(x, v);
	return err_nomem(err);
}

uint64_t xfer_under_way(const struct xfer *x)
{
	uint64_t n = 0;

	for (size_t i = 0; i < x->live.n; i++)
		n += x->live.v[i]->read;
	return n;
}

/* ---- end --------------------------------------------------------------------------------- */

static struct xfer_done *take_done(struct xfer *x)
{
	CURLMsg *msg;
	int left;

	while ((msg = curl_multi_info_read(x->m, &left))) {
		struct move *v = NULL;
		long status = 0;
		if (msg->msg != CURLMSG_DONE)
			continue;
		CURLcode rc = msg->data.result;
		curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&v);
		curl_easy_getinfo(v->c, CURLINFO_RESPONSE_CODE, &status);
		struct xfer_done *d = v->d;
		d->status = (int)status;
		d->sent_bytes = v->read;
		if (v->stop == -EMSGSIZE)
			d->rc = err_set(&d->err, v->stop,
					"%s '%s': the answer is longer than it may be", v->method,
					v->shown);
		else if (v->stop)
			d->rc = err_set(&d->err, v->stop, "%s '%s': %s", v->method, v->shown,
					v->stop == -ENODATA ? "the file is shorter than it was"
							    : strerror(-v->stop));
		else if (rc != CURLE_OK)
			d->rc = err_set(&d->err, curl_code(rc), "%s '%s': %s", v->method, v->shown,
					filled_or(v->detail, curl_easy_strerror(rc)));
		v->d = NULL;
		x->live.v[v->place] = x->live.v[--x->live.n];
		x->live.v[v->place]->place = v->place;
		move_free(x, v);
		return d;
	}
	return NULL;
}

struct xfer_done *xfer_wait(struct xfer *x, int64_t wait_ms)
{
	int64_t end = tm_awake_ms() + wait_ms, left;
	struct xfer_done *d;
	int running;

	for (;;) {
		if (curl_multi_perform(x->m, &running) != CURLM_OK)
			return NULL;
		if ((d = take_done(x)) || !x->live.n || atomic_exchange(&x->woken, false) ||
		    (left = end - tm_awake_ms()) <= 0)
			return d;
		if (curl_multi_poll(x->m, NULL, 0, left > 1000 ? 1000 : (int)left, NULL) !=
		    CURLM_OK)
			return NULL;
	}
}

void xfer_wake(struct xfer *x)
{
	atomic_store(&x->woken, true);
	curl_multi_wakeup(x->m);
}

void xfer_done_free(struct xfer_done *d)
{
	if (!d)
		return;
	str_free(&d->text);
	str_free(&d->header);
	free(d);
}

struct sv xfer_header(const struct xfer_done *d, const char *name)
{
	struct sv rest = str_sv(&d->header);

	while (rest.p && rest.n) {
		struct sv value, line = sv_cut(rest, '\n', &rest);
		struct sv key = sv_cut(line, ':', &value);
		if (sv_is(key, name))
			return sv_trim(value);
	}
	return SV_NULL;
}
