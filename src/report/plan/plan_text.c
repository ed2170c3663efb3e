/* Words and numbers that all formats of the plan share. */
#include "base/num.h"
#include "base/str.h"
#include "model/known.h"
#include "report/plan/plan_formats.h"

#include <math.h>
#include <stdio.h>

#include "base/tm.h"
#include "report/text.h"

const char *plan_mark_seen(const struct plan_mark *m)
{
	if (m->accepted && m->given_out)
		return "accepted, lines given out";
	if (m->word == PLAN_APPLIED)
		return "lines given out";
	return plan_word_name(m->word);
}

/* ---- money ------------------------------------------------------------------------------- */

const char *plan_unit(struct arena *a, const struct plan *p)
{
	const char *currency = "USD";

	if (p->fleet && p->fleet->currency)
		currency = p->fleet->currency;
	return arena_printf(a, "%s/month (%.10g h)",
			    strcmp(currency, "USD") ? text_line(a, sv_of(currency), 8) : "$",
			    p->month_hours);
}

bool plan_knows_cost(const struct plan *p)
{
	return p->fleet->workload.n && (p->baseline_month || !p->fleet->unpriced_ms);
}

int plan_digits(const struct plan *p)
{
	if (p->baseline_month < 1000 * DEC_ONE)
		return 2;
	return 0;
}

dec plan_round(dec v, int digits)
{
	dec unit = DEC_ONE;

	for (int i = 0; i < digits; i++)
		unit /= 10;
	return div_half_even(v, unit) * unit;
}

dec plan_saving(const struct plan *p)
{
	return p->baseline_month - p->after_month;
}

dec plan_shown(const struct plan *p, size_t i)
{
	int digits = plan_digits(p);
	dec left = p->baseline_month;

	for (size_t k = 0; k < i; k++)
		left -= p->saving_month.v[k];
	return plan_round(left, digits) - plan_round(left - p->saving_month.v[i], digits);
}

char *plan_money(struct arena *a, dec v, int digits)
{
	char buf[DEC_BUF];

	return arena_printf(a, "%s", dec_format_people(buf, v, digits));
}

double plan_frac(const struct plan *p, dec saved)
{
	return num_if(p->baseline_month > 0,
		      dec_to_double(saved) / dec_to_double(p->baseline_month));
}

char *plan_percent(struct arena *a, double frac)
{
	if (isnan(frac))
		return arena_printf(a, "-");
	if (frac > 0 && frac < 0.005)
		return arena_printf(a, "-<1 %%");
	if (fabs(frac) < 0.005)
		return arena_printf(a, "0 %%");
	return arena_printf(a, "%c%.0f %%", frac > 0 ? '-' : '+', fabs(frac) * 100);
}

/* In thousands from 10,000 on, in millions from a million on, where two numbers of so many digits
 * would only be noise. */
char *plan_range(struct arena *a, dec lo, dec hi)
{
	dec most = hi < 0 ? -lo : max_dec(hi, -lo);
	dec unit = 1;
	const char *k = "";
	int digits = 0;
	char l[DEC_BUF], h[DEC_BUF];

	if (most >= 1000000 * DEC_ONE) {
		unit = 1000000;
		k = " M";
	} else if (most >= 1000 * DEC_ONE) {
		unit = 1000;
		k = " K";
	}
	if (unit > 1 && most < 10 * unit * DEC_ONE)
		digits = 1;
	else if (most < DEC_ONE)
		digits = 2;
	if (lo == hi)
		/* nothing is saved by what only prepares */
		return arena_printf(a, lo ? "sure" : "-");
	dec_format_people(l, lo / unit, lo == 0 ? 0 : digits);
	dec_format_people(h, hi / unit, digits);
	if (!strcmp(l, h))
		return arena_printf(a, "%s%s", h, k);
	return arena_printf(a, lo < 0 ? "%s to %s%s" : "%s-%s%s", l, h, k);
}

