/* Ids of accounts of Azure are one in all the ways it writes them; those of others stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/cloud_id.h"

static void azure_ids_have_one_form(void **state)
{
	static const struct {
		const char *provider, *id, *plain, *folded;
		bool sub;
	} want[] = {
		{ "azure", "acc", "acc", "acc", false },
		{ "azure", "ACC", "ACC", "acc", false },
		{ "azure", "/providers/Microsoft.Billing/billingAccounts/ACC", "ACC", "acc",
		  false },
		{ "azure", "/PROVIDERS/microsoft.billing/billingaccounts/1/billingProfiles/P", "1",
		  "1", false },
		{ "azure", "/providers/Microsoft.Billing/billingAccounts/",
		  "/providers/Microsoft.Billing/billingAccounts/",
		  "/providers/microsoft.billing/billingaccounts/", false },
		{ "azure", "/subscriptions/8A0C0000-0000-0000-0000-00000000000B",
		  "8a0c0000-0000-0000-0000-00000000000b", "8a0c0000-0000-0000-0000-00000000000b",
		  true },
		{ "azure", "8A0C0000-0000-0000-0000-00000000000B:X_2019-05-31",
		  "8a0c0000-0000-0000-0000-00000000000b:x_2019-05-31",
		  "8a0c0000-0000-0000-0000-00000000000b:x_2019-05-31", false },
		{ "azure", "", "", "", true },
		{ "aws", "/subscriptions/A", "/subscriptions/A", "/subscriptions/A", true },
	};
	struct str buf = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof want / sizeof *want; i++)
		for (int fold = 0; fold < 2; fold++) {
			struct sv id = sv_of(want[i].id), p = sv_of(want[i].provider),
				  v = want[i].sub ? cloud_sub_account(p, id, fold, &buf)
						  : cloud_account(p, id, fold, &buf);
			assert_true(sv_is(v, fold ? want[i].folded : want[i].plain));
		}
	str_free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(azure_ids_have_one_form) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
