#ifndef TARE_PLAN_LEVER_OWN_SPEED_H
#define TARE_PLAN_LEVER_OWN_SPEED_H
/*
 * Own measured speeds: what `tare profile --workload NAME --steps N` saw, a line a run in
 * DIR/speeds.csv (DIR: the store's folder):
 *
 *   time,workload,gpu,gpus,speed,steps,seconds,vram_p99_bytes,run
 *   2026-11-20T14:00:00Z,bert-large,A100-SXM4-80GB,1,3.42,12000,3508.8,31138512896,p-20261120-130131
 *
 * speed: steps per second of the whole run. A text file beside the store and not a table in it, so
 * that it can be written while somebody else has the store, looked at, corrected and copied from
 * another machine. A line is appended under a lock and flushed.
 */
#include "base/input.h"
#include "plan/lever/gpu_speed.h"

#define OWN_SPEED_NEWEST 5 /* of a workload and GPU: what is older was another program by now */

struct own_speed {
	const char *workload, *run; /* run "" = not known */
	const struct gpu_spec *gpu;
	/* NAN where not known, but gpus and speed */
	double gpus, speed, steps, seconds, vram_p99_bytes;
	int64_t at_ms; /* UNKNOWN_MS */
};
struct own_speeds {
	VEC(struct own_speed) v;
	int64_t unknown_gpu; /* lines whose GPU the catalogue does not know: left out */
	struct arena mem;
};

/* No such file: none. Errors name file, line and column. own_speeds_free() after 0. */
int own_speeds_load(const char *dir, const struct catalog *cat, struct own_speeds *ret,
		    struct err *err);
int own_speeds_read(struct input *in, const struct catalog *cat, struct own_speeds *ret,
		    struct err *err);
void own_speeds_free(struct own_speeds *s);
int own_speeds_append(const char *dir, const struct own_speed *o, struct err *err);

/*
 * What was measured of a workload (ASCII without case): for each GPU the median of its newest
 * speeds of one GPU. ret [TRANSFER_MAX_OWN], by the order of first appearance; returns how many.
 * *ret_vram_bytes: the largest 99th percentile of memory among those, NAN.
 */
size_t own_speeds_of(const struct own_speeds *s, const char *workload, struct gpu_speed_own *ret,
		     double *ret_vram_bytes);
/* How fast `to` does the workload against `from`, where both were measured; NAN. */
double own_speeds_ratio(const struct own_speeds *s, const char *workload,
			const struct gpu_spec *from, const struct gpu_spec *to);

#endif
