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
#define GPUS_MAX     64        /* of a line; more begin another one */
#define CURRENCY_LEN 3         /* letters of an ISO 4217 code */
#define WORDS_MAX    60        /* columns of a place, a summary */
#define JOB_MAX      32        /* columns of a job */
#define TEAM_MAX     24        /* columns of a team */

struct line {
	const struct fired *first;
	const struct fired *gpu[GPUS_MAX];
	size_t ngpu;
	int64_t from_ms, to_ms; /* of the GPU that began first, of the one that ended last */
	double worst;           /* of the rule's signal, of all GPUs; NAN */
	dec cost;               /* 0 where has_cost is false */
	size_t more;            /* lines of its rule that are folded away below it */
	dec more_cost;
	/* what lines are sorted by, once all are there: the cost of its rule's lines, its own; 0
	 * where amounts are of several currencies, which nobody can compare */
	dec rule_cost, own_cost;
	bool has_cost;
};

static bool in_one_line(const struct line *l, const struct fired *f)
{
	static const int where[] = { ALERT_NODE, ALERT_JOB, ALERT_TEAM };
	const struct fired *o = l->first;

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
 * first, then as they began. With several currencies by name and by start alone. */
static int cmp_lines(const void *a, const void *b)
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
	if (x->own_cost != y->own_cost)
		return cmp_dec(y->own_cost, x->own_cost);
	if (p->from_ms != q->from_ms)
		return cmp_i64(p->from_ms, q->from_ms);
	return (p > q) - (p < q);
}

/* The worse of two values of a rule's signal; one may be NAN. */
static double worse_value(const struct alert_rule *rule, double a, double b)
{
	if (isnan(a))
		return b;
	if (rule->cmp == ALERT_ABOVE)
		return b > a ? b : a;
	return b < a ? b : a;
}

/* r->fired is sorted by start, and so the lines are: one that f may belong to is near their end. */
static struct line *make_lines(const struct alerts_answer *r, bool all, bool one_currency,
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
		while (at < n && !in_one_line(&v[at], f))
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
		l->worst = worse_value(f->rule, l->worst, f->worst);
		l->cost += dec_counted(f->has_cost, f->cost);
		n += at == n;
	}

	for (size_t i = 0; i < n && one_currency; i++) {
		v[i].own_cost = v[i].cost;
		for (size_t j = 0; j < n; j++)
			if (v[j].first->rule == v[i].first->rule)
				v[i].rule_cost += v[j].cost;
	}
	if (n)
		sort_items(v, n, sizeof *v, cmp_lines);
	*ret_n = n;
	return v;
}

