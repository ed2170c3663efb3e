/*
 * min over g of price_g / v_g subject to memory_g >= 1.1 * p99(memory used), 1 / v_g <= max
 *         slowdown,
 *
 * where v_g = min(1, speed_g / busy) for a workload that keeps only `busy` of its GPU's compute at
 * work (a server at 20 % needs a fifth of the speed), and v_g = speed_g for one that is bound by
 * the GPU (busy = 1). The constraint on time may be asked for at the low end of the speed's range.
 * Memory that is not known fits nothing: an out-of-memory costs more than any GPU. A GPU that the
 * program must be ported to is no candidate for one that runs today: it comes after those that are.
 */
#include "model/known.h"
#include "opt/size/gpu_choice.h"
#include "base/num.h"
#include "base/sort.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

const char *gpu_fit_text(enum gpu_fit f)
{
	static const char *const text[] = {
		"fits",     "too little memory", "memory need not known",
		"too slow", "may be too slow",   "speed not known",
		"no price", "needs a port"
	};
	return text[f];
}

/* Work per hour of a candidate whose speed against the present GPU is s. */
static double work_per_hour(const struct gpu_need *need, double s)
{
	if (need->busy_frac < 1)
		return fmin(1, s / need->busy_frac);
	return s;
}

struct key {
	int rank;
	double cost;
	size_t i;
};

static int key_cmp(const void *va, const void *vb)
{
	const struct key *a = va, *b = vb;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	if (isnan(a->cost) != isnan(b->cost)) {
		if (isnan(a->cost))
			return 1;
		return -1;
	}
	if (!isnan(a->cost) && a->cost != b->cost) {
		if (a->cost < b->cost)
			return -1;
		return 1;
	}
	return cmp_size(a->i, b->i);
}

int gpu_choose(const struct gpu_need *need, size_t n, struct gpu_candidate *c, size_t *ret_order,
	       struct err *err)
{
	if (!(need->busy_frac > 0 && need->busy_frac <= 1))
		return err_set(err, -EINVAL,
			       "the share of compute in use must be above 0 and at most 1");
	if (!(need->max_slowdown > 0) || need->vram_p99_gib < 0 || isinf(need->vram_p99_gib))
		return err_set(err, -EINVAL,
			       "the slowdown allowed must be above 0, memory 0 or more");
	struct key *k = calloc(n + 1, sizeof *k);
	int fit = 0;
	if (!k)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		struct gpu_candidate *x = &c[i];
		bool priced = x->nano_gpu_hour != INT64_MIN,
		     fast = x->speed > 0 && isfinite(x->speed);
		double least = x->speed, most = x->speed, slow = 1 / need->max_slowdown;
		if (x->lo > 0)
			least = x->lo;
		if (x->hi > 0)
			most = x->hi;
		x->nano_per_work = num_if(priced && fast,
					  (double)x->nano_gpu_hour / work_per_hour(need, x->speed));
		x->nano_lo = num_if(priced && fast,
				    (double)x->nano_gpu_hour / work_per_hour(need, most));
		x->nano_hi = num_if(priced && fast,
				    (double)x->nano_gpu_hour / work_per_hour(need, least));
		if (isnan(need->vram_p99_gib) || isnan(x->memory_gib))
			x->fit = GPU_MEMORY_UNKNOWN;
		else if (x->memory_gib < need->vram_p99_gib * GPU_CHOICE_VRAM_ROOM)
			x->fit = GPU_NO_MEMORY;
		else if (!fast)
			x->fit = GPU_SPEED_UNKNOWN;
		else if (work_per_hour(need, x->speed) < slow * (1 - 1e-9))
			x->fit = GPU_TOO_SLOW;
		else if (need->sure && work_per_hour(need, least) < slow * (1 - 1e-9))
			x->fit = GPU_MAY_BE_TOO_SLOW;
		else
			x->fit = priced ? GPU_FITS : GPU_NO_PRICE;
		if (x->fit == GPU_FITS && x->port && !need->ports)
			x->fit = GPU_NEEDS_PORT;
		int rank = 2;
		if (x->fit == GPU_FITS)
			rank = 0;
		else if (x->fit == GPU_NEEDS_PORT)
			rank = 1;

		k[i] = (struct key){ rank, x->nano_per_work, i };
		fit += x->fit == GPU_FITS;
	}
	sort_items(k, n, sizeof *k, key_cmp);
	for (size_t i = 0; i < n; i++)
		ret_order[i] = k[i].i;
	free(k);
	return fit;
}
