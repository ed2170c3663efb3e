/* See bill_seen.h. */
#include "plan/alone/bill_seen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "catalog/family.h"
#include "ledger/owner.h"
#include "ledger/tagset.h"
#include "plan/alone/bill_capacity.h"
#include "plan/fleet/fleet_in.h"

/* a purchase whose charge period is longer tells when it ends */
#define LONG_MS BILL_SPREAD_MAX_FEE_MS

struct tags { /* lines with the same tags */
	struct bill_sum all, nobody;
	const char *pool, *pool_cluster; /* the node pool that they name; NULL */
};
struct day_rate {
	bool known;
	dec rate;
};
struct reader {
	struct fleet *f;
	struct bill_seen *b;
	struct owner_resolver *owners;
	struct capacity_reader *capacity;
	int64_t early_ms, late_ms; /* the first quarter ends, the last one begins */
	struct intern service, month, cell, tags, family, commitment, storage;
	struct intern machine_time; /* a machine in a charge period */
	VEC(int64_t) counted;       /* [machine_time.n] ms of its lines */
	struct intern rate_day;     /* a currency on a day */
	VEC(struct day_rate) rate;  /* [rate_day.n] */
	struct intern left_out;     /* currencies */
	VEC(struct tags) tag;
	struct intern pooled;  /* machines of node pools: names and ids */
	VEC(uint32_t) pool_of; /* [pooled.n] in tag */
};

static void add_cost(struct bill_sum *s, dec cost)
{
	s->rows++;
	s->cost += cost;
}

/* By a line of usage, as far as the history was seen: a month's line is written before it ends. */
static void widen_span(const struct fleet *f, int64_t *io_from_ms, int64_t *io_to_ms,
		       const struct bill_line *l)
{
	int64_t from = max_i64(l->from_ms, f->bill_since_ms), to = min_i64(l->to_ms, f->until_ms);

	if (from > to)
		return;
	if (*io_from_ms == UNKNOWN_MS || from < *io_from_ms)
		*io_from_ms = from;
	if (*io_to_ms == UNKNOWN_MS || to > *io_to_ms)
		*io_to_ms = to;
}

static bool is_usage(const struct bill_line *l)
{
	return !l->charge_category.n || sv_ieq(l->charge_category, SV("Usage"));
}

/* ---- who --------------------------------------------------------------------------------- */

static void add_tags(struct bill_sum *to, const struct bill_sum *of)
{
	to->rows += of->rows;
	to->cost += of->cost;
}

static int by_rows(const void *pa, const void *pb)
{
	const struct bill_tag *a = pa, *b = pb;

	if (a->all.rows != b->all.rows)
		return cmp_i64(b->all.rows, a->all.rows);
	return strcmp(a->key, b->key);
}

/* From lines with the same tags to lines with the same key. */
static void count_keys(struct reader *r)
{
	struct intern key = { 0 }, value = { 0 };
	struct arena mem = { 0 };

	for (size_t i = 0; i < r->tag.n; i++) {
		struct tagset t = { 0 };
		if (!r->tags.text[i].n || !tagset_read(&mem, r->tags.text[i], &t)) {
			tagset_free(&t);
			continue;
		}
		for (size_t k = 0; k < t.tag.n; k++) {
			struct sv name = t.tag.v[k].key, v = t.tag.v[k].value;
			uint32_t at = intern_add(&key, name);
			size_t values = value.n;
			if (at == r->b->tag.n)
				*vec_push(&r->b->tag) =
					(struct bill_tag){ .key = arena_sv(&r->f->mem, name) };
			struct bill_tag *tag = &r->b->tag.v[at];
			add_tags(&tag->all, &r->tag.v[i].all);
			add_tags(&tag->nobody, &r->tag.v[i].nobody);
			if (intern_add(&value, sv_of(arena_printf(&mem, "%u\x1f%.*s", at,
								  SVF(v)))) == values)
				tag->values++;
		}
		tagset_free(&t);
	}
	if (r->b->tag.n)
		sort_items(r->b->tag.v, r->b->tag.n, sizeof *r->b->tag.v, by_rows);
	intern_free(&key);
	intern_free(&value);
	arena_free(&mem);
}

