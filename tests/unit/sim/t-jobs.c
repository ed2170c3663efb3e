#include "unit/base/test.h"
#include <errno.h>
#include <math.h>
#include "sim/draw.h"
#include "sim/jobs.h"

#define H 3600000LL
#define M 60000LL

struct trace {
	const struct sim_job *j;
	size_t n, at;
	int64_t start[64], end[64];
	double cost[64];
	int interruptions[64];
};

static int next(void *ctx, struct sim_job *ret)
{
	struct trace *t = ctx;
	if (t->at == t->n)
		return 0;
	*ret = t->j[t->at++];
	return 1;
}

static void done(void *ctx, size_t i, int64_t start_ms, int64_t end_ms, double cost_usd,
		 int interruptions)
{
	struct trace *t = ctx;
	t->start[i] = start_ms, t->end[i] = end_ms, t->cost[i] = cost_usd,
	t->interruptions[i] = interruptions;
}

static struct sim_job job(int64_t submit_ms, int64_t run_ms, int gpus)
{
	return (struct sim_job){ .submit_ms = submit_ms,
				 .run_ms = run_ms,
				 .deadline_ms = INT64_MAX,
				 .gpus = gpus,
				 .mem_bytes = NAN,
				 .fallback_pool = -1 };
}

static struct sim_result play(const struct sim_pool *p, size_t np, const struct sim_job *j,
			      size_t n, struct trace *t)
{
	struct sim_result r;
	struct err err;
	*t = (struct trace){ .j = j, .n = n };
	if (sim_jobs(&(struct sim_input){ p, np, next, done, t, 1 }, &r, &err) < 0)
		fail_msg("%s", err.msg);
	return r;
}

/* Two nodes of 4: 4 + 3 run, the one that wants 4 waits for the first, a later one of 1 slips into
 * the gap. */
static void fifo_with_backfill(void **state)
{
	const struct sim_pool p = {
		.capacity = 8, .gpus_node = 4, .usd_gpu_hour = 2, .mem_bytes = NAN
	};
	const struct sim_job j[] = { job(0, 2 * H, 4), job(0, 3 * H, 3), job(10 * M, H, 4),
				     job(20 * M, 30 * M, 1) };
	struct trace t;
	struct sim_result r = play(&p, 1, j, 4, &t);
	assert_int_equal(t.start[2], 2 * H);
	assert_int_equal(t.start[3], 20 * M);
	assert_int_equal(t.end[2], 3 * H);
	assert_true(fabs(r.job_gpu_hours - (8 + 9 + 4 + 0.5)) < 1e-9);
	assert_true(fabs(r.paid_gpu_hours - 24) < 1e-9);
	assert_true(fabs(r.cost_usd - 48) < 1e-9);
	assert_true(fabs(r.wait_mean_s - 110 * 60 / 4.0) < 1e-9);
	assert_true(r.makespan_h == 3 && r.peak_gpus == 8);
}

/* An hour of waiting is enough: from then on nothing passes. */
static void nothing_passes_for_ever(void **state)
{
	const struct sim_pool p = { .capacity = 4, .gpus_node = 4, .mem_bytes = NAN };
	const struct sim_job j[] = { job(0, 3 * H, 3), job(0, H, 4), job(30 * M, 30 * M, 1),
				     job(90 * M, 30 * M, 1) };
	struct trace t;
	play(&p, 1, j, 4, &t);
	assert_int_equal(t.start[2], 30 * M);
	assert_int_equal(t.start[1], 3 * H);
	assert_int_equal(t.start[3], 4 * H);
}

/* A job of 6 takes two whole nodes of 4. */
static void large_jobs_take_whole_machines(void **state)
{
	const struct sim_pool p = { .capacity = 12, .gpus_node = 4, .mem_bytes = NAN };
	const struct sim_job j[] = { job(0, H, 6), job(0, H, 4), job(0, H, 1) };
	struct trace t;
	struct sim_result r = play(&p, 1, j, 3, &t);
	assert_int_equal(t.start[1], 0);
	assert_int_equal(t.start[2], H);
	assert_true(r.peak_gpus == 12);
	assert_true(fabs(r.job_gpu_hours - 11) < 1e-9);
}

