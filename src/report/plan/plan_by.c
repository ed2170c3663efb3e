/* What the plan saves, by what the work is: the cost of every work before and after, grouped. */
#include "base/num.h"
#include "base/str.h"
#include "model/known.h"
#include "report/plan/plan_view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/near.h"
#include "base/percent.h"
#include "base/sort.h"
#include "report/grid.h"
#include "report/plan/plan_formats.h"
#include "report/text.h"

static const char *const dims[] = { "workload", "team",     "project",   "env",  "cluster", "user",
				    "service",  "purchase", "gpu_model", "kind", "lever" };

/* Time that nobody held belongs to the cluster it lies in, not to a kind of work. */
static const char *value_of(const struct workload *w, const char *dim)
{
	static const char *const kinds[] = { "job", "service", "free", "line", "unknown" };
	const char *kind = kinds[w->kind];
	if (w->kind == WORKLOAD_LINE)
		kind = kind_name(w->line_kind);
	const struct {
		const char *name, *value;
	} of[] = {
		{ "workload", w->workload },   { "team", w->team },
		{ "project", w->project },     { "env", w->env },
		{ "cluster", w->cluster },     { "user", w->user },
		{ "service", w->service },     { "purchase", w->purchase },
		{ "gpu_model", w->gpu_model }, { "kind", kind },
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (!strcmp(of[i].name, dim)) {
			if (of[i].value && *of[i].value)
				return of[i].value;
			if (w->kind == WORKLOAD_FREE)
				return "(free)";
			if (w->kind == WORKLOAD_LINE)
				return "(no GPU time)";
			if (i == 1 || i == 2 || i == 5)
				return "(nobody)";
			return "(unknown)";
		}
	return "";
}

static struct plan_by_row *row_of(struct plan_by *b, const char *name)
{
	for (size_t i = 0; i < b->row.n; i++)
		if (!strcmp(b->row.v[i].name, name))
			return &b->row.v[i];
	*vec_push(&b->row) = (struct plan_by_row){ .name = arena_printf(&b->mem, "%s", name) };
	return &b->row.v[b->row.n - 1];
}

/* A fee is for the works it lowers: spread over them by their cost before, the sum kept. */
static void spread_fee(struct plan_by *b, const struct plan *p, const struct rec *r,
		       const int64_t *before)
{
	__int128 *weight = calloc(r->change.n + 1, sizeof *weight);
	int64_t *part = calloc(r->change.n + 1, sizeof *part);

	if (!r->change.n || !weight || !part) {
		struct plan_by_row *row = row_of(b, "(fees)");
		row->after_nano += r->fee_nano;
		row->priced = true;
	} else {
		for (size_t k = 0; k < r->change.n; k++)
			weight[k] = max_i64(before[r->change.v[k].workload], 0);
		split_largest_remainder(r->fee_nano, r->change.n, weight, part);
		for (size_t k = 0; k < r->change.n; k++)
			row_of(b, value_of(&p->fleet->workload.v[r->change.v[k].workload], b->dim))
				->after_nano += part[k];
	}
	free(weight);
	free(part);
}

static int larger_first(const void *x, const void *y)
{
	const struct plan_by_row *a = x, *b = y;
	int64_t sa = a->before_nano - a->after_nano, sb = b->before_nano - b->after_nano;

	if (sa != sb)
		return cmp_i64(sb, sa);
	if (a->before_nano != b->before_nano)
		return cmp_i64(b->before_nano, a->before_nano);
	return strcmp(a->name, b->name);
}

int plan_by_make(const struct plan *p, const char *dim, struct plan_by *ret, struct err *err)
{
	const char *known = NULL, *near;

	for (size_t i = 0; i < sizeof dims / sizeof *dims; i++)
		if (!strcmp(dims[i], dim))
			known = dims[i];
	if (!known) {
		err_set(err, -EINVAL, "--by: savings cannot be grouped by '%s'", dim);
		near = near_word(dim, dims, sizeof dims / sizeof *dims);
		err_hint(
			err,
			near ? "Did you mean '%s'?"
			     : "It takes workload, team, project, env, cluster, user, service, purchase, gpu_model, kind or lever",
			near);
		return -EINVAL;
	}
	*ret = (struct plan_by){ .dim = known };
	if (!strcmp(known, "lever")) {
		/* By lever: the marginal savings in the order of the plan. */
		for (size_t i = 0; i < p->rec.v.n; i++) {
			struct plan_by_row *row = row_of(ret, p->rec.v.v[i]->lever);
			row->after_nano -= p->rec.v.v[i]->saving_nano;
			row->priced = true;
		}
	} else {
		size_t n = p->fleet->workload.n;
		int64_t *cost = xcalloc(n + 1, sizeof *cost),
			*before = xcalloc(n + 1, sizeof *before);
		__int128 sum = 0;

		for (size_t i = 0; i < n; i++)
			cost[i] = p->fleet->workload.v[i].cost_nano;
		for (size_t i = 0; i < p->rec.v.n; i++) {
			memcpy(before, cost, n * sizeof *cost);
			if (plan_step_costs(p, i, cost))
				spread_fee(ret, p, p->rec.v.v[i], before);
		}
		for (size_t i = 0; i < n; i++) {
			struct plan_by_row *row =
				row_of(ret, value_of(&p->fleet->workload.v[i], ret->dim));
			row->before_nano += p->fleet->workload.v[i].cost_nano;
			row->priced |= workload_is_priced(&p->fleet->workload.v[i]);
			row->after_nano += cost[i];
		}
		for (size_t i = 0; i < ret->row.n; i++)
			sum += ret->row.v[i].after_nano;
		if (sum != p->after_nano) { /* what belongs to no single work */
			struct plan_by_row *row = row_of(ret, "(all together)");
			row->after_nano += (int64_t)(p->after_nano - sum);
			row->priced = true;
		}
		free(cost);
		free(before);
	}
	if (ret->row.n)
		sort_items(ret->row.v, ret->row.n, sizeof *ret->row.v, larger_first);
	return 0;
}

void plan_by_free(struct plan_by *b)
{
	vec_free(&b->row);
	arena_free(&b->mem);
}

/* ---- printing ---------------------------------------------------------------------------- */

/*
 * What each row saves. By lever: of the bill, and the rows, rounded together, add up to the last
 * one, the whole plan's; else of the row's own cost, which stand alone. ret [rows + 1]
 */
static void format_changes(const struct plan_view *v, const struct plan_by *b, struct arena *a,
			   const char **ret)
{
	bool lever = !strcmp(b->dim, "lever");
	size_t n = b->row.n;
	__int128 *saved = xcalloc(n + 1, sizeof *saved), before = 0;
	int64_t *pct = xcalloc(n + 1, sizeof *pct);

	for (size_t i = 0; i < n; i++) {
		saved[i] = b->row.v[i].before_nano - b->row.v[i].after_nano;
		saved[n] += saved[i];
		before += b->row.v[i].before_nano;
	}
	if (lever)
		before = v->plan->baseline_nano;
	pct[n] = percent_alone(saved[n], before, PERCENT_UNITS);
	if (lever && saved[n] > 0)
		percent_split(saved[n], n, saved, pct[n], pct);
	for (size_t i = 0; i <= n; i++) {
		__int128 whole = before;
		bool alone = i < n && (!lever || saved[n] <= 0);
		if (!lever && i != n)
			whole = b->row.v[i].before_nano;
		if (alone)
			pct[i] = percent_alone(saved[i], whole, PERCENT_UNITS);

		/* "-12 %" of the bill, "-<1 %"; what costs more is "+3 %". */
		int64_t part = (int64_t)saved[i];
		char buf[PERCENT_BUF];
		ret[i] = "-";
		if (pct[i] == PERCENT_NONE)
			continue;
		percent_text(buf, llabs(pct[i]), PERCENT_UNITS, llabs(part), (int64_t)whole);
		const char *sign = text_if(part, "+");
		if (part > 0)
			sign = "-";
		ret[i] = arena_printf(a, "%s%s", sign, buf);
	}
	free(saved);
	free(pct);
}

/* The amounts of a row, from the second cell on, both sums only where there are columns for
 * them. Where nothing can be decided what is after it is not known; where nothing has a price,
 * nothing. */
static void put_money(const struct plan_view *v, const struct plan_by_row *r, bool both,
		      const char *change, struct arena *a, const char **cell)
{
	const struct plan *p = v->plan;
	int digits = plan_digits(p);

	if (both && r->priced)
		*cell++ = plan_money(a, plan_month(p, r->before_nano), digits);
	else if (both)
		*cell++ = "-";
	if (p->undecidable || !r->priced) {
		if (both)
			*cell++ = "-";
		*cell++ = "-";
		*cell = "-";
		return;
	}
	if (both)
		*cell++ = plan_money(a, plan_month(p, r->after_nano), digits);
	*cell++ = plan_money(a, plan_month(p, r->before_nano - r->after_nano), digits);
	*cell = change;
}

#define DIMS (sizeof dims / sizeof *dims)
struct row {
	const char *name[DIMS]; /* of the dimension asked for; the others NULL */
	const char *currency;
	bool whole;         /* known; a lever only changes what works cost */
	bool after, saving; /* known */
	dec baseline_month, after_month, saving_month;
	double saving_frac;
};
struct doc {
	double month_hours;
	const char *currency;
	const struct row *row;
	size_t n;
};
#define NAME(key, i, text)                                                                 \
	{                                                                                  \
		key, COL_TEXT, offsetof(struct row, name[i]), NULL, text, .optional = true \
	}
/* names in the order of dims */
static const struct col row_cols[] = {
	NAME("workload", 0, "what the work is called"),
	NAME("team", 1, "that it is for"),
	NAME("project", 2, "that it is for"),
	NAME("env", 3, "in which it runs"),
	NAME("cluster", 4, "on which it runs"),
	NAME("user", 5, "who runs it"),
	NAME("service", 6, "that it serves"),
	NAME("purchase", 7, "on_demand, spot, ..."),
	NAME("gpu_model", 8, "on which it runs"),
	NAME("kind", 9, "job, service, free, ..."),
	NAME("lever", 10, "what made the recommendations"),
	{ "currency", COL_WORD, offsetof(struct row, currency), .csv_only = true },
	{ "baseline_month", COL_DEC, offsetof(struct row, baseline_month), "money",
	  "cost today; null by lever, and where nothing has a price", offsetof(struct row, whole) },
	{ "after_month", COL_DEC, offsetof(struct row, after_month), "money",
	  "cost with the plan; null by lever, and where nothing can be decided",
	  offsetof(struct row, after) },
	{ "saving_month", COL_DEC, offsetof(struct row, saving_month), "money",
	  "what the plan saves; null where nothing can be decided", offsetof(struct row, saving) },
	{ "saving_frac", COL_NUM, offsetof(struct row, saving_frac), "fraction",
	  "of the cost today; null by lever", .digits = 6 },
	{ 0 },
};
static const struct col cols[] = {
	{ "month_hours", COL_NUM, offsetof(struct doc, month_hours), "h", "hours of a month",
	  .digits = 6 },
	{ "currency", COL_TEXT, offsetof(struct doc, currency), NULL, "of all amounts", 0 },
	{ "rows", COL_LIST(struct doc, row, n, row_cols),
	  .help = "the largest saving first; they add up to the whole plan" },
	{ 0 },
};
const struct col_doc plan_by_doc = { "tare.plan-by/1", "plan --by",
				     "what the plan saves, by what the work is", cols };

static const struct row *rows_by(const struct plan *p, const struct plan_by *b, struct arena *mem)
{
	struct row *row = arena_alloc(mem, (b->row.n + 1) * sizeof *row);

	for (size_t i = 0; i < b->row.n; i++) {
		const struct plan_by_row *r = &b->row.v[i];
		bool whole = r->priced && strcmp(b->dim, "lever") != 0;
		int64_t saved = r->before_nano - r->after_nano;
		bool decided = whole && !p->undecidable;
		struct row row_by = {
			.whole = whole,
			.after = decided,
			.saving = r->priced && !p->undecidable,
			.currency = p->fleet->currency,
			.baseline_month = plan_month(p, r->before_nano),
			.after_month = plan_month(p, r->after_nano),
			.saving_month = plan_month(p, saved),
			.saving_frac = num_if(decided && r->before_nano > 0,
					      (double)saved / (double)r->before_nano),
		};

		for (size_t k = 0; k < DIMS; k++)
			if (!strcmp(dims[k], b->dim))
				row_by.name[k] = r->name;
		row[i] = row_by;
	}
	return row;
}

void plan_print_by(const struct plan_view *v, const struct plan_by *b, enum out_format f,
		   struct str *out)
{
	struct grid g = { 0 };

	if (f == OUT_JSON) {
		const char *currency = v->plan->fleet->currency;
		struct arena mem = { 0 };
		struct doc doc = { .month_hours = v->plan->month_hours,
				   .currency = filled_or(currency, NULL),
				   .row = rows_by(v->plan, b, &mem),
				   .n = b->row.n };

		cols_doc(&plan_by_doc, &doc, out);
		arena_free(&mem);
		return;
	}
	if (f == OUT_CSV) {
		struct arena mem = { 0 };

		cols_csv_some(row_cols,
			      arena_printf(&mem,
					   "%s currency baseline_month after_month saving_month",
					   b->dim),
			      rows_by(v->plan, b, &mem), b->row.n, sizeof(struct row), out);
		arena_free(&mem);
		return;
	}

	bool lever = !strcmp(b->dim, "lever");
	struct plan_by_row all = { 0 };
	const char **change = arena_zalloc(&g.mem, (b->row.n + 1) * sizeof *change);

	format_changes(v, b, &g.mem, change);
	grid_add_col(&g, b->dim, GRID_LEFT, true);
	if (!lever) {
		grid_add_col(&g, "today", GRID_RIGHT, false);
		grid_add_col(&g, "after", GRID_RIGHT, false);
	}
	grid_add_col(&g, "saves", GRID_RIGHT, false);
	grid_add_col(&g, lever ? "of the bill" : "change", GRID_RIGHT, false);
	for (size_t i = 0; i < b->row.n; i++) {
		const struct plan_by_row *r = &b->row.v[i];
		const char **cell = grid_add_row(&g, GRID_PLAIN);
		*cell++ = text_line(&g.mem, sv_of(r->name), 0);
		put_money(v, r, !lever, change[i], &g.mem, cell);
		all.before_nano += r->before_nano;
		all.after_nano += r->after_nano;
		all.priced |= r->priced;
	}
	all.priced |= !b->row.n;
	const char **cell = grid_add_row(&g, GRID_TOTAL);
	*cell++ = "";
	put_money(v, &all, !lever, change[b->row.n], &g.mem, cell);

	if (f == OUT_HTML) {
		grid_html(&g, arena_printf(&g.mem, "%s", plan_unit(&g.mem, v->plan)), out);
	} else if (f == OUT_MD) {
		grid_md(&g, out);
		str_addf(out, "\n%s\n", plan_unit(&g.mem, v->plan));
	} else {
		int width = 80;
		if (v->width > 0)
			width = v->width;
		plan_fold(
			out,
			arena_printf(
				&g.mem,
				"%s, the plan as replayed against today; tare plan heads with the median",
				plan_unit(&g.mem, v->plan)),
			0, width);
		str_addc(out, '\n');
		grid_table(&g, width, v->colour, out);
	}
	grid_free(&g);
}
