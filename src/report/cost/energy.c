#include "report/cost/energy.h"

#include <math.h>

#include "base/num.h"
#include "base/str.h"
#include "model/known.h"
#include "report/cost/cube.h"
#include "report/grid.h"
#include "report/text.h"

struct dim_cell {
	const char *name, *value;
};
struct row {
	const struct dim_cell *dim;
	size_t ndim;
	int64_t gpu_ms, cost_nano, unpriced_ms; /* cost UNKNOWN_I64: none of it has a price */
	double kwh, co2_kg, measured_frac, estimated_frac, placed_frac;
};
struct doc {
	int64_t since_ms, until_ms;
	const char *currency;
	double pue;
	const struct row *row;
	size_t nrow;
	struct row total;
	const struct energy_other *other;
	size_t nother;
};

static const struct col dim_cols[] = {
	{ "name", COL_TEXT, offsetof(struct dim_cell, name), .help = "of the dimension" },
	{ "value", COL_WORD, offsetof(struct dim_cell, value), .help = "null: none" },
	{ 0 },
};
/* of a row and of all */
/* clang-format off */
#define SUMS \
	{ "gpu_seconds", COL_SECONDS, offsetof(struct row, gpu_ms), "s", "paid GPU time" }, \
	{ "cost", COL_NANO, offsetof(struct row, cost_nano), "money", \
	  "effective, of the GPU time that has a price; null: none has" }, \
	{ "kwh", COL_NUM, offsetof(struct row, kwh), "kWh", \
	  "of the GPUs, times pue; null: nothing is known", .digits = 3 }, \
	{ "co2_kg", COL_NUM, offsetof(struct row, co2_kg), "kg", \
	  "CO2e of the kWh whose region has a figure; null: none has", .digits = 3 }, \
	{ "measured_frac", COL_NUM, offsetof(struct row, measured_frac), .digits = 4, \
	  .help = "of the GPU time, with a power reading" }, \
	{ "estimated_frac", COL_NUM, offsetof(struct row, estimated_frac), .digits = 4, \
	  .help = "of the GPU time, at its own mean power or the GPU's TDP; the rest is unknown " \
		  "and in no sum" }, \
	{ "placed_frac", COL_NUM, offsetof(struct row, placed_frac), .digits = 4, \
	  .help = "of the kWh, in a region whose weight of a kWh is known" }, \
	{ "unpriced_gpu_seconds", COL_SECONDS, offsetof(struct row, unpriced_ms), "s", \
	  "GPU time without a price" }
/* clang-format on */
static const struct col row_cols[] = {
	{ "dims", COL_PAIRS(struct row, dim, ndim, dim_cols), .help = "what the row is by" },
	SUMS,
	{ 0 },
};
static const struct col total_cols[] = { SUMS, { 0 } };
static const struct col window_cols[] = {
	{ "since", COL_TIME, offsetof(struct doc, since_ms), .help = "of the data" },
	{ "until", COL_TIME, offsetof(struct doc, until_ms), .help = "of the data" },
	{ 0 },
};
static const struct col other_cols[] = {
	{ "currency", COL_TEXT, offsetof(struct energy_other, currency), .always = true,
	  .help = "in which it is charged" },
	{ "gpu_seconds", COL_SECONDS, offsetof(struct energy_other, gpu_ms), "s", "paid GPU time",
	  .always = true },
	{ "cost", COL_DEC, offsetof(struct energy_other, cost), .unit = "money",
	  .help = "effective, in that currency" },
	{ 0 },
};
static const struct col cols[] = {
	{ "window", COL_ROW, 0, .sub = window_cols, .help = "what is shown" },
	{ "currency", COL_TEXT, offsetof(struct doc, currency), .help = "of the amounts" },
	{ "pue", COL_NUM, offsetof(struct doc, pue), .digits = 4,
	  .help = "energy of the site by that of the GPUs, as the settings have it" },
	{ "rows", COL_LIST(struct doc, row, nrow, row_cols), .help = "most energy first" },
	{ "total", COL_ROW, offsetof(struct doc, total), .sub = total_cols, .help = "of all rows" },
	{ "left_out", COL_LIST(struct doc, other, nother, other_cols),
	  .help = "charged in other currencies without an exchange rate: in no row" },
	{ 0 },
};
const struct col_doc energy_doc = { "tare.report-energy/1", "report",
				    "energy and carbon beside dollars (--energy)", cols };

