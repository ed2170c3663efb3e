/* Nodes, allocations and prices as they were given. */
#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/utf8.h"
#include "store/duck/inside.h"

/* ---- in ---------------------------------------------------------------------------------- */

/* Of the host: nothing is as unknown as unknown, and is stored so. */
static int64_t known(int64_t v)
{
	if (v > 0)
		return v;
	return UNKNOWN_I64;
}

int facts_add_node(struct facts *f, int64_t src, const struct node *n, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_NODE, err);
	if (!b)
		return -EPERM;
	const struct sv text[] = { n->node,          n->provider,  n->region,  n->zone,
				   n->instance_type, n->gpu_model, n->cluster, n->purchase,
				   n->resource_id,   n->gpu_ids,   n->currency };
	bulk_i64(b, src);
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		bulk_sv(b, text[i]);
	bulk_i64(b, n->gpu_milli);
	bulk_i64(b, n->from_ms);
	bulk_i64(b, n->to_ms);
	bulk_dec(b, n->has_usd_hour, n->usd_hour);
	bulk_i64(b, known(n->cpu_milli));
	bulk_i64(b, known(n->ram_mib));
	return bulk_end_row(b, err);
}

int facts_add_allocation(struct facts *f, int64_t src, const char *scope,
			 const struct allocation *a, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_ALLOCATION, err);
	if (!b)
		return -EPERM;
	const struct sv text[] = { a->job_id,   a->user, a->team,      a->project, a->env,
				   a->workload, a->name, a->gpu_model, a->gpu_ids, a->mig_profile,
				   a->state,    a->node, a->cluster,   a->account, a->namespace_,
				   a->queue,    a->tags, a->currency };
	bulk_i64(b, src);
	bulk_text(b, sv_of(scope));
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		bulk_sv(b, text[i]);
	bulk_i64(b, a->gpus_milli);
	bulk_i8(b, (int)a->share_kind);
	bulk_i64(b, a->share_ppb);
	bulk_i32(b, a->mig_start);
	bulk_i64(b, a->submit_ms);
	bulk_i64(b, a->start_ms);
	bulk_i64(b, a->end_ms);
	bulk_i8(b, a->open_end);
	bulk_i64(b, a->limit_ms);
	bulk_i8(b, a->checkpointable);
	bulk_i32(b, a->attempt);
	bulk_dec(b, a->has_usd_gpu_hour, a->usd_gpu_hour);
	bulk_i64(b, known(a->cpu_milli));
	bulk_i64(b, known(a->ram_mib));
	return bulk_end_row(b, err);
}

int facts_add_price(struct facts *f, int64_t src, const struct price *p, struct err *err)
{
	struct bulk *b = duck_bulk(f, T_PRICE, err);
	if (!b)
		return -EPERM;
	const struct sv text[] = { p->provider,      p->region,    p->zone,
				   p->instance_type, p->gpu_model, p->purchase,
				   p->term,          p->currency,  p->source };
	bulk_i64(b, src);
	for (size_t i = 0; i < sizeof text / sizeof *text; i++)
		bulk_sv(b, text[i]);
	bulk_i64(b, p->gpu_milli);
	bulk_dec(b, true, p->upfront);
	bulk_dec(b, true, p->hour);
	bulk_i64(b, p->from_ms);
	bulk_i64(b, p->to_ms);
	bulk_i32(b, p->interruption_lo_pct);
	bulk_i32(b, p->interruption_hi_pct);
	return bulk_end_row(b, err);
}

int facts_add_exchange_rate(struct facts *f, int64_t src, const struct exchange_rate *x,
			    struct err *err)
{
	struct bulk *b = duck_bulk(f, T_EXCHANGE_RATE, err);
	if (!b)
		return -EPERM;
	bulk_i64(b, src);
	bulk_sv(b, x->from);
	bulk_sv(b, x->to);
	bulk_i64(b, x->day_ms);
	bulk_dec(b, true, x->rate);
	return bulk_end_row(b, err);
}

/* ---- out --------------------------------------------------------------------------------- */

/* SELECT ... WHERE true, of what is in force and behind everything that was given so far. */
static int select_in_force(struct facts *f, enum table t, const char *select, const char *order,
			   struct str *sql, struct err *err)
{
	int e = duck_settle(f, t, err);
	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(sql, select);
	duck_in_force(f, sql);
	str_addz(sql, order);
	return 0;
}

