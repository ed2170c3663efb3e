#ifndef TARE_ANSWER_PLAN_PLAN_GPU_H
#define TARE_ANSWER_PLAN_PLAN_GPU_H
/*
 * The cheapest GPU that does a workload: candidates from the catalogue, judged by memory, speed and
 * price (opt/size/gpu_choice.h). No store is needed; where there is one, its folder has what tare
 * profile measured.
 */
#include "catalog/catalog.h"
#include "catalog/cpu.h"
#include "opt/size/gpu_choice.h"
#include "opt/size/memory.h"
#include "plan/lever/gpu_speed.h"

/* The cheapest price of one whole GPU of a model, in dollars. Texts belong to the catalogue. nano
 * INT64_MIN = none. */
struct gpu_price {
	int64_t nano_gpu_hour;
	const char *provider, *region, *zone, *instance_type, *purchase, *term, *source;
	int64_t as_of_ms, gpu_milli;
};
/* Where they are asked for. */
struct gpu_market {
	const char *provider, *region, *purchase; /* NULL: any, any (a glob), on_demand */
	int64_t now_ms;
};
/* cpu: of machines with that one only. ret [number of GPUs in the catalogue], the caller frees
 * it. Rows that are no quotes (catalog.h) price nothing. */
int plan_gpu_prices(const struct catalog *cat, const struct gpu_market *m, enum machine_cpu cpu,
		    struct gpu_price **ret, struct err *err);

/* Memory as it is estimated from the size of the model. */
struct gpu_model {
	struct memory_model model; /* params NAN or 0: it is not estimated */
	bool serve;
	struct memory_serve serving;
	struct memory_train training;
};

/* What is asked. */
struct gpu_ask {
	const struct catalog *cat;
	struct gpu_market market;
	const char *dir;    /* of the store, for what tare profile measured; NULL: nothing */
	const char *wanted; /* the work as people call it, or NULL */
	/* the GPU it runs on now; NULL: the first of the measured ones, else a reference */
	const struct gpu_spec *on;
	/* only GPUs of the maker of `on`: another one's is a port of the program. Else they are
	 * ranked after the others, unless need.ports */
	bool same_maker;
	/* only prices of machines with such a processor: a program for x86 does not run on ARM */
	enum machine_cpu cpu;
	bool cpu_given; /* else that beside the GPU it runs on */
	struct gpu_speed_own own[TRANSFER_MAX_OWN];
	size_t nown;
	struct roofline_shares shares;
	bool has_shares;
	struct gpu_need need; /* its memory NAN: the estimate, else what the runs used */
	struct gpu_model model;
	/* of the catalogue's table of speeds; NULL: the one that has the work */
	const char *group, *workload;
};
struct plan_gpu {
	/* as asked, and what was missing: GPU, processor, measurements, need, table of speeds */
	struct gpu_ask q;
	bool on_given; /* or measured: `on` is no mere reference */
	/* what the own measurements are called, NULL = none were taken from speeds.csv */
	const char *own_work;
	double own_vram_bytes; /* memory of those runs, 99th percentile; NAN */
	struct memory_need memory;
	bool estimated;      /* memory was estimated ... */
	bool memory_assumed; /* ... and layers and such were taken from the size */
	bool sized;          /* ... and is the need */
	/* candidates: GPUs that somebody sells there, and the one it runs on */
	size_t n;
	const struct gpu_spec **gpu;
	struct gpu_candidate *cand;
	struct gpu_speed *speed;
	struct gpu_price *price;    /* [GPU of the catalogue] */
	struct gpu_price *no_quote; /* likewise: left out, would have been the cheapest */
	/* GPUs that are sold there, but with the other processor only */
	const struct gpu_spec **left_out;
	size_t nleft_out;
	size_t *order;
	int fit; /* how many fit: the first of order */
};
/* A measurement, steps per second of one GPU; -E2BIG: too many. */
int gpu_ask_add(struct gpu_ask *q, const struct gpu_spec *g, double speed, struct err *err);
/* Returns 0 or a negative errno; plan_gpu_free() in any case. */
int answer_plan_gpu(const struct gpu_ask *q, struct plan_gpu *ret, struct err *err);
/* Its last step alone, for who has filled in what was missing. Returns how many fit. */
int plan_gpu_choose(struct plan_gpu *a, struct err *err);
void plan_gpu_free(struct plan_gpu *a);

/* The workload (or class) of the catalogue's table of that group as the table spells it; NULL where
 * it has none. */
const char *plan_gpu_in_table(const struct catalog *cat, const char *group, const char *workload);
/* its place in the catalogue */
size_t plan_gpu_number(const struct catalog *cat, const struct gpu_spec *g);
/* Maker of the GPU it runs on, whose programs a GPU of another maker does not run. */
const char *plan_gpu_maker(const struct plan_gpu *a);
/* nano-dollars that an hour of the work costs on the GPU it runs on now; NAN */
double plan_gpu_cost_now(const struct plan_gpu *a);
double plan_gpu_steps_now(const struct plan_gpu *a); /* measured steps per second there; NAN */
#endif