/* "3", "0-3,6"; by uuid or MIG instance "GPU-57ab... and 2 more" */
static const char *gpu_names(struct arena *a, const struct line *l)
{
	bool on[GPUS_MAX] = { 0 };
	const char *const *field = l->first->field;

	for (size_t i = 0; i < l->ngpu; i++) {
		const char *gpu = l->gpu[i]->field[ALERT_GPU];
		char *end = NULL;
		long k = strtol(gpu, &end, 10);
		bool is_index = end != gpu && !*end && within_i64(k, 0, GPUS_MAX - 1);
		if (*l->gpu[i]->field[ALERT_MIG] || !is_index || on[k]) {
			const char *one = field[ALERT_GPU];
			if (*field[ALERT_MIG])
				one = arena_printf(a, "%s/%s", one, field[ALERT_MIG]);
			if (l->ngpu > 1)
				return arena_printf(a, "%s and %zu more", one, l->ngpu - 1);
			return one;
		}
		on[k] = true;
	}

	struct str s = { 0 };

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

static const char *where_words(struct arena *a, const struct line *l)
{
	const char *node = l->first->field[ALERT_NODE];

	return text_line(
		a, sv_of(arena_printf(a, "  %s%s%s", node, text_if(*node, "/"), gpu_names(a, l))),
		WORDS_MAX);
}

/* "10-30 09:03": the year stands below the table. */
static const char *short_instant(struct arena *a, int64_t ms)
{
	struct sv iso = sv_of(alerts_instant(a, ms));

	if (iso.n < 16)
		return arena_sv(a, iso);
	return arena_printf(a, "%.5s %.5s", iso.p + 5, iso.p + 11);
}

/* The currency of all amounts that are listed; NULL: there are several, or no amount. */
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

enum cell {
	CELL_GPU,
	CELL_JOB,
	CELL_TEAM,
	CELL_SINCE,
	CELL_FOR,
	CELL_WORST,
	CELL_STATE,
	CELL_COST
};

/* "45 min", "23.4 h", "3.2 d": one figure, so that lines compare. */
static const char *span_figure(struct arena *a, int64_t ms)
{
	if (ms < MS_HOUR)
		return arena_printf(a, "%.0f min", (double)ms / MS_MINUTE);
	if (ms < 2 * MS_DAY)
		return arena_printf(a, "%.1f h", (double)ms / MS_HOUR);
	return arena_printf(a, "%.1f d", (double)ms / MS_DAY);
}

static void add_row(struct grid *g, const struct line *l, const char *currency)
{
	const struct fired *f = l->first;
	const char **cell = grid_add_row(g, grid_faint(!f->told));
	struct arena *a = &g->mem;

	cell[CELL_GPU] = where_words(a, l);
	cell[CELL_JOB] = alerts_word(a, f->field[ALERT_JOB], JOB_MAX);
	cell[CELL_TEAM] = alerts_word(a, f->field[ALERT_TEAM], TEAM_MAX);
	cell[CELL_SINCE] = short_instant(a, l->from_ms);
	cell[CELL_FOR] = span_figure(a, l->to_ms - l->from_ms);
	cell[CELL_WORST] = "";
	if (f->rule->signal < ALERT_LOST) /* those from it on have no value, only are or are not */
		cell[CELL_WORST] = alerts_number(a, f->rule->signal, l->worst);
	cell[CELL_STATE] = alerts_state_word(a, f);
	if (!l->has_cost)
		cell[CELL_COST] = "-";
	else if (currency)
		cell[CELL_COST] = text_money(a, l->cost, 2);
	else
		cell[CELL_COST] = arena_printf(a, "%s %.*s", text_money(a, l->cost, 2),
					       CURRENCY_LEN, text_or(f->currency, ""));
}

/* Of each rule only the first `limit` lines stay (0: all); how many the others are and what they
 * cost is kept in the last that stays. Returns how many lines stay. */
static size_t fold_rules(struct line *v, size_t n, size_t limit)
{
	size_t kept = 0;

	for (size_t i = 0, k; i < n; i += k) {
		for (k = 1; i + k < n && v[i + k].first->rule == v[i].first->rule;)
			k++;
		size_t keep = k;
		if (limit && k > limit + 1) /* a single line more is shown */
			keep = limit;
		memmove(v + kept, v + i, keep * sizeof *v);
		kept += keep;
		for (size_t j = i + keep; j < i + k; j++) {
			v[kept - 1].more++;
			v[kept - 1].more_cost += v[j].cost;
		}
	}
	return kept;
}

/* "  and 3 more, 12.00 USD: tare alerts --match rule=idle --limit 0" */
static void put_more(const struct line *l, const struct alerts_view *w, const char *currency,
		     struct arena *a, struct str *out)
{
	const char *rule = arena_printf(a, "rule=%s", l->first->rule->name), *match = rule;

	/* what was asked for, and the rule where that does not end in it already */
	if (w->match && sv_ends(sv_of(w->match), sv_of(rule)))
		match = w->match;
	else if (w->match)
		match = arena_printf(a, "%s,%s", w->match, rule);

	str_addf(out, "  and %zu more", l->more);
	if (currency && l->more_cost)
		str_addf(out, ", %s %.*s", text_money(a, l->more_cost, 2), CURRENCY_LEN, currency);
	str_addf(out, ": %s --match %s --limit 0\n", w->again, sh_show(a, match));
}

bool alerts_list(const struct alerts_answer *r, const struct alerts_view *w,
		 const struct out_as *as, struct str *out)
{
	static const struct {
		const char *head;
		enum grid_align align;
		bool flex;
		int worth; /* grid_worth() */
	} cols[] = {
		[CELL_GPU] = { "  GPU", GRID_LEFT, true, 0 },
		[CELL_JOB] = { "job", GRID_LEFT, true, 4 },
		[CELL_TEAM] = { "team", GRID_LEFT, true, 1 },
		[CELL_SINCE] = { "since", GRID_LEFT, false, 0 },
		[CELL_FOR] = { "for", GRID_RIGHT, false, 2 },
		[CELL_WORST] = { "worst", GRID_RIGHT, false, 3 },
		[CELL_STATE] = { "state", GRID_LEFT, false, 6 },
		[CELL_COST] = { "cost", GRID_RIGHT, false, 5 },
	};
	const char *currency = one_currency(r, w->all);
	struct grid g = { .heads_in_one = true };
	struct str table = { 0 };
	size_t n;
	struct line *v = make_lines(r, w->all, currency != NULL, &g.mem, &n);

	n = fold_rules(v, n, w->limit);
	for (size_t i = 0; i < sizeof cols / sizeof *cols; i++) {
		const char *head = cols[i].head;
		if (i == CELL_COST && currency)
			head = arena_printf(&g.mem, "cost %s", currency);
		grid_add_col(&g, head, cols[i].align, cols[i].flex);
		grid_worth(&g, cols[i].worth);
	}
	for (size_t i = 0; i < n; i++)
		add_row(&g, &v[i], currency);
	grid_table(&g, as->width, as->colour, &table);
	struct sv rest = str_sv(&table);
	/* The table's lines, its heads in one, with a heading where another rule begins. */
	if (n) {
		str_addsv(out, sv_cut(rest, '\n', &rest));
		str_addc(out, '\n');
	}
	for (size_t i = 0; i < n; i++) {
		const struct alert_rule *rule = v[i].first->rule;
		if (!i || v[i - 1].first->rule != rule)
			str_addf(out, "%s · %s · %s\n", rule->name,
				 alert_severity_name[rule->severity],
				 text_line(&g.mem, sv_of(rule->summary), WORDS_MAX));
		str_addsv(out, sv_cut(rest, '\n', &rest));
		str_addc(out, '\n');
		if (v[i].more)
			put_more(&v[i], w, currency, &g.mem, out);
	}
	if (n)
		str_addsv(out, rest); /* what it has no room for */
	str_free(&table);
	grid_free(&g);
	return n > 0;
}
