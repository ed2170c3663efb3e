/*
 * Riders: money of a machine's time that stands on another invoice, account, category or service of
 * the bill than the rest of it or was paid in another way, and credits that name nobody. Each is
 * divided over the entries of its hour by their time, as the hour's cost is, by cumulative
 * rounding: the parts add up to the lines exactly, so that the cost by invoice is what the lines of
 * each invoice add up to. What is left of an entry is the interval's own.
 */
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/tm.h"
#include "book/post/post.h"
#include "ledger/spread.h"

/* ---- of an interval ---------------------------------------------------------------------- */

static int cmp_rider(const struct paid_rider *a, const struct paid_rider *b)
{
	int c = charge_cmp(&a->charge, &b->charge);

	if (a->kind != b->kind)
		return cmp_int(a->kind, b->kind);
	return c ? c : sv_cmp(a->purchase, b->purchase);
}

struct paid_rider *rider_of(struct paid_interval *q, struct arena *mem, const struct paid_rider *at)
{
	struct paid_rider **link = &q->rider;

	while (*link && cmp_rider(*link, at) < 0)
		link = &(*link)->next;
	if (*link && !cmp_rider(*link, at))
		return *link;
	struct paid_rider *r = arena_zalloc(mem, sizeof *r);
	*r = (struct paid_rider){
		.next = *link, .kind = at->kind, .charge = at->charge, .purchase = at->purchase
	};
	return *link = r;
}

static int64_t interval_ms(const struct paid_interval *q)
{
	return (int64_t)((__int128)(q->to_ms - q->from_ms) * q->gpu_milli / 1000);
}

/* Of those that ride with the interval's own, or by purchase and commitment. */
static bool is_with(const struct paid_rider *r, const struct paid_rider *way)
{
	if (r->kind != KIND_GPU)
		return false;
	if (!way)
		return !r->purchase.n;
	return sv_eq(r->purchase, way->purchase) &&
	       sv_eq(r->charge.commitment, way->charge.commitment);
}

/* What use costs in that way, the interval itself in its own; false: not to be told by that
 * basis. */
static bool weigh_usage(const struct paid_interval *q, const struct paid_rider *way, int b,
			__int128 *ret_all)
{
	__int128 own = q->has_amount[b] ? q->amount_nano[b] : 0, all = 0;

	for (const struct paid_rider *r = q->rider; r; r = r->next) {
		if (r->kind == KIND_GPU)
			own -= r->nano[b];
		if (!is_with(r, way) || !r->usage)
			continue;
		if (r->nano[b] < 0)
			return false;
		all += r->nano[b];
	}
	if (!way)
		all += own;
	*ret_all = all;
	return (way || own >= 0) && all > 0;
}

/* GPU-milliseconds of a way: each rider of it has of them what it has of the cost of use. */
static void settle_way(struct paid_interval *q, struct paid_rider *way, int64_t ms)
{
	static const enum basis by[] = { BASIS_EFFECTIVE, BASIS_BILLED, BASIS_LIST };
	__int128 all = 0;
	int basis = -1;

	for (size_t k = 0; k < sizeof by / sizeof *by && basis < 0; k++)
		if (weigh_usage(q, way, (int)by[k], &all))
			basis = (int)by[k];
	if (basis < 0 && way)
		way->ms = ms;
	for (struct paid_rider *r = way ? way : q->rider; r && basis >= 0; r = r->next)
		if (is_with(r, way) && r->usage)
			r->ms = (int64_t)(ms * (__int128)r->nano[basis] / all);
}

static void settle_interval(struct paid_interval *q)
{
	const int64_t all = interval_ms(q);
	int64_t left = all;

	for (struct paid_rider *r = q->rider; r; r = r->next) {
		if (r->kind != KIND_GPU)
			continue;
		r->charge.instance_type = sv_or(r->charge.instance_type, q->charge.instance_type);
		if (!r->purchase.n)
			r->charge.commitment = sv_or(r->charge.commitment, q->charge.commitment);
	}
	for (struct paid_rider *r = q->rider, *first; r; r = r->next) {
		int64_t counted = 0, ms = 0;
		if (r->kind != KIND_GPU || !r->purchase.n)
			continue;
		for (first = q->rider; !is_with(first, r);)
			first = first->next;
		if (first != r)
			continue;
		for (; first; first = first->next)
			if (is_with(first, r))
				counted += first->counted_ms;
		if (q->counted_ms > 0)
			ms = (int64_t)((__int128)all * counted / q->counted_ms);
		settle_way(q, r, ms);
		left -= ms;
	}
	settle_way(q, NULL, left);
}

