/* See outfile.h. */
#include "base/outfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/mem.h"

struct outfile {
	FILE *f;
	struct str path, beside; /* beside: empty = written as it is */
	ZSTD_CCtx *z;            /* NULL: not packed */
	char *buf;               /* [cap] packed bytes */
	size_t cap;
};

static int write_error(const struct outfile *o, struct err *err)
{
	int e = EIO;

	if (errno)
		e = errno;
	return err_set(err, -e, "cannot write '%s': %s", o->path.p, strerror(e));
}

static void free_outfile(struct outfile *o)
{
	ZSTD_freeCCtx(o->z);
	free(o->buf);
	str_free(&o->path);
	str_free(&o->beside);
	free(o);
}

int outfile_open(const char *path, bool packed, struct outfile **ret, struct err *err)
{
	struct outfile *o = xcalloc(1, sizeof *o);
	struct stat st;
	int r = 0;

	str_addz(&o->path, path);
	if (lstat(path, &st) < 0 || S_ISREG(st.st_mode)) /* else a pipe, a device: not replaced */
		str_addf(&o->beside, "%s.%ld.tmp", path, (long)getpid());
	if (packed) {
		o->z = ZSTD_createCCtx();
		o->cap = ZSTD_CStreamOutSize();
		o->buf = xmalloc(o->cap);
		r = o->z ? 0 : err_nomem(err);
	}
	if (r == 0) {
		o->f = fopen(o->beside.n ? o->beside.p : path, "we");
		r = o->f ? 0 : write_error(o, err);
	}
	if (r < 0)
		free_outfile(o);
	else
		*ret = o;
	return r;
}

static int put_plain(struct outfile *o, const char *p, size_t n, struct err *err)
{
	errno = 0;
	if (!n || fwrite(p, 1, n, o->f) == n)
		return 0;
	return write_error(o, err);
}

static int put_packed(struct outfile *o, struct sv text, ZSTD_EndDirective how, struct err *err)
{
	ZSTD_inBuffer in = { text.n ? text.p : "", text.n, 0 };
	size_t left;
	int r;

	do {
		ZSTD_outBuffer out = { o->buf, o->cap, 0 };
		left = ZSTD_compressStream2(o->z, &out, &in, how);
		if (ZSTD_isError(left))
			return err_set(err, -EIO, "cannot pack '%s': %s", o->path.p,
				       ZSTD_getErrorName(left));
		r = put_plain(o, o->buf, out.pos, err);
		if (r < 0)
			return r;
	} while (how == ZSTD_e_end ? left > 0 : in.pos < in.size);
	return 0;
}

int outfile_put(struct outfile *o, struct sv text, struct err *err)
{
	if (o->z)
		return put_packed(o, text, ZSTD_e_continue, err);
	return put_plain(o, text.p, text.n, err);
}

int outfile_done(struct outfile *o, struct err *err)
{
	bool beside = o->beside.n > 0;
	int r = 0;

	if (o->z)
		r = put_packed(o, SV(""), ZSTD_e_end, err);
	errno = 0;
	if (r == 0 && (fflush(o->f) != 0 || (beside && fsync(fileno(o->f)) != 0)))
		r = write_error(o, err);
	if (fclose(o->f) != 0 && r == 0)
		r = write_error(o, err);
	if (r == 0 && beside && rename(o->beside.p, o->path.p) != 0)
		r = write_error(o, err);
	if (r < 0 && beside)
		unlink(o->beside.p);
	free_outfile(o);
	return r;
}

void outfile_drop(struct outfile *o)
{
	if (!o)
		return;
	fclose(o->f);
	if (o->beside.n)
		unlink(o->beside.p);
	free_outfile(o);
}

int outfile_write(const char *path, struct sv text, struct err *err)
{
	struct outfile *o;
	int r = outfile_open(path, false, &o, err);

	if (r < 0)
		return r;
	r = outfile_put(o, text, err);
	if (r < 0) {
		outfile_drop(o);
		return r;
	}
	return outfile_done(o, err);
}
