/* Curves of training runs, and whose they are. */
#include <math.h>

#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/fleet/fleet_in.h"

/* Of a curve in memory, and one for its last: 24 bytes each, so that 1,000 runs of ten metrics that
 * log each step take 250 MB, not what the store has of them. */
#define CURVE_POINTS 1024

struct reading {
	struct fleet *f;
	size_t seen;               /* of the curve that is read */
	bool loose;                /* its last point is there as it may be the last of all */
	const char *told;          /* job that the curve's rows name, by its id or its name */
	struct text_list told_job; /* [fleet.curve.n] */
};

static int take_point(void *ctx, const struct curve_point *p, struct err *err)
{
	struct reading *r = ctx;
	struct fleet *f = r->f;
	struct fleet_curve *c = NULL;

	if (f->curve.n)
		c = &f->curve.v[f->curve.n - 1];
	(void)err;
	if (!c || !sv_is(p->metric, c->metric) || !sv_is(p->run, c->run) ||
	    !sv_is(p->job, r->told)) {
		c = vec_push(&f->curve);
		*c = (struct fleet_curve){ .run = fleet_text(f, p->run),
					   .metric = fleet_text(f, p->metric),
					   .config = fleet_text(f, p->config),
					   .job = fleet_text(f, SV("")),
					   .better = p->better,
					   .point0 = f->point.n,
					   .every = 1 };
		r->seen = 0;
		r->loose = false;
		r->told = fleet_text(f, p->job);
		*vec_push(&r->told_job) = r->told;
	}
	if (!*c->config && p->config.n)
		c->config = fleet_text(f, p->config);
	if (c->better == BETTER_UNKNOWN)
		c->better = p->better;

	/* Thinned on the way: what is kept is as even at the end as if the length had been
	 * known. */
	struct fleet *fleet = r->f;

	if (r->loose) {
		fleet->point.n--;
		c->npoint--;
	}
	c->low = r->seen ? fmin(c->low, p->value) : p->value;
	c->high = r->seen ? fmax(c->high, p->value) : p->value;
	r->loose = r->seen++ % c->every != 0;
	*vec_push(&fleet->point) = (struct fleet_point){ p->step, p->t_ms, p->value };
	c->npoint++;
	if (!r->loose && c->npoint > CURVE_POINTS) {
		struct fleet_point *point = &fleet->point.v[c->point0];
		size_t n = 0;

		for (size_t i = 0; i < c->npoint; i += 2)
			point[n++] = point[i];
		fleet->point.n = c->point0 + n;
		c->npoint = n;
		c->every *= 2;
	}

	return 0;
}

/* ---- whose ------------------------------------------------------------------------------- */

struct names { /* works by their name, as the loader has them by their job */
	struct intern name;
	VEC(size_t) first; /* [name] */
	size_t *next;      /* [workload.n] SIZE_MAX: the last */
};

/* Did the work run while the points were logged? Points without an instant say nothing. */
static bool ran_then(const struct fleet *f, const struct fleet_curve *c, const struct workload *w)
{
	const struct fleet_point *p = &f->point.v[c->point0];
	int64_t from = p[0].t_ms, to = p[c->npoint - 1].t_ms;

	if (from == UNKNOWN_MS || to == UNKNOWN_MS)
		return true;
	/* a tracker's last write may come a little after the job's end */
	return from >= w->start_ms - MS_MINUTE && to <= w->end_ms + MS_MINUTE;
}

static const char *job_of(const struct loader *l, const struct names *n,
			  const struct fleet_curve *c, const char *told)
{
	const char *word = *told ? told : c->run;
	int64_t j = fleet_job_number(l, sv_of(word));

	if (j >= 0)
		return fleet_text(l->f, l->job.text[j]);

	/* The one job of that name that ran then; NULL: none, or several. */
	const struct fleet *f = l->f;
	int64_t id = intern_find(&n->name, sv_of(word));
	const char *job = NULL;

	for (size_t i = id < 0 || !*word ? SIZE_MAX : n->first.v[id]; i != SIZE_MAX;
	     i = n->next[i]) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_JOB || !*w->job || !ran_then(f, c, w))
			continue;
		if (job && job != w->job)
			return NULL;
		job = w->job;
	}
	return job;
}

int fleet_read_curves(struct loader *l, struct err *err)
{
	struct fleet *f = l->f;
	struct reading r = { .f = f, .told = "" };
	struct names n = { 0 };
	int rc = store_curves(l->store, take_point, &r, err);

	if (rc >= 0 && f->curve.n) {
		n.next = xcalloc(f->workload.n + 1, sizeof *n.next);
		for (size_t i = 0; i < f->workload.n; i++) {
			uint32_t id = intern_add(&n.name, sv_of(f->workload.v[i].name));
			n.next[i] = id < n.first.n ? n.first.v[id] : SIZE_MAX;
			if (id == n.first.n)
				*vec_push(&n.first) = i;
			else
				n.first.v[id] = i;
		}
		for (size_t i = 0; i < f->curve.n; i++) {
			const char *job = job_of(l, &n, &f->curve.v[i], r.told_job.v[i]);
			if (job)
				f->curve.v[i].job = job;
		}
		intern_free(&n.name);
		vec_free(&n.first);
		free(n.next);

		size_t runs = 0, untied = 0;
		const char *such = NULL;

		for (size_t i = 0; i < f->curve.n; i++) {
			const struct fleet_curve *c = &f->curve.v[i];
			if (i && f->curve.v[i - 1].run == c->run)
				continue;
			runs++;
			if (*c->job)
				continue;
			untied++;
			if (!such)
				such = c->run;
		}
		if (untied)
			fleet_note(
				f,
				"curves of %zu of %zu training runs belong to no job that is known ('%s'): a column job ties them, or a run that is called as its job is",
				untied, runs, such);
		size_t thinned = 0, most = 1;
		for (size_t i = 0; i < f->curve.n; i++) {
			thinned += f->curve.v[i].every > 1;
			most = max_size(f->curve.v[i].every, most);
		}
		if (thinned)
			fleet_note(
				f,
				"%zu curve%s of training runs %s more than %d points: of each the first, the last and points evenly between are looked at, of the longest one in %zu",
				thinned, plural(thinned), thinned == 1 ? "has" : "have",
				CURVE_POINTS, most);
	}
	vec_free(&r.told_job);
	return rc;
}
