/* An upload of several parts to S3 and what speaks it, and going on with one that was cut. Sources:
 * see object_s3.c. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "net/http.h"
#include "object/object_prep.h"
#include "object/object_priv.h"
#include "net/xml.h"

#define PARTS_MAX 10000u

struct upload {
	struct object_store *s;
	const char *key;
	const struct object_put *put;
	uint64_t part_bytes;
	size_t nparts;
	struct arena mem;
	char *id, *path;   /* of the upload; of the key */
	const char **etag; /* [nparts] NULL: not there yet */
	bool *theirs;      /* [nparts] listed by the server, to be compared */
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

	return min_u64(u->put->src->bytes - at, u->part_bytes);
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
	int rc = web_one(u->s, &q, u->put->when, err);
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

static int part_end(struct s3_parts *l, const struct s3_part *p, struct sv etag)
{
	const char *e = NULL;

	if (etag.p)
		e = xml_text(l->a, etag);
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
		if (e == XML_START && sv_is(name, "Part")) {
			p = (struct s3_part){ 0 };
			etag = SV_NULL;
		} else if (e == XML_END && sv_is(name, "PartNumber"))
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
	if (rc < 0)
		return -EBADMSG;
	return 0;
}

static int parts_page(struct upload *u, const char *after, char **ret_next, struct err *err)
{
	struct s3_parts l = { .a = &u->mem };
	struct str before = { 0 };

	str_addf(&before, "max-parts=1000&part-number-marker=%s&", after);
	struct web_req q = { .method = "GET",
			     .path = xstrdup(u->path),
			     .query = upload_query(u, str_z(&before)) };
	int rc = web_one(u->s, &q, u->put->when, err);
	*ret_next = NULL;
	if (rc == 0 && s3_parts_parse(&l, str_sv(&q.d->text), ret_next) < 0)
		rc = err_set(err, -EPROTO,
			     "the list of parts that the object store '%s' gave cannot be read",
			     u->s->url);
	for (size_t i = 0; rc == 0 && i < l.v.n; i++) {
		const struct s3_part *p = &l.v.v[i];
		if (p->number < 1 || (uint64_t)p->number > u->nparts || p->size < 0)
			continue;
		size_t k = (size_t)p->number - 1;
		if ((uint64_t)p->size == part_len(u, k)) {
			u->etag[k] = p->etag;
			u->theirs[k] = true;
		}
	}
	vec_free(&l.v);
	web_req_free(&q);
	str_free(&before);
	return rc;
}

/* MD5 goes at less than 1 GB/s a core, and a notice may be running: in threads. */
static int compare_parts(struct upload *u, struct err *err)
{
	struct object_src bytes = { .mem = u->put->src->mem,
				    .fd = u->put->src->fd,
				    .offset = u->put->src->offset,
				    .bytes = u->put->src->bytes };
	struct prep_part *v = xcalloc(u->nparts, sizeof *v);
	size_t *number = xcalloc(u->nparts, sizeof *number), n = 0;
	int rc = 0;

	for (size_t i = 0; i < u->nparts; i++)
		if (u->theirs[i]) {
			v[n] = (struct prep_part){ .offset = (uint64_t)i * u->part_bytes,
						   .bytes = part_len(u, i) };
			number[n++] = i;
		}
	struct prep *p = NULL;
	if (n > 1)
		p = prep_start(&bytes, PREP_MD5, v, n, NULL);
	for (size_t k = 0; rc == 0 && k < n; k++) {
		while (p && (rc = prep_ready(p, k, 1000, err)) == 0)
			;
		if (!p)
			rc = prep_now(&bytes, PREP_MD5, &v[k], err);
		else if (rc > 0)
			rc = 0;
		if (rc == 0 && !strstr(u->etag[number[k]], v[k].hex))
			u->etag[number[k]] = NULL;
	}
	prep_end(p);
	free(v);
	free(number);
	return rc;
}

