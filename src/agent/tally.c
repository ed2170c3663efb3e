/* The account of time: what was seen, booked once. See tally.h. */
#include "agent/tally_in.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <xxhash.h>

#include "agent/quantum.h"
#include "agent/settle.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"

#define OWNERS_MAX 65536

/* ---- devices and owners ----------------------------------------------------------------- */

static struct tally_dev *find_seen(const struct tally *b, const char *uuid, int index)
{
	for (size_t i = 0; i < b->dev.n; i++)
		if (!strcmp(b->dev.v[i]->uuid, uuid) && (*uuid || b->dev.v[i]->index == index))
			return b->dev.v[i];
	return NULL;
}

/* 0 = never seen */
static int64_t device_id(const struct tally *b, const char *uuid, int index)
{
	const struct tally_dev *d = find_seen(b, uuid, index);
	if (d)
		return d->id;
	return 0;
}

struct tally_dev *tally_dev_new(struct tally *b, const char *uuid, int index)
{
	struct tally_dev *d = xcalloc(1, sizeof *d);
	snprintf(d->uuid, sizeof d->uuid, "%s", uuid);
	d->index = index;
	*vec_push(&b->dev) = d;
	return d;
}

static void put_device(struct tally *b, const struct tally_dev *d)
{
	struct agentdb_device *o = vec_push(&b->out.device);
	*o = d->d;
	o->uuid = arena_keep(&b->out.mem, d->d.uuid);
	o->name = arena_keep(&b->out.mem, d->d.name);
	o->model = arena_keep(&b->out.mem, d->d.model);
	o->bus_id = arena_keep(&b->out.mem, d->d.bus_id);
	o->mig_profile = arena_keep(&b->out.mem, d->d.mig_profile);
}

/* New where it was never seen. */
static struct tally_dev *find_device(struct tally *b, const struct watch_dev *w, int64_t t_ms)
{
	const struct gpu_info *c = &w->gpu->info;
	struct tally_dev *d = find_seen(b, c->uuid, c->index);
	if (d)
		return d;
	d = tally_dev_new(b, c->uuid, c->index);
	d->id = b->next_dev++;
	const struct tally_dev *parent = NULL;
	if (w->parent)
		parent = find_seen(b, w->parent->uuid, w->parent->index);
	d->d = (struct agentdb_device){ .id = d->id,
					.parent = parent ? parent->id : 0,
					.index = c->index,
					.mig_start = c->mig_start,
					.mem_total_bytes = c->mem_total_bytes,
					.first_ms = t_ms,
					.last_ms = t_ms,
					.uuid = arena_keep(&b->mem, sv_of(c->uuid)),
					.name = arena_keep(&b->mem, sv_of(c->name)),
					.model = arena_keep(&b->mem, sv_of(w->model)),
					.bus_id = arena_keep(&b->mem, sv_of(c->bus_id)),
					.mig_profile = arena_keep(&b->mem, sv_of(c->mig_profile)) };
	put_device(b, d);
	return d;
}

/* The machine itself is a device without GPUs: its processors and network. */
static struct tally_dev *find_host(struct tally *b, int64_t t_ms)
{
	struct tally_dev *d = find_seen(b, "host", -1);
	if (d)
		return d;
	d = tally_dev_new(b, "host", -1);
	d->id = b->next_dev++;
	d->d = (struct agentdb_device){ .id = d->id,
					.index = -1,
					.mig_start = -1,
					.mem_total_bytes = NAN,
					.first_ms = t_ms,
					.last_ms = t_ms,
					.uuid = SV("host"),
					.name = SV("host") };
	put_device(b, d);
	return d;
}

static uint64_t mix_hash(uint64_t h, struct sv v)
{
	return XXH3_64bits_withSeed(text_if(v.n, v.p), v.n, h * 31 + (v.p != NULL));
}

uint64_t tally_owner_key(const struct allocation *a)
{
	uint64_t h = mix_hash(mix_hash(mix_hash(7, a->job_id), a->user), a->namespace_);
	if (a->job_id.n)
		return h;
	return mix_hash(h, a->name) ^ (uint64_t)a->start_ms;
}

