/* Numbers for `tare doctor`. */
#include <stdio.h>
#include <sys/stat.h>

#include "store/telemetry.h"

typedef VEC(struct store_fact) facts;

static void add_fact(facts *f, struct arena *a, const char *key, const char *value)
{
	*vec_push(f) = (struct store_fact){ key, arena_printf(a, "%s", value) };
}

int store_facts(struct store *s, struct arena *a, struct store_fact **ret, size_t *ret_n,
		struct err *err)
{
	facts f = { 0 };
	char buf[32];
	struct facts_about engine;
	facts_about(&engine);
	add_fact(&f, a, "store", s->dir);
	snprintf(buf, sizeof buf, "%lld", (long long)engine.version);
	add_fact(&f, a, "schema", buf);
	add_fact(&f, a, engine.engine, engine.engine_version);
	add_fact(&f, a, engine.library, engine.library_path);
	add_fact(&f, a, "sqlite", sqlite3_libversion());
	snprintf(buf, sizeof buf, "%lld", (long long)facts_bytes(s->facts));
	add_fact(&f, a, "bytes.facts", buf);
	struct stat file;
	struct str path = { 0 };
	str_addf(&path, "%s/telemetry.db", s->dir);
	if (stat(path.p, &file) == 0) {
		snprintf(buf, sizeof buf, "%lld", (long long)file.st_size);
		add_fact(&f, a, "bytes.telemetry", buf);
	}
	str_free(&path);

	struct store_fact *count;
	size_t n;
	int r = facts_counts(s->facts, a, &count, &n, err);
	for (size_t i = 0; r == 0 && i < n; i++)
		*vec_push(&f) = count[i];

	struct telemetry *t = NULL;
	sqlite3_stmt *st = NULL;
	if (r == 0)
		r = telemetry_get(s, &t, err);
	if (r == 0 && t)
		r = lite_prepare(
			t->db,
			"SELECT (SELECT count(*) FROM series), (SELECT coalesce(sum(n), 0) FROM block)",
			&st, err);
	if (r == 0 && t && (r = lite_step(t->db, st, err)) > 0) {
		add_fact(&f, a, "rows.series", (const char *)sqlite3_column_text(st, 0));
		add_fact(&f, a, "rows.samples", (const char *)sqlite3_column_text(st, 1));
		r = 0;
	}
	sqlite3_finalize(st);
	if (r == 0) {
		*ret = arena_copy(a, f.v, f.n, sizeof *f.v);
		*ret_n = f.n;
	}
	vec_free(&f);
	return r;
}
