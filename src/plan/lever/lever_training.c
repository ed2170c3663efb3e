/*
 * Training techniques with money from the team's own runs: the curves of their trackers
 * (fleet.curve) and the job list decide what opt/run/early_stop.h, opt/schedule/rerun.h and
 * opt/run/sweep.h say. Advice: what is saved is work not done, and only people know whether it was
 * wanted; so nothing of it is in a sum.
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/job_end.h"
#include "opt/size/curve.h"
#include "opt/run/early_stop.h"
#include "opt/schedule/rerun.h"
#include "opt/run/sweep.h"
#include "plan/alone/habit_names.h"
#include "plan/lever/training.h"
#include "plan/workload.h"

#define EARLY_RUNS   5 /* of a kind, before a patience is read off them */
#define EARLY_POINTS 8 /* of a run's curve: fewer show no plateau */
#define EARLY_DRAWS  400
#define SWEEP_RUNS   8            /* of one kind by one owner: somebody is tuning */
#define SWEEP_GAP_MS (3 * MS_DAY) /* without a run: another sweep */
#define SWEEP_SURE   0.95

/* ---- a run of the ledger, with the curve that tells most ---------------------------------- */

struct train_run {
	const char *job, *owner, *team, *user, *name, *pattern;
	const char *config;              /* "" = not told */
	const struct fleet_curve *curve; /* NULL: none that tells */
	const char *untold;              /* a metric that does not tell, NULL */
	bool higher;
	int64_t start_ms, end_ms, gpus_milli;
	bool completed, failed;
	double cost_nano; /* of all its machines */
	double gpu_ms;
};
struct train_runs {
	struct arena mem; /* names of kinds of a million jobs need not live as long as the plan */
	VEC(struct train_run) v;
	const char **pattern; /* [fleet.workload.n] of their names, * for what differs */
	struct intern job;
	VEC(size_t) of_job; /* [job] */
	/* runs none of whose metrics tells a direction, and one of these */
	size_t untold;
	const char *such;
};

static bool is_run(const struct workload *w)
{
	if (w->kind != WORKLOAD_JOB || w->notebook || !*w->job)
		return false;
	return w->start_ms != UNKNOWN_MS && w->end_ms > w->start_ms &&
	       strcmp(w->workload, "inference") != 0;
}

static void add_workload(const struct lever_in *in, struct train_runs *t, size_t i)
{
	const struct workload *w = &in->fleet->workload.v[i];
	uint32_t id = intern_add(&t->job, sv_of(w->job));

	if (id == t->of_job.n) {
		const char *pattern = t->pattern[i];
		if (!*pattern) /* jobs without a name by their id */
			pattern = workload_pattern(&t->mem, w);
		*vec_push(&t->of_job) = t->v.n;
		*vec_push(&t->v) = (struct train_run){ .job = w->job,
						       .owner = workload_owner(w),
						       .team = w->team,
						       .user = w->user,
						       .name = w->name,
						       .pattern = pattern,
						       .config = "",
						       .start_ms = w->start_ms,
						       .end_ms = w->end_ms,
						       .completed = workload_completed(w),
						       .failed = job_end_of(sv_of(w->end_state)) ==
								 JOB_END_FAILED };
	}
	struct train_run *r = &t->v.v[t->of_job.v[id]];
	r->start_ms = min_i64(w->start_ms, r->start_ms);
	r->end_ms = max_i64(w->end_ms, r->end_ms);
	r->gpus_milli += w->gpus_milli;
	/* what it did cost, also on a machine that stands idle now */
	r->cost_nano += (double)(in->use[i].cost_nano + fleet_moved_nano(in->fleet, i));
	r->gpu_ms += (double)w->ms;
	r->failed |= job_end_of(sv_of(w->end_state)) == JOB_END_FAILED;
	r->completed &= workload_completed(w);
}

/* Validation tells more than training, more points than fewer, then the first by name. */
static bool tells_more(const struct fleet_curve *a, const struct fleet_curve *b)
{
	bool va = curve_is_validation(a->metric), vb = curve_is_validation(b->metric);

	if (va != vb)
		return va;
	size_t na = a->npoint * a->every, nb = b->npoint * b->every;

	if (na != nb)
		return na > nb;
	return strcmp(a->metric, b->metric) < 0;
}

