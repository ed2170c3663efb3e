/* tare demo: write the files of an invented fleet, import them as anybody's, report. */
#include "cli/cmds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/sh.h"
#include "base/tm.h"
#include "book/book.h"
#include "cli/demo_fleet.h"

/* ---- one file ---------------------------------------------------------------------------- */

struct sink_file {
	const char *path;
	FILE *f;
	ZSTD_CCtx *z; /* NULL: not packed */
	char *buf;
	size_t cap;
	int64_t bytes; /* before packing */
};

static int write_error(const struct sink_file *o, struct err *err)
{
	int e = errno ? errno : EIO;

	err_set(err, -e, "cannot write '%s': %s", o->path, strerror(e));
	err_hint(err, "Make room there, or name another folder: tare demo --dir DIR");
	return -e;
}

static int put_packed(struct sink_file *o, const char *p, size_t n, ZSTD_EndDirective how,
		      struct err *err)
{
	ZSTD_inBuffer in = { p, n, 0 };
	size_t left;

	do {
		ZSTD_outBuffer out = { o->buf, o->cap, 0 };
		left = ZSTD_compressStream2(o->z, &out, &in, how);
		if (ZSTD_isError(left))
			return err_set(err, -EIO, "cannot pack '%s': %s", o->path,
				       ZSTD_getErrorName(left));
		if (out.pos && fwrite(o->buf, 1, out.pos, o->f) != out.pos)
			return write_error(o, err);
	} while (how == ZSTD_e_end ? left > 0 : in.pos < in.size);
	return 0;
}

static int put(void *ctx, const char *p, size_t n, struct err *err)
{
	struct sink_file *o = ctx;

	o->bytes += (int64_t)n;
	if (o->z)
		return put_packed(o, p, n, ZSTD_e_continue, err);
	return fwrite(p, 1, n, o->f) == n ? 0 : write_error(o, err);
}

static bool is_packed(const char *name)
{
	size_t n = strlen(name);

	return n > 4 && !strcmp(name + n - 4, ".zst");
}

static int write_file(const struct demo_fleet *fleet, const struct demo_file *file,
		      const char *path, int64_t *ret_bytes, struct err *err)
{
	struct sink_file o = { .path = path };
	struct demo_out out = { put, &o };
	int rc;

	errno = 0;
	o.f = fopen(path, "wbe");
	if (!o.f)
		return write_error(&o, err);
	if (is_packed(file->name)) {
		o.z = ZSTD_createCCtx();
		o.cap = ZSTD_CStreamOutSize();
		o.buf = xmalloc(o.cap);
		if (!o.z) {
			rc = err_nomem(err);
			goto out;
		}
	}
	rc = file->write(fleet, &out, err);
	if (rc == 0 && o.z)
		rc = put_packed(&o, "", 0, ZSTD_e_end, err);
out:
	ZSTD_freeCCtx(o.z);
	free(o.buf);
	errno = 0;
	if (fclose(o.f) && rc == 0)
		rc = write_error(&o, err);
	*ret_bytes = o.bytes;
	return rc;
}

/* ---- the folder -------------------------------------------------------------------------- */

static int make_dirs(const char *dir, struct err *err)
{
	char *path = xstrdup(dir);
	int rc = 0;

	for (char *p = path + 1; rc == 0; p++) {
		char c = *p;
		if (c != '/' && c)
			continue;
		*p = 0;
		if (mkdir(path, 0777) && errno != EEXIST)
			rc = err_set(err, -errno, "cannot make the folder '%s': %s", path,
				     strerror(errno));
		*p = c;
		if (!c)
			break;
	}
	free(path);
	return rc;
}

/* What made the store in DIR/db: one line, so that another seed or fleet starts anew and nobody
 * else's store is touched. */
static bool read_mark(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	bool ok = f && fgets(buf, (int)size, f);

	if (f)
		fclose(f);
	return ok;
}

static int write_mark(const char *path, const char *text, struct err *err)
{
	FILE *f = fopen(path, "we");

	if (!f || fputs(text, f) < 0 || fclose(f))
		return err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	return 0;
}

static int remove_store(const char *db, struct err *err)
{
	DIR *d = opendir(db);
	struct dirent *e;
	int rc = 0;

	while (d && rc == 0 && (e = readdir(d)))
		if (e->d_name[0] != '.' && unlinkat(dirfd(d), e->d_name, 0) && errno != ENOENT)
			rc = err_set(err, -errno, "cannot remove '%s/%s': %s", db, e->d_name,
				     strerror(errno));
	if (d)
		closedir(d);
	return rc;
}

