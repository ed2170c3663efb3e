#include "cli/alerts_replay.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/alerts_silence.h"
#include "base/tm.h"
#include "catalog/catalog.h"

const char *const fired_state_name[] = { "firing", "no_data", "over" };

#define HOLDS_BACK 16 /* allocations of a card that may overlap */

struct holds { VEC(const struct allocation *) v; size_t at; bool vague; }; /* of a series, by start; vague: others may hold it too */
struct walk { /* one node's series going through the engine */
	struct replay *r;
	struct store *s;
	struct catalog *cat;
	struct alerts *engine;
	const struct series *series;
	struct holds *holds;
	struct sv model; /* of the node's cards */
	size_t n, now; /* now: series being fed */
	int64_t *last_ms; /* [n] end of the last sample */
	VEC(size_t) open; /* of r->v: fired and not over */
};

/* ---- what the engine says ------------------------------------------------------------------------------------------------------------ */

static struct fired *open_of(struct walk *w, const struct alert *al)
{
	for (size_t i = 0; i < w->open.n; i++) {
		struct fired *f = &w->r->v.v[w->open.v[i]];
		if (f->rule == al->rule && !strcmp(f->field[ALERT_GPU], al->field[ALERT_GPU]) && !strcmp(f->field[ALERT_MIG], al->field[ALERT_MIG]))
			return f;
	}
	return NULL;
}

static void close_of(struct walk *w, const struct fired *f)
{
	for (size_t i = 0; i < w->open.n; i++)
		if (&w->r->v.v[w->open.v[i]] == f) {
			w->open.v[i] = w->open.v[--w->open.n];
			return;
		}
}

static void on_fire(struct walk *w, const struct alert *al)
{
	struct arena *mem = &w->r->c->mem;
	struct fired f = { .rule = al->rule, .from_ms = al->since_ms, .to_ms = al->since_ms, .state = FIRED_FIRING, .value = al->value, .worst = al->worst };

	for (int i = 0; i < ALERT_FIELD_N; i++)
		f.field[i] = arena_sv(mem, sv_of(al->field[i]));
	*vec_push(&w->open) = w->r->v.n;
	*vec_push(&w->r->v) = f;
}

static void note(struct fired *f, const struct alert *al)
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
		on_fire(w, al);
		return;
	}
	if (ev == ALERT_EV_PENDING || !(f = open_of(w, al)))
		return;
	note(f, al);
	if (ev == ALERT_EV_OVER) {
		f->to_ms = wall_ms;
		f->state = FIRED_OVER;
		f->over = al->over;
		close_of(w, f);
	}
}

static void at_end(void *ctx, const struct alert *al)
{
	struct walk *w = ctx;
	struct fired *f = al->firing ? open_of(w, al) : NULL;

	if (f)
		note(f, al);
}

/* ---- whose it was --------------------------------------------------------------------------------------------------------------------- */

static bool in_list(struct sv list, struct sv word)
{
	while (list.p)
		if (sv_eq(sv_trim(sv_cut(list, ';', &list)), word))
			return true;
	return false;
}

/* Does the allocation name this card, by what the samples call it or by its place on the node? */
static bool names_card(const struct allocation *a, struct sv gpu, struct sv node_gpus)
{
	struct sv rest = node_gpus, other;
	char place[16];

	if (in_list(a->gpu_ids, gpu))
		return true;
	for (int i = 0; rest.p; i++) {
		other = sv_trim(sv_cut(rest, ';', &rest));
		snprintf(place, sizeof place, "%d", i);
		if ((sv_eq(other, gpu) && in_list(a->gpu_ids, sv_of(place))) || (sv_is(gpu, place) && in_list(a->gpu_ids, other)))
			return true;
	}
	return false;
}

