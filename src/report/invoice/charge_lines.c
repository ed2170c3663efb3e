#include "report/invoice/charge_lines.h"

#include "base/str.h"
#include "report/text.h"
#include "report/cost/view.h"

const char *const charge_line_names[] = { "direct", "idle_share", "shared_share", "unallocated",
					  "difference" };

void charge_row_lines(const struct cube_row *r, charge_lines *out)
{
	if (r->is_rest) {
		*vec_push(out) = (struct charge_line){ NULL,      LINE_REST, -1,
						       r->gpu.ms, r->cost,   !r->has_cost };
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
				k == KIND_GPU && !r->kind[k] && r->gpu.unpriced_ms == r->gpu.ms
			};
	if (r->idle || r->gpu.ms != cube_allocated_ms(r))
		*vec_push(out) = (struct charge_line){ r,       LINE_IDLE,
						       -1,      r->gpu.ms - cube_allocated_ms(r),
						       r->idle, !cube_idle_known(r) };
	if (r->shared)
		*vec_push(out) = (struct charge_line){ r, LINE_SHARED, -1, 0, r->shared, false };
}

/* What the ledger lacks against the bill (rounding included) is a line too, so that an invoice run
 * adds up to what was paid. */
void charge_block_lines(const struct report_in *in, const struct cube_block *k, charge_lines *out)
{
	for (size_t i = 0; i < k->nrow; i++)
		charge_row_lines(&k->row[i], out);
	if (k->reconcile && !in->where && reconcile_difference(k->reconcile))
		*vec_push(out) = (struct charge_line){
			NULL, LINE_DIFFERENCE, -1, 0, reconcile_difference(k->reconcile), false
		};
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
