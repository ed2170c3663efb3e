/*
 * Post a scope: reverse what stands in the ledger for the touched days, load facts, attribute, add the new entries.
 *
 * A node with cards: every card is closed by itself (attrib_gpu). Allocations that do not name cards are bound to the lowest free ones when the
 * node has telemetry or they hold the whole node (quality estimated when it is a choice); else the node is a pool (attrib_pool). Pools of (cluster, model)
 * have no cards. Time that nothing but an allocation or a sample speaks of is paid time of its own (quality assumed).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "book/post.h"

/* ---- paid stretches of a card or pool ------------------------------------------------------------------------------------------------- */

static int64_t part_of(int64_t total, size_t n, size_t i)
{
	int64_t base = total / (int64_t)n, rest = total % (int64_t)n;

	if (rest >= 0)
		return base + ((int64_t)i < rest);
	return base - ((int64_t)i < -rest);
}

/* The share of card i of n in a node's stretch; n == 0: the whole node as a pool. */
static void stretch(const struct post *p, const struct paid_piece *q, size_t n, size_t i,
		    struct attrib_paid *t)
{
	*t = (struct attrib_paid){
		.from_ms = q->from_ms,
		.to_ms = q->to_ms,
		.purchase = q->purchase,
		.currency = or_sv(q->currency, sv_of(p->book->opt.conf->currency)),
		.quality = q->quality,
		.recorded = q->recorded,
		.gpus_known = true,
		.owner = ATTRIB_NOBODY,
		.tag = q->priced,
		.unheld_state = q->from_bill_alone ? STATE_UNKNOWN : STATE_UNALLOCATED,
		.unheld_cause = q->from_bill_alone ? CAUSE_NONE : CAUSE_FREE,
	};
	if (q->from_bill_alone &&
	    intern_find(&p->book->tracked, sv_of(p->scope)) >=
		    0) { /* jobs of this machine are known, so the rest of its time is known to be nobody's */
		t->unheld_state = STATE_UNALLOCATED;
		t->unheld_cause = CAUSE_FREE;
	}
	t->gpus_milli = !n       ? (q->gpu_milli ? q->gpu_milli : p->paid.gpu_milli)
			: n == 1 ? (p->paid.gpu_milli < 1000 ? p->paid.gpu_milli : 1000)
				 : 1000;
	for (int b = 0; b < BASIS_N; b++) {
		t->has_amount[b] = q->has_amount[b];
		t->amount_nano[b] = n ? part_of(q->amount_nano[b], n, i) : q->amount_nano[b];
		t->has_rate[b] = q->has_rate[b] && !q->has_amount[b];
		if (!t->has_rate[b])
			continue;
		if (n) { /* cards' rates add up to the node's: what does not divide goes to the first cards, 10^-12 each */
			dec base = q->rate_node_hour[b] / (dec)n;
			t->rate_gpu_hour[b] = base +
					      ((dec)i < q->rate_node_hour[b] - base * (dec)n);
			if (t->gpus_milli != 1000) /* a rate is per whole card */
				t->rate_gpu_hour[b] = dec_muldiv(t->rate_gpu_hour[b], 1000,
								 t->gpus_milli);
		} else {
			t->rate_gpu_hour[b] = dec_muldiv(q->rate_node_hour[b], 1000,
							 p->paid.gpu_milli);
		}
	}
}

/* Stretches by currency: attribution takes one currency at a time. */
static size_t stretches_in(struct post *p, struct sv currency, size_t n, size_t i,
			   struct attrib_paid *ret)
{
	const struct paid_piece *last = NULL;
	size_t k = 0, owner = ATTRIB_NOBODY;

	for (size_t j = 0; j < p->paid.piece.n; j++) {
		const struct paid_piece *q = &p->paid.piece.v[j];
		stretch(p, q, n, i, &ret[k]);
		if (!sv_eq(ret[k].currency, currency))
			continue;
		if (!last || !sv_eq(last->tags, q->tags) || !sv_eq(last->account, q->account))
			owner = hold_unheld_owner(p, q->account, q->tags);
		last = q;
		ret[k++].owner = owner;
	}
	return k;
}

