/* See top.h. */
#include "top/top.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "top/top_book.h"
#include "top/top_json.h"
#include "top/top_paint.h"
#include "top/top_screen.h"
#include "base/mem.h"
#include "base/thread.h"
#include "base/tm.h"

#define BOOK_EVERY_MS 15000 /* the agent closes a minute a minute: four looks are plenty */
#define ONCE_STEP_MS  1000

/* ---- the polling thread ------------------------------------------------------------------ */

struct poller {
	const struct top_opt *opt;
	struct watch *watch;
	struct snap_taker *taker;
	struct top_book *agent_book; /* NULL: none is looked for */
	int64_t booked_mono_ms;      /* last look into it */
	pthread_t thread;
	int wake[2]; /* a byte a poll, for the screen's wait */

	pthread_mutex_t lock; /* of all below */
	pthread_cond_t changed;
	int64_t interval_ms;
	bool now, end;
	struct top_snap *fresh; /* not yet taken */
	struct arena book_mem;
	struct top_today book; /* known: not yet taken */
	int failed;
	struct err err;
};

static int poll_once(struct poller *p, struct top_snap **ret, struct err *err)
{
	const struct watch_view *v;
	int r = watch_poll(p->watch, p->opt->now_ms(), tm_awake_ms(), &v, err);
	if (r >= 0)
		*ret = snap_take(p->taker, v);
	return r;
}

static bool look_at_book(struct poller *p, struct top_today *ret)
{
	int64_t mono = tm_awake_ms();
	*ret = (struct top_today){ 0 };
	if (!p->agent_book || (p->booked_mono_ms && mono - p->booked_mono_ms < BOOK_EVERY_MS))
		return false;
	p->booked_mono_ms = mono;
	top_book_today(p->agent_book, p->opt->now_ms(), ret);
	return ret->known;
}

/* Until the next poll is due, somebody wants one, or it is over; true: over. */
static bool wait_turn(struct poller *p, int64_t *due_mono_ms)
{
	pthread_mutex_lock(&p->lock);
	*due_mono_ms += p->interval_ms;
	int64_t start = *due_mono_ms - p->interval_ms, mono;
	while (!p->end && !p->now && (mono = tm_awake_ms()) < start + p->interval_ms) {
		int64_t until = start + p->interval_ms;
		struct timespec t = { until / 1000, until % 1000 * 1000000 };
		pthread_cond_timedwait(&p->changed, &p->lock, &t);
	}
	mono = tm_awake_ms();
	if (p->now || start + 2 * p->interval_ms < mono)
		*due_mono_ms = mono;
	else
		*due_mono_ms = start + p->interval_ms; /* late: no polls to catch up */
	p->now = false;
	bool end = p->end;
	pthread_mutex_unlock(&p->lock);
	return end;
}

static void *poll_loop(void *arg)
{
	struct poller *p = arg;
	int64_t due_mono_ms = tm_awake_ms();
	do {
		struct top_snap *s = NULL;
		struct top_today book;
		struct err err = { 0 };
		int r = poll_once(p, &s, &err);
		look_at_book(p, &book);

		pthread_mutex_lock(&p->lock);
		if (r < 0) {
			p->failed = r;
			p->err = err;
		} else {
			/* A poll that the screen had no time for loses its step, unless the next
			 * one takes it over. */
			if (p->fresh)
				s->step_ms += p->fresh->step_ms;
			top_snap_free(p->fresh);
			p->fresh = s;
		}
		if (book.known) {
			arena_free(&p->book_mem);
			struct top_booked *row = arena_alloc(&p->book_mem,
							     (book.n + 1) * sizeof *row);
			for (size_t i = 0; i < book.n; i++) {
				row[i] = book.row[i];
				row[i].key.p = arena_strn(&p->book_mem, book.row[i].key.p,
							  book.row[i].key.n);
			}
			p->book = book;
			p->book.row = row;
		}
		pthread_mutex_unlock(&p->lock);
		ssize_t n = write(p->wake[1], "", 1); /* full: the screen is woken anyway */
		(void)n;
		if (r < 0)
			break;
	} while (!wait_turn(p, &due_mono_ms));
	return NULL;
}

static int poller_open(struct poller *p, const struct top_opt *opt, struct err *err)
{
	*p = (struct poller){ .opt = opt, .interval_ms = opt->interval_ms, .wake = { -1, -1 } };
	int r = watch_open(&opt->watch, &p->watch, err);
	if (r < 0)
		return r;
	p->taker = snap_taker_new(opt->watch.whose.proc);
	if (opt->state_dir)
		p->agent_book = top_book_new(opt->state_dir);
	if (pipe2(p->wake, O_CLOEXEC | O_NONBLOCK) < 0) {
		r = -errno;
		return err_set(err, r, "no pipe: %s", strerror(-r));
	}
	return 0;
}

static void poller_free(struct poller *p)
{
	watch_close(p->watch);
	snap_taker_free(p->taker);
	top_book_free(p->agent_book);
	top_snap_free(p->fresh);
	arena_free(&p->book_mem);
	for (int i = 0; i < 2; i++)
		if (p->wake[i] >= 0)
			close(p->wake[i]);
}

