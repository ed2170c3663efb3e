/* See keep.h. */
#include "base/keep.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"

#define FILES_MAX 1000000 /* more in one folder is not ours */

struct file {
	const char *name;
	size_t stem; /* bytes of the name up to the first dot */
	int64_t bytes, changed_ms;
};
struct files {
	VEC(struct file) v;
	struct arena names;
};
struct entry {
	size_t from, to;
	int64_t bytes, changed_ms;
}; /* its files */

static int by_stem(const void *pa, const void *pb)
{
	const struct file *a = pa, *b = pb;
	return sv_cmp((struct sv){ a->name, a->stem }, (struct sv){ b->name, b->stem });
}

static int by_age(const void *pa, const void *pb)
{
	const struct entry *a = pa, *b = pb;
	if (a->changed_ms != b->changed_ms)
		return cmp_i64(a->changed_ms, b->changed_ms);
	return cmp_size(a->from, b->from);
}

/* The entries, oldest first; of malloc. */
static struct entry *group_files(struct files *f, size_t *ret_n, int64_t *ret_bytes)
{
	struct entry *e = xcalloc(f->v.n + 1, sizeof *e);
	size_t n = 0;

	if (f->v.n)
		sort_items(f->v.v, f->v.n, sizeof *f->v.v, by_stem);
	*ret_bytes = 0;
	for (size_t i = 0; i < f->v.n; i++) {
		const struct file *x = &f->v.v[i];
		if (!n || by_stem(x, &f->v.v[e[n - 1].from]) != 0)
			e[n++] = (struct entry){ .from = i, .changed_ms = x->changed_ms };
		e[n - 1].to = i + 1;
		e[n - 1].bytes += x->bytes;
		e[n - 1].changed_ms = max_i64(x->changed_ms, e[n - 1].changed_ms);
		*ret_bytes += x->bytes;
	}
	sort_items(e, n, sizeof *e, by_age);
	*ret_n = n;
	return e;
}

int keep_trim(const char *dir, const struct keep_opt *o, struct keep_sums *ret, struct err *err)
{
	struct keep_sums sums = { 0 };
	struct files f = { 0 };
	size_t n;
	struct dirent *d;
	DIR *all = opendir(dir);

	if (ret)
		*ret = sums;
	if (!all) {
		if (errno == ENOENT)
			return 0;
		return err_set(err, -errno, "cannot look into the folder '%s': %s", dir,
			       strerror(errno));
	}
	while (f.v.n < FILES_MAX && (d = readdir(all))) {
		struct stat st;
		if (*d->d_name == '.' || (o->ours && !o->ours(d->d_name)))
			continue;
		if (fstatat(dirfd(all), d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		*vec_push(&f.v) = (struct file){ .name = arena_sv(&f.names, sv_of(d->d_name)),
						 .stem = strcspn(d->d_name, "."),
						 .bytes = (int64_t)st.st_size,
						 .changed_ms = (int64_t)st.st_mtim.tv_sec * 1000 +
							       st.st_mtim.tv_nsec / 1000000 };
	}
	struct entry *e = group_files(&f, &n, &sums.bytes);
	sums.entries = (int64_t)n;
	for (size_t i = 0; i < n; i++) {
		int64_t age = o->now_ms - e[i].changed_ms;
		bool old = o->max_age_ms && age > o->max_age_ms,
		     much = o->max_bytes && sums.bytes > o->max_bytes;
		if (!(old || much) || (o->spare_ms && age < o->spare_ms))
			continue;
		bool gone = true;
		for (size_t k = e[i].from; k < e[i].to; k++)
			gone &= unlinkat(dirfd(all), f.v.v[k].name, 0) == 0 || errno == ENOENT;
		if (!gone)
			continue;
		sums.entries--;
		sums.bytes -= e[i].bytes;
		sums.gone++;
		sums.gone_bytes += e[i].bytes;
	}
	free(e);
	closedir(all);
	vec_free(&f.v);
	arena_free(&f.names);
	if (ret)
		*ret = sums;
	return 0;
}
