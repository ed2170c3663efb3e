/* See make.h. */
#include "demo/make.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/tm.h"
#include "book/book.h"
#include "ledger/conf.h"
#include "store/folder.h"

#define COMMAND "tare demo"

const char *demo_kind_name(enum demo_kind kind)
{
	if (kind == DEMO_TIDY)
		return "tidy";
	return "wasteful";
}

/* A demo being made. */
struct making {
	const struct demo_make *m;
	struct demo_made *made;
	struct arena mem;
};

static void tell_progress(struct making *k, const char *label)
{
	if (k->m->progress)
		k->m->progress(k->m->ctx, label, 0, 0, -1);
}

static const char *path_of(struct making *k, const char *name)
{
	return arena_printf(&k->mem, "%s/%s", k->m->dir, name);
}

/* ---- the store that may be there ---------------------------------------------------------- */

/* Opened first: another command may be at work in it. One that cannot be opened for another reason
 * (an older schema, damaged) goes all the same. */
static int remove_store(const struct demo_make *m, struct err *err)
{
	struct store *s;
	int rc = store_open(m->db, STORE_WRITE, m->wait_ms, COMMAND, &s, err);

	if (rc == -EBUSY)
		return rc;
	if (rc == 0)
		store_close(s);
	DIR *d = opendir(m->db);
	struct dirent *e;
	if (!d)
		return err_set(err, -errno, "cannot read '%s': %s", m->db, strerror(errno));
	rc = 0;
	while (rc == 0 && (e = readdir(d)))
		if (e->d_name[0] != '.' && unlinkat(dirfd(d), e->d_name, 0) && errno != ENOENT)
			rc = err_set(err, -errno, "cannot remove '%s/%s': %s", m->db, e->d_name,
				     strerror(errno));
	closedir(d);
	return rc;
}

/* A folder that cannot be listed is not. */
static bool is_empty(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	bool ret = d != NULL;

	while (ret && (e = readdir(d)))
		ret = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	if (d)
		closedir(d);
	return ret;
}

/* DIR must be empty, or be what an earlier demo made: nobody else's file is written over. */
static int prepare_folder(struct making *k, struct err *err)
{
	const struct demo_make *m = k->m;
	const char *path = path_of(k, "demo.txt");
	const char *mark = arena_printf(&k->mem, "tare %s demo, fleet %s, seed %llu\n",
					TARE_VERSION, demo_kind_name(m->kind),
					(unsigned long long)m->seed);
	char old[256];
	struct stat st;
	int rc = folder_make(m->dir, 0777, err);

	if (rc)
		return rc;
	/* The mark is one line and tells what made the store in DIR/db: another seed or fleet
	 * starts again, and nobody else's store is touched. */
	FILE *f = fopen(path, "re");
	bool made = f && fgets(old, sizeof old, f) && sv_starts(sv_of(old), SV("tare "));
	made = made && sv_has(sv_of(old), SV(" demo, fleet "));
	if (f)
		fclose(f);
	if (!made && !is_empty(m->dir)) {
		err_set(err, -EEXIST, "'%s' has files that the demo did not make", m->dir);
		err_hint(err, "Name a folder that is empty or not there yet: tare demo --dir DIR");
		return -EEXIST;
	}
	if (made && stat(m->db, &st) == 0 && strcmp(old, mark) != 0)
		rc = remove_store(m, err);
	if (rc)
		return rc;
	/* atomically: half a mark, of a full disk, would make the folder somebody
	 * else's */
	return outfile_write(path, sv_of(mark), err);
}

/* ---- the files ---------------------------------------------------------------------------- */

struct sink {
	struct outfile *o;
	int64_t *bytes;
};

static int put_bytes(void *ctx, const char *p, size_t n, struct err *err)
{
	struct sink *s = ctx;

	*s->bytes += (int64_t)n;
	return outfile_put(s->o, (struct sv){ p, n }, err);
}

