/*
 * Kubernetes allocations as OpenCost answers them (GET /allocation):
 * {"code":200,"data":[{"<key>":{...},...}, one object a step]}. Each record is a workload's share
 * of GPUs in its step; costs are rounded to 5 decimals by the source.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/among.h"
#include "base/near.h"
#include "base/num.h"
#include "base/sort.h"
#include "base/str.h"
#include "base/tm.h"
#include "feed/feed.h"
#include "feed/jobs/presences.h"
#include "feed/rows.h"
#include "feed/tags.h"
#include "model/machine_id.h"

#define MAX_BYTES ((size_t)1 << 30) /* the whole answer is in memory */
#define GPUS_MAX  1e6               /* of one record: more is no count of GPUs */
#define CORES_MAX 1e6               /* of one machine, as its bytes: else not known */
#define RAM_MAX   1e15
/* of the record's currency; a cost over next to no hours is no price, and may not be finite, which
 * dec_from_double() must not be given */
#define GPU_HOUR_MAX 1e9

/* A step of a cluster that was asked for: all its workloads are in the answer. */
struct window {
	uint32_t cluster;
	int64_t from_ms, to_ms;
};

struct oc {
	struct feed_run *r;
	struct tags tags;
	struct str job;
	int64_t n, no_gpu;
	struct sv currency, cluster;
	struct intern clusters;
	VEC(struct window) window;
	struct presences presences;
	const char *bad;
	char why[200];
};

static struct sv read_text(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (json_is_string(v) && json_string_length(v))
		return (struct sv){ json_string_value(v), json_string_length(v) };
	return SV_NULL;
}

/* null stands for NaN and infinity. */
static double read_number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (json_is_number(v))
		return json_number_value(v);
	return NAN;
}

static void set_bad(struct oc *o, const char *field, const char *why, struct sv v)
{
	if (o->bad)
		return;
	o->bad = field;
	snprintf(o->why, sizeof o->why, "%s%s%.*s%s", why, text_if(v.n, ": '"),
		 v.n > 60 ? 60 : (int)v.n, text_or(v.p, ""), text_if(v.n, "'"));
}

static void get_time(struct oc *o, const json_t *rec, const char *key, int64_t *ret)
{
	struct sv v = read_text(rec, key);

	if (!v.n)
		v = read_text(json_object_get(rec, "window"), key);
	if (!v.n || tm_parse(v, 0, ret) < 0)
		set_bad(o, key, "is no time", v);
}

static void add_labels(struct oc *o, const json_t *props, const char *key)
{
	const json_t *labels = json_object_get(props, key);
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)labels, name, v)
	{
		struct sv text = { json_string_value(v), json_string_length(v) };
		if (json_is_string(v))
			tags_add(&o->tags, sv_of(name), text);
	}
}

/* "namespace/pod": the name that GPU readings carry too; else the controller, else the record's own
 * name. */
static struct sv job_of(struct oc *o, const json_t *rec, const char *key)
{
	const json_t *props = json_object_get(rec, "properties");
	struct sv ns = read_text(props, "namespace"), pod = read_text(props, "pod"),
		  ctl = read_text(props, "controller"), name = read_text(rec, "name");

	str_clear(&o->job);
	if (pod.n && ns.n)
		str_addf(&o->job, "%.*s/%.*s", SVF(ns), SVF(pod));
	else if (pod.n)
		str_addsv(&o->job, pod);
	else if (ctl.n)
		str_addf(&o->job, "%.*s%s%.*s", SVF(ns), text_if(ns.n, "/"), SVF(ctl));
	else
		str_addz(&o->job, name.n ? name.p : key);
	return str_sv(&o->job);
}

