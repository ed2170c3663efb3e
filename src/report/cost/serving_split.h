#ifndef TARE_REPORT_COST_SERVING_SPLIT_H
#define TARE_REPORT_COST_SERVING_SPLIT_H
/*
 * What input and output tokens cost, apart.
 *
 * A server reads the input of a request (prefill) and then writes its output (decode). Where it
 * says how long its requests were in each, the cost follows that time. Where it does not, it
 * follows the tokens at the prices that the settings have of a million of each (`token_prices`):
 * an assumption. Else nobody can know.
 *
 * The time is that of requests, not of the GPU: with continuous batching many decode at once, and
 * decode then gets more of the cost than its part of the GPU's work.
 */
#include "answer/serving.h"
#include "ledger/conf.h"

struct serving_split {
	const char *by; /* "phase_time", "token_prices"; NULL: not known, and so are the parts */
	dec in, out;    /* they add up to the cost */
};
/* cost: of the row's requests, dec_fits_nano(); has_cost: it is known. */
struct serving_split serving_split(const struct serving_row *r, const struct conf *conf,
				   bool has_cost, dec cost);

#endif
