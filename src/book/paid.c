/*
 * What a node cost, interval by interval.
 *
 * Paid time is what the node's records say; without a record, what the bill says (paid_lines.c).
 * Time that a bill covers is cut at hours and carries the billed amounts: each line's cost is
 * spread over the paid time of its charge period by cumulative rounding, so that the pieces add up
 * to the line. Paid time that no line covers has the record's own rate, else the rate of owned
 * hardware from the configuration, else the catalogue's, cut where prices change; else it is
 * unpriced.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/tm.h"
#include "book/in.h"
#include "feed/bill/bill.h"
#include "ledger/spread.h"

#define HOUR_MAX_NANO (INT64_MAX / 2) /* of a machine or pool: sums of it must not overflow */

static int by_from(const void *a, const void *b)
{
	const struct paid_interval *x = a, *y = b;

	return cmp_i64(x->from_ms, y->from_ms);
}

/* ---- paid time --------------------------------------------------------------------------- */

/* Records in order; where two overlap the later one (by start, then by import) holds from its start
 * on. */
static void intervals_of_records(const struct book *b, struct paid_node *p, const struct node *node,
				 size_t n, int64_t from_ms, int64_t to_ms)
{
	for (size_t i = 0; i < n; i++) {
		int64_t from = node[i].from_ms,
			to = node[i].to_ms == UNKNOWN_MS || node[i].to_ms > b->opt.now_ms
				     ? b->horizon_ms
				     : node[i].to_ms;
		if (i + 1 < n && node[i + 1].from_ms < to)
			to = node[i + 1].from_ms;
		from = max_i64(from, from_ms);
		to = min_i64(to, to_ms);
		if (from >= to)
			continue;
		struct paid_interval *q = vec_push(&p->interval);
		*q = (struct paid_interval){ .from_ms = from,
					     .to_ms = to,
					     .purchase = node[i].purchase,
					     .charge.instance_type = node[i].instance_type,
					     .currency = node[i].currency,
					     .provider = node[i].provider,
					     .region = node[i].region,
					     .zone = node[i].zone,
					     .quality = QUALITY_MEASURED,
					     .recorded = true };
		if (node[i].has_usd_hour) {
			q->priced = PRICED_RECORD;
			for (int k = 0; k < BASIS_N; k++) {
				q->has_rate[k] = true;
				q->rate_node_hour[k] = node[i].usd_hour;
			}
		}
	}
}

/* Cut the pieces from `first` on where who watched changes, and at hour marks where asked. */
static void cut_intervals(struct paid_node *p, size_t first, bool at_hours)
{
	VEC(struct paid_interval) out = { 0 };

	for (size_t i = first; i < p->interval.n; i++)
		for (int64_t t = p->interval.v[i].from_ms; t < p->interval.v[i].to_ms;) {
			struct paid_interval *q = vec_push(&out);
			int64_t mark = tm_floor(t, MS_HOUR) + MS_HOUR;
			*q = p->interval.v[i];
			q->from_ms = t;
			t = watch_until(p->watch, p->nwatch, q->from_ms, q->to_ms, &q->watched,
					&q->watch_quality);
			if (at_hours && mark < t)
				t = mark;
			q->to_ms = t;
		}
	p->interval.n = first;
	for (size_t i = 0; i < out.n; i++)
		*vec_push(&p->interval) = out.v[i];
	vec_free(&out);
}

/* ---- billed amounts ---------------------------------------------------------------------- */

static int64_t overlap_ms(const struct paid_interval *q, const struct bill_line *l)
{
	int64_t from = max_i64(q->from_ms, l->from_ms), to = min_i64(q->to_ms, l->to_ms);

	if (to > from)
		return to - from;
	return 0;
}

/* A record's "reserved_1y" beside "Reservation", which a bill says without its term. */
static bool says_more(struct sv record, struct sv bill)
{
	struct purchase_terms r = purchase_terms(record), b = purchase_terms(bill);

	return r.years && !b.years && b.commitment != COMMITMENT_NONE &&
	       r.commitment == b.commitment;
}

