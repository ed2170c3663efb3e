/* See top_diag.h. */
#include "top/top_diag.h"

#include <math.h>

#include "model/known.h"

#define MAX_DEVS 16 /* of a job that are looked at together */

static void diag_of(struct arena *a, const struct top_model *m, const struct top_snap *s,
		    const struct snap_dev *d, struct diag_dev *ret)
{
	const struct top_track *k = top_track_of(m, d);
	const struct snap_part *p = top_main_part(d);

	size_t n = k ? k->npast : 0;
	struct diag_step *window = arena_alloc(a, (n + 1) * sizeof *window);
	for (size_t i = 0; i < n; i++)
		window[i] = *top_past(k, k->npast - 1 - i);
	*ret = (struct diag_dev){ .step = window, .n = k ? k->npast : 0 };
	diag_facts_init(&ret->facts);
	ret->facts.tdp_w = d->tdp_w;
	ret->facts.pcie_bytes_s = d->pcie_bytes_s;
	ret->facts.power_limit_w = num_if(d->info.parent < 0, d->info.power_limit_w);
	ret->facts.mem_total_bytes = d->info.mem_total_bytes;
	ret->facts.temp_slowdown_celsius = d->info.temp_slowdown_celsius;
	if (s->host.cpus > 0)
		ret->facts.cpus = s->host.cpus;
	ret->facts.serving = p && p->workload && !strcmp(p->workload, "inference");
	ret->facts.training = p && p->workload && !strcmp(p->workload, "training");
}

static bool same_job(const struct snap_part *a, const struct snap_part *b)
{
	if (!a || !b || !(a->held && b->held))
		return false;
	if (!a->job || !b->job || strcmp(a->job, b->job) != 0)
		return false;
	return a->user && b->user && !strcmp(a->user, b->user);
}

void top_diagnose(const struct top_model *m, const struct top_snap *s, const struct snap_dev *d,
		  struct diag_result *ret, size_t *ret_ndev)
{
	struct arena mem = { 0 };
	struct diag_dev dev[MAX_DEVS];

	/* The device first, then the others of its job: one that waits for another is seen only
	 * beside it. */
	const struct snap_part *p = top_main_part(d);
	size_t job_devs = 1;
	diag_of(&mem, m, s, d, &dev[0]);
	for (size_t i = 0; i < s->ndev && job_devs < MAX_DEVS; i++)
		if (&s->dev[i] != d && same_job(p, top_main_part(&s->dev[i])))
			diag_of(&mem, m, s, &s->dev[i], &dev[job_devs++]);
	*ret_ndev = job_devs;

	diag_run(dev, *ret_ndev, ret);
	arena_free(&mem);
}
