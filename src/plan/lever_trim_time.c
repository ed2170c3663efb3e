/*
 * Book the time that is used: where jobs of one kind come again and again and hold their cards long
 * after their last work, the booked time becomes p95 of the used time and some headroom. Every run
 * is replayed under it; a run that would have been cut counts as a missed deadline.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/tm.h"
#include "opt/rightsize.h"
#include "plan/levers.h"
#include "plan/work.h"

#define MIN_RUNS   3 /* of a kind, before it is a habit */
#define QUANTILE   0.95
#define STEP_MS    (5 * MS_MINUTE)
#define WORTH_FRAC 0.05 /* of what the kind costs: less is no over-booking */
/* a machine that goes at most this long after its job came for this job */
#define OWN_MACHINE_MS MS_HOUR

struct runs { /* of job */
	const char *pattern, *team, *workload, *cluster;
	int64_t gpus_milli;
	VEC(size_t) run;
};
struct habits {
	VEC(struct runs) v;
	struct intern key;
};

static bool is_run(const struct lever_in *in, size_t i)
{
	const struct work *w = &in->fleet->work.v[i];

	return w->kind == WORK_JOB && !w->notebook && *w->job &&
	       w->stats.covered_frac >= WORK_COVERED_FRAC && w->stats.last_busy_ms != UNKNOWN_MS &&
	       w->start_ms >= in->fleet->since_ms && w->end_ms > w->start_ms && w->cost_nano > 0;
}

static void collect(const struct lever_in *in, struct habits *k)
{
	struct str key = { 0 };
	struct arena scratch = { 0 };

	for (size_t i = 0; i < in->fleet->work.n; i++) {
		const struct work *w = &in->fleet->work.v[i];
		if (!is_run(in, i))
			continue;
		const char *pattern = work_pattern(&scratch, w);
		str_clear(&key);
		str_addf(&key, "%s\x1f%s\x1f%s\x1f%s\x1f%lld", pattern, w->team, w->workload,
			 w->cluster, (long long)w->gpus_milli);
		uint32_t id = intern_add(&k->key, str_sv(&key));
		if (id == k->v.n)
			*vec_push(&k->v) =
				(struct runs){ .pattern = arena_printf(in->mem, "%s", pattern),
					       .team = w->team,
					       .workload = w->workload,
					       .cluster = w->cluster,
					       .gpus_milli = w->gpus_milli };
		*vec_push(&k->v.v[id].run) = i;
	}
	str_free(&key);
	arena_free(&scratch);
}

static int64_t used_ms(const struct work *w)
{
	int64_t used = w->stats.last_busy_ms - w->start_ms, run = w->end_ms - w->start_ms;

	return used > run ? run : used < 0 ? 0 : used;
}

/* Of runs that came to their own end: what one needs that was cut or broke is not known. */
static int64_t limit_of(const struct lever_in *in, const struct runs *k, size_t *ret_runs)
{
	int64_t *used = xcalloc(k->run.n + 1, sizeof *used), limit;
	size_t n = 0;

	for (size_t i = 0; i < k->run.n; i++) {
		const struct work *w = &in->fleet->work.v[k->run.v[i]];
		if (work_completed(w) || sv_ieq(sv_of(w->end_state), SV("TIMEOUT")))
			used[n++] = used_ms(w);
	}
	limit = rightsize_time(used, n, QUANTILE, in->conf->trim_headroom_frac, STEP_MS);
	free(used);
	*ret_runs = n;
	return limit;
}

/* How long the machine is paid for after the job: not longer than it was where it came for this job
 * alone. */
static int64_t release_ms(const struct lever_in *in, const struct work *w)
{
	const struct fleet_node *n = w->node_index == SIZE_MAX ? NULL
							       : &in->fleet->node.v[w->node_index];

	if (!n || n->to_ms - w->end_ms <= OWN_MACHINE_MS)
		return 0;
	return (int64_t)((in->conf->idle_release_minutes + in->conf->boot_minutes) * MS_MINUTE);
}

static bool can_trim(const struct lever_in *in, size_t i)
{
	const struct work *w = &in->fleet->work.v[i];
	const struct use *u = &in->use[i];

	return u->end_ms > u->start_ms && u->cost_nano > 0 && u->start_ms == w->start_ms &&
	       u->stretch == 1 && work_fills_machine(in->fleet, w) &&
	       !work_is_frozen(in, w, "trim_time");
}

static void trim(const struct lever_in *in, struct rec *r, size_t i, int64_t limit)
{
	const struct work *w = &in->fleet->work.v[i];
	int64_t paid_to = w->start_ms + limit + release_ms(in, w), kept;

	/* A run that would be cut has to be done again: that is a miss, and no saving. */
	if (paid_to >= in->use[i].end_ms || used_ms(w) > limit || !can_trim(in, i))
		return;
	kept = work_cost_before(in->fleet, w, paid_to);
	if (kept >= w->cost_nano)
		return;
	struct rec_change *c = rec_change(in, r, (uint32_t)i);
	c->after.end_ms = paid_to;
	c->after.cost_nano = use_scaled(&in->use[i], kept, w->cost_nano);
}

