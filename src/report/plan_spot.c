#include "report/plan_spot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/jw.h"
#include "base/tm.h"

static dec usd(double v)
{
	return dec_from_double(round(fmin(v, 1e15) * 1e4) / 1e4);
}

static void money(struct jw *w, const char *key, double v)
{
	jw_key(w, key);
	if (isnan(v))
		jw_null(w);
	else
		jw_dec(w, usd(v));
}

/* Dollars or hours of a run; NAN where some are never done. */
static double known(const struct spot_outcome *o, double v)
{
	return o->stuck_frac > 0 ? NAN : v;
}

static void put_interval(struct jw *w, const struct plan_spot *x)
{
	jw_key(w, "checkpoint");
	if (!x->checkpoints) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	jw_put_num(w, "every_h", x->every_h, 6);
	jw_put_num(w, "stall_h", x->stall_h, 6);
	jw_put_num(w, "young_h", x->young_h, 6);
	jw_put_num(w, "daly_h", x->daly_h, 6);
	jw_put_num(w, "exact_h", x->exact_h, 6);
	jw_end_obj(w);
}

static void put_place(struct jw *w, const struct plan_spot *x, const struct plan_spot_place *p)
{
	jw_obj(w);
	jw_key(w, "name");
	if (*p->name)
		jw_str(w, p->name);
	else
		jw_null(w);
	jw_key(w, "order");
	if (p->rank)
		jw_int(w, p->rank);
	else
		jw_null(w);
	jw_key(w, "machines");
	jw_int(w, p->machines);
	money(w, "spot_hour", p->spot_usd_h);
	money(w, "on_demand_hour", p->od_usd_h);
	jw_put_num(w, "mean_hours_between_interruptions", p->mtbi_h, 6);
	jw_key(w, "alone");
	jw_obj(w);
	money(w, "cost", known(&p->alone, p->alone.usd));
	jw_put_num(w, "finish_frac", p->alone.finish_frac, 6);
	jw_put_num(w, "checkpoint_every_h", x->checkpoints ? p->every_h : NAN, 6);
	jw_end_obj(w);
	jw_key(w, "seen");
	if (p->seen.known) {
		jw_obj(w);
		jw_put_num(w, "hours", p->seen.hours, 6);
		jw_key(w, "interruptions");
		jw_int(w, p->seen.interruptions);
		jw_end_obj(w);
	} else {
		jw_null(w);
	}
	jw_put_num(w, "hours_there", p->rank ? x->out.spot_h[p->rank - 1] : 0, 6);
	jw_end_obj(w);
}

static void put_places(struct jw *w, const struct plan_spot *x)
{
	jw_key(w, "places");
	jw_arr(w);
	for (size_t i = 0; i < x->nplace; i++)
		put_place(w, x, &x->place[i]);
	jw_end_arr(w);
	jw_key(w, "left_out");
	jw_arr(w);
	for (size_t i = 0; i < x->nleft_out; i++)
		jw_str(w, x->left_out[i]);
	jw_end_arr(w);
	jw_put_num(w, "away_h", x->away_h, 6);
}

static void put_seen(struct jw *w, const struct spot_seen *s)
{
	jw_key(w, "seen");
	if (!s->known) {
		jw_null(w);
		return;
	}
	jw_obj(w);
	jw_key(w, "attempts");
	jw_int(w, s->attempts);
	jw_put_num(w, "hours", s->hours, 6);
	jw_key(w, "interruptions");
	jw_int(w, s->interruptions);
	jw_put_num(w, "lost_h", s->lost_h, 6);
	jw_end_obj(w);
}

