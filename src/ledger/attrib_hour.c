/* The table of an hour and its closing. */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "ledger/attrib_priv.h"
#include "ledger/round.h"
#include "ledger/split.h"

/* Rates above ten million an hour and GPU are mistakes, and would leave the 128 bits. */
#define RATE_LIMIT ((dec)10000000LL * DEC_ONE)

static int check_interval(const struct attrib_paid *paid, size_t i, struct err *err)
{
	const struct attrib_paid *p = &paid[i];
	if (p->to_ms < p->from_ms || (i && p->from_ms < paid[i - 1].to_ms))
		return err_set(err, -EINVAL,
			       "paid interval %zu is out of order or overlaps the one before", i);
	if (!sv_eq(p->currency, paid[0].currency))
		return err_set(err, -EINVAL, "paid intervals mix the currencies '%.*s' and '%.*s'",
			       SVF(paid[0].currency), SVF(p->currency));
	if (p->gpus_milli < 0)
		return err_set(err, -EINVAL, "paid interval %zu has a negative number of GPUs", i);
	for (int b = 0; b < BASIS_N; b++) {
		if (p->has_rate[b] && p->has_amount[b])
			return err_set(err, -EINVAL,
				       "paid interval %zu has both a rate and an amount", i);
		if (p->has_rate[b] &&
		    (p->rate_gpu_hour[b] > RATE_LIMIT || p->rate_gpu_hour[b] < -RATE_LIMIT))
			return err_set(
				err, -ERANGE,
				"a price of more than 10,000,000 per GPU-hour is not believable");
		if (p->has_amount[b] &&
		    (p->to_ms == p->from_ms ||
		     tm_floor(p->to_ms - 1, MS_HOUR) != tm_floor(p->from_ms, MS_HOUR)))
			return err_set(
				err, -EINVAL,
				"paid interval %zu has an amount but is empty or crosses an hour mark",
				i);
	}
	return 0;
}

/* Few different purchases exist; intervals may be many. */
static uint32_t number_purchase(const struct attrib_paid *paid, uint32_t *number, size_t i,
				uint32_t *first, uint32_t *nfirst)
{
	if (i && sv_eq(paid[i].purchase, paid[i - 1].purchase))
		return number[i - 1];
	for (uint32_t k = 0; k < *nfirst; k++)
		if (sv_eq(paid[first[k]].purchase, paid[i].purchase))
			return first[k];
	if (*nfirst < 64)
		first[(*nfirst)++] = (uint32_t)i;
	return (uint32_t)i;
}

int closer_init(struct closer *c, const struct attrib_paid *paid, size_t npaid,
		const struct attrib_out *out, struct err *err)
{
	uint32_t first[64], nfirst = 0;
	struct attrib_rest *rest = out->rest;
	*c = (struct closer){ .paid = paid, .emit = out->emit, .emit_ctx = out->emit_ctx };
	*rest = (struct attrib_rest){ .currency = npaid ? paid[0].currency : SV_NULL,
				      .hour = rest->hour,
				      .hour_ctx = rest->hour_ctx,
				      .counted_from_ms = rest->counted_from_ms,
				      .counted_to_ms = rest->counted_to_ms };
	c->on_hour = rest->hour;
	c->on_hour_ctx = rest->hour_ctx;
	if (npaid >= UINT32_MAX)
		return err_set(err, -E2BIG, "more than four thousand million paid intervals");
	for (size_t i = 0; i < npaid; i++) {
		int r = check_interval(paid, i, err);
		if (r < 0)
			return r;
	}
	c->purchase = xcalloc(npaid + 1, sizeof *c->purchase);
	for (size_t i = 0; i < npaid; i++)
		c->purchase[i] = number_purchase(paid, c->purchase, i, first, &nfirst);
	return 0;
}

void closer_free(struct closer *c)
{
	free(c->purchase);
	c->purchase = NULL;
	vec_free(&c->out);
	vec_free(&c->scratch);
}

