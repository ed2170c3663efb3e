/*
 * MLflow's file store: mlruns/EXPERIMENT/RUN/metrics/KEY has lines "time value step" (time in ms;
 * two words in stores of before 1.0, five where a dataset is logged). What the run was started with
 * is in params/ beside it, whose it is in tags/. Format: mlflow/store/tracking/file_store.py,
 * MLflow 2.14.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "feed/readings/curves.h"
#include "base/sort.h"
#include "feed/feeds.h"
#include "base/lines.h"

#define SMALL_BYTES 4096 /* of a tag or parameter that is kept as it is */

const char *mlflow_place(const char *path)
{
	const char *metrics = NULL, *run;

	for (const char *p = strstr(path, "/metrics/"); p; p = strstr(p + 1, "/metrics/"))
		metrics = p;
	if (!metrics || !metrics[sizeof "/metrics/" - 1])
		return NULL;
	for (run = metrics; run > path && run[-1] != '/';)
		run--;
	if (run < metrics)
		return run;
	return NULL;
}

/* The begin of a long text, with its length and hash: two that differ later are two. In the
 * arena. */
static const char *cut_text(struct arena *a, struct input *in, struct sv begin)
{
	struct err ignored;
	char hash[33];

	/* no character is cut in two */
	while (begin.n && ((unsigned char)begin.p[begin.n - 1] & 0xc0) == 0x80)
		begin.n--;
	if (begin.n && (unsigned char)begin.p[begin.n - 1] >= 0xc0)
		begin.n--;
	if (input_hash(in, hash, &ignored) < 0)
		return NULL;
	return arena_printf(a, "%.*s... (%lld bytes, %s)", SVF(begin),
			    (long long)input_packed_size(in), hash);
}

/* The text of a small file, without blanks around; NULL: there is none. In the arena. */
static const char *read_small(struct arena *a, const char *path)
{
	struct err ignored;
	struct input *in;
	char buf[SMALL_BYTES + 1]; /* one more tells that there is more */
	const char *ret;
	size_t n = 0;

	if (input_open(path, &in, &ignored) < 0)
		return NULL;
	for (int64_t got; n < sizeof buf; n += (size_t)got)
		if ((got = input_read(in, buf + n, sizeof buf - n, &ignored)) <= 0)
			break;
	if (n > SMALL_BYTES)
		ret = cut_text(a, in, (struct sv){ buf, SMALL_BYTES });
	else
		ret = arena_sv(a, sv_trim((struct sv){ buf, n }));
	input_close(in);
	return ret;
}

/* Names and values may hold what separates them: ';' and '=' have a backslash before them, and so
 * has a backslash. */
static void add_escaped(struct str *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("\\;=", *text))
			str_addc(out, '\\');
		str_addc(out, *text);
	}
}

/* "batch_size=32;lr=0.1": all parameters, by name; NULL: none. In the arena. */
static const char *read_params(struct arena *a, const char *run)
{
	const char *folder = arena_printf(a, "%s/params", run);
	VEC(const char *) names = { 0 };
	struct str s = { 0 };
	DIR *d = opendir(folder);

	for (struct dirent *e; d && (e = readdir(d));)
		if (e->d_name[0] != '.')
			*vec_push(&names) = arena_printf(a, "%s", e->d_name);
	if (d)
		closedir(d);
	if (names.n)
		sort_items(names.v, names.n, sizeof *names.v, rising_text);
	for (size_t i = 0; i < names.n; i++) {
		const char *v = read_small(a, arena_printf(a, "%s/%s", folder, names.v[i]));
		str_addz(&s, text_if(i, ";"));
		add_escaped(&s, names.v[i]);
		str_addc(&s, '=');
		add_escaped(&s, text_or(v, ""));
	}
	const char *ret = NULL;
	if (s.n)
		ret = arena_strn(a, s.p, s.n);
	str_free(&s);
	vec_free(&names);
	return ret;
}

/* Of a run whose tags say it: who set them is the training code, or Slurm's id of the job. */
static const char *read_job(struct arena *a, const char *run)
{
	static const char *const tags[] = { "job", "job_id", "slurm_job_id", "SLURM_JOB_ID" };

	for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
		const char *v = read_small(a, arena_printf(a, "%s/tags/%s", run, tags[i]));
		if (v && *v)
			return v;
	}
	return NULL;
}

struct metric_file {
	struct feed_run *r;
	struct curve_point at; /* whose, and which */
};

