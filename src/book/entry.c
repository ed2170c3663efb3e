/* From attributed entries to rows of the ledger, and what their rounding left. */
#include <assert.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tm.h"
#include "book/post/post.h"

static int by_priced(const void *a, const void *b)
{
	const struct priced_by *x = a, *y = b;

	if (x->priced != y->priced)
		return cmp_int(x->priced, y->priced);
	return charge_cmp(&x->charge, &y->charge);
}

static struct priced_by priced_by_of(const struct post *p, const struct paid_interval *q)
{
	struct billed_as node = { .instance_type = p->paid.instance_type };

	return (struct priced_by){ q->priced, charge_or(&q->charge, &node) };
}

/* Sorted, so that the order of entries within an hour, which decides ties in rounding, hangs on
 * what they are alone. */
void entry_number_charges(struct post *p)
{
	size_t n = 0;

	vec_clear(&p->priced_by);
	for (size_t i = 0; i < p->paid.interval.n; i++) {
		struct priced_by now = priced_by_of(p, &p->paid.interval.v[i]);
		if (!i || by_priced(&now, &p->priced_by.v[p->priced_by.n - 1]))
			*vec_push(&p->priced_by) = now;
	}
	for (int i = 0; i < PRICED_N; i++)
		*vec_push(&p->priced_by) = (struct priced_by){ .priced = (enum priced)i };
	sort_items(p->priced_by.v, p->priced_by.n, sizeof *p->priced_by.v, by_priced);
	for (size_t i = 0; i < p->priced_by.n; i++)
		if (!n || by_priced(&p->priced_by.v[n - 1], &p->priced_by.v[i]))
			p->priced_by.v[n++] = p->priced_by.v[i];
	p->priced_by.n = n;
	rider_start(p);
}

static int number_of(const struct post *p, const struct priced_by *k)
{
	const struct priced_by *at = find_sorted(k, p->priced_by.v, p->priced_by.n, sizeof *k,
						 by_priced);

	assert(at);
	return (int)(at - p->priced_by.v);
}

int entry_tag(const struct post *p, const struct paid_interval *q)
{
	struct priced_by k = priced_by_of(p, q);

	return number_of(p, &k);
}

int entry_bare_tag(const struct post *p, enum priced priced)
{
	struct priced_by k = { .priced = priced };

	return number_of(p, &k);
}

/* Entries and remainders of the days beside them were computed with them and stand already. */
bool entry_is_written(const struct post *p, int64_t at_ms)
{
	return at_ms >= p->written.from_ms && at_ms < p->written.to_ms;
}

struct entry entry_of(const struct post *p, enum kind kind, const struct attrib_entry *a)
{
	struct entry e = {
		.hour_ms = a->hour_ms,
		.kind = kind,
		.gpu = SV(""),
		.scope = sv_of(p->key),
		.node = p->paid.node,
		.cluster = p->paid.cluster,
		.provider = p->paid.provider,
		.region = p->paid.region,
		.zone = p->paid.zone,
		.gpu_model = p->paid.gpu_model,
		.purchase = a->purchase,
		.currency = a->currency,
		.charge = p->priced_by.v[a->tag].charge,
		.util_ms = UNKNOWN_I64,
	};

	int64_t until;
	if (p->posted)
		e.gpu = gpu_names_key(&p->names, (size_t)(p->posted - p->gpus.v), a->hour_ms,
				      &until);
	return e;
}

static int add_owned(struct post *p, struct entry *e, size_t owner, struct err *err)
{
	if (owner != ATTRIB_NOBODY) {
		e->owner = *p->owner.v[owner];
		e->service = p->served.v[owner];
	}
	return store_add_entry(p->book->store, e, err);
}

/* By what each share charges in a basis; false: not to be told by that. */
static bool weigh_shares(const struct paid_share *s, enum basis basis, __int128 *ret)
{
	const __int128 most = INT64_MAX;
	__int128 sum = 0;
	size_t n = 0;

	for (; s; s = s->next) {
		if (s->nano[basis] < 0)
			return false;
		sum += ret[n++] = s->nano[basis];
	}
	for (; sum > most; sum /= 2)
		for (size_t i = 0; i < n; i++)
			ret[i] /= 2;
	return sum > 0;
}

