/*
 * Commit to what always runs: what is left on demand after all other levers, by the hour, for each
 * type of machine at a place, at the rate with term and date that the catalogue knows. It binds:
 * all that is paid over the term is said. How much (plan.gates):
 *
 *   full = the commit_use_pct percentile of hourly use, commit_full_weeks of it; half of that from
 *          commit_half_weeks on, nothing below; use that the owner calls steady beyond the term
 *          (a rule's steady_until) counts in full from commit_half_weeks on
 *   3y   = of what the owner calls steady for so long, after commit_3y_weeks
 *
 * and never more than the forecast supports over the term (opt/commit/commit.c), unless the owner's
 * word carries it. GPUs of the same chip at the place that are paid by a commitment and lie unused
 * are taken off it first (commit_unused.c): work can move onto them. Use is that of the lowest
 * outcome of the open trials: what a trial brought to these machines is not counted, what it takes
 * away is gone.
 *
 * Beside jobs, machines that nobody is known to use are none of it (plan/alone/known_use.h): they
 * may be to be stopped.
 *
 * The saving is a distribution over use in the term, not the difference of two prices: the level
 * drifts as the history's own drift says (opt/commit/commit.h), the middle of it is the point, its
 * 5th and 95th percentile are the range, wider where the committed price is old
 * (lever_price_age). Every hour pays the commitment, used or not.
 */
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/commit/commit.h"
#include "plan/alone/bill_seen.h"
#include "plan/alone/known_use.h"
#include "plan/lever/commit_unused.h"
#include "plan/levers.h"
#include "plan/workload.h"

#define P05         -1.645 /* of the normal distribution */
#define YEAR_H      8760
#define WEEK_H      168
#define PRIOR_WEEK  0.1 /* change of the logarithm of use in a week that nobody saw */
#define LADDER_GPUS 8   /* fewer are not worth several purchases */
#define DAYS_TO_BUY 3.0 /* approval and purchase */
#define WORTH_PART  100 /* of the fleet's cost: below a hundredth no word */

struct group { /* one type of machine at one place, on demand */
	const char *provider, *region, *instance_type, *gpu_model;
	VEC(uint32_t) workload;
	double *gpus; /* [nhour] held on average in each hour */
	double gpu_hours, nano;
	double dark_nano; /* cost of machines that nobody is known to use: not of the others here */
	bool told;        /* it is more than what follows the end of what is told of its machines */
	double unused; /* GPUs of its chip here that are paid by commitments and lie unused ... */
	const char *unused_says; /* ... of which most; NULL */
	double filled;           /* of these, what the offer found room for */
};
struct hours {
	int64_t from_ms;
	size_t n;
};
struct offer {
	const char *purchase, *term, *source;
	const char *says; /* how its price came from the catalogue's */
	int64_t term_h, nano_gpu_hour, upfront_nano_gpu, gpus_milli, as_of_ms;
	enum quality quality;
	enum rate_basis basis;
	/* with capital and the chance that the type is outdated, of the on-demand price paid */
	double rate_frac;
	double gpus;                         /* the level */
	double first;                        /* GPUs less than that, for so many lie unused */
	double used_p05, used_mid, used_p95; /* share of it that is used over the term */
	double steady;                       /* GPUs of it by the owner's word */
	double saves;                        /* nano over the window, in the middle */
	const char *why; /* this level is not taken although it always runs; NULL */
};
/* What became of the offers for a group: the best that pays, else the one that came nearest. */
struct looked {
	struct offer best, near;
	struct offer least;      /* of the expensive ones; rate_frac 0: none */
	int seen, too_expensive; /* with a price; of these no cheaper than what is paid */
};

/* ---- what is left on demand -------------------------------------------------------------- */

struct hour_sum {
	struct hours h;
	double *gpus;        /* [h.n] added to, or NULL */
	const double *level; /* [h.n] part of each hour that is covered, or NULL */
	double sum, covered;
};

static void add_hour(struct hour_sum *s, int64_t at_ms, double gpu_hours)
{
	int64_t k = (at_ms - s->h.from_ms) / MS_HOUR;

	if (at_ms < s->h.from_ms || k >= (int64_t)s->h.n || gpu_hours <= 0)
		return;
	s->sum += gpu_hours;
	if (s->gpus)
		s->gpus[k] += gpu_hours;
	if (s->level)
		s->covered += gpu_hours * s->level[k];
}

/* By its hours: of free time, which comes and goes, what is left of each. */
static void add_recorded(const struct lever_in *in, uint32_t i, double part, struct hour_sum *s)
{
	const struct workload *w = &in->fleet->workload.v[i];

	for (size_t k = w->hour0; k < w->hour0 + w->nhour; k++) {
		const struct workload_hour *x = &in->fleet->hour.v[k];
		add_hour(s, x->hour_ms, (double)x->ms / MS_HOUR * part);
	}
}

