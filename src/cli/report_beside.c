#include "cli/report_beside.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <unistd.h>

void report_compare_words(struct str *out)
{
	str_addz(out, "previous lastmonth lastquarter lastyear ");
}

/* ---- what fits together ------------------------------------------------------------------ */

int report_beside_fits(struct report_beside *b, const struct report_dims *d, enum idle_split split,
		       bool other, int64_t limit, struct err *err)
{
	const char *what = "--trend";
	bool beside = b->compare || b->pivot || b->trend;
	bool two = (b->compare != NULL) + (b->pivot != NULL) + b->trend > 1;

	if (b->compare)
		what = "--compare";
	else if (b->pivot)
		what = "--pivot";
	if (two)
		return err_set(err, -EINVAL,
			       "only one of --compare, --pivot and --trend at a time");
	if (beside && other)
		return err_set(
			err, -EINVAL,
			"%s shows rows in a table of its own: it goes with none of --showback, --chargeback, --kpi, --tags, --html and --focus",
			what);
	if (beside && split != SPLIT_NONE)
		return err_set(err, -EINVAL,
			       "%s shows what was used: it does not go with --split-idle", what);
	if (b->top && limit) {
		err_set(err, -EINVAL, "--top and --limit both say how many rows");
		err_hint(
			err,
			"--top N has a row of the rest in every format, --limit N leaves the rest out of CSV and JSON rows");
		return -EINVAL;
	}
	int r = 0;
	if (b->compare)
		r = compare_with_of(b->compare, &b->with, err);
	if (r == 0 && b->compare)
		return compare_dims_fit(d, err);
	return r;
}

int report_beside_window(struct report_beside *b, struct report_ask *q, struct err *err)
{
	if (b->compare)
		return compare_windows(q, &b->with, &b->w, err);
	return 0;
}

/* ---- rows by time ------------------------------------------------------------------------ */

/* How many rows there are of all dimensions but the last, and currencies. */
static size_t count_groups(const struct report_in *in)
{
	struct intern known = { 0 };
	struct str key = { 0 };

	for (size_t i = 0; i < in->ncell; i++) {
		str_clear(&key);
		str_addz(&key, in->cell[i].currency);
		for (size_t d = 0; d + 1 < in->ndim; d++) {
			str_addc(&key, 0);
			str_addz(&key, in->cell[i].dim[d]);
		}
		intern_add(&known, str_sv(&key));
	}
	size_t n = known.n;
	intern_free(&known);
	str_free(&key);
	return n;
}

/* Where the last dimension is a time, each row before it has all its steps. */
static int ask_steps(struct report_beside *b, const struct cli *c, const struct report_ask *q,
		     const struct report_dims *d, struct report_in *in, struct err *err)
{
	enum dim last = d->dim[in->ndim - 1];
	bool plain = dim_is_time(last) && !in->top && in->ncell;

	if (c->output == OUT_XLSX || in->split != SPLIT_NONE)
		plain = false;
	for (size_t i = 0; i + 1 < in->ndim; i++)
		plain = plain && !dim_is_time(d->dim[i]);
	if (!plain || report_filters_time(q))
		return 0;
	int r = answer_steps(q, last, &b->steps, err);
	if (r < 0)
		return r;
	bool too_many = b->steps.too_many || b->steps.n * count_groups(in) > SERIES_STEPS_MAX;
	if (too_many && !c->quiet)
		fprintf(stderr,
			"tare: more than %d rows by %s: those without an entry are left out\n",
			SERIES_STEPS_MAX, d->name[in->ndim - 1]);
	if (!too_many && b->steps.n)
		in->steps = &b->steps;
	return 0;
}

/* ---- columns ----------------------------------------------------------------------------- */

/* A trend that nobody asked for costs a second look at the ledger: not where rows are very many. */
#define TREND_CELLS_MAX 5000

static bool wants_trend(const struct report_beside *b, const struct cli *c,
			const struct report_in *in)
{
	bool plain = !b->compare && !b->pivot && in->split == SPLIT_NONE;

	for (size_t i = 0; i < in->ndim; i++)
		plain = plain && !dim_is_time(dim_of(sv_of(in->dim[i])));
	if (!plain)
		return false;
	if (b->trend)
		return true;
	return c->output == OUT_TABLE && isatty(1) && in->ncell <= TREND_CELLS_MAX;
}

int report_beside_ask(struct report_beside *b, const struct cli *c, const struct report_ask *q,
		      const struct report_dims *d, struct report_in *in, struct err *err)
{
	int r = 0;

	in->top = (size_t)b->top;
	in->trend_asked = b->trend;
	in->compare_with = b->compare;
	in->ascii = false;
	if (isatty(1)) {
		/* Has the terminal blocks? What its locale can print decides, as in tare top. */
		setlocale(LC_CTYPE, "");
		in->ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
		setlocale(LC_CTYPE, "C");
	}
	if (b->compare) {
		r = answer_compare(q, d, &b->w, &b->compared, err);
		in->compare = &b->compared;
		return r;
	}
	r = ask_steps(b, c, q, d, in, err);
	if (r == 0 && b->pivot) {
		r = answer_series(q, d, b->pivot, &b->series, err);
		in->pivot = &b->series;
	}
	if (r == 0 && wants_trend(b, c, in)) {
		const char *by = series_trend_by(q);

		if (!by || report_filters_time(q))
			return 0; /* it is too short for one, or has gaps by intention */
		r = answer_series(q, d, by, &b->series, err);
		if (r == 0)
			in->trend = &b->series;
	}
	return r;
}