static void add_curves(const struct lever_in *in, struct train_runs *t)
{
	const struct fleet *f = in->fleet;

	for (size_t i = 0; i < f->curve.n; i++) {
		const struct fleet_curve *c = &f->curve.v[i];
		int64_t id = intern_find(&t->job, sv_of(c->job));
		struct train_run *r = id < 0 ? NULL : &t->v.v[t->of_job.v[id]];
		enum better b;
		if (c->better != BETTER_UNKNOWN)
			b = c->better;
		else
			b = curve_better(c->metric);
		if (!*c->job || !r)
			continue;
		if (*c->config)
			r->config = c->config;
		if (b == BETTER_UNKNOWN) {
			r->untold = c->metric;
			continue;
		}
		if (!r->curve || tells_more(c, r->curve)) {
			r->curve = c;
			r->higher = b == BETTER_HIGHER;
		}
	}
	for (size_t i = 0; i < t->v.n; i++)
		if (t->v.v[i].untold && !t->v.v[i].curve) {
			t->untold++;
			if (!t->such)
				t->such = t->v.v[i].untold;
		}
}

static int by_text(const char *a, const char *b)
{
	if (a == b)
		return 0;
	return strcmp(a, b);
}

static const char *metric_told(const struct train_run *r)
{
	if (r->curve)
		return r->curve->metric;
	return "";
}

/* By owner, pattern of the name and metric, then by end. */
static int by_group(const void *pa, const void *pb)
{
	const struct train_run *a = pa, *b = pb;
	int c = by_text(a->owner, b->owner);

	if (!c)
		c = by_text(a->pattern, b->pattern);
	if (!c)
		c = by_text(metric_told(a), metric_told(b));
	if (c || a->end_ms != b->end_ms) {
		if (c)
			return c;
		return cmp_i64(a->end_ms, b->end_ms);
	}
	return strcmp(a->job, b->job);
}

/* By owner, then by what is submitted, then by start. */
static int by_kind(const void *pa, const void *pb)
{
	const struct train_run *a = pa, *b = pb;
	int c = by_text(a->owner, b->owner);

	if (!c)
		c = by_text(a->user, b->user);
	if (!c)
		c = by_text(a->name, b->name);
	if (c || a->gpus_milli != b->gpus_milli) {
		if (c)
			return c;
		return cmp_i64(a->gpus_milli, b->gpus_milli);
	}
	if (a->start_ms != b->start_ms)
		return cmp_i64(a->start_ms, b->start_ms);
	return strcmp(a->job, b->job);
}

static bool same_group(const struct train_run *a, const struct train_run *b)
{
	bool curves = a->curve && b->curve && !strcmp(a->curve->metric, b->curve->metric);

	return curves && !strcmp(a->owner, b->owner) && !strcmp(a->pattern, b->pattern);
}

static bool same_kind(const struct train_run *a, const struct train_run *b)
{
	if (a->gpus_milli != b->gpus_milli || strcmp(a->owner, b->owner))
		return false;
	return !strcmp(a->user, b->user) && !strcmp(a->name, b->name);
}

/* ---- what is written down ----------------------------------------------------------------- */

struct amount {
	double lo, mid, hi; /* nano, over the window */
};

/* Worth a line: as much of the fleet's cost as an item of the plan must be. */
static bool is_worth(const struct lever_in *in, double nano)
{
	return nano > 0 && nano >= (double)in->fleet->cost_nano * in->conf->gates.fold_frac;
}

/* Of submissions of its owner; by name too where it is about runs of one name. */
static struct rec *new_advice(const struct lever_in *in, struct rec_list *out, const char *tail,
			      const struct train_run *of, enum technique t, struct amount a)
{
	struct rec *r = rec_new(in, out, "advice", tail);
	struct action *act;

	r->advice = true;
	r->risk = RISK_HIGH;
	r->tier = TIER_TRIAL;
	r->confidence_frac = 0.5;
	r->effort_days = 2;
	r->within_days = 30;
	r->team = of->owner;
	r->p05_nano = (int64_t)fmin(a.lo, a.mid);
	r->p95_nano = (int64_t)fmax(a.hi, a.mid);
	r->saving_nano = (int64_t)a.mid;
	act = rec_action(r, ACTION_TECHNIQUE);
	act->technique.technique = t;
	act->which.team = raw_name(of->team);
	if (!*of->team)
		act->which.user = raw_name(of->user);
	rec_subject(in, r, "owner", of->owner);
	return r;
}

static void name_runs(const struct lever_in *in, struct rec *r, const struct train_run *of)
{
	if (*of->name)
		r->action.v[0].which.name =
			raw_name(arena_strn(in->mem, of->pattern, strlen(of->pattern)));
	rec_subject(in, r, "name", of->pattern);
	rec_subject(in, r, "metric", of->curve->metric);
}

