/* The sources of live readings side by side: a recording or an exporter alone, else NVML and amdgpu
 * as one view. */
#include "base/num.h"
#include "base/str.h"
#include "device/gpu_src.h"
#include "device/gpu_apart.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define NSRC 2 /* NVML, amdgpu */

struct gpu_feed {
	struct src {
		const struct gpu_src_ops *ops;
		void *self;
		struct gpu_apart *apart; /* has self where it is not NULL */
		uint64_t generation;     /* seen last */
	} src[NSRC];
	size_t nsrc;
	struct gpu_set both; /* where two sources have devices: one after the other */
	struct str driver;
	struct gpu_view view;
	uint64_t generation;
};

const char *gpu_event_name(enum gpu_event_kind k)
{
	static const char *const name[] = { [GPU_XID] = "xid",
					    [GPU_ECC] = "ecc",
					    [GPU_LOST] = "lost",
					    [GPU_BACK] = "back",
					    [GPU_MIG_CHANGED] = "mig_changed",
					    [GPU_DRIVER_LOST] = "driver_lost",
					    [GPU_DRIVER_BACK] = "driver_back",
					    [GPU_DRIVER_STUCK] = "driver_stuck" };

	if ((size_t)k < sizeof name / sizeof name[0])
		return name[k];
	return "unknown";
}

void gpu_dev_clear(struct gpu_dev *d)
{
	for (int m = 0; m < METRIC_N; m++)
		d->value[m] = NAN;
	d->nproc = 0;
	d->procs_known = false;
	d->held = NULL;
}

void gpu_info_init(struct gpu_info *c)
{
	*c = (struct gpu_info){ .minor = -1,
				.parent = -1,
				.gi = -1,
				.ci = -1,
				.mig_start = -1,
				.mem_total_bytes = NAN,
				.power_limit_w = NAN,
				.temp_slowdown_celsius = NAN };
}

static int add_source(struct gpu_feed *f, const struct gpu_src_ops *ops,
		      const struct gpu_feed_opt *opt, struct err *err)
{
	void *self = NULL;
	int rc = ops->open(opt, &self, err);

	if (rc < 0 || !self)
		return rc;
	struct src *s = &f->src[f->nsrc];
	*s = (struct src){ .ops = ops, .self = self };
	if (ops->may_hang) {
		int64_t patience_ms = opt->patience_ms > 0 ? opt->patience_ms : GPU_PATIENCE_MS;
		s->apart = gpu_apart_new(ops, self, patience_ms);
		if (!s->apart) /* which has closed self */
			return err_nomem(err);
	}
	f->nsrc++;
	return 0;
}

static const struct gpu_set *set_of(const struct src *s)
{
	if (s->apart)
		return gpu_apart_set(s->apart);
	return s->ops->set(s->self);
}

static int poll_source(const struct src *s, int64_t now_ms, int64_t mono_ms, struct err *err)
{
	if (s->apart)
		return gpu_apart_poll(s->apart, now_ms, mono_ms, err);
	return s->ops->poll(s->self, now_ms, mono_ms, err);
}

static const char *named_or_env(const char *given, const char *variable)
{
	const char *v = given;

	if (!given)
		v = getenv(variable);
	return filled_or(v, NULL);
}

int gpu_feed_open(const struct gpu_feed_opt *opt, struct gpu_feed **ret, struct err *err)
{
	struct gpu_feed *f = xcalloc(1, sizeof *f);
	struct gpu_feed_opt o = *opt;
	int rc;

	o.replay = named_or_env(o.replay, "TARE_GPU_REPLAY");
	o.scrape = named_or_env(o.scrape, "TARE_GPU_SCRAPE");
	if (o.replay)
		rc = add_source(f, &gpu_src_replay, &o, err);
	else if (o.scrape)
		rc = add_source(f, &gpu_src_scrape, &o, err);
	else if ((rc = add_source(f, &gpu_src_nvml, &o, err)) >= 0)
		rc = add_source(f, &gpu_src_amd, &o, err);
	if (rc < 0) {
		gpu_feed_close(f);
		return rc;
	}
	*ret = f;
	return 0;
}

