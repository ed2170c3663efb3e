/*
 * What a bill says of machines and commitments by itself: what runs day and night on demand, by the
 * rule of commitments (the level that all but the lowest commit_use_pct of the hours reach), and
 * what is committed and not used, or ends. Where the history is long enough the lever commit
 * proposes; this says what it would need, and what families without a price in the catalogue do.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/alone/bill_seen.h"
#include "plan/alone/known_use.h"
#include "plan/lever/commit_unused.h"
#include "plan/told.h"

#define LEAST_DAYS 14  /* of a bill, before anything of it always runs */
#define WORTH_FRAC 100 /* a hundredth of the bill is worth a word */
#define SOON_DAYS  60
#define LATE_MS    (2 * MS_DAY) /* a line may come so late */

/* ---- day and night ----------------------------------------------------------------------- */

/* What all hours but the lowest have at least, of cost or of machines. */
static int64_t low_of(const struct lever_in *in, const int64_t *hour, size_t n)
{
	int64_t *v = xmalloc((n + 1) * sizeof *v), ret;
	size_t at = (size_t)floor((double)n * in->conf->gates.commit_use_pct / 100);

	memcpy(v, hour, n * sizeof *v);
	sort_items(v, n, sizeof *v, rising_i64);
	ret = v[at < n ? at : n - 1];
	free(v);
	return ret;
}

struct committed {                   /* for a year, by the catalogue */
	const struct price_row *row; /* the cheapest of a GPU; NULL: it has none */
	/* what one unit of on-demand money would be, from and to, where that can be compared */
	bool compared;
	double lo, hi;
	const char *source;
};

/* Of GPUs that stand apart: of whole machines with them, which compares with nothing. */
static struct committed committed_price(const struct lever_in *in, const struct bill_family *g)
{
	struct price_query q = lever_price_query(in, g->provider, g->region,
						 filled_or(g->instance_type, NULL));
	q.purchase = catalog_binding;
	q.npurchase = CATALOG_BINDING_YEAR;
	if (g->gpus_apart)
		q.gpu = g->gpu_model;
	struct committed c = { .lo = INFINITY, .source = "" };
	double paid = dec_to_double(g->cost) /
		      ((double)g->on_ms / MS_HOUR * (double)g->gpus_milli / 1000);
	struct price_row *row = NULL;
	struct err err = { 0 };
	size_t n = 0;

	if (!in->catalog || g->gpus_milli <= 0)
		return c;
	if (!(paid > 0) || catalog_prices(in->catalog, &q, &row, &n, &err) < 0)
		return c;
	n = fleet_rates_yours(in->fleet, row, n, in->now_ms);
	for (size_t i = 0; i < n; i++) {
		struct rate_scale s;
		if (row[i].gpu_hour <= 0 || catalog_term_years(row[i].purchase, row[i].term) != 1)
			continue;
		if (!c.row)
			c.row = arena_copy(in->mem, &row[i], 1, sizeof row[i]);
		if (g->gpus_apart || !fleet_rate_scale(in->fleet, &row[i], in->now_ms, &s))
			continue;
		double frac = dec_to_double(row[i].gpu_hour) * s.factor / paid;
		if (frac < c.lo && row[i].source)
			c.source = row[i].source;
		c.compared = true;
		c.lo = fmin(c.lo, frac);
		c.hi = fmax(c.hi, frac);
	}
	free(row);
	return c;
}

/* What to do where the history is long enough, and the lever proposes nothing. */
static const char *ask_for(const struct lever_in *in, const struct bill_family *g,
			   const struct committed *c)
{
	char buf[DEC_BUF];

	if (!c->row)
		return "ask for a committed price, the catalogue has none";
	return arena_printf(in->mem,
			    "see a commitment, the catalogue has %s from %s %s/GPU-h for a year",
			    g->gpus_apart ? "whole machines" : "it",
			    dec_format_fixed(buf, c->row->gpu_hour, 2), c->row->currency);
}

/* What of a family runs on demand day and night, by the hours of the bill in the window. */
struct always_on {
	double weeks;
	double machines;   /* or GPUs, of a family whose GPUs are billed apart */
	double level_nano; /* an hour, in the currency of the page */
	dec month;         /* what is paid in a month up to the level */
};