void plan_shown_limits(const struct plan *p, size_t i, dec *ret_lo, dec *ret_hi)
{
	dec lo = p->p05_month.v[i], hi = p->p95_month.v[i], shown = plan_shown(p, i);

	/* what is shown was rounded so that the column adds up */
	*ret_lo = lo != hi && shown < lo ? shown : lo;
	*ret_hi = lo != hi && shown > hi ? shown : hi;
}

char *plan_range_of(struct arena *a, const struct plan *p, size_t i)
{
	dec lo, hi;

	plan_shown_limits(p, i, &lo, &hi);
	return plan_range(a, lo, hi);
}

char *plan_days(struct arena *a, double days)
{
	if (isfinite(days))
		return arena_printf(a, "%.*f", days < 10 && days != floor(days) ? 1 : 0, days);
	return arena_printf(a, "-");
}

/* ---- the list ---------------------------------------------------------------------------- */

char *plan_after(struct arena *a, const struct plan *p, size_t i)
{
	const struct rec *r = p->rec.v.v[i];
	struct str s = { 0 };

	for (size_t k = 0; k < r->depends_on.n; k++) {
		size_t at = 0;
		while (at < p->rec.v.n && strcmp(p->rec.v.v[at]->id, r->depends_on.v[k]) != 0)
			at++;
		if (at < p->rec.v.n)
			str_addf(&s, "%s%zu", s.n ? ", " : "after ", at + 1);
	}
	char *z = arena_strn(a, str_z(&s), s.n);
	str_free(&s);
	return z;
}

const char *plan_may_save(struct arena *a, const struct plan *p, const struct rec *r)
{
	int digits = plan_digits(p);
	const char *lo = plan_money(a, plan_month(p, r->p05_nano), digits),
		   *hi = plan_money(a, plan_month(p, r->p95_nano), digits);

	if (r->p95_nano <= 0)
		return "";
	if (strcmp(lo, hi))
		return arena_printf(a, "%s to %s %s", lo, hi, plan_unit(a, p));
	return arena_printf(a, "%s %s", hi, plan_unit(a, p));
}

bool plan_alone_known(const struct rec *r)
{
	return !r->advice && r->alone_nano != UNKNOWN_NANO;
}

dec plan_alone_month(const struct plan *p, const struct rec *r)
{
	if (plan_alone_known(r))
		return plan_month(p, r->alone_nano);
	return 0;
}

int64_t plan_worth(const struct rec *r)
{
	bool alone = r->alone_nano && r->alone_nano != UNKNOWN_NANO;
	int64_t worth = alone ? r->alone_nano : r->saving_nano;

	if (worth == UNKNOWN_NANO)
		return 0;
	return worth;
}

const struct plan_mark *plan_mark_of(const struct plan_view *v, const char *id)
{
	for (size_t i = v->nmark; i-- > 0;)
		if (!strcmp(v->mark[i].id, id))
			return &v->mark[i];
	return NULL;
}

int64_t plan_step_costs(const struct plan *p, size_t i, int64_t *cost)
{
	const struct rec *r = p->rec.v.v[i];

	for (size_t k = 0; k < r->change.n; k++)
		if (r->change.v[k].workload < p->fleet->workload.n)
			cost[r->change.v[k].workload] = r->change.v[k].after.cost_nano;
	return r->fee_nano;
}

/* ---- folding of the list ----------------------------------------------------------------- */

static bool is_small(const struct plan_view *v, size_t i)
{
	const struct plan *p = v->plan;
	double part = plan_frac(p, dec_size(p->saving_month.v[i]));

	return v->conf && !v->all && part < v->conf->gates.fold_frac;
}

static bool is_needed(const struct plan_view *v, const char *id)
{
	const struct plan *p = v->plan;

	for (size_t i = 0; i < p->rec.v.n; i++)
		for (size_t k = 0; k < p->rec.v.v[i]->depends_on.n; k++)
			if (!strcmp(p->rec.v.v[i]->depends_on.v[k], id) && !is_small(v, i))
				return true;
	return false;
}

