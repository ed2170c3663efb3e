/*
 * See run_next.h. In ticks of gap from the start of the first attempt, with rem = work left, D =
 * restart:
 *
 *   on demand at the latest tick such that ceil((rem + D) / gap) = ticks to the deadline
 *           (spot_must() of opt/spot/spot.h)
 *   else                      spot_tare(): the least expected cost over the markets believed in,
 *                             after the ticks of all attempts have been seen; an attempt of n ticks
 *                             is n ticks with spot, an interruption one without
 *
 * The next attempt needs a machine again in any case: nothing is held when it is asked.
 */
#include "run/run_next.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/dec.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/tm.h"
#include "opt/spot/spot_dp.h"

#define GAP_MS      600000 /* of the shipped markets */
#define LEAST_TICKS 60     /* a short job is looked at more closely */
/* weight of the mean of all markets in each, as in tare simulate spot */
#define PRIOR_TICKS 20
#define FLOATS_MAX  (64 << 20)
#define GRID_LEAST  24  /* points of work: fewer say nothing */
#define TICKS_SEEN  300 /* of an attempt: more make no difference to what is believed */

static int64_t round_up(int64_t v, int64_t step)
{
	if (v <= 0)
		return 0;
	return (v + step - 1) / step;
}

/* ---- what is asked ----------------------------------------------------------------------- */

static int64_t work_left(const struct run_next_ask *a, int64_t *ret_done)
{
	const struct run_plan *p = a->plan;
	const struct run_known *k = a->known;

	*ret_done = max_i64(k->done_ms, 0);
	if (p->steps > 0 && k->step_us > 0) {
		int64_t done = max_i64(a->safe_step, 0),
			left = p->steps > done ? p->steps - done : 0;
		__int128 left_ms = (__int128)left * k->step_us / 1000,
			 done_ms = (__int128)done * k->step_us / 1000;
		/* ten years */
		if (left_ms > INT64_C(315360000000) || done_ms > INT64_C(315360000000))
			return -1;
		*ret_done = (int64_t)done_ms;
		return (int64_t)left_ms;
	}
	if (p->work_ms <= 0)
		return -1;
	if (p->work_ms > *ret_done)
		return p->work_ms - *ret_done;
	return 0;
}

static bool refuse_why(struct run_next *n, const char *why)
{
	snprintf(n->why, sizeof n->why, "%.190s", why);
	return false;
}

static int64_t start_of(const struct run_next_ask *a)
{
	if (a->known->job_ms > 0 && a->known->job_ms <= a->now_ms)
		return a->known->job_ms;
	return a->now_ms;
}

static bool set_up(const struct run_next_ask *a, struct spot_task *k, struct spot_now *s,
		   struct run_next *n)
{
	int64_t start = start_of(a), done, restart = a->plan->restart_ms;
	struct err err;

	if (restart <= 0 && a->known->cost.restart_ms > 0)
		restart = RUN_BOOT_MS + a->known->cost.restart_ms;
	else if (restart <= 0)
		restart = RUN_BOOT_MS + RUN_RESTORE_MS;
	*n = (struct run_next){ .hold = SPOT_NONE,
				.rule = NULL,
				.left_ms = work_left(a, &done),
				.on_demand_ms = INT64_MIN,
				.done_ms = INT64_MIN,
				.deadline_ms = a->deadline_ms,
				.usd = NAN };
	if (a->deadline_ms == INT64_MAX)
		return refuse_why(n, "there is no deadline");
	if (n->left_ms < 0)
		return refuse_why(n,
				  a->plan->steps > 0
					  ? "how long a step takes is not known yet"
					  : "the work left is not known: give --steps or --work");
	int64_t all = a->deadline_ms - start;
	*k = (struct spot_task){ .gap_ms = GAP_MS,
				 .work_ms = n->left_ms + done,
				 .deadline_ms = all,
				 .overhead_ms = restart };
	if (all / GAP_MS < LEAST_TICKS)
		k->gap_ms = max_i64(all / LEAST_TICKS, 1000);
	if (a->plan->has_prices) {
		k->od_usd_h = (double)a->plan->od_nano * 1e-9;
		k->spot_usd_h = (double)a->plan->spot_nano * 1e-9;
	}
	n->done_ms = a->now_ms + k->overhead_ms + n->left_ms;
	n->late = n->done_ms > a->deadline_ms;
	if (all <= 0 || spot_task_check(k, &err) < 0)
		return refuse_why(n, all <= 0 ? "the deadline has passed" : err.msg);
	*s = (struct spot_now){ .tick = round_up(a->now_ms - start, k->gap_ms),
				.has_spot = !a->taken,
				.last = SPOT_NONE,
				.done_ms = done };
	n->on_demand_ms = start + (k->deadline_ms / k->gap_ms -
				   round_up(n->left_ms + k->overhead_ms, k->gap_ms)) *
					  k->gap_ms;
	return n->known = true;
}

