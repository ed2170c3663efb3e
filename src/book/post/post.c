/*
 * Post a scope: reverse what stands in the ledger for the touched days, load facts, attribute, add
 * the new entries.
 *
 * A node with GPUs: every GPU is closed by itself (attrib_gpu). Allocations that do not name GPUs
 * are bound to those that their readings fit when the node has telemetry or they hold the whole
 * node (choice.h; quality estimated when it is a choice); else the node is a pool (attrib_pool).
 * Pools of (cluster, model) have no GPUs; what readings of their machines tell is what the time was
 * that nobody held (post_reads.c). Time that nothing but an allocation or a sample speaks of
 * is paid time of its own (quality assumed).
 */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "book/post/post.h"
#include "ledger/lost.h"

/* ---- paid intervals, of GPUs and pools -------------------------------------------------- */

static int64_t nth_part(int64_t total, size_t n, size_t i)
{
	int64_t base = total / (int64_t)n, rest = total % (int64_t)n;

	if (rest >= 0)
		return base + ((int64_t)i < rest);
	return base - ((int64_t)i < -rest);
}

/* The share of GPU i of the n that were paid then in a node's interval; n == 0: the whole node as a
 * pool. */
static void fill_interval(const struct post *p, const struct paid_interval *q, size_t n, size_t i,
			  struct attrib_paid *t)
{
	*t = (struct attrib_paid){
		.from_ms = q->from_ms,
		.to_ms = q->to_ms,
		.purchase = q->purchase,
		.currency = sv_or(q->currency, sv_of(p->book->opt.conf->currency)),
		.quality = q->quality,
		.recorded = q->recorded,
		.gpus_known = true,
		.owner = ATTRIB_NOBODY,
		.tag = entry_tag(p, q),
		.unheld_state = STATE_UNKNOWN,
		.unheld_cause = CAUSE_UNWATCHED,
		.unheld_quality = QUALITY_ESTIMATED,
	};
	if (q->watched) {
		t->unheld_state = STATE_UNALLOCATED;
		t->unheld_cause = CAUSE_FREE;
		t->unheld_quality = q->watch_quality;
	}
	t->gpus_milli = 1000;
	if (!n)
		t->gpus_milli = q->gpu_milli;
	else if (n == 1 && q->gpu_milli < 1000)
		t->gpus_milli = q->gpu_milli;
	for (int b = 0; b < BASIS_N; b++) {
		t->has_amount[b] = q->has_amount[b];
		t->amount_nano[b] = n ? nth_part(q->amount_nano[b], n, i) : q->amount_nano[b];
		t->has_rate[b] = q->has_rate[b] && !q->has_amount[b];
		if (!t->has_rate[b])
			continue;
		if (n) {
			/* GPUs' rates add up to the node's: what does not divide goes to the first
			 * GPUs, 10^-12 each */
			dec base = q->rate_node_hour[b] / (dec)n;
			t->rate_gpu_hour[b] = base +
					      ((dec)i < q->rate_node_hour[b] - base * (dec)n);
			if (t->gpus_milli != 1000) /* a rate is per whole GPU */
				t->rate_gpu_hour[b] = dec_muldiv(t->rate_gpu_hour[b], 1000,
								 t->gpus_milli);
		} else {
			t->rate_gpu_hour[b] = dec_muldiv(q->rate_node_hour[b], 1000, t->gpus_milli);
		}
	}
}

/* intervals by currency: attribution takes one currency at a time. Of GPU i of n those in which it
 * was paid: of an id's machines the first have run. */
size_t post_intervals(struct post *p, struct sv currency, size_t n, size_t i,
		      struct attrib_paid *ret)
{
	const struct paid_interval *last = NULL;
	size_t k = 0, owner = ATTRIB_NOBODY;

	for (size_t j = 0; j < p->paid.interval.n; j++) {
		const struct paid_interval *q = &p->paid.interval.v[j];
		size_t paid = n;
		if (n)
			paid = (size_t)((q->gpu_milli + 999) / 1000);
		if (n && i >= paid)
			continue;
		fill_interval(p, q, paid, i, &ret[k]);
		if (!sv_eq(ret[k].currency, currency))
			continue;
		bool same = last && sv_eq(last->tags, q->tags) && last->share == q->share;
		bool new_payer = !same || !payer_eq(&last->payer, &q->payer);
		if (new_payer && q->share && q->share->next)
			owner = hold_shared_owner(p, q->share);
		else if (new_payer)
			owner = hold_unheld_owner(p, &q->payer, q->tags);
		last = q;
		ret[k++].owner = owner;
	}
	return k;
}

