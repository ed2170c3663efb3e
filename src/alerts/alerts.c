/* Alerts in the agent: the engine in the thread that polls, the receivers in another one. Only the
 * queue is shared, under a lock. */
#include "alerts/alerts_in.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/num.h"
#include "base/thread.h"
#include "base/tm.h"

struct newcomers {
	struct agent_alerts *a;
	bool *is_new;
}; /* [receivers] */

/* ---- the thread that sends --------------------------------------------------------------- */

static void *run_sender(void *arg)
{
	struct agent_alerts *a = arg;

	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		int64_t next, after;
		struct err err = { 0 };
		struct notify_batch *b = NULL;
		if (!a->fresh)
			b = notify_next(a->queue, tm_awake_ms() + a->clock_off_ms, &next);
		if (!b) {
			/* under the lock; at: the caller's clock */
			int64_t at_ms = a->fresh ? INT64_MAX : next;
			int64_t own = tm_awake_ms(), ms = MS_MINUTE;
			struct timespec t;

			if (at_ms != INT64_MAX)
				ms = at_ms - (own + a->clock_off_ms);
			ms = own + clamp_i64(ms, 1, MS_MINUTE);
			t.tv_sec = ms / 1000;
			t.tv_nsec = ms % 1000 * 1000000;
			pthread_cond_timedwait(&a->wake, &a->lock, &t);

			continue;
		}
		int64_t wall_ms = a->wall_ms;
		a->out++;
		pthread_mutex_unlock(&a->lock);
		int r = notify_send(&a->opt.conf->receiver.v[b->target], b->notice, b->n, wall_ms,
				    &after, &err);
		pthread_mutex_lock(&a->lock);
		a->out--;
		a->delivered = true;
		notify_done(a->queue, b, r, after, &err, tm_awake_ms() + a->clock_off_ms);
		pthread_cond_broadcast(&a->wake);
	}
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static int start_thread(struct agent_alerts *a, struct err *err)
{
	int r = thread_start(&a->thread, 512 << 10, run_sender, a);

	if (r)
		return err_set(err, -r, "no thread for the receivers of alerts: %s", strerror(r));
	a->threaded = true;
	return 0;
}

/* ---- what the engine says ---------------------------------------------------------------- */

void alerts_put(struct agent_alerts *a, size_t target, const struct notice *n)
{
	if (!a->opt.dry_run) {
		pthread_mutex_lock(&a->lock);
		notify_add(a->queue, target, n, a->mono_ms);
		pthread_cond_broadcast(&a->wake);
		pthread_mutex_unlock(&a->lock);
	} else if (a->opt.show) {
		struct str text = { 0 };
		notify_show(&a->opt.conf->receiver.v[target], n, 1, a->wall_ms, &text);
		a->opt.show(a->opt.ctx, text.p);
		str_free(&text);
	}
}

static void tell_alert(struct agent_alerts *a, const struct alert *al, bool over, bool again)
{
	struct arena mem = { 0 };
	struct notice n = agent_alerts_notice(al, over, a->wall_ms, &a->rate, &mem);

	alerts_conf_route(a->opt.conf, al->rule, al->field, a->to);
	for (size_t i = 0; i < a->opt.conf->receiver.n; i++) {
		bool manager = a->opt.conf->receiver.v[i].kind == NOTIFY_ALERTMANAGER;
		bool due = !again || (manager && a->resend_ms[i] <= a->mono_ms);
		if (a->to[i] && due)
			alerts_put(a, i, &n);
	}
	arena_free(&mem);
}

static void on_event(void *ctx, enum alert_event ev, const struct alert *al, int64_t wall_ms)
{
	struct agent_alerts *a = ctx;

	if (ev == ALERT_EV_TELL || ev == ALERT_EV_TELL_OVER)
		tell_alert(a, al, ev == ALERT_EV_TELL_OVER, false);
	a->dirty |= ev != ALERT_EV_PENDING;
}

static void tell_again(void *ctx, const struct alert *al)
{
	if (al->told && al->firing)
		tell_alert(ctx, al, false, true);
}

/* ---- settings again ----------------------------------------------------------------------- */

void agent_alerts_use(struct agent_alerts *a, const struct alerts_conf *conf)
{
	pthread_mutex_lock(&a->lock);
	a->fresh = conf;
	pthread_mutex_unlock(&a->lock);
}

