/*
 * Anonymous GPUs: allocations that name no GPU, against the paid GPUs of their pool. Hour by hour,
 * a slot per allocation and interval; the milliseconds of an allocation are rounded cumulatively,
 * so over all hours they are gpus x share x duration rounded once.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/tm.h"
#include "ledger/attrib_priv.h"

/* A share served of the time asked: an hour of it fits 64 bits. */
#define SERVED_ONE INT64_C(1000000000000)
/* Of one allocation: its size x SERVED_ONE x an hour fits 128 bits. */
#define GPUS_MILLI_MAX INT64_C(10000000000)
/* Size of an allocation: GPUs in 1/1000 x share of SHARE_ONE, so sevenths are exact. */
#define SIZE_ONE ((__int128)1000 * SHARE_ONE)

struct member {
	__int128 size;      /* of SIZE_ONE */
	__int128 weight_ms; /* of SHARE_ONE, per ms; floor */
	__int128 covered;   /* size x ms of paid time so far */
	__int128 counted;   /* the same of the time that is counted */
	int64_t booked_ms;
};

/* A boundary inside an interval, and how much of the asked time was served up to it (10^-12 ms). */
struct edge {
	int64_t at_ms;
	__int128 delta; /* change of the size held from here on */
	int64_t served;
};

struct pool {
	struct closer close;
	const struct attrib_paid *paid;
	size_t npaid, ipaid;
	const struct attrib_alloc *alloc;
	const struct attrib_seen *seen;
	size_t nseen, iseen;
	struct member *member; /* [nalloc] */
	uint32_t *order;       /* [nalloc] by from */
	size_t nalloc, next;
	VEC(uint32_t) active;
	VEC(struct edge) edge;
	struct hour hour;
	struct attrib_rest *rest;
	struct err *err;
	bool any_recorded;
	bool scaled; /* in this hour, as more was held than was paid */
};

static int by_from(const void *a, const void *b, void *ctx)
{
	const struct attrib_alloc *al = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	if (al[x].from_ms != al[y].from_ms)
		return cmp_i64(al[x].from_ms, al[y].from_ms);
	return cmp_u64(x, y);
}

static int edge_cmp(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;
	return cmp_i64(x->at_ms, y->at_ms);
}

/* Of each GPU, of SHARE_ONE: what nobody else of a pool can be asked for is all of a GPU. */
static int64_t share_of(const struct attrib_conf *conf, const struct attrib_alloc *a)
{
	struct share_geom g = { .compute = 7, .memory = 8, .by_memory = conf->mig_share_by_memory };
	struct share_use u = attrib_use(a);
	struct share_sum sum;
	int64_t part;
	if (a->mig_gpu_compute > 0)
		g.compute = a->mig_gpu_compute;
	if (a->mig_gpu_memory > 0)
		g.memory = a->mig_gpu_memory;
	share_split(&g, SHARE_ONE, 1, &u, &part, &sum);
	return part;
}

static int pool_init(struct pool *p, const struct attrib_conf *conf)
{
	p->member = xcalloc(p->nalloc + 1, sizeof *p->member);
	p->order = xcalloc(p->nalloc + 1, sizeof *p->order);
	for (size_t i = 0; i < p->nalloc; i++) {
		const struct attrib_alloc *a = &p->alloc[i];
		if (a->gpus_milli < 0 || a->gpus_milli > GPUS_MILLI_MAX)
			return err_set(p->err, -EINVAL, "an allocation holds %lld/1000 GPUs",
				       (long long)a->gpus_milli);
		p->member[i].size = (__int128)a->gpus_milli * share_of(conf, a);
		p->member[i].weight_ms = p->member[i].size / 1000;
		p->order[i] = (uint32_t)i;
	}
	qsort_r(p->order, p->nalloc, sizeof *p->order, by_from, (void *)(uintptr_t)p->alloc);
	for (size_t i = 0; i < p->npaid; i++)
		p->any_recorded |= p->paid[i].recorded;
	return 0;
}

static void add_edge(struct pool *p, int64_t at_ms, __int128 delta)
{
	*vec_push(&p->edge) = (struct edge){ .at_ms = at_ms, .delta = delta };
}

/* Overlap of an allocation with [from, to). */
static bool overlap_span(const struct attrib_alloc *a, int64_t *from, int64_t *to)
{
	*from = max_i64(a->from_ms, *from);
	*to = min_i64(a->to_ms, *to);
	return *from < *to;
}

