/* Lever commit on fleets made by hand: what the level is, that the money adds up, and when nothing
 * is proposed. */
#include "../plan/hand.h"

#include "catalog/catalog.h"

#define DAYS 56                 /* of use: enough for all of what always runs */
#define OD   (NANO * 274 / 100) /* what a GPU-hour costs on demand */

static struct catalog *catalog;

struct world {
	struct fleet f;
	struct plan_conf conf;
	struct use *use;
	struct arena mem;
	struct text_list note;
	struct rec_list out;
	double horizon_days;
};

static void begin(struct world *w, int days)
{
	memset(w, 0, sizeof *w);
	hand_window(&w->f, days);
	w->conf = hand_conf;
	w->conf.upfront_cap_usd = INFINITY;
	w->conf.max_term = "1y";
	w->conf.gates = (struct plan_gates){ .commit_full_weeks = 8,
					     .commit_half_weeks = 4,
					     .commit_use_pct = 10,
					     .commit_3y_weeks = 26 };
}

/* The owner's word for all workloads. */
static void say_steady(struct world *w, int64_t until_ms)
{
	struct plan_rule *r = vec_push(&w->conf.rule);

	*r = (struct plan_rule){ .checkpointable = -1,
				 .interruptible = -1,
				 .steady_until_ms = until_ms };
	*vec_push(&r->when) = (struct plan_match){ "team", "red" };
}

/* GPUs that are committed to, from the fee of so many days back. */
static double gpus_of(const struct rec *r, int days)
{
	return (double)r->fee_nano / (days * 24) / (13.1745852e9 / 8);
}

static struct workload *service(struct world *w, const char *name, const char *type, int64_t gpus,
				int64_t from_ms, int64_t to_ms)
{
	struct workload *x = hand_workload(&w->f, WORKLOAD_SERVICE, name, from_ms, to_ms, gpus,
					   OD * gpus * ((to_ms - from_ms) / MS_HOUR));

	x->instance_type = type;
	return x;
}

/* If set, the last work was moved there, by an item of this tier. */
static const char *moved_to;
static enum tier moved_by;

static void propose(struct world *w)
{
	struct err e = { 0 };

	w->use = xcalloc(w->f.workload.n, sizeof *w->use);
	for (size_t i = 0; i < w->f.workload.n; i++) {
		const struct workload *x = &w->f.workload.v[i];
		w->use[i] = (struct use){ .provider = x->provider,
					  .region = x->region,
					  .zone = x->zone,
					  .instance_type = x->instance_type,
					  .gpu_model = x->gpu_model,
					  .purchase = x->purchase,
					  .gpus_milli = x->gpus_milli,
					  .start_ms = x->start_ms,
					  .end_ms = x->end_ms,
					  .slowdown = 1,
					  .cost_nano = x->cost_nano };
	}
	if (moved_to) {
		w->use[w->f.workload.n - 1].instance_type = moved_to;
		w->use[w->f.workload.n - 1].tier = moved_by;
	}
	struct lever_in in = { .fleet = &w->f,
			       .use = w->use,
			       .catalog = catalog,
			       .conf = &w->conf,
			       .now_ms = w->f.until_ms,
			       .seed = 1,
			       .mem = &w->mem,
			       .horizon_days = w->horizon_days,
			       .note = &w->note };
	assert_int_equal(lever_commit_propose(&in, &w->out, &e), 0);
	for (size_t i = 0; i < w->out.v.n; i++)
		check_actions(&w->f, w->out.v.v[i]);
}

static void end(struct world *w)
{
	for (size_t i = 0; i < w->out.v.n; i++)
		rec_free(w->out.v.v[i]);
	vec_free(&w->out.v);
	vec_free(&w->note);
	for (size_t i = 0; i < w->conf.rule.n; i++)
		vec_free(&w->conf.rule.v[i].when);
	vec_free(&w->conf.rule);
	vec_free(&w->conf.frozen_team);
	free(w->use);
	arena_free(&w->mem);
	hand_free(&w->f);
}

/* What the recommendation takes off the works' costs, now and at the 95th percentile of cost. */
static int64_t taken_off(const struct world *w, bool expensive)
{
	int64_t sum = 0;

	for (size_t k = 0; k < w->out.v.v[0]->change.n; k++) {
		const struct rec_change *c = &w->out.v.v[0]->change.v[k];
		assert_true(c->after.cost_nano >= 0 && c->lo_nano <= c->after.cost_nano &&
			    c->hi_nano >= c->after.cost_nano &&
			    c->hi_nano <= w->use[c->workload].cost_nano);
		sum += w->use[c->workload].cost_nano -
		       (expensive ? c->hi_nano : c->after.cost_nano);
	}
	return sum;
}

