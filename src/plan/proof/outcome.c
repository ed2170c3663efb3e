#include "plan/proof/outcome.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "plan/workload.h"
#include "sim/boot.h"

#define BEFORE_DAYS  28 /* at most: longer ago is another fleet */
#define WEEK_DAYS    7  /* the rhythm of people: only whole weeks are compared */
#define BLOCK_WEEKS  3 /* from so many on weeks are drawn; days of fewer, as in the plan's ranges */
#define DRAWS        400  /* as of the plan's ranges */
#define UNKNOWN_FRAC 0.1  /* of the time, at most */
#define MIXED_FRAC   0.05 /* of the held time: the other kind of work is not worth a word */
#define MOVED_FRAC   0.1  /* of the time on other GPUs than before */

/* ---- subjects ---------------------------------------------------------------------------- */

static const char *subject_of(const struct workload *w, const struct use *after, struct arena *mem)
{
	bool moves = after->gpu_model && *after->gpu_model && after->gpu_model != w->gpu_model &&
		     strcmp(after->gpu_model, w->gpu_model) != 0;

	if (w->kind == WORKLOAD_LINE) {
		if (*w->resource)
			return arena_printf(mem, "resource %s", w->resource);
		return NULL;
	}
	if (*w->cluster && *w->gpu_model && !moves && !strchr(w->gpu_model, ' '))
		return arena_printf(mem, "gpus %s %s", w->gpu_model, w->cluster);
	if (*w->cluster)
		return arena_printf(mem, "cluster %s", w->cluster);
	if (*w->team)
		return arena_printf(mem, "team %s", w->team);
	return NULL;
}

static bool is_in(const char *const *v, size_t n, const char *z)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(v[i], z))
			return true;
	return false;
}

const char **outcome_subject(const struct fleet *f, const struct rec *r, struct arena *mem,
			     size_t *ret_n)
{
	VEC(const char *) v = { 0 };

	for (size_t i = 0; i < r->change.n; i++) {
		const struct rec_change *c = &r->change.v[i];
		const char *z = subject_of(&f->workload.v[c->workload], &c->after, mem);
		if (z && !is_in(v.v, v.n, z))
			*vec_push(&v) = z;
	}
	const char **ret = arena_copy(mem, v.v, v.n, sizeof *v.v);
	*ret_n = v.n;
	vec_free(&v);
	return ret;
}

/* Of "gpus MODEL CLUSTER" the cluster, behind a blank; NULL: it is no such subject. */
static const char *cluster_of_gpus(const char *subject)
{
	if (!strncmp(subject, "gpus ", 5))
		return strchr(subject + 5, ' ');
	return NULL;
}

/* The same, or the GPUs of a model in a cluster and all of that. */
static bool names_overlap(const char *a, const char *b)
{
	const char *in_a = cluster_of_gpus(a), *in_b = cluster_of_gpus(b);

	if (in_a && !strncmp(b, "cluster ", 8))
		return !strcmp(in_a, b + 7);
	if (in_b && !strncmp(a, "cluster ", 8))
		return !strcmp(in_b, a + 7);
	return !strcmp(a, b);
}

static bool is_about(const struct outcome_applied *a, const struct workload *w)
{
	for (size_t i = 0; i < a->nsubject; i++) {
		const char *is = a->subject[i], *name = strchr(is, ' ');
		const char *has, *gpus_at = cluster_of_gpus(is);
		bool fits = w->kind == WORKLOAD_LINE ? *is == 'r' : *is != 'r';
		if (gpus_at) {
			size_t n = (size_t)(gpus_at - name) - 1;
			fits &= strlen(w->gpu_model) == n && !strncmp(w->gpu_model, name + 1, n);
			name = gpus_at;
		}
		if (w->kind == WORKLOAD_LINE)
			has = w->resource;
		else if (*is == 'c' || gpus_at)
			has = w->cluster;
		else
			has = w->team;
		if (name && fits && !strcmp(name + 1, has))
			return true;
	}
	return false;
}

