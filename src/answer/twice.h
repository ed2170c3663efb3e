#ifndef TARE_ANSWER_TWICE_H
#define TARE_ANSWER_TWICE_H
/* Whether time may stand in the ledger twice. */
#include "answer/ask.h"
#include "base/err.h"

/* A sentence in ask->mem each, NULL where there is nothing to say: of GPUs that no machine is known
 * of, and of machines that sources call by different names. */
struct twice {
	const char *nameless, *named;
};
int answer_twice(const struct ask *ask, int64_t from_ms, int64_t to_ms, struct twice *ret,
		 struct err *err);

#endif
