/* Findings: each cause on a fleet made for it, no idle dollar in two of them, and nothing said
 * about what is not known. */
#include "fleet_fix.h"
#include "plan/alone/finding_kinds.h"

static struct plan find(struct fix *x)
{
	struct plan p = { 0 };

	plan_findings(&x->f, &x->conf, x->cat, FIX_NOW, &p);
	return p;
}

static void drop(struct plan *p)
{
	for (size_t i = 0; i < p->finding.n; i++) {
		vec_free(&p->finding.v[i].subject);
		vec_free(&p->finding.v[i].evidence);
		vec_free(&p->finding.v[i].action);
	}
	vec_free(&p->finding);
	arena_free(&p->mem);
}

static double of(const struct plan *p, const char *cause)
{
	for (size_t i = 0; i < p->finding.n; i++)
		if (!strcmp(p->finding.v[i].cause, cause))
			return (double)p->finding.v[i].nano / 1e9;
	return 0;
}

/* Every kind names a lever that has something to propose, or none, and what people can do. */
static void every_kind_is_acted_on(void **state)
{
	for (const struct finding_kind *k = finding_kinds; k->cause; k++) {
		int l = *k->lever ? lever_index(k->lever) : -1;
		if (*k->lever && (l < 0 || !levers[l].propose))
			fail_msg("%s: lever %s has nothing to propose", k->cause, k->lever);
		if (!*k->by_hand)
			fail_msg("%s: nothing to do by hand", k->cause);
		assert_ptr_equal(finding_kind_of(k->cause), k); /* none twice */
	}
	assert_null(finding_kind_of("no_such"));
}

/* A lever is named where it has said something about these workloads, and nowhere else. */
static void lever_that_acts(void **state)
{
	struct fix x;
	fix_open(&x, 480);
	struct workload *w = fix_workload(&x, WORKLOAD_JOB, "few", fix_node(&x, "n1", "c", 0, 100),
					  4, 0, 100, 0.25);
	w->stats.gpus_used = w->stats.gpus_needed = 1;
	fix_done(&x);
	struct rec_change change = { .workload = 0 };
	struct rec r = { .lever = "rightsize_count", .id = "rightsize_count-x" };
	*vec_push(&r.change) = change;
	/* one that starts the job elsewhere and leaves it its GPUs is no answer to that */
	for (int there = 0; there < 4; there++) {
		struct plan p = { .fleet = &x.f };
		r.lever = there == 2 ? "trim_time" : "rightsize_count";
		if (there == 3)
			r.change.v[0].after = x.use[0];
		if (there)
			*vec_push(&p.refused.v) = &r;
		plan_findings(&x.f, &x.conf, x.cat, FIX_NOW, &p);
		assert_string_equal(p.finding.v[0].cause, "too_many_gpus");
		assert_string_equal(p.finding.v[0].lever, there == 1 ? "rightsize_count" : "");
		assert_has(p.finding.v[0].by_hand, "as many GPUs as the job uses");
		vec_free(&p.refused.v);
		drop(&p);
	}
	vec_free(&r.change);
	fix_close(&x);
}

static void by_use(void **state)
{
	struct fix x;
	fix_open(&x, 480);
	struct workload *w = fix_workload(&x, WORKLOAD_JOB, "few", fix_node(&x, "n1", "c", 0, 100),
					  4, 0, 100, 0.25);
	w->stats.gpus_used = w->stats.gpus_needed = 1;
	w = fix_workload(&x, WORKLOAD_JOB, "long", fix_node(&x, "n2", "c", 0, 100), 4, 0, 100, 0.4);
	w->stats.last_busy_ms = AT(40);
	w->limit_ms = 100 * MS_HOUR;
	/* it ends by itself, long before the booked time: a shorter booking would not end it */
	w = fix_workload(&x, WORKLOAD_JOB, "early", fix_node(&x, "n5", "c", 0, 100), 4, 0, 100,
			 0.5);
	w->stats.last_busy_ms = AT(50);
	w->limit_ms = 200 * MS_HOUR;
	w = fix_workload(&x, WORKLOAD_JOB, "left", fix_node(&x, "n3", "c", 0, 100), 4, 0, 100, 0.9);
	w->cause_nano[CAUSE_STALLED] = w->state_nano[STATE_IDLE_EMPTY];
	w = fix_workload(&x, WORKLOAD_JOB, "broke", fix_node(&x, "n4", "c", 0, 100), 4, 0, 100, 1);
	w->state_nano[STATE_LOST] = w->cause_nano[CAUSE_FAILED] = w->cost_nano;
	w->state_nano[STATE_BUSY] = 0;
	fix_done(&x);
	struct plan p = find(&x);
	assert_near(of(&p, "too_many_gpus"), 75 * 12.24);
	assert_near(of(&p, "overbooked"), 60 * 12.24);
	assert_near(of(&p, "idle_after_work"), 50 * 12.24);
	assert_near(of(&p, "idle_held/stalled"), 10 * 12.24);
	assert_near(of(&p, "lost/failed"), 100 * 12.24);
	for (size_t i = 1; i < p.finding.n; i++) /* largest first */
		assert_true(p.finding.v[i].nano <= p.finding.v[i - 1].nano);
	assert_has(p.finding.v[0].evidence.v[0].metric, "jobs");
	drop(&p);
	fix_close(&x);
}

