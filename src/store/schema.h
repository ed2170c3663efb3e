#ifndef TARE_STORE_SCHEMA_H
#define TARE_STORE_SCHEMA_H
/*
 * The schemas as numbered steps: element i takes a store from version i to i + 1. A released step is never edited; a change is a new one.
 *
 * The facts use only what DuckDB and ClickHouse share: flat tables, no keys, no date functions, rows appended and never changed.
 */
#include <stddef.h>
extern const char *const schema_facts[]; /* several statements each, DuckDB */
extern const size_t schema_facts_n;
extern const char *const schema_telemetry[]; /* SQLite */
extern const size_t schema_telemetry_n;
extern const char *const schema_control[]; /* SQLite */
extern const size_t schema_control_n;

/* The fact tables that rows are appended to in bulk: see schema_facts.c. */
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
	T_INCIDENT,
	T_N
};
extern const char *const table_name[T_N];
#endif
