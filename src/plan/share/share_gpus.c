/*
 * Lever share: notebooks, development boxes and small services that could be on fewer GPUs of a
 * cluster, by MIG, MPS or time slices (opt/share/share.h). Advice: nobody has measured how they get
 * on with each other. Two services on a GPU are share_pair.c's. In the settings' own target, and
 * with replicas_peak_factor more load: the range of what it may free.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/share/share_gpu.h"
#include "plan/share/share_in.h"
#include "plan/share/tenants.h"

#define NAMED 3 /* who shares, in words */

struct seat { /* a tenant, and what its GPU costs in the state of the plan, over the window */
	const struct tenant *t;
	double nano;
};
struct room { /* GPUs of one model in one cluster */
	struct seat *seat;
	size_t n;
};
struct freed {
	double nano;
	size_t gpus, tenants; /* GPUs that go; who shares those that stay */
	size_t kind[SHARE_N]; /* tenants by how they share */
	const char *team;     /* of all who share; "": of several, the platform's; NULL: nobody */
	const char *some[NAMED];
};

static const struct use *use_of(const struct lever_in *in, const struct tenant *t)
{
	return &in->use[t->workload - in->fleet->workload.v];
}

/* Readings go back far enough, and the plan has not ended it. */
static bool is_asked(const struct lever_in *in, const struct tenant *t, size_t *young)
{
	const struct workload *w = t->workload;
	const struct fleet *f = in->fleet;
	int64_t from = max_i64(w->start_ms, f->since_ms);
	int64_t to = min_i64(w->end_ms, f->until_ms);

	if (!w->elastic || workload_is_frozen(in, w, "share"))
		return false;
	if (use_of(in, t)->gpu_model != w->gpu_model || use_of(in, t)->cost_nano <= 0)
		return false;
	if ((double)(to - from) + MS_HOUR >= in->conf->gates.share_weeks * 7 * MS_DAY)
		return true;
	(*young)++;
	return false;
}

static int by_room(const void *pa, const void *pb)
{
	const struct seat *a = pa, *b = pb;
	int d = strcmp(a->t->workload->cluster, b->t->workload->cluster);

	if (!d)
		d = strcmp(a->t->workload->gpu_model, b->t->workload->gpu_model);
	if (!d)
		d = strcmp(a->t->name, b->t->name);
	if (d)
		return d;
	return (a->t > b->t) - (a->t < b->t);
}

static bool same_room(const struct seat *a, const struct seat *b)
{
	return !strcmp(a->t->workload->cluster, b->t->workload->cluster) &&
	       !strcmp(a->t->workload->gpu_model, b->t->workload->gpu_model);
}

static void add_gpu(const struct room *m, const struct share_packed *c, struct freed *ret)
{
	double costliest = 0;

	/* Two services are a pair: the GPU's other half is told with its steps (share_pair.c). */
	bool pair = c->n == 2 && m->seat[c->tenant[0]].t->service &&
		    m->seat[c->tenant[1]].t->service;
	if (c->n < 2 || pair)
		return;
	for (size_t i = 0; i < c->n; i++) {
		const struct seat *x = &m->seat[c->tenant[i]];
		const char *team = x->t->workload->team;
		if (ret->tenants + i < NAMED)
			ret->some[ret->tenants + i] = x->t->name;
		ret->team = !ret->team || !strcmp(ret->team, team) ? team : "";
		ret->nano += x->nano;
		costliest = fmax(costliest, x->nano);
	}
	ret->nano -= costliest; /* that one stays */
	ret->gpus += c->n - 1;
	ret->tenants += c->n;
	ret->kind[c->how.kind] += c->n;
}

static struct freed free_gpus(const struct room *m, const struct plan_share_model *gpu,
			      double target)
{
	struct share_tenant *ask = xcalloc(m->n, sizeof *ask);
	struct share_packing p;
	struct freed ret = { 0 };
	struct err err = { 0 };

	for (size_t i = 0; i < m->n; i++) {
		const struct workload *w = m->seat[i].t->workload;
		ask[i] = tenant_asked(m->seat[i].t, *w->team || *w->user ? workload_owner(w) : "",
				      false);
	}
	/* too many for one question: none is answered */
	if (share_pack(&gpu->share, m->n, ask, target, &p, &err) >= 0) {
		for (size_t i = 0; i < p.gpu.n; i++)
			add_gpu(m, &p.gpu.v[i], &ret);
		share_packing_free(&p);
	}
	free(ask);
	return ret;
}

