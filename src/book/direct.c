/*
 * Bill lines that are no GPU time of a known resource (storage, egress, licences, credits,
 * purchases, ...) become entries as they are read: summed by (hour, kind, owner, purchase, place,
 * currency), each sum rounded half-even to nano, what that leaves kept as the day's remainder. The
 * parts of a line over several days add up to the line so rounded.
 *
 * A line stands at the hour its charge period starts; periods longer than a day are spread over
 * their days (a monthly disk or fee), those of GPU time over their hours, except purchases for a
 * term, which stand on the day they were billed. Memory is bounded: when the table is full it is
 * posted and begun again (facts are append-only, so several rows with one key are fine).
 */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include <xxhash.h>

#include "base/tm.h"
#include "book/in.h"
#include "book/replace.h"
#include "feed/bill/bill.h"
#include "ledger/spread.h"

#define DIRECT_MAX (1u << 19) /* sums held at a time: about 120 MB */

struct key {
	int64_t hour_ms;
	const struct owner *owner;
	uint32_t purchase, currency, provider, region, zone, gpu_model;
	uint32_t cloud_service, account, instance_type, commitment;
	uint32_t invoice, billing_account, charge_category, pad0;
	int64_t src;         /* the file: batch and number */
	uint8_t kind, known; /* bit per basis */
	uint8_t unknown;     /* time of a machine of which nobody says whether it has GPUs */
	uint8_t empty;       /* reserved capacity in which no machine was */
	uint8_t pad[4];
};
struct sum {
	struct key key;
	dec cost[BASIS_N];
	int64_t ms;
};
struct rest {
	int64_t src, day_ms;
	uint32_t currency;
	dec amount[BASIS_N];
};

struct direct {
	struct book *book;
	struct intern text;
	struct sum *sum;
	uint32_t *slot; /* number + 1 */
	size_t n, nslot;
	VEC(struct rest) rest;
	size_t last_rest;
	const char *key; /* of the scope of the file key_src, -1 = none yet; in the book's memory */
	int64_t key_src;
};

static void make_table(struct direct *d)
{
	d->nslot = 1u << 12;
	d->slot = xcalloc(d->nslot, sizeof *d->slot);
	d->sum = xmalloc(d->nslot / 2 * sizeof *d->sum);
}

struct direct *direct_new(struct book *b)
{
	struct direct *d = xcalloc(1, sizeof *d);

	d->book = b;
	d->key_src = -1;
	make_table(d);
	return d;
}

void direct_free(struct direct *d)
{
	if (!d)
		return;
	intern_free(&d->text);
	vec_free(&d->rest);
	free(d->sum);
	free(d->slot);
	free(d);
}

static void fill_slots(struct direct *d)
{
	memset(d->slot, 0, d->nslot * sizeof *d->slot);
	for (size_t i = 0; i < d->n; i++) {
		size_t at = XXH3_64bits(&d->sum[i].key, sizeof d->sum[i].key) & (d->nslot - 1);
		while (d->slot[at])
			at = (at + 1) & (d->nslot - 1);
		d->slot[at] = (uint32_t)i + 1;
	}
}

static struct sum *sum_of(struct direct *d, const struct key *k)
{
	size_t at = XXH3_64bits(k, sizeof *k) & (d->nslot - 1);

	for (; d->slot[at]; at = (at + 1) & (d->nslot - 1))
		if (!memcmp(&d->sum[d->slot[at] - 1].key, k, sizeof *k))
			return &d->sum[d->slot[at] - 1];
	if ((d->n + 1) * 2 > d->nslot) {
		d->nslot *= 2;
		free(d->slot);
		d->slot = xmalloc(d->nslot * sizeof *d->slot);
		d->sum = xrealloc(d->sum, d->nslot / 2 * sizeof *d->sum);
		fill_slots(d);
		return sum_of(d, k);
	}
	d->slot[at] = (uint32_t)++d->n;
	struct sum *s = &d->sum[d->n - 1];
	memset(s, 0, sizeof *s);
	s->key = *k;
	return s;
}

