/* The spot lever on fleets of a few jobs: a habit goes whole or not at all, and each rule of the
 * table that one of its runs breaks keeps it. */
#include "base/yaml.h"
#include "../plan/fleet_fix.h"
#include "plan/lever/market.h"

#define RUNS 24

/* Prices of p3.8xlarge by the week, from the first day on: around 4 $ an hour. */
static void market_of_file(struct fix *x, int weeks, double price, const char *currency,
			   const char *source)
{
	struct err err;

	for (int i = 0; i < weeks; i++) {
		const struct price p = { .provider = SV("aws"),
					 .region = SV("us-east-1"),
					 .zone = SV("us-east-1a"),
					 .instance_type = SV("p3.8xlarge"),
					 .gpu_model = SV("V100-SXM2-16GB"),
					 .purchase = SV("spot"),
					 .term = SV(""),
					 .currency = sv_of(currency),
					 .source = sv_of(source),
					 .gpu_milli = 4000,
					 .hour = dec_from_double(price * (i % 2 ? 1.05 : 0.95)),
					 .from_ms = AT(i * 168),
					 .to_ms = AT((i + 1) * 168),
					 .interruption_lo_pct = 5,
					 .interruption_hi_pct = 10 };
		assert_int_equal(catalog_add_price(x->cat, &p, &err), 0);
	}
}

static void market(struct fix *x, int weeks, double price)
{
	market_of_file(x, weeks, price, "USD", "read");
}

/* Runs of 20 hours, one a day, on a machine that comes and goes with each; limit 40 hours. */
static struct workload *runs(struct fix *x, int n, int checkpointable)
{
	size_t first = x->f.workload.n;

	/* each day, up to the end of the four weeks: a habit that has ended is none */
	for (int i = 0; i < n; i++) {
		const char *id = arena_printf(&x->mem, "%d", 100 + i);
		int at = (28 - n + i) * 24;
		struct workload *w = fix_workload(
			x, WORKLOAD_JOB, id,
			fix_node(x, arena_printf(&x->mem, "n%d", i), "training", at, at + 20), 4,
			at, at + 20, 1);
		w->name = arena_printf(&x->mem, "unet-%d", i);
		w->checkpointable = checkpointable;
		w->limit_ms = 40 * MS_HOUR;
		w->deadline_ms = w->start_ms + w->limit_ms;
	}
	return &x->f.workload.v[first];
}

static void open_runs(struct fix *x, int n, int checkpointable)
{
	fix_open(x, 28 * 24);
	market(x, 4, 4);
	runs(x, n, checkpointable);
}

static const struct action *action_of(const struct rec *r, enum action_kind kind)
{
	for (size_t i = 0; i < r->action.n; i++)
		if (r->action.v[i].kind == kind)
			return &r->action.v[i];
	return NULL;
}

/* The action means the runs that are changed, and no other work of the fleet. */
static void means_them_alone(const struct fix *x, const struct rec *r)
{
	const struct action *a = action_of(r, ACTION_SUBMIT);

	for (uint32_t i = 0; i < x->f.workload.n; i++) {
		bool changed = false;
		for (size_t k = 0; k < r->change.n; k++)
			changed |= r->change.v[k].workload == i &&
				   x->f.workload.v[i].kind == WORKLOAD_JOB;
		if (habit_matches(&a->which, &x->f.workload.v[i]) != changed)
			fail_msg("%s: '%s' %s", r->id, x->f.workload.v[i].name,
				 changed ? "is changed and not meant" : "is meant and not changed");
	}
}

/* The habit of ann's unets. */
static struct rec *habit_goes(const struct fix *x)
{
	for (size_t i = 0; i < x->out.v.n; i++)
		if (!x->out.v.v[i]->advice && strstr(x->out.v.v[i]->title, "unet-*: to spot") &&
		    strstr(x->out.v.v[i]->id, "-ann-"))
			return x->out.v.v[i];
	return NULL;
}

