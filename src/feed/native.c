/* The native tabular kinds but samples: nodes, allocations, requests. Column names are the
 * contract. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/tm.h"
#include "feed/jobs/job_words.h"
#include "feed/jobs/presences.h"
#include "feed/rows.h"
#include "feed/tags.h"
#include "model/histogram.h"

/* A word that is not of the contract's list is kept and told once. */
static void note_word(struct rows *w, const char *column, struct sv word, bool known,
		      struct intern *seen)
{
	if (!word.n || known)
		return;
	if (intern_find(seen, word) >= 0 || seen->n >= 100)
		return;
	intern_add(seen, word);
	feed_note(w->r->report, "%s '%.*s' is none of the known words; kept as it is", column,
		  SVF(word));
}

/* ---- nodes ------------------------------------------------------------------------------- */

enum {
	N_NODE,
	N_PROVIDER,
	N_REGION,
	N_ZONE,
	N_TYPE,
	N_MODEL,
	N_COUNT,
	N_IDS,
	N_PURCHASE,
	N_FROM,
	N_TO,
	N_CLUSTER,
	N_USD,
	N_USD_GPU,
	N_RESOURCE,
	N_CURRENCY,
	N_CPUS,
	N_RAM
};
static const char *const node_names[] = {
	"node",          "provider",     "region",      "zone",
	"instance_type", "gpu_model",    "gpu_count",   "gpu_ids",
	"purchase",      "from",         "to",          "cluster",
	"usd_hour",      "usd_gpu_hour", "resource_id", "currency",
	"cpus",          "ram_gib",      NULL
};

/* Whether the list names the same GPU before the one at `here`. */
static bool named_before(struct sv ids, struct sv id, const char *here)
{
	while (ids.n && ids.p < here) {
		struct sv each = sv_trim(sv_cut(ids, ';', &ids));
		if (each.p < here && sv_eq(each, id))
			return true;
	}
	return false;
}

/* GPUs that are named must be as many as the row says, each once: else one of the two is wrong,
 * and GPU time would be lost or made up. */
static void check_ids(struct rows *w, int i, struct sv ids, int64_t gpu_milli, const char *count)
{
	size_t n = 0, want = (size_t)((gpu_milli + 999) / 1000);
	struct sv rest = ids;

	while (rest.n)
		n += sv_trim(sv_cut(rest, ';', &rest)).n > 0;
	rest = ids;
	if (ids.n && n != want)
		rows_bad(w, i, "names %zu GPUs, %s says %g", n, count, (double)gpu_milli / 1000);
	while (rest.n && n == want && n < 1000 && !w->bad) {
		struct sv id = sv_trim(sv_cut(rest, ';', &rest));
		if (id.n && named_before(ids, id, id.p))
			rows_bad(w, i, "names GPU '%.*s' twice", SVF(id));
	}
}

/* CPU and memory of the host; fractions of cores are usual, and memory in GiB. */
static void read_host(struct rows *w, int cpus, int ram, int64_t *ret_cpu_milli,
		      int64_t *ret_ram_mib)
{
	double x;

	*ret_cpu_milli = rows_f64(w, cpus, 0, 1e6, &x) ? llround(x * 1000) : UNKNOWN_I64;
	*ret_ram_mib = rows_f64(w, ram, 0, 1e9, &x) ? llround(x * 1024) : UNKNOWN_I64;
}

static void node_read(struct rows *w, struct node *n)
{
	dec usd_gpu_hour;

	*n = (struct node){ .node = rows_need(w, N_NODE),
			    .provider = rows_text(w, N_PROVIDER),
			    .region = rows_text(w, N_REGION),
			    .zone = rows_text(w, N_ZONE),
			    .instance_type = rows_text(w, N_TYPE),
			    .gpu_model = rows_text(w, N_MODEL),
			    .gpu_ids = rows_text(w, N_IDS),
			    .purchase = rows_text(w, N_PURCHASE),
			    .cluster = rows_text(w, N_CLUSTER),
			    .resource_id = rows_text(w, N_RESOURCE),
			    .currency = rows_text(w, N_CURRENCY),
			    .from_ms = UNKNOWN_MS,
			    .to_ms = UNKNOWN_MS };
	rows_need(w, N_COUNT);
	rows_milli(w, N_COUNT, &n->gpu_milli);
	rows_need(w, N_FROM);
	rows_time(w, N_FROM, &n->from_ms);
	rows_time(w, N_TO, &n->to_ms);
	/* usd_hour is the machine's; where a row has none, usd_gpu_hour is of each of its GPUs */
	n->has_usd_hour = rows_price(w, N_USD, &n->usd_hour);
	if (!n->has_usd_hour && rows_price(w, N_USD_GPU, &usd_gpu_hour)) {
		n->has_usd_hour = true;
		n->usd_hour = dec_muldiv(usd_gpu_hour, n->gpu_milli, 1000);
	}
	if (n->to_ms != UNKNOWN_MS && n->to_ms < n->from_ms)
		rows_bad(w, N_TO, "is before 'from'");
	read_host(w, N_CPUS, N_RAM, &n->cpu_milli, &n->ram_mib);
	check_ids(w, N_IDS, n->gpu_ids, n->gpu_milli, "gpu_count");
}

