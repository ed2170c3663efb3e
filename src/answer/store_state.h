#ifndef TARE_ANSWER_STORE_STATE_H
#define TARE_ANSWER_STORE_STATE_H
/* What whoever only reads a store must know of it before any answer. */
#include "store/store.h"

struct store_state {
	/* by which rules its ledger was made, 0: nothing was posted yet; and this program's */
	int rules, rules_now;
	bool older;
	/* the file of what people decided is gone: all proposals are new again */
	bool undecided;
};

/* What cannot be read is 0 and false, and all but rules_now of a store without a ledger: the answer
 * will say so. */
void answer_store_state(struct store *s, struct store_state *ret);

#endif
