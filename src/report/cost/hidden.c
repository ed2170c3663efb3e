#include "report/cost/hidden.h"

#include <errno.h>
#include <math.h>

#include "base/str.h"
#include "report/cost/cube.h"
#include "report/formats.h"
#include "report/text.h"
#include "report/cost/view.h"

/* ---- values ------------------------------------------------------------------------------- */

/* Some of its own GPU time has no price: what it costs is not known. */
static bool compute_known(const struct cube_row *r)
{
	return r->has_cost && r->gpu.unpriced_ms == 0;
}

static double row_multiplier(const struct cube_row *r)
{
	dec compute = r->kind[KIND_GPU];

	if (compute_known(r) && compute > 0)
		return dec_to_double(r->cost) / dec_to_double(compute);
	return NAN;
}

/* ---- JSON, CSV ---------------------------------------------------------------------------- */

struct dim_row {
	const char *name, *value; /* NULL: not known */
};
struct hidden_row {
	struct cube_row r;
	const struct dim_row *dim;
	size_t ndim;
};

static bool get_compute(const void *row, union col_value *ret)
{
	const struct hidden_row *h = row;

	ret->money = h->r.kind[KIND_GPU];
	return compute_known(&h->r);
}

static bool get_total(const void *row, union col_value *ret)
{
	const struct hidden_row *h = row;

	ret->money = h->r.cost;
	return h->r.has_cost;
}

static bool get_multiplier(const void *row, union col_value *ret)
{
	ret->x = row_multiplier(&((const struct hidden_row *)row)->r);
	return isfinite(ret->x);
}

#define KIND_COL(key, k, words)                                                                 \
	{                                                                                       \
		key, COL_DEC, offsetof(struct hidden_row, r.kind) + (k) * sizeof(dec), "money", \
			words, 0                                                                \
	}
static const struct col dim_cols[] = {
	{ "dimension", COL_TEXT, offsetof(struct dim_row, name), NULL, "its name", 0 },
	{ "value", COL_TEXT, offsetof(struct dim_row, value), NULL,
	  "one key for each dimension of --by, as team or tag:app; null: not known", 0 },
	{ 0 },
};
#define SUM_COLS                                                                                 \
	{ "currency", COL_TEXT, offsetof(struct hidden_row, r.currency), .always = true,         \
	  .help = "of the amounts" },                                                            \
		{ "compute_cost", COL_DEC, .get = get_compute, .unit = "money",                  \
		  .help = "its own GPU time; null: some of it has no price" },                   \
		KIND_COL("storage_cost", KIND_STORAGE, "storage"),                               \
		KIND_COL("egress_cost", KIND_EGRESS, "data that leaves"),                        \
		KIND_COL("cross_zone_cost", KIND_CROSS_ZONE, "data between zones"),              \
		KIND_COL("network_cost", KIND_NETWORK, "network between machines"),              \
		KIND_COL("licence_cost", KIND_LICENCE, "licences"),                              \
		KIND_COL("energy_cost", KIND_ENERGY, "energy of hardware of one's own"),         \
		KIND_COL("commitment_unused_cost", KIND_COMMITMENT_UNUSED,                       \
			 "commitments paid for and not used"),                                   \
		KIND_COL("other_cost", KIND_OTHER, "other lines of the bill"),                   \
		{ "idle_share_cost",                                                             \
		  COL_DEC,                                                                       \
		  offsetof(struct hidden_row, r.idle),                                           \
		  "money",                                                                       \
		  "its share of idle GPUs, with --split-idle",                                   \
		  0 },                                                                           \
		{ "cost", COL_DEC, .get = get_total, .unit = "money", .help = "all of it" },     \
	{                                                                                        \
		"multiplier", COL_NUM,                                                           \
			.get = get_multiplier, .digits = 4,                                      \
			.help = "cost / compute_cost; null: no compute, or some without a price" \
	}
static const struct col row_cols[] = {
	{ "dimensions", COL_PAIRS(struct hidden_row, dim, ndim, dim_cols), .here = true,
	  .json_only = true },
	SUM_COLS,
	{ 0 },
};
static const struct col total_cols[] = { SUM_COLS, { 0 } };

struct hidden_json {
	struct report_window window;
	const char *basis, *split;
	VEC(struct hidden_row) row;
	VEC(struct hidden_row) total;
};
static const struct col doc_cols[] = {
	{ "window", COL_ROW, offsetof(struct hidden_json, window), .sub = report_window_cols,
	  .help = "as asked; where open, the ledger's ends" },
	{ "basis", COL_TEXT, offsetof(struct hidden_json, basis), NULL,
	  "how amounts are counted: effective, billed ...", .always = true },
	{ "split_idle", COL_TEXT, offsetof(struct hidden_json, split), NULL,
	  "how idle cost is shared", .always = true },
	{ "rows", COL_LIST(struct hidden_json, row.v, row.n, row_cols),
	  .help = "by the dimensions asked for" },
	{ "totals", COL_LIST(struct hidden_json, total.v, total.n, total_cols),
	  .help = "by currency" },
	{ 0 },
};
const struct col_doc hidden_doc = { "tare.hidden/1", "report --hidden",
				    "what is paid beside the GPUs", doc_cols, NULL };

static struct hidden_row row_of(const struct report_in *in, const struct cube_row *r,
				struct arena *mem)
{
	struct dim_row *dim = arena_zalloc(mem, (in->ndim + 1) * sizeof *dim);
	for (size_t i = 0; i < in->ndim; i++) {
		const char *v = r->is_rest && !i ? "(unallocated)" : r->dim[i];
		dim[i] = (struct dim_row){ in->dim[i], filled_or(v, NULL) };
	}
	return (struct hidden_row){ *r, dim, in->ndim };
}

