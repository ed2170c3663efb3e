/* Samples: streams of readings of a GPU, its MIG instances and jobs, and what a reading says. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "ledger/attrib_line.h"

bool attrib_reads(const struct attrib_alloc *a, struct sv mig, struct sv job)
{
	bool job_named = job.n && a->job_id.n, mig_named = mig.n && a->mig.n;
	bool same_job = sv_eq(job, a->job_id) || (a->job_alias.n && sv_eq(job, a->job_alias));
	bool other_job = job_named && !same_job, other_mig = mig_named && !sv_eq(mig, a->mig);
	if ((!job_named && !mig_named) || other_job)
		return false;
	return !other_mig;
}

/* Jobs and MIG instances of one GPU at a time. */
#define STREAMS_MAX 4096
/* The stream of what a sample names; a new one only for a sample that still speaks. 1, 0 if there
 * is none, negative. */
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
		return err_set(
			t->err, -E2BIG,
			"samples of one GPU name more than %d jobs or MIG instances at a time",
			STREAMS_MAX);
	if (!reuse) {
		reuse = t->stream.n;
		*vec_push(&t->stream) = (struct stream){ 0 };
	}
	struct stream *s = &t->stream.v[reuse];
	free(s->text);
	s->text = xmalloc(a->mig.n + a->job_id.n + 1);
	memcpy(s->text, text_or(a->mig.p, ""), a->mig.n);
	memcpy(s->text + a->mig.n, text_or(a->job_id.p, ""), a->job_id.n);
	s->mig = (struct sv){ s->text, a->mig.n };
	s->job = (struct sv){ s->text + a->mig.n, a->job_id.n };
	s->end_ms = INT64_MIN;
	/* What the allocations of the GPU know of it. */
	const struct attrib_alloc *al = t->g->alloc;
	bool first = !t->names.n;
	if (first)
		intern_add(&t->names, SV("")); /* filled, even where no allocation has a name */
	for (size_t i = 0; first && i < t->g->nalloc; i++) {
		intern_add(&t->names, al[i].job_id);
		intern_add(&t->names, al[i].job_alias);
		intern_add(&t->names, al[i].mig);
	}
	s->known = false;
	s->like = false;
	s->compute = s->memory = 0;
	bool maybe = (s->mig.n && intern_find(&t->names, s->mig) >= 0) ||
		     (s->job.n && intern_find(&t->names, s->job) >= 0);
	for (size_t i = 0; maybe && i < t->g->nalloc && !(s->known && (s->like || !s->mig.n));
	     i++) {
		s->known |= attrib_reads(&al[i], s->mig, s->job);
		if (!s->like && s->mig.n && sv_eq(s->mig, al[i].mig)) {
			s->like = true;
			s->compute = al[i].mig_compute;
			s->memory = al[i].mig_memory;
		}
	}
	t->stale = true;
	*ret = reuse;
	return 1;
}

/* Is what a stream reads held now? */
static bool is_held(const struct timeline *t, size_t stream)
{
	const struct stream *s = &t->stream.v[stream];
	bool held = stream == 0 && t->active.n > 0;

	if (s->s.t_ms < t->now_ms && s->end_ms > t->now_ms) {
		/* it began in time that was not paid: who held then is not active any more */
		for (size_t i = 0; i < t->g->nalloc; i++) {
			const struct attrib_alloc *a = &t->g->alloc[i];
			bool then = a->from_ms <= s->s.t_ms && s->s.t_ms < a->to_ms;
			if (then && (stream == 0 || attrib_reads(a, s->mig, s->job)))
				return true;
		}
		return false;
	}
	if (stream && !t->stale)
		return s->linked; /* by those who are active still */
	for (size_t i = 0; stream && i < t->active.n && !held; i++)
		held = attrib_reads(&t->g->alloc[t->active.v[i]], s->mig, s->job);
	return held;
}

/* Two rows of one instant (utilisation here, memory there) are one reading. */
static void merge_sample(struct sample *io, const struct sample *newer)
{
	struct sample old = *io;

	*io = *newer;
	for (int m = 0; m < METRIC_N; m++)
		if (isnan(io->value[m]))
			io->value[m] = old.value[m];
}

static int take_sample(struct timeline *t)
{
	const struct attrib_sample *a = &t->sample;
	size_t i = 0;
	int r = stream_for(t, a, &i);
	if (r <= 0)
		return r;
	struct stream *s = &t->stream.v[i];
	bool merge = s->end_ms != INT64_MIN && s->s.t_ms == a->s->t_ms && s->s.step_ms > 0;
	if (merge)
		merge_sample(&s->s, a->s);
	else
		s->s = *a->s;
	s->owner = a->owner;
	if (a->mig_compute > 0) {
		s->compute = a->mig_compute;
		s->memory = a->mig_memory;
	}
	s->end_ms = a->s->t_ms + a->s->step_ms;
	s->began_held = is_held(t, i);
	s->r = reading_of(t->conf, t->g->mem_total_bytes, t->g->tdp_w, &s->s);
	return 0;
}

int line_fetch_sample(struct timeline *t)
{
	int r = 0;
	if (t->next)
		r = t->next(t->next_ctx, &t->sample, t->err);
	t->have_sample = r > 0;
	if (r <= 0)
		return r;
	const struct sample *s = t->sample.s;
	if (s->t_ms < t->last_t_ms)
		return err_set(t->err, -EINVAL, "samples of a GPU are not in the order of time");
	if (s->step_ms <= 0 || s->t_ms > INT64_MAX - s->step_ms)
		return err_set(t->err, -EINVAL, "a sample covers no time: its step is %d ms",
			       s->step_ms);
	t->last_t_ms = s->t_ms;
	return 0;
}

int line_take_samples(struct timeline *t)
{
	while (t->have_sample && t->sample.s->t_ms <= t->now_ms) {
		/* One that is over by now (it lay in a gap) still ends what the one before it
		 * said. */
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
			if (!attrib_reads(a, s->mig, s->job))
				continue;
			s->linked = true;
			/* The better of two: one that is being read. */
			if (*own < 0 || t->stream.v[*own].end_ms < s->end_ms)
				*own = (int32_t)i;
		}
	}
}

const struct stream *line_own_other(const struct timeline *t, uint32_t alloc)
{
	const struct attrib_alloc *a = &t->g->alloc[alloc];

	for (size_t i = 1; i < t->stream.n; i++)
		if (line_alive(t, i) && attrib_reads(a, t->stream.v[i].mig, t->stream.v[i].job))
			return &t->stream.v[i];
	return NULL;
}
