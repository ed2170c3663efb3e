/* Small fleets made by hand: works get hours of even price and time, so that every sum can be told
 * in the head. */
#include <math.h>
#include "base/tm.h"
#include "plan/alone/habits.h"
#include "plan/levers.h"
#include "plan/plan.h"
#include "../base/test.h"
#include "lines.h"

#define DAY0    1700006400000LL /* 2023-11-15T00:00:00Z */
#define AT(h)   (DAY0 + (int64_t)((h)*3600000.0))
#define NANO    1000000000LL
#define FIX_NOW 1795219200000LL /* 2026-11-21 */

struct fix {
	struct fleet f;
	struct plan_conf conf;
	struct catalog *cat;
	struct use *use;
	struct arena mem;
	struct text_list note;
	struct rec_list out;
};

static inline void fix_open(struct fix *x, double hours)
{
	struct err err = { 0 };

	*x = (struct fix){ .f = { .currency = "USD",
				  .since_ms = DAY0,
				  .until_ms = AT(hours),
				  .data_from_ms = DAY0,
				  .data_to_ms = AT(hours) } };
	if (catalog_open(NULL, &x->cat, &err) < 0 || plan_conf_load(NULL, &x->conf, &err) < 0)
		fail_msg("%s", err.msg);
}

/* A machine of 4 x V100 at 3.06 $ a GPU-hour. */
static inline size_t fix_node(struct fix *x, const char *name, const char *cluster, double from,
			      double to)
{
	*vec_push(&x->f.node) = (struct fleet_node){ .node = name,
						     .cluster = cluster,
						     .provider = "aws",
						     .region = "us-east-1",
						     .zone = "us-east-1a",
						     .instance_type = "p3.8xlarge",
						     .gpu_model = "V100-SXM2-16GB",
						     .purchase = "on_demand",
						     .currency = "USD",
						     .gpus_milli = 4000,
						     .from_ms = AT(from),
						     .to_ms = AT(to),
						     .elastic = true,
						     .vcpu = 32,
						     .ram_gib = 244 };
	return x->f.node.n - 1;
}

/* [from, to) on a machine; hours are whole but for the first and last. gpus of it; busy_frac of
 * each hour busy, the rest idle. */
static inline struct workload *fix_workload(struct fix *x, enum workload_kind kind, const char *job,
					    size_t node, int gpus, double from, double to,
					    double busy_frac)
{
	struct workload *w = vec_push(&x->f.workload);
	const struct fleet_node *n = node == SIZE_MAX ? NULL : &x->f.node.v[node];

	*w = (struct workload){ .kind = kind,
				.job = job,
				.name = job,
				.user = "ann",
				.team = "vision",
				.project = "",
				.env = "",
				.workload = "training",
				.cluster = n ? n->cluster : "",
				.node = n ? n->node : "",
				.currency = "USD",
				.service = "",
				.provider = "aws",
				.region = "us-east-1",
				.zone = "us-east-1a",
				.instance_type = n ? n->instance_type : "",
				.gpu_model = "V100-SXM2-16GB",
				.purchase = "on_demand",
				.resource = "",
				.submit_ms = AT(from),
				.start_ms = AT(from),
				.end_ms = AT(to),
				.limit_ms = UNKNOWN_MS,
				.deadline_ms = AT(to + (to - from) * 0.25),
				.attempts = 1,
				.checkpointable = -1,
				.end_state = "COMPLETED",
				.gpus_milli = gpus * 1000,
				.elastic = true,
				.hour0 = x->f.hour.n,
				.node_index = node,
				.job_index = SIZE_MAX };
	w->stats = (struct workload_stats){ .covered_frac = 1,
					    .util_mean_pct = 80 * busy_frac,
					    .util_p95_pct = 90,
					    .active_util_mean_pct = 80,
					    .idle_frac = 1 - busy_frac,
					    .sm_mean_frac = NAN,
					    .tensor_mean_frac = NAN,
					    .dram_mean_frac = NAN,
					    .occupancy_mean_frac = NAN,
					    .pcie_mean_bytes_s = NAN,
					    .cpu_mean_pct = NAN,
					    .power_mean_w = NAN,
					    .power_idle_w = NAN,
					    .mem_p99_bytes = 8e9,
					    .mem_peak_bytes = 8e9,
					    .mem_total_bytes = 16e9,
					    .spare_active_frac = NAN,
					    .gpus_needed = gpus,
					    .gpus_worked = gpus,
					    .all_worked_ms = AT(from),
					    .work_util_mean_pct = 80,
					    .cpu_peak_pct = NAN,
					    .mem_flat_frac = NAN,
					    .step_ms = 60000,
					    .last_active_ms = AT(to),
					    .gpus = gpus,
					    .gpus_used = gpus,
					    .first_busy_ms = AT(from),
					    .last_busy_ms = AT(to) };
	for (int64_t h = tm_floor(w->start_ms, MS_HOUR); h < w->end_ms; h += MS_HOUR) {
		int64_t a = h > w->start_ms ? h : w->start_ms,
			b = h + MS_HOUR < w->end_ms ? h + MS_HOUR : w->end_ms, ms = (b - a) * gpus;
		int64_t nano = (int64_t)((__int128)ms * 3060000000LL / MS_HOUR);
		*vec_push(&x->f.hour) = (struct workload_hour){
			.hour_ms = h,
			.ms = ms,
			.busy_ms = (int64_t)((double)ms * busy_frac),
			.idle_ms = kind == WORKLOAD_FREE ? 0
							 : ms - (int64_t)((double)ms * busy_frac),
			.nano = nano
		};
		w->nhour++;
		w->ms += ms;
		w->cost_nano += nano;
	}
	w->measured_ms = w->ms;
	if (kind == WORKLOAD_FREE) {
		w->job = w->name = w->team = w->user = w->workload = "";
		w->deadline_ms = UNKNOWN_MS;
		w->state_nano[STATE_UNALLOCATED] = w->cost_nano;
		w->start_ms = n->from_ms;
		w->end_ms = n->to_ms;
		w->stats.covered_frac = 0;
	} else {
		w->state_nano[STATE_IDLE_EMPTY] = (int64_t)((double)w->cost_nano * (1 - busy_frac));
		w->state_nano[STATE_BUSY] = w->cost_nano - w->state_nano[STATE_IDLE_EMPTY];
	}
	return w;
}

