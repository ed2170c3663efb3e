#ifndef TARE_ANSWER_RECONCILE_H
#define TARE_ANSWER_RECONCILE_H
/* Where bill, node records and catalogue disagree. */
#include "answer/ask.h"

struct reconcile_bill { /* one currency */
	const char *currency;
	dec billed, effective;
	int64_t lines;
};
struct reconcile_loose {                  /* in a bill but no node, or a node but in no bill */
	const char *name, *instance_type; /* instance_type NULL = not known */
	const char *currency;             /* of effective; NULL: no bill, no amount */
	bool has_effective;
	dec effective;
	/* of its lines in the window; of a node as recorded, to_ms UNKNOWN_MS = still there */
	int64_t from_ms, to_ms;
};
struct reconcile_day {                  /* one resource on one day, in one currency */
	int64_t day_ms, from_ms, to_ms; /* from, to: of its lines */
	const char *resource, *instance_type, *currency; /* instance_type NULL = not known */
	dec billed, effective;
	bool has_catalogue;
	dec catalogue; /* what the catalogue says its time costs */
};
struct reconcile_unnamed { /* GPU time of lines without a resource id, in one currency */
	const char *instance_type, *currency; /* instance_type NULL = not known */
	dec effective;
	int64_t ms;
};
struct reconcile {
	struct reconcile_bill *bill; /* [nbill] */
	struct reconcile_loose
		*bill_only; /* [nbill_only] the window's resources that are no node */
	/* [nnode_only] nodes of the window that no line of it names */
	struct reconcile_loose *node_only;
	struct reconcile_day *day;         /* [nday] by resource, day, currency */
	struct reconcile_unnamed *unnamed; /* [nunnamed] what no machine can be compared with */
	size_t nbill, nbill_only, nnode_only, nday, nunnamed;
};

/*
 * The window's GPU bill lines beside the nodes and prices that are known. ask->catalog is needed.
 * Returns 0 or a negative errno. O(lines log lines) time, O(lines) memory.
 */
int answer_reconcile(const struct ask *ask, struct reconcile *ret, struct err *err);
#endif
