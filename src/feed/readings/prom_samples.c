/* DCGM series of a Prometheus server -> samples. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "feed/readings/dcgm.h"
#include "feed/readings/prom.h"
#include "feed/readings/series.h"

#define NOBODY  -1
#define SEVERAL -2

struct gpu { /* or MIG instance */
	struct sample_key key;
	int64_t given, first_ms, last_ms; /* for the share of steps with readings */
};

/* Readings of a window: dense, [gpu][step]. Labels of a GPU change with its owner: what several
 * series say of one step is averaged. */
struct readings {
	size_t cap;     /* GPUs */
	double *sum;    /* [cap][nstep][DCGM_FIELD_N] */
	uint8_t *count; /* same */
	int32_t *job;   /* [cap][nstep] */
	bool *seen;
};

struct samples {
	struct prom *p;
	struct feed_series *out;
	struct intern names, jobs;
	VEC(struct gpu) gpu;
	struct str text;
	struct readings r;
	int64_t rows, stand_in;
};

static struct sv keep_text(struct samples *s, struct sv v)
{
	if (v.n)
		return (struct sv){ arena_strn(&s->p->mem, v.p, v.n), v.n };
	return SV_NULL;
}

static long gpu_of(struct samples *s, const struct prom_series *l)
{
	struct sv uuid = prom_label(l, dcgm_uuid), gpu = uuid.n ? uuid : prom_label(l, dcgm_index),
		  host = prom_label(l, dcgm_host), mig = prom_label(l, dcgm_mig),
		  profile = prom_label(l, dcgm_profile), port;
	size_t had = s->names.n;

	if (!gpu.n)
		return -1;
	/* the machine: the exporter's own label, else the host of the scraped address */
	if (!host.n)
		host = sv_cut(prom_label1(l, "instance"), ':', &port);
	str_clear(&s->text);
	str_addf(&s->text, "%.*s|%.*s|%.*s|%.*s", SVF(host), SVF(gpu), SVF(mig), SVF(profile));
	uint32_t id = intern_add(&s->names, str_sv(&s->text));
	if (s->names.n > had) {
		struct sv cluster = prom_label(l, dcgm_cluster);
		struct sample_key k = { .node = keep_text(s, host),
					.gpu = keep_text(s, gpu),
					.mig = keep_text(s, mig),
					.mig_profile = keep_text(s, profile),
					.gpu_model = keep_text(s, prom_label(l, dcgm_model)),
					.cluster = cluster.n ? keep_text(s, cluster)
							     : sv_of(s->p->opt->cluster) };
		*vec_push(&s->gpu) = (struct gpu){ .key = k, .first_ms = UNKNOWN_MS };
	}
	return (long)id;
}

static int32_t job_of(struct samples *s, const struct prom_series *l)
{
	if (!dcgm_owner(prom_label(l, dcgm_job), prom_label(l, dcgm_namespace),
			prom_label(l, dcgm_pod), &s->text))
		return NOBODY;
	return (int32_t)intern_add(&s->jobs, str_sv(&s->text));
}

/* ---- which GPUs a pod and a machine have ------------------------------------------------ */

static void owner_gpu(struct samples *s, const struct prom_series *l, const struct gpu *c)
{
	struct prom *p = s->p;
	struct sv pod = prom_label(l, dcgm_pod);

	if (!pod.n || dcgm_own_pod(pod))
		return;
	str_clear(&s->text);
	str_addf(&s->text, "%.*s/%.*s/%.*s", SVF(prom_label(l, dcgm_namespace)), SVF(pod),
		 SVF(prom_label(l, dcgm_container)));
	size_t had = p->owner.n;
	uint32_t id = intern_add(&p->owner, str_sv(&s->text));
	if (p->owner.n > p->owner_cap) {
		p->owner_cap = p->owner.n * 2;
		p->owner_gpus = xrealloc(p->owner_gpus, p->owner_cap * sizeof *p->owner_gpus);
	}
	if (p->owner.n > had)
		p->owner_gpus[id] = (struct prom_gpus){ .model = c->key.gpu_model };
	struct prom_gpus *h = &p->owner_gpus[id];
	str_clear(&s->text);
	str_addf(&s->text, c->key.mig.n ? "%.*s/%.*s" : "%.*s%.*s", SVF(c->key.gpu),
		 SVF(c->key.mig));
	for (size_t i = 0; i < h->id.n; i++)
		if (sv_eq(h->id.v[i], str_sv(&s->text)))
			return;
	if (h->id.n < 64)
		*vec_push(&h->id) = keep_text(s, str_sv(&s->text));
}

