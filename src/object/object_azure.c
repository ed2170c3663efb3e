/*
 * Azure's blob storage. Source: Microsoft's REST reference (Put Blob, Put Block, Put Block List,
 * Get Block List, List Blobs). A block's name holds the tag of the content: blocks of the same name
 * are of the same bytes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <xxhash.h>
#include "base/base64.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "net/digest.h"
#include "net/http.h"
#include "object/object_priv.h"
#include "net/xml.h"

#define BLOCKS_MAX 50000u
#define TAG_HEADER "x-ms-meta-taretag"

static int azure_open(struct object_store *s, const char *rest, const struct object_opt *opt,
		      struct err *err)
{
	struct sv prefix, more, name = sv_cut(sv_of(rest), '/', &more),
				container = sv_cut(more, '/', &prefix);
	char *endpoint = NULL;
	int rc;

	if (!name.n || !container.p || !container.n ||
	    strspn(name.p, "abcdefghijklmnopqrstuvwxyz0123456789-") < name.n ||
	    strspn(container.p, "abcdefghijklmnopqrstuvwxyz0123456789-$") < container.n)
		return err_set(err, -EINVAL, "'%s' is not azblob://ACCOUNT/CONTAINER/PREFIX",
			       s->url);
	if (opt->sse || opt->sse_kms_key_id || opt->storage_class || opt->request_payer ||
	    opt->payload_signing)
		return err_set(
			err, -EINVAL,
			"'%s': sse, storage-class, request-payer and payload-signing are settings of S3",
			s->url);
	char *account = xstrndup(name.p, name.n);
	struct str below = { 0 };
	while (sv_ends(prefix, SV("/")))
		prefix.n--;
	str_addf(&below, "%.*s%s", (int)prefix.n, text_or(prefix.p, ""), text_if(prefix.n, "/"));
	s->prefix = below.p;
	s->sign = azure_sign;
	rc = azure_find(s, account, opt, &endpoint, err);

	/* told: of a connection string, or NULL. */
	const char *end = opt->endpoint ? opt->endpoint : auth_env("AZURE_STORAGE_ENDPOINT");
	struct str base = { 0 };

	if (!end)
		end = endpoint;
	if (end)
		str_addf(&base, "%.*s/%.*s", (int)(strlen(end) - (end[strlen(end) - 1] == '/')),
			 end, SVF(container));
	else
		str_addf(&base, "https://%s.blob.core.windows.net/%.*s", account, SVF(container));
	s->base = base.p;

	free(endpoint);
	free(account);
	if (rc < 0)
		return rc;
	return web_open(s, opt, err);
}

/* ---- put --------------------------------------------------------------------------------- */

/* The request that makes the blob: its bytes, or the list of its blocks. */
static int make_blob(struct object_store *s, struct web_req *q, const char *key,
		     const struct object_put *put, struct err *err)
{
	struct str mark = { 0 };
	int rc;

	if (put->only_new)
		q->header[q->nheader++] = "If-None-Match: *";
	str_addf(&mark, TAG_HEADER ": %s", text_or(put->tag, ""));
	if (put->tag)
		q->header[q->nheader++] = mark.p;
	rc = web_one(s, q, put->when, err);
	if (rc == -EEXIST && web_is_ours(s, key, TAG_HEADER, put->src->bytes, put->tag))
		rc = 0;
	if (rc == -EEXIST)
		err_set(err, rc, "'%s' is in '%s' already", key, s->url);
	str_free(&mark);
	return rc;
}

static int put_whole(struct object_store *s, const char *key, const struct object_put *put,
		     uint64_t *ret_sent, struct err *err)
{
	struct web_req q = { .method = "PUT",
			     .path = web_path(s->prefix, key),
			     .header = { "x-ms-blob-type: BlockBlob" },
			     .nheader = 1 };

	web_body(&q, put->src, 0, put->src->bytes);
	int rc = make_blob(s, &q, key, put, err);
	*ret_sent += q.sent_bytes;
	web_req_free(&q);
	return rc;
}