/* ---- table, Markdown ---------------------------------------------------------------------- */

struct layout {
	enum kind kind[KIND_N];
	size_t nkind;
	bool idle;
	int money;
};

static void put_row(const struct cube_row *r, const struct layout *l, const char **c,
		    struct arena *a)
{
	double m = row_multiplier(r);

	for (size_t i = 0; i < l->nkind; i++) {
		bool known = l->kind[i] != KIND_GPU || compute_known(r);
		*c++ = text_or_dash(known, text_money(a, r->kind[l->kind[i]], l->money));
	}
	if (l->idle)
		*c++ = text_money(a, r->idle, l->money);
	*c++ = text_or_dash(r->has_cost, text_money(a, r->cost, l->money));
	*c = text_or_dash(isfinite(m), arena_printf(a, "%.2f x", m));
}

static void print_block(const struct report_in *in, const struct cube_block *k, bool md,
			struct str *out)
{
	struct arena a = { 0 };
	struct grid g = { 0 };
	struct layout l = { .idle = in->split != SPLIT_NONE, .money = view_money_digits(k) };
	int width = md ? 100000 : columns_or_80(in->width);
	const char **c;

	/* Columns that some row of the block has, in the order of enum kind. */
	for (int i = 0; i < KIND_N; i++) {
		bool any = i == KIND_GPU || k->left.kind[i];
		for (size_t r = 0; r < k->nrow && !any; r++)
			any = k->row[r].kind[i] != 0;
		if (any)
			l.kind[l.nkind++] = (enum kind)i;
	}
	for (size_t i = 0; i < in->ndim; i++)
		grid_add_name(&g, in->dim[i]);
	for (size_t i = 0; i < l.nkind; i++) {
		if (l.kind[i] == KIND_GPU)
			grid_add_figure(&g, "compute", 3);
		else
			grid_add_figure(&g, kind_name(l.kind[i]), 0);
	}
	if (l.idle)
		grid_add_figure(&g, "idle share", 1);
	grid_add_figure(&g, "total", GRID_ALWAYS);
	grid_add_figure(&g, "of compute", 2);
	for (size_t i = 0; i < k->nrow; i++) {
		c = grid_add_row(&g, GRID_PLAIN);
		for (size_t j = 0; j < in->ndim; j++) {
			if (k->row[i].is_rest)
				c[j] = text_if(!j, "(unallocated)");
			else
				c[j] = text_line(
					&g.mem, sv_of(cube_label(in->dim[j], k->row[i].dim[j])), 0);
		}
		put_row(&k->row[i], &l, c + in->ndim, &g.mem);
	}
	if (k->nleft) {
		c = grid_add_row(&g, GRID_FAINT);
		c[0] = arena_printf(&g.mem, "(%zu more)", k->nleft);
		put_row(&k->left, &l, c + in->ndim, &g.mem);
	}
	c = grid_add_row(&g, GRID_TOTAL);
	put_row(&k->total, &l, c + in->ndim, &g.mem);
	view_fold(out, view_title(&a, in, k), width);
	str_addc(out, '\n');
	if (md)
		grid_md(&g, out);
	else
		grid_table(&g, width, in->colour, out);
	str_addc(out, '\n');

	const struct cube_row *r = &k->total;
	bool any = r->idle || r->shared;

	for (int i = 0; i < KIND_N; i++)
		any |= i != KIND_GPU && r->kind[i];
	view_fold(
		out,
		any ? "of compute: the total over the cost of the row's own GPU time. '-': no GPU time, or some without a price."
		    : "Nothing but GPU time is known here: storage, transfer, licences come with a whole bill (tare import bill.csv), energy with settings (owned).",
		width);
	if (k->reconcile)
		view_fold(out, view_uncosted(&a, in, k->reconcile), width);
	grid_free(&g);
	arena_free(&a);
}

int hidden_print(const struct report_in *in, enum out_format f, struct str *out, struct err *err)
{
	struct arena mem = { 0 };
	struct cube c;
	int r;

	if (f == OUT_HTML || f == OUT_XLSX)
		return err_set(err, -EINVAL, "--hidden is a table, json, csv or md");
	r = cube_build(in, false, &c, err);
	if (r < 0)
		return r;
	if (f == OUT_JSON) {
		struct hidden_json doc = { .window = { in->since_ms, in->until_ms },
					   .basis = basis_name(in->basis),
					   .split = idle_split_name(in->split) };

		for (size_t b = 0; b < c.nblock; b++) {
			for (size_t i = 0; i < c.block[b].nrow; i++)
				*vec_push(&doc.row) = row_of(in, &c.block[b].row[i], &mem);
			*vec_push(&doc.total) = (struct hidden_row){ .r = c.block[b].total };
		}
		cols_doc(&hidden_doc, &doc, out);
		vec_free(&doc.row);
		vec_free(&doc.total);
	} else if (f == OUT_CSV) {
		csv_heads(in, out);
		cols_csv_head(row_cols, out);
		csv_end_head(in, out);
		for (size_t b = 0; b < c.nblock; b++)
			for (size_t i = 0; i < c.block[b].nrow; i++) {
				const struct cube_row *row = &c.block[b].row[i];
				struct hidden_row h = row_of(in, row, &mem);
				csv_dims(in, row, out);
				cols_csv_row(row_cols, &h, out);
				csv_end(in, row, out);
			}
	} else
		for (size_t i = 0; i < c.nblock; i++) {
			str_addz(out, text_if(i, "\n"));
			print_block(in, &c.block[i], f == OUT_MD, out);
		}
	arena_free(&mem);
	cube_free(&c);
	return 0;
}
