#include "answer/reconcile.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "book/sets.h"
#include "ledger/join.h"
#include "model/scope.h"

/* ---- days -------------------------------------------------------------------------------- */

/* Machine time that a line of usage speaks of. */
static int64_t line_ms(const struct bill_line *l)
{
	if (l->has_quantity && (sv_ihas(l->unit, SV("hour")) || sv_ihas(l->unit, SV("hrs"))))
		return (int64_t)(dec_muldiv(l->quantity, MS_HOUR, 1) / DEC_ONE);
	return l->to_ms - l->from_ms;
}

/* What the catalogue says that so much of the line's time costs; false where it does not know. */
static bool estimate_line(const struct ask *ask, const struct bill_line *l, int64_t paid, dec *ret)
{
	struct price_row *row = NULL;
	size_t n = 0;
	dec sum = 0;
	int64_t covered = 0;
	struct arena *mem = ask->mem;
	struct err unused = { 0 }; /* no price is an answer here */
	struct price_over over = { .purchase = "on_demand",
				   .from_ms = l->from_ms,
				   .to_ms = l->to_ms };

	if (!l->instance_type.n || !l->region.n || paid <= 0)
		return false;
	over.provider = arena_sv(mem, l->provider);
	over.region = arena_sv(mem, l->region);
	over.instance_type = arena_sv(mem, l->instance_type);
	if (l->purchase.n)
		over.purchase = arena_sv(mem, l->purchase);
	if (catalog_price_over(ask->catalog, &over, &row, &n, &unused) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		int64_t from = max_i64(row[i].from_ms, l->from_ms);
		int64_t to = l->to_ms;
		if (row[i].to_ms != UNKNOWN_MS && row[i].to_ms < to)
			to = row[i].to_ms;
		if (to <= from || !sv_is(l->currency, row[i].currency))
			continue;
		sum += dec_muldiv(row[i].hour, to - from, MS_HOUR);
		covered += to - from;
	}
	free(row);
	if (!covered)
		return false;
	*ret = dec_muldiv(sum, paid, covered);
	return true;
}

static int by_resource_day_currency(const void *a, const void *b)
{
	const struct reconcile_day *x = a, *y = b;
	int c = strcmp(x->resource, y->resource);

	if (c)
		return c;
	if (x->day_ms != y->day_ms)
		return cmp_i64(x->day_ms, y->day_ms);
	return strcmp(x->currency, y->currency);
}

/* Usage first, by machine, charge period and what is paid for it. */
static int by_use(const void *a, const void *b)
{
	const struct bill_line *x = *(const struct bill_line *const *)a,
			       *y = *(const struct bill_line *const *)b;
	const int part[] = { sv_is(y->charge_category, "Usage") -
				     sv_is(x->charge_category, "Usage"),
			     sv_cmp(x->resource_id, y->resource_id),
			     cmp_i64(x->from_ms, y->from_ms),
			     cmp_i64(x->to_ms, y->to_ms),
			     sv_cmp(x->purchase, y->purchase),
			     sv_cmp(x->currency, y->currency) };

	for (size_t i = 0; i < sizeof part / sizeof *part; i++)
		if (part[i])
			return part[i];
	if (x < y)
		return -1;
	return x > y;
}

/*
 * Lines of one machine, charge period and purchase are parts of one time: GPUs, cores and memory
 * that are charged apart, the pods that a split divides it between. Their hours add up to the
 * period, or to what the largest of them says of several machines behind one id. [n] of line and
 * day.
 */
static void estimate_days(const struct ask *ask, const struct bill_line *line, size_t n,
			  struct reconcile_day *day)
{
	const struct bill_line **use = arena_alloc(ask->mem, (n + 1) * sizeof *use);