uint64_t tally_owner_content(const struct allocation *a)
{
	const struct sv t[] = { a->job_id,     a->user,     a->team,    a->project,
				a->env,        a->workload, a->name,    a->account,
				a->namespace_, a->queue,    a->cluster, a->tags };
	const int64_t n[] = { a->submit_ms, a->start_ms, a->end_ms, a->gpus_milli,
			      a->checkpointable };
	uint64_t h = XXH3_64bits(n, sizeof n);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		h = mix_hash(h, t[i]);
	return h;
}

static int64_t owner_of(struct tally *b, const struct allocation *a)
{
	uint64_t key = tally_owner_key(a), content = tally_owner_content(a);
	struct tally_owner *h = NULL, *oldest = NULL;
	for (size_t i = 0; i < b->owner.n && !h; i++) {
		if (b->owner.v[i].key == key)
			h = &b->owner.v[i];
		else if (!oldest || b->owner.v[i].last_tick < oldest->last_tick)
			oldest = &b->owner.v[i];
	}
	if (!h) {
		h = b->owner.n < OWNERS_MAX ? vec_push(&b->owner) : oldest;
		assert(h); /* OWNERS_MAX of them without this key have an oldest */
		*h = (struct tally_owner){ .id = b->next_owner++, .key = key };
	}
	if (h->content != content) {
		int64_t id = h->id;
		struct agentdb_owner *owner = vec_push(&b->out.owner);
		struct arena *m = &b->out.mem;
		*owner = (struct agentdb_owner){ .id = id, .a = *a };
		struct sv *t[] = { &owner->a.job_id,  &owner->a.user,    &owner->a.team,
				   &owner->a.project, &owner->a.env,     &owner->a.workload,
				   &owner->a.name,    &owner->a.account, &owner->a.namespace_,
				   &owner->a.queue,   &owner->a.cluster, &owner->a.tags };
		for (size_t i = 0; i < sizeof t / sizeof *t; i++)
			*t[i] = arena_keep(m, *t[i]);
		h->content = content;
	}
	h->last_tick = b->tick;
	return h->id;
}

/* ---- parts of a device ------------------------------------------------------------------ */

/* Tells of the interval of a part: it has come to to_ms; open: it goes on. */
static void put_hold(struct tally *b, const struct tally_dev *d, const struct tally_part *p,
		     int64_t to_ms, bool open)
{
	enum share_kind kind = SHARE_FRACTION;
	if (d->d.parent)
		kind = SHARE_MIG;
	else if (p->share_ppb >= 1000000000)
		kind = SHARE_WHOLE;
	*vec_push(&b->out.hold) = (struct agentdb_hold){ .id = p->hold,
							 .owner = p->owner,
							 .dev = d->id,
							 .share_ppb = p->share_ppb,
							 .share_kind = kind,
							 .from_ms = p->from_ms,
							 .to_ms = to_ms,
							 .open = open,
							 .rev = ++b->rev };
}

static void close_roll(struct tally *b, struct tally_dev *d)
{
	struct str packed = { 0 };
	if (!d->open)
		return;
	d->open = false;
	if (d->roll.to_ms <= d->roll.from_ms)
		return;
	rollup_pack(&d->roll, &packed);
	*vec_push(&b->out.minute) = (struct agentdb_minute){
		.t_ms = tm_floor(d->roll.from_ms, MS_MINUTE),
		.dev = d->id,
		.from_ms = d->roll.from_ms,
		.to_ms = d->roll.to_ms,
		.roll = { arena_strn(&b->out.mem, packed.p, packed.n), packed.n }
	};
	b->counts.minutes++;
	str_free(&packed);
}

static void open_roll(struct tally_dev *d, int64_t from_ms)
{
	rollup_clear(&d->roll);
	d->roll.dev = d->id;
	d->roll.from_ms = d->roll.to_ms = from_ms;
	for (size_t i = 0; i < d->part.n; i++)
		*vec_push(&d->roll.use) = (struct rollup_use){
			.hold = d->part.v[i].hold, .share_ppb = d->part.v[i].share_ppb
		};
	d->open = true;
}

