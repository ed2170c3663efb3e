/*
 * Whole plans of random small fleets, all levers and the catalogue: whatever is proposed, the
 * savings add up, the headline lies in its range, and each prefix of tiers can be carried out as
 * printed.
 */
#include "fleet_fix.h"
#include "base/random.h"
#include "plan/action.h"

#define FLEETS 400

static double part(uint64_t *s)
{
	return random_frac(random_next(s));
}

/* A habit of some runs with something odd about some of them. */
static void add_habit(struct fix *x, uint64_t *s, const char *name)
{
	static const char *const type[] = { "p3.8xlarge", "p3.2xlarge", "g5.12xlarge",
					    "g4dn.xlarge" },
				 *const model[] = { "V100-SXM2-16GB", "V100-SXM2-16GB", "A10G",
						    "T4" };
	static const double dollars[] = { 12.24, 3.06, 5.672, 0.526 };
	static const int gpus[] = { 4, 1, 4, 1 }, cpus[] = { 32, 8, 48, 4 };
	size_t kind = random_next(s) % 4, first = x->f.workload.n;
	int runs = 3 + (int)(random_next(s) % 22);
	double held = 1 + (double)(random_next(s) % 20),
	       every = held + (double)(random_next(s) % 30),
	       used = random_next(s) % 3 ? 1 : 0.2 + 0.5 * part(s), booked = 1 + 3 * part(s),
	       gib = 1 + 20 * part(s), util = 10 + 85 * part(s);
	int odd = (int)(random_next(s) % 10), needed = random_next(s) % 2 ? gpus[kind] : 1;
	bool stays = random_next(s) % 4 == 0, told = random_next(s) % 3 != 0;

	if (every * runs > 24 * 55)
		every = 24 * 55.0 / runs;
	held = held < every ? held : every;
	fix_runs(x, name, runs, every, held);
	for (size_t i = first; i < x->f.workload.n; i++) {
		struct workload *w = &x->f.workload.v[i];
		struct fleet_node *n = &x->f.node.v[w->node_index];
		bool rare = random_next(s) % 8 == 0;
		int64_t run = w->end_ms - w->start_ms;
		w->team = name;
		n->instance_type = w->instance_type = type[kind];
		n->gpu_model = w->gpu_model = model[kind];
		n->gpus_milli = w->gpus_milli = gpus[kind] * 1000;
		n->vcpu = cpus[kind];
		w->ms = run * gpus[kind];
		w->cost_nano = 0;
		for (size_t k = 0; k < w->nhour; k++) {
			struct workload_hour *h = &x->f.hour.v[w->hour0 + k];
			h->ms = h->ms / 4 * gpus[kind];
			h->busy_ms = h->ms;
			h->nano = (int64_t)(dollars[kind] / gpus[kind] * (double)h->ms / MS_HOUR *
					    NANO) +
				  (int64_t)(random_next(s) % 7);
			w->cost_nano += h->nano;
		}
		w->measured_ms = w->ms;
		w->limit_ms = random_next(s) % 40 ? (int64_t)((double)run * booked) : UNKNOWN_MS;
		w->stats.last_active_ms = w->start_ms + (int64_t)((double)run * used);
		w->stats.gpus_needed = rare && odd == 0 ? gpus[kind] : needed;
		w->stats.mem_peak_bytes = rare && odd == 1 ? 22e9 : gib * 1e9;
		w->stats.mem_peak_bytes = rare && odd == 2 ? NAN : w->stats.mem_peak_bytes;
		w->stats.mem_flat_frac = odd == 3 ? 0.9 : NAN;
		w->stats.covered_frac = rare && odd == 4 ? 0.4 : 1;
		if (rare && odd == 5)
			w->stats.last_active_ms = w->end_ms;
		if (rare && odd == 6)
			w->name = arena_printf(&x->mem, "%s-extra-%zu", name, i);
		if (rare && odd == 7)
			w->user = "bob";
		if (odd == 8 && i > first && random_next(s) % 2)
			w->job = x->f.workload.v[i - 1].job; /* a gang */
		w->stats.work_util_mean_pct = w->stats.util_mean_pct = util;
		w->stats.step_ms = random_next(s) % 2 ? 10000 : 60000;
		x->f.host.v[i].cpu_milli = told ? 500 + (int64_t)(random_next(s) % 4000) : 0;
		x->f.host.v[i].ram_mib = told ? 2048 : 0;
		if (stays)
			n->to_ms += 3 * MS_HOUR;
	}
}

