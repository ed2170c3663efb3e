/* The join of readings, holds and processes: shares, states and causes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "watch/watch_join.h"

#define GIB 1073741824.0

static struct conf conf;
static struct catalog *cat;
static struct gpu_dev dev[8];
static size_t ndev;
static struct gpu_proc proc[8][4];
static struct allocation job_a = { .job_id = { "1", 1 } }, job_b = { .job_id = { "2", 1 } };
static struct watch_join j;
static bool sees_holds;

static struct gpu_dev *add(int index, int parent, const char *profile, double util, double mem_gib)
{
	struct gpu_dev *d = &dev[ndev];
	*d = (struct gpu_dev){ .present = true, .proc = proc[ndev], .procs_known = true };
	d->info = (struct gpu_info){ .index = index,
				     .parent = parent,
				     .gi = -1,
				     .ci = -1,
				     .mig_start = -1,
				     .mem_total_bytes = 80 * GIB };
	snprintf(d->info.uuid, sizeof d->info.uuid, "%s-%zu", profile ? "MIG" : "GPU", ndev);
	snprintf(d->info.name, sizeof d->info.name, "NVIDIA H100 80GB HBM3");
	if (profile)
		snprintf(d->info.mig_profile, sizeof d->info.mig_profile, "%s", profile);
	for (int m = 0; m < METRIC_N; m++)
		d->value[m] = NAN;
	d->value[METRIC_GPU_UTIL_PCT] = util;
	d->value[METRIC_MEM_USED_BYTES] = mem_gib * GIB;
	ndev++;
	return d;
}

static void run_by(struct gpu_dev *d, int32_t pid, double mem_gib, double sm)
{
	d->proc[d->nproc++] = (struct gpu_proc){ .pid = pid,
						 .start_ticks = 1,
						 .type = 'C',
						 .mem_bytes = mem_gib * GIB,
						 .sm_util_pct = sm };
}

/* Processes below 100 are job A's, below 200 job B's, others nobody's. */
static const struct allocation *owner(void *ctx, const struct gpu_proc *p)
{
	return p->pid < 100 ? &job_a : p->pid < 200 ? &job_b : NULL;
}

static double cpu(void *ctx, const struct gpu_proc *p)
{
	return p->pid == 1 ? 50 : NAN;
}

static const struct watch_dev *run(const struct whose_hold *hold, size_t nhold, int64_t now_ms)
{
	struct gpu_view v = { .dev = dev, .ndev = ndev };
	struct watch_in in = { .gpus = &v,
			       .hold = hold,
			       .nhold = nhold,
			       .sees_holds = sees_holds,
			       .now_ms = now_ms,
			       .step_ms = 1000,
			       .owner = owner,
			       .cpu = cpu };
	watch_join_run(&j, &in);
	assert_int_equal(j.dev.n, ndev);
	/* closes: parts of a GPU and of its instances are the GPU */
	for (size_t i = 0; i < ndev; i++)
		if (dev[i].info.parent < 0) {
			int64_t sum = 0;
			for (size_t k = 0; k < ndev; k++)
				for (size_t u = 0; (k == i || dev[k].info.parent == (int)i) &&
						   u < j.dev.v[k].nuse;
				     u++)
					sum += j.dev.v[k].use[u].share_ppb;
			assert_int_equal(sum, 1000000000);
		}
	return j.dev.v;
}

static int setup(void **state)
{
	struct err err = { 0 };
	assert_int_equal(conf_load(NULL, &conf, &err), 0);
	assert_int_equal(catalog_open(NULL, &cat, &err), 0);
	j = (struct watch_join){ .conf = &conf, .catalog = cat };
	ndev = 0;
	job_a.start_ms = job_b.start_ms = 1000;
	return 0;
}

static int teardown(void **state)
{
	watch_join_free(&j);
	catalog_free(cat);
	conf_free(&conf);
	return 0;
}

