/* Habits: which runs are one by what is known when they are submitted, and what all of them needed.
 *  */
#include "fleet_fix.h"
#include "plan/action.h"
#include "plan/workload.h"

#define GIB ((double)(1 << 30))

static void group(struct fix *x, struct habits *h)
{
	habits_make(&x->f, &x->conf, &x->mem, h);
}

static const struct habit_runs *named(const struct habits *h, enum habit_level level,
				      const char *name)
{
	for (size_t i = 0; i < h->v.n; i++)
		if (h->v.v[i].level == level && !strcmp(h->v.v[i].name, name))
			return &h->v.v[i];
	return NULL;
}

static void numbers_do_not_matter(void **state)
{
	struct fix x;
	struct habits h;
	fix_open(&x, 24 * 60);
	fix_runs(&x, "eval", 12, 48, 10); /* eval-1 ... eval-12 */
	fix_runs(&x, "sweep", 5, 48, 10);
	group(&x, &h);
	const struct habit_runs *e = named(&h, HABIT_USER, "eval-*");
	assert_non_null(e);
	assert_int_equal(e->runs, 12);
	assert_int_equal(e->workload.n, 12);
	assert_int_equal(e->machines, 1);
	assert_true(e->whole);
	assert_float_equal(e->weeks, 11 * 48 / 168.0, 1e-9);
	assert_int_equal(named(&h, HABIT_USER, "sweep-*")->runs, 5);
	/* one user: the coarser level by name has nothing new to say; that of the team has both */
	assert_null(named(&h, HABIT_NAME, "eval-*"));
	assert_int_equal(named(&h, HABIT_TEAM, "")->runs, 17);
	for (size_t i = 0; i < x.f.workload.n; i++)
		assert_string_equal(h.v.v[h.of_workload[i]].name, i < 12 ? "eval-*" : "sweep-*");
	for (size_t i = 1; i < e->workload.n; i++)
		assert_true(x.f.workload.v[e->workload.v[i - 1]].start_ms <
			    x.f.workload.v[e->workload.v[i]].start_ms);
	habits_free(&h);
	fix_close(&x);
}

/* Runs named by the fixture "NAME-1", "NAME-2" ... get these names instead. */
static void rename_runs(struct fix *x, size_t from, const char *const *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		x->f.workload.v[from + i].name = name[i];
}

static void made_up_parts_do_not_matter(void **state)
{
	static const char *const pods[] = { "train-x7k2p", "train-bzzqf", "train-4kmwd",
					    "train-c9vtn", "train-lrs8b" },
				 *const cron[] = { "nightly-28394820-x2x4z",
						   "nightly-28396260-pqrst",
						   "nightly-28397700-9bd7k" },
				 *const worker[] = { "bert-zk4lm-worker-0", "bert-88hcx-worker-0",
						     "bert-vwtq2-worker-1" },
				 *const sha[] = { "eval-3f9a2b1c", "eval-0d41e77",
						  "eval-77aa01ff" },
				 /* the same part again and again is a name */
					 *const named[] = { "fit-gpt2x", "fit-gpt2x", "fit-gpt2x",
							    "fit-vgg5b", "fit-vgg5b", "fit-vgg5b" },
				 /* two are too few to tell */
						 *const two[] = { "pair-x7k2p", "pair-bzzqf" },
				 /* words, capitals, and a whole name that looks made up */
							 *const words[] = { "run-mnist",
									    "run-Bzzqf",
									    "run-small" },
				 *const alone[] = { "bzzqf", "x7k2p", "4kmwd" };
	static const struct {
		const char *const *name;
		size_t n;
		const char *pattern; /* NULL: each name that is different stands alone */
	} c[] = {
		{ pods, 5, "train-*" },
		{ cron, 3, "nightly-*-*" },
		{ worker, 3, "bert-*-worker-*" },
		{ sha, 3, "eval-*" },
		{ named, 6, NULL },
		{ two, 2, NULL },
		{ words, 3, NULL },
		{ alone, 3, NULL },
	};
	for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
		struct fix x;
		struct habits h;
		fix_open(&x, 24 * 60);
		fix_runs(&x, "a", (int)c[k].n, 48, 10);
		rename_runs(&x, 0, c[k].name, c[k].n);
		group(&x, &h);
		size_t finest = 0;
		for (size_t i = 0; i < h.v.n; i++)
			finest += h.v.v[i].level == HABIT_USER;
		if (c[k].pattern) {
			assert_int_equal(finest, 1);
			assert_string_equal(h.v.v[0].name, c[k].pattern);
			assert_int_equal(h.v.v[0].runs, c[k].n);
		} else
			assert_true(finest > 1);
		habits_free(&h);
		fix_close(&x);
	}
}