/* Each share has of the time what it has of the cost, and of each basis what it charges in it. */
static int add_shares(struct post *p, const struct entry *e, const struct paid_share *share,
		      struct err *err)
{
	static const enum basis by[] = { BASIS_EFFECTIVE, BASIS_BILLED, BASIS_LIST };
	size_t n = 0, k = 0;
	int rc = 0;

	for (const struct paid_share *s = share; s; s = s->next)
		n++;
	__int128 *time = xcalloc(n, sizeof *time), *weight = xcalloc(n, sizeof *weight);
	int64_t *part = xcalloc(n, sizeof *part);
	struct entry *out = xcalloc(n, sizeof *out);

	bool told = false;
	for (size_t i = 0; i < sizeof by / sizeof *by && !told; i++)
		told = weigh_shares(share, by[i], time);
	for (size_t i = 0; i < n; i++) {
		out[i] = *e;
		if (!told)
			time[i] = 1;
	}
	split_largest_remainder(e->ms, n, time, part);
	for (size_t i = 0; i < n; i++)
		out[i].ms = part[i];
	if (e->util_ms != UNKNOWN_I64)
		split_largest_remainder(e->util_ms, n, time, part);
	for (size_t i = 0; i < n && e->util_ms != UNKNOWN_I64; i++)
		out[i].util_ms = part[i];
	for (int b = 0; b < BASIS_N; b++) {
		if (e->nano[b] == UNKNOWN_NANO)
			continue;
		bool own = weigh_shares(share, (enum basis)b, weight);
		split_largest_remainder(e->nano[b], n, own ? weight : time, part);
		for (size_t i = 0; i < n; i++)
			out[i].nano[b] = part[i];
	}
	for (const struct paid_share *s = share; s && !rc; s = s->next, k++) {
		bool empty = !out[k].ms;
		for (int b = 0; b < BASIS_N; b++)
			empty &= !out[k].nano[b] || out[k].nano[b] == UNKNOWN_NANO;
		if (!empty)
			rc = add_owned(p, &out[k], s->owner, err);
	}
	free(time);
	free(weight);
	free(part);
	free(out);
	return rc;
}

int entry_add(struct post *p, struct entry *e, size_t owner, struct err *err)
{
	if (owner != ATTRIB_NOBODY && p->shares.v[owner])
		return add_shares(p, e, p->shares.v[owner], err);
	return add_owned(p, e, owner, err);
}

int entry_emit(void *ctx, const struct attrib_entry *a, struct err *err)
{
	struct post *p = ctx;

	if (!entry_is_written(p, a->hour_ms))
		return 0;
	struct entry e = entry_of(p, KIND_GPU, a);
	e.state = a->state;
	if (a->state == STATE_UNDERUSED && a->cause == CAUSE_UNKNOWN)
		e.cause = cause_of_hour(&p->causes, a->hour_ms, a->owner);
	else
		e.cause = a->cause;
	e.quality = a->quality;
	e.ms = a->ms;
	e.util_ms = a->util_ms;
	e.priced = p->priced_by.v[a->tag].priced;
	memcpy(e.nano, a->nano, sizeof e.nano);
	/* of the time at which it is owned, not of a rental before */
	if (p->metered && sv_is(a->purchase, "owned"))
		energy_held(&p->energy, a);
	int rc = rider_emit(p, a, &e, err);
	return rc ? rc : entry_add(p, &e, a->owner, err);
}

/* The energy that an owner used in an hour, beside the GPU time of the same GPU. */
int entry_energy(void *ctx, const struct attrib_entry *a, int64_t nano, struct err *err)
{
	struct post *p = ctx;
	struct entry e = entry_of(p, KIND_ENERGY, a);

	e.quality = QUALITY_MEASURED;
	e.priced = PRICED_RECORD;
	for (int b = 0; b < BASIS_N; b++)
		e.nano[b] = nano;
	return entry_add(p, &e, a->owner, err);
}

