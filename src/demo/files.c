/* The demo fleet as the files its owner would have. The bill's rows are in bill.c. */
#include "base/str.h"
#include "demo/files_in.h"

#include <stdlib.h>

#include "base/tm.h"

/* ---- buffered output --------------------------------------------------------------------- */

int demo_flush(struct demo_text *t, struct err *err)
{
	int rc = t->rc;

	if (rc == 0 && t->s.n)
		rc = t->out->put(t->out->ctx, t->s.p, t->s.n, err);
	str_clear(&t->s);
	return t->rc = rc;
}

int demo_finish(struct demo_text *t, struct err *err)
{
	int rc = demo_flush(t, err);

	str_free(&t->s);
	return rc;
}

static int flush_full(struct demo_text *t, struct err *err)
{
	if (t->s.n > (1 << 17))
		return demo_flush(t, err);
	return t->rc;
}

static void add_time(struct str *s, int64_t t_s)
{
	char buf[TM_BUF];

	str_addz(s, tm_format(buf, t_s * MS_SECOND));
}

/* Whole numbers by hand: millions of them, and printf is three times slower. */
static void add_int(struct str *s, int64_t v)
{
	char buf[24], *p = buf + sizeof buf;

	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	str_add(s, p, (size_t)(buf + sizeof buf - p));
}

/* ---- nodes and jobs ---------------------------------------------------------------------- */

static int write_nodes(const struct demo_fleet *f, const struct demo_out *out, struct err *err)
{
	struct demo_text t = { .out = out };

	str_addz(
		&t.s,
		"node,provider,region,zone,instance_type,gpu_model,gpu_count,purchase,from,to,cluster,resource_id\n");
	for (size_t i = 0; i < f->node.n; i++) {
		const struct demo_node *n = &f->node.v[i];
		/* Kubernetes knows its nodes by private DNS names only: these are found by the Name
		 * tag of the bill. */
		const char *id = "";
		if (n->cluster != DEMO_SERVING)
			id = n->id;
		str_addf(&t.s, "%s,aws,us-east-1,%s,%s,%s,%d,%s,", n->name, n->zone,
			 n->machine->type, n->machine->gpu_model, n->machine->gpus,
			 n->machine->purchase);
		add_time(&t.s, n->from_s);
		str_addc(&t.s, ',');
		add_time(&t.s, n->to_s);
		str_addf(&t.s, ",%s,%s\n", demo_cluster_name(n->cluster), id);
	}
	return demo_finish(&t, err);
}

static int write_jobs(const struct demo_fleet *f, const struct demo_out *out, struct err *err)
{
	struct demo_text t = { .out = out };

	str_addz(
		&t.s,
		"job_id,user,team,project,env,workload,name,gpu_model,gpus,gpu_ids,share_kind,submit,start,end,state,limit_s,node,"
		"checkpointable,cluster,namespace\n");
	for (size_t i = 0; i < f->job.n; i++) {
		const struct demo_job *j = &f->job.v[i];
		const struct demo_node *n = &f->node.v[j->node];
		str_addf(&t.s, "%s,%s,%s,%s,%s,%s,%s,%s,%d,", j->id, j->user, text_or(j->team, ""),
			 text_or(j->project, ""), text_or(j->env, ""), text_or(j->workload, ""),
			 j->name, n->machine->gpu_model, j->gpus);
		for (int g = 0; g < j->gpus; g++)
			str_addf(&t.s, "%s%d", text_if(g, ";"), j->gpu + g);
		str_addz(&t.s, ",whole,");
		add_time(&t.s, j->submit_s);
		str_addc(&t.s, ',');
		add_time(&t.s, j->start_s);
		str_addc(&t.s, ',');
		add_time(&t.s, j->end_s);
		str_addf(&t.s, ",%s,", j->state);
		if (j->limit_s)
			add_int(&t.s, j->limit_s);
		const char *checkpointable = j->checkpointable ? "true" : "false";
		if (j->work == DEMO_SERVE)
			checkpointable = "";
		str_addf(&t.s, ",%s,%s,%s,%s\n", n->name, checkpointable,
			 demo_cluster_name(n->cluster),
			 text_if(n->cluster == DEMO_SERVING, "serving"));
		if (flush_full(&t, err))
			break;
	}
	return demo_finish(&t, err);
}

/* ---- telemetry --------------------------------------------------------------------------- */

/* The jobs of a node around a moment: cursors that only go on, as time does. */
struct on_node {
	const struct demo_job **job; /* [n] in time order, by GPU */
	size_t n;
	size_t at[16]; /* by GPU */
};

