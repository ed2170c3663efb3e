#ifndef TARE_STORE_ACCOUNTS_H
#define TARE_STORE_ACCOUNTS_H
#include "store/store.h"

/* Has a job of the window an account of its scheduler, and no team of its own? */
int store_accounts_without_team(struct store *s, int64_t from_ms, int64_t to_ms, bool *ret,
				struct err *err);
/* Keys of the tags of the ledger, as they are spelled, by name. In arena a. */
int store_tag_keys(struct store *s, struct arena *a, const char ***ret, size_t *ret_n,
		   struct err *err);

#endif