/* Time that was paid for in the way of this line: an hour may be paid half on demand and half by a
 * plan. */
static bool is_own(const struct paid_interval *q, const struct bill_line *l)
{
	if (!l->commitment_id.n)
		return sv_eq(q->purchase, l->purchase) || says_more(q->purchase, l->purchase);
	for (const struct paid_rider *r = q->rider; r; r = r->next)
		if (r->purchase.n && sv_eq(r->charge.commitment, l->commitment_id))
			return true;
	return sv_eq(q->charge.commitment, l->commitment_id);
}

void paid_add_rest(struct paid_node *p, struct arena *mem, const struct bill_line *l,
		   enum basis basis, dec rest)
{
	int64_t day = tm_floor(l->from_ms, MS_DAY);

	if (!rest)
		return;
	for (size_t i = p->rest.n; i-- > 0 && p->rest.n - i < 8;)
		if (p->rest.v[i].from_ms == day && p->rest.v[i].basis == basis &&
		    sv_is(l->currency, p->rest.v[i].currency)) {
			p->rest.v[i].amount += rest;
			return;
		}
	*vec_push(&p->rest) =
		(struct remainder){ .currency = arena_sv(mem, l->currency.p ? l->currency : SV("")),
				    .basis = basis,
				    .from_ms = day,
				    .to_ms = day + MS_DAY,
				    .amount = rest };
}

bool paid_is_too_large(dec amount)
{
	return amount > nano_to_dec(HOUR_MAX_NANO) || amount < -nano_to_dec(HOUR_MAX_NANO);
}

int paid_too_large(struct sv name, int64_t at_ms, struct err *err)
{
	char when[TM_BUF];

	err_set(err, -ERANGE, "'%.*s' is charged more than 4.6 billion in one hour, at %s",
		SVF(name), tm_format(when, at_ms));
	err_hint(err, "that is the most there can be at one time; correct the bill's lines of it");
	return -ERANGE;
}

/* The pieces of one hour together: attribution adds them up. */
static int check_hours(const struct paid_node *p, struct sv name, struct err *err)
{
	dec sum[BASIS_N] = { 0 };
	int64_t hour = UNKNOWN_MS;

	for (size_t i = 0; i < p->interval.n; i++) {
		const struct paid_interval *q = &p->interval.v[i];
		if (tm_floor(q->from_ms, MS_HOUR) != hour) {
			hour = tm_floor(q->from_ms, MS_HOUR);
			memset(sum, 0, sizeof sum);
		}
		for (int b = 0; b < BASIS_N; b++) {
			if (q->has_amount[b])
				sum[b] += nano_to_dec(q->amount_nano[b]);
			if (paid_is_too_large(sum[b]))
				return paid_too_large(name, hour, err);
		}
	}
	return 0;
}

/* Money without time: one amount a day over the line's period. What names no owner is of who
 * answers for the machine then, between its hours of who did before. */
static int add_extra(struct paid_node *p, struct arena *mem, const struct bill_line *l,
		     struct err *err)
{
	size_t first = p->extra.n,
	       at = first_where(i, p->interval.n, p->interval.v[i].to_ms > l->from_ms);
	struct sv tags = l->tags;