/* Names of the run and its parts, from the path and the files beside it. */
static void find_run(struct metric_file *m)
{
	struct feed_run *r = m->r;
	struct arena *a = &r->report->mem;
	const char *place = mlflow_place(r->report->file), *path = input_path(r->in);
	const char *job = feed_set_get(r, "job"), *run = feed_set_get(r, "run"),
		   *metric = feed_set_get(r, "metric"), *config = feed_set_get(r, "config");

	if (place) {
		size_t id = (size_t)(strstr(place, "/metrics/") - place);
		const char *key = place + id + sizeof "/metrics/" - 1, *folder = "";
		const char *name = NULL;
		if (path) {
			folder = arena_strn(a, r->report->file,
					    (size_t)(place - r->report->file) + id);
			name = read_small(a, arena_printf(a, "%s/tags/mlflow.runName", folder));
			if (!job)
				job = read_job(a, folder);
			if (!config)
				config = read_params(a, folder);
		}
		/* names are no keys: five runs may be called "resnet". They tie a run to its job */
		if (!job && !run)
			job = filled_or(name, NULL);
		if (!run)
			run = arena_strn(a, place, id);
		metric = text_or(metric, key);
	}
	m->at = (struct curve_point){ .run = sv_of(text_or(run, "")),
				      .job = sv_of(job),
				      .config = sv_of(config),
				      .metric = sv_of(text_or(metric, "")) };
}

static int read_line(struct metric_file *m, struct sv line, int64_t at, struct err *err)
{
	struct curve_point p = m->at;
	struct sv word[6] = { SV_NULL };
	size_t n = 0;
	int64_t t;

	feed_tick(m->r);
	for (struct sv rest = sv_trim(line); rest.n && n < 6; n++)
		word[n] = sv_cut(rest, ' ', &rest);
	if (n != 2 && n != 3 && n != 5)
		return feed_reject(m->r, at, "line", err, "is not 'time value step'");
	if (sv_i64(word[0], &t) < 0 || t <= 0 || t >= (int64_t)1e14)
		return feed_reject(m->r, at, "time", err, "'%.*s' is not a time in milliseconds",
				   SVF(word[0]));
	p.t_ms = t;
	if (sv_f64(word[1], &p.value) < 0) {
		if (!curve_is_no_number(word[1]))
			return feed_reject(m->r, at, "value", err, "'%.*s' is not a number",
					   SVF(word[1]));
		p.value = NAN;
	}
	if (n > 2 && (sv_i64(word[2], &p.step) < 0 || p.step == INT64_MIN))
		return feed_reject(m->r, at, "step", err, "'%.*s' is not a whole number",
				   SVF(word[2]));
	return curve_give(m->r, &p, at, err);
}

static int mlflow_run(struct feed_run *r, struct err *err)
{
	struct metric_file m = { .r = r };
	struct lines l;
	struct sv line;
	int rc;

	find_run(&m);
	if (!m.at.run.n || !m.at.metric.n) {
		err_set(err, -EINVAL, "'%s' does not lie in RUN/metrics/KEY", r->report->file);
		err_hint(err, "Say --set run=NAME --set metric=NAME.");
		return -EINVAL;
	}
	lines_open(&l, r->in);
	while ((rc = lines_next(&l, &line, err)) > 0) {
		if (!sv_trim(line).n)
			continue;
		rc = read_line(&m, line, l.line, err);
		if (rc < 0)
			break;
	}
	lines_free(&l);
	return rc;
}

/* "1718000000000 0.25 3" */
static int mlflow_detect(struct sv head, const struct sv *col, size_t ncol)
{
	struct sv rest, line = sv_trim(sv_cut(head, '\n', &rest)), value, step;
	struct sv time = sv_cut(line, ' ', &value);
	int64_t t;
	double x;

	(void)col;
	(void)ncol;
	value = sv_cut(value, ' ', &step);
	step = sv_cut(step, ' ', &rest);
	if (time.n != 13 || sv_i64(time, &t) < 0 || t <= 0)
		return 0;
	if (sv_f64(value, &x) < 0 && !curve_is_no_number(value))
		return 0;
	if (!step.n || sv_i64(step, &t) == 0)
		return 85;
	return 0;
}

const struct feed feed_mlflow = {
	.kind = "mlflow",
	.group = "training",
	.about = "metrics of MLflow's file store: mlruns/EXPERIMENT/RUN/metrics/KEY",
	.detect = mlflow_detect,
	.run = mlflow_run,
};
