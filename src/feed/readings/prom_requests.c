/*
 * Request counters of vLLM and Triton -> requests per service and step. A counter's growth over a
 * step is the difference of its last values; a fall means that the service began again from 0. What
 * a series counted before its first value is not known to lie in the time asked for (retention may
 * begin in the middle of it) and is left out.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "feed/readings/prom.h"

#define BUCKETS_MAX 64

enum counter {
	C_OK,
	C_FAILED,
	C_TOKENS_IN,
	C_TOKENS_OUT,
	C_GPU_US,
	C_DURATION_US,
	C_PREFILL_S,
	C_DECODE_S,
	C_BUCKET,
	C_N
};
static const struct source {
	const char *metric;
	enum counter what;
	const char *service; /* label */
} source[] = {
	{ "vllm:request_success_total", C_OK, "model_name" },
	{ "vllm:prompt_tokens_total", C_TOKENS_IN, "model_name" },
	{ "vllm:generation_tokens_total", C_TOKENS_OUT, "model_name" },
	{ "vllm:e2e_request_latency_seconds_bucket", C_BUCKET, "model_name" },
	{ "vllm:request_prefill_time_seconds_sum", C_PREFILL_S, "model_name" },
	{ "vllm:request_decode_time_seconds_sum", C_DECODE_S, "model_name" },
	{ "nv_inference_request_success", C_OK, "model" },
	{ "nv_inference_request_failure", C_FAILED, "model" },
	{ "nv_inference_request_duration_us", C_DURATION_US, "model" },
	{ "nv_inference_compute_infer_duration_us", C_GPU_US, "model" },
};
#define NSOURCE (sizeof source / sizeof *source)

struct cell { /* a service in a step */
	double n[C_N];
	bool known[C_N];
	double bucket[BUCKETS_MAX]; /* cumulative */
};

struct last { /* of a series, from window to window */
	double v;
	bool known;
};

struct requests {
	struct prom *p;
	struct intern series, services;
	VEC(struct last) last;
	struct service {
		double le[BUCKETS_MAX];
		int nle;
	} * service;
	size_t service_cap;
	struct cell *cell; /* [services.n][nstep] of the window */
	struct str text;
	int64_t rows, scaled;
};

static uint32_t service_of(struct requests *q, const struct prom_series *l, size_t src)
{
	struct sv name = prom_label1(l, source[src].service);
	size_t had = q->services.n;
	uint32_t id = intern_add(&q->services, sv_or(name, SV("(unnamed)")));

	if (q->services.n > q->service_cap) {
		q->service_cap = q->services.n * 2;
		q->service = xrealloc(q->service, q->service_cap * sizeof *q->service);
	}
	if (q->services.n > had)
		q->service[id] = (struct service){ .nle = 0 };
	return id;
}

/* Number of the bucket with this upper bound, kept in rising order; -1 where there are too many. */
static int bucket_of(struct service *s, struct sv le)
{
	double bound;
	int i;

	if (sv_ieq(le, SV("+Inf")))
		bound = INFINITY;
	else if (sv_f64(le, &bound) < 0)
		return -1;
	for (i = 0; i < s->nle && s->le[i] != bound; i++)
		;
	if (i == BUCKETS_MAX)
		return -1;
	if (i == s->nle)
		s->le[s->nle++] = bound;
	return i;
}