void closer_rest(const struct closer *c, struct attrib_rest *ret)
{
	for (int b = 0; b < BASIS_N; b++) {
		__int128 rem;
		ret->pico_ms[b] = round_down(c->rest[b], WEIGHT_PER_MS, &rem);
		ret->pico_ms_part[b] = (int64_t)rem;
	}
}

int64_t rest_counted(const struct attrib_rest *r, int64_t from_ms, int64_t to_ms)
{
	bool all = !r->counted_from_ms && !r->counted_to_ms;

	if (!all) {
		from_ms = max_i64(r->counted_from_ms, from_ms);
		to_ms = min_i64(r->counted_to_ms, to_ms);
	}
	return to_ms > from_ms ? to_ms - from_ms : 0;
}

static bool key_eq(const struct slot_key *a, const struct slot_key *b)
{
	if (a->owner != b->owner || a->interval != b->interval || a->pending != b->pending)
		return false;
	return a->state == b->state && a->cause == b->cause && a->quality == b->quality;
}

struct slot *hour_add(struct hour *h, const struct slot_key *k, __int128 weight)
{
	/* The slot wanted is nearly always one of the last made. */
	for (size_t i = h->slot.n; i-- > 0;)
		if (key_eq(&h->slot.v[i].key, k)) {
			h->slot.v[i].weight += weight;
			return &h->slot.v[i];
		}
	struct slot *s = vec_push(&h->slot);
	*s = (struct slot){ .key = *k, .weight = weight };
	h->npending += k->pending != NOT_PENDING;
	return s;
}

void hour_resolve(struct hour *h, int32_t pending, enum cause held, enum cause empty)
{
	for (size_t i = 0; i < h->slot.n && h->npending;) {
		struct slot *s = &h->slot.v[i];
		if (s->key.pending != pending) {
			i++;
			continue;
		}
		s->key.pending = NOT_PENDING;
		s->key.cause = (uint8_t)(s->key.state == STATE_IDLE_HELD ? held : empty);
		h->npending--;
		size_t k = 0;
		while (k == i || (k < h->slot.n && !key_eq(&h->slot.v[k].key, &s->key)))
			k++;
		if (k < h->slot.n) {
			struct slot *to = &h->slot.v[k];
			to->weight += s->weight;
			to->util_weight += s->util_weight;
			to->ms += s->ms;
			to->has_util |= s->has_util;
			*s = h->slot.v[--h->slot.n];
		} else {
			i++;
		}
	}
}

void hour_end(struct closer *c, struct hour *h)
{
	for (size_t i = 0; i < h->slot.n; i++)
		c->weight_sum += h->slot.v[i].weight;
	int64_t upto = round_upto(c->weight_sum, WEIGHT_PER_MS);
	h->total_ms = upto - c->ms_sum;
	c->ms_sum = upto;
}

static unsigned priced_bases(const struct attrib_paid *p)
{
	unsigned m = 0;
	for (int b = 0; b < BASIS_N; b++)
		if (p->has_rate[b] || p->has_amount[b])
			m |= 1U << b;
	return m;
}

#define CMP(x, y)                                  \
	do {                                       \
		if ((x) != (y))                    \
			return (x) < (y) ? -1 : 1; \
	} while (0)
/* Order of entries of an hour, and of ties in rounding. */
static int slot_out_cmp(const struct closer *c, const struct slot *a, const struct slot *b)
{
	CMP(a->key.owner, b->key.owner);
	CMP(a->key.state, b->key.state);
	CMP(a->key.cause, b->key.cause);
	CMP(a->key.quality, b->key.quality);
	if (a->key.interval == b->key.interval)
		return 0;
	CMP(c->purchase[a->key.interval], c->purchase[b->key.interval]);
	CMP(c->paid[a->key.interval].tag, c->paid[b->key.interval].tag);
	CMP(priced_bases(&c->paid[a->key.interval]), priced_bases(&c->paid[b->key.interval]));
	return 0;
}

static int slot_cmp(const void *a, const void *b, void *ctx)
{
	const struct slot *x = a, *y = b;
	int d = slot_out_cmp(ctx, x, y);
	if (d)
		return d;
	return cmp_u64(x->key.interval, y->key.interval);
}

