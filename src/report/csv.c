/* One row a line for programs: dimensions, currency, exact amounts; unknown is an empty cell. No
 * total: rows can be added. */
#include "report/cost/figures.h"
#include "report/formats.h"
#include "report/text.h"

static bool stands_last(const char *dim)
{
	return !strcmp(dim, "account_name");
}

void csv_heads(const struct report_in *in, struct str *out)
{
	for (size_t i = 0; i < in->ndim; i++) {
		if (stands_last(in->dim[i]))
			continue;
		text_csv(out, sv_of(in->dim[i]));
		str_addc(out, ',');
	}
}

void csv_dims(const struct report_in *in, const struct cube_row *r, struct str *out)
{
	for (size_t i = 0; i < in->ndim; i++) {
		if (stands_last(in->dim[i]))
			continue;
		const char *name = "";
		if (r)
			name = r->dim[i];
		if (r && !i && r->folded)
			name = "(rest)";
		if (r && !i && r->is_rest)
			name = "(unallocated)";
		text_csv(out, sv_of(name));
		str_addc(out, ',');
	}
}

void csv_end_head(const struct report_in *in, struct str *out)
{
	for (size_t i = 0; i < in->ndim; i++) {
		if (!stands_last(in->dim[i]))
			continue;
		out->n--; /* the end of the line */
		str_addf(out, ",%s\n", in->dim[i]);
	}
}

void csv_end(const struct report_in *in, const struct cube_row *r, struct str *out)
{
	for (size_t i = 0; i < in->ndim; i++) {
		if (!stands_last(in->dim[i]))
			continue;
		out->n--;
		str_addc(out, ',');
		text_csv(out, sv_of(r ? r->dim[i] : ""));
		str_addc(out, '\n');
	}
}

void report_csv(const struct report_in *in, const struct cube *c, struct str *out)
{
	csv_heads(in, out);
	struct str heads = { 0 };
	cols_csv_head(figures_cols, &heads);
	str_addf(out, "currency,%.*s", (int)(heads.n - 1), str_z(&heads));
	str_free(&heads);
	for (size_t i = 0; in->trend && i < in->trend->step.n; i++)
		str_addf(out, ",cost_%s", in->trend->step.value[i]);
	str_addz(out, "\n");
	csv_end_head(in, out);
	for (size_t i = 0; i < c->nblock; i++)
		for (size_t k = 0; k < c->block[i].nrow; k++) {
			const struct cube_row *r = &c->block[i].row[k];
			struct figures f = figures_of(r);
			struct str line = { 0 };

			csv_dims(in, r, out);
			text_csv(out, sv_of(r->currency));
			str_addc(out, ',');
			cols_csv_row(figures_cols, &f, &line);
			str_add(out, str_z(&line), line.n - 1);
			for (size_t t = 0; in->trend && t < in->trend->step.n; t++) {
				char buf[DEC_BUF];
				dec v;
				bool known = cube_column(in->trend, r, t, &v);

				str_addf(out, ",%s", known ? dec_format(buf, v) : "");
			}
			str_addc(out, '\n');
			csv_end(in, r, out);
			str_free(&line);
		}
}
