/* Retention in the store. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/num.h"
#include "ckpt/push_priv.h"

struct kept {
	struct push *p;
	const struct ckpt_keep *keep;
	VEC(const char *) id; /* newest first */
	bool *stays;          /* [id.n] */
	struct intern named;  /* data files of what stays */
	bool blind;           /* a manifest that stays cannot be read */
};

/* -EBADMSG: none is whole. */
static int newest_whole(struct kept *k, size_t *ret, struct err *err)
{
	for (size_t i = 0; i < k->id.n; i++) {
		struct ckpt c = { 0 };
		int rc = remote_manifest(k->p->s, k->id.v[i], NULL, &c, NULL, err);
		bool whole = rc == 0 && remote_whole(&k->p->there, &c);
		ckpt_free(&c);
		if (whole) {
			*ret = i;
			return 0;
		}
		if (rc < 0 && rc != -EBADMSG && rc != -ENOENT)
			return rc;
	}
	return err_set(err, -EBADMSG, "no checkpoint in '%s' is whole: nothing is removed",
		       object_url(k->p->s));
}

static int name_data(struct kept *k, struct err *err)
{
	for (size_t i = 0; i < k->id.n; i++) {
		struct ckpt c = { 0 };
		if (!k->stays[i])
			continue;
		int rc = remote_manifest(k->p->s, k->id.v[i], NULL, &c, NULL, err);
		if (rc == -EBADMSG)
			k->blind = true;
		else if (rc < 0)
			return rc;
		for (size_t d = 0; rc == 0 && d < c.data.n; d++)
			intern_add(&k->named, sv_of(c.data.v[d].name));
		ckpt_free(&c);
	}
	return 0;
}

/* A notice has come: what is left over is removed another time. */
static bool in_haste(const struct push *p)
{
	return p->opt.news && atomic_load(&p->opt.news->deadline_ms);
}

static int choose_kept(struct kept *k, struct err *err)
{
	size_t good = 0, last = (size_t)max_int(k->keep->last, 1);
	int64_t interval = INT64_MIN, every = k->keep->every_ms;
	int rc = newest_whole(k, &good, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < k->id.n; i++) {
		bool told = ckpt_keep_names(k->keep, k->id.v[i]) ||
			    !strcmp(text_or(k->keep->known_good, ""), k->id.v[i]);
		k->stays[i] = i == good || i < last || told;
	}
	for (size_t i = k->id.n; every > 0 && i-- > 0;) { /* the oldest of each interval */
		struct ckpt c = { 0 };
		rc = remote_manifest(k->p->s, k->id.v[i], NULL, &c, NULL, err);
		if (rc == -EBADMSG)
			continue;
		if (rc < 0)
			return rc;
		if (c.time_ms / every != interval)
			k->stays[i] = true;
		interval = c.time_ms / every;
		ckpt_free(&c);
	}
	return name_data(k, err);
}

int push_retain(struct push *p, const struct ckpt_keep *keep, int *ret_removed, struct err *err)
{
	static const char *const litter[] = { ".tare-probe-", "probe/" };
	struct kept k = { .p = p, .keep = keep };
	size_t first, n;
	int removed = 0, rc = remote_list(p->s, &p->there, err);

	if (rc < 0)
		return rc;
	n = remote_below(&p->there, "ckpt/", &first);
	for (size_t i = first + n; i-- > first;)
		if (ckpt_id_ok(sv_of(p->there.key[i].key + 5)))
			*vec_push(&k.id) = p->there.key[i].key + 5;
	k.stays = xcalloc(k.id.n + 1, sizeof *k.stays);
	if (k.id.n)
		rc = choose_kept(&k, err);
	for (size_t i = k.id.n; rc == 0 && i-- > 0 && !in_haste(p);) {
		char key[64];
		if (k.stays[i])
			continue;
		snprintf(key, sizeof key, "ckpt/%s", k.id.v[i]);
		rc = object_delete(p->s, key, err);
		removed += rc == 0;
	}
	/* data that no manifest names any more; what is newer than every manifest is of an upload
	 * that has not come to its own */
	n = removed && !k.blind ? remote_below(&p->there, "data/", &first) : 0;
	for (size_t i = first; rc == 0 && i < first + n && !in_haste(p); i++) {
		const char *name = p->there.key[i].key + 5;
		bool under_way = strlen(name) > 29 && strncmp(name, k.id.v[0], 29) > 0;
		if (intern_find(&k.named, sv_of(name)) < 0 && !under_way)
			rc = object_delete(p->s, p->there.key[i].key, err);
	}
	/* probes and measurements of runs that were killed in the middle of one */
	for (size_t l = 0; l < sizeof litter / sizeof *litter; l++) {
		n = remote_below(&p->there, litter[l], &first);
		for (size_t i = first; rc == 0 && i < first + n && !in_haste(p); i++)
			rc = object_delete(p->s, p->there.key[i].key, err);
	}
	if (ret_removed)
		*ret_removed = removed;
	intern_free(&k.named);
	vec_free(&k.id);
	free(k.stays);
	return rc;
}
