/* The fewest MIG GPUs: what fits a GPU, a scenario with its layout, random mixes from a seed, a
 * service that nothing serves. */
#include <errno.h>
#include <math.h>

#include "asked.h"

#include "answer/plan/plan_mig.h"

static struct plan_mig_gpu gpu;
static struct mig_services services;

#define HEAD "slices,batch,procs,throughput,latency_ms\n"

/* Two services: of the second only a whole GPU is fast enough in the second scenario. */
static int open_services(void **state)
{
	struct err err = { 0 };

	assert_int_equal(fresh_dir(state), 0);
	fine(catalog_open(NULL, &asked.catalog, &err), &err);
	fine(answer_mig_gpu(asked.catalog, "NVIDIA A100-SXM4-80GB", &gpu, &err), &err);
	mkdir(asked_path("prof"), 0700);
	write_text("prof/a.csv", HEAD "1,1,1,100,10\n1,8,2,150,40\n2,8,2,320,40\n");
	write_text("prof/b.csv", HEAD "1,4,1,50,200\n2,4,1,110,120\n7,4,1,400,30\n");
	write_text("prof/notes.txt", "no profile\n");
	write_text("latency.csv", "100,300\n100,100\nN/A,300\n");
	write_text("rate.csv", "600,100\n300,400\nN/A,50\n");
	fine(answer_mig_services(asked_path("prof"), asked_path("latency.csv"),
				 asked_path("rate.csv"), &asked.mem, &services, &err),
	     &err);
	return 0;
}

static int close_services(void **state)
{
	answer_mig_services_free(&services);
	return asked_close(state);
}

static struct plan_mig_ask ask(void)
{
	return (struct plan_mig_ask){
		.gpu = &gpu, .services = &services, .slo_frac = 0.45, .mem = &asked.mem
	};
}

static void a_gpu(void **state)
{
	struct plan_mig_gpu none = { 0 };
	struct err err = { 0 };

	(void)state;
	assert_string_equal(gpu.model, "A100-SXM4-80GB");
	assert_int_equal(gpu.geom.gpu.ntype, 5);
	assert_int_equal(gpu.geom.nmaximal, 14);
	assert_int_equal(answer_mig_gpu(asked.catalog, "T4", &none, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "'T4' is not a GPU with MIG"));
}

static void all_scenarios(void **state)
{
	struct plan_mig_ask q = ask();
	struct plan_mig_answer a;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(services.n, 2);
	assert_string_equal(services.name[1], "b");
	fine(answer_plan_mig(&q, &a, &err), &err);
	assert_false(a.random);
	assert_int_equal(a.n, 3);
	assert_int_equal(a.row[0].number, 1);
	assert_int_equal(a.row[0].nservice, 2);
	/* 300 of a on 2g.20gb, 400 of b on a GPU of its own */
	assert_int_equal(a.row[1].gpus, 2);
	assert_true(a.row[1].proven);
	assert_int_equal(a.row[2].nservice, 1);
	assert_int_equal(a.row[2].gpus, 1);
	assert_int_equal(a.gpus, a.row[0].gpus + 2 + 1);
	assert_int_equal(a.proven, 3);
	assert_true(isnan(a.slowest_ms));
	assert_int_equal(a.ninstance, 0);
}

static void a_layout_serves_the_rates(void **state)
{
	struct plan_mig_ask q = ask();
	struct plan_mig_answer a;
	struct err err = { 0 };
	double rate[2] = { 0 };

	(void)state;
	q.scenario = 1;
	fine(answer_plan_mig(&q, &a, &err), &err);
	assert_int_equal(a.n, 1);
	for (size_t i = 0; i < a.ninstance; i++) {
		rate[!strcmp(a.use[i].service, "b")] += a.use[i].rate_s;
		assert_true(a.instance[i].gpu < a.row[0].gpus);
	}
	assert_true(rate[0] >= 600 && rate[1] >= 100);
}

/* A layout of more GPUs than a way is worked out for: the line that is too much, and what to do. */
static void a_layout_of_too_many_gpus(void **state)
{
	struct plan_mig_ask q = ask();
	struct plan_mig_answer a;
	struct mig_running running;
	struct err err = { 0 };
	struct str text = { 0 };

	(void)state;
	str_addz(&text, "gpu,start,profile,service\n");
	for (int i = 0; i < 65; i++)
		str_addf(&text, "%d,0,1g.10gb,a\n", i);
	write_text("today.csv", str_z(&text));
	str_free(&text);
	fine(answer_mig_running(asked_path("today.csv"), &running, &err), &err);
	q.scenario = 1;
	q.running = &running;
	q.running_file = "today.csv";
	q.max_drained = -1;
	assert_int_equal(answer_plan_mig(&q, &a, &err), -E2BIG);
	assert_non_null(strstr(err.msg, "'today.csv': line 66: "));
	assert_non_null(strstr(err.hint, "node pool"));
	/* as many as can be are no error */
	free(running.row.v[64].profile);
	free(running.row.v[64].service);
	running.row.n = 64;
	fine(answer_plan_mig(&q, &a, &err), &err);
	assert_int_equal(a.gpus_today, 64);
	answer_mig_running_free(&running);
}