/* Scratch of one closing: n slots make at most n entries. */
struct closing {
	struct closer *c;
	struct hour *h;
	size_t nout;
	size_t *of;            /* [nslot] which entry a slot belongs to */
	__int128 *weight;      /* [nslot] */
	int64_t *part;         /* [nslot] */
	struct round_rem *rem; /* [nslot] */
};

static void group_slots(struct closing *g)
{
	struct closer *c = g->c;
	struct slot *s = g->h->slot.v;
	vec_clear(&c->out);
	for (size_t i = 0; i < g->h->slot.n; i++) {
		const struct attrib_paid *p = &c->paid[s[i].key.interval];
		if (i == 0 || slot_out_cmp(c, &s[i - 1], &s[i]) != 0) {
			struct out *o = vec_push(&c->out);
			*o = (struct out){ .entry = { .hour_ms = g->h->hour_ms,
						      .owner = s[i].key.owner,
						      .state = s[i].key.state,
						      .cause = s[i].key.cause,
						      .quality = s[i].key.quality,
						      .purchase = p->purchase,
						      .currency = p->currency,
						      .tag = p->tag } };
			for (int b = 0; b < BASIS_N; b++) {
				if (p->has_rate[b] || p->has_amount[b])
					o->entry.nano[b] = 0;
				else
					o->entry.nano[b] = UNKNOWN_NANO;
			}
		}
		struct out *o = &c->out.v[c->out.n - 1];
		o->weight += s[i].weight;
		o->util_weight += s[i].util_weight;
		o->ms += s[i].ms;
		o->has_util |= s[i].has_util;
		g->of[i] = c->out.n - 1;
	}
	g->nout = c->out.n;
}

/* One owner's time in one state, whatever was paid for it. */
static bool same_time(const struct out *a, const struct out *b)
{
	const struct attrib_entry *x = &a->entry, *y = &b->entry;
	if (x->owner != y->owner || x->state != y->state || x->cause != y->cause)
		return false;
	return x->quality == y->quality && sv_eq(x->purchase, y->purchase);
}

/* The entries of one state get `total` among them: first each owner's time, then what was paid
 * alike of it. of: the entries of the state, in their order. */
static void round_state(struct closing *g, const size_t *of, size_t n, int64_t total)
{
	struct out *o = g->c->out.v;
	size_t *head = xcalloc(n + 1, sizeof *head), nhead = 0;
	int64_t *time = xcalloc(n, sizeof *time);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !same_time(&o[of[i - 1]], &o[of[i]])) {
			head[nhead] = i;
			g->weight[nhead++] = 0;
		}
		g->weight[nhead - 1] += o[of[i]].weight;
	}
	head[nhead] = n;
	round_parts(g->rem, nhead, g->weight, WEIGHT_PER_MS, total, time);
	for (size_t k = 0; k < nhead; k++) {
		size_t m = head[k + 1] - head[k];
		for (size_t i = 0; i < m; i++)
			g->weight[i] = o[of[head[k] + i]].weight;
		round_parts(g->rem, m, g->weight, WEIGHT_PER_MS, time[k], g->part);
		for (size_t i = 0; i < m; i++)
			o[of[head[k] + i]].ms = g->part[i];
	}
	free(head);
	free(time);
}

/* Each state of the hour is right to the millisecond, and each owner's time within it: entries
 * that differ in their price alone do not add up to one more. */
static void round_entries(struct closing *g)
{
	const struct out *o = g->c->out.v;
	__int128 weight[STATE_N] = { 0 };
	int64_t total[STATE_N];
	struct round_rem rem[STATE_N];
	size_t *of = xcalloc(g->nout + 1, sizeof *of);
	for (size_t i = 0; i < g->nout; i++)
		weight[o[i].entry.state] += o[i].weight;
	round_parts(rem, STATE_N, weight, WEIGHT_PER_MS, g->h->total_ms, total);
	for (int state = 0; state < STATE_N; state++) {
		size_t n = 0;
		for (size_t i = 0; i < g->nout; i++)
			if ((int)o[i].entry.state == state)
				of[n++] = i;
		round_state(g, of, n, total[state]);
	}
	free(of);
}