const struct alerts_conf *agent_alerts_conf(const struct agent_alerts *a)
{
	return a->opt.conf;
}

static void room_for_receivers(struct agent_alerts *a)
{
	size_t n = a->opt.conf->receiver.n;

	free(a->to);
	free(a->resend_ms);
	a->to = xcalloc(n ? n : 1, sizeof *a->to);
	a->resend_ms = xcalloc(n ? n : 1, sizeof *a->resend_ms);
	for (size_t i = 0; i < n; i++)
		a->resend_ms[i] = a->mono_ms;
}

/* What fires is told to a receiver that was not there when it was told. */
static void tell_newcomers(void *ctx, const struct alert *al)
{
	struct newcomers *w = ctx;
	struct agent_alerts *a = w->a;
	struct arena mem = { 0 };

	if (!al->firing || !al->told)
		return;
	struct notice n = agent_alerts_notice(al, false, a->wall_ms, &a->rate, &mem);
	alerts_conf_route(a->opt.conf, al->rule, al->field, a->to);
	for (size_t i = 0; i < a->opt.conf->receiver.n; i++)
		if (a->to[i] && w->is_new[i])
			alerts_put(a, i, &n);
	arena_free(&mem);
}

/* As over a restart: states go through their text, so that what the new rules do not know falls
 * away and what they know goes on. */
static void use_fresh(struct agent_alerts *a)
{
	struct newcomers w = { a, NULL };
	struct str text = { 0 };
	struct err err = { 0 };

	pthread_mutex_lock(&a->lock);
	/* once nothing is out, nothing goes out before this is done */
	bool wants_fresh = a->fresh && !a->out;
	pthread_mutex_unlock(&a->lock);
	if (!wants_fresh)
		return;
	alerts_state_text(a, &text);

	/* Is there something to be used, and may it be now? Then the queue is new; the old one's
	 * notices are in the text that was made of it before. */
	struct agent_alerts_stat s = agent_alerts_stat(a);
	bool can;

	pthread_mutex_lock(&a->lock);
	can = a->fresh && !a->out;
	if (can) {
		w.is_new = xcalloc(a->fresh->receiver.n + 1, sizeof *w.is_new);
		for (size_t i = 0; i < a->fresh->receiver.n; i++)
			w.is_new[i] = alerts_conf_receiver(a->opt.conf,
							   a->fresh->receiver.v[i].name) < 0;
		a->before = s;
		a->before.waiting = 0;
		notify_free(a->queue);
		a->opt.conf = a->fresh;
		a->queue = notify_new(a->fresh->receiver.v, a->fresh->receiver.n);
		a->fresh = NULL;
		pthread_cond_broadcast(&a->wake);
	}
	pthread_mutex_unlock(&a->lock);
	if (can) {
		alerts_free(a->engine);
		a->engine = alerts_new(a->opt.conf->rule.v, a->opt.conf->rule.n, on_event, a);
		room_for_receivers(a);
		alerts_state_parse(a, &text, &err);
		alerts_load_silences(a);
		alerts_each(a->engine, tell_newcomers, &w);
		if (a->opt.conf->receiver.n && !a->opt.dry_run && !a->threaded)
			start_thread(a, &err); /* without one it is tried at the next settings */
		a->dirty = true;
	}

	free(w.is_new);
	str_free(&text);
}

/* ---- doors ------------------------------------------------------------------------------- */

int agent_alerts_open(const struct agent_alerts_opt *opt, int64_t now_ms, int64_t mono_ms,
		      struct agent_alerts **ret, struct err *err)
{
	struct agent_alerts *a = xcalloc(1, sizeof *a);
	size_t n = opt->conf->receiver.n;

	err_clear(err);
	a->opt = *opt;
	a->wall_ms = now_ms;
	a->mono_ms = mono_ms;
	a->clock_off_ms = mono_ms - tm_awake_ms();
	a->engine = alerts_new(opt->conf->rule.v, opt->conf->rule.n, on_event, a);
	a->opt.dir = opt->dir ? xstrdup(opt->dir) : NULL;
	a->opt.db = opt->db ? xstrdup(opt->db) : NULL;
	room_for_receivers(a);
	a->queue = notify_new(opt->conf->receiver.v, n);
	pthread_mutex_init(&a->lock, NULL);
	thread_cond_init(&a->wake);
	alerts_load_state(a, err);
	alerts_load_silences(a);
	a->save_ms = mono_ms + SAVE_MS;
	int r = 0;
	if (n && !opt->dry_run)
		r = start_thread(a, err);
	if (r < 0) {
		agent_alerts_close(a, now_ms, mono_ms, 0);
		return r;
	}
	*ret = a;
	return 0;
}

