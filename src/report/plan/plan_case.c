/* The plan beside a published case study of a fleet of 200,000 $ a month ("ML training, serving and
 * evaluation", four changes in four weeks): what it says of each part, and what this plan does. */
#include "base/num.h"
#include "report/plan/plan_formats.h"

#include <math.h>
#include <stdlib.h>

#include "base/percent.h"
#include "base/sort.h"
#include "report/grid.h"
#include "report/text.h"

/* Parts by the names of clusters, as the demo fleet has them; else by the kind of work. */
static const struct part {
	const char *name, *workload, *how;
	double case_frac;
} parts[] = {
	{ "training", "training", "experiments on spot, with checkpoints", 0.70 },
	{ "evaluation", "evaluation", "right-sized with capacity planning", 0.66 },
	{ "serving", "inference", "reserved instances for what is always on", 0.40 },
	{ "all", NULL, "all changes together", 0.58 },
};
enum { NPARTS = sizeof parts / sizeof *parts };

struct case_row {
	const char *part, *how;
	double case_frac, saving_frac, p05, p95;
	dec cost_month;
};

static bool is_in(const struct part *part, const struct workload *w, bool by_cluster)
{
	if (!part->workload)
		return true;
	if (by_cluster)
		return !strcmp(w->cluster, part->name);
	return !strcmp(w->workload, part->workload);
}

static int by_number(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return cmp_double(x, y);
}

static double quantile_sorted(const double *v, int n, double q)
{
	double at = q * (n - 1);
	int i = (int)at;

	if (i + 1 < n)
		return v[i] + (at - i) * (v[i + 1] - v[i]);
	return v[i];
}

static void fill_row(const struct plan *p, const struct part *part, bool by_cluster,
		     struct case_row *ret)
{
	const struct plan_draws *d = &p->draws;
	double *share = xcalloc(p->rec.v.n + 1, sizeof *share),
	       *v = xcalloc((size_t)d->n + 1, sizeof *v);
	__int128 cost = 0;

	*ret = (struct case_row){ part->name, part->how, part->case_frac, NAN, NAN, NAN, 0 };
	for (size_t i = 0; i < p->fleet->workload.n; i++)
		if (is_in(part, &p->fleet->workload.v[i], by_cluster))
			cost += p->fleet->workload.v[i].cost_nano;
	ret->cost_month = plan_month(p, (int64_t)cost);

	/* share [rec.n]: what of each recommendation's saving falls to this part of the fleet; a
	 * fee is spread over what it is for, by cost. */
	int64_t *each = xcalloc(p->fleet->workload.n + 1, sizeof *each);

	for (size_t i = 0; i < p->fleet->workload.n; i++)
		each[i] = p->fleet->workload.v[i].cost_nano;
	for (size_t r = 0; r < p->rec.v.n; r++) {
		const struct rec *rec = p->rec.v.v[r];
		double mine = 0, all = 0, weight = 0, mine_weight = 0;
		for (size_t k = 0; k < rec->change.n; k++) {
			const struct rec_change *c = &rec->change.v[k];
			double saved = (double)(each[c->workload] - c->after.cost_nano);
			bool in = is_in(part, &p->fleet->workload.v[c->workload], by_cluster);
			all += saved;
			if (in)
				mine += saved;
			weight += (double)each[c->workload];
			if (in)
				mine_weight += (double)each[c->workload];
		}
		double fee = (double)plan_step_costs(p, r, each);
		all -= fee;
		if (weight > 0)
			mine -= fee * mine_weight / weight;
		share[r] = all != 0 ? mine / all : 0;
	}
	free(each);

	double of_all = text_frac(cost, p->baseline_nano);
	for (int k = 0; k < d->n; k++) {
		for (size_t r = 0; r < p->rec.v.n; r++)
			v[k] += share[r] * d->saved[r * (size_t)d->n + (size_t)k];
		v[k] = d->before[k] > 0 && of_all > 0 ? v[k] / (d->before[k] * of_all) : 0;
	}
	if (d->n && cost > 0) {
		sort_items(v, (size_t)d->n, sizeof *v, by_number);
		ret->p05 = quantile_sorted(v, d->n, 0.05);
		ret->saving_frac = quantile_sorted(v, d->n, 0.5);
		ret->p95 = quantile_sorted(v, d->n, 0.95);
	}
	if (!part->workload) { /* as the head of the plan has it */
		ret->saving_frac = plan_frac(p, plan_saving(p));
		ret->p05 = p->saving_frac_p05;
		ret->p95 = p->saving_frac_p95;
	}
	free(share);
	free(v);
}