/* ---- posting ----------------------------------------------------------------------------- */

static struct rest *rest_of(struct direct *d, const struct key *k)
{
	int64_t day = tm_floor(k->hour_ms, MS_DAY);

	for (size_t tries = 0, i = d->last_rest; tries < d->rest.n;
	     tries++, i = (i + 1) % d->rest.n) {
		struct rest *r = &d->rest.v[i];
		if (r->day_ms == day && r->src == k->src && r->currency == k->currency) {
			d->last_rest = i;
			return r;
		}
	}
	struct rest *r = vec_push(&d->rest);
	*r = (struct rest){ .src = k->src, .currency = k->currency, .day_ms = day };
	d->last_rest = d->rest.n - 1;
	return r;
}

static struct sv text_of(struct direct *d, uint32_t id)
{
	return d->text.text[id];
}

static const char *key_of_file(struct direct *d, int64_t src)
{
	if (d->key_src == src)
		return d->key;
	struct scope s = { .kind = SCOPE_BILL,
			   .batch = src >> STORE_FILE_BITS,
			   .file = (src & (STORE_FILES_MAX - 1)) };

	d->key = scope_key_in(&s, &d->book->mem);
	d->key_src = src;
	return d->key;
}

static int post_sums(struct direct *d, struct err *err)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct sum *s = &d->sum[i];
		const struct key *k = &s->key;
		struct entry e = {
			.hour_ms = k->hour_ms,
			.kind = (enum kind)k->kind,
			.gpu = SV(""),
			.scope = sv_of(key_of_file(d, k->src)),
			.provider = text_of(d, k->provider),
			.region = text_of(d, k->region),
			.zone = text_of(d, k->zone),
			.gpu_model = text_of(d, k->gpu_model),
			.purchase = text_of(d, k->purchase),
			.currency = text_of(d, k->currency),
			.owner = *k->owner,
			.charge = { .cloud_service = text_of(d, k->cloud_service),
				    .account = text_of(d, k->account),
				    .invoice = text_of(d, k->invoice),
				    .billing_account = text_of(d, k->billing_account),
				    .charge_category = text_of(d, k->charge_category),
				    .instance_type = text_of(d, k->instance_type),
				    .commitment = text_of(d, k->commitment) },
			.state = STATE_NONE,
			.cause = CAUSE_NONE,
			.quality = QUALITY_MEASURED,
			.ms = s->ms,
			.util_ms = UNKNOWN_I64,
			.priced = PRICED_BILL,
		};
		struct rest *r = rest_of(d, k);
		if (k->kind == KIND_GPU || k->unknown) {
			e.state = STATE_UNKNOWN;
			e.cause = CAUSE_UNWATCHED;
		}
		if (k->empty) { /* the bill has seen it */
			e.state = STATE_UNALLOCATED;
			e.cause = CAUSE_FREE;
		}
		for (int b = 0; b < BASIS_N; b++) {
			e.nano[b] = UNKNOWN_NANO;
			if (!(k->known & 1 << b))
				continue;
			e.nano[b] = dec_to_nano(s->cost[b]);
			r->amount[b] += s->cost[b] - nano_to_dec(e.nano[b]);
		}
		int rc = store_add_entry(d->book->store, &e, err);
		if (rc < 0)
			return rc;
	}
	d->n = 0;
	memset(d->slot, 0, d->nslot * sizeof *d->slot);
	return 0;
}

