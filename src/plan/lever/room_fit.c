/* See room_fit.h. */
#include "plan/lever/room_fit.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "plan/lever/move.h"
#include "plan/workload.h"

struct machine {
	const char *node;
	int64_t *room; /* [hours] milli-GPUs */
};
struct rooms {
	const struct lever_in *in;
	int64_t from_ms;
	size_t hours;
	struct machine *machine; /* [n] */
	size_t n;
};

/* ---- room -------------------------------------------------------------------------------- */

/* Hours of the window that a workload touches, [*ret_from, *ret_to). */
static void find_hours(const struct rooms *m, int64_t from_ms, int64_t to_ms, size_t *ret_from,
		       size_t *ret_to)
{
	int64_t a = (from_ms - m->from_ms) / MS_HOUR, hours = (int64_t)m->hours,
		b = (to_ms - m->from_ms + MS_HOUR - 1) / MS_HOUR;

	if (from_ms < m->from_ms)
		a = 0;
	*ret_from = (size_t)min_i64(a, hours);
	*ret_to = (size_t)clamp_i64(b, (int64_t)*ret_from, hours);
}

static void add_free(struct rooms *m, const struct workload *w)
{
	struct machine *to = &m->machine[m->n++];

	*to = (struct machine){ w->node, xcalloc(m->hours + 1, sizeof *to->room) };
	for (size_t k = 0; k < w->nhour; k++) {
		const struct workload_hour *h = &m->in->fleet->hour.v[w->hour0 + k];
		int64_t at = (h->hour_ms - m->from_ms) / MS_HOUR;
		bool whole = h->hour_ms >= w->start_ms && h->hour_ms + MS_HOUR <= w->end_ms;
		if (whole && at >= 0 && at < (int64_t)m->hours)
			to->room[at] = h->ms * 1000 / MS_HOUR;
	}
}

/* Whoever held a part of it in a part of an hour has it for that hour; of time that nobody knows
 * all of it is taken. */
static void take_held(struct rooms *m, const struct workload *w)
{
	struct machine *of = NULL;

	for (size_t i = 0; i < m->n && !of; i++)
		if (!strcmp(m->machine[i].node, w->node))
			of = &m->machine[i];
	for (size_t k = 0; of && k < w->nhour; k++) {
		const struct workload_hour *h = &m->in->fleet->hour.v[w->hour0 + k];
		int64_t at = (h->hour_ms - m->from_ms) / MS_HOUR, left = 0;
		if (h->ms <= 0 || at < 0 || at >= (int64_t)m->hours)
			continue;
		/* the part of the hour that it was not there counted as free */
		if (w->kind != WORKLOAD_UNKNOWN)
			left = of->room[at] - max_i64(w->gpus_milli - h->ms * 1000 / MS_HOUR, 0);
		of->room[at] = max_i64(left, 0);
	}
}

static void find_room(struct rooms *m, const size_t *free, size_t n)
{
	const struct fleet *f = m->in->fleet;
	double unwatched = 1 - m->in->conf->gates.stop_watched_frac;

	for (size_t i = 0; i < n; i++) {
		const struct workload *w = &f->workload.v[free[i]];
		/* a list that may be partial is no witness, as for a machine that is stopped */
		if (*w->node && (double)w->assumed_ms <= unwatched * (double)w->ms)
			add_free(m, w);
	}
	for (size_t i = 0; i < f->workload.n && m->n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (*w->node && w->kind != WORKLOAD_FREE && w->kind != WORKLOAD_LINE)
			take_held(m, w);
	}
}

/* ---- jobs -------------------------------------------------------------------------------- */

static bool is_rented(const struct lever_in *in, size_t i, const char *gpu_model)
{
	const struct workload *w = &in->fleet->workload.v[i];

	if (w->kind != WORKLOAD_JOB || w->notebook || w->gpu_model != gpu_model)
		return false;
	if (!w->elastic || w->cost_nano <= 0 || !workload_is_batch(w))
		return false;
	return use_is_history(w, &in->use[i]) && in->use[i].cost_nano > 0 &&
	       !workload_is_frozen(in, w, "stop_idle");
}

