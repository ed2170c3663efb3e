/*
 * Jobs with readings of each of their GPUs, on machines that nobody described: GPUs that they asked
 * for and never used. Where a machine's type is known, lever_rightsize_count.c says which one does.
 */
#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "plan/alone/alone.h"
#include "base/sort.h"
#include "plan/workload.h"

#define TOP_SHOWN 3
#define FEW_FRAC  0.01 /* of the GPU time: less is not told */

struct asker {
	const char *name; /* "vision, train-#: 2 of 4 GPUs used" */
	int64_t unused_ms;
	size_t jobs;
};

static bool tells_gpus(const struct fleet *f, const struct workload *w)
{
	return w->kind == WORKLOAD_JOB && *w->job && w->gpus_milli >= 2000 &&
	       w->stats.covered_frac >= WORKLOAD_COVERED_FRAC &&
	       (int64_t)w->stats.gpus * 1000 >= w->gpus_milli && w->stats.gpus_needed >= 1 &&
	       (f->in_gpu_hours || !*w->instance_type);
}

static int by_unused(const void *pa, const void *pb)
{
	const struct asker *a = pa, *b = pb;
	int d = cmp_i64(b->unused_ms, a->unused_ms);

	if (d)
		return d;
	return strcmp(a->name, b->name);
}

void jobs_unused(const struct lever_in *in, struct rec_list *out)
{
	const struct fleet *f = in->fleet;
	VEC(struct asker) v = { 0 };
	struct intern key = { 0 };
	struct alone_sum sum = { 0 };
	int64_t all = 0;
	size_t n = 0;

	for (size_t i = 0; f->readings && i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		int64_t unused = w->gpus_milli - (int64_t)w->stats.gpus_needed * 1000;
		all += w->ms;
		if (!tells_gpus(f, w) || unused < 1000)
			continue;
		int64_t idle = (int64_t)((double)w->ms * (double)unused / (double)w->gpus_milli);
		const char *name = arena_printf(in->mem, "%.40s, %.40s: %d of %lld GPUs used",
						workload_owner(w), workload_pattern(in->mem, w),
						w->stats.gpus_needed,
						(long long)(w->gpus_milli / 1000));
		uint32_t k = intern_add(&key, sv_of(name));
		if (k == v.n)
			*vec_push(&v) = (struct asker){ .name = name };
		v.v[k].unused_ms += idle;
		v.v[k].jobs++;
		n++;
		alone_add(&sum, idle, alone_of(w));
	}
	if (n && (double)sum.ms >= FEW_FRAC * (double)all) {
		struct rec *r = alone_new(in, out, ADVICE_GPUS_UNUSED, "gpus-asked-unused");
		alone_about(in, r, sum);
		r->title = arena_printf(
			in->mem, "%zu job%s held GPUs that never worked and held no memory: %s", n,
			plural(n), alone_worth(in, r, sum));
		sort_items(v.v, v.n, sizeof *v.v, by_unused);
		for (size_t i = 0; i < v.n && i < TOP_SHOWN; i++)
			rec_evidence(
				in, r,
				(struct evidence){ QUALITY_MEASURED,
						   arena_printf(in->mem, "%s, %zu jobs: unused",
								v.v[i].name, v.v[i].jobs),
						   .unit = "GPU·h", .source = ALONE_TELEMETRY },
				"%.1f", hours_of(v.v[i].unused_ms));
		alone_may_save(r, 0, sum.back_nano);
	}
	vec_free(&v);
	intern_free(&key);
}