static const struct raw_name *keys_of(struct fleet *f, const struct conf *c, enum owner_field field,
				      size_t *ret_n)
{
	struct raw_name *key;
	size_t n = 0;

	while (owner_tag_key(c, field, n))
		n++;
	key = arena_alloc(&f->mem, (n + 1) * sizeof *key);
	for (size_t i = 0; i < n; i++)
		key[i] = raw_name(fleet_text(f, sv_of(owner_tag_key(c, field, i))));
	*ret_n = n;
	return key;
}

/* ---- when and what ----------------------------------------------------------------------- */

/* Time of machines: what its line counts in hours, else its charge period; of a line that counts
 * hours of more than a thousand machines nothing is known. Of GPUs that stand apart, theirs. */
static int64_t on_ms(const struct bill_line *l)
{
	int64_t len = l->to_ms - l->from_ms;

	if (!l->instance_type.n)
		return (int64_t)dec_muldiv(len, l->gpu_milli, 1000);
	if (!l->has_quantity || l->quantity < 0)
		return len;
	if (!sv_ihas(l->unit, SV("hour")) && !sv_ihas(l->unit, SV("hrs")))
		return len;
	if (l->quantity < DEC_ONE * 1000 * (len / MS_HOUR + 1))
		return (int64_t)(dec_muldiv(l->quantity, MS_HOUR, 1) / DEC_ONE);
	return 0;
}

/*
 * What the line adds to the time of its machine. Of a machine that is billed by its parts, cores
 * and memory and GPUs each in hours of their own, the lines of a period are one machine's, which
 * ran no longer than the period.
 */
static int64_t adds_ms(struct reader *r, const struct bill_line *l)
{
	int64_t on = on_ms(l), before;

	/* elsewhere two lines of a resource and time may be two machines of a set */
	if (!l->instance_type.n || !l->resource_id.n || !sv_is(l->provider, "gcp"))
		return on;
	struct str key = { 0 };
	str_addf(&key, "%.*s\x1f%lld", SVF(l->resource_id), (long long)l->from_ms);
	uint32_t i = intern_add(&r->machine_time, (struct sv){ key.p, key.n });
	str_free(&key);
	if (i == r->counted.n) {
		*vec_push(&r->counted) = on;
		return on;
	}
	before = r->counted.v[i];
	r->counted.v[i] = min_i64(before + on, l->to_ms - l->from_ms);
	return r->counted.v[i] - before;
}

static void see_untyped(struct reader *r, const struct bill_line *l, dec cost)
{
	bool hours = sv_ihas(l->unit, SV("hour")) || sv_ihas(l->unit, SV("hrs")),
	     named = l->resource_id.n && !l->instance_type.n && l->kind == KIND_OTHER;

	if (!hours || !named || !sv_ieq(l->service_category, SV("Compute")))
		return;
	add_cost(&r->b->untyped, cost);
	r->b->untyped_service = fleet_text(r->f, l->service_name);
	r->b->untyped_provider = fleet_text(r->f, l->provider);
}

/* own: the cost in the line's own currency */
static void see_machine(struct reader *r, const struct bill_line *l, dec cost, dec own,
			struct sv own_currency)
{
	bool typed = l->instance_type.n && (l->kind == KIND_GPU || l->kind == KIND_OTHER),
	     machine = typed || (l->kind == KIND_GPU && l->gpu_model.n),
	     on_demand = !l->purchase.n || sv_is(l->purchase, "on_demand"),
	     covered = l->commitment_id.n > 0;

	if (!on_demand || covered)
		return;
	if (!is_usage(l) || l->to_ms <= l->from_ms || cost <= 0)
		return;
	if (!machine) {
		see_untyped(r, l, cost);
		return;
	}
	if (!dec_fits_nano(cost) || !dec_fits_nano(own))
		return;
	char buf[FAMILY_BUF];
	struct arena mem = { 0 };
	struct str key = { 0 };
	const char *family = machine_family(arena_sv(&mem, l->provider),
					    arena_sv(&mem, l->instance_type),
					    arena_sv(&mem, l->gpu_model), buf);

