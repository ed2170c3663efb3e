/* See told.h. */
#include "plan/told.h"

#include <math.h>

#include "base/percent.h"
#include "base/tm.h"

#define WHOLE_FROM (DEC_ONE * 1000) /* from here on no cents */

struct rec *told_new(const struct lever_in *in, struct rec_list *out, enum advice_kind kind,
		     const char *id_tail)
{
	struct rec *r = rec_new(in, out, "advice", id_tail);

	r->advice = true;
	r->kind = kind;
	r->tier = TIER_TRIAL;
	r->prepares = true; /* nothing of it is tried: it is looked at */
	r->risk = RISK_LOW;
	r->confidence_frac = NAN;
	r->effort_days = 0.5;
	r->within_days = 1;
	return r;
}

void told_cost(struct rec *r, dec month)
{
	/* some are of estimates in doubles: what is below a nano is noise of theirs */
	r->cost_month = dec_fits_nano(month) ? nano_to_dec(dec_to_nano(month)) : month;
	r->has_cost = true;
}

static int64_t over_window(const struct lever_in *in, dec month)
{
	int64_t span = fleet_span_ms(in->fleet),
		of = llround(in->conf->month_hours * (double)MS_HOUR);
	dec v = dec_muldiv(month, span, of);

	if (dec_fits_nano(v))
		return dec_to_nano(v);
	return INT64_MAX;
}

void told_may_save(const struct lever_in *in, struct rec *r, dec low, dec high)
{
	r->p05_nano = over_window(in, low);
	r->p95_nano = over_window(in, high);
	r->saving_nano = (r->p05_nano + r->p95_nano) / 2;
}

const char *told_sign(const struct lever_in *in)
{
	if (strcmp(in->fleet->currency, "USD"))
		return in->fleet->currency;
	return "$";
}

const char *told_amount(const struct lever_in *in, dec v)
{
	char buf[DEC_BUF];

	return arena_printf(in->mem, "%s", dec_format_fixed(buf, v, 2));
}

const char *told_money(const struct lever_in *in, dec v)
{
	const char *sign = told_sign(in);
	dec size = v;
	char buf[DEC_BUF];

	if (v < 0)
		size = -v;
	if (size > 0 && size < DEC_ONE / 100)
		return arena_printf(in->mem, "%s %s", v < 0 ? ">-0.01" : "<0.01", sign);
	return arena_printf(in->mem, "%s %s", dec_format_people(buf, v, size < WHOLE_FROM ? 2 : 0),
			    sign);
}

const char *told_percent(const struct lever_in *in, dec part, dec whole)
{
	char buf[PERCENT_BUF];
	int64_t n = percent_alone(part, whole, PERCENT_UNITS);

	return arena_printf(in->mem, "%s", percent_text(buf, n, PERCENT_UNITS, part, whole));
}

const char *told_count(const struct lever_in *in, int64_t n)
{
	char buf[DEC_BUF];

	return arena_printf(in->mem, "%s", dec_format_people(buf, n * DEC_ONE, 0));
}
