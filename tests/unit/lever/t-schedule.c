/* Timetables and regions: what is proposed on fleets of a few workloads, and what must be left
 * alone. */
#include "../plan/fleet_fix.h"

#define WEEKS 4
#define HOURS (WEEKS * 168)

/* A machine held for weeks, in use from 9 to 15 on the days of the week; DAY0 is a Wednesday. */
static struct workload *office(struct fix *x, const char *job, const char *node, bool weekend)
{
	struct workload *w = fix_workload(x, WORKLOAD_JOB, job, fix_node(x, node, "dev", 0, HOURS),
					  4, 0, HOURS, 0);
	for (size_t k = 0; k < w->nhour; k++) {
		struct workload_hour *h = &x->f.hour.v[w->hour0 + k];
		int day = (int)((k / 24 + 2) % 7), hour = (int)(k % 24);
		if (hour >= 9 && hour < 15 && (weekend || day < 5)) {
			h->busy_ms = h->ms;
			h->idle_ms = 0;
		}
	}
	w->workload = "research";
	return w;
}

static void six_hours_a_day(void **state)
{
	struct fix x;
	fix_open(&x, HOURS);
	office(&x, "nb1", "dev1", false);
	office(&x, "nb2", "dev2", false);
	fix_done(&x);
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 1);
	struct rec *r = x.out.v.v[0];
	assert_string_equal(r->id, "schedule-vision-dev");
	assert_int_equal(r->change.n, 2);
	assert_int_equal(r->replay.deadline_misses, 0);
	assert_int_equal(r->risk, RISK_LOW);
	assert_int_equal(r->tier, TIER_SURE);
	/* on 8 to 16 on five days: 128 of 168 hours off, less a boot of 5 minutes for each of the
	 * 20 starts but the first morning's */
	double hour = 12.24, off = 128 * WEEKS * hour, boots = 20 * 5.0 / 60 * hour;
	assert_true(fabs(fix_saving(&x, r) - 2 * (off - boots)) < 2 * hour * 5 / 60 + 0.1);
	assert_true(fabs(r->change.v[0].after.off_frac - 128.0 / 168) < 1e-9);
	assert_has(r->title, "on 40 of 168 hours");
	assert_true(says(r, "0 8 * * 1,2,3,4,5 root aws ec2 start-instances --region us-east-1"));
	assert_true(says(r, "0 16 * * 1,2,3,4,5 root aws ec2 stop-instances"));
	assert_has(line_of(&x.mem, r, true, 0), "rm /etc/cron.d/tare-schedule-vision-dev");
	/* done once, it is not proposed again */
	fix_apply(&x, r);
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Google's N1 at 30 % below list for a whole month: the 40 of 168 hours that are left cost list. */
static void sustained_use(void **state)
{
	double hour = 12.24, off = 128 * WEEKS * hour, boots = 20 * 5.0 / 60 * hour,
	       rest = HOURS * hour - off + boots;
	/* at list; 30 % below; 20 % below; more than the rule gives; another machine */
	static const double paid[] = { 1, 0.7, 0.8, 0.5, 0.7 }, costs[] = { 1, 0.7, 0.8, 0.7, 1 };

	for (size_t i = 0; i < sizeof paid / sizeof *paid; i++) {
		struct fix x;
		fix_open(&x, HOURS);
		struct workload *w = office(&x, "nb1", "dev1", false);
		w->provider = "gcp";
		w->instance_type = i == 4 ? "g2-standard-8" : "n1-standard-8";
		w->paid_nano = w->cost_nano;
		w->list_nano = (int64_t)((double)w->cost_nano / paid[i]);
		fix_done(&x);
		fix_ask(&x, LEVER_SCHEDULE);
		assert_int_equal(x.out.v.n, 1);
		struct rec *r = x.out.v.v[0];
		double want = HOURS * hour - rest / costs[i];
		assert_true(fabs(fix_saving(&x, r) - want) < hour * 5 / 60 * 2);
		bool told = false;
		for (size_t k = 0; k < r->risk_text.n; k++)
			told |= strstr(r->risk_text.v[k], "sustained use") != NULL;
		assert_int_equal(told, costs[i] < 1);
		fix_close(&x);
	}
}