static int by_start(const void *pa, const void *pb, void *ctx)
{
	const struct fleet *f = ctx;
	size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
	const struct workload *x = &f->workload.v[a], *y = &f->workload.v[b];

	if (x->start_ms != y->start_ms)
		return cmp_i64(x->start_ms, y->start_ms);
	if (x->job_index != y->job_index)
		return cmp_u64(x->job_index, y->job_index);
	return cmp_u64(a, b);
}

static bool has_room(const struct rooms *m, const struct machine *on, const struct workload *w)
{
	size_t a, b;

	find_hours(m, w->start_ms, w->end_ms, &a, &b);
	for (size_t h = a; h < b; h++)
		if (on->room[h] < w->gpus_milli)
			return false;
	return b > a;
}

/* All parts [n] of a job, each on a machine of its own; false: nothing is taken. */
static bool place_parts(const struct rooms *m, const size_t *part, size_t n)
{
	const struct fleet *f = m->in->fleet;
	size_t *on = xcalloc(n + 1, sizeof *on), k = 0;

	for (size_t i = 0; i < m->n && k < n; i++)
		if (has_room(m, &m->machine[i], &f->workload.v[part[k]]))
			on[k++] = i;
	for (size_t j = 0; j < k && k == n; j++) {
		const struct workload *w = &f->workload.v[part[j]];
		size_t a, b;
		find_hours(m, w->start_ms, w->end_ms, &a, &b);
		for (size_t h = a; h < b; h++)
			m->machine[on[j]].room[h] -= w->gpus_milli;
	}
	free(on);
	return k == n;
}

/* What is paid less where these are gone, by what happens to the machines that they leave. */
static int64_t saved_by(const struct lever_in *in, struct settle *s, const size_t *gone, size_t n,
			bool releases)
{
	struct rec r = { .lever = "stop_idle" };

	for (size_t i = 0; i < n; i++) {
		struct rec_change *c = rec_change(in, &r, (uint32_t)gone[i]);
		c->after.cost_nano = 0;
		c->after.end_ms = c->after.start_ms;
	}
	settle(s, &r, releases);
	int64_t saved = (int64_t)rec_saving(in, &r, NULL);
	vec_free(&r.change);
	return max_i64(saved, 0);
}

void room_fit(const struct lever_in *in, struct settle *s, const size_t *free_time, size_t n,
	      bool *placed, struct room_fit *ret)
{
	const struct fleet *f = in->fleet;
	struct rooms m = { .in = in, .from_ms = tm_floor(f->since_ms, MS_HOUR) };
	VEC(size_t) job = { 0 }, gone = { 0 };

	*ret = (struct room_fit){ 0 };
	m.hours = (size_t)((f->until_ms - m.from_ms + MS_HOUR - 1) / MS_HOUR);
	m.machine = xcalloc(n + 1, sizeof *m.machine);
	find_room(&m, free_time, n);
	for (size_t i = 0; i < f->workload.n && m.n; i++)
		if (!placed[i] && is_rented(in, i, f->workload.v[free_time[0]].gpu_model))
			*vec_push(&job) = i;
	if (job.n)
		qsort_r(job.v, job.n, sizeof *job.v, by_start, (void *)(uintptr_t)f);
	for (size_t i = 0, to; i < job.n; i = to) {
		size_t id = f->workload.v[job.v[i]].job_index, parts;
		for (to = i + 1;
		     to < job.n && id != SIZE_MAX && f->workload.v[job.v[to]].job_index == id;)
			to++;
		parts = to - i;
		if (id < f->job.n) /* none are known of a slice */
			parts = f->job.v[id].workloads;
		ret->of++;
		if (parts != to - i || !place_parts(&m, job.v + i, parts))
			continue;
		ret->jobs++;
		for (size_t k = i; k < to; k++) {
			placed[job.v[k]] = true;
			ret->gpu_hours += hours_of(f->workload.v[job.v[k]].ms);
			*vec_push(&gone) = job.v[k];
		}
	}
	if (gone.n) {
		ret->least_nano = saved_by(in, s, gone.v, gone.n, false);
		ret->most_nano = saved_by(in, s, gone.v, gone.n, true);
	}
	for (size_t i = 0; i < m.n; i++)
		free(m.machine[i].room);
	free(m.machine);
	vec_free(&job);
	vec_free(&gone);
}
