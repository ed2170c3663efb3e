/* Loading through libtare: the newest checkpoint that is whole, one of a step, or an older one. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/num.h"
#include "base/str.h"
#include "lib/lib.h"
#include "ckpt/ckpt.h"

struct tare_loaded {
	struct ckpt_dir *dir;
	struct ckpt c;
	bool verify; /* every chunk is compared with its hash before anything is read */
	struct ckpt_damage damage;
	struct str damage_text; /* what tare_loaded_damage() returned last */
};

/* 1 opened; 0 nothing was ever saved there. */
static int open_dir(const char *given, tare_loaded *l, struct err *err)
{
	const char *dir = lib_dir(given);
	int rc;

	if (!dir)
		return err_set(
			err, -EINVAL,
			"no folder of checkpoints was told: give dir, or set TARE_CHECKPOINT_DIR");
	rc = ckpt_open(dir, &(struct ckpt_opt){ .read_only = true }, &l->dir, err);
	if (rc == -ENOENT)
		return 0;
	if (rc < 0)
		return rc;
	return 1;
}

/* Each of those that were passed over, the newest first, with why. */
const char *tare_loaded_damage(tare_loaded *l)
{
	str_clear(&l->damage_text);
	for (size_t i = 0; i < l->damage.v.n; i++)
		str_addf(&l->damage_text, "%sthe checkpoint of step %lld is passed over: %s",
			 text_if(i, "\n"), strtoll(l->damage.v.v[i].id, NULL, 10),
			 l->damage.v.v[i].why);
	return str_z(&l->damage_text);
}

static void copy_text(const char *text, char *to, size_t cap)
{
	if (cap)
		snprintf(to, cap, "%s", text);
}

static int load_newest(const char *given, bool verify, tare_loaded **ret, char *err_text,
		       size_t err_bytes)
{
	tare_loaded *l = xcalloc(1, sizeof *l);
	struct err err = { 0 };
	int rc;

	if (err_bytes)
		err_text[0] = 0;
	l->verify = verify;
	rc = open_dir(given, l, &err);
	if (rc > 0)
		rc = ckpt_newest(l->dir, NULL, verify, &l->c, &l->damage, &err);
	const char *from_zero = getenv("TARE_FROM_ZERO");
	bool may_begin_again = from_zero && !strcmp(from_zero, "1");
	if (rc == -EBADMSG && may_begin_again) {
		rc = 0;
		copy_text(err.msg, err_text, err_bytes);
	} else if (rc == -EBADMSG) {
		err_hint(
			&err,
			"bring one back, or begin again knowingly: tare run --from-zero, or TARE_FROM_ZERO=1 (Python: from_zero=True)");
		lib_say(&err, err_text, err_bytes);
	} else if (rc < 0)
		lib_say(&err, err_text, err_bytes);
	else if (l->damage.v.n)
		copy_text(tare_loaded_damage(l), err_text, err_bytes);
	if (rc <= 0)
		tare_loaded_close(l);
	else
		*ret = l;
	return rc;
}

int tare_load_latest(const char *dir, tare_loaded **ret, char *err_text, size_t err_bytes)
{
	return load_newest(dir, true, ret, err_text, err_bytes);
}

int tare_load_quick(const char *dir, tare_loaded **ret, char *err_text, size_t err_bytes)
{
	return load_newest(dir, false, ret, err_text, err_bytes);
}

int lib_find_step(struct ckpt_dir *d, int64_t step, char ret[CKPT_ID_BYTES], struct err *err)
{
	struct ckpt_list l = { 0 };
	char head[40];
	int rc = ckpt_list(d, &l, err);

	snprintf(head, sizeof head, "%012" PRId64 "-", step);
	for (size_t i = 0; rc == 0 && i < l.v.n; i++)
		if (!strncmp(l.v.v[i].id, head, strlen(head))) {
			memcpy(ret, l.v.v[i].id, CKPT_ID_BYTES);
			rc = 1;
		}
	ckpt_list_free(&l);
	return rc;
}

int tare_load_step(const char *dir, int64_t step, tare_loaded **ret, char *err_text,
		   size_t err_bytes)
{
	tare_loaded *l = xcalloc(1, sizeof *l);
	struct err err = { 0 };
	char id[CKPT_ID_BYTES];
	int rc;

	if (err_bytes)
		err_text[0] = 0;
	l->verify = true;
	rc = open_dir(dir, l, &err);
	if (rc > 0 && (rc = lib_find_step(l->dir, step, id, &err)) > 0) {
		if ((rc = ckpt_load(l->dir, id, &l->c, &err)) == 0)
			rc = ckpt_verify(l->dir, &l->c, &err);
		if (rc >= 0)
			rc = 1;
	} else if (l->dir && rc == 0) {
		/* It is not listed: 0 where it never was, -EBADMSG where its manifest is lost, or
		 * all that there are cannot be used and one of them may be it. */
		int newest = ckpt_newest(l->dir, NULL, false, &l->c, &l->damage, &err);
		rc = min_int(newest, 0);
		for (size_t i = 0; newest > 0 && rc == 0 && i < l->damage.v.n; i++)
			if (strtoll(l->damage.v.v[i].id, NULL, 10) == step)
				rc = err_set(&err, -EBADMSG, "%s", l->damage.v.v[i].why);
	}
	if (rc < 0)
		lib_say(&err, err_text, err_bytes);
	if (rc <= 0)
		tare_loaded_close(l);
	else
		*ret = l;
	return rc;
}

int tare_load_older(tare_loaded *l)
{
	struct ckpt older;
	int rc = ckpt_newest(l->dir, l->c.id, l->verify, &older, &l->damage, NULL);

	if (rc > 0) {
		ckpt_free(&l->c);
		l->c = older;
	}
	return rc;
}

int64_t tare_loaded_step(const tare_loaded *l)
{
	return l->c.step;
}

const char *tare_loaded_meta(const tare_loaded *l)
{
	return l->c.meta;
}

size_t tare_loaded_count(const tare_loaded *l)
{
	return l->c.file.n;
}

const char *tare_loaded_name(const tare_loaded *l, size_t i)
{
	if (i < l->c.file.n)
		return l->c.file.v[i].name;
	return NULL;
}

uint64_t tare_loaded_bytes(const tare_loaded *l, size_t i)
{
	if (i < l->c.file.n)
		return l->c.file.v[i].bytes;
	return 0;
}

int64_t tare_loaded_find(const tare_loaded *l, const char *name)
{
	for (size_t i = 0; i < l->c.file.n; i++)
		if (!strcmp(l->c.file.v[i].name, name))
			return (int64_t)i;
	return -1;
}

int tare_loaded_read(tare_loaded *l, size_t i, void *p)
{
	if (i < l->c.file.n)
		return ckpt_read(l->dir, &l->c, i, p, NULL);
	return -ENOENT;
}

void tare_loaded_close(tare_loaded *l)
{
	if (!l)
		return;
	ckpt_free(&l->c);
	ckpt_damage_free(&l->damage);
	str_free(&l->damage_text);
	ckpt_close(l->dir);
	free(l);
}
