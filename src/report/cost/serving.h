#ifndef TARE_REPORT_COST_SERVING_H
#define TARE_REPORT_COST_SERVING_H
/*
 * tare report --serving: requests, latency, tokens and cost of what was served, a row a service, or
 * a service and tenant.
 *
 * A service costs what the ledger says of the time that served it; where no job bears its name,
 * what --kpi takes for it, and where nothing does, nothing is known. Tenants share the cost of
 * their service by measured GPU time where all of them have it, else by tokens, else by requests,
 * such that their shares add up to it. Quantiles are of bins that grow by 2 %: within 1 % of what
 * was logged.
 */
#include "answer/serving.h"
#include "report/col.h"
#include "report/cost/report.h"

struct serving_in {
	struct serving_answer of;
	int64_t since_ms, until_ms; /* UNKNOWN_MS = open */
	int64_t data_until_ms;      /* as of struct report_ask */
	enum basis basis;
	const struct conf *conf;
	bool colour;
	int width;
};
/* Table, JSON ("tare.serving/1"), CSV or Markdown; 0 or -EINVAL (HTML). */
int serving_print(const struct serving_in *in, enum out_format f, struct str *out, struct err *err);
extern const struct col_doc serving_doc;
#endif
