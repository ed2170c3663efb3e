/* What lies in the object store: its listing, its manifests, and which run has claimed the
 * place. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/search.h"
#include "ckpt/push_priv.h"

uint64_t push_run_of(const char *id)
{
	return strtoull(id + 13, NULL, 16);
}

void remote_free(struct remote *r)
{
	arena_free(&r->mem);
	memset(r, 0, sizeof *r);
}

int remote_list(struct object_store *s, struct remote *ret, struct err *err)
{
	struct remote r = { 0 };
	int rc = object_list(s, "", &r.mem, &r.key, &r.n, err);

	if (rc < 0) {
		remote_free(&r);
		return rc;
	}
	remote_free(ret);
	*ret = r;
	return 0;
}

static size_t first_from(const struct remote *r, const char *key)
{
	return first_where(i, r->n, strcmp(r->key[i].key, key) >= 0);
}

int64_t remote_size(const struct remote *r, const char *key)
{
	size_t i = first_from(r, key);

	if (i < r->n && !strcmp(r->key[i].key, key))
		return (int64_t)r->key[i].bytes;
	return -1;
}

size_t remote_below(const struct remote *r, const char *prefix, size_t *ret_first)
{
	size_t i = first_from(r, prefix), n = 0;

	*ret_first = i;
	while (i + n < r->n && sv_starts(sv_of(r->key[i + n].key), sv_of(prefix)))
		n++;
	return n;
}

int remote_text(struct object_store *s, const char *key, size_t max, const struct object_when *when,
		struct str *ret, struct err *err)
{
	uint64_t size = 0, got = 0;
	int rc = object_size(s, key, &size, err);

	str_clear(ret);
	if (rc < 0)
		return rc;
	if (size > max)
		return err_set(err, -EFBIG, "'%s' in '%s' is too long", key, object_url(s));
	char *buf = xmalloc((size_t)size + 1);
	struct object_get get = { .bytes = size, .mem = buf, .when = when };
	rc = object_get(s, key, &get, &got, err);
	if (rc == 0)
		str_add(ret, buf, (size_t)got);
	free(buf);
	return rc;
}

int remote_manifest(struct object_store *s, const char *id, const struct object_when *when,
		    struct ckpt *ret, struct str *text, struct err *err)
{
	struct str own = { 0 };
	struct str *t = text;
	struct ckpt c = { 0 };
	char key[64];
	int rc;

	if (!text)
		t = &own;
	snprintf(key, sizeof key, "ckpt/%s", id);
	rc = remote_text(s, key, REMOTE_MANIFEST_MAX, when, t, err);
	if (rc == 0)
		rc = ckpt_manifest_parse(id, str_sv(t), &c, err);
	if (rc == 0 && (strcmp(c.id, id) || c.rank >= 0)) {
		rc = err_set(err, -EBADMSG, "the manifest '%s' in '%s' is that of '%s'", id,
			     object_url(s), c.id);
		ckpt_free(&c);
	}
	str_free(&own);
	if (rc == 0)
		*ret = c;
	return rc;
}

bool remote_whole(const struct remote *r, const struct ckpt *c)
{
	struct str key = { 0 };
	bool whole = true;

	for (size_t i = 0; i < c->data.n && whole; i++) {
		str_clear(&key);
		str_addf(&key, "data/%s", c->data.v[i].name);
		int64_t n = remote_size(r, str_z(&key));
		whole = n >= 0 && (uint64_t)n >= c->data.v[i].bytes;
	}
	str_free(&key);
	return whole;
}

uint64_t remote_run(const struct remote *r, const char **ret_key)
{
	size_t first, n = remote_below(r, "runs/", &first);

	for (size_t i = first + n; i-- > first;) {
		struct sv name = sv_of(r->key[i].key + 5);
		if (name.n == 16 && strspn(name.p, "0123456789abcdef") == 16) {
			*ret_key = r->key[i].key;
			return strtoull(name.p, NULL, 16);
		}
	}
	*ret_key = NULL;
	return 0;
}
