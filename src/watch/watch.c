/* The watch: polls the feeds and joins them (watch_join.c). */
#include "base/tm.h"
#include "watch/watch.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "watch/watch_cpu.h"
#include "watch/watch_join.h"
#include "watch/rate.h"
#include "watch/watch_serving.h"

#define SWEEP_MS MS_MINUTE
/* a process's processor time is read once a second, however often the GPUs are */
#define CPU_EVERY_MS 900

struct watch {
	struct watch_opt opt;
	struct gpu_feed *gpus;
	struct host_feed *host;
	struct whose *whose;
	struct watch_cpu *cpu;
	struct watch_serving *serving;
	char serving_why[200];
	struct watch_join join;
	struct watch_view view;
	char node[256];
	int64_t now_ms, swept_ms, host_ms;
	uint64_t rate_generation;
};

int watch_open(const struct watch_opt *opt, struct watch **ret, struct err *err)
{
	struct watch *w = xcalloc(1, sizeof *w);
	w->opt = *opt;
	w->opt.gpu.want_procs = true;
	/* the name under which schedulers know this machine */
	const char *name = w->opt.whose.node;
	if (!name || !*name)
		name = getenv("NODE_NAME");
	if (!name || !*name)
		name = getenv("SLURMD_NODENAME");
	if (name && *name)
		snprintf(w->node, sizeof w->node, "%s", name);
	else if (gethostname(w->node, sizeof w->node - 1))
		snprintf(w->node, sizeof w->node, "localhost");
	w->opt.whose.node = w->node;
	w->join.conf = opt->conf;
	w->join.catalog = opt->catalog;
	w->rate_generation = UINT64_MAX;
	w->cpu = watch_cpu_new(opt->gpu.proc, CPU_EVERY_MS);
	int r = gpu_feed_open(&w->opt.gpu, &w->gpus, err);
	if (r >= 0)
		r = host_feed_open(opt->gpu.proc, opt->gpu.sysfs, &w->host, err);
	if (r >= 0)
		r = whose_open(&w->opt.whose, &w->whose, err);
	if (r >= 0 && opt->serving)
		r = watch_serving_open(opt->serving, &w->serving, err);
	serving_none(&w->view.serving);
	if (r < 0) {
		watch_close(w);
		return r;
	}
	*ret = w;
	return 0;
}

void watch_close(struct watch *w)
{
	if (!w)
		return;
	gpu_feed_close(w->gpus);
	if (w->host)
		host_feed_close(w->host);
	if (w->whose)
		whose_close(w->whose);
	watch_serving_close(w->serving);
	watch_cpu_free(w->cpu);
	watch_join_free(&w->join);
	free(w);
}

struct whose *watch_whose(struct watch *w)
{
	return w->whose;
}

static const struct allocation *owner_of(void *ctx, const struct gpu_proc *p)
{
	struct watch *w = ctx;
	if (p->start_ticks)
		return whose_process(w->whose, p->pid, p->start_ticks, w->now_ms);
	return NULL;
}

static double cpu_of(void *ctx, const struct gpu_proc *p)
{
	struct watch *w = ctx;
	return watch_cpu_of(w->cpu, p->pid, p->start_ticks);
}

int watch_poll(struct watch *w, int64_t now_ms, int64_t mono_ms, const struct watch_view **ret,
	       struct err *err)
{
	struct watch_view *v = &w->view;
	const struct whose_hold *hold = NULL;
	struct err ignored = { 0 };
	size_t nhold = 0;

	w->now_ms = now_ms;
	int r = gpu_feed_poll(w->gpus, now_ms, mono_ms, &v->gpus, err);
	if (r >= 0)
		r = host_feed_poll(w->host, mono_ms, &v->host, err);
	if (r < 0)
		return r;
	/* A scheduler that does not answer is no reason to stop watching: its owners are then not
	 * known. */
	if (whose_holds(w->whose, now_ms, &hold, &nhold, &ignored) < 0)
		nhold = 0;
	watch_cpu_round(w->cpu, mono_ms);
	v->step_ms = v->mono_ms && mono_ms > v->mono_ms ? mono_ms - v->mono_ms : 0;
	v->t_ms = now_ms;
	v->mono_ms = mono_ms;
	v->node = w->node;
	struct watch_in in = { .gpus = v->gpus,
			       .hold = hold,
			       .nhold = nhold,
			       .sees_holds = whose_sees_holds(w->whose, now_ms),
			       .now_ms = now_ms,
			       .step_ms = v->step_ms,
			       .owner = owner_of,
			       .cpu = cpu_of,
			       .ctx = w };
	watch_join_run(&w->join, &in);
	v->dev = w->join.dev.v;
	v->ndev = w->join.dev.n;
	/* what a GPU costs is asked again when the GPUs changed */
	if (v->gpus->generation != w->rate_generation) {
		w->rate_generation = v->gpus->generation;
		const char *model = NULL;
		if (v->gpus->ndev)
			model = watch_model_of(&w->join, v->gpus->dev[0].info.name)->model;
		v->rate = w->opt.rate;
		watch_rate_find(&v->rate, w->opt.conf, w->opt.catalog, w->node, model, now_ms);
	}
	if (w->serving) {
		watch_serving_get(w->serving, &v->serving, w->serving_why);
		v->serving_why = w->serving_why[0] ? w->serving_why : NULL;
	}
	if (mono_ms - w->swept_ms >= SWEEP_MS) {
		whose_sweep(w->whose, now_ms);
		w->swept_ms = mono_ms;
	}
	*ret = v;
	return 0;
}
