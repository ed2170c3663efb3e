#include "report/plan/plan_spot.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/grid.h"
#include "report/text.h"

static dec usd_of(double v)
{
	return dec_from_double(round(fmin(v, 1e15) * 1e4) / 1e4);
}

/* Dollars or hours of a run; NAN where some are never done. */
static double known_or_nan(const struct spot_outcome *o, double v)
{
	if (o->stuck_frac > 0)
		return NAN;
	return v;
}

/* ---- JSON -------------------------------------------------------------------------------- */

struct money {
	dec v;
	bool known;
};
struct seen_row {
	int64_t attempts, interruptions;
	double hours, lost_h;
	bool known;
};
struct place_row {
	const char *name;
	int order, machines; /* INT_MIN: it is not used */
	struct money spot_hour, od_hour;
	double mtbi_h, hours_there;
	struct {
		struct money cost;
		double finish_frac, every_h;
	} alone;
	struct seen_row seen;
};
struct row {
	const char *currency, *decision;
	struct plan_spot x;
	struct money od_cost, cost, p05, p50, p95;
	double hours, hours_p95, saving_frac;
	struct place_row *place;
	size_t n;
	struct seen_row seen;
};
#define MONEY(key, S, member, text)                                                           \
	{                                                                                     \
		key, COL_DEC, offsetof(S, member.v), "money", text, offsetof(S, member.known) \
	}
#define NUM(key, S, member, unit, text)                                    \
	{                                                                  \
		key, COL_NUM, offsetof(S, member), unit, text, .digits = 6 \
	}

