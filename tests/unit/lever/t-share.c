/* Lever share on fleets made by hand: whole machines only, what is not known is left alone, the
 * highest minute also with one machine lost, no order of steps that leaves a service alone. */
#include "../plan/hand.h"

#include "catalog/catalog.h"

static const char provider[] = "aws", region[] = "us-east-1", type[] = "p4d.24xlarge",
		  model[] = "A100-SXM4-40GB", on_demand[] = "on_demand", cluster[] = "serving",
		  team[] = "search", west[] = "west", *const node[] = { "n0", "n1", "n2", "n3",
									"n4", "n5", "n6", "n7" },
		  *const resource[] = { "i-n0", "i-n1", "i-n2", "i-n3",
					"i-n4", "i-n5", "i-n6", "i-n7" };
static struct catalog *catalog;

/* A day of the log stands for a week: the settings below are in these. */
#define DAYS 4

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
	hand_window(&w->f, DAYS);
	w->conf = hand_conf;
	w->conf.serving_target_util_frac = 0.8;
	w->conf.slo_p99_growth_frac = 0.5;
	w->conf.gates = (struct plan_gates){ .watched_frac = 0.9,
					     .replicas_ready_weeks = 4 / 7.0,
					     .replicas_trial_weeks = 2 / 7.0,
					     .replicas_log_s = 60,
					     .replicas_peak_factor = 1.25,
					     .share_weeks = 2 / 7.0 };
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

static struct workload *add_replica(struct world *w, const char *service, size_t n, double util_pct,
				    double mem_frac)
{
	struct workload *x = hand_workload(&w->f, WORKLOAD_SERVICE, service, w->f.since_ms,
					   w->f.until_ms, 1, 100 * NANO);

	x->node = node[n];
	x->resource = resource[n];
	x->node_index = n;
	x->team = team;
	x->cluster = cluster;
	x->instance_type = type;
	x->provider = provider, x->region = region, x->gpu_model = model, x->purchase = on_demand;
	x->stats = (struct workload_stats){ .covered_frac = 1,
					    .util_mean_pct = util_pct,
					    .mem_p99_bytes = mem_frac * 40e9,
					    .mem_total_bytes = 40e9 };
	return x;
}

/* So many requests in each row, twice that in one of them; a row each step_min minutes of the last
 * days. */
static void add_log(struct world *w, const char *service, int64_t count, int days, int step_min)
{
	struct fleet_service s = { .service = service, .min0 = w->f.minute.n };
	int rows = days * 1440 / step_min;

	for (int i = 0; i < rows; i++) {
		int64_t n = i == 700 / step_min ? 2 * count : count;
		*vec_push(&w->f.minute) = (struct fleet_minute){
			w->f.until_ms - (int64_t)(rows - i) * step_min * MS_MINUTE, n, n, 20, 40, 80
		};
		s.requests += n;
		s.nmin++;
	}
	fleet_log_measure(&w->f, &s);
	*vec_push(&w->f.service) = s;
}

static void add_requests(struct world *w, const char *service, int64_t count)
{
	add_log(w, service, count, DAYS, 1);
}

static int propose(struct world *w)
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
			sum += w->use[w->out.v.v[i]->change.v[k].workload].cost_nano -
			       w->out.v.v[i]->change.v[k].after.cost_nano;
	return sum;
}

/* 32 replicas on four machines of eight. */
static void serving(struct world *w, double util_pct)
{
	begin(w);
	for (size_t n = 0; n < 4; n++) {
		add_node(w, n, 8);
		for (int k = 0; k < 8; k++)
			add_replica(w, "ranker", n, util_pct, 0.6);
	}
}

/* Where a line with this stands among those to do it or to undo it, -1. */
static int at(const struct rec *r, bool undo, const char *part)
{
	struct action_text t;
	int ret = -1;

	action_text_make(r->action.v, r->action.n, &t);
	const struct text_list *l = undo ? &t.undo : &t.apply;
	for (size_t i = 0; i < l->n && ret < 0; i++)
		if (strstr(l->v[i], part))
			ret = (int)i;
	action_text_free(&t);
	return ret;
}

static int count_of(const struct rec *r, enum action_kind k)
{
	int n = 0;

	for (size_t i = 0; i < r->action.n; i++)
		n += r->action.v[i].kind == k;
	return n;
}

/* At 10 % 6.4 GPUs are busy in the highest minute: 8 replicas, but on two machines one lost would
 * leave four of them. 14 on two leave seven. */
