/* Whether a kind of machine is had again: from machines that came, and the jobs they came for. */
#include "fleet_fix.h"
#include "plan/replay/capacity.h"

static const char *name(struct fix *x, const char *of, int i)
{
	return arena_printf(&x->mem, "%s%d", of, i);
}

/* n machines, each there for four hours for one job that waited for it. */
static void come_and_go(struct fix *x, int n, double wait_min)
{
	for (int i = 0; i < n; i++) {
		size_t at = fix_node(x, name(x, "n", (int)x->f.node.n), "c", 8 * i + 2, 8 * i + 6);
		struct workload *w = fix_workload(x, WORKLOAD_JOB,
						  name(x, "j", (int)x->f.workload.n), at, 4,
						  8 * i + 2.25, 8 * i + 6, 1);
		w->submit_ms = w->start_ms - (int64_t)(wait_min * MS_MINUTE);
	}
}

static struct capacity ask(struct fix *x, const char *model, const char *region, int gpus)
{
	const struct capacity_of of = { .gpu_model = model,
					.region = region,
					.purchase = "on_demand",
					.gpus_milli = gpus * 1000 };

	return capacity_known(&x->f, &x->conf.gates, &of);
}

static void twenty_starts(void **state)
{
	struct fix x;
	fix_open(&x, 400);
	come_and_go(&x, 19, 5);
	fix_done(&x);
	struct capacity c = ask(&x, "V100-SXM2-16GB", "us-east-1", 4);
	assert_int_equal(c.starts, 19);
	assert_false(c.known); /* one too few */
	fix_close(&x);
	fix_open(&x, 400);
	come_and_go(&x, 20, 5);
	fix_done(&x);
	assert_true(ask(&x, "V100-SXM2-16GB", "us-east-1", 4).known);
	/* of another kind, elsewhere, larger than any that came */
	assert_int_equal(ask(&x, "A100-SXM4-40GB", "us-east-1", 4).starts, 0);
	assert_int_equal(ask(&x, "V100-SXM2-16GB", "eu-west-1", 4).starts, 0);
	assert_int_equal(ask(&x, "V100-SXM2-16GB", "us-east-1", 8).starts, 0);
	/* one waits too long: still 19 of 20; two do not pass */
	x.f.workload.v[0].submit_ms = x.f.workload.v[0].start_ms - 16 * MS_MINUTE;
	assert_true(ask(&x, "V100-SXM2-16GB", "", 0).known);
	x.f.workload.v[1].submit_ms = x.f.workload.v[1].start_ms - 16 * MS_MINUTE;
	c = ask(&x, "V100-SXM2-16GB", "", 0);
	assert_int_equal(c.soon, 18);
	assert_false(c.known);
	fix_close(&x);
}

/* Machines that stayed on, or were there before, or came for nobody, tell nothing. */
static void what_tells_nothing(void **state)
{
	struct fix x;
	fix_open(&x, 400);
	size_t stays = fix_node(&x, "stays", "c", 0, 400);
	for (int i = 0; i < 30; i++)
		fix_workload(&x, WORKLOAD_JOB, name(&x, "s", i), stays, 4, 1 + 10 * i, 5 + 10 * i,
			     1);
	for (int i = 0; i < 30; i++)
		fix_workload(&x, WORKLOAD_JOB, name(&x, "l", i),
			     fix_node(&x, name(&x, "late", i), "c", 1 + 10 * i, 9 + 10 * i), 4,
			     3 + 10 * i, 9 + 10 * i, 1);
	fix_done(&x);
	assert_int_equal(ask(&x, "", "", 0).starts, 0);
	fix_close(&x);
}

/* A job on four machines waited once; the second job on a machine found it there. */
static void gangs_count_once(void **state)
{
	struct fix x;
	fix_open(&x, 400);
	for (int i = 0; i < 4; i++)
		fix_workload(&x, WORKLOAD_JOB, "gang", fix_node(&x, name(&x, "g", i), "c", 2, 20),
			     4, 2.1, 10, 1);
	fix_workload(&x, WORKLOAD_JOB, "next", 0, 4, 2.5, 20, 1)->submit_ms = AT(0);
	fix_done(&x);
	struct capacity c = ask(&x, "", "", 0);
	assert_int_equal(c.starts, 1);
	assert_int_equal(c.soon, 1);
	/* whose submission nobody wrote down */
	for (size_t i = 0; i < 4; i++)
		x.f.workload.v[i].submit_ms = UNKNOWN_MS;
	assert_int_equal(ask(&x, "", "", 0).starts, 0);
	fix_close(&x);
}

/* Its owner says that a reservation holds the machines; the later rule wins. */
static void a_reservation_holds_them(void **state)
{
	struct fix x;
	fix_open(&x, 400);
	size_t n = fix_node(&x, "stays", "c", 0, 400);
	const struct workload *w = fix_workload(&x, WORKLOAD_JOB, "a", n, 4, 1, 5, 1);
	fix_done(&x);
	struct rec r = { .tier = TIER_SURE };
	struct lever_in in = { .fleet = &x.f, .conf = &x.conf, .mem = &x.mem };
	const struct capacity_of of = { .gpu_model = "V100-SXM2-16GB" };
	assert_false(capacity_judge(&in, &r, w, &of));
	assert_int_equal(r.tier, TIER_TRIAL);
	assert_int_equal(r.risk_text.n, 1);
	struct plan_rule yes = { .capacity_reserved = 1 }, no = { .capacity_reserved = 0 },
			 other = { .capacity_reserved = 1 };
	*vec_push(&other.when) = (struct plan_match){ "cluster", "elsewhere" };
	*vec_push(&x.conf.rule) = other;
	assert_false(capacity_is_reserved(&x.conf, w));
	*vec_push(&yes.when) = (struct plan_match){ "cluster", "c" };
	*vec_push(&no.when) = (struct plan_match){ "cluster", "*" };
	*vec_push(&x.conf.rule) = yes;
	rec_free(&r);
	r = (struct rec){ .tier = TIER_SURE };
	assert_true(capacity_judge(&in, &r, w, &of));
	assert_int_equal(r.tier, TIER_SURE);
	assert_int_equal(r.risk_text.n, 0);
	rec_free(&r);
	*vec_push(&x.conf.rule) = no;
	assert_false(capacity_is_reserved(&x.conf, w));
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(twenty_starts),
		cmocka_unit_test(what_tells_nothing),
		cmocka_unit_test(gangs_count_once),
		cmocka_unit_test(a_reservation_holds_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
