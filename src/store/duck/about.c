/* Numbers for `tare doctor`. */
#include <string.h>

#include "base/str.h"
#include "store/duck/inside.h"

void facts_about(struct facts_about *ret)
{
	*ret = (struct facts_about){ .version = (int64_t)schema_facts_n,
				     .engine = "duckdb",
				     .engine_version = duck.library_version(),
				     .library = "libduckdb",
				     .library_path = duck_path() };
}

static void read_count(const struct answer *r, struct arena *a, void *ret)
{
	struct sv table = answer_sv(r, 0);
	*(struct store_fact *)ret = (struct store_fact){
		arena_printf(a, "rows.%.*s", SVF(table)),
		arena_printf(a, "%lld", (long long)answer_i64(r, 1)),
	};
}

int facts_counts(struct facts *f, struct arena *a, struct store_fact **ret, size_t *ret_n,
		 struct err *err)
{
	static const char *const table[] = { "batch",      "batch_file", "node",
					     "allocation", "request",    "price",
					     "bill",       "bill_gpu",   "ledger" };
	struct duck_list l = { .doing = "count rows", .size = sizeof **ret, .read = read_count };
	int e = writer_quiet(f->writer, NULL, err);
	if (e)
		return e;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const char *from = table[i]; /* of a view its rows */
		if (!strcmp(from, "ledger"))
			from = table_name[T_LEDGER];
		else if (!strcmp(from, "allocation"))
			from = table_name[T_ALLOCATION];
		str_addf(&l.sql, "%sSELECT '%s', count(*), %zu AS i FROM %s",
			 text_if(i, " UNION ALL "), table[i], i, from);
	}
	str_addz(&l.sql, " ORDER BY i");
	return duck_list(f, &l, a, ret, ret_n, err);
}
