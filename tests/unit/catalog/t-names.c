/* GPUs under all their names, MIG geometry, instance types, providers. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>
#include "catalog/catalog.h"
#include "catalog/cpu.h"

static struct catalog *cat;

static int setup(void **state)
{
	struct err err;
	(void)state;
	if (catalog_open(NULL, &cat, &err) == 0)
		return 0;
	print_error("%s\n", err.msg);
	return -1;
}

static int teardown(void **state)
{
	(void)state;
	catalog_free(cat);
	return 0;
}

static void is_model(const char *name, const char *model)
{
	const struct gpu_spec *g = catalog_gpu(cat, sv_of(name));
	if ((!g && model) || (g && (!model || strcmp(g->model, model))))
		fail_msg("'%s' gives %s, not %s", name, g ? g->model : "nothing",
			 model ? model : "nothing");
}

static void gpu_spellings(void **state)
{
	(void)state;
	/* nvidia-smi and DCGM */
	is_model("NVIDIA A100-SXM4-80GB", "A100-SXM4-80GB");
	is_model("NVIDIA A100-SXM4-40GB", "A100-SXM4-40GB");
	is_model("NVIDIA A100 80GB PCIe", "A100-PCIE-80GB");
	is_model("A100-PCIE-40GB", "A100-PCIE-40GB");
	is_model("Tesla V100-SXM2-16GB", "V100-SXM2-16GB");
	is_model("Tesla V100-PCIE-32GB", "V100-PCIE-32GB");
	is_model("Tesla V100S-PCIE-32GB", "V100S-PCIE-32GB");
	is_model("Tesla T4", "T4");
	is_model("Tesla K80", "K80");
	is_model("Tesla P100-PCIE-16GB", "P100-PCIE-16GB");
	is_model("NVIDIA A10G", "A10G");
	is_model("NVIDIA A10", "A10");
	is_model("NVIDIA L4", "L4");
	is_model("NVIDIA L40S", "L40S");
	is_model("NVIDIA H100 80GB HBM3", "H100-SXM5-80GB");
	is_model("NVIDIA H100 PCIe", "H100-PCIE-80GB");
	is_model("NVIDIA H100 NVL", "H100-NVL-94GB");
	is_model("NVIDIA H200", "H200-SXM5-141GB");
	is_model("NVIDIA H200 NVL", "H200-NVL-141GB");
	is_model("NVIDIA GH200 480GB", "GH200-96GB");
	is_model("NVIDIA B300 SXM6 AC", "B300");
	is_model("NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX-PRO-6000");
	is_model("NVIDIA GeForce RTX 4090", "RTX-4090");
	is_model("AMD Instinct MI300X OAM", "MI300X");
	is_model("AMD Instinct MI250X / MI250", "MI250X");
	/* labels of Kubernetes nodes */
	is_model("NVIDIA-A100-SXM4-80GB-SHARED", "A100-SXM4-80GB");
	is_model("Tesla-T4-SHARED", "T4");
	is_model("NVIDIA-H100-80GB-HBM3", "H100-SXM5-80GB");
	is_model("radeon-pro-v520", "Radeon-Pro-V520");
	/* Google's accelerators */
	is_model("nvidia-tesla-v100", "V100-SXM2-16GB");
	is_model("nvidia-tesla-a100", "A100-SXM4-40GB");
	is_model("nvidia-a100-80gb", "A100-SXM4-80GB");
	is_model("nvidia-h100-mega-80gb", "H100-SXM5-80GB");
	is_model("nvidia-h200-141gb", "H200-SXM5-141GB");
	is_model("nvidia-l4", "L4");
	/* Slurm, catalogues, traces */
	is_model("a100", "A100-SXM4-40GB");
	is_model("nvidia_a100-sxm4-80gb", "A100-SXM4-80GB");
	is_model("A100 80G", "A100-SXM4-80GB");
	is_model("A100 80 GiB", "A100-SXM4-80GB");
	is_model("A100-80GiB", "A100-SXM4-80GB");
	is_model("H100", "H100-SXM5-80GB");
	is_model("V100M32", "V100-SXM2-32GB");
	is_model("V100M16", "V100-SXM2-16GB");
	is_model("gpu_1x_a100", NULL);
}

static void no_gpus(void **state)
{
	(void)state;
	/* slices of a GPU are not the whole GPU */
	is_model("NVIDIA B300 SXM6 AC MIG 1g.34gb", NULL);
	is_model("NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", NULL);
	is_model("a100_1g.5gb", NULL);
	/* anonymised, unknown, nothing, too long */
	is_model("G2", NULL);
	is_model("G3", NULL);
	is_model("GPU-series-1", NULL);
	is_model("gpu", NULL);
	is_model("NVIDIA", NULL);
	is_model("", NULL);
	char longer[400];
	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = 0;
	is_model(longer, NULL);
	assert_null(catalog_gpu(cat, SV_NULL));
}

