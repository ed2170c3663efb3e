#include "report/plan/plan_own.h"

#include <math.h>

#include "report/text.h"

struct money {
	dec v;
	bool known;
};
struct row {
	int64_t month_hours;
	struct money fixed, full, own, rent, saving, used;
	struct own_ask q;
	struct own_result a;
	const char *answer;
};
#define MONEY(key, member, text)                                             \
	{                                                                    \
		key, COL_DEC, offsetof(struct row, member.v), "money", text, \
			offsetof(struct row, member.known)                   \
	}
static const struct col cols[] = {
	{ "month_hours", COL_INT, offsetof(struct row, month_hours), "h", "hours of a month",
	  .always = true },
	MONEY("own_fixed_month", fixed, "of a GPU of one's own, used or not, a month"),
	MONEY("own_hour_full", full, "an hour of a GPU of one's own that never stops"),
	{ "rent_hour", COL_DEC, offsetof(struct row, q.cloud_hour), "money",
	  "an hour of the same GPU, rented", 0 },
	{ "break_even_util_frac", COL_NUM, offsetof(struct row, a.break_even_util_frac), "fraction",
	  "owning costs less above this use; null: never, above 1: not even for a GPU that never stops",
	  .digits = 6 },
	{ "break_even_hours_month", COL_NUM, offsetof(struct row, a.break_even_hours_month), "h",
	  "the same in hours of a month", .digits = 6 },
	{ "util_frac", COL_NUM, offsetof(struct row, q.util_frac), "fraction",
	  "share of all hours in which it is used, as asked", .digits = 6 },
	MONEY("own_month", own, "owning at that use, a month"),
	MONEY("rent_month", rent, "renting at that use, a month"),
	MONEY("saving_month", saving, "what owning saves a month; negative: renting costs less"),
	MONEY("own_hour_used", used, "owning, for each hour used"),
	{ "payback_months", COL_NUM, offsetof(struct row, a.payback_months), "months",
	  "until the purchase is back from rent not paid; null: not within its life", .digits = 6 },
	{ "answer", COL_TEXT, offsetof(struct row, answer), NULL,
	  "own or rent; null: it is not known how much it is used", 0 },
	{ 0 },
};
const struct col_doc plan_own_doc = { "tare.plan-own/1", "plan own", "rent or own a GPU", cols };

static struct money money_of(double v)
{
	bool known = isfinite(v);

	return (struct money){ known ? (dec)roundl((long double)v * 1e6L) * 1000000 : 0, known };
}

static char *format_usd(struct arena *m, double v, int digits)
{
	return text_money(m, dec_from_double(v), digits);
}

void plan_own_print(const struct own_ask *q, const struct own_result *a, const struct out_as *as,
		    struct str *out)
{
	if (as->format == OUT_JSON) {
		const char *answer = NULL;
		if (!isnan(q->util_frac))
			answer = "rent";
		if (answer && a->saving_month > 0)
			answer = "own";
		const struct row row = {
			.month_hours = (int64_t)OWN_MONTH_H,
			.fixed = money_of(a->fixed_month),
			.full = money_of(a->hour_full),
			.own = money_of(a->own_month),
			.rent = money_of(a->rent_month),
			.saving = money_of(a->saving_month),
			.used = money_of(a->own_hour_used),
			.q = *q,
			.a = *a,
			.answer = answer,
		};

		cols_doc(&plan_own_doc, &row, out);
	} else {
		struct arena m = { 0 };
		char rent[DEC_BUF];
		str_addf(out, "Own    %s $/month (730 h) whether used or not",
			 format_usd(&m, a->fixed_month, 2));
		if (a->use_hour > 0)
			str_addf(out, ", and %s $ for each hour used",
				 format_usd(&m, a->use_hour, 4));
		str_addf(out, "\n       %s $/h when it never stops\nRent   %s $/h\n\n",
			 format_usd(&m, a->hour_full, 4), dec_format(rent, q->cloud_hour));
		if (a->break_even_util_frac > 1)
			str_addz(out, "Renting costs less, even for a GPU that never stops.\n");
		else
			str_addf(out, "Owning costs less above %.1f %% use (%.0f h a month).\n",
				 a->break_even_util_frac * 100, a->break_even_hours_month);
		if (!isnan(q->util_frac)) {
			str_addf(out, "Used %.0f %%: own %s, rent %s $/month: %s saves %s.\n",
				 q->util_frac * 100, format_usd(&m, a->own_month, 2),
				 format_usd(&m, a->rent_month, 2),
				 a->saving_month > 0 ? "owning" : "renting",
				 format_usd(&m, fabs(a->saving_month), 2));
			if (isinf(a->payback_months))
				str_addf(out, "The purchase is not paid back within %g years.\n",
					 q->years);
			else
				str_addf(out, "The purchase is paid back after %.1f months.\n",
					 a->payback_months);
		}
		arena_free(&m);
	}
}