bool plan_is_folded(const struct plan_view *v, size_t i)
{
	bool all_small = true;

	if (!is_small(v, i) || is_needed(v, v->plan->rec.v.v[i]->id))
		return false;
	for (size_t k = 0; k < v->plan->rec.v.n; k++)
		all_small = all_small && is_small(v, k);
	return !all_small;
}

char *plan_folded_words(struct arena *a, const struct plan_view *v)
{
	size_t n = 0;
	dec sum = 0;

	for (size_t i = 0; i < v->plan->rec.v.n; i++)
		if (plan_is_folded(v, i)) {
			n++;
			sum += plan_shown(v->plan, i);
		}
	if (!n)
		return arena_printf(a, "%s", "");
	return arena_printf(a, "%zu smaller one%s: %s (%s --all)", n, plural(n),
			    plan_money(a, sum, plan_digits(v->plan)),
			    text_or(v->again, "tare plan"));
}

/* ---- sentences --------------------------------------------------------------------------- */

static char *format_count(struct arena *a, int64_t n)
{
	char buf[DEC_BUF];

	return arena_printf(a, "%s", dec_format_people(buf, (dec)n * DEC_ONE, 0));
}

char *plan_replayed(struct arena *a, const struct plan *p)
{
	const struct rec_replay *r = &p->replay;
	int64_t since = p->fleet->since_ms, until = p->fleet->until_ms;
	const char *what = "";

	if (r->jobs > 0)
		what = arena_printf(a, ", %s job%s", format_count(a, r->jobs), plural(r->jobs));
	if (since == UNKNOWN_MS || until == UNKNOWN_MS || until <= since)
		return arena_printf(a, "%s", *what ? what + 2 : "");
	if (until - since < 2 * MS_DAY)
		return arena_printf(a, "replayed on %.0f h%s", (double)(until - since) / MS_HOUR,
				    what);
	return arena_printf(a, "replayed on %.0f days%s", (double)(until - since) / MS_DAY, what);
}

char *plan_in_replay(struct arena *a, const struct rec_replay *r)
{
	struct str s = { 0 };

	str_addf(&s,
		 "Carried out as printed, on your own history: %s cut, %s late, %s out of memory",
		 arena_printf(a, "%s %s", format_count(a, r->cut), r->cut == 1 ? "job" : "jobs"),
		 format_count(a, r->deadline_misses), format_count(a, r->oom));
	if (r->requeues > 0)
		str_addf(&s, ", %s requeued on the old shape (paid for)",
			 format_count(a, r->requeues));
	if (r->requests > 0)
		str_addf(&s, ", %s of %s requests over their limit",
			 format_count(a, r->slo_violations), format_count(a, r->requests));
	if (r->interruptions >= 0.05)
		str_addf(&s, ", %.1f interruptions expected", r->interruptions);
	if (isfinite(r->p99_before_ms) && isfinite(r->p99_after_ms))
		str_addf(&s, ", p99%s %.3g -> %.3g ms",
			 r->p99_service ? arena_printf(a, " of %s", r->p99_service) : "",
			 r->p99_before_ms, r->p99_after_ms);
	if (isfinite(r->lost_load_frac))
		str_addf(&s, ", load with one machine lost %.0f %%", r->lost_load_frac * 100);
	str_addz(&s, ".\n");
	char *z = arena_strn(a, str_z(&s), s.n);
	str_free(&s);
	return z;
}

/* What a recommendation would save alone and what the ones before it have already taken; the three
 * largest differences. */
