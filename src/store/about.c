/* Numbers for `tare doctor`. */
#include <stdio.h>
#include <sys/stat.h>

#include "store/telemetry.h"

typedef VEC(struct store_fact) facts;

static void add(facts *f, struct arena *a, const char *key, const char *value)
{
	*vec_push(f) = (struct store_fact){ key, arena_printf(a, "%s", value) };
}

static void add_size(facts *f, const struct store *s, struct arena *a, const char *key,
		     const char *file)
{
	struct stat st;
	struct str path = { 0 };
	char buf[32];
	str_addf(&path, "%s/%s", s->dir, file);
	if (stat(path.p, &st) == 0) {
		snprintf(buf, sizeof buf, "%lld", (long long)st.st_size);
		add(f, a, key, buf);
	}
	str_free(&path);
}

static int add_counts(facts *f, struct store *s, struct arena *a, struct err *err)
{
	static const char *const table[] = { "batch",      "batch_file", "node",
					     "allocation", "request",    "price",
					     "bill",       "bill_gpu",   "ledger" };
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		struct answer r;
		char sql[64], buf[32];
		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table[i]);
		int e = answer_open(&r, s->con, sql, "count rows", false, err, "");
		if (e)
			return e;
		e = answer_next(&r, err);
		snprintf(buf, sizeof buf, "%lld", (long long)(e > 0 ? answer_i64(&r, 0) : 0));
		answer_close(&r);
		if (e < 0)
			return e;
		add(f, a, arena_printf(a, "rows.%s", table[i]), buf);
	}
	return 0;
}

static int add_telemetry(facts *f, struct store *s, struct arena *a, struct err *err)
{
	struct telemetry *t;
	sqlite3_stmt *st = NULL;
	int r = telemetry_get(s, &t, err);
	if (r || !t)
		return r;
	r = lite_prepare(
		t->db,
		"SELECT (SELECT count(*) FROM series), (SELECT coalesce(sum(n), 0) FROM block)",
		&st, err);
	if (r == 0 && (r = lite_step(t->db, st, err)) > 0) {
		add(f, a, "rows.series", (const char *)sqlite3_column_text(st, 0));
		add(f, a, "rows.samples", (const char *)sqlite3_column_text(st, 1));
	}
	sqlite3_finalize(st);
	return r < 0 ? r : 0;
}

int store_facts(struct store *s, struct arena *a, struct store_fact **ret, size_t *ret_n,
		struct err *err)
{
	facts f = { 0 };
	char buf[32];
	int r = writer_quiet(s->writer, NULL, err);
	if (r)
		return r;
	add(&f, a, "store", s->dir);
	snprintf(buf, sizeof buf, "%zu", schema_facts_n);
	add(&f, a, "schema", buf);
	add(&f, a, "duckdb", duck.library_version());
	add(&f, a, "libduckdb", duck_path());
	add(&f, a, "sqlite", sqlite3_libversion());
	add_size(&f, s, a, "bytes.facts", "facts.duckdb");
	add_size(&f, s, a, "bytes.telemetry", "telemetry.db");
	r = add_counts(&f, s, a, err);
	if (r == 0)
		r = add_telemetry(&f, s, a, err);
	if (r == 0) {
		*ret = arena_copy(a, f.v, f.n, sizeof *f.v);
		*ret_n = f.n;
	}
	vec_free(&f);
	return r;
}
