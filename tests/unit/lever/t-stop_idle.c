/* Machines and works that do nothing: what is stopped, tried, or only told, and what must be left
 * alone. */
#include "../plan/fleet_fix.h"

#define DAYS(d) ((d)*24.0)

static const char *name(struct fix *x, const char *of, int i)
{
	return arena_printf(&x->mem, "%s%d", of, i);
}

static bool is_noted(const struct fix *x, const char *part)
{
	for (size_t i = 0; i < x->note.n; i++)
		if (strstr(x->note.v[i], part))
			return true;
	return false;
}

/* A fleet of so many days with a job somewhere, and a machine that nobody has held for the last
 * `unheld` of them. */
static void open_with_free(struct fix *x, double days, double unheld)
{
	fix_open(x, DAYS(days));
	fix_workload(x, WORKLOAD_JOB, "j1", fix_node(x, "n1", "c", 0, DAYS(days)), 4, 0, DAYS(days),
		     1);
	size_t old = fix_node(x, "old1", "old", 0, DAYS(days));
	if (unheld < days)
		fix_workload(x, WORKLOAD_JOB, "last", old, 4, 0, DAYS(days - unheld), 1);
	fix_workload(x, WORKLOAD_FREE, "", old, 4, DAYS(days - unheld), DAYS(days), 0);
	fix_done(x);
	fix_ask(x, LEVER_STOP_IDLE);
}

static void by_days(void **state)
{
	static const struct {
		double days, unheld;
		const char *id;
		enum tier tier;
	} is[] = {
		{ 30, 30, "stop_idle-old", TIER_SURE },
		{ 30, 14, "stop_idle-old", TIER_SURE },
		{ 30, 13.9, "stop_idle-old-trial", TIER_TRIAL },
		{ 30, 7, "stop_idle-old-trial", TIER_TRIAL },
		{ 10, 10, "stop_idle-old-trial", TIER_TRIAL }, /* no longer than the history */
		{ 30, 6.9, "stop_idle-old-between-jobs", TIER_TRIAL },
	};
	for (size_t i = 0; i < COUNT(is); i++) {
		struct fix x;
		open_with_free(&x, is[i].days, is[i].unheld);
		struct rec *r = fix_rec(&x, is[i].id);
		assert_non_null(r);
		assert_int_equal(x.out.v.n, 1);
		assert_int_equal(r->tier, is[i].tier);
		assert_int_equal(r->risk, is[i].tier == TIER_SURE ? RISK_LOW : RISK_MEDIUM);
		fix_close(&x);
	}
	/* two days, and nobody ever held it: nothing is proposed, and what it takes is said */
	struct fix x;
	open_with_free(&x, 2, 2);
	assert_int_equal(x.out.v.n, 0);
	assert_true(is_noted(&x, "held by nobody for 2.0 days: from 7 days on"));
	x.conf.gates.stop_ready_days = 2; /* the numbers are settings */
	x.conf.gates.stop_trial_days = 1;
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(fix_rec(&x, "stop_idle-old")->tier, TIER_SURE);
	fix_close(&x);
}

static void its_owner_is_told(void **state)
{
	struct fix x;
	open_with_free(&x, 30, 20);
	struct rec *r = fix_rec(&x, "stop_idle-old");
	assert_near(fix_saving(&x, r), 20 * 24 * 12.24);
	assert_int_equal(r->change.v[0].after.end_ms, r->change.v[0].after.start_ms);
	assert_has(r->title, "20 days");
	assert_string_equal(r->team, "vision"); /* who held it last */
	assert_true(r->within_days >= 3);
	assert_has(line_of(&x.mem, r, false, 0), "# tell vision, 3 days before: old1");
	assert_has(line_of(&x.mem, r, false, 1), "old1");
	/* Ready is no gamble; what is tried may be kept by its owner */
	assert_true(r->change.v[0].hi_nano == INT64_MIN ||
		    r->change.v[0].hi_nano == r->change.v[0].after.cost_nano);
	fix_close(&x);
	open_with_free(&x, 30, 8);
	r = x.out.v.v[0];
	assert_int_equal(r->change.v[0].hi_nano, x.use[r->change.v[0].workload].cost_nano);
	assert_has(r->risk_text.v[0], "its owner is told 3 days before");
	fix_close(&x);
}

