/*
 * A job list without readings: how jobs ended, what was begun again, what was booked and not run,
 * how long they waited, who holds how much and which way that goes. What the GPUs did meanwhile
 * nobody has seen, so all of it is advice, in no sum.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "ledger/infer.h"
#include "model/job_end.h"
#include "plan/alone/alone.h"
#include "plan/workload.h"

#define LEVEL_JOBS      10 /* fewer tell no level */
#define TOP_SHOWN       3
#define LARGE_GPUS      8
#define AGAIN_MS        MS_DAY /* begun again under its name within so long after it failed */
#define HABIT_RUNS      3      /* that ended by themselves, before a limit is proposed for them */
#define BOOK_FACTOR     1.25   /* beside the 95th percentile of the runs */
#define OVER_FRAC       0.5    /* of what is booked and never run: less is no over-booking */
#define FEW_FRAC        0.01   /* of the GPU time: less is not told */
#define TOGETHER_FACTOR 1.2    /* what owners need apart, of what they need together */
#define LONG_WAIT_MS    (5 * MS_MINUTE)
#define UNREAD_FRAC     0.5
#define WEEK_MS         (7 * MS_DAY)
#define MONDAY_MS       (4 * MS_DAY) /* 1970-01-05, the first one */

/* A job, all its machines and attempts. */
struct job {
	const struct workload *w;     /* its first work */
	const struct fleet_job *told; /* of all its attempts */
	struct alone_sum sum;         /* GPU time in the window */
	int64_t gpus_milli;           /* at once, in the mean over its attempts */
	enum ending {
		ENDED_UNTOLD,
		ENDED_WELL,
		ENDED_FAILED,
		ENDED_TIMEOUT,
		ENDED_CANCELLED
	} ending;
	bool again; /* begun again within a day under its name after it failed */
};
struct jobs {
	const struct lever_in *in;
	struct rec_list *out;
	VEC(struct job) v;
	int64_t ms; /* of all */
};

struct owner_sum {
	const char *name;
	int64_t ms, n;
	double x; /* what else is summed */
};
struct sums {
	struct intern key;
	VEC(struct owner_sum) v;
};

static enum ending ending_of(const char *state)
{
	switch (job_end_of(sv_of(state))) {
	case JOB_END_UNTOLD: return ENDED_UNTOLD;
	case JOB_END_WELL:
	case JOB_END_REQUEUED: return ENDED_WELL;
	case JOB_END_TIMEOUT: return ENDED_TIMEOUT;
	case JOB_END_CANCELLED: return ENDED_CANCELLED;
	default: return ENDED_FAILED;
	}
}

/* What workload_owner() says of a job that names none is nobody's name. */
static bool is_owner(const char *name)
{
	return strcmp(name, "nobody") != 0;
}

static void gather_jobs(struct jobs *j)
{
	const struct fleet *f = j->in->fleet;
	size_t *at = xmalloc((f->job.n + 1) * sizeof *at);

	for (size_t i = 0; i < f->job.n; i++)
		at[i] = SIZE_MAX;
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		const struct fleet_job *told = fleet_job_of(f, w);
		if (!alone_is_job(w) || !told)
			continue;
		if (at[w->job_index] == SIZE_MAX) {
			at[w->job_index] = j->v.n;
			/* A notebook, a shell or a service ends by its time limit, as the ledger
			 * has it. */
			enum ending e = ending_of(told->end_state);
			bool session = infer_is_session(sv_of(w->name)) ||
				       !strcmp(w->workload, "inference");
			if (session && e == ENDED_TIMEOUT)
				e = ENDED_WELL;
			*vec_push(&j->v) = (struct job){ .w = w, .told = told, .ending = e };
		}
		struct job *x = &j->v.v[at[w->job_index]];
		alone_add(&x->sum, w->ms, alone_of(w));
		x->gpus_milli += w->gpus_milli;
		j->ms += w->ms;
	}
	free(at);
	for (size_t i = 0; i < j->v.n; i++) {
		const struct fleet_job *t = j->v.v[i].told;
		if (t->held_gpu_ms > 0 && t->held_ms > 0)
			j->v.v[i].gpus_milli =
				llround((double)t->held_gpu_ms / (double)t->held_ms * 1000);
	}
}