/* Money of the node's bill that no time carries: whoever answers for what nobody holds has it. */
int entry_extra(struct post *p, const struct paid_extra *x, struct err *err)
{
	struct attrib_entry a = { .hour_ms = x->hour_ms,
				  .owner = hold_unheld_owner(p, &x->payer, x->tags),
				  .purchase = x->purchase,
				  .currency = sv_or(x->currency,
						    sv_of(p->book->opt.conf->currency)) };
	if (!entry_is_written(p, x->hour_ms))
		return 0;
	struct entry e = entry_of(p, x->kind, &a);
	e.state = x->kind == KIND_GPU ? STATE_UNKNOWN : STATE_NONE;
	e.quality = QUALITY_MEASURED;
	e.priced = PRICED_BILL;
	e.charge = x->charge;
	memcpy(e.nano, x->nano, sizeof e.nano);
	return entry_add(p, &e, a.owner, err);
}

static struct remainder *rest_of(struct post *p, int64_t hour_ms, enum basis b)
{
	int64_t day = tm_floor(hour_ms, MS_DAY);

	for (size_t i = p->rest.n; i-- > 0 && p->rest.n - i < 9;)
		if (p->rest.v[i].from_ms == day && p->rest.v[i].basis == b)
			return &p->rest.v[i];
	struct remainder *r = vec_push(&p->rest);
	*r = (struct remainder){
		.scope = p->key, .basis = b, .from_ms = day, .to_ms = day + MS_DAY
	};
	return r;
}

static void rest_hour(void *ctx, int64_t hour_ms, const __int128 pico_ms[BASIS_N],
		      const int64_t rated_nano[BASIS_N])
{
	for (int b = 0; b < BASIS_N; b++) {
		if (!pico_ms[b] && !rated_nano[b])
			continue;
		struct remainder *r = rest_of(ctx, hour_ms, (enum basis)b);
		r->pico_ms += pico_ms[b];
		r->rated += nano_to_dec(rated_nano[b]);
	}
}

void entry_rest_energy(void *ctx, int64_t hour_ms, int64_t nano, dec rest)
{
	for (int b = 0; b < BASIS_N && (nano || rest); b++) {
		struct remainder *r = rest_of(ctx, hour_ms, (enum basis)b);
		r->pico_ms += rest * MS_HOUR;
		r->rated += nano_to_dec(nano);
	}
}

static int add_paid(struct post *p, const struct paid_span *s, struct err *err)
{
	if (s->from_ms < s->to_ms && s->gpus_milli && entry_is_written(p, s->from_ms))
		return store_add_paid(p->book->store, s, err);
	return 0;
}

/* intervals that follow each other without a change are one, cut at the ends of days. */
int entry_paid(struct post *p, long gpu, const struct attrib_paid *paid, size_t n, struct err *err)
{
	struct paid_span s = { .scope = p->key, .gpu = SV("") };
	struct sv key = SV("");
	int64_t until = INT64_MAX;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		for (int64_t t = paid[i].from_ms; t < paid[i].to_ms && !rc;) {
			if (gpu >= 0)
				key = gpu_names_key(&p->names, (size_t)gpu, tm_floor(t, MS_HOUR),
						    &until);
			int64_t day = tm_floor(t, MS_DAY) + MS_DAY,
				end = min_i64(paid[i].to_ms, min_i64(day, until));
			bool same = s.gpus_milli == paid[i].gpus_milli && s.to_ms == t &&
				    sv_eq(s.gpu, key);
			if (!same || t % MS_DAY == 0) {
				rc = add_paid(p, &s, err);
				s.from_ms = t;
				s.gpu = key;
				s.gpus_milli = paid[i].gpus_milli;
			}
			s.to_ms = t = end;
		}
	if (rc)
		return rc;
	return add_paid(p, &s, err);
}

int entry_remainder(struct post *p, const struct remainder *r, struct err *err)
{
	if (entry_is_written(p, r->from_ms))
		return store_add_remainder(p->book->store, r, err);
	return 0;
}

/* Write the remainders of the calls since the last flush: they share a currency. */
int entry_flush(struct post *p, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < p->rest.n && !rc; i++) {
		p->rest.v[i].currency = arena_sv(
			&p->mem, sv_or(p->rest_currency, sv_of(p->book->opt.conf->currency)));
		rc = entry_remainder(p, &p->rest.v[i], err);
	}
	vec_clear(&p->rest);
	return rc;
}

void entry_start(struct post *p, struct attrib_rest *r, struct sv currency)
{
	*r = (struct attrib_rest){ .hour = rest_hour,
				   .hour_ctx = p,
				   .counted_from_ms = p->written.from_ms,
				   .counted_to_ms = p->written.to_ms };
	p->rest_currency = currency;
}