/* Used every ten days, free for eight when the list was taken: no longer than it always is. */
static void usual_pauses(void **state)
{
	struct fix x;
	fix_open(&x, DAYS(28));
	size_t n = fix_node(&x, "rel1", "rel", 0, DAYS(28));
	fix_workload(&x, WORKLOAD_JOB, "r1", n, 4, DAYS(9.5), DAYS(10), 1);
	fix_workload(&x, WORKLOAD_JOB, "r2", n, 4, DAYS(19.5), DAYS(20), 1);
	fix_workload(&x, WORKLOAD_FREE, "", n, 4, 0, DAYS(9.5), 0);
	fix_done(&x);
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_null(fix_rec(&x, "stop_idle-rel"));
	assert_null(fix_rec(&x, "stop_idle-rel-trial"));
	/* fifteen days after pauses of eleven: to be asked, not ready */
	x.f.workload.v[1].end_ms = x.use[1].end_ms = AT(DAYS(13));
	x.f.workload.v[1].start_ms = x.use[1].start_ms = AT(DAYS(12));
	x.f.workload.v[0].start_ms = x.use[0].start_ms = AT(DAYS(11));
	x.f.workload.v[0].end_ms = x.use[0].end_ms = AT(DAYS(11.5));
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(fix_rec(&x, "stop_idle-rel-trial")->tier, TIER_TRIAL);
	fix_close(&x);
}

/* Records that split a machine's time at the change of a price are one interval. */
static void records_in_a_row(void **state)
{
	struct fix x;
	fix_open(&x, DAYS(28));
	size_t n = fix_node(&x, "old1", "old", 0, DAYS(20));
	struct workload *w = fix_workload(&x, WORKLOAD_FREE, "", n, 4, 0, DAYS(28), 0);
	fix_node(&x, "old1", "old", DAYS(20), DAYS(28));
	x.f.node.v[1].node = x.f.node.v[0].node;
	w->end_ms = AT(DAYS(28));
	fix_workload(&x, WORKLOAD_JOB, "j", fix_node(&x, "n1", "c", 0, 24), 4, 0, 24, 1);
	fix_done(&x);
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_has(fix_rec(&x, "stop_idle-old")->title, "28 days");
	fix_close(&x);
}

/* Of a tenth of its free time nobody knows; then of all of it. */
static void not_watched(void **state)
{
	struct fix x;
	fix_open(&x, DAYS(30));
	fix_workload(&x, WORKLOAD_JOB, "j1", fix_node(&x, "n1", "c", 0, DAYS(30)), 4, 0, DAYS(30),
		     1);
	size_t n = fix_node(&x, "old1", "old", 0, DAYS(30));
	fix_workload(&x, WORKLOAD_FREE, "", n, 4, 0, DAYS(27), 0)->end_ms = AT(DAYS(30));
	struct workload *w = fix_workload(&x, WORKLOAD_UNKNOWN, "", n, 4, DAYS(27), DAYS(30), 0);
	w->team = w->user = "";
	fix_done(&x);
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(x.out.v.n, 0);
	assert_true(is_noted(&x, "watched in 90 % of them only (99 % are asked for)"));
	fix_close(&x);

	for (int read = 0; read < 2;
	     read++) { /* what readings tell of was watched, if by no job list */
		fix_open(&x, DAYS(30));
		fix_workload(&x, WORKLOAD_JOB, "j1", fix_node(&x, "n1", "c", 0, DAYS(30)), 4, 0,
			     DAYS(30), 1);
		w = fix_workload(&x, WORKLOAD_UNKNOWN, "",
				 fix_node(&x, "dark1", "dark", 0, DAYS(30)), 4, 0, DAYS(30), 0);
		w->stats.covered_frac = read;
		fix_done(&x);
		fix_ask(&x, LEVER_STOP_IDLE);
		assert_int_equal(x.out.v.n, 0);
		assert_true(is_noted(&x, "'dark' (1 machine"));
		assert_int_equal(is_noted(&x, "watched by nobody"), !read);
		assert_int_equal(is_noted(&x, "was read, but no job list covers it"), read);
		fix_close(&x);
	}
}

