/* See gcp_commit.h. */
#include "feed/bill/gcp_commit.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"

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
					       .line = bill_line_copy(&c->mem, b) };
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
			.key = key, .who = who, .day_ms = day, .line = bill_line_copy(&c->mem, b)
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
	int d = sv_cmp(x->line.sub_account, y->line.sub_account);
	if (!d)
		d = sv_cmp(x->line.tags, y->line.tags);
	if (d)
		return d;
	return cmp_i64(x->line.from_ms, y->line.from_ms);
}

static int by_covered(const void *a, const void *b)
{
	const struct gcp_covered *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	if (x->day_ms != y->day_ms)
		return cmp_i64(x->day_ms, y->day_ms);
	int d = sv_cmp(x->line.sub_account, y->line.sub_account);
	if (d)
		return d;
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
	b.rows = 0;
	b.cost[BASIS_BILLED] = b.contracted = b.cost[BASIS_LIST] = 0;
	b.has_cost[BASIS_BILLED] = b.has_cost[BASIS_EFFECTIVE] = true;
	b.cost[BASIS_EFFECTIVE] = amount;
	if (amount == 0)
		return 0;
	return bill_give(w, &b, &e, err);
}

/* One day and resource: what a project pays for, and what it uses. */
struct project {
	struct gcp_fee *fee;
	size_t nfee;
	struct gcp_covered *covered;
	size_t ncovered;
	dec paid, committed, used, left; /* left: of what is paid, by its own use */
};
typedef VEC(struct project) projects;

static dec share_of(dec total, dec part, dec whole)
{
	return dec_muldiv(total, dec_to_nano(part), dec_to_nano(whole));
}

static void list_projects(struct gcp_fee *fee, size_t nfee, struct gcp_covered *covered,
			  size_t ncovered, projects *ret)
{
	while (nfee || ncovered) {
		struct project *p = vec_push(ret);
		*p = (struct project){ .fee = fee, .covered = covered };
		struct sv name = ncovered ? covered->line.sub_account : fee->line.sub_account;
		if (nfee && sv_cmp(fee->line.sub_account, name) < 0)
			name = fee->line.sub_account;
		for (; nfee && sv_eq(fee->line.sub_account, name); fee++, nfee--) {
			p->nfee++;
			p->paid += fee->line.cost[BASIS_BILLED];
			p->committed += fee->quantity;
		}
		for (; ncovered && sv_eq(covered->line.sub_account, name); covered++, ncovered--) {
			p->ncovered++;
			p->used += covered->quantity;
		}
	}
}

static void cover_own(struct project *p)
{
	dec whole = max_dec(p->committed, p->used), so_far = 0, given = 0;

	for (size_t i = 0; i < p->ncovered && dec_to_nano(whole); i++) {
		so_far += p->covered[i].quantity;
		dec upto = share_of(p->paid, so_far, whole);
		p->covered[i].amount = upto - given;
		given = upto;
	}
	p->left = p->paid - given;
}

/* What projects use above their own commitments has what others leave, each of these alike. Returns
 * how much of it. */
static dec cover_shared(projects *all, dec left)
{
	dec room = 0, over = 0, shared = left, given = 0, before = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct project *p = &all->v[i];
		dec more = p->used - max_dec(p->committed, 0);
		if (more > 0)
			over += more;
		else
			room -= more;
	}
	if (!dec_to_nano(over))
		return 0;
	if (over < room)
		shared = share_of(left, over, room);
	for (size_t i = 0; i < all->n; i++) {
		struct project *p = &all->v[i];
		dec more = p->used - max_dec(p->committed, 0), so_far = 0;
		for (size_t k = 0; k < p->ncovered && more > 0; k++) {
			so_far += p->covered[k].quantity;
			dec upto = share_of(shared, before + share_of(more, so_far, p->used), over);
			p->covered[k].amount += upto - given;
			given = upto;
		}
		if (more > 0)
			before += more;
	}
	return shared;
}