static size_t currencies(const struct post *p, struct sv ret[8])
{
	size_t n = 0;

	for (size_t j = 0; j < p->paid.piece.n; j++) {
		struct sv c = or_sv(p->paid.piece.v[j].currency,
				    sv_of(p->book->opt.conf->currency));
		size_t i = 0;
		while (i < n && !sv_eq(ret[i], c))
			i++;
		if (i == n && n < 8)
			ret[n++] = c;
	}
	return n;
}

/* ---- cards: samples ---------------------------------------------------------------------------------------------------------------------- */

struct feed_samples {
	struct post *post;
	struct sample_cursor *cursor;
	const size_t *series; /* numbers of the series of the card */
	struct sample sample;
};

static int next_sample(void *ctx, struct attrib_sample *ret, struct err *err)
{
	struct feed_samples *f = ctx;
	size_t i;
	int rc = sample_cursor_next(f->cursor, &i, &f->sample, err);

	if (rc <= 0)
		return rc;
	const struct series *s = &f->post->series[f->series[i]];
	if (f->post->metered)
		energy_sample(&f->post->energy, &f->sample, s->key.mig);
	*ret = (struct attrib_sample){ .mig = s->key.mig,
				       .job_id = s->key.job_id,
				       .owner = f->post->series_owner[f->series[i]],
				       .s = &f->sample };
	cause_sample(&f->post->causes, ret);
	return 1;
}

static int open_samples(struct post *p, const struct card *c, struct feed_samples *f,
			struct err *err)
{
	struct series *s = arena_alloc(&p->mem, (c->series.n + 1) * sizeof *s);

	for (size_t i = 0; i < c->series.n; i++)
		s[i] = p->series[c->series.v[i]];
	*f = (struct feed_samples){ .post = p, .series = c->series.v };
	return store_samples(p->book->store, s, c->series.n, p->from_ms, p->to_ms, &f->cursor, err);
}

static const struct attrib_mig *mig_places(struct post *p, size_t *n)
{
	struct attrib_mig *m = arena_alloc(&p->mem, 32 * sizeof *m);
	const struct mig_profile *f;

	for (*n = 0; p->gpu && *n < 32 && (f = catalog_mig_at(p->book->catalog, p->gpu->model, *n));
	     ++*n) {
		m[*n] = (struct attrib_mig){ .compute = f->compute_slices,
					     .memory = f->memory_slices,
					     .nstart = f->nstart };
		memcpy(m[*n].start, f->start, sizeof m[*n].start);
	}
	return m;
}

static int run_card(struct post *p, struct attrib_gpu *g, const struct card *c, struct sv currency,
		    struct err *err)
{
	struct feed_samples f = { 0 };
	struct attrib_rest rest;
	int rc = c->series.n ? open_samples(p, c, &f, err) : 0;

	if (rc < 0)
		return rc;
	entry_start(p, &rest, currency);
	energy_start(&p->energy);
	cause_start(&p->causes, &p->book->opt.conf->attrib, g, p->gpu);
	p->card_key = c->key;
	rc = attrib_gpu(&p->book->opt.conf->attrib, g, f.cursor ? next_sample : NULL, &f,
			entry_emit, p, &rest, err);
	sample_cursor_close(f.cursor);
	if (!rc && p->metered)
		rc = energy_post(&p->energy, &p->metered->terms, entry_energy, entry_rest_energy, p,
				 err);
	return rc ? rc : entry_flush(p, err);
}

static void describe_card(struct post *p, struct attrib_gpu *g)
{
	g->mem_total_bytes = p->gpu ? p->gpu->memory_gib * 1073741824.0 : NAN;
	g->tdp_w = p->gpu ? p->gpu->tdp_w : NAN;
	g->mig_compute_slices = p->gpu && p->gpu->mig_compute_slices ? p->gpu->mig_compute_slices
								     : 7;
	g->mig_memory_slices = p->gpu && p->gpu->mig_memory_slices ? p->gpu->mig_memory_slices : 8;
	g->profile = mig_places(p, &g->nprofile);
}

