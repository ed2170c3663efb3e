/* See alone.h. */
#include "plan/alone/alone.h"

#include <math.h>

#include "base/tm.h"

bool alone_not(const struct fleet *f)
{
	for (size_t i = 0; i < f->node.n; i++)
		if (*f->node.v[i].provider || *f->node.v[i].instance_type)
			return true;
	return false;
}

struct rec *alone_new(const struct lever_in *in, struct rec_list *out, enum advice_kind kind,
		      const char *tail)
{
	const struct fleet *f = in->fleet;
	struct rec *r = told_new(in, out, kind, tail);
	bool jobs = advice_kinds[kind].input == FROM_JOBS;
	const char *source = jobs ? ALONE_JOBS : ALONE_TELEMETRY;
	double days = (double)fleet_span_ms(f) / (double)MS_DAY;

	if (jobs)
		rec_evidence(in, r, QUALITY_MEASURED, "jobs that were read", "rows", source, "%lld",
			     (long long)f->allocations);
	else
		rec_evidence(in, r, QUALITY_MEASURED, "readings", "rows", source, "%lld",
			     (long long)f->readings);
	rec_evidence(in, r, QUALITY_MEASURED, "history", "days", source, "%.1f", days);
	return r;
}

static double mean_nano_ms(const struct fleet *f)
{
	int64_t priced = f->gpu_ms - f->unpriced_ms;
	double nano = 0;

	for (size_t i = 0; i < f->work.n; i++)
		if (f->work.v[i].kind != WORK_LINE)
			nano += (double)f->work.v[i].cost_nano;
	if (priced > 0)
		return nano / (double)priced;
	return 0;
}

void alone_about(const struct lever_in *in, struct rec *r, int64_t gpu_ms)
{
	const struct fleet *f = in->fleet;
	double nano = mean_nano_ms(f) * (double)gpu_ms, span = (double)(f->until_ms - f->since_ms);

	r->gpu_ms = gpu_ms;
	if (nano > 0 && span > 0)
		told_cost(r, dec_from_double(nano / 1e9 * in->conf->month_hours * (double)MS_HOUR /
					     span));
}

void alone_may_save(const struct lever_in *in, struct rec *r, int64_t lo_ms, int64_t hi_ms)
{
	double nano = mean_nano_ms(in->fleet);

	r->p05_nano = llround(nano * (double)lo_ms);
	r->p95_nano = llround(nano * (double)hi_ms);
	r->saving_nano = (r->p05_nano + r->p95_nano) / 2;
}

const char *alone_number(const struct lever_in *in, double v)
{
	char buf[DEC_BUF];
	bool tenths = v < 10 && fabs(v - nearbyint(v)) >= 0.05;

	dec_format_people(buf, dec_from_double(v), tenths);
	return arena_printf(in->mem, "%s", buf);
}

const char *alone_time(const struct lever_in *in, int64_t gpu_ms)
{
	char buf[DEC_BUF];

	/* of a small history with its decimals */
	dec_format_people(buf, dec_muldiv(DEC_ONE, gpu_ms, MS_HOUR), gpu_ms < 10 * MS_HOUR ? 2 : 0);
	return arena_printf(in->mem, "%s GPU·h", buf);
}

const char *alone_worth(const struct lever_in *in, int64_t gpu_ms)
{
	const struct fleet *f = in->fleet;
	double nano = mean_nano_ms(f), days = (double)(f->until_ms - f->since_ms) / (double)MS_DAY;
	char money[DEC_BUF];
	const char *span = days < 2 ? arena_printf(in->mem, "%.0f h", days * 24)
				    : arena_printf(in->mem, "%.0f days", days);

	if (f->in_gpu_hours || !(nano > 0))
		return arena_printf(in->mem, "%s in %s", alone_time(in, gpu_ms), span);
	dec_format_people(money, nano_to_dec(llround(nano * (double)gpu_ms)), 0);
	return arena_printf(in->mem, "%s (%s %s) in %s", alone_time(in, gpu_ms), money, f->currency,
			    span);
}