/* The device is no longer held as it was. */
static void end_parts(struct tally *b, struct tally_dev *d, int64_t t_ms)
{
	close_roll(b, d);
	for (size_t i = 0; i < d->part.n; i++)
		if (d->part.v[i].hold)
			put_hold(b, d, &d->part.v[i], t_ms, false);
	vec_clear(&d->part);
}

/* As b->now. */
static bool has_same_parts(const struct tally *b, const struct tally_dev *d)
{
	const struct tally_part *p = b->now.v;
	if (d->part.n != b->now.n)
		return false;
	for (size_t i = 0; i < d->part.n; i++)
		if (d->part.v[i].owner != p[i].owner || d->part.v[i].share_ppb != p[i].share_ppb)
			return false;
	return true;
}

static const struct tally_part *part_same(const struct tally_part *p, size_t n,
					  const struct tally_part *as)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].owner == as->owner && p[i].share_ppb == as->share_ppb)
			return &p[i];
	return NULL;
}

/* To b->now: owners that stay keep their interval, others end, new ones begin. */
static void change_parts(struct tally *b, struct tally_dev *d, int64_t t_ms)
{
	struct tally_part *now = b->now.v;
	size_t n = b->now.n;
	close_roll(b, d);
	for (size_t i = 0; i < d->part.n; i++)
		if (d->part.v[i].hold && !part_same(now, n, &d->part.v[i]))
			put_hold(b, d, &d->part.v[i], t_ms, false);
	for (size_t i = 0; i < n; i++) {
		const struct tally_part *old = part_same(d->part.v, d->part.n, &now[i]);
		if (!now[i].owner)
			now[i].hold = 0;
		else if (old)
			now[i].hold = old->hold;
		else
			now[i].hold = b->next_hold++;
		now[i].from_ms = old ? old->from_ms : t_ms;
		if (now[i].hold && !old)
			put_hold(b, d, &now[i], t_ms, true);
	}
	vec_clear(&d->part);
	for (size_t i = 0; i < n; i++)
		*vec_push(&d->part) = now[i];
}

/* Into b->now: who has which part of it by the watch. */
static void read_parts(struct tally *b, const struct watch_dev *w)
{
	vec_clear(&b->now);
	for (size_t i = 0; i < w->nuse; i++) {
		const struct watch_use *u = &w->use[i];
		int64_t owner = 0;
		if (u->held)
			owner = owner_of(b, u->held);
		if (b->now.n < TALLY_USES_MAX)
			*vec_push(&b->now) = (struct tally_part){ .owner = owner,
								  .share_ppb = u->share_ppb };
		else
			b->now.v[TALLY_USES_MAX - 1].share_ppb += u->share_ppb;
	}
}

void tally_out_free(struct tally_out *o)
{
	vec_free(&o->device);
	vec_free(&o->owner);
	vec_free(&o->hold);
	vec_free(&o->event);
	vec_free(&o->minute);
	vec_free(&o->raw);
	str_free(&o->open);
	vec_free(&o->watched);
	str_free(&o->clock);
	arena_free(&o->mem);
	*o = (struct tally_out){ 0 };
}

struct tally *tally_new(int64_t cover_ms)
{
	struct tally *b = xcalloc(1, sizeof *b);
	b->cover_ms = cover_ms;
	b->next_dev = b->next_owner = b->next_hold = b->next_event = b->next_watched = 1;
	return b;
}

void tally_set_cover(struct tally *b, int64_t cover_ms)
{
	b->cover_ms = cover_ms;
}

void tally_free(struct tally *b)
{
	if (!b)
		return;
	for (size_t i = 0; i < b->dev.n; i++) {
		vec_free(&b->dev.v[i]->part);
		rollup_free(&b->dev.v[i]->roll);
		free(b->dev.v[i]);
	}
	vec_free(&b->dev);
	vec_free(&b->owner);
	vec_free(&b->now);
	vec_free(&b->taken);
	vec_free(&b->kept);
	vec_free(&b->free);
	tally_out_free(&b->out);
	arena_free(&b->mem);
	free(b);
}

const struct tally_counts *tally_counts(const struct tally *b)
{
	return &b->counts;
}