char *plan_counted_once(struct arena *a, const struct plan *p)
{
	struct str s = { 0 };
	size_t best[3], n = 0;

	for (; n < 3; n++) {
		/* below half a percent of the bill it is no news */
		dec most = plan_round(p->baseline_month, 0) / 200;
		best[n] = SIZE_MAX;
		for (size_t i = 0; i < p->rec.v.n; i++) {
			const struct rec *r = p->rec.v.v[i];
			dec twice = plan_alone_month(p, r) - p->saving_month.v[i];
			bool taken = !plan_alone_known(r);
			for (size_t k = 0; k < n; k++)
				taken |= best[k] == i;
			if (!taken && twice > most) {
				most = twice;
				best[n] = i;
			}
		}
		if (best[n] == SIZE_MAX)
			break;
	}
	for (size_t k = 0; k < n; k++) {
		const char *earlier = "1";
		if (best[k] != 1)
			earlier = arena_printf(a, "1 to %zu", best[k]);
		str_addf(&s, "%s%zu is worth %s alone, %s after %s",
			 k ? "; " : "Not counted twice: ", best[k] + 1,
			 plan_money(a, plan_alone_month(p, p->rec.v.v[best[k]]), plan_digits(p)),
			 plan_money(a, plan_shown(p, best[k]), plan_digits(p)), earlier);
	}
	if (n)
		str_addz(&s, ".\n");
	char *z = arena_strn(a, str_z(&s), s.n);
	str_free(&s);
	return z;
}

char *plan_sureness(struct arena *a, const struct plan *p)
{
	if (p->exact || !p->rec.v.n)
		return arena_printf(a, "%s", "");
	dec bound = plan_month(p, p->bound_nano);
	return arena_printf(a,
			    "Not proven to be the best set of these: none costs less than %s %s.\n",
			    plan_money(a, bound, plan_digits(p)), plan_unit(a, p));
}

static double case_frac(const struct plan_case *k)
{
	return num_if(k->baseline_nano > 0,
		      (double)(k->baseline_nano - k->after_nano) / (double)k->baseline_nano);
}

/* Between the case in which the plan saves least and the one in which it saves most. */
char *plan_sensitive(struct arena *a, const struct plan *p)
{
	const struct plan_case *lo = NULL, *hi = NULL;

	for (size_t i = 0; i < p->sensitivity.n; i++) {
		const struct plan_case *k = &p->sensitivity.v[i];
		if (isnan(case_frac(k)))
			continue;
		if (!lo || case_frac(k) < case_frac(lo))
			lo = k;
		if (!hi || case_frac(k) > case_frac(hi))
			hi = k;
	}
	if (!lo)
		return arena_printf(a, "%s", "");
	if (lo == hi)
		return arena_printf(a, "The same plan would save %.0f %% with %s.\n",
				    case_frac(lo) * 100, lo->name);
	if (fabs(case_frac(hi) - case_frac(lo)) < 0.005)
		return arena_printf(
			a, "The same plan would save %.0f %% in all cases tried, from %s to %s.\n",
			case_frac(lo) * 100, p->sensitivity.v[0].name,
			p->sensitivity.v[p->sensitivity.n - 1].name);
	return arena_printf(a, "The same plan would save %.0f %% with %s, %.0f %% with %s.\n",
			    case_frac(lo) * 100, lo->name, case_frac(hi) * 100, hi->name);
}

char *plan_left_out(struct arena *a, const struct plan_view *v)
{
	const char *again = text_or(v->again, "tare plan");
	size_t n = v->plan->refused.v.n, early = 0;

	for (size_t i = 0; i < n; i++)
		early += v->plan->refused.v.v[i]->not_yet != NULL;
	if (early)
		return arena_printf(
			a, "Not yet: %zu need%s more history. Left out: %zu (%s --refused)", early,
			text_if(early == 1, "s"), n, again);
	/* no sum: most are other ways to do what is in the plan */
	if (n)
		return arena_printf(a, "Left out: %zu (%s --refused)", n, again);
	return arena_printf(a, "%s", "");
}

/* ---- folding ----------------------------------------------------------------------------- */

void plan_paste(struct arena *a, const char *title, const struct text_list *l, struct str *out)
{
	bool here = false; /* inside of a here-document */

	str_addf(out, "\n%s\n", title);
	for (size_t i = 0; i < l->n; i++) {
		str_addf(out, "%s%s\n", text_if(!here, "  "), text_line(a, sv_of(l->v[i]), 0));
		here = here ? strcmp(l->v[i], "END") != 0 : strstr(l->v[i], "<<'END'") != NULL;
	}
	if (!l->n)
		str_addz(out, "  # (nothing)\n");
}

