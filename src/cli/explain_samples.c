/*
 * A file of samples (the native columns, CSV) cut into windows of a machine's and job's cards; each
 * window is diagnosed as opt/diagnose says, and the verdicts are counted. Columns beyond the native
 * ones that it reads where they are there: those of enum metric, of enum diag_extra, `gpu_model`,
 * and `workload` (inference: a server).
 */
#include "cli/explain_samples.h"

#include <errno.h>
#include <math.h>

#include "base/jw.h"
#include "base/percent.h"
#include "base/tab.h"
#include "base/tm.h"
#include "catalog/catalog.h"
#include "opt/diagnose.h"
#include "report/text.h"

#define STEPS_MAX ((size_t)4000000) /* 1.1 GB; a day of 46 cards at 1 s */
#define CARDS_MAX 64

struct card {
	VEC(struct diag_step) step;
	uint32_t group;
	const char *model;
	bool serving;
};
struct tally {
	int64_t n;
	double card_h, lost_h;
};
struct look {
	struct cli *c;
	const char *file;
	int64_t window_ms, step_ms;
	struct intern key, group; /* card: node, job, card; group: node, job */
	VEC(struct card) card;
	size_t steps;
	const struct catalog *cat;
	/* out */
	struct tally verdict[4], cause[DIAG_N];
	struct intern missing;
	VEC(int64_t) missing_n;
	int64_t windows, rows;
	struct str *csv; /* a line a window, or NULL */
};

/* ---- in ---------------------------------------------------------------------------------- */

struct columns {
	int time, node, gpu, job, step, model, workload, metric[METRIC_N], extra[DIAG_X_N];
};

static int find_columns(const struct tab *t, struct columns *k, struct err *err)
{
	*k = (struct columns){ tab_col(t, "time"),
			       tab_col(t, "node"),
			       tab_col(t, "gpu"),
			       tab_col(t, "job_id"),
			       tab_col(t, "step_s"),
			       tab_col(t, "gpu_model"),
			       tab_col(t, "workload"),
			       { 0 },
			       { 0 } };
	for (int m = 0; m < METRIC_N; m++)
		k->metric[m] = tab_col(t, metric_name((enum metric)m));
	for (int x = 0; x < DIAG_X_N; x++)
		k->extra[x] = strcmp(diag_extra_name((enum diag_extra)x), "step_s")
				      ? tab_col(t, diag_extra_name((enum diag_extra)x))
				      : -1;
	if (k->time >= 0 && k->gpu >= 0 && k->metric[METRIC_GPU_UTIL_PCT] >= 0)
		return 0;
	err_set(err, -EINVAL, "no samples: columns time, gpu and gpu_util_pct are needed");
	err_hint(err, "The columns are those of: tare import --as samples");
	return -EINVAL;
}

static double number(const struct sv *cell, int col)
{
	double v;

	return col < 0 || !cell[col].n || sv_f64(cell[col], &v) ? NAN : v;
}

static struct sv text(const struct sv *cell, int col)
{
	return col < 0 || !cell[col].p ? SV("") : cell[col];
}

static struct card *card_of(struct look *l, const struct columns *k, const struct sv *cell)
{
	struct str s = { 0 };

	str_addf(&s, "%.*s\x1f%.*s", SVF(text(cell, k->node)), SVF(text(cell, k->job)));
	uint32_t group = intern_add(&l->group, str_sv(&s));
	str_addf(&s, "\x1f%.*s", SVF(text(cell, k->gpu)));
	uint32_t i = intern_add(&l->key, str_sv(&s));
	str_free(&s);
	if (i == l->card.n)
		*vec_push(&l->card) = (struct card){ .group = group };
	struct card *c = &l->card.v[i];
	if (!c->model && k->model >= 0 && cell[k->model].n)
		c->model = arena_sv(&l->c->mem, cell[k->model]);
	c->serving |= sv_is(text(cell, k->workload), "inference");
	return c;
}