#define IN(member) offsetof(struct case_row, member)
static const struct col row_cols[] = {
	{ "part", COL_TEXT, IN(part), .always = true, .help = "of the fleet" },
	{ "how", COL_TEXT, IN(how), .always = true, .help = "what the case study did" },
	{ "case_frac", COL_NUM, IN(case_frac), .digits = 4, .help = "what it says was saved" },
	{ "cost_month", COL_DEC, IN(cost_month), "money", "of the part, today", 0 },
	{ "saving_frac", COL_NUM, IN(saving_frac), .digits = 6,
	  .help = "what this plan saves of it: the median; null: there is no such part" },
	{ "p05", COL_NUM, IN(p05), .digits = 6, .help = "its 5th percentile" },
	{ "p95", COL_NUM, IN(p95), .digits = 6, .help = "its 95th percentile" },
	{ 0 },
};
struct case_doc {
	double month_hours;
	const char *currency;
	const struct case_row *row;
	size_t n;
};
static const struct col doc_cols[] = {
	{ "month_hours", COL_NUM, offsetof(struct case_doc, month_hours), "h", "what a month is",
	  .digits = 6 },
	{ "currency", COL_WORD, offsetof(struct case_doc, currency), .help = "of all amounts" },
	{ "rows", COL_LIST(struct case_doc, row, n, row_cols), .help = "parts of the fleet" },
	{ 0 },
};
const struct col_doc plan_case_doc = { "tare.plan-case/1", "plan --case-study",
				       "the plan beside a published case study", doc_cols };

static void put_grid(const struct plan_view *v, const struct case_row *row, struct grid *g)
{
	static const char *const heads[] = { "part", "cost", "case study", "this plan",
					     "9 of 10 cases" };
	struct arena *a = &g->mem;

	for (size_t i = 0; i < 5; i++)
		grid_add_col(g, heads[i], grid_side(i), false);
	for (size_t i = 0; i < NPARTS; i++) {
		const struct case_row *r = &row[i];
		const char **cell = grid_add_row(g, i + 1 == NPARTS ? GRID_TOTAL : GRID_PLAIN);
		cell[0] = r->part;
		cell[1] = plan_money(a, r->cost_month, plan_digits(v->plan));
		cell[2] = plan_percent(a, r->case_frac);
		cell[3] = plan_percent(a, r->saving_frac);
		if (isnan(r->p05))
			cell[4] = "-";
		else
			cell[4] = arena_printf(a, "%.*s to %s",
					       (int)strcspn(plan_percent(a, r->p05), " "),
					       plan_percent(a, r->p05), plan_percent(a, r->p95));
	}
}

void plan_print_case(const struct plan_view *v, enum out_format f, struct str *out)
{
	struct case_row row[NPARTS];
	struct grid g = { 0 };
	size_t found = 0;

	for (size_t k = 0; k + 1 < NPARTS; k++)
		for (size_t i = 0; i < v->plan->fleet->workload.n; i++)
			if (!strcmp(v->plan->fleet->workload.v[i].cluster, parts[k].name)) {
				found++;
				break;
			}
	bool by_cluster = found == NPARTS - 1;

	for (size_t i = 0; i < NPARTS; i++)
		fill_row(v->plan, &parts[i], by_cluster, &row[i]);
	if (f == OUT_JSON) {
		const struct case_doc doc = { v->plan->month_hours, v->plan->fleet->currency, row,
					      NPARTS };
		cols_doc(&plan_case_doc, &doc, out);
		return;
	}
	if (f == OUT_CSV) {
		cols_csv(row_cols, row, NPARTS, sizeof *row, out);
		return;
	}
	put_grid(v, row, &g);
	str_addf(out, "What each part saves, %s, beside the case study\n\n",
		 plan_unit(&g.mem, v->plan));
	if (f == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, columns_or_80(v->width), v->colour, out);
	str_addz(out,
		 "\nThe case study's four changes alone: --lever spot,share,trim_time,commit\n");
	grid_free(&g);
}
