/*
 * Cluster by cluster and model by model, time is cut wherever a job begins or ends to wait, a
 * workload begins or ends to hold GPUs, a machine comes or goes, and at the hours of the ledger. In
 * each interval the whole GPUs that idle are counted machine by machine:
 *
 *   free   paid less held, as far as the hour has free time in the ledger (what nobody watched is
 *          no free time)
 *   held   all GPUs of a workload in an hour in which none of its GPUs and CPUs did anything and
 *          none went unread, else those that it never needed
 *
 * and the jobs that wait then are placed on them in order of submission (opt/capacity/queued.h).
 * What is placed counts, with the hour's own price. Lower bound: parts of GPUs are left out, and
 * pauses shorter than an hour of the ledger, and jobs whose machine nobody names. Where CPUs
 * (memory) of a machine are known, a job that does not tell its own is not placed there, and
 * owners that do not tell theirs hold all that no other one tells: a share of it by GPUs would be
 * a guess, and with a guess this were no bound. It says nothing of why they were not started: a
 * dependency, a quota, a reservation, or an order of the queue.
 */
#include "plan/alone/find_queued.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/capacity/queued.h"
#include "plan/workload.h"

#define GPU_MILLI 1000 /* of gpus_milli */

struct waiting { /* a job that waits */
	const struct workload *first;
	struct {
		struct queued_part *v;
		size_t n, cap;
	} part;
	int64_t from_ms, to_ms, gpus;
	uint32_t shape;
	double free_ms, held_ms;
	struct {
		size_t *v;
		size_t n, cap;
	} row; /* in which it was counted */
	const char *holder;
	double holder_ms;
};
/* The hours of a workload, read in order of time. */
struct reader {
	const struct workload *w;
	size_t next;
};
struct taken {                /* CPU or memory of a machine */
	int64_t told, untold; /* how much; by how many owners that do not tell */
};
struct machine {
	int64_t cap_milli, held_milli;
	struct taken cpu_milli, ram_mib;
	double vcpu, ram_gib;
	struct {
		struct reader *v;
		size_t n, cap;
	} free; /* its free time */
	struct {
		struct reader *v;
		size_t n, cap;
	} idler;                           /* works that hold GPUs now and do nothing at times */
	int64_t hour_ms, free_ms, used_ms; /* of its free time in that hour */
	double nano;                       /* of a GPU-ms of it */
	size_t free_workload;
};
enum event_kind { EVENT_PAID, EVENT_HELD, EVENT_WAITS };
struct event {
	int64_t t_ms;
	enum event_kind kind;
	int sign;
	size_t index; /* of the node, workload, job that waits */
};
struct shape { /* parts of jobs that ask for the same */
	size_t waiting;
	uint64_t refused; /* in that interval: what idles only gets less within one */
};
struct group { /* a cluster's GPUs of one model */
	struct intern node;
	VEC(struct machine) machine;
	/* bit i: machine i has a GPU of nobody, or an owner that idles at times: few do while jobs
	 * wait */
	uint64_t *open;
	VEC(struct waiting) waiting;
	struct intern job, shape_key;
	VEC(struct shape) shape;
	size_t nwaiting; /* shapes of which a job waits */
	VEC(struct event) event;
};
struct row {
	struct plan_queued q;
	VEC(struct plan_waiter) waiter;
	double nano, gpu_ms, wait_ms;
	VEC(double) waiter_ms;
	double most;
};
struct avail { /* GPUs of an owner, in an interval */
	size_t workload;
	int64_t gpus;
	double nano;
};
struct search {
	const struct fleet *f;
	struct intern key, row_key;
	VEC(struct group) group;
	VEC(struct row) row;
	int64_t *cpu_milli, *ram_mib; /* [workload.n] of the host; 0 = not told */
	/* an interval */
	uint64_t number;   /* from 1 */
	VEC(size_t) waits; /* of those that wait, by submission */
	VEC(struct queued_spot) idle;
	VEC(size_t) idle_machine;
	VEC(struct avail) avail;
	VEC(size_t) first;    /* [idle.n] of a machine in avail */
	struct intern listed; /* clusters with machines in the node list */
	/* that waited where no machine is listed; where some are, and the job names neither its
	 * machine nor a model of them */
	size_t unlisted, unnamed;
	double unlisted_ms, unnamed_ms, untold_ms;
};

/* ---- who is there ------------------------------------------------------------------------ */

