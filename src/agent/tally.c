#include "agent/tally.h"

#include <math.h>
#include <stdio.h>
#include <xxhash.h>

#include "agent/quantum.h"
#include "base/tm.h"

#define USES_MAX 256 /* holders of a device at a time; more are booked as the last one's */
#define HOLDERS_MAX 65536

struct part { /* of a device, as it is held now */
	int64_t holder, hold; /* 0 = nobody */
	int64_t share_ppb, from_ms;
};
struct dev {
	int64_t id, last_tick;
	char uuid[96];
	int index;
	struct agentdb_device d; /* numbers; texts are in the book's arena */
	VEC(struct part) part;
	struct rollup roll;
	bool open;
};
struct holder {
	int64_t id, last_tick;
	uint64_t key, content;
};
struct tally {
	int64_t cover_ms, end_ms, mono_ms, tick;
	int64_t next_dev, next_holder, next_hold, next_event, next_watched, rev;
	struct agentdb_watched watched;
	struct arena mem;
	VEC(struct dev *) dev;
	VEC(struct holder) holder;
	VEC(struct part) now; /* scratch */
	struct tally_out out;
	struct tally_counts counts;
	bool restored;
};

void tally_out_free(struct tally_out *o)
{
	vec_free(&o->device);
	vec_free(&o->holder);
	vec_free(&o->hold);
	vec_free(&o->event);
	vec_free(&o->minute);
	vec_free(&o->raw);
	str_free(&o->open);
	arena_free(&o->mem);
	*o = (struct tally_out){ .void_after_ms = UNKNOWN_MS };
}

struct tally *tally_new(int64_t cover_ms)
{
	struct tally *b = xcalloc(1, sizeof *b);
	b->cover_ms = cover_ms;
	b->next_dev = b->next_holder = b->next_hold = b->next_event = b->next_watched = 1;
	b->out.void_after_ms = UNKNOWN_MS;
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
	vec_free(&b->holder);
	vec_free(&b->now);
	tally_out_free(&b->out);
	arena_free(&b->mem);
	free(b);
}

const struct tally_counts *tally_counts(const struct tally *b)
{
	return &b->counts;
}

int64_t tally_end_ms(const struct tally *b)
{
	return b->end_ms;
}

void tally_event(struct tally *b, int64_t t_ms, const char *kind, int64_t dev, int64_t code, const char *text)
{
	*vec_push(&b->out.event) = (struct agentdb_event){ .id = b->next_event++, .t_ms = t_ms, .dev = dev, .code = code,
							   .kind = sv_of(arena_strn(&b->out.mem, kind, strlen(kind))),
							   .text = text ? sv_of(arena_strn(&b->out.mem, text, strlen(text))) : SV_NULL };
}

/* ---- devices and holders -------------------------------------------------------------------------------------------------------- */

static struct dev *dev_find(const struct tally *b, const char *uuid, int index)
{
	for (size_t i = 0; i < b->dev.n; i++)
		if (!strcmp(b->dev.v[i]->uuid, uuid) && (*uuid || b->dev.v[i]->index == index))
			return b->dev.v[i];
	return NULL;
}

int64_t tally_device_id(const struct tally *b, const char *uuid, int index)
{
	const struct dev *d = dev_find(b, uuid, index);
	return d ? d->id : 0;
}

static struct sv keep(struct arena *a, struct sv v)
{
	return v.p ? (struct sv){ arena_strn(a, v.p, v.n), v.n } : SV_NULL;
}

static struct dev *dev_new(struct tally *b, const char *uuid, int index)
{
	struct dev *d = xcalloc(1, sizeof *d);
	snprintf(d->uuid, sizeof d->uuid, "%s", uuid);
	d->index = index;
	*vec_push(&b->dev) = d;
	return d;
}

static void put_device(struct tally *b, const struct dev *d)
{
	struct agentdb_device *o = vec_push(&b->out.device);
	*o = d->d;
	o->uuid = keep(&b->out.mem, d->d.uuid);
	o->name = keep(&b->out.mem, d->d.name);
	o->model = keep(&b->out.mem, d->d.model);
	o->bus_id = keep(&b->out.mem, d->d.bus_id);
	o->mig_profile = keep(&b->out.mem, d->d.mig_profile);
}