static void find_holds(struct walk *w, const struct allocation *a, size_t na, const struct node *node, size_t nnode)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct sample_key *k = &w->series[i].key;
		struct sv gpus = nnode ? node[nnode - 1].gpu_ids : SV_NULL;
		int64_t all = nnode ? node[nnode - 1].gpu_milli : 0;
		for (size_t j = 0; j < na; j++) {
			bool job = k->job_id.n && sv_eq(a[j].job_id, k->job_id), whole = !a[j].gpu_ids.n && all > 0 && a[j].gpus_milli >= all;
			if (job || whole || (a[j].gpu_ids.n && names_card(&a[j], k->gpu, gpus)))
				*vec_push(&w->holds[i].v) = &a[j];
			else if (!a[j].gpu_ids.n && !k->job_id.n)
				w->holds[i].vague = true;
		}
	}
}

static bool covers(const struct allocation *a, int64_t t)
{
	return a->start_ms <= t && (a->end_ms == UNKNOWN_MS || a->open_end || a->end_ms > t);
}

/* Who holds it at t, which only grows: NULL nobody or several. */
static const struct allocation *holder(struct holds *h, int64_t t, size_t *ret_n)
{
	const struct allocation *one = NULL;

	while (h->at < h->v.n && h->v.v[h->at]->start_ms <= t)
		h->at++;
	*ret_n = 0;
	for (size_t back = 0; back < HOLDS_BACK && back < h->at; back++) {
		const struct allocation *a = h->v.v[h->at - 1 - back];
		if (covers(a, t)) {
			one = a;
			++*ret_n;
		}
	}
	return *ret_n == 1 ? one : NULL;
}

static struct sv either(struct sv a, struct sv b)
{
	return a.n ? a : b;
}

static void put_owner(struct walk *w, int64_t t, struct alert_obs *o)
{
	static const struct allocation nobody;
	const struct sample_key *k = &w->series[w->now].key;
	size_t n;
	const struct allocation *h = holder(&w->holds[w->now], t, &n);

	o->held = n || k->job_id.n ? 1 : w->holds[w->now].vague ? -1 : 0;
	if (!h)
		h = &nobody;
	o->field[ALERT_NODE] = k->node;
	o->field[ALERT_GPU] = k->gpu;
	o->field[ALERT_MIG] = k->mig;
	o->field[ALERT_MODEL] = either(either(k->gpu_model, h->gpu_model), w->model);
	o->field[ALERT_CLUSTER] = either(k->cluster, h->cluster);
	o->field[ALERT_JOB] = n > 1 && !k->job_id.n ? SV("several") : either(k->job_id, h->job_id);
	o->field[ALERT_USER] = either(k->user, h->user);
	o->field[ALERT_TEAM] = either(k->team, h->team);
	o->field[ALERT_PROJECT] = either(k->project, h->project);
	o->field[ALERT_ENV] = either(k->env, h->env);
	o->field[ALERT_WORKLOAD] = either(k->workload, h->workload);
}

/* ---- readings ------------------------------------------------------------------------------------------------------------------------- */

/* No process: counted where processes were, else utilisation and memory of an empty card, by the ledger's thresholds. */
static double no_process(const struct walk *w, const struct sample *v, int held)
{
	const struct attrib_conf *t = &w->r->c->conf.attrib;
	double mem = v->value[METRIC_MEM_USED_BYTES], total = v->value[METRIC_MEM_TOTAL_BYTES], util = v->value[METRIC_GPU_UTIL_PCT];
	double empty = fmax(t->empty_bytes, isnan(total) ? 0 : t->empty_frac * total);

	if (held != 1)
		return held == 0 ? 0 : NAN;
	if (!isnan(v->value[METRIC_PROC_COUNT]))
		return v->value[METRIC_PROC_COUNT] == 0;
	if (isnan(mem) || isnan(util))
		return NAN;
	return util <= t->idle_util_pct && mem <= empty;
}