static void whole_machines(void **s)
{
	struct world w;

	serving(&w, 10);
	add_requests(&w, "ranker", 32000);
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	const struct rec *r = w.out.v.v[0];
	assert_int_equal(r->change.n, 16);
	assert_int_equal(saving(&w), 1600 * NANO);
	assert_true(r->tier == TIER_SURE && r->risk == RISK_LOW && r->replay.oom == 0 &&
		    r->replay.slo_violations == 0);
	assert_int_equal(r->replay.requests, (DAYS * 1440 + 1) * 32000LL);
	assert_true(r->replay.p99_before_ms == 80 && r->replay.p99_after_ms >= 80 &&
		    r->replay.p99_after_ms <= 120);
	assert_true(fabs(r->replay.lost_load_frac - 6.4 / 7) < 1e-3);
	assert_true(at(r, false, "kubectl -n NAMESPACE scale deployment ranker --replicas=14") >=
		    0);
	/* one at a time: empty, wait, give back, the next */
	assert_int_equal(count_of(r, ACTION_STOP), 2);
	assert_true(at(r, false, "cordon n3") < at(r, false, "drain n3"));
	assert_true(at(r, false, "drain n3") < at(r, false, "rollout status deployment/ranker"));
	assert_true(at(r, false, "rollout status") < at(r, false, "ids i-n3"));
	assert_true(at(r, false, "ids i-n3") < at(r, false, "cordon n2"));
	assert_true(at(r, false, "drain n2") < at(r, false, "ids i-n2"));
	/* and back: the last that went comes first, and replicas when there is room for them */
	assert_true(at(r, true, "start-instances --region us-east-1 --instance-ids i-n2") <
		    at(r, true, "uncordon n2"));
	assert_true(at(r, true, "uncordon n2") <
		    at(r, true, "start-instances --region us-east-1 --instance-ids i-n3"));
	assert_true(at(r, true, "uncordon n3") <
		    at(r, true, "kubectl -n NAMESPACE scale deployment ranker --replicas=32"));
	end(&w);
}

/* The highest minute of all weeks, not a percentile of them: 12.8 GPUs are busy in it, 17 do. Of
 * what is left when one machine is lost all 12.8 are wanted: three machines, not two. */
static void one_machine_lost(void **s)
{
	struct world w;

	serving(&w, 20);
	add_requests(&w, "ranker", 32000);
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	assert_int_equal(saving(&w), 800 * NANO);
	assert_true(w.out.v.v[0]->replay.lost_load_frac <= 1);
	assert_true(at(w.out.v.v[0], false, "--replicas=20") >= 0);
	end(&w);

	/* no factor on the peak can be too small for what is lost */
	serving(&w, 20);
	add_requests(&w, "ranker", 32000);
	w.conf.gates.replicas_peak_factor = 1.7; /* 21.76: 22 */
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	assert_true(at(w.out.v.v[0], false, "--replicas=22") >= 0);
	end(&w);

	serving(&w, 10); /* 3.2 GPUs in all other minutes are a fifth of sixteen */
	add_requests(&w, "ranker", 32000);
	w.conf.serving_target_util_frac = 0.2;
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	assert_true(at(w.out.v.v[0], false, "--replicas=16") >= 0);
	end(&w);
}

static void nothing(struct world *w, const char *why)
{
	assert_int_equal(propose(w), 0);
	assert_int_equal(w->out.v.n, 0);
	bool said = !why;
	for (size_t i = 0; i < w->note.n && !said; i++)
		said = strstr(w->note.v[i], why) != NULL;
	assert_true(said);
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
	for (size_t i = 0; i < w.f.workload.n; i++)
		w.f.workload.v[i].stats.covered_frac = 0.3;
	nothing(&w, "not measured");
	serving(&w, 10); /* a deployment on two kinds of machines: which go is not known */
	add_requests(&w, "ranker", 32000);
	for (size_t i = 24; i < 32; i++)
		w.f.workload.v[i].instance_type = "g5.xlarge";
	nothing(&w, "machines of several kinds");
	serving(&w, 20);
	add_requests(&w, "ranker", 32000);
	for (size_t i = 0; i < w.f.workload.n; i++)
		w.f.workload.v[i].stats.mem_p99_bytes = 39e9;
	nothing(&w, "no room for a tenth more");
	serving(&w, 20);
	add_requests(&w, "ranker", 32000);
	for (size_t i = 0; i < w.f.workload.n; i++)
		w.f.workload.v[i].stats.mem_p99_bytes = NAN;
	nothing(&w, "memory was not measured");
	serving(&w, 20);
	add_requests(&w, "ranker", 32000);
	for (size_t i = 0; i < w.f.workload.n; i++)
		w.f.workload.v[i].elastic = false;
	nothing(&w, NULL);
}

