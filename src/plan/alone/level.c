#include "plan/alone/level.h"

#include <stdlib.h>
#include <string.h>

#include "base/dec.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "plan/alone/unheld.h"
#include "plan/fleet/fleet_in.h"

/* What looks back has the amounts as they were recorded. */
static void keep_past(struct fleet *f)
{
	if (f->past)
		return;
	struct fleet *past = arena_alloc(&f->mem, sizeof *past);

	*past = *f;
	past->workload.v = arena_alloc(&f->mem, (f->workload.n + 1) * sizeof *past->workload.v);
	memcpy(past->workload.v, f->workload.v, f->workload.n * sizeof *past->workload.v);
	past->hour.v = arena_alloc(&f->mem, (f->hour.n + 1) * sizeof *past->hour.v);
	memcpy(past->hour.v, f->hour.v, f->hour.n * sizeof *past->hour.v);
	past->node.v = arena_alloc(&f->mem, (f->node.n + 1) * sizeof *past->node.v);
	memcpy(past->node.v, f->node.v, f->node.n * sizeof *past->node.v);
	past->note = (struct text_list){ 0 };
	f->past = past;
}

/* ---- machines that stand idle ------------------------------------------------------------ */

static int by_hour(const void *pa, const void *pb)
{
	const struct workload_hour *a = pa, *b = pb;

	return cmp_i64(a->hour_ms, b->hour_ms);
}

/* What is left of the amounts by state when the work costs that much. */
static void scale_states(int64_t *v, size_t n, int64_t num, int64_t den)
{
	if (den < 0) { /* credits outweigh what it cost */
		num = -num;
		den = -den;
	}
	for (size_t i = 0; i < n; i++)
		v[i] = den ? (int64_t)div_half_even((__int128)v[i] * num, den) : 0;
}

static void set_cost(struct workload *w, int64_t nano)
{
	scale_states(w->state_nano, STATE_N, nano, w->cost_nano);
	scale_states(w->cause_nano, CAUSE_N, nano, w->cost_nano);
	w->cost_nano = nano;
}

/* What the others on the machine cost before the instant becomes the free time's. */
static void stand_idle(struct fleet *f, const struct node_order *by, struct workload *free_time,
		       int64_t from_ms)
{
	VEC(struct workload_hour) all = { 0 };
	int64_t moved = 0;

	keep_past(f);
	for (size_t i = 0; i < free_time->nhour; i++)
		*vec_push(&all) = f->hour.v[free_time->hour0 + i];
	for (size_t k = node_order_first(by, free_time->node);
	     node_order_is(by, k, free_time->node); k++) {
		struct workload *w = &f->workload.v[by->order[k]];
		int64_t sum = 0;
		for (size_t i = 0; i < w->nhour; i++) {
			struct workload_hour *h = &f->hour.v[w->hour0 + i];
			if (h->hour_ms >= from_ms)
				continue;
			*vec_push(&all) = (struct workload_hour){ .hour_ms = h->hour_ms,
								  .nano = h->nano };
			sum += h->nano;
			h->nano = 0;
		}
		set_cost(w, w->cost_nano - sum);
		moved += sum;
	}
	if (moved) {
		sort_items(all.v, all.n, sizeof *all.v, by_hour);
		free_time->hour0 = f->hour.n;
		for (size_t i = 0; i < all.n; i++) {
			struct workload_hour *last = f->hour.v + f->hour.n - 1;
			if (i && last->hour_ms == all.v[i].hour_ms) {
				last->ms += all.v[i].ms;
				last->unknown_ms += all.v[i].unknown_ms;
				last->nano += all.v[i].nano;
			} else {
				*vec_push(&f->hour) = all.v[i];
			}
		}
		free_time->nhour = f->hour.n - free_time->hour0;
		free_time->cost_nano += moved;
		free_time->state_nano[STATE_UNALLOCATED] += moved;
	}
	vec_free(&all);
}

/* ---- machines that are gone -------------------------------------------------------------- */

struct life { /* of a machine: its intervals are fleet.node[first, end) */
	size_t first, end;
	int64_t from_ms, to_ms, paid_ms;
};

static struct life life_of(const struct fleet *f, size_t first)
{
	while (first && f->node.v[first - 1].node == f->node.v[first].node)
		first--;
	const struct fleet_node *n = &f->node.v[first];
	struct life l = { .first = first, .end = first, .from_ms = n->from_ms, .to_ms = n->to_ms };