static void put_values(struct walk *w, const struct sample *v, struct alert_obs *o)
{
	const struct gpu_spec *spec = w->cat && o->field[ALERT_MODEL].n ? catalog_gpu(w->cat, o->field[ALERT_MODEL]) : NULL;

	for (int i = 0; i < ALERT_SIGNAL_N; i++)
		o->value[i] = i < METRIC_N ? v->value[i] : NAN;
	if (v->value[METRIC_MEM_TOTAL_BYTES] > 0)
		o->value[ALERT_MEM_USED_FRAC] = v->value[METRIC_MEM_USED_BYTES] / v->value[METRIC_MEM_TOTAL_BYTES];
	else if (spec && spec->memory_gib > 0 && !o->field[ALERT_MIG].n)
		o->value[ALERT_MEM_USED_FRAC] = v->value[METRIC_MEM_USED_BYTES] / (spec->memory_gib * 1024 * 1024 * 1024);
	if (spec && spec->tdp_w > 0 && !o->field[ALERT_MIG].n)
		o->value[ALERT_POWER_FRAC_OF_TDP] = v->value[METRIC_POWER_W] / spec->tdp_w;
	if (!isnan(v->value[METRIC_XID]))
		o->value[ALERT_FAULT] = alert_xid_is_fault((int64_t)v->value[METRIC_XID]);
	o->value[ALERT_HELD_NO_PROCESS] = no_process(w, v, o->held);
}

static int feed(struct walk *w, int64_t from_ms, struct err *err)
{
	struct sample_cursor *cur = NULL;
	struct sample v;
	int r = store_samples(w->s, w->series, w->n, from_ms, w->r->until_ms, &cur, err);

	while (r >= 0 && (r = sample_cursor_next(cur, &w->now, &v, err)) > 0) {
		struct alert_obs o = { .from_ms = v.t_ms, .to_ms = v.t_ms + v.step_ms };
		put_owner(w, v.t_ms, &o);
		put_values(w, &v, &o);
		alerts_observe(w->engine, &o, o.to_ms);
		w->last_ms[w->now] = o.to_ms;
		w->r->samples++;
	}
	if (cur)
		sample_cursor_close(cur);
	return r;
}

/* What has not ended: until the last reading of its card. */
static void finish(struct walk *w)
{
	int64_t last = INT64_MIN;

	for (size_t i = 0; i < w->n; i++)
		last = w->last_ms[i] > last ? w->last_ms[i] : last;
	if (last != INT64_MIN && last < w->r->until_ms && w->r->until_ms - last < MS_DAY)
		last = w->r->until_ms;
	if (last != INT64_MIN)
		alerts_tick(w->engine, last, last);
	alerts_each(w->engine, at_end, w);
	for (size_t k = 0; k < w->open.n; k++) {
		struct fired *f = &w->r->v.v[w->open.v[k]];
		for (size_t i = 0; i < w->n; i++)
			if (sv_is(w->series[i].key.gpu, f->field[ALERT_GPU]) && w->last_ms[i] > f->to_ms)
				f->to_ms = w->last_ms[i];
	}
}

static int load_silences(struct walk *w, struct err *err)
{
	struct arena *mem = &w->r->c->mem;
	struct alert_silence *v, *all;
	size_t n, given = w->r->conf->silence.n;
	int r = silence_list(store_dir(w->s), INT64_MIN, mem, &v, &n, err);

	if (r < 0)
		return r;
	all = arena_alloc(mem, (n + given + 1) * sizeof *all);
	if (given)
		memcpy(all, w->r->conf->silence.v, given * sizeof *all);
	if (n)
		memcpy(all + given, v, n * sizeof *all);
	alerts_silence(w->engine, all, n + given);
	return 0;
}

static int walk_node(struct replay *r, struct store *s, struct catalog *cat, const struct series *series, size_t n, int64_t from_ms, struct err *err)
{
	struct walk w = { .r = r, .s = s, .cat = cat, .series = series, .n = n };
	struct arena mem = { 0 };
	const char *node = arena_sv(&mem, series[0].key.node);
	struct allocation *a = NULL;
	struct node *nodes = NULL;
	size_t na = 0, nn = 0;
	int rc = 0;

	w.engine = alerts_new(r->conf->rule.v, r->conf->rule.n, on_event, &w);
	w.holds = xcalloc(n, sizeof *w.holds);
	w.last_ms = xcalloc(n, sizeof *w.last_ms);
	for (size_t i = 0; i < n; i++)
		w.last_ms[i] = INT64_MIN;
	if (node && *node) {
		rc = store_allocations(s, node, from_ms, r->until_ms, &mem, &a, &na, err);
		rc = rc < 0 ? rc : store_nodes(s, node, &mem, &nodes, &nn, err);
	}
	rc = rc < 0 ? rc : load_silences(&w, err);
	if (rc >= 0) {
		w.model = nn ? nodes[nn - 1].gpu_model : SV_NULL;
		find_holds(&w, a, na, nodes, nn);
		rc = feed(&w, from_ms, err);
	}
	if (rc >= 0)
		finish(&w);
	r->cards += alerts_cards(w.engine);
	for (size_t i = 0; i < n; i++)
		vec_free(&w.holds[i].v);
	free(w.holds);
	free(w.last_ms);
	vec_free(&w.open);
	alerts_free(w.engine);
	arena_free(&mem);
	return rc;
}

