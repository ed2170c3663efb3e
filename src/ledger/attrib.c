/*
 * The timeline of one GPU. Time is cut at every boundary (hour, paid interval, allocation, sample,
 * end of a reading); each span is booked into the table of its hour: shares, whose reading it is,
 * state and cause.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "ledger/attrib_line.h"

#define AT(member) offsetof(struct attrib_conf, member)

const struct setting attrib_settings[] = {
	{ "idle_util_pct", SETTING_NUMBER, AT(idle_util_pct), .hi = 100, .def = "0", .unit = "%",
	  .help = "utilisation at or below is idle" },
	{ "underused_util_pct", SETTING_NUMBER, AT(underused_util_pct), .hi = 100, .def = "25",
	  .unit = "%", .help = "below is underused, at or above busy" },
	{ "empty_mib", SETTING_NUMBER, AT(empty_bytes), .hi = 1e9, .def = "500", .unit = "MiB",
	  .scale = 1024 * 1024,
	  .help = "idle memory at or below this, or empty_frac of the GPU, is empty" },
	{ "empty_frac", SETTING_NUMBER, AT(empty_frac), .hi = 1, .def = "0.01",
	  .help = "the same as a part of the GPU; the larger of the two counts" },
	{ "stalled_sm_frac", SETTING_NUMBER, AT(stalled_sm_frac), .hi = 1, .def = "0.01",
	  .help = "SM activity at or below contradicts busy" },
	{ "stalled_power_frac_tdp", SETTING_NUMBER, AT(stalled_power_frac_tdp), .hi = 1,
	  .def = "0.22",
	  .help = "power at or below this part of the board's contradicts fully busy" },
	{ "finished_after", SETTING_SPAN_S, AT(finished_after_s), .lo = 1, .hi = 1e15, .def = "30m",
	  .wrong = "'finished_after' must be a duration such as 30m or 2h",
	  .help = "idle this long up to the end of the allocation is finished" },
	{ 0 },
};

void attrib_conf_default(struct attrib_conf *c)
{
	*c = (struct attrib_conf){ 0 };
	setting_defaults(attrib_settings, c);
}

/* ---- booking --------------------------------------------------------------------------- */

static enum quality worse_quality(enum quality a, enum quality b)
{
	return max_int(a, b);
}

static void put_part(struct timeline *t, const struct slot_key *k, int64_t part, int64_t ms,
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
	enum quality q = worse_quality(t->paid->quality, al->quality);
	enum state state;
	enum cause cause;
	reading_state(r, &state, &cause);
	if (al->end_state != STATE_NONE) {
		struct slot_key k = key_of(t, al->owner, al->end_state, al->end_cause, q);
		put_part(t, &k, part, ms, r);
		return 0;
	}
	if (r->class == READ_NONE || r->estimated || shared_reading)
		q = worse_quality(q, QUALITY_ESTIMATED);
	struct slot_key k = key_of(t, al->owner, state, cause, q);
	if (r->class == READ_BUSY || r->class == READ_UNDERUSED) {
		int e = line_end_run(t, a, false);
		if (e < 0)
			return e;
		t->hold[a].was_busy = true;
	} else if (r->class != READ_NONE) {
		idle_cause(t, a, &k, ms);
	}
	put_part(t, &k, part, ms, r);
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
	struct slot_key k = key_of(
		t, owner, state, cause,
		worse_quality(t->paid->quality, estimated ? QUALITY_ESTIMATED : QUALITY_MEASURED));
	put_part(t, &k, part, ms, r);
}

/* A stream that says itself who is there: a job, or an instance of an owner, that no allocation
 * knows. */
static bool is_claim(const struct timeline *t, size_t i)
{
	const struct stream *s = &t->stream.v[i];
	bool named = s->job.n || s->owner != ATTRIB_NOBODY || !t->paid->recorded;
	if (!line_alive(t, i) || s->known)
		return false;
	return !(s->like || s->compute) && named;
}

static bool instance_is_held(const struct timeline *t, struct sv mig)
{
	for (size_t i = 0; i < t->active.n; i++)
		if (sv_eq(t->g->alloc[t->active.v[i]].mig, mig))
			return true;
	return false;
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
				      worse_quality(p->quality, by_reading));
		q = min_int(by_reading, q);
	}
	return key_of(t, p->owner, u.state, u.cause, worse_quality(p->quality, q));
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