static void states(void **state)
{
	add(0, -1, NULL, 0, 0);                         /* free */
	add(1, -1, NULL, 0, 0);                         /* held, never used */
	run_by(add(2, -1, NULL, 80, 40), 1, 39, NAN);   /* busy */
	run_by(add(3, -1, NULL, 10, 40), 101, 39, NAN); /* underused */
	run_by(add(4, -1, NULL, 60, 2), 300, 2, NAN);   /* works for nobody known */
	struct gpu_dev *stalled = add(5, -1, NULL, 100, 40);
	stalled->value[METRIC_POWER_W] = 70;
	run_by(stalled, 2, 39, NAN);
	struct gpu_dev *lost = add(6, -1, NULL, NAN, NAN);
	lost->present = false;
	struct whose_hold hold[] = {
		{ .held = &job_a, .index = 1, .share_ppb = -1 },
		{ .held = &job_a, .gpu = SV("gpu-2"), .index = -1, .share_ppb = -1 },
		{ .held = &job_b, .index = 6, .share_ppb = -1 }
	};
	const struct watch_dev *d = run(hold, 3, 61000);
	assert_string_equal(d[0].model, "H100-SXM5-80GB");
	assert_int_equal(d[0].use[0].state, STATE_UNALLOCATED);
	assert_int_equal(d[0].use[0].cause, CAUSE_FREE);
	assert_null(d[0].use[0].held);
	assert_int_equal(d[1].use[0].state, STATE_IDLE_EMPTY);
	assert_int_equal(d[1].use[0].cause, CAUSE_NEVER_LAUNCHED);
	assert_ptr_equal(d[1].use[0].held, &job_a);
	assert_int_equal(d[2].use[0].state, STATE_BUSY);
	assert_int_equal(d[2].nuse, 1);
	assert_true(d[2].use[0].cpu_util_pct == 50 && d[2].use[0].util_pct == 80 &&
		    d[2].use[0].mem_bytes == 39 * GIB);
	assert_int_equal(d[3].use[0].state, STATE_UNDERUSED);
	assert_ptr_equal(d[3].use[0].held, &job_b);
	assert_null(d[4].use[0].held);
	assert_int_equal(d[4].use[0].state, STATE_BUSY);
	assert_int_equal(d[4].use[0].nproc, 1);
	assert_int_equal(d[5].use[0].state, STATE_IDLE_HELD);
	assert_int_equal(d[5].use[0].cause, CAUSE_STALLED);
	assert_int_equal(d[6].use[0].state, STATE_UNKNOWN);
	assert_true(isnan(d[6].use[0].util_pct));
}

static void idle_causes(void **state)
{
	struct gpu_dev *d0 = add(0, -1, NULL, 90, 30);
	struct whose_hold hold = { .held = &job_a, .index = 0, .share_ppb = -1 };
	run(&hold, 1, 61000);
	d0->value[METRIC_GPU_UTIL_PCT] = 0;
	const struct watch_dev *d = run(&hold, 1, 62000);
	assert_int_equal(d[0].use[0].state, STATE_IDLE_HELD);
	assert_int_equal(d[0].use[0].cause, CAUSE_NONE); /* it may only be between two steps */
	for (int i = 0; i < 1800; i++)
		d = run(&hold, 1, 63000 + i * 1000);
	assert_int_equal(d[0].use[0].cause, CAUSE_FINISHED);
	d0->value[METRIC_MEM_USED_BYTES] = 0;
	d = run(&hold, 1, 1900000);
	assert_int_equal(d[0].use[0].cause, CAUSE_EXITED);
	/* began long before we looked: whether it ever used the GPU is not known */
	job_b.start_ms = -86400000;
	hold.held = &job_b;
	d = run(&hold, 1, 1901000);
	assert_int_equal(d[0].use[0].cause, CAUSE_WAITING);
}

