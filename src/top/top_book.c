/* See top_book.h. */
#include "top/top_book.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include "watch/rollup.h"
#include "base/tm.h"
#include "store/agentdb.h"

/* an agent that has closed no minute for so long is not at work */
#define FRESH_MS   (5 * MS_MINUTE)
#define SETTLED_MS (10 * MS_MINUTE) /* minutes older than this do not change any more */

struct sum { /* of a device, state and cause */
	int64_t dev;
	enum state state;
	enum cause cause;
	dec ms_ppb;
};
struct top_book {
	char *dir;
	struct agentdb *db;
	int64_t day_ms;     /* 00:00 of the day of the sums */
	int64_t settled_ms; /* minutes before this are in settled */
	int64_t first_ms;   /* of this day; INT64_MAX = none yet */
	VEC(struct sum) settled, all;
	VEC(struct top_booked) row;
	struct arena mem; /* texts of row */
	/* of one reading */
	int64_t until_ms, last_ms;
	bool settling;
};

struct top_book *top_book_new(const char *state_dir)
{
	struct top_book *b = xcalloc(1, sizeof *b);
	b->dir = xstrdup(state_dir);
	return b;
}

void top_book_free(struct top_book *b)
{
	if (!b)
		return;
	if (b->db)
		agentdb_close(b->db);
	vec_free(&b->settled);
	vec_free(&b->all);
	vec_free(&b->row);
	arena_free(&b->mem);
	free(b->dir);
	free(b);
}

static void add_use(struct top_book *b, int64_t dev, const struct rollup_use *u,
		    const struct rollup_state *s)
{
	double util = s->known_ms[ROLLUP_UTIL] > 0
			      ? s->sum[ROLLUP_UTIL] / (double)s->known_ms[ROLLUP_UTIL]
			      : NAN;
	double frac = waste_frac(s->state, util);
	size_t n = b->all.n;
	struct sum *v = b->settling ? b->settled.v : b->all.v, *to = NULL;
	if (b->settling)
		n = b->settled.n;
	if (!(frac > 0))
		return;
	for (size_t i = 0; i < n && !to; i++)
		if (v[i].dev == dev && v[i].state == s->state && v[i].cause == s->cause)
			to = &v[i];
	if (!to) {
		to = b->settling ? vec_push(&b->settled) : vec_push(&b->all);
		*to = (struct sum){ .dev = dev, .state = s->state, .cause = s->cause };
	}
	to->ms_ppb += (dec)s->ms * llround((double)u->share_ppb * frac);
}

static int add_minute(void *ctx, const struct agentdb_minute *m, struct err *err)
{
	struct top_book *b = ctx;
	struct rollup r = { 0 };
	struct err ignored = { 0 };
	if (m->from_ms < b->first_ms)
		b->first_ms = m->from_ms;
	if (m->to_ms > b->last_ms)
		b->last_ms = m->to_ms;
	/* A row that cannot be read is time not known; the others still count. */
	if (m->from_ms < b->until_ms && rollup_unpack(m->roll.p, m->roll.n, &r, &ignored) >= 0)
		for (size_t i = 0; i < r.use.n; i++)
			for (size_t k = 0; k < r.use.v[i].nstate; k++)
				add_use(b, m->dev, &r.use.v[i], &r.use.v[i].state[k]);
	rollup_free(&r);
	return 0;
}

/* The end of the last minute that is whole. */
static int last_minute(void *ctx, const struct agentdb_minute *m, struct err *err)
{
	int64_t *last = ctx;
	if (m->to_ms > *last)
		*last = m->to_ms;
	return 0;
}

static int read_today(struct top_book *b, int64_t now_ms, struct err *err)
{
	int64_t last = INT64_MIN, settle = tm_floor(now_ms, MS_MINUTE) - SETTLED_MS;
	struct agentdb_window w = { .since_ms = now_ms - FRESH_MS - MS_MINUTE,
				    .until_ms = INT64_MAX };
	int r = agentdb_each_minute(b->db, &w, last_minute, &last, err);
	if (r < 0)
		return r;
	if (last < now_ms - FRESH_MS)
		return -ENODATA;
	b->until_ms = tm_floor(last, MS_MINUTE);
	if (settle > b->settled_ms) {
		b->settling = true;
		w.since_ms = b->settled_ms;
		w.until_ms = settle;
		r = agentdb_each_minute(b->db, &w, add_minute, b, err);
		b->settling = false;
		b->settled_ms = settle;
	}
	vec_clear(&b->all);
	for (size_t i = 0; i < b->settled.n; i++)
		*vec_push(&b->all) = b->settled.v[i];
	if (r < 0)
		return r;
	w.since_ms = b->settled_ms;
	w.until_ms = INT64_MAX;
	return agentdb_each_minute(b->db, &w, add_minute, b, err);
}

static struct sv key_of(struct top_book *b, const struct agentdb_device *d)
{
	if (d->uuid.n)
		return d->uuid;
	if (d->bus_id.n)
		return d->bus_id;
	const char *z = arena_printf(&b->mem, "%d", d->index);
	return sv_of(z);
}

void top_book_today(struct top_book *b, int64_t now_ms, struct top_today *ret)
{
	struct err err = { 0 };
	*ret = (struct top_today){ 0 };
	if (tm_floor(now_ms, MS_DAY) != b->day_ms || !b->db) {
		b->day_ms = b->settled_ms = tm_floor(now_ms, MS_DAY);
		b->first_ms = INT64_MAX;
		vec_clear(&b->settled);
	}
	if (!b->db && agentdb_open(b->dir, false, &b->db, &err) < 0)
		return;
	struct agentdb_device *d;
	size_t n;
	int r = read_today(b, now_ms, &err);
	if (r >= 0) {
		arena_free(&b->mem);
		vec_clear(&b->row);
		r = agentdb_devices(b->db, &b->mem, &d, &n, &err);
	}
	for (size_t i = 0; r >= 0 && i < b->all.n; i++)
		for (size_t k = 0; k < n; k++)
			if (d[k].id == b->all.v[i].dev)
				*vec_push(&b->row) =
					(struct top_booked){ .key = key_of(b, &d[k]),
							     .state = b->all.v[i].state,
							     .cause = b->all.v[i].cause,
							     .ms_ppb = b->all.v[i].ms_ppb };
	if (r < 0 && r != -ENODATA) {
		/* the files may have been replaced: open again the next time */
		agentdb_close(b->db);
		b->db = NULL;
	}
	if (r < 0 || b->first_ms == INT64_MAX)
		return;
	*ret = (struct top_today){ .known = true,
				   .since_ms = b->first_ms > b->day_ms + MS_MINUTE ? b->first_ms
										   : b->day_ms,
				   .until_ms = b->until_ms,
				   .row = b->row.v,
				   .n = b->row.n };
}