/* Machines of 8 come (5 min) and go (10 min after); the second job uses the first one's. */
static void elastic_machines_come_and_go(void **state)
{
	const struct sim_pool p = { .gpus_node = 8,
				    .boot_ms = 5 * M,
				    .keep_ms = 10 * M,
				    .usd_gpu_hour = 1,
				    .mem_bytes = NAN };
	const struct sim_job j[] = { job(0, 55 * M, 8), job(65 * M, 20 * M, 2),
				     job(200 * M, 5 * M, 8) };
	struct trace t;
	struct sim_result r = play(&p, 1, j, 3, &t);
	assert_int_equal(t.start[0], 5 * M);
	assert_int_equal(t.start[1], 65 * M); /* still there */
	assert_int_equal(t.start[2], 205 * M);
	assert_true(fabs(r.paid_gpu_hours - 8 * (95 + 20) / 60.0) < 1e-9);
	assert_true(fabs(t.cost[1] - 2 * 20 / 60.0) < 1e-9);
}

/* One interruption at a known place: expected from the draw itself. */
static void checkpoints_save_what_they_hold(void **state)
{
	const struct sim_pool p = { .gpus_node = 1, .usd_gpu_hour = 1, .mem_bytes = NAN };
	struct sim_job j = job(0, 10 * H, 1);
	j.hazard_hour = 0.05, j.restart_ms = 6 * M, j.checkpoint_every_ms = 30 * M,
	j.checkpoint_stall_ms = M;
	struct trace t;
	struct sim_result r = play(&p, 1, &j, 1, &t);
	int64_t now = 0, done_ms = 0;
	int n = 0;
	for (;; n++) {
		int64_t wall = (n ? 6 * M : 0) + (10 * H - done_ms) +
			       (10 * H - done_ms - 1) / (30 * M) * M;
		double after = draw_exponential(draw_bits(1, 0, (uint64_t)n)) / 0.05 * 3600000.0;
		if (after >= (double)wall) {
			now += wall;
			break;
		}
		int64_t went = (int64_t)after - (n ? 6 * M : 0);
		now += (int64_t)after;
		done_ms += went > 0 ? went / (31 * M) * 30 * M : 0;
	}
	assert_int_equal(t.end[0], now);
	assert_int_equal(t.interruptions[0], n);
	assert_int_equal(r.interruptions, n);
	assert_true(fabs(r.job_gpu_hours - r.lost_gpu_hours - 10) < 1e-9);
}

/* With a fallback no hazard can make a job late, as long as the fallback alone would not be. */
static void fallback_keeps_deadlines(void **state)
{
	const struct sim_pool p[] = {
		{ .gpus_node = 8, .boot_ms = 5 * M, .usd_gpu_hour = 1, .mem_bytes = NAN },
		{ .gpus_node = 8, .boot_ms = 5 * M, .usd_gpu_hour = 3, .mem_bytes = NAN }
	};
	struct sim_job j[60];
	int64_t at = 0;
	for (uint64_t i = 0; i < COUNT(j); i++) {
		at += (int64_t)(draw_bits(5, i, 0) % (30 * M));
		j[i] = job(at, (int64_t)(draw_bits(5, i, 1) % (20 * H)),
			   1 + (int)(draw_bits(5, i, 2) % 8));
		j[i].deadline_ms = at + 5 * M + j[i].run_ms + j[i].run_ms / 30 +
				   (int64_t)(draw_bits(5, i, 3) % (10 * H));
		j[i].hazard_hour = 0.3, j[i].restart_ms = 6 * M,
		j[i].checkpoint_every_ms = i % 3 ? 30 * M : 0, j[i].checkpoint_stall_ms = M;
		j[i].fallback_pool = 1;
	}
	struct trace t;
	struct sim_result r = play(p, 2, j, COUNT(j), &t);
	assert_true(r.interruptions > 10 && r.fallbacks > 5);
	/* stalls of checkpoints may exceed the 1/30 of run time: those had no chance */
	for (size_t i = 0; i < COUNT(j); i++)
		if (t.end[i] > j[i].deadline_ms)
			assert_true(j[i].checkpoint_every_ms > 0 &&
				    j[i].deadline_ms - j[i].submit_ms <
					    5 * M + j[i].run_ms + j[i].run_ms / (30 * M) * M);
	assert_true(r.deadline_misses <= 6);
}

