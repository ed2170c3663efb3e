#include "answer/simulate/simulate_jobs.h"
#include "base/num.h"
#include "base/sort.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "feed/planner/plan_csv.h"
#include "model/model.h"
#include "sim/jobs_gen.h"

#define UNITS_MAX       1000000 /* GPUs of a job */
#define GPUS_OF_NOWHERE 1000 /* invented jobs ask for a share of these, where there is no limit */
#define GENERATED_LARGE 16   /* GPUs of the largest invented job */

struct list {
	const struct simulate_jobs_ask *q;
	struct plan_jobs jobs; /* in order of submit */
	size_t at;
	int64_t too_large, rounded_up;
};

static int by_submit(const void *pa, const void *pb)
{
	const struct plan_job *a = pa, *b = pb;

	if (a->submit_ms != b->submit_ms)
		return cmp_i64(a->submit_ms, b->submit_ms);
	return cmp_i64(a->line, b->line);
}

static bool is_too_large(const struct simulate_jobs_ask *q, int64_t gpus)
{
	const struct sim_pool *p = &q->pool[0];

	if (gpus > UNITS_MAX)
		return true;
	if (!p->capacity || q->npool > 1)
		return false;
	if (gpus > p->gpus_node)
		return (gpus + p->gpus_node - 1) / p->gpus_node > p->capacity / p->gpus_node;
	return gpus > p->capacity;
}

static int next_of_list(void *ctx, struct sim_job *ret)
{
	struct list *l = ctx;

	while (l->at < l->jobs.v.n) {
		const struct plan_job *j = &l->jobs.v.v[l->at++];
		int64_t rounded = 0, units = plan_job_whole_units(j, &rounded);
		if (!units || is_too_large(l->q, units)) {
			l->too_large += units > 0;
			continue;
		}
		l->rounded_up += rounded;
		*ret = l->q->like;
		ret->submit_ms = j->submit_ms;
		ret->run_ms = j->length_ms;
		ret->gpus = (int32_t)units;
		double slack_frac = l->q->slack_frac;
		if (j->deadline_ms != UNKNOWN_MS)
			ret->deadline_ms = j->deadline_ms;
		else if (isnan(slack_frac))
			ret->deadline_ms = INT64_MAX;
		else
			ret->deadline_ms = j->submit_ms +
					   (int64_t)((double)j->length_ms * (1 + slack_frac));
		if (j->preemptible == 0)
			ret->hazard_hour = 0;
		return 1;
	}
	return 0;
}

int answer_simulate_jobs(const struct simulate_jobs_ask *q, struct simulate_jobs *ret,
			 struct err *err)
{
	struct simulate_jobs a = { .priced = q->priced,
				   .gpus = q->pool[0].capacity,
				   .gpus_node = q->pool[0].gpus_node,
				   .seed = q->seed };
	struct list list = { .q = q };
	int r = 0;

	if (q->file) {
		struct input *in;
		if ((r = input_open(q->file, &in, err)) >= 0) {
			r = plan_jobs_read(in, &list.jobs, err);
			input_close(in);
		}
		if (r >= 0 && list.jobs.v.n)
			sort_items(list.jobs.v.v, list.jobs.v.n, sizeof *list.jobs.v.v, by_submit);
	}

	const struct sim_pool *p = &q->pool[0];
	struct jobs_gen g = { .n = q->generate,
			      .gpus = p->capacity ? p->capacity : GPUS_OF_NOWHERE,
			      .gpus_max = GENERATED_LARGE,
			      .load_frac = q->load_frac,
			      .seed = q->seed,
			      .like = q->like,
			      .slack_frac = q->slack_frac };
	if (p->capacity < GENERATED_LARGE)
		g.gpus_max = p->gpus_node;
	if (p->capacity && g.gpus_max > p->capacity)
		g.gpus_max = p->capacity;
	struct sim_input in = { .pool = q->pool,
				.npool = q->npool,
				.next = jobs_gen_next,
				.ctx = &g,
				.seed = q->seed };
	if (q->file) {
		in.next = next_of_list;
		in.ctx = &list;
	}
	double from_s = q->cpu_s ? q->cpu_s() : NAN;
	if (r >= 0)
		r = sim_jobs(&in, &a.r, err);
	a.cpu_s = q->cpu_s ? q->cpu_s() - from_s : NAN;
	a.too_large = list.too_large;
	a.rounded_up = list.rounded_up;
	if (r >= 0 && !a.r.jobs)
		r = err_set(err, -ENODATA, "there is no job to run");
	if (r >= 0)
		*ret = a;
	plan_jobs_free(&list.jobs);
	if (r < 0)
		return r;
	return 0;
}
