/*
 * Feed the GPU: jobs whose readings fall to nothing again and again while they run. What the GPU
 * would gain is not in its own readings, so the range is wide: between a fifth and four fifths of
 * the starved time come back. Nothing that tare can do is sure to bring any of it (more loaders
 * need cores and memory that nobody measured), so all of it is advice, outside of the sums; where
 * the CPU was seen at its limit the cause is measured, where not: measure first.
 */
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "base/tm.h"
#include "plan/levers.h"
#include "plan/lever/use_hours.h"
#include "plan/workload.h"

/*
 * How much of the starved time a better pipeline gives back. 85 % of the low-utilisation issues of
 * a large site were fixed by small edits (ICSE'24, see docs/ALGORITHMS.md, "Findings"); how much
 * time each gave back is not told, so the middle is half and the ends are far.
 */
#define BACK_FRAC    0.5
#define BACK_LO_FRAC 0.2
#define BACK_HI_FRAC 0.8

/* Why it is no job that waits for its input; NULL: it is one. */
static const char *why_not(const struct lever_in *in, size_t i)
{
	const struct workload *w = &in->fleet->workload.v[i];
	double frac = workload_starved_frac(w);

	if (workload_is_frozen(in, w, "input_bound"))
		return "left alone by the settings, or not to be given back";
	if (!isnan(always_on_use_frac(in->fleet, w)))
		return "held day and night and used some hours"; /* schedule, share */
	if (isnan(frac))
		return "without readings of their work, or not for long enough";
	switch (workload_diagnose(w)) {
	case DIAGNOSIS_CPU_BOUND:
	case DIAGNOSIS_IO_BOUND:
	case DIAGNOSIS_STARVED:
		return frac > 0 && frac < 1 ? NULL : "that do not wait for their input";
	default: return "that do not wait for their input";
	}
}

/* What a workload would be with half of its waiting gone. */
static void add_run(const struct lever_in *in, struct rec *r, size_t i)
{
	const struct workload *w = &in->fleet->workload.v[i];
	const struct use *u = &in->use[i];
	double frac = workload_starved_frac(w), run = (double)(u->end_ms - u->start_ms);
	struct rec_change *c = rec_change(in, r, (uint32_t)i);

	c->after.slowdown = u->slowdown * (1 - frac * BACK_FRAC);
	c->after.end_ms = u->start_ms + (int64_t)(run * (1 - frac * BACK_FRAC));
	c->after.cost_nano = (int64_t)((double)u->cost_nano * (1 - frac * BACK_FRAC));
	c->lo_nano = (int64_t)((double)u->cost_nano * (1 - frac * BACK_HI_FRAC));
	c->hi_nano = (int64_t)((double)u->cost_nano * (1 - frac * BACK_LO_FRAC));
	r->replay.jobs++;
	r->replay.deadline_misses += w->deadline_ms != UNKNOWN_MS &&
				     c->after.end_ms > w->deadline_ms;
}

static void tell_rec(const struct lever_in *in, struct rec *r)
{
	const struct workload *w = &in->fleet->workload.v[r->change.v[0].workload];
	bool known = !sv_ends(sv_of(r->about), SV("-measure"));
	double frac = 0, saved = 0;
	for (size_t k = 0; k < r->change.n; k++) {
		const struct rec_change *c = &r->change.v[k];
		frac += workload_starved_frac(&in->fleet->workload.v[c->workload]) /
			(double)r->change.n;
		saved += (double)(in->use[c->workload].cost_nano - c->after.cost_nano) / 1e9;
	}
	r->title = arena_printf(in->mem,
				"%s: %zu job%s waiting for input in %.0f %% of the active time%s",
				workload_owner(w), r->change.n, plural(r->change.n), frac * 100,
				text_if(!known, "; measure why"));
	r->team = w->team;
	r->effort_days = 5;
	r->within_days = 14;
	r->confidence_frac = known ? 0.7 : 0.5;
	r->risk = known ? RISK_MEDIUM : RISK_HIGH;
	rec_subject(in, r, "team", w->team);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "readings below 5 % while active, mean",
					.unit = "frac", .source = "telemetry" },
		     "%.2f", frac);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_MEASURED, "diagnosis of the first job",
					.source = "telemetry" },
		     "%s", diagnosis_name(workload_diagnose(w)));
	if (!isnan(w->stats.cpu_mean_pct))
		rec_evidence(in, r,
			     (struct evidence){ QUALITY_MEASURED, "CPU of the first job, mean",
						.unit = "%", .source = "telemetry" },
			     "%.0f", w->stats.cpu_mean_pct);
	rec_evidence(in, r,
		     (struct evidence){ QUALITY_ESTIMATED,
					"worth in the window, if half of the waiting goes",
					.unit = in->fleet->currency, .source = "estimate" },
		     "%.2f (%.2f to %.2f)", saved, saved * BACK_LO_FRAC / BACK_FRAC,
		     saved * BACK_HI_FRAC / BACK_FRAC);
	rec_action(r, ACTION_FEED)->which = workload_habit(w);
	rec_risk(
		in, r,
		"More loader workers need memory of the host; the gain is estimated until it is measured.");
}

int lever_input_bound_propose(const struct lever_in *in, struct rec_list *out, struct err *err)
{
	size_t first = out->v.n;
	bool *left = xcalloc(in->fleet->job.n + 1, sizeof *left); /* a job on many machines once */

	(void)err;
	for (size_t i = 0; i < in->fleet->workload.n; i++) {
		const struct workload *w = &in->fleet->workload.v[i];

		const struct use *u = &in->use[i];

		if (!workload_is_batch(w) || u->end_ms <= u->start_ms || u->cost_nano <= 0)
			continue;
		const char *why = why_not(in, i);
		bool known = fleet_job_of(in->fleet, w) && left[w->job_index];
		if (why && !known)
			lever_left(in, "jobs", why, 1);
		if (why && fleet_job_of(in->fleet, w))
			left[w->job_index] = true;
		if (why)
			continue;
		bool measured = workload_diagnose(w) != DIAGNOSIS_STARVED;
		struct rec *r = rec_find_or_new(in, out, first, "input_bound",
						arena_printf(in->mem, "%s%s", workload_owner(w),
							     text_if(!measured, "-measure")));
		r->advice = true;
		add_run(in, r, i);
	}
	free(left);
	for (size_t i = first; i < out->v.n; i++)
		tell_rec(in, out->v.v[i]);
	return 0;
}