int direct_flush(struct direct *d, struct err *err)
{
	int rc = post_sums(d, err);

	for (size_t i = 0; !rc && i < d->rest.n; i++) {
		struct rest *r = &d->rest.v[i];
		const char *scope = key_of_file(d, r->src);
		if (!i || d->rest.v[i - 1].src != r->src)
			check_posted(d->book, scope, INT64_MIN, INT64_MAX);
		for (int j = 0; !rc && j < BASIS_N; j++) {
			struct remainder m = { scope,
					       intern_z(&d->text, r->currency),
					       (enum basis)j,
					       r->day_ms,
					       r->day_ms + MS_DAY,
					       r->amount[j],
					       0 };
			if (m.amount)
				rc = store_add_remainder(d->book->store, &m, err);
		}
	}
	vec_free(&d->rest);
	/* All is said: what is checked next has the memory, of the lines that were read too. */
	free(d->sum);
	free(d->slot);
	make_table(d);
	malloc_trim(0);
	return rc;
}

/* ---- taking lines ------------------------------------------------------------------------ */

/* GPU time of a line that names no resource: quantity in hours x GPUs, else nothing can be said.
 * Fees, credits and the unused part of a commitment speak of hours and are no time of a machine. */
static int64_t line_gpu_ms(const struct bill_line *l, enum kind kind)
{
	if (kind != KIND_GPU || !paid_is_usage(l) || l->gpu_milli <= 0)
		return 0;
	if (!l->has_quantity || l->quantity < 0)
		return 0;
	if (!(sv_ihas(l->unit, SV("hour")) || sv_ihas(l->unit, SV("hrs"))))
		return 0;
	dec ms = dec_muldiv(l->quantity, l->gpu_milli * 3600, 1) / DEC_ONE;
	/* a million GPU-years in a line are a mistake of its unit */
	if (ms < (dec)MS_DAY * 365 * 1000000)
		return (int64_t)ms;
	return 0;
}

static int add_at(struct direct *d, struct key *k, int64_t hour_ms, const dec cost[BASIS_N],
		  int64_t ms, struct err *err)
{
	int rc;

	k->hour_ms = hour_ms;
	if (d->n >= DIRECT_MAX && (rc = post_sums(d, err)) < 0)
		return rc;
	struct sum *s = sum_of(d, k);
	bool fits = true;
	for (int i = 0; i < BASIS_N; i++)
		fits &= dec_fits_nano(s->cost[i] + cost[i]);
	if (!fits) {
		/* more than an entry can hold: what is there becomes one of its own */
		if ((rc = post_sums(d, err)) < 0)
			return rc;
		s = sum_of(d, k);
	}
	for (int i = 0; i < BASIS_N; i++)
		s->cost[i] += cost[i];
	s->ms += ms;
	return 0;
}

/*
 * Over the days or hours (step_ms) of a long charge period: their parts are whole nano units and
 * add up to the line rounded half-even to nano; what that leaves goes to the remainder, as no sum
 * of the day may round it once more.
 */
static int add_steps(struct direct *d, struct key *k, const struct bill_line *l, int64_t step_ms,
		     struct err *err)
{
	int64_t len = l->to_ms - l->from_ms;
	struct spread cost[BASIS_N], ms;
	dec left[BASIS_N] = { 0 }, none;
	/* whole milliseconds are spread as whole nano units are */
	int rc = spread_start(&ms, nano_to_dec(line_gpu_ms(l, (enum kind)k->kind)), len, &none);

	for (int i = 0; i < BASIS_N && !rc; i++)
		rc = spread_start(&cost[i], l->has_cost[i] ? l->cost[i] : 0, len, &left[i]);
	if (rc < 0)
		return err_set(err, rc, "an amount of a bill is too large for the ledger");
	for (int64_t t = l->from_ms, end; t < l->to_ms; t = end) {
		dec part[BASIS_N];
		end = tm_floor(t, step_ms) + step_ms;
		if (end > l->to_ms)
			end = l->to_ms;
		for (int i = 0; i < BASIS_N; i++)
			part[i] = nano_to_dec(spread_next(&cost[i], end - t));
		rc = add_at(d, k, tm_floor(t, MS_HOUR), part, spread_next(&ms, end - t), err);
		if (rc < 0)
			return rc;
	}
	k->hour_ms = tm_floor(l->from_ms, MS_HOUR);
	struct rest *r = rest_of(d, k);
	for (int i = 0; i < BASIS_N; i++)
		r->amount[i] += left[i];
	return 0;
}

