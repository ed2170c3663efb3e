#include "answer/plan/plan_batch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "feed/planner/arrivals.h"
#include "feed/planner/migprof.h"
#include "sim/batches.h"

/*
 * What is replayed where nobody says how requests come: Poisson arrivals, and bursts: 0.7 and 1.3
 * times the rate in turn, ten seconds each in the mean. Of the two public traces of LLM requests
 * (Azure 2023) the rate over ten seconds varies by 0.27 (conversations: as here) and by 1.67 (code:
 * far more; such services need --requests).
 */
#define SWING        0.3
#define HOLD_MS      10000.0
#define SEEDS        2
#define MIN_REQUESTS 30000.0
#define MAX_REQUESTS 200000.0
#define SECONDS      600.0 /* at a rate in between */
/* Requests in the mean time between two changes of the rate: with fewer the changes are not felt,
 * and there would be millions of them. */
#define MIN_A_TURN   0.01
#define REPLICAS_MAX 10000000 /* of a replay */

static int read_profile(const struct batch_ask *q, struct batch_in *in, struct err *err)
{
	struct migprof p = { 0 };
	struct input *f;
	int r = input_open(q->profile, &f, err);

	if (r < 0)
		return r;
	r = migprof_read(f, &p, err);
	input_close(f);
	if (r >= 0) {
		/* The points of one size of instance and one number of processes. */
		VEC(struct batch_point) pt = { 0 };
		in->max_batch = 1;
		for (size_t i = 0; i < p.row.n; i++) {
			const struct migprof_row *w = &p.row.v[i];
			if (w->slices != q->slices || w->procs != q->procs || !(w->latency_ms > 0))
				continue;
			*vec_push(&pt) = (struct batch_point){ w->batch, w->latency_ms };
			if (w->batch > in->max_batch)
				in->max_batch = w->batch;
		}
		double *measured = arena_alloc(q->mem,
					       ((size_t)in->max_batch + 1) * sizeof *measured);
		r = pt.n ? batch_fit(pt.n, pt.v, &in->model, err)
			 : err_set(err, -ENODATA,
				   "the profile has no measurement with %d slices and %d processes",
				   q->slices, q->procs);
		if (r >= 0 && !isnan(in->model.beta_ms)) {
			batch_measured(pt.n, pt.v, &in->model, in->max_batch, measured);
			in->measured_ms = measured;
		}
		vec_free(&pt);
	}
	migprof_free(&p);
	return r;
}

/* ---- the replay -------------------------------------------------------------------------- */

struct trace {
	size_t n;
	double *t_ms;
};
/*
 * A bound must hold with the line and with the measured points: faster batches are no safe side, as
 * they are smaller batches too. For the same reason a 99th percentile is not smooth (0.4 % in the
 * latencies moved one by 2 %), so that much of the bound is kept in reserve.
 */
#define CURVES  2
#define RESERVE 0.02

struct replay {
	const struct batch_in *in;
	double *curve_ms[CURVES]; /* [absolute + 1] latency of a batch */
	size_t ncurve;
	struct trace trace[2 * SEEDS];
	size_t ntrace;
};

const char *batch_arrivals_name(enum batch_arrivals a)
{
	static const char *const name[] = { "bursts", "poisson", "requests" };
	return name[a];
}

/* Does the bound hold for every trace and curve, both ways of giving requests out? 1, 0, or a
 * negative errno. */
static int holds_bound(const struct replay *r, int replicas, int cap, struct err *err)
{
	if (replicas > REPLICAS_MAX)
		return err_set(err, -E2BIG, "no %d replicas or fewer keep the bound", REPLICAS_MAX);
	for (size_t k = 0; k < r->ntrace * r->ncurve * 2; k++) {
		const struct trace *t = &r->trace[k / 2 / r->ncurve];

		/* Requests that may take longer than the bound so that the 99th percentile (nearest
		 * rank) is within it. */
		int64_t may_be_over = (int64_t)t->n -
				      (int64_t)ceil(0.99 * (double)t->n * (1 - 1e-12));
		struct sim_batching b = { replicas,
					  cap,
					  r->curve_ms[k / 2 % r->ncurve],
					  r->in->slo_ms * (1 - RESERVE),
					  may_be_over,
					  (enum sim_dispatch)(k % 2) };
		struct sim_batches got;
		int e = sim_batches(t->n, t->t_ms, &b, NULL, &got, err);
		if (e < 0)
			return e;
		if (got.over > b.max_over)
			return 0;
	}
	return 1;
}

