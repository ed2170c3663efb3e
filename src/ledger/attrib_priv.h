#ifndef TARE_LEDGER_ATTRIB_PRIV_H
#define TARE_LEDGER_ATTRIB_PRIV_H
/*
 * Inside of attribution: the table of one hour and how it is closed. Only attrib*.c include this.
 *
 * Weights are exact integers: ms x share, a whole GPU being SHARE_ONE (10^9 x 2520,
 * so that sevenths, eighths and declared billionths of a GPU are all whole). A rate (10^-12
 * per GPU-hour) times a weight is an "exact unit"; EXACT_PER_NANO of them are one nano unit of the
 * currency.
 */
#include "base/mem.h"
#include "ledger/attrib.h"

#define WEIGHT_PER_MS  ((__int128)SHARE_ONE)
#define EXACT_PER_NANO ((__int128)3600000 * 1000 * SHARE_ONE)
/* Hours that may wait for an allocation's end before the cause of its idle time is decided anyway
 * (62 days). */
#define PENDING_HOURS_MAX 1488
#define NOT_PENDING       (-1)

struct slot_key {
	size_t owner;
	uint32_t interval; /* index of the paid interval */
	int32_t pending;   /* allocation whose end decides the cause, NOT_PENDING */
	uint8_t state, cause, quality;
};
struct slot {
	struct slot_key key;
	__int128 weight;
	__int128 util_weight; /* weight x utilisation in 10^-6 */
	int64_t ms;           /* pools: already rounded per allocation */
	bool has_util;
};
struct hour {
	int64_t hour_ms;
	int64_t total_ms; /* paid GPU-ms, set when the hour ends */
	size_t npending;  /* slots that wait */
	VEC(struct slot) slot;
};

struct out { /* an entry in the making */
	struct attrib_entry entry;
	__int128 weight, util_weight;
	int64_t ms;
	bool has_util;
};
/* Where closed hours go, and what is summed over all of them. */
struct closer {
	const struct attrib_paid *paid;
	uint32_t *purchase; /* [npaid] intervals with equal purchase have equal numbers */
	attrib_emit_fn *emit;
	void *emit_ctx;
	void (*on_hour)(void *ctx, int64_t hour_ms, const __int128 pico_ms[BASIS_N],
			const int64_t rated_nano[BASIS_N]);
	void *on_hour_ctx;
	__int128 weight_sum; /* of all hours so far: cumulative rounding to ms */
	int64_t ms_sum;
	__int128 rest[BASIS_N];      /* exact units */
	int64_t rated_nano[BASIS_N]; /* of the hour being closed */
	VEC(struct out) out;         /* scratch of a closing: the entries of the hour */
	VEC(char) scratch;           /* the same, of its slots */
};

/* How an allocation uses its GPU. */
struct share_use attrib_use(const struct attrib_alloc *a);

/* Check the intervals and number their purchases. */
int closer_init(struct closer *c, const struct attrib_paid *paid, size_t npaid,
		const struct attrib_out *out, struct err *err);
void closer_free(struct closer *c);
void closer_rest(const struct closer *c, struct attrib_rest *ret); /* fills pico_ms */

/* What of [from, to) is counted as oversubscribed or not paid. */
int64_t rest_counted(const struct attrib_rest *r, int64_t from_ms, int64_t to_ms);

/* Add to the slot with this key, or make one. */
struct slot *hour_add(struct hour *h, const struct slot_key *k, __int128 weight);
/* The cause of everything that waited for `pending` is known now. */
void hour_resolve(struct hour *h, int32_t pending, enum cause held, enum cause empty);
/* Paid GPU-ms of an hour by cumulative rounding over the GPU. */
void hour_end(struct closer *c, struct hour *h);
/*
 * Entries of an hour: sorted by key, milliseconds add to total_ms, nano amounts to the hour's
 * amount. own_ms: the slots' ms were rounded by the caller and are only adjusted where they do not
 * add up.
 */
int hour_close(struct closer *c, struct hour *h, bool own_ms, struct err *err);

#endif
