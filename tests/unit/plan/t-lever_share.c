/* Lever share on fleets made by hand: whole machines only, what is not known is left alone,
 * promises kept in replay, two services on a card. */
#include "hand.h"

#include "catalog/catalog.h"

static const char provider[] = "aws", region[] = "us-east-1", type[] = "p4d.24xlarge",
		  model[] = "A100-SXM4-40GB", on_demand[] = "on_demand", cluster[] = "serving",
		  team[] = "search", *const node[] = { "n0", "n1", "n2", "n3" };
static struct catalog *catalog;

struct world {
	struct fleet f;
	struct plan_conf conf;
	struct use *use;
	struct arena mem;
	struct text_list note;
	struct rec_list out;
};

static void begin(struct world *w)
{
	memset(w, 0, sizeof *w);
	hand_window(&w->f, 1);
	w->conf = hand_conf;
	w->conf.serving_target_util_frac = 0.8;
	w->conf.slo_p99_growth_frac = 0.5;
}

static void add_node(struct world *w, size_t i, int gpus)
{
	*vec_push(&w->f.node) = (struct fleet_node){ .node = node[i],
						     .cluster = cluster,
						     .provider = provider,
						     .region = region,
						     .zone = "",
						     .instance_type = type,
						     .gpu_model = model,
						     .purchase = on_demand,
						     .currency = "USD",
						     .gpus_milli = gpus * 1000,
						     .from_ms = w->f.since_ms,
						     .to_ms = w->f.until_ms,
						     .elastic = true };
}

static struct work *add_replica(struct world *w, const char *service, size_t n, double util_pct,
				double mem_frac)
{
	struct work *x = hand_work(&w->f, WORK_SERVICE, service, w->f.since_ms, w->f.until_ms, 1,
				   100 * NANO);

	x->node = node[n];
	x->node_index = n;
	x->team = team;
	x->cluster = cluster;
	x->instance_type = type;
	x->provider = provider, x->region = region, x->gpu_model = model, x->purchase = on_demand;
	x->stats = (struct work_stats){ .covered_frac = 1,
					.util_mean_pct = util_pct,
					.mem_p99_bytes = mem_frac * 40e9,
					.mem_total_bytes = 40e9 };
	return x;
}

/* So many requests each minute, twice that in one of the day. */
static void add_requests(struct world *w, const char *service, int64_t count)
{
	struct fleet_service s = { service, w->f.minute.n, 1440, 0 };

	for (int i = 0; i < 1440; i++) {
		int64_t n = i == 700 ? 2 * count : count;
		*vec_push(&w->f.minute) =
			(struct fleet_minute){ w->f.since_ms + i * MS_MINUTE, n, n, 20, 40, 80 };
		s.requests += n;
	}
	*vec_push(&w->f.service) = s;
}

static int propose(struct world *w)
{
	struct err e = { 0 };

	w->use = xcalloc(w->f.work.n, sizeof *w->use);
	for (size_t i = 0; i < w->f.work.n; i++) {
		const struct work *x = &w->f.work.v[i];
		w->use[i] = (struct use){ .provider = x->provider,
					  .region = x->region,
					  .zone = x->zone,
					  .instance_type = x->instance_type,
					  .gpu_model = x->gpu_model,
					  .purchase = x->purchase,
					  .gpus_milli = x->gpus_milli,
					  .start_ms = x->start_ms,
					  .end_ms = x->end_ms,
					  .stretch = 1,
					  .cost_nano = x->cost_nano };
	}
	struct lever_in in = { .fleet = &w->f,
			       .use = w->use,
			       .catalog = catalog,
			       .conf = &w->conf,
			       .now_ms = w->f.until_ms,
			       .seed = 1,
			       .mem = &w->mem,
			       .note = &w->note };
	int r = lever_share_propose(&in, &w->out, &e);
	for (size_t i = 0; i < w->out.v.n; i++)
		check_actions(&w->f, w->out.v.v[i]);
	return r;
}

static void end(struct world *w)
{
	for (size_t i = 0; i < w->out.v.n; i++)
		rec_free(w->out.v.v[i]);
	vec_free(&w->out.v);
	vec_free(&w->note);
	vec_free(&w->conf.rule);
	free(w->use);
	arena_free(&w->mem);
	hand_free(&w->f);
}

static int64_t saving(const struct world *w)
{
	int64_t sum = 0;

	for (size_t i = 0; i < w->out.v.n; i++)
		for (size_t k = 0; k < w->out.v.v[i]->change.n; k++)
			sum += w->use[w->out.v.v[i]->change.v[k].work].cost_nano -
			       w->out.v.v[i]->change.v[k].after.cost_nano;
	return sum;
}

/* 32 replicas at 20 % on four machines of eight: 6.4 cards of work, 8 at 80 %: the busiest minute
 * is above the 99th percentile but must not overflow. */
static void serving(struct world *w, double util_pct)
{
	begin(w);
	for (size_t n = 0; n < 4; n++) {
		add_node(w, n, 8);
		for (int k = 0; k < 8; k++)
			add_replica(w, "ranker", n, util_pct, 0.6);
	}
}

static void whole_machines(void **s)
{
	struct world w;

	serving(&w, 20);
	add_requests(&w, "ranker", 32000);
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	const struct rec *r = w.out.v.v[0];
	/* in that one minute 12.8 cards are busy: 13 replicas, two machines */
	assert_int_equal(r->change.n, 16);
	assert_int_equal(saving(&w), 1600 * NANO);
	assert_true(r->risk == RISK_MEDIUM && r->replay.oom == 0 && r->replay.slo_violations == 0 &&
		    r->replay.requests == 1441 * 32000);
	assert_true(r->replay.p99_before_ms == 80 && r->replay.p99_after_ms >= 80 &&
		    r->replay.p99_after_ms <= 120);
	assert_string_equal(line_of(&w.mem, r, false, 2),
			    "kubectl scale deployment ranker --replicas=16");
	end(&w);
}

