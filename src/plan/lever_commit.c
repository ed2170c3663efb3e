/*
 * Commit to what always runs: what is left on demand after all other levers, by the hour, for each
 * type of machine at a place; the level that the forecast supports over the whole term
 * (opt/commit.c), at the rate with term and date that the catalogue knows. Replay: every hour of
 * the history pays the commitment, used or not, and on demand only what exceeds it.
 *
 * A month or two of history say little about a year: the level is that which the forecast expects
 * to be used half-way between break-even and always; the 5th percentile of the saving lets the
 * level drift down for the whole term as far as the history's own drift (opt/commit.h) goes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/tm.h"
#include "opt/commit.h"
#include "plan/levers.h"
#include "plan/work.h"

#define MIN_DAYS    14     /* of history: two of each day of the week */
#define SURE_DAYS   28     /* below, never a low risk */
#define P05         -1.645 /* of the normal distribution */
#define YEAR_H      8760
#define LADDER_GPUS 8   /* fewer are not worth several purchases */
#define DAYS_TO_BUY 3.0 /* approval and purchase */

struct group { /* one type of machine at one place, on demand */
	const char *provider, *region, *instance_type, *gpu_model;
	VEC(uint32_t) work;
	double *gpus; /* [nhour] held on average in each hour */
	double gpu_hours, nano;
};
struct offer {
	const char *purchase, *term, *source;
	int64_t term_h, nano_gpu_hour, upfront_nano_gpu, gpus_milli, as_of_ms;
	enum quality quality;
	/* with capital and the chance that the type is outdated, of the on-demand price paid */
	double rate_frac;
	double gpus;     /* the level supported */
	double used_p05; /* share of it that is used at the 5th percentile */
	double saves;    /* nano over the window */
};
struct hours {
	int64_t from_ms;
	size_t n;
};

/* ---- what is left on demand -------------------------------------------------------------- */

static bool can_commit(const struct lever_in *in, uint32_t i)
{
	const struct work *w = &in->fleet->work.v[i];
	const struct use *u = &in->use[i];

	return w->kind != WORK_LINE && !strcmp(u->purchase, "on_demand") &&
	       u->end_ms > u->start_ms && u->gpus_milli > 0 && u->cost_nano > 0 && *u->provider &&
	       *u->instance_type && !work_is_frozen(in, w, "commit");
}

/* Calls `each` with the work's GPU-hours in every hour it has a part of. */
static double each_hour(const struct use *u, struct hours h, double *gpus, const double *level,
			double *ret_covered)
{
	double sum = 0;
	int64_t to_ms = h.from_ms + (int64_t)h.n * MS_HOUR,
		from = u->start_ms > h.from_ms ? u->start_ms : h.from_ms,
		to = u->end_ms < to_ms ? u->end_ms : to_ms;

	for (int64_t t = from; t < to;) {
		size_t k = (size_t)((t - h.from_ms) / MS_HOUR);
		int64_t next = h.from_ms + (int64_t)(k + 1) * MS_HOUR;
		double part = (double)((next < to ? next : to) - t) / MS_HOUR *
			      (double)u->gpus_milli / 1000 * (1 - u->off_frac);
		sum += part;
		if (level)
			*ret_covered += part * level[k];
		else
			gpus[k] += part;
		t = next;
	}
	return sum;
}

static struct group *group_of(const struct lever_in *in, const struct use *u, struct intern *key,
			      struct group **v, size_t *n, size_t *cap, size_t nhour)
{
	char text[512];
	snprintf(text, sizeof text, "%s|%s|%s", u->provider, u->region, u->instance_type);
	uint32_t id = intern_add(key, sv_of(text));

	if (id == *n) {
		*v = vec_grow_(*v, *n, cap, 1, sizeof **v);
		(*v)[(*n)++] = (struct group){ .provider = u->provider,
					       .region = u->region,
					       .instance_type = u->instance_type,
					       .gpu_model = u->gpu_model,
					       .gpus = arena_zalloc(in->mem,
								    (nhour + 1) * sizeof(double)) };
	}
	return &(*v)[id];
}

