#ifndef TARE_REPORT_COST_KPI_SUMS_H
#define TARE_REPORT_COST_KPI_SUMS_H
/* What kpi.c works out before it prints; one block per currency. */
#include "report/cost/figures.h"
#include "report/cost/kpi.h"

struct kpi_spread { /* of per-job amounts or times */
	size_t n;
	dec sum, mean, median, p90; /* nearest rank */
};
struct kpi_cause {
	enum cause cause;
	int64_t ms;
	dec cost;
	bool has_cost;
};
struct kpi_service_cost {
	const struct kpi_service *s;
	/* "service" "job" "run" "project" "workload" (assumed: the only service), NULL = no cost
	 * found */
	const char *match;
	dec cost;
	bool has_cost; /* false: nothing found, or none of it has a price */
	int64_t ms, unpriced_ms;
	int64_t ttv_ms; /* UNKNOWN_MS */
};
/* Whether it is known how much of the commitments was used: fees of which what they cover is not
 * told; use without a cost; a basis in which use has no cost of its own. */
enum kpi_use { USE_KNOWN, USE_UNSPREAD, USE_UNPRICED, USE_OTHER_BASIS };
struct kpi_block {
	const char *currency;
	struct cube_row total;
	bool jobs_known;       /* somebody told how a job ended: else what was lost is unknown */
	bool allocation_known; /* somebody recorded what was paid, not its jobs alone */
	struct kpi_spread job, run; /* cost per training job, per run of training jobs */
	size_t unpriced_jobs;       /* left out: no amount for any of their time */
	/* GPU time under a commitment; that without a cost */
	int64_t committed_ms, committed_unpriced_ms;
	dec committed, unused; /* its cost; cost of commitments nobody used */
	dec used;              /* cost of what they covered */
	enum kpi_use use;
	VEC(struct kpi_cause) lost;
	VEC(struct kpi_service_cost) service;
};
struct kpi {
	struct arena mem;
	VEC(struct kpi_block) block;
	struct kpi_spread ttv;             /* of jobs that came to a good end, in ms x 10^12 */
	size_t ttv_without, ttv_no_submit; /* jobs without a success; without a submit time */
};
/* Lost work of all, as figure_of() has it. */
struct figure kpi_lost(const struct kpi_block *b);
void kpi_compute(const struct kpi_in *in, struct kpi *ret);
void kpi_free(struct kpi *k);
#endif
