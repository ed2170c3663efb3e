/*
 * The timeline of one card. Time is cut at every boundary (hour, paid stretch, allocation, sample, end of a reading); each piece is booked
 * into the table of its hour. Streams hold the newest reading of the card and of each MIG instance or job that samples name.
 *
 * Causes that only the future knows (was the job done, or did it wait?) are decided when the idle run of the allocation ends: hours with
 * such pieces wait in a queue, a few hundred bytes each and PENDING_HOURS_MAX at most, so memory does not grow with samples.
 */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/tm.h"
#include "ledger/attrib_priv.h"

#define STREAMS_MAX 4096
/* Power alone contradicts utilisation only where that claims a (nearly) fully busy card; small kernels at 30 % may well draw little. */
#define POWER_CONTRADICTS_UTIL_PCT 90.0

enum reading_class { READ_NONE, READ_BUSY, READ_UNDERUSED, READ_STALLED, READ_HELD, READ_HELD_NO_MEMORY, READ_EMPTY };

struct reading {
	enum reading_class class;
	bool estimated;
	int32_t util_ppm; /* valid unless READ_NONE */
};

struct stream {
	char *text; /* owns mig and job */
	struct sv mig, job;
	size_t owner;
	int64_t end_ms;
	bool linked; /* an active allocation reads it */
	bool began_held; /* the card was held when the sample began */
	struct sample s;
	struct reading r;
};

/* What is remembered of an allocation. */
struct hold {
	int32_t stream;	     /* its own stream or -1 */
	bool was_busy, run;  /* run: an idle run is open */
	int64_t run_idle_ms, run_hour_ms;
};

struct timeline {
	const struct attrib_conf *conf;
	const struct attrib_gpu *g;
	struct closer close;
	struct attrib_rest *rest;
	struct err *err;
	attrib_next_fn *next;
	void *next_ctx;
	int64_t now_ms;
	bool any_recorded;
	/* paid */
	size_t ipaid;
	const struct attrib_paid *paid; /* at now, or NULL */
	int64_t card;			/* SHARE_ONE, less for a fractional GPU */
	/* held */
	size_t ialloc;
	VEC(uint32_t) active;
	struct hold *hold; /* [nalloc] */
	int64_t alloc_change_ms;
	struct shares shares;
	int64_t *measured; /* [active.cap] scratch for shares by process time */
	size_t nparts;
	bool stale; /* shares and links must be worked out anew */
	/* read */
	VEC(struct stream) stream; /* 0: of the whole card */
	struct attrib_sample sample;
	bool have_sample;
	int64_t last_t_ms;
	/* hours */
	bool open;
	struct hour hour;
	VEC(struct hour) wait; /* closed hours, oldest first, from wait_head */
	size_t wait_head;
	VEC(struct hour) spare;
};

void attrib_conf_default(struct attrib_conf *c)
{
	*c = (struct attrib_conf){
		.idle_util_pct = 0,
		.underused_util_pct = 25,
		.empty_bytes = 500.0 * 1024 * 1024,
		.empty_frac = 0.01,
		.stalled_sm_frac = 0.01,
		.stalled_power_frac_tdp = 0.22,
		.finished_after_s = 1800,
	};
}

/* ---- readings ---- */

static struct reading classify_idle(const struct timeline *t, const struct sample *s, struct reading r)
{
	double used = s->value[METRIC_MEM_USED_BYTES], total = s->value[METRIC_MEM_TOTAL_BYTES], bound = t->conf->empty_bytes;
	if (isnan(total))
		total = t->g->mem_total_bytes;
	if (!isnan(total) && t->conf->empty_frac * total > bound)
		bound = t->conf->empty_frac * total;
	r.class = isnan(used) ? READ_HELD_NO_MEMORY : used <= bound ? READ_EMPTY : READ_HELD;
	r.estimated |= isnan(used);
	return r;
}

/* Does anything say that a card which claims to be busy does no work? */
static bool contradicted(const struct timeline *t, const struct sample *s, double util_pct)
{
	double sm = s->value[METRIC_SM_ACTIVE_FRAC], power = s->value[METRIC_POWER_W];
	if (!isnan(sm))
		return sm <= t->conf->stalled_sm_frac;
	return util_pct >= POWER_CONTRADICTS_UTIL_PCT && power <= t->conf->stalled_power_frac_tdp * t->g->tdp_w;
}

