#include "opt/rerun.h"

#include <stdlib.h>

#include "base/mem.h"

static size_t kind_end(size_t n, const struct rerun_job *v, size_t from)
{
	size_t to = from;

	while (to < n && v[to].kind == v[from].kind)
		to++;
	return to;
}

static int by_length(const void *pa, const void *pb)
{
	int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

	return (a > b) - (a < b);
}

/* Do the starts of v[n], in order, keep a timetable? */
static bool is_steady(size_t n, const struct rerun_job *v)
{
	int64_t *gap = xcalloc(n, sizeof *gap);
	bool steady = n >= 3;

	for (size_t i = 1; i < n; i++)
		gap[i - 1] = v[i].start_ms - v[i - 1].start_ms;
	if (steady) {
		qsort(gap, n - 1, sizeof *gap, by_length);
		double middle = (double)gap[(n - 1) / 2];
		steady = middle > 0 && (double)gap[0] >= middle * (1 - RERUN_STEADY_FRAC) &&
			 (double)gap[n - 2] <= middle * (1 + RERUN_STEADY_FRAC);
	}
	free(gap);
	return steady;
}

static bool same_length(const struct rerun_job *a, const struct rerun_job *b)
{
	int64_t x = a->end_ms - a->start_ms, y = b->end_ms - b->start_ms;
	int64_t more = x > y ? x : y, less = x > y ? y : x;

	return (double)(more - less) <= RERUN_LENGTH_FRAC * (double)more;
}

/* How `later` is told to be `before` made again. */
static enum rerun_how how_again(const struct rerun_job *before, const struct rerun_job *later)
{
	bool told = before->config != RERUN_NO_CONFIG && later->config != RERUN_NO_CONFIG,
	     neither = before->config == RERUN_NO_CONFIG && later->config == RERUN_NO_CONFIG;

	if (!before->completed || before->end_ms > later->start_ms)
		return RERUN_FIRST;
	if (told && before->config == later->config)
		return RERUN_SAME_CONFIG;
	/* a run that did not end well says nothing by its length */
	if (neither && later->completed && same_length(before, later))
		return RERUN_SAME_LENGTH;
	return RERUN_FIRST;
}

void rerun_again(size_t n, const struct rerun_job *v, enum rerun_how *ret)
{
	for (size_t from = 0, to; from < n; from = to) {
		to = kind_end(n, v, from);
		bool steady = is_steady(to - from, v + from);
		for (size_t i = from; i < to; i++) {
			ret[i] = RERUN_FIRST;
			for (size_t k = from; k < i && ret[i] == RERUN_FIRST && !steady; k++)
				ret[i] = how_again(&v[k], &v[i]);
		}
	}
}

void rerun_soon(size_t n, const struct rerun_job *v, int64_t soon_ms, size_t *ret_row)
{
	for (size_t i = 0; i < n; i++) {
		bool soon = v[i].failed && v[i].end_ms - v[i].start_ms <= soon_ms;
		bool goes_on = i && v[i].kind == v[i - 1].kind;
		size_t before = goes_on ? ret_row[i - 1] : 0;
		ret_row[i] = soon ? before + 1 : 0;
	}
}
