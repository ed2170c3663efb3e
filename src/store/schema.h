#ifndef TARE_STORE_SCHEMA_H
#define TARE_STORE_SCHEMA_H
/*
 * The schemas as numbered steps: element i takes a store from version i to i + 1. A released step
 * is never edited; a change is a new one.
 *
 * The facts use only what DuckDB and ClickHouse share: flat tables, no keys, no date functions,
 * rows appended and never changed.
 */
#include <stddef.h>
extern const char *const schema_facts[]; /* several statements each, DuckDB */
extern const size_t schema_facts_n;
/* From the version SCHEMA_RULES on a step needs no new ledger and is made in place. */
#define SCHEMA_RULES 6
#define SCHEMA_SUMS  7 /* the facts know the readings: readings.c */
/* [schema_facts_n] what a reader of version i sees of version i + 1: temporary views and tables over
 * those of the store, which stays as it is */
extern const char *const schema_facts_view[];
extern const char *const schema_telemetry[]; /* SQLite */
extern const size_t schema_telemetry_n;
extern const char *const schema_control[]; /* SQLite */
extern const size_t schema_control_n;
#define CONTROL_SUMS        2 /* from this version on there are: */
#define CONTROL_SETTING_SUM "SELECT 'setting', count(*), row_hash(key, value) FROM setting"
#define CONTROL_JOURNAL_SUM \
	"SELECT 'journal', count(*), row_hash(id, at_ms, command, batch, result) FROM journal"
#define CONTROL_SUM_SETTING "INSERT OR REPLACE INTO sum " CONTROL_SETTING_SUM
#define CONTROL_SUM_JOURNAL "INSERT OR REPLACE INTO sum " CONTROL_JOURNAL_SUM

/* The fact tables that rows are appended to in bulk: see duck/schema.c. */
enum table {
	T_NODE,
	T_ALLOCATION,
	T_REQUEST,
	T_PRICE,
	T_BILL,
	T_BILL_GPU,
	T_BILL_SCOPE,
	T_LEDGER,
	T_REMAINDER,
	T_PAID,
	T_INCIDENT,
	T_WITNESS,
	T_N
};
extern const char *const table_name[T_N];
#endif
