#include <errno.h>
#include <stdio.h>
#include "lib/lib.h"
#include "spot/ckpt.h"

struct tare_loaded {
	struct ckpt_dir *dir;
	struct ckpt c;
};

int tare_load_latest(const char *told, tare_loaded **ret, char *err_text, size_t err_bytes)
{
	const char *dir = lib_dir(told);
	tare_loaded *l = xcalloc(1, sizeof *l);
	struct err err = { 0 };
	int rc, skipped = 0;

	if (err_bytes)
		err_text[0] = 0;
	if (!dir)
		rc = err_set(&err, -EINVAL, "no folder of checkpoints was told: give dir, or set TARE_CHECKPOINT_DIR");
	else
		rc = ckpt_open(dir, &(struct ckpt_opt){ .read_only = true }, &l->dir, &err);
	if (rc == -ENOENT) { /* nothing was ever saved */
		tare_loaded_close(l);
		return 0;
	}
	if (rc == 0)
		rc = ckpt_newest(l->dir, NULL, true, &l->c, &skipped, &err);
	if (rc < 0 || skipped)
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
	int rc = ckpt_newest(l->dir, l->c.id, true, &older, NULL, NULL);

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
	return i < l->c.file.n ? l->c.file.v[i].name : NULL;
}

uint64_t tare_loaded_bytes(const tare_loaded *l, size_t i)
{
	return i < l->c.file.n ? l->c.file.v[i].bytes : 0;
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
	return i < l->c.file.n ? ckpt_read(l->dir, &l->c, i, p, NULL) : -ENOENT;
}

void tare_loaded_close(tare_loaded *l)
{
	if (!l)
		return;
	ckpt_free(&l->c);
	ckpt_close(l->dir);
	free(l);
}
