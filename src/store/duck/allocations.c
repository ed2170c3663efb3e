/* Allocations as they were given: rows of numbers beside tuples of texts (tuples.h). */
#include <errno.h>

#include "base/num.h"
#include "base/utf8.h"
#include "store/duck/inside.h"
#include "store/duck/job_texts.h"

/* ---- in ---------------------------------------------------------------------------------- */

int facts_add_allocation(struct facts *f, int64_t src, const char *scope,
			 const struct allocation *a, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_ALLOCATION, err);
	if (!b)
		return -EPERM;
	const struct sv place[PLACE_TEXTS] = { sv_of(text_or(scope, "")), a->node, a->cluster,
					       a->namespace_, a->gpu_ids };
	const struct sv owner[OWNER_TEXTS] = { a->user, a->team,     a->project,
					       a->env,  a->workload, a->account };
	const struct sv text[SHAPE_TEXTS] = { a->gpu_model, a->mig_profile, a->state, a->queue,
					      a->currency };
	const struct shape shape = { .gpus_milli = a->gpus_milli,
				     .share_kind = a->share_kind,
				     .share_ppb = a->share_ppb,
				     .mig_start = a->mig_start,
				     .open_end = a->open_end,
				     .checkpointable = a->checkpointable,
				     .attempt = a->attempt,
				     .has_usd_gpu_hour = a->has_usd_gpu_hour,
				     .usd_gpu_hour = a->has_usd_gpu_hour ? a->usd_gpu_hour : 0 };
	int32_t id[3];
	int r = tuple_id(f, TUPLE_PLACE, place, NULL, &id[0], err);
	if (!r)
		r = tuple_id(f, TUPLE_OWNER, owner, NULL, &id[1], err);
	if (!r)
		r = tuple_id(f, TUPLE_SHAPE, text, &shape, &id[2], err);
	if (r)
		return r;
	bulk_i64(b, src);
	for (int i = 0; i < 3; i++)
		bulk_i32(b, id[i]);
	bulk_sv(b, a->job_id);
	bulk_sv(b, a->name);
	bulk_sv(b, a->tags);
	bulk_i64(b, a->submit_ms);
	bulk_i64(b, a->start_ms);
	bulk_i64(b, a->end_ms);
	bulk_i64(b, a->limit_ms);
	bulk_i64(b, duck_known(a->cpu_milli));
	bulk_i64(b, duck_known(a->ram_mib));
	return bulk_end_row(b, err);
}

/* ---- out --------------------------------------------------------------------------------- */

#define ROW                                                                                  \
	"SELECT src, place, owner, shape, job_id, name, tags, submit_ms, start_ms, end_ms, " \
	"limit_ms, cpu_milli, ram_mib FROM "

static void read_allocation(const struct answer *r, struct arena *a, void *ret)
{
	struct job_reader *texts = r->ctx;
	int64_t id = answer_i64(r, 3);
	const struct sv *place = job_reader_texts(texts, TUPLE_PLACE, answer_i64(r, 1), a);
	const struct sv *owner = job_reader_texts(texts, TUPLE_OWNER, answer_i64(r, 2), a);
	const struct sv *text = job_reader_texts(texts, TUPLE_SHAPE, id, a);
	const struct shape *s = job_reader_shape(texts, id);

	*(struct allocation *)ret =
		(struct allocation){ .job_id = answer_text(r, 4, a),
				     .name = answer_shared(r, 5, a),
				     .tags = answer_shared(r, 6, a),
				     .node = place[1],
				     .cluster = place[2],
				     .namespace_ = place[3],
				     .gpu_ids = place[4],
				     .user = owner[0],
				     .team = owner[1],
				     .project = owner[2],
				     .env = owner[3],
				     .workload = owner[4],
				     .account = owner[5],
				     .gpu_model = text[0],
				     .mig_profile = text[1],
				     .state = text[2],
				     .queue = text[3],
				     .currency = text[4],
				     .gpus_milli = s->gpus_milli,
				     .share_kind = (enum share_kind)s->share_kind,
				     .share_ppb = s->share_ppb,
				     .mig_start = (int)s->mig_start,
				     .submit_ms = answer_i64(r, 7),
				     .start_ms = answer_i64(r, 8),
				     .end_ms = answer_i64(r, 9),
				     .open_end = s->open_end == 1,
				     .limit_ms = answer_i64(r, 10),
				     .checkpointable = (int)s->checkpointable,
				     .attempt = (int)s->attempt,
				     .usd_gpu_hour = s->usd_gpu_hour,
				     .has_usd_gpu_hour = s->has_usd_gpu_hour != 0,
				     .cpu_milli = answer_i64(r, 11),
				     .ram_mib = answer_i64(r, 12) };
}