/* The work's GPU-hours in every hour it has a part of. */
static void each_hour(const struct lever_in *in, uint32_t i, struct hour_sum *s)
{
	const struct workload *w = &in->fleet->workload.v[i];
	const struct use *u = &in->use[i];

	if (w->kind == WORKLOAD_FREE)
		add_recorded(in, i,
			     w->cost_nano > 0 ? fmin(1, (double)u->cost_nano / (double)w->cost_nano)
					      : 0,
			     s);
	else if (use_is_history(w, u) && u->start_ms == w->start_ms && u->end_ms == w->end_ms)
		add_recorded(in, i, 1 - u->off_frac, s);
	else {
		int64_t to_ms = s->h.from_ms + (int64_t)s->h.n * MS_HOUR,
			from = max_i64(u->start_ms, s->h.from_ms), to = min_i64(u->end_ms, to_ms);

		for (int64_t t = from, next; t < to; t = next) {
			next = tm_floor(t, MS_HOUR) + MS_HOUR;
			next = min_i64(next, to);
			add_hour(s, t,
				 (double)(next - t) / MS_HOUR * (double)u->gpus_milli / 1000 *
					 (1 - u->off_frac));
		}
	}
}

/* Until when its owner says that it goes on as it is; 0: nothing said. */
static int64_t steady_until(const struct lever_in *in, const struct workload *w)
{
	for (size_t i = in->conf->rule.n; i--;) /* the later rule wins */
		if (in->conf->rule.v[i].steady_until_ms &&
		    plan_rule_matches(&in->conf->rule.v[i], w))
			return in->conf->rule.v[i].steady_until_ms;
	return 0;
}

static void collect_groups(const struct lever_in *in, struct hours h, struct group **ret,
			   size_t *ret_n)
{
	struct intern key = { 0 };
	struct known_use known;
	size_t cap = 0;

	known_use_find(in->fleet, &known);
	*ret = NULL;
	*ret_n = 0;
	for (uint32_t i = 0; i < in->fleet->workload.n; i++) {
		const struct use *u = &in->use[i];

		const struct workload *w = &in->fleet->workload.v[i];

		if (w->kind == WORKLOAD_LINE || strcmp(u->purchase, "on_demand") ||
		    u->end_ms <= u->start_ms)
			continue;
		if (u->gpus_milli <= 0 || u->cost_nano <= 0 || !*u->provider)
			continue;
		if (!*u->instance_type || workload_is_frozen(in, w, "commit"))
			continue;
		/* a timetable switches it off at hours that are not told here: spread over all of
		 * them its use would look as if it were always there */
		if (u->off_frac > 0)
			continue;
		/* brought here by an item that may turn out not to hold */
		bool moved = strcmp(w->instance_type, u->instance_type) ||
			     strcmp(w->region, u->region);
		if (moved && u->tier != TIER_SURE)
			continue;
		size_t nhour = h.n;
		char text[512];
		snprintf(text, sizeof text, "%s|%s|%s", u->provider, u->region, u->instance_type);
		uint32_t id = intern_add(&key, sv_of(text));

		if (id == *ret_n) {
			*ret = vec_grow_(*ret, *ret_n, &cap, 1, sizeof **ret);
			(*ret)[(*ret_n)++] = (struct group){
				.provider = u->provider,
				.region = u->region,
				.instance_type = u->instance_type,
				.gpu_model = u->gpu_model,
				.gpus = arena_zalloc(in->mem, (nhour + 1) * sizeof(double))
			};
		}
		struct group *g = &(*ret)[id];
		struct hour_sum s = { .h = h, .gpus = g->gpus };
		if (known_use_none(&known, w)) {
			g->dark_nano += (double)u->cost_nano;
			continue;
		}
		each_hour(in, i, &s);
		if (s.sum <= 0)
			continue;
		*vec_push(&g->workload) = i;
		g->told |= !fleet_is_after_told(in->fleet, w);
		g->gpu_hours += s.sum;
		/* what the hours looked at cost: a last one that is known in part is none of
		 * them */
		struct hour_sum whole = { .h = { h.from_ms, h.n + 1 } };
		if (in->fleet->last_in_part)
			each_hour(in, i, &whole);
		g->nano += (double)u->cost_nano * (whole.sum > 0 ? s.sum / whole.sum : 1);
	}
	intern_free(&key);
	known_use_free(&known);
}

/* ---- what could be bought ---------------------------------------------------------------- */

/*
 * Straight-line capital on money upfront; the chance p a year that the type is outdated makes later
 * hours worth less. Hours of the term beyond the horizon are paid and not used: those before it
 * carry their price.
 */