/* n runs of a habit ("eval-1" ...), one every so many hours, each on a machine of its own that
 * comes and goes with it, half of whose host it books. It is the first of them that is returned as
 * an index: works move as more come. */
static inline size_t fix_runs(struct fix *x, const char *name, int n, double every, double held)
{
	size_t first = x->f.workload.n;
	/* the last one ends near the end of the history: what has ended long ago is no habit any
	 * more */
	double hours = (double)(x->f.until_ms - x->f.since_ms) / MS_HOUR,
	       from = fmax(0, hours - 2 - (n - 1) * every - held);

	for (int i = 0; i < n; i++) {
		const char *job = arena_printf(&x->mem, "%s-%d", name, i + 1);
		size_t node = fix_node(x, arena_printf(&x->mem, "m-%s", job), "eval",
				       from + i * every, from + i * every + held);
		struct workload *w = fix_workload(x, WORKLOAD_JOB, job, node, 4, from + i * every,
						  from + i * every + held, 1);
		w->job = arena_printf(&x->mem, "%zu", 1000 + first + (size_t)i);
		w->limit_ms = (int64_t)(2 * held * MS_HOUR);
		*vec_push(&x->f.host) = (struct fleet_host){ .workload = first + (size_t)i,
							     .node = w->node,
							     .submit_ms = UNKNOWN_MS,
							     .from_ms = w->start_ms,
							     .to_ms = w->end_ms,
							     .gpus_milli = 4000,
							     .cpu_milli = 4000,
							     .ram_mib = 30 * 1024 };
	}
	return first;
}

static inline void fix_done(struct fix *x)
{
	x->use = xcalloc(x->f.workload.n + 1, sizeof *x->use);
	for (size_t i = 0; i < x->f.workload.n; i++) {
		struct workload *w = &x->f.workload.v[i];
		x->use[i] = (struct use){ .provider = w->provider,
					  .region = w->region,
					  .zone = w->zone,
					  .instance_type = w->instance_type,
					  .gpu_model = w->gpu_model,
					  .purchase = w->purchase,
					  .gpus_milli = w->gpus_milli,
					  .start_ms = w->start_ms,
					  .end_ms = w->end_ms,
					  .slowdown = 1,
					  .slowdown_hi = 1,
					  .limit_ms = w->limit_ms,
					  .cost_nano = w->cost_nano };
		x->f.cost_nano += w->cost_nano;
		if (w->node_index != SIZE_MAX) {
			x->f.node.v[w->node_index].ms += w->ms;
			x->f.node.v[w->node_index].cost_nano += w->cost_nano;
		}
	}
}

static inline void fix_ask(struct fix *x, enum lever_id lever)
{
	struct err err = { 0 };
	struct habits habits;
	const struct lever_in in = { .fleet = &x->f,
				     .use = x->use,
				     .habits = &habits,
				     .catalog = x->cat,
				     .conf = &x->conf,
				     .now_ms = FIX_NOW,
				     .seed = 1,
				     .mem = &x->mem,
				     .note = &x->note };

	for (size_t i = 0; i < x->out.v.n; i++)
		rec_free(x->out.v.v[i]);
	vec_clear(&x->out.v);
	habits_make(&x->f, &x->conf, &x->mem, &habits);
	assert_int_equal(levers[lever].propose(&in, &x->out, &err), 0);
	habits_free(&habits);
	for (size_t i = 0; i < x->out.v.n; i++)
		check_actions(&x->f, x->out.v.v[i]);
}

static inline struct rec *fix_rec(const struct fix *x, const char *id)
{
	for (size_t i = 0; i < x->out.v.n; i++)
		if (!strcmp(x->out.v.v[i]->id, id))
			return x->out.v.v[i];
	return NULL;
}

/* Dollars that it saves against the state. */
static inline double fix_saving(const struct fix *x, const struct rec *r)
{
	double sum = 0;

	for (size_t i = 0; i < r->change.n; i++)
		sum += (double)(x->use[r->change.v[i].workload].cost_nano -
				r->change.v[i].after.cost_nano) /
		       1e9;
	return sum;
}

static inline void fix_apply(struct fix *x, const struct rec *r)
{
	for (size_t i = 0; i < r->change.n; i++)
		x->use[r->change.v[i].workload] = r->change.v[i].after;
}

static inline void fix_close(struct fix *x)
{
	for (size_t i = 0; i < x->out.v.n; i++)
		rec_free(x->out.v.v[i]);
	vec_free(&x->out.v);
	free(x->use);
	vec_free(&x->note);
	arena_free(&x->mem);
	fleet_free(&x->f);
	plan_conf_free(&x->conf);
	catalog_free(x->cat);
}
#define assert_near(a, b)                                                               \
	do {                                                                            \
		if (fabs((a) - (b)) > 0.011)                                            \
			fail_msg("%s is %.4f, not %.4f", #a, (double)(a), (double)(b)); \
	} while (0)