/* "5 runs", "1 run" */
static const char *runs_text(const struct lever_in *in, size_t n)
{
	return arena_printf(in->mem, "%zu run%s", n, plural(n));
}

static void tell_cost(const struct lever_in *in, struct rec *r, size_t runs, double cost, double ms)
{
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "runs looked at",
					.source = "job list, curves" },
		     "%zu", runs);
	rec_tell_cost(in, r, cost, ms);
}

/* ---- early stopping ----------------------------------------------------------------------- */

static bool shows_an_end(const struct train_run *r)
{
	/* a run that people stopped, or that failed, would have gone on */
	if (!r->completed || !r->curve)
		return false;
	return r->curve->npoint >= EARLY_POINTS && r->cost_nano > 0;
}

/* Instants of a curve, within the run; NULL: not all points have one. */
static int64_t *curve_instants(struct arena *mem, const struct fleet *f, const struct train_run *r)
{
	const struct fleet_point *p = &f->point.v[r->curve->point0];
	int64_t *t = arena_alloc(mem, r->curve->npoint * sizeof *t), last = r->start_ms;

	for (size_t i = 0; i < r->curve->npoint; i++) {
		if (p[i].t_ms == UNKNOWN_MS)
			return NULL;
		last = max_i64(p[i].t_ms, last);
		t[i] = min_i64(last, r->end_ms);
	}
	return t;
}

static struct early_run run_at_every(struct arena *mem, const struct fleet *f,
				     const struct train_run *r, size_t every)
{
	const struct fleet_point *p = &f->point.v[r->curve->point0];
	size_t by = every / r->curve->every, npoint = r->curve->npoint, n = 0;
	double *value = arena_alloc(mem, npoint * sizeof *value);
	int64_t *t = curve_instants(mem, f, r);

	for (size_t k = 0; k < npoint; k++) {
		if (k % by && k + 1 < npoint)
			continue;
		value[n] = p[k].value;
		if (t)
			t[n] = t[k];
		n++;
	}
	return (struct early_run){ .v = value,
				   .t_ms = t,
				   .n = n,
				   .higher = r->higher,
				   .start_ms = r->start_ms,
				   .end_ms = r->end_ms,
				   .cost = r->cost_nano };
}

struct early_group {
	const struct train_run *first;
	size_t every; /* evaluations of which one is looked at */
	size_t n;
	double cost, ms;
};

static void early_advice(const struct lever_in *in, struct rec_list *out,
			 const struct early_group *g, const struct early_stop *s)
{
	const struct plan_conf *c = in->conf;
	const struct train_run *first = g->first;
	size_t patience = s->patience * g->every;
	double cost = g->cost;
	/* the metric too: of one id the plan keeps the first */
	const char *tail = arena_printf(in->mem, "early-stopping-%s-%s-%s", first->owner,
					first->pattern, first->curve->metric);
	struct rec *r = new_advice(
		in, out, tail, first, TECHNIQUE_STOP_EARLY,
		(struct amount){ cost * s->p05_frac, s->saved_cost, cost * s->p95_frac });

	r->quality_risk = true;
	r->action.v[0].technique = (struct action_technique){
		.technique = TECHNIQUE_STOP_EARLY,
		.patience = (int64_t)patience,
		.metric = raw_name(first->curve->metric),
		.higher = first->higher,
		.delta_frac = c->early_stop_delta_frac,
	};
	r->title = arena_printf(in->mem,
				"stop runs of %s after %zu evaluation%s without a better %s",
				first->pattern, patience, plural(patience), first->curve->metric);
	name_runs(in, r, first);
	tell_cost(in, r, g->n, cost, g->ms);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED,
					"least patience of which no run loses too much",
					.unit = "evaluations",
					.source = "its own curves, replayed (Prechelt 1998)" },
		     "%zu", patience);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ASSUMED, "of its gain that a run may lose",
					.unit = "frac", .source = "plan.early_stop_lost_frac" },
		     "%g", c->early_stop_lost_frac);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "lost by the run that lost most",
					.unit = "frac",
					.source = "its own curves, replayed (Prechelt 1998)" },
		     "%.4f", s->worst_lost_frac);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "runs that would have ended before",
					.source = "its own curves, replayed (Prechelt 1998)" },
		     "%zu", s->stopped);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "cost behind these points",
					.unit = in->fleet->currency, .source = "ledger" },
		     "%.2f", s->saved_cost / 1e9);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "mean loss of runs that did not choose",
					.unit = "frac", .source = "400 draws of the runs" },
		     "%.4f", s->unseen_mean_lost_frac);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "most that such a run lost",
					.unit = "frac", .source = "400 draws of the runs" },
		     "%.4f", s->unseen_worst_lost_frac);
	rec_risk(
		in, r,
		"A loss may fall again after a plateau: a run that did not choose the patience lost up to %.1f %% of its gain.",
		s->unseen_worst_lost_frac * 100);
	if (g->every > 1)
		rec_risk(
			in, r,
			"Of these long curves one evaluation in %zu was looked at: the patience is no finer, and what was better between was not seen.",
			g->every);
}