	if (!l->tags.n && at < p->interval.n && p->interval.v[at].from_ms < l->to_ms)
		tags = p->interval.v[at].tags;
	for (int64_t t = l->from_ms, end; t < l->to_ms; t = end) {
		struct paid_extra *x = vec_push(&p->extra);
		end = min_i64(tm_floor(t, MS_DAY) + MS_DAY, l->to_ms);
		for (; !l->tags.n && at < p->interval.n; at++) {
			const struct paid_interval *q = &p->interval.v[at];
			bool other = !sv_eq(q->tags, tags);
			if (q->from_ms >= end)
				break;
			if (other && q->from_ms > t) {
				end = q->from_ms;
				break;
			}
			tags = q->tags;
			if (q->to_ms > end)
				break;
		}
		*x = (struct paid_extra){ .hour_ms = tm_floor(t, MS_HOUR),
					  .ms = end - t,
					  .kind = bill_is_credit(l) ? KIND_OTHER : KIND_GPU,
					  .purchase = l->purchase,
					  .currency = l->currency,
					  .tags = tags,
					  .payer = payer_of_line(l),
					  .charge = charge_of_line(l) };
		for (int b = 0; b < BASIS_N; b++)
			x->nano[b] = UNKNOWN_NANO;
	}
	for (int b = 0; b < BASIS_N; b++) {
		struct spread s;
		dec rest;
		if (!l->has_cost[b])
			continue;
		if (spread_start(&s, l->cost[b], l->to_ms - l->from_ms, &rest) < 0)
			return paid_too_large(l->resource_id, l->from_ms, err);
		for (size_t i = first; i < p->extra.n; i++)
			p->extra.v[i].nano[b] = spread_next(&s, p->extra.v[i].ms);
		paid_add_rest(p, mem, l, (enum basis)b, rest);
	}
	return 0;
}

/* Amounts of two currencies are never added: of lines that overlap those of usage hold the time,
 * then those of the currency first by name. */
static bool other_currency(const struct bill_line *line, size_t n, const struct bill_line *l,
			   struct sv none)
{
	struct sv own = sv_or(l->currency, none);

	for (size_t i = 0; i < n; i++) {
		const struct bill_line *o = &line[i];
		struct sv other = sv_or(o->currency, none);
		bool apart = o->from_ms >= l->to_ms || o->to_ms <= l->from_ms;
		if (apart || sv_eq(other, own))
			continue;
		if (paid_is_usage(o) != paid_is_usage(l)) {
			if (paid_is_usage(o))
				return true;
		} else if (sv_cmp(other, own) < 0) {
			return true;
		}
	}
	return false;
}

/* Credits and fees add to the share that usage has. false: too large. */
static bool add_share(struct paid_interval *q, struct arena *mem, const struct bill_line *l,
		      enum basis basis, int64_t nano)
{
	struct paid_share **at = &q->share;

	while (*at && sv_cmp((*at)->tags, l->tags) < 0)
		at = &(*at)->next;
	if (!*at || !sv_eq((*at)->tags, l->tags)) {
		if (!paid_is_usage(l))
			return true;
		struct paid_share *s = arena_zalloc(mem, sizeof *s);
		*s = (struct paid_share){ .next = *at,
					  .tags = l->tags,
					  .payer = payer_of_line(l),
					  .owner = ATTRIB_NOBODY,
					  .mix = ATTRIB_NOBODY };
		*at = s;
	}
	return !__builtin_add_overflow((*at)->nano[basis], nano, &(*at)->nano[basis]);
}

static bool same_purchase(const struct paid_interval *q, const struct bill_line *l)
{
	return sv_eq(q->purchase, l->purchase) || says_more(q->purchase, l->purchase);
}

/* Paid in the way of this line, as far as is known by now? */
static bool same_way(const struct paid_interval *q, const struct bill_line *l)
{
	if (!q->counted_ms)
		return true;
	return sv_eq(q->charge.commitment, l->commitment_id) && same_purchase(q, l);
}

/* The purchase of those riders that are paid in the way of this line, nothing: of none. What names
 * a commitment under which no time was paid has none of it: its money alone is the commitment's. */
static struct sv rides_with(const struct paid_interval *q, const struct bill_line *l)
{
	if (paid_counts_hours(l))
		return same_way(q, l) ? SV_NULL : l->purchase;
	if (!l->commitment_id.n || sv_eq(q->charge.commitment, l->commitment_id))
		return SV_NULL;
	for (const struct paid_rider *r = q->rider; r; r = r->next)
		if (r->purchase.n && sv_eq(r->charge.commitment, l->commitment_id))
			return r->purchase;
	bool says = paid_is_usage(l) && !q->counted;
	return says || same_purchase(q, l) ? SV_NULL : l->purchase;
}

