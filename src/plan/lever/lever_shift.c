/*
 * The other half of the lever schedule: jobs that can wait start in cheaper hours. Only where
 * prices change over time (price files with from and to, a spot market's history by the hour, a
 * tariff by the time of day), and only within each job's own deadline.
 *
 *   start_j = argmin over s in [start_j, deadline_j - need_j] of the predicted price of
 *             [s, s + need_j): opt/schedule/schedule.h, exact
 *
 * Nothing of that looks ahead: the price of an hour of the week is the mean of the *other* weeks'
 * (a tariff repeats and is known exactly, a market that does not repeat gives nothing), and the
 * time a job needs is p95 of the runs of its kind, else what was booked. The replay then pays what
 * the chosen hours cost really, keeps to the machines that the fleet had at its peak (a start for
 * which there is no room is not moved), and counts a job that ends late as a miss.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/size/rightsize.h"
#include "opt/schedule/schedule.h"
#include "plan/levers.h"
#include "plan/lever/schedule_in.h"
#include "plan/workload.h"

/* of a kind, before its p95 means anything; as in the lever trim_time */
#define MIN_RUNS        3
#define QUANTILE        0.95
#define NEED_STEP_MS    MS_MINUTE
#define MIN_GAIN_FRAC   0.01 /* predicted, of a job: below it prices are as good as equal */
#define MIN_SAVING_FRAC 0.03 /* replayed, of what the group costs; as between regions */
/* of a market's saving that may be gone once others start then too: assumed, the pessimistic end */
#define FADE_FRAC 0.5
#define MIN_WEEKS 2

struct market { /* a kind of machine at a place, bought one way */
	const char *provider, *region, *zone, *instance_type, *gpu_model, *purchase;
	bool varies;
	struct price_step *step; /* what was paid, in order of time; -1: not known */
	size_t n;
	/* [hours of the window] mean price of the hour, nano; NAN not known */
	double *hour;
	double *load; /* [hours] GPUs in use, on average */
	double peak;
};
struct runs {
	VEC(int64_t) run;
	int64_t need_ms;
};            /* runs of one kind of job */
struct team { /* a recommendation */
	const char *team, *cluster;
	size_t market;
	VEC(size_t) workload;
};
struct shift {
	const struct lever_in *in;
	int64_t from_ms;
	size_t hours;
	VEC(struct market) market;
	VEC(struct runs) kind;
	VEC(struct team) team;
	struct intern market_key, kind_key, team_key;
	struct arena mem;
	size_t *kind_of; /* [works] */
};

/* ---- prices ------------------------------------------------------------------------------ */

static int64_t paid_between(const struct shift *s, const struct market *m, int64_t from_ms,
			    int64_t to_ms)
{
	const struct price_series p = { m->n, m->step, s->in->fleet->until_ms };

	return price_between(&p, from_ms, to_ms);
}

/* What the other weeks say of this hour: the mean of the same hour of the week; -1 where none is
 * known. */
static int64_t predicted_price(const struct shift *s, const struct market *m, size_t h)
{
	double sum = 0;
	int n = 0;

	for (size_t k = h % WEEK_HOURS; k < s->hours; k += WEEK_HOURS)
		if (k != h && !isnan(m->hour[k])) {
			sum += m->hour[k];
			n++;
		}
	if (n >= MIN_WEEKS - 1)
		return llround(sum / n);
	return -1;
}

/* ---- who can wait ------------------------------------------------------------------------ */

