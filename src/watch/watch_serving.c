/* See watch_serving.h. Only `last`, `at_ms`, `why` and `stop` are shared, under the lock. */
#include "watch/watch_serving.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/tm.h"
#include "model/known.h"

#define EVERY_MS 1000
#define OLD_MS   5000

struct watch_serving {
	struct serving *feed; /* the thread's */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	struct serving_reading last;
	int64_t at_ms; /* of last */
	char why[200];
	bool stop;
};

void serving_none(struct serving_reading *r)
{
	*r = (struct serving_reading){ .running = NAN,
				       .waiting = NAN,
				       .batch = NAN,
				       .queue_ms = NAN,
				       .requests_s = NAN,
				       .tokens_s = NAN,
				       .cache_frac = NAN };
}

struct mean {
	double sum, weight, plain;
	int n;
};

static void take_value(struct mean *m, double v, double running)
{
	if (isnan(v))
		return;
	m->plain += v;
	m->n++;
	if (running > 0) {
		m->sum += v * running;
		m->weight += running;
	}
}

static double mean_of(const struct mean *m)
{
	if (m->weight > 0)
		return m->sum / m->weight;
	if (m->n)
		return m->plain / m->n;
	return NAN;
}

void serving_add_up(const struct serving_reading *v, size_t n, struct serving_reading *ret)
{
	struct mean batch = { 0 }, queue = { 0 }, cache = { 0 };

	serving_none(ret);
	for (size_t i = 0; i < n; i++) {
		known_sum_add(&ret->running, v[i].running);
		known_sum_add(&ret->waiting, v[i].waiting);
		known_sum_add(&ret->requests_s, v[i].requests_s);
		known_sum_add(&ret->tokens_s, v[i].tokens_s);
		take_value(&batch, v[i].batch, v[i].running);
		take_value(&queue, v[i].queue_ms, v[i].running);
		take_value(&cache, v[i].cache_frac, v[i].running);
		ret->engine = v[i].engine;
	}
	if (n == 1)
		memcpy(ret->model, v[0].model, sizeof ret->model);
	ret->batch = mean_of(&batch);
	ret->queue_ms = mean_of(&queue);
	ret->cache_frac = mean_of(&cache);
}

static void *run_asks(void *arg)
{
	struct watch_serving *s = arg;
	int64_t due = tm_awake_ms();

	pthread_mutex_lock(&s->lock);
	while (!s->stop) {
		pthread_mutex_unlock(&s->lock);
		const struct serving_reading *v = NULL;
		struct serving_reading sum;
		struct err err = { 0 };
		size_t n = 0;
		int r = serving_poll(s->feed, tm_awake_ms(), &v, &n, &err);
		serving_add_up(v, r < 0 ? 0 : n, &sum);
		pthread_mutex_lock(&s->lock);
		if (r >= 0 && n) {
			s->last = sum;
			s->at_ms = tm_awake_ms();
		}
		snprintf(s->why, sizeof s->why, "%.199s",
			 r < 0 ? err.msg
			       : text_if(!n,
					 "the endpoint tells nothing that vLLM or Triton would"));
		due = max_i64(due, tm_awake_ms()) + EVERY_MS;
		/* under the lock, until it is time or the end */
		struct timespec t = { due / 1000, due % 1000 * 1000000 };
		while (!s->stop && tm_awake_ms() < due)
			pthread_cond_timedwait(&s->wake, &s->lock, &t);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static void free_serving(struct watch_serving *s)
{
	serving_close(s->feed);
	pthread_cond_destroy(&s->wake);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int watch_serving_open(const char *url, struct watch_serving **ret, struct err *err)
{
	struct watch_serving *s = xcalloc(1, sizeof *s);
	int r;

	serving_none(&s->last);
	pthread_mutex_init(&s->lock, NULL);
	thread_cond_init(&s->wake);
	r = serving_open(url, &s->feed, err);
	if (r >= 0 && (r = -thread_start(&s->thread, 512 << 10, run_asks, s)) < 0)
		err_set(err, r, "no thread to ask the inference server: %s", strerror(-r));
	if (r < 0) {
		free_serving(s);
		return r;
	}
	*ret = s;
	return 0;
}

void watch_serving_get(struct watch_serving *s, struct serving_reading *ret, char why[200])
{
	pthread_mutex_lock(&s->lock);
	*ret = s->last;
	if (tm_awake_ms() - s->at_ms > OLD_MS)
		serving_none(ret);
	if (why)
		memcpy(why, s->why, sizeof s->why);
	pthread_mutex_unlock(&s->lock);
}

void watch_serving_close(struct watch_serving *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->stop = true;
	pthread_cond_broadcast(&s->wake);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	free_serving(s);
}
