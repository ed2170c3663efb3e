/*
 * A portfolio of commitments.
 *
 *   max  sum over units u = 1, 2, ... and offers k of  y_uk (on_demand x use_k(u) x alive_k -
 *                                                      rate_k)
 *   s.t. sum_k y_uk <= 1 for every u,   sum_uk y_uk upfront_k <= cap,   y in {0, 1}
 *
 *   rate_k   = hour + upfront (1 + wacc x years / 2) / hours
 *              money upfront falls to nothing in a straight line
 *   alive_k  = mean over the term of (1 - p)^t;  p: chance a year that the type is outdated
 *   use_k(u) = share of the term's hours with a demand of at least u
 *
 * Without the cap each unit decides for itself. With it, a price mu on upfront money does (Everett
 * 1963, Oper. Res. 11): bisected until the cap holds, then what is left of the cap is given to the
 * units that gain most; at most one unit's worth of money away from the optimum.
 *
 * A savings plan: the saving S(c) = mean over hours of what c dollars cover at on-demand prices -
 * c. Each hour is covered by falling discount, so S is concave and piecewise linear; its top is
 * found by thirds.
 */
#include "model/known.h"
#include "opt/commit/portfolio.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"

#define YEAR_H 8760.0

struct choice {
	int offer;
	double gain, upfront;
}; /* of one unit; offer -1 = none */
struct chooser {
	const struct portfolio_ask *a;
	const struct portfolio_offer *o;
	size_t n, nslice;
	int64_t units; /* of a slice */
	double rate[PORTFOLIO_MAX_OFFERS], alive[PORTFOLIO_MAX_OFFERS];
	double *gain; /* [nslice][n] expected, an hour and unit */
};

static struct choice pick_offer(const struct chooser *c, size_t slice, double mu)
{
	struct choice best = { -1, 0, 0 };
	double most = 0;
	for (size_t k = 0; k < c->n; k++) {
		double gain = c->gain[slice * c->n + k], worth = gain - mu * c->o[k].upfront;
		if (worth > most) {
			most = worth;
			best = (struct choice){ (int)k, gain, c->o[k].upfront };
		}
	}
	return best;
}

static double money_at(const struct chooser *c, double mu)
{
	double sum = 0;
	for (size_t s = 0; s < c->nslice; s++)
		sum += pick_offer(c, s, mu).upfront * (double)c->units;
	return sum;
}

static void add_units(struct portfolio *r, const struct portfolio_offer *o, int k, int64_t units,
		      double gain)
{
	if (k < 0 || units <= 0)
		return;
	r->part[k].units += units;
	r->part[k].upfront += o[k].upfront * (double)units;
	r->units += units;
	r->upfront += o[k].upfront * (double)units;
	r->expected_saving_hour += gain * (double)units;
}

/* The price of upfront money at which the cap holds: 0 where it does anyway. */
static double price_of_money(const struct chooser *c)
{
	double lo = 0, hi = 1;
	if (money_at(c, 0) <= c->a->upfront_cap)
		return 0;
	while (money_at(c, hi) > c->a->upfront_cap && hi < 1e18)
		hi *= 2;
	for (int i = 0; i < 100; i++) {
		double mid = (lo + hi) / 2;
		*(money_at(c, mid) > c->a->upfront_cap ? &lo : &hi) = mid;
	}
	return hi;
}

static void sum_up(const struct chooser *c, struct portfolio *r)
{
	const struct portfolio_ask *a = c->a;
	double used = 0, all = 0, fees = 0;
	for (size_t t = 0; t < a->nhour; t++) {
		used += fmin((double)r->units, a->demand[t]);
		all += a->demand[t];
	}
	for (size_t k = 0; k < c->n; k++) {
		struct portfolio_part *p = &r->part[k];
		p->rate = c->rate[k];
		p->break_even_frac = c->rate[k] / (a->on_demand * c->alive[k]);
		fees += (double)p->units * c->rate[k];
	}
	r->on_demand_hour = all * a->on_demand / (double)a->nhour;
	r->cost_hour = fees + (all - used) * a->on_demand / (double)a->nhour;
	r->coverage_frac = num_if(all > 0, used / all);
	r->utilisation_frac = num_if(r->units, used / ((double)r->units * (double)a->nhour));
}

