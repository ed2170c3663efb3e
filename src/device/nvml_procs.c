/* The processes on a device: compute, graphics and those under MPS, in whatever record the driver
 * speaks. */
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "device/host.h"
#include "base/sort.h"
#include "device/nvml_in.h"

#define PROCS_MAX  65536u
#define FIRST_ROOM 64u
#define PID_MAX    4194304u /* the kernel's largest: 2^22 */
/* the driver makes a sample of processes every 1/6 to 1 s: the last one holds until the next */
#define SM_KEEP_MS 2000

typedef int (*list_call)(void *, uint32_t *, void *);

static void *make_room(struct nvml *n, size_t bytes)
{
	if (n->buf_bytes < bytes) {
		n->buf = xrealloc(n->buf, bytes);
		n->buf_bytes = bytes;
	}
	return n->buf;
}

/* Lists grow between the question for their size and the call, so ask with room to spare, and
 * again. */
static bool ask_procs(struct nvml *n, struct nvml_dev *d, enum nvml_call bit, list_call call,
		      uint32_t *ret_n)
{
	uint32_t have = FIRST_ROOM;

	if (d->procs_room > FIRST_ROOM)
		have = d->procs_room;
	for (int i = 0; i < 6; i++) {
		uint32_t got = have;
		int rc;
		memset(make_room(n, (size_t)have * NVML_PROC_BYTES_MAX), 0,
		       (size_t)have * NVML_PROC_BYTES_MAX);
		rc = call(d->h, &got, n->buf);
		if (rc != NVML_INSUFFICIENT_SIZE) {
			*ret_n = got < have ? got : have;
			return nvml_good(n, d, bit, rc);
		}
		if (have >= PROCS_MAX)
			return false;
		have = (got > have ? got : have) / 4 * 5 + 16;
		if (have > PROCS_MAX)
			have = PROCS_MAX;
	}
	return false;
}

static bool is_plausible(uint32_t pid)
{
	return pid > 0 && pid <= PID_MAX;
}

static uint32_t pid_at(const char *p)
{
	uint32_t pid;

	memcpy(&pid, p, sizeof pid);
	return pid;
}

static void take_procs(struct nvml *n, struct nvml_dev *d, uint32_t count, bool old, char type)
{
	const char *at = n->buf;
	size_t step = sizeof(struct nvml_proc2);

	/* drivers of 2023 wrote records of 32 bytes; read as 24, every second one begins in a field
	 * that is no pid */
	if (old)
		step = sizeof(struct nvml_proc1);
	else if (count >= 2 && !is_plausible(pid_at(at + sizeof(struct nvml_proc2))) &&
		 is_plausible(pid_at(at + NVML_PROC_BYTES_MAX)))
		step = NVML_PROC_BYTES_MAX;
	for (uint32_t i = 0; i < count && d->proc.n < PROCS_MAX; i++, at += step) {
		struct nvml_proc1 p; /* both records begin with these */
		memcpy(&p, at, sizeof p);
		if (is_plausible(p.pid))
			*vec_push(&d->proc) = (struct gpu_proc){
				.pid = (int32_t)p.pid,
				.type = type,
				.mem_bytes = p.used == NVML_NOT_AVAILABLE ? NAN : (double)p.used,
				.sm_util_pct = NAN
			};
	}
}

/* True where the list is known, be it empty. */
static bool list_procs(struct nvml *n, struct nvml_dev *d, enum nvml_call bit, list_call new_call,
		       list_call old_call, char type)
{
	list_call call = old_call;
	uint32_t got = 0;

	if (new_call)
		call = new_call;
	if (!call || n->down || !nvml_may(d, bit))
		return false;
	if (ask_procs(n, d, bit, call, &got)) {
		take_procs(n, d, got, call == old_call, type);
		return true;
	}
	if (!new_call || !old_call || !(d->refused & 1u << bit))
		return false;
	if (d->lost || n->down)
		return false;
	d->refused &= ~(1u << bit); /* a record that this driver no longer or not yet speaks */
	if (!ask_procs(n, d, bit, old_call, &got))
		return false;
	take_procs(n, d, got, true, type);
	return true;
}

static int by_pid(const void *a, const void *b)
{
	const struct gpu_proc *x = a, *y = b;
	/* a process under MPS stands in the list of compute processes too */
	static const char rank[] = "MCG";

	if (x->pid != y->pid)
		return cmp_int(x->pid, y->pid);
	return (int)(strchr(rank, x->type) - strchr(rank, y->type));
}