void tally_event(struct tally *b, int64_t t_ms, const char *kind, int64_t dev, int64_t code,
		 const char *text)
{
	if (!strcmp(kind, "start"))
		b->start_ms = t_ms;
	*vec_push(&b->out.event) = (struct agentdb_event){
		.id = b->next_event++,
		.t_ms = t_ms,
		.dev = dev,
		.code = code,
		.kind = sv_of(arena_strn(&b->out.mem, kind, strlen(kind))),
		.text = text ? sv_of(arena_strn(&b->out.mem, text, strlen(text))) : SV_NULL
	};
}

/* ---- booking ---------------------------------------------------------------------------- */

static void tally_states(struct tally_dev *d, const struct watch_dev *w, int64_t ms)
{
	double key[ROLLUP_KEYS];
	size_t nheld = 0;
	for (size_t i = 0; i < w->nuse; i++)
		nheld += w->use[i].held != NULL;
	for (size_t i = 0; i < w->nuse; i++) {
		const struct watch_use *u = &w->use[i];
		size_t k = i;
		if (i >= TALLY_USES_MAX)
			k = TALLY_USES_MAX - 1;
		if (k >= d->roll.use.n || i >= TALLY_USES_MAX)
			continue;

		/* What the state was decided by: the owner's own readings, where it has none the
		 * GPU's. */
		const double *v = w->gpu->value;
		double sm = v[METRIC_SM_ACTIVE_FRAC], util = v[METRIC_GPU_UTIL_PCT];
		bool own = !isnan(u->util_pct) && u->held && nheld > 1;
		if (!isnan(u->util_pct))
			key[ROLLUP_UTIL] = u->util_pct;
		else if (!isnan(util))
			key[ROLLUP_UTIL] = util;
		else
			key[ROLLUP_UTIL] = sm * 100;
		key[ROLLUP_MEM] = own && !isnan(u->mem_bytes) ? u->mem_bytes
							      : v[METRIC_MEM_USED_BYTES];
		key[ROLLUP_SM] = num_if(!own, sm);
		key[ROLLUP_POWER] = num_if(!own, v[METRIC_POWER_W]);

		rollup_use_add(&d->roll.use.v[k], u->state, u->cause, ms, key);
	}
}

/* [from, to) of a device, cut at minutes; w NULL: nobody looked. */
static void tally_span(struct tally *b, struct tally_dev *d, const struct watch_dev *w,
		       int64_t from_ms, int64_t to_ms)
{
	while (from_ms < to_ms) {
		int64_t end = tm_floor(from_ms, MS_MINUTE) + MS_MINUTE, upto = min_i64(end, to_ms);
		if (!d->open)
			open_roll(d, from_ms);
		if (w)
			tally_states(d, w, upto - from_ms);
		else {
			int64_t ms = upto - from_ms;
			static const double none[ROLLUP_KEYS] = { NAN, NAN, NAN, NAN };
			for (size_t i = 0; i < d->roll.use.n; i++)
				rollup_use_add(&d->roll.use.v[i], STATE_UNKNOWN,
					       d->roll.use.v[i].hold ? CAUSE_UNREAD
								     : CAUSE_UNWATCHED,
					       ms, none);
		}
		d->roll.to_ms = upto;
		if (w && upto == to_ms) { /* the reading counts once, where its step ends */
			rollup_add_values(&d->roll, w->gpu->value);
			rollup_hist_add(&d->roll.hist, w->gpu->value[METRIC_GPU_UTIL_PCT]);
		}
		if (upto == end)
			close_roll(b, d);
		from_ms = upto;
	}
}

static void keep_raw(struct tally *b, int64_t dev, int64_t t_ms, const double value[METRIC_N])
{
	struct tally_row *r = vec_push(&b->out.raw);
	r->dev = dev;
	r->t_ms = t_ms;
	for (int m = 0; m < METRIC_N; m++) {
		r->value[m] = quantum_round((enum metric)m, value[m]);
		b->counts.samples += !isnan(value[m]);
	}
}

