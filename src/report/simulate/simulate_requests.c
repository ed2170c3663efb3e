#include "report/simulate/simulate_requests.h"

#include <math.h>

#include "base/percent.h"
#include "base/tm.h"
#include "report/col.h"
#include "report/grid.h"

static const char *const idle_text[IDLE_WHY_N] = {
	[IDLE_SERVING] = "a request was served; the reading met a pause",
	[IDLE_LOADING] = "a model was being loaded",
	[IDLE_BETWEEN] = "model held, waiting between requests of an hour",
	[IDLE_HOUR] = "model held, no request in the whole hour",
	[IDLE_EMPTY] = "nothing loaded: little memory held",
	[IDLE_UNKNOWN] = "memory not known",
};

#define SIDE struct simulate_requests_side
#define REQS struct simulate_requests

static const struct col side_cols[] = {
	{ "containers", COL_I32, offsetof(SIDE, containers), "count", "each with a GPU of its own",
	  .always = true },
	{ "gpu_hours", COL_NUM, offsetof(SIDE, gpu_hours), "GPU-hours", "of all its containers",
	  .digits = 1 },
	{ "p50_ms", COL_NUM, offsetof(SIDE, latency.p50_ms), "ms",
	  "half of the requests are done sooner" },
	{ "p95_ms", COL_NUM, offsetof(SIDE, latency.p95_ms), "ms", "95 % are done sooner" },
	{ "p99_ms", COL_NUM, offsetof(SIDE, latency.p99_ms), "ms", "99 % are done sooner" },
	{ "queue_p99_ms", COL_NUM, offsetof(SIDE, queue_p99_ms), "ms",
	  "99 % wait less in the queue; null: no request did" },
	{ "slo_violations", COL_INT, offsetof(SIDE, latency.slo_violations), "count",
	  "requests that took longer than the bound", .always = true },
	{ 0 },
};

static bool get_zero_frac(const void *row, union col_value *ret)
{
	const REQS *y = row;

	ret->x = (double)y->zero / (double)y->minutes;
	return isfinite(ret->x);
}

#define IDLE(why, name, what)                                                             \
	{                                                                                 \
		name, COL_INT, offsetof(REQS, idle[why]), "minutes", what, .always = true \
	}
static const struct col zero_cols[] = {
	{ "minutes", COL_INT, offsetof(REQS, zero), "minutes", "container-minutes at 0 %",
	  .always = true },
	{ "frac", COL_NUM, .get = get_zero_frac, .unit = "share", .digits = 6,
	  .help = "of all container-minutes" },
	IDLE(IDLE_SERVING, "serving", "a request was served; the reading met a pause"),
	IDLE(IDLE_LOADING, "loading", "a model was being loaded"),
	IDLE(IDLE_BETWEEN, "warm_between_requests",
	     "model held, waiting between requests of an hour"),
	IDLE(IDLE_HOUR, "warm_no_request_in_hour", "model held, no request in the whole hour"),
	IDLE(IDLE_EMPTY, "empty", "nothing loaded: little memory held"),
	IDLE(IDLE_UNKNOWN, "unknown", "memory not known"),
	{ 0 },
};

static bool get_saved(const void *row, union col_value *ret)
{
	const REQS *y = row;

	ret->x = y->before.gpu_hours - y->after.gpu_hours;
	return isfinite(ret->x);
}

static bool get_saved_frac(const void *row, union col_value *ret)
{
	const REQS *y = row;

	ret->x = 1 - y->after.gpu_hours / y->before.gpu_hours;
	return isfinite(ret->x);
}