static void sharing(void **state)
{
	struct gpu_dev *d0 = add(0, -1, NULL, 70, 40);
	run_by(d0, 1, 20, NAN);
	run_by(d0, 101, 15, NAN);
	run_by(d0, 102, 2, NAN);
	const struct watch_dev *d = run(NULL, 0, 61000);
	assert_int_equal(d[0].nuse, 2);
	assert_int_equal(d[0].use[0].share_ppb, 500000000);
	assert_true(isnan(d[0].use[0].util_pct)); /* the GPU's reading is nobody's alone */
	assert_int_equal(d[0].use[0].state, STATE_BUSY);
	assert_int_equal(d[0].use[1].nproc, 2);
	assert_int_equal(d[0].proc[d[0].use[1].proc_first].pid, 101);
	assert_true(d[0].use[1].mem_bytes == 17 * GIB);
	d0->proc[0].sm_util_pct = 65;
	d0->proc[1].sm_util_pct = 3;
	d0->proc[2].sm_util_pct = 2;
	d = run(NULL, 0, 62000);
	assert_true(d[0].use[0].util_pct == 65 && d[0].use[1].util_pct == 5);
	assert_int_equal(d[0].use[1].state, STATE_UNDERUSED);
	/* Declared parts: 30 % and 20 %, half the GPU is free. */
	struct whose_hold hold[] = {
		{ .held = &job_a,
		  .index = 0,
		  .share_ppb = 300000000,
		  .share_kind = SHARE_FRACTION },
		{ .held = &job_b, .index = 0, .share_ppb = 200000000, .share_kind = SHARE_MPS }
	};
	d = run(hold, 2, 63000);
	assert_int_equal(d[0].nuse, 3);
	assert_int_equal(d[0].use[0].share_ppb, 300000000);
	assert_int_equal(d[0].use[2].share_ppb, 500000000);
	assert_int_equal(d[0].use[2].state, STATE_UNALLOCATED);
	/* More than the GPU: scaled. */
	hold[0].share_ppb = hold[1].share_ppb = 900000000;
	d = run(hold, 2, 64000);
	assert_int_equal(d[0].nuse, 2);
	assert_int_equal(d[0].use[0].share_ppb, 500000000);
}

static void mig(void **state)
{
	add(0, -1, NULL, NAN, 10)->info.mig_enabled = true;
	struct gpu_dev *i1 = add(0, 0, "3g.40gb", NAN, 10), *i2 = add(0, 0, "2g.20gb", NAN, 0);
	i1->value[METRIC_SM_ACTIVE_FRAC] = 0.5;
	run_by(i1, 1, 9, NAN);
	i2->value[METRIC_SM_ACTIVE_FRAC] = 0;
	struct whose_hold hold = { .held = &job_b,
				   .mig = SV("MIG-2"),
				   .index = -1,
				   .share_ppb = -1,
				   .share_kind = SHARE_MIG };
	const struct watch_dev *d = run(&hold, 1, 61000);
	assert_int_equal(d[1].use[0].share_ppb, 428571428);
	assert_int_equal(d[1].use[0].state, STATE_BUSY);
	assert_ptr_equal(d[1].parent, &dev[0].info);
	assert_string_equal(d[1].model, "H100-SXM5-80GB");
	assert_int_equal(d[2].use[0].state, STATE_IDLE_EMPTY);
	assert_ptr_equal(d[2].use[0].held, &job_b);
	assert_int_equal(d[0].nuse, 1); /* two slices that no instance has */
	assert_null(d[0].use[0].held);
	assert_int_equal(d[0].use[0].cause, CAUSE_FREE);
	/* 3g + 3g: the one slice left takes no memory, nothing fits. */
	snprintf(i2->info.mig_profile, sizeof i2->info.mig_profile, "3g.40gb");
	i1->info.mig_start = 0;
	i2->info.mig_start = 4;
	d = run(&hold, 1, 62000);
	assert_int_equal(d[0].use[0].cause, CAUSE_STRANDED);
	/* Of a GPU that is lost, or whose driver hangs, no slice is free to be had. */
	dev[0].present = false;
	d = run(&hold, 1, 63000);
	assert_int_equal(d[0].use[0].cause, CAUSE_DOWN);
	dev[0].present = dev[0].stuck = true;
	d = run(&hold, 1, 64000);
	assert_int_equal(d[0].use[0].state, STATE_UNKNOWN);
	assert_int_equal(d[0].use[0].cause, CAUSE_UNWATCHED);
}

/* An instance has no utilisation. Processes of whom nobody knows (another pid namespace), or memory
 * in use, say that it is not free: it is unknown, and nobody's waste. */