/* A MIG instance of known size that is there now: it is being read, or was read on this day and
 * nothing took its room. One stream of each: of those that are read the first that tells of its
 * time. */
static bool speaks_for_instance(const struct timeline *t, size_t stream)
{
	const struct stream *s = &t->stream.v[stream];
	bool alive = line_alive(t, stream), tells = alive && instance_tells(t, s);
	bool today = tm_floor(s->s.t_ms, MS_DAY) == tm_floor(t->now_ms, MS_DAY);

	if (!s->mig.n || s->compute <= 0 || s->end_ms == INT64_MIN || (!alive && !today))
		return false;
	for (size_t i = 1; i < t->stream.n; i++) {
		const struct stream *o = &t->stream.v[i];
		if (i == stream || o->compute <= 0 || !sv_eq(o->mig, s->mig))
			continue;
		bool o_alive = line_alive(t, i), o_tells = o_alive && instance_tells(t, o);
		int better = 2 * (o_alive - alive) + (o_tells - tells);
		if (better > 0 || (better == 0 && i < stream))
			return false;
	}
	return true;
}

/* What owners that name no instance have of the instances that are read: as many of the same
 * size, those in use first, so that of all work as much as can be is somebody's. */
static void take_unnamed(struct timeline *t, bool *io_there)
{
	for (size_t k = 0; k < t->active.n; k++) {
		const struct attrib_alloc *a = &t->g->alloc[t->active.v[k]];
		size_t of = 0;
		if (a->mig.n || a->share_kind != SHARE_MIG)
			continue;
		for (size_t i = 1; i < t->stream.n; i++) {
			const struct stream *s = &t->stream.v[i];
			bool fits = io_there[i] && s->compute == a->mig_compute;
			bool used = line_alive(t, i) && shows_use(&s->r);
			if (fits && (!of || (used && !shows_use(&t->stream.v[of].r))))
				of = i;
		}
		io_there[of] = false;
	}
}

/* A part of the GPU that an instance is which nobody holds. One that is not read now is unknown. */
static void put_instance(struct timeline *t, size_t stream, int64_t part, int64_t ms)
{
	const struct stream *s = &t->stream.v[stream];
	const struct reading *r = line_alive(t, stream) ? &s->r : &no_reading;

	if (r != &no_reading && instance_tells(t, s)) {
		put_reading(t, s->owner, r, false, part, ms);
	} else if (t->paid->recorded) {
		const struct reading *now = s->began_held ? &no_reading : r;
		struct slot_key k = key_unheld(t, &s->s, now);
		put_part(t, &k, part, ms, NULL);
	}
}

static int64_t instance_part(const struct timeline *t, const struct stream *s)
{
	int64_t of = share_of_slices(&t->g->geom, s->compute, s->memory);

	return (int64_t)((__int128)of * t->gpu / SHARE_ONE);
}

/* Books an instance that nobody holds, as far as it has room; returns how much of the GPU. */
static int64_t book_instance(struct timeline *t, size_t stream, int64_t ms, int64_t rest)
{
	const struct stream *s = &t->stream.v[stream];
	bool read = line_alive(t, stream);
	int64_t part = min_i64(instance_part(t, s), rest);

	if (!t->paid->recorded && !(read && instance_tells(t, s)))
		return 0;
	put_instance(t, stream, part, ms);
	return part;
}

/* MIG instances that nobody holds now and whose size is known. Returns what is left, and whether it
 * is of no use to anybody. */