/* Cards that a record or a bill pays for. */
static int post_recorded_cards(struct post *p, struct err *err)
{
	struct attrib_paid *paid = arena_alloc(&p->mem, (p->paid.piece.n + 1) * sizeof *paid);
	struct attrib_alloc *alloc = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *alloc);
	size_t n = (size_t)((p->paid.gpu_milli + 999) / 1000);
	struct sv currency[8];
	size_t ncur = currencies(p, currency);
	int rc = 0;

	p->metered = paid_metered(p->book, &p->paid);
	for (size_t i = 0; i < p->card.n && i < n && !rc; i++)
		for (size_t k = 0; k < ncur && !rc; k++) {
			struct attrib_gpu g = { .paid = paid, .alloc = alloc };
			describe_card(p, &g);
			g.npaid = stretches_in(p, currency[k], n, i, paid);
			g.nalloc = hold_of_card(p, i, alloc);
			rc = run_card(p, &g, &p->card.v[i], currency[k], err);
		}
	return rc;
}

/* A card of which only allocations and samples speak: one stretch over all of it, in which only held or sampled time exists. */
static int post_unrecorded_card(struct post *p, size_t i, struct err *err)
{
	struct card *c = &p->card.v[i];
	struct attrib_paid paid = { .from_ms = INT64_MAX,
				    .to_ms = INT64_MIN,
				    .gpus_milli = 1000,
				    .quality = QUALITY_ASSUMED,
				    .owner = ATTRIB_NOBODY,
				    .unheld_state = STATE_UNKNOWN };
	struct attrib_gpu g = { .paid = &paid,
				.npaid = 1,
				.alloc = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *g.alloc) };
	bool has = false;
	dec price = 0;
	struct sv currency = SV_NULL, model = p->paid.gpu_model;

	g.nalloc = hold_of_card(p, i, (struct attrib_alloc *)g.alloc);
	for (size_t j = 0; j < g.nalloc; j++) {
		paid.from_ms = g.alloc[j].from_ms < paid.from_ms ? g.alloc[j].from_ms
								 : paid.from_ms;
		paid.to_ms = g.alloc[j].to_ms > paid.to_ms ? g.alloc[j].to_ms : paid.to_ms;
	}
	for (size_t j = 0; j < p->hold.n && !has; j++)
		if (p->hold.v[j].raw->has_usd_gpu_hour)
			has = true, price = p->hold.v[j].raw->usd_gpu_hour,
			currency = p->hold.v[j].raw->currency;
	for (size_t j = 0; j < c->series.n; j++) {
		const struct series *s = &p->series[c->series.v[j]];
		paid.from_ms = s->from_ms < paid.from_ms ? s->from_ms : paid.from_ms;
		paid.to_ms = s->to_ms > paid.to_ms ? s->to_ms : paid.to_ms;
		model = or_sv(model, s->key.gpu_model);
		p->paid.cluster = or_sv(p->paid.cluster, s->key.cluster);
		if (!has && s->key.has_usd_gpu_hour)
			has = true, price = s->key.usd_gpu_hour, currency = s->key.currency;
	}
	paid.from_ms = paid.from_ms < p->from_ms ? p->from_ms : paid.from_ms;
	paid.to_ms = paid.to_ms > p->to_ms ? p->to_ms : paid.to_ms;
	if (paid.from_ms >= paid.to_ms)
		return 0;
	paid_own_price(p->book, has, price, currency, &paid);
	p->paid.gpu_model = model;
	p->gpu = catalog_gpu(p->book->catalog, model);
	describe_card(p, &g);
	return run_card(p, &g, c, paid.currency, err);
}

/* ---- pools ---------------------------------------------------------------------------------------------------------------------------- */

static int by_price(const void *a, const void *b)
{
	const struct holding *x = *(const struct holding *const *)a,
			     *y = *(const struct holding *const *)b;
	dec px = x->raw->has_usd_gpu_hour ? x->raw->usd_gpu_hour : -1,
	    py = y->raw->has_usd_gpu_hour ? y->raw->usd_gpu_hour : -1;

	if (px != py)
		return px < py ? -1 : 1;
	int c = sv_cmp(x->raw->currency, y->raw->currency);
	if (c)
		return c;
	if (x->a.from_ms != y->a.from_ms)
		return x->a.from_ms < y->a.from_ms ? -1 : 1;
	return x < y ? -1 : x > y;
}

