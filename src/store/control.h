#ifndef TARE_STORE_CONTROL_H
#define TARE_STORE_CONTROL_H
/*
 * control.db: the journal of commands that changed the store, and settings; small, in SQLite, so that it can be read while somebody else
 * writes facts. The journal is for people: what has been imported is told by the batches in facts.duckdb.
 */
#include <stdint.h>
#include "base/err.h"

int control_journal(const char *dir, int64_t at_ms, const char *command, int64_t batch, const char *result, struct err *err);
#endif
