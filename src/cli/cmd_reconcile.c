/*
 * tare reconcile: does the ledger close, and where do bill and world disagree? Bill resources
 * without a node, nodes without a bill, and per resource and day what was billed beside what the
 * catalogue says it should have cost.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/jw.h"
#include "base/tm.h"
#include "catalog/catalog.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "model/scope.h"
#include "report/text.h"

struct day_line { /* one resource on one day */
	const char *resource, *node, *instance_type, *currency;
	int64_t day_ms;
	dec billed, effective, estimate;
	bool has_estimate;
};
struct loose { /* in a bill but no node, or a node but no bill */
	const char *name, *what;
	dec cost;
	bool has_cost;
	int64_t from_ms, to_ms;
};
struct rec {
	struct cli *cli;
	struct store *store;
	struct catalog *catalog;
	VEC(struct day_line) day;
	VEC(struct loose) bill_only;
	VEC(struct loose) node_only;
	struct bill_total *total;
	size_t ntotal;
};

/* ---- collecting -------------------------------------------------------------------------- */

static int collect_unmatched(struct rec *r, struct err *err)
{
	struct bill_resource *res;
	struct node *node;
	size_t nres = 0, nnode = 0;
	struct arena *mem = &r->cli->mem;
	struct intern billed = { 0 };
	int rc = store_bill_resources(r->store, mem, &res, &nres, err);

	rc = rc ? rc : store_nodes(r->store, NULL, mem, &node, &nnode, err);
	for (size_t i = 0; i < nres && !rc; i++) {
		struct scope s = scope_of_key(res[i].scope, mem);
		if (s.kind != SCOPE_RESOURCE) {
			intern_add(&billed, s.name);
			continue;
		}
		*vec_push(&r->bill_only) =
			(struct loose){ arena_sv(mem, res[i].resource_id),
					arena_printf(mem, "%.*s", SVF(res[i].instance_type)),
					res[i].effective,
					true,
					res[i].from_ms,
					res[i].to_ms };
	}
	for (size_t i = 0; i < nnode && !rc; i++)
		if ((!i || !sv_eq(node[i].node, node[i - 1].node)) &&
		    intern_find(&billed, node[i].node) < 0)
			*vec_push(&r->node_only) = (struct loose){
				arena_sv(mem, node[i].node),
				arena_printf(mem, "%.*s", SVF(node[i].instance_type)),
				0,
				false,
				node[i].from_ms,
				node[i].to_ms
			};
	intern_free(&billed);
	return rc;
}

