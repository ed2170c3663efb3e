/* See recover.h. */
#include "agent/recover.h"

#include <errno.h>
#include <stdio.h>

#include "base/num.h"
#include "base/tm.h"

struct recovery {
	struct raw *raw; /* NULL: not asked for */
	struct chunk_codec *codec;
	int64_t raw_seq; /* up to here blocks have them */
	uint64_t seq;
	struct str minute;
	bool minute_held, raw_held;
};

static int take_record(void *ctx, enum ahead_type type, uint64_t seq, struct sv payload,
		       struct err *err)
{
	struct recovery *r = ctx;
	struct err ignored;
	r->seq = max_u64(seq, r->seq);
	if (type == AHEAD_MINUTE || type == AHEAD_MINUTE_HELD) {
		str_clear(&r->minute);
		str_addsv(&r->minute, payload);
		r->minute_held = type == AHEAD_MINUTE_HELD;
		return 0;
	}
	bool is_raw = type == AHEAD_RAW || type == AHEAD_RAW_HELD, held = type == AHEAD_RAW_HELD;
	if (!is_raw || !r->raw || (int64_t)seq <= r->raw_seq)
		return 0;
	if (held != r->raw_held) /* those before have their block, or were counted as lost */
		raw_clear(r->raw);
	r->raw_held = held;
	/* what is damaged is lost, no more */
	raw_unpack(r->codec, payload, r->raw, &ignored);
	return 0;
}

static int read_ahead(struct agentdb *db, struct recovery *r, struct ahead **ret, struct err *err)
{
	int rc = agentdb_raw_seq(db, &r->raw_seq, err);
	r->seq = (uint64_t)r->raw_seq;
	if (rc < 0)
		return rc;
	return ahead_open(agentdb_dir_fd(db), agentdb_dir(db), take_record, r, ret, err);
}

/* How many commits that the write-ahead knows of are not in the database. */
static struct agentdb_commits missing_commits(const struct agentdb_commits *had,
					      const struct ahead_look *found)
{
	return (struct agentdb_commits){ found->mark.rows - had->rows,
					 found->mark.blocks - had->blocks };
}

static void say_missing(const char *dir, const char *file, int64_t missing, int64_t all)
{
	if (missing > 0)
		fprintf(stderr,
			"tare agent: '%s/%s' lacks the last %lld of %lld transactions that were written to it: its log was damaged or taken away, and what they had is not known any more\n",
			dir, file, (long long)missing, (long long)all);
}

/* What is not there any more, in words; a kill alone tears nothing of the database, and of the
 * write-ahead one record at most. */
static int say_losses(struct agentdb *db, const struct ahead_look *found, struct err *err)
{
	const char *dir = agentdb_dir(db);
	struct agentdb_commits had = { 0 };
	int r = agentdb_commits(db, &had, err);
	if (r < 0)
		return r;
	struct agentdb_commits lost = missing_commits(&had, found);
	say_missing(dir, "agent.db", lost.rows, found->mark.rows);
	say_missing(dir, "raw.db", lost.blocks, found->mark.blocks);
	if (found->cut_bytes)
		fprintf(stderr,
			"tare agent: the last %lld bytes of '%s/ahead' are no whole record (the power failed, or the file is damaged): what was seen in the seconds before may be missing\n",
			(long long)found->cut_bytes, dir);
	if (had.rows && !found->there)
		fprintf(stderr,
			"tare agent: there is no '%s/ahead' any more: what was seen in the minutes before may be missing\n",
			dir);
	return agentdb_commits_from(db, &found->mark, err);
}

static int refuse_missing(const char *dir, const char *file, int64_t missing, int64_t all,
			  struct err *err)
{
	if (missing <= 0)
		return 0;
	err_set(err, -EBADMSG,
		"'%s/%s' is damaged: the last %lld of %lld transactions that were written to it are missing",
		dir, file, (long long)missing, (long long)all);
	err_hint(
		err,
		"put back its log '%s-wal', if there is a copy; the next start of the agent says this again and goes on with what is there",
		file);
	return -EBADMSG;
}

int recover_check(struct agentdb *db, struct err *err)
{
	struct ahead_look found;
	struct agentdb_commits had = { 0 };
	/* in this order: the numbers of commits only grow */
	int r = ahead_look(agentdb_dir_fd(db), agentdb_dir(db), &found, err);
	if (r < 0 || (found.mark.rows == 0 && found.mark.blocks == 0))
		return r;
	r = agentdb_commits(db, &had, err);
	if (r == -EBUSY || r == -EBADMSG)
		return r;
	/* after another error not even its tables are there: none */
	struct agentdb_commits lost = missing_commits(&had, &found);
	r = refuse_missing(agentdb_dir(db), "agent.db", lost.rows, found.mark.rows, err);
	if (r < 0)
		return r;
	return refuse_missing(agentdb_dir(db), "raw.db", lost.blocks, found.mark.blocks, err);
}

