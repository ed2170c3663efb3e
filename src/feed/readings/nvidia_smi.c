/*
 * Logs of `nvidia-smi --query-gpu=... --format=csv[,nounits] -l 1`: "timestamp, index, name,
 * utilization.gpu [%], ..." and rows such as "2026/10/11 12:33:53.123, 0, NVIDIA A10, 35 %, 1234
 * MiB". Logs are appended to, so the header may come again, with other columns.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/tm.h"
#include "feed/feed.h"
#include "base/lines.h"
#include "feed/rows.h"
#include "feed/readings/series.h"

#define MAX_COLS 256
enum { V_TIME, V_UUID, V_INDEX, V_BUS, V_NAME, V_METRIC, V_HOST = V_METRIC + METRIC_N, V_OTHER };

struct smi {
	struct feed_run *r;
	struct lines lines;
	struct sample_key set;
	struct feed_series *series;
	int utc_offset_s;
	bool lacks_zone; /* some time hangs on it */
	size_t ncol;
	struct smi_col {
		int what;     /* V_... */
		double scale; /* from the header's unit: MiB */
		char name[48];
	} col[MAX_COLS];
	int gpu_col; /* column that names the GPU */
	const char *bad;
	char why[200];
};

/* Names of --help-query-gpu, with their older spellings. */
static int what_is(struct sv name)
{
	static const struct {
		const char *name;
		int what;
	} known[] = {
		{ "timestamp", V_TIME },
		{ "uuid", V_UUID },
		{ "gpu_uuid", V_UUID },
		{ "index", V_INDEX },
		{ "pci.bus_id", V_BUS },
		{ "gpu_bus_id", V_BUS },
		{ "name", V_NAME },
		{ "gpu_name", V_NAME },
		{ "hostname", V_HOST },
		{ "host", V_HOST },
		{ "utilization.gpu", V_METRIC + METRIC_GPU_UTIL_PCT },
		{ "memory.used", V_METRIC + METRIC_MEM_USED_BYTES },
		{ "memory.total", V_METRIC + METRIC_MEM_TOTAL_BYTES },
		{ "power.draw", V_METRIC + METRIC_POWER_W },
		{ "power.draw.average", V_METRIC + METRIC_POWER_W },
		{ "temperature.gpu", V_METRIC + METRIC_TEMP_CELSIUS },
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (sv_ieq(name, sv_of(known[i].name)))
			return known[i].what;
	return V_OTHER;
}

/* What one unit of a metric is in ours (bytes, W, %, °C); NAN: the metric has no such unit. */
static double unit_scale(int what, struct sv unit)
{
	static const struct {
		int what;
		const char *unit;
		double scale;
	} known[] = {
		{ V_METRIC + METRIC_GPU_UTIL_PCT, "%", 1 },
		{ V_METRIC + METRIC_MEM_USED_BYTES, "MiB", 1048576 },
		{ V_METRIC + METRIC_MEM_USED_BYTES, "KiB", 1024 },
		{ V_METRIC + METRIC_MEM_USED_BYTES, "GiB", 1073741824 },
		{ V_METRIC + METRIC_POWER_W, "W", 1 },
		{ V_METRIC + METRIC_POWER_W, "mW", 0.001 },
		{ V_METRIC + METRIC_TEMP_CELSIUS, "C", 1 },
	};

	if (what == V_METRIC + METRIC_MEM_TOTAL_BYTES)
		what = V_METRIC + METRIC_MEM_USED_BYTES;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i].what == what && sv_ieq(unit, sv_of(known[i].unit)))
			return known[i].scale;
	return NAN;
}

static bool is_metric(int what)
{
	return what >= V_METRIC && what < V_METRIC + METRIC_N;
}

static bool is_header(struct sv line)
{
	struct sv rest, name = sv_trim(sv_cut(line, ',', &rest)), unit;

	name = sv_trim(sv_cut(name, '[', &unit));
	return rest.p && what_is(name) != V_OTHER;
}

