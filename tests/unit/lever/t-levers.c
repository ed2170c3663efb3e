/* Booked time, count, input, storage: what each lever proposes on fleets of a few
 * works, and what it must leave alone. */
#include "../plan/fleet_fix.h"
#include "plan/replay/compose.h"

/* ---- trim_time --------------------------------------------------------------------------- */

/* Runs that work for `used` of the hours that they hold and book. */
static void booked(struct fix *x, int runs, double every, double used, double held)
{
	fix_open(x, 24 * 60);
	fix_runs(x, "eval", runs, every, held);
	for (size_t i = 0; i < x->f.workload.n; i++) {
		x->f.workload.v[i].stats.last_active_ms = x->f.workload.v[i].start_ms +
							  (int64_t)(used * MS_HOUR);
		x->f.workload.v[i].limit_ms = (int64_t)(held * MS_HOUR);
	}
	fix_done(x);
}

/* A limit of 1.25 of the longest run; its machine goes a quarter of an hour after it. */
static void overbooked(void **state)
{
	struct fix x;
	booked(&x, 20, 48, 8, 24);
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 1);
	struct rec *r = x.out.v.v[0];
	assert_int_equal(r->tier, TIER_SURE);
	assert_near(fix_saving(&x, r), 20 * (14 - 0.25) * 12.24);
	assert_true(says(r, "#SBATCH --time=10:00:00"));
	assert_int_equal(r->change.n, 20);
	for (size_t i = 0; i < r->change.n; i++) {
		assert_int_equal(r->change.v[i].after.limit_ms, 10 * MS_HOUR);
		assert_int_equal(r->change.v[i].after.end_ms,
				 x.f.workload.v[i].start_ms + 10 * MS_HOUR);
	}
	const struct action *a = &r->action.v[0];
	assert_int_equal(a->kind, ACTION_SUBMIT);
	assert_int_equal(a->submit.change, SUBMIT_LIMIT);
	assert_int_equal(a->submit.was.limit_ms, 24 * MS_HOUR);
	assert_string_equal(a->which.name.z, "eval-*");
	fix_apply(&x, r);
	fix_ask(&x, LEVER_TRIM_TIME); /* nothing twice */
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Ready from 20 runs in three weeks, to try first from 4, with more room. */
static void as_many_runs_as_asked_for(void **state)
{
	static const struct {
		int runs;
		double every;
		int tier; /* -1: none */
		int64_t limit_h;
	} t[] = { { 20, 27, TIER_SURE, 10 },
		  { 20, 26, TIER_TRIAL, 12 }, /* 19 x 26 h: under three weeks */
		  { 19, 48, TIER_TRIAL, 12 },
		  { 4, 48, TIER_TRIAL, 12 },
		  { 3, 48, -1, 0 } };
	for (size_t i = 0; i < COUNT(t); i++) {
		struct fix x;
		booked(&x, t[i].runs, t[i].every, 8, 24);
		fix_ask(&x, LEVER_TRIM_TIME);
		assert_int_equal(x.out.v.n, 1);
		if (t[i].tier < 0)
			assert_has(x.out.v.v[0]->not_yet,
				   "3 runs that ended well are too few, 4 are the least");
		if (t[i].tier >= 0) {
			assert_null(x.out.v.v[0]->not_yet);
			assert_int_equal(x.out.v.v[0]->tier, t[i].tier);
			assert_int_equal(x.out.v.v[0]->change.v[0].after.limit_ms,
					 t[i].limit_h * MS_HOUR);
		}
		fix_close(&x);
	}
}

/* How long a run takes that does what it should, those that failed or were cancelled do not tell.
 *  */
static void runs_that_failed(void **state)
{
	static const struct {
		const char *end;
		int other; /* of 20 runs, that ended so */
		int tier;  /* -1: none */
	} t[] = { { "FAILED", 20, -1 },          { "CANCELLED by 1000", 20, -1 },
		  { "FAILED", 17, -1 },          { "FAILED", 16, TIER_TRIAL },
		  { "FAILED", 1, TIER_TRIAL },   { "TIMEOUT", 20, TIER_SURE },
		  { "COMPLETED", 20, TIER_SURE } };
	for (size_t i = 0; i < COUNT(t); i++) {
		struct fix x;
		booked(&x, 20, 48, 8, 24);
		for (int k = 0; k < 20; k++)
			x.f.workload.v[k].end_state = k < t[i].other ? t[i].end : "COMPLETED";
		fix_ask(&x, LEVER_TRIM_TIME);
		assert_int_equal(x.out.v.n, 1);
		if (t[i].tier < 0) {
			assert_has(x.out.v.v[0]->not_yet, "that ended well are too few");
		} else {
			assert_null(x.out.v.v[0]->not_yet);
			assert_int_equal(x.out.v.v[0]->tier, t[i].tier);
		}
		fix_close(&x);
	}
}