static struct reading classify(const struct timeline *t, const struct sample *s)
{
	double util = s->value[METRIC_GPU_UTIL_PCT], sm = s->value[METRIC_SM_ACTIVE_FRAC];
	struct reading r = { READ_NONE, false, 0 };
	if (!(util >= 0)) /* NAN, or rubbish below zero */
		util = NAN;
	/* MIG instances have no utilisation; and a zero beside active SMs is a counter that does not work. */
	if (isnan(util) || (util <= t->conf->idle_util_pct && sm > t->conf->stalled_sm_frac)) {
		if (!(sm >= 0))
			return r;
		util = sm * 100;
		r.estimated = true;
	}
	if (util > 100)
		util = 100;
	r.util_ppm = (int32_t)lround(util * 10000);
	if (util <= t->conf->idle_util_pct)
		return classify_idle(t, s, r);
	r.class = util < t->conf->underused_util_pct ? READ_UNDERUSED : READ_BUSY;
	if (r.class == READ_BUSY && contradicted(t, s, util)) {
		r.class = READ_STALLED;
		r.estimated = true;
	}
	return r;
}

static bool alive(const struct timeline *t, size_t stream)
{
	return t->stream.v[stream].end_ms > t->now_ms;
}

static bool is_named(const struct stream *s)
{
	return s->mig.n || s->job.n;
}

static int stream_for(struct timeline *t, const struct attrib_sample *a, size_t *ret)
{
	size_t reuse = 0;
	if (!a->mig.n && !a->job_id.n) {
		*ret = 0;
		return 0;
	}
	for (size_t i = 1; i < t->stream.n; i++) {
		struct stream *s = &t->stream.v[i];
		if (sv_eq(s->mig, a->mig) && sv_eq(s->job, a->job_id)) {
			*ret = i;
			return 0;
		}
		if (!reuse && !s->linked && !alive(t, i))
			reuse = i;
	}
	if (!reuse && t->stream.n >= STREAMS_MAX)
		return err_set(t->err, -E2BIG, "samples of one GPU name more than %d jobs or MIG instances at a time", STREAMS_MAX);
	if (!reuse) {
		reuse = t->stream.n;
		*vec_push(&t->stream) = (struct stream){ 0 };
	}
	struct stream *s = &t->stream.v[reuse];
	free(s->text);
	s->text = xmalloc(a->mig.n + a->job_id.n + 1);
	memcpy(s->text, a->mig.n ? a->mig.p : "", a->mig.n);
	memcpy(s->text + a->mig.n, a->job_id.n ? a->job_id.p : "", a->job_id.n);
	s->mig = (struct sv){ s->text, a->mig.n };
	s->job = (struct sv){ s->text + a->mig.n, a->job_id.n };
	s->end_ms = INT64_MIN;
	t->stale = true;
	*ret = reuse;
	return 0;
}

/* Two rows of one instant (utilisation here, memory there) are one reading. */
static void merge_values(struct sample *into, const struct sample *with)
{
	for (int m = 0; m < METRIC_N; m++)
		if (isnan(into->value[m]))
			into->value[m] = with->value[m];
}

static int take_sample(struct timeline *t)
{
	const struct attrib_sample *a = &t->sample;
	size_t i;
	int r = stream_for(t, a, &i);
	if (r < 0)
		return r;
	struct stream *s = &t->stream.v[i];
	struct sample old = s->s;
	bool merge = s->end_ms != INT64_MIN && old.t_ms == a->s->t_ms && old.step_ms > 0;
	s->s = *a->s;
	if (merge)
		merge_values(&s->s, &old);
	s->owner = a->owner;
	s->end_ms = a->s->t_ms + a->s->step_ms;
	s->began_held = t->active.n > 0;
	s->r = classify(t, &s->s);
	return 0;
}

static int fetch_sample(struct timeline *t)
{
	int r = t->next ? t->next(t->next_ctx, &t->sample, t->err) : 0;
	t->have_sample = r > 0;
	if (r <= 0)
		return r;
	const struct sample *s = t->sample.s;
	if (s->t_ms < t->last_t_ms)
		return err_set(t->err, -EINVAL, "samples of a GPU are not in the order of time");
	if (s->step_ms <= 0 || s->t_ms > INT64_MAX - s->step_ms)
		return err_set(t->err, -EINVAL, "a sample covers no time: its step is %d ms", s->step_ms);
	t->last_t_ms = s->t_ms;
	return 0;
}