/* The same service in another cluster, with as many machines of its kind. hist: of the readings of
 * each replica, by percent. */
static void serving_in_two(struct world *w, double util_pct, const uint32_t *hist)
{
	serving(w, util_pct);
	for (size_t n = 4; n < 8; n++) {
		add_node(w, n, 8);
		w->f.node.v[n].cluster = west;
		for (int k = 0; k < 8; k++)
			add_replica(w, "ranker", n, util_pct, 0.6)->cluster = west;
	}
	for (size_t i = 0; i < w->f.workload.n; i++)
		w->f.workload.v[i].stats.util_hist = hist;
	add_requests(w, "ranker", 64000);
}

/* Its log tells all its requests together: each cluster is judged by the part that its GPUs did,
 * and by its highest readings, where that part moves. */
static void in_two_clusters(void **s)
{
	static const uint32_t even[101] = { [10] = 5000 }, moves[101] = { [2] = 2500, [18] = 2500 };
	struct world w;
	int machines = 0;

	serving_in_two(&w, 10, NULL);
	nothing(&w, "nor its readings say how the requests are split");
	serving_in_two(&w, 10, even);
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct rec *r = w.out.v.v[i];
		assert_string_equal(r->id, i ? "share-west" : "share-serving");
		assert_int_equal(r->tier, TIER_TRIAL); /* by one cluster alone it is Ready */
		assert_true(at(r, false,
			       i ? "# in cluster west alone" : "# in cluster serving alone") >= 0);
		assert_true(at(r, false, i ? "drain n0" : "drain n4") < 0);
		assert_has(r->risk_text.v[0], "runs in 2 clusters");
		machines += count_of(r, ACTION_STOP);
	}
	assert_int_equal(machines, 4); /* two of four each, as in whole_machines() */
	end(&w);
	/* by day here, by night there: nearly twice the load of an even part */
	serving_in_two(&w, 10, moves);
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 2);
	for (size_t i = 0; i < 2; i++)
		assert_true(count_of(w.out.v.v[i], ACTION_STOP) < 2);
	end(&w);
}

/* Eleven replicas would do, but on one machine of sixteen; and on one of two the loss of it would
 * end the service. */
static void no_whole_machine(void **s)
{
	struct world w;

	begin(&w);
	add_node(&w, 0, 16);
	for (int k = 0; k < 16; k++)
		add_replica(&w, "ranker", 0, 20, 0.6);
	add_requests(&w, "ranker", 16000);
	nothing(&w, "one of them lost");

	begin(&w);
	for (size_t n = 0; n < 2; n++) {
		add_node(&w, n, 8);
		for (int k = 0; k < 8; k++)
			add_replica(&w, "ranker", n, 5, 0.6);
	}
	add_requests(&w, "ranker", 16000);
	nothing(&w, "one of them lost");
}

/* A log of hours hides its minutes, one of minutes with a row at an odd time does not; one of five
 * minutes hides them too, unless the settings say that it is fine enough. */
static void coarse_log(void **s)
{
	struct world w;

	serving(&w, 10);
	add_log(&w, "ranker", 32000 * 60, DAYS, 60);
	nothing(&w, "one with a row each 60 s");
	serving(&w, 10);
	add_log(&w, "ranker", 32000 * 5, DAYS, 5);
	nothing(&w, "one with a row each 60 s");
	serving(&w, 10);
	add_log(&w, "ranker", 32000 * 60, DAYS, 60);
	w.f.minute.v[31].t_ms = w.f.minute.v[30].t_ms + MS_MINUTE;
	fleet_log_measure(&w.f, &w.f.service.v[0]);
	nothing(&w, "one with a row each 60 s");
}