static struct row row_of(const struct energy_row *r)
{
	const struct energy_sum *s = &r->sum;
	int64_t ms = (int64_t)llround(s->ms);
	bool priced = cost_is_known(r->cost_nano, ms, r->unpriced_ms);

	return (struct row){
		.gpu_ms = ms,
		.cost_nano = i64_if(priced, r->cost_nano),
		.unpriced_ms = r->unpriced_ms,
		.kwh = energy_kwh(s),
		.co2_kg = energy_co2_kg(s),
		.measured_frac = part_of(s->measured_ms, s->ms),
		.estimated_frac = part_of(s->estimated_ms, s->ms),
		.placed_frac = part_of(s->placed_kwh, s->measured_kwh + s->estimated_kwh),
	};
}

/* "120 kWh", "-" */
static const char *energy_text(struct arena *mem, double v, const char *unit)
{
	if (isnan(v))
		return "-";
	return arena_printf(mem, "%s%s%s",
			    text_money(mem, dec_from_double(v), fabs(v) < 100 ? 2 : 0),
			    text_if(*unit, " "), unit);
}

const char *energy_saved_text(struct arena *mem, const struct energy_saved *e)
{
	const char *co2 = isnan(e->co2_kg)
				  ? ""
				  : arena_printf(mem, " and %s",
						 energy_text(mem, fabs(e->co2_kg), "kgCO2e"));
	const char *of = e->known_frac > 0.995
				 ? ""
				 : arena_printf(mem,
						", known of %.0f %% of the GPU time that changes",
						e->known_frac * 100);

	return arena_printf(mem, "%s%s a month %s (the GPUs%s)",
			    energy_text(mem, fabs(e->kwh), "kWh"), co2,
			    e->kwh < 0 ? "more" : "less", of);
}

static const char *format_share(struct arena *mem, double part_frac)
{
	return text_or_dash(!isnan(part_frac), arena_printf(mem, "%.0f %%", part_frac * 100));
}

static void fill_row(struct grid *g, const struct energy_row *r, const char *const *dim,
		     size_t ndim, enum grid_style style)
{
	const char **cell = grid_add_row(g, style);
	struct row x = row_of(r);

	for (size_t k = 0; k < ndim; k++)
		cell[k] = text_line(&g->mem, sv_of(filled_or(dim[k], "-")), 0);
	cell[ndim] = text_gpu_hours(&g->mem, x.gpu_ms, 1);
	bool priced = x.cost_nano != UNKNOWN_I64;
	dec cost = nano_to_dec(known_i64_or(x.cost_nano, 0));
	cell[ndim + 1] = text_or_dash(priced, text_money(&g->mem, cost, 2));
	cell[ndim + 2] = energy_text(&g->mem, x.kwh, "");
	cell[ndim + 3] = energy_text(&g->mem, x.co2_kg, "");
	cell[ndim + 4] = format_share(&g->mem, x.measured_frac);
	cell[ndim + 5] = format_share(&g->mem, x.estimated_frac);
}