/* A limit on a machine that stays anyway ends jobs earlier and pays the same. */
static void a_machine_that_stays_saves_nothing(void **state)
{
	struct fix x;
	booked(&x, 20, 48, 8, 24);
	for (size_t i = 0; i < 20; i++)
		x.f.node.v[i].to_ms += 5 * MS_HOUR; /* it waited for others */
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

static void no_shorter_limit(void **state)
{
	struct fix x;
	booked(&x, 20, 48, 8, 24);
	for (size_t i = 0; i < 20; i++) /* what it did in the rest is unknown */
		x.f.workload.v[i].stats.covered_frac = 0.89;
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 0);
	for (size_t i = 0; i < 20; i++)
		x.f.workload.v[i].stats.covered_frac = 0.9;
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 1);
	/* no reading, no sign of its end: it may have worked to the last minute */
	x.f.workload.v[3].stats.last_active_ms = UNKNOWN_MS;
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
	booked(&x, 20, 48, 8, 10); /* 1.25 of the longest is what it has */
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
	booked(&x, 20, 48, 8, 24);
	x.f.workload.v[7].limit_ms = x.use[7].limit_ms = UNKNOWN_MS; /* nothing ends that one */
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* One long run beside twenty, however it ended, sets the limit of all. */
static void the_longest_of_all_counts(void **state)
{
	struct fix x;
	booked(&x, 21, 48, 8, 24);
	x.f.workload.v[2].end_state = "FAILED";
	x.f.workload.v[2].stats.last_active_ms = x.f.workload.v[2].start_ms + 12 * MS_HOUR;
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 1);
	assert_int_equal(x.out.v.v[0]->change.v[0].after.limit_ms, 15 * MS_HOUR);
	x.f.workload.v[2].stats.last_active_ms = x.f.workload.v[2].start_ms + 20 * MS_HOUR;
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* A slower GPU was given to them before: the limit follows. */
static void a_limit_for_what_is_slower_now(void **state)
{
	struct fix x;
	booked(&x, 20, 48, 8, 24);
	for (size_t i = 0; i < 20; i++)
		x.use[i].slowdown = 1.5;
	fix_ask(&x, LEVER_TRIM_TIME);
	assert_int_equal(x.out.v.n, 1);
	assert_int_equal(x.out.v.v[0]->change.v[0].after.limit_ms, 15 * MS_HOUR);
	fix_close(&x);
}

/* ---- rightsize_count --------------------------------------------------------------------- */

/* Runs of 10 h that need one GPU of the four they hold; of them, some need all. */
static void counted(struct fix *x, int runs, double every, int more)
{
	fix_open(x, 24 * 60);
	fix_runs(x, "sweep", runs, every, 10);
	for (int i = 0; i < runs; i++)
		x->f.workload.v[i].stats.gpus_needed = i < more ? 4 : 1;
	fix_done(x);
}

static const struct action *submit_of(const struct rec *r)
{
	for (size_t i = 0; i < r->action.n; i++)
		if (r->action.v[i].kind == ACTION_SUBMIT)
			return &r->action.v[i];
	fail_msg("%s: nothing is submitted otherwise", r->id);
	return NULL;
}

static void one_of_four(void **state)
{
	struct fix x;
	counted(&x, 10, 48, 0);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 1);
	struct rec *r = x.out.v.v[0];
	assert_int_equal(r->tier, TIER_SURE);
	assert_int_equal(r->change.n, 10);
	/* a quarter of the price, for the run and 20 minutes around it */
	assert_near(fix_saving(&x, r), 10 * (122.4 - 3.06 * (10 + 1 / 3.0)));
	assert_string_equal(r->change.v[0].after.instance_type, "p3.2xlarge");
	assert_int_equal(r->change.v[0].after.gpus_milli, 1000);
	assert_true(has_kind(r, ACTION_POOL)); /* nobody has such machines yet */
	assert_false(has_kind(r, ACTION_TRIAL));
	const struct action *a = submit_of(r);
	assert_int_equal(a->submit.change, SUBMIT_GPUS | SUBMIT_TYPE);
	assert_int_equal(a->submit.was.gpus, 4);
	assert_int_equal(a->submit.now.gpus, 1);
	assert_false(a->submit.is_default);
	assert_true(says(r, "--gres=gpu:1"));
	fix_close(&x);
}

#define NOT_YET TIER_N