static int header_col(struct smi *s, struct smi_col *c, struct sv text, struct err *err)
{
	struct sv unit, close, name = sv_trim(sv_cut(text, '[', &unit));

	unit = unit.p ? sv_trim(sv_cut(unit, ']', &close)) : SV_NULL;
	c->what = what_is(name);
	snprintf(c->name, sizeof c->name, "%.*s", (int)min_size(name.n, 40), name.p);
	/* without a unit in the header memory is in MiB: nvidia-smi knows no other */
	c->scale = 1;
	if (!unit.n && (c->what == V_METRIC + METRIC_MEM_USED_BYTES ||
			c->what == V_METRIC + METRIC_MEM_TOTAL_BYTES))
		c->scale = 1048576;
	if (!unit.n || !is_metric(c->what))
		return 0;
	c->scale = unit_scale(c->what, unit);
	if (isnan(c->scale))
		return err_set(err, -EINVAL,
			       "'%s' line %lld: column %s is in '%.*s', a unit it does not have",
			       input_name(s->r->in), (long long)s->lines.line, c->name,
			       (int)min_size(unit.n, 40), unit.p);
	return 0;
}

static int find_col(const struct smi *s, int what)
{
	for (size_t i = 0; i < s->ncol; i++)
		if (s->col[i].what == what)
			return (int)i;
	return -1;
}

static int read_header(struct smi *s, struct sv line, struct err *err)
{
	struct sv rest = line;

	for (s->ncol = 0; rest.p; s->ncol++) {
		struct sv more, text = sv_cut(rest, ',', &more);
		if (s->ncol == MAX_COLS)
			return err_set(err, -E2BIG, "'%s': more than %d columns",
				       input_name(s->r->in), MAX_COLS);
		int rc = header_col(s, &s->col[s->ncol], sv_trim(text), err);
		if (rc < 0)
			return rc;
		rest = more;
	}
	s->gpu_col = find_col(s, V_UUID);
	if (s->gpu_col < 0)
		s->gpu_col = find_col(s, V_INDEX);
	if (s->gpu_col < 0)
		s->gpu_col = find_col(s, V_BUS);
	if (find_col(s, V_TIME) < 0 || (s->gpu_col < 0 && !s->set.gpu.n)) {
		err_set(err, -EINVAL, "'%s' line %lld: no column %s", input_name(s->r->in),
			(long long)s->lines.line,
			find_col(s, V_TIME) < 0 ? "timestamp" : "uuid or index to tell GPUs apart");
		err_hint(
			err,
			"nvidia-smi --query-gpu=timestamp,uuid,index,name,utilization.gpu,memory.used,memory.total,power.draw,temperature.gpu "
			"--format=csv -l 1");
		return -EINVAL;
	}
	bool by_index = s->gpu_col >= 0 && s->col[s->gpu_col].what == V_INDEX;
	if (by_index && !s->set.node.n && find_col(s, V_HOST) < 0)
		feed_note(
			s->r->report,
			"GPUs are named by index and no host: --set node=NAME tells those of different machines apart");
	return 0;
}

/* "2026/10/11 12:33:53.123" */
static bool smi_time(struct smi *s, struct sv v, int64_t *ret_ms)
{
	char z[32];
	struct sv time = v;

	if (v.n >= 19 && v.n < sizeof z && v.p[4] == '/' && v.p[7] == '/') {
		memcpy(z, v.p, v.n);
		z[4] = z[7] = '-';
		time.p = z;
	}
	s->lacks_zone = s->lacks_zone || rows_lacks_zone(time);
	return tm_parse(time, s->utc_offset_s, ret_ms) == 0;
}

/* "[N/A]", "[Not Supported]", "[Unknown Error]", "N/A", "ERR!": no reading. */
static bool no_reading(struct sv v)
{
	if (!v.n || v.p[0] == '[' || sv_ieq(v, SV("N/A")))
		return true;
	return sv_is(v, "ERR!") || sv_ieq(v, SV("Not Supported"));
}

static void set_bad(struct smi *s, const struct smi_col *c, struct sv v, const char *why)
{
	if (s->bad)
		return;
	s->bad = c->name;
	snprintf(s->why, sizeof s->why, "'%.*s' %s", (int)min_size(v.n, 60), v.p, why);
}

static void smi_value(struct smi *s, const struct smi_col *c, struct sv v, double *ret)
{
	struct sv unit, number;
	double x;
	bool util = c->what == V_METRIC + METRIC_GPU_UTIL_PCT;

	if (no_reading(v))
		return;
	number = sv_cut(v, ' ', &unit);
	if (sv_f64(number, &x) < 0) {
		set_bad(s, c, v, "is no number");
		return;
	}
	if (x < 0 || (util && x > 100)) {
		set_bad(s, c, v, "is out of range");
		return;
	}
	unit = sv_trim(unit);
	double scale = unit.n ? unit_scale(c->what, unit) : c->scale;
	if (isnan(scale)) {
		set_bad(s, c, v, "has another unit than the column");
		return;
	}
	*ret = x * scale;
}

