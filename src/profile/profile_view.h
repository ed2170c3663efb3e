#ifndef TARE_PROFILE_PROFILE_VIEW_H
#define TARE_PROFILE_PROFILE_VIEW_H
/* A run's profile in words, as JSON and as CSV, for `tare profile` and `tare explain`. */
#include "profile/profile.h"
#include "plan/lever/gpu_speed.h"
#include "report/cost/report.h"

struct profile_gpu { /* that would do; texts belong to the catalogue */
	const char *model;
	double memory_gib;
	int64_t nano_gpu_hour; /* INT64_MIN = nobody sells it */
	const char *provider, *region, *instance_type;
	struct gpu_speed speed;        /* against the GPU it ran on */
	double nano_per_work, nano_hi; /* of an hour's work here; at the slow end of speed */
};
#define PROFILE_GPUS 5       /* in the report */
struct profile_fit {         /* of one GPU of those the command used, all of them alike */
	bool asked;          /* the GPUs are in the catalogue, memory is known */
	const char *why_not; /* asked false: a sentence */
	const char *on;      /* model of what it ran on */
	double vram_p99_gib; /* needed is this with GPU_CHOICE_VRAM_ROOM */
	double max_slowdown; /* INFINITY = any */
	struct profile_gpu gpu[PROFILE_GPUS]; /* [ngpu] that fit, cheapest work first */
	size_t ngpu;
	bool better;     /* the first is clearly cheaper than what it ran on */
	bool sure;       /* at the slow end of the estimate too */
	double slow_now; /* nano-dollars of an hour's work here; NAN */
};

struct profile_view {
	struct arena *mem;
	int width; /* of the page, columns */
	const struct profile *p;
	const struct profile_report *r;
	const struct profile_fit *fit; /* NULL: not asked */
	const char *kept;              /* id under which it can be explained, NULL */
};
void profile_print(const struct profile_view *v, enum out_format o, struct str *out);
/* "3.2s · 1 GPU · busy 40 % · 2.1 GiB": of a run that goes on. */
void profile_print_live(const struct profile *p, struct str *out);

#endif
