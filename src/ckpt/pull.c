#include "ckpt/pull.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/str.h"
#include "base/tm.h"
#include "ckpt/push_priv.h"

struct pull {
	struct object_store *s;
	struct ckpt_dir *d;
	struct remote there;
	const struct object_when *when;
	struct pull_stat st;
	struct ckpt_damage *damage;
	size_t damaged;
	struct err newest; /* of those of the store */
};

/* Errors of one checkpoint: the one before may do. Others end it. */
static bool is_damage(int rc)
{
	return rc == -EBADMSG || rc == -ENOENT || rc == -EFBIG;
}

static int fetch_to(struct pull *p, const char *key, uint64_t bytes, const char *tmp,
		    const char *name, struct err *err)
{
	uint64_t got = 0;
	int fd, rc;

	unlinkat(p->d->data_fd, tmp, 0);
	fd = openat(p->d->data_fd, tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		    object_file_mode());
	if (fd < 0)
		return err_set(err, -errno, "cannot make '%s/data/%s': %s", p->d->path, tmp,
			       strerror(errno));
	struct object_get get = { .bytes = bytes, .fd = fd, .when = p->when };
	rc = object_get(p->s, key, &get, &got, err);
	if (rc == 0 && got != bytes)
		rc = err_set(err, -EBADMSG, "'%s' in '%s' is shorter than it was said to be", key,
			     object_url(p->s));
	p->st.got_bytes += got;
	if (rc == 0 && (fsync(fd) < 0 || renameat(p->d->data_fd, tmp, p->d->data_fd, name) < 0))
		rc = err_set(err, -errno, "cannot write '%s/data/%s': %s", p->d->path, name,
			     strerror(errno));
	close(fd);
	if (rc < 0)
		unlinkat(p->d->data_fd, tmp, 0);
	if (rc < 0)
		return rc;
	return ckpt_sync_dir(p->d->data_fd, name, err);
}

/* *ret_fetched is counted up where it did not lie here already. */
static int fetch_data(struct pull *p, const struct ckpt_data *data, bool again, size_t *ret_fetched,
		      struct err *err)
{
	struct str key = { 0 }, tmp = { 0 };
	struct stat st;
	int64_t size;
	int rc = 0;

