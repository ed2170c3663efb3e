#ifndef TARE_WATCH_ROLLUP_H
#define TARE_WATCH_ROLLUP_H
/*
 * A minute of a device, or the part of one in which the same owners had the same shares of it: how
 * its readings were spread, and how long each owner's part was in which state. Pure. Where the
 * clock had been set (clock.h) it may lie across the end of a minute.
 *
 * Utilisation is kept as 101 counts, one for each whole percent: rows of any minutes and machines
 * merge by adding, and p50 and p95 of any window are exact where the driver gives whole percents,
 * else within half a point. Other metrics keep n, min, max and sum. Milliseconds are of the wall
 * clock and add up to to - from for every part.
 */
#include <stdbool.h>
#include "base/err.h"
#include "base/mem.h"
#include "model/model.h"

#define ROLLUP_BINS      101
#define ROLLUP_SHARE_ONE 1000000000 /* a whole GPU in share_ppb */
/* different (state, cause) of a part in a minute; more are booked on the state without its cause */
#define ROLLUP_STATES 16

struct rollup_hist {
	uint32_t count[ROLLUP_BINS];
	uint64_t n;
};
void rollup_hist_add(struct rollup_hist *h, double util_pct); /* NAN is no reading */
void rollup_hist_merge(struct rollup_hist *h, const struct rollup_hist *with);
/* The q-quantile by nearest rank (the smallest value with at least q of the readings at or below
 * it); NAN when empty. */
double rollup_hist_quantile(const struct rollup_hist *h, double q);
double rollup_hist_mean(const struct rollup_hist *h);

/* What decides the state of a reading, so that the ledger comes to the same states from a
 * roll-up. */
enum rollup_key { ROLLUP_UTIL, ROLLUP_MEM, ROLLUP_SM, ROLLUP_POWER, ROLLUP_KEYS };
struct rollup_state {
	enum state state;
	enum cause cause;
	int64_t ms;
	int64_t known_ms[ROLLUP_KEYS];
	double sum[ROLLUP_KEYS]; /* value x ms */
};
struct rollup_use {
	int64_t hold;      /* number of the owner's interval, 0 = nobody */
	int64_t share_ppb; /* of the physical GPU */
	struct rollup_state state[ROLLUP_STATES];
	size_t nstate;
};
struct rollup_metric {
	int64_t n;
	double min, max, sum;
};
struct rollup {
	int64_t dev;             /* number of the device */
	int64_t from_ms, to_ms;  /* a minute at most */
	struct rollup_hist hist; /* of the device */
	struct rollup_metric metric[METRIC_N];
	VEC(struct rollup_use) use;
};
void rollup_free(struct rollup *r);  /* back to zero */
void rollup_clear(struct rollup *r); /* keeps the memory */
/* A reading of the device. */
void rollup_add_values(struct rollup *r, const double value[METRIC_N]);
/* Another ms in this state with these readings (NAN = unknown). */
void rollup_use_add(struct rollup_use *u, enum state state, enum cause cause, int64_t ms,
		    const double key[ROLLUP_KEYS]);

/* The times of each part add up to the roll-up's own. */
bool rollup_adds_up(const struct rollup *r);
/* Only [from_ms, to_ms) of it is meant any more, which lies within, of one that adds up: times are
 * cut in proportion and add up again; how its readings were spread stays, as nobody knows which
 * were in which part. */
void rollup_cut(struct rollup *r, int64_t from_ms, int64_t to_ms);
/* Without its readings: they are counted in another part of it. */
void rollup_drop_readings(struct rollup *r);

/* As a small blob, and back. -EBADMSG for anything else than what pack wrote; *ret is cleared
 * first. */
void rollup_pack(const struct rollup *r, struct str *out);
int rollup_unpack(const void *p, size_t n, struct rollup *ret, struct err *err);

#endif