static const struct col alone_cols[] = {
	MONEY("cost", struct place_row, alone.cost, "mean of the whole job"),
	NUM("finish_frac", struct place_row, alone.finish_frac, "fraction",
	    "of the replays that end by the deadline"),
	NUM("checkpoint_every_h", struct place_row, alone.every_h, "h",
	    "work between two checkpoints; null: it saves none"),
	{ 0 },
};
static const struct col place_seen_cols[] = {
	NUM("hours", struct seen_row, hours, "h", "of attempts there, or nobody knows where"),
	{ "interruptions", COL_INT, offsetof(struct seen_row, interruptions), "count",
	  "in these hours", .always = true },
	{ 0 },
};
static const struct col place_cols[] = {
	{ "name", COL_TEXT, offsetof(struct place_row, name), NULL, "null: it is any place", 0 },
	{ "order", COL_I32, offsetof(struct place_row, order), NULL,
	  "in which it is taken, from 1; null: it is not used", 0 },
	{ "machines", COL_I32, offsetof(struct place_row, machines), "count", "of the job there",
	  .always = true },
	MONEY("spot_hour", struct place_row, spot_hour, "an hour of all these machines on spot"),
	MONEY("on_demand_hour", struct place_row, od_hour, "an hour of them on demand"),
	NUM("mean_hours_between_interruptions", struct place_row, mtbi_h, "h",
	    "of the job there; null: never"),
	{ "alone", COL_ROW, 0, NULL, "all of the job there", .sub = alone_cols },
	{ "seen", COL_ROW, offsetof(struct place_row, seen), NULL,
	  "earlier attempts that count there", offsetof(struct place_row, seen.known),
	  .sub = place_seen_cols },
	NUM("hours_there", struct place_row, hours_there, "h", "mean hours on spot there"),
	{ 0 },
};
static const struct col outcome_cols[] = {
	MONEY("cost", struct row, cost, "mean; null: some runs are never done"),
	MONEY("p05", struct row, p05, "of the cost, 5th percentile"),
	MONEY("p50", struct row, p50, "of the cost, median"),
	MONEY("p95", struct row, p95, "of the cost, 95th percentile"),
	NUM("finish_frac", struct row, x.out.finish_frac, "fraction",
	    "of the replays that end by the deadline"),
	NUM("hours", struct row, hours, "h", "mean from start to end"),
	NUM("hours_p95", struct row, hours_p95, "h", "95th percentile from start to end"),
	NUM("interruptions", struct row, x.out.interruptions, "count", "mean of a run"),
	NUM("lost_h", struct row, x.out.lost_h, "h", "work done again, mean of a run"),
	NUM("restart_h", struct row, x.out.restart_h, "h", "for restarts, mean of a run"),
	NUM("checkpoint_h", struct row, x.out.stall_h, "h", "for checkpoints, mean of a run"),
	NUM("moved_to_on_demand_frac", struct row, x.out.moved_frac, "fraction",
	    "of the runs that end on demand"),
	NUM("on_demand_cost_frac", struct row, x.out.od_frac, "fraction",
	    "of the cost that is paid on demand"),
	NUM("waited_h", struct row, x.out.waited_h, "h", "mean hours without a machine"),
	{ 0 },
};
static const struct col checkpoint_cols[] = {
	NUM("every_h", struct row, x.every_h, "h", "work between two checkpoints"),
	NUM("stall_h", struct row, x.stall_h, "h", "for which one stops the work"),
	NUM("young_h", struct row, x.young_h, "h", "every_h by Young's formula"),
	NUM("daly_h", struct row, x.daly_h, "h", "every_h by Daly's formula"),
	NUM("exact_h", struct row, x.exact_h, "h",
	    "every_h that is best where interruptions have no memory"),
	{ 0 },
};
static const struct col seen_cols[] = {
	{ "attempts", COL_INT, offsetof(struct seen_row, attempts), "count", "earlier ones",
	  .always = true },
	NUM("hours", struct seen_row, hours, "h", "that they ran"),
	{ "interruptions", COL_INT, offsetof(struct seen_row, interruptions), "count", "of them",
	  .always = true },
	NUM("lost_h", struct seen_row, lost_h, "h", "of those hours, not saved"),
	{ 0 },
};
static const struct col cols[] = {
	{ "currency", COL_TEXT, offsetof(struct row, currency), NULL, "of all amounts",
	  .always = true },
	{ "decision", COL_TEXT, offsetof(struct row, decision), NULL, "spot or on_demand",
	  .always = true },
	{ "reason", COL_TEXT, offsetof(struct row, x.why), NULL, "why", .always = true },
	NUM("hours", struct row, x.work_h, "h", "work of the job"),
	NUM("deadline_h", struct row, x.deadline_h, "h", "from the start on; null: none"),
	{ "machines", COL_I32, offsetof(struct row, x.machines), "count",
	  "of the place that is taken first", .always = true },
	NUM("mean_hours_between_interruptions", struct row, x.mtbi_h, "h",
	    "of the job in that place; null: never"),
	MONEY("on_demand_cost", struct row, od_cost, "the same job on demand, uninterrupted"),
	{ "spot", COL_ROW, 0, NULL, "what the replays came to", .sub = outcome_cols },
	NUM("saving_frac", struct row, saving_frac, "fraction",
	    "what spot costs less than on demand; null: some runs are never done"),
	{ "checkpoint", COL_ROW, 0, NULL, "null: it saves none",
	  offsetof(struct row, x.checkpoints), .sub = checkpoint_cols },
	{ "places", COL_LIST(struct row, place, n, place_cols),
	  .help = "those used first, in their order" },
	{ "left_out", COL_WORDS(struct row, x.left_out, x.nleft_out),
	  .help = "places that cannot be compared, and why" },
	NUM("away_h", struct row, x.away_h, "h",
	    "for which a place has no machines after it took one away"),
	{ "seen", COL_ROW, offsetof(struct row, seen), NULL, "earlier attempts",
	  offsetof(struct row, seen.known), .sub = seen_cols },
	{ "runs", COL_I32, offsetof(struct row, x.out.runs), "count", "replays", .always = true },
	{ 0 },
};
const struct col_doc plan_spot_doc = { "tare.plan-spot/1", "plan spot", "a job on spot machines",
				       cols };

static struct money money_of(double v)
{
	return (struct money){ isnan(v) ? 0 : usd_of(v), !isnan(v) };
}

static struct seen_row seen_row(const struct spot_seen *s)
{
	return (struct seen_row){ s->attempts, s->interruptions, s->hours, s->lost_h, s->known };
}

static struct place_row place_row(const struct plan_spot *x, const struct plan_spot_place *p)
{
	struct place_row row = {
		.name = filled_or(p->name, NULL),
		.order = INT_MIN,
		.machines = p->machines,
		.spot_hour = money_of(p->spot_usd_h),
		.od_hour = money_of(p->od_usd_h),
		.mtbi_h = p->mtbi_h,
		.alone.cost = money_of(known_or_nan(&p->alone, p->alone.usd)),
		.alone.finish_frac = p->alone.finish_frac,
		.alone.every_h = num_if(x->checkpoints, p->every_h),
		.seen = seen_row(&p->seen),
	};