/* A model that lies in the memory of four GPUs, of which one computes, does not fit on fewer. */
static void memory_is_use(void **state)
{
	struct fix x;
	fix_open(&x, 480);
	struct workload *w = fix_workload(&x, WORKLOAD_JOB, "wide", fix_node(&x, "n1", "c", 0, 100),
					  4, 0, 100, 0.25);
	w->stats.gpus_used = 1;
	w->stats.gpus_needed = 4;
	fix_done(&x);
	struct plan p = find(&x);
	assert_near(of(&p, "too_many_gpus"), 0);
	drop(&p);
	x.f.workload.v[0].stats.gpus_needed = 3;
	p = find(&x);
	assert_near(of(&p, "too_many_gpus"), 25 * 12.24);
	drop(&p);
	fix_close(&x);
}

/* One job with idle money of several kinds: they share it. */
static void no_idle_dollar_twice(void **state)
{
	struct fix x;
	uint32_t hist[101] = { [0] = 800, [60] = 200 };
	fix_open(&x, 480);
	struct workload *w = fix_workload(&x, WORKLOAD_JOB, "all", fix_node(&x, "n1", "c", 0, 400),
					  4, 0, 400, 0.2);
	w->stats.gpus_used = w->stats.gpus_needed = 2;
	w->stats.util_hist = hist;
	w->stats.last_busy_ms = AT(240);
	w->cause_nano[CAUSE_WAITING] = w->state_nano[STATE_IDLE_EMPTY];
	fix_done(&x);
	struct plan p = find(&x);
	double sum = of(&p, "too_many_gpus") + of(&p, "idle_after_work") + of(&p, "input_bound") +
		     of(&p, "always_on") + of(&p, "idle_empty/waiting") + of(&p, "idle");
	assert_near(sum, 0.8 * 400 * 12.24);
	drop(&p);
	fix_close(&x);
}

/* Four weeks on one GPU, used from from_h to to_h; on Saturday and Sunday too where `weekend`. */
static void held_day_and_night(struct fix *x, const char *job, int from_h, int to_h, bool weekend)
{
	/* a reading in five shows work: by its gaps alone it could be a job that waits for input */
	static uint32_t hist[101] = { [0] = 800, [60] = 200 };
	struct workload *w = fix_workload(x, WORKLOAD_JOB, job, fix_node(x, job, "lab", 0, 672), 4,
					  0, 672, 0);

	w->name = w->job;
	w->stats.util_hist = hist;
	w->state_nano[STATE_BUSY] = 0;
	for (size_t i = 0; i < w->nhour; i++) {
		struct workload_hour *h = &x->f.hour.v[w->hour0 + i];
		int day = (int)((2 + i / 24) % 7), of_day = (int)(i % 24); /* DAY0: a Wednesday */
		bool used = of_day >= from_h && of_day < to_h && (weekend || day < 5);
		h->busy_ms = used ? h->ms / 4 : 0;
		h->idle_ms = h->ms - h->busy_ms;
		w->state_nano[STATE_BUSY] += used ? h->nano / 4 : 0;
	}
	w->state_nano[STATE_IDLE_EMPTY] = w->cost_nano - w->state_nano[STATE_BUSY];
}

static const struct finding *finding_of(const struct plan *p, const char *cause)
{
	for (size_t i = 0; i < p->finding.n; i++)
		if (!strcmp(p->finding.v[i].cause, cause))
			return &p->finding.v[i];
	fail_msg("no finding '%s'", cause);
	return NULL;
}

/* A dev box is told as what it is, with its hours, and goes to the lever that can switch it off. */
static void day_and_night(void **state)
{
	static const struct {
		int from_h, to_h;
		bool weekend;
		const char *text;
	} boxes[] = {
		{ 10, 16, false, "used 6 h a day, mostly 10:00-16:00 UTC on working days" },
		{ 22, 28, true, "used 2 h a day, mostly 22:00-00:00 UTC" },
		{ 9, 16, true, "used 7 h a day, mostly 09:00-16:00 UTC" },
	};

	for (size_t i = 0; i < COUNT(boxes); i++) {
		struct fix x;
		fix_open(&x, 672);
		held_day_and_night(&x, "box", boxes[i].from_h, boxes[i].to_h, boxes[i].weekend);
		fix_done(&x);
		double idle = (double)x.f.workload.v[0].state_nano[STATE_IDLE_EMPTY] / 1e9;
		struct plan p = find(&x);
		const struct finding *o = finding_of(&p, "always_on");
		assert_has(o->title, boxes[i].text);
		assert_string_equal(finding_kind_of(o->cause)->lever, "schedule");
		assert_near((double)o->nano / 1e9, idle);
		assert_near(of(&p, "input_bound"), 0);
		drop(&p);
		fix_close(&x);
	}
}