static bool same_price(const struct holding *x, const struct holding *y)
{
	return x->raw->has_usd_gpu_hour == y->raw->has_usd_gpu_hour &&
	       x->raw->usd_gpu_hour == y->raw->usd_gpu_hour &&
	       sv_eq(x->raw->currency, y->raw->currency);
}

/* GPUs that only allocations speak of: each allocation's own time is paid time, at its own price. */
static int post_unrecorded_pool(struct post *p, struct err *err)
{
	struct holding **h = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *h);
	struct attrib_alloc *a = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *a);
	int rc = 0;

	for (size_t i = 0; i < p->hold.n; i++)
		h[i] = &p->hold.v[i];
	qsort(h, p->hold.n, sizeof *h, by_price);
	for (size_t i = 0, n; i < p->hold.n && !rc; i += n) {
		struct attrib_paid paid = { .from_ms = INT64_MAX,
					    .to_ms = INT64_MIN,
					    .quality = QUALITY_ASSUMED,
					    .owner = ATTRIB_NOBODY,
					    .unheld_state = STATE_UNKNOWN };
		struct attrib_rest rest;
		for (n = 0; i + n < p->hold.n && same_price(h[i], h[i + n]); n++) {
			a[n] = h[i + n]->a;
			paid.from_ms = a[n].from_ms < paid.from_ms ? a[n].from_ms : paid.from_ms;
			paid.to_ms = a[n].to_ms > paid.to_ms ? a[n].to_ms : paid.to_ms;
		}
		paid_own_price(p->book, h[i]->raw->has_usd_gpu_hour, h[i]->raw->usd_gpu_hour,
			       h[i]->raw->currency, &paid);
		entry_start(p, &rest, paid.currency);
		rc = attrib_pool(&p->book->opt.conf->attrib, &paid, 1, a, n, entry_emit, p, &rest,
				 err);
		rc = rc ? rc : entry_flush(p, err);
	}
	return rc;
}

/* Rates become exact amounts per hour: a node's price need not divide by its cards. */
static int exact_hours(struct post *p, struct err *err)
{
	struct paid_node m = { 0 };
	int rc = 0;

	paid_merge(&p->mem, &p->paid, 1, p->book->opt.conf->currency, &m);
	vec_free(&p->paid.piece);
	p->paid.piece.v = m.piece.v;
	p->paid.piece.n = m.piece.n;
	p->paid.piece.cap = m.piece.cap;
	for (size_t i = 0; i < m.rest.n && !rc; i++) {
		m.rest.v[i].scope = p->scope;
		rc = store_add_remainder(p->book->store, &m.rest.v[i], err);
	}
	vec_free(&m.rest);
	return rc;
}

static int post_recorded_pool(struct post *p, struct err *err)
{
	int rc = has_prefix(p->scope, "pool:") ? 0
					       : exact_hours(p, err); /* pools are merged already */
	struct attrib_paid *paid = arena_alloc(&p->mem, (p->paid.piece.n + 1) * sizeof *paid);
	struct attrib_alloc *a = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *a);
	struct sv currency[8];
	size_t ncur = currencies(p, currency);

	for (size_t i = 0; i < p->hold.n; i++)
		a[i] = p->hold.v[i].a;
	for (size_t k = 0; k < ncur && !rc; k++) {
		struct attrib_rest rest;
		size_t n = stretches_in(p, currency[k], 0, 0, paid);
		entry_start(p, &rest, currency[k]);
		rc = attrib_pool(&p->book->opt.conf->attrib, paid, n, a, p->hold.n, entry_emit, p,
				 &rest, err);
		rc = rc ? rc : entry_flush(p, err);
	}
	return rc;
}

/* ---- a scope ---------------------------------------------------------------------------------------------------------------------------- */

static bool widen(struct post *p, int64_t from_ms, int64_t to_ms)
{
	bool grew = false;

	if (from_ms < p->from_ms)
		p->from_ms = tm_floor(from_ms, MS_DAY), grew = true;
	if (to_ms > p->to_ms)
		p->to_ms = tm_floor(to_ms + MS_DAY - 1, MS_DAY), grew = true;
	return grew;
}