/* Runs [n] of a group, by end. Those that are decided are marked by their job. */
static void ask_early(const struct lever_in *in, struct rec_list *out, const struct train_run *v,
		      size_t n, struct training *t)
{
	struct arena mem = { 0 };
	struct early_run *run = xcalloc(n, sizeof *run);

	/* How far apart are the points of the curve that was thinned most: all of a group are
	 * looked at so, as one patience is for all. */
	size_t group_every = 1;

	for (size_t i = 0; i < n; i++)
		if (shows_an_end(&v[i]) && v[i].curve->every > group_every)
			group_every = v[i].curve->every;
	struct early_group g = { .first = v, .every = group_every };

	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		if (!shows_an_end(&v[i]))
			continue;
		run[m++] = run_at_every(&mem, in->fleet, &v[i], g.every);
		g.cost += v[i].cost_nano;
		g.ms += v[i].gpu_ms;
	}
	g.n = m;
	if (m >= EARLY_RUNS) {
		const struct early_ask ask = { .delta_frac = in->conf->early_stop_delta_frac,
					       .lost_frac = in->conf->early_stop_lost_frac,
					       .draws = EARLY_DRAWS,
					       .seed = in->seed };
		struct early_stop s;
		early_choose(m, run, &ask, &s);
		for (size_t i = 0; i < n; i++)
			if (shows_an_end(&v[i]))
				intern_add(&t->early, sv_of(v[i].job));
		t->no_sooner += s.saved_cost > 0 ? 0 : m;
		if (is_worth(in, s.saved_cost))
			early_advice(in, out, &g, &s);
	} else if (m) {
		t->few_runs += m;
	}
	free(run);
	arena_free(&mem);
}

/* ---- sweeps ------------------------------------------------------------------------------- */

static void ask_sweep(const struct lever_in *in, struct rec_list *out, const struct train_run *v,
		      size_t n, struct training *t)
{
	struct sweep_run *run = xcalloc(n, sizeof *run);
	struct sweep_gain g;
	double ms = 0;
	size_t m = 0;

	for (size_t i = 0; i < n; i++) {
		if (!v[i].completed)
			continue;
		run[m++] = (struct sweep_run){ v[i].higher ? v[i].curve->high : v[i].curve->low,
					       v[i].start_ms, v[i].end_ms, v[i].cost_nano };
		ms += v[i].gpu_ms;
	}
	/* Different settings, as far as names or configurations tell. */
	struct intern seen = { 0 };
	for (size_t i = 0; i < n; i++)
		intern_add(&seen, sv_of(*v[i].config ? v[i].config : v[i].name));
	size_t settings = seen.n;
	intern_free(&seen);
	if (m < SWEEP_RUNS || settings < SWEEP_RUNS) {
		free(run);
		return;
	}
	sweep_judge(m, run, v[0].higher, in->conf->sweep_near_frac, SWEEP_SURE, &g);
	free(run);
	for (size_t i = 0; i < n; i++)
		intern_add(&t->sweep, sv_of(v[i].job));
	/* what misses the best once in 20 has to free more than one run of 20 */
	bool is_gain = (double)(m - g.needed) > (1 - SWEEP_SURE) * (double)m + 1e-9;
	if (!is_gain || !is_worth(in, g.beyond_cost))
		return;
	const struct amount a = { fmin(g.after_cost, g.beyond_cost), g.beyond_cost,
				  fmax(g.after_cost, g.beyond_cost) };
	const char *tail = arena_printf(in->mem, "tuning-budget-%s-%s-%s-%lld", v[0].owner,
					v[0].pattern, v[0].curve->metric,
					(long long)(v[0].start_ms / MS_DAY));
	struct rec *r = new_advice(in, out, tail, &v[0], TECHNIQUE_BUDGET, a);
	r->quality_risk = true;
	r->title = arena_printf(in->mem, "a budget of %zu of %zu runs for sweeps of %s", g.needed,
				m, v[0].pattern);
	name_runs(in, r, &v[0]);
	tell_cost(in, r, m, g.cost, ms);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					"runs whose result is as good as the best",
					.source = "its own curves, plan.sweep_near_frac" },
		     "%zu", g.near_runs);
	rec_evidence(in, r,
		     (struct evidence){
			     QUALITY_ESTIMATED, "runs that find one of them 19 times in 20",
			     .source = "count without replacement (Bergstra and Bengio 2012)" },
		     "%zu", g.needed);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					"the first that was there, in order of end",
					.source = "its own curves, plan.sweep_near_frac" },
		     "%zu", g.first);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "cost after that, known afterwards only",
					.unit = in->fleet->currency, .source = "ledger" },
		     "%.2f", g.after_cost / 1e9);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "cost of the runs beyond the budget",
					.unit = in->fleet->currency, .source = "ledger" },
		     "%.2f", g.beyond_cost / 1e9);
	rec_risk(in, r, "One sweep in 20 of this size ends more than %g %% from its best.",
		 in->conf->sweep_near_frac * 100);
}