/* ---- by owner ---------------------------------------------------------------------------- */

static void sum_add(struct sums *s, const char *name, int64_t ms, double x)
{
	uint32_t k = intern_add(&s->key, sv_of(name));

	if (k == s->v.n)
		*vec_push(&s->v) = (struct owner_sum){ .name = name };
	s->v.v[k].ms += ms;
	s->v.v[k].n++;
	s->v.v[k].x += x;
}

static int by_most(const void *pa, const void *pb)
{
	const struct owner_sum *a = pa, *b = pb;

	if (a->ms != b->ms)
		return cmp_i64(b->ms, a->ms);
	return strcmp(a->name, b->name);
}

static void sums_sort(struct sums *s)
{
	if (s->v.n)
		sort_items(s->v.v, s->v.n, sizeof *s->v.v, by_most);
}

static void sums_free(struct sums *s)
{
	intern_free(&s->key);
	vec_free(&s->v);
}

/* The first ones by time, as evidence: "vision: failed". */
static void tell_top(const struct lever_in *in, struct rec *r, struct sums *s, const char *what)
{
	sums_sort(s);
	for (size_t i = 0; i < s->v.n && i < TOP_SHOWN; i++)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						arena_printf(in->mem, "%.60s: %s, %lld job%s",
							     s->v.v[i].name, what,
							     (long long)s->v.v[i].n,
							     plural(s->v.v[i].n)),
						.unit = "GPU·h", .source = ALONE_JOBS },
			     "%.1f", hours_of(s->v.v[i].ms));
	if (s->v.n)
		r->team = s->v.v[0].name;
}

static double percent_of(int64_t part, int64_t of)
{
	if (of > 0)
		return 100.0 * (double)part / (double)of;
	return 0;
}

static bool is_few(const struct jobs *j, int64_t ms)
{
	return (double)ms < FEW_FRAC * (double)j->ms;
}

/* ---- failed, and begun again ------------------------------------------------------------- */

struct named {
	const char *key;
	struct job *job;
};

static int by_name(const void *pa, const void *pb)
{
	const struct named *a = pa, *b = pb;
	int d = strcmp(a->key, b->key);

	if (d)
		return d;
	return cmp_i64(a->job->w->start_ms, b->job->w->start_ms);
}

static void tell_failed(struct jobs *j)
{
	int64_t ms[ENDED_CANCELLED + 1] = { 0 }, n[ENDED_CANCELLED + 1] = { 0 }, again = 0;
	struct alone_sum sum = { 0 }, again_sum = { 0 };
	struct sums by = { 0 };

	for (size_t i = 0; i < j->v.n; i++) {
		const struct job *x = &j->v.v[i];
		bool lost = x->ending == ENDED_FAILED || x->ending == ENDED_TIMEOUT;
		ms[x->ending] += x->sum.ms;
		n[x->ending]++;
		again += x->again;
		if (x->again && lost)
			alone_add(&again_sum, x->sum.ms, x->sum);
		if (!lost)
			continue;
		sum_add(&by, workload_owner(x->w), x->sum.ms, 0);
		alone_add(&sum, x->sum.ms, x->sum);
	}
	if (sum.ms > 0 && !is_few(j, sum.ms)) {
		struct rec *r = alone_new(j->in, j->out, ADVICE_JOBS_FAILED, "failed-jobs");
		alone_about(j->in, r, sum);
		r->title = arena_printf(
			j->in->mem,
			"%lld of %zu jobs failed or ran into their limit: %s, %.0f %% of all",
			(long long)(n[ENDED_FAILED] + n[ENDED_TIMEOUT]), j->v.n,
			alone_worth(j->in, r, sum), percent_of(sum.ms, j->ms));
		tell_top(j->in, r, &by, "failed");
		rec_evidence(j->in, r,
			     (struct evidence){ QUALITY_MEASURED, "ran into their limit",
						.unit = "GPU·h", .source = ALONE_JOBS },
			     "%.1f", hours_of(ms[ENDED_TIMEOUT]));
		rec_evidence(j->in, r,
			     (struct evidence){ QUALITY_MEASURED, "cancelled by somebody",
						.unit = "GPU·h", .source = ALONE_JOBS },
			     "%.1f", hours_of(ms[ENDED_CANCELLED]));
		rec_evidence(j->in, r,
			     (struct evidence){
				     QUALITY_MEASURED,
				     "begun again within a day under the name of one that failed",
				     .unit = "jobs", .source = ALONE_JOBS },
			     "%lld", (long long)again);
		rec_risk(
			j->in, r, "%s",
			"Some failures are the result: what can be saved is what a check or a checkpoint would have kept.");
		alone_may_save(r, again_sum.back_nano, sum.back_nano);
	}
	sums_free(&by);
}

