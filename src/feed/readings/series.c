#include "feed/readings/series.h"
#include "base/num.h"
#include "base/sort.h"

#include <errno.h>
#include <stdlib.h>
#include <xxhash.h>

#define DISTANCES 1000 /* of a series, looked at for its step */

struct one {
	struct sample_key key;
	uint64_t hash;
	uint32_t next;   /* series that followed this one last time */
	int64_t step_ms; /* 0 = not known yet */
	int64_t last_ms; /* for the distance to the next reading */
};

struct held {
	uint32_t series;
	struct sample v;
};

struct feed_series {
	const struct feed_sink *sink;
	struct feed_report *report;
	int64_t step_ms, fallback_ms;
	struct arena mem;
	VEC(struct one) one;
	uint32_t *slot; /* [nslot] number + 1 */
	size_t nslot;
	uint32_t last;
	VEC(struct held) held;
	bool deriving;        /* samples without a step are held */
	int64_t file_step_ms; /* of series that have no distances of their own */
	bool measured;        /* there were distances */
	int64_t before_ms;    /* of lone readings: the distance to that before, the longest */
	int64_t lone;         /* those without one */
	int64_t assumed;      /* samples with a derived step */
	int64_t from_ms, to_ms, kept;
};

struct feed_series *feed_series_new(const struct feed_sink *sink, struct feed_report *report,
				    int64_t step_ms, int64_t fallback_ms)
{
	struct feed_series *s = xcalloc(1, sizeof *s);

	s->sink = sink;
	s->report = report;
	s->step_ms = step_ms;
	s->fallback_ms = fallback_ms ? fallback_ms : SERIES_STEP_FALLBACK_MS;
	s->deriving = step_ms == 0;
	s->from_ms = INT64_MAX;
	s->to_ms = INT64_MIN;
	return s;
}

void feed_series_free(struct feed_series *s)
{
	if (!s)
		return;
	arena_free(&s->mem);
	vec_free(&s->one);
	vec_free(&s->held);
	free(s->slot);
	free(s);
}

static bool key_eq(const struct sample_key *a, const struct sample_key *b)
{
	if (!sv_eq(a->gpu, b->gpu) || !sv_eq(a->node, b->node) || !sv_eq(a->mig, b->mig))
		return false;
	if (!sv_eq(a->mig_profile, b->mig_profile))
		return false;
	if (!sv_eq(a->job_id, b->job_id) || !sv_eq(a->gpu_model, b->gpu_model) ||
	    !sv_eq(a->cluster, b->cluster))
		return false;
	if (!sv_eq(a->user, b->user) || !sv_eq(a->team, b->team) || !sv_eq(a->project, b->project))
		return false;
	if (!sv_eq(a->env, b->env) || !sv_eq(a->workload, b->workload) ||
	    !sv_eq(a->currency, b->currency))
		return false;
	return a->has_usd_gpu_hour == b->has_usd_gpu_hour &&
	       (!a->has_usd_gpu_hour || a->usd_gpu_hour == b->usd_gpu_hour);
}

static uint64_t key_hash(const struct sample_key *k)
{
	const struct sv t[] = { k->gpu,      k->node,     k->mig,        k->job_id,  k->gpu_model,
				k->cluster,  k->user,     k->team,       k->project, k->env,
				k->workload, k->currency, k->mig_profile };
	uint64_t h = 0;

	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		if (t[i].n)
			h = XXH3_64bits_withSeed(t[i].p, t[i].n, h + i);
	return h;
}

static struct sv keep_text(struct feed_series *s, struct sv v)
{
	if (v.n)
		return (struct sv){ arena_strn(&s->mem, v.p, v.n), v.n };
	return SV_NULL;
}

static uint32_t series_add(struct feed_series *s, const struct sample_key *k, uint64_t hash)
{
	struct sample_key c = *k;

	c.node = keep_text(s, k->node);
	c.gpu = keep_text(s, k->gpu);
	c.mig = keep_text(s, k->mig);
	c.mig_profile = keep_text(s, k->mig_profile);
	c.job_id = keep_text(s, k->job_id);
	c.gpu_model = keep_text(s, k->gpu_model);
	c.cluster = keep_text(s, k->cluster);
	c.user = keep_text(s, k->user);
	c.team = keep_text(s, k->team);
	c.project = keep_text(s, k->project);
	c.env = keep_text(s, k->env);
	c.workload = keep_text(s, k->workload);
	c.currency = keep_text(s, k->currency);
	*vec_push(&s->one) = (struct one){
		.key = c, .hash = hash, .step_ms = s->step_ms, .last_ms = UNKNOWN_MS
	};
	return (uint32_t)s->one.n - 1;
}

