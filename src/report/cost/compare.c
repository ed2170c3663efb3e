#include "report/cost/compare.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/sh.h"
#include "base/str.h"
#include "base/tm.h"
#include "model/known.h"
#include "report/formats.h"
#include "report/text.h"
#include "report/cost/view.h"

/* ---- columns ----------------------------------------------------------------------------- */

#define AT(m)       offsetof(struct cube_compare, m)
#define PART(p)     offsetof(struct cube_compare, part[COMPARE_##p])
#define IF_PART(p)  offsetof(struct cube_compare, known[COMPARE_##p])
#define MONEY_OF(p) COL_DEC, PART(p), "money"

static bool read_frac(const struct cube_compare *c, int w, union col_value *ret)
{
	ret->x = text_frac(c->read_ms[w], c->gpu_ms[w]);
	return c->gpu_ms[w] > 0;
}

static bool get_read_before(const void *row, union col_value *ret)
{
	return read_frac(row, 0, ret);
}

static bool get_read_now(const void *row, union col_value *ret)
{
	return read_frac(row, 1, ret);
}

static bool busy_ms(const struct cube_compare *c, int w, union col_value *ret)
{
	ret->n = c->busy_ms[w];
	return c->read_ms[w] > 0;
}

static bool get_busy_before(const void *row, union col_value *ret)
{
	return busy_ms(row, 0, ret);
}

static bool get_busy_now(const void *row, union col_value *ret)
{
	return busy_ms(row, 1, ret);
}

const struct col compare_cols[] = {
	{ "before", COL_DEC, AT(before), "money",
	  "cost in the other window, put on the hours of this one; null: without a price",
	  AT(has_before) },
	{ "now", COL_DEC, AT(now), "money", "cost in this window; null: without a price",
	  AT(has_now) },
	{ "difference", COL_DEC, AT(difference), "money",
	  "now - before, the sum of the five parts; null: one of them has no price", AT(has_both) },
	{ "volume", MONEY_OF(VOLUME), "more or less work", IF_PART(VOLUME) },
	{ "efficiency", MONEY_OF(EFFICIENCY),
	  "more or fewer GPU-hours for a busy one; null: not known without readings",
	  IF_PART(EFFICIENCY) },
	{ "mix", MONEY_OF(MIX), "other GPU models, purchases and regions", IF_PART(MIX) },
	{ "price", MONEY_OF(PRICE), "the same ones at other prices", IF_PART(PRICE) },
	{ "other", MONEY_OF(OTHER), "what is no GPU time", IF_PART(OTHER) },
	{ "before_booked", COL_DEC, AT(booked), "money", "before, as it was booked",
	  AT(has_before) },
	{ "before_gpu_seconds", COL_SECONDS, AT(gpu_ms[0]), "s",
	  "paid GPU time that had a price, as booked", .always = true },
	{ "now_gpu_seconds", COL_SECONDS, AT(gpu_ms[1]), "s", "paid GPU time that has a price",
	  .always = true },
	{ "before_busy_gpu_seconds", COL_SECONDS, .get = get_busy_before, .unit = "s",
	  .help = "of it busy: busy + underused x utilisation; null: no reading" },
	{ "now_busy_gpu_seconds", COL_SECONDS, .get = get_busy_now, .unit = "s",
	  .help = "the same now" },
	{ "before_read_frac", COL_NUM, .get = get_read_before, .digits = 6,
	  .help = "part of that GPU time that has a reading" },
	{ "now_read_frac", COL_NUM, .get = get_read_now, .digits = 6, .help = "the same now" },
	{ "before_unpriced_gpu_seconds", COL_SECONDS, AT(unpriced_ms[0]), "s",
	  "GPU time without a price: in no part", .always = true },
	{ "now_unpriced_gpu_seconds", COL_SECONDS, AT(unpriced_ms[1]), "s", "the same now",
	  .always = true },
	{ 0 },
};

