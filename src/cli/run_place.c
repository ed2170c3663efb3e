/* Where this attempt of tare run is: so that what it sees of interruptions counts for that place
 * (spot/run_known.h). */
#include <stdlib.h>
#include <string.h>

#include "cli/run_ask.h"
#include "spot/run_known.h"

/* What the settings or the line say; the cloud is asked only where they do not, and where its
 * notices are asked for anyway. */
void run_place_find(struct run_ask *a)
{
	const char *own = cli_value(a->c, "place"), *sources = a->o.notice.sources;
	const struct rate_ask *g = &a->given, *s = &a->settings;
	char *place = arena_zalloc(&a->c->mem, RUN_PLACE);
	struct rate_ask cloud = { 0 };

	if (!own && !s->zone && !(sources && !strcmp(sources, "none")))
		rate_place(&a->c->mem, &cloud);
	const char *const word[] = { own,
				     g->region   ? g->region
				     : s->region ? s->region
						 : cloud.region,
				     s->zone ? s->zone : cloud.zone,
				     g->instance_type   ? g->instance_type
				     : s->instance_type ? s->instance_type
							: cloud.instance_type,
				     getenv("SLURM_JOB_PARTITION") };
	for (size_t i = 0; i < sizeof word / sizeof *word; i++)
		run_place_add(place, word[i]);
	a->o.place = place;
}