static void read_owner(struct oc *o, const json_t *rec, const char *key, struct allocation *a)
{
	const json_t *props = json_object_get(rec, "properties");
	struct sv kind = read_text(props, "controllerKind");

	tags_clear(&o->tags);
	/* which machine it is, whatever a label is called: the first of a name is kept */
	tags_add(&o->tags, SV(MACHINE_TAG), read_text(props, "providerID"));
	add_labels(o, props, "labels");
	add_labels(o, props, "annotations");
	/* the pod's own win */
	add_labels(o, props, "namespaceLabels");
	add_labels(o, props, "namespaceAnnotations");
	a->job_id = job_of(o, rec, key);
	a->name = sv_or(read_text(props, "controller"), read_text(rec, "name"));
	a->namespace_ = read_text(props, "namespace");
	a->node = read_text(props, "node");
	a->cluster = sv_or(read_text(props, "cluster"), o->cluster);
	a->user = tags_get(&o->tags, tags_user);
	a->team = tags_get(&o->tags, tags_team);
	a->project = tags_get(&o->tags, tags_project);
	a->env = tags_get(&o->tags, tags_env);
	a->workload = tags_get(&o->tags, tags_workload);
	if (kind.n)
		tags_add(&o->tags, SV("controller_kind"), kind);
	a->tags = tags_json(&o->tags);
	a->currency = o->currency;
}

/* GPUs from the hours of the record, else from its count; the price from what its hours cost. */
static void read_amounts(struct oc *o, const json_t *rec, struct allocation *a)
{
	double hours = read_number(rec, "gpuHours"), cost = read_number(rec, "gpuCost"),
	       adjust = read_number(rec, "gpuCostAdjustment");
	double count = read_number(rec, "gpuCount"),
	       span_h = (double)(a->end_ms - a->start_ms) / MS_HOUR;
	double gpus = count;

	if (hours > 0 && span_h > 0)
		gpus = hours / span_h;
	if (!(gpus >= 0 && gpus < GPUS_MAX) || (!isnan(hours) && hours < 0)) {
		set_bad(o, "gpuHours", "is no amount of GPU time", SV_NULL);
		return;
	}
	a->gpus_milli = llround(gpus * 1000);
	if (hours > 0 && a->gpus_milli == 0)
		a->gpus_milli = 1;
	/* the 5 decimals of the hours alone are 0.05 of a milli-GPU over six minutes: no note of
	 * it */
	if (fabs(gpus * 1000 - (double)a->gpus_milli) > 0.5 ||
	    fabs(gpus * 1000 - round(gpus * 1000)) > 0.05)
		feed_note(o->r->report, "GPU counts were rounded to 1/1000 of a GPU");
	if (!(hours > 0) || isnan(cost))
		return;
	double gpu_hour = (cost + known_or(adjust, 0)) / hours;
	if (!(fabs(gpu_hour) < GPU_HOUR_MAX)) {
		set_bad(o, "gpuCost", "is no price of its GPU time", SV_NULL);
		return;
	}
	a->has_usd_gpu_hour = true;
	a->usd_gpu_hour = dec_from_double(gpu_hour);
}

/* The step that the record was asked for, whatever ran in it. */
static void note_window(struct oc *o, const json_t *rec)
{
	const json_t *props = json_object_get(rec, "properties"),
		     *window = json_object_get(rec, "window");
	struct sv cluster = read_text(props, "cluster"), from = read_text(window, "start"),
		  to = read_text(window, "end");
	struct window w;

	if (!from.n || tm_parse(from, 0, &w.from_ms) < 0)
		return;
	if (tm_parse(to, 0, &w.to_ms) < 0 || w.to_ms <= w.from_ms)
		return;
	w.cluster = intern_add(&o->clusters, sv_or(cluster, o->cluster));
	for (size_t i = o->window.n; i-- > 0 && o->window.v[i].from_ms == w.from_ms;)
		if (o->window.v[i].cluster == w.cluster && o->window.v[i].to_ms == w.to_ms)
			return;
	*vec_push(&o->window) = w;
}

static int by_window(const void *a, const void *b)
{
	const struct window *x = a, *y = b;

	if (x->cluster != y->cluster)
		return cmp_u64(x->cluster, y->cluster);
	return cmp_i64(x->from_ms, y->from_ms);
}

/* Whoever held a GPU in a step that was asked for is named. */
static int give_watched(struct oc *o, struct err *err)
{
	const struct feed_sink *to = o->r->sink;
	const struct window *v = o->window.v;
	int rc = 0;

	if (o->window.n)
		sort_items(o->window.v, o->window.n, sizeof *v, by_window);
	for (size_t i = 0, j; i < o->window.n && to->witness && rc >= 0; i = j) {
		struct witness w = { .cluster = o->clusters.text[v[i].cluster],
				     .from_ms = v[i].from_ms,
				     .to_ms = v[i].to_ms,
				     .quality = QUALITY_MEASURED };
		for (j = i + 1;
		     j < o->window.n && v[j].cluster == v[i].cluster && v[j].from_ms <= w.to_ms;
		     j++)
			w.to_ms = max_i64(v[j].to_ms, w.to_ms);
		rc = to->witness(to->ctx, &w, err);
	}
	return rc;
}

