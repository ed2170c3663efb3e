/* See recover.h. */
#include "agent/recover.h"

#include <stdio.h>

#include "base/tm.h"

struct recovery {
	struct raw *raw; /* NULL: not asked for */
	struct chunk_codec *codec;
	int64_t raw_seq; /* up to here blocks have them */
	uint64_t seq;
	struct str minute;
};

static int record(void *ctx, enum ahead_type type, uint64_t seq, struct sv payload, struct err *err)
{
	struct recovery *r = ctx;
	struct err ignored;
	r->seq = seq > r->seq ? seq : r->seq;
	if (type == AHEAD_MINUTE) {
		str_clear(&r->minute);
		str_addsv(&r->minute, payload);
	} else if (type == AHEAD_RAW && r->raw && (int64_t)seq > r->raw_seq) {
		raw_unpack(r->codec, payload, r->raw,
			   &ignored); /* what is damaged is lost, no more */
	}
	return 0;
}

static int read_ahead(struct agentdb *db, struct recovery *r, struct ahead **ret, struct err *err)
{
	char path[4200];
	int rc = agentdb_raw_seq(db, &r->raw_seq, err);
	r->seq = (uint64_t)r->raw_seq;
	snprintf(path, sizeof path, "%s/ahead", agentdb_dir(db));
	return rc < 0 ? rc : ahead_open(path, record, r, ret, err);
}

/* The minute that was open: booked as far as it got. */
static int recover_minutes(struct agentdb *db, struct sv open, struct err *err)
{
	struct rollup roll = { 0 };
	struct arena a = { 0 };
	struct agentdb_watched *w = NULL;
	struct agentdb_hold *h = NULL;
	size_t nw = 0, nh = 0;
	int64_t end_ms = 0, rev = 0;
	struct sv one;
	int r = agentdb_begin(db, err);
	while (r >= 0 && open.n && raw_take_sized(&open, &one) == 0) {
		if (rollup_unpack(one.p, one.n, &roll, err) < 0)
			continue;
		r = agentdb_put_minute(
			db,
			&(struct agentdb_minute){ .t_ms = tm_floor(roll.from_ms, MS_MINUTE),
						  .dev = roll.dev,
						  .from_ms = roll.from_ms,
						  .to_ms = roll.to_ms,
						  .roll = one },
			err);
		end_ms = roll.to_ms > end_ms ? roll.to_ms : end_ms;
	}
	if (r >= 0)
		r = agentdb_watches(db, &a, &w, &nw, err);
	if (r >= 0)
		r = agentdb_holds(db, 0, &a, &h, &nh, err);
	if (r >= 0)
		r = agentdb_last_id(db, "rev", &rev, err);
	if (r >= 0 && nw && w[nw - 1].to_ms < end_ms) {
		w[nw - 1].to_ms = end_ms;
		r = agentdb_put_watched(db, &w[nw - 1], err);
	}
	for (size_t i = 0; r >= 0 && i < nh; i++)
		if (h[i].open && h[i].to_ms < end_ms) {
			h[i].to_ms = end_ms;
			h[i].rev = ++rev;
			r = agentdb_put_hold(db, &h[i], err);
		}
	if (r >= 0)
		r = agentdb_commit(db, err);
	else
		agentdb_rollback(db);
	rollup_free(&roll);
	arena_free(&a);
	return r;
}

/* Raw readings wait in the file for their block as before: recover_raw() reads them in again. */
int recover_minute(struct agentdb *db, struct err *err)
{
	struct recovery r = { 0 };
	struct ahead *a = NULL;
	int rc = read_ahead(db, &r, &a, err);
	if (rc >= 0)
		rc = recover_minutes(db, str_sv(&r.minute), err);
	ahead_close(a);
	str_free(&r.minute);
	return rc < 0 ? rc : 0;
}

int recover_raw(struct agentdb *db, struct chunk_codec *codec, struct raw *ret, uint64_t *ret_seq,
		struct ahead **ret_ahead, struct err *err)
{
	struct recovery r = { .raw = ret, .codec = codec };
	int rc = read_ahead(db, &r, ret_ahead, err);
	*ret_seq = r.seq;
	str_free(&r.minute);
	return rc;
}
