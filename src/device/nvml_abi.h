#ifndef TARE_DEVICE_NVML_ABI_H
#define TARE_DEVICE_NVML_ABI_H
/*
 * What of NVIDIA's management library (libnvidia-ml.so.1) we call, declared by ourselves: the
 * library is opened at run time and no toolkit is needed to build. Sizes and offsets are those of
 * the library's binary interface on 64-bit Linux (API version 13.3), asserted below; the names of
 * members are ours. Struct versions: size | number << 24, set before a call.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum nvml_ret {
	NVML_OK = 0,
	NVML_UNINITIALIZED = 1,
	NVML_INVALID_ARGUMENT = 2,
	NVML_NOT_SUPPORTED = 3,
	NVML_NO_PERMISSION = 4,
	NVML_NOT_FOUND = 6,
	NVML_INSUFFICIENT_SIZE = 7,
	NVML_DRIVER_NOT_LOADED = 9,
	NVML_TIMEOUT = 10,
	NVML_FUNCTION_NOT_FOUND = 13,
	NVML_GPU_IS_LOST = 15,
	NVML_RESET_REQUIRED = 16,
	NVML_LIB_RM_VERSION_MISMATCH = 18,
	NVML_NO_DATA = 21,
	NVML_ARGUMENT_VERSION_MISMATCH = 25,
	NVML_DEPRECATED = 26,
	NVML_GPU_NOT_FOUND = 28,
	NVML_UNKNOWN = 999
};

/* names and uuids since R470; older drivers write at most 64 and 80 */
#define NVML_NAME_BYTES           96
#define NVML_DRIVER_BYTES         80
#define NVML_NOT_AVAILABLE        UINT64_MAX
#define NVML_NO_INSTANCE          0xffffffffu
#define NVML_SENSOR_GPU           0 /* nvmlTemperatureSensors_t */
#define NVML_THRESHOLD_SLOWDOWN   1
#define NVML_CLOCK_SM             1
#define NVML_CLOCK_MEM            2
#define NVML_PCIE_TX              0
#define NVML_PCIE_RX              1
#define NVML_ECC_UNCORRECTED      1 /* nvmlMemoryErrorType_t */
#define NVML_ECC_VOLATILE         0 /* since the driver was loaded */
#define NVML_ARCH_HOPPER          9
#define NVML_EVENT_DOUBLE_BIT_ECC 2ull
#define NVML_EVENT_XID            8ull
#define NVML_FIELD_NVLINK_DATA_TX 138 /* counters in KiB; scope UINT32_MAX: all links */
#define NVML_FIELD_NVLINK_DATA_RX 139
/* counters in bytes; where they have 32 bits only they wrap within a step and say nothing */
#define NVML_FIELD_PCIE_TX 197
#define NVML_FIELD_PCIE_RX 198
#define NVML_MIG_MAX       64 /* more instances than any GPU has */

/* nvmlValueType_t */
enum {
	NVML_T_DOUBLE,
	NVML_T_UINT,
	NVML_T_ULONG,
	NVML_T_ULL,
	NVML_T_SLL,
	NVML_T_INT,
	NVML_T_USHORT
};

/* nvmlGpmMetricId_t; *_UTIL are percent, *_PER_SEC in the unit that the library names (MiB/s) */
enum {
	GPM_GRAPHICS_UTIL = 1,
	GPM_SM_UTIL = 2,
	GPM_SM_OCCUPANCY = 3,
	GPM_ANY_TENSOR_UTIL = 5,
	GPM_DRAM_BW_UTIL = 10,
	GPM_PCIE_TX = 20,
	GPM_PCIE_RX = 21,
	GPM_NVLINK_RX = 60,
	GPM_NVLINK_TX = 61
};

struct nvml_util {
	uint32_t gpu, memory;
};
struct nvml_mem1 {
	uint64_t total, free, used;
}; /* used: with what the driver keeps for itself */
struct nvml_mem2 {
	uint32_t version;
	uint64_t total, reserved, free, used;
};
#define NVML_MEM2_VERSION 0x02000028u
struct nvml_pci {
	char bus_id_legacy[16];
	uint32_t domain, bus, device, pci_device, pci_sub;
	char bus_id[32];
};
struct nvml_proc1 {
	uint32_t pid;
	uint64_t used;
};
/* of the _v2 and _v3 functions */
struct nvml_proc2 {
	uint32_t pid;
	uint64_t used;
	uint32_t gi, ci;
};
#define NVML_PROC_BYTES_MAX 32 /* drivers of 2023 wrote one more word behind it */
struct nvml_proc_util {
	uint32_t pid;
	uint64_t time_us;
	uint32_t sm, mem, enc, dec;
};
union nvml_value {
	double d;
	int32_t i;
	uint32_t u;
	uint64_t ull;
	int64_t sll;
	uint16_t us;
};
struct nvml_field {
	uint32_t field, scope;
	int64_t time_us, latency_us;
	uint32_t type;
	int32_t ret;
	union nvml_value value;
};
struct nvml_event {
	void *device;
	uint64_t type, data;
	uint32_t gi, ci;
};
struct nvml_event1 {
	void *device;
	uint64_t type, data;
}; /* of nvmlEventSetWait without _v2 */
struct nvml_mig_attr {
	uint32_t sm, copy, dec, enc, jpeg, ofa, gi_slices, ci_slices;
	uint64_t memory_mib;
};
struct nvml_gi_info {
	void *device;
	uint32_t id, profile_id, start, size;
};
struct nvml_gpm_metric {
	uint32_t id;
	int32_t ret;
	double value;
	const char *short_name, *long_name, *unit;
};
/* only the entries that are asked for are touched, so the array may be shorter than the library's
 * 333 */