/* DIR/db must be absent, or be what an earlier demo made. */
static int prepare(struct cli *c, const char *dir, const char *db, const char *mark,
		   struct err *err)
{
	const char *mark_path = arena_printf(&c->mem, "%s/demo.txt", dir);
	char old[256];
	struct stat st;
	struct store *s;
	int rc = make_dirs(dir, err);

	if (rc)
		return rc;
	if (stat(db, &st) == 0 && !read_mark(mark_path, old, sizeof old)) {
		err_set(err, -EEXIST, "'%s' is a store that the demo did not make", db);
		err_hint(err, "Name another folder: tare demo --dir DIR");
		return -EEXIST;
	}
	if (stat(db, &st) == 0 && strcmp(old, mark)) {
		/* Opened first: another command may be at work in it. */
		rc = store_open(db, STORE_WRITE, c->wait_ms, "tare demo", &s, err);
		if (rc == -EBUSY)
			return rc;
		if (rc == 0)
			store_close(s);
		rc = remove_store(db, err);
	}
	return rc ? rc : write_mark(mark_path, mark, err);
}

/* ---- the command ------------------------------------------------------------------------- */

static int write_all(struct cli *c, const struct demo_fleet *fleet, const char *dir,
		     int64_t *ret_bytes, struct err *err)
{
	int rc = 0;

	for (const struct demo_file *f = demo_files; f->name && rc == 0; f++) {
		int64_t bytes = 0;
		if (!demo_file_is_of(f, fleet->kind))
			continue;
		cli_progress(c, arena_printf(&c->mem, "writing %s", f->name), 0, 0, -1);
		rc = write_file(fleet, f, arena_printf(&c->mem, "%s/%s", dir, f->name), &bytes,
				err);
		*ret_bytes += bytes;
	}
	cli_progress(c, NULL, 0, 0, 0);
	return rc;
}

static void progress(void *ctx, const char *label, int64_t rows, int64_t done_bytes,
		     int64_t size_bytes)
{
	cli_progress(ctx, label, rows, done_bytes, size_bytes);
}

static int add_all(struct cli *c, struct book *b, enum demo_kind kind, const char *dir,
		   int64_t *ret_rows, struct err *err)
{
	int rc = 0;

	for (const struct demo_file *f = demo_files; f->name && rc == 0; f++) {
		const struct book_file *bf = NULL;
		if (!f->import || !demo_file_is_of(f, kind))
			continue;
		rc = book_add_file(b, arena_printf(&c->mem, "%s/%s", dir, f->name), &bf, err);
		if (rc == 0)
			*ret_rows += bf->report.rows_kept;
	}
	return rc;
}

static int import_all(struct cli *c, enum demo_kind kind, const char *dir, const char *db,
		      int64_t *ret_rows, struct err *err)
{
	struct conf conf = { 0 };
	struct store *s = NULL;
	struct book *b = NULL;
	const char *cluster[DEMO_CLUSTERS];
	struct book_opt opt = { .conf = &conf,
				.command = "tare demo",
				.at_ms = UNKNOWN_MS,
				.now_ms = c->now_ms,
				.covers = cluster, /* the fleet's jobs are all there were */
				.ncovers = DEMO_CLUSTERS,
				.covers_from_ms = DEMO_FROM_S * 1000,
				.covers_to_ms = DEMO_TO_S * 1000,
				.progress = progress,
				.progress_ctx = c,
				.said = cli_said };
	int rc = conf_load(arena_printf(&c->mem, "%s/config.yaml", dir), &conf, err);

	if (rc)
		return rc;
	for (int i = 0; i < DEMO_CLUSTERS; i++)
		cluster[i] = demo_cluster_name((enum demo_cluster)i);
	rc = store_open(db, STORE_WRITE, c->wait_ms, "tare demo", &s, err);
	if (rc == 0)
		rc = book_begin(s, &opt, &b, err);
	if (rc == 0)
		rc = add_all(c, b, kind, dir, ret_rows, err);
	if (rc == 0)
		rc = book_commit(b, err);
	cli_progress(c, NULL, 0, 0, 0);
	if (b)
		book_free(b);
	if (s)
		store_close(s);
	conf_free(&conf);
	return rc;
}