static struct dev *dev_of(struct tally *b, const struct watch_dev *w, int64_t t_ms)
{
	const struct gpu_card *c = &w->gpu->card;
	struct dev *d = dev_find(b, c->uuid, c->index);
	if (d)
		return d;
	d = dev_new(b, c->uuid, c->index);
	d->id = b->next_dev++;
	const struct dev *parent = w->parent ? dev_find(b, w->parent->uuid, w->parent->index) : NULL;
	d->d = (struct agentdb_device){ .id = d->id, .parent = parent ? parent->id : 0, .index = c->index, .mig_start = c->mig_start,
					.mem_total_bytes = c->mem_total_bytes, .first_ms = t_ms, .last_ms = t_ms, .uuid = keep(&b->mem, sv_of(c->uuid)),
					.name = keep(&b->mem, sv_of(c->name)), .model = keep(&b->mem, sv_of(w->model)),
					.bus_id = keep(&b->mem, sv_of(c->bus_id)), .mig_profile = keep(&b->mem, sv_of(c->mig_profile)) };
	put_device(b, d);
	return d;
}

/* The machine itself is a device without cards: its processors and network. */
static struct dev *host_of(struct tally *b, int64_t t_ms)
{
	struct dev *d = dev_find(b, "host", -1);
	if (d)
		return d;
	d = dev_new(b, "host", -1);
	d->id = b->next_dev++;
	d->d = (struct agentdb_device){ .id = d->id, .index = -1, .mig_start = -1, .mem_total_bytes = NAN, .first_ms = t_ms, .last_ms = t_ms,
					.uuid = SV("host"), .name = SV("host") };
	put_device(b, d);
	return d;
}

static uint64_t mix(uint64_t h, struct sv v)
{
	return XXH3_64bits_withSeed(v.n ? v.p : "", v.n, h * 31 + (v.p != NULL));
}

static uint64_t key_of(const struct allocation *a)
{
	uint64_t h = mix(mix(mix(7, a->job_id), a->user), a->namespace_);
	return a->job_id.n ? h : mix(h, a->name) ^ (uint64_t)a->start_ms;
}

static uint64_t content_of(const struct allocation *a)
{
	const struct sv t[] = { a->job_id, a->user, a->team, a->project, a->env, a->workload, a->name, a->account, a->namespace_, a->queue, a->cluster,
				a->tags };
	const int64_t n[] = { a->submit_ms, a->start_ms, a->end_ms, a->gpus_milli, a->checkpointable };
	uint64_t h = XXH3_64bits(n, sizeof n);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		h = mix(h, t[i]);
	return h;
}

static void put_holder(struct tally *b, int64_t id, const struct allocation *a)
{
	struct agentdb_holder *h = vec_push(&b->out.holder);
	struct arena *m = &b->out.mem;
	*h = (struct agentdb_holder){ .id = id, .a = *a };
	struct sv *t[] = { &h->a.job_id, &h->a.user, &h->a.team, &h->a.project, &h->a.env, &h->a.workload, &h->a.name, &h->a.account, &h->a.namespace_,
			   &h->a.queue, &h->a.cluster, &h->a.tags };
	for (size_t i = 0; i < sizeof t / sizeof *t; i++)
		*t[i] = keep(m, *t[i]);
}

static int64_t holder_of(struct tally *b, const struct allocation *a)
{
	uint64_t key = key_of(a), content = content_of(a);
	struct holder *h = NULL, *oldest = NULL;
	for (size_t i = 0; i < b->holder.n && !h; i++) {
		if (b->holder.v[i].key == key)
			h = &b->holder.v[i];
		else if (!oldest || b->holder.v[i].last_tick < oldest->last_tick)
			oldest = &b->holder.v[i];
	}
	if (!h) {
		h = b->holder.n < HOLDERS_MAX ? vec_push(&b->holder) : oldest;
		*h = (struct holder){ .id = b->next_holder++, .key = key };
	}
	if (h->content != content) {
		put_holder(b, h->id, a);
		h->content = content;
	}
	h->last_tick = b->tick;
	return h->id;
}

/* ---- parts of a device ------------------------------------------------------------------------------------------------------------ */

