/* See execute.h. */
#include "plan/replay/execute.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/tm.h"
#include "plan/action.h"
#include "plan/lever/gpu_speed.h"
#include "plan/workload.h"

const char *ran_name(enum ran_as as)
{
	static const char *const names[] = { "as before",     "well",  "requeued", "cut",
					     "out of memory", "stuck", "otherwise" };

	return names[as];
}

/* ---- pools ------------------------------------------------------------------------------- */

struct pools { /* "cluster\x1f type\x1f spot" */
	struct intern key;
};

static void pool_key(struct str *s, const char *cluster, const char *type, bool spot)
{
	str_clear(s);
	str_addf(s, "%s\x1f%s\x1f%d", cluster, type, spot);
}

static void add_pool(struct pools *p, const char *cluster, const char *type, bool spot)
{
	struct str s = { 0 };

	pool_key(&s, cluster, type, spot);
	intern_add(&p->key, str_sv(&s));
	str_free(&s);
}

/* ---- one job ----------------------------------------------------------------------------- */

struct ask {                /* what it is submitted with */
	struct workload as; /* the work, with what has changed */
	int64_t limit_ms;
	bool spot, is_default, touched;
	const struct rec *by;
};

static void obey_action(const struct composer *cp, const struct rec *r, const struct action *a,
			struct ask *q)
{
	const struct action_submit *s = &a->submit;

	if (a->kind != ACTION_SUBMIT || !habit_matches(&a->which, &q->as))
		return;
	q->touched = true;
	q->by = r;
	if (s->change & SUBMIT_GPUS)
		q->as.gpus_milli = s->now.gpus * 1000;
	if (s->change & SUBMIT_TYPE && s->now.instance_type.z) {
		const struct instance_type *t = catalog_instance(cp->catalog, sv_of(q->as.provider),
								 sv_of(s->now.instance_type.z));
		q->as.instance_type = s->now.instance_type.z;
		if (t && t->gpu_model)
			q->as.gpu_model = t->gpu_model;
	}
	if (s->change & SUBMIT_LIMIT)
		q->limit_ms = s->now.limit_ms;
	if (s->change & SUBMIT_SPOT)
		q->spot = s->now.spot;
	if (s->change & SUBMIT_REGION && s->now.region.z)
		q->as.region = s->now.region.z;
	q->is_default |= s->is_default;
}

static bool needs_more(const struct workload *w, const struct ask *q)
{
	return (int64_t)w->stats.gpus_needed * 1000 > q->as.gpus_milli;
}

static bool has_memory(const struct composer *cp, const struct workload *w, const struct ask *q)
{
	const struct gpu_spec *g = catalog_gpu(cp->catalog, sv_of(q->as.gpu_model));

	if (!strcmp(q->as.gpu_model, w->gpu_model) || !g || isnan(w->stats.mem_peak_bytes))
		return true;
	/* what was preallocated is no need: the trial that reveals it comes first */
	return w->stats.mem_flat_frac >= cp->conf->gates.prealloc_frac ||
	       w->stats.mem_peak_bytes <= gpu_usable_gib(g) * 0x1p30;
}

/* Is it a machine that there are, with as many GPUs as are asked for. */
static bool has_machine(const struct composer *cp, const struct pools *p, const struct ask *q)
{
	const struct instance_type *t = catalog_instance(cp->catalog, sv_of(q->as.provider),
							 sv_of(q->as.instance_type));

	const char *cluster = q->as.cluster;
	bool spot = q->spot;
	struct str s = { 0 };

	pool_key(&s, cluster, q->as.instance_type, spot);
	bool has = intern_find(&p->key, str_sv(&s)) >= 0;
	str_free(&s);
	if (!has)
		return false;
	return !t || !t->gpu_milli || q->as.gpus_milli <= t->gpu_milli;
}

/* Is what the lever made of it what the actions do? A run that keeps its shape beside a default
 * asks for more, or is requeued. */
static bool is_as_judged(const struct workload *w, const struct use *u, const struct ask *q)
{
	bool moved = strcmp(u->instance_type, w->instance_type) != 0;

	if (q->is_default && needs_more(w, q))
		return !moved;
	if (strcmp(u->instance_type, q->as.instance_type) ||
	    q->spot != !strcmp(u->purchase, "spot"))
		return false;
	return !strcmp(u->region, q->as.region) &&
	       (u->limit_ms == q->limit_ms || w->limit_ms == UNKNOWN_MS);
}

static enum ran_as run_workload(const struct composer *cp, const struct pools *p,
				const struct workload *w, const struct use *u, const struct ask *q)
{
	bool gone = u->end_ms <= u->start_ms || !u->gpus_milli;

	if (!q->touched) {
		if (gone || (u->instance_type == w->instance_type && u->limit_ms == w->limit_ms))
			return RAN_BEFORE;
		return RAN_OTHERWISE;
	}
	if (gone)
		return RAN_WELL;
	if (!is_as_judged(w, u, q))
		return RAN_OTHERWISE;
	if (q->is_default && needs_more(w, q))
		return RAN_REQUEUED;
	if (*q->as.instance_type && !has_machine(cp, p, q))
		return RAN_STUCK;
	if (needs_more(w, q))
		return RAN_CUT;
	if (!has_memory(cp, w, q))
		return RAN_OOM;
	/* it was cut before too, where it used all it had */
	bool was_cut = w->limit_ms != UNKNOWN_MS && workload_attempt_ms(w) >= w->limit_ms;
	if (q->limit_ms != UNKNOWN_MS && !was_cut &&
	    (double)workload_attempt_ms(w) * fmax(u->slowdown, u->slowdown_hi) >
		    (double)q->limit_ms + 1)
		return RAN_CUT;
	return RAN_WELL;
}

void execute(const struct composer *cp, const struct comp *c, struct execution *ret)
{
	const struct fleet *f = cp->fleet;
	struct pools p = { 0 };

	*ret = (struct execution){ .job = xcalloc(f->workload.n + 1, sizeof *ret->job) };

	const struct fleet *fleet = cp->fleet;

	for (size_t i = 0; i < fleet->workload.n; i++)
		add_pool(&p, fleet->workload.v[i].cluster, fleet->workload.v[i].instance_type,
			 !strcmp(fleet->workload.v[i].purchase, "spot"));
	for (size_t i = 0; i < c->taken.v.n; i++)
		for (size_t k = 0; k < c->taken.v.v[i]->action.n; k++) {
			const struct action *a = &c->taken.v.v[i]->action.v[k];
			if (a->kind == ACTION_POOL && a->pool.now > a->pool.was)
				add_pool(&p, text_or(a->pool.cluster.z, ""),
					 text_or(a->pool.instance_type.z, ""), a->pool.spot);
		}
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_JOB || w->notebook)
			continue;
		if (!*w->job || cp->habits.of_workload[i] == SIZE_MAX)
			continue;
		struct ask q = { .as = *w,
				 .limit_ms = w->limit_ms,
				 .spot = !strcmp(w->purchase, "spot") };

		for (size_t j = 0; j < c->taken.v.n; j++)
			for (size_t k = 0; k < c->taken.v.v[j]->action.n; k++)
				obey_action(cp, c->taken.v.v[j], &c->taken.v.v[j]->action.v[k], &q);
		ret->job[i] = (struct ran){ run_workload(cp, &p, w, &c->use[i], &q), q.by };
		ret->count[ret->job[i].as]++;
	}
	intern_free(&p.key);
}

void execution_free(struct execution *e)
{
	free(e->job);
	*e = (struct execution){ 0 };
}
