#ifndef TARE_CLI_SIMULATE_SPOT_ZONES_H
#define TARE_CLI_SIMULATE_SPOT_ZONES_H
/* tare simulate spot --zones: the part for several zones with prices of their own; see
 * opt/spot_zones.h and sim/spot_zones.h. */
#include "base/jw.h"
#include "cli/cli.h"
#include "feed/spot_trace.h"
#include "opt/spot.h"

/* the policies in the order of the command's table */
enum { ZP_GREEDY, ZP_UNIFORM, ZP_ON_DEMAND, ZP_OFFLINE, ZP_TARE, ZP_N };
struct spot_zones_ask {
	const struct spot_traces *traces;
	struct spot_task task;   /* gap and spot price come from the file */
	const bool *want;        /* [ZP_N] */
	const char *const *name; /* [ZP_N] */
	const char *zones;       /* "a+b=8,c+d=2": together, and how many windows from 0 on */
	const char *known;       /* "50-99": windows the policy tare knows beforehand */
	bool apart;              /* of these only those that share no time with the run */
	double move_usd;         /* transfer of the checkpoint to another region */
};
/* Shared with cmd_simulate_spot.c: a share in ten columns, and the JSON around the policies
 * wanted. */
void spot_percent(struct str *out, double frac);
void spot_json(struct str *out, const bool *want, int n,
	       void (*put)(struct jw *w, const void *ctx, int policy), const void *ctx);
/* Runs and appends the table or the JSON to out. */
int simulate_spot_zones(struct cli *c, const struct spot_zones_ask *ask, struct str *out,
			struct err *err);

#endif
