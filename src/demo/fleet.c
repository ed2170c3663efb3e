/* Who is in the demo fleet: its machines, jobs and readings. How they are written down:
 * files.c. */
#include "demo/fleet.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/random.h"

#define NANO       1000000000LL
#define V100_BYTES (16160LL << 20) /* as nvidia-smi shows a 16 GB V100 */
#define A100_BYTES (40536LL << 20)
#define T4_BYTES   (15360LL << 20)

/*
 * us-east-1, on demand, 2026-07 (data/): p3.8xlarge 12.24, p3.16xlarge 24.48, p3.2xlarge 3.06,
 * p4d.24xlarge 21.957642, g4dn.12xlarge 3.912. Spot prices and the savings plan (60 % of on demand)
 * of the tidy fleet are invented within the usual range.
 */
static const struct demo_machine machines[] = {
	{ "p3.8xlarge", "V100-SXM2-16GB", "on_demand", 4, 12240000000, 12240000000, V100_BYTES, 42,
	  300 },
	{ "p4d.24xlarge", "A100-SXM4-40GB", "on_demand", 8, 21957642000, 21957642000, A100_BYTES,
	  52, 400 },
	{ "p3.16xlarge", "V100-SXM2-16GB", "on_demand", 8, 24480000000, 24480000000, V100_BYTES, 42,
	  300 },
	{ "g4dn.12xlarge", "T4", "on_demand", 4, 3912000000, 3912000000, T4_BYTES, 10, 70 },
	{ "p3.2xlarge", "V100-SXM2-16GB", "spot", 1, 3060000000, 973100000, V100_BYTES, 42, 300 },
	{ "p3.8xlarge", "V100-SXM2-16GB", "spot", 4, 12240000000, 3892400000, V100_BYTES, 42, 300 },
	{ "p4d.24xlarge", "A100-SXM4-40GB", "savings_plan", 8, 21957642000, 13174585200, A100_BYTES,
	  52, 400 },
	{ "p3.16xlarge", "V100-SXM2-16GB", "spot", 8, 24480000000, 7784800000, V100_BYTES, 42,
	  300 },
};
enum { M_TRAIN, M_SERVE, M_EVAL, M_LEGACY, M_TIDY_ONE, M_TIDY_FOUR, M_TIDY_SERVE, M_TIDY_EVAL };

#define TRAINING_NANO   (95000 * NANO)
#define EVALUATION_NANO (15000 * NANO)
#define EVAL_RUNS       5
#define EVAL_NODES      5
#define WEEK_S          (7 * 86400LL)

const char *demo_cluster_name(enum demo_cluster c)
{
	static const char *const names[] = { "training", "serving", "evaluation", "gpu-legacy" };

	return names[c];
}

uint64_t demo_bits(uint64_t seed, uint64_t a, uint64_t b, uint64_t c)
{
	return random_mix(random_mix(random_mix(random_mix(seed) ^ a) ^ b) ^ c);
}

/* A stream of numbers for making the fleet. */
struct dice {
	uint64_t state;
};

static int dice_range(struct dice *d, int lo, int hi) /* lo..hi, both possible */
{
	return lo + (int)random_below(&d->state, (uint64_t)(hi - lo + 1));
}

static bool dice_pct(struct dice *d, int pct)
{
	return dice_range(d, 0, 99) < pct;
}

/* ---- nodes ------------------------------------------------------------------------------- */

static struct demo_node *add_node(struct demo_fleet *f, enum demo_cluster cluster,
				  const struct demo_machine *m, int64_t from_s, int64_t to_s)
{
	struct demo_node *n = vec_push(&f->node);
	uint64_t bits = demo_bits(f->seed, 1, cluster, f->node.n);

	*n = (struct demo_node){ .machine = m,
				 .cluster = cluster,
				 .zone = "us-east-1a",
				 .from_s = from_s,
				 .to_s = to_s,
				 .last_nano = -1 };
	snprintf(n->id, sizeof n->id, "i-0%016llx",
		 (unsigned long long)(bits & 0xffffffffffffffffu));
	return n;
}

