/* The DuckDB file of a store: opening, what the power left of it, its versions. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "store/duck/files.h"
#include "store/duck/job_texts.h"
#include "store/duck/spill.h"
#include "store/folder.h"

#define THREADS_MAX 1024

const char facts_name[] = "facts.duckdb";
const char *const facts_files[] = { "facts.duckdb", "facts.duckdb.wal", "facts.duckdb.new",
				    "facts.duckdb.new.wal", NULL };

/* ---- the file ---------------------------------------------------------------------------- */

static char *db_path(const char *dir, const char *end)
{
	struct str p = { 0 };
	str_addf(&p, "%s/facts.duckdb%s", dir, end);
	return p.p;
}

int facts_load(struct err *err)
{
	return duck_load(err);
}

int facts_there(const char *dir)
{
	char *path = db_path(dir, "");
	int r = access(path, F_OK) == 0;
	if (!r && errno == EACCES)
		r = -EACCES;
	free(path);
	return r;
}

int duck_threads(const char **ret, struct err *err)
{
	const char *text = getenv("TARE_THREADS");
	char *end;
	*ret = NULL;
	if (!text || !*text)
		return 0;
	long n = strtol(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || !within_i64(n, 1, THREADS_MAX))
		return err_set(err, -EINVAL,
			       "TARE_THREADS is '%s', which is no number of threads from 1 to %d",
			       text, THREADS_MAX);
	*ret = text;
	return 0;
}

const char *duck_memory(void)
{
	const char *text = getenv("TARE_MEMORY");
	if (text && *text)
		return text;
	return NULL;
}

/* What an import does not need again goes back to the system at once, not by and by. */
static const char *const importing[][2] = { { "allocator_flush_threshold", "32MB" },
					    { "allocator_background_threads", "true" } };

static bool set_options(duckdb_config c, const char *const (*option)[2], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (duck.set_config(c, option[i][0], option[i][1]) != DuckDBSuccess)
			return false;
	return true;
}

static int configure_duck(duckdb_config c, const struct facts *f, bool write, struct err *err)
{
	const char *threads, *memory = text_or(duck_memory(), DUCK_MEMORY);
	int r = duck_threads(&threads, err);
	if (r)
		return r;
	char *spill = spill_path(f);
	const char *const option[][2] = {
		{ "access_mode", write ? "READ_WRITE" : "READ_ONLY" },
		{ "temp_directory", spill },
		{ "autoinstall_known_extensions", "false" },
		{ "autoload_known_extensions", "false" },
		{ "preserve_insertion_order", "false" },
	};
	bool known = set_options(c, option, sizeof option / sizeof *option);
	if (known && f->write)
		known = set_options(c, importing, sizeof importing / sizeof *importing);
	free(spill);
	if (!known)
		return err_set(err, -ENOTSUP,
			       "the DuckDB library does not know an option that the store needs");
	if (threads && duck.set_config(c, "threads", threads) != DuckDBSuccess)
		return err_set(err, -EINVAL, "DuckDB does not take TARE_THREADS '%s'", threads);
	/* DuckDB takes a negative amount for no limit */
	if (!isdigit((unsigned char)*memory) ||
	    duck.set_config(c, "memory_limit", memory) != DuckDBSuccess)
		return err_set(err, -EINVAL,
			       "TARE_MEMORY is '%s', which is no amount of memory such as 2GB",
			       memory);
	return 0;
}

/*
 * What the power left of a commit under way. DuckDB forgives a log (.wal) that is cut, not one with
 * a hole. Whatever was reported is in the file itself (store_commit()), so the log ends where it is
 * damaged, or is quarantined where that is not said. True: try again.
 */
static bool mend_log(const char *dir, const char *msg)
{
	const char *at = msg ? strstr(msg, "at byte position ") : NULL;
	bool mended = false;
	if (!msg || !strstr(msg, "WAL file"))
		return false;
	char *log = db_path(dir, ".wal"), *aside = db_path(dir, ".wal.torn");
	struct stat st;
	int64_t cut = 0;
	if (at)
		cut = strtoll(at + strlen("at byte position "), NULL, 10);
	if (stat(log, &st) == 0) {
		if (cut > 0 && cut < st.st_size)
			mended = truncate(log, cut) == 0;
		else
			mended = rename(log, aside) == 0;
	}
	free(log);
	free(aside);
	return mended;
}

int duck_open(struct facts *f, const char *end, bool write, struct err *err)
{
	char *path = end ? db_path(f->dir, end) : NULL, *msg = NULL, doing[512];
	duckdb_config c = NULL;
	duck.create_config(&c);
	snprintf(doing, sizeof doing, "open the store '%s'", f->dir);
	int r = configure_duck(c, f, write, err);
	bool open = r == 0 && duck.open_ext(path, &f->db, c, &msg) == DuckDBSuccess;
	for (int i = 0; r == 0 && !open && i < 3 && write && mend_log(f->dir, msg); i++) {
		duck.free(msg);
		msg = NULL;
		open = duck.open_ext(path, &f->db, c, &msg) == DuckDBSuccess;
	}
	if (r == 0 && !open) {
		r = sql_error(err, doing, msg);
		if (msg && strstr(msg, "WAL file"))
			r = -EUCLEAN; /* a reader comes back as a writer, which mends it */
		f->db = NULL;
	}
	if (r == 0 && duck.connect(f->db, &f->con) != DuckDBSuccess)
		r = sql_error(err, doing, "no connection");
	duck.free(msg);
	duck.destroy_config(&c);
	free(path);
	return r;
}

char *duck_path_of(const struct facts *f, const char *end)
{
	return db_path(f->dir, end);
}

