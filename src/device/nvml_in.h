#ifndef TARE_DEVICE_NVML_IN_H
#define TARE_DEVICE_NVML_IN_H
/* Inside of the NVML source: its files share these shapes and nobody else does. */
#include "device/gpu_src.h"
#include "device/nvml_lib.h"

/* Calls that a GPU may refuse: what it refused once is not asked again for a while. */
enum nvml_call {
	CALL_UTIL,
	CALL_MEM2,
	CALL_MEM1,
	CALL_POWER,
	CALL_ENERGY,
	CALL_TEMP,
	CALL_SM_CLOCK,
	CALL_MEM_CLOCK,
	CALL_THROTTLE,
	CALL_PCIE,
	CALL_ECC,
	CALL_NVLINK,
	CALL_PCIE_COUNT,
	CALL_COMPUTE,
	CALL_GRAPHICS,
	CALL_MPS,
	CALL_PROC_UTIL,
	CALL_EVENTS,
	CALL_MIG,
	CALL_GPM,
	CALL_LIMIT,
	CALL_N
};

/* Two samples of the hardware's counters, and what lies between them. */
struct gpm {
	void *sample[2]; /* the older one first */
	int64_t at_ms[2];
	int nsample;
	int64_t read_ms; /* when value[] was made, by the clock that never jumps */
	double value[METRIC_N];
};

struct nvml_counter { /* for rates */
	bool known;
	uint64_t v;
	int64_t at_ms;
};

struct nvml_sm { /* utilisation of a process, as reported last */
	uint32_t pid;
	double sum;
	unsigned n;
};

/* Beside the gpu_dev of the same position. */
struct nvml_dev {
	void *h;                     /* NULL: no handle now */
	bool lost, told_lost;        /* this GPU does not answer; an event said so */
	uint32_t refused, forbidden; /* bit per enum nvml_call: not supported; not permitted */
	int64_t refused_ms;          /* when the bits began */
	int64_t static_ms;           /* when limits were read, 0 = never */
	uint64_t events;             /* types registered */
	/* of an instance: another compute instance is on the same GPU instance */
	bool gi_shared;
	struct nvml_counter nvlink_tx, nvlink_rx, pcie_tx, pcie_rx;
	int64_t due_ms[CALL_N]; /* an expensive call is not asked again before */
	double energy_j;        /* as read last: a call that is not due yet repeats it */
	uint64_t util_seen_us;  /* newest sample of processes' utilisation */
	int64_t util_ms;
	uint32_t procs_room; /* records that were enough for its processes */
	VEC(struct nvml_sm) sm;
	VEC(struct gpu_proc) proc;
	struct gpm gpm;
};

struct nvml {
	struct nvml_lib lib;
	char *path, *proc;
	bool want_pcie, want_gpm, want_procs, want_energy;
	bool up; /* nvmlInit succeeded */
	bool was_up, told_lost;
	int64_t tried_ms, listed_ms; /* INT64_MIN = never */
	int64_t reinit_ms;           /* pause before everything is opened again for a lost GPU */
	uint32_t count;              /* what the driver counted last */
	uint32_t unopened;           /* GPUs that may not be opened */
	bool relist, down; /* found during a poll: the set changed; the driver went away */
	void *events;
	struct gpu_set set;
	VEC(struct nvml_dev) dev;
	void *buf; /* of process lists */
	size_t buf_bytes;
};

/* Not the GPU that was asked: the driver itself is gone, or another one is there. */
static inline bool nvml_driver_gone(int rc)
{
	return rc == NVML_UNINITIALIZED || rc == NVML_DRIVER_NOT_LOADED ||
	       rc == NVML_LIB_RM_VERSION_MISMATCH;
}
/*
 * What a call's answer means: true for a good one. Notes refusals, a lost GPU and a driver that
 * went away; `bit` is the call's.
 */
bool nvml_good(struct nvml *n, struct nvml_dev *d, enum nvml_call bit, int rc);
static inline bool nvml_may(const struct nvml_dev *d, enum nvml_call bit)
{
	return d->h && !d->lost && !((d->refused | d->forbidden) & 1u << bit);
}
/*
 * Calls that cost the driver processor time (on an H200 with driver 580, of 0.01 ms else: energy
 * 3.5 ms, utilisation of processes 2.5, the averages of GPM 1.5) are asked as often as keeps them
 * below 1/NVML_PART of a core a GPU. nvml_begin() is the clock of the thread's processor time, in
 * ns.
 */
#define NVML_CHEAP_NS 500000
#define NVML_PART     500
static inline bool nvml_due(const struct nvml_dev *d, enum nvml_call bit, int64_t mono_ms)
{
	return mono_ms >= d->due_ms[bit];
}
int64_t nvml_begin(void);
/* max_ms: asked again after so long however expensive it is */
void nvml_paid(struct nvml_dev *d, enum nvml_call bit, int64_t begun_ns, int64_t mono_ms,
	       int64_t max_ms);
#define NVML_ASK(n, d, bit, fn, ...)                      \
	((n)->lib.fn && !(n)->down && nvml_may(d, bit) && \
	 nvml_good(n, d, bit, (n)->lib.fn((d)->h, __VA_ARGS__)))

/* nvml_list.c: the devices. Reads them again into set.dev and dev, keeping what was known of those
 * that stay. */
void nvml_list(struct nvml *n, int64_t mono_ms);
void nvml_dev_free(struct nvml *n, struct nvml_dev *d);
bool nvml_mig_same(struct nvml *n); /* whether the instances are those listed */

/* nvml_procs.c: its processes. */
void nvml_read_procs(struct nvml *n, size_t i, int64_t mono_ms);
/* nvml_events.c */
void nvml_events_open(struct nvml *n);
void nvml_events_read(struct nvml *n);
void nvml_events_close(struct nvml *n);

/*
 * gpm.c: take a sample (handle: of the GPU; gi >= 0: of that GPU instance) and set the metrics
 * that it gives in value[]. In between (samples need 100 ms) the last ones are repeated.
 */
void gpm_read(struct nvml *n, struct nvml_dev *d, void *gpu, int gi, int64_t mono_ms,
	      double *value);
void gpm_free(struct nvml *n, struct gpm *g);

#endif