static struct group *group_of(struct search *s, const char *cluster, const char *model)
{
	struct str key = { 0 };

	str_addf(&key, "%s\x1f%s", cluster, model);
	uint32_t i = intern_add(&s->key, str_sv(&key));
	str_free(&key);
	if (i == s->group.n)
		*vec_push(&s->group) = (struct group){ 0 };
	return &s->group.v[i];
}

static struct group *group_of_workload(struct search *s, const struct workload *w)
{
	if (w->node_index == SIZE_MAX)
		return group_of(s, w->cluster, w->gpu_model);
	return group_of(s, s->f->node.v[w->node_index].cluster,
			s->f->node.v[w->node_index].gpu_model);
}

/* Valid until the next one is asked for. */
static struct machine *machine_of(struct group *g, const char *node)
{
	uint32_t i = intern_add(&g->node, sv_of(node));

	if (i == g->machine.n)
		*vec_push(&g->machine) =
			(struct machine){ .hour_ms = INT64_MIN, .vcpu = NAN, .ram_gib = NAN };
	return &g->machine.v[i];
}

static void add_event(struct group *g, int64_t from_ms, int64_t to_ms, enum event_kind kind,
		      size_t index)
{
	if (from_ms >= to_ms)
		return;
	*vec_push(&g->event) = (struct event){ from_ms, kind, 1, index };
	*vec_push(&g->event) = (struct event){ to_ms, kind, -1, index };
}

static int64_t told_or_unknown(int64_t n)
{
	if (n)
		return n;
	return QUEUED_UNKNOWN;
}

static int by_gpus(const void *pa, const void *pb)
{
	const struct queued_part *a = pa, *b = pb;

	return cmp_i64(b->gpus, a->gpus);
}

static void add_waits(struct search *s, struct group *g)
{
	for (size_t i = 0; i < g->waiting.n; i++) {
		struct waiting *a = &g->waiting.v[i];
		const struct workload *w = a->first;
		a->from_ms = max_i64(w->submit_ms, s->f->since_ms);
		a->to_ms = min_i64(w->start_ms, s->f->until_ms);
		if (!a->part.n || a->from_ms >= a->to_ms)
			continue;
		sort_items(a->part.v, a->part.n, sizeof *a->part.v, by_gpus);

		struct sv key = { (const char *)a->part.v, a->part.n * sizeof *a->part.v };
		uint32_t k = intern_add(&g->shape_key, key);

		if (k == g->shape.n)
			*vec_push(&g->shape) = (struct shape){ 0 };
		a->shape = k;
		if (!g->machine.n) {
			double wait_ms = (double)(a->to_ms - a->from_ms);
			bool listed = intern_find(&s->listed, sv_of(w->cluster)) >= 0;

			s->unnamed += listed;
			if (listed)
				s->unnamed_ms += wait_ms;
			s->unlisted += !listed;
			if (!listed)
				s->unlisted_ms += wait_ms;
		}
		add_event(g, a->from_ms, a->to_ms, EVENT_WAITS, i);
	}
}

static void read_hosts(struct search *s)
{
	for (size_t i = 0; i < s->f->host.n; i++) {
		const struct fleet_host *h = &s->f->host.v[i];
		if (h->cpu_milli > s->cpu_milli[h->workload])
			s->cpu_milli[h->workload] = h->cpu_milli;
		if (h->ram_mib > s->ram_mib[h->workload])
			s->ram_mib[h->workload] = h->ram_mib;
	}
}

/* Machines, with what they cost and who holds them. */
static void add_machines(struct search *s)
{
	const struct fleet *f = s->f;

	for (size_t i = 0; i < f->node.n; i++) {
		const struct fleet_node *n = &f->node.v[i];
		struct group *g = group_of(s, n->cluster, n->gpu_model);
		machine_of(g, n->node);
		intern_add(&s->listed, sv_of(n->cluster));
		add_event(g, n->from_ms, n->to_ms, EVENT_PAID, i);
	}
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->node_index == SIZE_MAX)
			continue;
		struct group *g = group_of_workload(s, w);
		struct machine *m = machine_of(g, w->node);
		bool holds = w->kind == WORKLOAD_JOB || w->kind == WORKLOAD_SERVICE;
		if (w->kind == WORKLOAD_FREE)
			*vec_push(&m->free) = (struct reader){ w, 0 };
		else if (holds || w->kind == WORKLOAD_UNKNOWN)
			add_event(g, w->start_ms, w->end_ms, EVENT_HELD, i);
	}
}