/* ---- booked and not run ------------------------------------------------------------------ */

struct booking {
	const char *who;
	int64_t booked_ms, run_ms, limit_ms;
	VEC(int64_t) run; /* of those that ended by themselves */
	size_t n;
};
struct bookings {
	struct intern key;
	VEC(struct booking) v;
	int64_t booked_ms, run_ms; /* GPU time of all with a limit */
	size_t n;
};

static void add_bookings(struct jobs *j, struct bookings *b)
{
	for (size_t i = 0; i < j->v.n; i++) {
		const struct job *x = &j->v.v[i];
		const struct workload *w = x->w;
		if (w->limit_ms == UNKNOWN_MS || w->limit_ms <= 0)
			continue;
		const char *who = *w->user ? w->user : workload_owner(w);
		uint32_t k = intern_add(&b->key,
					sv_of(arena_printf(j->in->mem, "%s\x1f%s", who,
							   workload_pattern(j->in->mem, w))));
		if (k == b->v.n)
			*vec_push(&b->v) = (struct booking){
				.who = *w->name ? arena_printf(j->in->mem, "%.40s, %.40s", who,
							       workload_pattern(j->in->mem, w))
						: who
			};
		struct booking *g = &b->v.v[k];
		int64_t booked = (int64_t)((double)w->limit_ms * (double)x->gpus_milli / 1000),
			ran = (int64_t)((double)x->told->held_ms * (double)x->gpus_milli / 1000);
		g->booked_ms += booked;
		g->run_ms += min_i64(ran, booked);
		g->limit_ms = max_i64(w->limit_ms, g->limit_ms);
		g->n++;
		if (x->ending == ENDED_WELL || x->ending == ENDED_UNTOLD)
			*vec_push(&g->run) = x->told->longest_ms;
		b->booked_ms += booked;
		b->run_ms += min_i64(ran, booked);
		b->n++;
	}
}

static int by_unrun(const void *pa, const void *pb)
{
	const struct booking *a = pa, *b = pb;
	int64_t x = a->booked_ms - a->run_ms, y = b->booked_ms - b->run_ms;

	if (x != y)
		return cmp_i64(y, x);
	return strcmp(a->who, b->who);
}

static int64_t quantile_i64(int64_t *v, size_t n, double q)
{
	size_t at = 0;

	if (n)
		at = (size_t)ceil(q * (double)n);
	sort_items(v, n, sizeof *v, rising_i64);
	if (n)
		return v[at ? at - 1 : 0];
	return 0;
}

static void tell_overbooked(struct jobs *j)
{
	struct bookings b = { 0 };

	add_bookings(j, &b);
	int64_t over = b.booked_ms - b.run_ms;
	if (b.booked_ms > 0 && (double)over >= OVER_FRAC * (double)b.booked_ms) {
		struct rec *r = alone_new(j->in, j->out, ADVICE_JOBS_BOOKED, "over-booked");
		r->title = arena_printf(
			j->in->mem,
			"%zu job%s %s and run %s, %.0f %% of it: shorter limits start sooner", b.n,
			b.n == 1 ? " books" : "s book", alone_time(j->in, b.booked_ms),
			alone_time(j->in, b.run_ms), percent_of(b.run_ms, b.booked_ms));
		sort_items(b.v.v, b.v.n, sizeof *b.v.v, by_unrun);
		for (size_t i = 0; i < b.v.n && i < TOP_SHOWN; i++) {
			/* A limit that would have done for 19 of 20 runs, and a quarter. */
			const struct lever_in *in = j->in;
			struct booking *g = &b.v.v[i];
			int64_t p95 = quantile_i64(g->run.v, g->run.n, 0.95);

			if (g->run.n < HABIT_RUNS)
				continue;
			rec_evidence(
				in, r,
				(struct evidence){
					QUALITY_MEASURED,
					arena_printf(
						in->mem,
						"%s: %zu jobs book up to %.3g h; 19 of 20 end within",
						g->who, g->n, hours_of(g->limit_ms)),
					.unit = "h", .source = ALONE_JOBS },
				"%.3g", hours_of(p95));
			rec_evidence(in, r,
				     (struct evidence){ QUALITY_ESTIMATED,
							"a limit for them: that and a quarter",
							.unit = "h", .source = "estimate" },
				     "%.3g", hours_of(p95) * BOOK_FACTOR);
		}
		rec_risk(
			j->in, r, "%s",
			"A limit kills: what takes longer than it did before is lost, without checkpoints.");
	}
	for (size_t i = 0; i < b.v.n; i++)
		vec_free(&b.v.v[i].run);
	vec_free(&b.v);
	intern_free(&b.key);
}

