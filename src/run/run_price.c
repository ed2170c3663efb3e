/* See run_price.h. */
#include "base/tm.h"
#include "run/run_price.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/dec.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/shell.h"

#define COMMAND_MS   30000
#define USD_HOUR_MAX (DEC_ONE * 100000) /* above it is a typing error */

/* ---- sources ----------------------------------------------------------------------------- */

int run_price_parse(struct sv text, int64_t *ret_nano, struct err *err)
{
	struct sv rest, line = sv_trim(sv_cut(text, '\n', &rest));
	char seen[40];
	dec v;

	if (line.n && line.p[0] == '$')
		line = sv_trim(sv_from(line, 1));
	if (!line.n || dec_parse(line, 0, &v) < 0 || v < 0 || v > USD_HOUR_MAX) {
		sv_clean(sv_or(line, SV("")), seen, sizeof seen);
		return err_set(err, -EBADMSG, "'%s' is not a price of an hour, such as 2.74", seen);
	}
	*ret_nano = dec_to_nano(v);
	return 0;
}

int run_price_file(void *ctx, int64_t now_ms, bool (*stopped)(void *), void *stop_ctx,
		   int64_t *ret_nano, struct err *err)
{
	const char *path = ctx;
	char buf[256];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), r;
	ssize_t n = -1;

	if (fd >= 0)
		n = read(fd, buf, sizeof buf);
	(void)now_ms;
	(void)stopped;
	(void)stop_ctx;
	r = n < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	if (r < 0)
		return err_set(err, r, "cannot read the price in '%s': %s", path, strerror(-r));
	r = run_price_parse((struct sv){ buf, (size_t)n }, ret_nano, err);
	if (r < 0)
		err_prefix(err, "'%s'", path);
	return r;
}

int run_price_command(void *ctx, int64_t now_ms, bool (*stopped)(void *), void *stop_ctx,
		      int64_t *ret_nano, struct err *err)
{
	char buf[256];
	size_t n;
	int code = shell_run(ctx, &(struct shell_opt){ COMMAND_MS, stopped, stop_ctx }, buf,
			     sizeof buf, &n),
	    r;

	(void)now_ms;
	if (code < 0)
		return err_set(
			err, -EAGAIN,
			"the command that tells the price was killed, or took more than %d s",
			COMMAND_MS / 1000);
	if (code > 0)
		return err_set(err, -EAGAIN, "the command that tells the price ended with %d",
			       code);
	r = run_price_parse((struct sv){ buf, n }, ret_nano, err);
	if (r < 0)
		err_prefix(err, "the command that tells the price");
	return r;
}

/* ---- the thread -------------------------------------------------------------------------- */

static bool is_quit(void *ctx)
{
	struct run_price *p = ctx;

	pthread_mutex_lock(&p->mu);
	bool quit = p->quit;
	pthread_mutex_unlock(&p->mu);
	return quit;
}

static void *run_reader(void *arg)
{
	struct run_price *p = arg;

	for (;;) {
		struct timespec until = thread_until(p->src->every_ms);
		pthread_mutex_lock(&p->mu);
		while (!p->quit && pthread_cond_timedwait(&p->wake, &p->mu, &until) == 0)
			;
		bool over = p->quit;
		pthread_mutex_unlock(&p->mu);
		if (over)
			break;
		struct err err = { 0 };
		int64_t nano = -1, one = 1;
		int r = p->src->read(p->src->ctx, tm_steady_ms(), is_quit, p, &nano, &err);
		pthread_mutex_lock(&p->mu);
		p->news = r >= 0 || !p->failed; /* that it cannot be read is told once */
		p->failed = r < 0;
		p->nano = nano;
		p->err = err;
		bool tell = p->news && !p->quit;
		pthread_mutex_unlock(&p->mu);
		if (tell && write(p->fd, &one, sizeof one) < 0)
			break;
	}
	return NULL;
}

int run_price_open(struct run_price *p, const struct run_price_src *src, struct err *err)
{
	*p = (struct run_price){ .src = src, .fd = -1, .nano = -1 };
	if (!src->read)
		return 0;
	if ((p->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
		return err_set(err, -errno, "cannot make an event: %s", strerror(errno));
	pthread_mutex_init(&p->mu, NULL);
	thread_cond_init(&p->wake);
	int r = thread_start(&p->th, 0, run_reader, p);
	p->running = r == 0;
	if (r)
		return err_set(err, -r, "cannot start a thread: %s", strerror(r));
	return 0;
}

int run_price_take(struct run_price *p, int64_t *ret_nano, struct err *err)
{
	uint64_t n;
	int r;

	if (p->fd < 0 || (read(p->fd, &n, sizeof n) < 0 && errno != EAGAIN))
		return 0;
	pthread_mutex_lock(&p->mu);
	if (!p->news)
		r = 0;
	else if (p->failed)
		r = -EAGAIN;
	else
		r = 1;
	*ret_nano = p->nano;
	if (r < 0)
		*err = p->err;
	p->news = false;
	pthread_mutex_unlock(&p->mu);
	return r;
}

void run_price_close(struct run_price *p)
{
	if (p->running) {
		pthread_mutex_lock(&p->mu);
		p->quit = true;
		pthread_cond_signal(&p->wake);
		pthread_mutex_unlock(&p->mu);
		pthread_join(p->th, NULL);
	}
	if (p->fd >= 0) {
		close(p->fd);
		pthread_mutex_destroy(&p->mu);
		pthread_cond_destroy(&p->wake);
	}
	p->running = false;
	p->fd = -1;
}