static void gpus_that_work(void **state)
{
	struct fix x;
	open_with_free(&x, 30, 30);
	struct workload_stats *t = &x.f.workload.v[1].stats;
	t->covered_frac = t->idle_frac = 1;
	t->mem_peak_bytes = 3e6;
	t->last_active_ms = UNKNOWN_MS;
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(fix_rec(&x, "stop_idle-old")->tier, TIER_SURE);
	t->mem_peak_bytes = 9e9; /* a server of which no list tells lies there */
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_has(fix_rec(&x, "stop_idle-old-trial")->risk_text.v[0], "ask who that is");
	t->mem_peak_bytes = 3e6;
	t->last_active_ms = AT(DAYS(28)); /* its CPUs worked two days ago */
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(fix_rec(&x, "stop_idle-old-trial")->tier, TIER_TRIAL);
	t->idle_frac = 0.5;
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(x.out.v.n, 0);
	assert_true(is_noted(&x, "its GPUs work"));
	fix_close(&x);
	/* no job list, no telemetry: not known to be idle */
	fix_open(&x, DAYS(30));
	fix_workload(&x, WORKLOAD_FREE, "", fix_node(&x, "n1", "c", 0, DAYS(30)), 4, 0, DAYS(30),
		     0);
	fix_done(&x);
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(x.out.v.n, 0);
	assert_int_equal(x.note.n, 1);
	fix_close(&x);
}

/* Paid until its term ends: no cash is saved, and what is free is told with what it is good for. */
static void paid_anyway(void **state)
{
	struct fix x;
	fix_open(&x, DAYS(30));
	struct workload *w = fix_workload(&x, WORKLOAD_JOB, "j1",
					  fix_node(&x, "n1", "c", 0, DAYS(30)), 4, 0, 100, 1);
	w->submit_ms = w->start_ms;
	w = fix_workload(&x, WORKLOAD_JOB, "j2", 0, 4, 110, 200, 1);
	w->submit_ms = AT(100); /* waits ten hours for a machine that it need not wait for */
	w = fix_workload(&x, WORKLOAD_FREE, "", fix_node(&x, "res1", "res", 0, DAYS(30)), 4, 0,
			 DAYS(30), 0);
	w->elastic = x.f.node.v[1].elastic = false;
	w->purchase = x.f.node.v[1].purchase = "reserved_1y";
	fix_done(&x);
	fix_ask(&x, LEVER_STOP_IDLE);
	for (size_t i = 0; i < x.out.v.n; i++)
		for (size_t k = 0; k < x.out.v.v[i]->change.n; k++)
			assert_true(x.out.v.v[i]->change.v[k].workload != 2);
	struct rec *r = NULL;
	for (size_t i = 0; i < x.out.v.n; i++)
		r = x.out.v.v[i]->advice ? x.out.v.v[i] : r;
	assert_non_null(r);
	assert_int_equal(r->change.n, 0);
	/* both would have run there: nothing while their machine stays on, all that they were
	 * rented for, less a quarter of an hour, where it is given back */
	assert_int_equal(r->p05_nano, 0);
	assert_near((double)r->p95_nano / 1e9, 760 * 3.06 * (1 - 0.25 / 720));
	assert_has(r->title, "res: 2 jobs rented V100-SXM2-16GB by the hour");
	assert_string_equal(r->evidence.v[3].value, "2 of 2");
	assert_string_equal(r->evidence.v[0].value, "2880");
	assert_string_equal(r->evidence.v[1].value, "760"); /* 190 h of four rented GPUs */
	assert_string_equal(r->evidence.v[2].value, "10.0");
	assert_has(line_of(&x.mem, r, false, 0), "res1 is paid for and free");
	/* a job of two machines does not go in parts; an hour that is taken is no room */
	*vec_push(&x.f.job) = (struct fleet_job){ .workloads = 2 };
	x.f.workload.v[0].job_index = 0;
	w = &x.f.workload.v[2];
	x.f.hour.v[w->hour0 + 150].ms /= 2;
	fix_ask(&x, LEVER_STOP_IDLE);
	for (size_t i = 0; i < x.out.v.n; i++)
		r = x.out.v.v[i]->advice ? x.out.v.v[i] : r;
	assert_has(r->title, "GPU-hours are free on 1 machine");
	assert_int_equal(r->p95_nano, 0);
	fix_close(&x);
}