static void collect(const struct lever_in *in, struct hours h, struct group **ret, size_t *ret_n)
{
	struct intern key = { 0 };
	size_t cap = 0;

	*ret = NULL;
	*ret_n = 0;
	for (uint32_t i = 0; i < in->fleet->work.n; i++) {
		const struct use *u = &in->use[i];
		if (!can_commit(in, i))
			continue;
		struct group *g = group_of(in, u, &key, ret, ret_n, &cap, h.n);
		double hours = each_hour(u, h, g->gpus, NULL, NULL);
		if (hours <= 0)
			continue;
		*vec_push(&g->work) = i;
		g->gpu_hours += hours;
		g->nano += (double)u->cost_nano;
	}
	intern_free(&key);
}

/* ---- what could be bought ---------------------------------------------------------------- */

/* Years of a price: its way of buying says, or its term ("1y", "3y no upfront"); 0 = not known. */
static int years_of(const struct price_row *p)
{
	const char *z = strstr(p->purchase, "_1y") || strstr(p->purchase, "_3y")
				? p->purchase + strlen(p->purchase) - 2
			: p->term ? p->term
				  : "";

	return z[0] && z[1] == 'y' && (z[0] == '1' || z[0] == '3') ? z[0] - '0' : 0;
}

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
	return machine > 0 ? floor(gpus / machine + 1e-9) * machine : floor(gpus);
}

static void support(const struct lever_in *in, const struct group *g, struct hours h,
		    struct offer *o)
{
	struct commit_term term = { o->term_h, o->rate_frac };
	struct commit *c = commit_new(&term, 1);
	double cap = in->conf->upfront_cap_usd * 1e9, used = 0;

	for (size_t t = 0; t < h.n; t++)
		commit_observe(c, g->gpus[t]);
	o->gpus = commit_supported_level(c, &term);
	if (o->upfront_nano_gpu > 0 && o->gpus * (double)o->upfront_nano_gpu > cap)
		o->gpus = cap / (double)o->upfront_nano_gpu;
	o->gpus = whole_machines(o, o->gpus + 1e-4); /* the level comes from a bisection */
	o->used_p05 = o->gpus > 0 ? commit_used_frac(c, &term, o->gpus, P05) : 0;
	commit_free(c);
	for (size_t t = 0; t < h.n; t++)
		used += fmin(o->gpus, g->gpus[t]);
	o->saves = used * g->nano / g->gpu_hours - o->gpus * (double)h.n * (double)o->nano_gpu_hour;
}

static bool allowed(const struct lever_in *in, int years)
{
	const char *most = in->conf->max_term ? in->conf->max_term : "1y";

	return years && strcmp(most, "none") && (years == 1 || !strcmp(most, "3y"));
}

static void look_at(const struct lever_in *in, const struct group *g, struct hours h,
		    const struct price_row *p, struct offer *best, int *ret_seen)
{
	double on_demand = g->nano / g->gpu_hours;
	int years = years_of(p);
	dec up = p->gpu_milli ? p->upfront * 1000 / p->gpu_milli : 0;

	if (!allowed(in, years) || p->gpu_milli <= 0 || p->gpu_hour <= 0 ||
	    !dec_fits_nano(p->gpu_hour) || !dec_fits_nano(up))
		return;
	++*ret_seen;
	struct offer o = { .purchase = p->purchase,
			   .term = years == 3 ? "3y" : "1y",
			   .source = p->source ? p->source : "",
			   .term_h = (int64_t)years * YEAR_H,
			   .nano_gpu_hour = dec_to_nano(p->gpu_hour),
			   .upfront_nano_gpu = dec_to_nano(up),
			   .gpus_milli = p->gpu_milli,
			   .as_of_ms = p->as_of_ms != UNKNOWN_MS ? p->as_of_ms : p->from_ms,
			   .quality = p->term && sv_has(sv_of(p->term), SV("not stated"))
					      ? QUALITY_ESTIMATED
					      : QUALITY_MEASURED };
	o.rate_frac = true_rate(in, &o, on_demand);
	if (!(o.rate_frac > 1e-6 && o.rate_frac < 1))
		return;
	support(in, g, h, &o);
	if (o.gpus > 0 && o.saves > best->saves)
		*best = o;
}

static int find_offer(const struct lever_in *in, const struct group *g, struct hours h,
		      struct offer *best, int *ret_seen, struct err *err)
{
	static const char *const ways[] = { "savings_plan", "reserved_1y", "committed_1y",
					    "reserved_3y", "committed_3y" };
	struct price_query q = { .provider = g->provider,
				 .region_glob = *g->region ? g->region : NULL,
				 .instance_type = g->instance_type,
				 .purchase = ways,
				 .npurchase = sizeof ways / sizeof *ways,
				 .at_ms = in->now_ms,
				 .currency = in->fleet->currency };
	struct price_row *row = NULL;
	size_t n = 0;
	int r = catalog_prices(in->catalog, &q, &row, &n, err);