/* The bill lines of a pool stand under the names of its nodes. */
static int widen_by_pooled(struct post *p, bool *grew, struct err *err)
{
	const struct book *b = p->book;
	struct arena mem = { 0 };
	int rc = 0;

	for (size_t i = 0; i < b->pooling.node.n && !rc; i++) {
		struct bill_line *line;
		size_t n = 0;
		if (!sv_is(b->pooling.pool.text[b->pooling.of.v[i]], p->scope))
			continue;
		rc = store_bill_gpu(b->store, arena_sv(&mem, b->pooling.node.text[i]), p->from_ms,
				    p->to_ms, &mem, &line, &n, err);
		for (size_t k = 0; k < n && !rc; k++)
			*grew |= widen(p, line[k].from_ms, line[k].to_ms);
	}
	arena_free(&mem);
	return rc;
}

/* Load what touches the window; the window grows until every bill line and allocation it touches lies in it whole. */
static int load(struct post *p, struct err *err)
{
	struct store *s = p->book->store;
	bool grew = true;
	int rc = 0;

	for (int i = 0; grew && !rc; i++) {
		grew = false;
		if (i >=
		    8) { /* jobs that overlap like the scales of a fish: in larger steps, up to all there is */
			p->to_ms += (int64_t)(i - 7) * 8 * MS_DAY;
			p->from_ms -= (int64_t)(i - 7) * 8 * MS_DAY;
		}
		if (!rc)
			rc = store_bill_gpu(s, p->scope, p->from_ms, p->to_ms, &p->mem, &p->line,
					    &p->nline, err);
		if (!rc)
			rc = store_allocations(s, p->scope, p->from_ms, p->to_ms, &p->mem,
					       &p->alloc, &p->nalloc, err);
		if (!rc && has_prefix(p->scope, "pool:"))
			rc = widen_by_pooled(p, &grew, err);
		for (size_t k = 0; !rc && k < p->nline; k++)
			grew |= widen(p, p->line[k].from_ms, p->line[k].to_ms);
		for (size_t k = 0; !rc && k < p->nalloc; k++)
			if (p->alloc[k].start_ms != UNKNOWN_MS)
				grew |= widen(p, p->alloc[k].start_ms,
					      hold_running_end(p, &p->alloc[k]));
	}
	if (!rc && !has_prefix(p->scope, "pool:") && !has_prefix(p->scope, "gpu:") &&
	    !has_prefix(p->scope, "res:")) {
		rc = store_nodes(s, p->scope, &p->mem, &p->node, &p->nnode, err);
		rc = rc ? rc : store_series(s, p->scope, &p->mem, &p->series, &p->nseries, err);
	}
	if (!rc &&
	    has_prefix(p->scope, "gpu:")) { /* the series without a node whose card this is */
		const struct book *b = p->book;
		p->series = arena_alloc(&p->mem, (b->nloose + 1) * sizeof *p->series);
		for (size_t k = 0; k < b->nloose; k++)
			if (sv_is(b->loose[k].key.gpu, p->scope + 4))
				p->series[p->nseries++] = b->loose[k];
	}
	return rc;
}

static void name_scope(struct post *p)
{
	const char *s = p->scope;

	if (has_prefix(s, "pool:")) {
		struct sv rest, head = sv_cut(sv_of(s + 5), '/', &rest);
		p->paid.cluster = head;
		p->paid.gpu_model = rest;
	} else if (has_prefix(s, "res:")) {
		p->paid.node = join_tail(sv_of(s + 4));
	} else if (!has_prefix(s, "gpu:")) {
		p->paid.node = sv_of(s);
	}
	for (size_t i = 0; i < p->nalloc; i++) {
		p->paid.cluster = or_sv(p->paid.cluster, p->alloc[i].cluster);
		p->paid.gpu_model = or_sv(p->paid.gpu_model, p->alloc[i].gpu_model);
	}
}

