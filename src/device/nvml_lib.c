#include "device/nvml_lib.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/str.h"

static void *find_symbol(void *so, const char *a, const char *b, const char *c)
{
	const char *const name[] = { a, b, c };
	void *p = NULL;

	for (int i = 0; i < 3 && !p && name[i]; i++)
		p = dlsym(so, name[i]);
	return p;
}

int nvml_lib_open(const char *path, struct nvml_lib *ret, struct err *err)
{
	struct nvml_lib l = { .so = dlopen(text_or(path, "libnvidia-ml.so.1"),
					   RTLD_NOW | RTLD_LOCAL) };
	void *p;

	if (!l.so && !path)
		l.so = dlopen("/usr/lib/wsl/lib/libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!l.so)
		return err_set(err, -ENOENT, "there is no NVIDIA driver: '%s' cannot be opened",
			       text_or(path, "libnvidia-ml.so.1"));
		/* Function pointers by way of bytes: C has no cast from void * to them. */
#define NVML_LOAD(name, args, a, b, c)  \
	p = find_symbol(l.so, a, b, c); \
	memcpy(&l.name, &p, sizeof p);
	NVML_CALLS(NVML_LOAD)
#undef NVML_LOAD
	if (!l.init || !l.shutdown || !l.count || !l.handle) {
		dlclose(l.so);
		return err_set(err, -ENOSYS, "'%s' is not an NVIDIA management library",
			       text_or(path, "libnvidia-ml.so.1"));
	}
	*ret = l;
	return 0;
}

void nvml_lib_close(struct nvml_lib *l)
{
	if (l->so)
		dlclose(l->so);
	*l = (struct nvml_lib){ 0 };
}
