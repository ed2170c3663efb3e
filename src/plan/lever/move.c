/* See move.h. */
#include "plan/lever/move.h"

#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "plan/workload.h"

/* a run that fails for want of GPUs shows it early, where nothing says when */
#define FAILS_MS (10 * MS_MINUTE)
/* of the runs that need more than the default: so many do not ask for it, and are requeued */
#define FORGET_FRAC 0.5
/* machines that a pool may grow to, of the most that were held at once */
#define POOL_ROOM     2
#define POOL_MORE     2
#define LIMIT_STEP_MS (5 * MS_MINUTE)

bool move_from(const struct lever_in *in, const struct habit_runs *h, struct use *ret,
	       struct rate *ret_rate)
{
	bool any = false;

	for (size_t i = 0; i < h->workload.n; i++) {
		const struct use *u = &in->use[h->workload.v[i]];
		if (u->end_ms <= u->start_ms)
			continue;
		if (any && (u->instance_type != ret->instance_type ||
			    u->gpus_milli != ret->gpus_milli || strcmp(u->purchase, ret->purchase)))
			return false;
		*ret = *u;
		any = true;
	}
	const struct price_ask ask = { .catalog = in->catalog,
				       .fleet = in->fleet,
				       .provider = ret->provider,
				       .region = ret->region,
				       .zone = ret->zone,
				       .instance_type = ret->instance_type,
				       .gpu_model = ret->gpu_model,
				       .purchase = ret->purchase,
				       .at_ms = in->now_ms };
	return any && *ret->instance_type && fleet_rate(&ask, ret_rate);
}

/* ---- one run ----------------------------------------------------------------------------- */

/* That it holds its machine, as the plan runs it: a limit is of each attempt. */
static int64_t held_ms(const struct workload *w, const struct use *u)
{
	return u->end_ms - u->start_ms - use_between_ms(w, u);
}

/* That it holds its machine, at a time of so much of now's. */
static int64_t lasts_ms(const struct workload *w, const struct use *u, const struct move *m,
			double time)
{
	int64_t run = held_ms(w, u);
	int64_t before = workload_last_start_ms(w) - w->start_ms - use_between_ms(w, u);
	int64_t last = run - max_i64(before, 0),
		workload = (int64_t)((double)workload_used_ms(w) * u->slowdown);
	bool holds = u->limit_ms != UNKNOWN_MS && last + MS_MINUTE >= u->limit_ms &&
		     run > workload + LIMIT_STEP_MS;

	workload = min_i64(workload, run);
	if (holds && m->limit_ms != UNKNOWN_MS)
		return run - last + m->limit_ms;
	return run - workload + (int64_t)((double)workload * time);
}

struct prices {
	double now, there; /* nano of the machine and hour */
};

/* In proportion to what was paid: a discount on the one is taken to hold for the other. */
static int64_t cost_there(const struct lever_in *in, const struct workload *w, const struct use *u,
			  const struct prices *p, int64_t ms)
{
	int64_t run = held_ms(w, u);
	double more = (settle_overhead(in->conf, run) - 1) * (double)run,
	       paid = (double)run + (use_is_history(w, u) ? 0 : more);
	int64_t from = max_i64(u->start_ms, in->fleet->since_ms);
	/* a run that goes on after the window is paid in it only so far */
	double inside = 1;

	if (u->end_ms > in->fleet->until_ms && run > 0)
		inside = (double)(in->fleet->until_ms - from) / (double)(u->end_ms - u->start_ms);
	return (int64_t)((double)u->cost_nano / inside * (p->there / p->now) *
			 (((double)ms + more) / paid) * inside);
}

void move_runs(const struct lever_in *in, struct settle *s, struct rec *r, const struct move *m)
{
	struct use from;
	struct rate rate;

	if (!move_from(in, m->h, &from, &rate))
		return;
	struct prices p = {
		.now = (double)rate.nano_gpu_hour * (double)from.gpus_milli,
		.there = (double)m->to->rate.nano_gpu_hour * (double)m->to->type->gpu_milli,
	};
	for (size_t i = 0; i < m->h->workload.n; i++) {
		uint32_t k = m->h->workload.v[i];
		const struct use *u = &in->use[k];
		if (u->end_ms <= u->start_ms)
			continue;
		if (m->is_default && in->fleet->workload.v[k].stats.gpus_needed > m->gpus) {
			/* It stays, and where nobody asked for more it failed on the default
			 * before. */
			const struct workload *w = &in->fleet->workload.v[k];
			struct rec_change *c = rec_change(in, r, k);
			int64_t fails = w->stats.all_worked_ms == UNKNOWN_MS
						? FAILS_MS
						: w->stats.all_worked_ms - w->start_ms;
			int64_t more;

			if (fails < FAILS_MS)
				fails = FAILS_MS;
			more = cost_there(in, w, u, &p, fails);
			c->after.cost_nano = u->cost_nano + (int64_t)((double)more * FORGET_FRAC);
			c->lo_nano = u->cost_nano;
			c->hi_nano = u->cost_nano + more;
			r->replay.requeues++;
		} else {
			const struct workload *w = &in->fleet->workload.v[k];
			struct rec_change *c = rec_change(in, r, k);
			int64_t ms = lasts_ms(w, u, m, m->time);

			c->after.instance_type = m->to->type->name;
			if (strcmp(m->to->gpu->model, u->gpu_model))
				c->after.gpu_model = m->to->gpu->model;
			c->after.gpus_milli = m->to->type->gpu_milli;
			c->after.slowdown = u->slowdown * m->time;
			c->after.slowdown_hi = u->slowdown_hi * m->time_hi;
			c->after.end_ms = u->start_ms + use_between_ms(w, u) + ms;
			if (w->deadline_ms != UNKNOWN_MS && u->end_ms <= w->deadline_ms)
				r->replay.deadline_misses += c->after.end_ms > w->deadline_ms;
			if (m->limit_ms != UNKNOWN_MS)
				c->after.limit_ms = m->limit_ms;
			c->after.cost_nano = cost_there(in, w, u, &p, ms);
			c->lo_nano = cost_there(in, w, u, &p, lasts_ms(w, u, m, m->time_lo));
			c->hi_nano = cost_there(in, w, u, &p, lasts_ms(w, u, m, m->time_hi));
		}
	}
	r->replay.jobs = (int64_t)m->h->runs;
	settle(s, r, false);
}

