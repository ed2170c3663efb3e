#ifndef TARE_ANSWER_IMPORTED_H
#define TARE_ANSWER_IMPORTED_H
/*
 * With which settings the store's facts were imported. Tags, rules of owners, thresholds and prices
 * of one's own act when the ledger is written: changed later, they hold for what is imported from
 * then on, and for the rest only after an import with --replace. Kept in control.db as the lines of
 * the settings that are not by default.
 */
#include "base/err.h"
#include "base/mem.h"

/* After an import. file: of the settings, NULL = none; again: with --replace, so that they hold for
 * what is there too; else those of the first import stay. */
int imported_keep(const char *dir, const char *file, bool again, struct arena *mem,
		  struct err *err);
/* "tags, virtual_tags": the sections that are not what they were, in *ret; NULL: none, or nothing
 * was kept. */
int imported_changed(const char *dir, const char *file, struct arena *mem, const char **ret,
		     struct err *err);

#endif