/* Milliseconds of the entries. */
static void close_ms(struct closing *g, bool own_ms)
{
	struct out *o = g->c->out.v;
	int64_t sum = 0;
	for (size_t i = 0; i < g->nout; i++)
		sum += o[i].ms;
	if (g->nout == 1)
		o[0].ms = g->h->total_ms;
	else if (!own_ms || sum != g->h->total_ms)
		round_entries(g);
	sum = 0;
	for (size_t i = 0; i < g->nout; i++) {
		o[i].entry.ms = o[i].ms;
		sum += o[i].ms;
		int64_t u =
			(int64_t)((o[i].util_weight / 1000000 + WEIGHT_PER_MS / 2) / WEIGHT_PER_MS);
		o[i].entry.util_ms = !o[i].has_util ? UNKNOWN_I64 : min_i64(u, o[i].ms);
	}
	assert(sum == g->h->total_ms);
}

#define EXACT_MAX ((__int128)(((unsigned __int128)1 << 126) - 1))

/* a * b without leaving 127 bits. Not the builtin: clang's needs a run-time library that is not
 * everywhere. */
static bool mul_fits(__int128 a, __int128 b, __int128 *ret)
{
	__int128 ma = a < 0 ? -a : a, mb = b;
	if (b < 0)
		mb = -b;
	if (ma && mb > EXACT_MAX / ma)
		return false;
	*ret = a * b;
	return true;
}

/* intervals priced by the hour: the exact amount of the hour, rounded once, by largest remainder of
 * the exact parts. */
static int close_rates(struct closing *g, int b, int64_t *ret_total, struct err *err)
{
	struct closer *c = g->c;
	const struct slot *s = g->h->slot.v;
	__int128 exact, sum = 0;
	bool any = false;
	for (size_t i = 0; i < g->h->slot.n && !any; i++)
		any = c->paid[s[i].key.interval].has_rate[b];
	c->rated_nano[b] = 0;
	*ret_total = 0;
	if (!any)
		return 0;
	for (size_t i = 0; i < g->nout; i++)
		g->weight[i] = 0;
	for (size_t i = 0; i < g->h->slot.n; i++) {
		const struct attrib_paid *p = &c->paid[s[i].key.interval];
		if (!p->has_rate[b])
			continue;
		bool fits = mul_fits(p->rate_gpu_hour[b], s[i].weight, &exact);
		if (fits)
			sum += exact; /* both below 2^126 */
		if (!fits || sum > EXACT_MAX || sum < -EXACT_MAX)
			return err_set(
				err, -ERANGE,
				"the cost of an hour of this pool does not fit; split the pool into smaller ones");
		g->weight[g->of[i]] += exact;
	}
	__int128 total = div_half_even(sum, EXACT_PER_NANO);
	if (total > INT64_MAX || total < -INT64_MAX)
		return err_set(
			err, -ERANGE,
			"the cost of an hour does not fit 64 bits of nano units; split the pool into smaller ones");
	round_parts(g->rem, g->nout, g->weight, EXACT_PER_NANO, (int64_t)total, g->part);
	for (size_t i = 0; i < g->nout; i++)
		if (c->out.v[i].entry.nano[b] != UNKNOWN_NANO)
			c->out.v[i].entry.nano[b] += g->part[i];
	c->rest[b] += sum - total * EXACT_PER_NANO;
	c->rated_nano[b] = (int64_t)total;
	*ret_total = (int64_t)total;
	return 0;
}

