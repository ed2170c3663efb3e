#include "opt/schedule/rerun.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/search.h"
#include "base/sort.h"

/* Do the starts of v[n], in order, keep a timetable? */
static bool is_steady(size_t n, const struct rerun_job *v)
{
	int64_t *gap = xcalloc(n, sizeof *gap);
	bool steady = n >= 3;

	for (size_t i = 1; i < n; i++)
		gap[i - 1] = v[i].start_ms - v[i - 1].start_ms;
	if (steady) {
		sort_items(gap, n - 1, sizeof *gap, rising_i64);
		double middle = (double)gap[(n - 1) / 2];
		steady = middle > 0 && (double)gap[0] >= middle * (1 - RERUN_STEADY_FRAC) &&
			 (double)gap[n - 2] <= middle * (1 + RERUN_STEADY_FRAC);
	}
	free(gap);
	return steady;
}

static bool same_length(int64_t x, int64_t y)
{
	int64_t more = max_i64(x, y), less = min_i64(x, y);

	return (double)(more - less) <= RERUN_LENGTH_FRAC * (double)more;
}

struct by_end {
	int64_t end_ms;
	size_t run;
};

static int cmp_end(const void *pa, const void *pb)
{
	const struct by_end *a = pa, *b = pb;

	if (a->end_ms != b->end_ms)
		return cmp_i64(a->end_ms, b->end_ms);
	return cmp_size(a->run, b->run);
}

/* What of a kind had completed before the run that is looked at. */
struct done {
	uint32_t *config;
	size_t nconfig;
	int64_t *length; /* rising, of those that told no configuration */
	size_t nlength;
};

/* Where the first value that is not less stands. */
static size_t place_of(const int64_t *v, size_t n, int64_t x)
{
	return first_where(i, n, v[i] >= x);
}

static bool has_config(const struct done *d, uint32_t config)
{
	for (size_t i = 0; i < d->nconfig; i++)
		if (d->config[i] == config)
			return true;
	return false;
}

static void add_done(struct done *d, const struct rerun_job *j)
{
	int64_t length = j->end_ms - j->start_ms;

	if (j->config != RERUN_NO_CONFIG) {
		if (!has_config(d, j->config))
			d->config[d->nconfig++] = j->config;
		return;
	}
	size_t at = place_of(d->length, d->nlength, length);
	memmove(&d->length[at + 1], &d->length[at], (d->nlength - at) * sizeof *d->length);
	d->length[at] = length;
	d->nlength++;
}

static enum rerun_how how_again(const struct done *d, const struct rerun_job *j)
{
	int64_t length = j->end_ms - j->start_ms;
	size_t at;

	if (j->config != RERUN_NO_CONFIG) {
		if (has_config(d, j->config))
			return RERUN_SAME_CONFIG;
		return RERUN_FIRST;
	}
	/* a run that did not end well says nothing by its length */
	if (!j->completed)
		return RERUN_FIRST;
	at = place_of(d->length, d->nlength, length);
	if (at < d->nlength && same_length(d->length[at], length))
		return RERUN_SAME_LENGTH;
	if (at && same_length(d->length[at - 1], length))
		return RERUN_SAME_LENGTH;
	return RERUN_FIRST;
}

/* v [n] of one kind. The nearest lengths decide: what is further off is no nearer to equal. */
static void look_at_kind(size_t n, const struct rerun_job *v, enum rerun_how *ret)
{
	struct by_end *end = xcalloc(n, sizeof *end);
	struct done d = { .config = xcalloc(n, sizeof *d.config),
			  .length = xcalloc(n + 1, sizeof *d.length) };
	size_t next = 0;

	for (size_t i = 0; i < n; i++)
		end[i] = (struct by_end){ v[i].end_ms, i };
	sort_items(end, n, sizeof *end, cmp_end);
	for (size_t i = 0; i < n; i++) {
		for (; next < n && end[next].end_ms <= v[i].start_ms; next++)
			if (v[end[next].run].completed)
				add_done(&d, &v[end[next].run]);
		ret[i] = how_again(&d, &v[i]);
	}
	free(end);
	free(d.config);
	free(d.length);
}

void rerun_again(size_t n, const struct rerun_job *v, enum rerun_how *ret)
{
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from; to < n && v[to].kind == v[from].kind; to++)
			ret[to] = RERUN_FIRST;
		if (!is_steady(to - from, v + from))
			look_at_kind(to - from, v + from, ret + from);
	}
}

void rerun_soon(size_t n, const struct rerun_job *v, int64_t soon_ms, size_t *ret_row)
{
	for (size_t i = 0; i < n; i++) {
		bool soon = v[i].failed && v[i].end_ms - v[i].start_ms <= soon_ms;
		bool goes_on = i && v[i].kind == v[i - 1].kind;
		size_t before = 0;
		if (goes_on)
			before = ret_row[i - 1];
		ret_row[i] = soon ? before + 1 : 0;
	}
}
