/* The readings of a command: keeping them within bounds. See profile.h. */
#include "profile/profile.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

const char *profile_how_name(enum profile_how h)
{
	static const char *const name[] = { "", "process", "visible", "change" };
	return name[h];
}

void profile_free(struct profile *p)
{
	for (size_t i = 0; i < p->ndev; i++)
		vec_free(&p->dev[i].step);
	free(p->dev);
	vec_free(&p->host);
	arena_free(&p->mem);
	memset(p, 0, sizeof *p);
}

struct profile_dev *profile_dev_of(struct profile *p, const char *uuid, int index)
{
	for (size_t i = 0; i < p->ndev; i++)
		if (*uuid ? !strcmp(p->dev[i].uuid, uuid)
			  : !*p->dev[i].uuid && p->dev[i].index == index)
			return &p->dev[i];
	p->dev = xrealloc(p->dev, (p->ndev + 1) * sizeof *p->dev);
	struct profile_dev *d = &p->dev[p->ndev];
	memset(d, 0, sizeof *d);
	strncat(d->uuid, uuid, sizeof d->uuid - 1);
	d->index = index;
	d->share_ppb = 1000000000;
	d->first_ms = d->last_ms = d->last.t_ms = UNKNOWN_MS;
	d->mem_start_bytes = d->energy_start_j = d->energy_end_j = NAN;
	diag_facts_init(&d->facts);
	for (int m = 0; m < METRIC_N; m++)
		d->peak[m] = NAN;
	return &p->dev[p->ndev++];
}

/* ---- merging two and two ----------------------------------------------------------------- */

static double mean_of(double a, double b, double wa, double wb)
{
	if (isnan(a))
		return b;
	if (isnan(b))
		return a;
	return (a * wa + b * wb) / (wa + wb);
}

static bool keeps_most(int m) /* memory must fit at its peak */
{
	switch (m) {
	case METRIC_MEM_USED_BYTES:
	case METRIC_MEM_TOTAL_BYTES:
	case METRIC_XID:
	case METRIC_PROC_COUNT: return true;
	default: return false;
	}
}

static double merge_bits(double a, double b)
{
	if (isnan(a))
		return b;
	if (isnan(b))
		return a;
	return (double)((uint64_t)a | (uint64_t)b);
}

static void merge_step(const struct diag_step *a, const struct diag_step *b, struct diag_step *ret)
{
	struct diag_step s = *a;
	s.step_ms = a->step_ms + b->step_ms;
	for (int m = 0; m < METRIC_N; m++) {
		bool counts_on = m == METRIC_ENERGY_J || m == METRIC_ECC_UNCORRECTED;
		if (m == METRIC_THROTTLE_BITS)
			s.value[m] = merge_bits(a->value[m], b->value[m]);
		else if (counts_on)
			s.value[m] = known_or(b->value[m], a->value[m]);
		else if (keeps_most(m))
			s.value[m] = fmax(a->value[m], b->value[m]);
		else
			s.value[m] = mean_of(a->value[m], b->value[m], a->step_ms, b->step_ms);
	}
	for (int x = 0; x < DIAG_X_N; x++)
		s.extra[x] = mean_of(a->extra[x], b->extra[x], a->step_ms, b->step_ms);
	*ret = s;
}

void profile_add_step(struct profile *p, struct profile_dev *d, const struct diag_step *s)
{
	d->last = *s;
	if (d->step.n == PROFILE_MOST_STEPS) {
		for (size_t i = 0; i < d->step.n / 2; i++)
			merge_step(&d->step.v[2 * i], &d->step.v[2 * i + 1], &d->step.v[i]);
		d->step.n /= 2;
		p->merged = true;
	}
	/* as long as those before it: else quantiles would be of steps of different length */
	struct diag_step *last = NULL;
	if (d->step.n)
		last = &d->step.v[d->step.n - 1];
	bool halves = false; /* together no longer than the first, and next to each other */
	if (p->merged && d->step.n > 1) {
		int64_t step_ms = d->step.v[0].step_ms;
		halves = last->step_ms + s->step_ms <= step_ms && s->t_ms - last->t_ms <= step_ms;
	}
	if (halves)
		merge_step(last, s, last);
	else
		*vec_push(&d->step) = *s;
	for (int m = 0; m < METRIC_N; m++)
		d->peak[m] = fmax(d->peak[m], s->value[m]);
	if (isnan(d->energy_start_j))
		d->energy_start_j = s->value[METRIC_ENERGY_J];
	if (!isnan(s->value[METRIC_ENERGY_J]))
		d->energy_end_j = s->value[METRIC_ENERGY_J];
}

void profile_add_host(struct profile *p, const struct profile_host_step *s)
{
	p->host_last = *s;
	if (p->host.n == PROFILE_MOST_STEPS) {
		for (size_t i = 0; i < p->host.n / 2; i++) {
			const struct profile_host_step *a = &p->host.v[2 * i];
			const struct profile_host_step *b = &p->host.v[2 * i + 1];
			double wa = a->step_ms, wb = b->step_ms;
			p->host.v[i] = (struct profile_host_step){
				a->t_ms,
				a->step_ms + b->step_ms,
				(float)mean_of((double)a->cmd_cpu_pct, (double)b->cmd_cpu_pct, wa,
					       wb),
				(float)mean_of((double)a->host_cpu_pct, (double)b->host_cpu_pct, wa,
					       wb),
				fmaxf(a->rss_bytes, b->rss_bytes),
				(float)mean_of((double)a->disk_read_bytes_s,
					       (double)b->disk_read_bytes_s, wa, wb),
				(float)mean_of((double)a->disk_write_bytes_s,
					       (double)b->disk_write_bytes_s, wa, wb),
				fmaxf(a->procs, b->procs),
			};
		}
		p->host.n /= 2;
	}
	*vec_push(&p->host) = *s;
}
