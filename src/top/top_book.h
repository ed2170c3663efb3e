#ifndef TARE_TOP_TOP_BOOK_H
#define TARE_TOP_TOP_BOOK_H
/*
 * What the agent of this machine has booked of today, from its roll-ups of minutes
 * (store/agentdb.h, watch/rollup.h), as top_model wants it. Reads only; looks again for an agent
 * that comes later. Minutes that are long closed are read once.
 */
#include "top/top_model.h"

struct top_book;
struct top_book *top_book_new(const char *state_dir); /* where the agent keeps its files; copied */
void top_book_free(struct top_book *b);
/*
 * *ret known: an agent was at work until at most five minutes ago. since: the first minute that it
 * has of today, or 00:00 UTC. Rows live until the next call.
 */
void top_book_today(struct top_book *b, int64_t now_ms, struct top_today *ret);

#endif
