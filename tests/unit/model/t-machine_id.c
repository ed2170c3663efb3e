/* Ids of machines: whose cloud, what its commands take, which node pool of AKS. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/machine_id.h"

#define SETS \
	"/subscriptions/1/resourceGroups/mc_g/providers/Microsoft.Compute/virtualMachineScaleSets/"

static void is(struct sv got, const char *want)
{
	assert_int_equal(got.n, strlen(want));
	if (got.n)
		assert_memory_equal(got.p, want, got.n);
}

static void ids(void **state)
{
	static const struct {
		const char *id, *provider, *own, *set, *number, *pool;
	} want[] = {
		{ "i-0feed", "aws", "i-0feed", "", "", "" },
		{ "i-notes", "", "i-notes", "", "", "" },
		{ "aws:///us-east-1a/i-0feed", "aws", "i-0feed", "", "", "" },
		{ "gce://p/europe-west4-a/n1", "gcp", "n1", "", "", "" },
		{ "/subscriptions/1/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/n1",
		  "azure",
		  "/subscriptions/1/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/n1",
		  "", "", "" },
		{ "azure://" SETS "aks-gpu-12345678-vmss/virtualMachines/3", "azure",
		  SETS "aks-gpu-12345678-vmss/virtualMachines/3", SETS "aks-gpu-12345678-vmss", "3",
		  "gpu" },
		{ SETS "workers/virtualmachines/12", "azure", SETS "workers/virtualmachines/12",
		  SETS "workers", "12", "" },
		{ "aks-gpu-12345678-vmss00000a", "", "aks-gpu-12345678-vmss00000a", "", "", "gpu" },
		{ "aks-gpu-1234-vmss00000a", "", "aks-gpu-1234-vmss00000a", "", "", "" },
		{ "", "", "", "", "", "" },
	};

	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		struct sv id = sv_of(want[i].id), set = SV_NULL, number = SV_NULL;

		is(machine_id_provider(id), want[i].provider);
		is(machine_id_own(id), want[i].own);
		assert_int_equal(machine_id_in_set(id, &set, &number), *want[i].set != '\0');
		is(set, want[i].set);
		is(number, want[i].number);
		is(machine_id_aks_pool(id), want[i].pool);
	}
}

static void machines_of_a_set(void **state)
{
	const struct sv set = SV(SETS "aks-gpu-12345678-vmss");

	assert_true(machine_id_is_set(set));
	assert_true(machine_id_is_set(SV("azure://" SETS "w")));
	assert_false(machine_id_is_set(SV(SETS "w/virtualMachines/3")));
	assert_false(machine_id_is_set(SV("virtualMachineScaleSets")));
	assert_false(machine_id_is_set(SV("")));
	is(machine_id_aks_pool(set), "gpu");
	is(machine_id_provider(SV("/SUBSCRIPTIONS/1/x")), "azure");
	assert_int_equal(machine_id_number(set, SV("aks-gpu-12345678-vmss00000a")), 10);
	assert_int_equal(machine_id_number(set, SV("AKS-gpu-12345678-vmss00001Z")), 71);
	assert_int_equal(machine_id_number(set, SV("aks-gpu-12345678-vmss00000-")), -1);
	assert_int_equal(machine_id_number(set, SV("aks-cpu-12345678-vmss00000a")), -1);
	assert_int_equal(machine_id_number(set, SV("")), -1);
#define GROUP(name) SV("azure:///subscriptions/1/resourceGroups/" name "/providers/x/y/z")
	is(machine_id_aks_cluster(GROUP("MC_rg-ml_aks-prod_eastus")), "aks-prod");
	is(machine_id_aks_cluster(GROUP("mc_rg_lab_eastus")), "lab");
	is(machine_id_aks_cluster(GROUP("MC_rg_ml_lab_eastus")), "");
	is(machine_id_aks_cluster(GROUP("MC_lab")), "");
	is(machine_id_aks_cluster(GROUP("rg_lab_eastus_x")), "");
	is(machine_id_aks_cluster(SV("i-0feed")), "");
	is(machine_id_aks_cluster(SV_NULL), "");
#undef GROUP
}

int main(void)
{
	const struct CMUnitTest t[] = { cmocka_unit_test(ids),
					cmocka_unit_test(machines_of_a_set) };

	return cmocka_run_group_tests(t, NULL, NULL);
}
