/* GPUs: each is closed by itself, by what a record or a bill pays and by who holds it and what it
 * read. */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "book/post.h"
#include "ledger/lost.h"

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
	cause_sample(&f->post->causes, ret);
	return 1;
}

static int run_gpu(struct post *p, struct attrib_gpu *g, const struct post_gpu *c,
		   struct sv currency, struct err *err)
{
	struct feed_samples f = { 0 };
	struct attrib_rest rest;
	int rc = 0;

	if (c->series.n) {
		struct series *s = arena_alloc(&p->mem, (c->series.n + 1) * sizeof *s);
		for (size_t i = 0; i < c->series.n; i++)
			s[i] = p->series[c->series.v[i]];
		f = (struct feed_samples){ .post = p, .series = c->series.v };
		rc = store_samples(p->book->store, s, c->series.n, p->read_from_ms,
				   p->computed.to_ms, &f.cursor, err);
	}
	if (rc < 0)
		return rc;
	entry_start(p, &rest, currency);
	energy_start(&p->energy);
	cause_start(&p->causes, &p->book->opt.conf->attrib, g, p->gpu);
	p->gpu_key = p->names.v.v[c - p->gpus.v].key;
	rc = attrib_gpu(&p->book->opt.conf->attrib, g, f.cursor ? next_sample : NULL, &f,
			entry_emit, p, &rest, err);
	sample_cursor_close(f.cursor);
	post_count_rest(p->book, &rest);
	if (!rc && p->metered)
		rc = energy_post(&p->energy, &p->metered->terms, entry_energy, entry_rest_energy, p,
				 err);
	if (rc)
		return rc;
	return entry_flush(p, err);
}

static void describe_gpu(struct post *p, struct attrib_gpu *g)
{
	g->mem_total_bytes = p->gpu ? p->gpu->memory_gib * 1073741824.0 : NAN;
	g->tdp_w = p->gpu ? p->gpu->tdp_w : NAN;
	share_geom_of(p->book->catalog, p->gpu, p->book->opt.conf->attrib.mig_share_by_memory,
		      &p->mem, &g->geom);
}

/* GPUs that a record or a bill pays for. */
int post_recorded_gpus(struct post *p, struct err *err)
{
	struct attrib_paid *paid = arena_alloc(&p->mem, (p->paid.interval.n + 1) * sizeof *paid);
	struct attrib_alloc *alloc = arena_alloc(&p->mem, (p->hold.n + 1) * sizeof *alloc);
	size_t n = (size_t)((p->paid.gpu_milli + 999) / 1000);
	struct intern currency = { 0 };
	struct incident *incident = NULL;
	size_t nincident = 0;
	int rc = store_incidents(p->book->store, arena_sv(&p->mem, p->paid.node), p->to_ms, &p->mem,
				 &incident, &nincident, err);

	post_currencies(p, &currency);
	p->metered = paid_metered(p->book, &p->paid);
	for (size_t i = 0; i < p->gpus.n && i < n && !rc; i++)
		for (size_t k = 0; k < currency.n && !rc; k++) {
			struct attrib_gpu g = { .paid = paid, .alloc = alloc };
			describe_gpu(p, &g);
			g.npaid = post_intervals(p, currency.text[k], n, i, paid);
			g.nalloc = hold_of_gpu(p, i, alloc);
			g.ntold = lost_unheld(p->names.v.v[i].uuid, incident, nincident, p->to_ms,
					      &p->mem, (struct attrib_told **)&g.told);
			rc = entry_paid(p, p->names.v.v[i].key, paid, g.npaid, err);
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
	size_t nw = witnesses_of(p->book->watch, p->paid.node, p->paid.cluster, &p->mem, &w);
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
int post_unrecorded_gpu(struct post *p, size_t i, struct err *err)
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
	describe_gpu(p, &g);
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