static int take_row(struct look *l, const struct columns *k, const struct tab *t,
		    const struct sv *cell, struct err *err)
{
	int64_t at;
	double step = number(cell, k->step);

	if (tm_parse(text(cell, k->time), 0, &at) < 0)
		return err_set(err, -EINVAL, "'%s', line %lld: '%.*s' is no time", l->file,
			       (long long)t->line, SVF(text(cell, k->time)));
	if (++l->steps > STEPS_MAX)
		return err_set(err, -E2BIG, "'%s' has more than %zu samples: give it in parts",
			       l->file, STEPS_MAX);
	struct card *c = card_of(l, k, cell);
	struct diag_step *s = vec_push(&c->step);
	diag_step_init(s);
	s->t_ms = at;
	s->step_ms = step > 0 && step < 86400 ? (int32_t)llround(step * 1000) : 0;
	for (int m = 0; m < METRIC_N; m++)
		s->value[m] = number(cell, k->metric[m]);
	for (int x = 0; x < DIAG_X_N; x++)
		s->extra[x] = number(cell, k->extra[x]);
	return 0;
}

static int by_time(const void *pa, const void *pb)
{
	const struct diag_step *a = pa, *b = pb;

	return a->t_ms < b->t_ms ? -1 : a->t_ms > b->t_ms;
}

/* Sorted; a step that is not told lasts until the next, at most a minute. */
static void finish_card(struct card *c)
{
	qsort(c->step.v, c->step.n, sizeof *c->step.v, by_time);
	for (size_t i = 0; i < c->step.n; i++) {
		int64_t gap = i + 1 < c->step.n ? c->step.v[i + 1].t_ms - c->step.v[i].t_ms
			      : i               ? c->step.v[i - 1].step_ms
						: 1000;
		if (!c->step.v[i].step_ms)
			c->step.v[i].step_ms = (int32_t)(gap > 60000 ? 60000 : gap);
	}
}

static int read_file(struct look *l, struct err *err)
{
	struct columns k = { 0 };
	struct input *in = NULL;
	struct tab *t = NULL;
	const struct sv *cell;
	int r = input_open(l->file, &in, err);

	r = r < 0 ? r : tab_csv_open(in, &(struct tab_csv_opt){ 0 }, &t, err);
	r = r < 0 ? r : find_columns(t, &k, err);
	while (r >= 0 && (r = tab_next(t, &cell, err)) > 0)
		r = take_row(l, &k, t, cell, err);
	tab_close(t);
	input_close(in);
	for (size_t i = 0; i < l->card.n; i++)
		finish_card(&l->card.v[i]);
	return r;
}

/* ---- windows ----------------------------------------------------------------------------- */

static void facts(const struct look *l, const struct card *c, struct diag_facts *f)
{
	const struct gpu_spec *g = c->model && l->cat ? catalog_gpu(l->cat, sv_of(c->model)) : NULL;

	diag_facts_init(f);
	f->serving = c->serving;
	if (!g)
		return;
	f->tdp_w = g->tdp_w;
	f->mem_total_bytes = g->memory_gib * 1073741824.0;
}

static void csv_line(struct look *l, uint32_t group, int64_t at, size_t ndev,
		     const struct diag_result *r)
{
	char t[TM_BUF];
	struct sv job, node = sv_cut(l->group.text[group], '\x1f', &job);

	str_addf(l->csv, "%s,", tm_format(t, at));
	text_csv(l->csv, node);
	str_addc(l->csv, ',');
	text_csv(l->csv, job);
	str_addf(l->csv, ",%zu,%s,", ndev, diag_verdict_name(r->verdict));
	if (!isnan(r->util_pct))
		str_addf(l->csv, "%.1f", r->util_pct);
	str_addf(l->csv, ",%s,", r->n ? diag_cause_name(r->finding[0].cause) : "");
	if (r->n)
		str_addf(l->csv, "%.2f,\"", r->finding[0].confidence);
	else
		str_addz(l->csv, ",\"");
	if (r->n)
		diag_evidence_text(&r->finding[0], l->csv);
	for (int i = 0; i < r->nmissing && !r->n; i++)
		str_addf(l->csv, "%s%s", i ? " " : "missing ", r->missing[i]);
	str_addz(l->csv, "\"\n");
}

