#ifndef TARE_DEVICE_GPU_SRC_H
#define TARE_DEVICE_GPU_SRC_H
/* A source of live readings, for device/gpu.c: one row in its table, one file each. */
#include <stdio.h>

#include "base/mem.h"
#include "device/gpu.h"

/* What a source has seen; it owns all of it. Positions in event[].dev and dev[].info.parent are
 * those of this set. */
struct gpu_set {
	char driver[256];
	VEC(struct gpu_dev) dev;
	VEC(struct gpu_event) event; /* since the last poll */
	uint64_t generation;
	struct str problem; /* "" = none */
};

/* What else can be missing on a device, beside the readings of enum metric. */
enum { GPU_WHY_PROCS = METRIC_N, GPU_WHY_PROC_UTIL, GPU_WHY_N };

struct gpu_src_ops {
	const char *name;
	bool may_hang; /* asks a driver: is polled in a thread of its own (gpu_apart.h) */
	/* NULL in *ret: there is nothing of this kind here and never will be. Negative: what was
	 * asked for cannot be read. */
	int (*open)(const struct gpu_feed_opt *opt, void **ret, struct err *err);
	int (*poll)(void *self, int64_t now_ms, int64_t mono_ms, struct err *err);
	const struct gpu_set *(*set)(const void *self);
	void (*close)(void *self);
	/* Why device i does not give this reading (enum metric), its processes (GPU_WHY_PROCS) or
	 * their utilisation (GPU_WHY_PROC_UTIL): a literal, or NULL. May be NULL. */
	const char *(*why)(const void *self, size_t i, int metric);
};
extern const struct gpu_src_ops gpu_src_nvml, gpu_src_amd, gpu_src_scrape, gpu_src_replay;

/* A device without any reading. */
void gpu_dev_clear(struct gpu_dev *d);
void gpu_info_init(struct gpu_info *c); /* all members: not known */
/* v as a text of less than n bytes: what is longer is cut. */
static inline void gpu_text(char *to, size_t n, struct sv v)
{
	snprintf(to, n, "%.*s", (int)(v.n < n ? v.n : n - 1), text_or(v.p, ""));
}

#endif
