/* See advice.h. */
#include "plan/advice.h"
#include "base/sort.h"

#include <stdlib.h>

#include "plan/lever/lever.h"

const struct advice_row advice_kinds[ADVICE_N] = {
	[ADVICE_NONE] = { "", FROM_BILL, "" },
	[ADVICE_BILL_SHARES] = { "bill_shares", FROM_BILL, "GPU part and biggest services" },
	[ADVICE_BILL_CHANGE] = { "bill_change", FROM_BILL, "a month against the one before" },
	[ADVICE_BILL_NO_TEAM] = { "bill_no_team", FROM_BILL, "lines that name no team" },
	[ADVICE_BILL_TRAFFIC] = { "bill_traffic", FROM_BILL, "egress and traffic between zones" },
	[ADVICE_BILL_STORAGE] = { "bill_storage", FROM_BILL, "storage that grows" },
	[ADVICE_BILL_ALWAYS_ON] = { "bill_always_on", FROM_BILL,
				    "machines on demand, day and night" },
	[ADVICE_BILL_UNUSED] = { "bill_unused", FROM_BILL, "commitments that are not used",
				 .always = true },
	[ADVICE_BILL_EMPTY] = { "bill_empty", FROM_BILL,
				"reservations of capacity that stand empty", .always = true },
	[ADVICE_BILL_ENDING] = { "bill_ending", FROM_BILL,
				 "commitments that have ended or end soon" },
	[ADVICE_BILL_REGION] = { "bill_region", FROM_BILL, "the same machines elsewhere" },
	[ADVICE_BILL_SPOT] = { "bill_spot", FROM_BILL, "the same machines as spot" },
	[ADVICE_BILL_GPU] = { "bill_card", FROM_BILL, "another GPU at the same place" },
	[ADVICE_NODES_HELD] = { "nodes_held", FROM_NODES, "GPUs held at once, of those there are" },
	[ADVICE_NODES_STRANDED] = { "nodes_stranded", FROM_NODES,
				    "GPUs without the CPU or memory for a typical job" },
	[ADVICE_NODES_PARTS] = { "nodes_parts", FROM_NODES, "what parts of a GPU leave over" },
	[ADVICE_NODES_NO_FIT] = { "nodes_no_fit", FROM_NODES, "requests that few machines take" },
	[ADVICE_JOBS_FAILED] = { "jobs_failed", FROM_JOBS, "failed jobs, and those begun again" },
	[ADVICE_JOBS_BOOKED] = { "jobs_booked", FROM_JOBS, "time that is booked and not run" },
	[ADVICE_JOBS_WAIT] = { "jobs_wait", FROM_JOBS, "the wait for GPUs" },
	[ADVICE_JOBS_WHO] = { "jobs_who", FROM_JOBS, "who holds most" },
	[ADVICE_JOBS_WEEK] = { "jobs_week", FROM_JOBS, "a week against the one before" },
	[ADVICE_JOBS_MONTH] = { "jobs_month", FROM_JOBS, "a month against the one before" },
	[ADVICE_JOBS_HELD] = { "jobs_held", FROM_JOBS, "GPUs held at once" },
	[ADVICE_JOBS_APART] = { "jobs_apart", FROM_JOBS, "GPUs that owners never take together" },
	[ADVICE_GPUS_IDLE] = { "cards_idle", FROM_TELEMETRY, "idle GPUs, by the clock" },
	[ADVICE_GPUS_HARDLY_USED] = { "cards_hardly_used", FROM_TELEMETRY,
				      "GPUs that hardly ever work" },
	[ADVICE_GPUS_QUIET] = { "cards_quiet", FROM_TELEMETRY, "hours in which few GPUs work" },
	[ADVICE_GPUS_WEEKEND] = { "cards_weekend", FROM_TELEMETRY,
				  "weekends on which few GPUs work" },
	[ADVICE_GPUS_SHARE] = { "cards_share", FROM_TELEMETRY, "GPUs whose work fits on fewer" },
	[ADVICE_GPUS_PEAK] = { "cards_peak", FROM_TELEMETRY, "what the busiest minutes need" },
	[ADVICE_GPUS_HALF] = { "cards_half", FROM_TELEMETRY, "half-used GPUs" },
	[ADVICE_GPUS_SMALLER] = { "cards_smaller", FROM_TELEMETRY,
				  "GPUs with more memory than was ever held" },
	[ADVICE_GPUS_UNUSED] = { "cards_unused", FROM_TELEMETRY,
				 "GPUs that jobs asked for and never used" },
};

const char *advice_input_says(enum advice_input i)
{
	static const char *const says[ADVICE_INPUTS] = {
		[FROM_BILL] = "What the bill says",
		[FROM_JOBS] = "What the jobs say",
		[FROM_TELEMETRY] = "What the telemetry says",
		[FROM_NODES] = "What the machines say",
	};

	return says[i];
}

static dec size_of(const struct rec *r)
{
	if (r->cost_month < 0)
		return -r->cost_month;
	return r->cost_month;
}

static int by_certain_and_size(const void *pa, const void *pb)
{
	const struct rec *a = *(struct rec *const *)pa, *b = *(struct rec *const *)pb;

	/* money that is certain stands before what may be saved */
	if (advice_kinds[a->kind].always != advice_kinds[b->kind].always) {
		if (advice_kinds[a->kind].always)
			return -1;
		return 1;
	}
	if (a->has_cost != b->has_cost) {
		if (a->has_cost)
			return -1;
		return 1;
	}
	if (a->has_cost && size_of(a) != size_of(b)) {
		if (size_of(a) > size_of(b))
			return -1;
		return 1;
	}
	return strcmp(a->id, b->id);
}

void advice_told(const struct lever_in *in, struct rec_list *out)
{
	static void (*const say[])(const struct lever_in *in, struct rec_list *out) = {
		bill_alone,      bill_machines, bill_prices, nodes_alone,
		telemetry_alone, jobs_unused,   jobs_alone,
	};
	size_t first = out->v.n;

	for (size_t i = 0; i < sizeof say / sizeof *say; i++)
		say[i](in, out);
	if (out->v.n > first)
		sort_items(out->v.v + first, out->v.n - first, sizeof *out->v.v,
			   by_certain_and_size);
}
