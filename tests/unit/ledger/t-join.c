/* Bill resources to nodes, by every rule, and nothing where two nodes fit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "base/tm.h"
#include "ledger/join.h"

static void test_tail(void **st)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{ "arn:aws:ec2:us-east-1:123456789012:instance/i-0ab", "i-0ab" },
		{ "arn:aws:lambda:us-east-1:123456789012:function:f", "f" },
		{ "aws:///us-east-1a/i-0ab", "i-0ab" },
		{ "gce://proj/us-central1-a/gpu-01", "gpu-01" },
		{ "projects/p/zones/z/instances/gpu-01", "gpu-01" },
		{ "//compute.googleapis.com/projects/p/zones/z/instances/42/", "42" },
		{ "/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/GPU-01",
		  "GPU-01" },
		{ "azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/aks-g/virtualMachines/10",
		  "aks-g/virtualMachines/10" },
		{ "i-0ab", "i-0ab" },
		{ "", "" },
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_true(sv_is(join_tail(sv_of(cases[i].in)), cases[i].out));
	assert_int_equal(join_tail(SV_NULL).n, 0);
}

static const struct join_node nodes[] = {
	{ .node = SV("gpu-01"), .provider = SV("aws"), .resource_id = SV("i-0aaa") },
	{ .node = SV("gpu-02"),
	  .provider = SV("aws"),
	  .resource_id = SV("aws:///us-east-1a/i-0bbb") },
	{ .node = SV("gpu-03"), .provider = SV("azure") },
	{ .node = SV("ip-10-0-3-17.ec2.internal"), .provider = SV("aws") },
	{ .node = SV("aks-pool-vmss00000a"), .provider = SV("azure") },
	{ .node = SV("twin"), .provider = SV("aws") },
	{ .node = SV("twin.eu.example.com"), .provider = SV("aws") },
	{ .node = SV("both"), .provider = SV("gcp"), .resource_id = SV("9001") },
	/* the same node, another month */
	{ .node = SV("gpu-01"), .provider = SV("aws"), .resource_id = SV("i-0aaa") },
	{ .node = SV("mapped"), .provider = SV("aws") },
};