static int64_t paid_nano(const struct demo_machine *m, int64_t seconds)
{
	return (int64_t)((__int128)m->rate_nano_h * seconds / 3600);
}

/*
 * Training: machines that run all month and one that stops when the money is spent; its last, begun
 * hour is billed such that the sum is exact.
 */
static void training_nodes(struct demo_fleet *f)
{
	const struct demo_machine *m = &machines[M_TRAIN];
	int64_t month = paid_nano(m, DEMO_HOURS * 3600LL), left = TRAINING_NANO;

	for (int i = 1; left > 0; i++) {
		int64_t s = left >= month ? DEMO_HOURS * 3600LL : left * 3600 / m->rate_nano_h;
		struct demo_node *n = add_node(f, DEMO_TRAINING, m, DEMO_FROM_S, DEMO_FROM_S + s);
		snprintf(n->name, sizeof n->name, "train-%02d", i);
		/* the last ones were never tagged */
		if (i <= 6)
			n->team = "vision";
		else if (i <= 9)
			n->team = "nlp";
		else
			n->team = NULL;
		if (left < month)
			n->last_nano = left - paid_nano(m, s / 3600 * 3600);
		left -= min_i64(left, month);
	}
}

/* Weekly, five machines for a day and the time they take to come and go; tidy: booked for the nine
 * hours it needs with some reserve. */
static void evaluation_nodes(struct demo_fleet *f)
{
	bool tidy = f->kind == DEMO_TIDY;
	const struct demo_machine *m = &machines[tidy ? M_TIDY_EVAL : M_EVAL];
	int64_t left = EVALUATION_NANO, s = left / (EVAL_RUNS * EVAL_NODES) * 3600 / m->rate_nano_h;

	for (int run = 0; run < EVAL_RUNS; run++)
		for (int i = 1; i <= EVAL_NODES; i++) {
			int64_t from = DEMO_FROM_S + run * WEEK_S + 6 * 3600;
			bool last = run == EVAL_RUNS - 1 && i == EVAL_NODES;
			int64_t len = s;
			if (tidy)
				len = 9 * 3600 + 1800;
			else if (last)
				len = left * 3600 / m->rate_nano_h;
			struct demo_node *n = add_node(f, DEMO_EVALUATION, m, from, from + len);
			snprintf(n->name, sizeof n->name, "eval-w%d-%d", run + 1, i);
			n->team = "nlp";
			if (last && !tidy)
				n->last_nano = left - paid_nano(m, len / 3600 * 3600);
			left -= paid_nano(m, len);
		}
}

/* ---- jobs -------------------------------------------------------------------------------- */

static const struct person {
	const char *user, *team, *project;
} people[] = {
	{ "mei", "vision", "detector" }, { "tom", "vision", "detector" },
	{ "ada", "vision", "segment" },  { "lena", "nlp", "summarise" },
	{ "ravi", "nlp", "summarise" },  { "kofi", "nlp", "translate" },
	{ "visitor7", NULL, NULL },
};

static void job_kind(struct demo_fleet *f, struct dice *d, struct demo_job *j, int number)
{
	static const char *const names[] = { "resnet-lr", "detr-aug", "vit-small", "bert-ft",
					     "t5-sum",    "nmt-deen", "unet-crop", "distil" };
	bool tidy = f->kind == DEMO_TIDY;
	int what = dice_range(d, 0, 99);

	if (what < (tidy ? 0 : 6))
		j->work = DEMO_NOTEBOOK;
	else if (what < (tidy ? 5 : 22))
		j->work = DEMO_INPUT_BOUND;
	else
		j->work = DEMO_TRAIN;
	if (j->work == DEMO_NOTEBOOK)
		snprintf(j->name, sizeof j->name, "jupyter-%s", j->user);
	else
		snprintf(j->name, sizeof j->name, "%s-%d", names[dice_range(d, 0, 7)], number % 12);
	j->level_pct = dice_range(d, tidy ? 72 : 55, 94);
	j->mem_pct = dice_range(d, 35, 92);
	j->checkpointable = tidy || dice_pct(d, 85);
	what = dice_range(d, 0, 99);
	if (what < (tidy ? 2 : 8))
		j->state = "FAILED";
	else if (what < (tidy ? 3 : 12))
		j->state = "CANCELLED";
	else if (what < (tidy ? 3 : 14))
		j->state = "TIMEOUT";
	else
		j->state = "COMPLETED";
}