static void nothing(struct world *w, const char *why)
{
	assert_int_equal(propose(w), 0);
	assert_int_equal(w->out.v.n, 0);
	if (why) {
		assert_int_equal(w->note.n, 1);
		assert_non_null(strstr(w->note.v[0], why));
	}
	end(w);
}

static void left_alone(void **s)
{
	struct world w;

	serving(&w, 20); /* no log */
	nothing(&w, "no request log");
	serving(&w, 66);
	add_requests(&w, "ranker", 32000);
	nothing(&w, NULL);
	serving(&w, 20);
	add_requests(&w, "ranker", 32000);
	for (size_t i = 0; i < w.f.work.n; i++)
		w.f.work.v[i].stats.covered_frac = 0.3;
	nothing(&w, "not measured");
	serving(&w, 20);
	add_requests(&w, "ranker", 32000);
	for (size_t i = 0; i < w.f.work.n; i++)
		w.f.work.v[i].stats.mem_p99_bytes = 39e9;
	nothing(&w, "no room for a tenth more");
	serving(&w, 20);
	add_requests(&w, "ranker", 32000);
	for (size_t i = 0; i < w.f.work.n; i++)
		w.f.work.v[i].stats.mem_p99_bytes = NAN;
	nothing(&w, "memory was not measured");
	serving(&w, 20);
	add_requests(&w, "ranker", 32000);
	for (size_t i = 0; i < w.f.work.n; i++)
		w.f.work.v[i].elastic = false;
	nothing(&w, NULL);
}

/* Eleven replicas would do, but all run on one machine of sixteen. */
static void no_whole_machine(void **s)
{
	struct world w;

	begin(&w);
	add_node(&w, 0, 16);
	for (int k = 0; k < 16; k++)
		add_replica(&w, "ranker", 0, 20, 0.6);
	add_requests(&w, "ranker", 16000);
	nothing(&w, "frees no whole p4d.24xlarge");
}

/* A machine on which a job runs too cannot be given back: two others go. */
static void mixed(void **s)
{
	struct world w;

	serving(&w, 20);
	struct work *job = hand_work(&w.f, WORK_JOB, "train", w.f.since_ms, w.f.since_ms + MS_HOUR,
				     1, NANO);
	job->node = node[3];
	job->node_index = 3;
	add_requests(&w, "ranker", 32000);
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	for (size_t k = 0; k < w.out.v.v[0]->change.n; k++)
		assert_true(w.f.work.v[w.out.v.v[0]->change.v[k].work].node != node[3]);
	assert_int_equal(saving(&w), 1600 * NANO);
	end(&w);
}

/* A promise that history only just keeps: no queue may come on top. */
static void promise(void **s)
{
	struct world w;
	struct plan_rule rule = { .checkpointable = -1,
				  .interruptible = -1,
				  .deadline_slack_frac = NAN,
				  .slo_p99_ms = 80,
				  .data_gb = NAN,
				  .spot_floor_frac = NAN };

	serving(&w, 20);
	add_requests(&w, "ranker", 32000);
	*vec_push(&rule.when) = (struct plan_match){ "service", "ranker" };
	*vec_push(&w.conf.rule) = rule;
	assert_int_equal(propose(&w), 0);
	for (size_t i = 0; i < w.out.v.n; i++)
		assert_true(w.out.v.v[i]->replay.p99_after_ms <= 80);
	vec_free(&w.conf.rule.v[0].when);
	end(&w);
}

/* Two services of one card each: 20 % and 15 %, 15 % of the memory: one card by MIG, one machine
 * back. */
static void two_on_a_card(void **s)
{
	struct world w;

	begin(&w);
	for (size_t n = 0; n < 2; n++) {
		add_node(&w, n, 1);
		add_replica(&w, n ? "embed" : "ranker", n, n ? 15 : 20, 0.15);
		add_requests(&w, n ? "embed" : "ranker", 1000);
	}
	w.conf.slo_p99_growth_frac = 3;
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	assert_int_equal(saving(&w), 100 * NANO);
	static const char *const lines[] = { "share a card by mig",
					     "\"4g.20gb\": 1",
					     "\"3g.20gb\": 1",
					     "wait for ranker",
					     "nvidia.com/mig.config=tare-share",
					     "kubectl uncordon" };
	for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
		assert_true(says(w.out.v.v[0], lines[k]));
	end(&w);

	begin(&w); /* different teams, and nobody was asked */
	for (size_t n = 0; n < 2; n++) {
		add_node(&w, n, 1);
		add_replica(&w, n ? "embed" : "ranker", n, n ? 15 : 20, 0.15)->team = n ? "red"
											: "blue";
		add_requests(&w, n ? "embed" : "ranker", 1000);
	}
	w.conf.slo_p99_growth_frac = 3;
	nothing(&w, NULL);
}

static int setup(void **s)
{
	struct err e;
	return catalog_open(NULL, &catalog, &e);
}

static int teardown(void **s)
{
	catalog_free(catalog);
	return 0;
}

int main(void)
{
	const struct CMUnitTest t[] = {
		cmocka_unit_test(whole_machines),   cmocka_unit_test(left_alone),
		cmocka_unit_test(no_whole_machine), cmocka_unit_test(mixed),
		cmocka_unit_test(promise),          cmocka_unit_test(two_on_a_card)
	};
	return cmocka_run_group_tests(t, setup, teardown);
}