static size_t market_of(struct shift *s, const struct use *u)
{
	struct str key = { 0 };

	str_addf(&key, "%s\x1f%s\x1f%s\x1f%s\x1f%s\x1f%s", u->provider, u->region, u->zone,
		 u->instance_type, u->gpu_model, u->purchase);
	uint32_t id = intern_add(&s->market_key, str_sv(&key));
	str_free(&key);
	if (id == s->market.n) {
		struct market *m = vec_push(&s->market);
		*m = (struct market){ u->provider,
				      u->region,
				      u->zone,
				      u->instance_type,
				      u->gpu_model,
				      u->purchase,
				      false,
				      NULL,
				      0,
				      NULL,
				      NULL,
				      0 };
		/* Steps of the catalogue's rows, with -1 between them and behind the last. */
		const struct fleet *f = s->in->fleet;
		struct price_row *row = NULL;
		VEC(struct price_step) step = { 0 };
		int64_t at = s->from_ms;
		struct err err;
		size_t n = 0;
		const struct price_over over = { .provider = m->provider,
						 .region = m->region,
						 .zone = m->zone,
						 .instance_type = m->instance_type,
						 .gpu_model = m->gpu_model,
						 .purchase = m->purchase,
						 .from_ms = s->from_ms,
						 .to_ms = f->until_ms };
		if (!s->in->catalog ||
		    catalog_price_over(s->in->catalog, &over, &row, &n, &err) < 0)
			n = 0;
		for (size_t i = 0; i < n; i++) {
			int64_t from = max_i64(row[i].from_ms, at),
				to = row[i].to_ms == UNKNOWN_MS || row[i].to_ms > f->until_ms
					     ? f->until_ms
					     : row[i].to_ms;
			struct rate_scale scale;
			if (from >= to || row[i].gpu_milli <= 0 || row[i].gpu_hour <= 0)
				continue;
			if (!dec_fits_nano(row[i].gpu_hour) ||
			    !fleet_rate_scale(f, &row[i], s->in->now_ms, &scale))
				continue;
			if (from > at)
				*vec_push(&step) = (struct price_step){ at, -1 };
			int64_t nano = dec_to_nano(row[i].gpu_hour);
			if (scale.factor != 1)
				nano = llround(fmin((double)nano * scale.factor, 9e18));
			*vec_push(&step) = (struct price_step){ from, nano };
			m->varies |= step.n > 1 && step.v[step.n - 2].nano_hour >= 0 &&
				     step.v[step.n - 2].nano_hour != step.v[step.n - 1].nano_hour;
			at = to;
		}
		if (at < f->until_ms)
			*vec_push(&step) = (struct price_step){ at, -1 };
		free(row);
		m->step = step.v;
		m->n = step.n;
	}
	return id;
}

static bool is_run(const struct workload *w)
{
	if (!workload_is_batch(w) || !*w->job)
		return false;
	return w->end_ms > w->start_ms && w->end_ms - w->start_ms < SCHEDULE_HELD_MS;
}

static void add_load(const struct shift *s, struct market *m, const struct workload *w, double sign)
{
	for (size_t k = 0; k < w->nhour; k++) {
		const struct workload_hour *h = &s->in->fleet->hour.v[w->hour0 + k];
		int64_t at = (h->hour_ms - s->from_ms) / MS_HOUR;
		if (at >= 0 && at < (int64_t)s->hours)
			m->load[at] += sign * (double)h->ms / (double)MS_HOUR;
	}
}

/* Works that can wait, by team and market; and of each market in question what all workloads held
 * in each hour. */
