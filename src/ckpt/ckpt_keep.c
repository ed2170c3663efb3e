/* Which checkpoints and data files of a folder go. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>
#include "ckpt/ckpt_priv.h"

/* ---- data that nobody names -------------------------------------------------------------- */

/* The names of all data files that manifests name. -EBADMSG: one cannot be read, so nobody knows
 * what it names. */
static int named_data(struct ckpt_dir *d, const struct ckpt_list *l, struct intern *ret,
		      struct err *err)
{
	for (size_t i = 0; i < l->v.n; i++) {
		struct str text = { 0 };
		struct ckpt c = { 0 };
		int rc = ckpt_slurp(d->ckpt_fd, l->v.v[i].id, (size_t)1 << 31, &text, err);
		if (rc == 0)
			rc = ckpt_manifest_parse(l->v.v[i].id, str_sv(&text), &c, err);
		str_free(&text);
		if (rc < 0)
			return rc;
		for (size_t k = 0; k < c.data.n; k++)
			intern_add(ret, sv_of(c.data.v[k].name));
		ckpt_free(&c);
	}
	return 0;
}

/* Of a save that may be under way: newer than every checkpoint, and of this run. */
static bool under_way(const struct ckpt_dir *d, const struct ckpt_list *l, struct sv name)
{
	struct sv id = SV_NULL;

	if (name.n > 29)
		id = (struct sv){ name.p, 29 };
	if (!d->run || !id.p || !ckpt_id_ok(id))
		return false;
	return strtoull(id.p + 13, NULL, 16) == d->run &&
	       (!l->v.n || strncmp(id.p, l->v.v[0].id, 29) > 0);
}

int ckpt_sweep_data(struct ckpt_dir *d, struct err *err)
{
	struct ckpt_list l = { 0 };
	struct intern named = { 0 };
	struct dirent *e;
	int at, rc = ckpt_list(d, &l, err);
	DIR *dir = NULL;

	if (rc == 0 && named_data(d, &l, &named, err) < 0)
		goto out; /* with a manifest that cannot be read all data stays */
	if (rc == 0 && (at = openat(d->data_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0 &&
	    !(dir = fdopendir(at)))
		close(at);
	while (dir && (e = readdir(dir))) {
		struct sv name = sv_of(e->d_name);
		if (name.p[0] != '.' && intern_find(&named, name) < 0 && !under_way(d, &l, name))
			unlinkat(d->data_fd, e->d_name, 0);
	}
	if (dir)
		closedir(dir);
out:
	intern_free(&named);
	ckpt_list_free(&l);
	return rc;
}

/* ---- retention --------------------------------------------------------------------------- */

bool ckpt_keep_names(const struct ckpt_keep *keep, const char *id)
{
	for (size_t i = 0; i < keep->nid; i++)
		if (!strcmp(keep->id[i], id))
			return true;
	return false;
}

static int newest_good(struct ckpt_dir *d, const struct ckpt_list *l, const char *known,
		       size_t *ret, struct err *err)
{
	struct ckpt c = { 0 };
	int rc;

	for (*ret = 0; known && *ret < l->v.n; ++*ret)
		if (!strcmp(l->v.v[*ret].id, known))
			return 0;
	rc = ckpt_newest(d, NULL, true, &c, NULL, err);

	if (rc == 0) /* all were removed meanwhile */
		return err_set(err, -EBADMSG, "no checkpoint in '%s' holds: nothing is removed",
			       d->path);
	for (*ret = 0; rc > 0 && *ret < l->v.n && strcmp(l->v.v[*ret].id, c.id);)
		++*ret;
	ckpt_free(&c);
	if (rc < 0)
		return rc;
	return 0;
}

int ckpt_retain(struct ckpt_dir *d, const struct ckpt_keep *keep, int *ret_removed, struct err *err)
{
	struct ckpt_list l = { 0 };
	size_t good = 0;
	bool *stays = NULL;
	int removed = 0, rc = ckpt_list(d, &l, err);

	if (rc == 0 && l.v.n)
		rc = newest_good(d, &l, keep->known_good, &good, err);
	if (rc == 0) {
		/* which of the list stay; good is the newest that holds */
		stays = xcalloc(l.v.n + 1, sizeof *stays);

		int64_t interval = INT64_MIN;
		int last = 1;

		if (keep->last > 0)
			last = keep->last;
		for (size_t i = 0; i < l.v.n; i++)
			stays[i] = i == good || i < (size_t)last ||
				   ckpt_keep_names(keep, l.v.v[i].id);
		/* the oldest of each interval */
		for (size_t i = l.v.n; keep->every_ms > 0 && i-- > 0;) {
			struct ckpt c = { 0 };
			if (ckpt_load(d, l.v.v[i].id, &c, NULL) < 0)
				continue;
			if (c.time_ms / keep->every_ms != interval)
				stays[i] = true;
			interval = c.time_ms / keep->every_ms;
			ckpt_free(&c);
		}

		/* oldest first: a crash in between leaves the newer ones */
		for (size_t i = l.v.n; i-- > 0;)
			if (!stays[i] && unlinkat(d->ckpt_fd, l.v.v[i].id, 0) == 0)
				removed++;
		if (removed)
			rc = ckpt_sync_dir(d->ckpt_fd, "ckpt", err);
		if (rc == 0 && removed)
			rc = ckpt_sweep_data(d, err);
	}
	free(stays);
	ckpt_list_free(&l);
	if (rc == 0 && ret_removed)
		*ret_removed = removed;
	return rc;
}
