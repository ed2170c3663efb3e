#ifndef TARE_REPORT_SIMULATE_SIMULATE_REQUESTS_H
#define TARE_REPORT_SIMULATE_SIMULATE_REQUESTS_H
/* How `tare simulate requests` prints: text, or JSON ("tare.simulate-requests/1"). */
#include "answer/simulate/simulate_requests.h"
#include "report/col.h"
#include "report/cost/report.h"

extern const struct col_doc simulate_requests_doc;

void simulate_requests_print(const struct simulate_requests *a, const struct out_as *as,
			     struct str *out);
#endif