static void set_clock(struct agent_alerts *a, int64_t now_ms, int64_t mono_ms)
{
	pthread_mutex_lock(&a->lock);
	a->wall_ms = now_ms;
	a->mono_ms = mono_ms;
	a->clock_off_ms = mono_ms - tm_awake_ms();
	pthread_mutex_unlock(&a->lock);
}

void agent_alerts_view(struct agent_alerts *a, const struct watch_view *v)
{
	struct alert_obs o;

	set_clock(a, v->t_ms, v->mono_ms);
	a->rate = v->rate;
	for (size_t i = 0; i < v->ndev; i++)
		if (agent_alerts_obs(v, &v->dev[i], a->opt.catalog, &o))
			alerts_observe(a->engine, &o, v->t_ms);

	/* Nothing was polled (the driver is away): silent GPUs get `no data`. */
	int64_t now_ms = v->t_ms;
	int64_t mono_ms = v->mono_ms;
	set_clock(a, now_ms, mono_ms);
	use_fresh(a);
	if (a->silence_ms <= mono_ms)
		alerts_load_silences(a);
	alerts_tick(a->engine, mono_ms, now_ms);

	/* An Alertmanager forgets what is not said again. */
	bool due = false;
	for (size_t i = 0; i < a->opt.conf->receiver.n; i++)
		due |= a->opt.conf->receiver.v[i].kind == NOTIFY_ALERTMANAGER &&
		       a->resend_ms[i] <= mono_ms;
	if (due)
		alerts_each(a->engine, tell_again, a);
	for (size_t i = 0; due && i < a->opt.conf->receiver.n; i++)
		if (a->resend_ms[i] <= mono_ms)
			a->resend_ms[i] = mono_ms + a->opt.conf->receiver.v[i].resend_ms;

	pthread_mutex_lock(&a->lock);
	bool delivered = a->delivered;
	pthread_mutex_unlock(&a->lock);
	if (a->dirty || delivered || a->save_ms <= mono_ms)
		alerts_save_state(a);
}

void agent_alerts_each(const struct agent_alerts *a, void (*fn)(void *ctx, const struct alert *al),
		       void *ctx)
{
	alerts_each(a->engine, fn, ctx);
}

struct agent_alerts_stat agent_alerts_stat(struct agent_alerts *a)
{
	pthread_mutex_lock(&a->lock);
	struct agent_alerts_stat s = a->before;
	for (size_t i = 0; i < a->opt.conf->receiver.n; i++) {
		const struct notify_stat *n = notify_stat(a->queue, i);
		s.sent += n->sent;
		s.failed += n->failed;
		s.dropped += n->dropped;
		s.waiting += (int64_t)n->waiting;
		if (n->last_error[0])
			memcpy(s.last_error, n->last_error, sizeof s.last_error);
	}
	s.waiting += (int64_t)a->out;
	pthread_mutex_unlock(&a->lock);
	return s;
}

void agent_alerts_close(struct agent_alerts *a, int64_t now_ms, int64_t mono_ms, int64_t wait_ms)
{
	if (!a)
		return;
	set_clock(a, now_ms, mono_ms);
	alerts_save_state(a);
	if (a->threaded) {
		/* Until nothing waits, or the time is over; then the thread ends when the send it
		 * is in has ended. */
		int64_t until = tm_awake_ms() + wait_ms;

		pthread_mutex_lock(&a->lock);
		notify_hurry(a->queue);
		pthread_cond_broadcast(&a->wake);
		pthread_mutex_unlock(&a->lock);
		while (agent_alerts_stat(a).waiting && tm_awake_ms() < until)
			usleep(10000);
		pthread_mutex_lock(&a->lock);
		a->stop = true;
		pthread_cond_broadcast(&a->wake);
		pthread_mutex_unlock(&a->lock);
		pthread_join(a->thread, NULL);

		alerts_save_state(a);
	}
	alerts_free(a->engine);
	notify_free(a->queue);
	pthread_cond_destroy(&a->wake);
	pthread_mutex_destroy(&a->lock);
	free(a->to);
	free(a->resend_ms);
	free((char *)a->opt.dir);
	free((char *)a->opt.db);
	free(a);
}
