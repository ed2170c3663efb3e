#ifndef TARE_MODEL_CLOUD_ID_H
#define TARE_MODEL_CLOUD_ID_H
/*
 * Ids of billing accounts and of sub accounts in one form. Azure writes the same account as "acc"
 * in one export and as "/providers/Microsoft.Billing/billingAccounts/acc[/billingProfiles/p]" in
 * another, a subscription as a GUID or as "/subscriptions/<guid>", and GUIDs in any case. Ids of
 * other providers are left as they are.
 */
#include "base/str.h"

/*
 * The id without its path, GUIDs in small letters: a view of `id`, or of `buf`, which is
 * overwritten and lives with the caller. fold: all of an Azure id in small letters, to compare by.
 */
struct sv cloud_account(struct sv provider, struct sv id, bool fold, struct str *buf);
struct sv cloud_sub_account(struct sv provider, struct sv id, bool fold, struct str *buf);

#endif
