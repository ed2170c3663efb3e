#include "report/plan_own.h"

#include <math.h>

#include "base/jw.h"
#include "report/text.h"

static void money(struct jw *w, const char *key, double v)
{
	jw_key(w, key);
	if (isnan(v) || isinf(v))
		jw_null(w);
	else
		jw_dec(w, (dec)roundl((long double)v * 1e6L) * 1000000);
}

static void print_json(const struct own_ask *a, const struct own_result *r, struct str *out)
{
	struct jw w;
	jw_init(&w, out, 0);
	jw_obj(&w);
	jw_key(&w, "schema");
	jw_str(&w, "tare.plan-own/1");
	jw_key(&w, "month_hours");
	jw_int(&w, (int64_t)OWN_MONTH_H);
	money(&w, "own_fixed_month", r->fixed_month);
	money(&w, "own_hour_full", r->hour_full);
	jw_key(&w, "rent_hour");
	jw_dec(&w, a->cloud_hour);
	jw_put_num(&w, "break_even_util_frac", r->break_even_util_frac, 6);
	jw_put_num(&w, "break_even_hours_month", r->break_even_hours_month, 6);
	jw_put_num(&w, "util_frac", a->util_frac, 6);
	money(&w, "own_month", r->own_month);
	money(&w, "rent_month", r->rent_month);
	money(&w, "saving_month", r->saving_month);
	money(&w, "own_hour_used", r->own_hour_used);
	jw_put_num(&w, "payback_months", r->payback_months, 6);
	jw_key(&w, "answer");
	jw_str(&w, isnan(a->util_frac) ? NULL : r->saving_month > 0 ? "own" : "rent");
	jw_end_obj(&w);
	str_addc(out, '\n');
}

static char *usd(struct arena *m, double v, int digits)
{
	return text_money(m, dec_from_double(v), digits);
}

static void print_text(const struct own_ask *a, const struct own_result *r, struct str *out)
{
	struct arena m = { 0 };
	char rent[DEC_BUF];
	str_addf(out, "Own    %s $/month (730 h) whether used or not", usd(&m, r->fixed_month, 2));
	if (r->use_hour > 0)
		str_addf(out, ", and %s $ for each hour used", usd(&m, r->use_hour, 4));
	str_addf(out, "\n       %s $/h when it never stops\nRent   %s $/h\n\n",
		 usd(&m, r->hour_full, 4), dec_format(rent, a->cloud_hour));
	if (r->break_even_util_frac > 1)
		str_addz(out, "Renting costs less, even for a card that never stops.\n");
	else
		str_addf(out, "Owning costs less above %.1f %% use (%.0f h a month).\n",
			 r->break_even_util_frac * 100, r->break_even_hours_month);
	if (!isnan(a->util_frac)) {
		str_addf(out, "Used %.0f %%: own %s, rent %s $/month: %s saves %s.\n",
			 a->util_frac * 100, usd(&m, r->own_month, 2), usd(&m, r->rent_month, 2),
			 r->saving_month > 0 ? "owning" : "renting",
			 usd(&m, fabs(r->saving_month), 2));
		if (isinf(r->payback_months))
			str_addf(out, "The purchase is not paid back within %g years.\n", a->years);
		else
			str_addf(out, "The purchase is paid back after %.1f months.\n",
				 r->payback_months);
	}
	arena_free(&m);
}

void plan_own_print(const struct own_ask *q, const struct own_result *a, const struct out_as *as,
		    struct str *out)
{
	if (as->format == OUT_JSON)
		print_json(q, a, out);
	else
		print_text(q, a, out);
}