/*
 * The first line of an interval, one of usage where there is one, says where it stands on the bill,
 * and the first that counts hours how it was paid; what stands elsewhere or was paid otherwise
 * rides along. NULL: it is the interval's own.
 */
static struct paid_rider *rider_for(struct paid_interval *q, struct arena *mem,
				    const struct bill_line *l)
{
	struct paid_rider at = { .kind = KIND_GPU,
				 .charge = charge_of_line(l),
				 .purchase = rides_with(q, l) };

	if (q->priced != PRICED_BILL && !q->rider)
		q->charge = charge_placed(&q->charge, &at.charge);
	if (!at.purchase.n && charge_same_place(&q->charge, &at.charge))
		return NULL;
	struct paid_rider *r = rider_of(q, mem, &at);
	r->usage |= paid_is_usage(l);
	return r;
}

/* Part of a line's cost. false: too large. */
static bool add_amount(struct paid_interval *q, struct paid_rider *r, enum basis basis,
		       int64_t nano)
{
	bool fits = !__builtin_add_overflow(q->amount_nano[basis], nano, &q->amount_nano[basis]);

	q->has_amount[basis] = true;
	q->priced = PRICED_BILL;
	if (!r)
		return fits;
	r->has[basis] = true;
	return fits && !__builtin_add_overflow(r->nano[basis], nano, &r->nano[basis]);
}

static bool tags_differ(const struct bill_line *line, size_t n)
{
	const struct bill_line *first = NULL;

	for (size_t i = 0; i < n; i++) {
		if (!line[i].tags.n || !paid_is_usage(&line[i]))
			continue;
		if (!first)
			first = &line[i];
		if (!sv_eq(line[i].tags, first->tags))
			return true;
	}
	return false;
}

/* What an interval has of a line, and what says the line of it. */
struct part {
	size_t at;
	int64_t ms; /* of the line's period, by which it is divided */
	struct paid_rider *rider;
};

/* Where a line lies: in time that was paid in its way, where there is some; hours that it counts in
 * those that no line counted before, as far as they suffice. */
static size_t find_parts(const struct paid_node *p, const struct bill_line *l, size_t first,
			 struct part *ret)
{
	int64_t own = 0, room = 0;
	size_t n = 0;

	for (size_t i = first; i < p->interval.n && p->interval.v[i].from_ms < l->to_ms; i++)
		if (is_own(&p->interval.v[i], l))
			own += overlap_ms(&p->interval.v[i], l);
	for (size_t i = first; i < p->interval.n && p->interval.v[i].from_ms < l->to_ms; i++) {
		const struct paid_interval *q = &p->interval.v[i];
		int64_t ms = overlap_ms(q, l);
		if (!ms || (own && !is_own(q, l)))
			continue;
		room += max_i64(ms - q->counted_ms, 0);
		ret[n++] = (struct part){ .at = i, .ms = ms };
	}
	if (!paid_counts_hours(l) || room < paid_line_ms(l) - paid_slack_ms(paid_line_ms(l)))
		return n;
	for (size_t k = 0; k < n && room; k++)
		ret[k].ms = max_i64(ret[k].ms - p->interval.v[ret[k].at].counted_ms, 0);
	return n;
}

/* What a line says of time that is paid in its way. */
static void tell_way(struct paid_interval *q, const struct bill_line *l)
{
	/* cores at list beside GPUs under a commitment: the lines that count hours say how the
	 * machine is paid, and those that ride along where none does */
	bool says = l->purchase.n && paid_is_usage(l) && (l->has_quantity || !q->counted);

	q->charge.commitment = sv_or(q->charge.commitment, l->commitment_id);
	if (!says || q->counted_ms)
		return;
	if (!says_more(q->purchase, l->purchase))
		q->purchase = l->purchase;
	q->counted |= l->has_quantity;
}

