#include "report/cost/view.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "base/sh.h"
#include "model/known.h"
#include "report/cost/figures.h"
#include "report/cost/spark.h"
#include "report/grid.h"
#include "report/text.h"

dec reconcile_ledger(const struct report_reconcile *r)
{
	if (r->has_bill)
		return r->ledger;
	return r->ledger + r->unbilled;
}

dec reconcile_difference(const struct report_reconcile *r)
{
	if (r->has_bill)
		return r->billed - r->ledger;
	return r->remainder;
}

bool reconcile_none_known(const struct report_reconcile *r)
{
	return r->lines_unknown && r->lines_unknown == r->lines && !r->ledger;
}

bool reconcile_blank(const struct report_in *in, const struct cube_row *total,
		     const struct report_reconcile *r)
{
	bool nothing = !r->billed && !r->ledger && !r->unbilled;
	bool free_of_charge = !in->where && total->has_cost; /* a price of 0 is a price */

	if (reconcile_none_known(r))
		return true;
	return nothing && !free_of_charge && r->unpriced_ms > 0;
}

int view_money_digits(const struct cube_block *k)
{
	dec most = dec_size(k->total.cost);

	for (size_t i = 0; i < k->nrow; i++)
		most = max_dec(most, dec_size(k->row[i].cost));
	if (most && most < DEC_ONE)
		return 6;
	return 2;
}

int view_hour_digits(int64_t ms)
{
	if (ms >= 1000 * MS_HOUR)
		return 0;
	if (ms >= 10 * MS_HOUR || ms == 0)
		return 1;
	return 3;
}

/* ---- columns ----------------------------------------------------------------------------- */

enum share {
	SHARE_BUSY,
	SHARE_UNDERUSED,
	SHARE_IDLE,
	SHARE_LOST,
	SHARE_OVERHEAD,
	SHARE_UNKNOWN,
	SHARES
};
static const char *const share_heads[] = { "busy", "underused", "idle",
					   "lost", "overhead",  "unknown" };
/* where a line has no room for all of them */
static const int share_worth[] = { 5, 4, 6, 3, 1, 2 };

static const enum state share_state[] = { STATE_BUSY, STATE_UNDERUSED, STATE_NONE,
					  STATE_LOST, STATE_OVERHEAD,  STATE_UNKNOWN };

struct layout {
	bool by_state; /* state is among the dimensions: its share instead of shares by state */
	bool show[SHARES], dropped[SHARES]; /* dropped: the line has no room */
	int money, hours;
	int64_t total_ms;
	size_t trend; /* its characters, 0: none */
};

/* Columns of a name are worth this many before a share is: longer names are cut anyway. A single
 * name is cut before anything is left out. */
#define NAME_WORTH   20
#define SINGLE_WORTH 8

/* of_time: the row's part of all GPU time, where that is shown */
static void put_numbers(const struct report_in *in, const struct layout *l,
			const struct cube_row *r, const char *of_time, const char **cell,
			struct arena *a)
{
	size_t n = in->ndim;
	char *share[SHARES];

	bool no_time = !r->gpu.ms && l->total_ms;
	bool blank = r->unrecorded || (no_time && !r->hole);

	if (!r->gpu.ms && r->has_machines)
		blank = true;
	cell[n++] = text_or_dash(!blank, text_gpu_hours(a, r->gpu.ms, l->hours));
	cell[n++] = text_or_dash(r->has_cost, text_money(a, r->cost, l->money));
	if (l->by_state)
		cell[n++] = of_time;

	/* All shares of a row, as they are rounded together whether or not all of them are
	 * shown. */
	__int128 part[SHARES];

	for (int s = 0; s < SHARES; s++) {
		if (s == SHARE_IDLE)
			part[s] = cube_idle_ms(r);
		else
			part[s] = r->state[share_state[s]].ms;
	}
	text_shares(a, r->gpu.ms, SHARES, part, share);

