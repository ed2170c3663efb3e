#include "answer/sql.h"

int answer_sql(const struct ask *ask, const char *sql, size_t most, struct query_result *ret,
	       struct err *err)
{
	return store_query(ask->store, sql, most, ask->mem, ret, err);
}
