/*
 * S3, what speaks it, and Google's storage by its XML interface (the same requests, other header
 * names).
 * Source: Amazon's API reference of S3 (PutObject, CreateMultipartUpload, UploadPart,
 * CompleteMultipartUpload, ListParts, ListObjectsV2).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "net/digest.h"
#include "net/http.h"
#include "net/sigv4.h"
#include "object/object_priv.h"
#include "net/xml.h"

#define LEAST_PART (5ULL << 20) /* S3 refuses smaller ones but for the last */

/* ---- opening ----------------------------------------------------------------------------- */

static const char *first_given(const char *a, const char *b, const char *c, const char *d)
{
	if (a && *a)
		return a;
	if (b)
		return b;
	return text_or(c, d);
}

static char *header_of(const char *name, const char *value)
{
	struct str h = { 0 };

	str_addf(&h, "%s: %s", name, value);
	return h.p;
}

static void set_base(struct object_store *s, const struct object_opt *opt)
{
	const char *end = opt->endpoint;
	struct str base = { 0 };

	if (s->google)
		end = filled_or(end, "https://storage.googleapis.com");
	else
		end = first_given(end, auth_env("AWS_ENDPOINT_URL_S3"),
				  auth_env("AWS_ENDPOINT_URL"), NULL);

	s->fixed_endpoint = end != NULL;
	/* a certificate for *.s3 has no dots in the star */
	s->path_style = opt->path_style || s->fixed_endpoint || strchr(s->bucket, '.');
	if (end)
		str_addf(&base, "%.*s/%s", (int)(strlen(end) - (end[strlen(end) - 1] == '/')), end,
			 s->bucket);
	else if (s->path_style)
		str_addf(&base, "https://s3.%s.%s/%s", s->region, aws_domain(s->region), s->bucket);
	else
		str_addf(&base, "https://%s.s3.%s.%s", s->bucket, s->region, aws_domain(s->region));
	s->base = base.p;

	/* Over TLS nobody changes a body on its way. */
	const char *env = auth_env("AWS_S3_PAYLOAD_SIGNING_ENABLED"), *told = opt->payload_signing;
	char *conf = told || env || s->google
			     ? NULL
			     : cred_config(opt->profile, "s3", "payload_signing_enabled");
	const char *word = told ? told : text_or(env, conf);
	bool yes = word && (!strcasecmp(word, "on") || !strcasecmp(word, "true"));
	bool no = word && (!strcasecmp(word, "off") || !strcasecmp(word, "false"));

	free(conf);
	s->unsigned_body = !(yes || (!no && strncmp(s->base, "https:", 6)));

	s->hash_body = !s->unsigned_body;
}

static int sign_request(struct object_store *s, struct web_req *q, int64_t now_ms,
			struct web_signed *ret, struct err *err);

static int s3_open(struct object_store *s, const char *rest, const struct object_opt *opt,
		   struct err *err)
{
	struct sv prefix, bucket = sv_cut(sv_of(rest), '/', &prefix);
	struct str p = { 0 };

	for (size_t i = 0; i < bucket.n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_",
			    bucket.p[i]))
			return err_set(err, -EINVAL, "'%s' has no name of a bucket", s->url);
	if (!within_size(bucket.n, 3, 222) || bucket.p[0] == '.' || bucket.p[0] == '-')
		return err_set(err, -EINVAL, "'%s' has no name of a bucket", s->url);
	s->bucket = xstrndup(bucket.p, bucket.n);
	while (sv_ends(prefix, SV("/")))
		prefix.n--;
	str_addf(&p, "%.*s%s", (int)prefix.n, text_or(prefix.p, ""), text_if(prefix.n, "/"));
	s->prefix = p.p;
	const char *region = first_given(opt->region, auth_env("AWS_REGION"),
					 auth_env("AWS_DEFAULT_REGION"), NULL);
	if (s->google)
		region = "auto";
	s->region = xstrsv(sv_of(region));
	if (!s->region)
		s->region = cred_config(opt->profile, NULL, "region");
	if (!s->region)
		s->region = xstrdup("us-east-1");
	set_base(s, opt);
	if (opt->sse)
		s->put_header[0] = header_of("x-amz-server-side-encryption", opt->sse);
	if (opt->sse_kms_key_id)
		s->put_header[1] = header_of("x-amz-server-side-encryption-aws-kms-key-id",
					     opt->sse_kms_key_id);
	if (opt->storage_class)
		s->put_header[2] = header_of(s->google ? "x-goog-storage-class"
						       : "x-amz-storage-class",
					     opt->storage_class);
	if (opt->request_payer)
		s->all_header = header_of("x-amz-request-payer", opt->request_payer);
	s->sign = sign_request;
	s->cred_opt = (struct cred_opt){ xstrsv(sv_of(opt->key_id)), xstrsv(sv_of(opt->secret)),
					 xstrsv(sv_of(opt->token)), xstrsv(sv_of(opt->profile)),
					 s->google ? CRED_GOOGLE : CRED_AWS };
	int rc = cred_find(&s->cred_opt, object_now_ms(NULL), &s->cred, err);
	s->hash_body = s->hash_body && !s->cred.bearer;
	if (rc < 0)
		return rc;
	return web_open(s, opt, err);
}