	str_addf(&key, "data/%s", data->name);
	str_addf(&tmp, "%s.tmp", data->name);
	size = remote_size(&p->there, str_z(&key));
	bool have = fstatat(p->d->data_fd, data->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && (uint64_t)st.st_size >= data->bytes;
	if (!have || again) {
		if (size < 0 || (uint64_t)size < data->bytes)
			rc = err_set(err, -EBADMSG, "'%s' in '%s' is %s", str_z(&key),
				     object_url(p->s), size < 0 ? "missing" : "cut");
		else
			rc = fetch_to(p, str_z(&key), (uint64_t)size, str_z(&tmp), data->name, err);
		++*ret_fetched;
	}
	str_free(&key);
	str_free(&tmp);
	return rc;
}

static int pull_one(struct pull *p, const char *id, struct err *err)
{
	struct str text = { 0 };
	struct ckpt c = { 0 };
	int rc = remote_manifest(p->s, id, p->when, &c, &text, err);
	bool known = rc == 0;

	/* what lies here already is taken where its hashes hold; if they do not, all is fetched */
	for (int again = 0; known && again < 2; again++) {
		size_t fetched = 0;
		rc = 0;
		for (size_t i = 0; rc == 0 && i < c.data.n; i++)
			rc = fetch_data(p, &c.data.v[i], again, &fetched, err);
		if (rc == 0)
			rc = ckpt_verify(p->d, &c, err);
		if (rc != -EBADMSG || fetched == c.data.n)
			break;
	}
	/* what lay here already may be missing there */
	if (rc == 0 && remote_whole(&p->there, &c))
		snprintf(p->st.stored_id, sizeof p->st.stored_id, "%s", id);
	if (rc == 0)
		rc = ckpt_put_manifest(p->d, id, str_sv(&text), err);
	if (rc == 0) {
		str_clear(&text);
		str_addf(&text, "%s\n", id);
		rc = ckpt_spit(p->d->fd, "latest", str_sv(&text), err);
		p->st.bytes = ckpt_bytes(&c);
	}
	ckpt_free(&c);
	str_free(&text);
	return rc;
}

/* Runs of this folder come after all that the store has seen: their checkpoints never share a
 * name. */
static int after_all_runs(struct pull *p, const char *lost, struct err *err)
{
	const char *key;
	uint64_t last = remote_run(&p->there, &key);
	size_t first, n = remote_below(&p->there, "ckpt/", &first);
	struct str text = { 0 };
	int rc = 0;

	for (size_t i = first; i < first + n; i++) {
		const char *id = p->there.key[i].key + 5;
		if (ckpt_id_ok(sv_of(id)) && push_run_of(id) > last)
			last = push_run_of(id);
	}
	if (lost[0] && push_run_of(lost) > last)
		last = push_run_of(lost);
	if (last > p->d->run && last < (uint64_t)INT64_MAX) {
		str_addf(&text, "run %" PRIu64 " pull\n", last);
		rc = ckpt_spit(p->d->fd, "run", str_sv(&text), err);
	}
	str_free(&text);
	return rc;
}

/* One of the store that cannot be used; the one before may do. */
static void note_damage(struct pull *p, const char *id, const struct err *why)
{
	if (!p->damaged++)
		p->newest = *why;
	ckpt_damage_add(p->damage, id, true, why->msg);
}

/* What is safe there, where nothing had to be fetched: the newest of the keys [first, end) that is
 * whole. What cannot be asked is not safe. */
static void find_stored(struct pull *p, size_t first, size_t end)
{
	for (size_t i = end; i-- > first && !p->st.stored_id[0];) {
		const char *id = p->there.key[i].key + 5;
		struct ckpt c = { 0 };
		struct err e = { 0 };
		if (!ckpt_id_ok(sv_of(id)))
			continue;
		int rc = remote_manifest(p->s, id, p->when, &c, NULL, &e);
		if (rc == 0 && remote_whole(&p->there, &c))
			snprintf(p->st.stored_id, sizeof p->st.stored_id, "%s", id);
		else if (rc == 0)
			rc = err_set(&e, -EBADMSG,
				     "data of checkpoint '%s' in '%s' is missing or truncated", id,
				     object_url(p->s));
		ckpt_free(&c);
		if (rc < 0 && !is_damage(rc))
			break;
		if (rc < 0)
			note_damage(p, id, &e);
	}
}

/* What is no manifest in the place of one, or is lost. */
static void note_lost(struct pull *p, const char *id)
{
	struct err e = { 0 };

	remote_say_lost(p->s, id, &e);
	note_damage(p, id, &e);
}

static int pull_checkpoint(struct pull *p, struct err *err)
{
	char lost[CKPT_ID_BYTES], id[CKPT_ID_BYTES], last[CKPT_ID_BYTES] = "";
	struct err own, *e = err ? err : &own;
	int rc = remote_lost(p->s, &p->there, p->when, lost, e);
	size_t first, n = remote_below(&p->there, "ckpt/", &first);

	if (rc == 0)
		rc = after_all_runs(p, lost, e);
	if (rc == 0 && lost[0])
		note_lost(p, lost);
	for (size_t i = first + n; rc == 0 && i-- > first;) {
		if (!remote_id(p->there.key[i].key, id) || !strcmp(id, last))
			continue;
		memcpy(last, id, sizeof last);
		if (p->there.key[i].key[5 + strlen(id)]) { /* a folder with something in it */
			note_lost(p, id);
			continue;
		}

		/* rc 1: what is here is as new, nothing is fetched. */
		struct ckpt c = { 0 };
		rc = ckpt_newest(p->d, NULL, true, &c, p->damage, e);

		if (rc == -EBADMSG) { /* none here can be used: then it is fetched */
			rc = 0;
		} else if (rc > 0 && strcmp(c.id, id) >= 0) {
			snprintf(p->st.id, sizeof p->st.id, "%s", c.id);
			p->st.bytes = ckpt_bytes(&c);
			p->st.local = true;
		} else if (rc > 0) {
			rc = 0;
		}
		ckpt_free(&c);
		if (rc > 0)
			find_stored(p, first, i + 1);

		if (rc)
			break;
		rc = pull_one(p, id, e);
		if (rc == 0) {
			ckpt_damage_mend(p->damage, id);
			snprintf(p->st.id, sizeof p->st.id, "%s", id);
			rc = 1;
			break;
		}
		if (!is_damage(rc))
			break;
		note_damage(p, id, e);
		rc = 0;
	}
	if (rc == 0 && p->damaged)
		return err_set(err, -EBADMSG,
			       "none of the %zu checkpoint%s in '%s' can be used: %s", p->damaged,
			       text_if(p->damaged > 1, "s"), object_url(p->s), p->newest.msg);
	return rc;
}

int pull_newest(struct object_store *s, const char *dir, const struct object_when *when,
		struct pull_stat *stat, struct ckpt_damage *damage, struct err *err)
{
	struct pull p = { .s = s, .when = when, .damage = damage };
	double start = tm_awake_s();
	int rc = remote_list(s, &p.there, err);

	if (rc == 0)
		rc = ckpt_open(dir, NULL, &p.d, err);
	if (rc == 0)
		rc = pull_checkpoint(&p, err);
	ckpt_close(p.d);
	remote_free(&p.there);
	p.st.seconds = tm_awake_s() - start;
	*stat = p.st;
	return rc;
}
