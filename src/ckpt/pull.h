#ifndef TARE_CKPT_PULL_H
#define TARE_CKPT_PULL_H
/*
 * Bring the newest checkpoint of an object store back into a folder, as ckpt_newest() finds it.
 * Every hash is compared before the manifest is written; where the newest is damaged or not whole
 * the one before is taken. The folder is locked meanwhile.
 */
#include "ckpt/ckpt.h"
#include "object/object.h"

struct pull_stat {
	char id[CKPT_ID_BYTES];    /* of the checkpoint that is in the folder, "" none */
	uint64_t bytes, got_bytes; /* of the checkpoint; over the network */
	/* the folder had one as new or newer that holds: nothing was fetched */
	bool local;
	/* the newest that the store was seen to have as a whole, "" none: with `local` it may be
	 * older than id, which then is not safe there */
	char stored_id[CKPT_ID_BYTES];
	double seconds;
};
/*
 * 1: stat->id is in the folder; 0: the store has no checkpoint; -EBADMSG: it has some and none can
 * be used (what is in the folder may do). damage (may be NULL): those of store and folder that were
 * passed over are added. -EBUSY: the folder is in use. -ENOSPC and other errors of disk and store
 * as they are. The number of the next run of the folder will be above all that the store knows.
 */
int pull_newest(struct object_store *s, const char *dir, const struct object_when *when,
		struct pull_stat *stat, struct ckpt_damage *damage, struct err *err);

#endif