static int64_t book_instances(struct timeline *t, int64_t ms, int64_t rest, bool *ret_strands)
{
	size_t nuse = t->active.n, nsized = 0;

	t->laid_out = false;
	for (size_t i = 1; i < t->stream.n; i++) {
		bool sized = t->stream.v[i].mig.n && t->stream.v[i].compute > 0;
		nsized += sized;
		t->laid_out |= sized && line_alive(t, i);
	}
	*ret_strands = nuse && t->sum.stranded;
	if (!nsized)
		return rest;
	bool *there = xcalloc(t->stream.n, sizeof *there);
	struct share_use *use = xcalloc(nuse + t->stream.n, sizeof *use);
	for (size_t i = 0; i < nuse; i++)
		use[i] = t->use[i];
	for (size_t i = 1; i < t->stream.n; i++)
		there[i] = speaks_for_instance(t, i) && !instance_is_held(t, t->stream.v[i].mig);
	take_unnamed(t, there);
	/* those that are read first: what took the place of one that is not is read */
	for (int read = 1; read >= 0; read--)
		for (size_t i = 1; i < t->stream.n && rest > 0; i++) {
			const struct stream *s = &t->stream.v[i];
			if (!there[i] || line_alive(t, i) != read)
				continue;
			if (!read && instance_part(t, s) > rest)
				continue;
			rest -= book_instance(t, i, ms, rest);
			use[nuse++] = (struct share_use){ .kind = SHARE_MIG,
							  .ppb = -1,
							  .compute = s->compute,
							  .memory = s->memory,
							  .start = -1,
							  .mig = s->mig };
		}
	*ret_strands = rest > 0 && share_strands(&t->g->geom, nuse, use);
	free(there);
	free(use);
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

static void put_unheld(struct timeline *t, int64_t part, int64_t ms, bool stranded)
{
	const struct stream *s = &t->stream.v[0];
	const struct reading *gpu = &no_reading; /* where it can tell of time that nobody holds */
	if (line_alive(t, 0) && (t->active.n || !s->began_held))
		gpu = &s->r;
	struct slot_key k = key_unheld(t, &s->s, gpu);
	/* The instances of the GPU are read, and this is none: nobody can hold it. */
	if (t->laid_out && k.state == STATE_UNKNOWN && k.cause == CAUSE_UNWATCHED)
		k = key_of(t, t->paid->owner, STATE_UNALLOCATED, CAUSE_FREE,
			   worse_quality(t->paid->quality, QUALITY_ESTIMATED));
	if (stranded && k.state == STATE_UNALLOCATED && k.cause == CAUSE_FREE)
		k.cause = CAUSE_STRANDED;
	put_part(t, &k, part, ms, NULL);
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
		if (line_alive(t, i) && !s->known && !s->compute && !s->job.n && shows_use(&s->r))
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
		if (own && !own->job.n && t->g->alloc[a].doubt)
			own = NULL; /* of an instance that may be another's */
		bool of_other = false;
		const struct reading *read = own ? &own->r
						 : gpu_reading(t, &t->g->alloc[a], &of_other);
		int r = put_share(t, a, part[i], ms, read, !own && (of_other || t->active.n > 1));
		if (r < 0)
			return r;
	}
	if (t->sum.over)
		t->rest->oversubscribed_ms += rest_counted(t->rest, t->now_ms, t->now_ms + ms);
	bool strands;
	int64_t rest = book_instances(t, ms, t->sum.rest, &strands);
	if (t->paid->recorded && rest > 0)
		put_unheld(t, rest, ms, strands);
	return 0;
}

/* Book [now, to), which has paid time. */
static int line_book(struct timeline *t, int64_t to_ms)
{
	int64_t ms = to_ms - t->now_ms;
	if (t->active.n)
		return book_held(t, ms);
	/*
	 * Nobody holds the GPU. A record, or who watched, says what such time is (free, draining
	 * ...) unless a reading shows work or memory on it; a reading of an owner is not of the
	 * time after him.
	 */
	bool strands;
	int64_t rest = book_instances(t, ms, t->gpu, &strands);
	if (rest <= 0 || book_claims(t, ms, rest))
		return 0;
	const struct stream *gpu = &t->stream.v[0], *s = NULL;
	if (!t->laid_out) /* else it is they that a reading of all of it tells of */
		s = gpu_tells(t) ? gpu : instance_in_use(t);
	/* Without a record of the machine there is the time of its owners and of readings begun
	 * after them. */
	bool is_paid = t->paid->recorded || (line_alive(t, 0) && !gpu->began_held);
	if (s)
		put_reading(t, t->paid->owner, &s->r, s != gpu, rest, ms);
	else if (is_paid)
		put_unheld(t, rest, ms, strands);
	return 0;
}

/* At the end of a paid interval: an amount with no time to stand on (unrecorded, nothing held or
 * read) still is an entry. */
