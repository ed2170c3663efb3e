#ifndef TARE_PLAN_ADVICE_H
#define TARE_PLAN_ADVICE_H
/*
 * Advice that says what there is, from one kind of input alone: what a bill, a job list, telemetry
 * or a list of machines tells though nothing can be replayed. In no sum. Each kind is a row of the
 * table in advice.c; who says it is a file <input>_alone.c.
 */
#include <stdbool.h>

enum advice_input { FROM_BILL, FROM_JOBS, FROM_TELEMETRY, FROM_NODES, ADVICE_INPUTS };
enum advice_kind {
	ADVICE_NONE, /* techniques, levers that cannot be replayed */
	/* a bill (bill_alone.c) */
	ADVICE_BILL_SHARES,
	ADVICE_BILL_CHANGE,
	ADVICE_BILL_NO_TEAM,
	ADVICE_BILL_TRAFFIC,
	ADVICE_BILL_STORAGE,
	/* its machines and commitments (bill_machines.c) */
	ADVICE_BILL_ALWAYS_ON,
	ADVICE_BILL_UNUSED,
	ADVICE_BILL_EMPTY,
	ADVICE_BILL_ENDING,
	/* what they would cost elsewhere (bill_prices.c) */
	ADVICE_BILL_REGION,
	ADVICE_BILL_SPOT,
	ADVICE_BILL_GPU,
	/* nodes and jobs (nodes_alone.c) */
	ADVICE_NODES_HELD,
	ADVICE_NODES_STRANDED,
	ADVICE_NODES_PARTS,
	ADVICE_NODES_NO_FIT,
	/* a job list (jobs_alone.c) */
	ADVICE_JOBS_FAILED,
	ADVICE_JOBS_BOOKED,
	ADVICE_JOBS_WAIT,
	ADVICE_JOBS_WHO,
	ADVICE_JOBS_WEEK,
	ADVICE_JOBS_MONTH,
	ADVICE_JOBS_HELD,
	ADVICE_JOBS_APART,
	/* telemetry (telemetry_alone.c, jobs_unused.c) */
	ADVICE_GPUS_IDLE,
	ADVICE_GPUS_HARDLY_USED,
	ADVICE_GPUS_QUIET,
	ADVICE_GPUS_WEEKEND,
	ADVICE_GPUS_SHARE,
	ADVICE_GPUS_PEAK,
	ADVICE_GPUS_HALF,
	ADVICE_GPUS_SMALLER,
	ADVICE_GPUS_UNUSED,
	ADVICE_N
};
struct advice_row {
	const char *name; /* "bill_shares": the word of the JSON */
	enum advice_input input;
	const char *about;
	bool always; /* on every page: money that nothing else there speaks of */
};
extern const struct advice_row advice_kinds[ADVICE_N];
const char *advice_input_says(enum advice_input i); /* "What the bill says" */

struct lever_in;
struct rec_list;
/* What each input there is says; appended, those of every page first, then those with most money.
 * Pure. */
void advice_told(const struct lever_in *in, struct rec_list *out);
/* One kind of input each; without it they say nothing. */
void bill_alone(const struct lever_in *in, struct rec_list *out);
void bill_machines(const struct lever_in *in, struct rec_list *out);
void bill_prices(const struct lever_in *in, struct rec_list *out);
void nodes_alone(const struct lever_in *in, struct rec_list *out);
void jobs_alone(const struct lever_in *in, struct rec_list *out);
void jobs_unused(const struct lever_in *in, struct rec_list *out);
void telemetry_alone(const struct lever_in *in, struct rec_list *out);
#endif