static void put_hold(struct tally *b, const struct dev *d, const struct part *p, int64_t to_ms, bool open)
{
	enum share_kind kind = d->d.parent ? SHARE_MIG : p->share_ppb >= 1000000000 ? SHARE_WHOLE : SHARE_FRACTION;
	*vec_push(&b->out.hold) = (struct agentdb_hold){ .id = p->hold, .holder = p->holder, .dev = d->id, .share_ppb = p->share_ppb, .share_kind = kind,
							 .from_ms = p->from_ms, .to_ms = to_ms, .open = open, .rev = ++b->rev };
}

static void close_roll(struct tally *b, struct dev *d)
{
	struct str packed = { 0 };
	if (!d->open)
		return;
	d->open = false;
	if (d->roll.to_ms <= d->roll.from_ms)
		return;
	rollup_pack(&d->roll, &packed);
	*vec_push(&b->out.minute) = (struct agentdb_minute){ .t_ms = tm_floor(d->roll.from_ms, MS_MINUTE), .dev = d->id, .from_ms = d->roll.from_ms,
							     .to_ms = d->roll.to_ms,
							     .roll = { arena_strn(&b->out.mem, packed.p, packed.n), packed.n } };
	b->counts.minutes++;
	str_free(&packed);
}

static void open_roll(struct dev *d, int64_t from_ms)
{
	rollup_clear(&d->roll);
	d->roll.dev = d->id;
	d->roll.from_ms = d->roll.to_ms = from_ms;
	for (size_t i = 0; i < d->part.n; i++)
		*vec_push(&d->roll.use) = (struct rollup_use){ .hold = d->part.v[i].hold, .share_ppb = d->part.v[i].share_ppb };
	d->open = true;
}

/* The device is no longer held as it was. */
static void end_parts(struct tally *b, struct dev *d, int64_t t_ms)
{
	close_roll(b, d);
	for (size_t i = 0; i < d->part.n; i++)
		if (d->part.v[i].hold)
			put_hold(b, d, &d->part.v[i], t_ms, false);
	vec_clear(&d->part);
}

