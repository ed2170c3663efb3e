/*
 * Machine by machine: what its jobs hold of the host, the pieces of time in which GPUs are
 * stranded, and these pieces over the hours of the machine's free time, so that no free hour counts
 * for more than it cost. A job list tells nothing of jobs without a GPU: they take CPU too, and are
 * not seen.
 *
 * The ledger keeps these hours as unallocated/free: what a free GPU is worth to others depends on
 * the jobs of the whole cluster, and the entries of a machine must follow from its own records
 * alone, or an import elsewhere would change them.
 */
#include "plan/alone/find_stranded.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/workload.h"

#define MIN_JOBS 10 /* that say what they hold: fewer have no median worth the name */

struct spans {
	struct span *v;
	size_t n, cap;
};

struct cluster {
	struct {
		struct strand_ask *v;
		size_t n, cap;
	} asks;
	bool known;
	struct strand_ask ask;
	struct spans busy, waits; /* jobs of the median's size or more are there; jobs wait */
};

struct search {
	const struct fleet *f;
	struct stranded_parts *out;
	struct intern name; /* of clusters */
	VEC(struct cluster) cluster;
	/* by the hour of the window, for one machine at a time */
	int64_t hour0_ms;
	size_t hours;
	int64_t *stranded_ms, *waited_ms, *free_ms;
	struct strand_piece *most; /* [hours] the largest piece of each */
};

/* ---- spans ------------------------------------------------------------------------------- */

static int by_from(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	if (a->from_ms != b->from_ms)
		return cmp_i64(a->from_ms, b->from_ms);
	return cmp_i64(a->to_ms, b->to_ms);
}

/* Into the union: sorted, apart. */
static void unite_spans(struct spans *s)
{
	size_t n = 0;

	if (s->n)
		sort_items(s->v, s->n, sizeof *s->v, by_from);
	for (size_t i = 0; i < s->n; i++)
		if (n && s->v[i].from_ms <= s->v[n - 1].to_ms)
			s->v[n - 1].to_ms = max_i64(s->v[i].to_ms, s->v[n - 1].to_ms);
		else
			s->v[n++] = s->v[i];
	s->n = n;
}

/* Milliseconds of [from, to) that lie in a union. */
static int64_t within_spans(const struct spans *s, int64_t from_ms, int64_t to_ms)
{
	size_t at = first_where(i, s->n, s->v[i].to_ms > from_ms);
	int64_t sum = 0;

	for (; at < s->n && s->v[at].from_ms < to_ms; at++) {
		int64_t a = max_i64(s->v[at].from_ms, from_ms), b = min_i64(s->v[at].to_ms, to_ms);
		if (b > a)
			sum += b - a;
	}
	return sum;
}

/* ---- what the cluster's jobs ask for ----------------------------------------------------- */

static struct cluster *cluster_of(struct search *s, const struct fleet_host *h)
{
	uint32_t id = intern_add(&s->name, sv_of(s->f->workload.v[h->workload].cluster));

	if (id == s->cluster.n)
		*vec_push(&s->cluster) = (struct cluster){ .known = false };
	return &s->cluster.v[id];
}

/* As much of either as the median job, for each of its GPUs. */
static bool as_large(const struct fleet_host *h, const struct strand_ask *ask)
{
	if (ask->cpu_milli > 0 &&
	    (__int128)h->cpu_milli * ask->gpus_milli >= (__int128)ask->cpu_milli * h->gpus_milli)
		return true;
	return ask->ram_mib > 0 &&
	       (__int128)h->ram_mib * ask->gpus_milli >= (__int128)ask->ram_mib * h->gpus_milli;
}

/* ---- a machine --------------------------------------------------------------------------- */

static int64_t piece_overlap(const struct strand_piece *p, int64_t from_ms, int64_t to_ms)
{
	int64_t a = max_i64(p->from_ms, from_ms), b = min_i64(p->to_ms, to_ms);

	if (b > a)
		return b - a;
	return 0;
}

