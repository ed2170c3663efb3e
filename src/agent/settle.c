/* See settle.h. */
#include "agent/settle.h"

#include <errno.h>
#include <stdio.h>

#include "base/num.h"
#include "watch/rollup.h"
#include "base/spans.h"
#include "base/tm.h"

struct new_hold { /* a part of a hold that was held back */
	int64_t was, id;
	struct span at;
};
struct settle {
	struct agentdb *db;
	int64_t shift_ms, next_id, last_id;
	/* of what is not held back, and of all: numbers that were given twice are given again */
	struct {
		int64_t hold, watched, event, rev;
	} booked, next;
	struct settled done;
	spans taken, free;
	VEC(struct new_hold) hold;
	struct arena mem;
	struct rollup roll;
	VEC(struct agentdb_minute) minute;
	VEC(struct agentdb_event) event;
	struct str packed;
};

static int take_id(struct settle *s, int64_t *ret, struct err *err)
{
	if (s->next_id >= s->last_id)
		return err_set(err, -E2BIG,
			       "what was held back would be cut in more than %d pieces",
			       SETTLE_IDS);
	*ret = s->next_id++;
	return 0;
}

static struct span shift_span(const struct settle *s, int64_t from_ms, int64_t to_ms)
{
	return (struct span){ from_ms + s->shift_ms, to_ms + s->shift_ms };
}

/* ---- rows -------------------------------------------------------------------------------- */

static int settle_watched(struct settle *s, const struct agentdb_watched *w, struct err *err)
{
	int r = 0;
	spans_free_of(&s->taken, shift_span(s, w->from_ms, w->to_ms), &s->free);
	s->done.taken_ms += w->to_ms - w->from_ms;
	for (size_t i = 0; r >= 0 && i < s->free.n; i++) {
		struct agentdb_watched o = { w->id, s->free.v[i].from_ms, s->free.v[i].to_ms };
		s->done.taken_ms -= o.to_ms - o.from_ms;
		if (i || w->id <= s->booked.watched)
			r = take_id(s, &o.id, err);
		if (r >= 0)
			r = agentdb_put_watched(s->db, &o, err);
	}
	return r;
}

static int settle_hold(struct settle *s, const struct agentdb_hold *h, struct err *err)
{
	int r = 0;
	spans_free_of(&s->taken, shift_span(s, h->from_ms, h->to_ms), &s->free);
	for (size_t i = 0; r >= 0 && i < s->free.n; i++) {
		struct agentdb_hold o = *h;
		o.from_ms = s->free.v[i].from_ms;
		o.to_ms = s->free.v[i].to_ms;
		o.open = false;
		if (h->rev <= s->booked.rev) /* a sender looks at later ones only */
			o.rev = ++s->next.rev;
		if (i || h->id <= s->booked.hold)
			r = take_id(s, &o.id, err);
		if (r >= 0)
			r = agentdb_put_hold(s->db, &o, err);
		*vec_push(&s->hold) =
			(struct new_hold){ .was = h->id, .id = o.id, .at = s->free.v[i] };
	}
	return r;
}

static int64_t hold_at(const struct settle *s, int64_t was, int64_t t_ms)
{
	for (size_t i = 0; i < s->hold.n; i++) {
		const struct new_hold *h = &s->hold.v[i];
		if (h->was == was && t_ms >= h->at.from_ms && t_ms < h->at.to_ms)
			return h->id;
	}
	return was;
}

static bool read_roll(struct settle *s, const struct agentdb_minute *m)
{
	struct err ignored;
	if (rollup_unpack(m->roll.p, m->roll.n, &s->roll, &ignored) != 0)
		return false;
	return s->roll.from_ms == m->from_ms && s->roll.to_ms == m->to_ms &&
	       rollup_adds_up(&s->roll);
}

static int settle_minute(struct settle *s, const struct agentdb_minute *m, struct err *err)
{
	int r = 0;
	if (!read_roll(s, m)) { /* what is damaged is lost, no more */
		s->done.damaged_rows++;
		if (m->to_ms > m->from_ms)
			s->done.damaged_ms += m->to_ms - m->from_ms;
		return 0;
	}
	spans_free_of(&s->taken, shift_span(s, m->from_ms, m->to_ms), &s->free);
	bool first = true;
	for (size_t i = 0; r >= 0 && i < s->free.n; i++) {
		struct span left = s->free.v[i];
		while (r >= 0 && left.from_ms < left.to_ms) {
			/* A piece ends with its first hour, or where it does: a shift is no whole
			 * minute, and every sum of time is one of whole hours (the ledger's,
			 * status'), for which no row may lie in two. */
			int64_t hour = tm_floor(left.from_ms, MS_HOUR) + MS_HOUR;
			struct span at = { left.from_ms, min_i64(hour, left.to_ms) };

			/* Of one that read_roll() has found to be good; first: of its pieces. */
			read_roll(s, m);
			s->roll.from_ms += s->shift_ms;
			s->roll.to_ms += s->shift_ms;
			if (at.from_ms != s->roll.from_ms || at.to_ms != s->roll.to_ms)
				rollup_cut(&s->roll, at.from_ms, at.to_ms);
			if (!first) /* each reading counts once */
				rollup_drop_readings(&s->roll);
			for (size_t k = 0; k < s->roll.use.n; k++)
				s->roll.use.v[k].hold = hold_at(s, s->roll.use.v[k].hold,
								at.from_ms);
			str_clear(&s->packed);
			rollup_pack(&s->roll, &s->packed);
			r = agentdb_put_minute(
				s->db,
				&(struct agentdb_minute){ .t_ms = tm_floor(at.from_ms, MS_MINUTE),
							  .dev = m->dev,
							  .from_ms = at.from_ms,
							  .to_ms = at.to_ms,
							  .roll = str_sv(&s->packed) },
				err);

			left.from_ms = at.to_ms;
			first = false;
		}
	}
	return r;
}