void post_currencies(const struct post *p, struct intern *ret)
{
	for (size_t j = 0; j < p->paid.interval.n; j++)
		intern_add(ret, sv_or(p->paid.interval.v[j].currency,
				      sv_of(p->book->opt.conf->currency)));
}

/* ---- a node's GPUs, one by one ------------------------------------------------------------ */

struct feed_samples {
	struct post *post;
	struct sample_cursor *cursor;
	const size_t *series; /* numbers of the series of the GPU */
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
	if (s->key.mig.n && s->key.mig_profile.n)
		share_slices(f->post->book->catalog, f->post->gpu, s->key.mig_profile,
			     &ret->mig_compute, &ret->mig_memory);
	cause_sample(&f->post->causes, ret);
	return 1;
}

int post_read_gpu(struct post *p, struct attrib_gpu *g, const struct post_gpu *c,
		  const struct attrib_out *out, struct err *err)
{
	struct feed_samples f = { 0 };
	int rc = 0;

	g->mem_total_bytes = p->gpu ? p->gpu->memory_gib * 1073741824.0 : NAN;
	g->tdp_w = p->gpu ? p->gpu->tdp_w : NAN;
	share_geom_of(p->book->catalog, p->gpu, p->book->opt.conf->attrib.mig_share_by_memory,
		      &p->mem, &g->geom);
	cause_start(&p->causes, &p->book->opt.conf->attrib, g, p->gpu);

	if (c->series.n) {
		struct series *s = arena_alloc(&p->mem, (c->series.n + 1) * sizeof *s);
		for (size_t i = 0; i < c->series.n; i++)
			s[i] = p->series[c->series.v[i]];
		f = (struct feed_samples){ .post = p, .series = c->series.v };
		rc = store_samples(p->book->store, s, c->series.n,
				   (struct span){ p->read_from_ms, p->computed.to_ms }, &f.cursor,
				   err);
	}
	if (rc < 0)
		return rc;
	rc = attrib_gpu(&p->book->opt.conf->attrib, g, f.cursor ? next_sample : NULL, &f, out, err);
	sample_cursor_close(f.cursor);
	return rc;
}

static int run_gpu(struct post *p, struct attrib_gpu *g, const struct post_gpu *c,
		   struct sv currency, struct err *err)
{
	struct attrib_rest rest;
	struct attrib_out out = { entry_emit, p, &rest };

	entry_start(p, &rest, currency);
	energy_start(&p->energy);
	p->posted = c;
	int rc = post_read_gpu(p, g, c, &out, err);
	post_count_rest(p->book, &rest);
	if (!rc && p->metered)
		rc = energy_post(&p->energy, &p->metered->terms, entry_energy, entry_rest_energy, p,
				 err);
	if (rc)
		return rc;
	return entry_flush(p, err);
}

size_t post_unheld(struct post *p, size_t i, const struct incidents *in,
		   const struct attrib_told **ret)
{
	struct gpu_stay *stay = arena_alloc(&p->mem, (p->names.stay.n + 1) * sizeof *stay);
	size_t nstay = gpu_names_stays(&p->names, i, stay);
	VEC(struct attrib_told) all = { 0 };

	for (size_t k = 0; k < nstay; k++) {
		const struct span there = stay[k].there;
		struct attrib_told *told;
		size_t n = lost_unheld(stay[k].uuid, in->v, in->n, p->to_ms, &p->mem, &told);
		for (size_t j = 0; j < n; j++) {
			told[j].from_ms = max_i64(there.from_ms, told[j].from_ms);
			told[j].to_ms = min_i64(there.to_ms, told[j].to_ms);
			if (told[j].from_ms < told[j].to_ms)
				*vec_push(&all) = told[j];
		}
	}
	size_t ntold = all.n;
	*ret = arena_copy(&p->mem, all.v, ntold, sizeof *all.v);
	vec_free(&all);
	return ntold;
}

