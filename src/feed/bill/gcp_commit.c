/* See gcp_commit.h. */
#include "feed/bill/gcp_commit.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"

static const size_t texts[] = {
#define T(m) offsetof(struct bill_line, m)
	T(provider),
	T(account),
	T(sub_account),
	T(sub_account_name),
	T(invoice),
	T(currency),
	T(charge_category),
	T(charge_description),
	T(pricing_category),
	T(service_name),
	T(sku_id),
	T(usage_type),
	T(instance_type),
	T(region),
	T(zone),
	T(resource_id),
	T(resource_name),
	T(commitment_type),
	T(tags),
	T(unit),
#undef T
};

static struct bill_line keep_line(struct arena *mem, const struct bill_line *b)
{
	struct bill_line l = *b;

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct sv *v = (struct sv *)((char *)&l + texts[i]);
		if (v->p)
			v->p = arena_sv(mem, *v);
	}
	return l;
}

/* "Nvidia Tesla A100 GPU", "A2 Cpu", "Ram": what a SKU of usage or of a commitment counts. */
static void resource_of(struct sv sku, struct str *ret)
{
	static const struct {
		struct sv usage, commitment;
	} same[] = { { { " Instance Core", 14 }, { " Cpu", 4 } },
		     { { " Instance Ram", 13 }, { " Ram", 4 } } };
	static const struct sv general[] = { { "N1 Predefined", 13 }, { "Commitment v1: ", 15 } };
	static const struct sv ends[] = { { " running in ", 12 }, { " in ", 4 }, { " for ", 5 } };

	for (size_t i = 0; i < 2; i++)
		if (sv_starts(sku, general[i]))
			sku = sv_from(sku, general[i].n);
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k + ends[i].n <= sku.n; k++)
			if (sv_ieq((struct sv){ sku.p + k, ends[i].n }, ends[i]))
				sku.n = k;
	for (size_t i = 0; i < 2; i++)
		if (sv_ends(sku, same[i].usage)) {
			sku.n -= same[i].usage.n;
			str_addf(ret, "%.*s%.*s", SVF(sku), SVF(same[i].commitment));
			return;
		}
	if (sv_is(sku, "Cpu") || sv_is(sku, "Ram"))
		str_addc(ret, ' ');
	str_addsv(ret, sku);
}

static uint32_t key_of(struct gcp_commit *c, const struct bill_line *b)
{
	struct str s = { 0 };

	resource_of(b->usage_type, &s);
	str_addf(&s, "\x1f%.*s\x1f%.*s\x1f%.*s\x1f%.*s", SVF(b->region), SVF(b->account),
		 SVF(b->unit), SVF(b->currency));
	uint32_t id = intern_add(&c->keys, str_sv(&s));
	str_free(&s);
	return id;
}

void gcp_commit_fee(struct gcp_commit *c, const struct bill_line *b)
{
	*vec_push(&c->fee) = (struct gcp_fee){ .key = key_of(c, b),
					       .day_ms = tm_floor(b->from_ms, MS_DAY),
					       .quantity = b->has_quantity ? b->quantity : 0,
					       .line = keep_line(&c->mem, b) };
}

void gcp_commit_covered(struct gcp_commit *c, const struct bill_line *b, dec credit)
{
	bool counts = b->has_quantity && b->quantity > 0 && b->contracted > 0 && credit < 0;

	if (!counts || !dec_fits_nano(b->quantity) || !dec_fits_nano(b->contracted))
		return;
	if (!dec_to_nano(b->contracted))
		return;
	dec part = -credit < b->contracted ? -credit : b->contracted,
	    quantity = dec_muldiv(b->quantity, dec_to_nano(part), dec_to_nano(b->contracted));
	struct str s = { 0 };
	int64_t day = tm_floor(b->from_ms, MS_DAY);
	uint32_t key = key_of(c, b);

	str_addf(&s, "%u\x1f%lld\x1f%.*s\x1f%.*s\x1f%.*s\x1f%.*s\x1f%.*s", key, (long long)day,
		 SVF(b->resource_id), SVF(b->sub_account), SVF(b->instance_type), SVF(b->zone),
		 SVF(b->tags));
	uint32_t who = intern_add(&c->who, str_sv(&s));
	str_free(&s);
	if (who == c->covered.n)
		*vec_push(&c->covered) = (struct gcp_covered){
			.key = key, .who = who, .day_ms = day, .line = keep_line(&c->mem, b)
		};
	struct gcp_covered *x = &c->covered.v[who];
	x->quantity += quantity;
	x->line.from_ms = min_i64(b->from_ms, x->line.from_ms);
	x->line.to_ms = max_i64(b->to_ms, x->line.to_ms);
}

