#include "answer/plan/plan_commit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/plan/plan_demand.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/fleet/fleet.h"

#define YEAR_H 8760.0

/* ---- offers of the catalogue ------------------------------------------------------------- */

static int no_offer(const struct commit_type *t, const char *provider, struct err *err)
{
	const struct not_offered *no = catalog_not_committed(t->catalog, provider, t->region,
							     t->instance_type, t->at_ms);
	char day[TM_BUF];

	if (no)
		err_set(err, -ENODATA, "'%s' is not sold as a reservation in '%s': %s, %s",
			t->instance_type, t->region, no->source, tm_format_date(day, no->from_ms));
	else
		err_set(err, -ENODATA, "no committed price of '%s' in '%s' is known",
			t->instance_type, t->region);
	err_hint(err, "--offer NAME:TERM:UPFRONT:HOUR gives what you were offered");
	return -ENODATA;
}

static int on_demand_of(const struct commit_type *t, const char *provider, struct commit_ask *q,
			struct err *err)
{
	struct price_ask ask = { .catalog = t->catalog,
				 .provider = provider,
				 .region = t->region,
				 .instance_type = t->instance_type,
				 .purchase = "on_demand",
				 .at_ms = t->at_ms };
	struct rate rate;

	if (q->priced)
		return 0;
	if (!fleet_rate(&ask, &rate)) {
		err_set(err, -EINVAL, "no on-demand price of '%s' in '%s' is known",
			t->instance_type, t->region);
		err_hint(err, "--on-demand USD gives it");
		return -EINVAL;
	}
	q->price = (double)rate.nano_gpu_hour * 1e-9 * (double)rate.gpus_milli / 1000;
	q->priced = true;
	return 0;
}

static int add_offer(const struct price_row *p, struct arena *mem, struct commit_ask *q,
		     struct err *err)
{
	int years = catalog_term_years(p->purchase, p->term);

	if (!years || dec_to_double(p->effective_hour) >= q->price * (1 - q->wacc_frac * years / 2))
		return 0;
	if (q->noffer == COMMIT_MAX_TERMS)
		return err_set(err, -E2BIG, "more than %d offers of '%s' are in force",
			       COMMIT_MAX_TERMS, p->instance_type);
	q->offer[q->noffer++] = (struct portfolio_offer){
		.name = arena_printf(mem, "%s%s%s", p->purchase, text_if(p->term, " "),
				     text_or(p->term, "")),
		.term_h = (int64_t)(years * YEAR_H),
		.upfront = dec_to_double(p->upfront),
		.hour = dec_to_double(p->hour),
	};
	return 0;
}

int commit_offers_of_type(const struct commit_type *t, struct arena *mem, struct commit_ask *q,
			  struct err *err)
{
	const struct instance_type *known = catalog_instance(t->catalog, sv_of(t->provider),
							     sv_of(t->instance_type));
	struct price_query ask = { .region_glob = t->region,
				   .instance_type = t->instance_type,
				   .purchase = catalog_binding,
				   .npurchase = CATALOG_BINDING,
				   .at_ms = t->at_ms };
	struct price_row *row = NULL;
	size_t n = 0;
	int r;

	if (!known)
		return err_set(err, -EINVAL, "--instance: the catalogue knows no '%s'",
			       t->instance_type);
	ask.provider = known->provider;
	r = on_demand_of(t, known->provider, q, err);
	if (r >= 0)
		r = catalog_prices(t->catalog, &ask, &row, &n, err);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = add_offer(&row[i], mem, q, err);
	free(row);
	if (r >= 0 && !q->noffer)
		return no_offer(t, known->provider, err);
	return r;
}

/* ---- decisions --------------------------------------------------------------------------- */

static double use_ahead(void *ctx, double level, int64_t term_h)
{
	return commit_term_chance(ctx, level, term_h);
}

int answer_plan_commit(const struct commit_ask *q, struct commit_answer *ret, struct err *err)
{
	struct commit_answer *a = ret;
	int r = 0;

	*a = (struct commit_answer){ 0 };
	for (; a->nterm < q->nterm; a->nterm++)
		a->term[a->nterm] = q->term[a->nterm];
	for (size_t i = 0; i < q->noffer; i++) {
		/* what an hour of the offer costs, with its money upfront: half of it lies there on
		 * average */
		const struct portfolio_offer *o = &q->offer[i];
		double years = (double)o->term_h / YEAR_H,
		       rate = o->hour +
			      o->upfront * (1 + q->wacc_frac * years / 2) / (double)o->term_h;
		if (!(rate > 0 && rate < q->price))
			return err_set(
				err, -EINVAL,
				"--offer: '%s' costs %g an hour with its upfront money, and on demand %g",
				o->name, rate, q->price);
		a->term[a->nterm++] = (struct commit_term){ o->term_h, rate / q->price };
	}
	if (q->jobs) {
		struct demand d;
		if ((r = plan_demand_of_jobs(q->file, q->hours, &d, err)) < 0)
			return r;
		a->nhour = d.n;
		a->from_ms = d.from_ms;
		a->demand = xcalloc(d.n + 1, sizeof(double));
		memcpy(a->demand, d.units, d.n * sizeof *d.units);
		demand_free(&d);
	} else {
		struct plan_series s;
		if ((r = plan_series_of(q->file, &s, err)) < 0)
			return r;
		a->nhour = q->hours ? q->hours : s.n;
		a->from_ms = s.from_ms;
		a->demand = xcalloc(a->nhour + 1, sizeof(double));
		for (size_t t = 0; t < a->nhour; t++) {
			bool known = t < s.n && !isnan(s.v[t]);
			a->demand[t] = known ? s.v[t] : 0;
			a->gaps += !known;
		}
		plan_series_free(&s);
	}
	const struct commit_in in = { a->demand, a->nhour, a->term, a->nterm };
	if (r >= 0)
		r = commit_run(q->rule, &in, &a->own, err);
	if (r >= 0)
		r = commit_optimum(&in, &a->best, err);
	if (r >= 0 && q->noffer) {
		/* What to hold from the end of the data on, if nothing were held. */
		struct commit *c = commit_new(a->term, a->nterm);
		struct portfolio_ask p = { .demand = a->demand,
					   .nhour = a->nhour,
					   .on_demand = q->price,
					   .wacc_frac = q->wacc_frac,
					   .upfront_cap = q->upfront_cap,
					   .outdated_year_frac = q->outdated_frac,
					   .use = a->nhour >= 24 ? use_ahead : NULL,
					   .ctx = c };
		for (size_t t = 0; t < a->nhour; t++)
			commit_observe(c, a->demand[t]);
		r = portfolio_choose(&p, q->offer, q->noffer, &a->today, err);
		commit_free(c);
	}
	for (int i = 0; i < COMMIT_RULES && q->compare && r >= 0; i++)
		r = commit_run((enum commit_rule)i, &in, &a->other[i], err);
	return r;
}

void commit_answer_free(struct commit_answer *a)
{
	commit_result_free(&a->own);
	commit_result_free(&a->best);
	for (int i = 0; i < COMMIT_RULES; i++)
		commit_result_free(&a->other[i]);
	free(a->demand);
}