static void count(struct look *l, size_t ndev, const struct diag_result *r)
{
	double hours = (double)r->window_ms / 3600e3 * (double)ndev;

	l->windows++;
	l->verdict[r->verdict].n++;
	l->verdict[r->verdict].card_h += hours;
	for (int i = 0; i < r->n; i++) {
		struct tally *t = &l->cause[r->finding[i].cause];
		t->n++;
		t->card_h += hours;
		t->lost_h += isnan(r->finding[i].lost_frac) ? 0 : r->finding[i].lost_frac * hours;
	}
	for (int i = 0; i < r->nmissing && r->verdict == DIAG_UNKNOWN; i++) {
		uint32_t k = intern_add(&l->missing, sv_of(r->missing[i]));
		if (k == l->missing_n.n)
			*vec_push(&l->missing_n) = 0;
		l->missing_n.v[k]++;
	}
}

/* A group's cards, their steps cut at the same instants. */
static void one_group(struct look *l, uint32_t group, const size_t *card, size_t n)
{
	struct diag_dev dev[CARDS_MAX];
	size_t at[CARDS_MAX] = { 0 };
	struct diag_result r;

	for (;;) {
		int64_t from = INT64_MAX;
		size_t ndev = 0;
		for (size_t i = 0; i < n; i++)
			if (at[i] < l->card.v[card[i]].step.n &&
			    l->card.v[card[i]].step.v[at[i]].t_ms < from)
				from = l->card.v[card[i]].step.v[at[i]].t_ms;
		if (from == INT64_MAX)
			return;
		for (size_t i = 0; i < n; i++) {
			const struct card *c = &l->card.v[card[i]];
			size_t k = at[i];
			while (k < c->step.n && c->step.v[k].t_ms < from + l->window_ms)
				k++;
			if (k > at[i]) {
				dev[ndev] = (struct diag_dev){ .step = c->step.v + at[i],
							       .n = k - at[i] };
				facts(l, c, &dev[ndev++].facts);
			}
			at[i] = k;
		}
		diag_run(dev, ndev, &r);
		count(l, ndev, &r);
		if (l->csv)
			csv_line(l, group, from, ndev, &r);
	}
}

static void all_groups(struct look *l)
{
	size_t *first = xcalloc(l->group.n + 1, sizeof *first),
	       *order = xcalloc(l->card.n + 1, sizeof *order);

	for (size_t i = 0; i < l->card.n; i++)
		first[l->card.v[i].group + 1]++;
	for (size_t g = 0; g < l->group.n; g++)
		first[g + 1] += first[g];
	size_t *next = xcalloc(l->group.n + 1, sizeof *next);
	memcpy(next, first, l->group.n * sizeof *next);
	for (size_t i = 0; i < l->card.n; i++)
		order[next[l->card.v[i].group]++] = i;
	for (size_t g = 0; g < l->group.n; g++) {
		size_t n = first[g + 1] - first[g];
		one_group(l, (uint32_t)g, order + first[g], n < CARDS_MAX ? n : CARDS_MAX);
	}
	free(first);
	free(order);
	free(next);
}

/* ---- out --------------------------------------------------------------------------------- */

