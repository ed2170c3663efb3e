#ifndef TARE_CLI_PLAN_GPU_H
#define TARE_CLI_PLAN_GPU_H
/* What cmd_plan_gpu.c and plan_gpu_eval.c share. */
#include "catalog/catalog.h"
#include "cli/cli.h"

/* The cheapest price of one whole GPU of a model, in dollars, at c->now_ms. texts belong to the catalogue. nano INT64_MIN = none. */
struct gpu_price {
	int64_t nano_gpu_hour;
	const char *provider, *region, *instance_type, *purchase, *source;
	int64_t as_of_ms, gpu_milli;
};
/* Over places: provider, region_glob NULL = any; purchase NULL = on_demand. ret [number of cards in the catalogue]. */
int plan_gpu_prices(struct cli *c, const struct catalog *cat, const char *provider, const char *region_glob, const char *purchase,
		    struct gpu_price **ret, struct err *err);

/* --evaluate: how good the predictions are on files of measured speeds. Writes to out; returns 0 or a negative errno. */
int plan_gpu_evaluate(struct cli *c, const struct catalog *cat, struct str *out, struct err *err);

#endif