void duck_close(struct facts *f)
{
	job_texts_free(f->job_texts);
	f->job_texts = NULL;
	if (f->con)
		duck.disconnect(&f->con);
	if (f->db)
		duck.close(&f->db);
}

/* ---- versions ----------------------------------------------------------------------------- */

static int read_version(struct facts *f, int64_t *ret, struct err *err)
{
	return sql_number(f->con, "SELECT max(version) FROM schema_version",
			  "read the store's version", 0, ret, err);
}

static int too_new(const struct facts *f, int64_t version, struct err *err)
{
	err_set(err, -EPROTO,
		"the store '%s' was written by a newer version of tare (schema %lld, this program knows %zu)",
		f->dir, (long long)version, schema_facts_n);
	err_hint(err, "use that version, or another folder with --db");
	return -EPROTO;
}

int duck_migrate(struct facts *f, facts_fill_fn *fill, void *ctx, struct err *err)
{
	int64_t version = 0;
	int r = sql_exec(f->con, "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER)",
			 "prepare the store", err);
	if (r == 0)
		r = read_version(f, &version, err);
	if (r == 0 && version > (int64_t)schema_facts_n)
		r = too_new(f, version, err);
	f->schema = version;
	for (size_t v = (size_t)version; r == 0 && v < schema_facts_n; v++) {
		char note[80];
		snprintf(note, sizeof note, "INSERT INTO schema_version VALUES (%zu)", v + 1);
		r = sql_exec(f->con, "BEGIN", "upgrade the store", err);
		if (r == 0)
			r = sql_exec(f->con, schema_facts[v], "upgrade the store", err);
		if (r == 0)
			r = sql_exec(f->con, note, "upgrade the store", err);
		if (r == 0 && v + 1 == SCHEMA_SUMS && fill)
			r = fill(ctx, err);
		if (r == 0)
			r = sql_exec(f->con, "COMMIT", "upgrade the store", err);
		if (r == 0) {
			f->schema = (int64_t)v + 1;
		} else {
			struct err ignored;
			sql_exec(f->con, "ROLLBACK", "upgrade the store", &ignored);
		}
	}
	return r;
}

/* New facts are made beside their place and take it when they are whole and durable: none are ever
 * found half made. No readings can be there yet. */
static int make_new(struct facts *f, struct err *err)
{
	char *path = db_path(f->dir, ""), *next = db_path(f->dir, ".new"),
	     *log = db_path(f->dir, ".new.wal");
	int r = 0;
	if (access(path, F_OK) == 0)
		goto out;
	unlink(next);
	unlink(log);
	r = duck_open(f, ".new", true, err);
	if (r == 0)
		r = duck_migrate(f, NULL, NULL, err);
	if (r == 0)
		r = sql_exec(f->con, "CHECKPOINT", "write the new store", err);
	duck_close(f);
	if (r == 0 && rename(next, path))
		r = err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	if (r == 0)
		r = folder_sync(f->dir, err);
	if (r < 0) {
		unlink(next);
		unlink(log);
	}
out:
	free(path);
	free(next);
	free(log);
	return r;
}

/* A store of an older schema stays as it is until its ledger is made again (remake.h). */
int duck_look_at_schema(struct facts *f, struct err *err)
{
	int r = read_version(f, &f->schema, err);
	if (r) {
		err_set(err, -EBADMSG, "'%s/facts.duckdb' is not a store of tare", f->dir);
		err_hint(err, "name another folder with --db");
		return -EBADMSG;
	}
	if (f->schema > (int64_t)schema_facts_n)
		return too_new(f, f->schema, err);
	return 0;
}

bool facts_know_readings(const struct facts *f)
{
	return f->schema >= SCHEMA_SUMS;
}

int facts_upgrade(struct facts *f, facts_fill_fn *fill, void *ctx, struct err *err)
{
	if (!f->write) {
		int r = 0;
		for (size_t v = (size_t)f->schema; r == 0 && v < schema_facts_n; v++)
			r = sql_exec(f->con, schema_facts_view[v], "read the older store", err);
		return r;
	}
	/* below SCHEMA_RULES its ledger is made again first */
	if (f->schema < SCHEMA_RULES || f->schema >= (int64_t)schema_facts_n)
		return 0;
	int r = facts_remake_begin(f, fill, ctx, err);
	if (r)
		return r;
	return facts_remake_end(f, err);
}

/* ---- open -------------------------------------------------------------------------------- */

int facts_open(const char *dir, bool write, struct facts **ret, struct err *err)
{
	struct facts *f = xcalloc(1, sizeof *f);
	f->dir = xstrdup(dir);
	f->write = write;
	f->into = "";
	int r = 0;
	if (write)
		r = make_new(f, err);
	if (r == 0 && write) {
		/* A program of before wrote into the file, and was killed: its log goes in. */
		char *log = db_path(f->dir, ".wal");
		bool left = access(log, F_OK) == 0;
		free(log);
		if (left)
			r = duck_open(f, "", true, err);
		if (left && r == 0)
			r = sql_exec(f->con, "CHECKPOINT", "write the store's log into its file",
				     err);
		if (left)
			duck_close(f);
	}
	if (r == 0)
		r = files_open(f, err);
	if (r == 0 && write)
		files_sweep(f);
	if (r == 0)
		r = duck_look_at_schema(f, err);
	if (r) {
		facts_close(f);
		return r;
	}
	*ret = f;
	return 0;
}

void facts_close(struct facts *f)
{
	if (!f)
		return;
	facts_abort(f);
	duck_close(f);
	if (f->remaking)
		files_sweep(f);
	vec_free(&f->reversed);
	duck_forget_bill_names(f);
	intern_free(&f->incident_nodes);
	vec_free(&f->part);
	str_free(&f->sql);
	free(f->dir);
	free(f);
}
