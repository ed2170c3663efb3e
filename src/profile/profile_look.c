/* The readings of a run: whose GPU it is, what its processes do, what the machine does. See
 * profile_run.h. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "base/tm.h"
#include "profile/profile_in.h"
#include "plan/lever/gpu_speed.h"

/* a reading this many intervals late says nothing of the time before it */
#define GAP_STEPS   5
#define MOVED_BYTES 16777216.0 /* memory of a GPU that rose by more was taken by somebody */

int64_t profile_wall_ms(const struct profile_live *r, int64_t mono)
{
	return r->o->start_ms + (mono - r->mono0_ms);
}

/* ---- devices ----------------------------------------------------------------------------- */

bool profile_visible(const char *list, const char *uuid, int index)
{
	struct sv rest = sv_of(list);
	if (!list)
		return true;
	while (rest.p) {
		int64_t n;
		struct sv w = sv_trim(sv_cut(rest, ',', &rest));
		if (sv_i64(w, &n) == 0) {
			if (n < 0)
				return false; /* what follows -1 is not seen */
			if (n == index)
				return true;
		} else if (w.n >= 4 && strlen(uuid) >= w.n && !strncmp(uuid, w.p, w.n)) {
			/* a prefix of the uuid is enough */
			return true;
		}
	}
	return false;
}

static bool is_visible(const struct profile_dev *d)
{
	static const char *const name[] = { "CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
					    "HIP_VISIBLE_DEVICES" };
	for (size_t i = 0; i < sizeof name / sizeof *name; i++)
		if (getenv(name[i]))
			return profile_visible(getenv(name[i]), d->uuid, d->index);
	return true;
}

/* What the driver says goes to terminals and files. */
static void copy_plain(char *to, size_t size, const char *from)
{
	size_t n = 0;
	for (; *from && n + 1 < size; from++) {
		bool plain = within_int(*from, ' ', '~') && !strchr("\"\\,", *from);
		to[n++] = plain ? *from : '?';
	}
	to[n] = 0;
}

static void describe_dev(struct profile_live *r, const struct watch_dev *w, struct profile_dev *d)
{
	const struct gpu_info *c = &w->gpu->info;
	const struct gpu_spec *spec = r->o->watch.catalog && w->model
					      ? catalog_gpu(r->o->watch.catalog, sv_of(w->model))
					      : NULL;
	int64_t ppb = 0;

	copy_plain(d->name, sizeof d->name, c->name);
	snprintf(d->model, sizeof d->model, "%s", spec ? spec->model : "");
	copy_plain(d->mig_profile, sizeof d->mig_profile, c->mig_profile);
	d->is_mig = c->parent >= 0;
	for (size_t i = 0; i < w->nuse; i++)
		ppb += w->use[i].share_ppb;
	d->share_ppb = d->is_mig && ppb > 0 && ppb < 1000000000 ? ppb : 1000000000;
	d->facts.mem_total_bytes = c->mem_total_bytes;
	d->facts.power_limit_w = d->is_mig ? NAN : c->power_limit_w;
	d->facts.temp_slowdown_celsius = c->temp_slowdown_celsius;
	d->facts.tdp_w = spec && !d->is_mig ? spec->tdp_w : NAN;
	d->facts.pcie_bytes_s = spec ? gpu_roofline(spec, false).pcie_gb_s * 1e9 : NAN;
	d->facts.cpus = r->p->cpus_allowed;
	d->facts.training = r->p->workload && !strcmp(r->p->workload, "training");
	d->facts.serving = r->o->watch.serving ||
			   (r->p->workload && !strcmp(r->p->workload, "inference"));
}

/* GPUs that are cut into instances are left out: their instances stand for them. */
static bool counts_as_gpu(const struct gpu_dev *g)
{
	return g->present && !(g->info.parent < 0 && g->info.mig_enabled);
}

static void touch_dev(struct profile_dev *d, int64_t from_ms, int64_t to_ms)
{
	if (d->first_ms == UNKNOWN_MS)
		d->first_ms = from_ms;
	d->last_ms = to_ms;
}

/* Did it begin to be used after the command began? A recording stands for the command as a
 * whole. */
static bool has_moved(const struct profile_live *r, const struct profile_dev *d,
		      const struct diag_step *s)
{
	bool runs = s->value[METRIC_GPU_UTIL_PCT] > 0 || s->value[METRIC_SM_ACTIVE_FRAC] > 0;
	if (r->p->driver && !strncmp(r->p->driver, "replay", 6))
		return true;
	return (runs && !d->busy_before) ||
	       s->value[METRIC_MEM_USED_BYTES] > d->mem_start_bytes + MOVED_BYTES;
}

