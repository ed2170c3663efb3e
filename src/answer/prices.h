#ifndef TARE_ANSWER_PRICES_H
#define TARE_ANSWER_PRICES_H
/* What GPUs cost, when and where; what owned ones cost beside them. */
#include "answer/ask.h"

struct prices_ask {
	struct ask ask;                  /* store NULL: only what the catalogue has */
	struct catalog *catalog;         /* gets the store's prices */
	struct price_query query;        /* of any currency */
	const char *currency;            /* rows in it; "any" = all */
	const struct owned_terms *owned; /* a row for hardware of one's own among them, or NULL */
};
struct prices_answer {
	const struct price_row
		*row; /* [n] cheapest per GPU-hour first; history: by place, then time */
	size_t n;
	int64_t at_ms; /* the instant asked about */
	bool history;
	/* [nnone] ways to buy that were asked for and are not sold, where no row has a price of
	 * them */
	struct not_offered *none;
	size_t nnone;
	/* [nterms] of the providers asked about, where a commitment is asked for */
	struct commitment_terms *terms;
	size_t nterms;
	size_t hidden; /* rows in other currencies that were left out */
	const char *hidden_currency;
};
/* Is it only about hardware of one's own? Then nothing else is read. */
bool prices_only_owned(const struct prices_ask *q);
/* Returns 0 or a negative errno. Texts belong to the catalogue. */
int answer_prices(const struct prices_ask *q, struct prices_answer *ret, struct err *err);
#endif
