/*
 * Rent or own.
 *
 *   own a month  = (purchase - residual) / life + capital x (purchase + residual) / 2 + staff and
 *                space + energy
 *   energy       = (idle W x (H - h) + W x h) x PUE x $/kWh,  h hours used of H = 730
 *   rent a month = h x cloud $/h
 *   break-even h: own = rent; both are straight lines in h
 *   payback      = months until rent saved less running cost has paid the purchase (what could be
 *                sold then is not counted)
 *
 * The write-off is a straight line; capital is paid on the mean of what is tied up, without
 * compounding. All inputs are measured or quoted, so doubles are good enough; printed amounts go
 * through dec.
 */
#include "model/known.h"
#include "opt/commit/own.h"
#include <errno.h>
#include <math.h>

#include "base/num.h"

static bool is_money(dec v, int64_t most)
{
	return v >= 0 && v <= DEC_ONE * most;
}

static int check_ask(const struct own_ask *a, struct err *err)
{
	if (a->purchase <= 0 || !is_money(a->purchase, 100000000))
		return err_set(err, -EINVAL,
			       "the purchase price must lie above 0 and below 100 million");
	if (a->residual < 0 || a->residual > a->purchase)
		return err_set(err, -EINVAL,
			       "the residual value must lie between 0 and the purchase price");
	if (!(a->years > 0 && a->years <= 30))
		return err_set(err, -EINVAL, "the life must lie above 0 and be at most 30 years");
	if (!within_double(a->power_w, 0, 1e6) ||
	    (!isnan(a->idle_power_w) && !within_double(a->idle_power_w, 0, a->power_w)))
		return err_set(
			err, -EINVAL,
			"power must be 0 to a megawatt, and not more when idle than when used");
	if (!(a->pue >= 1 && a->pue <= 10))
		return err_set(err, -EINVAL, "the PUE must lie between 1 and 10");
	if (!is_money(a->usd_kwh, 1000) || !is_money(a->staff_space_month, 100000000))
		return err_set(
			err, -EINVAL,
			"the price of a kWh (up to 1,000) and staff and space a month must be 0 or more");
	if (a->cloud_hour <= 0 || !is_money(a->cloud_hour, 1000000))
		return err_set(err, -EINVAL,
			       "the rent of an hour must lie above 0 and below a million");
	if (!within_double(a->wacc_frac, 0, 1) ||
	    (!isnan(a->util_frac) && !within_double(a->util_frac, 0, 1)))
		return err_set(
			err, -EINVAL,
			"the cost of capital and the utilisation must be shares from 0 to 1");
	return 0;
}

int own_compare(const struct own_ask *a, struct own_result *ret, struct err *err)
{
	struct own_result r = { .own_month = NAN,
				.rent_month = NAN,
				.saving_month = NAN,
				.own_hour_used = NAN,
				.payback_months = NAN };
	int code = check_ask(a, err);
	if (code < 0)
		return code;
	double buy = dec_to_double(a->purchase), left = dec_to_double(a->residual),
	       rent = dec_to_double(a->cloud_hour);
	double w = a->power_w, idle_w = known_or(a->idle_power_w, w),
	       kwh = dec_to_double(a->usd_kwh) * a->pue / 1000;
	double running_idle = dec_to_double(a->staff_space_month) + idle_w * kwh * OWN_MONTH_H;
	r.fixed_month = (buy - left) / (a->years * 12) + a->wacc_frac / 12 * (buy + left) / 2 +
			running_idle;
	r.use_hour = (w - idle_w) * kwh;
	r.hour_full = r.fixed_month / OWN_MONTH_H + r.use_hour;
	if (rent > r.use_hour)
		r.break_even_hours_month = r.fixed_month / (rent - r.use_hour);
	else
		r.break_even_hours_month = INFINITY;
	r.break_even_util_frac = r.break_even_hours_month / OWN_MONTH_H;
	if (!isnan(a->util_frac)) {
		double hours = a->util_frac * OWN_MONTH_H,
		       running = running_idle + r.use_hour * hours;
		r.own_month = r.fixed_month + r.use_hour * hours;
		r.rent_month = rent * hours;
		r.saving_month = r.rent_month - r.own_month;
		r.own_hour_used = num_if(hours > 0, r.own_month / hours);
		double back = r.rent_month - running;
		r.payback_months = back > 0 ? dec_to_double(a->purchase) / back : INFINITY;
		if (r.payback_months > a->years * 12)
			r.payback_months = INFINITY;
	}
	*ret = r;
	return 0;
}