/* What the catalogue says the line's time costs; false where it does not know. */
static bool estimate(struct rec *r, const struct bill_line *l, dec *ret)
{
	struct arena *mem = &r->cli->mem;
	struct price_row *row = NULL;
	struct err err = { 0 };
	size_t n = 0;
	dec sum = 0;
	int64_t covered = 0, paid = l->to_ms - l->from_ms;

	if (l->has_quantity && (sv_ihas(l->unit, SV("hour")) || sv_ihas(l->unit, SV("hrs"))))
		paid = (int64_t)(dec_muldiv(l->quantity, MS_HOUR, 1) / DEC_ONE);
	if (!l->instance_type.n || !l->region.n || paid <= 0 ||
	    catalog_price_over(r->catalog, arena_sv(mem, l->provider), arena_sv(mem, l->region),
			       NULL, arena_sv(mem, l->instance_type), NULL,
			       l->purchase.n ? arena_sv(mem, l->purchase) : "on_demand", l->from_ms,
			       l->to_ms, &row, &n, &err) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		int64_t from = row[i].from_ms > l->from_ms ? row[i].from_ms : l->from_ms;
		int64_t to = row[i].to_ms != UNKNOWN_MS && row[i].to_ms < l->to_ms ? row[i].to_ms
										   : l->to_ms;
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

static int by_resource_day(const void *a, const void *b)
{
	const struct day_line *x = a, *y = b;
	int c = strcmp(x->resource, y->resource);

	return c ? c : x->day_ms < y->day_ms ? -1 : x->day_ms > y->day_ms;
}

static void merge_days(struct rec *r)
{
	size_t k = 0;

	if (r->day.n)
		qsort(r->day.v, r->day.n, sizeof *r->day.v, by_resource_day);
	for (size_t i = 0; i < r->day.n; i++) {
		struct day_line *d = &r->day.v[i], *last = k ? &r->day.v[k - 1] : NULL;
		if (!last || by_resource_day(last, d)) {
			r->day.v[k++] = *d;
			continue;
		}
		last->billed += d->billed;
		last->effective += d->effective;
		last->estimate += d->estimate;
		last->has_estimate &= d->has_estimate;
	}
	r->day.n = k;
}

static int collect_days(struct rec *r, struct err *err)
{
	struct bill_line *l;
	size_t n = 0;
	struct arena *mem = &r->cli->mem;
	int rc = store_bill_gpu(r->store, NULL, r->cli->since_ms, r->cli->until_ms, mem, &l, &n,
				err);

	for (size_t i = 0; i < n && !rc; i++) {
		struct day_line *d = vec_push(&r->day);
		*d = (struct day_line){
			.resource = arena_sv(mem, l[i].resource_id),
			.instance_type = arena_printf(mem, "%.*s", SVF(l[i].instance_type)),
			.currency = arena_printf(mem, "%.*s", SVF(l[i].currency)),
			.day_ms = tm_floor(l[i].from_ms, MS_DAY),
			.billed = l[i].has_cost[BASIS_BILLED] ? l[i].cost[BASIS_BILLED] : 0,
			.effective = l[i].has_cost[BASIS_EFFECTIVE] ? l[i].cost[BASIS_EFFECTIVE] : 0
		};
		d->has_estimate = sv_is(l[i].charge_category, "Usage")
					  ? estimate(r, &l[i], &d->estimate)
					  : true;
	}
	merge_days(r);
	return rc;
}

/* ---- printing ---------------------------------------------------------------------------- */

static const char *money(char *buf, dec v)
{
	return dec_format_people(buf, v, 2);
}

static void table_loose(struct str *out, const char *title, const struct loose *v, size_t n)
{
	char a[DEC_BUF], f[TM_BUF], t[TM_BUF];
	dec sum = 0;

	if (!n)
		return;
	str_addf(out, "\n%s: %zu\n", title, n);
	for (size_t i = 0; i < n; i++) {
		sum += v[i].cost;
		if (i < 20)
			str_addf(out, "  %-34s %-18s %14s   %s to %s\n", v[i].name, v[i].what,
				 v[i].has_cost ? money(a, v[i].cost) : "-",
				 tm_format_date(f, v[i].from_ms),
				 v[i].to_ms == UNKNOWN_MS ? "now" : tm_format_date(t, v[i].to_ms));
	}
	if (n > 20)
		str_addf(out, "  ... and %zu more: -o json\n", n - 20);
	if (sum)
		str_addf(out, "  %-53s %14s\n", "sum (effective)", money(a, sum));
}

static void table_days(struct rec *r, struct str *out)
{
	char a[DEC_BUF], b[DEC_BUF], d[TM_BUF];
	dec billed = 0, est = 0;
	size_t known = 0;

	for (size_t i = 0; i < r->day.n; i++)
		if (r->day.v[i].has_estimate)
			billed += r->day.v[i].effective, est += r->day.v[i].estimate, known++;
	if (!r->day.n)
		return;
	str_addf(
		out,
		"\nBilled (effective) beside the catalogue, %zu resource-days, %zu with a known price:\n",
		r->day.n, known);
	str_addf(out, "  billed %s   catalogue %s", money(a, billed), money(b, est));
	str_addf(out, "   difference %s\n", money(a, billed - est));
	for (size_t i = 0, shown = 0; i < r->day.n && shown < 20; i++) {
		const struct day_line *l = &r->day.v[i];
		dec diff = l->effective - l->estimate;
		if (!l->has_estimate || (diff < DEC_ONE / 100 && diff > -DEC_ONE / 100))
			continue;
		if (!shown++)
			str_addf(out, "  %-10s  %-32s %-16s %12s %12s\n", "day", "resource", "type",
				 "billed", "catalogue");
		str_addf(out, "  %-10s  %-32s %-16s %12s %12s\n", tm_format_date(d, l->day_ms),
			 l->resource, l->instance_type, money(a, l->effective),
			 money(b, l->estimate));
	}
}

static void table(struct rec *r, struct str *out)
{
	char a[DEC_BUF], b[DEC_BUF];

	for (size_t i = 0; i < r->ntotal; i++)
		str_addf(out, "Bills, %.*s: %s billed, %s effective, %lld lines\n",
			 SVF(r->total[i].currency), money(a, r->total[i].cost[BASIS_BILLED]),
			 money(b, r->total[i].cost[BASIS_EFFECTIVE]), (long long)r->total[i].rows);
	if (!r->ntotal)
		str_addz(
			out,
			"No bill in this window: nothing to reconcile with. Bring one in: tare import BILL\n");
	table_loose(out, "In a bill, no node known (map them under nodes: in the configuration)",
		    r->bill_only.v, r->bill_only.n);
	table_loose(out, "Nodes that no bill line names", r->node_only.v, r->node_only.n);
	table_days(r, out);
}

static void json_loose(struct jw *w, const char *key, const struct loose *v, size_t n)
{
	jw_key(w, key);
	jw_arr(w);
	for (size_t i = 0; i < n; i++) {
		jw_obj(w);
		jw_key(w, "name");
		jw_str(w, v[i].name);
		jw_key(w, "instance_type");
		jw_str(w, v[i].what[0] ? v[i].what : NULL);
		jw_key(w, "effective");
		if (v[i].has_cost)
			jw_dec(w, v[i].cost);
		else
			jw_null(w);
		jw_key(w, "from");
		jw_time(w, v[i].from_ms);
		jw_key(w, "to");
		if (v[i].to_ms == UNKNOWN_MS)
			jw_null(w);
		else
			jw_time(w, v[i].to_ms);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void json_days(struct rec *r, struct jw *w)
{
	char d[TM_BUF];

	jw_key(w, "resource_days");
	jw_arr(w);
	for (size_t i = 0; i < r->day.n; i++) {
		const struct day_line *l = &r->day.v[i];
		jw_obj(w);
		jw_key(w, "resource");
		jw_str(w, l->resource);
		jw_key(w, "instance_type");
		jw_str(w, l->instance_type[0] ? l->instance_type : NULL);
		jw_key(w, "day");
		jw_str(w, tm_format_date(d, l->day_ms));
		jw_key(w, "currency");
		jw_str(w, l->currency);
		jw_key(w, "billed");
		jw_dec(w, l->billed);
		jw_key(w, "effective");
		jw_dec(w, l->effective);
		jw_key(w, "catalogue");
		if (l->has_estimate)
			jw_dec(w, l->estimate);
		else
			jw_null(w);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void json(struct rec *r, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.reconcile/1");
	jw_key(&w, "bills");
	jw_arr(&w);
	for (size_t i = 0; i < r->ntotal; i++) {
		jw_obj(&w);
		jw_key(&w, "currency");
		jw_sv(&w, r->total[i].currency);
		jw_key(&w, "billed");
		jw_dec(&w, r->total[i].cost[BASIS_BILLED]);
		jw_key(&w, "effective");
		jw_dec(&w, r->total[i].cost[BASIS_EFFECTIVE]);
		jw_key(&w, "lines");
		jw_int(&w, r->total[i].rows);
		jw_end_obj(&w);
	}
	jw_end_arr(&w);
	json_loose(&w, "bill_only", r->bill_only.v, r->bill_only.n);
	json_loose(&w, "node_only", r->node_only.v, r->node_only.n);
	json_days(r, &w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void csv(struct rec *r, struct str *out)
{
	char a[DEC_BUF], b[DEC_BUF], e[DEC_BUF], d[TM_BUF];

	str_addz(out, "day,resource,instance_type,currency,billed,effective,catalogue\n");
	for (size_t i = 0; i < r->day.n; i++) {
		const struct day_line *l = &r->day.v[i];
		const char *const text[] = { l->resource, l->instance_type, l->currency };
		str_addz(out, tm_format_date(d, l->day_ms));
		for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
			str_addc(out, ',');
			text_csv(out, sv_of(text[k]));
		}
		str_addf(out, ",%s,%s,%s\n", dec_format(a, l->billed), dec_format(b, l->effective),
			 l->has_estimate ? dec_format(e, l->estimate) : "");
	}
}

static int run(struct cli *c)
{
	struct rec r = { .cli = c };
	struct str out = { 0 };
	struct err err = { 0 };
	int rc = cli_open_store(c, STORE_READ, &r.store, &err);

	rc = rc ? rc : catalog_open(NULL, &r.catalog, &err);
	rc = rc ? rc
		: store_bill_totals(r.store, c->since_ms, c->until_ms, &c->mem, &r.total, &r.ntotal,
				    &err);
	rc = rc ? rc : collect_unmatched(&r, &err);
	rc = rc ? rc : collect_days(&r, &err);
	if (rc < 0)
		rc = cli_fail(&err);
	else {
		if (c->output == OUT_JSON)
			json(&r, &out);
		else if (c->output == OUT_CSV)
			csv(&r, &out);
		else
			table(&r, &out);
		rc = cli_write(&out);
	}
	str_free(&out);
	vec_free(&r.day);
	vec_free(&r.bill_only);
	vec_free(&r.node_only);
	catalog_free(r.catalog);
	if (r.store)
		store_close(r.store);
	return rc;
}

const struct cli_cmd cmd_reconcile_def = {
	.name = "reconcile",
	.group = "see",
	.summary = "where bill, nodes and catalogue disagree",
	.usage = "[--since T] [--until T]",
	.examples = "tare reconcile --since lastmonth\ntare reconcile -o csv > differences.csv",
	.about =
		"Lists the bill's GPU resources that no node record matches, the nodes that no bill line names, and per resource and\n"
		"day what was billed beside what the catalogue says it costs.",
	.common = CLI_STORE | CLI_OUTPUT | CLI_WINDOW,
	.run = run,
};