int portfolio_choose(const struct portfolio_ask *a, const struct portfolio_offer *o, size_t n,
		     struct portfolio *ret, struct err *err)
{
	struct chooser c = { .a = a, .o = o, .n = n };
	if (!a->nhour || n > PORTFOLIO_MAX_OFFERS)
		return err_set(err, -EINVAL,
			       "a portfolio needs an hour of demand and at most %d offers",
			       PORTFOLIO_MAX_OFFERS);
	if (!(a->on_demand > 0 && a->on_demand <= 1e6) || !within_double(a->wacc_frac, 0, 1) ||
	    !(a->upfront_cap >= 0) || !(a->outdated_year_frac >= 0 && a->outdated_year_frac < 1))
		return err_set(
			err, -EINVAL,
			"the on-demand price, the cost of capital, the cap or the chance of an outdated type make no sense");
	for (size_t i = 0; i < n; i++)
		if (!within_i64(o[i].term_h, 1, 10 * 8784) ||
		    !within_double(o[i].upfront, 0, 1e9) || !within_double(o[i].hour, 0, 1e6))
			return err_set(
				err, -EINVAL,
				"the offer '%s' makes no sense: a term of 1 h to 10 years, prices from 0",
				o[i].name);
	for (size_t t = 0; t < a->nhour; t++)
		if (!(a->demand[t] >= 0 && a->demand[t] <= 1e9))
			return err_set(err, -EINVAL,
				       "the demand of hour %zu, %g, is no number of units", t,
				       a->demand[t]);
	double *sorted = xmalloc(a->nhour * sizeof *sorted);
	for (size_t t = 0; t < a->nhour; t++)
		sorted[t] = a->demand[t];
	sort_items(sorted, a->nhour, sizeof *sorted, rising_double);
	int64_t top = (int64_t)floor(sorted[a->nhour - 1]);
	c.units = (top + PORTFOLIO_SLICES - 1) / PORTFOLIO_SLICES;
	c.nslice = c.units ? (size_t)(top / c.units) : 0;
	*ret = (struct portfolio){ 0 };

	double p = c.a->outdated_year_frac;
	for (size_t k = 0; k < c.n; k++) {
		double years = (double)c.o[k].term_h / YEAR_H;
		c.rate[k] = c.o[k].hour + c.o[k].upfront * (1 + c.a->wacc_frac * years / 2) /
						  (double)c.o[k].term_h;
		c.alive[k] = p > 0 ? (1 - pow(1 - p, years)) / (-log(1 - p) * years) : 1;
	}

	/* The level of a slice is its highest unit: none is bought on the word of a lower one. */
	const struct portfolio_ask *ask = c.a;
	c.gain = xcalloc(c.nslice * c.n + 1, sizeof(double));
	for (size_t s = 0; s < c.nslice; s++)
		for (size_t k = 0; k < c.n; k++) {
			double level = (double)((int64_t)(s + 1) * c.units);
			size_t below = first_where(i, ask->nhour, sorted[i] >= level);
			double use = (double)(ask->nhour - below) / (double)ask->nhour;
			if (ask->use)
				use = ask->use(ask->ctx, level, c.o[k].term_h);
			c.gain[s * c.n + k] = ask->on_demand * use * c.alive[k] - c.rate[k];
		}

	/* Units of a slice that change from the choice at mu to the one without a price, as far as
	 * the cap goes. */
	double mu = price_of_money(&c), left = c.a->upfront_cap - money_at(&c, mu);
	for (size_t k = 0; k < c.nslice; k++) {
		struct choice now = pick_offer(&c, k, mu),
			      want = pick_offer(&c, k, mu * (1 - 1e-9));
		int64_t up = 0;
		if (want.offer != now.offer && want.upfront > now.upfront && want.gain > now.gain) {
			double some = floor(left / (want.upfront - now.upfront) + 1e-9);
			up = some < (double)c.units ? (int64_t)some : c.units;
			left -= (double)up * (want.upfront - now.upfront);
		}
		add_units(ret, c.o, want.offer, up, want.gain);
		add_units(ret, c.o, now.offer, c.units - up, now.gain);
	}
	sum_up(&c, ret);
	free(c.gain);
	free(sorted);
	return 0;
}