#define WINDOW(i, name, about)                                                           \
	{ name "_since",                                                                 \
	  COL_TIME,                                                                      \
	  offsetof(struct compare_windows, since_ms[i]),                                 \
	  NULL,                                                                          \
	  "beginning of the window " about,                                              \
	  0 },                                                                           \
		{ name "_until",                                                         \
		  COL_TIME,                                                              \
		  offsetof(struct compare_windows, until_ms[i]),                         \
		  NULL,                                                                  \
		  "its end, not included",                                               \
		  0 },                                                                   \
	{                                                                                \
		name "_hours", COL_INT, offsetof(struct compare_windows, hours[i]), "h", \
			"of it that the ledger covers", 0                                \
	}
const struct col compare_doc_cols[] = {
	WINDOW(0, "before", "before"),
	WINDOW(1, "now", "now"),
	{ 0 },
};

/* ---- what is said of it ------------------------------------------------------------------ */

/* "+1,234.50": a change has a sign. */
static char *change_text(struct arena *a, dec v, int digits)
{
	char *t = text_money(a, v, digits);

	if (v > 0)
		return arena_printf(a, "+%s", t);
	return t;
}

static char *percent_change(struct arena *a, const struct cube_compare *c)
{
	dec before = dec_size(c->before);

	if (!before)
		return arena_printf(a, "%s", text_or_dash(c->difference, "new"));
	double pct = dec_to_double(c->difference) / dec_to_double(before) * 100;
	bool small = pct > -0.5 && pct < 0.5;

	if (!c->difference)
		return arena_printf(a, "0 %%");
	if (small) /* "-0.0 %" says which way it went */
		return arena_printf(a, "%+.1f %%", pct);
	return arena_printf(a, pct > 999 ? ">+999 %%" : "%+.0f %%", pct);
}

/* "2026-10-01 to 2026-10-31 (31 days)": whole days with their first and last one; else to the
 * minute. */
static char *span_words(struct arena *a, int64_t since_ms, int64_t until_ms)
{
	char from[TM_BUF], to[TM_BUF];
	long long days = (until_ms - since_ms) / MS_DAY, hours = (until_ms - since_ms) / MS_HOUR;

	if (since_ms % MS_DAY || until_ms % MS_DAY)
		return arena_printf(a, "%.10s %.5s to %.10s %.5s UTC (%lld h)",
				    tm_format(from, since_ms), from + 11, tm_format(to, until_ms),
				    to + 11, hours);
	tm_format_date(from, since_ms);
	if (days == 1)
		return arena_printf(a, "%s (1 day)", from);
	return arena_printf(a, "%s to %s (%lld days)", from, tm_format_date(to, until_ms - 1),
			    days);
}

/* Both windows, and how the one before was put on the hours of the other. */
static char *format_title(struct arena *a, const struct report_in *in, const struct cube_block *k)
{
	const struct compare_windows *w = &in->compare->w;
	const char *where = text_if(in->where,
				    arena_printf(a, " · %s", text_line(a, sv_of(in->where), 0)));
	const char *put = "";
	bool same = w->until_ms[0] - w->since_ms[0] == w->until_ms[1] - w->since_ms[1];

	if (!same && w->hours[0] != w->hours[1])
		put = arena_printf(
			a, " · not of one length: the %lld h before are scaled to the %lld h now",
			(long long)w->hours[0], (long long)w->hours[1]);
	else if (w->hours[0] != w->hours[1])
		put = arena_printf(a, " · before: %lld h recorded, scaled to %lld h",
				   (long long)w->hours[0], (long long)w->hours[1]);
	return arena_printf(a, "%s beside %s · %s cost, %s%s%s",
			    span_words(a, w->since_ms[1], min_i64(w->until_ms[1], w->to_ms[1])),
			    span_words(a, w->since_ms[0], w->until_ms[0]), basis_name(in->basis),
			    k->currency, put, where);
}

/* ---- the grid ---------------------------------------------------------------------------- */

/* How much of it is shown: on a narrow terminal the parts give way to the largest of them. */
struct layout {
	int digits;
	bool percent, parts;
	bool show[COMPARE_PARTS];
};

static dec unit_of(int digits)
{
	dec unit = DEC_ONE;

	for (int i = 0; i < digits; i++)
		unit /= 10;
	return unit;
}

