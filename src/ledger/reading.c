/* What one reading says: the thresholds between busy, underused, held and empty. */
#include <math.h>

#include "ledger/reading.h"

/* Power alone contradicts utilisation only where that claims a (nearly) fully busy GPU; small
 * kernels at 30 % may well draw little. */
#define POWER_CONTRADICTS_UTIL_PCT 90.0

struct reading reading_of(const struct attrib_conf *conf, double mem_total_bytes, double tdp_w,
			  const struct sample *s)
{
	double util = s->value[METRIC_GPU_UTIL_PCT], sm = s->value[METRIC_SM_ACTIVE_FRAC];
	struct reading r = { READ_NONE, false, 0 };
	if (!(util >= 0)) /* NAN, or rubbish below zero */
		util = NAN;
	/* MIG instances have no utilisation; and a zero beside active SMs is a counter that does
	 * not work. */
	if (isnan(util) || (util <= conf->idle_util_pct && sm > conf->stalled_sm_frac)) {
		if (!(sm >= 0))
			return r;
		util = sm * 100;
		r.estimated = true;
	}
	if (util > 100)
		util = 100;
	r.util_ppm = (int32_t)lround(util * 10000);
	if (util <= conf->idle_util_pct) {
		double used = s->value[METRIC_MEM_USED_BYTES],
		       total = s->value[METRIC_MEM_TOTAL_BYTES], bound = conf->empty_bytes;
		if (isnan(total))
			total = mem_total_bytes;
		if (!isnan(total) && conf->empty_frac * total > bound)
			bound = conf->empty_frac * total;
		if (isnan(used))
			r.class = READ_HELD_NO_MEMORY;
		else if (used <= bound)
			r.class = READ_EMPTY;
		else
			r.class = READ_HELD;
		r.estimated |= isnan(used);
		return r;
	}
	r.class = util < conf->underused_util_pct ? READ_UNDERUSED : READ_BUSY;

	/* Does anything say that a GPU which claims to be busy does no work? */
	double power = s->value[METRIC_POWER_W];
	bool stalled = util >= POWER_CONTRADICTS_UTIL_PCT &&
		       power <= conf->stalled_power_frac_tdp * tdp_w;
	if (!isnan(sm))
		stalled = sm <= conf->stalled_sm_frac;
	if (r.class == READ_BUSY && stalled) {
		r.class = READ_STALLED;
		r.estimated = true;
	}
	return r;
}

void reading_state(const struct reading *r, enum state *ret_state, enum cause *ret_cause)
{
	static const struct {
		enum state state;
		enum cause cause;
	} of[] = {
		[READ_NONE] = { STATE_UNKNOWN, CAUSE_UNREAD },
		[READ_BUSY] = { STATE_BUSY, CAUSE_NONE },
		[READ_UNDERUSED] = { STATE_UNDERUSED, CAUSE_UNKNOWN },
		[READ_STALLED] = { STATE_IDLE_HELD, CAUSE_STALLED },
		[READ_HELD] = { STATE_IDLE_HELD, CAUSE_NONE },
		[READ_HELD_NO_MEMORY] = { STATE_IDLE_HELD, CAUSE_NONE },
		[READ_EMPTY] = { STATE_IDLE_EMPTY, CAUSE_WAITING },
	};
	*ret_state = of[r->class].state;
	*ret_cause = of[r->class].cause;
}