static int take_samples_upto_now(struct timeline *t)
{
	while (t->have_sample && t->sample.s->t_ms <= t->now_ms) {
		int r = t->sample.s->t_ms + t->sample.s->step_ms > t->now_ms ? take_sample(t) : 0;
		if (r >= 0)
			r = fetch_sample(t);
		if (r < 0)
			return r;
	}
	return 0;
}

/* ---- hours ---- */

static struct hour *hour_now(struct timeline *t)
{
	if (!t->open) {
		t->hour = t->spare.n ? t->spare.v[--t->spare.n] : (struct hour){ 0 };
		t->hour.hour_ms = tm_floor(t->now_ms, MS_HOUR);
		t->hour.npending = 0;
		t->open = true;
	}
	return &t->hour;
}

static int close_front(struct timeline *t)
{
	struct hour *h = &t->wait.v[t->wait_head++];
	int r = hour_close(&t->close, h, false, t->err);
	*vec_push(&t->spare) = *h;
	if (t->wait_head == t->wait.n)
		t->wait_head = t->wait.n = 0;
	return r;
}

static enum cause empty_cause_at_end(const struct hold *h)
{
	return h->was_busy ? CAUSE_EXITED : CAUSE_NEVER_LAUNCHED;
}

static enum cause held_cause_at_end(const struct timeline *t, const struct hold *h)
{
	return (double)h->run_idle_ms >= t->conf->finished_after_s * 1000 ? CAUSE_FINISHED : CAUSE_NONE;
}

/* The oldest hour has waited long enough: decide as if its allocations ended here. */
static void decide_front(struct timeline *t)
{
	struct hour *h = &t->wait.v[t->wait_head];
	while (h->npending)
		for (size_t i = 0; i < h->slot.n; i++) {
			int32_t a = h->slot.v[i].key.pending;
			if (a != NOT_PENDING) {
				hour_resolve(h, a, held_cause_at_end(t, &t->hold[a]), empty_cause_at_end(&t->hold[a]));
				break;
			}
		}
}

