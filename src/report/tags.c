#include "report/tags.h"
#include "base/num.h"
#include "base/sort.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "report/cost/cube.h"
#include "report/grid.h"
#include "report/text.h"
#include "report/cost/view.h"

struct owner_cost {
	const char *const *dim; /* tag, team, user, node */
	dec cost;
	int64_t ms;
};
struct coverage { /* of one tag in one currency */
	const char *currency;
	dec with, without;
	int64_t with_ms, without_ms;
	VEC(struct owner_cost) owner; /* without the tag, largest first */
};
typedef VEC(struct coverage) coverages;

static struct coverage *coverage_of(coverages *v, const char *currency)
{
	for (size_t i = 0; i < v->n; i++)
		if (!strcmp(v->v[i].currency, currency))
			return &v->v[i];
	struct coverage *c = vec_push(v);
	*c = (struct coverage){ .currency = currency };
	return c;
}

static int cmp_owner(const void *a, const void *b)
{
	const struct owner_cost *x = a, *y = b;
	int d = cmp_dec(y->cost, x->cost);

	if (!d)
		d = cmp_i64(y->ms, x->ms);
	for (int i = 1; i < 4 && !d; i++)
		d = strcmp(x->dim[i], y->dim[i]);
	return d;
}

/* The dimensions of the cells are tag, team, user, node, whatever the tag is called. */
static void coverage_build(const struct tags_in *in, const struct tags_one *t, coverages *ret,
			   struct cube *cube)
{
	static const char *const dims[] = { "tag", "team", "user", "node" };
	struct report_in r = {
		.dim = dims, .ndim = 4, .cell = t->cell, .ncell = t->ncell, .conf = in->conf
	};

	if (cube_build(&r, false, cube, NULL) < 0)
		return; /* cannot be: no split is asked */
	for (size_t i = 0; i < cube->nrow; i++) {
		const struct cube_row *row = &cube->row[i];
		struct coverage *c = coverage_of(ret, row->currency);
		if (*row->dim[0]) {
			c->with += row->cost;
			c->with_ms += row->gpu.ms;
		} else {
			c->without += row->cost;
			c->without_ms += row->gpu.ms;
			*vec_push(&c->owner) = (struct owner_cost){ row->dim, row->cost,
								    row->gpu.ms };
		}
	}
	for (size_t i = 0; i < ret->n; i++)
		if (ret->v[i].owner.n)
			sort_items(ret->v[i].owner.v, ret->v[i].owner.n, sizeof *ret->v[i].owner.v,
				   cmp_owner);
}

static void coverage_free(coverages *v, struct cube *cube)
{
	for (size_t i = 0; i < v->n; i++)
		vec_free(&v->v[i].owner);
	vec_free(v);
	cube_free(cube);
}

static size_t named(const struct tags_in *in, const struct coverage *c)
{
	size_t n = 3;

	if (in->limit)
		n = in->limit;
	return min_size(c->owner.n, n);
}

/* What the share is of; 0 = none can be given: credits make a part negative. */
static dec share_base(const struct coverage *c)
{
	if (c->with < 0 || c->without < 0)
		return 0;
	return c->with + c->without;
}

static void rows(const struct tags_in *in, const struct tags_one *t, struct grid *g)
{
	coverages v = { 0 };
	struct cube cube = { 0 };
	struct arena *a = &g->mem;

	coverage_build(in, t, &v, &cube);
	for (size_t i = 0; i < v.n; i++) {
		const struct coverage *c = &v.v[i];
		const char **cell = grid_add_row(g, GRID_PLAIN);
		cell[0] = text_line(a, sv_of(t->name), 0);
		cell[1] = arena_sv(a, sv_of(c->currency));
		cell[2] = text_share(a, c->with, share_base(c));
		cell[3] = text_money(a, c->without, 2);
		cell[4] = text_gpu_hours(a, c->without_ms,
					 view_hour_digits(c->with_ms + c->without_ms));
		for (size_t k = 0; k < named(in, c); k++) {
			if (k)
				cell = grid_add_row(g, GRID_PLAIN);

			/* The most telling of what is known of an owner. */
			const struct owner_cost *o = &c->owner.v[k];
			const char *last = filled_or(o->dim[3], "(nobody)");
			const char *who = filled_or(o->dim[1], filled_or(o->dim[2], last));

			if (*o->dim[1] && *o->dim[2])
				who = arena_printf(a, "%s/%s", o->dim[1], o->dim[2]);
			cell[5] = text_line(a, sv_of(who), 0);

			cell[6] = text_money(a, c->owner.v[k].cost, 2);
		}
	}
	coverage_free(&v, &cube);
}