static double true_rate(const struct lever_in *in, const struct offer *o, double on_demand)
{
	double years = (double)o->term_h / YEAR_H, p = in->conf->outdated_year_frac, alive = 1;
	double hour = (double)o->nano_gpu_hour + (double)o->upfront_nano_gpu / (double)o->term_h *
							 in->conf->wacc_frac * years / 2;

	if (p > 0 && p < 1)
		alive = (1 - pow(1 - p, years)) / (-log(1 - p) * years);
	if (in->horizon_days > 0 && in->horizon_days * 24 < (double)o->term_h)
		alive *= in->horizon_days * 24 / (double)o->term_h;
	return hour / on_demand / alive;
}

static double whole_machines(const struct offer *o, double gpus)
{
	double machine = (double)o->gpus_milli / 1000;

	if (!strcmp(o->purchase, "savings_plan")) /* dollars an hour: any part */
		return floor(gpus * 100) / 100;
	if (machine > 0)
		return floor(gpus / machine + 1e-9) * machine;
	return floor(gpus);
}

static double weeks_of(struct hours h)
{
	return floor((double)h.n / 24 + 0.5) / 7;
}

/* What is used in all hours but the lowest of them (plan.gates.commit_use_pct). */
static double low_use(const struct lever_in *in, const double *gpus, size_t n)
{
	double *v = xmalloc((n + 1) * sizeof *v), ret;

	memcpy(v, gpus, n * sizeof *v);
	sort_items(v, n, sizeof *v, rising_double);
	if (n)
		ret = v[(size_t)fmin((double)n - 1,
				     floor((double)n * in->conf->gates.commit_use_pct / 100))];
	else
		ret = 0;
	free(v);
	return ret;
}

/* How much the history and the owner's word allow. */
static double allowed_level(const struct lever_in *in, const struct group *g, struct hours h,
			    struct offer *o, double supported)
{
	const struct plan_gates *gates = &in->conf->gates;
	double weeks = weeks_of(h), use = low_use(in, g->gpus, h.n);

	/* The same of the works whose owner says that they go on until the term ends. */
	int64_t ends = in->now_ms + o->term_h * MS_HOUR;
	struct hour_sum s = { .h = h, .gpus = xcalloc(h.n + 1, sizeof(double)) };
	double steady_use;

	for (size_t i = 0; i < g->workload.n; i++)
		if (steady_until(in, &in->fleet->workload.v[g->workload.v[i]]) >= ends)
			each_hour(in, g->workload.v[i], &s);
	steady_use = low_use(in, s.gpus, h.n);
	free(s.gpus);
	o->steady = fmin(use, steady_use);

	if (o->term_h > YEAR_H) {
		if (weeks >= gates->commit_3y_weeks)
			return o->steady;
		return 0;
	}
	if (weeks < gates->commit_half_weeks)
		return 0;
	if (weeks < gates->commit_full_weeks)
		use /= 2;
	return fmax(o->steady, fmin(use, supported));
}

/*
 * How far the level walks in a day, from all weeks there are: the root mean square of the changes
 * of the logarithm from week to week, and one week of PRIOR_WEEK, so that a history that stands
 * still is not taken to do so for ever.
 */
static double walk_of(const struct group *g, struct hours h)
{
	double square = PRIOR_WEEK * PRIOR_WEEK, n = 1, before = 0;

	for (size_t at = h.n % WEEK_H; at + WEEK_H <= h.n; at += WEEK_H) {
		double sum = 0;
		for (size_t t = at; t < at + WEEK_H; t++)
			sum += g->gpus[t];
		if (before > 0 && sum > 0) {
			square += log(sum / before) * log(sum / before);
			n++;
		}
		before = sum;
	}
	return sqrt(square / n / 7);
}

static double part_used(struct commit *c, const struct commit_term *term, double level, double z)
{
	double part = commit_used_frac(c, term, level, z);

	if (isnan(part))
		return 0;
	return fmin(1, part);
}

/* What may be paid upfront at most, in the fleet's currency; NAN: no exchange rate says. */
static double upfront_cap_nano(const struct lever_in *in)
{
	double cap_usd = in->conf->upfront_cap_usd;

	if (isinf(cap_usd))
		return INFINITY;
	return cap_usd * fleet_usd(in->fleet, in->now_ms) * 1e9;
}

/* The level, and how much of it is used over the term. */
static void find_level(const struct lever_in *in, const struct group *g, struct hours h,
		       struct offer *o)
{
	struct commit_term term = { o->term_h, o->rate_frac };
	struct commit *c = commit_new(&term, 1);
	double cap = upfront_cap_nano(in), supported;

