/* Samples: streams of readings of a card, its MIG instances and jobs, and what a reading says. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ledger/attrib_line.h"

/* Jobs and MIG instances of one card at a time. */
#define STREAMS_MAX 4096
/* Power alone contradicts utilisation only where that claims a (nearly) fully busy card; small kernels at 30 % may well draw little. */
#define POWER_CONTRADICTS_UTIL_PCT 90.0

static struct reading classify_idle(const struct timeline *t, const struct sample *s, struct reading r)
{
	double used = s->value[METRIC_MEM_USED_BYTES], total = s->value[METRIC_MEM_TOTAL_BYTES], bound = t->conf->empty_bytes;
	if (isnan(total))
		total = t->g->mem_total_bytes;
	if (!isnan(total) && t->conf->empty_frac * total > bound)
		bound = t->conf->empty_frac * total;
	r.class = isnan(used) ? READ_HELD_NO_MEMORY : used <= bound ? READ_EMPTY : READ_HELD;
	r.estimated |= isnan(used);
	return r;
}

/* Does anything say that a card which claims to be busy does no work? */
static bool contradicted(const struct timeline *t, const struct sample *s, double util_pct)
{
	double sm = s->value[METRIC_SM_ACTIVE_FRAC], power = s->value[METRIC_POWER_W];
	if (!isnan(sm))
		return sm <= t->conf->stalled_sm_frac;
	return util_pct >= POWER_CONTRADICTS_UTIL_PCT && power <= t->conf->stalled_power_frac_tdp * t->g->tdp_w;
}

static struct reading classify(const struct timeline *t, const struct sample *s)
{
	double util = s->value[METRIC_GPU_UTIL_PCT], sm = s->value[METRIC_SM_ACTIVE_FRAC];
	struct reading r = { READ_NONE, false, 0 };
	if (!(util >= 0)) /* NAN, or rubbish below zero */
		util = NAN;
	/* MIG instances have no utilisation; and a zero beside active SMs is a counter that does not work. */
	if (isnan(util) || (util <= t->conf->idle_util_pct && sm > t->conf->stalled_sm_frac)) {
		if (!(sm >= 0))
			return r;
		util = sm * 100;
		r.estimated = true;
	}
	if (util > 100)
		util = 100;
	r.util_ppm = (int32_t)lround(util * 10000);
	if (util <= t->conf->idle_util_pct)
		return classify_idle(t, s, r);
	r.class = util < t->conf->underused_util_pct ? READ_UNDERUSED : READ_BUSY;
	if (r.class == READ_BUSY && contradicted(t, s, util)) {
		r.class = READ_STALLED;
		r.estimated = true;
	}
	return r;
}

/* The stream of what a sample names; a new one only for a sample that still speaks. 1, 0 if there is none, negative. */
static int stream_for(struct timeline *t, const struct attrib_sample *a, size_t *ret)
{
	size_t reuse = 0;
	if (!a->mig.n && !a->job_id.n) {
		*ret = 0;
		return 1;
	}
	for (size_t i = 1; i < t->stream.n; i++) {
		struct stream *s = &t->stream.v[i];
		if (sv_eq(s->mig, a->mig) && sv_eq(s->job, a->job_id)) {
			*ret = i;
			return 1;
		}
		if (!reuse && !s->linked && !line_alive(t, i))
			reuse = i;
	}
	if (a->s->t_ms + a->s->step_ms <= t->now_ms)
		return 0;
	if (!reuse && t->stream.n >= STREAMS_MAX)
		return err_set(t->err, -E2BIG, "samples of one GPU name more than %d jobs or MIG instances at a time", STREAMS_MAX);
	if (!reuse) {
		reuse = t->stream.n;
		*vec_push(&t->stream) = (struct stream){ 0 };
	}
	struct stream *s = &t->stream.v[reuse];
	free(s->text);
	s->text = xmalloc(a->mig.n + a->job_id.n + 1);
	memcpy(s->text, a->mig.n ? a->mig.p : "", a->mig.n);
	memcpy(s->text + a->mig.n, a->job_id.n ? a->job_id.p : "", a->job_id.n);
	s->mig = (struct sv){ s->text, a->mig.n };
	s->job = (struct sv){ s->text + a->mig.n, a->job_id.n };
	s->end_ms = INT64_MIN;
	t->stale = true;
	*ret = reuse;
	return 1;
}

/* Two rows of one instant (utilisation here, memory there) are one reading. */
static void merge_values(struct sample *into, const struct sample *with)
{
	for (int m = 0; m < METRIC_N; m++)
		if (isnan(into->value[m]))
			into->value[m] = with->value[m];
}

static int take_sample(struct timeline *t)
{
	const struct attrib_sample *a = &t->sample;
	size_t i = 0;
	int r = stream_for(t, a, &i);
	if (r <= 0)
		return r;
	struct stream *s = &t->stream.v[i];
	struct sample old = s->s;
	bool merge = s->end_ms != INT64_MIN && old.t_ms == a->s->t_ms && old.step_ms > 0;
	s->s = *a->s;
	if (merge)
		merge_values(&s->s, &old);
	s->owner = a->owner;
	s->end_ms = a->s->t_ms + a->s->step_ms;
	s->began_held = t->active.n > 0;
	s->r = classify(t, &s->s);
	return 0;
}

int line_fetch_sample(struct timeline *t)
{
	int r = t->next ? t->next(t->next_ctx, &t->sample, t->err) : 0;
	t->have_sample = r > 0;
	if (r <= 0)
		return r;
	const struct sample *s = t->sample.s;
	if (s->t_ms < t->last_t_ms)
		return err_set(t->err, -EINVAL, "samples of a GPU are not in the order of time");
	if (s->step_ms <= 0 || s->t_ms > INT64_MAX - s->step_ms)
		return err_set(t->err, -EINVAL, "a sample covers no time: its step is %d ms", s->step_ms);
	t->last_t_ms = s->t_ms;
	return 0;
}

int line_take_samples(struct timeline *t)
{
	while (t->have_sample && t->sample.s->t_ms <= t->now_ms) {
		/* One that is over by now (it lay in a gap) still ends what the one before it said. */
		int r = take_sample(t);
		if (r >= 0)
			r = line_fetch_sample(t);
		if (r < 0)
			return r;
	}
	return 0;
}

void line_link_streams(struct timeline *t)
{
	for (size_t i = 0; i < t->stream.n; i++)
		t->stream.v[i].linked = false;
	for (size_t k = 0; k < t->active.n; k++) {
		const struct attrib_alloc *a = &t->g->alloc[t->active.v[k]];
		int32_t *own = &t->hold[t->active.v[k]].stream;
		*own = -1;
		for (size_t i = 1; i < t->stream.n; i++) {
			struct stream *s = &t->stream.v[i];
			bool mig = s->mig.n && a->mig.n ? sv_eq(s->mig, a->mig) : false, job = s->job.n && sv_eq(s->job, a->job_id);
			/* A MIG instance both name decides; else the job, unless they name different instances. */
			if (!mig && (!job || (s->mig.n && a->mig.n)))
				continue;
			s->linked = true;
			/* The better of two: one that is being read. */
			if (*own < 0 || t->stream.v[*own].end_ms < s->end_ms)
				*own = (int32_t)i;
		}
	}
}