struct tag_row { /* of one tag in one currency */
	const char *tag;
	const struct coverage *c;
	const struct owner_cost *owner;
	size_t nowner;
};
struct tags_doc {
	const struct tags_in *in;
	const struct tag_row *row;
	size_t nrow;
};

static bool dim_text(const char *dim, union col_value *ret)
{
	ret->text = dim;
	return *dim != 0;
}

static bool get_team(const void *row, union col_value *ret)
{
	return dim_text(((const struct owner_cost *)row)->dim[1], ret);
}

static bool get_user(const void *row, union col_value *ret)
{
	return dim_text(((const struct owner_cost *)row)->dim[2], ret);
}

static bool get_node(const void *row, union col_value *ret)
{
	return dim_text(((const struct owner_cost *)row)->dim[3], ret);
}

static bool get_currency(const void *row, union col_value *ret)
{
	ret->text = ((const struct tag_row *)row)->c->currency;
	return true;
}

static bool get_with(const void *row, union col_value *ret)
{
	ret->money = ((const struct tag_row *)row)->c->with;
	return true;
}

static bool get_without(const void *row, union col_value *ret)
{
	ret->money = ((const struct tag_row *)row)->c->without;
	return true;
}

static bool get_with_frac(const void *row, union col_value *ret)
{
	const struct coverage *c = ((const struct tag_row *)row)->c;

	ret->x = text_frac(c->with, share_base(c));
	return isfinite(ret->x);
}

static bool get_with_ms(const void *row, union col_value *ret)
{
	ret->n = ((const struct tag_row *)row)->c->with_ms;
	return true;
}

static bool get_without_ms(const void *row, union col_value *ret)
{
	ret->n = ((const struct tag_row *)row)->c->without_ms;
	return true;
}

static bool get_basis(const void *doc, union col_value *ret)
{
	ret->text = basis_name(((const struct tags_doc *)doc)->in->basis);
	return true;
}

static bool get_configured(const void *doc, union col_value *ret)
{
	ret->yes = ((const struct tags_doc *)doc)->in->of.configured;
	return true;
}

static const struct col owner_cols[] = {
	{ "team", COL_TEXT, .get = get_team, .help = "null: no team is known" },
	{ "user", COL_TEXT, .get = get_user, .help = "null: no user is known" },
	{ "node", COL_TEXT, .get = get_node, .help = "null: no node is known" },
	{ "cost", COL_DEC, offsetof(struct owner_cost, cost), "money",
	  "its cost that lacks the tag", 0 },
	{ 0 },
};
#define TAG_COLS                                                                              \
	{                                                                                     \
		"tag",                                                                        \
		COL_TEXT,                                                                     \
		offsetof(struct tag_row, tag),                                                \
		NULL,                                                                         \
		"the required tag, or team",                                                  \
		.always = true                                                                \
	},                                                                                    \
		{ "currency", COL_TEXT, .get = get_currency, .always = true,                  \
		  .help = "of the amounts in this row" },                                     \
		{ "cost_with",     COL_DEC,        .get = get_with,                           \
		  .unit = "money", .always = true, .help = "cost of what has the tag" },      \
	{                                                                                     \
		"cost_without", COL_DEC, .get = get_without, .unit = "money", .always = true, \
					 .help = "cost of what lacks it"                      \
	}
