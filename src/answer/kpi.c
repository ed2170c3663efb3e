#include "answer/kpi.h"

static int load_cells(const struct report_ask *q, const char *by, const struct report_cell **ret,
		      size_t *ret_n, struct err *err)
{
	struct report_dims d = { 0 };
	struct report_cell *cell;
	int r = report_dims_add(&d, by, q->ask.mem, err);

	if (r >= 0)
		r = report_cells(q, &d, true, &cell, ret_n, err);
	if (r >= 0)
		*ret = cell;
	return r;
}

int answer_kpi(const struct report_ask *q, struct kpi_answer *ret, struct err *err)
{
	const struct ask *ask = &q->ask;
	struct kpi_answer a = { 0 };
	struct allocation *alloc;
	struct request_stats stat = { 0 };
	const struct span window = { ask->since_ms, ask->until_ms };
	int r = load_cells(q, "purchase,kind,commitment,provider", &a.buy, &a.nbuy, err);

	if (r >= 0)
		r = load_cells(q, "workload,job,run,project,service", &a.job, &a.njob, err);
	if (r >= 0)
		r = load_cells(q, "cause", &a.cause, &a.ncause, err);
	if (r >= 0)
		r = store_allocations(ask->store,
				      &(struct scope_span){ NULL, window.from_ms, window.to_ms },
				      ask->mem, &alloc, &a.nalloc, err);
	if (r >= 0)
		r = store_requests(ask->store, window, false, ask->mem, &stat, err);
	struct bill_total *bill = NULL;
	bool whole = !q->filter.v.n && !q->exchange && q->basis == BASIS_EFFECTIVE;
	if (r >= 0 && whole)
		r = store_bill_totals(ask->store, window, ask->mem, &bill, &a.nbill, err);
	a.bill = bill;
	bool told = false;
	if (r >= 0)
		r = store_ends_told(ask->store, ask->since_ms, ask->until_ms, &told, err);
	if (r < 0)
		return r;
	a.ends_untold = !told;
	a.alloc = alloc;
	a.nservice = stat.n;

	struct kpi_service *s = arena_alloc(ask->mem, (a.nservice + 1) * sizeof *s);
	for (size_t i = 0; i < a.nservice; i++)
		s[i] = (struct kpi_service){ stat.v[i].service,   stat.v[i].t_ms,
					     stat.v[i].count,     stat.v[i].ok,
					     stat.v[i].tokens_in, stat.v[i].tokens_out };
	a.service = s;
	*ret = a;
	return 0;
}
