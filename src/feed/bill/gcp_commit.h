#ifndef TARE_FEED_BILL_GCP_COMMIT_H
#define TARE_FEED_BILL_GCP_COMMIT_H
/*
 * Fees of Google's committed use of machines, spread over what they cover. The export has the fee
 * as a line of its own ("Commitment v1: Nvidia Tesla A100 GPU in EMEA for 1 Year", so many an hour)
 * and credits on the usage; which use a fee is for it does not say. It follows from the quantities:
 * of one resource in one region, account and unit, each day's fee is divided by what it is for into
 * what was covered (usage times credit / cost) and the rest, which nobody used. A project's fee is
 * first for its own use, what that leaves for use of others above theirs, and the rest stays with
 * the project and tags of the fee. Billed amounts stay where they are. Fees of which the file has
 * no covered use, or no quantity (commitments to an amount of money), are kept as they are billed.
 */
#include "feed/bill/bill_rows.h"

struct gcp_fee {
	uint32_t key;
	int64_t day_ms;
	dec quantity;
	struct bill_line line;
};
struct gcp_covered { /* of one resource, account and tags on one day */
	uint32_t key, who;
	int64_t day_ms;
	dec quantity, amount;  /* amount: of the fees, by gcp_commit_give() */
	struct bill_line line; /* over all of it */
};
struct gcp_commit {
	struct arena mem;
	struct intern keys, who;
	VEC(struct gcp_fee) fee;
	VEC(struct gcp_covered) covered; /* by who */
};

/* A line of a fee: kept for gcp_commit_give(), not yet given. */
void gcp_commit_fee(struct gcp_commit *c, const struct bill_line *b);
/* A line of usage of which credits of a commitment, negative, took off so much of its cost. */
void gcp_commit_covered(struct gcp_commit *c, const struct bill_line *b, dec credit);
/* All rows are read: gives the fees, and what each line covered or left unused. */
int gcp_commit_give(struct gcp_commit *c, struct bill_rows *w, struct err *err);
void gcp_commit_free(struct gcp_commit *c);
#endif
