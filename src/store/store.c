#include "store/store.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tm.h"
#include "store/control.h"
#include "store/folder.h"
#include "store/inside.h"
#include "store/lock.h"
#include "store/remake.h"
#include "store/telemetry.h"

#define THREADS_MAX 1024

static int no_store(const char *dir, struct err *err)
{
	err_set(err, -ENOENT, "there is no store in '%s' yet", dir);
	err_hint(err, "bring something in with `tare import FILE`, or try `tare demo`");
	return -ENOENT;
}

/* Whether a store is in there cannot even be seen. */
static int no_entry(const char *dir, struct err *err)
{
	struct stat st;

	err_set(err, -EACCES, "cannot look into '%s': permission denied", dir);
	if (stat(dir, &st) == 0)
		err_hint(
			err,
			"it belongs to user %u: run as that user, or name a store of your own with --db",
			(unsigned)st.st_uid);
	else
		err_hint(
			err,
			"a folder above it is closed to you: ask its owner, or name a store of your own with --db");
	return -EACCES;
}

static char *db_path(const char *dir, const char *end)
{
	struct str p = { 0 };
	str_addf(&p, "%s/facts.duckdb%s", dir, end);
	return p.p;
}

int store_threads(const char **ret, struct err *err)
{
	const char *text = getenv("TARE_THREADS");
	char *end;
	*ret = NULL;
	if (!text || !*text)
		return 0;
	long n = strtol(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || n < 1 || n > THREADS_MAX)
		return err_set(err, -EINVAL,
			       "TARE_THREADS is '%s', which is no number of threads from 1 to %d",
			       text, THREADS_MAX);
	*ret = text;
	return 0;
}

