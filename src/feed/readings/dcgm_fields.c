/* The fields and labels of NVIDIA's dcgm-exporter, and a sample made of them. */
#include <math.h>

#include "base/num.h"
#include "base/str.h"
#include "feed/readings/dcgm.h"

/* Names: NVIDIA/dcgm-exporter etc/default-counters.csv. */
static const char *const field_name[DCGM_FIELD_N] = {
	[DCGM_GPU_UTIL] = "DCGM_FI_DEV_GPU_UTIL",
	[DCGM_GR_ENGINE_ACTIVE] = "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
	[DCGM_SM_ACTIVE] = "DCGM_FI_PROF_SM_ACTIVE",
	[DCGM_SM_OCCUPANCY] = "DCGM_FI_PROF_SM_OCCUPANCY",
	[DCGM_TENSOR_ACTIVE] = "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
	[DCGM_DRAM_ACTIVE] = "DCGM_FI_PROF_DRAM_ACTIVE",
	[DCGM_FB_USED] = "DCGM_FI_DEV_FB_USED",
	[DCGM_FB_FREE] = "DCGM_FI_DEV_FB_FREE",
	[DCGM_FB_RESERVED] = "DCGM_FI_DEV_FB_RESERVED",
	[DCGM_POWER] = "DCGM_FI_DEV_POWER_USAGE",
	[DCGM_GPU_TEMP] = "DCGM_FI_DEV_GPU_TEMP",
	[DCGM_PCIE_RX] = "DCGM_FI_PROF_PCIE_RX_BYTES",
	[DCGM_PCIE_TX] = "DCGM_FI_PROF_PCIE_TX_BYTES",
};

const char *const dcgm_uuid[] = { "UUID", "gpu_uuid", NULL };
const char *const dcgm_index[] = { "gpu", NULL };
const char *const dcgm_host[] = { "Hostname", "node", "kubernetes_node", NULL };
const char *const dcgm_model[] = { "modelName", "model_name", NULL };
const char *const dcgm_mig[] = { "GPU_I_ID", NULL };
const char *const dcgm_profile[] = { "GPU_I_PROFILE", NULL };
/* "exported_" is what Prometheus makes of a target's label that clashes with its own: the
 * exporter's is the one that says who holds the GPU. */
const char *const dcgm_pod[] = { "exported_pod", "pod_name", "pod", NULL };
const char *const dcgm_namespace[] = { "exported_namespace", "pod_namespace", "namespace", NULL };
const char *const dcgm_container[] = { "exported_container", "container_name", "container", NULL };
const char *const dcgm_job[] = { "hpc_job", NULL };
const char *const dcgm_cluster[] = { "cluster", NULL };

const char *dcgm_field_name(enum dcgm_field f)
{
	return field_name[f];
}

bool dcgm_own_pod(struct sv pod)
{
	return sv_has(pod, SV("dcgm-exporter"));
}

bool dcgm_owner(struct sv job, struct sv namespace, struct sv pod, struct str *ret)
{
	str_clear(ret);
	if (!job.n && (!pod.n || dcgm_own_pod(pod)))
		return false;
	if (job.n)
		str_addsv(ret, job);
	else
		str_addf(ret, "%.*s/%.*s", SVF(namespace), SVF(pod));
	return true;
}

int dcgm_field_of(struct sv name)
{
	for (int f = 0; f < DCGM_FIELD_N; f++)
		if (sv_is(name, field_name[f]))
			return f;
	return -1;
}

/* dcgm_structs.h: blanks are the largest values of a type less 15, then not found, not supported,
 * not permissioned. */
static bool is_blank(double v)
{
	return (within_double(v, 2147483632.0, 2147483635.0)) ||
	       within_double(v, 140737488355328.0, 140737488355331.0) || v >= 9223372036854775792.0;
}

bool dcgm_valid(enum dcgm_field f, double v)
{
	static const double max[DCGM_FIELD_N] = {
		[DCGM_GPU_UTIL] = 100,        [DCGM_GR_ENGINE_ACTIVE] = 1.001,
		[DCGM_SM_ACTIVE] = 1.001,     [DCGM_SM_OCCUPANCY] = 1.001,
		[DCGM_TENSOR_ACTIVE] = 1.001, [DCGM_DRAM_ACTIVE] = 1.001,
		[DCGM_FB_USED] = 1e8,         [DCGM_FB_FREE] = 1e8,
		[DCGM_FB_RESERVED] = 1e8,     [DCGM_POWER] = 1e5,
		[DCGM_GPU_TEMP] = 500,        [DCGM_PCIE_RX] = 1e13,
		[DCGM_PCIE_TX] = 1e13,
	};
	return !isnan(v) && !is_blank(v) && within_double(v, 0, max[f]);
}

static double clamp_frac(double v)
{
	return min_double(1, v);
}

bool dcgm_sample(const double *f, double *value)
{
	bool stand_in = isnan(f[DCGM_GPU_UTIL]) && !isnan(f[DCGM_GR_ENGINE_ACTIVE]);
	/* older releases do not have it */
	double reserved = known_or(f[DCGM_FB_RESERVED], 0);

	if (stand_in)
		value[METRIC_GPU_UTIL_PCT] = 100 * clamp_frac(f[DCGM_GR_ENGINE_ACTIVE]);
	else
		value[METRIC_GPU_UTIL_PCT] = f[DCGM_GPU_UTIL];
	value[METRIC_SM_ACTIVE_FRAC] = clamp_frac(f[DCGM_SM_ACTIVE]);
	value[METRIC_OCCUPANCY_FRAC] = clamp_frac(f[DCGM_SM_OCCUPANCY]);
	value[METRIC_TENSOR_ACTIVE_FRAC] = clamp_frac(f[DCGM_TENSOR_ACTIVE]);
	value[METRIC_DRAM_ACTIVE_FRAC] = clamp_frac(f[DCGM_DRAM_ACTIVE]);
	value[METRIC_MEM_USED_BYTES] = f[DCGM_FB_USED] * 1048576;
	/* NAN where either is */
	value[METRIC_MEM_TOTAL_BYTES] = (f[DCGM_FB_USED] + f[DCGM_FB_FREE] + reserved) * 1048576;
	value[METRIC_POWER_W] = f[DCGM_POWER];
	value[METRIC_TEMP_CELSIUS] = f[DCGM_GPU_TEMP];
	value[METRIC_PCIE_RX_BYTES_S] = f[DCGM_PCIE_RX];
	value[METRIC_PCIE_TX_BYTES_S] = f[DCGM_PCIE_TX];
	value[METRIC_CPU_UTIL_PCT] = NAN;
	return stand_in;
}