static void read_node(const struct answer *r, struct arena *a, void *ret)
{
	*(struct node *)ret = (struct node){ .node = answer_text(r, 1, a),
					     .provider = answer_text(r, 2, a),
					     .region = answer_text(r, 3, a),
					     .zone = answer_text(r, 4, a),
					     .instance_type = answer_text(r, 5, a),
					     .gpu_model = answer_text(r, 6, a),
					     .cluster = answer_text(r, 7, a),
					     .purchase = answer_text(r, 8, a),
					     .resource_id = answer_text(r, 9, a),
					     .gpu_ids = answer_text(r, 10, a),
					     .currency = answer_text(r, 11, a),
					     .gpu_milli = answer_i64(r, 12),
					     .from_ms = answer_i64(r, 13),
					     .to_ms = answer_i64(r, 14),
					     .usd_hour = answer_huge(r, 15),
					     .has_usd_hour = !answer_null(r, 15),
					     .cpu_milli = answer_i64(r, 16),
					     .ram_mib = answer_i64(r, 17) };
}

int facts_nodes(struct facts *f, struct arena *a, struct node **ret, struct srcs *ret_src,
		struct err *err)
{
	struct duck_list l = { .doing = "read the nodes",
			       .size = sizeof **ret,
			       .read = read_node,
			       .src = &ret_src->v };
	int e = select_in_force(f, T_NODE, "SELECT * FROM node WHERE true",
				" ORDER BY node, from_ms, src", &l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, &ret_src->n, err);
}

static void read_allocation(const struct answer *r, struct arena *a, void *ret)
{
	*(struct allocation *)ret =
		(struct allocation){ .job_id = answer_text(r, 2, a),
				     .user = answer_shared(r, 3, a),
				     .team = answer_shared(r, 4, a),
				     .project = answer_shared(r, 5, a),
				     .env = answer_shared(r, 6, a),
				     .workload = answer_shared(r, 7, a),
				     .name = answer_shared(r, 8, a),
				     .gpu_model = answer_shared(r, 9, a),
				     .gpu_ids = answer_shared(r, 10, a),
				     .mig_profile = answer_shared(r, 11, a),
				     .state = answer_shared(r, 12, a),
				     .node = answer_shared(r, 13, a),
				     .cluster = answer_shared(r, 14, a),
				     .account = answer_shared(r, 15, a),
				     .namespace_ = answer_shared(r, 16, a),
				     .queue = answer_shared(r, 17, a),
				     .tags = answer_shared(r, 18, a),
				     .currency = answer_shared(r, 19, a),
				     .gpus_milli = answer_i64(r, 20),
				     .share_kind = (enum share_kind)answer_i64(r, 21),
				     .share_ppb = answer_i64(r, 22),
				     .mig_start = (int)answer_i64(r, 23),
				     .submit_ms = answer_i64(r, 24),
				     .start_ms = answer_i64(r, 25),
				     .end_ms = answer_i64(r, 26),
				     .open_end = answer_i64(r, 27) == 1,
				     .limit_ms = answer_i64(r, 28),
				     .checkpointable = (int)answer_i64(r, 29),
				     .attempt = (int)answer_i64(r, 30),
				     .usd_gpu_hour = answer_huge(r, 31),
				     .has_usd_gpu_hour = !answer_null(r, 31),
				     .cpu_milli = answer_i64(r, 32),
				     .ram_mib = answer_i64(r, 33) };
}

static void touching(struct str *sql, struct span window)
{
	if (window.to_ms != INT64_MAX)
		str_addf(sql, " AND start_ms < %lld", (long long)window.to_ms);
	if (window.from_ms != INT64_MIN)
		str_addf(sql, " AND (end_ms IS NULL OR end_ms > %lld OR start_ms >= %lld)",
			 (long long)window.from_ms, (long long)window.from_ms);
}

/* Is there a row that ended before the window? Only such a one tells of another that it is over. */
static int ended_before(struct facts *f, const struct str *where, int64_t from_ms, bool *ret,
			struct err *err)
{
	struct str sql = { 0 };
	int64_t found = 0;

	str_addf(
		&sql,
		"SELECT 1 FROM (SELECT src FROM allocation%s AND start_ms < %lld AND end_ms <= %lld",
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
	int e = duck_settle(f, T_ALLOCATION, err);
	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	/* The scopes stand in the text: as a parameter that may be NULL one is looked at behind
	 * the scan, which then reads all columns of all rows. */
	str_addz(&where, of->scope ? " WHERE scope IN (" : " WHERE true");
	for (size_t i = 0; of->scope && i < of->n; i++) {
		str_addz(&where, text_if(i, ","));
		sql_quote(&where, sv_of(of->scope[i]));
	}
	str_addz(&where, text_if(of->scope, ")"));
	str_addf(sql, "SELECT * FROM allocation%s", where.p);
	touching(sql, of->time);
	duck_in_force(f, sql);
	const int64_t from_ms = of->time.from_ms;
	bool may_be_over = false;
	if (from_ms != INT64_MIN)
		e = ended_before(f, &where, from_ms, &may_be_over, err);
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
			" AND NOT EXISTS (SELECT 1 FROM (SELECT * FROM allocation%s AND start_ms < %lld AND end_ms <= %lld",
			where.p, (long long)from_ms, (long long)from_ms);
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
	struct scopes_span q = { .n = 1, .time = { of->from_ms, of->to_ms } };
	if (of->scope)
		q.scope = &of->scope;
	int e = select_allocations(f, &q, &l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, &ret_src->n, err);
}

