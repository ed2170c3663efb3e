#include "plan/fleet/fleet_sources.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"

#define LEFT_MS (28 * MS_DAY) /* from so much on levers that look at weeks say something */
/* A window is cut at the start of a source where it and all that begin later have of the GPUs: */
#define MATTERS_FRAC  0.05 /* where LEFT_MS are left; as for a level that changed: docs/PLAN.md */
#define MOST_FRAC     0.9  /* where less is left: before it there is hardly a fleet */
#define IS_THERE_FRAC 0.5  /* of the time since it came: by judgement */
#define SAME_PART     100  /* of the window at its begin; as fleet_tail_ms() at its end */

static int by_start(const void *pa, const void *pb)
{
	const struct gpu_source *const *a = pa, *const *b = pb;

	return cmp_i64((*a)->from_ms, (*b)->from_ms);
}

/* Mean number of its GPUs from its first hour to its last. */
static double mean_gpus(const struct gpu_source *s)
{
	return (double)s->ms / (double)(s->to_ms - s->from_ms);
}

void sources_start(const struct gpu_source *src, size_t n, int64_t from_ms, int64_t to_ms,
		   struct sources_start *ret)
{
	const struct gpu_source **v = xcalloc(n + 1, sizeof *v);
	size_t there = 0, cut = SIZE_MAX; /* of v; SIZE_MAX: no cut */
	double all = 0, after = 0;        /* GPUs: of today; of those that begin last */
	int64_t same_ms = max_i64((to_ms - from_ms) / SAME_PART, MS_HOUR);

	*ret = (struct sources_start){ .from_ms = from_ms };
	for (size_t i = 0; i < n; i++) {
		bool seen = src[i].to_ms > from_ms && src[i].from_ms < to_ms;
		double span = (double)(min_i64(src[i].to_ms, to_ms) - src[i].from_ms);
		if (!seen || span < IS_THERE_FRAC * (double)(to_ms - src[i].from_ms))
			continue;
		v[there++] = &src[i];
		all += mean_gpus(&src[i]);
	}
	sort_items(v, there, sizeof *v, by_start);
	/* from the one that came last: the first that counts for enough is the cut */
	for (size_t i = there; i-- && cut == SIZE_MAX && v[i]->from_ms > from_ms + same_ms;) {
		double least_frac = to_ms - v[i]->from_ms >= LEFT_MS ? MATTERS_FRAC : MOST_FRAC;
		after += mean_gpus(v[i]);
		if (after >= least_frac * all)
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
