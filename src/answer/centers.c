#include "answer/centers.h"

#include <errno.h>
#include <string.h>

#include "base/input.h"
#include "base/num.h"
#include "base/tab.h"

static const char *const columns[] = { "team", "cost_center" };

struct reading {
	const char *name; /* of the file */
	struct tab *tab;
	struct intern team;
	VEC(const char *) code; /* [team.n] */
	int col[2];
	size_t rows;
};

static int without_column(const struct reading *r, const char *column, struct err *err)
{
	err_set(err, -EINVAL, "'%s' line 1: there is no column '%s'", r->name, column);
	err_hint(err, "The first line of a table of cost centres is: team,cost_center");
	return -EINVAL;
}

static int find_columns(struct reading *r, struct err *err)
{
	for (int i = 0; i < 2; i++) {
		r->col[i] = tab_col(r->tab, columns[i]);
		if (r->col[i] < 0)
			return without_column(r, columns[i], err);
	}
	return 0;
}

static int add_row(struct reading *r, const struct sv *cell, struct conf *c, struct err *err)
{
	struct sv value[2];
	long long line = (long long)r->tab->line;

	for (int i = 0; i < 2; i++) {
		value[i] = sv_trim(cell[r->col[i]]);
		if (!value[i].n)
			return err_set(err, -EINVAL, "'%s' line %lld: '%s' is empty", r->name, line,
				       columns[i]);
	}
	if (++r->rows > CENTERS_MAX)
		return err_set(err, -E2BIG, "'%s' line %lld: more than %d rows", r->name, line,
			       CENTERS_MAX);
	const char *code = arena_sv(&c->mem, value[1]);
	uint32_t id = intern_add(&r->team, value[0]);
	if (id < r->code.n) {
		if (!strcmp(code, r->code.v[id]))
			return 0;
		return err_set(
			err, -EINVAL,
			"'%s' line %lld: 'cost_center' of team '%.100s' is '%.*s', but '%.100s' in a line before",
			r->name, line, intern_z(&r->team, id), (int)min_size(value[1].n, 100), code,
			r->code.v[id]);
	}
	*vec_push(&r->code) = code;
	*vec_push(&c->invoice.cost_centers) =
		(struct vtag_cond){ .field = arena_sv(&c->mem, value[0]), .glob = code };
	return 0;
}

static int read_centers(struct input *in, struct conf *c, struct err *err)
{
	struct tab_csv_opt o = { .max_row_bytes = 1 << 16 };
	struct reading r = { .name = input_name(in) };
	const struct sv *cell;
	int rc = tab_csv_open(in, &o, &r.tab, err), got = 0;

	if (rc == -ENODATA)
		return without_column(&r, columns[0], err);
	if (rc >= 0)
		rc = find_columns(&r, err);
	while (rc >= 0 && (got = tab_next(r.tab, &cell, err)) == 1)
		rc = add_row(&r, cell, c, err);
	if (rc >= 0)
		rc = got;
	tab_close(r.tab);
	intern_free(&r.team);
	vec_free(&r.code);
	if (rc < 0)
		return rc;
	return 0;
}

int centers_load(struct conf *c, struct err *err)
{
	struct input *in;

	if (!c->invoice.cost_centers_file)
		return 0;
	int rc = input_open(c->invoice.cost_centers_file, &in, err);
	if (rc >= 0) {
		rc = read_centers(in, c, err);
		input_close(in);
	}
	if (rc < 0 && !*err->hint)
		err_hint(err, "The settings name it: invoice, cost_centers_file.");
	return rc;
}
