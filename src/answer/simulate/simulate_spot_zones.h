#ifndef TARE_ANSWER_SIMULATE_SIMULATE_SPOT_ZONES_H
#define TARE_ANSWER_SIMULATE_SIMULATE_SPOT_ZONES_H
/* The same as answer/simulate/simulate_spot.h where several zones are to be had together, each at
 * its price of the tick; see opt/spot/spot_zones.h and sim/spot_zones.h. */
#include "answer/simulate/simulate_spot.h"
#include "opt/spot/spot.h"

struct simulate_zones_ask {
	struct ask ask;        /* only its memory */
	const char *scenarios; /* file with the columns window and spot_price_rle_usd_hour */
	bool want[SPOT_POLICY_N];
	struct spot_task task; /* its tick and spot price come from the file */
	const char *text;      /* the zones as they were asked for: what errors name them by */
	/* [nname] zones of the file, or what their names begin with; "all": every one */
	const char *const *name;
	size_t nname;
	int64_t from, to;             /* windows that are run */
	int64_t known_from, known_to; /* windows that tare knows beforehand */
	bool apart;                   /* of these only those that share no time with the run */
	double move_usd;              /* transfer of the checkpoint to another region */
	/* after each window: so many of them are done; may be NULL */
	void (*progress)(void *ctx, size_t done, size_t of);
	void *ctx;
};
struct simulate_zones_sum {
	int64_t n, late, interruptions, restarts, moves;
	double mean_usd;
};
struct simulate_zones_score {
	const char *policy;
	bool is_bound; /* interruptions and moves are not known */
	struct simulate_zones_sum all;
	/* cost against the bound's and the uniform policy's, less 1; NAN: they did not run */
	double above_bound_frac, above_uniform_frac;
};
struct simulate_zones {
	const struct simulate_zones_score *score; /* [n] of the policies wanted */
	size_t n;
	const char *const *zone; /* [nzone] */
	size_t nzone;
};
/* Returns 0 or a negative errno: -EINVAL for a file, a task or a zone that makes no sense, -ENODATA
 * where the file has none of the windows that tare should know. */
int answer_simulate_zones(const struct simulate_zones_ask *q, struct simulate_zones *ret,
			  struct err *err);
#endif