/*
 * Sweep [from, to) of a pool of known size: where more is held than paid for, everybody is served
 * in proportion. Sets the edges' served time, returns whether that happened, and whether there was
 * a moment with something left.
 */
static bool sweep_pool(struct pool *p, const struct attrib_paid *s, int64_t from, int64_t to,
		       bool *ret_any_left)
{
	const __int128 paid = (__int128)s->gpus_milli * SHARE_ONE;
	__int128 held = 0;
	int64_t served = 0;
	bool over = false;
	vec_clear(&p->edge);
	add_edge(p, from, 0);
	add_edge(p, to, 0);
	for (size_t i = 0; i < p->active.n; i++) {
		int64_t f = from, t = to;
		if (!overlap_span(&p->alloc[p->active.v[i]], &f, &t))
			continue;
		add_edge(p, f, p->member[p->active.v[i]].size);
		add_edge(p, t, -p->member[p->active.v[i]].size);
	}
	sort_items(p->edge.v, p->edge.n, sizeof *p->edge.v, edge_cmp);
	*ret_any_left = false;
	for (size_t i = 0; i < p->edge.n; i++) {
		struct edge *e = &p->edge.v[i];
		int64_t ms = 0;
		bool above = held > paid;
		assert(!above || held > 0); /* nobody has paid for less than no GPU */
		if (i)
			ms = e->at_ms - e[-1].at_ms;
		served += ms * (above ? (int64_t)(paid * SERVED_ONE / held) : SERVED_ONE);
		if (above)
			p->rest->oversubscribed_ms += rest_counted(p->rest, e[-1].at_ms, e->at_ms);
		over |= above && ms > 0;
		*ret_any_left |= held < paid && ms > 0;
		e->served = served;
		held += e->delta;
	}
	return over;
}

static int64_t served_at(const struct pool *p, int64_t at_ms)
{
	size_t last = first_where(i, p->edge.n - 1, p->edge.v[i + 1].at_ms > at_ms);

	return p->edge.v[last].served;
}

static void push_slot(struct pool *p, size_t ipaid, const struct attrib_alloc *a, __int128 weight,
		      int64_t ms)
{
	const struct attrib_paid *s = &p->paid[ipaid];
	struct slot_key k = { .owner = s->owner,
			      .interval = (uint32_t)ipaid,
			      .pending = NOT_PENDING,
			      .state = (uint8_t)s->unheld_state,
			      .cause = (uint8_t)s->unheld_cause,
			      .quality = (uint8_t)max_int(s->unheld_quality, s->quality) };
	if (a) {
		bool ended = a->end_state != STATE_NONE;
		enum quality q = max_int(s->quality, a->quality);
		if (!ended) /* nothing was measured about what the GPUs did */
			q = max_int(q, QUALITY_ESTIMATED);
		k.owner = a->owner;
		k.state = (uint8_t)(ended ? a->end_state : STATE_UNKNOWN);
		k.cause = (uint8_t)(ended ? a->end_cause : CAUSE_UNREAD);
		k.quality = (uint8_t)q;
	}
	*vec_push(&p->hour.slot) = (struct slot){ .key = k, .weight = weight, .ms = ms };
}

static int rank_seen(const struct attrib_seen *s)
{
	if (s->owner != ATTRIB_NOBODY)
		return 3;
	if (s->state == STATE_UNKNOWN)
		return 2;
	return s->state == STATE_UNALLOCATED;
}

int attrib_seen_cmp(const void *a, const void *b)
{
	const struct attrib_seen *x = a, *y = b;
	int rx = rank_seen(x), ry = rank_seen(y);
	if (x->paid != y->paid)
		return cmp_size(x->paid, y->paid);
	if (rx != ry)
		return cmp_int(rx, ry);
	if (x->state != y->state)
		return cmp_int(x->state, y->state);
	if (x->cause != y->cause)
		return cmp_int(x->cause, y->cause);
	if (x->quality != y->quality)
		return cmp_int(x->quality, y->quality);
	return cmp_size(x->owner, y->owner);
}

/*
 * What is paid but not held: by the readings of the interval, as far as those who hold GPUs have
 * not taken it; what was not read is as the interval says.
 */