/* GPUs that a record or a bill pays for. */
static int post_recorded_gpus(struct post *p, struct err *err)
{
	struct attrib_paid *paid = arena_alloc(&p->mem, (p->paid.interval.n + 1) * sizeof *paid);
	struct attrib_alloc *alloc = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *alloc);
	size_t n = (size_t)((p->paid.gpu_milli + 999) / 1000);
	struct intern currency = { 0 };
	struct incidents incident = { 0 };
	int rc = store_incidents(p->book->store, arena_sv(&p->mem, p->paid.node), p->to_ms, &p->mem,
				 &incident, err);

	post_count_beyond(p, n);
	post_currencies(p, &currency);
	p->metered = paid_metered(p->book, &p->paid);
	for (size_t i = 0; i < p->gpus.n && i < n && !rc; i++)
		for (size_t k = 0; k < currency.n && !rc; k++) {
			struct attrib_gpu g = { .paid = paid, .alloc = alloc };
			g.npaid = post_intervals(p, currency.text[k], n, i, paid);
			g.nalloc = hold_of_gpu(p, i, alloc);
			g.ntold = post_unheld(p, i, &incident, &g.told);
			rc = entry_paid(p, (long)i, paid, g.npaid, err);
			if (rc)
				break;
			rc = run_gpu(p, &g, &p->gpus.v[i], currency.text[k], err);
		}
	intern_free(&currency);
	return rc;
}

/* ---- GPUs without a record -------------------------------------------------------------- */

typedef VEC(struct attrib_paid) intervals;

struct own_price { /* given at import */
	bool has;
	dec usd_gpu_hour;
	struct sv currency;
};

/* That of the first of those who hold the GPU from t on, else that of its readings. Until when it
 * is so: *ret_until, at most to_ms. */
static struct own_price price_at(const struct post *p, size_t gpu, const struct own_price *read,
				 int64_t t, int64_t to_ms, int64_t *ret_until)
{
	struct own_price price = *read;
	bool found = false;

	*ret_until = to_ms;
	for (size_t j = 0; j < p->hold.n; j++) {
		const struct holding *h = &p->hold.v[j];
		if (!h->raw->has_usd_gpu_hour || !hold_has_gpu(h, gpu))
			continue;
		bool now = h->a.from_ms <= t && t < h->a.to_ms;
		int64_t change = now ? h->a.to_ms : h->a.from_ms;
		if (change > t && change < *ret_until)
			*ret_until = change;
		if (!now || found)
			continue;
		found = true;
		price = (struct own_price){ true, h->raw->usd_gpu_hour, h->raw->currency };
	}
	return price;
}

/* Its time of [from, to) by price and by who watched, each currency in time order. */
static void own_intervals(struct post *p, size_t gpu, const struct own_price *read, int64_t from_ms,
			  int64_t to_ms, intervals *ret)
{
	struct watch_span *w;
	const struct witness_node of = { p->paid.node, p->paid.cluster };
	const struct pool_place at = { of.cluster, p->paid.tagged, p->paid.gpu_model };
	enum may_hold may_hold = pooling_may_hold(p->book, &p->book->pooling, &at);
	size_t nw = witnesses_of(p->book->watch, &of, may_hold, &p->mem, &w);
	struct attrib_paid q = { .gpus_milli = 1000,
				 .quality = QUALITY_ASSUMED,
				 .owner = ATTRIB_NOBODY,
				 .unheld_state = STATE_UNKNOWN,
				 .unheld_cause = CAUSE_UNWATCHED,
				 .unheld_quality = QUALITY_ESTIMATED };

	for (int64_t t = from_ms, until; t < to_ms; t = until) {
		struct own_price price = price_at(p, gpu, read, t, to_ms, &until);
		paid_own_price(p->book, price.has, price.usd_gpu_hour, price.currency, &q);
		q.tag = entry_bare_tag(p, (enum priced)q.tag);
		for (int64_t from = t; from < until;) {
			bool watched;
			enum quality quality;
			struct attrib_paid *part = vec_push(ret);
			*part = q;
			part->from_ms = from;
			part->to_ms = watch_until(w, nw, from, until, &watched, &quality);
			from = part->to_ms;
			if (!watched)
				continue;
			part->unheld_state = STATE_UNALLOCATED;
			part->unheld_cause = CAUSE_FREE;
			part->unheld_quality = quality;
		}
	}
}

/* A GPU of which only allocations and samples speak: only held or sampled time of it exists, each
 * at its own price. */
