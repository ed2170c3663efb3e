/*
 * S3, what speaks it, and Google's storage by its XML interface (the same requests, other header names).
 * Source: Amazon's API reference of S3 (PutObject, CreateMultipartUpload, UploadPart, CompleteMultipartUpload, ListParts, ListObjectsV2).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include "base/mem.h"
#include "net/digest.h"
#include "net/http.h"
#include "net/sigv4.h"
#include "spot/object_priv.h"
#include "spot/object_xml.h"

#define PARTS_MAX 10000u
#define LEAST_PART (5ULL << 20) /* S3 refuses smaller ones but for the last */
#define TAG_HEADER(s) ((s)->google ? "x-goog-meta-tare-tag" : "x-amz-meta-tare-tag")

/* ---- opening ---------------------------------------------------------------------------------------------------------------------- */

static bool bucket_ok(struct sv b)
{
	for (size_t i = 0; i < b.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_", b.p[i]))
			return false;
	return b.n >= 3 && b.n <= 222 && b.p[0] != '.' && b.p[0] != '-';
}

static const char *first(const char *a, const char *b, const char *c, const char *d)
{
	return a && *a ? a : b ? b : c ? c : d;
}

static char *region_of(const struct object_opt *opt)
{
	const char *told = first(opt->region, object_env("AWS_REGION"), object_env("AWS_DEFAULT_REGION"), NULL);
	char *conf = told ? NULL : cred_config(opt->profile, NULL, "region");

	return told ? xstrdup(told) : conf ? conf : xstrdup("us-east-1");
}

/* Over TLS nobody changes a body on its way. */
static bool signs_bodies(const struct object_store *s, const struct object_opt *opt)
{
	const char *env = object_env("AWS_S3_PAYLOAD_SIGNING_ENABLED"), *told = opt->payload_signing;
	char *conf = told || env || s->google ? NULL : cred_config(opt->profile, "s3", "payload_signing_enabled");
	const char *word = told ? told : env ? env : conf;
	bool yes = word && (!strcasecmp(word, "on") || !strcasecmp(word, "true")), no = word && (!strcasecmp(word, "off") || !strcasecmp(word, "false"));

	free(conf);
	return yes || (!no && strncmp(s->base, "https:", 6));
}

static char *header_of(const char *name, const char *value)
{
	struct str h = { 0 };

	str_addf(&h, "%s: %s", name, value);
	return h.p;
}

static void set_headers(struct object_store *s, const struct object_opt *opt)
{
	if (opt->sse)
		s->put_header[0] = header_of("x-amz-server-side-encryption", opt->sse);
	if (opt->sse_kms_key_id)
		s->put_header[1] = header_of("x-amz-server-side-encryption-aws-kms-key-id", opt->sse_kms_key_id);
	if (opt->storage_class)
		s->put_header[2] = header_of(s->google ? "x-goog-storage-class" : "x-amz-storage-class", opt->storage_class);
	if (opt->request_payer)
		s->all_header = header_of("x-amz-request-payer", opt->request_payer);
}

static void set_base(struct object_store *s, const struct object_opt *opt)
{
	const char *end = first(opt->endpoint, s->google ? NULL : object_env("AWS_ENDPOINT_URL_S3"), s->google ? NULL : object_env("AWS_ENDPOINT_URL"),
				s->google ? "https://storage.googleapis.com" : NULL);
	struct str base = { 0 };

	s->fixed_endpoint = end != NULL;
	s->path_style = opt->path_style || s->fixed_endpoint || strchr(s->bucket, '.'); /* a certificate for *.s3 has no dots in the star */
	if (end)
		str_addf(&base, "%.*s/%s", (int)(strlen(end) - (end[strlen(end) - 1] == '/')), end, s->bucket);
	else if (s->path_style)
		str_addf(&base, "https://s3.%s.%s/%s", s->region, aws_domain(s->region), s->bucket);
	else
		str_addf(&base, "https://%s.s3.%s.%s", s->bucket, s->region, aws_domain(s->region));
	s->base = base.p;
	s->unsigned_body = !signs_bodies(s, opt);
	s->hash_body = !s->unsigned_body;
}

static char *dup_or_null(const char *z)
{
	return z ? xstrdup(z) : NULL;
}

static int sign(struct object_store *s, struct web_req *q, int64_t now_ms, struct str *url, struct str *header, size_t *ret_n, struct err *err);

static int s3_open(struct object_store *s, const char *rest, const struct object_opt *opt, struct err *err)
{
	struct sv prefix, bucket = sv_cut(sv_of(rest), '/', &prefix);
	struct str p = { 0 };

	if (!bucket_ok(bucket))
		return err_set(err, -EINVAL, "'%s' has no name of a bucket", s->url);
	s->bucket = xstrndup(bucket.p, bucket.n);
	while (sv_ends(prefix, SV("/")))
		prefix.n--;
	str_addf(&p, "%.*s%s", (int)prefix.n, prefix.n ? prefix.p : "", prefix.n ? "/" : "");
	s->prefix = p.p ? p.p : xstrdup("");
	s->region = s->google ? xstrdup("auto") : region_of(opt);
	set_base(s, opt);
	set_headers(s, opt);
	s->sign = sign;
	s->cred_opt = (struct cred_opt){ dup_or_null(opt->key_id), dup_or_null(opt->secret), dup_or_null(opt->token), dup_or_null(opt->profile),
					 s->google ? CRED_GOOGLE : CRED_AWS };
	int rc = cred_find(&s->cred_opt, web_now_ms(NULL), &s->cred, err);
	return rc < 0 ? rc : web_open(s, opt, err);
}

static int gs_open(struct object_store *s, const char *rest, const struct object_opt *opt, struct err *err)
{
	s->google = true;
	return s3_open(s, rest, opt, err);
}

/* ---- signing ---------------------------------------------------------------------------------------------------------------------- */

static int body_hash(struct object_store *s, struct web_req *q, char ret[DIGEST_HEX], struct err *err)
{
	int rc;

	if (q->has_body && q->bytes > 65536 && s->unsigned_body) {
		strcpy(ret, "UNSIGNED-PAYLOAD");
		return 0;
	}
	if (q->sha256[0]) {
		strcpy(ret, q->sha256);
		return 0;
	}
	rc = digest_hex(DIGEST_SHA256, q->has_body && q->mem ? q->mem : q->has_body && q->bytes ? NULL : "", q->fd, q->offset, q->has_body ? q->bytes : 0, ret);
	if (rc == 0)
		strcpy(q->sha256, ret);
	return rc < 0 ? err_set(err, rc, "cannot read what is to be sent to '%s': %s", s->url, strerror(-rc)) : 0;
}

static int sign(struct object_store *s, struct web_req *q, int64_t now_ms, struct str *url, struct str *header, size_t *ret_n, struct err *err)
{
	const char *own[sizeof q->header / sizeof *q->header + 1];
	char hash[DIGEST_HEX];
	struct sigv4 sig = { 0 };
	size_t nown = q->nheader;
	int rc;

	web_renew(s, now_ms);
	struct sigv4_key key = { s->cred.id, s->cred.secret, s->cred.token };
	for (size_t i = 0; i < q->nheader; i++)
		own[i] = q->header[i];
	if (s->all_header)
		own[nown++] = s->all_header;
	str_addf(url, "%s%s%s%s", s->base, q->path, q->query ? "?" : "", q->query ? q->query : "");
	for (size_t i = 0; i < nown; i++)
		str_addz(&header[(*ret_n)++], own[i]);
	if (s->cred.bearer) {
		str_addf(&header[(*ret_n)++], "Authorization: Bearer %s", s->cred.bearer);
		return 0;
	}
	if ((rc = body_hash(s, q, hash, err)) < 0)
		return rc;
	struct sigv4_req r = { .method = q->method, .url = str_z(url), .header = own, .nheader = nown, .body_sha256 = hash, .google = s->google,
			       .service = s->google ? "storage" : "s3", .region = s->region, .now_ms = now_ms };
	rc = sigv4_sign(&key, &r, &sig, err);
	for (size_t i = 0; rc == 0 && i < sig.nheader; i++)
		str_addsv(&header[(*ret_n)++], str_sv(&sig.header[i]));
	sigv4_free(&sig);
	return rc;
}

static void add_put_headers(const struct object_store *s, struct web_req *q)
{
	for (size_t i = 0; i < sizeof s->put_header / sizeof *s->put_header; i++)
		if (s->put_header[i])
			q->header[q->nheader++] = s->put_header[i];
}

/* ---- one put ---------------------------------------------------------------------------------------------------------------------- */

static const char *new_header(const struct object_store *s)
{
	return s->google ? "x-goog-if-generation-match: 0" : "If-None-Match: *";
}

static int put_whole(struct object_store *s, const char *key, const struct object_src *src, const char *tag, bool only_new, const struct object_when *when,
		     uint64_t *ret_sent, struct err *err)
{
	struct str mark = { 0 };
	struct web_req q = { .method = "PUT", .path = web_path(s->prefix, key) };
	int rc;

	web_body(&q, src, 0, src->bytes);
	add_put_headers(s, &q);
	if (only_new && !s->no_condition)
		q.header[q.nheader++] = new_header(s);
	str_addf(&mark, "%s: %s", TAG_HEADER(s), tag ? tag : "");
	if (tag)
		q.header[q.nheader++] = mark.p;
	rc = web_one(s, &q, when, err);
	*ret_sent += q.sent_bytes;
	if (rc == -EEXIST && web_is_ours(s, key, TAG_HEADER(s), src->bytes, tag))
		rc = 0; /* libcurl tries again by itself where a kept connection ends: this may be the second answer */
	web_req_free(&q);
	str_free(&mark);
	return rc;
}

/* ---- several parts ----------------------------------------------------------------------------------------------------------------- */

struct upload {
	struct object_store *s;
	const char *key, *tag;
	const struct object_src *src;
	const struct object_when *when;
	uint64_t part_bytes;
	size_t nparts;
	struct arena mem;
	char *id, *path;     /* of the upload; of the key */
	const char **etag;   /* [nparts] NULL: not there yet */
	bool *theirs;	     /* [nparts] listed by the server, to be compared */
};

static char *upload_query(const struct upload *u, const char *before)
{
	struct str s = { 0 };

	str_addf(&s, "%suploadId=", before);
	http_quote(&s, sv_of(u->id));
	return s.p;
}

static uint64_t part_len(const struct upload *u, size_t i)
{
	uint64_t at = (uint64_t)i * u->part_bytes;

	return u->src->bytes - at < u->part_bytes ? u->src->bytes - at : u->part_bytes;
}

/* The first upload of exactly this key that was begun and not ended. */
static int find_upload(struct upload *u, struct err *err)
{
	struct str query = { 0 };
	struct str full = { 0 };
	struct sv name, text, key = SV_NULL, id = SV_NULL;
	int e;

	str_addf(&full, "%s%s", u->s->prefix, u->key);
	str_addz(&query, "prefix=");
	http_quote(&query, str_sv(&full));
	str_addz(&query, "&uploads=");
	struct web_req q = { .method = "GET", .path = xstrdup(""), .query = query.p };
	int rc = web_one(u->s, &q, u->when, err);
	struct xml_scan x = { .text = rc == 0 ? str_sv(&q.d->text) : SV_NULL };
	while (x.text.p && !u->id && (e = xml_next(&x, &name, &text)) > 0) {
		if (e == XML_END && sv_is(name, "Key"))
			key = text;
		if (e == XML_END && sv_is(name, "UploadId"))
			id = text;
		if (e == XML_END && sv_is(name, "Upload") && key.p && id.p) {
			const char *k = xml_text(&u->mem, key);
			if (k && !strcmp(k, str_z(&full)))
				u->id = xml_text(&u->mem, id);
		}
	}
	web_req_free(&q);
	str_free(&full);
	return rc;
}

static void part_listed(struct upload *u, const struct s3_part *p)
{
	if (p->number < 1 || (uint64_t)p->number > u->nparts || p->size < 0)
		return;
	size_t i = (size_t)p->number - 1;
	if ((uint64_t)p->size == part_len(u, i)) {
		u->etag[i] = p->etag;
		u->theirs[i] = true;
	}
}

static int part_end(struct s3_parts *l, const struct s3_part *p, struct sv etag)
{
	const char *e = etag.p ? xml_text(l->a, etag) : NULL;

	if (!e || l->v.n >= PARTS_MAX)
		return -EBADMSG;
	*vec_push(&l->v) = (struct s3_part){ p->number, p->size, e };
	return 0;
}

int s3_parts_parse(struct s3_parts *l, struct sv doc, char **ret_next)
{
	struct xml_scan x = { .text = doc };
	struct sv name, text, next = SV_NULL, etag = SV_NULL;
	struct s3_part p = { 0 };
	bool more = false;
	int e, rc = 0;

	while (rc == 0 && (e = xml_next(&x, &name, &text)) != XML_DONE) {
		if (e < 0)
			return e;
		if (e == XML_START && sv_is(name, "Part"))
			p = (struct s3_part){ 0 }, etag = SV_NULL;
		else if (e == XML_END && sv_is(name, "PartNumber"))
			rc = sv_i64(text, &p.number);
		else if (e == XML_END && sv_is(name, "Size"))
			rc = sv_i64(text, &p.size);
		else if (e == XML_END && sv_is(name, "ETag"))
			etag = text;
		else if (e == XML_END && sv_is(name, "NextPartNumberMarker"))
			next = text;
		else if (e == XML_END && sv_is(name, "IsTruncated"))
			more = sv_is(text, "true");
		else if (e == XML_END && sv_is(name, "Part"))
			rc = part_end(l, &p, etag);
	}
	*ret_next = rc == 0 && more && next.p ? xml_text(l->a, next) : NULL;
	return rc < 0 ? -EBADMSG : 0;
}

static int parts_page(struct upload *u, const char *after, char **ret_next, struct err *err)
{
	struct s3_parts l = { .a = &u->mem };
	struct str before = { 0 };

	str_addf(&before, "max-parts=1000&part-number-marker=%s&", after);
	struct web_req q = { .method = "GET", .path = xstrdup(u->path), .query = upload_query(u, str_z(&before)) };
	int rc = web_one(u->s, &q, u->when, err);
	*ret_next = NULL;
	if (rc == 0 && s3_parts_parse(&l, str_sv(&q.d->text), ret_next) < 0)
		rc = err_set(err, -EPROTO, "the list of parts that the object store '%s' gave cannot be read", u->s->url);
	for (size_t i = 0; rc == 0 && i < l.v.n; i++)
		part_listed(u, &l.v.v[i]);
	vec_free(&l.v);
	web_req_free(&q);
	str_free(&before);
	return rc;
}

/*
 * What the server has of an upload that was cut. A part is taken as arrived only where its ETag is the MD5 of our bytes: names and sizes could be those
 * of another content. Stores that encrypt with keys of their own have other ETags; there all is sent again.
 */
static int resume(struct upload *u, struct err *err)
{
	char *after = arena_strn(&u->mem, "0", 1);
	char md5[DIGEST_HEX];
	int rc = 0;

	for (int i = 0; rc == 0 && after && i < 20; i++)
		rc = parts_page(u, after, &after, err);
	for (size_t i = 0; rc == 0 && i < u->nparts; i++) {
		uint64_t at = (uint64_t)i * u->part_bytes;
		if (!u->theirs[i])
			continue;
		rc = digest_hex(DIGEST_MD5, u->src->mem ? (const char *)u->src->mem + at : NULL, u->src->fd, u->src->offset + at, part_len(u, i), md5);
		if (rc == 0 && !strstr(u->etag[i], md5))
			u->etag[i] = NULL;
	}
	return rc;
}

static int begin(struct upload *u, bool only_new, struct err *err)
{
	struct str mark = { 0 };
	struct web_req q = { .method = "POST", .path = xstrdup(u->path), .query = xstrdup("uploads="), .has_body = true, .mem = "" };
	int rc;

	(void)only_new; /* the condition is put when the parts become an object */
	str_addf(&mark, "%s: %s", TAG_HEADER(u->s), u->tag ? u->tag : "");
	if (u->tag)
		q.header[q.nheader++] = mark.p;
	add_put_headers(u->s, &q);
	rc = web_one(u->s, &q, u->when, err);
	if (rc == 0) {
		struct sv id = xml_find(str_sv(&q.d->text), "UploadId");
		u->id = id.p && id.n ? xml_text(&u->mem, id) : NULL;
		if (!u->id)
			rc = err_set(err, -EPROTO, "the object store '%s' began an upload without a name for it", u->s->url);
	}
	web_req_free(&q);
	str_free(&mark);
	return rc;
}

static int send_parts(struct upload *u, uint64_t *ret_sent, struct err *err)
{
	struct web_req *q = xcalloc(u->nparts, sizeof *q);
	size_t *number = xcalloc(u->nparts, sizeof *number), n = 0;
	char before[40];
	int rc;

	for (size_t i = 0; i < u->nparts; i++) {
		if (u->etag[i])
			continue;
		snprintf(before, sizeof before, "partNumber=%zu&", i + 1);
		q[n] = (struct web_req){ .method = "PUT", .path = xstrdup(u->path), .query = upload_query(u, before) };
		web_body(&q[n], u->src, (uint64_t)i * u->part_bytes, part_len(u, i));
		number[n++] = i;
	}
	for (size_t i = 0; i < u->nparts; i++)
		u->s->arrived += u->etag[i] ? part_len(u, i) : 0;
	rc = web_run(u->s, q, n, u->when, err);
	for (size_t k = 0; k < n; k++) {
		struct sv etag = q[k].d && q[k].over && q[k].rc == 0 ? xfer_header(q[k].d, "etag") : SV_NULL;
		*ret_sent += q[k].sent_bytes;
		if (etag.p && etag.n)
			u->etag[number[k]] = arena_sv(&u->mem, etag);
		else if (rc == 0)
			rc = err_set(err, -EPROTO, "the object store '%s' took a part without giving its ETag", u->s->url);
		web_req_free(&q[k]);
	}
	free(q);
	free(number);
	return rc;
}

/* etags from a listing are XML already, from a header they are not */
static void add_etag(struct str *body, const char *etag)
{
	struct sv e = sv_of(etag);

	while (e.n && e.p[0] == '"')
		e.p++, e.n--;
	while (e.n && e.p[e.n - 1] == '"')
		e.n--;
	str_addz(body, "&quot;");
	xml_add(body, e);
	str_addz(body, "&quot;");
}

static int complete(struct upload *u, bool only_new, struct err *err)
{
	struct str body = { 0 };
	int rc;

	str_addz(&body, "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
	for (size_t i = 0; i < u->nparts; i++) {
		str_addf(&body, "<Part><PartNumber>%zu</PartNumber><ETag>", i + 1);
		add_etag(&body, u->etag[i]);
		str_addz(&body, "</ETag></Part>");
	}
	str_addz(&body, "</CompleteMultipartUpload>");
	struct web_req q = { .method = "POST", .path = xstrdup(u->path), .query = upload_query(u, ""), .has_body = true, .mem = body.p, .bytes = body.n };
	q.header[q.nheader++] = "Content-Type: application/xml";
	if (only_new && !u->s->no_condition)
		q.header[q.nheader++] = new_header(u->s);
	rc = web_one(u->s, &q, u->when, err);
	if ((rc == -ENOENT || rc == -EEXIST) && web_is_ours(u->s, u->key, TAG_HEADER(u->s), u->src->bytes, u->tag))
		rc = 0; /* it had worked, only the answer was lost */
	web_req_free(&q);
	str_free(&body);
	return rc;
}

static void abort_upload(struct upload *u)
{
	struct web_req q = { .method = "DELETE", .path = xstrdup(u->path), .query = upload_query(u, "") };

	web_one(u->s, &q, NULL, NULL);
	web_req_free(&q);
}

/* Given up meanwhile, a store without these lists, or no right to them: then all is sent. */
static bool cannot_look(int rc)
{
	return rc == -ENOENT || rc == -ENOSYS || rc == -EACCES || rc == -EPROTO;
}

static int put_parts(struct object_store *s, const char *key, const struct object_src *src, const char *tag, bool only_new, const struct object_when *when,
		     uint64_t *ret_sent, struct err *err)
{
	struct upload u = { .s = s, .key = key, .tag = tag, .src = src, .when = when, .part_bytes = web_part_bytes(s, src->bytes, PARTS_MAX) };
	int rc = 0;

	u.nparts = (size_t)((src->bytes + u.part_bytes - 1) / u.part_bytes);
	u.path = web_path(s->prefix, key);
	u.etag = xcalloc(u.nparts, sizeof *u.etag);
	u.theirs = xcalloc(u.nparts, sizeof *u.theirs);
	if (tag && (rc = find_upload(&u, err)) == 0 && u.id)
		rc = resume(&u, err);
	if (cannot_look(rc)) {
		memset(u.etag, 0, u.nparts * sizeof *u.etag);
		u.id = NULL;
		rc = 0;
	}
	if (rc == 0 && !u.id)
		rc = begin(&u, only_new, err);
	if (rc == 0)
		rc = send_parts(&u, ret_sent, err);
	if (rc == 0)
		rc = complete(&u, only_new, err);
	if (rc < 0 && u.id && (!tag || rc == -EEXIST || rc == -EBADMSG))
		abort_upload(&u);
	arena_free(&u.mem);
	free(u.etag);
	free(u.theirs);
	free(u.path);
	return rc;
}

/* ---- does it know conditions? ------------------------------------------------------------------------------------------------------ */

/* A second conditional put of one key must be refused. Asked once of stores that are neither Amazon's nor Google's. */
static int probe(struct object_store *s, const struct object_when *when, struct err *err)
{
	unsigned char r[8];
	char key[40];
	struct object_src src = { .mem = "probe", .bytes = 5 };
	uint64_t sent = 0;
	int rc = digest_random(r, sizeof r);

	snprintf(key, sizeof key, ".tare-probe-%02x%02x%02x%02x%02x%02x%02x", r[0], r[1], r[2], r[3], r[4], r[5], r[6]);
	if (rc == 0)
		rc = put_whole(s, key, &src, NULL, true, when, &sent, err);
	if (rc == -EPROTO || rc == -ENOSYS) { /* 501 or 400 to the header: it says that it cannot */
		s->no_condition = true;
		rc = 0;
	} else if (rc == 0) {
		rc = put_whole(s, key, &src, NULL, true, when, &sent, err);
		s->no_condition = rc == 0;
		rc = rc == -EEXIST ? 0 : rc;
	}
	s->ops->del(s, key, NULL);
	s->probed = rc == 0;
	return rc;
}

static int put(struct object_store *s, const char *key, const struct object_src *src, const char *tag, bool only_new, const struct object_when *when,
	       uint64_t *ret_sent, struct err *err)
{
	uint64_t size;
	int rc = 0;

	if (only_new && s->fixed_endpoint && !s->probed && (rc = probe(s, when, err)) < 0)
		return rc;
	if (only_new && s->no_condition) { /* the best that can be done there: looked at beforehand */
		rc = web_size(s, key, &size, err);
		if (rc == 0)
			return err_set(err, -EEXIST, "'%s' is in '%s' already", key, s->url);
		if (rc != -ENOENT)
			return rc;
	}
	/* Google takes its condition where an object is put as a whole */
	uint64_t whole = s->google && only_new ? 5ULL << 30 : s->part_bytes < LEAST_PART && !s->fixed_endpoint ? LEAST_PART : s->part_bytes;
	rc = (src->bytes <= whole ? put_whole : put_parts)(s, key, src, tag, only_new, when, ret_sent, err);
	if (rc == -EEXIST)
		err_set(err, rc, "'%s' is in '%s' already", key, s->url);
	return rc;
}

/* ---- list, delete ------------------------------------------------------------------------------------------------------------------ */

/* One answer of ListObjectsV2. *ret_next: the token of the next page, NULL at the end. */
int s3_list_parse(struct object_listing *l, struct sv doc, char **ret_next)
{
	struct xml_scan x = { .text = doc };
	struct sv name, text, key = SV_NULL, size = SV_NULL, next = SV_NULL;
	bool more = false;
	int e, rc = 0;

	while (rc == 0 && (e = xml_next(&x, &name, &text)) != XML_DONE) {
		if (e < 0)
			return e;
		if (e == XML_START && sv_is(name, "Contents"))
			key = size = SV_NULL;
		else if (e == XML_END && sv_is(name, "Key"))
			key = text;
		else if (e == XML_END && sv_is(name, "Size"))
			size = text;
		else if (e == XML_END && sv_is(name, "IsTruncated"))
			more = sv_is(text, "true");
		else if (e == XML_END && sv_is(name, "NextContinuationToken"))
			next = text;
		else if (e == XML_END && sv_is(name, "Contents"))
			rc = web_list_add(l, key, size);
	}
	*ret_next = rc == 0 && more && next.p ? xml_text(l->a, next) : NULL;
	return rc == 0 && more && !*ret_next ? -EBADMSG : rc; /* a list cut short would look like missing objects */
}

static int list_page(struct object_store *s, const char *prefix, struct object_listing *l, char **next, struct err *err)
{
	struct str query = { 0 }, full = { 0 };
	int rc;

	if (*next) {
		str_addz(&query, "continuation-token=");
		http_quote(&query, sv_of(*next));
		str_addc(&query, '&');
	}
	str_addf(&full, "%s%s", s->prefix, prefix);
	str_addz(&query, "list-type=2&prefix=");
	http_quote(&query, str_sv(&full));
	struct web_req q = { .method = "GET", .path = xstrdup(""), .query = query.p };
	rc = web_one(s, &q, NULL, err);
	if (rc == 0 && (rc = s3_list_parse(l, str_sv(&q.d->text), next)) < 0)
		err_set(err, rc, "the list that the object store '%s' gave cannot be read%s", s->url, rc == -E2BIG ? ": it has more than 10 million keys" : "");
	web_req_free(&q);
	str_free(&full);
	return rc;
}

static int list(struct object_store *s, const char *prefix, struct arena *a, struct object_key **ret, size_t *ret_n, struct err *err)
{
	return web_list(s, prefix, a, list_page, ret, ret_n, err);
}

const struct object_ops object_s3_ops = { "s3://", s3_open, put, web_get, web_size, list, web_del, web_close };
const struct object_ops object_gs_ops = { "gs://", gs_open, put, web_get, web_size, list, web_del, web_close };