int direct_add(struct direct *d, int64_t src, const struct bill_line *l, struct err *err)
{
	struct key k;
	struct billed_as charge = charge_of_line(l);
	struct owner_evidence evidence = owner_evidence_of_bill(l);
	dec cost[BASIS_N];
	enum kind kind = bill_is_credit(l) ? KIND_OTHER : l->kind;

	/* as a store of older rules does not have it */
	if (kind == KIND_GPU && bill_is_fee(l))
		kind = KIND_OTHER;
	if (sv_is(l->commitment_status, "Unused"))
		kind = KIND_COMMITMENT_UNUSED;
	memset(&k, 0, sizeof k);
	k.kind = (uint8_t)kind;
	k.unknown = bill_is_unknown_machine(l);
	k.empty = kind == KIND_GPU && bill_line_is_capacity(l);
	k.src = src;
	k.owner = owner_resolve(d->book->owners, &evidence);
	k.purchase = intern_add(&d->text, l->purchase);
	k.currency = intern_add(&d->text, l->currency);
	k.provider = intern_add(&d->text, l->provider);
	k.region = intern_add(&d->text, l->region);
	k.zone = intern_add(&d->text, l->zone);
	k.gpu_model = intern_add(&d->text, k.kind == KIND_GPU ? l->gpu_model : SV_NULL);
	k.cloud_service = intern_add(&d->text, charge.cloud_service);
	k.account = intern_add(&d->text, charge.account);
	k.instance_type = intern_add(&d->text, charge.instance_type);
	k.commitment = intern_add(&d->text, charge.commitment);
	k.invoice = intern_add(&d->text, charge.invoice);
	k.billing_account = intern_add(&d->text, charge.billing_account);
	k.charge_category = intern_add(&d->text, charge.charge_category);
	for (int i = 0; i < BASIS_N; i++) {
		k.known |= (uint8_t)(l->has_cost[i] << i);
		cost[i] = l->has_cost[i] ? l->cost[i] : 0;
	}
	int64_t ms = line_gpu_ms(l, (enum kind)k.kind), len = l->to_ms - l->from_ms, step = MS_DAY,
		most = BILL_SPREAD_MAX_MS;
	if (ms)
		step = MS_HOUR;
	if (sv_is(l->charge_category, "Purchase"))
		most = BILL_SPREAD_MAX_FEE_MS;
	if (len > step && len < most)
		return add_steps(d, &k, l, step, err);
	return add_at(d, &k, tm_floor(l->from_ms, MS_HOUR), cost, ms, err);
}

/* ---- a file once more -------------------------------------------------------------------- */

struct again {
	struct direct *direct;
	int64_t src;
};

static int add_again(void *ctx, const struct bill_line *l, struct sv scope, struct err *err)
{
	struct again *a = ctx;

	/* a line with a scope is the time of a machine */
	if (scope.n)
		return 0;
	return direct_add(a->direct, a->src, l, err);
}

int direct_redo(struct direct *d, int64_t src, bool none, struct err *err)
{
	struct again a = { d, src };
	struct store *s = d->book->store;
	size_t n = 0, nrest = 0;
	int rc = store_reverse_scope(s, key_of_file(d, src), INT64_MIN, INT64_MAX, err);

	/* what is not posted yet */
	for (size_t i = 0; i < d->n; i++)
		if (d->sum[i].key.src != src)
			d->sum[n++] = d->sum[i];
	d->n = n;
	fill_slots(d);
	for (size_t i = 0; i < d->rest.n; i++)
		if (d->rest.v[i].src != src)
			d->rest.v[nrest++] = d->rest.v[i];
	d->rest.n = nrest;
	d->last_rest = 0;
	if (rc < 0 || none)
		return rc;
	return store_bill_lines_of(s, src, add_again, &a, err);
}
