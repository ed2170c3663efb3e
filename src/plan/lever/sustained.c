/* See sustained.h. */
#include "plan/lever/sustained.h"

#include "base/num.h"
#include "base/str.h"

/* Of list, at the part u of a month. */
static double mean_price(double u)
{
	static const double tier[] = { 1, 0.8, 0.6, 0.4 };
	const size_t n = sizeof tier / sizeof *tier;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += tier[i] * clamp_double(u - (double)i / (double)n, 0, 1.0 / (double)n);
	if (u > 0)
		return sum / u;
	return 1;
}

static bool is_eligible(const struct workload *w)
{
	if (strcmp(w->provider, "gcp") || strcmp(w->purchase, "on_demand"))
		return false;
	return sv_starts(sv_of(w->instance_type), SV("n1-")) ||
	       sv_starts(sv_of(w->instance_type), SV("custom-"));
}

double sustained_part(const struct fleet *f, int64_t gpu_ms, int64_t gpus_milli)
{
	double span = (double)fleet_span_ms(f) * (double)gpus_milli / 1000;

	if (!(span > 0))
		return 0;
	return clamp_double((double)gpu_ms / span, 0, 1);
}

double sustained_factor(const struct workload *w, double had, double left)
{
	if (!is_eligible(w) || w->list_nano <= 0 || w->ms <= 0)
		return 1;
	double most = 1 - mean_price(had), by_bill = 1 - (double)w->catalog_ms / (double)w->ms,
	       s0 = (1 - (double)w->paid_nano / (double)w->list_nano) * by_bill;

	s0 = clamp_double(s0, 0, most);
	if (!(s0 > 0))
		return 1;
	double s1 = s0 * (1 - mean_price(had * clamp_double(left, 0, 1))) / most;
	return (1 - s1) / (1 - s0);
}
