/* Batches: one transaction each, whose row is the truth about what has been imported. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "store/duck/files.h"

struct bulk *duck_bulk(struct facts *f, enum table t, struct err *err)
{
	if (f->bulk[t])
		return f->bulk[t];
	assert(f->batch);
	if (writer_quiet(f->writer, NULL, err))
		return NULL;
	const char *catalog = f->writing ? "new" : NULL;
	if (bulk_new(f->con, catalog, table_name[t], &f->writer, &f->bulk[t], err))
		return NULL;
	return f->bulk[t];
}

/* The tables whose numbers the rows of t have, and t. */
static int flush_with_texts(struct facts *f, enum table t, struct err *err)
{
	static const enum table texts[][3] = { [T_ALLOCATION] = { T_PLACE, T_OWNER, T_SHAPE },
					       [T_LEDGER] = { T_WHAT, T_WHAT_BILL, T_WHO } };
	bool has_texts = t == T_ALLOCATION || t == T_LEDGER;
	int r = 0;

	for (size_t i = 0; has_texts && i < 3 && r == 0; i++)
		if (f->bulk[texts[t][i]])
			r = bulk_flush(f->bulk[texts[t][i]], err);
	if (r == 0 && f->bulk[t])
		r = bulk_flush(f->bulk[t], err);
	return r;
}

int duck_settle(struct facts *f, enum table t, struct err *err)
{
	int r = writer_quiet(f->writer, NULL, err);
	if (!r)
		r = flush_with_texts(f, t, err);
	if (r == 0 && (t == T_LEDGER || t == T_REMAINDER || t == T_PAID) && f->reversals)
		r = reversals_apply(f, err);
	return r;
}

static void drop_buffers(struct facts *f)
{
	duck_forget_bill_names(f);
	f->incident_nodes_known = false;
	writer_free(f->writer);
	f->writer = NULL;
	for (int t = 0; t < T_N; t++) {
		bulk_free(f->bulk[t]);
		f->bulk[t] = NULL;
	}
	reversals_free(f->reversals);
	f->reversals = NULL;
	tuples_free(f->tuples);
	f->tuples = NULL;
}

/* What is committed is all there is again. Where it cannot be opened the next question says so. */
static void leave_batch(struct facts *f)
{
	struct err ignored;
	f->batch = 0;
	f->reversed_loaded = false;
	if (f->remaking)
		return;
	duck_close(f);
	files_sweep(f);
	files_open(f, &ignored);
}

const char *duck_into(struct facts *f, const char *sql)
{
	size_t n = strlen("INSERT INTO ");
	assert(!strncmp(sql, "INSERT INTO ", n));
	str_clear(&f->sql);
	str_addf(&f->sql, "INSERT INTO %s%s", f->into, sql + n);
	return f->sql.p;
}

int facts_begin(struct facts *f, int64_t batch, struct err *err)
{
	assert(f->write && !f->batch && batch > 0);
	if (f->schema < (int64_t)schema_facts_n)
		return err_set(err, -ESTALE,
			       "the store is of an older version and must be made again first");
	int r = f->remaking ? 0 : files_begin(f, err);
	if (r)
		return r;
	r = sql_exec(f->con, "BEGIN", "start a batch", err);
	if (r) {
		leave_batch(f);
		return r;
	}
	f->batch = batch;
	f->scope_seq = 0;
	return 0;
}

int facts_prepare(struct facts *f, const struct facts_batch *b, struct err *err)
{
	int r = 0;
	for (int t = 0; r == 0 && t < T_N; t++)
		r = duck_settle(f, (enum table)t, err);
	if (r)
		return r;
	int64_t n = sql_change(f->con,
			       duck_into(f, "INSERT INTO batch VALUES ($1, $2, $3, $4, $5)"),
			       "write the batch", err, "iisis", f->batch, b->now_ms, b->command,
			       (int64_t)b->nfile, TARE_VERSION);
	for (size_t i = 0; n >= 0 && i < b->nfile; i++) {
		const struct batch_file *x = &b->file[i];
		n = sql_change(
			f->con,
			duck_into(f,
				  "INSERT INTO batch_file VALUES ($1, $2, $3, $4, $5, $6, $7, $8)"),
			"write the batch", err, "isssssnn", store_source(f->batch, (int)i), x->path,
			x->kind, x->hash, x->source, x->report_json, x->from_ms, x->to_ms);
	}
	if (n < 0)
		return (int)n;
	return 0;
}