	for (size_t t = 0; t < h.n; t++)
		commit_observe(c, g->gpus[t]);
	supported = commit_supported_level(c, &term);
	o->gpus = allowed_level(in, g, h, o, supported);
	if (o->upfront_nano_gpu > 0 && o->gpus * (double)o->upfront_nano_gpu > cap)
		o->gpus = cap / (double)o->upfront_nano_gpu;
	o->gpus = whole_machines(o, o->gpus + 1e-4); /* the level comes from a bisection */
	double level = o->gpus;
	o->gpus = whole_machines(o, fmax(0, level - g->unused) + 1e-4);
	o->first = level - o->gpus;
	if (level > 0 && !(o->gpus > 0)) {
		o->gpus = level;
		o->why = arena_printf(in->mem, "move work onto what is paid and not used first: %s",
				      g->unused_says);
	} else if (!(o->gpus > 0)) {
		double low = low_use(in, g->gpus, h.n);
		o->gpus = whole_machines(o, low);

		/* What holds back a level that runs in all but the lowest hours. */
		const struct plan_gates *gates = &in->conf->gates;
		if (o->term_h > YEAR_H)
			o->why = arena_printf(
				in->mem,
				"three years want %.0f weeks of history (there are %.1f) and a rule with steady_until for all of them: it covers %.2f of the %.2f GPUs that always run",
				gates->commit_3y_weeks, weeks_of(h), o->steady, low);
		else if (o->upfront_nano_gpu > 0 &&
			 !whole_machines(o, upfront_cap_nano(in) / (double)o->upfront_nano_gpu))
			o->why = arena_printf(
				in->mem,
				"%.2f %s upfront for a machine are more than plan.upfront_cap_usd",
				(double)o->upfront_nano_gpu / 1e9 * (double)o->gpus_milli / 1000,
				in->fleet->currency);
		else if (weeks_of(h) < gates->commit_full_weeks && supported >= low)
			o->why = arena_printf(
				in->mem,
				"with %.1f weeks of history (%.0f for all of it) half of the %.2f GPUs that always run counts: less than a machine",
				weeks_of(h), gates->commit_full_weeks, low);
		else
			o->why = arena_printf(
				in->mem,
				"of the %.2f GPUs that always ran, use as it changed supports %.2f over %s at this price: less than a machine",
				low, supported, o->term);
	}
	if (o->gpus > 0) {
		commit_set_walk(c, walk_of(g, h));
		o->used_p05 = part_used(c, &term, o->gpus, P05);
		o->used_mid = part_used(c, &term, o->gpus, 0);
		o->used_p95 = part_used(c, &term, o->gpus, -P05);
	}
	commit_free(c);
	o->saves = o->gpus * (double)h.n *
		   (o->used_mid * g->nano / g->gpu_hours - (double)o->nano_gpu_hour);
}

/* To the customer; exact where nothing scales it. */
static int64_t scaled_nano(dec price, const struct rate_scale *s)
{
	int64_t nano = dec_to_nano(price);

	if (s->factor == 1)
		return nano;
	return llround(fmin((double)nano * s->factor, 9e18));
}

static void look_at(const struct lever_in *in, const struct group *g, struct hours h,
		    const struct price_row *p, struct looked *ret)
{
	double on_demand = g->nano / g->gpu_hours;
	int years = catalog_term_years(p->purchase, p->term);
	dec up = 0;
	struct rate_scale scale;

	if (p->gpu_milli)
		up = p->upfront * 1000 / p->gpu_milli;
	const char *most = text_or(in->conf->max_term, "1y");
	bool longer = years != 1 && strcmp(most, "3y") != 0;
	if (!years || longer || !strcmp(most, "none"))
		return;
	if (p->gpu_milli <= 0 || p->gpu_hour <= 0)
		return;
	if (!dec_fits_nano(p->gpu_hour) || !dec_fits_nano(up) ||
	    !fleet_rate_scale(in->fleet, p, in->now_ms, &scale))
		return;
	ret->seen++;
	if (up > 0 && isnan(upfront_cap_nano(in))) {
		plan_note(
			in,
			"commit: no exchange rate of USD to %s is known, so offers that are paid upfront cannot be held to plan.upfront_cap_usd and were left out; tare import --as rates brings it",
			in->fleet->currency);
		return;
	}
	struct offer o = { .purchase = p->purchase,
			   .term = years == 3 ? "3y" : "1y",
			   .source = text_or(p->source, ""),
			   .term_h = (int64_t)years * YEAR_H,
			   .nano_gpu_hour = scaled_nano(p->gpu_hour, &scale),
			   .upfront_nano_gpu = scaled_nano(up, &scale),
			   .gpus_milli = p->gpu_milli,
			   .as_of_ms = p->as_of_ms != UNKNOWN_MS ? p->as_of_ms : p->from_ms,
			   .quality = p->term && sv_has(sv_of(p->term), SV("not stated"))
					      ? QUALITY_ESTIMATED
					      : QUALITY_MEASURED,
			   .basis = scale.basis };
	o.says = rate_says(in->mem, in->fleet->currency, &scale, p->currency);
	o.rate_frac = true_rate(in, &o, on_demand);
	if (!(o.rate_frac > 1e-6 && o.rate_frac < 1)) {
		if (!ret->too_expensive++ || o.rate_frac < ret->least.rate_frac)
			ret->least = o;
		return;
	}
	find_level(in, g, h, &o);
	if (o.gpus > 0 && !o.why && o.saves > ret->best.saves)
		ret->best = o;
	if (o.gpus > 0 && (!(ret->near.gpus > 0) || o.saves > ret->near.saves))
		ret->near = o;
}