static void print_grid(const struct energy_answer *a, const char *const *name, size_t ndim,
		       size_t n, struct grid *g)
{
	const char *const head[] = {
		"GPU-h", a->currency, "kWh", "kgCO2e", "measured", "estimated"
	};
	static const int worth[] = { 3, 4, GRID_ALWAYS, 5, 2, 1 };
	struct energy_row rest = { 0 };
	const char *words[REPORT_DIMS_MAX];

	for (size_t k = 0; k < ndim; k++)
		grid_add_name(g, name[k]);
	for (int i = 0; i < 6; i++)
		grid_add_figure(g, head[i], worth[i]);
	for (size_t i = 0; i < n; i++)
		fill_row(g, &a->row[i], a->row[i].dim, ndim, GRID_PLAIN);
	for (size_t i = n; i < a->nrow; i++) {
		const struct energy_row *r = &a->row[i];
		struct energy_sum *s = &rest.sum;

		rest.cost_nano += r->cost_nano;
		rest.unpriced_ms += r->unpriced_ms;
		s->ms += r->sum.ms;
		s->measured_ms += r->sum.measured_ms;
		s->estimated_ms += r->sum.estimated_ms;
		s->measured_kwh += r->sum.measured_kwh;
		s->estimated_kwh += r->sum.estimated_kwh;
		s->placed_kwh += r->sum.placed_kwh;
		s->co2_kg += r->sum.co2_kg;
	}
	for (size_t k = 0; k < ndim; k++)
		words[k] = "";
	if (n < a->nrow) {
		words[0] = arena_printf(&g->mem, "%zu more", a->nrow - n);
		fill_row(g, &rest, words, ndim, GRID_FAINT);
	}
	words[0] = "total";
	fill_row(g, &a->total, words, ndim, GRID_TOTAL);
}

void energy_print(const struct energy_answer *a, const char *const *name, size_t ndim, size_t limit,
		  const struct out_as *as, struct str *out)
{
	size_t n = grid_limit(limit, a->nrow);
	struct grid g = { 0 };

	if (as->format == OUT_JSON) {
		struct row *row = arena_zalloc(&g.mem, (n + 1) * sizeof *row);

		for (size_t i = 0; i < n; i++) {
			struct dim_cell *d = arena_zalloc(&g.mem, (ndim + 1) * sizeof *d);
			for (size_t k = 0; k < ndim; k++)
				d[k] = (struct dim_cell){ name[k], a->row[i].dim[k] };
			row[i] = row_of(&a->row[i]);
			row[i].dim = d;
			row[i].ndim = ndim;
		}
		const struct doc doc = { a->since_ms, a->until_ms,       a->currency, a->pue,   row,
					 n,           row_of(&a->total), a->other,    a->nother };
		cols_doc(&energy_doc, &doc, out);
		grid_free(&g);
		return;
	}
	if (as->format == OUT_CSV) {
		for (size_t k = 0; k < ndim; k++)
			str_addf(out, "%s,", name[k]);
		cols_csv_head(total_cols, out);
		for (size_t i = 0; i < n; i++) {
			struct row r = row_of(&a->row[i]);
			for (size_t k = 0; k < ndim; k++) {
				text_csv(out, sv_of(a->row[i].dim[k]));
				str_addc(out, ',');
			}
			cols_csv_row(total_cols, &r, out);
		}
		return;
	}
	print_grid(a, name, ndim, n, &g);
	if (as->format == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, as->width, as->colour, out);
	if (as->format == OUT_TABLE) {
		/* What the figures are of, below the table. */
		struct arena *mem = &g.mem;
		struct row t = row_of(&a->total);

		str_addf(
			out,
			"\nOf the GPUs alone, x PUE %g (setting energy.pue). %s of the GPU time has a power reading; %s is estimated at\n"
			"its own mean power or the GPU's TDP, which is high; the rest is unknown and in no sum.\n",
			a->pue, format_share(mem, t.measured_frac),
			format_share(mem, t.estimated_frac));
		if (t.unpriced_ms)
			str_addf(out, "%s GPU-h have no price and are in no amount.\n",
				 text_gpu_hours(mem, t.unpriced_ms, 1));
		for (size_t i = 0; i < a->nother; i++)
			str_addf(
				out,
				"Left out: %s GPU-h that are charged in %s (%s), as no exchange rate to %s is known of their days: tare import --as rates.\n",
				text_gpu_hours(mem, a->other[i].gpu_ms, 1), a->other[i].currency,
				text_money(mem, a->other[i].cost, 2), a->currency);
		if (isnan(t.co2_kg))
			str_addz(
				out,
				"No region has a known weight of a kWh: say it in the settings (energy.carbon).\n");
		else
			str_addf(
				out,
				"CO2e: %s of the kWh, by the mean of the region's country and year (Ember), or energy.carbon of the settings.\n",
				format_share(mem, t.placed_frac));
	}
	grid_free(&g);
}