static void random_fleet(struct fix *x, uint64_t seed)
{
	static const char *const name[] = { "eval", "train", "sweep", "embed" };
	uint64_t s = seed;
	size_t n = 1 + random_next(&s) % COUNT(name);

	fix_open(x, 24 * 60);
	for (size_t i = 0; i < n; i++)
		add_habit(x, &s, name[i]);
	fix_done(x);
	for (size_t i = 0; i < x->f.workload.n; i++) {
		x->f.gpu_ms += x->f.workload.v[i].ms;
		x->f.measured_ms += x->f.workload.v[i].ms;
	}
}

static const struct plan_opt all = {
	.max_risk = RISK_HIGH, .max_effort_days = INFINITY, .draws = 40, .seed = 3
};

static void make(struct fix *x, const struct plan_opt *o, struct plan *p)
{
	struct plan_in in = { levers, &x->f, x->cat, &x->conf, o, FIX_NOW };
	struct err err;

	if (plan_make(&in, p, &err) < 0)
		fail_msg("%s", err.msg);
	plan_findings(&x->f, &x->conf, x->cat, FIX_NOW, p);
}

static void adds_up(const struct plan *p)
{
	int64_t sum = 0;
	dec month = 0, tiers = 0;

	for (size_t i = 0; i < p->rec.v.n; i++) {
		sum += p->rec.v.v[i]->saving_nano;
		month += p->saving_month.v[i];
	}
	for (int t = 0; t < TIER_N; t++)
		tiers += p->tier[t].saving_month;
	assert_true(sum == p->baseline_nano - p->after_nano);
	assert_true(month == p->baseline_month - p->after_month);
	assert_true(tiers == month);
	assert_true(p->after_month_p05 <= p->after_month && p->after_month <= p->after_month_p95);
	assert_true(p->saving_frac_p05 <= p->saving_frac && p->saving_frac <= p->saving_frac_p95);
	assert_true(p->after_nano >= 0);
}

static bool does_harm(const struct plan *p)
{
	return p->replay.cut || p->replay.oom;
}

/* Those of the tiers up to t, signed alone. */
static void prefix_holds(struct fix *x, const struct plan *p, int t, uint64_t seed)
{
	const char *id[64];
	struct plan_opt o = all;
	struct plan q;

	for (size_t i = 0; i < p->rec.v.n && o.nonly < COUNT(id); i++)
		if ((int)p->rec.v.v[i]->tier <= t)
			id[o.nonly++] = p->rec.v.v[i]->id;
	if (!o.nonly)
		return;
	o.only = id;
	make(x, &o, &q);
	adds_up(&q);
	if (does_harm(&q))
		fail_msg("fleet %d, up to tier %d: %d cut, %d out of memory", (int)seed, t,
			 (int)q.replay.cut, (int)q.replay.oom);
	if (q.rec.v.n != o.nonly)
		fail_msg("fleet %d, up to tier %d: %zu of %zu are taken alone", (int)seed, t,
			 q.rec.v.n, o.nonly);
	plan_free(&q);
}

static bool changes(const struct rec *r, size_t workload)
{
	for (size_t i = 0; i < r->change.n; i++)
		if (r->change.v[i].workload == workload)
			return true;
	return false;
}

/* What it changes is meant by one of its actions, and what its actions mean is changed by it: as it
 * comes from history, by the first that is about a workload. */
static void means_what_it_changes(const struct fix *x, const struct plan *p)
{
	bool *moved = xcalloc(x->f.workload.n + 1, sizeof *moved);

	for (size_t i = 0; i < p->rec.v.n; i++) {
		const struct rec *r = p->rec.v.v[i];
		for (size_t k = 0; k < r->change.n; k++)
			if (!r->change.v[k].shared &&
			    x->f.workload.v[r->change.v[k].workload].kind == WORKLOAD_JOB &&
			    !moved[r->change.v[k].workload] && !is_meant(&x->f, r, &r->change.v[k]))
				fail_msg("%s: no action for %s", r->id,
					 x->f.workload.v[r->change.v[k].workload].name);
		for (size_t k = 0; k < r->action.n; k++)
			for (size_t w = 0; w < x->f.workload.n; w++)
				if (r->action.v[k].kind == ACTION_SUBMIT && !moved[w] &&
				    habit_matches(&r->action.v[k].which, &x->f.workload.v[w]) &&
				    !changes(r, w))
					fail_msg("%s means %s and does not change it", r->id,
						 x->f.workload.v[w].name);
		for (size_t k = 0; k < r->change.n; k++)
			moved[r->change.v[k].workload] = true;
	}
	free(moved);
}

