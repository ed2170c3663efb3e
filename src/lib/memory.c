#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/thread.h"
#include "lib/memory.h"

int lib_mem_device(void)
{
	int (*get)(int *), device = -1;

	*(void **)&get = dlsym(RTLD_DEFAULT, "cudaGetDevice");
	if (get && get(&device) == 0)
		return device;
	return -1;
}

void lib_mem_on(int device)
{
	int (*set)(int);

	*(void **)&set = dlsym(RTLD_DEFAULT, "cudaSetDevice");
	if (set && device >= 0)
		set(device);
}

/* ---- pages --------------------------------------------------------------------------------- */

enum { TOUCHERS = 4, PAGE = 4096, POPULATE_WRITE = 23 }; /* MADV_POPULATE_WRITE, Linux 5.14 */
#define TOUCH_WORTH (256u << 20)                         /* less is there before threads are */

struct pages {
	uint8_t *p;
	uint64_t bytes;
};

static void *touch_pages(void *arg)
{
	const struct pages *m = arg;

	if (m->bytes && madvise(m->p, m->bytes, POPULATE_WRITE))
		for (uint64_t at = 0; at < m->bytes; at += PAGE)
			((volatile uint8_t *)m->p)[at] = 0;
	return NULL;
}

void lib_mem_touch(struct lib_mem *m, uint64_t bytes)
{
	struct pages part[TOUCHERS];
	pthread_t helper[TOUCHERS];
	int parts = bytes < TOUCH_WORTH ? 1 : TOUCHERS;
	uint64_t each = bytes / (uint64_t)parts & ~(uint64_t)((2u << 20) - 1);
	bool started[TOUCHERS] = { false };

	for (int i = 0; i < parts; i++) {
		uint64_t at = each * (uint64_t)i;
		part[i] = (struct pages){ (uint8_t *)m->p + at,
					  i == parts - 1 ? bytes - at : each };
		if (i)
			started[i] = thread_start(&helper[i], 0, touch_pages, &part[i]) == 0;
		if (i && !started[i])
			touch_pages(&part[i]);
	}
	touch_pages(&part[0]);
	for (int i = 1; i < parts; i++)
		if (started[i])
			pthread_join(helper[i], NULL);
}

/* ---- pinned -------------------------------------------------------------------------------- */

/*
 * Pinned memory is copied to by a GPU at full speed; where the program has no CUDA runtime there is
 * none, and plain memory does. A refusal is not left behind as the runtime's last error, which the
 * program would take for that of its own next call.
 */
static bool pin_memory(void *p, uint64_t bytes)
{
	int (*reg)(void *, size_t, unsigned), (*last)(void);

	*(void **)&reg = dlsym(RTLD_DEFAULT, "cudaHostRegister");
	if (!reg)
		return false;
	if (reg(p, bytes, 0) == 0)
		return true;
	*(void **)&last = dlsym(RTLD_DEFAULT, "cudaGetLastError");
	if (last)
		last();
	return false;
}

void lib_mem_drop(struct lib_mem *m)
{
	if (m->p) {
		if (m->pinned) {
			int (*unreg)(void *);

			*(void **)&unreg = dlsym(RTLD_DEFAULT, "cudaHostUnregister");
			if (unreg)
				unreg(m->p);
		}
		munmap(m->p, m->room);
	}
	*m = (struct lib_mem){ 0 };
}

int lib_mem_room(struct lib_mem *m, uint64_t bytes)
{
	uint64_t room = (bytes + (2u << 20)) & ~(uint64_t)((2u << 20) - 1);
	void *p;

	if (m->p && bytes <= m->room)
		return 0;
	lib_mem_drop(m);
	if (room < bytes)
		return -ENOMEM;
	p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return -ENOMEM;
	madvise(p, room, MADV_HUGEPAGE);
	madvise(p, room, MADV_DONTFORK); /* children of the program neither need nor pay for it */
	*m = (struct lib_mem){ p, room, false };
	/* CUDA holds up the program's other calls while it pins. On an H200: 6 GiB of pages that
	 * are not there yet for 2.07 s, such as are for 0.19 s */
	if (dlsym(RTLD_DEFAULT, "cudaHostRegister"))
		lib_mem_touch(m, room);
	m->pinned = pin_memory(p, room);
	return 0;
}

