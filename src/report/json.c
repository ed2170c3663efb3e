/* {"schema":"tare.report/1", ...}: the keys of the contract, and more beside them. */
#include "base/jw.h"
#include "base/tm.h"
#include "report/formats.h"
#include "report/text.h"
#include "report/view.h"

static void put_seconds(struct jw *w, const char *key, int64_t ms)
{
	char buf[DEC_BUF];

	jw_key(w, key);
	jw_str(w, text_seconds(buf, ms));
}

static void put_states(struct jw *w, const struct cube_row *r)
{
	jw_key(w, "states");
	jw_obj(w);
	for (int s = STATE_NONE + 1; s < STATE_N; s++) {
		const struct cube_sum *x = &r->state[s];
		if (!x->ms && !x->cost)
			continue;
		jw_key(w, state_name(s));
		jw_obj(w);
		put_seconds(w, "gpu_seconds", x->ms);
		jw_put_dec(w, "cost", x->cost || x->unpriced_ms < x->ms || !x->ms, x->cost);
		jw_end_obj(w);
	}
	jw_end_obj(w);
}

/* What every row and every total has. */
static void put_sums(const struct report_in *in, struct jw *w, const struct cube_row *r)
{
	put_seconds(w, "gpu_seconds", r->gpu.ms);
	jw_put_dec(w, "cost", r->has_cost, r->cost);
	if (in->split != SPLIT_NONE) {
		jw_put_dec(w, "direct_cost", r->has_cost, r->direct);
		jw_put_dec(w, "idle_share_cost", r->has_cost, r->idle);
	}
	jw_put_dec(w, "other_cost", true, r->state[STATE_NONE].cost);
	jw_put_dec(w, "waste_cost", r->has_cost, r->waste);
	put_seconds(w, "unpriced_gpu_seconds", r->gpu.unpriced_ms);
	jw_key(w, "measured_frac");
	jw_num(w, text_frac(r->gpu.measured_ms, r->gpu.ms), 6);
	jw_key(w, "estimated_frac");
	jw_num(w, text_frac(r->gpu.estimated_ms, r->gpu.ms), 6);
	jw_key(w, "utilisation_frac");
	jw_num(w,
	       r->gpu.util_ms == UNKNOWN_I64 ? text_frac(0, 0)
					     : text_frac(r->gpu.util_ms, cube_read_ms(r)),
	       6);
	put_states(w, r);
}

static void put_row(const struct report_in *in, struct jw *w, const struct cube_row *r)
{
	jw_obj(w);
	for (size_t i = 0; i < in->ndim; i++) {
		jw_key(w, in->dim[i]);
		jw_str(w, *r->dim[i] ? r->dim[i] : NULL);
	}
	jw_key(w, "currency");
	jw_str(w, r->currency);
	if (r->is_rest) {
		jw_key(w, "unallocated");
		jw_bool(w, true);
	}
	put_sums(in, w, r);
	jw_end_obj(w);
}

/* num / (3,600,000 x 10^12) of the currency, reduced: what no decimal can say. */
static void put_exact_rest(struct jw *w, __int128 num)
{
	__int128 den = (__int128)MS_HOUR * DEC_ONE, a = num < 0 ? -num : num, b = den;
	char digits[2][48];

	while (b) {
		__int128 t = a % b;
		a = b;
		b = t;
	}
	for (int i = 0; i < 2; i++) {
		__int128 v = (i ? den : num) / a;
		char *p = digits[i] + sizeof digits[i];
		bool neg = v < 0;
		*--p = 0;
		do
			*--p = (char)('0' + (int)(neg ? -(v % 10) : v % 10));
		while (v /= 10);
		if (neg)
			*--p = '-';
		memmove(digits[i], p, strlen(p) + 1);
	}
	jw_key(w, "remainder_exact");
	jw_obj(w);
	jw_key(w, "numerator");
	jw_str(w, digits[0]);
	jw_key(w, "denominator");
	jw_str(w, digits[1]);
	jw_end_obj(w);
}

static void put_reconcile(struct jw *w, const struct cube_block *k)
{
	static const struct report_reconcile nothing = { 0 };
	const struct report_reconcile *r = k->reconcile ? k->reconcile : &nothing;

	jw_key(w, "reconcile");
	jw_obj(w);
	/* where no cost is known at all, a sum of nothing is not 0 */
	bool blank = !k->total.has_cost && k->total.gpu.ms > 0 && !r->billed &&
		     !reconcile_ledger(r) && !r->unbilled;
	jw_put_dec(w, "billed", r->has_bill && !blank, r->billed);
	jw_put_dec(w, "ledger", !blank, reconcile_ledger(r));
	jw_put_dec(w, "difference", !blank, reconcile_difference(r));
	put_seconds(w, "unpriced_gpu_seconds", r->unpriced_ms);
	jw_put_dec(w, "unbilled", true, r->unbilled);
	jw_put_dec(w, "remainder", true, r->remainder);
	put_exact_rest(w, r->rest_num);
	jw_key(w, "partial");
	jw_bool(w, r->partial);
	jw_end_obj(w);
}

