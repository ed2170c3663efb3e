#ifndef TARE_PLAN_KNOWN_USE_H
#define TARE_PLAN_KNOWN_USE_H
/*
 * Of which machines somebody tells what they are used for, at any time: a job on them, readings, or
 * who says that nobody held them. Beside jobs of others a machine that only a bill knows may be one
 * that was forgotten: it is found out about before anything is bound for it. Where no job at all is
 * known the bill's own time is all there is, and counts as use.
 */
#include "base/str.h"
#include "plan/fleet/fleet.h"

struct known_use {
	struct intern node;
	struct intern model; /* GPUs of jobs that name no machine, which may be on any with them */
	bool jobs;           /* of somebody, anywhere */
	bool any;            /* a job names neither machine nor GPU */
};
void known_use_find(const struct fleet *f, struct known_use *ret);
void known_use_free(struct known_use *k);
/* Time of a machine that nobody is known to use. */
bool known_use_none(const struct known_use *k, const struct workload *w);

#endif