/* The job of a workload that was submitted; NULL: it is none. */
static struct waiting *waiting_of(struct search *s, const struct workload *w)
{
	bool is_job = w->kind == WORKLOAD_JOB || w->kind == WORKLOAD_SERVICE;

	if (!is_job || !*w->job || w->submit_ms == UNKNOWN_MS)
		return NULL;
	struct group *g = group_of_workload(s, w);
	uint32_t k = intern_add(&g->job, sv_of(w->job));
	if (k == g->waiting.n)
		*vec_push(&g->waiting) = (struct waiting){ .first = w, .holder = "" };
	return &g->waiting.v[k];
}

/* Jobs, each by the part that began first and those that ran with it: later ones are attempts. */
static void add_jobs(struct search *s)
{
	const struct fleet *f = s->f;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		struct waiting *a = waiting_of(s, w);
		if (a && w->start_ms < a->first->start_ms)
			a->first = w;
	}
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		struct waiting *a = waiting_of(s, w);
		int64_t gpus = (w->gpus_milli + GPU_MILLI - 1) / GPU_MILLI;
		if (!a || w->start_ms >= a->first->end_ms || w->end_ms <= a->first->start_ms)
			continue;
		if (gpus < 1)
			continue;
		*vec_push(&a->part) = (struct queued_part){ gpus, told_or_unknown(s->cpu_milli[i]),
							    told_or_unknown(s->ram_mib[i]) };
		a->gpus += gpus;
	}
}

/* ---- what idles -------------------------------------------------------------------------- */

/* The hour of a workload, NULL: it has none then. Asked in order of time. */
static const struct workload_hour *hour_at(const struct fleet *f, struct reader *r, int64_t hour_ms)
{
	const struct workload_hour *h = &f->hour.v[r->w->hour0];

	while (r->next < r->w->nhour && h[r->next].hour_ms < hour_ms)
		r->next++;
	if (r->next < r->w->nhour && h[r->next].hour_ms == hour_ms)
		return &h[r->next];
	return NULL;
}

static void read_free(const struct fleet *f, struct machine *p, int64_t hour_ms)
{
	double nano = 0;
	int64_t most = -1;

	if (p->hour_ms == hour_ms)
		return;
	p->hour_ms = hour_ms;
	p->free_ms = p->used_ms = 0;
	for (size_t i = 0; i < p->free.n; i++) {
		const struct workload_hour *h = hour_at(f, &p->free.v[i], hour_ms);
		if (!h)
			continue;
		p->free_ms += h->ms;
		nano += (double)h->nano;
		if (h->nano > most)
			p->free_workload = (size_t)(p->free.v[i].w - f->workload.v);
		most = max_i64(h->nano, most);
	}
	p->nano = p->free_ms ? nano / (double)p->free_ms : 0;
}

static int64_t idle_gpus(const struct workload *w, const struct workload_hour *h, bool *ret_all)
{
	bool still = h->idle_ms > 0 && h->busy_ms == 0 && h->unknown_ms == 0 && !h->cpu_worked;

	*ret_all = still;
	if (still)
		return w->gpus_milli / GPU_MILLI;

	/* GPUs that a workload never needed. */
	const struct workload_stats *t = &w->stats;
	bool whole = w->share_kind == SHARE_WHOLE && (int64_t)t->gpus * GPU_MILLI == w->gpus_milli;

	if (whole && t->covered_frac >= WORKLOAD_COVERED_FRAC && t->gpus_needed < t->gpus)
		return t->gpus - t->gpus_needed;
	return 0;
}

static void take_told(struct taken *t, int64_t n, int sign)
{
	t->told += sign * n;
	if (!n)
		t->untold += sign;
}

/* What nobody holds of `has`, and what the idle ones of all owners do. Those that do not tell hold
 * all that is not told: it is free with the last of them. */
static int64_t left_of(double has, const struct taken *all, const struct taken *idle,
		       int64_t *ret_held)
{
	*ret_held = idle->told;
	if (isnan(has))
		return QUEUED_UNKNOWN;
	int64_t left = llround(has) - all->told;
	if (!all->untold || left <= 0)
		return left;
	if (idle->untold == all->untold)
		*ret_held += left;
	return 0;
}

