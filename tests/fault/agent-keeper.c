/*
 * Keeps minutes of two devices as the agent does, for tests/fault/powercut to cut its power.
 *
 *   agent-keeper DIR MINUTES   goes on after the last minute kept (recovering as the agent does);
 *                              "safe N" when minute N was committed
 *
 * Time runs by itself: a minute is MINUTE_PUSHES hand-overs to the writer, each with raw readings,
 * and an hour ends after the third minute.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/agent_write.h"
#include "agent/recover.h"
#include "base/tm.h"

#define T0 INT64_C(1790002620000) /* three minutes before an hour */
enum { DEVICES = 2, MINUTE_PUSHES = 3, RAW_ROWS = 90 };

static int die(const struct err *err)
{
	fprintf(stderr, "%s\n", err->msg);
	return 2;
}

static void roll_of(int64_t minute, int dev, int64_t ms, struct str *out)
{
	struct rollup r = { .dev = dev, .from_ms = T0 + minute * MS_MINUTE };
	double value[METRIC_N], key[ROLLUP_KEYS];

	for (int m = 0; m < METRIC_N; m++)
		value[m] = (double)((minute * 7 + m + dev) % 100);
	for (int k = 0; k < ROLLUP_KEYS; k++)
		key[k] = (double)(minute % 90);
	r.to_ms = r.from_ms + ms;
	rollup_hist_add(&r.hist, (double)(minute % 100));
	rollup_add_values(&r, value);
	struct rollup_use *u = vec_push(&r.use);
	*u = (struct rollup_use){ .hold = dev, .share_ppb = 1000000000 };
	rollup_use_add(u, STATE_BUSY, CAUSE_NONE, ms, key);
	rollup_pack(&r, out);
	rollup_free(&r);
}

static void raw_of(struct tally_out *o, int64_t from_ms, int64_t ms)
{
	for (int i = 0; i < RAW_ROWS; i++)
		for (int dev = 1; dev <= DEVICES; dev++) {
			struct tally_row *row = vec_push(&o->raw);
			row->dev = dev;
			row->t_ms = from_ms + ms * i / RAW_ROWS;
			for (int m = 0; m < METRIC_N; m++)
				row->value[m] = m < 4 ? (double)((row->t_ms / 1000 * 2654435761U +
								  (int64_t)m * 97) %
								 1000) /
								10
						      : NAN;
		}
}

/* What a run writes first: the GPUs, and who holds them. */
static void first_rows(struct tally_out *o, int64_t now_ms)
{
	for (int dev = 1; dev <= DEVICES; dev++) {
		struct sv uuid = dev == 1 ? SV("GPU-1") : SV("GPU-2");
		*vec_push(&o->device) = (struct agentdb_device){ .id = dev,
								 .uuid = uuid,
								 .name = SV("H100"),
								 .model = SV("H100"),
								 .bus_id = uuid,
								 .mig_profile = SV(""),
								 .index = dev - 1,
								 .mig_start = -1,
								 .mem_total_bytes = 80e9,
								 .first_ms = T0,
								 .last_ms = now_ms };
		*vec_push(&o->owner) = (struct agentdb_owner){ .id = dev,
							       .a = { .job_id = uuid,
								      .user = SV("u"),
								      .submit_ms = T0,
								      .start_ms = T0,
								      .end_ms = UNKNOWN_MS,
								      .gpus_milli = 1000 } };
	}
}

static void close_minute(struct tally_out *o, int64_t minute)
{
	int64_t from = T0 + minute * MS_MINUTE, to = from + MS_MINUTE;

	for (int dev = 1; dev <= DEVICES; dev++) {
		struct str roll = { 0 };
		roll_of(minute, dev, MS_MINUTE, &roll);
		*vec_push(&o->minute) = (struct agentdb_minute){
			.t_ms = from,
			.dev = dev,
			.from_ms = from,
			.to_ms = to,
			.roll = { arena_strn(&o->mem, roll.p, roll.n), roll.n }
		};
		*vec_push(&o->hold) = (struct agentdb_hold){ .id = dev,
							     .owner = dev,
							     .dev = dev,
							     .share_ppb = 1000000000,
							     .share_kind = SHARE_WHOLE,
							     .from_ms = T0,
							     .to_ms = to,
							     .open = true,
							     .rev = minute * DEVICES + dev };
		str_free(&roll);
	}
	*vec_push(&o->watched) = (struct agentdb_watched){ .id = 1, .from_ms = T0, .to_ms = to };
	o->minute_closed = true;
}

