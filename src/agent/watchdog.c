/* See watchdog.h. */
#include "agent/watchdog.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/thread.h"
#include "base/tm.h"

struct watchdog {
	const char *what;
	int64_t after_ms;
	void (*say)(void *ctx, const char *text);
	void *ctx;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake;
	int64_t since_ms; /* 0 = in no call */
	bool told, stop;
};

static void *run_watchdog(void *arg)
{
	struct watchdog *w = arg;

	pthread_mutex_lock(&w->lock);
	while (!w->stop) {
		int64_t now = tm_awake_ms(), next = now + w->after_ms / 2 + 1;
		if (w->since_ms && !w->told && now - w->since_ms >= w->after_ms) {
			w->told = true;

			int64_t ms = now - w->since_ms;
			char text[256];
			snprintf(
				text, sizeof text,
				"%.100s has not come back for %lld s; nothing is read meanwhile, and it cannot be called off",
				w->what, (long long)(ms / 1000));
			w->say(w->ctx, text);
		}
		struct timespec t = { next / 1000, next % 1000 * 1000000 };
		pthread_cond_timedwait(&w->wake, &w->lock, &t);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

static void free_watchdog(struct watchdog *w)
{
	pthread_cond_destroy(&w->wake);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

struct watchdog *watchdog_new(const char *what, int64_t after_ms,
			      void (*say)(void *ctx, const char *text), void *ctx)
{
	struct watchdog *w = xcalloc(1, sizeof *w);

	w->what = what;
	w->after_ms = after_ms;
	w->say = say;
	w->ctx = ctx;
	pthread_mutex_init(&w->lock, NULL);
	thread_cond_init(&w->wake);
	if (thread_start(&w->thread, 128 << 10, run_watchdog, w) == 0)
		return w;
	free_watchdog(w);
	return NULL;
}

void watchdog_in(struct watchdog *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->since_ms = tm_awake_ms();
	pthread_mutex_unlock(&w->lock);
}

void watchdog_out(struct watchdog *w)
{
	char text[256];

	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	int64_t ms = tm_awake_ms() - w->since_ms;
	bool told = w->told;
	w->since_ms = 0;
	w->told = false;
	pthread_mutex_unlock(&w->lock);
	if (!told)
		return;
	snprintf(text, sizeof text, "%.100s came back after %lld s", w->what,
		 (long long)((ms + 500) / 1000));
	w->say(w->ctx, text);
}

void watchdog_free(struct watchdog *w)
{
	if (!w)
		return;
	pthread_mutex_lock(&w->lock);
	w->stop = true;
	pthread_cond_broadcast(&w->wake);
	pthread_mutex_unlock(&w->lock);
	pthread_join(w->thread, NULL);
	free_watchdog(w);
}
