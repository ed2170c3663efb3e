/* What levers share in writing down a recommendation, and their names. */
#include "base/num.h"
#include "base/str.h"
#include "plan/lever/lever.h"

#include <ctype.h>
#include <xxhash.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/dec.h"
#include "base/tm.h"
#include "plan/levers.h"

int lever_index(const char *name)
{
	for (int i = 0; i < LEVER_N; i++)
		if (!strcmp(levers[i].name, name))
			return i;
	return -1;
}

const char *risk_name(enum risk r)
{
	static const char *const names[] = { "low", "medium", "high" };

	return names[r];
}

const char *tier_name(enum tier t)
{
	static const char *const names[] = { "sure", "trial", "binds" };

	return names[t];
}

const char *tier_label(enum tier t)
{
	static const char *const labels[] = { "Ready", "Try first", "Commit" };

	return labels[t];
}

const char *rec_tag(const struct lever_in *in, const struct rec *r)
{
	return arena_printf(in->mem, "%04x", XXH32(r->id, strlen(r->id), 0) & 0xffff);
}

struct price_query lever_price_query(const struct lever_in *in, const char *provider,
				     const char *region, const char *instance_type)
{
	return (struct price_query){ .provider = provider,
				     .region_glob = filled_or(region, NULL),
				     .instance_type = instance_type,
				     .at_ms = in->now_ms,
				     .currency = "*" };
}

void rec_tier(struct rec *r, enum tier t)
{
	if (t > r->tier)
		r->tier = t;
}

void rec_advise_trial(struct rec *r, const char *team)
{
	r->advice = true;
	rec_tier(r, TIER_TRIAL);
	r->risk = RISK_MEDIUM;
	r->effort_days = 3;
	r->within_days = 14;
	r->confidence_frac = 0.5;
	r->team = team;
}

/* ---- writing a recommendation ------------------------------------------------------------ */

static char id_char(char c)
{
	if (isalnum((unsigned char)c) || c == '.' || c == '_')
		return (char)tolower((unsigned char)c);
	return '-';
}

struct rec *rec_new(const struct lever_in *in, struct rec_list *out, const char *lever,
		    const char *id_tail)
{
	struct rec *r = arena_zalloc(in->mem, sizeof *r);

	r->lever = lever;
	r->about = arena_printf(in->mem, "%s", id_tail);

	/* Names that become alike in an id ("a b", "a/b") stay apart by a hash of what they were;
	 * the * and # of a habit's pattern ("eval-#") need none. */
	char *id = arena_printf(in->mem, "%s-%s", lever, id_tail);
	bool alike = false;
	for (char *p = id; *p; p++) {
		char c = id_char(*p);
		alike |= c == '-' && !strchr("-*#", *p);
		*p = c;
	}
	r->id = id;
	/* and so do those that differ in case alone */
	for (size_t i = 0; i < out->v.n && !alike; i++)
		alike = !strcmp(out->v.v[i]->id, id) && strcmp(out->v.v[i]->about, id_tail) != 0;
	if (alike)
		r->id = arena_printf(in->mem, "%s-%08x", id, XXH32(id_tail, strlen(id_tail), 0));
	r->title = r->team = "";
	r->replay.since_ms = in->fleet->since_ms;
	r->replay.until_ms = in->fleet->until_ms;
	r->replay.p99_before_ms = r->replay.p99_after_ms = r->replay.lost_load_frac = NAN;
	r->replay.p99_of_limit = NAN;
	*vec_push(&out->v) = r;
	return r;
}

void rec_subject(const struct lever_in *in, struct rec *r, const char *key, const char *value)
{
	if (value && *value)
		*vec_push(&r->subject) = (struct subject){ key,
							   arena_printf(in->mem, "%s", value) };
}

struct rec_change *rec_change(const struct lever_in *in, struct rec *r, uint32_t workload)
{
	struct rec_change *c = vec_push(&r->change);
	int i = lever_index(r->lever);

	*c = (struct rec_change){ .workload = workload, .after = in->use[workload] };
	c->lo_nano = c->hi_nano = INT64_MIN; /* not told: stage.c takes cost_nano */
	if (i >= 0)
		c->after.levers |= LEVER_BIT(i);
	return c;
}

const char *lever_rate_unit(const struct lever_in *in)
{
	const char *currency = in->fleet->currency;

	if (*currency && strcmp(currency, "USD"))
		return arena_printf(in->mem, "%s/GPU·h", currency);
	return "$/GPU·h";
}

const char *lever_rate_source(const struct lever_in *in, const struct rate *rate)
{
	const struct rate_scale scale = { rate->factor, rate->basis };
	const char *says = rate_says(in->mem, in->fleet->currency, &scale, rate->price_currency);
	char day[TM_BUF];

	if (rate->as_of_ms == UNKNOWN_MS)
		return arena_printf(in->mem, "%s%s%s", rate->source, text_if(*says, "; "), says);
	return arena_printf(in->mem, "%s, %s%s%s", rate->source,
			    tm_format_date(day, rate->as_of_ms), text_if(*says, "; "), says);
}

/* of lever_price_age(), all assumed: a list price holds for half a year */
#define YOUNG_MS      (182 * MS_DAY)
#define MOVES_YEAR    0.10 /* parts of it, a year, from then on */
#define MOVES_MOST    0.30
#define YEAR_DAYS     365.25
#define MONTH_DAYS    (YEAR_DAYS / 12)
#define DAYS_OF(span) ((double)(span) / (double)MS_DAY)