	/* Shares are of the row's paid GPU time. Idle is known in part where some of it is known to
	 * have been held by nobody. */
	for (int s = 0; s < SHARES; s++) {
		enum state state = share_state[s];
		if (s == SHARE_IDLE)
			state = STATE_IDLE_HELD;
		bool known = figure_of(r, state).ms != UNKNOWN_MS;
		if (s == SHARE_IDLE && r->state[STATE_UNALLOCATED].ms > 0)
			known = true;
		if (!known)
			share[s] = arena_printf(a, "-");
	}

	for (int s = 0; s < SHARES; s++)
		if (l->show[s])
			cell[n++] = share[s];
}

const char *view_dim_text(struct arena *a, const struct report_in *in, const struct cube_row *r,
			  size_t i)
{
	if (r->is_rest)
		return text_if(!i, "(unallocated)");
	if (r->folded)
		return text_if(!i, arena_printf(a, "(%zu more)", r->folded));
	return text_line(a, sv_of(cube_label(in->dim[i], r->dim[i])), 0);
}

/* The characters of a row's trend. */
static const char *trend_text(struct arena *a, const struct report_in *in, const struct cube_row *r,
			      size_t chars)
{
	const struct report_series *s = in->trend;
	double *v = arena_alloc(a, (s->step.n + 1) * sizeof *v);

	for (size_t i = 0; i < s->step.n; i++) {
		dec cost;
		v[i] = cube_column(s, r, i, &cost) ? dec_to_double(cost) : NAN;
	}
	return spark_text(a, v, s->step.n, chars, in->ascii);
}

static void fill_grid(const struct report_in *in, const struct cube_block *k,
		      const struct layout *layout, struct grid *g)
{
	struct layout l = *layout;

	/* Of each row its part of all GPU time, rounded together; the last one is what the limit
	 * leaves out. */
	struct arena *a = &g->mem;
	char **of_time = arena_zalloc(a, (k->nrow + 1) * sizeof *of_time);
	__int128 *ms = xcalloc(k->nrow + 1, sizeof *ms);

	for (size_t i = 0; i <= k->nrow; i++)
		ms[i] = (i < k->nrow ? &k->row[i] : &k->left)->gpu.ms;
	text_shares(a, k->total.gpu.ms, k->nrow + 1, ms, of_time);
	for (size_t i = 0; i <= k->nrow; i++)
		if (!ms[i])
			of_time[i] = arena_printf(a, "-");
	free(ms);

	const char **cell;
	size_t at;

	for (size_t i = 0; i < in->ndim; i++)
		grid_add_name(g, in->dim[i]);
	grid_add_figure(g, "GPU·h", SHARES + 1);
	grid_add_figure(g, "cost", GRID_ALWAYS);
	if (l.by_state)
		grid_add_figure(g, "of time", SHARES);
	for (int s = 0; s < SHARES; s++)
		if (l.show[s])
			grid_add_figure(g, share_heads[s], share_worth[s]);
	for (int s = 0; s < SHARES; s++)
		if (l.dropped[s])
			g->unshown = arena_printf(&g->mem, "%s%s%s", text_or(g->unshown, ""),
						  text_if(g->unshown, ", "), share_heads[s]);
	at = g->col.n;
	if (l.trend) {
		/* "by day", "by 2 days": what a character of the trend is. */
		size_t each = spark_each(in->trend->step.n, l.trend);
		const char *trend_head;
		if (each > 1)
			trend_head = arena_printf(&g->mem, "by %zu %ss", each, in->trend->dim);
		else
			trend_head = arena_printf(&g->mem, "by %s", in->trend->dim);
		grid_add_col(g, trend_head, GRID_LEFT, false);
		grid_worth(g, in->trend_asked ? GRID_ALWAYS : 0);
	}
	for (size_t r = 0; r < k->nrow; r++) {
		cell = grid_add_row(g, grid_faint(k->row[r].folded));
		for (size_t i = 0; i < in->ndim; i++)
			cell[i] = view_dim_text(&g->mem, in, &k->row[r], i);
		put_numbers(in, &l, &k->row[r], of_time[r], cell, &g->mem);
		if (l.trend)
			cell[at] = trend_text(&g->mem, in, &k->row[r], l.trend);
	}
	if (k->nleft) {
		cell = grid_add_row(g, GRID_FAINT);
		cell[0] = arena_printf(&g->mem, "(%zu more)", k->nleft);
		put_numbers(in, &l, &k->left, of_time[k->nrow], cell, &g->mem);
		if (l.trend)
			cell[at] = trend_text(&g->mem, in, &k->left, l.trend);
	}
	cell = grid_add_row(g, GRID_TOTAL);
	put_numbers(in, &l, &k->total, text_or_dash(k->total.gpu.ms, "100 %"), cell, &g->mem);
	if (l.trend)
		cell[at] = trend_text(&g->mem, in, &k->total, l.trend);
}