#define NVML_GPM_ASK_MAX 16
struct nvml_gpm_get {
	uint32_t version, n;
	void *from, *to;
	struct nvml_gpm_metric metric[NVML_GPM_ASK_MAX];
};
struct nvml_gpm_support {
	uint32_t version, supported;
};

#define NVML_SIZE(type, n) \
	static_assert(sizeof(struct type) == (n), #type " has another size than the library's")
#define NVML_AT(type, member, n)                            \
	static_assert(offsetof(struct type, member) == (n), \
		      #type "." #member " stands elsewhere in the library")
NVML_SIZE(nvml_util, 8);
NVML_SIZE(nvml_mem1, 24);
NVML_SIZE(nvml_mem2, 40);
NVML_AT(nvml_mem2, total, 8);
NVML_AT(nvml_mem2, used, 32);
NVML_SIZE(nvml_pci, 68);
NVML_AT(nvml_pci, bus_id, 36);
NVML_SIZE(nvml_proc1, 16);
NVML_AT(nvml_proc1, used, 8);
NVML_SIZE(nvml_proc2, 24);
NVML_AT(nvml_proc2, gi, 16);
NVML_SIZE(nvml_proc_util, 32);
NVML_AT(nvml_proc_util, time_us, 8);
NVML_AT(nvml_proc_util, sm, 16);
NVML_SIZE(nvml_field, 40);
NVML_AT(nvml_field, time_us, 8);
NVML_AT(nvml_field, type, 24);
NVML_AT(nvml_field, ret, 28);
NVML_AT(nvml_field, value, 32);
NVML_SIZE(nvml_event, 32);
NVML_AT(nvml_event, gi, 24);
NVML_SIZE(nvml_event1, 24);
NVML_SIZE(nvml_mig_attr, 40);
NVML_AT(nvml_mig_attr, memory_mib, 32);
NVML_SIZE(nvml_gi_info, 24);
NVML_AT(nvml_gi_info, start, 16);
NVML_SIZE(nvml_gpm_metric, 40);
NVML_AT(nvml_gpm_metric, value, 8);
NVML_AT(nvml_gpm_metric, unit, 32);
NVML_AT(nvml_gpm_get, metric, 24);
NVML_SIZE(nvml_gpm_support, 8);

/*
 * The functions, in the order of their use: member, names from the newest on (all with this same
 * shape), arguments. One that the library lacks is NULL. The first four must be there.
 */
#define NVML_CALLS(X)                                                                             \
	X(init, (void), "nvmlInit_v2", "nvmlInit", NULL)                                          \
	X(shutdown, (void), "nvmlShutdown", NULL, NULL)                                           \
	X(count, (uint32_t *), "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount", NULL)               \
	X(handle, (uint32_t, void **), "nvmlDeviceGetHandleByIndex_v2",                           \
	  "nvmlDeviceGetHandleByIndex", NULL)                                                     \
	X(driver_version, (char *, uint32_t), "nvmlSystemGetDriverVersion", NULL, NULL)           \
	X(name, (void *, char *, uint32_t), "nvmlDeviceGetName", NULL, NULL)                      \
	X(uuid, (void *, char *, uint32_t), "nvmlDeviceGetUUID", NULL, NULL)                      \
	X(minor, (void *, uint32_t *), "nvmlDeviceGetMinorNumber", NULL, NULL)                    \
	X(pci, (void *, struct nvml_pci *), "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2", \
	  "nvmlDeviceGetPciInfo")                                                                 \
	X(util, (void *, struct nvml_util *), "nvmlDeviceGetUtilizationRates", NULL, NULL)        \
	X(mem2, (void *, struct nvml_mem2 *), "nvmlDeviceGetMemoryInfo_v2", NULL, NULL)           \
	X(mem1, (void *, struct nvml_mem1 *), "nvmlDeviceGetMemoryInfo", NULL, NULL)              \
	X(power, (void *, uint32_t *), "nvmlDeviceGetPowerUsage", NULL, NULL)                     \
	X(power_limit, (void *, uint32_t *), "nvmlDeviceGetEnforcedPowerLimit", NULL, NULL)       \
	X(energy, (void *, uint64_t *), "nvmlDeviceGetTotalEnergyConsumption", NULL, NULL)        \
	X(temp, (void *, uint32_t, uint32_t *), "nvmlDeviceGetTemperature", NULL, NULL)           \
	X(temp_limit, (void *, uint32_t, uint32_t *), "nvmlDeviceGetTemperatureThreshold", NULL,  \
	  NULL)                                                                                   \
	X(clock, (void *, uint32_t, uint32_t *), "nvmlDeviceGetClockInfo", NULL, NULL)            \
	X(throttle, (void *, uint64_t *), "nvmlDeviceGetCurrentClocksEventReasons",               \
	  "nvmlDeviceGetCurrentClocksThrottleReasons", NULL)                                      \
	X(pcie, (void *, uint32_t, uint32_t *), "nvmlDeviceGetPcieThroughput", NULL, NULL)        \
	X(ecc, (void *, uint32_t, uint32_t, uint64_t *), "nvmlDeviceGetTotalEccErrors", NULL,     \
	  NULL)                                                                                   \
	X(fields, (void *, int32_t, struct nvml_field *), "nvmlDeviceGetFieldValues", NULL, NULL) \
	X(compute2, (void *, uint32_t *, void *), "nvmlDeviceGetComputeRunningProcesses_v3",      \
	  "nvmlDeviceGetComputeRunningProcesses_v2", NULL)                                        \
	X(graphics2, (void *, uint32_t *, void *), "nvmlDeviceGetGraphicsRunningProcesses_v3",    \
	  "nvmlDeviceGetGraphicsRunningProcesses_v2", NULL)                                       \
	X(mps2, (void *, uint32_t *, void *), "nvmlDeviceGetMPSComputeRunningProcesses_v3",       \
	  "nvmlDeviceGetMPSComputeRunningProcesses_v2", NULL)                                     \
	X(compute1, (void *, uint32_t *, void *), "nvmlDeviceGetComputeRunningProcesses", NULL,   \
	  NULL)                                                                                   \
	X(graphics1, (void *, uint32_t *, void *), "nvmlDeviceGetGraphicsRunningProcesses", NULL, \
	  NULL)                                                                                   \
	X(mps1, (void *, uint32_t *, void *), "nvmlDeviceGetMPSComputeRunningProcesses", NULL,    \
	  NULL)                                                                                   \
	X(proc_util, (void *, struct nvml_proc_util *, uint32_t *, uint64_t),                     \
	  "nvmlDeviceGetProcessUtilization", NULL, NULL)                                          \
	X(event_set, (void **), "nvmlEventSetCreate", NULL, NULL)                                 \
	X(event_types, (void *, uint64_t *), "nvmlDeviceGetSupportedEventTypes", NULL, NULL)      \
	X(event_register, (void *, uint64_t, void *), "nvmlDeviceRegisterEvents", NULL, NULL)     \
	X(event_wait, (void *, struct nvml_event *, uint32_t), "nvmlEventSetWait_v2", NULL, NULL) \
	X(event_wait1, (void *, struct nvml_event1 *, uint32_t), "nvmlEventSetWait", NULL, NULL)  \
	X(event_free, (void *), "nvmlEventSetFree", NULL, NULL)                                   \
	X(mig_mode, (void *, uint32_t *, uint32_t *), "nvmlDeviceGetMigMode", NULL, NULL)         \
	X(mig_max, (void *, uint32_t *), "nvmlDeviceGetMaxMigDeviceCount", NULL, NULL)            \
	X(mig_handle, (void *, uint32_t, void **), "nvmlDeviceGetMigDeviceHandleByIndex", NULL,   \
	  NULL)                                                                                   \
	X(mig_gi, (void *, uint32_t *), "nvmlDeviceGetGpuInstanceId", NULL, NULL)                 \
	X(mig_ci, (void *, uint32_t *), "nvmlDeviceGetComputeInstanceId", NULL, NULL)             \
	X(mig_attr, (void *, struct nvml_mig_attr *), "nvmlDeviceGetAttributes_v2",               \
	  "nvmlDeviceGetAttributes", NULL)                                                        \
	X(gi_by_id, (void *, uint32_t, void **), "nvmlDeviceGetGpuInstanceById", NULL, NULL)      \
	X(gi_info, (void *, struct nvml_gi_info *), "nvmlGpuInstanceGetInfo", NULL, NULL)         \
	X(gpm_support, (void *, struct nvml_gpm_support *), "nvmlGpmQueryDeviceSupport", NULL,    \
	  NULL)                                                                                   \
	X(gpm_alloc, (void **), "nvmlGpmSampleAlloc", NULL, NULL)                                 \
	X(gpm_free, (void *), "nvmlGpmSampleFree", NULL, NULL)                                    \
	X(gpm_sample, (void *, void *), "nvmlGpmSampleGet", NULL, NULL)                           \
	X(gpm_mig_sample, (void *, uint32_t, void *), "nvmlGpmMigSampleGet", NULL, NULL)          \
	X(gpm_metrics, (struct nvml_gpm_get *), "nvmlGpmMetricsGet", NULL, NULL)

#endif