static const struct demo_job *find_owner(struct on_node *o, int gpu, int64_t t_s)
{
	size_t *at = &o->at[gpu];

	while (*at < o->n && (o->job[*at]->end_s <= t_s || gpu < o->job[*at]->gpu ||
			      gpu >= o->job[*at]->gpu + o->job[*at]->gpus))
		++*at;
	if (*at < o->n && o->job[*at]->start_s <= t_s)
		return o->job[*at];
	return NULL;
}

static void sample_row(struct str *s, const char *stamp, const char *node, int gpu,
		       const struct demo_reading *r)
{
	str_addz(s, stamp);
	str_addz(s, node);
	str_addc(s, ',');
	add_int(s, gpu);
	str_addc(s, ',');
	add_int(s, r->util_pct);
	str_addz(s, ",0.");
	str_addz(s, text_if(r->sm_permille < 100, "0"));
	str_addz(s, text_if(r->sm_permille < 10, "0"));
	add_int(s, r->sm_permille);
	str_addc(s, ',');
	add_int(s, r->mem_bytes);
	str_addc(s, ',');
	add_int(s, r->power_w);
	str_addz(s, ",60\n");
}

static int write_samples(const struct demo_fleet *f, enum demo_cluster cluster,
			 const struct demo_out *out, struct err *err)
{
	struct demo_text t = { .out = out };
	struct on_node *on = xcalloc(f->node.n, sizeof *on);
	const struct demo_job **all = xmalloc((f->job.n + 1) * sizeof *all);
	char stamp[TM_BUF + 1];

	/* The jobs of each node. */
	for (size_t i = 0; i < f->job.n; i++)
		on[f->job.v[i].node].n++;
	for (size_t i = 0, at = 0; i < f->node.n; at += on[i].n, i++)
		on[i].job = all + at;
	for (size_t i = 0; i < f->node.n; i++)
		on[i].n = 0;
	for (size_t i = 0; i < f->job.n; i++) {
		struct on_node *o = &on[f->job.v[i].node];
		o->job[o->n++] = &f->job.v[i];
	}

	str_addz(&t.s, "time,node,gpu,gpu_util_pct,sm_active_frac,mem_used_bytes,power_w,step_s\n");
	for (int64_t t_s = DEMO_FROM_S; t_s < DEMO_TO_S && flush_full(&t, err) == 0; t_s += 60) {
		strcat(tm_format(stamp, t_s * MS_SECOND), ",");
		for (size_t i = 0; i < f->node.n; i++) {
			const struct demo_node *n = &f->node.v[i];
			struct demo_reading r;
			/* Only whole minutes of its life: the exporter comes up after the machine
			 * and goes before it. */
			if (n->cluster != cluster || t_s < n->from_s || t_s + 60 > n->to_s)
				continue;
			for (int g = 0; g < n->machine->gpus; g++)
				if (demo_read(f, i, g, find_owner(&on[i], g, t_s), t_s, &r))
					sample_row(&t.s, stamp, n->name, g, &r);
		}
	}
	free(on[0].job);
	free(on);
	return demo_finish(&t, err);
}

static int write_training(const struct demo_fleet *f, const struct demo_out *out, struct err *err)
{
	return write_samples(f, DEMO_TRAINING, out, err);
}

static int write_serving(const struct demo_fleet *f, const struct demo_out *out, struct err *err)
{
	return write_samples(f, DEMO_SERVING, out, err);
}

static int write_evaluation(const struct demo_fleet *f, const struct demo_out *out, struct err *err)
{
	return write_samples(f, DEMO_EVALUATION, out, err);
}

static int write_legacy(const struct demo_fleet *f, const struct demo_out *out, struct err *err)
{
	return write_samples(f, DEMO_LEGACY, out, err);
}

/* ---- requests ---------------------------------------------------------------------------- */

/* Fifty million requests a day, as a proxy would log them: a row a minute and service, with a
 * latency histogram. */
struct service {
	const char *name;
	int per_minute;            /* mean */
	int p50_ms;                /* the histogram's middle bound */
	int tokens_in, tokens_out; /* per request; 0 = no language model */
};
static const struct service services[] = { { "ranker", 24600, 20, 0, 0 },
					   { "embed", 10100, 10, 210, 0 },
					   { "assist", 322, 900, 640, 180 } };