static void as_many_runs_for_a_count(void **state)
{
	static const struct {
		int runs;
		double every;
		int more, tier; /* NOT_YET: said with what is missing; -1: nothing */
	} t[] = {
		{ 10, 38, 0, TIER_SURE }, { 10, 37, 0, TIER_TRIAL }, { 9, 60, 0, TIER_TRIAL },
		{ 5, 60, 0, TIER_TRIAL }, { 4, 60, 0, NOT_YET },     { 10, 60, 2, TIER_TRIAL },
		{ 10, 60, 3, -1 },        { 5, 60, 1, TIER_TRIAL },  { 5, 60, 2, -1 },
		{ 14, 60, 3, -1 }, /* 21 % */
	};
	for (size_t i = 0; i < COUNT(t); i++) {
		struct fix x;
		counted(&x, t[i].runs, t[i].every, t[i].more);
		fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
		if (x.out.v.n != (t[i].tier >= 0))
			fail_msg("%zu of case %zu", x.out.v.n, i);
		if (t[i].tier == NOT_YET)
			assert_has(x.out.v.v[0]->not_yet, "4 runs are too few, 5 are the least");
		else if (t[i].tier >= 0) {
			assert_int_equal(x.out.v.v[0]->tier, t[i].tier);
			assert_null(x.out.v.v[0]->not_yet);
		}
		fix_close(&x);
	}
}

/* The average is within the rule, and the last runs are not: the need has grown. */
static void a_need_that_has_grown(void **state)
{
	struct fix x;
	counted(&x, 20, 24, 0);
	for (size_t i = 16; i < 20; i++)
		x.f.workload.v[i].stats.gpus_needed = 4;
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	/* the same number, long ago */
	for (size_t i = 0; i < 20; i++)
		x.f.workload.v[i].stats.gpus_needed = i < 4 ? 4 : 1;
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 1);
	fix_close(&x);
}

/* Runs that ended three of their gaps ago, and more than a week. */
static void a_habit_that_is_over(void **state)
{
	struct fix x;
	counted(&x, 20, 24, 0);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 1);
	x.f.until_ms += 8 * MS_DAY;
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* A fifth needs all four: it stays, fails first in half of the cases, and is paid for. */
static void a_default_that_some_exceed(void **state)
{
	struct fix x;
	counted(&x, 10, 48, 2);
	x.f.workload.v[0].stats.all_worked_ms = x.f.workload.v[0].start_ms + 15 * MS_MINUTE;
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 1);
	struct rec *r = x.out.v.v[0];
	assert_int_equal(r->tier, TIER_TRIAL);
	assert_true(has_kind(r, ACTION_TRIAL));
	assert_true(submit_of(r)->submit.is_default);
	assert_int_equal(r->replay.requeues, 2);
	for (size_t i = 0; i < r->change.n; i++) {
		const struct rec_change *c = &r->change.v[i];
		bool stays = c->workload < 2;
		assert_int_equal(c->after.gpus_milli, stays ? 4000 : 1000);
		if (!stays)
			continue;
		assert_true(c->after.cost_nano > x.use[c->workload].cost_nano);
		assert_true(c->hi_nano > c->after.cost_nano);
	}
	/* for a quarter of an hour and 20 minutes of boot, on one GPU, in one of two cases */
	assert_near((double)(r->change.v[0].after.cost_nano - x.use[0].cost_nano) / 1e9,
		    3.06 * (0.25 + 1 / 3.0) / 2);
	fix_close(&x);
}

/* Where the host of the smaller machine is not known to do, it is no more than a trial. */
static void its_host_is_not_known(void **state)
{
	struct fix x;
	counted(&x, 10, 48, 0);
	x.f.host.v[4].cpu_milli = 0;
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.v[0]->tier, TIER_TRIAL);
	x.f.host.v[4].cpu_milli = 9000; /* of 8 */
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	x.f.host.v[4].cpu_milli = 4000;
	x.f.host.v[4].ram_mib = 0;
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.v[0]->tier, TIER_TRIAL);
	fix_close(&x);
}

