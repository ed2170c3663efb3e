#ifndef TARE_AGENT_SEND_STATE_H
#define TARE_AGENT_SEND_STATE_H
/*
 * How far the sender is: the file `sent` of an agent's folder, replaced whole. The numbers behind
 * the first eight came later; a file without them reads as zeros, and an agent that does not know
 * them leaves them out.
 */
#include <stdint.h>
#include "base/err.h"
#include "base/str.h"

struct send_state {
	/* up to here the server has said yes, or a batch was set aside */
	int64_t batch, minute, event, rev;
	/* the batch that goes, again under its number; 0 = none */
	int64_t under_way_batch, under_way_minute, under_way_event, under_way_rev;
	int64_t tries;          /* answers by which the server refused the batch under way */
	int64_t refused;        /* batches set aside so far */
	int64_t refused_in_row; /* since the last yes */
	int64_t refused_status; /* of the last one, 0 = none */
	/* a server found batches too large: so many minutes in one; 0 = as usual */
	int64_t minutes_max;
	/* numbers of batches that were too large: never taken, their rows went under later ones */
	int64_t cut;
};
/* none yet: zeros */
int send_state_load(const char *state_dir, struct send_state *ret, struct err *err);
static inline int64_t send_state_accepted(const struct send_state *s)
{
	return s->batch - s->refused - s->cut;
}
int send_state_save(const char *state_dir, const struct send_state *s, struct err *err);

/*
 * A batch that the server refuses and always will is kept as a file of its own,
 * DIR/refused/NUMBER.jsonl.zst (body, as it was sent: tare import reads it), beside NUMBER.json
 * with what the server said; the oldest go when they are more than SEND_REFUSED_BYTES together.
 */
#define SEND_REFUSED_BYTES ((int64_t)64 << 20)
struct send_refusal {
	const char *key;
	struct sv body;
	int status;
	const char *why;
};
int send_set_aside(const char *state_dir, const struct send_state *s, const struct send_refusal *no,
		   struct err *err);

#endif
