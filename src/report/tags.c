#include "report/tags.h"

#include <errno.h>
#include <stdlib.h>

#include "base/jw.h"
#include "report/cube.h"
#include "report/grid.h"
#include "report/text.h"
#include "report/view.h"

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
	int d = (x->cost < y->cost) - (x->cost > y->cost);

	d = d ? d : (x->ms < y->ms) - (x->ms > y->ms);
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
			qsort(ret->v[i].owner.v, ret->v[i].owner.n, sizeof *ret->v[i].owner.v,
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
	size_t n = in->limit ? in->limit : 3;

	return c->owner.n < n ? c->owner.n : n;
}

/* What the share is of; 0 = none can be given: credits make a part negative. */
static dec share_base(const struct coverage *c)
{
	return c->with < 0 || c->without < 0 ? 0 : c->with + c->without;
}

/* The most telling of what is known of an owner. */
static char *owner_words(struct arena *a, const struct owner_cost *o)
{
	const char *who = *o->dim[1]   ? o->dim[1]
			  : *o->dim[2] ? o->dim[2]
			  : *o->dim[3] ? o->dim[3]
				       : "(nobody)";
	const char *more = *o->dim[1] && *o->dim[2] ? o->dim[2] : NULL;

	return text_line(a, sv_of(more ? arena_printf(a, "%s/%s", who, more) : who), 0);
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
			cell[5] = owner_words(a, &c->owner.v[k]);
			cell[6] = text_money(a, c->owner.v[k].cost, 2);
		}
	}
	coverage_free(&v, &cube);
}

static void grid_of(const struct tags_in *in, struct grid *g)
{
	static const struct {
		const char *head;
		bool right;
	} col[] = { { "tag", false },          { "", false },
		    { "has it", true },        { "cost without", true },
		    { "GPU·h without", true }, { "largest without", false },
		    { "cost", true } };

	for (size_t i = 0; i < sizeof col / sizeof *col; i++)
		grid_add_col(g, col[i].head, col[i].right ? GRID_RIGHT : GRID_LEFT,
			     i == 0 || i == 5);
	for (size_t i = 0; i < in->of.ntag; i++)
		rows(in, &in->of.tag[i], g);
}

static void json_coverage(const struct tags_in *in, const struct tags_one *t,
			  const struct coverage *c, struct jw *w)
{
	char buf[DEC_BUF];

	jw_obj(w);
	jw_key(w, "tag");
	jw_str(w, t->name);
	jw_key(w, "currency");
	jw_str(w, c->currency);
	jw_key(w, "cost_with");
	jw_dec(w, c->with);
	jw_key(w, "cost_without");
	jw_dec(w, c->without);
	jw_key(w, "with_frac");
	jw_num(w, text_frac(c->with, share_base(c)), 6);
	jw_key(w, "gpu_seconds_without");
	jw_str(w, text_seconds(buf, c->without_ms));
	jw_key(w, "largest_without");
	jw_arr(w);
	for (size_t i = 0; i < named(in, c); i++) {
		static const char *const key[] = { "", "team", "user", "node" };
		jw_obj(w);
		for (int k = 1; k < 4; k++) {
			jw_key(w, key[k]);
			jw_str(w, *c->owner.v[i].dim[k] ? c->owner.v[i].dim[k] : NULL);
		}
		jw_key(w, "cost");
		jw_dec(w, c->owner.v[i].cost);
		jw_end_obj(w);
	}
	jw_end_arr(w);
	jw_end_obj(w);
}

static void json(const struct tags_in *in, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.tags/1");
	jw_key(&w, "basis");
	jw_str(&w, basis_name(in->basis));
	jw_key(&w, "required_configured");
	jw_bool(&w, in->of.configured);
	jw_key(&w, "tags");
	jw_arr(&w);
	for (size_t i = 0; i < in->of.ntag; i++) {
		coverages v = { 0 };
		struct cube cube = { 0 };
		coverage_build(in, &in->of.tag[i], &v, &cube);
		for (size_t k = 0; k < v.n; k++)
			json_coverage(in, &in->of.tag[i], &v.v[k], &w);
		coverage_free(&v, &cube);
	}
	jw_end_arr(&w);
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static void csv(const struct tags_in *in, struct str *out)
{
	char buf[DEC_BUF];

	str_addz(out, "tag,currency,cost_with,cost_without,gpu_seconds_with,gpu_seconds_without\n");
	for (size_t i = 0; i < in->of.ntag; i++) {
		coverages v = { 0 };
		struct cube cube = { 0 };
		coverage_build(in, &in->of.tag[i], &v, &cube);
		for (size_t k = 0; k < v.n; k++) {
			text_csv(out, sv_of(in->of.tag[i].name));
			str_addc(out, ',');
			text_csv(out, sv_of(v.v[k].currency));
			str_addf(out, ",%s", dec_format(buf, v.v[k].with));
			str_addf(out, ",%s", dec_format(buf, v.v[k].without));
			str_addf(out, ",%s", text_seconds(buf, v.v[k].with_ms));
			str_addf(out, ",%s\n", text_seconds(buf, v.v[k].without_ms));
		}
		coverage_free(&v, &cube);
	}
}

int tags_print(const struct tags_in *in, enum out_format f, struct str *out, struct err *err)
{
	struct grid g = { 0 };

	if (f == OUT_HTML)
		return err_set(err, -EINVAL,
			       "the tag report has no HTML; use table, json, csv or md");
	if (f == OUT_JSON || f == OUT_CSV) {
		f == OUT_JSON ? json(in, out) : csv(in, out);
		return 0;
	}
	view_fold(out,
		  arena_printf(
			  &g.mem, "%s · %s cost · %s",
			  text_window(&g.mem, in->since_ms, in->until_ms), basis_name(in->basis),
			  in->of.configured ? "required tags"
					    : "no tags.required in the settings: the usual ones"),
		  f == OUT_MD     ? 100000
		  : in->width > 0 ? in->width
				  : 80);
	str_addc(out, '\n');
	grid_of(in, &g);
	if (f == OUT_MD)
		grid_md(&g, out);
	else
		grid_table(&g, in->width, in->colour, out);
	grid_free(&g);
	return 0;
}
