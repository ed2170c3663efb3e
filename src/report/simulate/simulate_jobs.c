#include "report/simulate/simulate_jobs.h"

#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "report/col.h"

#define JOBS struct simulate_jobs

static bool get_used(const void *row, union col_value *ret)
{
	const struct sim_result *r = &((const JOBS *)row)->r;

	ret->x = r->job_gpu_hours / r->paid_gpu_hours;
	return r->paid_gpu_hours > 0;
}

static bool get_cost(const void *row, union col_value *ret)
{
	const JOBS *a = row;

	if (!a->priced)
		return false;
	ret->money = dec_from_double(round(a->r.cost_usd * 100) / 100);
	return true;
}

static bool get_seed(const void *row, union col_value *ret)
{
	ret->n = (int64_t)((const JOBS *)row)->seed;
	return true;
}

/* The digest as a text beside the answer. */
struct printed {
	JOBS a;
	char digest[20];
};

static bool get_digest(const void *row, union col_value *ret)
{
	ret->text = ((const struct printed *)row)->digest;
	return true;
}

#define COUNT(name, member, what)                                                    \
	{                                                                            \
		name, COL_INT, offsetof(JOBS, member), "count", what, .always = true \
	}
#define REAL(name, member, unit, what)                                         \
	{                                                                      \
		name, COL_NUM, offsetof(JOBS, member), unit, what, .digits = 4 \
	}
static const struct col cols[] = {
	COUNT("jobs", r.jobs, "jobs that ran"),
	COUNT("too_large", too_large, "jobs left out: they want more than there is"),
	COUNT("rounded_up", rounded_up,
	      "jobs of a part of a GPU, which were given the whole of it"),
	COUNT("gpus", gpus, "GPUs there are; 0: machines come and go"),
	COUNT("gpus_node", gpus_node, "GPUs of a machine"),
	COUNT("deadline_misses", r.deadline_misses, "jobs that ended after their deadline"),
	COUNT("oom", r.oom, "jobs that ran out of memory"),
	COUNT("interruptions", r.interruptions, "times a job's machine was taken away"),
	COUNT("fallbacks", r.fallbacks, "jobs moved to on-demand machines"),
	REAL("job_gpu_hours", r.job_gpu_hours, "GPU-hours", "held by jobs"),
	REAL("paid_gpu_hours", r.paid_gpu_hours, "GPU-hours", "paid for"),
	REAL("lost_gpu_hours", r.lost_gpu_hours, "GPU-hours",
	     "gone with restarts, checkpoints and work done again"),
	{ "used_frac", COL_NUM, .get = get_used, .unit = "share", .digits = 4,
	  .help = "GPU-hours of jobs, of those paid" },
	REAL("wait_mean_s", r.wait_mean_s, "s", "from submission to start, on average"),
	REAL("wait_p95_s", r.wait_p95_s, "s", "95 % of the jobs wait less"),
	REAL("makespan_h", r.makespan_h, "hours", "from the first submission to the last end"),
	REAL("peak_gpus", r.peak_gpus, "count", "most GPUs in use at once"),
	{ "cost", COL_DEC, .get = get_cost, .unit = "money",
	  .help = "of the GPU-hours paid; null: no price was given" },
	{ "seed", COL_INT, .get = get_seed, .always = true, .help = "of what was drawn by chance" },
	{ "digest", COL_TEXT, .get = get_digest, .always = true,
	  .help = "of all starts and ends: equal runs have equal digests" },
	{ "cpu_s", COL_NUM, offsetof(JOBS, cpu_s), "s", "time this took", .digits = 3,
	  .optional = true },
	{ 0 },
};
const struct col_doc simulate_jobs_doc = { "tare.simulate-jobs/1", "simulate jobs",
					   "jobs on a virtual clock", cols };

void simulate_jobs_print(const struct simulate_jobs *a, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON) {
		struct printed p = { .a = *a };
		struct jw w;

		snprintf(p.digest, sizeof p.digest, "%016llx", (unsigned long long)a->r.digest);
		/* for people too: a line a value */
		jw_init(&w, out, 2);
		jw_obj(&w);
		jw_put_str(&w, "schema", simulate_jobs_doc.schema);
		cols_json_row(cols, &p, &w);
		jw_end_obj(&w);
		str_addc(out, '\n');
		return;
	}

	const struct sim_result *r = &a->r;
	char buf[DEC_BUF];

	if (a->gpus)
		str_addf(out, "%lld job%s on %lld GPUs in machines of %lld\n\n", (long long)r->jobs,
			 plural(r->jobs), (long long)a->gpus, (long long)a->gpus_node);
	else
		str_addf(out, "%lld job%s on machines of %lld GPUs that come and go\n\n",
			 (long long)r->jobs, plural(r->jobs), (long long)a->gpus_node);
	if (a->too_large)
		str_addf(out, "left out           %14lld jobs that want more than there is\n",
			 (long long)a->too_large);
	if (a->rounded_up)
		str_addf(out, "rounded up         %14lld jobs that want a part of a GPU\n",
			 (long long)a->rounded_up);
	str_addf(out, "GPU-hours paid     %16.1f\n", r->paid_gpu_hours);
	str_addf(out, "          of jobs  %16.1f  %.1f %%\n", r->job_gpu_hours,
		 r->paid_gpu_hours > 0 ? 100 * r->job_gpu_hours / r->paid_gpu_hours : 0);
	str_addf(out, "          lost     %16.1f  to restarts, checkpoints, work done again\n",
		 r->lost_gpu_hours);
	if (a->priced)
		str_addf(out, "cost               %16s  $ in all\n",
			 dec_format_people(buf, dec_from_double(r->cost_usd), 2));
	str_addf(out, "most at once       %14.0f    GPUs\n", r->peak_gpus);
	str_addf(out, "first to last end  %16.1f  h\n", r->makespan_h);
	str_addf(out, "wait               %16.1f  s on average, 95 %% under %.0f s\n",
		 r->wait_mean_s, r->wait_p95_s);
	str_addf(out, "deadlines missed   %14lld\n", (long long)r->deadline_misses);
	str_addf(out, "out of memory      %14lld\n", (long long)r->oom);
	str_addf(out, "interruptions      %14lld    %lld job%s moved to on-demand machines\n",
		 (long long)r->interruptions, (long long)r->fallbacks, plural(r->fallbacks));
	str_addf(out, "digest           %016llx    seed %llu: equal runs are equal here\n",
		 (unsigned long long)r->digest, (unsigned long long)a->seed);
	if (!isnan(a->cpu_s))
		str_addf(out, "CPU time           %16.2f  s\n", a->cpu_s);
}