/* Of a minute that is there already the longer one stays. *all grows by theirs; empty: none yet. */
static int put_open(struct agentdb *db, struct sv open, struct span *all, struct err *err)
{
	struct rollup roll = { 0 };
	struct err ignored;
	struct sv one;
	int r = 0;
	while (r >= 0 && open.n && raw_take_sized(&open, &one) == 0) {
		if (rollup_unpack(one.p, one.n, &roll, &ignored) < 0)
			continue;
		r = agentdb_put_minute(
			db,
			&(struct agentdb_minute){ .t_ms = tm_floor(roll.from_ms, MS_MINUTE),
						  .dev = roll.dev,
						  .from_ms = roll.from_ms,
						  .to_ms = roll.to_ms,
						  .roll = one },
			err);
		bool first = all->from_ms == all->to_ms;
		if (first || roll.from_ms < all->from_ms)
			all->from_ms = roll.from_ms;
		if (first || roll.to_ms > all->to_ms)
			all->to_ms = roll.to_ms;
	}
	rollup_free(&roll);
	return r;
}

/* The interval watched goes on as far, where it came to them: else they are of one that was not
 * written, and nobody knows of the time between. And so do holds. */
static int extend_watched(struct agentdb *db, struct arena *a, struct span open, struct err *err)
{
	struct agentdb_watched *w = NULL, now = { 0, open.from_ms, open.to_ms };
	struct agentdb_hold *h = NULL;
	size_t n = 0, nh = 0;
	int64_t rev = 0;
	int r = agentdb_watches(db, a, &w, &n, err);
	bool there = n && w[n - 1].to_ms >= open.to_ms;
	if (r >= 0 && n && w[n - 1].to_ms >= open.from_ms) {
		now.id = w[n - 1].id;
		now.from_ms = w[n - 1].from_ms;
	} else if (r >= 0) {
		r = agentdb_last_of_all(db, "watched", &now.id, err);
		now.id++;
	}
	if (r >= 0 && !there)
		r = agentdb_put_watched(db, &now, err);
	if (r >= 0)
		r = agentdb_holds(db, 0, a, &h, &nh, err);
	if (r >= 0)
		r = agentdb_last_of_all(db, "rev", &rev, err);
	for (size_t i = 0; r >= 0 && i < nh; i++)
		if (h[i].open && h[i].to_ms >= open.from_ms && h[i].to_ms < open.to_ms) {
			h[i].to_ms = open.to_ms;
			h[i].rev = ++rev;
			r = agentdb_put_hold(db, &h[i], err);
		}
	return r;
}

/* Raw readings wait in the file for their block as before: recover_raw() reads them in again. */
int recover_minute(struct agentdb *db, struct err *err)
{
	struct recovery r = { 0 };
	struct ahead *a = NULL;
	int rc = read_ahead(db, &r, &a, err);
	bool in_quarantine = false;
	struct ahead_look found;
	if (rc >= 0) {
		ahead_found(a, &found);
		rc = say_losses(db, &found, err);
	}
	if (rc >= 0)
		rc = agentdb_in_quarantine(db, &in_quarantine, err);
	/* What the file has of a quarantine that has ended was moved with the rest. */
	for (int held = 0; rc >= 0 && held < 1 + in_quarantine; held++) {
		/* The minute that was open: booked as far as it got. What the write-ahead and the
		 * database have of it may each be ahead of the other, by where between them the run
		 * was killed. */
		struct sv open = r.minute_held == held ? str_sv(&r.minute) : SV_NULL;
		struct arena arena = { 0 };
		struct sv kept = SV_NULL;
		struct span all = { 0 };
		rc = agentdb_begin(db, err);
		agentdb_hold_back(db, held);
		if (rc >= 0)
			rc = agentdb_get_open(db, &arena, &kept, err);
		if (rc >= 0)
			rc = put_open(db, kept, &all, err);
		if (rc >= 0)
			rc = put_open(db, open, &all, err);
		if (rc >= 0 && all.from_ms < all.to_ms)
			rc = extend_watched(db, &arena, all, err);
		if (rc >= 0)
			rc = agentdb_commit(db, err);
		else
			agentdb_rollback(db);
		agentdb_hold_back(db, false);
		arena_free(&arena);
	}
	ahead_close(a);
	str_free(&r.minute);
	if (rc < 0)
		return rc;
	return 0;
}

int recover_raw(struct agentdb *db, struct chunk_codec *codec, struct recovered *ret,
		struct err *err)
{
	*ret = (struct recovered){ 0 };

	struct recovery r = { .raw = &ret->raw, .codec = codec };
	int rc = read_ahead(db, &r, &ret->ahead, err);
	ret->seq = r.seq;
	ret->held = r.raw_held;
	str_free(&r.minute);
	return rc;
}