/* "__idle__", "__unallocated__", "__unmounted__": what no workload has asked for. */
static bool is_leftover(struct sv key)
{
	return sv_starts(key, SV("__"));
}

/* A pod without GPUs on a machine that may have some. */
static void note_presence(struct oc *o, const json_t *rec)
{
	const json_t *props = json_object_get(rec, "properties"),
		     *window = json_object_get(rec, "window");
	struct sv start = read_text(rec, "start"), end = read_text(rec, "end"),
		  to = read_text(window, "end");
	struct presence p = { .cluster = sv_or(read_text(props, "cluster"), o->cluster),
			      .node = read_text(props, "node") };

	if (!presences_is_work(read_text(props, "namespace"), read_text(props, "controllerKind")))
		return;
	if (!start.n || tm_parse(start, 0, &p.from_ms) < 0)
		return;
	if (!end.n || tm_parse(end, 0, &p.to_ms) < 0)
		return;
	p.goes_on = sv_eq(end, to);
	presences_add(&o->presences, &p);
}

static int read_record(struct oc *o, const char *key, const json_t *rec, struct err *err)
{
	struct allocation a = { .share_ppb = -1,
				.mig_start = -1,
				.checkpointable = -1,
				.submit_ms = UNKNOWN_MS,
				.limit_ms = UNKNOWN_MS };
	double hours = read_number(rec, "gpuHours"), count = read_number(rec, "gpuCount");

	feed_tick(o->r);
	o->n++;
	o->bad = NULL;
	note_window(o, rec);
	if (is_leftover(sv_of(key)) || is_leftover(read_text(rec, "name"))) {
		feed_skip(o->r, o->n, sv_of(key),
			  "no workload of its own: what is left over is worked out here");
		return 0;
	}
	if (!(hours > 0) && !(count > 0)) {
		note_presence(o, rec);
		o->no_gpu++;
		o->r->report->rows_skipped++;
		return 0;
	}
	get_time(o, rec, "start", &a.start_ms);
	get_time(o, rec, "end", &a.end_ms);
	if (!o->bad && a.end_ms <= a.start_ms)
		set_bad(o, "end", "is not after start", read_text(rec, "end"));
	if (!o->bad)
		read_amounts(o, rec, &a);
	if (o->bad)
		return feed_reject(o->r, o->n, o->bad, err, "%s (record '%.100s')", o->why, key);
	read_owner(o, rec, key, &a);
	/* GPU model, GPU and sharing: newer records have an object of their own */
	const json_t *g = json_object_get(rec, "gpuAllocation");
	a.gpu_model = sv_or(read_text(g, "gpuModel"), read_text(g, "gpuDevice"));
	if (!a.gpu_model.n)
		a.gpu_model = sv_of(feed_set_get(o->r, "gpu_model"));
	a.gpu_ids = read_text(g, "gpuUUID");
	if (json_is_true(json_object_get(g, "isGPUShared")))
		a.share_kind = SHARE_TIMESLICE;
	/* what it asked for of the host: that is what the scheduler counts as taken */
	double cores = read_number(rec, "cpuCoreRequestAverage"),
	       bytes = read_number(rec, "ramByteRequestAverage");
	a.cpu_milli = cores > 0 && cores < CORES_MAX ? llround(cores * 1000) : UNKNOWN_I64;
	a.ram_mib = bytes > 0 && bytes < RAM_MAX ? llround(bytes / 1048576) : UNKNOWN_I64;
	int rc = o->r->sink->allocation(o->r->sink->ctx, &a, err);
	if (rc < 0)
		return rc;
	o->r->report->rows_kept++;
	feed_cover(o->r->report, a.start_ms, a.end_ms);
	return 0;
}

/* A set of records by key; some servers wrap it: {"allocations":{...},"window":{...}}. */
static int read_records(struct oc *o, const json_t *set, struct err *err)
{
	const json_t *inner = json_object_get(set, "allocations");
	const char *key;
	json_t *rec;
	int rc = 0;

	if (json_is_object(inner) && !json_object_get(inner, "properties"))
		set = inner;
	json_object_foreach((json_t *)set, key, rec)
	{
		if (json_is_null(rec))
			continue;
		if (!json_is_object(rec))
			return err_set(err, -EINVAL, "'%s': '%.100s' is not an allocation record",
				       input_name(o->r->in), key);
		if ((rc = read_record(o, key, rec, err)) < 0)
			return rc;
	}
	return 0;
}

