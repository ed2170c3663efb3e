/*
 * tare simulate requests: the telemetry of a serving fleet, container by container: where its idle
 * minutes come from, and how many containers would have served the same requests with percentiles
 * no worse.
 */
#include <errno.h>
#include <math.h>
#include "base/jw.h"
#include "base/percent.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "cli/serving.h"
#include "report/grid.h"
#include "report/text.h"

static const char *const series_opt[S_N] = {
	"duty", "memory", "qps", "queue", "latency", "update"
};

/* ---- what is printed --------------------------------------------------------------------- */

static void json_side(struct jw *w, const char *key, const struct sim_latency *l, int containers,
		      double hours, double queue_ms)
{
	jw_key(w, key);
	jw_obj(w);
	jw_put_int(w, "containers", containers);
	jw_put_num(w, "gpu_hours", hours, 1);
	jw_put_num(w, "p50_ms", l->p50_ms, 0);
	jw_put_num(w, "p95_ms", l->p95_ms, 0);
	jw_put_num(w, "p99_ms", l->p99_ms, 0);
	jw_put_num(w, "queue_p99_ms", queue_ms, 0);
	jw_put_int(w, "slo_violations", l->slo_violations);
	jw_end_obj(w);
}

static void json_idle(const struct serving *y, struct jw *w)
{
	double n = (double)y->s[S_DUTY].v.n;
	jw_key(w, "zero");
	jw_obj(w);
	jw_put_int(w, "minutes", y->zero);
	jw_put_num(w, "frac", (double)y->zero / n, 6);
	for (int i = 0; i < IDLE_N; i++)
		jw_put_int(w, idle_name[i].key, y->idle[i]);
	jw_end_obj(w);
}

