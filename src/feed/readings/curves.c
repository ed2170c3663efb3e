/* Curves of training runs: tare's own table, and the history of Weights & Biases, a column a
 * metric. */
#include <errno.h>
#include <float.h>
#include <math.h>

#include "feed/readings/curves.h"
#include "base/among.h"
#include "feed/feeds.h"
#include "feed/rows.h"

int curve_give(struct feed_run *r, const struct curve_point *p, int64_t line, struct err *err)
{
	if (!isfinite(p->value)) {
		feed_skip(r, line, p->metric, "its value is no finite number");
		return 0;
	}
	if (p->t_ms != UNKNOWN_MS)
		feed_cover(r->report, p->t_ms, p->t_ms);
	r->report->rows_kept++;
	if (r->sink->curve)
		return r->sink->curve(r->sink->ctx, p, err);
	return 0;
}

bool curve_is_no_number(struct sv word)
{
	static const char *const words[] = { "nan", "inf", "infinity" };

	if (word.n && (*word.p == '-' || *word.p == '+'))
		word = sv_from(word, 1);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (sv_ieq(word, sv_of(words[i])))
			return true;
	return false;
}

/* ---- tare's own -------------------------------------------------------------------------- */

enum { C_RUN, C_METRIC, C_STEP, C_VALUE, C_TIME, C_JOB, C_CONFIG, C_BETTER };
static const char *const curve_names[] = { "run", "metric", "step",   "value", "time",
					   "job", "config", "better", NULL };

static enum better better_of(struct rows *w, int i)
{
	struct sv word = rows_text(w, i);

	if (!word.n)
		return BETTER_UNKNOWN;
	if (sv_ieq(word, SV("lower")) || sv_ieq(word, SV("min")))
		return BETTER_LOWER;
	if (sv_ieq(word, SV("higher")) || sv_ieq(word, SV("max")))
		return BETTER_HIGHER;
	rows_bad(w, i, "'%.*s' is neither lower nor higher", SVF(word));
	return BETTER_UNKNOWN;
}

static int curves_run(struct feed_run *r, struct err *err)
{
	struct rows w;
	struct curve_point p;
	int go, rc = rows_open(&w, r, curve_names, NULL, err);

	if (rc >= 0 && !rows_has(&w, C_RUN) && !rows_has(&w, C_JOB)) {
		err_set(err, -EINVAL, "'%s' has neither a column run nor a column job",
			r->report->file);
		err_hint(err, "Give a constant with --set run=NAME.");
		return -EINVAL;
	}
	while (rc >= 0 && (rc = rows_next(&w, err)) > 0) {
		p = (struct curve_point){ .run = rows_text(&w, C_RUN),
					  .job = rows_text(&w, C_JOB),
					  .config = rows_text(&w, C_CONFIG),
					  .metric = rows_need(&w, C_METRIC),
					  .better = better_of(&w, C_BETTER),
					  .t_ms = UNKNOWN_MS,
					  .value = NAN };
		if (!p.run.n)
			p.run = p.job;
		if (!p.run.n)
			rows_bad(&w, C_RUN, "is empty, and so is 'job'");
		rows_need(&w, C_STEP);
		rows_i64(&w, C_STEP, INT64_MIN + 1, INT64_MAX, &p.step);
		rows_time(&w, C_TIME, &p.t_ms);
		if (!curve_is_no_number(rows_text(&w, C_VALUE)))
			rows_f64(&w, C_VALUE, -HUGE_VAL, HUGE_VAL, &p.value);
		rc = rows_good(&w, &go, err) ? curve_give(r, &p, rows_line(&w), err) : go;
	}
	return rc;
}

static int curves_detect(struct sv head, const struct sv *col, size_t ncol)
{
	bool whose = rows_named(col, ncol, "run") || rows_named(col, ncol, "job"),
	     what = ROWS_NAMED(col, ncol, "metric", "step", "value");

	(void)head;
	if (whose && what)
		return 90;
	return 0;
}

static const char *const curves_required[] = { "metric", "step", "value", NULL };

const struct feed feed_curves = {
	.kind = "curves",
	.group = "training",
	.about = "metrics of training runs: run, metric, step, value, time, job, config, better",
	.tabular = true,
	.detect = curves_detect,
	.required = curves_required,
	.run = curves_run,
};

/* ---- Weights & Biases: a row a step, a column a metric ----------------------------------- */

enum { W_STEP, W_TIME, W_RUN, W_JOB, W_CONFIG };
static const char *const wandb_names[] = { "_step", "_timestamp", "run", "job", "config", NULL };
static const char *const wandb_more[] = { "run", "job", "config", NULL };

/* Of W&B itself (_runtime, _wandb), of whom the row is, and of the machine. */
static bool is_metric(struct sv name)
{
	for (size_t i = 0; wandb_names[i]; i++)
		if (sv_ieq(name, sv_of(wandb_names[i])))
			return false;
	return name.n && name.p[0] != '_' && !sv_starts(name, SV("system."));
}

static int wandb_row(struct rows *w, const struct curve_point *row, struct err *err)
{
	const struct tab *t = w->r->tab;
	int rc = 0;

	for (size_t c = 0; c < t->ncol && rc >= 0; c++) {
		struct curve_point p = *row;
		struct sv text = sv_trim(w->cell[c]);
		/* texts, images and histograms are no metrics */
		bool number = sv_f64(text, &p.value) == 0;
		if (!is_metric(t->col[c]) || (!number && !curve_is_no_number(text)))
			continue;
		if (!number)
			p.value = NAN;
		p.metric = t->col[c];
		rc = curve_give(w->r, &p, rows_line(w), err);
	}
	return rc;
}

static int wandb_run(struct feed_run *r, struct err *err)
{
	struct rows w;
	/* "exports/run-7.csv.gz" -> "run-7" */
	static const char *const ends[] = { ".gz", ".zst", ".csv", ".jsonl", ".json", ".parquet" };
	const char *base = strrchr(r->report->file, '/');
	struct sv file = sv_of(base ? base + 1 : r->report->file);

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (sv_ends(file, sv_of(ends[i])))
			file.n -= strlen(ends[i]);
	int go, rc = rows_open(&w, r, wandb_names, wandb_more, err);

	while (rc >= 0 && (rc = rows_next(&w, err)) > 0) {
		struct curve_point p = { .run = sv_or(rows_text(&w, W_RUN), file),
					 .job = rows_text(&w, W_JOB),
					 .config = rows_text(&w, W_CONFIG),
					 .t_ms = UNKNOWN_MS };
		rows_need(&w, W_STEP);
		rows_i64(&w, W_STEP, INT64_MIN + 1, INT64_MAX, &p.step);
		rows_time(&w, W_TIME, &p.t_ms);
		if (!p.run.n)
			rows_bad(&w, W_RUN, "is empty, and the file has no name");
		rc = rows_good(&w, &go, err) ? wandb_row(&w, &p, err) : go;
	}
	return rc;
}

static int wandb_detect(struct sv head, const struct sv *col, size_t ncol)
{
	(void)head;
	for (size_t i = 0, own = 0; i < ncol; i++) {
		own += SV_AMONG(col[i], "_step", "_timestamp", "_runtime");
		if (own == 2)
			return 90;
	}
	return 0;
}

static const char *const wandb_required[] = { "_step", NULL };

const struct feed feed_wandb = {
	.kind = "wandb",
	.group = "training",
	.about = "histories of Weights & Biases runs: _step, _timestamp and a column a metric",
	.tabular = true,
	.detect = wandb_detect,
	.required = wandb_required,
	.run = wandb_run,
	.ragged = true,
};