/* ---- the recommendation ------------------------------------------------------------------ */

/* Each work pays less by its share of the hours that the commitment covers, as far as it is used
 * over the term. */
static double cover_workloads(const struct lever_in *in, struct rec *r, const struct group *g,
			      struct hours h, const struct offer *o)
{
	double *level = xcalloc(h.n + 1, sizeof *level), used = 0, now = 0;

	for (size_t t = 0; t < h.n; t++) {
		level[t] = g->gpus[t] > o->gpus ? o->gpus / g->gpus[t] : 1;
		used += fmin(o->gpus, g->gpus[t]);
	}
	now = used / (o->gpus * (double)h.n);
	for (size_t i = 0; i < g->workload.n; i++) {
		const struct use *u = &in->use[g->workload.v[i]];
		struct hour_sum s = { .h = h, .level = level };
		each_hour(in, g->workload.v[i], &s);
		double off = (double)u->cost_nano * (s.covered / s.sum) / now;
		struct rec_change *c = rec_change(in, r, g->workload.v[i]);
		c->after.cost_nano = u->cost_nano - (int64_t)(off * fmin(now, o->used_mid));
		if (s.covered >= s.sum * (1 - 1e-9))
			c->after.purchase = o->purchase;
		c->lo_nano = u->cost_nano - (int64_t)(off * fmin(now, o->used_p95));
		c->hi_nano = u->cost_nano - (int64_t)(off * fmin(now, o->used_p05));
	}
	free(level);
	return now;
}

static const char *gpus_text(const struct lever_in *in, double gpus)
{
	if (gpus == floor(gpus))
		return arena_printf(in->mem, "%.0f", gpus);
	return arena_printf(in->mem, "%.2f", gpus);
}

/* What is bought of a savings plan, in money an hour: whole cents, never more than was found to
 * pay. */
static double plan_hour(const struct offer *o)
{
	return floor(o->gpus * (double)o->nano_gpu_hour / 1e9 * 100) / 100;
}

static void add_evidence(const struct lever_in *in, struct rec *r, const struct group *g,
			 struct hours h, const struct offer *o, double used)
{
	char day[TM_BUF];
	double on_demand = g->nano / g->gpu_hours, rate = (double)o->nano_gpu_hour / on_demand,
	       low = low_use(in, g->gpus, h.n);
	const char *source = arena_printf(
		in->mem, "%s, %s%s%s", o->source,
		o->as_of_ms == UNKNOWN_MS ? "not dated" : tm_format_date(day, o->as_of_ms),
		text_if(*o->says, "; "), o->says);

	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "on-demand price paid",
					.unit = lever_rate_unit(in),
					.source = "bill, after the recommendations before" },
		     "%.4f", on_demand / 1e9);
	enum quality quality = o->quality;
	if (lever_price_age(in, NULL, o->basis, o->as_of_ms) > 0)
		quality = QUALITY_ESTIMATED;
	rec_evidence(in, r,
		     (struct evidence){ quality, "committed price", .unit = lever_rate_unit(in),
					.source = source },
		     "%.4f (%s %s)", (double)o->nano_gpu_hour / 1e9, o->purchase, o->term);
	rec_evidence(
		in, r,
		(struct evidence){
			QUALITY_MEASURED,
			arena_printf(in->mem, "GPUs paid for in %.0f %% of the hours of %.1f weeks",
				     100 - in->conf->gates.commit_use_pct, weeks_of(h)),
			.unit = "GPU", .source = "history, after the recommendations before" },
		"%.2f", low);
	if (o->steady > 0)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_ASSUMED,
						"of these, steady until the term ends",
						.unit = "GPU", .source = "the owner's word" },
			     "%.2f", o->steady);
	if (o->first > 0)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"paid by commitments and not used", .unit = "GPU",
						.source = "bill" },
			     "%.2f", g->unused);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "utilisation of the commitment",
					.unit = "%", .source = "replay" },
		     "%.1f", used * 100);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "coverage of the demand", .unit = "%",
					.source = "replay" },
		     "%.1f", used * o->gpus * (double)h.n / g->gpu_hours * 100);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "break-even use", .unit = "h/month",
					.source = "price" },
		     "%.0f of 730", ceil(rate * 730));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "use over the term", .unit = "%",
					.source = "drift of the history" },
		     "%.1f (%.1f to %.1f)", o->used_mid * 100, o->used_p05 * 100,
		     o->used_p95 * 100);
}

