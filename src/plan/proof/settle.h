#ifndef TARE_PLAN_PROOF_SETTLE_H
#define TARE_PLAN_PROOF_SETTLE_H
/*
 * What is paid is machines. A lever that shortens jobs or moves them elsewhere says what it does to
 * the jobs; this says what that does to the machines on which they were: a machine that comes and
 * goes with its jobs is paid as long as it is wanted, one that stays on is paid all the same unless
 * an action gives it back. The difference is a change of its free time, so that a recommendation
 * saves what its actions save and no more.
 */
#include "plan/lever/lever.h"

struct settle; /* an index of who was where, for many recommendations of one lever */
struct settle *settle_new(const struct lever_in *in);
void settle_free(struct settle *s);

/* Do machines of this work's kind (cluster, type, purchase) come and go with their jobs: most of
 * those that ended within the history ended soon after their last job. */
bool settle_comes_and_goes(struct settle *s, const struct workload *w);
/* Is the machine given back when free, by its nature, by the state of the plan, or by r? */
bool settle_is_released(struct settle *s, const struct rec *r, const struct workload *w);

/*
 * After all job changes of r are made: appends the changes of free time of the machines they left.
 * `releases`: the actions of r give free machines of these jobs back (ACTION_RELEASE).
 */
void settle(struct settle *s, struct rec *r, bool releases);

/* What a job pays on a machine that is booted for it and given back after it: factor on the cost of
 * its run alone. */
double settle_overhead(const struct plan_conf *c, int64_t run_ms);

#endif
