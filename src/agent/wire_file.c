/* `tare agent export` to a file: wire.c's records, packed by zstd. */
#include "agent/wire.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/pack.h"

struct target {
	FILE *f;
	bool pack;
};

/* Packed pieces are frames of their own: readers take them for one. */
static int put_piece(void *ctx, struct str *out, struct err *err)
{
	struct target *t = ctx;
	struct str packed = { 0 };
	int r = t->pack ? pack_zstd(str_sv(out), &packed, err) : 0;
	const struct str *s = out;

	if (t->pack)
		s = &packed;
	if (r >= 0 && fwrite(str_z(s), 1, s->n, t->f) != s->n)
		r = err_set(err, -errno, "cannot write the output: %s", strerror(errno));
	str_free(&packed);
	str_clear(out);
	return r;
}

int wire_write_file(struct agentdb *db, const struct wire_range *range, const char *path,
		    struct err *err)
{
	struct target t = { .f = stdout };
	struct str out = { 0 };
	int r;

	if (path) {
		t.pack = sv_ends(sv_of(path), SV(".zst"));
		if (!(t.f = fopen(path, "we")))
			return err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	}
	r = wire_write(db, range, &out, put_piece, &t, err);
	if (fflush(t.f) && r >= 0)
		r = err_set(err, -errno, "cannot write the output: %s", strerror(errno));
	if (t.f != stdout)
		fclose(t.f);
	str_free(&out);
	return r;
}
