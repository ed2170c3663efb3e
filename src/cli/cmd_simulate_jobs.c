/* tare simulate jobs: a list of jobs, or invented ones, on the virtual clock. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include "base/input.h"
#include "base/jw.h"
#include "base/tm.h"
#include "cli/cli.h"
#include "cli/cmds.h"
#include "feed/plan_csv.h"
#include "model/model.h"
#include "sim/jobs_gen.h"

struct setup {
	struct sim_pool pool[2]; /* [1]: on demand, where a deadline would be missed */
	size_t npool;
	struct sim_job like;
	double load_frac, slack_frac;
	int64_t generate;
	uint64_t seed;
	bool priced, timing;
	/* the list */
	struct plan_jobs jobs;
	size_t at;
	int64_t too_large;
	double cpu_s;
};

static int number(const struct cli *c, const char *name, double lo, double hi, double *ret,
		  struct err *err)
{
	const char *v = cli_value(c, name);

	if (v && (sv_f64(sv_of(v), ret) < 0 || !(*ret >= lo && *ret <= hi)))
		return err_set(err, -EINVAL, "--%s: '%s' is no number from %g to %g", name, v, lo,
			       hi);
	return 0;
}

static int whole(const struct cli *c, const char *name, int64_t lo, int64_t hi, int64_t *ret,
		 struct err *err)
{
	const char *v = cli_value(c, name);

	if (v && (sv_i64(sv_of(v), ret) < 0 || *ret < lo || *ret > hi))
		return err_set(err, -EINVAL, "--%s: '%s' is no whole number from %lld to %lld",
			       name, v, (long long)lo, (long long)hi);
	return 0;
}

static int span(const struct cli *c, const char *name, int64_t *ret, struct err *err)
{
	const char *v = cli_value(c, name);

	if (v && !strcmp(v, "0"))
		*ret = 0;
	else if (v && tm_parse_span(sv_of(v), ret) < 0)
		return err_set(err, -EINVAL, "--%s: '%s' is no span such as 5m, 1h or 0", name, v);
	return 0;
}

static int read_options(struct cli *c, struct setup *s, struct err *err)
{
	double usd = NAN, fallback = NAN;
	int64_t seed = 1;
	int r = whole(c, "gpus", 0, 100000000, &s->pool[0].capacity, err);

	if (r < 0 || (r = whole(c, "gpus-node", 1, 100000, &s->pool[0].gpus_node, err)) < 0 ||
	    (r = whole(c, "seed", 0, INT64_MAX, &seed, err)) < 0 ||
	    (r = whole(c, "generate", 1, 1000000000, &s->generate, err)) < 0 ||
	    (r = number(c, "load-frac", 0.001, 1000, &s->load_frac, err)) < 0 ||
	    (r = number(c, "deadline-slack", 0, 1000, &s->slack_frac, err)) < 0 ||
	    (r = number(c, "hazard", 0, 3600, &s->like.hazard_hour, err)) < 0 ||
	    (r = number(c, "usd-gpu-hour", 0, 1e6, &usd, err)) < 0 ||
	    (r = number(c, "fallback-usd-gpu-hour", 0, 1e6, &fallback, err)) < 0 ||
	    (r = span(c, "restart", &s->like.restart_ms, err)) < 0 ||
	    (r = span(c, "checkpoint", &s->like.checkpoint_every_ms, err)) < 0 ||
	    (r = span(c, "stall", &s->like.checkpoint_stall_ms, err)) < 0 ||
	    (r = span(c, "boot", &s->pool[0].boot_ms, err)) < 0 ||
	    (r = span(c, "keep", &s->pool[0].keep_ms, err)) < 0)
		return r;
	s->seed = (uint64_t)seed;
	s->priced = !isnan(usd);
	s->pool[0].usd_gpu_hour = s->priced ? usd : 0;
	if (!isnan(fallback)) {
		s->pool[1] = s->pool[0];
		s->pool[1].capacity = 0;
		s->pool[1].usd_gpu_hour = fallback;
		s->npool = 2;
		s->like.fallback_pool = 1;
	}
	return 0;
}