static void table(const struct look *l, struct str *out)
{
	static const char *const what[] = { "well used", "cause found", "idle",
					    "not enough signals" };
	char span[TM_BUF], share[PERCENT_BUF];
	int64_t tenths[4];
	__int128 part[4];

	for (int v = 0; v < 4; v++)
		part[v] = l->verdict[v].n;
	percent_split(l->windows, 4, part, PERCENT_TENTHS, tenths);
	str_addf(out, "%s: %lld window%s of %s, %zu card%s\n\n",
		 text_line(&l->c->mem, sv_of(l->file), 60), (long long)l->windows,
		 l->windows == 1 ? "" : "s", tm_format_span(span, l->window_ms), l->card.n,
		 l->card.n == 1 ? "" : "s");
	for (int v = 0; v < 4; v++)
		str_addf(out, "%8lld  %7s  %8.1f GPU·h  %s\n", (long long)l->verdict[v].n,
			 percent_text(share, tenths[v], PERCENT_TENTHS, part[v], l->windows),
			 l->verdict[v].card_h, what[v]);
	if (l->verdict[DIAG_FOUND].n)
		str_addz(out, "\n windows     GPU·h  lost GPU·h  cause\n");
	for (int c = 0; c < DIAG_N; c++)
		if (l->cause[c].n)
			str_addf(out, "%8lld  %8.1f  %10.1f  %s: %s\n", (long long)l->cause[c].n,
				 l->cause[c].card_h, l->cause[c].lost_h,
				 diag_cause_name((enum diag_cause)c),
				 diag_cause_title((enum diag_cause)c));
	if (l->missing.n)
		str_addz(out, "\nmissing, in windows of not enough signals:");
	for (size_t i = 0; i < l->missing.n; i++)
		str_addf(out, "%s %s %lld", i ? "," : "", intern_z(&l->missing, (uint32_t)i),
			 (long long)l->missing_n.v[i]);
	str_addz(out, l->missing.n ? "\n" : "");
}

static void json_causes(const struct look *l, struct jw *w)
{
	jw_key(w, "causes");
	jw_arr(w);
	for (int c = 0; c < DIAG_N; c++) {
		if (!l->cause[c].n)
			continue;
		jw_obj(w);
		jw_put_str(w, "cause", diag_cause_name((enum diag_cause)c));
		jw_put_int(w, "windows", l->cause[c].n);
		jw_put_num(w, "gpu_hours", l->cause[c].card_h, 3);
		jw_put_num(w, "lost_gpu_hours", l->cause[c].lost_h, 3);
		jw_put_str(w, "change", diag_change((enum diag_cause)c));
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

static void json(const struct look *l, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_put_str(&w, "schema", "tare.explain.samples/1");
	jw_put_int(&w, "windows", l->windows);
	jw_put_num(&w, "window_s", (double)l->window_ms / 1000, 3);
	jw_key(&w, "verdicts");
	jw_obj(&w);
	for (int v = 0; v < 4; v++)
		jw_put_int(&w, diag_verdict_name((enum diag_verdict)v), l->verdict[v].n);
	jw_end_obj(&w);
	json_causes(l, &w);
	jw_key(&w, "missing");
	jw_obj(&w);
	for (size_t i = 0; i < l->missing.n; i++)
		jw_put_int(&w, intern_z(&l->missing, (uint32_t)i), l->missing_n.v[i]);
	jw_end_obj(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static int window_of(struct look *l, struct err *err)
{
	const char *w = cli_value(l->c, "window");

	l->window_ms = 600000;
	if (w && (tm_parse_span(sv_of(w), &l->window_ms) < 0 || l->window_ms < 60000))
		return err_set(err, -EINVAL,
			       "'%s' is no window: a span of a minute or more, such as 10m", w);
	return 0;
}

int explain_samples(struct cli *c, const char *file)
{
	struct look l = { .c = c, .file = file };
	struct catalog *cat = NULL;
	struct str out = { 0 };
	struct err err = { 0 }, quiet = { 0 };
	int r = window_of(&l, &err), rc;

	r = r < 0 ? r : read_file(&l, &err);
	if (r >= 0) {
		l.cat = catalog_open(NULL, &cat, &quiet) == 0 ? cat : NULL;
		if (c->output == OUT_CSV) {
			l.csv = &out;
			str_addz(&out,
				 "time,node,job,cards,verdict,util_pct,cause,confidence,why\n");
		}
		all_groups(&l);
		if (c->output != OUT_CSV)
			(c->output == OUT_JSON ? json : table)(&l, &out);
		rc = cli_write(&out);
	} else {
		rc = cli_fail(&err);
	}
	for (size_t i = 0; i < l.card.n; i++)
		vec_free(&l.card.v[i].step);
	vec_free(&l.card);
	vec_free(&l.missing_n);
	intern_free(&l.key);
	intern_free(&l.group);
	intern_free(&l.missing);
	catalog_free(cat);
	str_free(&out);
	return rc;
}