/* Share of the paid GPU time whose state is known. */
static double coverage(const struct cube_row *total)
{
	return text_frac(total->gpu.ms - total->state[STATE_UNKNOWN].ms, total->gpu.ms);
}

static void put_totals(const struct report_in *in, struct jw *w, const struct cube_block *k)
{
	jw_key(w, "total");
	jw_obj(w);
	put_sums(in, w, &k->total);
	jw_end_obj(w);
	if (k->nleft) {
		jw_key(w, "left_out");
		jw_obj(w);
		jw_key(w, "rows");
		jw_int(w, (int64_t)k->nleft);
		put_sums(in, w, &k->left);
		jw_end_obj(w);
	}
	put_reconcile(w, k);
	jw_key(w, "coverage_frac");
	jw_num(w, coverage(&k->total), 6);
	jw_key(w, "measured_frac");
	jw_num(w, text_frac(k->total.gpu.measured_ms, k->total.gpu.ms), 6);
}

/* Time of several currencies can be added, money not: amounts of the whole are null and stand by
 * currency. */
static void put_many(const struct report_in *in, struct jw *w, const struct cube *c)
{
	int64_t ms = 0, unpriced = 0, unknown = 0, measured = 0;

	for (size_t i = 0; i < c->nblock; i++) {
		const struct cube_row *t = &c->block[i].total;
		ms += t->gpu.ms;
		unpriced += t->gpu.unpriced_ms;
		unknown += t->state[STATE_UNKNOWN].ms;
		measured += t->gpu.measured_ms;
	}
	jw_key(w, "total");
	jw_obj(w);
	put_seconds(w, "gpu_seconds", ms);
	jw_put_dec(w, "cost", false, 0);
	jw_end_obj(w);
	jw_key(w, "reconcile");
	jw_obj(w);
	jw_put_dec(w, "billed", false, 0);
	jw_put_dec(w, "ledger", false, 0);
	jw_put_dec(w, "difference", false, 0);
	put_seconds(w, "unpriced_gpu_seconds", unpriced);
	jw_end_obj(w);
	jw_key(w, "coverage_frac");
	jw_num(w, text_frac(ms - unknown, ms), 6);
	jw_key(w, "measured_frac");
	jw_num(w, text_frac(measured, ms), 6);
	jw_key(w, "currencies");
	jw_arr(w);
	for (size_t i = 0; i < c->nblock; i++) {
		jw_obj(w);
		jw_key(w, "currency");
		jw_str(w, c->block[i].currency);
		put_totals(in, w, &c->block[i]);
		jw_end_obj(w);
	}
	jw_end_arr(w);
}

const struct col report_window_cols[] = {
	{ "since", COL_TIME, offsetof(struct report_window, since_ms), NULL,
	  "null: from the first there is", 0 },
	{ "until", COL_TIME, offsetof(struct report_window, until_ms), NULL,
	  "not included; null: to the last there is", 0 },
	{ 0 },
};

void report_put_window(struct jw *w, int64_t since_ms, int64_t until_ms)
{
	jw_key(w, "window");
	jw_obj(w);
	jw_put_time(w, "since", since_ms);
	jw_put_time(w, "until", until_ms);
	jw_end_obj(w);
}

void report_json(const struct report_in *in, const struct cube *c, struct str *out)
{
	struct jw w;

	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.report/1");
	report_put_window(&w, in->since_ms, in->until_ms);
	jw_key(&w, "currency");
	jw_str(&w, c->nblock == 1 ? c->block[0].currency : NULL);
	jw_key(&w, "basis");
	jw_str(&w, basis_name(in->basis));
	jw_key(&w, "split_idle");
	jw_str(&w, idle_split_name(in->split));
	jw_key(&w, "where");
	jw_str(&w, in->where);
	jw_key(&w, "rows");
	jw_arr(&w);
	for (size_t i = 0; i < c->nblock; i++)
		for (size_t r = 0; r < c->block[i].nrow; r++)
			put_row(in, &w, &c->block[i].row[r]);
	jw_end_arr(&w);
	if (c->nblock == 1)
		put_totals(in, &w, &c->block[0]);
	else
		put_many(in, &w, c);
	jw_end_obj(&w);
	str_addc(out, '\n');
}