static void tell_intervals(struct paid_node *p, const struct bill_line *l, struct sv currency,
			   const struct part *part, size_t n)
{
	struct payer payer = payer_of_line(l);
	int64_t total = 0, seen = 0, told = 0;

	for (size_t k = 0; k < n; k++)
		total += part[k].ms;
	for (size_t k = 0; k < n; k++) {
		struct paid_interval *q = &p->interval.v[part[k].at];
		q->tags = sv_or(q->tags, l->tags);
		q->payer = payer_or(&q->payer, &payer);
		/* of the machine, wherever on the bill the line stands */
		q->charge.instance_type = sv_or(q->charge.instance_type, l->instance_type);
		if (!part[k].rider || !part[k].rider->purchase.n)
			tell_way(q, l);
		seen += part[k].ms;
		if (paid_counts_hours(l)) {
			int64_t upto = (int64_t)((__int128)paid_line_ms(l) * seen / total);
			q->counted_ms += upto - told;
			if (part[k].rider)
				part[k].rider->counted_ms += upto - told;
			told = upto;
		}
		if (!sv_eq(sv_or(l->currency, currency), sv_or(q->currency, currency))) {
			/* a record's rate in other money says nothing here */
			memset(q->has_rate, 0, sizeof q->has_rate);
			q->currency = sv_or(l->currency, currency);
		}
	}
}

/* currency: of records and lines that name none */
static int spread_line(struct paid_node *p, struct arena *mem, struct sv currency,
		       const struct bill_line *l, struct err *err)
{
	size_t first = first_where(i, p->interval.n, p->interval.v[i].to_ms > l->from_ms),
	       end = first_where(i, p->interval.n, p->interval.v[i].from_ms >= l->to_ms);
	struct part *part = arena_alloc(mem, (end > first ? end - first : 1) * sizeof *part);
	size_t n = find_parts(p, l, first, part);
	int64_t total = 0;

	for (size_t k = 0; k < n; k++)
		total += part[k].ms;
	if (!total && !paid_is_usage(l))
		return add_extra(p, mem, l, err);
	if (!total) {
		/* by the records no time of its period was paid: the bill wins, it was */
		size_t at = p->interval.n;
		*vec_push(&p->interval) = paid_interval_of(l, l->from_ms, l->to_ms,
							   QUALITY_ESTIMATED);
		cut_intervals(p, at, true);
		sort_items(p->interval.v, p->interval.n, sizeof *p->interval.v, by_from);
		return spread_line(p, mem, currency, l, err);
	}
	for (size_t k = 0; k < n; k++)
		if (part[k].ms)
			part[k].rider = rider_for(&p->interval.v[part[k].at], mem, l);
	for (int b = 0; b < BASIS_N; b++) {
		struct spread s;
		dec rest;
		if (!l->has_cost[b])
			continue;
		if (spread_start(&s, l->cost[b], total, &rest) < 0)
			return paid_too_large(l->resource_id, l->from_ms, err);
		for (size_t k = 0; k < n; k++) {
			struct paid_interval *q = &p->interval.v[part[k].at];
			if (!part[k].ms)
				continue;
			int64_t nano = spread_next(&s, part[k].ms);
			bool fits = add_amount(q, part[k].rider, (enum basis)b, nano);
			if (fits && p->shares && l->tags.n)
				fits = add_share(q, mem, l, (enum basis)b, nano);
			if (!fits)
				return paid_too_large(l->resource_id, l->from_ms, err);
		}
		paid_add_rest(p, mem, l, (enum basis)b, rest);
	}
	tell_intervals(p, l, currency, part, n);
	return 0;
}

/* ---- rates ------------------------------------------------------------------------------- */

static dec with_upfront(const struct price_row *r)
{
	int64_t hours = 8760;

	if (purchase_terms(sv_of(r->purchase)).years == 3)
		hours = 3 * 8760;
	if (r->upfront)
		return r->hour + dec_muldiv(r->upfront, 1, hours);
	return r->hour;
}

