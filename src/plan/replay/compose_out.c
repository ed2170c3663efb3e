/* From a composed set to the plan: amounts, ranges, notes. */
#include <math.h>
#include <stdlib.h>
#include "base/str.h"
#include "base/tm.h"
#include "plan/replay/compose.h"
#include "plan/levers.h"

/* paid and list are the same price, but for rounding */
#define OWN_RATE_NEAR 0.001

dec plan_month(const struct plan *p, int64_t window_nano)
{
	int64_t month_ms = llround(p->month_hours * (double)MS_HOUR),
		window_ms = llround(p->window_hours * (double)MS_HOUR);

	if (window_ms > 0)
		return dec_muldiv(nano_to_dec(window_nano), month_ms, window_ms);
	return 0;
}

int64_t plan_alone(const struct composer *cp, const char *id)
{
	for (size_t i = 0; i < cp->alone.v.n; i++)
		if (!strcmp(cp->alone.v.v[i]->id, id))
			return cp->alone.v.v[i]->alone_nano;
	return UNKNOWN_NANO;
}

/* How sure a range from so little history can be, whatever the lever says of itself. */
static double confidence_cap(const struct range *r)
{
	/* 0.9: the range is from the 5th to the 95th percentile */
	if (r->single)
		return 0.5;
	if (r->days)
		return 0.75;
	return 0.9;
}

void plan_note_once(struct plan *p, const char *z)
{
	for (size_t i = 0; i < p->note.n; i++)
		if (!strcmp(p->note.v[i], z))
			return;
	*vec_push(&p->note) = z;
}

/* "aws p3 0.85": what is paid of list, of the families that do not pay it as it is. */
static void list_own_rates(const struct fleet *f, bool other_currency, struct str *out)
{
	for (size_t i = 0; i < f->own_rates.v.n; i++) {
		const struct own_rate *r = &f->own_rates.v.v[i];
		bool in_other = strcmp(r->list_currency, f->currency) != 0;
		if (in_other != other_currency ||
		    (!in_other && fabs(r->factor - 1) < OWN_RATE_NEAR))
			continue;
		str_addf(out, "%s%s %s %.4g", text_if(out->n, ", "), r->provider, r->family,
			 r->factor);
	}
}

/* What machines that nobody has yet are priced at, beside the list. */
static void tell_rates(const struct composer *cp, struct plan *p)
{
	const struct fleet *f = cp->fleet;

	if (f->in_gpu_hours)
		return;
	bool foreign = *f->currency && strcmp(f->currency, "USD") != 0;
	struct str own = { 0 }, cross = { 0 };
	char day[TM_BUF];
	struct exchange_found found;

	list_own_rates(f, false, &own);
	list_own_rates(f, true, &cross);
	if (own.n)
		plan_note_once(
			p,
			arena_printf(
				&p->mem,
				"machines you do not have yet are priced at what you pay of list (%s), families that you do not pay for at list price",
				str_z(&own)));
	if (cross.n)
		plan_note_once(
			p,
			arena_printf(
				&p->mem,
				"planned in %s: machines of families that you pay for are priced at what you pay for a dollar of list (%s)",
				f->currency, str_z(&cross)));
	if (foreign && exchange_at(&f->exchange, "USD", f->currency, cp->now_ms, -1, &found))
		plan_note_once(
			p, arena_printf(&p->mem,
					"planned in %s: other prices in USD x %.4f, the rate of %s",
					f->currency, dec_to_double(found.rate),
					tm_format_date(day, found.day_ms)));
	else if (foreign)
		plan_note_once(
			p,
			arena_printf(
				&p->mem,
				"planned in %s: spot markets and machines of other families lack an exchange rate of USD to %s, their prices were not used; tare import --as rates brings it",
				f->currency, f->currency));
	str_free(&own);
	str_free(&cross);
}

static void tell_notes(const struct composer *cp, const struct comp *c, struct plan *p)
{
	const struct fleet *f = cp->fleet;
	double days = (double)(f->until_ms - f->since_ms) / (double)MS_DAY;

	for (size_t i = 0; i < f->note.n; i++)
		plan_note_once(p, f->note.v[i]);
	for (size_t i = 0; i < c->note.n; i++)
		plan_note_once(p, c->note.v[i]);

	/* A name that is written otherwise freezes nobody, and nobody would see it. */
	for (size_t i = 0; i < cp->conf->frozen_team.n; i++) {
		const char *pattern = cp->conf->frozen_team.v[i];
		bool found = false;
		for (size_t w = 0; w < cp->fleet->workload.n && !found; w++)
			found = *cp->fleet->workload.v[w].team &&
				sv_glob(sv_of(cp->fleet->workload.v[w].team), sv_of(pattern));
		if (!found)
			plan_note_once(
				p,
				arena_printf(&p->mem,
					     "frozen_teams: no team of this history is called '%s'",
					     pattern));
	}

	tell_rates(cp, p);
	if (cp->range.single)
		plan_note_once(
			p,
			arena_printf(
				&p->mem,
				"%.1f days of history show no spread: ranges go from nothing to twice the saving; import more",
				days));
	else if (cp->range.days)
		plan_note_once(
			p,
			arena_printf(
				&p->mem,
				"%.1f days of history: ranges are drawn from days, not weeks, and weekends weigh little; import more",
				days));
}

dec plan_part(dec v, double frac)
{
	dec part = dec_muldiv(v, llround(fabs(frac) * 1e9), 1000000000);

	if (frac < 0)
		return -part;
	return part;
}

/* What is left of the baseline when this part of it is saved. */
static dec left_of(const struct plan *p, double frac)
{
	return p->baseline_month - plan_part(p->baseline_month, frac);
}

