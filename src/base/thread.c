#include "base/thread.h"

#include <signal.h>
#include <time.h>

/* A fault of the thread itself must still reach the handler that cleans up. */
static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

int thread_start(pthread_t *ret, size_t stack_bytes, void *(*f)(void *ctx), void *ctx)
{
	sigset_t all, old;
	pthread_attr_t at;

	sigfillset(&all);
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		sigdelset(&all, own[i]);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&at);
	if (stack_bytes)
		pthread_attr_setstacksize(&at, stack_bytes);
	int r = pthread_create(ret, &at, f, ctx);
	pthread_attr_destroy(&at);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r;
}

void thread_cond_init(pthread_cond_t *c)
{
	pthread_condattr_t at;

	pthread_condattr_init(&at);
	pthread_condattr_setclock(&at, CLOCK_MONOTONIC);
	pthread_cond_init(c, &at);
	pthread_condattr_destroy(&at);
}

struct timespec thread_until(int64_t ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	int64_t ns = t.tv_nsec + ms % 1000 * 1000000;
	t.tv_sec += ms / 1000 + ns / 1000000000;
	t.tv_nsec = ns % 1000000000;
	return t;
}