static int gs_open(struct object_store *s, const char *rest, const struct object_opt *opt,
		   struct err *err)
{
	s->google = true;
	return s3_open(s, rest, opt, err);
}

/* ---- signing ----------------------------------------------------------------------------- */

static int body_hash(struct object_store *s, struct web_req *q, char ret[DIGEST_HEX],
		     struct err *err)
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
	if (!q->has_body)
		rc = digest_hex(DIGEST_SHA256, "", q->fd, q->offset, 0, ret);
	else if (q->mem || q->bytes)
		rc = digest_hex(DIGEST_SHA256, q->mem, q->fd, q->offset, q->bytes, ret);
	else
		rc = digest_hex(DIGEST_SHA256, "", q->fd, q->offset, q->bytes, ret);
	if (rc == 0)
		strcpy(q->sha256, ret);
	if (rc < 0)
		return err_set(err, rc, "cannot read what is to be sent to '%s': %s", s->url,
			       strerror(-rc));
	return 0;
}

static int sign_request(struct object_store *s, struct web_req *q, int64_t now_ms,
			struct web_signed *ret, struct err *err)
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
	str_addf(&ret->url, "%s%s%s%s", s->base, q->path, text_if(q->query, "?"),
		 text_or(q->query, ""));
	for (size_t i = 0; i < nown; i++)
		str_addz(&ret->header[ret->nheader++], own[i]);
	if (s->cred.bearer) {
		str_addf(&ret->header[ret->nheader++], "Authorization: Bearer %s", s->cred.bearer);
		return 0;
	}
	if ((rc = body_hash(s, q, hash, err)) < 0)
		return rc;
	struct sigv4_req r = { .method = q->method,
			       .url = str_z(&ret->url),
			       .header = own,
			       .nheader = nown,
			       .body_sha256 = hash,
			       .google = s->google,
			       .service = s->google ? "storage" : "s3",
			       .region = s->region,
			       .now_ms = now_ms };
	rc = sigv4_sign(&key, &r, &sig, err);
	for (size_t i = 0; rc == 0 && i < sig.nheader; i++)
		str_addsv(&ret->header[ret->nheader++], str_sv(&sig.header[i]));
	sigv4_free(&sig);
	return rc;
}

void s3_put_headers(const struct object_store *s, struct web_req *q)
{
	for (size_t i = 0; i < sizeof s->put_header / sizeof *s->put_header; i++)
		if (s->put_header[i])
			q->header[q->nheader++] = s->put_header[i];
}

/* ---- one put ----------------------------------------------------------------------------- */

const char *s3_new_header(const struct object_store *s)
{
	if (s->google)
		return "x-goog-if-generation-match: 0";
	return "If-None-Match: *";
}

static int put_whole(struct object_store *s, const char *key, const struct object_put *put,
		     uint64_t *ret_sent, struct err *err)
{
	struct str mark = { 0 };
	struct web_req q = { .method = "PUT", .path = web_path(s->prefix, key) };
	int rc;

	web_body(&q, put->src, 0, put->src->bytes);
	s3_put_headers(s, &q);
	if (put->only_new && !s->no_condition)
		q.header[q.nheader++] = s3_new_header(s);
	str_addf(&mark, "%s: %s", S3_TAG_HEADER(s), text_or(put->tag, ""));
	if (put->tag)
		q.header[q.nheader++] = mark.p;
	rc = web_one(s, &q, put->when, err);
	*ret_sent += q.sent_bytes;
	if (rc == -EEXIST && web_is_ours(s, key, S3_TAG_HEADER(s), put->src->bytes, put->tag))
		/* libcurl tries again by itself where a kept connection ends: this may be the
		 * second answer */
		rc = 0;
	web_req_free(&q);
	str_free(&mark);
	return rc;
}