/* One of the machines, whose host is known; NULL: of none is. */
static const struct fleet_node *machine_like(const struct fleet *f, const char *region,
					     const char *instance_type)
{
	for (size_t i = 0; i < f->node.n && *text_or(instance_type, ""); i++) {
		const struct fleet_node *n = &f->node.v[i];
		if (text_same(n->instance_type, instance_type) && text_same(n->region, region) &&
		    isfinite(n->vcpu) && isfinite(n->ram_gib))
			return n;
	}
	return NULL;
}

/* What may go otherwise, and how far the fee may. */
static void add_risks(const struct lever_in *in, struct rec *r, const struct group *g,
		      struct hours h, const struct offer *o)
{
	double month = (double)o->nano_gpu_hour * in->conf->month_hours / 1e9;
	int days = (int)(h.n / 24);
	rec_risk(
		in, r,
		"%d days of history for a commitment of %s: each of the %s GPUs that is not needed any more costs %.2f %s a month until it ends",
		days, o->term, gpus_text(in, o->gpus), month, in->fleet->currency);
	double moved = lever_price_age(in, r, o->basis, o->as_of_ms);
	r->fee_lo_nano = r->fee_nano - llround((double)r->fee_nano * moved);
	r->fee_hi_nano = r->fee_nano + llround((double)r->fee_nano * moved);
	if (o->first > 0)
		rec_risk(
			in, r,
			"%s are paid and not used: %s fewer GPUs are bought than always run, for that work can move onto them",
			g->unused_says, gpus_text(in, o->first));
	if (o->upfront_nano_gpu > 0)
		rec_risk(in, r, "%.2f %s are paid upfront",
			 o->gpus * (double)o->upfront_nano_gpu / 1e9, in->fleet->currency);
	if (o->quality != QUALITY_MEASURED)
		rec_risk(
			in, r,
			"the list does not say what of this price is paid upfront: ask for an offer before buying");
	if (in->conf->outdated_year_frac > 0)
		rec_risk(in, r,
			 "%s may be outdated before that: a chance of %.0f %% a year is counted in",
			 filled_or(g->gpu_model, g->instance_type),
			 in->conf->outdated_year_frac * 100);
}

static void propose_offer(const struct lever_in *in, struct rec_list *out, const struct group *g,
			  struct hours h, const struct offer *o)
{
	struct rec *r = rec_new(in, out, "commit",
				arena_printf(in->mem, "%s-%s", g->instance_type, g->region));
	const char *model = filled_or(g->gpu_model, g->instance_type);
	double used = cover_workloads(in, r, g, h, o);

	if (!strcmp(o->purchase, "savings_plan")) /* sold in dollars an hour, not in machines */
		r->title = arena_printf(
			in->mem, "%s: savings plan of %.2f %s/h for %s, worth %s GPU%s of %s",
			model, plan_hour(o),
			strcmp(in->fleet->currency, "USD") ? in->fleet->currency : "$", o->term,
			gpus_text(in, o->gpus), text_if(o->gpus != 1, "s"), g->instance_type);
	else
		r->title = arena_printf(in->mem, "%s: commit to %s GPU%s of %s for %s", model,
					gpus_text(in, o->gpus), text_if(o->gpus != 1, "s"),
					g->instance_type, o->term);
	r->fee_nano = (int64_t)llround(o->gpus * (double)h.n * (double)o->nano_gpu_hour);
	rec_subject(in, r, "provider", g->provider);
	rec_subject(in, r, "region", g->region);
	rec_subject(in, r, "instance_type", g->instance_type);
	rec_subject(in, r, "gpu_model", g->gpu_model);
	add_evidence(in, r, g, h, o, used);
	add_risks(in, r, g, h, o);
	const struct fleet_node *like = machine_like(in->fleet, g->region, g->instance_type);
	rec_action(r, ACTION_COMMIT)->commit = (struct action_commit){
		.id = r->id,
		.provider = raw_name(g->provider),
		.region = raw_name(g->region),
		.instance_type = raw_name(g->instance_type),
		.gpu_model = raw_name(g->gpu_model),
		.currency = raw_name(in->fleet->currency),
		.cpus = like ? like->vcpu : NAN,
		.ram_gib = like ? like->ram_gib : NAN,
		.purchase = o->purchase,
		.term = o->term,
		.term_h = o->term_h,
		.ends_ms = in->now_ms + o->term_h * MS_HOUR,
		.gpus = o->gpus,
		.machines = o->gpus_milli ? o->gpus * 1000 / (double)o->gpus_milli : 0,
		.plan_hour_nano = strcmp(o->purchase, "savings_plan") ? UNKNOWN_NANO
								      : llround(plan_hour(o) * 1e9),
		.in_parts = o->gpus >= LADDER_GPUS,
	};
	rec_tier(r, TIER_BINDS);
	r->bound_nano = (int64_t)llround(o->gpus * (double)o->nano_gpu_hour * (double)o->term_h);
	r->risk = RISK_MEDIUM;
	r->effort_days = 1;
	r->within_days = DAYS_TO_BUY;
	r->confidence_frac = 0.9;
	if (o->why) { /* what it would save is nobody's word */
		r->no_gain = o->why;
		r->change.n = 0;
		r->fee_nano = r->fee_lo_nano = r->fee_hi_nano = 0;
	} else if (!(o->saves > 0)) {
		/* It would bind, and not pay: in the middle of what the history says of the use
		 * over the term. */
		double on_demand = g->nano / g->gpu_hours;
		r->no_gain = arena_printf(
			in->mem,
			"does not pay: %.0f %% of it would be used over %s (%.0f to %.0f %%), it pays from %.0f %% on (%.4f %s committed, %.4f on demand)",
			floor(o->used_mid * 100), o->term, floor(o->used_p05 * 100),
			floor(o->used_p95 * 100), ceil((double)o->nano_gpu_hour / on_demand * 100),
			(double)o->nano_gpu_hour / 1e9, lever_rate_unit(in), on_demand / 1e9);
	}
}