/* "a, b, c and 4 more" */
static const char *some_text(const struct lever_in *in, const struct freed *f)
{
	const char *z = f->some[0];

	for (size_t i = 1; i < NAMED && i < f->tenants; i++)
		z = arena_printf(in->mem, "%s, %s", z, f->some[i]);
	if (f->tenants > NAMED)
		return arena_printf(in->mem, "%s and %zu more", z, f->tenants - NAMED);
	return z;
}

static void tell_freed(struct share_state *s, const struct room *m, const struct freed *most,
		       const struct freed *least)
{
	const struct lever_in *in = s->in;
	const struct workload *w = m->seat[0].t->workload;
	const char *team = most->team;
	struct rec *r = rec_new(
		in, s->out, "share",
		arena_printf(in->mem, "sessions-%s-%s", filled_or(w->cluster, team), w->gpu_model));

	rec_advise_trial(r, team);

	const char *how_text = "";

	for (int k = SHARE_MIG; k <= SHARE_TIMESLICE; k++) {
		const char *name = "time slices";
		if (k == SHARE_MIG)
			name = "MIG";
		else if (k == SHARE_MPS)
			name = "MPS";
		if (most->kind[k])
			how_text = arena_printf(in->mem, "%s%s%s", how_text,
						text_if(*how_text, ", "), name);
	}
	r->title = arena_printf(in->mem,
				"%zu of %zu notebooks and services on %s could share GPUs by %s",
				most->tenants, m->n, w->gpu_model, how_text);
	r->p05_nano = llround(fmin(least->nano, most->nano));
	r->p95_nano = llround(fmax(least->nano, most->nano));
	r->saving_nano = (r->p05_nano + r->p95_nano) / 2;
	rec_subject(in, r, "team", team);
	rec_subject(in, r, "cluster", w->cluster);
	rec_subject(in, r, "gpu_model", w->gpu_model);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "they have now", .unit = "GPUs",
					.source = "job list" },
		     "%zu", m->n);
	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_ESTIMATED, "who could share", .source = "readings" },
		"%s", some_text(in, most));
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED, "GPUs that this frees", .unit = "GPUs",
					.source = "readings; tare plan share prints the layout" },
		     "%zu", most->gpus);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED,
					arena_printf(in->mem, "the same with %g times their load",
						     in->conf->gates.replicas_peak_factor),
					.unit = "GPUs",
					.source = "readings, plan.gates.replicas_peak_factor" },
		     "%zu", least->gpus);
	rec_action(r, ACTION_TECHNIQUE)->technique.technique = TECHNIQUE_SHARE;
	r->action.v[0].which.team = raw_name(team);
	rec_risk(
		in, r,
		"Neighbours on a GPU take time from each other: waits and latency are what the trial shows, before any GPU is given up.");
	if (most->kind[SHARE_TIMESLICE])
		rec_risk(
			in, r,
			"Nothing keeps one of several sessions on a GPU from taking the memory of all.");
}

void share_propose_gpus(struct share_state *s)
{
	const struct lever_in *in = s->in;
	struct tenant_list t;
	size_t n = 0, young = 0;

	tenants_of(in->fleet, in->conf, &t);
	struct seat *seat = xcalloc(t.v.n + 1, sizeof *seat);
	for (size_t i = 0; i < t.v.n; i++)
		if (is_asked(in, &t.v.v[i], &young))
			seat[n++] = (struct seat){ &t.v.v[i],
						   (double)use_of(in, &t.v.v[i])->cost_nano };
	sort_items(seat, n, sizeof *seat, by_room);
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && same_room(&seat[i], &seat[k]); k++)
			;
		const struct room m = { seat + i, k - i };
		if (m.n < 2)
			continue;
		struct plan_share_model *gpu = xcalloc(1, sizeof *gpu);
		double bytes = NAN, target = in->conf->serving_target_util_frac;
		for (size_t a = 0; a < m.n; a++)
			bytes = fmin(bytes, m.seat[a].t->workload->stats.mem_total_bytes);
		if (share_gpu_of(in->catalog, m.seat[0].t->workload->gpu_model, bytes, gpu)) {
			struct freed most = free_gpus(&m, gpu, target);
			struct freed least =
				free_gpus(&m, gpu, target / in->conf->gates.replicas_peak_factor);
			if (most.gpus)
				tell_freed(s, &m, &most, &least);
		}
		free(gpu);
	}
	if (young > 1)
		plan_note(
			in,
			"share: %zu notebooks and services with a GPU of their own want %g weeks of readings before they are asked to share one",
			young, in->conf->gates.share_weeks);
	free(seat);
	tenants_free(&t);
}