static void what_is_left_alone(void **state)
{
	struct fix x;
	fix_open(&x, HOURS);
	struct workload *w = office(&x, "nb1", "dev1", false);
	fix_done(&x);
	w = &x.f.workload.v[0];
	/* a service without a request log */
	w->kind = WORKLOAD_SERVICE;
	w->service = "ranker";
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	w->kind = WORKLOAD_JOB;
	w->service = "";
	w->workload = "inference";
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	w->workload = "research";
	/* a machine that cannot be given back */
	w->elastic = false;
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	w->elastic = true;
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 1);
	/* nothing is known of most of its hours */
	for (size_t k = 0; k < w->nhour; k++) {
		struct workload_hour *h = &x.f.hour.v[w->hour0 + k];
		if (k % 2) {
			h->unknown_ms = h->ms;
			h->busy_ms = h->idle_ms = 0;
		}
	}
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Two weeks are tried; one Saturday of use keeps its hours on, and shows that more may come. */
static void by_weeks(void **state)
{
	struct fix x;
	fix_open(&x, HOURS);
	office(&x, "nb1", "dev1", false);
	fix_done(&x);
	x.f.since_ms = AT(HOURS / 2);
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.v[0]->tier, TIER_TRIAL);
	assert_int_equal(x.out.v.v[0]->risk, RISK_MEDIUM);
	x.f.since_ms = AT(HOURS * 3 / 4);
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	x.f.since_ms = DAY0;
	struct workload_hour *h =
		&x.f.hour.v[x.f.workload.v[0].hour0 + 24 * 3 + 20]; /* Saturday, 20:00 */
	h->busy_ms = h->ms;
	h->idle_ms = 0;
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 1);
	assert_int_equal(x.out.v.v[0]->tier, TIER_TRIAL);
	assert_has(x.out.v.v[0]->title, "on 43 of 168 hours"); /* 19 to 22 too */
	assert_int_equal(x.out.v.v[0]->risk, RISK_MEDIUM);
	assert_int_equal(x.out.v.v[0]->replay.deadline_misses, 0);
	/* and so does work of the CPUs without a GPU */
	h->busy_ms = 0;
	h->idle_ms = h->ms;
	h->cpu_worked = true;
	fix_ask(&x, LEVER_SCHEDULE);
	assert_has(x.out.v.v[0]->title, "on 43 of 168 hours");
	/* a machine that takes longer to wake than is allowed */
	x.conf.boot_minutes = 16;
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Instances by their ids, and none but these. */
static void exactly_these(void **state)
{
	struct fix x;
	fix_open(&x, HOURS);
	office(&x, "nb1", "dev1", false);
	office(&x, "nb2", "dev2", false);
	x.f.node.v[0].resource = "i-0a";
	fix_done(&x);
	fix_ask(&x, LEVER_SCHEDULE); /* of one of them no id is known: by name */
	assert_true(says(x.out.v.v[0], "Name=tag:Name,Values=dev1,dev2"));
	x.f.node.v[1].resource = "i-0b";
	fix_ask(&x, LEVER_SCHEDULE);
	assert_true(
		says(x.out.v.v[0], "stop-instances --region us-east-1 --instance-ids i-0a i-0b"));
	assert_true(
		says(x.out.v.v[0], "start-instances --region us-east-1 --instance-ids i-0a i-0b"));
	/* what is nowhere named cannot be switched off */
	x.f.workload.v[0].node = "";
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* A night of which nothing is known in any week stays on. */
static void unknown_stays_on(void **state)
{
	struct fix x;
	fix_open(&x, HOURS);
	office(&x, "nb1", "dev1", false);
	fix_done(&x);
	struct workload *w = &x.f.workload.v[0];
	for (size_t k = 0; k < w->nhour; k++)
		if (k % 168 == 2) {
			struct workload_hour *h = &x.f.hour.v[w->hour0 + k];
			h->unknown_ms = h->ms;
			h->idle_ms = 0;
		}
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 1);
	assert_has(x.out.v.v[0]->title, "on 43 of 168 hours"); /* and its head-room */
	fix_close(&x);
}

