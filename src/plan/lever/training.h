#ifndef TARE_PLAN_LEVER_TRAINING_H
#define TARE_PLAN_LEVER_TRAINING_H
/*
 * The half of the lever advice that rests on the fleet's own runs (lever_training.c). What it has
 * decided by them, the other half (lever_advice.c) does not estimate again.
 */
#include "plan/lever/lever.h"

struct training {
	/* jobs whose curves were replayed, and of a sweep that was judged; worth an item or not */
	struct intern early, sweep;
	size_t few_runs;  /* with curves, of kinds that are too few */
	size_t no_sooner; /* of kinds in which no run would have ended sooner */
};
void training_propose(const struct lever_in *in, struct rec_list *out, struct training *ret);
void training_free(struct training *t);
#endif