/* The same as it is printed: what stands there adds up, too. Parts are rounded together by largest
 * remainder, so that none is a whole unit off. */
static struct cube_compare round_compare(const struct cube_compare *c, int digits)
{
	struct cube_compare s = *c;
	dec unit = unit_of(digits), left, rest[COMPARE_PARTS];

	s.before = div_half_even(s.before, unit) * unit;
	s.now = div_half_even(s.now, unit) * unit;
	left = s.difference = s.now - s.before;
	for (int i = 0; i < COMPARE_PARTS; i++) {
		rest[i] = s.part[i] % unit;
		if (rest[i] < 0)
			rest[i] += unit;
		s.part[i] -= rest[i];
		left -= dec_counted(s.known[i], s.part[i]);
	}
	for (int n = 0; n < COMPARE_PARTS && left > 0; n++) {
		int most = -1;

		for (int i = 0; i < COMPARE_PARTS; i++)
			if (s.known[i] && (most < 0 || rest[i] > rest[most]))
				most = i;
		if (most < 0)
			break;
		rest[most] = -1; /* each goes up once at most */
		s.part[most] += unit;
		left -= unit;
	}
	/* both ends of the change were rounded away from it */
	for (int i = 0; i < COMPARE_PARTS && left < 0; i++)
		if (s.known[i] && s.part[i]) {
			s.part[i] -= unit;
			left += unit;
		}
	return s;
}

static void put_numbers(const struct report_in *in, const struct layout *l,
			const struct cube_compare *c, const char **cell, struct arena *a)
{
	struct cube_compare s = round_compare(c, l->digits);

	/* The part of a change that moved most its way; COMPARE_PARTS: none did. */
	enum compare_part main = COMPARE_PARTS;
	dec most = 0;

	for (int i = 0; i < COMPARE_PARTS; i++) {
		dec v = c->difference < 0 ? -c->part[i] : c->part[i];
		if (c->known[i] && v > most) {
			most = v;
			main = (enum compare_part)i;
		}
	}

	size_t n = in->ndim;

	if (l->parts)
		cell[n++] = text_or_dash(c->has_before, text_money(a, s.before, l->digits));
	cell[n++] = text_or_dash(c->has_now, text_money(a, s.now, l->digits));
	cell[n++] = text_or_dash(c->has_both, change_text(a, s.difference, l->digits));
	if (l->percent)
		cell[n++] = c->has_both ? percent_change(a, c) : "-";
	for (int i = 0; i < COMPARE_PARTS && l->parts; i++)
		if (l->show[i])
			cell[n++] = text_or_dash(c->known[i], change_text(a, s.part[i], l->digits));
	if (!l->parts && main != COMPARE_PARTS)
		cell[n] = arena_printf(a, "%s %s", compare_part_name(main),
				       change_text(a, s.part[main], l->digits));
}

/* Charges that may be fixed by the month are in what was put on the hours of now. */
static bool scales_charges(const struct report_in *in, const struct cube_compare *c)
{
	const struct compare_windows *w = &in->compare->w;

	return w->hours[0] != w->hours[1] && c->has_both && c->booked_other;
}

static void fill_grid(const struct report_in *in, const struct cube_block *k,
		      const struct layout *l, struct grid *g)
{
	for (size_t i = 0; i < in->ndim; i++)
		grid_add_name(g, in->dim[i]);
	if (l->parts)
		grid_add_figure(g, "before", 3);
	grid_add_figure(g, "now", 4);
	grid_add_figure(g, "change", GRID_ALWAYS);
	if (l->percent)
		grid_add_figure(g, "%", 1);
	for (int i = 0; i < COMPARE_PARTS && l->parts; i++)
		if (l->show[i])
			grid_add_col(g, compare_part_name(i), GRID_RIGHT, false);
	if (!l->parts)
		grid_add_col(g, "most by", GRID_LEFT, false);
	for (size_t r = 0; r < k->nrow; r++) {
		const char **cell = grid_add_row(g, GRID_PLAIN);
		for (size_t i = 0; i < in->ndim; i++)
			cell[i] = view_dim_text(&g->mem, in, &k->row[r], i);
		if (in->ndim && scales_charges(in, &k->row[r].compare))
			cell[0] = arena_printf(&g->mem, "%s *", cell[0]);
		put_numbers(in, l, &k->row[r].compare, cell, &g->mem);
	}
	if (k->nleft) {
		const char **cell = grid_add_row(g, GRID_FAINT);
		cell[0] = arena_printf(&g->mem, "(%zu more)", k->nleft);
		put_numbers(in, l, &k->left.compare, cell, &g->mem);
	}
	put_numbers(in, l, &k->total.compare, grid_add_row(g, GRID_TOTAL), &g->mem);
}