static int post_unrecorded_gpu(struct post *p, size_t i, struct err *err)
{
	struct post_gpu *c = &p->gpus.v[i];
	struct attrib_gpu g = { .alloc = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *g.alloc) };
	struct own_price read = { 0 };
	const struct sv model = p->paid.gpu_model;
	int64_t from = INT64_MAX, to = INT64_MIN;
	struct intern currency = { 0 };
	intervals all = { 0 }, one = { 0 };
	int rc = 0;

	g.nalloc = hold_of_gpu(p, i, (struct attrib_alloc *)g.alloc);
	for (size_t j = 0; j < g.nalloc; j++) {
		from = min_i64(g.alloc[j].from_ms, from);
		to = max_i64(g.alloc[j].to_ms, to);
	}
	for (size_t j = 0; j < c->series.n; j++) {
		const struct series *s = &p->series[c->series.v[j]];
		from = min_i64(s->from_ms, from);
		to = max_i64(s->to_ms, to);
		p->paid.gpu_model = sv_or(p->paid.gpu_model, s->key.gpu_model);
		p->paid.cluster = sv_or(p->paid.cluster, s->key.cluster);
		if (!read.has && s->key.has_usd_gpu_hour)
			read = (struct own_price){ true, s->key.usd_gpu_hour, s->key.currency };
	}
	from = max_i64(from, p->from_ms);
	to = min_i64(to, p->to_ms);
	own_intervals(p, i, &read, from, to, &all);
	for (size_t j = 0; j < all.n; j++)
		intern_add(&currency, all.v[j].currency);
	p->gpu = catalog_gpu(p->book->catalog, p->paid.gpu_model);
	for (size_t k = 0; k < currency.n && !rc; k++) {
		one.n = 0;
		for (size_t j = 0; j < all.n; j++)
			if (sv_eq(all.v[j].currency, currency.text[k]))
				*vec_push(&one) = all.v[j];
		g.paid = one.v;
		g.npaid = one.n;
		rc = run_gpu(p, &g, c, currency.text[k], err);
	}
	p->paid.gpu_model = model; /* the next GPU may be of another */
	intern_free(&currency);
	vec_free(&all);
	vec_free(&one);
	return rc;
}

/* A pool of which jobs alone speak, and readings of some of its GPUs that name these jobs: those
 * GPUs one by one, and what else the jobs held. */
static int post_read_gpus(struct post *p, struct err *err)
{
	const struct paid_node pool = p->paid;
	int rc = 0;

	hold_gpus_of_series(p);
	hold_bind_read(p);
	post_count_misnamed(p);
	for (size_t i = 0; i < p->gpus.n && !rc; i++) {
		rc = post_unrecorded_gpu(p, i, err);
		p->paid.cluster = pool.cluster;
	}
	p->posted = NULL;
	p->gpu = catalog_gpu(p->book->catalog, p->paid.gpu_model);
	return rc ? rc : post_unrecorded_pool(p, err);
}

/* ---- a scope ----------------------------------------------------------------------------- */

/* When it was at work, as jobs and readings tell. */
static void find_active(struct post *p)
{
	spans jobs = { 0 }, readings = { 0 };

	for (size_t i = 0; i < p->nalloc; i++)
		if (p->alloc[i].start_ms != UNKNOWN_MS)
			*vec_push(&jobs) = (struct span){ p->alloc[i].start_ms,
							  hold_running_end(p, &p->alloc[i]) };
	for (size_t i = 0; i < p->nseries; i++)
		*vec_push(&readings) = (struct span){ p->series[i].from_ms, p->series[i].to_ms };
	spans_sort(&jobs);
	spans_sort(&readings);
	for (size_t i = 0; i < readings.n; i++)
		*vec_push(&jobs) = readings.v[i];
	p->paid.active = arena_copy(&p->mem, jobs.v, jobs.n, sizeof *jobs.v);
	p->paid.nactive = jobs.n;
	vec_free(&jobs);
	vec_free(&readings);
}

