#ifndef TARE_ANSWER_IMPORTED_H
#define TARE_ANSWER_IMPORTED_H
/*
 * With which settings the files of the store were imported. Tags, rules of owners, thresholds and
 * prices of one's own act when the ledger is written: changed later, they hold for what is imported
 * from then on, and for the rest only after an import with --replace. Kept in control.db: the lines
 * of the settings that are not by default, and the batch since which they are so.
 */
#include "base/err.h"
#include "base/mem.h"

struct store;
struct imported_ask {
	const char *dir, *config; /* of the store; of the settings, NULL = none */
	struct store *store;
	struct arena *mem; /* of the answer */
};
struct imported_change {
	const char *sections; /* "tags, virtual_tags"; NULL: nothing changed, or it is not known */
	const char *files;    /* that count and were read with other settings, for a shell */
};

/* After an import that brought something: the last batch was read with these settings. */
int imported_keep(const struct imported_ask *q, struct err *err);
int imported_changed(const struct imported_ask *q, struct imported_change *ret, struct err *err);

#endif
