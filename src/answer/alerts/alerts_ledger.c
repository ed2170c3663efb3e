/* What the ledger has of the GPUs of alerts: whose they were in each hour, and what they cost. */
#include "answer/alerts/alerts_in.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"

/* The dimensions of a row; those that are an owner's, and their field. */
static const enum dim dims[] = { DIM_GPU,  DIM_HOUR,    DIM_CLUSTER, DIM_JOB,     DIM_USER,
				 DIM_TEAM, DIM_PROJECT, DIM_ENV,     DIM_WORKLOAD };
#define DIM_N_ALERT (sizeof dims / sizeof *dims)
#define OWNER_FIRST 2 /* of dims */
#define FIELD_OF(k) (ALERT_CLUSTER + (int)(k)-OWNER_FIRST)

static int by_hour(const void *a, const void *b)
{
	const struct ledger_hour *x = a, *y = b;

	if (x->gpu != y->gpu)
		return cmp_u64(x->gpu, y->gpu);
	return cmp_i64(x->hour_ms, y->hour_ms);
}

static uint32_t add_owner(struct ledger_hours *h, const struct ledger_row *row)
{
	struct str key = { 0 };

	for (size_t k = OWNER_FIRST; k < DIM_N_ALERT; k++)
		str_addf(&key, "%zu:%.*s", row->dim[k].n, SVF(row->dim[k]));
	uint32_t id = intern_add(&h->owners, str_sv(&key));
	str_free(&key);
	if (id == h->owner.n) {
		struct hour_owner *o = vec_push(&h->owner);
		*o = (struct hour_owner){ 0 };
		for (size_t k = OWNER_FIRST; k < DIM_N_ALERT; k++)
			o->field[FIELD_OF(k)] = row->dim[k];
	}
	return id;
}

int replay_open(struct replay *r, int64_t from_ms, struct err *err)
{
	struct ledger_hours *h = &r->hours;
	const struct ask *ask = &r->q->ask;
	struct ledger_query q = { .dim = dims,
				  .ndim = DIM_N_ALERT,
				  .since_ms = tm_floor(from_ms, MS_HOUR),
				  .until_ms = tm_floor(r->until_ms + MS_HOUR - 1, MS_HOUR),
				  .basis = BASIS_EFFECTIVE };
	struct ledger_row *row;
	size_t n;
	int rc = store_ledger(ask->store, &q, ask->mem, &row, &n, err);

	for (size_t i = 0; rc >= 0 && i < n; i++) {
		int64_t t;
		if (!row[i].dim[0].n || tm_parse(row[i].dim[1], 0, &t) < 0)
			continue;
		uint32_t gpu = intern_add(&h->gpu, row[i].dim[0]);
		if (!row[i].is_gpu || row[i].ms <= 0)
			continue;
		*vec_push(&h->v) =
			(struct ledger_hour){ .gpu = gpu,
					      .owner = add_owner(h, &row[i]),
					      .state = row[i].state,
					      .hour_ms = t,
					      .ms = row[i].ms - row[i].unpriced_ms,
					      .nano = row[i].nano,
					      .currency = arena_sv(ask->mem, row[i].currency) };
	}
	if (rc >= 0 && h->v.n)
		sort_items(h->v.v, h->v.n, sizeof *h->v.v, by_hour);
	if (rc >= 0)
		rc = store_nodes(ask->store, NULL, ask->mem, &h->record, &h->nrecord, err);
	return rc;
}

void replay_close(struct replay *r)
{
	struct ledger_hours *h = &r->hours;

	for (size_t i = 0; i < h->names.n; i++)
		gpu_names_free(&h->names.v[i]);
	vec_free(&h->names);
	vec_free(&h->owner);
	vec_free(&h->v);
	intern_free(&h->gpu);
	intern_free(&h->owners);
	intern_free(&h->node);
}

/* As the ledger was posted (book/post/hold.c): by the record, else by as many GPUs as the bill gave
 * the node, then by the order of its series. */
static void name_gpus(const struct replay *r, struct sv name, struct gpu_names *ret)
{
	const struct ledger_hours *h = &r->hours;
	const struct node *node = h->record;
	size_t nnode = h->nrecord;
	struct arena *mem = r->q->ask.mem;
	size_t first = first_where(k, nnode, sv_cmp(node[k].node, name) >= 0), n = 0, bare = 0;

	while (first + n < nnode && sv_eq(node[first + n].node, name))
		n++;
	while (intern_find(&h->gpu, sv_of(arena_printf(mem, "%.*s/%zu", SVF(name), bare))) >= 0)
		bare++;
	ret->node = name;
	gpu_names_records(ret, node + first, n, bare, mem);
	first = first_where(k, r->nseries, sv_cmp(r->series[k].key.node, name) >= 0);
	for (n = 0; first + n < r->nseries && sv_eq(r->series[first + n].key.node, name);)
		n++;
	struct gpu_read *read = arena_alloc(mem, (n + 1) * sizeof *read);
	for (size_t i = 0; i < n; i++) {
		const struct series *s = &r->series[first + i];
		read[i] = (struct gpu_read){ s->key.gpu, { s->from_ms, s->to_ms }, 0 };
	}
	gpu_names_read(ret, read, n, mem);
}

const struct gpu_names *replay_names(struct replay *r, struct sv node)
{
	struct ledger_hours *h = &r->hours;
	uint32_t id = intern_add(&h->node, node);

	if (id == h->names.n) {
		struct gpu_names g = { 0 };
		if (node.n)
			name_gpus(r, node, &g);
		*vec_push(&h->names) = g;
	}
	return &h->names.v[id];
}

