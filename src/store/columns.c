/* See columns.h. */
#include "store/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/sort.h"

#define FIRST_ROWS 64

void columns_reserve(struct columns *c, size_t n)
{
	if (n <= c->cap)
		return;
	size_t columns = 2;

	c->cap = n;
	c->t_ms = xrealloc(c->t_ms, n * sizeof *c->t_ms);
	c->step_ms = xrealloc(c->step_ms, n * sizeof *c->step_ms);
	for (int m = 0; m < METRIC_N; m++)
		if (c->v[m]) {
			c->v[m] = xrealloc(c->v[m], n * sizeof *c->v[m]);
			columns++;
		}
	c->bytes = n * columns * sizeof(double);
}

double *columns_metric(struct columns *c, int metric)
{
	if (!c->v[metric]) {
		c->v[metric] = xmalloc(c->cap * sizeof *c->v[metric]);
		c->bytes += c->cap * sizeof *c->v[metric];
		for (size_t i = 0; i < c->n; i++)
			c->v[metric][i] = NAN;
	}
	return c->v[metric];
}

void columns_add(struct columns *c, const struct sample *v)
{
	size_t i = c->n;

	if (i == c->cap)
		columns_reserve(c, c->cap ? c->cap * 2 : FIRST_ROWS);
	c->t_ms[i] = v->t_ms;
	c->step_ms[i] = v->step_ms;
	for (int m = 0; m < METRIC_N; m++)
		if (c->v[m] || !isnan(v->value[m]))
			columns_metric(c, m)[i] = v->value[m];
	c->disorder |= i && v->t_ms <= c->t_ms[i - 1];
	c->n++;
}

struct instant {
	int64_t t_ms;
	size_t row;
};

static int by_time_and_row(const void *a, const void *b)
{
	const struct instant *x = a, *y = b;

	if (x->t_ms != y->t_ms)
		return cmp_i64(x->t_ms, y->t_ms);
	return cmp_size(x->row, y->row);
}

size_t columns_put_in_order(struct columns *c)
{
	if (!c->disorder)
		return 0;
	struct columns out = { 0 };
	size_t overruled = 0;
	struct instant *at = xmalloc(c->n * sizeof *at);

	for (size_t i = 0; i < c->n; i++)
		at[i] = (struct instant){ c->t_ms[i], i };
	sort_items(at, c->n, sizeof *at, by_time_and_row);

	columns_reserve(&out, c->cap);
	for (int m = 0; m < METRIC_N; m++)
		if (c->v[m])
			columns_metric(&out, m);
	for (size_t i = 0; i < c->n; i++) {
		size_t from = at[i].row;

		if (out.n && out.t_ms[out.n - 1] == at[i].t_ms) {
			out.step_ms[out.n - 1] = c->step_ms[from];
			/* over the row of the same instant */
			bool differs = false;

			for (int m = 0; m < METRIC_N; m++) {
				if (!c->v[m] || isnan(c->v[m][from]))
					continue;
				double *old = &out.v[m][out.n - 1];
				differs |= !isnan(*old) && *old != c->v[m][from];
				*old = c->v[m][from];
			}
			overruled += differs;
			continue;
		}
		out.t_ms[out.n] = at[i].t_ms;
		out.step_ms[out.n] = c->step_ms[from];
		for (int m = 0; m < METRIC_N; m++)
			if (c->v[m])
				out.v[m][out.n] = c->v[m][from];
		out.n++;
	}
	free(at);
	columns_free(c);
	*c = out;
	return overruled;
}

struct sample columns_row(const struct columns *c, size_t i)
{
	struct sample s = { .t_ms = c->t_ms[i], .step_ms = (int32_t)c->step_ms[i] };

	for (int m = 0; m < METRIC_N; m++)
		s.value[m] = c->v[m] ? c->v[m][i] : (double)NAN;
	return s;
}

void columns_free(struct columns *c)
{
	free(c->t_ms);
	free(c->step_ms);
	for (int m = 0; m < METRIC_N; m++)
		free(c->v[m]);
	*c = (struct columns){ 0 };
}