static void read_scoped(const struct answer *r, struct arena *a, void *ret)
{
	struct scoped_allocation *x = ret;
	x->src = answer_i64(r, 0);
	x->scope = answer_shared(r, 1, a);
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
	int e = select_allocations(f, of, &l.sql, err);
	for (size_t i = 0; i < of->n; i++)
		intern_add(&groups, utf8_of(&fixed, sv_of(of->scope[i])));
	if (!e)
		e = duck_list(f, &l, a, ret, ret_n, err);
	intern_free(&groups);
	str_free(&fixed);
	return e;
}

void duck_read_count(const struct answer *r, struct arena *a, void *ret)
{
	*(struct scope_count *)ret = (struct scope_count){ answer_text(r, 0, a), answer_i64(r, 1) };
}

int facts_allocation_counts(struct facts *f, struct span window, struct arena *a,
			    struct scope_count **ret, size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "read the allocations",
			       .size = sizeof **ret,
			       .read = duck_read_count };
	int e = duck_settle(f, T_ALLOCATION, err);
	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addz(&l.sql, "SELECT scope, count(*) FROM allocation WHERE true");
	touching(&l.sql, window);
	duck_in_force(f, &l.sql);
	str_addz(&l.sql, " GROUP BY scope");
	return duck_list(f, &l, a, ret, ret_n, err);
}

/* Is there a job in the window of which `which` holds? */
static int has_job(struct facts *f, const char *which, const char *doing, struct span window,
		   bool *ret, struct err *err)
{
	int64_t any = 0;
	struct str sql = { 0 };
	int e = duck_settle(f, T_ALLOCATION, err);

	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addf(&sql, "SELECT 1 FROM allocation WHERE %s AND start_ms < %lld", which,
		 (long long)window.to_ms);
	if (window.from_ms != INT64_MIN)
		str_addf(&sql, " AND coalesce(end_ms, %lld) > %lld", (long long)INT64_MAX,
			 (long long)window.from_ms);
	duck_in_force(f, &sql);
	str_addz(&sql, " LIMIT 1");
	e = sql_number(f->con, sql.p, doing, 0, &any, err);
	str_free(&sql);
	if (e)
		return e;
	*ret = any > 0;
	return 0;
}

int facts_ends_told(struct facts *f, int64_t from_ms, int64_t to_ms, bool *ret, struct err *err)
{
	return has_job(f, "end_ms IS NOT NULL AND state <> '' AND state NOT ILIKE 'run%'",
		       "read how jobs ended", (struct span){ from_ms, to_ms }, ret, err);
}

int facts_accounts_without_team(struct facts *f, int64_t from_ms, int64_t to_ms, bool *ret,
				struct err *err)
{
	return has_job(f, "account <> '' AND coalesce(team, '') = ''", "read accounts of jobs",
		       (struct span){ from_ms, to_ms }, ret, err);
}

static void read_scope(const struct answer *r, struct arena *a, void *ret)
{
	*(const char **)ret = answer_text(r, 0, a).p;
}

int facts_tag_keys(struct facts *f, struct arena *a, const char ***ret, size_t *ret_n,
		   struct err *err)
{
	struct duck_list l = { .doing = "read the keys of tags",
			       .size = sizeof **ret,
			       .read = read_scope };
	int e = duck_settle(f, T_LEDGER, err);

	if (e)
		return e;
	str_addz(
		&l.sql,
		"SELECT DISTINCT unnest(json_keys(tags)) AS k FROM (SELECT DISTINCT nullif(tags, '') AS tags FROM ledger_who) ORDER BY k");
	return duck_list(f, &l, a, ret, ret_n, err);
}

int facts_allocation_scopes(struct facts *f, struct arena *a, const char ***ret, size_t *ret_n,
			    struct err *err)
{
	struct duck_list l = { .doing = "read the allocations",
			       .size = sizeof **ret,
			       .read = read_scope };
	int e = select_in_force(f, T_ALLOCATION, "SELECT scope FROM allocation WHERE true",
				" GROUP BY scope ORDER BY scope", &l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, ret_n, err);
}

