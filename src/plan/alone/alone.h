#ifndef TARE_PLAN_ALONE_ALONE_H
#define TARE_PLAN_ALONE_ALONE_H
/*
 * What jobs_alone.c, jobs_unused.c and telemetry_alone.c share beside told.h: amounts are GPU time,
 * each part at what its own job or machine costs; the part without a price brings nothing. Texts in
 * in->mem.
 */
#include "plan/told.h"

#define ALONE_JOBS      "job list"
#define ALONE_TELEMETRY "telemetry"

struct alone_sum { /* GPU time of the window, and what it cost where it was */
	int64_t ms;
	double nano;
	double back_nano; /* that machines cost which can be given back */
};
static inline struct alone_sum alone_of(const struct workload *w)
{
	double nano = (double)w->cost_nano;

	return (struct alone_sum){ w->ms, nano, w->elastic ? nano : 0 };
}
/* Adds so much GPU time, at what a millisecond of `of` costs. */
static inline void alone_add(struct alone_sum *s, int64_t ms, struct alone_sum of)
{
	double n = of.ms > 0 ? (double)ms / (double)of.ms : 0;

	s->ms += ms;
	s->nano += of.nano * n;
	s->back_nano += of.back_nano * n;
}

/*
 * A bill or a node list says what the machines are: levers and findings tell of jobs and use then
 * what can be done, and an input is not alone.
 */
bool alone_not(const struct fleet *f);
/* What a job list names. */
bool alone_is_job(const struct workload *w);
/* The hours of the window from the first with such a job to the last; nothing: to before from. */
void alone_jobs_span(const struct fleet *f, int64_t *ret_from_ms, int64_t *ret_to_ms);
/* Hours of the window in which a GPU was read. */
int64_t alone_read_ms(const struct fleet *f);
/* A new one with the id "advice-<tail>". Its evidence begins with the rows of the source and the
 * days. */
struct rec *alone_new(const struct lever_in *in, struct rec_list *out, enum advice_kind kind,
		      const char *tail);
/* It is about so much. A month is made of it where jobs or readings tell of half of the window or
 * more. */
void alone_about(const struct lever_in *in, struct rec *r, struct alone_sum s);
/* That much of what the window cost may be saved, from low to high: of what can be given back.
 * After alone_about(). */
void alone_may_save(struct rec *r, double low_nano, double high_nano);
const char *alone_number(const struct lever_in *in, double v);     /* "1,080", "1.5" */
const char *alone_time(const struct lever_in *in, int64_t gpu_ms); /* "123 GPU·h" */
/* "123 GPU·h in 24 h", "123 GPU·h (148 USD) in 30 days": of the hours that have data */
const char *alone_worth(const struct lever_in *in, const struct rec *r, struct alone_sum s);

#endif
