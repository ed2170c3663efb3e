/* What a later import of the same source takes out of force: its files before, and the time that
 * they told of. Not for bills: duck/bill_replace.c. */
#include "store/inside.h"

typedef VEC(int64_t) srcs;
typedef struct span_list spans;

static int files_of_source(struct store *s, const char *kind, const char *source, srcs *out,
			   struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	int e = store_load_reversed(s, err);
	if (e)
		return e;
	str_addz(&sql,
		 "SELECT src FROM batch_file WHERE source = $2 AND ($1 IS NULL OR kind = $1)");
	store_in_force(s, &sql);
	e = answer_open(&r, s->con, sql.p, "look for what to replace", false, err, "ss", kind,
			source);
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0)
		*vec_push(out) = answer_i64(&r, 0);
	answer_close(&r);
	return e;
}

static int spans_of(struct store *s, const char *select, const struct str *list, struct arena *a,
		    spans *out, struct err *err)
{
	struct answer r;
	struct str sql = { 0 };
	str_addf(&sql, select, list->p);
	int e = answer_open(&r, s->con, sql.p, "look for what to replace", false, err, "");
	str_free(&sql);
	if (e)
		return e;
	while ((e = answer_next(&r, err)) > 0) {
		struct sv scope = answer_text(&r, 0, a);
		*vec_push(out) = (struct scope_span){ scope.p ? scope.p : "", answer_i64(&r, 1),
						      answer_null(&r, 2) ? INT64_MAX
									 : answer_i64(&r, 2) };
	}
	answer_close(&r);
	return e;
}

/* Time without an end reaches to INT64_MAX; max() over it is taken as NULL = open. */
static const char *const span_queries[] = {
	"SELECT " NODE_SCOPE(
		"node") ", min(from_ms), CASE WHEN count(to_ms) = count(*) THEN max(to_ms) END FROM node WHERE src IN (%s) GROUP BY node ORDER BY node",
	"SELECT scope, min(start_ms), CASE WHEN count(end_ms) = count(*) THEN max(end_ms) END FROM allocation WHERE src IN (%s) AND "
	"start_ms IS NOT NULL GROUP BY scope ORDER BY scope",
};

static void list_of(const srcs *src, struct str *ret)
{
	str_clear(ret);
	for (size_t i = 0; i < src->n; i++)
		str_addf(ret, "%s%lld", i ? "," : "", (long long)src->v[i]);
}

int store_reverse_source(struct store *s, const char *kind, const char *source, struct arena *a,
			 struct scope_span **ret, size_t *ret_n, struct err *err)
{
	srcs src = { 0 };
	spans out = { 0 };
	struct str list = { 0 };
	if (!s->in_tx)
		return store_not_in_tx(err);
	int e = files_of_source(s, kind, source, &src, err);
	list_of(&src, &list);
	for (size_t i = 0; e == 0 && src.n && i < sizeof span_queries / sizeof *span_queries; i++)
		e = spans_of(s, span_queries[i], &list, a, &out, err);
	if (e == 0 && src.n)
		e = telemetry_spans(s, src.v, src.n, a, &out, err);
	for (size_t i = 0; e == 0 && i < src.n; i++) {
		int64_t n = sql_change(s->con, "INSERT INTO reversal VALUES ($1, $2)",
				       "replace earlier rows", err, "ii", s->batch, src.v[i]);
		e = n < 0 ? (int)n : 0;
	}
	s->reversed_loaded = false;
	if (e == 0) {
		*ret = arena_copy(a, out.v, out.n, sizeof *out.v);
		*ret_n = out.n;
		e = (int)src.n;
	}
	vec_free(&src);
	vec_free(&out);
	str_free(&list);
	return e;
}