/* ---- between jobs ------------------------------------------------------------------------ */

/* A machine that stays on for two jobs a day, ten hours free between them. */
static void twice_a_day_in(struct fix *x, int days, const char *cluster)
{
	fix_open(x, DAYS(days));
	size_t n = fix_node(x, "n1", cluster, 0, DAYS(days));
	for (int d = 0; d < days; d++) {
		fix_workload(x, WORKLOAD_JOB, name(x, "a", d), n, 4, d * 24, d * 24 + 7, 1);
		fix_workload(x, WORKLOAD_JOB, name(x, "b", d), n, 4, d * 24 + 17, d * 24 + 24, 1);
	}
	struct workload *w = fix_workload(x, WORKLOAD_FREE, "", n, 4, 0, 1, 0);
	w->cost_nano = w->ms = 0;
	w->nhour = 0;
	w->hour0 = x->f.hour.n;
	for (int h = 0; h < days * 24; h++)
		if (h % 24 >= 7 && h % 24 < 17) {
			*vec_push(&x->f.hour) = (struct workload_hour){ .hour_ms = AT(h),
									.ms = 4 * MS_HOUR,
									.nano = 12240000000 };
			w->nhour++;
			w->ms += 4 * MS_HOUR;
			w->cost_nano += 12240000000;
		}
	w->end_ms = AT(DAYS(days));
}

static void twice_a_day(struct fix *x, int days)
{
	twice_a_day_in(x, days, "c");
}

