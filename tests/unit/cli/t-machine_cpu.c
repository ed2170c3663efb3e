/* Which processor stands beside the GPUs, by the name of the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "catalog/cpu.h"

static void by_name(void **state)
{
	static const struct {
		const char *provider, *type, *gpu;
		enum machine_cpu cpu;
	} v[] = {
		{ "aws", "g5g.xlarge", "T4G", CPU_ARM },
		{ "aws", "g5.xlarge", "A10G", CPU_X86 },
		{ "aws", "g4dn.xlarge", "T4", CPU_X86 },
		{ "aws", "p4de.24xlarge", "A100-SXM4-80GB", CPU_X86 },
		{ "aws", "gr6.4xlarge", "L4", CPU_X86 },
		{ "aws", "p6e-gb200.36xlarge", "GB200", CPU_ARM },
		{ "azure", "Standard_ND128isr_NDR_GB200_v6", NULL, CPU_ARM },
		{ "azure", "Standard_NC24ads_A100_v4", NULL, CPU_X86 },
		{ "gcp", "a4x-highgpu-4g", NULL, CPU_ARM },
		{ "gcp", "g2-standard-4", "L4", CPU_X86 },
		{ "lambda", "gpu_1x_gh200", NULL, CPU_ARM },
		{ "lambda", "gpu_1x_h100", "GH200", CPU_ARM },
		{ "aws", NULL, "T4", CPU_ANY },
		{ NULL, "", NULL, CPU_ANY },
		{ NULL, "g5g.xlarge", NULL, CPU_X86 }, /* nobody says that it is AWS's */
	};
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		assert_int_equal(machine_cpu_of(v[i].provider, v[i].type, v[i].gpu), v[i].cpu);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(by_name) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