static int nodes_rows(struct rows *w, struct intern *seen, struct err *err)
{
	struct node n;
	int rc, go;

	while ((rc = rows_next(w, err)) > 0) {
		node_read(w, &n);
		if (!rows_good(w, &go, err)) {
			if (go < 0)
				return go;
			continue;
		}
		if (n.gpu_milli == 0) {
			feed_skip(w->r, rows_line(w), n.node, "a node without GPUs");
			continue;
		}
		note_word(w, "purchase", n.purchase, purchase_is_known(n.purchase), seen);
		if ((rc = w->r->sink->node(w->r->sink->ctx, &n, err)) < 0)
			return rc;
		w->r->report->rows_kept++;
		feed_cover(w->r->report, n.from_ms, n.to_ms == UNKNOWN_MS ? n.from_ms : n.to_ms);
	}
	return rc;
}

static int nodes_run(struct feed_run *r, struct err *err)
{
	struct rows w;
	struct intern seen = { 0 };
	int rc = rows_open(&w, r, node_names, NULL, err);

	if (rc >= 0)
		rc = nodes_rows(&w, &seen, err);
	intern_free(&seen);
	return rc;
}

static int nodes_detect(struct sv head, const struct sv *col, size_t ncol)
{
	(void)head;
	if (ROWS_NAMED(col, ncol, "node", "gpu_count", "gpu_model", "from"))
		return 90;
	return 0;
}

static const char *const nodes_required[] = { "node",      "provider", "region", "gpu_model",
					      "gpu_count", "purchase", "from",   NULL };

const struct feed feed_nodes = {
	.kind = "nodes",
	.group = "the rest",
	.about =
		"GPU nodes and when they were paid for: node, gpu_model, gpu_count, purchase, from, to, ...",
	.tabular = true,
	.detect = nodes_detect,
	.required = nodes_required,
	.run = nodes_run,
};

/* ---- allocations ------------------------------------------------------------------------- */

enum {
	A_JOB,
	A_USER,
	A_TEAM,
	A_PROJECT,
	A_ENV,
	A_WORKLOAD,
	A_NAME,
	A_MODEL,
	A_GPUS,
	A_IDS,
	A_SHARE_KIND,
	A_SHARE,
	A_PROFILE,
	A_MIG_START,
	/* further columns, beside the contract's: */
	A_SUBMIT,
	A_START,
	A_END,
	A_STATE,
	A_LIMIT,
	A_NODE,
	A_CHECKPOINTABLE,
	A_CLUSTER,
	A_ACCOUNT,
	A_NAMESPACE,
	A_QUEUE,
	A_TAGS,
	A_ATTEMPT,
	A_OPEN_END,
	A_PRICE,
	A_CURRENCY,
	A_CPUS,
	A_RAM
};
static const char *const alloc_names[] = {
	"job_id",         "user",      "team",        "project",      "env",
	"workload",       "name",      "gpu_model",   "gpus",         "gpu_ids",
	"share_kind",     "gpu_share", "mig_profile", "mig_start",    "submit",
	"start",          "end",       "state",       "limit_s",      "node",
	"checkpointable", "cluster",   "account",     "namespace",    "queue",
	"tags",           "attempt",   "open_end",    "usd_gpu_hour", "currency",
	"cpus",           "ram_gib",   NULL
};

struct tag_col {
	struct sv key;
	int col;
};
struct allocations {
	struct rows w;
	struct tags tags;
	struct intern workloads;
	VEC(struct tag_col) tag_col; /* columns named tag:KEY */
	size_t ntag_set;
	int64_t zero_gpu;
	struct presences presences;
	struct job_words words;
};

