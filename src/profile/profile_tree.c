/* See profile_tree.h. */
#include "profile/profile_tree.h"
#include <dirent.h>
#include <math.h>
#include <time.h>
#include <unistd.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"
#include "base/str.h"
#include "device/host.h"
#include "model/known.h"

#define PROCS_MAX  1000000
#define LOOK_SHARE 20 /* a look may take one in so many parts of the time */

struct row {
	struct host_proc p;
	int mine;
}; /* mine: 1, 0, -1 = not known yet */
struct profile_tree {
	const char *proc;
	int32_t self;
	double ticks_s;
	VEC(struct row) row;               /* the whole machine at the last look, by pid */
	VEC(struct profile_proc) now, old; /* the command's, by pid */
	double reaped_s, cpu_s, cpu_before_s, cpu_pct, rss_bytes;
	int64_t mono_ms, next_ms; /* of the last look; none before */
	size_t seen;
	bool looked;
};

struct profile_tree *profile_tree_new(const char *proc, int32_t self)
{
	struct profile_tree *t = xcalloc(1, sizeof *t);
	t->proc = proc;
	t->self = self;
	t->ticks_s = (double)sysconf(_SC_CLK_TCK);
	t->cpu_pct = NAN;
	return t;
}

void profile_tree_free(struct profile_tree *t)
{
	if (!t)
		return;
	vec_free(&t->row);
	vec_free(&t->now);
	vec_free(&t->old);
	free(t);
}

void profile_tree_reaped(struct profile_tree *t, double cpu_s)
{
	t->reaped_s += cpu_s;
}

static int by_pid(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	return cmp_int(x->p.pid, y->p.pid);
}

static struct row *row_of(struct profile_tree *t, int32_t pid)
{
	size_t at = first_where(i, t->row.n, t->row.v[i].p.pid >= pid);

	if (at < t->row.n && t->row.v[at].p.pid == pid)
		return &t->row.v[at];
	return NULL;
}

/* Is there a way up to the caller? Marks all it passes. A parent that is gone or a ring (pids used
 * again while we read) is no way. */
static bool is_mine(struct profile_tree *t, struct row *r)
{
	struct row *at = r;
	size_t steps = 0;
	int mine = 0;
	while (at && at->mine < 0 && steps++ < t->row.n) {
		if (at->p.pid == t->self || at->p.ppid == t->self)
			break;
		at = row_of(t, at->p.ppid);
	}
	if (at && at->p.pid != t->self)
		mine = at->mine >= 0 ? at->mine : at->p.ppid == t->self;
	for (at = r; at && at->mine < 0 && at->p.pid != t->self; at = row_of(t, at->p.ppid))
		at->mine = mine;
	return mine;
}

static const struct profile_proc *find_in(const struct profile_proc *v, size_t n, int32_t pid,
					  uint64_t start_ticks)
{
	size_t at = first_where(i, n, v[i].pid >= pid);

	if (at == n || v[at].pid != pid)
		return NULL;
	return !start_ticks || v[at].start_ticks == start_ticks ? &v[at] : NULL;
}

static void take_proc(struct profile_tree *t, const struct host_proc *p, double dt_s)
{
	const struct profile_proc *was = find_in(t->old.v, t->old.n, p->pid, p->start_ticks);
	struct profile_proc x = { p->pid, p->ppid, p->start_ticks, p->cpu_ticks, NAN, p->state };
	if (!was)
		t->seen++;
	else if (dt_s > 0 && p->cpu_ticks >= was->cpu_ticks)
		x.cpu_pct = (double)(p->cpu_ticks - was->cpu_ticks) / t->ticks_s / dt_s * 100;
	*vec_push(&t->now) = x;
	t->cpu_s += (double)(p->cpu_ticks + p->child_ticks) / t->ticks_s;
	t->rss_bytes += (double)p->rss_bytes;
}

/* Processor time, not the wall's: a machine that is busy makes a look long, but not dear. */
static int64_t clock_us(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}

bool profile_tree_look(struct profile_tree *t, int64_t mono_ms)
{
	double dt_s = t->looked ? (double)(mono_ms - t->mono_ms) / 1000 : 0, before = t->cpu_s;
	int64_t began = clock_us();
	if (t->looked && mono_ms < t->next_ms)
		return false;
	vec_clear(&t->old);
	for (size_t i = 0; i < t->now.n; i++)
		*vec_push(&t->old) = t->now.v[i];
	vec_clear(&t->now);
	t->cpu_s = t->reaped_s;
	t->rss_bytes = 0;

	DIR *d = opendir(text_or(t->proc, "/proc"));
	struct dirent *e;
	vec_clear(&t->row);
	while (d && t->row.n < PROCS_MAX && (e = readdir(d))) {
		int64_t pid;
		struct row r = { .mine = -1 };
		if (!within_int(e->d_name[0], '1', '9') || sv_i64(sv_of(e->d_name), &pid) < 0 ||
		    pid > INT32_MAX)
			continue;
		if (host_proc_read(t->proc, (int32_t)pid, &r.p) >= 0)
			*vec_push(&t->row) = r;
	}
	if (d)
		closedir(d);
	if (t->row.n)
		sort_items(t->row.v, t->row.n, sizeof *t->row.v, by_pid);
	for (size_t i = 0; i < t->row.n; i++)
		if (t->row.v[i].p.pid != t->self && is_mine(t, &t->row.v[i]))
			take_proc(t, &t->row.v[i].p, dt_s);
	if (t->cpu_s < before) /* a parent that waits for nobody: its children's time is nowhere */
		t->cpu_s = before;
	t->cpu_pct = num_if(dt_s > 0, (t->cpu_s - before) / dt_s * 100);
	t->mono_ms = mono_ms;
	t->next_ms = mono_ms + (clock_us() - began) * LOOK_SHARE / 1000;
	t->looked = true;
	return true;
}

const struct profile_proc *profile_tree_procs(const struct profile_tree *t, size_t *ret_n)
{
	*ret_n = t->now.n;
	return t->now.v;
}

const struct profile_proc *profile_tree_find(const struct profile_tree *t, int32_t pid,
					     uint64_t start_ticks)
{
	return find_in(t->now.v, t->now.n, pid, start_ticks);
}

#define PARENTS_MAX 256

bool profile_tree_has(const struct profile_tree *t, int32_t pid, uint64_t start_ticks)
{
	struct host_proc p;
	if (find_in(t->now.v, t->now.n, pid, start_ticks))
		return true;
	for (int i = 0; i < PARENTS_MAX && pid > 0 && host_proc_read(t->proc, pid, &p) >= 0; i++) {
		if (!i && start_ticks && p.start_ticks != start_ticks)
			return false;
		if (p.ppid == t->self)
			return true;
		pid = p.ppid;
	}
	return false;
}

double profile_tree_cpu_pct(const struct profile_tree *t)
{
	return t->cpu_pct;
}

double profile_tree_cpu_s(const struct profile_tree *t)
{
	return t->cpu_s;
}

double profile_tree_rss_bytes(const struct profile_tree *t)
{
	return t->rss_bytes;
}

size_t profile_tree_seen(const struct profile_tree *t)
{
	return t->seen;
}
