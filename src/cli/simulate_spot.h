#ifndef TARE_CLI_SIMULATE_SPOT_H
#define TARE_CLI_SIMULATE_SPOT_H
/* Inside tare simulate spot: cmd_simulate_spot.c reads what is asked and runs it,
 * simulate_spot_view.c tells what came of it. */
#include "base/dec.h"
#include "base/err.h"
#include "base/jw.h"
#include "base/mem.h"
#include "cli/spot_prior.h"
#include "feed/spot_trace.h"
#include "opt/spot.h"

#define SPOT_SIM_LIST 16 /* deadlines, restarts */

enum spot_sim_policy { P_GREEDY, P_UNIFORM, P_ON_DEMAND, P_OFFLINE, P_TARE, P_N };
extern const char *const spot_policy_name[P_N];

struct spot_sum {
	int64_t n, spot_ms, od_ms, late, interruptions, restarts;
};
struct spot_cell {
	int64_t overhead_ms, deadline_ms;
	struct spot_sum of[P_N];
};
struct spot_sim {
	struct spot_traces traces;
	struct spot_prior prior;
	struct spot_task task; /* deadline and overhead vary */
	dec od, spot;
	int64_t deadline_ms[SPOT_SIM_LIST], restart_ms[SPOT_SIM_LIST], windows;
	int ndeadline, nrestart;
	bool want[P_N];
	struct spot_sum all[P_N], half[P_N][2]; /* half: windows of even and odd number */
	VEC(struct spot_cell) cell;
};

void spot_put_policy(struct jw *w, const void *ctx, int policy); /* ctx: the struct spot_sim */
void spot_put_table(const struct spot_sim *s, struct str *out);

#endif