/* ---- the wait ---------------------------------------------------------------------------- */

static void tell_waits(struct jobs *j)
{
	int64_t *wait = xcalloc(j->v.n + 1, sizeof *wait);
	struct sums by = { 0 };
	size_t n = 0, lengthy = 0;
	struct alone_sum late = { 0 };
	double ms = 0;

	for (size_t i = 0; i < j->v.n; i++) {
		const struct job *x = &j->v.v[i];
		int64_t t = x->told->wait_ms;
		if (t == UNKNOWN_MS)
			continue;
		wait[n++] = t;
		ms += (double)t;
		if (t < LONG_WAIT_MS)
			continue;
		int64_t gpus = x->told->wait_gpu_ms;
		if (!x->told->held_gpu_ms)
			gpus = (int64_t)((double)t * (double)x->gpus_milli / 1000);
		lengthy++;
		alone_add(&late, gpus, x->sum);
		sum_add(&by, workload_owner(x->w), gpus, (double)t);
	}
	if (lengthy && !is_few(j, late.ms)) {
		struct rec *r = alone_new(j->in, j->out, ADVICE_JOBS_WAIT, "queue-wait");
		r->title = arena_printf(
			j->in->mem,
			"%zu of %zu jobs waited 5 minutes or more for their GPUs: %s of work came that much later",
			lengthy, n, alone_worth(j->in, r, late));
		rec_evidence(j->in, r,
			     (struct evidence){ QUALITY_MEASURED, "wait, median", .unit = "h",
						.source = ALONE_JOBS },
			     "%.3g", hours_of(quantile_i64(wait, n, 0.5)));
		rec_evidence(j->in, r,
			     (struct evidence){ QUALITY_MEASURED, "wait, 95th percentile",
						.unit = "h", .source = ALONE_JOBS },
			     "%.3g", hours_of(quantile_i64(wait, n, 0.95)));
		rec_evidence(j->in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"wait of all jobs, whoever sat before it",
						.unit = "h", .source = ALONE_JOBS },
			     "%.1f", ms / MS_HOUR);
		tell_top(j->in, r, &by, "GPUs x wait");
	}
	sums_free(&by);
	free(wait);
}

/* ---- who, how much, which way ------------------------------------------------------------ */

/* Adds the GPUs that a workload holds in each hour from then on, as a mean. held [n]. */
static void add_held(const struct fleet *f, const struct workload *w, int64_t from_ms, double *held,
		     size_t n)
{
	for (size_t k = 0; k < w->nhour; k++) {
		const struct workload_hour *h = &f->hour.v[w->hour0 + k];
		int64_t at = (h->hour_ms - tm_floor(from_ms, MS_HOUR)) / MS_HOUR;
		if (at >= 0 && at < (int64_t)n)
			held[at] += (double)h->ms / MS_HOUR;
	}
}

static double most_of(const double *held, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, held[i]);
	return most;
}

static int by_owner(const void *pa, const void *pb)
{
	const struct workload *const *a = pa, *const *b = pb;
	int d = strcmp(workload_owner(*a), workload_owner(*b));

	if (d)
		return d;
	return (*a > *b) - (*a < *b);
}

