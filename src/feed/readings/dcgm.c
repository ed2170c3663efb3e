/*
 * dcgm-exporter's text, one scrape or many: lines come metric by metric, samples GPU by GPU, so
 * readings are collected per GPU and time first. A GPU that several jobs or containers hold has a
 * copy of each line per owner: one reading, not several.
 */
#include "feed/readings/dcgm.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/str.h"
#include "base/tm.h"
#include "feed/feed.h"
#include "base/lines.h"
#include "feed/readings/series.h"
#include "net/expo.h"

#define MAX_POINTS     4000000 /* GPU x time of one file: 500 MB */
#define SCRAPE_STEP_MS 30000   /* the exporter's default collect interval */
#define NOBODY         -1
#define SEVERAL        -2

struct point {
	int64_t t_ms;
	int32_t job;   /* number of the text, NOBODY or SEVERAL */
	uint32_t seen; /* bit per field */
	double field[DCGM_FIELD_N];
};

struct gpu { /* or MIG instance */
	struct sample_key key;
	VEC(struct point) point; /* by time */
	size_t at;               /* touched last */
};

struct dcgm {
	struct feed_run *r;
	struct lines lines;
	struct expo_line l;
	struct sample_key set;
	struct arena mem;
	struct intern names; /* GPUs, by "host|uuid|index|mig" */
	struct intern jobs;
	VEC(struct gpu) gpu;
	struct str text;
	size_t npoint;
	int64_t blanks, others;
	bool stand_in;
};

static struct sv keep_text(struct dcgm *d, struct sv v)
{
	if (v.n)
		return (struct sv){ arena_strn(&d->mem, v.p, v.n), v.n };
	return SV_NULL;
}

static struct gpu *gpu_of(struct dcgm *d)
{
	const struct expo_line *l = &d->l;
	struct sv host = expo_label(l, dcgm_host), uuid = expo_label(l, dcgm_uuid),
		  index = expo_label(l, dcgm_index);
	struct sv mig = expo_label(l, dcgm_mig), profile = expo_label(l, dcgm_profile);
	size_t had = d->names.n;

	if (!uuid.n && !index.n)
		return NULL;
	str_clear(&d->text);
	str_addf(&d->text, "%.*s|%.*s|%.*s|%.*s", SVF(host), SVF(sv_or(uuid, index)), SVF(mig),
		 SVF(profile));
	uint32_t id = intern_add(&d->names, str_sv(&d->text));
	if (d->names.n > had) {
		struct gpu *c = vec_push(&d->gpu);
		*c = (struct gpu){ .key = {
					   .node = keep_text(d, host),
					   .gpu = keep_text(d, sv_or(uuid, index)),
					   .mig = keep_text(d, mig),
					   .mig_profile = keep_text(d, profile),
					   .gpu_model = keep_text(d, expo_label(l, dcgm_model)),
					   .cluster = keep_text(d, expo_label(l, dcgm_cluster)) } };
		feed_key_default(&c->key, &d->set);
	}
	return &d->gpu.v[id];
}

static int32_t job_of(struct dcgm *d)
{
	const struct expo_line *l = &d->l;

	if (!dcgm_owner(expo_label(l, dcgm_job), expo_label(l, dcgm_namespace),
			expo_label(l, dcgm_pod), &d->text))
		return NOBODY;
	return (int32_t)intern_add(&d->jobs, str_sv(&d->text));
}

/* The point of this time, new or old; histories come series by series in time order: the next is
 * right behind the last. */
static struct point *point_of(struct dcgm *d, struct gpu *c, int64_t t_ms)
{
	size_t at = c->at;

	if (at + 1 < c->point.n && c->point.v[at + 1].t_ms == t_ms)
		at++;
	else if (at >= c->point.n || c->point.v[at].t_ms != t_ms)
		at = first_where(i, c->point.n, c->point.v[i].t_ms >= t_ms);
	c->at = at;
	if (at < c->point.n && c->point.v[at].t_ms == t_ms)
		return &c->point.v[at];
	if (d->npoint++ == MAX_POINTS)
		return NULL;
	vec_push(&c->point);
	memmove(c->point.v + at + 1, c->point.v + at, (c->point.n - 1 - at) * sizeof *c->point.v);
	c->point.v[at] = (struct point){ .t_ms = t_ms, .job = NOBODY };
	for (int f = 0; f < DCGM_FIELD_N; f++)
		c->point.v[at].field[f] = NAN;
	return &c->point.v[at];
}

static int take_reading(struct dcgm *d, int field, struct gpu *c, struct err *err)
{
	double v = d->l.value;
	struct point *p;
	int64_t t_ms = d->l.t_ms;

	if (t_ms == INT64_MIN)
		t_ms = d->r->at_ms;
	if (t_ms == UNKNOWN_MS) {
		err_set(err, -EINVAL, "'%s' line %lld carries no time", input_name(d->r->in),
			(long long)d->lines.line);
		err_hint(err,
			 "--at T says when it was scraped, for example --at 2026-11-21T10:00:00Z");
		return -EINVAL;
	}
	if (!(p = point_of(d, c, t_ms)))
		return err_set(err, -E2BIG,
			       "'%s' has more than %d readings of GPUs: give it in pieces",
			       input_name(d->r->in), MAX_POINTS);
	int32_t job = job_of(d);
	if (job != NOBODY && p->job != job)
		p->job = p->job == NOBODY ? job : SEVERAL;
	if (field < 0)
		return 0;
	bool valid = dcgm_valid((enum dcgm_field)field, v);
	if (p->seen & (1u << field)) {
		double had = p->field[field];
		if (valid ? had == v : isnan(had)) /* the copy of another holder */
			return 0;
		return feed_reject(d->r, d->lines.line, dcgm_field_name((enum dcgm_field)field),
				   err,
				   "is given twice for one GPU and time with different values");
	}
	p->seen |= 1u << field;
	if (valid)
		p->field[field] = v;
	else if (!isnan(v))
		d->blanks++;
	return 0;
}