static int by_fee(const void *a, const void *b)
{
	const struct gcp_fee *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->day_ms != y->day_ms)
		return cmp_i64(x->day_ms, y->day_ms);
	return cmp_i64(x->line.from_ms, y->line.from_ms);
}

static int by_covered(const void *a, const void *b)
{
	const struct gcp_covered *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->day_ms != y->day_ms)
		return cmp_i64(x->day_ms, y->day_ms);
	return x->who < y->who ? -1 : x->who > y->who;
}

/* A line of an effective amount alone, beside that of the usage or of the fee. */
static int give_part(struct bill_rows *w, const struct bill_line *of, bool used, dec amount,
		     struct err *err)
{
	struct bill_evidence e = { .is_fee = !used };
	struct bill_line b = *of;

	b.charge_category = used ? SV("Adjustment") : SV("Usage");
	b.pricing_category = SV("Committed");
	b.commitment_status = used ? SV("Used") : SV("Unused");
	b.has_quantity = b.has_contracted = false;
	b.cost[BASIS_BILLED] = b.contracted = b.cost[BASIS_LIST] = 0;
	b.has_cost[BASIS_BILLED] = b.has_cost[BASIS_EFFECTIVE] = true;
	b.cost[BASIS_EFFECTIVE] = amount;
	if (amount == 0)
		return 0;
	return bill_give(w, &b, &e, err);
}

/* One day's fees for one resource, over what they covered: [n] of each. */
static int spread_day(struct bill_rows *w, struct gcp_fee *fee, size_t nfee,
		      const struct gcp_covered *covered, size_t ncovered, struct err *err)
{
	dec paid = 0, committed = 0, used = 0, given = 0, so_far = 0;
	int64_t from = fee->line.from_ms, to = fee->line.to_ms;
	int rc = 0;

	for (size_t i = 0; i < nfee; i++) {
		committed += fee[i].quantity;
		paid += fee[i].line.cost[BASIS_BILLED];
		to = max_i64(fee[i].line.to_ms, to);
	}
	for (size_t i = 0; i < ncovered; i++)
		used += covered[i].quantity;
	dec of = committed > used ? committed : used;
	if (committed <= 0 || !dec_fits_nano(of) || !dec_fits_nano(paid))
		return 0;
	if (!dec_to_nano(of))
		return 0;
	for (size_t i = 0; i < ncovered && !rc; i++) {
		so_far += covered[i].quantity;
		dec upto = dec_muldiv(paid, dec_to_nano(so_far), dec_to_nano(of));
		rc = give_part(w, &covered[i].line, true, upto - given, err);
		given = upto;
	}
	struct bill_line rest = fee->line;
	rest.from_ms = from;
	rest.to_ms = to;
	if (!rc)
		rc = give_part(w, &rest, false, paid - given, err);
	for (size_t i = 0; i < nfee; i++)
		fee[i].line.cost[BASIS_EFFECTIVE] = 0;
	return rc;
}

int gcp_commit_give(struct gcp_commit *c, struct bill_rows *w, struct err *err)
{
	const struct bill_evidence e = { .is_fee = true };
	const struct gcp_covered *covered = c->covered.v;
	int64_t kept = 0;
	int rc = 0;

	sort_items(c->fee.v, c->fee.n, sizeof *c->fee.v, by_fee);
	sort_items(c->covered.v, c->covered.n, sizeof *c->covered.v, by_covered);
	for (size_t i = 0, n, at = 0; i < c->fee.n && !rc; i += n) {
		struct gcp_fee *f = &c->fee.v[i];
		size_t m = 0;
		for (n = 1; i + n < c->fee.n && f[n].key == f->key && f[n].day_ms == f->day_ms;)
			n++;
		while (at < c->covered.n && covered[at].key < f->key)
			at++;
		bool known = at < c->covered.n && covered[at].key == f->key;
		size_t first = at;
		while (first < c->covered.n && covered[first].key == f->key &&
		       covered[first].day_ms < f->day_ms)
			first++;
		while (first + m < c->covered.n && covered[first + m].key == f->key &&
		       covered[first + m].day_ms == f->day_ms)
			m++;
		if (known)
			rc = spread_day(w, f, n, &covered[first], m, err);
		else
			kept += (int64_t)n;
	}
	for (size_t i = 0; i < c->fee.n && !rc; i++)
		rc = bill_give(w, &c->fee.v[i].line, &e, err);
	if (kept)
		feed_note(
			w->r->report,
			"fees of commitments whose use the file does not tell, kept as they are billed: %lld",
			(long long)kept);
	return rc;
}

void gcp_commit_free(struct gcp_commit *c)
{
	vec_free(&c->fee);
	vec_free(&c->covered);
	intern_free(&c->keys);
	intern_free(&c->who);
	arena_free(&c->mem);
}