/* One that works a little in every hour waits for its input, as before. */
static void a_starved_job_is_no_dev_box(void **state)
{
	struct fix x;
	fix_open(&x, 672);
	held_day_and_night(&x, "loader", 0, 24, true);
	fix_done(&x);
	struct plan p = find(&x);
	assert_near(of(&p, "always_on"), 0);
	assert_true(of(&p, "input_bound") > 0);
	drop(&p);
	fix_close(&x);
}

static void machines(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	struct workload *w = fix_workload(&x, WORKLOAD_FREE, "",
					  fix_node(&x, "old", "legacy", 0, 240), 4, 0, 240, 0);
	w->stats.covered_frac = 1;
	size_t n = fix_node(&x, "n1", "c", 0, 240);
	fix_workload(&x, WORKLOAD_JOB, "half", n, 2, 0, 200, 1);
	w = fix_workload(&x, WORKLOAD_FREE, "", n, 2, 0, 200, 0); /* beside the job */
	fix_workload(&x, WORKLOAD_JOB, "whole", fix_node(&x, "n2", "d", 0, 240), 4, 0, 100, 1);
	w = fix_workload(&x, WORKLOAD_FREE, "", 2, 4, 100, 240, 0);
	w->cause_nano[CAUSE_STRANDED] = 100 * NANO;
	fix_done(&x);
	struct plan p = find(&x);
	assert_near(of(&p, "forgotten_node"), 240 * 12.24);
	assert_near(of(&p, "fragmented"), 200 * 6.12);
	assert_near(of(&p, "stranded"), 100);
	assert_near(of(&p, "unallocated"), 140 * 12.24 - 100);
	drop(&p);
	fix_close(&x);
}

static const struct finding *told(const struct plan *p, const char *cause, const char *title)
{
	for (size_t i = 0; i < p->finding.n; i++)
		if (!strcmp(p->finding.v[i].cause, cause) && strstr(p->finding.v[i].title, title))
			return &p->finding.v[i];
	return NULL;
}

/* What is paid by the hour and what is paid anyway are two findings, and a stop answers one. */
static void room_is_no_cash(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	for (int i = 0; i < 2; i++) {
		size_t n = fix_node(&x, i ? "n2" : "n1", "c", 0, 240);
		x.f.node.v[n].elastic = i;
		fix_workload(&x, WORKLOAD_JOB, "whole", n, 4, 100, 240, 1);
		fix_workload(&x, WORKLOAD_FREE, "", n, 4, 0, 100, 0)->elastic = i;
	}
	fix_done(&x);
	struct rec_change change = { .workload = 3 };
	struct rec r = { .lever = "stop_idle", .id = "stop_idle-c" };
	struct plan p = { .fleet = &x.f };
	*vec_push(&r.change) = change;
	*vec_push(&r.subject) = (struct subject){ "cluster", "c" };
	*vec_push(&p.refused.v) = &r;
	plan_findings(&x.f, &x.conf, x.cat, FIX_NOW, &p);
	const struct finding *term = told(&p, "unallocated", "until a term ends"),
			     *hour = told(&p, "unallocated", "wait between jobs");
	assert_non_null(term);
	assert_non_null(hour);
	assert_near((double)term->nano / 1e9, 100 * 12.24);
	assert_near((double)hour->nano / 1e9, 100 * 12.24);
	assert_string_equal(hour->lever, "stop_idle");
	assert_string_equal(term->lever, "");
	vec_free(&p.refused.v);
	drop(&p);
	vec_free(&r.change);
	vec_free(&r.subject);
	fix_close(&x);
}

/* "Nobody uses it" is not said where its readings show use, nor while jobs come and go. */
static void used_is_not_forgotten(void **state)
{
	for (int how = 0; how < 3; how++) {
		struct fix x;
		fix_open(&x, 240);
		size_t n = fix_node(&x, "n", "c", 0, 240);
		struct workload *w = fix_workload(&x, WORKLOAD_FREE, "", n, 4, 10, 240, 0);
		w->stats.covered_frac = 1;
		if (how == 1)
			w->stats.idle_frac = 0.92;
		fix_workload(&x, WORKLOAD_JOB, "short", n, 4, how == 2 ? 225 : 0,
			     how == 2 ? 235 : 10, 1);
		fix_done(&x);
		struct plan p = find(&x);
		assert_near(of(&p, "forgotten_node"), how ? 0 : 230 * 12.24);
		assert_near(of(&p, "unallocated"), how ? 230 * 12.24 : 0);
		drop(&p);
		fix_close(&x);
	}
}