	str_addf(&key, "%.*s\x1f%.*s\x1f%s", SVF(l->provider), SVF(l->region), family);
	uint32_t i = intern_add(&r->family, (struct sv){ key.p, key.n });
	if (i == r->b->family.n)
		*vec_push(&r->b->family) = (struct bill_family){
			.provider = fleet_text(r->f, l->provider),
			.region = fleet_text(r->f, l->region),
			.family = fleet_text(r->f, sv_of(family)),
			.instance_type = fleet_text(r->f, l->instance_type),
			.gpu_model = fleet_text(r->f, l->gpu_model),
			.gpus_milli = l->gpu_milli,
			.gpus_apart = !l->instance_type.n,
			.nano = arena_zalloc(&r->f->mem, (r->b->nhour + 1) * sizeof(int64_t)),
			.own = arena_zalloc(&r->f->mem, (r->b->nhour + 1) * sizeof(int64_t)),
			.own_currency = fleet_text(r->f, own_currency),
			.hour_ms = arena_zalloc(&r->f->mem, (r->b->nhour + 1) * sizeof(int64_t)),
		};
	str_free(&key);
	arena_free(&mem);
	struct bill_family *g = &r->b->family.v[i];
	if (!sv_is(l->instance_type, g->instance_type)) {
		g->instance_type = fleet_text(r->f, SV(""));
		g->gpus_milli = 0;
	}
	if (!sv_is(own_currency, g->own_currency))
		g->own = NULL;
	g->cost += cost;

	struct bill_seen *b = r->b;
	int64_t len = l->to_ms - l->from_ms, on = adds_ms(r, l), next;

	g->on_ms += on;

	for (int64_t t = l->from_ms; t < l->to_ms; t = next) {
		int64_t k = (t - b->hour0_ms) / MS_HOUR;
		next = tm_floor(t, MS_HOUR) + MS_HOUR;
		next = min_i64(next, l->to_ms);
		if (t < b->hour0_ms || k >= (int64_t)b->nhour)
			continue;
		g->nano[k] += (int64_t)(dec_muldiv(cost, next - t, len) / 1000);
		if (g->own)
			g->own[k] += (int64_t)(dec_muldiv(own, next - t, len) / 1000);
		g->hour_ms[k] += (int64_t)dec_muldiv(on, next - t, len);
	}
}

static void keep_later(int64_t *at_ms, int64_t ms)
{
	if (*at_ms == UNKNOWN_MS || ms > *at_ms)
		*at_ms = ms;
}

/* What all lines say that say it. */
static void keep_agreed(const struct reader *r, const char **io, bool first, struct sv v)
{
	if (first && v.n)
		*io = fleet_text(r->f, v);
	else if (v.n && !sv_is(v, *io))
		*io = fleet_text(r->f, SV(""));
}

static void see_commitment(struct reader *r, const struct bill_line *l, dec cost)
{
	if (!l->commitment_id.n)
		return;
	uint32_t i = intern_add(&r->commitment, l->commitment_id);
	bool first = i == r->b->commitment.n;
	if (first)
		*vec_push(&r->b->commitment) = (struct bill_commitment){
			.id = fleet_text(r->f, l->commitment_id),
			.type = fleet_text(r->f, l->commitment_type),
			.provider = fleet_text(r->f, l->provider),
			.instance_type = fleet_text(r->f, SV("")),
			.region = fleet_text(r->f, SV("")),
			.gpu_model = fleet_text(r->f, SV("")),
			.used_to_ms = UNKNOWN_MS,
			.unused_to_ms = UNKNOWN_MS,
			.ends_ms = UNKNOWN_MS,
		};
	struct bill_commitment *c = &r->b->commitment.v[i];
	keep_agreed(r, &c->instance_type, first, l->instance_type);
	keep_agreed(r, &c->region, first, l->region);
	keep_agreed(r, &c->gpu_model, first, l->gpu_model);
	if (sv_is(l->commitment_status, "Unused")) {
		c->unused += cost;
		if (l->instance_type.n)
			c->unused_ms += on_ms(l);
		keep_later(&c->unused_to_ms, l->to_ms);
	} else if (is_usage(l)) {
		c->used += cost;
		keep_later(&c->used_to_ms, l->to_ms);
	} else if (l->to_ms - l->from_ms > LONG_MS) {
		keep_later(&c->ends_ms, l->to_ms);
	}
}