static bool noted(const struct fix *x, const char *part)
{
	for (size_t i = 0; i < x->note.n; i++)
		if (strstr(x->note.v[i], part))
			return true;
	return false;
}

static void a_habit_goes_whole(void **state)
{
	struct fix x;
	open_runs(&x, RUNS, 1);
	/* of the same team: another user, another name, other machines */
	struct workload *w = fix_workload(&x, WORKLOAD_JOB, "900",
					  fix_node(&x, "o", "training", 0, 20), 4, 0, 20, 1);
	w->name = "unet-7";
	w->user = "bob";
	w = fix_workload(&x, WORKLOAD_JOB, "901", fix_node(&x, "p", "training", 0, 20), 4, 0, 20,
			 1);
	w->name = "bert-7";
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	struct rec *r = habit_goes(&x);
	assert_non_null(r);
	assert_int_equal(r->tier, TIER_TRIAL); /* never Ready */
	assert_int_equal(r->risk, RISK_MEDIUM);
	assert_int_equal(r->replay.jobs, RUNS);
	assert_int_equal(r->replay.deadline_misses, 0);
	assert_true(r->replay.interruptions > 0);
	means_them_alone(&x, r);
	for (size_t i = 0; i < RUNS; i++) {
		const struct rec_change *c = &r->change.v[i];
		double usd = (double)c->after.cost_nano / 1e9;
		assert_string_equal(c->after.purchase, "spot");
		assert_true(c->lo_nano < c->after.cost_nano && c->after.cost_nano < c->hi_nano);
		/* 20 hours at 4 $, boot and the wait until it is given back; the rest is what
		 * interruptions cost */
		assert_true(usd > 20.3 * 3.95 && usd < 20.5 * 4.1 * 1.2);
		assert_true(c->after.end_ms >= x.use[c->workload].end_ms);
	}
	/* the machines it runs on are made by it: none of them while nobody asks */
	const struct action *pool = action_of(r, ACTION_POOL);
	assert_true(pool && pool->pool.spot && pool->pool.was == 0 && pool->pool.now >= 1);
	assert_string_equal(pool->pool.instance_type.z, "p3.8xlarge");
	assert_true(says(r, "State=CLOUD") && says(r, "-spot-") &&
		    says(r, " --requeue --open-mode") && says(r, "tare run"));
	/* same seed, same plan */
	int64_t first = r->change.v[0].after.cost_nano;
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(habit_goes(&x)->change.v[0].after.cost_nano, first);
	fix_close(&x);
}

/* ---- rules of the table, each broken alone ----------------------------------------------- */

static void ask_none(struct fix *x, const char *why)
{
	fix_done(x);
	fix_ask(x, LEVER_SPOT);
	for (size_t i = 0; i < x->out.v.n; i++)
		if (!x->out.v.v[i]->advice)
			fail_msg("%s is proposed", x->out.v.v[i]->id);
	if (!noted(x, why))
		fail_msg("no note says '%s'", why);
	fix_close(x);
}

static void one_run_that_nobody_knows_to_resume(void **state)
{
	struct fix x;
	open_runs(&x, RUNS, 1);
	x.f.workload.v[7].checkpointable = -1;
	ask_none(&x, "not known to resume");
	open_runs(&x, RUNS, 0);
	ask_none(&x, "not known to resume after an interruption, so not moved: 24 jobs");
}

static void what_it_would_be_worth_is_advice(void **state)
{
	struct fix x;
	struct err err;
	open_runs(&x, RUNS, -1);
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 1);
	assert_true(x.out.v.v[0]->advice && !x.out.v.v[0]->change.n);
	assert_has(x.out.v.v[0]->title, "add checkpoints");
	plan_conf_free(&x.conf); /* a rule is the owner's word */
	assert_int_equal(
		plan_conf_parse(
			"c",
			SV("version: 1\nplan: {rules: [{when: {team: vision}, checkpointable: true}]}\n"),
			&x.conf, &err),
		0);
	fix_ask(&x, LEVER_SPOT);
	assert_non_null(habit_goes(&x));
	fix_close(&x);
}