/* Types without a committed price (that nobody sells, or that nobody knows of), those whose
 * committed price is no lower than what is paid, and those of which too little always runs. */
struct no_offer {
	struct str unpriced, unsold, too_expensive, little, dark;
};

static void add_place(struct str *to, const struct group *g)
{
	str_addf(to, "%s%s in %s", text_if(to->n, ", "), g->instance_type,
		 filled_or(g->region, "its region"));
}

static int propose_group(const struct lever_in *in, struct rec_list *out, struct group *g,
			 struct hours h, struct no_offer *none, struct err *err)
{
	struct looked l = { 0 };
	int r;

	if (!(g->gpu_hours > 0))
		return 0;

	struct price_query q = lever_price_query(in, g->provider, g->region, g->instance_type);
	q.purchase = catalog_binding;
	q.npurchase = CATALOG_BINDING;
	struct price_row *row = NULL;
	size_t n = 0;
	r = catalog_prices(in->catalog, &q, &row, &n, err);

	if (r >= 0)
		n = fleet_rates_yours(in->fleet, row, n, in->now_ms);
	for (size_t i = 0; i < n && r >= 0; i++)
		look_at(in, g, h, &row[i], &l);
	free(row);
	if (r < 0)
		return r;
	if (l.best.gpus > 0 || l.near.gpus > 0) {
		const struct offer *o = l.best.gpus > 0 ? &l.best : &l.near;
		g->filled = o->first;
		assert(o->purchase && o->says &&
		       o->source); /* GPUs are of an offer that was looked at */
		propose_offer(in, out, g, h, o);
	} else if (!l.seen) {
		const struct not_offered *no = catalog_not_committed(
			in->catalog, g->provider, g->region, g->instance_type, in->now_ms);
		struct str *to;
		char day[TM_BUF];
		to = no ? &none->unsold : &none->unpriced;
		str_addf(to, "%s%s in %s", text_if(to->n, ", "), g->instance_type,
			 filled_or(g->region, "its region"));
		if (no) {
			tm_format_date(day, no->from_ms);
			bool says_day = strstr(no->source, day) != NULL;
			str_addf(to, says_day ? " (%s)" : " (%s, %s)", no->source, day);
		}
	} else if (l.too_expensive == l.seen) {
		double paid = g->nano / g->gpu_hours, hour = (double)l.least.nano_gpu_hour;
		add_place(&none->too_expensive, g);
		str_addf(&none->too_expensive, " (%.4f for %s", hour / 1e9, l.least.term);
		if (hour < paid) /* capital, age, the horizon */
			str_addf(&none->too_expensive, " counts as %.4f over its term",
				 l.least.rate_frac * paid / 1e9);
		str_addf(&none->too_expensive, ", %.4f %s paid)", paid / 1e9, lever_rate_unit(in));
	} else {
		add_place(&none->little, g);
		str_addf(&none->little, " (%.2f GPUs, %.2f on average)", low_use(in, g->gpus, h.n),
			 g->gpu_hours / (double)h.n);
	}
	return 0;
}

