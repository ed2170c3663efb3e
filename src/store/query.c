#include "store/query.h"

#include <errno.h>

#include "store/inside.h"

int store_query(struct store *s, const struct query_ask *q, struct arena *a,
		struct query_result *ret, struct err *err)
{
	if (strlen(q->sql) > QUERY_SQL_MAX)
		return err_set(err, -E2BIG, "the statement has more than %d KiB",
			       QUERY_SQL_MAX >> 10);
	return facts_query(s->facts, q, a, ret, err);
}

const struct query_view *store_views(size_t *ret_n)
{
	return facts_views(ret_n);
}