/* A machine with two records, one behind the other: free time stands with the first, jobs of the
 * second with that; and how many GPUs it has is a matter of the hour. */
static void used_in_its_second_record(void **state)
{
	for (int used = 0; used < 2; used++) {
		struct fix x;
		fix_open(&x, 240);
		size_t n = fix_node(&x, "n", "c", 0, 240);
		size_t then = fix_node(&x, "n", "c", 120, 240);
		x.f.node.v[then].gpus_milli = 2000;
		x.f.node.v[then].node = x.f.node.v[n].node;
		fix_workload(&x, WORKLOAD_JOB, "early", n, 4, 0, 10, 1);
		if (used)
			fix_workload(&x, WORKLOAD_JOB, "late", then, 2, 230, 240, 1);
		struct workload *w = fix_workload(&x, WORKLOAD_FREE, "", n, 4, 10, 240, 0);
		w->stats.covered_frac = 1;
		for (size_t i = 110; i < w->nhour; i++)
			x.f.hour.v[w->hour0 + i].ms = 2 * MS_HOUR;
		x.f.node.v[n].to_ms = x.f.node.v[then].from_ms;
		fix_done(&x);
		struct plan p = find(&x);
		assert_true(used == !(of(&p, "forgotten_node") > 0));
		assert_near(of(&p, "fragmented"), 0);
		drop(&p);
		fix_close(&x);
	}
}

static void holds(struct fix *x, const char *node, size_t workload, double from, double to,
		  int gpus, int cpus, int gib)
{
	*vec_push(&x->f.host) = (struct fleet_host){
		workload, node, AT(from - 1), AT(from), AT(to), gpus * 1000, cpus * 1000, gib * 1024
	};
}

/* Ten usual jobs elsewhere say what is usual (8 CPUs, 60 GiB a GPU); one job takes the CPUs of a
 * machine and leaves three GPUs. */
static struct plan with_a_greedy_job(struct fix *x, int greedy_cpus)
{
	fix_open(x, 240);
	size_t n2 = fix_node(x, "n2", "c", 0, 240);
	for (int i = 0; i < 10; i++) {
		struct workload *w = fix_workload(x, WORKLOAD_JOB, "usual", n2, 1, 20 * i,
						  20 * i + 10, 1);
		holds(x, "n2", (size_t)(w - x->f.workload.v), 20 * i, 20 * i + 10, 1, 8, 60);
	}
	size_t n1 = fix_node(x, "n1", "c", 0, 240);
	struct workload *w = fix_workload(x, WORKLOAD_JOB, "greedy", n1, 1, 0, 100, 1);
	w->team = "hungry";
	holds(x, "n1", (size_t)(w - x->f.workload.v), 0, 100, 1, greedy_cpus, 60);
	fix_workload(x, WORKLOAD_FREE, "", n1, 3, 0, 100, 0);
	fix_done(x);
	return find(x);
}

static void free_gpus_without_cpu(void **state)
{
	struct fix x;
	struct plan p = with_a_greedy_job(&x, 30);
	const struct finding *o = NULL;

	/* while a usual job or the greedy one was there: all of 0 to 100, as the greedy one is as
	 * large itself */
	assert_near(of(&p, "stranded/cpu"), 100 * 3 * 3.06);
	assert_near(of(&p, "fragmented"), 0); /* no dollar twice */
	for (size_t i = 0; i < p.finding.n; i++)
		o = strcmp(p.finding.v[i].cause, "stranded/cpu") ? o : &p.finding.v[i];
	assert_has(o->title, "hungry");
	assert_int_equal(o->action.n, 1);
	assert_int_equal(o->action.v[0].kind, ACTION_HOST_SHARE);
	assert_int_equal(o->action.v[0].host_share.cpus, 8);
	/* the size of the machine is its data sheet's */
	assert_int_equal(o->quality, QUALITY_ESTIMATED);
	drop(&p);
	fix_close(&x);
	p = with_a_greedy_job(&x, 16); /* 16 CPUs are left: two of three */
	assert_near(of(&p, "stranded/cpu"), 100 * 3.06);
	drop(&p);
	fix_close(&x);
	p = with_a_greedy_job(&x, 8);
	assert_near(of(&p, "stranded/cpu"), 0);
	drop(&p);
	fix_close(&x);
}

static void thin_lists_strand_nothing(void **state)
{
	struct fix x;
	struct plan p = with_a_greedy_job(&x, 30);
	struct plan again;

	drop(&p);
	for (size_t i = 0; i < 2; i++)
		/* nine say their CPU: too few for a median */
		x.f.host.v[i].cpu_milli = x.f.host.v[i].ram_mib = 0;
	again = find(&x);
	assert_near(of(&again, "stranded/cpu"), 0);
	assert_near(of(&again, "fragmented"), 100 * 3 * 3.06);
	drop(&again);
	fix_close(&x);
}