/* ---- runs made again, runs that failed soon ------------------------------------------------ */

struct habit_sum { /* of an owner */
	const struct train_run *of;
	size_t jobs, again, soon, rows, longest;
	double cost, ms;
	double same_config, same_length; /* nano */
	double soon_cost, after_first;
};

static void advise_reuse(const struct lever_in *in, struct rec_list *out, const struct habit_sum *s,
			 bool told)
{
	struct amount a = { s->same_config, s->same_config + s->same_length / 2,
			    s->same_config + s->same_length };
	struct rec *r = new_advice(in, out, arena_printf(in->mem, "reuse-%s", s->of->owner), s->of,
				   TECHNIQUE_REUSE, a);

	const char *repeat = told ? "repeat" : "may repeat";
	if (told && s->again == 1)
		repeat = "repeats";
	r->title = arena_printf(in->mem,
				"keep and reuse results: %s of %s %s one that had completed",
				runs_text(in, s->again), s->of->owner, repeat);
	tell_cost(in, r, s->jobs, s->cost, s->ms);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED,
					"cost of runs with the configuration of one before",
					.unit = in->fleet->currency,
					.source = "ledger, configurations of the tracker" },
		     "%.2f", s->same_config / 1e9);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED,
					"cost of runs with name, GPUs and length of one before",
					.unit = in->fleet->currency, .source = "ledger" },
		     "%.2f", s->same_length / 1e9);
	if (!told)
		rec_risk(
			in, r,
			"Equal length is no proof: runs may have had other data or seeds. Import configurations with the curves.");
	else
		rec_risk(
			in, r,
			"A seed that is not part of the configuration makes a repeat look like one.");
}

/* Runs [n] of one owner, by kind and start. */
static void ask_owner(const struct lever_in *in, struct rec_list *out, const struct train_run *v,
		      size_t n)
{
	struct rerun_job *j = xcalloc(n, sizeof *j);
	enum rerun_how *how = xcalloc(n, sizeof *how);
	size_t *row = xcalloc(n, sizeof *row);
	struct intern config = { 0 };
	struct habit_sum s = { .of = &v[0], .jobs = n };

	for (size_t i = 0; i < n; i++)
		j[i] = (struct rerun_job){
			.kind = i && same_kind(&v[i], &v[i - 1]) ? j[i - 1].kind : (uint32_t)i,
			.config = *v[i].config ? intern_add(&config, sv_of(v[i].config))
					       : RERUN_NO_CONFIG,
			.start_ms = v[i].start_ms,
			.end_ms = v[i].end_ms,
			.completed = v[i].completed,
			.failed = v[i].failed,
		};
	rerun_again(n, j, how);
	rerun_soon(n, j, (int64_t)(in->conf->failed_soon_minutes * MS_MINUTE), row);
	for (size_t i = 0; i < n; i++) {
		double cost = v[i].cost_nano;
		s.cost += cost;
		s.ms += v[i].gpu_ms;
		/* jobs without a name are alike by nothing */
		if (!*v[i].name)
			how[i] = RERUN_FIRST;
		s.again += how[i] != RERUN_FIRST;
		if (how[i] == RERUN_SAME_CONFIG)
			s.same_config += cost;
		if (how[i] == RERUN_SAME_LENGTH)
			s.same_length += cost;
		s.soon += row[i] > 0;
		s.rows += row[i] == 2;
		s.longest = max_size(row[i], s.longest);
		if (row[i])
			s.soon_cost += cost;
		if (row[i] > 1)
			s.after_first += cost;
	}
	if (is_worth(in, s.same_config + s.same_length / 2))
		advise_reuse(in, out, &s, config.n > 0);
	if (is_worth(in, s.after_first)) {
		struct amount a = { 0, s.after_first, s.soon_cost };
		struct rec *r = new_advice(in, out,
					   arena_printf(in->mem, "check-first-%s", s.of->owner),
					   s.of, TECHNIQUE_CHECK_FIRST, a);

		r->title = arena_printf(
			in->mem,
			"check a run before it takes its GPUs: %s of %s failed within %g min",
			runs_text(in, s.soon), s.of->owner, in->conf->failed_soon_minutes);
		tell_cost(in, r, s.jobs, s.cost, s.ms);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "failed soon after their start",
						.unit = "runs",
						.source = "job list, plan.failed_soon_minutes" },
			     "%zu", s.soon);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "rows of them, and the longest",
						.unit = "runs", .source = "job list" },
			     "%zu, %zu", s.rows, s.longest);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "what they cost",
						.unit = in->fleet->currency, .source = "ledger" },
			     "%.2f", s.soon_cost / 1e9);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_ESTIMATED, "all but the first of each row",
						.unit = in->fleet->currency, .source = "ledger" },
			     "%.2f", s.after_first / 1e9);
		rec_risk(in, r, "Not every failure shows in a step on one GPU.");
	}
	intern_free(&config);
	free(j);
	free(how);
	free(row);
}

