/* One row a line for programs: dimensions, currency, exact amounts; unknown is an empty cell. No
 * total: rows can be added. */
#include "report/formats.h"
#include "report/text.h"

static void cell_seconds(struct str *out, int64_t ms)
{
	char buf[DEC_BUF];

	str_addf(out, ",%s", text_seconds(buf, ms));
}

static void cell_money(struct str *out, bool known, dec v)
{
	char buf[DEC_BUF];

	str_addf(out, ",%s", known ? dec_format(buf, v) : "");
}

static void put_head(const struct report_in *in, struct str *out)
{
	for (size_t i = 0; i < in->ndim; i++) {
		text_csv(out, sv_of(in->dim[i]));
		str_addc(out, ',');
	}
	str_addz(
		out,
		"currency,gpu_seconds,cost,direct_cost,idle_share_cost,other_cost,waste_cost,unpriced_gpu_seconds,measured_gpu_seconds");
	for (int s = STATE_NONE + 1; s < STATE_N; s++)
		str_addf(out, ",%s_gpu_seconds,%s_cost", state_name(s), state_name(s));
	for (size_t i = 0; in->trend && i < in->trend->step.n; i++)
		str_addf(out, ",cost_%s", in->trend->step.value[i]);
	str_addz(out, "\n");
}

static void put_trend(const struct report_in *in, const struct cube_row *r, struct str *out)
{
	for (size_t i = 0; in->trend && i < in->trend->step.n; i++) {
		dec v;
		bool known = cube_column(in->trend, r, i, &v);
		cell_money(out, known, v);
	}
	str_addc(out, '\n');
}

static const char *name_of(const struct cube_row *r, size_t i)
{
	if (r->is_rest && !i)
		return "(unallocated)";
	return r->folded && !i ? "(rest)" : r->dim[i];
}

void csv_dims(const struct report_in *in, const struct cube_row *r, struct str *out)
{
	for (size_t i = 0; i < in->ndim; i++) {
		text_csv(out, sv_of(name_of(r, i)));
		str_addc(out, ',');
	}
	text_csv(out, sv_of(r->currency));
	str_addc(out, ',');
}

static void put_row(const struct report_in *in, const struct cube_row *r, struct str *out)
{
	char buf[DEC_BUF];

	csv_dims(in, r, out);
	if (r->unrecorded) { /* nothing of it is known */
		for (int i = 0; i < 7 + 2 * (STATE_N - 1); i++)
			str_addc(out, ',');
		put_trend(in, r, out);
		return;
	}
	str_addz(out, text_seconds(buf, r->gpu.ms));
	cell_money(out, r->has_cost, r->cost);
	cell_money(out, r->has_cost, r->direct);
	cell_money(out, r->has_cost, r->idle);
	cell_money(out, true, r->state[STATE_NONE].cost);
	cell_money(out, r->has_cost, r->waste);
	cell_seconds(out, r->gpu.unpriced_ms);
	cell_seconds(out, r->gpu.measured_ms);
	for (int s = STATE_NONE + 1; s < STATE_N; s++) {
		const struct cube_sum *x = &r->state[s];
		cell_seconds(out, x->ms);
		cell_money(out, x->cost || x->unpriced_ms < x->ms || !x->ms, x->cost);
	}
	put_trend(in, r, out);
}

void report_csv(const struct report_in *in, const struct cube *c, struct str *out)
{
	put_head(in, out);
	for (size_t i = 0; i < c->nblock; i++)
		for (size_t r = 0; r < c->block[i].nrow; r++)
			put_row(in, &c->block[i].row[r], out);
}