/* An exporter may give utilisation alone: the other counters are then unknown, and not at 100 %. */
static void unread_counters_are_unknown(void **state)
{
	struct fix x;
	struct habits h;
	fix_open(&x, 24 * 60);
	fix_runs(&x, "eval", 6, 48, 10);
	for (size_t i = 0; i < x.f.workload.n; i++) {
		x.f.workload.v[i].stats.util_mean_pct = 10;
		x.f.workload.v[i].stats.work_util_mean_pct = 20;
		x.f.workload.v[i].stats.dram_mean_frac = .1;
	}
	group(&x, &h);
	const struct habit_runs *e = named(&h, HABIT_USER, "eval-*");
	assert_non_null(e);
	assert_float_equal(e->util_frac, .2, 1e-9);
	assert_true(isnan(e->sm) && isnan(e->tensor));
	assert_float_equal(e->dram, .2, 1e-9); /* of the working half */
	habits_free(&h);
	fix_close(&x);
}

/* Whatever is known at submission tells runs apart; what they did afterwards does not. */
static void what_tells_them_apart(void **state)
{
	struct fix x;
	struct habits h;
	for (int k = 0; k < 11; k++) {
		fix_open(&x, 24 * 60);
		fix_runs(&x, "eval", 10, 48, 10);
		for (size_t i = 5; i < 10; i++) {
			struct workload *w = &x.f.workload.v[i];
			switch (k) {
			case 0: w->user = "bob"; break;
			case 1: w->team = "nlp"; break;
			case 2: w->workload = "evaluation"; break;
			case 3: w->cluster = "other"; break;
			case 4: w->gpus_milli = 2000; break;
			case 5: w->instance_type = "p3dn.24xlarge"; break;
			case 6: w->purchase = "spot"; break;
			case 7: w->region = "eu-west-1"; break;
			case 8: w->stats.gpus_needed = 1; break;
			case 9: w->end_state = "FAILED"; break;
			default: w->limit_ms *= 2; break;
			}
		}
		group(&x, &h);
		assert_int_equal(h.v.v[h.of_workload[0]].runs, k < 8 ? 5 : 10);
		assert_int_equal(h.v.v[h.of_workload[9]].runs, k < 8 ? 5 : 10);
		if (k == 0) /* and together they are one of the name */
			assert_int_equal(named(&h, HABIT_NAME, "eval-*")->runs, 10);
		habits_free(&h);
		fix_close(&x);
	}
}