static void alloc_read_share(struct rows *w, struct allocation *a)
{
	struct sv kind = rows_text(w, A_SHARE_KIND);
	double share;
	int64_t start = -1;
	int k;

	a->mig_profile = rows_text(w, A_PROFILE);
	a->share_ppb = rows_f64(w, A_SHARE, 0, 1, &share) ? llround(share * 1e9) : -1;
	rows_i64(w, A_MIG_START, -1, 7, &start);
	a->mig_start = (int)start;
	if (kind.n && (k = share_kind_of(kind)) < 0)
		rows_bad(w, A_SHARE_KIND, "'%.*s' is none of whole, mig, mps, timeslice, fraction",
			 SVF(kind));
	else if (kind.n)
		a->share_kind = (enum share_kind)k;
	else if (a->mig_profile.n)
		a->share_kind = SHARE_MIG;
	else if (a->share_ppb >= 0 && a->share_ppb < 1000000000)
		a->share_kind = SHARE_FRACTION;
	else
		a->share_kind = SHARE_WHOLE;
	if (a->share_kind == SHARE_WHOLE)
		a->share_ppb = -1;
}

static void alloc_read(struct rows *w, struct allocation *a)
{
	bool ckpt = false;
	int64_t attempt = 0;

	*a = (struct allocation){ .job_id = rows_need(w, A_JOB),
				  .user = rows_text(w, A_USER),
				  .team = rows_text(w, A_TEAM),
				  .project = rows_text(w, A_PROJECT),
				  .env = rows_text(w, A_ENV),
				  .workload = rows_text(w, A_WORKLOAD),
				  .name = rows_text(w, A_NAME),
				  .gpu_model = rows_text(w, A_MODEL),
				  .gpu_ids = rows_text(w, A_IDS),
				  .state = rows_text(w, A_STATE),
				  .node = rows_text(w, A_NODE),
				  .cluster = rows_text(w, A_CLUSTER),
				  .account = rows_text(w, A_ACCOUNT),
				  .namespace_ = rows_text(w, A_NAMESPACE),
				  .queue = rows_text(w, A_QUEUE),
				  .currency = rows_text(w, A_CURRENCY),
				  .submit_ms = UNKNOWN_MS,
				  .start_ms = UNKNOWN_MS,
				  .end_ms = UNKNOWN_MS,
				  .limit_ms = UNKNOWN_MS };
	rows_need(w, A_GPUS);
	rows_milli(w, A_GPUS, &a->gpus_milli);
	alloc_read_share(w, a);
	if (a->share_kind == SHARE_WHOLE)
		check_ids(w, A_IDS, a->gpu_ids, a->gpus_milli, "gpus");
	rows_time(w, A_SUBMIT, &a->submit_ms);
	rows_time(w, A_START, &a->start_ms);
	rows_time(w, A_END, &a->end_ms);
	rows_seconds(w, A_LIMIT, &a->limit_ms);
	rows_bool(w, A_OPEN_END, &a->open_end);
	rows_i64(w, A_ATTEMPT, 0, INT32_MAX, &attempt);
	a->attempt = (int)attempt;
	if (a->start_ms != UNKNOWN_MS && a->end_ms != UNKNOWN_MS && a->end_ms < a->start_ms)
		rows_bad(w, A_END, "is before 'start'");
	read_host(w, A_CPUS, A_RAM, &a->cpu_milli, &a->ram_mib);
	a->checkpointable = rows_bool(w, A_CHECKPOINTABLE, &ckpt) ? ckpt : -1;
	a->has_usd_gpu_hour = rows_price(w, A_PRICE, &a->usd_gpu_hour);
}

/* Tags: a JSON object, pairs (team=nlp;env=prod), columns and --set named tag:KEY. */
static void alloc_read_tags(struct allocations *f, struct allocation *a)
{
	struct sv text = rows_text(&f->w, A_TAGS);
	const struct feed_run *r = f->w.r;

	if (text.n && text.p[0] == '{' && !f->tag_col.n && !f->ntag_set) {
		a->tags = text;
		return;
	}
	tags_clear(&f->tags);
	for (size_t i = 0; i < f->tag_col.n; i++)
		tags_add(&f->tags, f->tag_col.v[i].key, f->w.cell[f->tag_col.v[i].col]);
	if (text.n && text.p[0] == '{' && tags_add_json(&f->tags, text) < 0)
		rows_bad(&f->w, A_TAGS, "is no JSON object");
	else
		tags_add_pairs(&f->tags, text);
	for (size_t i = 0; i < r->nset; i++)
		if (!strncmp(r->set[i].key, "tag:", 4))
			tags_add(&f->tags, sv_of(r->set[i].key + 4), sv_of(r->set[i].value));
	a->tags = tags_json(&f->tags);
}