static uint32_t series_find(struct feed_series *s, const struct sample_key *k)
{
	uint64_t hash = key_hash(k);

	if ((s->one.n + 1) * 2 > s->nslot) {
		size_t n = 256;

		if (s->nslot)
			n = s->nslot * 2;
		free(s->slot);
		s->slot = xcalloc(n, sizeof *s->slot);
		s->nslot = n;
		for (size_t i = 0; i < s->one.n; i++) {
			size_t at = s->one.v[i].hash & (n - 1);
			while (s->slot[at])
				at = (at + 1) & (n - 1);
			s->slot[at] = (uint32_t)i + 1;
		}
	}
	for (size_t at = hash & (s->nslot - 1);; at = (at + 1) & (s->nslot - 1)) {
		uint32_t id = s->slot[at];
		if (!id) {
			id = series_add(s, k, hash);
			s->slot[at] = id + 1;
			return id;
		}
		if (s->one.v[id - 1].hash == hash && key_eq(&s->one.v[id - 1].key, k))
			return id - 1;
	}
}

uint32_t feed_series_of(struct feed_series *s, const struct sample_key *k)
{
	uint32_t id;

	if (s->one.n) { /* files go on with one series or round robin over them */
		uint32_t next = s->one.v[s->last].next;
		if (key_eq(&s->one.v[next].key, k))
			return s->last = next;
		if (key_eq(&s->one.v[s->last].key, k))
			return s->last;
	}
	id = series_find(s, k);
	s->one.v[s->last].next = id;
	return s->last = id;
}

static int pass_on(struct feed_series *s, uint32_t series, const struct sample *v, struct err *err)
{
	int64_t to = v->t_ms + v->step_ms;

	if (v->t_ms < s->from_ms)
		s->from_ms = v->t_ms;
	if (to > s->to_ms)
		s->to_ms = to;
	s->kept++;
	return s->sink->sample(s->sink->ctx, &s->one.v[series].key, v, err);
}

static int64_t median_i64(int64_t *v, size_t n)
{
	sort_items(v, n, sizeof *v, rising_i64);
	return v[(n - 1) / 2];
}

struct distance {
	uint32_t series;
	int64_t ms;
};

static int by_series(const void *a, const void *b)
{
	const struct distance *x = a, *y = b;

	return cmp_u64(x->series, y->series);
}

/* Medians of the distances in what is held: one per series that has any, one over all for the
 * others. */
static void derive_steps(struct feed_series *s)
{
	VEC(struct distance) d = { 0 };
	int64_t *ms;
	size_t i, j;

	for (i = 0; i < s->held.n; i++) {
		struct one *o = &s->one.v[s->held.v[i].series];
		int64_t t = s->held.v[i].v.t_ms;
		if (o->last_ms != UNKNOWN_MS && t > o->last_ms)
			*vec_push(&d) = (struct distance){ s->held.v[i].series, t - o->last_ms };
		o->last_ms = t;
	}
	s->file_step_ms = s->fallback_ms;
	ms = xmalloc((d.n + 1) * sizeof *ms);
	if (d.n)
		sort_items(d.v, d.n, sizeof *d.v, by_series);
	for (i = 0; i < d.n; i = j) {
		for (j = i; j < d.n && d.v[j].series == d.v[i].series; j++)
			ms[j - i] = d.v[j].ms;
		s->one.v[d.v[i].series].step_ms = median_i64(ms, min_u64(j - i, DISTANCES));
	}
	for (i = 0; i < d.n; i++)
		ms[i] = d.v[i].ms;
	s->measured = d.n > 0;
	if (d.n)
		s->file_step_ms = median_i64(ms, d.n);
	free(ms);
	vec_free(&d);
}

static int64_t step_of(const struct feed_series *s, uint32_t series)
{
	int64_t step = s->file_step_ms;

	if (s->one.v[series].step_ms)
		step = s->one.v[series].step_ms;
	return min_i64(step, INT32_MAX);
}

static int let_go(struct feed_series *s, struct err *err)
{
	int rc = 0;

	derive_steps(s);
	s->deriving = false;
	if (!s->measured) {
		/* One scrape a file: each reading lasts as long as it is since that of the file
		 * before. */
		rc = 0;

		for (size_t i = 0; i < s->held.n && !rc; i++) {
			struct one *o = &s->one.v[s->held.v[i].series];
			int64_t ms = 0;
			if (s->sink->before)
				rc = s->sink->before(s->sink->ctx, &o->key, s->held.v[i].v.t_ms,
						     &ms, err);
			bool near = ms > 0 && ms <= SERIES_STALE_MS;
			s->lone += !near;
			if (!near)
				continue;
			o->step_ms = ms;
			s->before_ms = max_i64(ms, s->before_ms);
		}
	}
	for (size_t i = 0; i < s->held.n && !rc; i++) {
		struct held *h = &s->held.v[i];
		if (!h->v.step_ms) {
			h->v.step_ms = (int32_t)step_of(s, h->series);
			s->assumed++;
		}
		rc = pass_on(s, h->series, &h->v, err);
	}
	vec_free(&s->held);
	if (rc < 0)
		return rc;
	return 0;
}

