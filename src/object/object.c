#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>
#include "base/mem.h"
#include "base/sort.h"
#include "base/str.h"
#include "object/object_prep.h"
#include "object/object_priv.h"
#include "object/object_set.h"

static const struct object_ops *const kinds[] = { &object_s3_ops, &object_gs_ops, &object_azure_ops,
						  &object_cmd_ops, &object_dir_ops };

static bool is_shared(void)
{
	const char *z = getenv("TARE_CHECKPOINT_SHARED");

	return z && !strcmp(z, "1");
}

unsigned object_file_mode(void)
{
	if (is_shared())
		return 0666;
	return 0600;
}

unsigned object_folder_mode(void)
{
	if (is_shared())
		return 0777;
	return 0700;
}

/* A path is a folder; "word://" that is none of the kinds is a mistake. */
static const struct object_ops *kind_of(const char *url, const char **ret_rest)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		size_t n = strlen(kinds[i]->scheme);
		if (!strncmp(url, kinds[i]->scheme, n)) {
			*ret_rest = url + n;
			return kinds[i];
		}
	}
	*ret_rest = url;
	if (*url && !strstr(url, "://"))
		return &object_dir_ops;
	return NULL;
}

int object_open(const char *url, const struct object_opt *opt, struct object_store **ret,
		struct err *err)
{
	static const struct object_opt none;
	const char *rest;
	const struct object_ops *ops = kind_of(url, &rest);

	if (!ops) {
		err_set(err, -EINVAL, "'%.100s' is not the address of an object store", url);
		err_hint(
			err,
			"there are s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, azblob://ACCOUNT/CONTAINER/PREFIX, file:///FOLDER or cmd:PROGRAM");
		return -EINVAL;
	}
	bool web = ops != &object_dir_ops && ops != &object_cmd_ops; /* "?" may stand in a path */
	struct object_store *s = xcalloc(1, sizeof *s);
	struct object_opt all = opt ? *opt : none;
	struct arena a = { 0 };
	s->ops = ops;
	s->url = xstrndup(url, web ? strcspn(url, "?") : strlen(url));
	int rc = 0;
	if (web)
		rc = object_set_parse(rest, opt ? opt : &none, &a, &rest, &all, err);
	if (rc == 0)
		rc = ops->open(s, rest, &all, err);
	arena_free(&a);
	if (rc < 0)
		object_close(s);
	else
		*ret = s;
	return rc;
}

void object_close(struct object_store *s)
{
	if (!s)
		return;
	if (s->ops->close)
		s->ops->close(s);
	if (s->sas)
		explicit_bzero(s->sas, strlen(s->sas));
	cred_free(&s->cred);
	cred_opt_free(&s->cred_opt);
	free(s->url);
	free(s->path);
	free(s->base);
	free(s->bucket);
	free(s->prefix);
	free(s->region);
	free(s->sas);
	for (size_t i = 0; i < sizeof s->put_header / sizeof *s->put_header; i++)
		free(s->put_header[i]);
	free(s->all_header);
	free(s);
}

const char *object_url(const struct object_store *s)
{
	return s->url;
}

bool object_can_condition(const struct object_store *s)
{
	return !s->no_condition;
}

/* A key is a relative path without parts that a file system or a shell would read as something
 * else. */
static int check_key(const char *key, struct err *err)
{
	struct sv rest = sv_of(key);
	bool ok = rest.p && rest.n && rest.n <= 900;

	for (size_t i = 0; ok && i < rest.n; i++)
		ok = (unsigned char)rest.p[i] >= ' ' && rest.p[i] != 127;
	while (ok && rest.p) {
		struct sv part = sv_cut(rest, '/', &rest);
		ok = part.n && !sv_is(part, ".") && !sv_is(part, "..");
	}
	if (ok)
		return 0;
	return err_set(err, -EINVAL, "'%.100s' cannot be the name of an object", text_or(key, ""));
}

int object_put(struct object_store *s, const char *key, const struct object_put *put,
	       uint64_t *ret_sent_bytes, struct err *err)
{
	uint64_t sent = 0;
	int rc = check_key(key, err);

	if (rc == 0)
	/* those over HTTP look as they go */
	{
		s->arrived = 0;
		rc = s->x ? 0 : prep_look(put->src, err);
	}
	if (rc == 0)
		rc = s->ops->put(s, key, put, &sent, err);
	if (ret_sent_bytes)
		*ret_sent_bytes = sent; /* of a put that failed too: what it cost */
	return rc;
}

int object_get(struct object_store *s, const char *key, const struct object_get *get,
	       uint64_t *ret_bytes, struct err *err)
{
	uint64_t got = 0;
	int rc = check_key(key, err);

	if (rc == 0)
		rc = s->ops->get(s, key, get, &got, err);
	if (rc == 0 && ret_bytes)
		*ret_bytes = got;
	return rc;
}

int object_size(struct object_store *s, const char *key, uint64_t *ret, struct err *err)
{
	int rc = check_key(key, err);

	if (rc < 0)
		return rc;
	return s->ops->size(s, key, ret, err);
}

static int by_key(const void *a, const void *b)
{
	return strcmp(((const struct object_key *)a)->key, ((const struct object_key *)b)->key);
}

int object_list(struct object_store *s, const char *prefix, struct arena *a,
		struct object_key **ret, size_t *ret_n, struct err *err)
{
	struct object_key *k = NULL;
	size_t n = 0;
	int rc = s->ops->list(s, text_or(prefix, ""), a, &k, &n, err);

	if (rc < 0)
		return rc;
	if (n)
		sort_items(k, n, sizeof *k, by_key);
	*ret = k;
	*ret_n = n;
	return 0;
}

int object_delete(struct object_store *s, const char *key, struct err *err)
{
	int rc = check_key(key, err);

	if (rc < 0)
		return rc;
	return s->ops->del(s, key, err);
}