/* ---- what idled while jobs waited -------------------------------------------------------- */

static void submitted(struct workload *w, const char *team, double at)
{
	w->team = team;
	w->submit_ms = AT(at);
}

/* CPUs and memory of the machines. */
static void size_hosts(struct fix *x, double vcpu, double ram_gib)
{
	for (size_t i = 0; i < x->f.node.n; i++) {
		x->f.node.v[i].vcpu = vcpu;
		x->f.node.v[i].ram_gib = ram_gib;
	}
}

/* Nothing was done in these hours. */
static void still(struct fix *x, const struct workload *w, double from, double to)
{
	for (size_t i = 0; i < w->nhour; i++) {
		struct workload_hour *h = &x->f.hour.v[w->hour0 + i];
		bool in = h->hour_ms >= AT(from) && h->hour_ms < AT(to);
		h->busy_ms = in ? 0 : h->ms;
		h->idle_ms = h->ms - h->busy_ms;
	}
}

/*
 * Two machines of 4 GPUs, 3.06 $ a GPU-hour, by hand:
 *
 *   n1  0 to 20  "box" of team ads holds 4 GPUs, does nothing from 10 to 20
 *   n2  0 to 14  "train" of team nlp holds 2 GPUs; 2 are free. From 14 to 30 "big" has all 4
 *
 *   small (1 GPU, team a) is submitted at 4, starts at 8: a free GPU idled for it, 4 h
 *   big (4 GPUs, team b) is submitted at 6, starts at 14: on n2 there is no room, on n1 the box is
 *     still from 10 on: 4 h x 4 GPUs held
 *   twin (2 parts of 4 GPUs, team c) is submitted at 10, starts at 30: never both machines
 *
 * Nothing is known of CPUs and memory.
 */
static void idle_gpus_and_waiting_jobs(void **state)
{
	struct fix x;
	fix_open(&x, 48);
	size_t n1 = fix_node(&x, "n1", "c", 0, 48), n2 = fix_node(&x, "n2", "c", 0, 48);
	submitted(fix_workload(&x, WORKLOAD_JOB, "box", n1, 4, 0, 20, 1), "ads", 0);
	still(&x, &x.f.workload.v[0], 10, 20);
	x.f.workload.v[0].state_ms[STATE_IDLE_EMPTY] = 1;
	fix_workload(&x, WORKLOAD_FREE, "", n1, 4, 20, 30, 0);
	submitted(fix_workload(&x, WORKLOAD_JOB, "train", n2, 2, 0, 14, 1), "nlp", 0);
	fix_workload(&x, WORKLOAD_FREE, "", n2, 2, 0, 8, 0);
	submitted(fix_workload(&x, WORKLOAD_JOB, "small", n2, 1, 8, 14, 1), "a", 4);
	fix_workload(&x, WORKLOAD_FREE, "", n2, 1, 8, 14, 0);
	submitted(fix_workload(&x, WORKLOAD_JOB, "big", n2, 4, 14, 30, 1), "b", 6);
	submitted(fix_workload(&x, WORKLOAD_JOB, "twin", n1, 4, 30, 48, 1), "c", 10);
	submitted(fix_workload(&x, WORKLOAD_JOB, "twin", n2, 4, 30, 48, 1), "c", 10);
	fix_done(&x);
	size_hosts(&x, NAN, NAN);
	struct plan p = find(&x);
	assert_near(of(&p, "idle_while_queued/free"), 4 * 3.06);
	assert_near(of(&p, "idle_while_queued/held"), 4 * 4 * 3.06);
	assert_int_equal(p.nqueued, 2);
	const struct plan_queued *held = &p.queued[0], *unheld = &p.queued[1];
	assert_string_equal(held->owner, "ads");
	assert_int_equal(held->gpu_ms, 16 * MS_HOUR);
	assert_int_equal(held->wait_ms, 4 * MS_HOUR);
	assert_true(held->jobs == 1 && held->nwaiter == 1);
	assert_string_equal(held->waiter[0].team, "b");
	assert_string_equal(unheld->owner, "");
	assert_int_equal(unheld->gpu_ms, 4 * MS_HOUR);
	assert_int_equal(unheld->wait_ms, 4 * MS_HOUR);
	assert_string_equal(unheld->waiter[0].team, "a");
	const struct finding *o = finding_of(&p, "idle_while_queued/held");
	assert_has(o->title, "ads held GPUs that did nothing");
	assert_int_equal(p.nwaited, 2);
	assert_string_equal(p.waited[1].job, "big");
	assert_int_equal(p.waited[1].wait_ms, 8 * MS_HOUR);
	assert_int_equal(p.waited[1].held_ms, 4 * MS_HOUR);
	assert_string_equal(p.waited[1].holder, "ads");
	drop(&p);

	/* no CPUs beside the GPUs: it would not have fitted */
	size_hosts(&x, 32, NAN);
	for (size_t i = 0; i < x.f.workload.n; i++) {
		struct workload *w = &x.f.workload.v[i];
		double from = (double)(w->start_ms - AT(0)) / MS_HOUR,
		       to = (double)(w->end_ms - AT(0)) / MS_HOUR;
		if (w->kind == WORKLOAD_JOB)
			holds(&x, w->node, i, from, to, 1, strcmp(w->job, "small") ? 8 : 25, 0);
	}
	p = find(&x);
	assert_near(of(&p, "idle_while_queued/free"), 0);
	assert_near(of(&p, "idle_while_queued/held"), 4 * 4 * 3.06);
	drop(&p);
	x.f.host.n = 0;
	size_hosts(&x, NAN, NAN);
	/* what nobody watched is no free time */
	for (size_t i = 0; i < x.f.workload.n; i++)
		if (x.f.workload.v[i].kind == WORKLOAD_FREE)
			x.f.workload.v[i].nhour = 0;
	p = find(&x);
	assert_near(of(&p, "idle_while_queued/free"), 0);
	assert_near(of(&p, "idle_while_queued/held"), 4 * 4 * 3.06);
	drop(&p);
	fix_close(&x);
}