static void collect_teams(struct shift *s)
{
	const struct fleet *f = s->in->fleet;
	struct str key = { 0 };

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &s->in->fleet->workload.v[i];
		const struct use *u = &s->in->use[i];

		if (!is_run(w) || u->cost_nano <= 0 || u->start_ms != w->start_ms)
			continue;
		if (u->end_ms > w->end_ms || u->end_ms <= u->start_ms || w->start_ms < s->from_ms)
			continue;
		if (w->end_ms > s->in->fleet->until_ms || w->deadline_ms == UNKNOWN_MS ||
		    !use_is_history(w, u))
			continue;

		/* Own machines are there either way: what a tariff makes of their hours is all that
		 * moves, so that they take part where they have a price of their own. */
		struct workload as = *w;

		as.elastic |= !strcmp(w->purchase, "owned");
		if (workload_is_frozen(s->in, &as, "schedule"))
			continue;
		size_t m = market_of(s, &s->in->use[i]);
		if (!s->market.v[m].varies)
			continue;
		str_clear(&key);
		str_addf(&key, "%s\x1f%s\x1f%zu", f->workload.v[i].team, f->workload.v[i].cluster,
			 m);
		uint32_t id = intern_add(&s->team_key, str_sv(&key));
		if (id == s->team.n)
			*vec_push(&s->team) = (struct team){ .team = f->workload.v[i].team,
							     .cluster = f->workload.v[i].cluster,
							     .market = m };
		*vec_push(&s->team.v[id].workload) = i;
	}
	str_free(&key);
	for (size_t k = 0; k < s->market.n && s->team.n; k++) {
		struct market *m = &s->market.v[k];
		if (!m->varies)
			continue;
		m->hour = xcalloc(s->hours, sizeof *m->hour);
		for (size_t h = 0; h < s->hours; h++) {
			int64_t a = s->from_ms + (int64_t)h * MS_HOUR,
				b = min_i64(a + MS_HOUR, s->in->fleet->until_ms);
			int64_t nano = -1;
			if (a < b)
				nano = paid_between(s, m, a, b);
			m->hour[h] = nano < 0 ? NAN
					      : (double)nano * (double)MS_HOUR / (double)(b - a);
		}
		m->load = xcalloc(s->hours, sizeof(double));
	}
	for (size_t i = 0; i < f->workload.n && s->team.n; i++) {
		if (f->workload.v[i].kind == WORKLOAD_FREE ||
		    f->workload.v[i].kind == WORKLOAD_LINE ||
		    s->in->use[i].end_ms <= s->in->use[i].start_ms)
			continue;
		size_t at = market_of(s, &s->in->use[i]); /* may move them */
		struct market *m = &s->market.v[at];
		if (m->load)
			add_load(s, m, &f->workload.v[i], 1);
	}
	for (size_t m = 0; m < s->market.n; m++)
		for (size_t h = 0; s->market.v[m].load && h < s->hours; h++)
			s->market.v[m].peak = fmax(s->market.v[m].peak, s->market.v[m].load[h]);
}

/* ---- a job ------------------------------------------------------------------------------- */

/* Cheapest start by what the other weeks say; false where the job cannot wait or waiting is worth
 * nothing. */
static bool choose_start(struct shift *s, const struct market *m, size_t i, int64_t *ret_ms)
{
	const struct workload *w = &s->in->fleet->workload.v[i];
	const struct use *u = &s->in->use[i];
	int64_t need = s->kind.v[s->kind_of[i]].need_ms;
	if (!need && w->limit_ms != UNKNOWN_MS)
		need = w->limit_ms;
	else if (!need)
		need = u->end_ms - u->start_ms;
	int64_t until = min_i64(w->deadline_ms, s->in->fleet->until_ms);
	const struct schedule_job j = {
		.release_ms = u->start_ms, .deadline_ms = until, .length_ms = need, .units = 1
	};
	struct schedule_start best;
	struct err err;

	if (need <= 0 || u->start_ms + need >= until)
		return false;
	size_t first = (size_t)((u->start_ms - s->from_ms) / MS_HOUR),
	       last = (size_t)((until - 1 - s->from_ms) / MS_HOUR);
	struct price_step *step = xcalloc(last - first + 1, sizeof *step);
	for (size_t h = first; h <= last; h++)
		step[h - first] = (struct price_step){ s->from_ms + (int64_t)h * MS_HOUR,
						       predicted_price(s, m, h) };
	const struct price_series p = { last - first + 1, step, until };
	bool good = schedule_start(&p, &j, &best, &err) == 0 && best.feasible &&
		    best.now_nano > 0 && best.start_ms > u->start_ms &&
		    (double)best.cost_nano < (double)best.now_nano * (1 - MIN_GAIN_FRAC);
	free(step);
	*ret_ms = best.start_ms;
	return good;
}

struct tally {
	int64_t before, after, full, unpriced;
	int begin[24];
};

