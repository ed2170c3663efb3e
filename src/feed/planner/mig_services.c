/* A folder of profiles and the tables beside it. See migprof.h. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "base/sort.h"
#include "base/tab.h"
#include "feed/planner/migprof.h"

/* The service that a file is of, whose name may have dots in it; empty: it is no profile. */
static struct sv stem_of(struct sv file)
{
	static const char *const end[] = { ".csv", ".csv.gz", ".csv.zst" };

	for (size_t i = 0; i < sizeof end / sizeof *end; i++)
		if (sv_ends(file, sv_of(end[i])))
			return (struct sv){ file.p, file.n - strlen(end[i]) };
	return (struct sv){ 0 };
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
		if (!stem_of(name).n)
			continue;
		if (s->n == MIGPROF_MAX) {
			closedir(d);
			return err_set(err, -E2BIG, "'%s' has more than %d profiles", dir,
				       MIGPROF_MAX);
		}
		s->name[s->n++] = arena_strn(mem, name.p, name.n);
	}
	closedir(d);
	if (!s->n) {
		err_set(err, -ENOENT, "no profile NAME.csv in '%s'", dir);
		err_hint(
			err,
			"a profile has the columns slices, batch, procs, throughput, latency_ms: a row per measurement");
		return -ENOENT;
	}
	sort_items(s->name, s->n, sizeof *s->name, rising_text);
	return 0;
}

/* Names are still those of the files; with two of one service its rate would count twice. */
static int check_names(const struct mig_services *s, const char *dir, struct err *err)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < i; k++) {
			if (!sv_eq(stem_of(sv_of(s->name[i])), stem_of(sv_of(s->name[k]))))
				continue;
			err_set(err, -EEXIST, "'%s' and '%s' in '%s' are profiles of one service",
				s->name[k], s->name[i], dir);
			err_hint(err, "keep one of them in the folder");
			return -EEXIST;
		}
	return 0;
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

/* Which column of the table is of which service, by name; -1: none. */
static int find_columns(const struct mig_services *s, const struct migtab *t, int *ret,
			struct err *err)
{
	struct sv col[MIGPROF_MAX];
	bool taken[MIGPROF_MAX] = { false };

	if (t->ncol > MIGPROF_MAX)
		return err_set(err, -E2BIG, "more than %d columns", MIGPROF_MAX);
	for (size_t i = 0; i < t->ncol; i++)
		col[i] = sv_of(t->name[i]);
	for (size_t m = 0; m < s->n; m++) {
		ret[m] = tab_find(col, t->ncol, s->name[m], false);
		if (ret[m] < 0)
			continue;
		if (taken[ret[m]]) {
			/* names that differ by case or separators alone find one column */
			size_t k = 0;
			while (ret[k] != ret[m])
				k++;
			err_set(err, -EEXIST, "column '%s' is that of two profiles, '%s' and '%s'",
				t->name[ret[m]], s->name[k], s->name[m]);
			err_hint(
				err,
				"give each profile a column of its own, called as its file without .csv");
			return -EEXIST;
		}
		taken[ret[m]] = true;
	}
	for (size_t i = 0; i < t->ncol; i++) {
		if (taken[i])
			continue;
		const char *near = near_word(t->name[i], s->name, s->n);
		err_set(err, -EINVAL, "column '%s' names no profile", t->name[i]);
		if (near)
			err_hint(err, "did you mean '%s'?", near);
		else
			err_hint(err,
				 "a column is called as the file of its profile, without .csv");
		return -EINVAL;
	}
	return 0;
}

/* A column per service, in their order. */
static int by_service(const struct mig_services *s, const char *path, struct migtab *t,
		      struct err *err)
{
	int col[MIGPROF_MAX];
	int r = 0;

	if (t->name) {
		r = find_columns(s, t, col, err);
	} else if (t->ncol != s->n) {
		r = err_set(err, -EINVAL, "%zu columns without names, but %zu profiles", t->ncol,
			    s->n);
		err_hint(
			err,
			"name the columns in a first line; without one there is a column per profile, in the order of their names");
	}
	if (r < 0)
		err_prefix(err, "'%s'", path);
	if (r < 0 || !t->name)
		return r;
	struct migtab to = { .nrow = t->nrow, .ncol = s->n };
	to.v = xcalloc(to.nrow * to.ncol + 1, sizeof *to.v);
	for (size_t i = 0; i < to.nrow; i++)
		for (size_t m = 0; m < s->n; m++)
			to.v[i * s->n + m] = col[m] < 0 ? NAN : t->v[i * t->ncol + (size_t)col[m]];
	migtab_free(t);
	*t = to;
	return 0;
}

int mig_services_read(const char *dir, const char *latency, const char *rate, struct arena *mem,
		      struct mig_services *ret, struct err *err)
{
	struct input *in;
	int r;

	memset(ret, 0, sizeof *ret);
	r = list_dir(ret, dir, mem, err);
	if (r >= 0)
		r = check_names(ret, dir, err);
	for (size_t i = 0; i < ret->n && r >= 0; i++) {
		const char *file = ret->name[i];
		struct sv stem = stem_of(sv_of(file));
		r = input_open(arena_printf(mem, "%s/%s", dir, file), &in, err);
		if (r >= 0) {
			r = migprof_read(in, &ret->prof[i], err);
			input_close(in);
		}
		ret->name[i] = arena_strn(mem, stem.p, stem.n);
	}
	if (r >= 0)
		r = read_table(latency, &ret->latency, err);
	if (r >= 0)
		r = read_table(rate, &ret->rate, err);
	if (r >= 0)
		r = by_service(ret, latency, &ret->latency, err);
	if (r >= 0)
		r = by_service(ret, rate, &ret->rate, err);
	if (r < 0 || ret->latency.nrow == ret->rate.nrow)
		return r;
	return err_set(
		err, -EINVAL,
		"%zu scenarios of latency bounds, but %zu of rates: a row of each is one scenario",
		ret->latency.nrow, ret->rate.nrow);
}

void mig_services_free(struct mig_services *s)
{
	for (size_t i = 0; i < s->n; i++)
		migprof_free(&s->prof[i]);
	migtab_free(&s->latency);
	migtab_free(&s->rate);
}