static bool find_always_on(const struct lever_in *in, const struct bill_seen *b,
			   const struct bill_family *g, struct always_on *ret)
{
	/* hours of the bill within the window: [first, first + n) */
	int64_t from = max_i64((b->from_ms - b->hour0_ms) / MS_HOUR, 0),
		to = (b->to_ms - b->hour0_ms + MS_HOUR - 1) / MS_HOUR,
		hours = min_i64(to, (int64_t)b->nhour) - from;
	size_t first = (size_t)from, n = (size_t)max_i64(hours, 0);

	if (n < LEAST_DAYS * 24 || g->on_ms <= 0)
		return false;
	/* The level in the money of the bill: else the hours of the least rate of exchange would
	 * make it, whatever ran in them. What was paid in a month up to it, at the rate of each
	 * hour: in hours below it what they cost. */
	const int64_t *nano = g->nano + first, *own = (g->own ? g->own : g->nano) + first;
	int64_t level = low_of(in, own, n);
	double all = 0, all_own = 0;
	dec sum = 0;

	for (size_t i = 0; i < n; i++) {
		dec hour = nano_to_dec(nano[i]);
		sum += own[i] > level ? dec_muldiv(hour, level, own[i]) : hour;
		all += (double)nano[i];
		all_own += (double)own[i];
	}
	ret->weeks = (double)n / 168;
	ret->month = dec_muldiv(sum, llround(in->conf->month_hours * 1000), (int64_t)n * 1000);
	ret->machines = (double)low_of(in, g->hour_ms + first, n) / MS_HOUR;
	ret->level_nano = (double)level * all / all_own;
	return ret->month > 0;
}

#define IDLE_FIRST 0.2 /* less idle than that no timetable or sharing gives back */

static bool is_such(const struct workload *w, const struct bill_family *g)
{
	if (!text_same(w->provider, g->provider) || !text_same(w->region, g->region))
		return false;
	return *g->instance_type ? text_same(w->instance_type, g->instance_type)
				 : text_same(w->gpu_model, g->gpu_model);
}

/* Of the GPU time of such machines that is known, the part in which they did nothing; NAN: nobody
 * tells. */
static double known_idle(const struct lever_in *in, const struct bill_family *g)
{
	const struct fleet *f = in->fleet;
	double known = 0, busy = 0;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		bool read = w->measured_ms > 0 || w->stats.covered_frac > 0;
		if (w->kind == WORKLOAD_LINE || !read || !is_such(w, g))
			continue;
		for (size_t k = w->hour0; k < w->hour0 + w->nhour; k++) {
			known += (double)(f->hour.v[k].ms - f->hour.v[k].unknown_ms);
			busy += (double)f->hour.v[k].busy_ms;
		}
	}
	if (known > 0)
		return 1 - busy / known;
	return NAN;
}

/* The part of such machines' time that nobody is known to use, where jobs of others are known. */
static double unknown_use(const struct lever_in *in, const struct bill_family *g)
{
	const struct fleet *f = in->fleet;
	double all = 0, none = 0;
	struct known_use known;

	known_use_find(f, &known);
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind == WORKLOAD_LINE || !is_such(w, g))
			continue;
		all += (double)w->ms;
		if (known_use_none(&known, w))
			none += (double)w->ms;
	}
	known_use_free(&known);
	return all > 0 ? none / all : 0;
}

static const char *always_on_title(const struct lever_in *in, const struct bill_family *g,
				   const struct always_on *on, const struct committed *c)
{
	double wanted = in->conf->gates.commit_half_weeks;
	const char *type = filled_or(g->instance_type, filled_or(g->family, "several types"));
	const char *then = ask_for(in, g, c);

	if (on->weeks < wanted)
		then = arena_printf(in->mem,
				    "a commitment wants %.0f weeks of use, the bill has %.1f",
				    wanted, on->weeks);
	double idle = known_idle(in, g);
	if (idle >= IDLE_FIRST)
		then = arena_printf(
			in->mem,
			"they do nothing in %.0f %% of the time that is known, give that "
			"back first (tare plan --findings), then commit to what is left",
			idle * 100);
	double dark = unknown_use(in, g);
	if (dark >= IDLE_FIRST)
		then = arena_printf(in->mem,
				    "nobody is known to use them in %.0f %% of that time, find out "
				    "who does first (tare import --covers), then commit",
				    dark * 100);
	return arena_printf(in->mem, "%.1f %s of %s%s%s run day and night on demand: %s",
			    on->machines, g->gpus_apart ? "GPUs" : "machines", type,
			    text_if(*g->region, " in "), g->region, then);
}

