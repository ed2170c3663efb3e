/* A folder of profiles and the tables beside it. See migprof.h. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "feed/migprof.h"

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_profile(struct sv name)
{
	return sv_ends(name, SV(".csv")) || sv_ends(name, SV(".csv.gz")) ||
	       sv_ends(name, SV(".csv.zst"));
}

static int no_profile(const char *dir, struct err *err)
{
	err_set(err, -ENOENT, "no profile NAME.csv in '%s'", dir);
	err_hint(
		err,
		"a profile has the columns slices, batch, procs, throughput, latency_ms: a row per measurement");
	return -ENOENT;
}

static int list_dir(struct mig_services *s, const char *dir, struct arena *mem, struct err *err)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return err_set(err, -errno, "cannot open the folder '%s': %s", dir,
			       strerror(errno));
	while ((e = readdir(d))) {
		struct sv name = sv_of(e->d_name);
		if (!is_profile(name))
			continue;
		if (s->n == MIGPROF_MAX) {
			closedir(d);
			return err_set(err, -E2BIG, "'%s' has more than %d profiles", dir,
				       MIGPROF_MAX);
		}
		s->name[s->n++] = arena_strn(mem, name.p, name.n);
	}
	closedir(d);
	if (!s->n)
		return no_profile(dir, err);
	qsort(s->name, s->n, sizeof *s->name, by_name);
	return 0;
}

static int read_profile(const char *path, struct migprof *ret, struct err *err)
{
	struct input *in;
	int r = input_open(path, &in, err);

	if (r < 0)
		return r;
	r = migprof_read(in, ret, err);
	input_close(in);
	return r;
}

static int read_table(const char *path, struct migtab *ret, struct err *err)
{
	struct input *in;
	int r = input_open(path, &in, err);

	if (r < 0)
		return r;
	r = migtab_read(in, ret, err);
	input_close(in);
	return r;
}

static int check_shape(const struct mig_services *s, struct err *err)
{
	const struct migtab *l = &s->latency, *r = &s->rate;

	if (l->ncol == s->n && r->ncol == s->n && l->nrow == r->nrow)
		return 0;
	return err_set(
		err, -EINVAL,
		"%zu profiles, but %zu columns of latency bounds and %zu of rates (rows %zu and %zu): a column per profile, by name",
		s->n, l->ncol, r->ncol, l->nrow, r->nrow);
}

int mig_services_read(const char *dir, const char *latency, const char *rate, struct arena *mem,
		      struct mig_services *ret, struct err *err)
{
	int r;

	memset(ret, 0, sizeof *ret);
	r = list_dir(ret, dir, mem, err);
	for (size_t i = 0; i < ret->n && r >= 0; i++) {
		const char *file = ret->name[i];
		struct sv rest, stem = sv_cut(sv_of(file), '.', &rest);
		r = read_profile(arena_printf(mem, "%s/%s", dir, file), &ret->prof[i], err);
		ret->name[i] = arena_strn(mem, stem.p, stem.n);
	}
	r = r < 0 ? r : read_table(latency, &ret->latency, err);
	r = r < 0 ? r : read_table(rate, &ret->rate, err);
	return r < 0 ? r : check_shape(ret, err);
}

void mig_services_free(struct mig_services *s)
{
	for (size_t i = 0; i < s->n; i++)
		migprof_free(&s->prof[i]);
	migtab_free(&s->latency);
	migtab_free(&s->rate);
}