static void counts_that_stay(void **state)
{
	struct fix x;
	counted(&x, 10, 48, 0); /* no machine has two */
	for (size_t i = 0; i < 10; i++)
		x.f.workload.v[i].stats.gpus_needed = 2;
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	for (size_t i = 0; i < 10; i++) {
		x.f.workload.v[i].stats.gpus_needed = 1;
		x.f.workload.v[i].stats.covered_frac = 0.6; /* unknown is not unused */
	}
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	for (size_t i = 0; i < 10; i++)
		x.f.workload.v[i].stats.covered_frac = 1;
	x.f.workload.v[5].elastic = false; /* of one: its cost stays */
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	x.f.workload.v[5].elastic = true;
	for (size_t i = 0; i < 10; i++)
		x.f.node.v[i].to_ms += 6 * MS_HOUR; /* machines that stay on are paid on */
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Names that are alike in an id are other teams all the same: each its own, none gets another's. */
static void names_that_look_alike(void **state)
{
	static const char *const team[] = { "a b", "a,b", "a-b", "!", "?", "A B" };
	const size_t n = sizeof team / sizeof *team;
	struct fix x;
	fix_open(&x, 24 * 60);
	for (size_t i = 0; i < n; i++) {
		size_t first = fix_runs(&x, "sweep", 5, 100, 10);
		for (size_t k = first; k < first + 5; k++) {
			x.f.workload.v[k].team = team[i];
			x.f.workload.v[k].stats.gpus_needed = 1;
			x.f.node.v[k].node = x.f.workload.v[k].node = arena_printf(&x.mem, "n%zu",
										   k);
		}
	}
	fix_done(&x);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(x.out.v.v[i]->change.n, 5);
		assert_string_equal(x.out.v.v[i]->team, team[i]);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(x.out.v.v[i]->id, x.out.v.v[j]->id);
	}
	fix_close(&x);
}

static void follows_the_state(void **state)
{
	struct fix x;
	counted(&x, 10, 48, 0);
	for (size_t i = 0; i < 10; i++)
		x.use[i].cost_nano /= 2; /* half of it went by another lever */
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_near(fix_saving(&x, x.out.v.v[0]), 10 * (122.4 - 3.06 * (10 + 1 / 3.0)) / 2);
	fix_apply(&x, x.out.v.v[0]);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT); /* nothing twice */
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Two machines of 200 hours, each with a job on half of it. */
static void two_halves(struct fix *x, double hours)
{
	fix_open(x, hours);
	size_t a = fix_node(x, "n1", "c", 0, 200), b = fix_node(x, "n2", "c", 0, 200);
	fix_workload(x, WORKLOAD_JOB, "p", a, 2, 0, 200, 1);
	fix_workload(x, WORKLOAD_FREE, "", a, 2, 0, 200, 0);
	fix_workload(x, WORKLOAD_JOB, "q", b, 2, 0, 200, 1);
	fix_workload(x, WORKLOAD_FREE, "", b, 2, 0, 200, 0);
	fix_done(x);
	fix_ask(x, LEVER_RIGHTSIZE_COUNT);
}