	for (; l.end < f->node.n && f->node.v[l.end].node == n->node; l.end++) {
		const struct fleet_node *m = &f->node.v[l.end];
		l.from_ms = min_i64(m->from_ms, l.from_ms);
		l.to_ms = max_i64(m->to_ms, l.to_ms);
		l.paid_ms += m->to_ms - m->from_ms;
	}
	return l;
}

/* Machines alike in one cluster: which two of them came last. */
struct alike {
	const char *node, *other; /* interned; NULL: none */
	int64_t from_ms, other_from_ms;
};
struct alikes {
	struct intern key;
	VEC(struct alike) v;
	uint32_t *of; /* [fleet.node.n] */
};

static void alikes_make(const struct fleet *f, struct alikes *ret)
{
	struct str key = { 0 };

	*ret = (struct alikes){ .of = xcalloc(f->node.n + 1, sizeof *ret->of) };
	for (size_t i = 0; i < f->node.n; i++) {
		const struct fleet_node *m = &f->node.v[i];
		str_clear(&key);
		str_addf(&key, "%s\x1f%s\x1f%s\x1f%lld", m->cluster, m->gpu_model, m->purchase,
			 (long long)m->gpus_milli);
		uint32_t at = ret->of[i] = intern_add(&ret->key, str_sv(&key));
		if (at == ret->v.n)
			*vec_push(&ret->v) = (struct alike){ .from_ms = INT64_MIN };
		struct alike *k = &ret->v.v[at];
		if (!k->node || k->node == m->node) {
			*k = (struct alike){ m->node, k->other, max_i64(m->from_ms, k->from_ms),
					     k->other_from_ms };
		} else if (m->from_ms > k->from_ms) {
			*k = (struct alike){ m->node, k->node, m->from_ms, k->from_ms };
		} else if (!k->other || m->from_ms > k->other_from_ms) {
			k->other = m->node;
			k->other_from_ms = m->from_ms;
		}
	}
	str_free(&key);
}

static void alikes_free(struct alikes *k)
{
	intern_free(&k->key);
	vec_free(&k->v);
	free(k->of);
}

/* Did another of its kind come to its cluster when it went or since? */
static bool is_replaced(const struct fleet *f, const struct alikes *alike, const struct life *gone)
{
	int64_t since_ms = gone->to_ms - MS_DAY;
	const struct alike *k = &alike->v.v[alike->of[gone->first]];

	if (k->node != f->node.v[gone->first].node)
		return k->from_ms >= since_ms;
	return k->other && k->other_from_ms >= since_ms;
}

struct gone {
	struct intern name;
	const char *node; /* the first of them */
	int64_t to_ms, nano;
	/* Until when machines of a provider are told of: a bill comes later than jobs and
	 * readings, and where it ends no machine went. */
	struct intern provider;
	VEC(int64_t) told_ms; /* [provider.n] */
};

static void find_told(const struct fleet *f, struct gone *ret)
{
	for (size_t i = 0; i < f->node.n; i++) {
		const struct fleet_node *m = &f->node.v[i];
		uint32_t at = intern_add(&ret->provider, sv_of(m->provider));
		if (at == ret->told_ms.n)
			*vec_push(&ret->told_ms) = m->to_ms;
		ret->told_ms.v[at] = max_i64(m->to_ms, ret->told_ms.v[at]);
	}
}

/* Of its provider others are paid for so much longer. */
static bool others_go_on(const struct fleet *f, const struct gone *g, const struct life *l,
			 int64_t long_ms)
{
	int64_t at = intern_find(&g->provider, sv_of(f->node.v[l->first].provider));

	return at >= 0 && g->told_ms.v[at] >= l->to_ms + long_ms;
}

/* What they cost is no cost of today. */
static void forget_cost(struct fleet *f, struct gone *g)
{
	keep_past(f);
	for (size_t i = 0; i < f->workload.n; i++) {
		struct workload *w = &f->workload.v[i];
		if (w->kind == WORKLOAD_LINE || intern_find(&g->name, sv_of(w->node)) < 0)
			continue;
		g->nano += w->cost_nano;
		set_cost(w, 0);
		for (size_t k = 0; k < w->nhour; k++)
			f->hour.v[w->hour0 + k].nano = 0;
	}
	for (size_t k = 0; k < f->node.n; k++)
		if (intern_find(&g->name, sv_of(f->node.v[k].node)) >= 0) {
			f->node.v[k].cost_nano = 0;
			f->node.v[k].gone = true;
		}
	f->cost_nano -= g->nano;
}