/* ---- all of it --------------------------------------------------------------------------- */

static int keep_minute(void *ctx, const struct agentdb_minute *m, struct err *err)
{
	struct settle *s = ctx;
	struct agentdb_minute *o = vec_push(&s->minute);
	(void)err;
	*o = *m;
	o->roll.p = arena_strn(&s->mem, m->roll.p, m->roll.n);
	return 0;
}

static int keep_event(void *ctx, const struct agentdb_event *e, struct err *err)
{
	struct settle *s = ctx;
	struct agentdb_event *o = vec_push(&s->event);
	(void)err;
	*o = *e;
	o->t_ms += s->shift_ms;
	o->id = e->id <= s->booked.event ? ++s->next.event : e->id;
	o->kind.p = arena_strn(&s->mem, e->kind.p, e->kind.n);
	if (e->text.p)
		o->text.p = arena_strn(&s->mem, e->text.p, e->text.n);
	return 0;
}

int settle_held(struct agentdb *db, int64_t shift_ms, int64_t first_id, struct settled *ret,
		struct err *err)
{
	struct settle s = { .db = db,
			    .shift_ms = shift_ms,
			    .next_id = first_id,
			    .last_id = first_id + SETTLE_IDS };
	/* What is booked already: its time is taken. */
	struct agentdb_watched *w = NULL;
	size_t n = 0;
	agentdb_hold_back(s.db, false);
	int r = agentdb_watches(s.db, &s.mem, &w, &n, err);
	for (size_t i = 0; r >= 0 && i < n; i++)
		spans_put(&s.taken, (struct span){ w[i].from_ms, w[i].to_ms });
	if (r >= 0) {
		const struct {
			const char *what;
			int64_t *booked, *next;
		} ids[] = { { "hold", &s.booked.hold, &s.next.hold },
			    { "watched", &s.booked.watched, &s.next.watched },
			    { "event", &s.booked.event, &s.next.event },
			    { "rev", &s.booked.rev, &s.next.rev } };
		/* where their numbers go on */
		for (size_t i = 0; r >= 0 && i < sizeof ids / sizeof *ids; i++) {
			r = agentdb_last_id(s.db, ids[i].what, ids[i].booked, err);
			if (r >= 0)
				r = agentdb_last_of_all(s.db, ids[i].what, ids[i].next, err);
		}
	}
	if (r >= 0) {
		/* What was held back moves to its place. */
		struct agentdb_watched *back = NULL;
		struct agentdb_hold *h = NULL;
		size_t nw = 0, nh = 0;
		agentdb_hold_back(s.db, true);
		r = agentdb_watches(s.db, &s.mem, &back, &nw, err);
		if (r >= 0)
			r = agentdb_holds(s.db, 0, &s.mem, &h, &nh, err);
		if (r >= 0)
			r = agentdb_each_minute(s.db, &AGENTDB_ALL, keep_minute, &s, err);
		if (r >= 0)
			r = agentdb_each_event(s.db, &AGENTDB_ALL, keep_event, &s, err);
		agentdb_hold_back(s.db, false);
		for (size_t i = 0; r >= 0 && i < nw; i++)
			r = settle_watched(&s, &back[i], err);
		for (size_t i = 0; r >= 0 && i < nh; i++)
			r = settle_hold(&s, &h[i], err);
		for (size_t i = 0; r >= 0 && i < s.minute.n; i++)
			r = settle_minute(&s, &s.minute.v[i], err);
		for (size_t i = 0; r >= 0 && i < s.event.n; i++)
			r = agentdb_put_event(s.db, &s.event.v[i], err);
	}
	if (r >= 0)
		r = agentdb_end_quarantine(db, shift_ms, err);
	if (r >= 0)
		*ret = s.done;
	vec_free(&s.taken);
	vec_free(&s.free);
	vec_free(&s.hold);
	vec_free(&s.minute);
	vec_free(&s.event);
	rollup_free(&s.roll);
	str_free(&s.packed);
	arena_free(&s.mem);
	return r;
}

void settle_say_damage(const struct settled *s)
{
	char span[TM_BUF];
	if (s->damaged_rows)
		fprintf(stderr,
			"tare agent: %lld minutes of what was held back are damaged, and lost: %s of devices' time\n",
			(long long)s->damaged_rows, tm_format_span(span, s->damaged_ms));
}