/* One job after the other on each training machine, with the gaps in which nobody holds it. */
static void training_jobs(struct demo_fleet *f, struct dice *d)
{
	static const int hours[] = { 3, 6, 8, 12, 16, 24, 30, 36, 48, 60, 72, 96 };
	bool tidy = f->kind == DEMO_TIDY;
	int number = 4100;

	for (size_t i = 0; i < f->node.n; i++) {
		const struct demo_node *n = &f->node.v[i];
		int64_t t = n->from_s + dice_range(d, 120, 1800);
		while (n->cluster == DEMO_TRAINING && t < n->to_s - 3600) {
			struct demo_job *j = vec_push(&f->job);
			int64_t len = hours[dice_range(d, 0, 11)] * 3600LL;
			len += dice_range(d, -3000, 3000);
			*j = (struct demo_job){ .node = i, .gpus = n->machine->gpus };
			/* whose */
			const struct person *who = &people[dice_range(d, 0, tidy ? 5 : 6)];
			/* mostly one's own team's machines */
			for (int k = 0; k < 8 && n->team && who->team && strcmp(who->team, n->team);
			     k++)
				who = &people[dice_range(d, 0, 5)];
			j->user = who->user;
			j->team = who->team;
			j->project = who->project;
			/* gaps: the settings' virtual tags fill in what the user's name tells */
			if (!tidy && dice_pct(d, 15))
				j->team = j->project = NULL;
			j->env = dice_pct(d, 80) ? "research" : "production";
			j->workload = tidy || dice_pct(d, 70) ? "training" : NULL;
			job_kind(f, d, j, number);
			snprintf(j->id, sizeof j->id, "%d", number++);
			/* The waste that the fleet is known for: of four GPUs that are booked, one
			 * works. */
			j->used = tidy || dice_pct(d, 12) ? j->gpus : 1;
			j->start_s = t;
			j->end_s = min_i64(t + len, n->to_s);
			if (j->end_s < t + len)
				j->state = "COMPLETED";
			j->submit_s = t - dice_range(d, 20, tidy ? 900 : 14400);
			j->limit_s = (j->end_s - t) / 3600 * 3600 +
				     (tidy ? 3600 : 3600 * dice_range(d, 2, 24));
			if (!strcmp(j->state, "TIMEOUT"))
				j->limit_s = j->end_s - j->start_s;
			t = j->end_s + (tidy ? dice_range(d, 30, 300) : dice_range(d, 300, 9000));
		}
	}
}

static void serving_jobs(struct demo_fleet *f, struct dice *d)
{
	int n = 0;

	for (size_t i = 0; i < f->node.n; i++)
		for (int g = 0;
		     f->node.v[i].cluster == DEMO_SERVING && g < f->node.v[i].machine->gpus;
		     g++, n++) {
			struct demo_job *j = vec_push(&f->job);
			const char *service = "assist";
			if (n < 24)
				service = "ranker";
			else if (n < 32)
				service = "embed";
			*j = (struct demo_job){ .node = i,
						.gpu = g,
						.gpus = 1,
						.used = 1,
						.user = "svc-search",
						.team = "search",
						.project = service,
						.env = "production",
						.workload = "inference",
						.state = "RUNNING",
						.work = DEMO_SERVE };
			snprintf(j->name, sizeof j->name, "%s", service);
			int replica = n;
			if (n >= 32)
				replica = n - 32;
			else if (n >= 24)
				replica = n - 24;
			snprintf(j->id, sizeof j->id, "%s-%d", service, replica);
			j->submit_s = j->start_s = DEMO_FROM_S;
			j->end_s = DEMO_TO_S;
			if (n < 24)
				j->mem_pct = 61;
			else if (n < 32)
				j->mem_pct = 34;
			else
				j->mem_pct = 82;
			j->level_pct = dice_range(d, 92, 108); /* balancers are never quite fair */
		}
}

