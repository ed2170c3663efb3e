/* See cpu.h. */
#include "catalog/cpu.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/str.h"

enum machine_cpu machine_cpu_of(const char *provider, const char *instance_type,
				const char *gpu_model)
{
	/* Grace; T4G is sold beside Graviton only */
	static const char *const arm[] = { "gh200", "gb200", "gb300", "t4g" };
	struct sv type = sv_of(instance_type), gpu = sv_of(gpu_model);
	for (size_t i = 0; i < sizeof arm / sizeof *arm; i++)
		if (sv_ihas(type, sv_of(arm[i])) || sv_ihas(gpu, sv_of(arm[i])))
			return CPU_ARM;
	if (!type.n)
		return CPU_ANY;
	if (provider && !strcmp(provider, "aws")) {
		/* "g5g.xlarge", Graviton: letters, generation, then g */
		size_t family = strcspn(instance_type, "0123456789"),
		       generation = strspn(instance_type + family, "0123456789");
		bool graviton = family && generation && instance_type[family + generation] == 'g';
		if (graviton || !strncmp(instance_type, "p6e", 3))
			return CPU_ARM;
		return CPU_X86;
	}
	if (provider && !strcmp(provider, "gcp") && !strncmp(instance_type, "a4x", 3))
		return CPU_ARM;
	return CPU_X86;
}

enum machine_cpu machine_cpu_here(void)
{
	struct utsname u;
	if (uname(&u) < 0)
		return CPU_ANY;
	if (!strcmp(u.machine, "x86_64"))
		return CPU_X86;
	if (!strcmp(u.machine, "aarch64"))
		return CPU_ARM;
	return CPU_ANY;
}

const char *machine_cpu_name(enum machine_cpu cpu)
{
	if (cpu == CPU_X86)
		return "x86_64";
	if (cpu == CPU_ARM)
		return "arm64";
	return NULL;
}