static void always_busy(void **state)
{
	struct fix x;
	fix_open(&x, HOURS);
	fix_workload(&x, WORKLOAD_JOB, "train", fix_node(&x, "n1", "c", 0, HOURS), 4, 0, HOURS,
		     0.9);
	/* and a job of a day is no fleet */
	fix_workload(&x, WORKLOAD_JOB, "short", fix_node(&x, "n2", "c", 0, 24), 4, 0, 24, 0.1);
	fix_done(&x);
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Half of the machine belongs to somebody who works at night. */
static void neighbours(void **state)
{
	struct fix x;
	fix_open(&x, HOURS);
	office(&x, "nb1", "dev1", false);
	struct workload *w = fix_workload(&x, WORKLOAD_JOB, "night", 0, 2, 0, 100, 1);
	w->node = x.f.workload.v[0].node;
	w->team = "nlp";
	fix_done(&x);
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* One GPU of four is held: the machine goes off whole, where it is seen that nobody is on the rest
 * and all that holds a part of it may be switched off. */
static void whole_machines(void **state)
{
	double hour = 12.24, off = 128 * WEEKS * hour, boots = 20 * 5.0 / 60 * hour;
	struct fix x;

	fix_open(&x, HOURS);
	struct workload *w = office(&x, "nb1", "dev1", false);
	w->gpus_milli = 1000;
	w->ms /= 4;
	w->cost_nano /= 4;
	for (size_t k = 0; k < w->nhour; k++) {
		struct workload_hour *h = &x.f.hour.v[w->hour0 + k];
		h->ms /= 4, h->busy_ms /= 4, h->idle_ms /= 4, h->nano /= 4;
	}
	fix_workload(&x, WORKLOAD_FREE, "", 0, 3, 0, HOURS, 0)->gpus_milli = 4000;
	fix_done(&x);
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 1);
	struct rec *r = x.out.v.v[0];
	assert_int_equal(r->change.n, 2);
	assert_true(fabs(fix_saving(&x, r) - (off - boots)) < 2 * hour * 5 / 60);
	assert_true(fabs(r->change.v[1].after.off_frac - 128.0 / 168) < 1e-9);
	assert_true(r->change.v[1].hi_nano > r->change.v[1].after.cost_nano);
	/* only a list that may be partial says that nobody is on the other three */
	x.f.workload.v[1].assumed_ms = x.f.workload.v[1].ms / 50;
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	x.f.workload.v[1].assumed_ms = x.f.workload.v[1].ms / 200;
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 1);
	/* an hour of which nothing is known is paid on, of the rest of the machine too */
	double all = fix_saving(&x, x.out.v.v[0]);
	struct workload_hour *h = &x.f.hour.v[x.f.workload.v[0].hour0 + 2];
	h->unknown_ms = h->ms;
	h->idle_ms = 0;
	fix_ask(&x, LEVER_SCHEDULE);
	assert_near(fix_saving(&x, x.out.v.v[0]), all - hour);
	/* a second one on it, that works at night, or that is to be left alone */
	free(x.use);
	w = fix_workload(&x, WORKLOAD_JOB, "nb2", 0, 1, 0, HOURS, 0);
	for (size_t k = 0; k < w->nhour; k++)
		x.f.hour.v[w->hour0 + k].busy_ms = k % 24 == 2 ? MS_HOUR : 0;
	fix_done(&x);
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 1); /* 1 to 4 at night too, of seven days */
	assert_has(x.out.v.v[0]->title, "on 61 of 168 hours");
	x.f.workload.v[2].workload = "inference";
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* ---- cheaper hours ----------------------------------------------------------------------- */

static void price(struct fix *x, const char *purchase, double from, double to, double usd)
{
	struct err err = { 0 };
	const struct price p = { .provider = SV("acme"),
				 .region = SV("hq"),
				 .instance_type = SV("box"),
				 .gpu_model = SV("V100-SXM2-16GB"),
				 .purchase = sv_of(purchase),
				 .currency = SV("USD"),
				 .source = SV("tariff"),
				 .gpu_milli = 4000,
				 .hour = dec_from_double(usd),
				 .from_ms = AT(from),
				 .to_ms = AT(to),
				 .interruption_lo_pct = -1,
				 .interruption_hi_pct = -1 };

	if (catalog_add_price(x->cat, &p, &err) < 0)
		fail_msg("%s", err.msg);
}

/* Days cost 4, nights from 20 to 8 one dollar a GPU-hour. */
static void tariff(struct fix *x, const char *purchase)
{
	for (int d = 0; d < WEEKS * 7; d++) {
		price(x, purchase, d * 24, d * 24 + 8, 4);
		price(x, purchase, d * 24 + 8, d * 24 + 20, 16);
		price(x, purchase, d * 24 + 20, d * 24 + 24, 4);
	}
}

/* n jobs a day of six hours each, from 10 on, on machines of their own; done within a day is soon
 * enough. */