static void test_match(void **st)
{
	static const struct {
		struct join_resource r;
		long node;
		const char *how;
	} cases[] = {
		{ { SV("AWS"), SV("i-0aaa"), SV_NULL, SV_NULL }, 0, "resource id" },
		{ { SV("AWS"), SV("arn:aws:ec2:us-east-1:1:instance/i-0aaa"), SV_NULL, SV_NULL },
		  0,
		  "end of the resource id" },
		{ { SV("AWS"), SV("i-0bbb"), SV_NULL, SV_NULL }, 1, "resource id" },
		{ { SV("Microsoft"),
		    SV("/subscriptions/S/resourceGroups/G/providers/Microsoft.Compute/virtualMachines/GPU-03"),
		    SV_NULL, SV_NULL },
		  2,
		  "end of the resource id is the node name" },
		{ { SV("Microsoft"), SV("x"), SV("GPU-03"), SV_NULL }, 2, "resource name" },
		{ { SV("Google Cloud"), SV("123"), SV("projects/p/zones/z/instances/both"),
		    SV_NULL },
		  7,
		  "end of the resource name" },
		{ { SV("AWS"), SV("i-0ccc"), SV("ip-10-0-3-17.ec2.internal"), SV_NULL },
		  3,
		  "resource name" },
		{ { SV("AWS"), SV("i-0ccc"), SV_NULL,
		    SV("{\"private_dns\":\"ip-10-0-3-17.eu-west-1.compute.internal\"}") },
		  3,
		  "private DNS name" },
		{ { SV("Microsoft"),
		    SV("/x/virtualMachineScaleSets/aks-pool-vmss/virtualMachines/10"), SV_NULL,
		    SV_NULL },
		  4,
		  "scale set instance" },
		{ { SV("AWS"), SV("i-0ddd"), SV_NULL, SV("{\"user:Name\":\"GPU-02\"}") },
		  1,
		  "tag" },
		{ { SV("AWS"), SV("i-0ddd"), SV_NULL,
		    SV("{\"kubernetes_io_hostname\":\"gpu-02\"}") },
		  1,
		  "tag" },
		{ { SV("AWS"), SV("i-0ddd"), SV_NULL, SV("{\"k8s.io/node/name\":\"gpu-02\"}") },
		  1,
		  "tag" },
		/* Of another cloud, ambiguous, unknown, empty. */
		{ { SV("Microsoft"), SV("i-0aaa"), SV_NULL, SV_NULL }, -1, "" },
		{ { SV("AWS"), SV("i-0eee"), SV("twin"), SV_NULL }, -1, "" },
		{ { SV("AWS"), SV("i-0eee"), SV("twin.eu.example.com"), SV_NULL },
		  6,
		  "resource name" },
		{ { SV("AWS"), SV("i-0fff"), SV_NULL, SV("{broken") }, -1, "" },
		{ { SV_NULL, SV_NULL, SV_NULL, SV_NULL }, -1, "" },
		/* The user's map wins over what else would match. */
		{ { SV("AWS"), SV("i-special"), SV("gpu-01"), SV_NULL }, 9, "user map" },
	};
	enum { N = sizeof cases / sizeof *cases };
	struct join_resource res[N];
	struct join_match m[N];
	struct conf c;
	struct err err;
	assert_int_equal(conf_parse("t", SV("version: 1\nnodes: {mapped: i-special}\n"), &c, &err),
			 0);
	for (size_t i = 0; i < N; i++)
		res[i] = cases[i].r;
	join_match(&c, nodes, sizeof nodes / sizeof *nodes, res, N, m);
	for (size_t i = 0; i < N; i++)
		if (m[i].node != cases[i].node || strcmp(m[i].how, cases[i].how) != 0)
			fail_msg("case %zu '%.*s' '%.*s': node %ld by '%s', not %ld by '%s'", i,
				 SVF(res[i].resource_id), SVF(res[i].resource_name), m[i].node,
				 m[i].how, cases[i].node, cases[i].how);
	join_match(&c, NULL, 0, res, N, m);
	for (size_t i = 0; i < N; i++)
		assert_int_equal(m[i].node, -1);
	conf_free(&c);
}

/* Ids of several machines, and which nodes these are. */
static void test_sets(void **state)
{
#define VMSS \
	"/subscriptions/S/resourceGroups/G/providers/Microsoft.Compute/virtualMachineScaleSets/"
#define VM(group) "/subscriptions/S/resourceGroups/" group "/virtualMachines/gpu-1"
	static const struct join_node known[] = {
		{ .node = SV("aks-gpu-1-vmss000000"), .provider = SV("azure") },
		{ .node = SV("AKS-gpu-1-vmss00000a") },
		{ .node = SV("aks-gpu-1-vmss00000b"), .provider = SV("aws") },
		{ .node = SV("slurm-1"),
		  .resource_id = SV("azure://" VMSS "slurm/virtualMachines/7") },
		{ .node = SV("w1"), .resource_id = SV("asg-1") },
		{ .node = SV("w2"), .resource_id = SV("ASG-1") },
		{ .node = SV("w3"), .resource_id = SV("asg-2") },
		{ .node = SV("gke-lab-gpu-1a2b-x7y8"), .provider = SV("gcp") },
		{ .node = SV("gke-lab-gpu-1a2b-x-y8") },
		{ .node = SV("m1") },
		{ .node = SV("m2") },
		{ .node = SV("dev-1"), .resource_id = SV(VM("dev")) },
		{ .node = SV("prod-1"), .resource_id = SV("azure://" VM("prod")) },
	};
	static const struct {
		struct sv provider, id;
		bool several;
		const char *members; /* a sign a node: + is one of it */
	} cases[] = {
		{ SV("Microsoft"), SV(VMSS "aks-gpu-1-vmss"), true, "++..........." },
		{ SV("Microsoft"), SV(VMSS "aks-gpu-2-vmss"), false, "............." },
		{ SV("Microsoft"), SV(VMSS "aks-gpu-1-vmss/virtualMachines/0"), false, NULL },
		{ SV("Microsoft"), SV(VMSS "SLURM"), true, "...+........." },
		{ SV("AWS"), SV("asg-1"), true, "....++......." },
		{ SV("AWS"), SV("asg-2"), false, "......+......" },
		{ SV("GCP"), SV("projects/p/zones/z/instanceGroupManagers/gke-lab-gpu-1a2b-grp"),
		  true, ".......+....." },
		{ SV("AWS"), SV("fleet"), true, ".........++.." },
		/* machines of two groups may have one name */
		{ SV("Microsoft"), SV(VM("DEV")), false, "...........+." },
	};
	struct conf c;
	struct err err;

	assert_int_equal(
		conf_parse("t", SV("version: 1\nnodes: {m1: fleet, M2: Fleet}\n"), &c, &err), 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct join_resource r = { cases[i].provider, cases[i].id, SV_NULL, SV_NULL };
		struct join_match m;
		join_match(&c, known, sizeof known / sizeof *known, &r, 1, &m);
		assert_int_equal(m.several, cases[i].several);
		if (m.several)
			assert_int_equal(m.node, -1);
		for (size_t k = 0; cases[i].members && k < sizeof known / sizeof *known; k++)
			assert_int_equal(join_is_member(&c, &known[k], &r),
					 cases[i].members[k] == '+');
	}
	conf_free(&c);
}

