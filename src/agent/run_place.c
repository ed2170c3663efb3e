/* Where this attempt of tare run is: so that what it sees of interruptions counts for that place
 * (run/run_known.h). */
#include <stdlib.h>
#include <string.h>

#include "agent/run.h"
#include "base/str.h"
#include "run/run_known.h"

/* What the settings or the line say; the cloud is asked only where they do not, and where its
 * notices are asked for anyway. */
void run_place_find(struct run_money *a)
{
	const char *own = a->place, *sources = a->o->notice.sources;
	const struct rate_ask *g = &a->given, *s = &a->settings;
	char *place = arena_zalloc(a->mem, RUN_PLACE);
	struct rate_ask cloud = { 0 };

	bool may_ask = strcmp(text_or(sources, ""), "none") != 0;

	if (!own && !s->zone && may_ask)
		rate_place(a->mem, &cloud);
	const char *region = text_or(s->region, cloud.region);
	const char *type = text_or(s->instance_type, cloud.instance_type);
	const char *const word[] = { own, text_or(g->region, region), text_or(s->zone, cloud.zone),
				     text_or(g->instance_type, type),
				     getenv("SLURM_JOB_PARTITION") };
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		run_place_add(place, word[i]);
	a->o->place = place;
}
