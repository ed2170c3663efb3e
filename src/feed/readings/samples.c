/*
 * Native samples: readings of GPUs, one row a GPU and step. The hot path of every import of
 * telemetry: no allocation per row, one look at the key, one at each column that is there.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/tm.h"
#include "feed/rows.h"
#include "feed/readings/series.h"

enum { /* after the metrics, whose columns stand at their own numbers */
       C_TIME = METRIC_N,
       C_NODE,
       C_GPU,
       C_MIG,
       C_JOB,
       C_STEP,
       C_MODEL,
       C_CLUSTER,
       C_USER,
       C_TEAM,
       C_PROJECT,
       C_ENV,
       C_WORKLOAD,
       C_PRICE,
       C_CURRENCY,
       C_PROFILE,
       C_N
};
static const char *const extra_names[] = { "time",     "node",         "gpu",       "mig",
					   "job_id",   "step_s",       "gpu_model", "cluster",
					   "user",     "team",         "project",   "env",
					   "workload", "usd_gpu_hour", "currency",  "mig_profile" };

struct samples {
	struct rows w;
	const char *name[C_N + 1];
	struct feed_series *series;
	int metric[METRIC_N], nmetric; /* those that have a column */
};

static double metric_min(int m)
{
	if (m == METRIC_TEMP_CELSIUS)
		return -273.15;
	return 0;
}

/* A number that is no index: -1, 1.5. A uuid has a letter. */
static bool is_odd_number(struct sv gpu)
{
	bool odd = false;

	for (size_t i = 0; i < gpu.n; i++) {
		bool digit = gpu.p[i] >= '0' && gpu.p[i] <= '9';
		if (!digit && !strchr("+-.", gpu.p[i]))
			return false;
		odd |= !digit;
	}
	return odd;
}

static int samples_rows(struct samples *f, struct err *err)
{
	struct rows *w = &f->w;
	struct sample_key k;
	struct sample v;
	int rc, go;

	while ((rc = rows_next(w, err)) > 0) {
		k = (struct sample_key){ .node = rows_text(w, C_NODE),
					 .gpu = rows_need(w, C_GPU),
					 .mig = rows_text(w, C_MIG),
					 .mig_profile = rows_text(w, C_PROFILE),
					 .job_id = rows_text(w, C_JOB),
					 .gpu_model = rows_text(w, C_MODEL),
					 .cluster = rows_text(w, C_CLUSTER),
					 .user = rows_text(w, C_USER),
					 .team = rows_text(w, C_TEAM),
					 .project = rows_text(w, C_PROJECT),
					 .env = rows_text(w, C_ENV),
					 .workload = rows_text(w, C_WORKLOAD),
					 .currency = rows_text(w, C_CURRENCY) };
		if (is_odd_number(k.gpu))
			rows_bad(w, C_GPU,
				 "'%.*s' is not a GPU: an index on the node from 0, or a uuid",
				 SVF(k.gpu));
		if (rows_has(w, C_PRICE))
			k.has_usd_gpu_hour = rows_price(w, C_PRICE, &k.usd_gpu_hour);
		int64_t step_ms = 0;

		v = (struct sample){ 0 };
		sample_clear(&v);
		if (!rows_time(w, C_TIME, &v.t_ms))
			rows_bad(w, C_TIME, "is empty");
		for (int i = 0; i < f->nmetric; i++)
			rows_f64(w, f->metric[i], metric_min(f->metric[i]),
				 metric_most((enum metric)f->metric[i]), &v.value[f->metric[i]]);
		bool has_step = rows_has(w, C_STEP) && rows_seconds(w, C_STEP, &step_ms);
		if (has_step && !within_i64(step_ms, 1, MS_DAY))
			rows_bad(w, C_STEP, "a step is above 0 and at most a day");
		v.step_ms = (int32_t)step_ms;
		if (!rows_good(w, &go, err)) {
			if (go < 0)
				return go;
			continue;
		}
		if ((rc = feed_series_put(f->series, feed_series_of(f->series, &k), &v, err)) < 0)
			return rc;
	}
	return rc;
}

static int samples_run(struct feed_run *r, struct err *err)
{
	struct samples f = { 0 };
	int rc;

	for (int m = 0; m < METRIC_N; m++)
		f.name[m] = metric_name((enum metric)m);
	for (int i = METRIC_N; i < C_N; i++)
		f.name[i] = extra_names[i - METRIC_N];
	if ((rc = rows_open(&f.w, r, f.name, NULL, err)) < 0)
		return rc;
	for (int m = 0; m < METRIC_N; m++)
		if (rows_has(&f.w, m))
			f.metric[f.nmetric++] = m;
	f.series = feed_series_new(r->sink, r->report, 0, 0);
	if ((rc = samples_rows(&f, err)) >= 0)
		rc = feed_series_end(f.series, err);
	feed_series_free(f.series);
	return rc;
}

static int samples_detect(struct sv head, const struct sv *col, size_t ncol)
{
	(void)head;
	if (!rows_named(col, ncol, "time") || !rows_named(col, ncol, "gpu"))
		return 0;
	for (int m = 0; m < METRIC_N; m++)
		if (rows_named(col, ncol, metric_name((enum metric)m)))
			return 90;
	return 30;
}

static const char *const samples_required[] = { "time", "gpu", NULL };

const struct feed feed_samples = {
	.kind = "samples",
	.group = "telemetry",
	.about = "GPU readings: time, gpu, gpu_util_pct, mem_used_bytes, power_w, ...",
	.tabular = true,
	.detect = samples_detect,
	.required = samples_required,
	.run = samples_run,
};
