/* See top_snap.h. */
#include "top/top_snap.h"

#include <fcntl.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"

#define MAX_PROCS   10000 /* a device: more is an attack or a mistake, and no page shows them */
#define MAX_TEXT    256
#define CPU_OVER_MS 900

struct seen { /* processor time of a process at the last poll */
	int32_t pid;
	uint64_t start_ticks, cpu_ticks;
};
struct snap_taker {
	const char *proc;
	double ticks_per_s;
	int64_t mono_ms;            /* of the last poll */
	VEC(struct seen) last, now; /* last: by pid */
	VEC(struct {
		uint32_t uid;
		char name[64];
	}) user;
};

struct snap_taker *snap_taker_new(const char *proc)
{
	struct snap_taker *t = xcalloc(1, sizeof *t);
	t->proc = text_or(proc, "/proc");
	t->ticks_per_s = (double)sysconf(_SC_CLK_TCK);
	return t;
}

void snap_taker_free(struct snap_taker *t)
{
	if (!t)
		return;
	vec_free(&t->last);
	vec_free(&t->now);
	vec_free(&t->user);
	free(t);
}

void top_snap_free(struct top_snap *s)
{
	if (!s)
		return;
	arena_free(&s->mem);
	free(s);
}

static const char *copy_text(struct arena *a, struct sv v)
{
	if (!v.p || !v.n)
		return NULL;
	return arena_strn(a, v.p, min_size(v.n, MAX_TEXT));
}

static const char *copy_z(struct arena *a, const char *z)
{
	return copy_text(a, sv_of(z));
}

/* ---- processes --------------------------------------------------------------------------- */

static const char *user_name(struct snap_taker *t, uint32_t uid)
{
	struct passwd pw, *found = NULL;
	char buf[4096];
	for (size_t i = 0; i < t->user.n; i++)
		if (t->user.v[i].uid == uid)
			return t->user.v[i].name;
	vec_grow(&t->user, 1);
	t->user.v[t->user.n].uid = uid;
	if (!getpwuid_r(uid, &pw, buf, sizeof buf, &found) && found)
		snprintf(t->user.v[t->user.n].name, sizeof t->user.v->name, "%s", pw.pw_name);
	else
		snprintf(t->user.v[t->user.n].name, sizeof t->user.v->name, "%u", uid);
	return t->user.v[t->user.n++].name;
}

/* The command line with blanks between its words; NULL where there is none (kernel threads, gone,
 * no rights). */