static void every_model_is_its_own_name(void **state)
{
	const struct gpu_spec *g;
	size_t n = 0;
	(void)state;
	for (; (g = catalog_gpu_at(cat, n)) != NULL; n++) {
		const struct gpu_spec *family[8];
		size_t k = catalog_gpu_family(cat, sv_of(g->model), family, 8);
		assert_string_equal(catalog_gpu(cat, sv_of(g->model))->model, g->model);
		assert_true(k >= 1);
		assert_true(g->memory_gib > 0);
		assert_non_null(g->source);
	}
	assert_true(n > 40);
	const struct gpu_spec *family[8];
	assert_int_equal(catalog_gpu_family(cat, SV("A100"), family, 8), 4);
	assert_int_equal(catalog_gpu_family(cat, SV("A100-80GB"), family, 8), 2);
}

static void specs(void **state)
{
	(void)state;
	const struct gpu_spec *g = catalog_gpu(cat, SV("H100"));
	assert_true(g->memory_gib == 80 && g->bandwidth_gb_s == 3350 && g->tdp_w == 700 &&
		    g->fp8_tflops == 1979);
	g = catalog_gpu(cat, SV("V100"));
	assert_true(g->fp16_tflops == 125 && g->fp64_tflops == 7.8);
	assert_true(isnan(g->bf16_tflops) && isnan(g->tf32_tflops)); /* Volta has neither */
	assert_int_equal(g->mig_compute_slices, 0);
	/* a range in the sheets: not known */
	assert_true(isnan(catalog_gpu(cat, SV("B300"))->tdp_w));
}

static void mig(void **state)
{
	(void)state;
	const struct mig_profile *m = catalog_mig(cat, "NVIDIA A100-SXM4-40GB", SV("3g.20gb"));
	assert_non_null(m);
	assert_int_equal(m->compute_slices, 3);
	assert_int_equal(m->memory_slices, 4);
	assert_int_equal(m->nstart, 2);
	assert_int_equal(m->start[1], 4);
	assert_string_equal(m->gpu_model, "A100-SXM4-40GB");
	assert_true(catalog_mig(cat, "H100", SV("mig-1g.10gb.me"))->max_instances == 1);
	assert_true(catalog_mig(cat, "H100", SV("MIG 1g.20gb"))->memory_slices == 2);
	assert_string_equal(catalog_mig(cat, "A100-SXM4-40GB", SV("1c.3g.20gb"))->name, "3g.20gb");
	/* placements not known */
	assert_int_equal(catalog_mig(cat, "RTX-PRO-6000", SV("1g.24gb"))->nstart, 0);
	assert_null(catalog_mig(cat, "A100-SXM4-40GB", SV("1g.34gb")));
	assert_null(catalog_mig(cat, "T4", SV("1g.5gb")));
	const struct gpu_spec *g = catalog_gpu(cat, SV("A30"));
	size_t n = 0;
	while ((m = catalog_mig_at(cat, "A30", n)) != NULL) {
		assert_true(m->compute_slices <= g->mig_compute_slices &&
			    m->memory_slices <= g->mig_memory_slices);
		n++;
	}
	assert_int_equal(n, 5);
}

static void is_type(const char *provider, const char *name, const char *model, int64_t milli)
{
	const struct instance_type *t = catalog_instance(cat, sv_of(provider), sv_of(name));
	assert_non_null(t);
	if (model)
		assert_string_equal(t->gpu_model, model);
	else
		assert_null(t->gpu_model);
	assert_int_equal(t->gpu_milli, milli);
}

static void instances(void **state)
{
	(void)state;
	is_type("AWS", "p4d.24xlarge", "A100-SXM4-40GB", 8000);
	is_type("aws", "p3.8xlarge", "V100-SXM2-16GB", 4000);
	is_type(NULL, "a2-ultragpu-8g", "A100-SXM4-80GB", 8000);
	is_type("Microsoft", "Standard_ND96isr_H100_v5", "H100-SXM5-80GB", 8000);
	is_type("azure", "standard_nc24ads_a100_v4", "A100-PCIE-80GB", 1000);
	is_type("azure", "NC24ads A100 v4", "A100-PCIE-80GB", 1000);
	/* fractions of a GPU */
	is_type("gcp", "g4-standard-6", "RTX-PRO-6000", 125);
	is_type("gcp", "g4-standard-24", "RTX-PRO-6000", 500);
	is_type("aws", "g6f.large", "L4", 125);
	is_type("aws", "gr6f.4xlarge", "L4", 500);
	is_type("azure", "Standard_NV6ads_A10_v5", "A10", 167);
	is_type("azure", "Standard_NV12ads_A10_v5", "A10", 333);
	is_type("azure", "Standard_NV36ads_A10_v5", "A10", 1000);
	/* accelerators that are no GPUs */
	is_type("azure", "Standard_NP10s", NULL, 0);
	assert_string_equal(catalog_instance(cat, SV("azure"), SV("Standard_NP40s"))->accelerator,
			    "fpga");
	is_type("aws", "trn1.32xlarge", NULL, 0);
	/* how many is not known: not one, not zero of something else */
	is_type("azure", "Standard_NC16ads_A10_v4", "A10", 0);
	assert_null(catalog_instance(cat, SV("gcp"), SV("p4d.24xlarge")));
	assert_null(catalog_instance(cat, SV("aws"), SV("p99.large")));
	assert_null(catalog_instance(cat, SV_NULL, SV_NULL));
}

