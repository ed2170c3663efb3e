#include "watch/watch_cpu.h"

#include <math.h>
#include <stdbool.h>
#include <unistd.h>

#include "base/mem.h"
#include "device/host.h"

struct seen {
	int32_t pid; /* 0 = free slot */
	uint64_t start_ticks, cpu_ticks;
	int64_t mono_ms;
	uint32_t round;
	double util_pct;
};
struct watch_cpu {
	const char *proc;
	int64_t every_ms, mono_ms;
	double ticks_s;
	uint32_t round;
	struct seen *slot; /* [nslot], a power of two, at most half full */
	size_t nslot, n;
};

struct watch_cpu *watch_cpu_new(const char *proc, int64_t every_ms)
{
	struct watch_cpu *c = xcalloc(1, sizeof *c);
	c->proc = proc;
	c->every_ms = every_ms;
	c->ticks_s = (double)sysconf(_SC_CLK_TCK);
	return c;
}

void watch_cpu_free(struct watch_cpu *c)
{
	if (c)
		free(c->slot);
	free(c);
}

static struct seen *find_seen(struct seen *slot, size_t nslot, int32_t pid)
{
	size_t i = ((uint32_t)pid * 2654435761U) & (nslot - 1); /* Knuth's multiplicative hash */
	while (slot[i].pid && slot[i].pid != pid)
		i = (i + 1) & (nslot - 1);
	return &slot[i];
}

/* Copy those that are still asked for into a table with room for one more. */
static void rebuild_table(struct watch_cpu *c)
{
	size_t live = 0, nslot = 64;
	for (size_t i = 0; i < c->nslot; i++)
		live += c->slot[i].pid && c->round - c->slot[i].round <= 1;
	while (nslot < (live + 1) * 4)
		nslot *= 2;
	struct seen *to = xcalloc(nslot, sizeof *to);
	for (size_t i = 0; i < c->nslot; i++)
		if (c->slot[i].pid && c->round - c->slot[i].round <= 1)
			*find_seen(to, nslot, c->slot[i].pid) = c->slot[i];
	free(c->slot);
	c->slot = to;
	c->nslot = nslot;
	c->n = live;
}

void watch_cpu_round(struct watch_cpu *c, int64_t mono_ms)
{
	c->round++;
	c->mono_ms = mono_ms;
}

double watch_cpu_of(struct watch_cpu *c, int32_t pid, uint64_t start_ticks)
{
	if (pid <= 0 || !start_ticks)
		return NAN;
	if ((c->n + 1) * 2 > c->nslot)
		rebuild_table(c);
	struct seen *s = find_seen(c->slot, c->nslot, pid);
	bool known = s->pid == pid && s->start_ticks == start_ticks;
	if (known && c->mono_ms - s->mono_ms < c->every_ms) {
		s->round = c->round;
		return s->util_pct;
	}
	if (!s->pid)
		c->n++;
	if (!known)
		*s = (struct seen){ .pid = pid, .start_ticks = start_ticks };
	s->round = c->round;
	s->util_pct = NAN;
	struct host_proc p;
	if (host_proc_read(c->proc, pid, &p) < 0 || p.start_ticks != start_ticks)
		return NAN;
	if (known && c->mono_ms > s->mono_ms && p.cpu_ticks >= s->cpu_ticks)
		s->util_pct = (double)(p.cpu_ticks - s->cpu_ticks) / c->ticks_s * 1000 /
			      (double)(c->mono_ms - s->mono_ms) * 100;
	s->cpu_ticks = p.cpu_ticks;
	s->mono_ms = c->mono_ms;
	return s->util_pct;
}