/* Medians of parts of a whole that drifts: none of them saves more than what it gives back costs.
 * after [n + 1] */
static void cap_medians(const struct comp *c, double cost, struct range_frac *after)
{
	double cut = 0, was = after[0].median;

	for (size_t i = 0; i < c->taken.v.n && cost > 0; i++) {
		double own = after[i + 1].median - was, most = c->spread.v[i].most / cost;
		was = after[i + 1].median;
		cut += fmax(own - most, 0);
		after[i + 1].median -= cut;
		after[i + 1].p05 = fmin(after[i + 1].p05, after[i + 1].median);
	}
}

/* Amounts of a month are differences of medians of what is left: they add up. */
static void take_all(const struct composer *cp, const struct comp *c, struct plan *p)
{
	size_t n = c->taken.v.n;
	struct range_frac *after = xcalloc(n + 1, sizeof *after);
	dec left = p->baseline_month;

	range_fracs(&cp->range, c->spread.v, n, 0, after);
	cap_medians(c, (double)p->baseline_nano, after);
	for (size_t i = 0; i < n; i++) {
		struct rec *r = c->taken.v.v[i];

		r->saving_nano = c->saving.v[i];
		spread_limits(&cp->range, &c->spread.v[i], &r->p05_nano, &r->p95_nano);
		r->alone_nano = plan_alone(cp, r->id);
		if (!(r->confidence_frac > 0) || r->confidence_frac > confidence_cap(&cp->range))
			r->confidence_frac = confidence_cap(&cp->range);
		*vec_push(&p->rec.v) = r;
		*vec_push(&p->p05_month) = plan_month(p, r->p05_nano);
		*vec_push(&p->p95_month) = plan_month(p, r->p95_nano);
		dec saving = left - left_of(p, after[i + 1].median);
		*vec_push(&p->saving_month) = saving;
		/* a part of a whole that drifts is not the amount that was replayed, to some
		 * cents */
		if (p->p05_month.v[i] > saving)
			p->p05_month.v[i] = saving;
		if (p->p95_month.v[i] < saving)
			p->p95_month.v[i] = saving;
		left = left_of(p, after[i + 1].median);
	}
	size_t from = 0;
	struct range_frac *own = xcalloc(n + 1, sizeof *own);
	dec rest = p->baseline_month;

	for (int t = 0; t < TIER_N; t++) {
		struct plan_tier *k = &p->tier[t];
		size_t to = from;
		while (to < n && (int)c->taken.v.v[to]->tier == t)
			k->bound_nano += c->taken.v.v[to++]->bound_nano;
		k->items = to - from;
		if (to > from) {
			range_fracs(&cp->range, c->spread.v, to, from, own);
			k->p05_month = plan_part(p->baseline_month, own[to].p05);
			k->p95_month = plan_part(p->baseline_month, own[to].p95);
		}
		k->after_month = left_of(p, after[to].median);
		k->saving_month = rest - k->after_month;
		rest = k->after_month;
		from = to;
	}
	free(own);
	p->draws = (struct plan_draws){ .n = cp->range.boot.ndraw, .safe = true };
	for (size_t i = 0; i < n; i++)
		p->draws.safe &= c->spread.v[i].safe;
	p->draws.before = xcalloc((size_t)p->draws.n * (n + 1) + 1, sizeof(double));
	p->draws.saved = p->draws.before + p->draws.n;
	range_draws(&cp->range, c->spread.v, n, p->draws.before, p->draws.saved);
	p->saving_frac = after[n].median;
	p->saving_frac_p05 = after[n].p05;
	p->saving_frac_p95 = after[n].p95;
	p->after_month = left;
	p->after_month_p05 = left_of(p, after[n].p95);
	p->after_month_p95 = left_of(p, after[n].p05);
	free(after);
}

void plan_fill(const struct composer *cp, const struct comp *c, struct plan *p)
{
	p->after_nano = c->cost_nano;
	p->replayed_month = plan_month(p, p->after_nano);
	/* Preparations alone are no plan: they are shown as advice. */
	bool prepare = true;
	for (size_t i = 0; i < c->taken.v.n; i++)
		prepare &= c->taken.v.v[i]->prepares;
	if (prepare)
		for (size_t i = 0; i < c->taken.v.n; i++) {
			c->taken.v.v[i]->advice = true;
			*vec_push(&p->advice.v) = c->taken.v.v[i];
		}
	else
		take_all(cp, c, p);
	for (size_t i = 0; i < c->refused.v.n; i++) {
		*vec_push(&p->refused.v) = c->refused.v.v[i];
		*vec_push(&p->refused_why) = c->why.v[i];
	}
	tell_notes(cp, c, p);
	plan_tell_left(cp, p);
}

void plan_free(struct plan *p)
{
	struct rec_list *l[] = { &p->rec, &p->advice, &p->refused };

	for (size_t k = 0; k < 3; k++) {
		for (size_t i = 0; i < l[k]->v.n; i++)
			rec_free(l[k]->v.v[i]);
		vec_free(&l[k]->v);
	}
	for (size_t i = 0; i < p->finding.n; i++) {
		vec_free(&p->finding.v[i].subject);
		vec_free(&p->finding.v[i].evidence);
		vec_free(&p->finding.v[i].action);
	}
	vec_free(&p->saving_month);
	vec_free(&p->p05_month);
	vec_free(&p->p95_month);
	vec_free(&p->refused_why);
	vec_free(&p->finding);
	vec_free(&p->note);
	vec_free(&p->left);
	vec_free(&p->sensitivity);
	vec_free(&p->pool);
	vec_free(&p->result);
	free(p->draws.before);
	arena_free(&p->mem);
	*p = (struct plan){ 0 };
}