static int by_start(const void *pa, const void *pb)
{
	const struct plan_job *a = pa, *b = pb;

	if (a->start_ms != b->start_ms)
		return a->start_ms < b->start_ms ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static int read_jobs(struct cli *c, struct setup *s, struct err *err)
{
	struct input *in;
	int r = input_open(cli_value(c, "jobs"), &in, err);

	if (r < 0)
		return r;
	r = plan_jobs_read(in, &s->jobs, err);
	input_close(in);
	if (r >= 0 && s->jobs.v.n)
		qsort(s->jobs.v.v, s->jobs.v.n, sizeof *s->jobs.v.v, by_start);
	return r;
}

static bool is_too_large(const struct setup *s, int64_t gpus)
{
	const struct sim_pool *p = &s->pool[0];

	if (gpus > 1000000)
		return true;
	if (!p->capacity || s->npool > 1)
		return false;
	return gpus > p->gpus_node
		       ? (gpus + p->gpus_node - 1) / p->gpus_node > p->capacity / p->gpus_node
		       : gpus > p->capacity;
}

static int next_of_list(void *ctx, struct sim_job *ret)
{
	struct setup *s = ctx;

	while (s->at < s->jobs.v.n) {
		const struct plan_job *j = &s->jobs.v.v[s->at++];
		int64_t units = j->units > 0 ? j->units : 0;
		if (!units || is_too_large(s, units)) {
			s->too_large += units > 0;
			continue;
		}
		*ret = s->like;
		ret->submit_ms = j->start_ms;
		ret->run_ms = j->length_ms;
		ret->gpus = (int32_t)units;
		ret->deadline_ms = j->deadline_ms != UNKNOWN_MS ? j->deadline_ms
				   : isnan(s->slack_frac)
					   ? INT64_MAX
					   : j->start_ms + (int64_t)((double)j->length_ms *
								     (1 + s->slack_frac));
		if (j->preemptible == 0)
			ret->hazard_hour = 0;
		return 1;
	}
	return 0;
}

static int simulate(struct cli *c, struct setup *s, struct sim_result *ret, struct err *err)
{
	struct jobs_gen g = { .n = s->generate,
			      .gpus = s->pool[0].capacity ? s->pool[0].capacity : 1000,
			      .gpus_max = s->pool[0].capacity < 16 ? s->pool[0].gpus_node : 16,
			      .load_frac = s->load_frac,
			      .seed = s->seed,
			      .like = s->like,
			      .slack_frac = s->slack_frac };
	int r = cli_value(c, "jobs") ? read_jobs(c, s, err) : 0;
	clock_t from = clock();

	if (r < 0)
		return r;
	if (s->pool[0].capacity && g.gpus_max > s->pool[0].capacity)
		g.gpus_max = s->pool[0].capacity;
	r = sim_jobs(s->pool, s->npool, cli_value(c, "jobs") ? next_of_list : jobs_gen_next, NULL,
		     cli_value(c, "jobs") ? (void *)s : &g, s->seed, ret, err);
	s->cpu_s = (double)(clock() - from) / CLOCKS_PER_SEC;
	if (r >= 0 && !ret->jobs)
		return err_set(err, -ENODATA, "there is no job to run");
	return r;
}

static void put_json(const struct cli *c, const struct setup *s, const struct sim_result *r,
		     struct str *out)
{
	struct jw w;
	struct {
		const char *key;
		int64_t v;
	} whole_of[] = {
		{ "jobs", r->jobs },
		{ "too_large", s->too_large },
		{ "gpus", s->pool[0].capacity },
		{ "gpus_node", s->pool[0].gpus_node },
		{ "deadline_misses", r->deadline_misses },
		{ "oom", r->oom },
		{ "interruptions", r->interruptions },
		{ "fallbacks", r->fallbacks },
	};
	struct {
		const char *key;
		double v;
	} real[] = {
		{ "job_gpu_hours", r->job_gpu_hours },
		{ "paid_gpu_hours", r->paid_gpu_hours },
		{ "lost_gpu_hours", r->lost_gpu_hours },
		{ "used_frac", r->paid_gpu_hours > 0 ? r->job_gpu_hours / r->paid_gpu_hours : NAN },
		{ "wait_mean_s", r->wait_mean_s },
		{ "wait_p95_s", r->wait_p95_s },
		{ "makespan_h", r->makespan_h },
		{ "peak_gpus", r->peak_gpus },
	};
	jw_init(&w, out, 2);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.simulate-jobs/1");
	for (size_t i = 0; i < sizeof whole_of / sizeof *whole_of; i++) {
		jw_key(&w, whole_of[i].key);
		jw_int(&w, whole_of[i].v);
	}
	for (size_t i = 0; i < sizeof real / sizeof *real; i++) {
		jw_key(&w, real[i].key);
		jw_num(&w, real[i].v, 4);
	}
	jw_key(&w, "cost");
	if (s->priced)
		jw_dec(&w, dec_from_double(round(r->cost_usd * 100) / 100));
	else
		jw_null(&w);
	jw_key(&w, "seed");
	jw_int(&w, (int64_t)s->seed);
	jw_key(&w, "digest");
	jw_str(&w, arena_printf((struct arena *)&c->mem, "%016llx", (unsigned long long)r->digest));
	if (s->timing) {
		jw_key(&w, "cpu_s");
		jw_num(&w, s->cpu_s, 3);
	}
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void put_table(const struct setup *s, const struct sim_result *r, struct str *out)
{
	const struct sim_pool *p = &s->pool[0];
	char buf[DEC_BUF];

	if (p->capacity)
		str_addf(out, "%lld job%s on %lld GPUs in machines of %lld\n\n", (long long)r->jobs,
			 r->jobs == 1 ? "" : "s", (long long)p->capacity, (long long)p->gpus_node);
	else
		str_addf(out, "%lld job%s on machines of %lld GPUs that come and go\n\n",
			 (long long)r->jobs, r->jobs == 1 ? "" : "s", (long long)p->gpus_node);
	if (s->too_large)
		str_addf(out, "left out           %14lld jobs that want more than there is\n",
			 (long long)s->too_large);
	str_addf(out, "GPU-hours paid     %16.1f\n", r->paid_gpu_hours);
	str_addf(out, "          of jobs  %16.1f  %.1f %%\n", r->job_gpu_hours,
		 r->paid_gpu_hours > 0 ? 100 * r->job_gpu_hours / r->paid_gpu_hours : 0);
	str_addf(out, "          lost     %16.1f  to restarts, checkpoints, work done again\n",
		 r->lost_gpu_hours);
	if (s->priced)
		str_addf(out, "cost               %16s  $ in all\n",
			 dec_format_people(buf, dec_from_double(r->cost_usd), 2));
	str_addf(out, "most at once       %14.0f    GPUs\n", r->peak_gpus);
	str_addf(out, "first to last end  %16.1f  h\n", r->makespan_h);
	str_addf(out, "wait               %16.1f  s on average, 95 %% under %.0f s\n",
		 r->wait_mean_s, r->wait_p95_s);
	str_addf(out, "deadlines missed   %14lld\n", (long long)r->deadline_misses);
	str_addf(out, "out of memory      %14lld\n", (long long)r->oom);
	str_addf(out, "interruptions      %14lld    %lld job%s moved to on-demand machines\n",
		 (long long)r->interruptions, (long long)r->fallbacks,
		 r->fallbacks == 1 ? "" : "s");
	str_addf(out, "digest           %016llx    seed %llu: equal runs are equal here\n",
		 (unsigned long long)r->digest, (unsigned long long)s->seed);
	if (s->timing)
		str_addf(out, "CPU time           %16.2f  s\n", s->cpu_s);
}

static int run(struct cli *c)
{
	struct setup s = { .npool = 1,
			   .like = { .mem_bytes = NAN,
				     .fallback_pool = -1,
				     .restart_ms = 6 * MS_MINUTE,
				     .checkpoint_stall_ms = 20 * MS_SECOND },
			   .load_frac = 0.9,
			   .slack_frac = NAN,
			   .timing = cli_flag(c, "timing") };
	struct err err = { 0 };
	struct sim_result r;
	struct str out = { 0 };
	int code;

	s.pool[0] = (struct sim_pool){ .gpus_node = 8, .mem_bytes = NAN };
	if (c->narg)
		return cli_usage_error(c, "unknown argument '%s'", c->arg[0]);
	if (!cli_value(c, "jobs") == !cli_value(c, "generate"))
		return cli_usage_error(c, "one of --jobs and --generate is needed");
	if (c->output != OUT_TABLE && c->output != OUT_JSON)
		return cli_usage_error(c, "-o: table or json");
	code = read_options(c, &s, &err);
	if (code >= 0)
		code = simulate(c, &s, &r, &err);
	if (code >= 0) {
		if (c->output == OUT_JSON)
			put_json(c, &s, &r, &out);
		else
			put_table(&s, &r, &out);
		code = cli_write(&out);
	} else {
		bool nothing = code == -ENODATA;
		code = cli_fail(&err);
		code = nothing ? EXIT_INCOMPLETE : code;
	}
	plan_jobs_free(&s.jobs);
	str_free(&out);
	return code;
}

static const struct cli_opt opts[] = {
	{ "jobs", "CSV",
	  "jobs: start (or submit, arrival_time), length or end, gpus, deadline?; packed or not", 0,
	  false, "FILE" },
	{ "generate", "N", "invent N jobs instead", 0, false, NULL },
	{ "gpus", "N", "GPUs of the cluster (default 0: machines come and go with the work)", 0,
	  false, NULL },
	{ "gpus-node", "N", "GPUs of a machine (default 8)", 0, false, NULL },
	{ "load-frac", "F", "of invented jobs: share of the GPUs they ask for (default 0.9)", 0,
	  false, NULL },
	{ "deadline-slack", "F",
	  "deadline of jobs without one: start + length x (1 + F) (default: none)", 0, false,
	  NULL },
	{ "hazard", "N", "interruptions an hour (default 0)", 0, false, NULL },
	{ "checkpoint", "SPAN", "time between checkpoints (default 0: none)", 0, false, NULL },
	{ "stall", "SPAN", "what a checkpoint takes (default 20s)", 0, false, NULL },
	{ "restart", "SPAN", "what a restart takes (default 6m)", 0, false, NULL },
	{ "boot", "SPAN", "what a machine takes to come up (default 0)", 0, false, NULL },
	{ "keep", "SPAN", "how long an empty machine is kept (default 0)", 0, false, NULL },
	{ "usd-gpu-hour", "USD", "price of a GPU-hour, for the cost", 0, false, NULL },
	{ "fallback-usd-gpu-hour", "USD",
	  "price on demand, where a job goes that would miss its deadline", 0, false, NULL },
	{ "seed", "N", "of the draws (default 1)", 0, false, NULL },
	{ "timing", NULL, "say how much CPU time it took", 0, false, NULL },
	{ 0 },
};

const struct cli_cmd cmd_simulate_jobs_def = {
	.name = "simulate jobs",
	.group = "",
	.summary =
		"run a list of jobs on the virtual clock: waiting, interruptions, deadlines, cost",
	.usage = "--jobs CSV | --generate N [--gpus N] [--gpus-node N] [--hazard N] ...",
	.examples =
		"tare simulate jobs --jobs philly.csv.gz --gpus 2400\n"
		"tare simulate jobs --generate 1000000 --gpus 10000 --timing\n"
		"tare simulate jobs --jobs jobs.csv --hazard 0.05 --checkpoint 30m --deadline-slack 0.5 --usd-gpu-hour 1.2 --fallback-usd-gpu-hour 4",
	.about =
		"First come, first served; a job may overtake those before it while the oldest of them has waited less than an hour. Jobs of up to one machine run\n"
		"on one machine, larger ones on whole machines. After an interruption a job goes on from its last checkpoint. With a fallback, a job leaves for\n"
		"an on-demand machine where one more interruption could make it late. Same seed, same bytes.",
	.common = CLI_OUTPUT,
	.opt = opts,
	.run = run,
};