void duck_touching(struct str *sql, struct span window)
{
	if (window.to_ms != INT64_MAX)
		str_addf(sql, " AND start_ms < %lld", (long long)window.to_ms);
	if (window.from_ms != INT64_MIN)
		str_addf(sql, " AND (end_ms IS NULL OR end_ms > %lld OR start_ms >= %lld)",
			 (long long)window.from_ms, (long long)window.from_ms);
}

/* " WHERE ..." of allocation_row for these scopes, NULL: all. They stand in the text: as a parameter
 * that may be NULL one is looked at behind the scan, which then reads all columns of all rows. */
static void in_scopes(struct str *sql, const struct scopes_span *of)
{
	if (!of->scope) {
		str_addz(sql, " WHERE true");
		return;
	}
	str_addz(sql, " WHERE place IN (SELECT id FROM allocation_place WHERE scope IN (");
	for (size_t i = 0; i < of->n; i++) {
		str_addz(sql, text_if(i, ","));
		sql_quote(sql, sv_of(of->scope[i]));
	}
	str_addz(sql, "))");
}

/* Is there a row that ended before the window? Only such a one tells of another that it is over. */
static int ended_before(struct facts *f, const struct str *where, int64_t from_ms, bool *ret,
			struct err *err)
{
	struct str sql = { 0 };
	int64_t found = 0;

	str_addf(
		&sql,
		"SELECT 1 FROM (SELECT src FROM allocation_row%s AND start_ms < %lld AND end_ms <= %lld",
		str_z(where), (long long)from_ms, (long long)from_ms);
	duck_in_force(f, &sql);
	str_addz(&sql, " LIMIT 1) x");
	int e = sql_number(f->con, sql.p, "read the allocations", 0, &found, err);
	str_free(&sql);
	*ret = found > 0;
	return e;
}

/* scope NULL: of all. */
static int select_allocations(struct facts *f, const struct scopes_span *of, struct str *sql,
			      struct err *err)
{
	struct str where = { 0 };
	const int64_t from_ms = of->time.from_ms;
	bool may_be_over = false;
	int e = duck_settle(f, T_ALLOCATION, err);
	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	in_scopes(&where, of);
	if (from_ms != INT64_MIN)
		e = ended_before(f, &where, from_ms, &may_be_over, err);
	/* with the texts that are compared, where some are; a store of before has another view */
	if (may_be_over)
		str_addf(sql, ROW "(%s) allocation%s", schema_allocation, where.p);
	else
		str_addf(sql, ROW "allocation_row%s", where.p);
	duck_touching(sql, of->time);
	duck_in_force(f, sql);
	if (may_be_over) {
		/* Not what another row of the same allocation says ended before the window,
		 * where this one has no end or an older word of it: a job that a list saw
		 * running would touch every window after it. The columns are those of the key
		 * and the end of store/rows.c. */
		static const char *const same[] = { "job_id",    "name",      "cluster",
						    "namespace", "node",      "gpu_ids",
						    "attempt",   "mig_start", "mig_profile" };

		str_addf(
			sql,
			" AND NOT EXISTS (SELECT 1 FROM (SELECT * FROM (%s) a%s AND start_ms < %lld AND end_ms <= %lld",
			schema_allocation, where.p, (long long)from_ms, (long long)from_ms);
		duck_in_force(f, sql);
		str_addz(
			sql,
			") n WHERE n.start_ms = allocation.start_ms AND (allocation.end_ms IS NULL "
			"OR (n.src > allocation.src AND n.open_end = 0 AND allocation.open_end = 0))");
		for (size_t i = 0; i < sizeof same / sizeof *same; i++)
			str_addf(sql, " AND n.%s IS NOT DISTINCT FROM allocation.%s", same[i],
				 same[i]);
		str_addz(sql, ")");
	}
	str_free(&where);
	return e;
}