static int write_file(struct making *k, const struct demo_fleet *fleet,
		      const struct demo_file *file, struct err *err)
{
	struct sink s = { .bytes = &k->made->bytes };
	struct demo_out out = { put_bytes, &s };
	bool packed = sv_ends(sv_of(file->name), SV(".zst"));
	int rc = outfile_open(path_of(k, file->name), packed, &s.o, err);

	if (rc == 0) {
		rc = file->write(fleet, &out, err);
		if (rc < 0)
			outfile_drop(s.o);
		else
			rc = outfile_done(s.o, err);
	}
	if (rc < 0)
		err_hint(err, "Make room there, or name another folder: tare demo --dir DIR");
	return rc;
}

/* What an earlier demo of the other fleet wrote: it would be read with the files of this one. */
static int remove_other(struct making *k, const struct demo_file *file, struct err *err)
{
	const char *path = path_of(k, file->name);

	if (unlink(path) == 0 || errno == ENOENT)
		return 0;
	return err_set(err, -errno, "cannot remove '%s': %s", path, strerror(errno));
}

static int write_all(struct making *k, struct err *err)
{
	struct demo_fleet fleet;
	int rc = 0;

	demo_fleet_make(&fleet, k->m->kind, k->m->seed);
	for (const struct demo_file *f = demo_files; f->name && rc == 0; f++) {
		if (!demo_file_is_of(f, fleet.kind)) {
			rc = remove_other(k, f, err);
			continue;
		}
		tell_progress(k, arena_printf(&k->mem, "writing %s", f->name));
		rc = write_file(k, &fleet, f, err);
	}
	tell_progress(k, NULL);
	demo_fleet_free(&fleet);
	return rc;
}

/* ---- the import --------------------------------------------------------------------------- */

/* One batch of all files. */
static int import_files(struct making *k, const struct conf *conf, struct store *s, struct err *err)
{
	struct book *b = NULL;
	const char *cluster[DEMO_CLUSTERS];
	struct book_opt opt = { .conf = conf,
				.command = COMMAND,
				.at_ms = UNKNOWN_MS,
				.now_ms = k->m->now_ms,
				.covers = cluster, /* the fleet's jobs are all there were */
				.ncovers = DEMO_CLUSTERS,
				.covers_from_ms = DEMO_FROM_S * MS_SECOND,
				.covers_to_ms = DEMO_TO_S * MS_SECOND,
				.progress = k->m->progress,
				.progress_ctx = k->m->ctx,
				.said = k->m->said };

	for (int i = 0; i < DEMO_CLUSTERS; i++)
		cluster[i] = demo_cluster_name((enum demo_cluster)i);
	int rc = book_begin(s, &opt, &b, err);
	for (const struct demo_file *f = demo_files; f->name && rc == 0; f++) {
		const struct book_file *bf = NULL;
		if (!f->import || !demo_file_is_of(f, k->m->kind))
			continue;
		rc = book_add_file(b, path_of(k, f->name), &bf, err);
		if (rc == 0)
			k->made->rows += bf->report.rows_kept;
	}
	if (rc == 0)
		rc = book_commit(b, err);
	tell_progress(k, NULL);
	if (b)
		book_free(b);
	return rc;
}

static int import_all(struct making *k, struct err *err)
{
	struct conf conf = { 0 };
	struct store *s = NULL;
	int rc = conf_load(path_of(k, "config.yaml"), &conf, err);

	if (rc)
		return rc;
	rc = store_open(k->m->db, STORE_WRITE, k->m->wait_ms, COMMAND, &s, err);
	if (rc == 0) {
		rc = import_files(k, &conf, s, err);
		store_close(s);
	}
	conf_free(&conf);
	return rc;
}

int demo_make(const struct demo_make *m, struct demo_made *ret, struct err *err)
{
	struct making k = { .m = m, .made = ret };
	int rc;

	*ret = (struct demo_made){ 0 };
	rc = prepare_folder(&k, err);
	if (!rc)
		rc = write_all(&k, err);
	if (!rc)
		rc = import_all(&k, err);
	arena_free(&k.mem);
	return rc;
}