static void nothing_serves_it(void **state)
{
	struct plan_mig_ask q = ask();
	struct plan_mig_answer a;
	struct err err = { 0 };

	(void)state;
	q.scenario = 2;
	q.slo_frac = 0.2; /* of 100 ms */
	assert_int_equal(answer_plan_mig(&q, &a, &err), -EDOM);
	assert_string_equal(err.msg, "no instance serves 'b' within its latency bound");
}

static double ticks_ms;
static double ticking(void)
{
	return ticks_ms += 5;
}

static void mixes_come_from_the_seed(void **state)
{
	struct plan_mig_ask q = ask();
	struct plan_mig_answer a, again, other;
	struct err err = { 0 };
	size_t same = 0;

	(void)state;
	q.mixes = 30;
	q.seed = 7;
	q.cpu_ms = ticking;
	/* all instances are fast enough: no mix that cannot be served */
	q.slo_frac = 1;
	fine(answer_plan_mig(&q, &a, &err), &err);
	fine(answer_plan_mig(&q, &again, &err), &err);
	q.seed = 8;
	fine(answer_plan_mig(&q, &other, &err), &err);
	assert_true(a.random);
	assert_int_equal(a.n, 30);
	assert_true(a.slowest_ms == 5);
	for (size_t i = 0; i < a.n; i++) {
		assert_int_equal(a.row[i].gpus, again.row[i].gpus);
		same += a.row[i].gpus == other.row[i].gpus;
	}
	assert_true(same < a.n);
}

static void tables_of_other_shapes(void **state)
{
	struct mig_services s;
	struct err err = { 0 };

	(void)state;
	write_text("narrow.csv", "100\n100\nN/A\n");
	assert_int_equal(answer_mig_services(asked_path("prof"), asked_path("narrow.csv"),
					     asked_path("rate.csv"), &asked.mem, &s, &err),
			 -EINVAL);
	answer_mig_services_free(&s);
	assert_int_equal(answer_mig_services(asked_path("nothing"), asked_path("narrow.csv"),
					     asked_path("rate.csv"), &asked.mem, &s, &err),
			 -ENOENT);
	answer_mig_services_free(&s);
}

#define PROFILE HEAD "1,1,1,100,10\n"

/* A service is called as its file without .csv: what stands behind a first dot is of its name. */
static void names_with_dots(void **state)
{
	struct mig_services s;
	struct err err = { 0 };

	(void)state;
	mkdir(asked_path("dots"), 0700);
	write_text("dots/llama-3.1-8b.csv", PROFILE);
	write_text("dots/llama-3.2-8b.csv", PROFILE);
	write_text("dots-latency.csv", "llama-3.2-8b,llama-3.1-8b\n100,200\n");
	write_text("dots-rate.csv", "llama-3.1-8b,llama-3.2-8b\n10,20\n");
	fine(answer_mig_services(asked_path("dots"), asked_path("dots-latency.csv"),
				 asked_path("dots-rate.csv"), &asked.mem, &s, &err),
	     &err);
	assert_int_equal(s.n, 2);
	assert_string_equal(s.name[0], "llama-3.1-8b");
	assert_string_equal(s.name[1], "llama-3.2-8b");
	assert_true(s.latency.v[0] == 200 && s.latency.v[1] == 100);
	assert_true(s.rate.v[0] == 10 && s.rate.v[1] == 20);
	answer_mig_services_free(&s);
	/* one service twice */
	write_text("dots/llama-3.1-8b.csv.gz", "");
	assert_int_equal(answer_mig_services(asked_path("dots"), asked_path("dots-latency.csv"),
					     asked_path("dots-rate.csv"), &asked.mem, &s, &err),
			 -EEXIST);
	assert_non_null(strstr(err.msg, "'llama-3.1-8b.csv' and 'llama-3.1-8b.csv.gz'"));
	answer_mig_services_free(&s);
}

/* One column for two services would serve its rate twice. */
static void one_column_for_two(void **state)
{
	struct mig_services s;
	struct err err = { 0 };

	(void)state;
	mkdir(asked_path("near"), 0700);
	write_text("near/bert-large.csv", PROFILE);
	write_text("near/bert_large.csv", PROFILE);
	write_text("near-table.csv", "bert-large\n100\n");
	assert_int_equal(answer_mig_services(asked_path("near"), asked_path("near-table.csv"),
					     asked_path("near-table.csv"), &asked.mem, &s, &err),
			 -EEXIST);
	assert_non_null(strstr(err.msg, "'bert-large' and 'bert_large'"));
	answer_mig_services_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(a_gpu),
					    cmocka_unit_test(all_scenarios),
					    cmocka_unit_test(a_layout_serves_the_rates),
					    cmocka_unit_test(a_layout_of_too_many_gpus),
					    cmocka_unit_test(nothing_serves_it),
					    cmocka_unit_test(mixes_come_from_the_seed),
					    cmocka_unit_test(tables_of_other_shapes),
					    cmocka_unit_test(names_with_dots),
					    cmocka_unit_test(one_column_for_two) };
	return cmocka_run_group_tests(tests, open_services, close_services);
}