/* The nodes of a pool, added up; their bill lines are found under their own names. */
static int paid_of_pool(struct post *p, struct err *err)
{
	struct book *b = p->book;
	struct node *node;
	size_t n = 0, k = 0;
	int rc = store_nodes(b->store, NULL, &p->mem, &node, &n, err);
	struct paid_node *paid = arena_zalloc(&p->mem, (n + 1) * sizeof *paid);

	for (size_t i = 0, same; i < n && !rc; i += same) {
		struct bill_line *line = NULL;
		size_t nline = 0;
		for (same = 1; i + same < n && sv_eq(node[i + same].node, node[i].node);)
			same++;
		if (!sv_is(pooling_of(&b->pooling, node[i].node), p->scope))
			continue;
		rc = store_bill_gpu(b->store, arena_sv(&p->mem, node[i].node), p->from_ms, p->to_ms,
				    &p->mem, &line, &nline, err);
		rc = rc ? rc
			: paid_build(b, &p->mem, node + i, same, line, nline, p->from_ms, p->to_ms,
				     &paid[k], err);
		p->paid.provider = or_sv(p->paid.provider, node[i].provider);
		p->paid.region = or_sv(p->paid.region, node[i].region);
		for (size_t j = 0; j < paid[k].rest.n; j++)
			*vec_push(&p->paid.rest) = paid[k].rest.v[j];
		for (size_t j = 0; j < paid[k].extra.n; j++)
			*vec_push(&p->paid.extra) = paid[k].extra.v[j];
		k++;
	}
	if (!rc && k) {
		paid_merge(&p->mem, paid, k, b->opt.conf->currency, &p->paid);
		for (size_t i = 0; i < k; i++)
			p->paid.gpu_milli += paid[i].gpu_milli;
	}
	for (size_t i = 0; i < k; i++)
		paid_node_free(&paid[i]);
	return rc;
}

static int attribute(struct post *p, struct err *err)
{
	bool recorded;
	int rc = 0;

	name_scope(p);
	if (pooling_of(&p->book->pooling, sv_of(p->scope)).n)
		return 0; /* its pool has it */
	if (has_prefix(p->scope, "pool:"))
		rc = paid_of_pool(p, err);
	else
		rc = paid_build(p->book, &p->mem, p->node, p->nnode, p->line, p->nline, p->from_ms,
				p->to_ms, &p->paid, err);
	if (rc)
		return rc;
	recorded = p->paid.piece.n > 0 && p->paid.gpu_milli > 0;
	p->gpu = catalog_gpu(p->book->catalog, p->paid.gpu_model);
	if (p->gpu)
		p->paid.gpu_model = sv_of(p->gpu->model);
	hold_take(p);
	if (recorded && !has_prefix(p->scope, "pool:"))
		hold_cards_of_node(p);
	hold_cards_of_series(p);
	for (size_t i = 0; i < p->paid.rest.n && !rc; i++) {
		p->paid.rest.v[i].scope = p->scope;
		rc = store_add_remainder(p->book->store, &p->paid.rest.v[i], err);
	}
	for (size_t i = 0; i < p->paid.extra.n && !rc; i++)
		rc = entry_extra(p, &p->paid.extra.v[i], err);
	if (rc)
		return rc;
	if (has_prefix(p->scope, "pool:") || !hold_bind(p, recorded))
		return recorded ? post_recorded_pool(p, err) : post_unrecorded_pool(p, err);
	if (recorded)
		return post_recorded_cards(p, err);
	for (size_t i = 0; i < p->card.n && !rc; i++)
		rc = post_unrecorded_card(p, i, err);
	return rc;
}

int post_scope(struct book *b, const char *scope, int64_t from_ms, int64_t to_ms, struct err *err)
{
	struct post p = { .book = b,
			  .scope = scope,
			  .from_ms = tm_floor(from_ms, MS_DAY),
			  .to_ms = tm_floor(to_ms + MS_DAY - 1, MS_DAY) };
	int rc;

	rc = load(&p, err);
	rc = rc ? rc : store_reverse_scope(b->store, scope, p.from_ms, p.to_ms, err);
	rc = rc ? rc : attribute(&p, err);
	for (size_t i = 0; i < p.card.n; i++)
		vec_free(&p.card.v[i].series);
	vec_free(&p.card);
	vec_free(&p.hold);
	vec_free(&p.owner);
	vec_free(&p.rest);
	paid_node_free(&p.paid);
	energy_free(&p.energy);
	cause_free(&p.causes);
	arena_free(&p.mem);
	return rc;
}