/* A piece over its hours: GPU-milliseconds, and of these those while jobs waited. */
static void spread_piece(struct search *s, const struct cluster *c, const struct strand_piece *p)
{
	int64_t first = (p->from_ms - s->hour0_ms) / MS_HOUR;

	for (size_t h = first < 0 ? 0 : (size_t)first;
	     h < s->hours && s->hour0_ms + (int64_t)h * MS_HOUR < p->to_ms; h++) {
		int64_t a = s->hour0_ms + (int64_t)h * MS_HOUR, b = a + MS_HOUR;
		a = max_i64(p->from_ms, a);
		b = min_i64(p->to_ms, b);
		s->stranded_ms[h] += within_spans(&c->busy, a, b) * p->gpus_milli / 1000;
		s->waited_ms[h] += within_spans(&c->waits, a, b) * p->gpus_milli / 1000;
		const struct strand_piece *m = &s->most[h];
		int64_t hour = s->hour0_ms + (int64_t)h * MS_HOUR;
		if (piece_overlap(p, hour, hour + MS_HOUR) * p->gpus_milli >
		    piece_overlap(m, hour, hour + MS_HOUR) * m->gpus_milli)
			s->most[h] = *p;
	}
}

static const char *owner_of(const struct fleet *f, size_t blamed)
{
	if (blamed == SIZE_MAX)
		return "";
	return workload_owner(&f->workload.v[blamed]);
}

/* The part of this hour of free time that is stranded, with whom to name; of one owner's jobs the
 * first stands for all. */
static struct stranded_part *part_for(struct search *s, size_t first, size_t workload,
				      size_t blamed, bool cpu)
{
	for (size_t i = first; i < s->out->n; i++)
		if (s->out->v[i].workload == workload && s->out->v[i].cpu == cpu &&
		    !strcmp(owner_of(s->f, s->out->v[i].blamed), owner_of(s->f, blamed)))
			return &s->out->v[i];
	struct stranded_part *p = vec_push(s->out);
	*p = (struct stranded_part){ .workload = workload, .blamed = blamed, .cpu = cpu };
	return p;
}

static void charge_holders(struct search *s, const struct cluster *c, const struct fleet_node *n,
			   const struct fleet_host *const *hold, size_t workload)
{
	const struct workload *w = &s->f->workload.v[workload];
	size_t first = s->out->n;

	for (size_t k = 0; k < w->nhour; k++) {
		const struct workload_hour *t = &s->f->hour.v[w->hour0 + k];
		int64_t h = (t->hour_ms - s->hour0_ms) / MS_HOUR;
		if (h < 0 || h >= (int64_t)s->hours || s->stranded_ms[h] <= 0)
			continue;
		if (s->free_ms[h] <= 0 || t->ms <= 0)
			continue;
		const struct strand_piece *m = &s->most[h];
		double part = (double)s->stranded_ms[h] / (double)s->free_ms[h];
		part = min_double(1, part);
		struct stranded_part *p =
			part_for(s, first, workload,
				 m->most == SIZE_MAX ? SIZE_MAX : hold[m->most]->workload, m->cpu);
		p->nano += (int64_t)((double)t->nano * part);
		p->gpu_ms += (int64_t)((double)t->ms * part);
		p->waited_ms += (int64_t)((double)t->ms * part *
					  ((double)s->waited_ms[h] / (double)s->stranded_ms[h]));
		p->told = n->host_told;
		p->has_per_gpu = (m->cpu ? n->vcpu : n->ram_gib) / ((double)n->gpus_milli / 1000);
		p->ask = c->ask;
	}
}

/* Works of one machine: its free time, and the jobs that say what they hold. */
struct on_node {
	const char *node;
	size_t *free;
	size_t nfree;
	const struct fleet_host **hold;
	size_t nhold;
};