/* ---- before and since -------------------------------------------------------------------- */

struct class
{
	const char *model, *purchase, *region;
	double ms[2], nano[2]; /* before, since */
};
struct day {
	double cost, workload;
};
struct side {
	int64_t from_ms, to_ms;
	int told;        /* days that the history has of it */
	int n;           /* of these compared: whole weeks */
	struct day *day; /* [n] */
};
struct sides {
	const struct fleet *f;
	const struct outcome_applied *of;
	struct side s[2];
	VEC(struct class) class;
	VEC(const char *) service;
	double job_ms, service_ms, ms, unknown_ms;
};

static int side_at(const struct sides *x, int64_t ms)
{
	for (int k = 0; k < 2; k++)
		if (ms >= x->s[k].from_ms && ms < x->s[k].to_ms)
			return k;
	return -1;
}

static struct class *class_of(struct sides *x, const struct workload *w)
{
	for (size_t i = 0; i < x->class.n; i++) {
		struct class *c = &x->class.v[i];
		if (c->model == w->gpu_model && c->purchase == w->purchase &&
		    c->region == w->region)
			return c;
	}
	struct class *c = vec_push(&x->class);
	*c = (struct class){ w->gpu_model, w->purchase, w->region, { 0 }, { 0 } };
	return c;
}

/* Price of a class before, nano a GPU-ms; what it was not paid then, at that of now. */
static double old_price(const struct class *c)
{
	int k = 1;

	if (c->ms[0] > 0)
		k = 0;
	if (c->ms[k] > 0)
		return c->nano[k] / c->ms[k];
	return 0;
}

static bool mostly_serves(const struct sides *x)
{
	return x->service_ms > (1 - MIXED_FRAC) * (x->job_ms + x->service_ms);
}

static struct day *day_at(struct sides *x, int64_t ms, int *ret_side)
{
	*ret_side = side_at(x, ms);
	if (*ret_side < 0)
		return NULL;
	struct side *s = &x->s[*ret_side];
	int64_t d = (ms - s->from_ms) / MS_DAY;
	if (d < s->n)
		return &s->day[d];
	return NULL;
}

static void fill_days(struct sides *x)
{
	const struct fleet *f = x->f;
	int k;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		for (size_t j = w->hour0; j < w->hour0 + w->nhour && is_about(x->of, w); j++) {
			const struct workload_hour *h = &f->hour.v[j];
			struct day *d = day_at(x, h->hour_ms, &k);
			if (!d)
				continue;
			bool at_old = k == 1 && w->kind != WORKLOAD_LINE;
			d->cost += at_old ? (double)h->ms * old_price(class_of(x, w))
					  : (double)h->nano;
			if (!mostly_serves(x))
				d->workload += (double)h->busy_ms;
		}
	}
	for (size_t i = 0; i < f->service.n && mostly_serves(x); i++) {
		const struct fleet_service *s = &f->service.v[i];
		for (size_t m = s->min0; m < s->min0 + s->nmin; m++) {
			struct day *d = day_at(x, f->minute.v[m].t_ms, &k);
			if (d && is_in(x->service.v, x->service.n, s->service))
				d->workload += (double)f->minute.v[m].count;
		}
	}
}

/* Part of the GPU time since that is on models which had less of it before. */
static double moved_frac(const struct sides *x)
{
	double all[2] = { 0 }, more = 0;

	for (size_t i = 0; i < x->class.n; i++)
		for (int k = 0; k < 2; k++)
			all[k] += x->class.v[i].ms[k];
	for (size_t i = 0; i < x->class.n && all[0] > 0 && all[1] > 0; i++) {
		const char *model = x->class.v[i].model;
		double part[2] = { 0 };
		bool again = false;
		for (size_t j = 0; j < x->class.n; j++) {
			again |= j < i && x->class.v[j].model == model;
			for (int k = 0; k < 2 && x->class.v[j].model == model; k++)
				part[k] += x->class.v[j].ms[k] / all[k];
		}
		if (!again)
			more += fmax(0, part[1] - part[0]);
	}
	return more;
}