void rider_settle(struct paid_node *p)
{
	for (size_t i = 0; i < p->interval.n; i++)
		if (p->interval.v[i].rider)
			settle_interval(&p->interval.v[i]);
}

static int64_t amount_upto(int64_t total, int64_t at, int64_t of)
{
	if (at >= of)
		return total;
	return (int64_t)div_half_even((__int128)total * at, of);
}

bool rider_add_piece(struct paid_rider *to, const struct paid_rider *r,
		     const struct paid_interval *of, struct span piece)
{
	int64_t len = of->to_ms - of->from_ms, a = piece.from_ms - of->from_ms,
		b = piece.to_ms - of->from_ms;
	bool fits = true;

	for (int k = 0; k < BASIS_N; k++) {
		int64_t part = amount_upto(r->nano[k], b, len) - amount_upto(r->nano[k], a, len);
		to->has[k] |= r->has[k];
		fits &= !__builtin_add_overflow(to->nano[k], part, &to->nano[k]);
	}
	to->usage |= r->usage;
	to->ms += amount_upto(r->ms, b, len) - amount_upto(r->ms, a, len);
	return fits;
}

/* Time of an interval in the line's period and currency, by its GPUs. */
static int64_t weight_of(const struct paid_interval *q, const struct bill_line *l,
			 struct sv currency)
{
	int64_t from = max_i64(q->from_ms, l->from_ms), to = min_i64(q->to_ms, l->to_ms);

	if (to <= from || !sv_eq(sv_or(l->currency, currency), sv_or(q->currency, currency)))
		return 0;
	return (to - from) * q->gpu_milli;
}

int rider_add_credit(struct paid_node *p, struct arena *mem, struct sv currency,
		     const struct bill_line *l, struct err *err)
{
	size_t first = first_where(i, p->interval.n, p->interval.v[i].to_ms > l->from_ms),
	       end = first_where(i, p->interval.n, p->interval.v[i].from_ms >= l->to_ms);
	struct paid_rider at = { .kind = KIND_OTHER,
				 .purchase = l->purchase,
				 .charge = charge_of_line(l) };
	int64_t total = 0;

	for (size_t i = first; i < end; i++)
		total += weight_of(&p->interval.v[i], l, currency);
	if (!total)
		return 1;
	for (int b = 0; b < BASIS_N; b++) {
		struct spread s;
		dec rest;
		if (!l->has_cost[b])
			continue;
		if (spread_start(&s, l->cost[b], total, &rest) < 0)
			return paid_too_large(l->resource_id, l->from_ms, err);
		for (size_t i = first; i < end; i++) {
			struct paid_interval *q = &p->interval.v[i];
			int64_t weight = weight_of(q, l, currency);
			if (!weight)
				continue;
			struct paid_rider *r = rider_of(q, mem, &at);
			int64_t part = spread_next(&s, weight);
			r->has[b] = true;
			if (__builtin_add_overflow(r->nano[b], part, &r->nano[b]))
				return paid_too_large(l->resource_id, l->from_ms, err);
		}
		paid_add_rest(p, mem, l, (enum basis)b, rest);
	}
	return 0;
}

/* ---- over entries ------------------------------------------------------------------------ */

/* Of an hour, and of the time that one tag says was paid alike. */
static int cmp_where(const struct riding *a, const struct riding *b)
{
	if (a->hour_ms != b->hour_ms)
		return cmp_i64(a->hour_ms, b->hour_ms);
	if (a->tag != b->tag)
		return cmp_int(a->tag, b->tag);
	return sv_cmp(a->currency, b->currency);
}

static int cmp_riding(const void *pa, const void *pb)
{
	const struct riding *a = pa, *b = pb;
	int c = cmp_where(a, b);

	return c ? c : cmp_rider(&a->r, &b->r);
}

