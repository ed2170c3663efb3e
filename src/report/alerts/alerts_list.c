/* The alerts of `tare alerts` for people: below each rule a line for each job (or machine), its
 * GPUs together, in 80 columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/sh.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/alerts/alerts_in.h"
#include "report/grid.h"
#include "report/text.h"

#define TOGETHER_MS  MS_MINUTE /* GPUs of a job that began to fire within it stand in one line */
#define GPUS_MAX     64
#define CURRENCY_LEN 3

struct line {
	const struct fired *first;
	const struct fired *gpu[GPUS_MAX];
	size_t ngpu;
	int64_t from_ms, to_ms;
	double worst;
	dec cost;
	size_t more; /* lines of its rule that are folded away below it */
	dec more_cost;
	dec rule_cost; /* of all lines of its rule, once all are there */
	bool has_cost;
};

static bool together(const struct line *l, const struct fired *f)
{
	const struct fired *o = l->first;

	static const int where[] = { ALERT_NODE, ALERT_JOB, ALERT_TEAM };

	if (l->ngpu >= GPUS_MAX || f->from_ms - l->from_ms >= TOGETHER_MS)
		return false;
	if (o->rule != f->rule || o->state != f->state)
		return false;
	if (o->told != f->told || o->silenced != f->silenced)
		return false;
	for (size_t i = 0; i < sizeof where / sizeof *where; i++)
		if (!text_same(o->field[where[i]], f->field[where[i]]))
			return false;
	return o->has_cost == f->has_cost && text_same(o->currency, f->currency);
}

/* Most severe first, then rule by rule, the most expensive first; of a rule the most expensive
 * first, then as they began. */
static int in_order(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	const struct fired *p = x->first, *q = y->first;
	int c;

	if (p->rule->severity != q->rule->severity)
		return cmp_int(q->rule->severity, p->rule->severity);
	if (x->rule_cost != y->rule_cost)
		return cmp_dec(y->rule_cost, x->rule_cost);
	if ((c = strcmp(p->rule->name, q->rule->name)) != 0)
		return c;
	if (x->cost != y->cost)
		return cmp_dec(y->cost, x->cost);
	if (p->from_ms != q->from_ms)
		return cmp_i64(p->from_ms, q->from_ms);
	return (p > q) - (p < q);
}

/* v is sorted by start: what belongs to a line is near its end. */
static struct line *lines(const struct alerts_answer *r, bool all, bool one_currency,
			  struct arena *a, size_t *ret_n)
{
	struct line *v = arena_zalloc(a, (r->nfired + 1) * sizeof *v);
	size_t n = 0, from = 0;

	for (size_t i = 0; i < r->nfired; i++) {
		const struct fired *f = &r->fired[i];
		if (!all && !f->told)
			continue;
		while (from < n && f->from_ms - v[from].from_ms >= TOGETHER_MS)
			from++;
		size_t at = from;
		while (at < n && !together(&v[at], f))
			at++;
		struct line *l = &v[at];
		if (!l->ngpu)
			*l = (struct line){ .first = f,
					    .from_ms = f->from_ms,
					    .to_ms = f->to_ms,
					    .worst = f->worst,
					    .has_cost = f->has_cost };
		l->gpu[l->ngpu++] = f;
		l->to_ms = max_i64(f->to_ms, l->to_ms);
		bool above = f->rule->cmp == ALERT_ABOVE;
		if (isnan(l->worst) || (above ? f->worst > l->worst : f->worst < l->worst))
			l->worst = f->worst;
		l->cost += dec_counted(f->has_cost, f->cost);
		n += at == n;
	}

	/* What each rule's lines cost together; amounts of several currencies are not compared. */
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n && one_currency; j++)
			if (v[j].first->rule == v[i].first->rule)
				v[i].rule_cost += v[j].cost;
	if (n)
		sort_items(v, n, sizeof *v, in_order);
	*ret_n = n;
	return v;
}

/* "3", "0-3,6", "GPU-57ab... and 2 more" */
static const char *gpus(struct arena *a, const struct line *l)
{
	bool on[GPUS_MAX] = { 0 };
	const char *const *d = l->first->field;
	struct str s = { 0 };

	for (size_t i = 0; i < l->ngpu; i++) {
		const char *gpu = l->gpu[i]->field[ALERT_GPU];
		char *end = NULL;
		long k = strtol(gpu, &end, 10);
		bool is_index = end != gpu && !*end && within_i64(k, 0, GPUS_MAX - 1);
		if (*l->gpu[i]->field[ALERT_MIG] || !is_index || on[k]) {
			str_free(&s);
			const char *one = *d[ALERT_MIG] ? arena_printf(a, "%s/%s", d[ALERT_GPU],
								       d[ALERT_MIG])
							: d[ALERT_GPU];
			if (l->ngpu > 1)
				return arena_printf(a, "%s and %zu more", one, l->ngpu - 1);
			return one;
		}
		on[k] = true;
	}
	for (int i = 0, to; i < GPUS_MAX; i = to + 1) {
		to = i;
		if (!on[i])
			continue;
		while (to + 1 < GPUS_MAX && on[to + 1])
			to++;
		str_addf(&s, "%s%d", text_if(s.n, ","), i);
		if (to > i)
			str_addf(&s, "%c%d", to == i + 1 ? ',' : '-', to);
	}
	const char *z = arena_sv(a, str_sv(&s));
	str_free(&s);
	return z;
}