/* Four of requests are Ready, two are to be tried, one is too little. */
static void length_of_log(void **s)
{
	static const enum tier want[] = { TIER_N, TIER_TRIAL, TIER_TRIAL, TIER_SURE };
	struct world w;

	for (int days = 1; days <= 4; days++) {
		serving(&w, 10);
		add_log(&w, "ranker", 32000, days, 1);
		if (want[days - 1] == TIER_N) {
			nothing(&w, "weeks of its request log, there are");
			continue;
		}
		assert_int_equal(propose(&w), 0);
		assert_int_equal(w.out.v.n, 1);
		assert_true(w.out.v.v[0]->tier == want[days - 1]);
		assert_true(w.out.v.v[0]->risk ==
			    (want[days - 1] == TIER_SURE ? RISK_LOW : RISK_MEDIUM));
		end(&w);
	}
}

/* Three machines of four GPUs. All of "embed" is on one, all of "chat" on another: whichever is
 * drained, they get a replica elsewhere first, and in the end none has all on one machine. */
static void last_on_a_machine(void **s)
{
	static const size_t rank_on[] = { 0, 0, 0, 1, 2 };
	struct world w;

	begin(&w);
	for (size_t n = 0; n < 3; n++)
		add_node(&w, n, 4);
	for (size_t i = 0; i < 5; i++)
		add_replica(&w, "rank", rank_on[i], 12, 0.4);
	for (size_t i = 0; i < 2; i++) {
		add_replica(&w, "embed", 1, 12, 0.4);
		add_replica(&w, "chat", 2, 12, 0.4);
	}
	add_requests(&w, "rank", 5000);
	add_requests(&w, "embed", 2000);
	add_requests(&w, "chat", 2000);
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	const struct rec *r = w.out.v.v[0];
	assert_int_equal(count_of(r, ACTION_STOP), 1);
	assert_int_equal(count_of(r, ACTION_DRAIN), 1);
	assert_true(at(r, false, "scale deployment chat --replicas=3") > at(r, false, "cordon n2"));
	assert_true(at(r, false, "rollout status deployment/chat") >
		    at(r, false, "scale deployment chat --replicas=3"));
	assert_true(at(r, false, "scale deployment embed --replicas=3") < at(r, false, "drain n2"));
	assert_true(at(r, false, "rollout status deployment/embed") < at(r, false, "drain n2"));
	assert_true(r->replay.lost_load_frac <= 1);
	end(&w);
}

/* The same without a GPU to spare: no replica can be put elsewhere, so no machine goes. */
static void no_room_to_move(void **s)
{
	struct world w;

	begin(&w);
	for (size_t n = 0; n < 3; n++)
		add_node(&w, n, 2);
	for (size_t i = 0; i < 2; i++) {
		add_replica(&w, "embed", 0, 10, 0.4);
		add_replica(&w, "chat", 1, 10, 0.4);
		add_replica(&w, "rank", 2, 10, 0.4);
	}
	add_requests(&w, "rank", 2000);
	add_requests(&w, "embed", 2000);
	add_requests(&w, "chat", 2000);
	nothing(&w, "one of them lost");
}

/* What nothing is known of keeps its machine: it is not drained. */
static void unknown_service(void **s)
{
	struct world w;

	serving(&w, 10);
	for (size_t i = 24; i < 32; i++) /* on n3, of which the others take the first turn */
		w.f.workload.v[i].service = w.f.workload.v[i].name = "dark";
	add_requests(&w, "ranker", 24000);
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	const struct rec *r = w.out.v.v[0];
	assert_true(at(r, false, "n3") < 0 && at(r, false, "dark") < 0);
	assert_int_equal(count_of(r, ACTION_STOP), 1); /* two of its own stay */
	end(&w);
}

/* kubectl scales no DaemonSet and a drain leaves its pods; what a Job keeps begins again. */
static void what_keeps_them_stays(void **s)
{
	for (enum controller c = CONTROLLER_DAEMONSET; c <= CONTROLLER_JOB; c++) {
		struct world w;

		serving(&w, 10);
		for (size_t i = 0; i < w.f.workload.n; i++)
			if (w.f.workload.v[i].kind == WORKLOAD_SERVICE)
				w.f.workload.v[i].controller = c;
		add_requests(&w, "ranker", 24000);
		nothing(&w, c == CONTROLLER_JOB ? "begins again" : "no drain moves one");
	}
}

/* What another step of the plan has changed is not what was measured. Of what this lever itself has
 * in the plan nothing is said: it is there. */