static dec per_node(const struct price_row *r, dec hour, int64_t gpu_milli)
{
	if (r->gpu_milli > 0 && gpu_milli > 0 && r->gpu_milli != gpu_milli)
		return dec_muldiv(hour, gpu_milli, r->gpu_milli);
	return hour;
}

/* "H100" of a node list and "H100-SXM5-80GB" of the configuration are one model. */
static bool same_model(const struct book *b, struct sv x, struct sv y)
{
	const struct gpu_spec *g = catalog_gpu(b->catalog, x);

	return sv_ieq(x, y) || (g && g == catalog_gpu(b->catalog, y));
}

static const struct owned_conf *owned_of(const struct book *b, const struct paid_node *p,
					 struct sv purchase)
{
	if (!sv_is(purchase, "owned"))
		return NULL;
	for (size_t i = 0; i < b->opt.conf->owned.n; i++) {
		const struct owned_conf *o = &b->opt.conf->owned.v[i];
		if (o->gpu_model && !same_model(b, sv_of(o->gpu_model), p->gpu_model))
			continue;
		if (!o->node_glob || sv_glob(p->node, sv_of(o->node_glob)))
			return o;
	}
	return NULL;
}

const struct owned_conf *paid_metered(const struct book *b, const struct paid_node *p)
{
	for (size_t i = 0; i < p->interval.n; i++) {
		const struct owned_conf *o = owned_of(b, p, p->interval.v[i].purchase);
		if (o && o->measured_power)
			return o;
	}
	return NULL;
}

/* Rate a piece by price rows: appends the piece cut where prices change, with gaps unpriced. */
static void rate_by_rows(struct paid_node *p, const struct paid_interval *q,
			 const struct price_row *row, size_t n)
{
	int64_t t = q->from_ms;

	for (size_t i = 0; i <= n; i++) {
		int64_t from = i < n ? max_i64(row[i].from_ms, t) : q->to_ms;
		int64_t to = i < n && row[i].to_ms != UNKNOWN_MS && row[i].to_ms < q->to_ms
				     ? row[i].to_ms
				     : q->to_ms;
		if (from > t) { /* before the first known price, or a gap */
			struct paid_interval *gap = vec_push(&p->interval);
			*gap = *q;
			gap->from_ms = t;
			gap->to_ms = min_i64(from, q->to_ms);
			t = gap->to_ms;
		}
		if (i == n || from >= to)
			continue;
		struct paid_interval *r = vec_push(&p->interval);
		*r = *q;
		r->from_ms = from;
		r->to_ms = to;
		r->has_rate[BASIS_LIST] = true;
		r->rate_node_hour[BASIS_LIST] = per_node(&row[i], row[i].hour, q->gpu_milli);
		r->has_rate[BASIS_BILLED] = r->has_rate[BASIS_EFFECTIVE] = true;
		r->rate_node_hour[BASIS_BILLED] = r->rate_node_hour[BASIS_LIST];
		r->rate_node_hour[BASIS_EFFECTIVE] = per_node(&row[i], with_upfront(&row[i]),
							      q->gpu_milli);
		r->priced = PRICED_CATALOG;
		if (r->quality == QUALITY_MEASURED)
			r->quality = QUALITY_ESTIMATED;
		if (!r->currency.n)
			r->currency = sv_of(row[i].currency);
		t = to;
	}
}

/* Give every piece that no bill and no record priced the rate of owned hardware, else that of the
 * catalogue's rows for its purchase, with the node's place where it names none. */
