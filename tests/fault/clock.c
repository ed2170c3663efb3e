/*
 * Preloaded into a program and what it starts: the wall clock is ahead of the real one by so many
 * ms as stand in the file FAULT_CLOCK (8 bytes, int64), at once for everybody when that changes, as
 * after settimeofday(). The clocks that count from the start of the machine are left alone.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PUBLIC __attribute__((visibility("default")))

static const volatile int64_t *ahead_ms;

static void setup(void) __attribute__((constructor));
static void setup(void)
{
	const char *path = getenv("FAULT_CLOCK");
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *p = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *ahead_ms, PROT_READ, MAP_SHARED, fd, 0);

	if (fd >= 0)
		close(fd);
	if (p != MAP_FAILED)
		ahead_ms = p;
}

PUBLIC int clock_gettime(clockid_t id, struct timespec *t)
{
	int rc = (int)syscall(SYS_clock_gettime, id, t);

	if (rc == 0 && ahead_ms && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) {
		int64_t ms = (int64_t)t->tv_sec * 1000 + t->tv_nsec / 1000000 + *ahead_ms;
		t->tv_sec = (time_t)(ms / 1000);
		t->tv_nsec = ms % 1000 * 1000000 + t->tv_nsec % 1000000;
	}
	return rc;
}

PUBLIC int gettimeofday(struct timeval *restrict to, void *restrict zone)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	to->tv_sec = t.tv_sec;
	to->tv_usec = t.tv_nsec / 1000;
	return 0;
}

PUBLIC time_t time(time_t *to)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	if (to)
		*to = t.tv_sec;
	return t.tv_sec;
}