static void what_is_no_run(void **state)
{
	struct fix x;
	struct habits h;
	for (int k = 0; k < 9; k++) {
		fix_open(&x, 24 * 200);
		fix_runs(&x, "eval", 10, 48, 10);
		x.f.until_ms = AT(24 * 60);
		struct workload *w = &x.f.workload.v[4];
		switch (k) {
		case 0: w->notebook = true; break;
		case 1: w->kind = WORKLOAD_SERVICE; break;
		case 2: w->workload = "inference"; break;
		case 3: w->service = "chat"; break;
		case 4: w->share_kind = SHARE_MIG; break;
		case 5: w->job = ""; break;
		case 6: w->end_ms = w->start_ms; break;
		case 7: x.f.until_ms = w->start_ms + 90 * MS_DAY + 1; break; /* too old */
		default: x.f.until_ms = w->start_ms + 90 * MS_DAY; break;    /* just not */
		}
		group(&x, &h);
		if ((h.of_workload[4] == SIZE_MAX) != (k < 8))
			fail_msg("case %d", k);
		assert_int_equal(h.v.v[h.of_workload[9]].runs, k < 7 ? 9 : k == 7 ? 5 : 6);
		habits_free(&h);
		fix_close(&x);
	}
}

/* A job on two machines is one run, and more than a machine has. */
static void gangs_count_once(void **state)
{
	for (int late = 0; late < 2; late++) {
		struct fix x;
		struct habits h;
		fix_open(&x, 24 * 60);
		fix_runs(&x, "ddp", 6, 48, 10);
		fix_runs(&x, "ddp", 6, 48, 10);
		for (size_t i = 0; i < 6; i++) {
			struct workload *w = &x.f.workload.v[6 + i];
			w->job = x.f.workload.v[i].job;
			w->node = arena_printf(&x.mem, "second-%zu", i);
			x.f.node.v[6 + i].node = w->node;
			w->stats.gpus_needed = 1;
			/* its second machine was there later, when another had begun */
			w->start_ms += late * 49 * MS_HOUR;
			w->end_ms += late * 49 * MS_HOUR;
		}
		group(&x, &h);
		const struct habit_runs *g = named(&h, HABIT_USER, "ddp-*");
		assert_int_equal(g->workload.n, 12);
		assert_int_equal(g->runs, 6);
		assert_int_equal(g->machines, 2);
		assert_int_equal(habit_more_than(&x.f, g, 1), 6);
		assert_int_equal(habit_more_than(&x.f, g, 4), 0);
		for (size_t i = 0; i < 6; i++) /* both halves of each: still six */
			x.f.workload.v[6 + i].stats.gpus_needed = 4;
		assert_int_equal(habit_more_than(&x.f, g, 1), 6);
		habits_free(&h);
		fix_close(&x);
	}
}

/* Half of it on another kind of machine: no part of it is a habit of its own. */
static void a_gang_of_two_kinds(void **state)
{
	struct fix x;
	struct habits h;
	fix_open(&x, 24 * 60);
	fix_runs(&x, "ddp", 6, 48, 10);
	fix_runs(&x, "ddp", 6, 48, 10);
	for (size_t i = 0; i < 6; i++) {
		x.f.workload.v[6 + i].job = x.f.workload.v[i].job;
		x.f.workload.v[6 + i].instance_type = "p3.16xlarge";
	}
	group(&x, &h);
	assert_int_equal(h.v.n, 0);
	for (size_t i = 0; i < 12; i++)
		assert_true(h.of_workload[i] == SIZE_MAX);
	habits_free(&h);
	fix_close(&x);
}

/* One name of all runs is its own pattern; one that reads as a pattern is not. */
static void one_name_is_itself(void **state)
{
	struct fix x;
	struct habits h;
	fix_open(&x, 24 * 60);
	fix_runs(&x, "eval", 6, 48, 10);
	for (size_t i = 0; i < 6; i++)
		x.f.workload.v[i].name = "v2-train";
	group(&x, &h);
	assert_non_null(named(&h, HABIT_USER, "v2-train"));
	habits_free(&h);
	for (size_t i = 0; i < 6; i++)
		x.f.workload.v[i].name = "v2*";
	group(&x, &h);
	assert_non_null(named(&h, HABIT_USER, "v**"));
	habits_free(&h);
	fix_close(&x);
}

