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
	const char *team, *user, *node; /* "" = unknown; node: where team and user are */
	dec cost;
	int64_t ms, unpriced_ms;
};
struct coverage { /* of one tag in one currency */
	const char *currency;
	dec with, without;
	int64_t with_ms, without_ms, with_unpriced_ms, without_unpriced_ms;
	VEC(struct owner_cost) owner; /* without the tag, largest first */
};
typedef VEC(struct coverage) coverages;

static int by_name(const void *a, const void *b)
{
	const struct owner_cost *x = a, *y = b;
	int d = strcmp(x->team, y->team);

	if (!d)
		d = strcmp(x->user, y->user);
	if (!d)
		d = strcmp(x->node, y->node);
	return d;
}

static int by_cost(const void *a, const void *b)
{
	const struct owner_cost *x = a, *y = b;
	int d = cmp_dec(y->cost, x->cost);

	if (!d)
		d = cmp_i64(y->ms, x->ms);
	if (!d)
		d = by_name(a, b);
	return d;
}

/* What one owner has on several machines is one sum. */
static void sort_owners(struct coverage *c)
{
	size_t n = 0;

	if (!c->owner.n)
		return;
	sort_items(c->owner.v, c->owner.n, sizeof *c->owner.v, by_name);
	for (size_t i = 0; i < c->owner.n; i++) {
		const struct owner_cost o = c->owner.v[i];
		if (n && by_name(&c->owner.v[n - 1], &o) == 0) {
			c->owner.v[n - 1].cost += o.cost;
			c->owner.v[n - 1].ms += o.ms;
			c->owner.v[n - 1].unpriced_ms += o.unpriced_ms;
		} else
			c->owner.v[n++] = o;
	}
	c->owner.n = n;
	sort_items(c->owner.v, n, sizeof *c->owner.v, by_cost);
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
		struct coverage *c = NULL;
		for (size_t k = 0; k < ret->n && !c; k++)
			if (!strcmp(ret->v[k].currency, row->currency))
				c = &ret->v[k];
		if (!c) {
			c = vec_push(ret);
			*c = (struct coverage){ .currency = row->currency };
		}
		if (*row->dim[0]) {
			c->with += row->cost;
			c->with_ms += row->gpu.ms;
			c->with_unpriced_ms += row->gpu.unpriced_ms;
		} else {
			bool named = *row->dim[1] || *row->dim[2];
			c->without += row->cost;
			c->without_ms += row->gpu.ms;
			c->without_unpriced_ms += row->gpu.unpriced_ms;
			*vec_push(&c->owner) = (struct owner_cost){
				row->dim[1], row->dim[2], text_if(!named, row->dim[3]),
				row->cost,   row->gpu.ms, row->gpu.unpriced_ms
			};
		}
	}
	for (size_t i = 0; i < ret->n; i++)
		sort_owners(&ret->v[i]);
}

static void coverage_free(coverages *v, struct cube *cube)
{
	for (size_t i = 0; i < v->n; i++)
		vec_free(&v->v[i].owner);
	vec_free(v);
	cube_free(cube);
}

static size_t named_count(const struct tags_in *in, const struct coverage *c)
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

static bool without_is_known(const struct coverage *c)
{
	return cost_is_known(c->without, c->without_ms, c->without_unpriced_ms);
}

static const char *money_if(struct arena *a, bool known, dec cost)
{
	if (!known)
		return "-";
	return text_money(a, cost, 2);
}