/* ---- what it came to --------------------------------------------------------------------- */

/* Days of what is drawn together. Within a week they differ as weeks do not. */
static int block_days(const struct side *s)
{
	if (s->n >= BLOCK_WEEKS * WEEK_DAYS)
		return WEEK_DAYS;
	return 1;
}

/* A day, nano; NAN: no work before to compare with. before, since: how often each block counts. */
static double realised_day(const struct sides *x, const uint16_t *before, const uint16_t *since)
{
	const uint16_t *count[2] = { before, since };
	double cost[2] = { 0 }, workload[2] = { 0 };

	for (int k = 0; k < 2; k++)
		for (int d = 0; d < x->s[k].n; d++) {
			double n = 1;
			if (count[k])
				n = count[k][d / block_days(&x->s[k])];
			cost[k] += n * x->s[k].day[d].cost / x->s[k].n;
			workload[k] += n * x->s[k].day[d].workload / x->s[k].n;
		}
	if (!(cost[0] > 0))
		return NAN;
	if (!(workload[0] > 0)) {
		if (workload[1] > 0)
			return NAN;
		return cost[0] - cost[1];
	}
	return cost[0] * workload[1] / workload[0] - cost[1];
}

static const char *draw_range(const struct sides *x, double to_month, struct outcome *o)
{
	double *v = xcalloc(DRAWS, sizeof *v), mean = realised_day(x, NULL, NULL);
	struct boot b[2];
	int n = 0;

	for (int k = 0; k < 2; k++)
		boot_make(&b[k], x->s[k].n / block_days(&x->s[k]), DRAWS, (uint64_t)k + 1);
	for (int d = 0; d < DRAWS; d++) {
		double one = realised_day(x, b[0].count + (size_t)d * (size_t)b[0].nblock,
					  b[1].count + (size_t)d * (size_t)b[1].nblock);
		if (isfinite(one))
			v[n++] = mean + (one - mean) * fmax(b[0].widen, b[1].widen);
	}
	for (int k = 0; k < 2; k++)
		boot_free(&b[k]);
	bool told = isfinite(mean) && n > 0;
	if (told) {
		o->realised_nano = llround(mean * to_month);
		o->p05_nano = llround(boot_quantile(v, n, 0.05) * to_month);
		o->p95_nano = llround(boot_quantile(v, n, 0.95) * to_month);
	}
	free(v);
	if (told)
		return NULL;
	return "nothing was paid for it before, or it did no work then: there is nothing to compare with";
}

static const char *why_not(const struct sides *x, const struct plan_conf *conf, struct arena *mem)
{
	double least = fmax(conf->gates.outcome_days, WEEK_DAYS);
	bool mixed = !mostly_serves(x) && x->service_ms > MIXED_FRAC * (x->job_ms + x->service_ms);

	if (!x->of->nsubject)
		return "it is about no cluster, team or resource that can be looked at again";
	if (strcmp(x->of->currency, x->f->currency) != 0)
		return "it was told in another currency";
	if (x->s[1].told < least)
		return arena_printf(mem, "too early: %d of %g days since it is in force",
				    x->s[1].told, least);
	if (x->s[0].told < least)
		return arena_printf(mem, "%d days of history before it, %g are asked for",
				    x->s[0].told, least);
	if (mixed)
		return "jobs and services share what it is about: their work has no common measure";
	if (x->unknown_ms > UNKNOWN_FRAC * x->ms)
		return arena_printf(mem, "what its GPUs did is not known for %.0f %% of the time",
				    100 * x->unknown_ms / x->ms);
	if (!mostly_serves(x) && moved_frac(x) > MOVED_FRAC)
		return "its work moved to other GPUs, on which the same takes another time";
	return NULL;
}