static struct riding riding_of(const struct post *p, const struct paid_interval *q)
{
	return (struct riding){ .hour_ms = tm_floor(q->from_ms, MS_HOUR),
				.tag = entry_tag(p, q),
				.currency = sv_or(q->currency,
						  sv_of(p->book->opt.conf->currency)) };
}

/* The riders of one place: [*ret_end) from what it returns. */
static size_t find_place(const struct post *p, const struct riding *at, size_t *ret_end)
{
	size_t i = first_where(k, p->riding.n, cmp_where(&p->riding.v[k], at) >= 0);

	*ret_end = i;
	while (*ret_end < p->riding.n && !cmp_where(&p->riding.v[*ret_end], at))
		++*ret_end;
	return i;
}

void rider_start(struct post *p)
{
	size_t n = 0;

	vec_clear(&p->riding);
	for (size_t i = 0; i < p->paid.interval.n; i++)
		for (const struct paid_rider *r = p->paid.interval.v[i].rider; r; r = r->next) {
			struct riding *x = vec_push(&p->riding);
			*x = riding_of(p, &p->paid.interval.v[i]);
			x->r = *r;
		}
	if (!p->riding.n)
		return;
	sort_items(p->riding.v, p->riding.n, sizeof *p->riding.v, cmp_riding);
	for (size_t i = 0; i < p->riding.n; i++) {
		const struct riding *x = &p->riding.v[i];
		if (!n || cmp_riding(&p->riding.v[n - 1], x)) {
			p->riding.v[n++] = *x;
			continue;
		}
		struct riding *to = &p->riding.v[n - 1];
		to->r.ms += x->r.ms;
		for (int b = 0; b < BASIS_N; b++) {
			to->r.has[b] |= x->r.has[b];
			to->r.nano[b] += x->r.nano[b];
		}
	}
	p->riding.n = n;
	for (size_t i = 0; i < p->paid.interval.n; i++) {
		struct riding at = riding_of(p, &p->paid.interval.v[i]);
		size_t end;
		for (size_t k = find_place(p, &at, &end); k < end; k++)
			p->riding.v[k].total_ms += interval_ms(&p->paid.interval.v[i]);
	}
}

/* What the rider has of an entry, taken off it. */
static int emit_part(struct post *p, struct riding *x, struct entry *e, size_t owner,
		     struct err *err)
{
	struct entry part = *e;
	int64_t ms = amount_upto(x->r.ms, x->seen_ms, x->total_ms) - x->given_ms;

	ms = min_i64(ms, e->ms);
	part.charge = x->r.charge;
	part.purchase = sv_or(x->r.purchase, e->purchase);
	part.ms = ms;
	if (e->util_ms != UNKNOWN_I64 && e->ms)
		part.util_ms = (int64_t)((__int128)e->util_ms * ms / e->ms);
	x->given_ms += ms;
	e->ms -= ms;
	if (e->util_ms != UNKNOWN_I64)
		e->util_ms -= part.util_ms;
	for (int b = 0; b < BASIS_N; b++) {
		if (e->nano[b] == UNKNOWN_NANO)
			continue;
		part.nano[b] = amount_upto(x->r.nano[b], x->seen_ms, x->total_ms) - x->given[b];
		x->given[b] += part.nano[b];
		e->nano[b] -= part.nano[b];
	}
	bool empty = !part.ms;
	for (int b = 0; b < BASIS_N; b++)
		empty &= !part.nano[b] || part.nano[b] == UNKNOWN_NANO;
	return empty ? 0 : entry_add(p, &part, owner, err);
}

/* A credit's part waits for those of the other GPUs and hours of the day. */
static void keep_credit(struct post *p, struct riding *x, size_t owner)
{
	struct credited c = { .riding = (size_t)(x - p->riding.v), .owner = owner };

	for (int b = 0; b < BASIS_N; b++) {
		c.nano[b] = amount_upto(x->r.nano[b], x->seen_ms, x->total_ms) - x->given[b];
		x->given[b] += c.nano[b];
	}
	*vec_push(&p->credited) = c;
}