static void host_row(struct tally *b, const struct watch_view *v)
{
	double value[METRIC_N];
	bool any = false;
	for (int m = 0; m < METRIC_N; m++)
		value[m] = NAN;
	value[METRIC_CPU_UTIL_PCT] = v->host.cpu_util_pct;
	value[METRIC_NIC_RX_BYTES_S] = v->host.nic_rx_bytes_s;
	value[METRIC_NIC_TX_BYTES_S] = v->host.nic_tx_bytes_s;
	if (!isnan(v->host.mem_total_bytes) && !isnan(v->host.mem_available_bytes)) {
		value[METRIC_MEM_TOTAL_BYTES] = v->host.mem_total_bytes;
		value[METRIC_MEM_USED_BYTES] = v->host.mem_total_bytes -
					       v->host.mem_available_bytes;
	}
	for (int m = 0; m < METRIC_N; m++)
		any |= !isnan(value[m]);
	if (any)
		keep_raw(b, find_host(b, v->t_ms)->id, v->t_ms, value);
}

/* That a GPU or driver went or came back is true of all of the step that shows it. */
static bool is_of_step(enum gpu_event_kind k)
{
	switch (k) {
	case GPU_LOST:
	case GPU_BACK:
	case GPU_DRIVER_LOST:
	case GPU_DRIVER_BACK:
	case GPU_DRIVER_STUCK: return true;
	default: return false;
	}
}

/* ---- time ------------------------------------------------------------------------------- */

static void tell_watched(struct tally *b)
{
	size_t n = b->out.watched.n;
	struct agentdb_watched *last = NULL;
	if (n)
		last = &b->out.watched.v[n - 1];
	if (!last || last->id != b->watched.id)
		last = vec_push(&b->out.watched);
	*last = b->watched;
}

static void end_watch(struct tally *b)
{
	for (size_t i = 0; i < b->dev.n; i++)
		end_parts(b, b->dev.v[i], b->end_ms);
	if (b->watched.id) {
		b->watched.to_ms = b->end_ms;
		tell_watched(b);
		spans_put(b->held ? &b->kept : &b->taken,
			  (struct span){ b->watched.from_ms, b->watched.to_ms });
		b->out.minute_closed = true;
	}
	b->watched.id = 0;
}

/* Into b->free: what of it was not booked before. Held back, it lies nowhere yet. */
static void find_free(struct tally *b, int64_t from_ms, int64_t to_ms)
{
	static const spans none;
	spans_free_of(b->held ? &none : &b->taken, (struct span){ from_ms, to_ms }, &b->free);
}

static void watch_goes_on(struct tally *b, int64_t from_ms)
{
	if (!b->watched.id) {
		b->watched = (struct agentdb_watched){ .id = b->next_watched++,
						       .from_ms = from_ms };
		b->out.minute_closed =
			true; /* reported before a kill could make its time another's */
	}
	b->watched.to_ms = b->end_ms;
	tell_watched(b);
}

/* Nobody looked between the end of the account and t_ms. */
static void take_gap(struct tally *b, const struct watch_view *v, int64_t t_ms)
{
	char text[96], span[TM_BUF];
	int64_t from_ms = b->end_ms, ms = t_ms - from_ms;
	bool booked = false;
	b->counts.gaps++;
	b->counts.gap_ms += ms;
	snprintf(text, sizeof text, "nobody looked for %s", tm_format_span(span, ms));
	tally_event(b, t_ms, "gap", 0, ms, text);
	find_free(b, from_ms, t_ms);
	struct span first = b->free.n == 1 ? b->free.v[0] : (struct span){ 0 };
	bool is_free = first.from_ms == from_ms && first.to_ms == t_ms;
	if (ms > TALLY_BRIDGE_MS || !is_free) {
		end_watch(b);
		b->end_ms = t_ms;
		return;
	}

	/* What was held when the last run ended says nothing of the parts nobody held: they are
	 * what the GPUs are now, less that. */
	for (size_t i = 0; i < v->ndev && !b->restored; i++) {
		struct tally_dev *d = find_device(b, &v->dev[i], v->t_ms);
		int64_t rest = 0;
		for (size_t k = 0; k < v->dev[i].nuse; k++)
			rest += v->dev[i].use[k].share_ppb;
		for (size_t k = 0; k < d->part.n; k++)
			rest -= d->part.v[k].share_ppb;
		if (rest > 0)
			*vec_push(&d->part) = (struct tally_part){ .share_ppb = rest,
								   .from_ms = b->end_ms };
	}
	b->restored = true;

	for (size_t i = 0; i < b->dev.n; i++)
		if (b->dev.v[i]->part.n) {
			/* Within a row nobody knows where it lies; the ledger takes it from the
			 * event, so a row begins with it. */
			close_roll(b, b->dev.v[i]);
			tally_span(b, b->dev.v[i], NULL, from_ms, t_ms);
			booked = true;
		}
	b->end_ms = t_ms;
	if (booked) /* an interval begins with it where a quarantine has just ended the one before */
		watch_goes_on(b, from_ms);
}