static void daily(struct fix *x, const char *purchase, int n, double booked_h)
{
	for (int d = 0; d < WEEKS * 7 - 1; d++)
		for (int k = 0; k < n; k++) {
			struct workload *w = fix_workload(
				x, WORKLOAD_JOB, "nightly",
				fix_node(x, k ? "b2" : "b1", "c", d * 24 + 10, d * 24 + 16), 4,
				d * 24 + 10, d * 24 + 16, 1);
			struct fleet_node *m = &x->f.node.v[w->node_index];
			w->provider = m->provider = "acme";
			w->region = m->region = "hq";
			w->zone = m->zone = "";
			w->instance_type = m->instance_type = "box";
			w->purchase = m->purchase = purchase;
			w->limit_ms = llround(booked_h * MS_HOUR);
			w->deadline_ms = w->start_ms + w->limit_ms;
		}
	fix_done(x);
}

static void into_the_night(void **state)
{
	struct fix x;
	fix_open(&x, HOURS);
	tariff(&x, "on_demand");
	daily(&x, "on_demand", 1, 24);
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 1);
	struct rec *r = x.out.v.v[0];
	assert_string_equal(r->id, "schedule-vision-c-hours-box-on_demand");
	assert_int_equal(r->change.n, WEEKS * 7 - 1);
	assert_int_equal(r->change.v[0].after.start_ms, AT(20));
	assert_int_equal(r->change.v[0].after.end_ms, AT(26));
	/* a quarter of the price */
	assert_near(fix_saving(&x, r), (WEEKS * 7 - 1) * 6 * 12.24 * 0.75);
	assert_int_equal(r->replay.deadline_misses, 0);
	assert_int_equal(r->tier, TIER_TRIAL); /* results come later */
	assert_int_equal(r->risk, RISK_MEDIUM);
	assert_has(r->title, "20:00 UTC");
	assert_true(says(r, "#SBATCH --begin=20:00"));
	assert_true(has_lines(r));
	fix_apply(&x, r); /* done once, it is not proposed again */
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* Where prices do not vary, where nothing can wait, where nobody may touch it. */
static void nothing_to_gain(void **state)
{
	struct fix x;
	fix_open(&x, HOURS);
	price(&x, "on_demand", 0, HOURS, 12.24);
	daily(&x, "on_demand", 1, 24);
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
	fix_open(&x, HOURS);
	tariff(&x, "on_demand");
	daily(&x, "on_demand", 1, 7); /* an hour of slack */
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	for (size_t i = 0; i < x.f.workload.n; i++)
		x.f.workload.v[i].deadline_ms = x.f.workload.v[i].start_ms + 24 * MS_HOUR;
	*vec_push(&x.conf.frozen_team) = "vision";
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	x.conf.frozen_team.n = 0;
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 1);
	fix_close(&x);
}

/* A market without a pattern: what was cheap cannot be known before. */
static void no_pattern(void **state)
{
	struct fix x;
	uint64_t r = 3;
	fix_open(&x, HOURS);
	for (int h = 0; h < HOURS; h++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		price(&x, "spot", h, h + 1, 4 + (double)(r >> 40 & 1023) / 100);
	}
	daily(&x, "spot", 1, 24);
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* At night the fleet's two machines are taken half the time: what has no room stays. */
static void only_where_there_is_room(void **state)
{
	struct fix x;
	fix_open(&x, HOURS);
	tariff(&x, "owned");
	daily(&x, "owned", 2, 24);
	x.f.cost_nano = 0;
	free(x.use);
	for (int d = 0; d < 14; d++) { /* runs at night, two weeks long; cannot wait */
		struct workload *w = fix_workload(&x, WORKLOAD_JOB, "night", 0, 4, d * 24 + 18,
						  d * 24 + 34, 1);
		w->provider = "acme", w->region = "hq", w->zone = "", w->instance_type = "box",
		w->purchase = "owned";
		w->deadline_ms = w->end_ms;
	}
	fix_done(&x);
	for (size_t i = 0; i < x.f.workload.n; i++)
		/* own machines are not given back; their tariff is what is saved */
		x.f.workload.v[i].elastic = false;
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 1);
	/* beside the night run there is room for one of two */
	assert_int_equal(x.out.v.v[0]->change.n, 14 + 13 * 2);
	fix_close(&x);
}

