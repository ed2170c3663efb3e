#ifndef TARE_AGENT_WIRE_H
#define TARE_AGENT_WIRE_H
/*
 * What an agent tells others, format tare.agent/1 (docs/AGENT-FORMAT.md): JSON lines, read by `tare
 * import --as agent` and by a server. A batch is cut by the numbers of rows, so that the same batch
 * can be made again.
 */
#include "store/agentdb.h"

struct wire_range {
	/* rows after the first number, up to and with the second; times bound minutes, holds and
	 * the node */
	int64_t batch;
	int64_t minute_after, minute_to, event_after, event_to, rev_after, rev_to;
	int64_t since_ms, until_ms; /* INT64_MIN, INT64_MAX = all */
};
/* Everything there is. */
void wire_range_all(struct wire_range *r);

/*
 * Lines into out; fn (may be NULL) is called with what is there whenever it has grown over 256 KiB,
 * and empties it.
 */
typedef int wire_flush_fn(void *ctx, struct str *out, struct err *err);
int wire_write(struct agentdb *db, const struct wire_range *range, struct str *out,
	       wire_flush_fn *fn, void *ctx, struct err *err);

/* All of it into a file, packed where its name ends in .zst; path NULL: stdout. -errno where it
 * cannot be written. */
int wire_write_file(struct agentdb *db, const struct wire_range *range, const char *path,
		    struct err *err);

/* The name of this database, made when first asked for: 32 hex digits at random. */
int wire_agent_id(struct agentdb *db, struct err *err);

#endif
