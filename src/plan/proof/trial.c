/* See trial.h. */
#include "model/known.h"
#include "plan/proof/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "plan/action.h"
#include "plan/proof/gate.h"
#include "plan/levers.h"
#include "plan/workload.h"

#define GIB          1073741824.0
#define CANARY_HOURS 24.0
#define AWAY_HOURS   72.0

const char *trial_kind_name(enum trial_kind k)
{
	static const char *const name[TRIAL_KIND_N] = { "run",    "interrupt", "watch",
							"canary", "away",      "wake" };

	return name[k];
}

const char *trial_measure_name(enum trial_measure m)
{
	static const char *const name[MEASURE_N] = {
		[MEASURE_SPEED] = "speed_frac",
		[MEASURE_STEPS] = "steps_s",
		[MEASURE_MEMORY] = "peak_memory_bytes",
		[MEASURE_RUN] = "run_s",
		[MEASURE_EXIT] = "exit_code",
		[MEASURE_P99] = "p99_ms",
		[MEASURE_WAKE] = "wake_min",
		[MEASURE_ASKED] = "asked_for",
		[MEASURE_LOST] = "lost_min",
		[MEASURE_QUALITY] = "quality_frac",
	};

	return name[m];
}

const char *trial_verdict_name(enum trial_verdict v)
{
	static const char *const name[] = { "open", "go", "no_go" };

	return name[v];
}

/* ---- which runs, and how ----------------------------------------------------------------- */

static enum trial_kind kind_of_technique(enum technique t)
{
	bool serves = t == TECHNIQUE_QUANTISE || t == TECHNIQUE_COMPRESS || t == TECHNIQUE_SHARE;

	if (t == TECHNIQUE_CHECKPOINT)
		return TRIAL_INTERRUPT;
	if (serves)
		return TRIAL_CANARY;
	return TRIAL_RUN;
}

/* The action that the trial is about: the first that changes something for somebody. */
static const struct action *main_action(const struct rec *r, enum trial_kind *ret)
{
	for (size_t i = 0; i < r->action.n; i++) {
		const struct action *a = &r->action.v[i];
		switch (a->kind) {
		case ACTION_SUBMIT:
			if (a->submit.change & SUBMIT_SPOT)
				*ret = TRIAL_INTERRUPT;
			else if (a->submit.change == SUBMIT_LIMIT)
				*ret = TRIAL_WATCH;
			else
				*ret = TRIAL_RUN;
			return a;
		case ACTION_REPLICAS:
		case ACTION_REPLICA_MOVE:
		case ACTION_MIG: *ret = TRIAL_CANARY; return a;
		case ACTION_STOP:
		case ACTION_ARCHIVE:
		case ACTION_EXPIRE: *ret = TRIAL_AWAY; return a;
		case ACTION_TIMETABLE:
		case ACTION_RELEASE: *ret = TRIAL_WAKE; return a;
		case ACTION_TECHNIQUE: *ret = kind_of_technique(a->technique.technique); return a;
		default: break;
		}
	}
	*ret = TRIAL_RUN;
	if (r->action.n)
		return &r->action.v[0];
	return NULL;
}

/* What takes the work off a machine before it stops. */
static bool empties_machine(const struct action *a, const struct action *main)
{
	if (!main || main->kind != ACTION_STOP)
		return false;
	if (a->kind != ACTION_CORDON && a->kind != ACTION_DRAIN)
		return false;
	return text_same(a->machine.node.z, main->machine.node.z);
}

/* Only as many machines as the trial needs, and nothing is given back for it. */
static void take_actions(const struct rec *r, const struct action *main, enum trial_kind kind,
			 struct arena *mem, struct plan_trial *ret)
{
	ret->action = arena_zalloc(mem, (r->action.n + 1) * sizeof *ret->action);
	for (size_t i = 0; i < r->action.n && kind != TRIAL_WATCH; i++) {
		const struct action *a = &r->action.v[i];
		bool machines = a->kind == ACTION_POOL && a->pool.now > a->pool.was;
		bool with = a == main || machines || empties_machine(a, main);
		if (!with && a->kind != ACTION_CHECKPOINTS)
			continue;
		struct action *one = &ret->action[ret->naction++];
		*one = *a;
		if (machines)
			one->pool.now = one->pool.was + 1;
		if (a->kind == ACTION_REPLICAS && one->replicas.was > one->replicas.now)
			one->replicas.now = one->replicas.was - 1;
	}
}