static void alloc_note_presence(struct allocations *f, const struct allocation *a)
{
	static const char *const kind[] = { "controller_kind", "controllerKind", NULL };
	struct tags tags = { 0 };

	if (!a->node.n)
		return;
	if (a->tags.n)
		tags_add_json(&tags, a->tags);
	if (presences_is_work(a->namespace_, tags_get(&tags, kind)))
		presences_add(&f->presences, &(struct presence){ .cluster = a->cluster,
								 .node = a->node,
								 .from_ms = a->start_ms,
								 .to_ms = a->end_ms,
								 .goes_on = a->open_end });
	tags_free(&tags);
}

static int alloc_rows(struct allocations *f, struct err *err)
{
	struct feed_run *r = f->w.r;
	struct allocation a;
	int rc, go;

	while ((rc = rows_next(&f->w, err)) > 0) {
		alloc_read(&f->w, &a);
		alloc_read_tags(f, &a);
		if (!rows_good(&f->w, &go, err)) {
			if (go < 0)
				return go;
			continue;
		}
		if (a.start_ms == UNKNOWN_MS) {
			feed_skip(r, rows_line(&f->w), a.job_id, "has no start: it never ran");
			continue;
		}
		if (a.gpus_milli == 0) { /* trace files are full of them: counted, not named */
			r->report->rows_skipped++;
			f->zero_gpu++;
			alloc_note_presence(f, &a);
			continue;
		}
		job_words_see(&f->words, a.state);
		note_word(&f->w, "workload", a.workload, workload_is_known(a.workload),
			  &f->workloads);
		if ((rc = r->sink->allocation(r->sink->ctx, &a, err)) < 0)
			return rc;
		presences_know(&f->presences, a.start_ms);
		presences_know(&f->presences, a.end_ms);
		r->report->rows_kept++;
		feed_cover(r->report, a.start_ms, a.end_ms == UNKNOWN_MS ? a.start_ms : a.end_ms);
	}
	return rc;
}

static int allocations_run(struct feed_run *r, struct err *err)
{
	struct allocations *f = xcalloc(1, sizeof *f);
	const struct tab *t = r->tab;
	int rc = rows_open(&f->w, r, alloc_names, NULL, err);

	for (size_t i = 0; i < t->ncol && rc >= 0; i++)
		if (t->col[i].n > 4 && sv_ieq((struct sv){ t->col[i].p, 4 }, SV("tag:")))
			*vec_push(&f->tag_col) =
				(struct tag_col){ { t->col[i].p + 4, t->col[i].n - 4 }, (int)i };
	for (size_t i = 0; i < r->nset; i++)
		f->ntag_set += !strncmp(r->set[i].key, "tag:", 4);
	if (rc >= 0)
		rc = alloc_rows(f, err);
	if (rc >= 0)
		rc = presences_give(&f->presences, r->sink, err);
	job_words_note(&f->words, r->report);
	if (f->zero_gpu)
		feed_note(r->report, "%lld rows hold no GPU and were left out",
			  (long long)f->zero_gpu);
	tags_free(&f->tags);
	vec_free(&f->tag_col);
	intern_free(&f->workloads);
	presences_free(&f->presences);
	job_words_free(&f->words);
	free(f);
	return rc;
}

static int allocations_detect(struct sv head, const struct sv *col, size_t ncol)
{
	(void)head;
	if (ROWS_NAMED(col, ncol, "job_id", "gpus", "start"))
		return 90;
	return 0;
}

static const char *const allocations_required[] = { "job_id", "gpus", "start", NULL };

const struct feed feed_allocations = {
	.kind = "allocations",
	.group = "jobs",
	.about = "jobs and the GPUs they held: job_id, gpus, start, end, user, team, node, ...",
	.tabular = true,
	.detect = allocations_detect,
	.required = allocations_required,
	.run = allocations_run,
};

/* ---- requests ---------------------------------------------------------------------------- */