static void memory_decides(void **state)
{
	const struct sim_pool p[] = { { .gpus_node = 1, .mem_bytes = 16e9 },
				      { .gpus_node = 1, .mem_bytes = 80e9 } };
	struct sim_job j[] = { job(0, H, 1), job(0, H, 1), job(0, H, 1) };
	struct trace t;
	j[0].mem_bytes = 17e9;
	j[1].mem_bytes = 17e9, j[1].fallback_pool = 1;
	j[2].mem_bytes = 15e9;
	struct sim_result r = play(p, 2, j, 3, &t);
	assert_int_equal(r.oom, 2);
	assert_int_equal(r.fallbacks, 1);
	assert_int_equal(t.end[0], 0);
	assert_int_equal(t.end[1], H);
	assert_true(fabs(r.job_gpu_hours - 2) < 1e-9);
}

/* Waiting for a full pool ends where the deadline would be missed. */
static void waiting_ends_in_the_fallback(void **state)
{
	const struct sim_pool p[] = { { .capacity = 1, .gpus_node = 1, .mem_bytes = NAN },
				      { .gpus_node = 1, .boot_ms = 5 * M, .mem_bytes = NAN } };
	struct sim_job j[] = { job(0, 10 * H, 1), job(0, H, 1) };
	struct trace t;
	j[1].fallback_pool = 1, j[1].deadline_ms = 3 * H;
	struct sim_result r = play(p, 2, j, 2, &t);
	assert_int_equal(t.end[1], 3 * H);
	assert_int_equal(r.deadline_misses, 0);
	assert_int_equal(r.fallbacks, 1);
}

/* ---- properties on random input ---------------------------------------------------------- */

struct many {
	uint64_t seed;
	int64_t n, at, submit;
	int gpus_max;
	double want;
	struct {
		int64_t t;
		int gpus;
	} * edge;
	size_t nedge;
};

static struct sim_job nth(const struct many *m, int64_t i)
{
	uint64_t a = draw_bits(m->seed, (uint64_t)i, 0);
	struct sim_job j =
		job(0, (int64_t)(-log(random_unit(a)) * 2 * H),
		    1 + (int)(draw_bits(m->seed, (uint64_t)i, 1) % (uint64_t)m->gpus_max));
	if (i % 4 == 0)
		j.hazard_hour = 0.1, j.restart_ms = 3 * M, j.checkpoint_every_ms = 20 * M,
		j.checkpoint_stall_ms = 20000;
	return j;
}

static int nexts(void *ctx, struct sim_job *ret)
{
	struct many *m = ctx;
	if (m->at == m->n)
		return 0;
	*ret = nth(m, m->at);
	ret->submit_ms = m->submit +=
		(int64_t)(draw_bits(m->seed, (uint64_t)m->at++, 2) % (10 * M));
	m->want += (double)ret->run_ms / H * ret->gpus;
	return 1;
}

static void edges(void *ctx, size_t i, int64_t start_ms, int64_t end_ms, double cost_usd,
		  int interruptions)
{
	struct many *m = ctx;
	int g = nth(m, (int64_t)i).gpus;
	if (interruptions)
		return; /* it was not there all the time */
	m->edge[m->nedge].t = start_ms, m->edge[m->nedge++].gpus = g;
	m->edge[m->nedge].t = end_ms, m->edge[m->nedge++].gpus = -g;
}

static int by_time(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;
	const int ga = *(const int *)(a + 1), gb = *(const int *)(b + 1);
	return *a != *b ? (*a < *b ? -1 : 1) : ga - gb;
}

