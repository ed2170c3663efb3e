#ifndef TARE_STORE_AGENTDB_IN_H
#define TARE_STORE_AGENTDB_IN_H
/* Inside of the agent's files; for agentdb*.c. */
#include "store/agentdb.h"
#include "store/chunk.h"
#include "store/lite.h"

struct agentdb {
	char *dir;  /* as it was named, for messages */
	char *real; /* without links, for SQLite */
	int dir_fd;
	bool write, in_tx;
	bool held; /* rows of time that is not known yet are meant */
	int lock_fd;
	sqlite3 *db, *raw;
	struct chunk_codec *codec;
};
int agentdb_open_raw(struct agentdb *db, struct err *err);
/* A new file with small pages, so that a minute's few kilobytes are not written as many. */
int agentdb_new_file(const char *path, struct err *err);
/* Sums of its pages, where it has none and there is room; -EBADMSG: it is damaged. */
int agentdb_give_sums(sqlite3 *db, struct err *err);
/* In a transaction of agent.db or raw.db. */
#define AGENTDB_COUNT_COMMIT \
	"INSERT INTO meta VALUES('commits', 1) ON CONFLICT(key) DO UPDATE SET value = value + 1"
/* Of one of its files, which must be none that leads elsewhere: "REAL/NAME" in path. */
int agentdb_path(const struct agentdb *db, const char *name, char path[4200], struct err *err);
#endif