void plan_fold(struct str *out, const char *s, int indent, int width)
{
	int used = indent;
	bool fresh = true; /* nothing on this line yet */

	while (*s) {
		size_t n = text_word(sv_of(s));
		int room = max_int(width - indent, 3), all = text_width((struct sv){ s, n }),
		    w = min_int(all, room);
		if (!fresh && used + 1 + w > width) {
			str_addf(out, "\n%*s", indent, "");
			used = indent;
			fresh = true;
		}
		if (n && !fresh) {
			str_addc(out, ' ');
			used++;
		}

		/* A word wider than a line (a name from outside may have 256 bytes) loses its
		 * middle. Formats for programs have it whole. */
		struct sv word = (struct sv){ s, n };
		struct arena a = { 0 };
		bool is_command = memchr(word.p, ' ', word.n) != NULL; /* text_word() */

		if (all <= room || is_command)
			str_addsv(out, word);
		else
			str_addz(out, text_line(&a, word, room));
		arena_free(&a);

		used += w;
		fresh = fresh && !n;
		s += n;
		if (*s == '\n' && s[1]) {
			str_addf(out, "\n%*s", indent, "");
			used = indent;
			fresh = true;
		}
		s += *s != 0;
	}
	str_addc(out, '\n');
}

/* ---- target ------------------------------------------------------------------------------ */

static const struct {
	const char *about, *option, *instead;
} limits[LIMIT_N] = {
	[LIMIT_RISK] = { "risk", "--risk", " --risk high" },
	[LIMIT_EFFORT] = { "effort", "--effort", "" },
	[LIMIT_LEVERS] = { "the levers", "--lever", "" },
	[LIMIT_LEAST_SAVING] = { "the least saving", "--min-saving", " --min-saving 0" },
};

/* The command without an option and its value. */
static const char *without_option(struct arena *a, const char *command, const char *option)
{
	const char *at = strstr(command, option), *rest;
	size_t n = strlen(option);

	if (!at || at == command || at[-1] != ' ' || (at[n] != ' ' && at[n] != '='))
		return command;
	rest = at + n + 1;
	rest += strcspn(rest, " ");
	return arena_printf(a, "%.*s%s", (int)(at - 1 - command), command, rest);
}

/* "3.1 % (275 $/month (730 h))" */
static const char *amount_of(struct arena *a, const struct plan_view *v, double frac)
{
	if (!plan_knows_cost(v->plan))
		return arena_printf(a, "%.1f %%", frac * 100);
	return arena_printf(
		a, "%.1f %% (%s %s)", frac * 100,
		plan_money(a, plan_part(v->plan->baseline_month, frac), plan_digits(v->plan)),
		plan_unit(a, v->plan));
}

const char *plan_limits_sentence(struct arena *a, const struct plan_view *v)
{
	const char *command = text_or(v->again, "tare plan"), *instead = "", *list = "";
	bool alone = false;

	if (!v->target_limit_frac) /* not asked for */
		return "";
	for (int l = 0; l < LIMIT_N; l++)
		alone |= v->target_limit_frac[l] >= TARGET_ADDS_FRAC;
	bool time = v->target_most_frac > v->target_reached_frac + TARGET_ADDS_FRAC;
	if (v->target_limits_frac < TARGET_ADDS_FRAC && time)
		return "Only the time holds something back, no limit of risk, effort, levers or least saving.";
	if (v->target_limits_frac < TARGET_ADDS_FRAC)
		return "No limit of time, risk, effort, levers or least saving holds anything back.";
	for (int l = 0; l < LIMIT_N; l++) {
		double frac = v->target_limit_frac[l];
		if (alone && frac < TARGET_ADDS_FRAC)
			continue;
		if (alone)
			list = arena_printf(a, "%s%s%s %s", list, text_if(*list, ", "),
					    limits[l].about, amount_of(a, v, frac));
		command = without_option(a, command, limits[l].option);
		instead = arena_printf(a, "%s%s", instead, limits[l].instead);
	}
	if (!alone)
		list = arena_printf(a, "together %s", amount_of(a, v, v->target_limits_frac));
	return arena_printf(a, "Held back by limits: %s. Without these: %s%s", list, command,
			    instead);
}