static int write_requests(const struct demo_fleet *f, const struct demo_out *out, struct err *err)
{
	struct demo_text t = { .out = out };
	char stamp[TM_BUF + 1];

	str_addz(&t.s, "time,service,count,latency_histogram,tokens_in,tokens_out,status\n");
	for (int64_t t_s = DEMO_FROM_S; t_s < DEMO_TO_S && flush_full(&t, err) == 0; t_s += 60) {
		int load = demo_load_pct(t_s);
		strcat(tm_format(stamp, t_s * MS_SECOND), ",");
		for (size_t i = 0; i < sizeof services / sizeof *services; i++) {
			const struct service *v = &services[i];
			uint64_t bits = demo_bits(f->seed, 11, i, (uint64_t)t_s);
			int64_t count = (int64_t)v->per_minute * load / 100 *
					(95 + (int64_t)(bits % 11)) / 100;
			/* At high load more requests come late. */
			int64_t slow = count * (1 + load / 60) / 100,
				mid = count * (18 + load / 20) / 100, fast = count * 55 / 100;
			int64_t failed = 0;
			if ((bits >> 8) % 40 == 0)
				failed = count / 400 + 1;
			str_addz(&t.s, stamp);
			str_addf(&t.s, "%s,%lld,%d:%lld;%d:%lld;%d:%lld;%d:%lld,", v->name,
				 (long long)count, v->p50_ms, (long long)fast, v->p50_ms * 2,
				 (long long)(count - fast - mid - slow), v->p50_ms * 4,
				 (long long)mid, v->p50_ms * 10, (long long)slow);
			if (v->tokens_in)
				add_int(&t.s, count * v->tokens_in);
			str_addc(&t.s, ',');
			if (v->tokens_out)
				add_int(&t.s, count * v->tokens_out);
			str_addz(&t.s, ",ok\n");
			if (failed) {
				str_addz(&t.s, stamp);
				str_addf(&t.s, "%s,%lld,,,,error\n", v->name, (long long)failed);
			}
		}
	}
	return demo_finish(&t, err);
}

/* ---- settings ---------------------------------------------------------------------------- */

static int write_config(const struct demo_fleet *f, const struct demo_out *out, struct err *err)
{
	static const char text[] =
		"version: 1\n"
		"currency: USD\n"
		"month_hours: 730\n"
		"tags:\n"
		"  required: [team, project]\n"
		"  # Keys that mean the team on bills and pods; people type.\n"
		"  alias:\n"
		"    team: [Team, cost-center]\n"
		"# Where a job list leaves the team empty, the user's name tells it.\n"
		"virtual_tags:\n"
		"  - when: {user: mei}\n    set: {team: vision, project: detector}\n"
		"  - when: {user: tom}\n    set: {team: vision, project: detector}\n"
		"  - when: {user: ada}\n    set: {team: vision, project: segment}\n"
		"  - when: {user: lena}\n    set: {team: nlp, project: summarise}\n"
		"  - when: {user: ravi}\n    set: {team: nlp, project: summarise}\n"
		"  - when: {user: kofi}\n    set: {team: nlp, project: translate}\n"
		"# What was promised to the users of the services.\n"
		"plan:\n"
		"  rules:\n"
		"    - when: {service: ranker}\n      slo_p99_ms: 250\n"
		"    - when: {service: embed}\n      slo_p99_ms: 150\n"
		"    - when: {service: assist}\n      slo_p99_ms: 12000\n"
		"    # Its owner's word: commitments may rest on it.\n"
		"    - when: {cluster: serving}\n      steady_until: 2028-01-01\n";

	(void)f;
	return out->put(out->ctx, text, sizeof text - 1, err);
}

/*
 * What the account manager offers, as an account has it beside the public list: a savings plan of a
 * year for the serving machines at 60 % of on-demand. Invented, as the fleet is; no public list
 * says this rate.
 */
static int write_prices(const struct demo_fleet *f, const struct demo_out *out, struct err *err)
{
	static const char text[] =
		"provider,region,instance_type,gpu_model,gpu_count,purchase,term,upfront_usd,usd_hour,from,to\n"
		"aws,us-east-1,p4d.24xlarge,A100-SXM4-40GB,8,savings_plan,1y,0,13.1745852,2026-10-15T00:00:00Z,\n";

	(void)f;
	return out->put(out->ctx, text, sizeof text - 1, err);
}

const struct demo_file demo_files[] = {
	{ "config.yaml", "settings: required tags, rules that fill in teams", false, write_config },
	{ "bill.csv.zst", "the cloud bill, FOCUS 1.2, hour by hour", true, demo_write_bill },
	{ "nodes.csv", "machines: what they are, when they were paid for", true, write_nodes },
	{ "allocations.csv", "jobs and services: who held which GPUs", true, write_jobs },
	{ "prices.csv", "an offer: the rate of a savings plan for the serving machines", true,
	  write_prices },
	{ "requests.csv.zst", "requests of three services, a row a minute", true, write_requests },
	{ "samples-serving.csv.zst", "telemetry of the serving cluster, a row a GPU and minute",
	  true, write_serving },
	{ "samples-training.csv.zst", "the same of the training cluster", true, write_training },
	{ "samples-evaluation.csv.zst", "the same of the evaluation machines", true,
	  write_evaluation },
	{ "samples-gpu-legacy.csv.zst", "the same of the forgotten cluster", true, write_legacy,
	  true },
	{ 0 },
};