static int configure(duckdb_config c, enum store_mode mode, struct err *err)
{
	const char *threads, *memory = getenv("TARE_MEMORY");
	int r = store_threads(&threads, err);
	if (r)
		return r;
	if (duck.set_config(c, "access_mode", mode == STORE_READ ? "READ_ONLY" : "READ_WRITE") !=
		    DuckDBSuccess ||
	    duck.set_config(c, "autoinstall_known_extensions", "false") != DuckDBSuccess ||
	    duck.set_config(c, "autoload_known_extensions", "false") != DuckDBSuccess ||
	    duck.set_config(c, "preserve_insertion_order", "false") != DuckDBSuccess)
		return err_set(err, -ENOTSUP,
			       "the DuckDB library does not know an option that the store needs");
	if (threads && duck.set_config(c, "threads", threads) != DuckDBSuccess)
		return err_set(err, -EINVAL, "DuckDB does not take TARE_THREADS '%s'", threads);
	if (!memory || !*memory)
		memory = "1200MB";
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
 * damaged, or is put aside where that is not said. True: try again.
 */
static bool mend_log(const char *dir, const char *msg)
{
	const char *at = msg ? strstr(msg, "at byte position ") : NULL;
	bool mended = false;
	if (!msg || !strstr(msg, "WAL file"))
		return false;
	char *log = db_path(dir, ".wal"), *aside = db_path(dir, ".wal.torn");
	struct stat st;
	int64_t cut = at ? strtoll(at + strlen("at byte position "), NULL, 10) : 0;
	if (stat(log, &st) == 0)
		mended = cut > 0 && cut < st.st_size ? truncate(log, cut) == 0
						     : rename(log, aside) == 0;
	free(log);
	free(aside);
	return mended;
}

static int open_db_at(struct store *s, const char *end, enum store_mode mode, struct err *err)
{
	char *path = db_path(s->dir, end), *msg = NULL, doing[512];
	duckdb_config c = NULL;
	duck.create_config(&c);
	snprintf(doing, sizeof doing, "open the store '%s'", s->dir);
	int r = configure(c, mode, err);
	bool open = r == 0 && duck.open_ext(path, &s->db, c, &msg) == DuckDBSuccess;
	for (int i = 0; r == 0 && !open && i < 3 && mode == STORE_WRITE && mend_log(s->dir, msg);
	     i++) {
		duck.free(msg);
		msg = NULL;
		open = duck.open_ext(path, &s->db, c, &msg) == DuckDBSuccess;
	}
	if (r == 0 && !open) {
		r = sql_error(err, doing, msg);
		if (msg && strstr(msg, "WAL file"))
			r = -EUCLEAN; /* a reader comes back as a writer, which mends it */
		s->db = NULL;
	}
	if (r == 0 && duck.connect(s->db, &s->con) != DuckDBSuccess)
		r = sql_error(err, doing, "no connection");
	duck.free(msg);
	duck.destroy_config(&c);
	free(path);
	return r;
}

char *store_db_path(const struct store *s, const char *end)
{
	return db_path(s->dir, end);
}

int store_db_open(struct store *s, const char *end, struct err *err)
{
	return open_db_at(s, end, STORE_WRITE, err);
}

static int open_db(struct store *s, enum store_mode mode, struct err *err)
{
	return open_db_at(s, "", mode, err);
}

void store_db_close(struct store *s)
{
	if (s->con)
		duck.disconnect(&s->con);
	if (s->db)
		duck.close(&s->db);
}

static int read_version(struct store *s, int64_t *ret, struct err *err)
{
	struct answer r;
	int e = answer_open(&r, s->con, "SELECT max(version) FROM schema_version",
			    "read the store's version", false, err, "");
	if (e)
		return e;
	e = answer_next(&r, err);
	*ret = e > 0 && !answer_null(&r, 0) ? answer_i64(&r, 0) : 0;
	answer_close(&r);
	return e < 0 ? e : 0;
}

static int too_new(const struct store *s, int64_t version, struct err *err)
{
	err_set(err, -EPROTO,
		"the store '%s' was written by a newer version of tare (schema %lld, this program knows %zu)",
		s->dir, (long long)version, schema_facts_n);
	err_hint(err, "use that version, or another folder with --db");
	return -EPROTO;
}

int store_migrate(struct store *s, struct err *err)
{
	int64_t version = 0;
	int r = sql_exec(s->con, "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER)",
			 "prepare the store", err);
	if (r == 0)
		r = read_version(s, &version, err);
	if (r == 0 && version > (int64_t)schema_facts_n)
		r = too_new(s, version, err);
	s->schema = version;
	for (size_t v = (size_t)version; r == 0 && v < schema_facts_n; v++) {
		char note[80];
		snprintf(note, sizeof note, "INSERT INTO schema_version VALUES (%zu)", v + 1);
		r = sql_exec(s->con, "BEGIN", "upgrade the store", err);
		if (r == 0)
			r = sql_exec(s->con, schema_facts[v], "upgrade the store", err);
		if (r == 0)
			r = sql_exec(s->con, note, "upgrade the store", err);
		if (r == 0 && v + 1 == SCHEMA_SUMS)
			r = telemetry_fill(s, err);
		if (r == 0)
			r = sql_exec(s->con, "COMMIT", "upgrade the store", err);
		if (r == 0) {
			s->schema = (int64_t)v + 1;
		} else {
			struct err ignored;
			sql_exec(s->con, "ROLLBACK", "upgrade the store", &ignored);
		}
	}
	return r;
}

int store_last_batch(struct store *s, struct err *err)
{
	if (s->last_batch >= 0)
		return 0;
	struct answer r;
	int e = answer_open(&r, s->con, "SELECT max(batch) FROM batch", "read the store", false,
			    err, "");
	if (e)
		return e;
	e = answer_next(&r, err);
	s->last_batch = e > 0 && !answer_null(&r, 0) ? answer_i64(&r, 0) : 0;
	answer_close(&r);
	return e < 0 ? e : 0;
}

/* A new store is made beside its place and takes it when it is whole and durable: none is ever
 * found half made. */
static int make_new(struct store *s, struct err *err)
{
	char *path = db_path(s->dir, ""), *next = db_path(s->dir, ".new"),
	     *log = db_path(s->dir, ".new.wal");
	int r = 0;
	if (access(path, F_OK) == 0)
		goto out;
	unlink(next);
	unlink(log);
	r = open_db_at(s, ".new", STORE_WRITE, err);
	if (r == 0)
		r = store_migrate(s, err);
	if (r == 0)
		r = sql_exec(s->con, "CHECKPOINT", "write the new store", err);
	store_db_close(s);
	if (r == 0 && rename(next, path))
		r = err_set(err, -errno, "cannot write '%s': %s", path, strerror(errno));
	if (r == 0)
		r = folder_sync(s->dir, err);
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

/* A store of an older schema stays as it is until its ledger is made anew (remake.h). */
int store_look_at_schema(struct store *s, struct err *err)
{
	int r = read_version(s, &s->schema, err);
	if (r) {
		err_set(err, -EBADMSG, "'%s/facts.duckdb' is not a store of tare", s->dir);
		err_hint(err, "name another folder with --db");
		return -EBADMSG;
	}
	return s->schema > (int64_t)schema_facts_n ? too_new(s, s->schema, err) : 0;
}

/* Its ledger is today's. */
static int upgrade_in_place(struct store *s, struct err *err)
{
	int r = store_migrate(s, err);
	return r ? r : sql_exec(s->con, "CHECKPOINT", "upgrade the store", err);
}

static int too_old(const struct store *s, const char *newer, int64_t batch, struct err *err)
{
	err_set(err, -EBADMSG,
		"'%s/facts.duckdb' is older than '%s': batch %lld, which was imported, is not in it",
		s->dir, newer, (long long)batch);
	err_hint(
		err,
		"put back all files of the store as they were at one time, or import everything into a new one (--db)");
	return -EBADMSG;
}

/*
 * A copy of the facts from before, put back beside files that have gone on. The journal is written
 * once a batch is in the facts, so it never knows more of them; readings are committed first, so
 * they may be one batch ahead after a kill, no more. Of those a writer asks, who would take them for
 * left over and remove them; a reader leaves out what the facts do not know.
 */
static int check_age(struct store *s, struct err *err)
{
	int64_t told = control_last_batch(s->dir), read = 0;
	int r = store_last_batch(s, err);
	if (r == 0 && told > s->last_batch)
		return too_old(s, "control.db", told, err);
	if (r == 0 && s->mode == STORE_WRITE && telemetry_there(s))
		r = telemetry_last_batch(s, &read, err);
	return r == 0 && read > s->last_batch + 1 ? too_old(s, "telemetry.db", read, err) : r;
}

static int open_write(struct store *s, struct err *err)
{
	int r = make_new(s, err);
	if (r == 0)
		store_remake_sweep(s);
	if (r == 0)
		r = open_db(s, STORE_WRITE, err);
	if (r == 0)
		r = store_look_at_schema(s, err);
	if (r == 0)
		r = check_age(s, err);
	if (r == 0)
		r = telemetry_sweep(s, err);
	if (r == 0 && s->schema >= SCHEMA_RULES && s->schema < (int64_t)schema_facts_n)
		r = upgrade_in_place(s, err);
	return r;
}

/* A log that the power cut needs a writer, who mends it: then come back as a reader. */
static int mend_as_writer(struct store *s, int64_t wait_ms, struct err *err)
{
	store_db_close(s);
	close(s->lock_fd);
	s->lock_fd = -1;
	int r = lock_take(s->dir, true, wait_ms, s->command, &s->lock_fd, err);
	if (r) {
		err_prefix(err, "the store must be mended first");
		return r;
	}
	r = open_write(s, err);
	store_db_close(s);
	close(s->lock_fd);
	s->lock_fd = -1;
	if (r == 0)
		r = lock_take(s->dir, false, wait_ms, s->command, &s->lock_fd, err);
	return r ? r : open_db(s, STORE_READ, err);
}

/* An older schema is read through views that give it today's columns; nothing is written. */
static int view_older(struct store *s, struct err *err)
{
	int r = 0;
	for (size_t v = (size_t)s->schema; r == 0 && v < schema_facts_n; v++)
		r = sql_exec(s->con, schema_facts_view[v], "read the older store", err);
	return r;
}

static int open_read(struct store *s, int64_t wait_ms, struct err *err)
{
	int r = open_db(s, STORE_READ, err);
	if (r == -EUCLEAN)
		r = mend_as_writer(s, wait_ms, err);
	if (r == 0)
		r = store_look_at_schema(s, err);
	if (r == 0)
		r = check_age(s, err);
	return r ? r : view_older(s, err);
}

/* Where facts.duckdb is not there, the others must not be of a store that lost it: a new one over
 * them would say that its readings are of nobody. */
static int store_check_new(const char *dir, struct err *err)
{
	struct str path = { 0 };
	bool lost = false;
	str_addf(&path, "%s/telemetry.db", dir);
	lost = access(path.p, F_OK) == 0;
	str_free(&path);
	if (!lost && !control_has_imports(dir))
		return 0;
	err_set(err, -EBADMSG, "'%s/facts.duckdb' is missing, which has what was imported", dir);
	err_hint(err, "put back a copy of that file, or import into a new store (--db)");
	return -EBADMSG;
}

int store_open(const char *dir, enum store_mode mode, int64_t wait_ms, const char *command,
	       struct store **ret, struct err *err)
{
	char *path = db_path(dir, "");
	bool there = access(path, F_OK) == 0, hidden = !there && errno == EACCES;
	free(path);
	if (hidden)
		return no_entry(dir, err);
	int r = mode == STORE_WRITE ? duck_load(err) : 0;
	if (r == 0 && mode == STORE_WRITE)
		r = folder_make(dir, 0700, err);
	if (r == 0)
		r = folder_check(dir, err);
	if (r == 0 && !there)
		r = store_check_new(dir, err);
	if (r == 0 && !there && mode == STORE_READ)
		return no_store(dir, err);
	if (r == 0)
		r = duck_load(err);
	if (r)
		return r;
	struct store *s = xcalloc(1, sizeof *s);
	s->dir = xstrdup(dir);
	s->command = xstrdup(command ? command : "tare");
	s->mode = mode;
	s->lock_fd = -1;
	s->last_batch = s->bill_gpu_rows = -1;
	r = lock_take(dir, mode == STORE_WRITE, wait_ms, s->command, &s->lock_fd, err);
	if (r == 0)
		r = mode == STORE_WRITE ? open_write(s, err) : open_read(s, wait_ms, err);
	if (r) {
		store_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	if (s->in_tx)
		store_rollback(s);
	if (s->remaking)
		store_remake_drop(s);
	telemetry_close(s);
	node_cache_free(s->nodes);
	store_db_close(s);
	vec_free(&s->reversed);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	free(s->dir);
	free(s->command);
	free(s);
}

const char *store_dir(const struct store *s)
{
	return s->dir;
}

/* ---- what is in force -------------------------------------------------------------------- */

static int cmp_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

int store_load_reversed(struct store *s, struct err *err)
{
	struct answer r;
	/* always: the caller is about to ask over the connection that the writer holds */
	int e = writer_quiet(s->writer, NULL, err);
	if (e || s->reversed_loaded)
		return e;
	e = answer_open(&r, s->con, "SELECT src FROM reversal WHERE src >= 0", "read the store",
			false, err, "");
	if (e)
		return e;
	vec_clear(&s->reversed);
	while ((e = answer_next(&r, err)) > 0)
		*vec_push(&s->reversed) = answer_i64(&r, 0);
	answer_close(&r);
	if (s->reversed.n)
		qsort(s->reversed.v, s->reversed.n, sizeof *s->reversed.v, cmp_i64);
	if (e == 0)
		e = answer_open(
			&r, s->con,
			"SELECT (SELECT count(*) FROM bill_reversal), (SELECT count(*) FROM bill_part_reversal)",
			"read the store", false, err, "");
	if (e)
		return e;
	if ((e = answer_next(&r, err)) > 0) {
		s->bill_reversed = answer_i64(&r, 0) > 0;
		s->bill_part_reversed = answer_i64(&r, 1) > 0;
		e = 0;
	}
	answer_close(&r);
	s->reversed_loaded = e == 0;
	return e;
}

bool store_is_reversed(const struct store *s, int64_t src)
{
	return s->reversed.n &&
	       bsearch(&src, s->reversed.v, s->reversed.n, sizeof *s->reversed.v, cmp_i64);
}

void store_in_force(const struct store *s, struct str *sql)
{
	if (s->reversed.n)
		str_addz(sql, " AND src NOT IN (SELECT src FROM reversal)");
}

void store_bill_in_force(const struct store *s, struct str *sql)
{
	store_in_force(s, sql);
	if (s->bill_reversed)
		str_addz(
			sql,
			" AND NOT EXISTS (SELECT 1 FROM bill_reversal WHERE of_src = src AND of_provider = coalesce(provider, '') AND "
			"of_account = coalesce(account, '') AND coalesce(period_from_ms, from_ms) >= of_from_ms AND "
			"coalesce(period_from_ms, from_ms) < of_to_ms)");
	if (s->bill_part_reversed)
		str_addz(
			sql,
			" AND NOT EXISTS (SELECT 1 FROM bill_part_reversal WHERE of_src = src AND of_provider = coalesce(provider, '') AND "
			"of_account = coalesce(account, '') AND of_sub_account = coalesce(sub_account, '') AND of_day_ms = " BILL_DAY
			" AND coalesce(period_from_ms, from_ms) >= of_from_ms AND coalesce(period_from_ms, from_ms) < of_to_ms)");
}

/* ---- batches ----------------------------------------------------------------------------- */

int store_not_in_tx(struct err *err)
{
	return err_set(err, -EPERM, "rows can only be written inside a batch");
}

int store_begin(struct store *s, int64_t *ret_batch, struct err *err)
{
	if (s->mode != STORE_WRITE || s->in_tx)
		return err_set(err, -EPERM,
			       s->in_tx ? "a batch is open already"
					: "the store is open for reading only");
	if (s->schema < (int64_t)schema_facts_n)
		return err_set(err, -ESTALE,
			       "the store is of an older version and must be made anew first");
	int r = sql_exec(s->con, "BEGIN", "start a batch", err);
	if (r)
		return r;
	s->in_tx = true;
	node_cache_free(s->nodes);
	s->nodes = NULL;
	s->batch = s->last_batch + 1;
	s->scope_seq = 0;
	*ret_batch = s->batch;
	return 0;
}

struct bulk *store_bulk(struct store *s, enum table t, struct err *err)
{
	if (s->bulk[t])
		return s->bulk[t];
	if (!s->in_tx) {
		store_not_in_tx(err);
		return NULL;
	}
	if (writer_quiet(s->writer, NULL, err))
		return NULL;
	return bulk_new(s->con, table_name[t], &s->writer, &s->bulk[t], err) ? NULL : s->bulk[t];
}

int store_settle(struct store *s, enum table t, struct err *err)
{
	int r = writer_quiet(s->writer, NULL, err);
	if (r == 0 && t == T_REQUEST && s->requests)
		r = requests_flush(s, err);
	if (r == 0 && s->bulk[t])
		r = bulk_flush(s->bulk[t], err);
	if (r == 0 && (t == T_LEDGER || t == T_REMAINDER || t == T_PAID) && s->reversals)
		r = reversals_apply(s, err);
	return r;
}

static void drop_buffers(struct store *s)
{
	node_cache_free(s->nodes);
	s->nodes = NULL;
	s->bill_gpu_rows = -1;
	writer_free(s->writer);
	s->writer = NULL;
	for (int t = 0; t < T_N; t++) {
		bulk_free(s->bulk[t]);
		s->bulk[t] = NULL;
	}
	requests_free(s->requests);
	s->requests = NULL;
	reversals_free(s->reversals);
	s->reversals = NULL;
}

static int write_batch(struct store *s, int64_t now_ms, const char *command,
		       const struct batch_file *file, size_t nfile, struct err *err)
{
	int64_t r = sql_change(s->con, "INSERT INTO batch VALUES ($1, $2, $3, $4, $5)",
			       "write the batch", err, "iisis", s->batch, now_ms, command,
			       (int64_t)nfile, TARE_VERSION);
	for (size_t i = 0; r >= 0 && i < nfile; i++)
		r = sql_change(s->con,
			       "INSERT INTO batch_file VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
			       "write the batch", err, "isssssnn", src_of(s->batch, (int)i),
			       file[i].path, file[i].kind, file[i].hash, file[i].source,
			       file[i].report_json, file[i].from_ms, file[i].to_ms);
	return r < 0 ? (int)r : 0;
}

/*
 * From the log into the file before anybody is told that the batch is in: what is in the log alone
 * does not outlive a power cut in which the log is written on (mend_log()). Where there is no room
 * for it the log has the batch, and the folder the log's name.
 */
static void into_file(struct store *s)
{
	struct err ignored;
	if (sql_exec(s->con, "CHECKPOINT", "write the batch into the file", &ignored) < 0)
		folder_sync(s->dir, &ignored);
}

int store_commit(struct store *s, int64_t now_ms, const char *command,
		 const struct batch_file *file, size_t nfile, struct err *err)
{
	if (!s->in_tx)
		return store_not_in_tx(err);
	int r = 0;
	for (int t = 0; r == 0 && t < T_N; t++)
		r = store_settle(s, (enum table)t, err);
	if (r == 0)
		r = telemetry_write_sums(s, err);
	if (r == 0)
		r = write_batch(s, now_ms, command, file, nfile, err);
	/* Chunks first: without the batch row they do not count; the other way round a batch could
	 * lack its chunks. */
	if (r == 0)
		r = telemetry_commit(s, err);
	drop_buffers(s);
	if (r == 0)
		r = sql_exec(s->con, "COMMIT", "commit the batch", err);
	if (r) {
		store_rollback(s);
		return r;
	}
	s->in_tx = false;
	s->last_batch = s->batch;
	if (s->remaking)
		return 0; /* not the store yet: store_remake_end() */
	into_file(s);
	/* the batch is in; that a line for people could not be written changes nothing */
	struct err unwritten;
	control_journal(s->dir, now_ms, command, s->batch, "committed", &unwritten);
	return 0;
}

void store_rollback(struct store *s)
{
	struct err ignored;
	if (!s->in_tx)
		return;
	drop_buffers(s);
	sql_exec(s->con, "ROLLBACK", "roll back", &ignored);
	s->in_tx = false;
	s->reversed_loaded = false;
	telemetry_rollback(s);
}

int store_batch_by_hash(struct store *s, const char *hash, struct arena *a, const char **ret_json,
			int64_t *ret_batch, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	int e = store_load_reversed(s, err);
	if (e)
		return e;
	str_addz(&sql, "SELECT src, report FROM batch_file WHERE hash = $1");
	store_in_force(s, &sql);
	str_addz(&sql, " ORDER BY src DESC LIMIT 1");
	e = answer_open(&r, s->con, sql.p, "look for an earlier import", false, err, "s", hash);
	str_free(&sql);
	if (e)
		return e;
	*ret_json = NULL;
	*ret_batch = 0;
	e = answer_next(&r, err);
	if (e > 0) {
		struct sv json = answer_text(&r, 1, a);
		*ret_json = json.p ? json.p : "";
		*ret_batch = answer_i64(&r, 0) >> STORE_FILE_BITS;
	}
	answer_close(&r);
	return e < 0 ? e : 0;
}
