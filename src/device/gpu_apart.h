#ifndef TARE_DEVICE_GPU_APART_H
#define TARE_DEVICE_GPU_APART_H
/*
 * A source of readings in a thread of its own, because its driver may hang inside of a call (a GPU
 * that fell off the bus, a kernel module that is unloaded), and nobody can call it off. Who polls
 * waits as long as a healthy driver needs at most; then the source is stuck: its devices stay as
 * they were last seen, with `stuck` set and every reading unknown, and each poll returns at once
 * until the driver lets go. The readings of a call that hung are thrown away: they are of no moment
 * that could be named. Its events (an XID, say) are told with the next call that is in time.
 */
#include "device/gpu_src.h"

/* eight GPUs take up to a second, on older drivers with PCIe counters */
#define GPU_PATIENCE_MS 2000

struct gpu_apart;
/* Takes the source over. patience_ms > 0. NULL without a thread: the source is closed then. */
struct gpu_apart *gpu_apart_new(const struct gpu_src_ops *ops, void *self, int64_t patience_ms);
/* As the source's poll. 0 also where it is stuck. */
int gpu_apart_poll(struct gpu_apart *a, int64_t now_ms, int64_t mono_ms, struct err *err);
const struct gpu_set *gpu_apart_set(const struct gpu_apart *a); /* valid until the next poll */
/* for how long the driver has not answered in time, 0 = it does */
int64_t gpu_apart_stuck_ms(const struct gpu_apart *a);
/* the source's; NULL where it is stuck */
const char *gpu_apart_why(const struct gpu_apart *a, size_t i, int metric);
/* a thread that is stuck is left behind, with what it uses; NULL is fine */
void gpu_apart_close(struct gpu_apart *a);

#endif