/* Moved, and paid at the prices that these hours really had. */
static void move_workload(struct shift *s, struct market *m, struct rec *r, size_t i,
			  int64_t start_ms, struct tally *t)
{
	const struct workload *w = &s->in->fleet->workload.v[i];
	const struct use *u = &s->in->use[i];
	int64_t run = u->end_ms - u->start_ms, old = paid_between(s, m, u->start_ms, u->end_ms);
	int64_t now = start_ms + run <= s->in->fleet->until_ms
			      ? paid_between(s, m, start_ms, start_ms + run)
			      : -1;
	double gpus = (double)u->gpus_milli / 1000;

	if (old <= 0 || now < 0) {
		t->unpriced++;
		return;
	}
	add_load(s, m, w, -1);

	/* GPUs of the job in every hour from its start on, within what the fleet has had at its
	 * peak. */
	int64_t end_ms = start_ms + run;
	size_t first = (size_t)((start_ms - s->from_ms) / MS_HOUR), last = first;
	bool room = true;
	for (; last < s->hours && s->from_ms + (int64_t)last * MS_HOUR < end_ms; last++)
		room &= m->load[last] + gpus <= m->peak + 1e-6;
	if (!room) {
		add_load(s, m, w, 1);
		t->full++;
		return;
	}
	for (size_t h = first; h < last; h++) {
		int64_t a = s->from_ms + (int64_t)h * MS_HOUR, b = a + MS_HOUR;
		a = max_i64(a, start_ms);
		b = min_i64(b, end_ms);
		m->load[h] += gpus * (double)(b - a) / (double)MS_HOUR;
	}
	struct rec_change *c = rec_change(s->in, r, (uint32_t)i);
	c->after.start_ms = start_ms;
	c->after.end_ms = start_ms + run;
	c->after.cost_nano = use_scaled(u, now, old);
	c->lo_nano = c->hi_nano = c->after.cost_nano;
	if (!strcmp(m->purchase, "spot") && c->after.cost_nano < u->cost_nano)
		c->hi_nano = c->after.cost_nano +
			     (int64_t)((double)(u->cost_nano - c->after.cost_nano) * FADE_FRAC);
	t->before += u->cost_nano;
	t->after += c->after.cost_nano;
	t->begin[week_hour(start_ms, 0) % 24]++;
	r->replay.deadline_misses += start_ms + run > w->deadline_ms;
}

/* ---- the proposal ------------------------------------------------------------------------ */

static void tell_shift(const struct shift *s, struct rec *r, const struct team *q,
		       const struct tally *t)
{
	const struct lever_in *in = s->in;
	const struct market *m = &s->market.v[q->market];
	const char *who = filled_or(q->team, "nobody"),
		   *what = filled_or(m->instance_type, m->gpu_model);
	int most = 0;

	for (int h = 1; h < 24; h++)
		if (t->begin[h] > t->begin[most])
			most = h;
	r->title = arena_printf(
		in->mem, "%s: start %zu job%s on %s (%s) in cheaper hours, most at %02d:00 UTC",
		who, r->change.n, plural(r->change.n), what, m->purchase, most);
	r->team = q->team;
	r->effort_days = 1;
	r->within_days = 2;
	r->confidence_frac = strcmp(m->purchase, "spot") ? 0.9 : 0.6;
	rec_subject(in, r, "team", q->team);
	rec_subject(in, r, "cluster", q->cluster);
	rec_subject(in, r, "instance_type", m->instance_type);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "jobs that can wait",
					.source = "job list, deadlines" },
		     "%zu, moved %zu", q->workload.n, r->change.n);
	rec_evidence(in, r,
		     (struct evidence){
			     QUALITY_ESTIMATED,
			     "what they cost at the prices of the new hours, of what they cost",
			     .unit = "frac", .source = "price history, each week by the others" },
		     "%.3f", (double)t->after / (double)t->before);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					"not moved: no room within the machines of the peak",
					.unit = "jobs", .source = "replay" },
		     "%lld", (long long)t->full);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "most GPUs in use at a time",
					.source = "ledger" },
		     "%.1f", m->peak);
	struct action *a = rec_action(r, ACTION_SUBMIT);
	a->which = (struct habit){ .team = raw_name(q->team),
				   .cluster = raw_name(q->cluster),
				   .instance_type = raw_name(m->instance_type) };
	a->submit = (struct action_submit){
		.change = SUBMIT_BEGIN, .to = TO_ANY, .was.begin_hour = -1, .now.begin_hour = most
	};
	rec_action(r, ACTION_TRIAL)->trial.how = TRIAL_SCHEDULE;
	rec_risk(
		in, r,
		"Results come later, within each job's deadline: %lld of %zu would have missed it in replay.",
		(long long)r->replay.deadline_misses, r->change.n);
	if (!strcmp(m->purchase, "spot"))
		rec_risk(in, r, "A spot market need not repeat its weeks: look again each month.");
}

