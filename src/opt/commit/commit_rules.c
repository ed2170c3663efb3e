/*
 * Commitments: running a rule over a history, the rules others use, and the optimum in hindsight.
 *
 *   optimum: min  sum_t fee_t r_t + sum_t o_t
 *            s.t. N_t + o_t >= d_t,  N_t = units bought in the hours (t - term, t],  r, o >= 0
 *
 * The matrix has consecutive ones, so differences of neighbouring rows make it a flow: a node an
 * hour, supply d_t - d_{t-1}; arcs t -> t+1 at 1 (on demand), t -> t+term at the fee (a purchase),
 * t+1 -> t at 0 (held and unused). A term that outlives the data costs its share of it.
 * The optimum is not separable by level (staggered purchases may swap levels), which is why a
 * quantile is not it.
 *
 * Break-even: W. Wang, B. Li, B. Liang, To reserve or not to reserve, ICAC 2013, algorithm 1: buy
 * while the hours of the last term in which demand exceeded what was held, counting each purchase
 * as if it had been held all the while, would have cost more than the fee.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "model/known.h"
#include "opt/commit/commit.h"
#include "opt/commit/commit_in.h"
#include "opt/flow.h"

#define PRICE 1000000000LL /* on-demand price of an hour in the flow: rates to 9 digits */
#define MILLI 1000.0       /* of a unit in the flow */

static const char *const rule_name[COMMIT_RULES] = {
	"tare", "on_demand", "break_even", "seven_day", "seven_day_quarter", "seven_and_28_day"
};

const char *commit_rule_name(enum commit_rule r)
{
	return rule_name[r];
}

void commit_result_free(struct commit_result *r)
{
	free(r->buy);
	*r = (struct commit_result){ 0 };
}

bool commit_is_beaten(const struct commit_term *term, size_t nterm, size_t i)
{
	for (size_t j = 0; j < nterm; j++) {
		bool is_alike = term[j].hours == term[i].hours &&
				term[j].rate_frac == term[i].rate_frac;
		if (term[i].hours % term[j].hours == 0 && term[j].rate_frac <= term[i].rate_frac &&
		    (is_alike ? j < i : true))
			return true;
	}
	return false;
}

static int commit_check(const struct commit_in *q, struct err *err)
{
	if (q->nhour > COMMIT_MAX_HOURS)
		return err_set(err, -E2BIG,
			       "demand covers %zu hours; at most %d are decided at once", q->nhour,
			       COMMIT_MAX_HOURS);
	if (!q->nterm || q->nterm > COMMIT_MAX_TERMS)
		return err_set(err, -EINVAL, "commitments need 1 to %d terms", COMMIT_MAX_TERMS);
	for (size_t i = 0; i < q->nterm; i++)
		if (q->term[i].hours < 1 || q->term[i].hours > COMMIT_MAX_TERM_H ||
		    !(q->term[i].rate_frac >= 1e-9 && q->term[i].rate_frac < 1))
			return err_set(
				err, -EINVAL,
				"a commitment of %lld hours at %g of the on-demand price makes no sense: the rate must lie between 0 and 1",
				(long long)q->term[i].hours, q->term[i].rate_frac);
	for (size_t t = 0; t < q->nhour; t++)
		if (!(q->demand[t] >= 0 && q->demand[t] <= COMMIT_MAX_UNITS))
			return err_set(
				err, -EINVAL,
				"the demand of hour %zu, %g, is no number of units from 0 to %g", t,
				q->demand[t], COMMIT_MAX_UNITS);
	return 0;
}

/* ---- the book ---------------------------------------------------------------------------- */

static void commit_book_open(struct commit_book *b, const struct commit_in *q,
			     struct commit_result *res)
{
	*res = (struct commit_result){ 0 };
	*b = (struct commit_book){
		q->demand, q->nhour, q->term, q->nterm, xcalloc(q->nhour + 1, sizeof(double)),
		res,       0
	};
}

static size_t term_end(const struct commit_book *b, size_t hour, size_t term)
{
	if ((int64_t)(b->nhour - hour) < b->term[term].hours)
		return b->nhour;
	return hour + (size_t)b->term[term].hours;
}