/* Where this tick's step begins, or -1: the clock was set back a little and has not caught up. */
static int64_t step_begins(struct tally *b, const struct watch_view *v)
{
	int64_t t = v->t_ms;
	int64_t own = v->step_ms > 0 && v->step_ms <= b->cover_ms ? v->step_ms : b->cover_ms;
	if (!b->end_ms) {
		b->end_ms = t - (v->step_ms > 0 ? own : 0);
		return b->end_ms;
	}
	if (t <= b->end_ms && b->tick == 1) { /* the last run's clock was ahead */
		end_watch(b);
		b->end_ms = t;
		return t;
	}
	if (t <= b->end_ms) {
		b->counts.taken_ms += max_i64(v->step_ms, 0);
		return -1;
	}
	if (t - b->end_ms > b->cover_ms)
		take_gap(b, v, t - own);
	return b->end_ms;
}

static void book_view(struct tally *b, const struct watch_view *v, int64_t from, int64_t to)
{
	for (size_t i = 0; i < b->dev.n; i++)
		if (b->dev.v[i]->part.n && b->dev.v[i]->last_tick != b->tick)
			end_parts(b, b->dev.v[i], from);
	for (size_t i = 0; i < v->ndev; i++) {
		struct tally_dev *d = find_device(b, &v->dev[i], v->t_ms);
		read_parts(b, &v->dev[i]);
		if (!has_same_parts(b, d))
			change_parts(b, d, from);
		tally_span(b, d, &v->dev[i], from, to);
	}
	b->end_ms = to;
	watch_goes_on(b, from);
}

void tally_tick(struct tally *b, const struct watch_view *v)
{
	b->tick++;
	b->counts.ticks++;
	int64_t minutes = (int64_t)b->out.minute.n, from = step_begins(b, v);
	for (size_t i = 0; i < v->ndev; i++)
		find_device(b, &v->dev[i], v->t_ms)->last_tick = b->tick;

	const struct gpu_view *g = v->gpus;
	for (size_t i = 0; i < g->nevent; i++) {
		const struct gpu_event *e = &g->event[i];
		int64_t t_ms = v->t_ms, device = 0;
		if (from >= 0 && is_of_step(e->kind))
			t_ms = from;
		if (e->dev >= 0 && (size_t)e->dev < g->ndev) {
			const struct gpu_info *c = &g->dev[e->dev].info;
			device = device_id(b, c->uuid, c->index);
		}
		tally_event(b, t_ms, gpu_event_name(e->kind), device, e->code, NULL);
	}
	if (from < 0)
		return;
	b->restored = true;

	/* Whether owners of a device can be seen, where that changed: what an agent does not say,
	 * it saw. An instance that is gone hides nobody. */
	for (size_t i = 0; i < b->dev.n; i++) {
		struct tally_dev *d = b->dev.v[i];
		if (!d->blind || d->last_tick == b->tick)
			continue;
		d->blind = false;
		tally_event(b, max_i64(from, b->start_ms), "sighted", d->id, 0, NULL);
	}
	for (size_t i = 0; i < v->ndev; i++) {
		struct tally_dev *d = find_device(b, &v->dev[i], v->t_ms);
		if (d->blind == !v->dev[i].watched)
			continue;
		d->blind = !v->dev[i].watched;
		tally_event(b, max_i64(from, b->start_ms), d->blind ? "blind" : "sighted", d->id, 0,
			    NULL);
	}

	find_free(b, from, v->t_ms);
	bool seen = from == v->t_ms; /* the first look takes no time */
	for (size_t i = 0; i < b->free.n; i++) {
		struct span s = b->free.v[i];
		if (s.from_ms > b->end_ms) {
			end_watch(b);
			b->counts.taken_ms += s.from_ms - b->end_ms;
			b->end_ms = s.from_ms;
		}
		book_view(b, v, s.from_ms, s.to_ms);
		seen = true;
	}
	if (seen && b->end_ms == v->t_ms) {
		if (!b->free.n)
			book_view(b, v, from, from);
		for (size_t i = 0; i < v->ndev; i++)
			if (v->dev[i].gpu->present && !v->dev[i].gpu->stuck)
				keep_raw(b, find_device(b, &v->dev[i], v->t_ms)->id, v->t_ms,
					 v->dev[i].gpu->value);
		host_row(b, v);
	} else {
		end_watch(b);
		b->counts.taken_ms += v->t_ms - b->end_ms;
		b->end_ms = v->t_ms;
	}
	b->out.minute_closed |= (int64_t)b->out.minute.n > minutes;
}