/* ---- savings plans ----------------------------------------------------------------------- */

struct plan_in {
	size_t ntype, nhour;
	const double *demand, *on_demand, *plan;
	size_t *order; /* [norder] types in the plan, largest discount first */
	size_t norder;
};

/* What a plan of c dollars an hour covers in all hours, at on-demand prices; *ret_spent of the
 * plan's money that found use. */
static double covered_cost(const struct plan_in *p, double c, double *ret_spent)
{
	double sum = 0, spent = 0;
	for (size_t t = 0; t < p->nhour; t++) {
		double left = c;
		for (size_t i = 0; i < p->norder && left > 0; i++) {
			size_t k = p->order[i];
			double part = fmin(p->demand[k * p->nhour + t] * p->plan[k], left);
			sum += part * p->on_demand[k] / p->plan[k];
			left -= part;
		}
		spent += c - left;
	}
	*ret_spent = spent;
	return sum;
}

int savings_plan_best(const struct savings_plan_ask *q, struct savings_plan *ret, struct err *err)
{
	struct plan_in p = { q->ntype, q->nhour, q->demand, q->on_demand, q->plan, NULL, 0 };
	const double worth_frac = q->worth_frac;
	double n = (double)q->nhour, spent, all = 0;
	if (!p.nhour || !p.ntype || !(worth_frac > 0 && worth_frac <= 1))
		return err_set(
			err, -EINVAL,
			"a savings plan needs hours, types and an expected use above 0, up to 1");
	for (size_t k = 0; k < p.ntype; k++)
		if (!(p.on_demand[k] > 0 && p.on_demand[k] <= 1e6) || p.plan[k] <= 0 ||
		    p.plan[k] > 1e6)
			return err_set(err, -EINVAL, "the prices of type %zu make no sense", k);
	for (size_t t = 0; t < p.ntype * p.nhour; t++)
		if (!(p.demand[t] >= 0 && p.demand[t] <= 1e9))
			return err_set(err, -EINVAL,
				       "the demand of type %zu in hour %zu is no number of units",
				       t / p.nhour, t % p.nhour);
	p.order = xcalloc(p.ntype, sizeof *p.order);

	/* Largest discount first; ties to the earlier type. At the top is the most that any hour
	 * could spend. */
	double top = 0;
	for (size_t k = 0; k < p.ntype; k++) {
		size_t i = p.norder;
		if (isnan(p.plan[k]) || p.plan[k] >= p.on_demand[k])
			continue; /* no discount: on demand is no worse, and not bound */
		for (; i && p.on_demand[k] / p.plan[k] >
				    p.on_demand[p.order[i - 1]] / p.plan[p.order[i - 1]];
		     i--)
			p.order[i] = p.order[i - 1];
		p.order[i] = k;
		p.norder++;
	}
	for (size_t t = 0; t < p.nhour; t++) {
		double sum = 0;
		for (size_t i = 0; i < p.norder; i++)
			sum += p.demand[p.order[i] * p.nhour + t] * p.plan[p.order[i]];
		top = fmax(top, sum);
	}
	double lo = 0, hi = top;
	for (int i = 0; i < 120 && hi > lo; i++) { /* thirds of a concave function */
		double a = lo + (hi - lo) / 3, b = hi - (hi - lo) / 3;
		double fa = covered_cost(&p, a, &spent) * worth_frac - a * n,
		       fb = covered_cost(&p, b, &spent) * worth_frac - b * n;
		if (fa >= fb) /* of several that are as good, the smallest */
			hi = b;
		else
			lo = a;
	}
	double best = covered_cost(&p, lo, &spent);
	if (best * worth_frac - lo * n <= 1e-9 * n)
		best = spent = lo = 0;
	for (size_t k = 0; k < p.ntype; k++)
		for (size_t t = 0; t < p.nhour; t++)
			all += p.demand[k * p.nhour + t] * p.on_demand[k];
	*ret = (struct savings_plan){ lo, best / n, best / n - lo, num_if(lo > 0, spent / (lo * n)),
				      num_if(all > 0, best / all) };
	free(p.order);
	return 0;
}