static const char *command_line(struct snap_taker *t, struct arena *a, int32_t pid)
{
	char path[512], buf[MAX_TEXT];
	snprintf(path, sizeof path, "%s/%d/cmdline", t->proc, pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;
	if (fd >= 0)
		n = read(fd, buf, sizeof buf);
	if (fd >= 0)
		close(fd);
	while (n > 0 && !buf[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = ' ';
	if (n > 0)
		return copy_text(a, (struct sv){ buf, (size_t)n });
	return NULL;
}

static int by_pid(const void *a, const void *b)
{
	int32_t x = ((const struct seen *)a)->pid, y = ((const struct seen *)b)->pid;
	return cmp_int(x, y);
}

/* ---- devices ----------------------------------------------------------------------------- */

static const char *key_of(struct arena *a, const struct gpu_info *c)
{
	if (*c->uuid)
		return copy_z(a, c->uuid);
	const char *node = "";
	if (*c->node)
		node = arena_printf(a, "%s/", c->node);
	if (c->parent < 0) {
		if (*c->bus_id)
			return copy_z(a, c->bus_id);
		return arena_printf(a, "%s%d", node, c->index);
	}
	return arena_printf(a, "%s%d/%d.%d", node, c->index, c->gi, c->ci);
}

static void take_procs(struct snap_taker *t, struct top_snap *s, const struct watch_dev *d,
		       struct snap_dev *ret)
{
	size_t n = min_size(d->nproc, MAX_PROCS);
	int64_t step_ms = s->mono_ms - t->mono_ms;
	struct snap_proc *proc = arena_zalloc(&s->mem, (n + 1) * sizeof *proc);
	for (size_t i = 0; i < n; i++) {
		const struct gpu_proc *p = &d->proc[i];
		const struct allocation *held = NULL;
		size_t part = 0;
		while (part < d->nuse && !(i >= d->use[part].proc_first &&
					   i < d->use[part].proc_first + d->use[part].nproc))
			part++;
		if (part < d->nuse)
			held = d->use[part].held;
		struct snap_proc *x = &proc[i];
		*x = (struct snap_proc){ .pid = p->pid,
					 .start_ticks = p->start_ticks,
					 .type = p->type,
					 .part = part,
					 .mem_bytes = p->mem_bytes,
					 .sm_util_pct = p->sm_util_pct,
					 .cpu_util_pct = NAN };
		if (held) {
			x->user = copy_text(&s->mem, held->user);
			x->team = copy_text(&s->mem, held->team);
			x->job = copy_text(&s->mem, held->job_id);
		}
		/* Another process that has the pid by now would lend its name to this one. */
		struct host_proc h;
		if (host_proc_read(t->proc, p->pid, &h) < 0 ||
		    (p->start_ticks && h.start_ticks != p->start_ticks))
			continue;
		if (!x->user)
			x->user = copy_z(&s->mem, user_name(t, h.uid));
		x->command = command_line(t, &s->mem, p->pid);
		if (!x->command)
			x->command = copy_z(&s->mem, h.comm);

		struct seen key = { .pid = h.pid };
		struct seen *was = find_sorted(&key, t->last.v, t->last.n, sizeof key, by_pid);
		bool same = was && was->start_ticks == h.start_ticks;
		if (same && step_ms > 0 && h.cpu_ticks >= was->cpu_ticks)
			x->cpu_util_pct = 100.0 * (double)(h.cpu_ticks - was->cpu_ticks) /
					  t->ticks_per_s / ((double)step_ms / 1000);
		*vec_push(&t->now) = (struct seen){ h.pid, h.start_ticks, h.cpu_ticks };
	}
	ret->proc = proc;
	ret->nproc = n;
}

struct top_snap *snap_take(struct snap_taker *t, const struct watch_view *v)
{
	struct top_snap *s = xcalloc(1, sizeof *s);
	s->t_ms = v->t_ms;
	s->mono_ms = v->mono_ms;
	s->step_ms = v->step_ms;
	s->node = copy_z(&s->mem, v->node);
	s->driver = copy_z(&s->mem, v->gpus->driver);
	s->problem = copy_z(&s->mem, v->gpus->problem);
	s->rate = v->rate;
	s->host = v->host;
	s->serving = v->serving;
	s->ndev = v->ndev;
	s->dev = arena_zalloc(&s->mem, (v->ndev + 1) * sizeof *s->dev);
	vec_clear(&t->now);
	for (size_t i = 0; i < v->ndev; i++) {
		const struct watch_dev *d = &v->dev[i];
		struct snap_dev *ret = &s->dev[i];
		struct snap_part *part = arena_zalloc(&s->mem, (d->nuse + 1) * sizeof *part);
		*ret = (struct snap_dev){ .info = d->gpu->info,
					  .present = d->gpu->present,
					  .stuck = d->gpu->stuck,
					  .procs_known = d->gpu->procs_known,
					  .part = part,
					  .npart = d->nuse,
					  .tdp_w = d->tdp_w,
					  .pcie_bytes_s = d->pcie_bytes_s,
					  .key = key_of(&s->mem, &d->gpu->info),
					  .model = copy_z(&s->mem, d->model) };
		memcpy(ret->value, d->gpu->value, sizeof ret->value);
		for (size_t k = 0; k < d->nuse; k++) {
			const struct watch_use *u = &d->use[k];
			struct snap_part p = { .held = u->held != NULL,
					       .since_ms = UNKNOWN_MS,
					       .share_ppb = u->share_ppb,
					       .state = u->state,
					       .cause = u->cause,
					       .util_pct = u->util_pct,
					       .mem_bytes = u->mem_bytes,
					       .cpu_util_pct = u->cpu_util_pct,
					       .nproc = u->nproc };
			if (u->held) {
				p.user = copy_text(&s->mem, u->held->user);
				p.team = copy_text(&s->mem, u->held->team);
				p.project = copy_text(&s->mem, u->held->project);
				p.job = copy_text(&s->mem, u->held->job_id);
				p.workload = copy_text(&s->mem, u->held->workload);
				p.name = copy_text(&s->mem, u->held->name);
				p.since_ms = u->held->start_ms;
			}
			part[k] = p;
		}
		take_procs(t, s, d, ret);
		if (d->gpu->info.parent < 0)
			s->ngpu++;
	}
	/* The time of a second or more is compared: ticks are too coarse for less. */
	if (!t->last.n || v->mono_ms - t->mono_ms >= CPU_OVER_MS) {
		int64_t mono_ms = v->mono_ms;
		if (t->now.n)
			sort_items(t->now.v, t->now.n, sizeof *t->now.v, by_pid);
		struct seen *old = t->last.v;
		size_t cap = t->last.cap;
		t->last.v = t->now.v;
		t->last.n = t->now.n;
		t->last.cap = t->now.cap;
		t->now.v = old;
		t->now.n = 0;
		t->now.cap = cap;
		t->mono_ms = mono_ms;
	}
	return s;
}
