/* Booking a piece of time: shares, whose reading it is, state and cause. */
#include <stdlib.h>

#include "base/tm.h"
#include "ledger/attrib_line.h"

static enum quality worse(enum quality a, enum quality b)
{
	return a > b ? a : b;
}

static void put(struct timeline *t, const struct slot_key *k, int64_t part, int64_t ms,
		const struct reading *r)
{
	__int128 weight = (__int128)part * ms;
	struct slot *s = hour_add(line_hour(t), k, weight);
	if (r && r->class != READ_NONE) {
		s->util_weight += weight * r->util_ppm;
		s->has_util = true;
	}
}

static struct slot_key key_of(const struct timeline *t, size_t owner, enum state state,
			      enum cause cause, enum quality q)
{
	return (struct slot_key){ .owner = owner,
				  .stretch = (uint32_t)t->ipaid,
				  .pending = NOT_PENDING,
				  .state = (uint8_t)state,
				  .cause = (uint8_t)cause,
				  .quality = (uint8_t)q };
}

/* Cause of idle time of an allocation, or "ask at the end of the run". */
static void idle_cause(struct timeline *t, uint32_t a, struct slot_key *k, int64_t ms)
{
	const struct attrib_alloc *al = &t->g->alloc[a];
	struct hold *h = &t->hold[a];
	if (!h->run) {
		h->run = true;
		h->run_idle_ms = 0;
		h->run_hour_ms = tm_floor(t->now_ms, MS_HOUR);
	}
	h->run_idle_ms += ms;
	if (k->cause == CAUSE_STALLED)
		return;
	if (k->state == STATE_IDLE_HELD && al->notebook)
		k->cause = CAUSE_NOTEBOOK;
	else if (k->state == STATE_IDLE_HELD && al->service)
		k->cause = CAUSE_WARM_SERVER;
	else
		k->pending = (int32_t)a;
}

static int put_share(struct timeline *t, uint32_t a, int64_t part, int64_t ms,
		     const struct reading *r, bool shared_reading)
{
	const struct attrib_alloc *al = &t->g->alloc[a];
	enum quality q = worse(t->paid->quality, al->quality);
	enum state state;
	enum cause cause;
	reading_state(r, &state, &cause);
	if (al->end_state != STATE_NONE) {
		struct slot_key k = key_of(t, al->owner, al->end_state, al->end_cause, q);
		put(t, &k, part, ms, r);
		return 0;
	}
	if (r->class == READ_NONE || r->estimated || shared_reading)
		q = worse(q, QUALITY_ESTIMATED);
	struct slot_key k = key_of(t, al->owner, state, cause, q);
	if (r->class == READ_BUSY || r->class == READ_UNDERUSED) {
		int e = line_end_run(t, a, false);
		if (e < 0)
			return e;
		t->hold[a].was_busy = true;
	} else if (r->class != READ_NONE) {
		idle_cause(t, a, &k, ms);
	}
	put(t, &k, part, ms, r);
	return 0;
}

static const struct reading no_reading = { READ_NONE, false, 0 };

/* The whole card's reading; samples that name a job no allocation has stand in for it. */
static const struct reading *card_reading(const struct timeline *t, bool *ret_of_other)
{
	*ret_of_other = false;
	if (line_alive(t, 0))
		return &t->stream.v[0].r;
	for (size_t i = 1; i < t->stream.n; i++)
		if (line_alive(t, i) && !t->stream.v[i].linked && !t->stream.v[i].mig.n) {
			*ret_of_other = true;
			return &t->stream.v[i].r;
		}
	return &no_reading;
}

/* Shares of undeclared time slices by their processes' readings, if there is one of each and not all are zero. */
static const int64_t *parts_now(struct timeline *t)
{
	int64_t whole = 0, util = 0, *w = t->measured;
	size_t n = 0;
	if (!t->shares.by_process)
		return t->shares.part;
	for (size_t i = 0; i < t->active.n; i++) {
		if (!shares_by_process(&t->g->alloc[t->active.v[i]]))
			continue;
		int32_t s = t->hold[t->active.v[i]].stream;
		if (s < 0 || !line_alive(t, (size_t)s) || t->stream.v[s].r.class == READ_NONE)
			return t->shares.part;
		whole += t->shares.part[i];
		util += t->stream.v[s].r.util_ppm;
		w[n++] = t->stream.v[s].r.util_ppm;
	}
	if (util == 0)
		return t->shares.part;
	shares_spread(whole, n, w, w + t->nparts);
	int64_t *part = w + 2 * t->nparts;
	for (size_t i = 0, k = 0; i < t->active.n; i++)
		part[i] = shares_by_process(&t->g->alloc[t->active.v[i]]) ? w[t->nparts + k++]
									  : t->shares.part[i];
	return part;
}