static void sweep_machine(struct search *s, const struct fleet_node *n, const struct on_node *o)
{
	int64_t id = intern_find(&s->name, sv_of(n->cluster));
	const struct cluster *c = id < 0 ? NULL : &s->cluster.v[id];
	struct strand_list piece = { 0 };
	struct strand_machine m = { n->gpus_milli, llround(known_or(n->vcpu, 0) * 1000),
				    llround(known_or(n->ram_gib, 0) * 1024), n->from_ms, n->to_ms };

	if (!c || !c->known || !o->nhold)
		return;
	if (!o->nfree || m.gpus_milli <= 0)
		return;
	if (m.cpu_milli <= 0 && m.ram_mib <= 0)
		return;
	struct strand_hold *hold = xcalloc(o->nhold, sizeof *hold);
	for (size_t i = 0; i < o->nhold; i++)
		hold[i] = (struct strand_hold){ o->hold[i]->from_ms, o->hold[i]->to_ms,
						o->hold[i]->gpus_milli, o->hold[i]->cpu_milli,
						o->hold[i]->ram_mib };
	stranded_pieces(&m, o->nhold, hold, &c->ask, &piece);
	if (piece.n) {
		memset(s->stranded_ms, 0, s->hours * sizeof *s->stranded_ms);
		memset(s->waited_ms, 0, s->hours * sizeof *s->waited_ms);
		memset(s->free_ms, 0, s->hours * sizeof *s->free_ms);
		memset(s->most, 0, s->hours * sizeof *s->most);
		for (size_t i = 0; i < piece.n; i++)
			spread_piece(s, c, &piece.v[i]);
		for (size_t i = 0; i < o->nfree; i++) {
			const struct workload *w = &s->f->workload.v[o->free[i]];
			for (size_t k = 0; k < w->nhour; k++) {
				int64_t h = (s->f->hour.v[w->hour0 + k].hour_ms - s->hour0_ms) /
					    MS_HOUR;
				if (h >= 0 && h < (int64_t)s->hours)
					s->free_ms[h] += s->f->hour.v[w->hour0 + k].ms;
			}
		}
		for (size_t i = 0; i < o->nfree; i++)
			charge_holders(s, c, n, o->hold, o->free[i]);
	}
	vec_free(&piece);
	free(hold);
}

/* ---- all machines ------------------------------------------------------------------------ */

static int by_workload(const void *pa, const void *pb)
{
	const struct stranded_part *a = pa, *b = pb;

	if (a->workload != b->workload)
		return cmp_size(a->workload, b->workload);
	if (a->nano != b->nano)
		return cmp_i64(b->nano, a->nano);
	return cmp_size(a->blamed, b->blamed);
}

/* Holds and free time by machine, in two passes over each list. */
static void all_machines(struct search *s)
{
	const struct fleet *f = s->f;
	struct intern name = { 0 };
	VEC(struct on_node) at = { 0 };

	for (size_t pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < f->host.n; i++) {
			uint32_t id = intern_add(&name, sv_of(f->host.v[i].node));
			if (id == at.n)
				*vec_push(&at) = (struct on_node){ .node = f->host.v[i].node };
			if (pass)
				at.v[id].hold[at.v[id].nhold] = &f->host.v[i];
			at.v[id].nhold++;
		}
		for (size_t i = 0; i < f->workload.n; i++) {
			int64_t id = -1;
			if (f->workload.v[i].kind == WORKLOAD_FREE && *f->workload.v[i].node)
				id = intern_find(&name, sv_of(f->workload.v[i].node));
			if (id < 0)
				continue;
			if (pass)
				at.v[id].free[at.v[id].nfree] = i;
			at.v[id].nfree++;
		}
		for (size_t i = 0; i < at.n && !pass; i++) {
			at.v[i].hold = xcalloc(at.v[i].nhold + 1, sizeof *at.v[i].hold);
			at.v[i].free = xcalloc(at.v[i].nfree + 1, sizeof *at.v[i].free);
			at.v[i].nhold = at.v[i].nfree = 0;
		}
	}
	for (size_t i = 0; i < f->node.n; i++) {
		int64_t id = intern_find(&name, sv_of(f->node.v[i].node));
		if (id >= 0)
			sweep_machine(s, &f->node.v[i], &at.v[id]);
	}
	for (size_t i = 0; i < at.n; i++) {
		free(at.v[i].hold);
		free(at.v[i].free);
	}
	vec_free(&at);
	intern_free(&name);
}