/* 16 GPUs all the time, two workloads; a committed hour costs 60 %: all of it is worth committing,
 * and expensive when the level falls. */
static void steady(void **state)
{
	struct world w;
	begin(&w, DAYS);
	service(&w, "a", "p4d.24xlarge", 10, w.f.since_ms, w.f.until_ms);
	service(&w, "b", "p4d.24xlarge", 6, w.f.since_ms, w.f.until_ms);
	propose(&w);
	assert_int_equal(w.out.v.n, 1);
	const struct rec *r = w.out.v.v[0];
	int64_t hours = DAYS * 24, off = taken_off(&w, false);
	/* from the fee back to the level */
	double gpus = (double)r->fee_nano / (double)hours / (13.1745852e9 / 8);
	assert_true(gpus > 15.9 && gpus <= 16.0001);
	assert_true(llabs(off - (int64_t)(gpus * (double)hours * (double)OD)) < NANO / 1000);
	/* saves; less so if demand drifts away */
	assert_true(off > r->fee_nano && taken_off(&w, true) < off);
	assert_true(r->risk >= RISK_MEDIUM); /* never low */
	assert_int_equal(r->tier, TIER_BINDS);
	/* all that is paid in a year */
	assert_true(llabs(r->bound_nano - llround(16.0 * 8760 * 13.1745852e9 / 8)) < NANO);
	assert_string_equal(r->id, "commit-p4d.24xlarge-us-east-1");
	assert_true(has_lines(r) && r->risk_text.n && r->evidence.n >= 5);
	end(&w);
}

/* 8 GPUs always, 8 more half of the day: only the first are committed to, by the savings plan to
 * the hundredth of a GPU. */
static void half_the_day(void **state)
{
	struct world w;
	begin(&w, DAYS);
	service(&w, "a", "p4d.24xlarge", 8, w.f.since_ms, w.f.until_ms);
	for (int d = 0; d < DAYS; d++)
		service(&w, "day", "p4d.24xlarge", 8, w.f.since_ms + d * MS_DAY,
			w.f.since_ms + d * MS_DAY + 12 * MS_HOUR);
	propose(&w);
	assert_int_equal(w.out.v.n, 1);
	double gpus = (double)w.out.v.v[0]->fee_nano / (DAYS * 24) / (13.1745852e9 / 8);
	assert_true(gpus > 7.9 && gpus <= 8.0001);
	end(&w);
}

static void nothing_to_commit(void **state)
{
	struct world w;

	begin(&w, DAYS); /* always half used */
	for (int d = 0; d < DAYS; d++)
		service(&w, "day", "p4d.24xlarge", 8, w.f.since_ms + d * MS_DAY,
			w.f.since_ms + d * MS_DAY + 12 * MS_HOUR);
	propose(&w);
	assert_int_equal(w.out.v.n, 0);
	end(&w);

	begin(&w, DAYS); /* no on-demand machines, frozen, or not to be given back */
	service(&w, "a", "p4d.24xlarge", 8, w.f.since_ms, w.f.until_ms)->purchase = "spot";
	service(&w, "b", "p4d.24xlarge", 8, w.f.since_ms, w.f.until_ms)->team = "blue";
	service(&w, "c", "p4d.24xlarge", 8, w.f.since_ms, w.f.until_ms)->elastic = false;
	*vec_push(&w.conf.frozen_team) = "blue";
	propose(&w);
	assert_int_equal(w.out.v.n, 0);
	end(&w);

	begin(&w, DAYS); /* people want none */
	service(&w, "a", "p4d.24xlarge", 8, w.f.since_ms, w.f.until_ms);
	w.conf.max_term = "none";
	propose(&w);
	assert_int_equal(w.out.v.n + w.note.n, 0);
	end(&w);
}

/* Offers that were worked out and do not pay, or of which too little always runs, are told with
 * their numbers. */