/* A trend of fewer characters tells nothing, one of more is no glance. */
#define TREND_MIN 10
#define TREND_MAX 31

void view_grid(const struct report_in *in, const struct cube_block *k, int width, struct grid *g)
{
	struct layout l = { .money = view_money_digits(k),
			    .hours = view_hour_digits(k->total.gpu.ms),
			    .total_ms = k->total.gpu.ms };

	for (size_t i = 0; i < in->ndim; i++)
		l.by_state |= !strcmp(in->dim[i], "state") || !strcmp(in->dim[i], "cause");
	for (int s = 0; s < SHARES; s++)
		l.show[s] = !l.by_state && k->total.gpu.ms > 0;
	if (!k->total.state[STATE_OVERHEAD].ms)
		l.show[SHARE_OVERHEAD] = false;

	bool narrow = width && (in->ndim > 1 || width < 80);

	if (narrow && grid_fits_lines()) {
		/* Leave out shares while the line is too long; idle stays longest. */
		static const enum share first[] = { SHARE_OVERHEAD, SHARE_UNKNOWN, SHARE_LOST,
						    SHARE_UNDERUSED, SHARE_BUSY };

		int names_width = 0, worth = SINGLE_WORTH;

		if (in->ndim > 1)
			worth = NAME_WORTH;
		for (size_t i = 0; i < in->ndim; i++) {
			int w = text_width(sv_of(in->dim[i]));
			for (size_t r = 0; r < k->nrow && w < worth; r++) {
				int n = text_width(sv_of(cube_label(in->dim[i], k->row[r].dim[i])));
				w = max_int(n, w);
			}
			names_width += 2 + min_int(w, worth);
		}
		int used = names_width + 20; /* GPU·h and cost */

		for (int s = 0; s < SHARES; s++)
			if (l.show[s])
				used += 2 + (int)strlen(share_heads[s]);
		for (size_t i = 0; i < sizeof first / sizeof *first && used > width; i++)
			if (l.show[first[i]]) {
				l.show[first[i]] = false;
				l.dropped[first[i]] = true;
				used -= 2 + (int)strlen(share_heads[first[i]]);
			}
	}
	fill_grid(in, k, &l, g);

	/* Room for a trend beside everything else; where it was asked for, whatever the width. */
	int room = (width ? width : 80) - grid_natural_width(g) - 2;
	bool trends = in->trend && in->trend->step.n >= 2;
	if (in->trend_asked && room < TREND_MIN)
		room = TREND_MIN;
	if (trends && room >= TREND_MIN)
		l.trend = (size_t)min_int(room, TREND_MAX);
	if (!l.trend)
		return;
	grid_free(g);
	*g = (struct grid){ 0 };
	fill_grid(in, k, &l, g);
}

/* ---- sentences --------------------------------------------------------------------------- */

