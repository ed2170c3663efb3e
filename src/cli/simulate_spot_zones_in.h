#ifndef TARE_CLI_SIMULATE_SPOT_ZONES_IN_H
#define TARE_CLI_SIMULATE_SPOT_ZONES_IN_H
/* Inside of simulate_spot_zones.h: the groups of zones that were asked for, what each policy cost
 * in them, and how that is told. */
#include "cli/simulate_spot_zones.h"
#include "opt/spot_zones.h"

#define MAX_GROUPS 64

struct sum {
	int64_t n, late, interruptions, restarts, moves;
	double usd;
};
struct group {
	struct sv text;
	size_t nzone;
	const char *zone[SPOT_MAX_ZONES];
	int region[SPOT_MAX_ZONES];
	int64_t from, to;                 /* windows */
	bool is_set, use[SPOT_MAX_ZONES]; /* zones that tare uses, once chosen */
	struct sum of[ZP_N];
};
struct zones {
	const struct spot_zones_ask *ask;
	struct group g[MAX_GROUPS];
	size_t n;
	int64_t known_from, known_to, last_window;
};

/* One policy, for spot_json(): ctx is a struct zones. */
void spot_zones_json(struct jw *w, const void *ctx, int p);
void spot_zones_text(const struct zones *s, struct str *out);

#endif
