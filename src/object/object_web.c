/* Requests to stores that speak HTTP: sent several at a time, tried again, told apart by what the
 * server means. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/clean.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "net/http.h"
#include "object/object_prep.h"
#include "object/object_priv.h"
#include "auth/role.h"
#include "net/xml.h"

#define PART_BYTES (16ULL << 20)
#define MIB        (1ULL << 20)
/* 0.2 + 0.4 + ... + 3.2 s of waiting: a server that is down for longer is down */
#define TRIES     6
#define TURN_MS   200
#define KEYS_MAX  10000000u
#define PAGES_MAX 100000

int64_t object_now_ms(const struct object_when *when)
{
	struct timespec t;

	if (when && when->now_ms)
		return when->now_ms();
	/* signatures need the real time, whatever a test pretends */
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void web_req_free(struct web_req *q)
{
	xfer_done_free(q->d);
	free(q->path);
	free(q->query);
	q->d = NULL;
	q->path = q->query = NULL;
}

int web_open(struct object_store *s, const struct object_opt *opt, struct err *err)
{
	struct xfer_opt x = { .ca_file = opt->ca_file ? opt->ca_file : auth_ca_file(),
			      .stall_ms = opt->stall_ms };

	if (s->cred.bearer && !role_url_safe(s->base)) { /* who hears it has it */
		err_set(err, -EACCES,
			"'%s': a token (from %s) goes over https only, and the endpoint is not",
			s->url, text_or(s->cred.source, "the role"));
		err_hint(
			err,
			"name an https address as the endpoint, or take keys, which sign and are not sent");
		return -EACCES;
	}
	s->streams = opt->streams > 0 ? opt->streams : 8;
	s->tries = opt->tries > 0 ? opt->tries : TRIES;
	s->part_bytes = opt->part_bytes ? opt->part_bytes : PART_BYTES;
	return xfer_new(&x, &s->x, err);
}

void web_close(struct object_store *s)
{
	xfer_free(s->x);
}

uint64_t web_part_bytes(const struct object_store *s, uint64_t bytes, uint64_t max_parts)
{
	uint64_t part = s->part_bytes, least = (bytes + max_parts - 1) / max_parts;

	if (part < least)
		part = (least + MIB - 1) / MIB * MIB;
	return part;
}

char *web_path(const char *prefix, const char *key)
{
	struct str s = { 0 };
	struct sv rest;

	for (int i = 0; i < 2; i++) {
		rest = sv_of(i ? key : prefix);
		while (rest.p && rest.n) {
			str_addc(&s, '/');
			http_quote(&s, sv_cut(rest, '/', &rest));
		}
	}
	if (s.p)
		return s.p;
	return xstrdup("");
}

/* ---- a try ------------------------------------------------------------------------------- */

static int start_request(struct object_store *s, struct web_req *q, const struct object_when *when,
			 struct err *err)
{
	struct web_signed out = { 0 };
	const char *lines[WEB_HEADERS];
	int64_t left = web_left_ms(when);
	int rc = s->sign(s, q, object_now_ms(when) + s->skew_ms, &out, err);

	q->cred_no = s->cred_no;
	q->skew_ms = s->skew_ms; /* that it was signed by */
	for (size_t i = 0; i < out.nheader; i++)
		lines[i] = str_z(&out.header[i]);
	struct xfer_req x = { .method = q->method,
			      .url = str_z(&out.url),
			      .header = lines,
			      .nheader = out.nheader,
			      .has_body = q->has_body,
			      .mem = q->mem,
			      .fd = q->fd,
			      .offset = q->offset,
			      .bytes = q->bytes,
			      .to_mem = q->to_mem,
			      .to_file = q->to_file,
			      .to_fd = q->to_fd,
			      .to_offset = q->to_offset,
			      .to_max = q->to_max,
			      .timeout_ms = max_i64(left, 1) };
	if (left == INT64_MAX)
		x.timeout_ms = 0; /* none */
	if (rc == 0)
		rc = xfer_start(s->x, &x, q, err);
	xfer_done_free(q->d);
	q->d = NULL;
	if (rc == 0) {
		q->running = true;
		q->tries++;
	}
	for (size_t i = 0; i < WEB_HEADERS; i++)
		str_free(&out.header[i]);
	str_free(&out.url);
	return rc;
}

/* ---- the loop ---------------------------------------------------------------------------- */

struct run {
	struct web_req *q;
	size_t n, next, over; /* next: the first that was never sent */
	size_t running;
	struct prep_part *part; /* [n] what must be done to a body before it goes, or NULL */
	struct prep *prep;      /* its threads, NULL: in this one */
};

/* 1: the next body may go, 0: not yet. */
static int is_prepared(struct object_store *s, struct run *r, int64_t wait_ms, struct err *err)
{
	struct web_req *q = &r->q[r->next];
	int rc;

	if (r->prep)
		rc = prep_ready(r->prep, r->next, wait_ms, err);
	else
		rc = prep_now(q->src, s->hash_body ? PREP_SHA256 : PREP_NONE, &r->part[r->next],
			      err);
	if (!r->prep && rc == 0)
		rc = 1;
	if (rc > 0)
		memcpy(q->sha256, r->part[r->next].hex, sizeof q->sha256);
	return rc;
}

/* Send what may be sent now; *ret_wait_ms: how long nothing new will be. */
static int fill_streams(struct object_store *s, struct run *r, size_t streams,
			const struct object_when *when, int64_t *ret_wait_ms, struct err *err)
{
	int64_t now = tm_awake_ms();
	int rc = 0;

	*ret_wait_ms = 1000;
	for (size_t i = 0; i < r->next && r->running < streams && rc == 0; i++) {
		/* those that wait for another try */
		struct web_req *q = &r->q[i];
		if (q->over || q->running)
			continue;
		if (q->not_before_ms > now) {
			*ret_wait_ms = min_i64(q->not_before_ms - now, *ret_wait_ms);
			continue;
		}
		if ((rc = start_request(s, q, when, err)) == 0)
			r->running++;
	}
	while (r->next < r->n && r->running < streams && rc == 0) {
		if (r->part && (rc = is_prepared(s, r, 0, err)) <= 0)
			break;
		if ((rc = start_request(s, &r->q[r->next++], when, err)) == 0)
			r->running++;
	}
	return rc;
}

int web_too_late(const struct object_store *s, struct err *err)
{
	return err_set(err, -ETIME, "the time is over before all bytes were in '%s'", s->url);
}

static int collect_done(struct object_store *s, struct run *r, int64_t wait_ms,
			const struct object_when *when, struct err *err)
{
	struct xfer_done *d;
	int rc = 0;

	if (!r->running && r->prep && r->next < r->n) {
		rc = prep_ready(r->prep, r->next, wait_ms, err);
		if (rc < 0)
			return rc;
		return 0;
	}
	if (!r->running) {
		auth_sleep_ms(wait_ms);
		return 0;
	}
	for (; rc >= 0 && (d = xfer_wait(s->x, wait_ms)); wait_ms = 0) {
		struct web_req *q = d->ctx;
		q->d = d;
		q->running = false;
		r->running--;
		rc = web_judge(s, q, when, tm_awake_ms(), err);
		q->over = rc != 0;
		q->rc = rc < 0 ? rc : 0;
		r->over += q->over;
		if (rc > 0 && q->src)
			s->arrived += q->bytes;
	}
	if (rc < 0)
		return rc;
	return 0;
}

static int run_requests(struct object_store *s, struct web_req *q, size_t n, size_t streams,
			const struct object_when *when, struct err *err)
{
	struct run r = { .q = q, .n = n };
	int rc = 0;

	/* bodies of files are hashed, and looked at by whoever gave them, ahead of the sending */
	const struct object_src *src = n ? q[0].src : NULL;
	bool hash = s->hash_body && n > 1;
	if (src && (src->look || hash)) {
		r.part = xcalloc(n, sizeof *r.part);
		for (size_t i = 0; i < n; i++)
			r.part[i] = (struct prep_part){ .offset = q[i].src_at,
							.bytes = q[i].bytes };
		if (n > 1)
			r.prep = prep_start(src, s->hash_body ? PREP_SHA256 : PREP_NONE, r.part, n,
					    s->x);
	}
	while (rc == 0 && r.over < n) {
		int64_t wait_ms, left = web_left_ms(when);
		if (left <= 0) {
			rc = web_too_late(s, err);
			break;
		}
		if (when && when->turn &&
		    (rc = when->turn(when->turn_ctx, s->arrived, xfer_under_way(s->x))) < 0) {
			err_set(err, rc, "the sending to '%s' was given up", s->url);
			break;
		}
		s->until_ms = when ? when->deadline_ms : INT64_MAX;
		rc = fill_streams(s, &r, streams, when, &wait_ms, err);
		if (when && when->turn && wait_ms > TURN_MS)
			wait_ms = TURN_MS;
		if (rc == 0)
			rc = collect_done(s, &r, min_i64(wait_ms, left), when, err);
		if (rc < 0 && web_left_ms(when) <= 0)
			rc = web_too_late(s, err);
	}

	/* What is under way is taken back so that the next run finds an empty engine. */
	if (r.running) {
		xfer_cancel(s->x);
		for (size_t i = 0; i < r.n; i++)
			r.q[i].running = false;
	}

	prep_end(r.prep);
	free(r.part);
	return rc;
}

int web_run(struct object_store *s, struct web_req *q, size_t n, const struct object_when *when,
	    struct err *err)
{
	return run_requests(s, q, n, (size_t)s->streams, when, err);
}

int web_one(struct object_store *s, struct web_req *q, const struct object_when *when,
	    struct err *err)
{
	return run_requests(s, q, 1, 1, when, err);
}

/* ---- what both kinds do the same way ----------------------------------------------------- */

static int web_head(struct object_store *s, const char *key, const char *tag_header, uint64_t *ret,
		    struct str *ret_tag, struct err *err)
{
	struct web_req q = { .method = "HEAD", .path = web_path(s->prefix, key) };
	int64_t n = 0;
	int rc = web_one(s, &q, NULL, err);

	if (rc == -ENOENT)
		err_set(err, rc, "there is no '%s' in '%s'", key, s->url);
	if (rc == 0 && (sv_i64(xfer_header(q.d, "content-length"), &n) < 0 || n < 0))
		rc = err_set(err, -EPROTO, "the object store '%s' does not say how long '%s' is",
			     s->url, key);
	if (rc == 0)
		*ret = (uint64_t)n;
	if (rc == 0 && tag_header)
		str_addsv(ret_tag, xfer_header(q.d, tag_header));
	web_req_free(&q);
	return rc;
}

int web_size(struct object_store *s, const char *key, uint64_t *ret, struct err *err)
{
	return web_head(s, key, NULL, ret, NULL, err);
}

int web_del(struct object_store *s, const char *key, struct err *err)
{
	struct web_req q = { .method = "DELETE", .path = web_path(s->prefix, key) };
	int rc = web_one(s, &q, NULL, err);

	web_req_free(&q);
	if (rc == -ENOENT)
		return 0;
	return rc;
}

void web_body(struct web_req *q, const struct object_src *src, uint64_t offset, uint64_t bytes)
{
	q->has_body = true;
	q->src = src;
	q->src_at = offset;
	if (src->mem)
		q->mem = (const char *)src->mem + offset;
	else if (bytes)
		q->mem = NULL;
	else
		q->mem = "";
	q->fd = src->fd;
	q->offset = src->offset + offset;
	q->bytes = bytes;
}

bool web_is_ours(struct object_store *s, const char *key, const char *tag_header, uint64_t bytes,
		 const char *tag)
{
	struct str got = { 0 };
	uint64_t size = 0;
	bool same = tag && web_head(s, key, tag_header, &size, &got, NULL) == 0 && size == bytes &&
		    sv_is(str_sv(&got), tag);

	str_free(&got);
	return same;
}

int web_get(struct object_store *s, const char *key, const struct object_get *get,
	    uint64_t *ret_bytes, struct err *err)
{
	uint64_t size = 0, part, offset = get->offset;
	int rc = web_size(s, key, &size, err);

	*ret_bytes = 0;
	if (rc < 0 || offset >= size || !get->bytes)
		return rc;
	uint64_t bytes = min_u64(get->bytes, size - offset);
	part = web_part_bytes(s, bytes, 1000);
	size_t n = (size_t)((bytes + part - 1) / part);
	struct web_req *q = xcalloc(n, sizeof *q);
	struct str *range = xcalloc(n, sizeof *range);
	char *path = web_path(s->prefix, key);
	for (size_t i = 0; i < n; i++) {
		uint64_t at = i * part, len = min_u64(bytes - at, part);
		str_addf(&range[i], "Range: bytes=%" PRIu64 "-%" PRIu64, offset + at,
			 offset + at + len - 1);
		q[i] = (struct web_req){ .method = "GET",
					 .path = xstrdup(path),
					 .header = { str_z(&range[i]) },
					 .nheader = 1,
					 .to_mem = get->mem ? (char *)get->mem + at : NULL,
					 .to_file = !get->mem,
					 .to_fd = get->fd,
					 .to_offset = get->to_offset + at,
					 .to_max = len };
	}
	rc = web_run(s, q, n, get->when, err);
	for (size_t i = 0; i < n; i++) {
		bool whole = !offset && n == 1;
		bool piece = q[i].d->status == 206 || whole;
		if (rc == 0 && (q[i].d->got_bytes != q[i].to_max || !piece))
			rc = err_set(
				err, -EPROTO,
				"the object store '%s' gave another piece of '%s' than was asked for",
				s->url, key);
		web_req_free(&q[i]);
		str_free(&range[i]);
	}
	free(q);
	free(range);
	free(path);
	if (rc == 0)
		*ret_bytes = bytes;
	return rc;
}

/* ---- lists ------------------------------------------------------------------------------- */

int web_list_add(struct object_listing *l, struct sv key, struct sv size)
{
	int64_t n;
	const char *k = NULL;

	if (key.p)
		k = xml_text(l->a, key);
	if (!k || !size.p || sv_i64(size, &n) < 0)
		return -EBADMSG;
	if (n < 0 || strlen(k) < l->skip)
		return -EBADMSG;
	if (l->v.n >= KEYS_MAX)
		return -E2BIG;
	if (k[l->skip])
		*vec_push(&l->v) = (struct object_key){ k + l->skip, (uint64_t)n };
	return 0;
}

int web_list(struct object_store *s, struct object_listing *l, struct object_key **ret,
	     size_t *ret_n, struct err *err)
{
	char *next = NULL;
	int rc = 0, pages = 0;

	l->skip = strlen(s->prefix);
	do
		rc = l->page(s, l, &next, err);
	while (rc == 0 && next && ++pages < PAGES_MAX);
	if (rc == 0 && next)
		rc = err_set(err, -EPROTO, "the list of the object store '%s' does not end",
			     s->url);
	if (rc == 0 && l->v.n) {
		*ret = arena_alloc(l->a, l->v.n * sizeof **ret);
		memcpy(*ret, l->v.v, l->v.n * sizeof **ret);
	}
	*ret_n = l->v.n;
	vec_free(&l->v);
	return rc;
}