char *plan_target_sentence(struct arena *a, const struct plan_view *v)
{
	char day[TM_BUF];
	const char *then = plan_percent(a, v->target_reached_frac);
	const char *want = plan_percent(a, v->target_frac),
		   *chance = arena_printf(a, "%.0f %%", 100 * v->target_chance_frac);

	tm_format_date(day, v->target_ms);
	bool limited = v->target_limits_frac >= TARGET_ADDS_FRAC;
	if (!v->plan->rec.v.n && !limited && plan_knows_cost(v->plan)) {
		const char *why =
			"nothing that is known yet can be decided on, so nothing counts towards it";
		if (v->target_most_frac >= TARGET_ADDS_FRAC && !isnan(v->target_soonest_day)) {
			char soonest[TM_BUF];
			tm_format_date(soonest,
				       v->now_ms + (int64_t)(v->target_soonest_day * MS_DAY));
			why = arena_printf(
				a,
				"out of reach, as nothing is in force by then. The first of what is known is on %s; all of it saves %s with more time",
				soonest, amount_of(a, v, v->target_most_frac));
		}
		return arena_printf(a, "Target %s by %s, %s %s less: %s.\n", want, day,
				    plan_money(a,
					       plan_part(v->plan->baseline_month, v->target_frac),
					       plan_digits(v->plan)),
				    plan_unit(a, v->plan), why);
	}
	if (v->target_reached)
		return arena_printf(
			a,
			"Target %s by %s: met with a probability of %s by these steps, those with the least risk and the least that binds; %s in force then.\n",
			want, day, chance, then);
	double gap = v->target_frac - v->target_reached_frac;
	const char *less = "";
	if (gap > 0 && plan_knows_cost(v->plan))
		less = arena_printf(a, ", %s %s short of it",
				    plan_money(a, plan_part(v->plan->baseline_month, gap),
					       plan_digits(v->plan)),
				    plan_unit(a, v->plan));
	return arena_printf(
		a,
		"Target %s by %s: out of reach. These steps come nearest: %s in force then%s, the target met with a probability of "
		"%s (95 %% are asked for)%s. %s\n",
		want, day, then, less, chance,
		text_if(v->target_most_frac > v->target_reached_frac,
			arena_printf(a, "; with more time %s",
				     plan_percent(a, v->target_most_frac))),
		plan_limits_sentence(a, v));
}

/* ---- how sure ---------------------------------------------------------------------------- */

struct text_list plan_measured(struct arena *a, const struct plan *p)
{
	const struct fleet *f = p->fleet;
	size_t by_quality[QUALITY_N] = { 0 };
	struct text_list l = { 0 };
	char *share[2];

	for (size_t i = 0; i < p->rec.v.n; i++)
		for (size_t k = 0; k < p->rec.v.v[i]->evidence.n; k++)
			by_quality[p->rec.v.v[i]->evidence.v[k].quality]++;
	text_shares(a, f->gpu_ms, 2, (const __int128[]){ f->measured_ms, f->unknown_ms }, share);
	*vec_push(&l) = arena_printf(
		a,
		"Measured: the cost (the ledger adds up to the bill) and what %s of the GPU time did.",
		share[0]);
	if (f->unknown_ms > 0)
		*vec_push(&l) = arena_printf(
			a,
			"Unknown: %s of the GPU time has no reading. It counts as neither busy nor idle, and saves nothing here.",
			share[1]);
	if (f->unpriced_ms > 0)
		*vec_push(&l) =
			arena_printf(a, "Without a price: %s of the GPU time. It is in no amount.",
				     text_share(a, f->unpriced_ms, f->gpu_ms));
	if (p->rec.v.n)
		*vec_push(&l) = arena_printf(
			a,
			"Estimated: the saving of each change, by replaying it on this history; ranges are the 5th and 95th percentile over "
			"resampled weeks and prices. Of the evidence %zu figures are measured, %zu estimated, %zu assumed.",
			by_quality[QUALITY_MEASURED], by_quality[QUALITY_ESTIMATED],
			by_quality[QUALITY_ASSUMED]);
	return l;
}

