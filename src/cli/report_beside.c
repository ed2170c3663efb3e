#include "cli/report_beside.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdio.h>
#include <unistd.h>

void report_compare_words(struct str *out)
{
	str_addz(out, "previous lastmonth lastyear ");
}

/* ---- what fits together ------------------------------------------------------------------ */

int report_beside_fits(struct report_beside *b, const struct report_dims *d, enum idle_split split,
		       bool other, int64_t limit, struct err *err)
{
	const char *what = b->compare ? "--compare" : b->pivot ? "--pivot" : "--trend";
	bool beside = b->compare || b->pivot || b->trend;
	bool two = (b->compare != NULL) + (b->pivot != NULL) + b->trend > 1;

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
	int r = b->compare ? compare_with_of(b->compare, &b->with, err) : 0;
	return r == 0 && b->compare ? compare_dims_fit(d, err) : r;
}

int report_beside_window(struct report_beside *b, struct report_ask *q, struct err *err)
{
	return b->compare ? compare_windows(q, &b->with, &b->w, err) : 0;
}

/* ---- rows by time ------------------------------------------------------------------------ */

/* Every step of the first time among the rows. */
static int ask_steps(struct report_beside *b, const struct cli *c, const struct report_ask *q,
		     const struct report_dims *d, struct report_in *in, struct err *err)
{
	size_t at = 0;

	while (at < in->ndim && !dim_is_time(d->dim[at]))
		at++;
	if (at == in->ndim || in->top || in->split != SPLIT_NONE)
		return 0;
	int r = answer_steps(q, d->dim[at], &b->steps, err);
	if (r == 0 && b->steps.too_many && !c->quiet)
		fprintf(stderr,
			"tare: more than %d steps by %s: those without an entry are left out\n",
			SERIES_STEPS_MAX, d->name[at]);
	if (r == 0 && b->steps.n)
		in->steps = &b->steps;
	return r;
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
	return b->trend || (c->output == OUT_TABLE && isatty(1) && in->ncell <= TREND_CELLS_MAX);
}

static int ask_trend(struct report_beside *b, const struct report_ask *q,
		     const struct report_dims *d, struct report_in *in, struct err *err)
{
	const char *by = series_trend_by(q);

	if (!by)
		return 0; /* it is too short for one */
	int r = answer_series(q, d, by, &b->series, err);
	if (r == 0)
		in->trend = &b->series;
	return r;
}

/* The terminal has no blocks: what its locale can print decides, as in tare top. */
static bool only_ascii(void)
{
	setlocale(LC_CTYPE, "");
	bool utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
	setlocale(LC_CTYPE, "C");
	return !utf8;
}

int report_beside_ask(struct report_beside *b, const struct cli *c, const struct report_ask *q,
		      const struct report_dims *d, struct report_in *in, struct err *err)
{
	int r = 0;

	in->top = (size_t)b->top;
	in->trend_asked = b->trend;
	in->compare_with = b->compare;
	in->ascii = isatty(1) && only_ascii();
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
	return r == 0 && wants_trend(b, c, in) ? ask_trend(b, q, d, in, err) : r;
}