/* One run of all decides: the most, the least, or not known. */
static void the_worst_run_counts(void **state)
{
	struct fix x;
	struct habits h;
	const struct habit_runs *e;
	fix_open(&x, 24 * 60);
	fix_runs(&x, "eval", 10, 48, 10);
	for (size_t i = 0; i < 10; i++) {
		struct workload *w = &x.f.workload.v[i];
		w->stats.last_active_ms = w->start_ms + 3 * MS_HOUR;
		w->stats.mem_peak_bytes = 2 * GIB;
		w->stats.gpus_needed = 1;
		w->stats.step_ms = 10000;
		w->checkpointable = 1;
	}
	group(&x, &h);
	e = named(&h, HABIT_USER, "eval-*");
	assert_int_equal(e->longest_ms, 3 * MS_HOUR);
	assert_int_equal(e->limit_ms, 20 * MS_HOUR);
	assert_float_equal(e->mem_peak_bytes, 2 * GIB, 1);
	assert_float_equal(e->step_s, 10, 1e-9);
	assert_int_equal(e->most_needed, 1);
	assert_true(e->checkpointable);
	assert_false(e->preallocates);
	assert_float_equal(e->cpu_cores, 4, 1e-9);
	assert_float_equal(e->ram_gib, 30, 1e-9);
	assert_float_equal(e->watched_frac, 1, 1e-9);
	habits_free(&h);
	struct workload *w = &x.f.workload.v[7];
	w->stats.last_active_ms = w->start_ms + 9 * MS_HOUR;
	w->stats.mem_peak_bytes = 9 * GIB;
	w->stats.mem_flat_frac = 0.85;
	w->stats.step_ms = 60000;
	w->stats.gpus_needed = 3;
	w->checkpointable = -1;
	w->limit_ms = 12 * MS_HOUR;
	x.f.host.v[7].cpu_milli = 7000;
	x.f.host.v[7].ram_mib = 50 * 1024;
	group(&x, &h);
	e = named(&h, HABIT_USER, "eval-*");
	assert_int_equal(e->longest_ms, 9 * MS_HOUR);
	assert_int_equal(e->limit_ms, 12 * MS_HOUR);
	assert_float_equal(e->mem_peak_bytes, 9 * GIB, 1);
	assert_true(e->preallocates);
	assert_float_equal(e->step_s, 60, 1e-9);
	assert_int_equal(e->most_needed, 3);
	assert_false(e->checkpointable);
	assert_float_equal(e->cpu_cores, 7, 1e-9);
	assert_float_equal(e->ram_gib, 50, 1e-9);
	assert_int_equal(habit_more_than(&x.f, e, 2), 1);
	assert_int_equal(habit_more_than(&x.f, e, 3), 0);
	habits_free(&h);
	w->stats.mem_peak_bytes = NAN;
	w->stats.mem_flat_frac = 0.849;
	w->stats.covered_frac = 0.5; /* what it did in the rest is not known: it worked */
	w->limit_ms = UNKNOWN_MS;
	x.f.host.v[7].cpu_milli = x.f.host.v[7].ram_mib = 0;
	group(&x, &h);
	e = named(&h, HABIT_USER, "eval-*");
	assert_int_equal(e->longest_ms, 10 * MS_HOUR);
	assert_int_equal(e->limit_ms, UNKNOWN_MS);
	assert_true(isnan(e->mem_peak_bytes) && isnan(e->cpu_cores) && isnan(e->ram_gib));
	assert_false(e->preallocates);
	assert_float_equal(e->watched_frac, 0.95, 1e-9);
	habits_free(&h);
	fix_close(&x);
}