static void what_does_not_pay_is_told(void **state)
{
	struct world w;

	begin(&w, DAYS); /* always half used */
	for (int d = 0; d < DAYS; d++)
		service(&w, "day", "p4d.24xlarge", 8, w.f.since_ms + d * MS_DAY,
			w.f.since_ms + d * MS_DAY + 12 * MS_HOUR);
	propose(&w);
	assert_int_equal(w.note.n, 1);
	assert_string_equal(
		w.note.v[0],
		"commit: what runs in 90 % of the hours fills no machine: p4d.24xlarge in us-east-1 (0.00 GPUs, 4.00 on average)");
	end(&w);

	begin(&w, DAYS); /* 40 % a year is 1.6468 for what was paid at 2.74 */
	service(&w, "a", "p5.48xlarge", 20, w.f.since_ms, w.f.until_ms);
	w.conf.outdated_year_frac = 0.9;
	propose(&w);
	assert_int_equal(w.note.n, 1);
	assert_has(w.note.v[0], "no cheaper than what is paid: p5.48xlarge in us-east-1 (1.5000");
	assert_has(w.note.v[0], "counts as");
	assert_has(w.note.v[0], "2.7400 $/GPU·h paid)");
	end(&w);

	begin(&w, DAYS); /* a machine upfront is more than may be paid */
	service(&w, "a", "p5.48xlarge", 20, w.f.since_ms, w.f.until_ms);
	w.conf.upfront_cap_usd = 1000;
	propose(&w);
	assert_int_equal(w.out.v.n, 1);
	assert_has(w.out.v.v[0]->no_gain, "43800.00 USD upfront for a machine");
	end(&w);

	begin(&w, DAYS); /* since five days less than a machine is left */
	service(&w, "a", "p5.48xlarge", 16, w.f.since_ms, w.f.until_ms - 5 * MS_DAY);
	service(&w, "a", "p5.48xlarge", 4, w.f.until_ms - 5 * MS_DAY, w.f.until_ms);
	propose(&w);
	assert_int_equal(w.out.v.n, 1);
	assert_non_null(w.out.v.v[0]->no_gain);
	assert_has(w.out.v.v[0]->no_gain, "of the 16.00 GPUs that always ran, use as it changed");
	end(&w);
}

/* A year at 60 % pays for itself in 220 days: who looks 7 months ahead buys nothing, who looks a
 * year or more buys what he did. */
static void only_so_far_ahead(void **state)
{
	static const struct {
		double days;
		size_t n;
	} of[] = { { 0, 1 }, { 200, 0 }, { 360, 1 }, { 365, 1 }, { 3650, 1 } };

	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		struct world w;
		begin(&w, DAYS);
		w.horizon_days = of[i].days;
		service(&w, "a", "p4d.24xlarge", 8, w.f.since_ms, w.f.until_ms);
		propose(&w);
		assert_int_equal(w.out.v.n, of[i].n);
		end(&w);
	}
}

static void not_known(void **state)
{
	struct world w;

	begin(&w, DAYS); /* a type without a committed price: said, not guessed */
	service(&w, "a", "p3.16xlarge", 8, w.f.since_ms, w.f.until_ms);
	propose(&w);
	assert_int_equal(w.out.v.n, 0);
	assert_int_equal(w.note.n, 1);
	assert_non_null(strstr(w.note.v[0], "p3.16xlarge"));
	end(&w);

	begin(&w, 7); /* a week is too short */
	service(&w, "a", "p4d.24xlarge", 8, w.f.since_ms, w.f.until_ms);
	propose(&w);
	assert_int_equal(w.out.v.n, 0);
	assert_int_equal(w.note.n, 1);
	end(&w);
}

/* Four to eight weeks: half; all of what the owner says goes on beyond the term; less: nothing. */
static void few_weeks(void **state)
{
	static const struct {
		int days;
		bool word;
		double gpus;
	} of[] = { { 27, false, 0 }, { 27, true, 0 },  { 28, false, 4 },
		   { 28, true, 8 },  { 55, false, 4 }, { 56, false, 8 } };

	for (size_t i = 0; i < COUNT(of); i++) {
		struct world w;
		begin(&w, of[i].days);
		service(&w, "a", "p4d.24xlarge", 8, w.f.since_ms, w.f.until_ms);
		if (of[i].word)
			say_steady(&w, w.f.until_ms + 366 * MS_DAY);
		propose(&w);
		if (of[i].gpus > 0 &&
		    (w.out.v.n != 1 || fabs(gpus_of(w.out.v.v[0], of[i].days) - of[i].gpus) > 0.01))
			fail_msg("%d days: %.2f GPUs", of[i].days,
				 w.out.v.n ? gpus_of(w.out.v.v[0], of[i].days) : 0);
		if (!(of[i].gpus > 0)) {
			assert_int_equal(w.out.v.n, 0);
			assert_has(w.note.v[0], "too few to be bound");
		}
		end(&w);
	}
	struct world w; /* a word for less than the term is none */
	begin(&w, 28);
	service(&w, "a", "p4d.24xlarge", 8, w.f.since_ms, w.f.until_ms);
	say_steady(&w, w.f.until_ms + 300 * MS_DAY);
	propose(&w);
	assert_true(fabs(gpus_of(w.out.v.v[0], 28) - 4) < 0.01);
	end(&w);
}

