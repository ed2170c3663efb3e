/* The catalogue's own CSV files, and where they are. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "catalog/in.h"

#ifndef TARE_DATADIR
#define TARE_DATADIR "/usr/share/tare"
#endif
#define TABLE_MAX_BYTES (64 << 20) /* a damaged or foreign file shall not fill the memory */

static bool has_tables(const char *dir)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "%s/gpus.csv", dir);
	return n > 0 && (size_t)n < sizeof path && access(path, R_OK) == 0;
}

const char *catalog_data_dir(struct err *err)
{
	/* Installed: PREFIX/bin/tare beside PREFIX/share/tare. In a build: build/src/cli/tare under
	 * the source tree. */
	static const char *const beside[] = {
		"../share/tare", "data",          "../data",
		"../../data",    "../../../data", "../../../../data"
	};
	static char dir[PATH_MAX + 32];
	const char *env = getenv("TARE_DATA");
	char self[PATH_MAX], *slash = NULL;
	if (env && *env)
		return env;
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	if (n > 0) {
		self[n] = 0;
		slash = strrchr(self, '/');
	}
	if (slash) {
		*slash = 0;
		for (size_t i = 0; i < sizeof beside / sizeof *beside; i++) {
			snprintf(dir, sizeof dir, "%s/%s", self, beside[i]);
			if (has_tables(dir))
				return dir;
		}
	}
	if (has_tables(TARE_DATADIR))
		return TARE_DATADIR;
	err_set(err, -ENOENT, "cannot find the data folder with 'gpus.csv'");
	err_hint(err,
		 "set TARE_DATA to the folder 'data' of the source tree or to PREFIX/share/tare");
	return NULL;
}

static int read_all(int fd, const char *path, char **ret, size_t *ret_n, struct err *err)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return err_set(err, -errno, "cannot read '%s': %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size > TABLE_MAX_BYTES)
		return err_set(err, -EBADMSG, "'%s' is not a table of the catalogue", path);
	size_t n = 0, size = (size_t)st.st_size;
	char *p = xmalloc(size + 1);
	while (n < size) {
		ssize_t got = read(fd, p + n, size - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (n < size) {
		free(p);
		return err_set(err, -EIO, "cannot read all of '%s'", path);
	}
	p[n] = 0;
	*ret = p;
	*ret_n = n;
	return 0;
}

/* Terminate the cells of the line at t->at in place; returns their number and moves on, or -1 at
 * the end. */
static int cut_line(struct table *t, char **cell, int max)
{
	if (t->at >= t->size)
		return -1;
	int n = 0;
	char *p = t->text + t->at;
	for (;;) {
		if (n < max)
			cell[n] = p;
		n++;
		/* not strcspn(): checked builds measure the whole rest of the file at every call */
		while (*p && *p != ',' && *p != '\r' && *p != '\n')
			p++;
		char end = *p;
		*p = 0;
		if (end == ',') {
			p++;
			continue;
		}
		if (end == '\r' && p[1] == '\n')
			p++;
		/* a NUL byte inside ends the line too: the count of cells shows it */
		t->at = (size_t)(p - t->text) + 1;
		t->line++;
		return n;
	}
}

int table_open(struct table *t, const char *dir, const char *file, const char *const *columns,
	       struct err *err)
{
	char path[PATH_MAX];
	*t = (struct table){ .name = file };
	snprintf(path, sizeof path, "%s/%s", dir, file);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		err_set(err, -errno, "cannot open '%s': %s", path, strerror(errno));
		err_hint(err, "TARE_DATA must name the folder with the catalogue's tables");
		return -errno;
	}
	int r = read_all(fd, path, &t->text, &t->size, err);
	close(fd);
	if (r < 0)
		return r;
	char *head[64];
	t->ncol = cut_line(t, head, 64);
	if (t->ncol > 64)
		t->ncol = -1;
	for (; columns[t->want]; t->want++) {
		int i = 0;
		while (i < t->ncol && strcmp(head[i], columns[t->want]))
			i++;
		if (i >= t->ncol) {
			free(t->text);
			t->text = NULL;
			return err_set(err, -EBADMSG, "'%s' has no column '%s'", path,
				       columns[t->want]);
		}
		t->column[t->want] = i;
	}
	return 0;
}

int table_next(struct table *t, struct err *err)
{
	char *cell[64];
	int n = cut_line(t, cell, 64);
	if (n < 0)
		return 0;
	if (n != t->ncol)
		return err_set(err, -EBADMSG, "'%s' line %lld: %d cells instead of %d", t->name,
			       (long long)t->line, n, t->ncol);
	for (int i = 0; i < t->want; i++)
		t->cell[i] = cell[t->column[i]];
	return 1;
}

int table_bad(const struct table *t, const char *column, const char *value, struct err *err)
{
	return err_set(err, -EBADMSG, "'%s' line %lld, column '%s': cannot read '%s'", t->name,
		       (long long)t->line, column, value);
}

int table_f64(const struct table *t, int i, double *ret, struct err *err)
{
	if (!*t->cell[i]) {
		*ret = NAN;
		return 0;
	}
	if (sv_f64(sv_of(t->cell[i]), ret) < 0)
		return table_bad(t, "number", t->cell[i], err);
	return 0;
}

int table_int(const struct table *t, int i, int *ret, struct err *err)
{
	int64_t v = 0;
	if (*t->cell[i] && (sv_i64(sv_of(t->cell[i]), &v) < 0 || !within_i64(v, 0, INT_MAX)))
		return table_bad(t, "whole number", t->cell[i], err);
	*ret = (int)v;
	return 0;
}

int count_parse(struct sv s, int64_t *ret_num, int64_t *ret_den)
{
	struct sv den, num = sv_cut(s, '/', &den);
	dec v;
	int64_t n, d;
	if (den.p) {
		if (sv_i64(num, &n) < 0 || sv_i64(den, &d) < 0 || n < 1 || d < 1 || n > 1000000 ||
		    d > 1000000)
			return -EINVAL;
	} else {
		if (dec_parse(num, 0, &v) < 0 || v <= 0 || v > DEC_ONE * 1000000)
			return -EINVAL;
		n = (int64_t)(v / 1000000); /* millionths are fine enough for a share */
		d = 1000000;
	}
	if (!n)
		return -EINVAL;
	*ret_num = n;
	*ret_den = d;
	return 0;
}

int64_t count_milli(int64_t num, int64_t den)
{
	return (num * 2000 + den) / (den * 2);
}
