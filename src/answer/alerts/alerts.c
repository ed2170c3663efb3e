#include "answer/alerts/alerts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/alerts/alerts_in.h"
#include "answer/alerts/alerts_whose.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "ledger/lost.h"
#include "model/known.h"

const char *const fired_state_name[] = { "firing", "no_data", "over" };

/* of a driver that went: a GPU that had no reading for longer was not there any more */
#define SEEN_MS (10 * MS_MINUTE)
struct walk { /* one node's series going through the engine */
	struct replay *r;
	const struct ask *ask;
	struct alerts *engine;
	/* [n], behind them [nlost] without samples for the GPUs that were lost */
	struct series *series;
	struct holds *holds;      /* [n + nlost] */
	struct hour_whose *whose; /* [n + nlost] */
	struct sv model;          /* of the node's GPUs */
	size_t n;
	struct lost_gpu *lost; /* [nlost] */
	size_t nlost;
	int64_t *last_ms; /* [n + nlost] end of the last sample */
	VEC(size_t) open; /* of r->v: fired and not over */
};

/* ---- what the engine says ---------------------------------------------------------------- */

static struct fired *open_of(struct walk *w, const struct alert *al)
{
	for (size_t i = 0; i < w->open.n; i++) {
		struct fired *f = &w->r->v.v[w->open.v[i]];
		if (f->rule == al->rule && !strcmp(f->field[ALERT_GPU], al->field[ALERT_GPU]) &&
		    !strcmp(f->field[ALERT_MIG], al->field[ALERT_MIG]))
			return f;
	}
	return NULL;
}

static void note_alert(struct fired *f, const struct alert *al)
{
	f->value = al->value;
	f->worst = al->worst;
	f->told |= al->told;
	f->silenced = al->silenced;
	if (al->held_back)
		f->held_back = al->held_back->name;
	f->state = al->state == ALERT_NO_DATA ? FIRED_NO_DATA : FIRED_FIRING;
}

static void on_event(void *ctx, enum alert_event ev, const struct alert *al, int64_t wall_ms)
{
	struct walk *w = ctx;
	struct fired *f;

	if (ev == ALERT_EV_FIRING) {
		struct arena *mem = w->ask->mem;
		struct fired fired = { .rule = al->rule,
				       .from_ms = al->since_ms,
				       .to_ms = al->since_ms,
				       .state = FIRED_FIRING,
				       .value = al->value,
				       .worst = al->worst };

		for (int i = 0; i < ALERT_FIELD_N; i++)
			fired.field[i] = arena_sv(mem, sv_of(al->field[i]));
		*vec_push(&w->open) = w->r->v.n;
		*vec_push(&w->r->v) = fired;
		return;
	}
	if (ev == ALERT_EV_PENDING || !(f = open_of(w, al)))
		return;
	note_alert(f, al);
	if (ev == ALERT_EV_OVER) {
		f->to_ms = wall_ms;
		f->state = FIRED_OVER;
		f->over = al->over;
		for (size_t i = 0; i < w->open.n; i++)
			if (&w->r->v.v[w->open.v[i]] == f) {
				w->open.v[i] = w->open.v[--w->open.n];
				break;
			}
	}
}

static void at_end(void *ctx, const struct alert *al)
{
	struct walk *w = ctx;
	struct fired *f = NULL;

	if (al->firing)
		f = open_of(w, al);
	if (f)
		note_alert(f, al);
}

/* ---- readings ---------------------------------------------------------------------------- */

static void put_values(struct walk *w, const struct sample *v, struct alert_obs *o)
{
	const struct gpu_spec *spec = NULL;

	if (o->field[ALERT_MODEL].n)
		spec = catalog_gpu(w->ask->catalog, o->field[ALERT_MODEL]);
	for (int i = 0; i < ALERT_SIGNAL_N; i++)
		o->value[i] = i < METRIC_N ? v->value[i] : NAN;
	if (v->value[METRIC_MEM_TOTAL_BYTES] > 0)
		o->value[ALERT_MEM_USED_FRAC] = v->value[METRIC_MEM_USED_BYTES] /
						v->value[METRIC_MEM_TOTAL_BYTES];
	else if (spec && spec->memory_gib > 0 && !o->field[ALERT_MIG].n)
		o->value[ALERT_MEM_USED_FRAC] = v->value[METRIC_MEM_USED_BYTES] /
						(spec->memory_gib * 1024 * 1024 * 1024);
	if (spec && spec->tdp_w > 0 && !o->field[ALERT_MIG].n)
		o->value[ALERT_POWER_FRAC_OF_TDP] = v->value[METRIC_POWER_W] / spec->tdp_w;
	if (!isnan(v->value[METRIC_XID]))
		o->value[ALERT_FAULT] = alert_xid_is_fault((int64_t)v->value[METRIC_XID]);

	/* No process: counted where processes were, else utilisation and memory of an empty GPU,
	 * by the ledger's thresholds. */
	int held = o->held;
	const struct attrib_conf *t = &w->ask->conf->attrib;
	double mem = v->value[METRIC_MEM_USED_BYTES], total = v->value[METRIC_MEM_TOTAL_BYTES],
	       util = v->value[METRIC_GPU_UTIL_PCT];
	double empty = fmax(t->empty_bytes, isnan(total) ? 0 : t->empty_frac * total);
	if (held != 1)
		o->value[ALERT_HELD_NO_PROCESS] = num_if(held == 0, 0);
	else if (!isnan(v->value[METRIC_PROC_COUNT]))
		o->value[ALERT_HELD_NO_PROCESS] = v->value[METRIC_PROC_COUNT] == 0;
	else if (isnan(mem) || isnan(util))
		o->value[ALERT_HELD_NO_PROCESS] = NAN;
	else
		o->value[ALERT_HELD_NO_PROCESS] = util <= t->idle_util_pct && mem <= empty;

	if (!o->field[ALERT_MIG].n)
		o->value[ALERT_LOST] = 0;
}

