#include "report/invoice/charge_lines.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/str.h"
#include "ledger/round.h"
#include "report/text.h"
#include "report/cost/view.h"

const char *const charge_line_names[] = { "direct", "idle_share", "shared_share", "unallocated",
					  "difference" };

void charge_row_lines(const struct cube_row *r, charge_lines *out)
{
	if (r->is_rest) {
		*vec_push(out) = (struct charge_line){ NULL,    LINE_REST,    -1, r->gpu.ms,
						       r->cost, !r->has_cost, 0 };
		return;
	}
	for (int k = 0; k < KIND_N; k++)
		if (r->kind[k] || (k == KIND_GPU && cube_allocated_ms(r)))
			*vec_push(out) = (struct charge_line){
				r,
				LINE_DIRECT,
				k,
				k == KIND_GPU ? cube_allocated_ms(r) : 0,
				r->kind[k],
				k == KIND_GPU && !r->kind[k] && r->gpu.unpriced_ms == r->gpu.ms,
				0
			};
	if (r->idle || r->gpu.ms != cube_allocated_ms(r))
		*vec_push(out) = (struct charge_line){ r,       LINE_IDLE,
						       -1,      r->gpu.ms - cube_allocated_ms(r),
						       r->idle, !cube_idle_known(r),
						       0 };
	if (r->shared)
		*vec_push(out) = (struct charge_line){ r, LINE_SHARED, -1, 0, r->shared, false, 0 };
}

/* ---- as printed ---------------------------------------------------------------------------- */

dec charge_unit(const struct cube_block *k)
{
	dec one = DEC_ONE;

	for (int i = view_money_digits(k); i > 0; i--)
		one /= 10;
	return one;
}

const char *charge_money(struct arena *a, const struct cube_block *k, int64_t units, dec amount)
{
	dec shown = units * charge_unit(k);

	if (!units)
		shown = cmp_dec(amount, 0);
	return text_money(a, shown, view_money_digits(k));
}

void charge_row_units(const struct cube_block *k, int64_t *ret)
{
	struct round_rem *rem = xcalloc(k->nrow + 1, sizeof *rem);
	dec *part = xcalloc(2 * k->nrow + 1, sizeof *part), *row = part + k->nrow, sum = 0,
	    one = charge_unit(k);
	int64_t *group = xcalloc(2 * k->nrow + 1, sizeof *group), *units = group + k->nrow;
	uint32_t *of = xcalloc(k->nrow + 1, sizeof *of);
	struct intern name = { 0 };

	for (size_t i = 0; i < k->nrow; i++) {
		const struct cube_row *r = &k->row[i];
		/* no value begins so: what nobody is charged is apart */
		of[i] = intern_add(&name, r->is_rest ? SV("\x1f") : sv_of(r->dim[0]));
		part[of[i]] += r->cost;
		sum += r->cost;
	}
	round_parts(rem, name.n, part, one, (int64_t)div_half_even(sum, one), group);
	for (size_t g = 0; g < name.n; g++) {
		size_t n = 0;
		for (size_t i = 0; i < k->nrow; i++)
			if (of[i] == g)
				row[n++] = k->row[i].cost;
		round_parts(rem, n, row, one, group[g], units);
		n = 0;
		for (size_t i = 0; i < k->nrow; i++)
			if (of[i] == g)
				ret[i] = units[n++];
	}
	intern_free(&name);
	free(of);
	free(group);
	free(part);
	free(rem);
}

/* What the ledger lacks against the bill (rounding included) is a line too, so that an invoice run
 * adds up to what was paid. */
void charge_block_lines(const struct report_in *in, const struct cube_block *k, charge_lines *out)
{
	int64_t *units = xcalloc(k->nrow + 1, sizeof *units), all = 0;
	dec one = charge_unit(k), sum = 0, diff = 0;

	charge_row_units(k, units);
	for (size_t i = 0; i < k->nrow; i++) {
		size_t n = out->n;
		charge_row_lines(&k->row[i], out);
		n = out->n - n;
		struct charge_line *l = out->v + out->n - n;
		struct round_rem *rem = xcalloc(n + 1, sizeof *rem);
		dec *part = xcalloc(n + 1, sizeof *part);
		int64_t *of = xcalloc(n + 1, sizeof *of);
		for (size_t j = 0; j < n; j++)
			part[j] = l[j].amount;
		if (n)
			round_parts(rem, n, part, one, units[i], of);
		for (size_t j = 0; j < n; j++)
			l[j].units = of[j];
		free(of);
		free(part);
		free(rem);
		all += units[i];
		sum += k->row[i].cost;
	}
	free(units);
	if (k->reconcile && !in->where)
		diff = reconcile_difference(k->reconcile);
	if (diff)
		*vec_push(out) =
			(struct charge_line){ NULL,
					      LINE_DIFFERENCE,
					      -1,
					      0,
					      diff,
					      false,
					      (int64_t)div_half_even(sum + diff, one) - all };
}

dec charge_lines_sum(const charge_lines *l)
{
	dec sum = 0;

	for (size_t i = 0; i < l->n; i++)
		sum += l->v[i].amount;
	return sum;
}

const char *charge_line_words(struct arena *a, const struct report_in *in,
			      const struct charge_line *l)
{
	switch (l->line) {
	case LINE_DIRECT:
		return l->kind == KIND_GPU ? "GPU time"
					   : arena_printf(a, "%s", kind_name((enum kind)l->kind));
	case LINE_IDLE: return arena_printf(a, "share of idle (%s)", idle_split_name(in->split));
	case LINE_SHARED:
		return l->row->is_shared ? "given to the other teams" : "share of shared teams";
	case LINE_REST: return "unallocated, charged to nobody";
	default: return "bill less ledger";
	}
}

const char *charge_row_name(struct arena *a, const struct report_in *in, const struct cube_row *r)
{
	struct str s = { 0 };

	if (!r)
		return "(nobody)";
	if (r->is_rest)
		return "(unallocated)";
	for (size_t i = 0; i < in->ndim; i++)
		str_addf(&s, "%s%s", text_if(i, "/"), cube_label(in->dim[i], r->dim[i]));
	char *t = text_line(a, str_sv(&s), 0);
	str_free(&s);
	return t;
}