static void host_gpu(struct samples *s, const struct prom_series *l, const struct gpu *c)
{
	struct prom *p = s->p;
	size_t had = p->host.n;
	int64_t index;

	/* a number of five digits is no GPU of a machine */
	if (!c->key.node.n || !prom_label(l, dcgm_uuid).n)
		return;
	if (sv_i64(prom_label(l, dcgm_index), &index) < 0 || !within_i64(index, 0, 9999))
		return;
	uint32_t id = intern_add(&p->host, c->key.node);
	if (p->host.n > p->host_cap) {
		p->host_cap = p->host.n * 2;
		p->host_gpus = xrealloc(p->host_gpus, p->host_cap * sizeof *p->host_gpus);
	}
	if (p->host.n > had)
		p->host_gpus[id] = (struct prom_host_gpus){ 0 };
	struct prom_host_gpus *h = &p->host_gpus[id];
	while (h->uuid.n <= (size_t)index)
		*vec_push(&h->uuid) = SV_NULL;
	h->uuid.v[index] = c->key.gpu;
}

/* ---- a window ---------------------------------------------------------------------------- */

static void readings_free(struct readings *r)
{
	free(r->sum);
	free(r->count);
	free(r->job);
	free(r->seen);
	*r = (struct readings){ 0 };
}

/* Room for all GPUs known now; 0 or -E2BIG. */
static int readings_room(struct samples *s, size_t nstep, struct err *err)
{
	struct readings *r = &s->r;
	size_t had = r->cap * nstep, want;

	if (s->gpu.n <= r->cap)
		return 0;
	if (s->gpu.n * nstep > (size_t)s->p->max_readings)
		return err_set(err, -E2BIG, "%zu GPUs x %zu steps are too many to hold at once",
			       s->gpu.n, nstep);
	r->cap = s->gpu.n * 2;
	if (r->cap * nstep > (size_t)s->p->max_readings)
		r->cap = s->gpu.n;
	want = r->cap * nstep;
	r->sum = xrealloc(r->sum, want * DCGM_FIELD_N * sizeof *r->sum);
	r->count = xrealloc(r->count, want * DCGM_FIELD_N);
	r->job = xrealloc(r->job, want * sizeof *r->job);
	r->seen = xrealloc(r->seen, want);
	memset(r->count + had * DCGM_FIELD_N, 0, (want - had) * DCGM_FIELD_N);
	memset(r->seen + had, 0, want - had);
	return 0;
}

static void take_reading(struct readings *r, size_t at, int field, int32_t job, double v)
{
	if (!r->seen[at]) {
		r->seen[at] = true;
		r->job[at] = NOBODY;
	}
	if (job != NOBODY && r->job[at] != job)
		r->job[at] = r->job[at] == NOBODY ? job : SEVERAL;
	if (!dcgm_valid((enum dcgm_field)field, v))
		return;
	size_t i = at * DCGM_FIELD_N + (size_t)field;
	r->sum[i] = r->count[i] ? r->sum[i] + v : v;
	r->count[i] += r->count[i] < UINT8_MAX;
}

static int take_matrix(struct samples *s, const struct prom_matrix *m, int field, struct err *err)
{
	for (size_t i = 0; i < m->series.n; i++) {
		const struct prom_series *l = &m->series.v[i];
		long c = gpu_of(s, l);
		int rc;
		if (c < 0)
			continue;
		if ((rc = readings_room(s, m->nstep, err)) < 0)
			return rc;
		owner_gpu(s, l, &s->gpu.v[c]);
		host_gpu(s, l, &s->gpu.v[c]);
		int32_t job = job_of(s, l);
		for (size_t k = l->at; k < l->at + l->n; k++)
			take_reading(&s->r, (size_t)c * m->nstep + m->step.v[k], field, job,
				     m->v.v[k]);
	}
	return 0;
}

