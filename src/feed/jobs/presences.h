#ifndef TARE_FEED_JOBS_PRESENCES_H
#define TARE_FEED_JOBS_PRESENCES_H
/*
 * Where jobs that hold no GPU were: gathered while a file is read, merged by machine and day, and
 * given at its end. Memory goes with machines x days, not with the jobs, which are many.
 * Zero-initialise.
 */
#include "base/mem.h"
#include "base/str.h"
#include "feed/feed.h"

struct presences {
	struct intern place; /* "cluster\x1fnode" */
	struct str key;
	VEC(struct presences_span) v;
	size_t least;    /* so many are left when they were merged last */
	int64_t last_ms; /* of all that the file speaks of; 0: nothing yet */
};
/* to_ms UNKNOWN_MS: it runs, to the last instant of which the file speaks. goes_on: it runs, and
 * was seen to do so until to_ms. Without a node: nothing. */
void presences_add(struct presences *p, const struct presence *of);
/* The file speaks of this instant too. */
void presences_know(struct presences *p, int64_t t_ms);
int presences_give(struct presences *p, const struct feed_sink *to, struct err *err);
void presences_free(struct presences *p);

/* Pods that are on each machine, or belong to it, are no work that a machine is kept for. */
bool presences_is_work(struct sv namespace_, struct sv controller_kind);

#endif