/* The use of nine hours in ten, whatever the price would allow: 60 % of the price pays from six. */
static void what_nine_hours_in_ten_use(void **state)
{
	struct world w;
	begin(&w, DAYS);
	service(&w, "a", "p4d.24xlarge", 8, w.f.since_ms, w.f.until_ms);
	for (int d = 0; d < DAYS; d++) /* 16 more for 20 hours a day: 83 % */
		service(&w, "day", "p4d.24xlarge", 16, w.f.since_ms + d * MS_DAY,
			w.f.since_ms + d * MS_DAY + 20 * MS_HOUR);
	propose(&w);
	assert_int_equal(w.out.v.n, 1);
	assert_true(fabs(gpus_of(w.out.v.v[0], DAYS) - 8) < 0.01);
	end(&w);
}

/* Sized for the lowest outcome of what is still to be tried: what a trial moved here may go back,
 * what it took away may stay away. What is sure counts. */
static void open_trials(void **state)
{
	static const struct {
		enum tier tier;
		double gpus;
	} of[] = { { TIER_SURE, 16 }, { TIER_TRIAL, 8 } };

	for (size_t i = 0; i < COUNT(of); i++) {
		struct world w;
		begin(&w, DAYS);
		service(&w, "a", "p4d.24xlarge", 8, w.f.since_ms, w.f.until_ms);
		service(&w, "moved", "p3.16xlarge", 8, w.f.since_ms, w.f.until_ms);
		moved_to = "p4d.24xlarge";
		moved_by = of[i].tier;
		propose(&w);
		moved_to = NULL;
		assert_int_equal(w.out.v.n, 1);
		assert_true(fabs(gpus_of(w.out.v.v[0], DAYS) - of[i].gpus) < 0.01);
		end(&w);
	}
}

/* A price for three years: only with half a year of history and the owner's word for all of it. */
static void three_years(void **state)
{
	for (int word = 0; word < 2; word++)
		for (int days = 56; days <= 182; days += 126) {
			struct world w;
			begin(&w, days);
			w.conf.max_term = "3y";
			service(&w, "a", "p5en.48xlarge", 8, w.f.since_ms, w.f.until_ms);
			if (word)
				say_steady(&w, w.f.until_ms + 3 * 366 * MS_DAY);
			propose(&w);
			bool taken = w.out.v.n && !w.out.v.v[0]->no_gain;
			assert_int_equal(taken, word && days == 182);
			if (!taken)
				assert_has(w.out.v.v[0]->no_gain, "three years want 26 weeks");
			if (taken) /* 8 GPUs at 0.50 an hour, for three years */
				assert_true(llabs(w.out.v.v[0]->bound_nano -
						  8 * 3 * 8760 * (NANO / 2)) < NANO);
			end(&w);
		}
}

/* The point is the middle of what is used over the term, and the range says that it may be less,
 * and not that it can be more than all. */
static void a_distribution_over_use(void **state)
{
	struct world w;
	begin(&w, DAYS);
	for (int d = 0; d < DAYS; d++) /* 8 to 12 GPUs, another level each week */
		service(&w, "a", "p4d.24xlarge", 8 + d / 7 % 3 * 2, w.f.since_ms + d * MS_DAY,
			w.f.since_ms + (d + 1) * MS_DAY);
	propose(&w);
	assert_int_equal(w.out.v.n, 1);
	const struct rec *r = w.out.v.v[0];
	int64_t mid = taken_off(&w, false), low = taken_off(&w, true);
	int64_t most = llround(gpus_of(r, DAYS) * DAYS * 24 * (double)OD);
	assert_true(mid <= most + NANO && low < mid - (mid - r->fee_nano) / 20);
	end(&w);
}

