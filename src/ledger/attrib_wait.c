/*
 * Hours of a GPU, and the queue of those that wait: causes that only the future knows (was the job
 * done, or did it wait?) are decided when the idle run of the allocation ends. A waiting hour takes
 * a few hundred bytes and there are PENDING_HOURS_MAX at most, so memory does not grow with
 * samples.
 */
#include "base/tm.h"
#include "ledger/attrib_line.h"

struct hour *line_hour(struct timeline *t)
{
	if (!t->open) {
		t->hour = t->spare.n ? t->spare.v[--t->spare.n] : (struct hour){ 0 };
		t->hour.hour_ms = tm_floor(t->now_ms, MS_HOUR);
		t->hour.npending = 0;
		t->open = true;
	}
	return &t->hour;
}

static enum cause empty_cause_at_end(const struct hold *h)
{
	if (h->was_busy)
		return CAUSE_EXITED;
	return CAUSE_NEVER_LAUNCHED;
}

static enum cause held_cause_at_end(const struct timeline *t, const struct hold *h)
{
	if ((double)h->run_idle_ms >= t->conf->finished_after_s * 1000)
		return CAUSE_FINISHED;
	return CAUSE_NONE;
}

/* The oldest hour has waited long enough: decide as if its allocations ended here. */
static void decide_front(struct timeline *t)
{
	struct hour *h = &t->wait.v[t->wait_head];
	while (h->npending)
		for (size_t i = 0; i < h->slot.n; i++) {
			int32_t a = h->slot.v[i].key.pending;
			if (a != NOT_PENDING) {
				hour_resolve(h, a, held_cause_at_end(t, &t->hold[a]),
					     empty_cause_at_end(&t->hold[a]));
				break;
			}
		}
}

static int flush_decided(struct timeline *t)
{
	while (t->wait_head < t->wait.n) {
		if (t->wait.n - t->wait_head > PENDING_HOURS_MAX)
			decide_front(t);
		if (t->wait.v[t->wait_head].npending)
			break;
		struct hour *h = &t->wait.v[t->wait_head++];
		int r = hour_close(&t->close, h, false, t->err);
		*vec_push(&t->spare) = *h;
		if (t->wait_head == t->wait.n)
			t->wait_head = t->wait.n = 0;
		if (r < 0)
			return r;
	}
	return 0;
}

int line_finish_hour(struct timeline *t)
{
	if (!t->open)
		return 0;
	t->open = false;
	hour_end(&t->close, &t->hour);
	/* Drop the emitted front of the queue once it is the larger part. */
	if (t->wait_head >= 64 && t->wait_head * 2 >= t->wait.n) {
		memmove(t->wait.v, t->wait.v + t->wait_head,
			(t->wait.n - t->wait_head) * sizeof *t->wait.v);
		t->wait.n -= t->wait_head;
		t->wait_head = 0;
	}
	*vec_push(&t->wait) = t->hour;
	return flush_decided(t);
}

int line_end_run(struct timeline *t, uint32_t a, bool at_end)
{
	struct hold *h = &t->hold[a];
	if (!h->run)
		return 0;
	enum cause held = at_end ? held_cause_at_end(t, h) : CAUSE_NONE, empty = CAUSE_WAITING;
	if (at_end)
		empty = empty_cause_at_end(h);
	h->run = false;
	if (t->open)
		hour_resolve(&t->hour, (int32_t)a, held, empty);
	for (size_t i = t->wait.n; i-- > t->wait_head && t->wait.v[i].hour_ms >= h->run_hour_ms;)
		hour_resolve(&t->wait.v[i], (int32_t)a, held, empty);
	h->run_idle_ms = 0;
	return flush_decided(t);
}