static void add_always_on_evidence(const struct lever_in *in, struct rec *r,
				   const struct bill_family *g, const struct always_on *on)
{
	const struct plan_gates *gates = &in->conf->gates;
	double hours_pct = 100 - gates->commit_use_pct;

	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					arena_printf(in->mem,
						     "on demand in %.0f %% of the hours, at least",
						     hours_pct),
					.unit = arena_printf(in->mem, "%s/h", told_sign(in)),
					.source = "bill" },
		     "%.2f", on->level_nano * 1e-9);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "on demand in all", .unit = told_sign(in),
					.source = "bill, effective cost" },
		     "%s", told_amount(in, g->cost));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "time of the bill", .unit = "weeks",
					.source = "bill" },
		     "%.1f", on->weeks);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ASSUMED,
					"weeks of use for half of it, for all of it",
					.unit = "weeks", .source = "plan.gates" },
		     "%.0f, %.0f", gates->commit_half_weeks, gates->commit_full_weeks);
	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED,
				   arena_printf(in->mem, "%s in %.0f %% of the hours, at least",
						g->gpus_apart ? "GPUs" : "machines", hours_pct),
				   .source = "bill" },
		"%.1f", on->machines);
}

static void tell_always_on(const struct lever_in *in, struct rec_list *out,
			   const struct bill_seen *b, const struct bill_family *g)
{
	struct always_on on;

	if (!find_always_on(in, b, g, &on) ||
	    on.month * WORTH_FRAC < bill_month_of(b, b->all.cost, in->conf->month_hours))
		return;
	struct committed c = committed_price(in, g);
	/* the lever commit sees the same, type by type, and proposes */
	bool proposed = c.compared || (*g->gpu_model && !*g->instance_type && !g->gpus_apart);
	if (proposed && on.weeks >= in->conf->gates.commit_half_weeks)
		return;
	if (c.compared && c.lo >= 1)
		return; /* what is paid is not above it */
	struct rec *r =
		told_new(in, out, ADVICE_BILL_ALWAYS_ON,
			 arena_printf(in->mem, "bill-always-on-%s-%s", g->family, g->region));
	told_cost(r, on.month);
	if (c.compared)
		told_may_save(in, r, dec_from_double(dec_to_double(on.month) * fmax(0, 1 - c.hi)),
			      dec_from_double(dec_to_double(on.month) * (1 - c.lo)));
	r->title = always_on_title(in, g, &on, &c);
	rec_subject(in, r, "provider", g->provider);
	rec_subject(in, r, "region", g->region);
	rec_subject(in, r, "family", g->family);
	add_always_on_evidence(in, r, g, &on);
	if (c.compared)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"committed for a year, of what is paid",
						.unit = "frac", .source = c.source },
			     "%.2f to %.2f", c.lo, c.hi);
	rec_risk(in, r,
		 "What a commitment covers must still be wanted when it ends: clean up first.");
}

/* ---- commitments ------------------------------------------------------------------------- */

/* " (8.0 GPUs of TYPE in REGION)" or "" */
static const char *unused_machines(const struct lever_in *in, const struct bill_commitment *c)
{
	double gpus = unused_gpus(in, c);

	if (gpus < 0.05)
		return "";
	return arena_printf(in->mem, " (%.1f GPUs of %s%s%s)", gpus, c->instance_type,
			    text_if(*c->region, " in "), c->region);
}

