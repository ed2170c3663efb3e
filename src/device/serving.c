#include "device/serving.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "device/scrape.h"

#define MODELS_MAX 256

/* Series that are read. */
enum {
	/* gauges */
	RUNNING,
	WAITING,
	CACHE,
	CACHE_N, /* CACHE_N: how many series were summed, for their mean */
	/* counters */
	DONE,
	TOKENS,
	QUEUE_S,
	QUEUE_COUNT,
	INFERENCES,
	EXECUTIONS,
	BUSY_S,
	NVALUE
};

static const struct series {
	const char *name, *engine;
	int at;
	double scale;
} all[] = {
	{ "vllm:num_requests_running", "vllm", RUNNING, 1 },
	{ "vllm:num_requests_waiting", "vllm", WAITING, 1 },
	{ "vllm:gpu_cache_usage_perc", "vllm", CACHE, 1 },
	{ "vllm:kv_cache_usage_perc", "vllm", CACHE, 1 },
	{ "vllm:request_success_total", "vllm", DONE, 1 },
	{ "vllm:generation_tokens_total", "vllm", TOKENS, 1 },
	{ "vllm:request_queue_time_seconds_sum", "vllm", QUEUE_S, 1 },
	{ "vllm:request_queue_time_seconds_count", "vllm", QUEUE_COUNT, 1 },
	{ "nv_inference_pending_request_count", "triton", WAITING, 1 },
	{ "nv_inference_request_success", "triton", DONE, 1 },
	{ "nv_inference_queue_duration_us", "triton", QUEUE_S, 1e-6 },
	{ "nv_inference_count", "triton", INFERENCES, 1 },
	{ "nv_inference_exec_count", "triton", EXECUTIONS, 1 },
	{ "nv_inference_compute_infer_duration_us", "triton", BUSY_S, 1e-6 },
};

struct model {
	const char *engine;
	char name[96];
	double v[NVALUE], old[NVALUE]; /* NAN = not there */
};
struct serving {
	struct scrape *scrape;
	VEC(struct model) model;
	VEC(struct serving_reading) reading;
	int64_t last_ms;
	bool polled;
};

struct serving *serving_new(void)
{
	return xcalloc(1, sizeof(struct serving));
}

int serving_open(const char *url, struct serving **ret, struct err *err)
{
	struct serving *s = serving_new();
	int rc = scrape_open(url, &s->scrape, err);

	if (rc < 0) {
		free(s);
		return rc;
	}
	*ret = s;
	return 0;
}

void serving_close(struct serving *s)
{
	if (!s)
		return;
	scrape_close(s->scrape);
	vec_free(&s->model);
	vec_free(&s->reading);
	free(s);
}

static struct model *model_of(struct serving *s, const char *engine, struct sv name)
{
	struct model *m;
	char cut[sizeof m->name];

	snprintf(cut, sizeof cut, "%.*s", (int)(name.n < sizeof cut ? name.n : sizeof cut - 1),
		 text_or(name.p, ""));
	for (size_t i = 0; i < s->model.n; i++)
		if (!strcmp(s->model.v[i].engine, engine) && !strcmp(s->model.v[i].name, cut))
			return &s->model.v[i];
	if (s->model.n >= MODELS_MAX)
		return NULL;
	m = vec_push(&s->model);
	*m = (struct model){ .engine = engine };
	memcpy(m->name, cut, sizeof cut);
	for (int i = 0; i < NVALUE; i++)
		m->v[i] = m->old[i] = NAN;
	return m;
}

static void add_line(struct serving *s, const struct expo_line *l)
{
	static const char *const labels[] = { "model_name", "model", NULL };

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
		struct model *m;
		if (!sv_is(l->name, all[i].name) || !isfinite(l->value) || l->value < 0)
			continue;
		if (!(m = model_of(s, all[i].engine, expo_label(l, labels))))
			return;
		m->v[all[i].at] = known_or(m->v[all[i].at], 0) + l->value * all[i].scale;
		if (all[i].at == CACHE)
			m->v[CACHE_N] = known_or(m->v[CACHE_N], 0) + 1;
		return;
	}
}

/* What a counter grew by; NAN where it was not there, or was set back. */
static double counter_growth(const struct model *m, int at)
{
	double d = m->v[at] - m->old[at];

	if (d >= 0)
		return d;
	return NAN;
}

static void work_out(const struct model *m, double seconds, struct serving_reading *r)
{
	bool vllm = !strcmp(m->engine, "vllm");

	*r = (struct serving_reading){ .engine = m->engine,
				       .waiting = m->v[WAITING],
				       .requests_s = part_of(counter_growth(m, DONE), seconds),
				       .tokens_s = part_of(counter_growth(m, TOKENS), seconds),
				       .cache_frac = part_of(m->v[CACHE], m->v[CACHE_N]) };
	memcpy(r->model, m->name, sizeof r->model);
	r->running = vllm ? m->v[RUNNING] : part_of(counter_growth(m, BUSY_S), seconds);
	r->batch = vllm ? m->v[RUNNING]
			: part_of(counter_growth(m, INFERENCES), counter_growth(m, EXECUTIONS));
	r->queue_ms = 1000 * part_of(counter_growth(m, QUEUE_S),
				     counter_growth(m, vllm ? QUEUE_COUNT : DONE));
	if (r->cache_frac > 1)
		r->cache_frac = NAN;
}

void serving_take(struct serving *s, struct sv text, int64_t mono_ms,
		  const struct serving_reading **ret, size_t *ret_n)
{
	double seconds = s->polled ? (double)(mono_ms - s->last_ms) / 1000 : NAN;
	struct expo_line l = { 0 };
	const char *why;
	size_t n = 0;

	for (size_t i = 0; i < s->model.n; i++) {
		memcpy(s->model.v[i].old, s->model.v[i].v, sizeof s->model.v[i].old);
		for (int k = 0; k < NVALUE; k++)
			s->model.v[i].v[k] = NAN;
	}
	while (text.n) {
		struct sv rest, line = sv_cut(text, '\n', &rest);
		if (expo_parse(line, &l, &why) > 0)
			add_line(s, &l);
		text = rest;
	}
	expo_line_free(&l);
	vec_clear(&s->reading);
	for (size_t i = 0; i < s->model.n; i++) {
		bool silent = true;
		for (int k = 0; k < NVALUE; k++)
			silent &= isnan(s->model.v[i].v[k]) != 0;
		if (silent)
			continue; /* unloaded */
		s->model.v[n] = s->model.v[i];
		work_out(&s->model.v[n++], seconds, vec_push(&s->reading));
	}
	s->model.n = n;
	s->last_ms = mono_ms;
	s->polled = true;
	*ret = s->reading.v;
	*ret_n = s->reading.n;
}

int serving_poll(struct serving *s, int64_t mono_ms, const struct serving_reading **ret,
		 size_t *ret_n, struct err *err)
{
	struct sv text;
	int rc = scrape_get(s->scrape, mono_ms, &text, err);

	if (rc < 0)
		return rc;
	serving_take(s, text, mono_ms, ret, ret_n);
	return 0;
}