/* ---- what has to come out ---------------------------------------------------------------- */

static void add_check(struct plan_trial *t, enum trial_measure what, double least, double most,
		      const char *why)
{
	t->check[t->ncheck++] = (struct trial_check){ what, least, most, why };
}

struct facts {
	size_t runs;
	double told;    /* slowdown as the plan has it, the middle of the works */
	double slow;    /* slowdown at the slow end of the range, the middle of the works */
	double allowed; /* slowdown at which the longest of them still ends in time; INFINITY */
	double run_ms;  /* longest */
	__int128 cost;  /* after */
	double gpus_from, gpus_to;
	const char *from, *to; /* GPUs */
};

static double median_of(double *v, size_t n)
{
	if (!n)
		return NAN;
	sort_items(v, n, sizeof *v, rising_double);
	if (n % 2)
		return v[n / 2];
	return (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* From its start to its last work, where that was seen, else to its end; 0: not known. */
static int64_t workload_result_ms(const struct workload *w)
{
	int64_t end = w->end_ms;

	if (w->stats.last_busy_ms != UNKNOWN_MS && w->stats.covered_frac > WORKLOAD_COVERED_FRAC &&
	    w->stats.last_busy_ms > w->start_ms && w->stats.last_busy_ms < end)
		end = w->stats.last_busy_ms;
	if (w->start_ms == UNKNOWN_MS || end == UNKNOWN_MS)
		return 0;
	return end - w->start_ms;
}

static double allowed_slowdown(const struct plan *p, const struct workload *w)
{
	int64_t limit = 0, run = workload_result_ms(w);

	/* The limit that it will have: that of the plan, else that of the history, else 0. */
	if (w->limit_ms != UNKNOWN_MS)
		limit = w->limit_ms;
	for (size_t i = 0; i < p->rec.v.n; i++)
		for (size_t k = 0; k < p->rec.v.v[i]->action.n; k++) {
			const struct action *a = &p->rec.v.v[i]->action.v[k];
			if (a->kind == ACTION_SUBMIT && a->submit.change & SUBMIT_LIMIT &&
			    habit_matches(&a->which, w))
				limit = a->submit.now.limit_ms;
		}

	if (!limit && w->deadline_ms != UNKNOWN_MS && w->start_ms != UNKNOWN_MS)
		limit = w->deadline_ms - w->start_ms;
	if (limit > 0 && run > 0)
		return (double)limit / (double)run;
	return INFINITY;
}

double plan_trial_days(const struct fleet *f, const struct plan_conf *conf, const struct rec *r)
{
	enum trial_kind kind;
	const struct action *a = main_action(r, &kind);
	int64_t first_ms = INT64_MAX, last_ms = INT64_MIN;
	double n = 0, longest_ms = 0, again = fmax(conf->gates.trim_ready_runs, 1);

	for (size_t i = 0; i < conf->ntried; i++)
		if (!strcmp(conf->tried[i], r->id))
			return 0;
	for (size_t i = 0; i < r->change.n; i++) {
		const struct workload *w = &f->workload.v[r->change.v[i].workload];
		bool is_run = w->kind == WORKLOAD_JOB && *w->job && a &&
			      action_means(a, w, &r->change.v[i].after);
		if (!is_run || w->start_ms == UNKNOWN_MS)
			continue;
		longest_ms = fmax((double)workload_result_ms(w) * r->change.v[i].after.slowdown,
				  longest_ms);
		first_ms = min_i64(w->start_ms, first_ms);
		last_ms = max_i64(w->start_ms, last_ms);
		n++;
	}
	switch (kind) {
	case TRIAL_CANARY: return CANARY_HOURS / 24;
	case TRIAL_AWAY: return conf->gates.stop_told_days + AWAY_HOURS / 24;
	case TRIAL_WAKE:
		if (a && a->kind == ACTION_RELEASE)
			return ceil(conf->gates.capacity_trial_starts);
		return 1;
	case TRIAL_WATCH: /* as often as they were run */
		if (n < 2)
			return 0;
		return fmax(again - n, 1) * (double)(last_ms - first_ms) / (n - 1) / MS_DAY;
	default: return longest_ms / MS_DAY;
	}
}

/* Of the works that the action is about; of all where it is about none of them. */
static struct facts facts_of(const struct plan *p, const struct rec *r, const struct action *a)
{
	struct facts f = { .allowed = INFINITY };
	double *slow = xcalloc(r->change.n + 1, sizeof *slow),
	       *told = xcalloc(r->change.n + 1, sizeof *told);

	for (int any = 0; any < 2 && !f.runs; any++)
		for (size_t i = 0; i < r->change.n; i++) {
			const struct rec_change *c = &r->change.v[i];
			const struct workload *w = &p->fleet->workload.v[c->workload];
			bool other_type =
				a && a->kind == ACTION_SUBMIT && a->submit.change & SUBMIT_TYPE &&
				a->submit.now.instance_type.z && c->after.instance_type &&
				strcmp(a->submit.now.instance_type.z, c->after.instance_type) != 0;
			double expensive = 1;
			if (c->after.cost_nano > 0)
				expensive = (double)c->hi_nano / (double)c->after.cost_nano;
			if (!any && (!a || other_type || !action_means(a, w, &c->after)))
				continue;
			told[f.runs] = c->after.slowdown;
			slow[f.runs++] = c->after.slowdown * fmax(expensive, 1);
			f.allowed = fmin(f.allowed, allowed_slowdown(p, w));
			f.cost += c->after.cost_nano;
			f.run_ms = fmax(f.run_ms, (double)workload_result_ms(w));
			if (!f.from)
				f.from = w->gpu_model;
			if (!f.to)
				f.to = c->after.gpu_model;
			if (!f.gpus_from)
				f.gpus_from = (double)w->gpus_milli / 1000;
			if (!f.gpus_to)
				f.gpus_to = (double)c->after.gpus_milli / 1000;
		}
	f.slow = median_of(slow, f.runs);
	f.told = median_of(told, f.runs);
	free(slow);
	free(told);
	return f;
}

/* The head-room of the gate for the habit of these runs, as many and as finely read as they are. */
static double memory_factor(const struct plan *p, const struct rec *r, const struct plan_conf *conf,
			    struct arena *mem)
{
	struct habits h;
	double ret = 0;

	habits_make(p->fleet, conf, mem, &h);
	for (size_t i = 0; i < r->change.n; i++) {
		size_t k = h.of_workload[r->change.v[i].workload];
		if (k != SIZE_MAX)
			ret = fmax(ret, gate_memory_factor(&conf->gates, h.v.v[k].runs,
							   h.v.v[k].step_s));
	}
	habits_free(&h);
	if (ret > 0)
		return ret;
	return conf->gates.memory_few_factor;
}

static void check_run(const struct facts *f, double factor, struct arena *mem, struct plan_trial *t)
{
	const struct gpu_spec *gpu = t->to ? t->to : t->from;
	double slow = f->slow > 0 ? fmin(1 / f->slow, (1 - TRIAL_NOISE_FRAC) / f->told) : NAN,
	       need = 0;

	if (isfinite(f->allowed) && f->allowed > 0)
		need = 1 / f->allowed;
	double least = fmax(slow, need);

	bool by_limit = isfinite(f->allowed) && least <= 1 / f->allowed;
	if (least > 0)
		add_check(t, MEASURE_SPEED, least, NAN,
			  by_limit ? "slower runs would be stopped by their limit"
				   : "the slow end of the range, on which the saving stands");
	if (gpu && gpu->memory_gib > 0)
		add_check(t, MEASURE_MEMORY, NAN, gpu->memory_gib * GIB / factor,
			  arena_printf(mem, "%g GiB of a %s over %g", gpu->memory_gib, gpu->model,
				       factor));
	add_check(t, MEASURE_EXIT, NAN, 0, "it ends well");
}

static void check_interrupt(const struct facts *f, const struct plan_conf *conf, struct arena *mem,
			    struct plan_trial *t)
{
	double often = 0;

	for (size_t i = 0; i < t->rec->action.n; i++)
		if (t->rec->action.v[i].kind == ACTION_SUBMIT)
			often = fmax(often, t->rec->action.v[i].submit.checkpoint_min);
	if (often > 0)
		add_check(t, MEASURE_LOST, NAN, 2 * often,
			  arena_printf(mem, "a checkpoint every %.0f min, twice that at most",
				       often));
	if (f->run_ms > 0)
		add_check(t, MEASURE_RUN, NAN, f->run_ms / 1000 * (1 + conf->gates.spot_slack_frac),
			  "the longest run and plan.gates.spot_slack_frac");
	add_check(t, MEASURE_EXIT, NAN, 0, "it is continued, and ends well");
}

static void check_watch(const struct action *a, const struct facts *f, const struct plan_conf *conf,
			struct plan_trial *t)
{
	double want = conf->gates.trim_ready_runs - (double)f->runs;

	t->runs = t->runs_max = want > 1 ? (int64_t)want : 1;
	t->cost_nano = 0; /* they are run anyway */
	add_check(t, MEASURE_RUN, NAN,
		  (double)a->submit.now.limit_ms / 1000 / conf->gates.trim_ready_factor,
		  "the new limit over plan.gates.trim_ready_factor");
}

static void check_canary(const struct action *a, const struct plan_conf *conf, struct plan_trial *t)
{
	const struct rec_replay *r = &t->rec->replay;
	const char *service = NULL;
	if (a->kind == ACTION_REPLICAS)
		service = a->replicas.service.z;
	else if (a->kind == ACTION_REPLICA_MOVE)
		service = a->replica_move.service.z;

	/* What the settings say of this service; NAN. */
	double promised = NAN;

	for (size_t i = 0; service && i < conf->rule.n; i++) {
		const struct plan_rule *rule = &conf->rule.v[i];
		for (size_t k = 0; k < rule->when.n; k++)
			if (!strcmp(rule->when.v[k].field, "service") &&
			    sv_glob(sv_of(service), sv_of(rule->when.v[k].glob)) &&
			    isfinite(rule->slo_p99_ms))
				promised = rule->slo_p99_ms;
	}

	t->runs = t->runs_max = 0;
	t->hours = CANARY_HOURS;
	if (isfinite(promised))
		add_check(t, MEASURE_P99, NAN, promised, "slo_p99_ms of the settings");
	else if (isfinite(r->p99_before_ms))
		add_check(t, MEASURE_P99, NAN, r->p99_before_ms * (1 + conf->slo_p99_growth_frac),
			  "plan.slo_p99_growth_frac over what it was");
}

static void check_others(const struct rec *r, const struct action *a, const struct plan_conf *conf,
			 struct plan_trial *t)
{
	/* one that came says little of the next: as many as tell a wait (plan/replay/capacity.h) */
	bool again = a && a->kind == ACTION_RELEASE;

	t->runs = t->runs_max = again ? (int64_t)ceil(conf->gates.capacity_trial_starts) : 0;
	if (again || r->packs)
		t->cost_nano = 0; /* it is off while nobody needs it, or others take its jobs */
	if (t->kind == TRIAL_AWAY) {
		t->hours = AWAY_HOURS;
		if (r->packs)
			add_check(t, MEASURE_ASKED, NAN, 0,
				  "no job waits for GPUs that this machine would have had");
		else
			add_check(t, MEASURE_ASKED, NAN, 0,
				  "its owner was told and needs nothing of it");
	} else if (again) {
		add_check(t, MEASURE_WAKE, NAN, conf->gates.capacity_min,
			  "plan.gates.capacity_min, each time");
	} else {
		add_check(t, MEASURE_WAKE, NAN, conf->gates.schedule_wake_min,
			  "plan.gates.schedule_wake_min");
	}
}

/* What prices a technique: each bound is where it stops being worth it, or stops being harmless. */
static void check_technique(enum technique t, const struct plan_conf *conf, struct arena *mem,
			    struct plan_trial *ret)
{
	double kept = 1 - conf->early_stop_lost_frac, near = 1 - conf->sweep_near_frac, min;

	switch (t) {
	case TECHNIQUE_STOP_EARLY:
		ret->runs = ret->runs_max = TRIAL_RUNS_MAX;
		add_check(ret, MEASURE_QUALITY, kept, NAN,
			  "beside one run to its end; plan.early_stop_lost_frac");
		return;
	case TECHNIQUE_BUDGET:
		add_check(
			ret, MEASURE_QUALITY, near, NAN,
			"the next sweep, its best within the budget beside the best of before; plan.sweep_near_frac");
		return;
	case TECHNIQUE_QUANTISE:
	case TECHNIQUE_COMPRESS:
		ret->runs = ret->runs_max = 0;
		ret->hours = 24;
		add_check(ret, MEASURE_QUALITY, 0.99, NAN,
			  "on your own test set; MLPerf Inference allows 1 % less");
		add_check(ret, MEASURE_SPEED, 1 / (1 - 0.1), NAN,
			  "the low end of what it may save");
		return;
	case TECHNIQUE_MIXED_PRECISION:
		add_check(ret, MEASURE_SPEED, 1.05, NAN,
			  "two runs of one program may differ by 5 %");
		add_check(ret, MEASURE_QUALITY, near, NAN,
			  "final metric beside a run as today; plan.sweep_near_frac");
		add_check(ret, MEASURE_EXIT, NAN, 0, "its loss stays finite to the end");
		return;
	case TECHNIQUE_TRANSFER:
		add_check(ret, MEASURE_SPEED, 1 / (1 - 0.1), NAN,
			  "time to the metric of today, the low end of what it may save");
		add_check(ret, MEASURE_QUALITY, 1, NAN, "no worse than from random weights");
		return;
	case TECHNIQUE_CHECKPOINT:
		/* Young 1974: the best interval of checkpoints that take C between failures M
		 * apart is sqrt(2 C M) */
		min = sqrt(2 * conf->checkpoint_stall_s * (MS_DAY / 1000.0)) / 60;
		add_check(
			ret, MEASURE_LOST, NAN, ceil(min),
			arena_printf(
				mem,
				"sqrt(2 x plan.checkpoint_stall_s x a day between failures) is %.0f min",
				min));
		add_check(ret, MEASURE_EXIT, NAN, 0, "it is continued, and ends well");
		return;
	case TECHNIQUE_REUSE:
		add_check(ret, MEASURE_QUALITY, near, NAN,
			  "of the result that was kept beside that of the run made again");
		return;
	case TECHNIQUE_CHECK_FIRST:
		add_check(ret, MEASURE_EXIT, NAN, 0, "one step on one GPU, of a run that works");
		return;
	case TECHNIQUE_SHARE:
		ret->runs = ret->runs_max = 0;
		ret->hours = 24;
		add_check(ret, MEASURE_SPEED, 1 / (1 + conf->slo_p99_growth_frac), NAN,
			  "of a cell or a request beside its neighbours; plan.slo_p99_growth_frac");
		add_check(ret, MEASURE_EXIT, NAN, 0, "none ends for the memory of another");
		return;
	case TECHNIQUE_N: return;
	}
}

void plan_trial_make(const struct plan *p, const struct rec *r, const struct catalog *cat,
		     const struct plan_conf *conf, struct arena *mem, struct plan_trial *ret)
{
	enum trial_kind kind;
	const struct action *a = main_action(r, &kind);
	struct facts f = facts_of(p, r, a);
	const struct workload *w = NULL;
	const char *pattern = "";

	if (r->change.n)
		w = &p->fleet->workload.v[r->change.v[0].workload];
	if (a && a->which.name.z)
		pattern = a->which.name.z;
	else if (w)
		pattern = workload_pattern(mem, w);

	/* "bert-large-#" is called "bert-large": plan/lever/lever_rightsize_gpu.c looks for that
	 * name too. */
	char *workload_name = arena_strn(mem, pattern, strlen(pattern));
	size_t n = strlen(workload_name);

	while (n && strchr("#*-_.", workload_name[n - 1]))
		workload_name[--n] = 0;
	*ret = (struct plan_trial){ .rec = r,
				    .kind = kind,
				    .workload = workload_name,
				    .runs = 1,
				    .runs_max = TRIAL_RUNS_MAX,
				    .gpus_from = f.gpus_from,
				    .gpus_to = f.gpus_to,
				    .told_days = conf->gates.stop_told_days,
				    .speed_told = num_if(f.told > 0, 1 / f.told),
				    .instance_type = "" };

	if (a)
		ret->which = a->which;
	if (a && a->kind == ACTION_SUBMIT && a->submit.now.instance_type.z)
		ret->instance_type = a->submit.now.instance_type.z;
	ret->from = f.from && *f.from ? catalog_gpu(cat, sv_of(f.from)) : NULL;
	ret->to = f.to && *f.to ? catalog_gpu(cat, sv_of(f.to)) : NULL;
	ret->cost_nano = f.runs ? (int64_t)(f.cost / (__int128)f.runs) : 0;
	take_actions(r, a, kind, mem, ret);
	if (a && a->kind == ACTION_TECHNIQUE) {
		check_technique(a->technique.technique, conf, mem, ret);
		/* tare profile tells speeds, and nothing of a metric */
		bool speed = false;
		for (size_t i = 0; i < ret->ncheck; i++)
			speed |= ret->check[i].what == MEASURE_SPEED;
		if (!speed)
			ret->workload = "";
		return;
	}
	if (a && a->kind == ACTION_TRIAL && a->trial.even_speed_frac > 0) {
		/* A run there, where the plan moves nothing before it is known. */
		const struct action_trial *even = &a->trial;
		ret->from = catalog_gpu(cat, sv_of(even->gpu_from));
		ret->to = catalog_gpu(cat, sv_of(even->gpu_to));
		ret->gpus_from = ret->gpus_to = even->gpus;
		ret->instance_type = even->instance_type.z;
		add_check(
			ret, MEASURE_SPEED, even->even_speed_frac, NAN,
			"from there on a run costs less than here: the price of an hour there, of that here");
		add_check(ret, MEASURE_EXIT, NAN, 0, "it ends well");
		return;
	}
	switch (kind) {
	case TRIAL_RUN: check_run(&f, memory_factor(p, r, conf, mem), mem, ret); break;
	case TRIAL_INTERRUPT: check_interrupt(&f, conf, mem, ret); break;
	case TRIAL_WATCH: check_watch(a, &f, conf, ret); break;
	case TRIAL_CANARY: check_canary(a, conf, ret); break;
	default: check_others(r, a, conf, ret); break;
	}
	if (kind != TRIAL_RUN && kind != TRIAL_INTERRUPT && kind != TRIAL_WATCH)
		ret->workload = "";
}

/* ---- judging ----------------------------------------------------------------------------- */

void trial_runs_add(const struct own_speed *o, struct trial_runs *runs)
{
	*vec_push(&runs->v) = (struct trial_run){ .workload = o->workload,
						  .run = o->run,
						  .gpu = o->gpu,
						  .gpus = o->gpus,
						  .steps_s = o->speed,
						  .memory_bytes = o->vram_p99_bytes,
						  .seconds = o->seconds / o->gpus,
						  .exit_code = 0,
						  .at_ms = o->at_ms };
}

/* Same GPU, as many of them; the number counts where the GPU stays. */
static bool is_on(const struct trial_run *r, const struct gpu_spec *gpu, double gpus)
{
	return gpu && r->gpu == gpu && fabs(r->gpus - gpus) < 0.5;
}

static double median_steps(const struct trial_runs *runs, const struct gpu_spec *gpu, double gpus,
			   size_t *ret_n)
{
	double *v = xcalloc(runs->v.n + 1, sizeof *v);
	size_t n = 0;

	*ret_n = 0;
	for (size_t i = 0; i < runs->v.n; i++) {
		const struct trial_run *r = &runs->v.v[i];
		if (!is_on(r, gpu, gpus))
			continue;
		++*ret_n;
		if (isfinite(r->steps_s))
			v[n++] = r->steps_s;
	}
	double m = median_of(v, n);
	free(v);
	return m;
}

static double value_of(const struct trial_result *r, enum trial_measure m, int worst_exit)
{
	switch (m) {
	case MEASURE_SPEED: return r->speed_frac;
	case MEASURE_STEPS: return r->steps_there;
	case MEASURE_MEMORY: return r->memory_bytes;
	case MEASURE_RUN: return r->seconds;
	case MEASURE_EXIT: return worst_exit < 0 ? NAN : worst_exit;
	default: return NAN; /* what no profile tells: people say so */
	}
}

void plan_trial_judge(const struct plan_trial *t, const struct trial_runs *runs, struct arena *mem,
		      struct trial_result *ret)
{
	const struct gpu_spec *to = t->to ? t->to : t->from;
	bool as_today = t->to == t->from && fabs(t->gpus_to - t->gpus_from) < 0.5;
	int worst = -1;

	*ret = (struct trial_result){
		.memory_bytes = NAN, .seconds = NAN, .speed_frac = NAN, .why = ""
	};
	ret->steps_now = median_steps(runs, t->from, t->gpus_from, &ret->here);
	ret->steps_there = median_steps(runs, to, t->gpus_to, &ret->there);
	if (!as_today)
		ret->speed_frac = ret->steps_there / ret->steps_now;
	for (size_t i = 0; i < runs->v.n; i++) {
		const struct trial_run *r = &runs->v.v[i];
		if (!is_on(r, to, t->gpus_to))
			continue;
		ret->memory_bytes = fmax(ret->memory_bytes, r->memory_bytes);
		ret->seconds = fmax(ret->seconds, r->seconds);
		worst = max_int(r->exit_code, worst);
	}
	if (!ret->there) {
		ret->why = "no run on it yet";
		return;
	}

	const struct trial_check *open = NULL, *close = NULL;
	for (size_t i = 0; i < t->ncheck; i++) {
		const struct trial_check *c = &t->check[i];
		double v = value_of(ret, c->what, worst);
		if (isnan(v)) {
			if (!open)
				open = c;
			continue;
		}
		/* memory and run time are the highest of all: those that come may be higher */
		bool more = c->what == MEASURE_SPEED && ret->there < TRIAL_RUNS_MAX;
		if (more && fabs(v / c->least - 1) < TRIAL_CLOSE_FRAC) {
			close = c;
			continue;
		}
		if (v < c->least || v > c->most) {
			const char *what = trial_measure_name(c->what);
			ret->verdict = TRIAL_NO_GO;
			if (v < c->least)
				ret->why = arena_printf(mem, "%s is %.4g, less than %.4g", what, v,
							c->least);
			else
				ret->why = arena_printf(mem, "%s is %.4g, more than %.4g", what, v,
							c->most);
			return;
		}
	}
	if (open)
		ret->why = arena_printf(mem, "%s is not known", trial_measure_name(open->what));
	else if (close)
		ret->why = arena_printf(mem, "%s is within %g %% of its bound: one more run",
					trial_measure_name(close->what), TRIAL_CLOSE_FRAC * 100);
	else if ((int64_t)ret->there < t->runs)
		ret->why = arena_printf(mem, "%zu of %lld runs", ret->there, (long long)t->runs);
	else
		ret->verdict = TRIAL_GO;
}