static void add_held(struct search *s, struct machine *p, int64_t hour_ms, struct queued_spot *q)
{
	struct taken cpu = { 0 }, ram = { 0 };

	for (size_t i = 0; i < p->idler.n; i++) {
		const struct workload *w = p->idler.v[i].w;
		const struct workload_hour *h = hour_at(s->f, &p->idler.v[i], hour_ms);
		size_t k = (size_t)(w - s->f->workload.v);
		bool all;
		int64_t gpus = 0;
		if (h && h->ms > 0)
			gpus = idle_gpus(w, h, &all);
		if (!gpus)
			continue;
		q->held += gpus;
		if (all) {
			take_told(&cpu, s->cpu_milli[k], 1);
			take_told(&ram, s->ram_mib[k], 1);
		}
		*vec_push(&s->avail) = (struct avail){ k, gpus, (double)h->nano / (double)h->ms };
	}
	q->cpu_milli = left_of(p->vcpu * 1000, &p->cpu_milli, &cpu, &q->held_cpu_milli);
	q->ram_mib = left_of(p->ram_gib * 1024, &p->ram_mib, &ram, &q->held_ram_mib);
}

/* ---- whose ------------------------------------------------------------------------------- */

struct counted {
	int64_t gpus, ms;
	double nano;     /* of a GPU-ms */
	size_t workload; /* free time or holder */
};

static void count_owner(struct search *s, struct waiting *a, const struct counted *c,
			const char *owner)
{
	const struct workload *w = &s->f->workload.v[c->workload];
	const char *cluster = w->cluster;
	struct str key = { 0 };

	str_addf(&key, "%s\x1f%s", owner, cluster);
	uint32_t i = intern_add(&s->row_key, str_sv(&key));
	str_free(&key);
	if (i == s->row.n)
		*vec_push(&s->row) = (struct row){ .q = { .owner = owner, .cluster = cluster } };
	size_t row = i;
	struct row *r = &s->row.v[row];
	double gpu_ms = (double)c->gpus * (double)c->ms, nano = gpu_ms * c->nano;
	double wait_ms = gpu_ms / (double)a->gpus;

	r->gpu_ms += gpu_ms;
	r->nano += nano;
	if (!r->q.most || nano > r->most) {
		r->q.most = w;
		r->most = nano;
	}
	const char *waiter = workload_owner(a->first);
	size_t k = 0, seen = 0;
	while (seen < a->row.n && a->row.v[seen] != row)
		seen++;
	while (k < r->waiter.n && r->waiter.v[k].team != waiter)
		k++;
	if (k == r->waiter.n) {
		*vec_push(&r->waiter) = (struct plan_waiter){ .team = waiter };
		*vec_push(&r->waiter_ms) = 0;
	}
	if (seen == a->row.n) {
		*vec_push(&a->row) = row;
		r->q.jobs++;
		r->waiter.v[k].jobs++;
	}
	r->wait_ms += wait_ms;
	r->waiter_ms.v[k] += wait_ms;
	if (!*owner) {
		a->free_ms += wait_ms;
		return;
	}
	a->held_ms += wait_ms;
	if (wait_ms > a->holder_ms || a->holder == owner) {
		a->holder_ms = a->holder == owner ? a->holder_ms + wait_ms : wait_ms;
		a->holder = owner;
	}
}

/* Does the job leave open what an idle machine tells? */
static bool is_untold(const struct search *s, const struct waiting *a)
{
	bool cpu = false, ram = false;

	for (size_t i = 0; i < a->part.n; i++) {
		cpu |= a->part.v[i].cpu_milli == QUEUED_UNKNOWN;
		ram |= a->part.v[i].ram_mib == QUEUED_UNKNOWN;
	}
	for (size_t i = 0; i < s->idle.n; i++)
		if ((cpu && s->idle.v[i].cpu_milli != QUEUED_UNKNOWN) ||
		    (ram && s->idle.v[i].ram_mib != QUEUED_UNKNOWN))
			return true;
	return false;
}

