#ifndef TARE_LEDGER_EXCHANGE_H
#define TARE_LEDGER_EXCHANGE_H
/*
 * Exchange rates by day, as they were imported (`tare import --as rates`). A charge is converted at
 * the rate of its day; on days without one (banks publish none on weekends) at the last one before,
 * as far back as EXCHANGE_OLD_DAYS. Nothing is interpolated.
 */
#include <stddef.h>
#include "model/model.h"

#define EXCHANGE_OLD_DAYS 7

struct exchange {                /* zero: no rates */
	struct exchange_rate *v; /* [n] by from, to, day; texts belong to the giver */
	size_t n;
};

/* Puts v[n] in order and drops the older of rows that say the same (the later in v wins); keeps v
 * in the giver's hands. O(n log n). */
void exchange_take(struct exchange *x, struct exchange_rate *v, size_t n);
struct exchange_found {
	dec rate;
	int64_t day_ms; /* of the older rate used */
};
/*
 * What one unit of `from` is in `to` on the day of at_ms: the pair's own rate, else one over that
 * of the pair the other way, else by way of one third currency. max_days: how old it may be;
 * negative: as old as it is. The same currency is 1. false: not known.
 */
bool exchange_at(const struct exchange *x, const char *from, const char *to, int64_t at_ms,
		 int max_days, struct exchange_found *ret);
/* nano x rate, rounded half-even; cut to what 64 bits hold. */
int64_t exchange_nano(int64_t nano, dec rate);

#endif