/* On a machine of its own the CPUs that were read count, else those that were booked. */
/* A counter that nobody read is unknown, not at its limit; what was read is of the working part. */
static void counters_that_were_not_read(void **state)
{
	struct fix x;
	struct habits h;
	fix_open(&x, 24 * 60);
	fix_runs(&x, "eval", 10, 48, 10);
	for (size_t i = 0; i < x.f.workload.n; i++) {
		x.f.workload.v[i].stats.util_mean_pct = 40;
		x.f.workload.v[i].stats.work_util_mean_pct = 80;
		x.f.workload.v[i].stats.dram_mean_frac = .2;
	}
	group(&x, &h);
	const struct habit_runs *e = named(&h, HABIT_USER, "eval-*");
	assert_true(isnan(e->tensor) && isnan(e->sm));
	assert_float_equal(e->dram, .4, 1e-9);
	habits_free(&h);
	fix_close(&x);
}

static void cpus_read_or_booked(void **state)
{
	struct fix x;
	struct habits h;
	fix_open(&x, 24 * 60);
	fix_runs(&x, "eval", 10, 48, 10);
	for (size_t i = 0; i < 10; i++)
		x.f.workload.v[i].stats.cpu_peak_pct = 25; /* of 32 */
	group(&x, &h);
	assert_float_equal(named(&h, HABIT_USER, "eval-*")->cpu_cores, 8, 1e-9);
	habits_free(&h);
	for (size_t i = 0; i < 10; i++)
		x.f.workload.v[i].gpus_milli = 2000; /* beside others: theirs were read as well */
	group(&x, &h);
	assert_float_equal(named(&h, HABIT_USER, "eval-*")->cpu_cores, 4, 1e-9);
	assert_false(named(&h, HABIT_USER, "eval-*")->whole);
	habits_free(&h);
	fix_close(&x);
}

static void who_holds_until_the_limit(void **state)
{
	struct fix x;
	struct habits h;
	fix_open(&x, 24 * 60);
	fix_runs(&x, "eval", 10, 48, 10);
	for (int k = 5; k <= 6; k++) {
		for (int i = 0; i < k; i++) {
			x.f.workload.v[i].limit_ms = 10 * MS_HOUR;
			x.f.workload.v[i].stats.last_active_ms = x.f.workload.v[i].start_ms +
								 4 * MS_HOUR;
		}
		group(&x, &h);
		assert_int_equal(named(&h, HABIT_USER, "eval-*")->holds, k == 6);
		habits_free(&h);
	}
	fix_close(&x);
}

/* An action for a habit means all of its workloads and no others of the fleet. */
static void an_action_means_them_all(void **state)
{
	static const char *const user[] = { "ann", "bob" }, *const team[] = { "vision", "nlp",
									      "speech" };
	struct fix x;
	struct habits h;
	uint64_t seed = 11;
	fix_open(&x, 24 * 60);
	for (int i = 0; i < 30; i++) {
		size_t first = fix_runs(&x, i % 3 ? "eval" : "train", 5, 48, 10);
		for (size_t k = first; k < x.f.workload.n; k++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			struct workload *w = &x.f.workload.v[k];
			w->user = user[seed >> 33 & 1];
			w->team = team[(seed >> 35) % 3];
			w->gpus_milli = seed >> 40 & 1 ? 4000 : 2000;
			w->cluster = seed >> 41 & 1 ? "eval" : "other";
		}
	}
	group(&x, &h);
	assert_true(h.v.n > 10);
	for (size_t i = 0; i < h.v.n; i++) {
		const struct habit_runs *e = &h.v.v[i];
		struct habit which = habit_of(e);
		size_t meant = 0;
		for (size_t k = 0; k < x.f.workload.n; k++)
			meant += habit_matches(&which, &x.f.workload.v[k]);
		if (meant != e->workload.n)
			fail_msg("level %d '%s': %zu meant, %zu are", (int)e->level, e->name, meant,
				 e->workload.n);
		for (size_t k = 0; k < e->workload.n; k++)
			assert_true(habit_matches(&which, &x.f.workload.v[e->workload.v[k]]));
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(habit_id(&x.mem, e), habit_id(&x.mem, &h.v.v[k]));
	}
	habits_free(&h);
	fix_close(&x);
}