static void add_rows(const struct tags_in *in, const struct tags_one *t, struct grid *g)
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
		cell[3] = money_if(a, without_is_known(c), c->without);
		cell[4] = text_gpu_hours(a, c->without_ms,
					 view_hour_digits(c->with_ms + c->without_ms));
		for (size_t k = 0; k < named_count(in, c); k++) {
			if (k)
				cell = grid_add_row(g, GRID_PLAIN);

			/* The most telling of what is known of an owner. */
			const struct owner_cost *o = &c->owner.v[k];
			const char *last = filled_or(o->node, "(nobody)");
			const char *who = filled_or(o->team, filled_or(o->user, last));

			if (*o->team && *o->user)
				who = arena_printf(a, "%s/%s", o->team, o->user);
			cell[5] = text_line(a, sv_of(who), 0);
			cell[6] = money_if(a, cost_is_known(o->cost, o->ms, o->unpriced_ms),
					   o->cost);
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

static bool get_cost(const void *row, union col_value *ret)
{
	const struct owner_cost *o = row;

	ret->money = o->cost;
	return cost_is_known(o->cost, o->ms, o->unpriced_ms);
}

static bool get_with(const void *row, union col_value *ret)
{
	const struct coverage *c = ((const struct tag_row *)row)->c;

	ret->money = c->with;
	return cost_is_known(c->with, c->with_ms, c->with_unpriced_ms);
}

static bool get_without(const void *row, union col_value *ret)
{
	const struct coverage *c = ((const struct tag_row *)row)->c;

	ret->money = c->without;
	return without_is_known(c);
}

static bool get_with_frac(const void *row, union col_value *ret)
{
	const struct coverage *c = ((const struct tag_row *)row)->c;

	ret->x = text_frac(c->with, share_base(c));
	return isfinite(ret->x);
}

static bool get_basis(const void *doc, union col_value *ret)
{
	ret->text = basis_name(((const struct tags_doc *)doc)->in->basis);
	return true;
}

static const struct col owner_cols[] = {
	{ "team", COL_WORD, offsetof(struct owner_cost, team), .help = "null: no team is known" },
	{ "user", COL_WORD, offsetof(struct owner_cost, user), .help = "null: no user is known" },
	{ "node", COL_WORD, offsetof(struct owner_cost, node), .help = "where neither is known" },
	{ "cost", COL_DEC, .get = get_cost, .unit = "money",
	  .help = "its cost that lacks the tag; null: none of it has a price" },
	{ 0 },
};
#define TAG_COLS                                                                                \
	{                                                                                       \
		"tag",                                                                          \
		COL_TEXT,                                                                       \
		offsetof(struct tag_row, tag),                                                  \
		NULL,                                                                           \
		"the required tag, or team",                                                    \
		.always = true                                                                  \
	},                                                                                      \
		{ "currency", COL_TEXT, COL_VIA(struct tag_row, c, currency), .always = true,   \
		  .help = "of the amounts in this row" },                                       \
		{ "cost_with", COL_DEC, .get = get_with, .unit = "money",                       \
		  .help = "cost of what has the tag; null: without a price" },                  \
	{                                                                                       \
		"cost_without", COL_DEC, .get = get_without, .unit = "money",                   \
					 .help = "cost of what lacks it; null: without a price" \
	}
static const struct col tag_cols[] = {
	TAG_COLS,
	{ "with_frac", COL_NUM, .get = get_with_frac, .digits = 6,
	  .help = "part of the cost that has it; null where credits make a part negative" },
	{ "gpu_seconds_without", COL_SECONDS, COL_VIA(struct tag_row, c, without_ms), .unit = "s",
	  .always = true, .help = "paid GPU time of what lacks it" },
	{ "largest_without", COL_LIST(struct tag_row, owner, nowner, owner_cols),
	  .help = "whose cost lacks it, largest first" },
	{ 0 },
};
static const struct col csv_cols[] = {
	TAG_COLS,
	{ "gpu_seconds_with", COL_SECONDS, COL_VIA(struct tag_row, c, with_ms), .unit = "s",
	  .help = "paid GPU time of what has it" },
	{ "gpu_seconds_without", COL_SECONDS, COL_VIA(struct tag_row, c, without_ms), .unit = "s",
	  .help = "paid GPU time of what lacks it" },
	{ 0 },
};
static const struct col doc_cols[] = {
	{ "basis", COL_TEXT, .get = get_basis, .always = true, .help = "effective, billed ..." },
	{ "required_configured", COL_BOOL, COL_VIA(struct tags_doc, in, of.configured),
	  .always = true,
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
								     named_count(in, &h->v.v[k]) };
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
			       text_window(&g.mem, in->since_ms,
					   text_until(in->data_until_ms, in->until_ms)),
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
		add_rows(in, &in->of.tag[i], &g);
	if (f == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, in->width, in->colour, out);
	grid_free(&g);
	return 0;
}