	for (size_t i = 0; i < n; i++)
		use[i] = &line[i];
	if (n)
		sort_items(use, n, sizeof *use, by_use);
	for (size_t i = 0, same; i < n && sv_is(use[i]->charge_category, "Usage"); i += same) {
		int64_t sum = 0, most = use[i]->to_ms - use[i]->from_ms;
		const struct bill_line *of = use[i]; /* one that says what the machine is */
		for (same = 0; i + same < n; same++) {
			const struct bill_line *l = use[i + same];
			bool alike = sv_is(l->charge_category, "Usage") &&
				     sv_eq(l->resource_id, of->resource_id) &&
				     sv_eq(l->purchase, of->purchase);
			if (!alike || l->from_ms != of->from_ms || l->to_ms != of->to_ms ||
			    !sv_eq(l->currency, of->currency))
				break;
			if (!of->instance_type.n)
				of = l;
			sum += line_ms(l);
			most = max_i64(line_ms(l), most);
		}
		dec cost = 0;
		bool known = estimate_line(ask, of, min_i64(sum, most), &cost);
		for (size_t k = i; k < i + same; k++) {
			day[use[k] - line].has_catalogue = known;
			day[use[k] - line].catalogue = k == i ? cost : 0;
		}
	}
}

static int load_days(const struct ask *ask, struct reconcile *r, struct err *err)
{
	struct arena *mem = ask->mem;
	struct bill_line *l;
	size_t n;
	const struct scope_span of = { NULL, ask->since_ms, ask->until_ms };
	int rc = store_bill_gpu(ask->store, &of, mem, &l, &n, err);

	if (rc < 0)
		return rc;
	r->day = arena_alloc(mem, (n + 1) * sizeof *r->day);
	for (size_t i = 0; i < n; i++) {
		struct reconcile_day *d = &r->day[i];
		*d = (struct reconcile_day){
			.day_ms = tm_floor(l[i].from_ms, MS_DAY),
			.from_ms = l[i].from_ms,
			.to_ms = l[i].to_ms,
			.resource = arena_printf(mem, "%.*s", SVF(l[i].resource_id)),
			.instance_type = arena_filled(mem, l[i].instance_type),
			.currency = arena_printf(mem, "%.*s", SVF(l[i].currency)),
			/* fees and credits have no time that the catalogue could price */
			.has_catalogue = true,
		};
		if (l[i].has_cost[BASIS_BILLED])
			d->billed = l[i].cost[BASIS_BILLED];
		if (l[i].has_cost[BASIS_EFFECTIVE])
			d->effective = l[i].cost[BASIS_EFFECTIVE];
	}
	estimate_days(ask, l, n, r->day);

	struct reconcile_day *day = r->day;
	size_t kept = 0;

	if (n)
		sort_items(day, n, sizeof *day, by_resource_day_currency);
	for (size_t i = 0; i < n; i++) {
		struct reconcile_day *last = NULL;
		if (kept)
			last = &day[kept - 1];
		if (!last || by_resource_day_currency(last, &day[i])) {
			day[kept++] = day[i];
			continue;
		}
		last->from_ms = min_i64(last->from_ms, day[i].from_ms);
		last->to_ms = max_i64(last->to_ms, day[i].to_ms);
		last->billed += day[i].billed;
		last->effective += day[i].effective;
		last->catalogue += day[i].catalogue;
		last->has_catalogue &= day[i].has_catalogue;
	}
	r->nday = kept;
	return 0;
}

/* ---- bill or node alone ------------------------------------------------------------------- */

/* A row for each currency that the window's lines of this resource are in. Returns whether there
 * are any; add: whether rows are added. */
static bool add_bill_only(const struct ask *ask, struct reconcile *r,
			  const struct bill_resource *res, bool add)
{
	const char *name = arena_sv(ask->mem, res->resource_id);
	size_t first = r->nbill_only;

	/* the resource's day lines start here; they are sorted by its name */
	size_t start = first_where(i, r->nday, strcmp(r->day[i].resource, name) >= 0);

	bool any = start < r->nday && !strcmp(r->day[start].resource, name);
	for (size_t i = start; any && add && i < r->nday; i++) {
		const struct reconcile_day *d = &r->day[i];
		if (strcmp(d->resource, name) != 0)
			break;
		struct reconcile_loose *row = NULL;
		for (size_t k = first; k < r->nbill_only && !row; k++)
			if (!strcmp(r->bill_only[k].currency, d->currency))
				row = &r->bill_only[k];
		if (row) {
			row->effective += d->effective;
			row->from_ms = min_i64(row->from_ms, d->from_ms);
			row->to_ms = max_i64(row->to_ms, d->to_ms);
			continue;
		}
		r->bill_only[r->nbill_only++] = (struct reconcile_loose){
			.name = name,
			.instance_type = arena_filled(ask->mem, res->instance_type),
			.currency = d->currency,
			.has_effective = true,
			.effective = d->effective,
			.from_ms = d->from_ms,
			.to_ms = d->to_ms,
		};
	}
	return any;
}