	for (size_t i = 0; i < n && r >= 0; i++)
		look_at(in, g, h, &row[i], best, ret_seen);
	free(row);
	return r;
}

/* ---- the recommendation ------------------------------------------------------------------ */

/* Each work pays less by its share of the hours that the commitment covers. */
static double cover(const struct lever_in *in, struct rec *r, const struct group *g, struct hours h,
		    const struct offer *o)
{
	double *level = xcalloc(h.n + 1, sizeof *level), used = 0, now = 0;

	for (size_t t = 0; t < h.n; t++) {
		level[t] = g->gpus[t] > o->gpus ? o->gpus / g->gpus[t] : 1;
		used += fmin(o->gpus, g->gpus[t]);
	}
	now = used / (o->gpus * (double)h.n);
	for (size_t i = 0; i < g->work.n; i++) {
		const struct use *u = &in->use[g->work.v[i]];
		double covered = 0, all = each_hour(u, h, NULL, level, &covered);
		int64_t off = (int64_t)((double)u->cost_nano * (covered / all));
		struct rec_change *c = rec_change(in, r, g->work.v[i]);
		c->after.cost_nano = u->cost_nano - off;
		if (covered >= all * (1 - 1e-9))
			c->after.purchase = o->purchase;
		c->lo_nano = c->after.cost_nano;
		c->hi_nano = u->cost_nano - (int64_t)((double)off * fmin(1, o->used_p05 / now));
	}
	free(level);
	return now;
}

static const char *gpus_text(const struct lever_in *in, double gpus)
{
	return gpus == floor(gpus) ? arena_printf(in->mem, "%.0f", gpus)
				   : arena_printf(in->mem, "%.2f", gpus);
}

/* What is bought of a savings plan, in money an hour: whole cents, never more than was found to
 * pay. */
static double plan_hour(const struct offer *o)
{
	return floor(o->gpus * (double)o->nano_gpu_hour / 1e9 * 100) / 100;
}

static void buy(const struct lever_in *in, struct rec *r, const struct group *g,
		const struct offer *o)
{
	rec_action(r, ACTION_COMMIT)->commit = (struct action_commit){
		.id = r->id,
		.provider = raw_name(g->provider),
		.region = raw_name(g->region),
		.instance_type = raw_name(g->instance_type),
		.currency = raw_name(in->fleet->currency),
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
}

static void evidence(const struct lever_in *in, struct rec *r, const struct group *g,
		     struct hours h, const struct offer *o, double used)
{
	char day[TM_BUF];
	double on_demand = g->nano / g->gpu_hours, rate = (double)o->nano_gpu_hour / on_demand,
	       low = commit_static_level(g->gpus, h.n, 0.95);
	const char *source = o->as_of_ms == UNKNOWN_MS
				     ? o->source
				     : arena_printf(in->mem, "%s, %s", o->source,
						    tm_format_date(day, o->as_of_ms));

	rec_evidence(in, r, QUALITY_MEASURED, "on-demand price paid", "$/GPU·h",
		     "bill, after the recommendations before", "%.4f", on_demand / 1e9);
	rec_evidence(in, r, o->quality, "committed price", "$/GPU·h", source, "%.4f (%s %s)",
		     (double)o->nano_gpu_hour / 1e9, o->purchase, o->term);
	rec_evidence(in, r, QUALITY_MEASURED, "GPUs in use in 95 % of the hours", "GPU", "history",
		     "%.2f", low);
	rec_evidence(in, r, QUALITY_MEASURED, "utilisation of the commitment", "%", "replay",
		     "%.1f", used * 100);
	rec_evidence(in, r, QUALITY_MEASURED, "coverage of the demand", "%", "replay", "%.1f",
		     used * o->gpus * (double)h.n / g->gpu_hours * 100);
	rec_evidence(in, r, QUALITY_ESTIMATED, "break-even use", "h/month", "price", "%.0f of 730",
		     ceil(rate * 730));
	rec_evidence(in, r, QUALITY_ESTIMATED, "use over the term, 5th percentile", "%",
		     "drift of the history", "%.1f", o->used_p05 * 100);
}

static void risks(const struct lever_in *in, struct rec *r, const struct group *g, struct hours h,
		  const struct offer *o)
{
	double month = (double)o->nano_gpu_hour * in->conf->month_hours / 1e9;
	int days = (int)(h.n / 24);

	rec_risk(
		in, r,
		"%d days of history for a commitment of %s: each of the %s GPUs that is not needed any more costs %.2f %s a month until it ends",
		days, o->term, gpus_text(in, o->gpus), month, in->fleet->currency);
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
			 g->gpu_model && *g->gpu_model ? g->gpu_model : g->instance_type,
			 in->conf->outdated_year_frac * 100);
}