/* ---- GPUs that are not there ------------------------------------------------------------ */

static bool of_gpu(const struct walk *w, size_t series, const struct lost_gpu *c)
{
	return sv_eq(w->series[series].key.gpu, c->gpu);
}

/*
 * Was the GPU seen since the interval began? That it is there is then said by
 * readings; what went with the driver was there before. A GPU with a reading from after the minute
 * of its loss (within one, an export does not say which came first) is back, whoever did not say
 * so.
 */
static bool counts_as_lost(const struct lost_gpu *c, const struct lost_piece *p, int64_t seen)
{
	if (!p->lost)
		return seen <= p->from_ms;
	return c->read_ms < p->since_ms + MS_MINUTE &&
	       (!p->of_driver || seen >= p->from_ms - SEEN_MS);
}

/* Whose the GPU of series i is at t: by the readings, by who names it, by the ledger. */
static void put_holder(struct walk *w, size_t i, int64_t t, struct alert_obs *o)
{
	holds_put(&w->holds[i], &w->series[i].key, w->model, t, o);
	if (!w->series[i].key.mig.n)
		replay_whose(w->r, &w->whose[i], t, o);
}

/* What the agent knew of the GPU without readings, up to to_ms: the moment it was told, then a
 * minute at a time, so that it fires when it would have. */
static void tell_lost(struct walk *w, size_t k, int64_t from_ms, int64_t to_ms)
{
	struct lost_gpu *c = &w->lost[k];

	for (; c->at < c->v.n && c->v.v[c->at].from_ms < to_ms; c->at++) {
		struct lost_piece *p = &c->v.v[c->at];
		int64_t end = min_i64(p->to_ms, to_ms), t = max_i64(p->from_ms, from_ms);

		/* End of the last reading of the GPU or of a part of it. */
		int64_t seen_ms = INT64_MIN;

		for (size_t i = 0; i < w->n; i++)
			if (of_gpu(w, i, c) && w->last_ms[i] > seen_ms)
				seen_ms = w->last_ms[i];
		bool use = counts_as_lost(c, p, seen_ms);

		for (int64_t step = 1; use && t < end; t += step, step = MS_MINUTE) {
			struct alert_obs o = { .from_ms = t, .to_ms = min_i64(t + step, end) };

			put_holder(w, w->n + k, t, &o);
			for (int i = 0; i < ALERT_SIGNAL_N; i++)
				o.value[i] = NAN;
			o.value[ALERT_LOST] = p->lost;
			alerts_observe(w->engine, &o, o.to_ms - t > 1 ? o.to_ms : t);
			w->last_ms[w->n + k] = o.to_ms;
		}
		if (end < p->to_ms) {
			p->from_ms = end;
			return;
		}
	}
}

static int feed_samples(struct walk *w, int64_t from_ms, struct err *err)
{
	struct sample_cursor *cur = NULL;
	struct sample v;
	size_t now;
	int r = store_samples(w->ask->store, w->series, w->n,
			      (struct span){ from_ms, w->r->until_ms }, &cur, err);

	while (r >= 0 && (r = sample_cursor_next(cur, &now, &v, err)) > 0) {
		struct alert_obs o = { .from_ms = v.t_ms, .to_ms = v.t_ms + v.step_ms };

		/* Before a reading of a GPU at to_ms. */
		int64_t to_ms = v.t_ms;
		for (size_t k = 0; k < w->nlost; k++) {
			if (!of_gpu(w, now, &w->lost[k]))
				continue;
			tell_lost(w, k, from_ms, to_ms);
			w->lost[k].read_ms = to_ms;
		}

		put_holder(w, now, v.t_ms, &o);
		put_values(w, &v, &o);
		alerts_observe(w->engine, &o, o.to_ms);
		w->last_ms[now] = o.to_ms;
		w->r->samples++;
	}
	if (cur)
		sample_cursor_close(cur);
	for (size_t k = 0; r >= 0 && k < w->nlost; k++)
		tell_lost(w, k, from_ms, w->r->until_ms);
	return r;
}