/* Every interval with an amount that has slots here, once. */
static int close_amounts(struct closing *g, int b, int64_t *total, struct err *err)
{
	struct closer *c = g->c;
	const struct slot *s = g->h->slot.v;
	__int128 size = *total < 0 ? -(__int128)*total : *total;
	uint32_t lo = UINT32_MAX, hi = 0;
	for (size_t i = 0; i < g->h->slot.n; i++) {
		if (s[i].key.interval < lo)
			lo = s[i].key.interval;
		if (s[i].key.interval > hi)
			hi = s[i].key.interval;
	}
	for (uint32_t p = lo; g->h->slot.n && p <= hi; p++) {
		bool used = false;
		for (size_t i = 0; i < g->h->slot.n && !used && c->paid[p].has_amount[b]; i++)
			used = s[i].key.interval == p;
		int64_t amount = c->paid[p].amount_nano[b];
		if (!used)
			continue;
		size += amount < 0 ? -(__int128)amount : amount;
		if (size > INT64_MAX)
			return err_set(err, -ERANGE,
				       "the amounts of an hour do not fit 64 bits of nano units");
		/* over the slots of the interval, which are not neighbours */
		__int128 *part = xcalloc(g->h->slot.n, sizeof *part);
		size_t n = 0;
		for (size_t i = 0; i < g->h->slot.n; i++)
			if (s[i].key.interval == p)
				g->weight[n++] = s[i].weight;
		if (!split_parts(amount, 1, n, g->weight, part))
			part[0] = amount;
		for (size_t i = 0, k = 0; i < g->h->slot.n; i++)
			if (s[i].key.interval == p)
				c->out.v[g->of[i]].entry.nano[b] += (int64_t)part[k++];
		free(part);
		*total += amount;
	}
	return 0;
}

static int close_costs(struct closing *g, struct err *err)
{
	for (int b = 0; b < BASIS_N; b++) {
		int64_t total = 0, sum = 0;
		int r = close_rates(g, b, &total, err);
		if (r < 0 || (r = close_amounts(g, b, &total, err)) < 0)
			return r;
		for (size_t i = 0; i < g->nout; i++)
			if (g->c->out.v[i].entry.nano[b] != UNKNOWN_NANO)
				sum += g->c->out.v[i].entry.nano[b];
		assert(sum == total);
	}
	return 0;
}

int hour_close(struct closer *c, struct hour *h, bool own_ms, struct err *err)
{
	size_t n = h->slot.n;
	if (n == 0)
		return 0;
	struct closing g = { .c = c, .h = h };
	vec_clear(&c->scratch);
	vec_grow(&c->scratch,
		 n * (sizeof *g.rem + sizeof *g.weight + sizeof *g.of + sizeof *g.part));
	g.rem = (struct round_rem *)c->scratch.v;
	g.weight = (__int128 *)(g.rem + n);
	g.of = (size_t *)(g.weight + n);
	g.part = (int64_t *)(g.of + n);
	/* owners mostly come in their order */
	bool sorted = true;
	for (size_t i = 1; i < n && sorted; i++)
		sorted = slot_cmp(&h->slot.v[i - 1], &h->slot.v[i], c) <= 0;
	if (!sorted)
		qsort_r(h->slot.v, n, sizeof *h->slot.v, slot_cmp, c);
	struct attrib_rest before;
	closer_rest(c, &before);
	group_slots(&g);
	close_ms(&g, own_ms);
	int r = close_costs(&g, err);
	if (r >= 0 && c->on_hour) {
		/* The hour's part of the remainder, such that the parts add up to what
		 * closer_rest() gives at the end. */
		struct attrib_rest after;
		closer_rest(c, &after);
		for (int b = 0; b < BASIS_N; b++)
			after.pico_ms[b] -= before.pico_ms[b];
		c->on_hour(c->on_hour_ctx, h->hour_ms, after.pico_ms, c->rated_nano);
	}
	for (size_t i = 0; i < g.nout && r >= 0; i++) {
		const struct attrib_entry *e = &c->out.v[i].entry;
		bool empty = e->ms == 0;
		for (int b = 0; b < BASIS_N; b++)
			empty &= e->nano[b] == 0 || e->nano[b] == UNKNOWN_NANO;
		if (!empty)
			r = c->emit(c->emit_ctx, e, err);
	}
	vec_clear(&h->slot);
	if (r < 0)
		return r;
	return 0;
}
