/*
 * Processes on AMD GPUs: whoever has a device file of a GPU open. The kernel tells in fdinfo
 * which GPU (drm-pdev), how much of its memory (drm-memory-vram) and for how long its engines
 * worked (drm-engine-*, nanoseconds); several files of one client repeat the same numbers. Looking
 * through all processes is expensive, so that is done every few seconds, and those found are read
 * at every poll.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/num.h"
#include "device/amd_in.h"
#include "device/host.h"

#define SCAN_MS  5000
#define PIDS_MAX 65536
#define FDS_MAX  200000 /* of one look through everything */

struct fdinfo {
	char pdev[32];
	unsigned long long client;
	uint64_t busy_ns, vram_bytes;
	bool has_client, has_vram, compute;
};

/* "drm-memory-vram:	1024 KiB" */
static uint64_t parse_bytes(const char *text)
{
	char *end;
	uint64_t v = strtoull(text, &end, 10);

	end += strspn(end, " ");
	if (!strncmp(end, "KiB", 3))
		return v * 1024;
	if (!strncmp(end, "MiB", 3))
		return v * 1048576;
	return v;
}

/* False where the descriptor is of no GPU. */
static bool read_fdinfo(struct amd *a, int32_t pid, const char *fd, struct fdinfo *ret)
{
	char path[512], to[64], buf[8192], *at = buf, *line;
	ssize_t n;
	int file;

	snprintf(path, sizeof path, "%s/%d/fd/%s", a->proc, (int)pid, fd);
	n = readlink(path, to, sizeof to - 1);
	to[max_i64(n, 0)] = 0;
	if (strncmp(to, "/dev/dri/", 9))
		return false;
	snprintf(path, sizeof path, "%s/%d/fdinfo/%s", a->proc, (int)pid, fd);
	if ((file = open(path, O_RDONLY | O_CLOEXEC)) < 0)
		return false;
	n = read(file, buf, sizeof buf - 1);
	close(file);
	buf[max_i64(n, 0)] = 0;
	*ret = (struct fdinfo){ 0 };
	while ((line = strsep(&at, "\n"))) {
		char *v = strchr(line, ':');
		if (!v || strncmp(line, "drm-", 4) != 0)
			continue;
		*v++ = 0;
		v += strspn(v, " \t");
		if (!strcmp(line, "drm-pdev"))
			snprintf(ret->pdev, sizeof ret->pdev, "%.31s", v);
		else if (!strcmp(line, "drm-client-id")) {
			ret->client = strtoull(v, NULL, 10);
			ret->has_client = true;
		} else if (!strcmp(line, "drm-memory-vram")) {
			ret->vram_bytes = parse_bytes(v);
			ret->has_vram = true;
		} else if (!strcmp(line, "drm-engine-compute")) {
			ret->busy_ns += strtoull(v, NULL, 10);
			ret->compute |= strtoull(v, NULL, 10) > 0;
		} else if (!strcmp(line, "drm-engine-gfx"))
			ret->busy_ns += strtoull(v, NULL, 10);
	}
	return ret->pdev[0] && ret->has_client;
}

static void take_client(struct amd *a, int32_t pid, uint64_t start, const struct fdinfo *f,
			double step_ms)
{
	struct amd_client *c = NULL;
	int gpu = -1;

	for (size_t i = 0; i < a->set.dev.n && gpu < 0; i++)
		if (!strcmp(a->set.dev.v[i].info.bus_id, f->pdev))
			gpu = (int)i;
	if (gpu < 0)
		return;
	for (size_t i = 0; i < a->client.n && !c; i++) {
		struct amd_client *x = &a->client.v[i];
		bool same_process = x->pid == pid && x->start_ticks == start;
		if (same_process && x->client == f->client && x->gpu == gpu)
			c = x;
	}
	if (!c) {
		c = vec_push(&a->client);
		*c = (struct amd_client){ .pid = pid,
					  .start_ticks = start,
					  .client = f->client,
					  .gpu = gpu,
					  .util_pct = NAN };
	} else if (c->seen) {
		return; /* another file of the same client */
	} else if (step_ms > 0 && f->busy_ns >= c->busy_ns)
		c->util_pct = fmin(100, (double)(f->busy_ns - c->busy_ns) / 1e4 / step_ms);
	else
		c->util_pct = NAN;
	c->seen = true;
	c->busy_ns = f->busy_ns;
	c->vram_bytes = f->vram_bytes;
	c->known_vram = f->has_vram;
	c->compute = f->compute;
}