/* ---- how it is done ---------------------------------------------------------------------- */

struct edge {
	int64_t at_ms;
	int by;
};

static int by_time(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	if (a->at_ms != b->at_ms)
		return cmp_i64(a->at_ms, b->at_ms);
	return a->by - b->by;
}

int64_t move_peak(const struct lever_in *in, const struct habit_runs *h, const struct rec *r)
{
	struct edge *e = xcalloc(2 * h->workload.n + 1, sizeof *e);
	int64_t now = 0, peak = 0;
	size_t n = 0;

	for (size_t i = 0; i < h->workload.n; i++) {
		const struct use *u = &in->use[h->workload.v[i]];
		if (r && i < r->change.n && r->change.v[i].workload == h->workload.v[i])
			u = &r->change.v[i].after;
		e[n++] = (struct edge){ u->start_ms, 1 };
		e[n++] = (struct edge){ u->end_ms, -1 };
	}
	sort_items(e, n, sizeof *e, by_time);
	for (size_t i = 0; i < n; i++) {
		now += e[i].by;
		peak = max_i64(now, peak);
	}
	free(e);
	return peak;
}

void move_actions(const struct lever_in *in, struct rec *r, const struct move *m)
{
	const struct workload *w = m->h->first;
	const struct use *u = &in->use[m->h->workload.v[0]];
	unsigned to = habit_submits_to(in->fleet, m->h);
	int64_t had = u->gpus_milli / 1000, limit = u->limit_ms;
	const char *tag = rec_tag(in, r);
	bool other_limit = m->limit_ms != UNKNOWN_MS && m->limit_ms != limit;

	rec_action(r, ACTION_POOL)->pool = (struct action_pool){
		.cluster = raw_name(w->cluster),
		.provider = raw_name(w->provider),
		.region = raw_name(w->region),
		.instance_type = raw_name(m->to->type->name),
		.gpu_model = raw_name(m->to->gpu->model),
		.gpus = m->to->type->gpu_milli / 1000,
		.cpus = isnan(m->to->type->vcpu) ? 0 : llround(m->to->type->vcpu),
		.ram_mib = isnan(m->to->type->ram_gib) ? 0 : llround(m->to->type->ram_gib * 1024),
		.tag = tag,
		.to = to,
		.now = POOL_ROOM * move_peak(in, m->h, r) + POOL_MORE,
	};
	struct action *a = rec_action(r, ACTION_SUBMIT);
	a->which = habit_of(m->h);
	a->submit = (struct action_submit){
		.change = SUBMIT_TYPE | (had == m->gpus ? 0 : SUBMIT_GPUS) |
			  (other_limit ? SUBMIT_LIMIT : 0),
		.is_default = m->is_default,
		.to = to,
		.pool_tag = tag,
		.pool_type = raw_name(m->to->type->name),
		.was = { .gpus = had,
			 .instance_type = raw_name(u->instance_type),
			 .limit_ms = limit },
		.now = { .gpus = m->gpus,
			 .instance_type = raw_name(m->to->type->name),
			 .limit_ms = m->limit_ms },
	};
}

double rec_saving(const struct lever_in *in, const struct rec *r, double *ret_least)
{
	double sum = 0, least = 0;

	for (size_t i = 0; i < r->change.n; i++) {
		const struct rec_change *c = &r->change.v[i];
		double base = (double)in->use[c->workload].cost_nano,
		       hi = (double)c->after.cost_nano;
		if (c->shared)
			base = (double)c->base_nano;
		if (c->hi_nano != INT64_MIN)
			hi = (double)c->hi_nano;
		sum += base - (double)c->after.cost_nano;
		least += base - hi;
	}
	if (ret_least)
		*ret_least = least;
	return sum;
}