/* What is unknown comes last. */
static int by_known_i64(int64_t x, int64_t y)
{
	if ((x == UNKNOWN_I64) != (y == UNKNOWN_I64))
		return x == UNKNOWN_I64 ? 1 : -1;
	return cmp_i64(x, y);
}

static int by_known_text(struct sv x, struct sv y)
{
	if (x.p == y.p && x.n == y.n) /* shared */
		return 0;
	if (!x.p || !y.p)
		return x.p ? -1 : 1;
	return sv_cmp(x, y);
}

static int by_start(const struct allocation *x, int64_t xsrc, const struct allocation *y,
		    int64_t ysrc)
{
	int c = by_known_i64(x->start_ms, y->start_ms);

	if (!c)
		c = by_known_text(x->job_id, y->job_id);
	if (!c)
		c = cmp_i64(xsrc, ysrc);
	if (!c)
		c = cmp_int(x->attempt, y->attempt);
	const struct sv text[][2] = { { x->node, y->node },
				      { x->gpu_ids, y->gpu_ids },
				      { x->name, y->name },
				      { x->gpu_model, y->gpu_model },
				      { x->mig_profile, y->mig_profile } };
	for (size_t i = 0; i < sizeof text / sizeof *text && !c; i++)
		c = by_known_text(text[i][0], text[i][1]);
	return c;
}

static int allocation_order(const void *a, const void *b)
{
	const struct duck_row *x = a, *y = b;

	return by_start(x->v, x->src, y->v, y->src);
}

static int scoped_order(const void *a, const void *b)
{
	const struct duck_row *x = a, *y = b;
	const struct scoped_allocation *v = x->v, *w = y->v;

	return by_start(&v->a, x->src, &w->a, y->src);
}

static struct sv scope_of(const void *row)
{
	return ((const struct scoped_allocation *)row)->scope;
}

int facts_allocations(struct facts *f, const struct scope_span *of, struct arena *a,
		      struct allocation **ret, struct srcs *ret_src, struct err *err)
{
	struct duck_list l = { .doing = "read the allocations",
			       .stream = true,
			       .size = sizeof **ret,
			       .read = read_allocation,
			       .src = &ret_src->v,
			       .order = allocation_order };
	struct job_reader texts = { 0 };
	struct scopes_span q = { .n = 1, .time = { of->from_ms, of->to_ms } };
	if (of->scope)
		q.scope = &of->scope;
	int e = select_allocations(f, &q, &l.sql, err);
	if (!e)
		e = job_reader_open(&texts, f, err);
	l.ctx = &texts;
	if (!e)
		e = duck_list(f, &l, a, ret, &ret_src->n, err);
	job_reader_close(&texts);
	return e;
}

static void read_scoped(const struct answer *r, struct arena *a, void *ret)
{
	struct scoped_allocation *x = ret;
	x->src = answer_i64(r, 0);
	x->scope = job_reader_texts(r->ctx, TUPLE_PLACE, answer_i64(r, 1), a)[0];
	read_allocation(r, a, &x->a);
}

int facts_allocations_of(struct facts *f, const struct scopes_span *of, struct arena *a,
			 struct scoped_allocation **ret, size_t *ret_n, struct err *err)
{
	struct intern groups = { 0 };
	struct str fixed = { 0 };
	struct duck_list l = { .doing = "read the allocations",
			       .stream = true,
			       .size = sizeof **ret,
			       .read = read_scoped,
			       .order = scoped_order,
			       .groups = &groups,
			       .group = scope_of };
	struct job_reader texts = { 0 };
	int e = select_allocations(f, of, &l.sql, err);
	if (!e)
		e = job_reader_open(&texts, f, err);
	l.ctx = &texts;
	for (size_t i = 0; i < of->n; i++)
		intern_add(&groups, utf8_of(&fixed, sv_of(of->scope[i])));
	if (!e)
		e = duck_list(f, &l, a, ret, ret_n, err);
	job_reader_close(&texts);
	intern_free(&groups);
	str_free(&fixed);
	return e;
}