/*
 * One machine of 4 GPUs and 32 CPUs. "first" holds 2 GPUs from 0 to 20, the others are free; or
 * it holds all and does nothing, from 0 to 10. "late" (2 GPUs) is submitted at 5 and starts at 10.
 */
static double late_on_known_cpus(int first_cpus, int late_cpus, bool first_is_still, bool *ret_said)
{
	struct fix x;
	fix_open(&x, 48);
	size_t n = fix_node(&x, "n1", "c", 0, 48);
	int gpus = first_is_still ? 4 : 2, to = first_is_still ? 10 : 20;
	submitted(fix_workload(&x, WORKLOAD_JOB, "first", n, gpus, 0, to, 1), "a", 0);
	if (first_is_still) {
		still(&x, &x.f.workload.v[0], 0, 10);
		x.f.workload.v[0].state_ms[STATE_IDLE_EMPTY] = 1;
	} else {
		fix_workload(&x, WORKLOAD_FREE, "", n, 2, 0, 10, 0);
	}
	submitted(fix_workload(&x, WORKLOAD_JOB, "late", n, 2, 10, 20, 1), "b", 5);
	size_t late = x.f.workload.n - 1;
	fix_done(&x);
	size_hosts(&x, 32, NAN);
	holds(&x, "n1", 0, 0, to, gpus, first_cpus, 0);
	holds(&x, "n1", late, 10, 20, 2, late_cpus, 0);
	struct plan p = find(&x);
	double usd = of(&p, first_is_still ? "idle_while_queued/held" : "idle_while_queued/free");
	*ret_said = false;
	for (size_t i = 0; i < p.note.n; i++)
		*ret_said |= strstr(p.note.v[i], "does not say what CPUs") != NULL;
	vec_free(&p.note);
	drop(&p);
	fix_close(&x);
	return usd;
}

/* Where the machine's CPUs are known, what a job or an owner does not tell is not nothing. */
static void untold_cpus_are_not_none(void **state)
{
	bool said;
	assert_near(late_on_known_cpus(16, 16, false, &said), 5 * 2 * 3.06);
	assert_false(said);
	assert_near(late_on_known_cpus(16, 17, false, &said), 0);
	assert_false(said);
	assert_near(late_on_known_cpus(16, 0, false, &said), 0);
	assert_true(said);
	/* the owner may have all of them */
	assert_near(late_on_known_cpus(0, 1, false, &said), 0);
	/* and they are free with its GPUs */
	assert_near(late_on_known_cpus(0, 32, true, &said), 5 * 2 * 3.06);
	assert_near(late_on_known_cpus(0, 33, true, &said), 0);
}

/*
 * What is refused once is not tried again in that interval, and in the next one it is: n1 has 4
 * GPUs and 32 CPUs, 2 GPUs and 16 CPUs of them are held from 0 to 6. Many jobs of one GPU and 20
 * CPUs wait from 1 to 10: none fits before 6, one from then on. The job of one GPU and 10 CPUs
 * behind them fits from 2 to 10, beside that one too.
 */