char *view_title(struct arena *a, const struct report_in *in, const struct cube_block *k)
{
	const char *split = in->split == SPLIT_NONE ? ""
						    : arena_printf(a, " · idle split: %s",
								   idle_split_name(in->split));
	const char *where = text_if(in->where,
				    arena_printf(a, " · %s", text_line(a, sv_of(in->where), 0)));
	static const char *const by[] = {
		[BY_COST_NONE] = "",
		[BY_COST_UNWATCHED] =
			" · shares by cost of their machines where nobody knows the use",
		[BY_COST_ALL] = " · shares by cost, as nobody's use is known",
	};
	const char *gpu = "no GPU time", *estimated = "", *assumed = "";
	const struct cube_row *t = &k->total;

	if (t->has_machines)
		gpu = "GPU time unknown";
	if (t->gpu.ms) {
		/* How the states are known; what is unknown is a column of the table. */
		__int128 part[] = { t->gpu.measured_ms, t->gpu.estimated_ms,
				    t->gpu.ms - t->gpu.measured_ms - t->gpu.estimated_ms -
					    t->state[STATE_UNKNOWN].ms };
		char *share[3];

		text_shares(a, t->gpu.ms, 3, part, share);
		if (part[1] > 0)
			estimated = arena_printf(a, ", %s estimated", share[1]);
		if (part[2] > 0)
			assumed = arena_printf(a, ", %s assumed", share[2]);
		gpu = arena_printf(a, "%s GPU·h paid · %s measured%s%s",
				   text_gpu_hours(a, t->gpu.ms, view_hour_digits(t->gpu.ms)),
				   share[0], estimated, assumed);
	}
	return arena_printf(
		a, "%s · %s cost, %s · %s%s%s%s",
		text_window(a, in->since_ms, text_until(in->data_until_ms, in->until_ms)),
		basis_name(in->basis), k->currency, gpu, split, by[k->total.by_cost], where);
}

/* A row of what has no name there; "(4 more)" have names of their own. */
static bool is_unnamed(const struct cube_row *r, size_t dim)
{
	return !*r->dim[dim] && !r->is_rest && !r->folded;
}

/* Why a table by machines or models has a row without one. */
static const char *unnamed_words(struct arena *a, const struct report_in *in,
				 const struct cube_block *k)
{
	static const char *const dim[][2] = { { "node", "node" }, { "gpu_model", "GPU model" } };

	for (size_t i = 0; i < in->ndim; i++)
		for (size_t d = 0; d < sizeof dim / sizeof *dim; d++) {
			int64_t ms = 0;
			if (strcmp(in->dim[i], dim[d][0]) != 0)
				continue;
			for (size_t j = 0; j < k->nrow; j++)
				if (is_unnamed(&k->row[j], i))
					ms += k->row[j].gpu.ms;
			if (ms > 0 && ms >= k->total.gpu.ms / 100)
				return arena_printf(
					a,
					"%s GPU·h name no %s: pools whose jobs say no machine, with all machines they may be on, readings that name none (tare import --set %s=NAME), or bill lines without a resource id (docs/LEDGER.md, GPUs without names).\n",
					text_gpu_hours(a, ms, view_hour_digits(ms)), dim[d][1],
					dim[d][0]);
		}
	return "";
}

/* Why rows by team have one without, where jobs name accounts. */
static const char *teamless_words(const struct report_in *in, const struct cube_block *k)
{
	for (size_t i = 0; i < in->ndim && in->accounts_teamless; i++)
		for (size_t j = 0; j < k->nrow && !strcmp(in->dim[i], "team"); j++)
			if (is_unnamed(&k->row[j], i))
				return "Jobs here have accounts and no team; a rule of the settings makes them teams (docs/CONFIG.md, virtual_tags), for what is imported after it, and for the rest after tare import --repost.\n";
	return "";
}

static bool nobody_names(const struct cube_block *k, size_t dim)
{
	for (size_t j = 0; j < k->nrow; j++)
		if (*k->row[j].dim[dim])
			return false;
	return k->nrow > 0;
}

/* Words of a bill that mean another dimension here. */
static const char *other_dim_words(struct arena *a, const struct report_in *in,
				   const struct cube_block *k)
{
	static const char *const of[][3] = {
		{ "service",
		  "a request log names services (tare import --as requests); those of a bill",
		  "cloud_service" },
		{ "project", "no tag names a project; the accounts and projects of a cloud",
		  "account" },
	};

	for (size_t i = 0; i < in->ndim; i++)
		for (size_t d = 0; d < sizeof of / sizeof *of; d++)
			if (!strcmp(in->dim[i], of[d][0]) && nobody_names(k, i))
				return arena_printf(a, "Nothing here has a %s: %s are --by %s.\n",
						    of[d][0], of[d][1], of[d][2]);
	return "";
}

