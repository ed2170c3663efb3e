#ifndef TARE_ANSWER_IMPORTED_H
#define TARE_ANSWER_IMPORTED_H
/*
 * With which settings the files of the store were imported. Tags, rules of owners, thresholds and
 * prices of one's own act when the ledger is written: changed later, they hold for what is imported
 * from then on, and for the rest once the ledger was posted again (tare import --repost), or its
 * file was read again. Kept in control.db: the lines
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

/* After an import that brought something: the last batch was read with these settings. */
int imported_keep(const struct imported_ask *q, struct err *err);
/* The whole ledger was posted with them. */
int imported_keep_all(const struct imported_ask *q, struct err *err);
/* "tags, virtual_tags": sections that are not what they were when files that count were read and
 * that act on these. NULL: none, or it is not known. */
int imported_changed(const struct imported_ask *q, const char **ret, struct err *err);

#endif