static int most_hours_first(const void *pa, const void *pb)
{
	const struct group *a = pa, *b = pb;

	if (a->gpu_hours != b->gpu_hours)
		return a->gpu_hours < b->gpu_hours ? 1 : -1;
	return strcmp(a->instance_type, b->instance_type);
}

#define UNTYPED_FRAC 0.01 /* of the bill: less is not worth a sentence */

/* Machines of which the bill does not say what they are: nothing can be committed for them. */
static void note_untyped(const struct lever_in *in)
{
	static const struct {
		const char *provider, *column;
	} says[] = {
		{ "aws", "product_instance_type of a CUR" },
		{ "azure", "ServiceType in AdditionalInfo of a cost export" },
		{ "gcp",
		  "compute.googleapis.com/machine_spec in system_labels of a billing export" },
	};
	const struct bill_seen *b = in->fleet->bill;
	const char *column = "";
	char amount[DEC_BUF];

	if (!b || dec_to_double(b->untyped.cost) < UNTYPED_FRAC * dec_to_double(b->all.cost))
		return;
	if (!b->untyped.rows)
		return;
	for (size_t i = 0; i < sizeof says / sizeof *says; i++)
		if (!strcmp(says[i].provider, b->untyped_provider))
			column = arena_printf(in->mem, ", %s", says[i].column);
	plan_note(
		in,
		"commit: %lld line%s of the bill, %s %s on demand (%s), name%s no instance type, so it is not known what could be committed: SkuPriceDetails (InstanceType) or x_InstanceType of FOCUS%s",
		(long long)b->untyped.rows, plural(b->untyped.rows),
		dec_format_people(amount, b->untyped.cost, 0), in->fleet->currency,
		filled_or(b->untyped_service, "no service told"),
		text_if(b->untyped.rows == 1, "s"), column);
}

int lever_commit_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	int64_t from = tm_floor(in->fleet->since_ms, MS_HOUR), to = fleet_whole_until(in->fleet);
	struct hours h = (struct hours){ from,
					 to > from ? (size_t)((to - from + MS_HOUR - 1) / MS_HOUR)
						   : 0 };
	struct group *g = NULL;
	struct no_offer none = { 0 };
	struct unused_list unused;
	size_t n = 0;
	int r = 0;

	if (!in->catalog || h.n > COMMIT_MAX_HOURS)
		return 0;
	if (in->conf->max_term && !strcmp(in->conf->max_term, "none"))
		return 0;
	if (weeks_of(h) < in->conf->gates.commit_half_weeks) {
		plan_note(
			in,
			"commit: %.1f weeks of use are too few to be bound for a year: %.0f are the least, and %.0f for all of what always runs",
			weeks_of(h), in->conf->gates.commit_half_weeks,
			in->conf->gates.commit_full_weeks);
		return 0;
	}
	note_untyped(in);
	collect_groups(in, h, &g, &n);
	unused_load(in, &unused);
	if (unused.v.n && n) /* where most runs most of it finds room */
		sort_items(g, n, sizeof *g, most_hours_first);
	for (size_t i = 0; i < n && r >= 0; i++) {
		if (g[i].dark_nano > (double)in->fleet->cost_nano / WORTH_PART)
			add_place(&none.dark, &g[i]);
		if (!g[i].told)
			continue;
		g[i].unused = unused_of(in, &unused, g[i].provider, g[i].region, g[i].gpu_model,
					&g[i].unused_says);
		r = propose_group(in, out, &g[i], h, &none, err);
		unused_take(&unused, g[i].provider, g[i].region, g[i].gpu_model, g[i].filled);
	}
	vec_free(&unused.v);
	if (none.unpriced.n)
		plan_note(
			in,
			"commit: no committed price is known, for a term of at most %s, of %s (tare import --as prices adds one)",
			text_or(in->conf->max_term, "1y"), str_z(&none.unpriced));
	if (none.unsold.n)
		plan_note(in, "commit: not sold as a reservation: %s", str_z(&none.unsold));
	if (none.too_expensive.n)
		plan_note(in, "commit: no cheaper than what is paid: %s",
			  str_z(&none.too_expensive));
	if (none.little.n)
		plan_note(in, "commit: what runs in %.0f %% of the hours fills no machine: %s",
			  100 - in->conf->gates.commit_use_pct, str_z(&none.little));
	if (none.dark.n)
		plan_note(
			in,
			"commit: machines that nobody is known to use are not committed to, find out who does first (tare import --covers): %s",
			str_z(&none.dark));
	for (size_t i = 0; i < n; i++)
		vec_free(&g[i].workload);
	free(g);
	str_free(&none.unpriced);
	str_free(&none.unsold);
	str_free(&none.too_expensive);
	str_free(&none.little);
	str_free(&none.dark);
	return r;
}
