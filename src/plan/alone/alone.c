/* See alone.h. */
#include "plan/alone/alone.h"

#include <math.h>

#include "base/num.h"
#include "base/tm.h"

#define MONTH_FRAC 0.5 /* of the window that has data: from less no month is made */

bool alone_not(const struct fleet *f)
{
	for (size_t i = 0; i < f->node.n; i++)
		if (*f->node.v[i].provider || *f->node.v[i].instance_type)
			return true;
	return false;
}

bool alone_is_job(const struct workload *w)
{
	return (w->kind == WORKLOAD_JOB || w->kind == WORKLOAD_SERVICE) && *w->job;
}

void alone_jobs_span(const struct fleet *f, int64_t *ret_from_ms, int64_t *ret_to_ms)
{
	int64_t from_ms = f->until_ms, to_ms = f->since_ms;

	for (size_t i = 0; i < f->workload.n; i++) {
		const struct workload *w = &f->workload.v[i];
		const struct workload_hour *h = &f->hour.v[w->hour0];
		if (!alone_is_job(w) || !w->nhour)
			continue;
		from_ms = min_i64(h[0].hour_ms, from_ms);
		to_ms = max_i64(h[w->nhour - 1].hour_ms + MS_HOUR, to_ms);
	}
	*ret_from_ms = max_i64(from_ms, f->since_ms);
	*ret_to_ms = min_i64(to_ms, f->until_ms);
}

int64_t alone_read_ms(const struct fleet *f)
{
	int64_t hours = 0;

	for (size_t i = 0; i < f->ngpus_hour; i++)
		hours += f->gpus_hour[i].gpus > 0;
	return hours * MS_HOUR;
}

static bool is_from_jobs(const struct rec *r)
{
	return advice_kinds[r->kind].input == FROM_JOBS;
}

/* Hours of the window that the source tells of. */
static int64_t told_ms(const struct fleet *f, const struct rec *r)
{
	int64_t from_ms = f->since_ms, to_ms = f->until_ms;

	if (is_from_jobs(r))
		alone_jobs_span(f, &from_ms, &to_ms);
	else
		return min_i64(alone_read_ms(f), to_ms - from_ms);
	return to_ms - from_ms;
}

struct rec *alone_new(const struct lever_in *in, struct rec_list *out, enum advice_kind kind,
		      const char *tail)
{
	const struct fleet *f = in->fleet;
	struct rec *r = told_new(in, out, kind, tail);
	bool jobs = is_from_jobs(r);
	const char *source = jobs ? ALONE_JOBS : ALONE_TELEMETRY;
	double days = (double)min_i64(told_ms(f, r), fleet_span_ms(f)) / (double)MS_DAY;

	if (jobs)
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "jobs that were read",
						.unit = "rows", .source = source },
			     "%lld", (long long)f->allocations);
	else
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "readings", .unit = "rows",
						.source = source },
			     "%lld", (long long)f->readings);
	rec_evidence(
		in, r,
		(struct evidence){ QUALITY_MEASURED, "history", .unit = "days", .source = source },
		"%.1f", days);
	return r;
}

void alone_about(const struct lever_in *in, struct rec *r, struct alone_sum s)
{
	const struct fleet *f = in->fleet;
	double span = (double)fleet_span_ms(f);

	r->gpu_ms = s.ms;
	if (s.nano > 0 && (double)told_ms(f, r) >= MONTH_FRAC * span)
		told_cost(r, dec_from_double(s.nano / 1e9 * in->conf->month_hours *
					     (double)MS_HOUR / span));
}

void alone_may_save(struct rec *r, double low_nano, double high_nano)
{
	if (!r->has_cost)
		return;
	r->p05_nano = llround(low_nano);
	r->p95_nano = llround(high_nano);
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

const char *alone_worth(const struct lever_in *in, const struct rec *r, struct alone_sum s)
{
	const struct fleet *f = in->fleet;
	double days = (double)told_ms(f, r) / (double)MS_DAY;
	char money[DEC_BUF];
	const char *span = days < 2 ? arena_printf(in->mem, "%.0f h", days * 24)
				    : arena_printf(in->mem, "%.0f days", days);

	if (f->in_gpu_hours || !(s.nano > 0))
		return arena_printf(in->mem, "%s in %s", alone_time(in, s.ms), span);
	dec_format_people(money, nano_to_dec(llround(s.nano)), 0);
	return arena_printf(in->mem, "%s (%s %s) in %s", alone_time(in, s.ms), money, f->currency,
			    span);
}