/* The worst 99th percentile of all. */
static double worst_p99(const struct replay *r, int replicas, int cap)
{
	double worst = 0;
	for (size_t k = 0; k < r->ntrace * r->ncurve * 2; k++) {
		const struct trace *t = &r->trace[k / 2 / r->ncurve];
		struct sim_batching b = { replicas,      cap, r->curve_ms[k / 2 % r->ncurve],
					  r->in->slo_ms, -1,  (enum sim_dispatch)(k % 2) };
		struct sim_batches got;
		double *latency = xmalloc((t->n + 1) * sizeof *latency);
		if (sim_batches(t->n, t->t_ms, &b, latency, &got, NULL) >= 0)
			worst = fmax(worst, sim_percentile(latency, t->n, 0.99));
		free(latency);
	}
	return worst;
}

/* From a number that does not hold up to one that does: steps that double, then halves. */
static int first_above(const struct replay *r, int fails, int cap, struct err *err)
{
	int step = 1, h;
	while ((h = holds_bound(r, fails + step, cap, err)) == 0) {
		fails += step;
		step *= 2;
	}
	int does = fails + step;
	while (h >= 0 && does - fails > 1) {
		int mid = fails + (does - fails) / 2;
		h = holds_bound(r, mid, cap, err);
		*(h > 0 ? &does : &fails) = mid;
	}
	if (h < 0)
		return h;
	return does;
}

/* The fewest from `least` on that hold, if one more holds too: with more replicas batches are
 * smaller, so one more is not sure to be better. A negative errno. */
static int find_fewest(const struct replay *r, int from, int least, int cap, struct err *err)
{
	int h = holds_bound(r, from, cap, err), k = from;
	if (!h)
		k = first_above(r, from, cap, err);
	if (k == from)
		while (h > 0 && k > least && (h = holds_bound(r, k - 1, cap, err)) > 0)
			from = --k;
	while (h >= 0 && k > 0 && (h = holds_bound(r, k + 1, cap, err)) == 0)
		k = first_above(r, k + 1, cap, err);
	if (h < 0)
		return h;
	return k;
}

/* The largest batch from the safe one up to the rule's that holds at these replicas, or a negative
 * errno. */
static int staggered_batch(const struct replay *r, const struct batch_plan *p, struct err *err)
{
	int does = p->safe, fails = p->staggered + 1, h = 0;
	if (p->staggered > p->safe)
		h = holds_bound(r, p->replicas, p->staggered, err);
	if (h) {
		if (h < 0)
			return h;
		return p->staggered;
	}
	while (h >= 0 && fails - does > 1) {
		int mid = does + (fails - does) / 2;
		h = holds_bound(r, p->replicas, mid, err);
		*(h > 0 ? &does : &fails) = mid;
	}
	if (h < 0)
		return h;
	return does;
}

static void add_trace(struct replay *r, size_t n, double *t_ms)
{
	r->trace[r->ntrace++] = (struct trace){ n, t_ms };
}

/* Seeded arrivals at the rate, bursts or independent. */
static void add_drawn(struct replay *r, bool bursts)
{
	double want = fmin(fmax(r->in->qps * SECONDS, MIN_REQUESTS), MAX_REQUESTS);
	size_t n = (size_t)want;
	bursts = bursts && r->in->qps * HOLD_MS / 1000 >= MIN_A_TURN;
	for (uint64_t seed = 1; seed <= SEEDS; seed++) {
		double *t = xmalloc(n * sizeof *t);
		if (bursts)
			sim_bursts(r->in->qps, SWING, HOLD_MS, seed, n, t);
		else
			sim_poisson(r->in->qps, seed, n, t);
		add_trace(r, n, t);
	}
}

/* The file's requests, brought to the rate asked; their own rate where none is. */
static int read_trace(const struct batch_ask *q, struct batch_in *in, struct replay *r,
		      struct err *err)
{
	struct arrivals a;
	struct input *f;
	int res = input_open(q->requests, &f, err);