static void count_placed(struct search *s, struct group *g, struct waiting *a,
			 const struct queued_got *got, int64_t ms)
{
	for (size_t k = 0; k < a->part.n; k++) {
		struct machine *p = &g->machine.v[s->idle_machine.v[got[k].spot]];
		struct counted c = { got[k].free, ms, p->nano, p->free_workload };
		p->used_ms += got[k].free * ms;
		if (c.gpus)
			count_owner(s, a, &c, "");
		int64_t left = got[k].held;
		size_t to = s->avail.n;
		if (got[k].spot + 1 < s->first.n)
			to = s->first.v[got[k].spot + 1];
		for (size_t i = s->first.v[got[k].spot]; i < to && left; i++) {
			struct avail *v = &s->avail.v[i];
			int64_t n = min_i64(left, v->gpus);
			struct counted held = { n, ms, v->nano, v->workload };
			if (!n)
				continue;
			v->gpus -= n;
			left -= n;
			count_owner(s, a, &held, workload_owner(&s->f->workload.v[v->workload]));
		}
	}
}

/* What idles in [t, t + ms), which lies within an hour. Returns how many GPUs. */
static int64_t list_idle(struct search *s, struct group *g, int64_t t_ms, int64_t ms)
{
	int64_t idle = 0, hour_ms = tm_floor(t_ms, MS_HOUR);

	vec_clear(&s->idle);
	vec_clear(&s->idle_machine);
	vec_clear(&s->avail);
	vec_clear(&s->first);
	for (size_t w = 0; w * 64 < g->machine.n; w++)
		for (uint64_t left = g->open[w]; left; left &= left - 1) {
			size_t i = w * 64 + (size_t)__builtin_ctzll(left);
			struct machine *p = &g->machine.v[i];
			struct queued_spot q = { 0 };
			size_t first = s->avail.n;

			read_free(s->f, p, hour_ms);
			q.free = min_i64((p->cap_milli - p->held_milli) / GPU_MILLI,
					 (p->free_ms - p->used_ms) / ms);
			q.free = max_i64(q.free, 0); /* whole GPUs of nobody, for so long */
			add_held(s, p, hour_ms, &q);
			if (!q.free && !q.held)
				continue;
			*vec_push(&s->idle) = q;
			*vec_push(&s->idle_machine) = i;
			*vec_push(&s->first) = first;
			idle += q.free + q.held;
		}
	return idle;
}

/* All that wait in [t, t + ms), in order. */
static void place_all(struct search *s, struct group *g, int64_t t_ms, int64_t ms)
{
	struct queued_got *got = NULL;
	size_t room = 0, refused = 0;
	int64_t idle = list_idle(s, g, t_ms, ms);

	s->number++;
	for (size_t i = 0; i < s->waits.n && idle && refused < g->nwaiting; i++) {
		struct waiting *a = &g->waiting.v[s->waits.v[i]];
		struct shape *x = &g->shape.v[a->shape];
		if (x->refused == s->number)
			continue;
		if (a->part.n > room) {
			room = a->part.n;
			free(got);
			got = xcalloc(room, sizeof *got);
		}
		if (a->gpus <= idle &&
		    queued_place(s->idle.n, s->idle.v, a->part.n, a->part.v, got)) {
			idle -= a->gpus;
			count_placed(s, g, a, got, ms);
			continue;
		}
		/* A place is found for a job of equal parts whenever there is one
		 * (opt/capacity/queued.h): where one is refused, all of its shape are for the rest
		 * of the interval. */
		bool fits_none = true;
		for (size_t k = 1; k < a->part.n && a->gpus <= idle; k++)
			fits_none &= memcmp(&a->part.v[k], a->part.v, sizeof *a->part.v) == 0;
		if (a->gpus <= idle && is_untold(s, a)) {
			size_t alike = !fits_none; /* of the jobs from this one on */
			for (size_t k = i; k < s->waits.n && fits_none; k++)
				alike += g->waiting.v[s->waits.v[k]].shape == a->shape;
			s->untold_ms += (double)ms * (double)alike;
		}
		if (fits_none) {
			x->refused = s->number;
			refused++;
		}
	}
	free(got);
}

/* ---- over time --------------------------------------------------------------------------- */

static int by_time(const void *pa, const void *pb)
{
	const struct event *a = pa, *b = pb;

	if (a->t_ms != b->t_ms)
		return cmp_i64(a->t_ms, b->t_ms);
	if (a->kind != b->kind)
		return (int)a->kind - (int)b->kind;
	return cmp_size(a->index, b->index);
}

