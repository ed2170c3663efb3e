/* See account.h. */
#include "agent/account.h"

#include <stdio.h>

#include "agent/settle.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"

/* ---- said -------------------------------------------------------------------------------- */

static void say_settled(const struct clock_ruling *now, int64_t taken_ms)
{
	char by[TM_BUF], taken[TM_BUF] = "";
	if (now->shift_ms)
		tm_format_span(by, now->shift_ms < 0 ? -now->shift_ms : now->shift_ms);
	fprintf(stderr, "tare agent: the clock is steady: what was held back has its time");
	if (now->shift_ms)
		fprintf(stderr, ", which is set %s by %s", now->shift_ms < 0 ? "back" : "ahead",
			by);
	if (taken_ms)
		fprintf(stderr, "; %s of it were booked before, by the clock as it was then",
			tm_format_span(taken, taken_ms));
	fputc('\n', stderr);
}

/* ---- handing out ------------------------------------------------------------------------- */

/* Which quarantine it is of goes with it: while a disk is full, the database knows only those
 * before. */
static void take_tallied(struct account *a, struct tally_out *ret)
{
	tally_take(a->tally, ret);
	ret->quarantine = ret->held ? a->quarantine : 0;
}

void account_take(struct account *a, struct tally_out *ret)
{
	take_tallied(a, ret);
	if (ret->minute_closed)
		clock_text(&a->clock, &ret->clock);
}

void account_settle(struct account *a, const struct clock_ruling *now,
		    struct tally_out ret[ACCOUNT_JOBS])
{
	tally_pause(a->tally);
	take_tallied(a, &ret[0]);
	ret[1] = (struct tally_out){ .settle = true, .shift_ms = now->shift_ms };
	int64_t taken = tally_settle(a->tally, now->shift_ms, &ret[1].first_id);
	clock_text(&a->clock, &ret[1].clock);
	say_settled(now, taken);
}

void account_hold(struct account *a, const struct clock_ruling *now, int64_t wall_ms,
		  struct tally_out ret[ACCOUNT_JOBS])
{
	tally_pause(a->tally);
	take_tallied(a, &ret[0]);
	ret[1] = (struct tally_out){ .begins = ++a->quarantine };
	tally_hold(a->tally, now->known);
	clock_text(&a->clock, &ret[1].clock);

	/* Said once, however often it is set until it is steady. */
	char by[TM_BUF], steady[TM_BUF], at[TM_BUF];
	const char *way = "ahead";
	if (now->jump_ms < 0)
		way = "back";
	tm_format_span(by, now->jump_ms < 0 ? -now->jump_ms : now->jump_ms);
	if (now->jump_ms)
		fprintf(stderr, "tare agent: the clock was set %s by %s", way, by);
	else
		fprintf(stderr,
			"tare agent: the clock says %s, which does not follow what was seen last",
			tm_format(at, wall_ms));
	fprintf(stderr,
		": what is seen from now on is held back until the clock has been steady for %s, and gets its time then; what was kept before stays\n",
		tm_format_span(steady, CLOCK_STEADY_MS));
}

/* ---- start ------------------------------------------------------------------------------- */

static int64_t last_watched_ms(struct agentdb *db, bool held)
{
	struct arena mem = { 0 };
	struct agentdb_watched *w = NULL;
	struct err ignored;
	size_t n = 0;
	agentdb_hold_back(db, held);
	int r = agentdb_watches(db, &mem, &w, &n, &ignored);
	agentdb_hold_back(db, false);
	int64_t ms = 0;
	if (r >= 0 && n)
		ms = w[n - 1].to_ms;
	arena_free(&mem);
	return ms;
}

static int settle_rows(struct agentdb *db, int64_t shift_ms, struct settled *ret, struct err *err)
{
	int64_t hold = 0, watched = 0;
	int r = agentdb_last_of_all(db, "hold", &hold, err);
	if (r >= 0)
		r = agentdb_last_of_all(db, "watched", &watched, err);
	if (r >= 0)
		r = settle_held(db, shift_ms, max_i64(hold, watched) + 1, ret, err);
	return r;
}

static int end_transaction(struct agentdb *db, int r, struct err *err)
{
	if (r >= 0)
		return agentdb_commit(db, err);
	agentdb_rollback(db);
	return r;
}

/* Rows that are held back although nobody knows of a quarantine: what was known of the clock is
 * damaged, or an agent before this one was killed where it lost it. They must not wait for the next
 * one, whose shift is not theirs. */
static int settle_strays(struct account *a, struct agentdb *db, struct err *err)
{
	struct settled done = { 0 };
	bool any = false;
	int r = 0;
	if (!a->clock.held)
		r = agentdb_any_held(db, &any, err);
	if (r < 0 || !any)
		return r;
	r = agentdb_begin(db, err);
	if (r >= 0)
		r = settle_rows(db, 0, &done, err);
	r = end_transaction(db, r, err);
	if (r < 0)
		return r;
	fprintf(stderr,
		"tare agent: something was held back until the clock is steady, but nothing is known of its clock any more: it keeps the time it was held by\n");
	settle_say_damage(&done);
	return 0;
}

int account_open(struct account *a, struct agentdb *db, const struct account_start *at,
		 struct clock_ruling *ret, struct err *err)
{
	struct arena mem = { 0 };
	struct err damage = { 0 };
	const char *known = agentdb_get(db, "clock", &mem);
	if (known && clock_parse(sv_of(known), &a->clock, &damage) < 0)
		fprintf(stderr, "tare agent: %s; it is read again\n", damage.msg);
	arena_free(&mem);
	int r = settle_strays(a, db, err);
	if (r < 0)
		return r;
	const struct clock_first first = { .boot = at->boot,
					   .wall_ms = at->wall_ms,
					   .boot_ms = at->boot_ms,
					   .booked_ms = last_watched_ms(db, false),
					   .held_ms = last_watched_ms(db, true) };
	clock_start(&a->clock, &first, ret);
	r = agentdb_last_id(db, "quarantine", &a->quarantine, err);
	if (r >= 0 && ret->ends) {
		/* A quarantine that ended while no agent was at work, or of before the machine was
		 * started again. */
		struct settled done = { 0 };
		r = agentdb_begin(db, err);
		if (r >= 0)
			r = settle_rows(db, ret->shift_ms, &done, err);
		if (r >= 0 && !ret->begins) {
			/* The clock as it is after it, in one with it: a kill later finds the two
			 * as they belong together. Where the next quarantine begins at once, that
			 * tells of it. */
			struct str text = { 0 };
			clock_text(&a->clock, &text);
			r = agentdb_set(db, "clock", str_z(&text), err);
			str_free(&text);
		}
		r = end_transaction(db, r, err);
		if (r >= 0) {
			say_settled(ret, done.taken_ms);
			settle_say_damage(&done);
		}
	}
	if (r >= 0)
		r = tally_load(a->tally, db, a->clock.held && !ret->begins, err);
	return r;
}