int feed_series_put(struct feed_series *s, uint32_t series, const struct sample *v, struct err *err)
{
	struct sample with = *v;

	if (!with.step_ms)
		with.step_ms = (int32_t)s->step_ms;
	if (with.step_ms)
		return pass_on(s, series, &with, err);
	if (s->deriving) {
		*vec_push(&s->held) = (struct held){ series, with };
		if (s->held.n < SERIES_HELD)
			return 0;
		return let_go(s, err);
	}
	with.step_ms = (int32_t)step_of(s, series);
	s->assumed++;
	return pass_on(s, series, &with, err);
}

int feed_series_end(struct feed_series *s, struct err *err)
{
	int rc = 0;

	if (s->held.n)
		rc = let_go(s, err);
	s->report->rows_kept += s->kept;
	if (s->kept)
		feed_cover(s->report, s->from_ms, s->to_ms);
	if (s->assumed && s->before_ms)
		feed_note(
			s->report,
			"one reading of each GPU: the time since the reading before, in another file, was assumed as its step (%g s); "
			"--set step_s=N says it",
			(double)s->before_ms / 1000);
	if (s->assumed && !s->measured && s->lone)
		feed_note(
			s->report,
			"no two readings of one GPU to tell the step from: %lld s assumed; --set step_s=N says it",
			(long long)(s->fallback_ms / 1000));
	else if (s->assumed && s->measured)
		feed_note(
			s->report,
			"%lld samples do not say how long they last: the median distance between readings (%g s) was assumed; "
			"--set step_s=N says it",
			(long long)s->assumed, (double)s->file_step_ms / 1000);
	return rc;
}

/* ---- constants of --set ------------------------------------------------------------------ */

int feed_key_set(struct feed_run *r, struct sample_key *ret, struct err *err)
{
	static const char *const other[] = { "step_s", "utc_offset", "usd_gpu_hour", NULL };
	const struct {
		const char *name;
		struct sv *to;
	} text[] = { { "node", &ret->node },        { "gpu", &ret->gpu },
		     { "mig", &ret->mig },          { "mig_profile", &ret->mig_profile },
		     { "job_id", &ret->job_id },    { "gpu_model", &ret->gpu_model },
		     { "cluster", &ret->cluster },  { "user", &ret->user },
		     { "team", &ret->team },        { "project", &ret->project },
		     { "env", &ret->env },          { "workload", &ret->workload },
		     { "currency", &ret->currency } };

	*ret = (struct sample_key){ 0 };
	for (size_t i = 0; i < r->nset; i++) {
		bool known = false;
		for (size_t j = 0; j < sizeof text / sizeof *text; j++)
			if (!strcmp(text[j].name, r->set[i].key)) {
				*text[j].to = sv_of(r->set[i].value);
				known = true;
			}
		for (const char *const *o = other; *o; o++)
			known |= !strcmp(*o, r->set[i].key);
		if (!known && feed_set_unknown(r, r->set[i].key, NULL, err) < 0)
			return -EINVAL;
	}
	const char *price = feed_set_get(r, "usd_gpu_hour");
	ret->has_usd_gpu_hour = price != NULL;
	if (price && dec_parse(sv_of(price), 0, &ret->usd_gpu_hour) < 0)
		return err_set(err, -EINVAL,
			       "--set usd_gpu_hour: '%s' is not a decimal such as 1.20", price);
	return 0;
}

static void fill_text(struct sv *to, struct sv from)
{
	if (!to->n)
		*to = from;
}

void feed_key_default(struct sample_key *k, const struct sample_key *d)
{
	fill_text(&k->node, d->node);
	fill_text(&k->gpu, d->gpu);
	fill_text(&k->mig, d->mig);
	fill_text(&k->mig_profile, d->mig_profile);
	fill_text(&k->job_id, d->job_id);
	fill_text(&k->gpu_model, d->gpu_model);
	fill_text(&k->cluster, d->cluster);
	fill_text(&k->user, d->user);
	fill_text(&k->team, d->team);
	fill_text(&k->project, d->project);
	fill_text(&k->env, d->env);
	fill_text(&k->workload, d->workload);
	fill_text(&k->currency, d->currency);
	if (!k->has_usd_gpu_hour) {
		k->has_usd_gpu_hour = d->has_usd_gpu_hour;
		k->usd_gpu_hour = d->usd_gpu_hour;
	}
}

int feed_step_set(const struct feed_run *r, int64_t *ret_ms, struct err *err)
{
	const char *v = feed_set_get(r, "step_s");
	double s;

	*ret_ms = 0;
	if (!v)
		return 0;
	if (sv_f64(sv_of(v), &s) < 0 || !(s >= 0.001 && s <= 86400))
		return err_set(err, -EINVAL,
			       "--set step_s: '%s' is not a number of seconds up to a day", v);
	*ret_ms = (int64_t)(s * 1000 + 0.5);
	return 0;
}