static void hold_machine(struct search *s, const struct event *e, struct machine *p)
{
	const struct workload *w = &s->f->workload.v[e->index];

	p->held_milli += e->sign * w->gpus_milli;
	take_told(&p->cpu_milli, s->cpu_milli[e->index], e->sign);
	take_told(&p->ram_mib, s->ram_mib[e->index], e->sign);
	int64_t idle_ms = w->state_ms[STATE_IDLE_HELD] + w->state_ms[STATE_IDLE_EMPTY];
	if (w->share_kind != SHARE_WHOLE || w->gpus_milli < GPU_MILLI || idle_ms <= 0)
		return;
	if (e->sign > 0) {
		*vec_push(&p->idler) = (struct reader){ w, 0 };
		return;
	}
	for (size_t i = 0; i < p->idler.n; i++)
		if (p->idler.v[i].w == w) {
			p->idler.v[i] = p->idler.v[--p->idler.n];
			break;
		}
}

static void pay_machine(struct search *s, const struct event *e, struct machine *p)
{
	const struct fleet_node *n = &s->f->node.v[e->index];

	p->cap_milli += e->sign * n->gpus_milli;
	if (e->sign > 0) {
		p->vcpu = n->vcpu;
		p->ram_gib = n->ram_gib;
	}
}

/* Kept in order of submission: of those that begin to wait at once, by the job list. */
static void add_waiting(struct search *s, struct group *g, const struct event *e)
{
	struct shape *x = &g->shape.v[g->waiting.v[e->index].shape];

	if (e->sign > 0) {
		g->nwaiting += !x->waiting++;
		*vec_push(&s->waits) = e->index;
		return;
	}
	g->nwaiting -= !--x->waiting;
	size_t n = 0;
	for (size_t i = 0; i < s->waits.n; i++)
		if (s->waits.v[i] != e->index)
			s->waits.v[n++] = s->waits.v[i];
	s->waits.n = n;
}

static void sweep_group(struct search *s, struct group *g)
{
	vec_clear(&s->waits);
	g->open = xcalloc(g->machine.n / 64 + 1, sizeof *g->open);
	if (g->event.n)
		sort_items(g->event.v, g->event.n, sizeof *g->event.v, by_time);
	for (size_t i = 0; i < g->event.n;) {
		int64_t t = g->event.v[i].t_ms;
		for (; i < g->event.n && g->event.v[i].t_ms == t; i++) {
			const struct event *e = &g->event.v[i];
			if (e->kind == EVENT_WAITS) {
				add_waiting(s, g, e);
				continue;
			}
			const char *node = e->kind == EVENT_PAID ? s->f->node.v[e->index].node
								 : s->f->workload.v[e->index].node;
			struct machine *p = machine_of(g, node);
			if (e->kind == EVENT_PAID)
				pay_machine(s, e, p);
			else
				hold_machine(s, e, p);

			size_t k = (size_t)(p - g->machine.v);
			uint64_t bit = 1ULL << k % 64;

			if (p->cap_milli - p->held_milli >= GPU_MILLI || p->idler.n)
				g->open[k / 64] |= bit;
			else
				g->open[k / 64] &= ~bit;
		}
		if (i == g->event.n)
			break;
		int64_t next = g->event.v[i].t_ms;
		while (s->waits.n && t < next) {
			int64_t hour = tm_floor(t, MS_HOUR) + MS_HOUR, to = min_i64(hour, next);
			place_all(s, g, t, to - t);
			t = to;
		}
	}
}

/* ---- out --------------------------------------------------------------------------------- */

static int by_wait(const void *pa, const void *pb)
{
	const struct plan_waiter *a = pa, *b = pb;

	if (a->wait_ms != b->wait_ms)
		return cmp_i64(b->wait_ms, a->wait_ms);
	return strcmp(a->team, b->team);
}

static int by_nano(const void *pa, const void *pb)
{
	const struct plan_queued *a = pa, *b = pb;
	int d = strcmp(a->owner, b->owner);

	if (a->nano != b->nano)
		return cmp_i64(b->nano, a->nano);
	if (d)
		return d;
	return strcmp(a->cluster, b->cluster);
}

