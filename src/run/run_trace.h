#ifndef TARE_RUN_RUN_TRACE_H
#define TARE_RUN_RUN_TRACE_H
/*
 * What a run heard and did, as text: TARE_RUN_TRACE=FILE has it appended there. Given to the
 * machine again (tests/unit/run/t-run-machine.c) it must give the same actions, so a fault that
 * somebody met is a test.
 *
 *   rules NAME=VALUE ...
 *   drill NAME=VALUE ...        where there is one
 *   @MS EVENT NAME=VALUE ...    MS since the start
 *     ACTION NAME=VALUE ...     what follows from the last event, in this order; an event after an
 *                               action that is a question answers it
 *     wait ms=MS                how long nothing is due
 *
 * Times (of kind TIME) are MS since the start as well: "never" (INT64_MAX), "none" (-1), "unset"
 * (INT64_MIN). A text is in double quotes, with ' for " in it; "-" is NULL.
 */
#include "run/machine.h"

enum run_trace_type {
	RUN_TRACE_TIME,
	RUN_TRACE_I64,
	RUN_TRACE_INT,
	RUN_TRACE_BOOL,
	RUN_TRACE_REAL,
	RUN_TRACE_WORD,  /* an int that words[] has a name for */
	RUN_TRACE_TEXT,  /* const char * */
	RUN_TRACE_CHARS, /* char[]; size: with its end */
};
/* One value of a line: of events or actions of this kind. */
struct run_trace_row {
	int kind;
	const char *name;
	enum run_trace_type type;
	size_t at, size;
	const char *const *words;
	size_t nwords;
};
struct run_trace_table {
	const char *const *name; /* [kind]; NULL: one kind only */
	const struct run_trace_row *row;
	size_t n;
};
extern const struct run_trace_table run_trace_rules, run_trace_drill, run_trace_events,
	run_trace_actions;

struct str;
/* " NAME=VALUE ..." of what `of` points at; start: 0 of its times. */
void run_trace_put(const struct run_trace_table *t, int kind, const void *of, int64_t start,
		   struct str *to);

struct run_trace;
/* NULL: nobody asked for it, or the file cannot be written. A trace of NULL takes no time. */
struct run_trace *run_trace_open(const struct run_rules *rules, const struct run_drill *drill,
				 int64_t now);
void run_trace_event(struct run_trace *t, const struct run_event *e, int64_t now);
void run_trace_action(struct run_trace *t, const struct run_action *a);
void run_trace_wait(struct run_trace *t, int ms);
void run_trace_close(struct run_trace *t);

#endif