static int flush_decided(struct timeline *t)
{
	while (t->wait_head < t->wait.n) {
		if (t->wait.n - t->wait_head > PENDING_HOURS_MAX)
			decide_front(t);
		if (t->wait.v[t->wait_head].npending)
			break;
		int r = close_front(t);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Drop the emitted front of the queue once it is the larger part. */
static void compact_waiting(struct timeline *t)
{
	if (t->wait_head < 64 || t->wait_head * 2 < t->wait.n)
		return;
	memmove(t->wait.v, t->wait.v + t->wait_head, (t->wait.n - t->wait_head) * sizeof *t->wait.v);
	t->wait.n -= t->wait_head;
	t->wait_head = 0;
}

static int finish_hour(struct timeline *t)
{
	if (!t->open)
		return 0;
	t->open = false;
	hour_end(&t->close, &t->hour);
	compact_waiting(t);
	*vec_push(&t->wait) = t->hour;
	return flush_decided(t);
}

/* The idle run of an allocation is over; at_end: because the allocation is. */
static int end_run(struct timeline *t, uint32_t a, bool at_end)
{
	struct hold *h = &t->hold[a];
	if (!h->run)
		return 0;
	enum cause held = at_end ? held_cause_at_end(t, h) : CAUSE_NONE, empty = at_end ? empty_cause_at_end(h) : CAUSE_WAITING;
	h->run = false;
	if (t->open)
		hour_resolve(&t->hour, (int32_t)a, held, empty);
	for (size_t i = t->wait.n; i-- > t->wait_head && t->wait.v[i].hour_ms >= h->run_hour_ms;)
		hour_resolve(&t->wait.v[i], (int32_t)a, held, empty);
	h->run_idle_ms = 0;
	return flush_decided(t);
}

/* ---- pieces ---- */

static enum quality worse(enum quality a, enum quality b)
{
	return a > b ? a : b;
}

static void put(struct timeline *t, const struct slot_key *k, int64_t part, int64_t ms, const struct reading *r)
{
	__int128 weight = (__int128)part * ms;
	struct slot *s = hour_add(hour_now(t), k, weight);
	if (r && r->class != READ_NONE) {
		s->util_weight += weight * r->util_ppm;
		s->has_util = true;
	}
}

static struct slot_key key_of(const struct timeline *t, size_t owner, enum state state, enum cause cause, enum quality q)
{
	return (struct slot_key){ .owner = owner, .stretch = (uint32_t)t->ipaid, .pending = NOT_PENDING, .state = (uint8_t)state,
				  .cause = (uint8_t)cause, .quality = (uint8_t)q };
}

/* State and cause of a reading where no allocation tells more. */
static void read_state(const struct reading *r, enum state *ret_state, enum cause *ret_cause)
{
	static const struct { enum state state; enum cause cause; } of[] = {
		[READ_NONE] = { STATE_UNKNOWN, CAUSE_NONE },	      [READ_BUSY] = { STATE_BUSY, CAUSE_NONE },
		[READ_UNDERUSED] = { STATE_UNDERUSED, CAUSE_UNKNOWN }, [READ_STALLED] = { STATE_IDLE_HELD, CAUSE_STALLED },
		[READ_HELD] = { STATE_IDLE_HELD, CAUSE_NONE },	      [READ_HELD_NO_MEMORY] = { STATE_IDLE_HELD, CAUSE_NONE },
		[READ_EMPTY] = { STATE_IDLE_EMPTY, CAUSE_WAITING },
	};
	*ret_state = of[r->class].state;
	*ret_cause = of[r->class].cause;
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

static int put_share(struct timeline *t, uint32_t a, int64_t part, int64_t ms, const struct reading *r, bool shared_reading)
{
	const struct attrib_alloc *al = &t->g->alloc[a];
	enum quality q = worse(t->paid->quality, al->quality);
	enum state state;
	enum cause cause;
	read_state(r, &state, &cause);
	if (al->end_state != STATE_NONE) {
		struct slot_key k = key_of(t, al->owner, al->end_state, al->end_cause, q);
		put(t, &k, part, ms, r);
		return 0;
	}
	if (r->class == READ_NONE || r->estimated || shared_reading)
		q = worse(q, QUALITY_ESTIMATED);
	struct slot_key k = key_of(t, al->owner, state, cause, q);
	if (r->class == READ_BUSY || r->class == READ_UNDERUSED) {
		int e = end_run(t, a, false);
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
	if (alive(t, 0))
		return &t->stream.v[0].r;
	for (size_t i = 1; i < t->stream.n; i++)
		if (alive(t, i) && !t->stream.v[i].linked && !t->stream.v[i].mig.n) {
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
		if (s < 0 || !alive(t, (size_t)s) || t->stream.v[s].r.class == READ_NONE)
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
		part[i] = shares_by_process(&t->g->alloc[t->active.v[i]]) ? w[t->nparts + k++] : t->shares.part[i];
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
		bool has_own = own >= 0 && alive(t, (size_t)own);
		int r = put_share(t, a, part[i], ms, has_own ? &t->stream.v[own].r : card, !has_own && (of_other || t->active.n > 1));
		if (r < 0)
			return r;
	}
	if (t->shares.over)
		t->rest->oversubscribed_ms += ms;
	if (t->paid->recorded && t->shares.rest > 0) {
		bool stranded = t->shares.stranded && t->paid->unheld_state == STATE_UNALLOCATED;
		struct slot_key k = key_of(t, t->paid->owner, t->paid->unheld_state, stranded ? CAUSE_STRANDED : t->paid->unheld_cause,
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
		n += alive(t, i) && is_named(&t->stream.v[i]);
	for (size_t i = 1; i < t->stream.n && n; i++) {
		const struct stream *s = &t->stream.v[i];
		if (!alive(t, i))
			continue;
		int64_t upto = (int64_t)((__int128)t->card * ++k / n);
		enum state state;
		enum cause cause;
		read_state(&s->r, &state, &cause);
		bool est = s->r.class == READ_NONE || s->r.estimated || n > 1;
		struct slot_key key = key_of(t, s->owner, state, cause, worse(t->paid->quality, est ? QUALITY_ESTIMATED : QUALITY_MEASURED));
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
	bool read = alive(t, 0) && s->r.class != READ_NONE && (!s->began_held || !p->recorded);
	if (book_named(t, ms) || (!p->recorded && !alive(t, 0)))
		return;
	if (p->recorded && read && p->unheld_state == STATE_UNALLOCATED)
		read = s->r.class != READ_EMPTY && s->r.class != READ_HELD_NO_MEMORY;
	struct slot_key k = key_of(t, p->owner, p->unheld_state, p->unheld_cause, p->quality);
	if (read || !p->recorded) {
		enum state state;
		enum cause cause;
		read_state(&s->r, &state, &cause);
		bool est = s->r.class == READ_NONE || s->r.estimated;
		k = key_of(t, p->owner, state, cause, worse(p->quality, est ? QUALITY_ESTIMATED : QUALITY_MEASURED));
	}
	put(t, &k, t->card, ms, read ? &s->r : NULL);
}

/* ---- the line ---- */

static void link_streams(struct timeline *t)
{
	for (size_t i = 0; i < t->stream.n; i++)
		t->stream.v[i].linked = false;
	for (size_t k = 0; k < t->active.n; k++) {
		const struct attrib_alloc *a = &t->g->alloc[t->active.v[k]];
		int32_t *own = &t->hold[t->active.v[k]].stream;
		*own = -1;
		for (size_t i = 1; i < t->stream.n; i++) {
			struct stream *s = &t->stream.v[i];
			bool mig = s->mig.n && a->mig.n ? sv_eq(s->mig, a->mig) : false, job = s->job.n && sv_eq(s->job, a->job_id);
			/* A MIG instance both name decides; else the job, unless they name different instances. */
			if (!mig && (!job || (s->mig.n && a->mig.n)))
				continue;
			s->linked = true;
			/* The better of two: one that is being read. */
			if (*own < 0 || t->stream.v[*own].end_ms < s->end_ms)
				*own = (int32_t)i;
		}
	}
}

static void refresh(struct timeline *t)
{
	if (t->active.n > t->nparts) {
		t->nparts = t->active.n * 2;
		free(t->shares.part);
		free(t->measured);
		t->shares.part = xcalloc(t->nparts, sizeof *t->shares.part);
		t->measured = xcalloc(3 * t->nparts, sizeof *t->measured);
	}
	if (t->active.n)
		shares_work_out(t->conf, t->g, t->card, t->active.v, t->active.n, &t->shares);
	link_streams(t);
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
		else if ((r = end_run(t, a, true)) < 0)
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

static void step_paid(struct timeline *t)
{
	const struct attrib_gpu *g = t->g;
	while (t->ipaid < g->npaid && g->paid[t->ipaid].to_ms <= t->now_ms)
		t->ipaid++;
	t->paid = t->ipaid < g->npaid && g->paid[t->ipaid].from_ms <= t->now_ms ? &g->paid[t->ipaid] : NULL;
	int64_t card = t->paid ? SHARE_ONE / 1000 * t->paid->gpus_milli : t->card;
	t->stale |= card != t->card;
	t->card = card;
}

#define MIN_INTO(a, b) do { int64_t b_ = (b); if (b_ < (a)) (a) = b_; } while (0)

static int64_t piece_end(const struct timeline *t, int64_t end_ms)
{
	int64_t to = end_ms;
	MIN_INTO(to, t->alloc_change_ms);
	if (!t->paid) {
		if (t->ipaid < t->g->npaid)
			MIN_INTO(to, t->g->paid[t->ipaid].from_ms);
		return to;
	}
	MIN_INTO(to, t->paid->to_ms);
	MIN_INTO(to, tm_floor(t->now_ms, MS_HOUR) + MS_HOUR);
	if (t->have_sample)
		MIN_INTO(to, t->sample.s->t_ms);
	for (size_t i = 0; i < t->stream.n; i++)
		if (alive(t, i))
			MIN_INTO(to, t->stream.v[i].end_ms);
	return to;
}

static int book_piece(struct timeline *t, int64_t to)
{
	int64_t ms = to - t->now_ms;
	assert(ms > 0);
	if (!t->paid) {
		t->rest->unpaid_alloc_ms += t->active.n && t->any_recorded ? ms : 0;
		return 0;
	}
	if (t->active.n)
		return book_held(t, ms);
	book_unheld(t, ms);
	return 0;
}

/* An amount with no time to stand on (unrecorded, nothing held or read) still is an entry. */
static void keep_amount(struct timeline *t)
{
	const struct attrib_paid *p = t->paid;
	bool amount = false;
	for (int b = 0; p && b < BASIS_N; b++)
		amount |= p->has_amount[b];
	if (!amount)
		return;
	const struct hour *h = hour_now(t);
	for (size_t i = h->slot.n; i-- > 0;)
		if (h->slot.v[i].key.stretch == t->ipaid)
			return;
	struct slot_key k = key_of(t, p->owner, p->unheld_state, p->unheld_cause, p->quality);
	put(t, &k, 0, 0, NULL);
}

static int run_line(struct timeline *t, int64_t from, int64_t end)
{
	int r = fetch_sample(t);
	t->now_ms = from;
	t->alloc_change_ms = from;
	while (r >= 0 && t->now_ms < end) {
		step_paid(t);
		if ((r = step_allocs(t)) < 0 || (r = take_samples_upto_now(t)) < 0)
			break;
		if (t->stale)
			refresh(t);
		int64_t to = piece_end(t, end);
		r = book_piece(t, to);
		if (r >= 0 && t->paid && to == t->paid->to_ms)
			keep_amount(t);
		t->now_ms = to;
		if (r >= 0 && t->open && to >= t->hour.hour_ms + MS_HOUR)
			r = finish_hour(t);
	}
	return r;
}

static int finish_line(struct timeline *t)
{
	int r = finish_hour(t);
	for (size_t i = 0; i < t->active.n && r >= 0; i++)
		r = end_run(t, t->active.v[i], true);
	assert(r < 0 || t->wait_head == t->wait.n);
	return r;
}

static void free_line(struct timeline *t)
{
	for (size_t i = 0; i < t->stream.n; i++)
		free(t->stream.v[i].text);
	for (size_t i = t->wait_head; i < t->wait.n; i++)
		vec_free(&t->wait.v[i].slot);
	for (size_t i = 0; i < t->spare.n; i++)
		vec_free(&t->spare.v[i].slot);
	if (t->open)
		vec_free(&t->hour.slot);
	vec_free(&t->stream);
	vec_free(&t->wait);
	vec_free(&t->spare);
	vec_free(&t->active);
	free(t->hold);
	free(t->shares.part);
	free(t->measured);
	closer_free(&t->close);
}

static int check_gpu(const struct attrib_gpu *g, struct err *err)
{
	for (size_t i = 0; i < g->npaid; i++)
		if (g->paid[i].gpus_milli <= 0 || g->paid[i].gpus_milli > 1000)
			return err_set(err, -EINVAL, "a card cannot be %lld/1000 of a GPU", (long long)g->paid[i].gpus_milli);
	for (size_t i = 1; i < g->nalloc; i++)
		if (g->alloc[i].from_ms < g->alloc[i - 1].from_ms)
			return err_set(err, -EINVAL, "allocations of a GPU are not in the order of their start");
	return g->nalloc >= INT32_MAX ? err_set(err, -E2BIG, "too many allocations of one GPU") : 0;
}

int attrib_gpu(const struct attrib_conf *conf, const struct attrib_gpu *g, attrib_next_fn *next, void *next_ctx, attrib_emit_fn *emit,
	       void *emit_ctx, struct attrib_rest *ret_rest, struct err *err)
{
	struct timeline t = { .conf = conf, .g = g, .rest = ret_rest, .err = err, .next = next, .next_ctx = next_ctx, .card = SHARE_ONE,
			      .last_t_ms = INT64_MIN };
	int r = closer_init(&t.close, g->paid, g->npaid, emit, emit_ctx, ret_rest, err);
	if (r >= 0)
		r = check_gpu(g, err);
	if (r >= 0 && g->npaid) {
		int64_t from = g->paid[0].from_ms, end = g->paid[g->npaid - 1].to_ms;
		t.hold = xcalloc(g->nalloc + 1, sizeof *t.hold);
		*vec_push(&t.stream) = (struct stream){ .end_ms = INT64_MIN, .owner = ATTRIB_NOBODY };
		for (size_t i = 0; i < g->npaid; i++)
			t.any_recorded |= g->paid[i].recorded;
		for (size_t i = 0; i < g->nalloc && t.any_recorded; i++) {
			MIN_INTO(from, g->alloc[i].from_ms);
			end = g->alloc[i].to_ms > end ? g->alloc[i].to_ms : end;
		}
		r = run_line(&t, from, end);
		if (r >= 0)
			r = finish_line(&t);
		if (r >= 0)
			closer_rest(&t.close, ret_rest);
	}
	free_line(&t);
	return r < 0 ? r : 0;
}