/* One source with devices is shown as it is; several are copied one after the other. */
static void join_sources(struct gpu_feed *f)
{
	const struct gpu_set *one = NULL;
	size_t with = 0;

	vec_clear(&f->both.dev);
	vec_clear(&f->both.event);
	str_clear(&f->both.problem);
	str_clear(&f->driver);
	for (size_t i = 0; i < f->nsrc; i++) {
		const struct gpu_set *s = set_of(&f->src[i]);
		if (s->dev.n || s->event.n) {
			with++;
			one = s;
		}
		if (f->driver.n && *s->driver)
			str_addz(&f->driver, " + ");
		str_addz(&f->driver, s->driver);
		if (s->generation != f->src[i].generation)
			f->generation++;
		f->src[i].generation = s->generation;
	}
	for (size_t i = 0; with > 1 && i < f->nsrc; i++) {
		const struct gpu_set *s = set_of(&f->src[i]);
		size_t base = f->both.dev.n;
		for (size_t k = 0; k < s->dev.n; k++) {
			struct gpu_dev *d = vec_push(&f->both.dev);
			*d = s->dev.v[k];
			if (d->info.parent >= 0)
				d->info.parent += (int)base;
		}
		for (size_t k = 0; k < s->event.n; k++) {
			struct gpu_event *e = vec_push(&f->both.event);
			*e = s->event.v[k];
			if (e->dev >= 0)
				e->dev += (int)base;
		}
	}
	if (!one || with > 1)
		one = &f->both;
	f->view.dev = one->dev.v;
	f->view.ndev = one->dev.n;
	f->view.event = one->event.v;
	f->view.nevent = one->event.n;
}

int gpu_feed_poll(struct gpu_feed *f, int64_t now_ms, int64_t mono_ms, const struct gpu_view **ret,
		  struct err *err)
{
	f->view.stuck_ms = 0;
	for (size_t i = 0; i < f->nsrc; i++) {
		const struct src *s = &f->src[i];
		int rc = poll_source(s, now_ms, mono_ms, err);
		if (rc < 0)
			return rc;
		if (s->apart)
			f->view.stuck_ms = max_i64(gpu_apart_stuck_ms(s->apart), f->view.stuck_ms);
	}
	join_sources(f);
	f->view.driver = str_z(&f->driver);
	f->view.generation = f->generation;
	/* what the first source (the likelier one) lacks is not said where another one has
	 * devices */
	f->view.problem = NULL;
	for (size_t i = 0; i < f->nsrc; i++) {
		const struct gpu_set *s = set_of(&f->src[i]);
		if (s->problem.n && (s->dev.n || !f->view.ndev) && !f->view.problem)
			f->view.problem = s->problem.p;
	}
	*ret = &f->view;
	return 0;
}

static bool gives_metric(const struct gpu_dev *d, int metric)
{
	if (metric < METRIC_N)
		return !isnan(d->value[metric]);
	if (metric == GPU_WHY_PROCS)
		return d->procs_known;
	for (size_t i = 0; i < d->nproc; i++)
		if (!isnan(d->proc[i].sm_util_pct))
			return true;
	return false;
}

static void look_at_source(const struct src *s, int metric, struct gpu_can *c)
{
	const struct gpu_set *set = set_of(s);

	for (size_t i = 0; i < set->dev.n; i++) {
		const struct gpu_dev *d = &set->dev.v[i];
		if (!d->present || (metric == GPU_WHY_PROC_UTIL && !d->nproc))
			continue;
		c->of++;
		if (gives_metric(d, metric)) {
			c->devices++;
			continue;
		}
		const char *why = NULL;
		if (s->apart)
			why = gpu_apart_why(s->apart, i, metric);
		else if (s->ops->why)
			why = s->ops->why(s->self, i, metric);
		if (why && !*c->why)
			c->why = why;
	}
}

/* Of the machine, or said by the list of processes: no device has it (gpu_dev.value). */
static bool is_of_machine(int metric)
{
	switch (metric) {
	case METRIC_CPU_UTIL_PCT:
	case METRIC_NIC_RX_BYTES_S:
	case METRIC_NIC_TX_BYTES_S:
	case METRIC_PROC_COUNT: return true;
	default: return false;
	}
}

_Static_assert(GPU_CAN_MAX == GPU_WHY_N, "a row each");

size_t gpu_feed_can(const struct gpu_feed *f, struct gpu_can *ret, size_t max)
{
	size_t n = 0;

	for (int m = 0; m < GPU_WHY_N && n < max; m++) {
		if (is_of_machine(m))
			continue;
		ret[n] = (struct gpu_can){ .reading = "process utilisation", .why = "" };
		if (m < METRIC_N)
			ret[n].reading = metric_name((enum metric)m);
		else if (m == GPU_WHY_PROCS)
			ret[n].reading = "processes";
		for (size_t i = 0; i < f->nsrc; i++)
			look_at_source(&f->src[i], m, &ret[n]);
		n++;
	}
	return n;
}

void gpu_feed_close(struct gpu_feed *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nsrc; i++)
		if (f->src[i].apart)
			gpu_apart_close(f->src[i].apart);
		else
			f->src[i].ops->close(f->src[i].self);
	vec_free(&f->both.dev);
	vec_free(&f->both.event);
	str_free(&f->both.problem);
	str_free(&f->driver);
	free(f);
}
