/*
 * Is the GPU too large, waiting, or well used? Without utilisation (a MIG instance) the bands are
 * those of SM activity, with no second signal.
 *
 *   mean utilisation < 25 %   over-provisioned      the bands of opt/size/rightsize.h
 *   mean utilisation < 60 %   under-utilised
 *   else                      well utilised
 *
 * Utilisation is the share of time with any kernel on the GPU: a stream of one-block kernels reads
 * 100 %. So a second signal must agree:
 *
 *   SM activity   the mean share of SMs with a warp on them; below 0.5 the GPU is used
 *                 ineffectively (NVIDIA DCGM user guide, "SM Activity": 0.8 or more is needed, less
 *                 than 0.5 likely indicates ineffective use). Well utilised by utilisation, SM
 *                 activity below 0.5: under-utilised; below 0.05 over-provisioned: 5 of 100 SMs is
 *                 less than the smallest slice of a GPU.
 *   power         where SM activity cannot be read. At or below the ledger's stalled bound (conf,
 *                 22 % of the limit) utilisation is contradicted; up to 40 % it is not confirmed
 *                 (chosen between the stalled bound and the draw of half-full GPUs; confidence is
 *                 then low).
 *
 * Thin data gives no verdict: at least 30 s and 20 readings between first and last use (as job
 * statistics of clusters leave out the first samples of a job). Under 5 minutes confidence is at
 * most medium, since the first epoch's loading and compiling still weigh.
 */
#include <math.h>
#include "profile/profile.h"

/* where they come from: above */
#define LEAST_MS       30000
#define LEAST_READINGS 20
#define SURE_MS        300000
#define OVER_PCT       25
#define UNDER_PCT      60
#define SM_WEAK        0.5
#define SM_NOTHING     0.05
#define POWER_WEAK     0.40

enum { LOW, MEDIUM, HIGH }; /* confidence, as profile.h has it */

const char *profile_verdict_name(enum profile_verdict v)
{
	static const char *const name[] = { [PROFILE_NO_GPU] = "no_gpu",
					    [PROFILE_TOO_SHORT] = "too_short",
					    [PROFILE_UNREAD] = "unread",
					    [PROFILE_OVERPROVISIONED] = "overprovisioned",
					    [PROFILE_UNDERUTILIZED] = "underutilized",
					    [PROFILE_WELL_UTILIZED] = "well_utilized" };
	return name[v];
}

static void judge_by_sm(const struct profile_judged *in, struct arena *a,
			struct profile_judgement *ret)
{
	ret->second = SECOND_SM;
	if (ret->by_util == PROFILE_WELL_UTILIZED && in->sm_frac < SM_WEAK) {
		ret->contradicted = true;
		if (in->sm_frac < SM_NOTHING)
			ret->verdict = PROFILE_OVERPROVISIONED;
		else
			ret->verdict = PROFILE_UNDERUTILIZED;
		ret->why = arena_printf(
			a,
			"busy %.0f %% of the time, but on %.0f %% of the SMs: %s, not a full GPU",
			in->util_pct, in->sm_frac * 100,
			in->sm_frac < SM_NOTHING ? "copies or tiny kernels" : "small kernels");
	} else if (ret->by_util == PROFILE_UNDERUTILIZED && in->sm_frac < SM_NOTHING) {
		ret->contradicted = true;
		ret->verdict = PROFILE_OVERPROVISIONED;
		ret->why = arena_printf(a, "busy %.0f %% of the time, but on %.0f %% of the SMs",
					in->util_pct, in->sm_frac * 100);
	} else {
		ret->why = arena_printf(a, "mean utilisation %.0f %%, SM activity %.0f %%",
					in->util_pct, in->sm_frac * 100);
	}
}

static void judge_by_power(const struct profile_judged *in, struct arena *a,
			   struct profile_judgement *ret)
{
	bool well = ret->by_util == PROFILE_WELL_UTILIZED;

	ret->second = SECOND_POWER;
	if (well && in->power_frac <= in->stalled_power_frac) {
		ret->contradicted = true;
		ret->verdict = PROFILE_UNDERUTILIZED;
		ret->why = arena_printf(
			a,
			"utilisation says %.0f %%, power says idle (%.0f %% of the limit): hung, or tiny kernels",
			in->util_pct, in->power_frac * 100);
	} else if (well && in->power_frac < POWER_WEAK) {
		ret->confidence = LOW;
		ret->why = arena_printf(
			a,
			"mean utilisation %.0f %%, but %.0f %% of the power limit does not confirm it; SM activity would tell",
			in->util_pct, in->power_frac * 100);
	} else {
		ret->why = arena_printf(a, "mean utilisation %.0f %%, power %.0f %% of the limit",
					in->util_pct, in->power_frac * 100);
	}
}

void profile_judge(const struct profile_judged *in, struct arena *a, struct profile_judgement *ret)
{
	bool util = !isnan(in->util_pct), sm = !isnan(in->sm_frac), power = !isnan(in->power_frac);

	*ret = (struct profile_judgement){ .second = SECOND_NONE, .why = "" };
	if (!util && !sm) {
		ret->verdict = ret->by_util = PROFILE_UNREAD;
		ret->why = "neither utilisation nor SM activity could be read";
		return;
	}
	/* a MIG instance has no utilisation, but SM activity */
	double pct = util ? in->util_pct : in->sm_frac * 100;
	if (pct < OVER_PCT)
		ret->by_util = ret->verdict = PROFILE_OVERPROVISIONED;
	else if (pct < UNDER_PCT)
		ret->by_util = ret->verdict = PROFILE_UNDERUTILIZED;
	else
		ret->by_util = ret->verdict = PROFILE_WELL_UTILIZED;
	ret->confidence = in->covered_ms >= SURE_MS ? HIGH : MEDIUM;
	if (!util)
		ret->why = arena_printf(a, "SM activity %.0f %% (utilisation cannot be read)",
					in->sm_frac * 100);
	else if (sm)
		judge_by_sm(in, a, ret);
	else if (power)
		judge_by_power(in, a, ret);
	else
		ret->why = arena_printf(a,
					"mean utilisation %.0f %%, with no second signal beside it",
					in->util_pct);
	if (ret->second == SECOND_NONE)
		ret->confidence = LOW;
	if (in->covered_ms < LEAST_MS || in->readings < LEAST_READINGS) {
		ret->verdict = PROFILE_TOO_SHORT;
		ret->confidence = LOW;
		ret->contradicted = false;
		int digits = in->covered_ms < 10000 ? 1 : 0;
		ret->why = arena_printf(
			a, "%.*f s of readings; a verdict wants %d s and %d readings", digits,
			(double)in->covered_ms / 1000, LEAST_MS / 1000, LEAST_READINGS);
	}
}