static int read_row(struct smi *s, struct sv line, struct err *err)
{
	struct sample_key k = { 0 };
	struct sample v = { 0 };
	struct sv rest = line;
	size_t i;

	sample_clear(&v);
	s->bad = NULL;
	for (i = 0; rest.p && i < s->ncol; i++) {
		const struct smi_col *c = &s->col[i];
		struct sv more, cell = sv_trim(sv_cut(rest, ',', &more));
		if (c->what == V_TIME) {
			if (!smi_time(s, cell, &v.t_ms))
				set_bad(s, c, cell, "is no time");
		} else if (c->what == V_NAME) {
			k.gpu_model = cell;
		} else if (c->what == V_HOST) {
			k.node = cell;
		} else if (c == &s->col[s->gpu_col < 0 ? MAX_COLS - 1 : s->gpu_col]) {
			k.gpu = cell;
			if (no_reading(cell))
				set_bad(s, c, cell, "names no GPU");
		} else if (is_metric(c->what)) {
			smi_value(s, c, cell, &v.value[c->what - V_METRIC]);
		}
		rest = more;
	}
	if (i < s->ncol || rest.p)
		return feed_reject(s->r, s->lines.line, "", err,
				   "has not the %zu columns of the header", s->ncol);
	if (s->bad)
		return feed_reject(s->r, s->lines.line, s->bad, err, "%s", s->why);
	feed_key_default(&k, &s->set);
	return feed_series_put(s->series, feed_series_of(s->series, &k), &v, err);
}

static int read_rows(struct smi *s, struct err *err)
{
	struct sv line;
	int rc;

	while ((rc = lines_next(&s->lines, &line, err)) > 0) {
		if (!sv_trim(line).n)
			continue;
		if (is_header(line)) {
			rc = read_header(s, line, err);
		} else {
			feed_tick(s->r);
			if (!s->ncol)
				return err_set(
					err, -EINVAL,
					"'%s' line %lld: no header with column names before the first row",
					input_name(s->r->in), (long long)s->lines.line);
			rc = read_row(s, line, err);
		}
		if (rc < 0)
			return rc;
	}
	if (rc == 0 && !s->ncol)
		return err_set(err, -EINVAL, "'%s' is empty: there is not even a header line",
			       input_name(s->r->in));
	return rc;
}

static int smi_run(struct feed_run *r, struct err *err)
{
	struct smi *s = xcalloc(1, sizeof *s);
	int64_t step_ms;
	int rc;

	s->r = r;
	s->gpu_col = -1;
	lines_open(&s->lines, r->in);
	if ((rc = feed_key_set(r, &s->set, err)) >= 0 &&
	    (rc = feed_step_set(r, &step_ms, err)) >= 0 &&
	    (rc = rows_utc_offset(r, &s->utc_offset_s, err)) >= 0) {
		s->series = feed_series_new(r->sink, r->report, step_ms, 0);
		rc = read_rows(s, err);
		if (s->lacks_zone && !feed_set_get(r, "utc_offset"))
			feed_note(
				r->report,
				"nvidia-smi writes times without a zone: read as UTC (--set utc_offset=+02:00 says otherwise)");
		if (rc >= 0)
			rc = feed_series_end(s->series, err);
	}
	feed_series_free(s->series);
	lines_free(&s->lines);
	free(s);
	return rc;
}

static int smi_detect(struct sv head, const struct sv *col, size_t ncol)
{
	struct sv rest, line = sv_cut(head, '\n', &rest);

	(void)col;
	(void)ncol;
	if (sv_ihas(line, SV("utilization.gpu")) || sv_ihas(line, SV("memory.used [")) ||
	    sv_ihas(line, SV("power.draw")))
		return 95;
	if (sv_ihas(line, SV("timestamp")) &&
	    (sv_ihas(line, SV("pci.bus_id")) || sv_ihas(line, SV("temperature.gpu"))))
		return 80;
	return 0;
}

const struct feed feed_nvidia_smi = {
	.kind = "nvidia-smi",
	.group = "telemetry",
	.about = "logs of nvidia-smi --query-gpu=timestamp,... --format=csv",
	.detect = smi_detect,
	.run = smi_run,
};
