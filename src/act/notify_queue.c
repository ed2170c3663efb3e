/* The queue of notices: per receiver a ring of at most NOTIFY_QUEUE_MAX, one batch out at a time,
 * and when to try again. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "act/notify.h"
#include "base/num.h"
#include "net/http.h"

struct waiting {
	struct notice notice;
	struct arena mem;
	int64_t added_ms;
};
struct lane {                       /* a receiver */
	VEC(struct waiting *) wait; /* the oldest first */
	int attempt;                /* failures in a row */
	int64_t not_before_ms;
	const struct notify_batch *out; /* being sent */
	struct notify_stat stat;
};
struct notify {
	const struct notify_target *target;
	struct lane *lane;
	size_t n;
	bool hurry;
};

struct notify *notify_new(const struct notify_target *target, size_t n)
{
	struct notify *q = xcalloc(1, sizeof *q);

	q->target = target;
	q->n = n;
	q->lane = xcalloc(n ? n : 1, sizeof *q->lane);
	for (size_t i = 0; i < n; i++)
		q->lane[i].not_before_ms = INT64_MIN;
	return q;
}

static void waiting_free(struct waiting *w)
{
	arena_free(&w->mem);
	free(w);
}

void notify_free(struct notify *q)
{
	if (!q)
		return;
	for (size_t i = 0; i < q->n; i++) {
		for (size_t k = 0; k < q->lane[i].wait.n; k++)
			waiting_free(q->lane[i].wait.v[k]);
		vec_free(&q->lane[i].wait);
	}
	free(q->lane);
	free(q);
}

static const char *copy_max(struct arena *a, const char *z, size_t max)
{
	if (z)
		return arena_sv(a, (struct sv){ z, strnlen(z, max) });
	return NULL;
}

static struct notice notice_copy(struct arena *a, const struct notice *n)
{
	struct notice c = *n;
	struct notice_label *label = arena_alloc(a, (n->nlabel ? n->nlabel : 1) * sizeof *label);

	for (size_t i = 0; i < n->nlabel; i++)
		label[i] = (struct notice_label){ copy_max(a, n->label[i].name, 64),
						  copy_max(a, n->label[i].value, 256) };
	c.label = label;
	c.id = copy_max(a, n->id, 1024);
	c.group = copy_max(a, n->group, 1024);
	c.rule = copy_max(a, n->rule, 128);
	c.severity = copy_max(a, n->severity, 32);
	c.summary = copy_max(a, n->summary, 512);
	c.advice = copy_max(a, n->advice, 512);
	c.signal = copy_max(a, n->signal, 64);
	c.why_over = copy_max(a, n->why_over, 128);
	c.cost = copy_max(a, n->cost, 64);
	c.currency = copy_max(a, n->currency, 8);
	return c;
}

static void lane_remove(struct lane *l, size_t k)
{
	waiting_free(l->wait.v[k]);
	memmove(&l->wait.v[k], &l->wait.v[k + 1], (l->wait.n - k - 1) * sizeof *l->wait.v);
	l->wait.n--;
	l->stat.waiting = l->wait.n;
}

static void lane_put(struct lane *l, const struct notice *n, int64_t added_ms)
{
	struct waiting *w = xcalloc(1, sizeof *w);

	w->notice = notice_copy(&w->mem, n);
	w->added_ms = added_ms;
	if (l->wait.n >= NOTIFY_QUEUE_MAX) {
		lane_remove(l, 0);
		l->stat.dropped++;
	}
	*vec_push(&l->wait) = w;
	l->stat.waiting = l->wait.n;
}

void notify_add(struct notify *q, size_t target, const struct notice *n, int64_t mono_ms)
{
	struct lane *l = &q->lane[target];

	/*
	 * An older word on the same alert is out of date. That it began and nobody has heard of it
	 * yet, and now it is over: both are told, as one that is over; where the receiver does not
	 * want to hear of the end, neither is.
	 */
	for (size_t k = 0; k < l->wait.n; k++)
		if (!strcmp(l->wait.v[k]->notice.id, n->id)) {
			lane_remove(l, k);
			break;
		}
	if (!n->over || q->target[target].resolved)
		lane_put(l, n, mono_ms);
}

static struct notify_batch *lane_take(struct lane *l, const struct notify_target *t, size_t target)
{
	struct notify_batch *b = xcalloc(1, sizeof *b);
	struct notice *v = arena_alloc(&b->mem, NOTIFY_BATCH_MAX * sizeof *v);

