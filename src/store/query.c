#include "store/query.h"

#include <errno.h>

#include "store/inside.h"

int store_query(struct store *s, const char *sql, size_t most, struct arena *a,
		struct query_result *ret, struct err *err)
{
	if (strlen(sql) > QUERY_SQL_MAX)
		return err_set(err, -E2BIG, "the statement has more than %d KiB",
			       QUERY_SQL_MAX >> 10);
	return facts_query(s->facts, sql, most, a, ret, err);
}

const struct query_view *store_views(size_t *ret_n)
{
	return facts_views(ret_n);
}