static void too_few_runs(void **state)
{
	struct fix x;
	fix_open(&x, 28 * 24);
	market(&x, 4, 4);
	struct workload *w = runs(&x, 19, 1);
	for (int i = 0; i < 19; i++)
		w[i].ms = 19 * MS_HOUR / 10; /* 36 GPU-hours of all */
	ask_none(&x, "too few runs");
	open_runs(&x, 4, 1); /* 320 GPU-hours are enough */
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	assert_non_null(habit_goes(&x));
	fix_close(&x);
}

static void a_price_is_no_market(void **state)
{
	struct fix x;
	struct err err;
	fix_open(&x, 28 * 24); /* the shipped price, which is advised */
	runs(&x, RUNS, 1);
	ask_none(&x, "no market is known");
	fix_open(&x, 28 * 24); /* one that stands for the whole time */
	const struct price p = { .provider = SV("aws"),
				 .region = SV("us-east-1"),
				 .zone = SV("us-east-1a"),
				 .instance_type = SV("p3.8xlarge"),
				 .gpu_model = SV("V100-SXM2-16GB"),
				 .purchase = SV("spot"),
				 .term = SV(""),
				 .currency = SV("USD"),
				 .source = SV("list"),
				 .gpu_milli = 4000,
				 .hour = 4 * DEC_ONE,
				 .from_ms = DAY0,
				 .to_ms = AT(28 * 24),
				 .interruption_lo_pct = 5,
				 .interruption_hi_pct = 10 };
	assert_int_equal(catalog_add_price(x.cat, &p, &err), 0);
	runs(&x, RUNS, 1);
	ask_none(&x, "no market is known");
	fix_open(&x, 28 * 24); /* a week of it */
	market(&x, 1, 4);
	runs(&x, RUNS, 1);
	ask_none(&x, "no market is known");
}

static void the_range_is_the_markets(void **state)
{
	struct fix x;
	struct lever_in in = { 0 };
	struct market m;
	open_runs(&x, RUNS, 1);
	fix_done(&x);
	in = (struct lever_in){
		.fleet = &x.f, .conf = &x.conf, .catalog = x.cat, .now_ms = FIX_NOW
	};
	assert_true(market_of(&in, &x.use[0], &m));
	assert_true(m.records == 4 && fabs(m.weeks - 4) < 1e-9);
	assert_true(llabs(m.nano_gpu_hour - NANO) < NANO / 500); /* 4 $ of 4 GPUs */
	/* 5 % up and down by four weeks: 1.645 x 5 % x what four weeks do not know */
	assert_true(m.hi > 1.12 && m.hi < 1.17 && fabs(m.lo * m.hi - 1) < 1e-9);
	assert_true(m.interruption_lo_pct == 5 && m.interruption_hi_pct == 10);
	fix_close(&x);
}

/* The own prices of a fleet in euros, not the cheaper ones of a feed in dollars; unless they are
 * too few to be a market. */
static void own_prices_before_a_feed(void **state)
{
	struct exchange_rate day = { SV("USD"), SV("EUR"), FIX_NOW - MS_DAY, DEC_ONE / 2 };

	(void)state;
	for (int weeks = 1; weeks <= 4; weeks += 3) {
		struct fix x;
		struct market m;
		fix_open(&x, 28 * 24);
		x.f.currency = "EUR";
		market_of_file(&x, 4, 4, "USD", "prices: feed");
		market_of_file(&x, weeks, 6, "EUR", "read");
		runs(&x, RUNS, 1);
		fix_done(&x);
		exchange_take(&x.f.exchange, &day, 1);
		const struct lever_in in = {
			.fleet = &x.f, .conf = &x.conf, .catalog = x.cat, .now_ms = FIX_NOW
		};
		assert_true(market_of(&in, &x.use[0], &m));
		assert_true(m.yours == (weeks == 4));
		int64_t want = m.yours ? NANO * 6 / 4 : NANO / 2;
		assert_true(llabs(m.nano_gpu_hour - want) < want / 100);
		fix_close(&x);
	}
}