	if (p->rank) {
		row.order = p->rank;
		row.hours_there = x->out.spot_h[p->rank - 1];
	}
	return row;
}

/* ---- for people -------------------------------------------------------------------------- */

static const char *format_span(char buf[TM_BUF], double h)
{
	if (isfinite(h))
		return tm_format_span(buf, llround(h * MS_HOUR));
	return "never";
}

static void put_table(const struct plan_spot *x, const struct out_as *as, struct str *out)
{
	static const struct {
		const char *name;
		int worth;
	} head[] = { { "spot $/h", 4 }, { "on demand", 1 }, { "one every", 3 },
		     { "alone $", 6 },  { "in time", 5 },   { "hours", 2 } };
	const struct spot_outcome *o = &x->out;
	struct grid g = { 0 };

	grid_add_figure(&g, "order", GRID_ALWAYS);
	grid_add_col(&g, "place", GRID_LEFT, grid_fits_lines());
	grid_worth(&g, GRID_ALWAYS);
	for (size_t i = 0; i < sizeof head / sizeof *head; i++)
		grid_add_figure(&g, head[i].name, head[i].worth);
	for (size_t i = 0; i < x->nplace; i++) {
		const struct plan_spot_place *w = &x->place[i];
		const char **c = grid_add_row(&g, GRID_PLAIN);
		bool alone = w->alone.stuck_frac <= 0, od = !isnan(w->od_usd_h);
		char t[TM_BUF];
		c[1] = text_line(&g.mem, sv_of(w->name), 48);
		c[2] = text_money(&g.mem, usd_of(w->spot_usd_h), 2);
		c[3] = od ? text_money(&g.mem, usd_of(w->od_usd_h), 2) : "-";
		c[4] = arena_printf(&g.mem, "%s", format_span(t, w->mtbi_h));
		c[5] = alone ? text_money(&g.mem, usd_of(w->alone.usd), 2) : "-";
		c[6] = arena_printf(&g.mem, "%.1f %%", w->alone.finish_frac * 100);
		c[0] = c[7] = "-";
		if (w->rank) {
			c[0] = arena_printf(&g.mem, "%d", w->rank);
			c[7] = arena_printf(&g.mem, "%.1f", o->spot_h[w->rank - 1]);
		}
	}
	str_addc(out, '\n');
	grid_table(&g, as->width, as->colour, out);
	grid_free(&g);
}

static void put_cost(const struct plan_spot *x, struct str *out)
{
	const struct spot_outcome *o = &x->out;
	char m[3][DEC_BUF], t[2][TM_BUF];
	double change_pct = 0;

	if (o->od_usd > 0)
		change_pct = (o->usd / o->od_usd - 1) * 100;
	if (o->stuck_frac > 0)
		str_addf(
			out,
			"  spot             %.2f %% of the runs are not done after %d interruptions; at least $%s/job; prices %s\n",
			o->stuck_frac * 100, SPOT_MAX_INTERRUPTIONS,
			dec_format_people(m[0], usd_of(o->usd), 2), x->place[0].source);
	else
		str_addf(
			out,
			"  spot             $%s/job, $%s to $%s (p05 to p95), %.0f %% %s; prices %s\n",
			dec_format_people(m[0], usd_of(o->usd), 2),
			dec_format_people(m[1], usd_of(o->usd_p05), 2),
			dec_format_people(m[2], usd_of(o->usd_p95), 2), fabs(change_pct),
			o->usd > o->od_usd ? "more" : "less", x->place[0].source);
	if (isfinite(x->deadline_h))
		str_addf(out, "  in time          %.2f %% of the runs, deadline after %s\n",
			 o->finish_frac * 100, format_span(t[0], x->deadline_h));
	if (!(o->stuck_frac > 0))
		str_addf(out, "  done after       %s, p95 %s\n", format_span(t[0], o->hours),
			 format_span(t[1], o->hours_p95));
}

