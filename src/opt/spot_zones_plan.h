#ifndef TARE_OPT_SPOT_ZONES_PLAN_H
#define TARE_OPT_SPOT_ZONES_PLAN_H
/*
 * Inside of the plan for several zones: the chains that were counted, and the value of every situation in them.
 *
 * A state of the market is (zone, its age, another zone up or not, zones mostly up or mostly down of late), or "none up" with the time since. Two chains
 * run over them: of the zone that would be started (`best`), and of a zone that is held, which goes on or is taken away.
 */
#include "opt/spot_zones_tare.h"

#define ZONE_AGES 5
#define ZONE_KINDS 4 /* another zone up, zones mostly up */

struct zone_link { size_t to; double p; };
struct zone_links { struct zone_link *v; size_t n, cap; };

struct spot_zone_plan {
	struct spot_task task;
	size_t nzone, nup, nstate;	  /* states with a zone up come first */
	struct zone_links *best;	  /* [nstate] -> [nstate] */
	struct zone_links *kept, *lost;	  /* [nup] held -> held [nup], and -> what is up then [nstate] */
	double usd_h[SPOT_MAX_ZONES];	  /* mean price while up */
	double stay_h[SPOT_MAX_ZONES][ZONE_AGES]; /* expected hours until taken away */
	double up_frac;			  /* mean share of the zones that are up */
	double restart_usd;		  /* of one restart and the way back on demand, where nothing better is known */
	/* values */
	int J;		     /* ticks of a restart */
	int64_t ticks;	     /* to the deadline */
	double slack_ms;     /* of a step */
	size_t nslack, nmode, every; /* rows of every so many ticks are kept */
	float *v;	     /* [ticks / every + 2][nmode][nslack] */
};

int zone_age(const struct spot_zone_plan *p, int64_t ticks);
/* Learn a tick. */
void zone_see(const struct spot_zone_plan *p, struct spot_zone_seen *e, const bool *has);
size_t zone_state(const struct spot_zone_plan *p, const struct spot_zone_seen *e, int zone);
/* The zone to start, or -1; then the state of the market. */
int zone_best(const struct spot_zone_plan *p, const struct spot_zone_seen *e, const double *usd_h);
size_t zone_market(const struct spot_zone_plan *p, const struct spot_zone_seen *e, const double *usd_h);
/* Count the chains. */
void zone_learn(struct spot_zone_plan *p, const struct spot_zone_history *h, size_t n);

/* Solve. */
int zone_solve(struct spot_zone_plan *p, struct err *err);
/* Expected cost from the next tick on, after a tick of: nothing; on demand or spot with j ticks of its restart behind it (J: running). left: ticks to the
 * deadline at this tick; slack_ms: time left less work left. */
double zone_after_none(const struct spot_zone_plan *p, size_t market, int64_t left, double slack_ms);
double zone_after_od(const struct spot_zone_plan *p, size_t market, int j, int64_t left, double slack_ms);
double zone_after_spot(const struct spot_zone_plan *p, size_t held, int j, int64_t left, double slack_ms);

#endif