static void commit_book_buy(struct commit_book *b, size_t hour, size_t term, int64_t units)
{
	struct commit_result *r = b->res;
	size_t end = term_end(b, hour, term);
	if (units <= 0)
		return;
	r->buy = vec_grow_(r->buy, r->nbuy, &b->cap, 1, sizeof *r->buy);
	r->buy[r->nbuy++] = (struct commit_buy){ (int64_t)hour, (int32_t)term, units };
	b->change[hour] += (double)units;
	b->change[end] -= (double)units;
	r->fees += (double)units * b->term[term].rate_frac * (double)(end - hour);
}

static void commit_book_close(struct commit_book *b)
{
	struct commit_result *r = b->res;
	double held = 0;
	for (size_t t = 0; t < b->nhour; t++) {
		held += b->change[t];
		r->committed += held;
		r->used += fmin(held, b->demand[t]);
		r->on_demand_cost += b->demand[t];
	}
	r->cost = r->fees + r->on_demand_cost - r->used;
	r->coverage_frac = num_if(r->on_demand_cost > 0, r->used / r->on_demand_cost);
	r->utilisation_frac = num_if(r->committed > 0, r->used / r->committed);
	free(b->change);
}

/* ---- rules ------------------------------------------------------------------------------- */

double commit_static_level(const double *demand, size_t nhour, double rate_frac)
{
	double *sorted = xmalloc((nhour + 1) * sizeof *sorted), level = 0;
	size_t k = (size_t)ceil(rate_frac * (double)nhour - 1e-9);
	for (size_t t = 0; t < nhour; t++)
		sorted[t] = demand[t];
	sort_items(sorted, nhour, sizeof *sorted, rising_double);
	if (nhour)
		level = sorted[nhour - (k ? k : 1)];
	free(sorted);
	return level;
}

static double window_level(const struct commit_book *b, size_t t, size_t hours)
{
	size_t from = 0;
	if (t > hours)
		from = t - hours;
	return commit_static_level(b->demand + from, t - from, b->term[0].rate_frac);
}

/*
 * Units that break-even buys at hour t: one while more than `fee` hours of the window, and this
 * one, are short. The j-th is bought when the gap of this hour and the (fee + 1)-th largest gap of
 * the window exceed j - 1.
 */
static int64_t break_even_units(const struct commit_book *b, const double *as_if, size_t from,
				size_t t, double fee, double *gap)
{
	size_t n = t + 1 - from, need = (size_t)floor(fee) + 1, is_short = 0;
	for (size_t i = 0; i < n; i++) {
		gap[i] = b->demand[from + i] - as_if[from + i];
		is_short += gap[i] > 0;
	}
	double now = gap[n - 1];
	if (now <= 0 || is_short < need)
		return 0;
	sort_items(gap, n, sizeof *gap, rising_double);
	return (int64_t)ceil(fmin(now, gap[n - need]));
}

int commit_run(enum commit_rule rule, const struct commit_in *q, struct commit_result *ret,
	       struct err *err)
{
	struct commit_book b;
	int r = commit_check(q, err);
	if (r < 0)
		return r;
	commit_book_open(&b, q, ret);
	if (rule == COMMIT_TARE) {
		struct commit *c = commit_new(b.term, b.nterm);
		int64_t units[COMMIT_MAX_TERMS];
		for (size_t t = 0; t < b.nhour; t++) {
			if (commit_decide(c, units))
				for (size_t i = 0; i < b.nterm; i++)
					commit_book_buy(&b, t, i, units[i]);
			commit_observe(c, b.demand[t]);
		}
		commit_free(c);
	} else if (rule == COMMIT_BREAK_EVEN) {
		int64_t hours = b.term[0].hours;
		double *as_if = xcalloc(b.nhour + 1, sizeof *as_if),
		       *gap = xcalloc(b.nhour + 1, sizeof *gap),
		       fee = b.term[0].rate_frac * (double)hours;
		for (size_t t = 0; t < b.nhour; t++) {
			size_t from = (int64_t)t >= hours ? t - (size_t)hours + 1 : 0;
			int64_t units = break_even_units(&b, as_if, from, t, fee, gap);
			for (size_t i = from; i < term_end(&b, t, 0) && units; i++)
				as_if[i] += (double)units;
			commit_book_buy(&b, t, 0, units);
		}
		free(as_if);
		free(gap);
	} else if (rule != COMMIT_ON_DEMAND) {
		/* Each day up to the best level of the last 7 days (and 28), or part of the way. */
		double part = rule == COMMIT_SEVEN_DAY_QUARTER ? 0.25 : 1;
		bool also_28 = rule == COMMIT_SEVEN_AND_28_DAY;
		double held = 0;
		for (size_t t = 0; t < b.nhour; t++) {
			held += b.change[t];
			if (t < 24 || t % 24)
				continue;
			double level = window_level(&b, t, 168);
			if (also_28)
				level = fmin(level, window_level(&b, t, 672));
			int64_t units = 0;
			if (level > held)
				units = (int64_t)ceil((level - held) * part - 1e-3);
			commit_book_buy(&b, t, 0, units);
			held += (double)max_i64(units, 0);
		}
	}
	commit_book_close(&b);
	return 0;
}