static void tell_gone(struct fleet *f, const struct gone *g)
{
	size_t n = g->name.n;
	char day[TM_BUF], money[DEC_BUF];
	const char *more = " was";

	tm_format_date(day, g->to_ms);
	dec_format_people(money, nano_to_dec(g->nano), 0);
	if (n > 1)
		more = arena_printf(&f->mem, " and %zu more machine%s were", n - 1, plural(n - 1));
	fleet_note(
		f,
		"'%s'%s given back permanently (%s): %s %s that this cost before is no cost of today",
		g->node, more, day, money, f->currency);
}

/* Nobody had held it for a day or longer, so it did not go with its last job and comes with the
 * next. */
static bool is_gone(const struct fleet *f, const struct plan_conf *conf, const struct gone *g,
		    const struct life *l, const struct unheld *u)
{
	int64_t long_ms = (int64_t)(conf->gates.stop_trial_days * (double)MS_DAY);
	const struct fleet_node *m = &f->node.v[l->end - 1];

	if (!m->elastic || m->unrecorded || u->days < 1)
		return false;
	return l->paid_ms >= long_ms && others_go_on(f, g, l, long_ms);
}

/* Of a machine that only a bill or a list of machines knows nobody tells whether it was held on its
 * last day: it is gone after more time, and where it never went and came back before. */
static bool is_gone_unwatched(const struct fleet *f, const struct plan_conf *conf,
			      const struct gone *g, const struct node_order *by,
			      const struct life *l)
{
	int64_t long_ms = (int64_t)(conf->gates.stop_ready_days * (double)MS_DAY);
	const struct fleet_node *m = &f->node.v[l->end - 1];
	double ms = 0, span = (double)(l->to_ms - l->from_ms);

	for (size_t k = node_order_first(by, m->node); node_order_is(by, k, m->node); k++) {
		const struct workload *w = &f->workload.v[by->order[k]];
		if (w->kind != WORKLOAD_UNKNOWN)
			return false;
		ms += (double)w->ms;
	}
	if (!m->elastic || ms * 1000 < (span - MS_DAY) * (double)m->gpus_milli)
		return false;
	return l->paid_ms >= long_ms && others_go_on(f, g, l, long_ms);
}

static void add_gone(struct gone *g, const char *node, const struct life *l)
{
	if (!g->name.n) {
		g->node = node;
		g->to_ms = l->to_ms;
	}
	intern_add(&g->name, sv_of(node));
}

void level_make(struct fleet *f, const struct plan_conf *conf)
{
	struct use *use = xcalloc(f->workload.n + 1, sizeof *use);
	struct lever_in in = { .fleet = f, .conf = conf, .use = use };
	struct gone gone = { 0 };
	struct node_order by;
	struct alikes alike;

	for (size_t i = 0; i < f->workload.n; i++) {
		use[i].start_ms = f->workload.v[i].start_ms;
		use[i].end_ms = f->workload.v[i].end_ms;
	}
	node_order_make(&in, &by);
	alikes_make(f, &alike);
	find_told(f, &gone);
	for (size_t i = 0; i < f->workload.n; i++) {
		struct workload *w = &f->workload.v[i];
		bool machine = w->kind == WORKLOAD_FREE && w->node_index != SIZE_MAX;
		enum tier tier;
		if (!machine || w->cost_nano <= 0)
			continue;
		struct unheld u = unheld_of(&by, w);
		struct life l = life_of(f, w->node_index);
		if (unheld_may_stop(&by, w, &u, &tier)) {
			stand_idle(f, &by, w, u.from_ms);
		} else if (is_gone(f, conf, &gone, &l, &u) && !is_replaced(f, &alike, &l)) {
			add_gone(&gone, w->node, &l);
		}
	}
	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		if (w->kind != WORKLOAD_UNKNOWN || w->node_index == SIZE_MAX || w->cost_nano <= 0)
			continue;
		struct life l = life_of(f, w->node_index);
		if (is_gone_unwatched(f, conf, &gone, &by, &l) && !is_replaced(f, &alike, &l))
			add_gone(&gone, w->node, &l);
	}
	if (gone.name.n)
		forget_cost(f, &gone);
	if (gone.nano > 0)
		tell_gone(f, &gone);
	intern_free(&gone.name);
	intern_free(&gone.provider);
	vec_free(&gone.told_ms);
	alikes_free(&alike);
	node_order_free(&by);
	free(use);
}