static int64_t median_of(const struct lever_in *in, const struct runs *k, bool booked)
{
	int64_t *v = xcalloc(k->run.n + 1, sizeof *v), m;
	size_t n = 0;

	for (size_t i = 0; i < k->run.n; i++) {
		const struct work *w = &in->fleet->work.v[k->run.v[i]];
		v[n++] = !booked                     ? used_ms(w)
			 : w->limit_ms != UNKNOWN_MS ? w->limit_ms
						     : w->end_ms - w->start_ms;
	}
	m = rightsize_time(v, n, 0.5, 0, 1);
	free(v);
	return m;
}

static void tell(const struct lever_in *in, struct rec *r, const struct runs *k, int64_t limit,
		 size_t runs)
{
	int64_t booked = median_of(in, k, true), used = median_of(in, k, false);

	r->title = arena_printf(in->mem, "%s: book %.3g h, not %.3g h", k->pattern, hours_of(limit),
				hours_of(booked));
	r->team = k->team;
	r->effort_days = 1;
	r->within_days = 1;
	r->confidence_frac = runs >= 10 ? 0.95 : 0.85;
	rec_subject(in, r, "team", k->team);
	rec_subject(in, r, "workload", k->workload);
	rec_subject(in, r, "cluster", k->cluster);
	rec_subject(in, r, "name", k->pattern);
	rec_evidence(in, r, QUALITY_MEASURED, "runs of this kind", "", "job list", "%zu", k->run.n);
	rec_evidence(in, r, QUALITY_MEASURED, "last work after the start, median", "h", "telemetry",
		     "%.2f", hours_of(used));
	rec_evidence(in, r, QUALITY_MEASURED, "booked, median", "h", "job list", "%.2f",
		     hours_of(booked));
	rec_evidence(in, r, QUALITY_MEASURED, "p95 of the used time, with headroom", "h",
		     "telemetry", "%.2f", hours_of(limit));
	struct action *a = rec_action(r, ACTION_SUBMIT);
	a->which = (struct habit){ .team = raw_name(k->team),
				   .workload = raw_name(k->workload),
				   .cluster = raw_name(k->cluster),
				   .name = raw_name(k->pattern),
				   .gpus = (k->gpus_milli + 999) / 1000 };
	a->submit = (struct action_submit){
		.change = SUBMIT_LIMIT, .to = TO_ANY, .was.limit_ms = booked, .now.limit_ms = limit
	};
	rec_risk(in, r, "A run that takes more than %.3g h is cut; in replay %lld of %lld.",
		 hours_of(limit), (long long)r->replay.deadline_misses, (long long)r->replay.jobs);
}

static bool is_worth_it(const struct lever_in *in, const struct rec *r, const struct runs *k)
{
	double all = 0, saved = 0;

	for (size_t i = 0; i < k->run.n; i++)
		all += (double)in->use[k->run.v[i]].cost_nano;
	for (size_t i = 0; i < r->change.n; i++)
		saved += (double)(in->use[r->change.v[i].work].cost_nano -
				  r->change.v[i].after.cost_nano);
	return r->change.n && saved >= all * WORTH_FRAC;
}

static void propose(const struct lever_in *in, struct rec_list *out, const struct runs *k)
{
	size_t runs;
	int64_t limit = limit_of(in, k, &runs);
	struct rec_list probe = { 0 };
	struct rec *r;

	if (runs < MIN_RUNS || limit <= 0)
		return;
	r = rec_new(in, &probe, "trim_time",
		    arena_printf(in->mem, "%s-%s", *k->team ? k->team : "nobody", k->pattern));
	vec_free(&probe.v);
	for (size_t i = 0; i < k->run.n; i++) {
		const struct work *w = &in->fleet->work.v[k->run.v[i]];
		r->replay.jobs++;
		r->replay.deadline_misses += used_ms(w) > limit;
		trim(in, r, k->run.v[i], limit);
	}
	if (!is_worth_it(in, r, k)) {
		rec_free(r);
		return;
	}
	rec_risk_by_misses(r);
	tell(in, r, k, limit, runs);
	*vec_push(&out->v) = r;
}

int lever_trim_time_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct habits k = { 0 };

	(void)err;
	collect(in, &k);
	for (size_t i = 0; i < k.v.n; i++) {
		propose(in, out, &k.v.v[i]);
		vec_free(&k.v.v[i].run);
	}
	vec_free(&k.v);
	intern_free(&k.key);
	return 0;
}