/* The part of the line that lies in [from, to). */
static dec part_in(const struct bill_line *l, dec cost, int64_t from_ms, int64_t to_ms)
{
	int64_t a = max_i64(l->from_ms, from_ms), b = min_i64(l->to_ms, to_ms);

	if (l->to_ms <= l->from_ms) {
		if (l->from_ms >= from_ms && l->from_ms < to_ms)
			return cost;
		return 0;
	}
	if (b > a)
		return dec_muldiv(cost, b - a, l->to_ms - l->from_ms);
	return 0;
}

static void see_storage(struct reader *r, const struct bill_line *l, dec cost)
{
	struct str key = { 0 };

	if (l->kind != KIND_STORAGE || !is_usage(l))
		return;
	str_addf(&key, "%.*s\x1f%.*s\x1f%.*s", SVF(l->provider), SVF(l->service_name),
		 SVF(l->resource_id));
	uint32_t i = intern_add(&r->storage, (struct sv){ key.p, key.n });
	str_free(&key);
	if (i == r->b->storage.n)
		*vec_push(&r->b->storage) = (struct bill_storage){
			.provider = fleet_text(r->f, l->provider),
			.service = fleet_text(r->f, l->service_name),
			.resource = fleet_text(r->f, sv_or(l->resource_name, l->resource_id)),
		};
	struct bill_storage *s = &r->b->storage.v[i];
	s->cost += cost;
	s->early += part_in(l, cost, r->f->bill_since_ms, r->early_ms);
	s->late += part_in(l, cost, r->late_ms, r->f->until_ms);
}

/* ---- node pools -------------------------------------------------------------------------- */

/* Labels and tags with which clouds mark the machines of a cluster's pool. */
static void read_pool(struct reader *r, struct sv json, struct tags *ret)
{
	static const struct {
		const char *pool, *cluster;
	} known[] = { { "goog-k8s-node-pool-name", "goog-k8s-cluster-name" },
		      { "eks:nodegroup-name", "eks:cluster-name" },
		      { "eks_nodegroup_name", "eks_cluster_name" },
		      { "aks-managed-poolName", "aks-managed-cluster-name" } };
	struct arena mem = { 0 };
	struct tagset t = { 0 };

	if (json.n && tagset_read(&mem, json, &t))
		for (size_t i = 0; i < sizeof known / sizeof *known && !ret->pool; i++) {
			struct sv pool = tagset_get(&t, sv_of(known[i].pool));
			if (!pool.n)
				continue;
			ret->pool = fleet_text(r->f, pool);
			ret->pool_cluster = fleet_text(r->f,
						       tagset_get(&t, sv_of(known[i].cluster)));
		}
	tagset_free(&t);
	arena_free(&mem);
}

/* A machine goes by its name or its id on the bill; the newest line holds. */
static void see_pool(struct reader *r, const struct bill_line *l, struct sv node, uint32_t tag)
{
	const struct sv name[] = { node, l->resource_name, l->resource_id };

	for (size_t i = 0; r->tag.v[tag].pool && i < sizeof name / sizeof *name; i++) {
		uint32_t k;
		if (!name[i].n)
			continue;
		k = intern_add(&r->pooled, name[i]);
		if (k == r->pool_of.n)
			*vec_push(&r->pool_of) = tag;
		r->pool_of.v[k] = tag;
	}
}

static void tell_pools(const struct reader *r)
{
	for (size_t i = 0; i < r->f->workload.n && r->pooled.n; i++) {
		struct workload *w = &r->f->workload.v[i];
		int64_t k = *w->node ? intern_find(&r->pooled, sv_of(w->node)) : -1;
		if (k < 0 && *w->node && *w->resource)
			k = intern_find(&r->pooled, sv_of(w->resource));
		if (k < 0)
			continue;
		w->node_pool = r->tag.v[r->pool_of.v[k]].pool;
		w->pool_cluster = r->tag.v[r->pool_of.v[k]].pool_cluster;
	}
}

/* ---- in which money ---------------------------------------------------------------------- */

static struct day_rate rate_of_day(struct reader *r, struct sv currency, int64_t day_ms)
{
	struct str key = { 0 };
	char from[16];

