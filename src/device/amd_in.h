#ifndef TARE_DEVICE_AMD_IN_H
#define TARE_DEVICE_AMD_IN_H
/* Inside of the AMD source. */
#include "device/gpu_src.h"

struct amd_client { /* an open device file of a process: engines' busy time */
	int32_t pid;
	uint64_t start_ticks;
	unsigned long long client;
	int gpu; /* position in set.dev */
	uint64_t busy_ns, vram_bytes;
	bool known_vram, compute;
	bool seen;       /* in this poll */
	double util_pct; /* of the last step, NAN */
};
struct amd_gpu {
	char dir[64];   /* "card0" */
	char hwmon[32]; /* "hwmon3", "" */
	VEC(struct gpu_proc) proc;
};
struct amd {
	struct gpu_set set;
	char *sys, *proc;
	bool want_procs;
	VEC(struct amd_gpu) gpu; /* as set.dev */
	int64_t looked_ms;       /* INT64_MIN = never */
	/* processes */
	VEC(struct amd_client) client;
	VEC(int32_t) pid; /* those that had a GPU open when last looked for */
	int64_t scanned_ms, read_ms;
	bool hidden; /* some processes cannot be looked into */
};

void amd_read_procs(struct amd *a, int64_t mono_ms);
void amd_free_procs(struct amd *a);
#endif
