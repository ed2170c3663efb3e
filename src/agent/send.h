#ifndef TARE_AGENT_SEND_H
#define TARE_AGENT_SEND_H
/*
 * Sends what the agent keeps to a server: batches of tare.agent/1, zstd, by POST to SERVER/v1/agent. The database is the spool: a file
 * `sent` remembers up to which row the server has said yes, and which batch is under way, so that a batch that may have arrived is sent
 * again as it was, with the same key. At least once; a server keeps the keys it has seen, and rows have natural keys besides
 * (docs/AGENT-FORMAT.md).
 *
 * A thread of its own: neither a slow server nor none at all is felt elsewhere. Between tries it waits 0.5 s doubling to 30 s, or as
 * long as the server says.
 */
#include "agent/agent_conf.h"

struct sender;
/* Without a server it sleeps until one is set. */
int sender_start(const char *state_dir, const struct agent_conf *conf, struct sender **ret, struct err *err);
void sender_set(struct sender *s, const struct agent_conf *conf); /* copies what it needs */
void sender_stop(struct sender *s); /* gives a running request up to 5 s; NULL is fine */

/* One batch now, as the thread does it: 1 sent, 0 there was nothing, negative. For the thread and for tests. */
int send_once(const char *state_dir, const struct agent_conf *conf, int64_t *ret_retry_ms, struct err *err);
struct send_state { int64_t batch, minute, event, rev, under_way_batch, under_way_minute, under_way_event, under_way_rev; };
int send_state_load(const char *state_dir, struct send_state *ret, struct err *err); /* none yet: zeros */

#endif