static int book_held(struct timeline *t, int64_t ms)
{
	bool of_other;
	const struct reading *card = card_reading(t, &of_other);
	const int64_t *part = parts_now(t);
	for (size_t i = 0; i < t->active.n; i++) {
		uint32_t a = t->active.v[i];
		int32_t own = t->hold[a].stream;
		bool has_own = own >= 0 && line_alive(t, (size_t)own);
		int r = put_share(t, a, part[i], ms, has_own ? &t->stream.v[own].r : card,
				  !has_own && (of_other || t->active.n > 1));
		if (r < 0)
			return r;
	}
	if (t->shares.over)
		t->rest->oversubscribed_ms += ms;
	if (t->paid->recorded && t->shares.rest > 0) {
		bool stranded = t->shares.stranded && t->paid->unheld_state == STATE_UNALLOCATED;
		struct slot_key k = key_of(t, t->paid->owner, t->paid->unheld_state,
					   stranded ? CAUSE_STRANDED : t->paid->unheld_cause,
					   t->paid->quality);
		put(t, &k, t->shares.rest, ms, NULL);
	}
	return 0;
}

/* No allocation, but samples that name jobs or instances: those hold the card, in equal parts. */
static bool book_named(struct timeline *t, int64_t ms)
{
	int64_t n = 0, given = 0, k = 0;
	for (size_t i = 1; i < t->stream.n; i++)
		n += line_alive(t, i);
	for (size_t i = 1; i < t->stream.n && n; i++) {
		const struct stream *s = &t->stream.v[i];
		if (!line_alive(t, i))
			continue;
		int64_t upto = (int64_t)((__int128)t->card * ++k / n);
		enum state state;
		enum cause cause;
		reading_state(&s->r, &state, &cause);
		bool est = s->r.class == READ_NONE || s->r.estimated || n > 1;
		struct slot_key key =
			key_of(t, s->owner, state, cause,
			       worse(t->paid->quality, est ? QUALITY_ESTIMATED : QUALITY_MEASURED));
		put(t, &key, upto - given, ms, &s->r);
		given = upto;
	}
	return n > 0;
}

/*
 * Nobody holds the card. A record says what such time is (free, draining ...) unless a reading shows work or memory on it; a reading that began
 * while the card was held is of that holder, not of the time after. Without a record only sampled time exists.
 */
static void book_unheld(struct timeline *t, int64_t ms)
{
	const struct attrib_paid *p = t->paid;
	const struct stream *s = &t->stream.v[0];
	bool read = line_alive(t, 0) && s->r.class != READ_NONE && (!s->began_held || !p->recorded);
	if (book_named(t, ms) || (!p->recorded && !line_alive(t, 0)))
		return;
	if (p->recorded && read && p->unheld_state == STATE_UNALLOCATED)
		read = s->r.class != READ_EMPTY && s->r.class != READ_HELD_NO_MEMORY;
	struct slot_key k = key_of(t, p->owner, p->unheld_state, p->unheld_cause, p->quality);
	if (read || !p->recorded) {
		enum state state;
		enum cause cause;
		reading_state(&s->r, &state, &cause);
		bool est = s->r.class == READ_NONE || s->r.estimated;
		k = key_of(t, p->owner, state, cause,
			   worse(p->quality, est ? QUALITY_ESTIMATED : QUALITY_MEASURED));
	}
	put(t, &k, t->card, ms, read ? &s->r : NULL);
}

int line_book(struct timeline *t, int64_t to_ms)
{
	int64_t ms = to_ms - t->now_ms;
	if (t->active.n)
		return book_held(t, ms);
	book_unheld(t, ms);
	return 0;
}

void line_keep_amount(struct timeline *t)
{
	const struct attrib_paid *p = t->paid;
	bool amount = false;
	for (int b = 0; p && b < BASIS_N; b++)
		amount |= p->has_amount[b];
	if (!amount)
		return;
	const struct hour *h = line_hour(t);
	for (size_t i = h->slot.n; i-- > 0;)
		if (h->slot.v[i].key.stretch == t->ipaid)
			return;
	struct slot_key k = key_of(t, p->owner, p->unheld_state, p->unheld_cause, p->quality);
	put(t, &k, 0, 0, NULL);
}