struct blocks {
	struct object_store *s;
	const struct object_put *put;
	uint64_t block_bytes;
	size_t n;
	char *path;
	struct arena mem;
	char **name; /* [n] Base64, all of one length */
	bool *there; /* [n] arrived earlier */
};

static uint64_t block_len(const struct blocks *b, size_t i)
{
	uint64_t at = (uint64_t)i * b->block_bytes;

	return min_u64(b->put->src->bytes - at, b->block_bytes);
}

static void block_listed(struct blocks *b, struct sv name, int64_t size)
{
	for (size_t i = 0; i < b->n; i++) /* in order mostly: the next that is not there */
		if (!b->there[i] && sv_is(name, b->name[i])) {
			b->there[i] = size >= 0 && (uint64_t)size == block_len(b, i);
			return;
		}
}

static int resume_blocks(struct blocks *b, struct err *err)
{
	struct web_req q = { .method = "GET",
			     .path = xstrdup(b->path),
			     .query = xstrdup("comp=blocklist&blocklisttype=uncommitted") };
	struct sv name, text, id = SV_NULL;
	int64_t size = -1;
	int e, rc = web_one(b->s, &q, b->put->when, err);
	struct xml_scan x = { .text = rc == 0 ? str_sv(&q.d->text) : SV_NULL };

	while (x.text.p && (e = xml_next(&x, &name, &text)) > 0) {
		if (e == XML_END && sv_is(name, "Name"))
			id = text;
		else if (e == XML_END && sv_is(name, "Size") && text.p && sv_i64(text, &size) < 0)
			size = -1;
		else if (e == XML_END && sv_is(name, "Block") && id.p)
			block_listed(b, id, size);
	}
	web_req_free(&q);
	if (rc == -ENOENT)
		return 0;
	return rc;
}

static int send_blocks(struct blocks *b, uint64_t *ret_sent, struct err *err)
{
	struct web_req *q = xcalloc(b->n, sizeof *q);
	size_t n = 0;
	int rc;

	for (size_t i = 0; i < b->n; i++) {
		struct str query = { 0 };
		if (b->there[i])
			continue;
		str_addz(&query, "comp=block&blockid=");
		http_quote(&query, sv_of(b->name[i]));
		q[n] = (struct web_req){ .method = "PUT",
					 .path = xstrdup(b->path),
					 .query = query.p };
		web_body(&q[n++], b->put->src, (uint64_t)i * b->block_bytes, block_len(b, i));
	}
	for (size_t i = 0; i < b->n; i++)
		if (b->there[i])
			b->s->arrived += block_len(b, i);
	rc = web_run(b->s, q, n, b->put->when, err);
	for (size_t k = 0; k < n; k++) {
		*ret_sent += q[k].sent_bytes;
		web_req_free(&q[k]);
	}
	free(q);
	return rc;
}