/* The node's GPUs, if an agent reported one that was lost: with each a series that has no
 * samples. */
static void find_lost(struct walk *w, const struct series *series, const struct incident *in,
		      size_t n, struct arena *mem)
{
	w->series = arena_alloc(mem, 2 * w->n * sizeof *w->series);
	w->lost = arena_zalloc(mem, w->n * sizeof *w->lost);
	memcpy(w->series, series, w->n * sizeof *series);
	for (size_t i = 0; i < w->n && n; i++) {
		const struct sample_key *k = &series[i].key;
		struct lost_gpu c = { .gpu = k->gpu, .read_ms = INT64_MIN };
		bool has = false;
		for (size_t j = 0; j < w->nlost && !has; j++)
			has = sv_eq(w->lost[j].gpu, k->gpu);
		if (has)
			continue;
		lost_build(&c, in, n, w->r->until_ms);
		if (!c.v.n)
			continue;
		w->series[w->n + w->nlost] = (struct series){
			.key = { .node = k->node, .gpu = k->gpu, .gpu_model = k->gpu_model }
		};
		w->lost[w->nlost++] = c;
	}
}

struct of_node {
	struct allocation *a;
	struct node *node;
	struct incidents in;
	size_t na, nnode;
};

static int walk_node(struct replay *r, const struct series *series, size_t n, int64_t from_ms,
		     struct err *err)
{
	const struct alerts_ask *q = r->q;
	struct walk w = { .r = r, .ask = &q->ask, .n = n };
	struct arena mem = { 0 };
	struct of_node o = { 0 };
	const char *node = arena_sv(&mem, series[0].key.node);
	int rc = 0;

	if (node && *node) {
		rc = store_allocations(q->ask.store,
				       &(struct scope_span){ node, from_ms, r->until_ms }, &mem,
				       &o.a, &o.na, err);
		if (rc >= 0)
			rc = store_nodes(q->ask.store, node, &mem, &o.node, &o.nnode, err);
		if (rc >= 0)
			rc = store_incidents(q->ask.store, node, r->until_ms, &mem, &o.in, err);
	}
	w.engine = alerts_new(q->rule, q->nrule, on_event, &w);
	alerts_silence(w.engine, q->silence, q->nsilence);
	if (rc >= 0) {
		find_lost(&w, series, o.in.v, o.in.n, &mem);

		w.holds = xcalloc(w.n + w.nlost, sizeof *w.holds);
		w.whose = xcalloc(w.n + w.nlost, sizeof *w.whose);
		w.last_ms = xcalloc(w.n + w.nlost, sizeof *w.last_ms);
		for (size_t i = 0; i < w.n + w.nlost; i++)
			w.last_ms[i] = INT64_MIN;
		w.model = o.nnode ? o.node[o.nnode - 1].gpu_model : SV_NULL;
		int64_t all_milli = 0;
		if (o.nnode)
			all_milli = o.node[o.nnode - 1].gpu_milli;
		for (size_t i = 0; i < w.n + w.nlost; i++)
			holds_find(&w.holds[i], &w.series[i].key, o.a, o.na,
				   replay_names(r, series[0].key.node), all_milli);
		for (size_t i = 0; i < w.n + w.nlost; i++)
			w.whose[i].gpu = replay_gpu(r, w.series[i].key.node, w.series[i].key.gpu,
						    w.series[i].from_ms);
		if (rc >= 0)
			rc = feed_samples(&w, from_ms, err);
		if (rc >= 0) {
			/* What has not ended: until the last reading of its GPU. */
			int64_t last = INT64_MIN;

			for (size_t i = 0; i < w.n + w.nlost; i++)
				last = max_i64(w.last_ms[i], last);
			if (last != INT64_MIN && last < w.r->until_ms &&
			    w.r->until_ms - last < MS_DAY)
				last = w.r->until_ms;
			if (last != INT64_MIN)
				alerts_tick(w.engine, last, last);
			alerts_each(w.engine, at_end, &w);
			for (size_t k = 0; k < w.open.n; k++) {
				struct fired *f = &w.r->v.v[w.open.v[k]];
				for (size_t i = 0; i < w.n + w.nlost; i++)
					if (sv_is(w.series[i].key.gpu, f->field[ALERT_GPU]) &&
					    w.last_ms[i] > f->to_ms)
						f->to_ms = w.last_ms[i];
			}
		}
		for (size_t i = 0; i < w.n + w.nlost; i++)
			holds_free(&w.holds[i]);
		free(w.holds);
		free(w.whose);
		free(w.last_ms);
	}
	r->gpus += alerts_gpus(w.engine);
	for (size_t k = 0; k < w.nlost; k++)
		vec_free(&w.lost[k].v);
	vec_free(&w.open);
	alerts_free(w.engine);
	arena_free(&mem);
	return rc;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct fired *x = a, *y = b;
	int c = cmp_i64(x->from_ms, y->from_ms);

