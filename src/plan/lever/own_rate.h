#ifndef TARE_PLAN_LEVER_OWN_RATE_H
#define TARE_PLAN_LEVER_OWN_RATE_H
/*
 * The customer's own rates: what is paid of the list price, per provider and family of machines
 * (catalog/family.h), by on-demand GPU time in the history. A machine that the customer does not
 * have yet is priced by them; of a family without one the list price is all that is known.
 */
#include "base/mem.h"
#include "catalog/catalog.h"

struct fleet;

enum own_rate_basis {
	OWN_RATE_BILL,    /* paid and list price of the bill's own lines */
	OWN_RATE_CATALOG, /* paid, and the catalogue's list price of the same type, region and hour */
	OWN_RATE_N
};
const char *own_rate_basis_name(enum own_rate_basis b); /* "bill" "catalogue" */

/* Paid = factor x list. In one currency that is the contract; where list is in another one,
 * contract and exchange in one. */
struct own_rate {
	const char *provider, *family;
	const char *list_currency;
	double factor;
	double gpu_hours; /* that show it */
	enum own_rate_basis basis;
};
struct own_rates {
	VEC(struct own_rate) v; /* by provider, family, currency of the list */
};

/*
 * From works that have their type and place; texts are in mem. Time that the catalogue priced,
 * price files of the user's own, less than an hour of a GPU and, where an exchange rate tells, what
 * is below a fifth or above three times of list say nothing. A provider's family has one row for
 * each currency of a list: of the fleet's own, the bill's lines win over the catalogue.
 */
void own_rates_learn(const struct fleet *f, const struct catalog *c, struct arena *mem,
		     struct own_rates *ret);
void own_rates_free(struct own_rates *o);
/* NULL: the history does not show it. Texts may be NULL. */
const struct own_rate *own_rates_find(const struct own_rates *o, const char *provider,
				      const char *family, const char *list_currency);

#endif