/* ---- the rules --------------------------------------------------------------------------- */

struct markets {
	size_t n;
	int nmemory;
	struct run_market of[SPOT_MAX_MARKETS];
	struct spot_hazard hazard[SPOT_MAX_MARKETS * SPOT_MEMORY];
	struct spot_dp *dp[SPOT_MAX_MARKETS];
};

/* What is left as a task of its own: less to solve. False: too long, or it makes no sense. */
static bool solve_rest(struct markets *m, const struct spot_task *rest)
{
	struct run_market mean = { 0 };
	size_t ticks = (size_t)(rest->deadline_ms / rest->gap_ms) + 1,
	       modes = 1 + 2 * (size_t)round_up(rest->overhead_ms, rest->gap_ms);
	m->nmemory = rest->overhead_ms > rest->gap_ms ? SPOT_MEMORY : 1; /* as tare simulate spot */
	size_t points = FLOATS_MAX / (ticks * 2 * SPOT_AGES * (size_t)m->nmemory * modes * m->n);
	if (points < GRID_LEAST && m->nmemory > 1) {
		/* a long job: rather without memory than by another rule */
		points *= (size_t)m->nmemory;
		m->nmemory = 1;
	}
	int64_t grid = points < GRID_LEAST ? 0 : round_up(rest->work_ms, (int64_t)points - 2);
	struct err err;
	size_t n = m->n;

	if (!grid || spot_task_check(rest, &err) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		spot_counts_merge(&mean.all, &m->of[i].all);
		for (int k = 0; k < SPOT_MEMORY; k++)
			spot_counts_merge(&mean.by_memory[k], &m->of[i].by_memory[k]);
	}
	for (m->n = 0; m->n < n; m->n++) {
		struct spot_hazard *h = &m->hazard[m->n * (size_t)m->nmemory];
		if (m->nmemory > 1)
			spot_hazards_of(m->of[m->n].by_memory, mean.by_memory, PRIOR_TICKS, h);
		else
			spot_hazard_of(&m->of[m->n].all, &mean.all, PRIOR_TICKS, h);
		if (spot_dp_new(rest, h, m->nmemory, max_i64(grid, rest->gap_ms), &m->dp[m->n],
				&err) < 0)
			return false;
	}
	return true;
}

static void see_market(struct spot_belief *b, int64_t ms, int64_t gap_ms, bool interrupted)
{
	int64_t ticks = round_up(ms, gap_ms);

	for (int64_t t = min_i64(ticks, TICKS_SEEN); t > 0; t--)
		spot_belief_see(b, true);
	if (interrupted)
		spot_belief_see(b, false);
}

static bool by_tare(const struct run_next_ask *a, const struct spot_task *k,
		    const struct spot_now *s, struct run_next *n)
{
	struct spot_task rest = {
		k->gap_ms,      n->left_ms,  (k->deadline_ms / k->gap_ms - s->tick) * k->gap_ms,
		k->overhead_ms, k->od_usd_h, k->spot_usd_h
	};
	struct spot_now now = { .has_spot = s->has_spot };
	struct markets *m = xcalloc(1, sizeof *m);
	struct spot_belief b;
	double usd[3];

	if (a->plan->markets)
		m->n = a->plan->markets(a->plan->markets_ctx, k->gap_ms, m->of, SPOT_MAX_MARKETS);
	else
		m->n = 0;
	bool solved = m->n && rest.deadline_ms > 0 && rest.work_ms > 0 && solve_rest(m, &rest);
	if (solved) {
		spot_belief_init(&b, m->n, (const struct spot_dp *const *)m->dp, m->hazard,
				 m->nmemory);
		for (int i = 0; i < a->known->nspell; i++)
			see_market(&b, a->known->spell[i].ms, k->gap_ms,
				   a->known->spell[i].interrupted);
		see_market(&b, a->ran_ms, k->gap_ms, false); /* spot_tare() sees the tick now */
		n->hold = spot_tare(&b, &rest, &now);
		n->rule = "tare";
		spot_belief_cost(&b, &rest, &now, usd);
		n->usd = usd[n->hold] < 1e5 ? usd[n->hold] : NAN;
	}
	for (size_t i = 0; i < m->n; i++)
		spot_dp_free(m->dp[i]);
	free(m);
	return solved;
}

