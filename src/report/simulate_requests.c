#include "report/simulate_requests.h"

#include "base/jw.h"
#include "base/percent.h"
#include "base/tm.h"
#include "report/grid.h"

static const struct {
	const char *key, *text;
} idle_name[IDLE_WHY_N] = {
	[IDLE_SERVING] = { "serving", "a request was served; the reading met a pause" },
	[IDLE_LOADING] = { "loading", "a model was being loaded" },
	[IDLE_BETWEEN] = { "warm_between_requests",
			   "model held, waiting between requests of an hour" },
	[IDLE_HOUR] = { "warm_no_request_in_hour", "model held, no request in the whole hour" },
	[IDLE_EMPTY] = { "empty", "nothing loaded: little memory held" },
	[IDLE_UNKNOWN] = { "unknown", "memory not known" },
};

static void json_side(struct jw *w, const char *key, const struct simulate_requests_side *s)
{
	const struct sim_latency *l = &s->latency;

	jw_key(w, key);
	jw_obj(w);
	jw_put_int(w, "containers", s->containers);
	jw_put_num(w, "gpu_hours", s->gpu_hours, 1);
	jw_put_num(w, "p50_ms", l->p50_ms, 0);
	jw_put_num(w, "p95_ms", l->p95_ms, 0);
	jw_put_num(w, "p99_ms", l->p99_ms, 0);
	jw_put_num(w, "queue_p99_ms", s->queue_p99_ms, 0);
	jw_put_int(w, "slo_violations", l->slo_violations);
	jw_end_obj(w);
}

static void json_idle(const struct simulate_requests *y, struct jw *w)
{
	double n = (double)y->minutes;
	jw_key(w, "zero");
	jw_obj(w);
	jw_put_int(w, "minutes", y->zero);
	jw_put_num(w, "frac", (double)y->zero / n, 6);
	for (int i = 0; i < IDLE_WHY_N; i++)
		jw_put_int(w, idle_name[i].key, y->idle[i]);
	jw_end_obj(w);
}

static void print_json(const struct simulate_requests *y, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.simulate-requests/1");
	jw_put_int(&w, "container_minutes", y->minutes);
	jw_put_int(&w, "containers", y->containers);
	jw_put_num(&w, "step_s", y->step_ms / 1000, 3);
	json_idle(y, &w);
	jw_put_int(&w, "requests", y->requests);
	jw_put_int(&w, "requests_without_latency", y->no_latency);
	jw_put_int(&w, "loads_without_request", y->loads);
	jw_put_int(&w, "unassigned_rows", y->nobody);
	jw_put_num(&w, "busy_gpu_hours_by_requests", y->busy_ms / MS_HOUR, 1);
	jw_put_num(&w, "busy_gpu_hours_by_duty", y->duty_ms / MS_HOUR, 1);
	json_side(&w, "before", &y->before);
	json_side(&w, "after", &y->after);
	jw_put_int(&w, "fewest", y->fewest);
	jw_put_num(&w, "headroom_frac", y->headroom, 3);
	jw_put_num(&w, "gpu_hours_saved", y->before.gpu_hours - y->after.gpu_hours, 1);
	jw_put_num(&w, "saved_frac", 1 - y->after.gpu_hours / y->before.gpu_hours, 4);
	jw_put_num(&w, "mem_max_gib", y->mem_max / 0x1p30, 1);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void print_idle(const struct simulate_requests *y, const struct out_as *as, struct str *out)
{
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
		cell[2] = i < IDLE_WHY_N ? idle_name[i].text : "";
	}
	grid_table(&g, as->width, as->colour, out);
	grid_free(&g);
}

static void print_text(const struct simulate_requests *y, const struct out_as *as, struct str *out)
{
	int64_t nobody = y->nobody;
	str_addf(out,
		 "%d containers, %lld container-minutes of %g s, %.1f GPU-hours, busy %.1f %%\n\n",
		 y->containers, (long long)y->minutes, y->step_ms / 1000, y->before.gpu_hours,
		 100 * y->duty_ms / ((double)y->minutes * y->step_ms));
	print_idle(y, as, out);
	str_addf(
		out,
		"\n%lld requests (%lld without a latency, at the median), %lld loads without a request; %lld rows name no container: unassigned.\n",
		(long long)y->requests, (long long)y->no_latency, (long long)y->loads,
		(long long)nobody);
	str_addf(out, "Check: requests take %.1f GPU-hours, the cards were busy for %.1f.\n\n",
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
			"\nEach container keeps a card of its own: memory (at most %.1f GiB) is as before.\n",
			y->mem_max / 0x1p30);
}

void simulate_requests_print(const struct simulate_requests *y, const struct out_as *as,
			     struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(y, out);
	else
		print_text(y, as, out);
}