/* Resources that are no node; the names of those that are one go to `billed`. */
static int load_bill_only(const struct ask *ask, struct reconcile *r, struct intern *billed,
			  struct err *err)
{
	struct bill_resource *res;
	struct intern listed = { 0 };
	size_t n;
	int rc = store_bill_resources(ask->store, ask->mem, &res, &n, err);

	if (rc < 0)
		return rc;
	/* a name is listed once, in each of its currencies */
	r->bill_only = arena_alloc(ask->mem, (r->nday + 1) * sizeof *r->bill_only);
	for (size_t i = 0; i < n; i++) {
		struct scope s = scope_of_key(res[i].scope, ask->mem);
		if (s.kind != SCOPE_RESOURCE) {
			if (add_bill_only(ask, r, &res[i], false))
				intern_add(billed, s.name);
		} else if (intern_find(&listed, res[i].resource_id) < 0) {
			intern_add(&listed, res[i].resource_id);
			add_bill_only(ask, r, &res[i], true);
		}
	}
	intern_free(&listed);
	return 0;
}

/* Of sets of machines that the bill names by one id: nodes that have a part of their lines are
 * billed, and what the ledger leaves with the set is of machines that are not known. */
static int divide_sets(const struct ask *ask, struct reconcile *r, struct intern *billed,
		       struct err *err)
{
	static const enum dim dim[] = { DIM_NODE };
	struct ledger_query q = { .dim = dim,
				  .ndim = 1,
				  .since_ms = ask->since_ms,
				  .until_ms = ask->until_ms,
				  .basis = BASIS_EFFECTIVE };
	struct sets *sets;
	struct ledger_row *row;
	struct intern has_bill = { 0 };
	size_t n = 0, kept = 0;
	int rc = sets_stored(ask->store, &sets, err);

	if (rc)
		return rc;
	if (sets_count(sets))
		rc = store_ledger(ask->store, &q, ask->mem, &row, &n, err);
	for (size_t k = 0; k < n; k++)
		if (row[k].bill_nano)
			intern_add(&has_bill, row[k].dim[0]);
	for (size_t i = 0; i < sets_count(sets) && rc >= 0; i++) {
		struct sv id = scope_of_key(sv_of(sets_key(sets, i, 0)), ask->mem).name;
		for (size_t k = 1; sets_key(sets, i, k); k++) {
			struct sv node = scope_of_key(sv_of(sets_key(sets, i, k)), ask->mem).name;
			if (intern_find(&has_bill, node) >= 0)
				intern_add(billed, node);
		}
		for (size_t j = 0; j < r->nbill_only; j++) {
			struct reconcile_loose *x = &r->bill_only[j];
			if (!sv_is(id, x->name))
				continue;
			x->effective = 0;
			for (size_t k = 0; k < n; k++)
				if (sv_eq(row[k].dim[0], join_tail(id)) &&
				    sv_is(row[k].currency, x->currency))
					x->effective += (dec)row[k].bill_nano * 1000;
			x->has_effective = x->effective != 0;
		}
	}
	for (size_t j = 0; j < r->nbill_only; j++)
		if (r->bill_only[j].has_effective)
			r->bill_only[kept++] = r->bill_only[j];
	r->nbill_only = kept;
	intern_free(&has_bill);
	sets_free(sets);
	return min_int(rc, 0);
}