/* ---- the clock -------------------------------------------------------------------------- */

void tally_clock_set(struct tally *b, int64_t t_ms, int64_t by_ms)
{
	char text[96];
	snprintf(text, sizeof text, "the wall clock was set by %+.3f s", (double)by_ms / 1000);
	tally_event(b, t_ms, "clock_jump", 0, by_ms, text);
	b->counts.jumps++;
}

void tally_pause(struct tally *b)
{
	end_watch(b);
}

void tally_hold(struct tally *b, bool known)
{
	b->held = true;
	if (!known)
		b->end_ms = 0;
}

int64_t tally_settle(struct tally *b, int64_t shift_ms, int64_t *ret_first_id)
{
	int64_t first = max_i64(b->next_hold, b->next_watched), lost = 0;
	spans now = { 0 };

	for (size_t i = 0; i < b->kept.n; i++) {
		struct span s = b->kept.v[i];
		spans part = { 0 };
		s.from_ms += shift_ms;
		s.to_ms += shift_ms;
		spans_free_of(&b->taken, s, &part);
		lost += s.to_ms - s.from_ms;
		for (size_t k = 0; k < part.n; k++) {
			*vec_push(&now) = part.v[k];
			lost -= part.v[k].to_ms - part.v[k].from_ms;
		}
		vec_free(&part);
	}
	for (size_t i = 0; i < now.n; i++)
		spans_put(&b->taken, now.v[i]);
	vec_free(&now);
	vec_clear(&b->kept);
	b->held = false;
	b->start_ms =
		0; /* by a clock that is no longer meant; all steps from here on begin after it */
	if (b->end_ms)
		b->end_ms += shift_ms;
	*ret_first_id = first;
	b->next_hold = b->next_watched = first + SETTLE_IDS;
	return lost;
}

void tally_close(struct tally *b)
{
	for (size_t i = 0; i < b->dev.n; i++)
		close_roll(b, b->dev.v[i]);
	if (b->watched.id) /* what was handed out last may have ended it earlier */
		tell_watched(b);
	b->out.minute_closed = true;
}

/* ---- handing out, going on -------------------------------------------------------------- */

void tally_take(struct tally *b, struct tally_out *ret)
{
	struct str packed = { 0 };
	if (b->out.minute_closed) /* open holds have come further */
		for (size_t i = 0; i < b->dev.n; i++)
			for (size_t k = 0; k < b->dev.v[i]->part.n; k++)
				if (b->dev.v[i]->part.v[k].hold)
					put_hold(b, b->dev.v[i], &b->dev.v[i]->part.v[k], b->end_ms,
						 true);
	*ret = b->out;
	for (size_t i = 0; i < b->dev.n; i++) {
		if (!b->dev.v[i]->open)
			continue;
		str_clear(&packed);
		rollup_pack(&b->dev.v[i]->roll, &packed);
		uint32_t n = (uint32_t)packed.n;
		str_add(&ret->open, (const char *)&n, sizeof n);
		str_add(&ret->open, packed.p, packed.n);
	}
	str_free(&packed);
	ret->held = b->held;
	b->out = (struct tally_out){ 0 };
}