int facts_allocation_spans(struct facts *f, struct arena *a, struct scope_spans *ret,
			   struct err *err)
{
	struct duck_list l = { .doing = "read the jobs",
			       .size = sizeof *ret->v,
			       .read = duck_read_span };
	int e = duck_settle(f, T_ALLOCATION, err);
	if (e == 0)
		e = duck_load_reversed(f, err);
	if (e)
		return e;
	str_addf(&l.sql,
		 "SELECT scope, min(start_ms), max(coalesce(end_ms, %lld)) FROM allocation "
		 "WHERE scope <> '' AND start_ms IS NOT NULL",
		 (long long)INT64_MAX);
	duck_in_force(f, &l.sql);
	str_addz(&l.sql, " GROUP BY scope ORDER BY scope");
	return duck_list(f, &l, a, &ret->v, &ret->n, err);
}

static void read_job_traits(const struct answer *r, struct arena *a, void *ret)
{
	*(struct job_traits *)ret = (struct job_traits){ .scope = answer_text(r, 0, a),
							 .cluster = answer_text(r, 1, a),
							 .gpu_model = answer_text(r, 2, a),
							 .names_gpus = answer_i64(r, 3) > 0 };
}

int facts_job_traits(struct facts *f, struct arena *a, struct job_traits **ret, size_t *ret_n,
		     struct err *err)
{
	struct duck_list l = { .doing = "read the allocations",
			       .size = sizeof **ret,
			       .read = read_job_traits };
	int e = select_in_force(
		f, T_ALLOCATION,
		"SELECT scope, cluster, gpu_model, count(gpu_ids) FROM allocation WHERE node IS NOT NULL "
		"AND start_ms IS NOT NULL",
		" GROUP BY scope, cluster, gpu_model ORDER BY scope, min(start_ms), cluster, gpu_model",
		&l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_job_gpus(const struct answer *r, struct arena *a, void *ret)
{
	*(struct job_gpus *)ret = (struct job_gpus){ .scope = answer_text(r, 0, a),
						     .gpu_ids = answer_text(r, 1, a) };
}

int facts_job_gpus(struct facts *f, struct arena *a, struct job_gpus **ret, size_t *ret_n,
		   struct err *err)
{
	struct duck_list l = { .doing = "read the allocations",
			       .size = sizeof **ret,
			       .read = read_job_gpus };
	int e = duck_settle(f, T_NODE, err);

	if (!e)
		e = select_in_force(
			f, T_ALLOCATION,
			"SELECT DISTINCT scope, gpu_ids FROM allocation WHERE gpu_ids IS NOT NULL "
			"AND start_ms IS NOT NULL AND node NOT IN "
			"(SELECT node FROM node WHERE node IS NOT NULL",
			")", &l.sql, err);
	if (e)
		return e;
	duck_in_force(f, &l.sql);
	str_addz(&l.sql, " ORDER BY scope, gpu_ids");
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_price(const struct answer *r, struct arena *a, void *ret)
{
	*(struct price *)ret = (struct price){ .provider = answer_text(r, 1, a),
					       .region = answer_text(r, 2, a),
					       .zone = answer_text(r, 3, a),
					       .instance_type = answer_text(r, 4, a),
					       .gpu_model = answer_text(r, 5, a),
					       .purchase = answer_text(r, 6, a),
					       .term = answer_text(r, 7, a),
					       .currency = answer_text(r, 8, a),
					       .source = answer_text(r, 9, a),
					       .gpu_milli = answer_i64(r, 10),
					       .upfront = answer_huge(r, 11),
					       .hour = answer_huge(r, 12),
					       .from_ms = answer_i64(r, 13),
					       .to_ms = answer_i64(r, 14),
					       .interruption_lo_pct = (int)answer_i64(r, 15),
					       .interruption_hi_pct = (int)answer_i64(r, 16) };
}

int facts_prices(struct facts *f, struct arena *a, struct price **ret, size_t *ret_n,
		 struct err *err)
{
	struct duck_list l = { .doing = "read the prices",
			       .size = sizeof **ret,
			       .read = read_price };
	int e = select_in_force(
		f, T_PRICE, "SELECT * FROM price WHERE true",
		" ORDER BY src, provider, region, zone, instance_type, gpu_model, purchase, from_ms",
		&l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, ret_n, err);
}

static void read_exchange_rate(const struct answer *r, struct arena *a, void *ret)
{
	*(struct exchange_rate *)ret = (struct exchange_rate){ .from = answer_text(r, 1, a),
							       .to = answer_text(r, 2, a),
							       .day_ms = answer_i64(r, 3),
							       .rate = answer_huge(r, 4) };
}

int facts_exchange_rates(struct facts *f, struct arena *a, struct exchange_rate **ret,
			 size_t *ret_n, struct err *err)
{
	struct duck_list l = { .doing = "read the exchange rates",
			       .size = sizeof **ret,
			       .read = read_exchange_rate };
	int e = select_in_force(f, T_EXCHANGE_RATE, "SELECT * FROM exchange_rate WHERE true",
				" ORDER BY src, from_currency, to_currency, day_ms", &l.sql, err);
	if (e)
		return e;
	return duck_list(f, &l, a, ret, ret_n, err);
}
