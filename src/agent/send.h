#ifndef TARE_AGENT_SEND_H
#define TARE_AGENT_SEND_H
/*
 * Sends what the agent keeps to a server: batches of tare.agent/1, zstd, by POST to
 * SERVER/v1/agent. The database is the spool: a file `sent` remembers up to which row the server
 * has said yes, and which batch is under way, so that a batch that may have arrived is sent again
 * as it was, with the same key. At least once; a server keeps the keys it has seen, and rows have
 * natural keys besides (docs/AGENT-FORMAT.md).
 *
 * What the server says of a batch decides how it goes on:
 *   2xx                                      yes: the next one
 *   413                                      too large: half of it goes, under the next number; a
 *                                            single row that is too large is refused
 *   401 403 404 405 407 408 421 425 426 429  it is not about what was sent but about who sends,
 *                                            where to and when: it waits and comes again
 *   other 4xx                                refused: SEND_REFUSED_TRIES times, then it is set
 *                                            aside (send_state.h) and the next one goes. A server
 *                                            that refuses one after the other is not the right one
 *                                            more likely than not: from the third on each is tried
 *                                            for an hour
 *   5xx, 3xx, no answer                      it waits and comes again
 *
 * A thread of its own: neither a slow server nor none at all is felt elsewhere. Between tries it
 * waits 0.5 s doubling to 30 s, or as long as the server says.
 */
#include "agent/agent_conf.h"
#include "agent/send_state.h"

#define SEND_REFUSED_TRIES 5

struct sender;
/* Without a server it sleeps until one is set. */
int sender_start(const char *state_dir, const struct agent_conf *conf, struct sender **ret,
		 struct err *err);
void sender_set(struct sender *s, const struct agent_conf *conf); /* copies what it needs */
void sender_stop(struct sender *s); /* gives a running request up to 5 s; NULL is fine */

/* accepted, set aside; tries in a row without a yes */
struct send_stat {
	int64_t batches, refused, failing;
};
struct send_stat sender_stat(struct sender *s); /* of any thread; NULL is fine */

enum send_done { SEND_NOTHING, SEND_YES, SEND_SMALLER, SEND_SET_ASIDE };
/*
 * One batch now, as the thread does it: what was done (SEND_SET_ASIDE: *err has the sentence), or
 * negative: it waits, and comes again. *ret_retry_ms: as long as the server says, -1 where it does
 * not. For the thread and for tests.
 */
int send_once(const char *state_dir, const struct agent_conf *conf, int64_t *ret_retry_ms,
	      struct err *err);

#endif