static void push_left(struct pool *p, size_t ipaid, __int128 left, int64_t ms)
{
	const int64_t whole = (int64_t)(left / WEIGHT_PER_MS);
	const struct attrib_seen *s = p->seen; /* NULL where nothing was read */
	int64_t sum = 0, taken = 0;
	size_t n = 0, first = p->hour.slot.n;
	while (p->iseen < p->nseen && p->seen[p->iseen].paid < ipaid)
		p->iseen++;
	if (p->nseen)
		s += p->iseen;
	for (; p->iseen + n < p->nseen && s[n].paid == ipaid; n++)
		sum += s[n].ms;
	for (size_t i = 0; i < n; i++) {
		int64_t of_holders = max_i64(min_i64(sum - whole - taken, s[i].ms), 0),
			rest = s[i].ms - of_holders;
		taken += of_holders;
		if (!rest)
			continue;
		push_slot(p, ipaid, NULL, rest * WEIGHT_PER_MS, rest);
		struct slot *slot = &p->hour.slot.v[p->hour.slot.n - 1];
		enum quality q = max_int(s[i].quality, p->paid[ipaid].quality);
		/* whose work it was is not known where somebody held others of these GPUs */
		if (sum > whole && s[i].state != STATE_UNALLOCATED)
			q = max_int(q, QUALITY_ESTIMATED);
		if (s[i].owner != ATTRIB_NOBODY)
			slot->key.owner = s[i].owner;
		slot->key.state = (uint8_t)s[i].state;
		slot->key.cause = (uint8_t)s[i].cause;
		slot->key.quality = (uint8_t)q;
		slot->has_util = s[i].util_ms != UNKNOWN_I64;
		if (slot->has_util)
			slot->util_weight = (__int128)s[i].util_ms * rest / s[i].ms * 1000000 *
					    WEIGHT_PER_MS;
		left -= rest * WEIGHT_PER_MS;
		ms -= rest;
	}
	/* what is less than a millisecond goes with the last */
	if (p->hour.slot.n > first && left < WEIGHT_PER_MS) {
		p->hour.slot.v[p->hour.slot.n - 1].weight += left;
		p->hour.slot.v[p->hour.slot.n - 1].ms += ms;
	} else {
		push_slot(p, ipaid, NULL, left, ms);
	}
}

/* Book the part [from, to) of an interval. */
static void book_interval(struct pool *p, size_t ipaid, int64_t from, int64_t to)
{
	const struct attrib_paid *s = &p->paid[ipaid];
	bool known = s->gpus_known && s->recorded, any_left = false;
	bool over = s->gpus_known && sweep_pool(p, s, from, to, &any_left);
	size_t first = p->hour.slot.n;
	p->scaled |= over;
	for (size_t i = 0; i < p->active.n; i++) {
		const struct attrib_alloc *a = &p->alloc[p->active.v[i]];
		struct member *m = &p->member[p->active.v[i]];
		int64_t f = from, t = to;
		if (!overlap_span(a, &f, &t))
			continue;
		__int128 weight = m->weight_ms * (t - f);
		if (over)
			weight = m->weight_ms * (served_at(p, t) - served_at(p, f)) / SERVED_ONE;
		m->covered += m->size * (t - f);
		m->counted += m->size * rest_counted(p->rest, f, t);
		int64_t ms;
		if (over) {
			ms = (int64_t)((weight + WEIGHT_PER_MS / 2) / WEIGHT_PER_MS);
			m->booked_ms = (int64_t)((m->covered + SIZE_ONE / 2) / SIZE_ONE);
		} else {
			int64_t upto = (int64_t)((m->covered + SIZE_ONE / 2) / SIZE_ONE);
			ms = upto - m->booked_ms;
			m->booked_ms = upto;
		}
		push_slot(p, ipaid, a, weight, ms);
	}
	/* What is paid but not held; the dust of scaling goes to the largest owner. */
	__int128 left = WEIGHT_PER_MS * s->gpus_milli / 1000 * (to - from);
	int64_t ms = (int64_t)((left + WEIGHT_PER_MS / 2) / WEIGHT_PER_MS);
	size_t largest = first;
	for (size_t i = first; i < p->hour.slot.n; i++) {
		left -= p->hour.slot.v[i].weight;
		ms -= p->hour.slot.v[i].ms;
		if (p->hour.slot.v[i].weight > p->hour.slot.v[largest].weight)
			largest = i;
	}
	bool amount = false;
	for (int b = 0; b < BASIS_N; b++)
		amount |= s->has_amount[b];
	if (known && (any_left || first == p->hour.slot.n))
		push_left(p, ipaid, left, ms);
	else if (known)
		p->hour.slot.v[largest].weight += left;
	else if (amount && first == p->hour.slot.n)
		push_slot(p, ipaid, NULL, 0, 0);
}