int rider_emit(struct post *p, const struct attrib_entry *a, struct entry *e, struct err *err)
{
	struct riding at = { .hour_ms = a->hour_ms, .tag = a->tag, .currency = a->currency };
	int rc = 0;
	size_t end;

	for (size_t i = find_place(p, &at, &end); i < end && !rc; i++) {
		struct riding *x = &p->riding.v[i];
		x->seen_ms += a->ms;
		x->last = *a;
		x->any = true;
		if (x->r.kind == KIND_GPU)
			rc = emit_part(p, x, e, a->owner, err);
		else
			keep_credit(p, x, a->owner);
	}
	return rc;
}

/* Credits of one day, owner and line; the first hour last, which it stands at. */
static int cmp_credited(const void *pa, const void *pb, void *ctx)
{
	const struct post *p = ctx;
	const struct credited *a = pa, *b = pb;
	const struct riding *x = &p->riding.v[a->riding], *y = &p->riding.v[b->riding];
	int64_t day = tm_floor(x->hour_ms, MS_DAY), other = tm_floor(y->hour_ms, MS_DAY);
	int c = sv_cmp(x->currency, y->currency);

	if (day != other)
		return cmp_i64(day, other);
	if (a->owner != b->owner)
		return cmp_size(a->owner, b->owner);
	return c ? c : cmp_rider(&x->r, &y->r);
}

static int emit_credit(struct post *p, const struct credited *c, int64_t hour_ms, struct err *err)
{
	const struct riding *x = &p->riding.v[c->riding];
	struct attrib_entry a = { .hour_ms = hour_ms,
				  .purchase = x->r.purchase,
				  .currency = x->currency,
				  .tag = x->tag };
	struct entry e = entry_of(p, x->r.kind, &a);

	e.gpu = SV("");
	e.state = STATE_NONE;
	e.quality = QUALITY_MEASURED;
	e.priced = PRICED_BILL;
	e.charge = x->r.charge;
	for (int b = 0; b < BASIS_N; b++)
		e.nano[b] = x->r.has[b] ? c->nano[b] : UNKNOWN_NANO;
	return entry_add(p, &e, c->owner, err);
}

static int emit_credits(struct post *p, struct err *err)
{
	struct credited *v = p->credited.v;
	const size_t n = p->credited.n;
	int rc = 0;

	if (n)
		qsort_r(v, n, sizeof *v, cmp_credited, p);
	for (size_t i = 0, same; i < n && !rc; i += same) {
		struct credited sum = v[i];
		int64_t hour = p->riding.v[v[i].riding].hour_ms;
		for (same = 1; i + same < n && !cmp_credited(&v[i], &v[i + same], p); same++) {
			hour = min_i64(p->riding.v[v[i + same].riding].hour_ms, hour);
			for (int b = 0; b < BASIS_N; b++)
				sum.nano[b] += v[i + same].nano[b];
		}
		rc = emit_credit(p, &sum, hour, err);
	}
	vec_clear(&p->credited);
	return rc;
}

int rider_end(struct post *p, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < p->riding.n && !rc; i++) {
		struct riding *x = &p->riding.v[i];
		bool left = false;
		for (int b = 0; b < BASIS_N; b++)
			left |= x->given[b] != x->r.nano[b];
		if (!left || !entry_is_written(p, x->hour_ms))
			continue;
		/* the entries had a millisecond less than was paid, or there is none */
		size_t owner = x->any ? x->last.owner : ATTRIB_NOBODY;
		x->seen_ms = x->total_ms;
		if (x->r.kind != KIND_GPU) {
			keep_credit(p, x, owner);
			continue;
		}
		if (!x->any)
			continue;
		struct entry e = entry_of(p, KIND_GPU, &x->last);
		e.state = x->last.state;
		e.cause = x->last.cause;
		e.quality = x->last.quality;
		e.priced = PRICED_BILL;
		for (int b = 0; b < BASIS_N; b++)
			e.nano[b] = x->last.nano[b] == UNKNOWN_NANO ? UNKNOWN_NANO : 0;
		rc = emit_part(p, x, &e, owner, err);
		if (!rc)
			rc = entry_add(p, &e, owner, err);
	}
	return rc ? rc : emit_credits(p, err);
}