/* What follows from the rule: what to set, and why. */
static void finish_next(const struct run_next_ask *a, struct run_next *n)
{
	char at[TM_BUF], late[TM_BUF];
	const char *rule = text_or(n->rule, "");

	n->set = n->hold == SPOT_OD ? a->plan->on_demand_set : a->plan->spot_set;
	if (n->late)
		snprintf(n->why, sizeof n->why,
			 "even on demand it would be done only at %s, %s late",
			 tm_format(at, n->done_ms),
			 tm_format_span(late, n->done_ms - n->deadline_ms));
	else if (!strcmp(rule, "must"))
		snprintf(n->why, sizeof n->why,
			 "one restart on demand only just fits before the deadline");
	else if (n->hold == SPOT_OD && !strcmp(rule, "price"))
		snprintf(n->why, sizeof n->why, "spot costs no less");
	else if (n->hold == SPOT_OD && !strcmp(rule, "uniform"))
		snprintf(
			n->why, sizeof n->why,
			"spot was taken away, and the work is behind an even pace to the deadline");
	else if (n->hold == SPOT_OD)
		snprintf(n->why, sizeof n->why,
			 "waiting for spot is expected to cost more than it saves");
	else
		snprintf(n->why, sizeof n->why, "%s; on demand by %s at the latest",
			 n->hold == SPOT_SPOT
				 ? "spot costs least"
				 : "spot was taken away, and there is time to wait for it",
			 tm_format(at, n->on_demand_ms));
}

void run_next(const struct run_next_ask *a, struct run_next *n)
{
	struct spot_task k;
	struct spot_now s;

	if (!set_up(a, &k, &s, n))
		return;
	if (spot_must(&k, &s, &n->hold))
		n->rule = "must";
	else if (a->plan->has_prices && a->plan->spot_nano >= a->plan->od_nano) {
		n->hold = SPOT_OD;
		n->rule = "price";
	} else if (!a->plan->has_prices || !by_tare(a, &k, &s, n)) {
		/* the tick under way: its end was asked about above, but nobody is behind for what
		 * has not passed */
		s.tick -= s.tick * k.gap_ms > a->now_ms - start_of(a);
		n->hold = spot_uniform(&k, &s);
		n->rule = "uniform";
	}
	finish_next(a, n);
}

void run_next_fits(const struct run_next_ask *a, struct run_next *n)
{
	struct spot_task k;
	struct spot_now s;

	if (!set_up(a, &k, &s, n))
		return;
	n->hold = SPOT_SPOT;
	if (spot_must(&k, &s, &n->hold))
		n->rule = "must";
	finish_next(a, n);
}

/* ---- telling ----------------------------------------------------------------------------- */

const char *run_next_word(const struct run_next *n)
{
	static const char *const word[] = {
		[SPOT_NONE] = "wait", [SPOT_SPOT] = "spot", [SPOT_OD] = "on_demand"
	};

	if (n->known)
		return word[n->hold];
	return NULL;
}

void run_next_put(struct jw *j, const struct run_next *n)
{
	if (!n->known && !*n->why) {
		jw_null(j);
		return;
	}
	jw_obj(j);
	jw_put_str(j, "hold", run_next_word(n));
	jw_put_text(j, "why", n->why);
	jw_put_str(j, "rule", n->rule);
	jw_put_num(j, "work_left_s", n->left_ms < 0 ? NAN : (double)n->left_ms / 1000, 0);
	jw_put_time(j, "on_demand_by", n->known ? n->on_demand_ms : INT64_MIN);
	jw_put_time(j, "deadline", n->deadline_ms == INT64_MAX ? INT64_MIN : n->deadline_ms);
	jw_key(j, "late");
	if (n->known)
		jw_bool(j, n->late);
	else
		jw_null(j);
	jw_put_nano(j, "expected", n->usd * 1e9);
	jw_put_str(j, "currency", isnan(n->usd) ? NULL : text_or(n->currency, "USD"));
	jw_put_str(j, "set", n->set);
	jw_end_obj(j);
}