/* ---- all of it ---------------------------------------------------------------------------- */

void training_propose(const struct lever_in *in, struct rec_list *out, struct training *ret)
{
	struct train_runs all = { 0 };

	*ret = (struct training){ 0 };
	all.pattern = habit_names(in->fleet, &all.mem);
	for (size_t i = 0; i < in->fleet->workload.n; i++) {
		/* Do the settings leave it alone? Whether its machine can be given back is no
		 * matter: GPUs that are free are worth something to whoever waits. */
		struct workload w = in->fleet->workload.v[i];
		w.elastic = true;
		if (is_run(&w) && !workload_is_frozen(in, &w, "advice"))
			add_workload(in, &all, i);
	}
	add_curves(in, &all);
	if (all.v.n)
		sort_items(all.v.v, all.v.n, sizeof *all.v.v, by_group);
	for (size_t from = 0, to; from < all.v.n; from = to) {
		for (to = from + 1; to < all.v.n && same_group(&all.v.v[from], &all.v.v[to]); to++)
			;
		if (!all.v.v[from].curve)
			continue;
		ask_early(in, out, &all.v.v[from], to - from, ret);
		/* by end, cut where nobody ran any for a while */
		for (size_t a = from, b; a < to; a = b) {
			int64_t last = all.v.v[a].end_ms;
			for (b = a + 1; b < to && all.v.v[b].start_ms <= last + SWEEP_GAP_MS; b++)
				last = all.v.v[b].end_ms;
			ask_sweep(in, out, &all.v.v[a], b - a, ret);
		}
	}
	if (all.v.n)
		sort_items(all.v.v, all.v.n, sizeof *all.v.v, by_kind);
	for (size_t from = 0, to; from < all.v.n; from = to) {
		for (to = from + 1; to < all.v.n && !strcmp(all.v.v[from].owner, all.v.v[to].owner);
		     to++)
			;
		ask_owner(in, out, &all.v.v[from], to - from);
	}
	if (all.untold)
		plan_note(
			in,
			"%zu run%s with curves tell nothing: whether '%s' is better lower or higher is not known (column better)",
			all.untold, plural(all.untold), all.such);
	if (ret->no_sooner)
		plan_note(
			in,
			"early stopping would have ended no run of %zu sooner without losing more than plan.early_stop_lost_frac of another's gain",
			ret->no_sooner);
	if (ret->few_runs)
		plan_note(
			in,
			"%zu run%s with curves %s of kinds with fewer than %d that completed: no patience is read off them",
			ret->few_runs, plural(ret->few_runs), ret->few_runs == 1 ? "is" : "are",
			EARLY_RUNS);
	vec_free(&all.v);
	vec_free(&all.of_job);
	intern_free(&all.job);
	arena_free(&all.mem);
}

void training_free(struct training *t)
{
	intern_free(&t->early);
	intern_free(&t->sweep);
}
