#ifndef TARE_STORE_SCHEMA_H
#define TARE_STORE_SCHEMA_H
/* The schemas of SQLite's files as numbered steps: element i takes one from version i to i + 1. A
 * released step is never edited; a change is a new one. */
#include <stddef.h>

extern const char *const schema_telemetry[]; /* telemetry.db */
extern const size_t schema_telemetry_n;
extern const char *const schema_control[]; /* control.db */
extern const size_t schema_control_n;

/* The sums of a table's rows, in the table `sum`; from this version of control.db on. */
#define CONTROL_SUMS        2
#define CONTROL_SETTING_SUM "SELECT 'setting', count(*), row_hash(key, value) FROM setting"
#define CONTROL_JOURNAL_SUM \
	"SELECT 'journal', count(*), row_hash(id, at_ms, command, batch, result) FROM journal"
#define CONTROL_SUM_SETTING "INSERT OR REPLACE INTO sum " CONTROL_SETTING_SUM
#define CONTROL_SUM_JOURNAL "INSERT OR REPLACE INTO sum " CONTROL_JOURNAL_SUM
#endif
