#ifndef TARE_FEED_READINGS_DCGM_H
#define TARE_FEED_READINGS_DCGM_H
/* What dcgm-exporter's metrics mean, shared by files of its text and by Prometheus servers that
 * scraped it. */
#include "model/model.h"

/* Series and labels that we read; sums of several give one metric. */
enum dcgm_field {
	DCGM_GPU_UTIL,
	DCGM_GR_ENGINE_ACTIVE,
	DCGM_SM_ACTIVE,
	DCGM_SM_OCCUPANCY,
	DCGM_TENSOR_ACTIVE,
	DCGM_DRAM_ACTIVE,
	DCGM_FB_USED,
	DCGM_FB_FREE,
	DCGM_FB_RESERVED,
	DCGM_POWER,
	DCGM_GPU_TEMP,
	DCGM_PCIE_RX,
	DCGM_PCIE_TX,
	DCGM_FIELD_N
};
const char *dcgm_field_name(enum dcgm_field f); /* "DCGM_FI_DEV_GPU_UTIL" */
int dcgm_field_of(struct sv name);              /* -1: none of those */

/*
 * False for what means "no reading": NaN, DCGM's blank, not found, not supported and not
 * permissioned values of 32 and 64 bit integers and doubles, and values no such reading can have (a
 * utilisation of 4294967295 %).
 */
bool dcgm_valid(enum dcgm_field f, double v);

/* field[DCGM_FIELD_N], NAN = no reading, to the metrics of a sample. GR_ENGINE_ACTIVE stands in
 * where GPU_UTIL is missing (MIG): then true. */
bool dcgm_sample(const double *field, double *value);

/* True for the exporter's own pod, whose labels Prometheus puts on the series of GPUs that no pod
 * holds. */
bool dcgm_own_pod(struct sv pod);
/* Who a line says holds the GPU: a Slurm job, else "namespace/pod", into ret; false: nobody. */
bool dcgm_owner(struct sv job, struct sv namespace, struct sv pod, struct str *ret);

/* Label names, NULL-terminated, all spellings of all releases. */
extern const char *const dcgm_uuid[];
extern const char *const dcgm_index[];
extern const char *const dcgm_host[];
extern const char *const dcgm_model[];
extern const char *const dcgm_mig[];
extern const char *const dcgm_profile[];
extern const char *const dcgm_pod[];
extern const char *const dcgm_namespace[];
extern const char *const dcgm_container[];
extern const char *const dcgm_job[];
extern const char *const dcgm_cluster[];

#endif
