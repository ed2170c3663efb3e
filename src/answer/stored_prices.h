#ifndef TARE_ANSWER_STORED_PRICES_H
#define TARE_ANSWER_STORED_PRICES_H
/* Prices of the user's files and of updates, which win over the shipped ones where they hold. */
#include "answer/ask.h"

/* Those of the store, if any, into a catalogue that a question prices by. */
int stored_prices_add(struct store *store, struct catalog *catalog, struct arena *mem,
		      struct err *err);

#endif