/* Runs of a kind differ: a start that is late for the longest one counts. */
static void misses_are_counted(void **state)
{
	struct fix x;
	fix_open(&x, HOURS);
	tariff(&x, "on_demand");
	daily(&x, "on_demand", 1, 16); /* until 2 at night: from 20 on six hours fit just so */
	struct workload *w = &x.f.workload.v[3];
	w->end_ms += MS_HOUR; /* one needs seven, which p95 of 27 does not see; its cost stays */
	x.use[3].end_ms += MS_HOUR;
	fix_ask(&x, LEVER_SCHEDULE);
	assert_int_equal(x.out.v.n, 1);
	assert_int_equal(x.out.v.v[0]->replay.deadline_misses, 1);
	assert_int_equal(x.out.v.v[0]->risk, RISK_HIGH); /* one of 27 is more than 1 % */
	fix_close(&x);
}

/* A place or machine that nobody told is a word to fill in, not a line that is left out. */
static void unknown_places_are_filled_in(void **state)
{
	static const struct {
		const char *provider, *line;
	} t[] = {
		{ "aws", "aws ec2 start-instances --region REGION --instance-ids" },
		{ "gcp", "gcloud compute instances start --zone ZONE dev1 dev2" },
	};
	struct fix x;

	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		fix_open(&x, HOURS);
		office(&x, "nb1", "dev1", false);
		office(&x, "nb2", "dev2", false);
		fix_done(&x);
		fix_ask(&x, LEVER_SCHEDULE);
		assert_int_equal(x.out.v.n, 1);
		for (size_t k = 0; k < x.f.workload.n; k++) {
			x.f.workload.v[k].provider = t[i].provider;
			x.f.workload.v[k].region = x.f.workload.v[k].zone = "";
		}
		fix_ask(&x, LEVER_SCHEDULE);
		assert_int_equal(x.out.v.n, 1);
		assert_true(says(x.out.v.v[0], t[i].line));
		assert_false(says(x.out.v.v[0], "# left out"));
		fix_close(&x);
	}
}

/* ---- region ------------------------------------------------------------------------------ */

static void add_rule(struct fix *x, double gb)
{
	struct plan_rule *r = vec_push(&x->conf.rule);
	*r = (struct plan_rule){ .checkpointable = -1,
				 .interruptible = -1,
				 .deadline_slack_frac = NAN,
				 .slo_p99_ms = NAN,
				 .data_gb = gb,
				 .spot_floor_frac = NAN };
	*vec_push(&r->when) = (struct plan_match){ "team", "vision" };
}

static void cheaper_elsewhere(void **state)
{
	struct fix x;
	struct rate home, there;
	fix_open(&x, 100);
	size_t n = fix_node(&x, "n1", "c", 0, 100);
	for (int i = 0; i < 5; i++) {
		struct workload *w = fix_workload(&x, WORKLOAD_JOB, "j1", n, 4, i * 20, i * 20 + 20,
						  1);
		w->region = "us-gov-west-1";
		w->zone = "";
	}
	fix_done(&x);
	struct price_ask ask = { .catalog = x.cat,
				 .provider = "aws",
				 .region = "us-gov-west-1",
				 .instance_type = "p3.8xlarge",
				 .purchase = "on_demand",
				 .at_ms = FIX_NOW };
	assert_true(fleet_rate(&ask, &home));
	ask.region = "us-east-1";
	assert_true(fleet_rate(&ask, &there));
	assert_true(there.nano_gpu_hour < home.nano_gpu_hour);
	fix_ask(&x, LEVER_REGION); /* nobody allows another region */
	assert_int_equal(x.out.v.n, 0);
	*vec_push(&x.conf.regions) = "us-east-1";
	fix_ask(&x, LEVER_REGION); /* how much data follows is not known */
	assert_int_equal(x.out.v.n, 0);
	assert_has(x.note.v[0], "data_gb");
	add_rule(&x, 100);
	fix_ask(&x, LEVER_REGION);
	assert_int_equal(x.out.v.n, 1);
	struct rec *r = x.out.v.v[0];
	assert_near(fix_saving(&x, r),
		    1224 * (1 - (double)there.nano_gpu_hour / (double)home.nano_gpu_hour) -
			    5 * 100 * x.conf.egress_usd_gb);
	assert_string_equal(r->change.v[0].after.region, "us-east-1");
	assert_int_equal(r->risk, RISK_MEDIUM);
	assert_true(r->change.v[0].lo_nano <= r->change.v[0].after.cost_nano &&
		    r->change.v[0].hi_nano >= r->change.v[0].after.cost_nano);
	x.conf.rule.v[0].data_gb = 1e6; /* its data weighs more than the difference */
	fix_ask(&x, LEVER_REGION);
	assert_int_equal(x.out.v.n, 0);
	x.conf.rule.v[0].data_gb = 1;
	x.conf.gates.region_runs = 6;
	fix_ask(&x, LEVER_REGION);
	assert_int_equal(x.out.v.n, 0);
	x.conf.gates.region_runs = 5;
	fix_ask(&x, LEVER_REGION);
	assert_int_equal(x.out.v.v[0]->tier, TIER_TRIAL); /* never Ready */
	x.f.workload.v[0].workload = "inference";         /* four are left */
	fix_ask(&x, LEVER_REGION);
	assert_int_equal(x.out.v.n, 0);
	fix_close(&x);
}