/* Lines of a bill whose cost nobody says: nothing else tells that they are in no sum. */
const char *view_uncosted(struct arena *a, const struct report_in *in,
			  const struct report_reconcile *r)
{
	const char *billed = "", *name = basis_name(in->basis);
	bool one = r->lines_unknown == 1;

	if (!r->lines_unknown)
		return "";
	if (in->basis != BASIS_BILLED && r->invoiced != r->billed)
		billed = arena_printf(a, " What was invoiced is %s %s: --cost billed.",
				      text_money(a, r->invoiced, 2), r->currency);
	if (in->basis == BASIS_BILLED && r->used_unbilled > 0)
		billed =
			" An export of amortised cost has no fees of commitments: it does not tell what was invoiced, that of actual cost does.";
	return arena_printf(a, "%s of the %s bill %s cost and %s in no sum here.%s\n",
			    text_count(a, r->lines_unknown, "line"), r->currency,
			    arena_printf(a, one ? "has no %s" : "have no %s", name),
			    one ? "is" : "are", billed);
}

/* The ledger beside the bills of one currency. blank: no cost is known, and a sum of nothing is not
 * 0. */
static char *reconcile_words(struct arena *a, const struct report_in *in,
			     const struct report_reconcile *r, bool blank, const char *whole,
			     int digits)
{
	const char *ledger = text_or_dash(!blank, text_money(a, reconcile_ledger(r), digits));
	const char *unpriced = text_gpu_hours(
		a, r->unpriced_ms, r->unpriced_ms ? view_hour_digits(r->unpriced_ms) : 0);
	if (!r->has_bill)
		return arena_printf(a, "%sno bill · ledger %s · unpriced %s GPU·h\n", whole, ledger,
				    unpriced);

	/* What rounding entries to nano-units explains is no difference to people; anything else is
	 * shown, however small. */
	char buf[DEC_BUF];
	dec diff = reconcile_difference(r);
	if (diff == r->remainder && dec_size(diff) < DEC_ONE / 200)
		diff = 0;
	const char *difference = text_money(a, diff, digits);
	if (diff && dec_size(diff) < DEC_ONE / 200)
		difference = dec_format(buf, diff);
	const char *line = arena_printf(
		a, "%s%s %s · ledger %s · difference %s · unpriced %s GPU·h\n", whole,
		*whole ? "bill" : "Bill", text_or_dash(!blank, text_money(a, r->billed, digits)),
		ledger, text_or_dash(!blank, difference), unpriced);
	const char *more = "", *partial = "", *by_fee = "";
	if (in->basis == BASIS_BILLED && r->used > r->used_unbilled)
		by_fee =
			"Commitments are billed by their fees, which are nobody's; what they cover stands here as its own line says, 0 or at list price (that a line of nobody's takes back). What use cost: --cost effective.\n";
	if (r->unbilled)
		more = arena_printf(
			a,
			"A further %s is on no bill: priced from the catalogue, node records or at import.\n",
			text_money(a, r->unbilled, digits));
	if (r->partial)
		partial =
			"Some charges reach over the ends of the window; the bill's side counts them where they start.\n";
	return arena_printf(a, "%s%s%s%s%s", line, view_uncosted(a, in, r), by_fee, more, partial);
}

/* "2026-10-01", "2026-10-01 to 2026-10-31" */
static const char *days_words(struct arena *a, int64_t from_ms, int64_t to_ms)
{
	char f[TM_BUF], t[TM_BUF];

	tm_format_date(f, from_ms);
	if (from_ms == to_ms)
		return arena_printf(a, "%s", f);
	return arena_printf(a, "%s to %s", f, tm_format_date(t, to_ms));
}

