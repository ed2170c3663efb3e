/* See gpu_apart.h. */
#include "device/gpu_apart.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "base/thread.h"
#include "base/tm.h"

/* libraries of drivers may want more of a stack than ours would */
#define DRIVER_STACK_BYTES (2 << 20)
#define LATE_MAX           1024 /* events of one driver that hangs again and again */

struct gpu_apart {
	const struct gpu_src_ops *ops;
	void *self; /* the thread's while `busy` */
	int64_t patience_ms;
	struct gpu_set seen;       /* the poller's copy of what the last poll that came back saw */
	VEC(struct gpu_proc) proc; /* of its devices */
	/* of calls that hung: the error that a GPU reports as it hangs is told in that very
	 * call */
	VEC(struct gpu_event) late;
	uint64_t late_generation; /* of the set that their positions are of */
	bool stuck;
	int64_t stuck_since_ms;
	pthread_t thread;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake, done;
	bool busy, stop, left;
	int64_t now_ms, mono_ms, since_ms; /* asked for; since_ms: when, on the steady clock */
	int rc;
	struct err err;
};

static void free_apart(struct gpu_apart *a)
{
	a->ops->close(a->self);
	pthread_cond_destroy(&a->wake);
	pthread_cond_destroy(&a->done);
	pthread_mutex_destroy(&a->lock);
	vec_free(&a->seen.dev);
	vec_free(&a->seen.event);
	str_free(&a->seen.problem);
	vec_free(&a->proc);
	vec_free(&a->late);
	free(a);
}

static void *run_polls(void *arg)
{
	struct gpu_apart *a = arg;

	pthread_mutex_lock(&a->lock);
	while (!a->stop) {
		if (!a->busy) {
			pthread_cond_wait(&a->wake, &a->lock);
			continue;
		}
		int64_t now_ms = a->now_ms, mono_ms = a->mono_ms;
		struct err err = { 0 };
		pthread_mutex_unlock(&a->lock);
		int rc = a->ops->poll(a->self, now_ms, mono_ms, &err);
		pthread_mutex_lock(&a->lock);
		a->rc = rc;
		a->err = err;
		a->busy = false;
		pthread_cond_signal(&a->done);
	}
	bool left = a->left;
	pthread_mutex_unlock(&a->lock);
	if (left)
		free_apart(a); /* nobody else knows of it any more */
	return NULL;
}

struct gpu_apart *gpu_apart_new(const struct gpu_src_ops *ops, void *self, int64_t patience_ms)
{
	struct gpu_apart *a = xcalloc(1, sizeof *a);

	a->ops = ops;
	a->self = self;
	a->patience_ms = patience_ms;
	pthread_mutex_init(&a->lock, NULL);
	pthread_cond_init(&a->wake, NULL);
	thread_cond_init(&a->done);
	if (thread_start(&a->thread, DRIVER_STACK_BYTES, run_polls, a) == 0)
		return a;
	free_apart(a);
	return NULL;
}

/* ---- what was seen ----------------------------------------------------------------------- */

static void keep_seen(struct gpu_apart *a)
{
	const struct gpu_set *from = a->ops->set(a->self);
	struct gpu_set *to = &a->seen;

	memcpy(to->driver, from->driver, sizeof to->driver);
	to->generation = from->generation;
	str_clear(&to->problem);
	str_addsv(&to->problem, str_sv(&from->problem));
	vec_clear(&to->dev);
	for (size_t i = 0; i < from->dev.n; i++)
		*vec_push(&to->dev) = from->dev.v[i];
	vec_clear(&to->event);
	for (size_t i = 0; i < a->late.n; i++)
		*vec_push(&to->event) = (struct gpu_event){ a->late.v[i].kind,
							    a->late_generation == from->generation
								    ? a->late.v[i].dev
								    : -1,
							    a->late.v[i].code };
	vec_clear(&a->late);
	for (size_t i = 0; i < from->event.n; i++)
		*vec_push(&to->event) = from->event.v[i];
	/* room for all processes first: the devices point into it */
	size_t nproc = 0;
	for (size_t i = 0; i < from->dev.n; i++)
		nproc += from->dev.v[i].nproc;
	vec_clear(&a->proc);
	if (nproc)
		vec_grow(&a->proc, nproc);
	for (size_t i = 0; i < from->dev.n; i++) {
		struct gpu_dev *d = &to->dev.v[i];
		d->proc = d->nproc ? a->proc.v + a->proc.n : NULL;
		for (size_t k = 0; k < d->nproc; k++)
			*vec_push(&a->proc) = from->dev.v[i].proc[k];
	}
}