/* A service that was switched off a week ago is not committed to for a year. */
static void gone(void **state)
{
	struct world w;
	begin(&w, DAYS);
	service(&w, "a", "p4d.24xlarge", 16, w.f.since_ms, w.f.until_ms - 7 * MS_DAY);
	service(&w, "b", "p4d.24xlarge", 8, w.f.since_ms, w.f.until_ms);
	propose(&w);
	assert_int_equal(w.out.v.n, 1);
	double gpus = (double)w.out.v.v[0]->fee_nano / (DAYS * 24) / (13.1745852e9 / 8);
	assert_true(gpus > 4 && gpus <= 8.0001);
	end(&w);
}

/* Reserved machines are whole ones; money upfront has a cap; a type that is soon outdated has to be
 * cheaper. */
static void terms(void **state)
{
	struct world w;
	begin(&w, DAYS);
	service(&w, "a", "p5.48xlarge", 20, w.f.since_ms, w.f.until_ms);
	propose(&w);
	assert_int_equal(w.out.v.n, 1);
	/* two of eight GPUs at 12 an hour */
	assert_true(llabs(w.out.v.v[0]->fee_nano - 16 * DAYS * 24 * (NANO * 3 / 2)) < 2000);
	end(&w);

	begin(&w, DAYS);
	service(&w, "a", "p5.48xlarge", 20, w.f.since_ms, w.f.until_ms);
	w.conf.upfront_cap_usd = 50000; /* one machine costs 43,800 upfront */
	propose(&w);
	assert_int_equal(w.out.v.n, 1);
	assert_true(llabs(w.out.v.v[0]->fee_nano - 8 * DAYS * 24 * (NANO * 3 / 2)) < 2000);
	end(&w);

	begin(&w, DAYS);
	service(&w, "a", "p5.48xlarge", 20, w.f.since_ms, w.f.until_ms);
	w.conf.outdated_year_frac = 0.9;
	propose(&w);
	assert_int_equal(w.out.v.n, 0);
	end(&w);
}

/* The cap is in dollars: without a rate what is paid upfront cannot be held to it. */
static void a_cap_in_dollars(void **state)
{
	struct exchange_rate day = { SV("USD"), SV("JPY"), 1785000000000, DEC_ONE * 150 };

	(void)state;
	for (int known = 0; known < 2; known++) {
		struct world w;
		begin(&w, DAYS);
		w.f.currency = "JPY";
		struct workload *x = service(&w, "a", "yen-box", 20, w.f.since_ms, w.f.until_ms);
		x->currency = "JPY";
		x->cost_nano *= 150;
		w.conf.upfront_cap_usd = 50000; /* 7,500,000 yen: one machine of eight GPUs */
		if (known)
			exchange_take(&w.f.exchange, &day, 1);
		propose(&w);
		assert_int_equal(w.out.v.n, known);
		if (known)
			assert_true(llabs(w.out.v.v[0]->fee_nano -
					  8 * DAYS * 24 * 150 * (NANO * 3 / 2)) < 2000 * 150);
		else
			assert_has(w.note.v[0], "USD to JPY");
		end(&w);
	}
}

/* An own price of 240 yen, and 1 dollar of a feed, which would be 150: the own one is what is paid.
 *  */
static void own_price_before_a_list(void **state)
{
	struct exchange_rate day = { SV("USD"), SV("JPY"), 1785000000000, DEC_ONE * 150 };
	struct world w;

	(void)state;
	begin(&w, DAYS);
	w.f.currency = "JPY";
	struct workload *x = service(&w, "a", "two-box", 8, w.f.since_ms, w.f.until_ms);
	x->currency = "JPY";
	x->cost_nano *= 150;
	exchange_take(&w.f.exchange, &day, 1);
	propose(&w);
	assert_int_equal(w.out.v.n, 1);
	assert_true(llabs(w.out.v.v[0]->fee_nano - 8 * DAYS * 24 * 240 * NANO) < 2000 * 150);
	end(&w);
}