static void propose_team(struct shift *s, struct rec_list *out, const struct team *q)
{
	struct market *m = &s->market.v[q->market];
	const char *who = filled_or(q->team, "nobody");
	struct tally t = { 0 };
	int64_t all = 0, start;

	struct rec *r = rec_new(
		s->in, out, "schedule",
		arena_printf(s->in->mem, "%s%s%s-hours-%s-%s", who, text_if(*q->cluster, "-"),
			     q->cluster, filled_or(m->instance_type, m->gpu_model), m->purchase));
	for (size_t k = 0; k < q->workload.n; k++) {
		all += s->in->use[q->workload.v[k]].cost_nano;
		if (choose_start(s, m, q->workload.v[k], &start))
			move_workload(s, m, r, q->workload.v[k], start, &t);
	}
	if (!r->change.n || (double)(t.before - t.after) < MIN_SAVING_FRAC * (double)all) {
		out->v.n--;
		rec_free(r);
		lever_left(s->in, "jobs that can wait", "hardly cheaper in other hours",
			   q->workload.n);
		return;
	}
	r->replay.jobs = (int64_t)r->change.n;
	rec_tier(r, TIER_TRIAL); /* results come later */
	r->risk = RISK_MEDIUM;
	rec_risk_by_misses(r);
	tell_shift(s, r, q, &t);
}

void schedule_shift(const struct lever_in *in, struct rec_list *out)
{
	struct shift s = { .in = in, .from_ms = tm_floor(in->fleet->since_ms, MS_HOUR) };

	s.hours = (size_t)((in->fleet->until_ms - s.from_ms + MS_HOUR - 1) / MS_HOUR);
	if (s.hours < (size_t)MIN_WEEKS * WEEK_HOURS)
		return;
	collect_teams(&s);
	/* How long runs of each kind take. */
	if (s.team.n) {
		const struct fleet *f = s.in->fleet;
		struct str key = { 0 };
		s.kind_of = xcalloc(f->workload.n + 1, sizeof *s.kind_of);
		for (size_t i = 0; i < f->workload.n; i++) {
			const struct workload *w = &f->workload.v[i];
			if (!is_run(w))
				continue;
			str_clear(&key);
			str_addf(&key, "%s\x1f%s\x1f%s\x1f%lld", workload_pattern(&s.mem, w),
				 workload_owner(w), w->cluster, (long long)w->gpus_milli);
			s.kind_of[i] = intern_add(&s.kind_key, str_sv(&key));
			if (s.kind_of[i] == s.kind.n)
				*vec_push(&s.kind) = (struct runs){ .need_ms = 0 };
			*vec_push(&s.kind.v[s.kind_of[i]].run) = s.in->use[i].end_ms -
								 s.in->use[i].start_ms;
		}
		for (size_t k = 0; k < s.kind.n; k++) {
			struct runs *q = &s.kind.v[k];
			if (q->run.n >= MIN_RUNS)
				q->need_ms = rightsize_time(q->run.v, q->run.n, QUANTILE, 0,
							    NEED_STEP_MS);
			else
				q->need_ms = 0;
			vec_free(&q->run);
		}
		str_free(&key);
	}
	for (size_t i = 0; i < s.team.n; i++)
		propose_team(&s, out, &s.team.v[i]);
	for (size_t i = 0; i < s.market.n; i++) {
		free(s.market.v[i].step);
		free(s.market.v[i].hour);
		free(s.market.v[i].load);
	}
	for (size_t i = 0; i < s.team.n; i++)
		vec_free(&s.team.v[i].workload);
	vec_free(&s.market);
	vec_free(&s.kind);
	vec_free(&s.team);
	intern_free(&s.market_key);
	intern_free(&s.kind_key);
	intern_free(&s.team_key);
	arena_free(&s.mem);
	free(s.kind_of);
}