/* ---- does it know conditions? ------------------------------------------------------------ */

/* A second conditional put of one key must be refused. Asked once of stores that are neither
 * Amazon's nor Google's. */
static int probe_conditional(struct object_store *s, const struct object_when *when,
			     struct err *err)
{
	unsigned char r[8];
	char key[40];
	struct object_src src = { .mem = "probe", .bytes = 5 };
	struct object_put put = { .src = &src, .only_new = true, .when = when };
	uint64_t sent = 0;
	int rc = digest_random(r, sizeof r);

	snprintf(key, sizeof key, ".tare-probe-%02x%02x%02x%02x%02x%02x%02x", r[0], r[1], r[2],
		 r[3], r[4], r[5], r[6]);
	if (rc == 0)
		rc = put_whole(s, key, &put, &sent, err);
	if (rc == -EPROTO || rc == -ENOSYS) { /* 501 or 400 to the header: it says that it cannot */
		s->no_condition = true;
		rc = 0;
	} else if (rc == 0) {
		rc = put_whole(s, key, &put, &sent, err);
		s->no_condition = rc == 0;
		if (rc == -EEXIST)
			rc = 0;
	}
	s->ops->del(s, key, NULL);
	s->probed = rc == 0;
	return rc;
}

static int s3_put(struct object_store *s, const char *key, const struct object_put *put,
		  uint64_t *ret_sent, struct err *err)
{
	uint64_t size;
	int rc = 0;

	if (put->only_new && s->fixed_endpoint && !s->probed &&
	    (rc = probe_conditional(s, put->when, err)) < 0)
		return rc;
	if (put->only_new && s->no_condition) {
		/* the best that can be done there: looked at beforehand */
		rc = web_size(s, key, &size, err);
		if (rc == 0)
			return err_set(err, -EEXIST, "'%s' is in '%s' already", key, s->url);
		if (rc != -ENOENT)
			return rc;
	}
	/* Google takes its condition where an object is put as a whole */
	uint64_t whole;
	if (s->google && put->only_new)
		whole = 5ULL << 30;
	else if (s->part_bytes < LEAST_PART && !s->fixed_endpoint)
		whole = LEAST_PART;
	else
		whole = s->part_bytes;
	rc = (put->src->bytes <= whole ? put_whole : s3_put_parts)(s, key, put, ret_sent, err);
	if (rc == -EEXIST)
		err_set(err, rc, "'%s' is in '%s' already", key, s->url);
	return rc;
}

/* ---- list, delete ------------------------------------------------------------------------ */

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
	/* a list cut short would look like missing objects */
	if (rc == 0 && more && !*ret_next)
		return -EBADMSG;
	return rc;
}

static int list_page(struct object_store *s, struct object_listing *l, char **next, struct err *err)
{
	struct str query = { 0 }, full = { 0 };
	int rc;

	if (*next) {
		str_addz(&query, "continuation-token=");
		http_quote(&query, sv_of(*next));
		str_addc(&query, '&');
	}
	str_addf(&full, "%s%s", s->prefix, l->prefix);
	str_addz(&query, "list-type=2&prefix=");
	http_quote(&query, str_sv(&full));
	struct web_req q = { .method = "GET", .path = xstrdup(""), .query = query.p };
	rc = web_one(s, &q, NULL, err);
	if (rc == 0 && (rc = s3_list_parse(l, str_sv(&q.d->text), next)) < 0)
		err_set(err, rc, "the list that the object store '%s' gave cannot be read%s",
			s->url, text_if(rc == -E2BIG, ": it has more than 10 million keys"));
	web_req_free(&q);
	str_free(&full);
	return rc;
}

static int list_objects(struct object_store *s, const char *prefix, struct arena *a,
			struct object_key **ret, size_t *ret_n, struct err *err)
{
	struct object_listing l = { .a = a, .prefix = prefix, .page = list_page };

	return web_list(s, &l, ret, ret_n, err);
}

const struct object_ops object_s3_ops = { "s3://",  s3_open,      s3_put,  web_get,
					  web_size, list_objects, web_del, web_close };
const struct object_ops object_gs_ops = { "gs://",  gs_open,      s3_put,  web_get,
					  web_size, list_objects, web_del, web_close };