static void a_shape_that_was_refused(void **state)
{
	struct fix x;
	fix_open(&x, 48);
	size_t n = fix_node(&x, "n1", "c", 0, 48);
	static char name[30][8];
	submitted(fix_workload(&x, WORKLOAD_JOB, "first", n, 2, 0, 6, 1), "a", 0);
	fix_workload(&x, WORKLOAD_FREE, "", n, 2, 0, 6, 0);
	fix_workload(&x, WORKLOAD_FREE, "", n, 4, 6, 10, 0);
	holds(&x, "n1", 0, 0, 6, 2, 16, 0);
	for (int i = 0; i < 30; i++) {
		snprintf(name[i], sizeof name[i], "wide-%d", i);
		submitted(fix_workload(&x, WORKLOAD_JOB, name[i], n, 1, 10 + i, 11 + i, 1), "b", 1);
		holds(&x, "n1", x.f.workload.n - 1, 10 + i, 11 + i, 1, 20, 0);
	}
	submitted(fix_workload(&x, WORKLOAD_JOB, "thin", n, 1, 10, 11, 1), "c", 2);
	holds(&x, "n1", x.f.workload.n - 1, 10, 11, 1, 10, 0);
	fix_done(&x);
	size_hosts(&x, 32, NAN);
	struct plan p = find(&x);
	double gpus_h = 0, thin_h = 0, wide_h = 0;
	for (size_t i = 0; i < p.nqueued; i++)
		gpus_h += (double)p.queued[i].gpu_ms / MS_HOUR;
	for (size_t i = 0; i < p.nwaited; i++)
		*(strcmp(p.waited[i].job, "thin") ? &wide_h : &thin_h) +=
			(double)p.waited[i].free_ms / MS_HOUR;
	assert_near(thin_h, 8);
	assert_near(wide_h, 4);
	assert_near(gpus_h, 12);
	drop(&p);
	fix_close(&x);
}

/* A GPU that one job leaves and the next takes at once idled for nobody, whatever the hour says. */
static void handed_over_within_the_hour(void **state)
{
	struct fix x;
	fix_open(&x, 48);
	size_t n = fix_node(&x, "n1", "c", 0, 48);
	submitted(fix_workload(&x, WORKLOAD_JOB, "first", n, 4, 0, 10.5, 1), "a", 0);
	fix_workload(&x, WORKLOAD_FREE, "", n, 2, 10.5, 20, 0);
	submitted(fix_workload(&x, WORKLOAD_JOB, "next", n, 2, 10.5, 20, 1), "b", 2);
	submitted(fix_workload(&x, WORKLOAD_JOB, "late", n, 2, 11.5, 20, 1), "b", 2);
	fix_done(&x);
	size_hosts(&x, NAN, NAN);
	struct plan p = find(&x);
	/* "late" waited an hour too long, from half past ten on */
	assert_near(of(&p, "idle_while_queued/free"), 2 * 3.06);
	assert_int_equal(p.queued[0].wait_ms, MS_HOUR);
	drop(&p);
	fix_close(&x);
}

static void by_price(void **state)
{
	struct fix x;
	struct rate spot, now;
	fix_open(&x, 240);
	struct workload *w = fix_workload(&x, WORKLOAD_JOB, "train",
					  fix_node(&x, "n1", "c", 0, 100), 4, 0, 100, 1);
	w->checkpointable = 1;
	/* nobody says that it can resume */
	fix_workload(&x, WORKLOAD_JOB, "other", fix_node(&x, "n2", "c", 0, 100), 4, 0, 100, 1);
	fix_done(&x);
	struct plan p = find(&x);
	struct price_ask ask = { .catalog = x.cat,
				 .provider = "aws",
				 .region = "us-east-1",
				 .gpu_model = "V100-SXM2-16GB",
				 .purchase = "spot",
				 .at_ms = FIX_NOW };
	bool known = fleet_rate(&ask, &spot);
	ask.purchase = "on_demand";
	known = known && fleet_rate(&ask, &now);
	double want = known ? 100 * 12.24 *
				      (1 - (double)spot.nano_gpu_hour / (double)now.nano_gpu_hour)
			    : 0;
	assert_near(of(&p, "on_demand_interruptible"), want);
	drop(&p);
	fix_close(&x);
}

static void a_service_on_a_large_gpu(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	struct workload *w = fix_workload(&x, WORKLOAD_SERVICE, "srv-0",
					  fix_node(&x, "n1", "c", 0, 240), 1, 0, 240, 1);
	w->service = "srv";
	w->gpu_model = "A100-SXM4-40GB";
	w->stats.util_mean_pct = w->stats.active_util_mean_pct = 15;
	w->stats.util_p95_pct = 20;
	fix_done(&x);
	struct plan p = find(&x);
	assert_near(of(&p, "low_util_serving"), 240 * 3.06 * 0.85);
	assert_true(of(&p, "wrong_gpu") > 0);
	for (size_t i = 0; i < p.finding.n; i++) /* it says on which */
		if (!strcmp(p.finding.v[i].cause, "wrong_gpu"))
			assert_non_null(strstr(p.finding.v[i].by_hand, " an hour beside "));
	drop(&p);
	x.f.workload.v[0].stats.mem_p99_bytes = 39e9; /* no smaller GPU holds it */
	p = find(&x);
	assert_true(of(&p, "wrong_gpu") == 0 || of(&p, "wrong_gpu") < 240 * 3.06 * 0.5);
	drop(&p);
	fix_close(&x);
}

