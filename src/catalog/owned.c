/* What owned hardware costs. */
#include "catalog/catalog.h"

/*
 *   $/GPU-hour = (purchase - residual) / (years x hours/year) + W / 1000 x PUE x $/kWh + other /
 *   (hours/year / 12)
 *
 * hours/year are the hours the GPU is there to be used (8,760 unless given): fewer make each hour
 * more expensive. Measured inputs come as floating point and are rounded once to millionths (years,
 * hours) or millionths of a kilowatt; money stays decimal.
 */
dec catalog_owned_gpu_hour(const struct owned_terms *t)
{
	const int64_t million = 1000000;
	double hours_year = 8760;
	double pue = 1;
	dec sum = 0;
	if (t->pue > 0)
		pue = t->pue;
	if (t->utilisation_hours_year > 0)
		hours_year = t->utilisation_hours_year;
	if (t->years > 0) {
		int64_t hours_millionth = (int64_t)(t->years * hours_year * (double)million + 0.5);
		if (hours_millionth > 0)
			sum += dec_muldiv(t->purchase - t->residual, million, hours_millionth);
	}
	if (t->power_w > 0) {
		int64_t kw_millionth = (int64_t)(t->power_w / 1000 * pue * (double)million + 0.5);
		sum += dec_muldiv(t->usd_kwh, kw_millionth, million);
	}
	int64_t hours_month_millionth = (int64_t)(hours_year / 12 * (double)million + 0.5);
	if (t->other_usd_month && hours_month_millionth > 0)
		sum += dec_muldiv(t->other_usd_month, million, hours_month_millionth);
	return sum;
}