static void put_outcome(struct jw *w, const struct spot_outcome *o)
{
	jw_key(w, "spot");
	jw_obj(w);
	money(w, "cost", known(o, o->usd));
	money(w, "p05", known(o, o->usd_p05));
	money(w, "p50", known(o, o->usd_p50));
	money(w, "p95", known(o, o->usd_p95));
	jw_put_num(w, "finish_frac", o->finish_frac, 6);
	jw_put_num(w, "hours", known(o, o->hours), 6);
	jw_put_num(w, "hours_p95", known(o, o->hours_p95), 6);
	jw_put_num(w, "interruptions", o->interruptions, 6);
	jw_put_num(w, "lost_h", o->lost_h, 6);
	jw_put_num(w, "restart_h", o->restart_h, 6);
	jw_put_num(w, "checkpoint_h", o->stall_h, 6);
	jw_put_num(w, "moved_to_on_demand_frac", o->moved_frac, 6);
	jw_put_num(w, "on_demand_cost_frac", o->od_frac, 6);
	jw_put_num(w, "waited_h", o->waited_h, 6);
	jw_end_obj(w);
}

static void print_json(const struct plan_spot *x, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-spot/1");
	jw_key(&w, "currency");
	jw_str(&w, "USD");
	jw_key(&w, "decision");
	jw_str(&w, x->on_spot ? "spot" : "on_demand");
	jw_key(&w, "reason");
	jw_str(&w, x->why);
	jw_put_num(&w, "hours", x->work_h, 6);
	jw_put_num(&w, "deadline_h", x->deadline_h, 6);
	jw_key(&w, "machines");
	jw_int(&w, x->machines);
	jw_put_num(&w, "mean_hours_between_interruptions", x->mtbi_h, 6);
	money(&w, "on_demand_cost", x->out.od_usd);
	put_outcome(&w, &x->out);
	jw_put_num(&w, "saving_frac",
		   x->out.od_usd > 0 && !(x->out.stuck_frac > 0) ? 1 - x->out.usd / x->out.od_usd
								 : NAN,
		   6);
	put_interval(&w, x);
	put_places(&w, x);
	put_seen(&w, &x->seen);
	jw_key(&w, "runs");
	jw_int(&w, x->out.runs);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static const char *span(char buf[TM_BUF], double h)
{
	return isfinite(h) ? tm_format_span(buf, llround(h * MS_HOUR)) : "never";
}

static void put_decision(const struct plan_spot *x, struct str *out)
{
	if (!x->on_spot)
		str_addf(out, "On demand%s%s: %s.\n\n", x->nplace > 1 && *x->od_name ? " in " : "",
			 x->nplace > 1 ? x->od_name : "", x->why);
	else if (x->nplace == 1)
		str_addf(out, "Spot: %s.\n\n", x->why);
	else if (x->nused == 1)
		str_addf(out, "Spot, %s alone: %s.\n\n", x->place[0].name, x->why);
	else
		str_addf(out, "Spot, %s first, %s %s while it has no machines: %s.\n\n",
			 x->place[0].name, x->nused > 2 ? "then as numbered below from" : "then",
			 x->place[1].name, x->why);
}

/* Where an attempt was in another place, what is left for this one. */
static void put_seen_places(const struct plan_spot *x, struct str *out)
{
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
}

static void put_seen_text(const struct spot_seen *s, struct str *out)
{
	if (!s->known)
		return;
	str_addf(out, "  seen so far      %lld interruption%s in %.1f h of %lld attempt%s",
		 (long long)s->interruptions, s->interruptions == 1 ? "" : "s", s->hours,
		 (long long)s->attempts, s->attempts == 1 ? "" : "s");
	if (!isnan(s->lost_h))
		str_addf(out, ", %.2f h of them lost", s->lost_h);
	str_addz(out, "; counted above\n");
}

static void put_table(const struct plan_spot *x, struct str *out)
{
	const struct spot_outcome *o = &x->out;
	int wide = 5;

	for (size_t i = 0; i < x->nplace; i++)
		wide = (int)fmax(wide, fmin(48, (double)strlen(x->place[i].name)));
	str_addf(out, "\n  order  %-*s  %10s  %10s  %16s  %10s  %8s  %8s\n", wide, "place",
		 "spot $/h", "on demand", "one every", "alone $", "in time", "hours");
	for (size_t i = 0; i < x->nplace; i++) {
		const struct plan_spot_place *w = &x->place[i];
		char m[3][DEC_BUF], t[TM_BUF], rank[16] = "-", hours[32] = "-";
		if (w->rank) {
			snprintf(rank, sizeof rank, "%d", w->rank);
			snprintf(hours, sizeof hours, "%.1f", o->spot_h[w->rank - 1]);
		}
		str_addf(out, "  %5s  %-*.*s  %10s  %10s  %16s  %10s  %7.1f%%  %8s\n", rank, wide,
			 wide, w->name, dec_format_people(m[0], usd(w->spot_usd_h), 2),
			 isnan(w->od_usd_h) ? "-" : dec_format_people(m[1], usd(w->od_usd_h), 2),
			 span(t, w->mtbi_h),
			 w->alone.stuck_frac > 0 ? "-"
						 : dec_format_people(m[2], usd(w->alone.usd), 2),
			 w->alone.finish_frac * 100, hours);
	}
}

static void put_cost(const struct plan_spot *x, struct str *out)
{
	const struct spot_outcome *o = &x->out;
	char m[3][DEC_BUF], t[2][TM_BUF];

	if (o->stuck_frac > 0)
		str_addf(
			out,
			"  spot             %.2f %% of the runs are not done after %d interruptions; at least $%s/job; prices %s\n",
			o->stuck_frac * 100, SPOT_MAX_INTERRUPTIONS,
			dec_format_people(m[0], usd(o->usd), 2), x->place[0].source);
	else
		str_addf(
			out,
			"  spot             $%s/job, $%s to $%s (p05 to p95), %.0f %% %s; prices %s\n",
			dec_format_people(m[0], usd(o->usd), 2),
			dec_format_people(m[1], usd(o->usd_p05), 2),
			dec_format_people(m[2], usd(o->usd_p95), 2),
			o->od_usd > 0 ? fabs(1 - o->usd / o->od_usd) * 100 : 0,
			o->usd > o->od_usd ? "more" : "less", x->place[0].source);
	if (isfinite(x->deadline_h))
		str_addf(out, "  in time          %.2f %% of the runs, deadline after %s\n",
			 o->finish_frac * 100, span(t[0], x->deadline_h));
	if (!(o->stuck_frac > 0))
		str_addf(out, "  done after       %s, p95 %s\n", span(t[0], o->hours),
			 span(t[1], o->hours_p95));
}

static void print_text(const struct plan_spot *x, struct str *out)
{
	const struct spot_outcome *o = &x->out;
	char m[1][DEC_BUF], t[1][TM_BUF];

	put_decision(x, out);
	str_addf(out, "  on demand        $%s/job\n", dec_format_people(m[0], usd(o->od_usd), 2));
	put_cost(x, out);
	str_addf(out, "  interruptions    %.2f a run, one every %s%s\n", o->interruptions,
		 span(t[0], x->mtbi_h), x->nused > 1 ? " in the first place" : "");
	str_addf(
		out,
		"  hours lost       %.2f h done again, %.2f h restarts, %.2f h checkpoints a run\n",
		o->lost_h, o->restart_h, o->stall_h);
	if (x->checkpoints)
		str_addf(out, "  checkpoint       every %s%s\n", span(t[0], x->every_h),
			 x->chosen ? " (chosen)" : "");
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
	put_seen_text(&x->seen, out);
	put_seen_places(x, out);
	if (x->nplace > 1)
		put_table(x, out);
	for (size_t i = 0; i < x->nleft_out; i++)
		str_addf(out, "%sLeft out: %s.\n", i ? "" : "\n", x->left_out[i]);
	str_addf(out,
		 "\n%lld runs replayed. Taken for granted: on-demand machines are to be had, and ",
		 (long long)o->runs);
	if (x->away_h > 0)
		str_addf(out, "a place that took its machines back has some again after %s.\n",
			 span(t[0], x->away_h));
	else
		str_addz(out, "a new spot machine within the restart time.\n");
}

void plan_spot_print(const struct plan_spot *x, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(x, out);
	else
		print_text(x, out);
}
