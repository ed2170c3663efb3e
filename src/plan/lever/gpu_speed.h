#ifndef TARE_PLAN_LEVER_GPU_SPEED_H
#define TARE_PLAN_LEVER_GPU_SPEED_H
/*
 * How fast a workload runs on every GPU of the catalogue against the GPU it runs on now: own
 * measurements, then the catalogue's table of speeds (opt/transfer), then the roofline of measured
 * shares (opt/roofline), each with its range. Used by `tare plan gpu` and by the lever
 * rightsize_gpu.
 */
#include "base/mem.h"
#include "catalog/catalog.h"
#include "opt/diagnose/roofline.h"
#include "opt/transfer/transfer.h"

/* Peak at the work's precision: half where not fp32; single precision where the GPU has no half.
 * NAN. */
double gpu_peak_tflops(const struct gpu_spec *g, bool fp32);
/* Memory that a program can have of a GPU: error correction of GDDR GPUs takes a sixteenth (T4:
 * 14.8 of 16 GiB; L4, A10G: 22.5 of 24). NAN. */
double gpu_usable_gib(const struct gpu_spec *g);
struct roofline_gpu gpu_roofline(const struct gpu_spec *g, bool fp32);

enum speed_how { SPEED_MEASURED, SPEED_TABLE, SPEED_ROOFLINE, SPEED_SPECS, SPEED_NOTHING };
/* "measured", "table", "roofline", "data sheet", "-" */
const char *speed_how_name(enum speed_how h);

/* work per time of one GPU; any unit, one for all */
struct gpu_speed_own {
	const struct gpu_spec *gpu;
	double speed;
};
struct gpu_speed_ask {
	/* of the catalogue's table: "training", "training_fp32", "serving" */
	const char *group;
	/* of that group, or a class of it ("vision"), or NULL: no work in particular */
	const char *workload;
	const struct gpu_spec *from; /* the GPU it runs on now; speeds are against it */
	const struct gpu_speed_own *own;
	size_t nown;                          /* measured; `from` may be among them */
	const struct roofline_shares *shares; /* NULL = not measured */
};
/* from = 1; NAN where nothing is known */
struct gpu_speed {
	double speed, lo, hi;
	enum speed_how how;
};

struct gpu_speeds; /* a table learned once, for many questions of one group */
int gpu_speeds_new(const struct catalog *c, const char *group, struct gpu_speeds **ret,
		   struct err *err);
void gpu_speeds_free(struct gpu_speeds *s); /* NULL is fine */
/* ret [n] for the GPUs `to` [n]. Where own measurements or a named workload are there: the table;
 * else the roofline of shares; else table and data sheets alone. */
int gpu_speeds_ask(const struct gpu_speeds *s, const struct gpu_speed_ask *a, size_t n,
		   const struct gpu_spec *const *to, struct gpu_speed *ret, struct err *err);

#endif
