#include "answer/sql.h"

int answer_sql(const struct ask *ask, const struct query_ask *q, struct query_result *ret,
	       struct err *err)
{
	return store_query(ask->store, q, ask->mem, ret, err);
}