static int rate_intervals(struct book *b, struct arena *mem, struct paid_node *p, struct err *err)
{
	struct paid_interval *old = p->interval.v;
	size_t n = p->interval.n;
	int rc = 0;

	p->interval.v = NULL;
	p->interval.n = p->interval.cap = 0;
	for (size_t i = 0; i < n && !rc; i++) {
		struct paid_interval *q = &old[i];
		struct price_row *row = NULL;
		size_t nrow = 0;
		const struct owned_conf *owned = NULL;
		if (!q->priced)
			owned = owned_of(b, p, q->purchase);
		if (owned) {
			dec hour = dec_muldiv(catalog_owned_gpu_hour(&owned->terms), q->gpu_milli,
					      1000);
			for (int k = 0; k < BASIS_N; k++) {
				q->has_rate[k] = true;
				q->rate_node_hour[k] = hour;
			}
			q->priced = PRICED_RECORD;
		}
		if (q->priced) {
			*vec_push(&p->interval) = *q;
			continue;
		}
		const struct price_over over = {
			.provider = arena_filled(mem, sv_or(q->provider, p->provider)),
			.region = arena_filled(mem, sv_or(q->region, p->region)),
			.zone = arena_filled(mem, sv_or(q->zone, p->zone)),
			.instance_type = arena_filled(mem, p->instance_type),
			.gpu_model = arena_filled(mem, p->gpu_model),
			.purchase = arena_sv(mem, sv_or(q->purchase, SV("on_demand"))),
			.from_ms = q->from_ms,
			.to_ms = q->to_ms
		};
		rc = catalog_price_over(b->catalog, &over, &row, &nrow, err);
		if (!rc)
			rate_by_rows(p, q, row, nrow);
		free(row);
	}
	free(old);
	return rc;
}

/* Discounts find the time that usage has shown to be there, and lines of long charge periods the
 * hours that those of short ones have left. */
static int by_telling(const void *a, const void *b)
{
	const struct bill_line *x = *(const struct bill_line *const *)a,
			       *y = *(const struct bill_line *const *)b;
	int d = paid_is_usage(y) - paid_is_usage(x);

	if (!d)
		d = cmp_i64(x->to_ms - x->from_ms, y->to_ms - y->from_ms);
	if (d)
		return d;
	return (x > y) - (x < y);
}

/* What the node is: by its last record that says it, else by its first line. */
static void name_node(struct paid_node *ret, const struct paid_by *by)
{
	ret->record = by->node;
	ret->nrecord = by->nnode;
	for (size_t i = 0; i < by->nnode; i++) {
		const struct node *n = &by->node[i];
		ret->node = n->node;
		ret->provider = sv_or(n->provider, ret->provider);
		ret->region = sv_or(n->region, ret->region);
		ret->zone = sv_or(n->zone, ret->zone);
		ret->cluster = sv_or(n->cluster, ret->cluster);
		ret->tagged &= !n->cluster.n;
		ret->gpu_model = sv_or(n->gpu_model, ret->gpu_model);
		ret->instance_type = sv_or(n->instance_type, ret->instance_type);
		if (n->gpu_milli > 0)
			ret->gpu_milli = n->gpu_milli;
	}
	for (size_t i = 0; i < by->nline; i++) {
		const struct bill_line *l = &by->line[i];
		ret->provider = sv_or(ret->provider, l->provider);
		ret->region = sv_or(ret->region, l->region);
		ret->zone = sv_or(ret->zone, l->zone);
		ret->gpu_model = sv_or(ret->gpu_model, l->gpu_model);
		ret->instance_type = sv_or(ret->instance_type, l->instance_type);
		if (ret->gpu_milli <= 0)
			ret->gpu_milli = l->gpu_milli;
	}
	/* lines that count GPU-hours say how many ran at least */
	for (size_t i = 0; i < by->nline && !by->nnode; i++)
		ret->gpu_milli = max_i64(by->line[i].gpu_milli, ret->gpu_milli);
}

/* The time that was paid for. */
static int find_intervals(struct book *b, struct arena *mem, const struct paid_by *by,
			  struct paid_node *ret, struct err *err)
{
	int rc = 0;

