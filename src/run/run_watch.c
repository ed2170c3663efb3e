/* Files that a framework writes by itself: which are there, whether they are complete, which step
 * they are. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/fdio.h"
#include "base/num.h"
#include "base/str.h"
#include "ckpt/manifest.h"
#include "base/sort.h"
#include "run/run_priv.h"

#define ENTRIES_MAX 100000u
#define DEPTH       6

void run_files_free(struct run_files *f)
{
	arena_free(&f->mem);
	vec_free(&f->v);
}

static bool counts_as_file(struct sv name, struct sv path, const char *glob, bool dir)
{
	if (!name.n || name.p[0] == '.')
		return false;
	if (dir)
		return !sv_ends(name, SV(".tmp")) && !sv_ends(name, SV("-tmp")) &&
		       !sv_ends(name, SV("_tmp"));
	if (sv_ends(name, SV(".tmp")) || sv_ends(name, SV(".part")))
		return false;
	if (sv_ends(name, SV(".tare-tmp")) || !ckpt_name_ok(path))
		return false;
	return !glob || sv_glob(name, sv_of(glob)) || sv_glob(path, sv_of(glob));
}

struct looked_for {
	const char *glob; /* NULL: all */
	struct run_files *ret;
};

static int read_dir(int at, const char *name, const char *below, int depth,
		    const struct looked_for *w, struct err *err)
{
	struct run_files *ret = w->ret;
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (depth ? O_NOFOLLOW : 0)),
	    r = 0;
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;

	if (!d) {
		r = errno;
		if (fd >= 0)
			close(fd);
		if (r == ENOENT)
			return 0;
		if (depth && (r == ELOOP || r == ENOTDIR))
			return 0;
		return err_set(err, -r, "cannot read '%s': %s", name, strerror(r));
	}
	while (r == 0 && (e = dir_next(d))) {
		struct stat st;
		char *path = arena_printf(&ret->mem, "%s%s%s", below, text_if(*below, "/"),
					  e->d_name);
		bool there = fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0;
		if (!there && errno != ENOENT)
			r = err_set(err, -errno, "cannot look at '%s/%s': %s", name, e->d_name,
				    strerror(errno));
		if (!there ||
		    !counts_as_file(sv_of(e->d_name), sv_of(path), w->glob, S_ISDIR(st.st_mode)))
			continue;
		if (S_ISDIR(st.st_mode) && depth < DEPTH)
			r = read_dir(fd, e->d_name, path, depth + 1, w, err);
		else if (S_ISREG(st.st_mode)) {
			if (ret->v.n >= ENTRIES_MAX)
				r = err_set(err, -E2BIG, "more than %u files below '%s'",
					    ENTRIES_MAX, name);
			else
				*vec_push(&ret->v) =
					(struct run_file){ path, st.st_size,
							   (int64_t)st.st_mtim.tv_sec * 1000000000 +
								   st.st_mtim.tv_nsec,
							   st.st_ino };
		}
	}
	if (r == 0 && !e && errno) /* a checkpoint of half the files is none */
		r = err_set(err, -errno, "cannot read '%s': %s", name, strerror(errno));
	closedir(d);
	return r;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct run_file *)a)->name, ((const struct run_file *)b)->name);
}

int run_files_read(const char *dir, const char *glob, struct run_files *ret, struct err *err)
{
	struct run_files f = { 0 };
	int r = read_dir(AT_FDCWD, dir, "", 0, &(struct looked_for){ glob, &f }, err);

	if (r < 0) {
		run_files_free(&f);
		return r;
	}
	if (f.v.n)
		sort_items(f.v.v, f.v.n, sizeof *f.v.v, by_name);
	*ret = f;
	return 0;
}

static bool is_same_file(const struct run_file *a, const struct run_file *b)
{
	if (strcmp(a->name, b->name) || a->bytes != b->bytes)
		return false;
	return a->mtime_ns == b->mtime_ns && a->ino == b->ino;
}

bool run_files_same(const struct run_files *a, const struct run_files *b)
{
	if (a->v.n != b->v.n)
		return false;
	for (size_t i = 0; i < a->v.n; i++)
		if (!is_same_file(&a->v.v[i], &b->v.v[i]))
			return false;
	return true;
}

/* The greatest number in it, -1. */
static int64_t number_in(const char *name)
{
	int64_t best = -1;

	for (const char *p = name; *p;) {
		int64_t n = 0;
		int digits = 0;
		for (; *p >= '0' && *p <= '9'; p++, digits++)
			if (digits < 12)
				n = n * 10 + (*p - '0');
		if (digits && digits < 12 && n > best)
			best = n;
		p += !digits;
	}
	return best;
}

int64_t run_files_step(const struct run_files *f, const struct run_files *before,
		       int64_t *ret_least)
{
	int64_t best = -1, least = -1;

	for (size_t i = 0; i < f->v.n; i++) {
		const struct run_file *x = &f->v.v[i];
		const struct run_file *was = find_sorted(x, before->v.v, before->v.n, sizeof *x,
							 by_name);
		if (was && is_same_file(x, was))
			continue;
		int64_t n = number_in(x->name);
		best = max_i64(n, best);
		if (n >= 0 && (least < 0 || n < least))
			least = n;
	}
	if (ret_least)
		*ret_least = least;
	return best;
}

static bool has_open_to_write(pid_t pid, const char *fd, dev_t dev, const struct run_files *f)
{
	char path[96], line[128];
	struct stat st;
	unsigned flags = 0;
	FILE *in;

	snprintf(path, sizeof path, "/proc/%d/fd/%.20s", (int)pid, fd);
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_dev != dev)
		return false;
	size_t i = 0;
	while (i < f->v.n && f->v.v[i].ino != st.st_ino)
		i++;
	if (i == f->v.n)
		return false;
	snprintf(path, sizeof path, "/proc/%d/fdinfo/%.20s", (int)pid, fd);
	if (!(in = fopen(path, "re")))
		return false;
	while (fgets(line, sizeof line, in) && sscanf(line, "flags: %o", &flags) != 1)
		;
	fclose(in);
	return (flags & O_ACCMODE) != O_RDONLY;
}

bool run_files_open(const char *dir, const struct run_files *f)
{
	static pid_t pid[4096];
	struct stat st;
	size_t n = run_tree(pid, 4096);
	bool found = false;

	if (stat(dir, &st) < 0)
		return false;
	for (size_t i = 0; i < n && !found; i++) {
		char path[64];
		struct dirent *e;
		snprintf(path, sizeof path, "/proc/%d/fd", (int)pid[i]);
		DIR *d = opendir(path);
		while (d && !found && (e = readdir(d)))
			found = e->d_name[0] != '.' &&
				has_open_to_write(pid[i], e->d_name, st.st_dev, f);
		if (d)
			closedir(d);
	}
	return found;
}
