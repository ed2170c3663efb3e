/*
 * A file of samples (the native columns, CSV) cut into windows of a machine's and job's GPUs; each
 * window is diagnosed as opt/diagnose says, and the verdicts are counted. Columns beyond the native
 * ones that it reads where they are there: those of enum metric, of enum diag_extra, `gpu_model`,
 * and `workload` (inference: a server).
 */
#include "answer/samples.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/num.h"
#include "base/sort.h"
#include "base/tab.h"
#include "base/tm.h"

#define STEPS_MAX ((size_t)4000000) /* 1.1 GB; a day of 46 GPUs at 1 s */
#define GPUS_MAX  64

struct gpu {
	VEC(struct diag_step) step;
	uint32_t group;
	const char *model;
	bool serving;
};
struct look {
	const struct samples_ask *q;
	struct intern key, group; /* GPU: node, job, GPU; group: node, job */
	VEC(struct gpu) gpu;
	size_t steps;
	struct samples_answer *sum;
	struct intern missing;
	VEC(int64_t) missing_n;
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
	for (int x = 0; x < DIAG_X_N; x++) {
		if (strcmp(diag_extra_name((enum diag_extra)x), "step_s"))
			k->extra[x] = tab_col(t, diag_extra_name((enum diag_extra)x));
		else
			k->extra[x] = -1;
	}
	if (k->time >= 0 && k->gpu >= 0 && k->metric[METRIC_GPU_UTIL_PCT] >= 0)
		return 0;
	err_set(err, -EINVAL, "no samples: columns time, gpu and gpu_util_pct are needed");
	err_hint(err, "The columns are those of: tare import --as samples");
	return -EINVAL;
}

static double read_number(const struct sv *cell, int col)
{
	double v;

	if (col < 0 || !cell[col].n || sv_f64(cell[col], &v))
		return NAN;
	return v;
}

static struct sv read_text(const struct sv *cell, int col)
{
	if (col < 0 || !cell[col].p)
		return SV("");
	return cell[col];
}

static int take_row(struct look *l, const struct columns *k, const struct tab *t,
		    const struct sv *cell, struct err *err)
{
	int64_t at;
	double step = read_number(cell, k->step);

	if (tm_parse(read_text(cell, k->time), 0, &at) < 0)
		return err_set(err, -EINVAL, "'%s', line %lld: '%.*s' is not a time", l->q->file,
			       (long long)t->line, SVF(read_text(cell, k->time)));
	if (++l->steps > STEPS_MAX)
		return err_set(err, -E2BIG, "'%s' has more than %zu samples: give it in parts",
			       l->q->file, STEPS_MAX);
	struct str str = { 0 };

	str_addf(&str, "%.*s\x1f%.*s", SVF(read_text(cell, k->node)), SVF(read_text(cell, k->job)));
	uint32_t group = intern_add(&l->group, str_sv(&str));
	str_addf(&str, "\x1f%.*s", SVF(read_text(cell, k->gpu)));
	uint32_t i = intern_add(&l->key, str_sv(&str));
	str_free(&str);
	if (i == l->gpu.n)
		*vec_push(&l->gpu) = (struct gpu){ .group = group };
	struct gpu *c = &l->gpu.v[i];
	if (!c->model && k->model >= 0 && cell[k->model].n)
		c->model = arena_sv(l->q->ask.mem, cell[k->model]);
	c->serving |= sv_is(read_text(cell, k->workload), "inference");
	struct diag_step *s = vec_push(&c->step);
	diag_step_init(s);
	s->t_ms = at;
	s->step_ms = step > 0 && step < 86400 ? (int32_t)llround(step * 1000) : 0;
	for (int m = 0; m < METRIC_N; m++)
		s->value[m] = read_number(cell, k->metric[m]);
	for (int x = 0; x < DIAG_X_N; x++)
		s->extra[x] = read_number(cell, k->extra[x]);
	return 0;
}

static int by_time(const void *pa, const void *pb)
{
	const struct diag_step *a = pa, *b = pb;

	return cmp_i64(a->t_ms, b->t_ms);
}

static int read_file(struct look *l, struct err *err)
{
	struct columns k = { 0 };
	struct input *in = NULL;
	struct tab *t = NULL;
	const struct sv *cell;
	int r = input_open(l->q->file, &in, err);

	if (r >= 0)
		r = tab_csv_open(in, &(struct tab_csv_opt){ 0 }, &t, err);
	if (r >= 0)
		r = find_columns(t, &k, err);
	while (r >= 0 && (r = tab_next(t, &cell, err)) > 0)
		r = take_row(l, &k, t, cell, err);
	tab_close(t);
	input_close(in);
	for (size_t i = 0; i < l->gpu.n; i++) {
		/* Sorted; a step that is not told lasts until the next, at most a minute. */
		struct gpu *c = &l->gpu.v[i];
		sort_items(c->step.v, c->step.n, sizeof *c->step.v, by_time);
		for (size_t j = 0; j < c->step.n; j++) {
			int64_t gap = 1000;
			if (j + 1 < c->step.n)
				gap = c->step.v[j + 1].t_ms - c->step.v[j].t_ms;
			else if (j)
				gap = c->step.v[j - 1].step_ms;
			if (!c->step.v[j].step_ms)
				c->step.v[j].step_ms = (int32_t)min_i64(gap, MS_MINUTE);
		}
	}
	return r;
}