static void no_time_to_spare(void **state)
{
	struct fix x;
	open_runs(&x, RUNS, 1);
	x.f.workload.v[3].limit_ms = 24 * MS_HOUR; /* 20 % */
	x.f.workload.v[3].deadline_ms = x.f.workload.v[3].start_ms + 24 * MS_HOUR;
	ask_none(&x, "too little time");
	open_runs(&x, RUNS, 1); /* a limit that a lever before has made shorter */
	fix_done(&x);
	x.use[3].limit_ms = 24 * MS_HOUR;
	fix_ask(&x, LEVER_SPOT);
	assert_null(habit_goes(&x));
	fix_close(&x);
	open_runs(&x, RUNS, 1); /* holds its GPU for the rest of the booking: that is not its end */
	for (int i = 0; i < RUNS; i++) {
		x.f.workload.v[i].limit_ms = 20 * MS_HOUR;
		x.f.workload.v[i].deadline_ms = x.f.workload.v[i].end_ms;
		x.f.workload.v[i].stats.last_active_ms = x.f.workload.v[i].start_ms + 10 * MS_HOUR;
	}
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	assert_false(noted(&x, "too little time"));
	fix_close(&x);
}

static void leaves_alone(void **state)
{
	struct fix x;
	struct err err;
	open_runs(&x, RUNS, 1);
	x.f.workload.v[9].gpus_milli = 4000;
	for (int i = 0; i < RUNS; i++) /* a part of a machine */
		x.f.node.v[i].gpus_milli = 8000;
	ask_none(&x, "holding a part of one: 24 jobs");
	open_runs(&x, RUNS, 1);
	for (int i = 0; i < RUNS; i++) {
		x.f.workload.v[i].notebook = i % 3 == 0;
		x.f.workload.v[i].elastic = i % 3 != 1;
		x.f.workload.v[i].workload = i % 3 == 2 ? "inference" : "training";
	}
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
	open_runs(&x, RUNS, 1); /* and what people want left alone */
	fix_done(&x);
	plan_conf_free(&x.conf);
	assert_int_equal(
		plan_conf_parse(
			"c",
			SV("version: 1\nplan: {rules: [{when: {name: unet-3}, interruptible: false}]}\n"),
			&x.conf, &err),
		0);
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Dearer than on demand: nothing, and said. */
static void only_what_pays(void **state)
{
	struct fix x;
	fix_open(&x, 28 * 24);
	market(&x, 4, 12);
	runs(&x, RUNS, 1);
	ask_none(&x, "not cheaper there");
}

/* ---- gangs ------------------------------------------------------------------------------- */

/* Two machines of a job: interrupted as often as two, and counted as one run. */
static void a_gang_counts_once(void **state)
{
	struct fix x;
	open_runs(&x, RUNS, 1);
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	double alone = habit_goes(&x)->replay.interruptions;
	fix_close(&x);
	open_runs(&x, RUNS, 1);
	for (int i = 0; i < RUNS; i++) {
		struct workload *w = fix_workload(&x, WORKLOAD_JOB, "",
						  fix_node(&x, arena_printf(&x.mem, "m%d", i),
							   "training", i * 24, i * 24 + 20),
						  4, i * 24, i * 24 + 20, 1);
		const struct workload *o = &x.f.workload.v[i];
		w->job = o->job, w->name = o->name, w->checkpointable = 1;
		w->limit_ms = o->limit_ms, w->deadline_ms = o->deadline_ms;
	}
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	struct rec *r = habit_goes(&x);
	assert_non_null(r);
	assert_int_equal(r->replay.jobs, RUNS);
	assert_true(r->change.n >= 2 * RUNS);
	assert_true(r->replay.interruptions > 1.8 * alone && r->replay.interruptions < 2.3 * alone);
	means_them_alone(&x, r);
	fix_close(&x);
}

/* ---- Kubernetes -------------------------------------------------------------------------- */

/* The patch of a Kubernetes Job, pasted together: YAML that runs the command under tare run, and
 * makes a new pod after 85. */
static void a_patch_for_kubernetes(void **state)
{
	struct fix x;
	struct str y = { 0 };
	struct yaml_doc *d;
	struct err err;
	const char *z = NULL;
	open_runs(&x, RUNS, 1);
	for (int i = 0; i < RUNS; i++)
		x.f.workload.v[i].job = arena_printf(&x.mem, "pod-%d", i);
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	struct rec *r = habit_goes(&x);
	assert_non_null(r);
	bool in = false;
	const char *line;
	for (size_t i = 0; (line = line_of(&x.mem, r, false, i)); i++) {
		in = in && strcmp(line, "END") != 0;
		if (in)
			str_addf(&y, "%s\n", line);
		in |= strstr(line, "<<'END'") != NULL;
	}
	assert_int_equal(yaml_parse("patch", str_sv(&y), &d, &err), 0);
	const struct yaml *spec = yaml_get(yaml_root(d), "spec"),
			  *pod = yaml_get(yaml_get(spec, "template"), "spec");
	assert_int_equal(yaml_text(d, pod, "restartPolicy", &z, &err), 0);
	assert_string_equal(z, "Never");
	assert_non_null(yaml_get(pod, "terminationGracePeriodSeconds"));
	assert_non_null(yaml_get(pod, "nodeSelector"));
	assert_non_null(yaml_get(yaml_get(spec, "podFailurePolicy"), "rules"));
	assert_non_null(strstr(str_z(&y), "command: [\"tare\", \"run\", \"--every\","));
	assert_true(says(r, "minSize=0") && says(r, "--capacity-type SPOT"));
	yaml_doc_free(d);
	str_free(&y);
	fix_close(&x);
}

/* ---- services ---------------------------------------------------------------------------- */

/* Rows of so many minutes for three weeks; in one of them twice the requests of the others. */
static void add_log(struct fix *x, int step_min)
{
	struct fleet_service s = { .service = "ranker", .min0 = x->f.minute.n };

	for (int64_t i = 0; i < 21 * 1440 / step_min; i++) {
		int64_t n = i == 100 ? 2000 : 1000;
		*vec_push(&x->f.minute) = (struct fleet_minute){
			x->f.since_ms + i * step_min * MS_MINUTE, n, n, 20, 40, 80
		};
		s.requests += n;
		s.nmin++;
	}
	fleet_log_measure(&x->f, &s);
	*vec_push(&x->f.service) = s;
}

static void open_ranker(struct fix *x, bool rolling)
{
	struct err err;

	fix_open(x, 28 * 24);
	market(x, 4, 4);
	for (int i = 0; i < 4; i++) {
		const char *name = (const char *[]){ "s1", "s2", "s3", "s4" }[i];
		double from = rolling && i >= 2 ? 240 : 0, to = rolling && i < 2 ? 240 : 504;
		struct workload *w = fix_workload(x, WORKLOAD_SERVICE, name,
						  fix_node(x, name, "serving", 0, 504), 4, from, to,
						  1);
		w->service = "ranker";
		w->workload = "inference";
		w->stats.util_mean_pct = 15;
	}
	add_log(x, 1);
	fix_done(x);
	plan_conf_free(&x->conf);
	assert_int_equal(
		plan_conf_parse(
			"c",
			SV("version: 1\nplan: {rules: [{when: {service: ranker}, spot_floor_frac: 0.5}]}\n"),
			&x->conf, &err),
		0);
}

/* Services stay, unless a rule says which part stays on demand and that part carried the load
 * alone. */
static void services_only_above_their_floor(void **state)
{
	struct fix x;
	open_ranker(&x, false);
	/* 15 % of four machines of four is 4.8 GPUs in the highest minute: 60 % of the floor's */
	fix_ask(&x, LEVER_SPOT);
	struct rec *r = fix_rec(&x, "spot-service-ranker");
	assert_non_null(r);
	assert_int_equal(r->tier, TIER_TRIAL);
	assert_int_equal(r->change.n, 2);
	assert_int_equal(r->change.v[0].workload, 2);
	assert_true(r->replay.interruptions > 0);
	assert_true(fabs((double)r->change.v[0].after.cost_nano / 1e9 - 504 * 4) < 4);
	assert_non_null(action_of(r, ACTION_POOL));
	/* first on spot, then fewer on demand, then the machines of those that moved */
	static const enum action_kind order[] = { ACTION_POOL,     ACTION_CORDON, ACTION_CORDON,
						  ACTION_REPLICAS, ACTION_DRAIN,  ACTION_ROLLOUT,
						  ACTION_STOP,     ACTION_DRAIN,  ACTION_ROLLOUT,
						  ACTION_STOP };
	assert_int_equal(r->action.n, sizeof order / sizeof *order);
	for (size_t i = 0; i < r->action.n; i++)
		assert_int_equal(r->action.v[i].kind, order[i]);
	for (int i = 0; i < 4; i++)
		x.f.workload.v[i].stats.util_mean_pct =
			21; /* 84 %, and a quarter more is too much */
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	assert_true(
		noted(&x, "would not have carried 25 % more than the highest minute, in which"));
	x.f.workload.v[3].stats.covered_frac = 0.1;
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	assert_true(noted(&x, "not read well enough"));
	fix_close(&x);
	open_ranker(&x, false); /* hours hide their minutes */
	x.f.service.n = x.f.minute.n = 0;
	add_log(&x, 60);
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	assert_true(noted(&x, "no request log"));
	fix_close(&x);
	open_ranker(&x, false); /* a week and a day */
	x.f.service.v[0].days = 8;
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	assert_true(noted(&x, "8 days of a request log"));
	fix_close(&x);
	fix_open(&x, 240); /* without a rule */
	fix_workload(&x, WORKLOAD_SERVICE, "s", fix_node(&x, "s", "serving", 0, 240), 4, 0, 240, 1)
		->service = "ranker";
	fix_done(&x);
	fix_ask(&x, LEVER_SPOT);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* A floor in one cluster carries no load in another. */
static void no_floor_across_clusters(void **state)
{
	struct fix x;
	open_ranker(&x, false);
	x.f.workload.v[3].cluster = "west";
	fix_ask(&x, LEVER_SPOT);
	assert_null(fix_rec(&x, "spot-service-ranker"));
	assert_has(x.note.v[0], "would stand in several clusters");
	fix_close(&x);
}

/* A rolling update: the floor's replicas end where the others begin, and nothing on demand would be
 * left. */
static void no_spot_without_the_floor_beside_it(void **state)
{
	struct fix x;
	open_ranker(&x, true);
	fix_ask(&x, LEVER_SPOT);
	assert_null(fix_rec(&x, "spot-service-ranker"));
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_habit_goes_whole),
		cmocka_unit_test(one_run_that_nobody_knows_to_resume),
		cmocka_unit_test(what_it_would_be_worth_is_advice),
		cmocka_unit_test(too_few_runs),
		cmocka_unit_test(a_price_is_no_market),
		cmocka_unit_test(the_range_is_the_markets),
		cmocka_unit_test(own_prices_before_a_feed),
		cmocka_unit_test(no_time_to_spare),
		cmocka_unit_test(leaves_alone),
		cmocka_unit_test(only_what_pays),
		cmocka_unit_test(a_gang_counts_once),
		cmocka_unit_test(a_patch_for_kubernetes),
		cmocka_unit_test(services_only_above_their_floor),
		cmocka_unit_test(no_floor_across_clusters),
		cmocka_unit_test(no_spot_without_the_floor_beside_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