static void parts_of_machines(void **state)
{
	struct fix x;
	two_halves(&x, 240);
	assert_int_equal(x.out.v.n, 1);
	struct rec *r = x.out.v.v[0];
	assert_string_equal(r->id, "rightsize_count-c-p3.8xlarge-pack");
	/* one machine, its boot and its release */
	assert_near(fix_saving(&x, r), (400 - 200 - 20.0 / 60) * 12.24);
	fix_apply(&x, r);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
	two_halves(&x, 160); /* less than a week shows no pauses that come again */
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* What two jobs on halves of a machine hold is one machine, also where it goes when they do. */
static void halves_are_one_machine(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	size_t a = fix_node(&x, "n1", "c", 0, 200);
	fix_workload(&x, WORKLOAD_JOB, "p", a, 2, 0, 100, 1);
	fix_workload(&x, WORKLOAD_JOB, "q", a, 2, 50, 150, 1);
	fix_workload(&x, WORKLOAD_JOB, "r", a, 4, 170, 180, 1);
	fix_workload(&x, WORKLOAD_FREE, "", a, 4, 180, 200, 0);
	fix_done(&x);
	x.use[3].cost_nano = 0;
	struct composer cp = { .fleet = &x.f, .conf = &x.conf };
	struct comp c = { .use = x.use };
	struct plan p = { 0 };
	plan_fleet_after(&cp, &c, &p);
	assert_int_equal(p.pool.n, 1);
	assert_int_equal(p.pool.v[0].before, 1);
	assert_int_equal(p.pool.v[0].after, 1);
	vec_free(&p.pool);
	fix_close(&x);
}

/* Packed, a machine is closed for half a day; who comes for it waits as others do who find theirs
 * given back. */
static void packed_and_had_again(void **state)
{
	struct fix x;
	struct rec *r;

	for (int slack = 0; slack < 2; slack++) {
		fix_open(&x, 240);
		size_t a = fix_node(&x, "n1", "c", 0, 240), b = fix_node(&x, "n2", "c", 0, 240);
		for (int d = 0; d < 10; d++) {
			fix_workload(&x, WORKLOAD_JOB, "p", a, 2, 24 * d, 24 * d + 10, 1);
			fix_workload(&x, WORKLOAD_JOB, "q", b, 2, 24 * d, 24 * d + 10, 1);
		}
		fix_workload(&x, WORKLOAD_FREE, "", a, 4, 10, 24, 0);
		fix_workload(&x, WORKLOAD_FREE, "", b, 4, 10, 24, 0);
		for (size_t i = 0; i < x.f.workload.n && slack; i++)
			x.f.workload.v[i].deadline_ms = x.f.workload.v[i].end_ms + 9 * MS_HOUR;
		fix_done(&x);
		fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
		r = fix_rec(&x, "rightsize_count-c-p3.8xlarge-pack");
		assert_non_null(r);
		/* one of the two opens it each morning, but for the first */
		assert_int_equal(r->wait.n, 9);
		assert_int_equal(r->wait.v[0].ms, 8 * MS_HOUR);
		assert_int_equal(r->replay.deadline_misses, slack ? 0 : 9);
		assert_int_equal(r->risk, slack ? RISK_MEDIUM : RISK_HIGH);
		fix_close(&x);
	}
}

/*
 * Two jobs on halves of two machines and one on a third, each day: with the GPUs that they hold two
 * machines carry them all, with the one that each of them needs a single one does. Nothing is
 * booted, nobody waits. Not where a machine came later, its time is not known (1.6 % of that of one
 * machine), a job of the cluster names no machine, a timetable switches one off, or the cores do
 * not suffice. Jobs of several queues are told as a risk; what runs at the end is waited for.
 */
static void fewer_that_stay_on(void **state)
{
	enum {
		PLAIN,
		NEEDS_ALL,
		COMES_LATER,
		UNKNOWN_TIME,
		NO_MACHINE,
		TIMETABLE,
		CORES,
		RUNS_ON,
		KINDS
	};

	for (int kind = PLAIN; kind < KINDS; kind++) {
		struct fix x;
		size_t n[3];
		fix_open(&x, 16 * 24);
		for (int i = 0; i < 3; i++)
			n[i] = fix_node(&x, (const char *[]){ "n1", "n2", "n3" }[i], "c",
					i == 2 && kind == COMES_LATER ? 100 : 0, 16 * 24);
		for (int d = 0; d < 16; d++)
			for (int i = 0; i < 3; i++) {
				struct workload *w = fix_workload(
					&x, WORKLOAD_JOB,
					arena_printf(&x.mem, "%s-%d",
						     (const char *[]){ "p", "q", "r" }[i], d),
					n[i], i == 2 ? 1 : 2, 24 * d + (i == 2 ? 9 : 1),
					24 * d + 20, 1);
				if (kind != NEEDS_ALL)
					w->stats.gpus_needed = 1;
				w->queue = i == 2 ? "short" : "long";
				*vec_push(&x.f.host) = (struct fleet_host){
					.workload = x.f.workload.n - 1,
					.node = w->node,
					.cpu_milli = kind == CORES ? 16000 : 4000,
				};
			}
		for (int i = 0; i < 3; i++)
			fix_workload(&x, WORKLOAD_FREE, "", n[i], 4, 0, 16 * 24, 0);
		if (kind == UNKNOWN_TIME)
			fix_workload(&x, WORKLOAD_UNKNOWN, "", n[1], 4, 20, 26, 0);
		if (kind == RUNS_ON) {
			struct workload *w = fix_workload(&x, WORKLOAD_JOB, "t", n[2], 1, 380,
							  16 * 24, 1);
			w->end_state = "RUNNING";
			w->limit_ms = 4 * MS_HOUR + 20 * MS_DAY;
			w->queue = "short";
			*vec_push(&x.f.host) = (struct fleet_host){ .workload = x.f.workload.n - 1,
								    .node = w->node,
								    .cpu_milli = 4000 };
		}
		if (kind == NO_MACHINE)
			fix_workload(&x, WORKLOAD_JOB, "s", SIZE_MAX, 4, 30, 40, 1)->cluster =
				x.f.node.v[0].cluster;
		fix_done(&x);
		if (kind == TIMETABLE)
			x.use[0].off_frac = 0.5;
		fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
		const struct rec *held = fix_rec(&x, "rightsize_count-c-p3.8xlarge-stay"),
				 *less = fix_rec(&x, "rightsize_count-c-p3.8xlarge-stay-less");
		bool never = kind >= COMES_LATER && kind < CORES;
		assert_int_equal(!held, never);
		assert_int_equal(!less, kind != PLAIN && kind != RUNS_ON);
		if (less) {
			double machines = 0, kept = 0;
			for (size_t i = 0; i < x.f.workload.n; i++) {
				const struct workload *w = &x.f.workload.v[i];
				machines += (double)w->cost_nano / 1e9;
				kept += w->node_index == n[0] ? (double)w->cost_nano / 1e9 : 0;
			}
			assert_near(fix_saving(&x, less), machines - kept);
			assert_int_equal(less->wait.n, 0);
			assert_int_equal(less->replay.deadline_misses, 0);
			assert_int_equal(less->tier, TIER_TRIAL);
			assert_true(less->packs);
			assert_int_equal(less->risk_text.n, 3);
			assert_near(less->within_days, kind == RUNS_ON ? 27 : 10);
			assert_has(less->title, "2 kinds of jobs with the GPUs they use");
			assert_int_equal(less->action.v[0].kind, ACTION_SUBMIT);
			assert_int_equal(less->action.v[0].submit.now.gpus, 1);
			const struct action *last = &less->action.v[less->action.n - 1];
			assert_int_equal(last->kind, ACTION_STOP);
			assert_string_equal(last->machine.node.z, "n3");
		}
		fix_close(&x);
	}
}

static void machines_that_are_full_or_serve(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	size_t a = fix_node(&x, "n1", "c", 0, 200), b = fix_node(&x, "n2", "c", 0, 200);
	fix_workload(&x, WORKLOAD_JOB, "p", a, 3, 0, 200, 1); /* 3 and 3 do not fit */
	fix_workload(&x, WORKLOAD_FREE, "", a, 1, 0, 200, 0);
	fix_workload(&x, WORKLOAD_JOB, "q", b, 3, 0, 200, 1);
	fix_workload(&x, WORKLOAD_FREE, "", b, 1, 0, 200, 0);
	fix_done(&x);
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	/* works on one of three: it holds three all the same, and no line makes it ask for fewer */
	for (size_t i = 0; i < 4; i += 2) {
		x.f.workload.v[i].stats.gpus_used = 1;
		x.f.workload.v[i].stats.covered_frac = 1;
		x.f.workload.v[i].stats.spare_active_frac = 0;
	}
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_null(fix_rec(&x, "rightsize_count-c-p3.8xlarge-pack"));
	x.f.workload.v[0].gpus_milli = x.use[0].gpus_milli = 1000;
	x.f.workload.v[0].kind = WORKLOAD_SERVICE; /* its replicas are not moved here */
	fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* ---- input_bound, storage, advice -------------------------------------------------------- */

static struct workload *hungry(struct fix *x, uint32_t *hist)
{
	struct workload *w = fix_workload(x, WORKLOAD_JOB, "j1", fix_node(x, "n1", "c", 0, 240), 4,
					  0, 100, 0.6);

	hist[0] = 400;
	hist[40] = 600;
	w->stats.util_hist = hist;
	return w;
}

static void input_bound(void **state)
{
	uint32_t hist[101] = { 0 };
	struct fix x;
	fix_open(&x, 240);
	struct workload *w = hungry(&x, hist);
	w->stats.cpu_mean_pct = 97;
	fix_done(&x);
	fix_ask(&x, LEVER_INPUT_BOUND);
	struct rec *r = x.out.v.v[0];
	assert_true(r->advice); /* no action is sure to bring it: outside of the sums */
	assert_has(r->title, "waiting for input");
	assert_near(fix_saving(&x, r), 100 * 12.24 * 0.4 * 0.5);
	assert_true(r->change.v[0].lo_nano < r->change.v[0].after.cost_nano &&
		    r->change.v[0].hi_nano > r->change.v[0].after.cost_nano);
	assert_true(r->risk >= RISK_MEDIUM);
	x.f.workload.v[0].stats.cpu_mean_pct = NAN; /* why it waits is not known: measure first */
	fix_ask(&x, LEVER_INPUT_BOUND);
	assert_true(x.out.v.v[0]->advice);
	hist[0] = 200; /* not starved */
	hist[40] = 800;
	fix_ask(&x, LEVER_INPUT_BOUND);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

static void storage(void **state)
{
	struct fix x;
	fix_open(&x, 24 * 40);
	fix_workload(&x, WORKLOAD_JOB, "j1", fix_node(&x, "train-1", "train", 0, 240), 4, 0, 240,
		     1);
	x.f.workload.v[0].team = "nlp";
	fix_workload(&x, WORKLOAD_FREE, "", fix_node(&x, "legacy-1", "legacy", 0, 960), 4, 0, 960,
		     0);
	static const char *const name[] = { "legacy-scratch", "train-data", "",
					    "checkpoints",    "legacyfoo",  "legacy-new",
					    "legacy-gone" };
	for (size_t i = 0; i < COUNT(name); i++) {
		struct workload *w = vec_push(&x.f.workload);
		*w = x.f.workload.v[0];
		w->kind = WORKLOAD_LINE;
		w->line_kind = KIND_STORAGE;
		w->node = w->cluster = w->job = w->team = w->user = "";
		w->name = name[i];
		w->resource = "vol-0a";
		w->node_index = SIZE_MAX;
		w->nhour = 0;
		w->start_ms = AT(i == 5 ? 24 * 20 : 0);
		w->end_ms = AT(i == 6 ? 24 * 30 : 24 * 40);
		w->cost_nano = 100 * NANO;
	}
	fix_done(&x);
	fix_ask(&x, LEVER_STORAGE);
	struct rec *r = fix_rec(&x, "storage-legacy-scratch");
	assert_near(fix_saving(&x, r), 84.38);
	assert_near((double)r->change.v[0].hi_nano / 1e9, 62.5);
	assert_int_equal(r->tier, TIER_TRIAL);
	assert_has(r->evidence.v[0].value, "40");
	assert_true(fix_rec(&x, "storage-expire-checkpoints")->advice);
	/* used ten days long, unused for thirty since */
	assert_non_null(fix_rec(&x, "storage-train-data"));
	/* of twenty days that it was paid; and no longer paid at all */
	assert_null(fix_rec(&x, "storage-legacy-new"));
	assert_null(fix_rec(&x, "storage-legacy-gone"));
	assert_int_equal(x.out.v.n, 3);
	/* what it takes is said */
	bool told = false;
	for (size_t i = 0; i < x.note.n; i++)
		told |= strstr(x.note.v[i], "20 days of history show no use, 30 are asked for") !=
			NULL;
	assert_true(told);
	x.f.workload.v[0].end_ms = AT(24 * 11); /* read a day later */
	fix_ask(&x, LEVER_STORAGE);
	assert_null(fix_rec(&x, "storage-train-data"));
	x.conf.gates.storage_days = 41;
	fix_ask(&x, LEVER_STORAGE);
	assert_null(fix_rec(&x, "storage-legacy-scratch"));
	fix_close(&x);
}

/* A team is evidence where its GPU work has ended, however its tag is written; and only for what
 * the bill names. */
static void storage_of_teams(void **state)
{
	static const struct {
		const char *team, *resource;
	} of[] = {
		{ "NLP", "vol-1" },        /* still at work, as nlp */
		{ "web", "vol-2" },        /* no GPU in all the history */
		{ "Old Vision", "vol-3" }, /* its work has ended, as old-vision */
		{ "old-vision", "" },
	};
	struct fix x;

	fix_open(&x, 24 * 40);
	fix_workload(&x, WORKLOAD_JOB, "j1", fix_node(&x, "train-1", "train", 0, 960), 4, 0, 960,
		     1);
	x.f.workload.v[0].team = "nlp";
	fix_workload(&x, WORKLOAD_JOB, "j2", fix_node(&x, "train-2", "train", 0, 24), 4, 0, 24, 1);
	x.f.workload.v[1].team = "old-vision";
	for (size_t i = 0; i < COUNT(of); i++) {
		struct workload *w = vec_push(&x.f.workload);
		*w = x.f.workload.v[0];
		w->kind = WORKLOAD_LINE;
		w->line_kind = KIND_STORAGE;
		w->node = w->cluster = w->job = w->name = w->user = "";
		w->team = of[i].team;
		w->resource = of[i].resource;
		w->node_index = SIZE_MAX;
		w->nhour = 0;
		w->start_ms = AT(0);
		w->end_ms = AT(24 * 40);
		w->cost_nano = 100 * NANO;
	}
	fix_done(&x);
	fix_ask(&x, LEVER_STORAGE);
	assert_int_equal(x.out.v.n, 1);
	assert_string_equal(x.out.v.v[0]->team, "Old Vision");
	assert_has(x.out.v.v[0]->title, "'vol-3'");
	fix_close(&x);
}

/* Nothing is deleted before its snapshot is whole. */
static void storage_is_kept(void **state)
{
	struct action_text t;
	const struct action a = { .kind = ACTION_ARCHIVE,
				  .archive = {
					  .provider = raw_name("aws"),
					  .region = raw_name("us-east-1"),
					  .name = raw_name("old"),
					  .resource = raw_name("arn:aws:ec2:r:1:volume/vol-0a"),
					  .kept_days = 30 } };
	size_t made = 0, whole = 0, gone = 0, kept = 0;

	action_text_make(&a, 1, &t);
	for (size_t i = 0; i < t.apply.n; i++) {
		made = strstr(t.apply.v[i], "create-snapshot") ? i : made;
		whole = strstr(t.apply.v[i], "wait snapshot-completed") ? i : whole;
		gone = strstr(t.apply.v[i], "delete-volume") ? i : gone;
		kept = strstr(t.apply.v[i], "kept for 30 days") ? i : kept;
	}
	assert_true(made && made < whole && whole <= gone && kept);
	assert_true(strstr(t.apply.v[gone], "snapshot-completed") <
		    strstr(t.apply.v[gone], "delete-volume"));
	action_text_free(&t);
}

static void techniques(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	fix_workload(&x, WORKLOAD_JOB, "j1", fix_node(&x, "n1", "c", 0, 240), 4, 0, 100, 1);
	fix_done(&x);
	fix_ask(&x, LEVER_ADVICE);
	/* early stopping, mixed precision, transfer; no sweep, no service */
	assert_int_equal(x.out.v.n, 3);
	for (size_t i = 0; i < x.out.v.n; i++) {
		const struct rec *r = x.out.v.v[i];
		assert_true(r->advice && r->quality_risk && !r->change.n &&
			    r->p05_nano < r->p95_nano);
		assert_has(line_of(&x.mem, r, false, 0), "measure first");
	}
	fix_close(&x);
}

/* ---- people decide ----------------------------------------------------------------------- */

static void frozen_teams(void **state)
{
	struct fix x;
	booked(&x, 20, 48, 8, 24);
	for (size_t i = 0; i < 20; i++)
		x.f.workload.v[i].stats.gpus_needed = 1;
	for (int k = 0; k < 2; k++) {
		fix_ask(&x, LEVER_TRIM_TIME);
		assert_int_equal(x.out.v.n, !k);
		fix_ask(&x, LEVER_RIGHTSIZE_COUNT);
		assert_int_equal(x.out.v.n, !k);
		if (!k)
			*vec_push(&x.conf.frozen_team) = "vision";
	}
	fix_close(&x);
}

static void nothing_at_all(void **state)
{
	static const enum lever_id all[] = { LEVER_STOP_IDLE,       LEVER_STORAGE,
					     LEVER_TRIM_TIME,       LEVER_INPUT_BOUND,
					     LEVER_RIGHTSIZE_COUNT, LEVER_ADVICE };
	struct fix x;
	fix_open(&x, 24);
	fix_done(&x);
	for (size_t i = 0; i < COUNT(all); i++) {
		fix_ask(&x, all[i]);
		assert_int_equal(x.out.v.n, 0);
	}
	fix_close(&x);
	/* one day on which nothing was read */
	fix_open(&x, 24);
	size_t n = fix_node(&x, "n1", "c", 0, 24);
	struct workload *w = fix_workload(&x, WORKLOAD_JOB, "j", n, 4, 0, 24, 0);
	w->stats = (struct workload_stats){ .idle_frac = NAN,
					    .util_mean_pct = NAN,
					    .active_util_mean_pct = NAN,
					    .spare_active_frac = NAN,
					    .cpu_mean_pct = NAN,
					    .mem_p99_bytes = NAN,
					    .first_busy_ms = UNKNOWN_MS,
					    .last_busy_ms = UNKNOWN_MS };
	fix_done(&x);
	for (size_t i = 0; i < COUNT(all) - 1; i++) {
		fix_ask(&x, all[i]);
		assert_int_equal(x.out.v.n, 0);
	}
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(overbooked),
		cmocka_unit_test(as_many_runs_as_asked_for),
		cmocka_unit_test(runs_that_failed),
		cmocka_unit_test(a_machine_that_stays_saves_nothing),
		cmocka_unit_test(no_shorter_limit),
		cmocka_unit_test(the_longest_of_all_counts),
		cmocka_unit_test(a_limit_for_what_is_slower_now),
		cmocka_unit_test(as_many_runs_for_a_count),
		cmocka_unit_test(a_default_that_some_exceed),
		cmocka_unit_test(a_need_that_has_grown),
		cmocka_unit_test(a_habit_that_is_over),
		cmocka_unit_test(its_host_is_not_known),
		cmocka_unit_test(counts_that_stay),
		cmocka_unit_test(one_of_four),
		cmocka_unit_test(names_that_look_alike),
		cmocka_unit_test(follows_the_state),
		cmocka_unit_test(parts_of_machines),
		cmocka_unit_test(packed_and_had_again),
		cmocka_unit_test(fewer_that_stay_on),
		cmocka_unit_test(halves_are_one_machine),
		cmocka_unit_test(machines_that_are_full_or_serve),
		cmocka_unit_test(input_bound),
		cmocka_unit_test(storage),
		cmocka_unit_test(storage_of_teams),
		cmocka_unit_test(storage_is_kept),
		cmocka_unit_test(techniques),
		cmocka_unit_test(frozen_teams),
		cmocka_unit_test(nothing_at_all),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