static const struct col cols[] = {
	{ "container_minutes", COL_INT, offsetof(REQS, minutes), "count",
	  "readings of utilisation, one a container and step", .always = true },
	{ "containers", COL_I32, offsetof(REQS, containers), "count", "containers seen",
	  .always = true },
	{ "step_s", COL_NUM, .at = offsetof(REQS, step_ms), .per = 1000, .unit = "s", .digits = 3,
	  .always = true, .help = "between two readings of a container" },
	/* members of the answer itself */
	{ "zero", COL_ROW, 0, NULL, "container-minutes at 0 %, by what the container did",
	  .sub = zero_cols },
	{ "requests", COL_INT, offsetof(REQS, requests), "count", "requests replayed",
	  .always = true },
	{ "requests_without_latency", COL_INT, offsetof(REQS, no_latency), "count",
	  "of them taken at the median", .always = true },
	{ "loads_without_request", COL_INT, offsetof(REQS, loads), "count",
	  "models loaded with no request", .always = true },
	{ "unassigned_rows", COL_INT, offsetof(REQS, nobody), "count",
	  "rows of requests that name no container", .always = true },
	{ "busy_gpu_hours_by_requests", COL_NUM, .at = offsetof(REQS, busy_ms), .per = MS_HOUR,
	  .unit = "GPU-hours", .digits = 1, .always = true, .help = "what the requests take" },
	{ "busy_gpu_hours_by_duty", COL_NUM, .at = offsetof(REQS, duty_ms), .per = MS_HOUR,
	  .unit = "GPU-hours", .digits = 1, .always = true,
	  .help = "what utilisation says: a check of the former" },
	{ "before", COL_ROW, offsetof(REQS, before), NULL,
	  "as measured, with the most containers seen at once", .sub = side_cols },
	{ "after", COL_ROW, offsetof(REQS, after), NULL, "with the fewest and head-room",
	  .sub = side_cols },
	{ "fewest", COL_I32, offsetof(REQS, fewest), "count",
	  "containers that would do, without head-room", .always = true },
	{ "headroom_frac", COL_NUM, offsetof(REQS, headroom), "share",
	  "containers beyond the fewest, as asked", .digits = 3 },
	{ "gpu_hours_saved", COL_NUM, .get = get_saved, .unit = "GPU-hours", .digits = 1,
	  .help = "before less after" },
	{ "saved_frac", COL_NUM, .get = get_saved_frac, .unit = "share", .digits = 4,
	  .help = "of those before" },
	{ "mem_max_gib", COL_NUM, .at = offsetof(REQS, mem_max), .per = 0x1p30, .unit = "GiB",
	  .digits = 1, .help = "most memory that a container held" },
	{ 0 },
};
const struct col_doc simulate_requests_doc = { "tare.simulate-requests/1", "simulate requests",
					       "requests of inference on fewer containers", cols };

void simulate_requests_print(const struct simulate_requests *y, const struct out_as *as,
			     struct str *out)
{
	if (as->format == OUT_JSON) {
		cols_doc(&simulate_requests_doc, y, out);
		return;
	}

	str_addf(out,
		 "%d containers, %lld container-minutes of %g s, %.1f GPU-hours, busy %.1f %%\n\n",
		 y->containers, (long long)y->minutes, y->step_ms / 1000, y->before.gpu_hours,
		 100 * y->duty_ms / ((double)y->minutes * y->step_ms));

	struct grid g = { 0 };
	grid_add_col(&g, "minutes at 0 %", GRID_RIGHT, false);
	grid_add_col(&g, "of all", GRID_RIGHT, false);
	grid_add_col(&g, "why", GRID_LEFT, true);
	int64_t all = y->minutes, share[IDLE_WHY_N + 1];
	__int128 part[IDLE_WHY_N];
	for (int i = 0; i < IDLE_WHY_N; i++)
		part[i] = y->idle[i];
	share[IDLE_WHY_N] = percent_alone(y->zero, all, PERCENT_HUNDREDTHS);
	percent_split(y->zero, IDLE_WHY_N, part, share[IDLE_WHY_N], share);
	for (int i = 0; i <= IDLE_WHY_N; i++) {
		int64_t v = i < IDLE_WHY_N ? y->idle[i] : y->zero;
		char buf[DEC_BUF], pct[PERCENT_BUF];
		const char **cell = grid_add_row(&g, i < IDLE_WHY_N ? GRID_PLAIN : GRID_TOTAL);
		cell[0] = arena_printf(&g.mem, "%s", dec_format_people(buf, (dec)v * DEC_ONE, 0));
		cell[1] = arena_printf(&g.mem, "%s",
				       percent_text(pct, share[i], PERCENT_HUNDREDTHS, v, all));
		cell[2] = i < IDLE_WHY_N ? idle_text[i] : "";
	}
	grid_table(&g, as->width, as->colour, out);
	grid_free(&g);
	str_addf(
		out,
		"\n%lld requests (%lld without a latency, at the median), %lld loads without a request; %lld rows name no container: unassigned.\n",
		(long long)y->requests, (long long)y->no_latency, (long long)y->loads,
		(long long)y->nobody);
	str_addf(out, "Check: requests take %.1f GPU-hours, the GPUs were busy for %.1f.\n\n",
		 y->busy_ms / MS_HOUR, y->duty_ms / MS_HOUR);
	str_addf(out, "                     before    after\n");
	str_addf(out, "containers         %8d %8d   fewest %d, and %g %% head-room\n",
		 y->before.containers, y->after.containers, y->fewest, y->headroom * 100);
	str_addf(out, "GPU-hours          %8.1f %8.1f   -%.1f %%\n", y->before.gpu_hours,
		 y->after.gpu_hours, 100 * (1 - y->after.gpu_hours / y->before.gpu_hours));
	str_addf(out, "p99 of requests, s %8.2f %8.2f\n", y->before.latency.p99_ms / 1000,
		 y->after.latency.p99_ms / 1000);
	str_addf(out, "p99 in queue, ms   %8.0f %8.0f\n", y->before.queue_p99_ms,
		 y->after.queue_p99_ms);
	if (y->mem_max > 0)
		str_addf(
			out,
			"\nEach container keeps a GPU of its own: memory (at most %.1f GiB) is as before.\n",
			y->mem_max / 0x1p30);
}
