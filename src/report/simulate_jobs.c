#include "report/simulate_jobs.h"

#include <math.h>
#include <stdio.h>

#include "base/jw.h"

static void put_json(const struct simulate_jobs *a, struct str *out)
{
	const struct sim_result *r = &a->r;
	char digest[20];
	struct jw w;
	struct {
		const char *key;
		int64_t v;
	} whole_of[] = {
		{ "jobs", r->jobs },
		{ "too_large", a->too_large },
		{ "gpus", a->gpus },
		{ "gpus_node", a->gpus_node },
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
	if (a->priced)
		jw_dec(&w, dec_from_double(round(r->cost_usd * 100) / 100));
	else
		jw_null(&w);
	jw_key(&w, "seed");
	jw_int(&w, (int64_t)a->seed);
	snprintf(digest, sizeof digest, "%016llx", (unsigned long long)r->digest);
	jw_put_str(&w, "digest", digest);
	if (!isnan(a->cpu_s)) {
		jw_key(&w, "cpu_s");
		jw_num(&w, a->cpu_s, 3);
	}
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void put_text(const struct simulate_jobs *a, struct str *out)
{
	const struct sim_result *r = &a->r;
	char buf[DEC_BUF];

	if (a->gpus)
		str_addf(out, "%lld job%s on %lld GPUs in machines of %lld\n\n", (long long)r->jobs,
			 r->jobs == 1 ? "" : "s", (long long)a->gpus, (long long)a->gpus_node);
	else
		str_addf(out, "%lld job%s on machines of %lld GPUs that come and go\n\n",
			 (long long)r->jobs, r->jobs == 1 ? "" : "s", (long long)a->gpus_node);
	if (a->too_large)
		str_addf(out, "left out           %14lld jobs that want more than there is\n",
			 (long long)a->too_large);
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
		 (long long)r->interruptions, (long long)r->fallbacks,
		 r->fallbacks == 1 ? "" : "s");
	str_addf(out, "digest           %016llx    seed %llu: equal runs are equal here\n",
		 (unsigned long long)r->digest, (unsigned long long)a->seed);
	if (!isnan(a->cpu_s))
		str_addf(out, "CPU time           %16.2f  s\n", a->cpu_s);
}

void simulate_jobs_print(const struct simulate_jobs *a, const struct out_as *as, struct str *out)
{
	if (as->format == OUT_JSON)
		put_json(a, out);
	else
		put_text(a, out);
}