/* True where the process has a file of some GPU open; its clients are noted. *left: files that may
 * still be looked at. */
static bool read_pid(struct amd *a, int32_t pid, double step_ms, int *left)
{
	struct host_proc p = { 0 };
	struct fdinfo f;
	struct dirent *e;
	char path[512];
	bool any = false;

	snprintf(path, sizeof path, "%s/%d/fd", a->proc, (int)pid);
	DIR *d = opendir(path);
	if (!d) {
		a->hidden |= errno == EACCES;
		return false;
	}
	while ((e = readdir(d)) && *left > 0) {
		if (e->d_name[0] == '.')
			continue;
		(*left)--;
		if (!read_fdinfo(a, pid, e->d_name, &f))
			continue;
		if (!any)
			host_proc_read(a->proc, pid, &p);
		any = true;
		take_client(a, pid, p.start_ticks, &f, step_ms);
	}
	closedir(d);
	return any;
}

static void give_client(struct amd *a, const struct amd_client *c)
{
	struct amd_gpu *gpu = &a->gpu.v[c->gpu];
	struct gpu_proc *p = NULL;

	for (size_t i = 0; i < gpu->proc.n && !p; i++)
		if (gpu->proc.v[i].pid == c->pid)
			p = &gpu->proc.v[i];
	if (!p) {
		p = vec_push(&gpu->proc);
		*p = (struct gpu_proc){ .pid = c->pid,
					.start_ticks = c->start_ticks,
					.type = 'G',
					.mem_bytes = NAN,
					.sm_util_pct = NAN };
	}
	if (c->compute)
		p->type = 'C';
	if (c->known_vram)
		p->mem_bytes = known_or(p->mem_bytes, 0) + (double)c->vram_bytes;
	if (!isnan(c->util_pct))
		p->sm_util_pct = fmin(100, known_or(p->sm_util_pct, 0) + c->util_pct);
}

void amd_read_procs(struct amd *a, int64_t mono_ms)
{
	double step_ms = 0;
	int left = FDS_MAX;
	size_t kept = 0;

	if (a->read_ms)
		step_ms = (double)(mono_ms - a->read_ms);
	for (size_t i = 0; i < a->client.n; i++)
		a->client.v[i].seen = false;
	if (!a->read_ms || mono_ms - a->scanned_ms >= SCAN_MS) {
		a->scanned_ms = mono_ms;
		vec_clear(&a->pid);
		a->hidden = false;
		DIR *d = opendir(a->proc);
		struct dirent *e;
		while (d && (e = readdir(d)) && left > 0 && a->pid.n < PIDS_MAX) {
			int64_t pid;
			if (sv_i64(sv_of(e->d_name), &pid) < 0 || !within_i64(pid, 1, INT32_MAX))
				continue;
			if (read_pid(a, (int32_t)pid, step_ms, &left))
				*vec_push(&a->pid) = (int32_t)pid;
		}
		if (d)
			closedir(d);
	} else {
		for (size_t i = 0; i < a->pid.n; i++)
			read_pid(a, a->pid.v[i], step_ms, &left);
	}
	a->read_ms = mono_ms ? mono_ms : 1;

	/* clients that are still there, as processes of their GPUs */
	for (size_t i = 0; i < a->gpu.n; i++)
		vec_clear(&a->gpu.v[i].proc);
	for (size_t i = 0; i < a->client.n; i++)
		if (a->client.v[i].seen) {
			a->client.v[kept] = a->client.v[i];
			give_client(a, &a->client.v[kept++]);
		}
	a->client.n = kept;
	for (size_t i = 0; i < a->gpu.n; i++) {
		struct gpu_dev *g = &a->set.dev.v[i];
		if (!g->present)
			continue;
		g->proc = a->gpu.v[i].proc.v;
		g->nproc = a->gpu.v[i].proc.n;
		g->procs_known = true;
		g->value[METRIC_PROC_COUNT] = a->hidden ? NAN : (double)g->nproc;
	}
}

void amd_free_procs(struct amd *a)
{
	for (size_t i = 0; i < a->gpu.n; i++)
		vec_free(&a->gpu.v[i].proc);
	vec_free(&a->client);
	vec_free(&a->pid);
}