static void poller_tell(struct poller *p, int64_t interval_ms, bool now, bool end)
{
	pthread_mutex_lock(&p->lock);
	p->interval_ms = interval_ms;
	p->now = p->now || now;
	p->end = p->end || end;
	pthread_cond_signal(&p->changed);
	pthread_mutex_unlock(&p->lock);
}

/* ---- the screen's side ------------------------------------------------------------------- */

/* Take what the thread has; 1: something new, 0: nothing, negative: it has failed. */
static int take_polled(struct poller *p, struct top_model *m, struct err *err)
{
	char drop[64];
	while (read(p->wake[0], drop, sizeof drop) > 0)
		;
	pthread_mutex_lock(&p->lock);
	struct top_snap *s = p->fresh;
	int r = p->failed;
	p->fresh = NULL;
	if (s)
		top_model_feed(m, s);
	if (p->book.known)
		top_model_book(m, &p->book);
	p->book.known = false;
	if (r < 0)
		*err = p->err;
	pthread_mutex_unlock(&p->lock);
	if (r < 0)
		return r;
	return s != NULL;
}

static void paint_screen(const struct top_opt *opt, struct top_model *m, struct top_ui *ui,
			 struct cells *g)
{
	int w, h;
	top_screen_size(&w, &h);
	if (!g->cell || g->w != w || g->h != h) {
		cells_free(g);
		cells_init(g, w, h, opt->utf8);
	}
	top_ui_rows(ui, m);
	top_paint(g, m, ui);
	top_screen_show(g);
}

static int page_loop(struct poller *p, const struct top_opt *opt, struct err *err)
{
	struct top_model m = { 0 };
	struct top_ui ui;
	struct cells g = { 0 };
	int r = 0;
	top_ui_init(&ui, opt->interval_ms);
	paint_screen(opt, &m, &ui, &g);
	for (;;) {
		int key = top_screen_key(p->wake[0], -1);
		if (key == -EINTR)
			break;
		enum top_todo todo = TODO_NOTHING;
		if (key)
			todo = top_ui_key(&ui, &m, key);
		top_model_hold(&m, ui.paused);
		r = take_polled(p, &m, err);
		if (r < 0 || todo == TODO_QUIT)
			break;
		if (todo == TODO_INTERVAL || todo == TODO_NOW)
			poller_tell(p, ui.interval_ms, todo == TODO_NOW, false);
		/* Paused: the model goes on counting, the page stands still until a key. */
		if (todo != TODO_NOTHING || (r > 0 && !ui.paused))
			paint_screen(opt, &m, &ui, &g);
		r = 0;
	}
	cells_free(&g);
	top_ui_free(&ui);
	top_model_free(&m);
	if (r < 0)
		return r;
	return top_screen_signal();
}

int top_run(const struct top_opt *opt, struct err *err)
{
	struct poller p;
	int r = poller_open(&p, opt, err);
	if (r >= 0)
		r = top_screen_open(opt->colour, err);
	if (r >= 0) {
		/* all signals go to the thread of the screen */
		pthread_mutex_init(&p.lock, NULL);
		thread_cond_init(&p.changed);
		r = thread_start(&p.thread, 0, poll_loop, &p);
		if (r)
			r = err_set(err, -r, "no thread for the polls: %s", strerror(r));
	}
	if (r >= 0) {
		r = page_loop(&p, opt, err);
		top_screen_close(); /* first: the thread may be in the middle of a slow question */
		poller_tell(&p, opt->interval_ms, false, true);
		pthread_join(p.thread, NULL);
		pthread_cond_destroy(&p.changed);
		pthread_mutex_destroy(&p.lock);
	}
	top_screen_close();
	poller_free(&p);
	return r;
}

int top_print_once(const struct top_opt *opt, const struct out_as *as, struct str *out,
		   struct err *err)
{
	struct top_model m;
	struct top_ui ui;

	/* Two polls, a second apart so that there are rates; the model then has both. Interrupted
	 * by nothing. */
	struct poller p;
	struct top_snap *s;
	struct top_today book;
	m = (struct top_model){ 0 };
	int r = poller_open(&p, opt, err);
	for (int i = 0; i < 2 && r >= 0; i++) {
		struct timespec pause = { 0, 0 };
		pause.tv_sec = ONCE_STEP_MS / 1000;
		if (i)
			nanosleep(&pause, NULL);
		r = poll_once(&p, &s, err);
		if (r >= 0)
			top_model_feed(&m, s);
	}
	if (r >= 0 && look_at_book(&p, &book))
		top_model_book(&m, &book);
	poller_free(&p);
	if (r < 0)
		top_model_free(&m);

	if (r < 0)
		return r;
	if (as->format == OUT_JSON) {
		top_json(&m, out);
	} else {
		top_ui_init(&ui, 0);
		top_ui_rows(&ui, &m);
		top_print(&m, &ui, as->width, opt->utf8, out);
		top_ui_free(&ui);
	}
	top_model_free(&m);
	return 0;
}