/* The most that fits, names cut to what still tells something. */
static void fill_to_fit(const struct report_in *in, const struct cube_block *k, int width,
			struct grid *g)
{
	struct layout l = { .digits = view_money_digits(k), .percent = true, .parts = true };

	for (int i = 0; i < COMPARE_PARTS; i++) /* a column of nothing says nothing */
		for (size_t r = 0; r < k->nrow + (k->nleft > 0); r++) {
			const struct cube_compare *c = r < k->nrow ? &k->row[r].compare
								   : &k->left.compare;
			l.show[i] |= c->known[i] && c->part[i];
		}
	fill_grid(in, k, &l, g);
	for (int step = 0; step < 3 && width && grid_natural_width(g) > width; step++) {
		if (step == 0) {
			if (l.digits == 2)
				l.digits = 0;
		} else if (step == 1)
			l.percent = false;
		else
			l.parts = false;
		grid_free(g);
		*g = (struct grid){ 0 };
		fill_grid(in, k, &l, g);
	}
}

/* ---- sentences --------------------------------------------------------------------------- */

/* "volume +5,000.00, price -432.11": the parts, largest first. */
static char *parts_words(struct arena *a, const struct cube_compare *c, int digits)
{
	struct cube_compare s = round_compare(c, digits);
	bool done[COMPARE_PARTS] = { 0 };
	struct str t = { 0 };

	for (int n = 0; n < COMPARE_PARTS; n++) {
		int best = -1;
		dec most = 0;
		for (int i = 0; i < COMPARE_PARTS; i++) {
			dec size = dec_size(s.part[i]);
			if (done[i] || !s.known[i] || size <= most)
				continue;
			most = size;
			best = i;
		}
		if (best < 0)
			break;
		done[best] = true;
		str_addf(&t, "%s%s %s", text_if(t.n, ", "), compare_part_name(best),
			 change_text(a, s.part[best], digits));
	}
	char *ret = arena_sv(a, str_sv(&t));
	str_free(&t);
	return ret ? ret : arena_printf(a, "%s", "");
}

/* Where to look next: at what the row that changed most is made of. Jobs are there where
 * somebody is known to have held its time; of a bill alone its machines are, and its services. */
static const char *next_command(struct arena *a, const struct report_in *in,
				const struct cube_row *r)
{
	static const char *const owner[] = {
		"team", "project", "env", "workload", "cluster", "node"
	};
	const char *into = "gpu_model", *parts = "job";
	dec other = dec_size(r->compare.part[COMPARE_OTHER]);

	if (2 * other > dec_size(r->compare.difference))
		parts = "cloud_service";
	else if (cube_held_ms(r) <= 0)
		parts = strcmp(in->dim[0], "node") ? "node" : "purchase";
	for (size_t i = 0; i < sizeof owner / sizeof *owner; i++)
		if (!strcmp(in->dim[0], owner[i]))
			into = parts;
	const char *word = sh_word(a, view_filter_value(a, r->dim[0]));

	if (in->ndim > 1 || sh_line(a, word) != word)
		return "";
	return arena_printf(a, " (%s --by %s --where %s=%s --compare %s)",
			    text_or(in->again, "tare report"), into, in->dim[0], word,
			    in->compare_with);
}

