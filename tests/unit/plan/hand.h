#ifndef TESTS_PLAN_HAND_H
#define TESTS_PLAN_HAND_H
/* Fleets made by hand, and levers that look only at what the works cost, for tests of what is done
 * with any lever's proposals. */
#include "base/random.h"
#include "unit/base/test.h"
#include <errno.h>
#include <math.h>
#include "base/tm.h"
#include "plan/replay/compose.h"
#include "plan/levers.h"
#include "lines.h"

#define NANO 1000000000LL

/* A job or a replica that costs `nano` spread over [from, to). */
static inline struct workload *hand_workload(struct fleet *f, enum workload_kind kind,
					     const char *name, int64_t from_ms, int64_t to_ms,
					     int64_t gpus, int64_t nano)
{
	struct workload *w = vec_push(&f->workload);
	int64_t hours = (to_ms - from_ms + MS_HOUR - 1) / MS_HOUR, left = nano;

	*w = (struct workload){ .kind = kind,
				.job = kind == WORKLOAD_JOB ? name : "",
				.name = name,
				.user = "",
				.team = "red",
				.project = "",
				.env = "",
				.workload = "",
				.cluster = "",
				.node = "",
				.currency = "USD",
				.service = kind == WORKLOAD_SERVICE ? name : "",
				.provider = "aws",
				.region = "us-east-1",
				.zone = "",
				.instance_type = "",
				.gpu_model = "A100-SXM4-40GB",
				.purchase = "on_demand",
				.resource = "",
				.submit_ms = from_ms,
				.start_ms = from_ms,
				.end_ms = to_ms,
				.limit_ms = UNKNOWN_MS,
				.attempts = 1,
				.checkpointable = 1,
				.end_state = "COMPLETED",
				.gpus_milli = gpus * 1000,
				.elastic = true,
				.ms = (to_ms - from_ms) * gpus,
				.cost_nano = nano,
				.hour0 = f->hour.n,
				.nhour = (size_t)hours,
				.node_index = SIZE_MAX,
				.job_index = SIZE_MAX };
	w->deadline_ms = kind == WORKLOAD_JOB ? to_ms + (to_ms - from_ms) / 4 : UNKNOWN_MS;
	w->stats.mem_p99_bytes = NAN;
	w->measured_ms = w->ms;
	for (int64_t h = 0; h < hours; h++) {
		struct workload_hour *x = vec_push(&f->hour);
		*x = (struct workload_hour){ .hour_ms = tm_floor(from_ms, MS_HOUR) + h * MS_HOUR,
					     .ms = w->ms / hours,
					     .nano = left / (hours - h) };
		left -= x->nano;
	}
	f->cost_nano += nano;
	f->gpu_ms += w->ms;
	f->measured_ms += w->ms;
	return w;
}

static inline void hand_window(struct fleet *f, int days)
{
	*f = (struct fleet){ .currency = "USD",
			     .since_ms = 1790000000000,
			     .until_ms = 1790000000000 + days * MS_DAY };
	f->since_ms = f->data_from_ms = tm_floor(f->since_ms, MS_DAY);
	f->until_ms = f->data_to_ms = f->since_ms + days * MS_DAY;
}

static inline void hand_free(struct fleet *f)
{
	vec_free(&f->workload);
	vec_free(&f->hour);
	vec_free(&f->node);
	vec_free(&f->minute);
	vec_free(&f->service);
	vec_free(&f->note);
}

/* Some jobs and services, costs to the nano. */
static inline void hand_random(struct fleet *f, uint64_t seed)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f",
					     "g", "h", "i", "j", "k", "l" };
	uint64_t s = seed;
	size_t n = 2 + random_next(&s) % 10;

	hand_window(f, 7 + (int)(random_next(&s) % 60));
	for (size_t i = 0; i < n; i++) {
		bool service = random_next(&s) % 3 == 0;
		int64_t days = (f->until_ms - f->since_ms) / MS_DAY,
			from = f->since_ms + (int64_t)(random_next(&s) % (uint64_t)days) * MS_DAY;
		hand_workload(f, service ? WORKLOAD_SERVICE : WORKLOAD_JOB, names[i],
			      service ? f->since_ms : from,
			      service ? f->until_ms
				      : from + MS_HOUR * (1 + (int64_t)(random_next(&s) % 23)),
			      1 + (int64_t)(random_next(&s) % 8),
			      (int64_t)(random_next(&s) % 5000000000000));
	}
}

static inline int64_t hand_part(int64_t cost, int64_t part)
{
	return (int64_t)div_half_even((__int128)cost * part, 1000);
}