static void never_together(struct jobs *j, struct sums *most, double all)
{
	double apart = 0;

	for (size_t i = 0; i < most->v.n; i++)
		apart += most->v.v[i].x;
	if (most->v.n < 2 || apart < all * TOGETHER_FACTOR)
		return;
	struct rec *r = alone_new(j->in, j->out, ADVICE_JOBS_APART, "never-together");
	r->title = arena_printf(
		j->in->mem,
		"%zu owners take up to %s GPUs in the mean of an hour, each at its own time; together up to %s: a difference of %s that one pool shares",
		most->v.n, alone_number(j->in, apart), alone_number(j->in, all),
		alone_number(j->in, apart - all));
	sums_sort(most);
	for (size_t i = 0; i < most->v.n && i < TOP_SHOWN; i++)
		rec_evidence(j->in, r,
			     (struct evidence){ QUALITY_MEASURED,
						arena_printf(j->in->mem, "%.60s: most in one hour",
							     most->v.v[i].name),
						.unit = "GPUs", .source = ALONE_JOBS },
			     "%.1f", most->v.v[i].x);
	rec_risk(
		j->in, r, "%s",
		"Whoever waits in a common pool had a share of its own before: agree on priorities first.");
}

static void tell_level(struct jobs *j)
{
	const struct fleet *f = j->in->fleet;
	int64_t from_ms, to_ms;
	alone_jobs_span(f, &from_ms, &to_ms);
	size_t n = (size_t)((to_ms - from_ms + MS_HOUR - 1) / MS_HOUR);
	double *held = xcalloc(n + 1, sizeof *held), sum = 0;
	struct sums most = { 0 };

	/* The most GPUs that each owner held in an hour; sets held [n] to those of all. Times are
	 * of an hour, so that they can be told as GPUs. */
	const struct workload **v = xcalloc(f->workload.n + 1, sizeof(*v));
	double *own = xcalloc(n + 1, sizeof *own);
	size_t m = 0;

	for (size_t i = 0; i < f->workload.n; i++)
		if (alone_is_job(&f->workload.v[i]))
			v[m++] = &f->workload.v[i];
	sort_items(v, m, sizeof(*v), by_owner);
	for (size_t i = 0, k; i < m; i = k) {
		memset(own, 0, n * sizeof *own);
		for (k = i; k < m && !strcmp(workload_owner(v[k]), workload_owner(v[i])); k++)
			add_held(f, v[k], from_ms, own, n);
		for (size_t h = 0; h < n; h++)
			held[h] += own[h];
		if (is_owner(workload_owner(v[i])))
			sum_add(&most, workload_owner(v[i]), llround(most_of(own, n) * MS_HOUR),
				most_of(own, n));
	}
	free(own);
	free(v);

	for (size_t i = 0; i < n; i++)
		sum += held[i];
	sort_items(held, n, sizeof *held, rising_double);
	if (n >= 24 && j->v.n >= LEVEL_JOBS && held[n - 1] > 0) {
		double low = held[n / 10];
		struct rec *r = alone_new(j->in, j->out, ADVICE_JOBS_HELD, "held-at-once");
		const char *lowest = "no GPU is held in 1 of 10 hours or more";
		if (low > 0)
			lowest = arena_printf(j->in->mem,
					      "at least %s GPUs are held in 9 of 10 hours",
					      alone_number(j->in, low));
		r->title = arena_printf(
			j->in->mem, "%s, %s in the mean, %s in the mean of the busiest hour: %s",
			lowest, alone_number(j->in, sum / (double)n),
			alone_number(j->in, held[n - 1]),
			low >= 1 ? "own or commit to the first, rent the rest"
				 : "nothing is held all the time, so nothing to commit to");
		rec_evidence(j->in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"held, 10th percentile of the hours",
						.unit = "GPUs", .source = ALONE_JOBS },
			     "%.1f", low);
		rec_evidence(j->in, r,
			     (struct evidence){ QUALITY_MEASURED, "held, mean", .unit = "GPUs",
						.source = ALONE_JOBS },
			     "%.1f", sum / (double)n);
		rec_evidence(j->in, r,
			     (struct evidence){ QUALITY_MEASURED, "held, most in one hour",
						.unit = "GPUs", .source = ALONE_JOBS },
			     "%.1f", held[n - 1]);
		never_together(j, &most, held[n - 1]);
	}
	sums_free(&most);
	free(held);
}