double lever_price_age(const struct lever_in *in, struct rec *r, enum rate_basis basis,
		       int64_t as_of_ms)
{
	char day[TM_BUF];

	if (basis == RATE_YOURS || basis == RATE_MARKET)
		return 0;
	if (as_of_ms == UNKNOWN_MS)
		return 0;
	int64_t age = in->fleet->until_ms - as_of_ms;
	if (age <= YOUNG_MS)
		return 0;
	double moved = fmin(MOVES_YEAR * DAYS_OF(age - YOUNG_MS) / YEAR_DAYS, MOVES_MOST);
	if (r)
		rec_risk(
			in, r,
			"the price it rests on is of %s, %.0f months before the history ends: it may have moved by %.0f %% or more, ask for today's first",
			tm_format_date(day, as_of_ms), DAYS_OF(age) / MONTH_DAYS, moved * 100);
	return moved;
}

void rec_tell_cost(const struct lever_in *in, struct rec *r, double nano, double gpu_ms)
{
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "what they cost in the window",
					.unit = in->fleet->currency, .source = "ledger" },
		     "%.2f", nano / 1e9);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "their GPU time", .unit = "GPU·h",
					.source = "ledger" },
		     "%.0f", gpu_ms / MS_HOUR);
}

void rec_evidence(const struct lever_in *in, struct rec *r, struct evidence e, const char *fmt, ...)
{
	char a[TM_BUF], b[TM_BUF];
	va_list ap;

	va_start(ap, fmt);
	e.value = arena_vprintf(in->mem, fmt, ap);
	e.unit = text_or(e.unit, "");
	e.window = arena_printf(in->mem, "%s/%s", tm_format(a, in->fleet->since_ms),
				tm_format(b, in->fleet->until_ms));
	*vec_push(&r->evidence) = e;
	va_end(ap);
}

struct action *rec_action(struct rec *r, enum action_kind kind)
{
	struct action *a = vec_push(&r->action);

	*a = (struct action){ .kind = kind };
	return a;
}

void rec_risk(const struct lever_in *in, struct rec *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*vec_push(&r->risk_text) = arena_vprintf(in->mem, fmt, ap);
	va_end(ap);
}

void plan_note(const struct lever_in *in, const char *fmt, ...)
{
	va_list ap;
	const char *z;

	va_start(ap, fmt);
	z = arena_vprintf(in->mem, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < in->note->n; i++) /* a lever may look several times */
		if (!strcmp(in->note->v[i], z))
			return;
	*vec_push(in->note) = z;
}

void rec_free(struct rec *r)
{
	vec_free(&r->subject);
	vec_free(&r->change);
	vec_free(&r->wait);
	vec_free(&r->depends_on);
	vec_free(&r->evidence);
	vec_free(&r->action);
	vec_free(&r->risk_text);
}

/* ---- money and time ---------------------------------------------------------------------- */

int64_t use_cost(int64_t nano_gpu_hour, int64_t gpus_milli, int64_t ms)
{
	return (int64_t)div_half_even((__int128)nano_gpu_hour * gpus_milli * ms,
				      (__int128)1000 * MS_HOUR);
}

int64_t use_ms(const struct fleet *f, const struct use *u)
{
	int64_t from = max_i64(u->start_ms, f->since_ms);
	int64_t to = min_i64(u->end_ms, f->until_ms);

	if (to <= from)
		return 0;
	return (int64_t)((double)(to - from) * (1 - u->off_frac));
}

/* ---- left alone -------------------------------------------------------------------------- */

static const char *field_of(const struct workload *w, const char *field)
{
	const struct {
		const char *name, *value;
	} of[] = {
		{ "team", w->team },         { "project", w->project }, { "env", w->env },
		{ "workload", w->workload }, { "user", w->user },       { "job", w->job },
		{ "name", w->name },         { "cluster", w->cluster }, { "node", w->node },
		{ "service", w->service },
	};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (!strcmp(of[i].name, field))
			return of[i].value;
	return NULL;
}

bool plan_rule_matches(const struct plan_rule *r, const struct workload *w)
{
	for (size_t i = 0; i < r->when.n; i++) {
		const char *v = field_of(w, r->when.v[i].field);
		if (!v || !*v || !sv_glob(sv_of(v), sv_of(r->when.v[i].glob)))
			return false;
	}
	return r->when.n > 0;
}

bool workload_is_frozen(const struct lever_in *in, const struct workload *w, const char *lever)
{
	const struct plan_conf *c = in->conf;

	for (size_t i = 0; i < c->frozen_team.n; i++)
		if (*w->team && sv_glob(sv_of(w->team), sv_of(c->frozen_team.v[i])))
			return true;
	for (size_t i = 0; i < c->rule.n; i++) {
		const struct plan_rule *r = &c->rule.v[i];
		bool out = r->frozen;
		for (size_t k = 0; k < r->opt_out.n && !out; k++)
			out = !strcmp(r->opt_out.v[k], lever);
		if (out && plan_rule_matches(r, w))
			return true;
	}
	return !w->elastic && w->kind != WORKLOAD_LINE;
}