static void evaluation_jobs(struct demo_fleet *f, struct dice *d)
{
	bool tidy = f->kind == DEMO_TIDY;

	for (size_t i = 0; i < f->node.n; i++) {
		const struct demo_node *n = &f->node.v[i];
		if (n->cluster != DEMO_EVALUATION)
			continue;
		struct demo_job *j = vec_push(&f->job);
		int64_t booked = 24 * 3600;
		if (tidy)
			booked = 9 * 3600;
		*j = (struct demo_job){ .node = i,
					.gpus = n->machine->gpus,
					.used = n->machine->gpus,
					.user = "ravi",
					.team = "nlp",
					.project = "benchmarks",
					.env = "research",
					.workload = "evaluation",
					.state = "COMPLETED",
					.work = DEMO_EVAL,
					.checkpointable = true };
		snprintf(j->id, sizeof j->id, "%.31s", n->name);
		snprintf(j->name, sizeof j->name, "weekly-eval");
		j->start_s = n->from_s + 900;
		j->end_s = j->start_s + booked;
		j->submit_s = n->from_s - 60;
		j->limit_s = booked;
		j->level_pct = dice_range(d, 70, 88);
		j->mem_pct = 78;
	}
}

void demo_fleet_make(struct demo_fleet *f, enum demo_kind kind, uint64_t seed)
{
	struct dice d = { .state = random_mix(seed) + RANDOM_STEP };

	*f = (struct demo_fleet){ .kind = kind, .seed = seed };
	static const char *const team[] = { "nlp", "vision" };
	static const char *const zone[] = { "us-east-1b", "us-east-1a" };

	if (kind == DEMO_WASTEFUL)
		training_nodes(f);
	for (int i = 1; kind == DEMO_TIDY && i <= 28; i++) {
		const struct demo_machine *m = &machines[i <= 24 ? M_TIDY_ONE : M_TIDY_FOUR];
		struct demo_node *n = add_node(f, DEMO_TRAINING, m, DEMO_FROM_S, DEMO_TO_S);
		snprintf(n->name, sizeof n->name, "train-%02d", i);
		n->team = team[i % 2];
	}
	for (int i = 1; i <= 5; i++) {
		struct demo_node *n = add_node(
			f, DEMO_SERVING, &machines[kind == DEMO_TIDY ? M_TIDY_SERVE : M_SERVE],
			DEMO_FROM_S, DEMO_TO_S);
		snprintf(n->name, sizeof n->name, "ip-10-0-3-%d.ec2.internal", 10 + 7 * i);
		n->zone = zone[i % 2];
		n->team = "search";
	}
	evaluation_nodes(f);
	for (int i = 1; kind == DEMO_WASTEFUL && i <= 2; i++) {
		struct demo_node *n = add_node(f, DEMO_LEGACY, &machines[M_LEGACY], DEMO_FROM_S,
					       DEMO_TO_S);
		snprintf(n->name, sizeof n->name, "gpu-legacy-%d", i);
		n->zone = "us-east-1c";
	}
	training_jobs(f, &d);
	serving_jobs(f, &d);
	evaluation_jobs(f, &d);
}

void demo_fleet_free(struct demo_fleet *f)
{
	vec_free(&f->node);
	vec_free(&f->job);
}

/* ---- readings ---------------------------------------------------------------------------- */

/* Load over the day in percent of its mean, by hour (UTC; users in America), a little less at the
 * weekend. */