static void grow_counters(struct requests *q, const struct prom_matrix *m,
			  const struct prom_series *l, size_t src, struct cell *row)
{
	size_t had = q->series.n;

	str_clear(&q->text);
	str_addf(&q->text, "%zu", src);
	for (size_t i = 0; i < l->nlabel; i++) /* the server gives labels in one order */
		str_addf(&q->text, "|%.*s=%.*s", SVF(l->name[i]), SVF(l->value[i]));
	uint32_t id = intern_add(&q->series, str_sv(&q->text));
	if (q->series.n > had)
		*vec_push(&q->last) = (struct last){ 0 };
	struct last *last = &q->last.v[id];
	enum counter what = source[src].what;
	int bucket = 0;

	if (what == C_BUCKET)
		bucket = bucket_of(&q->service[service_of(q, l, src)], prom_label1(l, "le"));
	if (what == C_OK && sv_is(prom_label1(l, "finished_reason"), "abort"))
		what = C_FAILED;
	for (size_t i = l->at; i < l->at + l->n; i++) {
		double v = m->v.v[i], d;
		struct cell *c = &row[m->step.v[i]];
		if (!(v >= 0) || isinf(v))
			continue;
		if (!last->known)
			d = 0;
		else if (v >= last->v)
			d = v - last->v;
		else
			d = v;
		last->v = v;
		last->known = true;
		if (what == C_BUCKET && bucket >= 0)
			c->bucket[bucket] += d;
		c->n[what] += d;
		c->known[what] = true;
	}
}

/* ---- rows -------------------------------------------------------------------------------- */

struct bin {
	double le, n;
};

static int by_bound(const void *a, const void *b)
{
	double x = ((const struct bin *)a)->le, y = ((const struct bin *)b)->le;

	return cmp_double(x, y);
}

/* "10:5;50:20;+Inf:1": bounds in ms, requests per bin, adding up to count (the counters may be read
 * a moment apart). */
static void write_histogram(struct requests *q, const struct service *s, const struct cell *c,
			    int64_t count, struct str *out)
{
	struct bin bin[BUCKETS_MAX];
	__int128 weight[BUCKETS_MAX], sum = 0;
	int64_t part[BUCKETS_MAX];

	str_clear(out);
	for (int i = 0; i < s->nle; i++)
		bin[i] = (struct bin){ s->le[i], c->bucket[i] };
	sort_items(bin, (size_t)s->nle, sizeof *bin, by_bound);
	for (int i = 0; i < s->nle; i++) {
		double own = bin[i].n - (i ? bin[i - 1].n : 0);
		weight[i] = own > 0 ? llround(own) : 0;
		sum += weight[i];
	}
	if (s->nle == 0 || sum == 0)
		return;
	q->scaled += sum != count;
	split_largest_remainder(count, (size_t)s->nle, weight, part);
	for (int i = 0; i < s->nle; i++) {
		if (!part[i])
			continue;
		if (isinf(bin[i].le))
			str_addf(out, "%s+Inf:%lld", text_if(out->n, ";"), (long long)part[i]);
		else
			str_addf(out, "%s%.10g:%lld", text_if(out->n, ";"), bin[i].le * 1000,
				 (long long)part[i]);
	}
}

static int give_row(struct requests *q, struct request_row *r, struct err *err)
{
	int rc = q->p->sink->request(q->p->sink->ctx, r, err);

	if (rc < 0)
		return rc;
	q->rows++;
	feed_cover(q->p->report, r->t_ms, r->t_ms + q->p->step_ms);
	return 0;
}

static int64_t known_count(const struct cell *c, enum counter what, double scale)
{
	if (c->known[what])
		return llround(c->n[what] * scale);
	return UNKNOWN_I64;
}

static int give_cell(struct requests *q, uint32_t service, const struct cell *c, int64_t t_ms,
		     struct err *err)
{
	struct request_row r = { .t_ms = t_ms,
				 .service = q->services.text[service],
				 .latency_ms = NAN,
				 .count = llround(c->n[C_OK]),
				 .tokens_in = known_count(c, C_TOKENS_IN, 1),
				 .tokens_out = known_count(c, C_TOKENS_OUT, 1),
				 .gpu_ms = known_count(c, C_GPU_US, 1e-3),
				 .prefill_ms = known_count(c, C_PREFILL_S, 1e3),
				 .decode_ms = known_count(c, C_DECODE_S, 1e3) };
	int64_t failed = llround(c->n[C_FAILED]);
	struct str h = { 0 };
	int rc = 0;