	str_addf(&key, "%.*s\x1f%lld", SVF(currency), (long long)day_ms);
	uint32_t i = intern_add(&r->rate_day, str_sv(&key));
	str_free(&key);
	if (i == r->rate.n) {
		struct day_rate d = { 0 };
		struct exchange_found found = { 0 };
		snprintf(from, sizeof from, "%.*s", SVF(currency));
		if (currency.n < sizeof from)
			d.known = exchange_at(&r->f->exchange, from, r->f->currency, day_ms,
					      EXCHANGE_OLD_DAYS, &found);
		d.rate = found.rate;
		*vec_push(&r->rate) = d;
	}
	return r->rate.v[i];
}

/* What its currency is in the fleet's: the rate of its day, of a longer line the mean of its days
 * in the window; false: of one of them no rate is known. */
static bool rate_of_line(struct reader *r, const struct bill_line *l, dec *ret)
{
	int64_t from = max_i64(l->from_ms, r->f->bill_since_ms),
		to = min_i64(l->to_ms, r->f->until_ms), n = 0;
	dec sum = 0;

	for (int64_t t = tm_floor(from, MS_DAY); !n || t < to; t += MS_DAY) {
		struct day_rate d = rate_of_day(r, l->currency, t);
		if (!d.known)
			return false;
		sum += d.rate;
		n++;
	}
	*ret = sum / n;
	return true;
}

/* Its amounts in the fleet's currency; false: they cannot be told in it. */
static bool convert_line(struct reader *r, struct bill_line *l)
{
	dec rate;

	if (sv_is(l->currency, r->f->currency))
		return true;
	if (!rate_of_line(r, l, &rate))
		return false;
	for (int b = 0; b < BASIS_N; b++)
		if (l->has_cost[b])
			l->cost[b] = dec_muldiv(l->cost[b], (int64_t)rate, DEC_ONE);
	l->currency = sv_of(r->f->currency);
	return true;
}

static int see_line(void *ctx, const struct bill_line *charged, struct sv scope, struct err *err)
{
	struct reader *r = ctx;
	struct bill_seen *b = r->b;
	struct bill_line line = *charged, *l = &line;
	bool told = convert_line(r, l);
	enum basis basis = BASIS_BILLED;
	dec cost = 0;

	if (l->has_cost[BASIS_EFFECTIVE])
		basis = BASIS_EFFECTIVE;
	if (l->has_cost[basis])
		cost = l->cost[basis];
	(void)err;
	if (!told) {
		size_t n = r->left_out.n;
		b->other_rows++;
		if (intern_add(&r->left_out, l->currency) == n)
			*vec_push(&b->other) = fleet_text(r->f, l->currency);
		return 0;
	}
	if (l->has_cost[BASIS_BILLED])
		b->billed += l->cost[BASIS_BILLED];
	if (basis == BASIS_BILLED && !cost) {
		b->no_cost++;
		b->no_cost_gpu += l->kind == KIND_GPU;
	}
	dec whole = cost;
	/* of a row for all of a billing period what falls into the window, as the ledger has it */
	if (l->to_ms - l->from_ms <= LONG_MS)
		cost = part_in(l, cost, r->f->bill_since_ms, r->f->until_ms);
	add_cost(&b->all, cost);
	add_cost(&b->kind[l->kind], cost);
	if (l->kind == KIND_GPU)
		add_cost(&b->gpu, cost);
	bool ran = is_usage(l) && !sv_is(l->commitment_status, "Unused") && !l->charge_class.n;

	if (ran)
		widen_span(r->f, &b->from_ms, &b->to_ms, l);

	struct owner_evidence ev = owner_evidence_of_bill(l);
	bool team = owner_resolve(r->owners, &ev)->field[OWNER_TEAM].n > 0;
	uint32_t i = intern_add(&r->tags, l->tags);

	if (!team)
		add_cost(&r->b->no_team, cost);
	if (i == r->tag.n) {
		*vec_push(&r->tag) = (struct tags){ 0 };
		read_pool(r, l->tags, &r->tag.v[i]);
	}
	see_pool(r, l, scope, i);
	add_cost(&r->tag.v[i].all, cost);
	if (!team)
		add_cost(&r->tag.v[i].nobody, cost);

	struct bill_seen *seen = r->b;
	int64_t start = tm_month_start(l->from_ms, 0);
	struct sv month = { (const char *)&start, sizeof start };
	uint32_t m = intern_add(&r->month, month), s = intern_add(&r->service, l->service_name);
	uint32_t both[2] = { s, m };
	uint32_t c = intern_add(&r->cell, (struct sv){ (const char *)both, sizeof both });

	if (m == seen->month.n)
		*vec_push(&seen->month) =
			(struct bill_month){ start, UNKNOWN_MS, UNKNOWN_MS, { 0 } };
	if (s == seen->service.n)
		*vec_push(&seen->service) =
			(struct bill_service){ .name = fleet_text(r->f, l->service_name) };
	if (c == seen->cell.n)
		*vec_push(&seen->cell) = (struct bill_cell){ s, m, 0 };
	add_cost(&seen->month.v[m].all, cost);
	if (ran)
		widen_span(r->f, &seen->month.v[m].from_ms, &seen->month.v[m].to_ms, l);
	add_cost(&seen->service.v[s].all, cost);
	seen->cell.v[c].cost += cost;
	see_machine(r, l, whole, charged->cost[basis], charged->currency);
	see_commitment(r, l, cost);
	capacity_see(r->capacity, l, scope, cost, on_ms(l));
	see_storage(r, l, whole);
	return 0;
}