static int load_unnamed(const struct ask *ask, struct reconcile *r, struct err *err)
{
	static const enum dim dim[] = { DIM_NODE, DIM_CLUSTER, DIM_INSTANCE_TYPE };
	struct ledger_query q = { .dim = dim,
				  .ndim = 3,
				  .since_ms = ask->since_ms,
				  .until_ms = ask->until_ms,
				  .basis = BASIS_EFFECTIVE };
	struct ledger_row *row;
	size_t n = 0;
	int rc = store_ledger(ask->store, &q, ask->mem, &row, &n, err);

	if (rc < 0)
		return rc;
	r->unnamed = arena_alloc(ask->mem, (n + 1) * sizeof *r->unnamed);
	for (size_t i = 0; i < n; i++) {
		bool apart = row[i].is_gpu && !row[i].dim[0].n && !row[i].dim[1].n;
		if (!apart || !row[i].ms || !row[i].bill_nano)
			continue;
		struct reconcile_unnamed u = {
			.instance_type = arena_filled(ask->mem, row[i].dim[2]),
			.currency = arena_printf(ask->mem, "%.*s", SVF(row[i].currency)),
			.effective = row[i].bill_nano * 1000,
			.ms = row[i].ms,
		};
		size_t k = 0; /* a row for each state */
		while (k < r->nunnamed && (strcmp(r->unnamed[k].currency, u.currency) ||
					   strcmp(text_or(r->unnamed[k].instance_type, ""),
						  text_or(u.instance_type, ""))))
			k++;
		if (k == r->nunnamed)
			r->unnamed[r->nunnamed++] = u;
		else {
			r->unnamed[k].effective += u.effective;
			r->unnamed[k].ms += u.ms;
		}
	}
	return 0;
}

int answer_reconcile(const struct ask *ask, struct reconcile *ret, struct err *err)
{
	struct reconcile r = { 0 };
	struct bill_total *total;
	int rc = store_bill_totals(ask->store, (struct span){ ask->since_ms, ask->until_ms },
				   ask->mem, &total, &r.nbill, err);

	if (rc < 0)
		return rc;
	r.bill = arena_alloc(ask->mem, (r.nbill + 1) * sizeof *r.bill);
	for (size_t i = 0; i < r.nbill; i++)
		r.bill[i] = (struct reconcile_bill){
			.currency = arena_printf(ask->mem, "%.*s", SVF(total[i].currency)),
			.billed = total[i].cost[BASIS_BILLED],
			.effective = total[i].cost[BASIS_EFFECTIVE],
			.lines = total[i].rows,
		};
	rc = load_days(ask, &r, err);
	struct intern billed = { 0 };
	struct node *node;
	size_t n = 0;
	if (!rc)
		rc = load_unnamed(ask, &r, err);
	if (!rc)
		rc = load_bill_only(ask, &r, &billed, err);
	if (!rc)
		rc = divide_sets(ask, &r, &billed, err);
	if (!rc)
		rc = store_nodes(ask->store, NULL, ask->mem, &node, &n, err);
	if (rc >= 0) {
		r.node_only = arena_alloc(ask->mem, (n + 1) * sizeof *r.node_only);
		for (size_t i = 0; i < n; i++) {
			int64_t to = node[i].to_ms == UNKNOWN_MS ? INT64_MAX : node[i].to_ms;
			bool within = node[i].from_ms < ask->until_ms && to > ask->since_ms;
			/* a node once, from its first record of the window to the last */
			struct reconcile_loose *last = r.nnode_only ? &r.node_only[r.nnode_only - 1]
								    : NULL;
			if (within && last && sv_is(node[i].node, last->name))
				last->to_ms = node[i].to_ms;
			if (!within || intern_find(&billed, node[i].node) >= 0)
				continue;
			intern_add(&billed, node[i].node);
			r.node_only[r.nnode_only++] = (struct reconcile_loose){
				.name = arena_sv(ask->mem, node[i].node),
				.instance_type = arena_filled(ask->mem, node[i].instance_type),
				.from_ms = node[i].from_ms,
				.to_ms = node[i].to_ms,
			};
		}
		*ret = r;
		rc = 0;
	}
	intern_free(&billed);
	return rc;
}