static void line_keep_amount(struct timeline *t)
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
				   worse_quality(p->quality, p->unheld_quality));
	put_part(t, &k, 0, 0, NULL);
}

/* ---- the line -------------------------------------------------------------------------- */

static void free_parts(struct timeline *t)
{
	free(t->use);
	free(t->part);
	free(t->measured);
}

struct share_use attrib_use(const struct attrib_alloc *a)
{
	return (struct share_use){ .kind = a->share_kind,
				   .ppb = a->share_ppb,
				   .compute = a->mig_compute,
				   .memory = a->mig_memory,
				   .start = a->mig_start,
				   .mig = a->mig };
}

static void refresh_parts(struct timeline *t)
{
	if (t->active.n > t->nparts) {
		t->nparts = t->active.n * 2;
		free_parts(t);
		t->use = xcalloc(t->nparts, sizeof *t->use);
		t->part = xcalloc(t->nparts, sizeof *t->part);
		t->measured = xcalloc(3 * t->nparts, sizeof *t->measured);
	}
	for (size_t i = 0; i < t->active.n; i++)
		t->use[i] = attrib_use(&t->g->alloc[t->active.v[i]]);
	if (t->active.n)
		share_split(&t->g->geom, t->gpu, t->active.n, t->use, t->part, &t->sum);
	line_link_streams(t);
	t->stale = false;
}

/* Take in allocations that began and drop those that ended at now. */
static int step_allocs(struct timeline *t)
{
	const struct attrib_alloc *al = t->g->alloc;
	size_t keep = 0;
	int r;
	if (t->now_ms < t->alloc_change_ms)
		return 0;
	for (size_t i = 0; i < t->active.n; i++) {
		uint32_t a = t->active.v[i];
		if (al[a].to_ms > t->now_ms)
			t->active.v[keep++] = a;
		else if ((r = line_end_run(t, a, true)) < 0)
			return r;
	}
	t->active.n = keep;
	for (; t->ialloc < t->g->nalloc && al[t->ialloc].from_ms <= t->now_ms; t->ialloc++)
		if (al[t->ialloc].to_ms > t->now_ms)
			*vec_push(&t->active) = (uint32_t)t->ialloc;
	t->alloc_change_ms = t->ialloc < t->g->nalloc ? al[t->ialloc].from_ms : INT64_MAX;
	for (size_t i = 0; i < t->active.n; i++)
		if (al[t->active.v[i]].to_ms < t->alloc_change_ms)
			t->alloc_change_ms = al[t->active.v[i]].to_ms;
	t->stale = true;
	return 0;
}

#define MIN_INTO(a, b)            \
	do {                      \
		int64_t b_ = (b); \
		if (b_ < (a))     \
			(a) = b_; \
	} while (0)

static int64_t span_end(const struct timeline *t, int64_t end_ms)
{
	int64_t to = end_ms;
	MIN_INTO(to, t->alloc_change_ms);
	if (!t->paid) {
		if (t->ipaid < t->g->npaid)
			MIN_INTO(to, t->g->paid[t->ipaid].from_ms);
		return to;
	}
	if (t->itold < t->g->ntold) {
		const struct attrib_told *x = &t->g->told[t->itold];
		MIN_INTO(to, x->from_ms > t->now_ms ? x->from_ms : x->to_ms);
	}
	MIN_INTO(to, t->paid->to_ms);
	MIN_INTO(to, tm_floor(t->now_ms, MS_HOUR) + MS_HOUR);
	if (t->have_sample)
		MIN_INTO(to, t->sample.s->t_ms);
	for (size_t i = 0; i < t->stream.n; i++)
		if (line_alive(t, i))
			MIN_INTO(to, t->stream.v[i].end_ms);
	return to;
}

