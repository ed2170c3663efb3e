/* The cheapest GPU: what was measured, what memory is needed, what is left out. */
#include "asked.h"

#include <errno.h>
#include <math.h>

#include "gpu_eval.h"
#include "answer/plan/plan_gpu.h"

#define NOW 1795219200000LL /* 2026-11-21 */

static int set_up(void **state)
{
	struct err err = { 0 };

	if (fresh_dir(state) < 0)
		return -1;
	fine(catalog_open(NULL, &asked.catalog, &err), &err);
	return 0;
}

static int tear_down(void **state)
{
	catalog_free(asked.catalog);
	arena_free(&asked.mem);
	return remove_dir(state);
}

static struct gpu_ask ask(void)
{
	return (struct gpu_ask){
		.cat = asked.catalog,
		.market = { .now_ms = NOW },
		.need = { .vram_p99_gib = NAN, .max_slowdown = INFINITY, .busy_frac = 1 }
	};
}

static void those_that_fit_come_first(void **state)
{
	struct gpu_ask q = ask();
	struct plan_gpu a;
	struct err err = { 0 };

	(void)state;
	q.need.vram_p99_gib = 30;
	fine(answer_plan_gpu(&q, &a, &err), &err);
	assert_true(a.fit > 3 && (size_t)a.fit < a.n);
	for (int i = 0; i < a.fit; i++) {
		assert_int_equal(a.cand[a.order[i]].fit, GPU_FITS);
		assert_true(a.cand[a.order[i]].memory_gib >= 30 * GPU_CHOICE_VRAM_ROOM);
		assert_true(i == 0 || a.cand[a.order[i]].nano_per_work >=
					      a.cand[a.order[i - 1]].nano_per_work);
	}
	assert_false(a.on_given); /* against a reference: nothing is said of now */
	assert_string_equal(a.q.on->model, "A100-SXM4-80GB");
	assert_true(isnan(plan_gpu_cost_now(&a)));
	assert_int_equal(a.q.cpu, CPU_X86);
	assert_true(a.nleft_out > 0);
	plan_gpu_free(&a);
}

static void memory_that_is_not_known_fits_nothing(void **state)
{
	struct gpu_ask q = ask();
	struct plan_gpu a;
	struct err err = { 0 };

	(void)state;
	fine(answer_plan_gpu(&q, &a, &err), &err);
	assert_int_equal(a.fit, 0);
	assert_true(isnan(a.q.need.vram_p99_gib));
	plan_gpu_free(&a);
}

static void memory_by_the_size_of_the_model(void **state)
{
	struct gpu_ask q = ask();
	struct plan_gpu a;
	struct err err = { 0 };

	(void)state;
	q.model = (struct gpu_model){
		.model = { .params = 7e9, .bytes_per_param = 2 },
		.training = { .seq = 2048, .batch = 1, .gpus = 1, .recompute = RECOMPUTE_SELECTIVE }
	};
	fine(answer_plan_gpu(&q, &a, &err), &err);
	assert_true(a.estimated && a.memory_assumed && a.sized);
	assert_true(a.memory.total >= 7e9 * 16);
	assert_true(fabs(a.q.need.vram_p99_gib * GPU_CHOICE_VRAM_ROOM * (double)(1 << 30) /
				 a.memory.total -
			 1) < 1e-9);
	plan_gpu_free(&a);
	q = ask();
	q.model.model = (struct memory_model){ .params = 7e9, .bytes_per_param = 2 };
	q.model.serve = true;
	q.model.serving = (struct memory_serve){ 2048, 1, 2, 1 };
	q.need.vram_p99_gib = 10; /* said: wins over the estimate */
	fine(answer_plan_gpu(&q, &a, &err), &err);
	assert_true(a.estimated && !a.sized);
	assert_true(a.q.need.vram_p99_gib == 10);
	plan_gpu_free(&a);
}

