/* A report as a workbook: a sheet for each currency with the columns of the CSV, and one that says
 * what it is of. */
#include "base/tm.h"
#include "report/formats.h"
#include "report/text.h"
#include "report/view.h"
#include "report/xlsx.h"

/* Beside the dimensions; then seconds and cost of each state. */
static const struct xlsx_col fixed[] = {
	{ "gpu_hours", XLSX_HOURS },
	{ "gpu_seconds", XLSX_SECONDS },
	{ "cost", XLSX_MONEY },
	{ "direct_cost", XLSX_MONEY },
	{ "idle_share_cost", XLSX_MONEY },
	{ "other_cost", XLSX_MONEY },
	{ "waste_cost", XLSX_MONEY },
	{ "unpriced_gpu_seconds", XLSX_SECONDS },
	{ "measured_gpu_seconds", XLSX_SECONDS },
};
#define FIXED  (sizeof fixed / sizeof *fixed)
#define STATES ((size_t)(STATE_N - STATE_NONE - 1))

static enum xlsx_type dim_type(const char *dim)
{
	if (!strcmp(dim, "day"))
		return XLSX_DAY;
	return strcmp(dim, "hour") ? XLSX_TEXT : XLSX_TIME;
}

static const struct xlsx_col *columns(struct arena *a, const struct report_in *in, size_t *ret_n)
{
	size_t n = 0;
	struct xlsx_col *c = arena_alloc(a, (in->ndim + FIXED + 2 * STATES) * sizeof *c);

	for (size_t i = 0; i < in->ndim; i++)
		c[n++] = (struct xlsx_col){ in->dim[i], dim_type(in->dim[i]) };
	for (size_t i = 0; i < FIXED; i++)
		c[n++] = fixed[i];
	for (int s = STATE_NONE + 1; s < STATE_N; s++) {
		c[n++] = (struct xlsx_col){ arena_printf(a, "%s_gpu_seconds", state_name(s)),
					    XLSX_SECONDS };
		c[n++] = (struct xlsx_col){ arena_printf(a, "%s_cost", state_name(s)), XLSX_MONEY };
	}
	*ret_n = n;
	return c;
}

static struct xlsx_cell money_cell(bool known, dec v)
{
	return (struct xlsx_cell){ .money = v, .known = known };
}

static struct xlsx_cell time_cell(int64_t ms)
{
	return (struct xlsx_cell){ .n = ms, .known = true };
}

static struct xlsx_cell text_cell(const char *text)
{
	return (struct xlsx_cell){ .text = text, .known = *text != 0 };
}

static void put_row(const struct report_in *in, const struct cube_row *r, const char *name,
		    struct xlsx_cell *c)
{
	for (size_t i = 0; i < in->ndim; i++)
		*c++ = text_cell(name ? (i ? "" : name) : r->dim[i]);
	*c++ = time_cell(r->gpu.ms);
	*c++ = time_cell(r->gpu.ms);
	*c++ = money_cell(r->has_cost, r->cost);
	*c++ = money_cell(r->has_cost, r->direct);
	*c++ = money_cell(r->has_cost, r->idle);
	*c++ = money_cell(true, r->state[STATE_NONE].cost);
	*c++ = money_cell(r->has_cost, r->waste);
	*c++ = time_cell(r->gpu.unpriced_ms);
	*c++ = time_cell(r->gpu.measured_ms);
	for (int s = STATE_NONE + 1; s < STATE_N; s++) {
		const struct cube_sum *x = &r->state[s];
		*c++ = time_cell(x->ms);
		*c++ = money_cell(x->cost || x->unpriced_ms < x->ms || !x->ms, x->cost);
	}
}

static struct xlsx_sheet sheet_of(struct arena *a, const struct report_in *in,
				  const struct cube_block *k)
{
	struct xlsx_sheet s = { .name = k->currency, .sums = true };
	size_t n = k->nrow + (k->nleft > 0);

	s.col = columns(a, in, &s.ncol);
	struct xlsx_cell *cell = arena_zalloc(a, (n * s.ncol + 1) * sizeof *cell);
	for (size_t i = 0; i < k->nrow; i++)
		put_row(in, &k->row[i], k->row[i].is_rest ? "(unallocated)" : NULL,
			cell + i * s.ncol);
	if (k->nleft)
		put_row(in, &k->left, arena_printf(a, "(%zu more)", k->nleft),
			cell + k->nrow * s.ncol);
	s.cell = cell;
	s.nrow = n;
	return s;
}

/* Sentences in one cell: an end of a line is a blank there. */
static const char *one_line(char *text)
{
	for (char *p = text; *p; p++)
		if (*p == '\n')
			*p = p[1] ? ' ' : 0;
	return text;
}

int report_xlsx(const struct report_in *in, struct str *out, struct err *err)
{
	struct arena a = { 0 };
	struct cube c;
	int r = cube_build(in, false, &c, err);

	if (r < 0)
		return r;
	struct xlsx_sheet *sheet = arena_alloc(&a, (c.nblock + 1) * sizeof *sheet);
	struct xlsx_note *note = arena_alloc(&a, (2 * c.nblock + 3) * sizeof *note);
	size_t n = 0;
	for (size_t i = 0; i < c.nblock; i++) {
		sheet[i] = sheet_of(&a, in, &c.block[i]);
		note[n++] = (struct xlsx_note){ c.block[i].currency,
						view_title(&a, in, &c.block[i]) };
		note[n++] = (struct xlsx_note){ "", one_line(view_reconcile(&a, in, &c.block[i])) };
	}
	note[n++] = (struct xlsx_note){
		"numbers",
		"An amount is a number where its decimal has at most 15 digits, which spreadsheets keep; where one has more, the column 'exact' behind it has its text. Empty is unknown, not zero."
	};
	note[n++] = (struct xlsx_note){ "made by", "tare " TARE_VERSION };
	r = xlsx_write(sheet, c.nblock, note, n, in->now_ms, out, err);
	cube_free(&c);
	arena_free(&a);
	return r;
}
