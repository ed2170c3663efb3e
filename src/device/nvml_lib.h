#ifndef TARE_DEVICE_NVML_LIB_H
#define TARE_DEVICE_NVML_LIB_H
/* NVML opened at run time: a table of its functions. */
#include <stdbool.h>
#include "base/err.h"
#include "device/nvml_abi.h"

#define NVML_MEMBER(name, args, a, b, c) int(*name) args;
struct nvml_lib {
	void *so;
	NVML_CALLS(NVML_MEMBER)
};
#undef NVML_MEMBER

/*
 * path NULL: libnvidia-ml.so.1 as the linker finds it, else where WSL has it. 0; -ENOENT there is
 * none; -ENOSYS one without the first four functions. Does not call nvmlInit.
 */
int nvml_lib_open(const char *path, struct nvml_lib *ret, struct err *err);
void nvml_lib_close(struct nvml_lib *l);

#endif