	if (res < 0)
		return res;
	res = arrivals_read(f, &a, err);
	input_close(f);
	if (res < 0)
		return res;
	size_t n = a.t_ms.n;
	double span_ms = a.t_ms.v[n - 1], qps = (double)(n - 1) / span_ms * 1000;
	if (n < 2 || !(span_ms > 0) || !isfinite(qps)) {
		arrivals_free(&a);
		err_set(err, -EINVAL,
			n < 2 ? "'%s': one request: no rate follows from it"
			      : "'%s': all requests at one time: no rate follows from it",
			q->requests);
		err_hint(err, "Give the trace of an hour or more, or the rate alone: --qps N");
		return -EINVAL;
	}
	for (size_t i = 0; i < n && in->qps > 0; i++)
		a.t_ms.v[i] *= qps / in->qps;
	in->qps = in->qps > 0 ? in->qps : qps;
	add_trace(r, n, a.t_ms.v);
	return 0;
}

static int replay_batches(const struct batch_ask *q, struct replay *r, struct batch_answer *a,
			  struct err *err)
{
	struct batch_plan *p = &a->plan;

	int most = p->absolute;
	r->ncurve = r->in->measured_ms ? CURVES : 1;
	for (size_t k = 0; k < r->ncurve; k++) {
		r->curve_ms[k] = xcalloc((size_t)most + 1, sizeof *r->curve_ms[k]);
		for (int b = 1; b <= most; b++) {
			if (k)
				r->curve_ms[k][b] = r->in->measured_ms[b];
			else
				r->curve_ms[k][b] = batch_latency_ms(&r->in->model, b);
		}
	}
	int e;
	if (q->requests) {
		double least = ceil(r->in->qps / p->capacity_qps * (1 - 1e-12));
		e = find_fewest(r, least < 1 ? 1 : (int)least, 1, p->safe, err);
	} else { /* Poisson alone first, then bursts too from there on */
		add_drawn(r, false);
		e = find_fewest(r, p->replicas, p->replicas, p->safe, err);
		if (e > 0 && q->arrivals == BATCH_BURSTS) {
			int poisson = e;
			add_drawn(r, true);
			e = find_fewest(r, poisson, poisson, p->safe, err);
			a->replay.poisson_replicas = e > poisson ? poisson : 0;
		}
	}
	if (e > 0)
		batch_use_replicas(r->in, e, p);
	if (e >= 0)
		e = staggered_batch(r, p, err);
	if (e >= 0) {
		p->staggered = e;

		a->replay.done = true;
		a->replay.arrivals = q->requests ? BATCH_TRACE : q->arrivals;
		for (size_t i = 0; i < r->ntrace; i++)
			a->replay.requests += (int64_t)r->trace[i].n;
		a->replay.p99_ms = worst_p99(r, p->replicas, p->safe);
		a->replay.p99_fewer_ms = p->replicas > 1 ? worst_p99(r, p->replicas - 1, p->safe)
							 : NAN;
		if (p->staggered > p->safe)
			a->replay.p99_staggered_ms = worst_p99(r, p->replicas, p->staggered);
		else
			a->replay.p99_staggered_ms = a->replay.p99_ms;
	}
	for (size_t k = 0; k < r->ncurve; k++)
		free(r->curve_ms[k]);
	if (e < 0)
		return e;
	return 0;
}

int answer_plan_batch(const struct batch_ask *q, struct batch_answer *ret, struct err *err)
{
	struct replay r = { .in = &ret->in };
	int res = 0;

	*ret = (struct batch_answer){ .in = q->in };
	if (q->profile)
		res = read_profile(q, &ret->in, err);
	if (res >= 0 && q->requests)
		res = read_trace(q, &ret->in, &r, err);
	if (res >= 0)
		res = batch_decide(&ret->in, &ret->plan, err);
	/* one batch size alone says nothing of batches */
	bool known = !isnan(ret->in.model.beta_ms) && ret->plan.safe > 0;
	if (res >= 0 && known && ret->in.qps > 0)
		res = replay_batches(q, &r, ret, err);
	for (size_t i = 0; i < r.ntrace; i++)
		free(r.trace[i].t_ms);
	return res;
}