/* Of a report in one currency: what was brought to it, and beside it the bills as they are. */
static char *exchanged_reconcile(struct arena *a, const struct report_in *in,
				 const struct cube_block *k, const char *unnamed)
{
	struct str s = { 0 };
	int digits = view_money_digits(k);
	bool all = !strcmp(k->currency, in->exchanged_to);

	for (size_t i = 0; i < in->nexchanged; i++) {
		const struct report_exchanged *x = &in->exchanged[i];
		bool own = !strcmp(x->currency, k->currency);
		bool alone = x->left_from_ms != UNKNOWN_MS && x->from_ms == UNKNOWN_MS;
		if (all ? alone : !own)
			continue;

		/* What of a currency was brought to another, and what was not; lines end in
		 * "\n". */
		const char *to = in->exchanged_to;
		if (x->from_ms != UNKNOWN_MS)
			str_addf(
				&s,
				"%s %s are %s %s here, each charge at the rate of its day (%s; tare import --as rates).\n",
				text_money(a, x->cost - x->left, digits), x->currency,
				text_money(a, x->converted, digits), to,
				days_words(a, x->from_ms, x->to_ms));
		if (x->left_from_ms != UNKNOWN_MS)
			str_addf(
				&s,
				"%s %s are not added: no exchange rate to %s is known of %s. tare import --as rates FILE brings it, with lines such as date,from,to,rate and %s,%s,%s,RATE.\n",
				text_money(a, x->left, digits), x->currency, to,
				days_words(a, x->left_from_ms, x->left_to_ms),
				days_words(a, x->left_from_ms, x->left_from_ms), x->currency, to);

		if (x->reconcile && (all || alone))
			str_addz(&s,
				 reconcile_words(a, in, x->reconcile,
						 reconcile_none_known(x->reconcile),
						 arena_printf(a, "%sn %s: ",
							      in->where ? "Whole window, i" : "I",
							      x->currency),
						 digits));
	}
	str_addz(&s, unnamed);
	char *ret = arena_printf(a, "%s", str_z(&s));
	str_free(&s);
	return ret;
}

char *view_reconcile(struct arena *a, const struct report_in *in, const struct cube_block *k)
{
	const struct report_reconcile *r = k->reconcile;
	const char *machines = "";
	if (k->total.has_machines)
		machines = arena_printf(
			a,
			"%s %s is for machines of which nothing says whether they have GPUs: their GPU time is unknown and in no sum here (say it to tare import: --set gpu_model=MODEL --set gpu_count=N, or nodes with their resource ids).\n",
			text_money(a, k->total.machines, view_money_digits(k)), k->currency);
	const char *nameless = "", *unnamed;
	bool first = !in->nreconcile || r == in->reconcile;
	if (in->nameless && first)
		nameless = arena_printf(a, "In doubt: %s.\n", in->nameless);
	unnamed = arena_printf(a, "%s%s%s", unnamed_words(a, in, k), teamless_words(in, k),
			       nameless);

	if (in->exchanged_to)
		return exchanged_reconcile(a, in, k, unnamed);
	unnamed = arena_printf(a, "%s%s", machines, unnamed);
	if (!r)
		return arena_printf(a, "%s", unnamed);
	return arena_printf(a, "%s%s%s",
			    reconcile_words(a, in, r, reconcile_blank(in, &k->total, r),
					    in->where ? "Whole window: " : "",
					    view_money_digits(k)),
			    unnamed, r->has_bill ? other_dim_words(a, in, k) : "");
}

/* Of what kind a row's idle cost is: that of its largest part. */
static const char *idle_kind(struct arena *a, const struct cube_row *r)
{
	dec held = r->state[STATE_IDLE_HELD].cost, empty = r->state[STATE_IDLE_EMPTY].cost,
	    free_ = r->state[STATE_UNALLOCATED].cost, most = free_;
	const char *kind = "paid for and held by nobody";

	if (held >= empty && held >= free_) {
		most = held;
		kind = "memory held, nothing running";
	} else if (empty >= free_) {
		most = empty;
		kind = "held by a job that does nothing";
	}
	if (most < cube_idle_cost(r) / 10 * 9)
		return arena_printf(a, "mostly %s", kind);
	return kind;
}