static void dev_step(struct profile_live *r, const struct watch_dev *w, struct diag_step *s)
{
	struct profile_dev *d = profile_dev_of(r->p, w->gpu->info.uuid, w->gpu->info.index);
	size_t ours, others;
	double main_pct;

	describe_dev(r, w, d);
	memcpy(s->value, w->gpu->value, sizeof s->value);

	/* Ours, others', and the busiest of ours on a device. */
	ours = others = 0;
	main_pct = NAN;
	for (size_t i = 0; i < w->nproc; i++) {
		const struct profile_proc *x = profile_tree_find(r->tree, w->proc[i].pid,
								 w->proc[i].start_ticks);
		bool mine = x || profile_tree_has(r->tree, w->proc[i].pid, w->proc[i].start_ticks);
		ours += mine;
		others += !mine && w->proc[i].start_ticks;
		if (x)
			main_pct = fmax(main_pct, x->cpu_pct);
	}

	bool alone = !r->by_process && !others;
	if (ours) {
		touch_dev(d, s->t_ms, s->t_ms + s->step_ms);
		d->how = PROFILE_BY_PROCESS;
		r->by_process = true;
		s->extra[DIAG_X_MAIN_CPU_PCT] = main_pct;
	} else if (alone && is_visible(d) && has_moved(r, d, s)) {
		touch_dev(d, s->t_ms, s->t_ms + s->step_ms);
		d->how = getenv("CUDA_VISIBLE_DEVICES") ? PROFILE_BY_VISIBLE : PROFILE_BY_CHANGE;
	}
	if (others)
		d->shared_ms += s->step_ms;
	profile_add_step(r->p, d, s);
}

void profile_look(struct profile_live *r, struct err *err)
{
	int64_t now = tm_mono_ms(), step = now - r->last_ms;
	struct diag_step s;
	double loader_pct, nloader;
	if (step <= 0 || watch_poll(r->watch, profile_wall_ms(r, now), now, &r->view, err) < 0)
		return;
	profile_tree_look(r->tree, now);
	if (step > GAP_STEPS * r->o->interval_ms + 1000) {
		r->p->gap_ms += step - r->o->interval_ms;
		step = r->o->interval_ms;
	}

	/* Processes of the command that are on no GPU: they load data, or do something else. */
	double *ret_n = &nloader;
	size_t n;
	const struct profile_proc *x = profile_tree_procs(r->tree, &n);
	loader_pct = *ret_n = 0;
	for (size_t i = 0; i < n; i++) {
		bool on_gpu = false;
		for (size_t k = 0; k < r->view->ndev && !on_gpu; k++)
			for (size_t j = 0; j < r->view->dev[k].nproc && !on_gpu; j++)
				on_gpu = r->view->dev[k].proc[j].pid == x[i].pid;
		if (on_gpu)
			continue;
		loader_pct += known_or(x[i].cpu_pct, 0);
		*ret_n += 1;
	}

	for (size_t i = 0; i < r->view->ndev; i++) {
		if (!counts_as_gpu(r->view->dev[i].gpu))
			continue;
		diag_step_init(&s);
		s.t_ms = profile_wall_ms(r, now) - step;
		s.step_ms = (int32_t)step;
		s.extra[DIAG_X_LOADER_CPU_PCT] = loader_pct;
		s.extra[DIAG_X_LOADERS] = nloader;
		s.extra[DIAG_X_HOST_CPU_PCT] = r->view->host.cpu_util_pct;
		s.extra[DIAG_X_DISK_READ_BYTES_S] = r->view->host.disk_read_bytes_s;
		s.extra[DIAG_X_DISK_WRITE_BYTES_S] = r->view->host.disk_write_bytes_s;
		s.extra[DIAG_X_QUEUE] = r->view->serving.waiting;
		s.extra[DIAG_X_RUNNING] = r->view->serving.running;
		s.extra[DIAG_X_BATCH] = r->view->serving.batch;
		dev_step(r, &r->view->dev[i], &s);
	}
	const struct host_view *h = &r->view->host;
	struct profile_host_step host = {
		profile_wall_ms(r, now) - step,         (int32_t)step,
		(float)profile_tree_cpu_pct(r->tree),   (float)h->cpu_util_pct,
		(float)profile_tree_rss_bytes(r->tree), (float)h->disk_read_bytes_s,
		(float)h->disk_write_bytes_s,           (float)n
	};
	r->p->rss_peak_bytes = fmax(r->p->rss_peak_bytes, (double)host.rss_bytes);
	profile_add_host(r->p, &host);
	r->p->end_ms = profile_wall_ms(r, now);
	r->last_ms = now;
	if (!r->tick_failed && r->o->tick && r->o->tick(r->o->ctx, r->p, r->tick_err) < 0)
		r->tick_failed = true;
}

int profile_look_before(struct profile_live *r, struct err *err)
{
	int res = watch_poll(r->watch, r->o->start_ms, r->mono0_ms, &r->view, err);
	for (size_t i = 0; res >= 0 && i < r->view->ndev; i++) {
		const struct watch_dev *w = &r->view->dev[i];
		if (!counts_as_gpu(w->gpu))
			continue;
		struct profile_dev *d = profile_dev_of(r->p, w->gpu->info.uuid, w->gpu->info.index);
		describe_dev(r, w, d);
		d->mem_start_bytes = w->gpu->value[METRIC_MEM_USED_BYTES];
		d->energy_start_j = w->gpu->value[METRIC_ENERGY_J];
		d->busy_before = w->gpu->value[METRIC_GPU_UTIL_PCT] > 0 ||
				 w->gpu->value[METRIC_SM_ACTIVE_FRAC] > 0;
	}
	if (res >= 0) {
		r->p->cpus = r->view->host.cpus;
		r->p->node = arena_sv(&r->p->mem, sv_of(r->view->node));
		r->p->driver = arena_sv(&r->p->mem, sv_of(r->view->gpus->driver));
		r->p->problem = arena_sv(&r->p->mem, sv_of(r->view->gpus->problem));
	}
	profile_tree_look(r->tree, r->mono0_ms);
	return res;
}