static void holds_on_random_input(void **state)
{
	for (uint64_t seed = 1; seed <= 12; seed++) {
		const struct sim_pool fixed = { .capacity = 16 + (int64_t)(seed % 5) * 7,
						.gpus_node = 1 + (int64_t)(seed % 8),
						.mem_bytes = NAN,
						.usd_gpu_hour = 1 };
		const struct sim_pool elastic = { .gpus_node = 1 + (int64_t)(seed % 8),
						  .boot_ms = M,
						  .keep_ms = (int64_t)(seed % 3) * M,
						  .mem_bytes = NAN,
						  .usd_gpu_hour = 1 };
		for (int kind = 0; kind < 2; kind++) {
			struct many m = { .seed = seed, .n = 400, .gpus_max = seed % 2 ? 4 : 8 },
				    m2;
			struct sim_result r, r2;
			struct err err;
			m2 = m;
			m.edge = calloc(800, sizeof *m.edge),
			m2.edge = calloc(800, sizeof *m2.edge);
			struct sim_input in = {
				kind ? &elastic : &fixed, 1, nexts, edges, &m, seed
			};
			if (sim_jobs(&in, &r, &err) < 0)
				fail_msg("%s", err.msg);
			in.ctx = &m2;
			assert_int_equal(sim_jobs(&in, &r2, &err), 0);
			assert_true(r.digest == r2.digest);
			assert_memory_equal(&r, &r2, sizeof r);
			assert_int_equal(r.jobs, 400);
			/* work is conserved */
			assert_true(fabs(r.job_gpu_hours - r.lost_gpu_hours - m.want) <
				    1e-6 * m.want);
			assert_true(r.paid_gpu_hours >= r.job_gpu_hours - 1e-6);
			if (!kind) {
				int64_t held = 0;
				assert_true(r.peak_gpus <= (double)fixed.capacity);
				qsort(m.edge, m.nedge, sizeof *m.edge, by_time);
				for (size_t i = 0; i < m.nedge; i++)
					assert_true((held += m.edge[i].gpus) <= fixed.capacity);
			}
			free(m.edge);
			free(m2.edge);
		}
	}
}

static void refuses_nonsense(void **state)
{
	const struct sim_pool p = { .capacity = 8, .gpus_node = 4, .mem_bytes = NAN };
	struct sim_job bad[] = { job(0, -1, 1),        job(0, 1, 0),        job(0, 1, 9),
				 job(0, 1, 1),         job(0, 1, 1),        job(0, 1, 1),
				 job(INT64_MIN, 1, 1), job(0, INT64_MAX, 1) };
	bad[3].pool = 1;
	bad[4].hazard_hour = NAN;
	bad[5].checkpoint_every_ms = -5;
	struct err err;
	struct sim_result r;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct trace t = { .j = &bad[i], .n = 1 };
		assert_int_equal(
			sim_jobs(&(struct sim_input){ &p, 1, next, NULL, &t, 1 }, &r, &err),
			-EINVAL);
		assert_has(err.msg, "job 0 ");
	}
	const struct sim_job back[] = { job(5, 1, 1), job(4, 1, 1) };
	struct trace t = { .j = back, .n = 2 };
	assert_int_equal(sim_jobs(&(struct sim_input){ &p, 1, next, NULL, &t, 1 }, &r, &err),
			 -EINVAL);
	assert_has(err.msg, "job 1 ");
	const struct sim_pool no = { .capacity = 8, .gpus_node = 0 };
	assert_int_equal(sim_jobs(&(struct sim_input){ &no, 1, next, NULL, &t, 1 }, &r, &err),
			 -EINVAL);
	t = (struct trace){ .j = back, .n = 0 };
	assert_int_equal(sim_jobs(&(struct sim_input){ &p, 1, next, NULL, &t, 1 }, &r, &err), 0);
	assert_int_equal(r.jobs, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fifo_with_backfill),
		cmocka_unit_test(nothing_passes_for_ever),
		cmocka_unit_test(large_jobs_take_whole_machines),
		cmocka_unit_test(elastic_machines_come_and_go),
		cmocka_unit_test(checkpoints_save_what_they_hold),
		cmocka_unit_test(fallback_keeps_deadlines),
		cmocka_unit_test(memory_decides),
		cmocka_unit_test(waiting_ends_in_the_fallback),
		cmocka_unit_test(holds_on_random_input),
		cmocka_unit_test(refuses_nonsense),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