static const char *where(struct arena *a, const struct line *l)
{
	const char *node = l->first->field[ALERT_NODE];

	return text_line(
		a, sv_of(arena_printf(a, "  %s%s%s", node, text_if(*node, "/"), gpus(a, l))), 60);
}

/* "10-30 09:03": the year stands below the table. */
static const char *since(struct arena *a, int64_t ms)
{
	struct sv iso = sv_of(alerts_instant(a, ms));

	if (iso.n < 16)
		return arena_sv(a, iso);
	return arena_printf(a, "%.5s %.5s", iso.p + 5, iso.p + 11);
}

static const char *one_currency(const struct alerts_answer *r, bool all)
{
	const char *z = NULL;

	for (size_t i = 0; i < r->nfired; i++) {
		const struct fired *f = &r->fired[i];
		if (!f->has_cost || (!all && !f->told))
			continue;
		if (z && !text_same(z, f->currency))
			return NULL;
		z = f->currency;
	}
	return z;
}

static void row(struct grid *g, const struct line *l, const char *currency)
{
	const struct fired *f = l->first;
	const char **cell = grid_add_row(g, grid_faint(!f->told));

	cell[0] = where(&g->mem, l);
	cell[1] = alerts_word(&g->mem, f->field[ALERT_JOB], 32);
	cell[2] = alerts_word(&g->mem, f->field[ALERT_TEAM], 24);
	cell[3] = since(&g->mem, l->from_ms);

	/* "45 min", "23.4 h", "3.2 d": one figure, so that lines compare. */
	struct arena *a = &g->mem;
	int64_t ms = l->to_ms - l->from_ms;
	if (ms < MS_HOUR)
		cell[4] = arena_printf(a, "%.0f min", (double)ms / MS_MINUTE);
	else if (ms < 2 * MS_DAY)
		cell[4] = arena_printf(a, "%.1f h", (double)ms / MS_HOUR);
	else
		cell[4] = arena_printf(a, "%.1f d", (double)ms / MS_DAY);

	if (f->rule->signal >= ALERT_LOST)
		cell[5] = "";
	else
		cell[5] = alerts_number(&g->mem, f->rule->signal, l->worst);
	cell[6] = alerts_state_word(&g->mem, f);
	if (!l->has_cost)
		cell[7] = "-";
	else if (currency)
		cell[7] = text_money(&g->mem, l->cost, 2);
	else
		cell[7] = arena_printf(&g->mem, "%s %.*s", text_money(&g->mem, l->cost, 2),
				       CURRENCY_LEN, text_or(f->currency, ""));
}

bool alerts_list(const struct alerts_answer *r, const struct alerts_view *w,
		 const struct out_as *as, struct str *out)
{
	static const char *const heads[] = { "  GPU", "job",   "team", "since",
					     "for",   "worst", "state" };
	static const int worth[] = { 0, 4, 1, 0, 2, 3, 6 };
	const char *currency = one_currency(r, w->all);
	struct grid g = { 0 };
	struct str table = { 0 };
	size_t n;
	struct line *v = lines(r, w->all, currency != NULL, &g.mem, &n);

	/* Drop what is over the limit of a rule; its count and cost are kept in the last line that
	 * stays. */
	size_t limit = w->limit;
	size_t fold = 0;

	for (size_t i = 0, k; i < n; i += k) {
		for (k = 1; i + k < n && v[i + k].first->rule == v[i].first->rule;)
			k++;
		size_t keep = k;
		if (limit && k > limit + 1) /* no line for a single one */
			keep = limit;
		memmove(v + fold, v + i, keep * sizeof *v);
		fold += keep;
		for (size_t j = i + keep; j < i + k; j++) {
			v[fold - 1].more++;
			v[fold - 1].more_cost += v[j].cost;
		}
	}
	n = fold;

	g.heads_in_one = true;
	for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
		grid_add_col(&g, heads[i], grid_side(i == 4 || i == 5), i < 3);
		grid_worth(&g, worth[i]);
	}
	grid_add_col(&g, currency ? arena_printf(&g.mem, "cost %s", currency) : "cost", GRID_RIGHT,
		     false);
	grid_worth(&g, 5);
	for (size_t i = 0; i < n; i++)
		row(&g, &v[i], currency);
	grid_table(&g, as->width, as->colour, &table);
	struct sv rest = str_sv(&table);
	if (n) {
		/* The table's lines, its heads in one, with a heading where another rule begins. */
		str_addsv(out, sv_cut(rest, '\n', &rest));
		str_addc(out, '\n');
		for (size_t i = 0; i < n; i++) {
			const struct alert_rule *rule = v[i].first->rule;
			if (!i || v[i - 1].first->rule != rule)
				str_addf(out, "%s · %s · %s\n", rule->name,
					 alert_severity_name[rule->severity],
					 text_line(&g.mem, sv_of(rule->summary), 60));
			str_addsv(out, sv_cut(rest, '\n', &rest));
			str_addc(out, '\n');
			if (v[i].more) {
				const struct line *l = &v[i];
				const char *match =
					arena_printf(&g.mem, "%s%srule=%s", text_or(w->match, ""),
						     text_if(w->match, ","), l->first->rule->name);

				str_addf(out, "  and %zu more", l->more);
				if (currency && l->more_cost)
					str_addf(out, ", %s %.*s",
						 text_money(&g.mem, l->more_cost, 2), CURRENCY_LEN,
						 currency);
				str_addf(out, ": %s --match %s --limit 0\n", w->again,
					 sh_show(&g.mem, match));
			}
		}
		str_addsv(out, rest); /* what it has no room for */
	}
	str_free(&table);
	grid_free(&g);
	return n > 0;
}