/* What changed most, and why. */
static char *change_words(struct arena *a, const struct report_in *in, const struct cube_block *k)
{
	const struct cube_compare *t = &k->total.compare;
	const struct cube_row *most = NULL;
	int digits = view_money_digits(k);

	if (!t->has_both)
		return arena_printf(a, "No row has a price in both windows.\n");
	for (size_t i = 0; i < k->nrow; i++) {
		dec d = k->row[i].compare.difference, best = 0;
		if (most)
			best = most->compare.difference;
		if (!k->row[i].folded && dec_size(d) > dec_size(best))
			most = &k->row[i];
	}
	if (!most)
		return arena_printf(a, "Nothing has changed.\n");
	dec change = round_compare(t, digits).difference, size = dec_size(change);
	const char *first = "The sum is what it was. ";
	if (change)
		first = arena_printf(a, "%s %s %s (%s): %s. ", change < 0 ? "Down" : "Up",
				     text_money(a, size, digits), k->currency, percent_change(a, t),
				     parts_words(a, t, digits));
	return arena_printf(
		a, "%sThe largest change: %s, %s: %s%s.\n", first, view_row_words(a, in, most),
		change_text(a, round_compare(&most->compare, digits).difference, digits),
		parts_words(a, &most->compare, digits), next_command(a, in, most));
}

/* What the windows cost as they are, where one was scaled: what the bills of the two months say. */
static char *booked_words(struct arena *a, const struct report_in *in, const struct cube_block *k)
{
	const struct compare_windows *w = &in->compare->w;
	struct cube_compare t = k->total.compare;
	int digits = view_money_digits(k);

	if (w->hours[0] == w->hours[1] || !t.has_both)
		return arena_printf(a, "%s", "");
	t.before = t.booked;
	t.difference = t.now - t.booked;
	struct cube_compare s = round_compare(&t, digits);
	dec unit = unit_of(digits), other = div_half_even(t.booked_other, unit) * unit;
	const char *fixed = "";
	if (scales_charges(in, &t))
		fixed = arena_printf(
			a,
			"* with charges that are no GPU time (fees, support, storage), %s %s before: scaled as the rest, though a charge by the month does not grow with its days.\n",
			text_money(a, other, digits), k->currency);
	return arena_printf(
		a, "Not scaled: %s %s in the %lld h before, %s in the %lld h now, %s (%s).\n%s",
		text_money(a, s.before, digits), k->currency, (long long)w->hours[0],
		text_money(a, s.now, digits), (long long)w->hours[1],
		change_text(a, s.difference, digits), percent_change(a, &t), fixed);
}

/* Of a charge for all of a month, say, what falls behind the last record is in no figure here. */
static char *uncovered_words(struct arena *a, const struct report_in *in,
			     const struct cube_block *k)
{
	const struct compare_windows *w = &in->compare->w;
	const struct cube_compare *t = &k->total.compare;
	dec more = k->total.cost - t->now;
	bool covered = w->from_ms[1] <= w->since_ms[1] && w->to_ms[1] >= w->until_ms[1];
	char at[TM_BUF];

	if (covered || t->nleft || dec_size(more) < DEC_ONE / 200)
		return arena_printf(a, "%s", "");
	tm_format(at, w->to_ms[1]);
	return arena_printf(
		a,
		"A further %s %s of the window now is charged for hours that nobody has recorded yet (after %.10s %.5s UTC, as by fees of all of a month): in no figure above.\n",
		text_money(a, more, 2), k->currency, at, at + 11);
}

