#ifndef TARE_STORE_CONTROL_H
#define TARE_STORE_CONTROL_H
/*
 * control.db: the journal of commands that changed the store, and settings; small, in SQLite, so
 * that it can be read while somebody else writes facts. The journal is for people: what has been
 * imported is told by the batches in facts.duckdb.
 */
#include <stdint.h>
#include "base/err.h"
#include "base/mem.h"

int control_journal(const char *dir, int64_t at_ms, const char *command, int64_t batch,
		    const char *result, struct err *err);

/* Settings without the store's lock (SQLite has its own): what people decide is kept while somebody
 * else writes facts. value NULL removes. */
int control_set(const char *dir, const char *key, const char *value, struct err *err);
struct control_setting {
	const char *key, *value;
};
/* Those whose key begins with prefix, by key, in arena a; none where there is no control.db. */
int control_settings(const char *dir, const char *prefix, struct arena *a,
		     struct control_setting **ret, size_t *ret_n, struct err *err);
/* The newest batch that the journal has; 0: none, or the file is missing or damaged. */
int64_t control_last_batch(const char *dir);
/* Does its journal tell of an import? false where there is no file or it cannot be read. */
bool control_has_imports(const char *dir);

#endif