/* A project's fees of one set of tags, and their part of what nobody used. */
struct unused {
	struct bill_line line;
	dec weight;
};
typedef VEC(struct unused) unused_parts;

static void list_unused(const struct project *p, unused_parts *ret)
{
	size_t first = ret->n;
	dec paid = 0;

	for (size_t k = 0; k < p->nfee; k++) {
		const struct bill_line *f = &p->fee[k].line;
		struct unused *u = NULL;
		if (k)
			u = &ret->v[ret->n - 1];
		if (u && sv_eq(f->tags, u->line.tags)) {
			u->line.from_ms = min_i64(f->from_ms, u->line.from_ms);
			u->line.to_ms = max_i64(f->to_ms, u->line.to_ms);
		} else {
			u = vec_push(ret);
			*u = (struct unused){ .line = *f };
		}
		if (f->cost[BASIS_BILLED] > 0) {
			u->weight += f->cost[BASIS_BILLED];
			paid += f->cost[BASIS_BILLED];
		}
	}
	for (size_t k = first; k < ret->n; k++) {
		if (p->left > 0 && dec_fits_nano(paid) && dec_to_nano(paid))
			ret->v[k].weight = share_of(p->left, ret->v[k].weight, paid);
		else
			ret->v[k].weight = 0;
	}
}

/* It is of those whose commitments it is, by what their own use leaves. */
static int give_unused(struct bill_rows *w, const projects *all, dec amount, struct err *err)
{
	unused_parts part = { 0 };
	dec sum = 0, so_far = 0, given = 0;
	int rc = 0;

	for (size_t i = 0; i < all->n; i++)
		list_unused(&all->v[i], &part);
	for (size_t i = 0; i < part.n; i++)
		sum += part.v[i].weight;
	bool told = dec_fits_nano(sum) && dec_to_nano(sum);
	for (size_t i = 0; i < part.n && !rc; i++) {
		dec upto = amount;
		so_far += part.v[i].weight;
		if (told)
			upto = share_of(amount, so_far, sum);
		rc = give_part(w, &part.v[i].line, false, upto - given, err);
		given = upto;
	}
	vec_free(&part);
	return rc;
}

/* One day's fees for one resource, over what they covered: [n] of each. */
static int spread_day(struct bill_rows *w, struct gcp_fee *fee, size_t nfee,
		      struct gcp_covered *covered, size_t ncovered, struct err *err)
{
	dec paid = 0, committed = 0, used = 0, left = 0;
	projects all = { 0 };
	int rc = 0;

	list_projects(fee, nfee, covered, ncovered, &all);
	bool fits = true;
	for (size_t i = 0; i < all.n; i++) {
		paid += max_dec(all.v[i].paid, -all.v[i].paid);
		committed += max_dec(all.v[i].committed, 0);
		used += all.v[i].used;
		fits &= dec_fits_nano(paid) && dec_fits_nano(committed) && dec_fits_nano(used);
	}
	if (!fits || !dec_to_nano(committed)) {
		vec_free(&all);
		return 0;
	}
	for (size_t i = 0; i < all.n; i++) {
		cover_own(&all.v[i]);
		left += all.v[i].left;
	}
	dec shared = cover_shared(&all, left);
	for (size_t i = 0; i < ncovered && !rc; i++)
		rc = give_part(w, &covered[i].line, true, covered[i].amount, err);
	if (!rc)
		rc = give_unused(w, &all, left - shared, err);
	for (size_t i = 0; i < nfee; i++)
		fee[i].line.cost[BASIS_EFFECTIVE] = 0;
	vec_free(&all);
	return rc;
}

int gcp_commit_give(struct gcp_commit *c, struct bill_rows *w, struct err *err)
{
	const struct bill_evidence e = { .is_fee = true };
	struct gcp_covered *covered = c->covered.v;
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