/* A pattern means what whoever reads its line takes it to mean, other habits' runs too: what is
 * carried out for the one is done to these. */
static void a_pattern_is_read_as_one(void **state)
{
	struct fix x;
	struct habits h;
	fix_open(&x, 24 * 60);
	size_t small = fix_runs(&x, "train", 3, 48, 10), big = fix_runs(&x, "train-big", 3, 48, 10),
	       other = fix_runs(&x, "tune", 3, 48, 10);
	group(&x, &h);
	struct habit which = habit_of(named(&h, HABIT_USER, "train-*"));
	assert_true(habit_matches(&which, &x.f.workload.v[small]));
	assert_true(habit_matches(&which, &x.f.workload.v[big]));
	assert_false(habit_matches(&which, &x.f.workload.v[other]));
	which = habit_of(named(&h, HABIT_USER, "train-big-*"));
	assert_false(habit_matches(&which, &x.f.workload.v[small]));
	which.name = raw_name("*"); /* that is what one is called */
	assert_true(habit_matches(&which, &x.f.workload.v[other]));
	habits_free(&h);
	fix_close(&x);
}

static void where_they_are_submitted(void **state)
{
	struct fix x;
	struct habits h;
	fix_open(&x, 24 * 60);
	fix_runs(&x, "eval", 5, 48, 10);
	group(&x, &h);
	assert_int_equal(habit_submits_to(&x.f, &h.v.v[0]), TO_SLURM);
	habits_free(&h);
	x.f.workload.v[2].job = "eval-7xk2f";
	group(&x, &h);
	assert_int_equal(habit_submits_to(&x.f, &h.v.v[0]), TO_SLURM | TO_KUBERNETES);
	habits_free(&h);
	fix_close(&x);
}

/* Ten hours of work, ten of waiting, one in which the second attempt did what is asked. */
static int64_t used_h(double last_active_h)
{
	struct workload w = { .start_ms = 0,
			      .end_ms = 21 * MS_HOUR,
			      .held_ms = 11 * MS_HOUR,
			      .attempts = 2,
			      .last_start_ms = 20 * MS_HOUR };

	w.stats.covered_frac = 1;
	w.stats.last_active_ms = (int64_t)(last_active_h * MS_HOUR);
	return workload_used_ms(&w) / MS_HOUR;
}

static void work_of_a_requeued_job(void **state)
{
	assert_int_equal(used_h(21), 11);
	assert_int_equal(used_h(20), 10);
	assert_int_equal(used_h(10), 10); /* the second attempt did nothing */
	assert_int_equal(used_h(4), 4);
	struct workload unread = { .end_ms = 21 * MS_HOUR, .held_ms = 11 * MS_HOUR, .attempts = 2 };
	unread.last_start_ms = 20 * MS_HOUR;
	unread.stats.last_active_ms = UNKNOWN_MS;
	assert_int_equal(workload_used_ms(&unread), 11 * MS_HOUR);
	unread.stats.covered_frac = 1;
	assert_int_equal(workload_used_ms(&unread), 11 * MS_HOUR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_do_not_matter),
		cmocka_unit_test(made_up_parts_do_not_matter),
		cmocka_unit_test(unread_counters_are_unknown),
		cmocka_unit_test(what_tells_them_apart),
		cmocka_unit_test(what_is_no_run),
		cmocka_unit_test(gangs_count_once),
		cmocka_unit_test(a_gang_of_two_kinds),
		cmocka_unit_test(one_name_is_itself),
		cmocka_unit_test(the_worst_run_counts),
		cmocka_unit_test(counters_that_were_not_read),
		cmocka_unit_test(cpus_read_or_booked),
		cmocka_unit_test(who_holds_until_the_limit),
		cmocka_unit_test(an_action_means_them_all),
		cmocka_unit_test(a_pattern_is_read_as_one),
		cmocka_unit_test(where_they_are_submitted),
		cmocka_unit_test(work_of_a_requeued_job),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