struct teller {
	const struct fleet *f;
	const struct plan_conf *conf;
	const struct outcome_applied *v; /* [n] all of them */
	size_t n;
	struct arena *mem;
};

static void tell_one(const struct teller *t, const struct outcome_applied *a, struct outcome *o)
{
	const struct fleet *f = t->f;
	const struct outcome_applied *v = t->v;
	struct sides x = { .f = f, .of = a };
	/* of those on the same subject: before the first of them, since all are in force */
	int64_t at_ms = a->at_ms, force_ms = INT64_MIN;

	*o = (struct outcome){ .of = a };
	for (size_t i = 0; i < t->n; i++) {
		bool same = &v[i] == a;
		for (size_t k = 0; k < v[i].nsubject; k++)
			for (size_t m = 0; m < a->nsubject; m++)
				same |= names_overlap(a->subject[m], v[i].subject[k]);
		int64_t in_force = v[i].at_ms + (int64_t)(v[i].within_days * (double)MS_DAY);
		if (!same)
			continue;
		o->together++;
		o->told_nano += v[i].saving_nano;
		at_ms = min_i64(v[i].at_ms, at_ms);
		force_ms = max_i64(in_force, force_ms);
	}
	at_ms = tm_floor(at_ms, MS_HOUR);
	const int64_t edge[2][2] = { { max_i64(at_ms - BEFORE_DAYS * MS_DAY, f->since_ms), at_ms },
				     { tm_floor(force_ms, MS_HOUR), f->until_ms } };
	for (int k = 0; k < 2; k++) {
		struct side *s = &x.s[k];
		int64_t days = (edge[k][1] - edge[k][0]) / MS_DAY;
		s->told = (int)max_i64(days, 0);
		s->n = s->told - s->told % WEEK_DAYS;
		/* the last ones before it, the first ones since */
		s->from_ms = k ? edge[k][0] : edge[k][1] - s->n * MS_DAY;
		s->to_ms = s->from_ms + s->n * MS_DAY;
		s->day = xcalloc((size_t)s->n + 1, sizeof *s->day);
	}
	o->from_ms = x.s[1].from_ms;
	o->to_ms = x.s[1].to_ms;
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (!is_about(a, w))
			continue;
		bool seen = false;
		for (size_t j = w->hour0; j < w->hour0 + w->nhour; j++) {
			const struct workload_hour *h = &f->hour.v[j];
			int k = side_at(&x, h->hour_ms);
			if (k < 0 || w->kind == WORKLOAD_LINE)
				continue;
			struct class *c = class_of(&x, w);
			c->ms[k] += (double)h->ms;
			c->nano[k] += (double)h->nano;
			x.ms += (double)h->ms;
			x.unknown_ms += (double)h->unknown_ms;
			if (w->kind == WORKLOAD_JOB)
				x.job_ms += (double)h->ms;
			if (w->kind == WORKLOAD_SERVICE)
				x.service_ms += (double)h->ms;
			seen = true;
		}
		if (w->kind == WORKLOAD_SERVICE && seen &&
		    !is_in(x.service.v, x.service.n, w->service))
			*vec_push(&x.service) = w->service;
	}
	if (lever_index(a->lever) == LEVER_COMMIT)
		o->why = "a commitment is paid by whoever uses it: tare report --by purchase";
	else
		o->why = why_not(&x, t->conf, t->mem);
	if (!o->why) {
		fill_days(&x);
		o->why = draw_range(&x, t->conf->month_hours / 24, o);
	}
	for (int k = 0; k < 2; k++)
		free(x.s[k].day);
	vec_free(&x.class);
	vec_free(&x.service);
}

void outcomes_tell(const struct fleet *f, const struct plan_conf *conf,
		   const struct outcome_applied *v, size_t n, struct arena *mem,
		   struct outcome *ret)
{
	const struct teller t = { f, conf, v, n, mem };

	for (size_t i = 0; i < n; i++)
		tell_one(&t, &v[i], &ret[i]);
}
