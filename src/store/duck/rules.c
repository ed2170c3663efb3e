/* By which rules the ledger was made (ledger/rules.h). */
#include "store/duck/inside.h"

int facts_rules(struct facts *f, int *ret, struct err *err)
{
	int64_t rules;
	*ret = 1; /* of before there was such a table */
	if (f->write && f->schema < SCHEMA_RULES)
		return 0;
	int e = writer_quiet(f->writer, NULL, err);
	if (e == 0)
		e = sql_number(f->con, "SELECT arg_max(rules, batch) FROM ledger_rules",
			       "read the version of the ledger's rules", 0, &rules, err);
	if (e == 0)
		*ret = (int)rules;
	return e;
}

int facts_set_rules(struct facts *f, int rules, struct err *err)
{
	int e = writer_quiet(f->writer, NULL, err);
	int64_t n = e;
	if (!e)
		n = sql_change(f->con, duck_into(f, "INSERT INTO ledger_rules VALUES ($1, $2)"),
			       "write the version of the ledger's rules", err, "ii", f->batch,
			       (int64_t)rules);
	if (n < 0)
		return (int)n;
	return 0;
}