/* The nodes of a pool, added up; their bill lines are found under their own names. */
static int paid_of_pool(struct post *p, struct err *err)
{
	struct book *b = p->book;
	struct node *node;
	size_t n = 0, k = 0;
	struct sv model = SV_NULL;
	int rc = store_nodes(b->store, NULL, &p->mem, &node, &n, err);
	struct paid_node *paid = arena_zalloc(&p->mem, (n + 1) * sizeof *paid);

	for (size_t i = 0, same; i < n && !rc; i += same) {
		struct bill_line *line = NULL;
		size_t nline = 0;
		for (same = 1; i + same < n && sv_eq(node[i + same].node, node[i].node);)
			same++;
		if (!sv_is(pooling_of(&b->pooling, node[i].node), p->key))
			continue;
		struct scope name = scope_node(node[i].node);
		struct scope_span of = { scope_key_in(&name, &p->mem), p->from_ms, p->to_ms };
		const struct pool_place at = pooling_place(b, b->traits, &node[i]);
		paid[k].cluster = at.cluster;
		paid[k].tagged = at.tagged;
		if (traits_of(b->traits, sv_of(of.scope))->billed)
			rc = sets_lines(b, &of, &p->mem, &line, &nline, err);
		if (!rc)
			rc = paid_build(b, &p->mem,
					&(struct paid_by){ node + i, same, line, nline, p->from_ms,
							   p->to_ms },
					&paid[k], err);
		p->paid.provider = sv_or(p->paid.provider, node[i].provider);
		p->paid.region = sv_or(p->paid.region, node[i].region);
		/* what its jobs call "a100" is what its machines are */
		if (!k || sv_eq(model, paid[k].gpu_model))
			model = paid[k].gpu_model;
		else
			model = SV_NULL;
		for (size_t j = 0; j < paid[k].rest.n; j++)
			*vec_push(&p->paid.rest) = paid[k].rest.v[j];
		for (size_t j = 0; j < paid[k].extra.n; j++)
			*vec_push(&p->paid.extra) = paid[k].extra.v[j];
		k++;
	}
	if (p->scope.gpu_model.n)
		p->paid.gpu_model = sv_or(model, p->paid.gpu_model);
	p->machine = paid;
	p->nmachine = k;
	if (rc || !k)
		return rc;
	/* beside readings what jobs hold is told apart between any two of their starts and ends */
	int64_t *at = arena_alloc(&p->mem, (2 * p->nalloc + 1) * sizeof *at);
	size_t nat = 0;
	for (size_t i = 0; i < p->nalloc && p->nseries; i++)
		if (p->alloc[i].start_ms != UNKNOWN_MS) {
			at[nat++] = p->alloc[i].start_ms;
			at[nat++] = hold_running_end(p, &p->alloc[i]);
		}
	for (size_t i = 0; i < k; i++)
		p->paid.gpu_milli += paid[i].gpu_milli;
	const struct paid_nodes of = { paid, k, at, nat, b->opt.conf->currency };
	return paid_merge(&p->mem, &of, &p->paid, err);
}

/* Its GPU time: one by one, or as a pool. */
static int post_gpus(struct post *p, bool recorded, struct err *err)
{
	int rc = 0;
	bool by_gpu = false;

	if (p->scope.kind != SCOPE_POOL)
		rc = hold_bind(p, recorded, &by_gpu, err);
	if (!rc && by_gpu)
		post_count_misnamed(p);
	if (rc)
		return rc;
	if (!by_gpu && recorded)
		rc = post_recorded_pool(p, err);
	else if (!by_gpu && p->scope.kind == SCOPE_POOL && p->nloose)
		rc = post_read_gpus(p, err);
	else if (!by_gpu)
		rc = post_unrecorded_pool(p, err);
	else if (recorded)
		rc = post_recorded_gpus(p, err);
	else
		for (size_t i = 0; i < p->gpus.n && !rc; i++)
			rc = post_unrecorded_gpu(p, i, err);
	return rc;
}