static void changed_before(void **s)
{
	struct world w;
	struct err e = { 0 };

	serving(&w, 10);
	add_requests(&w, "ranker", 32000);
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	struct lever_in in = { .fleet = &w.f,
			       .use = w.use,
			       .catalog = catalog,
			       .conf = &w.conf,
			       .now_ms = w.f.until_ms,
			       .mem = &w.mem,
			       .note = &w.note };
	for (size_t k = 0; k < w.out.v.v[0]->change.n; k++)
		w.use[w.out.v.v[0]->change.v[k].workload] = w.out.v.v[0]->change.v[k].after;
	assert_int_equal(lever_share_propose(&in, &w.out, &e), 0);
	assert_int_equal(w.out.v.n, 1);
	assert_int_equal(w.note.n, 0);
	w.use[w.out.v.v[0]->change.v[0].workload].levers |= LEVER_BIT(LEVER_SCHEDULE);
	assert_int_equal(lever_share_propose(&in, &w.out, &e), 0);
	assert_int_equal(w.out.v.n, 1);
	assert_int_equal(w.note.n, 1);
	assert_non_null(strstr(w.note.v[0], "an earlier step"));
	end(&w);
}

/* A machine on which a job runs too cannot be given back: two others go. */
static void mixed(void **s)
{
	struct world w;

	serving(&w, 10);
	struct workload *job = hand_workload(&w.f, WORKLOAD_JOB, "train", w.f.since_ms,
					     w.f.since_ms + MS_HOUR, 1, NANO);
	job->node = node[3];
	job->node_index = 3;
	add_requests(&w, "ranker", 32000);
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	for (size_t k = 0; k < w.out.v.v[0]->change.n; k++)
		assert_true(w.f.workload.v[w.out.v.v[0]->change.v[k].workload].node != node[3]);
	assert_int_equal(saving(&w), 1600 * NANO);
	end(&w);
}

/* A promise that history only just keeps: no queue may come on top, neither with all replicas nor
 * with those that a lost machine leaves: seven would be enough by load, on two machines. */
static void promise(void **s)
{
	struct world w;
	struct plan_rule rule = { .checkpointable = -1,
				  .interruptible = -1,
				  .deadline_slack_frac = NAN,
				  .slo_p99_ms = 80.5,
				  .data_gb = NAN,
				  .spot_floor_frac = NAN };

	serving(&w, 10);
	add_requests(&w, "ranker", 32000);
	*vec_push(&rule.when) = (struct plan_match){ "service", "ranker" };
	*vec_push(&w.conf.rule) = rule;
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	assert_true(w.out.v.v[0]->replay.p99_after_ms <= 80.5);
	assert_int_equal(saving(&w), 800 * NANO);
	assert_true(w.out.v.v[0]->replay.lost_load_frac < 6.4 / 7 - 0.01);
	vec_free(&w.conf.rule.v[0].when);
	end(&w);
}

/* A replica on each of three machines of one GPU. */
static void three(struct world *w, double util_pct, int64_t count)
{
	begin(w);
	for (size_t n = 0; n < 3; n++) {
		add_node(w, n, 1);
		add_replica(w, "embed", n, util_pct, 0.2);
	}
	add_requests(w, "embed", count);
}

/* A refusal names what binds. At 6 % one GPU of two is enough for the load of all, 0.36 in the
 * highest minute, but not for a latency of which nobody said what it may be. */
static void what_binds(void **s)
{
	struct world w;
	struct plan_rule rule = { .checkpointable = -1,
				  .interruptible = -1,
				  .deadline_slack_frac = NAN,
				  .slo_p99_ms = 9000,
				  .data_gb = NAN,
				  .spot_floor_frac = NAN };

	three(&w, 6, 12);
	nothing(&w, "with one of the 2 lost; 120 ms are assumed to be the most (its p99 of 80 ms "
		    "and 50 %): slo_p99_ms of a rule");
	three(&w, 6, 12);
	*vec_push(&rule.when) = (struct plan_match){ "service", "embed" };
	*vec_push(&w.conf.rule) = rule;
	assert_int_equal(propose(&w), 0);
	assert_int_equal(w.out.v.n, 1);
	vec_free(&w.conf.rule.v[0].when);
	end(&w);
	three(&w, 25, 3000); /* 1.5 */
	nothing(&w, "would not carry their highest minute with one of them lost");
	three(&w, 30, 3000); /* 1.8 */
	nothing(&w, "would not carry 25 % more than their highest minute, nor that with one");
	serving(&w, 23.4); /* 15 */
	add_requests(&w, "ranker", 32000);
	w.conf.gates.replicas_peak_factor = 1.7;
	nothing(&w, "would not carry 70 % more than their highest minute");
	serving(&w, 10);
	add_requests(&w, "ranker", 32000);
	w.conf.serving_target_util_frac = 0.1;
	nothing(&w, "busy for more than 10 % in 1 of 100 minutes");
}