static void what_was_kept_counts(void **state)
{
	struct gpu_ask q = ask();
	struct plan_gpu a;
	struct err err = { 0 };

	(void)state;
	write_text("speeds.csv",
		   "time,workload,gpu,gpus,speed,steps,seconds,vram_p99_bytes,run\n"
		   "2026-11-20T14:00:00Z,my-bert,A100-SXM4-80GB,1,3.5,100,30,10737418240,p-1\n"
		   "2026-11-20T14:00:00Z,my-bert,T4,1,0.5,100,30,10737418240,p-2\n");
	q.dir = test_dir;
	q.wanted = "my-bert";
	fine(gpu_ask_add(&q, catalog_gpu(asked.catalog, SV("T4")), 0.7, &err), &err);
	fine(answer_plan_gpu(&q, &a, &err), &err);
	assert_string_equal(a.own_work, "my-bert");
	assert_null(a.q.workload);     /* no name of the table */
	assert_int_equal(a.q.nown, 2); /* the T4 was given: that wins */
	assert_true(a.q.own[0].speed == 0.7);
	assert_string_equal(a.q.on->model, "T4");
	assert_true(a.q.need.vram_p99_gib == 10);
	assert_true(plan_gpu_steps_now(&a) == 0.7);
	assert_true(plan_gpu_cost_now(&a) > 0);
	plan_gpu_free(&a);
}

static void measurements_have_a_limit(void **state)
{
	struct gpu_ask q = ask();
	const struct gpu_spec *g = catalog_gpu(asked.catalog, SV("T4"));
	struct err err = { 0 };

	(void)state;
	for (int i = 0; i < TRANSFER_MAX_OWN; i++)
		fine(gpu_ask_add(&q, g, 1, &err), &err);
	assert_int_equal(gpu_ask_add(&q, g, 1, &err), -E2BIG);
}

static void the_table_that_has_the_work(void **state)
{
	struct gpu_ask q = ask();
	struct plan_gpu a;
	struct err err = { 0 };

	(void)state;
	q.wanted = "DEEPSEEK-R1/offline";
	fine(answer_plan_gpu(&q, &a, &err), &err);
	assert_string_equal(a.q.group, "serving");
	assert_string_equal(a.q.workload, "deepseek-r1/offline");
	plan_gpu_free(&a);
	q = ask();
	q.wanted = "nothing-of-the-kind";
	assert_true(answer_plan_gpu(&q, &a, &err) < 0);
	plan_gpu_free(&a);
	q = ask();
	q.market.purchase = "gift";
	assert_int_equal(answer_plan_gpu(&q, &a, &err), -EINVAL);
	assert_string_equal(err.msg, "--purchase: 'gift' is not a way to buy");
	plan_gpu_free(&a);
}

static void predictions_are_scored(void **state)
{
	struct gpu_eval_ask q = { .cat = asked.catalog,
				  .market = { .now_ms = NOW },
				  .mem = &asked.mem,
				  .pairs = 3,
				  .seed = 1 };
	struct gpu_eval e;
	struct str s = { 0 };
	struct err err = { 0 };
	static const char *const gpu[] = { "T4", "V100-SXM2-16GB", "A10", "A100-SXM4-80GB" };
	static const double fast[] = { 1, 3, 2.5, 8 };

	(void)state;
	str_addz(&s, "gpu,workload,speed\n");
	for (size_t g = 0; g < 4; g++)
		for (int w = 0; w < 6; w++)
			str_addf(&s, "%s,w%d,%g\n", gpu[g], w, fast[g] * (w + 1));
	write_text("table.csv", str_z(&s));
	str_free(&s);
	q.file = asked_path("table.csv");
	fine(gpu_eval_make(&q, &e, &err), &err);
	assert_false(e.mlperf);
	assert_int_equal(e.transfer.ngpu, 4);
	assert_true(e.transfer.all.predictions > 0);
	assert_true(e.transfer.all.mape < 0.01); /* one factor explains this table */
	gpu_eval_free(&e);
	q.file = asked_path("none.csv");
	assert_int_equal(gpu_eval_make(&q, &e, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(those_that_fit_come_first),
		cmocka_unit_test(memory_that_is_not_known_fits_nothing),
		cmocka_unit_test(memory_by_the_size_of_the_model),
		cmocka_unit_test(what_was_kept_counts),
		cmocka_unit_test(measurements_have_a_limit),
		cmocka_unit_test(the_table_that_has_the_work),
		cmocka_unit_test(predictions_are_scored),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