static void search_free(struct search *s)
{
	for (size_t i = 0; i < s->group.n; i++) {
		struct group *g = &s->group.v[i];
		for (size_t k = 0; k < g->machine.n; k++) {
			vec_free(&g->machine.v[k].free);
			vec_free(&g->machine.v[k].idler);
		}
		for (size_t k = 0; k < g->waiting.n; k++) {
			vec_free(&g->waiting.v[k].part);
			vec_free(&g->waiting.v[k].row);
		}
		free(g->open);
		vec_free(&g->machine);
		vec_free(&g->waiting);
		vec_free(&g->event);
		vec_free(&g->shape);
		intern_free(&g->shape_key);
		intern_free(&g->node);
		intern_free(&g->job);
	}
	for (size_t i = 0; i < s->row.n; i++) {
		vec_free(&s->row.v[i].waiter);
		vec_free(&s->row.v[i].waiter_ms);
	}
	vec_free(&s->group);
	vec_free(&s->row);
	vec_free(&s->waits);
	vec_free(&s->idle);
	vec_free(&s->idle_machine);
	vec_free(&s->avail);
	vec_free(&s->first);
	intern_free(&s->key);
	intern_free(&s->row_key);
	intern_free(&s->listed);
	free(s->cpu_milli);
	free(s->ram_mib);
}

/* Whose GPUs idled, most money first. */
static void put_rows(struct search *s, struct plan *p)
{
	struct plan_queued *out = arena_zalloc(&p->mem, (s->row.n + 1) * sizeof *out);

	for (size_t i = 0; i < s->row.n; i++) {
		struct row *r = &s->row.v[i];
		out[i] = r->q;
		out[i].gpu_ms = llround(r->gpu_ms);
		out[i].nano = llround(r->nano);
		out[i].wait_ms = llround(r->wait_ms);
		out[i].most_nano = llround(r->most);
		for (size_t k = 0; k < r->waiter.n; k++)
			r->waiter.v[k].wait_ms = llround(r->waiter_ms.v[k]);
		sort_items(r->waiter.v, r->waiter.n, sizeof *r->waiter.v, by_wait);
		out[i].waiter = arena_copy(&p->mem, r->waiter.v, r->waiter.n, sizeof *r->waiter.v);
		out[i].nwaiter = r->waiter.n;
	}
	sort_items(out, s->row.n, sizeof *out, by_nano);
	p->queued = out;
	p->nqueued = s->row.n;
}

/* Which jobs need not have waited. */
static void put_waited(struct search *s, struct plan *p)
{
	VEC(struct plan_waited) v = { 0 };

	for (size_t i = 0; i < s->group.n; i++)
		for (size_t k = 0; k < s->group.v[i].waiting.n; k++) {
			const struct waiting *a = &s->group.v[i].waiting.v[k];
			if (a->free_ms + a->held_ms > 0)
				*vec_push(&v) = (struct plan_waited){
					a->first->job,       a->to_ms - a->from_ms,
					llround(a->free_ms), llround(a->held_ms),
					a->holder,           llround(a->holder_ms)
				};
		}
	p->waited = arena_copy(&p->mem, v.v, v.n, sizeof *v.v);
	p->nwaited = v.n;
	vec_free(&v);
}

static void put_notes(const struct search *s, struct plan *p)
{
	if (s->unlisted)
		*vec_push(&p->note) = arena_printf(
			&p->mem,
			"%zu job%s waited %.1f h in clusters whose node list is not there: whether GPUs idled for them is not known (tare import --as nodes).",
			s->unlisted, plural(s->unlisted), s->unlisted_ms / MS_HOUR);
	if (s->unnamed)
		*vec_push(&p->note) = arena_printf(
			&p->mem,
			"%zu job%s waited %.1f h in clusters whose machines are known, naming neither a machine nor a GPU model that is there: whether GPUs idled for them is not known (columns node, gpu_model).",
			s->unnamed, plural(s->unnamed), s->unnamed_ms / MS_HOUR);
	if (s->untold_ms > 0)
		*vec_push(&p->note) = arena_printf(
			&p->mem,
			"Jobs waited %.1f h while as many GPUs idled, and the job list does not say what CPUs or memory they ask for: whether they would have fitted is not known (columns cpus and ram_gib).",
			s->untold_ms / MS_HOUR);
}

void find_queued(const struct fleet *f, struct plan *p)
{
	struct search s = { .f = f,
			    .cpu_milli = xcalloc(f->workload.n + 1, sizeof *s.cpu_milli),
			    .ram_mib = xcalloc(f->workload.n + 1, sizeof *s.ram_mib) };

	read_hosts(&s);
	add_machines(&s);
	add_jobs(&s);
	for (size_t i = 0; i < s.group.n; i++) {
		add_waits(&s, &s.group.v[i]);
		if (s.group.v[i].machine.n)
			sweep_group(&s, &s.group.v[i]);
	}
	put_rows(&s, p);
	put_waited(&s, p);
	put_notes(&s, p);
	search_free(&s);
}
