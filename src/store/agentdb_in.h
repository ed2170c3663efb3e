#ifndef TARE_STORE_AGENTDB_IN_H
#define TARE_STORE_AGENTDB_IN_H
/* Inside of the agent's files; for agentdb*.c. */
#include "store/agentdb.h"
#include "store/chunk.h"
#include "store/lite.h"

struct agentdb {
	char *dir;
	bool write, in_tx;
	int lock_fd;
	sqlite3 *db, *raw;
	struct chunk_codec *codec;
};
int agentdb_open_raw(struct agentdb *db, const char *path, struct err *err);
/* A new file with small pages, so that a minute's few kilobytes are not written as many. */
int agentdb_new_file(const char *path, struct err *err);
#endif