/* The one word in which two sentences differ, as what comes before it; false where it is more or
 * less than one. */
static bool one_word(const char *x, const char *y, size_t *ret_at, size_t *ret_nx, size_t *ret_ny)
{
	size_t at = 0, nx = strlen(x), ny = strlen(y);

	while (x[at] && x[at] == y[at])
		at++;
	while (at > 0 && x[at - 1] != ' ')
		at--;
	while (nx > at && ny > at && x[nx - 1] == y[ny - 1]) {
		nx--;
		ny--;
	}
	while (x[nx] && x[nx] != ' ' && x[nx] != ',') /* up to the end of the word */
	{
		nx++;
		ny++;
	}
	*ret_at = at;
	*ret_nx = nx - at;
	*ret_ny = ny - at;
	if (at == 0 || nx <= at || ny <= at)
		return false;
	return !memchr(x + at, ' ', nx - at) && !memchr(y + at, ' ', ny - at);
}

struct text_list plan_notes(struct arena *a, const struct plan *p)
{
	struct text_list out = { 0 };
	bool *used = arena_zalloc(a, p->note.n + 1);

	for (size_t i = 0; i < p->note.n; i++) {
		size_t at = 0, nx, ny, at0 = 0, n0 = 0;
		struct str words = { 0 };
		if (used[i])
			continue;
		for (size_t k = i + 1; k < p->note.n; k++) {
			if (used[k] || !one_word(p->note.v[i], p->note.v[k], &at, &nx, &ny))
				continue;
			if (words.n && (at != at0 || nx != n0))
				continue;
			at0 = at;
			n0 = nx;
			used[k] = true;
			str_addf(&words, ", %.*s", (int)ny, p->note.v[k] + at);
		}
		const char *note = p->note.v[i];
		if (words.n)
			note = arena_printf(a, "%.*s%s%s", (int)(at0 + n0), note, str_z(&words),
					    note + at0 + n0);
		*vec_push(&out) = note;
		str_free(&words);
	}
	return out;
}

struct text_list plan_assumed(struct arena *a, const struct plan_view *v)
{
	struct text_list l = { 0 };
	const struct plan_conf *c = v->conf;

	*vec_push(&l) = arena_printf(
		a,
		"A month is %.10g hours. The months ahead are like the history, unless a line above says otherwise.",
		v->plan->month_hours);
	if (c) {
		const char *term = strcmp(c->max_term, "3y") ? "one year" : "three years";
		if (!strcmp(c->max_term, "none"))
			term = "none at all";
		*vec_push(&l) = arena_printf(
			a,
			"A job may take as long as was booked for it, or %.0f %% longer than it took, whichever is more.",
			c->deadline_slack_frac * 100);
		*vec_push(&l) = arena_printf(
			a,
			"Capital costs %.3g %% a year; a GPU type is outdated within a year with a chance of %.3g %%; the longest commitment is %s.",
			c->wacc_frac * 100, c->outdated_year_frac * 100, term);
	}
	if (v->asked && *v->asked)
		*vec_push(&l) = arena_printf(a, "Asked for with: tare plan %s", v->asked);
	return l;
}

void plan_print(const struct plan_view *v, enum out_format f, struct str *out)
{
	switch (f) {
	case OUT_JSON: plan_json(v, out); break;
	case OUT_CSV: plan_csv(v, out); break;
	case OUT_MD: plan_md(v, out); break;
	case OUT_HTML: plan_html(v, out); break;
	case OUT_XLSX: /* of reports alone */
	case OUT_TABLE: plan_table(v, out);
	}
}