/* An id that jobs tell of a node is its own, unless the record of another node has it. */
static void test_told(void **st)
{
	struct join_node v[] = {
		{ .node = SV("pod-b"), .resource_id = SV("aws:///z/i-0bb"), .told = true },
		{ .node = SV("pod-a"), .resource_id = SV("i-0aa"), .told = true },
		{ .node = SV("gpu-01"), .resource_id = SV("i-0aa") },
		{ .node = SV("pod-b"), .resource_id = SV("i-0cc"), .told = true },
		{ .node = SV("pod-a") },
	};
	const struct join_resource res[] = { { SV("AWS"), SV("i-0aa"), SV_NULL, SV_NULL },
					     { SV("AWS"), SV("i-0bb"), SV_NULL, SV_NULL },
					     { SV("AWS"), SV("i-0cc"), SV_NULL, SV_NULL } };
	struct join_match m[3];
	struct conf c = { 0 };
	size_t n = join_settle_nodes(v, 5);

	assert_int_equal(n, 4);
	join_match(&c, v, n, res, 3, m);
	assert_true(sv_is(v[m[0].node].node, "gpu-01"));
	assert_true(sv_is(v[m[1].node].node, "pod-b"));
	assert_true(sv_is(v[m[2].node].node, "pod-b"));
}

/* Of the same day and GPU, each hour of what is paid once. */
static void test_twice(void **st)
{
	const struct machine_time v[] = {
		{ .gpu_model = SV("X"), .day = 1, .ms = 5 * MS_HOUR, .machine = SV("n1") },
		{ .day = 1, .ms = 9 * MS_HOUR, .machine = SV("n2") },
		{ .gpu_model = SV("X"), .day = 2, .ms = 7 * MS_HOUR, .machine = SV("n1") },
		{ true, SV("X"), 1, 8 * MS_HOUR, SV("i-1") },
	};
	struct arena mem = { 0 };
	struct join_twice t = join_twice(NULL, v, 4, &mem);

	assert_int_equal(t.ms, 8 * MS_HOUR);
	assert_true(sv_is(t.named, "n1") && sv_is(t.paid, "i-1"));
	t = join_twice(NULL, v, 3, &mem);
	assert_int_equal(t.ms, 0);
	assert_null(join_twice_words(&mem, &t));
	arena_free(&mem);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_told),
					    cmocka_unit_test(test_twice),
					    cmocka_unit_test(test_tail),
					    cmocka_unit_test(test_match),
					    cmocka_unit_test(test_sets) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