	if (r.count > 0) {
		write_histogram(q, &q->service[service], c, r.count, &h);
		r.latency_histogram = h.n ? str_sv(&h) : SV_NULL;
		if (!h.n && c->known[C_DURATION_US])
			r.latency_ms = c->n[C_DURATION_US] / 1000 / (c->n[C_OK] + c->n[C_FAILED]);
		rc = give_row(q, &r, err);
	}
	if (failed > 0 && rc >= 0) {
		/* tokens and times stand in the row before, or here when all failed */
		struct request_row f = { .t_ms = t_ms,
					 .service = r.service,
					 .status = SV("failed"),
					 .latency_ms = NAN,
					 .count = failed,
					 .tokens_in = UNKNOWN_I64,
					 .tokens_out = UNKNOWN_I64,
					 .gpu_ms = UNKNOWN_I64,
					 .prefill_ms = UNKNOWN_I64,
					 .decode_ms = UNKNOWN_I64 };
		if (r.count == 0) {
			f.tokens_in = r.tokens_in;
			f.tokens_out = r.tokens_out;
			f.gpu_ms = r.gpu_ms;
			f.prefill_ms = r.prefill_ms;
			f.decode_ms = r.decode_ms;
		}
		rc = give_row(q, &f, err);
	}
	str_free(&h);
	return rc;
}

static int count_services(struct requests *q, const struct prom_matrix *m, size_t nstep,
			  struct err *err)
{
	for (size_t src = 0; src < NSOURCE; src++)
		for (size_t i = 0; i < m[src].series.n; i++)
			service_of(q, &m[src].series.v[i], src);
	if (q->services.n * nstep > (size_t)q->p->max_readings / 4)
		return err_set(err, -E2BIG, "%zu services x %zu steps are too many to hold at once",
			       q->services.n, nstep);
	q->cell = xcalloc(q->services.n * nstep + 1, sizeof *q->cell);
	return 0;
}

static int read_window(void *ctx, struct span of, struct err *err)
{
	struct requests *q = ctx;
	size_t nstep = (size_t)((of.to_ms - of.from_ms) / q->p->step_ms), n;
	struct prom_matrix m[NSOURCE] = { { .nstep = 0 } };
	char expr[160];
	int rc = 0;

	for (n = 0; n < NSOURCE; n++) {
		snprintf(expr, sizeof expr, "last_over_time(%s[%%S])", source[n].metric);
		if ((rc = prom_range(q->p, expr, of, false, &m[n], err)) < 0)
			break;
	}
	if (rc >= 0 && (rc = count_services(q, m, nstep, err)) >= 0) {
		for (size_t src = 0; src < NSOURCE; src++)
			for (size_t i = 0; i < m[src].series.n; i++)
				grow_counters(
					q, &m[src], &m[src].series.v[i], src,
					&q->cell[service_of(q, &m[src].series.v[i], src) * nstep]);
	}
	for (uint32_t s = 0; s < q->services.n && rc >= 0; s++)
		for (size_t i = 0; i < nstep && rc >= 0; i++)
			rc = give_cell(q, s, &q->cell[s * nstep + i],
				       of.from_ms + (int64_t)i * q->p->step_ms, err);
	free(q->cell);
	q->cell = NULL;
	for (size_t i = 0; i < n; i++)
		prom_matrix_free(&m[i]);
	return rc;
}

int prom_requests(struct prom *p, int64_t *ret_rows, struct err *err)
{
	struct requests q = { .p = p };
	int rc = prom_walk(p, "requests", read_window, &q, err);

	if (q.scaled)
		feed_note(
			p->report,
			"in %lld steps the latency histogram counts other requests than the request counter: scaled to the counter",
			(long long)q.scaled);
	p->report->rows_kept += q.rows;
	*ret_rows = q.rows;
	intern_free(&q.series);
	intern_free(&q.services);
	vec_free(&q.last);
	free(q.service);
	str_free(&q.text);
	return rc;
}