/* ---- windows ----------------------------------------------------------------------------- */

static void read_facts(const struct look *l, const struct gpu *c, struct diag_facts *f)
{
	const struct catalog *cat = l->q->ask.catalog;
	const struct gpu_spec *g = NULL;

	if (c->model && cat)
		g = catalog_gpu(cat, sv_of(c->model));
	diag_facts_init(f);
	f->serving = c->serving;
	if (!g)
		return;
	f->tdp_w = g->tdp_w;
	f->mem_total_bytes = g->memory_gib * 1073741824.0;
}

/* A group's GPUs, their steps cut at the same instants. */
static void one_group(struct look *l, uint32_t group, const size_t *gpu, size_t n)
{
	struct diag_dev dev[GPUS_MAX];
	size_t at[GPUS_MAX] = { 0 };
	struct diag_result r;

	for (;;) {
		int64_t from = INT64_MAX;
		size_t ndev = 0;
		for (size_t i = 0; i < n; i++)
			if (at[i] < l->gpu.v[gpu[i]].step.n &&
			    l->gpu.v[gpu[i]].step.v[at[i]].t_ms < from)
				from = l->gpu.v[gpu[i]].step.v[at[i]].t_ms;
		if (from == INT64_MAX)
			return;
		for (size_t i = 0; i < n; i++) {
			const struct gpu *c = &l->gpu.v[gpu[i]];
			size_t k = at[i];
			while (k < c->step.n && c->step.v[k].t_ms < from + l->q->window_ms)
				k++;
			if (k > at[i]) {
				dev[ndev] = (struct diag_dev){ .step = c->step.v + at[i],
							       .n = k - at[i] };
				read_facts(l, c, &dev[ndev++].facts);
			}
			at[i] = k;
		}
		diag_run(dev, ndev, &r);

		double hours = (double)r.window_ms / 3600e3 * (double)ndev;

		l->sum->windows++;
		l->sum->verdict[r.verdict].n++;
		l->sum->verdict[r.verdict].gpu_h += hours;
		for (int i = 0; i < r.n; i++) {
			struct samples_tally *t = &l->sum->cause[r.finding[i].cause];
			t->n++;
			t->gpu_h += hours;
			if (!isnan(r.finding[i].lost_frac))
				t->lost_h += r.finding[i].lost_frac * hours;
		}
		for (int i = 0; i < r.nmissing && r.verdict == DIAG_UNKNOWN; i++) {
			uint32_t k = intern_add(&l->missing, sv_of(r.missing[i]));
			if (k == l->missing_n.n)
				*vec_push(&l->missing_n) = 0;
			l->missing_n.v[k]++;
		}

		struct samples_window w = { .from_ms = from, .ngpu = ndev, .r = &r };

		w.node = sv_cut(l->group.text[group], '\x1f', &w.job);
		if (l->q->window)
			l->q->window(l->q->ctx, &w);
	}
}

int answer_samples(const struct samples_ask *q, struct samples_answer *ret, struct err *err)
{
	struct samples_answer sum = { .window_ms = q->window_ms };
	struct look l = { .q = q, .sum = &sum };
	int r = read_file(&l, err);

	if (r >= 0) {
		size_t *first = xcalloc(l.group.n + 1, sizeof *first),
		       *order = xcalloc(l.gpu.n + 1, sizeof *order);

		for (size_t i = 0; i < l.gpu.n; i++)
			first[l.gpu.v[i].group + 1]++;
		for (size_t g = 0; g < l.group.n; g++)
			first[g + 1] += first[g];
		size_t *next = xcalloc(l.group.n + 1, sizeof *next);
		memcpy(next, first, l.group.n * sizeof *next);
		for (size_t i = 0; i < l.gpu.n; i++)
			order[next[l.gpu.v[i].group]++] = i;
		for (size_t g = 0; g < l.group.n; g++) {
			size_t n = first[g + 1] - first[g];
			one_group(&l, (uint32_t)g, order + first[g], min_size(n, GPUS_MAX));
		}
		free(first);
		free(order);
		free(next);
		sum.gpus = l.gpu.n;

		struct arena *mem = l.q->ask.mem;
		struct samples_missing *v = arena_alloc(mem, (l.missing.n + 1) * sizeof *v);

		for (size_t i = 0; i < l.missing.n; i++)
			v[i] = (struct samples_missing){ arena_sv(mem, l.missing.text[i]),
							 l.missing_n.v[i] };
		l.sum->missing = v;
		l.sum->nmissing = l.missing.n;
		*ret = sum;
	}
	for (size_t i = 0; i < l.gpu.n; i++)
		vec_free(&l.gpu.v[i].step);
	vec_free(&l.gpu);
	vec_free(&l.missing_n);
	intern_free(&l.key);
	intern_free(&l.group);
	intern_free(&l.missing);
	if (r < 0)
		return r;
	return 0;
}