static void taken(void **state)
{
	add(0, -1, NULL, NAN, 10)->info.mig_enabled = true;
	struct gpu_dev *busy = add(0, 0, "1g.10gb", NAN, 0), *full = add(0, 0, "1g.10gb", NAN, 9),
		       *free = add(0, 0, "1g.10gb", NAN, 0);
	run_by(busy, 4000000, NAN, NAN);
	full->procs_known = false;
	sees_holds = true;
	const struct watch_dev *d = run(NULL, 0, 61000);
	for (int i = 1; i <= 2; i++) {
		assert_null(d[i].use[0].held);
		assert_int_equal(d[i].use[0].state, STATE_UNKNOWN);
		assert_int_equal(d[i].use[0].cause, CAUSE_UNWATCHED);
	}
	assert_true(free->procs_known);
	assert_int_equal(d[3].use[0].state, STATE_UNALLOCATED);
	assert_int_equal(d[0].use[0].state, STATE_UNALLOCATED); /* what no instance has */
	sees_holds = false;
}

/* Without processes and without a scheduler nobody sees who holds a GPU. */
static void unwatched(void **state)
{
	struct gpu_dev *quiet = add(0, -1, NULL, 0, 0), *blank = add(1, -1, NULL, NAN, NAN),
		       *idle = add(2, -1, NULL, 0, NAN), *works = add(3, -1, NULL, 60, 20);
	quiet->procs_known = blank->procs_known = false;
	idle->procs_known = works->procs_known = false;
	const struct watch_dev *d = run(NULL, 0, 61000);
	assert_int_equal(d[0].use[0].state, STATE_UNALLOCATED); /* neither use nor memory */
	assert_int_equal(d[1].use[0].state, STATE_UNKNOWN);
	assert_int_equal(d[1].use[0].cause, CAUSE_UNWATCHED);
	assert_int_equal(d[2].use[0].state, STATE_UNKNOWN);
	assert_int_equal(d[3].use[0].state, STATE_BUSY);
	assert_false(d[0].watched || d[1].watched || d[2].watched || d[3].watched);
	/* Held, and no reading. */
	struct whose_hold hold = { .held = &job_a, .index = 1, .share_ppb = -1 };
	d = run(&hold, 1, 62000);
	assert_int_equal(d[1].use[0].state, STATE_UNKNOWN);
	assert_int_equal(d[1].use[0].cause, CAUSE_UNREAD);
	sees_holds = true;
	d = run(NULL, 0, 63000);
	sees_holds = false;
	for (int i = 0; i < 3; i++) {
		assert_int_equal(d[i].use[0].state, STATE_UNALLOCATED);
		assert_int_equal(d[i].use[0].cause, CAUSE_FREE);
		assert_true(d[i].watched);
	}
	blank->procs_known = true;
	assert_int_equal(run(NULL, 0, 64000)[1].use[0].cause, CAUSE_FREE);
}

static void random_closes(void **state)
{
	uint64_t x = 42;
	for (int round = 0; round < 300; round++) {
		ndev = 0;
		struct whose_hold hold[12];
		size_t nhold = 0;
		int ngpu = 1 +
			   (int)((x = x * 6364136223846793005ULL + 1442695040888963407ULL) >> 62);
		for (int c = 0; c < ngpu; c++) {
			struct gpu_dev *d0 = add(c, -1, NULL, (double)(x >> 40 & 127), 10);
			for (int p = 0; p < 3; p++) {
				x = x * 6364136223846793005ULL + 1442695040888963407ULL;
				if (x >> 63)
					run_by(d0, (int32_t)(x >> 32 & 255) + 1, 1, NAN);
				if (x >> 60 & 1)
					hold[nhold++] = (struct whose_hold){
						.held = x >> 59 & 1 ? &job_a : &job_b,
						.index = c,
						.share_ppb = (int64_t)(x >> 34 & 0x3fffffff),
						.share_kind = x >> 58 & 1 ? SHARE_WHOLE
									  : SHARE_FRACTION
					};
			}
		}
		run(hold, nhold, 61000 + round);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(states, setup, teardown),
		cmocka_unit_test_setup_teardown(idle_causes, setup, teardown),
		cmocka_unit_test_setup_teardown(sharing, setup, teardown),
		cmocka_unit_test_setup_teardown(mig, setup, teardown),
		cmocka_unit_test_setup_teardown(taken, setup, teardown),
		cmocka_unit_test_setup_teardown(unwatched, setup, teardown),
		cmocka_unit_test_setup_teardown(random_closes, setup, teardown),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