static const struct col tag_cols[] = {
	TAG_COLS,
	{ "with_frac", COL_NUM, .get = get_with_frac, .digits = 6,
	  .help = "part of the cost that has it; null where credits make a part negative" },
	{ "gpu_seconds_without", COL_SECONDS, .get = get_without_ms, .unit = "s", .always = true,
	  .help = "paid GPU time of what lacks it" },
	{ "largest_without", COL_LIST(struct tag_row, owner, nowner, owner_cols),
	  .help = "whose cost lacks it, largest first" },
	{ 0 },
};
static const struct col csv_cols[] = {
	TAG_COLS,
	{ "gpu_seconds_with", COL_SECONDS, .get = get_with_ms, .unit = "s",
	  .help = "paid GPU time of what has it" },
	{ "gpu_seconds_without", COL_SECONDS, .get = get_without_ms, .unit = "s",
	  .help = "paid GPU time of what lacks it" },
	{ 0 },
};
static const struct col doc_cols[] = {
	{ "basis", COL_TEXT, .get = get_basis, .always = true, .help = "effective, billed ..." },
	{ "required_configured", COL_BOOL, .get = get_configured, .always = true,
	  .help = "false: no tags.required in the settings, these are the usual ones" },
	{ "tags", COL_LIST(struct tags_doc, row, nrow, tag_cols), .help = "by tag and currency" },
	{ 0 },
};
const struct col_doc tags_doc = { "tare.tags/1", "report --tags",
				  "what part of the cost has each required tag", doc_cols };

/* What the rows point into lives until the whole is written. */
struct tag_hold {
	coverages v;
	struct cube cube;
};

int tags_print(const struct tags_in *in, enum out_format f, struct str *out, struct err *err)
{
	struct grid g = { 0 };
	int width = f == OUT_MD ? 100000 : columns_or_80(in->width);
	const char *which = "no tags.required in the settings: the usual ones";

	if (f == OUT_HTML)
		return err_set(err, -EINVAL,
			       "the tag report has no HTML; use table, json, csv or md");
	if (f == OUT_JSON || f == OUT_CSV) {
		struct tag_hold *hold = xcalloc(in->of.ntag + 1, sizeof *hold);
		VEC(struct tag_row) rows = { 0 };

		for (size_t i = 0; i < in->of.ntag; i++) {
			struct tag_hold *h = &hold[i];
			coverage_build(in, &in->of.tag[i], &h->v, &h->cube);
			for (size_t k = 0; k < h->v.n; k++)
				*vec_push(&rows) = (struct tag_row){ in->of.tag[i].name, &h->v.v[k],
								     h->v.v[k].owner.v,
								     named(in, &h->v.v[k]) };
		}
		const struct tags_doc doc = { in, rows.v, rows.n };
		if (f == OUT_JSON)
			cols_doc(&tags_doc, &doc, out);
		else
			cols_csv(csv_cols, rows.v, rows.n, sizeof *rows.v, out);
		for (size_t i = 0; i < in->of.ntag; i++)
			coverage_free(&hold[i].v, &hold[i].cube);
		vec_free(&rows);
		free(hold);
		return 0;
	}
	if (in->of.configured)
		which = "required tags";
	view_fold(out,
		  arena_printf(&g.mem, "%s · %s cost · %s",
			       text_window(&g.mem, in->since_ms, in->until_ms),
			       basis_name(in->basis), which),
		  width);
	str_addc(out, '\n');

	static const struct {
		const char *head;
		bool right;
		int worth;
	} col[] = { { "tag", false, 0 },          { "", false, 2 },
		    { "has it", true, 5 },        { "cost without", true, 4 },
		    { "GPU·h without", true, 1 }, { "largest without", false, 3 },
		    { "cost", true, 3 } };

	for (size_t i = 0; i < sizeof col / sizeof *col; i++) {
		grid_add_col(&g, col[i].head, grid_side(col[i].right), i == 0 || i == 5);
		grid_worth(&g, col[i].worth);
	}
	for (size_t i = 0; i < in->of.ntag; i++)
		rows(in, &in->of.tag[i], &g);
	if (f == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, in->width, in->colour, out);
	grid_free(&g);
	return 0;
}
