/*
 * Readings of a pool's machines, beside jobs that hold some of its GPUs and do not say which.
 *
 * The machines' GPU time is there once. Each GPU is closed by its readings as if nobody held it
 * (attrib_gpu), and what that gives is counted by the pool's intervals, which are cut wherever a
 * job begins or ends. Of these counts attrib_pool() leaves what is not held: jobs take work before
 * GPUs that read as empty, so that of all work that was read as much as can be is somebody's. What
 * a job did itself stays unknown: its readings are among them, and which they are nobody says.
 */
#include "base/num.h"
#include "base/sort.h"
#include "book/post/post.h"
#include "ledger/lost.h"

struct seen_time {
	struct post *post;
	VEC(struct attrib_seen) v;
};

static int add_seen(void *ctx, const struct attrib_entry *a, struct err *err)
{
	struct seen_time *t = ctx;
	enum cause cause = a->cause;

	(void)err;
	if (a->state == STATE_UNDERUSED && cause == CAUSE_UNKNOWN)
		cause = cause_of_hour(&t->post->causes, a->hour_ms, a->owner);
	*vec_push(&t->v) = (struct attrib_seen){ .paid = (size_t)a->tag,
						 .owner = a->owner,
						 .state = a->state,
						 .cause = cause,
						 .quality = a->quality,
						 .ms = a->ms,
						 .util_ms = a->util_ms };
	return 0;
}

/* Each kind of an interval once. */
static void join_seen(struct seen_time *t)
{
	size_t n = 0;

	if (t->v.n)
		sort_items(t->v.v, t->v.n, sizeof *t->v.v, attrib_seen_cmp);
	for (size_t i = 0; i < t->v.n; i++) {
		struct attrib_seen *x = &t->v.v[i], *last = &t->v.v[n ? n - 1 : 0];
		if (!n || attrib_seen_cmp(last, x)) {
			t->v.v[n++] = *x;
			continue;
		}
		last->ms += x->ms;
		if (last->util_ms == UNKNOWN_I64 || x->util_ms == UNKNOWN_I64)
			last->util_ms = UNKNOWN_I64;
		else
			last->util_ms += x->util_ms;
	}
	t->v.n = n;
}

/* The pool's intervals in which GPU i of the machine was paid; returns how many. */
static size_t gpu_intervals(const struct paid_node *m, size_t i, const struct attrib_paid *paid,
			    size_t npaid, const char *currency, struct attrib_paid *ret)
{
	size_t n = 0, at = 0;

	for (size_t j = 0; j < npaid; j++) {
		while (at < m->interval.n && m->interval.v[at].to_ms <= paid[j].from_ms)
			at++;
		if (at == m->interval.n)
			break;
		const struct paid_interval *q = &m->interval.v[at];
		bool same = sv_eq(sv_or(q->currency, sv_of(currency)), paid[j].currency);
		if (!same || q->from_ms > paid[j].from_ms || (int64_t)i * 1000 >= q->gpu_milli)
			continue;
		ret[n++] = (struct attrib_paid){
			.from_ms = paid[j].from_ms,
			.to_ms = paid[j].to_ms,
			.gpus_milli = q->gpu_milli < 1000 ? q->gpu_milli : 1000,
			.currency = paid[j].currency,
			.quality = q->quality,
			.recorded = true,
			.gpus_known = true,
			.owner = ATTRIB_NOBODY,
			.tag = (int)j,
			.unheld_state = q->watched ? STATE_UNALLOCATED : STATE_UNKNOWN,
			.unheld_cause = q->watched ? CAUSE_FREE : CAUSE_UNWATCHED,
			.unheld_quality = q->watched ? q->watch_quality : QUALITY_ESTIMATED,
		};
	}
	return n;
}

/* p->paid and p->series are those of one machine now. */
static int see_machine(struct post *p, const struct intern *jobs, const struct attrib_paid *paid,
		       size_t npaid, struct seen_time *t, struct err *err)
{
	struct attrib_paid *own = arena_alloc(&p->mem, (npaid + 1) * sizeof *own);
	struct incidents incident = { 0 };
	size_t n = (size_t)((p->paid.gpu_milli + 999) / 1000);
	const struct sv node = p->paid.node;
	int rc = store_incidents(p->book->store, arena_sv(&p->mem, node), p->to_ms, &p->mem,
				 &incident, err);

	if (p->nseries && p->hold.n)
		intern_add(&p->book->read_in_pools, node);
	p->names = (struct gpu_names){ .node = node };
	p->gpu = catalog_gpu(p->book->catalog, p->paid.gpu_model);
	hold_gpus_of_node(p);
	hold_gpus_of_series(p);
	/* readings that name one of the pool's jobs are no other's: the job has its time */
	for (size_t i = 0; i < p->nseries; i++)
		if (intern_find(jobs, p->series[i].key.job_id) >= 0)
			p->series_owner[i] = ATTRIB_NOBODY;
	for (size_t i = 0; i < n && !rc; i++) {
		struct attrib_rest rest = { 0 };
		struct attrib_out out = { add_seen, t, &rest };
		struct attrib_gpu g = { .paid = own };
		g.npaid = gpu_intervals(&p->paid, i, paid, npaid, p->book->opt.conf->currency, own);
		g.ntold = post_unheld(p, i, &incident, &g.told);
		energy_next(&p->energy);
		rc = post_read_gpu(p, &g, &p->gpus.v[i], &out, err);
	}
	for (size_t i = 0; i < p->gpus.n; i++)
		vec_free(&p->gpus.v[i].series);
	vec_free(&p->gpus);
	gpu_names_free(&p->names);
	join_seen(t);
	return rc;
}

int post_pool_seen(struct post *p, const struct attrib_paid *paid, size_t npaid,
		   const struct attrib_seen **ret, size_t *ret_n, struct err *err)
{
	const struct paid_node pool = p->paid;
	const struct gpu_spec *gpu = p->gpu;
	struct series *all = p->series;
	const size_t nall = p->nseries;
	struct seen_time t = { .post = p };
	struct intern jobs = { 0 };
	int rc = 0;

	p->metered = paid_metered(p->book, &p->machine[0]);
	energy_start(&p->energy);
	for (size_t i = 0; i < p->hold.n; i++) {
		intern_add(&jobs, p->hold.v[i].a.job_id);
		if (p->hold.v[i].a.job_alias.n)
			intern_add(&jobs, p->hold.v[i].a.job_alias);
	}
	p->series = arena_alloc(&p->mem, (nall + 1) * sizeof *p->series);
	for (size_t k = 0; k < p->nmachine && !rc; k++) {
		p->paid = p->machine[k];
		p->nseries = 0;
		for (size_t i = 0; i < nall; i++)
			if (sv_eq(all[i].key.node, p->paid.node))
				p->series[p->nseries++] = all[i];
		rc = see_machine(p, &jobs, paid, npaid, &t, err);
	}
	p->paid = pool;
	p->gpu = gpu;
	p->series = all;
	p->nseries = nall;
	p->names = (struct gpu_names){ 0 };
	/* entries of the pool hang on no GPU's causes */
	cause_start(&p->causes, &p->book->opt.conf->attrib, &(struct attrib_gpu){ 0 }, gpu);
	intern_free(&jobs);
	*ret = arena_copy(&p->mem, t.v.v, t.v.n, sizeof *t.v.v);
	*ret_n = t.v.n;
	vec_free(&t.v);
	return rc;
}
