/* Booking an interval of a GPU: shares, whose reading it is, state and cause. */
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "ledger/attrib_line.h"

static enum quality worse(enum quality a, enum quality b)
{
	return max_int(a, b);
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
				  .interval = (uint32_t)t->ipaid,
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

/* The whole GPU's reading. A sample that names a job stands in for it only where no allocation
 * knows that job and the owner has no name to tell them apart by. */
static const struct reading *gpu_reading(const struct timeline *t, const struct attrib_alloc *of,
					 bool *ret_of_other)
{
	*ret_of_other = false;
	if (of->doubt)
		return &no_reading;
	if (line_alive(t, 0))
		return &t->stream.v[0].r;
	for (size_t i = 1; i < t->stream.n && !of->job_id.n; i++) {
		const struct stream *s = &t->stream.v[i];
		if (line_alive(t, i) && !s->known && !s->mig.n) {
			*ret_of_other = true;
			return &s->r;
		}
	}
	return &no_reading;
}

/* Shares of undeclared time slices by their processes' readings, if there is one of each and not
 * all are zero. */
static const int64_t *parts_now(struct timeline *t)
{
	int64_t whole = 0, util = 0, *w = t->measured;
	size_t n = 0;
	if (!t->sum.by_process)
		return t->part;
	for (size_t i = 0; i < t->active.n; i++) {
		if (!share_is_open(&t->use[i]))
			continue;
		const struct stream *s = line_own(t, t->active.v[i]);
		if (!s || s->r.class == READ_NONE)
			return t->part;
		whole += t->part[i];
		util += s->r.util_ppm;
		w[n++] = s->r.util_ppm;
	}
	if (util == 0)
		return t->part;
	share_spread(whole, n, w, w + t->nparts);
	int64_t *part = w + 2 * t->nparts;
	for (size_t i = 0, k = 0; i < t->active.n; i++)
		part[i] = share_is_open(&t->use[i]) ? w[t->nparts + k++] : t->part[i];
	return part;
}

/* ---- what nobody holds ------------------------------------------------------------------- */

static bool shows_use(const struct reading *r)
{
	return r->class != READ_NONE && r->class != READ_EMPTY && r->class != READ_HELD_NO_MEMORY;
}

/* By a reading, time that no allocation has. */
static void put_reading(struct timeline *t, size_t owner, const struct reading *r, bool guessed,
			int64_t part, int64_t ms)
{
	enum state state;
	enum cause cause;
	bool estimated = guessed || r->estimated || r->class == READ_NONE;
	reading_state(r, &state, &cause);
	if (r->class == READ_NONE && owner == ATTRIB_NOBODY)
		cause = CAUSE_UNWATCHED;
	if (r->class == READ_EMPTY && owner == ATTRIB_NOBODY) {
		/* nobody is named, and neither use nor memory: nobody holds it */
		state = STATE_UNALLOCATED;
		cause = CAUSE_FREE;
		estimated = true;
	}
	struct slot_key k =
		key_of(t, owner, state, cause,
		       worse(t->paid->quality, estimated ? QUALITY_ESTIMATED : QUALITY_MEASURED));
	put(t, &k, part, ms, r);
}

/* A stream that says itself who is there: a job, or an instance of an owner, that no allocation
 * knows. */
static bool is_claim(const struct timeline *t, size_t i)
{
	const struct stream *s = &t->stream.v[i];
	bool named = s->job.n || s->owner != ATTRIB_NOBODY || !t->paid->recorded;
	if (!line_alive(t, i) || s->known)
		return false;
	return !s->like && named;
}

static bool instance_is_held(const struct timeline *t, struct sv mig)
{
	for (size_t i = 0; i < t->active.n; i++)
		if (sv_eq(t->g->alloc[t->active.v[i]].mig, mig))
			return true;
	return false;
}

/* Does a reading of a MIG instance that nobody holds now give its time to anybody? Not that of a
 * job whose time is over, nor one that began under the last owner; of a recorded GPU one that
 * shows use; of an unrecorded GPU there is as much time as was read. */
static bool instance_tells(const struct timeline *t, const struct stream *s)
{
	bool claimed = !s->known && (s->job.n || s->owner != ATTRIB_NOBODY),
	     over = s->known && s->job.n;
	bool tells = !s->began_held && (shows_use(&s->r) || !t->paid->recorded);
	return !over && (claimed || tells);
}

/* MIG instances that nobody holds now, whose size is known from those who hold them at other times.
 * Returns what is left. */
static int64_t book_instances(struct timeline *t, int64_t ms, int64_t rest)
{
	for (size_t i = 1; i < t->stream.n && rest > 0; i++) {
		const struct stream *s = &t->stream.v[i];
		if (!line_alive(t, i) || !s->like)
			continue;
		if (instance_is_held(t, s->mig) || !instance_tells(t, s))
			continue;
		int64_t part = (int64_t)((__int128)share_of_slices(&t->g->geom,
								   s->like->mig_compute,
								   s->like->mig_memory) *
					 t->gpu / SHARE_ONE);
		part = min_i64(part, rest);
		put_reading(t, s->owner, &s->r, false, part, ms);
		rest -= part;
	}
	return rest;
}

/* Samples name jobs or instances that no allocation knows, and nobody is known to hold the GPU:
 * those do, in equal parts. */
static bool book_claims(struct timeline *t, int64_t ms, int64_t rest)
{
	int64_t n = 0, given = 0, k = 0;
	for (size_t i = 1; i < t->stream.n; i++)
		n += is_claim(t, i);
	for (size_t i = 1; i < t->stream.n && n; i++) {
		const struct stream *s = &t->stream.v[i];
		if (!is_claim(t, i))
			continue;
		int64_t upto = (int64_t)((__int128)rest * ++k / n);
		put_reading(t, s->owner, &s->r, n > 1, upto - given, ms);
		given = upto;
	}
	return n > 0;
}

/* What time that nobody holds is now: by an agent that watched the GPU, else by the record. */
static struct attrib_told unheld_now(const struct timeline *t, enum quality *ret_quality)
{
	const struct attrib_told *x = t->itold < t->g->ntold ? &t->g->told[t->itold] : NULL;
	bool told = x && x->from_ms <= t->now_ms;
	*ret_quality = told ? QUALITY_MEASURED : t->paid->unheld_quality;
	if (told)
		return *x;
	return (struct attrib_told){ .state = t->paid->unheld_state,
				     .cause = t->paid->unheld_cause };
}

/*
 * Recorded time of a share that nobody is named for. Somebody who would have seen an owner says
 * that it is free, and so does a reading of the GPU that shows neither use nor memory: measured
 * where processes are seen too, else estimated. Otherwise nobody looked.
 */
static struct slot_key key_unheld(const struct timeline *t, const struct sample *s,
				  const struct reading *gpu)
{
	const struct attrib_paid *p = t->paid;
	enum quality q;
	struct attrib_told u = unheld_now(t, &q);

	if (gpu->class == READ_EMPTY) {
		bool seen = s->value[METRIC_PROC_COUNT] == 0 && !gpu->estimated;
		enum quality by_reading = QUALITY_ESTIMATED;
		if (seen)
			by_reading = QUALITY_MEASURED;
		if (u.state != STATE_UNALLOCATED)
			return key_of(t, p->owner, STATE_UNALLOCATED, CAUSE_FREE,
				      worse(p->quality, by_reading));
		q = min_int(by_reading, q);
	}
	return key_of(t, p->owner, u.state, u.cause, worse(p->quality, q));
}

static void put_unheld(struct timeline *t, int64_t part, int64_t ms, bool stranded)
{
	const struct stream *s = &t->stream.v[0];
	const struct reading *gpu = &no_reading; /* where it can tell of time that nobody holds */
	if (line_alive(t, 0) && (t->active.n || !s->began_held))
		gpu = &s->r;
	struct slot_key k = key_unheld(t, &s->s, gpu);
	if (stranded && k.state == STATE_UNALLOCATED && k.cause == CAUSE_FREE)
		k.cause = CAUSE_STRANDED;
	put(t, &k, part, ms, NULL);
}

/* Does a reading of the GPU as a whole, begun after the last owner, show use? */
static bool gpu_tells(const struct timeline *t)
{
	const struct stream *s = &t->stream.v[0];
	if (!line_alive(t, 0) || s->r.class == READ_NONE || s->began_held)
		return false;
	enum quality q;
	bool free = unheld_now(t, &q).state == STATE_UNALLOCATED;
	return shows_use(&s->r) || (s->r.class == READ_HELD_NO_MEMORY && !free);
}

/* An instance without a size says of a recorded GPU that somebody works on it, not on how much. */
static const struct stream *instance_in_use(const struct timeline *t)
{
	for (size_t i = 1; i < t->stream.n && t->paid->recorded; i++) {
		const struct stream *s = &t->stream.v[i];
		if (line_alive(t, i) && !s->known && !s->like && !s->job.n && shows_use(&s->r))
			return s;
	}
	return NULL;
}

static int book_held(struct timeline *t, int64_t ms)
{
	const int64_t *part = parts_now(t);
	for (size_t i = 0; i < t->active.n; i++) {
		uint32_t a = t->active.v[i];
		const struct stream *own = line_own(t, a);
		bool of_other = false;
		const struct reading *read = own ? &own->r
						 : gpu_reading(t, &t->g->alloc[a], &of_other);
		int r = put_share(t, a, part[i], ms, read, !own && (of_other || t->active.n > 1));
		if (r < 0)
			return r;
	}
	if (t->sum.over)
		t->rest->oversubscribed_ms += rest_counted(t->rest, t->now_ms, t->now_ms + ms);
	int64_t rest = book_instances(t, ms, t->sum.rest);
	if (t->paid->recorded && rest > 0)
		put_unheld(t, rest, ms, t->sum.stranded);
	return 0;
}

int line_book(struct timeline *t, int64_t to_ms)
{
	int64_t ms = to_ms - t->now_ms;
	if (t->active.n)
		return book_held(t, ms);
	/*
	 * Nobody holds the GPU. A record, or who watched, says what such time is (free, draining
	 * ...) unless a reading shows work or memory on it; a reading of an owner is not of the
	 * time after him.
	 */
	int64_t rest = book_instances(t, ms, t->gpu);
	if (rest <= 0 || book_claims(t, ms, rest))
		return 0;
	const struct stream *gpu = &t->stream.v[0], *s = gpu_tells(t) ? gpu : instance_in_use(t);
	/* Without a record of the machine there is the time of its owners and of readings begun
	 * after them. */
	bool is_paid = t->paid->recorded || (line_alive(t, 0) && !gpu->began_held);
	if (s)
		put_reading(t, t->paid->owner, &s->r, s != gpu, rest, ms);
	else if (is_paid)
		put_unheld(t, rest, ms, false);
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
		if (h->slot.v[i].key.interval == t->ipaid)
			return;
	struct slot_key k = key_of(t, p->owner, p->unheld_state, p->unheld_cause,
				   worse(p->quality, p->unheld_quality));
	put(t, &k, 0, 0, NULL);
}
