#include "report/cost/figures.h"

#include "model/known.h"

static bool state_known(const struct cube_row *r, enum state s)
{
	if (r->unrecorded)
		return false;
	if (!r->gpu.ms || r->state[s].ms)
		return true;
	if (s == STATE_LOST && r->ends_untold)
		return false;
	if (s == STATE_LOST || s == STATE_OVERHEAD)
		return cube_held_ms(r) > 0;
	if (s == STATE_UNKNOWN)
		return cube_allocated_ms(r) > 0;
	if (s == STATE_UNALLOCATED)
		return !r->unwatched_ms;
	return cube_read_ms(r) > 0;
}

struct figure figure_of(const struct cube_row *r, enum state s)
{
	const struct cube_sum *x = &r->state[s];
	bool known = state_known(r, s);

	return (struct figure){ i64_if(known, x->ms), x->cost,
				known && cost_is_known(x->cost, x->ms, x->unpriced_ms) };
}

struct figures figures_of(const struct cube_row *r)
{
	bool recorded = !r->unrecorded, priced = recorded && r->has_cost,
	     untold = r->has_machines && !r->gpu.ms;

	/* Something of the time is known to have done no work, or to have done some; that none was
	 * wasted wants somebody to tell how jobs ended. */
	bool told = r->waste || state_known(r, STATE_LOST);
	bool read = !r->gpu.ms || cube_read_ms(r) > 0;
	bool idle = r->state[STATE_UNALLOCATED].ms > 0 || r->state[STATE_LOST].ms > 0;
	bool waste_known = told && (read || idle);
	struct figures f = {
		.gpu_ms = i64_if(recorded && !untold, r->gpu.ms),
		.unpriced_ms = i64_if(recorded, r->gpu.unpriced_ms),
		.measured_ms = i64_if(recorded, r->gpu.measured_ms),
		.cost = r->cost,
		.direct = r->direct,
		.idle = r->idle,
		.other = r->state[STATE_NONE].cost,
		.waste = r->waste,
		.has_cost = priced,
		.has_idle = priced && cube_idle_known(r),
		.has_other = recorded,
		.has_waste = priced && waste_known,
	};

	for (int s = STATE_NONE + 1; s < STATE_N; s++)
		f.state[s] = figure_of(r, s);
	return f;
}

#define COST(key, member, has, text)                                           \
	{                                                                      \
		key, COL_DEC, offsetof(struct figures, member), "money", text, \
			offsetof(struct figures, has)                          \
	}
#define TIME(key, member, text)                                                  \
	{                                                                        \
		key, COL_SECONDS, offsetof(struct figures, member), "s", text, 0 \
	}
#define STATE(key, s)                                                    \
	TIME(key "_gpu_seconds", state[s].ms, "GPU time in this state"), \
		COST(key "_cost", state[s].cost, state[s].has_cost, "of it")

const struct col figures_cols[] = {
	TIME("gpu_seconds", gpu_ms, "paid GPU time"),
	COST("cost", cost, has_cost, "all of it"),
	COST("direct_cost", direct, has_cost, "before the idle cost is split"),
	COST("idle_share_cost", idle, has_idle, "its share of the idle cost"),
	COST("other_cost", other, has_other, "of what is no GPU time: storage, network, ..."),
	COST("waste_cost", waste, has_waste, "of time that did no work"),
	TIME("unpriced_gpu_seconds", unpriced_ms, "GPU time without a price"),
	TIME("measured_gpu_seconds", measured_ms, "GPU time whose state was measured"),
	STATE("busy", STATE_BUSY),
	STATE("underused", STATE_UNDERUSED),
	STATE("idle_held", STATE_IDLE_HELD),
	STATE("idle_empty", STATE_IDLE_EMPTY),
	STATE("unallocated", STATE_UNALLOCATED),
	STATE("lost", STATE_LOST),
	STATE("overhead", STATE_OVERHEAD),
	STATE("unknown", STATE_UNKNOWN),
	{ 0 },
};