static void propose(const struct lever_in *in, struct rec_list *out, const struct group *g,
		    struct hours h, const struct offer *o)
{
	struct rec *r = rec_new(in, out, "commit",
				arena_printf(in->mem, "%s-%s", g->instance_type, g->region));
	const char *model = g->gpu_model && *g->gpu_model ? g->gpu_model : g->instance_type;
	double used = cover(in, r, g, h, o);

	if (!strcmp(o->purchase, "savings_plan")) /* sold in dollars an hour, not in machines */
		r->title = arena_printf(
			in->mem, "%s: savings plan of %.2f %s/h for %s, worth %s GPUs of %s", model,
			plan_hour(o),
			strcmp(in->fleet->currency, "USD") ? in->fleet->currency : "$", o->term,
			gpus_text(in, o->gpus), g->instance_type);
	else
		r->title = arena_printf(in->mem, "%s: commit to %s GPUs of %s for %s", model,
					gpus_text(in, o->gpus), g->instance_type, o->term);
	r->fee_nano = (int64_t)llround(o->gpus * (double)h.n * (double)o->nano_gpu_hour);
	r->fee_lo_nano = r->fee_hi_nano = r->fee_nano;
	rec_subject(in, r, "provider", g->provider);
	rec_subject(in, r, "region", g->region);
	rec_subject(in, r, "instance_type", g->instance_type);
	rec_subject(in, r, "gpu_model", g->gpu_model);
	evidence(in, r, g, h, o, used);
	risks(in, r, g, h, o);
	buy(in, r, g, o);
	r->risk = h.n < SURE_DAYS * 24 || o->quality != QUALITY_MEASURED || o->term_h > YEAR_H
			  ? RISK_MEDIUM
			  : RISK_LOW;
	r->effort_days = 1;
	r->within_days = DAYS_TO_BUY;
	r->confidence_frac = h.n < SURE_DAYS * 24 ? 0.7 : 0.9;
}

static struct hours window_of(const struct fleet *f)
{
	return (struct hours){
		f->since_ms, f->until_ms > f->since_ms
				     ? (size_t)((f->until_ms - f->since_ms + MS_HOUR - 1) / MS_HOUR)
				     : 0
	};
}

static int one_group(const struct lever_in *in, struct rec_list *out, const struct group *g,
		     struct hours h, struct str *unpriced, struct err *err)
{
	struct offer best = { .saves = 0 };
	int seen = 0, r = g->gpu_hours > 0 ? find_offer(in, g, h, &best, &seen, err) : 0;

	if (r < 0)
		return r;
	if (best.gpus > 0)
		propose(in, out, g, h, &best);
	else if (!seen && g->gpu_hours > 0)
		str_addf(unpriced, "%s%s in %s", unpriced->n ? ", " : "", g->instance_type,
			 *g->region ? g->region : "its region");
	return 0;
}

int lever_commit_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct hours h = window_of(in->fleet);
	struct group *g = NULL;
	struct str unpriced = { 0 };
	size_t n = 0;
	int r = 0;

	if (!in->catalog || h.n > COMMIT_MAX_HOURS ||
	    (in->conf->max_term && !strcmp(in->conf->max_term, "none")))
		return 0;
	if (h.n < MIN_DAYS * 24) {
		plan_note(
			in,
			"commit: %zu hours of history are too few to commit to a year; %d days are the least",
			h.n, MIN_DAYS);
		return 0;
	}
	collect(in, h, &g, &n);
	for (size_t i = 0; i < n && r >= 0; i++)
		r = one_group(in, out, &g[i], h, &unpriced, err);
	if (unpriced.n)
		plan_note(
			in,
			"commit: no committed price is known, for a term of at most %s, of %s (tare import --as prices adds one)",
			in->conf->max_term ? in->conf->max_term : "1y", str_z(&unpriced));
	for (size_t i = 0; i < n; i++)
		vec_free(&g[i].work);
	free(g);
	str_free(&unpriced);
	return r;
}