/* ---- all of it --------------------------------------------------------------------------- */

int bill_seen_load(struct store *s, const struct conf *c, struct span window, struct fleet *f,
		   struct bill_seen **ret, struct err *err)
{
	struct bill_seen *b = arena_zalloc(&f->mem, sizeof *b);
	struct reader r = { .f = f,
			    .b = b,
			    .owners = owner_resolver_new(c),
			    .capacity = capacity_reader_new(f, b) };
	int e;

	b->from_ms = b->to_ms = UNKNOWN_MS;
	b->team_key = keys_of(f, c, OWNER_TEAM, &b->nteam_key);
	b->project_key = keys_of(f, c, OWNER_PROJECT, &b->nproject_key);
	b->hour0_ms = tm_floor(f->bill_since_ms, MS_HOUR);
	b->nhour = (size_t)((f->until_ms - b->hour0_ms + MS_HOUR - 1) / MS_HOUR);
	b->quarter_ms = (f->until_ms - f->bill_since_ms) / 4;
	r.early_ms = f->bill_since_ms + b->quarter_ms;
	r.late_ms = f->until_ms - b->quarter_ms;
	e = store_bill_lines(s, window.from_ms, window.to_ms, see_line, &r, err);
	if (e >= 0)
		count_keys(&r);
	if (e >= 0)
		tell_pools(&r);
	capacity_tell(r.capacity);
	owner_resolver_free(r.owners);
	intern_free(&r.service);
	intern_free(&r.month);
	intern_free(&r.cell);
	intern_free(&r.tags);
	intern_free(&r.pooled);
	vec_free(&r.pool_of);
	intern_free(&r.family);
	intern_free(&r.commitment);
	intern_free(&r.storage);
	intern_free(&r.machine_time);
	intern_free(&r.rate_day);
	intern_free(&r.left_out);
	vec_free(&r.rate);
	vec_free(&r.counted);
	vec_free(&r.tag);
	if (e < 0 || !b->all.rows) {
		bill_seen_free(b);
		b = NULL;
	}
	*ret = b;
	if (e < 0)
		return e;
	return 0;
}

const char *bill_commitment_name(const struct bill_commitment *c)
{
	const char *at = strrchr(c->id, '/');

	if (at && at[1])
		return at + 1;
	return c->id;
}

void bill_seen_free(struct bill_seen *b)
{
	if (!b)
		return;
	vec_free(&b->other);
	vec_free(&b->month);
	vec_free(&b->service);
	vec_free(&b->cell);
	vec_free(&b->tag);
	vec_free(&b->family);
	vec_free(&b->commitment);
	vec_free(&b->capacity);
	vec_free(&b->storage);
}

dec bill_month_of(const struct bill_seen *b, dec v, double month_hours)
{
	int64_t span = 0;

	if (b->from_ms != UNKNOWN_MS)
		span = b->to_ms - b->from_ms;
	if (span > 0)
		return dec_muldiv(v, llround(month_hours * (double)MS_HOUR), span);
	return v;
}