static void leave_open(struct tally_out *o, int64_t minute, int push)
{
	for (int dev = 1; dev <= DEVICES; dev++) {
		struct str roll = { 0 };
		roll_of(minute, dev, MS_MINUTE * (push + 1) / MINUTE_PUSHES, &roll);
		uint32_t n = (uint32_t)roll.n;
		str_add(&o->open, (const char *)&n, sizeof n);
		str_addsv(&o->open, str_sv(&roll));
		str_free(&roll);
	}
}

/* Handed over and written; false if the writer could not. */
static bool written(struct agent_write *w, struct tally_out *o, int64_t now_ms,
		    struct write_stats *was)
{
	struct write_stats s = *was;

	write_push(w, o, now_ms);
	while (s.flushes == was->flushes) {
		usleep(200);
		write_stats_of(w, &s);
	}
	*was = s;
	if (s.errors || s.pending)
		fprintf(stderr, "%s\n", s.last_error);
	return !s.errors && !s.pending;
}

static bool keep(struct agent_write *w, int64_t first, int minutes)
{
	struct write_stats stats = { 0 };
	bool good = true;

	for (int64_t m = first; good && m < first + minutes; m++) {
		for (int push = 0; good && push < MINUTE_PUSHES; push++) {
			struct tally_out o = { 0 };
			int64_t now = T0 + m * MS_MINUTE + MS_MINUTE * (push + 1) / MINUTE_PUSHES;
			if (m == first && push == 0)
				first_rows(&o, now);
			raw_of(&o, T0 + m * MS_MINUTE + MS_MINUTE * push / MINUTE_PUSHES,
			       MS_MINUTE / MINUTE_PUSHES);
			if (push == MINUTE_PUSHES - 1)
				close_minute(&o, m);
			else
				leave_open(&o, m, push);
			good = written(w, &o, now, &stats);
		}
		if (good) {
			printf("safe %" PRId64 "\n", m);
			fflush(stdout);
		}
	}
	return good;
}

static int introduce(struct agentdb *db, struct err *err)
{
	int r = agentdb_begin(db, err);

	if (r == 0)
		r = agentdb_set(db, "agent_id", "0123456789abcdef", err);
	if (r == 0)
		r = agentdb_set(db, "node", "n1", err);
	return r == 0 ? agentdb_commit(db, err) : r;
}

/* The one after the last whole minute. */
static int64_t next_minute(struct agentdb *db, struct err *err)
{
	struct arena a = { 0 };
	struct agentdb_watched *v;
	size_t n = 0;
	int64_t next = agentdb_watches(db, &a, &v, &n, err) < 0 ? -1
		       : n                                      ? (v[n - 1].to_ms - T0) / MS_MINUTE
								: 0;

	arena_free(&a);
	return next;
}

int main(int argc, char **argv)
{
	struct err err = { 0 };
	struct agentdb *db;
	struct agent_write *w;
	int64_t first = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: agent-keeper DIR MINUTES\n");
		return 2;
	}
	if (agentdb_open(argv[1], true, &db, &err) < 0 || recover_minute(db, &err) < 0 ||
	    introduce(db, &err) < 0 || (first = next_minute(db, &err)) < 0)
		return die(&err);
	if (write_start(
		    db,
		    &(struct write_opt){ .raw_keep_ms = 2 * MS_HOUR, .roll_keep_ms = 48 * MS_HOUR },
		    &w, &err) < 0)
		return die(&err);
	bool good = keep(w, first, atoi(argv[2]));
	good = write_stop(w, &err) == 0 && good;
	agentdb_close(db);
	return good ? 0 : 2;
}