static void tell_empty(const struct lever_in *in, struct rec_list *out, const struct bill_seen *b,
		       const struct bill_capacity *c)
{
	const char *slash = strrchr(c->id, '/'), *name = slash && slash[1] ? slash + 1 : c->id;

	if (c->empty <= 0 || c->empty * 1000 < b->all.cost)
		return;
	struct rec *r = told_new(in, out, ADVICE_BILL_EMPTY,
				 arena_printf(in->mem, "bill-empty-%s", name));
	told_cost(r, bill_month_of(b, c->empty, in->conf->month_hours));
	r->title = arena_printf(
		in->mem,
		"the reservation of capacity '%s'%s%s stood empty for %.0f machine-hours, which are paid: cancel it, or make it smaller",
		name, text_if(*c->instance_type, " of "), c->instance_type,
		(double)c->empty_ms / MS_HOUR);
	rec_risk(in, r,
		 "Without it a machine that is given back may not be had again when it is wanted.");
	rec_subject(in, r, "reservation", c->id);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "paid while no machine was in it",
					.unit = told_sign(in), .source = "bill, effective cost" },
		     "%s", told_amount(in, c->empty));
}

void bill_machines(const struct lever_in *in, struct rec_list *out)
{
	const struct bill_seen *b = in->fleet->bill;

	if (!b || b->from_ms == UNKNOWN_MS)
		return;
	for (size_t i = 0; i < b->family.n; i++)
		tell_always_on(in, out, b, &b->family.v[i]);
	for (size_t i = 0; i < b->capacity.n; i++)
		tell_empty(in, out, b, &b->capacity.v[i]);
	for (size_t i = 0; i < b->commitment.n; i++) {
		const struct bill_commitment *c = &b->commitment.v[i];
		if (c->unused > 0 && c->unused * 1000 >= b->all.cost) {
			dec all = c->used + c->unused;
			struct rec *r = told_new(in, out, ADVICE_BILL_UNUSED,
						 arena_printf(in->mem, "bill-unused-%s", c->id));
			told_cost(r, bill_month_of(b, c->unused, in->conf->month_hours));
			r->title = arena_printf(
				in->mem,
				"%s of the commitment '%s'%s is paid and not used: move on-demand work onto it, renew less of it",
				told_percent(in, c->unused, all), bill_commitment_name(c),
				unused_machines(in, c));
			rec_risk(
				in, r,
				"It covers by itself what matches it: machines of this kind on demand beside it run in other hours, or are of another size, zone, account or scope. Work of other hours fits when it runs in its hours; for the rest change its scope, or exchange it.");
			rec_subject(in, r, "commitment", c->id);
			rec_evidence(in, r,
				     (struct evidence){ QUALITY_MEASURED, "used",
							.unit = told_sign(in),
							.source = "bill, effective cost" },
				     "%s", told_amount(in, c->used));
			rec_evidence(in, r,
				     (struct evidence){ QUALITY_MEASURED, "not used",
							.unit = told_sign(in),
							.source = "bill, effective cost" },
				     "%s", told_amount(in, c->unused));
		}
		int64_t last = max_i64(c->used_to_ms, c->unused_to_ms),
			soon = b->to_ms + SOON_DAYS * MS_DAY;
		bool told = c->ends_ms != UNKNOWN_MS,
		     gone = last != UNKNOWN_MS && last < b->to_ms - LATE_MS;
		char day[TM_BUF];

		if (told ? c->ends_ms > soon : !gone || c->used <= 0)
			continue;
		struct rec *r = told_new(in, out, ADVICE_BILL_ENDING,
					 arena_printf(in->mem, "bill-ending-%s", c->id));
		if (c->used > 0)
			told_cost(r, bill_month_of(b, c->used, in->conf->month_hours));
		tm_format_date(day, told ? c->ends_ms : last);
		r->title = arena_printf(
			in->mem,
			told ? "the commitment '%s' ends on %s: what it covers is paid on demand then"
			     : "the commitment '%s' has no line after %s: what it covered may be paid on demand since",
			bill_commitment_name(c), day);
		rec_subject(in, r, "commitment", c->id);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, told ? "ends" : "last line of it",
						.source = "bill" },
			     "%s", day);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "used by then",
						.unit = told_sign(in),
						.source = "bill, effective cost" },
			     "%s", told_amount(in, c->used));
	}
}
