#include "plan/fleet/fleet_sources.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"

#define LEFT_MS   (28 * MS_DAY) /* from so much on levers that look at weeks say something */
#define MATTERS   0.05          /* as for a level that changed: docs/PLAN.md */
#define MOST      0.9           /* before it there is hardly a fleet */
#define IS_THERE  0.5
#define SAME_PART 100 /* of the window: fleet_tail_ms() of its end */

static int by_start(const void *pa, const void *pb)
{
	const struct gpu_source *const *a = pa, *const *b = pb;

	return cmp_i64((*a)->from_ms, (*b)->from_ms);
}

/* GPUs that it has while it is there. */
static double gpus_of(const struct gpu_source *s)
{
	return (double)s->ms / (double)(s->to_ms - s->from_ms);
}

void sources_start(const struct gpu_source *src, size_t n, int64_t from_ms, int64_t to_ms,
		   struct sources_start *ret)
{
	const struct gpu_source **v = xcalloc(n + 1, sizeof *v);
	size_t there = 0, cut = SIZE_MAX;
	double all = 0, after = 0;
	int64_t same_ms = max_i64((to_ms - from_ms) / SAME_PART, MS_HOUR);

	*ret = (struct sources_start){ .from_ms = from_ms };
	for (size_t i = 0; i < n; i++) {
		bool seen = src[i].to_ms > from_ms && src[i].from_ms < to_ms;
		double span = (double)(min_i64(src[i].to_ms, to_ms) - src[i].from_ms);
		if (!seen || span < IS_THERE * (double)(to_ms - src[i].from_ms))
			continue;
		v[there++] = &src[i];
		all += gpus_of(&src[i]);
	}
	if (there)
		sort_items(v, there, sizeof *v, by_start);
	for (size_t i = there; i-- && cut == SIZE_MAX && v[i]->from_ms > from_ms + same_ms;) {
		double least = to_ms - v[i]->from_ms >= LEFT_MS ? MATTERS : MOST;
		after += gpus_of(v[i]);
		if (after >= least * all)
			cut = i;
	}
	if (cut != SIZE_MAX) {
		ret->first = v[cut];
		ret->from_ms = v[cut]->from_ms;
	}
	for (size_t i = 0; i < there && !ret->late; i++)
		if (v[i]->from_ms > ret->from_ms + same_ms)
			ret->late = v[i];
	free(v);
}