static int run_line(struct timeline *t, int64_t from, int64_t end)
{
	const struct attrib_gpu *g = t->g;
	int r = line_fetch_sample(t);
	t->now_ms = from;
	t->alloc_change_ms = from;
	while (r >= 0 && t->now_ms < end) {
		while (t->ipaid < g->npaid && g->paid[t->ipaid].to_ms <= t->now_ms)
			t->ipaid++;
		while (t->itold < g->ntold && g->told[t->itold].to_ms <= t->now_ms)
			t->itold++;
		if (t->ipaid < g->npaid && g->paid[t->ipaid].from_ms <= t->now_ms)
			t->paid = &g->paid[t->ipaid];
		else
			t->paid = NULL;
		int64_t gpu = t->gpu;
		if (t->paid)
			gpu = SHARE_ONE / 1000 * t->paid->gpus_milli;
		t->stale |= gpu != t->gpu;
		t->gpu = gpu;
		if ((r = step_allocs(t)) < 0 || (r = line_take_samples(t)) < 0)
			break;
		if (t->stale)
			refresh_parts(t);
		int64_t to = span_end(t, end);
		if (t->paid)
			r = line_book(t, to);
		else if (t->active.n && t->any_recorded)
			t->rest->unpaid_alloc_ms += rest_counted(t->rest, t->now_ms, to);
		if (r >= 0 && t->paid && to == t->paid->to_ms)
			line_keep_amount(t);
		t->now_ms = to;
		if (r >= 0 && t->open && to >= t->hour.hour_ms + MS_HOUR)
			r = line_finish_hour(t);
	}
	return r;
}

static int check_gpu(const struct attrib_gpu *g, struct err *err)
{
	for (size_t i = 0; i < g->npaid; i++)
		if (g->paid[i].gpus_milli <= 0 || g->paid[i].gpus_milli > 1000)
			return err_set(err, -EINVAL, "a GPU cannot be %lld/1000 of a GPU",
				       (long long)g->paid[i].gpus_milli);
	for (size_t i = 1; i < g->nalloc; i++)
		if (g->alloc[i].from_ms < g->alloc[i - 1].from_ms)
			return err_set(err, -EINVAL,
				       "allocations of a GPU are not in the order of their start");
	if (g->nalloc >= INT32_MAX)
		return err_set(err, -E2BIG, "too many allocations of one GPU");
	return 0;
}

int attrib_gpu(const struct attrib_conf *conf, const struct attrib_gpu *g, attrib_next_fn *next,
	       void *next_ctx, const struct attrib_out *out, struct err *err)
{
	struct timeline t = { .conf = conf,
			      .g = g,
			      .rest = out->rest,
			      .err = err,
			      .next = next,
			      .next_ctx = next_ctx,
			      .gpu = SHARE_ONE,
			      .last_t_ms = INT64_MIN };
	int r = closer_init(&t.close, g->paid, g->npaid, out, err);
	if (r >= 0)
		r = check_gpu(g, err);
	if (r >= 0 && g->npaid) {
		int64_t from = g->paid[0].from_ms, end = g->paid[g->npaid - 1].to_ms;
		t.hold = xcalloc(g->nalloc + 1, sizeof *t.hold);
		*vec_push(&t.stream) = (struct stream){ .end_ms = INT64_MIN,
							.owner = ATTRIB_NOBODY };
		for (size_t i = 0; i < g->npaid; i++)
			t.any_recorded |= g->paid[i].recorded;
		for (size_t i = 0; i < g->nalloc && t.any_recorded; i++) {
			MIN_INTO(from, g->alloc[i].from_ms);
			end = max_i64(g->alloc[i].to_ms, end);
		}
		r = run_line(&t, from, end);
		if (r >= 0)
			r = line_finish_hour(&t);
		for (size_t i = 0; i < t.active.n && r >= 0; i++)
			r = line_end_run(&t, t.active.v[i], true);
		assert(r < 0 || t.wait_head == t.wait.n);
		if (r >= 0)
			closer_rest(&t.close, out->rest);
	}
	for (size_t i = 0; i < t.stream.n; i++)
		free(t.stream.v[i].text);
	for (size_t i = t.wait_head; i < t.wait.n; i++)
		vec_free(&t.wait.v[i].slot);
	for (size_t i = 0; i < t.spare.n; i++)
		vec_free(&t.spare.v[i].slot);
	if (t.open)
		vec_free(&t.hour.slot);
	vec_free(&t.stream);
	vec_free(&t.wait);
	vec_free(&t.spare);
	vec_free(&t.active);
	intern_free(&t.names);
	free(t.hold);
	free_parts(&t);
	closer_free(&t.close);
	if (r < 0)
		return r;
	return 0;
}