char *view_row_words(struct arena *a, const struct report_in *in, const struct cube_row *r)
{
	struct str s = { 0 };

	for (size_t i = 0; i < in->ndim; i++)
		str_addf(&s, "%s%s", text_if(i, "/"),
			 text_line(a, sv_of(cube_label(in->dim[i], r->dim[i])), 40));
	char *t = arena_sv(a, str_sv(&s));
	str_free(&s);
	return t;
}

/* As --where takes it: several values are apart by commas. */
const char *view_filter_value(struct arena *a, const char *name)
{
	struct str s = { 0 };

	for (; *name; name++)
		str_addf(&s, "%s%c", text_if(*name == ',' || *name == '\\', "\\"), *name);
	char *ret = arena_printf(a, "%s", str_z(&s));
	str_free(&s);
	return ret;
}

/* " --where DIM=WORD", where the command does not say so already. */
static const char *narrow_by(struct arena *a, const char *again, const char *dim, const char *word)
{
	const char *where = arena_printf(a, " --where %s=%s", dim, word);
	const char *at = strstr(again, where);

	if (at && (!at[strlen(where)] || at[strlen(where)] == ' '))
		return "";
	return where;
}

/* Where to look next: into the jobs of an owner, at the causes of a job, else at the owners. */
static const char *next_command(struct arena *a, const struct report_in *in,
				const struct cube_row *r)
{
	static const char *const narrow[] = { "team", "project", "user",    "workload",
					      "env",  "run",     "cluster", "job" };
	const char *word = sh_word(a, view_filter_value(a, r->dim[0]));

	const char *again = text_or(in->again, "tare report");
	const char *held = cube_held_ms(r) > 0 ? "job" : "node"; /* a bill alone has no jobs */
	bool can_say = sh_line(a, word) == word; /* else the next step is a broader one */

	if (in->split !=
	    SPLIT_NONE) /* what one row is charged of others' is in no row of its own */
		return arena_printf(a, "%s --by %s,job --split-idle %s --sort waste", again,
				    strcmp(in->dim[0], "job") ? in->dim[0] : "team",
				    idle_split_name(in->split));
	for (size_t i = 0; i < sizeof narrow / sizeof *narrow && *r->dim[0] && can_say; i++)
		if (!strcmp(in->dim[0], narrow[i]))
			return arena_printf(a, "%s --by %s%s --sort waste", again,
					    strcmp(narrow[i], "job") ? held : "state,cause",
					    narrow_by(a, again, narrow[i], word));
	if (!strcmp(in->dim[0], "node") && *r->dim[0] && can_say)
		return arena_printf(a, "%s --by team,job%s --sort waste", again,
				    narrow_by(a, again, "node", word));
	return arena_printf(a, "%s --by %s --sort waste", again,
			    strcmp(in->dim[0], "node") ? "node" : "team,job");
}

char *view_hint(struct arena *a, const struct report_in *in, const struct cube_block *k)
{
	const struct cube_row *most = k->idlest;
	dec idle = cube_idle_cost(&k->total);
	int digits = view_money_digits(k);

	if (!most || idle <= 0)
		return arena_printf(a, "%s", "");
	return arena_printf(
		a, "Idle alone costs %s %s in %s. %s: %s, %s, %s (%s).",
		text_money(a, idle, digits), k->currency,
		text_these(a, in->since_ms, text_until(in->data_until_ms, in->until_ms)),
		2 * cube_idle_cost(most) > idle ? "Most of it" : "The largest part",
		view_row_words(a, in, most), text_money(a, cube_idle_cost(most), digits),
		idle_kind(a, most), next_command(a, in, most));
}

void view_fold(struct str *out, const char *s, int width)
{
	int used = 0;

	while (*s) {
		size_t n = text_word(sv_of(s));
		int w = text_width((struct sv){ s, n });
		if (used && used + 1 + w > width) {
			str_addc(out, '\n');
			used = 0;
		}
		if (used) {
			str_addc(out, ' ');
			used++;
		}
		str_add(out, s, n);
		used += w;
		s += n;
		if (*s == '\n') {
			str_addc(out, '\n');
			used = 0;
		}
		s += *s != 0;
	}
	if (used)
		str_addc(out, '\n');
}