static void print_text(const struct plan_spot *x, const struct out_as *as, struct str *out)
{
	const struct spot_outcome *o = &x->out;
	char m[1][DEC_BUF], t[1][TM_BUF];

	if (!x->on_spot)
		str_addf(out, "On demand%s%s: %s.\n\n",
			 text_if(x->nplace > 1 && *x->od_name, " in "),
			 text_if(x->nplace > 1, x->od_name), x->why);
	else if (x->nplace == 1)
		str_addf(out, "Spot: %s.\n\n", x->why);
	else if (x->nused == 1)
		str_addf(out, "Spot, %s alone: %s.\n\n", x->place[0].name, x->why);
	else
		str_addf(out, "Spot, %s first, %s %s while it has no machines: %s.\n\n",
			 x->place[0].name, x->nused > 2 ? "then as numbered below from" : "then",
			 x->place[1].name, x->why);
	str_addf(out, "  on demand        $%s/job\n",
		 dec_format_people(m[0], usd_of(o->od_usd), 2));
	put_cost(x, out);
	str_addf(out, "  interruptions    %.2f a run, one every %s%s\n", o->interruptions,
		 format_span(t[0], x->mtbi_h), text_if(x->nused > 1, " in the first place"));
	str_addf(
		out,
		"  hours lost       %.2f h done again, %.2f h restarts, %.2f h checkpoints a run\n",
		o->lost_h, o->restart_h, o->stall_h);
	if (x->checkpoints)
		str_addf(out, "  checkpoint       every %s%s\n", format_span(t[0], x->every_h),
			 text_if(x->chosen, " (chosen)"));
	else
		str_addz(out, "  checkpoint       none: an interrupted run starts from zero\n");
	if (o->waited_h >= 0.005)
		str_addf(out,
			 "  waiting          %.2f h a run for a place to have machines again\n",
			 o->waited_h);
	if (o->moved_frac > 0)
		str_addf(
			out,
			"  back on demand   %.1f %% of the runs, to be in time; %.1f %% of the cost\n",
			o->moved_frac * 100, o->od_frac * 100);
	const struct spot_seen *s = &x->seen;
	if (s->known) {
		str_addf(out, "  seen so far      %lld interruption%s in %.1f h of %lld attempt%s",
			 (long long)s->interruptions, plural(s->interruptions), s->hours,
			 (long long)s->attempts, plural(s->attempts));
		if (!isnan(s->lost_h))
			str_addf(out, ", %.2f h of them lost", s->lost_h);
		str_addz(out, "; counted above\n");
	}

	/* Where an attempt was in another place, what is left for this one. */
	for (size_t i = 0; i < x->nplace; i++) {
		const struct plan_spot_place *w = &x->place[i];
		if (!x->seen.known || w->all_seen)
			continue;
		str_addf(out, "    %s: ", w->name);
		if (w->seen.known)
			str_addf(out, "%lld in %.1f h that were there or nobody knows where\n",
				 (long long)w->seen.interruptions, w->seen.hours);
		else
			str_addz(out, "none of it was there\n");
	}

	if (x->nplace > 1)
		put_table(x, as, out);
	for (size_t i = 0; i < x->nleft_out; i++)
		str_addf(out, "%sLeft out: %s.\n", text_if(!i, "\n"), x->left_out[i]);
	str_addf(out,
		 "\n%lld runs replayed. Taken for granted: on-demand machines are to be had, and ",
		 (long long)o->runs);
	if (x->away_h > 0)
		str_addf(out, "a place that took its machines back has some again after %s.\n",
			 format_span(t[0], x->away_h));
	else
		str_addz(out, "a new spot machine within the restart time.\n");
}

void plan_spot_print(const struct plan_spot *x, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON) {
		const struct spot_outcome *o = &x->out;
		struct place_row place[SPOT_MAX_PLACES];
		const struct row row = {
			.currency = "USD",
			.decision = x->on_spot ? "spot" : "on_demand",
			.x = *x,
			.od_cost = money_of(o->od_usd),
			.cost = money_of(known_or_nan(o, o->usd)),
			.p05 = money_of(known_or_nan(o, o->usd_p05)),
			.p50 = money_of(known_or_nan(o, o->usd_p50)),
			.p95 = money_of(known_or_nan(o, o->usd_p95)),
			.hours = known_or_nan(o, o->hours),
			.hours_p95 = known_or_nan(o, o->hours_p95),
			.saving_frac = num_if(o->od_usd > 0,
					      1 - known_or_nan(o, o->usd) / o->od_usd),
			.place = place,
			.n = x->nplace,
			.seen = seen_row(&x->seen),
		};

		for (size_t i = 0; i < x->nplace; i++)
			place[i] = place_row(x, &x->place[i]);
		cols_doc(&plan_spot_doc, &row, out);
	} else
		print_text(x, as, out);
}