static void print_json(const struct serving *y, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.simulate-requests/1");
	jw_put_int(&w, "container_minutes", (int64_t)y->s[S_DUTY].v.n);
	jw_put_int(&w, "containers", y->containers);
	jw_put_num(&w, "step_s", y->step_ms / 1000, 3);
	json_idle(y, &w);
	jw_put_int(&w, "requests", y->requests);
	jw_put_int(&w, "requests_without_latency", y->no_latency);
	jw_put_int(&w, "loads_without_request", y->loads);
	jw_put_int(&w, "unassigned_rows",
		   y->s[S_QPS].nobody + y->s[S_INFER].nobody + y->s[S_QUEUE].nobody);
	jw_put_num(&w, "busy_gpu_hours_by_requests", y->busy_ms / MS_HOUR, 1);
	jw_put_num(&w, "busy_gpu_hours_by_duty", y->duty_ms / MS_HOUR, 1);
	json_side(&w, "before", &y->before, y->most_at_once, y->hours_before, y->queue_before_ms);
	json_side(&w, "after", &y->after, y->replicas, y->hours_after, y->queue_after_ms);
	jw_put_int(&w, "fewest", y->fewest);
	jw_put_num(&w, "headroom_frac", y->headroom, 3);
	jw_put_num(&w, "gpu_hours_saved", y->hours_before - y->hours_after, 1);
	jw_put_num(&w, "saved_frac", 1 - y->hours_after / y->hours_before, 4);
	jw_put_num(&w, "mem_max_gib", y->mem_max / 0x1p30, 1);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void print_idle(const struct cli *c, const struct serving *y, struct str *out)
{
	struct grid g = { 0 };
	grid_add_col(&g, "minutes at 0 %", GRID_RIGHT, false);
	grid_add_col(&g, "of all", GRID_RIGHT, false);
	grid_add_col(&g, "why", GRID_LEFT, true);
	int64_t all = (int64_t)y->s[S_DUTY].v.n, share[IDLE_N + 1];
	__int128 part[IDLE_N];
	for (int i = 0; i < IDLE_N; i++)
		part[i] = y->idle[i];
	share[IDLE_N] = percent_alone(y->zero, all, PERCENT_HUNDREDTHS);
	percent_split(y->zero, IDLE_N, part, share[IDLE_N], share);
	for (int i = 0; i <= IDLE_N; i++) {
		int64_t v = i < IDLE_N ? y->idle[i] : y->zero;
		char buf[DEC_BUF], pct[PERCENT_BUF];
		const char **cell = grid_add_row(&g, i < IDLE_N ? GRID_PLAIN : GRID_TOTAL);
		cell[0] = arena_printf(&g.mem, "%s", dec_format_people(buf, (dec)v * DEC_ONE, 0));
		cell[1] = arena_printf(&g.mem, "%s",
				       percent_text(pct, share[i], PERCENT_HUNDREDTHS, v, all));
		cell[2] = i < IDLE_N ? idle_name[i].text : "";
	}
	grid_table(&g, c->width, c->colour, out);
	grid_free(&g);
}

static void print_text(const struct cli *c, const struct serving *y, struct str *out)
{
	int64_t nobody = y->s[S_QPS].nobody + y->s[S_INFER].nobody + y->s[S_QUEUE].nobody;
	str_addf(out,
		 "%d containers, %zu container-minutes of %g s, %.1f GPU-hours, busy %.1f %%\n\n",
		 y->containers, y->s[S_DUTY].v.n, y->step_ms / 1000, y->hours_before,
		 100 * y->duty_ms / ((double)y->s[S_DUTY].v.n * y->step_ms));
	print_idle(c, y, out);
	str_addf(
		out,
		"\n%lld requests (%lld without a latency, at the median), %lld loads without a request; %lld rows name no container: unassigned.\n",
		(long long)y->requests, (long long)y->no_latency, (long long)y->loads,
		(long long)nobody);
	str_addf(out, "Check: requests take %.1f GPU-hours, the cards were busy for %.1f.\n\n",
		 y->busy_ms / MS_HOUR, y->duty_ms / MS_HOUR);
	str_addf(out, "                     before    after\n");
	str_addf(out, "containers         %8d %8d   fewest %d, and %g %% head-room\n",
		 y->most_at_once, y->replicas, y->fewest, y->headroom * 100);
	str_addf(out, "GPU-hours          %8.1f %8.1f   -%.1f %%\n", y->hours_before,
		 y->hours_after, 100 * (1 - y->hours_after / y->hours_before));
	str_addf(out, "p99 of requests, s %8.2f %8.2f\n", y->before.p99_ms / 1000,
		 y->after.p99_ms / 1000);
	str_addf(out, "p99 in queue, ms   %8.0f %8.0f\n", y->queue_before_ms, y->queue_after_ms);
	if (y->mem_max > 0)
		str_addf(
			out,
			"\nEach container keeps a card of its own: memory (at most %.1f GiB) is as before.\n",
			y->mem_max / 0x1p30);
}

/* ---- together ---------------------------------------------------------------------------- */

static int option(const struct cli *c, const char *name, double lo, double hi, double other,
		  double *ret, struct err *err)
{
	const char *z = cli_value(c, name);
	*ret = other;
	if (z && (sv_f64(sv_trim(sv_of(z)), ret) < 0 || !(*ret >= lo && *ret <= hi)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %g to %g", name, z, lo,
			       hi);
	return 0;
}

static int load_series(const struct cli *c, struct serving *y, enum serie k, struct err *err)
{
	const char *path = cli_value(c, series_opt[k]);
	struct input *in;
	if (!path)
		return 0;
	int r = input_open(path, &in, err);
	if (r < 0)
		return r;
	r = points_read(in, &y->names, &y->s[k], err);
	input_close(in);
	return r;
}

static int load(const struct cli *c, struct serving *y, struct err *err)
{
	double seed = 0, bound = 0;
	int r = option(c, "headroom", 0, 10, 0.2, &y->headroom, err);
	if (r >= 0)
		r = option(c, "memory-bound-gb", 0, 1e6, 10, &bound, err);
	if (r >= 0)
		r = option(c, "slo-ms", 0, 1e9, NAN, &y->slo_ms, err);
	if (r >= 0)
		r = option(c, "seed", 0, 1e15, 1, &seed, err);
	for (int k = 0; k < S_N && r >= 0; k++)
		r = load_series(c, y, (enum serie)k, err);
	y->seed = (uint64_t)seed;
	y->bound_bytes = bound * 1e9;
	if (r >= 0 && y->names.n > 20000)
		r = err_set(err, -E2BIG,
			    "%zu containers are more than can be replayed at a time (20,000)",
			    y->names.n);
	int64_t from = r >= 0 ? y->s[S_DUTY].v.v[0].t_ms : 0,
		to = r >= 0 ? y->s[S_DUTY].v.v[y->s[S_DUTY].v.n - 1].t_ms : 0;
	if (r >= 0 && to - from > 400 * MS_DAY)
		r = err_set(err, -ERANGE, "the duty series spans more than 400 days");
	return r;
}

static int run(struct cli *c)
{
	struct err err = { 0 };
	struct str out = { 0 };
	struct serving y = { 0 };
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (c->output == OUT_CSV || c->output == OUT_HTML)
		return cli_usage_error(c, "this command prints text or -o json");
	if (!cli_value(c, "qps") || !cli_value(c, "duty") || !cli_value(c, "latency"))
		return cli_usage_error(c, "--qps, --duty and --latency are needed");
	int r = load(c, &y, &err);
	if (r >= 0)
		r = serving_replay(&y, &err);
	if (r >= 0 && c->output == OUT_JSON)
		print_json(&y, &out);
	else if (r >= 0)
		print_text(c, &y, &out);
	int code = r == -ENODATA ? (cli_fail(&err), EXIT_INCOMPLETE)
		   : r < 0       ? cli_fail(&err)
				 : cli_write(&out);
	serving_free(&y);
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "duty", "CSV", "utilisation of each container's GPU in percent: time, value, container",
	  0, false, "FILE" },
	{ "qps", "CSV", "rate of requests of each container", 0, false, "FILE" },
	{ "latency", "CSV", "milliseconds that inference took", 0, false, "FILE" },
	{ "queue", "CSV", "milliseconds that requests waited before", 0, false, "FILE" },
	{ "update", "CSV", "milliseconds in which a container loaded a model for a request", 0,
	  false, "FILE" },
	{ "memory", "CSV", "bytes of GPU memory held", 0, false, "FILE" },
	{ "memory-bound-gb", "GB", "more than this held is a loaded model (default: 10)", 0, false,
	  NULL },
	{ "headroom", "F", "containers beyond the fewest, as a share (default: 0.2)", 0, false,
	  NULL },
	{ "slo-ms", "MS", "a bound of latency: violations may not grow", 0, false, NULL },
	{ "seed", "N", "of the instants of requests within a minute (default: 1)", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_simulate_requests_def = {
	.name = "simulate requests",
	.group = "",
	.summary = "idle minutes of a serving fleet by cause, and how many containers would do",
	.usage =
		"--duty CSV --qps CSV --latency CSV [--queue CSV] [--update CSV] [--memory CSV] ...",
	.examples =
		"tare simulate requests --duty pod_gpu_duty_cycle.csv.gz --memory pod_gpu_memory_used_bytes.csv.gz --qps qps.csv.gz \\\n"
		"  --latency pipeline_inference.csv.gz --queue queue_rt.csv.gz --update pipeline_update_latency.csv.gz",
	.about =
		"Each series has the columns time (or timestamp, timestamp_anon), value and container. Rows without a container are counted as unassigned and not\n"
		"replayed. Requests go in order of arrival to any free container and hold it while it loads and infers. The fewest containers are those with which\n"
		"the 99th percentiles of whole requests and of the queue, as measured, do not get worse; head-room comes on top, as one day is one day.\n"
		"Instants within a minute are not in the data: they are drawn with --seed.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