	if (by->nnode)
		intervals_of_records(b, ret, by->node, by->nnode, by->from_ms, by->to_ms);
	else
		rc = paid_of_lines(ret, mem, by->line, by->nline, err);
	if (rc)
		return rc;
	if (!by->nnode)
		sort_items(ret->interval.v, ret->interval.n, sizeof *ret->interval.v, by_from);
	const struct witness_node of = { ret->node, ret->cluster };
	enum may_hold may_hold = MAY_NOT_HOLD;
	const struct pool_place at = { ret->cluster, ret->tagged, ret->gpu_model };
	if (!pooling_of(&b->pooling, ret->node).n)
		may_hold = pooling_may_hold(b, &b->pooling, &at);
	ret->nwatch = witnesses_of(b->watch, &of, may_hold, mem, &ret->watch);
	cut_intervals(ret, 0, by->nline > 0);
	return 0;
}

/* What the lines charged for it. */
static int charge_intervals(struct arena *mem, struct sv currency, const struct paid_by *by,
			    struct paid_node *ret, struct err *err)
{
	const struct bill_line *line = by->line, **order;
	const size_t nline = by->nline;
	bool one = true;
	size_t n = 0;
	int rc = 0;

	for (size_t i = 1; i < nline && one; i++)
		one = sv_eq(sv_or(line[i].currency, currency), sv_or(line[0].currency, currency));
	ret->shares = tags_differ(line, nline);
	order = arena_alloc(mem, (nline + 1) * sizeof *order);
	for (size_t i = 0; i < nline; i++)
		if (!bill_is_credit(&line[i]))
			order[n++] = &line[i];
	sort_items(order, n, sizeof *order, by_telling);
	for (size_t i = 0; i < n && !rc; i++) {
		if (!one && other_currency(line, nline, order[i], currency))
			rc = add_extra(ret, mem, order[i], err);
		else
			rc = spread_line(ret, mem, currency, order[i], err);
	}
	if (!rc && nline)
		rc = check_hours(ret, line[0].resource_id, err);
	return rc;
}

int paid_build(struct book *b, struct arena *mem, const struct paid_by *by, struct paid_node *ret,
	       struct err *err)
{
	struct sv currency = sv_of(b->opt.conf->currency);
	int64_t machine_milli;
	int rc;

	name_node(ret, by);
	rc = find_intervals(b, mem, by, ret, err);
	if (!rc)
		rc = charge_intervals(mem, currency, by, ret, err);
	if (rc)
		return rc;
	machine_milli = ret->gpu_milli;
	for (size_t i = 0; i < ret->interval.n; i++) {
		struct paid_interval *q = &ret->interval.v[i];
		if (!q->gpu_milli)
			q->gpu_milli = machine_milli;
		ret->gpu_milli = max_i64(q->gpu_milli, ret->gpu_milli);
	}
	rc = rate_intervals(b, mem, ret, err);
	/* credits and corrections are no price of the time: of who they name, else of all whose
	 * time it was */
	for (size_t i = 0; i < by->nline && !rc; i++) {
		const struct bill_line *l = &by->line[i];
		int left = 1;
		if (!bill_is_credit(l))
			continue;
		if (!l->tags.n)
			left = rider_add_credit(ret, mem, currency, l, err);
		rc = min_int(left, 0);
		if (left > 0)
			rc = add_extra(ret, mem, l, err);
	}
	if (!rc)
		rider_settle(ret);
	return rc;
}

void paid_node_free(struct paid_node *p)
{
	vec_free(&p->interval);
	vec_free(&p->extra);
	vec_free(&p->rest);
}

void paid_own_price(struct book *b, bool has, dec usd_gpu_hour, struct sv currency,
		    struct attrib_paid *p)
{
	p->currency = currency.n ? currency : sv_of(b->opt.conf->currency);
	p->tag = has ? PRICED_RECORD : PRICED_NOT;
	for (int i = 0; i < BASIS_N; i++) {
		p->has_rate[i] = has;
		p->rate_gpu_hour[i] = usd_gpu_hour;
	}
}