static void push_event(struct gpu_apart *a, enum gpu_event_kind kind)
{
	*vec_push(&a->seen.event) = (struct gpu_event){ kind, -1, 0 };
}

/* ---- asking ------------------------------------------------------------------------------ */

int gpu_apart_poll(struct gpu_apart *a, int64_t now_ms, int64_t mono_ms, struct err *err)
{
	const struct gpu_set *from;
	int rc = 0;

	pthread_mutex_lock(&a->lock);
	if (!a->busy && a->stuck) {
		/* Events are the driver's to tell once: those of a call that came back too late
		 * wait for one that does not. */
		from = a->ops->set(a->self);
		for (size_t i = 0; i < a->late.n && a->late_generation != from->generation; i++)
			a->late.v[i].dev = -1; /* positions that mean nothing any more */
		for (size_t i = 0; i < from->event.n && a->late.n < LATE_MAX; i++)
			*vec_push(&a->late) = from->event.v[i];
		a->late_generation = from->generation;
	}
	if (!a->busy) {
		a->now_ms = now_ms;
		a->mono_ms = mono_ms;
		a->since_ms = tm_awake_ms();
		a->busy = true;
		pthread_cond_signal(&a->wake);
		int64_t until = a->since_ms + a->patience_ms;
		struct timespec t = { until / 1000, until % 1000 * 1000000 };
		while (a->busy)
			if (pthread_cond_timedwait(&a->done, &a->lock, &t) == ETIMEDOUT)
				break;
	}
	bool busy = a->busy;
	/* one that is always too slow is stuck since the first time */
	if (!a->stuck)
		a->stuck_since_ms = a->since_ms;
	int64_t ms = tm_awake_ms() - a->stuck_since_ms;
	if (!busy && (rc = a->rc) < 0)
		*err = a->err;
	pthread_mutex_unlock(&a->lock);
	if (busy) {
		/* Its devices are there, its processes too for all we know: nothing else is
		 * known. */
		vec_clear(&a->seen.event);
		if (!a->stuck)
			push_event(a, GPU_DRIVER_STUCK);
		a->stuck = true;
		for (size_t i = 0; i < a->seen.dev.n; i++) {
			struct gpu_dev *d = &a->seen.dev.v[i];
			size_t n = d->nproc;
			gpu_dev_clear(d);
			d->stuck = true;
			d->nproc = n;
		}
		for (size_t i = 0; i < a->proc.n; i++)
			a->proc.v[i].mem_bytes = a->proc.v[i].sm_util_pct = NAN;
		str_clear(&a->seen.problem);
		str_addf(
			&a->seen.problem,
			"The driver (%s) has not answered for %lld s: what its GPUs do is not known until it does.",
			a->seen.driver[0] ? a->seen.driver : a->ops->name, (long long)(ms / 1000));
		return 0;
	}
	bool was = a->stuck;
	a->stuck = false;
	keep_seen(a);
	if (was)
		push_event(a, GPU_DRIVER_BACK);
	return rc;
}

const struct gpu_set *gpu_apart_set(const struct gpu_apart *a)
{
	return &a->seen;
}

int64_t gpu_apart_stuck_ms(const struct gpu_apart *a)
{
	if (a->stuck)
		return tm_awake_ms() - a->stuck_since_ms;
	return 0;
}

const char *gpu_apart_why(const struct gpu_apart *a, size_t i, int metric)
{
	if (a->stuck || !a->ops->why)
		return NULL;
	return a->ops->why(a->self, i, metric);
}

void gpu_apart_close(struct gpu_apart *a)
{
	if (!a)
		return;
	pthread_mutex_lock(&a->lock);
	a->stop = true;
	a->left = a->busy;
	pthread_t thread = a->thread; /* a may be gone as soon as the lock is */
	bool left = a->left;
	pthread_cond_signal(&a->wake);
	pthread_mutex_unlock(&a->lock);
	if (left) {
		pthread_detach(thread);
		return;
	}
	pthread_join(thread, NULL);
	free_apart(a);
}