	if (!c) {
		if (x->rule < y->rule)
			c = -1;
		else
			c = x->rule > y->rule;
	}
	if (!c)
		c = strcmp(x->field[ALERT_NODE], y->field[ALERT_NODE]);
	if (!c)
		c = strcmp(x->field[ALERT_GPU], y->field[ALERT_GPU]);
	if (c)
		return c;
	return strcmp(x->field[ALERT_MIG], y->field[ALERT_MIG]);
}

static int set_window(struct replay *r, struct err *err)
{
	const struct ask *ask = &r->q->ask;
	int64_t end = UNKNOWN_MS;
	int rc = store_data_end(ask->store, ask->now_ms, &end, err);

	r->since_ms = ask->since_ms;
	r->until_ms = ask->until_ms;
	r->end_ms = end;
	if (rc < 0)
		return rc;
	if (r->until_ms == INT64_MAX) {
		if (end != UNKNOWN_MS && end < ask->now_ms && end > r->since_ms)
			r->until_ms = end;
		else
			r->until_ms = ask->now_ms;
	}
	if (r->since_ms == INT64_MIN)
		r->since_ms = r->until_ms - MS_DAY;
	return 0;
}

int answer_alerts(const struct alerts_ask *q, struct alerts_answer *ret, struct err *err)
{
	struct replay r = { .q = q };
	int rc = set_window(&r, err);

	if (rc >= 0) {
		const struct alerts_ask *ask = r.q;
		struct series *series = NULL;
		size_t n = 0, end;
		rc = store_series(ask->ask.store, NULL, ask->ask.mem, &series, &n, err);
		r.series = series;
		r.nseries = n;

		/* readings before the window that a rule needs to have made up its mind at its
		 * start */
		int64_t warm_up = 0;
		for (size_t i = 0; i < ask->nrule; i++) {
			const struct alert_rule *k = &ask->rule[i];
			int64_t ms = k->window_ms + k->for_ms + k->clear_for_ms;
			if (!k->disabled)
				warm_up = max_i64(ms, warm_up);
		}
		int64_t from = r.since_ms - warm_up - MS_MINUTE;

		if (rc >= 0)
			rc = replay_open(&r, from, err);
		for (size_t i = 0; rc >= 0 && i < n; i = end) {
			for (end = i + 1;
			     end < n && sv_eq(series[end].key.node, series[i].key.node); end++)
				;
			if (!series[i].key.node.n)
				end = i + 1; /* GPUs of no node are each for themselves */
			rc = walk_node(&r, series + i, end - i, from, err);
			if (ask->progress)
				ask->progress(ask->ctx, r.samples);
		}
	}
	if (rc >= 0) {
		/* Only what fired in the window, and what was asked for. */
		size_t n = 0;

		for (size_t i = 0; i < r.v.n; i++) {
			const struct fired *f = &r.v.v[i];
			bool in = f->to_ms > r.since_ms && f->from_ms < r.until_ms;
			if (in && alert_matches(r.q->match, r.q->nmatch, f->rule->name,
						alert_severity_name[f->rule->severity], f->field))
				r.v.v[n++] = *f;
		}
		r.v.n = n;
		if (n)
			sort_items(r.v.v, n, sizeof *r.v.v, by_start);

		replay_price(&r);
	}
	if (rc >= 0) {
		struct fired *v = arena_alloc(q->ask.mem, (r.v.n + 1) * sizeof *v);
		if (r.v.n)
			memcpy(v, r.v.v, r.v.n * sizeof *v);
		*ret = (struct alerts_answer){ .since_ms = r.since_ms,
					       .until_ms = r.until_ms,
					       .end_ms = r.end_ms,
					       .fired = v,
					       .nfired = r.v.n,
					       .gpus = r.gpus,
					       .samples = r.samples };
	}
	vec_free(&r.v);
	replay_close(&r);
	if (rc < 0)
		return rc;
	return 0;
}

bool alerts_still_fire(const struct alerts_answer *a)
{
	for (size_t i = 0; i < a->nfired; i++) {
		const struct fired *f = &a->fired[i];
		if (f->told && !f->silenced && f->state == FIRED_FIRING)
			return true;
	}
	return false;
}