enum {
	R_TIME,
	R_SERVICE,
	R_TENANT,
	R_COUNT,
	R_LATENCY,
	R_HISTOGRAM,
	R_TOKENS_IN,
	R_TOKENS_OUT,
	R_STATUS,
	R_GPU,
	/* further columns, beside the contract's: */
	R_PREFILL,
	R_DECODE
};
static const char *const request_names[] = { "time",      "service",    "tenant",
					     "count",     "latency_ms", "latency_histogram",
					     "tokens_in", "tokens_out", "status",
					     "gpu_s",     "prefill_s",  "decode_s",
					     NULL };

/* Sets the sum of the counts; false where it is no histogram. */
static bool histogram_count(struct sv h, int64_t *ret)
{
	struct histogram_bin b = { .le = -1 };
	int64_t sum = 0;
	int r;

	while ((r = histogram_next(&h, b.le, &b)) > 0) {
		if (b.count > INT64_MAX / 1000 - sum)
			return false;
		sum += b.count;
	}
	*ret = sum;
	return r == 0;
}

static void request_read(struct rows *w, struct request_row *q)
{
	int64_t in_bins = 0;

	*q = (struct request_row){ .service = rows_need(w, R_SERVICE),
				   .tenant = rows_text(w, R_TENANT),
				   .status = rows_text(w, R_STATUS),
				   .latency_histogram = rows_text(w, R_HISTOGRAM),
				   .count = 1,
				   .latency_ms = NAN,
				   .tokens_in = UNKNOWN_I64,
				   .tokens_out = UNKNOWN_I64,
				   .gpu_ms = UNKNOWN_I64,
				   .prefill_ms = UNKNOWN_I64,
				   .decode_ms = UNKNOWN_I64 };
	rows_need(w, R_TIME);
	rows_time(w, R_TIME, &q->t_ms);
	bool counted = rows_i64(w, R_COUNT, 0, INT64_MAX / 1000, &q->count);
	rows_f64(w, R_LATENCY, 0, HUGE_VAL, &q->latency_ms);
	rows_i64(w, R_TOKENS_IN, 0, INT64_MAX / 1000, &q->tokens_in);
	rows_i64(w, R_TOKENS_OUT, 0, INT64_MAX / 1000, &q->tokens_out);
	rows_seconds(w, R_GPU, &q->gpu_ms);
	rows_seconds(w, R_PREFILL, &q->prefill_ms);
	rows_seconds(w, R_DECODE, &q->decode_ms);
	if (!q->latency_histogram.n)
		return;
	if (!histogram_count(q->latency_histogram, &in_bins))
		rows_bad(
			w, R_HISTOGRAM,
			"is no histogram such as 10:5;50:20;+Inf:1 (upper bound in ms : requests, bounds rising)");
	else if (counted && in_bins != q->count)
		rows_bad(w, R_HISTOGRAM, "counts %lld requests, column count says %lld",
			 (long long)in_bins, (long long)q->count);
	q->count = in_bins;
}

static int requests_run(struct feed_run *r, struct err *err)
{
	struct feed_report *report = r->report;
	struct request_row q;
	struct rows w;
	int rc = rows_open(&w, r, request_names, NULL, err), go;

	if (rc < 0)
		return rc;
	while ((rc = rows_next(&w, err)) > 0) {
		request_read(&w, &q);
		if (!rows_good(&w, &go, err)) {
			if (go < 0)
				return go;
			continue;
		}
		if (q.count == 0) {
			report->rows_skipped++;
			feed_note(report, "rows that count no request were left out");
			continue;
		}
		if ((rc = r->sink->request(r->sink->ctx, &q, err)) < 0)
			return rc;
		report->rows_kept++;
		feed_cover(report, q.t_ms, q.t_ms);
	}
	return rc;
}

static int requests_detect(struct sv head, const struct sv *col, size_t ncol)
{
	(void)head;
	if (rows_named(col, ncol, "time") && rows_named(col, ncol, "service") &&
	    !rows_named(col, ncol, "gpu"))
		return 80;
	return 0;
}

static const char *const requests_required[] = { "time", "service", NULL };

const struct feed feed_requests = {
	.kind = "requests",
	.group = "the rest",
	.about =
		"requests of services: time, service, count, latency_ms or latency_histogram, tokens, ...",
	.tabular = true,
	.detect = requests_detect,
	.required = requests_required,
	.run = requests_run,
};