/* ---- copying ----------------------------------------------------------------------------- */

/* Three helpers: four threads fill the memory's bandwidth of most machines. Less than WORTH is
 * copied before they are awake. */
enum { HELPERS_MAX = 3, UNIT = 1 << 20, WORTH = 16 << 20 };

struct lib_copier {
	pthread_t helper[HELPERS_MAX];
	int helpers; /* -1: not started yet */
	pthread_mutex_t lock;
	pthread_cond_t begun, ended;
	const tare_copy *copy; /* what is under way, and */
	size_t n, at;          /* the next place: number of the copy, */
	uint64_t offset;       /* and in it */
	int active;            /* helpers that are copying a part */
	bool ending;
};

/* Takes the next UNIT bytes, which may be many small copies; with the lock. Copies them without;
 * false: nothing was left. */
static bool copy_part(struct lib_copier *c)
{
	const tare_copy *copy = c->copy;
	size_t i = c->at, n = c->n;
	uint64_t offset = c->offset, left = UNIT;

	if (!copy || i >= n)
		return false;
	while (c->at < n && left) {
		uint64_t rest = copy[c->at].bytes - c->offset;
		if (rest > left) {
			c->offset += left;
			break;
		}
		left -= rest;
		c->at++;
		c->offset = 0;
	}
	pthread_mutex_unlock(&c->lock);
	for (left = UNIT; i < n && left; i++, offset = 0) {
		uint64_t rest = copy[i].bytes - offset, some = min_u64(rest, left);
		if (some)
			memcpy((uint8_t *)copy[i].to + offset,
			       (const uint8_t *)copy[i].from + offset, some);
		left -= some;
		if (some < rest)
			break;
	}
	pthread_mutex_lock(&c->lock);
	return true;
}

static void *run_helper(void *arg)
{
	struct lib_copier *c = arg;

	pthread_mutex_lock(&c->lock);
	while (!c->ending) {
		if (!c->copy || c->at >= c->n) {
			pthread_cond_wait(&c->begun, &c->lock);
			continue;
		}
		c->active++;
		copy_part(c);
		if (--c->active == 0)
			pthread_cond_signal(&c->ended);
	}
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

struct lib_copier *lib_copier_new(void)
{
	struct lib_copier *c = xcalloc(1, sizeof *c);

	c->helpers = -1;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->begun, NULL);
	pthread_cond_init(&c->ended, NULL);
	return c;
}

void lib_copier_run(struct lib_copier *c, const tare_copy *copy, size_t n)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += copy[i].bytes;
	if (bytes >= WORTH && c->helpers < 0) {
		cpu_set_t cpus;
		int want = HELPERS_MAX;

		if (sched_getaffinity(0, sizeof cpus, &cpus) == 0)
			want = CPU_COUNT(&cpus) - 1;
		c->helpers = 0;
		while (c->helpers < want && c->helpers < HELPERS_MAX &&
		       thread_start(&c->helper[c->helpers], 0, run_helper, c) == 0)
			c->helpers++;
	}
	pthread_mutex_lock(&c->lock);
	c->copy = copy;
	c->n = n;
	c->at = 0;
	c->offset = 0;
	if (bytes >= WORTH)
		pthread_cond_broadcast(&c->begun);
	while (copy_part(c))
		;
	while (c->active)
		pthread_cond_wait(&c->ended, &c->lock);
	c->copy = NULL;
	pthread_mutex_unlock(&c->lock);
}

void lib_copier_free(struct lib_copier *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->ending = true;
	pthread_cond_broadcast(&c->begun);
	pthread_mutex_unlock(&c->lock);
	for (int i = 0; i < c->helpers; i++)
		pthread_join(c->helper[i], NULL);
	pthread_cond_destroy(&c->begun);
	pthread_cond_destroy(&c->ended);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