int facts_commit(struct facts *f, struct err *err)
{
	drop_buffers(f);
	int r = sql_exec(f->con, "COMMIT", "commit the batch", err);
	if (r)
		return r;
	if (!f->remaking) /* else they are not the facts yet: facts_remake_end() */
		r = files_commit(f, err);
	if (r)
		return r;
	leave_batch(f);
	return 0;
}

void facts_abort(struct facts *f)
{
	struct err ignored;
	if (!f->batch)
		return;
	drop_buffers(f);
	sql_exec(f->con, "ROLLBACK", "roll back", &ignored);
	leave_batch(f);
}

/* ---- what was imported -------------------------------------------------------------------- */

int facts_last_batch(struct facts *f, int64_t *ret, struct err *err)
{
	return sql_number(f->con, "SELECT max(batch) FROM batch", "read the store", 0, ret, err);
}

int facts_file_by_hash(struct facts *f, const char *hash, struct arena *a, const char **ret_json,
		       int64_t *ret_src, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	int e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(&sql, "SELECT src, report FROM batch_file WHERE hash = $1");
	duck_in_force(f, &sql);
	str_addz(&sql, " ORDER BY src DESC LIMIT 1");
	e = answer_open(&r, &(struct sql_query){ f->con, sql.p, "look for an earlier import" }, err,
			"s", hash);
	str_free(&sql);
	if (e)
		return e;
	*ret_json = NULL;
	*ret_src = 0;
	e = answer_next(&r, err);
	if (e > 0) {
		struct sv json = answer_text(&r, 1, a);
		*ret_json = text_or(json.p, "");
		*ret_src = answer_i64(&r, 0);
	}
	answer_close(&r);
	if (e < 0)
		return e;
	return 0;
}

static void read_src(const struct answer *r, struct arena *a, void *ret)
{
	(void)a;
	*(int64_t *)ret = answer_i64(r, 0);
}

int facts_files_of(struct facts *f, const char *kind, const char *source, struct arena *a,
		   struct srcs *ret, struct err *err)
{
	struct duck_list l = { .doing = "look for what to replace",
			       .scope = source,
			       .param = true,
			       .size = sizeof *ret->v,
			       .read = read_src };
	int e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(&l.sql, "SELECT src FROM batch_file WHERE source = $1");
	if (kind) {
		str_addz(&l.sql, " AND kind = ");
		sql_quote(&l.sql, sv_of(kind));
	}
	duck_in_force(f, &l.sql);
	return duck_list(f, &l, a, &ret->v, &ret->n, err);
}

/* What rows that belong to no machine tell of: a file in the time of another is told again by it
 * where that has all of these. */
#define TELLS(table, columns) \
	"SELECT DISTINCT src, concat_ws(chr(31), '" table "', " columns ") AS what FROM " table
static const struct {
	enum table table;
	const char *what;
} tells[] = {
	{ T_REQUEST, TELLS("request", "coalesce(service, ''), coalesce(tenant, '')") },
	{ T_PRICE,
	  TELLS("price", "coalesce(provider, ''), coalesce(region, ''), coalesce(zone, ''), "
			 "coalesce(instance_type, ''), coalesce(gpu_model, ''), "
			 "coalesce(purchase, '')") },
	{ T_EXCHANGE_RATE,
	  TELLS("exchange_rate", "coalesce(from_currency, ''), coalesce(to_currency, '')") },
	{ T_CURVE, TELLS("curve", "coalesce(run, ''), coalesce(job, '')") },
};
#define NTELLS (sizeof tells / sizeof *tells)

int facts_files_within(struct facts *f, const struct store_retold *q, struct arena *a,
		       struct srcs *ret, struct err *err)
{
	struct duck_list l = { .doing = "look for what to replace",
			       .scope = q->source,
			       .param = true,
			       .size = sizeof *ret->v,
			       .read = read_src };
	int e = duck_load_reversed(f, err);