static bool same_parts(const struct dev *d, const struct part *p, size_t n)
{
	if (d->part.n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if (d->part.v[i].holder != p[i].holder || d->part.v[i].share_ppb != p[i].share_ppb)
			return false;
	return true;
}

static const struct part *part_same(const struct part *p, size_t n, const struct part *as)
{
	for (size_t i = 0; i < n; i++)
		if (p[i].holder == as->holder && p[i].share_ppb == as->share_ppb)
			return &p[i];
	return NULL;
}

/* Holders that stay keep their interval; others end at t_ms, new ones begin there. */
static void change_parts(struct tally *b, struct dev *d, int64_t t_ms)
{
	struct part *now = b->now.v;
	size_t n = b->now.n;
	close_roll(b, d);
	for (size_t i = 0; i < d->part.n; i++)
		if (d->part.v[i].hold && !part_same(now, n, &d->part.v[i]))
			put_hold(b, d, &d->part.v[i], t_ms, false);
	for (size_t i = 0; i < n; i++) {
		const struct part *old = part_same(d->part.v, d->part.n, &now[i]);
		now[i].hold = !now[i].holder ? 0 : old ? old->hold : b->next_hold++;
		now[i].from_ms = old ? old->from_ms : t_ms;
		if (now[i].hold && !old)
			put_hold(b, d, &now[i], t_ms, true);
	}
	vec_clear(&d->part);
	for (size_t i = 0; i < n; i++)
		*vec_push(&d->part) = now[i];
}

static void parts_now(struct tally *b, const struct watch_dev *w)
{
	vec_clear(&b->now);
	for (size_t i = 0; i < w->nuse; i++) {
		const struct watch_use *u = &w->use[i];
		int64_t holder = u->held ? holder_of(b, u->held) : 0;
		if (b->now.n < USES_MAX)
			*vec_push(&b->now) = (struct part){ .holder = holder, .share_ppb = u->share_ppb };
		else
			b->now.v[USES_MAX - 1].share_ppb += u->share_ppb;
	}
}

/* ---- booking ---------------------------------------------------------------------------------------------------------------------- */

static size_t nheld(const struct watch_dev *w)
{
	size_t n = 0;
	for (size_t i = 0; i < w->nuse; i++)
		n += w->use[i].held != NULL;
	return n;
}

/* What the state was decided by: the holder's own readings, where it has none the card's. */
static void keys_of(const struct watch_dev *w, const struct watch_use *u, double key[ROLLUP_KEYS])
{
	const double *v = w->gpu->value;
	double sm = v[METRIC_SM_ACTIVE_FRAC], util = v[METRIC_GPU_UTIL_PCT];
	bool own = !isnan(u->util_pct) && u->held && nheld(w) > 1;
	key[ROLLUP_UTIL] = !isnan(u->util_pct) ? u->util_pct : !isnan(util) ? util : sm * 100;
	key[ROLLUP_MEM] = own && !isnan(u->mem_bytes) ? u->mem_bytes : v[METRIC_MEM_USED_BYTES];
	key[ROLLUP_SM] = own ? NAN : sm;
	key[ROLLUP_POWER] = own ? NAN : v[METRIC_POWER_W];
}

static void tally_states(struct dev *d, const struct watch_dev *w, int64_t ms)
{
	double key[ROLLUP_KEYS];
	for (size_t i = 0; i < w->nuse; i++) {
		const struct watch_use *u = &w->use[i];
		size_t k = i < USES_MAX ? i : USES_MAX - 1;
		if (k >= d->roll.use.n || i >= USES_MAX)
			continue;
		keys_of(w, u, key);
		rollup_use_add(&d->roll.use.v[k], u->state, u->cause, ms, key);
	}
}

static void tally_unknown(struct dev *d, int64_t ms)
{
	static const double none[ROLLUP_KEYS] = { NAN, NAN, NAN, NAN };
	for (size_t i = 0; i < d->roll.use.n; i++)
		rollup_use_add(&d->roll.use.v[i], d->roll.use.v[i].hold ? STATE_UNKNOWN : STATE_UNALLOCATED, CAUSE_NONE, ms, none);
}

/* [from, to) of a device, cut at minutes; w NULL: nobody looked. */
static void tally_span(struct tally *b, struct dev *d, const struct watch_dev *w, int64_t from_ms, int64_t to_ms)
{
	while (from_ms < to_ms) {
		int64_t end = tm_floor(from_ms, MS_MINUTE) + MS_MINUTE, upto = end < to_ms ? end : to_ms;
		if (!d->open)
			open_roll(d, from_ms);
		if (w)
			tally_states(d, w, upto - from_ms);
		else
			tally_unknown(d, upto - from_ms);
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

static void tally_host(struct tally *b, const struct watch_view *v)
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
		value[METRIC_MEM_USED_BYTES] = v->host.mem_total_bytes - v->host.mem_available_bytes;
	}
	for (int m = 0; m < METRIC_N; m++)
		any |= !isnan(value[m]);
	if (any)
		keep_raw(b, host_of(b, v->t_ms)->id, v->t_ms, value);
}

static void tally_events(struct tally *b, const struct watch_view *v)
{
	const struct gpu_view *g = v->gpus;
	for (size_t i = 0; i < g->nevent; i++) {
		const struct gpu_event *e = &g->event[i];
		const struct gpu_card *c = e->dev >= 0 && (size_t)e->dev < g->ndev ? &g->dev[e->dev].card : NULL;
		tally_event(b, v->t_ms, gpu_event_name(e->kind), c ? tally_device_id(b, c->uuid, c->index) : 0, e->code, NULL);
	}
}

/* ---- time ------------------------------------------------------------------------------------------------------------------------- */

static void end_watch(struct tally *b)
{
	for (size_t i = 0; i < b->dev.n; i++)
		end_parts(b, b->dev.v[i], b->end_ms);
	if (b->watched.id)
		b->watched.to_ms = b->end_ms;
	if (b->watched.id && b->watched.to_ms > b->watched.from_ms)
		b->out.watched = b->watched;
	b->watched.id = 0;
}

/* The clock was wrong: what was booked from t_ms on is void. */
static void go_back(struct tally *b, int64_t t_ms)
{
	for (size_t i = 0; i < b->dev.n; i++)
		b->dev.v[i]->open = false;
	b->end_ms = t_ms;
	end_watch(b);
	b->out.void_after_ms = t_ms;
	vec_clear(&b->out.minute);
	b->counts.skipped_ms = 0;
}

/* What was held when the last run ended says nothing of the parts nobody held: they are what the cards are now, less that. */
static void restore_rest(struct tally *b, const struct watch_view *v)
{
	for (size_t i = 0; i < v->ndev && !b->restored; i++) {
		struct dev *d = dev_of(b, &v->dev[i], v->t_ms);
		int64_t rest = 0;
		for (size_t k = 0; k < v->dev[i].nuse; k++)
			rest += v->dev[i].use[k].share_ppb;
		for (size_t k = 0; k < d->part.n; k++)
			rest -= d->part.v[k].share_ppb;
		if (rest > 0)
			*vec_push(&d->part) = (struct part){ .share_ppb = rest, .from_ms = b->end_ms };
	}
	b->restored = true;
}

/* Nobody looked between the end of the account and t_ms. */
static void take_gap(struct tally *b, const struct watch_view *v, int64_t t_ms)
{
	char text[96], span[TM_BUF];
	int64_t ms = t_ms - b->end_ms;
	b->counts.gaps++;
	b->counts.gap_ms += ms;
	snprintf(text, sizeof text, "nobody looked for %s", tm_format_span(span, ms));
	tally_event(b, t_ms, "gap", 0, ms, text);
	if (ms > TALLY_BRIDGE_MS) {
		end_watch(b);
		b->end_ms = t_ms;
		return;
	}
	restore_rest(b, v);
	for (size_t i = 0; i < b->dev.n; i++)
		if (b->dev.v[i]->part.n)
			tally_span(b, b->dev.v[i], NULL, b->end_ms, t_ms);
	b->end_ms = t_ms;
}

/* Where this tick's step begins, or -1: the clock was set back and has not caught up. */
static int64_t step_begins(struct tally *b, const struct watch_view *v)
{
	char text[96];
	int64_t t = v->t_ms, steady = b->mono_ms ? v->mono_ms - b->mono_ms : 0;
	int64_t own = v->step_ms > 0 && v->step_ms <= b->cover_ms ? v->step_ms : b->cover_ms;
	if (!b->end_ms) {
		b->end_ms = t - (v->step_ms > 0 ? own : 0);
		return b->end_ms;
	}
	int64_t drift = t - b->end_ms - steady;
	if (b->mono_ms && (drift > TALLY_JUMP_MS || drift < -TALLY_JUMP_MS) && b->counts.skipped_ms == 0) {
		snprintf(text, sizeof text, "the wall clock was set by %+.3f s", (double)drift / 1000);
		tally_event(b, t, "clock_jump", 0, drift, text);
		b->counts.jumps++;
	}
	if (t <= b->end_ms - TALLY_BACK_MAX_MS) {
		go_back(b, t);
		return t;
	}
	if (t <= b->end_ms) {
		b->counts.skipped_ms += steady > 0 ? steady : 1;
		return -1;
	}
	b->counts.skipped_ms = 0;
	if (t - b->end_ms > b->cover_ms)
		take_gap(b, v, t - own);
	return b->end_ms;
}

static void watch_goes_on(struct tally *b, int64_t from_ms)
{
	if (!b->watched.id)
		b->watched = (struct agentdb_watched){ .id = b->next_watched++, .from_ms = from_ms };
	b->watched.to_ms = b->end_ms;
	b->out.watched = b->watched;
}

static void leave_absent(struct tally *b, int64_t from_ms)
{
	for (size_t i = 0; i < b->dev.n; i++)
		if (b->dev.v[i]->part.n && b->dev.v[i]->last_tick != b->tick)
			end_parts(b, b->dev.v[i], from_ms);
}

void tally_tick(struct tally *b, const struct watch_view *v)
{
	b->tick++;
	b->counts.ticks++;
	int64_t minutes = (int64_t)b->out.minute.n, from = step_begins(b, v);
	b->mono_ms = v->mono_ms;
	for (size_t i = 0; i < v->ndev; i++)
		dev_of(b, &v->dev[i], v->t_ms)->last_tick = b->tick;
	tally_events(b, v);
	if (from < 0)
		return;
	b->restored = true;
	leave_absent(b, from);
	for (size_t i = 0; i < v->ndev; i++) {
		struct dev *d = dev_of(b, &v->dev[i], v->t_ms);
		parts_now(b, &v->dev[i]);
		if (!same_parts(d, b->now.v, b->now.n))
			change_parts(b, d, from);
		tally_span(b, d, &v->dev[i], from, v->t_ms);
		if (v->dev[i].gpu->present && !v->dev[i].gpu->stuck)
			keep_raw(b, d->id, v->t_ms, v->dev[i].gpu->value);
	}
	tally_host(b, v);
	b->end_ms = v->t_ms;
	watch_goes_on(b, from);
	b->out.minute_closed |= (int64_t)b->out.minute.n > minutes;
}

void tally_close(struct tally *b)
{
	for (size_t i = 0; i < b->dev.n; i++)
		close_roll(b, b->dev.v[i]);
	if (b->watched.id) /* what was handed out last may have told of it less far */
		b->out.watched = b->watched;
	b->out.minute_closed = true;
}

/* ---- handing out, going on ---------------------------------------------------------------------------------------------------------- */

void tally_take(struct tally *b, struct tally_out *ret)
{
	struct str packed = { 0 };
	if (b->out.minute_closed) /* open holds have come further */
		for (size_t i = 0; i < b->dev.n; i++)
			for (size_t k = 0; k < b->dev.v[i]->part.n; k++)
				if (b->dev.v[i]->part.v[k].hold)
					put_hold(b, b->dev.v[i], &b->dev.v[i]->part.v[k], b->end_ms, true);
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
	b->out = (struct tally_out){ .void_after_ms = UNKNOWN_MS };
}

static int load_ids(struct tally *b, struct agentdb *db, struct err *err)
{
	struct { const char *what; int64_t *next; } ids[] = { { "device", &b->next_dev }, { "holder", &b->next_holder }, { "hold", &b->next_hold },
							       { "event", &b->next_event }, { "watched", &b->next_watched } };
	int r = agentdb_last_id(db, "rev", &b->rev, err);
	for (size_t i = 0; r >= 0 && i < sizeof ids / sizeof *ids; i++) {
		r = agentdb_last_id(db, ids[i].what, ids[i].next, err);
		++*ids[i].next;
	}
	return r;
}

static void load_device(struct tally *b, const struct agentdb_device *d)
{
	char uuid[96];
	snprintf(uuid, sizeof uuid, "%.*s", SVF(d->uuid));
	struct dev *n = dev_new(b, uuid, d->index);
	n->id = d->id;
	n->d = *d;
	n->d.uuid = keep(&b->mem, d->uuid);
	n->d.name = keep(&b->mem, d->name);
	n->d.model = keep(&b->mem, d->model);
	n->d.bus_id = keep(&b->mem, d->bus_id);
	n->d.mig_profile = keep(&b->mem, d->mig_profile);
}

/* What was held when the last run ended is held on until a tick says otherwise. */
static void load_hold(struct tally *b, const struct agentdb_hold *h)
{
	for (size_t i = 0; i < b->dev.n && h->open; i++)
		if (b->dev.v[i]->id == h->dev)
			*vec_push(&b->dev.v[i]->part) = (struct part){ .holder = h->holder, .hold = h->id, .share_ppb = h->share_ppb, .from_ms = h->from_ms };
}

int tally_load(struct tally *b, struct agentdb *db, struct err *err)
{
	struct arena a = { 0 };
	struct agentdb_device *d = NULL;
	struct agentdb_holder *h = NULL;
	struct agentdb_hold *o = NULL;
	struct agentdb_watched *w = NULL;
	size_t nd = 0, nh = 0, no = 0, nw = 0;
	int r = load_ids(b, db, err);
	if (r >= 0)
		r = agentdb_devices(db, &a, &d, &nd, err);
	if (r >= 0)
		r = agentdb_holders(db, 0, &a, &h, &nh, err);
	if (r >= 0)
		r = agentdb_holds(db, 0, &a, &o, &no, err);
	if (r >= 0)
		r = agentdb_watches(db, &a, &w, &nw, err);
	for (size_t i = 0; r >= 0 && i < nd; i++)
		load_device(b, &d[i]);
	for (size_t i = 0; r >= 0 && i < nh; i++)
		*vec_push(&b->holder) = (struct holder){ .id = h[i].id, .key = key_of(&h[i].a), .content = content_of(&h[i].a) };
	for (size_t i = 0; r >= 0 && i < no; i++)
		load_hold(b, &o[i]);
	if (r >= 0 && nw) {
		b->watched = w[nw - 1];
		b->end_ms = b->watched.to_ms;
	}
	arena_free(&a);
	return r;
}