/* The same command line that the user would type. */
static int report(struct cli *c, const char *db, const char *config)
{
	const char *format = cli_value(c, "output");
	char *argv[] = { (char *)"tare",
			 (char *)"report",
			 (char *)"--by",
			 (char *)"team",
			 (char *)"--db",
			 (char *)db,
			 (char *)"--config",
			 (char *)config,
			 (char *)(format ? "--output" : NULL),
			 (char *)format,
			 NULL };

	return cli_main(format ? 10 : 8, argv);
}

static void next_steps(struct cli *c, const char *dir, const char *db)
{
	const char *config = sh_show(&c->mem, arena_printf(&c->mem, "%s/config.yaml", dir));

	if (c->quiet || c->output != OUT_TABLE)
		return;
	db = sh_show(&c->mem, db);
	printf("\nNext:  tare plan --db %s --config %s\n"
	       "       tare report --db %s --by workload\n"
	       "       tare report --db %s --by team,state\n"
	       "The files that were imported are in %s: yours may look the same.\n",
	       db, config, db, db, dir);
}

static int parse_seed(struct cli *c, uint64_t *ret)
{
	const char *text = cli_value(c, "seed");
	int64_t v = 1;

	if (text && (sv_i64(sv_of(text), &v) || v < 0))
		return cli_usage_error(c, "--seed: '%s' is not a whole number from 0", text);
	*ret = (uint64_t)v;
	return 0;
}

static int run(struct cli *c)
{
	const char *kind = cli_value(c, "fleet"), *dir = cli_value(c, "dir"), *db;
	struct demo_fleet fleet;
	struct err err = { 0 };
	int64_t bytes = 0, rows = 0;
	uint64_t seed = 1;
	int rc;

	if (c->narg)
		return cli_usage_error(c, "'%s': tare demo takes no arguments", c->arg[0]);
	if (kind && strcmp(kind, "wasteful") && strcmp(kind, "tidy"))
		return cli_usage_error(c, "--fleet: '%s' is neither wasteful nor tidy", kind);
	if (parse_seed(c, &seed))
		return EXIT_ERROR;
	kind = kind ? kind : "wasteful";
	dir = dir && *dir ? dir : cli_db(c);
	db = arena_printf(&c->mem, "%s/db", dir);

	rc = prepare(c, dir, db,
		     arena_printf(&c->mem, "tare %s demo, fleet %s, seed %llu\n", TARE_VERSION,
				  kind, (unsigned long long)seed),
		     &err);
	if (rc)
		return cli_fail(&err);
	demo_fleet_make(&fleet, !strcmp(kind, "tidy") ? DEMO_TIDY : DEMO_WASTEFUL, seed);
	rc = write_all(c, &fleet, dir, &bytes, &err);
	demo_fleet_free(&fleet);
	if (rc == 0)
		rc = import_all(c, fleet.kind, dir, db, &rows, &err);
	if (rc)
		return cli_fail(&err);
	if (!c->quiet)
		fprintf(stderr,
			"%s fleet, seed %llu: %lld MB in %s, %lld rows imported into %s\n\n", kind,
			(unsigned long long)seed, (long long)(bytes / 1000000), dir,
			(long long)rows, db);
	rc = report(c, db, arena_printf(&c->mem, "%s/config.yaml", dir));
	if (rc == EXIT_DONE)
		next_steps(c, dir, db);
	return rc;
}

static const struct cli_opt opts[] = {
	{ "dir", "DIR",
	  "where to write the files; the store goes into DIR/db (default: the store's folder)", 0,
	  false, "DIR" },
	{ "seed", "N", "another fleet of the same kind (default: 1)", 0, false, NULL },
	{ "fleet", "KIND",
	  "wasteful: 200,000 dollars a month, much of it for nothing; tidy: how it could be", 0,
	  false, "wasteful|tidy" },
	{ 0 },
};

const struct cli_cmd cmd_demo_def = {
	.name = "demo",
	.group = "bring",
	.summary = "an invented fleet of 200,000 dollars a month, to try things on",
	.usage = "[--dir DIR] [--seed N] [--fleet wasteful|tidy]",
	.examples =
		"tare demo --dir /tmp/demo\ntare demo --dir /tmp/tidy --fleet tidy\ntare plan --db /tmp/demo/db --config /tmp/demo/config.yaml\ntare report --db /tmp/demo/db --by workload",
	.about =
		"Writes a FOCUS bill, node list, job list, minute telemetry and request log of 730 hours, made from the seed without a network, and\n"
		"imports them as it would import yours. The same seed gives the same bytes.",
	.common = CLI_STORE | CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