/* ---- all of it ----------------------------------------------------------------------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
	const struct fired *x = a, *y = b;
	int c = x->from_ms < y->from_ms ? -1 : x->from_ms > y->from_ms;

	c = c ? c : x->rule < y->rule ? -1 : x->rule > y->rule;
	c = c ? c : strcmp(x->field[ALERT_NODE], y->field[ALERT_NODE]);
	c = c ? c : strcmp(x->field[ALERT_GPU], y->field[ALERT_GPU]);
	return c ? c : strcmp(x->field[ALERT_MIG], y->field[ALERT_MIG]);
}

/* Readings before the window that a rule needs to have made up its mind at its start. */
static int64_t warm_up(const struct alerts_conf *c)
{
	int64_t most = 0;

	for (size_t i = 0; i < c->rule.n; i++) {
		int64_t ms = c->rule.v[i].window_ms + c->rule.v[i].for_ms + c->rule.v[i].clear_for_ms;
		most = !c->rule.v[i].disabled && ms > most ? ms : most;
	}
	return most + MS_MINUTE;
}

static int set_window(struct replay *r, struct store *s, struct err *err)
{
	int64_t end = UNKNOWN_MS;
	int rc = store_data_end(s, r->c->now_ms, &end, err);

	r->since_ms = r->c->since_ms;
	r->until_ms = r->c->until_ms;
	r->end_ms = end;
	if (rc < 0)
		return rc;
	if (r->until_ms == INT64_MAX)
		r->until_ms = end != UNKNOWN_MS && end < r->c->now_ms && end > r->since_ms ? end : r->c->now_ms;
	if (r->since_ms == INT64_MIN)
		r->since_ms = r->until_ms - MS_DAY;
	return 0;
}

/* Only what fired in the window, and what was asked for. */
static void keep(struct replay *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->v.n; i++) {
		const struct fired *f = &r->v.v[i];
		bool in = f->to_ms > r->since_ms && f->from_ms < r->until_ms;
		if (in && alert_matches(r->match, r->nmatch, f->rule->name, alert_severity_name[f->rule->severity], f->field))
			r->v.v[n++] = *f;
	}
	r->v.n = n;
	if (n)
		qsort(r->v.v, n, sizeof *r->v.v, by_start);
}

int replay_alerts(struct replay *r, struct store *s, struct err *err)
{
	struct catalog *cat = NULL;
	struct series *series = NULL;
	size_t n = 0, end;
	int rc = set_window(r, s, err);
	int64_t from;

	rc = rc < 0 ? rc : catalog_open(NULL, &cat, err);
	rc = rc < 0 ? rc : store_series(s, NULL, &r->c->mem, &series, &n, err);
	from = r->since_ms - warm_up(r->conf);
	for (size_t i = 0; rc >= 0 && i < n; i = end) {
		for (end = i + 1; end < n && sv_eq(series[end].key.node, series[i].key.node); end++)
			;
		if (!series[i].key.node.n)
			end = i + 1; /* cards of no node are each for themselves */
		rc = walk_node(r, s, cat, series + i, end - i, from, err);
		cli_progress(r->c, "judging", r->samples, 0, 0);
	}
	cli_progress(r->c, NULL, 0, 0, 0);
	if (rc >= 0) {
		keep(r);
		rc = replay_price(r, s, err);
	}
	catalog_free(cat);
	return rc < 0 ? rc : 0;
}

void replay_free(struct replay *r)
{
	vec_free(&r->v);
}