int64_t replay_gpu(struct replay *r, struct sv node, struct sv gpu, int64_t at_ms)
{
	const struct intern *known = &r->hours.gpu;
	const struct gpu_names *names = replay_names(r, node);
	long i = gpu_names_find(names, gpu);
	int64_t until;

	if (i < 0)
		return intern_find(known, gpu);
	return intern_find(known, gpu_names_key(names, (size_t)i, at_ms, &until));
}

/* ---- whose ------------------------------------------------------------------------------- */

static void find_hour(const struct ledger_hours *h, struct hour_whose *w, int64_t hour_ms)
{
	uint32_t gpu = (uint32_t)w->gpu;

	w->asked = true;
	w->hour_ms = hour_ms;
	w->first = w->n = 0;
	if (w->gpu < 0)
		return;
	w->first = first_where(k, h->v.n,
			       h->v.v[k].gpu > gpu ||
				       (h->v.v[k].gpu == gpu && h->v.v[k].hour_ms >= hour_ms));
	while (w->first + w->n < h->v.n && h->v.v[w->first + w->n].gpu == gpu &&
	       h->v.v[w->first + w->n].hour_ms == hour_ms)
		w->n++;
}

/* 1: somebody held it, 0: nobody did, -1: not known. */
static int held_of(const struct ledger_hour *v, const struct hour_owner *o)
{
	bool named = o->field[ALERT_JOB].n || o->field[ALERT_USER].n;

	if (v->state == STATE_UNALLOCATED)
		return 0;
	if (named || (v->state != STATE_UNKNOWN && o->field[ALERT_TEAM].n))
		return 1;
	return -1;
}

/* What is open of o is filled by what all rows of the hour agree on that are of this job, or are
 * held so. Returns whether they are of several owners. */
static bool fill_fields(const struct ledger_hours *h, const struct hour_whose *w, struct sv job,
			int held, struct alert_obs *o)
{
	const struct hour_owner *first = NULL;
	bool differs[ALERT_FIELD_N] = { false }, several = false;

	for (size_t i = w->first; i < w->first + w->n; i++) {
		const struct hour_owner *x = &h->owner.v[h->v.v[i].owner];
		bool fits = job.n ? sv_eq(x->field[ALERT_JOB], job)
				  : held_of(&h->v.v[i], x) >= held;
		if (!fits)
			continue;
		if (!first)
			first = x;
		several |= x != first;
		for (int f = ALERT_CLUSTER; f < ALERT_FIELD_N; f++)
			differs[f] |= !sv_eq(x->field[f], first->field[f]);
	}
	for (int f = ALERT_CLUSTER; f < ALERT_FIELD_N && first; f++)
		if (!o->field[f].n && !differs[f])
			o->field[f] = first->field[f];
	return several;
}

void replay_whose(const struct replay *r, struct hour_whose *w, int64_t t, struct alert_obs *o)
{
	const struct ledger_hours *h = &r->hours;
	size_t held = 0, free_ = 0;
	struct sv job = o->field[ALERT_JOB];

	if (!w->asked || tm_floor(t, MS_HOUR) != w->hour_ms)
		find_hour(h, w, tm_floor(t, MS_HOUR));
	for (size_t i = w->first; i < w->first + w->n; i++) {
		int is = held_of(&h->v.v[i], &h->owner.v[h->v.v[i].owner]);
		held += is == 1;
		free_ += is == 0;
	}
	if (!job.n && held && free_)
		return;
	bool several = fill_fields(h, w, job, held ? 1 : -1, o);
	if (job.n || o->held == 1)
		return;
	if (!held) {
		o->held = free_ && free_ == w->n ? 0 : -1;
		return;
	}
	o->held = 1;
	if (several && !o->field[ALERT_JOB].n)
		o->field[ALERT_JOB] = SV("several");
}

/* ---- what they cost ---------------------------------------------------------------------- */

static void price_fired(const struct ledger_hours *h, int64_t gpu, struct fired *f)
{
	size_t first_hour = 0, n = 0;

	if (gpu >= 0) { /* the hours of a GPU stand together in the sorted rows */
		first_hour = first_where(k, h->v.n, h->v.v[k].gpu >= (uint32_t)gpu);
		n = first_where(k, h->v.n, h->v.v[k].gpu > (uint32_t)gpu) - first_hour;
	}
	if (!n)
		return;
	const struct ledger_hour *v = h->v.v + first_hour;
	for (size_t j = 0, end; j < n; j = end) {
		int64_t from = max_i64(f->from_ms, v[j].hour_ms), hour_ms = 0;
		int64_t to = min_i64(f->to_ms, v[j].hour_ms + MS_HOUR);
		/* rows of the hour: of several states and owners */
		for (end = j; end < n && v[end].hour_ms == v[j].hour_ms; end++)
			hour_ms += v[end].ms;
		for (size_t k = j; k < end && to > from; k++) {
			if (!v[k].ms || (f->currency && strcmp(f->currency, v[k].currency) != 0))
				continue;
			f->currency = v[k].currency;
			f->has_cost = true;
			f->cost += dec_muldiv((dec)v[k].nano * 1000, to - from,
					      max_i64(hour_ms, to - from));
		}
	}
}

void replay_price(struct replay *r)
{
	for (size_t i = 0; i < r->v.n; i++) {
		/* The GPU's cost in each hour, by the part of the hour in which it fired. A MIG
		 * instance's part of the GPU is not told apart here: unknown. */
		struct fired *f = &r->v.v[i];
		if (!f->field[ALERT_MIG][0])
			price_fired(&r->hours,
				    replay_gpu(r, sv_of(f->field[ALERT_NODE]),
					       sv_of(f->field[ALERT_GPU]), f->from_ms),
				    f);
	}
}
