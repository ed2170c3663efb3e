#ifndef TARE_ANSWER_ACCOUNTS_H
#define TARE_ANSWER_ACCOUNTS_H
/*
 * What accounts are called: bills carry a name beside the id (FOCUS SubAccountName, AWS
 * line_item_usage_account_name, Azure's subscription, Google's project). The id is what the ledger
 * groups by; a name may change, and two accounts may have the same one.
 */
#include "store/store.h"

struct account_names {
	const struct account_name *v; /* [n], as store_account_names() gives them */
	size_t n;
};
int account_names_load(struct store *s, struct arena *mem, struct account_names *ret,
		       struct err *err);
/* Of the latest line that says one; "" where none does. O(log n). */
const char *account_name(const struct account_names *names, const char *id);
/* Is there a line of this id? */
bool account_known(const struct account_names *names, const char *id);
/* Does any of them have a name? */
bool accounts_named(const struct account_names *names);
#endif