int demo_load_pct(int64_t t_s)
{
	static const int by_hour[24] = {
		45,  35,  25,  20,  15,  20,  30,  50,  74,  99,  119, 134,
		144, 149, 154, 154, 159, 164, 169, 174, 164, 139, 104, 69
	};
	int64_t hour = t_s / 3600 % 24, next = (hour + 1) % 24, part = t_s % 3600;
	int64_t pct = (by_hour[hour] * (3600 - part) + by_hour[next] * part) / 3600;
	int64_t weekday = (t_s / 86400 + 4) % 7; /* 1970-01-01 was a Thursday; 0 = Sunday */

	return (int)(weekday == 0 || weekday == 6 ? pct * 91 / 100 : pct * 104 / 100);
}

/* Utilisation of a GPU that has work to do; age: minutes since the start. */
static int busy_pct(const struct demo_fleet *f, const struct demo_job *j, int64_t t_s, int64_t age,
		    uint64_t bits)
{
	int noise = (int)(bits % 13) - 6;

	switch (j->work) {
	case DEMO_TRAIN:
		/* validation every hour and a half */
		return age % 90 >= 86 ? clamp_int(12 + noise, 1, 100)
				      : clamp_int(j->level_pct + noise, 1, 100);
	case DEMO_INPUT_BOUND:
		return bits % 100 < 35 ? 0 : clamp_int(j->level_pct / 3 + noise, 1, 100);
	case DEMO_NOTEBOOK: /* somebody types, runs a cell, goes to lunch */
		return demo_bits(f->seed, 7, (uint64_t)(t_s / 900), j->node) % 12
			       ? 0
			       : clamp_int(j->level_pct / 2 + noise, 1, 100);
	case DEMO_SERVE: {
		int load = demo_load_pct(t_s) * j->level_pct / 100;
		if (f->kind == DEMO_TIDY)
			return clamp_int(44 + load * 22 / 100 + noise, 5, 97);
		return clamp_int(load * 20 / 100 + noise / 2, 0, 100);
	}
	case DEMO_EVAL: return age < 8 * 60 ? clamp_int(j->level_pct + noise, 1, 100) : 0;
	}
	return 0;
}

bool demo_read(const struct demo_fleet *f, size_t node, int gpu, const struct demo_job *job,
	       int64_t t_s, struct demo_reading *ret)
{
	const struct demo_machine *m = f->node.v[node].machine;
	uint64_t bits = demo_bits(f->seed, (uint64_t)node << 8 | (uint64_t)gpu, (uint64_t)t_s, 3);
	int64_t age = job ? (t_s - job->start_s) / 60 : 0;
	bool works = job && gpu - job->gpu < job->used;
	/* the first minutes go into starting */
	int util = works && age >= 4 ? busy_pct(f, job, t_s, age, bits) : 0;
	/* Memory stays held while the process lives; the evaluation exits when it is done. */
	bool holds = works && age >= 2 && !(job->work == DEMO_EVAL && age >= 8 * 60);

	/* The exporter of train-07 was down for half a day, that of train-03 for an hour;
	 * elsewhere a minute in five hundred is lost. */
	int64_t hour = (t_s - DEMO_FROM_S) / 3600;
	bool down = (node == 6 && hour >= 200 && hour < 212) || (node == 2 && hour == 400);
	if ((f->kind == DEMO_WASTEFUL && down) || (bits >> 20) % 500 == 0)
		return false;
	ret->util_pct = util;
	ret->sm_permille = util ? 6 + util * (6 + (int)(bits >> 8 & 255) % 3) : 0;
	ret->mem_bytes = (holds ? m->mem_bytes / 100 * job->mem_pct : 3LL << 20) & ~0xfffffLL;
	/* Any work at all raises the clocks: a step, and then with the utilisation. */
	ret->power_w = m->idle_w + (holds ? 12 : 0) + (int)(bits >> 12 & 3);
	if (util)
		ret->power_w += (m->busy_w - m->idle_w) / 5 +
				(m->busy_w - m->idle_w) * 7 / 10 * util / 100;
	return true;
}
