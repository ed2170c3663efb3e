/* Rows by time without holes, and the columns beside rows. */
#include "report/cost/cube_build.h"

#include <errno.h>

/* a table of more is for a program, with rows of its own */
#define CELLS_MAX 4000000

const struct report_series *cube_series(const struct report_in *in)
{
	if (in->pivot)
		return in->pivot;
	return in->trend;
}

/* ---- steps of time ----------------------------------------------------------------------- */

/* The rows that there are before the holes are filled: of each group (currency, and dimensions
 * before the time) one. */
struct groups {
	VEC(struct report_cell) v;
};

static void fill_group(struct build *b, const struct report_cell *g, const struct intern *there)
{
	const struct report_steps *s = b->in->steps;
	struct str key = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		const char **dim = arena_alloc(&b->out->mem, (b->in->ndim + 1) * sizeof *dim);
		struct report_cell at = { .dim = dim, .currency = g->currency };
		str_clear(&key);
		str_addz(&key, g->currency);
		for (size_t d = 0; d < b->in->ndim; d++) {
			dim[d] = d < b->time_at ? g->dim[d] : s->value[i];
			str_addc(&key, 0);
			str_addz(&key, dim[d]);
		}
		if (intern_find(there, str_sv(&key)) >= 0)
			continue;
		size_t id = build_row(b, &at);
		b->row.v[id].hole = true;
		b->row.v[id].unrecorded = !s->recorded[i];
	}
	str_free(&key);
}

void build_steps(struct build *b)
{
	struct intern known = { 0 }, there = { 0 };
	struct groups g = { 0 };
	struct str key = { 0 };

	/* The groups, by currency and the dimensions before the time; and the rows that there are,
	 * by the time as well. */
	for (size_t i = 0; i < b->row.n; i++) {
		const struct cube_row *r = &b->row.v[i];
		str_clear(&key);
		str_addz(&key, r->currency);
		for (size_t d = 0; d < b->time_at; d++) {
			str_addc(&key, 0);
			str_addz(&key, r->dim[d]);
		}
		if (intern_add(&known, str_sv(&key)) == g.v.n)
			*vec_push(&g.v) = (struct report_cell){ .dim = r->dim,
								.currency = r->currency };
		str_addc(&key, 0);
		str_addz(&key, r->dim[b->time_at]);
		intern_add(&there, str_sv(&key));
	}
	for (size_t i = 0; i < g.v.n; i++)
		fill_group(b, &g.v.v[i], &there);
	str_free(&key);
	intern_free(&known);
	intern_free(&there);
	vec_free(&g.v);
}

/* ---- columns ----------------------------------------------------------------------------- */

struct cube_cell *cube_columns_new(const struct report_in *in, struct arena *a)
{
	const struct report_series *s = cube_series(in);

	if (s)
		return arena_zalloc(a, (s->step.n + 1) * sizeof(struct cube_cell));
	return NULL;
}

void cube_columns_add(const struct report_in *in, struct cube_cell *to, const struct cube_row *x)
{
	const struct report_series *s = cube_series(in);

	for (size_t i = 0; s && x->column && i < s->step.n; i++) {
		to[i].cost += x->column[i].cost;
		to[i].ms += x->column[i].ms;
		to[i].unpriced_ms += x->column[i].unpriced_ms;
		to[i].any |= x->column[i].any;
	}
}

bool cube_column(const struct report_series *s, const struct cube_row *r, size_t i, dec *ret)
{
	const struct cube_cell *c = &r->column[i];

	*ret = c->cost;
	if (!c->any)
		return s->step.recorded[i] && !r->unrecorded;
	return cost_is_known(c->cost, c->ms, c->unpriced_ms);
}

int build_columns(struct build *b, struct err *err)
{
	const struct report_series *s = cube_series(b->in);
	struct intern at = { 0 };

	if (b->row.n * s->step.n > CELLS_MAX) {
		err_set(err, -E2BIG, "%zu rows by %zu columns are more than %d cells", b->row.n,
			s->step.n, CELLS_MAX);
		err_hint(err, "Choose fewer with --where, another --by or another --pivot");
		return -E2BIG;
	}
	for (size_t i = 0; i < s->step.n; i++)
		intern_add(&at, sv_of(s->step.value[i]));
	struct cube_cell **column = arena_zalloc(&b->out->mem,
						 (b->row.n + s->ncell + 1) * sizeof *column);
	for (size_t i = 0; i < s->ncell; i++) {
		const struct report_cell *c = &s->cell[i];
		size_t id = build_row(b, c);
		int64_t k = intern_find(&at, sv_of(c->dim[b->in->ndim]));
		if (!column[id])
			column[id] = cube_columns_new(b->in, &b->out->mem);
		if (k < 0)
			continue; /* time that lies ahead */
		column[id][k].cost += c->cost;
		if (c->is_gpu)
			column[id][k].ms += c->ms;
		column[id][k].unpriced_ms += c->unpriced_ms;
		column[id][k].any = true;
	}
	for (size_t i = 0; i < b->row.n; i++)
		b->row.v[i].column = column[i] ? column[i] : cube_columns_new(b->in, &b->out->mem);
	intern_free(&at);
	return 0;
}