/* What the figures cannot say: no readings, other readings than before, no price. */
static char *limits_words(struct arena *a, const struct report_in *in, const struct cube_block *k)
{
	const struct cube_compare *t = &k->total.compare;
	double was = text_frac(t->read_ms[0], t->gpu_ms[0]),
	       is = text_frac(t->read_ms[1], t->gpu_ms[1]);
	const char *read = "", *left = "", *unpriced = "";

	bool ran_twice = t->gpu_ms[0] > 0 && t->gpu_ms[1] > 0;
	if (t->has_both && ran_twice && !t->known[COMPARE_EFFICIENCY])
		read = "Without readings in both windows nobody knows how busy the time was: volume is by paid GPU-hours, efficiency is not known.\n";
	else if (was - is > 0.1 || is - was > 0.1)
		read = arena_printf(
			a,
			"Readings cover %s of the GPU time before and %s now: what volume and efficiency say is less sure.\n",
			text_share(a, t->read_ms[0], t->gpu_ms[0]),
			text_share(a, t->read_ms[1], t->gpu_ms[1]));
	if (t->nleft)
		left = arena_printf(
			a,
			t->nleft == 1
				? "%zu row has no price in one of the windows and is not in the sums.\n"
				: "%zu rows have no price in one of the windows and are not in the sums.\n",
			t->nleft);
	if (t->unpriced_ms[0] || t->unpriced_ms[1])
		unpriced = arena_printf(
			a, "Without a price, and in no part: %s GPU·h before, %s now.\n",
			text_gpu_hours(a, t->unpriced_ms[0], view_hour_digits(t->unpriced_ms[0])),
			text_gpu_hours(a, t->unpriced_ms[1], view_hour_digits(t->unpriced_ms[1])));
	const char *uncosted = k->reconcile ? view_uncosted(a, in, k->reconcile) : "";
	return arena_printf(a, "%s%s%s%s", read, left, unpriced, uncosted);
}

struct compare_words compare_words(struct arena *a, const struct report_in *in,
				   const struct cube_block *k)
{
	return (struct compare_words){ format_title(a, in, k), change_words(a, in, k),
				       limits_words(a, in, k) };
}

/* ---- formats ----------------------------------------------------------------------------- */

void compare_table(const struct report_in *in, const struct cube *c, struct str *out)
{
	for (size_t i = 0; i < c->nblock; i++) {
		const struct cube_block *k = &c->block[i];
		struct arena a = { 0 };
		struct grid g = { 0 };
		str_addz(out, text_if(i, "\n"));
		view_fold(out, format_title(&a, in, k), columns_or_80(in->width));
		str_addc(out, '\n');
		if (k->nrow) {
			fill_to_fit(in, k, grid_fits_lines() ? columns_or_80(in->width) : 0, &g);
			grid_table(&g, columns_or_80(in->width), in->colour, out);
			str_addc(out, '\n');
			view_fold(out, change_words(&a, in, k), columns_or_80(in->width));
			view_fold(out, booked_words(&a, in, k), columns_or_80(in->width));
			view_fold(out, uncovered_words(&a, in, k), columns_or_80(in->width));
			view_fold(out, limits_words(&a, in, k), columns_or_80(in->width));
			if (in->exchanged_to)
				view_fold(out, view_reconcile(&a, in, k), columns_or_80(in->width));
		} else {
			str_addz(out, "Nothing in the ledger here.\n");
		}
		grid_free(&g);
		arena_free(&a);
	}
}

void compare_md(const struct report_in *in, const struct cube *c, struct str *out)
{
	for (size_t i = 0; i < c->nblock; i++) {
		const struct cube_block *k = &c->block[i];
		struct arena a = { 0 };
		struct grid g = { 0 };
		str_addz(out, text_if(i, "\n"));
		md_text(out, format_title(&a, in, k));
		str_addz(out, "\n\n");
		fill_to_fit(in, k, 0, &g);
		grid_md(&g, out);
		str_addc(out, '\n');
		md_text(out, change_words(&a, in, k));
		md_text(out, booked_words(&a, in, k));
		md_text(out, uncovered_words(&a, in, k));
		md_text(out, limits_words(&a, in, k));
		grid_free(&g);
		arena_free(&a);
	}
}

void compare_csv(const struct report_in *in, const struct cube *c, struct str *out)
{
	csv_heads(in, out);
	str_addz(out, "currency,");
	cols_csv_head(compare_cols, out);
	csv_end_head(in, out);
	for (size_t b = 0; b < c->nblock; b++)
		for (size_t r = 0; r < c->block[b].nrow; r++) {
			const struct cube_row *row = &c->block[b].row[r];
			csv_dims(in, row, out);
			text_csv(out, sv_of(row->currency));
			str_addc(out, ',');
			cols_csv_row(compare_cols, &row->compare, out);
			csv_end(in, row, out);
		}
}