	for (size_t i = 0; i < NTELLS && !e; i++)
		e = duck_settle(f, tells[i].table, err);
	if (e)
		return e;
	str_addz(&l.sql, "WITH tells AS (");
	for (size_t i = 0; i < NTELLS; i++)
		str_addf(&l.sql, "%s%s", text_if(i, " UNION ALL "), tells[i].what);
	str_addz(&l.sql, ") SELECT src FROM batch_file WHERE source = $1 AND kind = ");
	sql_quote(&l.sql, sv_of(q->kind));
	str_addz(&l.sql, " AND (hash = ");
	sql_quote(&l.sql, sv_of(q->hash));
	if (q->from_ms != UNKNOWN_MS)
		str_addf(&l.sql,
			 " OR (from_ms >= %lld AND to_ms <= %lld AND NOT EXISTS (SELECT 1 FROM "
			 "tells t WHERE t.src = batch_file.src AND t.what NOT IN (SELECT what FROM "
			 "tells WHERE src >= %lld)))",
			 (long long)q->from_ms, (long long)q->to_ms,
			 (long long)store_source(f->batch, 0));
	str_addc(&l.sql, ')');
	duck_in_force(f, &l.sql);
	return duck_list(f, &l, a, &ret->v, &ret->n, err);
}

static void list_srcs(struct str *sql, const int64_t *src, size_t n)
{
	str_addz(sql, "src IN (-1");
	for (size_t i = 0; i < n; i++)
		str_addf(sql, ",%lld", (long long)src[i]);
	str_addc(sql, ')');
}

static void read_imported(const struct answer *r, struct arena *a, void *ret)
{
	struct imported_file *i = ret;

	*i = (struct imported_file){ .src = answer_i64(r, 0),
				     .committed_ms = answer_i64(r, 1),
				     .in_force = answer_i64(r, 8) != 0,
				     .rows = UNKNOWN_I64,
				     .rows_in_force = UNKNOWN_I64 };
	i->file.path = text_or(answer_text(r, 2, a).p, "");
	i->file.kind = text_or(answer_text(r, 3, a).p, "");
	i->file.source = text_or(answer_text(r, 4, a).p, "");
	i->file.report_json = text_or(answer_text(r, 5, a).p, "");
	i->file.from_ms = answer_null(r, 6) ? UNKNOWN_MS : answer_i64(r, 6);
	i->file.to_ms = answer_null(r, 7) ? UNKNOWN_MS : answer_i64(r, 7);
}

int facts_imported(struct facts *f, struct arena *a, struct imported_file **ret, size_t *ret_n,
		   struct err *err)
{
	struct duck_list l = { .doing = "read the store",
			       .size = sizeof **ret,
			       .read = read_imported };
	int e = writer_quiet(f->writer, NULL, err);

	if (e)
		return e;
	str_addz(
		&l.sql,
		"SELECT f.src, b.committed_ms, f.path, f.kind, f.source, f.report, f.from_ms, f.to_ms, "
		"CAST(f.src NOT IN (SELECT src FROM reversal) AS BIGINT) FROM batch_file f "
		"JOIN batch b ON b.batch = (f.src >> 20) ORDER BY f.src");
	return duck_list(f, &l, a, ret, ret_n, err);
}

int facts_imported_rows(struct facts *f, struct imported_file *v, size_t n, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	int e = duck_settle_bills(f, err);
	size_t at = 0;

	if (e)
		return e;
	str_addz(&sql, "SELECT src, CAST(sum(n) AS BIGINT), CAST(sum(force) AS BIGINT) FROM (");
	for (int t = 0; t < 4; t++) {
		bool force = t > 1;
		str_addf(&sql, "%sSELECT src, %s AS n, %s AS force FROM %s WHERE true",
			 text_if(t, " UNION ALL "), force ? "0" : duck_bill_rows(f),
			 force ? duck_bill_rows(f) : "0", t % 2 ? "bill_gpu" : "bill");
		if (force)
			duck_bill_in_force(f, &sql);
	}
	str_addz(&sql, ") b GROUP BY src ORDER BY src");
	e = answer_open(&r, &(struct sql_query){ f->con, str_z(&sql), "count the rows of bills" },
			err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		while (at < n && v[at].src < answer_i64(&r, 0))
			at++;
		if (at == n || v[at].src != answer_i64(&r, 0))
			continue;
		v[at].rows = answer_i64(&r, 1);
		v[at].rows_in_force = answer_i64(&r, 2);
	}
	answer_close(&r);
	return e;
}

int facts_taken_by(struct facts *f, int64_t batch, struct arena *a, int64_t **ret, size_t *ret_n,
		   struct err *err)
{
	struct duck_list l = { .doing = "read the store", .size = sizeof **ret, .read = read_src };
	int e = writer_quiet(f->writer, NULL, err);

