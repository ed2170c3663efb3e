/* The cheapest GPU that would do what a profile saw: memory p99 x 1.1, speed by own measurements,
 * the table of speeds or the roofline of its counters. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "profile/profile_fit.h"
#include "answer/plan/plan_gpu.h"
#include "base/num.h"
#include "base/str.h"
#include "plan/lever/own_speed.h"

#define GIB         ((double)(1 << 30))
#define BETTER_FRAC 0.10 /* cheaper by less than this is not worth the test on another GPU */
/* as for the verdict: what a few seconds needed says nothing of the run */
#define ENOUGH_MS 30000

/* Why it cannot be asked; NULL = it can. */
static const char *find_obstacle(const struct profile_report *r, const struct gpu_spec *on)
{
	if (!r->ndev)
		return "no GPU was used";
	for (size_t i = 0; i < r->ndev; i++) {
		if (r->dev[i]->is_mig)
			return "it ran on a MIG instance, which has no price of its own";
		if (strcmp(r->dev[i]->model, r->dev[0]->model) != 0)
			return "it ran on GPUs of different models";
	}
	if (!on)
		return "the catalogue does not know the GPU";
	if (isnan(r->all[METRIC_MEM_USED_BYTES].p99))
		return "the memory it used could not be read";
	if (r->judged.verdict == PROFILE_TOO_SHORT || r->gpu_ms < ENOUGH_MS)
		return "the run was too short to say what it needs";
	if (r->shared_ms * 10 > r->gpu_ms)
		return "others used the GPU too: its readings are not of this command alone";
	return NULL;
}

/* What was measured before, and now; now counts where both speak of this GPU, unless there were
 * several. */
static int own_speeds(const struct profile_after *q, const struct profile *p,
		      const struct profile_report *r, struct plan_gpu *a, struct err *err)
{
	struct own_speeds s;
	double vram;
	int res;

	if (!p->work)
		return 0;
	if ((res = own_speeds_load(q->dir, q->catalog, &s, err)) < 0)
		return res;
	a->q.nown = own_speeds_of(&s, p->work, a->q.own, &vram);
	own_speeds_free(&s);
	for (size_t i = 0; i < a->q.nown; i++)
		if (a->q.own[i].gpu == a->q.on)
			return 0;
	if (!isnan(r->steps_s) && a->q.nown < TRANSFER_MAX_OWN)
		a->q.own[a->q.nown++] = (struct gpu_speed_own){ a->q.on,
								r->steps_s / (double)r->ndev };
	return 0;
}

/* a: zeroed but for what it is asked with. */
static int choose_gpu(const struct profile_after *q, const struct profile *p,
		      const struct profile_report *r, struct plan_gpu *a, struct profile_fit *ret,
		      struct err *err)
{
	int res;

	a->on_given = a->q.same_maker = true;
	a->q.group = p->workload && !strcmp(p->workload, "inference") ? "serving" : "training";
	a->q.workload = plan_gpu_in_table(a->q.cat, a->q.group, p->work);

	double peak = gpu_roofline(a->q.on, false).pcie_gb_s * 1e9,
	       most = fmax(r->all[METRIC_PCIE_RX_BYTES_S].mean,
			   r->all[METRIC_PCIE_TX_BYTES_S].mean);
	a->q.shares = (struct roofline_shares){
		clamp_double(r->all[METRIC_GPU_UTIL_PCT].mean / 100, 0, 1),
		clamp_double(r->all[METRIC_SM_ACTIVE_FRAC].mean, 0, 1),
		clamp_double(r->all[METRIC_TENSOR_ACTIVE_FRAC].mean, 0, 1),
		clamp_double(r->all[METRIC_DRAM_ACTIVE_FRAC].mean, 0, 1),
		clamp_double(most / peak, 0, 1)
	};
	a->q.has_shares = true;
	a->q.need = (struct gpu_need){ r->all[METRIC_MEM_USED_BYTES].p99 / GIB, q->max_slowdown, 1,
				       false };
	a->q.market.provider = filled_or(p->rate.provider, NULL);
	a->q.market.region = filled_or(p->rate.region, NULL);
	a->q.cpu = machine_cpu_of(a->q.market.provider, p->rate.instance_type, NULL);
	if (a->q.cpu == CPU_ANY)
		a->q.cpu = machine_cpu_here();
	if (*p->rate.purchase && strcmp(p->rate.purchase, "owned") != 0)
		a->q.market.purchase = p->rate.purchase;
	if ((res = own_speeds(q, p, r, a, err)) < 0 || (res = plan_gpu_choose(a, err)) < 0)
		return res;
	ret->on = a->q.on->model;
	ret->vram_p99_gib = a->q.need.vram_p99_gib;
	ret->max_slowdown = a->q.need.max_slowdown;

	/* The GPU it runs on costs what is paid for it, not what the catalogue's cheapest
	 * costs. */
	if (p->rate.known && dec_fits_nano(p->rate.usd_gpu_hour))
		ret->slow_now = (double)dec_to_nano(p->rate.usd_gpu_hour);
	else
		ret->slow_now = plan_gpu_cost_now(a);

	/* The first GPUs that fit. */
	for (size_t i = 0; i < PROFILE_GPUS && (int64_t)i < a->fit; i++) {
		size_t k = a->order[i];
		const struct gpu_candidate *c = &a->cand[k];
		const struct gpu_price *price = &a->price[plan_gpu_number(a->q.cat, a->gpu[k])];
		ret->gpu[ret->ngpu++] = (struct profile_gpu){
			a->gpu[k]->model, c->memory_gib,    c->nano_gpu_hour,
			price->provider,  price->region,    price->instance_type,
			a->speed[k],      c->nano_per_work, c->nano_hi
		};
	}

	if (ret->ngpu) {
		const struct profile_gpu *k = &ret->gpu[0];
		ret->better = a->gpu[a->order[0]] != a->q.on &&
			      k->nano_per_work < ret->slow_now * (1 - BETTER_FRAC);
		ret->sure = ret->better && k->nano_hi < ret->slow_now;
	}
	ret->asked = true;
	return 0;
}

int profile_fit_make(const struct profile_after *q, const struct profile *p,
		     const struct profile_report *r, struct profile_fit *ret, struct err *err)
{
	struct plan_gpu a = { .q = { .cat = q->catalog, .market = { .now_ms = q->now_ms } } };
	int res = 0;

	*ret = (struct profile_fit){ .slow_now = NAN };
	if (r->ndev && *r->dev[0]->model)
		a.q.on = catalog_gpu(a.q.cat, sv_of(r->dev[0]->model));
	else
		a.q.on = NULL;
	ret->why_not = find_obstacle(r, a.q.on);
	if (!ret->why_not)
		res = choose_gpu(q, p, r, &a, ret, err);
	plan_gpu_free(&a);
	return res;
}