static int read_line(struct dcgm *d, struct sv text, struct err *err)
{
	const char *why = "";
	int rc = expo_parse(text, &d->l, &why), field;

	if (rc == 0)
		return 0;
	feed_tick(d->r);
	if (rc < 0)
		return feed_reject(d->r, d->lines.line, "", err, "%s", why);
	field = dcgm_field_of(d->l.name);
	bool ours = field >= 0 || sv_starts(d->l.name, SV("DCGM_FI_"));
	struct gpu *c = NULL;
	if (ours)
		c = gpu_of(d);
	if (!c) {
		d->others++;
		d->r->report->rows_skipped++;
		return 0;
	}
	return take_reading(d, field, c, err);
}

static int give_samples(struct dcgm *d, int64_t step_ms, struct err *err)
{
	struct feed_series *series = feed_series_new(d->r->sink, d->r->report, step_ms,
						     SCRAPE_STEP_MS);
	int rc = 0;

	for (size_t k = 0; k < d->gpu.n && rc >= 0; k++) {
		const struct gpu *c = &d->gpu.v[k];
		struct sample_key key = c->key;
		struct sample v = { 0 };
		for (size_t i = 0; i < c->point.n && rc >= 0; i++) {
			const struct point *p = &c->point.v[i];
			if (p->job >= 0)
				key.job_id = d->jobs.text[p->job];
			else
				key.job_id = c->key.job_id; /* --set job_id */
			v.t_ms = p->t_ms;
			sample_clear(&v);
			d->stand_in |= dcgm_sample(p->field, v.value);
			rc = feed_series_put(series, feed_series_of(series, &key), &v, err);
		}
	}
	if (rc >= 0)
		rc = feed_series_end(series, err);
	feed_series_free(series);
	return rc;
}

static int dcgm_run(struct feed_run *r, struct err *err)
{
	struct dcgm *d = xcalloc(1, sizeof *d);
	struct sv text;
	int64_t step_ms;
	int rc;

	d->r = r;
	lines_open(&d->lines, r->in);
	rc = feed_key_set(r, &d->set, err);
	if (rc >= 0)
		rc = feed_step_set(r, &step_ms, err);
	while (rc >= 0 && (rc = lines_next(&d->lines, &text, err)) > 0)
		rc = read_line(d, text, err);
	if (rc >= 0)
		rc = give_samples(d, step_ms, err);
	if (rc >= 0) {
		struct feed_report *report = d->r->report;

		/* rows are lines here, not samples */
		report->rows_kept = report->rows_read - report->rows_rejected -
				    report->rows_skipped;
		if (d->blanks)
			feed_note(
				report,
				"%lld values mean 'not supported' or 'no reading': unknown, not numbers",
				(long long)d->blanks);
		if (d->others)
			feed_note(report, "%lld lines are no readings of a GPU and were left out",
				  (long long)d->others);
		if (d->stand_in)
			feed_note(
				report,
				"where DCGM_FI_DEV_GPU_UTIL is missing, DCGM_FI_PROF_GR_ENGINE_ACTIVE was taken as utilisation");
		for (size_t i = 0; i < d->gpu.n; i++)
			if (!d->gpu.v[i].key.node.n && !sv_starts(d->gpu.v[i].key.gpu, SV("GPU-")))
				feed_note(
					report,
					"GPUs are named by index and no host: --set node=NAME tells those of different machines apart");
		if (!d->gpu.n)
			rc = err_set(err, -EINVAL,
				     "'%s' holds no reading of a GPU (no DCGM_FI_... line)",
				     input_name(r->in));
	}
	for (size_t i = 0; i < d->gpu.n; i++)
		vec_free(&d->gpu.v[i].point);
	vec_free(&d->gpu);
	lines_free(&d->lines);
	expo_line_free(&d->l);
	arena_free(&d->mem);
	intern_free(&d->names);
	intern_free(&d->jobs);
	str_free(&d->text);
	free(d);
	return rc;
}

static int dcgm_detect(struct sv head, const struct sv *col, size_t ncol)
{
	(void)col;
	(void)ncol;
	if (sv_starts(head, SV("DCGM_FI_")) || sv_has(head, SV("\nDCGM_FI_")))
		return 95;
	if (sv_starts(head, SV("# HELP")) || sv_starts(head, SV("# TYPE")))
		return 40;
	return 0;
}

const struct feed feed_dcgm = {
	.kind = "dcgm",
	.group = "telemetry",
	.about = "dcgm-exporter's metrics as text (--at T where lines have no times)",
	.detect = dcgm_detect,
	.run = dcgm_run,
};