struct compared {
	enum advice_kind kind;
	const char *tail, *span;           /* "week" */
	int64_t before_ms, from_ms, to_ms; /* one ends where the other begins */
};

static void tell_trend(struct jobs *j, const struct compared *c)
{
	const struct lever_in *in = j->in;
	struct sums by = { 0 };
	const struct fleet *f = in->fleet;
	int64_t was = 0, now = 0;
	char day[TM_BUF];

	/* GPU time of each owner in the later one as ms, less that of the span before as x. */
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		int64_t old = 0, new = 0;
		if (!alone_is_job(w))
			continue;
		for (size_t k = 0; k < w->nhour; k++) {
			const struct workload_hour *h = &f->hour.v[w->hour0 + k];
			if (h->hour_ms >= c->from_ms && h->hour_ms < c->to_ms)
				new += h->ms;
			if (h->hour_ms >= c->before_ms && h->hour_ms < c->from_ms)
				old += h->ms;
		}
		if (new || old)
			sum_add(&by, workload_owner(w), new, (double)old);
		now += new;
		was += old;
	}
	if (was > 0 && now > 0) {
		double change = 100.0 * ((double)now / (double)was - 1), sign = 1;
		const struct owner_sum *s = NULL; /* whose time changed most */
		if (change < 0)
			sign = -1;
		for (size_t i = 0; i < by.v.n; i++) {
			const struct owner_sum *x = &by.v.v[i];
			double d = sign * ((double)x->ms - x->x);
			if (d > 0 && (!s || d > sign * ((double)s->ms - s->x)))
				s = x;
		}
		const char *most = "", *who = "jobs that name no owner";
		if (s && is_owner(s->name))
			who = s->name;
		if (s)
			most = arena_printf(in->mem, "; most of the change: %.60s", who);
		struct rec *r = alone_new(in, j->out, c->kind, c->tail);
		r->gpu_ms = now;
		r->title = arena_printf(in->mem,
					"the last full %s took %s, %+.0f %% on the one before%s",
					c->span, alone_time(in, now), change, most);
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						arena_printf(in->mem, "%s from %s", c->span,
							     tm_format_date(day, c->before_ms)),
						.unit = "GPU·h", .source = ALONE_JOBS },
			     "%.1f", hours_of(was));
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED,
						arena_printf(in->mem, "%s from %s", c->span,
							     tm_format_date(day, c->from_ms)),
						.unit = "GPU·h", .source = ALONE_JOBS },
			     "%.1f", hours_of(now));
		if (s)
			rec_evidence(
				in, r,
				(struct evidence){ QUALITY_MEASURED,
						   arena_printf(in->mem, "%.60s, change", s->name),
						   .unit = "GPU·h", .source = ALONE_JOBS },
				"%+.1f", ((double)s->ms - s->x) / MS_HOUR);
	}
	sums_free(&by);
}

static void tell_users(struct jobs *j)
{
	struct sums by = { 0 };
	struct alone_sum top = { 0 };

	for (size_t i = 0; i < j->v.n; i++)
		sum_add(&by, *j->v.v[i].w->user ? j->v.v[i].w->user : workload_owner(j->v.v[i].w),
			j->v.v[i].sum.ms, j->v.v[i].sum.nano);
	sums_sort(&by);
	for (size_t i = 0; i < by.v.n && i < TOP_SHOWN; i++) {
		top.ms += by.v.v[i].ms;
		top.nano += by.v.v[i].x;
	}
	if (by.v.n > TOP_SHOWN) {
		struct rec *r = alone_new(j->in, j->out, ADVICE_JOBS_WHO, "who");
		alone_about(j->in, r, top);
		r->title = arena_printf(
			j->in->mem, "%d of %zu hold %.0f %% of the GPU time: %.40s, %.40s, %.40s",
			TOP_SHOWN, by.v.n, percent_of(top.ms, j->ms), by.v.v[0].name,
			by.v.v[1].name, by.v.v[2].name);
		tell_top(j->in, r, &by, "held");

		/* The large ones, the long ones, the short ones. */
		int64_t large = 0, lengthy = 0, brief = 0;

		for (size_t i = 0; i < j->v.n; i++) {
			const struct job *x = &j->v.v[i];
			if (x->gpus_milli >= LARGE_GPUS * 1000)
				large += x->sum.ms;
			if (x->told->held_ms >= MS_DAY)
				lengthy += x->sum.ms;
			brief += x->told->held_ms < 5 * MS_MINUTE;
		}
		rec_evidence(j->in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"GPU time of jobs of 8 GPUs or more", .unit = "%",
						.source = ALONE_JOBS },
			     "%.0f", percent_of(large, j->ms));
		rec_evidence(j->in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"GPU time of jobs of a day or more", .unit = "%",
						.source = ALONE_JOBS },
			     "%.0f", percent_of(lengthy, j->ms));
		rec_evidence(j->in, r,
			     (struct evidence){ QUALITY_MEASURED,
						"jobs that ended within 5 minutes", .unit = "jobs",
						.source = ALONE_JOBS },
			     "%lld", (long long)brief);
	}
	sums_free(&by);
}

