#ifndef TARE_OPT_COMMIT_OWN_H
#define TARE_OPT_COMMIT_OWN_H
/* Rent or own a GPU: when does a GPU of one's own cost less than renting one for the hours it is
 * used. Money of one currency. */
#include "base/dec.h"
#include "base/err.h"

struct own_ask {                      /* per GPU, with its share of the machine */
	dec purchase, residual;       /* price; value at the end of its life */
	double years;                 /* of life, above 0 to 30 */
	double power_w, idle_power_w; /* drawn when used, when not (NAN = as when used) */
	double pue;                   /* 1..10 */
	dec usd_kwh, staff_space_month;
	dec cloud_hour;   /* rent of the same GPU */
	double wacc_frac; /* cost of capital a year, 0..1 */
	double util_frac; /* share of all hours it is used, 0..1; NAN = not known */
};
struct own_result {
	double fixed_month; /* write-off, capital, staff and space, power when idle */
	double use_hour;    /* more for each hour used (power) */
	double hour_full;   /* of a GPU used all the time, everything in */
	/* owning costs less above; INFINITY: never, renting an hour costs less than the power of
	 * one */
	double break_even_util_frac;
	double break_even_hours_month;
	/* at util_frac; NAN where that is not known */
	double own_month, rent_month, saving_month;
	double own_hour_used; /* own_month / hours used */
	/* until the purchase is back from rent not paid; INFINITY = not within its life */
	double payback_months;
};
#define OWN_MONTH_H 730.0

/* -EINVAL names what makes no sense. O(1). */
int own_compare(const struct own_ask *a, struct own_result *ret, struct err *err);

#endif
