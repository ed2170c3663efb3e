#ifndef TARE_AGENT_RAW_H
#define TARE_AGENT_RAW_H
/* Raw readings on their way to disk: columns of each device since the last block, and how a flush
 * of them stands in the write-ahead (ahead.h). */
#include "agent/tally.h"
#include "store/chunk.h"

struct raw_columns { /* of a device */
	int64_t dev;
	size_t n, cap;
	int64_t *t_ms;
	double *value[METRIC_N]; /* [n], NULL: no reading at all */
};
struct raw {
	VEC(struct raw_columns) dev;
};
void raw_add(struct raw *r, int64_t dev, int64_t t_ms, const double value[METRIC_N]);
size_t raw_rows(const struct raw *r); /* of the device that has the most */
/* All of it as blocks, in one transaction; seq: of the last record of the write-ahead they cover;
 * quarantine: as agentdb_put_blocks(). The readings stay. */
int raw_put_blocks(const struct raw *r, struct agentdb *db, uint64_t seq, int64_t quarantine,
		   struct err *err);
int64_t raw_clear(struct raw *r); /* returns how many rows there were, of all devices */
void raw_free(struct raw *r);

/*
 * A record of raw readings: for each device u32 dev, u32 rows, u32 mask of metrics, u32 size of
 * times, times, u32 size of values, values (metric after metric in one chunk: most neighbours are
 * equal). Into out, which is emptied first.
 */
void raw_pack(struct chunk_codec *c, const struct tally_row *row, size_t n, struct str *out);
/* Adds what a record has to r. -EBADMSG for what is none; what was read before stays. */
int raw_unpack(struct chunk_codec *c, struct sv record, struct raw *r, struct err *err);
/* u32 size and so many bytes off the front of *in. -EBADMSG where they are not there. */
int raw_take_sized(struct sv *in, struct sv *ret);

#endif