/* Utilisation by process since the last question; several samples of a process are averaged. */
static void ask_sm(struct nvml *n, struct nvml_dev *d, int64_t mono_ms)
{
	uint32_t have = 0;
	struct nvml_proc_util *u;
	int rc;

	if (!n->lib.proc_util || n->down || !nvml_may(d, CALL_PROC_UTIL))
		return;
	rc = n->lib.proc_util(d->h, NULL, &have, d->util_seen_us);
	if (rc == NVML_NOT_FOUND || (rc == NVML_OK && !have))
		return;
	if (rc != NVML_INSUFFICIENT_SIZE && !nvml_good(n, d, CALL_PROC_UTIL, rc))
		return;
	have = have > PROCS_MAX ? PROCS_MAX : have + 16;
	u = make_room(n, (size_t)have * sizeof *u);
	memset(u, 0, (size_t)have * sizeof *u);
	rc = n->lib.proc_util(d->h, u, &have, d->util_seen_us);
	if (rc == NVML_NOT_FOUND || rc == NVML_INSUFFICIENT_SIZE ||
	    !nvml_good(n, d, CALL_PROC_UTIL, rc))
		return;
	vec_clear(&d->sm);
	d->util_ms = mono_ms;
	for (uint32_t i = 0; i < have && i < n->buf_bytes / sizeof *u; i++) {
		if (u[i].time_us > d->util_seen_us && u[i].time_us != NVML_NOT_AVAILABLE)
			d->util_seen_us = u[i].time_us;
		/* drivers leave garbage in records they did not fill */
		if (is_plausible(u[i].pid) && u[i].sm <= 100)
			*vec_push(&d->sm) = (struct nvml_sm){ u[i].pid, u[i].sm, 1 };
	}
}

static int sm_by_pid(const void *a, const void *b)
{
	const struct nvml_sm *x = a, *y = b;

	return cmp_u64(x->pid, y->pid);
}

static void give_sm(struct nvml_dev *d, int64_t mono_ms)
{
	size_t k = 0;

	if (!d->sm.n || mono_ms - d->util_ms > SM_KEEP_MS)
		return;
	sort_items(d->sm.v, d->sm.n, sizeof *d->sm.v, sm_by_pid);
	for (size_t i = 0; i < d->proc.n; i++) {
		double sum = 0;
		unsigned many = 0;
		while (k < d->sm.n && d->sm.v[k].pid < (uint32_t)d->proc.v[i].pid)
			k++;
		for (size_t j = k; j < d->sm.n && d->sm.v[j].pid == (uint32_t)d->proc.v[i].pid;
		     j++) {
			sum += d->sm.v[j].sum;
			many += d->sm.v[j].n;
		}
		if (many)
			d->proc.v[i].sm_util_pct = sum / many;
	}
}

void nvml_read_procs(struct nvml *n, size_t i, int64_t mono_ms)
{
	struct gpu_dev *g = &n->set.dev.v[i];
	struct nvml_dev *d = &n->dev.v[i];
	size_t kept = 0;
	bool known;

	d->procs_room = (uint32_t)d->proc.n / 4 * 5 + FIRST_ROOM;
	vec_clear(&d->proc);
	known = list_procs(n, d, CALL_COMPUTE, n->lib.compute2, n->lib.compute1, 'C');
	list_procs(n, d, CALL_GRAPHICS, n->lib.graphics2, n->lib.graphics1, 'G');
	list_procs(n, d, CALL_MPS, n->lib.mps2, n->lib.mps1, 'M');
	/* one of each process, however many lists it is in */
	if (d->proc.n > 1)
		sort_items(d->proc.v, d->proc.n, sizeof *d->proc.v, by_pid);
	for (size_t k = 0; k < d->proc.n; k++) {
		struct gpu_proc *p = &d->proc.v[k], *last = kept ? &d->proc.v[kept - 1] : NULL;
		if (last && last->pid == p->pid)
			last->mem_bytes = fmax(last->mem_bytes, p->mem_bytes);
		else
			d->proc.v[kept++] = *p;
	}
	d->proc.n = kept;
	if (g->info.parent < 0 && known) {
		int64_t begun = nvml_begin();
		if (nvml_due(d, CALL_PROC_UTIL, mono_ms)) {
			ask_sm(n, d, mono_ms);
			nvml_paid(d, CALL_PROC_UTIL, begun, mono_ms, SM_KEEP_MS * 3 / 4);
		}
		give_sm(d, mono_ms);
	}
	for (size_t k = 0; k < d->proc.n; k++) {
		struct host_proc p;
		if (host_proc_read(n->proc, d->proc.v[k].pid, &p) == 0)
			d->proc.v[k].start_ticks = p.start_ticks;
	}
	g->proc = d->proc.v;
	g->nproc = d->proc.n;
	g->procs_known = known;
	if (known)
		g->value[METRIC_PROC_COUNT] = (double)d->proc.n;
}
