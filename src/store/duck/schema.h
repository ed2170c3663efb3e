#ifndef TARE_STORE_DUCK_SCHEMA_H
#define TARE_STORE_DUCK_SCHEMA_H
/*
 * The schema of the facts as numbered steps: element i takes a store from version i to i + 1. A
 * released step is never edited; a change is a new one.
 *
 * The facts use only what DuckDB and ClickHouse share: tables without keys, no date functions, rows
 * appended and never changed. All are flat but allocations and the ledger, whose texts stand apart
 * (tuples.h).
 */
#include <stddef.h>
extern const char *const schema_facts[]; /* several statements each */
extern const size_t schema_facts_n;
/* From the version SCHEMA_RULES on a step needs no new ledger and is made in place. */
#define SCHEMA_RULES 6
#define SCHEMA_ROWS  13 /* lines of bills know of how many rows they are */
#define SCHEMA_SUMS  7  /* the facts know the readings (store/readings.c) */
/* [schema_facts_n] what a reader of version i sees of version i + 1: temporary views and tables
 * over those of the store, which stays as it is */
extern const char *const schema_facts_view[];

/* The tables that rows are appended to in bulk: see schema.c. */
enum table {
	T_NODE,
	T_ALLOCATION,
	T_REQUEST,
	T_PRICE,
	T_BILL,
	T_BILL_GPU,
	T_BILL_SCOPE,
	T_PLACE,
	T_OWNER,
	T_SHAPE,
	T_WHAT,
	T_WHAT_BILL,
	T_WHO,
	T_LEDGER,
	T_REMAINDER,
	T_PAID,
	T_INCIDENT,
	T_WITNESS,
	T_EXCHANGE_RATE,
	T_CURVE,
	T_PRESENCE,
	T_N
};
extern const char *const table_name[T_N];
/* the SELECTs of the views ledger and allocation, over tables without a prefix */
extern const char schema_ledger[];
extern const char schema_allocation[];
/* that of the ledger in brackets, with the columns of ledger_bill */
extern const char schema_entries[];
#endif