static int attribute_scope(struct post *p, struct err *err)
{
	bool recorded;
	int rc = 0;

	/* what it is called, until its records say more */
	switch (p->scope.kind) {
	case SCOPE_NODE: p->paid.node = p->scope.name; break;
	case SCOPE_RESOURCE:
		p->paid.node = join_tail(p->scope.name);
		p->paid.is_set = sets_has(p->book->sets, p->key);
		break;
	case SCOPE_POOL:
		p->paid.cluster = p->scope.cluster;
		p->paid.gpu_model = p->scope.gpu_model;
		break;
	case SCOPE_GPU:
	case SCOPE_BILL: break;
	}
	p->paid.tagged = !p->paid.cluster.n && p->trait->tagged;
	p->paid.cluster = sv_or(p->paid.cluster, p->trait->cluster);
	p->paid.gpu_model = sv_or(p->paid.gpu_model, p->trait->gpu_model);
	find_active(p);

	/* what was paid for it */
	if (p->scope.kind == SCOPE_NODE && pooling_of(&p->book->pooling, p->scope.name).n)
		return 0; /* its pool has it */
	if (p->scope.kind == SCOPE_GPU && traits_home(p->book->traits, p->scope.name).n)
		return 0; /* the scope of the job that its readings name has it */
	if (p->scope.kind == SCOPE_POOL)
		rc = paid_of_pool(p, err);
	else
		rc = paid_build(p->book, &p->mem,
				&(struct paid_by){ p->node, p->nnode, p->line, p->nline,
						   p->computed.from_ms, p->computed.to_ms },
				&p->paid, err);
	if (rc)
		return rc;
	/* a pool has GPUs by the records of its nodes alone, paid in these days or not */
	recorded = p->paid.interval.n > 0 || p->trait->recorded || p->scope.kind == SCOPE_POOL;
	recorded = recorded && p->paid.gpu_milli > 0;
	entry_number_charges(p);
	p->gpu = catalog_gpu(p->book->catalog, p->paid.gpu_model);
	if (p->gpu)
		p->paid.gpu_model = sv_of(p->gpu->model);

	/* who held it, and its GPUs */
	hold_take(p);
	p->names.node = p->paid.node;
	if (recorded && p->scope.kind != SCOPE_POOL)
		hold_gpus_of_node(p);
	if (p->scope.kind != SCOPE_POOL)
		hold_gpus_of_series(p);
	if (!recorded)
		hold_gpus_of_jobs(p);

	/* entries */
	for (size_t i = 0; i < p->paid.rest.n && !rc; i++) {
		p->paid.rest.v[i].scope = p->key;
		rc = entry_remainder(p, &p->paid.rest.v[i], err);
	}
	for (size_t i = 0; i < p->paid.extra.n && !rc; i++)
		rc = entry_extra(p, &p->paid.extra.v[i], err);
	if (rc)
		return rc;
	rc = post_gpus(p, recorded, err);
	return rc ? rc : rider_end(p, err);
}

static int post_window(struct book *b, const char *key, unsigned by, struct span window,
		       int64_t *ret_to_ms, struct err *err)
{
	struct post p = { .book = b, .key = key, .touched_by = by };
	int rc;

	p.scope = scope_of_key(sv_of(key), &p.mem);
	p.trait = traits_of(b->traits, sv_of(key));
	p.by_month = p.scope.kind == SCOPE_NODE && p.trait->billed && !p.trait->recorded;
	post_set_window(&p, window.from_ms, window.to_ms);
	if (p.by_month)
		p.to_ms = tm_month_start(p.from_ms, 1);
	rc = post_load(&p, err);
	if (!rc)
		rc = store_reverse_scope(b->store, key, p.written.from_ms, p.written.to_ms, err);
	if (!rc)
		rc = attribute_scope(&p, err);
	if (!rc)
		check_posted(b, key, p.written.from_ms, p.written.to_ms);
	*ret_to_ms = p.written.to_ms;
	for (size_t i = 0; i < p.gpus.n; i++)
		vec_free(&p.gpus.v[i].series);
	vec_free(&p.gpus);
	gpu_names_free(&p.names);
	vec_free(&p.hold);
	vec_free(&p.owner);
	vec_free(&p.served);
	vec_free(&p.shares);
	vec_free(&p.priced_by);
	vec_free(&p.riding);
	vec_free(&p.credited);
	vec_free(&p.rest);
	paid_node_free(&p.paid);
	for (size_t i = 0; i < p.nmachine; i++)
		paid_node_free(&p.machine[i]);
	energy_free(&p.energy);
	cause_free(&p.causes);
	arena_free(&p.mem);
	return rc;
}

int post_scope(struct book *b, const char *key, unsigned by, int64_t from_ms, int64_t to_ms,
	       struct err *err)
{
	int rc = 0;

	for (int64_t t = from_ms; t < to_ms && !rc;)
		rc = post_window(b, key, by, (struct span){ t, to_ms }, &t, err);
	return rc;
}
