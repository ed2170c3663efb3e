#ifndef TARE_ANSWER_KPI_H
#define TARE_ANSWER_KPI_H
/* What the numbers people steer by are made of (report/cost/kpi.h has their definitions). */
#include "answer/report.h"

/* dimensions of the cells of jobs, in this order */
enum { KPI_WORKLOAD, KPI_JOB, KPI_RUN, KPI_PROJECT, KPI_SERVICE, KPI_DIMS };

/* and of those of what was bought */
enum { KPI_PURCHASE, KPI_KIND, KPI_COMMITMENT, KPI_PROVIDER };

struct kpi_service { /* what a request log says, per service */
	struct sv service;
	int64_t first_ms, count, ok, tokens_in, tokens_out; /* UNKNOWN_I64 where never given */
};
struct kpi_answer {
	const struct report_cell *job;
	size_t njob; /* by KPI_DIMS */
	const struct report_cell *cause;
	size_t ncause; /* by cause (dim[0]) */
	const struct report_cell *buy;
	size_t nbuy;
	/* of the window, by currency, with what commitments covered; none where a filter chooses */
	const struct bill_total *bill;
	size_t nbill;
	const struct allocation *alloc;
	size_t nalloc;    /* of the window */
	bool ends_untold; /* nobody told how a job of the window ended */
	const struct kpi_service *service;
	size_t nservice;
};
/* q: its window is set (report_window()). In the ask's arena. */
int answer_kpi(const struct report_ask *q, struct kpi_answer *ret, struct err *err);
#endif