static void lines(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	fix_workload(&x, WORKLOAD_JOB, "j", fix_node(&x, "n1", "c", 0, 240), 4, 0, 240, 1);
	static const struct {
		enum kind kind;
		const char *team;
	} l[] = { { KIND_COMMITMENT_UNUSED, "vision" },
		  { KIND_STORAGE, "gone" },
		  { KIND_STORAGE, "" },
		  { KIND_STORAGE, "vision" } };
	for (size_t i = 0; i < COUNT(l); i++) {
		struct workload *w = vec_push(&x.f.workload);
		*w = x.f.workload.v[0];
		w->kind = WORKLOAD_LINE;
		w->line_kind = l[i].kind;
		w->team = l[i].team;
		w->user = w->node = w->job = "";
		w->nhour = 0;
		w->node_index = SIZE_MAX;
		w->cost_nano = 50 * NANO;
	}
	fix_done(&x);
	struct plan p = find(&x);
	assert_near(of(&p, "commitment_unused"), 50);
	/* of the team that has no work; not of nobody, who is not known */
	assert_near(of(&p, "orphaned_storage"), 50);
	drop(&p);
	fix_close(&x);
}

static void unknown_is_never_waste(void **state)
{
	struct fix x;
	fix_open(&x, 240);
	struct workload *w = fix_workload(&x, WORKLOAD_JOB, "dark", fix_node(&x, "n1", "c", 0, 240),
					  4, 0, 240, 1);
	w->state_nano[STATE_BUSY] = 0;
	w->state_nano[STATE_UNKNOWN] = w->cost_nano;
	w->stats = (struct workload_stats){ .idle_frac = NAN,
					    .util_mean_pct = NAN,
					    .active_util_mean_pct = NAN,
					    .spare_active_frac = NAN,
					    .cpu_mean_pct = NAN,
					    .util_p95_pct = NAN,
					    .mem_p99_bytes = NAN,
					    .first_busy_ms = UNKNOWN_MS,
					    .last_busy_ms = UNKNOWN_MS };
	fix_done(&x);
	struct plan p = find(&x);
	assert_int_equal(p.finding.n, 0);
	drop(&p);
	fix_close(&x);
}

/* What a commitment costs is told in dollars. */
static void a_commitment_in_dollars(void **state)
{
	struct exchange_rate day = { SV("USD"), SV("EUR"), FIX_NOW - MS_DAY, DEC_ONE * 9 / 10 };
	struct fix x;

	(void)state;
	fix_open(&x, 100);
	fix_workload(&x, WORKLOAD_JOB, "a", fix_node(&x, "n1", "c", 0, 100), 4, 0, 100, 1);
	fix_done(&x);
	*vec_push(&x.conf.commitment) = (struct plan_commitment){ "compute-1y",
								  FIX_NOW + 30 * MS_DAY, 10 };
	struct plan p = find(&x);
	assert_near(of(&p, "commitment_expiring"), 1000);
	drop(&p);
	x.f.currency = "EUR";
	p = find(&x);
	assert_int_equal(p.finding.v[p.finding.n - 1].nano, UNKNOWN_NANO);
	drop(&p);
	exchange_take(&x.f.exchange, &day, 1);
	p = find(&x);
	assert_near(of(&p, "commitment_expiring"), 900);
	drop(&p);
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_is_acted_on),
		cmocka_unit_test(lever_that_acts),
		cmocka_unit_test(by_use),
		cmocka_unit_test(memory_is_use),
		cmocka_unit_test(no_idle_dollar_twice),
		cmocka_unit_test(day_and_night),
		cmocka_unit_test(a_starved_job_is_no_dev_box),
		cmocka_unit_test(machines),
		cmocka_unit_test(room_is_no_cash),
		cmocka_unit_test(used_is_not_forgotten),
		cmocka_unit_test(used_in_its_second_record),
		cmocka_unit_test(free_gpus_without_cpu),
		cmocka_unit_test(thin_lists_strand_nothing),
		cmocka_unit_test(idle_gpus_and_waiting_jobs),
		cmocka_unit_test(untold_cpus_are_not_none),
		cmocka_unit_test(a_shape_that_was_refused),
		cmocka_unit_test(handed_over_within_the_hour),
		cmocka_unit_test(by_price),
		cmocka_unit_test(a_service_on_a_large_gpu),
		cmocka_unit_test(lines),
		cmocka_unit_test(unknown_is_never_waste),
		cmocka_unit_test(a_commitment_in_dollars),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