/* ---- the optimum ------------------------------------------------------------------------- */

struct optimum {
	struct flow f;
	struct flow_arc *arc;
	int64_t *supply;
	uint32_t *tree;
	struct flow_result r;
	size_t term[COMMIT_MAX_TERMS], nterm; /* those that are not beaten: their index */
};

static int by_hour(const void *a, const void *b)
{
	const struct commit_buy *x = a, *y = b;
	if (x->hour != y->hour)
		return cmp_i64(x->hour, y->hour);
	return cmp_int(x->term, y->term);
}

int commit_optimum(const struct commit_in *q, struct commit_result *ret, struct err *err)
{
	const size_t nhour = q->nhour;
	struct commit_book b;
	struct optimum o = { 0 };
	int r = commit_check(q, err);
	if (r < 0)
		return r;
	commit_book_open(&b, q, ret);
	if (nhour) {
		size_t a = 2 * nhour; /* arcs */
		for (size_t i = 0; i < b.nterm; i++)
			if (!commit_is_beaten(b.term, b.nterm, i))
				o.term[o.nterm++] = i;
		size_t m = nhour * (2 + o.nterm);
		o.arc = xcalloc(m, sizeof *o.arc);
		o.supply = xcalloc(nhour + 1, sizeof *o.supply);
		o.tree = xcalloc(nhour + 1, sizeof *o.tree);
		o.r.x = xcalloc(m, sizeof(int64_t));
		o.r.potential = xcalloc(nhour + 1, sizeof(int64_t));
		for (size_t t = 0; t < nhour; t++) {
			uint32_t h = (uint32_t)t;
			int64_t d = llround(b.demand[t] * MILLI);
			o.supply[t] += d;
			o.supply[t + 1] -= d;
			o.tree[t] = h; /* all of it on demand: a chain, feasible */
			o.arc[t] = (struct flow_arc){ h, h + 1, PRICE, FLOW_UNLIMITED };
			o.arc[nhour + t] = (struct flow_arc){ h + 1, h, 0, FLOW_UNLIMITED };
		}
		for (size_t i = 0; i < o.nterm; i++) {
			int64_t rate = llround(b.term[o.term[i]].rate_frac * (double)PRICE);
			for (size_t t = 0; t < nhour; t++) {
				size_t end = term_end(&b, t, o.term[i]);
				o.arc[a++] = (struct flow_arc){ (uint32_t)t, (uint32_t)end,
								rate * (int64_t)(end - t),
								FLOW_UNLIMITED };
			}
		}
		o.f = (struct flow){ nhour + 1, m, o.supply, o.arc, o.tree };
		r = flow_solve(&o.f, &o.r, err);
		if (r >= 0 && !flow_check(&o.f, &o.r, err))
			r = -EDOM;
	}

	/* The purchases of the flow as a result. Parts of a unit (from demand in parts of one) are
	 * kept in the sums, not in the list. */
	for (size_t i = 0; r >= 0 && i < o.nterm * b.nhour; i++) {
		size_t k = o.term[i / b.nhour], t = i % b.nhour;
		double units = (double)o.r.x[2 * b.nhour + i] / MILLI;
		if (units <= 0)
			continue;
		if (units == floor(units)) {
			commit_book_buy(&b, t, k, (int64_t)units);
			continue;
		}
		size_t end = term_end(&b, t, k);
		b.change[t] += units;
		b.change[end] -= units;
		ret->fees += units * b.term[k].rate_frac * (double)(end - t);
	}
	commit_book_close(&b);
	if (r < 0)
		commit_result_free(ret);
	else if (nhour) {
		ret->cost = (double)o.r.cost / (double)PRICE / MILLI;
		if (ret->nbuy)
			sort_items(ret->buy, ret->nbuy, sizeof *ret->buy, by_hour);
	}
	free(o.arc);
	free(o.supply);
	free(o.tree);
	free(o.r.x);
	free(o.r.potential);
	return r;
}