static int give_gpu(struct samples *s, size_t c, size_t nstep, int64_t from_ms, struct err *err)
{
	struct gpu *gpu = &s->gpu.v[c];
	struct sample v = { .step_ms = (int32_t)s->p->step_ms };
	double field[DCGM_FIELD_N];
	int rc = 0;

	for (size_t i = c * nstep; i < (c + 1) * nstep && rc >= 0; i++) {
		struct sample_key key = gpu->key;
		if (!s->r.seen[i])
			continue;
		for (size_t f = 0; f < DCGM_FIELD_N; f++) {
			size_t k = i * DCGM_FIELD_N + f;
			field[f] = s->r.count[k] ? s->r.sum[k] / s->r.count[k] : NAN;
		}
		key.job_id = s->r.job[i] >= 0 ? s->jobs.text[s->r.job[i]] : SV_NULL;
		v.t_ms = from_ms + (int64_t)(i - c * nstep) * s->p->step_ms;
		sample_clear(&v);
		s->stand_in += dcgm_sample(field, v.value);
		if (gpu->first_ms == UNKNOWN_MS)
			gpu->first_ms = v.t_ms;
		gpu->last_ms = v.t_ms;
		gpu->given++;
		rc = feed_series_put(s->out, feed_series_of(s->out, &key), &v, err);
		s->rows++;
	}
	return rc;
}

static int read_window(void *ctx, struct span of, struct err *err)
{
	struct samples *s = ctx;
	size_t nstep = (size_t)((of.to_ms - of.from_ms) / s->p->step_ms);
	char expr[128];
	int rc = 0;

	readings_free(&s->r);
	/* known already that it will not fit */
	if (s->gpu.n && (rc = readings_room(s, nstep, err)) < 0)
		return rc;
	for (int f = 0; f < DCGM_FIELD_N && rc >= 0; f++) {
		struct prom_matrix m;
		snprintf(expr, sizeof expr, "avg_over_time(%s[%%S])",
			 dcgm_field_name((enum dcgm_field)f));
		if ((rc = prom_range(s->p, expr, of, false, &m, err)) < 0)
			break;
		rc = take_matrix(s, &m, f, err);
		prom_matrix_free(&m);
	}
	for (size_t c = 0; rc >= 0 && c < s->gpu.n && c < s->r.cap; c++)
		rc = give_gpu(s, c, nstep, of.from_ms, err);
	return rc;
}

int prom_samples(struct prom *p, int64_t *ret_rows, struct err *err)
{
	struct samples s = { .p = p, .out = feed_series_new(p->sink, p->report, p->step_ms, 0) };
	int rc = prom_walk(p, "GPU readings", read_window, &s, err);

	int64_t given = 0, span = 0;

	if (rc >= 0)
		rc = feed_series_end(s.out, err);
	/* many steps without a reading mean that the server scrapes less often than that */
	for (size_t i = 0; i < s.gpu.n; i++)
		if (s.gpu.v[i].given) {
			given += s.gpu.v[i].given;
			span += (s.gpu.v[i].last_ms - s.gpu.v[i].first_ms) / p->step_ms + 1;
		}
	if (span > 10 && given * 4 < span * 3)
		feed_note(
			p->report,
			"only %.0f %% of the steps of %g s have readings: if the server scrapes less often, ask with a longer --step",
			100.0 * (double)given / (double)span, (double)p->step_ms / 1000);
	if (s.stand_in)
		feed_note(
			p->report,
			"where DCGM_FI_DEV_GPU_UTIL is missing, DCGM_FI_PROF_GR_ENGINE_ACTIVE was taken as utilisation");
	*ret_rows = s.rows;
	feed_series_free(s.out);
	readings_free(&s.r);
	intern_free(&s.names);
	intern_free(&s.jobs);
	vec_free(&s.gpu);
	str_free(&s.text);
	return rc;
}