static int book_hour(struct pool *p, int64_t hour_ms)
{
	int64_t end = hour_ms + MS_HOUR;
	p->hour.hour_ms = hour_ms;
	/* Allocations that began before `to`; those that ended before `from` go. */
	size_t keep = 0;
	for (size_t i = 0; i < p->active.n; i++)
		if (p->alloc[p->active.v[i]].to_ms > hour_ms)
			p->active.v[keep++] = p->active.v[i];
	p->active.n = keep;
	for (; p->next < p->nalloc && p->alloc[p->order[p->next]].from_ms < end; p->next++)
		if (p->alloc[p->order[p->next]].to_ms > hour_ms)
			*vec_push(&p->active) = p->order[p->next];
	for (size_t i = p->ipaid; i < p->npaid && p->paid[i].from_ms < end; i++) {
		int64_t from = max_i64(p->paid[i].from_ms, hour_ms);
		int64_t to = min_i64(p->paid[i].to_ms, end);
		if (from < to)
			book_interval(p, i, from, to);
	}
	while (p->ipaid < p->npaid && p->paid[p->ipaid].to_ms <= end)
		p->ipaid++;
	/* The hour's own milliseconds stand unless they do not add up to what was paid, one of them
	 * is below zero, or they were scaled: what is left over would take the rounding of all of
	 * them. */
	int64_t own = 0;
	bool known = false, below = p->scaled;
	for (size_t i = 0; i < p->hour.slot.n; i++) {
		const struct slot *s = &p->hour.slot.v[i];
		own += s->ms;
		below |= s->ms < 0;
		known |= p->paid[s->key.interval].gpus_known && p->paid[s->key.interval].recorded;
	}
	p->scaled = false;
	hour_end(&p->close, &p->hour);
	if (!known) {
		/* Cumulative per allocation, not over the pool. */
		p->close.ms_sum += own - p->hour.total_ms;
		p->close.weight_sum = WEIGHT_PER_MS * p->close.ms_sum;
		p->hour.total_ms = own;
	}
	return hour_close(&p->close, &p->hour, !below, p->err);
}

/* The next hour in which there is anything to book: paid, and known to be paid or held. */
static int64_t next_hour(const struct pool *p, int64_t hour_ms)
{
	if (p->ipaid >= p->npaid)
		return INT64_MAX;
	const struct attrib_paid *s = &p->paid[p->ipaid];
	int64_t h = tm_floor(s->from_ms, MS_HOUR);
	if (h < hour_ms)
		h = hour_ms;
	bool must = s->recorded && s->gpus_known;
	for (int b = 0; b < BASIS_N; b++)
		must |= s->has_amount[b];
	if (must)
		return h;
	int64_t held = INT64_MAX;
	if (p->next < p->nalloc)
		held = tm_floor(p->alloc[p->order[p->next]].from_ms, MS_HOUR);
	for (size_t i = 0; i < p->active.n; i++)
		if (p->alloc[p->active.v[i]].to_ms > h)
			return h;
	/* Nothing is held until then; intervals that end before need no visit, but one that must
	 * have one begins its own hour. */
	if (held <= h)
		return h;
	int64_t interval_end = tm_floor(s->to_ms - 1, MS_HOUR);
	return min_i64(held, interval_end);
}

int attrib_pool(const struct attrib_conf *conf, const struct attrib_pool *of,
		const struct attrib_out *out, struct err *err)
{
	const struct attrib_alloc *alloc = of->alloc;
	struct pool p = { .paid = of->paid,
			  .npaid = of->npaid,
			  .alloc = alloc,
			  .nalloc = of->nalloc,
			  .seen = of->seen,
			  .nseen = of->nseen,
			  .rest = out->rest,
			  .err = err };
	int r = closer_init(&p.close, of->paid, of->npaid, out, err);
	if (r >= 0)
		r = pool_init(&p, conf);
	for (int64_t h = INT64_MIN; r >= 0 && (h = next_hour(&p, h)) != INT64_MAX; h += MS_HOUR)
		r = book_hour(&p, h);
	if (r >= 0) {
		__int128 unpaid = 0;
		for (size_t i = 0; i < of->nalloc && p.any_recorded; i++)
			unpaid += p.member[i].size * rest_counted(out->rest, alloc[i].from_ms,
								  alloc[i].to_ms) -
				  p.member[i].counted;
		out->rest->unpaid_alloc_ms = (int64_t)(unpaid / SIZE_ONE);
		closer_rest(&p.close, out->rest);
	}
	closer_free(&p.close);
	vec_free(&p.active);
	vec_free(&p.edge);
	vec_free(&p.hour.slot);
	free(p.member);
	free(p.order);
	if (r < 0)
		return r;
	return 0;
}