/* A fleet paid in yen: data on its way costs dollars, which are more yen. Without a rate no job
 * with data is moved, and which rate is missing is said. */
static void egress_is_paid_in_dollars(void **state)
{
	struct exchange_rate day = { SV("USD"), SV("JPY"), FIX_NOW - MS_DAY, DEC_ONE * 150 };
	const char *region[] = { "hq", "far" };
	struct err err = { 0 };
	struct fix x;

	(void)state;
	fix_open(&x, 100);
	x.f.currency = "JPY";
	size_t n = fix_node(&x, "n1", "c", 0, 100);
	for (int i = 0; i < 5; i++) {
		struct workload *w = fix_workload(&x, WORKLOAD_JOB, "j1", n, 4, i * 20, i * 20 + 20,
						  1);
		w->region = "hq";
		w->zone = "";
	}
	fix_done(&x); /* 1,224 yen of 400 GPU-hours, at half of it far away */
	for (int i = 0; i < 2; i++) {
		const struct price p = { .provider = SV("aws"),
					 .region = sv_of(region[i]),
					 .instance_type = SV("p3.8xlarge"),
					 .purchase = SV("on_demand"),
					 .currency = SV("JPY"),
					 .source = SV("offer"),
					 .gpu_milli = 4000,
					 .hour = DEC_ONE * 12 / (i + 1),
					 .from_ms = DAY0,
					 .to_ms = UNKNOWN_MS,
					 .interruption_lo_pct = -1,
					 .interruption_hi_pct = -1 };
		if (catalog_add_price(x.cat, &p, &err) < 0)
			fail_msg("%s", err.msg);
	}
	*vec_push(&x.conf.regions) = "far";
	add_rule(&x, 10);
	fix_ask(&x, LEVER_REGION);
	assert_int_equal(x.out.v.n, 0);
	assert_has(x.note.v[x.note.n - 1], "USD to JPY");
	exchange_take(&x.f.exchange, &day, 1);
	fix_ask(&x, LEVER_REGION); /* 10 GB x 0.02 $ x 150 in each of five runs */
	assert_int_equal(x.out.v.n, 1);
	assert_near(fix_saving(&x, x.out.v.v[0]), 612 - 5 * 10 * 0.02 * 150);
	x.conf.rule.v[0].data_gb = 100; /* 1,500 yen to save 612; 10 as dollars */
	fix_ask(&x, LEVER_REGION);
	assert_int_equal(x.out.v.n, 0);
	x.f.exchange = (struct exchange){ 0 };
	x.conf.rule.v[0].data_gb = 0; /* nothing to move */
	fix_ask(&x, LEVER_REGION);
	assert_int_equal(x.out.v.n, 1);
	fix_close(&x);
}

int main(void)
{
	const struct CMUnitTest t[] = { cmocka_unit_test(six_hours_a_day),
					cmocka_unit_test(sustained_use),
					cmocka_unit_test(unknown_places_are_filled_in),
					cmocka_unit_test(what_is_left_alone),
					cmocka_unit_test(unknown_stays_on),
					cmocka_unit_test(by_weeks),
					cmocka_unit_test(exactly_these),
					cmocka_unit_test(always_busy),
					cmocka_unit_test(neighbours),
					cmocka_unit_test(whole_machines),
					cmocka_unit_test(egress_is_paid_in_dollars),
					cmocka_unit_test(cheaper_elsewhere),
					cmocka_unit_test(into_the_night),
					cmocka_unit_test(nothing_to_gain),
					cmocka_unit_test(no_pattern),
					cmocka_unit_test(only_where_there_is_room),
					cmocka_unit_test(misses_are_counted) };
	return cmocka_run_group_tests(t, NULL, NULL);
}