static void providers(void **state)
{
	(void)state;
	assert_string_equal(catalog_provider(cat, SV("Amazon Web Services")), "aws");
	assert_string_equal(catalog_provider(cat, SV("Google Cloud")), "gcp");
	assert_string_equal(catalog_provider(cat, SV("Microsoft")), "azure");
	assert_string_equal(catalog_provider(cat, SV("CoreWeave")), "coreweave");
	assert_string_equal(catalog_provider(cat, SV("")), "");
}

static void owned(void **state)
{
	char buf[DEC_BUF];
	(void)state;
	/* 30,000 over 4 years of 8,760 h, 3,000 left; 700 W x 1.5 at 0.10: 0.770547945205 +
	 * 0.105 */
	struct owned_terms t = { .purchase = 30000 * DEC_ONE,
				 .residual = 3000 * DEC_ONE,
				 .years = 4,
				 .power_w = 700,
				 .pue = 1.5,
				 .usd_kwh = DEC_ONE / 10 };
	assert_string_equal(dec_format(buf, catalog_owned_gpu_hour(&t)), "0.875547945205");
	t.other_usd_month = 73 * DEC_ONE; /* 0.10 an hour of 730 */
	assert_string_equal(dec_format(buf, catalog_owned_gpu_hour(&t)), "0.975547945205");
	struct owned_terms none = { 0 };
	assert_true(catalog_owned_gpu_hour(&none) == 0);
}

static void broken_tables(void **state)
{
	struct catalog *c = NULL;
	struct err err = { 0 };
	(void)state;
	assert_true(catalog_open("/nonexistent", &c, &err) < 0);
	assert_non_null(strstr(err.msg, "/nonexistent"));
	assert_true(err.hint[0] != 0);
}

static void processors(void **state)
{
	static const struct {
		const char *provider, *type, *gpu;
		enum machine_cpu is;
	} of[] = {
		{ "aws", "g5g.xlarge", "T4G", CPU_ARM },
		{ "aws", "g5.xlarge", "A10G", CPU_X86 },
		{ "aws", "g4dn.xlarge", "T4", CPU_X86 },
		{ "aws", "p6e-gb200.36xlarge", NULL, CPU_ARM },
		{ "aws", "p6-b200.48xlarge", "B200", CPU_X86 },
		{ "gcp", "a4x-highgpu-4g", NULL, CPU_ARM },
		{ "gcp", "a4-highgpu-8g", "B200", CPU_X86 },
		{ "lambda", "gpu_1x_gh200", NULL, CPU_ARM },
		{ "azure", "Standard_ND128isr_NDR_GB200_v6", NULL, CPU_ARM },
		{ "azure", "Standard_NC40ads_H100_v5", NULL, CPU_X86 },
		{ NULL, NULL, "GH200-96GB", CPU_ARM },
		{ NULL, NULL, "H100-SXM5-80GB", CPU_ANY },
		{ NULL, NULL, NULL, CPU_ANY },
		{ NULL, "anything", NULL, CPU_X86 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		if (machine_cpu_of(of[i].provider, of[i].type, of[i].gpu) != of[i].is)
			fail_msg("%s %s", of[i].type ? of[i].type : "-",
				 of[i].gpu ? of[i].gpu : "-");
	assert_string_equal(machine_cpu_name(CPU_ARM), "arm64");
	assert_null(machine_cpu_name(CPU_ANY));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpu_spellings), cmocka_unit_test(processors),
		cmocka_unit_test(no_gpus),       cmocka_unit_test(every_model_is_its_own_name),
		cmocka_unit_test(specs),         cmocka_unit_test(mig),
		cmocka_unit_test(instances),     cmocka_unit_test(providers),
		cmocka_unit_test(owned),         cmocka_unit_test(broken_tables),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
