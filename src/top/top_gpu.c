/* The page of one GPU: its past over the whole width, its readings, its processes. See
 * top_paint.h. */
#include <math.h>

#include "base/str.h"
#include "top/top_paint.h"
#include "base/tm.h"

#define LABEL_W 9 /* "  power  " */
#define MEAN_W  24

/* ---- the past ---------------------------------------------------------------------------- */

struct past_line {
	const char *name, *unit;
	enum metric metric;
	double scale; /* to what is printed */
	double full;  /* of the reading: the top of the line; NAN where it is not known */
};

static void past_line(struct top_text *t, const struct top_track *k, const struct past_line *l,
		      const struct cells *g)
{
	int room = g->w - 1 - LABEL_W - MEAN_W;
	enum metric m = l->metric;
	double most = NAN;

	for (size_t i = 0; i < k->npast; i++) {
		const struct diag_step *step = top_past(k, i);
		if (step && isfinite(step->value[m]) && !(step->value[m] <= most))
			most = step->value[m];
	}
	double full = most;
	struct str s = { 0 };

	if (isfinite(l->full))
		full = l->full;
	if (isnan(most))
		return; /* the GPU does not say it */
	for (int i = room; i-- > 0;) {
		const struct diag_step *p = top_past(k, (size_t)i);
		str_addz(&s, p ? cells_spark(g->utf8, p->value[l->metric] / full) : " ");
	}
	top_text_add(t, STYLE_GOOD, LABEL_W, "  %-*s%s  mean %.0f, most %.0f %s", LABEL_W - 2,
		     l->name, str_z(&s), top_past_mean(k, l->metric, NULL) * l->scale,
		     most * l->scale, l->unit);
	str_free(&s);
}

/* ---- the page ---------------------------------------------------------------------------- */

void top_gpu_text(const struct top_model *m, const struct top_ui *ui, const struct cells *g,
		  struct top_text *t)
{
	if (ui->row_at < 0) {
		top_text_add(t, STYLE_TEXT, 0, "No GPU is selected.");
		return;
	}
	const struct snap_dev *d = &m->snap->dev[ui->row.v[ui->row_at].dev];
	struct str name = { 0 };

	top_dev_name(d, &name);
	top_text_add(t, STYLE_BOLD, 0, "GPU %s  %s  %s", str_z(&name), text_or(d->model, ""),
		     d->info.uuid);
	str_free(&name);
	struct str who = { 0 };
	for (size_t i = 0; i < d->npart; i++) {
		char pct[PERCENT_BUF];
		str_clear(&who);
		top_owner(&d->part[i], &who);
		str_addz(&who, "  ");
		top_why(d->part[i].state, d->part[i].cause, &who);
		top_text_add(t, STYLE_TEXT, 2, "  %s of the GPU: %s",
			     top_share_text(pct, d, &d->part[i], false), str_z(&who));
	}
	str_free(&who);
	top_text_add(t, STYLE_TEXT, 0, "%s", "");

	const struct top_track *k = top_track_of(m, d);
	const struct past_line lines[] = {
		{ "util", "%", METRIC_GPU_UTIL_PCT, 1, 100 },
		{ "SM", "%", METRIC_SM_ACTIVE_FRAC, 100, 1 },
		{ "memory", "GiB", METRIC_MEM_USED_BYTES, 1 / 1073741824.0,
		  d->info.mem_total_bytes },
		{ "power", "W", METRIC_POWER_W, 1, d->info.power_limit_w },
		{ "temp", "C", METRIC_TEMP_CELSIUS, 1, 100 },
	};
	struct str span = { 0 };
	if (k && k->npast) {
		top_span(&span, (int64_t)k->npast * m->snap->step_ms);
		top_text_add(t, STYLE_BOLD, 0, "Past: %zu polls, %s, the newest at the right",
			     k->npast, str_z(&span));
		str_free(&span);
		for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
			past_line(t, k, &lines[i], g);
		top_text_add(t, STYLE_TEXT, 0, "%s", "");
	}
	top_text_add(t, STYLE_BOLD, 0, "%s",
		     d->procs_known ? "Processes (P goes to them)"
				    : "The driver does not say which processes are on it");
	if (d->procs_known && !d->nproc)
		top_text_add(t, STYLE_TEXT, 0, "  none");
	for (size_t i = 0; i < d->nproc; i++) {
		const struct snap_proc *p = &d->proc[i];
		struct str s = { 0 };

		str_addf(&s, "  %7d  %s/%s  ", p->pid, text_or(p->user, "-"), text_or(p->job, "-"));
		top_gib(&s, p->mem_bytes, 1);
		str_addz(&s, " GiB");
		if (isfinite(p->sm_util_pct))
			str_addf(&s, "  SM %.0f%%", p->sm_util_pct);
		if (isfinite(p->cpu_util_pct))
			str_addf(&s, "  CPU %.0f%%", p->cpu_util_pct);
		top_text_add(t, STYLE_TEXT, 11, "%s  %s", str_z(&s), text_or(p->command, "-"));
		str_free(&s);
	}
	top_text_add(t, STYLE_TEXT, 0, "%s", "");
	top_text_add(t, STYLE_DIM, 0,
		     "Why it wastes, what that costs, what to do: Esc, then Enter.");
}