void jobs_alone(const struct lever_in *in, struct rec_list *out)
{
	const struct fleet *f = in->fleet;
	struct jobs j = { .in = in, .out = out };
	bool unread = !f->readings || (double)f->unknown_ms > UNREAD_FRAC * (double)f->gpu_ms;

	if (!f->allocations || (!unread && alone_not(f)))
		return;
	gather_jobs(&j);
	if (j.ms > 0) {
		struct named *v = xcalloc(j.v.n + 1, sizeof *v);
		size_t n = 0;

		for (size_t i = 0; i < j.v.n; i++) {
			const struct workload *w = j.v.v[i].w;
			if (*w->name)
				v[n++] = (struct named){ arena_printf(in->mem, "%s\x1f%s\x1f%s",
								      workload_owner(w), w->user,
								      w->name),
							 &j.v.v[i] };
		}
		sort_items(v, n, sizeof *v, by_name);
		for (size_t i = 1; i < n; i++) {
			const struct job *before = v[i - 1].job;
			int64_t gap = v[i].job->w->start_ms - before->w->end_ms;
			bool same = !strcmp(v[i].key, v[i - 1].key),
			     soon = gap >= 0 && gap <= AGAIN_MS;
			v[i].job->again = same && soon &&
					  (before->ending == ENDED_FAILED ||
					   before->ending == ENDED_TIMEOUT);
		}
		free(v);
		tell_failed(&j);
		tell_overbooked(&j);
		tell_waits(&j);
		tell_users(&j);

		const struct fleet *fleet = j.in->fleet;
		int64_t week = tm_floor(fleet->until_ms - MONDAY_MS, WEEK_MS) + MONDAY_MS,
			month = tm_month_start(fleet->until_ms, 0),
			last = tm_month_start(month, -1), first = tm_month_start(month, -2);

		if (week - 2 * WEEK_MS >= fleet->since_ms)
			tell_trend(&j, &(struct compared){ .kind = ADVICE_JOBS_WEEK,
							   .tail = "week-over-week",
							   .span = "week",
							   .before_ms = week - 2 * WEEK_MS,
							   .from_ms = week - WEEK_MS,
							   .to_ms = week });
		if (first >= fleet->since_ms)
			tell_trend(&j, &(struct compared){ .kind = ADVICE_JOBS_MONTH,
							   .tail = "month-over-month",
							   .span = "month",
							   .before_ms = first,
							   .from_ms = last,
							   .to_ms = month });
		if (!alone_not(f)) /* else nodes_alone.c says it, of the machines there are */
			tell_level(&j);

		/* Columns that would tell more. */
		bool state = false, limit = false, wait = false;
		struct str s = { 0 };

		for (size_t i = 0; i < j.v.n; i++) {
			const struct workload *w = j.v.v[i].w;
			state |= j.v.v[i].ending != ENDED_UNTOLD;
			limit |= w->limit_ms != UNKNOWN_MS;
			wait |= j.v.v[i].told->wait_ms != UNKNOWN_MS;
		}
		if (!state)
			str_addz(&s, "how jobs ended (state)");
		if (!limit)
			str_addf(&s, "%swhat they booked (limit_s)", text_if(s.n, ", "));
		if (!wait)
			str_addf(&s, "%show long they waited (submit)", text_if(s.n, ", "));
		if (s.n)
			plan_note(j.in, "the job list does not tell %s", str_z(&s));
		str_free(&s);
	}
	vec_free(&j.v);
}