static void between_jobs(void **state)
{
	struct fix x;
	twice_a_day(&x, 14);
	fix_done(&x);
	fix_ask(&x, LEVER_STOP_IDLE);
	struct rec *r = fix_rec(&x, "stop_idle-c-between-jobs");
	assert_non_null(r);
	/* less a quarter of an hour of waiting and five minutes of boot */
	assert_near(fix_saving(&x, r), 14 * (10 - 20.0 / 60) * 12.24);
	assert_true(r->change.v[0].after.released);
	/* nobody knows whether it comes again: eight hours later all but the first are late */
	assert_int_equal(r->tier, TIER_TRIAL);
	assert_int_equal(r->replay.jobs, 27);
	assert_int_equal(r->replay.deadline_misses, 27);
	assert_int_equal(r->risk, RISK_HIGH);
	assert_has(r->risk_text.v[0], "The provider may have no machine");
	assert_true(says(r, "SuspendTime=900"));
	fix_apply(&x, r); /* done once, it is not proposed again */
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Google's N1 at 30 % below list: the hours that are left cost 0.851 of list, not 0.7. */
static void between_jobs_sustained(void **state)
{
	struct fix x;
	twice_a_day(&x, 14);
	struct workload *w = &x.f.workload.v[x.f.workload.n - 1];
	double left = 24 - (10 - 20.0 / 60), u = left / 24,
	       price = (0.25 + 0.25 * 0.8 + (u - 0.5) * 0.6) / u;
	w->provider = "gcp";
	w->instance_type = "n1-standard-8";
	w->paid_nano = w->cost_nano;
	w->list_nano = (int64_t)((double)w->cost_nano / 0.7);
	fix_done(&x);
	fix_ask(&x, LEVER_STOP_IDLE);
	struct rec *r = fix_rec(&x, "stop_idle-c-between-jobs");
	assert_non_null(r);
	assert_true(fabs((double)r->fee_nano / 1e9 - 14 * left * 12.24 * (price / 0.7 - 1)) < 0.01);
	fix_close(&x);
}

/* An id ends in a hash where the name has what an id has not: it is given back all the same, not
 * stopped under those who come daily. */
static void of_any_name(void **state)
{
	static const char *const cluster[] = { "gke/prod", "c \"x\" #1",
					       "arn:aws:eks:1:cluster/c" };

	for (size_t i = 0; i < COUNT(cluster); i++) {
		struct fix x;
		twice_a_day_in(&x, 14, cluster[i]);
		fix_done(&x);
		fix_ask(&x, LEVER_STOP_IDLE);
		assert_int_equal(x.out.v.n, 1);
		const struct rec *r = x.out.v.v[0];
		assert_int_equal(r->tier, TIER_TRIAL);
		assert_int_equal(r->action.n, 1);
		assert_int_equal(r->action.v[0].kind, ACTION_RELEASE);
		fix_close(&x);
	}
}

static void that_come_again(void **state)
{
	struct fix x;
	twice_a_day(&x, 14);
	for (int i = 0; i < 20; i++) {
		size_t n = fix_node(&x, name(&x, "e", i), "elsewhere", 12 * i + 2, 12 * i + 6);
		fix_workload(&x, WORKLOAD_JOB, name(&x, "c", i), n, 4, 12 * i + 2.25, 12 * i + 6, 1)
			->submit_ms = AT(12 * i + 2);
	}
	fix_done(&x);
	fix_ask(&x, LEVER_STOP_IDLE);
	struct rec *r = fix_rec(&x, "stop_idle-c-between-jobs");
	assert_int_equal(r->tier, TIER_SURE);
	assert_int_equal(r->risk, RISK_LOW);
	x.conf.boot_minutes = 20; /* who waits longer than that is kept waiting */
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(fix_rec(&x, "stop_idle-c-between-jobs")->tier, TIER_TRIAL);
	x.conf.boot_minutes = 5;
	int64_t before = x.f.workload.v[1].deadline_ms;
	x.f.workload.v[1].deadline_ms = x.f.workload.v[1].end_ms + 60000; /* no room for a boot */
	fix_ask(&x, LEVER_STOP_IDLE);
	r = fix_rec(&x, "stop_idle-c-between-jobs");
	assert_int_equal(r->replay.deadline_misses, 1);
	assert_int_equal(r->tier, TIER_TRIAL);
	assert_true(r->risk >= RISK_MEDIUM);
	x.f.workload.v[1].deadline_ms = before;
	/* who finds it running has no need of room; who comes behind one that waited has */
	before = x.f.workload.v[2].deadline_ms;
	x.f.workload.v[0].deadline_ms = x.f.workload.v[0].end_ms + 60000;
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(fix_rec(&x, "stop_idle-c-between-jobs")->tier, TIER_SURE);
	x.f.workload.v[2].deadline_ms = x.f.workload.v[2].end_ms + 60000;
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(fix_rec(&x, "stop_idle-c-between-jobs")->tier, TIER_TRIAL);
	x.f.workload.v[2].deadline_ms = before;
	/* a limit that runs from the submission on */
	x.use[3].limit_ms = x.use[3].end_ms - x.use[3].start_ms + 60000;
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(fix_rec(&x, "stop_idle-c-between-jobs")->tier, TIER_TRIAL);
	fix_close(&x);
}

/* Fewer starts than Ready asks for tell how long one waits, a trial that they come, and where
 * nothing is known there may be time enough. */
static void that_may_come_again(void **state)
{
	static const char *const tried[] = { "stop_idle-c-between-jobs" };
	struct fix x;
	struct rec *r;

	twice_a_day(&x, 14);
	for (int i = 0; i < 5; i++) {
		size_t n = fix_node(&x, name(&x, "e", i), "elsewhere", 12 * i + 2, 12 * i + 6);
		fix_workload(&x, WORKLOAD_JOB, name(&x, "c", i), n, 4, 12 * i + 2.25, 12 * i + 6, 1)
			->submit_ms = AT(12 * i + 2 - 0.75 * (i == 3)); /* an hour, once */
	}
	fix_done(&x);
	fix_ask(&x, LEVER_STOP_IDLE);
	r = fix_rec(&x, tried[0]);
	assert_int_equal(r->wait.v[0].ms, MS_HOUR);
	/* each hour is within the deadlines, and after ten hours it is free again */
	assert_int_equal(r->replay.deadline_misses, 0);
	assert_int_equal(r->tier, TIER_TRIAL);
	assert_int_equal(r->risk, RISK_MEDIUM);
	x.conf.gates.capacity_trial_starts = 6; /* then it is assumed */
	fix_ask(&x, LEVER_STOP_IDLE);
	r = fix_rec(&x, tried[0]);
	assert_int_equal(r->wait.v[0].ms, 8 * MS_HOUR);
	assert_int_equal(r->risk, RISK_HIGH);
	assert_has(r->risk_text.v[r->risk_text.n - 2], "27 of 27 end after their deadline");
	for (size_t i = 0; i < x.f.workload.n; i++) /* time to spare */
		x.f.workload.v[i].deadline_ms = x.f.workload.v[i].end_ms + 9 * MS_HOUR;
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(fix_rec(&x, tried[0])->risk, RISK_MEDIUM);
	for (size_t i = 0; i < x.f.workload.n; i++)
		x.f.workload.v[i].deadline_ms = x.f.workload.v[i].end_ms + MS_HOUR;
	x.conf.tried = tried;
	x.conf.ntried = 1;
	fix_ask(&x, LEVER_STOP_IDLE);
	r = fix_rec(&x, tried[0]);
	assert_int_equal(r->wait.v[0].ms, 15 * MS_MINUTE);
	assert_int_equal(r->tier, TIER_TRIAL); /* some starts are no 19 of 20 */
	assert_int_equal(r->risk, RISK_MEDIUM);
	fix_close(&x);
}

/* A notebook's machine goes when it is stopped, and with it the free machines of its cluster: who
 * comes for those waits. */
static void with_a_notebook(void **state)
{
	struct fix x;
	struct rec *r;

	for (int late = 0; late < 2; late++) {
		twice_a_day(&x, 14);
		struct workload *w = fix_workload(&x, WORKLOAD_JOB, "jupyter-ann",
						  fix_node(&x, "n5", "c", 0, DAYS(14)), 4, 0, 100,
						  0);
		w->notebook = true;
		for (size_t i = 0; i < 3; i++)
			x.f.hour.v[w->hour0 + i].idle_ms = 0;
		fix_done(&x);
		for (size_t i = 0; i < x.f.workload.n && !late; i++)
			x.f.workload.v[i].deadline_ms = x.f.workload.v[i].end_ms + 9 * MS_HOUR;
		fix_ask(&x, LEVER_STOP_IDLE);
		r = fix_rec(&x, "stop_idle-notebooks-vision-c");
		assert_int_equal(r->replay.deadline_misses, late ? 27 : 0);
		assert_int_equal(r->risk, late ? RISK_HIGH : RISK_MEDIUM);
		fix_close(&x);
	}
}

/* A twentieth of what the machines cost is not worth the waits; four days show no habit. */
static void not_worth_it(void **state)
{
	struct fix x;
	fix_open(&x, DAYS(14));
	size_t n = fix_node(&x, "n1", "c", 0, DAYS(14));
	fix_workload(&x, WORKLOAD_JOB, "a", n, 4, 0, 160, 1);
	fix_workload(&x, WORKLOAD_JOB, "b", n, 4, 174, DAYS(14), 1);
	struct workload *w = fix_workload(&x, WORKLOAD_FREE, "", n, 4, 160, 174, 0);
	w->end_ms = AT(DAYS(14));
	fix_done(&x);
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
	twice_a_day(&x, 4);
	fix_done(&x);
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* ---- works ------------------------------------------------------------------------------- */

static void workloads_that_do_nothing(void **state)
{
	struct fix x;
	fix_open(&x, DAYS(20));
	struct workload *w = fix_workload(&x, WORKLOAD_JOB, "unused",
					  fix_node(&x, "n1", "c", 0, 480), 4, 0, 100, 0);
	w->stats.first_busy_ms = w->stats.last_busy_ms = UNKNOWN_MS;
	w->stats.gpus_used = 0;
	/* others may be on the rest of it */
	w = fix_workload(&x, WORKLOAD_JOB, "part", fix_node(&x, "n2", "c", 0, 480), 2, 0, 100, 0);
	w->stats.first_busy_ms = UNKNOWN_MS;
	w = fix_workload(&x, WORKLOAD_JOB, "unread", fix_node(&x, "n3", "c", 0, 480), 4, 0, 100, 0);
	w->stats.first_busy_ms = UNKNOWN_MS;
	w->stats.covered_frac = 0.5;
	/* it may have worked before the window */
	w = fix_workload(&x, WORKLOAD_JOB, "cut", fix_node(&x, "n6", "c", 0, 480), 4, 0, 100, 0);
	w->stats.first_busy_ms = UNKNOWN_MS;
	w->start_ms = x.f.since_ms - MS_HOUR;
	w = fix_workload(&x, WORKLOAD_SERVICE, "srv-0", fix_node(&x, "n4", "c", 0, 480), 4, 0, 480,
			 0);
	w->service = "srv";
	w = fix_workload(&x, WORKLOAD_JOB, "jupyter-ann", fix_node(&x, "n5", "c", 0, 480), 4, 0,
			 100, 0);
	w->notebook = true;
	for (size_t i = 0; i < 3; i++)
		x.f.hour.v[w->hour0 + i].idle_ms = 0; /* three hours of work, then nothing */
	fix_done(&x);
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_int_equal(x.out.v.n, 3);
	/* which machine without GPUs would do is not known: outside of all sums */
	struct rec *r = fix_rec(&x, "stop_idle-unused-vision");
	assert_true(r->advice);
	assert_int_equal(r->change.n, 1);
	r = fix_rec(&x, "stop_idle-server-srv");
	assert_int_equal(r->tier, TIER_TRIAL);
	assert_near(fix_saving(&x, r), 480 * 12.24);
	/* the machines stay on: they have to go, too */
	assert_true(has_kind(r, ACTION_REPLICAS) && has_kind(r, ACTION_RELEASE));
	r = fix_rec(&x, "stop_idle-notebooks-vision-c");
	assert_near(fix_saving(&x, r), 93 * 12.24); /* hours 3..6 are waited for */
	assert_true(r->replay.interruptions == 0);
	assert_int_equal(r->tier, TIER_TRIAL);
	assert_true(has_kind(r, ACTION_CULL) && has_kind(r, ACTION_RELEASE));
	/* a timetable has these hours already */
	x.use[r->change.v[0].workload].off_frac = 0.5;
	fix_ask(&x, LEVER_STOP_IDLE);
	assert_null(fix_rec(&x, "stop_idle-notebooks-vision-c"));
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_days),
		cmocka_unit_test(its_owner_is_told),
		cmocka_unit_test(usual_pauses),
		cmocka_unit_test(records_in_a_row),
		cmocka_unit_test(not_watched),
		cmocka_unit_test(gpus_that_work),
		cmocka_unit_test(paid_anyway),
		cmocka_unit_test(between_jobs),
		cmocka_unit_test(between_jobs_sustained),
		cmocka_unit_test(of_any_name),
		cmocka_unit_test(that_come_again),
		cmocka_unit_test(not_worth_it),
		cmocka_unit_test(workloads_that_do_nothing),
		cmocka_unit_test(that_may_come_again),
		cmocka_unit_test(with_a_notebook),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