static int put_blocks(struct object_store *s, const char *key, const struct object_put *put,
		      uint64_t *ret_sent, struct err *err)
{
	struct blocks b = { .s = s,
			    .put = put,
			    .block_bytes = web_part_bytes(s, put->src->bytes, BLOCKS_MAX) };
	struct str list = { 0 };
	int rc = 0;

	b.n = (size_t)((put->src->bytes + b.block_bytes - 1) / b.block_bytes);
	b.path = web_path(s->prefix, key);
	b.name = xcalloc(b.n, sizeof *b.name);
	b.there = xcalloc(b.n, sizeof *b.there);

	unsigned char r[16];
	XXH128_canonical_t h;

	if (put->tag)
		XXH128_canonicalFromHash(&h, XXH3_128bits(put->tag, strlen(put->tag)));
	else if (digest_random(r, sizeof r) == 0)
		memcpy(h.digest, r, sizeof h.digest);
	else
		memset(&h, 0, sizeof h);
	for (size_t i = 0; i < b.n; i++) {
		char id[64];
		struct str name = { 0 };
		snprintf(id, sizeof id, "%02x%02x%02x%02x%02x%02x%02x%02x-%010llu-%08zu",
			 h.digest[0], h.digest[1], h.digest[2], h.digest[3], h.digest[4],
			 h.digest[5], h.digest[6], h.digest[7],
			 (unsigned long long)(b.block_bytes % 10000000000ULL), i);
		base64_put(&name, sv_of(id));
		b.name[i] = arena_sv(&b.mem, str_sv(&name));
		str_free(&name);
	}
	if (put->tag)
		rc = resume_blocks(&b, err);
	if (rc == 0)
		rc = send_blocks(&b, ret_sent, err);
	str_addz(&list, "<?xml version=\"1.0\" encoding=\"utf-8\"?><BlockList>");
	for (size_t i = 0; i < b.n; i++)
		str_addf(&list, "<Latest>%s</Latest>", b.name[i]);
	str_addz(&list, "</BlockList>");
	if (rc == 0) {
		struct web_req q = { .method = "PUT",
				     .path = xstrdup(b.path),
				     .query = xstrdup("comp=blocklist"),
				     .has_body = true,
				     .mem = list.p,
				     .bytes = list.n };
		q.header[q.nheader++] = "Content-Type: application/xml";
		rc = make_blob(s, &q, key, put, err);
		web_req_free(&q);
	}
	str_free(&list);
	arena_free(&b.mem);
	free(b.name);
	free(b.there);
	free(b.path);
	return rc;
}

static int azure_put(struct object_store *s, const char *key, const struct object_put *put,
		     uint64_t *ret_sent, struct err *err)
{
	bool whole = put->src->bytes <= s->part_bytes;

	return (whole ? put_whole : put_blocks)(s, key, put, ret_sent, err);
}

/* ---- list, delete ------------------------------------------------------------------------ */

int azure_list_parse(struct object_listing *l, struct sv doc, char **ret_next)
{
	struct xml_scan x = { .text = doc };
	struct sv name, text, key = SV_NULL, size = SV_NULL;
	int e, rc = 0;

	if (sv_starts(doc, SV("\xef\xbb\xbf")))
		x.at = 3;
	*ret_next = NULL;
	while (rc == 0 && (e = xml_next(&x, &name, &text)) != XML_DONE) {
		if (e < 0)
			return e;
		if (e == XML_START && sv_is(name, "Blob"))
			key = size = SV_NULL;
		else if (e == XML_END && sv_is(name, "Name"))
			key = text;
		else if (e == XML_END && sv_is(name, "Content-Length"))
			size = text;
		else if (e == XML_END && sv_is(name, "NextMarker") && text.n)
			/* a list cut short would look like missing objects */
			rc = (*ret_next = xml_text(l->a, text)) ? 0 : -EBADMSG;
		else if (e == XML_END && sv_is(name, "Blob"))
			rc = web_list_add(l, key, size);
	}
	return rc;
}

static int list_page(struct object_store *s, struct object_listing *l, char **next, struct err *err)
{
	struct str query = { 0 }, full = { 0 };

	str_addf(&full, "%s%s", s->prefix, l->prefix);
	str_addz(&query, "restype=container&comp=list&prefix=");
	http_quote(&query, str_sv(&full));
	if (*next) {
		str_addz(&query, "&marker=");
		http_quote(&query, sv_of(*next));
	}
	struct web_req q = { .method = "GET", .path = xstrdup(""), .query = query.p };
	int rc = web_one(s, &q, NULL, err);
	if (rc == 0 && (rc = azure_list_parse(l, str_sv(&q.d->text), next)) < 0)
		err_set(err, rc, "the list that the object store '%s' gave cannot be read", s->url);
	web_req_free(&q);
	str_free(&full);
	return rc;
}

static int list_blobs(struct object_store *s, const char *prefix, struct arena *a,
		      struct object_key **ret, size_t *ret_n, struct err *err)
{
	struct object_listing l = { .a = a, .prefix = prefix, .page = list_page };

	return web_list(s, &l, ret, ret_n, err);
}

const struct object_ops object_azure_ops = { "azblob://", azure_open, azure_put, web_get,
					     web_size,    list_blobs, web_del,   web_close };
