#ifndef TARE_STORE_ACCOUNTS_H
#define TARE_STORE_ACCOUNTS_H
#include "store/store.h"

/* Has a job of the window an account of its scheduler, and no team of its own? */
int store_accounts_without_team(struct store *s, int64_t from_ms, int64_t to_ms, bool *ret,
				struct err *err);

#endif