/* The condition is put when the parts become an object. */
static int begin_upload(struct upload *u, struct err *err)
{
	struct str mark = { 0 };
	struct web_req q = { .method = "POST",
			     .path = xstrdup(u->path),
			     .query = xstrdup("uploads="),
			     .has_body = true,
			     .mem = "" };
	int rc;

	str_addf(&mark, "%s: %s", S3_TAG_HEADER(u->s), text_or(u->put->tag, ""));
	if (u->put->tag)
		q.header[q.nheader++] = mark.p;
	s3_put_headers(u->s, &q);
	rc = web_one(u->s, &q, u->put->when, err);
	if (rc == 0) {
		struct sv id = xml_find(str_sv(&q.d->text), "UploadId");
		u->id = id.p && id.n ? xml_text(&u->mem, id) : NULL;
		if (!u->id)
			rc = err_set(err, -EPROTO,
				     "the object store '%s' began an upload without a name for it",
				     u->s->url);
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
		q[n] = (struct web_req){ .method = "PUT",
					 .path = xstrdup(u->path),
					 .query = upload_query(u, before) };
		web_body(&q[n], u->put->src, (uint64_t)i * u->part_bytes, part_len(u, i));
		number[n++] = i;
	}
	for (size_t i = 0; i < u->nparts; i++)
		if (u->etag[i])
			u->s->arrived += part_len(u, i);
	rc = web_run(u->s, q, n, u->put->when, err);
	for (size_t k = 0; k < n; k++) {
		struct sv etag = q[k].d && q[k].over && q[k].rc == 0 ? xfer_header(q[k].d, "etag")
								     : SV_NULL;
		*ret_sent += q[k].sent_bytes;
		if (etag.p && etag.n)
			u->etag[number[k]] = arena_sv(&u->mem, etag);
		else if (rc == 0)
			rc = err_set(err, -EPROTO,
				     "the object store '%s' took a part without giving its ETag",
				     u->s->url);
		web_req_free(&q[k]);
	}
	free(q);
	free(number);
	return rc;
}

static int complete_upload(struct upload *u, struct err *err)
{
	struct str body = { 0 };
	int rc;

	str_addz(&body,
		 "<CompleteMultipartUpload xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
	for (size_t i = 0; i < u->nparts; i++) {
		str_addf(&body, "<Part><PartNumber>%zu</PartNumber><ETag>", i + 1);

		/* etags from a listing are XML already, from a header they are not */
		struct sv e = sv_of(u->etag[i]);

		while (e.n && e.p[0] == '"') {
			e.p++;
			e.n--;
		}
		while (e.n && e.p[e.n - 1] == '"')
			e.n--;
		str_addz(&body, "&quot;");
		xml_add(&body, e);
		str_addz(&body, "&quot;");

		str_addz(&body, "</ETag></Part>");
	}
	str_addz(&body, "</CompleteMultipartUpload>");
	struct web_req q = { .method = "POST",
			     .path = xstrdup(u->path),
			     .query = upload_query(u, ""),
			     .has_body = true,
			     .mem = body.p,
			     .bytes = body.n };
	q.header[q.nheader++] = "Content-Type: application/xml";
	if (u->put->only_new && !u->s->no_condition)
		q.header[q.nheader++] = s3_new_header(u->s);
	rc = web_one(u->s, &q, u->put->when, err);
	if ((rc == -ENOENT || rc == -EEXIST) &&
	    web_is_ours(u->s, u->key, S3_TAG_HEADER(u->s), u->put->src->bytes, u->put->tag))
		rc = 0; /* it had worked, only the answer was lost */
	web_req_free(&q);
	str_free(&body);
	return rc;
}

int s3_put_parts(struct object_store *s, const char *key, const struct object_put *put,
		 uint64_t *ret_sent, struct err *err)
{
	struct upload u = { .s = s,
			    .key = key,
			    .put = put,
			    .part_bytes = web_part_bytes(s, put->src->bytes, PARTS_MAX) };
	int rc = 0;

	u.nparts = (size_t)((put->src->bytes + u.part_bytes - 1) / u.part_bytes);
	u.path = web_path(s->prefix, key);
	u.etag = xcalloc(u.nparts, sizeof *u.etag);
	u.theirs = xcalloc(u.nparts, sizeof *u.theirs);
	if (put->tag)
		rc = find_upload(&u, err);
	if (u.id) {
		/*
		 * What the server has of an upload that was cut. A part is taken as arrived only
		 * where its ETag is the MD5 of our bytes: names and sizes could be those of another
		 * content. Stores that encrypt with keys of their own have other ETags; there all
		 * is sent again.
		 */
		char *after = arena_strn(&u.mem, "0", 1);
		for (int i = 0; rc == 0 && after && i < 20; i++)
			rc = parts_page(&u, after, &after, err);
		if (rc == 0)
			rc = compare_parts(&u, err);
	}
	/* given up meanwhile, a store without these lists, or no right to them: all is sent */
	bool gone = rc == -ENOENT || rc == -ENOSYS, refused = rc == -EACCES || rc == -EPROTO;
	if (gone || refused) {
		memset(u.etag, 0, u.nparts * sizeof *u.etag);
		u.id = NULL;
		rc = 0;
	}
	if (rc == 0 && !u.id)
		rc = begin_upload(&u, err);
	if (rc == 0)
		rc = send_parts(&u, ret_sent, err);
	if (rc == 0)
		rc = complete_upload(&u, err);
	if (rc < 0 && u.id && (!put->tag || rc == -EEXIST || rc == -EBADMSG)) {
		struct web_req q = { .method = "DELETE",
				     .path = xstrdup(u.path),
				     .query = upload_query(&u, "") };

		web_one(u.s, &q, NULL, NULL);
		web_req_free(&q);
	}
	arena_free(&u.mem);
	free(u.etag);
	free(u.theirs);
	free(u.path);
	return rc;
}