/* ---- judged again, by nothing but the numbers of a run and of the machine it gets --------- */

static bool has_machines(const struct fix *x, const struct plan *p, const char *type)
{
	for (size_t i = 0; i < x->f.node.n; i++)
		if (!strcmp(x->f.node.v[i].instance_type, type))
			return true;
	for (size_t i = 0; i < p->rec.v.n; i++)
		for (size_t k = 0; k < p->rec.v.v[i]->action.n; k++) {
			const struct action *a = &p->rec.v.v[i]->action.v[k];
			if (a->kind == ACTION_POOL && a->pool.now > 0 && a->pool.instance_type.z &&
			    !strcmp(a->pool.instance_type.z, type))
				return true;
		}
	return false;
}

static const char *harm_of(const struct fix *x, const struct plan *p, const struct workload *w,
			   const struct use *u)
{
	const struct gpu_spec *was = catalog_gpu(x->cat, sv_of(w->gpu_model)),
			      *is = catalog_gpu(x->cat, sv_of(u->gpu_model));
	const struct workload_stats *s = &w->stats;
	int64_t used = s->covered_frac < 0.9 ? w->end_ms - w->start_ms
					     : s->last_active_ms - w->start_ms;

	if (u->gpus_milli < (int64_t)s->gpus_needed * 1000)
		return "fewer GPUs than it needs";
	if (strcmp(was->vendor, is->vendor) != 0)
		return "a GPU of another maker";
	if (was != is && !(s->mem_flat_frac >= 0.85) &&
	    !(s->mem_peak_bytes * 1.1 <= is->memory_gib * 0x1p30))
		return "a GPU with too little memory";
	if (u->limit_ms != UNKNOWN_MS && (w->limit_ms == UNKNOWN_MS || used < w->limit_ms) &&
	    (double)used * u->slowdown_hi > (double)u->limit_ms + 1)
		return "a limit that ends it";
	if (!has_machines(x, p, u->instance_type))
		return "a machine that nobody makes";
	return NULL;
}

static void harms_nobody(const struct fix *x, const struct plan *p, uint64_t seed)
{
	const struct use **last = xcalloc(x->f.workload.n + 1, sizeof *last);

	for (size_t i = 0; i < p->rec.v.n; i++)
		for (size_t k = 0; k < p->rec.v.v[i]->change.n; k++)
			last[p->rec.v.v[i]->change.v[k].workload] =
				&p->rec.v.v[i]->change.v[k].after;
	for (size_t i = 0; i < x->f.workload.n; i++) {
		const struct workload *w = &x->f.workload.v[i];
		const char *harm = last[i] && w->kind == WORKLOAD_JOB ? harm_of(x, p, w, last[i])
								      : NULL;
		if (harm)
			fail_msg("fleet %d: %s gets %s", (int)seed, w->name, harm);
	}
	free(last);
}

static void random_fleets(void **state)
{
	size_t taken[TIER_N] = { 0 }, lever[LEVER_N] = { 0 }, requeues = 0;

	for (uint64_t seed = 1; seed <= FLEETS; seed++) {
		struct fix x;
		struct plan p;
		random_fleet(&x, seed);
		make(&x, &all, &p);
		adds_up(&p);
		if (does_harm(&p))
			fail_msg("fleet %d: %d cut, %d out of memory", (int)seed, (int)p.replay.cut,
				 (int)p.replay.oom);
		means_what_it_changes(&x, &p);
		harms_nobody(&x, &p, seed);
		for (int t = 0; t < TIER_BINDS; t++)
			prefix_holds(&x, &p, t, seed);
		for (size_t i = 0; i < p.rec.v.n; i++) {
			taken[p.rec.v.v[i]->tier]++;
			lever[lever_index(p.rec.v.v[i]->lever)]++;
		}
		requeues += (size_t)p.replay.requeues;
		plan_free(&p);
		fix_close(&x);
	}
	/* the fleets have something in them */
	print_message(
		"sure %zu, trial %zu, binds %zu; trim %zu, count %zu, gpu %zu; requeues %zu\n",
		taken[0], taken[1], taken[2], lever[LEVER_TRIM_TIME], lever[LEVER_RIGHTSIZE_COUNT],
		lever[LEVER_RIGHTSIZE_GPU], requeues);
	assert_true(taken[TIER_SURE] >= 20 && taken[TIER_TRIAL] >= 20);
	assert_true(lever[LEVER_TRIM_TIME] >= 10 && lever[LEVER_RIGHTSIZE_COUNT] >= 10 &&
		    lever[LEVER_RIGHTSIZE_GPU] >= 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(random_fleets) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
