#ifndef TARE_CLI_PLAN_GPU_H
#define TARE_CLI_PLAN_GPU_H
/* What cmd_plan_gpu.c, plan_gpu_*.c and profile_fit.c share: a question for the cheapest GPU, its
 * candidates, and how they are told. */
#include "catalog/catalog.h"
#include "catalog/cpu.h"
#include "cli/cli.h"
#include "opt/gpu_choice.h"
#include "opt/memory.h"
#include "plan/gpu_speed.h"

/* The cheapest price of one whole GPU of a model, in dollars, at c->now_ms. texts belong to the
 * catalogue. nano INT64_MIN = none. */
struct gpu_price {
	int64_t nano_gpu_hour;
	const char *provider, *region, *instance_type, *purchase, *source;
	int64_t as_of_ms, gpu_milli;
};
/* Over places: provider, region_glob NULL = any; purchase NULL = on_demand; cpu: of machines with
 * that one only. ret [number of cards in the catalogue]. */
int plan_gpu_prices(struct cli *c, const struct catalog *cat, const char *provider,
		    const char *region_glob, const char *purchase, enum machine_cpu cpu,
		    struct gpu_price **ret, struct err *err);

struct plan_gpu {
	struct cli *c;
	const struct catalog *cat;
	const struct gpu_spec *on; /* the card it runs on now, or the reference */
	bool on_given, sized;      /* sized: the need of memory is the estimate */
	const char *group, *workload;
	double own_vram_bytes; /* memory of those runs, 99th percentile; NAN */
	/* what the own measurements are called, NULL = none were taken from speeds.csv */
	const char *own_work;
	/* only cards of the maker of `on`: another one's is a port of the program */
	bool same_maker;
	/* only prices of machines with such a processor: a program for x86 does not run on ARM */
	enum machine_cpu cpu;
	const char *provider, *region, *purchase; /* of prices; NULL: any, any, on_demand */
	struct gpu_speed_own own[TRANSFER_MAX_OWN];
	size_t nown;
	struct roofline_shares shares;
	bool has_shares;
	struct gpu_need need;
	struct memory_need memory;
	bool estimated;      /* memory was estimated from --params ... */
	bool memory_assumed; /* ... and layers and such were taken from the size */
	/* out of plan_gpu_choose() */
	/* candidates: cards that somebody sells there, and the one it runs on */
	size_t n;
	const struct gpu_spec **gpu;
	struct gpu_candidate *cand;
	struct gpu_speed *speed;
	struct gpu_price *price; /* [card of the catalogue] */
	/* cards that are sold there, but with the other processor only */
	const struct gpu_spec **left_out;
	size_t nleft_out;
	size_t *order;
	int fit; /* how many fit: the first of order */
};
int plan_gpu_ask(struct plan_gpu *a, struct err *err); /* from the options of a->c */
int plan_gpu_choose(struct plan_gpu *a, struct err *err);
void plan_gpu_free(struct plan_gpu *a);
/* The workload (or class) of the catalogue's table of that group as the table spells it; NULL where
 * it has none. */
const char *plan_gpu_in_table(const struct catalog *cat, const char *group, const char *workload);
/* its place in the catalogue */
size_t plan_gpu_card(const struct catalog *cat, const struct gpu_spec *g);
/* nano-dollars that an hour of the work costs on the card it runs on now; NAN */
double plan_gpu_cost_now(const struct plan_gpu *a);
double plan_gpu_steps_now(const struct plan_gpu *a); /* measured steps per second there; NAN */
void plan_gpu_text(const struct plan_gpu *a, struct str *out);
void plan_gpu_json(const struct plan_gpu *a, struct str *out);

/* --evaluate: how good the predictions are on files of measured speeds. Writes to out; returns 0 or
 * a negative errno. */
int plan_gpu_evaluate(struct cli *c, const struct catalog *cat, struct str *out, struct err *err);

#endif
