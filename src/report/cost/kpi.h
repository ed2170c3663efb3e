#ifndef TARE_REPORT_COST_KPI_H
#define TARE_REPORT_COST_KPI_H
/*
 * The numbers people steer by, as the ledger defines them. Shares are of paid GPU time; what was
 * never measured gives "-" and null, not 0.
 *
 *   utilisation           = goodput = busy / paid; lost time is not busy
 *   allocation            = allocated / paid
 *   cost per training job = all entries of the job over its attempts, lost ones and lines that are
 *                           no GPU time included
 *   cost per request      = cost of the service / successful requests; per million tokens likewise
 *   time-to-value         = submit of the first attempt to first successful end; of a service to
 *                           its first served request
 *   commitments: coverage = GPU time under a reservation, commitment or savings plan / paid;
 *                utilisation = its cost / (its cost + unused)
 */
#include "answer/kpi.h"
#include "report/col.h"
#include "report/cost/report.h"

struct kpi_in {
	struct kpi_answer of;
	int64_t since_ms, until_ms; /* UNKNOWN_MS = open */
	int64_t data_until_ms;      /* as of struct report_ask */
	enum basis basis;
	const struct conf *conf;
	const char *where;
	bool colour;
	int width;
};
/* True for the words of Slurm, Kubernetes and the public traces that mean the job came to its end
 * as it should. */
bool kpi_is_success(struct sv state);
/* Table, JSON ("tare.kpi/1"), CSV (kpi, subject, value, unit) or Markdown. 0 or -EINVAL. O(n log
 * n). */
int kpi_print(const struct kpi_in *in, enum out_format f, struct str *out, struct err *err);
extern const struct col_doc kpi_doc;
#endif