void find_stranded(const struct fleet *f, struct stranded_parts *ret)
{
	struct search s = { .f = f, .out = ret, .hour0_ms = tm_floor(f->since_ms, MS_HOUR) };

	if (!f->host.n || f->until_ms <= f->since_ms)
		return;
	s.hours = (size_t)((f->until_ms - s.hour0_ms + MS_HOUR - 1) / MS_HOUR);
	s.stranded_ms = xcalloc(s.hours, sizeof *s.stranded_ms);
	s.waited_ms = xcalloc(s.hours, sizeof *s.waited_ms);
	s.free_ms = xcalloc(s.hours, sizeof *s.free_ms);
	s.most = xcalloc(s.hours, sizeof *s.most);
	for (size_t i = 0; i < f->host.n; i++)
		if (f->host.v[i].gpus_milli > 0)
			*vec_push(&cluster_of(&s, &f->host.v[i])->asks) =
				(struct strand_ask){ f->host.v[i].gpus_milli,
						     f->host.v[i].cpu_milli, f->host.v[i].ram_mib };
	for (size_t i = 0; i < s.cluster.n; i++) {
		struct cluster *c = &s.cluster.v[i];
		c->known = stranded_typical(c->asks.n, c->asks.v, MIN_JOBS, &c->ask);
		vec_free(&c->asks);
	}
	for (size_t i = 0; i < f->host.n; i++) {
		const struct fleet_host *h = &f->host.v[i];
		struct cluster *c = cluster_of(&s, h);
		int64_t asked = h->submit_ms != UNKNOWN_MS && h->submit_ms < h->from_ms
					? h->submit_ms
					: h->from_ms;
		if (!c->known || h->gpus_milli <= 0 || !as_large(h, &c->ask))
			continue;
		*vec_push(&c->busy) = (struct span){ asked, h->to_ms };
		if (asked < h->from_ms)
			*vec_push(&c->waits) = (struct span){ asked, h->from_ms };
	}
	for (size_t i = 0; i < s.cluster.n; i++) {
		unite_spans(&s.cluster.v[i].busy);
		unite_spans(&s.cluster.v[i].waits);
	}
	all_machines(&s);
	if (ret->n)
		sort_items(ret->v, ret->n, sizeof *ret->v, by_workload);
	for (size_t i = 0; i < s.cluster.n; i++) {
		vec_free(&s.cluster.v[i].busy);
		vec_free(&s.cluster.v[i].waits);
	}
	vec_free(&s.cluster);
	intern_free(&s.name);
	free(s.stranded_ms);
	free(s.waited_ms);
	free(s.free_ms);
	free(s.most);
}

/* ---- what to say ------------------------------------------------------------------------- */

static void say_evidence(const struct fleet *f, struct plan *plan, struct finding *o,
			 struct evidence e)
{
	char a[TM_BUF], b[TM_BUF];

	e.window = arena_printf(&plan->mem, "%s/%s", tm_format(a, f->since_ms),
				tm_format(b, f->until_ms));
	*vec_push(&o->evidence) = e;
}

/* Whole CPUs, whole GiB, at least 1: what a setting takes. */
static long whole_number(double v)
{
	if (v < 1)
		return 1;
	return (long)v;
}

void tell_stranded(const struct fleet *f, const struct stranded_part *p, struct plan *plan,
		   struct finding *o)
{
	struct arena *m = &plan->mem;
	const struct workload *by = NULL;
	const char *what = p->cpu ? "CPUs" : "GiB", *source = "instance type";

	if (p->told)
		source = "node list";
	if (p->blamed != SIZE_MAX)
		by = &f->workload.v[p->blamed];
	say_evidence(f, plan, o,
		     (struct evidence){ QUALITY_MEASURED, "median job of the cluster",
					arena_printf(m, "%.3g GPU, %.4g CPUs, %.4g GiB",
						     (double)p->ask.gpus_milli / 1000,
						     (double)p->ask.cpu_milli / 1000,
						     (double)p->ask.ram_mib / 1024),
					"", "job list" });
	say_evidence(f, plan, o,
		     (struct evidence){ p->told ? QUALITY_MEASURED : QUALITY_ESTIMATED,
					"the machine has, a GPU",
					arena_printf(m, "%.4g", p->has_per_gpu), what, source });
	say_evidence(f, plan, o,
		     (struct evidence){ QUALITY_MEASURED, "largest on machine",
					f->workload.v[p->workload].node, "", "ledger" });
	if (by)
		say_evidence(f, plan, o,
			     (struct evidence){ QUALITY_MEASURED, "beside job",
						filled_or(by->job, by->name), "", "job list" });
	*vec_push(&o->action) = (struct action){
		.kind = ACTION_HOST_SHARE,
		.host_share = { .cluster = raw_name(f->workload.v[p->workload].cluster),
				.cpu = p->cpu,
				.cpus = p->cpu ? whole_number(p->has_per_gpu) : 0,
				.mib = p->cpu ? 0 : whole_number(p->has_per_gpu * 1024),
				.machines_short = !by },
	};
}