	b->target = target;
	b->notice = v;
	b->attempt = l->attempt;
	b->first_ms = l->wait.v[0]->added_ms;
	for (size_t k = 0; k < l->wait.n && b->n < NOTIFY_BATCH_MAX;) {
		const struct notice *w = &l->wait.v[k]->notice;
		bool any = !b->n || t->kind == NOTIFY_ALERTMANAGER;
		bool alike = !any && v->over == w->over && v->test == w->test;
		if (!any && (!alike || strcmp(v->group, w->group) != 0)) {
			k++;
			continue;
		}
		v[b->n++] = notice_copy(&b->mem, w);
		lane_remove(l, k);
	}
	l->out = b;
	return b;
}

void notify_each(const struct notify *q,
		 void (*fn)(void *ctx, size_t target, const struct notice *n), void *ctx)
{
	for (size_t i = 0; i < q->n; i++) {
		const struct lane *l = &q->lane[i];
		for (size_t k = 0; l->out && k < l->out->n; k++)
			fn(ctx, i, &l->out->notice[k]);
		for (size_t k = 0; k < l->wait.n; k++)
			fn(ctx, i, &l->wait.v[k]->notice);
	}
}

void notify_hurry(struct notify *q)
{
	q->hurry = true;
}

/* When the lane may send: after what it waits for others of the group, and after a failure. */
static int64_t lane_due(const struct notify *q, size_t i)
{
	const struct lane *l = &q->lane[i];
	bool gather = !q->hurry && q->target[i].kind != NOTIFY_ALERTMANAGER;
	int64_t due = l->wait.v[0]->added_ms + (gather ? NOTIFY_GATHER_MS : 0);

	return max_i64(due, l->not_before_ms);
}

struct notify_batch *notify_next(struct notify *q, int64_t mono_ms, int64_t *ret_next_ms)
{
	*ret_next_ms = INT64_MAX;
	for (size_t i = 0; i < q->n; i++) {
		struct lane *l = &q->lane[i];
		while (l->wait.n && mono_ms - l->wait.v[0]->added_ms > NOTIFY_GIVE_UP_MS) {
			lane_remove(l, 0);
			l->stat.dropped++;
		}
		if (!l->wait.n || l->out)
			continue;
		if (lane_due(q, i) <= mono_ms)
			return lane_take(l, &q->target[i], i);
		if (lane_due(q, i) < *ret_next_ms)
			*ret_next_ms = lane_due(q, i);
	}
	return NULL;
}

bool notify_worth_retry(int rc)
{
	switch (rc) {
	case -EINVAL:
	case -EACCES:
	case -ENOENT:
	case -EPERM: return false;
	default: return rc < 0;
	}
}

void notify_done(struct notify *q, struct notify_batch *b, int rc, int64_t retry_after_ms,
		 const struct err *why, int64_t mono_ms)
{
	struct lane *l = &q->lane[b->target];

	l->out = NULL;
	if (rc >= 0) {
		l->attempt = 0;
		l->not_before_ms = INT64_MIN;
		l->stat.sent += (int64_t)b->n;
	} else if (notify_worth_retry(rc)) {
		l->not_before_ms = mono_ms + http_backoff_ms(l->attempt++, retry_after_ms);
		l->stat.retried++;
		/* Back into the queue, unless there is newer word on the same alert or no room. */
		for (size_t i = b->n; i-- > 0;) {
			bool newer = false;
			for (size_t k = 0; k < l->wait.n && !newer; k++)
				newer = !strcmp(l->wait.v[k]->notice.id, b->notice[i].id);
			if (newer)
				continue;
			if (l->wait.n >= NOTIFY_QUEUE_MAX) {
				l->stat.dropped++;
				continue;
			}
			lane_put(l, &b->notice[i], b->first_ms);
			/* to the front: it was the oldest */
			struct waiting *last = l->wait.v[l->wait.n - 1];
			memmove(&l->wait.v[1], &l->wait.v[0], (l->wait.n - 1) * sizeof *l->wait.v);
			l->wait.v[0] = last;
		}
	} else {
		l->stat.failed += (int64_t)b->n;
	}
	if (rc < 0)
		snprintf(l->stat.last_error, sizeof l->stat.last_error, "%.190s", why->msg);
	arena_free(&b->mem);
	free(b);
}

const struct notify_stat *notify_stat(const struct notify *q, size_t target)
{
	return &q->lane[target].stat;
}