/* Two services of three replicas each on four machines of two GPUs: two GPUs are free. */
static void pair(struct world *w, const char *team_of_embed)
{
	begin(w);
	for (size_t n = 0; n < 4; n++)
		add_node(w, n, 2);
	for (size_t i = 0; i < 3; i++) {
		add_replica(w, "ranker", i, 10, 0.15);
		add_replica(w, "embed", i + 1, 10, 0.15)->team = team_of_embed;
	}
	add_requests(w, "ranker", 3000);
	add_requests(w, "embed", 3000);
	w->conf.slo_p99_growth_frac = 3;
}

static const struct rec *advice_of(const struct world *w)
{
	for (size_t i = 0; i < w->out.v.n; i++)
		if (w->out.v.v[i]->advice)
			return w->out.v.v[i];
	return NULL;
}

/* Parts of a GPU are never Ready and save nothing: one of each for a day, on a machine that was
 * emptied first, with the resource of the part. */
static void two_on_a_gpu(void **s)
{
	struct world w;

	pair(&w, team);
	assert_int_equal(propose(&w), 0);
	const struct rec *r = advice_of(&w);
	assert_non_null(r);
	assert_true(r->tier == TIER_TRIAL && r->change.n == 0);
	assert_true(says(r, "nvidia.com/gpu: null, nvidia.com/mig-"));
	assert_true(says(r, "nvidia.com/mig.config=tare-share"));
	assert_true(says(r, "for 24 h"));
	assert_true(says(r, "deployment/ranker-part") && says(r, "deployment/embed-part"));
	assert_true(at(r, false, "kubectl drain") < at(r, false, "mig.config=tare-share"));
	assert_true(at(r, false, "mig.config=tare-share") < at(r, false, "cat > part.yaml"));
	assert_true(at(r, true, "delete deployment ranker-part") <
		    at(r, true, "mig.config=all-disabled"));
	end(&w);

	pair(&w, team); /* a GPU without MIG: the daemon of MPS, and limits for both */
	for (size_t i = 0; i < w.f.workload.n; i++)
		w.f.workload.v[i].gpu_model = "A10G";
	assert_int_equal(propose(&w), 0);
	r = advice_of(&w);
	assert_non_null(r);
	assert_true(at(r, false, "sharing: {mps:") > at(r, false, "kubectl drain"));
	assert_true(at(r, false, "device-plugin.config=tare-mps") <
		    at(r, false, "cat > part.yaml"));
	assert_true(says(r, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE") &&
		    says(r, "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"));
	assert_true(at(r, true, "nvidia.com/device-plugin.config-") >= 0);
	end(&w);

	pair(&w, "blue"); /* of another team, and nobody was asked */
	assert_int_equal(propose(&w), 0);
	assert_null(advice_of(&w));
	end(&w);

	pair(&w, team); /* readings of less than share_weeks */
	w.conf.gates.share_weeks = 1;
	assert_int_equal(propose(&w), 0);
	assert_null(advice_of(&w));
	end(&w);
}

/* One replica is all there is: a drain would end it. */
static void single_replicas(void **s)
{
	struct world w;

	begin(&w);
	for (size_t n = 0; n < 3; n++) {
		add_node(&w, n, 1);
		add_replica(&w, n ? "embed" : "ranker", n, n ? 15 : 20, 0.15);
	}
	add_requests(&w, "ranker", 1000);
	add_requests(&w, "embed", 1000);
	nothing(&w, "one replica");
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
		cmocka_unit_test(whole_machines),
		cmocka_unit_test(one_machine_lost),
		cmocka_unit_test(in_two_clusters),
		cmocka_unit_test(left_alone),
		cmocka_unit_test(no_whole_machine),
		cmocka_unit_test(coarse_log),
		cmocka_unit_test(length_of_log),
		cmocka_unit_test(last_on_a_machine),
		cmocka_unit_test(no_room_to_move),
		cmocka_unit_test(unknown_service),
		cmocka_unit_test(what_keeps_them_stays),
		cmocka_unit_test(changed_before),
		cmocka_unit_test(mixed),
		cmocka_unit_test(promise),
		cmocka_unit_test(two_on_a_gpu),
		cmocka_unit_test(single_replicas),
		cmocka_unit_test(what_binds),
	};
	return cmocka_run_group_tests(t, setup, teardown);
}