static int read_steps(struct oc *o, const json_t *data, struct err *err)
{
	size_t i;
	json_t *step;
	int rc = 0;

	if (json_is_object(data))
		return read_records(o, data, err);
	if (!json_is_array(data))
		return err_set(err, -EINVAL, "'%s': no array \"data\" of allocations",
			       input_name(o->r->in));
	json_array_foreach((json_t *)data, i, step)
	{
		if (json_is_null(step)) /* a step without data */
			continue;
		if (json_is_array(step))
			rc = read_steps(o, step, err);
		else if (json_is_object(step))
			rc = read_records(o, step, err);
		else
			rc = err_set(err, -EINVAL, "'%s': step %zu of \"data\" is no object",
				     input_name(o->r->in), i + 1);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int read_answer(struct oc *o, const json_t *root, struct err *err)
{
	const json_t *data = json_object_get(root, "data");
	double code = read_number(root, "code");

	if (!isnan(code) && (code < 200 || code > 299))
		return err_set(err, -EINVAL,
			       "'%s' is the answer to a question that failed: code %g %.*s",
			       input_name(o->r->in), code, SVF(read_text(root, "message")));
	return read_steps(o, data ? data : root, err);
}

struct load {
	struct input *in;
	struct err *err;
	size_t n; /* bytes so far */
	int rc;   /* what ended it early; json_load_callback() tells no error from an end */
};

static size_t load_more(void *buf, size_t n, void *ctx)
{
	struct load *l = ctx;
	int64_t got = input_read(l->in, buf, n, l->err);

	if (got > 0 && (l->n += (size_t)got) > MAX_BYTES)
		got = err_set(l->err, -EMSGSIZE,
			      "'%s' is larger than 1 GiB: ask for shorter windows",
			      input_name(l->in));
	if (got < 0)
		l->rc = (int)got;
	if (got < 0)
		return (size_t)-1;
	return (size_t)got;
}

static int oc_run(struct feed_run *r, struct err *err)
{
	static const char *const known[] = { "currency", "cluster", "gpu_model", NULL };
	struct oc o = { .r = r,
			.currency = sv_of(feed_set_get(r, "currency")),
			.cluster = sv_of(feed_set_get(r, "cluster")) };
	struct load l = { .in = r->in, .err = err };
	json_error_t je;
	json_t *root = json_load_callback(load_more, &l, 0, &je);
	int rc = l.rc;

	if (!root && !rc)
		rc = err_set(err, -EINVAL, "'%s' line %d: no JSON: %s", input_name(r->in), je.line,
			     je.text);
	for (size_t i = 0; i < r->nset && root && !rc; i++) {
		const char *key = r->set[i].key;
		if (!text_among(key, known))
			rc = feed_set_unknown(r, key, near_word(key, known, 3), err);
	}
	if (root && !rc)
		rc = read_answer(&o, root, err);
	if (rc >= 0 && root)
		rc = give_watched(&o, err);
	if (rc >= 0 && root)
		rc = presences_give(&o.presences, r->sink, err);
	if (rc >= 0 && o.no_gpu)
		feed_note(r->report, "%lld records hold no GPU and were left out",
			  (long long)o.no_gpu);
	json_decref(root);
	tags_free(&o.tags);
	str_free(&o.job);
	intern_free(&o.clusters);
	vec_free(&o.window);
	presences_free(&o.presences);
	return rc;
}

static int oc_detect(struct sv head, const struct sv *col, size_t ncol)
{
	(void)col;
	(void)ncol;
	if (!sv_has(head, SV("\"gpuHours\"")) && !sv_has(head, SV("\"cpuCoreHours\"")))
		return 0;
	if (sv_has(head, SV("\"properties\"")))
		return 95;
	return 70;
}

const struct feed feed_opencost = {
	.kind = "opencost",
	.group = "jobs",
	.about = "Kubernetes allocations as OpenCost answers them (JSON)",
	.detect = oc_detect,
	.run = oc_run,
};
