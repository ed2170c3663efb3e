/*
 * Reserved or on demand: the arithmetic of seed "GPU cost optimisation", kept exact.
 *
 *   on demand over the term = price x hours used a month x months x machines
 *   reserved                = (upfront + price x hours charged a month x months) x machines
 *
 * What we changed: a reservation charges every hour of the month, not only those used, so hours
 * used and hours charged are two numbers (the source has one and so flatters reservations of
 * machines that do not always run); money paid upfront costs interest; break-even points.
 */
#include "opt/commit/reserve.h"
#include <errno.h>
#include <math.h>

#define PRICE_MAX     (DEC_ONE * 1000000)    /* a machine-hour */
#define UPFRONT_MAX   (DEC_ONE * 1000000000) /* a machine */
#define HOURS_31_DAYS (DEC_ONE * 744)

static int check_ask(const struct reserve_ask *a, const struct reserve_offer *o, struct err *err)
{
	if (a->on_demand_hour <= 0 || a->on_demand_hour > PRICE_MAX)
		return err_set(
			err, -EINVAL,
			"the on-demand price of an hour must lie above 0 and below a million");
	if (o->hour < 0 || o->hour > PRICE_MAX || o->upfront < 0 || o->upfront > UPFRONT_MAX ||
	    (o->hour == 0 && o->upfront == 0))
		return err_set(
			err, -EINVAL,
			"the price of '%s' must be at least 0 an hour and upfront, and not both 0",
			o->name);
	if (o->months < 1 || o->months > RESERVE_MAX_MONTHS)
		return err_set(err, -EINVAL, "the term of '%s' must be 1 to 120 months", o->name);
	if (a->machines < 1 || a->machines > 1000000)
		return err_set(err, -EINVAL, "the number of machines must be 1 to 1,000,000");
	if (a->hours_month <= 0 || a->hours_month > HOURS_31_DAYS || a->paid_hours_month < 0 ||
	    a->paid_hours_month > HOURS_31_DAYS)
		return err_set(err, -EINVAL, "hours a month must lie above 0 and be at most 744");
	if (a->paid_hours_month && a->paid_hours_month < a->hours_month)
		return err_set(
			err, -EINVAL,
			"a machine cannot be used more hours of the month than a reservation charges");
	if (!(a->wacc_frac >= 0 && a->wacc_frac <= 1))
		return err_set(err, -EINVAL,
			       "the cost of capital must be a share from 0 to 1 a year");
	return 0;
}

/* price x hours, both decimals; hours are below 744 x 120 x 10^6, so the product stays within a
 * dec */
static dec times_hours(dec price, dec hours, int64_t n)
{
	return div_half_even(price * hours, DEC_ONE) * n;
}

int reserve_compare(const struct reserve_ask *a, const struct reserve_offer *o,
		    struct reserve_result *ret, struct err *err)
{
	struct reserve_result r = { 0 };
	int code = check_ask(a, o, err);
	if (code < 0)
		return code;
	dec paid = a->hours_month;
	if (a->paid_hours_month)
		paid = a->paid_hours_month;
	r.od_month = times_hours(a->on_demand_hour, a->hours_month, a->machines);
	r.od_year = r.od_month * 12;
	r.od_term = r.od_month * o->months;
	r.month = times_hours(o->hour, paid, a->machines);
	r.upfront = o->upfront * a->machines;
	r.total = r.upfront + r.month * o->months;
	r.annual = div_half_even(r.total * 12, o->months);
	r.saving_term = r.od_term - r.total;
	r.saving_year = r.od_year - r.annual;
	r.saving_frac = dec_to_double(r.saving_term) / dec_to_double(r.od_term);
	r.break_even_hours_month = dec_to_double(r.annual) / 12 /
				   dec_to_double(a->on_demand_hour * a->machines);
	double saves_month = dec_to_double(r.od_month - r.month);
	r.break_even_months = saves_month > 0 ? dec_to_double(r.upfront) / saves_month : INFINITY;
	r.upfront_cost =
		dec_from_double(dec_to_double(r.upfront) * a->wacc_frac * o->months / 12 / 2);
	r.saving_after_capital_frac = dec_to_double(r.saving_term - r.upfront_cost) /
				      dec_to_double(r.od_term);
	*ret = r;
	return 0;
}
