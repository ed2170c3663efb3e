#ifndef TARE_OPT_SPOT_SPOT_ZONES_PLAN_H
#define TARE_OPT_SPOT_SPOT_ZONES_PLAN_H
/*
 * Inside of the plan for several zones: the chains that were counted, and the value of every
 * situation in them.
 *
 * A state of the market is (zone, its age, another zone up or not, zones mostly up or mostly down
 * of late), or "none up" with the time since. Two chains run over them: of the zone that would be
 * started (`best`), and of a zone that is held, which goes on or is taken away. Where the time of
 * day is known there is a chain of each kind for every hour of the week.
 */
#include "opt/spot/spot_zones_tare.h"

#define ZONE_AGES  5
#define ZONE_KINDS 4 /* another zone up, zones mostly up */
#define ZONE_HOURS 9 /* of the week: eight parts of working days, and the weekend */

struct zone_link {
	size_t to;
	double p;
};
struct zone_links {
	struct zone_link *v;
	size_t n, cap;
};

struct spot_zone_plan {
	struct spot_task task;
	size_t nzone, nup, nstate; /* states with a zone up come first */
	int64_t start_ms;          /* of the task; or SPOT_NO_CLOCK */
	size_t nhour;              /* ZONE_HOURS, or 1: time of day not known */
	struct zone_links *best;   /* [nhour][nstate] -> [nstate] */
	/* [nhour][nup] held -> held [nup], and -> what is up then [nstate] */
	struct zone_links *kept, *lost;
	double usd_h[SPOT_MAX_ZONES];             /* mean price while up */
	double stay_h[SPOT_MAX_ZONES][ZONE_AGES]; /* expected hours until taken away */
	double up_frac;                           /* mean share of the zones that are up */
	/* of one restart and the way back on demand, where nothing better is known */
	double restart_usd;
	/* values */
	int J;                       /* ticks of a restart */
	int64_t ticks;               /* to the deadline */
	double slack_ms;             /* of a step */
	size_t nslack, nmode, every; /* rows of every so many ticks are kept */
	float *v;                    /* [ticks / every + 2][nmode][nslack] */
};

int zone_age(const struct spot_zone_plan *p, int64_t ticks);
/* Learn a tick. */
void zone_see(const struct spot_zone_plan *p, struct spot_zone_seen *e, const bool *has);
size_t zone_state(const struct spot_zone_plan *p, const struct spot_zone_seen *e, int zone);
/* The state of the market. */
size_t zone_market(const struct spot_zone_plan *p, const struct spot_zone_seen *e,
		   const double *usd_h);
void zone_chains_free(struct spot_zone_plan *p);

/* Hours of the week. */
static inline bool zone_has_clock(int64_t start_ms)
{
	return start_ms > -INT64_MAX / 4 && start_ms < INT64_MAX / 4;
}
struct zone_hours;
size_t zone_hour(int64_t ms);
struct zone_hours *zone_hours_new(const struct spot_zone_plan *p);
void zone_hours_free(struct zone_hours *h);
/* One tick seen in that hour: of the zone that would be started; of a zone that is held. */
void zone_hours_best(struct zone_hours *h, const struct spot_zone_plan *p, size_t hour, size_t from,
		     size_t to);
void zone_hours_held(struct zone_hours *h, const struct spot_zone_plan *p, size_t hour, size_t from,
		     bool kept, size_t to);
/* From the chains of all hours together (nhour 1) to those of each. */
void zone_hours_bend(const struct zone_hours *h, struct spot_zone_plan *p);

/*
 * From the task and the chains of p its values: J, ticks, slack_ms, nslack, nmode, every, v (owned,
 * free() it). 0, or -E2BIG: restarts of so many ticks in so many zones do not fit into 64 MiB.
 * O(ticks * links * J * nslack) time.
 */
int zone_solve(struct spot_zone_plan *p, struct err *err);
/* Expected cost from the next tick on, after a tick of: nothing; on demand or spot with j ticks of
 * its restart behind it (J: running). left: ticks to the deadline at this tick; slack_ms: time left
 * less work left. */
double zone_after_none(const struct spot_zone_plan *p, size_t market, int64_t left,
		       double slack_ms);
double zone_after_od(const struct spot_zone_plan *p, size_t market, int j, int64_t left,
		     double slack_ms);
double zone_after_spot(const struct spot_zone_plan *p, size_t held, int j, int64_t left,
		       double slack_ms);

#endif
