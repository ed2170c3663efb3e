#ifndef TARE_ANSWER_EXCHANGED_H
#define TARE_ANSWER_EXCHANGED_H
/*
 * A report in one currency: each amount of another at the rate of the day it was charged on (rates
 * that were imported, ledger/exchange.h). What has no rate stays in its own currency, and is told:
 * amounts of two currencies are never added.
 */
#include "answer/report.h"
#include "ledger/exchange.h"

/* Of one currency that the rows had, in the same basis as they. */
struct report_exchanged {
	const char *currency;
	dec cost;                         /* of it, before, with and without a rate */
	dec converted;                    /* what came of it */
	dec left;                         /* of it, without a rate: stays as it is */
	int64_t from_ms, to_ms;           /* days of the rates that were used; UNKNOWN_MS: none */
	int64_t left_from_ms, left_to_ms; /* days without a rate; UNKNOWN_MS: none */
	/* whatever the filter, in its own currency; NULL: nothing to reconcile */
	const struct report_reconcile *reconcile;
};

/* What q->exchange is: the rates of the store, to the currency ("eur" too). In the ask's arena.
 * -EINVAL: that is no currency. */
struct report_exchange {
	const char *to; /* "EUR" */
	struct exchange rates;
};
int report_exchange_load(const struct report_ask *q, const char *to, struct report_exchange *ret,
			 struct err *err);

struct exchanged_sums {
	struct report_exchanged *v; /* [n] by currency */
	size_t n;
};
/*
 * Bring cell[*n], whose day is day_ms[i], to q->exchange->to and put together what is then alike in
 * all but the day; in place, in the order in which they came first. ndim: of their dimensions. The
 * amounts are rounded half-even to 10^-12 per cell and day. O(n) time beside the rates' search.
 */
void exchange_cells(const struct report_ask *q, size_t ndim, const int64_t *day_ms,
		    struct report_cell *cell, size_t *n, struct exchanged_sums *ret);
#endif