static int setup(void **state)
{
	struct err e;
	if (catalog_open(NULL, &catalog, &e) < 0)
		return -1;
	const struct price p[] = {
		{ .provider = SV("aws"),
		  .region = SV("us-east-1"),
		  .zone = SV(""),
		  .instance_type = SV("p4d.24xlarge"),
		  .gpu_model = SV("A100-SXM4-40GB"),
		  .purchase = SV("savings_plan"),
		  .term = SV("1y"),
		  .currency = SV("USD"),
		  .source = SV("offer"),
		  .gpu_milli = 8000,
		  .hour = DEC_ONE / 10000000 * 131745852,
		  .from_ms = 1780000000000,
		  .to_ms = UNKNOWN_MS,
		  .interruption_lo_pct = -1,
		  .interruption_hi_pct = -1 },
		{ .provider = SV("aws"),
		  .region = SV("us-east-1"),
		  .zone = SV(""),
		  .instance_type = SV("p5.48xlarge"),
		  .gpu_model = SV("A10G"),
		  .purchase = SV("reserved_1y"),
		  .term = SV("partial upfront"),
		  .currency = SV("USD"),
		  .source = SV("offer"),
		  .gpu_milli = 8000,
		  .upfront = DEC_ONE * 43800,
		  .hour = DEC_ONE * 7,
		  .from_ms = 1780000000000,
		  .to_ms = UNKNOWN_MS,
		  .interruption_lo_pct = -1,
		  .interruption_hi_pct = -1 },
		{ .provider = SV("aws"),
		  .region = SV("us-east-1"),
		  .zone = SV(""),
		  .instance_type = SV("yen-box"),
		  .gpu_model = SV("A10G"),
		  .purchase = SV("reserved_1y"),
		  .term = SV("partial upfront"),
		  .currency = SV("JPY"),
		  .source = SV("offer"),
		  .gpu_milli = 8000,
		  .upfront = DEC_ONE * 43800 * 150,
		  .hour = DEC_ONE * 7 * 150,
		  .from_ms = 1780000000000,
		  .to_ms = UNKNOWN_MS,
		  .interruption_lo_pct = -1,
		  .interruption_hi_pct = -1 },
		{ .provider = SV("aws"),
		  .region = SV("us-east-1"),
		  .zone = SV(""),
		  .instance_type = SV("two-box"),
		  .gpu_model = SV("A10G"),
		  .purchase = SV("reserved_1y"),
		  .term = SV(""),
		  .currency = SV("JPY"),
		  .source = SV("offer"),
		  .gpu_milli = 8000,
		  .hour = DEC_ONE * 8 * 240,
		  .from_ms = 1780000000000,
		  .to_ms = UNKNOWN_MS,
		  .interruption_lo_pct = -1,
		  .interruption_hi_pct = -1 },
		{ .provider = SV("aws"),
		  .region = SV("us-east-1"),
		  .zone = SV(""),
		  .instance_type = SV("two-box"),
		  .gpu_model = SV("A10G"),
		  .purchase = SV("reserved_1y"),
		  .term = SV(""),
		  .currency = SV("USD"),
		  .source = SV("prices: feed"),
		  .gpu_milli = 8000,
		  .hour = DEC_ONE * 8,
		  .from_ms = 1780000000000,
		  .to_ms = UNKNOWN_MS,
		  .interruption_lo_pct = -1,
		  .interruption_hi_pct = -1 },
		{ .provider = SV("aws"),
		  .region = SV("us-east-1"),
		  .zone = SV(""),
		  .instance_type = SV("p5en.48xlarge"),
		  .gpu_model = SV("L4"),
		  .purchase = SV("reserved_3y"),
		  .term = SV("no upfront"),
		  .currency = SV("USD"),
		  .source = SV("offer"),
		  .gpu_milli = 8000,
		  .hour = DEC_ONE * 4,
		  .from_ms = 1780000000000,
		  .to_ms = UNKNOWN_MS,
		  .interruption_lo_pct = -1,
		  .interruption_hi_pct = -1 },
	};
	for (size_t i = 0; i < COUNT(p); i++)
		if (catalog_add_price(catalog, &p[i], &e) < 0)
			return -1;
	return 0;
}

static int teardown(void **state)
{
	catalog_free(catalog);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(steady),
					    cmocka_unit_test(half_the_day),
					    cmocka_unit_test(nothing_to_commit),
					    cmocka_unit_test(what_does_not_pay_is_told),
					    cmocka_unit_test(only_so_far_ahead),
					    cmocka_unit_test(not_known),
					    cmocka_unit_test(few_weeks),
					    cmocka_unit_test(what_nine_hours_in_ten_use),
					    cmocka_unit_test(open_trials),
					    cmocka_unit_test(three_years),
					    cmocka_unit_test(a_distribution_over_use),
					    cmocka_unit_test(gone),
					    cmocka_unit_test(terms),
					    cmocka_unit_test(a_cap_in_dollars),
					    cmocka_unit_test(own_price_before_a_list) };
	return cmocka_run_group_tests(tests, setup, teardown);
}
