/* Who has which part of a device, and since when. See tally_in.h. */
#include "agent/tally_in.h"

#include <math.h>
#include <stdio.h>
#include <xxhash.h>

#include "base/str.h"
#include "base/tm.h"

#define OWNERS_MAX 65536

/* ---- devices and owners ----------------------------------------------------------------- */

static struct tally_dev *tally_dev_find(const struct tally *b, const char *uuid, int index)
{
	for (size_t i = 0; i < b->dev.n; i++)
		if (!strcmp(b->dev.v[i]->uuid, uuid) && (*uuid || b->dev.v[i]->index == index))
			return b->dev.v[i];
	return NULL;
}

int64_t tally_device_id(const struct tally *b, const char *uuid, int index)
{
	const struct tally_dev *d = tally_dev_find(b, uuid, index);
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

struct tally_dev *tally_dev_of(struct tally *b, const struct watch_dev *w, int64_t t_ms)
{
	const struct gpu_info *c = &w->gpu->info;
	struct tally_dev *d = tally_dev_find(b, c->uuid, c->index);
	if (d)
		return d;
	d = tally_dev_new(b, c->uuid, c->index);
	d->id = b->next_dev++;
	const struct tally_dev *parent = NULL;
	if (w->parent)
		parent = tally_dev_find(b, w->parent->uuid, w->parent->index);
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

struct tally_dev *tally_host(struct tally *b, int64_t t_ms)
{
	struct tally_dev *d = tally_dev_find(b, "host", -1);
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

/* ---- parts of a device ------------------------------------------------------------------- */

void tally_put_hold(struct tally *b, const struct tally_dev *d, const struct tally_part *p,
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

void tally_roll_close(struct tally *b, struct tally_dev *d)
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

void tally_roll_open(struct tally_dev *d, int64_t from_ms)
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

void tally_parts_end(struct tally *b, struct tally_dev *d, int64_t t_ms)
{
	tally_roll_close(b, d);
	for (size_t i = 0; i < d->part.n; i++)
		if (d->part.v[i].hold)
			tally_put_hold(b, d, &d->part.v[i], t_ms, false);
	vec_clear(&d->part);
}

bool tally_parts_same(const struct tally *b, const struct tally_dev *d)
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

void tally_parts_change(struct tally *b, struct tally_dev *d, int64_t t_ms)
{
	struct tally_part *now = b->now.v;
	size_t n = b->now.n;
	tally_roll_close(b, d);
	for (size_t i = 0; i < d->part.n; i++)
		if (d->part.v[i].hold && !part_same(now, n, &d->part.v[i]))
			tally_put_hold(b, d, &d->part.v[i], t_ms, false);
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
			tally_put_hold(b, d, &now[i], t_ms, true);
	}
	vec_clear(&d->part);
	for (size_t i = 0; i < n; i++)
		*vec_push(&d->part) = now[i];
}

void tally_parts_now(struct tally *b, const struct watch_dev *w)
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