	if (e)
		return e;
	str_addf(
		&l.sql,
		"SELECT src FROM reversal WHERE batch = %lld AND src >= 0 UNION SELECT of_src FROM bill_reversal WHERE batch = %lld "
		"UNION SELECT of_src FROM bill_part_reversal WHERE batch = %lld ORDER BY 1",
		(long long)batch, (long long)batch, (long long)batch);
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_path(const struct answer *r, struct arena *a, void *ret)
{
	struct sv path = answer_text(r, 0, a);
	*(const char **)ret = text_or(path.p, "");
}

int facts_file_paths(struct facts *f, struct srcs of, struct arena *a, const char ***ret,
		     size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "read the store", .size = sizeof **ret, .read = read_path };
	int e = writer_quiet(f->writer, NULL, err);
	if (e)
		return e;
	str_addz(&l.sql, "SELECT path FROM batch_file WHERE ");
	list_srcs(&l.sql, of.v, of.n);
	str_addf(&l.sql, " ORDER BY src LIMIT %d", FACTS_PATHS_MAX);
	return duck_list(f, &l, a, ret, ret_n, err);
}

int facts_files_elsewhere(struct facts *f, const struct batch_file *like, struct arena *a,
			  const char ***ret, size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "look for what to replace",
			       .scope = like->source,
			       .param = true,
			       .size = sizeof **ret,
			       .read = read_path };
	int e = duck_load_reversed(f, err);

	if (e)
		return e;
	str_addz(&l.sql, "SELECT substr(source, 6) FROM batch_file WHERE source <> $1 AND kind = ");
	sql_quote(&l.sql, sv_of(like->kind));
	str_addz(&l.sql, " AND ((starts_with(source, 'file:/') AND ends_with(source, '/' || ");
	sql_quote(&l.sql, sv_of(like->path));
	/* before 0.1.0's last form a source was its name alone */
	str_addz(&l.sql, ")) OR source = 'file:' || ");
	sql_quote(&l.sql, sv_of(like->path));
	str_addc(&l.sql, ')');
	duck_in_force(f, &l.sql);
	str_addz(&l.sql, " GROUP BY source ORDER BY min(src)");
	return duck_list(f, &l, a, ret, ret_n, err);
}

int facts_reverse_files(struct facts *f, const int64_t *src, size_t n, struct err *err)
{
	int64_t r = writer_quiet(f->writer, NULL, err);
	for (size_t i = 0; r >= 0 && i < n; i++)
		r = sql_change(f->con, duck_into(f, "INSERT INTO reversal VALUES ($1, $2)"),
			       "replace earlier rows", err, "ii", f->batch, src[i]);
	f->reversed_loaded = false;
	if (r < 0)
		return (int)r;
	return 0;
}

/* Time without an end reaches to INT64_MAX; max() over it is taken as NULL = open. */
static const struct {
	const char *before, *after; /* the list of files */
} span_query[] = {
	{ "SELECT " NODE_SCOPE("node") ", min(from_ms), CASE WHEN count(to_ms) = count(*) THEN "
				       "max(to_ms) END FROM node WHERE ",
	  " GROUP BY node ORDER BY node" },
	{ "SELECT scope, min(start_ms), CASE WHEN count(end_ms) = count(*) THEN max(end_ms) END "
	  "FROM allocation WHERE start_ms IS NOT NULL AND ",
	  " GROUP BY scope ORDER BY scope" },
	{ "SELECT sc, min(from_ms), max(to_ms) FROM (SELECT src, from_ms, to_ms, " BILL_SCOPE
	  " AS sc FROM " BILL_SCOPED ") g WHERE sc <> '' AND ",
	  " GROUP BY sc ORDER BY sc" },
};

int facts_file_spans(struct facts *f, struct srcs of, struct arena *a, struct scope_spans *ret,
		     struct err *err)
{
	int e = duck_settle(f, T_NODE, err);
	if (!e)
		e = duck_settle(f, T_ALLOCATION, err);
	if (!e)
		e = duck_settle_bills(f, err);
	ret->n = 0;
	for (size_t i = 0; e == 0 && i < sizeof span_query / sizeof *span_query; i++) {
		struct duck_list l = { .doing = "look for what to replace",
				       .size = sizeof *ret->v,
				       .read = duck_read_span };
		str_addz(&l.sql, span_query[i].before);
		list_srcs(&l.sql, of.v, of.n);
		str_addz(&l.sql, span_query[i].after);
		e = duck_add_spans(f, &l, a, ret, err);
	}
	return e;
}