/* One recommendation a work of the kind: it costs part/1000 of what it did. */
static inline struct rec *hand_cut(const struct lever_in *in, struct rec_list *out,
				   const char *lever, uint32_t workload, int64_t part)
{
	const char *tail = in->fleet->workload.v[workload].name;
	struct rec *r = rec_new(in, out, lever, tail);
	struct rec_change *c = rec_change(in, r, workload);

	r->title = tail;
	c->after.cost_nano = hand_part(c->after.cost_nano, part);
	return r;
}

static inline int hand_trim(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	for (uint32_t i = 0; i < in->fleet->workload.n; i++)
		if (in->fleet->workload.v[i].kind == WORKLOAD_JOB &&
		    in->fleet->workload.v[i].cost_nano % 2)
			hand_cut(in, out, "trim_time", i, 617);
	return 0;
}

static inline int hand_share(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	for (uint32_t i = 0; i < in->fleet->workload.n; i++)
		if (in->fleet->workload.v[i].kind == WORKLOAD_SERVICE)
			hand_cut(in, out, "share", i,
				 400 + in->fleet->workload.v[i].cost_nano % 300);
	return 0;
}

static inline int hand_count(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	for (uint32_t i = 0; i < in->fleet->workload.n; i++)
		hand_cut(in, out, "rightsize_count", i, 700);
	return 0;
}

static inline int hand_gpu(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	for (uint32_t i = 0; i < in->fleet->workload.n; i++)
		hand_cut(in, out, "rightsize_gpu", i, 700);
	return 0;
}

/* Checkpoints cost 1 %, spot then 35 %. */
static inline int hand_spot(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	for (uint32_t i = 0; i < in->fleet->workload.n; i++) {
		const struct workload *w = &in->fleet->workload.v[i];
		if (w->kind != WORKLOAD_JOB)
			continue;
		struct rec *a = rec_new(in, out, "spot",
					arena_printf(in->mem, "checkpoints-%s", w->name)),
			   *b;
		struct rec_change *c = rec_change(in, a, i);
		c->after.cost_nano = hand_part(c->after.cost_nano, 1010);
		b = rec_new(in, out, "spot", w->name);
		c = rec_change(in, b, i);
		c->after.cost_nano = hand_part(c->after.cost_nano, 350);
		c->after.purchase = "spot";
		c->lo_nano = hand_part(c->after.cost_nano, 900);
		c->hi_nano = hand_part(c->after.cost_nano, 1200);
		b->replay.interruptions = 1;
		*vec_push(&b->depends_on) = a->id;
	}
	return 0;
}

static inline int hand_commit(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	struct rec *r = rec_new(in, out, "commit", "all");

	for (uint32_t i = 0; i < in->fleet->workload.n; i++)
		if (in->fleet->workload.v[i].kind == WORKLOAD_SERVICE) {
			struct rec_change *c = rec_change(in, r, i);
			c->after.cost_nano = hand_part(c->after.cost_nano, 600);
			c->after.purchase = "savings_plan";
		}
	r->fee_nano = 3 * NANO + 7;
	return 0;
}

static inline void hand_levers(struct lever table[LEVER_N])
{
	for (int i = 0; i < LEVER_N; i++) {
		table[i] = levers[i];
		table[i].propose = NULL;
	}
	table[LEVER_TRIM_TIME].propose = hand_trim;
	table[LEVER_SHARE].propose = hand_share;
	table[LEVER_RIGHTSIZE_COUNT].propose = hand_count;
	table[LEVER_RIGHTSIZE_GPU].propose = hand_gpu;
	table[LEVER_SPOT].propose = hand_spot;
	table[LEVER_COMMIT].propose = hand_commit;
}

static const struct plan_conf hand_conf = { .month_hours = 730,
					    .restart_minutes = 6,
					    .checkpoint_stall_s = 20,
					    .boot_minutes = 5,
					    .deadline_slack_frac = 0.25 };
static const struct plan_opt hand_opt = { .max_risk = RISK_HIGH,
					  .max_effort_days = INFINITY,
					  .horizon_days = 365,
					  .draws = 100,
					  .seed = 7,
					  /* by hand, without actions */
					  .unexecuted = true };

static inline struct plan_in hand_in(const struct lever table[LEVER_N], const struct fleet *f,
				     const struct plan_opt *o)
{
	return (struct plan_in){
		.table = table, .fleet = f, .conf = &hand_conf, .opt = o, .now_ms = f->until_ms
	};
}

#endif
