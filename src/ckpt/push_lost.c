/* Manifests that should be in the store and are not, as ckpt_lost.c has it of a folder: what lies
 * beside them tells. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include "ckpt/push_priv.h"

#define NONE_YET "none-yet"
#define MARK     "tare-checkpoints"
#define LATEST   "latest"
#define ID_CHARS 29

bool remote_id(const char *key, char ret[CKPT_ID_BYTES])
{
	size_t n = strlen(key);

	if (n < 5 + ID_CHARS || strncmp(key, "ckpt/", 5) ||
	    !ckpt_id_ok((struct sv){ key + 5, ID_CHARS }))
		return false;
	snprintf(ret, CKPT_ID_BYTES, "%.*s", ID_CHARS, key + 5);
	return !key[5 + ID_CHARS] || key[5 + ID_CHARS] == '/';
}

static void newest_listed(const struct remote *r, char ret[CKPT_ID_BYTES])
{
	size_t first, n = remote_below(r, "ckpt/", &first);

	ret[0] = 0;
	for (size_t i = first + n; i-- > first;)
		if (remote_id(r->key[i].key, ret))
			return;
	ret[0] = 0;
}

/* "" where it names none: it is put without anybody waiting for it. */
static int read_latest(struct object_store *s, const struct remote *r,
		       const struct object_when *when, char ret[CKPT_ID_BYTES], struct err *err)
{
	char text[64] = "";
	struct object_get get = { .bytes = sizeof text, .mem = text, .when = when };
	uint64_t n = 0;
	int rc = 0;

	ret[0] = 0;
	if (remote_size(r, LATEST) > 0)
		rc = object_get(s, LATEST, &get, &n, err);
	struct sv id = sv_trim((struct sv){ text, (size_t)n });
	if (rc == 0 && ckpt_id_ok(id))
		snprintf(ret, CKPT_ID_BYTES, "%.*s", SVF(id));
	if (rc == -ENOENT || rc == -EBADMSG)
		return 0;
	return rc;
}

/* The newest of what only we put there, as the id of a checkpoint: of data, else of a run; step 0
 * and run 0 where there is a mark alone, or what stands in the place of a folder. "" where there is
 * nothing of ours. */
static void newest_sign(const struct remote *r, char ret[CKPT_ID_BYTES])
{
	static const char *const whole[] = { MARK, "ckpt", "data", "runs" };
	size_t first, n = remote_below(r, "data/", &first);
	const char *run_key;
	uint64_t run = remote_run(r, &run_key);
	bool is_ours = run_key != NULL;

	ret[0] = 0;
	for (size_t i = first + n; i-- > first;) {
		const char *name = r->key[i].key + 5;
		if (strlen(name) > ID_CHARS && name[ID_CHARS] == '.' &&
		    ckpt_id_ok((struct sv){ name, ID_CHARS })) {
			snprintf(ret, CKPT_ID_BYTES, "%.*s", ID_CHARS, name);
			return;
		}
	}
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		is_ours |= remote_size(r, whole[i]) >= 0;
	if (is_ours)
		snprintf(ret, CKPT_ID_BYTES, "%012d-%016" PRIx64, 0, run);
}

int remote_lost(struct object_store *s, struct remote *r, const struct object_when *when,
		char ret_lost[CKPT_ID_BYTES], struct err *err)
{
	enum { TRIES = 5 };
	char before[CKPT_ID_BYTES] = "";
	int rc = 0;

	/* a writer may be at work: what it has named is listed the next time */
	for (int i = 0; i < TRIES; i++) {
		if (i > 0 && (rc = remote_list(s, r, err)) < 0)
			break;

		char told[CKPT_ID_BYTES], newest[CKPT_ID_BYTES];
		rc = read_latest(s, r, when, told, err);

		ret_lost[0] = 0;
		newest_listed(r, newest);
		if (rc == 0 && strcmp(told, newest) > 0)
			memcpy(ret_lost, told, sizeof told);
		else if (rc == 0 && !newest[0] && remote_size(r, NONE_YET) <= 0)
			newest_sign(r, ret_lost);
		if (rc < 0 || !ret_lost[0] || !strcmp(before, ret_lost))
			break;
		memcpy(before, ret_lost, sizeof before);
	}
	return rc;
}

int remote_say_lost(const struct object_store *s, const char *id, struct err *err)
{
	return err_set(err, -EBADMSG, "checkpoint '%s' is damaged: its manifest is missing in '%s'",
		       id, object_url(s));
}

int push_none_yet(struct push *p, const struct object_when *when, struct err *err)
{
	char newest[CKPT_ID_BYTES], sign[CKPT_ID_BYTES];

	newest_listed(&p->there, newest);
	newest_sign(&p->there, sign);
	if (newest[0] || sign[0])
		return 0;
	if (remote_size(&p->there, NONE_YET) > 0 || remote_size(&p->there, LATEST) >= 0)
		return 0;
	return push_put_text(p, NONE_YET, SV("1\n"), false, when, err);
}

void push_begun(struct push *p, const struct object_when *when)
{
	char newest[CKPT_ID_BYTES];

	newest_listed(&p->there, newest);
	if (newest[0] && remote_size(&p->there, NONE_YET) >= 0 && when->deadline_ms == INT64_MAX)
		object_delete(p->s, NONE_YET, NULL);
}
