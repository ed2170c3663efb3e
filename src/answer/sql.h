#ifndef TARE_ANSWER_SQL_H
#define TARE_ANSWER_SQL_H
/* A SELECT of somebody else's over the views of the store (store/query.h, docs/SQL.md). */
#include "answer/ask.h"
#include "store/query.h"

/* At most `most` rows, in the ask's arena; the ask's window is no part of it. As store_query(): the
 * store answers nothing else behind it. */
int answer_sql(const struct ask *ask, const struct query_ask *q, struct query_result *ret,
	       struct err *err);
#endif
